# SPDX-License-Identifier: Apache-2.0
"""A tenant's own directory that means harm to the worker that asks who is in its groups, to another tenant whose real directory (slapd) is asked beside
it, and to members by the names that it has."""
import json
import tempfile
import time

from client import Bearer, wait_until
from group_directory import BASE, BIND, BIND_PASSWORD, GroupDirectory, entries, group, person
from hostile_directory import HostileDirectory
from node import free_port, make_certificate
from rebinding_test import Listener
from rows import Attack
from webhooks_test import Worker
from world import PREFIX, connect, sql, start_node

BOUNDED, NOWHERE, PLAIN, APART = ("a directory has only seconds, and half a megabyte", "a directory leads nowhere else",
                                  "people of a group have plain names", "no directory waits for another tenant's")
UNSOUGHT = "a directory that hangs up is not called again"
SEARCH = [{"match": "(.+)", "ldapQuery": BASE + "??sub?(uid={0})"}]
TURN_S, MEMORY_KB = 40, 64 * 1024  # five seconds for each answer, twenty for all, and some for a slow machine


class Directories:
    """The thief's, in the first tenant's project, and an honest one, in the other's. A node and a worker may reach this machine."""

    def __init__(self, ground):
        folder = ground.more.enter_context(tempfile.TemporaryDirectory())
        self.facts, self.elsewhere, port = ground.facts, Listener("127.0.0.1"), free_port()
        self.certificate, key = make_certificate(folder, "directory")
        self.hostile = HostileDirectory(self.certificate, key, self.elsewhere.port)
        ground.more.callback(self.hostile.close)
        self.honest = GroupDirectory(folder, self.certificate, key, ["ldaps://127.0.0.1:%d" % port])
        self.honest.start()
        ground.more.callback(self.honest.stop)
        wait_until(self.honest.answers, 20)
        self.honest.change(entries(["ann", "bob"], {"dba": ["ann"]}))
        self.node = ground.more.enter_context(start_node(workers=1, settings={"egress_allow": "127.0.0.1/32", "worker_threads": "2"}))
        self.worker = Worker(self.node.conf)
        self.worker.start()
        ground.more.callback(self.worker.kill)
        self.configure("p", "owner", self.hostile.port)
        self.add_group("p", "owner", "ops")
        self.configure("q", "stranger", port)
        wait_until(lambda: self.users("q") == ["ann"], 30)

    def configure(self, project, owner, port):
        with open(self.certificate, encoding="ascii") as file:
            authority = file.read()
        caller = self.facts["owner"] if owner == "owner" else self.facts["callers"][owner]
        with connect(self.node) as connection:
            for method, place, body in (("PATCH", "/userSecurity", {"ldap": {
                    "hostname": "127.0.0.1", "port": port, "bindUsername": BIND, "bindPassword": BIND_PASSWORD, "caCertificate": authority,
                    "userToDNMapping": SEARCH, "authenticationEnabled": True, "authorizationEnabled": True}}), ("POST", "/databaseUsers", {
                        "username": group("dba"), "databaseName": "$external", "ldapAuthType": "GROUP",
                        "roles": [{"roleName": "read", "databaseName": "shop"}]})):
                answer = connection.ask(method, PREFIX + "/groups/" + self.facts[project] + place, Bearer(caller["token"]), body)
                if answer.status not in (201, 202, 409):
                    raise RuntimeError("%r" % answer)

    def add_group(self, project, owner, name):
        body = {"username": group(name), "databaseName": "$external", "ldapAuthType": "GROUP", "roles": [{"roleName": "read", "databaseName": "shop"}]}
        with connect(self.node) as connection:
            answer = connection.ask("POST", PREFIX + "/groups/" + self.facts[project] + "/databaseUsers", Bearer(self.facts[owner]["token"]), body)
            if answer.status not in (201, 409):
                raise RuntimeError("%r" % answer)

    def users(self, project):
        told = json.loads(sql("SELECT project_access_goal(decode('%s', 'hex'), 'orders')" % self.facts[project]))
        return sorted(user["name"] for user in told["users"] if user["login"] == "LDAP")

    def ask_now(self, project):
        sql("UPDATE directory_sync SET next_try_at = now(), rest_until = '-infinity' WHERE project_id = decode('%s', 'hex')" % self.facts[project])

    def row(self, project, column):
        return sql("SELECT %s FROM directory_sync WHERE project_id = decode('%s', 'hex')" % (column, self.facts[project]))

    def memory(self):
        with open("/proc/%d/status" % self.worker.process.pid, encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def take_turn(self, mode):
        """One turn of the hostile directory, and how long it took. Whatever was under way before ends first."""
        wait_until(lambda: self.row("p", "coalesce(lease_until < now(), true)") == "t", 130)
        self.hostile.mode, epoch = mode, int(self.row("p", "lease_epoch"))
        self.ask_now("p")
        wait_until(lambda: int(self.row("p", "lease_epoch")) > epoch, 20)
        began = time.monotonic()
        wait_until(lambda: self.row("p", "coalesce(lease_until < now(), true)") == "t", 130)
        return time.monotonic() - began

    # ---- Attacks ----
    def holds_up(self, mode):
        before = self.memory()
        took = self.take_turn(mode)
        if self.worker.process.poll() is not None:
            return "the worker's end"
        if self.memory() - before > MEMORY_KB:
            return "%d MB of the worker's memory" % ((self.memory() - before) / 1024)
        return "a worker's thread for %.0f s" % took if took > TURN_S else None

    def leads(self, mode):
        before = self.elsewhere.count
        self.take_turn(mode)
        return "a connection to an address that it chose" if self.elsewhere.count > before else None

    def calls_again(self):
        """There are two groups: the second one is asked for after the connection is lost."""
        self.take_turn("gone in a search")
        calls, epoch = self.hostile.asked, int(self.row("p", "lease_epoch"))
        self.take_turn("gone in a search")
        calls, turns = self.hostile.asked - calls, int(self.row("p", "lease_epoch")) - epoch
        return "%d connections in %d turns, of which only the first one was judged" % (calls, turns) if calls > turns else None

    def names(self):
        self.take_turn("odd names")
        return "the users %r" % self.users("p") if self.users("p") else None

    def neighbour(self, mode):
        """While the thief's directory has the worker's attention."""
        wait_until(lambda: self.row("q", "is_proven") == "t", 60)
        wait_until(lambda: self.row("p", "coalesce(lease_until < now(), true)") == "t", 130)
        self.hostile.mode = mode
        self.ask_now("p")
        wait_until(lambda: self.row("p", "coalesce(lease_until > now(), false)") == "t", 20)
        self.honest.add("dba", person("bob"))
        began = time.monotonic()
        self.ask_now("q")
        wait_until(lambda: self.users("q") == ["ann", "bob"], 130)
        took = time.monotonic() - began
        self.honest.remove("dba", person("bob"))
        self.ask_now("q")
        wait_until(lambda: self.users("q") == ["ann"], 130)
        return "%.0f s of another tenant's time" % took if took > 8 else None


def attacks(ground):
    directories = Directories(ground)
    for mode in HostileDirectory.MODES[:8]:
        yield Attack("a directory of groups: " + mode, "tenant", BOUNDED, lambda m=mode: directories.holds_up(m), alone=True)
    for mode in ("referral", "reference"):
        yield Attack("a directory of groups: a " + mode, "tenant", NOWHERE, lambda m=mode: directories.leads(m), alone=True)
    yield Attack("a directory of groups: gone in a search", "tenant", UNSOUGHT, directories.calls_again, alone=True)
    yield Attack("a directory of groups: odd names", "tenant", PLAIN, directories.names, alone=True)
    for mode in ("silent", "slow bytes"):
        yield Attack("a directory of groups beside another tenant's: " + mode, "tenant", APART, lambda m=mode: directories.neighbour(m), alone=True)
