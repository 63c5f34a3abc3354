#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Restores on real hosts, as a tenant asks for them, while a client writes numbered rows: an exact second into another cluster, a dropped table brought back in
place, one that is cancelled; and, as often as --rounds says, all hosts of the cluster are destroyed at a moment that nobody chose: the latest comes back in place,
and a second of the history before into another cluster. Needs root.

    test/cluster/restore_test.py [--rounds 5] [--report FILE]
"""
import argparse
import datetime
import random
import re
import statistics
import sys
import threading
import time

import rig
from ledger import TABLES, Writer
from restore_scene import CLUSTER, COPY, Scene, copy_at, judge_exact, writing
from tenant import psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

LATE_S = 1  # what the repository host may be behind when every host of the cluster dies at once, or more when the API says so
# About 400 MB, so that what is measured is the copying and not the start of programs.
BALLAST = "CREATE TABLE ballast AS SELECT g, md5(g::text) || md5((g + 1)::text) || md5((g * 7)::text) || md5((g * 13)::text) AS filling FROM generate_series(1, 2000000) g"


def another_cluster_at_an_exact_second(suite, scene):
    scene.create(CLUSTER, 3, True)
    wait_psql(scene.fleet, scene.dsn(CLUSTER), TABLES, 60)
    scene.wait_first_snapshot()
    writer = Writer(scene.fleet, scene.dsn(CLUSTER))
    try:
        time.sleep(3)
        moment = int(time.time())
        time.sleep(3)
        scene.wait_window(moment)
        scene.create(COPY, 1, False)
        done = scene.restore(COPY, pointInTimeUTCSeconds=moment)
    finally:
        writer.stop()
    suite.equal((done["state"], done["failed"]), ("DONE", False), "a restore into another cluster: %s" % done)
    suite.check(abs(datetime.datetime.fromisoformat(done["reachedAt"].replace("Z", "+00:00")).timestamp() - moment) < 2, "what it reached: %s", done.get("reachedAt"))
    judge_exact(suite, scene, writer, scene.numbers(COPY), moment, "an exact second")
    suite.equal(len(scene.numbers(CLUSTER) & {row[1] for row in writer.acknowledged()}), len(writer.acknowledged()), "rows of the source")
    suite.equal(psql(scene.fleet, scene.dsn(COPY), "INSERT INTO ledger (number) VALUES (-1)")[0], 0, "the copy is written to")
    suite.equal(scene.sql("SELECT count(*) FROM restore_job WHERE gate_port IS NOT NULL OR phase IS NOT NULL"), [["0"]], "gates and phases that are left")
    scene.tenant.delete_cluster(COPY)
    scene.tenant.wait_gone(COPY)


def a_dropped_table_in_place(suite, scene):
    writer = Writer(scene.fleet, scene.dsn(CLUSTER), pause_s=0.02) if psql(scene.fleet, scene.dsn(CLUSTER), "TRUNCATE ledger")[0] == 0 else None
    if writer is None:
        raise Problem("the table could not be emptied")
    time.sleep(3)
    moment = int(time.time())
    time.sleep(2)
    writer.stop()
    later = scene.tenant.create_user("later")  # who is there now is there afterwards
    suite.equal(psql(scene.fleet, scene.dsn(CLUSTER), "DROP TABLE ledger")[0], 0, "the table is dropped")
    scene.wait_window(moment)
    cancelled = scene.restore(CLUSTER, wait=False, pointInTimeUTCSeconds=moment)
    wait_until(lambda: scene.sql("SELECT 1 FROM restore_job WHERE phase IS NOT NULL AND finished_at IS NULL"), "members are told to stop", 60)
    scene.ask("DELETE", "/backup/restoreJobs/" + cancelled)
    shown = scene.wait_restored(cancelled)
    suite.equal((shown["state"], shown["cancelled"]), ("CANCELLED", True), "a restore that was cancelled: %s" % shown)
    wait_psql(scene.fleet, scene.dsn(CLUSTER), "SELECT 1", 60)
    said = psql(scene.fleet, scene.dsn(CLUSTER), "SELECT 1 FROM ledger")
    suite.check("does not exist" in said[2], "the cluster has its data from before: %s", said)
    rig.wait_full_strength(scene.fleet, CLUSTER, 3, 60)
    done = scene.restore(CLUSTER, pointInTimeUTCSeconds=moment)
    suite.equal(done["state"], "DONE", "a restore in place: %s" % done)
    judge_exact(suite, scene, writer, scene.numbers(CLUSTER), moment, "a dropped table, in place")
    rig.wait_full_strength(scene.fleet, CLUSTER, 3, 60)
    dsn = scene.tenant.dsn(scene.tenant.cluster(CLUSTER), "later", later)
    suite.equal(wait_psql(scene.fleet, dsn, "SELECT count(*) > 0 FROM ledger", 30), "t", "a user who was made after the moment")
    suite.equal(scene.sql("SELECT incarnation, state FROM backup_stanza ORDER BY 1"), [["1", "FROZEN"], ["2", "OPEN"]], "histories after a restore in place")
    left = [one for member in rig.members(scene.fleet, CLUSTER)
            for one in hosts.run(scene.fleet, member.host, "sh", "-c", "ls /var/lib/reeve/members/%s | grep before || true" % member.id).split()]
    suite.equal(left, [], "data from before that is left")


def destroy(fleet, names):
    """Power-off of all of them, as nearly at once as threads are."""
    threads = [threading.Thread(target=hosts.kill, args=(fleet, name)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def shown_lag_s(scene):
    return max(seat["lagMillis"] for seat in scene.ask("GET", "/backup/window")["seats"]) / 1000


def copying_time(scene):
    """How long the first member of the last restore took to copy the backup, as its host says."""
    first = rig.primary_of(scene.fleet, CLUSTER)
    said = hosts.run(scene.fleet, first.host, "journalctl", "--no-pager", "--output", "cat", "--unit", "reeve-member-%s-restore.service" % first.id)
    return int(re.findall(r"bytes in (\d+) ms", said)[-1]) / 1000


def building_time(scene):
    """How long the members' part of the last restore took: from the order to the first member that is restored, recovery included."""
    found = scene.sql("SELECT extract(epoch FROM max(h.at) FILTER (WHERE h.step = 'wait-restored') - max(h.at) FILTER (WHERE h.step = 'build')) FROM job_history h JOIN job j "
                      "ON j.id = h.job_id WHERE j.kind = 'cluster.restore' AND j.seq = (SELECT max(seq) FROM job WHERE kind = 'cluster.restore')")[0][0]
    return float(found)


