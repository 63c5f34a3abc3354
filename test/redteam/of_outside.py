# SPDX-License-Identifier: Apache-2.0
"""From the fleet's network, without credentials: members, Patroni, etcd, the agents' listener, the control database and the name server; from a machine that is on
the tenants' access lists, and from one that is on nobody's."""
import http.client
import socket
import ssl
import struct
import subprocess

import control
import network
import rig
from etcd_attacks import AGENT, EVIL, ON_KEYS, b64
from rows import Attack
from state import CLIENT, CONTROL, DOMAIN, ETCD

LISTS, PASSWORDS, PLAIN = "members let only listed networks in", "members let nobody in without a password", "members speak TLS only"
PATRONI = "Patroni trusts its own cluster only"
USERS = ("postgres", "reeve_replicator", "reeve_rewinder", "reeve_monitor", "app", "reeve_managed")
METHODS = (("GET", "/config"), ("PATCH", "/config"), ("POST", "/switchover"), ("POST", "/restart"), ("POST", "/reinitialize"), ("GET", "/cluster"), ("GET", "/patroni"))


def ask(fleet, machine, address, port, method, path, body=None, plain=False):
    """None when nothing came back."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with network.inside(fleet, machine):
            connection = http.client.HTTPConnection(address, port, timeout=5) if plain else http.client.HTTPSConnection(address, port, timeout=5, context=context)
            connection.connect()
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read(200)
    except (OSError, http.client.HTTPException):
        return None


def log_in(fleet, machine, address, words, statement="SELECT 1", port=5432):
    command = network.client_command(fleet, ["psql", "-X", "-At", "-w", "-c", statement, "host=%s port=%d connect_timeout=5 %s" % (address, port, words)], machine)
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=30)
    return "let in: " + done.stdout.strip()[:60] if done.returncode == 0 else None


def zone_transfer(fleet, machine):
    """A question for the whole zone, by TCP."""
    name = b"".join(bytes([len(part)]) + part.encode() for part in DOMAIN.split(".")) + b"\0"
    question = b"\x12\x34\0\0\0\1\0\0\0\0\0\0" + name + b"\0\xfc\0\1"
    with network.inside(fleet, machine):
        one = socket.create_connection((CONTROL["control1"], 53), timeout=5)
    with one:
        one.sendall(struct.pack(">H", len(question)) + question)
        answer = one.recv(4096)
    return "%d records" % struct.unpack(">H", answer[8:10])[0] if len(answer) > 14 and answer[5] & 15 == 0 and answer[8:10] != b"\0\0" else None


def of_members(ground):
    fleet = ground.fleet
    everyone = [one for cluster in ground.names.values() for one in rig.members(fleet, cluster)]
    for machine in CLIENT:
        for member in everyone:
            for user in USERS:
                for mode, more in (("require", ""), ("disable", ""), ("require", " replication=true")):
                    yield ("%s at %s from a %s, %s%s" % (user, member.name, machine, mode, more), PASSWORDS,
                           lambda m=machine, a=member.address, w="user=%s dbname=postgres sslmode=%s%s" % (user, mode, more), s="IDENTIFY_SYSTEM" if more else "SELECT 1":
                           log_in(fleet, m, a, w, s))
            for method, path in METHODS:
                def patroni(m=machine, a=member.address, method=method, path=path):
                    got = ask(fleet, m, a, 8008, method, path, None if method == "GET" else EVIL)
                    return got and "%d %r" % got
                yield "Patroni %s %s of %s from a %s" % (method, path, member.name, machine), PATRONI, patroni
    for who, cluster in ground.names.items():
        words = "user=app dbname=shop password=%s sslmode=" % ground.tenants[who].secret
        for member in rig.members(fleet, cluster):
            yield "the right password at %s from a stranger" % member.name, LISTS, lambda a=member.address, w=words: log_in(fleet, "stranger", a, w + "require")
            yield "the right password at %s without TLS" % member.name, PLAIN, lambda a=member.address, w=words: log_in(fleet, "client", a, w + "disable")
            other = next(one for one in ground.names if one != who)
            yield ("the other tenant's password at %s" % member.name, PASSWORDS,
                   lambda a=member.address, w="user=app dbname=shop sslmode=require password=" + ground.tenants[other].secret: log_in(fleet, "client", a, w))


def of_control(ground):
    fleet = ground.fleet
    for machine in CLIENT:
        for name, address in ETCD.items():
            for what, path, body in ON_KEYS[:4]:
                yield ("etcd %s, %s from a %s" % (name, what, machine), "etcd wants certificates of the fleet",
                       lambda m=machine, a=address, p=path, b=body.format(key=b64("/reeve/")): repr(got) if (got := ask(fleet, m, a, 2379, "POST", p, b)) else None)
            yield ("etcd %s as its peer from a %s" % (name, machine), "etcd wants certificates of the fleet",
                   lambda m=machine, a=address: repr(got) if (got := ask(fleet, m, a, 2380, "GET", "/members")) else None)
        for node, address in CONTROL.items():
            for method, path in AGENT:
                def agent(m=machine, a=address, method=method, path=path.format(member=ground.target.id)):
                    got = ask(fleet, m, a, control.AGENT_PORT, method, path, None if method == "GET" else "{}")
                    return None if got is None or got[0] in (400, 401, 403) else "%d %r" % got
                yield "agents' listener of %s, %s %s from a %s" % (node, method, path, machine), "hosts are known by certificates of hosts", agent
            for path in ("", "/hosts", "/etcdGroups", "/objectStores"):
                def desk(m=machine, a=address, p=path):
                    got = ask(fleet, m, a, control.OPERATOR_PORT, "GET", "/operator/v1" + p, plain=True)
                    return None if got is None or got[0] in (401, 403) else "%d %r" % got
                yield "operators' address of %s, GET %s from a %s" % (node, path, machine), "operators have tokens of their own", desk
        for user in ("postgres", "reeve", "reeve_dns", "reeve_tenant", "reeve_reader"):
            yield ("the control database as %s from a %s" % (user, machine), "the control database lets its own node in",
                   lambda m=machine, u=user: log_in(fleet, m, CONTROL["control1"], "user=%s dbname=reeve" % u, port=5432))
        yield "all names of the zone from a %s" % machine, "names are told one by one", lambda m=machine: zone_transfer(fleet, m)


def attacks(ground):
    for part in (of_members, of_control):
        for name, wall, attempt in part(ground):
            yield Attack(name, "network", wall, attempt)
