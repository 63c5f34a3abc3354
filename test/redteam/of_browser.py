# SPDX-License-Identifier: Apache-2.0
"""People in a browser, from where others reach them: pages of other sites, cookies that were planted, stolen, ended or made up, answers of passkeys that
were forged or overheard, and tokens for the passkey of somebody who has one."""
import http.client
import itertools
import threading
import time

from authenticator import Passkey
from rows import Attack
from session_test import COOKIE, WRONG, Browser
from world import reeved, sql

SITE, SECRET, ENDED, OVER = "a cookie counts from our own pages only", "a cookie is its secret and not its number", "a session that was ended is forgotten everywhere", "sessions end by themselves"
ANSWER, ONCE, FIRST, GRAVE = "a passkey's answer is for one page and one service", "a challenge is answered once", "an account with a passkey gets no other one", "what is grave needs the passkey once more"
STRANGERS = "nobody is let in without credentials"
numbers, lock = itertools.count(), threading.Lock()


class Person:
    """Signed in, with a passkey; a new one for each attack."""

    def __init__(self, ground, is_enrolled=True):
        with lock:
            number = next(numbers)
        self.ground, self.name = ground, "browser%d@example.org" % number
        self.id = ground.world.make_person(self.name, ground.world.a.home, "ORG_OWNER")
        self.browser, self.passkey = Browser(ground.node), Passkey(ground.node.base_url)
        self.token = self.new_token()
        if is_enrolled and self.browser.enrol(self.token, self.passkey).status != 200:
            raise AssertionError("no passkey for " + self.name)

    def new_token(self):
        return reeved("enrol", self.name, "--config", self.ground.node.conf).strip()

    def change(self, what):
        sql("UPDATE console_session SET %s WHERE person_id = decode('%s', 'hex'); SELECT pg_notify('reeve_authority', 'all')" % (what, self.id))
        time.sleep(0.5)


def got(answer):
    return None if answer.status in (401, 403) else "%d %s" % (answer.status, answer.body[:100].decode(errors="replace"))


def from_page(ground, path, **page):
    person = Person(ground)
    return got(person.browser.ask("POST", path, {"name": "x", "orgId": ground.world.a.home} if path == "/groups" else {}, **page))


def with_cookie(ground, value):
    one, other = Person(ground), Person(ground)
    return got(Browser(ground.node).ask("GET", "/", cookie="%s=%s" % (COOKIE, value(one.browser.cookie, other.browser.cookie))))


def after_the_end(ground):
    """From memory: every process of the node has seen it before."""
    person = Person(ground)
    thieves = [Browser(ground.node) for _ in range(8)]
    for thief in thieves:
        thief.cookie = person.browser.cookie
        thief.ask("GET", "/")
    person.browser.ask("POST", "/api/sign-out", {})
    time.sleep(5)
    return next(filter(None, (got(thief.ask("GET", "/")) for thief in thieves)), None)


def by_itself(ground, change):
    person = Person(ground)
    person.change(change)
    return got(person.browser.ask("GET", "/"))


def fixation(ground):
    """The attacker's own cookie is in the victim's browser when the victim signs in."""
    attacker, victim = Person(ground), Person(ground)
    victim.browser.cookie = attacker.browser.cookie
    victim.browser.sign_in(victim.passkey)
    who = attacker.browser.ask("GET", "/").json().get("caller", {}).get("name")
    return "the planted cookie is the victim's" if who == victim.name or victim.browser.cookie == attacker.browser.cookie else None


def forged(ground, wrong):
    return got(Browser(ground.node).sign_in(Person(ground).passkey, **wrong))


def replayed(ground, path):
    person = Person(ground)
    body = person.passkey.sign(person.browser.challenge("signIn" if path == "passkey" else "confirm"), counter=0)  # an authenticator that does not count
    sql("UPDATE passkey SET counter = 0 WHERE person_id = decode('%s', 'hex')" % person.id)
    if person.browser.ask("POST", "/api/sign-in/" + path, body).status != 200:
        raise AssertionError("the answer itself is refused")
    return got((Browser(ground.node) if path == "passkey" else person.browser).ask("POST", "/api/sign-in/" + path, body))