def base_backup_time(scene):
    """How long PostgreSQL's own copy of the primary takes on the same host, by the user that may ask for it."""
    primary = rig.primary_of(scene.fleet, CLUSTER)
    script = """set -e; member=/var/lib/reeve/members/%s; user=$(stat -c %%U $member/data); rm -rf /var/tmp/copy; install -d -o $user /var/tmp/copy
        began=$(date +%%s.%%N)
        runuser -u $user -- /usr/lib/postgresql/17/bin/pg_basebackup -h $member/run -p 5432 -U reeve_replicator -D /var/tmp/copy -c fast -X none 2>&1
        echo "seconds $began $(date +%%s.%%N)"; rm -rf /var/tmp/copy""" % primary.id
    words = hosts.run(scene.fleet, primary.host, "sh", "-c", script, timeout=300).split()
    return float(words[-1]) - float(words[-2])


class Loss:
    """One round: what was acknowledged, what of it is gone, and how long it took."""

    def __init__(self, suite, scene, number):
        self.suite, self.scene, self.number = suite, scene, number
        self.acknowledged = self.lost = 0
        self.lag_s = self.rto_s = self.base_s = self.copy_s = self.build_s = 0.0

    @property
    def ratio(self):
        return self.copy_s / self.base_s

    def play(self):
        scene = self.scene
        scene.wait_first_snapshot()
        scene.take_snapshot()
        with writing(scene) as writer:
            self.base_s = base_backup_time(scene)
            time.sleep(random.uniform(2, 6))
            moment = int(time.time())
            time.sleep(random.uniform(2, 4))
            names = [member.host for member in rig.members(scene.fleet, CLUSTER)]
            self.lag_s = shown_lag_s(scene)
            died = time.time()
            destroy(scene.fleet, names)
            self.bring_back(names)
        self.copy_s, self.build_s = copying_time(scene), building_time(scene)
        rig.wait_full_strength(scene.fleet, CLUSTER, 3, 240)
        self.count(writer, died)
        copy_at(self.suite, scene, writer, moment, "round %d, a second before the loss" % self.number)
        for name in names:
            rig.replace(scene.fleet, name)
        self.suite.say("round %d: %d acknowledged, %d lost, lag shown %.2f s, answers after %.1f s, copied in %.1f s, built in %.1f s, basebackup %.1f s, restore/basebackup %.2f" % (
            self.number, self.acknowledged, self.lost, self.lag_s, self.rto_s, self.copy_s, self.build_s, self.base_s, self.ratio))

    def bring_back(self, names):
        for name in names:
            control.reeved(self.scene.fleet, "fleet", "host", "remove", name, "--lost")
        began = time.monotonic()
        restore = self.scene.restore(CLUSTER, wait=False, latest=True)
        self.scene.numbers(CLUSTER)  # as soon as it answers
        self.rto_s = time.monotonic() - began
        done = self.scene.wait_restored(restore)
        self.suite.equal(done["state"], "DONE", "a restore after the loss of all hosts: %s" % done)

    def count(self, writer, died):
        rows = [row for row in writer.acknowledged() if row[2] < died + 5]
        there = self.scene.numbers(CLUSTER)
        missing = [row for row in rows if row[1] not in there]
        self.acknowledged, self.lost = len(rows), len(missing)
        late = max(LATE_S, self.lag_s)
        self.suite.check(rows and all(row[3] > died - late for row in missing), "acknowledged rows that are lost, and how long before: %s",
                         [(row[1], died - row[3]) for row in missing][:5])


