#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Alerts from real causes on a fleet: a disk that fills up, connections that are used up, and a replica that is cut off from its primary. Within 90 s from the cause
a mail and a webhook are on the wire, once each, while workers are killed; the same when it is closed. A server that does not run raises nothing and closes nothing.
Needs root.

Usage: metric_alert_test.py [PART…]
"""
import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time

import rig
from tenant import Tenant
from told import Told

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from patience import PATIENCE  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "watched"
MOST_S = 90  # from a cause to a mail and a webhook on the wire
WAYS = ["mail", "webhook"]
DISK_MB, FILL_PERCENT = 700, 90
MEMBERS = "/var/lib/reeve/members"


class Scene:
    def __init__(self, suite, fleet, tenant, told):
        self.suite, self.fleet, self.tenant, self.told = suite, fleet, tenant, told
        self.primary = rig.primary_of(fleet, CLUSTER)

    # ---- What is configured, and what came of it ----
    def limit(self, metric, threshold, operator="GREATER_THAN", **more):
        return self.tenant.ask("POST", self.tenant.of_project("/alertConfigs"), {
            "eventTypeName": "OUTSIDE_METRIC_THRESHOLD", "enabled": True, "notifications": self.told.notifications,
            "metricThreshold": {"metricName": metric, "operator": operator, "threshold": threshold, **more}})["id"]

    def alerts(self, config, *statuses):
        found = self.tenant.ask("GET", self.tenant.of_project("/alerts?itemsPerPage=500"))["results"]
        return [one for one in found if one["alertConfigId"] == config and one["status"] in statuses]

    def raised(self, config, began, what):
        """The one alert, when both ways have told it."""
        alert = wait_until(lambda: self.alerts(config, "OPEN"), what + ": an alert", 2 * MOST_S, every=0.2)[0]
        shown = time.monotonic() - began
        wait_until(lambda: self.told.about(alert["id"], "OPENED")[0] == WAYS, what + ": both are told", 2 * MOST_S, every=0.2)
        mail, hook = (self.told.first(way, alert["id"]) - began for way in WAYS)
        self.suite.say("%s: an alert after %.1f s, a mail after %.1f s, a webhook after %.1f s" % (what, shown, mail, hook))
        self.suite.check(max(mail, hook) <= MOST_S * PATIENCE, "%s: told after %.1f s", what, max(mail, hook))
        self.suite.equal([one["id"] for one in self.alerts(config, "OPEN", "CLOSED")], [alert["id"]], what + ": one alert")
        return alert

    def closed(self, config, alert, what):
        began = time.monotonic()
        wait_until(lambda: self.told.about(alert["id"], "CLOSED")[0] == WAYS, what + ": both are told that it is over", 2 * MOST_S, every=0.2)
        self.suite.say("%s: told to be over after %.1f s" % (what, self.told.about(alert["id"], "CLOSED")[1] - began))
        self.suite.equal([(one["id"], one["status"]) for one in self.alerts(config, "OPEN", "CLOSED")], [(alert["id"], "CLOSED")], what + ": raised once")
        self.suite.equal([self.told.about(alert["id"], about)[0] for about in ("OPENED", "CLOSED")], [WAYS, WAYS], what + ": told once each")


class Kills:
    """One worker after the other is killed with -9 and started again, for as long as the block."""

    def __init__(self, scene, what):
        self.scene, self.what, self.count, self.ends = scene, what, 0, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ends.wait(random.uniform(2, 6)):
            fleet, worker = self.scene.fleet, random.choice(control.WORKERS)
            pid = process.pid_of(fleet, worker)
            if pid:
                os.kill(pid, signal.SIGKILL)
            wait_until(lambda: process.pid_of(fleet, worker) is None, worker + " is gone", 20, every=0.05)
            process.again(fleet, worker)
            self.count += 1

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
        self.scene.suite.say("%s: %d workers were killed meanwhile" % (self.what, self.count))


# ---- The disk ----
def give_disks(fleet):
    """A small file system of its own for the members of each host: an image in a file, gone with the host's mounts."""
    for name in fleet.hosts:
        image = fleet.path("hosts", name, "disk")
        subprocess.run(["truncate", "-s", "%dM" % DISK_MB, image], check=True)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
        device = subprocess.run(["losetup", "--find", "--show", image], check=True, capture_output=True, text=True).stdout.strip()
        hosts.run(fleet, name, "systemctl", "stop", "reeve-agent")
        try:
            hosts.run(fleet, name, "sh", "-ec", "mknod /dev/members b 7 %s; mkdir -p %s; mode=$(stat -c %%a %s); own=$(stat -c %%u:%%g %s); mount -t ext4 /dev/members %s; "
                      "rmdir %s/lost+found; chmod $mode %s; chown $own %s" % (device[len("/dev/loop"):], *[MEMBERS] * 7))
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)  # it goes when nobody has it mounted any more
        hosts.run(fleet, name, "systemctl", "start", "reeve-agent")


