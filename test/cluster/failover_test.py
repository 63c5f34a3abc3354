#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts of primaries lose their power or their network while a client writes. What was acknowledged stays.

    test/cluster/failover_test.py [--kills N] [--partitions N] [--one-way N] [--report FILE]

After every fault: a write is acknowledged within 30 s, the cluster comes back to full strength by itself, every number
that was ever acknowledged is there (counted after the partition healed: before it, nothing shows), and no two members
took writes on one timeline or past a newer one.
"""
import argparse
import random
import statistics
import sys
import time

import rig
from ledger import TABLES, Witness, Writer, lost, lost_by_witnesses, two_primaries
from tenant import DATABASE, Tenant, wait_psql

import hosts  # noqa: E402  (found by rig)
import network  # noqa: E402
from state import Problem  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "failover"
LOOP_S = 5
NEW_PRIMARY_S = 30
FULL_STRENGTH_S = 90
WITNESSED = "SELECT member || ' ' || number FROM witness"


class Scene:
    """A cluster with its writer and its witnesses."""

    def __init__(self, fleet):
        self.fleet, self.tenant = fleet, Tenant(fleet)
        self.tenant.create_project()
        self.user, self.password = "app", self.tenant.create_user("app")
        self.tenant.allow("10.78.0.0/16")  # witnesses connect from the hosts themselves
        self.tenant.create_cluster(CLUSTER)
        self.document = self.tenant.wait_idle(CLUSTER, 120)
        self.dsn = self.tenant.dsn(self.document, self.user, self.password)
        wait_psql(fleet, self.dsn, TABLES, 30)
        rig.wait_full_strength(fleet, CLUSTER, 3, FULL_STRENGTH_S)
        self.writer = Writer(fleet, self.dsn)
        self.witnesses = [self.witness(member) for member in rig.members(fleet, CLUSTER)]
        for witness in self.witnesses:
            witness.start()

    def witness(self, member):
        settings = "host=%s port=5432 dbname=shop user=%s password=%s sslmode=require connect_timeout=2"
        return Witness(self.fleet, member.host, member.name, settings % (member.address, self.user, self.password))

    def stop(self):
        self.writer.stop()
        for witness in self.witnesses:
            witness.ending.set()


def power_off(fleet, host):
    hosts.kill(fleet, host)

    def undo():
        hosts.start(fleet, host)
        hosts.wait_booted(fleet, host)
    return undo


def partition(fleet, host):
    network.cut(fleet, host)
    return lambda: network.heal(fleet, host)


def one_way(fleet, host):
    """The host hears nobody, or nobody hears it."""
    network.cut(fleet, host, random.choice(("in", "out")))
    return lambda: network.heal(fleet, host)


def one_fault(scene, suite, kind, make):
    """(kind, seconds without an acknowledged write, seconds from its end to full strength)"""
    fleet = scene.fleet
    time.sleep(random.uniform(0, LOOP_S))  # anywhere between two renewals of the primary's lock: full strength comes right after one
    primary = rig.primary_of(fleet, CLUSTER)
    began = time.time()
    undo = make(fleet, primary.host)
    try:
        _, host = scene.writer.wait_write_after(began + 0.5, 90)
        outage = scene.writer.longest_pause(began, time.time())
        suite.check(outage <= NEW_PRIMARY_S, "%s of %s: no write was acknowledged for %.1f s", kind, primary.host, outage)
        suite.check(not host.startswith(primary.name + "."), "%s of %s: the write went to the same member", kind, primary.host)
        time.sleep(random.uniform(0, 8))  # it comes back before, while or after its successor settles
    finally:
        undo()
    healed = time.time()
    rig.wait_full_strength(fleet, CLUSTER, 3, FULL_STRENGTH_S)
    back = time.time() - healed
    missing = missing_numbers(scene)
    suite.check(not missing, "%s of %s: %d acknowledged writes are lost, the first is %s", kind, primary.host, len(missing),
                missing[:1])
    suite.say("%-9s of %s (%s): %.1f s without a write, full strength %.1f s after it ended"
              % (kind, primary.host, primary.name, outage, back))
    return kind, outage, back


def missing_numbers(scene):
    acknowledged_first = scene.writer.acknowledged()
    rows = wait_psql(scene.fleet, scene.dsn, "SELECT number FROM ledger", 30).split()
    there = set(map(int, rows))
    return sorted(row[1] for row in acknowledged_first if row[1] not in there)


def members_agree(scene, suite):
    """After it all, every member has the same rows."""
    def sums():
        return {tuple(rig.superuser(scene.fleet, member, "SELECT count(*), sum(hashint8(number)) FROM ledger", DATABASE)[0])
                for member in rig.members(scene.fleet, CLUSTER)}
    for _ in range(50):
        if len(sums()) == 1:
            return suite.check(True, "")
        time.sleep(0.2)
    return suite.check(False, "members do not have the same rows: %s", sums())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--partitions", type=int, default=10)
    parser.add_argument("--one-way", type=int, default=0)
    parser.add_argument("--report", metavar="FILE")
    options = parser.parse_args()
    suite = Suite("failover")
    faults = [("power-off", power_off)] * options.kills + [("partition", partition)] * options.partitions
    faults += [("one-way", one_way)] * options.one_way
    random.shuffle(faults)
    seen = []
    try:
        with rig.fleet_for(3) as fleet:
            scene = Scene(fleet)
            try:
                for kind, make in faults:
                    seen.append(one_fault(scene, suite, kind, make))
                scene.stop()
                for witness in scene.witnesses:
                    witness.join(10)
                rows = list(map(int, wait_psql(fleet, scene.dsn, "SELECT number FROM ledger", 30).split()))
                missing = lost(scene.writer, rows)
                missing += lost_by_witnesses(scene.witnesses, wait_psql(fleet, scene.dsn, WITNESSED, 30).splitlines())
                acknowledged = len(scene.writer.acknowledged())
                suite.check(not missing, "%d acknowledged writes are lost", len(missing))
                problems = two_primaries(scene.witnesses)
                suite.check(not problems, "two primaries: %s", "; ".join(problems[:5]))
                witnessed = sum(len(witness.acknowledged) for witness in scene.witnesses)
                suite.check(witnessed > 0, "no witness saw a write")
                members_agree(scene, suite)
            finally:
                scene.stop()
        lines = ["- " + rig.machine(), "- %d faults of the primary's host: %d power-offs, %d partitions, %d of them one way only"
                 % (len(seen), options.kills, options.partitions + options.one_way, options.one_way),
                 "- acknowledged writes: %d, lost: %d" % (acknowledged, len(missing)),
                 "- writes that witnesses on the hosts had acknowledged: %d; proofs of two writable primaries: %d" % (witnessed, len(problems))]
        for kind in sorted({row[0] for row in seen}):
            outages, backs = [row[1] for row in seen if row[0] == kind], [row[2] for row in seen if row[0] == kind]
            lines.append("- %s: without a write for %.1f s in the median, %.1f s at worst; full strength again %.1f s after it ended, "
                         "%.1f s at worst" % (kind, statistics.median(outages), max(outages), statistics.median(backs), max(backs)))
        lines += ["", "| fault | seconds without a write | seconds to full strength |", "|---|---|---|"]
        lines += ["| %s | %.1f | %.1f |" % row for row in seen]
        for line in lines[:6]:
            suite.say(line)
        rig.write_report(options.report, "Failover", lines)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
