# SPDX-License-Identifier: Apache-2.0
"""Operators in a browser: the first passkey by a token of a node, signing in at the operators' address, what a session may do there and nowhere else, and how it ends."""
import http.client
import json
import sys
import time

from authenticator import Passkey
from operator_test import PREFIX, Reply
from session_test import COOKIE as TENANT_COOKIE
from session_test import WRONG, refused
from session_test import Browser as TenantBrowser
from suite import Suite, ends_on_signal
from world import World, reeved, sql, start_node

COOKIE = "__Host-reeve_operator"


def origin_of(node):
    return "https://localhost:%d" % node.operator_port


class Browser:
    """Operators' pages in one browser: it keeps the cookie, and says where a request comes from."""

    def __init__(self, node):
        self.node, self.origin, self.cookie = node, origin_of(node), None

    def ask(self, method, path, body=None, origin="", site="same-origin", cookie=None, more=()):
        sent = {"User-Agent": "Browser/1", **dict(more)}
        origin = self.origin if origin == "" else origin
        if origin and method != "GET":
            sent["Origin"] = origin
        if site:
            sent["Sec-Fetch-Site"] = site
        if cookie or self.cookie:
            sent["Cookie"] = cookie or "theme=dark; %s=%s" % (COOKIE, self.cookie)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.node.operator_port, timeout=20)
        connection.request(method, PREFIX + path, data, sent)
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.getheaders(), answer.read())
        connection.close()
        kept = reply.headers.get("set-cookie")
        if kept:
            self.cookie = kept.split(";")[0].split("=", 1)[1] or None
        return reply

    def challenge(self, what="signIn"):
        return self.ask("GET", "/sign-in/challenge").json()[what]

    def enrol(self, token, passkey, **more):
        shown = self.ask("POST", "/sign-in/enrolment", {"token": token})
        if shown.status != 200:
            return shown
        shown = shown.json()
        return self.ask("POST", "/sign-in/enrol", {"token": token, "publicKey": passkey.public_key(), "registration": passkey.register(shown["enrol"]),
                                                   "assertion": passkey.sign(shown["signIn"]), **more})

    def sign_in(self, passkey, **wrong):
        return self.ask("POST", "/sign-in/passkey", passkey.sign(self.challenge(), **wrong))

    def confirm(self, passkey, **wrong):
        return self.ask("POST", "/sign-in/confirm", passkey.sign(self.challenge("confirm"), **wrong))


class Desk:
    """Operators of a node."""

    def __init__(self, node):
        self.node, self.names = node, 0

    def operator(self, days=90):
        """(name, bearer token)"""
        self.names += 1
        name = "op%d-%d" % (self.names, time.monotonic_ns() % 1000000)
        return name, json.loads(self.node.run("operator", "add", name, "--days", str(days), "--json").stdout)["token"]

    def token(self, name):
        return self.node.run("enrol", "--operator", name).stdout.strip()

    def signed_in(self):
        """(browser, passkey, name)"""
        name, _ = self.operator()
        browser, passkey = Browser(self.node), Passkey(origin_of(self.node))
        answer = browser.enrol(self.token(name), passkey)
        if answer.status != 200:
            raise AssertionError("no passkey for %s: %r" % (name, answer))
        return browser, passkey, name


def change(name, what):
    sql("UPDATE operator_session s SET %s FROM operator o WHERE o.id = s.operator_id AND o.name = '%s'" % (what, name))


def test_cookie_is_its_operator(suite, desk):
    browser, passkey, name = desk.signed_in()
    suite.equal(browser.ask("GET", "").json()["operator"], name, "who a cookie is")
    flags = Browser(desk.node).sign_in(passkey).headers["set-cookie"]
    suite.check(flags.startswith(COOKIE + "=reeve_os_") and all(one in flags for one in ("; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"))
                and "Domain" not in flags, "what the cookie says: %s", flags[:30] + flags[100:])
    made = browser.ask("POST", "/providers", {"name": "BYCOOKIE"})
    suite.equal(made.status, 201, "a change with a cookie: %r" % made)
    rows = [(one["operation"], one["operator"], "address" in one) for one in browser.ask("GET", "/history?operator=" + name).json()["results"]]
    suite.equal(rows, [("addProvider", name, True), ("signIn", name, True), ("enrolPasskey", name, True)], "what is written down, newest first")
    suite.equal(sql("SELECT count(*) FROM operator_action WHERE operation = 'enrolOperator' AND target = '/operators/%s'" % name), "1", "that a token was made is written down")
    for table in ("operator_session", "operator_enrolment", "operator_passkey", "operator_action"):
        suite.equal(sql("SELECT count(*) FROM %s s WHERE to_jsonb(s)::text LIKE '%%%s%%'" % (table, browser.cookie[33:])), "0", "secrets in " + table)
    bearer = desk.operator()[1]
    suite.equal(Browser(desk.node).ask("GET", "", cookie="%s=%s" % (COOKIE, browser.cookie), more=[("Authorization", "Bearer " + bearer)]).json()["operator"] != name, True,
                "a token counts alone, whatever cookie comes with it")


