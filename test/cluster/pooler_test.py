#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Poolers of a cluster on a fleet: switched on by the API, attacked, with thousands of clients, through a switchover and a lost host, and off again.

    test/cluster/pooler_test.py [--clients N] [--seconds N] [--only PARTS]

Needs root. Prints what it measured; pooled and direct are compared in turns of one run.
"""
import argparse
import contextlib
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import psycopg2
import rig
from first_cluster_test import Person
from ledger import TABLES, Writer, lost
from tenant import DATABASE, Tenant, client_address, psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
import pooler_attacks  # noqa: E402
from state import CONTROL, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER, PORT, READY_S, GONE_S = "pooled", 6432, 30, 20
ROUNDS = 3
READS = 20  # of each of many clients


class Scene:
    def __init__(self, fleet):
        self.fleet, self.tenant = fleet, Tenant(fleet)
        self.tenant.create_project()
        self.password = self.tenant.create_user("app")
        self.admin_password = self.tenant.create_user("boss", [{"roleName": "serviceAdmin", "databaseName": "admin"}])
        self.tenant.allow(client_address())
        self.tenant.create_cluster(CLUSTER, "S2")
        self.document = self.tenant.wait_idle(CLUSTER, 240)
        self.direct = self.tenant.dsn(self.document, "app", self.password)
        wait_psql(fleet, self.direct, TABLES, 60)
        rig.wait_full_strength(fleet, CLUSTER, 3, 120)

    def pooling(self, method="GET", **body):
        return self.tenant.ask(method, self.tenant.of_project("/clusters/%s/pooling" % CLUSTER), *([body] if body else []))

    def dsn(self, user="app", password=None, database=DATABASE):
        return pooler_attacks.dsn(self.tenant, self.document, user, self.password if password is None else password, database)

    def connect(self, dsn):
        with network.inside(self.fleet, "client"):
            connection = psycopg2.connect(self.by_address(dsn))
        connection.autocommit = True
        return connection

    def by_address(self, dsn):
        """This program has another resolver than the client's machine."""
        for member in rig.members(self.fleet, CLUSTER):
            dsn = re.sub(r"%s\.[a-z0-9.]+" % re.escape(member.name), member.address, dsn)
        return dsn.replace("sslmode=verify-full", "sslmode=verify-ca")

    def unit(self, member):
        return "reeve-member-%s-pooler.service" % member.id


