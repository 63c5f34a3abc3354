#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Faults of backups that the backup tool does not see, made on a real repository host: each is noticed within one look, told, and nothing is promised that
cannot be restored. A stored segment of WAL is removed; bytes are flipped in WAL and in a backup; a drill is led to an end too early; the disk is full; the clock of the
repository host and that of a member are two weeks ahead. Needs root.

The host looks at its repository every ten minutes, and reads all of it once a day; here it is made to do so at once."""
import contextlib
import glob
import json
import os
import shutil
import sys
import time

import rig
from ledger import TABLES
from restore_history_test import a_second
from restore_scene import CLUSTER, Scene, copy_at, writing
from tenant import wait_psql

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

TOLD = ("BACKUP_DAMAGED", "BACKUP_SOUND", "BACKUP_FAILING", "BACKUP_WORKING")
FLIP = "printf '\\377\\376\\375\\374' | dd of={0} bs=1 seek={1} conv=notrunc 2>/dev/null"
STANZAS = "/var/lib/reeve/stanzas"
DISK_MB = 1400
LIBRARY = "/usr/lib/reeve-test-clock.so"  # libfaketime: hosts have no clock of their own
CLOCK = "[Service]\nEnvironment=LD_PRELOAD=%s FAKETIME=+14d FAKETIME_DONT_FAKE_MONOTONIC=1\n" % LIBRARY


class Faults(Scene):
    def __init__(self, fleet):
        super().__init__(fleet)
        self.repository = fleet.repositories[0]
        for kind in ("BACKUP_DAMAGED", "BACKUP_FAILING"):
            self.tenant.ask("POST", self.tenant.of_project("/alertConfigs"), {
                "eventTypeName": kind, "enabled": True, "notifications": [{"typeName": "WEBHOOK", "webhookUrl": "https://hooks.example.org/a"}]})

    @property
    def seat(self):
        """Its folder on the repository host."""
        found = self.sql("SELECT encode(t.id, 'hex') FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id WHERE s.state = 'OPEN' AND s.project_id = '\\x%s'" % self.tenant.project)
        return STANZAS + "/" + found[0][0]

    def on_repository(self, command, timeout=60):
        return hosts.run(self.fleet, self.repository, "sh", "-c", command, timeout=timeout).strip()

    def window(self):
        return self.ask("GET", "/backup/window")

    def spans(self):
        return self.window()["seats"][0]["spans"]

    def told(self):
        """What was told about backups, oldest first."""
        return [row[0] for row in self.sql("SELECT type FROM event WHERE project_id = '\\x%s' AND type IN ('%s') ORDER BY seq" % (self.tenant.project, "', '".join(TOLD)))]

    def last_told(self):
        """What it says."""
        return self.sql("SELECT document::jsonb ->> 'after' FROM event WHERE project_id = '\\x%s' AND type IN ('%s') ORDER BY seq DESC LIMIT 1" % (
            self.tenant.project, "', '".join(TOLD)))[0][0]

    def alerts(self):
        """Open ones, by the event that raised them."""
        found = self.tenant.ask("GET", self.tenant.of_project("/alerts?status=OPEN"))["results"]
        return sorted(one["eventTypeName"] for one in found if one["eventTypeName"].startswith("BACKUP_"))

    def segments(self):
        """Paths of stored WAL, oldest first."""
        return self.on_repository("find %s/repo/archive -type f -name '0*-*' -printf '%%f %%p\\n' | sort | cut -d' ' -f2" % self.seat).split()

    def fill_segments(self, writer, count):
        """A second in the middle of each."""
        seconds = []
        for _ in range(count):
            seconds.append(a_second(writer))
            rig.superuser(self.fleet, rig.primary_of(self.fleet, CLUSTER), "SELECT pg_switch_wal()")
        return seconds

    def wait_stored(self, count):
        return wait_until(lambda: (lambda found: len(found) >= count and found)(self.segments()), "%d segments are stored" % count, 60)

    def look(self):
        """As if ten minutes had gone by. The file stays its owner's."""
        self.on_repository("cd %s/state && sed 's/\"atMs\":[0-9]*/\"atMs\":1/' kept.json > /tmp/kept && cat /tmp/kept > kept.json" % self.seat)

    def read_all(self):
        """As if a day had gone by."""
        self.on_repository("cd %s && sed 's/\"begunMs\":[0-9]*/\"begunMs\":1/' verify.json > /tmp/verify && cat /tmp/verify > verify.json" % self.seat)

    def wait_told(self, kind, count, seconds):
        began = time.monotonic()
        wait_until(lambda: self.told().count(kind) == count, "%s is told" % kind, seconds)
        return time.monotonic() - began

    def wait_sound(self, suite, count):
        took = self.wait_told("BACKUP_SOUND", count, 240)
        wait_until(lambda: self.alerts() == [], "the alert ends", 60)
        suite.say("a full backup was taken, and the alarm ended, after %.0f s" % took)


