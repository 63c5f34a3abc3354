# SPDX-License-Identifier: Apache-2.0
"""People in a browser: the first passkey by a token, signing in, what a session may do, and how it ends. With every field of an answer wrong once, and
with requests that another site's page would make a browser send."""
import http.client
import json
import sys
import time

import sign_in_ways
from authenticator import Passkey, b64
from browser import COOKIE, Browser, Place, refused
from client import PATIENCE, wait_until
from cryptography.hazmat.primitives.asymmetric import ec
from streams_test import Follower
from suite import Suite, ends_on_signal
from world import PREFIX, World, no_limits, reeved, sql, start_node, tell_nodes

def test_cookie_is_its_person(suite, place):
    browser, _, name, person = place.signed_in("ORG_READ_ONLY")
    answer = browser.ask("GET", "/")
    suite.equal(answer.status, 200, "the root with a cookie: %r" % answer)
    caller = answer.json()["caller"]
    suite.equal((caller["id"], caller["type"], caller["name"]), (person, "USER", name), "who a cookie is")
    suite.equal(browser.ask("GET", "/orgs/" + place.world.a.home).status, 200, "what the person may read")
    suite.equal(browser.ask("GET", "/orgs/" + place.world.b.home).code(), "NOT_A_MEMBER", "where the person is nobody")
    refused(suite, browser.ask("PATCH", "/orgs/" + place.world.a.home, {"name": "X"}), 403, "MISSING_ROLE", "what the person may not")
    other = Browser(place.nodes[1])
    other.cookie, other.origin = browser.cookie, browser.origin
    suite.equal(other.ask("GET", "/").json()["caller"]["id"], person, "the same cookie at another node")
    stored = sql("SELECT count(*) FROM console_session s WHERE to_jsonb(s)::text LIKE '%%%s%%'" % browser.cookie[33:])
    suite.equal(stored, "0", "sessions with their secret in the database")
    flags = Browser(place.node).enrol(place.token(place.person()[0]), Passkey(place.node.base_url)).headers["set-cookie"]
    suite.check(flags.startswith(COOKIE + "=reeve_cs_") and all(one in flags for one in ("; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"))
                and "Domain" not in flags, "what the cookie says: %s", flags[:30] + flags[100:])


def test_other_sites(suite, place):
    browser, passkey, _, _ = place.signed_in()
    home = "/orgs/" + place.world.a.home
    rename = {"name": "Renamed by a page"}
    for what, more in (("no Origin", {"origin": None}), ("another Origin", {"origin": "https://evil.example"}), ("Origin null", {"origin": "null"}),
                       ("another port", {"origin": "https://localhost:1"}), ("plain http", {"origin": browser.origin.replace("https", "http")}),
                       ("a longer Origin", {"origin": browser.origin + ".evil.example"}), ("no Sec-Fetch-Site", {"site": None}),
                       ("a neighbour's page", {"site": "same-site"}), ("another site's page", {"site": "cross-site"}), ("a link", {"site": "none"})):
        refused(suite, browser.ask("PATCH", home, rename, **more), 403, "CROSS_SITE_REQUEST", "a change from " + what)
        refused(suite, browser.ask("POST", "/api/sign-out", {}, **more), 403, "CROSS_SITE_REQUEST", "signing out from " + what)
        body = passkey.sign(browser.challenge())
        refused(suite, browser.ask("POST", "/api/sign-in/passkey", body, **more), 403, "CROSS_SITE_REQUEST", "signing in from " + what)
    for site in ("same-site", "cross-site"):
        refused(suite, browser.ask("GET", home, site=site), 403, "CROSS_SITE_REQUEST", "a read from " + site)
    suite.equal(sql("SELECT count(*) FROM organization WHERE name = 'Renamed by a page'"), "0", "names that another site changed")
    suite.equal(browser.ask("PATCH", home, rename).status, 200, "the same from our own page")
    form = browser.ask("PATCH", home, b"name=x", more=[("Content-Type", "application/x-www-form-urlencoded")])
    suite.equal(form.status, 415, "a form")
    suite.equal(browser.ask("GET", "/", site="none").status, 200, "an address that the person typed")
    twice = "%s=%s; %s=%s" % (COOKIE, browser.cookie, COOKIE, browser.cookie)
    refused(suite, browser.ask("GET", "/", cookie=twice), 401, "SESSION_ENDED", "two cookies of the name")
    digest = browser.ask("GET", "/", cookie="a=b").all_headers.get("www-authenticate", [])
    suite.check(digest and not any("Digest" in one for one in digest), "a browser is offered a dialog: %r", digest)
    bearer = browser.connection.ask("PATCH", PREFIX + home, place.world.a.bearer(), {"name": "World A"}, [("Cookie", "%s=%s" % (COOKIE, browser.cookie))])
    suite.equal(bearer.status, 200, "a token counts alone, whatever cookie comes with it")