def ask(connection, statement):
    """The first value, or None when the connection did not survive it."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchone()[0]
    except psycopg2.Error:
        return None


# ---- On and off ----
def it_is_switched_on(suite, scene):
    before = scene.pooling()
    suite.equal((before["enabled"], before["state"], before["mode"]), (False, "OFF", "TRANSACTION"), "before it is switched on")
    suite.check("pooled" not in scene.document["connectionStrings"], "a string of poolers that are off is shown")
    began = time.time()
    suite.equal(scene.pooling("PATCH", enabled=True)["enabled"], True, "switched on")
    scene.document = scene.tenant.cluster(CLUSTER)
    suite.check(scene.document["connectionStrings"]["pooled"].count(":%d" % PORT) == 3, "the pooled string: %s", scene.document["connectionStrings"]["pooled"])
    wait_psql(scene.fleet, scene.dsn(), "SELECT 1", READY_S)
    suite.say("the first client was served %.1f s after it was switched on" % (time.time() - began))
    wait_until(lambda: scene.pooling()["state"] == "READY", "the API says READY", READY_S)
    said = psql(scene.fleet, scene.dsn(), "SELECT current_user, pg_is_in_recovery()")
    suite.equal(said[:2], (0, "app|f"), "who is asked through the pooler, TLS verified")
    primary = rig.primary_of(scene.fleet, CLUSTER)
    for member in rig.members(scene.fleet, CLUSTER):
        state = hosts.run(scene.fleet, member.host, "systemctl", "is-active", scene.unit(member), check=False).strip()
        suite.equal(state == "active", member.id == primary.id, "a pooler runs beside %s" % member.name)


def it_is_switched_off(suite, scene):
    connection = scene.connect(scene.dsn())
    began = time.time()
    scene.pooling("PATCH", enabled=False)
    wait_until(lambda: psql(scene.fleet, scene.dsn(), "SELECT 1")[0] != 0, "nobody is let in", GONE_S)
    wait_until(lambda: ask(connection, "SELECT 1") is None, "who was in is out", GONE_S)
    suite.say("off %.1f s after it was switched off" % (time.time() - began))
    wait_until(lambda: scene.pooling()["state"] == "OFF", "the API says OFF", GONE_S)
    suite.equal(psql(scene.fleet, scene.direct, "SELECT 1")[0], 0, "who connects directly")
    suite.check("pooled" not in scene.tenant.cluster(CLUSTER)["connectionStrings"], "the string is still shown")


# ---- Who may come in ----
def who_is_taken_off_the_list_is_out(suite, scene):
    mine = client_address()
    connection = scene.connect(scene.dsn())
    suite.equal(ask(connection, "SELECT 1"), 1, "before it is taken off")
    scene.tenant.allow("192.0.2.0/24")  # a list must not be empty for this to be about the address
    began = time.time()
    scene.tenant.disallow(mine)
    wait_until(lambda: ask(connection, "SELECT 1") is None, "the connected client is out", GONE_S, every=0.1)
    suite.say("a connected client was out %.1f s after its address was taken off the list" % (time.time() - began))
    suite.check(psql(scene.fleet, scene.dsn(), "SELECT 1")[0] != 0, "it could come in again")
    began = time.time()
    scene.tenant.allow(mine)
    wait_psql(scene.fleet, scene.dsn(), "SELECT 1", READY_S)
    suite.say("it came in again %.1f s after its address was put back" % (time.time() - began))


def a_removed_user_is_out(suite, scene):
    password = scene.tenant.create_user("leaver")
    wait_psql(scene.fleet, scene.dsn("leaver", password), "SELECT 1", READY_S)
    connection = scene.connect(scene.dsn("leaver", password))
    suite.equal(ask(connection, "SELECT 1"), 1, "before the user is removed")
    began = time.time()
    scene.tenant.ask("DELETE", scene.tenant.of_project("/databaseUsers/admin/leaver"))
    wait_until(lambda: ask(connection, "SELECT 1") is None, "the user's client is out", GONE_S, every=0.1)
    suite.say("a removed user's client was out %.1f s after the removal" % (time.time() - began))
    suite.check(psql(scene.fleet, scene.dsn("leaver", password), "SELECT 1")[0] != 0, "a removed user came in again")


def a_new_password_works_at_once(suite, scene):
    old = scene.tenant.create_user("changer")
    wait_psql(scene.fleet, scene.dsn("changer", old), "SELECT 1", READY_S)
    new, began = "new-" + old, time.time()
    scene.tenant.ask("PATCH", scene.tenant.of_project("/databaseUsers/admin/changer"), {"password": new})
    wait_psql(scene.fleet, scene.dsn("changer", new), "SELECT 1", READY_S)
    suite.say("a new password worked %.1f s after the change" % (time.time() - began))
    suite.check(psql(scene.fleet, scene.dsn("changer", old), "SELECT 1")[0] != 0, "the old password still works")


def attacks_are_refused(suite, scene):
    target = pooler_attacks.Target(scene.fleet, rig.primary_of(scene.fleet, CLUSTER), scene.dsn, "app", scene.password, "boss", scene.admin_password)
    suite.check(target.check_works(), "nobody is let in at all")
    other = Tenant(scene.fleet)
    other.create_project()
    rows = list(pooler_attacks.rows(target))
    stranger = other.create_user("app")
    rows.append(("another tenant's user of the same name", pooler_attacks.LOGIN, lambda: target.says("app", stranger, "SELECT 1")))
    for name, _, attempt in rows:
        got = attempt()
        suite.check(got is None, "%s: came through: %s", name, got)
    suite.check(target.check_works(), "nobody is let in any more")
    suite.say("%d attacks tried" % len(rows))


# ---- By hand ----
def a_person_connects(suite, scene):
    """`reeve connect --pooled`, typed into a terminal of the client's machine, password and all."""
    authority = scene.fleet.path("tls/authority.pem")
    with tempfile.TemporaryDirectory() as home:
        person = Person(scene.fleet, os.path.join(home, "you"))
        login = ["reeve", "login", "--server", "https://%s:%d" % (CONTROL["control1"], control.API_PORT), "--ca-file", authority, "--client-id", scene.tenant.client[0]]
        ended = person.pipe(*network.client_command(scene.fleet, login)[1:], stdin=scene.tenant.client[1].encode() + b"\n")
        suite.equal(ended.status, 0, "logging in: %r" % ended)
        with person.shell("pooled", {"^Password for user app: $": scene.password}) as shell:
            began = time.time()
            status = shell.run("reeve connect %s --project %s --user app --database shop --pooled --root-certificate %s\n" % (CLUSTER, scene.tenant.project, authority))
            suite.equal(status, None, "psql's prompt is there: " + shell.screen.text())
            suite.say("psql's prompt %.1f s after `reeve connect --pooled` was typed" % (time.time() - began))
            shell.statement("SELECT 'as ' || current_user || ' by ' || coalesce('port ' || inet_server_port(), 'a socket');")
            suite.check("as app by a socket" in shell.screen.text(), "the server sees the pooler: %s", shell.screen.text()[-500:])
            shell.statement("\\conninfo")
            suite.check('port "%d"' % PORT in shell.screen.text(), "the client sees it, too: %s", shell.screen.text()[-500:])
            shell.statement("\\q")
            suite.equal(shell.statuses()[-1], "0", "the end of psql")
            suite.check(scene.password not in shell.raw, "the password is on the screen")


