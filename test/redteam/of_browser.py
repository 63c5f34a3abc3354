# SPDX-License-Identifier: Apache-2.0
"""People in a browser, from where others reach them: pages of other sites, cookies that were planted, stolen, ended or made up, answers of passkeys that
were forged or overheard, and tokens for the passkey of somebody who has one."""
import http.client
import itertools
import threading
import time

import operator_session_test as operators
from authenticator import Passkey
from browser import COOKIE, Browser
from client import PATIENCE
from rows import Attack
from session_test import WRONG
from world import reeved, sql, start_node, tell_nodes

SITE, SECRET, ENDED, OVER = "a cookie counts from our own pages only", "a cookie is its secret and not its number", "a session that was ended is forgotten everywhere", "sessions end by themselves"
ANSWER, ONCE, FIRST, GRAVE = "a passkey's answer is for one page and one service", "a challenge is answered once", "an account with a passkey gets no other one", "what is grave needs the passkey once more"
STRANGERS = "nobody is let in without credentials"
APART, FILES = "tenants and operators have pages of their own", "files of the pages are nothing but files"
GUESS, ALIKE, LOST, LAST = "few passwords can be tried", "who has an account is not told", "after a loss nothing of before opens anything", "nobody is left with nothing to sign in with"
PASSWORD = "a long enough secret"
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

    def lost(self):
        """A token for somebody who lost what they had."""
        return reeved("enrol", self.name, "--recover", "--config", self.ground.node.conf).strip()

    def change(self, what):
        tell_nodes("UPDATE console_session SET %s WHERE person_id = decode('%s', 'hex')" % (what, self.id))
        time.sleep(0.5 * PATIENCE)  # one process of the node has heard: this is for the others


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


# ---- Operators ----
class Operator:
    """Signed in at the operators' address, with a passkey; a new one for each attack."""

    def __init__(self, ground):
        with lock:
            self.name = "browser%d" % next(numbers)
        self.node = ground.node
        self.node.run("operator", "add", self.name, "--json")
        self.browser, self.passkey = operators.Browser(self.node), Passkey(operators.origin_of(self.node))
        if self.browser.enrol(self.new_token(), self.passkey).status != 200:
            raise AssertionError("no passkey for " + self.name)

    def new_token(self):
        return self.node.run("enrol", "--operator", self.name).stdout.strip()


def operator_at_tenants(ground, name):
    cookie = "%s=%s" % (name, Operator(ground).browser.cookie)
    return next(filter(None, (got(Browser(ground.node).ask("GET", path, cookie=cookie)) for path in ("/", "/orgs", "/api/sessions"))), None)


def tenant_at_operators(ground, name):
    cookie = "%s=%s" % (name, Person(ground).browser.cookie)
    return next(filter(None, (got(operators.Browser(ground.node).ask("GET", path, cookie=cookie)) for path in ("", "/hosts", "/sessions"))), None)


def from_page_of_operators(ground, path, body, **page):
    return got(Operator(ground).browser.ask("POST", path, body, **page))


def operator_enrolled_again(ground):
    """Whoever can make tokens for an operator could sign in as them: also one that was made before the passkey, and lies in the table."""
    one = Operator(ground)
    again = ground.node.run("enrol", "--operator", one.name, check=False)
    if again.returncode != 0:
        return None
    return got(operators.Browser(ground.node).enrol(again.stdout.strip(), Passkey(operators.origin_of(ground.node))))


def person_as_operator(ground):
    """A person's passkey, enrolled with a person's token, answers a challenge of the operators."""
    person, page = Person(ground), operators.Browser(ground.node)
    return got(page.ask("POST", "/sign-in/passkey", person.passkey.sign(page.challenge(), origin=page.origin)))


def operators_desk_left(ground, method, path, body=None):
    one = Operator(ground)
    operators.change(one.name, "verified_at = now() - interval '6 minutes'")
    return got(one.browser.ask(method, path, body))


def operator_after_the_end(ground):
    one, thief = Operator(ground), operators.Browser(ground.node)
    thief.cookie = one.browser.cookie
    one.browser.ask("POST", "/sign-out")
    return got(thief.ask("GET", ""))


def page_at(ground, port, path, headers):
    """(status, headers, text) of a file, without credentials."""
    of_tenants = port == ground.node.port
    one = http.client.HTTPSConnection("localhost", port, timeout=10, context=ground.node.tls_context()) if of_tenants else http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    one.request("GET", path, headers=headers)
    answer = one.getresponse()
    found = answer.status, answer.headers, answer.read().decode(errors="replace")
    one.close()
    return found


