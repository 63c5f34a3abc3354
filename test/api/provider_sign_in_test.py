# SPDX-License-Identifier: Apache-2.0
"""People who sign in on the pages of a real OpenID Connect provider (identity_provider/): the way there and back, what the session opens, and how it ends. With every
part of what comes back wrong once, and with a provider that answers as no honest one would."""
import os
import sys
import tempfile
import threading
import time
import urllib.parse

from browser import Browser, refused
from client import PATIENCE, wait_until
from device_test import Device, bearer, decide, look
from authenticator import Passkey
from federation_test import IdentityProvider, Place
from provider_browser import VISIT, Traveller, let_people_in, wrong
from suite import Suite, ends_on_signal
from webhooks_test import Worker
from world import World, connect, reeved, sql, start_node, tell_nodes

ADA, DEE = "ada@federated.example", "dee@federated.example"


def signed_in(suite, place, who=ADA):
    browser = Traveller(place.node)
    answer = browser.sign_in(who)
    suite.equal(answer.status, 200, "signing in with the provider: %r" % answer)
    return browser


def forget_confirmation():
    tell_nodes("UPDATE console_session SET verified_at = now() - interval '6 minutes'")


def device_let_in(suite, browser, node):
    """A device that was approved in a browser's session, and has not asked for its token yet."""
    device = Device(node)
    look(browser, device)
    device.poll()
    suite.equal(decide(browser, look(browser, device).json()["deviceId"]).status, 204, "letting in a device")
    return device


def token_of(device):
    answers = []
    wait_until(lambda: answers.append(device.poll().json()) or "access_token" in answers[-1], 30)
    return answers[-1]


def refused_soon(browser):
    return wait_until(lambda: browser.ask("GET", "/").code() == "SESSION_ENDED", 5)


# ---- There and back ----
def test_begin(suite, place):
    before = sql("SELECT (SELECT count(*) FROM console_session), (SELECT count(*) FROM used_challenge)")
    browser = Traveller(place.node)
    answer = browser.begin(ADA)
    suite.equal(answer.status, 200, "beginning: %r" % answer)
    url = answer.json()["authorizationUrl"]
    asked = {name: values[0] for name, values in urllib.parse.parse_qs(urllib.parse.urlsplit(url).query).items()}
    suite.check(url.startswith(place.provider.issuer + "/auth?"), "where the browser goes: %s", url)
    suite.equal((asked["response_type"], asked["client_id"], asked["redirect_uri"], asked["scope"], asked["code_challenge_method"], asked["login_hint"]),
                ("code", "console", "%s/console/sign-in/provider/%s" % (place.node.base_url, place.idp), "openid email groups", "S256", ADA), "what the provider is asked")
    suite.equal([len(asked[name]) for name in ("state", "nonce", "code_challenge")], [43] * 3, "what goes along")
    flags = answer.all_headers["set-cookie"][0]
    suite.check(flags.startswith(VISIT + "=") and all(one in flags for one in ("; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Max-Age=600")), "the cookie: %s", flags)
    suite.check(not any(browser.visit in value or value in browser.visit for value in asked.values()), "what is in the cookie is in the address")
    again = Traveller(place.node).begin("NOBODY@Federated.example").json()
    suite.equal(set(again), {"authorizationUrl"}, "nobody's address is answered otherwise")
    for name in ("somebody@elsewhere.example", "somebody", "@", "a@b@federated.example"):
        refused(suite, Traveller(place.node).begin(name), 401, "SIGN_IN_REFUSED", "an address of a domain without a provider: " + name)
    for what, more in (("another site's page", {"origin": "https://evil.example", "site": "cross-site"}), ("no page", {"origin": None, "site": None})):
        for path, body in (("", {"username": ADA}), ("/finish", {}), ("/confirm", {})):
            refused(suite, Traveller(place.node).ask("POST", "/api/sign-in/provider" + path, body, **more), 403, "CROSS_SITE_REQUEST", "POST %s from %s" % (path, what))
    suite.equal(sql("SELECT (SELECT count(*) FROM console_session), (SELECT count(*) FROM used_challenge)"), before, "what is kept of those who only begin")


