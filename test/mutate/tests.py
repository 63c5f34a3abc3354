# SPDX-License-Identifier: Apache-2.0
"""The tests that a fault is tried with, and which lines of C each of them comes by."""
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "api"))
from run_all import SUITES  # noqa: E402

# They take minutes, and come by nothing that others do not. The exchanges are run file by file, also while statements are lost.
LEFT_OUT = {"api exchanges", "api lost", "api soak", "api kill", "api limits", "api abuse", "unit job_cluster_kill_test", "unit store_list_test"}
# They run the SQL files themselves, so the lines of C that run them say nothing about these two.
ALL_SQL = {"unit store_statement_test", "unit store_lock_test"}
PROGRAMS = ["reeved", "reeve", "reeve-agent", "src/http/ngx_http_reeve_module.so"]
SERVICES, PYTHON = "script/with-services", "/usr/bin/python3"


def unit_command(name, build):
    return [SERVICES, "meson", "test", "-C", build, "--no-rebuild", "--timeout-multiplier", "20", name]  # whoever runs it has a limit of their own


def api_command(name, _):
    return [PYTHON, "test/api/run_all.py", name]


def exchange_command(names, _):
    return [SERVICES, PYTHON, "test/api/exchange_test.py", *names.split()]


def lost_command(names, _):
    return [SERVICES, PYTHON, "test/api/lost_statement_test.py", "--all", *names.split()]


def cli_command(name, _):
    return [SERVICES, PYTHON, "test/cli/%s.py" % name]


def tables_command(_, build):
    """Roles are written down in test/data, bounds and words in the generated reference."""
    return ["sh", "-c", "script/check-catalog --reeved $0/reeved && script/check-generated $0", build]


def fleet_command(names, _):
    return [PYTHON, "test/cluster/run_all.py", *names.split()]


def hosts_command(name, _):
    return [PYTHON, "test/cluster/%s.py" % name]


# kind of a test: how it is run. A test is named by its kind and its own name.
COMMANDS = {"unit": unit_command, "api": api_command, "exchange": exchange_command, "lost": lost_command, "cli": cli_command, "lint": tables_command, "fleet": fleet_command, "hosts": hosts_command}
ORDER = ("unit", "exchange", "lost", "api", "cli")
WITH_NODES = ("api", "exchange", "lost")
TABLES = "lint tables"
# What runs on hosts is tried on hosts, too. Nobody counts lines there: these tests come by all of it. The first row that fits: beginnings of paths, {test: seconds}
ON_HOSTS = (
    (("src/agent/restore/", "src/engine/postgres/backup/restore"), {"hosts restore_test": 300}),
    (("src/agent/seat/drill_view.c", "src/agent/seat/seat_drill.c", "src/agent/seat/seat_scratch.c", "src/engine/postgres/drill/", "src/engine/postgres/sql/drill/"), {"hosts drill_life_test": 120}),
    (("src/agent/seat/seat_export.c", "src/engine/postgres/export/", "src/base/net/bucket.c"), {"hosts export_test": 240}),
    (("src/agent/seat/", "src/agent/member_backup.c", "src/engine/postgres/backup/", "src/wire/goal_seats.c", "src/wire/report_seats.c"), {"hosts backup_life_test": 120}),
    (("src/agent/", "src/engine/", "src/wire/", "src/main/reeve_agent.c"), {"fleet smoke access": 120, "fleet audit directory logs": 150}),
)
HOST_SECONDS = {test: seconds for _, tests in ON_HOSTS for test, seconds in tests.items()}


def on_hosts(path):
    return next((list(tests) for paths, tests in ON_HOSTS if path.startswith(paths)), [])


def all_tests(tree, build):
    listed = subprocess.run(["meson", "test", "-C", build, "--list"], capture_output=True, text=True, check=True).stdout
    units = sorted(set(line.split(" / ")[-1].strip() for line in listed.splitlines() if line.strip().endswith("_test")))
    files = sorted(glob.glob(os.path.join(tree, "test/api/exchanges/*.txt")))
    names = ["unit " + name for name in units] + ["exchange " + os.path.basename(path)[:-len(".txt")] for path in files]
    names.append("exchange people")  # conversations that no file can hold
    names += ["api " + name for name in SUITES] + ["cli cli_test"]
    return [name for name in names if name not in LEFT_OUT]


