# SPDX-License-Identifier: Apache-2.0
"""Webhooks with a real worker and a receiver that is killed and started again: every event arrives, in order, signed; private
addresses are never connected to; one that keeps failing is shown as such."""
import atexit
import hashlib
import hmac
import http.server
import json
import multiprocessing
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from client import wait_until
from node import free_port, make_certificate
from suite import Suite, ends_on_signal
from world import BUILD, PREFIX, ROOT, World, connect, sql, start_node

EVENTS = int(os.environ.get("REEVE_TEST_EVENTS", "10000"))


# ---- The receiver: a process of its own, so that it can be killed ----
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", "https://127.0.0.1:%d/landed" % self.server.server_port)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        with open(self.server.journal, "a", encoding="utf-8") as file:  # written before it is acknowledged
            file.write(json.dumps({"path": self.path, "timestamp": self.headers["Reeve-Webhook-Timestamp"],
                                   "signature": self.headers["Reeve-Webhook-Signature"], "body": body.decode()}) + "\n")
        time.sleep(0.05)  # so that there is something to interrupt
        status = 500 if self.path == "/broken" else 204
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def serve(port, certificate, key, journal):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.journal = journal
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


class Receiver:
    def __init__(self, folder):
        self.port = free_port()
        self.certificate, self.key = make_certificate(folder, "receiver")
        self.journal = os.path.join(folder, "journal")
        self.process = None

    def url(self, path):
        return "https://127.0.0.1:%d%s" % (self.port, path)

    def start(self):
        self.process = multiprocessing.Process(target=serve, args=(self.port, self.certificate, self.key, self.journal), daemon=True)
        self.process.start()

    def kill(self):
        self.process.kill()
        self.process.join()

    def records(self, path):
        if not os.path.exists(self.journal):
            return []
        with open(self.journal, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in lines if line["path"] == path]

    def sequences(self, path):
        return [event["sequence"] for line in self.records(path) for event in json.loads(line["body"])["events"]]


class Worker:
    def __init__(self, config):
        self.config, self.process = config, None
        self.log = tempfile.NamedTemporaryFile(prefix="worker.", delete=False)

    def start(self):
        self.process = subprocess.Popen([os.path.join(ROOT, BUILD, "reeved"), "worker", "--config", self.config],
                                        stdout=self.log, stderr=self.log)
        atexit.register(self.process.kill)  # a suite that is ended leaves none behind

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)


def add_events(org, count):
    """Events as the store writes them, but for the hash, which deliveries do not look at."""
    sql("""DO $$ DECLARE o bytea := decode('%s', 'hex'); s bigint; i bytea; BEGIN FOR n IN 1..%d LOOP
           UPDATE event_chain SET seq = seq + 1 WHERE org_id = o RETURNING seq INTO s;
           i := decode(lpad(to_hex(s), 24, '0'), 'hex');
           INSERT INTO event (org_id, seq, id, type, created_at, document, hash) VALUES (o, s, i, 'ORG_UPDATED', now(),
             format('{"id":"%%s","created":"2026-01-01T00:00:00Z","type":"ORG_UPDATED","org":"%s","project":null,"seq":%%s,"actor":{}}', encode(i, 'hex'), s), '');
           END LOOP; PERFORM pg_notify('reeve_event', '%s'); END $$""" % (org, count, org, org))


def create(world, connection, url, **more):
    answer = connection.ask("POST", PREFIX + "/orgs/%s/webhooks" % world.a.home, world.a.bearer(), {"url": url, **more})
    if answer.status != 201:
        raise AssertionError(answer)
    return answer.json()


def show(world, connection, webhook):
    return connection.ask("GET", PREFIX + "/orgs/%s/webhooks/%s" % (world.a.home, webhook["id"]), world.a.bearer()).json()


