# SPDX-License-Identifier: Apache-2.0
"""Holds observed exchanges against the OpenAPI document.

    validator = Validator("openapi.json")
    problems = validator.check("GET", "/api/svc/v2/groups?pretty=true", 200, headers, body)

A list of sentences comes back, empty when the answer is what the document promises. Schemas are compiled once, so that
a test may check a hundred thousand answers. From a shell: validator.py DOCUMENT < exchanges, one JSON object a line
with method, target, status, headers and body.
"""
import http.client
import json
import re
import sys
from urllib.parse import parse_qsl, unquote

import jsonschema

PREFIXES = ("/api/svc/v2", "/api/svc/v1.0")
# Answered before it is known which operation is meant, so no operation lists them.
ANY_OPERATION = {400, 408, 413, 414, 431, 500, 503}
REASONS = {**http.client.responses, 413: "Content Too Large", 414: "URI Too Long", 422: "Unprocessable Content"}
STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')
WHITESPACE = re.compile(rb"[ \t\r\n]")


class Node:
    """One step of a path: literals before parameters, parameters with the longest suffix first, as the router does."""

    def __init__(self):
        self.literals = {}
        self.parameters = {}  # suffix: Node
        self.item = None

    def add(self, segments, item):
        if not segments:
            # Only {different} {names} lead to one node twice; the methods are distinct.
            self.item = {**(self.item or {}), **item}
            return
        head, rest = segments[0], segments[1:]
        if head.startswith("{"):
            suffix = head[head.index("}") + 1:]
            known = self.parameters.setdefault(suffix, Node())
            self.parameters = dict(sorted(self.parameters.items(), key=lambda pair: -len(pair[0])))
        else:
            known = self.literals.setdefault(head, Node())
        known.add(rest, item)

    def find(self, method, segments, allowed):
        if not segments:
            allowed.update(self.item or {})
            return (self.item or {}).get(method)
        head, rest = segments[0], segments[1:]
        if head in self.literals:
            found = self.literals[head].find(method, rest, allowed)
            if found:
                return found
        for suffix, node in self.parameters.items():
            if head.endswith(suffix) and len(head) > len(suffix):
                found = node.find(method, rest, allowed)
                if found:
                    return found
        return None