def test_wrong_cookies(suite, place):
    browser, _, _, _ = place.signed_in()
    good = browser.cookie
    other, _, _, _ = place.signed_in()
    for what, value in (("empty", ""), ("cut off", good[:-1]), ("longer", good + "x"), ("one character", good[:-1] + ("a" if good[-1] != "a" else "b")),
                        ("another session's secret", good[:33] + other.cookie[33:]), ("nobody's", "reeve_cs_" + "0" * 24 + good[33:]),
                        ("no prefix", good[9:]), ("a token for a passkey", place.token(place.person()[0])), ("spaces", " "), ("long", "x" * 4000)):
        refused(suite, browser.ask("GET", "/", cookie="%s=%s" % (COOKIE, value)), 401, "SESSION_ENDED", "a cookie that is " + what)
    suite.equal(browser.ask("GET", "/").status, 200, "the good one")
    # What somebody plants in a browser before the person signs in is worth nothing afterwards.
    victim, passkey, _, _ = place.signed_in()
    victim.cookie = other.cookie
    suite.equal(victim.sign_in(passkey).status, 200, "signing in over a planted cookie")
    suite.check(victim.cookie not in (other.cookie, good), "fixation: the planted cookie stays")


def test_ends(suite, place):
    browser, passkey, _, person = place.signed_in()
    second = Browser(place.node)
    suite.equal(second.sign_in(passkey).status, 200, "a second session")
    stream = Follower(place.nodes[1], "/orgs/%s/events" % place.world.a.home, None, more=["-H", "Cookie: %s=%s" % (COOKIE, second.cookie)])
    suite.check(stream.open.wait(10), "a stream with a cookie: %r", stream.raw)
    listed = browser.ask("GET", "/api/sessions").json()
    suite.equal((len(listed["results"]), listed["results"][0]["browser"]), (2, "Browser/1"), "sessions of the person")
    ended = next(one["sessionId"] for one in listed["results"] if one["sessionId"] != listed["currentSessionId"])
    elsewhere = Browser(place.nodes[1])
    elsewhere.origin, elsewhere.cookie = browser.origin, second.cookie
    suite.equal(elsewhere.ask("GET", "/").status, 200, "the second session at another node")
    stranger, _, _, _ = place.signed_in()
    refused(suite, stranger.ask("POST", "/api/sessions/end", {"sessionId": ended}), 404, "RESOURCE_NOT_FOUND", "another person ends it")
    began = time.monotonic()
    suite.equal(browser.ask("POST", "/api/sessions/end", {"sessionId": ended}).status, 204, "ending a session")
    took = wait_until(lambda: elsewhere.ask("GET", "/").code() == "SESSION_ENDED", 5)
    suite.check(took < 5 * PATIENCE, "a session that was ended works for %.1f s at another node", took)
    suite.check(stream.ended(5), "its stream goes on: %r", stream.raw)
    suite.say("an ended session: refused at another node after %.2f s, its stream over after %.2f s" % (took, time.monotonic() - began))
    refused(suite, second.ask("GET", "/"), 401, "SESSION_ENDED", "an ended session")
    kept = browser.cookie
    suite.equal(browser.ask("POST", "/api/sign-out").status, 204, "signing out")
    suite.equal(browser.cookie, None, "the cookie after signing out")
    wait_until(lambda: browser.ask("GET", "/", cookie="%s=%s" % (COOKIE, kept)).code() == "SESSION_ENDED", 5)
    for what, change in (("old", "expires_at = now() - interval '1 second'"), ("idle", "used_at = now() - interval '31 minutes'")):
        suite.equal(browser.sign_in(passkey).status, 200, "signing in")
        sql("UPDATE console_session SET %s WHERE person_id = decode('%s', 'hex')" % (change, person))
        sql("SELECT pg_notify('reeve_authority', 'all')")
        wait_until(lambda: browser.ask("GET", "/").code() == "SESSION_ENDED", 5)
        suite.passed += 1
        suite.equal(browser.ask("GET", "/api/sessions").code(), "SESSION_ENDED", "a session that is %s" % what)
    # One that ends by itself does so without anybody telling the nodes.
    browser.sign_in(passkey)
    left_s = 3 * PATIENCE  # more than it takes to be asked once
    tell_nodes("UPDATE console_session SET expires_at = now() + interval '%f seconds' WHERE person_id = decode('%s', 'hex')" % (left_s, person))
    suite.equal(browser.ask("GET", "/").status, 200, "a session before its end")
    time.sleep(left_s + 0.2)
    refused(suite, browser.ask("GET", "/"), 401, "SESSION_ENDED", "a session that a node has in memory, after its end")


