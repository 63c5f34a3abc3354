#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The control plane's own database: on a machine of its own, backed up by a repository host, destroyed while clients write, and brought back on another
machine with what docs/how-to/back-up-the-control-plane.md says. What was acknowledged is counted. Needs root.

    test/cluster/own_database_test.py [--report FILE] [PART…]
"""
import argparse
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time

import rig
from tenant import Tenant

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from state import CONTROL, NETWORK, ROOT, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "test", "docs"))
from howto_test import section_of  # noqa: E402

AGENT = "/opt/reeve/reeve-agent"
PAGE = os.path.join(ROOT, "docs/how-to/back-up-the-control-plane.md")
DATA = "/var/lib/postgresql/17/main"
SETTINGS = "listen_addresses = '%s'\nmax_connections = 400\n"
LET_IN = "hostssl reeve reeve %s scram-sha-256\n"
WRITERS = 4


class Own:
    """The database of the control plane, first on one machine and then on another."""

    def __init__(self, fleet):
        self.fleet, self.repository = fleet, fleet.repositories[0]
        self.first, self.second = list(fleet.hosts)[:2]
        self.record = fleet.record.setdefault("ownDatabase", {"password": secrets.token_urlsafe(12), "at": None})

    def remember(self, **what):
        self.record.update(what)
        self.fleet.save()

    def address(self, name):
        return self.fleet.host(name)["address"]

    def on(self, name, command, **options):
        return hosts.run(self.fleet, name, "sh", "-c", command, **options)

    def type_in(self, name, commands, **options):
        """Commands of the page, with the addresses of this fleet."""
        commands = commands.replace("10.0.0.11", self.address(self.record["at"])).replace("10.0.0.51", self.address(self.repository))
        return self.on(name, "export PATH=/opt/reeve:$PATH\nset -e\n" + commands, **options)

    def carry(self, path, name, into, to):
        """A file from one machine to another."""
        root = hosts.folder(self.fleet, name, "root")
        shutil.copy(root + path, hosts.folder(self.fleet, into, "root") + to)

    # ---- A server, as a Debian package makes it ----
    def make_server(self, name):
        self.on(name, "pg_createcluster --locale C.UTF-8 17 main")
        hosts.write_file(self.fleet, name, "/etc/postgresql/17/main/conf.d/reeve.conf", SETTINGS % self.address(name))
        with open(hosts.folder(self.fleet, name, "root") + "/etc/postgresql/17/main/pg_hba.conf", "a") as file:
            file.write(LET_IN % NETWORK)

    def start_server(self, name):
        # The image masks the unit of all servers; that of one is there.
        self.on(name, "systemctl start postgresql@17-main", timeout=180)

    def ask(self, name, statement, database="reeve"):
        """As its superuser, on its own machine."""
        words = ["runuser", "-u", "postgres", "--", "psql", "-XAtqc", statement, database]
        return hosts.run(self.fleet, name, *words).strip()

    # ---- The control plane with it ----
    def url(self, name):
        return "host=%s port=5432 dbname=reeve user=reeve password=%s sslmode=require" % (self.address(name), self.record["password"])

    def use(self, name):
        """Nodes are told where it is; they do not run."""
        for node in CONTROL:
            with open(control.conf(self.fleet, node)) as file:
                lines = [line for line in file if not line.startswith("database =")]
            with open(control.conf(self.fleet, node), "w") as file:
                file.writelines([*lines, "database = %s\n" % self.url(name)])
        self.remember(at=name)

    def stop_nodes(self, how=signal.SIGTERM):
        for name in control.REEVE:
            process.stop(self.fleet, name, how)

    def reeved(self, *words):
        """On the control plane's machine."""
        command = network.command(self.fleet, "control", [self.fleet.build + "/reeved", *words, "--config", control.conf(self.fleet)])
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd="/")
        if result.returncode not in (0, 1):
            raise Problem("reeved %s: %s" % (" ".join(words), result.stderr))
        return result.stdout

    def shown(self):
        listed = json.loads(self.reeved("fleet", "own-backup", "--json"))
        return listed[0] if listed else {}

    def refusal(self, commands):
        """What is said when it does not do it."""
        try:
            return "it did: " + self.type_in(self.repository, commands)
        except Problem as problem:
            return str(problem)

    # ---- What the host says ----
    def reported(self):
        said = hosts.run(self.fleet, self.repository, AGENT, "own-database", "show", "--json", check=False)
        return json.loads(said) if said else {}


