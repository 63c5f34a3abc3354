#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The life of a cluster on real hosts, once: made through the API, used with psql, its primary's host killed, deleted;
nothing is left behind. Short enough for every change."""
import sys
import time

import rig
from ledger import TABLES, Writer, lost
from tenant import DATABASE, Tenant, client_address, psql, wait_psql

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "smoke"
FIRST_WRITE_S = 20


def life_of_a_cluster(suite, fleet):
    tenant = Tenant(fleet)
    tenant.create_project()
    password = tenant.create_user("app")
    tenant.allow(client_address())

    began = time.monotonic()
    tenant.create_cluster(CLUSTER)
    document = tenant.wait_idle(CLUSTER, 120, lambda step: suite.say("%5.1f s  %s" % (time.monotonic() - began, step["name"])))
    dsn = tenant.dsn(document, "app", password)
    wait_psql(fleet, dsn, TABLES + "INSERT INTO ledger VALUES (0);", 30)
    rig.judge_time(suite, time.monotonic() - began, FIRST_WRITE_S, "from the POST to the first acknowledged write")
    status, output, error = psql(fleet, dsn, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    suite.check((status, output) == (0, "t"), "the connection string works as it is, with verify-full: %s %s", output, error)

    tenant.ask("POST", tenant.of_project("/clusters/%s/index" % CLUSTER),
               {"db": DATABASE, "collection": "ledger", "keys": [{"at": -1}], "options": {"name": "by_moment"}})
    tenant.wait_idle(CLUSTER, 60)
    suite.equal(psql(fleet, dsn, "SELECT indexdef LIKE '%(at DESC)' FROM pg_indexes WHERE indexname = 'by_moment'")[1], "t", "the index that was asked for")

    tenant.ask("POST", tenant.of_project("/sampleDatasetLoad/" + CLUSTER))
    tenant.wait_idle(CLUSTER, 60)
    password = tenant.create_user("analyst", [{"roleName": "read", "databaseName": "sample_shop"}])
    sample = tenant.dsn(document, "analyst", password).replace("/%s?" % DATABASE, "/sample_shop?")
    rows = wait_psql(fleet, sample, "SELECT (SELECT count(*) FROM customer), (SELECT count(*) FROM product), (SELECT count(*) FROM purchase), "
                     "(SELECT count(*) FROM purchase_line)", 30)
    suite.equal(rows, "2000|200|10000|29837", "rows of the sample data")

    rig.wait_full_strength(fleet, CLUSTER, 3, 60)
    suite.equal(len({member.host for member in rig.members(fleet, CLUSTER)}), 3, "hosts that members are on")
    writer = Writer(fleet, dsn)
    try:
        primary = rig.primary_of(fleet, CLUSTER)
        fault = time.time()
        hosts.kill(fleet, primary.host)
        writer.wait_write_after(fault + 0.5, 90)
        outage = writer.longest_pause(fault, time.time())
        suite.check(outage <= 30, "after the power-off of the primary's host no write for %.1f s", outage)
        hosts.start(fleet, primary.host)
        rig.wait_full_strength(fleet, CLUSTER, 3, 90)
        suite.say("power-off of the primary's host: %.1f s without a write, full strength after %.1f s" % (outage, time.time() - fault))
    finally:
        writer.stop()
    missing = lost(writer, map(int, wait_psql(fleet, dsn, "SELECT number FROM ledger", 30).split()))
    suite.check(not missing, "%d acknowledged writes are lost", len(missing))

    began = time.monotonic()
    tenant.delete_cluster(CLUSTER)
    tenant.wait_gone(CLUSTER, 90)
    suite.say("deleted after %.1f s" % (time.monotonic() - began))
    try:
        wait_until(lambda: not rig.left_behind(fleet), "nothing is left behind", 15, every=0.5)
    except Problem:
        pass
    suite.equal(rig.left_behind(fleet), [], "what is left behind")


def main():
    suite = Suite("cluster smoke")
    try:
        with rig.fleet_for(3) as fleet:
            life_of_a_cluster(suite, fleet)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
