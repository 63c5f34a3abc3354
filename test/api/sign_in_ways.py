# SPDX-License-Identifier: Apache-2.0
"""What people sign in with beyond the first passkey: passwords, further passkeys, what comes after a loss, and the events about all of it. Part of the suite
of sessions."""
import concurrent.futures
import statistics
import time

from authenticator import Passkey
from browser import Browser, refused
from client import wait_until
from world import reeved, sql, start_node, tell_nodes

GOOD, OTHER = "a long enough secret", "another long secret, \u00e4\u00f6\u00fc"


def with_password(suite, place, role="ORG_OWNER"):
    """(browser, name, person) of somebody who has a password and no passkey."""
    name, person = place.person(role)
    browser = Browser(place.node)
    answer = browser.enrol_password(place.token(name), GOOD)
    suite.equal(answer.status, 200, "a first password: %r" % answer)
    return browser, name, person


def forget_confirmation(person):
    tell_nodes("UPDATE console_session SET verified_at = now() - interval '6 minutes' WHERE person_id = decode('%s', 'hex')" % person)


def test_password(suite, place):
    name, person = place.person()
    token = place.token(name)
    browser = Browser(place.node)
    for what, password in (("eleven characters", "a" * 11), ("129 characters", "a1b2c3d4" * 17), ("the own address", name), ("the own address and more", "x" + name.upper()),
                           ("a common one", "Password1234"), ("a number", 123456789012), ("nothing", "")):
        suite.equal(browser.enrol_password(token, password).status, 400, "a password that is " + what)
    suite.equal(browser.enrol_password(token, GOOD).status, 200, "a first password")
    suite.equal(browser.ask("GET", "/").json()["caller"]["name"], name, "who a password is")
    refused(suite, Browser(place.node).enrol_password(token, GOOD), 401, "SIGN_IN_REFUSED", "the same token again")
    again = reeved("enrol", name, "--config", place.node.conf, ok=False)
    suite.check(again.returncode == 1 and not again.stdout, "a token for somebody with a password: %r", again)
    other = Browser(place.nodes[1])
    other.origin = browser.origin
    suite.equal(other.sign_in_with_password(name.upper(), GOOD).status, 200, "signing in at another node, in capitals")
    for what, who, password in (("a wrong password", name, GOOD + "x"), ("nobody's name", "nobody@example.org", GOOD), ("an empty-handed person", place.person()[0], GOOD),
                                ("a long password", name, "x" * 200)):
        answer = Browser(place.node).sign_in_with_password(who, password)
        refused(suite, answer, 401, "SIGN_IN_REFUSED", what)
        suite.check("the user name or the password is wrong" in answer.json()["detail"], "%s is answered otherwise: %r", what, answer)
    kept = sql("SELECT hash FROM password WHERE person_id = decode('%s', 'hex')" % person)
    suite.check(kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$") and GOOD not in kept, "what is kept: %s", kept[:30])
    # What is grave needs it once more, and so does a change.
    forget_confirmation(person)
    refused(suite, browser.ask("POST", "/api/password", {"password": OTHER}), 403, "STEP_UP_REQUIRED", "another password without the old one")
    refused(suite, browser.confirm_with_password("wrong, and long enough"), 401, "SIGN_IN_REFUSED", "confirming with a wrong password")
    suite.equal(browser.confirm_with_password(GOOD).status, 200, "confirming with the password")
    suite.equal(browser.ask("POST", "/api/password", {"password": OTHER}).status, 204, "another password")
    refused(suite, Browser(place.node).sign_in_with_password(name, GOOD), 401, "SIGN_IN_REFUSED", "the old password")
    suite.equal(Browser(place.node).sign_in_with_password(name, OTHER).status, 200, "the new password")
    wait_until(lambda: other.ask("GET", "/").code() == "SESSION_ENDED", 5)
    suite.equal(browser.ask("GET", "/").status, 200, "the session in which it was changed")
    refused(suite, browser.ask("POST", "/api/password/remove", {}), 409, "LAST_WAY_IN", "removing the only thing to sign in with")


def test_password_beside_passkey(suite, place):
    """Whoever has a passkey confirms with that."""
    browser, passkey, name, person = place.signed_in()
    suite.equal(browser.ask("POST", "/api/password", {"password": GOOD}).status, 204, "a password beside a passkey")
    second = Browser(place.node)
    suite.equal(second.sign_in_with_password(name, GOOD).status, 200, "signing in with it")
    refused(suite, second.ask("POST", "/api/password", {"password": OTHER}), 403, "STEP_UP_REQUIRED", "signing in with a password confirms nothing for who has a passkey")
    refused(suite, second.confirm_with_password(GOOD), 401, "SIGN_IN_REFUSED", "confirming with a password beside a passkey")
    suite.equal(second.confirm(passkey).status, 200, "confirming with the passkey")
    suite.equal(second.ask("POST", "/api/password/remove", {}).status, 204, "removing the password")
    refused(suite, Browser(place.node).sign_in_with_password(name, GOOD), 401, "SIGN_IN_REFUSED", "a password that was removed")


def test_passwords_at_speed(suite, place):
    """Few are computed at a time, others are told to come again; names that there are take as long as those that there are not."""
    _, name, _ = with_password(suite, place)

    def one(who):
        browser, began = Browser(place.node), time.monotonic()
        answer = browser.sign_in_with_password(who, "wrong, and long enough")
        return answer, time.monotonic() - began

    with concurrent.futures.ThreadPoolExecutor(24) as many:
        answers = [answer for answer, _ in many.map(one, ["crowd%d@example.org" % n for n in range(24)])]
    counted = {status: sum(answer.status == status for answer in answers) for status in {answer.status for answer in answers}}
    suite.check(set(counted) <= {401, 503} and counted.get(401), "a crowd: %r", counted)
    suite.check(all("retry-after" in answer.headers for answer in answers if answer.status == 503), "503 without Retry-After")
    took = {who: [] for who in (name, "nobody@example.org")}
    for _ in range(6):
        for who in took:
            took[who].append(one(who)[1])
    known, unknown = (statistics.median(times) * 1000 for times in took.values())
    suite.check(max(known, unknown) < 2 * min(known, unknown), "a name that there is takes %.1f ms, another %.1f ms", known, unknown)
    suite.say("a crowd of 24 wrong passwords: %r; one takes %.1f ms (known name) and %.1f ms (unknown)" % (counted, known, unknown))


def test_without_a_name(suite, place):
    """At an address that is no name there are no passkeys: a password is the way in. Where passwords are off, there is none."""
    name, person = place.person()
    with start_node(migrate=False, settings={"base_url": "https://127.0.0.1:8443"}) as node:
        browser = Browser(node)
        browser.origin = "https://127.0.0.1:8443"
        asked = browser.ask("GET", "/api/sign-in/challenge").json()
        suite.equal((asked.get("rpId"), asked.get("passwords")), (None, True), "what can be used at an address")
        token = place.token(name)
        shown = browser.ask("POST", "/api/sign-in/enrolment", {"token": token}).json()
        suite.equal((shown["username"], shown["passwords"], "rpId" in shown), (name, True, False), "what a token is for there")
        suite.equal(browser.enrol_password(token, GOOD).status, 200, "a first password at an address")
        suite.equal(browser.ask("GET", "/").json()["caller"]["id"], person, "who it is")
    with start_node(migrate=False, settings={"base_url": place.node.base_url, "people_passwords": "off"}) as node:
        browser = Browser(node)
        browser.origin = place.node.base_url
        suite.equal(browser.ask("GET", "/api/sign-in/challenge").json()["passwords"], False, "what is said where passwords are off")
        refused(suite, browser.sign_in_with_password(name, GOOD), 401, "SIGN_IN_REFUSED", "a password where they are off")
        fresh, _ = place.person()
        refused(suite, browser.enrol_password(place.token(fresh), GOOD), 401, "SIGN_IN_REFUSED", "a first password where they are off")


def test_passkeys(suite, place):
    browser, passkey, name, person = place.signed_in()
    forget_confirmation(person)
    second = Passkey(place.node.base_url)
    refused(suite, browser.add_passkey(second), 403, "STEP_UP_REQUIRED", "a further passkey without the first")
    suite.equal(browser.confirm(passkey).status, 200, "confirming")
    suite.equal(browser.add_passkey(second, name="Second").status, 204, "a further passkey")
    refused(suite, browser.add_passkey(second), 401, "SIGN_IN_REFUSED", "the same passkey again")
    suite.equal(Browser(place.node).sign_in(second).status, 200, "signing in with it")
    listed = browser.ask("GET", "/api/passkeys").json()["results"]
    suite.equal([(one["name"], "createdAt" in one, bool(one.get("usedAt"))) for one in listed], [("Passkey", True, True), ("Second", True, True)], "passkeys of the person")
    stranger, _, _, _ = place.signed_in()
    first = {"passkeyId": listed[0]["passkeyId"]}
    refused(suite, stranger.ask("POST", "/api/passkeys/rename", {**first, "name": "Mine"}), 404, "RESOURCE_NOT_FOUND", "a stranger names it")
    refused(suite, stranger.ask("POST", "/api/passkeys/remove", first), 404, "RESOURCE_NOT_FOUND", "a stranger removes it")
    suite.equal(browser.ask("POST", "/api/passkeys/rename", {**first, "name": "Old"}).status, 204, "another name")
    suite.equal(browser.ask("POST", "/api/passkeys/rename", {**first, "name": "x" * 81}).status, 400, "a name that is too long")
    forget_confirmation(person)
    refused(suite, browser.ask("POST", "/api/passkeys/remove", first), 403, "STEP_UP_REQUIRED", "removing one without it")
    browser.confirm(second)
    suite.equal(browser.ask("POST", "/api/passkeys/remove", first).status, 204, "removing one")
    refused(suite, Browser(place.node).sign_in(passkey), 401, "SIGN_IN_REFUSED", "a passkey that was removed")
    last = {"passkeyId": listed[1]["passkeyId"]}
    refused(suite, browser.ask("POST", "/api/passkeys/remove", last), 409, "LAST_WAY_IN", "removing the last one")
    suite.equal(browser.ask("POST", "/api/password", {"password": GOOD}).status, 204, "a password")
    both = (lambda: browser.ask("POST", "/api/passkeys/remove", last), lambda: elsewhere.ask("POST", "/api/password/remove", {}))
    elsewhere = Browser(place.nodes[1])
    elsewhere.origin, elsewhere.cookie = browser.origin, browser.cookie
    with concurrent.futures.ThreadPoolExecutor(2) as pair:
        statuses = sorted(one.result().status for one in [pair.submit(call) for call in both])
    suite.equal(statuses, [204, 409], "both at the same moment")
    listed = browser.ask("GET", "/api/passkeys").json()
    suite.check(bool(listed["results"]) != ("passwordChangedAt" in listed), "what is left: %r", listed)
    for path in ("/api/passkeys/begin", "/api/passkeys/add", "/api/passkeys/rename", "/api/passkeys/remove", "/api/password", "/api/password/remove"):
        refused(suite, browser.ask("POST", path, {}, origin="https://evil.example", site="cross-site"), 403, "CROSS_SITE_REQUEST", path + " by another site")
        refused(suite, Browser(place.node).ask("POST", path, {}), 401, "SESSION_ENDED", path + " without a session")


def test_recovery(suite, place):
    browser, passkey, name, person = place.signed_in()
    browser.ask("POST", "/api/password", {"password": GOOD})
    token = place.token(name, "--recover")
    suite.equal(browser.ask("GET", "/").status, 200, "a session while the token lies there")
    suite.equal(Browser(place.node).sign_in(passkey).status, 200, "a passkey while the token lies there")
    newcomer, fresh = Browser(place.node), Passkey(place.node.base_url)
    suite.equal(newcomer.ask("POST", "/api/sign-in/enrolment", {"token": token}).json()["recovers"], True, "what the page is told")
    suite.equal(newcomer.enrol(token, fresh).status, 200, "a token after a loss")
    refused(suite, Browser(place.node).enrol(token, Passkey(place.node.base_url)), 401, "SIGN_IN_REFUSED", "the same token again")
    wait_until(lambda: browser.ask("GET", "/").code() == "SESSION_ENDED", 5)
    suite.passed += 1
    refused(suite, Browser(place.node).sign_in(passkey), 401, "SIGN_IN_REFUSED", "the lost passkey")
    refused(suite, Browser(place.node).sign_in_with_password(name, GOOD), 401, "SIGN_IN_REFUSED", "the lost password")
    suite.equal(newcomer.ask("GET", "/").json()["caller"]["id"], person, "who is there now")
    suite.equal(Browser(place.node).sign_in(fresh).status, 200, "the new passkey")
    mail = sql("SELECT kind FROM person_mail WHERE person_id = decode('%s', 'hex')" % person)
    suite.equal(mail, "RECOVERED", "a mail to the person")
    # A plain token takes the place of one after a loss.
    token = place.token(name, "--recover")
    plain = reeved("enrol", name, "--config", place.node.conf, ok=False)
    suite.check(plain.returncode == 1, "a plain token for somebody with a passkey: %r", plain)
    sql("UPDATE enrolment SET expires_at = now() WHERE person_id = decode('%s', 'hex')" % person)
    refused(suite, Browser(place.node).enrol(token, Passkey(place.node.base_url)), 401, "SIGN_IN_REFUSED", "an expired token after a loss")
    suite.equal(Browser(place.node).sign_in(fresh).status, 200, "the passkey after a token that nobody used")


def test_events(suite, place):
    browser, passkey, name, person = place.signed_in()
    browser.add_passkey(Passkey(place.node.base_url), name="Blue")
    listed = browser.ask("GET", "/api/passkeys").json()["results"]
    browser.ask("POST", "/api/passkeys/remove", {"passkeyId": listed[1]["passkeyId"]})
    browser.ask("POST", "/api/password", {"password": GOOD})
    browser.ask("POST", "/api/password/remove", {})
    Browser(place.node).sign_in(passkey, spoilt=True)
    Browser(place.node).sign_in_with_password(name, "wrong, and long enough")
    browser.ask("POST", "/api/sign-out")
    back = Browser(place.node)
    back.enrol(place.token(name, "--recover"), Passkey(place.node.base_url))
    found = [one for one in back.ask("GET", "/orgs/%s/events?itemsPerPage=500" % place.world.a.home).json()["results"] if one.get("targetUsername") == name]
    types = [one["eventTypeName"] for one in reversed(found) if one["eventTypeName"].startswith("USER_")]
    wanted = ["USER_PASSKEY_ADDED", "USER_SIGNED_IN", "USER_PASSKEY_ADDED", "USER_PASSKEY_REMOVED", "USER_PASSWORD_CHANGED", "USER_PASSWORD_REMOVED", "USER_SESSION_ENDED",
              "USER_RECOVERED", "USER_PASSKEY_ADDED", "USER_SIGNED_IN"]
    suite.equal(types, wanted, "events of a person")
    suite.check(all(one.get("remoteAddress") == "127.0.0.1" and one.get("userId") == person for one in found), "who and from where: %r", found[:1])


def test_invitation(suite, place):
    """Who had no account gets a token for a first passkey with the acceptance; nobody else does."""
    world, org = place.world, place.world.a.home
    browser, _, _, _ = place.signed_in()

    def invite(address):
        made = browser.ask("POST", "/orgs/%s/invites" % org, {"username": address, "roles": ["ORG_MEMBER"]})
        suite.check(made.status in (200, 201), "an invitation: %r", made)
        token = reeved("invitation", "token", made.json()["id"], "--config", place.node.conf).strip()
        return browser.connection.ask("POST", "/api/invitations/accept", None, {"token": token, "username": address, "firstName": "A", "lastName": "B"}, [("Content-Type", "application/json")])

    answer = invite("newcomer@example.org")
    suite.equal(answer.status, 200, "accepting: %r" % answer)
    token = answer.json().get("enrolmentToken", "")
    mine = Browser(place.node)
    suite.equal(mine.enrol_password(token, GOOD).status, 200, "a first password with the token of an acceptance")
    suite.equal(mine.ask("GET", "/orgs/" + org).status, 200, "what the newcomer may read")
    name, _ = place.person(org=world.b.home)
    answer = invite(name)
    suite.equal((answer.status, "enrolmentToken" in answer.json()), (200, False), "accepting with an account")


TESTS = (test_password, test_password_beside_passkey, test_passwords_at_speed, test_without_a_name, test_passkeys, test_recovery, test_events,
         test_invitation)