# ---- What clients of one user see of each other ----
def modes_do_what_the_page_says(suite, scene):
    """In transactions a SET may meet another client; in sessions it does not."""
    first, second = scene.connect(scene.dsn()), scene.connect(scene.dsn())
    ask(first, "SELECT set_config('work_mem', '77MB', false)")
    seen = ask(second, "SELECT current_setting('work_mem')")
    suite.say("TRANSACTION: another client of the same user sees work_mem = %s" % seen)
    boss = scene.connect(scene.dsn("boss", scene.admin_password))
    suite.check(ask(boss, "SELECT current_setting('work_mem')") != "77MB", "what a user has SET meets another user")
    for one in (first, second, boss):
        one.close()
    scene.pooling("PATCH", mode="SESSION")
    wait_until(lambda: "pool_mode = session" in hosts.run(scene.fleet, rig.primary_of(scene.fleet, CLUSTER).host, "cat", "/var/lib/reeve/members/%s/pooler/pgbouncer.ini"
                                                          % rig.primary_of(scene.fleet, CLUSTER).id), "the mode is in the file", READY_S)
    time.sleep(3)
    first = scene.connect(scene.dsn())
    ask(first, "SELECT set_config('work_mem', '78MB', false)")
    first.close()
    second = scene.connect(scene.dsn())
    suite.check(ask(second, "SELECT current_setting('work_mem')") != "78MB", "SESSION: what a client had SET met the next one")
    second.close()
    scene.pooling("PATCH", mode="TRANSACTION")
    time.sleep(3)


