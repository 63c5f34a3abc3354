#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the short tests of clusters one after another on one fleet, and says how they went. Needs root.

    test/cluster/run_all.py                  all of them
    test/cluster/run_all.py smoke access     these
    REEVE_BUILD=build-asan …                 the build folder under test (default: build)

The long ones have targets of their own: make failover, make control-plane-gone, make cluster-load.
"""
import os
import re
import subprocess
import sys

import rig

from patience import PATIENCE  # noqa: E402  (found by rig)
from state import Problem  # noqa: E402

# name: (file and arguments, seconds that it may take). The first one also looks at what is left behind, and the second reserves addresses: they want an empty fleet.
TESTS = {
    "smoke": (["smoke_test.py"], 240),
    "peering": (["peering_test.py"], 420),
    "first-cluster": (["first_cluster_test.py"], 300),
    "access": (["access_test.py"], 240),
    "audit": (["audit_test.py"], 240),
    "directory": (["directory_test.py"], 540),
    "logs": (["logs_test.py"], 900),
    "walls": (["walls_test.py"], 300),
    "etcd-walls": (["etcd_walls_test.py"], 420),
    "control-plane-gone": (["control_plane_gone_test.py", "--minutes", "1"], 420),
}
RESULT = re.compile(r"^.+: (\d+) passed, (\d+) failed", re.M)


def run(fleet, name):
    """(passed, failed); one that ends without its line has failed."""
    words, seconds = TESTS[name]
    seconds *= PATIENCE
    try:
        done = subprocess.run(["/usr/bin/python3", os.path.join(rig.HERE, words[0]), *words[1:]], text=True, timeout=seconds,
                              stdout=subprocess.PIPE, env={**os.environ, "REEVE_FLEET": fleet.folder}, check=False)
        output = done.stdout
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode() + "  %s took longer than %d s\n" % (name, seconds)
    print(output, end="", flush=True)
    result = RESULT.search(output)
    return (int(result[1]), int(result[2])) if result else (0, 1)


def main():
    names = sys.argv[1:] or list(TESTS)
    if os.geteuid() != 0:
        print("not run: a fleet needs root")
        return 0
    passed = failed = 0
    try:
        with rig.fleet_for(3) as fleet:
            for name in names:
                p, f = run(fleet, name)
                passed, failed = passed + p, failed + f
            if failed:
                rig.keep_logs(fleet)
    except Problem as problem:
        print("  FAILED %s" % problem)
        failed += 1
    print("clusters on hosts, all in all: passed %d, failed %d" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
