#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What sessions do is in the log of the server they did it on, as the project's filter says, and not any more when it is
switched off. A cluster that was made before its servers loaded what records is restarted for it, member by member."""
import contextlib
import itertools
import json
import sys
import time

import rig
from tenant import Tenant, psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from state import CLIENT, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "audit"
IN_FORCE_S = 10  # Patroni looks at its configuration every five seconds
numbers = itertools.count(1)


class Log:
    """The journals of the members."""

    def __init__(self, fleet):
        self.fleet = fleet

    def of(self, member):
        words = ["journalctl", "-u", "reeve-member-%s" % member.id, "-o", "cat", "--no-pager"]
        return hosts.run(self.fleet, member.host, *words, timeout=20).splitlines()


def dsn_of(member, user, password):
    settings = "host=%s port=5432 dbname=shop user=%s password=%s sslmode=require connect_timeout=2"
    return settings % (member.address, user, password)


def trace(fleet, log, member, user, password, statement="SELECT count(*) FROM orders"):
    """The lines that a statement leaves in the log of the member it runs on."""
    mark = "mark-%d" % next(numbers)
    status, _, error = psql(fleet, dsn_of(member, user, password), "%s /* %s */" % (statement, mark))
    if status != 0:
        raise Problem("%s: %s" % (statement, error))
    return [line for line in log.of(member) if mark in line and "AUDIT:" in line]


def set_audit(tenant, **settings):
    if "auditFilter" in settings:
        settings["auditFilter"] = json.dumps(settings["auditFilter"]) if settings["auditFilter"] else ""
    return tenant.ask("PATCH", tenant.of_project("/auditLog"), settings)


def wait_in_force(suite, fleet, cluster, what):
    """Until every member has reported that it has taken over what was asked for."""
    began = time.monotonic()
    wait_until(lambda: control.superuser(fleet, """
        SELECT bool_and(m.applied_access >= a.generation) FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
        JOIN project_access a ON a.project_id = c.project_id WHERE c.name = '%s'""" % cluster) == [["t"]], what, 60, every=0.1)
    rig.judge_time(suite, time.monotonic() - began, IN_FORCE_S, what)


def everybody(suite, fleet, tenant, log, passwords):
    members = rig.members(fleet, CLUSTER)
    primary = rig.primary_of(fleet, CLUSTER)
    suite.equal(trace(fleet, log, primary, "app", passwords["app"]), [], "lines of a statement before")
    set_audit(tenant, enabled=True, auditFilter={"classes": ["READ", "DDL"]})
    wait_in_force(suite, fleet, CLUSTER, "recording is in force everywhere")
    for member in members:
        lines = trace(fleet, log, member, "app", passwords["app"])
        suite.equal(len(lines), 1, "lines of a statement on %s" % member.role)
        suite.check(all(word in "".join(lines) for word in ('user="app"', 'database="shop"', "READ,SELECT")), "who did what: %s", lines)
    writing = "INSERT INTO orders VALUES (7)"
    suite.equal(trace(fleet, log, primary, "app", passwords["app"], writing), [], "lines of a class that is not asked for")
    suite.equal(len(trace(fleet, log, primary, "app", passwords["app"], "CREATE TABLE t%d (n int)" % next(numbers))), 1, "lines of DDL")


def some(suite, fleet, tenant, log, passwords):
    primary = rig.primary_of(fleet, CLUSTER)
    set_audit(tenant, auditFilter={"classes": ["READ", "WRITE"], "users": ["other"], "databases": ["shop"]}, auditAuthorizationSuccess=True)
    wait_in_force(suite, fleet, CLUSTER, "a filter with users is in force everywhere")
    suite.equal(trace(fleet, log, primary, "app", passwords["app"]), [], "lines of a user who is not in the filter")
    suite.equal(len(trace(fleet, log, primary, "other", passwords["other"])), 1, "lines of the one who is")
    logins = [line for line in log.of(primary) if "connection authorized: user=other" in line]
    suite.check(len(logins) > 0, "a login is there")
    set_audit(tenant, auditFilter={"users": ["nobody"]}, auditAuthorizationSuccess=False)
    wait_in_force(suite, fleet, CLUSTER, "another filter is in force everywhere")
    suite.equal(trace(fleet, log, primary, "other", passwords["other"]), [], "lines of who was in the filter before")


def secrets_stay_out(suite, fleet, tenant, log):
    set_audit(tenant, enabled=True, auditFilter={"parameters": True, "catalog": True})
    wait_in_force(suite, fleet, CLUSTER, "everything is recorded")
    primary = rig.primary_of(fleet, CLUSTER)
    password = tenant.create_user("late")
    wait_psql(fleet, dsn_of(primary, "late", password), "SELECT 1", 30)
    status, _, error = psql(fleet, dsn_of(primary, "late", password), "ALTER ROLE late PASSWORD 'hunter2hunter2'")
    suite.check(status == 0, "a user changes its password: %s", error)
    text = "\n".join(log.of(primary))
    suite.check("SCRAM-SHA-256$" not in text, "no verifier is in the log")
    suite.check("hunter2" not in text, "no password is in the log")
    time.sleep(6)  # as long as Patroni takes to look again
    own = [line for one in rig.members(fleet, CLUSTER) for line in log.of(one) if "AUDIT:" in line and 'user="postgres"' in line]
    suite.equal(own, [], "lines of the agent's and of Patroni's own work")


def off(suite, fleet, tenant, log, passwords):
    primary = rig.primary_of(fleet, CLUSTER)
    set_audit(tenant, enabled=False)
    wait_in_force(suite, fleet, CLUSTER, "nothing is recorded any more")
    suite.equal(trace(fleet, log, primary, "app", passwords["app"]), [], "lines of a statement afterwards")


def older_cluster(suite, fleet, tenant, log, passwords):
    """As it was before servers loaded the library: its members do not have it, and nobody has said that they should."""
    control.superuser(fleet, """
        UPDATE cluster SET parameters = parameters - 'shared_preload_libraries', goal_generation = goal_generation + 1
        WHERE name = '%s'""" % CLUSTER)
    tenant.allow("203.0.113.77/32")  # any change at all, so that members hear of it
    of_it = "cluster_id = (SELECT id FROM cluster WHERE name = '%s')" % CLUSTER
    wait_until(lambda: control.superuser(fleet, "SELECT bool_and(pending_restart) FROM cluster_member WHERE " + of_it) == [["t"]],
               "all members wait for a restart", 60, every=0.5)
    control.superuser(fleet, "UPDATE cluster_member SET restart_nonce = restart_nonce + 1 WHERE " + of_it)
    loaded = "SHOW shared_preload_libraries"

    def without():
        with contextlib.suppress(Problem):  # while it restarts
            return all("pgaudit" not in str(rig.superuser(fleet, one, loaded)) for one in rig.members(fleet, CLUSTER))
    wait_until(without, "no member has the library", 90, every=1)
    rig.wait_full_strength(fleet, CLUSTER, 3, 90)
    set_audit(tenant, enabled=True, auditFilter={"classes": ["READ"]})
    tenant.wait_idle(CLUSTER, 180)
    suite.equal([rig.superuser(fleet, one, loaded) for one in rig.members(fleet, CLUSTER)], [[["pgaudit,pg_stat_statements"]]] * 3, "members have it")
    wait_in_force(suite, fleet, CLUSTER, "recording is in force after the restarts")
    primary = rig.primary_of(fleet, CLUSTER)
    suite.equal(len(trace(fleet, log, primary, "app", passwords["app"])), 1, "lines of a statement then")


def main():
    suite = Suite("audit on hosts")
    try:
        with rig.fleet_for(3) as fleet:
            tenant, log = Tenant(fleet), Log(fleet)
            tenant.create_project()
            passwords = {name: tenant.create_user(name) for name in ("app", "other")}
            tenant.allow(CLIENT["client"] + "/32")
            tenant.create_cluster(CLUSTER)
            document = tenant.wait_idle(CLUSTER)
            wait_psql(fleet, tenant.dsn(document, "app", passwords["app"]), "CREATE TABLE IF NOT EXISTS orders (n int)", 30)
            rig.wait_full_strength(fleet, CLUSTER, 3, 60)
            everybody(suite, fleet, tenant, log, passwords)
            some(suite, fleet, tenant, log, passwords)
            secrets_stay_out(suite, fleet, tenant, log)
            off(suite, fleet, tenant, log, passwords)
            if "--older" in sys.argv:
                older_cluster(suite, fleet, tenant, log, passwords)
            tenant.delete_cluster(CLUSTER)
            tenant.wait_gone(CLUSTER)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
