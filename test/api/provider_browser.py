# SPDX-License-Identifier: Apache-2.0
"""A person's browser that goes to the pages of their identity provider and comes back: what the tests of it and the attacks on it share."""
import http.client
import json
import ssl
import urllib.parse
import urllib.request

from browser import COOKIE, Browser

VISIT = "__Host-reeve_visit"


class Traveller(Browser):
    """It keeps the cookies of both sites."""

    def __init__(self, node):
        super().__init__(node)
        self.visit, self.base_url, self.of_provider = None, node.base_url, {}

    def ask(self, method, target, body=None, cookie=None, **more):
        kept = self.cookie
        shown = "; ".join("%s=%s" % one for one in ((COOKIE, self.cookie), (VISIT, self.visit)) if one[1])
        answer = super().ask(method, target, body, cookie=cookie or shown or None, **more)
        self.cookie = kept
        for one in answer.all_headers.get("set-cookie", []):
            name, value = one.split(";")[0].split("=", 1)
            if name == COOKIE:
                self.cookie = value or None
            elif name == VISIT:
                self.visit = value or None
        return answer

    def begin(self, username, **more):
        return self.ask("POST", "/api/sign-in/provider", {"username": username, **more})

    def travel(self, url):
        """What the provider sends the browser back with, and to where."""
        while not url.startswith(self.base_url):
            place = urllib.parse.urlsplit(url)
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            connection = http.client.HTTPSConnection(place.hostname, place.port, context=context, timeout=20)
            jar = self.of_provider.setdefault(place.netloc, {})
            connection.request("GET", place.path + "?" + place.query, headers={"Cookie": "; ".join("%s=%s" % one for one in jar.items())})
            answer = connection.getresponse()
            for one in answer.headers.get_all("Set-Cookie") or []:
                name, value = one.split(";")[0].split("=", 1)
                jar[name] = value
            said = answer.read()
            connection.close()
            if "Location" not in answer.headers:
                raise AssertionError("the provider answers %d: %s" % (answer.status, said[:300]))
            url = urllib.parse.urljoin(url, answer.headers["Location"])
        place = urllib.parse.urlsplit(url)
        brought = {name: values[0] for name, values in urllib.parse.parse_qs(place.query).items()}
        return place.path, brought

    def body_of(self, path, brought):
        """What the console's page makes of it."""
        body = {"identityProviderId": path.rsplit("/", 1)[1], "code": brought.get("code"), "state": brought.get("state"), "issuer": brought.get("iss")}
        return {name: value for name, value in body.items() if value is not None}

    def go(self, begun):
        """From the answer that says where to go to the body with which they finish."""
        if begun.status != 200:
            raise AssertionError("%r" % begun)
        return self.body_of(*self.travel(begun.json()["authorizationUrl"]))

    def finish(self, body, **more):
        return self.ask("POST", "/api/sign-in/provider/finish", body, **more)

    def sign_in(self, username, change=None, **more):
        body = self.go(self.begin(username, **more))
        return self.finish({**body, **(change or {})})

    def confirm(self, **wrong):
        asked = self.ask("POST", "/api/sign-in/provider/confirm", {})
        return asked if asked.status != 200 else self.finish({**self.go(asked), **wrong})


def wrong(provider, **what):
    """From now on the provider does this; how often its token endpoint was asked until now."""
    request = urllib.request.Request(provider.issuer + "/wrong", json.dumps(what).encode())
    with urllib.request.urlopen(request, context=provider.context) as answer:
        return json.load(answer)["asked"]


def let_people_in(place, provider, *more):
    """The provider's own pages send people back to us, and we know it."""
    place.must(200, "PATCH", place.path, {"clientId": "console", "requestedScopes": ["email", "groups"]})
    place.must(200, "PATCH", place.config, {"identityProviderId": place.idp})
    provider.start(provider.keys, ["%s/console/sign-in/provider/%s" % (place.node.base_url, one) for one in (place.idp, *more)])
    place.wait_for_keys()
