# SPDX-License-Identifier: Apache-2.0
"""Bodies that are made from the tables are those that the document describes; REEVE_BUILD=build bodies_test.py DOCUMENT"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))
from body_matrix import count_kinds, is_sent, valid_body, valid_value, with_further
from validator import Validator
from world import catalog, readable_patterns

MODES = {"POST": "create", "PUT": "replace", "PATCH": "update"}


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
