#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Backups on real hosts: three hosts with a cluster, and one that is its repository. Needs root.

As in agent_test.py the control plane is small_control.py: what counts is what the agents make of a goal by themselves. A client writes
numbered rows; what it was told is in the database must be in the repository, too.
"""
import contextlib
import datetime
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
sys.dont_write_bytecode = True

from agent_test import VERIFIER, Cluster, Rig, timed  # noqa: E402  (sets the paths for the rest)

import hosts  # noqa: E402
from small_control import Authority  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

REPOSITORY = "h4"
SEAT = "5ea7" + "0" * 20
FOLDER = "/var/lib/reeve/stanzas/" + SEAT


class ProtectedCluster(Cluster):
    """With an authority of its own, and a seat on the repository host."""

    def __init__(self, rig, host_names):
        super().__init__(rig, host_names)
        self.authority = Authority(rig.fleet.path("authority-" + self.scope))
        rig.control.cluster_authorities[self.id] = self.authority
        self.access["users"] = [{"name": "app", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "readWrite", "database": "shop"}]}]
        self.stanza, self.has_backups = self.scope + "-1", False
        self.schedule = {"referenceHour": 0, "referenceMinute": 0, "windowDays": 2, "items": []}
        self.wanted, self.protect, self.remove, self.desired = [], [], [], "RUNNING"
        self.cipher_pass = secrets.token_urlsafe(32)

    def document(self):
        document = dict(super().document(), walls="CLOSED")
        if self.has_backups:
            document["backup"] = {"stanza": self.stanza, "seats": [{
                "id": SEAT, "ordinal": 0, "name": "reeve-seat-" + SEAT, "hostAddress": self.rig.fleet.host(REPOSITORY)["address"]}]}
        return document

    def seat(self):
        return {"id": SEAT, "stanza": self.stanza, "clusterId": self.id, "scope": self.scope, "majorVersion": "17", "ordinal": 0, "desired": self.desired,
                "cipherPass": self.cipher_pass, "clusterAuthority": self.authority.pem, "store": None,
                "members": [{"id": m["id"], "name": m["name"], "address": m["address"], "port": 27017, "backupPort": 27018} for m in self.members],
                "schedule": self.schedule, "wanted": self.wanted, "protect": self.protect, "remove": self.remove}

    def kept(self):
        """What the repository host said last about the seat."""
        report = self.rig.control.hosts[REPOSITORY].report or {}
        return next((s for s in report.get("seats", ()) if s["id"] == SEAT), {})

    def snapshots(self, state="COMPLETED"):
        return [s for s in self.kept().get("snapshots", ()) if s["state"] == state]


class BackupRig(Rig):
    def goal_of(self, host):
        goal = super().goal_of(host)
        if host == REPOSITORY:
            goal["seats"] = [c.seat() for c in self.clusters if c.has_backups]
        return goal

    def on_repository(self, *command, check=True, timeout=60):
        return hosts.run(self.fleet, REPOSITORY, *command, check=check, timeout=timeout)

    def pgbackrest(self, *words, config="push.conf", check=True):
        """As the user of the seat, who alone may."""
        user = self.on_repository("stat", "-c", "%U", FOLDER + "/repo").strip()
        return self.on_repository("runuser", "-u", user, "--", "pgbackrest", "--config=%s/%s" % (FOLDER, config), "--stanza=" + self.clusters[0].stanza,
                                  *words, check=check, timeout=120)


class Writer:
    """Numbered rows, one transaction each; `told` is the last that the server confirmed."""

    def __init__(self, rig, cluster):
        self.rig, self.cluster, self.told, self.stop = rig, cluster, 0, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def run(self):
        while not self.stop.is_set():
            for member in self.cluster.members:
                # One that timed out may have been committed: the same number is tried again.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    if self.rig.psql(member["address"], "INSERT INTO numbers VALUES (%d) ON CONFLICT DO NOTHING" % (self.told + 1)).returncode == 0:
                        self.told += 1
                        break
            time.sleep(0.05)


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def waited(rig, suite, condition, what, seconds):
    return timed(rig, suite, condition, what, seconds, 0.2)


# ---- The tests, in the order of a seat's life ----
def a_cluster_has_nothing_of_it_before(suite, rig):
    for host in rig.fleet.hosts:
        rig.join(host)
        rig.start_agent(host)
    cluster = ProtectedCluster(rig, ["h1", "h2", "h3"])
    rig.clusters.append(cluster)
    rig.publish()
    waited(rig, suite, lambda: cluster.roles() == ["PRIMARY", "REPLICA", "SYNC_STANDBY"] and cluster.is_in_force(), "a cluster without backups", 90)
    primary = cluster.member("PRIMARY")
    suite.check(rig.inside(primary, "SELECT count(*) FROM pg_roles WHERE rolname = 'reeve_wal'") == "0", "no role")
    suite.check(rig.inside(primary, "SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE 'reeve%'") == "0", "no slot")
    files = hosts.run(rig.fleet, primary["host"], "sh", "-c", "ls /var/lib/reeve/members/%s; ls /etc/systemd/system" % primary["id"])
    suite.check("pgbackrest.conf" not in files and "backup.service" not in files, "no file, no unit: %s", files)
    hba = hosts.run(rig.fleet, primary["host"], "cat", "/var/lib/reeve/members/%s/pg_hba.conf" % primary["id"])
    suite.check("reeve_wal" not in hba, "nobody is let in")


def wal_is_received(suite, rig):
    cluster = rig.clusters[0]
    cluster.has_backups = True
    cluster.goal_generation += 1
    rig.publish()
    waited(rig, suite, lambda: cluster.kept().get("unit") == "active" and cluster.kept().get("receivedLsn"), "WAL is received", 60)
    primary = cluster.member("PRIMARY")
    suite.check(rig.inside(primary, "SELECT rolreplication AND NOT rolsuper FROM pg_roles WHERE rolname = 'reeve_wal'") == "t", "by a role that can do nothing else")
    for member in cluster.members:
        unit = hosts.run(rig.fleet, member["host"], "systemctl", "is-active", "reeve-member-%s-backup.service" % member["id"], check=False).strip()
        suite.check(unit == "active", "data of %s can be read: %s", member["name"], unit)
        waited(rig, suite, lambda m=member: rig.inside(m, "SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'reeve_wal_0'") == "1",
               "%s keeps WAL for the receiver" % member["name"], 30)
    suite.check(all(not s["problem"] for s in cluster.all_seen()), "no problems: %s", [s["problem"] for s in cluster.all_seen()])


def the_first_full_backup_is_made_at_once(suite, rig):
    cluster = rig.clusters[0]
    waited(rig, suite, lambda: [s["type"] for s in cluster.snapshots()] == ["FULL"], "the first full backup", 90)
    waited(rig, suite, lambda: cluster.kept()["windowTo"], "and a window, which begins with it", 30)
    kept = cluster.kept()
    snapshot = cluster.snapshots()[0]
    suite.check(re.fullmatch(r"\d{8}-\d{6}F", snapshot["label"]) and snapshot["timeline"] == 1 and snapshot["sizeBytes"] > 1e6 and
                snapshot["serverVersion"].startswith("17."), "it says what it is: %s", snapshot)
    suite.check(kept["windowFrom"] and moment(kept["windowTo"]) >= moment(kept["windowFrom"]), "a window: %s", kept)
    before = moment(kept["windowTo"])
    waited(rig, suite, lambda: moment(cluster.kept()["windowTo"]) > before + 5, "which moves while nothing is written", 30)
    suite.check(len(cluster.kept()["spans"]) == 1 and cluster.kept()["spans"][0]["endedBy"] is None, "one span: %s", cluster.kept()["spans"])
    suite.check(not cluster.kept()["problem"], "no problem: %s", cluster.kept()["problem"])
    rig.psql(cluster.member("PRIMARY")["address"], "CREATE TABLE numbers (n int PRIMARY KEY)")


def restored_rows(rig, partial=False):
    """Restores the latest into a folder of its own, and asks it. Nothing but the repository is used, and with `partial` what was received last."""
    owner = rig.on_repository("stat", "-c", "%U", FOLDER + "/repo").strip()
    scratch = FOLDER + "/spool/scratch"
    rig.on_repository("rm", "-rf", scratch)
    rig.pgbackrest("--pg1-path=" + scratch, "--type=default", "--archive-mode=off", "restore")
    rig.on_repository("sh", "-c", "rm -f %s/postgresql.auto.conf.old; cd %s && for f in pg_hba.conf pg_ident.conf; do echo 'local all all trust' > $f; done; "
                      ": > pg_ident.conf; echo > postgresql.base.conf" % (scratch, scratch))
    if partial:
        rig.on_repository("sh", "-c", "set -e; p=$(ls -t %s/wal/*.partial | head -1); b=$(basename $p .partial); cp $p %s/pg_wal/$b; "
                          "cp %s/wal/*.history %s/pg_wal/ 2>/dev/null || true; chown -R %s %s" % (FOLDER, scratch, FOLDER, scratch, owner, scratch))
    # Its own settings and nobody else's: what came along points to folders of the cluster.
    settings = {"hba_file": scratch + "/pg_hba.conf", "ident_file": scratch + "/pg_ident.conf", "listen_addresses": "", "ssl": "off", "port": "5999",
                "unix_socket_directories": scratch, "shared_preload_libraries": "", "synchronous_standby_names": "", "shared_buffers": "16MB",
                "max_connections": "30", "max_wal_senders": "16", "max_replication_slots": "16", "max_worker_processes": "8", "wal_level": "replica",
                "hot_standby": "on"}
    words = ["restore_command=%s" % ("pgbackrest --config=%s/push.conf --stanza=%s --pg1-path=%s archive-get %%f %%p" % (
        FOLDER, rig.clusters[0].stanza, scratch))]
    words += ["%s=%s" % pair for pair in settings.items()]
    rig.on_repository("sh", "-c", "cd %s; : > postgresql.conf; cat > postgresql.auto.conf <<'E'\n%s\nE\ntouch recovery.signal; chown -R %s ." % (
        scratch, "\n".join("%s = '%s'" % tuple(word.split("=", 1)) for word in words), owner))
    as_owner = ["runuser", "-u", owner, "--"]
    bin_folder = "/usr/lib/postgresql/17/bin/"
    rig.on_repository(*as_owner, bin_folder + "pg_ctl", "-D", scratch, "-w", "-t", "120", "-l", scratch + "/log", "start", timeout=180)
    try:
        ask = lambda sql: rig.on_repository(*as_owner, "psql", "-X", "-A", "-t", "-h", scratch, "-p", "5999", "-U", "postgres", "-d", "shop", "-c", sql).strip()  # noqa: E731
        wait_until(lambda: ask("SELECT pg_is_in_recovery()") == "f", "recovery has ended", 240)
        return ask("SELECT count(*), COALESCE(max(n), 0) FROM numbers").split("|")
    finally:
        rig.on_repository(*as_owner, bin_folder + "pg_ctl", "-D", scratch, "-m", "immediate", "stop", check=False)
        rig.on_repository("rm", "-rf", scratch)


def nothing_is_missing_after_a_switchover_and_a_dead_receiver(suite, rig):
    cluster = rig.clusters[0]
    with Writer(rig, cluster) as writer:
        waited(rig, suite, lambda: writer.told > 20, "some rows", 60)
        old, timeline = cluster.member("PRIMARY"), cluster.kept()["timeline"]
        cluster.tasks = [{"id": secrets.token_hex(12), "memberId": old["id"], "kind": "SWITCHOVER", "parameters": {}}]
        rig.publish()
        waited(rig, suite, lambda: cluster.seen(old).get("role") in ("REPLICA", "SYNC_STANDBY") and "PRIMARY" in cluster.roles(), "a switchover", 60)
        cluster.tasks = []
        rig.publish()
        waited(rig, suite, lambda: cluster.kept()["timeline"] > timeline and cluster.kept()["lagMs"] < 5000, "the receiver has followed", 60)
        rig.on_repository("systemctl", "kill", "-s", "KILL", "reeve-wal-%s.service" % SEAT)
        told = writer.told
        waited(rig, suite, lambda: writer.told > told + 20, "more rows", 60)
        rig.inside(cluster.member("PRIMARY"), "SELECT pg_switch_wal()")
        waited(rig, suite, lambda: cluster.kept()["receivedLsn"] and cluster.kept()["lagMs"] < 5000 and not cluster.kept()["problem"], "it is back after a kill", 60)
    told = writer.told
    stopped = time.time()
    waited(rig, suite, lambda: moment(cluster.kept()["windowTo"]) > stopped, "the window covers all of it", 30)
    spans = cluster.kept()["spans"]
    suite.check(len(spans) == 1 and spans[0]["toTimeline"] > timeline and not spans[0]["endedBy"], "without a gap: %s", spans)
    rows = restored_rows(rig, partial=True)
    suite.check(rows == [str(told), str(told)], "restored %s of %d acknowledged rows", rows, told)
    rig.fleet.say("restored %s of %d acknowledged rows" % (rows[0], told))


def segments_are_in_the_repository_in_order(suite, rig):
    names = sorted(set(re.findall(r"\b([0-9A-F]{24})-[0-9a-f]{40}", rig.on_repository("find", FOLDER + "/repo/archive", "-name", "*-*"))))
    numbers = sorted({(int(name[8:16], 16) << 32) // (4 << 20) + int(name[16:], 16) for name in names})
    suite.check(len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)), "no segment is missing among %s", names)
    left = rig.on_repository("ls", FOLDER + "/wal").split()
    suite.check(len([name for name in left if re.fullmatch("[0-9A-F]{24}", name)]) <= 2, "what is stored does not stay behind: %s", left)


def snapshots_on_demand_and_by_schedule(suite, rig):
    cluster = rig.clusters[0]
    wanted = secrets.token_hex(12)
    cluster.wanted = [{"snapshotId": wanted, "type": "INCR", "expiresAt": "2030-01-01T00:00:00Z"}]
    rig.publish()
    waited(rig, suite, lambda: any(s["id"] == wanted for s in cluster.snapshots()), "a snapshot on demand", 90)
    made = next(s for s in cluster.snapshots() if s["id"] == wanted)
    suite.check(made["type"] == "INCR" and len(made["needs"]) == 1 and made["expiresAt"] == "2030-01-01T00:00:00Z", "builds on the full one: %s", made)
    cluster.wanted = []
    item, soon = secrets.token_hex(12), datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=65)
    cluster.schedule = {"referenceHour": soon.hour, "referenceMinute": soon.minute, "windowDays": 2, "extraDays": {"daily": 1}, "items": [
        {"id": item, "frequency": "daily", "interval": 1, "retentionUnit": "days", "retentionValue": 7}]}
    rig.publish()
    rig.control.stop()  # it is the repository host that knows when
    status = lambda: json.loads(rig.on_repository("cat", "/var/lib/reeve/agent/report.json"))["seats"][0]["snapshots"] or []  # noqa: E731
    waited(rig, suite, lambda: any(s["policyItem"] == item and s["state"] == "COMPLETED" for s in status()), "a scheduled one without a control plane", 150)
    made = next(s for s in status() if s["policyItem"] == item)
    kept_for = moment(made["expiresAt"]) - moment(made["createdAt"])
    suite.check(made["frequency"] == "daily" and made["type"] == "INCR" and abs(kept_for - 8 * 86400) < 60, "kept as its item says: %s", made)
    rig.control.start()
    waited(rig, suite, lambda: any(s["policyItem"] == item for s in cluster.snapshots()), "and told when it is back", 60)


def what_goes_is_what_was_named(suite, rig):
    cluster = rig.clusters[0]
    full, first, second = sorted(cluster.snapshots(), key=lambda s: s["label"])
    name = lambda s: {"snapshotId": s["id"], "label": s["label"]}  # noqa: E731
    cluster.protect = [{"snapshotId": second["id"], "until": "2099-01-01T00:00:00Z"}]
    rig.publish()
    wait_until(lambda: second["id"] in rig.on_repository("cat", FOLDER + "/protected.json", check=False), "it is remembered", 30)
    cluster.protect = []  # a goal that forgets it changes nothing
    cluster.remove = [name(full), name(first), name(second), {"snapshotId": first["id"], "label": full["label"]}]
    rig.publish()
    labels = lambda: sorted(s["label"] for s in cluster.kept()["snapshots"])  # noqa: E731
    waited(rig, suite, lambda: first["label"] not in labels(), "a snapshot that nothing builds on goes", 60)
    suite.check(labels() == [full["label"], second["label"]], "what is protected stays, and what it builds on: %s", labels())
    real = [b["label"] for b in json.loads(rig.pgbackrest("info", "--output=json"))[0]["backup"]]
    suite.check(sorted(real) == labels(), "as the repository says: %s", real)
    cluster.remove, cluster.desired = [], "REMOVED"
    rig.publish()
    waited(rig, suite, lambda: "protected" in (cluster.kept().get("problem") or ""), "the seat stays as long as one is protected", 30)
    suite.check(sorted(labels() or real) == sorted(real), "with everything in it")
    cluster.desired = "RUNNING"
    rig.publish()
    waited(rig, suite, lambda: cluster.kept().get("unit") == "active", "it goes on", 30)


def a_repository_that_cannot_be_read_is_not_taken_for_an_empty_one(suite, rig):
    cluster = rig.clusters[0]
    labels = lambda: sorted(s["label"] for s in cluster.snapshots())  # noqa: E731
    before, closed = labels(), "%s/repo/backup/%s" % (FOLDER, cluster.stanza)
    wanted = secrets.token_hex(12)
    mode = rig.on_repository("stat", "-c", "%a", closed).strip()
    rig.on_repository("chmod", "0", closed)
    cluster.wanted = [{"snapshotId": wanted, "type": "INCR", "expiresAt": None}]
    rig.publish()
    unit = "reeve-backup-%s.service" % SEAT
    waited(rig, suite, lambda: unit in (cluster.kept()["problem"] or ""), "the host says that it cannot work", 60)
    suite.check("The repository cannot be read" in rig.on_repository("journalctl", "--no-pager", "-u", unit), "its journal says why")
    suite.check(labels() == before, "what was there is not gone: %s", labels())
    rig.on_repository("chmod", mode, closed)
    waited(rig, suite, lambda: any(s["id"] == wanted for s in cluster.snapshots()), "it goes on when the repository can be read", 120)
    suite.check(set(before) < set(labels()), "with what was there: %s", labels())
    cluster.wanted = []
    rig.publish()


def lsn(text):
    high, low = text.split("/")
    return int(high, 16) << 32 | int(low, 16)


def write_wal(rig, member, switches):
    """Of no table, and without waiting for replicas: whole segments of it. Where the last one ended."""
    for _ in range(switches):
        rig.inside(member, "SET synchronous_commit = local; SELECT pg_logical_emit_message(true, 'x', repeat('y', 100000))")
        there = lsn(rig.inside(member, "SELECT pg_switch_wal()"))
    return there


def one_span(suite, cluster, what):
    spans = cluster.kept()["spans"]
    suite.check(len(spans) == 1 and not spans[0]["endedBy"], "%s: no gap: %s", what, spans)


def a_receiver_that_is_ahead_of_the_fork_goes_back(suite, rig):
    """Replicas hear nothing from the primary any more, the receiver does; then the primary's host loses power."""
    cluster = rig.clusters[0]
    primary = cluster.member("PRIMARY")
    timeline = cluster.kept()["timeline"]
    others = [m for m in cluster.members if m is not primary]
    for member in others:
        hosts.run(rig.fleet, member["host"], "sh", "-c", "nft add table inet trap && nft add chain inet trap in '{ type filter hook input priority -10; }' && "
                  "nft add rule inet trap in ip saddr %s tcp sport 27017 drop" % primary["address"])
    there = write_wal(rig, primary, 3)
    waited(rig, suite, lambda: lsn(cluster.kept()["receivedLsn"]) >= there, "the receiver has what no replica has", 20)
    hosts.kill(rig.fleet, primary["host"])
    waited(rig, suite, lambda: any(cluster.seen(m).get("role") == "PRIMARY" for m in others), "a replica is promoted", 90)
    for member in others:
        hosts.run(rig.fleet, member["host"], "nft", "delete", "table", "inet", "trap")
    new = next(m for m in others if cluster.seen(m)["role"] == "PRIMARY")
    suite.check(lsn(rig.inside(new, "SELECT pg_current_wal_flush_lsn()")) < there, "which is behind the receiver")
    waited(rig, suite, lambda: cluster.kept()["timeline"] > timeline and cluster.kept()["lagMs"] < 5000 and not cluster.kept()["problem"],
           "the receiver has gone back to the fork", 60)
    aside = rig.on_repository("ls", FOLDER + "/aside").split()
    suite.check(aside, "and what nobody else has was put aside: %s", aside)
    there = write_wal(rig, new, 2)
    waited(rig, suite, lambda: lsn(cluster.kept()["spans"][-1]["toLsn"]) >= there, "what comes then is stored", 30)
    one_span(suite, cluster, "the receiver was ahead")
    hosts.start(rig.fleet, primary["host"])
    hosts.wait_booted(rig.fleet, primary["host"])
    rig.start_agent(primary["host"])
    waited(rig, suite, lambda: cluster.roles() == ["PRIMARY", "REPLICA", "SYNC_STANDBY"], "the host is back", 120)


