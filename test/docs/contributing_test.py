#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether CONTRIBUTING.md tells the truth about where the code of an operation is: each row of its table, file by file.

    test/docs/contributing_test.py
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "api"))
from suite import Suite  # noqa: E402

EXAMPLE = re.compile(r"^\| `(GET|POST|PUT|PATCH|DELETE) (/[^`]+)` \| `([^`]+)` \| `([^`]+)` \| (?:`([^`]+)`)? ?\| `([^`]+)` \|$", re.M)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def check_example(suite, method, path, table, statement, job, test):
    operation = "%s %s" % (method, path)
    suite.check('{ %s, "%s"' % (method, path) in read(table), "%s is not in %s", operation, table)
    found = [file for file in glob.glob(os.path.join(ROOT, "src/family/**/*.c"), recursive=True) if '{ %s, "%s"' % (method, path) in read(file)]
    suite.check(found == [os.path.join(ROOT, table)], "%s is in %r", operation, found)
    name = "SQL_" + os.path.basename(statement)[:-len(".sql")].upper()
    users = glob.glob(os.path.join(ROOT, "src/*/%s/*.c" % statement.split("/")[2]))
    suite.check(os.path.exists(os.path.join(ROOT, statement)) and any(name in read(file) for file in users), "nobody of its subject runs %s", statement)
    if job:
        suite.check(job.split("/")[2] == table.split("/")[2], "%s is not in the room of %s", job, table)
        suite.check(os.path.exists(os.path.join(ROOT, job)), "there is no %s", job)
    family = os.path.basename(table)[:-len(".c")].replace("_", "-")
    suite.check(os.path.basename(test) == family + ".txt", "%s is not named like %s", test, table)
    target = "^> %s \\S+%s\\b" % (method, re.escape(re.sub(r"^/(groups|orgs)/\{\w+\}", "", path)))
    suite.check(re.search(target, read(test), re.M), "%s does not ask for %s", test, operation)


def main():
    suite = Suite("contributing")
    examples = EXAMPLE.findall(read("CONTRIBUTING.md"))
    suite.check(len(examples) >= 5, "only %d examples", len(examples))
    for example in examples:
        check_example(suite, *example)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
