# SPDX-License-Identifier: Apache-2.0
"""The validator must find what is wrong; python3 test/openapi/validator_test.py DOCUMENT"""
import json
import sys
import time
import unittest

from validator import Validator

DOCUMENT = sys.argv.pop(1) if len(sys.argv) > 1 else "openapi.json"
VALIDATOR = Validator(DOCUMENT)
ROOT = "/api/svc/v2"
PROJECT = "0123456789abcdef01234567"
SELF = {"rel": "self", "href": "https://reeve.example.org/x"}


def headers(media="application/json", **more):
    return {"X-Request-Id": "1", "Content-Type": media, **{name.replace("_", "-"): value for name, value in more.items()}}


def error(status, code="RESOURCE_NOT_FOUND", reason="Not Found", **more):
    return {"detail": "Cannot find resource /x.", "error": status, "errorCode": code, "parameters": ["/x"],
            "reason": reason, **more}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


class ValidatorTest(unittest.TestCase):
    MODE = f"{ROOT}/groups/{PROJECT}/privateIpMode"
    MEDIA = next(iter(VALIDATOR.find("GET", MODE)[0]["responses"]["200"]["content"]))

    def check(self, value, target=None, status=200, method="GET", head=None, text=None):
        head = head or headers(self.MEDIA if status < 400 else "application/json")
        return VALIDATOR.check(method, target or self.MODE, status, head, text or compact(value))

    def assertFinds(self, problems, words):
        self.assertTrue(any(words in problem for problem in problems), problems)

    def test_right_answers_have_no_problems(self):
        self.assertEqual(self.check({"enabled": True, "links": [SELF]}), [])
        self.assertEqual(self.check(error(404), status=404), [])
        self.assertEqual(self.check({"status": 200, "content": {"enabled": True, "links": [SELF]}},
                                    self.MODE + "?envelope=true"), [])
        self.assertEqual(self.check({"status": 404, "content": error(404)}, self.MODE + "?envelope=true", 404), [])
        self.assertEqual(self.check(None, self.MODE + "?pretty=true",
                                    text=json.dumps({"enabled": True, "links": [SELF]}, indent=2)), [])

    def test_wrong_type_and_unknown_field_are_found(self):
        self.assertFinds(self.check({"enabled": 1, "links": [SELF]}), "enabled")
        self.assertFinds(self.check({"enabled": True, "links": [SELF], "secret": 1}), "secret")
        self.assertFinds(self.check({"enabled": True}), "links")
        self.assertFinds(self.check({"enabled": True, "links": []}), "self")

    def test_status_and_media_type_must_be_documented(self):
        self.assertFinds(self.check({}, status=418), "418 is not documented")
        self.assertFinds(self.check({"enabled": True, "links": [SELF]}, head=headers("text/html; charset=utf-8")), "text/html")
        self.assertFinds(self.check({"enabled": True, "links": [SELF]}, head=headers("application/json")), "application/json")

    def test_error_document_has_exactly_five_fields(self):
        for field in ("detail", "error", "errorCode", "parameters", "reason"):
            broken = error(404)
            del broken[field]
            self.assertFinds(self.check(broken, status=404), field)
        self.assertFinds(self.check(error(404, more=1), status=404), "more")
        self.assertFinds(self.check(error(400), status=404), "error is 400")
        self.assertFinds(self.check(error(404, code="WHATEVER"), status=404), "WHATEVER")
        self.assertFinds(self.check(error(404, reason="Gone"), status=404), "reason")

    def test_headers_that_must_be_there(self):
        self.assertFinds(self.check(error(404), status=404, head={"Content-Type": "application/json"}), "X-Request-Id")
        self.assertFinds(self.check(error(401, "NOT_AUTHENTICATED", "Unauthorized"), status=401), "WWW-Authenticate")
        self.assertFinds(self.check(error(429, "TOO_MANY_FAILURES", "Too Many Requests"), status=429), "Retry-After")

    def test_whitespace_follows_pretty(self):
        spaced = json.dumps({"enabled": True, "links": [SELF]})
        self.assertFinds(self.check(None, text=spaced), "pretty")
        self.assertFinds(self.check({"enabled": True, "links": [SELF]}, self.MODE + "?pretty=true"), "pretty")

    def test_envelope_must_be_there_when_asked_for(self):
        self.assertFinds(self.check({"enabled": True, "links": [SELF]}, self.MODE + "?envelope=true"), "envelope")
        self.assertFinds(self.check({"status": 201, "content": {"enabled": True, "links": [SELF]}},
                                    self.MODE + "?envelope=true"), "envelope says 201")

    def test_lists_follow_their_parameters(self):
        target = f"{ROOT}/groups"
        media = next(iter(VALIDATOR.find("GET", target)[0]["responses"]["200"]["content"]))
        page = {"results": [], "totalCount": 0, "links": [SELF]}
        ask = lambda value, query: VALIDATOR.check("GET", target + query, 200, headers(media), compact(value))
        self.assertEqual(ask(page, ""), [])
        self.assertEqual(ask({**page, "status": 200}, "?envelope=true"), [])
        self.assertFinds(ask(page, "?envelope=true"), "status")
        self.assertFinds(ask(page, "?includeCount=false"), "totalCount")
        self.assertFinds(ask(page, "?pageNum=2"), "previous")

    def test_operations_are_found_as_the_router_does(self):
        name = lambda method, path: (VALIDATOR.find(method, ROOT + path)[0] or {}).get("operationId")
        self.assertEqual(name("GET", ""), "getRoot")
        self.assertEqual(name("HEAD", ""), "getRoot")
        self.assertIsNone(name("DELETE", ""))
        self.assertIsNone(name("GET", "/nothing"))
        literal, parameter = name("GET", "/groups/byName/x"), name("GET", f"/groups/{PROJECT}/clusters")
        self.assertNotEqual(literal, parameter)
        self.assertNotEqual(name("POST", f"/groups/{PROJECT}:migrate"), name("POST", "/groups"))
        self.assertIsNotNone(name("POST", f"/groups/{PROJECT}:migrate"))
        self.assertEqual(VALIDATOR.check("DELETE", ROOT, 405, headers(Allow="GET, HEAD"),
                                         compact(error(405, "METHOD_NOT_ALLOWED", "Method Not Allowed"))), [])

    def test_many_answers_are_checked_quickly(self):
        body, head = compact({"enabled": True, "links": [SELF]}), headers(self.MEDIA)
        started = time.process_time()
        for _ in range(2000):
            VALIDATOR.check("GET", self.MODE, 200, head, body)
        self.assertLess(time.process_time() - started, 4)  # of a processor: others may use the machine, too


if __name__ == "__main__":
    unittest.main()