def what_the_new_primary_never_had_comes_from_another_member(suite, rig):
    """While nobody receives, a member is built anew and becomes the primary: it has no WAL from before."""
    cluster = rig.clusters[0]
    cluster.desired = "FROZEN"
    rig.publish()
    waited(rig, suite, lambda: cluster.kept()["unit"] == "inactive", "nobody receives", 30)
    primary = cluster.member("PRIMARY")
    write_wal(rig, primary, 4)
    rebuilt = next(m for m in cluster.members if cluster.seen(m)["role"] == "REPLICA")
    other = next(m for m in cluster.members if m not in (primary, rebuilt))
    unit = lambda m: "reeve-member-%s.service" % m["id"]  # noqa: E731
    hosts.run(rig.fleet, rebuilt["host"], "sh", "-c", "systemctl stop reeve-agent %s && rm -rf /var/lib/reeve/members/%s/data && systemctl start reeve-agent" % (
        unit(rebuilt), rebuilt["id"]), timeout=120)
    waited(rig, suite, lambda: cluster.seen(rebuilt).get("running") == "streaming", "a member is built anew", 90)
    hosts.run(rig.fleet, other["host"], "systemctl", "stop", "reeve-agent", unit(other), timeout=120)
    waited(rig, suite, lambda: cluster.seen(rebuilt).get("role") == "SYNC_STANDBY", "it is the synchronous one", 60)
    cluster.tasks = [{"id": secrets.token_hex(12), "memberId": primary["id"], "kind": "SWITCHOVER", "parameters": {}}]
    rig.publish()
    waited(rig, suite, lambda: cluster.seen(rebuilt).get("role") == "PRIMARY", "and becomes the primary", 60)
    cluster.tasks, cluster.desired = [], "RUNNING"
    rig.start_agent(other["host"])
    rig.publish()
    there = write_wal(rig, rebuilt, 1)
    waited(rig, suite, lambda: lsn(cluster.kept()["spans"][-1]["toLsn"]) >= there and not cluster.kept()["problem"], "everything is received", 90)
    journal = rig.on_repository("journalctl", "--no-pager", "-u", "reeve-wal-%s.service" % SEAT)
    suite.check("wal_from_member" in journal, "from a member that still had it")
    one_span(suite, cluster, "the new primary lacked it")


