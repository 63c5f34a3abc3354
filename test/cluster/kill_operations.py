# SPDX-License-Identifier: Apache-2.0
"""Operations on backups that can be killed at every step: how each is begun, which steps can be seen from outside, what must be true when it has ended, and
what would be left of it if something was forgotten."""
import contextlib
import hashlib
import json
import re
import time

import rig
from ledger import TABLES, Writer
from restore_scene import Scene
from tenant import wait_psql

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402

SEATS, DRILLS, GATES, MEMBERS, UNITS = "/var/lib/reeve/stanzas/", "/var/lib/reeve/drills", "/var/lib/reeve/gates", "/var/lib/reeve/members/", "/etc/systemd/system"
LABEL = re.compile(r"\d{8}-\d{6}F(_\d{8}-\d{6}[DI])?")
FACTS = "CREATE TABLE facts AS SELECT g AS n, md5(g::text) AS words FROM generate_series(1, 20000) g"
SUM = "SELECT count(*) || ' ' || md5(string_agg(n || words, ',' ORDER BY n)) FROM facts"
# By its label, on the repository host and with the seat's own settings: recovered to its end, started, and asked.
RESTORE = """set -e; cd /; seat={seat}; user=$(stat -c %U $seat/repo); at=/var/tmp/judge-{label}; rm -rf $at; install -d -m 700 -o $user $at $at/data $at/run
as() {{ setpriv --reuid=$user --regid=$user --clear-groups -- "$@"; }}
as pgbackrest --config=$seat/push.conf --stanza={stanza} --set={label} --pg1-path=$at/data --type=immediate --target-action=promote --archive-mode=off restore
echo 'local all all trust' > $at/hba; rm -f $at/data/postgresql.conf; touch $at/data/postgresql.conf; chmod a+r $at/hba
as /usr/lib/postgresql/17/bin/pg_ctl -D $at/data -w -s -t 60 -l $at/run/log -o "-c listen_addresses= -c unix_socket_directories=$at/run -c hba_file=$at/hba -c hot_standby=off -c max_connections=300 \\
 -c max_worker_processes=64 -c max_prepared_transactions=100 -c max_wal_senders=20" start || {{ cat $at/run/log; exit 1; }}
for i in $(seq 300); do found=$(as /usr/lib/postgresql/17/bin/psql -X -At -h $at/run -U postgres -d shop -c "{query}" 2>/dev/null) && break; sleep 0.1; done
as /usr/lib/postgresql/17/bin/pg_ctl -D $at/data -w -s -m immediate stop; rm -rf $at; echo "found $found"
"""


class Kept(Scene):
    """A tenant with a cluster that has backups, of which the first one that somebody asked for has `facts` and no rows of a writer."""

    def __init__(self, watch, name, members=1):
        super().__init__(watch.fleet)
        self.watch, self.name, self.repository = watch, name, watch.fleet.repositories[0]
        self.create(name, members, True, "S3")
        wait_psql(self.fleet, self.dsn(name), TABLES, 60)
        wait_psql(self.fleet, self.dsn(name), FACTS, 60)
        self.sum = wait_psql(self.fleet, self.dsn(name), SUM, 60)
        wait_until(lambda: self.watch.sql("SELECT 1 FROM snapshot n JOIN cluster c ON c.id = n.cluster_id WHERE c.name = %s AND n.state = 'COMPLETED'", name), "the first snapshot", 120)
        self.snapshot = self.take()
        self.spare = []  # snapshots that may go
        wait_psql(self.fleet, self.dsn(name), "INSERT INTO facts SELECT g, 'later' FROM generate_series(20001, 20100) g", 60)
        self.later = wait_psql(self.fleet, self.dsn(name), SUM, 60)

    def of(self, method, path, body=None, **more):
        return self.ask(method, "/backup" + path, body, name=self.name, **more)

    def take(self):
        made = self.of("POST", "/snapshots", {"description": "to be kept", "retentionInDays": 1})["id"]
        wait_until(lambda: self.of("GET", "/snapshots/" + made)["status"] == "completed", "a snapshot on demand", 240)
        return made

    @property
    def seat(self):
        """(id, stanza) of the history that goes on."""
        return self.watch.sql("SELECT encode(t.id, 'hex'), s.name FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id JOIN cluster c ON c.id = s.cluster_id "
                              "WHERE c.name = %s AND s.state = 'OPEN'", self.name)[0]

    def label(self, snapshot):
        return self.watch.sql("SELECT label FROM snapshot_copy WHERE snapshot_id = decode(%s, 'hex')", snapshot)[0][0]