def test_sign_in(suite, place):
    browser = Traveller(place.node)
    body = browser.go(browser.begin(ADA.upper()))
    visit = browser.visit
    elsewhere = Traveller(place.other)
    elsewhere.origin, elsewhere.visit = browser.origin, visit
    answer = elsewhere.finish(body)
    suite.equal((answer.status, answer.json().get("username")), (200, ADA), "signing in at another node: %r" % answer)
    suite.check(elsewhere.visit is None and elsewhere.cookie.startswith("reeve_cs_"), "the cookies afterwards")
    browser.cookie = elsewhere.cookie
    caller = browser.ask("GET", "/").json()["caller"]
    suite.equal((caller["id"], caller["name"], caller["type"]), (place.ada, ADA, "USER"), "who it is")
    suite.equal(browser.ask("GET", "/orgs/" + place.owner.home).status, 200, "the organization that uses the provider")
    refused(suite, browser.ask("GET", "/orgs/" + place.elsewhere.home), 401, "NOT_A_MEMBER", "an organization of the same person that does not")
    suite.equal([one["id"] for one in browser.ask("GET", "/orgs").json()["results"]], [place.owner.home], "organizations of the session")
    suite.equal(browser.ask("GET", "/groups/" + place.foreign).status, 401, "a project elsewhere")
    listed = browser.ask("GET", "/api/sessions").json()
    suite.equal([(one["sessionId"], one["identityProviderId"]) for one in listed["results"]], [(listed["currentSessionId"], place.idp)], "the list of sessions")
    event = place.must(200, "GET", "/orgs/%s/events?eventType=USER_SIGNED_IN" % place.owner.home)["results"][0]
    suite.check("IDENTITY_PROVIDER" in str(event) and ADA in str(event), "the event: %r", event)
    suite.equal(place.must(200, "GET", "/orgs/%s/events?eventType=USER_SIGNED_IN" % place.elsewhere.home, caller=place.elsewhere)["totalCount"], 0, "events elsewhere")
    for what, who, more in (("at another node", Traveller(place.node), {}), ("at the same one", Traveller(place.other), {})):
        who.origin, who.visit = browser.origin, visit
        refused(suite, who.finish(body), 401, "SIGN_IN_REFUSED", "the same answer again, " + what)
    logs = "".join(str(line) for node in (place.node, place.other) for line in node.log_lines())
    suite.check(body["code"] not in logs and body["state"] not in logs and visit not in logs, "codes are in a log")


def test_roles(suite, place):
    """Groups of the ID token give roles, as those of tokens do."""
    mapping = place.must(200, "POST", place.config + "/roleMappings", {"externalGroupName": "people", "roleAssignments": [{"groupId": place.project, "role": "GROUP_OWNER"}]})
    browser = signed_in(suite, place)
    suite.equal(browser.ask("PATCH", "/groups/" + place.project, {"name": "mapped"}).status, 200, "what a group of the token gives")
    place.must(204, "DELETE", place.config + "/roleMappings/" + mapping["id"])
    wait_until(lambda: browser.ask("PATCH", "/groups/" + place.project, {"name": "mapped"}).status in (401, 403), 5)
    suite.passed += 1