def members_reach_no_repository(suite, rig):
    """Whatever somebody has who is root on the host of a member, and knows all of its keys."""
    cluster = rig.clusters[0]
    member = cluster.members[0]
    victim = cluster.members[1]
    folder = "/var/lib/reeve/members/" + member["id"]
    repository = rig.fleet.host(REPOSITORY)["address"]
    identity = "--%%s-host-type=tls --%%s-host-ca-file=%s/tls/cluster-authority.crt --%%s-host-cert-file=%s/tls/cluster.crt --%%s-host-key-file=%s/tls/cluster.key" % (
        folder, folder, folder)
    to_repository = "pgbackrest --stanza=%s --pg1-path=%s/data --io-timeout=1 --repo1-host=%s %s" % (
        cluster.stanza, folder, repository, identity % (("repo1",) * 4))
    login = "sslmode=verify-full sslrootcert=%s/tls/authority.crt sslcert=%s/tls/cluster.crt sslkey=%s/tls/cluster.key" % (folder, folder, folder)
    rows = [
        ("lists its own backups", to_repository + " --repo1-host-port=%d info --output=text --repo=1 | grep -q status:.ok"),
        ("reads another stanza", to_repository + " --repo1-host-port=%d repo-get archive/other-1/archive.info"),
        ("reads files of the repository host", to_repository + " --repo1-host-port=%d --repo1-path=/ repo-get etc/passwd"),
        ("writes into the repository", "echo x | " + to_repository + " --repo1-host-port=%d repo-put archive/x"),
        ("expires its own backups", to_repository + " --repo1-host-port=%d --repo1-retention-full=1 expire"),
        ("reads another member's data as its repository would",
         "pgbackrest --stanza=%s --io-timeout=1 --repo1-path=/tmp/x --log-level-file=off --pg1-host=%s --pg1-host-port=27018 --pg1-path=/var/lib/reeve/members/%s/data %s "
         "stanza-create" % (cluster.stanza, victim["address"], victim["id"], identity % (("pg1",) * 4))),
        ("receives WAL as a repository would", "psql 'host=%s port=27017 user=reeve_wal dbname=postgres connect_timeout=3 %s' -c 'SELECT 1'" % (victim["address"], login)),
        ("replicates as a repository would", "psql 'host=%s port=27017 user=reeve_wal replication=true connect_timeout=3 %s' -c IDENTIFY_SYSTEM" % (victim["address"], login)),
    ]
    for what, command in rows:
        for port in (8432, 27018) if "%d" in command else (0,):
            result = subprocess_result(rig, member["host"], command % port if "%d" in command else command)
            suite.check(result != 0, "root of a member's host %s", what)
    listening = rig.on_repository("ss", "-Hltn").strip()
    suite.check(not re.search(r":(8432|2701\d)\b", listening), "a repository host listens on nothing for members: %s", listening)
    holds = hosts.run(rig.fleet, member["host"], "sh", "-c", "grep -rlE '^[^#]*(cipher-pass|s3-key)' /var/lib/reeve /etc/pgbackrest* 2>/dev/null || true").strip()
    suite.check(not holds, "and no database host has a key of a repository: %s", holds)


