#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A year of snapshots in minutes: two hundred of them by mixed rules, hourly to yearly and on demand, with a compliance policy for some months, in a real repository.
At each step everything that is promised must be there, and what was promised no longer must go. Needs root.

    test/expiry/expiry_test.py [--snapshots 200] [--days 366] [--seed 1] [--report FILE]

All have the same simulated clock (libfaketime): the control database, the agent's code and the PostgreSQL that is copied, which pgBackRest asks for the time. Real are the
control plane's goal, its reports and the statements of its sweep; what the agent decides (seat_step.c runs its code), `reeve-agent keep`, and pgBackRest 2.55 of the
image that hosts of fleets have. Now and then both are killed, somewhere. Played are the receiver of WAL, whose files say what the server's archiver has stored, and systemd.

Ends with "expiry: N snapshots, N restored, N gone, N protected, N lost".
"""
import argparse
import collections
import datetime
import json
import os
import random
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "test", folder) for folder in ("fleet", "api")]
sys.dont_write_bytecode = True

import container  # noqa: E402
import image  # noqa: E402
from node import Node  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402
from world import sql  # noqa: E402

FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime"
LIBRARY = FAKETIME + "/libfaketime.so.1"
BEGINNING = datetime.datetime(2027, 1, 1, 0, 30, tzinfo=datetime.timezone.utc).timestamp()
HOUR, DAY = 3600, 86400
BIN = "/usr/lib/postgresql/17/bin"
ID = {name: "%024d" % number for number, name in enumerate(("organization", "project", "cluster", "stanza", "seat", "host"), 1)}
STANZA, PASS, PORT = "abcdef-1", "correct horse battery staple", 5999
LABEL = re.compile(r"\d{8}-\d{6}F(_\d{8}-\d{6}[DI])?")
ITEMS = (("hourly", 6, "days", 2), ("daily", 1, "days", 7), ("weekly", 6, "weeks", 4), ("monthly", 40, "months", 3), ("yearly", 9, "years", 1))
SCHEDULE = {"clusterName": "orders", "referenceHourOfDay": 3, "referenceMinuteOfHour": 17, "restoreWindowDays": 2, "extraRetentionSettings": [{"frequencyType": "DAILY", "retentionDays": 1}],
            "policies": [{"policyItems": [{"id": "a%023d" % number, "frequencyType": frequency, "frequencyInterval": interval, "retentionUnit": unit, "retentionValue": value}
                                          for number, (frequency, interval, unit, value) in enumerate(ITEMS)]}]}
POLICY_DAYS = (100, 220)  # of the year: that long the project has the policy
# As the agent writes it (seat_files.c), but that the server is on the same machine.
CONFIG = """[global]
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass={password}
repo1-bundle=y
repo1-block=y
repo1-retention-full-type=count
repo1-retention-full=9999999
expire-auto=n
compress-type=zst
compress-level=3
process-max=1
lock-path={seat}/spool/lock
spool-path={seat}/spool
log-level-console=error
log-level-file=off
log-level-stderr=off
repo1-path={seat}/repo
"""
SERVER = """listen_addresses = ''
unix_socket_directories = '{run}'
port = %d
shared_buffers = 16MB
fsync = off
autovacuum = off
dynamic_shared_memory_type = mmap
wal_level = replica
archive_mode = on
archive_command = 'pgbackrest --config={seat}/push.conf --stanza=%s archive-push {data}/%%p'
max_wal_size = 64MB
""" % (PORT, STANZA)
SUM = "SELECT count(*) || ' ' || md5(string_agg(n || words, ',' ORDER BY n)) FROM facts"


def with_a_clock():
    """Begins anew, in a mount namespace of its own and with a clock for those who have libfaketime."""
    folder = tempfile.mkdtemp(prefix="reeve-expiry.", dir="/tmp")
    os.chmod(folder, 0o755)
    with open(folder + "/clock", "w", encoding="ascii") as file:
        file.write("%+.0f\n" % (BEGINNING - time.time()))
    environment = {**os.environ, "REEVE_EXPIRY": folder, "FAKETIME_TIMESTAMP_FILE": folder + "/clock", "FAKETIME_NO_CACHE": "1",
                   "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_RESET": "1", "NO_FAKE_STAT": "1"}
    try:
        return subprocess.run(["unshare", "--mount", "--propagation", "private", "/usr/bin/python3", os.path.abspath(__file__), *sys.argv[1:]],
                              check=False, env=environment).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Clock:
    def __init__(self, folder):
        self.path = folder + "/clock"
        with open(self.path, encoding="ascii") as file:
            self.offset = float(file.read())

    def now(self):
        return time.time() + self.offset

    def move(self, seconds):
        self.offset += seconds
        with open(self.path + ".new", "w", encoding="ascii") as file:
            file.write("%+.0f\n" % self.offset)
        os.chmod(self.path + ".new", 0o644)
        os.rename(self.path + ".new", self.path)


# ---- The host: a root of its own with what hosts have ----
class Machine:
    def __init__(self, folder, build):
        self.folder, self.root, self.servers = folder, folder + "/disk/root", []
        self.seat, self.data, self.run = (folder + "/shared/" + name for name in ("seat", "data", "run"))
        os.makedirs(folder + "/disk")
        os.makedirs(folder + "/shared")
        container.mount("reeve-expiry", image.path() if os.path.isdir(image.path()) else image.ensure(print), folder + "/disk")
        for source, target in ((build, "/opt/reeve"), (FAKETIME, FAKETIME), (folder, folder), ("/proc", "/proc"), ("/dev", "/dev")):
            os.makedirs(self.root + target, exist_ok=True)
            subprocess.run(["mount", "--bind", source, self.root + target], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", self.root + "/dev/shm"], check=True)
        with open(self.root + "/etc/passwd", encoding="utf-8") as file:
            self.user = next(int(line.split(":")[2]) for line in file if line.startswith("postgres:"))

    def words(self, *words):
        """What libfaketime shares between processes belongs to one user: so nobody outside has it."""
        return ["env", "-u", "LD_PRELOAD", "-u", "FAKETIME_SHARED", "chroot", "--userspec=%d:%d" % (self.user, self.user), self.root, "env", "LD_PRELOAD=" + LIBRARY, *words]

    def do(self, *words, check=True, **more):
        done = subprocess.run(self.words(*words), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, cwd="/", **more)
        if check and done.returncode != 0:
            raise RuntimeError("%s: %s" % (" ".join(words)[:300], (done.stdout + done.stderr)[-2000:]))
        return done.stdout.strip()

    def write(self, path, text):
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.chown(path + ".new", self.user, self.user)
        os.rename(path + ".new", path)

    def start_server(self, data, run, settings):
        for path in (data, run):
            os.makedirs(path, mode=0o700)
            os.chown(path, self.user, self.user)
        os.chmod(run, 0o755)
        self.do(BIN + "/initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--wal-segsize=1", "--data-checksums")
        with open(data + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.write(settings)
        self.servers.append(data)
        self.do("sh", "-c", "%s/pg_ctl -D %s -w -s -l %s/log start >/dev/null 2>&1 || { cat %s/log >&2; exit 1; }" % (BIN, data, run, run))

    def start(self):
        for path in (self.seat, *(self.seat + "/" + name for name in ("repo", "spool", "state", "wal", "aside"))):
            os.makedirs(path, mode=0o700)
            os.chown(path, self.user, self.user)
        self.write(self.seat + "/push.conf", CONFIG.format(password=PASS, seat=self.seat))
        self.write(self.seat + "/pgbackrest.conf", CONFIG.format(password=PASS, seat=self.seat) + "archive-check=n\nstart-fast=y\n[%s]\npg1-path=%s\npg1-port=%d\npg1-socket-path=%s\n" % (
            STANZA, self.data, PORT, self.run))
        self.write(self.seat + "/receive.json", json.dumps({"stanza": STANZA, "slot": "reeve_wal_0", "members": []}))
        self.start_server(self.data, self.run, SERVER.format(run=self.run, seat=self.seat, data=self.data))
        self.do("pgbackrest", "--config=%s/pgbackrest.conf" % self.seat, "--stanza=" + STANZA, "stanza-create")
        self.sql("CREATE TABLE facts (n int PRIMARY KEY, words text); INSERT INTO facts SELECT g, md5(g::text) FROM generate_series(1, 3000) g")

    def stop(self):
        for data in self.servers:
            self.do(BIN + "/pg_ctl", "-D", data, "-w", "-s", "-m", "immediate", "stop", check=False)

    def sql(self, text, run=None):
        return self.do("psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-h", run or self.run, "-p", str(PORT), "-U", "postgres", "-c", text)

    # ---- What the receiver of WAL says ----
    def receive(self):
        """Everything up to now is stored."""
        said = self.sql("SELECT pg_logical_emit_message(true, 'minute', ''); SELECT extract(epoch FROM clock_timestamp())::bigint * 1000, pg_walfile_name(pg_current_wal_insert_lsn()); "
                        "SELECT pg_switch_wal()").splitlines()
        (before, name), lsn = said[1].split("|"), said[2]
        until = time.monotonic() + 60
        while self.sql("SELECT coalesce(last_archived_wal, '') >= '%s' FROM pg_stat_archiver" % name) != "t":
            if time.monotonic() > until:
                raise RuntimeError("WAL is not stored: " + self.sql("SELECT * FROM pg_stat_archiver"))
            time.sleep(0.05)
        if not hasattr(self, "first"):
            self.first = before
        span = {"ordinal": 0, "fromLsn": "0/100000", "toLsn": lsn, "fromTimeline": 1, "toTimeline": 1, "fromMs": int(self.first), "toMs": int(before), "endedBy": ""}
        self.write(self.seat + "/state/spans.json", json.dumps({"segmentBytes": 1 << 20, "hasStanza": True, "histories": [], "lastTimeline": 1, "lastSegment": 0, "hasLast": False,
                                                                "wasAhead": False, "spans": [span], "marks": []}))
        self.write(self.seat + "/state/wal.json", json.dumps({"atMs": int(before), "receivedLsn": lsn, "timeline": 1, "lagBytes": 0, "lagMs": 0, "receiveProblem": "", "pushProblem": "",
                                                              "skewMs": 0, "serverVersion": "17.0", "spans": [span]}))

    # ---- What is there ----
    def labels(self):
        folder = "%s/repo/backup/%s" % (self.seat, STANZA)
        return {name for name in os.listdir(folder) if LABEL.fullmatch(name)} if os.path.isdir(folder) else set()

    def info(self):
        """{label: what it builds on}, as pgBackRest says now."""
        said = json.loads(self.do("pgbackrest", "--config=%s/push.conf" % self.seat, "--stanza=" + STANZA, "info", "--output=json"))
        return {one["label"]: set(one.get("reference") or []) for one in said[0]["backup"]}

    def used(self):
        return int(subprocess.run(["du", "-sb", self.seat + "/repo"], capture_output=True, text=True, check=True).stdout.split()[0])

    def restored(self, label):
        """The checksum of the rows that come back with it."""
        at = "%s/shared/restored" % self.folder
        shutil.rmtree(at, ignore_errors=True)
        os.makedirs(at + "/run")
        for path in (at, at + "/run"):
            os.chown(path, self.user, self.user)
        try:
            self.do("pgbackrest", "--config=%s/push.conf" % self.seat, "--stanza=" + STANZA, "--set=" + label, "--pg1-path=%s/data" % at, "--type=immediate", "--target-action=promote",
                    "--archive-mode=off", "restore")
            self.do("sh", "-c", "%s/pg_ctl -D %s/data -w -s -t 60 -l %s/run/log -o '-c unix_socket_directories=%s/run' start >/dev/null 2>&1 || { cat %s/run/log >&2; exit 1; }" % (BIN, at, at, at, at))
            for _ in range(300):
                if self.sql("SELECT pg_is_in_recovery()", at + "/run") == "f":
                    break
                time.sleep(0.05)
            return self.sql(SUM, at + "/run")
        finally:
            self.do(BIN + "/pg_ctl", "-D", at + "/data", "-w", "-s", "-m", "immediate", "stop", check=False)


# ---- The control plane: its database, and the statements that a worker runs ----
class Control:
    def __init__(self, machine):
        self.machine, self.data, self.run = machine, machine.folder + "/shared/control", machine.folder + "/shared/control-run"
        machine.start_server(self.data, self.run, "listen_addresses = ''\nunix_socket_directories = '%s'\nfsync = off\ndynamic_shared_memory_type = mmap\n" % self.run)
        os.environ["REEVE_TEST_SUPER_DSN"] = "host=%s user=postgres dbname=reeve" % self.run
        for statement in ("CREATE ROLE reeve LOGIN CREATEROLE", "CREATE DATABASE reeve OWNER reeve"):
            sql(statement, "host=%s user=postgres dbname=postgres" % self.run)
        Node(folder=machine.folder, dsn="host=%s user=reeve dbname=reeve" % self.run).run("migrate")
        values = {name: "decode('%s', 'hex')" % value for name, value in ID.items()}
        sql("""INSERT INTO organization (id, name, federation_id, access_list_required) VALUES ({organization}, 'o', {organization}, false);
            INSERT INTO project (id, org_id, name) VALUES ({project}, {organization}, 'p');
            INSERT INTO provider (name) VALUES ('P') ON CONFLICT DO NOTHING;
            INSERT INTO region (provider, name) VALUES ('P', 'R');
            INSERT INTO host (id, name, provider, region, zone, purpose, state, cpus, memory_mb, disk_gb) VALUES ({host}, 'r', 'P', 'R', 'z', 'REPOSITORY', 'ACTIVE', 1, 1, 1);
            INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher)
                VALUES ({stanza}, {organization}, {project}, {cluster}, 'orders', 1, '{name}', '17', '');
            INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb) VALUES ({seat}, {organization}, {stanza}, {host}, 0, 1);
            INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES ({project}, 'backupSchedule', {cluster}, '{cluster_id}', {organization}, '{schedule}'),
                ({project}, 'cluster', {cluster}, 'orders', {organization}, '{{}}');""".format(**values, name=STANZA, cluster_id=ID["cluster"], schedule=json.dumps(SCHEDULE)))

    def goal(self):
        seats = json.loads(self.sql("SELECT host_seats_goal(decode('%s', 'hex'))" % ID["host"]))
        seats[0]["cipherPass"] = PASS
        return {"version": 1, "epoch": 1, "hostId": ID["host"], "hostName": "r", "etcd": [], "authority": "", "clusters": [], "members": [], "tasks": [], "seats": seats, "gates": []}

    @staticmethod
    def sql(text):
        return sql("SET reeve.service = 'on'; " + text)

    def report(self, seat):
        epoch = self.sql("SELECT epoch FROM host")
        said = self.sql("SELECT host_report(decode('%s', 'hex'), %s, $report$%s$report$)" % (ID["host"], epoch, json.dumps({"version": 1, "facts": {}, "members": [], "tasks": [], "gates": [], "seats": [seat]})))
        if said != "OK":
            raise RuntimeError("the report: " + said)

    def statement(self, name, **values):
        """As it is in the source."""
        with open(os.path.join(ROOT, "src/store/backup/sql/%s.sql" % name), encoding="utf-8") as file:
            text = "".join(line for line in file if not line.startswith("--"))
        for key, value in values.items():
            text = re.sub(r":%s\b" % key, value, text)
        return self.sql("WITH changed AS (%s RETURNING 1) SELECT count(*) FROM changed" % text.strip())

    def sweep(self):
        """What `expired-backups` does, in its order."""
        project = "decode('%s', 'hex')" % ID["project"]
        if self.sql("SELECT 1 FROM resource WHERE kind = 'backupCompliancePolicy'"):
            self.statement("snapshot_protect", project=project)
        for name in ("snapshot_expire", "snapshot_copy_release", "snapshot_prune"):
            self.statement(name, limit="500")

    def ask_for(self, days):
        made = secrets.token_hex(12)
        self.statement("snapshot_add", snapshot="decode('%s', 'hex')" % made, project="decode('%s', 'hex')" % ID["project"], stanza="decode('%s', 'hex')" % ID["stanza"], description="'asked for'",
                       expires_ms="(extract(epoch FROM now() + interval '%d days') * 1000)" % days)
        return made

    def delete(self, snapshot):
        return int(self.statement("snapshot_hide", snapshot="decode('%s', 'hex')" % snapshot, project="decode('%s', 'hex')" % ID["project"])) > 0

    def policy(self, is_set):
        project = "decode('%s', 'hex')" % ID["project"]
        self.sql("INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT id, 'backupCompliancePolicy', id, '', org_id, '{}' FROM project WHERE id = %s" % project if is_set
                 else "DELETE FROM resource WHERE kind = 'backupCompliancePolicy'")

    def kind(self, label):
        """The rule that it was taken by."""
        return self.sql("SELECT coalesce(n.frequency, replace(lower(n.origin), '_', ' ')) FROM snapshot n JOIN snapshot_copy y ON y.snapshot_id = n.id WHERE y.label = '%s'" % label)

    def copies(self):
        """{label: (snapshot, whether it is shown, whether it is protected, state)}"""
        rows = self.sql("SELECT y.label, encode(n.id, 'hex'), n.hidden_at IS NULL, coalesce(n.protected_until > now(), false), y.state FROM snapshot n JOIN snapshot_copy y ON y.snapshot_id = n.id "
                        "WHERE y.label IS NOT NULL")
        return {label: (snapshot, shown == "t", protected == "t", state) for label, snapshot, shown, protected, state in (row.split("|") for row in rows.splitlines())}


# ---- The year ----
class Year:
    def __init__(self, suite, folder, build, seed):
        self.suite, self.folder, self.build, self.random = suite, folder, build, random.Random(seed)
        self.clock, self.machine = Clock(folder), Machine(folder, build)
        self.control = Control(self.machine)
        self.sums, self.counts = {}, dict.fromkeys(("steps", "restored", "gone", "protected", "refused", "broken off", "killed", "lost"), 0)
        self.ever, self.kinds, self.most_bytes = set(), collections.Counter(), 0
        self.began_real, self.began = time.monotonic(), self.clock.now()
        self.machine.start()

    @property
    def day(self):
        return (self.clock.now() - self.began) / DAY

    # ---- One moment ----
    def host_step(self, most_s=0.0):
        """`most_s`: its unit is killed within that time, and the agent tries again when it would."""
        for number in range(10):
            is_killed = most_s > 0 and number == 0
            said = self.host_pass("timeout --signal=KILL %.3f " % self.random.uniform(0.01, most_s) if is_killed else "")
            self.counts["killed"] += is_killed
            if said is not None and not is_killed:
                return self.control.report(said)
            self.clock.move(20)
        raise RuntimeError("the host is silent for ever")

    def host_pass(self, before):
        """The seat of a report; None when the unit ended without a word."""
        with open(self.folder + "/goal.json", "w", encoding="utf-8") as file:
            json.dump(self.control.goal(), file)
        keep = " ".join(self.machine.words("/opt/reeve/reeve-agent", "keep", "--folder", self.machine.seat))
        command = "%s%s 2>>%s/keep.log" % (before, keep, self.folder)
        done = subprocess.run([self.build + "/test/expiry/seat_step", self.folder + "/goal.json", self.machine.seat, command], capture_output=True, text=True, check=False,
                              env={**os.environ, "LD_PRELOAD": LIBRARY})
        if "without a word" in done.stderr:
            return None
        if done.returncode != 0:
            raise RuntimeError("the host: %s\n%s" % (done.stderr[-2000:], open(self.folder + "/keep.log", encoding="utf-8", errors="replace").read()[-2000:]))
        return json.loads(done.stdout)

    def remove_what_may_go(self):
        """Leaves first, so it takes some rounds. What goes makes the repository smaller."""
        for _ in range(10):
            self.control.sweep()
            if not self.control.goal()["seats"][0]["remove"]:
                return
            before, labels = self.machine.used(), self.machine.labels()
            self.host_step(0.4 if self.random.random() < 0.2 else 0)
            gone = labels - self.machine.labels()
            self.counts["gone"] += len(gone)
            self.suite.check(not gone or self.machine.used() < before, "day %.1f: %s went, and the repository has %d bytes after %d", self.day, sorted(gone), self.machine.used(), before)
        self.suite.fail("day %.1f: what is to go does not: %s" % (self.day, self.control.goal()["seats"][0]["remove"]))

    def write_rows(self):
        self.counts["steps"] += 1
        self.machine.sql("UPDATE facts SET words = md5(words || %d) WHERE n %% 97 = %d; INSERT INTO facts VALUES (%d, 'step')" % (self.counts["steps"], self.counts["steps"] % 97, 100000 + self.counts["steps"]))
        self.sum = self.machine.sql(SUM)

    def step(self, seconds):
        self.clock.move(seconds)
        self.write_rows()
        self.machine.receive()
        self.host_step(2 if self.random.random() < 0.25 else 0)
        self.machine.receive()
        self.host_step()
        for label in self.machine.labels() - self.ever:
            self.sums[label] = self.sum
            self.kinds[self.control.kind(label)] += 1
        self.ever |= self.machine.labels()
        self.remove_what_may_go()
        self.judge()

    # ---- What must be true ----
    def judge(self):
        there, builds_on, copies = self.machine.labels(), self.machine.info(), self.control.copies()
        self.suite.check(set(builds_on) == there, "day %.1f: folders %s, and pgBackRest knows %s", self.day, sorted(there - set(builds_on)), sorted(set(builds_on) - there))
        promised = {label for label, (_, shown, protected, _) in copies.items() if shown or protected}
        lost = [label for label in promised if label not in there or not builds_on.get(label, set()) <= there]
        self.counts["lost"] += len(lost)
        self.counts["protected"] = max(self.counts["protected"], sum(protected for _, _, protected, _ in copies.values()))
        self.suite.check(not lost, "day %.1f: promised, and not there with all that it builds on: %s", self.day, lost)
        wrong = {label: state for label, (_, shown, _, state) in copies.items() if shown and state != "COMPLETED"}
        self.suite.check(not wrong, "day %.1f: shown, and not completed: %s", self.day, wrong)
        self.suite.check(there <= set(copies), "day %.1f: nobody knows %s", self.day, sorted(there - set(copies)))
        self.most_bytes = max(self.most_bytes, self.machine.used())

    def restore_one(self):
        """The oldest, one that builds on another, or any; of those that are shown."""
        shown = sorted(label for label, (_, is_shown, _, state) in self.control.copies().items() if is_shown and state == "COMPLETED")
        if not shown:
            return
        building = [label for label in shown if "_" in label]
        label = self.random.choice([shown[0], self.random.choice(building or shown), self.random.choice(shown)])
        found = self.machine.restored(label)
        self.counts["restored"] += 1
        self.suite.check(found == self.sums[label], "day %.1f: %s has %s instead of %s", self.day, label, found, self.sums[label])

    # ---- What people do meanwhile ----
    def delete_one(self):
        """Any that was asked for; while the policy holds it is refused."""
        copies = self.control.copies()
        label = self.random.choice(sorted(label for label, one in copies.items() if one[1]))
        snapshot, _, is_protected, _ = copies[label]
        self.suite.equal(self.control.delete(snapshot), not is_protected, "day %.1f: deleting %s" % (self.day, label))
        self.counts["refused"] += is_protected

    def lie_to_host(self):
        """A goal that has something removed that is protected, as a hostile control plane would send it: the host refuses from its own memory."""
        protected = sorted(label for label, one in self.control.copies().items() if one[2] and one[3] == "COMPLETED")
        if not protected:
            return
        label = self.random.choice(protected)
        change = "UPDATE snapshot_copy SET state = '%s' WHERE label = '" + label + "'"
        self.control.sql(change % "REMOVING")
        self.host_step()
        self.control.sql(change % "COMPLETED")
        self.suite.check(label in self.machine.labels(), "day %.1f: the host removed %s, which is protected", self.day, label)
        self.counts["refused"] += 1

    def break_off(self):
        """As somebody leaves it who is killed while pgBackRest removes: it is in no list any more, and its folder is there."""
        builds_on, copies = self.machine.info(), self.control.copies()
        leaves = sorted(label for label, one in copies.items() if one[1] and not one[2] and not any(label in needs for needs in builds_on.values()))
        if len(leaves) < 2:
            return
        label, folder = leaves[0], "%s/repo/backup/%s" % (self.machine.seat, STANZA)
        shutil.copytree("%s/%s" % (folder, label), self.folder + "/left", symlinks=True)
        self.control.delete(copies[label][0])
        self.remove_what_may_go()
        if label not in self.machine.labels():
            for name in ("backup.manifest", "backup.manifest.copy"):
                os.unlink("%s/left/%s" % (self.folder, name))
            shutil.move(self.folder + "/left", "%s/%s" % (folder, label))
            subprocess.run(["chown", "-R", "%d:%d" % (self.machine.user, self.machine.user), "%s/%s" % (folder, label)], check=True)
            self.counts["broken off"] += 1
        shutil.rmtree(self.folder + "/left", ignore_errors=True)

    def next_step_s(self):
        return self.random.choice([HOUR * 6] * 6 + [HOUR * 12] * 4 + [DAY] * 4 + [2 * DAY, 3 * DAY, 6 * DAY, 9 * DAY]) + self.random.randrange(-600, 600)

    def go_on(self, snapshots, days):
        """Until there were as many, and the year is over: what is left of it is gone through in larger steps."""
        has_policy, number = False, 0
        while self.day < days or len(self.ever) < snapshots:
            number += 1
            behind = (snapshots - len(self.ever)) / max(days - self.day, 0.1)  # snapshots a day that are still to come
            seconds = self.next_step_s() * min(max(0.55 / max(behind, 0.05), 0.5), 6)
            if number % 7 == 0:
                self.control.ask_for(self.random.choice([1, 3, 30, 90]))
            self.step(seconds)
            wants_policy = POLICY_DAYS[0] <= self.day < POLICY_DAYS[1]
            if wants_policy != has_policy:
                self.control.policy(wants_policy)
                has_policy = wants_policy
            for every, what in ((6, self.restore_one), (11, self.delete_one), (9, self.lie_to_host), (4, self.break_off)):
                if number % every == 0:
                    what()
            if number % 10 == 0:
                self.suite.say("%4.0f s  day %3.0f: %d snapshots, %d there, %s" % (time.monotonic() - self.began_real, self.day, len(self.ever), len(self.machine.labels()), self.counts))

    def end(self):
        """Months in which nobody takes any: in the end the repository has what the window needs, and what is kept for a year."""
        self.control.sql("UPDATE resource SET document = jsonb_set(document::jsonb, '{policies,0,policyItems}', '[]')::json WHERE kind = 'backupSchedule'")
        for _ in range(4):
            self.step(40 * DAY)
        for label in sorted(label for label, one in self.control.copies().items() if one[1]):
            self.counts["restored"] += 1
            self.suite.equal(self.machine.restored(label), self.sums[label], "in the end: " + label)
        self.suite.check(self.machine.used() < self.most_bytes * (0.5 if len(self.ever) > 20 else 1), "the repository has %d bytes in the end, and had %d", self.machine.used(), self.most_bytes)

    def make_once(self):
        """Killed when a backup was whole and not in the list yet: the same order makes no second one."""
        lists = ["%s/repo/backup/%s/%s" % (self.machine.seat, STANZA, name) for name in ("backup.info", "backup.info.copy")]
        before, labels, snapshot = {path: open(path, "rb").read() for path in lists}, self.machine.labels(), secrets.token_hex(12)
        self.machine.write(self.machine.seat + "/order.json", json.dumps({"number": 1, "remove": [], "windowDays": 0, "isLast": False, "backup": {
            "snapshot": snapshot, "type": "full", "annotations": {"snapshot": snapshot}}}))
        for _ in range(2):
            self.machine.do("/opt/reeve/reeve-agent", "keep", "--folder", self.machine.seat)
            made = self.machine.labels() - labels
            for path, content in before.items():
                with open(path, "wb") as file:
                    file.write(content)
        self.suite.equal(len(made), 1, "backups that one order has made, whose list was lost: %s" % sorted(made))

    def line(self):
        return "expiry: %d snapshots, %d restored, %d gone, %d protected, %d lost" % (
            len(self.ever), self.counts["restored"], self.counts["gone"], self.counts["protected"], self.counts["lost"])


def write_report(path, year, seed):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# A year of snapshots\n\n`make expiry-test`: snapshots by rules from hourly to yearly and on demand, with a compliance policy from day %d to day %d, in a real repository with a simulated\n"
                   "clock. After each of %d steps every snapshot that is shown or protected was in the repository with everything that it builds on, and whenever one went the repository became smaller.\n"
                   "%d times something protected was to be removed, by its tenant or by a goal, and stayed. %d times a removal was broken off, and what it left went with the next order; %d times the\n"
                   "host's unit was killed, somewhere. Seed %d, %.0f minutes.\n\n| taken by | snapshots |\n|---|---|\n%s\n\n`%s`\n" % (
                       *POLICY_DAYS, year.counts["steps"], year.counts["refused"], year.counts["broken off"], year.counts["killed"], seed, (time.monotonic() - year.began_real) / 60, "\n".join("| %s | %d |" % pair for pair in sorted(year.kinds.items())), year.line()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--snapshots", type=int, default=200)
    parser.add_argument("--days", type=int, default=366)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", metavar="FILE")
    options = parser.parse_args()
    if "REEVE_EXPIRY" not in os.environ:
        return with_a_clock()
    ends_on_signal()
    suite = Suite("expiry of snapshots")
    year = Year(suite, os.environ["REEVE_EXPIRY"], os.path.abspath(os.environ.get("REEVE_BUILD", os.path.join(ROOT, "build"))), options.seed)
    try:
        year.go_on(options.snapshots, options.days)
        year.end()
        year.make_once()
        if options.report:
            write_report(options.report, year, options.seed)
    except RuntimeError as problem:
        suite.fail("day %.1f: %s" % (year.day, problem))
    finally:
        year.machine.stop()
    suite.say("%s, %s" % (dict(year.kinds), year.counts))
    status = suite.finish()
    print(year.line())
    return status


if __name__ == "__main__":
    sys.exit(main())
