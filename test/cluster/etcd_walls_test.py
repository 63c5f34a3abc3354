#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Walls between tenants on the same hosts (S3): what members agree in, Patroni, and the certificates of members and hosts.

    test/cluster/etcd_walls_test.py

Every attack is a row of etcd_attacks.py. Then a second group of etcd is added and stopped: clusters of the first do not notice.
"""
import sys
import tempfile

import rig
from etcd_attacks import Thief, rows
from tenant import Tenant, wait_psql

import control  # noqa: E402  (found by rig)
import process  # noqa: E402
from state import ETCD, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

SECOND = "second"


def main():
    suite = Suite("etcd walls")
    try:
        with rig.fleet_for(3) as fleet, tempfile.TemporaryDirectory() as folder:
            run(suite, fleet, folder)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


def new_tenant(fleet, cluster):
    tenant = Tenant(fleet)
    tenant.create_project()
    tenant.secret = tenant.create_user("app")
    tenant.allow("10.78.0.0/16")
    tenant.create_cluster(cluster)
    return tenant


def run(suite, fleet, folder):
    tenants = {name: new_tenant(fleet, name) for name in ("thief", "victim")}
    for name, tenant in tenants.items():
        tenant.document = tenant.wait_idle(name)
    control.wait_etcd_locked(fleet)
    host = rig.members(fleet, "thief")[0].host
    stolen = {name: Thief(fleet, next(one for one in rig.members(fleet, name) if one.host == host), folder + "/" + name) for name in tenants}
    suite.check(stolen["thief"].log_in() is not None, "a member's own user of etcd does not work")
    attack(suite, fleet, stolen["thief"], stolen["victim"])
    second_group(suite, fleet, tenants["victim"])


def attack(suite, fleet, thief, victim):
    tried, through = 0, []
    for name, attempt in rows(fleet, thief, victim):
        tried += 1
        got = attempt()
        if got is not None:
            through.append("%s: %s" % (name, got))
    for line in through:
        suite.say(line)
    suite.say("etcd walls: %d attacks, %d through" % (tried, len(through)))
    suite.check(not through, "%d attacks went through", len(through))
    rig.wait_full_strength(fleet, "victim", 3, 60)


def second_group(suite, fleet, tenant):
    """Stopped, its clusters stay what they are, and nobody else's notice anything."""
    address = ETCD[next(iter(ETCD))]
    control.start_etcd_group(fleet, SECOND, address, 12379)
    control.reeved(fleet, "fleet", "etcd", "add", SECOND, "--endpoint", "https://%s:12379" % address, "--capacity", "1")
    control.reeved(fleet, "fleet", "etcd", "drain", "default")
    control.wait_etcd_locked(fleet, SECOND)
    tenant.create_cluster("other")
    tenant.wait_idle("other")
    bound = control.superuser(fleet, "SELECT name, etcd_group FROM cluster ORDER BY name")
    suite.check(["other", SECOND] in bound, "the new cluster is not in the second group: %s", bound)
    try:
        tenant.create_cluster("full")
        suite.fail("a group took more clusters than it has room for")
    except Problem as refused:
        suite.check("NO_ETCD_CAPACITY" in str(refused), "the refusal does not say what is missing: %s", refused)
    timelines = {name: timeline(fleet, name) for name in ("victim", "other")}
    process.stop(fleet, SECOND, seconds=5)
    dsn = tenant.dsn(tenant.document, "app", tenant.secret)
    for _ in range(30):  # longer than a lease lives
        wait_psql(fleet, dsn, "CREATE TABLE IF NOT EXISTS n (i int); INSERT INTO n VALUES (1)", 5)
        suite.check(rig.at_full_strength(fleet, "victim", 3), "a cluster of the other group is not at full strength")
    process.again(fleet, SECOND)
    rig.wait_full_strength(fleet, "other", 3, 60)
    wait_until(lambda: {name: timeline(fleet, name) for name in timelines} == timelines, "no primary has changed", 10)
    control.reeved(fleet, "fleet", "etcd", "activate", "default")
    suite.say("a group stopped: its own cluster failed over to nobody, the other group's did not notice")


def timeline(fleet, cluster):
    return rig.superuser(fleet, rig.primary_of(fleet, cluster), "SELECT timeline_id FROM pg_control_checkpoint()")


if __name__ == "__main__":
    sys.exit(main())
