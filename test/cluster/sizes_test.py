#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Members for analytics with a size of their own, on real hosts: what systemd and PostgreSQL give them, that they follow, that nobody else restarts when it changes, and
that they never take over.

    test/cluster/sizes_test.py

Needs root.
"""
import sys
import time

import rig
from ledger import TABLES, Writer, lost
from tenant import Tenant, client_address, psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from state import PROVIDER, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "mixed"
MB = 1024 * 1024
SETTINGS = ("shared_buffers", "max_connections", "work_mem")


class Scene:
    def __init__(self, fleet):
        self.fleet, self.tenant = fleet, Tenant(fleet)
        self.tenant.create_project()
        self.password = self.tenant.create_user("app")
        self.tenant.allow(client_address())

    def resize(self, size, analytics):
        specs = [{"regionConfigs": [{**self.region(), "electableSpecs": {"instanceSize": size, "nodeCount": 2, "diskSizeGB": 5},
                                     "analyticsSpecs": {"instanceSize": analytics, "nodeCount": 1, "diskSizeGB": 5}}]}]
        self.tenant.ask("PATCH", self.tenant.of_project("/clusters/" + CLUSTER), {"replicationSpecs": specs})
        self.tenant.wait_idle(CLUSTER, 300)

    def region(self):
        region = self.tenant.cluster(CLUSTER)["replicationSpecs"][0]["regionConfigs"][0]
        return {key: region[key] for key in ("providerName", "regionName", "priority")}

    def members(self):
        """Those that may become the primary, and the one for analytics."""
        ids = {row[0] for row in control.superuser(self.fleet, "SELECT encode(id, 'hex') FROM cluster_member WHERE analytics")}
        found = rig.members(self.fleet, CLUSTER)
        return [one for one in found if one.id not in ids], next(one for one in found if one.id in ids)

    def of_unit(self, member):
        """Memory in MB, and processors, as systemd has it for the member's unit, and as the kernel does."""
        unit = "reeve-member-%s.service" % member.id
        shown = hosts.run(self.fleet, member.host, "systemctl", "show", "-p", "MemoryMax", "-p", "CPUQuotaPerSecUSec", "-p", "ControlGroup", unit)
        values = dict(line.split("=", 1) for line in shown.split())
        inside = hosts.run(self.fleet, member.host, "sh", "-c", "cat /sys/fs/cgroup%s/memory.max || true" % values["ControlGroup"]).strip()
        return int(values["MemoryMax"]) // MB, values["CPUQuotaPerSecUSec"], int(inside) // MB if inside.isdigit() else None

    def settings(self, member):
        return [rig.superuser(self.fleet, member, "SELECT current_setting('%s')" % name)[0][0] for name in SETTINGS]

    def started(self, member):
        return rig.superuser(self.fleet, member, "SELECT pg_postmaster_start_time()")[0][0]

    def usage(self):
        return sorted(row[0] for row in control.superuser(self.fleet, "SELECT sku FROM usage_span WHERE ended_at IS NULL AND sku LIKE 'MEMBER_%'"))


def has_its_size(suite, scene, size, analytics):
    """`size` and `analytics`: memory in MB, processors as systemd says them, shared buffers."""
    equals, own = scene.members()
    for member, (memory, processors, buffers) in [(one, size) for one in equals] + [(own, analytics)]:
        of_systemd, quota, of_kernel = scene.of_unit(member)
        suite.equal((of_systemd, quota), (memory, processors), "what systemd gives %s" % member.name)
        suite.check(of_kernel in (None, memory), "what the kernel gives %s: %s", member.name, of_kernel)
        suite.equal(scene.settings(member)[0], buffers, "shared buffers of %s" % member.name)
    suite.equal(scene.settings(own)[1], scene.settings(equals[0])[1], "both have room for as many clients")


def follows(suite, scene, dsn, number):
    wait_psql(scene.fleet, dsn("standard"), "INSERT INTO ledger VALUES (%d)" % number, 30)
    wait_until(lambda: psql(scene.fleet, dsn("analytics"), "SELECT pg_is_in_recovery(), count(*) FROM ledger WHERE number = %d" % number)[:2] == (0, "t|1"),
               "the member for analytics has row %d" % number, 30, every=0.3)
    suite.check(True, "it follows")


def main():
    suite = Suite("sizes of members")
    try:
        with rig.fleet_for(3) as fleet:
            scene = Scene(fleet)
            began = time.monotonic()
            scene.tenant.ask("POST", scene.tenant.of_project("/clusters"), {"name": CLUSTER, "replicationSpecs": [{"regionConfigs": [{
                "providerName": PROVIDER, "regionName": fleet.regions[0], "priority": 7, "electableSpecs": {"instanceSize": "S1", "nodeCount": 2, "diskSizeGB": 5},
                "analyticsSpecs": {"instanceSize": "S2", "nodeCount": 1, "diskSizeGB": 5}}]}]})
            document = scene.tenant.wait_idle(CLUSTER, 240)
            suite.say("made after %.1f s" % (time.monotonic() - began))
            dsn = lambda kind: scene.tenant.dsn(document, "app", scene.password, kind)  # noqa: E731
            wait_psql(fleet, dsn("standard"), TABLES, 60)
            small, larger, largest = (128, "50ms", "16MB"), (256, "250ms", "32MB"), (512, "500ms", "64MB")
            rig.wait_full_strength(fleet, CLUSTER, 3, 120)
            has_its_size(suite, scene, small, larger)
            suite.equal(scene.usage(), ["MEMBER_S1", "MEMBER_S1", "MEMBER_S2"], "what is counted for the invoice")
            follows(suite, scene, dsn, -1)

            equals, own = scene.members()
            before, own_before = [scene.started(one) for one in equals], scene.started(own)
            scene.resize("S1", "S3")
            has_its_size(suite, scene, small, largest)
            suite.equal(scene.usage(), ["MEMBER_S1", "MEMBER_S1", "MEMBER_S3"], "what is counted for the invoice from then on")
            suite.equal([scene.started(one) for one in equals], before, "nobody else restarted")
            suite.check(scene.started(own) != own_before, "the member for analytics restarted")
            follows(suite, scene, dsn, -2)

            # What the primary's host takes with it is taken over by the other one that may, however small it is.
            primary, writer = rig.primary_of(fleet, CLUSTER), Writer(fleet, dsn("standard"))
            try:
                fault = time.time()
                hosts.kill(fleet, primary.host)
                writer.wait_write_after(fault + 0.5, 90)
                suite.check(rig.primary_of(fleet, CLUSTER).id in {one.id for one in equals} - {primary.id}, "who took over")
                hosts.start(fleet, primary.host)
                rig.wait_full_strength(fleet, CLUSTER, 3, 120)
            finally:
                writer.stop()
            missing = lost(writer, map(int, wait_psql(fleet, dsn("standard"), "SELECT number FROM ledger", 30).split()))
            suite.check(not missing, "%d acknowledged writes are lost", len(missing))

            scene.resize("S2", "S1")
            has_its_size(suite, scene, larger, small)
            suite.equal(scene.settings(scene.members()[1])[1], "100", "a small member has room for as many clients as its large primary")
            follows(suite, scene, dsn, -3)
            scene.tenant.delete_cluster(CLUSTER)
            scene.tenant.wait_gone(CLUSTER, 90)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