class Operation:
    """One try. `at(step)` says whether it is there now."""

    def __init__(self, kept):
        self.kept, self.watch, self.fleet, self.host = kept, kept.watch, kept.fleet, kept.repository
        self.seat, self.stanza = kept.seat
        self.folder = SEATS + self.seat
        self.id = None

    def at(self, step):
        return getattr(self, "at_" + step.replace("-", "_"))()

    @staticmethod
    def at_asked():
        return True

    def worker(self):
        """The process that runs its job; None when it has none."""
        return None

    def close(self):
        pass

    # ---- The repository, as it is on its disk ----
    def labels(self):
        return {name for name in self.watch.entries(self.host, "%s/repo/backup/%s" % (self.folder, self.stanza)) if LABEL.fullmatch(name)}

    def known_labels(self):
        info = self.watch.document(self.host, self.folder + "/state/kept.json").get("info") or [{}]
        return {one["label"] for one in info[0].get("backup", [])}

    def keepers(self, *words):
        return self.watch.processes(self.host, "reeve-backup-%s.service" % self.seat, *words)

    def on_host(self, command, timeout=90):
        return hosts.run(self.fleet, self.host, "sh", "-c", command, timeout=timeout)

    def scratch_left(self, kind):
        """Of a drill or an export."""
        users = self.watch.document(self.host, "/var/lib/reeve/agent/users.json").get("members", {})
        return [one for one in self.watch.entries(self.host, UNITS) if one.startswith("reeve-%s-%s" % (kind, self.seat)) and one.endswith(".service")] + [
            one for one in [*self.watch.entries(self.host, DRILLS), *users] if one == self.id]


class Snapshot(Operation):
    """Asked for; its host has ordered it; pgBackRest copies; it is in the repository, and its host has not noticed yet."""

    def begin(self):
        self.before = self.labels()
        self.id = self.kept.of("POST", "/snapshots", {"description": "killed", "retentionInDays": 1})["id"]

    def at_ordered(self):
        job = self.watch.document(self.host, self.folder + "/jobs.json").get("job") or {}
        return job.get("snapshot") == self.id and self.keepers() and not self.keepers("pgbackrest")

    def at_copying(self):
        return self.keepers("pgbackrest", "snapshot=" + self.id)

    def at_copied(self):
        new = self.labels() - self.before
        return any("backup.manifest" in self.watch.entries(self.host, "%s/repo/backup/%s/%s" % (self.folder, self.stanza, one)) for one in new) and \
            self.keepers() and not self.keepers("pgbackrest")

    def victims(self, who):
        if who == "the member's server":
            member = rig.primary_of(self.fleet, self.kept.name)
            return self.watch.processes(member.host, "reeve-member-%s-backup.service" % member.id)
        return self.keepers("pgbackrest") if who == "pgBackRest" else self.keepers()

    def members_host(self):
        return rig.primary_of(self.fleet, self.kept.name).host

    def is_over(self):
        return self.kept.of("GET", "/snapshots/" + self.id)["status"] in ("completed", "failed")

    def judge(self):
        shown = self.kept.of("GET", "/snapshots/" + self.id)
        if shown["status"] != "completed":
            return ["the snapshot: %s" % shown]
        self.kept.spare.append(self.id)
        found = self.on_host(RESTORE.format(seat=self.folder, stanza=self.stanza, label=self.kept.label(self.id), query=SUM)).strip()
        return [] if found.endswith("found " + self.kept.later) else ["restored by its label: %s" % found]

    def left(self):
        return ["%s is in the repository, and nobody knows it" % one for one in self.labels() - self.known_labels()]


class Removal(Snapshot):
    """Of a snapshot that its tenant deletes: released by the control plane; ordered by its host; pgBackRest removes; it is gone, and its host has not noticed yet."""

    def begin(self):
        self.id = self.kept.spare.pop(0) if self.kept.spare else self.kept.take()
        self.label = self.kept.label(self.id)
        self.before = self.labels()
        self.kept.of("DELETE", "/snapshots/" + self.id)

    def at_released(self):
        return self.watch.sql("SELECT 1 FROM snapshot_copy WHERE snapshot_id = decode(%s, 'hex') AND state = 'REMOVING'", self.id)

    def at_ordered(self):
        return self.label in (self.watch.document(self.host, self.folder + "/order.json").get("remove") or []) and self.keepers() and self.label in self.labels()

    def at_removing(self):
        return [pid for pid in self.keepers("pgbackrest", "expire", self.label) if pid not in self.keepers("--dry-run")]

    def at_removed(self):
        return self.label not in self.labels() and self.label in self.known_labels() and self.keepers()

    def is_over(self):
        return not self.watch.sql("SELECT 1 FROM snapshot_copy WHERE snapshot_id = decode(%s, 'hex')", self.id)

    def judge(self):
        wrong = [] if self.label not in self.labels() else ["%s is still there" % self.label]
        lost = self.before - {self.label} - self.labels()
        shown = self.kept.tenant.try_nodes("GET", self.kept.tenant.of_project("/clusters/%s/backup/snapshots/%s" % (self.kept.name, self.id)), None).status
        return wrong + ["gone with it: %s" % sorted(lost)] * bool(lost) + ["it is still shown"] * (shown != 404)


