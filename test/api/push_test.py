# SPDX-License-Identifier: Apache-2.0
"""Measurements that are sent to a service, with a real worker and a real receiver: a VictoriaMetrics behind TLS, which takes them as Datadog would. What arrives is what the
store has, once, also when workers are killed; a receiver that refuses, hangs or sends elsewhere is told, and holds up nobody else."""
import http.server
import json
import os
import ssl
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from alerts_test import Worker
from client import PATIENCE, wait_until
from measurements import MonitorStore
from node import free_port, make_certificate
from suite import Suite, ends_on_signal
from world import PREFIX, World, connect, make_fleet, name_members, sql, start_node

FAILPOINTS = ("measurements:send:before-effect", "measurements:send:after-effect", "measurements:send:after-commit")
KEYS = {"own": "push-key-of-own-0001", "other": "push-key-of-other-01"}
ODD = 'a "b", c: \\ \u00e9\n{}'  # a name of a database
TAGS = [{"key": "team", "value": "night shift"}, {"key": "Project", "value": "x"}, {"key": "project:x", "value": "y"}, {"key": 'o"dd,]', "value": "v\\"}]
COUNTERS = ("TRANSACTIONS_COMMITTED", "PROCESS_CPU_USER", "DISK_PARTITION_IOPS_READ")


# ---- Who receives ----
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        relay, key = self.server.relay, self.headers["DD-API-KEY"]
        relay.requests.append((self.path, key, time.monotonic()))
        mood = relay.moods.get(key, "good")
        status, more = 202, {}
        if mood == "hangs":
            relay.hanging.wait(25)
            status = 500
        elif mood == "elsewhere":
            status, more = 307, {"Location": "https://127.0.0.1:%d/stolen" % relay.port}
        elif mood != "good":
            status = int(mood)
        elif self.path != "/api.datadoghq.eu/api/v1/series":
            status = 404
        else:
            request = urllib.request.Request(relay.store.url + "/datadog/api/v1/series", body, {"Content-Type": "application/json"})
            try:
                status = urllib.request.urlopen(request, timeout=10).status
            except urllib.error.HTTPError as refused:
                status = refused.code
            relay.bodies.append((key, json.loads(body)))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        for name, value in more.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_):
        pass


class Relay:
    """TLS in front of the receiver, with what may go wrong there by key."""

    def __init__(self, folder, store):
        self.port, self.store, self.requests, self.bodies, self.moods, self.hanging = free_port(), store, [], [], {}, threading.Event()
        self.certificate, key = make_certificate(folder, "relay")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.relay, self.server.daemon_threads = self, True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


