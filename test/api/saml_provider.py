# SPDX-License-Identifier: Apache-2.0
"""A SAML 2.0 identity provider (pysaml2, as Debian has it) on loopback, a browser that goes there and comes back, and a forger that signs whatever it likes with xmlsec1."""
import base64
import datetime
import html.parser
import http.client
import http.server
import json
import os
import re
import ssl
import subprocess
import threading
import urllib.parse
import urllib.request
import uuid
import zlib

import node_packages
from client import wait_until
from node import free_port, make_certificate
from provider_browser import Traveller

SAMLP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "samlp_provider")
EMAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
PROTOCOL, ASSERTION, DSIG = "urn:oasis:names:tc:SAML:2.0:protocol", "urn:oasis:names:tc:SAML:2.0:assertion", "http://www.w3.org/2000/09/xmldsig#"
C14N = "http://www.w3.org/2001/10/xml-exc-c14n#"
RSA_SHA256, SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmlenc#sha256"


def signing_pair(folder, name, kind=("rsa:2048",), days=30):
    """A key and a certificate of its own, as paths."""
    key, certificate = os.path.join(folder, name + ".key"), os.path.join(folder, name + ".pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-keyout", key, "-out", certificate, "-days", str(days), "-subj", "/CN=" + name],
                   check=True, stderr=subprocess.DEVNULL)
    return key, certificate


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# ---- Pages ----
class Page(html.parser.HTMLParser):
    """The form of a page and what is in it, or what a page of ours hands over."""

    def __init__(self, text):
        super().__init__()
        self.action, self.fields, self.data = None, {}, {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "form":
            self.action = attrs.get("action")
        elif tag == "input" and attrs.get("name"):
            self.fields[attrs["name"]] = attrs.get("value") or ""
        elif attrs.get("id") == "answer":
            self.data = {name[5:]: value or "" for name, value in attrs.items() if name.startswith("data-")}


class Back:
    """What a provider has the browser post, and to where."""

    def __init__(self, page):
        self.acs, self.response, self.state = page.action, page.fields.get("SAMLResponse", ""), page.fields.get("RelayState", "")

    def xml(self):
        return base64.b64decode(self.response).decode()


class SamlTraveller(Traveller):
    """A browser that goes to a SAML provider and comes back. It sends what browsers send: with a POST from another site no cookie that is SameSite=Strict."""

    def there(self, begun):
        """What the provider is asked, and how: (method, address, fields)."""
        if begun.status != 200:
            raise AssertionError("%r" % begun)
        url = begun.json()["authorizationUrl"]
        if url.startswith(self.base_url):
            page = self.ask("GET", url[len(self.base_url):])
            if page.status != 200:
                raise AssertionError("%r" % page)
            self.page = page
            form = Page(page.body.decode())
            return "POST", form.action, form.fields
        fields = {name: values[0] for name, values in urllib.parse.parse_qs(urllib.parse.urlsplit(url).query).items()}
        return "GET", url, fields

    def question(self, begun):
        """The AuthnRequest as XML, and the RelayState."""
        method, _, fields = self.there(begun)
        packed = base64.b64decode(fields["SAMLRequest"])
        return (packed if method == "POST" else zlib.decompress(packed, -15)).decode(), fields["RelayState"]

    def visit_provider(self, begun):
        method, url, fields = self.there(begun)
        place = urllib.parse.urlsplit(url)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(place.hostname, place.port, context=context, timeout=20)
        body = urllib.parse.urlencode(fields) if method == "POST" else None
        connection.request(method, place.path + ("?" + place.query if place.query else ""), body, {"Content-Type": "application/x-www-form-urlencoded"} if body else {})
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        if answer.status != 200:
            raise AssertionError("the provider answers %d: %s" % (answer.status, said[:500]))
        return Back(Page(said))

    def hand_over(self, back, form=None, origin="https://login.example"):
        """The page that the post to acsUrl is answered with, and what it hands over."""
        body = urllib.parse.urlencode(form or {"SAMLResponse": back.response, "RelayState": back.state}).encode()
        target = urllib.parse.urlsplit(back.acs).path
        page = self.connection.ask("POST", target, None, body, [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", origin), ("Sec-Fetch-Site", "cross-site")],
                                   accept="text/html")
        return page, Page(page.body.decode()).data

    def bring(self, handed, **more):
        """What the console's page makes of it."""
        return self.ask("POST", "/api/sign-in/provider/finish-saml",
                        {"identityProviderId": handed["provider"], "samlResponse": handed["response"], "relayState": handed["state"]}, **more)

    def finish(self, back):
        return self.bring(self.hand_over(back)[1])

    def sign_in(self, username, **more):
        return self.finish(self.visit_provider(self.begin(username, **more)))


# ---- A real provider ----
class SamlProvider:
    """It signs in whoever `who` is. What it knows of us is our own metadata.xml."""

    def __init__(self, folder, name="pysaml"):
        self.folder, self.name, self.port = folder, name, free_port()
        self.address = "https://127.0.0.1:%d" % self.port
        self.issuer, self.sso = self.address + "/idp", self.address + "/sso"
        self.tls = make_certificate(folder, name + "-tls")
        self.key, self.certificate = signing_pair(folder, name)
        self.who, self.groups, self.encrypts, self.idp, self.server = None, (), False, None, None

    def settings(self):
        return {"protocol": "SAML", "displayName": self.name, "issuerUri": self.issuer, "ssoUrl": self.sso, "associatedDomains": ["federated.example"],
                "pemFileInfo": {"fileName": "idp.pem", "certificates": [{"content": text_of(self.certificate)}]}}

    def start(self, *metadata):
        from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, config, server
        own = {"entityid": self.issuer, "xmlsec_binary": "/usr/bin/xmlsec1", "key_file": self.key, "cert_file": self.certificate, "metadata": {"inline": list(metadata)},
               "service": {"idp": {"endpoints": {"single_sign_on_service": [(self.sso, BINDING_HTTP_REDIRECT), (self.sso, BINDING_HTTP_POST)]}, "name_id_format": [EMAIL],
                                   "policy": {"default": {"lifetime": {"minutes": 5}}}}}}
        self.idp = server.Server(config=config.IdPConfig().load(own))
        if self.server is None:
            self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self.handler())
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()

    def answer(self, request, binding):
        from saml2 import saml, xmldsig
        message = self.idp.parse_authn_request(request, binding).message
        self.asked = message
        return self.idp.create_authn_response(
            {"memberOf": list(self.groups)} if self.groups else {}, userid=self.who, name_id=saml.NameID(format=EMAIL, text=self.who),
            authn={"class_ref": saml.AUTHN_PASSWORD, "authn_auth": self.issuer}, sign_assertion=True, sign_response=False,
            sign_alg=xmldsig.SIG_RSA_SHA256, digest_alg=xmldsig.DIGEST_SHA256, **self.idp.response_args(message)), message.assertion_consumer_service_url

    def handler(self):
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_GET(self):
                from saml2 import BINDING_HTTP_REDIRECT
                self.say(urllib.parse.urlsplit(self.path).query, BINDING_HTTP_REDIRECT)

            def do_POST(self):
                from saml2 import BINDING_HTTP_POST
                self.say(self.rfile.read(int(self.headers["Content-Length"])).decode(), BINDING_HTTP_POST)

            def say(self, form, binding):
                fields = dict(urllib.parse.parse_qsl(form))
                xml, acs = provider.answer(fields["SAMLRequest"], binding)
                page = ("<!doctype html><form id=f method=post action='%s'><input type=hidden name=SAMLResponse value='%s'><input type=hidden name=RelayState value='%s'></form>"
                        "<script>document.getElementById('f').submit()</script>" % (acs, base64.b64encode(str(xml).encode()).decode(), fields["RelayState"])).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

        return Handler


# ---- Another one ----
class SamlpProvider(SamlProvider):
    """Auth0's samlp, of npm: another implementation of everything."""

    def __init__(self, folder):
        super().__init__(folder, "samlp")
        node_packages.install(SAMLP)

    def start(self, *metadata):
        path = os.path.join(self.folder, "samlp.json")
        services = [{"audience": re.search('entityID="([^"]+)"', one).group(1), "acs": re.search('Location="([^"]+)"', one).group(1)} for one in metadata]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"port": self.port, "issuer": self.issuer, "tlsCertificate": self.tls[0], "tlsKey": self.tls[1], "certificate": text_of(self.certificate), "key": text_of(self.key),
                       "services": services}, file)
        with open(os.path.join(self.folder, "samlp.log"), "ab") as log:
            self.server = subprocess.Popen(["node", os.path.join(SAMLP, "server.js"), path], stdout=log, stderr=log)
        wait_until(lambda: self.tell("", ()), 60)

    def stop(self):
        if self.server is not None:
            self.server.kill()
            self.server.wait()

    def tell(self, who, groups):
        context = ssl.create_default_context(cafile=self.tls[0])
        form = urllib.parse.urlencode({"who": json.dumps({"address": who, "groups": list(groups)})}).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.address + "/who", form), context=context) as answer:
                return answer.status == 200
        except OSError:
            return False


