# SPDX-License-Identifier: Apache-2.0
"""People who sign in on the pages of SAML 2.0 providers: two real ones, and a forger. Every part of an answer is wrong once, each beside one that is right and is accepted."""
import base64
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid

from browser import refused
from client import PATIENCE, wait_until
from device_test import Device, bearer, decide, look
from federation_test import Place
from saml_provider import ASSERTION, C14N, Forger, SamlpProvider, SamlProvider, SamlTraveller, instant, signature, signing_pair, text_of
from suite import Suite, ends_on_signal
from world import PREFIX, World, connect, no_limits, sql, start_node

ADA, DEE = "ada@federated.example", "dee@federated.example"
RSA_SHA1, SHA1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1", "http://www.w3.org/2000/09/xmldsig#sha1"
ENVELOPED = '<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>'


class SamlPlace(Place):
    """An organization that uses a SAML provider, and one of the same person that uses none."""

    def __init__(self, world, node, other, connection, provider, domain="federated.example"):
        self.world, self.node, self.other, self.connection, self.provider = world, node, other, connection, provider
        self.owner, self.elsewhere = world.make_caller("Federated"), world.make_caller("Elsewhere")
        no_limits([self.owner.home, self.elsewhere.home])
        self.project = world.make_project(self.owner, "mapped")
        self.ada = world.make_person("ada@" + domain, self.owner.home)
        world.make_person("ada@" + domain, self.elsewhere.home, "ORG_OWNER")
        world.make_person("dee@" + domain, self.owner.home, "ORG_OWNER")
        world.make_person("eve@elsewhere.example", self.owner.home, "ORG_OWNER")
        world.make_person("bob@" + domain, self.elsewhere.home, "ORG_OWNER")
        self.federation = self.must(200, "GET", "/orgs/%s/federationSettings" % self.owner.home)["id"]
        self.settings = "/federationSettings/%s" % self.federation
        self.config = "%s/connectedOrgConfigs/%s" % (self.settings, self.owner.home)
        self.operator("add-domain", self.owner.home, domain)
        self.idp = self.must(200, "POST", self.settings + "/identityProviders", {**provider.settings(), "associatedDomains": [domain], "status": "ACTIVE"})["id"]
        self.path = "%s/identityProviders/%s" % (self.settings, self.idp)
        self.must(200, "PATCH", self.config, {"identityProviderId": self.idp})

    def metadata(self, provider=None):
        answer = self.connection.ask("GET", "%s%s/identityProviders/%s/metadata.xml" % (PREFIX, self.settings, provider or self.idp), self.owner.bearer(), accept="*/*")
        return answer.body.decode()

    def events(self, kind):
        return self.must(200, "GET", "/orgs/%s/events?eventType=%s" % (self.owner.home, kind))["results"]


def forget_events():
    sql("UPDATE identity_provider SET refusal_told_at = NULL")


def why(answer):
    return (answer.json() or {}).get("detail", "")


def signed_in(suite, place, who=ADA, node=None):
    browser = SamlTraveller(node or place.node)
    place.provider.who = who
    answer = browser.sign_in(who)
    suite.equal(answer.status, 200, "signing in with %s: %r" % (place.provider.name, answer))
    return browser


