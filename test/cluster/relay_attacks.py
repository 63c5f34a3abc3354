# SPDX-License-Identifier: Apache-2.0
"""Attacks on a relay of private endpoints: one row each, with the wall that stops it. private_endpoint_test.py tries them, and so does `make redteam`."""
import subprocess

import hosts
import network
from tenant import psql

RULES = "rules around relays"
LIST = "members let only listed networks in"
FILES = "a relay sees its own configuration only"

# On a host: which TCP ports of an address answer. Given a list of ports, only those.
SCAN = r"""
import errno, select, socket, sys
address, source, ports = sys.argv[1], sys.argv[2], [int(p) for p in sys.argv[3].split(",")] if len(sys.argv) > 3 else list(range(1, 65536))
found = []
for at in range(0, len(ports), 400):
    waiting = {}
    for port in ports[at:at + 400]:
        one = socket.socket()
        one.setblocking(False)
        if source != "any":
            one.bind((source, 0))
        if one.connect_ex((address, port)) in (0, 115):
            waiting[one] = port
    poll = select.poll()
    by_number = {one.fileno(): one for one in waiting}
    for number in by_number:
        poll.register(number, select.POLLOUT)
    while by_number:
        got = poll.poll(1500)
        if not got:
            break
        for number, _ in got:
            poll.unregister(number)
            one = by_number.pop(number)
            # One that is reset was open before: HAProxy does so. A closed one is refused.
            if one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) in (0, errno.ECONNRESET):
                found.append(waiting[one])
    for one in waiting:
        one.close()
print(*sorted(found))
"""