def test_use_is_noted(suite, place):
    browser, _, _, person = place.signed_in()
    tell_nodes("UPDATE console_session SET used_at = now() - interval '10 minutes' WHERE person_id = decode('%s', 'hex')" % person)
    browser.ask("GET", "/")
    age = sql("SELECT now() - used_at < interval '1 minute' FROM console_session WHERE person_id = decode('%s', 'hex')" % person)
    suite.equal(age, "t", "a session that is used is not idle")


WRONG = (
    ("another type", {"type": "webauthn.create"}), ("another challenge", {"said": b64(b"x" * 32)}), ("another origin", {"origin": "https://evil.example"}),
    ("http", {"origin": "http://localhost"}), ("a frame", {"crossOrigin": True}), ("another service's key", {"rp_id": "evil.example"}),
    ("nobody there", {"flags": 0x04}), ("nobody verified", {"flags": 0x01}), ("a counter that stays", {"counter": 1}), ("a spoilt signature", {"spoilt": True}),
    ("another key", {"key": ec.generate_private_key(ec.SECP256R1())}), ("nobody's passkey", {"credential": b"x" * 32}),
)


def test_forged_answers(suite, place):
    browser, passkey, _, _ = place.signed_in()
    _, other_key, _, _ = place.signed_in()
    for what, wrong in WRONG:
        refused(suite, Browser(place.node).sign_in(passkey, **wrong), 401, "SIGN_IN_REFUSED", "signing in with " + what)
        refused(suite, browser.confirm(passkey, **wrong), 401, "SIGN_IN_REFUSED", "confirming with " + what)
    fresh = Browser(place.node)
    body = passkey.sign(fresh.challenge())
    suite.equal(fresh.ask("POST", "/api/sign-in/passkey", body).status, 200, "signing in")
    refused(suite, Browser(place.node).ask("POST", "/api/sign-in/passkey", body), 401, "SIGN_IN_REFUSED", "the same answer again")
    elsewhere = Browser(place.nodes[1])
    elsewhere.origin = browser.origin
    refused(suite, elsewhere.ask("POST", "/api/sign-in/passkey", body), 401, "SIGN_IN_REFUSED", "the same answer at another node")
    suite.equal(fresh.ask("POST", "/api/sign-out").status, 204, "signing out")
    refused(suite, fresh.ask("POST", "/api/sign-in/passkey", body), 401, "SIGN_IN_REFUSED", "the same answer after signing out")
    for what, use in (("to confirm", "confirm"),):
        refused(suite, fresh.ask("POST", "/api/sign-in/passkey", passkey.sign(fresh.challenge(use))), 401, "SIGN_IN_REFUSED", "a challenge " + what)
    refused(suite, browser.ask("POST", "/api/sign-in/confirm", passkey.sign(browser.challenge("signIn"))), 401, "SIGN_IN_REFUSED", "a challenge to sign in")
    refused(suite, fresh.ask("POST", "/api/sign-in/passkey", passkey.sign(b64(b"x" * 32))), 401, "SIGN_IN_REFUSED", "a challenge of nobody")
    refused(suite, fresh.ask("POST", "/api/sign-in/passkey", passkey.sign(b64(b"x" * 16))), 401, "SIGN_IN_REFUSED", "a short challenge")
    refused(suite, browser.confirm(other_key), 401, "SIGN_IN_REFUSED", "another person's passkey confirms")
    refused(suite, Browser(place.node).confirm(passkey), 401, "SESSION_ENDED", "confirming without a session")
    for what, body in (("a list", []), ("nothing", {}), ("a number", {"challenge": 1}), ("something else", {**passkey.sign(fresh.challenge()), "more": 1}),
                       ("no base64url", {**passkey.sign(fresh.challenge()), "signature": "+/=="}), ("too long", {**passkey.sign(fresh.challenge()), "clientData": "A" * 9000})):
        suite.equal(fresh.ask("POST", "/api/sign-in/passkey", body).status, 400, "signing in with " + what)
    suite.equal(fresh.ask("POST", "/api/sign-in/passkey").status, 415, "signing in with no body")
    suite.equal(fresh.ask("POST", "/api/sign-in/passkey", {"challenge": "A" * 20000}).status, 413, "a large body of a stranger")


