#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What pg_stat_statements costs TPC-B: two servers that differ in nothing else, pgbench at one and then at the other, many short turns.

    /usr/bin/python3 test/bench/statements_cost.py [--turns 20] [--seconds 4]

Neighbours on the machine come and go: turns that follow each other are compared, and all of them are printed. test/cluster/monitor_cost_test.py compares a real member with
everything, but has to restart it between turns, so its turns are few and far apart.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
sys.dont_write_bytecode = True

from rig import cpu_seconds, find_pgbench, free_port  # noqa: E402

AS_POSTGRES = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


class Server:
    def __init__(self, folder, name, libraries):
        self.folder, self.port, self.binaries = os.path.join(folder, name), free_port(), os.path.dirname(find_pgbench())
        self.run("initdb", "-D", self.folder, "-U", "postgres", "--auth=trust", "--no-sync")
        self.run("pg_ctl", "-D", self.folder, "-w", "-l", self.folder + ".log", "-o", "-k %s -p %d -h '' -c shared_preload_libraries=%s -c shared_buffers=128MB" % (
            folder, self.port, libraries), "start")
        self.words = ["-h", folder, "-p", str(self.port), "-U", "postgres"]
        with open(os.path.join(self.folder, "postmaster.pid"), encoding="ascii") as file:
            self.pid = int(file.readline())
        self.run("pgbench", *self.words, "-i", "-q", "-s", "5", "postgres")

    def run(self, program, *words):
        return subprocess.run([*AS_POSTGRES, os.path.join(self.binaries, program), *words], check=True, capture_output=True, text=True, cwd="/").stdout

    def turn(self, seconds):
        """Processor µs of the server for a transaction."""
        before = cpu_seconds(self.pid)
        output = self.run("pgbench", *self.words, "-n", "-c", "2", "-T", str(seconds), "postgres")
        time.sleep(0.3)  # a session that ended counts when the first process has waited for it
        return (cpu_seconds(self.pid) - before) * 1e6 / int(re.search(r"actually processed: (\d+)", output)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=4)
    arguments = parser.parse_args()
    folder, servers, ratios = tempfile.mkdtemp(prefix="reeve-statements.", dir="/tmp"), [], []
    os.chmod(folder, 0o777)
    try:
        for name, libraries in (("without", "''"), ("with", "pg_stat_statements")):
            servers.append(Server(folder, name, libraries))
        servers[1].run("psql", *servers[1].words, "-c", "CREATE EXTENSION pg_stat_statements", "postgres")
        for server in servers:
            server.turn(arguments.seconds)
        for number in range(arguments.turns):
            found = {}
            for place in ((0, 1), (1, 0))[number % 2]:
                found[place] = servers[place].turn(arguments.seconds)
            ratios.append(found[0] / found[1])
            print("  without %4.0f µs, with %4.0f µs a transaction: %.3f" % (found[0], found[1], ratios[-1]), flush=True)
    finally:
        for server in servers:
            server.run("pg_ctl", "-D", server.folder, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
    ordered = sorted(ratios)
    count = len(ordered)
    print("statements-cost: without / with, %d pairs: median %.3f, half of them between %.3f and %.3f, all between %.3f and %.3f" % (
        count, (ordered[(count - 1) // 2] + ordered[count // 2]) / 2, ordered[count // 4], ordered[count - 1 - count // 4], ordered[0], ordered[-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
