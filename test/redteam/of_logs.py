# SPDX-License-Identifier: Apache-2.0
"""Logs: whoever reaches the door of a host without being a node, another tenant's member asked for through the API, and clients that log in under names which have lines of a log in them."""
import contextlib
import socket
import ssl
import struct
import time

import control
import hosts
import network
from rows import Attack
from tenant import psql

PORT = 27300
DOOR = "the door to logs is for services"
WHOSE = "a log is found in the project that asks"
FORGED = "what a client is called is no attempt of another"
HIDDEN = "whoever was let in is told to be in"


def ask_door(ground, machine, pair, target):
    """What the door answers from there, with these certificates."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if pair is not None:
        context.load_cert_chain(*pair)
    address = control.superuser(ground.fleet, "SELECT host(address) FROM host WHERE name = '%s'" % ground.target.host)[0][0]
    with network.inside(ground.fleet, machine):
        plain = socket.create_connection((address, PORT), 5)  # who cannot connect has tried nothing
    with contextlib.suppress(OSError), plain:
        plain.settimeout(10)
        with context.wrap_socket(plain) as line:
            line.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % target.encode())
            return line.recv(4096).decode(errors="replace") or None
    return None


def of_door(ground):
    folder = hosts.folder(ground.fleet, ground.attacker.host, "root") + "/var/lib/reeve"
    own = "%s/members/%s/tls" % (folder, ground.attacker.id)
    target = "/logs/%s/postgres?from=1&to=9999999999999999" % ground.target.id
    for what, pair in (("nothing", None), ("a host's certificate", (folder + "/agent/host.crt", folder + "/agent/host.key")), ("a member's for etcd", (own + "/etcd.crt", own + "/etcd.key")),
                       ("a member's for its cluster", (own + "/cluster.crt", own + "/cluster.key")), ("a member's for clients", (own + "/member.crt", own + "/member.key")),
                       ("another door's", (folder + "/door/server.crt", folder + "/door/server.key"))):
        yield Attack("the door to logs with " + what, "certificate" if pair else "network", DOOR, lambda p=pair: ask_door(ground, "client", p, target))


def fetch(ground, who, path):
    answer = ground.tenants[who].try_nodes("GET", path, None, accept="*/*")
    return None if answer.status in (400, 401, 403, 404) else "%d %s" % (answer.status, answer.body[:100])


def of_tenant(ground):
    theirs = ground.documents["victim"]["connectionStrings"]["standard"].partition("@")[2].partition(":")[0]
    thief, victim = ground.tenants["thief"].project, ground.tenants["victim"].project
    for name, path in (("another tenant's host name", "/groups/%s/clusters/%s/logs/postgres.gz" % (thief, theirs)), ("another tenant's project", "/groups/%s/clusters/%s/logs/postgres.gz" % (victim + "0", theirs)),
                       ("the member's id", "/groups/%s/clusters/%s/logs/postgres.gz" % (thief, ground.target.id)), ("its address", "/groups/%s/clusters/%s/logs/postgres.gz" % (thief, ground.target.address)),
                       ("the agent's", "/groups/%s/clusters/%s/logs/agent.gz" % (thief, theirs)), ("a way up", "/groups/%s/clusters/%s/logs/..%%2f..%%2fpostgres.gz" % (thief, theirs)),
                       ("its history", "/groups/%s/dbAccessHistory/processes/%s" % (thief, theirs)), ("its cluster's history", "/groups/%s/dbAccessHistory/clusters/%s" % (thief, ground.names["victim"]))):
        yield Attack("logs: " + name, "tenant", WHOSE, lambda p=path: fetch(ground, "thief", p), alone=True)  # they share a connection


def knock(ground, user, database, replication=None):
    """A client that gives these names, and no password. With a wrong `replication` it is refused before names are cut to what a name may have."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with network.inside(ground.fleet, "client"):
        plain = socket.create_connection((ground.attacker.address, 5432), 5)
    with contextlib.suppress(OSError), plain:
        plain.sendall(struct.pack("!ii", 8, 80877103))
        plain.recv(1)
        with context.wrap_socket(plain) as line:
            body = struct.pack("!i", 196608) + b"user\0" + user + b"\0database\0" + database + b"\0" + (b"replication\0" + replication + b"\0" if replication else b"") + b"\0"
            line.sendall(struct.pack("!i", len(body) + 4) + body)
            line.settimeout(5)
            if line.recv(4096)[:1] == b"R":
                first = b"SCRAM-SHA-256\0" + struct.pack("!i", 24) + b"n,,n=,r=abcdefghijklmnopq"[:24]
                line.sendall(b"p" + struct.pack("!i", len(first) + 4) + first)
                line.recv(4096)
                line.sendall(b"p" + struct.pack("!i", 8) + b"none")
                line.recv(4096)


