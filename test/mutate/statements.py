#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether store_statement_test would notice: every small fault that can be made in a statement, one at a time and all of them.

    script/with-services test/mutate/statements.py [--rows] [BUILD]

Nothing is built for it: the test takes the texts with their faults and runs the calls of test/data/statements/calls.txt with each. Locks are
left to store_lock_test. Those in equivalent.tsv, which change nothing that anybody could see, do not count.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "script")]
from mutants import mutants_of  # noqa: E402
from mutate import read_equivalent  # noqa: E402
from sql_generator import generator  # noqa: E402


def numbered(name, text):
    """(the text as the server gets it, the names of its parameters), or None when the generator refuses it."""
    with tempfile.TemporaryDirectory() as store:
        os.makedirs(store + "/sql")
        with open("%s/sql/%s" % (store, name), "w", encoding="utf-8") as file:
            file.write(text)
        try:
            return next(generator.statements(store))[2:4]
        except SystemExit:
            return None


def with_numbers_of(parameters, made):
    """A parameter keeps its number when a fault has moved it, or taken another one away: the fault is to be noticed, not the numbers."""
    return re.sub(r"\$(\d+)", lambda found: "$%d" % (1 + parameters.index(made[1][int(found[1]) - 1])), made[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rows", action="store_true", help="a line for each, for mutate.py, instead of the survivors")
    options = parser.parse_args()
    equivalent, faults = read_equivalent(), []
    for name, path in generator.files_below(os.path.join(ROOT, "src", "store"), "sql"):
        parameters = numbered(name, generator.read(path))[1]
        for mutant in mutants_of(os.path.relpath(path, ROOT), generator.read(path)):
            is_for_others = mutant.kind == "lock left out" or mutant.key() in equivalent
            made = None if is_for_others else numbered(name, mutant.text)
            if made is not None:
                faults.append((mutant, name[:-len(".sql")], with_numbers_of(parameters, made)))
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write("".join("%s\x1f%s\x1e" % (name, text) for _, name, text in faults))
        file.flush()
        said = subprocess.run([os.path.join(options.build, "test", "unit", "store_statement_test"), "--faults", file.name], stdout=subprocess.PIPE, text=True, check=True).stdout
    outcomes = [line for line in said.splitlines() if line in ("killed", "survived", "broken")]
    assert len(outcomes) == len(faults), (len(outcomes), len(faults))
    for (mutant, _, _), outcome in zip(faults, outcomes):
        if options.rows:
            print("\t".join((mutant.path, mutant.was, mutant.now, mutant.kind, outcome, "unit store_statement_test")))
        elif outcome == "survived":
            print("%s:%d  %s\n    - %s\n    + %s" % (mutant.path, mutant.line, mutant.kind, mutant.was, mutant.now))
    killed, survived = outcomes.count("killed"), outcomes.count("survived")
    print("statements: %d mutants, %d killed, score %.2f" % (killed + survived, killed, killed / (killed + survived)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
