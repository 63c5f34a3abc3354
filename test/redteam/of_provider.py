# SPDX-License-Identifier: Apache-2.0
"""People who sign in on the pages of their identity provider, from where others reach them: answers of other browsers and other providers, ID tokens of a provider that lies,
token endpoints inside; and what whoever configures a provider makes of the people whom it names. Against a node with a real provider of its own."""
import contextlib
import os
import socket
import tempfile
import threading
import time

from authenticator import Passkey
from device_test import PAUSE_S, Device, bearer, decide, look
from federation_test import IdentityProvider, Place
from of_browser import got
from provider_browser import Traveller, let_people_in, wrong
from rows import Attack
from webhooks_test import Worker
from world import connect, sql, start_node

TOKEN, ASKED, MIXED = "an ID token is signed, and for us", "an ID token answers the browser that asked", "a code goes to the provider that gave it"
CONFINED, OWN, GONE = "a provider opens the organizations that use it", "a provider's session makes nothing that outlives it", "a provider's session ends with the provider's use"
INSIDE, ANEW = "codes are taken to public addresses only", "a provider confirms with a new sign-in"
OWNER = "ivy@federated.example"
lock = threading.Lock()


def pages_of(ground):
    """Made when the first attack asks, and ended with the ground."""
    with lock:
        if not hasattr(ground, "provider_pages"):
            ground.provider_pages = make_pages(ground)
        return ground.provider_pages


def make_pages(ground):
    folder = ground.more.enter_context(tempfile.TemporaryDirectory())
    os.chmod(folder, 0o755)
    with open(os.path.join(folder, "index.html"), "w", encoding="ascii") as page:
        page.write("<title>Reeve</title>")
    for name in ("first", "second"):
        os.mkdir(os.path.join(folder, name))
    first, second = (IdentityProvider(os.path.join(folder, name)) for name in ("first", "second"))
    authorities = os.path.join(folder, "authorities.pem")
    with open(authorities, "w", encoding="utf-8") as both:
        for one in (first, second):
            ground.more.callback(one.stop)
            with open(one.certificate, encoding="utf-8") as certificate:
                both.write(certificate.read())
    first.start(first.make_keys("one:RSA", "two:EC"))
    second.start(second.make_keys("three:RSA"))
    node = ground.more.enter_context(start_node(migrate=False, settings={
        "egress_allow": "127.0.0.1/32", "egress_ca": authorities, "console_dir": folder, "guard_failures_per_minute": "1000", "guard_tries_per_minute": "10000"}))
    worker = Worker(node.conf)
    worker.start()
    ground.more.callback(worker.kill)
    place = Place(ground.world, node, ground.more.enter_context(contextlib.closing(connect(node))), first)
    ground.world.make_person(OWNER, place.owner.home, "ORG_OWNER")
    ground.world.make_person(OWNER, place.elsewhere.home, "ORG_OWNER")
    place.second = place.must(200, "POST", place.settings + "/identityProviders", {
        "displayName": "Second", "issuerUri": second.issuer, "audience": "x", "clientId": "console", "associatedDomains": ["federated.example"]})["id"]
    let_people_in(place, first, place.second)
    place.liar = second
    return place


def sign_in(place, who=OWNER):
    browser = Traveller(place.node)
    answer = browser.sign_in(who)
    if answer.status != 200:
        raise AssertionError("the provider itself is refused: %r" % answer)
    return browser


def lied(ground, **what):
    place = pages_of(ground)
    wrong(place.provider, **what)
    try:
        return got(Traveller(place.node).sign_in(OWNER))
    finally:
        wrong(place.provider)


def mixed_up(ground, to_itself):
    """The second provider is the attacker's. It sends a browser that began with it to the first one's pages, and waits for the code."""
    place = pages_of(ground)
    with used_by_both(place):
        browser = Traveller(place.node)
        begun = browser.begin(OWNER, identityProviderId=place.second).json()["authorizationUrl"]
        there = begun.replace(place.liar.issuer + "/auth", place.provider.issuer + "/auth")
        if not to_itself:
            there = there.replace(place.second, place.idp)
        body = browser.body_of(*browser.travel(there))
        before = wrong(place.liar)
        browser.finish(body)
        return "the other provider was shown the code" if wrong(place.liar) > before else None


@contextlib.contextmanager
def used_by_both(place):
    """Both providers have an organization that uses them."""
    place.operator("connect", place.elsewhere.home, place.owner.home)
    config = "%s/connectedOrgConfigs/%s" % (place.settings, place.elsewhere.home)
    place.must(200, "PATCH", config, {"identityProviderId": place.second}, place.elsewhere)
    sql("UPDATE identity_provider SET keys_due_at = now() WHERE id = decode('%s', 'hex')" % place.second)
    path = "%s/identityProviders/%s" % (place.settings, place.second)
    deadline = time.monotonic() + 60
    while not place.must(200, "GET", path)["keyIds"] and time.monotonic() < deadline:
        time.sleep(0.2)
    try:
        yield
    finally:
        place.must(204, "DELETE", config, caller=place.elsewhere)


