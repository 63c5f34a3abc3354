#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether CONTRIBUTING.md tells the truth: where the code of an operation is, each row of its table, file by file; whether what waits for an engine
stands apart; and whether the files and functions are there that it, ARCHITECTURE.md and docs/internals/ name. What it shows as code is tried by
add_operation_test.py.

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


# A family is one table, and of these a part is there: what waits for shards, for a module in the server, or for a private way to a tenant's service stands beside it.
WAITS_AT_HOME = {"src/family/advisor/query_shapes.c", "src/family/backup/backups.c", "src/family/backup/legacy_backups.c", "src/family/encryption/encryption_at_rest.c"}


def check_waiting(suite):
    """Operations that answer 501 are in the room `waiting`, and nothing else is."""
    for path in sorted(glob.glob(os.path.join(ROOT, "src/family/**/*.c"), recursive=True)):
        name, text = os.path.relpath(path, ROOT), read(path)
        rows, waiting = len(re.findall(r"^    \{ (?:GET|POST|PUT|PATCH|DELETE),\s", text, re.M)), text.count(".waits_for = ")
        if name.startswith("src/family/waiting/"):
            suite.check(waiting == rows, "%s: %d of %d operations wait; what is there goes to the room of its subject", name, waiting, rows)
        elif name not in WAITS_AT_HOME:
            suite.check(waiting == 0, "%s: %d operations wait, which belong into src/family/waiting/", name, waiting)


NAMED = re.compile(r"`([^`\n]+)`")
FUNCTION = re.compile(r"([a-z]\w*_\w+)\([^()]*\)")  # with an underscore: others may be anybody's
TYPE = re.compile(r"(?:struct|enum) (\w+)")


def check_named(suite):
    """Files, functions and types that pages for contributors name. A path may begin below src/, as includes do."""
    files = [os.path.relpath(os.path.join(folder, name), ROOT) for top in ("src", "test", "script", "docs", "deploy", "debian")
             for folder, _, names in os.walk(os.path.join(ROOT, top)) for name in names]
    folders = {folder for file in files for folder in parents(file)}
    known = set(files) | folders
    tops = {name.split("/")[0] for name in known if "/" in name} | {name.split("/")[1] for name in folders if name.startswith("src/")}
    words = {word for file in files if file.startswith(("src/", "test/unit/", "test/api/")) and file.endswith((".c", ".h", ".sql", ".py"))
             for word in re.findall(r"\w+", read(file))}
    for page in ["CONTRIBUTING.md", "docs/ARCHITECTURE.md", *sorted(file for file in files if re.fullmatch(r"docs/internals/\w[\w-]*\.md", file))]:
        text = re.sub(r"^## Adding an operation$.*?^## ", "", read(page), flags=re.M | re.S) if page == "CONTRIBUTING.md" else read(page)
        for name in sorted(set(NAMED.findall(re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)))):
            path = name.rstrip("/")
            if re.fullmatch(r"[\w-]+(/[\w.-]+)+", path) and path.split("/")[0] in tops and not re.search(r"NNNN|\.\.", path):
                suite.check({path, "src/" + path} & known, "%s names the file %s", page, name)
            elif found := FUNCTION.fullmatch(name) or TYPE.fullmatch(name):
                suite.check(found[1] in words, "%s names %s", page, name)


def parents(path):
    while path := os.path.dirname(path):
        yield path


def main():
    suite = Suite("contributing")
    examples = EXAMPLE.findall(read("CONTRIBUTING.md"))
    suite.check(len(examples) >= 5, "only %d examples", len(examples))
    for example in examples:
        check_example(suite, *example)
    check_waiting(suite)
    check_named(suite)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
