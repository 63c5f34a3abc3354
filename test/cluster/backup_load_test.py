#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many clusters with backups on one fleet: what their clients notice while backups are taken, whether every drill passes, and what a repository host needs for a cluster. Needs root.

    test/cluster/backup_load_test.py [--clusters 40] [--measured 6] [--rounds 4] [--report FILE]

Clusters have one member each. That is the worst case: a backup is read from the server that clients use. Measured is in rounds, each with a while without backups and a
while with them, because the machine does other things as well; and hosts of members and of repositories are all on it.
"""
import argparse
import concurrent.futures
import glob
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import rig
from tenant import Tenant, client_address, wait_psql

import hosts  # noqa: E402  (found by rig)
import network  # noqa: E402
from patience import PATIENCE  # noqa: E402
from state import PROVIDER, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

PER_PROJECT = 20  # a project may have 25
SCALE = 15  # of pgbench in those that are measured: about 220 MB
RATE = 20  # transactions that a client begins in a second, whether or not the one before has ended in time
PHASE_S = 40
MADE_AT_ONCE = 4
MOST_RATIO = 1.3


class Kept:
    """A cluster with backups, and its tenant's way to it."""

    def __init__(self, fleet, project, password, number):
        self.fleet, self.tenant, self.password, self.name = fleet, Tenant(fleet, project), password, "kept-%02d" % number
        self.dsn, self.taken = None, []

    def ask(self, method, path="", body=None):
        return self.tenant.ask(method, self.tenant.of_project("/clusters/" + self.name + path), body)

    def create(self):
        specs = [{"regionConfigs": [{"providerName": PROVIDER, "regionName": self.fleet.regions[0], "electableSpecs": {"instanceSize": "S1", "nodeCount": 1}}]}]
        self.tenant.ask("POST", self.tenant.of_project("/clusters"), {"name": self.name, "backupEnabled": True, "replicationSpecs": specs})
        wait_until(lambda: self.ask("GET")["stateName"] == "IDLE", self.name + " is IDLE", 1800, every=2)
        self.dsn = self.tenant.dsn(self.tenant.cluster(self.name), "app", self.password)
        wait_psql(self.fleet, self.dsn, "CREATE TABLE small AS SELECT g FROM generate_series(1, 1000) g", 120)
        wait_until(self.newest_is_done, self.name + " has its first backup", 1800, every=2)

    def newest_is_done(self):
        found = self.ask("GET", "/backup/snapshots")["results"]
        return found and found[0]["status"] == "completed"

    def take_snapshot(self):
        self.taken.append(self.ask("POST", "/backup/snapshots", {"description": "under load", "retentionInDays": 1})["id"])

    def busy(self):
        return any(self.ask("GET", "/backup/snapshots/" + one)["status"] not in ("completed", "failed") for one in self.taken[-1:])

    def fill(self):
        return run_pgbench(self, ["--initialize", "--scale", str(SCALE), "--quiet"], None)

    def drill(self):
        made = self.ask("POST", "/backup/drills", {})["id"]
        return wait_until(lambda: (lambda one: one["state"] in ("PASSED", "FAILED", "NOT_RUN") and one)(self.ask("GET", "/backup/drills/" + made)), self.name + " is drilled", 3600, every=3)


def run_pgbench(kept, words, folder):
    done = subprocess.run(network.client_command(kept.fleet, ["pgbench", *words, kept.dsn]), cwd=folder, capture_output=True, text=True, timeout=900 * PATIENCE, check=False)
    if done.returncode != 0:
        raise Problem("pgbench on %s: %s" % (kept.name, done.stderr[-500:]))


# ---- What clients notice ----
def latencies_ms(measured, folder):
    """Of every transaction of a while, counted from the moment in which it should have begun."""
    for old in glob.glob(os.path.join(folder, "*")):
        os.remove(old)
    words = ["--no-vacuum", "--builtin=simple-update", "--client=1", "--rate=%d" % RATE, "--time=%d" % PHASE_S, "--log"]
    with concurrent.futures.ThreadPoolExecutor(len(measured)) as pool:
        for one in [pool.submit(run_pgbench, kept, [*words, "--log-prefix=" + kept.name], folder) for kept in measured]:
            one.result()
    found = []
    for path in glob.glob(os.path.join(folder, "kept-*")):
        with open(path, encoding="ascii") as file:
            # client, transaction, latency, script, second, microseconds, how late it began (part of the latency)
            found += [int(line.split()[2]) / 1000 for line in file]
    return found


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Backups:
    """Everybody has a snapshot taken, and those who are measured one after another, for as long as it is open."""

    def __init__(self, everybody, measured):
        self.everybody, self.measured, self.pool, self.is_over, self.going = everybody, measured, concurrent.futures.ThreadPoolExecutor(len(measured)), False, []

    def __enter__(self):
        for kept in self.everybody:
            kept.take_snapshot()
        self.going = [self.pool.submit(self.go_on, kept) for kept in self.measured]

    def go_on(self, kept):
        while not self.is_over:
            if not kept.busy():
                kept.take_snapshot()
            time.sleep(1)

    def __exit__(self, *_):
        self.is_over = True
        for one in self.going:
            one.result()
        wait_until(lambda: not any(kept.busy() for kept in self.everybody), "backups of the round are done", 1800, every=2)