# ---- What comes back is wrong ----
def test_wrong_answers(suite, place):
    other = Traveller(place.node)
    other.begin(ADA)
    for what, change in (("another state", {"state": "A" * 43}), ("a short state", {"state": "A"}), ("another provider's address", {"identityProviderId": "0" * 24}),
                         ("another issuer", {"issuer": "https://evil.example"}), ("another code", {"code": "A" * 43})):
        refused(suite, Traveller(place.node).sign_in(ADA, change), 401, "SIGN_IN_REFUSED", "an answer with " + what)
    browser = Traveller(place.node)
    body = browser.go(browser.begin(ADA))
    good = browser.visit
    refused(suite, browser.finish({name: value for name, value in body.items() if name != "issuer"}), 401, "SIGN_IN_REFUSED", "an answer without the issuer, which this provider says")
    for what, visit in (("no cookie", None), ("another browser's cookie", other.visit), ("a cookie that is cut off", good[:-1]), ("a longer cookie", good + "A"), ("nonsense", "x"),
                        *(("one letter of the cookie at %d" % at, good[:at] + ("A" if good[at] != "A" else "B") + good[at + 1:]) for at in (0, 5, 7, 30, 50, 60, 100))):
        browser.visit = visit
        refused(suite, browser.finish(body), 401, "SIGN_IN_REFUSED", "an answer with " + what)
    twice = "%s=%s; %s=%s" % (VISIT, good, VISIT, good)
    refused(suite, browser.finish(body, cookie=twice), 401, "SIGN_IN_REFUSED", "two cookies of the name")
    browser.visit = good
    refused(suite, browser.finish({**body, "code": "A" * 43}), 401, "SIGN_IN_REFUSED", "an answer with another code in the same browser")
    suite.equal(browser.finish(body).status, 200, "after all of that, the answer itself")
    # The code of one browser in another one, which began by itself: the provider sees the other one's verifier.
    victim, thief = Traveller(place.node), Traveller(place.node)
    stolen, own = victim.go(victim.begin(ADA)), thief.go(thief.begin(ADA))
    refused(suite, thief.finish({**own, "code": stolen["code"]}), 401, "SIGN_IN_REFUSED", "another browser's code")
    for body in ({}, [], {"code": 1}, {**own, "more": 1}, {**own, "code": ""}, {**own, "code": "x" * 5000}):
        suite.equal(Traveller(place.node).finish(body).status, 400, "a body that is none: %r" % str(body)[:40])


def test_wrong_tokens(suite, place):
    now = int(time.time())
    for what, spoilt in (("nonce", {"claims": {"nonce": "A" * 43}}), ("no nonce", {"claims": {"nonce": None}}), ("issuer", {"claims": {"iss": "https://evil.example"}}),
                         ("audience", {"claims": {"aud": "other"}}), ("the API's audience", {"claims": {"aud": "urn:reeve"}}),
                         ("two audiences without azp", {"claims": {"aud": ["console", "other"]}}), ("azp", {"claims": {"azp": "other"}}),
                         ("end", {"claims": {"exp": now - 120}}), ("no end", {"claims": {"exp": None}}), ("beginning", {"claims": {"iat": now + 600}}), ("not before", {"claims": {"nbf": now + 600}}),
                         ("no address", {"claims": {"email": None}}), ("an address elsewhere", {"claims": {"email": "eve@elsewhere.example"}}), ("nobody's address", {"claims": {"email": "nobody@federated.example"}}),
                         ("somebody of another organization", {"claims": {"email": "bob@federated.example"}}), ("an address that is not verified", {"claims": {"email_verified": False}}),
                         ("signature", {"spoilt": True}), ("alg none", {"header": {"alg": "none"}, "signature": ""}), ("alg HS256", {"header": {"alg": "HS256", "kid": "one"}}),
                         ("a key of another kind", {"header": {"alg": "ES256", "kid": "one"}}), ("an unknown key", {"signedHeader": {"kid": "unknown"}}),
                         ("crit", {"signedHeader": {"crit": ["x"]}}), ("no ID token", {"drop": "id_token"})):
        wrong(place.provider, **spoilt)
        refused(suite, Traveller(place.node).sign_in(ADA), 401, "SIGN_IN_REFUSED", "an ID token with a wrong " + what)
    wrong(place.provider, claims={"azp": "console", "aud": ["console", "other"]}, kid="two")
    suite.equal(Traveller(place.node).sign_in(ADA).status, 200, "two audiences with azp, signed with ES256")
    wrong(place.provider)