class Validator:
    def __init__(self, document):
        if isinstance(document, str):
            with open(document, encoding="utf-8") as file:
                document = json.load(file)
        self.document = document
        self.root = Node()
        self.compiled = {}
        for path, item in document["paths"].items():
            operations = {method.upper(): value for method, value in item.items()}
            self.root.add([] if path == "/" else path.split("/")[1:], operations)
        self.error = self._compile(document["components"]["schemas"]["Error"])

    # ---- Schemas ----
    def _resolve(self, reference):
        value = self.document
        for part in reference[2:].split("/"):
            value = value[part.replace("~1", "/").replace("~0", "~")]
        return value

    def _expand(self, schema, inside=()):
        """The schema without references: following one costs more than checking it. Objects whose fields are known are
        closed here: the document leaves them open for the sake of older clients, a test must not."""
        if isinstance(schema, list):
            return [self._expand(one, inside) for one in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            reference = schema["$ref"]
            if reference in inside:
                return {}  # a schema inside itself: checked down to here
            return self._expand(self._resolve(reference), inside + (reference,))
        expanded = {}
        for key, value in schema.items():
            if key in ("properties",):
                expanded[key] = {name: self._expand(one, inside) for name, one in value.items()}
            elif key in ("items", "anyOf", "allOf", "oneOf", "additionalProperties"):
                expanded[key] = self._expand(value, inside)
            elif key not in ("description", "examples", "default", "readOnly", "writeOnly", "deprecated", "x-unit"):
                expanded[key] = value
        if "properties" in expanded:
            expanded.setdefault("additionalProperties", False)
        return expanded

    def _compile(self, schema):
        return jsonschema.Draft202012Validator(self._expand(schema))

    def _schema_of(self, operation, status, media_type, schema):
        key = (operation["operationId"], status, media_type)
        if key not in self.compiled:
            self.compiled[key] = self._compile(schema)
        return self.compiled[key]

    # ---- One exchange ----
    def find(self, method, path):
        """The operation and the methods that the path has; (None, empty) when nothing matches."""
        prefix = next((p for p in PREFIXES if path == p or path.startswith(p + "/")), None)
        if prefix is None:
            return None, set()
        rest = path[len(prefix):]
        rest = "" if rest == "/" else rest  # the root, as the document writes it
        segments = [unquote(segment) for segment in rest.split("/")[1:]]
        allowed = set()
        operation = self.root.find("GET" if method == "HEAD" else method, segments, allowed)
        if operation and prefix == PREFIXES[1] and "/api/svc/v1.0" not in operation["description"]:
            return None, set()
        return operation, allowed

    def check(self, method, target, status, headers, body):
        problems = []
        headers = {name.lower(): value for name, value in dict(headers).items()}
        if isinstance(body, str):
            body = body.encode()
        path, _, raw_query = target.partition("?")
        query = parse_qsl(raw_query, keep_blank_values=True)
        form = {name for name, value in query if name in ("envelope", "pretty") and value == "true"}
        operation, allowed = self.find(method, path)
        if not headers.get("x-request-id"):
            problems.append("there is no X-Request-Id")
        if operation is None:
            self._check_unknown(status, allowed, headers, problems)
        else:
            self._check_status(operation, status, form, problems)
        if method == "HEAD" or status in (204, 304) or self._is_without_body(operation, status, form):
            if body:
                problems.append("there is a body, and there must be none")
            return problems
        document = self._parse(status, headers, body, form, operation, problems)
        if document is None:
            return problems
        if status >= 400:
            self._check_error(status, headers, document, form, problems)
        elif operation is not None:
            self._check_success(operation, status, headers, document, form, dict(query), problems)
        return problems

    @staticmethod
    def _is_without_body(operation, status, form):
        """Whether the document knows the status, and no content of it."""
        documented = operation["responses"].get(str(status)) if operation else None
        return documented is not None and status < 300 and "content" not in documented and "envelope" not in form

    def _check_unknown(self, status, allowed, headers, problems):
        if status == 405:
            if not allowed:
                problems.append("405 for a path that does not exist")
            elif "allow" not in headers:
                problems.append("405 without Allow")
        elif status not in ANY_OPERATION | {404, 429}:
            problems.append(f"{status} for an operation that does not exist")

    def _check_status(self, operation, status, form, problems):
        documented = operation["responses"]
        if str(status) in documented or status in ANY_OPERATION:
            return
        if "envelope" in form and status == 200 and "204" in documented:
            return
        problems.append(f"{status} is not documented for {operation['operationId']}")

    def _parse(self, status, headers, body, form, operation, problems):
        media_type = headers.get("content-type", "").split(";")[0].strip()
        if status < 400 and media_type and not media_type.endswith("json"):
            self._media(operation, status, media_type, problems)
            return None
        try:
            document = json.loads(body)
        except ValueError as why:
            problems.append(f"the body is not JSON: {why}")
            return None
        spaced = WHITESPACE.search(STRINGS.sub(b'""', body)) is not None
        if spaced != ("pretty" in form):
            problems.append("the body is " + ("not " if "pretty" in form else "") + "pretty-printed")
        return document

    def _media(self, operation, status, media_type, problems):
        """The entry of the document for this media type; None when it is not there."""
        if operation is None:
            return None
        response = operation["responses"].get(str(status))
        if response is None:
            return None
        if "$ref" in response:
            response = self._resolve(response["$ref"])
        content = response.get("content", {})
        if media_type not in content:
            problems.append(f"media type {media_type or '(none)'} is not documented for {operation['operationId']}")
            return None
        return content[media_type]

    @staticmethod
    def _report(validator, document, problems):
        for error in validator.iter_errors(document):
            where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path).lstrip(".")
            problems.append(f"{where or 'the body'}: {error.message[:300]}")

    @staticmethod
    def _unwrap(status, document, problems, expected=None):
        if not isinstance(document, dict) or set(document) != {"status", "content"}:
            problems.append("there is no envelope")
            return None
        if document["status"] != status and document["status"] != expected:
            problems.append(f"the envelope says {document['status']}, the status is {status}")
        return document["content"]

    def _check_error(self, status, headers, document, form, problems):
        if headers.get("content-type", "").split(";")[0].strip() != "application/json":
            problems.append("an error is not application/json")
        if "envelope" in form:
            document = self._unwrap(status, document, problems)
            if document is None:
                return
        before = len(problems)
        self._report(self.error, document, problems)
        if len(problems) > before:
            return
        if document["error"] != status:
            problems.append(f"error is {document['error']}, the status is {status}")
        if document["reason"] != REASONS.get(status):
            problems.append(f"reason of {status} is {document['reason']!r}")
        if "{}" in document["detail"] or not document["detail"]:
            problems.append(f"detail is {document['detail']!r}")
        if document["errorCode"] == "RATE_LIMITED_TOKEN_BUCKET":
            kinds = [type(value) for value in document["parameters"]]
            if kinds != [str, int, int, int, int]:
                problems.append(f"parameters of the refusal are {document['parameters']}")
        if status == 429 and not headers.get("retry-after", "").isdigit():
            problems.append("429 without Retry-After")
        if status == 401 and "www-authenticate" not in headers:
            problems.append("401 without WWW-Authenticate")

    def _check_success(self, operation, status, headers, document, form, query, problems):
        media_type = headers.get("content-type", "").split(";")[0].strip()
        tried = "200" in operation["responses"] and query.get("dryRun") == "true"  # says what would go
        nothing = "204" in operation["responses"] and status == 200 and not tried
        if nothing:
            if self._unwrap(status, document, problems, expected=204) != {}:
                problems.append("the content of nothing is something")
            return
        media = self._media(operation, status, media_type, problems)
        if media is None:
            return
        validator = self._schema_of(operation, status, media_type, media["schema"])
        is_list = "results" in validator.schema.get("properties", {})
        if "envelope" in form and is_list:
            if not isinstance(document, dict) or document.get("status") != status:
                problems.append("the list has no field status")
            else:
                document = {key: value for key, value in document.items() if key != "status"}
        elif "envelope" in form:
            document = self._unwrap(status, document, problems)
            if document is None:
                return
        before = len(problems)
        self._report(validator, document, problems)
        if len(problems) == before:
            self._check_links(document, is_list, query, problems)

    @staticmethod
    def _check_links(document, is_list, query, problems):
        relations = [link["rel"] for link in document.get("links", [])]
        if relations.count("self") != 1:
            problems.append("links do not have self once")
        if not is_list:
            return
        if not set(relations) <= {"self", "previous", "next"}:
            problems.append(f"a list links to {relations}")
        if ("previous" in relations) != (int(query.get("pageNum", 1)) > 1):
            problems.append("previous is wrong for this page")
        if ("totalCount" in document) != (query.get("includeCount") != "false"):
            problems.append("totalCount does not follow includeCount")
        if len(document["results"]) > int(query.get("itemsPerPage", 100)):
            problems.append("there are more results than itemsPerPage")
        for item in document["results"]:
            if isinstance(item, dict) and "links" in item and [link["rel"] for link in item["links"]] != ["self"]:
                problems.append("an item of a list links to more than itself")
                return


def main():
    validator = Validator(sys.argv[1])
    count = wrong = 0
    for line in sys.stdin:
        one = json.loads(line)
        problems = validator.check(one["method"], one["target"], one["status"], one["headers"], one["body"])
        count += 1
        wrong += bool(problems)
        for problem in problems:
            print(f"{one['method']} {one['target']} {one['status']}: {problem}")
    print(f"{count} exchanges, {wrong} not as documented")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