def enrolled_again(ground, same_token):
    person = Person(ground, is_enrolled=False)
    token = person.token
    if person.browser.enrol(token, person.passkey).status != 200:
        raise AssertionError("no first passkey")
    if not same_token:  # one that lay somewhere
        again = reeved("enrol", person.name, "--config", ground.node.conf, ok=False)
        if again.returncode != 0:
            return None
        token = again.stdout.strip()
    return got(Browser(ground.node).enrol(token, Passkey(ground.node.base_url)))


def grave(ground, method, target, body=None):
    person = Person(ground)
    person.change("verified_at = now() - interval '6 minutes'")
    return got(person.browser.ask(method, target % {"org": ground.world.a.home, "project": ground.world.p2}, body))


def at_operators(ground):
    cookie = Person(ground).browser.cookie
    port = http.client.HTTPConnection("127.0.0.1", ground.node.operator_port, timeout=10)
    for headers in ({"Cookie": "%s=%s" % (COOKIE, cookie)}, {"Authorization": "Bearer " + cookie}):
        port.request("GET", "/operator/v1/hosts", headers=headers)
        answer = port.getresponse()
        answer.read()
        if answer.status != 401:
            return "%d with %s" % (answer.status, next(iter(headers)))
    return None


def attacks(ground):
    for what, page in (("another site's page", {"origin": "https://evil.example", "site": "cross-site"}), ("a page of a neighbour", {"origin": "https://localhost:1", "site": "same-site"}),
                       ("a form without Origin", {"origin": None, "site": "cross-site"}), ("a sandboxed frame", {"origin": "null", "site": "cross-site"})):
        for path in ("/groups", "/api/sign-out", "/api/sessions/end"):
            yield Attack("a browser's cookie, POST %s by %s" % (path, what), "network", SITE, lambda p=page, path=path: from_page(ground, path, **p))
    for what, value in (("a number and another's secret", lambda one, other: one[:33] + other[33:]), ("a made-up secret", lambda one, other: one[:33] + "A" * 49),
                        ("one character less", lambda one, other: one[:-1])):
        yield Attack("a cookie of " + what, "network", SECRET, lambda v=value: with_cookie(ground, v))
    yield Attack("a cookie five seconds after its person signed out", "network", ENDED, lambda: after_the_end(ground))
    for what, change in (("too old", "expires_at = now() - interval '1 second'"), ("idle for 31 minutes", "used_at = now() - interval '31 minutes'")):
        yield Attack("a cookie that is " + what, "network", OVER, lambda c=change: by_itself(ground, c))
    yield Attack("a cookie that was planted before", "network", SECRET, lambda: fixation(ground))
    for what, wrong in WRONG:
        yield Attack("a passkey's answer with " + what, "network", ANSWER, lambda w=wrong: forged(ground, w))
    for path in ("passkey", "confirm"):
        yield Attack("an overheard answer again: " + path, "network", ONCE, lambda p=path: replayed(ground, p))
    for what, same in (("with the same token", True), ("with a newer token", False)):
        yield Attack("a second first passkey " + what, "network", FIRST, lambda s=same: enrolled_again(ground, s))
    for what, method, target, body in (("deletion", "DELETE", "/groups/%(project)s", None), ("new API key", "POST", "/orgs/%(org)s/apiKeys", {"desc": "k", "roles": ["ORG_MEMBER"]}),
                                       ("new service account", "POST", "/orgs/%(org)s/serviceAccounts", {"name": "n", "description": "d", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8})):
        yield Attack("an unattended session: " + what, "tenant", GRAVE, lambda m=method, t=target, b=body: grave(ground, m, t, b))
    yield Attack("a tenant's cookie at the operators' listener", "tenant", STRANGERS, lambda: at_operators(ground))