def pages_of_the_other(ground, path):
    """Whoever sees one page at the other's address may type or sign in where they do not mean to; and the tenants' address must not say what operators can do."""
    for what, port, theirs in (("the operators'", ground.node.operator_port, "<title>Reeve</title>"), ("the tenants'", ground.node.port, "<title>Reeve operators</title>")):
        status, _, text = page_at(ground, port, path, {})
        if theirs in text:
            return "%d at %s address: %s" % (status, what, text[:80])
    return None


def operators_files(ground, path):
    """Without credentials files only: no data, no cookie, nothing of the machine, and no other page around them."""
    status, headers, text = page_at(ground, ground.node.operator_port, path, {})
    if status == 200 and "<title>Reeve operators</title>" not in text:
        return "200: " + text[:80]
    if "Set-Cookie" in headers:
        return "a cookie"
    policy = headers.get("Content-Security-Policy", "")
    return "no policy" if status == 200 and not all(word in policy for word in ("default-src 'none'", "frame-ancestors 'none'", "trusted-types 'none'")) else None


def attacks_on_operators(ground):
    for path in ("/console/", "/console/hosts", "/console/operator/index.html", "/console/operator/", "/console/../operator/index.html", "/console-page/index.html", "/console-page/operator/index.html",
                 "/console-page/../index.html"):
        yield Attack("the page of one at the other's address: " + path, "network", APART, lambda p=path: pages_of_the_other(ground, p))
    for path in ("/console/", "/console/../../../../etc/passwd", "/console/%2e%2e/%2e%2e/etc/passwd", "/console/data/..%2f..%2findex.json", "/console-files/../index.html", "/console/data/index.json",
                 "/console//operator/v1/hosts", "/console/operator/v1/hosts", "/console%00/", "/console/;/operator/v1"):
        yield Attack("files at the operators' address without credentials: " + path, "network", FILES, lambda p=path: operators_files(ground, p))
    for name in (COOKIE, operators.COOKIE):
        yield Attack("an operator's cookie at the tenants' address, as " + name, "network", STRANGERS, lambda n=name: operator_at_tenants(ground, n))
        yield Attack("a tenant's cookie at the operators' address, as " + name, "tenant", STRANGERS, lambda n=name: tenant_at_operators(ground, n))
    for what, page in (("another site's page", {"origin": "https://evil.example", "site": "cross-site"}), ("a page of the tenants", {"origin": ground.node.base_url, "site": "same-site"}),
                       ("a form without Origin", {"origin": None, "site": "cross-site"})):
        for path, body in (("/providers", {"name": "EVIL"}), ("/sign-out", {}), ("/sessions/end", {"sessionId": "0" * 24})):
            yield Attack("an operator's cookie, POST %s by %s" % (path, what), "network", SITE, lambda p=page, path=path, b=body: from_page_of_operators(ground, path, b, **p))
    yield Attack("a second first passkey of an operator", "network", FIRST, lambda: operator_enrolled_again(ground))
    yield Attack("a person's passkey at the operators' address", "tenant", STRANGERS, lambda: person_as_operator(ground))
    yield Attack("an operator's cookie after signing out", "network", OVER, lambda: operator_after_the_end(ground))
    for method, path, body in operators.GRAVE:
        yield Attack("an operator's unattended session: %s %s" % (method, path), "network", GRAVE, lambda m=method, p=path, b=body: operators_desk_left(ground, m, p, b))


# ---- Passwords, further passkeys, and what comes after a loss ----
def patient(ask):
    """Few passwords are looked at a time; whoever comes at the wrong moment comes again."""
    for _ in range(100):
        answer = ask()
        if answer.status != 503:
            break
        time.sleep(0.3)
    return answer


def guessing(ground):
    """At a node of its own with one process, which counts by itself: a hundred wrong ones in an hour are looked at."""
    person = Person(ground, is_enrolled=False)
    patient(lambda: person.browser.enrol_password(person.token, PASSWORD))
    with start_node(migrate=False, workers=1, settings={"base_url": ground.node.base_url}) as node:
        browser = Browser(node)
        browser.origin = ground.node.base_url
        answers = [patient(lambda n=number: browser.sign_in_with_password(person.name, "guess number %d" % n)).status for number in range(105)]
        answers.append(browser.sign_in_with_password(person.name, PASSWORD).status)
    looked_at = len(answers) - answers.count(429)
    return "%d guesses of %d were looked at, and %d let in" % (looked_at, len(answers), answers.count(200)) if looked_at > 100 else None


