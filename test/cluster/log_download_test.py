#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Logs of members as a tenant reads them: equal to what the host's journal says, nobody else's, a gigabyte through a node that keeps nothing of it, resumed, followed, broken
off; and who logged in, from where, and who was refused, also when they try to look like somebody else. Needs root."""
import contextlib
import gzip
import json
import os
import secrets
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from urllib.parse import quote

import rig
from tenant import PREFIX, Tenant, client_address, psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from state import CLIENT, CONTROL, PROVIDER, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

MARK = secrets.token_hex(2)  # a fleet may be used again
CLUSTER, OTHER = "logged-" + MARK, "others-" + MARK
MEMORY_MB = 16
LINES = int(os.environ.get("REEVE_LOG_LINES", "33000"))  # of 32 kB each: a gigabyte
FILL = "DO $$ BEGIN FOR i IN 1..%d LOOP RAISE LOG '%%', (SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 1000)); END LOOP; END $$"
BROKEN = (18, 56, 92)  # how curl says that an answer has no end, in each version of HTTP
DOOR = 27300


class Scene:
    """Two projects with a cluster each, and curl on the client's machine."""

    def __init__(self, fleet):
        self.fleet, self.tenant, self.other = fleet, Tenant(fleet), Tenant(fleet)
        self.folder = fleet.path("fetched")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.password = self.make(self.tenant, CLUSTER)
        self.make(self.other, OTHER)
        self.member = rig.primary_of(fleet, CLUSTER)
        self.document = self.tenant.cluster(CLUSTER)
        self.dsn = self.tenant.dsn(self.document, "app", self.password)
        self.host_name = host_of(self.document)
        wait_psql(fleet, self.dsn, "SELECT 1", 60)

    def make(self, tenant, name):
        tenant.create_project()
        password = tenant.create_user()
        tenant.allow(client_address())
        specs = [{"regionConfigs": [{"providerName": PROVIDER, "regionName": self.fleet.regions[0], "electableSpecs": {"instanceSize": "S2", "nodeCount": 1}}]}]
        tenant.ask("POST", tenant.of_project("/clusters"), {"name": name, "replicationSpecs": specs})
        tenant.wait_idle(name, 600)
        return password

    def url(self, log, host_name=None, node="control1", **query):
        path = self.tenant.of_project("/clusters/%s/logs/%s.gz" % (host_name or self.host_name, log))
        words = "&".join("%s=%s" % pair for pair in query.items())
        return "https://%s:%d%s%s%s" % (CONTROL[node], control.API_PORT, PREFIX, path, "?" + words if words else "")

    def curl_words(self, *words):
        self.tenant.ask("GET", self.tenant.of_project(""))  # so that there is a token
        return ["curl", "--silent", "--show-error", "--cacert", self.fleet.path("tls/authority.pem"), "--header", "Authorization: Bearer " + self.tenant.token, *words]

    def curl(self, *words, **options):
        return subprocess.run(network.client_command(self.fleet, self.curl_words(*words)), cwd=self.folder, capture_output=True, text=True, check=False, **options)

    def path(self, name):
        return os.path.join(self.folder, name)

    def fetch(self, log, **query):
        """The lines of a log, as the tenant has them."""
        said = self.curl("--fail", "--output", "some.gz", self.url(log, **query), timeout=120)
        if said.returncode != 0:
            raise Problem("%s: %s" % (log, said.stderr))
        with gzip.open(self.path("some.gz")) as file:
            return file.read().decode(errors="replace").split("\n")[:-1]

    def journal(self, start, end, unit=""):
        """What the host's own program says of the member's unit: (program, text)."""
        words = ["journalctl", "-u", "reeve-member-%s%s" % (self.member.id, unit), "-o", "json", "--all", "--no-pager", "--since", "@%d" % start, "--until", "@%d" % end]
        found = [json.loads(line) for line in hosts.run(self.fleet, self.member.host, *words, timeout=60).splitlines()]
        return [(one.get("_COMM", ""), text_of(one["MESSAGE"])) for one in found if one.get("_SYSTEMD_UNIT", "").startswith("reeve-member-")]

    def history(self, path=None, **query):
        words = "&".join("%s=%s" % (key, quote(str(value), safe="")) for key, value in query.items())
        place = path or "/dbAccessHistory/clusters/" + CLUSTER
        return self.tenant.ask("GET", self.tenant.of_project(place + ("?" + words if words else "")))


