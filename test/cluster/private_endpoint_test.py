#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Private endpoints: a client with no other way in gets to its project's members through the relay of the region, by the name in the API's string and with verify-full, also
after a failover and without the control plane. Nobody else does (relay_attacks.py). A removed endpoint's connections end; a removed service leaves nothing."""
import ipaddress
import random
import socket
import struct
import subprocess
import sys
import time

import rig
from tenant import Tenant, psql, psql_words

import hosts  # noqa: E402  (found by rig)
import network  # noqa: E402
import relay_attacks  # noqa: E402
from relay_attacks import Relay, Scene, from_client, scan  # noqa: E402
from state import CLIENT, CONTROL, PROVIDER, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

ENDED_S, FAILOVER_S, GONE_S = 10, 60, 60
WHERE = "SELECT host(inet_client_addr()) || ' ' || pg_is_in_recovery()"


def services(tenant):
    return tenant.of_project("/privateEndpoint/%s/endpointService" % PROVIDER)


def create_service(tenant, region, **more):
    return tenant.ask("POST", tenant.of_project("/privateEndpoint/endpointService"), {"providerName": PROVIDER, "region": region, **more})


def wait_status(tenant, path, wanted, seconds=60):
    """Every status on the way to the one that is wanted."""
    seen = []

    def there():
        status = tenant.ask("GET", path)["status"]
        if status not in seen[-1:]:
            seen.append(status)
        return status == wanted
    wait_until(there, "%s is %s" % (path, wanted), seconds, every=0.05)
    return seen


def create_endpoint(tenant, service, machine):
    path = "%s/%s/endpoint" % (services(tenant), service["id"])
    tenant.ask("POST", path, {"id": machine, "privateEndpointIPAddress": CLIENT[machine]})
    return path + "/" + machine


def dsn(tenant, cluster, password, number=0, user="app", words="?"):
    """The string of the API."""
    strings = tenant.cluster(cluster)["connectionStrings"]["privateEndpoint"]
    return tenant.dsn({"connectionStrings": {"pl": strings[number]["connectionString"]}}, user, password, "pl").replace("?", words, 1)


def targets(tenant, cluster, number=0):
    """Names and ports in the string of the API."""
    text = tenant.cluster(cluster)["connectionStrings"]["privateEndpoint"][number]["connectionString"]
    return [place.split(":") for place in text.split("@")[1].split("/")[0].split(",")]


