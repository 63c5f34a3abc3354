#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What agents measure on real hosts, against what was done there: two members of PostgreSQL 17 under Patroni, two stores. Needs root.

The control plane is test/cluster/small_control.py. Prints what it costs: docs/internals/monitor-agent.md has the figures.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "fleet"), os.path.join(TESTS, "api")]
sys.dont_write_bytecode = True

import hosts  # noqa: E402
from agent_test import VERIFIER, Cluster, Rig, timed  # noqa: E402
from small_control import Store  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

PGBENCH = "/usr/lib/postgresql/17/bin/pgbench"
SPOOL = "/var/lib/reeve/agent/points"
ROUND_S = 10


def commits(rig, member):
    """As the server itself counts them."""
    return int(rig.inside(member, "SELECT sum(xact_commit) FROM pg_stat_database"))


def bench(rig, member, transactions):
    hosts.run(rig.fleet, member["host"], PGBENCH, "-n", "-S", "-t", str(transactions), "-U", "postgres", "-h",
              "/var/lib/reeve/members/%s/run" % member["id"], "-p", "27017", "shop", timeout=300)


def now_ms():
    return int(time.time() * 1000)


def wait_for_points(store, member, after_ms, seconds=60):
    """Until a round that began after the moment has come."""
    wait_until(lambda: any(at > after_ms for at, _ in store.series(member["id"], "TRANSACTIONS_COMMITTED")), "a point of now", seconds, 0.5)


# ---- The tests ----
def a_cluster_runs(suite, rig):
    for host in rig.fleet.hosts:
        rig.join(host)
        rig.start_agent(host)
    cluster = Cluster(rig, list(rig.fleet.hosts))
    cluster.access["users"] = [{"name": "app", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "readWrite", "database": "shop"}]}]
    rig.clusters.append(cluster)
    rig.publish()
    timed(rig, suite, lambda: "PRIMARY" in cluster.roles() and not {"?", "NONE"} & set(cluster.roles()), "members are up", 240)
    timed(rig, suite, cluster.is_in_force, "goal and access in force", 180)
    suite.check(all(not seen["problem"] for seen in cluster.all_seen()), "no problems: %s", [seen["problem"] for seen in cluster.all_seen()])
    primary = cluster.member("PRIMARY")
    hosts.run(rig.fleet, primary["host"], PGBENCH, "-i", "-q", "-s", "1", "-U", "postgres", "-h", "/var/lib/reeve/members/%s/run" % primary["id"], "-p", "27017",
              "shop", timeout=300)


