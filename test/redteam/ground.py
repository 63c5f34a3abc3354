# SPDX-License-Identifier: Apache-2.0
"""Where attacks take place: a fleet of three hosts with two tenants' clusters on the same hosts, and a node of the API beside it with two
organizations that have one of everything."""
import contextlib
import os
import secrets
import socket
import tempfile

import rows  # finds the other folders
import access_matrix
import control
import hosts
import network
import rig
import walls_attacks
import walls_test
from etcd_attacks import Thief
from state import wait_until
from suite import ends_on_signal
from tenant import Tenant
from measurements import MonitorStore, seed_now  # noqa: E402
from world import World, start_node

MARK = secrets.token_hex(2)  # on a fleet that is kept, every run has clusters of its own
CLUSTERS = {"thief": "mallory-" + MARK, "victim": "alice-" + MARK}  # by what their tenants are
METADATA = "169.254.169.254"  # where clouds tell whoever asks what the host may do
CLIENTS = "10.78.200.0/24"  # where clients of both tenants are


class NodeGround:
    """A node with the world of the access matrix: `facts` has the identifiers and credentials of both organizations."""

    def __init__(self, node):
        self.node, self.world = node, World(node)
        self.without = None  # the wall that is down, where attacks take it down themselves
        self.facts = access_matrix.make_facts(self.world)
        self.facts["expired"] = self.facts["revoked"]  # of no concern here: a token that expires takes a minute
        self.operations = access_matrix.operations(self.facts["fixtures"])


@contextlib.contextmanager
def node_ground():
    ends_on_signal()
    with tempfile.TemporaryDirectory() as pages, MonitorStore() as store:
        os.chmod(pages, 0o755)
        for folder, title in (("", "Reeve"), ("operator", "Reeve operators")):
            os.makedirs(os.path.join(pages, folder), exist_ok=True)
            with open(os.path.join(pages, folder, "index.html"), "w", encoding="ascii") as page:
                page.write("<title>%s</title>" % title)
        with start_node(workers=2, settings={"monitor_stores": store.url, "console_dir": pages}) as node, contextlib.ExitStack() as more:
            ground = NodeGround(node)
            ground.store, ground.more = store, more  # what attacks start by themselves ends first
            seed_now(store, ground.world.p, ground.facts["fixtures"]["clusterName"])
            yield ground
            ground.world.close()


class FleetGround:
    """Two tenants with a cluster each, and what was stolen from a member of the one and from its host."""

    def __init__(self, fleet, folder):
        self.fleet, self.folder, self.names, self.apart = fleet, folder, CLUSTERS, "apart-" + MARK
        self.tenants, self.documents, self.users, self.without = {}, {}, {}, None
        self.gate = None  # of a restore, when attacks need one (of_gate.py)
        self.relays = None  # of private endpoints (of_relay.py)
        self.sessions = []  # attacks that were tried together; whoever takes a wall down has them tried again
        for who, cluster in CLUSTERS.items():
            self.tenants[who] = tenant = Tenant(fleet)
            tenant.create_project()
            tenant.secret = tenant.create_user("app")
            tenant.allow(CLIENTS)
            tenant.create_cluster(cluster, "S2")  # many sessions need a processor
        # With one member, so that there are hosts which have nothing to do with it.
        self.tenants["victim"].create_cluster(self.apart, regions={fleet.regions[0]: 1})
        for who, cluster in CLUSTERS.items():
            self.documents[who] = self.tenants[who].wait_idle(cluster)
        self.tenants["victim"].wait_idle(self.apart)
        control.wait_etcd_locked(fleet)
        self.metadata = None
        self.stand()

    def stand(self):
        """On the host of the thief's primary: who may write may start programs."""
        self.attacker = rig.primary_of(self.fleet, CLUSTERS["thief"])
        self.target = next(one for one in rig.members(self.fleet, CLUSTERS["victim"]) if one.host == self.attacker.host)
        self.thief = Thief(self.fleet, self.attacker, self.folder + "/thief-" + self.attacker.name)
        self.victim = Thief(self.fleet, self.target, self.folder + "/victim-" + self.target.name)
        self.place = walls_test.Place(self.fleet, self.attacker, self.target)
        self.plant()
        self.metadata = self.play_cloud()

    def has_moved(self):
        """Hosts that have too much to do lose their primary."""
        return rig.primary_of(self.fleet, CLUSTERS["thief"]).id != self.attacker.id

    def plant(self):
        """What attacks of a shell look for, where both members would see it; and the program that looks."""
        place = self.place
        with open(os.path.abspath(walls_attacks.__file__)) as file:
            hosts.write_file(self.fleet, place.host, walls_test.PROGRAM, file.read(), 0o755)
        hosts.write_file(self.fleet, place.host, "/root/plant.py", walls_test.PLANT)
        place.shell("systemctl stop reeve-plant 2>/dev/null; systemd-run --quiet --collect --unit=reeve-plant --property=StandardOutput=truncate:/root/plant.out /usr/bin/python3 "
                    "/root/plant.py %s %s %s %s/data" % (place.shell("id -u " + place.victim_user), place.facts["address"], place.facts["host"], place.folder))
        wait_until(lambda: "planted" in place.shell("cat /root/plant.out", check=False), "what attacks look for is there", 20)

    def play_cloud(self):
        """A metadata service: on the control plane's machine, with a way to it from the attacker's host."""
        network.ip("-n", network.namespace(self.fleet, "control"), "addr", "replace", METADATA + "/32", "dev", "eth0")
        network.ip("-n", network.namespace(self.fleet, self.place.host), "route", "replace", METADATA + "/32", "dev", "eth0")
        if self.metadata is not None:
            return self.metadata
        with network.inside(self.fleet, "control"):
            return [socket.create_server((METADATA, port), backlog=100) for port in (80, 8080)]

    def leave(self):
        """A fleet that is not ours alone is left as it was."""
        self.place.shell("systemctl stop reeve-plant; rm -f /tmp/{0} /var/tmp/{0} /dev/shm/{0} /dev/mqueue/{0} /run/systemd/system/reeve-walls.service; rm -rf /var/lib/reeve/agent/peerings/planted; "
                         "ipcrm -M {1} -S {1}; systemctl daemon-reload".format(walls_attacks.NAME, walls_attacks.KEY), check=False)
        clusters = [*((self.tenants[who], cluster) for who, cluster in CLUSTERS.items()), (self.tenants["victim"], self.apart)]
        if self.gate is not None and self.gate.member is not None:
            self.gate.close()
            clusters.append((self.tenants["thief"], self.gate.name))
        for tenant, cluster in clusters:
            tenant.delete_cluster(cluster)
        for tenant, cluster in clusters:
            tenant.wait_gone(cluster)

    def is_unharmed(self):
        """Nothing that was tried has stopped a member."""
        for cluster in CLUSTERS.values():
            rig.wait_full_strength(self.fleet, cluster, 3, 60)


@contextlib.contextmanager
def fleet_ground():
    with rig.fleet_for(3, repositories=1, relays=1) as fleet, tempfile.TemporaryDirectory() as folder:
        ground = FleetGround(fleet, folder)
        yield ground
        if os.environ.get("REEVE_FLEET"):
            ground.leave()