def test_everything_arrives(suite, world, connection, receiver, workers):
    webhook = create(world, connection, receiver.url("/good"), description="all")
    first = webhook["deliveredSequence"]
    began, done = time.monotonic(), threading.Event()

    def disturb():
        for turn in range(8):
            if done.wait(1.5):
                return
            if turn == 4:  # workers die in the middle; what they had taken is free again when the lease ends
                for worker in workers:
                    worker.kill()
                    worker.start()
            else:
                receiver.kill()
                time.sleep(0.4)
                receiver.start()
    thread = threading.Thread(target=disturb)
    thread.start()
    for _ in range(20):
        add_events(world.a.home, EVENTS // 20)
    last = int(sql("SELECT seq FROM event_chain WHERE org_id = decode('%s', 'hex')" % world.a.home))
    try:
        wait_until(lambda: show(world, connection, webhook)["deliveredSequence"] == last, 400, 0.5)
    finally:
        done.set()
        thread.join()
    took = time.monotonic() - began
    sequences = receiver.sequences("/good")
    distinct = list(dict.fromkeys(sequences))
    suite.equal(distinct, list(range(first + 1, last + 1)), "every event, in order")
    suite.check(sequences[0] == first + 1, "the first is the webhook's own creation")
    backwards = sum(1 for before, after in zip(sequences, sequences[1:]) if after > before + 1)
    suite.equal(backwards, 0, "places where an event was left out before a later one")
    wrong = 0
    for record in receiver.records("/good"):
        signed = "%s.%s" % (record["timestamp"], record["body"])
        expected = "v1=" + hmac.new(webhook["secret"].encode(), signed.encode(), hashlib.sha256).hexdigest()
        wrong += not hmac.compare_digest(expected, record["signature"])
    suite.equal(wrong, 0, "signatures that do not verify")
    suite.say("%d events in %d deliveries, %d of them repeated, in %.0f s with receiver and worker killed"
              % (len(distinct), len(receiver.records("/good")), len(sequences) - len(distinct), took))
    shown = show(world, connection, webhook)
    suite.equal((shown["state"], shown["pendingEvents"], shown["failures"], shown.get("lastStatus"), "secret" in shown),
                ("ACTIVE", 0, 0, 204, False), "how it is shown")


def test_failures_are_shown(suite, world, connection, receiver):
    broken = create(world, connection, receiver.url("/broken"))
    moved = create(world, connection, receiver.url("/redirect"))
    wait_until(lambda: show(world, connection, broken)["failures"] >= 2 and show(world, connection, moved)["failures"] >= 1, 20)
    shown = show(world, connection, broken)
    suite.equal((shown["state"], shown["lastStatus"], shown["lastError"]), ("FAILING", 500, "It answered 500."), "one that answers 500")
    suite.equal(show(world, connection, moved)["lastStatus"], 302, "one that redirects")
    suite.equal(receiver.records("/landed"), [], "redirects that were followed")
    sql("UPDATE webhook SET failing_since = now() - interval '4 days', next_try_at = now() WHERE id = decode('%s', 'hex')" % broken["id"])
    wait_until(lambda: show(world, connection, broken)["state"] == "PAUSED", 20)
    events = connection.ask("GET", PREFIX + "/orgs/%s/events?eventType=WEBHOOK_PAUSED" % world.a.home, world.a.bearer()).json()
    suite.equal(events["totalCount"], 1, "events of the pause")
    answer = connection.ask("PATCH", PREFIX + "/orgs/%s/webhooks/%s" % (world.a.home, broken["id"]), world.a.bearer(),
                            {"url": receiver.url("/mended")})
    suite.equal(answer.json()["state"], "ACTIVE", "after a change")
    wait_until(lambda: show(world, connection, broken)["pendingEvents"] == 0, 20)
    for webhook in (broken, moved):
        connection.ask("DELETE", PREFIX + "/orgs/%s/webhooks/%s" % (world.a.home, webhook["id"]), world.a.bearer())


def test_types(suite, world, connection, receiver):
    webhook = create(world, connection, receiver.url("/typed"), eventTypes=["GROUP_CREATED"])
    world.make_project(world.a, "for the webhook")
    wait_until(lambda: show(world, connection, webhook)["pendingEvents"] == 0, 20)
    names = [event["eventTypeName"] for line in receiver.records("/typed") for event in json.loads(line["body"])["events"]]
    suite.equal(names, ["GROUP_CREATED"], "types that were asked for")
    connection.ask("DELETE", PREFIX + "/orgs/%s/webhooks/%s" % (world.a.home, webhook["id"]), world.a.bearer())
    world.make_project(world.a, "for no webhook")
    time.sleep(2.5)
    suite.equal(len(receiver.records("/typed")), 1, "deliveries when the webhook is gone")


def test_private_addresses(suite, world, connection):
    """Only 127.0.0.1 is allowed; whatever leads elsewhere into the machine is never connected to."""
    listener = socket.socket(socket.AF_INET6)
    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listener.bind(("::", 0))
    listener.listen(50)
    listener.settimeout(0.1)
    port = listener.getsockname()[1]
    hosts = ["127.0.0.2", "[::1]", "0.0.0.0", "[::ffff:127.0.0.2]", "2130706434", "0x7f.2", "[64:ff9b::7f00:2]"]
    for host in hosts:
        refused = connection.ask("POST", PREFIX + "/orgs/%s/webhooks" % world.a.home, world.a.bearer(), {"url": "https://%s:%d/" % (host, port)})
        suite.equal((refused.status, refused.code()), (400, "INVALID_ATTRIBUTE_VALUE"), "a webhook at %s" % host)
    # Those that were made before, when the operator allowed more.
    made = [create(world, connection, "https://hooks.example.org:%d/" % port, enabled=False) for _ in hosts]
    for one, host in zip(made, hosts):
        sql("UPDATE webhook SET url = 'https://%s:%d/', enabled = true WHERE id = decode('%s', 'hex')" % (host, port, one["id"]))
    wait_until(lambda: all(show(world, connection, one)["failures"] >= 1 for one in made), 30)
    errors = [show(world, connection, one)["lastError"] for one in made]
    suite.check(all("not public" in error for error in errors), "private addresses are refused: %r" % errors)
    try:
        listener.accept()
        suite.fail("somebody connected")
    except socket.timeout:
        suite.check(True, "nobody connected")
    listener.close()
    for one in made:
        connection.ask("DELETE", PREFIX + "/orgs/%s/webhooks/%s" % (world.a.home, one["id"]), world.a.bearer())


def main():
    ends_on_signal()
    multiprocessing.set_start_method("fork")
    suite = Suite("webhooks")
    folder = tempfile.mkdtemp(prefix="webhooks.", dir=os.environ.get("REEVE_TEST_DIR"))
    receiver = Receiver(folder)
    with start_node(workers=1, settings={"egress_allow": "127.0.0.1/32", "egress_ca": receiver.certificate}) as node:
        receiver.start()
        world = World(node, with_roles=False)
        workers = [Worker(node.conf), Worker(node.conf)]
        for worker in workers:
            worker.start()
        try:
            with connect(node) as connection:
                test_types(suite, world, connection, receiver)
                test_failures_are_shown(suite, world, connection, receiver)
                test_private_addresses(suite, world, connection)
                test_everything_arrives(suite, world, connection, receiver, workers)
            suite.equal(workers[0].stop(), 0, "status of a worker that was told to stop")
        finally:
            for worker in workers:
                if worker.process.poll() is None:
                    worker.kill()
            receiver.kill()
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