# ---- A forger ----
def instant(seconds=0):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def signature(own_id, algorithm=RSA_SHA256, digest=SHA256, method=C14N, transforms=None, uri=None, more="", info=""):
    """A template that xmlsec1 fills in."""
    transforms = transforms if transforms is not None else (
        '<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="%s"/>' % C14N)
    reference = ('<ds:Reference URI="%s"><ds:Transforms>%s</ds:Transforms><ds:DigestMethod Algorithm="%s"/><ds:DigestValue/></ds:Reference>'
                 % ("#" + own_id if uri is None else uri, transforms, digest))
    return ('<ds:Signature xmlns:ds="%s"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="%s"/><ds:SignatureMethod Algorithm="%s"/>%s%s</ds:SignedInfo>'
            '<ds:SignatureValue/>%s</ds:Signature>' % (DSIG, method, algorithm, reference, more, info))


class Forger:
    """Answers to one question, right in everything but what is named."""

    def __init__(self, folder, provider, question):
        self.folder, self.provider = folder, provider
        self.request, self.acs, self.audience = (re.search(pattern, question).group(1) for pattern in (
            r' ID="([^"]+)"', r'AssertionConsumerServiceURL="([^"]+)"', r'<saml:Issuer>([^<]+)<'))

    def assertion(self, who="ada@federated.example", own_id=None, sign=True, **wrong):
        own_id = own_id or "a" + uuid.uuid4().hex
        part = {
            "issuer": "<saml:Issuer>%s</saml:Issuer>" % self.provider.issuer,
            "name": '<saml:NameID Format="%s">%s</saml:NameID>' % (EMAIL, who),
            "method": "urn:oasis:names:tc:SAML:2.0:cm:bearer",
            "data": '<saml:SubjectConfirmationData InResponseTo="%s" Recipient="%s" NotOnOrAfter="%s"/>' % (self.request, self.acs, instant(300)),
            "conditions": 'NotBefore="%s" NotOnOrAfter="%s"' % (instant(-10), instant(300)),
            "audience": "<saml:AudienceRestriction><saml:Audience>%s</saml:Audience></saml:AudienceRestriction>" % self.audience,
            "authn": '<saml:AuthnStatement AuthnInstant="%s"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password'
                     '</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>' % instant(),
            "version": "2.0", "issued": instant(), "more": "", "signature": signature(own_id) if sign else "",
        }
        part.update(wrong)
        subject = part.get("subject", '<saml:Subject>%s<saml:SubjectConfirmation Method="%s">%s</saml:SubjectConfirmation></saml:Subject>' % (
            part["name"], part["method"], part["data"]))
        return ('<saml:Assertion xmlns:saml="%s" ID="%s" Version="%s" IssueInstant="%s">%s%s%s<saml:Conditions %s>%s</saml:Conditions>%s%s</saml:Assertion>' % (
            ASSERTION, own_id, part["version"], part["issued"], part["issuer"], part["signature"], subject, part["conditions"], part["audience"], part["authn"], part["more"]))

    def response(self, *assertions, **wrong):
        own_id = wrong.get("own_id") or "r" + uuid.uuid4().hex
        part = {"status": '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>', "destination": ' Destination="%s"' % self.acs,
                "to": ' InResponseTo="%s"' % self.request, "issuer": '<saml:Issuer xmlns:saml="%s">%s</saml:Issuer>' % (ASSERTION, self.provider.issuer), "version": "2.0",
                "signature": signature(own_id) if wrong.get("sign") else "", "before": "", "name": "Response", "after": ""}
        part.update({name: value for name, value in wrong.items() if name in part})
        return '<samlp:%s xmlns:samlp="%s" ID="%s" Version="%s" IssueInstant="%s"%s%s>%s%s%s%s%s%s</samlp:%s>' % (
            part["name"], PROTOCOL, own_id, part["version"], instant(), part["destination"], part["to"], part["issuer"], part["signature"], part["before"], part["status"],
            "".join(assertions), part["after"], part["name"])

    def signed(self, xml, key=None, certificate=None, which="Assertion", hmac=None):
        """Filled in by xmlsec1, the signature whose element has this name."""
        source, target = (os.path.join(self.folder, "%s-%s.xml" % (word, uuid.uuid4().hex)) for word in ("in", "out"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(xml)
        key = ["--hmackey", hmac] if hmac else ["--privkey-pem", "%s,%s" % (key or self.provider.key, certificate or self.provider.certificate)]
        namespace = PROTOCOL if which == "Response" else ASSERTION
        done = subprocess.run(["xmlsec1", "--sign", *key, "--id-attr:ID", PROTOCOL + ":Response", "--id-attr:ID", ASSERTION + ":Assertion",
                               "--node-xpath", "(//*[local-name()='%s' and namespace-uri()='%s']/*[local-name()='Signature'])[1]" % (which, namespace), "--output", target, source],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError("xmlsec1: %s" % done.stderr[:500])
        made = text_of(target).replace('<?xml version="1.0"?>\n', "").replace('<?xml version="1.0" encoding="UTF-8"?>\n', "").strip()
        os.unlink(source)
        os.unlink(target)
        return made

    def good(self, **more):
        return self.signed(self.response(self.assertion(**more)))

    def back(self, xml, state):
        made = Back(Page(""))
        made.acs, made.state = self.acs, state
        made.response = base64.b64encode(xml if isinstance(xml, bytes) else xml.encode()).decode()
        return made
