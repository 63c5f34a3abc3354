#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measurements of members that are switched over, lost with their host, restarted, frozen and paused: no value below zero, none that cannot be, none where nothing was
measured; and what pgbench inserted is the sum over all members, at every granularity. Needs root.

Usage: monitor_truth_test.py [PART…]
"""
import argparse
import contextlib
import os
import sys
import time

import rig
from monitor_test import CLUSTER, STEPS, Watched, inserted, is_up, moment, pgbench, prepare
from tenant import Tenant

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

MEMBERS, TRANSACTIONS = 2, 1000
STEP_S = STEPS["PT10S"]
# What cannot be on this machine, a tenth more for clocks; sums of counters are compared with what was done, too.
CORES = os.cpu_count()
MOST = {"PERCENT": 110 * CORES, "BYTES_PER_SECOND": 2e9, "SCALAR_PER_SECOND": 1e6}
# pgbench fills its tables with 100,000 rows at once, which is the most that anybody inserts.
MOST_OF = {"TRANSACTIONS_COMMITTED": 5000, "OPCOUNTER_INSERT": 11000, "OPCOUNTER_UPDATE": 15000 * CORES, "CHECKPOINTS": 10, "CHECKPOINT_WRITE_TIME": 1100,
           "TRANSACTIONS_ROLLED_BACK": 1000, "CACHE_HIT_RATIO": 100, "CONNECTIONS_PERCENT": 100}
GAUGE = "CONNECTIONS"  # of the server: it is there when the server was asked


class Truth:
    def __init__(self, suite, fleet):
        self.suite, self.fleet, self.tenant = suite, fleet, Tenant(fleet)
        self.tenant.create_project()
        self.path = self.tenant.of_project("/clusters/" + CLUSTER)
        self.tenant.create_cluster(CLUSTER, regions={fleet.regions[0]: MEMBERS})
        self.tenant.wait_idle(CLUSTER, 300)
        self.since, self.transactions, self.counted = time.time() - 600, 0, 0
        self.members = rig.members(fleet, CLUSTER)
        self.watched = [Watched(self.tenant, one) for one in self.members]
        for one in self.watched:
            wait_until(lambda one=one: one.has_points(self.since), "points of " + one.member.name, 120, every=1)

    def primary(self):
        return wait_until(self.find_primary, "a primary that takes writes", 120, every=1)

    def find_primary(self):
        with contextlib.suppress(Problem):
            return rig.primary_of(self.fleet, CLUSTER)
        return None

    def sums(self):
        return {step: sum(one.total(step, self.since, "OPCOUNTER_INSERT") for one in self.watched) for step in STEPS}

    def points(self, watched, metric, since, until, step="PT10S"):
        """Values of the steps that are wholly between the two."""
        found = watched.measure(step, since, metric)["measurements"][0]["dataPoints"]
        return [one["value"] for one in found if moment(one["timestamp"]) >= since and moment(one["timestamp"]) + STEPS[step] <= until]

    def settled(self):
        """The sums when they have everything up to now and agree with each other, though servers may have counted meanwhile."""
        began = time.time()
        for one in self.watched:
            wait_until(lambda one=one: one.has_points(began), "points of now of " + one.member.name, 180, every=1)

        def agree():
            found = self.sums()
            return found if max(found.values()) - min(found.values()) < 0.01 else None
        return wait_until(agree, "sums that agree", 120, every=1)

    def wait_quiet(self):
        """A new database gets what the agent puts there a minute later. Some rows of catalogs now and then are no harm."""
        def is_quiet():
            before = inserted(self.fleet, self.primary())
            time.sleep(35)
            return inserted(self.fleet, self.primary()) - before < 10
        wait_until(is_quiet, "nobody inserts", 400, every=1)

    def insert(self, what):
        """Known counts on whoever is the primary, looked at before anything else happens to it."""
        primary = self.primary()
        before = inserted(self.fleet, primary)
        output = pgbench(self.fleet, primary, "-n", "-c", "2", "-t", str(TRANSACTIONS // 2))
        self.suite.check("number of transactions actually processed: %d/%d" % (TRANSACTIONS, TRANSACTIONS) in output, "pgbench: %s", output[-300:])
        time.sleep(1.5)  # sessions tell what they counted when they end
        self.transactions += TRANSACTIONS
        self.counted += inserted(self.fleet, primary) - before
        found = self.settled()
        self.suite.say("%s: %d rows by pgbench, %d by servers; the sums are %s" % (
            what, self.transactions, self.counted, ", ".join("%s %.2f" % (step, found[step] - self.first[step]) for step in STEPS)))

    def full(self):
        rig.wait_full_strength(self.fleet, CLUSTER, MEMBERS, 240)

    def is_empty(self, what, watched, since, until):
        values = self.points(watched, GAUGE, since, until)
        self.suite.check(len(values) > 0 and not any(value is not None for value in values), "%s: nothing was measured for %d steps: %s", what, len(values), values)
        self.suite.say("%s: %d steps without a value" % (what, len(values)))


# ---- What happens to members ----
def switched_over(truth):
    before = truth.primary().id
    truth.tenant.ask("POST", truth.path + "/restartPrimaries")
    wait_until(lambda: truth.find_primary() and truth.find_primary().id != before, "another primary", 180, every=1)
    truth.full()


def lost_with_its_host(truth):
    """Power-off of the primary's host, and what it had counted is gone with it; the other member goes on."""
    lost = truth.primary()
    hosts.kill(truth.fleet, lost.host)
    off = time.time()
    wait_until(lambda: truth.find_primary() and truth.find_primary().id != lost.id, "another primary", 180, every=1)
    output = pgbench(truth.fleet, truth.primary(), "-n", "-c", "1", "-t", "100")
    truth.suite.check("100/100" in output, "writes while a host is off: %s", output[-200:])
    truth.transactions, truth.counted = truth.transactions + 100, truth.counted + 100
    time.sleep(max(0, off + 60 - time.time()))
    on = time.time()
    hosts.start(truth.fleet, lost.host)
    hosts.wait_booted(truth.fleet, lost.host)
    truth.full()
    truth.settled()
    truth.is_empty("a host that is off", next(one for one in truth.watched if one.member.id == lost.id), off, on)


