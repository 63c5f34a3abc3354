#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measurements of single tables, on real members: known counts of reads and writes are the sums of what the API answers at every granularity, on the primary and on the
replica; a quiet table has measurements when it is pinned, and none otherwise; a table may be called anything.

Usage: table_statistics_test.py
"""
import contextlib
import subprocess
import sys
import time
from datetime import datetime
from urllib.parse import quote

import rig
from tenant import Tenant

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER, DATABASE = "tables", "truth"
ODD = 'sales."o\'d\nd, ""x"".y"'  # as the API writes it; in SQL its quotes mean the same
PERIODS = {"PT2H": ("PT1M", 60), "P7D": ("PT5M", 300), "P30D": ("PT1H", 3600), "P100D": ("P1D", 86400)}
ROUND_S = 60
PATIENCE_S = 300
INSERTS, UPDATES, DELETES, SELECTS, REPLICA_SELECTS = 500, 70, 30, 40, 25
METRICS = ("READS_OPS", "WRITES_OPS", "TOTAL_OPS")


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Tables:
    """What the API says about tables of the cluster."""

    def __init__(self, tenant, primary, replica):
        self.tenant = tenant
        ids = [one["id"] for one in tenant.ask("GET", tenant.of_project("/processes"))["results"]]
        self.process, self.replica = (next(one for one in ids if one.startswith(member.name + ".")) for member in (primary, replica))

    def pinned(self, method, names=None, word="pinned"):
        body = () if names is None else ({"namespaces": names},)
        return self.tenant.ask(method, self.tenant.of_project("/clusters/%s/collStats/%s" % (CLUSTER, word)), *body)["pinnedNamespaces"]

    def answer(self, table, period, where="", expect=(200,)):
        is_view = where in ("PRIMARY", "SECONDARY", "INDIVIDUAL_PROCESS")
        place = "/clusters/%s/%s" % (CLUSTER, where) if is_view else "/processes/" + quote(where or self.process, safe=":")
        return self.tenant.ask("GET", self.tenant.of_project("%s/%s/%s/collStats/measurements?period=%s" % (place, DATABASE, quote(table, safe=""), period)), expect=expect)

    def totals(self, table, period, where=""):
        """What each metric counted, added up over steps; of several servers separately."""
        answer, found = self.answer(table, period, where), {}
        granularity, step = PERIODS[period]
        if answer["granularity"] != granularity:
            raise Problem("%s of %s" % (answer["granularity"], period))
        for series in answer["measurements"]:
            found[series["name"], series.get("processId")] = sum(
                point["value"] * (min(moment(point["timestamp"]) + step, moment(answer["end"])) - moment(point["timestamp"]))
                for point in series["dataPoints"] if point["value"] is not None)
        return found

    def reads_and_writes(self, table, period, where=""):
        found = self.totals(table, period, where)
        return tuple(round(found[metric, None], 3) for metric in METRICS)

    def values_after(self, table, since):
        points = self.answer(table, "PT2H")["measurements"][0]["dataPoints"]
        return [point["value"] for point in points if moment(point["timestamp"]) >= since and point["value"] is not None]


def run_sql(fleet, member, statement):
    """In a session of its own: it tells its counts when it ends."""
    return hosts.run(fleet, member.host, "psql", "-X", "-q", "-At", "-U", "postgres", "-h", "/var/lib/reeve/members/%s/run" % member.id, "-p", "5432", "-d", DATABASE,
                     "-v", "ON_ERROR_STOP=1", "-c", statement, timeout=60)


def select_times(fleet, member, table, times):
    run_sql(fleet, member, "DO $$ BEGIN FOR i IN 1..%d LOOP PERFORM count(*) FROM %s; END LOOP; END $$" % (times, table))


def prepare(fleet, primary):
    rig.superuser(fleet, primary, "CREATE DATABASE " + DATABASE)
    run_sql(fleet, primary, "CREATE SCHEMA sales; CREATE TABLE busy (id int, t text) WITH (autovacuum_enabled = off); CREATE TABLE quiet (id int) WITH (autovacuum_enabled = off); "
                            "CREATE TABLE silent (id int); CREATE TABLE %s (id int) WITH (autovacuum_enabled = off)" % ODD)


def a_quiet_table_is_measured_when_it_is_pinned(suite, tables):
    suite.equal(tables.answer("quiet", "PT2H", expect=(404,))["errorCode"], "RESOURCE_NOT_FOUND", "a quiet table that is not pinned")
    suite.equal(tables.pinned("PUT", ["%s.quiet" % DATABASE]), ["%s.quiet" % DATABASE], "pinned")
    began = time.time()
    wait_until(lambda: len(tables.values_after("quiet", began)) >= 2, "measurements of the quiet table", PATIENCE_S, every=2)
    suite.equal(set(tables.values_after("quiet", began)), {0}, "it did nothing")
    suite.equal(tables.answer("silent", "PT2H", expect=(404,))["errorCode"], "RESOURCE_NOT_FOUND", "another quiet table, which is not pinned")
    suite.say("a quiet table was measured %.0f s after it was pinned" % (time.time() - began))


def counts_are_true(suite, fleet, tables, primary, replica):
    run_sql(fleet, primary, "DO $$ BEGIN FOR i IN 1..%d LOOP INSERT INTO busy VALUES (i); END LOOP; END $$" % INSERTS)
    run_sql(fleet, primary, "UPDATE busy SET t = 'x' WHERE id <= %d; DELETE FROM busy WHERE id <= %d" % (UPDATES, DELETES))
    select_times(fleet, primary, "busy", SELECTS)
    run_sql(fleet, primary, "INSERT INTO %s SELECT generate_series(1, 9)" % ODD)
    select_times(fleet, replica, "busy", REPLICA_SELECTS)
    reads, writes = SELECTS + 2, INSERTS + UPDATES + DELETES
    wanted, of_replica = (float(reads), float(writes), float(reads + writes)), (float(REPLICA_SELECTS), 0.0, float(REPLICA_SELECTS))
    says = run_sql(fleet, primary, "SELECT seq_scan || ' ' || n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE relname = 'busy'").split()
    suite.equal([int(word) for word in says], [reads, writes], "what the server itself says")
    with contextlib.suppress(Problem):
        wait_until(lambda: known(tables, "busy") == wanted and known(tables, "busy", tables.replica) == of_replica, "the counts", PATIENCE_S, every=2)
    for period, (granularity, _) in PERIODS.items():
        suite.equal(tables.reads_and_writes("busy", period), wanted, "%s: reads, writes and both of the primary" % granularity)
        suite.equal(tables.reads_and_writes("busy", period, "PRIMARY"), wanted, "%s: the same as a view of the cluster" % granularity)
        suite.equal(tables.reads_and_writes("busy", period, "SECONDARY"), of_replica, "%s: of the replica" % granularity)
        each = tables.totals("busy", period, "INDIVIDUAL_PROCESS")
        suite.equal([round(each["READS_OPS", one], 3) for one in (tables.process, tables.replica)], [wanted[0], of_replica[0]], "%s: each by itself" % granularity)
        suite.equal(tables.reads_and_writes(ODD, period), (0.0, 9.0, 9.0), "%s: a table with an odd name" % granularity)
    suite.say("%d reads and %d writes on the primary, %d reads on the replica: the sums at %s say the same" % (
        reads, writes, REPLICA_SELECTS, ", ".join(granularity for granularity, _ in PERIODS.values())))


def known(tables, table, where=""):
    with contextlib.suppress(Problem):
        return tables.reads_and_writes(table, "PT2H", where)
    return None


def the_busiest_are_ranked(suite, tables):
    names = [DATABASE + ".busy", DATABASE + "." + ODD, DATABASE + ".quiet"]
    for place in ("/processes/" + quote(tables.process, safe=":"), "/clusters/%s/PRIMARY" % CLUSTER):
        for period in PERIODS:
            answer = tables.tenant.ask("GET", tables.tenant.of_project("%s/collStats/namespaces?period=%s" % (place, period)))
            suite.equal(answer["rankedNamespaces"], names, "ranks of %s, %s" % (place.split("/")[1], period))


def an_unpinned_one_is_not_measured_any_more(suite, tables):
    suite.equal(tables.pinned("PATCH", [DATABASE + ".quiet"], "unpin"), [], "unpinned")
    since = time.time() + 2 * ROUND_S
    time.sleep(2 * ROUND_S + 90)  # that nothing comes can only be waited for
    suite.equal(tables.values_after("quiet", since), [], "values after it was unpinned")


def pins_count_on_every_server(suite, tables):
    """Pins are of the cluster: whichever server is asked has the table."""
    tables.pinned("PATCH", [DATABASE + ".quiet"])
    wait_until(lambda: has_values(tables, tables.replica), "the quiet table on the replica", PATIENCE_S, every=2)
    suite.check(has_values(tables, tables.replica), "the quiet table is measured on the replica, too")
    tables.pinned("PATCH", [DATABASE + ".quiet"], "unpin")


def has_values(tables, where):
    with contextlib.suppress(Problem):
        return any(point["value"] is not None for point in tables.answer("quiet", "PT2H", where)["measurements"][0]["dataPoints"])
    return False


def run(suite, fleet):
    tenant = Tenant(fleet)
    tenant.create_project()
    tenant.create_cluster(CLUSTER, regions={fleet.regions[0]: 2})
    tenant.wait_idle(CLUSTER, 300)
    primary = rig.primary_of(fleet, CLUSTER)
    replica = next(one for one in rig.members(fleet, CLUSTER) if one.id != primary.id)
    tables = Tables(tenant, primary, replica)
    prepare(fleet, primary)
    a_quiet_table_is_measured_when_it_is_pinned(suite, tables)
    counts_are_true(suite, fleet, tables, primary, replica)
    the_busiest_are_ranked(suite, tables)
    pins_count_on_every_server(suite, tables)
    an_unpinned_one_is_not_measured_any_more(suite, tables)
    tenant.delete_cluster(CLUSTER)
    tenant.wait_gone(CLUSTER)


def main():
    suite = Suite("table statistics")
    with rig.fleet_for(host_count=2, zones=2) as fleet:
        try:
            run(suite, fleet)
        except subprocess.CalledProcessError as why:
            raise Problem("%s: %s" % (why, why.stderr)) from why
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