def targets_of(test):
    """What must be built for it. The others wait: linking all of them would take longer than most tests."""
    kind, name = test.split(" ", 1)
    return ["test/unit/" + name] if kind == "unit" else PROGRAMS


def has_sanitizers(test):
    """Whether CI runs it with them, too."""
    return test.split(" ", 1)[0] in ("unit", "exchange")


def run_test(test, tree, build, seconds, counted=None):
    """
    Whether it passed. `counted` is the folder for what a build with coverage counts, below "upper". Names of such files are part of the programs, so
    the test sees its own layer over the build folder. Everybody may write there: nginx's processes are another user.
    """
    kind, name = test.split(" ", 1)
    command = COMMANDS[kind](name, build)
    if counted:
        layer = "mount -t overlay overlay -o lowerdir=%s,upperdir=%s/upper,workdir=%s/work %s" % (build, counted, counted, build)
        # Only tests with a node need it; others look at modes of files.
        command = ["unshare", "--mount", "sh", "-c", layer + (" && umask 0" if kind in WITH_NODES else "") + ' && exec "$@"', "sh", *command]
    process = subprocess.Popen(command, cwd=tree, env={**os.environ, "REEVE_BUILD": build, "UBSAN_OPTIONS": "halt_on_error=1"}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 15)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
        return False


# ---- Who comes by where ----
def lines_in(folder, tree, build):
    """{file: lines} of what was counted in a folder of gcda files, which is a layer over the build folder."""
    found = collections.defaultdict(set)
    for path in glob.glob(folder + "/**/*.gcda", recursive=True, include_hidden=True):  # ../wire/goal.c of the agent is .._wire_goal.c.gcda
        notes = os.path.join(build, os.path.relpath(path, folder))[:-len("gcda")] + "gcno"
        if not os.path.exists(notes):
            continue
        shutil.copy(notes, os.path.dirname(path))
        done = subprocess.run(["gcov", "--json-format", "--stdout", path], cwd=build, capture_output=True, check=False).stdout
        for line in done.splitlines():
            for one in json.loads(line).get("files", ()):
                name = os.path.relpath(os.path.join(build, one["file"]), tree)
                if name.startswith("src/"):
                    found[name].update(row["line_number"] for row in one["lines"] if row["count"] > 0)
    return found


def count_lines(test, tree, build, folder):
    """(whether it passed, how long it took, {file: lines that it comes by})"""
    os.makedirs(folder + "/upper")
    os.makedirs(folder + "/work")
    os.chmod(folder + "/upper", 0o777)
    began = time.monotonic()
    passed = run_test(test, tree, build, 1800, folder)
    took = time.monotonic() - began
    lines = lines_in(folder + "/upper", tree, build) if passed else {}
    shutil.rmtree(folder, ignore_errors=True)
    return passed, took, lines


def make_map(tree, build, folder, jobs, say):
    """{"tests": {file: {line: tests}}, "seconds": {test: how long it takes}}. `build` has coverage; `folder` is for what is counted."""
    tests, seconds = collections.defaultdict(lambda: collections.defaultdict(list)), {}
    names = all_tests(tree, build)
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["find", build, "-name", "*.gcda", "-delete"], check=True)  # of programs that were part of the build
    subprocess.run(["chmod", "-R", "a+rwX", build], check=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(count_lines, test, tree, build, os.path.join(folder, re.sub(r"\W", "-", test))): test for test in names}
        for number, done in enumerate(concurrent.futures.as_completed(running), 1):
            test, (passed, seconds[running[done]], found) = running[done], done.result()
            say("%3d of %d  %-40s %4d s%s" % (number, len(names), test, seconds[test], "" if passed else "  FAILED without any fault: left out"))
            for file, lines in found.items():
                for line in lines:
                    tests[file][str(line)].append(test)
    return {"tests": tests, "seconds": seconds}


