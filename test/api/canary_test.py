# SPDX-License-Identifier: Apache-2.0
"""Looks for secrets where none may be.

Every secret that the service gives out is noted as it is answered; requests that are wrong in every way that might make
somebody quote them are sent with each; then everything that is written down anywhere is searched for each secret, as it is and
encoded. Each may be in the one answer that shows it, and in repetitions of that answer for the same Idempotency-Key.

Secrets that the service makes begin with a prefix, so that it can leave them out of what it logs and quotes, wherever a client
put them by mistake: these are sent everywhere. The others (values of Authorization, H(A1), the master key) look like any
other text; they are sent where secrets belong and in values, but not as names or in paths, which errors quote on purpose.

Keys that never leave the service cannot be noted. For those every window of 32 bytes of what was written is tried: one that
signs a token, or makes the stored MAC of a known secret, is a key that lies open.

What is searched: log and standard error of the nodes, the log of PostgreSQL with all statements and their parameters, a full
dump, all keys and values of Redis, its file and every command that it got, /metrics, command lines and environments of the
processes, and every answer. That the search finds things is tried with text that is not secret and must be found.
"""
import base64
import glob
import hashlib
import hmac
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from urllib.parse import quote

from client import Answer, Bearer, Broken, Digest, Literal
from suite import Suite, ends_on_signal
from world import MASTER_KEY, PREFIX, bootstrap, catalog, connect, no_limits, sql, start_node

CONTROL = "controlCanaryThatIsNoSecret"
ACCOUNT = {"name": "canary", "description": CONTROL, "secretExpiresAfterHours": 8}
SHOWN = re.compile(r"^(clientSecret|privateKey|secret|access_token)$")


# ---- Forms in which a secret may be written ----
def base64_forms(raw):
    """What every base64 of a text that contains this one contains, wherever it begins."""
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + raw).decode()
        first, last = (0, 2, 3)[shift], (len(raw) + shift) * 8 // 6
        yield text[first:last]
        yield text[first:last].replace("+", "-").replace("/", "_")


def forms_of(raw):
    forms = {raw, raw.hex().encode(), raw.hex().upper().encode(), raw[::-1]}
    forms |= {form.encode() for form in base64_forms(raw)}
    forms.add(base64.b32encode(raw).rstrip(b"="))
    forms.add(quote(raw, safe="").encode())
    forms.add("".join("%%%02X" % byte for byte in raw).encode())
    forms.add("".join("%%%02x" % byte for byte in raw).encode())
    return {form for form in forms if len(form) >= 12}


class Secrets:
    """Every secret with a sentence that says what it is."""

    def __init__(self):
        self.known = {}

    def add(self, what, value):
        raw = value if isinstance(value, bytes) else value.encode()
        self.known.setdefault(raw, what)

    def note(self, document, what):
        """Takes everything that the contract calls a secret out of an answer."""
        if isinstance(document, list):
            for one in document:
                self.note(one, what)
        elif isinstance(document, dict):
            for name, value in document.items():
                if isinstance(value, str) and SHOWN.match(name) and "…" not in value:
                    self.add("%s of %s" % (name, what), value)
                else:
                    self.note(value, what)