def test_first_passkey(suite, place):
    name, person = place.person()
    token = place.token(name)
    browser, passkey = Browser(place.node), Passkey(place.node.base_url)
    for what, more in (*[("%s, when it is made" % what, {"registration": wrong}) for what, wrong in WRONG if set(wrong) & {"said", "origin", "crossOrigin", "rp_id", "flags"}],
                       *[("%s, when it signs" % what, {"assertion": wrong}) for what, wrong in WRONG if what not in ("nobody's passkey", "a counter that stays")],
                       ("the type of an assertion", {"registration": {"type": "webauthn.get"}}),
                       ("a public key that is none", {"public_key": b64(b"x" * 91)})):
        refused(suite, browser.enrol(token, passkey, **more), 401, "SIGN_IN_REFUSED", "a first passkey with " + what)
    suite.equal(sql("SELECT count(*) FROM passkey WHERE person_id = decode('%s', 'hex')" % person), "0", "passkeys of wrong answers")
    newer = place.token(name)
    refused(suite, browser.enrol(token, passkey), 401, "SIGN_IN_REFUSED", "a token after a newer one")
    suite.equal(browser.enrol(newer, passkey, name="Key ring").status, 200, "a first passkey")
    suite.equal(sql("SELECT name FROM passkey WHERE person_id = decode('%s', 'hex')" % person), "Key ring", "its name")
    refused(suite, Browser(place.node).enrol(newer, Passkey(place.node.base_url)), 401, "SIGN_IN_REFUSED", "the same token again")
    again = reeved("enrol", name, "--config", place.node.conf, ok=False)
    suite.check(again.returncode == 1 and "has a passkey or a password already" in again.stderr and not again.stdout, "a token for somebody with a passkey: %r", again)
    nobody = reeved("enrol", "nobody@example.org", "--config", place.node.conf, ok=False)
    suite.check(nobody.returncode == 1 and not nobody.stdout, "a token for nobody: %r", nobody)
    # A token that was made before there was a passkey opens nothing afterwards.
    late, late_id = place.person()
    token = place.token(late)
    sql("INSERT INTO passkey (id, person_id, credential, public_key, name) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), 'c', 'k', 'n')" % (late_id, late_id))
    refused(suite, Browser(place.node).enrol(token, Passkey(place.node.base_url)), 401, "SIGN_IN_REFUSED", "a token for an account with a passkey")
    expired, expired_id = place.person()
    token = place.token(expired)
    sql("UPDATE enrolment SET expires_at = now() WHERE person_id = decode('%s', 'hex')" % expired_id)
    refused(suite, Browser(place.node).enrol(token, Passkey(place.node.base_url)), 401, "SIGN_IN_REFUSED", "an expired token")
    same, _ = place.person()
    refused(suite, Browser(place.node).enrol(place.token(same), passkey), 401, "SIGN_IN_REFUSED", "the passkey of somebody else")
    suite.equal(sql("SELECT count(*) FROM enrolment e WHERE to_jsonb(e)::text LIKE '%reeve_en%'"), "0", "tokens in the database")


