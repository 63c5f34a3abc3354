#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Peerings on a fleet: two tenants with the same network at home, and members on the same host. Each reaches its own through its own tunnel and nothing else;
who is at the other end is let in by the access list; nothing begins from a member's side; what is removed is closed.

    test/cluster/peering_test.py

Needs root, and wireguard-go."""
import json
import re
import sys
import time

import peering_scene
import rig
from peering_scene import CLIENT, HOME, SCAN, Site, wait_peer
from tenant import Tenant

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from state import PROVIDER, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTERS, BLOCKS = {"alice": "peered-a", "bob": "peered-b"}, {"alice": "10.78.1.0/27", "bob": "10.78.1.32/27"}
READY_S, OPEN_S, CLOSED_S, AGAIN_S = 60, 30, 10, 45
LISTENS = 8099
PORTS = [*range(1, 1025), 2379, 2380, 5431, 5432, 5433, 6432, 8008, 8080, 8443, 27017, 27018, 51820]
KNOCKED = {CLIENT: [22, 80, LISTENS, 5432], peering_scene.GATEWAY_HOME: [22, 53, LISTENS]}
WATCH = ("add table inet watch\nadd chain inet watch seen { type filter hook prerouting priority -400; policy accept; }\n"
         "add rule inet watch seen iifname \"rvp*\" ip saddr %s counter comment \"%s\"\n")


class Party:
    """A tenant with a member on the first host, and a site with the network that every other has, too."""

    def __init__(self, fleet, name, number):
        self.fleet, self.name, self.tenant = fleet, name, Tenant(fleet)
        self.tenant.create_project()
        self.password = self.tenant.create_user("app")
        self.tenant.ask("PATCH", self.tenant.of_project("/providerCustomDNS"), {"enabled": True})
        self.container = self.tenant.ask("POST", self.tenant.of_project("/containers"), {
            "providerName": PROVIDER, "regionName": fleet.regions[0], "serviceCidrBlock": BLOCKS[name]})["id"]
        self.tenant.allow("192.0.2.0/24")  # somewhere else
        self.tenant.create_cluster(CLUSTERS[name], regions={fleet.regions[0]: 1})
        self.site, self.peer, self.ends = Site(fleet, number), None, None

    def wait(self):
        self.document = self.tenant.wait_idle(CLUSTERS[self.name], 240)
        self.member = rig.members(self.fleet, CLUSTERS[self.name])[0]
        self.dsn = self.tenant.dsn(self.document, "app", self.password, kind="private", connect_timeout=3)
        self.site.knows({name: self.member.address for name in re.findall(r"[@,]([a-z0-9.-]+):\d+", self.dsn)})

    def connect(self):
        self.peer = self.tenant.ask("POST", self.tenant.of_project("/peers"), {
            "containerId": self.container, "routeTableCidrBlock": HOME, "gatewayPublicKey": self.site.public})["id"]

    def psql(self, statement="SELECT inet_client_addr(), inet_server_addr()"):
        return self.site.psql(self.dsn, statement)

    def leave(self):
        """A fleet that is kept has its addresses again."""
        self.site.close()
        self.tenant.delete_cluster(CLUSTERS[self.name])
        self.tenant.wait_gone(CLUSTERS[self.name])
        for peer in self.tenant.ask("GET", self.tenant.of_project("/peers"))["results"]:
            self.tenant.ask("DELETE", self.tenant.of_project("/peers/" + peer["id"]))
        wait_until(lambda: not self.tenant.ask("GET", self.tenant.of_project("/peers"))["results"], "peerings of %s are gone" % self.name, 30)
        self.tenant.ask("DELETE", self.tenant.of_project("/containers/" + self.container))

    def interface(self):
        return "rvp%d" % self.ends["gateways"][0]["port"]


def shell(fleet, host, command, check=True):
    return hosts.run(fleet, host, "sh", "-c", command, check=check, timeout=240)


def tunnels_are_made(suite, parties):
    for party in parties:
        suite.check(party.psql()[0] != 0, "%s reaches its member without a tunnel", party.name)
        party.connect()
    for party in parties:
        party.ends, took = wait_peer(party.tenant, party.peer, "PENDING_ACCEPTANCE", READY_S)
        suite.say("%s: the host made its end in %.1f s" % (party.name, took))
        suite.equal([end["routes"] for end in party.ends["gateways"]], [[party.member.address + "/32"]], "routes of %s" % party.name)
        party.site.configure(party.ends)
    for party in parties:
        began = time.monotonic()
        said = party.psql()
        suite.check("pg_hba.conf rejects" in said[2], "%s is not on the list yet, and is told: %s", party.name, said)
        party.tenant.allow(HOME)
        wait_until(lambda p=party: p.psql()[0] == 0, "%s is let in" % party.name, 30)
        suite.equal(party.psql()[1], "%s|%s" % (CLIENT, party.member.address), "who asks whom at %s, by the private string" % party.name)
        suite.say("%s: psql answered %.1f s after the gateway was configured" % (party.name, time.monotonic() - began))
        wait_peer(party.tenant, party.peer, "AVAILABLE", OPEN_S)
    suite.equal(parties[0].member.host, parties[1].member.host, "both are on one host")
    suite.equal([wait_peer(p.tenant, p.peer, "AVAILABLE", 5)[0]["gateways"][0]["publicKey"] == parties[0].ends["gateways"][0]["publicKey"] for p in parties], [True, False],
                "each end has a key of its own")


def only_the_database_is_reached(suite, fleet, alice, bob):
    """A hostile gateway sends everything into the tunnel."""
    host = fleet.host(alice.member.host)["address"]
    alice.site.configure(alice.ends, also=["10.78.0.0/20"])
    places = {alice.member.address: PORTS, bob.member.address: PORTS, "10.78.1.99": [22, 5432], "10.78.0.2": [8443, 5432], host: [22, 5432, 8008, 111], fleet.host("h2")["address"]: [22, 5432]}
    found = alice.site.scan(places)
    suite.equal(found, [[alice.member.address, 5432, "open"]], "what answers behind the gateway, of %d ports" % sum(map(len, places.values())))


def forged_sources_are_dropped(suite, fleet, alice, bob):
    """A neighbour's address, or one that the list lets in, as the source."""
    forged = ["10.78.200.2", bob.member.address, "192.168.8.10", fleet.host("h2")["address"]]
    for one in forged:
        alice.site.run(alice.site.gateway, "ip", "addr", "add", one + "/32", "dev", "lo")
    for one in [*forged, CLIENT]:
        network_nft(fleet, alice.member.host, WATCH % (one, one))
    for one in forged:
        suite.equal(alice.site.scan({alice.member.address: [5432]}, alice.site.gateway, one), [], "what answers %s" % one)
    suite.check(alice.psql()[0] == 0, "the right source came through")
    counted = json.loads(shell(fleet, alice.member.host, "nft --json list table inet watch"))["nftables"]
    packets = {row["rule"]["comment"]: row["rule"]["expr"][-1]["counter"]["packets"] for row in counted if "rule" in row}
    suite.check(packets.pop(CLIENT) > 0, "packets of the client are counted")
    suite.equal(packets, {one: 0 for one in forged}, "packets with a forged source that came out of the tunnel")
    shell(fleet, alice.member.host, "nft delete table inet watch")
    for one in forged:
        alice.site.run(alice.site.gateway, "ip", "addr", "del", one + "/32", "dev", "lo")