def install_reeved(own):
    """The control plane's program on the repository host. A build folder of Debian 12 needs libraries there that Debian 13 has no more."""
    for line in subprocess.run(["ldd", own.fleet.build + "/reeved"], capture_output=True, text=True, check=True).stdout.splitlines():
        name, path = line.split()[0], line.split()[2] if "=>" in line else ""
        if path and not own.on(own.repository, "ldconfig -p | grep -F '%s ' || true" % name).strip():
            shutil.copy(path, hosts.folder(own.fleet, own.repository, "root") + "/usr/local/lib/" + name)
    own.on(own.repository, "ldconfig && /opt/reeve/reeved --version")


def begin(suite, own):
    """The database moves to a machine of its own, as an operator would do it."""
    if own.record["at"]:
        return
    if not own.fleet.packages:
        install_reeved(own)
    own.make_server(own.first)
    own.start_server(own.first)
    own.ask(own.first, "CREATE ROLE reeve LOGIN CREATEROLE PASSWORD '%s'" % own.record["password"], "postgres")
    own.ask(own.first, "CREATE DATABASE reeve OWNER reeve TEMPLATE template0", "postgres")
    own.stop_nodes()
    folder, binaries = own.fleet.path("postgres"), control.postgres_bin()
    roles = subprocess.run([binaries + "/pg_dumpall", "-h", folder, "-U", "postgres", "--roles-only"], capture_output=True, text=True, check=True).stdout
    roles = re.sub(r" GRANTED BY \w+;", ";", roles)  # who may grant is another matter since PostgreSQL 16
    dumped = subprocess.run([binaries + "/pg_dump", "-h", folder, "-U", "postgres", "reeve"], capture_output=True, text=True, check=True).stdout
    into = hosts.command(own.fleet, own.first, ["runuser", "-u", "postgres", "--", "psql", "-Xq", "-v", "ON_ERROR_STOP=0", "-o", "/dev/null", "reeve"])
    said = subprocess.run(into, input=roles + dumped, capture_output=True, text=True, check=True).stderr
    errors = [line for line in said.splitlines() if "ERROR" in line and "already exists" not in line and "transaction_timeout" not in line]
    suite.equal(errors, [], "the database moves to %s" % own.first)
    process.stop(own.fleet, "postgres", signal.SIGINT)
    own.use(own.first)
    rig.start_control_plane(own.fleet)
    suite.check(Tenant(own.fleet).ask("GET", "/groups") is not None, "the control plane works with it")


def it_is_kept(suite, own):
    """One role in the database, one command on the repository host."""
    at_server, at_repository = section_of(PAGE, "Let a repository host keep it")
    own.type_in(own.first, at_server)
    own.carry("/root/reeve-backup-password", own.first, own.repository, "/root/reeve-backup-password")
    own.carry("/etc/ssl/certs/ssl-cert-snakeoil.pem", own.first, own.repository, "/root/database.crt")
    wrong = own.refusal(at_repository.replace("/root/reeve-backup-password", "/etc/debian_version"))
    suite.check("password" in wrong, "a wrong password is told: %s", wrong)
    for change, undo, said in (("ALTER ROLE reeve_backup NOREPLICATION", "ALTER ROLE reeve_backup REPLICATION", "ALTER ROLE reeve_backup REPLICATION"),
                               ("ALTER SYSTEM SET max_slot_wal_keep_size = -1", "ALTER SYSTEM RESET ALL", "set max_slot_wal_keep_size")):
        for statement in (change, "SELECT pg_reload_conf()"):
            own.ask(own.first, statement, "postgres")
        wait_until(lambda words=said: words in own.refusal(at_repository), "what to change is told: " + said, 20)
        for statement in (undo, "SELECT pg_reload_conf()"):
            own.ask(own.first, statement, "postgres")
    time.sleep(1)  # the server reads its settings again
    began = time.monotonic()
    words = [line.strip() for line in own.type_in(own.repository, at_repository).splitlines() if line.startswith("  ")]
    suite.equal(len(words), 1, "a passphrase is shown")
    own.remember(passphrase=words[0])
    suite.check(words[0] not in own.type_in(own.repository, at_repository), "and not a second time")
    wait_until(lambda: own.reported().get("windowTo"), "the first backup, and a window", 240)
    suite.say("the first backup and a window after %.1f s" % (time.monotonic() - began))
    shown = wait_until(lambda: own.shown().get("state") == "WORKING" and own.shown(), "operators see it", 60)
    suite.equal((shown["host"], shown["unit"], shown["backups"], shown["problem"]), (own.repository, "active", 1, None), "what operators see")
    wait_until(lambda: own.shown()["windowTo"] > shown["windowTo"], "the window moves", 120)
    suite.say("lag: %s ms, %s bytes" % (own.shown()["lagMs"], own.shown()["lagBytes"]))
    suite.check("ok     own backup" in own.reeved("check"), "reeved check says so")
    secret = hosts.run(own.fleet, own.repository, "stat", "-c", "%a %U", "/etc/reeve/own-database.json").strip()
    suite.equal(secret, "600 root", "who reads the secrets")