def test_ports(suite, desk, world):
    """Browsers send cookies to all ports of a name."""
    browser, passkey, _ = desk.signed_in()
    person = world.make_person("ports@example.org", world.a.home, "ORG_OWNER")
    tenant, tenant_key = TenantBrowser(desk.node), Passkey(desk.node.base_url)
    suite.equal(tenant.enrol(reeved("enrol", "ports@example.org", "--config", desk.node.conf).strip(), tenant_key).status, 200, "a person signs in")
    suite.equal(tenant.ask("GET", "/").json()["caller"]["id"], person, "the person's cookie at the tenants' port")
    for what, cookie in (("a tenant's cookie", "%s=%s" % (TENANT_COOKIE, tenant.cookie)), ("a tenant's cookie by the operators' name", "%s=%s" % (COOKIE, tenant.cookie)),
                         ("an operator's by the tenants' name", "%s=%s" % (TENANT_COOKIE, browser.cookie))):
        for method, path, body in (("GET", "", None), ("GET", "/hosts", None), ("GET", "/sessions", None), ("POST", "/providers", {"name": "STOLEN"})):
            answer = Browser(desk.node).ask(method, path, body, cookie=cookie)
            suite.equal(answer.status, 401, "%s at %s %s of the operators: %r" % (what, method, path, answer))
    for what, cookie in (("an operator's cookie", "%s=%s" % (COOKIE, browser.cookie)), ("an operator's by the tenants' name", "%s=%s" % (TENANT_COOKIE, browser.cookie)),
                         ("a tenant's by the operators' name", "%s=%s" % (COOKIE, tenant.cookie))):
        for path in ("/", "/orgs/" + world.a.home, "/api/sessions"):
            answer = TenantBrowser(desk.node).ask("GET", path, cookie=cookie)
            suite.equal(answer.status, 401, "%s at %s of the tenants: %r" % (what, path, answer))
    both = "%s=%s; %s=%s" % (TENANT_COOKIE, tenant.cookie, COOKIE, browser.cookie)
    suite.equal(Browser(desk.node).ask("GET", "", cookie=both).status, 200, "a browser that has both, at the operators'")
    suite.equal(TenantBrowser(desk.node).ask("GET", "/", cookie=both).json()["caller"]["id"], person, "the same at the tenants'")
    # Keys and challenges of one are nothing at the other, also when both have the same name.
    body = Passkey.sign(tenant_key, browser.challenge(), origin=browser.origin)
    refused(suite, Browser(desk.node).ask("POST", "/sign-in/passkey", body), 401, "SIGN_IN_REFUSED", "a person's passkey at the operators'")
    body = passkey.sign(tenant.challenge())
    refused(suite, Browser(desk.node).ask("POST", "/sign-in/passkey", body), 401, "SIGN_IN_REFUSED", "a challenge of the tenants at the operators'")
    body = tenant_key.sign(browser.challenge())
    refused(suite, TenantBrowser(desk.node).ask("POST", "/api/sign-in/passkey", body), 401, "SIGN_IN_REFUSED", "a challenge of the operators at the tenants'")
    for what, token in (("a person's token", reeved("enrol", "other@example.org", "--config", desk.node.conf).strip()),):
        refused(suite, Browser(desk.node).enrol(token, Passkey(origin_of(desk.node))), 401, "SIGN_IN_REFUSED", what + " at the operators'")
    refused(suite, TenantBrowser(desk.node).enrol(desk.token(desk.operator()[0]), Passkey(desk.node.base_url)), 401, "SIGN_IN_REFUSED", "an operator's token at the tenants'")