def network_nft(fleet, host, rules):
    hosts.write_file(fleet, host, "/root/watch.nft", rules)
    shell(fleet, host, "nft -f /root/watch.nft")


def from_member(fleet, party, source, as_party=None):
    """What a shell of a member finds in the customer's network, from an address of the host."""
    user = shell(fleet, party.member.host, "systemctl show --property User --value reeve-member-%s" % (as_party or party).member.id).strip()
    hosts.write_file(fleet, party.member.host, "/opt/scan.py", SCAN, 0o755)
    return json.loads(shell(fleet, party.member.host, "setpriv --reuid %s --regid %s --clear-groups python3 /opt/scan.py '%s' 1.5 '%s'" % (
        user, user, source, json.dumps(KNOCKED))))


def nothing_begins_at_a_member(suite, fleet, alice, bob):
    listener = alice.site.listen(LISTENS)
    try:
        time.sleep(1)
        suite.equal(alice.site.scan({CLIENT: [LISTENS]}, alice.site.gateway), [[CLIENT, LISTENS, "open"]], "what the client listens at")
        for source in ("", alice.member.address):
            suite.equal(from_member(fleet, alice, source), [], "what a shell of the member reaches from %r" % source)
        suite.equal(from_member(fleet, alice, alice.member.address, bob), [], "what a neighbour's shell reaches from the member's address")
        shell(fleet, alice.member.host, "systemctl stop reeve-agent; nft delete table inet reeve_peering")
        all_of_it = sorted([[CLIENT, port, "open" if port == LISTENS else "closed"] for port in KNOCKED[CLIENT]] + [
            [peering_scene.GATEWAY_HOME, port, "closed"] for port in KNOCKED[peering_scene.GATEWAY_HOME]])
        suite.equal(from_member(fleet, alice, alice.member.address), all_of_it, "what it reaches with the wall down: the attack is real")
        shell(fleet, alice.member.host, "systemctl start reeve-agent")
        wait_until(lambda: from_member(fleet, alice, alice.member.address) == [], "the agent puts the wall up again", AGAIN_S)
    finally:
        listener.kill()
        listener.wait()


