#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Types the commands of guides about backups (docs/how-to) into a shell of a client of a fleet, as they stand but for their values, and looks from outside whether they had
the effect that the page promises. Needs root.

    test/cluster/guides_test.py
"""
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

import rig
from first_cluster_test import Person
from restore_scene import Scene
from tenant import psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
from patience import PATIENCE  # noqa: E402
from state import CONTROL, PROVIDER, ROOT, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER, COPY = "orders", "orders-copy"  # as in the guides
BLOCK = re.compile(r"^```(?:sh)?\n(.*?)^```", re.S | re.M)
INVOICES = 500
LONGEST_S = 100  # any block of a page, alone on a machine; most take a tenth
LATE_S = 15  # what the API says at most about a cluster at rest: hosts report every few seconds
TABLES = ("CREATE TABLE invoices AS SELECT g AS number, md5(g::text) AS customer FROM generate_series(1, %d) g; "
          "CREATE TABLE orders AS SELECT g AS number, now() AS placed_at FROM generate_series(1, 2000) g" % INVOICES)


# Runs a program of the hosts' image where the client's machine has an older one than the server is.
BORROWED = """#!/bin/sh
exec {root}/lib64/ld-linux-x86-64.so.2 --library-path {root}/usr/lib/x86_64-linux-gnu {root}/usr/lib/postgresql/17/bin/{program} "$@"
"""


def borrow(fleet, host, home, program):
    """Puts it into the folder of programs that somebody at the client's machine has."""
    path = os.path.join(home, "bin", program)
    with open(path, "w", encoding="utf-8") as file:
        file.write(BORROWED.format(root=hosts.folder(fleet, host, "root"), program=program))
    os.chmod(path, 0o755)


class Tutored(Scene):
    """A tenant with a cluster of the guides' name, and somebody at the client's machine who types what guides say."""

    def __init__(self, fleet, home):
        super().__init__(fleet)
        self.person, self.repository = Person(fleet, home), fleet.repositories[0]
        with open(os.path.join(home, "clusters.pem"), "w", encoding="utf-8") as file:
            file.write(control.reeved(fleet, "fleet", "authority"))
        borrow(fleet, self.repository, home, "pg_dump")
        credentials = fleet.record["credentials"]
        self.environment = self.person.environment(
            REEVE_SERVER="https://%s:%d" % (CONTROL["control1"], control.API_PORT), REEVE_CA_FILE=fleet.path("tls/authority.pem"),
            REEVE_CLIENT_ID=credentials["clientId"], REEVE_CLIENT_SECRET=credentials["clientSecret"])
        # What differs between a reader's installation and the page's.
        self.values = {"PROJECT_ID": self.tenant.project, '"ONPREM"': '"%s"' % PROVIDER, '"EU_NORTH"': '"%s"' % fleet.regions[0], '"M10"': '"S2"'}

    def ask(self, method, path="", body=None, name=CLUSTER, **more):
        return super().ask(method, path, body, name, **more)

    def type(self, commands, answer=""):
        """In one shell, which ends with the first command that fails."""
        try:
            return subprocess.run(network.client_command(self.fleet, ["bash", "-e", "-o", "pipefail", "-c", commands]), cwd=self.person.home, env=self.environment,
                                  input=answer, capture_output=True, text=True, timeout=LONGEST_S * PATIENCE, check=False)
        except subprocess.TimeoutExpired as late:
            raise Problem("after %d s this has not ended:\n%s\n%s%s\n%s" % (late.timeout, commands, (late.stdout or b"").decode(), (late.stderr or b"").decode(),
                                                                         json.dumps(self.ask("GET", "/backup/restoreJobs"), indent=1))) from late

    def invoices(self):
        status, said, problem = psql(self.fleet, self.dsn(CLUSTER), "SELECT count(*) FROM invoices")
        return said.strip() if status == 0 else problem


class Guide:
    """A page, typed block by block in its order."""

    def __init__(self, suite, scene, name):
        self.suite, self.scene, self.name = suite, scene, name
        with open(os.path.join(ROOT, "docs/how-to", name), encoding="utf-8") as file:
            self.blocks = BLOCK.findall(file.read())

    def type(self, answer="", **values):
        """The next block; `values` are those that a reader finds out on the way. What it printed."""
        block = self.blocks.pop(0)
        for of_page, own in {**self.scene.values, **values}.items():
            block = block.replace(of_page, own)
        began, done = time.monotonic(), self.scene.type(block, answer)
        self.suite.say("%5.1f s  %s: %s" % (time.monotonic() - began, self.name, block.splitlines()[0][:100]))
        if done.returncode != 0:
            raise Problem("%s: status %d of\n%s\n%s%s" % (self.name, done.returncode, block, done.stdout[-2000:], done.stderr[-2000:]))
        return done.stdout

    def end(self):
        self.suite.equal(self.blocks, [], "blocks of %s that nobody typed" % self.name)


def documents(said):
    """What several commands printed into a pipe: one document each."""
    found, decoder, at = [], json.JSONDecoder(), 0
    while at < len(said.rstrip()):
        document, at = decoder.raw_decode(said, re.compile(r"\s*").match(said, at).end())
        found.append(document)
    return found


def a_cluster_with_data(scene):
    scene.create(CLUSTER, 1, True)
    wait_psql(scene.fleet, scene.dsn(CLUSTER), TABLES, 60)
    scene.wait_first_snapshot()


