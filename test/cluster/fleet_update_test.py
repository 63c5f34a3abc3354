#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A newer minor version on every host of a fleet, rolled out with `reeve fleet update` while a client writes into each cluster. First a version whose server does not start: the
canary fails, its primary serves on, and no other cluster is touched. Then one that does: every cluster is updated, nothing that was acknowledged is lost, and the
longest pause of each cluster is shown. A cluster whose tenant has pinned its version stays as it is until the pin is gone.

    test/cluster/fleet_update_test.py [--clusters N] [--hosts N] [--single N] [--report FILE]
"""
import argparse
import json
import subprocess
import sys
import time

import rig  # first: it finds the others
import ledger
import new_minor
from tenant import Tenant, client_address, wait_psql
from top_test import NODE, encrypt_the_operators_line

import control  # noqa: E402  (found by rig)
import network  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

IDLE_S, BROKEN_PATIENCE_S, SEEN_S = 900, 60, 90
AT_A_TIME = 4  # clusters that are made


class Scene:
    def __init__(self, fleet):
        self.fleet, self.tenant = fleet, Tenant(fleet)
        self.project = self.tenant.create_project("web")
        self.tenant.allow(client_address())
        self.password = self.tenant.create_user()
        self.operator = json.loads(control.reeved(fleet, "operator", "add", "ada", "--json"))["token"]
        self.names, self.sizes, self.writers = [], {}, {}

    def command(self, *words):
        environment = ["env", "HOME=" + self.fleet.path("log"), "REEVE_CA_FILE=" + self.fleet.path("tls/authority.pem"),
                       "REEVE_OPERATOR_URL=https://%s:%d" % (NODE, control.OPERATOR_PORT), "REEVE_OPERATOR_TOKEN=" + self.operator]
        return network.client_command(self.fleet, [*environment, self.fleet.build + "/reeve", "fleet", *words])

    def reeve(self, *words, timeout=1800):
        return subprocess.run(self.command(*words), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)

    def versions(self):
        said = self.reeve("versions", "list", "--all", "--output", "json")
        if said.returncode != 0:
            raise Problem("fleet versions list: " + said.stderr)
        document = json.loads(said.stdout)
        return {row["name"]: row for row in (document["results"] if isinstance(document, dict) else document)}

    def add_clusters(self, wanted):
        """Of a dict from number to members: all of them are asked for before the first is waited for."""
        for number, members in wanted.items():
            self.tenant.create_cluster("c%02d" % number, regions={self.fleet.regions[0]: members})
        for number, members in wanted.items():
            self.wait_cluster("c%02d" % number, members)

    def wait_cluster(self, name, members):
        document = self.tenant.wait_idle(name, IDLE_S)
        dsn = self.tenant.dsn(document, "app", self.password)
        wait_psql(self.fleet, dsn, "CREATE TABLE ledger (number bigint PRIMARY KEY)", 120)
        self.names.append(name)
        self.sizes[name] = members
        self.writers[name] = ledger.Writer(self.fleet, dsn, name, pause_s=0.1)

    def started(self, names):
        """When the server of each member began, as it says itself."""
        return {member.id: rig.superuser(self.fleet, member, "SELECT pg_postmaster_start_time()")[0][0]
                for name in names for member in rig.members(self.fleet, name)}

    def wait_verdict(self, verdict, names):
        wait_until(lambda: all(self.versions()[name]["verdict"] == verdict for name in names), "%s of all clusters" % verdict, SEEN_S, every=3)


def check_rows(suite, scene):
    """Everything that was acknowledged is on the primary, as PostgreSQL itself says."""
    for name in scene.names:
        scene.writers[name].stop()
    lost = {}
    for name in scene.names:
        primary = wait_until(lambda one=name: rig.primary_of(scene.fleet, one), "a primary", 60)
        rows = {int(row[0]) for row in rig.superuser(scene.fleet, primary, "SELECT number FROM ledger", "shop")}
        missing = [number for _, number, *_ in scene.writers[name].acknowledged() if number not in rows]
        lost[name] = len(missing)
    suite.equal({name: count for name, count in lost.items() if count}, {}, "acknowledged writes that are lost")
    return sum(len(scene.writers[name].acknowledged()) for name in scene.names)


# ---- Scenes ----
def broken_canary(suite, scene, old, new):
    canary, others = scene.names[0], scene.names[1:]
    before = scene.started(others)
    primary = rig.primary_of(scene.fleet, canary).id
    for host in scene.fleet.hosts:
        new_minor.install_broken(scene.fleet, host, new)
    scene.wait_verdict("BEHIND", scene.names[:-1])
    began = time.time()
    said = scene.reeve("update", "--yes", "--ignore-window", "--canary", "web/" + canary, "--patience", str(BROKEN_PATIENCE_S))
    took = time.time() - began
    suite.equal(said.returncode, 4, "the exit status of a rollout that was stopped: %s %s" % (said.stdout[-500:], said.stderr[-500:]))
    suite.check("FAILED" in said.stdout and "web/" + canary in said.stdout, "what is said of the canary: %s", said.stdout)
    after = scene.started(others)
    suite.equal({one: after[one] for one in after if after[one] != before[one]}, {}, "servers of other clusters that were restarted")
    now = rig.primary_of(scene.fleet, canary)
    suite.equal((now.id, rig.superuser(scene.fleet, now, "SHOW server_version")[0][0].split()[0]), (primary, old), "the canary's primary")
    pause, _ = scene.writers[canary].wait_write_after(time.time(), 30)
    suite.check(pause < 30, "the canary takes writes: after %.1f s", pause)
    gap = scene.writers[canary].longest_pause(began, time.time())
    return "broken canary: stopped after %.0f s (patience %d s); of %d other clusters none was touched; the canary's old primary served on, longest pause %.1f s" % (
        took, BROKEN_PATIENCE_S, len(others), gap)


def update_all(suite, scene, old, new):
    pinned = scene.names[-1]
    rest = scene.names[:-1]
    for host in scene.fleet.hosts:
        new_minor.install(scene.fleet, host, new)
    rig.wait_full_strength(scene.fleet, scene.names[0], scene.sizes[scene.names[0]], 180)
    began = time.time()
    said = scene.reeve("update", "continue")
    ended = time.time()
    suite.equal(said.returncode, 0, "the rollout goes on to its end: %s %s" % (said.stdout[-800:], said.stderr[-500:]))
    versions = scene.versions()
    suite.equal({name: versions[name]["verdict"] for name in rest if versions[name]["verdict"] != "CURRENT"}, {}, "clusters that are not CURRENT")
    for name in rest:
        for member in rig.members(scene.fleet, name):
            suite.equal(rig.superuser(scene.fleet, member, "SHOW server_version")[0][0].split()[0], new, "what %s says itself" % member.name)
    suite.equal((versions[pinned]["verdict"], versions[pinned]["running"]), ("PINNED", old), "the cluster that is pinned")
    time.sleep(2)
    gaps = {name: scene.writers[name].longest_pause(began, ended) for name in rest}
    return gaps, ended - began


def unpin(suite, scene, new):
    name = scene.names[-1]
    scene.tenant.ask("POST", scene.tenant.of_project("/clusters/%s:unpinFeatureCompatibilityVersion" % name))
    began = time.time()
    said = scene.reeve("update", "--yes", "--ignore-window", "web/" + name)
    suite.equal((said.returncode, scene.versions()[name]["running"]), (0, new), "after the pin is gone: %s %s" % (said.stdout[-300:], said.stderr[-300:]))
    return scene.writers[name].longest_pause(began, time.time())


def run(suite, fleet, clusters, singles):
    scene = Scene(fleet)
    began = time.time()
    for first in range(0, clusters, AT_A_TIME):
        scene.add_clusters({number: 1 if clusters - 1 - singles <= number < clusters - 1 else 2 for number in range(first, min(first + AT_A_TIME, clusters))})
        print("made", scene.names[-1], "after %.0f s" % (time.time() - began), flush=True)
    made = time.time() - began
    old = new_minor.installed(fleet, next(iter(fleet.hosts)))
    new = new_minor.next_minor(old)
    scene.wait_verdict("CURRENT", scene.names)
    said = scene.reeve("update", "--dry-run")
    suite.check(said.returncode != 0 and "no cluster can be updated" in said.stderr, "a plan when every cluster is current: %s", said.stderr)
    scene.tenant.ask("POST", scene.tenant.of_project("/clusters/%s:pinFeatureCompatibilityVersion" % scene.names[-1]), {})
    lines = [broken_canary(suite, scene, old, new)]
    print(lines[0], flush=True)
    gaps, took = update_all(suite, scene, old, new)
    gaps[scene.names[-1]] = unpin(suite, scene, new)
    writes = check_rows(suite, scene)
    shown = ", ".join("%s %.1f" % (name + (" (1 member)" if scene.sizes[name] == 1 else ""), gap) for name, gap in sorted(gaps.items()))
    several = [gap for name, gap in gaps.items() if scene.sizes[name] > 1]
    return [rig.machine(), "%d clusters made, %d at a time, in %.0f s on %d hosts; %d of them have one member, the others two" % (clusters, AT_A_TIME, made, len(fleet.hosts), singles), *lines,
            "%s to %s: %d clusters, two at a time, in %.0f s; one stayed as it was until its pin was gone" % (old, new, clusters - 1, took),
            "%d writes were acknowledged meanwhile, and all of them are there" % writes,
            "longest pause of a client that writes ten times a second: %.1f s at worst with two members; each, in seconds: %s" % (max(several), shown)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clusters", type=int, default=20)
    parser.add_argument("--single", type=int, default=3)
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--report")
    args = parser.parse_args()
    suite = Suite("a minor update over the fleet")
    with rig.fleet_for(args.hosts, zones=args.hosts) as fleet:
        encrypt_the_operators_line(fleet)
        lines = run(suite, fleet, args.clusters, args.single)
    for line in lines:
        print(line)
    if args.report and not suite.failures:
        rig.write_report(args.report, "A minor update over the fleet", lines)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