def host_of(document):
    return document["connectionStrings"]["standard"].partition("@")[2].partition(":")[0]


def text_of(message):
    return message if isinstance(message, str) else bytes(message).decode(errors="replace")


# ---- Lines ----
def lines_are_the_journals(suite, scene):
    start = int(time.time())
    for number in range(50):
        psql(scene.fleet, scene.dsn, "DO $$ BEGIN RAISE LOG 'line %d, of\nseveral'; END $$" % number)
    psql(scene.fleet, scene.dsn, "SELECT 'needle'::int")
    end = int(time.time()) + 1
    time.sleep(4)
    said = scene.journal(start, end)
    server = [text for program, text in said if program == "postgres"]
    suite.check(len(server) > 150, "the server wrote lines: %d", len(server))
    suite.equal(scene.fetch("postgres", startDate=start, endDate=end), server, "lines of the server")
    suite.equal(scene.fetch("postgres", startDate=start, endDate=end, node="control2"), server, "at the other node")
    whole_start = end - 3600
    said = scene.journal(whole_start, end)
    suite.equal(scene.fetch("patroni", startDate=whole_start, endDate=end), [text for program, text in said if program not in ("postgres", "reeve-agent")], "lines of Patroni")
    suite.equal(scene.fetch("audit", startDate=whole_start, endDate=end), [], "nothing is audited")
    backups = scene.fetch("pgbackrest", startDate=whole_start, endDate=end)
    suite.check(isinstance(backups, list), "lines of pgBackRest: %d", len(backups))
    every = [line for log in ("postgres", "patroni", "pgbackrest", "audit") for line in scene.fetch(log, startDate=whole_start, endDate=end)]
    suite.equal([line for line in every if '"event":"' in line], [], "lines of the agent")
    suite.equal(scene.fetch("postgres", startDate=start + 10**6, endDate=start + 10**6 + 5), [], "of a time without lines")


def audited_lines(suite, scene):
    scene.tenant.ask("PATCH", scene.tenant.of_project("/auditLog"), {"enabled": True, "auditFilter": json.dumps({"classes": ["DDL"]})})
    start = int(time.time())

    def recorded():
        psql(scene.fleet, scene.dsn, "CREATE TABLE IF NOT EXISTS audited (n int)")
        return any("CREATE TABLE" in line for line in scene.fetch("audit", startDate=start))
    wait_until(recorded, "what is recorded can be read", 60, every=2)
    suite.check(all("AUDIT:" in line or line.startswith("\t") for line in scene.fetch("audit", startDate=start)), "and nothing else is in that log")
    suite.equal([line for line in scene.fetch("postgres", startDate=start) if "AUDIT:" in line], [], "nor is it in the server's")
    scene.tenant.ask("PATCH", scene.tenant.of_project("/auditLog"), {"enabled": False})


def nobody_elses(suite, scene):
    others = host_of(scene.other.cluster(OTHER))
    for what, url, status in (("another project's host", scene.url("postgres", host_name=others), "404"), ("no host", scene.url("postgres", host_name="h1"), "404"),
                              ("no log", scene.url("agent"), "404"), ("moments in the wrong order", scene.url("postgres", startDate=1700000001, endDate=1700000000), "400"),
                              ("no moment", scene.url("postgres", startDate="x"), "400"), ("no position", scene.url("postgres", after="0-0"), "400"),
                              ("the node's own path", "https://%s:%d/reeve-log/x" % (CONTROL["control1"], control.API_PORT), "404")):
        said = scene.curl("--output", "/dev/null", "--write-out", "%{http_code}", url)
        suite.equal(said.stdout, status, what)
    said = subprocess.run(network.client_command(scene.fleet, ["curl", "--silent", "--cacert", scene.fleet.path("tls/authority.pem"), "--output", "/dev/null", "--write-out",
                                                               "%{http_code}", scene.url("postgres")]), capture_output=True, text=True, check=False)
    suite.equal(said.stdout, "401", "without credentials")


