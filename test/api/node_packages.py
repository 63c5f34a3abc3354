#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Packages of Node that a test needs, as its lock file names them: `test/api/node_packages.py FOLDER`, or install().

Only when the lock file is newer than what was installed from it; and one at a time, because tests that need the same folder run side by side."""
import fcntl
import os
import subprocess
import sys


def install(folder):
    wanted, installed = (os.path.join(folder, name) for name in ("package-lock.json", "node_modules/.package-lock.json"))
    with open(wanted, encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not os.path.exists(installed) or os.path.getmtime(installed) < os.path.getmtime(wanted):
            subprocess.run(["npm", "ci", "--ignore-scripts", "--silent"], cwd=folder, check=True)
            os.utime(installed)


if __name__ == "__main__":
    install(sys.argv[1])