# ---- There and back ----
def test_begin(suite, place):
    before = sql("SELECT (SELECT count(*) FROM console_session), (SELECT count(*) FROM used_challenge)")
    browser = SamlTraveller(place.node)
    answer = browser.begin(ADA)
    question, state = browser.question(answer)
    suite.check(answer.json()["authorizationUrl"] == "%s/api/saml/%s/request" % (place.node.base_url, place.idp), "a form is posted by a page of ours: %r", answer)
    policy = browser.page.headers["content-security-policy"]
    suite.check("default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "script-src 'sha256-" in policy and "unsafe" not in policy, "the policy of the page: %s", policy)
    place.must(200, "PATCH", place.path, {"requestBinding": "HTTP-REDIRECT"})
    again = SamlTraveller(place.node)
    answer = again.begin(ADA)
    other, _ = again.question(answer)
    suite.check(answer.json()["authorizationUrl"].startswith(place.provider.sso + "?SAMLRequest="), "with a redirect, the address is the provider's: %r", answer)
    for what, one in (("with a form", question), ("with an address", other)):
        suite.check('Destination="%s"' % place.provider.sso in one and "/api/saml/%s/acs" % place.idp in one and "/api/saml/%s</saml:Issuer>" % place.idp in one
                    and "ForceAuthn" not in one, "what the provider is asked %s: %s", what, one)
    ids = [re.search(r' ID="_([^"]{43})"', one).group(1) for one in (question, other)]
    suite.check(ids[0] != ids[1] and state not in ids, "each question has an identifier of its own")
    suite.check(not any(browser.visit in one for one in (question, state)), "what is in the cookie is in the question")
    place.must(200, "PATCH", place.path, {"requestBinding": "HTTP-POST"})
    suite.equal(sql("SELECT (SELECT count(*) FROM console_session), (SELECT count(*) FROM used_challenge)"), before, "what is kept of those who only begin")
    for what, cookie in (("no cookie", None), ("somebody's", "A" * 103)):
        stranger = SamlTraveller(place.node)
        stranger.visit = cookie
        page = stranger.ask("GET", "/api/saml/%s/request" % place.idp)
        suite.equal((page.status, page.headers.get("location")), (303, place.node.base_url + "/console/sign-in"), "the page that posts the question, with %s" % what)
    for method, path, status in (("GET", "/api/saml/%s/acs" % place.idp, 303), ("GET", "/api/saml/x/acs", 404), ("POST", "/api/saml/%s/request" % place.idp, 404),
                                 ("GET", "/api/saml/", 404), ("DELETE", "/api/saml/%s/acs" % place.idp, 405)):
        suite.equal(SamlTraveller(place.node).ask(method, path).status, status, "%s %s" % (method, path))
    for path in ("/finish-saml",):
        for what, more in (("another site's page", {"origin": "https://evil.example", "site": "cross-site"}), ("no page", {"origin": None, "site": None})):
            refused(suite, SamlTraveller(place.node).ask("POST", "/api/sign-in/provider" + path, {}, **more), 403, "CROSS_SITE_REQUEST", "POST %s from %s" % (path, what))


def test_sign_in(suite, place):
    for binding in ("HTTP-POST", "HTTP-REDIRECT"):
        place.must(200, "PATCH", place.path, {"requestBinding": binding})
        browser = signed_in(suite, place)
        suite.check(browser.visit is None and browser.cookie.startswith("reeve_cs_"), "the cookies afterwards")
        caller = browser.ask("GET", "/").json()["caller"]
        suite.equal((caller["id"], caller["name"], caller["type"]), (place.ada, ADA, "USER"), "who it is, asked with " + binding)
    suite.equal(browser.ask("GET", "/orgs/" + place.owner.home).status, 200, "the organization that uses the provider")
    refused(suite, browser.ask("GET", "/orgs/" + place.elsewhere.home), 401, "NOT_A_MEMBER", "an organization of the same person that does not")
    listed = browser.ask("GET", "/api/sessions").json()
    suite.check({"sessionId": listed["currentSessionId"], "identityProviderId": place.idp}.items() <= next(one for one in listed["results"] if one["sessionId"] == listed["currentSessionId"]).items(),
                "the list of sessions: %r", listed)
    refused(suite, browser.ask("GET", "/api/passkeys"), 403, "SESSION_OF_PROVIDER", "own passkeys in a session of a provider")
    event = place.events("USER_SIGNED_IN")[0]
    suite.check("IDENTITY_PROVIDER" in str(event) and ADA in str(event), "the event: %r", event)
    place.provider.who = ADA
    browser = SamlTraveller(place.node)
    back = browser.visit_provider(browser.begin(ADA.upper()))
    elsewhere = SamlTraveller(place.other)
    elsewhere.origin, elsewhere.visit = browser.origin, browser.visit
    suite.equal(elsewhere.finish(back).status, 200, "begun at one node and finished at another")
    logs = "".join(str(line) for node in (place.node, place.other) for line in node.log_lines())
    suite.check(back.response[:60] not in logs and back.state not in logs, "answers are in a log")


def test_handed_over(suite, place):
    """What is posted to acsUrl counts nothing by itself, and nothing that is in it becomes a part of the page."""
    browser = SamlTraveller(place.node)
    place.provider.who = ADA
    back = browser.visit_provider(browser.begin(ADA))
    page, handed = browser.hand_over(back)
    suite.equal((page.status, handed), (200, {"provider": place.idp, "response": back.response, "state": back.state}), "what the page hands over")
    suite.check("set-cookie" not in page.headers and page.headers["content-type"].startswith("text/html") and page.headers["cache-control"] == "no-store"
                and page.headers["referrer-policy"] == "no-referrer" and "form-action 'none'" in page.headers["content-security-policy"], "its headers: %r", page.headers)
    evil = '"><script>alert(1)</script>'
    for what, form in (("a script as the answer", {"SAMLResponse": evil, "RelayState": back.state}), ("a script as the state", {"SAMLResponse": back.response, "RelayState": evil}),
                       ("nothing", {"x": "y"}), ("two answers", [("SAMLResponse", back.response), ("SAMLResponse", "AAAA"), ("RelayState", back.state)])):
        page, handed = browser.hand_over(back, form)
        suite.check(page.status == 200 and page.body.count(b"<script>") == 1 and b"alert" not in page.body and "" in handed.values(), "%s: %r", what, page)
    lines = base64.encodebytes(base64.b64decode(back.response)).decode()
    suite.equal(browser.hand_over(back, {"SAMLResponse": lines, "RelayState": back.state})[1]["response"], back.response, "an answer with line breaks")
    page, _ = browser.hand_over(back, {"SAMLResponse": "A" * 100_000, "RelayState": back.state})
    suite.equal(page.status, 413, "a form of 100 KB")
    suite.equal(sql("SELECT count(*) FROM identity_provider WHERE refusal_told_at IS NOT NULL"), "0", "what strangers post is not even an event")
    # Login CSRF: what somebody got from the provider is posted by another site in another person's browser.
    handed = browser.hand_over(back)[1]
    victim = SamlTraveller(place.node)
    refused(suite, victim.bring(handed), 401, "SIGN_IN_REFUSED", "an answer in a browser that began nothing")
    large = {**handed, "response": "A" * 100_000}
    refused(suite, victim.bring(large), 401, "SIGN_IN_REFUSED", "100 KB of it, which nobody reads then")
    victim.begin(ADA)
    suite.equal(victim.bring(large).status, 413, "and in a browser that began")
    refused(suite, victim.bring(handed), 401, "SIGN_IN_REFUSED", "an answer in a browser that began something else")
    own = SamlTraveller(place.node)
    mine = own.visit_provider(own.begin(ADA))
    answer = victim.bring({**handed, "state": own.hand_over(mine)[1]["state"]})
    refused(suite, answer, 401, "SIGN_IN_REFUSED", "an answer with another state")
    own_state = {**handed, "state": mine.state}
    answer = own.bring(own_state)
    suite.check(answer.status == 401 and "another browser's question" in why(answer), "somebody else's answer with the own state: %r", answer)
    refused(suite, own.bring({**own_state, "response": mine.response, "provider": "0" * 24}), 401, "SIGN_IN_REFUSED", "an answer at another provider's address")
    suite.equal(own.finish(mine).status, 200, "the own answer")
    suite.equal(browser.bring(handed).status, 200, "and the answer in the browser that began it")


def test_replay(suite, place):
    for what, node in (("at the same node", place.node), ("at another node", place.other)):
        browser = SamlTraveller(place.node)
        place.provider.who = ADA
        back = browser.visit_provider(browser.begin(ADA))
        visit = browser.visit
        suite.equal(browser.finish(back).status, 200, "an answer")
        thief = SamlTraveller(node)
        thief.origin, thief.visit = browser.origin, visit
        answer = thief.finish(back)
        suite.check(answer.status == 401 and "used before" in why(answer), "the same answer again %s: %r", what, answer)
        refused(suite, browser.finish(back), 401, "SIGN_IN_REFUSED", "and without the visit")


def test_roles(suite, place):
    """Values of memberOf give roles, as groups of tokens do."""
    mapping = place.must(200, "POST", place.config + "/roleMappings", {"externalGroupName": "people", "roleAssignments": [{"groupId": place.project, "role": "GROUP_OWNER"}]})
    browser = signed_in(suite, place)
    suite.check(browser.ask("PATCH", "/groups/" + place.project, {"name": "mapped"}).status in (401, 403), "without the group there is no role")
    place.provider.groups = ("others", "people")
    time.sleep(1)  # the newer statement counts; instants have whole seconds
    browser = signed_in(suite, place)
    suite.equal(browser.ask("PATCH", "/groups/" + place.project, {"name": "mapped"}).status, 200, "what a value of memberOf gives")
    place.provider.groups = ()
    place.must(204, "DELETE", place.config + "/roleMappings/" + mapping["id"])
    wait_until(lambda: browser.ask("PATCH", "/groups/" + place.project, {"name": "mapped"}).status in (401, 403), 5)
    suite.passed += 1


# ---- Forged ----
def evil_twin(forger, **more):
    """An assertion that nobody signed, for somebody else."""
    return forger.assertion(DEE, sign=False, **more)


def parts(xml):
    """(what is before the assertion, the assertion, what comes after it)"""
    start, end = xml.index("<saml:Assertion"), xml.rindex("</saml:Assertion>") + len("</saml:Assertion>")
    return xml[:start], xml[start:end], xml[end:]


def split_signature(assertion):
    start, end = assertion.index("<ds:Signature"), assertion.index("</ds:Signature>") + len("</ds:Signature>")
    return assertion[:start], assertion[start:end], assertion[end:]


def id_of(assertion):
    return re.search(r' ID="([^"]+)"', assertion).group(1)


def wrapped(place_it):
    """The signed assertion is somewhere else in the answer, and another one stands where it was: place_it(forged, signed, signature alone, signed without it) makes it."""
    def forge(forger):
        before, good, after = parts(forger.good())
        head, seal, tail = split_signature(good)
        return before + place_it(forger, good, seal, head + tail) + after
    return forge


def inside(assertion, part, where="</saml:Issuer>"):
    return assertion.replace(where, where + part, 1)


def changed(old, new, count=1):
    def forge(forger):
        xml = forger.good()
        if old not in xml:
            raise AssertionError("%s is not in %s" % (old, xml))
        return xml.replace(old, new, count)
    return forge


def good_but(**wrong):
    return lambda forger: forger.good(**wrong)


def around(**wrong):
    """Around a rightly signed assertion the answer is wrong."""
    return lambda forger: forger.signed(forger.response(forger.assertion(), **{name: value(forger) if callable(value) else value for name, value in wrong.items()}))


def with_signature(**wrong):
    def forge(forger):
        own = "a" + uuid.uuid4().hex
        return forger.signed(forger.response(forger.assertion(own_id=own, signature=signature(own, **wrong))))
    return forge


def data(forger, to=None, recipient=None, until=300, more=""):
    ends = ' NotOnOrAfter="%s"' % instant(until) if until is not None else ""
    return '<saml:SubjectConfirmationData InResponseTo="%s" Recipient="%s"%s%s/>' % (to or forger.request, recipient or forger.acs, ends, more)


def with_data(**wrong):
    return lambda forger: forger.good(data=data(forger, **wrong))


def status(value, inner=""):
    return '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:%s">%s</samlp:StatusCode></samlp:Status>' % (value, inner)


def other_key(forger):
    return forger.signed(forger.response(forger.assertion()), *forger.stranger)


def own_certificate(forger):
    own = "a" + uuid.uuid4().hex
    info = "<ds:KeyInfo><ds:X509Data><ds:X509Certificate/></ds:X509Data></ds:KeyInfo>"
    return forger.signed(forger.response(forger.assertion(own_id=own, signature=signature(own, info=info))), *forger.stranger)


def hmac_with_certificate(forger):
    own = "a" + uuid.uuid4().hex
    return forger.signed(forger.response(forger.assertion(own_id=own, signature=signature(own, algorithm="http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"))), hmac=forger.provider.certificate)


def only_answer_signed(forger):
    return forger.signed(forger.response(forger.assertion(sign=False), sign=True), which="Response")


def wrong_answer_signature(forger):
    """The assertion is signed rightly, and the answer around it by a stranger."""
    xml = forger.signed(forger.response(forger.assertion(), sign=True))
    return forger.signed(xml, *forger.stranger, which="Response")


def same_id(forger):
    own = "a" + uuid.uuid4().hex
    xml = forger.signed(forger.response(forger.assertion(own_id=own)))
    return xml.replace("<samlp:Status>", '<samlp:Extensions><x xmlns="urn:x" ID="%s"/></samlp:Extensions><samlp:Status>' % own, 1)


def for_something_else(forger):
    own, other = "a" + uuid.uuid4().hex, "r" + uuid.uuid4().hex
    return forger.signed(forger.response(forger.assertion(own_id=own, signature=signature(own, uri="#" + other)), own_id=other))


def with_two_references(forger):
    own = "a" + uuid.uuid4().hex
    more = signature(own)
    more = more[more.index("<ds:Reference"):more.index("</ds:Reference>") + len("</ds:Reference>")]
    return forger.signed(forger.response(forger.assertion(own_id=own, signature=signature(own, more=more))))


def entity(kind):
    def forge(forger):
        return '<!DOCTYPE r [<!ENTITY x %s>]>' % kind + forger.good().replace(">" + forger.provider.issuer, ">&x;" + forger.provider.issuer, 1)
    return forge


def laughs(forger):
    lines = "".join('<!ENTITY l%d "%s">' % (number, "&l%d;" % (number - 1) * 10) for number in range(1, 10))
    return '<!DOCTYPE r [<!ENTITY l0 "lol">%s]>' % lines + forger.good().replace(">" + forger.provider.issuer, ">&l9;" + forger.provider.issuer, 1)


COMMENT = "a document type, a comment or a CDATA section"
XPATH = ('<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>not(ancestor-or-self::*[local-name()="NameID"])</ds:XPath></ds:Transform>')

# (name, what makes it, a part of the sentence with which it is refused)
FORGED = [
    # Signatures
    ("nothing is signed", lambda forger: forger.response(forger.assertion(sign=False)), "the assertion is not signed"),
    ("the signature was taken out", lambda forger: re.sub(r"<ds:Signature.*?</ds:Signature>", "", forger.good(), flags=re.S), "the assertion is not signed"),
    ("only the answer is signed", only_answer_signed, "the assertion is not signed"),
    ("signed by a stranger", other_key, "not signed with a certificate of pemFileInfo"),
    ("signed by a stranger, whose certificate goes along", own_certificate, "not signed with a certificate of pemFileInfo"),
    ("the answer is signed by a stranger, the assertion rightly", wrong_answer_signature, "the answer is not signed with a certificate"),
    ("signed with the certificate as a shared secret", hmac_with_certificate, "signed with an algorithm that is not taken"),
    ("signed with SHA-1", with_signature(algorithm=RSA_SHA1), "signed with an algorithm that is not taken"),
    ("a digest with SHA-1", with_signature(digest=SHA1), "a digest that is not taken"),
    ("no algorithm", changed("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", ""), "signed with an algorithm that is not taken"),
    ("another name after signing", changed(ADA, DEE), "was changed after it was signed"),
    ("a digest of something else", changed("<ds:DigestValue>", "<ds:DigestValue>AAAA"), "not signed with a certificate"),
    ("a signature value of zeros", lambda forger: re.sub(r"<ds:SignatureValue>.*?</ds:SignatureValue>", "<ds:SignatureValue>%s</ds:SignatureValue>" % base64.b64encode(bytes(256)).decode(), forger.good(), flags=re.S),
     "not signed with a certificate"),
    ("an empty signature value", lambda forger: re.sub(r"<ds:SignatureValue>.*?</ds:SignatureValue>", "<ds:SignatureValue/>", forger.good(), flags=re.S), "a signature that cannot be read"),
    ("a canonical form with comments", with_signature(method=C14N + "WithComments"), "a signature that cannot be read"),
    ("a transform that leaves the name out", with_signature(transforms=ENVELOPED + XPATH + '<ds:Transform Algorithm="%s"/>' % C14N), "other transforms than SAML names"),
    ("two transforms, one of them unknown", with_signature(transforms=ENVELOPED + XPATH), "other transforms than SAML names"),
    ("the whole document is signed, not an element", with_signature(uri=""), "a signature that is for something else"),
    ("the signature in the assertion is for the answer", for_something_else, "a signature that is for something else"),
    ("two references", with_two_references, "not as SAML wants it"),
    ("two signatures", wrapped(lambda forger, good, seal, bare: inside(good, seal)), "more than one signature"),
    ("the identifier stands for something else, too", same_id, "stands for something else"),
    # Wrapping (Somorovsky and others, 2012), and what followed
    ("wrapping: a forged assertion in front of the signed one", wrapped(lambda forger, good, seal, bare: evil_twin(forger) + good), "exactly one assertion"),
    ("wrapping: a forged assertion behind the signed one", wrapped(lambda forger, good, seal, bare: good + evil_twin(forger)), "exactly one assertion"),
    ("wrapping: the signed one in the forged one", wrapped(lambda forger, good, seal, bare: inside(evil_twin(forger), good)), "exactly one assertion"),
    ("wrapping: the forged one has the signature, the signed one follows", wrapped(lambda forger, good, seal, bare: inside(evil_twin(forger), seal) + bare), "exactly one assertion"),
    ("wrapping: the forged one has the identifier and the signature, the signed one in it", wrapped(
        lambda forger, good, seal, bare: inside(evil_twin(forger, own_id=id_of(good)), seal.replace("</ds:Signature>", "<ds:Object>%s</ds:Object></ds:Signature>" % bare))), "exactly one assertion"),
    ("wrapping: the signed one in an Object of the signature", wrapped(
        lambda forger, good, seal, bare: inside(evil_twin(forger), seal.replace("</ds:Signature>", "<ds:Object>%s</ds:Object></ds:Signature>" % bare))), "exactly one assertion"),
    ("wrapping: the signed one in Extensions", wrapped(lambda forger, good, seal, bare: "<samlp:Extensions>%s</samlp:Extensions>%s" % (good, evil_twin(forger))), "exactly one assertion"),
    ("wrapping: the signed one under another name", wrapped(
        lambda forger, good, seal, bare: inside(evil_twin(forger), seal) + bare.replace("saml:Assertion", "saml:Other")), "a signature that is for something else"),
    ("wrapping: under another name, with the same identifier", wrapped(
        lambda forger, good, seal, bare: inside(evil_twin(forger, own_id=id_of(good)), seal) + bare.replace("saml:Assertion", "saml:Other")), "stands for something else"),
    ("wrapping: a second subject in the signed one", wrapped(lambda forger, good, seal, bare: inside(good, "<saml:Subject><saml:NameID>%s</saml:NameID></saml:Subject>" % DEE)), "was changed after it was signed"),
    # Two readers, two texts
    ("a comment in the name, after signing", lambda forger: forger.good(who="ada@federated.example.evil.example").replace("ada@federated.example.evil", "ada@federated.example<!-- -->.evil"), COMMENT),
    ("a comment in the name, signed so", lambda forger: forger.good(who="ada@federated.example<!-- -->.evil.example"), COMMENT),
    ("an element in the name", good_but(who="ada@federated.example<x/>.evil.example"), "does not name a person"),
    ("CDATA in the name", good_but(who="<![CDATA[ada@federated.example]]>"), COMMENT),
    ("an internal entity", entity('"dee"'), COMMENT),
    ("an external entity", entity('SYSTEM "file:///etc/passwd"'), COMMENT),
    ("entities of entities", laughs, COMMENT),
    ("a document type of another host", lambda forger: '<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd">' + forger.good(), COMMENT),
    ("a processing instruction", lambda forger: forger.good().replace("<samlp:Status>", "<?xml-stylesheet href='http://127.0.0.1:9/'?><samlp:Status>"), "a processing instruction"),
    ("UTF-16", lambda forger: b"\xff\xfe" + forger.good().encode("utf-16-le"), "not well-formed"),
    ("a prefix that nobody declared", changed("<samlp:Status>", "<y:x/><samlp:Status>"), "not well-formed"),
    ("not the end of it", lambda forger: forger.good()[:-20], "not well-formed"),
    ("a thousand elements in each other", lambda forger: forger.good().replace("<samlp:Status>", "<x>" * 1000 + "</x>" * 1000 + "<samlp:Status>"), "not well-formed"),
    ("60 KB", changed("<samlp:Status>", "<x>%s</x><samlp:Status>" % ("y" * 50_000)), "longer than 48 KiB"),
    ("a namespace that is written 2,000 times", lambda forger: forger.signed(forger.response(forger.assertion(
        more='<x xmlns:y="urn:%s">%s</x>' % ("z" * 20_000, "<y:y/>" * 2_000)))), "a signature that cannot be read"),
    # Around the assertion
    ("no answer at all", lambda forger: "<a/>", "no Response of SAML 2.0"),
    ("an assertion without an answer around it", lambda forger: parts(forger.good())[1], "no Response of SAML 2.0"),
    ("a LogoutResponse", around(name="LogoutResponse"), "no Response of SAML 2.0"),
    ("SAML 1.1", around(version="1.1"), "no Response of SAML 2.0"),
    ("for another address (Destination)", around(destination=' Destination="https://other.example/acs"'), "acsUrl (Destination)"),
    ("for no address", around(destination=""), "acsUrl (Destination)"),
    ("to another question", around(to=' InResponseTo="_%s"' % ("A" * 43)), "begin here, not at the provider"),
    ("to no question", around(to=""), "begin here, not at the provider"),
    ("of another issuer", around(issuer="<saml:Issuer xmlns:saml='%s'>https://evil.example</saml:Issuer>" % ASSERTION), "issuerUri must be its entity ID"),
    ("no status", around(status=""), "does not say that it signed the person in"),
    ("the provider could not", around(status=status("Responder")), "something is wrong with itself"),
    ("the provider cannot name people so", around(status=status("Requester", '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:InvalidNameIDPolicy"/>')), "set the format of its NameID"),
    ("the person could not", around(status=status("AuthnFailed")), "could not sign the person in"),
    ("encrypted", lambda forger: forger.response("<saml:EncryptedAssertion xmlns:saml='%s'/>" % ASSERTION), "switch the encryption of assertions off"),
    ("encrypted, beside one that is not", lambda forger: forger.signed(forger.response(forger.assertion(), after="<saml:EncryptedAssertion xmlns:saml='%s'/>" % ASSERTION)), "switch the encryption of assertions off"),
    ("two assertions, both signed", lambda forger: forger.signed(forger.response(forger.assertion(), parts(forger.good())[1])), "exactly one assertion"),
    ("no assertion", lambda forger: forger.response(), "exactly one assertion"),
    # In the assertion, rightly signed
    ("an assertion of another issuer", good_but(issuer="<saml:Issuer>https://evil.example</saml:Issuer>"), "issuerUri must be its entity ID"),
    ("an assertion of SAML 1.1", good_but(version="1.1"), "no assertion of SAML 2.0"),
    ("for another audience", good_but(audience="<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction>"), "must have audienceUri"),
    ("for us and for another audience at once", lambda forger: forger.good(audience="<saml:AudienceRestriction><saml:Audience>%s</saml:Audience></saml:AudienceRestriction>"
                                                                           "<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>" % forger.audience), "must have audienceUri"),
    ("for no audience", good_but(audience=""), "does not say for whom it is"),
    ("an audience in a comment", good_but(audience="<saml:AudienceRestriction><saml:Audience/></saml:AudienceRestriction>"), "must have audienceUri"),
    ("a condition that nobody knows", lambda forger: forger.good(audience="<saml:AudienceRestriction><saml:Audience>%s</saml:Audience></saml:AudienceRestriction><x/>" % forger.audience), "not known here"),
    ("not yet", good_but(conditions='NotBefore="%s" NotOnOrAfter="%s"' % (instant(600), instant(900))), "does not hold yet"),
    ("not any more", good_but(conditions='NotBefore="%s" NotOnOrAfter="%s"' % (instant(-600), instant(-300))), "does not hold any more"),
    ("until a date that is none", good_but(conditions='NotOnOrAfter="tomorrow"'), "a date that cannot be read"),
    ("for another recipient", with_data(recipient="https://other.example/acs"), "acsUrl (Recipient)"),
    ("an assertion to another question", with_data(to="_" + "A" * 43), "begin here, not at the provider"),
    ("an assertion to no question", lambda forger: forger.good(data='<saml:SubjectConfirmationData Recipient="%s" NotOnOrAfter="%s"/>' % (forger.acs, instant(300))), "begin here, not at the provider"),
    ("brought too late", with_data(until=-300), "brought too late"),
    ("with all the time there is", with_data(until=None), "until when it may be brought"),
    ("brought too early", with_data(more=' NotBefore="%s"' % instant(-10)), "until when it may be brought"),
    ("not by its bearer", good_but(method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"), "its bearer is the person"),
    ("nothing about its bearer", good_but(data=""), "until when it may be brought"),
    ("of a session that is over", lambda forger: forger.good(authn='<saml:AuthnStatement AuthnInstant="%s" SessionNotOnOrAfter="%s"/>' % (instant(-900), instant(-300))), "session at the provider is over"),
    ("nobody says when they signed in", good_but(authn=""), "does not say when the person signed in"),
    ("from the future", good_but(issued=instant(600)), "comes from the future"),
    ("older than the question", good_but(issued=instant(-600)), "older than the question"),
    ("a name that is for one session", good_but(name='<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">%s</saml:NameID>' % ADA), "the NameID is no e-mail address"),
    ("a name that is no address", good_but(who="ada"), "the NameID is no e-mail address"),
    ("a name with two signs", good_but(who="ada@evil.example@federated.example"), "the NameID is no e-mail address"),
    ("a name with a line break", good_but(who="ada@federated.example\nx"), "the NameID is no e-mail address"),
    ("two names", good_but(name="<saml:NameID>%s</saml:NameID><saml:NameID>%s</saml:NameID>" % (ADA, DEE)), "does not name a person"),
    ("an encrypted name", good_but(name="<saml:EncryptedID/>"), "the name is encrypted"),
    ("somebody of another domain", good_but(who="eve@elsewhere.example"), "domain of the address is not associated"),
    ("somebody of a domain that begins alike", good_but(who="ada@federated.example.evil.example"), "domain of the address is not associated"),
    ("somebody of another organization", good_but(who="bob@federated.example"), "has a user with this address"),
    ("nobody's address", good_but(who="nobody@federated.example"), "has a user with this address"),
]


def test_forged(suite, place, provider, folder):
    stranger = signing_pair(folder, "stranger")
    before = sql("SELECT count(*) FROM console_session")
    tried = 0
    for name, forge, sentence in FORGED:
        browser = SamlTraveller(place.node)
        question, state = browser.question(browser.begin(ADA))
        forger = Forger(folder, provider, question)
        forger.stranger = stranger
        answer = browser.finish(forger.back(forge(forger), state))
        suite.check(answer.status == 401 and answer.code() == "SIGN_IN_REFUSED" and sentence in why(answer), "%s: %r", name, answer)
        suite.check(sql("SELECT count(*) FROM console_session") == before, "%s: there is a session", name)
        answer = browser.finish(forger.back(forger.good(), state))
        if suite.check(answer.status == 200 and answer.json()["username"] == ADA, "the unaltered answer beside '%s': %r", name, answer):
            tried += 1
        before = sql("SELECT count(*) FROM console_session")
    suite.say("%d forged answers refused, each beside one that is accepted" % tried)
    suite.check(len({name for name, _, _ in FORGED}) == len(FORGED), "two have one name")


def test_right_answers(suite, place, provider, folder):
    """What honest providers do differently."""
    for name, make in (
            ("other hashes", with_signature(algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", digest="http://www.w3.org/2001/04/xmlenc#sha512")),
            ("the answer is signed, too", lambda forger: forger.signed(forger.signed(forger.response(forger.assertion(), sign=True)), which="Response")),
            ("namespaces that are named in the canonical form", with_signature(transforms=ENVELOPED + '<ds:Transform Algorithm="%s"><ec:InclusiveNamespaces xmlns:ec="%s" PrefixList="xs saml"/></ds:Transform>' % (C14N, C14N))),
            ("a declaration in front", lambda forger: '<?xml version="1.0" encoding="UTF-8"?>\n' + forger.good()),
            ("the provider's clock is 40 s ahead", good_but(issued=instant(40), conditions='NotBefore="%s" NotOnOrAfter="%s"' % (instant(40), instant(300)))),
            ("no issuer around the assertion", around(issuer="")),
            ("letters in another case", good_but(who=ADA.upper())),
            ("a certificate goes along", with_signature(info="<ds:KeyInfo><ds:X509Data><ds:X509Certificate/></ds:X509Data></ds:KeyInfo>")),
            ("an escaped address", good_but(who="ada&#64;federated.example"))):
        browser = SamlTraveller(place.node)
        question, state = browser.question(browser.begin(ADA))
        forger = Forger(folder, provider, question)
        answer = browser.finish(forger.back(make(forger), state))
        suite.check(answer.status == 200 and answer.json()["username"] == ADA, "%s: %r", name, answer)


def test_settings(suite, place, provider, folder):
    """The stored settings decide: SHA-1, further certificates, one that has expired."""
    def tried(forge, key=(), who=ADA, **more):
        browser = tried.browser = SamlTraveller(place.node)
        question, state = browser.question(browser.begin(who, **more))
        forger = Forger(folder, provider, question)
        return browser.finish(forger.back(forge(forger), state))

    for change, status in (({"responseSignatureAlgorithm": "SHA-1"}, 200), ({"responseSignatureAlgorithm": "SHA-256"}, 401)):
        place.must(200, "PATCH", place.path, change)
        suite.equal(tried(with_signature(algorithm=RSA_SHA1, digest=SHA1)).status, status, "SHA-1 with %r" % change)
    curve = signing_pair(folder, "curve", ("ec", "-pkeyopt", "ec_paramgen_curve:P-256"))
    both = {"pemFileInfo": {"certificates": [{"content": text_of(provider.certificate)}, {"content": text_of(curve[1])}]}}

    def with_curve(forger):
        own = "a" + uuid.uuid4().hex
        return forger.signed(forger.response(forger.assertion(own_id=own, signature=signature(own, algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"))), *curve)

    suite.equal(tried(with_curve).status, 401, "a certificate that is not stored")
    place.must(200, "PATCH", place.path, both)
    suite.equal(tried(with_curve).status, 200, "a second certificate, of another kind")
    suite.equal(tried(lambda forger: forger.good()).status, 200, "and the first one")
    place.must(200, "PATCH", place.path, {"pemFileInfo": {"certificates": both["pemFileInfo"]["certificates"][1:]}})
    answer = tried(lambda forger: forger.good())
    suite.check(answer.status == 401 and "pemFileInfo" in why(answer), "a certificate that was taken out: %r", answer)
    place.must(200, "PATCH", place.path, {"pemFileInfo": provider.settings()["pemFileInfo"]})
    small = signing_pair(folder, "small", ("rsa:1024",))
    answer = place.connection.ask("PATCH", PREFIX + place.path, place.owner.bearer(), {"pemFileInfo": {"certificates": [{"content": text_of(small[1])}]}})
    suite.check(answer.status == 400 and "2048" in str(answer.json()), "a key of 1024 bits: %r", answer)
    # A certificate that expired while it was stored.
    old = os.path.join(folder, "old.pem")
    subprocess.run(["openssl", "req", "-x509", "-key", provider.key, "-out", old, "-days", "1", "-subj", "/CN=old"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["faketime", "-m", "-f", "-10d", "openssl", "req", "-x509", "-key", provider.key, "-out", old, "-days", "1", "-subj", "/CN=old"], check=True, stderr=subprocess.DEVNULL)
    keep = sql("SELECT settings #> '{hidden,certificates}' FROM identity_provider WHERE id = decode('%s', 'hex')" % place.idp)
    expired = text_of(old).replace("\n", "\\n")
    sql("UPDATE identity_provider SET settings = jsonb_set(settings, '{hidden,certificates}', '[\"%s\"]') WHERE id = decode('%s', 'hex')" % (expired, place.idp))
    answer = tried(lambda forger: forger.good())
    suite.check(answer.status == 401 and "has expired" in why(answer), "a certificate that has expired: %r", answer)
    sql("UPDATE identity_provider SET settings = jsonb_set(settings, '{hidden,certificates}', '%s') WHERE id = decode('%s', 'hex')" % (keep, place.idp))
    suite.equal(tried(lambda forger: forger.good()).status, 200, "and with the one that has not")
    # Trying it out, before a domain leads to it.
    place.must(200, "PATCH", place.path, {"associatedDomains": []})
    refused(suite, SamlTraveller(place.node).begin(ADA), 401, "SIGN_IN_REFUSED", "without domains nobody is led there")
    refused(suite, SamlTraveller(place.node).begin(ADA, identityProviderId=place.idp), 401, "SIGN_IN_REFUSED", "nor whoever names it")
    place.must(200, "PATCH", place.path, {"ssoDebugEnabled": True})
    refused(suite, SamlTraveller(place.node).begin(ADA), 401, "SIGN_IN_REFUSED", "while it is tried out, only those who name it")
    suite.equal(tried(lambda forger: forger.good(), identityProviderId=place.idp).status, 200, "whoever names it, while it is tried out")
    suite.equal(tried.browser.ask("GET", "/orgs/" + place.owner.home).status, 200, "and the session that they have then is used")
    answer = tried(lambda forger: forger.good(who="eve@elsewhere.example"), identityProviderId=place.idp)
    suite.check(answer.status == 401 and "domain" in why(answer), "the domain is the federation's all the same: %r", answer)
    place.must(200, "PATCH", place.path, {"ssoDebugEnabled": False, "associatedDomains": ["federated.example"]})
    # What cannot be stored.
    for what, change in (("no https", {"ssoUrl": "http://login.example/sso"}), ("a script", {"ssoUrl": "javascript:alert(1)//"}), ("ACTIVE without certificates", None)):
        if change is None:
            answer = place.connection.ask("POST", PREFIX + place.settings + "/identityProviders", place.owner.bearer(), {
                "protocol": "SAML", "displayName": "x", "issuerUri": "x", "ssoUrl": "https://login.example/sso", "status": "ACTIVE"})
        else:
            answer = place.connection.ask("PATCH", PREFIX + place.path, place.owner.bearer(), change)
        suite.equal((answer.status, answer.code()), (400, "INVALID_ATTRIBUTE_VALUE"), what)


def test_events(suite, place, provider, folder):
    """Administrators learn what to change, and strangers cannot fill the chain of an organization."""
    forget_events()
    before = len(place.events("IDENTITY_PROVIDER_ANSWER_REFUSED"))
    for _ in range(5):
        browser = SamlTraveller(place.node)
        question, state = browser.question(browser.begin(ADA))
        forger = Forger(folder, provider, question)
        refused(suite, browser.finish(forger.back(forger.good(audience=""), state)), 401, "SIGN_IN_REFUSED", "no audience")
    told = place.events("IDENTITY_PROVIDER_ANSWER_REFUSED")
    suite.check(len(told) == before + 1 and "does not say for whom it is" in str(told[0]) and place.idp in str(told[0]), "five refused answers are one event: %r", told)


def test_step_up(suite, place):
    browser = signed_in(suite, place)
    again = browser.ask("POST", "/api/sign-in/provider/confirm", {})
    question, _ = browser.question(again)
    suite.check('ForceAuthn="true"' in question, "to confirm, they are asked anew: %s", question)
    sql("UPDATE console_session SET verified_at = now() - interval '6 minutes'; SELECT pg_notify('reeve_authority', 'all')")
    suite.equal(browser.finish(browser.visit_provider(browser.ask("POST", "/api/sign-in/provider/confirm", {}))).status, 200, "confirming")
    suite.equal(sql("SELECT bool_or(now() - verified_at < interval '1 minute') FROM console_session WHERE person_id = decode('%s', 'hex')" % place.ada), "t", "the session after it")
    place.provider.who = DEE
    answer = browser.finish(browser.visit_provider(browser.ask("POST", "/api/sign-in/provider/confirm", {})))
    suite.check(answer.status == 401 and "another person" in why(answer), "somebody else confirms: %r", answer)
    place.provider.who = ADA
    asked = browser.ask("POST", "/api/sign-in/provider/confirm", {})
    question, state = browser.question(asked)
    forger = Forger(place.folder, place.provider, question)
    old = '<saml:AuthnStatement AuthnInstant="%s"/>' % instant(-400)
    answer = browser.finish(forger.back(forger.good(authn=old), state))
    suite.check(answer.status == 401 and "AuthnInstant" in why(answer), "the provider did not ask anew: %r", answer)


def test_device(suite, place):
    """`reeve login` uses the console's sign-in: a device that the session lets in is the same person, as confined."""
    browser = signed_in(suite, place)
    device = Device(place.node)
    look(browser, device)
    device.poll()
    suite.equal(decide(browser, look(browser, device).json()["deviceId"]).status, 204, "letting in a device")
    answers = []
    wait_until(lambda: answers.append(device.poll().json()) or "access_token" in answers[-1], 30)
    suite.equal(bearer(place.node, answers[-1]["access_token"]).status, 200, "what the device gets")


def test_ends(suite, place):
    for what, end, back in (
            ("the organization uses no provider", lambda: place.must(200, "PATCH", place.config, {"identityProviderId": None}), lambda: place.must(200, "PATCH", place.config, {"identityProviderId": place.idp})),
            ("the provider is off", lambda: place.must(200, "PATCH", place.path, {"status": "INACTIVE"}), lambda: place.must(200, "PATCH", place.path, {"status": "ACTIVE"})),
            ("it has other certificates", lambda: place.must(200, "PATCH", place.path, {"pemFileInfo": {"certificates": [{"content": text_of(signing_pair(place.folder, "next")[1])}]}}),
             lambda: place.must(200, "PATCH", place.path, {"pemFileInfo": place.provider.settings()["pemFileInfo"]})),
            ("it has no domains", lambda: place.must(200, "PATCH", place.path, {"associatedDomains": []}), lambda: place.must(200, "PATCH", place.path, {"associatedDomains": ["federated.example"]})),
            ("the domain is gone", lambda: place.operator("remove-domain", place.owner.home, "federated.example"), lambda: place.operator("add-domain", place.owner.home, "federated.example"))):
        browser = signed_in(suite, place)
        begun = SamlTraveller(place.node)
        back_from = begun.visit_provider(begun.begin(ADA))
        end()
        took = wait_until(lambda: browser.ask("GET", "/").code() == "SESSION_ENDED", 5)
        suite.check(took < 5 * PATIENCE, "when %s, the session goes on", what)
        refused(suite, begun.finish(back_from), 401, "SIGN_IN_REFUSED", "one that was being begun when %s" % what)
        back()
        wait_until(lambda: SamlTraveller(place.node).sign_in(ADA).status == 200, 5)


def test_second_provider(suite, place, folder):
    """Another implementation, which knows us by our metadata, too; and the two are not taken for each other."""
    second = place.second
    place.world.make_person("kim@second.example", place.elsewhere.home)
    place.operator("connect", place.elsewhere.home, place.owner.home)
    place.operator("add-domain", place.owner.home, "second.example")
    own = place.must(200, "POST", place.settings + "/identityProviders", {**second.settings(), "associatedDomains": ["second.example"], "status": "ACTIVE"})["id"]
    place.must(200, "PATCH", "%s/connectedOrgConfigs/%s" % (place.settings, place.elsewhere.home), {"identityProviderId": own}, place.elsewhere)
    second.start(place.metadata(own))
    for binding in ("HTTP-POST", "HTTP-REDIRECT"):
        place.must(200, "PATCH", "%s/identityProviders/%s" % (place.settings, own), {"requestBinding": binding}, place.elsewhere)
        second.tell("kim@second.example", ())
        browser = SamlTraveller(place.node)
        answer = browser.sign_in("kim@second.example")
        suite.check(answer.status == 200 and answer.json()["username"] == "kim@second.example", "signing in with %s, asked with %s: %r", second.name, binding, answer)
    suite.equal(browser.ask("GET", "/orgs/" + place.elsewhere.home).status, 200, "the organization of the second provider")
    refused(suite, browser.ask("GET", "/orgs/" + place.owner.home), 401, "NOT_A_MEMBER", "and that of the first one")
    browser = SamlTraveller(place.node)
    question, state = browser.question(browser.begin(ADA))
    forger = Forger(folder, place.provider, question)
    answer = browser.finish(forger.back(forger.signed(forger.response(forger.assertion()), second.key, second.certificate), state))
    suite.check(answer.status == 401 and "pemFileInfo" in why(answer), "the second provider signs an answer of the first one: %r", answer)


def test_never_broken(suite, place):
    logs = [line for node in (place.node, place.other) for line in node.log_lines()]
    broken = [line for line in logs if isinstance(line, dict) and line.get("status", 0) >= 500 and line.get("status") != 503]
    suite.equal(broken, [], "answers of 5xx")


def main():
    ends_on_signal()
    suite = Suite("saml-sign-in")
    folder = tempfile.mkdtemp(prefix="saml.", dir=os.environ.get("REEVE_TEST_DIR"))
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as page:
        page.write("<!doctype html>")
    os.chmod(folder, 0o755)
    provider, second = SamlProvider(folder), SamlpProvider(folder)
    settings = {"console_dir": folder, "guard_failures_per_minute": "10000", "guard_tries_per_minute": "100000"}
    with start_node(settings=settings) as node, start_node(migrate=False, settings={**settings, "base_url": node.base_url}) as other:
        try:
            world = World(node, with_roles=False)
            with connect(node) as connection:
                place = SamlPlace(world, node, other, connection, provider)
                place.folder = folder
                provider.start(place.metadata())
                only = sys.argv[1:]
                for test in (test_begin, test_sign_in, test_handed_over, test_replay, test_roles, test_step_up, test_device, test_ends):
                    if not only or test.__name__ in only:
                        test(suite, place)
                for test in (test_forged, test_right_answers, test_settings, test_events):
                    if not only or test.__name__ in only:
                        test(suite, place, provider, folder)
                if not only or "test_second_provider" in only:
                    place.second = second
                    test_second_provider(suite, place, folder)
                test_never_broken(suite, place)
            world.close()
        finally:
            provider.stop()
            second.stop()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