class Drill(Operation):
    def begin(self):
        self.id = self.kept.of("POST", "/drills", {})["id"]

    def unit(self, stage, *words):
        return self.watch.processes(self.host, "reeve-drill-%s-%s.service" % (self.seat, stage), *words)

    def at_fetch(self):
        return self.unit("fetch", "pgbackrest")

    def at_prove(self):
        return self.unit("prove")

    def at_clear(self):
        return self.watch.document(self.host, self.folder + "/drill.json").get("stage") == "clear"

    def victims(self, who):
        return self.unit(".*", "pgbackrest") if who == "pgBackRest" else self.unit(".*")

    def members_host(self):
        return rig.primary_of(self.fleet, self.kept.name).host

    def shown(self):
        return self.kept.of("GET", "/drills/" + self.id)

    def is_over(self):
        return self.shown()["state"] in ("PASSED", "FAILED", "NOT_RUN")

    def judge(self):
        shown = self.shown()
        return [] if shown["state"] == "PASSED" and {one["result"] for one in shown["checks"]} == {"PASSED"} else ["the drill: %s" % shown]

    def left(self):
        return self.scratch_left("drill")


class Export(Operation):
    """Into a bucket of a real server; what is in it is compared with its manifest."""
    store = bucket = None

    def begin(self):
        self.id = self.kept.of("POST", "/exports", {"exportBucketId": self.bucket, "snapshotId": self.kept.snapshot})["id"]

    def unit(self, stage, *words):
        return self.watch.processes(self.host, "reeve-export-%s-%s.service" % (self.seat, stage), *words)

    def at_fetch(self):
        return self.unit("fetch", "pgbackrest")

    def at_dump(self):
        return self.unit("dump")

    def at_upload(self):
        return self.unit("upload")

    def at_clear(self):
        return self.watch.document(self.host, self.folder + "/export.json").get("stage") == "clear"

    def victims(self, who):
        return self.unit(".*", "pgbackrest") if who == "pgBackRest" else self.unit(".*")

    def members_host(self):
        return rig.primary_of(self.fleet, self.kept.name).host

    def shown(self):
        return self.kept.of("GET", "/exports/" + self.id)

    def is_over(self):
        return self.shown()["state"] not in ("Queued", "InProgress")

    def judge(self):
        shown = self.shown()
        if shown["state"] != "Successful":
            return ["the export: %s" % shown]
        objects = self.store.objects(shown["prefix"])
        with open(objects["manifest.json"], encoding="utf-8") as file:
            listed = {one["path"]: one["sha256"] for one in json.load(file)["files"]}
        there = {path: checksum(file) for path, file in objects.items() if path not in ("manifest.json", ".complete")}
        return ["what is in the bucket is not what its manifest says"] * (there != listed or not there) + [".complete is not there"] * (".complete" not in objects)

    def left(self):
        rules = self.on_host("nft list set inet reeve confined | grep elements || true").strip()
        return self.scratch_left("export") + ["rules of what uploads: " + rules] * bool(rules)