def forge(ground, user, database, replication, times=3):
    """Whether somebody is told to be in, or to have come from where nobody is, who is not."""
    start, tenant = int(time.time() * 1000), ground.tenants["thief"]
    for _ in range(times):
        if callable(user):
            found = psql(ground.fleet, tenant.dsn(ground.documents["thief"], "app", tenant.secret), "SELECT pg_backend_pid()")
            knock(ground, user(int(found[1])), database, replication)
        else:
            knock(ground, user, database, replication)
    time.sleep(3)
    found = tenant.ask("GET", tenant.of_project("/dbAccessHistory/clusters/%s?start=%d" % (ground.names["thief"], start)))["accessLogs"]
    bad = [one for one in found if (one["authResult"] and "red" in one["username"]) or one.get("ipAddress") == "6.6.6.6"]
    if not found:
        raise AssertionError("the attempt is not told at all")
    return str(bad[0]) if bad else None


UNNAMED = b'" application="[unknown]" '
REFUSAL = b'FATAL:  invalid value for parameter "replication": "'


def head(pid, number, phase=b"authentication", state=b"00000", second=0):
    """How a message of that process begins, if it began so many seconds from now."""
    return b'2026-01-01 00:00:00.000 UTC [%d] %x.%x %d (%s) %s client=6.6.6.6 user="' % (pid, int(time.time()) + second, pid, number, phase, state)


def beginning(pid, second=0):
    return head(pid, 1, b"", second=second) + b'[unknown]" database="[unknown]' + UNNAMED + b"LOG:  connection received: host=6.6.6.6 port=1\n"


def success(pid, number=3, second=0):
    return head(pid, number, second=second) + b'red" database="x' + UNNAMED + b"LOG:  connection authorized: user=red database=x\n"


def many_lines(pid):
    """A name with a success of each process that may come next, and then so many lines that the server's own text reaches the journal late."""
    return b"red\n" + b"".join(success(one) for one in range(pid + 1, pid + 25)) + b"x\n" * 2000


def whole_sessions(pid):
    """A name with sessions of the processes that may come next, in this second and in the next ones."""
    return b"red\n" + b"".join(beginning(one, second) + success(one, 2, second) for one in range(pid + 1, pid + 9) for second in range(3)) + b"\t"


def of_names(ground):
    inside = UNNAMED + b"LOG:  connection authorized: user=red database="
    for what, user, database, replication in (
            ("the database goes on with a success", b"red", b"x" + inside + b"x application_name=", b"x"), ("the same, cut to a name", b"red", b"x" + inside + b"x application_name=", None),
            ("the database ends the line behind a success", b"red", b"x" + inside + b"x\nx", b"x"),
            ("the user brings a message of its own", lambda pid: b"red\n" + success(pid + 1) + b"x", b"shop", b"x"),
            ("the user brings a refusal from elsewhere", lambda pid: b"x\n" + head(pid + 1, 2, state=b"28P01") + b"red", b"shop", b"x"),
            ("the user brings a beginning", lambda pid: b"x\n" + beginning(pid + 1) + b"x", b"shop", b"x"),
            ("the refusal goes on with a success", b"red", b"x", b"y" + inside + b"x" + UNNAMED + REFUSAL + b"y "),
            ("the user brings successes of processes to come, and thousands of lines", many_lines, b"shop", b"x"),
            ("the user brings whole sessions of processes to come", whole_sessions, b"shop", b"x")):
        yield Attack("the access history: " + what, "network", FORGED, lambda u=user, d=database, r=replication: forge(ground, u, d, r), alone=True)


def hide(ground, application, statement):
    """Whether somebody who was let in has it told otherwise, or not at all."""
    start, tenant = int(time.time() * 1000), ground.tenants["thief"]
    psql(ground.fleet, tenant.dsn(ground.documents["thief"], "app", tenant.secret, application_name=application), statement)
    time.sleep(3)
    found = tenant.ask("GET", tenant.of_project("/dbAccessHistory/clusters/%s?start=%d" % (ground.names["thief"], start)))["accessLogs"]
    told = {one["authResult"] for one in found if one["username"] == "app"}  # a replica that stands before the primary in the string lets them in, too
    return None if told == {True} else str(found)


def of_sessions(ground):
    refusal = 'password authentication failed for user "app'
    raised = "DO $$ BEGIN RAISE %s USING ERRCODE = '%s'; END $$"
    for what, application, statement in (
            ("a session raises what a refusal says", "psql", raised % ("EXCEPTION '%s\"'" % refusal, "28P01")),
            ("its application is called like a refusal", '[unknown]" FATAL:  ' + refusal, raised % ("EXCEPTION 'x'", "28P01")),
            ("it is called like a database that is not there", '[unknown]" FATAL:  database "shop" does not exist', raised % ("EXCEPTION 'x'", "3D000")),
            ("it logs lines of a refusal", "psql", raised % ("LOG E'x\\n%s user=\"app\" database=\"shop\" application=\"[unknown]\" FATAL:  %s\"'" % (head(1, 2, state=b"28P01").decode(), refusal), "28P01"))):
        yield Attack("the access history: " + what, "tenant", HIDDEN, lambda a=application, s=statement: hide(ground, a, s), alone=True)


def attacks(ground):
    yield from of_door(ground)
    yield from of_tenant(ground)
    yield from of_names(ground)
    yield from of_sessions(ground)
