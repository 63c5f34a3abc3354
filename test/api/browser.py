# SPDX-License-Identifier: Apache-2.0
"""A person's browser at a node, and people who have one: what the tests of sessions and the attacks on them share."""
from client import MEDIA_TYPE
from authenticator import Passkey
from world import PREFIX, connect, reeved

COOKIE = "__Host-reeve_session"


class Browser:
    """Pages of ours in one person's browser: it keeps the cookie, and says where a request comes from."""

    def __init__(self, node):
        self.connection, self.origin, self.cookie = connect(node), node.base_url, None

    def ask(self, method, target, body=None, origin="", site="same-origin", cookie=None, more=()):
        headers = [("User-Agent", "Browser/1"), *more]
        origin = self.origin if origin == "" else origin
        if origin and method != "GET":
            headers.append(("Origin", origin))
        if site:
            headers.append(("Sec-Fetch-Site", site))
        if cookie or self.cookie:
            headers.append(("Cookie", cookie or "theme=dark; %s=%s" % (COOKIE, self.cookie)))
        answer = self.connection.ask(method, target if target.startswith("/api") else PREFIX + target, None, body, headers,
                                     accept=MEDIA_TYPE if target.startswith("/") and not target.startswith("/api/s") else "application/json")
        kept = answer.headers.get("set-cookie")
        if kept:
            self.cookie = kept.split(";")[0].split("=", 1)[1] or None
        return answer

    def challenge(self, what="signIn"):
        return self.ask("GET", "/api/sign-in/challenge").json()[what]

    def enrol(self, token, passkey, registration=None, assertion=None, **more):
        shown = self.ask("POST", "/api/sign-in/enrolment", {"token": token})
        if shown.status != 200:
            return shown
        shown = shown.json()
        return self.ask("POST", "/api/sign-in/enrol", {
            "token": token, "publicKey": more.pop("public_key", None) or passkey.public_key(), "registration": passkey.register(shown["enrol"], **(registration or {})),
            "assertion": passkey.sign(shown["signIn"], **(assertion or {})), **more})

    def sign_in(self, passkey, **wrong):
        return self.ask("POST", "/api/sign-in/passkey", passkey.sign(self.challenge(), **wrong))

    def confirm(self, passkey, **wrong):
        return self.ask("POST", "/api/sign-in/confirm", passkey.sign(self.challenge("confirm"), **wrong))

    def add_passkey(self, passkey, **more):
        """One more, as somebody who is signed in."""
        asked = self.ask("POST", "/api/passkeys/begin")
        if asked.status != 200:
            return asked
        asked = asked.json()
        return self.ask("POST", "/api/passkeys/add", {"publicKey": passkey.public_key(), "registration": passkey.register(asked["enrol"]),
                                                      "assertion": passkey.sign(asked["signIn"]), **more})

    def enrol_password(self, token, password):
        return self.ask("POST", "/api/sign-in/enrol-password", {"token": token, "password": password})

    def sign_in_with_password(self, name, password):
        return self.ask("POST", "/api/sign-in/password", {"username": name, "password": password})

    def confirm_with_password(self, password):
        return self.ask("POST", "/api/sign-in/confirm-password", {"password": password})


class Place:
    def __init__(self, suite, world, nodes):
        self.suite, self.world, self.nodes = suite, world, nodes
        self.node = nodes[0]
        self.names = 0

    def person(self, role="ORG_OWNER", org=None):
        self.names += 1
        name = "person%d@example.org" % self.names
        return name, self.world.make_person(name, org or self.world.a.home, role)

    def token(self, name, *more):
        return reeved("enrol", name, "--config", self.node.conf, *more).strip()

    def signed_in(self, role="ORG_OWNER"):
        """(browser, passkey, name, person)"""
        name, person = self.person(role)
        browser, passkey = Browser(self.node), Passkey(self.node.base_url)
        answer = browser.enrol(self.token(name), passkey)
        self.suite.equal(answer.status, 200, "a first passkey: %r" % answer)
        return browser, passkey, name, person


def refused(suite, answer, status, code, what):
    return suite.check(answer.status == status and answer.code() == code, "%s: %r instead of %d %s", what, answer, status, code)