def told_apart(ground):
    """By what is said or by how long it takes, between a name that there is and one that there is not."""
    person = Person(ground, is_enrolled=False)
    patient(lambda: person.browser.enrol_password(person.token, PASSWORD))
    took, said = {}, {}
    for _ in range(9):
        for name in (person.name, "nobody@example.org", person.name.replace("browser", "nobody")):
            times = took.setdefault(name, [])

            def one(who=name, times=times):
                began = time.monotonic()
                answer = Browser(ground.node).sign_in_with_password(who, "wrong, and long enough")
                if answer.status != 503:
                    times.append(time.monotonic() - began)
                return answer

            answer = patient(one)
            said.setdefault(name, set()).add((answer.status, answer.json().get("detail")))
    if len({frozenset(one) for one in said.values()}) > 1:
        return "said %r" % said
    middle = sorted(sorted(times)[4] for times in took.values())
    return "one takes %.0f ms, another %.0f ms" % (middle[0] * 1000, middle[-1] * 1000) if middle[-1] > 2 * middle[0] else None


def token_twice(ground, first):
    """With the token of an account that has a password by now, or with two at the same moment."""
    person = Person(ground, is_enrolled=False)
    if first:
        patient(lambda: person.browser.enrol_password(person.token, PASSWORD))
        return got(patient(lambda: Browser(ground.node).enrol_password(person.token, "another long secret")))
    statuses = []
    both = [threading.Thread(target=lambda: statuses.append(patient(lambda: Browser(ground.node).enrol_password(person.token, PASSWORD)).status)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    return "both got in" if statuses.count(200) > 1 else None


def after_a_loss(ground, act):
    person = Person(ground)
    thieves = [Browser(ground.node) for _ in range(8)]
    for thief in thieves:
        thief.cookie = person.browser.cookie
        thief.ask("GET", "/")
    token = person.lost()
    if Browser(ground.node).enrol(token, Passkey(ground.node.base_url)).status != 200:
        raise AssertionError("no new passkey after a loss")
    time.sleep(5)
    if act == "cookie":
        return next(filter(None, (got(thief.ask("GET", "/")) for thief in thieves)), None)
    if act == "passkey":
        return got(Browser(ground.node).sign_in(person.passkey))
    return got(Browser(ground.node).enrol(token, Passkey(ground.node.base_url)))


def last_one(ground):
    person = Person(ground)
    for one in person.browser.ask("GET", "/api/passkeys").json()["results"]:
        answer = person.browser.ask("POST", "/api/passkeys/remove", {"passkeyId": one["passkeyId"]})
    return None if answer.status == 409 else "%d" % answer.status


def unattended(ground, path):
    """In a session that somebody left open, and then with the password alone of somebody who has a passkey."""
    person = Person(ground)
    patient(lambda: person.browser.ask("POST", "/api/password", {"password": PASSWORD}))
    thief = Browser(ground.node)
    if patient(lambda: thief.sign_in_with_password(person.name, PASSWORD)).status != 200:
        raise AssertionError("the password itself is refused")
    body = {"password": "another long secret"} if path == "/api/password" else {}
    if patient(lambda: thief.confirm_with_password(PASSWORD)).status == 200:
        return "the password confirmed"
    person.change("verified_at = now() - interval '6 minutes'")
    return got(thief.ask("POST", path, body)) or got(person.browser.ask("POST", path, body))


def attacks(ground):
    yield from attacks_on_operators(ground)
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
    yield Attack("a password, guessed at speed", "network", GUESS, lambda: guessing(ground))
    yield Attack("which names have an account", "network", ALIKE, lambda: told_apart(ground))
    for what, first in (("after the first", True), ("at the same moment", False)):
        yield Attack("a second password with a first one's token, " + what, "network", FIRST, lambda f=first: token_twice(ground, f))
    for what, act in (("the cookie of before", "cookie"), ("the lost passkey", "passkey"), ("the token again", "token")):
        yield Attack("after a loss: " + what, "network", LOST, lambda a=act: after_a_loss(ground, a))
    yield Attack("removing the last passkey", "tenant", LAST, lambda: last_one(ground))
    for path in ("/api/passkeys/begin", "/api/passkeys/add", "/api/password", "/api/password/remove"):
        yield Attack("an unattended session, or a password that somebody saw: POST " + path, "tenant", GRAVE, lambda p=path: unattended(ground, p))
