#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Disks of members on real hosts: as large as the cluster says, nobody else's, grown while they are in use. A client fills one: the member stays readable, its
neighbour is not slower, an alert comes, and growing it heals it without a restart. Needs root.

Usage: volumes_test.py [PART…]          REEVE_VOLUMES=full: with disks that have all of their space from the start (default: thin)
"""
import argparse
import os
import re
import sys
import threading
import time

KIND = os.environ.setdefault("REEVE_VOLUMES", "thin")

import psycopg2  # noqa: E402

import rig  # noqa: E402
from ledger import TABLES, Writer, lost  # noqa: E402
from tenant import Tenant, client_address, psql, wait_psql  # noqa: E402
from told import Told  # noqa: E402

import hosts  # noqa: E402  (found by rig)
import network  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER, NEIGHBOUR = "filled", "neighbour"
SIZE, DISK_GB, LARGER_GB = "S2", 1, 3
MEMBERS, VOLUMES = "/var/lib/reeve/members", "/var/lib/reeve/volumes"
NO_SPACE = "53100"  # what PostgreSQL says
MOST_RATIO = 1.2
ROW_BYTES = 8000


class Scene:
    def __init__(self, suite, fleet):
        self.suite, self.fleet, self.told = suite, fleet, Told(fleet)
        self.told.configure()
        self.tenant = Tenant(fleet)
        self.tenant.create_project()
        self.password = self.tenant.create_user("app")
        self.tenant.allow(client_address())
        self.dsns = {}

    def make(self, name):
        self.tenant.create_cluster(name, SIZE, disk_gb=DISK_GB)
        document = self.tenant.wait_idle(name, 180)
        self.dsns[name] = self.tenant.dsn(document, "app", self.password)
        wait_psql(self.fleet, self.dsns[name], TABLES + "CREATE TABLE probe (number int PRIMARY KEY, at timestamptz); "
                  "INSERT INTO probe SELECT n, now() FROM generate_series(1, 1000) n", 60)
        rig.wait_full_strength(self.fleet, name, 3, 90)

    def connect(self, name):
        """With the returned string, on the client's machine; its names are looked up here, because this program asks another name server."""
        addresses = ",".join(one.address for one in rig.members(self.fleet, name))
        with network.inside(self.fleet, "client"):
            connection = psycopg2.connect(self.dsns[name], hostaddr=addresses)
        connection.autocommit = True
        return connection

    def primary(self):
        return rig.primary_of(self.fleet, CLUSTER)

    def started(self):
        """When the server of each member was started."""
        return {one.name: rig.superuser(self.fleet, one, "SELECT pg_postmaster_start_time()")[0][0] for one in rig.members(self.fleet, CLUSTER)}

    def on(self, member, *words):
        return hosts.run(self.fleet, member.host, *words).strip()

    def used_percent(self, member):
        """As the host's command says it."""
        said = self.on(member, "/opt/reeve/reeve-agent", "volumes")
        return int(re.search(r"%s +data: \d+ of \d+ MB used \((\d+) %%\)" % member.id, said)[1])

    def fill(self, table, until, seconds=300):
        """Rows until the server says so, or the time is over; how many were acknowledged."""
        words, began = [], time.monotonic()
        connection = self.connect(CLUSTER)
        cursor, count = connection.cursor(), 0
        cursor.execute("CREATE TABLE IF NOT EXISTS %s (number bigint, filler text); "
                       "ALTER TABLE %s ALTER filler SET STORAGE EXTERNAL" % (table, table))
        while time.monotonic() - began < seconds:
            try:
                cursor.execute("INSERT INTO %s SELECT %d + n, repeat('x', %d) FROM generate_series(1, 500) n" % (table, count, ROW_BYTES))
                count += 500
            except psycopg2.Error as error:
                words = [error.pgcode, " ".join(str(error).split())]
                break
        connection.close()
        self.suite.equal(words[:1], [until] if until else [], "%s: what ends it: %s" % (table, words[1:]))
        return count