class Test:
    def __init__(self, suite, node):
        self.suite, self.node = suite, node
        self.secrets = Secrets()
        self.answers = []  # (what was asked, status, bytes of the whole answer, shows a secret on purpose)
        self.sent = 0

    # ---- Asking, with everything that comes back kept ----
    def keep(self, answer, shows=False):
        head = "\n".join("%s: %s" % (name, value) for name, values in answer.all_headers.items() for value in values)
        self.answers.append(("%s %s" % (answer.method, answer.target), answer.status, head.encode("latin-1") + b"\n" + answer.body, shows))
        return answer

    def ask(self, connection, method, target, auth=None, body=None, headers=(), shows=False, status=None, what=""):
        self.sent += 1
        answer = self.keep(connection.ask(method, target, auth, body, headers), shows)
        if status == 201 and "dryRun=true" in target:
            status = 200  # nothing was made
        if status is not None and answer.status != status:
            raise AssertionError("%d expected: %r" % (status, answer))
        if shows:
            self.secrets.note(answer.json(), what or target)
        return answer

    def fetch_token(self, connection, client_id, secret, what):
        basic = base64.b64encode(("%s:%s" % (client_id, secret)).encode()).decode()
        self.secrets.add("Authorization for the token of " + what, basic)
        answer = self.keep(connection._client_form("/api/oauth/token", client_id, secret, "grant_type=client_credentials"), True)
        if answer.status != 200:
            raise AssertionError("no token: %r" % answer)
        self.secrets.note(answer.json(), "a token of " + what)
        return answer.json()["access_token"]

    # ---- Every way to get a secret ----
    def make_secrets(self, owner):
        """One secret at least of every operation that gives one out, with and without Idempotency-Key, and by dry runs."""
        with connect(self.node) as connection:
            token = self.fetch_token(connection, owner.client_id, owner.client_secret, "the first account")
            auth, org = Bearer(token), PREFIX + "/orgs/" + owner.home
            project = self.ask(connection, "POST", PREFIX + "/groups", auth, {"name": CONTROL, "orgId": owner.home}, status=201).json()["id"]
            group = PREFIX + "/groups/" + project
            for query, headers in (("", {}), ("", {"Idempotency-Key": "canary"}), ("?dryRun=true", {}), ("?envelope=true", {})):
                made = self.ask(connection, "POST", org + "/serviceAccounts" + query, auth, dict(ACCOUNT, roles=["ORG_MEMBER"]), headers, True, 201).json()
                self.ask(connection, "POST", group + "/serviceAccounts" + query, auth, dict(ACCOUNT, roles=["GROUP_READ_ONLY"]), key(headers, 1), True, 201)
                self.ask(connection, "POST", org + "/apiKeys" + query, auth, {"desc": CONTROL, "roles": ["ORG_MEMBER"]}, key(headers, 2), True, 200)
                self.ask(connection, "POST", group + "/apiKeys" + query, auth, {"desc": CONTROL, "roles": ["GROUP_READ_ONLY"]}, key(headers, 3), True, 200)
                if not query:
                    for number, base in enumerate((org, group)):
                        account = self.ask(connection, "POST", base + "/serviceAccounts", auth, dict(
                            ACCOUNT, roles=["ORG_MEMBER" if base == org else "GROUP_READ_ONLY"]), shows=True, status=201).json()["clientId"]
                        self.ask(connection, "POST", "%s/serviceAccounts/%s/secrets" % (base, account), auth,
                                 {"secretExpiresAfterHours": 8}, key(headers, 4 + number), True, 201)
                new = {"name": "canary", "apiKey": {"desc": CONTROL, "roles": ["ORG_OWNER"]}, "serviceAccount": dict(ACCOUNT, roles=["ORG_OWNER"])}
                organization = self.ask(connection, "POST", PREFIX + "/orgs" + query, auth, new, key(headers, 6), True, 201).json()
            # The same again, for the same key: the answer comes out of the database.
            again = self.ask(connection, "POST", org + "/serviceAccounts", auth, dict(ACCOUNT, roles=["ORG_MEMBER"]), {"Idempotency-Key": "canary"}, True, 201)
            self.suite.check(again.headers.get("idempotency-replayed") == "true", "the answer was not repeated: %r", again)
            made = organization.get("content", organization)
            other = self.fetch_token(connection, made["serviceAccount"]["clientId"], made["serviceAccount"]["clientSecret"], "a new organization")
            revoked = self.fetch_token(connection, owner.client_id, owner.client_secret, "the first account, revoked")
            self.keep(connection._client_form("/api/oauth/revoke", owner.client_id, owner.client_secret, "token=" + revoked))
            self.use_digest(connection, owner)
            self.use_passwords(connection, auth, group)
        self.use_operator()
        return token, other, project

    def use_operator(self):
        """The token of an operator is printed once, and a join token that it makes is in one answer; wherever else they are sent, they stay out."""
        token = json.loads(self.node.run("operator", "add", "canary", "--json").stdout)["token"]
        self.secrets.add("the token of an operator", token)

        def ask(method, path, body=None, headers=(), shows=False, authorization="Bearer " + token):
            self.sent += 1
            connection = http.client.HTTPConnection("127.0.0.1", self.node.operator_port, timeout=20)
            connection.request(method, "/operator/v1" + path, None if body is None else json.dumps(body),
                               {"Authorization": authorization, "Content-Type": "application/json", **dict(headers)})
            came = connection.getresponse()
            answer = self.keep(Answer(method, path, came.status, came.reason, [(name.lower(), value) for name, value in came.getheaders()], came.read()), shows)
            connection.close()
            return answer
        self.node.run("fleet", "init")
        for name in ("CANARY", CONTROL):
            ask("POST", "/providers", {"name": name})
        ask("POST", "/regions", {"provider": "CANARY", "name": "EU"})
        for headers in ({}, {"Idempotency-Key": "canary-join"}, {"Idempotency-Key": "canary-join"}):
            made = ask("POST", "/tokens", {"host": CONTROL, "provider": "CANARY", "region": "EU"}, headers, True)
            if made.status != 201:
                raise AssertionError("no join token: %r" % made)
            self.secrets.add("a join token", made.json()["token"].partition(":")[0])
        for secret in (token, made.json()["token"].partition(":")[0]):
            for method, path, body, headers in (("GET", "/hosts/" + secret, None, ()), ("GET", "/jobs?state=" + secret, None, ()), ("GET", "/%s/x" % secret, None, ()),
                                                ("POST", "/providers", {"name": secret}, ()), ("POST", "/providers", {secret: 1}, ()), ("POST", "/addresses", {"host": secret, "range": secret}, ()),
                                                ("POST", "/hosts/%s:drain" % secret, None, ()), ("DELETE", "/addresses/h/" + secret, None, ()),
                                                ("POST", "/providers", {"name": "X"}, {"If-Match": secret}), ("GET", "/hosts", None, {"Accept": secret})):
                ask(method, path, body, headers)
            ask("GET", "/hosts", authorization=secret)
            ask("GET", "/hosts", authorization="Bearer x" + secret)

    def use_passwords(self, connection, auth, group):
        """Secrets that clients choose are in no answer at all; the key of a certificate is in one."""
        roles = [{"roleName": "read", "databaseName": "shop"}]

        def secret(what):
            text = base64.b64encode(os.urandom(18)).decode()
            self.secrets.add(what, text)
            return text
        for number, (query, headers) in enumerate((("", {}), ("", {"Idempotency-Key": "canary-user"}), ("?dryRun=true", {}), ("?envelope=true", {}))):
            user = {"username": "canary%d" % number, "password": secret("a password of a database user"), "roles": roles, "description": CONTROL}
            made = self.ask(connection, "POST", group + "/databaseUsers" + query, auth, user, headers, status=201)
            if headers:
                made = self.ask(connection, "POST", group + "/databaseUsers" + query, auth, user, headers, status=201)
                self.suite.check(made.headers.get("idempotency-replayed") == "true", "the answer was not repeated: %r", made)
        path = group + "/databaseUsers/admin/canary0"
        self.ask(connection, "PATCH", path, auth, {"password": secret("a changed password")}, status=200)
        for body in ({"password": [secret("a password in a list")]}, {"password": secret("a password beside a mistake"), "nothing": 1},
                     {"password": secret("a password that is too long") * 20}, {"password": secret("a password with an accent") + "é"},
                     {"password": secret("a password with wrong roles"), "roles": [{"roleName": "none", "databaseName": "admin"}]}):
            self.ask(connection, "PATCH", path, auth, body, status=400)
            self.ask(connection, "POST", group + "/databaseUsers", auth, dict({"username": "wrong", "roles": roles}, **body), status=400)
        directory = {"hostname": "ldap.example.org", "bindUsername": "cn=" + CONTROL}
        self.ask(connection, "PATCH", group + "/userSecurity", auth, {"ldap": dict(
            directory, bindPassword=secret("a bind password"), authenticationEnabled=True,
            userToDNMapping=[{"match": "(.+)", "ldapQuery": "dc=example,dc=org??sub?(uid={0})"}])}, status=202)
        self.ask(connection, "POST", group + "/userSecurity/ldap/verify", auth, dict(directory, bindPassword=secret("a bind password to be checked")), status=200)
        self.ask(connection, "POST", group + "/databaseUsers", auth, {
            "username": "CN=canary", "databaseName": "$external", "x509Type": "MANAGED", "roles": roles}, status=201)
        for headers in ({}, {"Idempotency-Key": "canary-certificate"}):
            made = self.ask(connection, "POST", group + "/databaseUsers/CN=canary/certs", auth, {}, headers, True, 201).json()
            body = "".join(made["privateKey"].splitlines()[1:-1])
            self.secrets.add("a private key of a certificate, its body", body)
            self.secrets.add("a private key of a certificate, its number", base64.b64decode(body)[36:68])

    def use_digest(self, connection, owner):
        """H(A1) is as good as the private key, so it counts as a secret, and so does every response made with it."""
        for algorithm, function in (("SHA-256", hashlib.sha256), ("MD5", hashlib.md5)):
            a1 = function(("%s:reeve:%s" % (owner.public_key, owner.private_key)).encode())
            self.secrets.add("H(A1) by " + algorithm, a1.hexdigest())
            self.secrets.add("H(A1) by %s, bytes" % algorithm, a1.digest())
            digest = Digest(owner.public_key, owner.private_key, algorithm)
            for _ in range(3):
                self.ask(connection, "GET", PREFIX + "/orgs/" + owner.home, digest, status=None)
            header = digest.header("GET", PREFIX + "/orgs/" + owner.home)
            self.secrets.add("a Digest response by " + algorithm, re.search(r'response="(\w+)"', header).group(1))
            self.ask(connection, "GET", PREFIX + "/orgs/" + owner.home, Literal(header), status=200)
            self.ask(connection, "GET", PREFIX + "/orgs/" + owner.home, Literal(header))  # once more: refused

    # ---- Everything wrong ----
    def wrong_requests(self, text, client_id, token, org, project):
        """(method, target, Authorization, body, headers)"""
        good, escaped = Bearer(token), quote(text, safe="")
        basic = base64.b64encode(("%s:%s" % (client_id, text)).encode()).decode()
        as_digest = 'Digest username="%s", realm="reeve", nonce="%s", uri="/", algorithm=SHA-256, qop=auth, nc=00000001, cnonce="%s", response="%s"'
        root = PREFIX + "/groups"
        for header in ("Bearer " + text, "Bearer " + text + "x", "bearer  " + text, "Basic " + basic, "Basic " + text, text, "Token " + text,
                       "Digest " + text, as_digest % (text, text, text, text), "Bearer " + text + "," + text):
            yield "GET", PREFIX + "/orgs/" + org, Literal(header), None, {}
        yield from self.wrong_anywhere(text, escaped, client_id, good, org, project, root) if text.startswith("reeve_") else ()
        for body in ({"name": text, "orgId": text}, {"name": text + "\n", "orgId": org}, {"name": [text], "orgId": org},
                     ('{"name": "%s' % text).encode(), text.encode(), [text], {"orgId": org, "name": "x", "tags": [{"key": text * 20, "value": "v"}]}):
            yield "POST", root, good, body, {}
            yield "PATCH", root + "/" + project, good, body, {}
        yield "POST", PREFIX + "/orgs/%s/serviceAccounts" % org, good, dict(ACCOUNT, roles=[text]), {}
        yield "POST", PREFIX + "/orgs/%s/serviceAccounts/%s/accessList" % (org, client_id), good, [{"cidrBlock": text}], {}
        for query in ("pretty=", "itemsPerPage=", "access_token=", "pageNum=1&pageNum=", "dryRun=", "name="):
            for method in ("GET", "POST"):
                yield method, root + "?" + query + escaped, good, {"name": "x"} if method == "POST" else None, {}
        for headers in ({"If-Match": text}, {"Idempotency-Key": text + " " + text}, {"X-Request-Id": text}, {"X-Forwarded-For": text},
                        {"Cookie": "session=" + text}, {"Content-Encoding": text}, {"Expect": text}, {"Transfer-Encoding": text}):
            yield "POST", root, good, {"name": "refused\n", "orgId": org}, headers
        for form in ("grant_type=" + escaped, "grant_type=client_credentials&client_id=%s&client_secret=%sx" % (client_id, escaped),
                     "token=" + escaped, "grant_type=client_credentials&client_id=%s&client_secret=x" % escaped, escaped + "=1&" + escaped + "=2"):
            for path in ("/api/oauth/token", "/api/oauth/revoke"):
                yield "POST", path, None, form.encode(), {"Content-Type": "application/x-www-form-urlencoded"}
                yield "POST", path + "?client_secret=" + escaped, Literal("Basic " + basic + "x"), form.encode(), {"Content-Type": "application/x-www-form-urlencoded"}

    @staticmethod
    def wrong_anywhere(text, escaped, client_id, good, org, project, root):
        """In paths, in names, and in headers that errors quote."""
        for path in (root + "/" + escaped, PREFIX + "/orgs/" + escaped, PREFIX + "/" + escaped, "/" + escaped, root + "/byName/" + escaped,
                     PREFIX + "/orgs/%s/serviceAccounts/%s" % (org, escaped), PREFIX + "/orgs/%s/apiKeys/%s" % (org, escaped),
                     PREFIX + "/rateLimits/" + escaped, root + "/" + project + "/" + escaped, "/api/oauth/" + escaped,
                     PREFIX + "/orgs/%s/serviceAccounts/%s/secrets/%s" % (org, client_id, escaped),
                     root + "/" + "".join("%%%02X" % byte for byte in text.encode())):
            for method in ("GET", "DELETE", "PATCH"):
                yield method, path, good, {} if method == "PATCH" else None, {}
        yield "GET", PREFIX + "/orgs?name=" + escaped, good, None, {}
        for query in (escaped + "=1", "pretty=true&" + escaped):
            yield "GET", root + "?" + query, good, None, {}
            yield "POST", root + "?" + query, good, {"name": "x"}, {}
        for body in ({text: 1}, ('{"%s": 1, "%s": 2}' % (text, text)).encode(), {"orgId": org, "name": "x", text: {text: text}},
                     {"name": "x", "orgId": org, "tags": [{text: 1}]}):
            yield "POST", root, good, body, {}
            yield "PATCH", root + "/" + project, good, body, {}
        for headers in ({"Content-Type": text}, {"Content-Type": "text/plain; x=" + text}, {"Accept": text},
                        {"Accept": "application/vnd.svc.%s+json" % text}):
            yield "POST", root, good, {"name": "refused\n", "orgId": org}, headers
        yield text, root, good, None, {}

    def send_wrong(self, token, owner, project):
        # As they were before: what follows makes no more.
        texts = [raw.decode() for raw in list(self.secrets.known) if all(32 < byte < 127 for byte in raw)]
        broken = 0
        for text in texts:
            with connect(self.node) as connection:
                for method, target, auth, body, headers in self.wrong_requests(text, owner.client_id, token, owner.home, project):
                    try:
                        self.ask(connection, method, target, auth, body, headers)
                    except (Broken, OSError, ValueError):
                        broken += 1
            self.send_raw(text)
        return len(texts), broken

    def send_raw(self, text):
        """What nginx itself refuses, and what it gets without TLS."""
        messages = ["GET /%s HTTP/9.9\r\n\r\n", "GET %s HTTP/1.1\r\n\r\n", "%s\r\n\r\n", "GET / HTTP/1.1\r\nHost: %s\r\nHost: %s\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nAuthorization: Bearer %s\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %s\r\n\r\n",
                    "GET /%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + "%s" * 400 + "\r\n\r\n"]
        if not text.startswith("reeve_"):
            messages = [message for message in messages if "Authorization" in message and "/%s" not in message]
        for message in messages:
            whole = message.replace("%s", text).encode()
            for opened in (self.node.connect, lambda: socket.create_connection(("127.0.0.1", self.node.port), 10)):
                try:
                    with opened() as raw:
                        raw.sendall(whole)
                        raw.settimeout(1.5)
                        got = b""
                        while True:
                            piece = raw.recv(65536)
                            if not piece:
                                break
                            got += piece
                except OSError:
                    pass
                self.sent += 1
                if got:
                    self.answers.append(("a malformed message", 400, got, False))
        for path in ("/metrics?secret=%s", "/%s", "/readyz/%s") if text.startswith("reeve_") else ():
            self.answers.append((path, 0, repr(self.node.try_operator(path % quote(text, safe=""))).encode(), False))

    # ---- What is written ----
    def read_everything(self, auth, owner, project):
        """Answers of all operations that read, among them those that show events once they are complete."""
        values = {"orgId": owner.home, "groupId": project, "clientId": owner.client_id, "apiUserId": owner.key, "endpointSetId": "S17", "groupName": CONTROL,
                  "databaseName": "admin", "username": "canary0"}
        with connect(self.node) as connection:
            for row in catalog():
                if row["method"] == "GET" and row["status"] == "complete" and set(re.findall(r"{(\w+)}", row["path"])) <= set(values):
                    path = re.sub(r"{(\w+)}", lambda match: values[match.group(1)], row["path"])
                    self.ask(connection, "GET", PREFIX + path + ("?itemsPerPage=500" if row["shape"] == "list" else ""), auth)

    def corpora(self, monitor):
        """name: bytes"""
        folder = os.environ["REEVE_TEST_DIR"]
        found = {"log of the node": read(self.node.log), "standard error of the node": read(self.node.stderr),
                 "log of PostgreSQL": read(os.path.join(folder, "postgres.log")), "commands that Redis got": read(monitor),
                 "log of Redis": read(os.path.join(folder, "redis.log"))}
        for path in glob.glob(os.path.join(self.node.folder, "run", "**"), recursive=True):
            if os.path.isfile(path):
                found["file " + os.path.relpath(path, self.node.folder)] = read(path)
        dump = subprocess.run(["pg_dump", "--data-only", "-d", os.environ["REEVE_TEST_SUPER_DSN"]], capture_output=True, check=True).stdout
        found["dump of the database"] = dump
        found["events"] = sql("SELECT string_agg(document::text, E'\\n') FROM event").encode()
        found["keys and values of Redis"] = redis_contents()
        redis("SAVE")
        found["file of Redis"] = read(os.path.join(folder, "dump.rdb"))
        found["/metrics"] = self.node.operator("/metrics")[1].encode()
        for pid in [self.node.pid] + self.node.workers():
            for name in ("cmdline", "environ"):
                found["%s of process %d" % (name, pid)] = read("/proc/%d/%s" % (pid, name))
        return found


def key(headers, number):
    return {"Idempotency-Key": "canary-%d" % number} if headers else {}


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


# ---- Redis without a client library ----
def redis(*words):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(os.environ["REEVE_TEST_REDIS"])
        s.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in (w if isinstance(w, bytes) else w.encode() for w in words)))
        return parse_reply(s.makefile("rb"))