def seats_are_walled_off(suite, rig):
    """Whoever runs as another seat, and somebody with a certificate of another authority."""
    cluster = rig.clusters[0]
    for path in ("pgbackrest.conf", "protected.json", "repo", "state/wal.json", "tls/seat.key"):
        result = subprocess_result(rig, REPOSITORY, "setpriv --reuid=70999 --regid=70999 --clear-groups cat %s/%s >/dev/null" % (FOLDER, path))
        suite.check(result != 0, "another user of the host does not read %s", path)
    own = rig.on_repository("stat", "-c", "%U", FOLDER + "/repo").strip()
    for path in ("protected.json", "jobs.json"):
        suite.check(subprocess_result(rig, REPOSITORY, "runuser -u %s -- sh -c 'cat %s/%s || rm %s/%s'" % (own, FOLDER, path, FOLDER, path)) != 0,
                    "the seat itself neither reads nor removes %s", path)
    pid = rig.on_repository("systemctl", "show", "-P", "MainPID", "reeve-wal-%s.service" % SEAT).strip()
    sees = rig.on_repository("nsenter", "-t", pid, "-m", "ls", "/var/lib/reeve").split()
    suite.check(sees == ["stanzas"], "its units see nothing of the agent: %s", sees)
    others = Authority(rig.fleet.path("authority-of-others"))
    tls = others.issue(rig.fleet.path("tls-of-others"), "/O=reeve-repository/CN=reeve-seat-" + SEAT, ["DNS:x"])
    for name in ("key.pem", "certificate.pem"):
        with open(os.path.join(tls, name)) as file:
            hosts.write_file(rig.fleet, REPOSITORY, "/root/" + name, file.read())
    member = cluster.members[0]
    login = "sslmode=require sslcert=/root/certificate.pem sslkey=/root/key.pem"
    rig.on_repository("chmod", "600", "/root/key.pem")
    result = subprocess_result(rig, REPOSITORY, "psql 'host=%s port=27017 user=reeve_wal dbname=postgres connect_timeout=3 %s' -c 'SELECT 1'" % (member["address"], login))
    suite.check(result != 0, "a seat of another cluster's authority receives nothing, from the same host and with the same name")
    right = "sslmode=require sslcert=%s/tls/seat.crt sslkey=%s/tls/seat.key" % (FOLDER, FOLDER)
    result = subprocess_result(rig, REPOSITORY, "psql 'host=%s port=27017 user=reeve_wal dbname=postgres connect_timeout=60 %s' -c 'SELECT 1'" % (member["address"], right))
    suite.check(result == 0, "while the right one does")
    result = subprocess_result(rig, REPOSITORY, "psql 'host=%s port=27017 user=reeve_wal dbname=shop connect_timeout=3 %s' -c 'SELECT 1'" % (member["address"], right))
    suite.check(result != 0, "though not into a tenant's database")


