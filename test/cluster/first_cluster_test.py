#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Types the commands of docs/first-cluster.md into terminals of a client of a fleet, as they stand, and holds what is
seen there against what the page shows (typed.py). Needs root.

    test/cluster/first_cluster_test.py [--transcript FILE]

Values of the page's first block are the fleet's instead. --transcript keeps what a reader saw, with frames of the bars.
"""
import argparse
import os
import secrets
import shutil
import sys
import tempfile
import time

import rig
from tenant import client_address
from typed import PROMPTS, SHELL, Path, Shell

import control  # noqa: E402  (found by rig)
import network  # noqa: E402
from state import CONTROL, DOMAIN, PROVIDER, ROOT, Problem  # noqa: E402
from suite import Suite  # noqa: E402
from terminal import Reeve  # noqa: E402  (found by typed)

PAGE = os.path.join(ROOT, "docs/first-cluster.md")
WHOLE_PATH_S = 60


class Person(Reeve):
    """Somebody at a client's machine, with nothing in their home."""

    def __init__(self, fleet, home):
        super().__init__(fleet.build, home)
        self.fleet = fleet
        os.makedirs(os.path.join(home, "bin"))
        os.symlink(self.program, os.path.join(home, "bin/reeve"))
        self.program = "ip"

    def environment(self, **more):
        path = os.path.join(self.home, "bin") + ":" + os.environ["PATH"]
        return super().environment(PATH=path, LANG="C.UTF-8", **PROMPTS, **more)

    def shell(self, name, answers):
        words = network.client_command(self.fleet, SHELL)[1:]
        return Shell(self, words, os.path.join(self.home, name + ".ends"), answers)


def path_of(suite, fleet, home, page):
    credentials, password = fleet.record["credentials"], secrets.token_urlsafe(12)
    values = {"SERVER": "https://%s:%d" % (CONTROL["control1"], control.API_PORT), "AUTHORITY": fleet.path("tls/authority.pem"),
              "CLIENT_ID": credentials["clientId"], "ADDRESS": client_address().split("/")[0],
              "REGION": fleet.regions[0], "SIZE": control.SIZES[0][0]}
    others = {DOMAIN: "db.example.org", PROVIDER: "ONPREM", home: "/home/you", control.SIZES[1][0]: "M20", control.SIZES[2][0]: "M30"}
    person = Person(fleet, home)
    # Whoever asks is answered as a person would: by what stands there.
    answers = {"^client secret: $": credentials["clientSecret"], "^password: $": password, "^Password for user app: $": password}
    shells = [person.shell(name, answers) for name in ("first", "second")]
    return Path(suite, page, values, others, *shells, [credentials["clientSecret"], password])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transcript", metavar="FILE")
    arguments = parser.parse_args()
    suite, home = Suite("first cluster"), tempfile.mkdtemp(prefix="reeve-you.")
    try:
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        with rig.fleet_for(3) as fleet:
            path = path_of(suite, fleet, home, page)
            try:
                began = time.monotonic()
                path.walk()
                rig.judge_time(suite, time.monotonic() - began, WHOLE_PATH_S, "from logging in to nothing left, all commands of the page")
            finally:
                path.close()
                if arguments.transcript:
                    with open(arguments.transcript, "w", encoding="utf-8") as file:
                        file.write(path.record())
    except Problem as problem:
        suite.fail(str(problem))
    finally:
        shutil.rmtree(home)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
