# SPDX-License-Identifier: Apache-2.0
"""People who sign in with SAML, from where others reach them: answers that were forged, wrapped, taken from another browser or another service, and ones of a provider that lies.
Against a node with a real provider of its own; whoever forges knows everything but its key."""
import contextlib
import os
import tempfile
import threading
import uuid

from of_browser import got
from rows import Attack
from saml_provider import Forger, SamlProvider, SamlTraveller, signature, signing_pair
from saml_sign_in_test import SamlPlace, inside, parts, split_signature
from world import connect, start_node

SIGNED, READ = "a SAML assertion is signed with a stored certificate", "of a SAML answer only what was signed is read"
ASKED, OURS, DOMAIN = "a SAML answer answers the browser that asked", "a SAML assertion is for this service", "a SAML provider names people of its domains only"
ADA, DEE, EVE = "ada@saml.example", "dee@saml.example", "eve@elsewhere.example"
lock = threading.Lock()


def place_of(ground):
    """Made when the first attack asks, and ended with the ground."""
    with lock:
        if not hasattr(ground, "saml_place"):
            ground.saml_place = make_place(ground)
        return ground.saml_place


def make_place(ground):
    folder = ground.more.enter_context(tempfile.TemporaryDirectory())
    os.chmod(folder, 0o755)
    with open(os.path.join(folder, "index.html"), "w", encoding="ascii") as page:
        page.write("<title>Reeve</title>")
    provider = SamlProvider(folder)
    ground.more.callback(provider.stop)
    node = ground.more.enter_context(start_node(migrate=False, settings={"console_dir": folder, "guard_failures_per_minute": "1000", "guard_tries_per_minute": "10000"}))
    place = SamlPlace(ground.world, node, node, ground.more.enter_context(contextlib.closing(connect(node))), provider, "saml.example")
    provider.start(place.metadata())
    provider.who = ADA
    place.folder, place.stranger = folder, signing_pair(folder, "stranger")
    return place


def tried(ground, forge):
    """The answer that `forge` makes is brought by a browser that began; one that is right is taken afterwards."""
    place = place_of(ground)
    browser = SamlTraveller(place.node)
    question, state = browser.question(browser.begin(ADA))
    forger = Forger(place.folder, place.provider, question)
    forger.stranger = place.stranger
    obtained = got(browser.finish(forger.back(forge(forger), state)))
    if obtained is None and browser.finish(forger.back(forger.good(who=ADA), state)).status != 200:
        raise AssertionError("the provider itself is refused")
    return obtained


def with_own_certificate(forger):
    own = "a" + uuid.uuid4().hex
    info = "<ds:KeyInfo><ds:X509Data><ds:X509Certificate/></ds:X509Data></ds:KeyInfo>"
    return forger.signed(forger.response(forger.assertion(DEE, own_id=own, signature=signature(own, info=info))), *forger.stranger)


def wrapped(make):
    def forge(forger):
        before, good, after = parts(forger.good(who=ADA))
        head, seal, tail = split_signature(good)
        return before + make(forger.assertion(DEE, sign=False), good, seal, head + tail) + after
    return forge


def somebody_elses(ground):
    """The attacker has the provider answer their own question, and brings that as the answer to another browser's: login CSRF, and a stolen answer."""
    place = place_of(ground)
    attacker, victim = SamlTraveller(place.node), SamlTraveller(place.node)
    handed = attacker.hand_over(attacker.visit_provider(attacker.begin(ADA)))[1]
    own = victim.question(victim.begin(ADA))[1]
    return got(victim.bring({**handed, "state": own}))


def posted(ground, what):
    """What another site has a browser post to acsUrl makes a session by itself, or becomes a part of the page."""
    place = place_of(ground)
    browser = SamlTraveller(place.node)
    back = browser.visit_provider(browser.begin(ADA))
    page, _ = browser.hand_over(back, what and {"SAMLResponse": what, "RelayState": what})
    if "set-cookie" in page.headers:
        return page.headers["set-cookie"]
    return "a script" if page.body.count(b"<script") != 1 else None


def again(ground):
    place = place_of(ground)
    browser = SamlTraveller(place.node)
    back = browser.visit_provider(browser.begin(ADA))
    visit = browser.visit
    if browser.finish(back).status != 200:
        raise AssertionError("the provider itself is refused")
    thief = SamlTraveller(place.node)
    thief.visit = visit
    return got(thief.finish(back))


def attacks(ground):
    for what, forge in (("that nobody signed", lambda forger: forger.response(forger.assertion(DEE, sign=False))),
                        ("that a stranger signed", lambda forger: forger.signed(forger.response(forger.assertion(DEE)), *forger.stranger)),
                        ("with the certificate that goes with it", with_own_certificate),
                        ("of somebody else, whose name was changed", lambda forger: forger.good(who=ADA).replace(ADA, DEE)),
                        ("of which only the answer around it is signed, by a stranger", lambda forger: forger.signed(forger.response(forger.assertion(DEE, sign=False), sign=True), *forger.stranger, which="Response"))):
        yield Attack("an assertion " + what, "network", SIGNED, lambda f=forge: tried(ground, f), alone=True)
    for what, make in (("in front of the signed one", lambda forged, good, seal, bare: forged + good), ("behind the signed one", lambda forged, good, seal, bare: good + forged),
                       ("around the signed one", lambda forged, good, seal, bare: inside(forged, good)), ("with the signature of another one", lambda forged, good, seal, bare: inside(forged, seal) + bare),
                       ("whose signature has the signed one in it", lambda forged, good, seal, bare: inside(forged, seal.replace("</ds:Signature>", "<ds:Object>%s</ds:Object></ds:Signature>" % bare)))):
        yield Attack("wrapping: a forged assertion " + what, "network", READ, lambda m=make: tried(ground, wrapped(m)), alone=True)
    yield Attack("a comment in a name that was signed", "tenant", READ, lambda: tried(ground, lambda forger: forger.good(who="dee@saml.example.evil.example").replace("example.evil", "example<!-- -->.evil")), alone=True)
    yield Attack("an entity that is a file", "network", READ, lambda: tried(ground, lambda forger: '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + forger.good(who=DEE).replace(">dee", ">&x;dee")), alone=True)
    yield Attack("another browser's answer", "network", ASKED, lambda: somebody_elses(ground), alone=True)
    yield Attack("an answer that was used", "network", ASKED, lambda: again(ground), alone=True)
    yield Attack("an answer to no question", "network", ASKED, lambda: tried(ground, lambda forger: forger.signed(forger.response(
        forger.assertion(ADA, data='<saml:SubjectConfirmationData Recipient="%s" NotOnOrAfter="2999-01-01T00:00:00Z"/>' % forger.acs), to=""))), alone=True)
    yield Attack("another site posts an answer", "network", ASKED, lambda: posted(ground, None), alone=True)
    yield Attack("another site posts a script", "network", ASKED, lambda: posted(ground, '"><script>alert(1)</script>'), alone=True)
    for what, wrong in (("another service's assertion", {"audience": "<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction>"}),
                        ("an assertion for no service", {"audience": ""})):
        yield Attack(what, "tenant", OURS, lambda w=wrong: tried(ground, lambda forger: forger.good(who=ADA, **w)), alone=True)
    yield Attack("a provider names somebody of another domain", "tenant", DOMAIN, lambda: tried(ground, lambda forger: forger.good(who=EVE)), alone=True)