def test_other_sites(suite, desk):
    browser, passkey, _ = desk.signed_in()
    provider = {"name": "BYAPAGE"}
    for what, more in (("no Origin", {"origin": None}), ("another Origin", {"origin": "https://evil.example"}), ("Origin null", {"origin": "null"}),
                       ("the tenants' page", {"origin": desk.node.base_url, "site": "same-site"}), ("the tenants' page that says it is ours", {"origin": desk.node.base_url}),
                       ("plain http", {"origin": browser.origin.replace("https", "http")}), ("no Sec-Fetch-Site", {"site": None}),
                       ("a neighbour's page", {"site": "same-site"}), ("another site's page", {"site": "cross-site"}), ("a link", {"site": "none"})):
        refused(suite, browser.ask("POST", "/providers", provider, **more), 403, "CROSS_SITE_REQUEST", "a change from " + what)
        refused(suite, browser.ask("POST", "/sign-out", {}, **more), 403, "CROSS_SITE_REQUEST", "signing out from " + what)
        refused(suite, browser.ask("POST", "/sign-in/passkey", passkey.sign(browser.challenge()), **more), 403, "CROSS_SITE_REQUEST", "signing in from " + what)
    for site in ("same-site", "cross-site"):
        refused(suite, browser.ask("GET", "/hosts", site=site), 403, "CROSS_SITE_REQUEST", "a read from " + site)
    suite.equal(sql("SELECT count(*) FROM provider WHERE name = 'BYAPAGE'"), "0", "what another site changed")
    form = browser.ask("POST", "/providers", b"name=x", more=[("Content-Type", "application/x-www-form-urlencoded")])
    suite.equal(form.status, 415, "a form: %r" % form)
    suite.equal(browser.ask("GET", "", site="none").status, 200, "an address that the operator typed")
    twice = "%s=%s; %s=%s" % (COOKIE, browser.cookie, COOKIE, browser.cookie)
    refused(suite, browser.ask("GET", "", cookie=twice), 401, "SESSION_ENDED", "two cookies of the name")
    good = browser.cookie
    other = desk.signed_in()[0].cookie
    for what, value in (("empty", ""), ("cut off", good[:-1]), ("longer", good + "x"), ("one character", good[:-1] + ("a" if good[-1] != "a" else "b")),
                        ("another session's secret", good[:33] + other[33:]), ("nobody's", "reeve_os_" + "0" * 24 + good[33:]), ("no prefix", good[9:]), ("long", "x" * 4000)):
        refused(suite, browser.ask("GET", "", cookie="%s=%s" % (COOKIE, value)), 401, "SESSION_ENDED", "a cookie that is " + what)


def test_bad_requests(suite, desk):
    """Nothing that strangers send is an error of ours."""
    browser = Browser(desk.node)
    for path in ("/sign-in/passkey", "/sign-in/enrolment", "/sign-in/enrol"):
        for body in (b"", b"{", b"[]", b"{}", b"null", b'{"token": 1}', b'{"challenge": "\xff"}', b'{"challenge": "!", "credentialId": "!", "clientData": "!", "authenticatorData": "!", "signature": "!"}'):
            answer = browser.ask("POST", path, body)
            suite.check(answer.status in (400, 401), "%s with %r: %r", path, body, answer)
        suite.equal(browser.ask("POST", path, b"[" + b" " * 20000 + b"]").code(), "BODY_TOO_LARGE", path + " with a long body")
        suite.equal(browser.ask("GET", path).status, 405, "reading " + path)
    for path in ("/sign-in/confirm", "/sign-out", "/sessions/end"):
        refused(suite, browser.ask("POST", path, {}), 401, "SESSION_ENDED", path + " without a session")
    refused(suite, browser.ask("GET", "/sessions"), 401, "SESSION_ENDED", "sessions of nobody")
    suite.equal(browser.ask("HEAD", "/sign-in/challenge").status, 200, "HEAD")
    suite.equal(browser.ask("POST", "/sessions").status, 405, "sessions are not made")


