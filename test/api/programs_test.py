# SPDX-License-Identifier: Apache-2.0
"""Programs that show a token of a provider (a job of CI, a pod) instead of a service account's secret: which tokens stand for an account, which do not, and what
ends it. The provider is that of federation_test.py."""
import base64
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse

from client import Bearer, wait_until
from federation_test import AUDIENCE, IdentityProvider, claims_of, encode, standing
from suite import Suite, ends_on_signal
from world import BUILD, PREFIX, ROOT, sql, start_node

JOBS, SUBJECT = "urn:jobs", "repo:example/shop:ref:refs/heads/main"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Programs:
    def __init__(self, place, provider):
        self.place, self.provider = place, provider
        self.idp = self.make_provider("CI")
        self.path = "%s/identityProviders/%s" % (place.settings, self.idp)
        self.account = self.make_account(place.owner, [self.trust(SUBJECT)])
        self.client_id = self.account["clientId"]
        self.account_path = "/orgs/%s/serviceAccounts/%s" % (place.owner.home, self.client_id)
        wait_until(lambda: place.must(200, "GET", self.path)["keyIds"], 60)

    def make_provider(self, name, **more):
        return self.place.must(200, "POST", self.place.settings + "/identityProviders", {
            "idpType": "WORKLOAD", "displayName": name, "issuerUri": self.provider.issuer, "audience": JOBS, **more})["id"]

    def trust(self, subject, provider=None):
        return {"identityProviderId": provider or self.idp, "subject": subject}

    def make_account(self, caller, trusted):
        return self.place.must(201, "POST", "/orgs/%s/serviceAccounts" % caller.home, {
            "name": "deployer", "description": "Jobs", "roles": ["ORG_READ_ONLY"], "secretExpiresAfterHours": 8, "trustedIdentities": trusted}, caller)

    def sign(self, **claims):
        return self.provider.sign({"aud": JOBS, "sub": SUBJECT, **claims})

    def exchange(self, token, client_id=None, **more):
        """(status, document) of the token endpoint."""
        form = {"grant_type": "client_credentials", "client_id": client_id or self.client_id, "client_assertion_type": ASSERTION, "client_assertion": token, **more}
        return self.post({name: value for name, value in form.items() if value is not None})

    def post(self, form, headers=()):
        answer = self.place.connection.send_once("POST", "/api/oauth/token", [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"),
                                                                               *headers], urllib.parse.urlencode(form).encode())
        return answer.status, answer.json()

    def is_let_in(self, token, **more):
        return self.exchange(token, **more)[0] == 200

    def update(self, trusted, status=200):
        return self.place.must(status, "PATCH", self.account_path, {"trustedIdentities": trusted})

    def status(self, access_token, path):
        return self.place.connection.ask("GET", PREFIX + path, Bearer(access_token)).status