def ask_name_server(fleet, name, kind):
    """Answers of the fleet's name server, as a client's resolver gets them: addresses, or (port, target)."""
    question = struct.pack("!6H", random.randrange(65536), 0x0100, 1, 0, 0, 0) + b"".join(
        bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0" + struct.pack("!2H", kind, 1)
    with network.inside(fleet, "client"):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with one:
        one.settimeout(5)
        one.sendto(question, (CONTROL["control1"], 53))
        answer = one.recv(4096)

    def text_at(at):
        parts = []
        while answer[at]:
            if answer[at] >= 0xC0:
                return ".".join([*parts, text_at(struct.unpack_from("!H", answer, at)[0] & 0x3FFF)])
            parts.append(answer[at + 1:at + 1 + answer[at]].decode())
            at += 1 + answer[at]
        return ".".join(parts)
    at, found = len(question), []
    for _ in range(struct.unpack_from("!H", answer, 6)[0]):
        at += 2 if answer[at] >= 0xC0 else answer.index(b"\0", at) + 1 - at
        got, _, _, length = struct.unpack_from("!HHIH", answer, at)
        at += 10
        if got == kind == 1:
            found.append(str(ipaddress.ip_address(answer[at:at + 4])))
        elif got == kind == 33:
            found.append((struct.unpack_from("!3H", answer, at)[2], text_at(at + 6)))
        at += length
    return sorted(found)


def coming(suite, fleet, tenant, password, service):
    """From nothing to a connection; what the API says AVAILABLE of works at once."""
    began = time.monotonic()
    path = create_endpoint(tenant, service, "stranger")
    seen = wait_status(tenant, path, "AVAILABLE")
    rig.judge_time(suite, time.monotonic() - began, 10, "a new endpoint is AVAILABLE")
    suite.check(seen[0] in ("INITIATING", "PENDING_ACCEPTANCE", "AVAILABLE"), "its states on the way: %s", seen)
    way = dsn(tenant, "orders", password)
    suite.check("sslmode=verify-full" in way, "the string asks for the server's name")
    status, output, error = psql(fleet, way, WHERE, "stranger")
    suite.equal((status, output), (0, service["endpointServiceIPAddress"] + " false"), "psql as soon as the API says AVAILABLE, and where the server sees it (%s)" % error)
    direct = tenant.dsn(tenant.cluster("orders"), "app", password)
    status, _, error = psql(fleet, direct, "SELECT 1", "stranger")
    suite.check(status != 0 and "pg_hba.conf rejects" in error, "the direct string is refused: %s", error)
    status, _, error = psql(fleet, way, "SELECT 1", "client")
    suite.check(status != 0 and "refused" in error, "somebody without an endpoint finds nothing there: %s", error)
    suite.equal(ask_name_server(fleet, service["endpointServiceName"], 1), [service["endpointServiceIPAddress"]], "the name's address, by the name server")
    srv = tenant.cluster("orders")["connectionStrings"]["privateEndpoint"][0]["srvConnectionString"].split("@")[1].split("/")[0]
    suite.equal(ask_name_server(fleet, "_postgresql._tcp." + srv, 33), sorted((int(port), name) for name, port in targets(tenant, "orders")), "members by the SRV name")
    suite.check(service["endpointServiceName"].startswith("pl-0-"), "the name is one of private endpoints: %s", service["endpointServiceName"])
    suite.equal(scan(from_client(fleet, "stranger"), service["endpointServiceIPAddress"]), sorted(int(port) for _, port in targets(tenant, "orders")),
                "all ports that the relay opens to its own client")
    return path


def refused(suite, fleet, tenant, service):
    """Addresses that no client has, that are the fleet's own, and that are there already."""
    path = "%s/%s/endpoint" % (services(tenant), service["id"])
    for address in ("0.0.0.0", "127.0.0.1", "10.78.0.0/16", "224.0.0.1", rig.members(fleet, "orders")[0].address, fleet.host("x1")["address"], "2001:db8::1"):
        answer = tenant.try_nodes("POST", path, {"id": "wrong", "privateEndpointIPAddress": address})
        suite.equal((answer.status, answer.json()["errorCode"]), (400, "INVALID_ATTRIBUTE_VALUE"), "an endpoint at " + address)
    answer = tenant.try_nodes("POST", path, {"id": "twice", "privateEndpointIPAddress": CLIENT["stranger"]})
    suite.equal((answer.status, answer.json()["errorCode"]), (409, "DUPLICATE_NAME"), "an endpoint at an address that has one")
    answer = tenant.try_nodes("DELETE", services(tenant) + "/" + service["id"], None)
    suite.equal((answer.status, answer.json()["errorCode"]), (409, "ENDPOINT_SERVICE_IN_USE"), "deleting a service with endpoints")


def failing_over(suite, fleet, tenant, password):
    way = dsn(tenant, "orders", password)
    lost = rig.primary_of(fleet, "orders")
    psql(fleet, way, "CREATE TABLE IF NOT EXISTS kept (n int); INSERT INTO kept VALUES (1)", "stranger")
    hosts.kill(fleet, lost.host)
    began = time.monotonic()
    wait_psql_from(fleet, way, "INSERT INTO kept VALUES (2) RETURNING n", FAILOVER_S * 2)
    rig.judge_time(suite, time.monotonic() - began, FAILOVER_S, "writing through the relay after the primary's host was lost")
    suite.equal(psql(fleet, way, "SELECT count(*) FROM kept WHERE n = 1", "stranger")[1], "1", "what was acknowledged before")
    hosts.start(fleet, lost.host)
    hosts.wait_booted(fleet, lost.host)


def wait_psql_from(fleet, way, statement, seconds, client="stranger"):
    last = [""]

    def done():
        status, output, last[0] = psql(fleet, way, statement, client)
        return status == 0 and (output or " ")
    try:
        return wait_until(done, "psql through the relay", seconds, every=0.3)
    except Problem:
        raise Problem("psql through the relay did not succeed: " + last[0]) from None


def without_control_plane(suite, fleet, tenant, password, relay):
    way = dsn(tenant, "orders", password)
    rig.stop_control_plane(fleet)
    try:
        hosts.run(fleet, relay.host, "sh", "-c", "systemctl stop reeve-agent %s; nft delete table inet reeve_relay; ip addr del %s/32 dev eth0" % (relay.unit, relay.address))
        suite.check(psql(fleet, way, "SELECT 1", "stranger")[0] != 0, "nobody relays while everything of it is stopped")
        hosts.run(fleet, relay.host, "systemctl", "start", "reeve-agent")
        wait_psql_from(fleet, way, "SELECT 1", 30)
        suite.equal(scan(lambda words: network.command(fleet, "control", words), relay.address, ports=range(1024, 1100)), [], "what somebody without an endpoint finds then")
    finally:
        rig.start_control_plane(fleet)


def answers_ping(fleet, address):
    """Asked by a client, as the kernel answers it: from no user."""
    question = struct.pack("!BBHHH", 8, 0, 0xFFFF - 0x0800 - 7 - 1, 7, 1)  # an echo with its checksum
    with network.inside(fleet, "client"):
        one = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    with one:
        one.settimeout(5)
        one.sendto(question, (address, 0))
        try:
            while True:
                answer, (source, _) = one.recvfrom(4096)
                if source == address and answer[20] == 0 and answer[24:28] == question[4:]:
                    return True
        except TimeoutError:
            return False


def attacked(suite, scene):
    suite.check(scene.check_works(), "the victim's own client gets through")
    tried = 0
    for name, _, _, attempt in relay_attacks.rows(scene):
        got = attempt()
        suite.check(got is None, "%s: %s", name, got or "nothing")
        tried += 1
    suite.say("%d attacks" % tried)
    suite.check(answers_ping(scene.fleet, scene.fleet.host(scene.victim.host)["address"]), "the relay's host itself still answers a ping")
    # The rules are what stops them: without, the same scan finds the relay's ports.
    hosts.run(scene.fleet, scene.victim.host, "systemctl", "stop", "reeve-agent")
    try:
        hosts.run(scene.fleet, scene.victim.host, "nft", "delete", "table", "inet", "reeve_relay")
        suite.check(scan(from_client(scene.fleet, scene.thief_client), scene.victim.address, ports=range(1024, 1030)), "with the rules down the thief finds ports")
        suite.check(relay_attacks.spoofed(scene), "and the thief's relay can speak from the victim's address")
    finally:
        hosts.run(scene.fleet, scene.victim.host, "systemctl", "start", "reeve-agent")
    wait_until(lambda: not scan(from_client(scene.fleet, scene.thief_client), scene.victim.address, ports=range(1024, 1030)), "the rules are up again", 30)


def start(fleet, way, statement, client):
    """psql that says when it is connected, runs one statement and waits for more."""
    one = subprocess.Popen(network.client_command(fleet, psql_words(way, "SELECT 1")[:-3] + [way], client), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    one.stdin.write("SELECT 'in';\n" + statement)
    one.stdin.flush()
    assert one.stdout.readline().strip() == "in", one.stderr.read()
    return one


def removing(suite, fleet, tenant, password, path, other):
    """Of two endpoints one goes: its sessions end, busy or idle, and the other's do not."""
    way = dsn(tenant, "orders", password)
    wait_psql_from(fleet, way, "SELECT 1", 30, "client")
    busy, idle, stays = start(fleet, way, "SELECT pg_sleep(120);\n", "stranger"), start(fleet, way, "", "stranger"), start(fleet, way, "", "client")
    count = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'app' AND pid <> pg_backend_pid()"
    suite.equal(psql(fleet, way, count, "client")[1], "3", "sessions on the primary before")
    began = time.monotonic()
    tenant.ask("DELETE", path)
    wait_until(lambda: psql(fleet, way, count, "client")[1] == "1", "the server has ended both sessions", 60, every=0.2)
    rig.judge_time(suite, time.monotonic() - began, ENDED_S, "sessions of a removed endpoint are gone on the server")
    idle.stdin.write("SELECT 2;\n")
    idle.stdin.flush()
    for what, one in (("busy", busy), ("idle", idle)):
        _, error = one.communicate(timeout=60)
        suite.check(one.returncode != 0 and any(word in error for word in ("closed", "reset", "refused", "EOF")), "the %s client is told: %s", what, error)
    rig.judge_time(suite, time.monotonic() - began, 2 * ENDED_S, "clients of a removed endpoint know")
    suite.check(psql(fleet, way, "SELECT 1", "stranger")[0] != 0, "a removed endpoint is refused")
    stays.stdin.write("SELECT 'still here';\n")
    stays.stdin.close()
    suite.equal(stays.stdout.read().strip(), "still here", "the other endpoint's session")
    stays.wait(30)
    wait_until(lambda: tenant.try_nodes("GET", path, None).status == 404, "the endpoint is gone", GONE_S, every=0.3)
    suite.equal(tenant.ask("GET", other)["status"], "AVAILABLE", "the other endpoint")


def regional(suite, fleet, tenant, password, service):
    """One region for all members, or a service in each region for those there."""
    here, there = fleet.regions
    mode = tenant.of_project("/privateEndpoint/regionalMode")
    suite.equal(len(targets(tenant, "orders")), 3, "members behind the one service, of both regions")
    answer = tenant.try_nodes("POST", tenant.of_project("/privateEndpoint/endpointService"), {"providerName": PROVIDER, "region": there})
    suite.equal((answer.status, answer.json()["errorCode"]), (409, "REGIONAL_MODE_OFF"), "a service in a second region")
    suite.check(tenant.ask("PATCH", mode, {"enabled": True})["enabled"], "the mode is on")
    opened = lambda count: wait_until(lambda: len(scan(from_client(fleet, "client"), service["endpointServiceIPAddress"], ports=range(1024, 1100))) == count,
                                      "the relay opens %d ports" % count, 30)
    opened(2)
    suite.equal(len(targets(tenant, "orders")), 2, "members behind the first service with the mode on")
    second = create_service(tenant, there)
    suite.check(second["endpointServiceName"].startswith("pl-1-"), "its name: %s", second["endpointServiceName"])
    wait_status(tenant, services(tenant) + "/" + second["id"], "WAITING_FOR_USER")
    path = create_endpoint(tenant, second, "client")
    wait_status(tenant, path, "AVAILABLE")
    suite.equal([len(targets(tenant, "orders", number)) for number in (0, 1)], [2, 1], "members behind the services")
    alone = dsn(tenant, "orders", password, 1).replace("target_session_attrs=read-write", "target_session_attrs=any")
    suite.equal(psql(fleet, alone, "SELECT host(inet_client_addr())", "client")[1], second["endpointServiceIPAddress"], "the other region's member, through its own relay")
    answer = tenant.try_nodes("PATCH", mode, {"enabled": False})
    suite.equal((answer.status, answer.json()["errorCode"]), (409, "REGIONAL_MODE_IN_USE"), "switching it off with two regions")
    tenant.ask("PATCH", tenant.of_project("/privateEndpoint/endpointService/" + service["id"]), {"cloudProvider": PROVIDER, "supportedRemoteRegions": [there]})
    opened(3)
    suite.equal(len(targets(tenant, "orders")), 3, "members behind the first service, with the other region's")
    tenant.ask("DELETE", path)
    leaving(suite, fleet, tenant, Relay(fleet, second))
    tenant.ask("PATCH", mode, {"enabled": False})


def leaving(suite, fleet, tenant, relay):
    """Nothing of a service is left on its host, and its address is free."""
    path = services(tenant) + "/" + relay.id
    tenant.ask("DELETE", path)
    wait_until(lambda: tenant.try_nodes("GET", path, None).status == 404, "the service is gone", GONE_S, every=0.3)
    left = hosts.run(fleet, relay.host, "sh", "-c", "ls /var/lib/reeve/relays; ls /etc/systemd/system | grep %s; ip -4 address | grep '%s/'; nft list ruleset | grep '%s '; pgrep -u %s; true"
                     % (relay.id, relay.address, relay.address, "haproxy"))
    suite.check(relay.id not in left and relay.address not in left, "what is left of it: %s", left or "nothing")
    suite.equal(ask_name_server(fleet, relay.name, 1), [], "its name")


def main():
    suite = Suite("private endpoints")
    try:
        with rig.fleet_for(4, regions=2, relays=2) as fleet:
            alice, mallory = Tenant(fleet), Tenant(fleet)
            secrets = []
            for tenant, cluster, regions in ((alice, "orders", {fleet.regions[0]: 2, fleet.regions[1]: 1}), (mallory, "loot", {fleet.regions[0]: 1})):
                tenant.create_project()
                secrets.append(tenant.create_user("app"))
                tenant.create_cluster(cluster, regions=regions)
            service, other = create_service(alice, fleet.regions[0]), create_service(mallory, fleet.regions[0])
            suite.check(service["status"] == "INITIATING", "a new service: %s", service["status"])
            alice.wait_idle("orders")
            mallory.wait_idle("loot")
            for tenant, one in ((alice, service), (mallory, other)):
                wait_status(tenant, services(tenant) + "/" + one["id"], "WAITING_FOR_USER")
            suite.equal(alice.cluster("orders")["connectionStrings"]["privateEndpoint"], [], "strings before there is an endpoint")
            path = coming(suite, fleet, alice, secrets[0], service)
            refused(suite, fleet, alice, service)
            theirs = create_endpoint(mallory, other, "client")
            wait_status(mallory, theirs, "AVAILABLE")
            scene = Scene(fleet, Relay(fleet, service), Relay(fleet, other), "stranger", "client")
            beside = rig.members(fleet, "loot")[0]
            scene.member_host, scene.victim_member = beside.host, rig.primary_of(fleet, "orders")
            scene.member_user = int(hosts.run(fleet, beside.host, "stat", "-c", "%g", "/var/lib/reeve/members/" + beside.id))
            scene.thief_dsn = lambda user, password: dsn(mallory, "loot", password, user=user)
            scene.victim_user = ("app", secrets[0])
            suite.equal(psql(fleet, dsn(mallory, "loot", secrets[1]), "SELECT 1", "client")[:2], (0, "1"), "the other tenant's own way")
            attacked(suite, scene)
            second = create_endpoint(alice, service, "client")
            wait_status(alice, second, "AVAILABLE")
            removing(suite, fleet, alice, secrets[0], path, second)
            path = create_endpoint(alice, service, "stranger")
            wait_status(alice, path, "AVAILABLE")
            regional(suite, fleet, alice, secrets[0], service)
            without_control_plane(suite, fleet, alice, secrets[0], scene.victim)
            failing_over(suite, fleet, alice, secrets[0])
            for one in (path, second):
                alice.ask("DELETE", one)
            leaving(suite, fleet, alice, scene.victim)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