def keys_stay_on_the_host(suite, fleet, alice):
    user = shell(fleet, alice.member.host, "systemctl show --property User --value reeve-member-%s" % alice.member.id).strip()
    path = "/var/lib/reeve/agent/peerings/%s/key" % alice.peer
    key = shell(fleet, alice.member.host, "cat " + path).strip()
    suite.equal(shell(fleet, alice.member.host, "stat -c '%%a %%U' %s" % path).strip(), "600 root", "who reads the key")
    process = (shell(fleet, alice.member.host, "pidof wireguard-go", check=False).split() or ["1"])[0]
    for what in (path, path.replace("/key", "/wg.conf"), "/proc/%s/mem" % process, "/run/wireguard/%s.sock" % alice.interface()):
        said = shell(fleet, alice.member.host, "setpriv --reuid %s --regid %s --clear-groups sh -c 'head -c 40 %s' 2>&1" % (user, user, what), check=False)
        suite.check("enied" in said or "No such" in said, "a member's shell reads %s: %r", what, said)
    suite.check(key not in control.superuser(fleet, "SELECT coalesce(string_agg(g::text, ' '), '') FROM network_peer_gateway g")[0][0], "the private key is in the database")
    suite.check(key not in json.dumps(alice.tenant.ask("GET", alice.tenant.of_project("/peers/" + alice.peer))), "the private key is in an answer")


def tunnels_come_again(suite, fleet, alice):
    """Without the control plane's help: the program that makes the tunnel is killed, and the agent is away meanwhile."""
    shell(fleet, alice.member.host, "systemctl stop reeve-agent")
    suite.equal(alice.psql()[0], 0, "psql while the agent is away")
    if shell(fleet, alice.member.host, "pidof wireguard-go", check=False).strip():
        shell(fleet, alice.member.host, "systemctl kill -s KILL reeve-peering-%d.service" % alice.ends["gateways"][0]["port"])
    began = time.monotonic()
    shell(fleet, alice.member.host, "systemctl start reeve-agent")
    wait_until(lambda: alice.psql()[0] == 0, "the tunnel is there again", AGAIN_S)
    suite.say("the tunnel was there again after %.1f s" % (time.monotonic() - began))


def another_network(suite, alice):
    """A change of the tenant's networks closes the old one."""
    alice.tenant.ask("PATCH", alice.tenant.of_project("/peers/" + alice.peer), {"routeTableCidrBlock": "192.168.99.0/24"})
    wait_until(lambda: alice.psql()[0] != 0, "the old network is out", CLOSED_S)
    alice.tenant.ask("PATCH", alice.tenant.of_project("/peers/" + alice.peer), {"routeTableCidrBlock": HOME})
    wait_until(lambda: alice.psql()[0] == 0, "it is in again", AGAIN_S)