def test_provider_decides(suite, place):
    """An organization whose people sign in with its own provider is not opened by a passkey."""
    browser, _, name, _ = place.signed_in()
    place.world.make_person(name, place.world.b.home, "ORG_OWNER")
    sql("SELECT pg_notify('reeve_authority', 'all')")
    org = place.world.b.home
    wait_until(lambda: browser.ask("GET", "/orgs/" + org).status == 200, 5)
    federation = place.world.federation[org]
    sql("INSERT INTO identity_provider (id, federation_id, protocol, issuer_uri, status, domains, settings) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), 'OIDC', 'https://i.example', 'ACTIVE', '{}', '{}'); "
        "UPDATE connected_organization SET provider_id = decode('%s', 'hex') WHERE org_id = decode('%s', 'hex'); SELECT pg_notify('reeve_authority', 'federation:%s')"
        % (org, federation, org, org, federation))
    wait_until(lambda: browser.ask("GET", "/orgs/" + org).code() == "NOT_A_MEMBER", 5)
    listed = [one["id"] for one in browser.ask("GET", "/orgs").json()["results"]]
    suite.equal(listed, [place.world.a.home], "organizations of a session")
    suite.equal(browser.ask("GET", "/orgs/" + place.world.a.home).status, 200, "an organization without a provider")
    sql("UPDATE connected_organization SET provider_id = NULL WHERE org_id = decode('%s', 'hex'); SELECT pg_notify('reeve_authority', 'federation:%s')" % (org, federation))
    wait_until(lambda: browser.ask("GET", "/orgs/" + org).status == 200, 5)
    suite.passed += 2


def test_step_up(suite, place):
    browser, passkey, _, person = place.signed_in()
    project = browser.ask("POST", "/groups", {"name": "grave", "orgId": place.world.a.home})
    suite.check(project.status in (200, 201), "a project: %r", project)
    project = project.json()["id"]
    tell_nodes("UPDATE console_session SET verified_at = now() - interval '6 minutes' WHERE person_id = decode('%s', 'hex')" % person)
    org = place.world.a.home
    key = {"desc": "k", "roles": ["ORG_MEMBER"]}
    for what, method, target, body in (("a deletion", "DELETE", "/groups/" + project, None), ("a new API key", "POST", "/orgs/%s/apiKeys" % org, key),
                                       ("a new service account", "POST", "/orgs/%s/serviceAccounts" % org, {
                                           "name": "n", "description": "d", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8})):
        refused(suite, browser.ask(method, target, body), 403, "STEP_UP_REQUIRED", what + " without the passkey")
    suite.equal(browser.ask("GET", "/groups/" + project).status, 200, "a read needs none")
    suite.equal(browser.confirm(passkey).status, 200, "confirming with the passkey")
    suite.check(browser.ask("POST", "/orgs/%s/apiKeys" % org, key).status in (200, 201), "a new API key")
    suite.check(browser.ask("DELETE", "/groups/" + project).status in (200, 202, 204), "a deletion")


def test_operators_port(suite, place):
    browser, _, _, _ = place.signed_in()
    port = http.client.HTTPConnection("127.0.0.1", place.node.operator_port, timeout=10)
    port.request("GET", "/operator/v1/hosts", headers={"Cookie": "%s=%s" % (COOKIE, browser.cookie), "Sec-Fetch-Site": "same-origin"})
    answer = port.getresponse()
    suite.equal((answer.status, json.loads(answer.read()).get("errorCode")), (401, "OPERATOR_TOKEN_REQUIRED"), "a tenant's cookie at the operators' port")
    port.request("GET", "/operator/v1/hosts", headers={"Authorization": "Bearer " + browser.cookie})
    suite.equal(port.getresponse().status, 401, "a cookie's value as an operator's token")
    answer = browser.connection.ask("GET", PREFIX + "/", None, headers=[("Authorization", "Bearer " + browser.cookie)])
    suite.equal(answer.status, 401, "a cookie's value as a bearer token")


def main():
    ends_on_signal()
    suite = Suite("sessions")
    with start_node() as node, start_node(migrate=False, settings={"base_url": node.base_url}) as other:
        world = World(node, with_roles=False)
        no_limits([world.a.home, world.b.home])
        place = Place(suite, world, (node, other))
        for test in (test_cookie_is_its_person, test_other_sites, test_wrong_cookies, test_ends, test_use_is_noted, test_forged_answers,
                     test_first_passkey, test_provider_decides, test_step_up, test_operators_port, *sign_in_ways.TESTS):
            test(suite, place)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
