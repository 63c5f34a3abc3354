#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does what CONTRIBUTING.md tells a newcomer to do to add an operation, and sees whether it works.

    test/docs/add_operation_test.py [--build build] [--count | --keep FOLDER]

The text is what is tried: every block of its examples is put where the line above it says, in a copy of the tree. The copy is built and
held against the static checks, what the new statements do is accepted as the text says, and the exchanges that were added are run against a node of it. A block that belongs nowhere is a failure, so
nothing in CONTRIBUTING.md is code that was never compiled.

Also says how many places each example touches; --count only that. --build is a folder whose nginx headers are taken, which saves their configuration.
--keep leaves the copy there, for whoever wants to look at it or to run other suites in it.

A line that says where a block goes begins with the file and one of these, and may go on with a sentence:

    **`file`**, new                      **`file`**, at the end                **`file`**, at the end of `table`
    **`file`**, above `beginning of a line`                                   **`file`**, below `part of a line`
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "api"))
from suite import Suite, ends_on_signal  # noqa: E402

PYTHON = "/usr/bin/python3"
SECTION = re.compile(r"^## Adding an operation\n(.*?)^## ", re.M | re.S)
EXAMPLE = re.compile(r"^### (.+)\n", re.M)
PLACE = re.compile(r"^\*\*`(?P<file>[^`]+)`\*\*, (?P<how>new|above|below|at the end of|at the end)(?: `(?P<where>[^`]+)`)?(?P<rest>[.:, ].*?)?\Z", re.S)
BLOCK = re.compile(r"(?P<before>[^\n]+(?:\n[^\n]+)*)\n\n```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S)
STATEMENT_TEST = "test/unit/store_statement_test"
TARGETS = ("reeved", "reeve", "src/http/ngx_http_reeve_module.so", STATEMENT_TEST)
EXPECTED = "test/data/statements/expected.txt"


# ---- Reading the text ----
class Edit:
    """One block, and where it goes."""

    def __init__(self, place, text):
        self.file, self.how, self.where, self.text = place["file"], place["how"], place["where"], text

    def apply(self, folder):
        path = os.path.join(folder, self.file)
        if self.how == "new":
            if os.path.exists(path):
                raise ValueError("%s is there already" % self.file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            lines, at = [], 0
        else:
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines(keepends=True)
            at = self.line(lines)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(lines[:at]) + self.text + "".join(lines[at:]))

    def line(self, lines):
        """The number of lines that stay before the block."""
        if self.how == "at the end":
            return len(lines)
        found = [number for number, line in enumerate(lines) if self.is_meant(line)]
        if len(found) != 1:
            raise ValueError("%s has %d lines with %s, and one is needed" % (self.file, len(found), self.where))
        if self.how == "at the end of":
            return lines.index("};\n", found[0])
        return found[0] + (self.how == "below")

    def is_meant(self, line):
        if self.how == "above":
            return line.startswith(self.where)
        return (self.where + "[] = {" if self.how == "at the end of" else self.where) in line


def read_examples(text):
    """{title: its edits}; what belongs nowhere is a ValueError."""
    section = SECTION.search(text)[1]
    titles = list(EXAMPLE.finditer(section))
    examples = {}
    for number, title in enumerate(titles):
        part = section[title.end():titles[number + 1].start() if number + 1 < len(titles) else len(section)]
        edits = []
        for block in BLOCK.finditer(part):
            place = PLACE.match(block["before"])
            if not place:
                raise ValueError("nobody can know where this goes: %s" % block[0])
            edits.append(Edit(place, block["text"]))
        if part.count("\n```\n") != len(edits):
            raise ValueError("%s: %d blocks, of which %d say where they go" % (title[1], part.count("\n```\n"), len(edits)))
        if edits:
            examples[title[1]] = edits
    return examples


def check_all_code_is_tried(suite, text, examples):
    """C outside of the examples would be compiled by nobody."""
    blocks, tried = re.findall(r"^ *```(\w+)\n", text, re.M), sum(len(edits) for edits in examples.values())
    suite.check(len(blocks) == tried, "%d blocks have a language, and %d are tried: %s", len(blocks), tried, blocks)


def count_places(examples):
    """Lines for people: {title: (files, blocks)} with the files."""
    for title, edits in examples.items():
        files = dict.fromkeys(edit.file for edit in edits)
        yield "%s: %d places in %d files: %s" % (title, len(edits), len(files), ", ".join(
            file if sum(edit.file == file for edit in edits) == 1 else "%s (%d)" % (file, sum(edit.file == file for edit in edits)) for file in files))


# ---- Doing it ----
def copy_tree(folder, build):
    """What git knows or would know, and nginx's headers as that build has configured them."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in filter(None, names.split("\0")):
        source, target = os.path.join(ROOT, name), os.path.join(folder, name)
        if os.path.lexists(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    headers = os.path.join(build, "src/http/nginx")
    if os.path.isdir(headers):
        shutil.copytree(headers, os.path.join(folder, "build/src/http/nginx"), symlinks=True)


def run(suite, what, command, folder, **environment):
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, **environment})
    suite.say("%s: %.0f s" % (what, time.monotonic() - began))
    return suite.check(done.returncode == 0, "%s: %s ends with %d:\n%s", what, " ".join(command), done.returncode, done.stdout[-4000:]) and done.stdout


def build_copy(suite, folder):
    # Neither optimized nor with symbols: a row of the SQL or of the events has nearly everything compiled again.
    return run(suite, "configure", ["meson", "setup", "build", "-Dbuildtype=plain"], folder) and run(suite, "build", ["ninja", "-C", "build", *TARGETS], folder)


def check_copy(suite, folder):
    """What `make docs-reference` and `make lint` would do, without building what only tests need."""
    for command in ("./build/reeved reference docs/reference", "./build/reeve __reference > docs/reference/cli.md", "script/make-effects > docs/reference/effects.md"):
        run(suite, "reference", ["sh", "-c", command], folder)
    checks = sorted(name for name in os.listdir(os.path.join(folder, "script")) if name.startswith("check-") and name != "check-headers")  # no header is new
    for check in [["script/" + name] for name in checks] + [[PYTHON, "test/docs/contributing_test.py"]]:
        run(suite, os.path.basename(check[-1]), check, folder)


def accept_statements(suite, folder, edits):
    """What a newcomer does about new statements: the test shows what they do, which is copied and then passes. Nothing else may have changed."""
    wanted = set(os.path.basename(edit.file)[:-len(".sql")] for edit in edits if edit.how == "new" and edit.file.endswith(".sql"))
    test = ["../script/with-services", STATEMENT_TEST]
    build = os.path.join(folder, "build")
    with open(os.path.join(folder, EXPECTED), encoding="utf-8") as file:
        before = file.read().splitlines()
    first = subprocess.run(test, cwd=build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    suite.check(first.returncode != 0, "store_statement_test passes before anybody has looked at the new statements")
    shutil.copy(os.path.join(build, "statements.actual"), os.path.join(folder, EXPECTED))
    with open(os.path.join(folder, EXPECTED), encoding="utf-8") as file:
        changes = [line for line in difflib.ndiff(before, file.read().splitlines()) if line[0] in "+-"]
    suite.equal([line for line in changes if line[0] == "-"], [], "lines of other statements that have changed")
    suite.equal(set(re.findall(r"^\+ (\w+)\(", "\n".join(changes), re.M)), wanted, "statements that are new in expected.txt")
    run(suite, "statements", test, build)


def run_exchanges(suite, folder, files):
    names = [os.path.basename(file)[:-len(".txt")] for file in files if file.startswith("test/api/exchanges/")]
    output = run(suite, "exchanges", ["script/with-services", PYTHON, "test/api/exchange_test.py", *names], folder, REEVE_BUILD="build")
    ran = re.search(r"(\d+) exchanges in (\d+) files", output or "")
    suite.check(ran and int(ran[2]) == len(names), "exchanges of %s: %s", names, output)
    return ran and ran[0]


def check_answers(suite, folder, edits):
    """Each new row is an operation that is served, not one that waits."""
    wanted = set(re.findall(r"^    \{ (\w+, \"[^\"]+)\"", "".join(edit.text for edit in edits), re.M))
    listed = run(suite, "catalog", ["./build/reeved", "catalog", "--status"], folder) or ""
    for row in sorted(wanted):
        method, path = row.split(", \"")
        suite.check(re.search(r"^%s +%s +extension$" % (method, re.escape(path)), listed, re.M), "%s %s is not served", method, path)
    return len(wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", metavar="DIR")
    parser.add_argument("--count", action="store_true", help="only say how many places each example touches")
    parser.add_argument("--keep", metavar="FOLDER", help="make the copy there, and leave it")
    arguments = parser.parse_args()
    ends_on_signal()
    suite = Suite("add an operation")
    with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as file:
        text = file.read()
    examples = read_examples(text)
    suite.equal(len(examples), 3, "examples")
    check_all_code_is_tried(suite, text, examples)
    for line in count_places(examples):
        suite.say(line)
    if not arguments.count:
        with tempfile.TemporaryDirectory(prefix="reeve-newcomer-") as folder:
            try_examples(suite, examples, arguments.keep or folder, os.path.join(ROOT, arguments.build))
    return suite.finish()


def try_examples(suite, examples, folder, build):
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)  # workers of nginx are another user when the tests run as root
    copy_tree(folder, build)
    edits = [edit for example in examples.values() for edit in example]
    for edit in edits:
        edit.apply(folder)
    files = list(dict.fromkeys(edit.file for edit in edits))
    run(suite, "format", ["clang-format", "-i", *(file for file in files if file.endswith((".c", ".h")))], folder)
    if build_copy(suite, folder):
        operations = check_answers(suite, folder, edits)
        check_copy(suite, folder)
        accept_statements(suite, folder, edits)
        suite.say("%d operations were added; %s" % (operations, run_exchanges(suite, folder, files)))


if __name__ == "__main__":
    sys.exit(main())