def checksum(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Restore(Operation):
    """Of one snapshot, into the cluster `target`, while a client tries to write there all the time. Whoever was told that a row is written since the members were
    told to begin must find it there in the end: a cluster that is half restored accepts nothing."""
    tried = 0  # writes, in all of them

    def __init__(self, kept, target):
        super().__init__(kept)
        self.target, self.writer = target, None

    def begin(self):
        dsn = self.kept.dsn(self.target)
        wait_psql(self.fleet, dsn, TABLES + "TRUNCATE ledger", 60)
        self.first = rig.primary_of(self.fleet, self.target)
        self.note = "/var/lib/reeve/agent/restore-" + self.first.id
        self.writer = Writer(self.fleet, dsn, pause_s=0.05)
        self.id = self.kept.of("POST", "/restoreJobs", {"deliveryType": "automated", "snapshotId": self.kept.snapshot, "targetClusterName": self.target})["id"]

    def at(self, step):
        if hasattr(self, "at_" + step):
            return super().at(step)
        return self.watch.sql("SELECT 1 FROM job WHERE kind = 'cluster.restore' AND finished_at IS NULL AND payload ->> 'restoreId' = %s AND step = %s", self.id, step)

    def worker(self):
        owner = self.watch.sql("SELECT lease_owner FROM job WHERE kind = 'cluster.restore' AND payload ->> 'restoreId' = %s", self.id)[0][0]
        return int(owner.rpartition("/")[2]) if owner else None

    def unit(self, *words):
        return self.watch.processes(self.first.host, "reeve-member-%s-restore.service" % self.first.id, *words)

    def at_moving(self):
        return self.id + " MOVING" in self.watch.text(self.first.host, self.note)

    def at_copying(self):
        return self.unit("pgbackrest", "--set")

    def at_recovering(self):
        return self.unit("bin/postgres")

    def at_opening(self):
        return re.search(self.id + " (DATA|OPEN)", self.watch.text(self.first.host, self.note))

    def victims(self, who):
        if who == "the gate":
            return self.watch.processes(self.host, "reeve-gate-%s.service" % self.id)
        return self.unit("pgbackrest") if who == "pgBackRest" else self.unit()

    def members_host(self):
        return self.first.host

    def shown(self):
        return self.kept.of("GET", "/restoreJobs/" + self.id)

    def is_over(self):
        return self.shown()["state"] not in ("RUNNING", "UNDOING")

    def told_at(self, step):
        found = self.watch.sql("SELECT extract(epoch FROM min(h.at))::float8 FROM job_history h JOIN job j ON j.id = h.job_id WHERE j.payload ->> 'restoreId' = %s AND h.step = %s AND h.outcome = 'DONE'", self.id, step)
        return found[0][0]

    def judge(self):
        shown = self.shown()
        if shown["state"] != "DONE":
            return ["the restore: %s" % shown]
        self.writer.wait_write_after(time.time(), 60)
        self.writer.stop()
        Restore.tried += len(self.writer.lines())
        found = wait_psql(self.fleet, self.kept.dsn(self.target), SUM, 60)
        numbers = set(map(int, wait_psql(self.fleet, self.kept.dsn(self.target), "SELECT number FROM ledger", 60).split()))
        stopped, built = self.told_at("stop"), self.told_at("build")
        missing = [row for row in self.writer.acknowledged() if row[2] > built and row[1] not in numbers]
        extra = [row for row in self.writer.acknowledged() if row[3] < stopped and row[1] in numbers]
        return ["its rows: %s instead of %s" % (found, self.kept.sum)] * (found != self.kept.sum) + \
            ["writes that a half-restored cluster accepted: %s" % missing[:3]] * bool(missing) + ["rows of after the snapshot: %s" % extra[:3]] * bool(extra)

    def left(self):
        found = [one for folder in (GATES, UNITS) for one in self.watch.entries(self.host, folder) if self.id in one]
        for member in rig.members(self.fleet, self.target):
            found += [one for one in self.watch.entries(member.host, MEMBERS + member.id) if one.startswith(("data.", "restore"))]
            found += [one for one in [*self.watch.entries(member.host, UNITS), *self.watch.entries(member.host, "/var/lib/reeve/agent")]
                      if one in ("reeve-member-%s-restore.service" % member.id, "restore-" + member.id)]
        found += ["certificate %s" % row for row in self.watch.sql("SELECT serial FROM certificate WHERE kind = 'GATE' AND owner = %s AND revoked_at IS NULL", self.id)]
        found += ["gate or phase %s" % (row,) for row in self.watch.sql("SELECT gate_port, phase FROM restore_job WHERE id = decode(%s, 'hex') AND (gate_port IS NOT NULL OR phase IS NOT NULL)", self.id)]
        return found + self.slots()

    def slots(self):
        """Those of receivers, of which the cluster has as many as seats, and of its own members."""
        with contextlib.suppress(Problem):
            rows = rig.superuser(self.fleet, rig.primary_of(self.fleet, self.target), "SELECT slot_name FROM pg_replication_slots ORDER BY 1")
            seats = self.watch.sql("SELECT count(*) FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id JOIN cluster c ON c.id = s.cluster_id WHERE c.name = %s AND s.state = 'OPEN'", self.target)
            receivers = [row[0] for row in rows if row[0].startswith("reeve_wal")]
            members = len(rig.members(self.fleet, self.target)) - 1
            return [] if len(receivers) == seats[0][0] and len(rows) - len(receivers) <= members else ["slots %s" % rows]
        return ["no primary"]

    def close(self):
        if self.writer is not None:
            self.writer.stop()