# ---- Parts ----
def they_are_disks_of_their_own(scene):
    suite, fleet = scene.suite, scene.fleet
    for member in rig.members(fleet, CLUSTER):
        folder = "%s/%s" % (MEMBERS, member.id)
        kinds = [scene.on(member, "findmnt", "-n", "-o", "FSTYPE", place) for place in (folder, folder + "/wal")]
        suite.equal(kinds, ["ext4", "ext4"], "file systems of " + member.name)
        check_room(scene, member, DISK_GB)
        for place in (folder, folder + "/wal"):
            device = os.path.basename(scene.on(member, "findmnt", "-n", "-o", "SOURCE", place))
            suite.equal(scene.on(member, "cat", "/sys/block/%s/loop/dio" % device, "/sys/block/%s/bdi/strict_limit" % device).split(), ["1", "1"],
                        "%s is written past the host's cache, and little of it waits" % place)
        suite.equal(scene.on(member, "readlink", folder + "/data/pg_wal"), folder + "/wal/pg_wal", "where its WAL is")
        options = scene.on(member, "findmnt", "-n", "-o", "OPTIONS", folder).split(",")
        suite.check({"nodev", "nosuid", "noexec"} <= set(options), "its options: %s", options)
        said = scene.on(member, "/opt/reeve/reeve-agent", "volumes")
        suite.check(member.id in said and "data: " in said and "not mounted" not in said, "what the host says: %s", said)


def check_room(scene, member, disk_gb):
    """It has what the cluster says, whatever its file system could hold; and the host has given all of that, or what was written."""
    folder = "%s/%s" % (MEMBERS, member.id)
    later = int(scene.on(member, "stat", "-c", "%s", folder + "/.later"))
    size = int(scene.on(member, "df", "--output=size", "-B1", folder).split()[-1]) - later
    scene.suite.check(disk_gb << 30 < size <= (disk_gb << 30) * 1.4, "the size of %s: %d MB", member.name, size >> 20)
    blocks, block, whole = map(int, scene.on(member, "stat", "-c", "%b %B %s", "%s/%s/data/data.img" % (VOLUMES, member.id)).split())
    given = blocks * block
    if KIND == "full":
        scene.suite.check(given >= size and given <= whole - later + (64 << 20), "the host gave %s %d MB at once", member.name, given >> 20)
    else:
        scene.suite.check(given < size, "the host gave %s what was written, %d MB", member.name, given >> 20)


def a_client_fills_it(scene):
    """Statements that need room are told that there is none; reads go on, also with new connections by the same string, and no server ends by it."""
    suite, fleet = scene.suite, scene.fleet
    started = scene.started()
    alert = scene.tenant.ask("POST", scene.tenant.of_project("/alertConfigs"), {
        "eventTypeName": "OUTSIDE_METRIC_THRESHOLD", "enabled": True, "notifications": scene.told.notifications,
        "metricThreshold": {"metricName": "DISK_PARTITION_SPACE_USED_DATA", "operator": "GREATER_THAN", "threshold": 92}})["id"]
    scene.fill("first", None, seconds=10)
    quiet = percentile(scene, 20)
    writer = Writer(fleet, scene.dsns[CLUSTER])
    slower, loud = threading.Event(), []
    probe = threading.Thread(target=lambda: loud.append(percentile(scene, None, slower)))
    probe.start()
    began = time.monotonic()
    try:
        count = scene.fill("second", NO_SPACE)
    finally:
        slower.set()
        probe.join()
    suite.say("%d rows in %.0f s until there is no space, at %d %%" % (count, time.monotonic() - began, scene.used_percent(scene.primary())))
    suite.say("the neighbour's p99: %.1f ms before, %.1f ms meanwhile, ratio %.2f (goal %.1f)" % (quiet, loud[0], loud[0] / quiet, MOST_RATIO))
    suite.equal(psql(fleet, scene.dsns[CLUSTER], "SELECT count(*) FROM second")[1:], (str(count), ""), "every acknowledged row is read")
    rig.wait_full_strength(fleet, CLUSTER, 3, 5)
    said = wait_until(lambda: [row[0] for row in rig.control.superuser(fleet, "SELECT problem FROM cluster_member WHERE problem LIKE '%nearly full%'")], "the host says so", 30)
    suite.check("diskSizeGB" in said[0], "what to do: %s", said)
    raised = wait_until(lambda: [one for one in scene.tenant.ask("GET", scene.tenant.of_project("/alerts?status=OPEN"))["results"]
                                 if one["alertConfigId"] == alert], "an alert", 120, every=0.5)
    wait_until(lambda: scene.told.about(raised[0]["id"], "OPENED")[0] == ["mail", "webhook"], "somebody is told", 120)
    suite.say("an alert, a mail and a webhook after %.0f s" % (time.monotonic() - began))
    suite.equal(scene.started(), started, "no server was restarted or ended")
    kept = scene.on(scene.primary(), "stat", "-c", "%s", "%s/%s/.reserve" % (MEMBERS, scene.primary().id))
    for name in fleet.hosts:
        hosts.run(fleet, name, "systemctl", "restart", "reeve-agent")
    time.sleep(10)
    suite.equal(scene.on(scene.primary(), "stat", "-c", "%s", "%s/%s/.reserve" % (MEMBERS, scene.primary().id)), kept, "the reserve of a primary whose agent was started again")
    for member in sorted(rig.members(fleet, CLUSTER), key=lambda one: one.role == "PRIMARY"):
        hosts.run(fleet, member.host, "systemctl", "restart", "reeve-member-%s.service" % member.id)
        rig.wait_full_strength(fleet, CLUSTER, 3, 90)
    suite.equal(psql(fleet, scene.dsns[CLUSTER], "SELECT count(*) FROM second")[1:], (str(count), ""), "every row is read after each was restarted")
    writer.stop()
    still_there(scene, writer)