def test_enrolment(suite, desk):
    browser, passkey, name = desk.signed_in()
    again = desk.node.run("enrol", "--operator", name, check=False)
    suite.check(again.returncode == 1 and "has a passkey already" in again.stderr, "a second first passkey: %r", again)
    for words in (("enrol", "--operator", "nobody"), ("enrol", "--operator", "x'; DROP TABLE operator; --")):
        suite.check("no operator is called" in desk.node.run(*words, check=False).stderr, "%r", words)
    suite.equal(desk.node.run("enrol", "a@example.org", "--operator", name, check=False).returncode, 2, "a person and an operator")
    fresh, _ = desk.operator()
    first, second = desk.token(fresh), desk.token(fresh)
    refused(suite, Browser(desk.node).enrol(first, Passkey(origin_of(desk.node))), 401, "SIGN_IN_REFUSED", "a token that a newer one ended")
    newcomer = Browser(desk.node)
    suite.equal(newcomer.enrol(second, Passkey(origin_of(desk.node))).status, 200, "the newer one")
    refused(suite, Browser(desk.node).enrol(second, Passkey(origin_of(desk.node))), 401, "SIGN_IN_REFUSED", "the same token again")
    # A token that lay somewhere, put back into the table: the passkey that is there counts.
    sql("INSERT INTO operator_enrolment (operator_id, mac, expires_at) SELECT o.id, '\\x00', now() + interval '1 hour' FROM operator o WHERE o.name = '%s'" % fresh)
    refused(suite, Browser(desk.node).enrol(second, Passkey(origin_of(desk.node))), 401, "SIGN_IN_REFUSED", "a token beside a passkey")
    # An authenticator's id that somebody else has.
    stolen = Passkey(origin_of(desk.node))
    stolen.credential = passkey.credential
    refused(suite, Browser(desk.node).enrol(desk.token(desk.operator()[0]), stolen), 401, "SIGN_IN_REFUSED", "the id of another operator's key")
    suite.equal(browser.sign_in(passkey).status, 200, "whose key it is signs in as ever")


def test_forged_answers(suite, desk):
    browser, passkey, _ = desk.signed_in()
    _, other_key, _ = desk.signed_in()
    for what, wrong in WRONG:
        refused(suite, Browser(desk.node).sign_in(passkey, **wrong), 401, "SIGN_IN_REFUSED", "signing in with " + what)
        refused(suite, browser.confirm(passkey, **wrong), 401, "SIGN_IN_REFUSED", "confirming with " + what)
    body = passkey.sign(browser.challenge())
    suite.equal(Browser(desk.node).ask("POST", "/sign-in/passkey", body).status, 200, "signing in")
    refused(suite, Browser(desk.node).ask("POST", "/sign-in/passkey", body), 401, "SIGN_IN_REFUSED", "the same answer again")
    refused(suite, browser.ask("POST", "/sign-in/passkey", passkey.sign(browser.challenge("confirm"))), 401, "SIGN_IN_REFUSED", "a challenge to confirm")
    refused(suite, browser.ask("POST", "/sign-in/confirm", passkey.sign(browser.challenge("signIn"))), 401, "SIGN_IN_REFUSED", "a challenge to sign in")
    refused(suite, browser.confirm(other_key), 401, "SIGN_IN_REFUSED", "another operator's passkey confirms")


NOBODY = "0" * 24
GRAVE = (("DELETE", "/providers/NOWHERE", None), ("POST", "/tokens", {"provider": "ONPREM", "region": "EU_NORTH", "host": "new"}), ("POST", "/updates", {}),
         ("POST", "/objectStores", {}), ("POST", "/etcdGroups/x:secure", None), ("DELETE", "/hosts/h1", None), ("POST", "/hosts/h1:drain", None),
         ("POST", "/hosts/h1:drain?dropBackups=true", None), ("POST", "/updates/%s:continue" % NOBODY, {"skipFailed": False}),
         ("POST", "/supportSessions", {}), ("POST", "/invoices/%s:pay" % NOBODY, {}), ("POST", "/organizations/%s:agree" % NOBODY, {"until": None}))


