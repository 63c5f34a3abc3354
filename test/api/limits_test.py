# SPDX-License-Identifier: Apache-2.0
"""Rate limits of three nodes that share one Redis: exactly the capacity, then exactly the refill, in each scope; limits of
one's own; and what happens when Redis is killed."""
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

from client import Bearer, Digest, wait_until
from suite import Contract, Suite, ends_on_signal
from world import PREFIX, bootstrap, connect, new_id, no_limits, reeved, start_node

NODES, CONNECTIONS_EACH, QUIET_S, PERIOD_S = 3, 3, 3.0, 60
# A node counts by itself when Redis takes longer than this. Here three nodes, Redis, PostgreSQL and all clients share a few
# processors, and that Redis is slow is not what is tested.
PATIENT = {"redis_timeout_ms": 2000}
LONELY = "127.0.0.77"  # an address that only the test of the address bucket calls from


class Redis:
    """A Redis of this test's own, killed and started again by its own pid."""

    def __init__(self):
        self.folder = os.environ["REEVE_TEST_DIR"]
        self.socket = os.path.join(self.folder, "limits.sock")
        self.process = None

    def start(self):
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        with open(os.path.join(self.folder, "limits-redis.log"), "ab") as log:
            self.process = subprocess.Popen(
                ["redis-server", "--port", "0", "--unixsocket", self.socket, "--unixsocketperm", "777", "--dir", self.folder,
                 "--save", "", "--appendonly", "no", "--daemonize", "no"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        wait_until(lambda: os.path.exists(self.socket), 10)

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


# ---- Draining ----
class Drain:
    """Takes from one bucket through all nodes at once until nothing has been granted for a while."""

    def __init__(self, nodes, target, make_auth, source=None):
        self.nodes, self.target, self.make_auth, self.source = nodes, target, make_auth, source
        self.lock = threading.Lock()
        self.granted, self.refused, self.odd, self.remaining = 0, [], [], []
        self.last_grant = self.began = self.ended = 0.0

    def _take(self, node, errors):
        try:
            auth = self.make_auth()
            with connect(node, source=self.source) as connection:
                while time.monotonic() - self.last_grant < QUIET_S:
                    answer = connection.ask("GET", self.target, auth)
                    if isinstance(auth, Digest) and answer.status == 401:
                        continue
                    with self.lock:
                        if answer.status == 429:
                            self.refused.append(answer)
                        elif answer.status in (200, 501):
                            self.granted += 1
                            self.last_grant = time.monotonic()
                            self.remaining.append(int(answer.headers.get("ratelimit-remaining", -1)))
                            if "retry-after" in answer.headers:
                                self.odd.append(answer)
                        else:
                            self.odd.append(answer)
                    if answer.status == 429:
                        time.sleep(0.02)
        except Exception as why:  # a thread must not end in silence
            errors.append(why)

    def run(self):
        errors = []
        self.began = self.last_grant = time.monotonic()
        threads = [threading.Thread(target=self._take, args=(node, errors)) for node in self.nodes for _ in range(CONNECTIONS_EACH)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.ended = time.monotonic()
        if errors:
            raise errors[0]
        return self


def expected_refusal(path, wait, capacity, refill):
    """The document of the specification, byte for byte."""
    return ('{"detail":"Rate limit exceeded for %s. Please retry after %d seconds. Request capacity: %d. Refill rate: %d per 60 seconds.",'
            '"error":429,"errorCode":"RATE_LIMITED_TOKEN_BUCKET","parameters":["%s",%d,%d,%d,60],"reason":"Too Many Requests"}'
            % (path, wait, capacity, refill, path, wait, capacity, refill)).encode()


def check_drain(suite, contract, what, drain, wanted, capacity, refill, period_began):
    suite.equal(drain.granted, wanted, "%s: requests let through by %d nodes" % (what, len(drain.nodes)))
    suite.check(not drain.odd, "%s: odd answers %r", what, drain.odd[:3])
    suite.check(drain.remaining and all(0 <= one < capacity for one in drain.remaining), "%s: RateLimit-Remaining %s", what,
                drain.remaining[:20])
    suite.check(len(drain.refused) > 0, "%s: nothing was refused", what)
    path = drain.target.partition("?")[0]
    for answer in drain.refused:
        wait = int(answer.headers.get("retry-after", 0))
        wrong = []
        if answer.body != expected_refusal(path, wait, capacity, refill):
            wrong.append("the document is %r" % answer.body)
        if answer.headers.get("ratelimit-limit") != str(capacity) or answer.headers.get("ratelimit-remaining") != "0":
            wrong.append("RateLimit-Limit %s, RateLimit-Remaining %s" % (answer.headers.get("ratelimit-limit"),
                                                                       answer.headers.get("ratelimit-remaining")))
        if not 1 <= wait <= PERIOD_S:
            wrong.append("Retry-After is %d" % wait)
        wrong += contract.problems(answer)
        if wrong:
            suite.fail("%s: %s" % (what, "; ".join(wrong)))
            break
    else:
        suite.check(True, "")
    wait = int(drain.refused[-1].headers["retry-after"])
    left = period_began + PERIOD_S - drain.ended
    suite.check(left - 1.5 <= wait <= left + 2.5, "%s: Retry-After is %d, the refill comes in %.1f s", what, wait, left)


class Scope:
    """One bucket from full to empty to its refill to empty."""

    def __init__(self, name, set_name, target, make_auth, capacity, refill, source=None):
        self.name, self.set_name, self.target, self.make_auth, self.source = name, set_name, target, make_auth, source
        self.capacity, self.refill = capacity, refill
        self.drains, self.problem = [], None

    def run(self, nodes):
        try:
            first = Drain(nodes, self.target, self.make_auth, self.source).run()
            self.drains.append(first)
            time.sleep(max(0, first.began + PERIOD_S + 1.0 - time.monotonic()))
            self.drains.append(Drain(nodes, self.target, self.make_auth, self.source).run())
        except Exception as why:
            self.problem = why


def denied(node, set_name):
    found = re.search(r'^reeve_rate_limit_denied_total\{set="%s"\} (\d+)$' % set_name, node.operator("/metrics")[1], re.M)
    return int(found.group(1)) if found else 0


def test_scopes(suite, contract, nodes, org, project):
    bearer = lambda: Bearer(org.token)
    scopes = [
        Scope("ORGANIZATION", "S45", PREFIX + "/orgs/%s/settings" % org.home, bearer, 10, 5),
        Scope("GROUP", "S24", PREFIX + "/groups/%s/events" % project, bearer, 300, 100),
        Scope("USER", "S57", PREFIX + "/rateLimits/S17", bearer, 300, 100),
        Scope("IP", "S59", PREFIX + "/unauth/controlPlaneIPAddresses", lambda: None, 400, 100, LONELY),
    ]
    threads = [threading.Thread(target=scope.run, args=(nodes,)) for scope in scopes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for scope in scopes:
        what = "%s %s" % (scope.name, scope.set_name)
        if scope.problem is not None:
            suite.fail("%s: %r" % (what, scope.problem))
            continue
        full, refilled = scope.drains
        check_drain(suite, contract, what + ", full bucket", full, scope.capacity, scope.capacity, scope.refill, full.began)
        check_drain(suite, contract, what + ", after the refill", refilled, scope.refill, scope.capacity, scope.refill,
                    full.began + PERIOD_S)
        suite.equal(sum(denied(node, scope.set_name) for node in nodes), len(full.refused) + len(refilled.refused), what + ": what the metrics count as refused")
        suite.say("%s: %d let through (%.1f s), %d refused; after 60 s %d let through (%.1f s)"
                  % (what, full.granted, full.last_grant - full.began, len(full.refused), refilled.granted, refilled.last_grant - refilled.began))


# ---- Limits of one's own ----
def limit_set(node, *words):
    return reeved("limit", "set", "--config", node.conf, *words)


def test_overrides(suite, contract, nodes, org, project, projects):
    node = nodes[0]
    digest = lambda: Digest(org.public_key, org.private_key)
    limit_set(node, "--project", project, "--set", "S03", "--capacity", "7", "--refill", "3")
    limit_set(node, "--org", org.home, "--set", "S07", "--capacity", "6", "--refill", "2")
    limit_set(node, "--org", org.home, "--set", "S05", "--capacity", "6", "--refill", "2")
    limit_set(node, "--project", project, "--set", "S05", "--capacity", "9", "--refill", "4")
    limit_set(node, "--user", org.key, "--set", "S26", "--capacity", "5", "--refill", "1")
    limit_set(node, "--org", org.home, "--set", "S25", "--capacity", "8", "--refill", "8")
    time.sleep(1)  # a commit is heard of at once; this is for slow machines
    for what, target, capacity, refill in (
        ("a project's own", "/groups/%s/activityFeed" % project, 7, 3),
        ("an organization's, for its project", "/groups/%s/alerts" % project, 6, 2),
        ("the same, for another project with a bucket of its own", "/groups/%s/alerts" % projects[1], 6, 2),
        ("a project's own before its organization's", "/groups/%s/alertConfigs" % project, 9, 4),
        ("a user's own", "/eventTypes", 5, 1),
        ("an organization's own", "/orgs/%s/events" % org.home, 8, 8),
    ):
        drain = Drain(nodes, PREFIX + target, lambda: Bearer(org.token) if target != "/eventTypes" else digest()).run()
        check_drain(suite, contract, "limit: " + what, drain, capacity, capacity, refill, drain.began)
    refused = reeved("limit", "set", "--config", node.conf, "--org", org.home, "--set", "S99", "--capacity", "1", "--refill", "1", ok=False)
    suite.check(refused.returncode != 0, "a set that does not exist got a limit")
    refused = reeved("limit", "set", "--config", node.conf, "--project", new_id(), "--set", "S17", "--capacity", "1", "--refill", "1", ok=False)
    suite.check(refused.returncode != 0, "a project that does not exist got a limit")


def test_listing(suite, contract, nodes, org, other, project):
    """GET /rateLimits: which sets, with what values."""
    with connect(nodes[1]) as connection:
        auth = Digest(org.public_key, org.private_key)

        def ask(query, status=200):
            answer = connection.ask("GET", PREFIX + "/rateLimits" + query, auth)
            suite.equal(answer.status, status, "GET /rateLimits" + query)
            suite.check(not contract.problems(answer), "GET /rateLimits%s is not as documented", query)
            return answer.json()

        everything = ask("?itemsPerPage=500")
        suite.equal(everything["totalCount"], 67, "sets in all")
        suite.check(all(one["capacity"]["value"] == one["capacity"]["defaultValue"] for one in everything["results"]),
                    "without an owner a limit differs from its default")
        own = {one["endpointSetId"]: one for one in ask("?itemsPerPage=500&groupId=" + project)["results"]}
        suite.check(own and {one["scope"] for one in own.values()} == {"GROUP"}, "groupId does not narrow to projects' sets")
        suite.equal((own["S03"]["capacity"], own["S03"]["refillRate"]),
                    ({"value": 7, "defaultValue": 1200}, {"value": 3, "defaultValue": 500}), "S03 of the project")
        suite.equal(own["S07"]["capacity"], {"value": 6, "defaultValue": 1200}, "S07, which the organization set")
        suite.equal(own["S05"]["capacity"], {"value": 9, "defaultValue": 1200}, "S05, which both set")
        suite.equal(own["S17"]["capacity"], {"value": 10000, "defaultValue": 10000}, "S17, which nobody set")
        suite.equal(own["S17"]["refillDurationSeconds"], {"value": 60, "defaultValue": 60}, "refill of S17")
        of_org = {one["endpointSetId"]: one for one in ask("?itemsPerPage=500&orgId=" + org.home)["results"]}
        suite.equal({one["scope"] for one in of_org.values()}, {"ORGANIZATION"}, "scopes with orgId")
        suite.equal(of_org["S25"]["capacity"], {"value": 8, "defaultValue": 500}, "S25 of the organization")
        of_user = {one["endpointSetId"]: one for one in ask("?userId=" + org.key)["results"]}
        suite.equal({one["scope"] for one in of_user.values()}, {"USER"}, "scopes with userId")
        suite.equal(of_user["S26"]["capacity"], {"value": 5, "defaultValue": 300}, "S26 of the user")
        suite.equal([one["endpointSetId"] for one in ask("?ipAddress=192.0.2.1")["results"]], ["S59"], "sets with ipAddress")
        both = {one["scope"] for one in ask("?itemsPerPage=500&orgId=%s&groupId=%s" % (org.home, project))["results"]}
        suite.equal(both, {"ORGANIZATION", "GROUP"}, "scopes with two owners")
        suite.equal([one["endpointSetId"] for one in ask("?name=root")["results"]], ["S60"], "sets by name")
        suite.equal([one["endpointSetId"] for one in ask("?endpointPath=/groups/%7BgroupId%7D/clusters")["results"]], ["S17"], "sets by path")
        suite.equal(ask("?name=nothing-has-this-name")["results"], [], "no set")
        one = ask("/S03?groupId=" + project)
        suite.equal(one["capacity"], {"value": 7, "defaultValue": 1200}, "one set of the project")
        suite.check({"method": "GET", "path": "/groups/{groupId}/activityFeed"} in one["endpoints"], "S03 does not list its operation")
        ask("/S99", 404)
        ask("?groupId=" + new_id(), 404)
        ask("?orgId=" + new_id(), 404)
        ask("?orgId=" + other.home, 401)
        ask("?userId=" + other.key, 401)
        ask("?groupId=x", 400)


# ---- Redis is killed ----
class Load:
    """Requests by both methods through all nodes, each of which must succeed."""

    def __init__(self, nodes, org):
        self.nodes, self.org = nodes, org
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.count, self.slowest, self.failures = 0, 0.0, []

    def _run(self, node, auth):
        with connect(node) as connection:
            targets = [PREFIX, PREFIX + "/orgs/" + self.org.home, PREFIX + "/groups", PREFIX + "/rateLimits/S17"]
            number = 0
            while not self.stop.is_set():
                began = time.monotonic()
                try:
                    answer = connection.ask("GET", targets[number % len(targets)], auth)
                    good = answer.status == 200
                except Exception as why:
                    answer, good = why, False
                took = time.monotonic() - began
                with self.lock:
                    self.count += 1
                    self.slowest = max(self.slowest, took)
                    if not good:
                        self.failures.append(answer)
                number += 1

    def __enter__(self):
        self.threads = []
        for node in self.nodes:
            for auth in (Bearer(self.org.token), Digest(self.org.public_key, self.org.private_key)):
                self.threads.append(threading.Thread(target=self._run, args=(node, auth)))
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def redis_is_up(node):
    return "\nreeve_redis_up 1" in node.operator("/metrics")[1]


def test_loss(suite, contract, nodes, redis, free, limited):
    with Load(nodes, free) as load:
        time.sleep(2)
        before = load.count
        redis.kill()
        time.sleep(3)
        during = load.count
        # Each process counts by itself now, with its share of the limit.
        drain = Drain(nodes, PREFIX + "/orgs/%s/settings" % limited.home, lambda: Bearer(limited.token)).run()
        suite.check(1 <= drain.granted <= 10, "without Redis %d of 10 requests were let through", drain.granted)
        redis.start()
        took = wait_until(lambda: all(redis_is_up(node) for node in nodes), 15)
        time.sleep(1)
    suite.check(not load.failures, "%d of %d requests failed while Redis was killed: %r", len(load.failures), load.count, load.failures[:3])
    suite.check(during - before > 50, "only %d requests were answered while Redis was gone", during - before)
    suite.say("Redis killed under load: %d requests, %d failed, slowest %.0f ms; without Redis %d of 10 tokens given; back %.1f s after its start"
              % (load.count, len(load.failures), 1000 * load.slowest, drain.granted, took))


def test_exact_again(suite, contract, nodes, org):
    drain = Drain(nodes, PREFIX + "/orgs/%s/settings" % org.home, lambda: Bearer(org.token)).run()
    suite.equal(drain.granted, 10, "tokens of a fresh bucket after Redis came back")


# ---- The guard ----
def test_guard(suite, contract, redis):
    with start_node(settings={"guard_failures_per_minute": 10}, redis=redis.socket, migrate=False) as node:
        with connect(node, source="127.0.0.78") as guilty, connect(node, source="127.0.0.79") as innocent:
            answers = [guilty.ask("GET", PREFIX, Bearer("wrong")) for _ in range(15)]
            suite.equal([answer.status for answer in answers], [401] * 10 + [429] * 5, "15 wrong tokens from one address")
            suite.equal(answers[-1].code(), "TOO_MANY_FAILURES", "the guard's refusal")
            suite.check(1 <= int(answers[-1].headers.get("retry-after", 0)) <= 60, "Retry-After of the guard: %s", answers[-1].headers)
            suite.check(not contract.problems(answers[-1]), "the guard's refusal is not as documented")
            suite.equal(innocent.ask("GET", PREFIX, Bearer("wrong")).status, 401, "a wrong token from another address")
            suite.equal(guilty.ask("GET", PREFIX + "/unauth/controlPlaneIPAddresses").status, 200, "what needs no credentials, for the guilty address")


def test_pace(suite, redis):
    """Who goes on asking waits for the refusals, all but the first of a second; others do not, and nothing is lost when they go."""
    with start_node(settings={"guard_failures_per_minute": 10}, redis=redis.socket, migrate=False) as node:
        answers = []

        def ask(times, source):
            with connect(node, source=source) as connection:
                answers.extend(connection.ask("GET", PREFIX, Bearer("wrong")).status for _ in range(times))

        ask(11, "127.0.0.80")
        threads = [threading.Thread(target=ask, args=(25, "127.0.0.80")) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        suite.equal(answers.count(429), 151, "refusals of one address")
        ask(12, "127.0.0.81")
        with connect(node, source="127.0.0.80") as gone:  # leaves while its answers are held back
            for _ in range(40):
                gone.ask("GET", PREFIX + "/unauth/controlPlaneIPAddresses")
                gone._socket.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\r\n" % PREFIX.encode())
                gone.close()
        with connect(node) as connection:
            suite.equal(connection.ask("GET", PREFIX + "/unauth/controlPlaneIPAddresses").status, 200, "an answer after clients went")
        with open(node.log, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        held = {address: [row["durationMs"] >= 100 for row in rows if row["status"] == 429 and row["client"] == address][:151]
                for address in ("127.0.0.80", "127.0.0.81")}
        suite.check(sum(held["127.0.0.80"]) >= 20, "of 151 refusals %d were held back", sum(held["127.0.0.80"]))
        suite.check(held["127.0.0.80"].count(False) >= 20, "of 151 refusals %d were answered at once", held["127.0.0.80"].count(False))
        suite.check(not all(held["127.0.0.81"]), "the first refusals of an address were held back")
        suite.equal(node.error_text().count("signal"), 0, "processes that were killed")


def main():
    ends_on_signal()
    suite, contract, redis = Suite("limits"), Contract(), Redis()
    nodes = []
    try:
        redis.start()
        for number in range(NODES):
            nodes.append(start_node(workers=2, redis=redis.socket, migrate=number == 0, settings=PATIENT))
            nodes[-1].start()
        org, other, free, limited, fresh = (bootstrap(nodes[0].conf, name) for name in ("drained", "other", "free", "limited", "fresh"))
        no_limits([free.home])
        with connect(nodes[0]) as connection:
            for caller in (org, other, free, limited, fresh):
                caller.fetch(connection)
            projects = [connection.ask("POST", PREFIX + "/groups", org.bearer(), {"name": name, "orgId": org.home}).json()["id"]
                        for name in ("one", "two")]
        test_scopes(suite, contract, nodes, org, projects[0])
        test_overrides(suite, contract, nodes, org, projects[0], projects)
        test_listing(suite, contract, nodes, org, other, projects[0])
        test_guard(suite, contract, redis)
        test_pace(suite, redis)
        test_loss(suite, contract, nodes, redis, free, limited)
        test_exact_again(suite, contract, nodes, fresh)
    finally:
        for node in nodes:
            if suite.failures and os.environ.get("REEVE_SHOW"):
                suite.say("stderr of a node: " + node.error_text())
            node.close()
        redis.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
