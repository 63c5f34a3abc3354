#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Copies of backups in another region, on real hosts: only what was chosen is copied; copies end and begin again; a repository host is drained; and every host of the first
region is destroyed while a client writes, its repository hosts included. What a tenant does is typed as docs/how-to/survive-the-loss-of-a-site.md says. Needs root.

    test/cluster/sites_test.py [copies chosen ends drain loss]
"""
import os
import re
import secrets
import shutil
import sys
import tempfile
import threading
import time

import rig
from first_cluster_test import Person
from ledger import TABLES
from restore_scene import CLUSTER, Scene, writing
from tenant import wait_psql
from typed import commands_of

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from state import CONTROL, PROVIDER, ROOT, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

GUIDE = os.path.join(ROOT, "docs/how-to/survive-the-loss-of-a-site.md")
NEW = "orders-south"  # of the guide
LATE_S = 2  # what the copies may be behind when everything dies at once, or more when the API says so


class Sites(Scene):
    """A tenant whose cluster is in the first region, and who types what the guide says."""

    def __init__(self, fleet):
        super().__init__(fleet)
        self.home = tempfile.mkdtemp(prefix="reeve-you.")
        self.here, self.there = fleet.regions[:2]
        credentials = fleet.record["credentials"]
        self.shell = Person(fleet, os.path.join(self.home, "you")).shell("first", {"^client secret: $": credentials["clientSecret"]})
        self.type_all("reeve login --server https://%s:%d --ca-file %s --client-id %s\n" % (
            CONTROL["control1"], control.API_PORT, fleet.path("tls/authority.pem"), credentials["clientId"]))

    def close(self):
        self.shell.__exit__()
        shutil.rmtree(self.home)

    def type_all(self, text):
        for command in commands_of(text):
            self.shell.deadline = time.monotonic() + 600
            if self.shell.run(command) != 0:
                raise Problem("%s\n%s" % (command, self.shell.screen.text(self.shell.begun)))

    def type_guide(self, title):
        """The commands of a section, with the names of this fleet."""
        with open(GUIDE, encoding="utf-8") as file:
            section = re.search(r"^## %s\n(.*?)(?=^## |\Z)" % re.escape(title), file.read(), re.M | re.S).group(1)
        text = "".join(re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S))
        for theirs, ours in (("PROJECT_ID", self.tenant.project), ("ONPREM", PROVIDER), ("EU_NORTH", self.here), ("EU_SOUTH", self.there), ("M10", "S2")):
            text = text.replace(theirs, ours)
        self.type_all(re.sub(r"(?<= )orders(?=\s)", CLUSTER, text))

    def seats(self):
        """(host, desired, whether it is a copy), the first one first."""
        return [tuple(row) for row in self.sql("SELECT h.name, t.desired, t.is_copy FROM stanza_seat t JOIN host h ON h.id = t.host_id JOIN backup_stanza s ON s.id = t.stanza_id "
                                               "WHERE s.state = 'OPEN' AND s.cluster_name = '%s' ORDER BY t.ordinal" % CLUSTER)]

    def seat_in(self, region):
        return next((seat for seat in self.ask("GET", "/backup/window")["seats"] if seat["regionName"] == region and seat["state"] != "FROZEN"), {})

    def wait_covered(self, region, seconds=240):
        """Until what is written now can be restored from there."""
        began = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began))
        wait_until(lambda: self.seat_in(region).get("state") == "WORKING" and self.seat_in(region).get("to", "") > stamp and self.seat_in(region).get("from"),
                   "copies in %s" % region, seconds, every=0.5)
        return time.time() - began

    def hosts_in(self, region):
        return [row[0] for row in self.sql("SELECT name FROM host WHERE region = '%s' AND state <> 'REMOVED' ORDER BY name" % region)]

    def snapshot(self):
        made = self.ask("POST", "/backup/snapshots", {"description": secrets.token_hex(4), "retentionInDays": 1})["id"]
        return made, lambda: self.ask("GET", "/backup/snapshots/" + made)

    def schedule(self, **change):
        return self.ask("PATCH", "/backup/schedule", change)

    def copies_of(self, *frequencies, wal=True):
        return [{"cloudProvider": PROVIDER, "regionName": self.there, "frequencies": list(frequencies), "shouldCopyOplogs": wal}]


def copies_begin(suite, scene):
    scene.create(CLUSTER, 2, True)
    wait_psql(scene.fleet, scene.dsn(CLUSTER), TABLES, 60)
    scene.type_guide("Have copies made")
    suite.equal([seat[1:] for seat in scene.seats()], [("RUNNING", "f"), ("RUNNING", "t")], "seats of the cluster")
    suite.say("copies can be restored from after %.0f s" % scene.wait_covered(scene.there))
    _, shown = scene.snapshot()
    wait_until(lambda: shown()["status"] == "completed" and shown().get("copyRegions") == [scene.there], "a snapshot in both regions", 180)


def only_what_is_chosen(suite, scene):
    """What is due by an hourly rule stays here, and what is due by a daily one as well is there, too, under the same name."""
    scene.schedule(copySettings=scene.copies_of("DAILY"))
    _, shown = scene.snapshot()
    hourly = due_next(scene, {"frequencyType": "hourly", "frequencyInterval": 1})
    daily = due_next(scene, {"frequencyType": "hourly", "frequencyInterval": 1}, {"frequencyType": "daily", "frequencyInterval": 1})
    time.sleep(20)
    suite.equal(shown().get("copyRegions"), None, "regions of a snapshot on demand, when only daily ones are copied: %s" % shown())
    for snapshot, regions in ((hourly, None), (daily, [scene.there])):
        found = scene.ask("GET", "/backup/snapshots/" + snapshot)
        suite.equal((found["status"], found.get("copyRegions")), ("completed", regions), "a snapshot of the rule %s" % found["frequencyType"])
    suite.equal(scene.sql("SELECT count(*) FROM snapshot WHERE origin = 'SCHEDULED'"), [["2"]], "scheduled snapshots, by name")


def due_next(scene, *rules):
    """A schedule whose rules are due within two minutes; the snapshot that comes of it, when every place has done its part."""
    known = {row[0] for row in scene.sql("SELECT encode(id, 'hex') FROM snapshot WHERE origin = 'SCHEDULED'")}
    due = time.gmtime(time.time() + 60)
    scene.schedule(policies=[{"policyItems": [{"retentionUnit": "days", "retentionValue": 1, **rule} for rule in rules]}], referenceHourOfDay=due.tm_hour, referenceMinuteOfHour=due.tm_min)
    made = wait_until(lambda: [row[0] for row in scene.sql("SELECT encode(id, 'hex') FROM snapshot WHERE origin = 'SCHEDULED' AND state = 'COMPLETED'") if row[0] not in known],
                      "a scheduled snapshot", 240)[0]
    if any(rule["frequencyType"] == "daily" for rule in rules):
        wait_until(lambda: scene.ask("GET", "/backup/snapshots/" + made).get("copyRegions"), "its copy", 120)
    return made


def copies_end_and_begin_again(suite, scene):
    scene.schedule(copySettings=[])
    wait_until(lambda: slots(scene) == ["reeve_wal_0"], "members keep nothing for the copies", 60)
    suite.equal([seat[1:] for seat in scene.seats()], [("RUNNING", "f"), ("FROZEN", "t")], "seats without copies")
    scene.schedule(copySettings=scene.copies_of("DAILY", "ON_DEMAND"))
    suite.say("copies that ended go on after %.0f s" % scene.wait_covered(scene.there, 400))
    scene.schedule(copySettings=[], deleteCopiedBackups=[{"cloudProvider": PROVIDER, "regionName": scene.there}])
    wait_until(lambda: [seat[1:] for seat in scene.seats()] == [("RUNNING", "f")], "the copies are gone", 60)
    repository = next(name for name in scene.hosts_in(scene.there) if name.startswith("r"))
    suite.equal(hosts.run(scene.fleet, repository, "ls", "/var/lib/reeve/stanzas").split(), [], "what is left of them")
    scene.type_guide("Have copies made")
    scene.wait_covered(scene.there)


def slots(scene):
    primary = rig.primary_of(scene.fleet, CLUSTER)
    return sorted(row[0] for row in rig.superuser(scene.fleet, primary, "SELECT slot_name FROM pg_replication_slots WHERE slot_name LIKE 'reeve_wal%'"))


def a_repository_host_is_drained(suite, scene):
    before = next(seat[0] for seat in scene.seats() if seat[2] == "f")
    control.reeved(scene.fleet, "fleet", "host", "drain", before)
    wait_until(lambda: (before, "FROZEN", "f") in scene.seats(), "another host covers it", 300)
    suite.equal(sorted(seat[1:] for seat in scene.seats()), [("FROZEN", "f"), ("RUNNING", "f"), ("RUNNING", "t")], "seats of a host that is drained")
    suite.equal(scene.seat_in(scene.here)["state"], "WORKING", "the seat that took over")
    wait_until(lambda: before in [row[0] for row in scene.sql("SELECT name FROM host WHERE state = 'DRAINING'")], "it still keeps what it has", 5)


def destroy(fleet, names):
    """Power-off of all of them, as nearly at once as threads are."""
    threads = [threading.Thread(target=hosts.kill, args=(fleet, name)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def a_site_is_lost(suite, scene):
    lost = scene.hosts_in(scene.here)
    with writing(scene) as writer:
        time.sleep(8)
        late = max(LATE_S, scene.seat_in(scene.there)["lagMillis"] / 1000)
        died = time.time()
        destroy(scene.fleet, lost)
        for name in lost:
            control.reeved(scene.fleet, "fleet", "host", "remove", name, "--lost")
        began = time.monotonic()
        scene.type_guide("When the site is lost")
        took = time.monotonic() - began
    there = scene.numbers(NEW)
    rows = [row for row in writer.acknowledged() if row[2] < died + 5]
    missing = [row for row in rows if row[1] not in there]
    suite.check(rows and all(row[3] > died - late for row in missing), "acknowledged rows that are lost, and how long before: %s", [(row[1], died - row[3]) for row in missing][:5])
    suite.equal(rig.members(scene.fleet, NEW)[0].host in lost, False, "its members are elsewhere")
    suite.say("sites: %d hosts lost (%s), %d acknowledged, %d lost, back after %.1f s" % (len(lost), " ".join(lost), len(rows), len(missing), took))
    scene.type_guide("End the copies")


PARTS = {"copies": copies_begin, "chosen": only_what_is_chosen, "ends": copies_end_and_begin_again, "drain": a_repository_host_is_drained, "loss": a_site_is_lost}


def play(suite, scene, name):
    """A part that fails does not keep the others from being seen."""
    began = time.monotonic()
    try:
        PARTS[name](suite, scene)
    except Problem as problem:
        suite.fail("%s: %s" % (name, problem))
    suite.say("%s: %.0f s" % (name, time.monotonic() - began))


def main():
    suite, chosen = Suite("sites"), sys.argv[1:] or list(PARTS)
    try:
        with rig.fleet_for(4, regions=2, zones=2, repositories=3) as fleet:
            scene = Sites(fleet)
            try:
                for name in chosen:
                    play(suite, scene, name)
            finally:
                scene.close()
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