def elsewhere(ground, with_device):
    place = pages_of(ground)
    browser = sign_in(place)
    target = "/orgs/" + place.elsewhere.home
    if not with_device:
        return got(browser.ask("GET", target))
    device = Device(place.node)
    look(browser, device)
    device.poll()
    if decide(browser, look(browser, device).json()["deviceId"]).status != 204:
        raise AssertionError("the device was not let in")
    time.sleep(PAUSE_S)
    return got(bearer(place.node, device.poll().json()["access_token"], path=target))


def outlives(ground, path, body):
    place = pages_of(ground)
    return got(sign_in(place).ask("POST", path, body))


def adds_passkey(ground):
    place = pages_of(ground)
    browser = sign_in(place)
    return got(browser.add_passkey(Passkey(place.node.base_url), name="planted"))


def after_use(ground, end, back):
    place = pages_of(ground)
    browser = sign_in(place)
    browser.ask("GET", "/")
    end(place)
    try:
        time.sleep(5)
        return got(browser.ask("GET", "/"))
    finally:
        back(place)
        place.wait_for_keys()


def inside(ground):
    """Somebody listens at an address of this machine that the operator did not allow."""
    place = pages_of(ground)
    with socket.create_server(("127.0.0.2", 0)) as listener:
        listener.setblocking(False)
        before = sql("SELECT pages FROM identity_provider WHERE id = decode('%s', 'hex')" % place.idp)
        change = "UPDATE identity_provider SET pages = '%s' WHERE id = decode('%s', 'hex')"
        sql(change % (before.replace("127.0.0.1:%d/token" % place.provider.port, "127.0.0.2:%d/token" % listener.getsockname()[1]), place.idp))
        try:
            Traveller(place.node).sign_in(OWNER)
            listener.accept()
            return "a connection"
        except BlockingIOError:
            return None
        finally:
            sql(change % (before, place.idp))


def stale(ground, claims):
    """Whoever sits at a session that was left open has a provider's session beside it, which asks nobody."""
    place = pages_of(ground)
    browser = sign_in(place)
    wrong(place.provider, claims=claims)
    try:
        return got(browser.confirm())
    finally:
        wrong(place.provider)


def attacks(ground):
    now = int(time.time())
    for what, lie in (("for another client", {"claims": {"aud": "other"}}), ("of another issuer", {"claims": {"iss": "https://evil.example"}}), ("for another party", {"claims": {"azp": "other"}}),
                      ("with a spoilt signature", {"spoilt": True}), ("without a signature", {"header": {"alg": "none"}, "signature": ""}), ("with HS256", {"header": {"alg": "HS256", "kid": "one"}}),
                      ("that is over", {"claims": {"exp": now - 120}})):
        yield Attack("an ID token " + what, "network", TOKEN, lambda w=lie: lied(ground, **w), alone=True)
    for what, lie in (("with another nonce", {"claims": {"nonce": "A" * 43}}), ("without a nonce", {"claims": {"nonce": None}})):
        yield Attack("an ID token " + what, "network", ASKED, lambda w=lie: lied(ground, **w), alone=True)
    for what, to_itself in (("to its own address", False), ("to the attacker's address", True)):
        yield Attack("mix-up: a code of another provider comes back " + what, "tenant", MIXED, lambda t=to_itself: mixed_up(ground, t), alone=True)
    for what, with_device in (("its session", False), ("a device that its session lets in", True)):
        yield Attack("an organization that does not use the provider, by " + what, "tenant", CONFINED, lambda d=with_device: elsewhere(ground, d), alone=True)
    yield Attack("a provider's session adds a passkey", "tenant", OWN, lambda: adds_passkey(ground), alone=True)
    yield Attack("a provider's session sets a password", "tenant", OWN, lambda: outlives(ground, "/api/password", {"password": "a long enough secret"}), alone=True)
    for what, end, back in (("the organization left it", lambda place: place.must(200, "PATCH", place.config, {"identityProviderId": None}), lambda place: place.must(200, "PATCH", place.config, {"identityProviderId": place.idp})),
                            ("its keys were revoked", lambda place: place.must(204, "DELETE", place.path + "/jwks"), lambda place: None)):
        yield Attack("a provider's session five seconds after " + what, "tenant", GONE, lambda e=end, b=back: after_use(ground, e, b), alone=True)
    yield Attack("a token endpoint on this machine", "tenant", INSIDE, lambda: inside(ground), alone=True)
    for what, claims in (("hours ago", {"auth_time": now - 7200}), ("nobody says when", {"auth_time": None})):
        yield Attack("a provider's confirmation of somebody who signed in %s" % what, "tenant", ANEW, lambda c=claims: stale(ground, c), alone=True)