def refused(scene, moment):
    """What is said to whoever asks for a moment that is lost."""
    said = scene.ask("POST", "/backup/restoreJobs", {"deliveryType": "pointInTime", "targetClusterName": CLUSTER, "pointInTimeUTCSeconds": moment}, expect=(400, 409))
    return said.get("errorCode"), said.get("detail", "")


def judge_hole(suite, scene, writer, seconds, lost, before):
    """The second in the lost segment is refused with what is near it on both sides, and the ones beside it come back exactly."""
    code, detail = refused(scene, seconds[lost])
    suite.check(code == "POINT_NOT_RESTORABLE" and "the nearest that its backups reach is" in detail and " or " in detail, "a moment that is lost: %s %s", code, detail)
    copy_at(suite, scene, writer, seconds[before], "before what is lost")


def a_segment_is_removed(suite, scene):
    with writing(scene) as writer:
        stored = len(scene.segments())
        seconds = scene.fill_segments(writer, 5)
        scene.wait_window(a_second(writer))
        path = scene.wait_stored(stored + 5)[stored + 3]
        before = scene.window()
        scene.on_repository("rm " + path)
        scene.look()
        suite.say("told %.0f s after the look" % scene.wait_told("BACKUP_DAMAGED", 1, 90))
        suite.check("WAL is missing" in scene.last_told(), "what is told: %s", scene.last_told())
        wait_until(lambda: scene.alerts() == ["BACKUP_DAMAGED"], "an alert", 60)
        suite.check(any("missing" in one.get("endedBy", "") for one in scene.spans()), "the span is split: %s", scene.spans())
        scene.wait_sound(suite, 1)
        after = scene.window()
        suite.check(after["from"] > before["from"] and after["to"] > before["to"], "the window begins anew: %s, then %s", before["from"], after["from"])
        late = a_second(writer)
        scene.wait_window(late)
    judge_hole(suite, scene, writer, seconds, 3, 1)
    copy_at(suite, scene, writer, late, "behind what is lost")


