#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`reeve top` and `reeve fleet top` on a fleet: a load is seen where it is, and a host that dies is the first line of both.

The frames that it prints are those of the documentation (docs/cli.md).
"""
import json
import subprocess
import sys
import time

import rig
from tenant import Tenant

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
from state import CONTROL, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER, DATABASE = "orders", "bench"
NODE = CONTROL["control1"]


class Scene:
    def __init__(self, fleet):
        self.fleet, self.tenant = fleet, Tenant(fleet)
        self.tenant.create_project()
        self.tenant.create_cluster(CLUSTER)
        self.tenant.wait_idle(CLUSTER, 300)
        self.primary = rig.primary_of(fleet, CLUSTER)
        self.operator = json.loads(control.reeved(fleet, "operator", "add", "ada", "--json"))["token"]

    def reeve(self, *words, width=140):
        environment = ["env", "HOME=" + self.fleet.path("log"), "COLUMNS=%d" % width, "REEVE_SERVER=https://%s:%d" % (NODE, control.API_PORT),
                       "REEVE_CA_FILE=" + self.fleet.path("tls/authority.pem"), "REEVE_CLIENT_ID=" + self.tenant.client[0], "REEVE_CLIENT_SECRET=" + self.tenant.client[1],
                       "REEVE_PROJECT_ID=" + self.tenant.project, "REEVE_OPERATOR_URL=https://%s:%d" % (NODE, control.OPERATOR_PORT), "REEVE_OPERATOR_TOKEN=" + self.operator]
        return subprocess.run(network.client_command(self.fleet, [*environment, self.fleet.build + "/reeve", *words]), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    def document(self, *words):
        said = self.reeve(*words, "--output", "json")
        return json.loads(said.stdout) if said.returncode == 0 else {"members": [], "hosts": [], "said": said.stderr}

    def members(self):
        return {one["id"].partition(".")[0]: one for one in self.document("top", CLUSTER)["members"]}

    def load(self, *words):
        line = "/usr/lib/postgresql/*/bin/pgbench -h /var/lib/reeve/members/%s/run -p 5432 -U postgres %s %s 2>&1" % (self.primary.id, " ".join(words), DATABASE)
        return hosts.command(self.fleet, self.primary.host, ["sh", "-c", line])


def encrypt_the_operators_line(fleet):
    """`reeve` sends an operator's token over TLS only, or within a machine."""
    rig.stop_control_plane(fleet)
    for node in CONTROL:
        with open(control.conf(fleet, node), "a") as file:
            file.write("operator_certificate = %s\noperator_certificate_key = %s\n" % (fleet.path("tls/control/certificate.pem"), fleet.path("tls/control/key.pem")))
    rig.start_control_plane(fleet)


def say_frame(suite, said):
    suite.say("\n" + said.stdout)


def a_load_is_seen(suite, scene):
    name = scene.primary.name
    rig.superuser(scene.fleet, scene.primary, "CREATE DATABASE " + DATABASE)
    subprocess.run(scene.load("-i", "-s", "1", "-q"), check=True, capture_output=True)
    running = subprocess.Popen(scene.load("-c", "4", "-T", "100"), stdout=subprocess.PIPE, text=True)
    wait_until(lambda: (scene.members().get(name, {}).get("transactionsPerSecond") or 0) > 10, "the load is seen", 90, every=3)
    time.sleep(60)
    seen, frame = scene.members(), scene.reeve("top", CLUSTER)
    text = running.communicate()[0]
    rate = float(next(line for line in text.splitlines() if line.startswith("tps")).split()[2])
    say_frame(suite, frame)
    most = int(rig.superuser(scene.fleet, scene.primary, "SHOW max_connections")[0][0])
    suite.check(rate / 2 < seen[name]["transactionsPerSecond"] < rate * 2, "transactions: %s is shown, and pgbench made %s", seen[name]["transactionsPerSecond"], rate)
    suite.check(seen[name]["connections"] >= 4 and seen[name]["connectionsMax"] == most, "connections: %s", seen[name])
    suite.check(len(seen) == 3 and all(one["cpuPercent"] is not None and one["diskPercentUsed"] is not None for one in seen.values()), "every member has figures: %s", seen)
    suite.equal(sorted(one["typeName"] for one in seen.values()), ["REPLICA_PRIMARY", "REPLICA_SECONDARY", "REPLICA_SECONDARY"], "roles")
    suite.check(frame.returncode == 0 and frame.stdout.startswith(CLUSTER + "  IDLE  3 members") and "\x1b" not in frame.stdout, "a frame: %s", frame)


def a_dead_host_comes_first(suite, scene):
    lost = next(one for one in rig.members(scene.fleet, CLUSTER) if one.id != scene.primary.id)
    hosts.kill(scene.fleet, lost.host)
    wait_until(lambda: "silent for" in next(iter(scene.document("fleet", "top")["hosts"]), {}).get("problem", ""), "the host is silent", 150, every=3)
    wait_until(lambda: "not heard from" in scene.members().get(lost.name, {}).get("problem", ""), "its member is not heard from", 60, every=3)
    frame, fleet = scene.reeve("top", CLUSTER), scene.reeve("fleet", "top", width=160)
    say_frame(suite, frame)
    say_frame(suite, fleet)
    suite.check(frame.stdout.splitlines()[3].startswith(lost.name), "the lost member is the first line: %s", frame.stdout)
    document = scene.document("fleet", "top")
    suite.equal(document["hosts"][0]["name"], lost.host, "the lost host is the first line")
    suite.check(document["clusters"]["healthy"] == 1 and document["instances"]["nodes"] >= 1, "clusters and nodes: %s", {**document, "hosts": None})
    hosts.start(scene.fleet, lost.host)
    hosts.wait_booted(scene.fleet, lost.host)
    silent = lambda: [one for one in scene.document("fleet", "top")["hosts"] if "silent" in one["problem"]]  # noqa: E731
    wait_until(lambda: not silent() and not scene.members()[lost.name]["problem"].startswith("not heard"), "nobody is silent any more", 180, every=3)
    suite.equal(len(scene.document("fleet", "top")["hosts"]), 3, "operators still see every host: %s" % scene.document("fleet", "top").get("said"))
    suite.say("afterwards: %s" % [(one["name"], one["problem"]) for one in scene.document("fleet", "top")["hosts"]])
    suite.passed += 1


def main():
    suite = Suite("top")
    with rig.fleet_for(host_count=3, zones=3) as fleet:
        encrypt_the_operators_line(fleet)
        scene = Scene(fleet)
        a_load_is_seen(suite, scene)
        a_dead_host_comes_first(suite, scene)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