def one_round(suite, everybody, measured, folder, number):
    before = sum(len(kept.taken) for kept in everybody)
    quiet = latencies_ms(measured, folder)
    with Backups(everybody, measured):
        busy = latencies_ms(measured, folder)
    ratio = percentile(busy, 0.99) / percentile(quiet, 0.99)
    suite.say("round %d: p99 %.1f ms without backups, %.1f ms with them (%d snapshots): %.2f; medians %.1f and %.1f ms" % (
        number, percentile(quiet, 0.99), percentile(busy, 0.99), sum(len(kept.taken) for kept in everybody) - before, ratio, statistics.median(quiet), statistics.median(busy)))
    return ratio


# ---- What a repository host needs ----
COST = """for unit in $(systemctl list-units --plain --no-legend 'reeve-wal-*' | awk '{print $1}'); do
  for pid in $(cat /sys/fs/cgroup$(systemctl show --value -p ControlGroup $unit)/cgroup.procs); do
    echo $(awk '/RssAnon/ {print $2}' /proc/$pid/status) $(awk '{print $14 + $15}' /proc/$pid/stat) $(ls /proc/$pid/fd | wc -l); done; done"""


def cost_of_seats(fleet):
    """(kilobytes, clock ticks so far, descriptors) of all receivers of the fleet."""
    rows = [list(map(int, line.split())) for name in fleet.repositories for line in hosts.run(fleet, name, "sh", "-c", COST).splitlines()]
    return [sum(column) for column in zip(*rows)]


def at_rest(fleet, count, seconds=30):
    before = cost_of_seats(fleet)
    time.sleep(seconds)
    after = cost_of_seats(fleet)
    share = (after[1] - before[1]) / os.sysconf("SC_CLK_TCK") / seconds / count
    memory_mb, files = after[0] / 1024 / count, after[2] / count
    return ("at rest a seat needs %.1f MB of memory, %.2f%% of a processor and %.0f descriptors on its repository host: for 1,000 seats %.1f GB, %.1f processors and %.0f "
            "descriptors, if it goes on so" % (memory_mb, 100 * share, files, memory_mb, 1000 * share, 1000 * files))


# ---- All of it ----
def make_all(fleet, count):
    everybody = []
    for first in range(0, count, PER_PROJECT):
        tenant = Tenant(fleet)
        tenant.create_project()
        tenant.allow(client_address())
        password = tenant.create_user("app")
        everybody += [Kept(fleet, tenant.project, password, number) for number in range(first, min(first + PER_PROJECT, count))]
    # All hosts are on one machine: with 40 at once it does nothing but begin programs.
    with concurrent.futures.ThreadPoolExecutor(MADE_AT_ONCE) as pool:
        for one in [pool.submit(kept.create) for kept in everybody]:
            one.result()
    return everybody


def drill_all(suite, everybody):
    with concurrent.futures.ThreadPoolExecutor(len(everybody)) as pool:
        drills = [one.result() for one in [pool.submit(kept.drill) for kept in everybody]]
    failed = [(drill["state"], drill.get("problem")) for drill in drills if drill["state"] != "PASSED"]
    suite.equal(failed, [], "drills that did not pass")
    return drills


def run(suite, fleet, options, folder):
    began = time.monotonic()
    everybody = make_all(fleet, options.clusters)
    measured = everybody[:options.measured]
    for kept in measured:
        kept.fill()
    suite.say("%d clusters have their first backup after %.0f s" % (len(everybody), time.monotonic() - began))
    rest = at_rest(fleet, len(everybody))
    ratios = [one_round(suite, everybody, measured, folder, number + 1) for number in range(options.rounds)]
    ratio = statistics.median(ratios)
    statuses = [kept.ask("GET", "/backup/snapshots/" + one)["status"] for kept in everybody for one in kept.taken]
    suite.equal(set(statuses), {"completed"}, "what became of %d snapshots" % len(statuses))
    suite.check(ratio <= MOST_RATIO, "p99 of clients during backups, as a ratio: %.2f", ratio)
    began = time.monotonic()
    drills = drill_all(suite, everybody)
    lines = ["%d clusters with schedules on %d hosts and %d repository hosts; %d of them with %d MB and a client that begins %d transactions a second"
             % (len(everybody), len(fleet.hosts) - len(fleet.repositories), len(fleet.repositories), len(measured), SCALE * 15, RATE),
             "p99 of their clients during backups by that without, %d rounds: %s; median %.2f" % (len(ratios), ", ".join("%.2f" % one for one in ratios), ratio),
             "%d snapshots were taken meanwhile" % len(statuses), rest,
             "drills: %d of %d passed, after %.0f s; restored and ready after %.1f s in the median" % (
                 sum(drill["state"] == "PASSED" for drill in drills), len(drills), time.monotonic() - began,
                 statistics.median(drill.get("recoveryTimeMillis") or 0 for drill in drills) / 1000),
             rig.machine()]
    for line in lines:
        suite.say(line)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clusters", type=int, default=40)
    parser.add_argument("--measured", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--report", metavar="FILE")
    options = parser.parse_args()
    suite, folder = Suite("backup load"), tempfile.mkdtemp(prefix="reeve-load.")
    try:
        with rig.fleet_for(4, repositories=2) as fleet:
            lines = run(suite, fleet, options, folder)
            rig.write_report(options.report, "%d clusters with backups" % options.clusters, ["- " + line for line in lines])
    except Problem as problem:
        suite.fail(str(problem))
    finally:
        shutil.rmtree(folder)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