def drilled(own):
    """A drill that was asked for, when it has ended."""
    before = own.shown().get("drillFinishedAt")
    own.on(own.repository, AGENT + " own-database drill")
    return wait_until(lambda: (own.shown().get("drillFinishedAt") or "") > (before or "") and own.shown(), "a drill ends", 240)


def it_is_proven(suite, own):
    """A second control plane is started from the newest backup, shut in; one that cannot be is told."""
    wait_until(lambda: own.shown().get("drillState"), "the first drill, which nobody asked for", 300)
    shown = drilled(own)
    suite.equal((shown["drillState"], shown["drillProblem"], shown["state"]), ("PASSED", None, "WORKING"), "a drill")
    suite.say("restored and ready after %.1f s, up to %s" % (shown["recoveryTimeMillis"] / 1000, shown["recoveryPoint"]))
    checks = {one["name"]: (one["result"], one["sentence"]) for one in own.reported()["drill"]["checks"]}
    suite.check(checks["control plane"][0] == "PASSED" and "1 organizations, %d hosts" % len(own.fleet.hosts) in checks["control plane"][1],
                "what the second control plane answered: %s", checks.get("control plane"))
    suite.say(checks["control plane"][1])
    suite.equal(own.on(own.repository, "ls /var/lib/reeve/drills; ls /etc/systemd/system | grep reeve-drill || true").split(), [], "what is left of it")
    # The chain of events is broken in what was backed up: the drill finds it.
    tamper = "SET session_replication_role = replica; UPDATE event SET type = %s WHERE seq = 1"
    own.ask(own.first, tamper % "type || 'X'")
    shown = drilled(own)
    suite.check(shown["drillState"] == "FAILED" and "control plane" in shown["drillProblem"] and shown["state"] == "UNPROVEN", "a database that was tampered with: %s", shown)
    suite.check("WRONG  own backup" in own.reeved("check"), "reeved check says so")
    own.ask(own.first, tamper % "rtrim(type, 'X')")
    suite.equal(drilled(own)["state"], "WORKING", "when it is as it was")


def standing_still_is_told(suite, own):
    """The receiver is kept from its server: operators are told, and nothing is lost when it may go on."""
    own.on(own.first, "nft add table inet away; nft add chain inet away in '{ type filter hook input priority -10; }'; "
                      "nft add rule inet away in ip saddr %s tcp dport 5432 drop" % own.address(own.repository))
    try:
        shown = wait_until(lambda: own.shown().get("state") == "FAILING" and own.shown(), "operators are told", 120)
        suite.check(bool(shown["problem"]), "why: %s", shown)
        checked = own.reeved("check")
        suite.check("WRONG  own backup" in checked, "reeved check says so: %s", checked)
    finally:
        own.on(own.first, "nft delete table inet away")
    wait_until(lambda: own.shown().get("state") == "WORKING", "it goes on", 120)


class Writer(threading.Thread):
    """Creates projects, one after the other, and notes when each was acknowledged."""

    def __init__(self, fleet, number):
        super().__init__(daemon=True)
        self.tenant, self.number, self.made, self.ended = Tenant(fleet), number, [], False

    def run(self):
        while not self.ended:
            name = "own-%d-%d" % (self.number, len(self.made))
            try:
                self.tenant.ask("POST", "/groups", {"name": name, "orgId": self.tenant.organization})
                self.made.append((time.time(), name))
            except Problem:
                time.sleep(0.1)


def projects(fleet):
    tenant, names, page = Tenant(fleet), set(), 1
    while True:
        found = tenant.ask("GET", "/groups?itemsPerPage=500&pageNum=%d" % page)["results"]
        names |= {one["name"] for one in found}
        if len(found) < 500:
            return names
        page += 1