def the_door_is_for_nodes(suite, scene):
    """Whoever reaches the port without a service's certificate gets nothing: no certificate, a host's, a member's."""
    folder = hosts.folder(scene.fleet, scene.member.host, "root") + "/var/lib/reeve"
    member = "%s/members/%s/tls" % (folder, scene.member.id)
    shown = {"nothing": None, "a host's": (folder + "/agent/host.crt", folder + "/agent/host.key"), "a member's": (member + "/etcd.crt", member + "/etcd.key"),
             "the door's own": (folder + "/door/server.crt", folder + "/door/server.key")}
    target = "/logs/%s/postgres?from=1&to=9999999999999999" % scene.member.id
    for what, pair in shown.items():
        suite.equal(ask_door(scene, pair, target), b"", "with %s certificate" % what)
    services = (scene.fleet.path("tls/control/certificate.pem"), scene.fleet.path("tls/control/key.pem"))
    suite.check(ask_door(scene, services, target).startswith(b"HTTP/1.1 200"), "with a service's certificate")
    for bad in ("/", "/logs/%s/agent?from=1&to=2" % scene.member.id, "/logs/reeve-agent/postgres?from=1&to=2", "/logs/%s/postgres" % scene.member.id):
        suite.check(ask_door(scene, services, bad).startswith(b"HTTP/1.0 404"), "nothing is at %s", bad)


def ask_door(scene, pair, target):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if pair is not None:
        context.load_cert_chain(*pair)
    with contextlib.suppress(OSError, ssl.SSLError):
        with network.inside(scene.fleet, "control"):
            plain = socket.create_connection((address_of(scene), DOOR), 5)
        with plain, context.wrap_socket(plain) as line:
            line.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % target.encode())
            return line.recv(4096)
    return b""


def address_of(scene):
    return control.superuser(scene.fleet, "SELECT host(address) FROM host WHERE name = '%s'" % scene.member.host)[0][0]


# ---- Who logged in ----
def startup(user, database, replication=None):
    body = struct.pack("!i", 196608) + b"user\0" + user + b"\0database\0" + database + b"\0" + (b"replication\0" + replication + b"\0" if replication else b"") + b"\0"
    return struct.pack("!i", len(body) + 4) + body


