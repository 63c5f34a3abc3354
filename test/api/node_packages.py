#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Packages of Node that a folder needs, as its lock file names them: `test/api/node_packages.py FOLDER`, or install().

Only when the lock file is newer than what was installed from it; and one at a time, because steps that need the same folder run side by side. Nobody else
calls `npm ci` in the tree: it takes away what is there before it installs, and once it did so while another step built the console from it. --self-test
looks for such calls, and has several ask for the same folder at once.
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CALL = re.compile(r"npm ci|\"npm\", \"ci\"")
# Itself, and what installs into a copy that nobody else has.
ALLOWED = {"test/api/node_packages.py", "script/build-packages", "test/cluster/drivers_test.py"}


def install(folder):
    wanted, installed = (os.path.join(folder, name) for name in ("package-lock.json", "node_modules/.package-lock.json"))
    with open(wanted, encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not os.path.exists(installed) or os.path.getmtime(installed) < os.path.getmtime(wanted):
            subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True, stdout=sys.stderr)
            os.utime(installed)


def other_callers():
    for path in subprocess.run(["git", "ls-files", "script", "test", "debian", ".ci", "Makefile"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split():
        if path not in ALLOWED and not path.endswith(".md"):
            with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                if CALL.search(file.read()):
                    yield path


def missing_for_each(callers):
    """What of the console's packages each of several callers that begin together does not find when its turn is over."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(ROOT, "console", name), folder)
        program = "import os, sys; sys.path.insert(0, sys.argv[1]); import node_packages; node_packages.install(sys.argv[2]); " \
                  "os.chdir(sys.argv[2]); print(*[path for path in ('preact/jsx-runtime/package.json', '.package-lock.json') if not os.path.exists('node_modules/' + path)])"
        running = [subprocess.Popen([sys.executable, "-B", "-c", program, os.path.dirname(os.path.abspath(__file__)), folder], stdout=subprocess.PIPE, text=True) for _ in range(callers)]
        return [one.communicate()[0].strip() if one.wait() == 0 else "it failed" for one in running]


def self_test():
    callers, missing = list(other_callers()), missing_for_each(4)
    assert not callers, "these call npm ci themselves: %s" % callers
    assert not any(missing), missing


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        install(sys.argv[1])
