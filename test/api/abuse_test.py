# SPDX-License-Identifier: Apache-2.0
"""The API under abuse: what anybody may make a node keep, for how long, and what another tenant notices of it.

While each attack runs, another organization asks from another address and is answered; the memory of the processes grows by at most
64 MiB, and comes back. Numbers of findings are in the comments. `REEVE_ONLY=r2` runs what begins with it.
"""
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter

from client import Bearer, Digest, trust, wait_until
from http2 import DATA, RST_STREAM, Http2, frame
from suite import Suite, ends_on_signal
from world import PREFIX, bootstrap, connect, no_limits, start_node

MOST_MIB = 64
GUILTY, INNOCENT = "127.0.0.66", "127.0.0.5"
PAGE_EVENTS = 500
LOG_LINES = 300
TCP_ESTABLISHED = 1
WIDE = 2 ** 31 - 1


def resident_mib(node):
    total = 0
    for pid in node.workers():
        try:
            with open("/proc/%d/status" % pid, encoding="ascii") as f:
                total += sum(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
        except OSError:
            pass
    return total / 1024


class Watch:
    """Another organization, from another address, asks all the time; beside it the memory is looked at."""

    def __init__(self, suite, node, victim, what):
        self.suite, self.node, self.victim, self.what = suite, node, victim, what
        self.statuses, self.times, self.most, self.over = Counter(), [], 0, threading.Event()

    def _ask(self):
        connection = connect(self.node, source=INNOCENT)
        while not self.over.is_set():
            began = time.monotonic()
            self.statuses[connection.ask("GET", PREFIX + "/orgs/" + self.victim.home, self.victim.bearer()).status] += 1
            self.times.append(time.monotonic() - began)
            self.most = max(self.most, resident_mib(self.node))
            self.over.wait(0.02)
        connection.close()

    def __enter__(self):
        self.before = self.most = resident_mib(self.node)
        self.thread = threading.Thread(target=self._ask)
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.over.set()
        self.thread.join()
        if kind is not None:
            return
        grown = self.most - self.before
        times = sorted(self.times)
        self.suite.check(grown <= MOST_MIB, "%s: memory grew by %.0f MiB", self.what, grown)
        self.suite.equal(set(self.statuses), {200}, "%s: answers of another organization %s" % (self.what, dict(self.statuses)))
        deadline = time.monotonic() + 30
        while resident_mib(self.node) - self.before > MOST_MIB / 4 and time.monotonic() < deadline:
            time.sleep(0.5)
        self.suite.check(resident_mib(self.node) - self.before <= MOST_MIB / 4, "%s: %.0f MiB are still held afterwards", self.what, resident_mib(self.node) - self.before)
        self.suite.say("%s: memory +%.0f MiB, afterwards %+.0f; another's %d answers: p50 %.0f ms, longest %.0f ms"
                       % (self.what, grown, resident_mib(self.node) - self.before, len(times), 1000 * times[len(times) // 2], 1000 * times[-1]))


def post(path, length, token=None, content_type="application/json"):
    return (("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n" % (path, content_type, length)) +
            ("Authorization: Bearer %s\r\n" % token if token else "") + "\r\n").encode()


def open_sockets(node, count, source=GUILTY, receive_buffer=None):
    context, sockets = trust(node.ca), []
    for _ in range(count):
        raw = socket.socket()
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.settimeout(30)
        raw.bind((source, 0))
        raw.connect(("127.0.0.1", node.port))
        sockets.append(context.wrap_socket(raw, server_hostname="localhost"))
    return sockets


def close_all(sockets):
    for one in sockets:
        one.close()


# ---- Bodies ----
def test_s5_bodies_without_credentials(suite, node, attacker, victim):
    """S5: 300 bodies of 1 MiB without Authorization, all but their last byte: 286 -> 898 MiB, and kept."""
    with Watch(suite, node, victim, "S5, 300 bodies of 1 MiB without credentials"):
        sockets, refused = open_sockets(node, 300), 0
        for one in sockets:
            try:
                one.sendall(post(PREFIX + "/groups", 1 << 20) + b" " * ((1 << 20) - 1))
            except OSError:
                pass
        for one in sockets:
            refused += one.recv(12) == b"HTTP/1.1 401"
        suite.equal(refused, 300, "S5: refused before the body was complete")
        close_all(sockets)
        with Http2(node, source=GUILTY) as h2:
            for _ in range(100):
                h2.send(h2.request("POST", PREFIX + "/groups", ends=False)[1] + b"".join(frame(DATA, 0, h2.next - 2, b"x" * 16000) for _ in range(4)))
            deadline = time.monotonic() + 20
            while len(h2.statuses) < 100 and time.monotonic() < deadline and h2.read(0.2):
                pass
            suite.equal(Counter(h2.statuses.values()), {401: 100}, "S5: streams refused before their bodies were complete")


def test_s5_forms_of_nobody(suite, node, attacker, victim):
    """S5: bodies that are read from anybody are small, and who sends many of them slowly waits alone."""
    with Watch(suite, node, victim, "S5, 400 slow forms at the token endpoint"):
        sockets = open_sockets(node, 400)
        for one in sockets:
            one.sendall(post("/api/oauth/token", 8000, content_type="application/x-www-form-urlencoded") + b"grant_type=")
        with connect(node, source=GUILTY) as neighbour:
            suite.check(neighbour.fetch_token(victim.client_id, victim.client_secret), "S5: a token for somebody at the same address")
        close_all(sockets)


def test_s5_bodies_with_credentials(suite, node, attacker, victim):
    """Bodies in flight of one organization are bounded; the others of it wait, and are answered in the end."""
    with Watch(suite, node, victim, "S5, 150 slow bodies of 1 MiB with credentials"):
        sockets = open_sockets(node, 150)
        for one in sockets:
            one.sendall(post(PREFIX + "/groups", 1 << 20, attacker.token))
        for one in sockets[:40]:
            one.setblocking(False)
            try:
                one.send(b" " * (1 << 19))
            except OSError:
                pass
        time.sleep(2)
        with connect(node, source=GUILTY, timeout=40) as own:
            close_all(sockets)
            suite.equal(own.ask("GET", PREFIX + "/orgs/" + attacker.home, attacker.bearer()).status, 200, "S5: the organization's own next request")
    body = b'{"name":"' + b"a" * ((1 << 20) - 11) + b'"}'
    with connect(node) as connection:
        answer = connection.send_once("POST", PREFIX + "/groups", [("Authorization", "Bearer " + attacker.token), ("Content-Type", "application/json")], body)
        suite.equal(answer.status, 400, "a body of exactly 1 MiB is read")
        answer = connection.send_once("POST", PREFIX + "/groups", [("Authorization", "Bearer " + attacker.token), ("Content-Type", "application/json")], body + b" ")
        suite.equal(answer.code(), "BODY_TOO_LARGE", "a byte more")


# ---- Credentials ----
def test_r3_challenges_are_free(suite, node, attacker, victim):
    """R3: every request without credentials counted as a failure, so that `curl --digest` locked itself out after 119 calls."""
    with connect(node, source=GUILTY) as connection:
        # A new one each time, as every curl is: first a challenge, then the answer to it.
        statuses = Counter(connection.ask("GET", PREFIX + "/orgs/" + victim.home, victim.digest()).status for _ in range(500))
        suite.equal(statuses, {200: 500}, "R3: 500 calls by Digest, each with its challenge")
        bare = Counter(connection.ask("GET", PREFIX).status for _ in range(300))
        suite.equal(bare, {401: 300}, "R3: 300 requests without credentials")
    for _ in range(5):
        done = subprocess.run(["curl", "-sS", "--digest", "-u", "%s:%s" % (victim.public_key, victim.private_key), "--cacert", node.ca, "--interface", GUILTY,
                               "-o", "/dev/null", "-w", "%{http_code}", "https://localhost:%d%s/orgs/%s" % (node.port, PREFIX, victim.home)],
                              stdout=subprocess.PIPE, text=True, check=False)
        suite.equal(done.stdout, "200", "R3: curl --digest")


def test_r3_wrong_ones_lock_nobody_out(suite, node, attacker, victim):
    """R3: 120 failures locked valid callers of the same address out. Here they name even the victim's own key and client."""
    over, wrong = threading.Event(), Counter()

    def guess(number):
        kinds = [lambda: connection.ask("GET", PREFIX, Bearer("reeve_at_" + "A" * 80)), lambda: connection.ask("GET", PREFIX, Bearer("wrong")),
                 lambda: connection.ask("GET", PREFIX, digest),
                 lambda: connection.send_once("POST", "/api/oauth/token", [("Content-Type", "application/x-www-form-urlencoded")],
                                              ("grant_type=client_credentials&client_id=%s&client_secret=wrong" % victim.client_id).encode())]
        digest = Digest(victim.public_key, "wrong")
        with connect(node, source=GUILTY) as connection:
            while not over.is_set():
                wrong[kinds[number % 4]().status] += 1

    threads = [threading.Thread(target=guess, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    statuses, began = Counter(), time.monotonic()
    with connect(node, source=GUILTY) as connection:
        while time.monotonic() - began < 6:
            statuses[connection.ask("GET", PREFIX + "/orgs/" + victim.home, victim.bearer()).status] += 1
            statuses[connection.ask("GET", PREFIX + "/orgs/" + victim.home, victim.digest()).status] += 1
            statuses[200 if connection.fetch_token(victim.client_id, victim.client_secret) else 0] += 1
    took = time.monotonic() - began
    over.set()
    for thread in threads:
        thread.join()
    suite.equal(set(statuses), {200}, "R3: answers to the right ones %s" % dict(statuses))
    suite.equal(set(wrong), {401, 429}, "R3: answers to the wrong ones %s" % dict(wrong))
    suite.say("R3: %d right ones served beside %.0f wrong ones a second at the same address: %s" % (statuses[200], sum(wrong.values()) / took, dict(wrong)))


# ---- Streams ----
def test_streams_of_an_organization(suite, node, attacker, victim):
    """One organization cannot take all streams, however many keys it makes: here 5 of each of 2 callers, and then the next of each."""
    path = PREFIX + "/orgs/%s/events" % attacker.home
    with Watch(suite, node, victim, "exhausted event streams"), Http2(node, source=GUILTY) as h2:
        for _ in range(20):
            h2.ask("GET", path, attacker.token, more=[("accept", "text/event-stream")])
        deadline = time.monotonic() + 20
        while len(h2.statuses) < 20 and time.monotonic() < deadline:
            h2.read(0.2)
        seen = Counter(h2.statuses.values())
        suite.equal(seen, {200: 5, 429: 15}, "streams of one caller in one process")


def tokens_of_accounts(node, owner, count):
    """Of so many service accounts of one organization."""
    tokens, path = [], PREFIX + "/orgs/%s/serviceAccounts" % owner.home
    with connect(node) as connection:
        for number in range(count):
            made = connection.ask("POST", path, owner.bearer(), {"name": "s%d" % number, "description": "d", "roles": ["ORG_OWNER"], "secretExpiresAfterHours": 8}).json()
            connection.ask("POST", "%s/%s/accessList" % (path, made["clientId"]), owner.bearer(), [{"cidrBlock": "127.0.0.0/8"}])
            tokens.append(connection.fetch_token(made["clientId"], made["secrets"][0]["secret"]))
    return tokens


def test_r9_streams_of_many_callers(suite, node, attacker, victim):
    """R9: 1,536 streams of one organization made its changes take 150 ms. It has 100 in a process, however many callers it makes."""
    path = PREFIX + "/orgs/%s/events" % attacker.home
    tokens = tokens_of_accounts(node, attacker, 21)

    def change(number):
        began = time.monotonic()
        answer = connection.ask("PATCH", PREFIX + "/orgs/" + attacker.home, attacker.bearer(), {"name": "n%d" % number})
        suite.equal(answer.status, 200, "R9: a change of the organization")
        return 1000 * (time.monotonic() - began)

    with Watch(suite, node, victim, "R9, streams of 21 callers"), Http2(node, source=GUILTY, window=WIDE) as h2, connect(node) as connection:
        h2.widen(0, WIDE - 65535)
        alone = sorted(change(number) for number in range(50))
        asked = [h2.ask("GET", path, token, more=[("accept", "text/event-stream")]) for token in tokens for _ in range(5)]
        wait_until(lambda: h2.read(0.2) and len(h2.statuses) >= len(asked), 30)
        suite.equal(Counter(h2.statuses.values()), {200: 100, 429: 5}, "R9: streams of one organization in one process")
        before, followed = sum(h2.bytes.values()), []
        for number in range(50):
            followed.append(change(100 + number))
            h2.read(0.001)
        wait_until(lambda: h2.read(0.2) and sum(h2.bytes.values()) > before + 100 * 50 * 100, 30)  # each of them heard of each change
        suite.say("R9: changes alone p50 %.1f ms, with 100 streams that follow them %.1f ms" % (alone[25], sorted(followed)[25]))


# ---- The log ----
def test_r6_log_flood(suite, node, attacker, victim):
    """R6: POSTs to the token endpoint that are reset at once wrote 268,500 lines from 3 connections in 10 s."""
    with Watch(suite, node, victim, "R6, POSTs to the token endpoint that are reset at once"):
        sent, deadline = 0, time.monotonic() + 4
        while time.monotonic() < deadline:
            connections = [Http2(node, source=GUILTY) for _ in range(3)]
            try:
                for h2 in connections * 8:
                    batch = b""
                    for number in range(100):  # with a body, and without any
                        has_body = number % 2 == 0
                        stream, data = h2.request("POST", "/api/oauth/token", more=[("content-type", "application/x-www-form-urlencoded")], ends=not has_body)
                        body = frame(DATA, 1, stream, b"grant_type=client_credentials&client_id=x&client_secret=y") if has_body else b""
                        batch += data + body + frame(RST_STREAM, 0, stream, b"\0\0\0\x08")
                    h2.send(batch)
                    h2.read(0.001)
                    sent += 100
            except OSError:
                pass
            for h2 in connections:
                h2.close()
    lines = sum(line["client"] == GUILTY and line["path"] == "/api/oauth/token" and not line["caller"] for line in node.log_lines())
    suite.check(lines <= 2 * 2 * LOG_LINES, "R6: %d lines of %d requests", lines, sent)
    suite.say("R6: %d requests, %d lines" % (sent, lines))
    with connect(node, source=GUILTY) as connection:
        renamed = connection.ask("PATCH", PREFIX + "/orgs/" + victim.home, victim.bearer(), {"name": "renamed"})
    suite.equal(renamed.status, 200, "R6: a change from the same address")
    request_id = renamed.headers["x-request-id"]
    wait_until(lambda: any(line["requestId"] == request_id for line in node.log_lines()), 10)  # whatever else is not in the log


def test_r6_reads_taken_back(suite, node, attacker, victim):
    """R6: with credentials, too: reads that are reset at once have a share of lines; a change that was taken back has its line, for it may have happened."""
    path = PREFIX + "/orgs/" + attacker.home
    with Watch(suite, node, victim, "R6, reads with credentials that are reset at once"):
        sent, deadline = 0, time.monotonic() + 4
        while time.monotonic() < deadline:
            with Http2(node, source=GUILTY) as h2:
                try:
                    for _ in range(8):
                        asked = [h2.request("GET", path, attacker.token) for _ in range(100)]
                        h2.send(b"".join(data + frame(RST_STREAM, 0, stream, b"\0\0\0\x08") for stream, data in asked))
                        sent += len(asked)
                        h2.read(0.001)
                except OSError:
                    pass
        with Http2(node, source=GUILTY) as h2:
            for _ in range(20):
                stream, data = h2.request("DELETE", PREFIX + "/groups/" + "0" * 24, attacker.token)
                h2.send(data + frame(RST_STREAM, 0, stream, b"\0\0\0\x08"))
            wait_until(lambda: sum(line["method"] == "DELETE" and line["client"] == GUILTY for line in node.log_lines()) == 20, 20)
    taken_back = sum(line["status"] == 499 and line["method"] == "GET" and line["client"] == GUILTY and line["path"] == path for line in node.log_lines())
    suite.check(sent > 3 * LOG_LINES and taken_back <= 2 * 2 * LOG_LINES, "R6: %d lines of %d reads that were taken back", taken_back, sent)
    suite.say("R6: %d reads taken back, %d lines" % (sent, taken_back))


def check_summary(suite, node):
    """R6: one line says how many were left out."""
    wait_until(lambda: "requests of %s within a minute have no line" % GUILTY in node.error_text(), 70, pause=1)


# ---- Answers ----
def page(attacker):
    return PREFIX + "/orgs/%s/events?itemsPerPage=%d" % (attacker.home, PAGE_EVENTS)


def test_r2_unread_answers(suite, node, attacker, victim):
    """R2: 8 connections with 110 streams each, window 0, a byte now and then: 54 -> 3,300 MiB, and send_timeout_s cut nothing."""
    with Watch(suite, node, victim, "R2, 880 unread pages"):
        connections = [Http2(node, window=0, source=GUILTY) for _ in range(8)]
        streams = [(h2, h2.ask("GET", page(attacker), attacker.token)) for h2 in connections for _ in range(110)]
        deadline, ended = time.monotonic() + 14, 0
        while time.monotonic() < deadline:
            for h2, stream in streams:
                if stream not in h2.reset:
                    try:
                        h2.widen(stream, 1)
                    except OSError:
                        pass
            for h2 in connections:
                h2.read(0.05)
            ended = sum(len(h2.reset) for h2 in connections)
        suite.check(ended > 0, "R2: no stream that took a byte now and then was ended")
        suite.say("R2: %d streams ended, answers %s" % (ended, dict(Counter(status for h2 in connections for status in h2.statuses.values()))))
        for h2 in connections:
            h2.close()
    with connect(node, source=GUILTY) as connection:
        answer = connection.ask("GET", page(attacker), attacker.bearer())
        suite.equal((answer.status, len(answer.json()["results"])), (200, PAGE_EVENTS), "R2: the organization's own next page")


def test_r2_fast_readers_wait_for_nothing(suite, node, attacker, victim):
    """A client that reads gets many pages at once, although they do not fit into its share of memory: none is refused."""
    with Http2(node, window=1 << 30) as h2:
        h2.widen(0, (1 << 31) - 65536)
        streams = [h2.ask("GET", page(attacker), attacker.token) for _ in range(60)]
        deadline = time.monotonic() + 40
        while len(h2.ended) < len(streams) and time.monotonic() < deadline and h2.read(1):
            pass
        suite.equal(Counter(h2.statuses.values()), {200: 60}, "60 pages at once")
        suite.equal((len(h2.ended), len(set(h2.bytes.values()))), (60, 1), "pages that came whole, and different lengths")


def test_slow_readers(suite, node, attacker, victim):
    """S, not tried: readers of HTTP/1.1 that take answers larger than the kernel's buffers a byte at a time."""
    with Watch(suite, node, victim, "120 slow readers of pages"):
        sockets = open_sockets(node, 120, receive_buffer=4096)
        request = "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n" % (page(attacker), attacker.token)
        for one in sockets:
            one.sendall(request.encode() * 3)
        closed, deadline = set(), time.monotonic() + 25
        while len(closed) < len(sockets) and time.monotonic() < deadline:
            for i, one in enumerate(sockets):
                if one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != TCP_ESTABLISHED:
                    closed.add(i)  # not seen by reading: Python has the rest of a TLS record in memory
                if i in closed:
                    continue
                one.settimeout(0.001)
                try:
                    one.recv(1)
                except OSError:
                    pass
            time.sleep(0.3)
        suite.check(len(closed) > 0, "slow readers: none was cut")
        suite.say("slow readers: %d of %d cut within 25 s" % (len(closed), len(sockets)))
        close_all(sockets)


TESTS = [(name, test) for name, test in list(globals().items()) if name.startswith("test_")]


def make_events(node, caller):
    """So many that a page is larger than what the kernel takes of an answer."""
    with connect(node) as connection:
        project = connection.ask("POST", PREFIX + "/groups", caller.bearer(), {"name": "p", "orgId": caller.home}).json()["id"]

    def rename(number):
        with connect(node) as connection:
            for i in range(PAGE_EVENTS // 4 + 1):
                connection.ask("PATCH", PREFIX + "/groups/" + project, caller.bearer(), {"name": "p %d %d" % (number, i)})
    threads = [threading.Thread(target=rename, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    suite = Suite("abuse")
    ends_on_signal()
    wanted = "test_" + os.environ.get("REEVE_ONLY", "")
    with start_node(workers=2, settings={"send_timeout_s": 4, "body_timeout_s": 5, "guard_failures_per_minute": 120, "log_lines_per_minute": LOG_LINES}) as node:
        attacker, victim = bootstrap(node.conf, "attacker"), bootstrap(node.conf, "victim")
        no_limits([attacker.home, victim.home])
        with connect(node) as connection:
            attacker.fetch(connection)
            victim.fetch(connection)
        make_events(node, attacker)
        with connect(node) as connection:  # what a process needs for its first page is not the attack's
            for _ in range(8):
                connection.ask("GET", page(attacker), attacker.bearer())
        for name, test in TESTS:
            if name.startswith(wanted):
                test(suite, node, attacker, victim)
        if wanted in ("test_", "test_r6", "test_r6_log_flood"):
            check_summary(suite, node)
        suite.equal(len(node.workers()), 2, "processes in the end")
        node.check_log()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