def test_wrong_servers(suite, place):
    """What the token endpoint does to us, and where it would have us go."""
    inner = "https://127.0.0.1:%d/jwks" % place.provider.port
    for what, spoilt in (("nothing of JSON", {"text": "<html>"}), ("a list", {"text": "[]"}), ("nothing", {"text": ""}), ("a megabyte", {"bytes": 1 << 20}), ("a token of 200 kB", {"bytes": 200000}), ("an error", {"status": 500, "body": "x"}),
                         ("a redirect", {"status": 307, "body": "", "location": inner}), ("a created answer", {"status": 201, "body": {"id_token": "x"}})):
        wrong(place.provider, **spoilt)
        refused(suite, Traveller(place.node).sign_in(ADA), 401, "SIGN_IN_REFUSED", "a token endpoint that answers " + what)
    asked = wrong(place.provider, waitMs=20000)
    slow = [Traveller(place.node) for _ in range(3)]
    bodies = [one.go(one.begin(ADA)) for one in slow]
    answers, began = [], time.monotonic()
    both = [threading.Thread(target=lambda one=one, body=body: answers.append(one.finish(body))) for one, body in list(zip(slow, bodies))[:2]]
    for one in both:
        one.start()
    wait_until(lambda: wrong(place.provider, waitMs=20000) >= asked + 2, 5)
    third = slow[2].finish(bodies[2])
    suite.equal((third.status, third.headers.get("retry-after")), (503, "1"), "a third one while two wait for the same organization's provider: %r" % third)
    quick = connect(place.node)
    began_other = time.monotonic()
    suite.equal(quick.ask("GET", "/api/svc/v2/orgs/" + place.elsewhere.home, place.elsewhere.bearer()).status, 200, "others meanwhile")
    suite.check(time.monotonic() - began_other < 2 * PATIENCE, "others wait for a slow provider")
    for one in both:
        one.join()
    took = time.monotonic() - began
    suite.check(took < 10 * PATIENCE, "a slow provider is waited for %.1f s", took)
    for answer in answers:
        refused(suite, answer, 401, "SIGN_IN_REFUSED", "a slow token endpoint")
    wrong(place.provider)
    suite.equal(slow[2].finish(bodies[2]).status, 200, "the third one, who tries again")
    pages = sql("SELECT pages FROM identity_provider WHERE id = decode('%s', 'hex')" % place.idp)
    for what, address in (("another address of loopback", "127.0.0.2"), ("a private one", "10.0.0.1"), ("that of a cloud", "169.254.169.254"), ("a name of this machine", "localhost.localdomain")):
        sql("UPDATE identity_provider SET pages = jsonb_set(pages, '{token}', '\"https://%s:%d/token\"')" % (address, place.provider.port))
        asked = wrong(place.provider)
        refused(suite, Traveller(place.node).sign_in(ADA), 401, "SIGN_IN_REFUSED", "a token endpoint at " + what)
        suite.equal(wrong(place.provider), asked, "requests to " + what)
    sql("UPDATE identity_provider SET pages = '%s'" % pages)


def test_changes_meanwhile(suite, place):
    """Between the way there and the way back."""
    for what, there, back in (
            ("the organization does not use it any more", lambda: place.must(200, "PATCH", place.config, {"identityProviderId": None}), lambda: place.must(200, "PATCH", place.config, {"identityProviderId": place.idp})),
            ("it is switched off", lambda: place.must(200, "PATCH", place.path, {"status": "INACTIVE"}), lambda: place.must(200, "PATCH", place.path, {"status": "ACTIVE"})),
            ("it has no client any more", lambda: place.must(200, "PATCH", place.path, {"clientId": None}), lambda: place.must(200, "PATCH", place.path, {"clientId": "console"})),
            ("the domain is not the federation's any more", lambda: place.operator("remove-domain", place.owner.home, "federated.example"), lambda: place.operator("add-domain", place.owner.home, "federated.example"))):
        browser = Traveller(place.node)
        body = browser.go(browser.begin(ADA))
        there()
        refused(suite, browser.finish(body), 401, "SIGN_IN_REFUSED", "finishing when " + what)
        back()
    place.wait_for_keys()
    cid = "cid@federated.example"
    cid_id = place.world.make_person(cid, place.owner.home)
    browser = Traveller(place.node)
    body = browser.go(browser.begin(cid))
    place.must(204, "DELETE", "/orgs/%s/users/%s" % (place.owner.home, cid_id))
    refused(suite, browser.finish(body), 401, "SIGN_IN_REFUSED", "finishing when the person was removed")