def knock(scene, user, database, client="client", replication=None):
    """A client that sends these names, over TLS, and a wrong password when it is asked for one. With a wrong `replication` names are not cut to 63 bytes before it is refused."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with network.inside(scene.fleet, client):
        plain = socket.create_connection((scene.member.address, 5432), 5)
    with contextlib.suppress(OSError), plain:
        plain.sendall(struct.pack("!ii", 8, 80877103))
        if plain.recv(1) != b"S":
            return
        with context.wrap_socket(plain) as line:
            line.sendall(startup(user, database, replication))
            line.settimeout(5)
            if line.recv(4096)[:1] == b"R":  # SASL: something that is no proof
                first = b"SCRAM-SHA-256\0" + struct.pack("!i", 24) + b"n,,n=,r=abcdefghijklmnopq"[:24]
                line.sendall(b"p" + struct.pack("!i", len(first) + 4) + first)
                if line.recv(4096)[:1] == b"R":
                    last = b"c=biws,r=x,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
                    line.sendall(b"p" + struct.pack("!i", len(last) + 4) + last)
                    line.recv(4096)


def head(pid, number, phase=b"authentication", state=b"00000", second=0):
    """How a message of that process begins, if it began so many seconds from now."""
    return b"2026-01-01 00:00:00.000 UTC [%d] %x.%x %d (%s) %s client=6.6.6.6 user=\"" % (pid, int(time.time()) + second, pid, number, phase, state)


def forged(scene, pid):
    """Names that have whole messages of a log in them: a success of root, from another address."""
    named = b'root" database="shop" application="[unknown]" LOG:  '
    inside = b"\n".join(head(pid, 1, b"", second=second) + b'[unknown]" database="[unknown]" application="[unknown]" LOG:  connection received: host=6.6.6.6 port=5\n' +
                        head(pid, 2, second=second) + named + b"connection authorized: user=root database=shop" for second in (0, 1))
    return [(b"x\n" + inside + b"\n", b"shop"), (b"app", b"x\n" + inside + b"\n\t"),
            (b'app" database="shop" application="[unknown]" LOG:  connection authorized: user=app database=shop application_name=', b"shop"),
            (b"app", b'shop" application="[unknown]" LOG:  connection authorized: user=app database=shop application_name='),
            (b"app", b'shop" application="[unknown]" LOG:  connection authenticated: identity="app" method=scram-sha-256 (x:1)\n' + inside + b"\n" + head(pid, 4) + b"x")]


def logins_are_told(suite, scene):
    start = int(time.time() * 1000)
    psql(scene.fleet, scene.dsn, "SELECT 1")
    psql(scene.fleet, scene.tenant.dsn(scene.document, "app", "wrong"), "SELECT 1")
    psql(scene.fleet, scene.tenant.dsn(scene.document, "nobody", "wrong"), "SELECT 1")
    psql(scene.fleet, scene.dsn, "SELECT 1", client="stranger")
    time.sleep(2)
    began = time.monotonic()
    found = scene.history(start=start)["accessLogs"]
    rig.judge_time(suite, time.monotonic() - began, 5, "the access history")
    seen = [(one["authResult"], one["username"], one.get("ipAddress"), one.get("authSource")) for one in found if one["username"] in ("app", "nobody")]
    client, stranger = CLIENT["client"], CLIENT["stranger"]
    for wanted in ((True, "app", client, "shop"), (False, "app", client, "shop"), (False, "nobody", client, "shop"), (False, "app", stranger, "shop")):
        suite.check(wanted in seen, "an attempt is told: %s of %s", wanted, seen)
    suite.check(all(one["hostname"] == scene.host_name and one["groupId"] == scene.tenant.project and one["logLine"] for one in found), "what each entry has: %s", found[:1])
    suite.check([one["timestamp"] for one in found] == sorted((one["timestamp"] for one in found), reverse=True), "newest first")
    suite.check(all(bool(one.get("failureReason")) != one["authResult"] for one in found), "why, of those that failed: %s", found)
    of_process = scene.history("/dbAccessHistory/processes/" + scene.host_name, start=start)["accessLogs"]
    suite.equal(of_process, found, "of the process")
    suite.equal({one["authResult"] for one in scene.history(start=start, authResult="false")["accessLogs"]}, {False}, "only those that failed")
    suite.equal({one["ipAddress"] for one in scene.history(start=start, ipAddress=stranger)["accessLogs"]}, {stranger}, "only from one address")
    suite.equal(scene.history(start=start, nLogs=1)["accessLogs"], found[:1], "only the last one")
    suite.equal(scene.history(start=start, end=start)["accessLogs"], [], "of no time")
    for path, status in (("/dbAccessHistory/clusters/none", 404), ("/dbAccessHistory/processes/" + host_of(scene.other.cluster(OTHER)), 404),
                         ("/dbAccessHistory/clusters/%s?nLogs=20001" % CLUSTER, 400), ("/dbAccessHistory/clusters/%s?ipAddress=x" % CLUSTER, 400)):
        scene.tenant.ask("GET", scene.tenant.of_project(path), expect=(status,))
        suite.passed += 1


def odd_names_are_told(suite, scene):
    """As they are; a database that is not there is a refusal of somebody whose password was right; and nobody has an own login told as refused."""
    odd = 'no" database="such application_name=x database=y'
    quiet = '[unknown]" FATAL:  password authentication failed for user "app'
    start = int(time.time() * 1000)
    psql(scene.fleet, scene.dsn.replace("/shop", "/" + quote(odd, safe="")), "SELECT 1")
    said = psql(scene.fleet, scene.dsn + "&application_name=" + quote(quiet, safe=""),
                "DO $$ BEGIN RAISE EXCEPTION 'password authentication failed for user \"app\"' USING ERRCODE = '28P01'; END $$")
    suite.check(said[0] != 0, "a session that says what a refusal says: %s", said)
    time.sleep(2)
    found = scene.history(start=start)["accessLogs"]
    seen = [(one["authResult"], one["username"], one["authSource"], one.get("failureReason")) for one in found if one["username"] == "app"]
    suite.equal(seen, [(True, "app", "shop", None), (False, "app", odd, "there is no such database, or it takes no connections")], "odd names, and a session that was let in")


def nobody_forges_entries(suite, scene):
    start = int(time.time() * 1000)
    probe = int(psql(scene.fleet, scene.dsn, "SELECT pg_backend_pid()")[1])
    names = [pair for pid in range(probe + 1, probe + 40) for pair in forged(scene, pid)]
    for number, (user, database) in enumerate(names[:60]):  # with guesses of the own process among them
        knock(scene, user, database, replication=b"x" if number % 2 else None)
    knock(scene, b"app", b"shop", "stranger")
    time.sleep(3)
    found = scene.history(start=start)["accessLogs"]
    refused = [one for one in found if not one["authResult"]]
    suite.check(len(refused) >= 60, "each is told as refused: %d", len(refused))
    suite.equal([one for one in found if one["authResult"] and one["username"] != "app"], [], "nobody is told to be in who is not")
    suite.equal(len([one for one in found if one["authResult"]]), 1, "the only one that was let in")
    suite.equal({one["ipAddress"] for one in found} - {CLIENT["client"], CLIENT["stranger"]}, set(), "addresses that nobody came from")
    suite.check(all(text.isprintable() for one in found for text in one.values() if isinstance(text, str)), "texts can be shown")


# ---- A gigabyte ----
def node_processes(fleet):
    """nginx of the first node: all of it."""
    first = process.pid_of(fleet, "api1")
    found, more = [], [first]
    while more:
        pid = more.pop()
        found.append(pid)
        with contextlib.suppress(OSError), open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            more += map(int, file.read().split())
    return found


def peaks(pids, forget=False):
    total = 0
    for pid in pids:
        if forget:
            with open("/proc/%d/clear_refs" % pid, "w") as file:
                file.write("5")
        with open("/proc/%d/status" % pid) as file:
            total += int(next(line for line in file if line.startswith("VmHWM")).split()[1])
    return total / 1024


def fill_log(suite, scene):
    hosts.write_file(scene.fleet, scene.member.host, "/etc/systemd/journald.conf.d/zz-large.conf", "[Journal]\nSystemMaxUse=8G\nSystemMaxFileSize=1G\n")
    hosts.run(scene.fleet, scene.member.host, "systemctl", "restart", "systemd-journald", timeout=60)
    start, began = int(time.time()), time.monotonic()
    status, _, error = psql(scene.fleet, scene.dsn, FILL % LINES, timeout=1500)
    if status != 0:
        raise Problem("the log was not filled: %s" % error)
    time.sleep(5)
    suite.say("%.2f GB of lines written in %.0f s" % (LINES * 32000 / 1e9, time.monotonic() - began))
    time.sleep(10)  # the journal follows
    return start, int(time.time())


def sums(path):
    compressed = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout.split()[0]
    plain = subprocess.run("gunzip -c %s | wc -c" % path, shell=True, capture_output=True, text=True, check=False)
    return compressed, int(plain.stdout)


def a_large_log(suite, scene):
    start, end = fill_log(suite, scene)
    time.sleep(3)
    url = scene.url("postgres", startDate=start, endDate=end)
    pids = node_processes(scene.fleet)
    before = peaks(pids, forget=True)
    began = time.monotonic()
    said = scene.curl("--fail", "--output", "whole.gz", "--dump-header", "head", url, timeout=900)
    took, grown = time.monotonic() - began, peaks(pids) - before
    suite.equal(said.returncode, 0, "all of it: %s" % said.stderr)
    sum_whole, plain = sums(scene.path("whole.gz"))
    head = open(scene.path("head")).read().lower()
    suite.check(plain >= LINES * 32000, "it is all there: %d bytes", plain)
    suite.check(grown <= MEMORY_MB, "memory of the node grew by %.1f MB", grown)
    suite.check("etag: " in head and "content-type: application/vnd.svc.2023-02-01+gzip" in head, "its headers: %s", head)
    suite.say("%.2f GB of lines (%.0f MB as gzip) in %.0f s; the node's memory grew by %.1f MB" % (plain / 1e9, os.path.getsize(scene.path("whole.gz")) / 1e6, took, grown))
    it_resumes(suite, scene, url, sum_whole)
    slow_readers_cost_nothing(suite, scene, url, pids)
    scene.large = url


def it_resumes(suite, scene, url, sum_whole):
    suite.equal(scene.curl("--limit-rate", "20M", "--max-time", "4", "--output", "part.gz", url).returncode, 28, "it is broken off by the client")
    had = os.path.getsize(scene.path("part.gz"))
    began = time.monotonic()
    said = scene.curl("--fail", "-C", "-", "--output", "part.gz", url, timeout=900)
    suite.equal(said.returncode, 0, "it is resumed: %s" % said.stderr)
    suite.equal(sums(scene.path("part.gz"))[0], sum_whole, "the same bytes, %d of them from before" % had)
    suite.say("resumed at %.0f MB in %.0f s" % (had / 1e6, time.monotonic() - began))
    size = os.path.getsize(scene.path("part.gz"))
    said = scene.curl("--output", "/dev/null", "--write-out", "%{http_code}", "--header", "Range: bytes=%d-" % size, url, timeout=600)
    suite.equal(said.stdout, "416", "nothing is behind the end")
    # What answers on the host ends in the middle: the client sees it, and goes on.
    os.unlink(scene.path("part.gz"))
    getting = subprocess.Popen(network.client_command(scene.fleet, scene.curl_words("--limit-rate", "20M", "--output", "part.gz", url)), cwd=scene.folder)
    wait_until(lambda: os.path.exists(scene.path("part.gz")) and os.path.getsize(scene.path("part.gz")) > 10**6, "it begins", 60)
    hosts.run(scene.fleet, scene.member.host, "systemctl", "kill", "--signal=KILL", "reeve-logs.service")
    suite.check(getting.wait(120) in BROKEN, "a client notices: %s", getting.returncode)
    wait_until(lambda: hosts.run(scene.fleet, scene.member.host, "systemctl", "is-active", "reeve-logs.service", check=False).strip() == "active", "it answers again", 30)
    said = scene.curl("--fail", "-C", "-", "--output", "part.gz", url, timeout=900)
    suite.equal((said.returncode, sums(scene.path("part.gz"))[0]), (0, sum_whole), "resumed after that: %s" % said.stderr)


def slow_readers_cost_nothing(suite, scene, url, pids):
    before = peaks(pids, forget=True)
    commands = [network.client_command(scene.fleet, scene.curl_words("--limit-rate", "50k", "--max-time", "20", "--output", "/dev/null", "--write-out", "%{http_code}", url))] * 6
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    time.sleep(10)
    inside = hosts.run(scene.fleet, scene.member.host, "sh", "-c", "grep RssAnon /proc/$(systemctl show -P MainPID reeve-logs)/status").split()[1]
    said = [reader.communicate(timeout=60)[0] for reader in readers]
    grown = peaks(pids) - before
    suite.equal(sorted(said), ["200"] * 4 + ["503"] * 2, "four at once for one project, and no more")
    suite.check(grown <= MEMORY_MB and int(inside) < 64 * 1024, "four slow readers cost the node %.1f MB, the host %s kB", grown, inside)
    suite.say("four slow readers: the node's memory grew by %.1f MB, what answers on the host has %.0f MB" % (grown, int(inside) / 1024))


def the_host_dies(suite, scene):
    url = scene.large
    getting = subprocess.Popen(network.client_command(scene.fleet, scene.curl_words("--limit-rate", "10M", "--output", "dead.gz", url)), cwd=scene.folder)
    wait_until(lambda: os.path.exists(scene.path("dead.gz")) and os.path.getsize(scene.path("dead.gz")) > 10**6, "it begins", 60)
    began = time.monotonic()
    hosts.kill(scene.fleet, scene.member.host)
    status = getting.wait(300)
    suite.check(status in BROKEN, "a client notices that the host died: %s", status)
    suite.say("a host that died was noticed after %.0f s, with status %d of curl" % (time.monotonic() - began, status))
    suite.check(subprocess.run(["gzip", "-t", scene.path("dead.gz")], capture_output=True, check=False).returncode != 0, "what came is not whole, and gzip says so")
    began = time.monotonic()
    said = scene.curl("--output", "error", "--write-out", "%{http_code}", scene.url("postgres"), timeout=60)
    document = json.load(open(scene.path("error")))
    suite.equal((said.stdout, document["errorCode"]), ("503", "LOGS_UNAVAILABLE"), "before it began: %s" % document.get("detail"))
    suite.check(time.monotonic() - began < 15, "and it says so soon")
    suite.equal(scene.tenant.ask("GET", scene.tenant.of_project("/dbAccessHistory/clusters/" + CLUSTER), expect=(503,))["errorCode"], "LOGS_UNAVAILABLE", "so does the access history")
    hosts.start(scene.fleet, scene.member.host)
    hosts.wait_booted(scene.fleet, scene.member.host)
    wait_until(lambda: scene.curl("--fail", "--output", "/dev/null", scene.url("postgres", startDate=int(time.time()) - 60)).returncode == 0, "it is there again after the host", 120)
    suite.passed += 1


# ---- The command line ----
def command(scene, *words):
    environment = ["env", "HOME=" + scene.folder, "REEVE_SERVER=https://%s:%d" % (CONTROL["control1"], control.API_PORT), "REEVE_CA_FILE=" + scene.fleet.path("tls/authority.pem"),
                   "REEVE_CLIENT_ID=" + scene.tenant.client[0], "REEVE_CLIENT_SECRET=" + scene.tenant.client[1]]
    return network.client_command(scene.fleet, [*environment, scene.fleet.build + "/reeve", "logs", *words, "--project", scene.tenant.project])


def the_command(suite, scene):
    mark = "shown by the command"
    psql(scene.fleet, scene.dsn, "DO $$ BEGIN RAISE LOG '%s'; END $$" % mark)
    time.sleep(2)
    said = subprocess.run(command(scene, CLUSTER, "--since", "5m"), capture_output=True, text=True, check=False, timeout=60)
    suite.check(said.returncode == 0 and mark in said.stdout, "lines of a cluster: %s", said.stderr)
    said = subprocess.run(command(scene, CLUSTER, "--member", scene.host_name.partition(".")[0], "--log", "patroni"), capture_output=True, text=True, check=False, timeout=60)
    suite.check(said.returncode == 0 and "INFO" in said.stdout and mark not in said.stdout, "of one member, of Patroni: %s", said.stderr)
    said = subprocess.run(command(scene, CLUSTER, "--member", "none"), capture_output=True, text=True, check=False, timeout=60)
    suite.check(said.returncode == 2, "of no member: %s", said.returncode)
    following = subprocess.Popen(command(scene, CLUSTER, "--since", "1s", "--follow"), stdout=open(scene.path("followed"), "w"))
    try:
        time.sleep(3)
        numbers = iter(range(10**6))
        stop = threading.Event()

        def write():
            while not stop.is_set():
                psql(scene.fleet, scene.dsn, "DO $$ BEGIN FOR i IN 1..50 LOOP RAISE LOG 'followed %% %%.', %d, i; END LOOP; END $$" % next(numbers))
        writer = threading.Thread(target=write)
        writer.start()
        for _ in range(4):
            time.sleep(4)
            hosts.run(scene.fleet, scene.member.host, "systemctl", "kill", "--signal=KILL", "reeve-logs.service")
        stop.set()
        writer.join()
        wanted = ["followed %d %d." % (number, one) for number in range(next(numbers)) for one in range(1, 51)]

        def shown():
            return ["followed" + line.partition("LOG:  followed")[2] for line in open(scene.path("followed")) if "LOG:  followed" in line]
        with contextlib.suppress(Problem):
            wait_until(lambda: len(shown()) >= len(wanted), "all lines are shown", 60)
        time.sleep(3)
        suite.equal([line.strip() for line in shown()], wanted, "followed while what answers on the host is killed: every line once, in order")
        suite.say("%d lines followed across four kills, none lost, none twice" % len(wanted))
    finally:
        following.terminate()


PARTS = (lines_are_the_journals, audited_lines, nobody_elses, the_door_is_for_nodes, logins_are_told, odd_names_are_told, nobody_forges_entries, the_command, a_large_log, the_host_dies)


def main():
    suite = Suite("logs read by tenants")
    try:
        with rig.fleet_for(2, zones=1) as fleet:
            scene = Scene(fleet)
            for part in PARTS:
                if len(sys.argv) < 2 or part.__name__ in sys.argv:  # some of them, by name
                    part(suite, scene)
            for tenant, name in ((scene.tenant, CLUSTER), (scene.other, OTHER)):
                tenant.delete_cluster(name)
                tenant.wait_gone(name)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