def killed(truth):
    """The postmaster of the primary, with -9: its counts are gone, and the server is up again."""
    primary = truth.primary()
    hosts.run(truth.fleet, primary.host, "sh", "-c", "kill -9 $(head -1 /var/lib/reeve/members/%s/data/postmaster.pid)" % primary.id)
    wait_until(lambda: all(is_up(truth.fleet, one) for one in truth.members), "servers are up", 180, every=1)
    truth.full()


def restarted(truth):
    """The unit of a replica: a server that ends in order."""
    primary = truth.primary()
    replica = next(one for one in truth.members if one.id != primary.id)
    hosts.run(truth.fleet, replica.host, "systemctl", "restart", "reeve-member-%s.service" % replica.id, timeout=120)
    truth.full()


def frozen(truth):
    """The postmaster of the primary, which the kept session does not need; then everything of a replica."""
    primary = truth.primary()
    replica = next(one for one in truth.members if one.id != primary.id)
    postmaster = hosts.run(truth.fleet, primary.host, "head", "-1", "/var/lib/reeve/members/%s/data/postmaster.pid" % primary.id).strip()
    hosts.run(truth.fleet, primary.host, "kill", "-STOP", postmaster)
    time.sleep(30)
    hosts.run(truth.fleet, primary.host, "kill", "-CONT", postmaster)
    truth.full()
    unit = "reeve-member-%s.service" % replica.id
    hosts.run(truth.fleet, replica.host, "systemctl", "kill", "-s", "STOP", unit)
    began = time.time()
    time.sleep(70)
    ended = time.time()
    hosts.run(truth.fleet, replica.host, "systemctl", "kill", "-s", "CONT", unit)
    truth.full()
    truth.settled()
    truth.is_empty("a member that is frozen", next(one for one in truth.watched if one.member.id == replica.id), began + STEP_S, ended)


def paused(truth):
    truth.tenant.ask("PATCH", truth.path, {"paused": True})
    truth.tenant.wait_idle(CLUSTER, 180)
    began = time.time()
    time.sleep(60)
    ended = time.time()
    truth.tenant.ask("PATCH", truth.path, {"paused": False})
    truth.tenant.wait_idle(CLUSTER, 240)
    truth.full()
    truth.settled()
    for one in truth.watched:
        truth.is_empty("paused, " + one.member.name, one, began, ended)


PARTS = [switched_over, lost_with_its_host, killed, restarted, frozen, paused]


# ---- What must be true of all of it ----
def nothing_is_impossible(truth):
    """Of every metric of every member at every granularity."""
    looked_at = 0
    for one in truth.watched:
        for step in STEPS:
            for series in one.measure(step, truth.since)["measurements"]:
                most = MOST_OF.get(series["name"], MOST.get(series["units"]))
                if "CPU" in series["name"] and "NORMALIZED" in series["name"] and series["name"].startswith("SYSTEM"):
                    most = 110
                values = [point["value"] for point in series["dataPoints"] if point["value"] is not None]
                looked_at += len(values)
                truth.suite.check(min(values, default=0) >= 0, "%s of %s at %s is never negative: %s", series["name"], one.member.name, step, min(values, default=0))
                truth.suite.check(most is None or max(values, default=0) <= most, "%s of %s at %s has no spike: %s", series["name"], one.member.name, step, max(values, default=0))
    truth.suite.say("%d values were looked at" % looked_at)


def sums_are_true(truth):
    found = truth.settled()
    for step in STEPS:
        more = found[step] - truth.first[step]
        # A server inserts a row into a catalog now and then, also when nobody looks.
        truth.suite.check(truth.transactions <= more + 0.01 and more <= truth.counted + 50, "%s: %.2f rows; pgbench %d, servers %d", step, more, truth.transactions, truth.counted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=", ".join(part.__name__ for part in PARTS))
    chosen = parser.parse_args().parts
    suite = Suite("monitor-truth")
    try:
        with rig.fleet_for(host_count=2, zones=2) as fleet:
            truth = Truth(suite, fleet)
            prepare(fleet, truth.primary())
            truth.wait_quiet()
            truth.first = truth.settled()
            truth.insert("before anything")
            for part in PARTS:
                if not chosen or part.__name__ in chosen:
                    part(truth)
                    truth.insert(part.__name__)
            sums_are_true(truth)
            nothing_is_impossible(truth)
            if suite.failures:
                rig.keep_logs(fleet)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
