#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measurements of real members: pgbench's known counts are the sums of what the API answers at every granularity, and every point that an agent took is stored once,
whatever is killed meanwhile: stores, nodes, workers and agents at random, the whole control plane away for a while, and one store lost for good.

Usage: monitor_test.py [--seconds 120] [--away 60] [--seed N]
"""
import argparse
import base64
import contextlib
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib
from datetime import datetime
from urllib.parse import quote, unquote, urlencode

import rig
from tenant import Tenant

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER, DATABASE = "watched", "truth"
STEPS = {"PT10S": 10, "PT1M": 60, "PT5M": 300, "PT1H": 3600, "P1D": 86400}
MAGIC, HEADER = 0x50565252, struct.Struct("<IIII")
SPOOL = "/var/lib/reeve/agent/points"


# ---- What the API says ----
def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def date(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Watched:
    """A server as the API shows it."""

    def __init__(self, tenant, member):
        self.tenant, self.member = tenant, member
        found = [one["id"] for one in tenant.ask("GET", tenant.of_project("/processes"))["results"] if one["id"].startswith(member.name + ".")]
        self.path = tenant.of_project("/processes/" + quote(found[0], safe=":"))

    def measure(self, granularity, since, *metrics):
        query = [("granularity", granularity), ("start", date(since)), ("end", date(time.time() + 86400))] + [("m", one) for one in metrics]
        return self.tenant.ask("GET", "%s/measurements?%s" % (self.path, urlencode(query)))

    def total(self, granularity, since, metric):
        """What was counted since then, added up from the values."""
        answer, step = self.measure(granularity, since, metric), STEPS[granularity]
        end = moment(answer["end"])
        return sum(point["value"] * (min(moment(point["timestamp"]) + step, end) - moment(point["timestamp"]))
                   for point in answer["measurements"][0]["dataPoints"] if point["value"] is not None)

    def has_points(self, since):
        """Some that were taken after that: so all that was counted before it is there."""
        with contextlib.suppress(Problem):
            points = self.measure("PT10S", since, "OPCOUNTER_INSERT")["measurements"][0]["dataPoints"]
            return any(point["value"] is not None and moment(point["timestamp"]) >= since for point in points)
        return False


# ---- What agents took ----
def records(data):
    """The lines of a segment of the spool. One that is not whole was never taken."""
    at = 0
    while at + HEADER.size <= len(data):
        magic, size, _, checksum = HEADER.unpack_from(data, at)
        text = data[at + HEADER.size:at + HEADER.size + size]
        if magic != MAGIC or len(text) != size or zlib.crc32(text) != checksum:
            return
        yield from text.decode().splitlines()
        at += HEADER.size + size


def taken(fleet):
    """Every point that stands in a spool: (member, metric, name, ms) to its value. Short runs fill no segment, so nothing was removed from them."""
    found = {}
    for name in fleet.hosts:
        listing = hosts.run(fleet, name, "sh", "-c", "for f in %s/*.points; do [ -e $f ] && base64 -w0 $f && echo; done; true" % SPOOL)
        for line in listing.split():
            for record in records(base64.b64decode(line)):
                member, at, _, label, values = record.split(" ", 4)
                for pair in values.split(","):
                    metric, value = pair.split("=")
                    found[member, metric, "" if label == "-" else unquote(label), int(at)] = float(value)
    return found


# ---- What a store has ----
def stored(fleet, store):
    """Every point of a store, and how many of them came twice."""
    command = ["curl", "-sf", control.store_url(store) + "/api/v1/export", "--data-urlencode", 'match[]={__name__=~"reeve_.+"}']
    text = subprocess.run(network.command(fleet, "control", command), capture_output=True, text=True, check=True).stdout
    found, twice = {}, 0
    for line in text.splitlines():
        series = json.loads(line)
        labels = series["metric"]
        for at, value in zip(series["timestamps"], series["values"]):
            key = labels["member"], labels["__name__"][len("reeve_"):], unquote(labels.get("name", "")), at
            twice += key in found
            found[key] = value
    return found, twice


def compare(fleet, store, since_ms=0):
    """(points taken, missing in the store, twice or never taken)."""
    ours = {key: value for key, value in taken(fleet).items() if key[3] >= since_ms}
    theirs, twice = stored(fleet, store)
    missing = [key for key, value in ours.items() if key not in theirs or abs(theirs[key] - value) > 1e-9 * max(1, abs(value))]
    strange = [key for key in theirs if key[3] >= since_ms and key not in ours]
    return len(ours), missing, twice + len(strange)


# ---- Faults ----
class Faults:
    """Kills one thing after the other with -9, and starts it again a moment later."""

    def __init__(self, suite, fleet, seed):
        self.suite, self.fleet, self.random = suite, fleet, random.Random(seed)
        self.counts, self.ends = {}, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def targets(self):
        return [*control.STORES, *control.APIS, *control.WORKERS, *("agent of " + name for name in self.fleet.hosts)]

    def kill(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1
        if what.startswith("agent of "):
            hosts.run(self.fleet, what[len("agent of "):], "systemctl", "kill", "-s", "KILL", "reeve-agent", check=False)
            return
        pid = process.pid_of(self.fleet, what)
        if pid:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: process.pid_of(self.fleet, what) is None, what + " is gone", 20, every=0.05)
        time.sleep(self.random.uniform(0, 5))
        for _ in range(20):  # nginx's own processes hold the port until they notice
            with contextlib.suppress(Problem):
                process.again(self.fleet, what)
                time.sleep(0.5)
                if process.pid_of(self.fleet, what):
                    return
            time.sleep(0.5)

    def run(self):
        while not self.ends.wait(self.random.uniform(1, 6)):
            self.kill(self.random.choice(self.targets()))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
        for what in (*control.STORES, *control.REEVE):
            if process.pid_of(self.fleet, what) is None:
                process.again(self.fleet, what)
        self.suite.say("killed: " + ", ".join("%s %d times" % pair for pair in sorted(self.counts.items())))


# ---- The truth ----
def pgbench(fleet, member, *words, seconds=600):
    return hosts.run(fleet, member.host, "sh", "-c", "/usr/lib/postgresql/*/bin/pgbench -h /var/lib/reeve/members/%s/run -p 5432 -U postgres %s %s 2>&1" % (
        member.id, " ".join(words), DATABASE), timeout=seconds)


def prepare(fleet, member):
    rig.superuser(fleet, member, "CREATE DATABASE " + DATABASE)
    pgbench(fleet, member, "-i", "-s", "1", "-q")
    for table in ("accounts", "branches", "tellers", "history"):  # what it does by itself would be counted, too
        rig.superuser(fleet, member, "ALTER TABLE pgbench_%s SET (autovacuum_enabled = off)" % table, DATABASE)


def inserted(fleet, member):
    """What the server itself says. It inserts a row into a catalog now and then, without being asked."""
    return int(rig.superuser(fleet, member, "SELECT sum(tup_inserted) FROM pg_stat_database")[0][0])


def counts_are_true(suite, fleet, watched, since, transactions, during=None):
    """pgbench inserts one row in every transaction. Whatever the steps are, the sums are what the server counted; read in a moment in which it did not."""
    def agree():
        before, totals = inserted(fleet, watched.member), {step: watched.total(step, since, "OPCOUNTER_INSERT") for step in STEPS}
        return (before, totals) if before == inserted(fleet, watched.member) and max(totals.values()) - min(totals.values()) < 0.01 else None
    first_count, first = settle(watched, agree, None)
    with during or contextlib.nullcontext():
        output = pgbench(fleet, watched.member, "-n", "-c", "2", "-t", str(transactions // 2))
    suite.check("number of transactions actually processed: %d/%d" % (transactions, transactions) in output, "pgbench: %s", output[-300:])
    last_count, last = settle(watched, agree, first_count - first["PT10S"])
    for step in STEPS:
        more = last[step] - first[step]
        suite.check(abs(more - (last_count - first_count)) < 0.01 and more >= transactions, "%s: %.3f rows more; the server says %d, pgbench %d", step, more,
                    last_count - first_count, transactions)
    suite.say("%d rows inserted; the sums say %s" % (transactions, ", ".join("%s %.0f" % (step, last[step] - first[step]) for step in STEPS)))


def settle(watched, agree, apart):
    """Until the sums agree with each other, and are as far from the server's count as before: what it counted before anybody looked. Else what they are.
    Without a distance from before: until there are points from after the moment in which the server was last seen to count, else the sums lack its last rows."""
    wait_until(lambda began=time.time(): watched.has_points(began), "points of now", 180, every=2)
    found, counted, until = None, (None, 0), time.monotonic() + 180
    while time.monotonic() < until:
        time.sleep(2)
        is_complete = counted[0] is not None and watched.has_points(counted[1])
        found = agree() or found
        if found and apart is not None and abs(found[0] - found[1]["PT10S"] - apart) < 0.01:
            return found
        if found and apart is None and is_complete and found[0] == counted[0]:
            return found
        if found and found[0] != counted[0]:
            counted = found[0], time.time()
    if found is None:
        raise Problem("the sums never agree with each other")
    return found


def no_spike(suite, fleet, tenant, watched, since):
    """A restart, which loses no count, and the kill of a server, which loses all of them: no value below zero, and none that cannot be."""
    rig.superuser(fleet, watched.member, "SELECT pg_stat_force_next_flush()")
    hosts.run(fleet, watched.member.host, "sh", "-c", "pkill -9 -o -f 'postgres.*members/%s' || true" % watched.member.id)
    wait_until(lambda: is_up(fleet, watched.member), "the server is up again", 120, every=1)
    time.sleep(45)
    answer = watched.measure("PT10S", since, "OPCOUNTER_INSERT", "TRANSACTIONS_COMMITTED", "LOG_BYTES_WRITTEN")
    for series in answer["measurements"]:
        values = [point["value"] for point in series["dataPoints"] if point["value"] is not None]
        suite.check(values and min(values) >= 0, "%s is never negative: %s", series["name"], min(values or [0]))
        most = {"OPCOUNTER_INSERT": 200000, "TRANSACTIONS_COMMITTED": 20000, "LOG_BYTES_WRITTEN": 2e9}[series["name"]]
        suite.check(max(values or [0]) < most, "%s has no spike: %s", series["name"], max(values or [0]))
    suite.say("after the kill of a server: no negative value, no spike")


def is_up(fleet, member):
    with contextlib.suppress(Problem, subprocess.TimeoutExpired):
        return rig.superuser(fleet, member, "SELECT 1") == [["1"]]
    return False


# ---- One after the other ----
@contextlib.contextmanager
def under_fire(suite, fleet, seconds, away, seed):
    """Everything is killed while the block runs, and for so long at least; then nobody of the control plane is there for a while."""
    began = time.monotonic()
    with Faults(suite, fleet, seed):
        yield
        time.sleep(max(0, seconds - (time.monotonic() - began)))
    rig.stop_control_plane(fleet)
    time.sleep(away)
    rig.start_control_plane(fleet)
    suite.say("the control plane was away for %d s" % away)


def lose(fleet, store):
    """With everything in it; an empty one takes its place."""
    os.kill(process.pid_of(fleet, store), signal.SIGKILL)
    wait_until(lambda: process.pid_of(fleet, store) is None, store + " is gone", 20, every=0.05)
    shutil.rmtree(fleet.path(store))
    process.again(fleet, store)


def run(suite, fleet, arguments):
    tenant = Tenant(fleet)
    tenant.create_project()
    tenant.create_cluster(CLUSTER, regions={fleet.regions[0]: min(2, len(fleet.hosts))})
    tenant.wait_idle(CLUSTER, 300)
    since = time.time() - 600
    primary = rig.primary_of(fleet, CLUSTER)
    watched = Watched(tenant, primary)
    wait_until(lambda: watched.has_points(since), "points of the primary", 120, every=1)
    prepare(fleet, primary)
    names = {one["databaseName"] for one in tenant.ask("GET", watched.path + "/databases")["results"]}
    suite.say("databases: %s; disks: %s" % (sorted(names), [one["partitionName"] for one in tenant.ask("GET", watched.path + "/disks")["results"]]))

    counts_are_true(suite, fleet, watched, since, 2000)
    first, second = control.STORES
    counts_are_true(suite, fleet, watched, since, 4000, under_fire(suite, fleet, arguments.seconds, arguments.away, arguments.seed))
    for store in (first, second):
        with contextlib.suppress(Problem):
            wait_until(lambda: not compare(fleet, store)[1], store + " has everything", 300, every=5)
        count, missing, twice = compare(fleet, store)
        suite.check(not missing and not twice, "%s: %d of %d points missing (%s), %d twice", store, len(missing), count, missing[:3], twice)
        suite.say("%s: %d points taken, %d missing, %d twice" % (store, count, len(missing), twice))

    lose(fleet, first)
    counts_are_true(suite, fleet, watched, since, 1000)
    no_spike(suite, fleet, tenant, watched, since)
    time.sleep(20)
    with contextlib.suppress(Problem):
        wait_until(lambda: not compare(fleet, second)[1], second + " has everything", 120, every=5)
    count, missing, twice = compare(fleet, second)
    suite.check(not missing and not twice, "%d of %d points missing (%s), %d twice", len(missing), count, missing[:3], twice)
    tenant.delete_cluster(CLUSTER)
    tenant.wait_gone(CLUSTER)
    suite.equal(tenant.ask("GET", watched.path, expect=(404,))["errorCode"], "RESOURCE_NOT_FOUND", "the server of a deleted cluster")
    print("monitor: %d points taken, %d missing, %d twice" % (count, len(missing), twice), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=120, help="for how long things are killed")
    parser.add_argument("--away", type=int, default=60, help="for how long the control plane is away")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    suite = Suite("monitor")
    suite.say("seed %d" % arguments.seed)
    with rig.fleet_for(host_count=2, zones=2) as fleet:
        run(suite, fleet, arguments)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
