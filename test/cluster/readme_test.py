#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the section "A cluster on your machine" of README.md as they stand, from script/bootstrap on, and the `psql`
command that they print.

  test/cluster/readme_test.py      needs root
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", folder) for folder in ("api", "fleet")]
sys.dont_write_bytecode = True

from patience import PATIENCE  # noqa: E402
from suite import Suite  # noqa: E402

DEMO_SECONDS = 420  # with the image's two minutes


def commands():
    with open(os.path.join(ROOT, "README.md")) as readme:
        section = readme.read().split("## A cluster on your machine", 1)[1].split("\n## ", 1)[0]
    return [block.strip() for block in re.findall(r"```sh\n(.*?)```", section, re.S)]


def shell(command, seconds):
    done = subprocess.run(["bash", "-e", "-c", command], cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds * PATIENCE, check=False)
    return done.returncode, done.stdout


def main():
    suite = Suite("readme of clusters")
    up, down = commands()
    try:
        status, output = shell(up, DEMO_SECONDS)
        suite.equal(status, 0, "status of " + up.replace("\n", "; "))
        printed = re.search(r"^test/fleet/fleet client psql '.*'$", output, re.M)
        suite.check(printed is not None, "%s prints no psql command:\n%s", up, output[-2000:])
        times = re.search(r"^from starting the control plane .*$", output, re.M)
        suite.say(times[0] if times else "no times were printed")
        if printed:
            status, output = shell(printed[0] + " -At -c 'SELECT words FROM greeting'", 60)
            suite.equal((status, output.strip()), (0, "hello"), "what psql prints")
    finally:
        status, output = shell(down, 240)
        suite.equal(status, 0, "status of " + down)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