def subprocess_result(rig, host, command):
    return subprocess.run(hosts.command(rig.fleet, host, ["sh", "-c", command]), capture_output=True, text=True, check=False, timeout=120).returncode


def backups_end_and_nothing_is_left(suite, rig):
    cluster = rig.clusters[0]
    cluster.has_backups = False
    cluster.goal_generation += 1
    rig.publish()
    primary = cluster.member("PRIMARY")
    waited(rig, suite, lambda: rig.inside(primary, "SELECT count(*) FROM pg_roles WHERE rolname = 'reeve_wal'") == "0", "the role is gone", 30)

    def slots(member):
        with contextlib.suppress(Problem):  # a member that the last test turned into a replica may not have started yet
            return rig.inside(member, "SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE 'reeve_wal%'")
        return None

    def left(member):
        return hosts.run(rig.fleet, member["host"], "sh", "-c", "ls /var/lib/reeve/members/%s /etc/systemd/system | grep -E '^pgbackrest.conf|-backup.service' || true" % member["id"])
    for member in cluster.members:
        waited(rig, suite, lambda m=member: slots(m) == "0", "%s has no slot any more" % member["name"], 60)
        waited(rig, suite, lambda m=member: left(m) == "", "and neither file nor unit", 30)
    suite.check(rig.on_repository("ls", FOLDER), "a seat that a goal does not name stays as it is")