# ---- Many ----
def pgbench(scene, dsn, *words, timeout=600):
    program = os.path.join(control.postgres_bin(), "pgbench")
    done = subprocess.run(network.client_command(scene.fleet, [program, "-n", *words, dsn]), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
    if done.returncode != 0:
        raise Problem("pgbench %s: %s" % (" ".join(words), done.stderr[-600:]))
    return done.stdout


def rate(output):
    found = re.search(r"tps = ([0-9.]+)", output)
    if found is None:
        raise Problem("pgbench counted nothing: " + output[-300:])
    return float(found.group(1))


def many_clients(suite, scene, clients):
    """Each asks READS times. By number and not by time: pgbench's clock runs while they connect, one after the other."""
    primary = rig.primary_of(scene.fleet, CLUSTER)
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    seen, ending = [], threading.Event()

    def watch():
        while not ending.wait(2):
            with contextlib.suppress(Problem, subprocess.TimeoutExpired, ValueError, IndexError):
                count = hosts.run(scene.fleet, primary.host, "sh", "-c", "ss -Htn state established '( sport = :%d )' | wc -l" % PORT)
                memory = hosts.run(scene.fleet, primary.host, "sh", "-c", "ps -o rss= -p $(systemctl show -P MainPID %s)" % scene.unit(primary))
                sessions = rig.superuser(scene.fleet, primary, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'")[0][0]
                seen.append((int(count), int(memory) // 1024, int(sessions)))
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        output = pgbench(scene, scene.dsn(), "-S", "-c", str(clients), "-j", "2", "-t", str(READS), timeout=1200)
    finally:
        ending.set()
        watcher.join()
    most = [max(one[number] for one in seen) for number in range(3)] if seen else [0, 0, 0]
    suite.check(most[0] >= clients, "%d of %d clients were connected at once", most[0], clients)
    limit = rig.superuser(scene.fleet, primary, "SHOW max_connections")[0][0]
    failed = re.search(r"number of failed transactions: (\d+)", output)
    done, took = re.search(r"actually processed: (\d+)", output), re.search(r"initial connection time = ([0-9.]+) ms", output)
    suite.equal((int(done.group(1)), failed and failed.group(1)), (clients * READS, "0"), "reads that were done, and that failed")
    suite.say("%d clients at once, connected within %.0f s; %d MB of the pooler, %d sessions of the server (max_connections %s), %s reads, %.0f/s, none failed"
              % (most[0], float(took.group(1)) / 1000, most[1], most[2], limit, done.group(1), rate(output)))


def pooled_against_direct(suite, scene, seconds):
    for what, words in (("-C -S, 8 clients", ["-C", "-S", "-c", "8", "-j", "2"]), ("-S, 1 client", ["-S", "-c", "1"]), ("-S, 8 clients", ["-S", "-c", "8", "-j", "2"]),
                        ("TPC-B, 8 clients", ["-c", "8", "-j", "2"])):
        rates = {"direct": [], "pooled": []}
        for _ in range(ROUNDS):
            for way, dsn in (("direct", scene.direct), ("pooled", scene.dsn())):
                rates[way].append(rate(pgbench(scene, dsn, *words, "-T", str(seconds))))
        pooled, direct = statistics.median(rates["pooled"]), statistics.median(rates["direct"])
        suite.say("pgbench %s: pooled %.0f/s, direct %.0f/s, ratio %.2f" % (what, pooled, direct, pooled / direct))


# ---- Another primary ----
class Watcher(threading.Thread):
    """Stays connected to the pooler of one member and asks all the time whether the server behind it is a replica."""

    def __init__(self, scene, member):
        super().__init__(daemon=True)
        self.scene, self.member, self.ending, self.replica = scene, member, threading.Event(), []
        self.dsn = "host=%s port=%d dbname=%s user=app password=%s sslmode=require connect_timeout=2" % (member.address, PORT, DATABASE, scene.password)

    def run(self):
        connection = None
        while not self.ending.wait(0.1):
            try:
                connection = connection or self.scene.connect(self.dsn)
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_is_in_recovery()")
                    if cursor.fetchone()[0]:
                        self.replica.append(time.time())
            except psycopg2.Error:
                connection = None


def primary_now(fleet):
    """Its id; None while there is none."""
    try:
        return rig.primary_of(fleet, CLUSTER).id
    except Problem:
        return None


def another_primary(suite, scene, what, change):
    """`change` makes another member the primary, and returns what undoes it."""
    fleet, watchers = scene.fleet, [Watcher(scene, member) for member in rig.members(scene.fleet, CLUSTER)]
    writer = Writer(fleet, scene.dsn())
    for one in watchers:
        one.start()
    try:
        before, began = rig.primary_of(fleet, CLUSTER), time.time()
        undo = change(before)
        wait_until(lambda: primary_now(fleet) not in (None, before.id), "another primary", 60, every=0.3)
        _, host = writer.wait_write_after(time.time(), 60)
        gap = writer.longest_pause(began, time.time())
        undo()
        rig.wait_full_strength(fleet, CLUSTER, 3, 180)
        writer.wait_write_after(time.time(), 30)
    finally:
        writer.stop()
        for one in watchers:
            one.ending.set()
    missing = lost(writer, map(int, wait_psql(fleet, scene.direct, "SELECT number FROM ledger", 30).split()))
    suite.check(not missing, "%s: %d acknowledged writes are lost", what, len(missing))
    stale = [one.replica for one in watchers if one.replica]
    longest = max((times[-1] - times[0] for times in stale), default=0)
    suite.check(longest < 5, "%s: a replica was served for %.1f s", what, longest)
    suite.say("%s: %d acknowledged writes, %d lost, %.1f s without one (now %s); answers of a replica through a pooler: %d, within %.1f s"
              % (what, len(writer.acknowledged()), len(missing), gap, host, sum(map(len, stale)), longest))


def switchover(scene):
    def change(_):
        scene.tenant.ask("POST", scene.tenant.of_project("/clusters/%s/restartPrimaries" % CLUSTER))
        return lambda: None
    return change


def power_off(scene):
    def change(primary):
        hosts.kill(scene.fleet, primary.host)

        def undo():
            hosts.start(scene.fleet, primary.host)
            hosts.wait_booted(scene.fleet, primary.host)
        return undo
    return change


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=5000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--only", default="", metavar="PARTS", help="names of parts, with commas between them")
    options = parser.parse_args()
    suite = Suite("pooler")
    chosen = [word for word in options.only.split(",") if word]
    parts = {
        "list": who_is_taken_off_the_list_is_out, "user": a_removed_user_is_out, "password": a_new_password_works_at_once, "attacks": attacks_are_refused,
        "terminal": a_person_connects, "modes": modes_do_what_the_page_says,
        "switchover": lambda suite, scene: another_primary(suite, scene, "switchover", switchover(scene)),
        "host": lambda suite, scene: another_primary(suite, scene, "lost host", power_off(scene)),
        "many": lambda suite, scene: many_clients(suite, scene, options.clients),
        "speed": lambda suite, scene: pooled_against_direct(suite, scene, options.seconds),
    }
    try:
        with rig.fleet_for(3) as fleet:
            scene = Scene(fleet)
            it_is_switched_on(suite, scene)
            if not chosen or {"speed", "many"} & set(chosen):
                pgbench_tables = subprocess.run(network.client_command(fleet, [os.path.join(control.postgres_bin(), "pgbench"), "-i", "-q", "-s", "1", scene.direct]),
                                                capture_output=True, text=True, check=False, timeout=300)
                suite.equal(pgbench_tables.returncode, 0, "tables of pgbench: " + pgbench_tables.stderr[-300:])
            for name, part in parts.items():
                if not chosen or name in chosen:
                    part(suite, scene)
            it_is_switched_off(suite, scene)
            scene.tenant.delete_cluster(CLUSTER)
            scene.tenant.wait_gone(CLUSTER)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