def a_disk_fills_up(scene):
    what, fleet, replica = "a disk that is full", scene.fleet, next(one for one in rig.members(scene.fleet, CLUSTER) if one.id != scene.primary.id)
    config = scene.limit("DISK_PARTITION_SPACE_USED_DATA", FILL_PERCENT)
    time.sleep(30)
    scene.suite.equal(scene.alerts(config, "OPEN", "CLOSED"), [], "nothing is wrong yet")
    with Kills(scene, what):
        began = time.monotonic()
        hosts.run(fleet, replica.host, "sh", "-c", "fallocate -l $(( $(df --output=avail -B1 %s | tail -1) - 20000000 )) %s/filler" % (MEMBERS, MEMBERS))
        alert = scene.raised(config, began, what)
        scene.suite.equal((alert["metricName"], alert["hostnameAndPort"].split(".")[0]), ("DISK_PARTITION_SPACE_USED_DATA", replica.name), "the alert")
        scene.suite.check(alert["currentValue"]["number"] > FILL_PERCENT, "its value: %s", alert)
        hosts.run(fleet, replica.host, "rm", MEMBERS + "/filler")
        scene.closed(config, alert, what)


# ---- Sessions ----
def connections_are_used_up(scene):
    what, fleet, primary = "connections that are used up", scene.fleet, scene.primary
    config = scene.limit("CONNECTIONS_PERCENT", 80)
    time.sleep(30)
    scene.suite.equal(scene.alerts(config, "OPEN", "CLOSED"), [], "nothing is wrong yet")
    with Kills(scene, what):
        began = time.monotonic()
        hosts.run(fleet, primary.host, "sh", "-c", "for i in $(seq 60); do nohup psql -X -h %s/%s/run -p 5432 -U postgres -c 'SELECT pg_sleep(3600)' "
                  "postgres >/dev/null 2>&1 & done" % (MEMBERS, primary.id))
        alert = scene.raised(config, began, what)
        scene.suite.equal((alert["metricName"], alert["clusterName"], alert["hostnameAndPort"].split(".")[0]), ("CONNECTIONS_PERCENT", CLUSTER, primary.name), "the alert")
        scene.suite.check(alert["currentValue"]["number"] > 80, "its value: %s", alert)
        hosts.run(fleet, primary.host, "pkill", "-f", "psql.*pg_sleep[(]3600")
        wait_until(lambda: is_let_in(fleet, primary), "somebody comes in again", 30)
        rig.superuser(fleet, primary, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()")
        scene.closed(config, alert, what)


def is_let_in(fleet, member):
    with contextlib.suppress(Problem):
        return rig.superuser(fleet, member, "SELECT 1")
    return False


# ---- The network ----
def a_replica_is_cut_off(scene):
    what, fleet, primary = "a replica that is cut off", scene.fleet, scene.primary
    config = scene.limit("OPLOG_SLAVE_LAG_MASTER_TIME", 10, units="SECO")
    replica = next(one for one in rig.members(fleet, CLUSTER) if one.id != primary.id)
    with Kills(scene, what):
        began = time.monotonic()
        network.nft(fleet, replica.host, "add table inet cut\nadd chain inet cut way { type filter hook output priority 0; }\n"
                    "add rule inet cut way ip daddr %s tcp dport 5432 drop\n" % primary.address)
        try:
            for _ in range(3):
                rig.superuser(fleet, primary, "SELECT txid_current()")
            alert = scene.raised(config, began, what)
            scene.suite.equal(alert["hostnameAndPort"].split(".")[0], replica.name, "whose alert it is")
        finally:
            network.heal(fleet, replica.host)
        scene.closed(config, alert, what)


# ---- Nothing ----
def what_is_not_measured_raises_nothing(scene):
    """No data is a state of its own: neither less than something nor more. First an agent is away, then the stores."""
    suite, fleet = scene.suite, scene.fleet
    more, less = scene.limit("CONNECTIONS_MAX", 1), scene.limit("CONNECTIONS_MAX", 1, "LESS_THAN")
    members = len(rig.members(fleet, CLUSTER))
    wait_until(lambda: len(scene.alerts(more, "OPEN")) == members, "an alert of every server", 2 * MOST_S, every=0.5)
    before = [one["id"] for one in scene.alerts(more, "OPEN", "CLOSED")]

    def unchanged(when):
        suite.equal([one["id"] for one in scene.alerts(more, "OPEN")], before, "no alert ends " + when)
        suite.equal((len(scene.alerts(more, "CLOSED")), len(scene.alerts(less, "OPEN", "CLOSED"))), (0, 0), "and none begins " + when)
    hosts.run(fleet, scene.primary.host, "systemctl", "stop", "reeve-agent")
    time.sleep(75)
    unchanged("while nobody measures")
    hosts.run(fleet, scene.primary.host, "systemctl", "start", "reeve-agent")
    for store in control.STORES:
        process.stop(fleet, store)
    time.sleep(75)
    unchanged("while no store is there")
    for store in control.STORES:
        process.again(fleet, store)
    time.sleep(45)
    unchanged("when they are back")


PARTS = [a_disk_fills_up, connections_are_used_up, a_replica_is_cut_off, what_is_not_measured_raises_nothing]


def main():
    suite = Suite("metric-alerts")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=", ".join(part.__name__ for part in PARTS))
    chosen = parser.parse_args().parts
    try:
        with rig.fleet_for(2) as fleet:
            told = Told(fleet)
            told.configure()
            give_disks(fleet)
            tenant = Tenant(fleet)
            tenant.create_project()
            tenant.create_cluster(CLUSTER, regions={fleet.regions[0]: 2})
            tenant.wait_idle(CLUSTER, 300)
            scene = Scene(suite, fleet, tenant, told)
            for part in PARTS:
                if not chosen or part.__name__ in chosen:
                    part(scene)
            suite.say("what came twice, under the same id: %d of %d" % (told.again, len(told.came) + told.again))
            told.close()
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
