#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What monitoring costs a member on a real host: pgbench's own load with everything loaded and collected against the same server without, by turns; and an idle member
with and without collection, by turns. Needs root. docs/internals/monitor-agent.md has the figures.

Usage: monitor_cost_test.py [--rounds 4] [--seconds 25] [--idle 120]
"""
import argparse
import os
import re
import sys
import time

import rig
from monitor_test import CLUSTER, DATABASE, is_up, pgbench
from tenant import Tenant

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from container import CGROUPS  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

LIBRARIES = {"pg_stat_statements"}  # the advisor needs no other (docs/internals/advisor.md)
LEAST_RATIO = 0.95
MOST_PERCENT, MOST_KB = 1.0, 20 * 1024
SCALE = 5


def used_s(fleet, host, unit):
    """Processor seconds of a unit, those of processes that have ended, too."""
    with open(os.path.join(CGROUPS, fleet.prefix + host, "payload/system.slice", unit, "cpu.stat"), encoding="ascii") as file:
        return int(re.search(r"^usage_usec (\d+)", file.read(), re.M)[1]) / 1e6


def unit_of(member):
    return "reeve-member-%s.service" % member.id


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


# ---- Under load ----
class Loaded:
    """A server with everything of monitoring, and the same server without."""

    def __init__(self, suite, fleet, member):
        self.suite, self.fleet, self.member = suite, fleet, member
        rig.superuser(fleet, member, "CREATE DATABASE " + DATABASE)
        pgbench(fleet, member, "-i", "-q", "-s", str(SCALE))
        self.libraries = rig.superuser(fleet, member, "SHOW shared_preload_libraries")[0][0]
        names = [one.strip() for one in self.libraries.split(",")]
        suite.check(LIBRARIES <= set(names), "everything is loaded: %s", self.libraries)
        self.without = ",".join(one for one in names if one not in LIBRARIES)

    def restart(self):
        hosts.run(self.fleet, self.member.host, "systemctl", "restart", unit_of(self.member), timeout=120)
        wait_until(lambda: is_up(self.fleet, self.member) and rig.superuser(self.fleet, self.member, "SELECT pg_is_in_recovery()") == [["f"]], "the server is up", 120, every=0.5)

    def switch(self, is_on):
        statement = "RESET shared_preload_libraries" if is_on else "SET shared_preload_libraries = %s" % (self.without or "''")
        hosts.run(self.fleet, self.member.host, "systemctl", "stop", "reeve-agent")
        rig.superuser(self.fleet, self.member, "ALTER SYSTEM " + statement)
        self.restart()
        loaded = set(rig.superuser(self.fleet, self.member, "SHOW shared_preload_libraries")[0][0].replace(" ", "").split(","))
        self.suite.equal(bool(loaded & LIBRARIES), is_on, "what is loaded: %s" % loaded)
        if is_on:
            hosts.run(self.fleet, self.member.host, "systemctl", "start", "reeve-agent")
            wait_until(lambda: rig.superuser(self.fleet, self.member, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'reeve-monitor'") == [["1"]],
                       "it is measured", 120, every=0.5)

    def run(self, is_on, seconds):
        """(transactions a second, processor µs a transaction of the server, and of the agent)."""
        self.switch(is_on)
        pgbench(self.fleet, self.member, "-n", "-c", "2", "-T", "4")  # caches
        rig.superuser(self.fleet, self.member, "CHECKPOINT")
        before = used_s(self.fleet, self.member.host, unit_of(self.member)), used_s(self.fleet, self.member.host, "reeve-agent.service") if is_on else 0
        output = pgbench(self.fleet, self.member, "-n", "-c", "2", "-T", str(seconds))
        spent = used_s(self.fleet, self.member.host, unit_of(self.member)) - before[0]
        agent = used_s(self.fleet, self.member.host, "reeve-agent.service") - before[1] if is_on else 0
        rate, count = float(re.search(r"^tps = ([\d.]+)", output, re.M)[1]), int(re.search(r"actually processed: (\d+)", output)[1])
        self.suite.say("%-8s %6.0f transactions/s, %5.0f µs of a processor each in the server, %3.0f in the agent" % (
            "with" if is_on else "without", rate, spent / count * 1e6, agent / count * 1e6))
        return rate, spent / count * 1e6, agent / count * 1e6


def under_load(suite, fleet, member, rounds, seconds):
    loaded, found = Loaded(suite, fleet, member), {True: [], False: []}
    for number in range(rounds):
        for is_on in ((True, False), (False, True))[number % 2]:
            found[is_on].append(loaded.run(is_on, seconds))
    loaded.switch(True)
    # Neighbours on the machine come and go: those of one round are compared with each other.
    pairs = list(zip(found[True], found[False]))
    rate, cost = median([on[0] / off[0] for on, off in pairs]), median([off[1] / (on[1] + on[2]) for on, off in pairs])
    suite.say("TPC-B with monitoring against without, medians of %d rounds: %.3f of the transactions a second; %.3f of the transactions for the same processor time" % (rounds, rate, cost))
    # Processor time is what is judged: transactions a second are whatever the neighbours leave.
    suite.check(cost >= LEAST_RATIO, "%.3f of the transactions for the same processor time, at least %.2f is wanted", cost, LEAST_RATIO)


# ---- Idle ----
def private_kb(fleet, host, process):
    text = hosts.run(fleet, host, "cat", "/proc/%s/smaps_rollup" % process)
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_"))


def set_stores(fleet, is_on):
    """With none configured agents collect nothing; they ask once a minute."""
    for node in control.CONTROL:
        with open(control.conf(fleet, node), encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("monitor_stores")]
        lines += ["monitor_stores = %s\n" % control.store_url(name) for name in control.STORES if is_on]
        with open(control.conf(fleet, node), "w", encoding="utf-8") as file:
            file.writelines(lines)
    rig.stop_control_plane(fleet)
    rig.start_control_plane(fleet)


def sessions(fleet, member):
    return [row[0] for row in rig.superuser(fleet, member, "SELECT pid FROM pg_stat_activity WHERE application_name = 'reeve-monitor'")]


def look(fleet, member, seconds):
    """Percent of a core: (the agent, the member), and private memory in KB: (the agent, its session)."""
    units = ["reeve-agent.service", unit_of(member)]
    before, began = [used_s(fleet, member.host, unit) for unit in units], time.monotonic()
    time.sleep(seconds)
    percent = [(used_s(fleet, member.host, unit) - one) / (time.monotonic() - began) * 100 for unit, one in zip(units, before)]
    agent = hosts.run(fleet, member.host, "systemctl", "show", "-P", "MainPID", "reeve-agent.service").strip()
    return percent, (private_kb(fleet, member.host, agent), sum(private_kb(fleet, member.host, one) for one in sessions(fleet, member)))


def idle(suite, fleet, member, rounds, seconds):
    found = {True: [], False: []}
    for number in range(rounds):
        for is_on in ((True, False), (False, True))[number % 2]:
            set_stores(fleet, is_on)
            wait_until(lambda: bool(sessions(fleet, member)) == is_on, "collection is switched", 180, every=1)
            time.sleep(15)
            percent, memory = look(fleet, member, seconds)
            suite.say("collection %-3s agent %.2f%% of a core, member %.2f%%; private memory: agent %d KB, session %d KB" % ("on:" if is_on else "off:", *percent, *memory))
            found[is_on].append((*percent, *memory))
    agent, member_percent, agent_kb, _ = (median([one[i] for one in found[True]]) - median([one[i] for one in found[False]]) for i in range(4))
    session_kb = median([one[3] for one in found[True]])
    suite.say("collection costs %.2f%% of a core in the agent and %.2f%% in the member; %d KB in the agent and %d KB in the session" % (agent, member_percent, agent_kb, session_kb))
    suite.check(agent + member_percent <= MOST_PERCENT, "at most %.0f%% of a core: %.2f%%", MOST_PERCENT, agent + member_percent)
    suite.check(max(agent_kb, 0) + session_kb <= MOST_KB, "at most %d KB: %d", MOST_KB, agent_kb + session_kb)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=25)
    parser.add_argument("--idle", type=int, default=120)
    arguments = parser.parse_args()
    suite = Suite("monitor-cost")
    try:
        with rig.fleet_for(host_count=1, zones=1) as fleet:
            tenant = Tenant(fleet)
            tenant.create_project()
            tenant.create_cluster(CLUSTER, size="S3", regions={fleet.regions[0]: 1})
            tenant.wait_idle(CLUSTER, 300)
            member = rig.members(fleet, CLUSTER)[0]
            under_load(suite, fleet, member, arguments.rounds, arguments.seconds)
            idle(suite, fleet, member, 2, arguments.idle)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