def hosts_begin(suite, fleet, alice):
    """The gateway has another key, is told of no address, and waits. Its own is a private one here, which the API does not take."""
    end = alice.ends["gateways"][0]
    alice.site.set("peer", end["publicKey"], "remove")
    alice.site.new_key()
    alice.site.set("peer", end["publicKey"], "allowed-ips", ",".join(end["routes"]))
    began = time.monotonic()
    after = alice.tenant.ask("PATCH", alice.tenant.of_project("/peers/" + alice.peer), {"gatewayPublicKey": alice.site.public})
    suite.equal(after["gateways"][0]["publicKey"], end["publicKey"], "the host keeps its key")
    wait_peer(alice.tenant, alice.peer, "PENDING_ACCEPTANCE", READY_S)
    suite.check(alice.psql()[0] != 0, "a gateway that waits was found by nobody yet")
    control.superuser(fleet, "UPDATE network_peer SET endpoint_address = '%s', endpoint_port = %s WHERE id = decode('%s', 'hex')" % (
        alice.site.address, alice.site.run(alice.site.gateway, "wg", "show", alice.site.interface, "listen-port").strip(), alice.peer))
    wait_until(lambda: alice.psql()[0] == 0, "the host has begun", AGAIN_S)
    suite.say("a gateway with another key, which waits, was reached after %.1f s" % (time.monotonic() - began))


def private_addresses_are_translated(suite, fleet, bob):
    """A member that has another address in private networks is known by that on the other side."""
    private = "172.30.1.7"
    control.superuser(fleet, "UPDATE host_address SET private_address = '%s' WHERE address = '%s'; UPDATE network_container SET block = '172.30.1.0/27' WHERE id = decode('%s', 'hex'); "
                             "UPDATE network_peer SET blocks = '{%s,192.168.55.0/24}' WHERE id = decode('%s', 'hex')" % (private, bob.member.address, bob.container, HOME, bob.peer))
    bob.ends = bob.tenant.ask("GET", bob.tenant.of_project("/peers/" + bob.peer))
    suite.equal(bob.ends["gateways"][0]["routes"], [private + "/32"], "what the gateway is told")
    bob.site.configure(bob.ends)
    bob.site.knows({name: private for name in re.findall(r"[@,]([a-z0-9.-]+):\d+", bob.dsn)})
    wait_until(lambda: bob.psql()[0] == 0, "psql by the private address", AGAIN_S)
    suite.equal(bob.psql("SELECT inet_client_addr(), inet_server_addr(), length(repeat('x', 1000000))")[1], "%s|%s|1000000" % (CLIENT, bob.member.address), "who asks whom")
    suite.equal(bob.site.scan({bob.member.address: [5432]}), [], "its other address, from there")


def removed_is_closed(suite, fleet, alice, bob):
    began = time.monotonic()
    alice.tenant.ask("DELETE", alice.tenant.of_project("/peers/" + alice.peer))
    wait_until(lambda: alice.interface() not in shell(fleet, alice.member.host, "ip -o link"), "the end is closed", CLOSED_S, every=0.1)
    suite.say("a removed peering was closed after %.1f s" % (time.monotonic() - began))
    suite.check(alice.psql()[0] != 0, "psql after the peering was removed")
    wait_until(lambda: alice.tenant.try_nodes("GET", alice.tenant.of_project("/peers/" + alice.peer), None).status == 404, "it is gone", CLOSED_S)
    suite.equal(shell(fleet, alice.member.host, "ls /var/lib/reeve/agent/peerings | grep -c %s" % alice.peer, check=False).strip(), "0", "its key is gone")
    left = shell(fleet, alice.member.host, "ip rule list; ip route show table all; nft list table inet reeve_peering; ls /etc/systemd/system")
    suite.check(str(alice.ends["gateways"][0]["port"]) not in left, "something of it is left: %s", left)
    suite.equal(bob.psql()[0], 0, "the neighbour's peering is as it was")


def main():
    suite = Suite("peering")
    try:
        with rig.fleet_for(host_count=3) as fleet:
            parties = [Party(fleet, name, number) for number, name in enumerate(CLUSTERS, 1)]
            alice, bob = parties
            try:
                for party in parties:
                    party.wait()
                tunnels_are_made(suite, parties)
                only_the_database_is_reached(suite, fleet, alice, bob)
                forged_sources_are_dropped(suite, fleet, alice, bob)
                nothing_begins_at_a_member(suite, fleet, alice, bob)
                keys_stay_on_the_host(suite, fleet, alice)
                tunnels_come_again(suite, fleet, alice)
                another_network(suite, alice)
                hosts_begin(suite, fleet, alice)
                removed_is_closed(suite, fleet, alice, bob)
                private_addresses_are_translated(suite, fleet, bob)
            finally:
                for party in parties:
                    party.leave()
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