# ---- Points ----
class Tenant:
    """A project with a cluster whose members no worker has made: what their agents would have sent is written by hand."""

    def __init__(self, world, connection, store, who):
        self.world, self.connection, self.store = world, connection, store
        self.project, self.bearer, self.key, cluster = world.p if who == "own" else world.q, (world.a if who == "own" else world.b).bearer(), KEYS[who], "pushed"
        self.ask(201, "POST", "/clusters", {"name": cluster, "tags": TAGS, "replicationSpecs": [{"regionConfigs": [
            {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]})
        name_members(self.project, cluster)
        rows = sql("SELECT string_agg(encode(m.id, 'hex') || ' ' || encode(c.id, 'hex') || ' ' || member_name(c.set_name, m.ordinal) || '.hash.example.test', ',' ORDER BY m.id) "
                   "FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = decode('%s', 'hex') AND c.name = '%s'" % (self.project, cluster))
        self.members = [tuple(row.split()) for row in rows.split(",")]
        self.written = {member: 0 for member, _, _ in self.members}

    def ask(self, status, method, target, body=None):
        answer = self.connection.ask(method, PREFIX + "/groups/%s%s" % (self.project, target), self.bearer, body)
        if answer.status != status:
            raise AssertionError("%d expected: %r" % (status, answer))
        return answer.json() if answer.status != 204 else None

    def integrate(self, method="POST", **more):
        body = {"type": "DATADOG", "apiKey": self.key, "region": "EU", "sendDatabaseMetrics": True, **more}
        return self.ask(200, method, "/integrations/DATADOG", body)

    def shown(self):
        return self.ask(200, "GET", "/integrations/DATADOG")

    def begin_at(self, second):
        sql("UPDATE measurement_push SET since = to_timestamp(%d) WHERE project_id = decode('%s', 'hex')" % (second, self.project))

    def measure(self, start, end, members=None):
        """Points every ten seconds of [start, end); a restart in the middle."""
        for number, (member, cluster, _) in enumerate(self.members):
            if members is not None and number not in members:
                continue
            labels, lines = "reeve,project=%s,cluster=%s,member=%s" % (self.project, cluster, member), []
            for second in range(start, end, 10):
                at, count = second * 1000 + 137, second - start if second < (start + end) // 2 else second - (start + end) // 2
                lines.append("%s CONNECTIONS=%d,PROCESS_CPU_USER=%s,TRANSACTIONS_COMMITTED=%d %d" % (labels, 5 + second % 7, count * 1.25, count * 3, at))
                lines.append("%s,name=data DISK_PARTITION_SPACE_USED=4096,DISK_PARTITION_IOPS_READ=%d %d" % (labels, count, at))
                lines.append("%s,name=%s DATABASE_DATA_SIZE=%d %d" % (labels, urllib.parse.quote(ODD, safe=""), second, at))
                lines.append("%s,name=shop.orders READS_OPS=%d %d" % (labels, count, at))
            self.store.write(lines)
            self.written[member] += 7 * len(range(start, end, 10))
            wait_until(lambda m=member: self.store.count(m) == self.written[m], 20)


def export(store, selector):
    form = urllib.parse.urlencode({"match[]": selector}).encode()
    with urllib.request.urlopen(store.url + "/api/v1/export", form, timeout=20) as answer:
        return [json.loads(line) for line in answer.read().decode().splitlines()]


def expected_of(tenant, after):
    """What the store has after that second, as the service should have it: of a counter how fast it rose."""
    found = {}
    hosts = {member: host for member, _, host in tenant.members}
    for series in export(tenant.store, '{project="%s",__name__!~"reeve_READS.*"}' % tenant.project):
        of, name = series["metric"], series["metric"]["__name__"].replace("reeve_", "")
        points = sorted(zip(series["timestamps"], series["values"]))
        if name in COUNTERS:
            points = [(now[0], (now[1] if now[1] < before[1] else now[1] - before[1]) * 1000 / (now[0] - before[0])) for before, now in zip(points, points[1:])]
        for at, value in points:
            if at >= after * 1000:
                found[("reeve." + name.lower(), hosts[of["member"]], urllib.parse.unquote(of.get("name", "")), at // 1000)] = value
    return found


def received_of(relay, tenant):
    found = {}
    for series in export(relay.store, '{__name__=~"reeve.*",project="%s"}' % tenant.project):
        of = series["metric"]
        for at, value in zip(series["timestamps"], series["values"]):
            found[(of["__name__"], of["host"], of.get("database", of.get("disk", "")), at // 1000)] = value
    return found


def hurry(tenant=None):
    """Turns come every half minute; here at once. Two of them send what there was before the first."""
    sql("UPDATE measurement_push SET next_try_at = now(), lease_until = NULL" + (" WHERE project_id = decode('%s', 'hex')" % tenant.project if tenant else ""))


def turns(tenant, count=2):
    for _ in range(count):
        before = sql("SELECT lease_epoch FROM measurement_push WHERE project_id = decode('%s', 'hex')" % tenant.project)
        hurry(tenant)
        wait_until(lambda b=before: sql("SELECT lease_epoch > %s AND lease_until IS NULL FROM measurement_push WHERE project_id = decode('%s', 'hex')" % (b, tenant.project)) == "t", 40)


def differences(relay, tenant, after):
    want, got = expected_of(tenant, after), received_of(relay, tenant)
    missing, extra = set(want) - set(got), set(got) - set(want)
    wrong = [one for one in set(want) & set(got) if abs(want[one] - got[one]) > 1e-9 * max(1, abs(want[one]))]
    return len(want), len(missing), len(extra), len(wrong)


def is_all_there(relay, tenant, after):
    """Receivers show what they took after a second or two."""
    def whole():
        count, *bad = differences(relay, tenant, after)
        return count > 0 and bad == [0, 0, 0]
    try_until(whole, 10)
    return differences(relay, tenant, after)


def try_until(condition, seconds):
    end = time.monotonic() + seconds * PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.3)


# ---- What is tried ----
def test_points(suite, relay, own, other, worker):
    now = int(time.time()) // 10 * 10
    own.begin = now - 1800
    own.measure(own.begin - 10, now - 60)
    other.measure(own.begin - 10, now - 60)
    suite.equal(own.shown()["state"], "WAITING", "the state before anything is sent")
    own.begin_at(own.begin)
    worker.start()
    turns(own)
    count, missing, extra, wrong = is_all_there(relay, own, own.begin)
    suite.equal((missing, extra, wrong), (0, 0, 0), "missing, more, and other than in the store, of %d points" % count)
    suite.equal(count, 6 * 174 * len(own.members), "points")
    shown = own.shown()
    suite.equal((shown["state"], shown["pointsSent"], shown["pointsLeftOut"], "lastError" in shown), ("WORKING", count, 0, False), "what the integration shows")
    suite.equal(received_of(relay, other), {}, "points of a project that sends none")
    suite.equal(export(relay.store, '{__name__=~"reeve.*",project!="%s"}' % own.project), [], "points of others")
    suite.equal({key for _, key, _ in relay.requests}, {own.key}, "keys")
    tags = {tag for _, body in relay.bodies for series in body["series"] for tag in series["tags"]}
    suite.check("database:" + ODD in tags and "disk:data" in tags, "names of databases and disks are tags as they are")
    suite.check("team:night shift" in tags and "project:" + own.project in tags, "tags of the cluster are there")
    suite.equal([tag for tag in tags if tag.lower().startswith("project:")], ["project:" + own.project], "no tag of people is taken for one of ours")
    suite.check(not any("reads_ops" in series["metric"] for _, body in relay.bodies for series in body["series"]), "tables are not sent")
    suite.check(all(at <= now for _, body in relay.bodies for series in body["series"] for at, _ in series["points"]), "times are seconds")
    return now - 60


def test_kills(suite, relay, own, worker, begin):
    """A worker dies at each place; what it had sent and not written down comes again, and is the same point."""
    worker.stop()
    for failpoint in FAILPOINTS:
        own.measure(begin, begin + 10)
        begin += 10
        worker.start(failpoint)
        deadline = time.monotonic() + 60 * PATIENCE
        while worker.process.poll() is None and time.monotonic() < deadline:
            hurry(own)
            time.sleep(1)
        suite.equal(worker.process.poll(), -9, "the worker dies at " + failpoint)
        worker.start()
        turns(own)
        count, *bad = is_all_there(relay, own, own.begin)
        suite.equal(bad, [0, 0, 0], "missing, more and other of %d points after a worker died at %s" % (count, failpoint))
        worker.stop()
    worker.start()
    return begin


def test_order(suite, relay, own, begin):
    """An agent that was away sends later what others sent before: it goes out all the same."""
    if len(own.members) < 2:
        raise AssertionError("the cluster should have more members")
    own.measure(begin, begin + 20, members=[0])
    turns(own)
    own.measure(begin, begin + 20, members=list(range(1, len(own.members))))
    turns(own)
    count, *bad = is_all_there(relay, own, own.begin)
    suite.equal(bad, [0, 0, 0], "missing, more and other of %d points when a member was late" % count)
    return begin + 20


def state_of(tenant):
    shown = tenant.shown()
    return shown["state"], shown.get("lastError")


def test_refusals(suite, relay, own, begin):
    """Every answer but 2xx is tried again, later each time, and told; nothing is lost."""
    for mood, why in (("403", "It answered 403."), ("500", "It answered 500."), ("elsewhere", "It answered 307.")):
        relay.moods[own.key] = mood
        own.measure(begin, begin + 10)
        begin += 10
        turns(own, 3)
        suite.equal(state_of(own), ("FAILING", why), "the state when it answers " + mood)
        delays = []
        for _ in range(3):
            turns(own, 1)
            delays.append(float(sql("SELECT extract(epoch FROM next_try_at - now()) FROM measurement_push WHERE project_id = decode('%s', 'hex')" % own.project)))
        failures = int(sql("SELECT failures FROM measurement_push WHERE project_id = decode('%s', 'hex')" % own.project))
        suite.check(failures >= 4 and delays[2] > delays[0] and delays[2] > 3, "it is tried later each time: %s after %d failures" % (delays, failures))
        relay.moods[own.key] = "good"
        turns(own)
        suite.equal(state_of(own), ("WORKING", None), "the state when it takes them again")
        count, *bad = is_all_there(relay, own, own.begin)
        suite.equal(bad, [0, 0, 0], "missing, more and other of %d points after it answered %s" % (count, mood))
    suite.check(not any(path == "/stolen" for path, _, _ in relay.requests), "nobody follows to where it sends")
    return begin


def test_neighbours(suite, relay, own, other, begin):
    """One receiver that hangs delays no other tenant's."""
    relay.moods[own.key] = "hangs"
    own.measure(begin, begin + 10)
    other.integrate()
    other.begin = begin - 300
    other.begin_at(other.begin)
    turns(own, 1)
    hurry(own)  # the second look has something to send, and hangs
    try_until(lambda: relay.requests[-1][1] == own.key, 5)
    began = time.monotonic()
    turns(other)
    took = time.monotonic() - began
    count, *bad = is_all_there(relay, other, other.begin)
    suite.equal(bad, [0, 0, 0], "missing, more and other of %d points of the other tenant" % count)
    suite.check(took < 12 * PATIENCE, "the other tenant's went out in %.1f s while one receiver hung" % took)
    wait_until(lambda: state_of(own)[0] == "FAILING", 30)
    suite.check("timed out" in state_of(own)[1].lower() or "timeout" in state_of(own)[1].lower(), "the reason: %s" % state_of(own)[1])
    relay.moods[own.key] = "good"
    relay.hanging.set()
    turns(own)
    count, *bad = is_all_there(relay, own, own.begin)
    suite.equal(bad, [0, 0, 0], "missing, more and other of %d points after it hung" % count)
    suite.equal({of["project"] for of in (one["metric"] for one in export(relay.store, '{__name__=~"reeve.*"}'))}, {own.project, other.project}, "whose points arrived")
    for tenant in (own, other):
        sent = {tag for key, body in relay.bodies if key == tenant.key for series in body["series"] for tag in series["tags"] if tag.startswith("project:")}
        suite.equal(sent, {"project:" + tenant.project}, "whose points went out under one key")


def test_late(suite, relay, own, worker):
    """What is older than the service takes is counted and left out, and the rest goes out."""
    worker.stop()
    now = int(time.time()) // 10 * 10
    sql("DELETE FROM measurement_push_place; UPDATE measurement_push SET since = to_timestamp(%d) WHERE project_id = decode('%s', 'hex')" % (now - 7200, own.project))
    own.measure(now - 4200, now - 3600)
    worker.start()
    before, points = own.shown(), 60 * len(own.members)
    turns(own)
    after = own.shown()
    suite.equal(after["pointsLeftOut"] - before.get("pointsLeftOut", 0), 6 * points - 3 * len(own.members), "points that were too old")
    suite.equal(after["state"], "WORKING", "the state with points left out")
    oldest = min(at for _, body in relay.bodies for series in body["series"] for at, _ in series["points"])
    suite.check(oldest > now - 3600, "nothing older than an hour was sent")


def test_secrets(suite, own, other, worker):
    with open(worker.log.name, encoding="utf-8", errors="replace") as log:
        text = log.read()
    stored = sql("SELECT string_agg(document::text, ' ') FROM resource WHERE kind = 'integration'") + sql("SELECT string_agg(document, ' ') FROM event") \
        + sql("SELECT string_agg(p::text, ' ') FROM measurement_push p")
    for where, what in (("the worker's log", text), ("the database and its events", stored), ("answers", json.dumps(own.shown()))):
        suite.check(own.key not in what and other.key not in what, "keys are not in " + where)


def test_switch(suite, relay, own):
    """Off is off: the row is gone, and what is measured then is never sent."""
    own.integrate("PUT", sendDatabaseMetrics=False)
    suite.check("state" not in own.shown(), "no state when nothing is sent")
    suite.equal(sql("SELECT count(*) FROM measurement_push WHERE project_id = decode('%s', 'hex')" % own.project), "0", "rows of what is off")
    own.integrate("PUT")
    suite.equal((own.shown()["state"], own.shown()["pointsSent"]), ("WAITING", 0), "switched on it begins anew")
    own.ask(204, "DELETE", "/integrations/DATADOG")
    suite.equal(sql("SELECT count(*) FROM measurement_push WHERE project_id = decode('%s', 'hex')" % own.project), "0", "rows of what is gone")


def main():
    ends_on_signal()
    suite = Suite("push")
    folder = tempfile.mkdtemp(prefix="push.", dir=os.environ.get("REEVE_TEST_DIR"))
    with MonitorStore() as store, MonitorStore() as received:
        relay = Relay(folder, received)
        settings = {"monitor_stores": store.url, "egress_allow": "127.0.0.1/32", "egress_ca": relay.certificate, "alert_relay": "https://127.0.0.1:%d" % relay.port}
        with start_node(workers=1, settings=settings) as node:
            world = World(node, with_roles=False)
            make_fleet()
            worker = Worker(node.conf)
            try:
                with connect(node) as connection:
                    own, other = Tenant(world, connection, store, "own"), Tenant(world, connection, store, "other")
                    own.integrate(sendUserProvidedResourceTags=True)
                    begin = test_points(suite, relay, own, other, worker)
                    begin = test_kills(suite, relay, own, worker, begin)
                    begin = test_order(suite, relay, own, begin)
                    begin = test_refusals(suite, relay, own, begin)
                    test_neighbours(suite, relay, own, other, begin)
                    test_late(suite, relay, own, worker)
                    test_secrets(suite, own, other, worker)
                    test_switch(suite, relay, own)
            finally:
                if worker.process is not None and worker.process.poll() is None:
                    worker.process.kill()
                    worker.process.wait()
            world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
