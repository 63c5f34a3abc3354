#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The control plane is gone while a client works: databases do not notice, a failover happens without it, and when it is
back the fleet is as it should be within a minute.

    test/cluster/control_plane_gone_test.py [--minutes N] [--report FILE]

Gone means all of it: API, workers, its PostgreSQL, Redis and DNS. etcd is not part of it: it belongs to the data plane.
"""
import argparse
import random
import signal
import sys
import time

import rig
from ledger import TABLES, Writer, lost
from tenant import Tenant, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import process  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "alone"
RECONCILED_S = 60
DATABASE = ["postgres", "redis"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--report", metavar="FILE")
    options = parser.parse_args()
    suite = Suite("control plane gone")
    try:
        with rig.fleet_for(3) as fleet:
            lines = run(suite, fleet, options.minutes * 60)
        for line in lines:
            suite.say(line)
        rig.write_report(options.report, "The control plane gone for %g minutes" % options.minutes, ["- " + line for line in lines])
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


def run(suite, fleet, seconds):
    tenant = Tenant(fleet)
    tenant.create_project()
    password = tenant.create_user("app")
    tenant.allow("10.78.0.0/16")
    tenant.create_cluster(CLUSTER)
    document = tenant.wait_idle(CLUSTER)
    # Names are the control plane's: a client that connects anew while it is gone needs what its resolver remembers.
    addresses = {member.name: member.address for member in rig.members(fleet, CLUSTER)}
    dsn = tenant.dsn(document, "app", password, hostaddr=",".join(addresses.values()))
    wait_psql(fleet, dsn, TABLES, 30)
    rig.wait_full_strength(fleet, CLUSTER, 3, 60)
    writer = Writer(fleet, dsn)
    try:
        return gone_and_back(suite, fleet, tenant, writer, dsn, seconds)
    finally:
        writer.stop()


def gone_and_back(suite, fleet, tenant, writer, dsn, seconds):
    primary = rig.primary_of(fleet, CLUSTER)
    began = time.time()
    for name in [*control.REEVE, *DATABASE, "pdns"]:
        process.stop(fleet, name, signal.SIGQUIT if name == "postgres" else signal.SIGTERM)
    time.sleep(max(seconds / 2 + random.uniform(-5, 5), 5))

    fault = time.time()
    failures_before = [row for row in writer.lines() if row[0] == "err" and began <= row[2] < fault]
    suite.check(not failures_before, "%d queries failed while the control plane was gone: %s", len(failures_before), failures_before[:1])
    hosts.kill(fleet, primary.host)
    outage, _ = writer.wait_write_after(fault + 0.5, 90)
    recovered = fault + 0.5 + outage
    suite.check(recovered - fault <= 30, "without a control plane a new primary took %.1f s", recovered - fault)
    hosts.start(fleet, primary.host)
    hosts.wait_booted(fleet, primary.host)
    time.sleep(max(began + seconds - time.time(), 20))
    failures_after = [row for row in writer.lines() if row[0] == "err" and row[2] > recovered + 1]
    suite.check(not failures_after, "%d queries failed after the failover: %s", len(failures_after), failures_after[:1])

    away = time.time() - began
    for name in DATABASE:
        process.again(fleet, name)
    control.wait_postgres(fleet)
    process.again(fleet, "pdns")
    back = time.time()
    rig.start_control_plane(fleet)
    wait_until(lambda: known_again(fleet, back), "the control plane knows what is", 120, every=0.3)
    reconciled = time.time() - back
    suite.check(reconciled <= RECONCILED_S, "reconciled after %.1f s", reconciled)
    # And it can change things again.
    changed = time.time()
    tenant.allow("10.79.0.0/16")
    wait_until(lambda: tenant.access_status("10.79.0.0/16") == "ACTIVE", "a change is in force", 60, every=0.1)
    change_took = time.time() - changed

    writer.stop()
    missing = lost(writer, map(int, wait_psql(fleet, dsn, "SELECT number FROM ledger", 30).split()))
    suite.check(not missing, "%d acknowledged writes are lost", len(missing))
    queries = [row for row in writer.lines() if began <= row[2] <= began + away]
    return [rig.machine(),
            "the control plane was gone for %.0f s: API, workers, PostgreSQL, Redis and DNS" % away,
            "queries meanwhile: %d acknowledged; failed apart from the failover: %d" % (
                sum(row[0] == "ack" for row in queries), len(failures_before) + len(failures_after)),
            "the primary's host lost its power meanwhile: the next write was acknowledged after %.1f s" % (recovered - fault),
            "every member was known as it is %.1f s after the control plane was started again" % reconciled,
            "a change of the access list was in force on all members after %.2f s" % change_took,
            "acknowledged writes lost: %d of %d" % (len(missing), len(writer.acknowledged()))]


def known_again(fleet, since):
    """Every member was reported since, and what was reported is what is."""
    rows = control.superuser(fleet, "SELECT count(*) FROM cluster_member WHERE reported_at > to_timestamp(%.3f)" % since)
    return int(rows[0][0]) == 3 and rig.at_full_strength(fleet, CLUSTER, 3)


if __name__ == "__main__":
    sys.exit(main())