def still_there(scene, writer):
    missing = lost(writer, map(int, wait_psql(scene.fleet, scene.dsns[CLUSTER], "SELECT number FROM ledger", 30).split()))
    scene.suite.check(not missing, "%d of %d acknowledged writes are lost", len(missing), len(writer.acknowledged()))


def deleting_heals_it(scene):
    began = time.monotonic()
    status, _, error = psql(scene.fleet, scene.dsns[CLUSTER], "DROP TABLE second")
    scene.suite.equal(status, 0, "a table is dropped: " + error)
    status, _, error = psql(scene.fleet, scene.dsns[CLUSTER], "TRUNCATE first")
    scene.suite.equal(status, 0, "a table is emptied: " + error)
    wait_psql(scene.fleet, scene.dsns[CLUSTER], "INSERT INTO probe VALUES (2001, now())", 60)
    scene.suite.say("writes again %.1f s after something was deleted" % (time.monotonic() - began))


def growing_heals_it(scene):
    suite, fleet = scene.suite, scene.fleet
    started = scene.started()
    count = scene.fill("third", NO_SPACE)
    writer = Writer(fleet, scene.dsns[NEIGHBOUR])
    began = time.monotonic()
    change(scene, LARGER_GB)
    scene.tenant.wait_idle(CLUSTER, 120)
    idle = time.monotonic() - began
    wait_psql(fleet, scene.dsns[CLUSTER], "INSERT INTO probe VALUES (2002, now())", 60)
    writer.stop()
    suite.say("%d rows filled it again; IDLE %.1f s after it was given %d GB, first write after %.1f s" % (count, idle, LARGER_GB, time.monotonic() - began))
    suite.equal(scene.started(), started, "no server was restarted")
    for member in rig.members(fleet, CLUSTER):
        check_room(scene, member, LARGER_GB)
    suite.equal(psql(fleet, scene.dsns[CLUSTER], "SELECT count(*) FROM third")[1], str(count), "every acknowledged row is there")
    answer = change(scene, DISK_GB, expect=(400, 409))
    suite.check("diskSizeGB" in answer["detail"], "it never shrinks: %s", answer)


def change(scene, disk_gb, cluster=CLUSTER, expect=(200, 202)):
    document = scene.tenant.cluster(cluster)
    specs = [{"regionConfigs": [{**{key: config[key] for key in ("providerName", "regionName", "priority")},
                                 "electableSpecs": {"instanceSize": SIZE, "nodeCount": config["electableSpecs"]["nodeCount"], "diskSizeGB": disk_gb}}
                                for config in spec["regionConfigs"]]} for spec in document["replicationSpecs"]]
    return scene.tenant.ask("PATCH", scene.tenant.of_project("/clusters/" + cluster), {"replicationSpecs": specs}, expect=expect)


def a_power_cut_changes_nothing(scene):
    suite, fleet, primary = scene.suite, scene.fleet, scene.primary()
    hosts.kill(fleet, primary.host)
    time.sleep(2)
    hosts.start(fleet, primary.host)
    hosts.wait_booted(fleet, primary.host)
    rig.wait_full_strength(fleet, CLUSTER, 3, 120)
    suite.equal(scene.on(primary, "findmnt", "-n", "-o", "FSTYPE", "%s/%s" % (MEMBERS, primary.id)), "ext4", "its disk after the host came back")


# Where the agent of one host dies while a cluster is made, while it grows, and while it is removed.
KILLS = (("make:before", "bound:before", "unmount:before"), ("make:after", "bound:grows", "remove:before"), ("bound:taken", "bound:after", "unmount:before"))
KILLED, KILLED_GB = "killed", 2
DROP_IN = "/etc/systemd/system/reeve-agent.service.d/volumes.conf"


