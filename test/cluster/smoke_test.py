#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The life of a cluster on real hosts, once: made through the API, used with psql, its primary's host killed, deleted;
nothing is left behind. Short enough for every change."""
import secrets
import sys
import time

import rig
from ledger import TABLES, Writer, lost
from tenant import DATABASE, Tenant, client_address, psql, start_psql, wait_psql

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "smoke"
ASLEEP = "asleep"
FIRST_WRITE_S = 20
REPORT_S = 120


def other_strings(suite, fleet, tenant, document, password):
    """One leads to a replica; those of private addresses are there when the project asks for them, and members have certificates for their names."""
    where = "SELECT pg_is_in_recovery()"
    suite.equal(psql(fleet, tenant.dsn(document, "app", password, "readOnly"), where)[:2], (0, "t"), "the string for reading leads to a replica")
    suite.check("private" not in document["connectionStrings"], "private strings that nobody asked for: %s", document["connectionStrings"])
    tenant.ask("PATCH", tenant.of_project("/providerCustomDNS"), {"enabled": True})
    document = tenant.cluster(CLUSTER)
    for kind, answer in (("private", "f"), ("privateReadOnly", "t")):
        suite.equal(psql(fleet, tenant.dsn(document, "app", password, kind), where), (0, answer, ""), "where the string %s leads" % kind)


def for_analytics(suite, fleet, tenant, document, password):
    """The other member of a cluster is for analytics: only the string for that leads to it, and it waits for what runs on it."""
    ask = lambda kind, what: wait_psql(fleet, tenant.dsn(document, "app", password, kind), "SELECT pg_is_in_recovery(), " + what, 30)  # noqa: E731
    suite.equal(ask("analytics", "current_setting('max_standby_streaming_delay'), count(*) FROM awake"), "t|1h|0", "where the string for analytics leads")
    suite.equal([ask(kind, "1") for kind in ("standard", "readOnly")], ["f|1", "f|1"], "where the others lead: the only other member")
    member = next(one for one in rig.members(fleet, ASLEEP) if one.role != "PRIMARY")
    tags = hosts.run(fleet, member.host, "sh", "-c", "sed 's/.*\"tags\"://' /var/lib/reeve/members/%s/patroni.yml" % member.id)
    suite.check('"noloadbalance":' in tags and '"nofailover":' in tags, "what Patroni knows of it: %s", tags)


def revoked_while_a_report_runs(suite, fleet, tenant, document, password):
    """A report keeps what is new from a member for analytics, but not for long that somebody's old password is none any more."""
    on_report, on_primary = (tenant.dsn(document, "app", password, kind) for kind in ("analytics", "standard"))
    old = tenant.dsn(document, "reader", tenant.create_user("reader"), "analytics")
    wait_psql(fleet, old, "SELECT 1", 30)
    report = start_psql(fleet, on_report, "BEGIN; TABLE awake; SELECT pg_sleep(%d)" % REPORT_S)
    time.sleep(2)
    suite.equal(psql(fleet, on_primary, "ALTER TABLE awake ADD COLUMN number int")[0], 0, "a change that the report is in the way of")
    began, new = time.monotonic(), secrets.token_urlsafe(16)
    tenant.ask("PATCH", tenant.of_project("/databaseUsers/admin/reader"), {"password": new})
    time.sleep(5)
    suite.equal(report.poll(), None, "the report, when only moments have passed")
    wait_until(lambda: psql(fleet, old, "SELECT 1")[0] == 2, "the old password is refused there", REPORT_S, every=0.5)
    suite.check(time.monotonic() - began < REPORT_S / 2, "that took %.0f s, and the report takes %d s", time.monotonic() - began, REPORT_S)
    suite.check("terminat" in report.communicate(timeout=REPORT_S)[1], "how the report ended")
    wait_psql(fleet, tenant.dsn(document, "reader", new, "analytics"), "SELECT number FROM awake", 30)
    tenant.ask("DELETE", tenant.of_project("/databaseUsers/admin/reader"))


def begins_paused(suite, fleet, tenant, password):
    """A cluster that is created paused has nobody who answers; as soon as it is resumed it takes writes."""
    tenant.create_cluster(ASLEEP, regions={fleet.regions[0]: 1}, analytics=1, paused=True)
    document = tenant.wait_idle(ASLEEP, 120)
    suite.equal((document["paused"], document["stateName"]), (True, "IDLE"), "a cluster that begins paused")
    dsn = tenant.dsn(document, "app", password)
    status, _, error = psql(fleet, dsn, "SELECT 1")
    suite.check(status == 2 and "refused" in error, "its server: %s %s", status, error)
    tenant.ask("PATCH", tenant.of_project("/clusters/" + ASLEEP), {"paused": False})
    tenant.wait_idle(ASLEEP, 60)
    suite.equal(wait_psql(fleet, dsn, "CREATE TABLE awake (); SELECT count(*) FROM awake", 30), "0", "rows in a table that was made after it")
    document = tenant.cluster(ASLEEP)
    for_analytics(suite, fleet, tenant, document, password)
    revoked_while_a_report_runs(suite, fleet, tenant, document, password)
    tenant.delete_cluster(ASLEEP)
    tenant.wait_gone(ASLEEP, 90)


def life_of_a_cluster(suite, fleet):
    tenant = Tenant(fleet)
    tenant.create_project()
    password = password_of_app = tenant.create_user("app")
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
    other_strings(suite, fleet, tenant, document, password_of_app)
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

    begins_paused(suite, fleet, tenant, password_of_app)
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