def test_mix_up(suite, place, second):
    """Two providers of one domain: the browser chooses, and what one gives counts nowhere else."""
    browser = Traveller(place.node)
    offered = browser.begin(ADA).json()
    suite.equal(sorted(one["id"] for one in offered["identityProviders"]), sorted([place.idp, place.second]), "both are offered: %r" % offered)
    suite.check(browser.visit is None, "a choice goes nowhere yet")
    # The browser began with the second one, which sends it to the first one's pages instead: its code must not be taken to the second one's server.
    began = browser.begin(ADA, identityProviderId=place.second)
    asked = {name: values[0] for name, values in urllib.parse.parse_qs(urllib.parse.urlsplit(began.json()["authorizationUrl"]).query).items()}
    for what, back in (("to its own address", "%s/console/sign-in/provider/%s" % (place.node.base_url, place.idp)),
                       ("to the other one's address", "%s/console/sign-in/provider/%s" % (place.node.base_url, place.second))):
        url = place.provider.issuer + "/auth?" + urllib.parse.urlencode({**asked, "redirect_uri": back})
        body = browser.body_of(*browser.travel(url))
        count = wrong(second)
        refused(suite, browser.finish(body), 401, "SIGN_IN_REFUSED", "mix-up: another provider's code, which comes back " + what)
        suite.equal(wrong(second), count, "mix-up: the code was shown to the other provider's server, " + what)
    answer = Traveller(place.node).sign_in(ADA, identityProviderId=place.idp)
    suite.equal(answer.status, 200, "with the one that was chosen: %r" % answer)


# ---- What the session may do ----
def test_confined(suite, place):
    """Whoever configures a provider decides whom it names: such a session must not get what opens more than the provider's organizations."""
    ada = Browser(place.node)
    if sql("SELECT count(*) FROM passkey WHERE person_id = decode('%s', 'hex')" % place.ada) == "0":
        answer = ada.enrol(reeved("enrol", ADA, "--config", place.node.conf).strip(), Passkey(place.node.base_url))
        suite.equal(answer.status, 200, "a passkey of the same person: %r" % answer)
    browser = signed_in(suite, place)
    passkey = Passkey(place.node.base_url)
    for method, path, body in (("GET", "/api/passkeys", None), ("POST", "/api/passkeys/begin", {}), ("POST", "/api/password", {"password": "a long enough secret"}), ("POST", "/api/password/remove", {}),
                               ("POST", "/api/passkeys/add", {"publicKey": passkey.public_key(), "registration": {}, "assertion": {}}),
                               ("POST", "/api/passkeys/rename", {"passkeyId": "0" * 24, "name": "x"}), ("POST", "/api/passkeys/remove", {"passkeyId": "0" * 24})):
        refused(suite, browser.ask(method, path, body), 403, "SESSION_OF_PROVIDER", "%s %s in a session of a provider" % (method, path))
    own = ada.ask("GET", "/api/sessions").json()
    suite.check(len(own["results"]) > 1, "the person themselves sees both: %r", own)
    suite.equal({one["identityProviderId"] for one in browser.ask("GET", "/api/sessions").json()["results"]}, {place.idp}, "sessions that a session of a provider sees")
    refused(suite, browser.ask("POST", "/api/sessions/end", {"sessionId": own["currentSessionId"]}), 404, "RESOURCE_NOT_FOUND", "it ends one of another kind")
    suite.equal(ada.ask("GET", "/orgs/" + place.elsewhere.home).status, 200, "the passkey opens the other organization")
    refused(suite, ada.ask("GET", "/orgs/" + place.owner.home), 401, "NOT_A_MEMBER", "and not that with the provider")
    refused(suite, ada.ask("POST", "/api/sign-in/provider/confirm", {}), 401, "SIGN_IN_REFUSED", "a session without a provider confirms with one")
    # What it lets in opens no more than it does itself.
    token = token_of(device_let_in(suite, browser, place.node))
    suite.check(token["expires_in"] <= 12 * 3600, "how long a device of a provider's session lasts: %r s", token["expires_in"])
    suite.equal(bearer(place.node, token["access_token"], path="/orgs/" + place.owner.home).status, 200, "the device in the organization")
    suite.equal(bearer(place.node, token["access_token"], path="/orgs/" + place.elsewhere.home).status, 401, "the device elsewhere")