def dies(scene, name, point, hit, act):
    """What `act` asks for, with an agent that dies there, and is started again without that."""
    hosts.write_file(scene.fleet, name, DROP_IN, "[Service]\nEnvironment=REEVE_FAILPOINTS=agent:volume:%s=kill@%d\n" % (point, hit))
    hosts.run(scene.fleet, name, "sh", "-c", "systemctl daemon-reload; systemctl restart reeve-agent")
    times = lambda: int(hosts.run(scene.fleet, name, "systemctl", "show", "--property", "NRestarts", "--value", "reeve-agent"))  # noqa: E731
    before = times()
    act()
    wait_until(lambda: times() > before, "the agent of %s dies at %s" % (name, point), 60)
    hosts.run(scene.fleet, name, "sh", "-c", "rm %s; systemctl daemon-reload; systemctl restart reeve-agent" % DROP_IN)


def an_agent_dies_at_any_point(scene):
    suite, fleet, name = scene.suite, scene.fleet, next(iter(scene.fleet.hosts))
    bounds = len([one for cluster in (CLUSTER, NEIGHBOUR) for one in rig.members(fleet, cluster) if one.host == name]) * 2  # of disks that are there when an agent starts
    for making, growing, removing in KILLS:
        dies(scene, name, making, 1, lambda: scene.tenant.create_cluster(KILLED, SIZE, disk_gb=DISK_GB))
        document = scene.tenant.wait_idle(KILLED, 180)
        dsn = scene.tenant.dsn(document, "app", scene.password)
        wait_psql(fleet, dsn, "CREATE TABLE kept AS SELECT n FROM generate_series(1, 10000) n", 60)
        dies(scene, name, growing, bounds + 3, lambda: change(scene, KILLED_GB, cluster=KILLED))
        scene.tenant.wait_idle(KILLED, 180)
        for member in rig.members(fleet, KILLED):
            wait_until(lambda: not rig.control.superuser(fleet, "SELECT FROM cluster_member WHERE problem <> ''"), "nothing is wrong any more", 30)
            check_room(scene, member, KILLED_GB)
        suite.equal(wait_psql(fleet, dsn, "SELECT count(*) FROM kept", 30), "10000", "its rows after an agent died at %s and %s" % (making, growing))
        dies(scene, name, removing, 1, lambda: scene.tenant.delete_cluster(KILLED))
        scene.tenant.wait_gone(KILLED, 120)
        suite.equal(hosts.run(fleet, name, "sh", "-c", "ls %s | wc -l" % VOLUMES).strip(), str(bounds // 2), "folders of images after it died at %s" % removing)


def nothing_is_left(scene):
    for name in (CLUSTER, NEIGHBOUR):
        scene.tenant.delete_cluster(name)
        scene.tenant.wait_gone(name, 120)
    for name in scene.fleet.hosts:
        left = lambda: hosts.run(scene.fleet, name, "sh", "-c", "ls %s %s; grep /var/lib/reeve/members /proc/mounts; ls /etc/systemd/system | grep 'mount$'; true" % (VOLUMES, MEMBERS))  # noqa: E731
        wait_until(lambda: not [line for line in left().splitlines() if line.strip() and not line.endswith(":")], "nothing is left on " + name, 30)
    scene.suite.check(True, "nothing is left")


# ---- The neighbour ----
def percentile(scene, seconds, ends=None):
    """The 99th of the times of small writes of the neighbour, in milliseconds."""
    connection = scene.connect(NEIGHBOUR)
    cursor, times, began = connection.cursor(), [], time.monotonic()
    while not (ends.is_set() if ends else time.monotonic() - began >= seconds):
        start = time.monotonic()
        cursor.execute("UPDATE probe SET at = now() WHERE number = %s", (len(times) % 1000 + 1,))
        times.append(time.monotonic() - start)
        time.sleep(0.005)
    connection.close()
    return sorted(times)[int(len(times) * 0.99)] * 1000


PARTS = [they_are_disks_of_their_own, a_client_fills_it, deleting_heals_it, growing_heals_it, a_power_cut_changes_nothing, an_agent_dies_at_any_point, nothing_is_left]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(part.__name__ for part in PARTS))
    chosen = parser.parse_args().parts
    suite = Suite("volumes")
    try:
        with rig.fleet_for(3) as fleet:
            scene = Scene(suite, fleet)
            for name in (CLUSTER, NEIGHBOUR):
                scene.make(name)
            for part in PARTS:
                if not chosen or part.__name__ in chosen:
                    part(scene)
            scene.told.close()
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
