#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Drills on real hosts: two hosts with a cluster, and one that is its repository and restores what it keeps. Needs root.

As in backup_agent_test.py the control plane is small_control.py. Everything in a restored database is hostile: the test is superuser in the source, and so
has a shell in what is restored from it.
"""
import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
sys.dont_write_bytecode = True

import backup_agent_test  # noqa: E402  (sets the paths for the rest)
from backup_agent_test import FOLDER, SEAT, BackupRig, ProtectedCluster, moment, waited  # noqa: E402

import hosts  # noqa: E402
from state import Problem  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

MEMBERS, REPOSITORY = ["h1", "h3"], "h2"
backup_agent_test.REPOSITORY = REPOSITORY
DRILLS = "/var/lib/reeve/drills"
ROWS = 12345

# What whoever is superuser in the restored server tries: a name, what a shell of theirs runs, and what must be in what it says.
ATTACKS = [
    ("user", "id -un", lambda said, rig: said.startswith("reeve-7") and said.split()[0] != rig.seat_user()),
    ("interfaces", "ls /sys/class/net; grep -c : /proc/net/dev", lambda said, rig: "eth" not in said and "1" in said.split()),
    ("control plane", "timeout 3 bash -c 'exec 3<>/dev/tcp/10.78.0.2/8444' && echo OPEN", lambda said, rig: "OPEN" not in said and ("unreachable" in said or "not supported" in said)),
    ("members", "timeout 3 bash -c 'exec 3<>/dev/tcp/10.78.1.1/27017' && echo OPEN", lambda said, rig: "OPEN" not in said),
    ("sockets", "python3 -c 'import socket; socket.socket(socket.AF_INET); print(\"OP\" + \"EN\")' 2>&1 | tail -1",
     lambda said, rig: "OPEN" not in said),
    ("repository", "ls " + FOLDER, lambda said, rig: "No such file" in said),
    ("stanzas", "ls /var/lib/reeve/stanzas /var/lib/reeve/members", lambda said, rig: said.count("No such file") == 2),
    ("folders", "ls /var/lib/reeve; ls %s | wc -l" % DRILLS, lambda said, rig: said.split() == ["drills", "1"]),
    ("keys of the agent", "cat /var/lib/reeve/agent/host.key", lambda said, rig: "No such file" in said and "KEY" not in said),
    ("buses", "ls /run/dbus /run/systemd/private", lambda said, rig: said.count("No such file") == 2),
    ("processes", "ls /proc | grep -x 1 || echo none; cat /proc/*/cmdline | tr '\\0' ' ' | grep -c 'reeve-agent [r]un'", lambda said, rig: said.split() == ["none", "0"]),
    ("the system", "touch /etc/x /usr/x /var/x /var/lib/reeve/x /var/tmp/x && echo DONE", lambda said, rig: "DONE" not in said and said.count("Read-only") == 5),
    ("namespaces", "unshare -Ur true && echo DONE", lambda said, rig: "DONE" not in said),
    ("programs as root", "sudo -n true 2>&1; su -c id 2>&1 | head -2; echo; id -u", lambda said, rig: "uid=0" not in said),
    ("the journal", "ls /var/log/journal", lambda said, rig: "ermission denied" in said or "No such file" in said),
    ("the order", "echo x > $(ls -d %s/*)/order.json && echo DONE" % DRILLS, lambda said, rig: "DONE" not in said),
]


# A wall, the attack that it stops, and what takes it down: each must come through then, or the attack shows nothing.
WALLS = [
    ("interfaces", "PrivateNetwork=no"),
    ("sockets", "RestrictAddressFamilies=AF_INET"),
    ("control plane", "PrivateNetwork=no\nRestrictAddressFamilies=AF_INET"),
    ("repository", "TemporaryFileSystem=\nTemporaryFileSystem=/tmp:mode=1777\nTemporaryFileSystem=/dev/shm:mode=1777"),
    ("processes", "ProtectProc=default"),
    ("the system", "ProtectSystem=no"),
]


class DrillCluster(ProtectedCluster):
    drill = None

    def seat(self):
        return dict(super().seat(), drill=self.drill)

    def drilled(self):
        return self.kept().get("drill") or {}


class DrillRig(BackupRig):
    def seat_user(self):
        return self.on_repository("stat", "-c", "%U", FOLDER + "/repo").strip()

    def begin(self, assertions=(), limit=600, seconds=3):
        identity = secrets.token_hex(12)
        self.clusters[0].drill = {"id": identity, "limitSeconds": limit, "assertionSeconds": seconds,
                                  "assertions": [{"name": name, "database": database, "sql": sql} for name, database, sql in assertions]}
        self.publish()
        return identity

    def is_ended(self, identity):
        drill = self.clusters[0].drilled()
        return drill.get("id") == identity and drill["state"] in ("PASSED", "FAILED")

    def drill(self, suite, what, assertions=(), patience=180, **more):
        identity = self.begin(assertions, **more)
        waited(self, suite, lambda: self.is_ended(identity), what, patience)
        drill = self.clusters[0].drilled()
        nothing_is_left(suite, self, what)
        return drill

    def left(self):
        """Folders, units, processes and users of drills on the repository host."""
        units = self.on_repository("sh", "-c", "ls /etc/systemd/system | grep reeve-drill; systemctl list-units --all --no-legend --plain 'reeve-drill*'; true").split("\n")
        folders = self.on_repository("sh", "-c", "ls %s 2>/dev/null; true" % DRILLS).split("\n")
        users = json.loads(self.on_repository("cat", "/var/lib/reeve/agent/users.json"))["members"]
        return [one for one in units + folders + [u for u in users if u != SEAT] if one]

    def crash(self, unit_pattern="", signal="KILL"):
        self.on_repository("systemctl", "kill", "--signal=" + signal, unit_pattern, check=False)


def nothing_is_left(suite, rig, what):
    suite.check(rig.left() == [], "%s: nothing is left of it: %s", what, rig.left())


def check_of(drill, name, database=None):
    return next((c for c in drill["checks"] if c["name"] == name and c["database"] == database), {"result": None, "sentence": "", "tables": None, "rows": None})


# ---- The tests, in the order of a seat's life ----
def a_cluster_with_a_backup(suite, rig):
    for host in rig.fleet.hosts:
        rig.join(host)
        rig.start_agent(host)
    cluster = DrillCluster(rig, MEMBERS)
    rig.clusters.append(cluster)
    rig.publish()
    waited(rig, suite, lambda: cluster.roles() == ["PRIMARY", "SYNC_STANDBY"] and cluster.is_in_force(), "a cluster", 90)
    cluster.has_backups = True
    cluster.goal_generation += 1
    rig.publish()
    identity = rig.begin()
    waited(rig, suite, lambda: rig.clusters[0].drilled().get("id") == identity, "a drill before there is a backup is known", 60)
    waited(rig, suite, lambda: [s["type"] for s in cluster.snapshots()] == ["FULL"], "the first full backup", 120)
    waited(rig, suite, lambda: cluster.kept()["windowTo"], "and a window", 30)
    waited(rig, suite, lambda: rig.is_ended(identity), "the drill that waited for it", 180)
    suite.check(cluster.drilled()["state"] == "PASSED", "it has passed: %s", cluster.drilled())


def a_drill_proves_what_was_written(suite, rig):
    cluster = rig.clusters[0]
    primary = cluster.member("PRIMARY")
    made = rig.psql(primary["address"], "CREATE TABLE numbers (n int PRIMARY KEY, t text); INSERT INTO numbers SELECT g, 'row ' || g FROM generate_series(1, %d) g; "
                    "CREATE TABLE odd (\"a b\" int); CREATE INDEX ON numbers (lower(t)); INSERT INTO odd VALUES (1), (2)" % ROWS)
    suite.check(made.returncode == 0, "rows: %s", made.stderr)
    promised = moment(cluster.kept()["windowTo"])
    drill = rig.drill(suite, "a drill", [("rows", "shop", "SELECT count(*) = %d FROM numbers" % ROWS), ("semicolon", "shop", "SELECT true; ")])
    suite.check(drill["state"] == "PASSED" and drill["problem"] is None, "it has passed: %s", drill)
    rows = check_of(drill, "rows", "shop")
    suite.check((rows["tables"], rows["rows"]) == (2, ROWS + 2), "tables and rows are those that were written: %s", rows)
    for name, database in (("amcheck", "shop"), ("amcheck", "postgres"), ("rows", "postgres"), ("checksums", None), ("assertion rows", "shop"), ("assertion semicolon", "shop")):
        suite.check(check_of(drill, name, database)["result"] == "PASSED", "%s of %s: %s", name, database, drill["checks"])
    suite.check([p["name"] for p in drill["phases"]] == ["restore", "wal", "recover", "check"] and all(p["ms"] >= 0 for p in drill["phases"]), "its phases: %s",
                drill["phases"])
    suite.check(drill["rtoMs"] == sum(p["ms"] for p in drill["phases"][:3]), "the time until it could be used: %s", drill["rtoMs"])
    suite.check(promised - 150 <= moment(drill["recoveryPoint"]) <= time.time() + 5, "what came back reaches what was promised: %s", drill["recoveryPoint"])
    suite.check(re.fullmatch(r"\d{8}-\d{6}F", drill["label"]) and drill["serverVersion"].startswith("17."), "what was restored: %s", drill)
    rig.fleet.say("phases: %s" % {p["name"]: p["ms"] for p in drill["phases"]})


def what_was_written_on_both_sides_of_a_switchover_comes_back(suite, rig):
    """The backup is of the first timeline, and recovery has to go over to the second: what belongs to both is a file of each."""
    cluster = rig.clusters[0]
    old, timeline = cluster.member("PRIMARY"), cluster.kept()["timeline"]
    rig.psql(old["address"], "CREATE TABLE sides (side text); INSERT INTO sides VALUES ('before')")
    cluster.tasks = [{"id": secrets.token_hex(12), "memberId": old["id"], "kind": "SWITCHOVER", "parameters": {}}]
    rig.publish()
    waited(rig, suite, lambda: cluster.seen(old).get("role") in ("REPLICA", "SYNC_STANDBY") and "PRIMARY" in cluster.roles(), "a switchover", 60)
    cluster.tasks = []
    rig.publish()
    waited(rig, suite, lambda: cluster.kept()["timeline"] > timeline and cluster.kept()["lagMs"] < 5000, "the receiver has followed", 60)
    written = rig.psql(cluster.member("PRIMARY")["address"], "INSERT INTO sides VALUES ('after')")
    suite.check(written.returncode == 0, "a row after it: %s", written.stderr)
    waited(rig, suite, lambda: cluster.kept()["lagMs"] < 1000, "received", 30)
    drill = rig.drill(suite, "a drill over a switchover", [("both", "shop", "SELECT array_agg(side ORDER BY side) = '{after,before}' FROM sides")])
    suite.check(drill["state"] == "PASSED", "it has passed: %s", drill)


def settings_of_the_source_do_not_come_along(suite, rig):
    """A server that archives into its source, or loads what is not there, would be worse than none."""
    primary = rig.clusters[0].member("PRIMARY")
    def quietly(statement):
        hosts.run(rig.fleet, primary["host"], "env", "PGOPTIONS=-c event_triggers=off -c session_preload_libraries=", "psql", "-X", "-v", "ON_ERROR_STOP=1", "-U", "postgres",
                  "-h", "/var/lib/reeve/members/%s/run" % primary["id"], "-p", "27017", "-d", "shop", "-c", statement)
    for statement in ("ALTER SYSTEM SET archive_command = 'touch /tmp/archived; false'", "ALTER DATABASE shop SET session_preload_libraries = 'is_not_there'",
                      "ALTER DATABASE shop SET zero_damaged_pages = on",
                      "CREATE FUNCTION at_login() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'at login'; END $$",
                      "CREATE EVENT TRIGGER at_login ON login EXECUTE FUNCTION at_login()", "CREATE EVENT TRIGGER at_ddl ON ddl_command_start EXECUTE FUNCTION at_login()"):
        quietly(statement)
    drill = rig.drill(suite, "a drill of a server with settings of its own")
    suite.check(drill["state"] == "PASSED", "it has passed: %s", drill)
    for statement in ("DROP EVENT TRIGGER at_login", "DROP EVENT TRIGGER at_ddl", "ALTER DATABASE shop RESET ALL", "ALTER SYSTEM RESET archive_command"):
        quietly(statement)


def assertions_are_judged_one_by_one(suite, rig):
    wanted = [
        ("true", "shop", "SELECT true", "PASSED", "It is true."),
        ("false", "shop", "SELECT count(*) = 1 FROM numbers", "FAILED", "It is false."),
        ("nothing", "shop", "SELECT true WHERE false", "FAILED", "one boolean is wanted"),
        ("many", "shop", "SELECT n > 0 FROM numbers", "FAILED", "more than one row"),
        ("two", "shop", "SELECT true, true", "FAILED", "only one column"),
        ("wrong", "shop", "SELECT nonsense", "FAILED", "nonsense"),
        ("elsewhere", "no such", "SELECT true", "FAILED", "does not exist"),
        ("two statements", "shop", "SELECT true); DROP TABLE numbers; SELECT (true", "FAILED", "multiple commands"),
        ("a change", "shop", "WITH gone AS (DELETE FROM numbers RETURNING 1) SELECT true", "FAILED", ""),
        ("a function that changes", "shop", "SELECT lo_create(0) > 0", "FAILED", "read-only"),
        ("a program", "shop", "COPY (SELECT 1) TO PROGRAM 'id'", "FAILED", ""),
        ("a file", "shop", "SELECT pg_read_file('/etc/passwd') <> ''", "FAILED", "permission denied"),
        ("sleep", "shop", "SELECT pg_sleep(1000) IS NULL", "FAILED", "did not end within 3 s"),
        ("large", "shop", "SELECT repeat('x', 1 << 24)", "FAILED", "boolean"),
        ("the last", "shop", "SELECT true -- with a remark", "PASSED", "It is true."),
    ]
    drill = rig.drill(suite, "a drill with assertions", [row[:3] for row in wanted])
    suite.check(drill["state"] == "FAILED" and "assertion false in shop: It is false." in drill["problem"], "one that is false fails the drill: %s", drill["problem"])
    for name, database, _, result, sentence in wanted:
        check = check_of(drill, "assertion " + name, database)
        suite.check(check["result"] == result and sentence in check["sentence"], "%s: %s", name, check)
    suite.check(check_of(drill, "checksums")["result"] == "PASSED", "the rest was looked at: %s", drill["checks"])


def whoever_is_superuser_there_reaches_nothing(suite, rig):
    primary = rig.clusters[0].member("PRIMARY")
    rig.inside(primary, """CREATE FUNCTION public.shell(c text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
        EXECUTE format('COPY (SELECT 1) TO PROGRAM %L', 'cat > /dev/null; (' || c || ') > /tmp/said 2>&1; true');
        RAISE EXCEPTION '%', replace(left(pg_read_file('/tmp/said'), 400), chr(10), ' '); END $$""", "shop")
    drill = rig.drill(suite, "a drill with a shell", [(name, "shop", "SELECT public.shell($c$%s$c$)" % command) for name, command, _ in ATTACKS], seconds=10)
    for name, _, is_harmless in ATTACKS:
        check = check_of(drill, "assertion " + name, "shop")
        suite.check(check["result"] == "FAILED" and is_harmless(check["sentence"].rstrip("."), rig), "%s: %s", name, check)


def walls_that_are_down_let_them_through(suite, rig):
    folder = "/run/systemd/system/reeve-drill-%s-prove.service.d" % SEAT
    for name, lines in WALLS:
        rig.on_repository("sh", "-c", "mkdir -p %s; printf '[Service]\n%s\n' > %s/wall.conf; systemctl daemon-reload" % (folder, lines.replace("\n", "\\n"), folder))
        command, is_harmless = next((command, is_harmless) for attack, command, is_harmless in ATTACKS if attack == name)
        drill = rig.drill(suite, "a drill without the wall of %s" % name, [(name, "shop", "SELECT public.shell($c$%s$c$)" % command)], seconds=10)
        said = check_of(drill, "assertion " + name, "shop")["sentence"].rstrip(".")
        suite.check(said and not is_harmless(said, rig), "%s comes through: %s", name, said)
        rig.on_repository("sh", "-c", "rm -r %s; systemctl daemon-reload" % folder)


def one_that_does_not_end_is_ended(suite, rig):
    primary = rig.clusters[0].member("PRIMARY")
    rig.inside(primary, """CREATE FUNCTION public.forever() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN LOOP BEGIN
        PERFORM pg_sleep(1000); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$""", "shop")
    began = time.monotonic()
    drill = rig.drill(suite, "a drill with a loop that catches its end", [("loop", "shop", "SELECT public.forever()"), ("after", "shop", "SELECT true")])
    suite.check("did not end within 3 s" in check_of(drill, "assertion loop", "shop")["sentence"], "the loop: %s", drill["checks"])
    suite.check(check_of(drill, "assertion after", "shop")["result"] == "PASSED", "what comes after it is looked at: %s", drill["checks"])
    suite.check(time.monotonic() - began < 120, "in time: %.0f s", time.monotonic() - began)
    drill = rig.drill(suite, "a drill that is longer than it may be", [("loop", "shop", "SELECT public.forever()")], limit=20, seconds=3600)
    suite.check(drill["state"] == "FAILED" and "did not end within 20 s" in drill["problem"], "the unit is ended: %s", drill["problem"])


def what_it_says_is_the_word_of_somebody_else(suite, rig):
    said = "$(ls -d %s/*)/out/proved.json" % DRILLS
    prover = "pkill -9 -f 'reeve-agent prove'"
    drill = rig.drill(suite, "a drill that is ended by what it restored", [("kill", "shop", "SELECT public.shell('kill -9 -1')")], patience=400)
    suite.check(drill["state"] == "FAILED" and "without a word" in drill["problem"], "it has failed: %s", drill["problem"])
    for what, command in (("a link", "ln -sf /etc/shadow %s" % said), ("too much", "head -c 50000000 /dev/zero > %s" % said),
                          ("a pipe", "rm -f %s; mkfifo %s" % (said, said)), ("nonsense", "echo '{\"isDone\": true, \"checks\": 7, \"phases\": {}}' > %s" % said)):
        drill = rig.drill(suite, "a drill that says %s" % what, [("x", "shop", "SELECT public.shell($c$%s; %s$c$)" % (command, prover))], patience=400)
        suite.check(drill["state"] == "FAILED" and "root:" not in json.dumps(drill), "it has failed: %s", drill["problem"])


def damage_in_the_repository_is_found(suite, rig):
    path = rig.on_repository("sh", "-c", "find %s/repo/backup -type f -path '*/bundle/*' -size +100k | head -1" % FOLDER).strip()
    rig.on_repository("sh", "-c", "cp -p %s /root/whole; printf '\\377\\376\\375\\374' | dd of=%s bs=1 seek=60000 conv=notrunc 2>/dev/null" % (path, path))
    drill = rig.drill(suite, "a drill of a damaged backup")
    suite.check(drill["state"] == "FAILED" and "pgbackrest" in drill["problem"], "it has failed: %s", drill["problem"])
    rig.on_repository("sh", "-c", "cp -p /root/whole %s" % path)
    drill = rig.drill(suite, "a drill of the backup as it was")
    suite.check(drill["state"] == "PASSED", "it has passed: %s", drill)


def missing_wal_is_found(suite, rig):
    primary = rig.clusters[0].member("PRIMARY")
    rig.psql(primary["address"], "INSERT INTO odd VALUES (3)")
    rig.inside(primary, "SELECT pg_switch_wal()")
    time.sleep(160)
    archived = rig.on_repository("sh", "-c", "find %s/repo/archive -type f -name '0000*-*' | sort" % FOLDER).split()
    rig.inside(primary, "SELECT pg_switch_wal()")
    waited(rig, suite, lambda: len(rig.on_repository("sh", "-c", "find %s/repo/archive -type f -name '0000*-*' | sort" % FOLDER).split()) > len(archived), "stored", 60)
    rig.on_repository("mv", archived[-1], "/root/segment")
    drill = rig.drill(suite, "a drill without a file of WAL")
    suite.check(drill["state"] == "FAILED" and "could be restored, as was reported" in drill["problem"], "it has failed: %s", drill["problem"])
    rig.on_repository("mv", "/root/segment", archived[-1])


def it_says_what_it_lacks(suite, rig):
    program = "/usr/lib/postgresql/17/bin/pg_amcheck"
    rig.on_repository("mv", program, program + ".away")
    identity = rig.begin()
    waited(rig, suite, lambda: rig.clusters[0].drilled().get("id") == identity and rig.clusters[0].drilled()["state"] == "WAITING", "a drill without a server waits", 30)
    suite.check("no server of PostgreSQL 17" in rig.clusters[0].drilled()["problem"], "and says why: %s", rig.clusters[0].drilled()["problem"])
    nothing_is_left(suite, rig, "one that waits")
    rig.on_repository("mv", program + ".away", program)
    waited(rig, suite, lambda: rig.is_ended(identity), "it is run when there is one", 180)
    suite.check(rig.clusters[0].drilled()["state"] == "PASSED", "it has passed: %s", rig.clusters[0].drilled())


FAIL_POINTS = ["begin:before", "begin:after", "start:before", "start:after", "stage-prove:before", "stage-prove:after", "stage-clear:before", "clear:before",
               "clear-folder:before", "clear-user:before", "stage-done:before", "stage-done:after"]


def the_agent_may_be_killed_anywhere(suite, rig):
    folder = "/run/systemd/system/reeve-agent.service.d"
    for point in FAIL_POINTS:
        rig.on_repository("sh", "-c", "mkdir -p %s; printf '[Service]\\nEnvironment=REEVE_FAILPOINTS=agent:drill:%s=kill\\n' > %s/x.conf; systemctl daemon-reload; systemctl reset-failed reeve-agent; "
                          "systemctl restart reeve-agent" % (folder, point, folder))
        identity = rig.begin()
        waited(rig, suite, lambda: int(rig.on_repository("systemctl", "show", "-P", "NRestarts", "reeve-agent").strip() or 0) > 0, "killed at " + point, 120)
        rig.on_repository("sh", "-c", "rm -r %s; systemctl daemon-reload; systemctl reset-failed reeve-agent; systemctl restart reeve-agent" % folder)
        waited(rig, suite, lambda i=identity: rig.is_ended(i), "it ends", 180)
        suite.check(rig.clusters[0].drilled()["state"] == "PASSED", "%s: it has passed: %s", point, rig.clusters[0].drilled())
        nothing_is_left(suite, rig, point)


def phase_of(rig, identity):
    drill = rig.clusters[0].drilled()
    return drill["phases"][-1]["name"] if drill.get("id") == identity and drill["phases"] else None


def its_units_may_be_killed_in_every_phase(suite, rig):
    slow = [("slow", "shop", "SELECT pg_sleep(4) IS NOT NULL")]
    for phase in ("restore", "wal", "recover", "check"):
        identity = rig.begin(slow, seconds=30)
        stage = "fetch" if phase in ("restore", "wal") else "prove"
        end = time.monotonic() + 60
        while phase_of(rig, identity) != phase and time.monotonic() < end and not rig.is_ended(identity):
            time.sleep(0.01)
        rig.on_repository("systemctl", "kill", "--signal=KILL", "reeve-drill-%s-%s.service" % (SEAT, stage), check=False)
        waited(rig, suite, lambda i=identity: rig.is_ended(i), "one whose unit was killed at %s ends" % phase, 180)
        suite.check(rig.clusters[0].drilled()["state"] == "PASSED", "%s: it has passed: %s", phase, rig.clusters[0].drilled())
        nothing_is_left(suite, rig, phase)


def a_host_that_boots_again_begins_anew(suite, rig):
    identity = rig.begin([("slow", "shop", "SELECT pg_sleep(20) IS NOT NULL")], seconds=60)
    waited(rig, suite, lambda: phase_of(rig, identity) == "check", "it is under way", 90)
    hosts.kill(rig.fleet, REPOSITORY)
    hosts.start(rig.fleet, REPOSITORY)
    hosts.wait_booted(rig.fleet, REPOSITORY)
    rig.start_agent(REPOSITORY)
    waited(rig, suite, lambda: rig.is_ended(identity), "after a reboot it ends", 240)
    suite.check(rig.clusters[0].drilled()["state"] == "PASSED", "it has passed: %s", rig.clusters[0].drilled())
    nothing_is_left(suite, rig, "a reboot")


def what_is_not_wanted_any_more_goes(suite, rig):
    identity = rig.begin([("slow", "shop", "SELECT pg_sleep(60) IS NOT NULL")], seconds=100)
    waited(rig, suite, lambda: phase_of(rig, identity) == "check", "one is under way", 90)
    suite.check(rig.left(), "and there is something of it")
    rig.clusters[0].drill = None
    rig.publish()
    waited(rig, suite, lambda: rig.left() == [], "nothing is left of one that nobody wants", 60)
    identity = rig.begin([("slow", "shop", "SELECT pg_sleep(60) IS NOT NULL")], seconds=100)
    waited(rig, suite, lambda: phase_of(rig, identity) == "check", "another is under way", 90)
    rig.clusters[0].desired = "REMOVED"
    rig.publish()
    waited(rig, suite, lambda: rig.clusters[0].kept().get("unit") == "absent", "the seat goes", 60)
    with contextlib.suppress(Problem):
        suite.check([one for one in rig.left() if one != SEAT] == [], "and its drill with it: %s", rig.left())


TESTS_IN_ORDER = [
    a_cluster_with_a_backup, a_drill_proves_what_was_written, what_was_written_on_both_sides_of_a_switchover_comes_back, settings_of_the_source_do_not_come_along, assertions_are_judged_one_by_one,
    whoever_is_superuser_there_reaches_nothing, walls_that_are_down_let_them_through, one_that_does_not_end_is_ended, it_says_what_it_lacks, damage_in_the_repository_is_found,
    its_units_may_be_killed_in_every_phase, the_agent_may_be_killed_anywhere, what_it_says_is_the_word_of_somebody_else,
    a_host_that_boots_again_begins_anew, missing_wal_is_found, what_is_not_wanted_any_more_goes]


def main():
    suite = Suite("drill")
    ends_on_signal()
    folder = tempfile.mkdtemp(prefix="reeve-drill-", dir="/tmp")
    os.chmod(folder, 0o755)
    rig = DrillRig(folder, 3)
    try:
        rig.up()
        only = sys.argv[1:]  # of those that need what comes before them, name that as well
        for test in [t for t in TESTS_IN_ORDER if not only or t.__name__ in only]:
            print("# " + test.__name__, file=sys.stderr, flush=True)
            test(suite, rig)
    except (Problem, subprocess.TimeoutExpired) as problem:
        suite.check(False, "%s", problem)
        rig.show_problems()
    finally:
        if os.environ.get("REEVE_KEEP"):
            print("kept: %s" % folder, file=sys.stderr)
            input()
        rig.down()
        shutil.rmtree(folder, ignore_errors=True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
