#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the tests would notice: makes small faults, one at a time, and runs the tests that come by there.

    make mutate                                              200 of them, all in statements, and docs/reports/mutate.md; takes some hours
    test/mutate/mutate.py --count 20 --only src/auth         some, in one folder
    test/mutate/mutate.py --show --count 5                   which ones there would be

The first run builds with coverage and runs every test once, so that it is known which lines each one comes by, and how long it takes (kept in
build-mutate/map.json.gz). A mutant of C is tried with the tests that come by its line, a statement with those that come by a line of C that runs it,
a routine with those of the statements and routines that mention it, what runs on hosts also with tests on a fleet; the shortest ones first.
One in C that survives is tried once more with the sanitizers that CI has. One that nobody comes by survives. Statements of the store are not among
them: statements.py tries every fault in every one of them, and is run at the end.
Results are kept in build-mutate/results.tsv: a run that was ended goes on where it was. Mutants that change nothing are in test/mutate/equivalent.tsv, with the reason.
"""
import argparse
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import threading
import time

from mutants import choose
from tests import HERE, HOST_SECONDS, ROOT, TABLES, Paths, has_sanitizers, make_map, run_test, targets_of

WORK = os.path.join(ROOT, "build-mutate")
IS_STATEMENT = re.compile(r"src/store/(?:\w+/)*sql/")
# A mutant may make a test so many times slower before it counts as killed; more often on a machine that others use, too.
PATIENCE = 3 * float(os.environ.get("REEVE_PATIENCE", "1"))
SANITIZERS = ("-Db_sanitize=address,undefined", "-Db_lundef=false")
SLOWER = 4  # so many times as long do tests take with them
SURVIVED, KILLED, BROKEN = "survived", "killed", "does not build"
COLUMNS = ("path", "was", "now", "kind", "outcome", "by")


def say(*words):
    print(*words, flush=True)


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()


class Tree:
    """A copy of the last commit and its build folders. Faults are made here, so none can stay behind in the tree that people work in."""

    def __init__(self, number):
        self.path = os.path.join(WORK, "tree-%d" % number)
        self.build = os.path.join(WORK, "build-%d" % number)
        self.sanitized = os.path.join(WORK, "sanitized-%d" % number)
        head = git("-C", ROOT, "rev-parse", "HEAD")
        if not os.path.exists(self.path):
            git("clone", "--quiet", "--shared", "--no-checkout", ROOT, self.path)
        git("-C", self.path, "fetch", "--quiet", "origin", head)
        git("-C", self.path, "checkout", "--quiet", "--force", "--detach", head)

    def setup(self, build, *options, compiler="gcc"):
        if not os.path.exists(os.path.join(build, "build.ninja")):
            subprocess.run(["meson", "setup", build, "-Dwerror=false", *options], cwd=self.path, env={**os.environ, "CC": compiler}, check=True, stdout=subprocess.DEVNULL)

    def build_all(self, build, *options):
        self.setup(build, *options)
        subprocess.run(["ninja", "-C", build], check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def make(build, targets):
        return subprocess.run(["ninja", "-C", build, *targets], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

    def files(self, only):
        found = {}
        for pattern in ("src/**/*.c", "src/**/*.sql"):
            for path in sorted(glob.glob(os.path.join(self.path, pattern), recursive=True)):
                name = os.path.relpath(path, self.path)
                if "/migrations/" not in name and name.startswith(only):
                    with open(path, encoding="utf-8") as file:
                        found[name] = file.read()
        return found

    def try_mutant(self, mutant, tests, seconds, most_s):
        """(outcome, by whom). The file is as before afterwards, whatever happens."""
        path = os.path.join(self.path, mutant.path)
        with open(path, encoding="utf-8") as file:
            before = file.read()
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(mutant.text)
            found = self.outcome(self.build, tests, seconds, most_s)
            some = [test for test in tests if has_sanitizers(test)]
            if found[0] == SURVIVED and mutant.path.endswith(".c") and some:
                self.setup(self.sanitized, *SANITIZERS, compiler="clang")
                again = self.outcome(self.sanitized, some, {test: SLOWER * seconds[test] for test in some}, most_s)
                found = again if again[0] == KILLED else found
            return found
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(before)

    def outcome(self, build, tests, seconds, most_s):
        spent = 0
        if not self.make(build, targets_of(TABLES)):
            return BROKEN, "the compiler"
        for test in tests:
            if spent > most_s:
                break
            took = seconds.get(test) or HOST_SECONDS.get(test, 2)
            spent += took
            if not self.make(build, targets_of(test)):
                return BROKEN, "the compiler"
            if not run_test(test, self.path, build, PATIENCE * took + 60):
                return KILLED, test
        return SURVIVED, "%d tests come by" % len(tests)


# ---- What is kept ----
def load_map(tree, again, jobs):
    path = os.path.join(WORK, "map.json.gz")
    state = git("-C", ROOT, "rev-parse", "HEAD")
    if os.path.exists(path) and not again:
        with gzip.open(path, "rt") as file:
            known = json.load(file)
        if known["state"] != state:
            say("The tree has changed since the map was made: lines may have moved. --map makes it anew.")
        return known
    build = os.path.join(WORK, "build-coverage")
    tree.build_all(build, "-Db_coverage=true")
    made = {"state": state, **make_map(tree.path, build, os.path.join(WORK, "counted"), jobs, say)}
    with gzip.open(path, "wt") as file:
        json.dump(made, file)
    return made


def read_equivalent():
    with open(os.path.join(HERE, "equivalent.tsv"), encoding="utf-8") as file:
        return {"\t".join(line.split("\t")[:3]): line.rstrip("\n").split("\t")[3] for line in file if not line.startswith("#") and line.strip()}


class Results:
    """A line for each mutant that was tried."""

    def __init__(self):
        self.path, self.lock = os.path.join(WORK, "results.tsv"), threading.Lock()
        self.rows = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    row = dict(zip(COLUMNS, line.rstrip("\n").split("\t")))
                    self.rows["\t".join((row["path"], row["was"], row["now"]))] = row

    def add(self, mutant, outcome, by):
        row = {"path": mutant.path, "was": mutant.was, "now": mutant.now, "kind": mutant.kind, "outcome": outcome, "by": by}
        with self.lock:
            self.rows[mutant.key()] = row
            with open(self.path, "a", encoding="utf-8") as file:
                file.write("\t".join(row[name] for name in COLUMNS) + "\n")
            say("%-14s %s:%d  %s  (%s)" % (outcome, mutant.path, mutant.line, mutant.kind, by))


def try_statements(build):
    """Rows like those of the others, of every fault in every statement of the store."""
    done = subprocess.run(["script/with-services", os.path.join(HERE, "statements.py"), "--rows", build], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [dict(zip(COLUMNS, line.split("\t"))) for line in done.stdout.splitlines() if line.count("\t") == len(COLUMNS) - 1]


# ---- The report ----
def score(rows):
    counted = [row for row in rows if row["outcome"] in (KILLED, SURVIVED)]
    killed = sum(row["outcome"] == KILLED for row in counted)
    return len(counted), killed, killed / len(counted) if counted else 0.0


def languages(rows):
    return {"C": [row for row in rows if row["path"].endswith(".c")], "SQL": [row for row in rows if row["path"].endswith(".sql")]}


def table_row(*cells):
    return "| " + " | ".join(cells) + " |"


def as_code(text):
    return "`%s`" % text.replace("|", "\\|")


def write_report(rows, equivalent, path):
    lines = ["# Mutants", "", "Written by `make mutate`: small faults, one at a time, and whether a test noticed. Those that do not build do not count, nor those that change nothing.", "",
             "| | mutants | killed | score |", "|---|---|---|---|"]
    lines += [table_row(name, *("%d" % count for count in score(some)[:2]), "%.2f" % score(some)[2]) for name, some in languages(rows).items()]
    lines += ["", "## Survivors", "", "| file | was | became |", "|---|---|---|"]
    lines += [table_row(*(as_code(row[name]) for name in ("path", "was", "now"))) for row in rows if row["outcome"] == SURVIVED]
    lines += ["", "## Equivalent", "", "| file | was | became | why nothing changes |", "|---|---|---|---|"]
    lines += [table_row(*(as_code(part) for part in key.split("\t")), why) for key, why in equivalent.items()]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def work(tree, waiting, paths, results, options, ends):
    """One of the threads: takes mutants until there are none left."""
    while time.monotonic() < ends:
        try:
            mutant = waiting.pop(0)
        except IndexError:
            return
        results.add(mutant, *tree.try_mutant(mutant, paths.find(mutant), paths.seconds, options.most))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="src/", help="files whose names begin so")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at a time, each in a tree of its own")
    parser.add_argument("--minutes", type=float, default=1e9, help="end after so long; the next run goes on")
    parser.add_argument("--most", type=float, default=400, help="seconds of tests for one mutant")
    parser.add_argument("--map", action="store_true", help="make the map anew")
    parser.add_argument("--show", action="store_true", help="only say which mutants there would be")
    parser.add_argument("--report")
    options = parser.parse_args()
    ends = time.monotonic() + 60 * options.minutes
    os.makedirs(WORK, exist_ok=True)
    first = Tree(1)
    mutants = choose({path: text for path, text in first.files(options.only).items() if not IS_STATEMENT.match(path)}, options.count, options.seed)
    if options.show:
        for mutant in mutants:
            say("%s:%d  %s\n    - %s\n    + %s" % (mutant.path, mutant.line, mutant.kind, mutant.was, mutant.now))
        return 0
    known, equivalent, results = load_map(first, options.map, options.jobs), read_equivalent(), Results()
    paths, trees = Paths(known, first.files("src/")), [first] + [Tree(number) for number in range(2, options.jobs + 1)]
    for tree in trees:
        tree.build_all(tree.build, "-Doptimization=0")
    mutants = [mutant for mutant in mutants if mutant.key() not in equivalent]
    waiting = [mutant for mutant in mutants if mutant.key() not in results.rows]
    threads = [threading.Thread(target=work, args=(tree, waiting, paths, results, options, ends)) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = [results.rows[mutant.key()] for mutant in mutants if mutant.key() in results.rows]
    if options.only == "src/":
        rows += try_statements(first.build)
    if options.report:
        write_report(rows, equivalent, options.report)
    for name, some in languages(rows).items():
        say("%s: %d mutants, %d killed, score %.2f" % (name, *score(some)))
    say("mutate: %d mutants, %d killed, score %.2f" % score(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
