#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every kind of change of a cluster on real hosts, under a client that writes all the time: settings that need a restart, another
size, more and fewer members, another region, a simulated outage, an emptied host, a pause, a host that is lost. Nothing acknowledged is lost, and nothing is
left behind. Needs six hosts in two regions."""
import sys
import time

import rig
from ledger import TABLES, Writer, lost
from tenant import PROVIDER, Tenant, client_address, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "changes"
LONGEST_PAUSE_S = 15  # of a writer, in a change that hands the primary over: a switchover, twice at most


class Changes:
    def __init__(self, suite, fleet):
        self.suite, self.fleet, self.tenant = suite, fleet, Tenant(fleet)
        self.tenant.create_project()
        self.password = self.tenant.create_user("app")
        self.tenant.allow(client_address())
        self.path = self.tenant.of_project("/clusters/" + CLUSTER)

    def regions(self, size="S1", **counts):
        names = dict(zip(("first", "second"), self.fleet.regions))
        return {"replicationSpecs": [{"regionConfigs": [
            {"providerName": PROVIDER, "regionName": names[which], "priority": 7 - at, "electableSpecs": {"instanceSize": size, "nodeCount": count}}
            for at, (which, count) in enumerate(counts.items())]}]}

    def dsn(self):
        return self.tenant.dsn(self.tenant.cluster(CLUSTER), "app", self.password)

    def shown(self, statement):
        return wait_psql(self.fleet, self.dsn(), statement, 30)

    def settle(self, seconds):
        steps = []
        self.tenant.wait_idle(CLUSTER, seconds, lambda step: steps.append(step["name"]))
        document = self.tenant.cluster(CLUSTER)
        self.suite.equal((document["stateName"], document["observedGeneration"]), ("IDLE", document["generation"]), "state and generation")
        return steps

    def change(self, what, method, suffix, body, members, seconds=240, pause_s=LONGEST_PAUSE_S):
        """One change under a writer that began before it."""
        self.shown("TRUNCATE ledger")  # writers count from one
        writer, began, wall = Writer(self.fleet, self.dsn()), time.monotonic(), time.time()
        try:
            writer.wait_write_after(wall, 30)
            self.tenant.ask(method, self.path + suffix, body)
            self.settle(seconds)
            if members:
                rig.wait_full_strength(self.fleet, CLUSTER, members, 60)
            writer.wait_write_after(time.time(), 60)
            pause = writer.longest_pause(wall, time.time())
        finally:
            writer.stop()
        self.suite.say("%s: %.1f s, longest pause of writes %.1f s" % (what, time.monotonic() - began, pause))
        self.suite.check(pause <= pause_s, "%s: no write for %.1f s", what, pause)
        missing = lost(writer, map(int, self.shown("SELECT number FROM ledger").split()))
        self.suite.check(not missing, "%s: %d acknowledged writes are lost", what, len(missing))

    def places(self):
        return sorted(self.fleet.hosts[member.host]["region"] for member in rig.members(self.fleet, CLUSTER))

    def region_of_primary(self):
        return self.fleet.hosts[rig.primary_of(self.fleet, CLUSTER).host]["region"]


def lose_a_host(it):
    """Power-off of the primary's host, which is then given up."""
    primary = rig.primary_of(it.fleet, CLUSTER)
    before, began = it.shown("SELECT count(*) FROM ledger"), time.monotonic()
    hosts.kill(it.fleet, primary.host)
    control.reeved(it.fleet, "fleet", "host", "remove", primary.host, "--lost")
    wait_until(lambda: primary.host not in {member.host for member in rig.members(it.fleet, CLUSTER)}, "it is replaced", 180, every=0.5)
    it.settle(120)
    rig.wait_full_strength(it.fleet, CLUSTER, 3, 60)
    it.suite.say("a lost host: full strength on others after %.1f s" % (time.monotonic() - began))
    it.suite.equal(it.shown("SELECT count(*) FROM ledger"), before, "rows after a lost host")
    return primary.host