TESTS_IN_ORDER = [
    a_cluster_has_nothing_of_it_before, wal_is_received, the_first_full_backup_is_made_at_once, nothing_is_missing_after_a_switchover_and_a_dead_receiver,
    segments_are_in_the_repository_in_order, snapshots_on_demand_and_by_schedule, what_goes_is_what_was_named, a_repository_that_cannot_be_read_is_not_taken_for_an_empty_one,
    members_reach_no_repository, seats_are_walled_off, a_receiver_that_is_ahead_of_the_fork_goes_back,
    what_the_new_primary_never_had_comes_from_another_member, backups_end_and_nothing_is_left]


def main():
    suite = Suite("backup-agent")
    ends_on_signal()
    folder = tempfile.mkdtemp(prefix="reeve-backup-", dir="/tmp")
    os.chmod(folder, 0o755)
    rig = BackupRig(folder, 4)
    try:
        rig.up()
        for test in TESTS_IN_ORDER:
            print("# " + test.__name__, file=sys.stderr, flush=True)
            test(suite, rig)
    except (Problem, subprocess.TimeoutExpired) as problem:
        suite.check(False, "%s", problem)
        rig.show_problems()
    finally:
        if os.environ.get("REEVE_KEEP"):
            print("kept: %s" % folder, file=sys.stderr)
            if rig.control:
                rig.control.stop()
        else:
            rig.down()
            shutil.rmtree(folder, ignore_errors=True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