def read_unit(test):
    with open(os.path.join(ROOT, "test/unit", test.split(" ", 1)[1] + ".c"), encoding="utf-8") as file:
        return file.read()


class Paths:
    """From a mutant to the tests that could see it."""

    def __init__(self, known, files):
        self.tests, self.seconds = known["tests"], known["seconds"]
        self.uses = collections.defaultdict(set)  # name of a statement: (file, line) of C
        for path, text in files.items():
            if path.endswith(".c"):
                for number, line in enumerate(text.splitlines(), 1):
                    for name in re.findall(r"\bSQL_([A-Z0-9_]+)\b", line):
                        self.uses[name.lower()].add((path, number))
        self.units = {test: read_unit(test) for test in self.seconds if test.startswith("unit ")}
        self.sql = {path: re.sub(r"--[^\n]*", "", text) for path, text in files.items() if path.endswith(".sql")}

    def in_folder(self, folder):
        return set(test for path, rows in self.tests.items() if os.path.dirname(path) == folder for tests in rows.values() for test in tests)

    def near(self, path, line):
        """A constant in a table has no line of its own that is counted: then it is whoever comes by the file, or by its folder."""
        rows = self.tests.get(path, {})
        if str(line) in rows:
            return set(rows[str(line)])
        return set(test for tests in rows.values() for test in tests) or self.in_folder(os.path.dirname(path))

    def of_statement(self, name):
        return set(test for path, line in self.uses[name] for number in range(line, line + 3) for test in self.tests.get(path, {}).get(str(number), ())) or \
            set(test for path, _ in self.uses[name] for test in self.near(path, 0))

    def of_routine(self, name, seen):
        found = set()
        for path, text in self.sql.items():
            other = os.path.basename(path)[:-len(".sql")]
            if other in seen or not re.search(r"\b%s\b" % re.escape(name), text):
                continue
            found |= self.of_statement(other) if "/sql/" in path else self.of_routine(other, seen | {other}) if "/routines/" in path else set()
        found |= self.units_with(r"\b%s\b" % re.escape(name))
        # A trigger is run by whoever changes its table.
        own = next((text for path, text in self.sql.items() if path.endswith("/routines/%s.sql" % name)), "")
        for table in re.findall(r"\bTRIGGER \w+ .*? ON (\w+)", own, re.S):
            changes = r"\b(INSERT INTO|UPDATE|DELETE FROM) %s\b" % table
            found |= self.units_with(changes)
            for path, text in self.sql.items():
                if "/sql/" in path and re.search(changes, text):
                    found |= self.of_statement(os.path.basename(path)[:-len(".sql")])
        return found

    def units_with(self, pattern):
        """Tests that write SQL themselves come by routines without any line of C that runs them."""
        return set(test for test, text in self.units.items() if re.search(pattern, text))

    def find(self, mutant):
        """Those that see most in the shortest time first."""
        name = os.path.basename(mutant.path)[:-len(".sql")]
        if "/sql/" in mutant.path:
            found = self.of_statement(name)
        elif "/routines/" in mutant.path:
            found = self.of_routine(name, {name})
        else:
            found = self.near(mutant.path, mutant.line)
        if mutant.path.endswith(".sql"):
            found |= ALL_SQL & set(self.seconds)
        lints = [TABLES] if mutant.path.endswith(".c") and not on_hosts(mutant.path) else []
        found = sorted(self.exchanges_together(found, mutant.kind == "failure passed over"), key=lambda test: (ORDER.index(test.split(" ")[0]), self.seconds[test]))
        return lints + found + on_hosts(mutant.path)

    def exchanges_together(self, found, may_fail):
        """Files of exchanges as one test: most of what each takes is the start of its node. Where something may fail, also with lost statements."""
        files = sorted(test.split(" ", 1)[1] for test in found if test.startswith("exchange "))
        if not files:
            return found
        took = max(self.seconds["exchange " + name] for name in files) + 2 * len(files)
        together = {"exchange " + " ".join(files): took}
        if may_fail:
            together["lost " + " ".join(files)] = 5 * took
        self.seconds.update(together)
        return [test for test in found if not test.startswith("exchange ")] + list(together)