def summary(scene, rounds):
    return "restore: %d acknowledged, %d lost, point-in-time exact %d of %d, rto %.1f s, restore/basebackup %.2f" % (
        sum(one.acknowledged for one in rounds), sum(one.lost for one in rounds), sum(scene.exact), len(scene.exact),
        max(one.rto_s for one in rounds), statistics.median(one.ratio for one in rounds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1, help="so many times all hosts are lost")
    parser.add_argument("--report")
    options = parser.parse_args()
    suite = Suite("restores")
    try:
        with rig.fleet_for(6, repositories=1) as fleet:
            scene = Scene(fleet)
            another_cluster_at_an_exact_second(suite, scene)
            a_dropped_table_in_place(suite, scene)
            suite.equal(psql(fleet, scene.dsn(CLUSTER), BALLAST, timeout=600)[0], 0, "the ballast")
            rounds = [Loss(suite, scene, number + 1) for number in range(options.rounds)]
            for one in rounds:
                one.play()
            suite.say(summary(scene, rounds))
            if options.report:
                write_report(options.report, scene, rounds)
            scene.tenant.delete_cluster(CLUSTER)
            scene.tenant.wait_gone(CLUSTER)
            wait_until(lambda: not rig.left_behind(fleet), "nothing is left", 60)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


def write_report(path, scene, rounds):
    rows = ["| %d | %d | %d | %.2f s | %.1f s | %.1f s | %.1f s | %.1f s | %.2f |" % (
        one.number, one.acknowledged, one.lost, one.lag_s, one.rto_s, one.build_s, one.copy_s, one.base_s, one.ratio) for one in rounds]
    rig.write_report(path, "Restores", [
        "All hosts of a cluster lose their power at a random moment, while a client writes rows one after another. The cluster is restored to the latest moment in place,",
        "and a second from before into another cluster. Answers after: from the request to the first row that is read. Built: from the order to the first member that takes",
        "part, with recovery, users and access. Copied: the part of it in which the first member fetches the backup. `pg_basebackup` copies the same data (about 400 MB) on one host in the",
        "same round, and the last column is one by the other. Ends with the line of the largest time and the median of the last column.", "",
        "| round | acknowledged | lost | lag that the API showed | answers after | built | copied | `pg_basebackup` | restore/basebackup |", "|---|---|---|---|---|---|---|---|---|", *rows, "", "`%s`" % summary(scene, rounds)])


if __name__ == "__main__":
    sys.exit(main())
