#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many clusters asked for at once: every one becomes IDLE and takes a write. Then half of them are deleted while the others get one more
member each, and these are deleted, too; nothing is left behind. Says what a cluster costs in memory, and what clusters that nobody changes
cost the control plane.

    test/cluster/load_test.py [--clusters N] [--hosts N] [--report FILE]
"""
import argparse
import concurrent.futures
import os
import statistics
import sys
import time

import rig
from tenant import PROVIDER, Tenant, client_address, wait_psql

import control  # noqa: E402  (found by rig)
import process  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

IDLE_S = 1800
PER_PROJECT = 20  # a project may have 25
REST_S = 45


# ---- What it costs ----
def used_memory_mb():
    """Of the whole machine."""
    with open("/proc/meminfo") as file:
        figures = {line.split(":")[0]: int(line.split()[1]) for line in file}
    return (figures["MemTotal"] - figures["MemAvailable"]) / 1024


def processor_seconds(fleet):
    """Of the control plane so far: Reeve, its PostgreSQL and Redis, with the processes that they have now."""
    parents, seconds = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(pid))
        seconds[int(pid)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    todo = [process.pid_of(fleet, name) for name in process.names(fleet) if name in (*control.REEVE, "postgres", "redis")]
    total = 0
    while todo:
        pid = todo.pop()
        total += seconds.get(pid, 0)
        todo += parents.get(pid, [])
    return total


def share_at_rest(fleet):
    """Of one processor."""
    before = processor_seconds(fleet)
    time.sleep(REST_S)
    return (processor_seconds(fleet) - before) / REST_S


def cost_at_rest(fleet, count, without):
    share = share_at_rest(fleet)
    return ("at rest the control plane (API, workers, PostgreSQL, Redis) used %.1f%% of a processor for %d clusters, and %.1f%% before there were "
            "any: %.2f processors for 1,000 clusters" % (100 * share, count, 100 * without, without + (share - without) / count * 1000))


def seconds_of_jobs(fleet, kind):
    """By the workers' own clock: from the commit of the request to the job's end."""
    rows = control.superuser(fleet, "SELECT extract(epoch FROM finished_at - created_at) FROM job "
                                    "WHERE kind = '%s' AND state = 'DONE'" % kind)
    return sorted(float(row[0]) for row in rows)


def make_one(fleet, project, number, password):
    """Own tenant, own connections: (seconds to IDLE, seconds to the first write)."""
    tenant = Tenant(fleet, project)
    name = "load-%02d" % number
    began = time.monotonic()
    tenant.create_cluster(name)
    accepted = time.monotonic() - began
    document = wait_until(lambda: idle(tenant, name), name + " is IDLE", IDLE_S, every=2)
    ready = time.monotonic() - began
    wait_psql(fleet, tenant.dsn(document, "app", password), "CREATE TABLE t (a int); INSERT INTO t VALUES (%d)" % number, 120)
    return accepted, ready, time.monotonic() - began


def idle(tenant, name):
    document = tenant.cluster(name)
    return document if document["stateName"] == "IDLE" else None


def prepare(tenant):
    tenant.create_project()
    tenant.allow(client_address())
    return tenant.create_user("app")


def run(suite, fleet, count):
    tenants = [Tenant(fleet) for _ in range((count + PER_PROJECT - 1) // PER_PROJECT)]
    passwords = [prepare(tenant) for tenant in tenants]
    without = share_at_rest(fleet)
    began, empty = time.monotonic(), used_memory_mb()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        places = [(number, number // PER_PROJECT) for number in range(count)]
        tries = [pool.submit(attempt, suite, make_one, fleet, tenants[place].project, number, passwords[place])
                 for number, place in places]
        made = [one.result() for one in tries if one.result()]
    all_made = time.monotonic() - began
    suite.equal(len(made), count, "clusters that became IDLE and took a write")
    creations = seconds_of_jobs(fleet, "cluster.create")
    memory = (used_memory_mb() - empty) / count
    rest = cost_at_rest(fleet, count, without)
    both = delete_half_and_scale_half(suite, fleet, tenants, count)
    gone = delete(suite, tenants, range(count // 2, count))
    try:
        wait_until(lambda: not rig.left_behind(fleet), "nothing is left", 60, every=2)
    except Problem:
        pass
    suite.equal(rig.left_behind(fleet)[:10], [], "what is left behind")
    if not made or not creations:
        return []
    columns = list(zip(*made))
    return [rig.machine(),
            "%d clusters of 3 members asked for at once, on %d hosts: %d took a write, the last after %.0f s"
            % (count, len(fleet.hosts), len(made), all_made),
            "the API accepted a cluster in %.2f s in the median, %.2f s at worst" % (statistics.median(columns[0]), max(columns[0])),
            "from the POST to IDLE: %.0f s in the median, %.0f s at worst" % (statistics.median(columns[1]), max(columns[1])),
            "from the POST to the first write: %.0f s in the median, %.0f s at worst" % (statistics.median(columns[2]), max(columns[2])),
            "jobs that made them: %.0f s in the median, %.0f s at worst" % (statistics.median(creations), max(creations)),
            "a cluster needs %.0f MB of memory: three servers with Patroni" % memory, rest,
            "%d were deleted while the others got one more member each: all was done after %.0f s" % (count // 2, both),
            "those were deleted after %.0f s; nothing is left on hosts, in etcd, in DNS or in the database" % gone]


def delete(suite, tenants, numbers):
    began = time.monotonic()
    for number in numbers:
        attempt(suite, tenants[number // PER_PROJECT].delete_cluster, "load-%02d" % number)
    for number in numbers:
        attempt(suite, tenants[number // PER_PROJECT].wait_gone, "load-%02d" % number, 600)
    return time.monotonic() - began


def scale_one(fleet, project, number):
    tenant, name = Tenant(fleet, project), "load-%02d" % number
    tenant.ask("PATCH", tenant.of_project("/clusters/" + name), {"replicationSpecs": [{"regionConfigs": [
        {"providerName": PROVIDER, "regionName": fleet.regions[0], "electableSpecs": {"instanceSize": "S1", "nodeCount": 4}}]}]})
    tenant.wait_idle(name, IDLE_S)
    wait_until(lambda: rig.at_full_strength(fleet, name, 4), name + " has four members", 120, every=2)


def delete_half_and_scale_half(suite, fleet, tenants, count):
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        scaled = [pool.submit(attempt, suite, scale_one, fleet, tenants[number // PER_PROJECT].project, number)
                  for number in range(count // 2, count)]
        delete(suite, tenants, range(count // 2))
        for one in scaled:
            one.result()
    return time.monotonic() - began


def attempt(suite, function, *arguments):
    try:
        return function(*arguments)
    except Problem as problem:
        suite.fail(str(problem))
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clusters", type=int, default=40)
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--report", metavar="FILE")
    options = parser.parse_args()
    suite = Suite("load")
    try:
        with rig.fleet_for(options.hosts, regions=1) as fleet:
            lines = run(suite, fleet, options.clusters)
        for line in lines:
            suite.say(line)
        rig.write_report(options.report, "%d clusters at once" % options.clusters, ["- " + line for line in lines])
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