def without_a_store_nothing_is_measured(suite, rig):
    primary = rig.clusters[0].member("PRIMARY")
    suite.check(rig.inside(primary, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reeve_monitor'") == "0", "no session")
    size = hosts.run(rig.fleet, primary["host"], "sh", "-c", "cat %s/*.points 2>/dev/null | wc -c" % SPOOL).strip()
    suite.check(size == "0", "and nothing kept: %s", size)


def with_stores_members_are_measured(suite, rig):
    cluster = rig.clusters[0]
    rig.control.stores = [Store(), Store()]
    for store in rig.control.stores:
        for member in cluster.members:
            timed(rig, suite, lambda s=store, m=member: s.series(m["id"], "CONNECTIONS"), "points of %s" % member["name"], 150, 0.5)
    primary, first = cluster.member("PRIMARY"), rig.control.stores[0]
    suite.check(not first.series(primary["id"], "REPLICATION_LAG"), "the primary is not behind")
    for replica in (m for m in cluster.members if m is not primary):
        suite.check(first.series(replica["id"], "REPLICATION_LAG"), "only the replica may be behind")
    who = rig.inside(primary, "SELECT rolsuper::text || ' ' || (SELECT string_agg(r.rolname, ',') FROM pg_auth_members JOIN pg_roles r ON r.oid = roleid "
                     "WHERE member = a.usesysid) FROM pg_stat_activity a JOIN pg_roles u ON u.oid = usesysid WHERE application_name = 'reeve-monitor'")
    suite.check(who == "false pg_monitor", "one session, of a role that may see statistics and nothing else: %s", who)
    for metric in ("SYSTEM_CPU_USER", "PROCESS_CPU_USER", "MEMORY_RESIDENT", "MEMORY_VIRTUAL", "SYSTEM_MEMORY_AVAILABLE", "SYSTEM_NETWORK_IN"):
        suite.check(first.series(primary["id"], metric), "%s is measured", metric)
    suite.check(first.series(primary["id"], "DISK_PARTITION_SPACE_FREE", "data"), "so is the disk")
    timed(rig, suite, lambda: first.series(primary["id"], "DATABASE_DATA_SIZE", "shop"), "sizes of a database", 90, 0.5)


def commits_are_counted(suite, rig):
    primary, store = rig.clusters[0].member("PRIMARY"), rig.control.stores[0]
    wait_for_points(store, primary, now_ms())
    since, before = store.series(primary["id"], "TRANSACTIONS_COMMITTED")[-1][0], commits(rig, primary)
    bench(rig, primary, 3000)
    server = commits(rig, primary) - before
    wait_for_points(store, primary, now_ms() + 1000)
    seen = store.rise(primary["id"], "TRANSACTIONS_COMMITTED", since)
    rig.fleet.say("pgbench made 3000 commits, the server counted %d, the store has %d" % (server, seen))
    suite.check(3000 <= seen <= server + 100, "commits of pgbench: %s, the server's own count: %s", seen, server)


def commits_are_counted_across_a_restart(suite, rig):
    cluster, store = rig.clusters[0], rig.control.stores[0]
    primary = cluster.member("PRIMARY")
    wait_for_points(store, primary, now_ms())
    since = store.series(primary["id"], "TRANSACTIONS_COMMITTED")[-1][0]
    bench(rig, primary, 2000)
    primary["restartNonce"] += 1
    rig.publish()
    timed(rig, suite, lambda: cluster.seen(primary).get("restartNonce") == primary["restartNonce"], "PostgreSQL was restarted", 120)
    wait_until(lambda: cluster.seen(primary).get("role") == "PRIMARY", "the primary is back", 120)
    bench(rig, primary, 2000)
    wait_for_points(store, primary, now_ms() + 1000, 90)
    seen = store.rise(primary["id"], "TRANSACTIONS_COMMITTED", since)
    rig.fleet.say("4000 commits on both sides of a restart: the store has %d" % seen)
    suite.check(4000 <= seen <= 4600, "commits on both sides of a restart: %s", seen)


def nothing_is_lost_while_nobody_takes_it(suite, rig):
    """Both stores away for a minute, and the agent killed in the middle."""
    primary, (first, second) = rig.clusters[0].member("PRIMARY"), rig.control.stores
    wait_for_points(first, primary, now_ms())
    since = first.series(primary["id"], "TRANSACTIONS_COMMITTED")[-1][0]
    first.answers = second.answers = False
    bench(rig, primary, 1000)
    time.sleep(25)
    hosts.run(rig.fleet, primary["host"], "systemctl", "kill", "-s", "KILL", "reeve-agent.service")
    bench(rig, primary, 1000)
    time.sleep(25)
    first.answers = True
    wait_for_points(first, primary, now_ms(), 120)
    suite.check(not any(at > since + 30000 for at, _ in second.series(primary["id"], "CONNECTIONS")), "a store that is away holds up nobody")
    second.answers = True
    wait_for_points(second, primary, now_ms(), 120)
    for store in (first, second):
        times = [at for at, _ in store.series(primary["id"], "CONNECTIONS") if at >= since]
        gaps = [after - before for before, after in zip(times, times[1:])]
        seen = store.rise(primary["id"], "TRANSACTIONS_COMMITTED", since)
        suite.check(max(gaps) < 35000 and sum(gap > 15000 for gap in gaps) <= 1, "no gap but where the agent was killed: %s", gaps)
        suite.check(2000 <= seen <= 2500, "2000 commits while nobody took anything: %s", seen)


def a_store_that_was_killed_gets_again_what_it_lost(suite, rig):
    primary, (first, second) = rig.clusters[0].member("PRIMARY"), rig.control.stores
    time.sleep(75)
    with rig.control.changed:
        lost = second.crash(30)
    suite.check(lost > 0, "it lost %s values", lost)
    since = now_ms()
    wait_for_points(second, primary, since + 15000, 120)
    missing = [key for key in first.points.copy() if key[4] < since and key not in second.points]
    suite.check(not missing, "both have the same again: %s are missing", len(missing))


def a_member_that_hangs_delays_no_other(suite, rig):
    """Its server is stopped, so that it accepts and answers nobody."""
    store, stuck = rig.control.stores[0], Cluster(rig, ["h1"])
    rig.clusters.append(stuck)
    rig.publish()
    timed(rig, suite, lambda: "PRIMARY" in stuck.roles(), "another cluster on the host", 180)
    member = stuck.members[0]
    timed(rig, suite, lambda: store.series(member["id"], "CONNECTIONS"), "it is measured", 90, 0.5)
    on_host = next(m for m in rig.clusters[0].members if m["host"] == "h1")
    hosts.run(rig.fleet, "h1", "systemctl", "kill", "-s", "STOP", "reeve-member-%s.service" % member["id"])
    began = now_ms()
    time.sleep(45)
    hosts.run(rig.fleet, "h1", "systemctl", "kill", "-s", "CONT", "reeve-member-%s.service" % member["id"])
    times = [at for at, _ in store.series(on_host["id"], "CONNECTIONS") if at >= began]
    gaps = [after - before for before, after in zip(times, times[1:])]
    suite.check(len(times) >= 3 and max(gaps) < 15000, "the other one is measured every ten seconds: %s", gaps)
    suite.check(not any(began + 5000 < at < began + 40000 for at, _ in store.series(member["id"], "CONNECTIONS")), "and the stuck one is not")
    timed(rig, suite, lambda: any(at > now_ms() - 15000 for at, _ in store.series(member["id"], "CONNECTIONS")), "it is measured again", 120, 0.5)


def ticks(rig, host, process):
    """Processor time of a process in seconds, and its private memory in KB."""
    fields = hosts.run(rig.fleet, host, "cat", "/proc/%s/stat" % process).rpartition(")")[2].split()
    memory = hosts.run(rig.fleet, host, "cat", "/proc/%s/smaps_rollup" % process)
    private = sum(int(line.split()[1]) for line in memory.splitlines() if line.startswith("Private_"))
    return (int(fields[11]) + int(fields[12])) / 100, private


def it_costs_little(suite, rig):
    primary, store = rig.clusters[0].member("PRIMARY"), rig.control.stores[0]
    agent = hosts.run(rig.fleet, primary["host"], "systemctl", "show", "-P", "MainPID", "reeve-agent.service").strip()
    backend = rig.inside(primary, "SELECT pid FROM pg_stat_activity WHERE application_name = 'reeve-monitor'")
    rig.control.stores = []  # and what the agent does without measuring
    timed(rig, suite, lambda: rig.inside(primary, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reeve_monitor'") == "0", "measuring ends", 90, 0.5)
    quiet_before, _ = ticks(rig, primary["host"], agent)
    time.sleep(120)
    quiet_after, quiet_memory = ticks(rig, primary["host"], agent)
    rig.control.stores = [store, Store()]
    wait_for_points(store, primary, now_ms(), 150)
    backend = rig.inside(primary, "SELECT pid FROM pg_stat_activity WHERE application_name = 'reeve-monitor'")
    busy_before, _ = ticks(rig, primary["host"], agent)
    backend_before, _ = ticks(rig, primary["host"], backend)
    time.sleep(120)
    busy_after, busy_memory = ticks(rig, primary["host"], agent)
    backend_after, backend_memory = ticks(rig, primary["host"], backend)
    measuring = ((busy_after - busy_before) - (quiet_after - quiet_before) + backend_after - backend_before) / 120 * 100
    rig.fleet.say("agent without measuring %.2f%% of a core, %d KB; with %.2f%%, %d KB; the session in the server %.2f%%, %d KB; measuring costs %.2f%%" % (
        (quiet_after - quiet_before) / 1.2, quiet_memory, (busy_after - busy_before) / 1.2, busy_memory, (backend_after - backend_before) / 1.2, backend_memory,
        measuring))
    members = len([m for c in rig.clusters for m in c.members if m["host"] == primary["host"]])
    suite.check(measuring <= 1.0 * members, "at most 1%% of a core a member: %s", measuring)
    suite.check(backend_memory + max(busy_memory - quiet_memory, 0) <= 20 * 1024 * members, "at most 20 MB a member: %s KB", backend_memory)


TESTS_IN_ORDER = [a_cluster_runs, without_a_store_nothing_is_measured, with_stores_members_are_measured, commits_are_counted,
                  commits_are_counted_across_a_restart, nothing_is_lost_while_nobody_takes_it, a_store_that_was_killed_gets_again_what_it_lost,
                  a_member_that_hangs_delays_no_other, it_costs_little]


def main():
    suite = Suite("monitor_agent")
    ends_on_signal()
    folder = tempfile.mkdtemp(prefix="reeve-monitor-", dir="/tmp")
    os.chmod(folder, 0o755)
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--hosts", type=int, default=2, help="one is enough for everything but replicas")
    arguments.add_argument("tests", nargs="*")
    given = arguments.parse_args()
    rig, chosen = Rig(folder, given.hosts), given.tests
    try:
        rig.up()
        for test in TESTS_IN_ORDER:
            if not chosen or test.__name__ in chosen or test in TESTS_IN_ORDER[:3]:
                print("# " + test.__name__, file=sys.stderr, flush=True)
                test(suite, rig)
    except Problem as problem:
        suite.check(False, "%s", problem)
    finally:
        if os.environ.get("REEVE_KEEP"):
            print("kept: %s" % folder, file=sys.stderr)
            rig.control and rig.control.stop()
        else:
            rig.down()
            shutil.rmtree(folder, ignore_errors=True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
