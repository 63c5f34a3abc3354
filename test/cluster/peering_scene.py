# SPDX-License-Identifier: Apache-2.0
"""A tenant's own site for tests of peerings: a gateway with wireguard-go, and a client behind it that has no other way anywhere."""
import contextlib
import json
import os
import subprocess
import time

from tenant import psql_words

import network  # noqa: E402  (found by tenant)
from state import NETWORK, Problem, wait_until  # noqa: E402

HOME, CLIENT, GATEWAY_HOME = "192.168.7.0/24", "192.168.7.10", "192.168.7.1"
TUNNEL_MTU = "1420"

# Anything but silence is an answer: a door that is closed has been reached, too.
SCAN = r"""
import asyncio, json, sys
source, seconds, places = sys.argv[1], float(sys.argv[2]), json.loads(sys.argv[3])
async def knock(turns, address, port, found):
    async with turns:
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(address, port, local_addr=(source, 0) if source else None), seconds)
            writer.close()
            found.append([address, port, "open"])
        except (asyncio.TimeoutError, TimeoutError):
            pass
        except OSError as problem:
            if problem.errno in (111, 104):
                found.append([address, port, "closed"])
async def main():
    found, turns = [], asyncio.Semaphore(400)
    await asyncio.gather(*(knock(turns, address, port, found) for address, ports in places.items() for port in ports))
    print(json.dumps(sorted(found)))
asyncio.run(main())
"""


def wg(*words, **options):
    return subprocess.run(["wg", *words], capture_output=True, text=True, check=True, **options).stdout.strip()


class Site:
    """`number` is of its own in the fleet. Every site has the same network at home."""

    def __init__(self, fleet, number):
        self.fleet, self.number = fleet, number
        self.gateway, self.home = "site%d" % number, "home%d" % number
        self.address = "10.78.210.%d" % number
        self.interface = "wg%s%d" % (fleet.prefix.split("-")[1], number)
        self.private = self.public = None
        self.build()

    def space(self, machine):
        return network.namespace(self.fleet, machine)

    def build(self):
        switch = self.space("switch")
        for machine in (self.gateway, self.home):
            network.ip("netns", "add", self.space(machine))
            network.ip("-n", self.space(machine), "link", "set", "lo", "up")
        network.ip("-n", switch, "link", "add", self.gateway, "type", "veth", "peer", "name", "eth0", "netns", self.space(self.gateway))
        network.ip("-n", switch, "-batch", "-", batch="link set {0} master br0\nlink set {0} up\n".format(self.gateway))
        network.ip("-n", self.space(self.gateway), "-batch", "-", batch="link set eth0 up\naddr add %s/%d dev eth0\n" % (self.address, NETWORK.prefixlen))
        network.ip("-n", self.space(self.gateway), "link", "add", "home", "type", "veth", "peer", "name", "eth0", "netns", self.space(self.home))
        network.ip("-n", self.space(self.gateway), "-batch", "-", batch="link set home up\naddr add %s/24 dev home\n" % GATEWAY_HOME)
        network.ip("-n", self.space(self.home), "-batch", "-", batch="link set eth0 up\naddr add %s/24 dev eth0\nroute add default via %s\n" % (CLIENT, GATEWAY_HOME))
        self.run(self.gateway, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        # What is not for the tunnel goes nowhere: the tenant's site has no route to the operator's network.
        network.nft(self.fleet, self.gateway, "add table inet site\nadd chain inet site pass { type filter hook forward priority 0; policy accept; }\n"
                                              "add rule inet site pass iifname home oifname eth0 drop\n")
        self.run(self.gateway, "wireguard-go", self.interface)
        self.new_key()
        network.ip("-n", self.space(self.gateway), "link", "set", self.interface, "mtu", TUNNEL_MTU, "up")

    def run(self, machine, *words, check=True, **options):
        result = subprocess.run(["ip", "netns", "exec", self.space(machine), *words], capture_output=True, text=True, check=False, **options)
        if check and result.returncode != 0:
            raise Problem("%s: %s" % (" ".join(words), result.stderr.strip()))
        return result.stdout

    def new_key(self):
        self.private = wg("genkey")
        self.public = wg("pubkey", input=self.private)
        self.set("private-key", "/dev/stdin", input=self.private)

    def set(self, *words, **options):
        return self.run(self.gateway, "wg", "set", self.interface, *words, **options)

    def configure(self, peer, also=()):
        """What the API says of the hosts' ends, and nothing else; `also` is what somebody hostile would send there."""
        if also:  # where the packets of the tunnel themselves go is among it
            self.set("fwmark", "77")
            self.run(self.gateway, "ip", "rule", "add", "fwmark", "77", "lookup", "77")
            self.run(self.gateway, "ip", "route", "replace", str(NETWORK), "dev", "eth0", "table", "77")
        for end in peer["gateways"]:
            self.set("peer", end["publicKey"], "allowed-ips", ",".join([*end["routes"], *also]), "endpoint", "%s:%d" % (end["hostAddress"], end["port"]),
                     "persistent-keepalive", "5")
            for route in [*end["routes"], *also]:
                network.ip("-n", self.space(self.gateway), "route", "replace", route, "dev", self.interface, "src", GATEWAY_HOME)

    def knows(self, names):
        folder = "/etc/netns/" + self.space(self.home)
        os.makedirs(folder, exist_ok=True)
        with open(folder + "/hosts", "w", encoding="ascii") as file:
            file.write("127.0.0.1 localhost\n" + "".join("%s %s\n" % (address, name) for name, address in names.items()))

    def psql(self, dsn, statement, timeout=20):
        result = subprocess.run(["ip", "netns", "exec", self.space(self.home), *psql_words(dsn, statement)], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=timeout, check=False)
        return result.returncode, result.stdout.strip(), result.stderr.strip()

    def scan(self, places, machine=None, source="", seconds=1.5):
        """What answers, of a dict from address to ports."""
        return json.loads(self.run(machine or self.home, "python3", "-c", SCAN, source, str(seconds), json.dumps(places), timeout=240))

    def listen(self, port):
        return subprocess.Popen(["ip", "netns", "exec", self.space(self.home), "python3", "-m", "http.server", str(port), "--bind", CLIENT],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        for machine in (self.home, self.gateway):
            for pid in network.processes(self.space(machine)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, 9)
        wait_until(lambda: not network.processes(self.space(self.gateway)), "the site is off", 10)
        for machine in (self.home, self.gateway):
            network.ip("netns", "delete", self.space(machine))
        with contextlib.suppress(FileNotFoundError):
            os.unlink("/var/run/wireguard/%s.sock" % self.interface)


def wait_peer(tenant, peer, status, seconds):
    began = time.monotonic()
    seen = {}

    def done():
        seen.update(tenant.ask("GET", tenant.of_project("/peers/" + peer)))
        return seen["statusName"] == status
    wait_until(done, "the peering is %s" % status, seconds, every=0.2)
    return seen, time.monotonic() - began