def restore_a_table(suite, scene):
    guide = Guide(suite, scene, "restore-a-table.md")
    time.sleep(2)
    moment = int(time.time())
    time.sleep(2)
    suite.equal(psql(scene.fleet, scene.dsn(CLUSTER), "DROP TABLE invoices; INSERT INTO orders VALUES (-1, now())")[0], 0, "the mistake, and an order after it")
    scene.wait_window(moment)
    window = json.loads(guide.type())
    suite.check(window["from"] < time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)) < window["to"], "the moment is in the window: %s", window)
    made, restored, listed = documents(guide.type(**{"1794822067": str(moment)}))
    suite.equal((made["stateName"], restored["state"]), ("IDLE", "DONE"), "what --wait waited for")
    suite.check(listed["results"][0]["reachedAt"] < time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)), "the last commit before it: %s", listed["results"][0])
    guide.type(answer=scene.password + "\n")
    suite.equal(scene.invoices(), str(INVOICES), "invoices are back")
    suite.equal(psql(scene.fleet, scene.dsn(CLUSTER), "SELECT count(*) FROM orders WHERE number = -1")[1].strip(), "1", "what was written after the mistake is still there")
    suite.equal([one["name"] for one in scene.tenant.ask("GET", scene.tenant.of_project("/clusters"))["results"]], [CLUSTER], "clusters that are left")
    lose_all_hosts(scene)
    guide.type()
    suite.equal(scene.invoices(), str(INVOICES), "invoices after the loss of every host of the cluster")
    guide.end()


def lose_all_hosts(scene):
    """As [Recover a host] says, for every host of the cluster."""
    scene.wait_window(int(time.time()))
    for member in rig.members(scene.fleet, CLUSTER):
        hosts.kill(scene.fleet, member.host)
        control.reeved(scene.fleet, "fleet", "host", "remove", member.host, "--lost")


def prove_to_an_auditor(suite, scene):
    guide = Guide(suite, scene, "prove-that-backups-work.md")
    scene.wait_first_snapshot()
    scene.wait_window(int(time.time()))
    suite.check("from" in json.loads(guide.type()), "a window")
    guide.type()
    drill = documents(guide.type())[0]
    wait_until(lambda: scene.ask("GET", "/backup/drills/" + drill["id"])["state"] in ("PASSED", "FAILED", "NOT_RUN"), "the drill has ended", 240)
    guide.type()
    with open(os.path.join(scene.person.home, "evidence.json"), encoding="utf-8") as file:
        evidence = json.load(file)["results"]
    suite.equal([one["state"] for one in evidence if one["id"] == drill["id"]], ["PASSED"], "the evidence: %s" % evidence)
    checks = {check["name"]: check["result"] for check in evidence[0]["checks"]}
    suite.equal({name: checks.get("assertion " + name) for name in ("orders are there", "yesterday is there")},
                {"orders are there": "PASSED", "yesterday is there": "PASSED"}, "what the tenant asserted")
    suite.equal(scene.ask("GET", "/backup/window")["lastProven"]["drillId"], drill["id"], "what was last proven")
    guide.type()
    suite.equal(scene.ask("GET", "/backup/drillSettings")["intervalDays"], 1, "how often")
    guide.end()


def backups_on_disk(scene):
    """Labels of what the repository host keeps, as its folders say."""
    return hosts.run(scene.fleet, scene.repository, "sh", "-c", "ls -d /var/lib/reeve/stanzas/*/repo/backup/*/[0-9]*F* | sed 's,.*/,,'").split()


def protect_a_cluster(suite, scene):
    """The last one, because it cannot be undone."""
    guide = Guide(suite, scene, "protect-a-cluster.md")
    window = json.loads(guide.type())
    suite.check(window["lagSeconds"] <= LATE_S * PATIENCE, "what would be lost now: %s", window)
    guide.type()
    suite.equal([one["retentionValue"] for one in scene.ask("GET", "/backup/schedule")["policies"][0]["policyItems"]], [2, 30, 7], "the rules")
    before = backups_on_disk(scene)
    taken, _ = documents(guide.type())
    shown = wait_until(lambda: (lambda one: one["status"] == "completed" and one)(scene.ask("GET", "/backup/snapshots/" + taken["id"])), "the snapshot", 240)
    suite.equal(len(backups_on_disk(scene)), len(before) + 1, "backups on the repository host's disk, with %s" % shown)
    guide.type()
    refused = scene.ask("DELETE", "/backup/snapshots/" + taken["id"], expect=(400, 403, 409))
    suite.check("errorCode" in refused, "the owner deletes it: %s", refused)
    refused = scene.ask("PATCH", "/backup/schedule", {"restoreWindowDays": 1}, expect=(400, 403, 409))
    suite.check("errorCode" in refused, "the owner asks for less: %s", refused)
    guide.end()


def main():
    suite, home = Suite("guides"), os.path.join(tempfile.mkdtemp(prefix="reeve-you."), secrets.token_hex(4))
    try:
        with rig.fleet_for(3, repositories=1) as fleet:
            scene = Tutored(fleet, home)
            a_cluster_with_data(scene)
            for part in (restore_a_table, prove_to_an_auditor, protect_a_cluster):
                part(suite, scene)
    except Problem as problem:
        suite.fail(str(problem))
    finally:
        shutil.rmtree(os.path.dirname(home))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