def destroyed_and_restored(suite, own):
    """kill -9 and rm while clients write; restored on another machine, with the figures."""
    fleet = own.fleet
    tenant = Tenant(fleet)
    tenant.create_project("before")
    goals = {name: int(own.ask(own.first, "SELECT version FROM host_goal_version v JOIN host h ON h.id = v.host_id WHERE h.name = '%s'" % name)) for name in fleet.hosts}
    writers = [Writer(fleet, number) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    time.sleep(20)
    lag = own.reported()["lagMs"]
    own.on(own.first, "kill -9 $(cat /var/run/postgresql/17-main.pid); pkill -9 -u postgres postgres; rm -rf " + DATA)
    time.sleep(2)
    for writer in writers:
        writer.ended = True
    for writer in writers:
        writer.join(60)
    acknowledged = sorted(one for writer in writers for one in writer.made)
    lost_at = acknowledged[-1][0]
    suite.check(len(acknowledged) > 50, "projects were acknowledged: %d", len(acknowledged))
    own.stop_nodes(signal.SIGKILL)
    began = time.monotonic()
    at_repository, at_server, at_node = section_of(PAGE, "Bring it back")
    own.type_in(own.repository, at_repository, timeout=300)
    suite.say("restored into a folder after %.1f s" % (time.monotonic() - began))
    own.make_server(own.second)
    own.carry("/root/reeve-database.tar", own.repository, own.second, "/root/reeve-database.tar")
    own.type_in(own.second, at_server, timeout=300)
    own.use(own.second)
    for command in at_node.splitlines():
        own.reeved(*command.split("reeved ")[1].split())
    rig.start_control_plane(fleet)
    suite.say("the control plane answers again after %.1f s" % (time.monotonic() - began))
    there = projects(fleet)
    missing = sorted((at, name) for at, name in acknowledged if name not in there)
    suite.check("before" in there, "what was there before")
    furthest = lost_at - missing[0][0] if missing else 0
    suite.say("%d projects were acknowledged, %d of them in the last second; %d are lost, the oldest %.0f ms before the end; the lag shown was %s ms" % (
        len(acknowledged), sum(at > lost_at - 1 for at, _ in acknowledged), len(missing), furthest * 1000, lag))
    suite.check(furthest <= max(lag / 1000, 0) + 1, "more is lost than the lag that was shown: %.2f s", furthest)
    # Agents come back, and no goal goes backwards.
    wait_until(lambda: own.ask(own.second, "SELECT count(*) FROM host WHERE last_seen_at > now() - interval '15 seconds'") == str(len(fleet.hosts)), "agents report again", 120)
    versions = "SELECT h.name || ' ' || v.version || ' ' || h.seen_version FROM host h JOIN host_goal_version v ON v.host_id = h.id"
    wait_until(lambda: all(int(line.split()[1]) == int(line.split()[2]) for line in own.ask(own.second, versions).splitlines()), "agents have reached their goals", 120)
    for line in own.ask(own.second, versions).splitlines():
        name, version, _ = line.split()
        suite.check(int(version) > goals[name] + 1000, "goals of %s go on behind what they were: %s, %d", name, version, goals[name])


def it_is_kept_again(suite, own):
    """Of the same history: the server that took its place has the same identifier, and a new timeline."""
    at_server, at_repository = section_of(PAGE, "Let a repository host keep it")
    own.type_in(own.second, "".join(line + "\n" for line in at_server.splitlines() if "CREATE ROLE" not in line and "openssl" not in line))
    own.carry("/etc/ssl/certs/ssl-cert-snakeoil.pem", own.second, own.repository, "/root/database.crt")
    own.type_in(own.repository, at_repository)
    before = own.shown().get("windowTo")
    wait_until(lambda: own.shown().get("state") == "WORKING" and (own.shown()["windowTo"] or "") > (before or "") and own.shown(), "the window moves on", 240)
    suite.equal(own.reported()["timeline"], 2, "the timeline")


def forgotten(suite, own):
    """Nothing is left on the repository host, and nobody waits for it."""
    own.on(own.repository, AGENT + " own-database forget --remove-backups")
    wait_until(lambda: own.on(own.repository, "ls /var/lib/reeve/stanzas; ls /etc/systemd/system | grep -E 'reeve-(wal|backup|verify)' || true").split() == [], "all of it goes", 60)
    wait_until(lambda: own.shown() == {}, "operators see it no more", 60)


PARTS = [begin, it_is_kept, it_is_proven, standing_still_is_told, destroyed_and_restored, it_is_kept_again, forgotten]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", metavar="FILE")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(part.__name__ for part in PARTS))
    options = parser.parse_args()
    suite = Suite("own database")
    try:
        with rig.fleet_for(2, repositories=1) as fleet:
            own = Own(fleet)
            for part in PARTS:
                if not options.parts or part.__name__ in options.parts:
                    part(suite, own)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