def test_let_in(suite, programs):
    place = programs.place
    suite.equal(place.must(200, "GET", programs.path)["userClaim"], "sub", "the claim that names a program")
    suite.equal(programs.account["trustedIdentities"], [programs.trust(SUBJECT)], "whom the account trusts")
    for kid in ("one", "two"):
        status, document = programs.exchange(programs.provider.sign({"aud": JOBS, "sub": SUBJECT}, kid=kid))
        suite.equal((status, document.get("token_type")), (200, "Bearer"), "a job's token, signed by %s: %r" % (kid, document))
    token = document["access_token"]
    suite.equal(programs.status(token, "/orgs/%s" % place.owner.home), 200, "what the account may read")
    suite.equal(programs.status(token, "/orgs/%s" % place.elsewhere.home), 401, "another organization")
    suite.equal(place.connection.ask("PATCH", PREFIX + "/orgs/%s" % place.owner.home, Bearer(token), {"name": "x"}).status, 403, "more than its role")
    suite.equal([one["orgId"] for one in place.must(200, "GET", programs.path)["associatedOrgs"]], [place.owner.home], "organizations that use it")
    answer = place.connection.send_once("POST", "/api/oauth/revoke", [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
                                        urllib.parse.urlencode({"client_id": programs.client_id, "client_assertion_type": ASSERTION,
                                                                "client_assertion": programs.sign(), "token": token}).encode())
    suite.equal((answer.status, programs.status(token, "/orgs/%s" % place.owner.home)), (200, 401), "a program gives its token back")
    listed = [one for one in place.must(200, "GET", "/orgs/%s/serviceAccounts" % place.owner.home)["results"] if one["clientId"] == programs.client_id]
    suite.equal([one["trustedIdentities"] for one in listed], [[programs.trust(SUBJECT)]], "the account in the list")


def test_refused(suite, programs):
    place, provider, now = programs.place, programs.provider, int(time.time())
    good = programs.sign()
    head, body, signature = good.split(".")
    other = programs.make_account(place.owner, [])["clientId"]
    changed = "%s.%s.%s" % (head, encode({**claims_of(good), "jti": "x"}), signature)
    for what, token in (
            ("another subject", programs.sign(sub=SUBJECT + "2")), ("the beginning of the subject", programs.sign(sub=SUBJECT[:-1])),
            ("the subject in another case", programs.sign(sub=SUBJECT.upper())), ("no subject", programs.sign(sub=None)), ("subjects", programs.sign(sub=[SUBJECT])),
            ("an empty subject", programs.sign(sub="")), ("the subject elsewhere", programs.sign(sub=None, email=SUBJECT)),
            ("another audience", programs.sign(aud=AUDIENCE)), ("no audience", programs.sign(aud=None)), ("another issuer", programs.sign(iss="https://issuer.example")),
            ("the end passed", programs.sign(exp=now - 61)), ("no end", programs.sign(exp=None)),
            ("no beginning", programs.sign(iat=None)), ("not yet valid", programs.sign(nbf=now + 300)), ("issued in the future", programs.sign(iat=now + 300)),
            ("alg none", "%s.%s." % (encode({"alg": "none"}), body)), ("alg HS256", "%s.%s.%s" % (encode({"alg": "HS256", "kid": "one"}), body, signature)),
            ("changed", changed), ("no signature", "%s.%s." % (head, body)), ("a key that nobody knows", "%s.%s.%s" % (encode({"alg": "RS256", "kid": "x"}), body, signature)),
            ("a person's", provider.token("ada@federated.example")), ("no token at all", "x"), ("dots", ".."), ("long", "a." * 3000)):
        status, document = programs.exchange(token)
        suite.equal((status, document.get("error")), (401, "invalid_client"), "a token with %s" % what)
    for what, client_id in (("an account that trusts nobody", other), ("nobody", "reeve_sa_" + "0" * 24), ("a key", place.owner.public_key), ("the owner's account", place.owner.client_id),
                            ("another organization's account", place.elsewhere.client_id)):
        suite.equal(programs.exchange(good, client_id)[1].get("error"), "invalid_client", "the right token for %s" % what)
    for what, more in (("a secret beside it", {"client_secret": "x"}), ("another type", {"client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"}),
                       ("no type", {"client_assertion_type": None}), ("a type alone", {"client_assertion": None})):
        status, document = programs.exchange(good, **more)
        suite.equal((status, document.get("error")), (400, "invalid_request"), "%s: %r" % (what, document))
    basic = ("Authorization", "Basic " + base64.b64encode(("%s:%s" % (place.owner.client_id, place.owner.client_secret)).encode()).decode())
    form = {"grant_type": "client_credentials", "client_assertion_type": ASSERTION, "client_assertion": good}
    suite.equal(programs.post(form, [basic])[1].get("error"), "invalid_request", "a token beside a header")
    suite.equal(place.get(programs.sign(email="ada@federated.example"))[:2], (401, "INVALID_CREDENTIALS"), "a program's token instead of a person's")
    suite.equal(programs.is_let_in(good), True, "the one that all these were made of")


def test_settings(suite, programs):
    place = programs.place
    foreign = place.must(200, "POST", "/federationSettings/%s/identityProviders" % place.must(200, "GET", "/orgs/%s/federationSettings" % place.elsewhere.home, caller=place.elsewhere)["id"], {
        "idpType": "WORKLOAD", "displayName": "Theirs", "issuerUri": programs.provider.issuer, "audience": JOBS}, place.elsewhere)["id"]
    for what, trusted in (("people's provider", [programs.trust(SUBJECT, place.idp)]), ("another federation's", [programs.trust(SUBJECT, foreign)]),
                          ("none", [programs.trust(SUBJECT, "0" * 24)]), ("one of two is none", [programs.trust("x"), programs.trust(SUBJECT, "0" * 24)]),
                          ("eleven", [programs.trust(str(number)) for number in range(11)]), ("no subject", [{"identityProviderId": programs.idp}]), ("an empty one", [programs.trust("")])):
        answer = place.ask("PATCH", programs.account_path, {"trustedIdentities": trusted}, place.owner)
        suite.equal((answer.status, "trustedIdentities" in answer.json()["detail"]), (400, True), "%s: %s" % (what, answer.json()["detail"]))
    suite.equal(place.must(200, "GET", programs.account_path)["trustedIdentities"], [programs.trust(SUBJECT)], "nothing of what was refused is kept")
    for what, path, change in (("an organization signs in with it", place.config, {"identityProviderId": programs.idp}), ("it becomes one for people", programs.path, {"idpType": "WORKFORCE"}),
                               ("people's becomes one for programs", place.path, {"idpType": "WORKLOAD"})):
        suite.equal(place.ask("PATCH", path, change, place.owner).status, 400, what)
    answer = place.ask("POST", place.settings + "/identityProviders", {"protocol": "SAML", "idpType": "WORKLOAD", "displayName": "x", "issuerUri": "x"}, place.owner)
    suite.equal(answer.status, 400, "SAML for programs")
    answer = place.ask("DELETE", programs.path, None, place.owner)
    suite.equal((answer.status, answer.code()), (409, "IDENTITY_PROVIDER_IN_USE"), "one that is in use is deleted")
    for asked, wanted in (("WORKLOAD", [programs.idp]), ("WORKFORCE", [place.idp])):
        listed = place.must(200, "GET", place.settings + "/identityProviders?idpType=" + asked)["results"]
        suite.equal([one["id"] for one in listed], wanted, "those of type " + asked)
    # A project's owner gives nobody more than the account has beyond the project.
    suite.equal(programs.update([programs.trust("a"), programs.trust("b"), programs.trust("a")])["trustedIdentities"], [programs.trust("a"), programs.trust("b")], "two programs")
    suite.equal([programs.is_let_in(programs.sign(sub=sub)) for sub in ("a", "b", SUBJECT)], [True, True, False], "who comes as the account now")
    place.must(200, "PATCH", programs.account_path, {"description": "Other jobs"})
    suite.equal(programs.update([programs.trust(SUBJECT)])["trustedIdentities"], [programs.trust(SUBJECT)], "one again")


def test_command_line(suite, programs):
    """`reeve` with the token of a file instead of a secret."""
    path = os.path.join(programs.provider.folder, "token")
    with open(path, "w", encoding="ascii") as file:
        file.write(programs.sign() + "\n")

    def reeve(*words, **more):
        environment = {"PATH": os.environ["PATH"], "HOME": programs.provider.folder, "REEVE_SERVER": programs.place.node.base_url, "REEVE_CA_FILE": programs.place.node.ca, "REEVE_CLIENT_ID": programs.client_id,
                       "REEVE_CLIENT_TOKEN_FILE": path, **more}
        return subprocess.run([os.path.join(ROOT, BUILD, "reeve"), *words], env=environment, capture_output=True, text=True)
    ended = reeve("organizations", "list", "--output", "json")
    suite.check(ended.returncode == 0 and programs.place.owner.home in ended.stdout, "what the account may see: %r", ended)
    ended = reeve("organizations", "list", REEVE_CLIENT_TOKEN_FILE=path + ".x")
    suite.check(ended.returncode == 2 and "REEVE_CLIENT_TOKEN_FILE" in ended.stderr and "No such file" in ended.stderr, "a file that is not there: %r", ended)
    with open(path, "w", encoding="ascii") as file:
        file.write(programs.sign(sub="x"))
    ended = reeve("organizations", "list")
    suite.check(ended.returncode == 1 and "trustedIdentities" in ended.stderr, "a token that nobody trusts: %r", ended)


def test_ends(suite, programs):
    place, good = programs.place, programs.sign()
    for what, path, off, on in (
            ("the provider is switched off", programs.path, {"status": "INACTIVE"}, {"status": "ACTIVE"}),
            ("the audience is another one", programs.path, {"audience": "urn:x"}, {"audience": JOBS}),
            ("another claim names it", programs.path, {"userClaim": "job"}, {"userClaim": "sub"}),
            ("another client's tokens are taken only", programs.path, {"clientId": "x"}, {"clientId": None}),
            ("the account trusts nobody", programs.account_path, {"trustedIdentities": []}, {"trustedIdentities": [programs.trust(SUBJECT)]})):
        place.must(200, "PATCH", path, off)
        suite.equal(programs.is_let_in(good), False, "while %s" % what)
        place.must(200, "PATCH", path, on)
        wait_until(lambda: programs.is_let_in(good), 30)  # keys of a provider that changed may be fetched once more
    place.must(200, "POST", programs.account_path + "/accessList", [{"ipAddress": "203.0.113.7"}])
    suite.equal(programs.is_let_in(good), False, "from an address that is not on the account's list")
    place.must(204, "DELETE", programs.account_path + "/accessList/203.0.113.7")
    suite.equal(programs.is_let_in(good), True, "from anywhere again")
    place.must(204, "DELETE", programs.path + "/jwks")
    wait_until(lambda: programs.is_let_in(good), 30)


def test_new_key(suite, programs):
    provider = programs.provider
    wait_until(lambda: sql("SELECT bool_and(keys_failures = 0 AND keys_due_at > now()) FROM identity_provider WHERE protocol = 'OIDC' AND status = 'ACTIVE'") == "t", 60)
    sql("UPDATE identity_provider SET keys_due_at = now() + interval '1 hour', keys_tried_at = now() - interval '1 minute'")
    provider.start(provider.make_keys("three:RSA"))
    unknown = "SELECT keys_due_at > now() + interval '1 minute' FROM identity_provider WHERE id = decode('%s', 'hex')" % programs.idp
    programs.exchange(programs.sign(sub="nobody"))
    suite.equal(sql(unknown), "t", "a token that names nobody here has no keys fetched")
    wait_until(lambda: programs.is_let_in(programs.sign()), 60)
    suite.check(True, "a new key of the provider")


def test_shared(suite, programs):
    """Another organization of the federation lets its own programs in; nobody decides for it, and it takes nothing along when it leaves."""
    place = programs.place
    foreign = place.must(200, "GET", "/orgs/%s/federationSettings" % place.elsewhere.home, caller=place.elsewhere)["id"]
    for one in place.must(200, "GET", "/federationSettings/%s/identityProviders" % foreign, caller=place.elsewhere)["results"]:
        place.must(204, "DELETE", "/federationSettings/%s/identityProviders/%s" % (foreign, one["id"]), caller=place.elsewhere)
    place.operator("connect", place.elsewhere.home, place.owner.home)
    account = programs.make_account(place.elsewhere, [programs.trust(SUBJECT)])
    token = programs.exchange(programs.sign(), account["clientId"])[1]["access_token"]
    suite.equal((programs.status(token, "/orgs/%s" % place.elsewhere.home), programs.status(token, "/orgs/%s" % place.owner.home)), (200, 401), "what the other one's account opens")
    for change in ({"issuerUri": "https://evil.example.org"}, {"audience": "x"}, {"userClaim": "email"}, {"clientId": "x"}, {"status": "INACTIVE"}):
        for who in (place.owner, place.elsewhere):
            suite.equal(place.ask("PATCH", programs.path, change, who).code(), "IDENTITY_PROVIDER_IS_SHARED", "%r is changed for the other one" % change)
    place.must(204, "DELETE", "%s/connectedOrgConfigs/%s" % (place.settings, place.elsewhere.home), caller=place.elsewhere)
    suite.equal(programs.exchange(programs.sign(), account["clientId"])[0], 401, "after it has left")
    suite.equal(place.must(200, "GET", "/orgs/%s/serviceAccounts/%s" % (place.elsewhere.home, account["clientId"]), caller=place.elsewhere)["trustedIdentities"], [], "whom it trusts then")
    place.must(200, "PATCH", programs.path, {"displayName": "CI alone"})
    suite.equal(programs.is_let_in(programs.sign()), True, "which does not concern the first one")


def main():
    ends_on_signal()
    suite = Suite("programs")
    folder = tempfile.mkdtemp(prefix="programs.", dir=os.environ.get("REEVE_TEST_DIR"))
    provider = IdentityProvider(folder)
    with start_node(workers=1, settings={"egress_allow": "127.0.0.1/32", "egress_ca": provider.certificate}) as node, standing(node, provider) as place:
        programs = Programs(place, provider)
        for test in (test_let_in, test_command_line, test_refused, test_settings, test_ends, test_new_key, test_shared):
            test(suite, programs)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