def bytes_are_flipped(suite, scene):
    damaged, sound = scene.told().count("BACKUP_DAMAGED"), scene.told().count("BACKUP_SOUND")
    with writing(scene) as writer:
        stored = len(scene.segments())
        seconds = scene.fill_segments(writer, 5)
        scene.wait_window(a_second(writer))
        scene.on_repository(FLIP.format(scene.wait_stored(stored + 5)[stored + 3], 300))
        scene.read_all()
        suite.say("WAL: told %.0f s after it was read" % scene.wait_told("BACKUP_DAMAGED", damaged + 1, 150))
        suite.check("WAL is damaged" in scene.last_told(), "what is told: %s", scene.last_told())
        scene.wait_sound(suite, sound + 1)
    judge_hole(suite, scene, writer, seconds, 3, 0)
    label = scene.sql("SELECT label FROM snapshot_copy WHERE type = 'FULL' AND state = 'COMPLETED' AND seat_id = '\\x%s' ORDER BY label DESC LIMIT 1" % scene.seat[-24:])[0][0]
    scene.on_repository(FLIP.format("$(ls -S %s/repo/backup/*/%s/bundle/* | head -1)" % (scene.seat, label), 5000))
    scene.read_all()
    suite.say("a backup: told %.0f s after it was read" % scene.wait_told("BACKUP_DAMAGED", damaged + 2, 150))
    suite.check(label in scene.last_told(), "what is told: %s", scene.last_told())
    suite.equal(scene.sql("SELECT state, problem FROM snapshot_copy WHERE label = '%s'" % label), [["FAILED", "Its files in the repository are damaged."]], "the snapshot")
    scene.wait_sound(suite, sound + 2)
    newer = scene.sql("SELECT count(*) FROM snapshot_copy WHERE type = 'FULL' AND state = 'COMPLETED' AND label > '%s'" % label)
    suite.check(int(newer[0][0]) >= 1, "another full one was taken: %s", newer)
    suite.say("reading it all: %s" % scene.on_repository("cat %s/state/verified.json; du -sm %s/repo | cut -f1" % (scene.seat, scene.seat)))


def a_drill_ends_too_early(suite, scene):
    """The last stored segment is gone, and a commit a minute is all that an idle database has: only the position shows it."""
    with writing(scene) as writer:
        stored = len(scene.segments())
        scene.fill_segments(writer, 3)
        a_second(writer)
        path = scene.wait_stored(stored + 3)[stored + 1]
    scene.on_repository("mv %s /root/segment" % path)
    drill = scene.ask("POST", "/backup/drills", {})["id"]
    shown = wait_until(lambda: (lambda said: said["state"] in ("PASSED", "FAILED", "NOT_RUN") and said)(scene.ask("GET", "/backup/drills/" + drill)), "the drill", 240)
    suite.check(shown["state"] == "FAILED" and "was received, and recovery ended at" in shown.get("problem", ""), "a drill behind which WAL is missing: %s", shown)
    scene.on_repository("mv /root/segment " + path)


def the_disk_is_full(suite, scene):
    failing, working = scene.told().count("BACKUP_FAILING"), scene.told().count("BACKUP_WORKING")
    spans = len(scene.spans())
    with writing(scene) as writer:
        scene.on_repository("fallocate -l $(df --output=avail -B1 {0} | tail -1) {0}/filler".format(STANZAS))
        full = time.time()
        seconds = scene.fill_segments(writer, 3)
        scene.wait_told("BACKUP_FAILING", failing + 1, 180)
        suite.say("told after %.0f s: %s" % (time.time() - full, json.dumps(scene.window()["seats"][0].get("problem"))))
        suite.check("full" in scene.last_told() or "space" in scene.last_told(), "what is told: %s", scene.last_told())
        wait_until(lambda: scene.alerts() == ["BACKUP_FAILING"], "an alert", 60)
        slot = rig.superuser(scene.fleet, rig.primary_of(scene.fleet, CLUSTER),
                             "SELECT wal_status || ' ' || (pg_current_wal_lsn() - restart_lsn) FROM pg_replication_slots WHERE slot_name LIKE 'reeve_wal%'")
        suite.say("the slot on the member: %s bytes" % slot)
        scene.on_repository("rm %s/filler" % STANZAS)
        scene.wait_told("BACKUP_WORKING", working + 1, 180)
        wait_until(lambda: scene.alerts() == [], "the alert ends", 60)
        scene.wait_window(a_second(writer))
    suite.equal(len(scene.spans()), spans, "no gap: %s" % scene.spans())
    copy_at(suite, scene, writer, seconds[1], "while the disk was full")