def test_step_up(suite, place):
    browser = signed_in(suite, place, DEE)
    key = "/orgs/%s/apiKeys" % place.owner.home
    body = {"desc": "k", "roles": ["ORG_MEMBER"]}
    suite.equal(browser.ask("POST", key, body).status, 200, "signed in a moment ago, by the provider's own words")
    forget_confirmation()
    wait_until(lambda: browser.ask("POST", key, body).code() == "STEP_UP_REQUIRED", 5)
    pages = sql("SELECT pages FROM identity_provider WHERE id = decode('%s', 'hex')" % place.idp)
    sql("UPDATE identity_provider SET pages = NULL")
    refused(suite, browser.ask("POST", "/api/sign-in/provider/confirm", {}), 401, "SIGN_IN_REFUSED", "confirming while the provider's pages are not known")
    suite.equal(browser.ask("GET", "/").status, 200, "the session goes on meanwhile")
    sql("UPDATE identity_provider SET pages = '%s'" % pages)
    asked = browser.ask("POST", "/api/sign-in/provider/confirm", {})
    words = urllib.parse.parse_qs(urllib.parse.urlsplit(asked.json()["authorizationUrl"]).query)
    suite.equal((words["prompt"], words["max_age"]), (["login"], ["0"]), "the provider must ask anew")
    now = int(time.time())
    for what, claims in (("does not say when", {"auth_time": None}), ("asked yesterday", {"auth_time": now - 86400}), ("asked before", {"auth_time": now - 120}), ("will ask", {"auth_time": now + 3600}),
                         ("names somebody else", {"email": ADA})):
        wrong(place.provider, claims=claims)
        refused(suite, browser.confirm(), 401, "SIGN_IN_REFUSED", "a provider that %s" % what)
    wrong(place.provider)
    suite.equal(browser.ask("POST", key, body).code(), "STEP_UP_REQUIRED", "after all of these")
    stranger = signed_in(suite, place, DEE)
    body_of_other = stranger.go(stranger.ask("POST", "/api/sign-in/provider/confirm", {}))
    browser.visit = stranger.visit
    refused(suite, browser.finish(body_of_other), 401, "SIGN_IN_REFUSED", "another session's confirmation")
    alone = Traveller(place.node)
    alone.visit = stranger.visit
    refused(suite, alone.finish(body_of_other), 401, "SESSION_ENDED", "a confirmation without its session")
    forget_confirmation()
    wait_until(lambda: browser.ask("POST", key, body).code() == "STEP_UP_REQUIRED", 5)
    answer = browser.confirm()
    suite.equal((answer.status, answer.json().get("username"), "sessionId" in answer.json()), (200, DEE, False), "confirming at the provider: %r" % answer)
    suite.equal(browser.ask("POST", key, body).status, 200, "after the confirmation")


def test_ends(suite, place):
    browser = signed_in(suite, place)
    cookie = browser.cookie
    suite.equal(browser.ask("POST", "/api/sign-out").status, 204, "signing out")
    browser.cookie = cookie
    refused_soon(browser)
    domains = place.must(200, "GET", place.path)["associatedDomains"]
    for what, comes_back, end, back in (
            ("the organization uses no provider", True, lambda: place.must(200, "PATCH", place.config, {"identityProviderId": None}), lambda: place.must(200, "PATCH", place.config, {"identityProviderId": place.idp})),
            ("the provider is off", False, lambda: place.must(200, "PATCH", place.path, {"status": "INACTIVE"}), lambda: place.must(200, "PATCH", place.path, {"status": "ACTIVE"})),
            ("its keys are revoked", False, lambda: place.must(204, "DELETE", place.path + "/jwks"), lambda: None),
            ("its audience is another one", False, lambda: place.must(200, "PATCH", place.path, {"audience": "urn:other"}), lambda: place.must(200, "PATCH", place.path, {"audience": "urn:reeve"})),
            ("it has no domains", False, lambda: place.must(200, "PATCH", place.path, {"associatedDomains": []}), lambda: place.must(200, "PATCH", place.path, {"associatedDomains": domains})),
            ("the domain is gone", False, lambda: place.operator("remove-domain", place.owner.home, "federated.example"), lambda: place.operator("add-domain", place.owner.home, "federated.example"))):
        browser = signed_in(suite, place)
        elsewhere = Traveller(place.other)
        elsewhere.origin, elsewhere.cookie = browser.origin, browser.cookie
        suite.equal(elsewhere.ask("GET", "/").status, 200, "the session at another node")
        end()
        took = [refused_soon(one) for one in (browser, elsewhere)]
        suite.check(max(took) < 5 * PATIENCE, "when %s, the session goes on for %r s", what, took)
        back()
        place.wait_for_keys()
        wait_until(lambda: Traveller(place.node).sign_in(ADA).status == 200, 5)
        if comes_back:
            wait_until(lambda: browser.ask("GET", "/").status == 200, 5)
        else:
            suite.equal(browser.ask("GET", "/").code(), "SESSION_ENDED", "a session of before, when it is over that %s" % what)
    browser = signed_in(suite, place)
    place.must(200, "PATCH", place.path, {"displayName": "Another label"})
    suite.equal(browser.ask("GET", "/").status, 200, "a session after a change of the label")
    kim = "kim@federated.example"
    kim_id = place.world.make_person(kim, place.owner.home)
    browser = signed_in(suite, place, kim)
    place.must(204, "DELETE", "/orgs/%s/users/%s" % (place.owner.home, kim_id))
    suite.check(refused_soon(browser) < 5 * PATIENCE, "the session of somebody who was removed")