def parse_reply(file):
    line = file.readline()[:-2]
    kind, rest = line[:1], line[1:]
    if kind == b"$":
        return None if rest == b"-1" else file.read(int(rest) + 2)[:-2]
    if kind == b"*":
        return [parse_reply(file) for _ in range(int(rest))]
    return rest


def redis_contents():
    parts = []
    for name in redis("KEYS", "*"):
        kind = redis("TYPE", name)
        command = {b"string": ("GET", name), b"hash": ("HGETALL", name), b"set": ("SMEMBERS", name), b"list": ("LRANGE", name, "0", "-1"),
                   b"zset": ("ZRANGE", name, "0", "-1", "WITHSCORES")}[kind]
        parts.append(name + b" " + repr(redis(*command)).encode())
    return b"\n".join(parts)


# ---- Keys that were never answered ----
def windows(data):
    """Every 32 bytes that a text in hexadecimal or bytes as they are might mean."""
    for match in re.finditer(rb"[0-9a-fA-F]{64,}", data):
        raw = bytes.fromhex(match.group()[:len(match.group()) // 2 * 2].decode())
        for at in range(len(raw) - 31):
            yield raw[at:at + 32]
    if b"\0" in data and len(data) < 1000000:
        for at in range(len(data) - 31):
            yield data[at:at + 32]


def search_keys(suite, corpora, token, pairs):
    """Windows that sign a token or make a stored MAC; `pairs` are (secret, MAC). How many were tried."""
    body = base64.urlsafe_b64decode(token[len("reeve_at_"):] + "=" * (-len(token[len("reeve_at_"):]) % 4))
    checks = [("a key that signs tokens", body[:28], body[28:])] + [("the pepper", secret, mac) for secret, mac in pairs]
    seen = set()
    for name, data in corpora.items():
        for window in windows(data):
            if window in seen:
                continue
            seen.add(window)
            for what, message, mac in checks:
                if hmac.digest(window, message, "sha256") == mac:
                    suite.fail("%s is in %s" % (what, name))
    return len(seen)


def search(suite, test, corpora):
    forms = [(form, what) for raw, what in test.secrets.known.items() for form in forms_of(raw)]
    hits = 0
    for name, data in corpora.items():
        for form, what in forms:
            at = data.find(form)
            if at >= 0:
                hits += 1
                # Around it, never the secret itself: this is printed.
                before = data[max(0, at - 120):at].decode("utf-8", "replace").replace("\n", "⏎")
                suite.fail("%s is in %s, behind: %s" % (what, name, before))
    return len(forms), hits


def search_answers(suite, test):
    """Each secret is in answers that show it, and these are one each (a repeated one counts with the first)."""
    errors = successes = 0
    shown = {}
    for asked, status, data, shows in test.answers:
        errors += status >= 400
        successes += status < 400
        for raw, what in test.secrets.known.items():
            if raw in data:
                if shows:
                    shown.setdefault(what + raw.hex(), []).append(asked)
                else:
                    suite.fail("%s is in an answer of %d to %s" % (what, status, re.sub(re.escape(raw.decode("latin-1")), "…", asked)[:200]))
    suite.check(all(len(set(places)) == 1 for places in shown.values()), "a secret is shown by several operations: %s",
                [places for places in shown.values() if len(set(places)) > 1])
    return errors, successes, len(shown)


def check_sealed(suite, test):
    """Recorded answers are sealed: none of them is JSON, and none shares a long run with another."""
    rows = [bytes.fromhex(line) for line in sql("SELECT encode(answer, 'hex') FROM idempotency").split("\n") if line]
    suite.check(len(rows) >= 7, "there are only %d recorded answers", len(rows))
    for row in rows:
        # Long words only: noise of a few thousand bytes holds any pair of bytes now and then.
        suite.check(not any(word in row for word in (b'{"secret', b'"links"', b"secret", b"document", b"clientId", b"reeve_", CONTROL.encode())), "a recorded answer is not sealed")
        suite.check(len(set(row)) > min(len(row), 256) // 3, "a recorded answer does not look like noise")
    return len(rows)


def main():
    ends_on_signal()
    suite = Suite("canary")
    sql("ALTER SYSTEM SET log_statement = 'all'; ")
    for setting, value in (("log_min_error_statement", "debug5"), ("log_parameter_max_length", "-1"), ("log_parameter_max_length_on_error", "-1"),
                           ("log_min_messages", "info"), ("log_error_verbosity", "verbose"), ("log_connections", "on")):
        sql("ALTER SYSTEM SET %s = '%s'" % (setting, value))
    sql("SELECT pg_reload_conf()")
    monitor_path = os.path.join(os.environ["REEVE_TEST_DIR"], "redis-monitor.log")
    with open(monitor_path, "wb") as file, start_node() as node:
        monitor = subprocess.Popen([shutil.which("redis-cli"), "-s", os.environ["REEVE_TEST_REDIS"], "monitor"], stdout=file)
        try:
            run(suite, node, monitor_path)
        finally:
            monitor.terminate()
            monitor.wait()
    return suite.finish()


def run(suite, node, monitor_path):
    test = Test(suite, node)
    owner = bootstrap(node.conf, "canary")
    no_limits([owner.home])
    for what, value in (("client secret of the first account", owner.client_secret), ("private key of the first key", owner.private_key),
                        ("the master key", MASTER_KEY), ("the master key, bytes", bytes.fromhex(MASTER_KEY))):
        test.secrets.add(what, value)
    token, other, project = test.make_secrets(owner)
    made = len(test.secrets.known)
    texts, broken = test.send_wrong(token, owner, project)
    test.read_everything(Bearer(token), owner, project)
    test.read_everything(Bearer(other), owner, project)
    corpora = test.corpora(monitor_path)

    for place in ("dump of the database", "log of PostgreSQL", "events"):
        suite.check(CONTROL.encode() in corpora[place], "the search does not even find the control in: %s", place)
    suite.check(owner.home.encode() in corpora["log of the node"], "the log of the node has no lines")
    suite.check(b"reeve:b:" in corpora["commands that Redis got"], "the commands that Redis got were not seen")
    suite.check(any(CONTROL.encode() in data for _, _, data, _ in test.answers), "no answer has the control")

    count, hits = search(suite, test, corpora)
    suite.check(hits == 0, "%d hits in all", hits)
    errors, successes, shown = search_answers(suite, test)
    mac_of = sql("SELECT encode(s.mac, 'hex') FROM service_account_secret s JOIN service_account a ON a.id = s.account_id "
                 "WHERE a.id = decode('%s', 'hex')" % owner.account).split("\n")
    tried = search_keys(suite, corpora, token, [(owner.client_secret.encode(), bytes.fromhex(mac)) for mac in mac_of])
    suite.check(tried > 1000, "only %d windows were tried for keys", tried)
    sealed = check_sealed(suite, test)
    suite.check(errors > 1000, "only %d errors were answered", errors)
    suite.say("%d secrets (%d of them sent in %d wrong requests, %d without an answer), searched as %d forms in %d places with %.1f MB" % (
        made, texts, test.sent, broken, count, len(corpora), sum(map(len, corpora.values())) / 1e6))
    suite.say("%d answers, %d of them errors; %d secrets were shown, each by one; %d recorded answers are sealed; %d windows were tried as keys" % (
        errors + successes, errors, shown, sealed, tried))
    suite.say("places: " + ", ".join("%s %d" % (name, len(data)) for name, data in corpora.items() if " of process" not in name and not name.startswith("file run")))


if __name__ == "__main__":
    sys.exit(main())