@contextlib.contextmanager
def two_weeks_ahead(fleet, host, units):
    """All programs of these units, which are named by how their names begin."""
    root = hosts.folder(fleet, host, "root")
    shutil.copy(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")[0], root + LIBRARY)
    for unit in units:
        hosts.write_file(fleet, host, "/etc/systemd/system/%s.service.d/clock.conf" % unit, CLOCK)
    again = "systemctl daemon-reload; systemctl restart %s" % " ".join("'%s*.service'" % unit for unit in units)
    hosts.run(fleet, host, "sh", "-c", again, timeout=120)
    try:
        yield
    finally:
        for unit in units:
            os.unlink("%s/etc/systemd/system/%s.service.d/clock.conf" % (root, unit))
        hosts.run(fleet, host, "sh", "-c", again, timeout=120)


def judge_clock(suite, scene, host, units, sentence):
    """Told, nothing removed, and no moment promised that has not been. The last second that was written before, and one of meanwhile."""
    failing, working = scene.told().count("BACKUP_FAILING"), scene.told().count("BACKUP_WORKING")
    kept = sorted(scene.on_repository("ls %s/repo/backup/*/" % scene.seat).split())
    with writing(scene) as writer:
        before = a_second(writer)
        scene.wait_window(before)
        with two_weeks_ahead(scene.fleet, host, units):
            suite.say("told after %.0f s" % scene.wait_told("BACKUP_FAILING", failing + 1, 180))
            suite.check(sentence in scene.last_told(), "what is told: %s", scene.last_told())
            wait_until(lambda: scene.alerts() == ["BACKUP_FAILING"], "an alert", 60)
            scene.look()
            meanwhile = a_second(writer)
            suite.check(scene.window()["to"] < time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60)), "the window does not reach into the future: %s", scene.window()["to"])
        scene.wait_told("BACKUP_WORKING", working + 1, 240)
        wait_until(lambda: scene.alerts() == [], "the alert ends", 60)
        after = a_second(writer)
        scene.wait_window(after)
    now = sorted(scene.on_repository("ls %s/repo/backup/*/" % scene.seat).split())
    suite.check(set(kept) <= set(now), "no backup went: %s, then %s", kept, now)
    copy_at(suite, scene, writer, before, "before the clock was wrong")
    copy_at(suite, scene, writer, after, "after it was set right")
    return writer, meanwhile


def the_repository_s_clock_is_ahead(suite, scene):
    writer, meanwhile = judge_clock(suite, scene, scene.repository, ("reeve-agent", "reeve-wal-", "reeve-backup-"), "s behind the repository host's")
    copy_at(suite, scene, writer, meanwhile, "while it was wrong")


def a_member_s_clock_is_ahead(suite, scene):
    """What it wrote meanwhile has a time that was not: nobody can say where a second of it is."""
    member = rig.primary_of(scene.fleet, CLUSTER)
    _, meanwhile = judge_clock(suite, scene, member.host, ("reeve-member-",), "s ahead of the repository host's")
    code, detail = refused(scene, meanwhile)
    suite.check(code == "POINT_NOT_RESTORABLE", "a second of meanwhile: %s %s", code, detail)


PARTS = (a_segment_is_removed, bytes_are_flipped, a_drill_ends_too_early, the_disk_is_full, the_repository_s_clock_is_ahead, a_member_s_clock_is_ahead)


def main():
    suite = Suite("faults of backups")
    try:
        with rig.fleet_for(3, repositories=1) as fleet:
            hosts.run(fleet, fleet.repositories[0], "sh", "-c", "mkdir -p {0} && mountpoint -q {0} || mount -t tmpfs -o size={1}m,mode=0711 tmpfs {0}".format(STANZAS, DISK_MB))
            scene = Faults(fleet)
            scene.create(CLUSTER, 1, True)
            wait_psql(fleet, scene.dsn(CLUSTER), TABLES, 60)
            scene.wait_first_snapshot()
            for part in PARTS if len(sys.argv) == 1 else [part for part in PARTS if part.__name__ in sys.argv[1:]]:
                began = time.monotonic()
                part(suite, scene)
                suite.say("%s: %.0f s" % (part.__name__.replace("_", " "), time.monotonic() - began))
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
