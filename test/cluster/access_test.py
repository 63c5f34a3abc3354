#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Who may connect: an address that is not on the list is refused by every member, one that was added gets in within 3 s,
the API says ACTIVE only when that is true everywhere, and a deleted user loses their sessions on every member."""
import sys
import time

import rig
from tenant import Tenant, psql, start_psql, wait_psql

import network  # noqa: E402  (found by rig)
from state import CLIENT, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "access"
IN_FORCE_S = 3
GONE_S = 5
STRANGER = CLIENT["stranger"] + "/32"


def member_dsns(fleet, tenant, password, user="app"):
    """One for each member; replicas take connections, too."""
    settings = "host=%s port=5432 dbname=shop user=%s password=%s sslmode=require connect_timeout=2"
    return [settings % (member.address, user, password) for member in rig.members(fleet, CLUSTER)]


def who_lets_in(fleet, dsns):
    return [psql(fleet, dsn, "SELECT 1", client="stranger")[0] == 0 for dsn in dsns]


def adding(suite, fleet, tenant, dsns):
    suite.equal(who_lets_in(fleet, dsns), [False] * 3, "members that let a stranger in")
    status, _, error = psql(fleet, dsns[0], "SELECT 1", client="stranger")
    suite.check("pg_hba.conf rejects connection" in error, "the refusal says why: %s", error)
    began = time.monotonic()
    tenant.allow(STRANGER)
    active_after = []

    def everywhere():
        # The order matters: what is said first must already be true when it is looked at.
        said = tenant.access_status(STRANGER)
        inside = who_lets_in(fleet, dsns)
        if said == "ACTIVE":
            suite.check(all(inside), "the API says ACTIVE and members let in: %s", inside)
            active_after.append(time.monotonic() - began)
        return all(inside) and said == "ACTIVE"
    wait_until(everywhere, "the stranger gets in everywhere", 30, every=0.02)
    rig.judge_time(suite, active_after[0], IN_FORCE_S, "an added address is in force on every member, and said to be")


def removing(suite, fleet, tenant, dsns):
    began = time.monotonic()
    tenant.disallow(STRANGER)
    wait_until(lambda: not any(who_lets_in(fleet, dsns)), "the stranger is refused everywhere", 30, every=0.02)
    took = time.monotonic() - began
    rig.judge_time(suite, took, IN_FORCE_S, "a removed address is refused by every member")


def gone_users(suite, fleet, tenant):
    """Whoever is no user any more loses the sessions that they have, also on replicas."""
    password = tenant.create_user("guest", [{"roleName": "read", "databaseName": "shop"}])
    dsns = member_dsns(fleet, tenant, password, "guest")
    for dsn in dsns:
        wait_psql(fleet, dsn, "SELECT 1", 30)
    sessions = [start_psql(fleet, dsn, "SELECT pg_sleep(60)") for dsn in dsns]
    time.sleep(2)
    suite.equal([session.poll() for session in sessions], [None] * 3, "sessions of the guest, while they are a user")
    began = time.monotonic()
    tenant.ask("DELETE", tenant.of_project("/databaseUsers/admin/guest"))
    errors = [session.communicate(timeout=90)[1] for session in sessions]
    suite.check(all("terminat" in error for error in errors), "how their sessions ended: %s", errors)
    rig.judge_time(suite, time.monotonic() - began, GONE_S, "a deleted user has no session on any member")
    suite.equal([psql(fleet, dsn, "SELECT 1")[0] for dsn in dsns], [2] * 3, "logging in again")


def one_member_cannot(suite, fleet, tenant, dsns):
    """A member that did not take it over keeps the entry PENDING."""
    away = rig.members(fleet, CLUSTER)[-1].host
    network.cut(fleet, away)
    try:
        tenant.allow(STRANGER)
        time.sleep(6)
        suite.equal(tenant.access_status(STRANGER), "PENDING", "the entry while a host is cut off")
    finally:
        network.heal(fleet, away)
    wait_until(lambda: tenant.access_status(STRANGER) == "ACTIVE", "the entry is ACTIVE after the host is back", 90)
    suite.equal(who_lets_in(fleet, dsns), [True] * 3, "members that let it in then")


def main():
    suite = Suite("access on hosts")
    try:
        with rig.fleet_for(3) as fleet:
            tenant = Tenant(fleet)
            tenant.create_project()
            password = tenant.create_user("app")
            tenant.allow(CLIENT["client"] + "/32")
            tenant.create_cluster(CLUSTER)
            document = tenant.wait_idle(CLUSTER)
            wait_psql(fleet, tenant.dsn(document, "app", password), "SELECT 1", 30)
            rig.wait_full_strength(fleet, CLUSTER, 3, 60)
            dsns = member_dsns(fleet, tenant, password)
            for _ in range(3):
                adding(suite, fleet, tenant, dsns)
                removing(suite, fleet, tenant, dsns)
            gone_users(suite, fleet, tenant)
            one_member_cannot(suite, fleet, tenant, dsns)
            wrong = tenant.dsn(document, "app", password + "x")
            suite.check(psql(fleet, wrong, "SELECT 1")[0] != 0, "a wrong password is refused")
            plain = dsns[0].replace("sslmode=require", "sslmode=disable")
            suite.check(psql(fleet, plain, "SELECT 1")[0] != 0, "a connection without TLS is refused")
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
