#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What one cluster costs its etcd, at rest and under writes, and what a group carries from that.

    test/cluster/etcd_load_test.py [--seconds N] [--report FILE]

Figures are etcd's own counters (/metrics of each server), as differences over the time with one cluster more.
"""
import argparse
import subprocess
import sys
import threading
import time

import rig
from tenant import Tenant, wait_psql

import network  # noqa: E402
from state import ETCD, Problem  # noqa: E402
from suite import Suite  # noqa: E402

REQUESTS = "grpc_server_handled_total"
COUNTERS = {"bytes in/s": "etcd_network_client_grpc_received_bytes_total", "bytes out/s": "etcd_network_client_grpc_sent_bytes_total",
            "syncs to disk/s": "etcd_disk_wal_fsync_duration_seconds_count", "CPU (cores)": "process_cpu_seconds_total"}
WATCHERS = "etcd_debugging_mvcc_watcher_total"
# `etcdctl check perf --load=m` of three servers on one shared machine: a lower bound for machines of their own.
WRITES_A_GROUP_TAKES = 691


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--report", metavar="FILE")
    options = parser.parse_args()
    suite = Suite("etcd load")
    try:
        with rig.fleet_for(3) as fleet:
            lines = run(suite, fleet, options.seconds)
        for line in lines:
            suite.say(line)
        rig.write_report(options.report, "What a cluster costs its etcd", lines)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


def metrics(fleet):
    """Sums over the servers, by name and, for requests, by method."""
    sums = {}
    for name, address in ETCD.items():
        tls = fleet.path("tls", name)
        command = network.command(fleet, "control", ["curl", "-sS", "--cacert", fleet.path("tls/authority.pem"), "--cert", tls + "/certificate.pem",
                                                     "--key", tls + "/key.pem", "https://%s:2379/metrics" % address])
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            if line.startswith("#") or not line:
                continue
            key, value = line.rsplit(" ", 1)
            label = key.split("{")[0]
            if label == REQUESTS:
                method = key.split('grpc_method="')[1].split('"')[0]
                label = REQUESTS + " " + method
            sums[label] = sums.get(label, 0.0) + float(value)
    return sums


def rates(fleet, seconds):
    before, began = metrics(fleet), time.monotonic()
    time.sleep(seconds)
    after, took = metrics(fleet), time.monotonic() - began
    found = {name: (after.get(key, 0) - before.get(key, 0)) / took for name, key in COUNTERS.items()}
    for key in after:
        if key.startswith(REQUESTS):
            found[key[len(REQUESTS) + 1:] + "/s"] = (after[key] - before.get(key, 0)) / took
    found["requests/s"] = sum(value for name, value in found.items() if name[0].isupper() and name != "CPU (cores)")
    found["watchers"] = after.get(WATCHERS, 0)
    return found


def run(suite, fleet, seconds):
    empty = rates(fleet, seconds // 2)
    tenant = Tenant(fleet)
    tenant.create_project()
    password = tenant.create_user("app")
    tenant.allow("10.78.0.0/16")
    tenant.create_cluster("loaded")
    document = tenant.wait_idle("loaded")
    dsn = tenant.dsn(document, "app", password)
    wait_psql(fleet, dsn, "CREATE TABLE IF NOT EXISTS n (i bigserial, t text)", 60)
    rig.wait_full_strength(fleet, "loaded", 3, 60)
    time.sleep(10)
    rest = rates(fleet, seconds)
    stop, done = threading.Event(), [0]

    def write():
        while not stop.is_set():
            wait_psql(fleet, dsn, "INSERT INTO n (t) SELECT repeat('x', 1000) FROM generate_series(1, 1000)", 30)
            done[0] += 1000
    thread = threading.Thread(target=write)
    thread.start()
    writes = rates(fleet, seconds)
    stop.set()
    thread.join()
    suite.check(rest["requests/s"] > empty["requests/s"], "a cluster at rest asks its etcd for nothing")
    return lines_of(empty, rest, writes, seconds, done[0] / seconds)


def lines_of(empty, rest, writes, seconds, rows):
    names = ["requests/s", *sorted(name for name in rest if name[0].isupper() and name != "CPU (cores)" and max(rest[name], writes[name]) >= 0.01),
             *COUNTERS, "watchers"]
    lines = ["One cluster of three members, Patroni with `loop_wait` 5; three servers of etcd, sums over the servers, %d s each. \"under writes\" is %.0f rows of 1 KB"
             " a second." % (seconds, rows), "", "| | no cluster | at rest | under writes |", "|---|---|---|---|"]
    lines += ["| %s | %s |" % (name, " | ".join("%.4g" % column.get(name, 0) for column in (empty, rest, writes))) for name in names]
    own = writes["requests/s"] - empty["requests/s"]
    puts = sum(writes.get(name, 0) - empty.get(name, 0) for name in ("Txn/s", "Put/s", "LeaseGrant/s", "DeleteRange/s"))
    lines += ["", "What writes a cluster makes in etcd: %.2f a second (transactions, puts, leases), of %.2f requests. How much tenants write does not matter, only that they do: each member tells its position in the log"
              " once a loop." % (puts, own),
              "", "A group of three servers on one shared machine took %d writes a second (`etcdctl check perf --load=m`). At a tenth of that, so that elections of many clusters at once"
              " find room, it carries **%d clusters**; the processor time above bounds it at **%d clusters** a core of the three servers together." % (
                  WRITES_A_GROUP_TAKES, WRITES_A_GROUP_TAKES * 0.1 / max(puts, 0.01), 1 / max(writes["CPU (cores)"] - empty["CPU (cores)"], 0.0001)),
              "", rig.machine() + "."]
    return lines


if __name__ == "__main__":
    sys.exit(main())