def test_presence(suite, desk):
    browser, passkey, name = desk.signed_in()
    change(name, "verified_at = now() - interval '6 minutes'")
    for method, path, body in GRAVE:
        refused(suite, browser.ask(method, path, body), 403, "STEP_UP_REQUIRED", "%s %s of somebody who left the desk" % (method, path))
    suite.equal(browser.ask("POST", "/providers", {"name": "BYDAY"}).status, 201, "what can be undone")
    for path, body in (("/hosts/h1:drain?dryRun=true", None), ("/updates?dryRun=true", {})):
        suite.check(browser.ask("POST", path, body).code() != "STEP_UP_REQUIRED", "looking first at what %s would do", path)
    suite.equal(browser.ask("POST", "/updates/%s:stop" % NOBODY).status, 404, "to stop an update needs nothing")
    for path in ("/hosts/h1:drain?dryRun=true&dryRun=false", "/hosts/h1:drain?dryRun=false", "/tokens?dryRun=true", "/objectStores?dryRun=true"):
        suite.check(browser.ask("POST", path, {}).status in (400, 403), "a dry run that is none, or of what has none: %s", path)
    suite.equal(browser.confirm(passkey).json(), {"operator": name}, "confirming")
    for method, path, body in GRAVE:
        suite.check(browser.ask(method, path, body).code() != "STEP_UP_REQUIRED", "%s %s after confirming", method, path)
    _, bearer = desk.operator()
    suite.equal(Browser(desk.node).ask("DELETE", "/providers/NOWHERE", more=[("Authorization", "Bearer " + bearer)]).status, 404, "a program has nothing to confirm")


def test_ends(suite, desk):
    browser, passkey, name = desk.signed_in()
    second = Browser(desk.node)
    second.sign_in(passkey)
    listed = browser.ask("GET", "/sessions").json()
    suite.equal((len(listed["results"]), listed["results"][0]["browser"]), (2, "Browser/1"), "sessions of the operator")
    ended = next(one["sessionId"] for one in listed["results"] if one["sessionId"] != listed["currentSessionId"])
    stranger, _, _ = desk.signed_in()
    refused(suite, stranger.ask("POST", "/sessions/end", {"sessionId": ended}), 404, "RESOURCE_NOT_FOUND", "another operator ends it")
    suite.equal(browser.ask("POST", "/sessions/end", {"sessionId": ended}).status, 204, "ending a session")
    refused(suite, second.ask("GET", ""), 401, "SESSION_ENDED", "an ended session, at once")
    kept = browser.cookie
    suite.equal(browser.ask("POST", "/sign-out").status, 204, "signing out")
    suite.equal(browser.cookie, None, "the cookie after signing out")
    refused(suite, browser.ask("GET", "", cookie="%s=%s" % (COOKIE, kept)), 401, "SESSION_ENDED", "the cookie of before")
    for what, changed in (("old", "expires_at = now() - interval '1 second'"), ("idle", "used_at = now() - interval '31 minutes'")):
        suite.equal(browser.sign_in(passkey).status, 200, "signing in")
        change(name, changed)
        refused(suite, browser.ask("GET", ""), 401, "SESSION_ENDED", "a session that is " + what)
        refused(suite, browser.confirm(passkey), 401, "SESSION_ENDED", "confirming in a session that is " + what)
    browser.sign_in(passkey)
    change(name, "used_at = now() - interval '10 minutes'")
    browser.ask("GET", "")
    suite.equal(sql("SELECT max(s.used_at) > now() - interval '1 minute' FROM operator_session s JOIN operator o ON o.id = s.operator_id WHERE o.name = '%s'" % name), "t", "a session that is used is not idle")
    sql("UPDATE operator SET expires_at = now() - interval '1 second' WHERE name = '%s'" % name)
    refused(suite, browser.ask("GET", ""), 401, "SESSION_ENDED", "a session of an operator whose days are over")
    refused(suite, Browser(desk.node).sign_in(passkey), 401, "SIGN_IN_REFUSED", "a passkey of an operator whose days are over")
    desk.node.run("operator", "remove", name)
    suite.equal(sql("SELECT count(*) FROM operator_passkey WHERE credential = decode('%s', 'hex')" % passkey.credential.hex()), "0", "passkeys of an operator who was removed")


def main():
    ends_on_signal()
    suite = Suite("operator-sessions")
    with start_node(workers=1) as node:
        world = World(node, with_roles=False)
        world.make_person("other@example.org", world.a.home, "ORG_OWNER")
        desk = Desk(node)
        test_cookie_is_its_operator(suite, desk)
        test_ports(suite, desk, world)
        test_other_sites(suite, desk)
        test_bad_requests(suite, desk)
        test_enrolment(suite, desk)
        test_forged_answers(suite, desk)
        test_presence(suite, desk)
        test_ends(suite, desk)
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