def test_device_ends(suite, place):
    """What ends the session in which a device was approved ends the device, also if it has not asked for its token yet."""
    device = device_let_in(suite, signed_in(suite, place), place.node)
    place.must(204, "DELETE", place.path + "/jwks")
    token = token_of(device)
    place.wait_for_keys()
    suite.equal(bearer(place.node, token["access_token"]).status, 401, "a device that asks after the provider's keys were revoked")


def main():
    ends_on_signal()
    suite = Suite("provider-sign-in")
    folder = tempfile.mkdtemp(prefix="provider.", dir=os.environ.get("REEVE_TEST_DIR"))
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as page:
        page.write("<!doctype html>")
    os.chmod(folder, 0o755)
    for name in ("first", "second"):
        os.mkdir(os.path.join(folder, name))
    provider, second = (IdentityProvider(os.path.join(folder, name)) for name in ("first", "second"))
    authorities = os.path.join(folder, "authorities.pem")
    with open(authorities, "w", encoding="utf-8") as both:
        for one in (provider, second):
            with open(one.certificate, encoding="utf-8") as certificate:
                both.write(certificate.read())
    settings = {"egress_allow": "127.0.0.1/32", "egress_ca": authorities, "console_dir": folder, "guard_failures_per_minute": "1000", "guard_tries_per_minute": "10000"}
    with start_node(settings=settings) as node, start_node(migrate=False, settings={**settings, "base_url": node.base_url}) as other:
        worker = Worker(node.conf)
        worker.start()
        try:
            provider.start(provider.make_keys("one:RSA", "two:EC"))
            second.start(second.make_keys("three:RSA"))
            world = World(node, with_roles=False)
            with connect(node) as connection:
                place = Place(world, node, connection, provider)
                place.other = other
                world.make_person(DEE, place.owner.home, "ORG_OWNER")
                let_people_in(place, provider)
                for test in (test_begin, test_sign_in, test_roles, test_wrong_answers, test_wrong_tokens, test_wrong_servers, test_changes_meanwhile, test_confined, test_step_up, test_ends, test_device_ends):
                    test(suite, place)
                place.second = place.must(200, "POST", place.settings + "/identityProviders", {
                    "displayName": "Second", "issuerUri": second.issuer, "audience": "x", "clientId": "console", "associatedDomains": ["federated.example"]})["id"]
                place.operator("connect", place.elsewhere.home, place.owner.home)
                place.must(200, "PATCH", "%s/connectedOrgConfigs/%s" % (place.settings, place.elsewhere.home), {"identityProviderId": place.second}, place.elsewhere)
                second.start(second.keys, ["%s/console/sign-in/provider/%s" % (node.base_url, place.second)])
                let_people_in(place, provider, place.second)
                wait_until(lambda: place.must(200, "GET", "%s/identityProviders/%s" % (place.settings, place.second))["keyIds"], 60)
                test_mix_up(suite, place, second)
            world.close()
        finally:
            if worker.process.poll() is None:
                worker.kill()
            provider.stop()
            second.stop()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
