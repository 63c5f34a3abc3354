# SPDX-License-Identifier: Apache-2.0
"""People who call with tokens of a real OpenID Connect provider (identity_provider/): what opens the API, what does not, and when
it ends. A worker fetches the provider's keys; the operator's command gives domains and connects organizations."""
import base64
import contextlib
import hashlib
import hmac
import json
import os
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import node_packages
from client import Bearer, wait_until
from node import free_port, make_certificate
from suite import Suite, ends_on_signal
from webhooks_test import Worker
from world import BUILD, PREFIX, ROOT, World, connect, no_limits, sql, start_node

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "identity_provider")
AUDIENCE = "urn:reeve"


# ---- The provider ----
class IdentityProvider:
    def __init__(self, folder):
        self.folder, self.port, self.process, self.keys = folder, free_port(), None, []
        self.certificate, self.key = make_certificate(folder, "provider")
        self.issuer = "https://127.0.0.1:%d" % self.port
        self.context = ssl.create_default_context(cafile=self.certificate)
        node_packages.install(HERE)

    def make_keys(self, *names):
        """Private keys of these names: "one:RSA"."""
        return json.loads(subprocess.run(["node", os.path.join(HERE, "keys.js"), *names], check=True, capture_output=True).stdout)

    def start(self, keys, redirects=()):
        self.stop()
        self.keys = keys
        path = os.path.join(self.folder, "provider.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"port": self.port, "certificate": self.certificate, "key": self.key, "keys": keys, "redirects": list(redirects)}, file)
        with open(os.path.join(self.folder, "provider.log"), "ab") as log:
            self.process = subprocess.Popen(["node", os.path.join(HERE, "server.js"), path], stdout=log, stderr=log)
        wait_until(self.answers, 60)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def answers(self):
        try:
            return self.get("/jwks")["keys"]
        except OSError:
            return False

    def get(self, path):
        with urllib.request.urlopen(self.issuer + path, context=self.context) as answer:
            return json.load(answer)

    def token(self, address, groups=(), audience=AUDIENCE, client="cli", **more):
        """A real one, of the token endpoint."""
        form = {"grant_type": "client_credentials", "resource": audience, "scope": "api", "client_id": client, "client_secret": "secret",
                "alg": more.pop("alg", "RS256"), "claims": json.dumps({"email": address, "groups": list(groups), **more})}
        credentials = base64.b64encode(b"%s:secret" % form.pop("client_id").encode()).decode()
        form.pop("client_secret")
        request = urllib.request.Request(self.issuer + "/token", urllib.parse.urlencode(form).encode(), {"Authorization": "Basic " + credentials})
        with urllib.request.urlopen(request, context=self.context) as answer:
            return json.load(answer)["access_token"]

    def sign(self, claims, kid=None, header=None):
        """One that no honest provider would issue, with the right signature."""
        now = int(time.time())
        claims = {"aud": AUDIENCE, "iat": now, "exp": now + 600, **claims}
        claims = {name: value for name, value in claims.items() if value is not None}
        body = json.dumps({"kid": kid or self.keys[0]["kid"], "claims": claims, "header": header or {}}).encode()
        with urllib.request.urlopen(urllib.request.Request(self.issuer + "/sign", body), context=self.context) as answer:
            return answer.read().decode()


def encode(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def claims_of(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


# ---- What is there ----
class Place:
    """An organization that uses the provider, and one of the same person that does not."""

    def __init__(self, world, node, connection, provider):
        self.world, self.node, self.connection, self.provider = world, node, connection, provider
        self.owner, self.elsewhere = world.make_caller("Federated"), world.make_caller("Elsewhere")
        no_limits([self.owner.home, self.elsewhere.home])
        self.project = world.make_project(self.owner, "mapped")
        self.foreign = world.make_project(self.elsewhere, "foreign")
        self.ada = world.make_person("ada@federated.example", self.owner.home)
        world.make_person("ada@federated.example", self.elsewhere.home, "ORG_OWNER")
        world.make_person("eve@elsewhere.example", self.owner.home, "ORG_OWNER")
        world.make_person("bob@federated.example", self.elsewhere.home, "ORG_OWNER")
        self.federation = self.must(200, "GET", "/orgs/%s/federationSettings" % self.owner.home)["id"]
        self.settings = "/federationSettings/%s" % self.federation
        self.config = "%s/connectedOrgConfigs/%s" % (self.settings, self.owner.home)
        self.operator("add-domain", self.owner.home, "Federated.example")
        self.idp = self.must(200, "POST", self.settings + "/identityProviders", {
            "displayName": "Login", "issuerUri": provider.issuer, "audience": AUDIENCE, "associatedDomains": ["federated.example"]})["id"]
        self.path = "%s/identityProviders/%s" % (self.settings, self.idp)
        self.wait_for_keys()

    def operator(self, *words):
        return subprocess.run([os.path.join(ROOT, BUILD, "reeved"), "federation", *words, "--config", self.node.conf], check=True,
                              capture_output=True, text=True).stdout

    def must(self, status, method, path, body=None, caller=None):
        answer = self.connection.ask(method, PREFIX + path, (caller or self.owner).bearer(), body)
        if answer.status != status:
            raise AssertionError("%s %s: %s" % (method, path, answer))
        return answer.json() if answer.body else None

    def ask(self, method, path, body, caller):
        return self.connection.ask(method, PREFIX + path, caller.bearer(), body)

    def wait_for_keys(self, kids=None):
        def known():
            shown = self.must(200, "GET", self.path)
            return shown["keyIds"] and (kids is None or sorted(shown["keyIds"]) == sorted(kids))
        wait_until(known, 60)

    def get(self, token, path=None):
        """(status, error code, why) of a request with the token."""
        answer = self.connection.ask("GET", PREFIX + ("/orgs/%s" % self.owner.home if path is None else path), Bearer(token))
        document = answer.json()
        return answer.status, document.get("errorCode"), document

    def status(self, token, path=None):
        return self.get(token, path)[0]

    def soon(self, token, status, path=None):
        """What ends takes effect everywhere within five seconds."""
        try:
            wait_until(lambda: self.status(token, path) == status, 5)
            return True
        except AssertionError:
            return False


@contextlib.contextmanager
def standing(node, provider):
    """The place, while the provider runs and a worker beside the node."""
    worker = Worker(node.conf)
    worker.start()
    try:
        provider.start(provider.make_keys("one:RSA", "two:EC"))
        world = World(node, with_roles=False)
        with connect(node) as connection:
            yield Place(world, node, connection, provider)
        world.close()
    finally:
        if worker.process.poll() is None:
            worker.kill()
        provider.stop()


# ---- The tests ----
def test_before_connection(suite, place, provider):
    status, code, document = place.get(provider.token("ada@federated.example"))
    suite.equal((status, code), (401, "INVALID_CREDENTIALS"), "a token of a provider that nobody uses")
    place.must(200, "PATCH", place.config, {"identityProviderId": place.idp})
    suite.equal(place.status(provider.token("ada@federated.example")), 200, "as soon as the organization uses it")


def test_last_sign_in(suite, place, provider):
    """D, fields that matter: when somebody last came with a new token is shown, and moves with the next one."""
    in_organization, alone = "/orgs/%s/users/%s" % (place.owner.home, place.ada), "/users/%s" % place.ada
    shown = lambda path: place.must(200, "GET", path).get("lastAuth", "")
    sql("UPDATE federated_member SET signed_in_at = '2020-01-01', issued_at = '2020-01-01' WHERE person_id = decode('%s', 'hex')" % place.ada)
    suite.equal((shown(in_organization), shown(alone)), ("2020-01-01T00:00:00Z",) * 2, "who came once, long ago")
    suite.equal(place.status(provider.token("ada@federated.example")), 200, "they come again")
    wait_until(lambda: shown(in_organization) > "2020-01-02" and shown(alone) == shown(in_organization), 10)


def test_named_person(suite, place, provider):
    """A compliance policy names a person: only they can end it, with their own token, whatever roles others have."""
    gus, ivy = "gus@federated.example", "ivy@federated.example"
    for address in (gus, ivy):
        place.world.make_person(address, place.owner.home, "ORG_OWNER")
    path = "/groups/%s/backupCompliancePolicy" % place.world.make_project(place.owner, "kept")
    place.must(200, "PUT", path, {"authorizedEmail": gus.capitalize(), "authorizedUserFirstName": "Gus", "authorizedUserLastName": "Grissom"})

    def bare():
        """Why there can be no cluster without backups; None: there can."""
        specs = [{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]
        return place.ask("POST", path.replace("backupCompliancePolicy", "clusters?dryRun=true"), {"name": "bare", "replicationSpecs": specs}, place.owner).code()

    def end(caller):
        answer = place.connection.ask("DELETE", PREFIX + path, caller)
        return answer.status, answer.code() if answer.body else None
    suite.equal(bare(), "BELOW_COMPLIANCE_POLICY", "a cluster without backups, under the policy")
    suite.equal(end(place.owner.bearer()), (403, "NOT_THE_AUTHORIZED_PERSON"), "the owner's service account")
    suite.equal(end(Bearer(provider.token(ivy))), (403, "NOT_THE_AUTHORIZED_PERSON"), "another owner")
    place.must(200, "GET", path)
    suite.equal(end(Bearer(provider.token(gus))), (204, None), "the person whom the policy names")
    place.must(404, "GET", path)
    suite.equal(bare(), None, "a cluster without backups, after the policy")


def test_who_comes_in(suite, place, provider):
    for algorithm in ("RS256", "ES256"):
        token = provider.token("ada@federated.example", alg=algorithm)
        suite.equal([place.status(token) for _ in range(3)], [200] * 3, "a person of the organization with %s" % algorithm)
    for said in (True, "true"):
        suite.equal(place.status(provider.token("ada@federated.example", email_verified=said)), 200, "an address that is verified: %r" % said)
    root = place.get(provider.token("ADA@Federated.example"), "")[2]
    suite.equal((root.get("callerType") or root.get("caller", {}).get("type"), place.ada in json.dumps(root)), ("USER", True),
                "who calls, with the address in another case: %r" % root)
    for what, token in (
            ("another audience", provider.token("ada@federated.example", audience="urn:other")),
            ("a person who is not in the organization", provider.token("bob@federated.example")),
            ("nobody's address", provider.token("nobody@federated.example")),
            ("a domain that is not the provider's", provider.token("eve@elsewhere.example")),
            ("no address", provider.sign({})),
            *(("an address that is verified: %r" % said, provider.token("ada@federated.example", email_verified=said)) for said in (False, "false", "no", "", 0, 1, None, [], {})),
            ("two domains", provider.sign({"email": "ada@elsewhere.example@federated.example"})),
            ("a list instead of an address", provider.sign({"email": ["ada@federated.example"]})),
            ("no end", provider.sign({"email": "ada@federated.example", "exp": None})),
            ("no beginning", provider.sign({"email": "ada@federated.example", "iat": None})),
            ("no audience", provider.sign({"email": "ada@federated.example", "aud": None})),
            ("the end passed", provider.sign({"email": "ada@federated.example", "exp": int(time.time()) - 61})),
            ("not yet valid", provider.sign({"email": "ada@federated.example", "nbf": int(time.time()) + 300})),
            ("issued in the future", provider.sign({"email": "ada@federated.example", "iat": int(time.time()) + 300})),
            ("another issuer", provider.sign({"email": "ada@federated.example", "iss": "https://issuer.example"})),
            ("something that must be understood", provider.sign({"email": "ada@federated.example"}, header={"crit": ["x"], "x": 1}))):
        suite.equal(place.get(token)[:2], (401, "INVALID_CREDENTIALS"), what)
    suite.equal(place.status(provider.sign({"email": "ada@federated.example", "exp": int(time.time()) - 5})), 200, "within the leeway")
    suite.equal(place.status(provider.sign({"email": "ada@federated.example", "aud": ["x", AUDIENCE]})), 200, "one of several audiences")
    suite.equal(place.status(provider.sign({"email": "ada@federated.example"}, kid="two")), 200, "ES256 by the test's own hand")


def test_forged(suite, place, provider):
    good = provider.token("ada@federated.example")
    head, body, signature = good.split(".")
    public = next(key for key in provider.get("/jwks")["keys"] if key["kid"] == "one")
    changed = encode({**claims_of(good), "groups": ["owners"]})
    pem = subprocess.run(["openssl", "x509", "-in", provider.certificate, "-pubkey", "-noout"], check=True, capture_output=True).stdout

    def hs256(secret):
        text = "%s.%s" % (encode({"alg": "HS256", "kid": "one", "typ": "JWT"}), body)
        return "%s.%s" % (text, encode(hmac.new(secret, text.encode(), hashlib.sha256).digest()))
    stranger = tempfile.NamedTemporaryFile()
    subprocess.run(["openssl", "genrsa", "-out", stranger.name, "2048"], check=True, stderr=subprocess.DEVNULL)
    by_stranger = subprocess.run(["openssl", "dgst", "-sha256", "-sign", stranger.name], input=("%s.%s" % (head, body)).encode(), check=True,
                                 capture_output=True).stdout
    raw = base64.urlsafe_b64decode(signature + "==")
    for what, token in (
            ("alg none", "%s.%s." % (encode({"alg": "none"}), body)),
            ("alg none with a signature", "%s.%s.%s" % (encode({"alg": "none", "kid": "one"}), body, signature)),
            ("alg NONE", "%s.%s.%s" % (encode({"alg": "NONE", "kid": "one"}), body, signature)),
            ("HS256 with the modulus", hs256(base64.urlsafe_b64decode(public["n"] + "=="))),
            ("HS256 with the JWK", hs256(json.dumps(public).encode())),
            ("HS256 with a public key in PEM", hs256(pem)),
            ("HS256 with nothing", hs256(b"")),
            ("ES256 by the name of an RSA key", "%s.%s.%s" % (encode({"alg": "ES256", "kid": "one"}), body, signature)),
            ("RS256 by the name of an EC key", "%s.%s.%s" % (encode({"alg": "RS256", "kid": "two"}), body, signature)),
            ("a changed body", "%s.%s.%s" % (head, changed, signature)),
            ("a changed signature", "%s.%s.%s" % (head, body, encode(raw[:-1] + bytes([raw[-1] ^ 1])))),
            ("no signature", "%s.%s." % (head, body)),
            ("a signature of zeros", "%s.%s.%s" % (head, body, encode(bytes(256)))),
            ("ES256 of zeros", "%s.%s.%s" % (encode({"alg": "ES256", "kid": "two"}), body, encode(bytes(64)))),
            ("a key of its own in the header", "%s.%s.%s" % (encode({"alg": "RS256", "jwk": public}), body, encode(by_stranger))),
            ("somebody else's key by the right name", "%s.%s.%s" % (head, body, encode(by_stranger))),
            ("a duplicate claim", "%s.%s.%s" % (head, encode(b'{"iss": "x", "iss": "y"}'), signature)),
            ("four parts", good + ".x"),
            ("no JSON", "e30.e30.e30")):
        suite.equal(place.get(token)[:2], (401, "INVALID_CREDENTIALS"), what)
    suite.equal(place.status(good), 200, "the one that all these were made of")


def test_confined(suite, place, provider):
    """The same person owns another organization, which does not use the provider: a token opens nothing there, and shows nothing of it."""
    token = provider.token("ada@federated.example")
    suite.equal(place.status(token, "/orgs/%s" % place.elsewhere.home), 401, "an organization that does not use the provider")
    suite.equal(place.status(token, "/groups/%s" % place.foreign), 401, "a project in it")
    for path in ("/orgs", "/groups", "/clusters", ""):
        text = json.dumps(place.get(token, path)[2])
        suite.check(place.elsewhere.home not in text and place.foreign not in text, "%s shows another organization: %s", path, text)
    suite.equal(place.status(token, "/groups/byName/foreign"), 404, "a foreign project by its name")
    text = json.dumps(place.get(token, "/users/%s" % place.ada)[2])
    suite.check(place.elsewhere.home not in text, "the person shows another organization: %s", text)
    suite.equal(place.status(token, "/groups/%s" % place.project), 403, "a project of its own organization, without a role")
    suite.equal(place.connection.ask("POST", PREFIX + "/orgs/%s/teams" % place.owner.home, Bearer(token), {"name": "x", "usernames": []}).status, 403,
                "something for owners")


def test_roles(suite, place, provider):
    groups, mappings = "/groups/%s" % place.project, place.config + "/roleMappings"
    old = provider.token("ada@federated.example", ["readers", "unmapped"])
    suite.equal(place.status(old, groups), 403, "before the mapping")
    mapping = place.must(200, "POST", mappings, {"externalGroupName": "readers", "roleAssignments": [{"groupId": place.project, "role": "GROUP_READ_ONLY"}]})["id"]
    suite.equal(place.status(old, groups), 200, "with the mapping")
    suite.equal([row["id"] for row in place.get(old, "/groups")[2]["results"]], [place.project], "projects in the list")
    suite.equal(place.connection.ask("PATCH", PREFIX + groups, Bearer(old), {"name": "x"}).status, 403, "more than the mapping gives")
    place.must(200, "PUT", "%s/%s" % (mappings, mapping), {"externalGroupName": "readers", "roleAssignments": [{"groupId": place.project, "role": "GROUP_OWNER"}]})
    suite.equal(place.connection.ask("PATCH", PREFIX + groups, Bearer(old), {"name": "mapped"}).status, 200, "once it gives more")
    events = place.must(200, "GET", "/orgs/%s/events?eventType=FEDERATED_USER_SIGNED_IN" % place.owner.home)
    suite.check(events["totalCount"] >= 2, "events of signing in: %r", events["totalCount"])
    time.sleep(1.1)  # issued_at counts in seconds
    new = provider.token("ada@federated.example", [])
    suite.check(place.soon(new, 403, groups), "a newer token without the group")
    suite.equal(place.status(old, groups), 403, "and the older one says nothing any more")
    time.sleep(1.1)
    again = provider.token("ada@federated.example", ["readers"])
    suite.equal(place.status(again, groups), 200, "in the group again")
    place.must(200, "PATCH", place.path, {"authorizationType": "USER"})
    suite.check(place.soon(provider.sign({"email": "ada@federated.example", "groups": ["readers"], "iat": int(time.time()) + 2}), 403, groups), "groups that are not read")
    time.sleep(3)
    place.must(200, "PATCH", place.path, {"authorizationType": "GROUP"})
    last = provider.token("ada@federated.example", ["readers"])
    suite.equal(place.status(last, groups), 200, "groups that are read again")
    place.must(204, "DELETE", "%s/%s" % (mappings, mapping))
    suite.check(place.soon(last, 403, groups), "after the mapping is gone")
    place.must(200, "PATCH", place.config, {"postAuthRoleGrants": ["ORG_READ_ONLY"]})
    suite.equal(place.status(last, groups), 200, "a role for everybody who signs in")
    place.must(200, "PATCH", place.config, {"postAuthRoleGrants": []})
    suite.check(place.soon(last, 403, groups), "and without it")


def test_client(suite, place, provider):
    place.must(200, "PATCH", place.path, {"clientId": "cli"})
    suite.equal(place.status(provider.token("ada@federated.example", client="cli")), 200, "the client that is allowed")
    suite.equal(place.status(provider.token("ada@federated.example", client="other")), 401, "another one")
    place.must(200, "PATCH", place.path, {"clientId": None})
    suite.equal(place.status(provider.token("ada@federated.example", client="other")), 200, "any")


def test_ends(suite, place, provider):
    """What ends a token before it expires."""
    token = provider.token("ada@federated.example")
    suite.equal(place.status(token), 200, "before")
    for what, path, off, on in (
            ("the provider is switched off", place.path, {"status": "INACTIVE"}, {"status": "ACTIVE"}),
            ("the organization does not use it", place.config, {"identityProviderId": None}, {"identityProviderId": place.idp}),
            ("the domain is not associated", place.path, {"associatedDomains": []}, {"associatedDomains": ["federated.example"]}),
            ("the audience is another one", place.path, {"audience": "urn:x"}, {"audience": AUDIENCE})):
        place.must(200, "PATCH", path, off)
        suite.check(place.soon(token, 401), "while %s", what)
        place.must(200, "PATCH", path, on)
        suite.equal(place.status(token), 200, "no longer: %s" % what)
    place.operator("remove-domain", place.owner.home, "federated.example")
    suite.check(place.soon(token, 401), "when the operator takes the domain away")
    place.operator("add-domain", place.owner.home, "federated.example")
    suite.equal(place.status(token), 200, "and gives it back")
    suite.equal(place.connection.ask("DELETE", PREFIX + "/orgs/%s/users/%s" % (place.owner.home, place.ada), place.owner.bearer()).status, 204, "removing the user")
    suite.check(place.soon(token, 401), "when the person is removed from the organization")
    place.world.make_person("ada@federated.example", place.owner.home)
    suite.equal(place.status(token), 200, "and added again")


def test_keys(suite, place, provider):
    first = provider.keys
    old = provider.token("ada@federated.example")
    rotated = provider.make_keys("three:RSA") + [first[1]]
    # Every change of the provider has its keys fetched once more. That one ends before the keys are new, and no other is due.
    wait_until(lambda: sql("SELECT bool_and(keys_failures = 0 AND keys_due_at > now()) FROM identity_provider WHERE protocol = 'OIDC' AND status = 'ACTIVE'") == "t", 60)
    sql("UPDATE identity_provider SET keys_due_at = now() + interval '1 hour'")
    provider.start(rotated)
    new = provider.token("ada@federated.example")
    sql("UPDATE identity_provider SET keys_tried_at = now() - interval '1 minute'")
    refused = place.get(new)
    suite.equal(refused[:2], (401, "INVALID_CREDENTIALS"), "a key that is not known yet")
    wait_until(lambda: place.status(new) == 200, 60)
    suite.check(place.soon(old, 401), "a token of a key that the provider does not publish any more")
    # However many tokens with unknown keys come: what was tried a moment ago is not tried again at once.
    sql("UPDATE identity_provider SET keys_tried_at = now(), keys_due_at = now() + interval '5 minutes'")
    for _ in range(5):
        place.get(old)
    due = "SELECT keys_due_at > now() + interval '1 minute' FROM identity_provider WHERE id = decode('%s', 'hex')" % place.idp
    suite.equal(sql(due), "t", "fetches are not had all the time")
    sql("UPDATE identity_provider SET keys_tried_at = now() - interval '11 seconds'")
    place.get(old)
    tried = "SELECT keys_tried_at > now() - interval '10 seconds' FROM identity_provider WHERE id = decode('%s', 'hex')" % place.idp
    wait_until(lambda: sql(tried) == "t", 30)  # but after ten seconds

    # The provider is down, and its keys are revoked: nobody comes in until it is back.
    provider.stop()
    suite.equal(place.status(new), 200, "while the provider is down its keys are known")
    place.must(204, "DELETE", place.path + "/jwks")
    suite.check(place.soon(new, 401), "after its keys are revoked")
    wait_until(lambda: "keysError" in place.must(200, "GET", place.path), 30)
    suite.check("127.0.0.1" in place.must(200, "GET", place.path)["keysError"], "why the keys could not be fetched")
    provider.start(rotated)
    place.must(204, "DELETE", place.path + "/jwks")
    place.wait_for_keys(["three", "two"])
    suite.equal(place.status(new), 200, "when the keys were fetched again")
    # Somebody who answers for an issuer that it is not.
    place.must(200, "PATCH", place.path, {"issuerUri": provider.issuer + "/"})
    wait_until(lambda: "another issuer" in place.must(200, "GET", place.path).get("keysError", ""), 30)
    suite.equal(place.status(new), 401, "an issuer by another name")
    place.must(200, "PATCH", place.path, {"issuerUri": provider.issuer})
    place.wait_for_keys()
    wait_until(lambda: place.status(new) == 200, 30)


def test_shared(suite, place, provider):
    """Another organization is connected by the operator and uses the same provider."""
    place.operator("connect", place.elsewhere.home, place.owner.home)
    suite.equal(place.must(200, "GET", "/orgs/%s/federationSettings" % place.elsewhere.home, caller=place.elsewhere)["id"], place.federation, "the federation of both")
    suite.check(place.elsewhere.home in place.operator("list", "--json"), "the operator's list")
    token = provider.token("ada@federated.example")
    suite.equal(place.status(token, "/orgs/%s" % place.elsewhere.home), 401, "before it uses the provider")
    config = "%s/connectedOrgConfigs/%s" % (place.settings, place.elsewhere.home)
    place.must(200, "PATCH", config, {"identityProviderId": place.idp}, place.elsewhere)
    suite.equal((place.status(token, "/orgs/%s" % place.elsewhere.home), place.status(token)), (200, 200), "both organizations")
    suite.equal(len(place.must(200, "GET", place.path)["associatedOrgs"]), 2, "organizations that use it")
    suite.equal(len(place.get(token, place.settings + "/identityProviders")[2].get("results", [])), 1,
                "who owns one of the organizations manages the federation with a token")
    test_nobody_decides_for_others(suite, place)
    suite.equal((place.status(token, "/orgs/%s" % place.elsewhere.home), place.status(token)), (200, 200), "after all these attempts")
    place.must(204, "DELETE", config, caller=place.elsewhere)
    suite.check(place.soon(token, 401, "/orgs/%s" % place.elsewhere.home), "after it has left")
    suite.equal(place.status(token), 200, "which does not concern the other one")


def newest(place, caller, event_type):
    """How many events of this type are in the chain of the caller's organization."""
    return place.must(200, "GET", "/orgs/%s/events?eventType=%s" % (caller.home, event_type), caller=caller)["totalCount"]


def test_nobody_decides_for_others(suite, place):
    """S7: owners of one organization cannot turn a provider that another one uses into one that lets in whom they like."""
    both = (place.owner, place.elsewhere)
    took = [newest(place, one, "IDENTITY_PROVIDER_CHANGED") for one in both]
    for change in ({"issuerUri": "https://evil.example.org"}, {"audience": "other"}, {"clientId": "other"}, {"userClaim": "sub"},
                   {"groupsClaim": "roles"}, {"authorizationType": "USER"}, {"status": "INACTIVE"}, {"associatedDomains": []},
                   {"issuerUri": "https://evil.example.org", "displayName": "as before"}):
        for who, other in (both, both[::-1]):
            answer = place.ask("PATCH", place.path, {"protocol": "OIDC", **change}, who)
            suite.equal((answer.status, answer.code()), (409, "IDENTITY_PROVIDER_IS_SHARED"), "S7: %r" % change)
            suite.check(other.home in answer.json()["detail"], "S7: the answer says who has to agree: %r", answer)
    suite.equal([newest(place, one, "IDENTITY_PROVIDER_CHANGED") for one in both], took, "S7: events of what was refused")
    place.must(200, "PATCH", place.path, {"protocol": "OIDC", "displayName": "Both of us"})
    suite.equal([newest(place, one, "IDENTITY_PROVIDER_CHANGED") for one in both], [count + 1 for count in took],
                "S7: a change is in the chain of each organization that uses the provider")
    third = place.world.make_caller("Third")
    no_limits([third.home])
    place.operator("connect", third.home, place.owner.home)
    answer = place.ask("DELETE", place.path + "/jwks", None, third)
    suite.equal((answer.status, answer.code()), (409, "IDENTITY_PROVIDER_IS_SHARED"), "S7: keys forgotten by who does not use them")
    revoked = [newest(place, one, "IDENTITY_PROVIDER_JWKS_REVOKED") for one in both]
    place.must(204, "DELETE", place.path + "/jwks", caller=place.elsewhere)
    suite.equal([newest(place, one, "IDENTITY_PROVIDER_JWKS_REVOKED") for one in both], [count + 1 for count in revoked],
                "S7: keys that were forgotten are in each chain")
    place.wait_for_keys()


def main():
    ends_on_signal()
    suite = Suite("federation")
    folder = tempfile.mkdtemp(prefix="federation.", dir=os.environ.get("REEVE_TEST_DIR"))
    provider = IdentityProvider(folder)
    with start_node(workers=1, settings={"egress_allow": "127.0.0.1/32", "egress_ca": provider.certificate}) as node, standing(node, provider) as place:
        for test in (test_before_connection, test_last_sign_in, test_named_person, test_who_comes_in, test_forged, test_confined, test_roles, test_client, test_ends, test_keys, test_shared):
            test(suite, place, provider)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
