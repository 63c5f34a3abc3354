#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Restores on real hosts: two hosts with a cluster, two that others are restored on, and a repository. Needs root.

As in backup_agent_test.py the control plane is small_control.py. A client writes numbered rows all the time; what it was told is in the database decides what
must be there after a restore. Names of tests as arguments: those, and the first three, which the others need.
"""
import contextlib
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

from backup_agent_test import FOLDER, REPOSITORY, SEAT, BackupRig, ProtectedCluster, Writer, moment, waited  # noqa: E402  (sets the paths for the rest)

import hosts  # noqa: E402
from gate_attacks import CONNECTIONS, FILL, READS, WRITES, Attacker  # noqa: E402
from state import Problem  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

SOURCE, TARGET = ["h1", "h2"], ["h3", "h5"]
GATES = "/var/lib/reeve/gates"
PORT = 27100


class RestoredCluster(ProtectedCluster):
    """What a control plane would say of a cluster that is restored into."""

    def __init__(self, rig, host_names):
        super().__init__(rig, host_names)
        self.restore, self.has_members = None, True

    def document(self):
        document = super().document()
        if self.restore:
            document["restore"] = {key: value for key, value in self.restore.items() if key not in ("last", "open")}
        return document

    def begin(self, source, point, phase="BUILD", last=False, port=PORT):
        identity = secrets.token_hex(12)
        self.restore = {"id": identity, "phase": phase, "first": self.members[0]["id"], "stanza": source.stanza, "majorVersion": "17",
                        "gate": {"address": self.rig.fleet.host(REPOSITORY)["address"], "port": port, "name": "reeve-gate-" + identity},
                        "point": {"time": None, "lsn": None, "timeline": None, **point}, "last": last, "open": True}
        return identity

    def gate(self):
        return {"id": self.restore["id"], "seatId": SEAT, "clusterId": self.id, "port": self.restore["gate"]["port"], "authority": self.authority.pem,
                "clients": [{"name": m["name"], "address": self.rig.fleet.host(m["host"])["address"]} for m in self.members if self.has_members],
                "last": self.restore["last"]}

    def restore_states(self):
        return [(seen.get("restore") or {}).get("state") for seen in self.all_seen()]

    def of_first(self):
        return self.seen(self.members[0]).get("restore") or {}

    def folder(self, member):
        return "/var/lib/reeve/members/" + member["id"]


class RestoreRig(BackupRig):
    def goal_of(self, host):
        goal = super().goal_of(host)
        if host == REPOSITORY:
            goal["gates"] = [c.gate() for c in self.clusters if getattr(c, "restore", None) and c.restore["open"]]
        return goal

    def gate_of(self, cluster):
        """What was said last about the gate of its restore."""
        gates = (self.control.hosts[REPOSITORY].report or {}).get("gates", [])
        return next((gate for gate in gates if gate["id"] == cluster.restore["id"]), {})


def kill_agent(rig, host):
    """systemd starts it again."""
    hosts.run(rig.fleet, host, "systemctl", "kill", "-s", "KILL", "reeve-agent.service", check=False)


def rows_of(rig, member):
    answer = rig.psql(member["address"], "SELECT count(*), COALESCE(max(n), 0) FROM numbers")
    return tuple(int(number) for number in answer.stdout.strip().split("|")) if answer.returncode == 0 else (answer.stderr, 0)


def recovery_log(rig, cluster):
    first = cluster.members[0]
    return hosts.run(rig.fleet, first["host"], "sh", "-c", "cat %s/restore/result.json %s/restore/postgresql.log 2>&1" % ((cluster.folder(first),) * 2), check=False)


def restored(suite, rig, cluster, what, seconds=180):
    waited(rig, suite, lambda: set(cluster.restore_states()) == {"RESTORED"} or "FAILED" in cluster.restore_states(), what, seconds)
    suite.check(set(cluster.restore_states()) == {"RESTORED"}, "%s: %s", what, [s.get("restore") for s in cluster.all_seen()])


def next_phase(suite, rig, cluster, phase, state, seconds=60):
    cluster.restore["phase"] = phase
    rig.publish()
    waited(rig, suite, lambda: set(cluster.restore_states()) == {state}, "%s: every member says %s" % (phase, state), seconds)


def left_behind(rig, cluster):
    found = []
    for member in cluster.members:
        found += hosts.run(rig.fleet, member["host"], "sh", "-c", "ls -d %s/restore* %s/data.* /etc/systemd/system/*-restore.service /var/lib/reeve/agent/restore-* 2>/dev/null || true" % (
            cluster.folder(member), cluster.folder(member))).split()
    return found


def clean_up(suite, rig, cluster):
    """CLEAN, the gate closed, the restore gone from the goal; nothing of it stays."""
    next_phase(suite, rig, cluster, "CLEAN", "CLEAN")
    suite.check(left_behind(rig, cluster) == [], "CLEAN leaves nothing behind: %s", left_behind(rig, cluster))
    cluster.restore = None
    rig.publish()
    waited(rig, suite, lambda: rig.on_repository("sh", "-c", "ls -d %s/* /etc/systemd/system/reeve-gate-* 2>/dev/null || true" % GATES).strip() == "", "nothing is left of the gate", 30)
    suite.check(not re.search(r":%d\b" % PORT, rig.on_repository("ss", "-Hltn")), "and nobody listens there")
    waited(rig, suite, lambda: set(cluster.restore_states()) == {None} and cluster.is_in_force() and "PRIMARY" in cluster.roles(), "the cluster is like any other", 60)


# ---- The tests ----
def a_cluster_is_backed_up(suite, rig):
    for host in rig.fleet.hosts:
        rig.join(host)
        rig.start_agent(host)
    source = RestoredCluster(rig, SOURCE)
    source.has_backups = True
    rig.clusters.append(source)
    rig.publish()
    waited(rig, suite, lambda: source.roles() == ["PRIMARY", "SYNC_STANDBY"] and source.is_in_force(), "a cluster", 90)
    waited(rig, suite, lambda: [s["type"] for s in source.snapshots()] == ["FULL"] and source.kept()["windowTo"], "with a backup", 120)
    rig.psql(source.member("PRIMARY")["address"], "CREATE TABLE numbers (n int PRIMARY KEY)")
    rig.label = source.snapshots()[0]["label"]


def a_snapshot_of_its_own(suite, rig):
    """Rows before it, and rows after it that must not be there."""
    source = rig.clusters[0]
    with Writer(rig, source) as writer:
        waited(rig, suite, lambda: writer.told > 10, "some rows", 60)
    rig.rows_before = writer.told
    wanted = secrets.token_hex(12)
    source.wanted = [{"snapshotId": wanted, "type": "INCR", "expiresAt": None}]
    rig.publish()
    waited(rig, suite, lambda: any(s["id"] == wanted for s in source.snapshots()), "a snapshot", 90)
    rig.snapshot = next(s for s in source.snapshots() if s["id"] == wanted)
    source.wanted = []
    rig.publish()
    primary = source.member("PRIMARY")
    rig.psql(primary["address"], "INSERT INTO numbers SELECT 1000 + g FROM generate_series(1, 5) g")
    time.sleep(1.2)
    rig.moment = rig.inside(primary, "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
    time.sleep(1.2)
    rig.psql(primary["address"], "INSERT INTO numbers SELECT 2000 + g FROM generate_series(1, 5) g")
    rig.inside(primary, "ALTER SYSTEM SET archive_command = 'touch /tmp/of-the-source'")
    stopped = time.time()
    waited(rig, suite, lambda: moment(source.kept()["windowTo"]) > stopped, "all of it was received", 60)


def a_new_cluster_of_a_snapshot(suite, rig):
    target = RestoredCluster(rig, TARGET)
    rig.clusters.append(target)
    target.begin(rig.clusters[0], {"kind": "SNAPSHOT", "label": rig.snapshot["label"]})
    rig.publish()
    waited(rig, suite, lambda: rig.gate_of(target).get("state") == "OPEN", "the gate is open", 30)
    restored(suite, rig, target, "a new cluster of a snapshot")
    first = target.members[0]
    suite.check(target.seen(first)["role"] == "PRIMARY", "the first member is the primary")
    count, last = rows_of(rig, first)
    suite.check((count, last) == (rig.rows_before, rig.rows_before), "with the rows from before: %s of %s", (count, last), rig.rows_before)
    auto = hosts.run(rig.fleet, first["host"], "cat", target.folder(first) + "/data/postgresql.auto.conf")
    suite.check("archive" not in auto and "recovery" not in auto and "primary_conninfo" not in auto, "nothing of the source's own settings: %s", auto)
    suite.check(rig.inside(first, "SHOW archive_command") in ("", "(disabled)"), "it archives nowhere")
    result = target.of_first()
    suite.check(result["totalBytes"] > 1e6 and result["doneBytes"] and result["reachedLsn"], "it said how far it was: %s %s", result, recovery_log(rig, target))
    suite.check(rig.psql(first["address"], "INSERT INTO numbers VALUES (9999)").returncode == 0, "users of the goal write")
    clean_up(suite, rig, target)


def forget(suite, rig, cluster):
    """As the control plane does while all members are stopped."""
    task = secrets.token_hex(12)
    member = cluster.members[0]
    cluster.tasks = [{"id": task, "memberId": member["id"], "kind": "FORGET_SCOPE", "parameters": {}}]
    rig.publish()
    outcome = lambda: next((t for t in rig.control.hosts[member["host"]].report["tasks"] if t["id"] == task), {}).get("outcome")  # noqa: E731
    waited(rig, suite, lambda: outcome() == "DONE", "etcd has forgotten the cluster", 30)
    cluster.tasks = []


def in_place(suite, rig, cluster, source, point, last=False):
    """Up to BUILD."""
    cluster.begin(source, point, "STOP", last)
    rig.publish()
    waited(rig, suite, lambda: rig.gate_of(cluster).get("state") == "OPEN", "the gate is open", 30)
    waited(rig, suite, lambda: set(cluster.restore_states()) == {"STOPPED"}, "everybody has stopped", 60)
    for member in cluster.members:
        running = hosts.run(rig.fleet, member["host"], "sh", "-c", "ps -C postgres -o args= | grep -c %s || true" % member["id"]).strip()
        suite.check(running == "0", "no PostgreSQL of %s runs", member["name"])
    forget(suite, rig, cluster)
    cluster.restore["phase"] = "BUILD"
    rig.publish()


class Killer:
    """Kills agents again and again, on these hosts in turn."""

    def __init__(self, rig, names, every=1.0):
        self.rig, self.names, self.every, self.kills, self.stop = rig, names, every, 0, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def run(self):
        while not self.stop.wait(self.every):
            with contextlib.suppress(Problem, subprocess.TimeoutExpired):
                kill_agent(self.rig, self.names[self.kills % len(self.names)])
            self.kills += 1


def an_exact_moment_in_place_with_agents_killed(suite, rig):
    """Into a cluster that is in use. Its agents, and that of the repository host, are killed all the time."""
    source, target = rig.clusters[0], rig.clusters[1]
    with Killer(rig, TARGET + [REPOSITORY]) as killer:
        in_place(suite, rig, target, source, {"kind": "TIME", "label": rig.label, "time": rig.moment}, last=True)
        restored(suite, rig, target, "a moment between two transactions", 240)
    rig.fleet.say("agents were killed %d times" % killer.kills)
    first = target.members[0]
    count, last = rows_of(rig, first)
    suite.check((count, last) == (rig.rows_before + 5, 1005), "the rows of that moment and no others: %s", (count, last))
    reached = target.of_first()
    suite.check(reached["reachedAt"] and moment(reached["reachedAt"]) <= moment(rig.moment), "it says what it reached: %s", reached)
    kept = hosts.run(rig.fleet, first["host"], "sh", "-c", "ls -d %s/data.before-*" % target.folder(first)).split()
    suite.check(len(kept) == 1, "what was there before is still there: %s", kept)
    with Killer(rig, TARGET, 2):
        next_phase(suite, rig, target, "CLEAN", "CLEAN", 90)
    clean_up(suite, rig, target)


def nobody_comes_in_before_it_is_whole(suite, rig):
    """A client that tries all the time is let in with the rows of the goal, or not at all; users of the source never."""
    source, target = rig.clusters[0], rig.clusters[1]
    rig.inside(source.member("PRIMARY"), "CREATE ROLE ghost LOGIN PASSWORD 'correct horse battery'; GRANT pg_read_all_data TO ghost")
    stopped = time.time()
    waited(rig, suite, lambda: moment(source.kept()["windowTo"]) > stopped, "a user that the goal of the other cluster does not know", 30)
    in_place(suite, rig, target, source, {"kind": "LATEST", "label": rig.label}, last=True)
    seen = set()
    while "RESTORED" not in target.restore_states()[0:1] and "FAILED" not in target.restore_states():
        for member in target.members:
            with contextlib.suppress(subprocess.TimeoutExpired):
                answer = rig.psql(member["address"], "SELECT pg_is_in_recovery(), count(*) FROM numbers", timeout=3)
                if answer.returncode == 0:
                    seen.add(answer.stdout.strip())
        time.sleep(0.05)
    restored(suite, rig, target, "the latest of a cluster that goes on")
    suite.check(all(one == "f|%d" % (rig.rows_before + 10) for one in seen), "nothing half-restored was seen: %s", seen)
    first = target.members[0]
    suite.check(rig.psql(first["address"], "SELECT 1", user="ghost").returncode != 0, "a user of the source does not come in")
    clean_up(suite, rig, target)


def a_damaged_backup_is_undone(suite, rig):
    source, target = rig.clusters[0], rig.clusters[1]
    first = target.members[0]
    rig.psql(first["address"], "INSERT INTO numbers VALUES (777777)")
    before = rows_of(rig, first)
    backup = "%s/repo/backup/%s/%s" % (FOLDER, source.stanza, rig.label)
    damaged = rig.on_repository("sh", "-c", "find %s -type f ! -name 'backup.manifest*' -size +8k -printf '%%s %%p\\n' | sort -n | tail -1 | cut -d' ' -f2" % backup).strip()
    rig.on_repository("sh", "-c", "cp -p %s /root/whole && printf 'damage damage damage' | dd of=%s bs=1 seek=4096 conv=notrunc status=none" % (damaged, damaged))
    in_place(suite, rig, target, source, {"kind": "SNAPSHOT", "label": rig.label})
    waited(rig, suite, lambda: target.of_first().get("state") == "FAILED", "the restore has failed", 120)
    suite.check("damaged" in target.of_first()["problem"], "and says why: %s", target.of_first())
    suite.check(all(rig.psql(m["address"], "SELECT 1", timeout=10).returncode != 0 for m in target.members), "nobody gets in")
    with Killer(rig, TARGET, 2):
        next_phase(suite, rig, target, "STOP", "STOPPED")
        forget(suite, rig, target)
        next_phase(suite, rig, target, "UNDO", "UNDONE", 120)
    waited(rig, suite, lambda: target.roles() == ["PRIMARY", "SYNC_STANDBY"], "the cluster is back", 90)
    suite.check(target.seen(first)["role"] == "PRIMARY", "with the primary that it had")
    suite.check(rows_of(rig, first) == before, "and with what it had: %s, %s before", rows_of(rig, first), before)
    clean_up(suite, rig, target)
    rig.on_repository("sh", "-c", "cp -p /root/whole %s" % damaged)


def the_gate_leads_nowhere_else(suite, rig):
    """Whatever somebody has who is root on the host of a member that is being restored, and knows all of its keys."""
    source, target = rig.clusters[0], rig.clusters[1]
    in_place(suite, rig, target, source, {"kind": "SNAPSHOT", "label": rig.label})
    restored(suite, rig, target, "a restore that goes well")
    member, folder = target.members[0], target.folder(target.members[0])

    address = rig.fleet.host(REPOSITORY)["address"]
    attacker = Attacker(rig.fleet, member["host"], folder, address, PORT, source.stanza)
    own, say = attacker.own, attacker.shell
    suite.check("archive.info" in say(own + "repo-ls archive/" + source.stanza).stdout, "what it is for works: %s", say(own + "repo-ls archive/" + source.stanza))
    other = "/var/lib/reeve/stanzas/other"
    rig.on_repository("sh", "-c", "mkdir -p {0}/repo && echo the-other-tenants > {0}/repo/x && chmod -R a+rX {0}".format(other))
    inventory = "cd %s/repo && find . -type f -printf '%%P %%s %%T@\\n' " % FOLDER
    before = set(rig.on_repository("sh", "-c", inventory).splitlines())
    for what, words in READS.items():
        got = attacker.reads(words.format(seat=FOLDER, other=other))
        suite.check(got is None, "nobody reads %s: %s", what, got)
    for what, words in CONNECTIONS.items():
        answer = attacker.asks(words.format(address="10.78.0.2", port=8444))
        suite.check(answer.returncode != 0 or answer.stdout.strip() in ("", "."), "nobody reaches %s: %s", what, answer.stdout[:300])
    config = say(own + "--repo1-path=/gate repo-get --raw pgbackrest.conf").stdout
    suite.check("tls-server-port" in config, "what is there can be read in this way: %s", config)
    suite.check(source.cipher_pass not in config and "secret" not in config, "there is no secret in what can be read: %s", config)
    for what, words in WRITES.items():
        got = attacker.writes(words.format(label=rig.label, stanza=source.stanza))
        suite.check(got is None, "nobody makes %s: %s", what, got)
    answer = say(FILL.format(own=own))
    suite.check(answer.returncode != 0, "nobody fills the host's disk: %s", answer.stdout[:300])
    after = set(rig.on_repository("sh", "-c", inventory).splitlines())
    suite.check(len(before) > 10 and before <= after, "everything in the repository is what it was: %s", before - after)
    suite.check(all(re.match(r"archive/.*/[0-9A-F]{24}-", line) for line in after - before), "and nothing came but WAL: %s", after - before)
    suite.check(Attacker(rig.fleet, member["host"], folder, address, PORT, "other-1").reads("repo-ls") is None, "nobody asks for another stanza")
    stranger = source.members[0]
    got = Attacker(rig.fleet, stranger["host"], source.folder(stranger), address, PORT, source.stanza).reads("repo-ls")
    suite.check(got is None, "a member of another cluster does not come in: %s", got)
    rig.on_repository("rm", "-rf", "/var/lib/reeve/stanzas/other")
    clean_up(suite, rig, target)


def all_hosts_of_a_cluster_are_lost_while_a_client_writes(suite, rig):
    source = rig.clusters[0]
    primary = source.member("PRIMARY")
    rig.psql(primary["address"], "TRUNCATE numbers")
    with Writer(rig, source) as writer:
        waited(rig, suite, lambda: writer.told > 40, "some rows", 90)
        lag = source.kept()["lagMs"]
        for host in SOURCE:
            hosts.kill(rig.fleet, host)
        writer.stop.set()
    told = writer.told
    target = RestoredCluster(rig, TARGET)
    rig.clusters.append(target)
    target.begin(source, {"kind": "LATEST", "label": rig.label}, "STOP", last=True)
    # A gate was told to have failed while members that replace the lost ones were not placed yet.
    target.has_members = False
    rig.publish()
    waited(rig, suite, lambda: rig.gate_of(target).get("state") in ("OPEN", "FAILED"), "a gate for nobody yet", 60)
    suite.check(rig.gate_of(target)["state"] == "OPEN", "it is open: %s", rig.gate_of(target))
    target.has_members = True
    rig.publish()
    waited(rig, suite, lambda: rig.gate_of(target).get("state") == "OPEN" and set(target.restore_states()) == {"STOPPED"}, "members that never ran are stopped", 60)
    gate = rig.gate_of(target)
    suite.check(gate["servedLsn"] and gate["servedAt"], "the gate says how far it brings somebody: %s", gate)
    target.restore["phase"] = "BUILD"
    rig.publish()
    restored(suite, rig, target, "a new cluster of the latest moment")
    count, last = rows_of(rig, target.members[0])
    rig.fleet.say("restored %d of %d acknowledged rows; the receiver was %d ms behind" % (count, told, lag))
    suite.check(count == last and last >= told - 3, "%d rows without a gap, %d of %d acknowledged", count, last, told)
    clean_up(suite, rig, target)


TESTS_IN_ORDER = [
    a_cluster_is_backed_up, a_snapshot_of_its_own, a_new_cluster_of_a_snapshot, an_exact_moment_in_place_with_agents_killed, nobody_comes_in_before_it_is_whole,
    a_damaged_backup_is_undone, the_gate_leads_nowhere_else, all_hosts_of_a_cluster_are_lost_while_a_client_writes]


def main():
    suite = Suite("restore-agent")
    ends_on_signal()
    folder = tempfile.mkdtemp(prefix="reeve-restore-", dir="/tmp")
    os.chmod(folder, 0o755)
    rig = RestoreRig(folder, 5)
    try:
        rig.up()
        for test in [test for test in TESTS_IN_ORDER if test in TESTS_IN_ORDER[:3] or test.__name__ in (sys.argv[1:] or [test.__name__])]:
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