def life_of_changes(suite, fleet):
    it = Changes(suite, fleet)
    first, second = fleet.regions[:2]
    it.tenant.create_cluster(CLUSTER, regions={first: 3})
    it.settle(120)
    wait_psql(fleet, it.dsn(), TABLES, 30)

    it.change("settings that need a restart", "PATCH", "/processArgs", {"max_connections": 77, "work_mem": 2048}, 3)
    suite.equal(it.shown("SHOW max_connections") + " " + it.shown("SHOW work_mem"), "77 2MB", "settings in force")
    it.change("a switchover", "POST", "/restartPrimaries", None, 3)
    it.change("another size", "PATCH", "", it.regions("S2", first=3), 3)
    it.change("fewer members", "PATCH", "", it.regions("S2", first=2), 2)
    it.change("two regions", "PATCH", "", it.regions("S2", first=2, second=1), 3)
    suite.equal(it.places(), sorted([first, first, second]), "regions of members")
    # Whoever has the connection string of before does not know the new members: nobody writes meanwhile, and nothing is missing after.
    before = it.shown("SELECT count(*) FROM ledger")
    it.tenant.ask("PATCH", it.path, it.regions("S2", second=3))
    it.settle(240)
    suite.equal(it.shown("SELECT count(*) FROM ledger"), before, "rows after another region")
    suite.equal(it.places(), [second] * 3, "regions of members")
    it.change("back to two regions", "PATCH", "", it.regions("S2", second=2, first=1), 3)
    it.change("the primary in the smaller one", "PATCH", "", it.regions("S2", first=1, second=2), 3)
    suite.equal(it.region_of_primary(), first, "region of the primary")

    # The region that the primary is in is lost: as long as a failover takes, and not forever.
    it.change("an outage of the primary's region", "POST", "/outageSimulation",
              {"outageFilters": [{"cloudProvider": PROVIDER, "regionName": first}]}, 0, pause_s=60)
    suite.equal(it.region_of_primary(), second, "region of the primary in the outage")
    it.change("its end", "DELETE", "/outageSimulation", None, 3, pause_s=60)

    primary = rig.primary_of(fleet, CLUSTER)
    it.shown("TRUNCATE ledger")
    writer, began = Writer(fleet, it.dsn()), time.time()
    try:
        control.reeved(fleet, "fleet", "host", "drain", primary.host)
        wait_until(lambda: primary.host not in {member.host for member in rig.members(fleet, CLUSTER)}, "the host is empty", 180, every=0.5)
        it.settle(120)
        writer.wait_write_after(time.time(), 30)
        pause = writer.longest_pause(began, time.time())
    finally:
        writer.stop()
    suite.check(pause <= LONGEST_PAUSE_S, "emptying the primary's host: no write for %.1f s", pause)
    suite.say("emptying the primary's host: %.1f s, longest pause of writes %.1f s" % (time.time() - began, pause))
    control.reeved(fleet, "fleet", "host", "activate", primary.host)

    it.tenant.ask("PATCH", it.path, {"paused": True})
    it.settle(120)
    it.tenant.ask("PATCH", it.path, {"paused": False})
    it.settle(120)
    missing = lost(writer, map(int, it.shown("SELECT number FROM ledger").split()))
    suite.check(not missing, "after a pause %d acknowledged writes are lost", len(missing))

    lost_hosts = [lose_a_host(it)]
    it.tenant.delete_cluster(CLUSTER)
    it.tenant.wait_gone(CLUSTER, 90)
    try:
        wait_until(lambda: not rig.left_behind(fleet, lost_hosts), "nothing is left behind", 15, every=0.5)
    except Problem:
        pass
    suite.equal(rig.left_behind(fleet, lost_hosts), [], "what is left behind")


def main():
    suite = Suite("cluster changes")
    try:
        with rig.fleet_for(6, regions=2) as fleet:
            life_of_changes(suite, fleet)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
