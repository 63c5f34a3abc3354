# SPDX-License-Identifier: Apache-2.0
"""What the document says about bodies is complete and true; REEVE_BUILD=build bodies_test.py DOCUMENT

Every operation has a description, schemas of what is sent and returned, and examples that they describe. Bodies that are made from the
tables are those that the document describes.
"""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))
from body_matrix import count_kinds, is_sent, valid_body, valid_value, with_further
from validator import Validator
from world import BUILD, ROOT, catalog, readable_patterns

MODES = {"POST": "create", "PUT": "replace", "PATCH": "update"}
OPERATIONS = 447  # of the specification; extensions come on top
NOT_JSON = ("+gzip", "+csv", "+xml", "text/event-stream")


class CompleteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(DOCUMENT, encoding="utf-8") as file:
            cls.document = readable_patterns(json.load(file))
        cls.validator = Validator(cls.document)
        cls.all = [(method.upper() + " " + path, operation) for path, item in cls.document["paths"].items() for method, operation in item.items()]

    def medias(self, operation):
        """(where, media type, what is said of it) of everything that is sent or returned."""
        for media, content in operation.get("requestBody", {}).get("content", {}).items():
            yield "request", media, content
        for status, response in operation["responses"].items():
            response = self.document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]] if "$ref" in response else response
            for media, content in response.get("content", {}).items():
                yield status, media, content

    def test_every_operation_of_the_specification_is_there(self):
        extensions = subprocess.run([os.path.join(ROOT, BUILD, "reeved"), "catalog", "--status"], capture_output=True, text=True, check=True)
        self.assertEqual(len(self.all), len(catalog()))
        self.assertEqual(len(self.all) - len(re.findall("extension$", extensions.stdout, re.M)), OPERATIONS)

    def test_every_operation_says_what_it_does(self):
        for name, operation in self.all:
            own = operation["description"].split("\n\n")[0]  # behind it stand access and rate limit, which are generated
            with self.subTest(operation=name):
                self.assertGreaterEqual(len(own), 20, own)
                self.assertTrue(own.rstrip().endswith((".", ":")), own)
                self.assertTrue(operation["summary"])

    def test_database_settings_say_their_unit(self):
        """D3: names of PostgreSQL's own do not state it, so the description and the schema do."""
        words = {"ms": ("milliseconds", "ms"), "s": ("seconds",), "kB": ("kb",), "MB": ("megabytes", "mb")}
        settings = self.document["components"]["schemas"]["ProcessArgs"]["properties"]
        self.assertEqual(settings["work_mem"]["x-unit"], "kB")
        for name, schema in settings.items():
            with self.subTest(setting=name):
                if "x-unit" in schema:
                    self.assertTrue(any(word in (name + " " + schema["description"]).lower() for word in words[schema["x-unit"]]), schema["description"])
                else:
                    self.assertNotRegex(name, "(?i)(timeout|_mem|_size|duration|naptime)$")

    def test_every_parameter_says_what_it_is(self):
        for name, operation in self.all:
            for parameter in operation["parameters"]:
                parameter = self.document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]] if "$ref" in parameter else parameter
                with self.subTest(operation=name, parameter=parameter["name"]):
                    self.assertTrue(parameter["description"] and parameter["schema"])
                    if parameter["in"] == "path":
                        self.assertEqual([error.message for error in self.validator._compile(parameter["schema"]).iter_errors(parameter["example"])], [])

    def test_every_body_has_a_schema_and_an_example_of_it(self):
        for name, operation in self.all:
            for where, media, content in self.medias(operation):
                with self.subTest(operation=name, where=where, media=media):
                    schema = content["schema"]
                    self.assertNotIn(schema.get("$ref"), ("#/components/schemas/AnyObject", "#/components/schemas/Entity", "#/components/schemas/List"))
                    if media.endswith(NOT_JSON):
                        continue
                    self.assertEqual([error.message[:200] for error in self.validator._compile(schema).iter_errors(content["example"])], [])

    def test_every_operation_has_an_example(self):
        for name, operation in self.all:
            has = any("example" in content for where, _, content in self.medias(operation) if where == "request" or where[0] == "2")
            with self.subTest(operation=name):
                self.assertTrue(has or any("example" in parameter for parameter in operation["parameters"]))


class BodiesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(DOCUMENT, encoding="utf-8") as file:
            cls.document = readable_patterns(json.load(file))
        cls.validator = Validator(cls.document)
        cls.rows = [row for row in catalog() if "request" in row]

    def schema_of(self, row):
        content = self.validator.find(row["method"], "/api/svc/v2" + row["path"])[0]["requestBody"]["content"]
        return self.validator._compile(next(iter(content.values()))["schema"])

    def problems(self, schema, row, body):
        return [error.message[:200] for error in schema.iter_errors([body] if row["bodyIsList"] else body)]

    def test_a_body_of_each_kind_is_what_the_document_describes(self):
        for row in self.rows:
            schema = self.schema_of(row)
            for number in range(count_kinds(row["request"])):
                body = valid_body(row["request"], {}, MODES[row["method"]], number)
                with self.subTest(operation=row["operation"], number=number):
                    self.assertEqual(self.problems(schema, row, body), [], body)

    def test_a_field_of_another_kind_is_not(self):
        for row in self.rows:
            mode, fields = MODES[row["method"]], row["request"]
            schema = None
            for number in range(count_kinds(fields) if any("variants" in field for field in fields) else 0):
                schema = schema or self.schema_of(row)
                body, own = valid_body(fields, {}, mode, number), {field["name"] for field in with_further(fields, number)}
                if len(own) == len(fields):
                    continue  # a kind without fields of its own: a change could be of any kind
                for other in (f for field in fields for further in field.get("variants", {}).values() for f in further):
                    if other["name"] in own or not is_sent(other, mode):
                        continue
                    with self.subTest(operation=row["operation"], number=number, field=other["name"]):
                        self.assertNotEqual(self.problems(schema, row, {**body, other["name"]: valid_value(other, {})}), [])


if __name__ == "__main__":
    DOCUMENT = sys.argv.pop(1)
    unittest.main()