def scan(command, address, source="any", ports=None):
    """Ports that answer somebody who begins there; `command` runs a program where they are."""
    words = ["/usr/bin/python3", "-c", SCAN, address, source, *([",".join(map(str, ports))] if ports else [])]
    done = subprocess.run(command(words), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode != 0 and "PermissionError" not in done.stderr and "OSError" not in done.stderr:
        raise AssertionError("the scan did not run: " + done.stderr[-500:])
    return [int(port) for port in done.stdout.split()]


def from_client(fleet, machine):
    return lambda words: network.client_command(fleet, words, machine)


def from_host(fleet, host, user=None):
    become = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups"] if user else []
    return lambda words: hosts.command(fleet, host, [*become, *words])


class Relay:
    """A service of private endpoints as it is on its host."""

    def __init__(self, fleet, service):
        self.fleet, self.id, self.address, self.name = fleet, service["id"], service["endpointServiceIPAddress"], service["endpointServiceName"]
        self.unit = "reeve-relay-%s.service" % self.id
        self.host = next(one for one in fleet.hosts if fleet.hosts[one].get("purpose") == "RELAY" and self.address.rsplit(".", 1)[0] in fleet.hosts[one]["pool"])

    def user(self):
        """Its number on the host."""
        return int(hosts.run(self.fleet, self.host, "stat", "-c", "%g", "/var/lib/reeve/relays/" + self.id))

    def pid(self):
        return hosts.run(self.fleet, self.host, "systemctl", "show", "-P", "MainPID", self.unit).strip()


class Scene:
    """Two tenants, each with a relay and an endpoint: the victim's is `victim_client`, the thief's `thief_client`. `member_user` is the number of a member's system user on
    `member_host`, and `thief_dsn(password)` leads through the thief's relay."""

    def __init__(self, fleet, victim, thief, victim_client, thief_client):
        self.fleet, self.victim, self.thief, self.victim_client, self.thief_client = fleet, victim, thief, victim_client, thief_client
        self.member_host = self.member_user = self.victim_member = self.thief_dsn = self.victim_user = None

    def check_works(self):
        return bool(scan(from_client(self.fleet, self.victim_client), self.victim.address, ports=range(1024, 1030)))


def opened(ports, where):
    return "%s: ports %s" % (where, ports) if ports else None


def from_inside(scene, path):
    """With the eyes of the thief's relay and as its system user."""
    relay = scene.thief
    look = ["nsenter", "-t", relay.pid(), "-m", "setpriv", "--reuid", str(relay.user()), "--regid", str(relay.user()), "--clear-groups", "cat"]
    if not hosts.run(scene.fleet, relay.host, *look, "/var/lib/reeve/relays/%s/haproxy.cfg" % relay.id, check=False).strip():
        raise AssertionError("nothing is seen from inside, not even its own file")
    got = hosts.run(scene.fleet, relay.host, *look, path, check=False)
    return "%d bytes of %s" % (len(got), path) if got else None


def spoofed(scene):
    """The thief's relay, taken over, speaks from the victim's address: members of the victim would let it in."""
    command = from_host(scene.fleet, scene.thief.host, scene.thief.user())
    return opened(scan(command, scene.victim_member.address, scene.victim.address, [5432]), "from the victim's address")


def beyond(scene, address, ports):
    command = from_host(scene.fleet, scene.thief.host, scene.thief.user())
    return opened(scan(command, address, "any", ports) + scan(command, address, scene.thief.address, ports), address)


def whispers(scene):
    """Names can carry what was read out of the network."""
    words = ["/usr/bin/python3", "-c", "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('10.78.0.2', 53)); print('sent')"]
    said = subprocess.run(from_host(scene.fleet, scene.thief.host, scene.thief.user())(words), capture_output=True, text=True, timeout=30, check=False)
    return "a datagram left" if "sent" in said.stdout else None


def own_way(scene):
    status, output, _ = psql(scene.fleet, scene.thief_dsn(*scene.victim_user), "SELECT 1", scene.thief_client)
    return output if status == 0 else None


def rows(scene):
    fleet, victim, thief = scene.fleet, scene.victim, scene.thief
    yield "every port, from a client with another tenant's endpoint", "network", RULES, lambda: opened(scan(from_client(fleet, scene.thief_client), victim.address), victim.address)
    yield "every port of the own relay but those of members", "network", RULES, lambda: opened(
        [port for port in scan(from_client(fleet, scene.thief_client), thief.address) if not 1024 <= port < 1100], thief.address)
    yield "every port, from the control plane's machine", "network", RULES, lambda: opened(scan(lambda words: network.command(fleet, "control", words), victim.address), victim.address)
    yield "every port, from a member's shell", "shell", RULES, lambda: opened(scan(from_host(fleet, scene.member_host, scene.member_user), victim.address), victim.address)
    yield "every port, from the host of a member", "shell", RULES, lambda: opened(scan(from_host(fleet, scene.member_host), victim.address), victim.address)
    yield "its ports, from the relay's own host", "shell", RULES, lambda: opened(scan(from_host(fleet, victim.host), victim.address, ports=[22, 27300, *range(1024, 1400)]), victim.address)
    yield "the victim's member, with the thief's relay", "shell", RULES, lambda: beyond(scene, scene.victim_member.address, [5432, 6432, 8008, 27018])
    yield "the host of the victim's member, with the thief's relay", "shell", RULES, lambda: beyond(scene, fleet.host(scene.victim_member.host)["address"], [22, 2379, 27200, 27300])
    yield "the relay's own host, with the thief's relay", "shell", RULES, lambda: beyond(scene, fleet.host(thief.host)["address"], [27300])
    yield "the control plane, with the thief's relay", "shell", RULES, lambda: beyond(scene, "10.78.0.2", [53, 5432, 6379, 8443, 8444])
    yield "the victim's member, from the victim's address, with the thief's relay", "shell", RULES, lambda: spoofed(scene)
    yield "a name server, with the thief's relay", "shell", RULES, lambda: whispers(scene)
    yield "the victim's user, through the thief's relay", "network", LIST, lambda: own_way(scene)
    for path in ("/var/lib/reeve/relays/%s/haproxy.cfg" % victim.id, "/var/lib/reeve/agent/host.key", "/var/lib/reeve/agent/goal.json", "/etc/shadow"):
        yield "from inside of a relay: " + path.replace(victim.id, "<victim>"), "shell", FILES, lambda p=path: from_inside(scene, p)
