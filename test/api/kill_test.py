# SPDX-License-Identifier: Apache-2.0
"""Two nodes under mixed load; one of them, master and workers, is killed with SIGKILL again and again.

At the end every write that was acknowledged is there, every create that was repeated with its Idempotency-Key happened
once, no PATCH with If-Match overwrote another, and the chain of events is whole.
"""
import os
import random
import signal
import sys
import threading
import time

from client import Bearer, Broken
from suite import Contract, Suite, ends_on_signal
from world import PREFIX, bootstrap, connect, no_limits, reeved, sql, start_node

KILLS, WRITERS, PATCHERS, SHARERS, READERS = 20, 3, 2, 3, 2
# What a client repeats: the connection ended, or the node said that it cannot now.
AGAIN = {408, 429, 500, 502, 503, 504}


class Gone(Exception):
    """No node gave a definite answer for a long time."""


class Client:
    """One client with a connection to each node; goes to another node when one does not answer."""

    def __init__(self, test, number):
        self.test, self.random = test, random.Random(number)
        self.connections = [connect(node, timeout=10) for node in test.nodes]

    def once(self, method, target, body=None, headers=()):
        """One try on a node chosen by chance: the answer, or None when it is not known what became of it."""
        connection = self.random.choice(self.connections)
        try:
            answer = connection.ask(method, PREFIX + target, Bearer(self.test.org.token), body, headers)
        except (OSError, Broken, ValueError):
            connection.close()
            self.test.count("broken")
            return None
        self.test.note(answer)
        return answer

    def definite(self, method, target, body=None, headers=()):
        """Repeats until there is an answer that says something."""
        until, tries = time.monotonic() + 60, 0
        while time.monotonic() < until:
            answer = self.once(method, target, body, headers)
            if answer is not None and answer.status not in AGAIN and answer.code() != "IDEMPOTENCY_KEY_IN_FLIGHT":
                return answer, tries
            tries += 1
            time.sleep(0.02 * self.random.random() * min(tries, 10))
        raise Gone("%s %s" % (method, target))

    def close(self):
        for connection in self.connections:
            connection.close()


class Test:
    def __init__(self, suite, nodes, org):
        self.suite, self.nodes, self.org = suite, nodes, org
        self.contract = Contract()
        self.lock = threading.Lock()
        self.counts = {}
        self.stop = threading.Event()
        self.created = {}      # name: id that was answered
        self.values = {}       # project: (acknowledged, in doubt)
        self.increments = {}   # project: how often its shared counter was raised for sure

    def count(self, what, amount=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + amount

    def note(self, answer):
        self.count("answers")
        if answer.status >= 500:
            self.count(answer.code() or str(answer.status))
        if answer.status >= 400:
            with self.lock:
                problems = self.contract.problems(answer)
            if problems:
                self.suite.fail("%r: %s" % (answer, problems))

    # ---- Creates with a key ----
    def create(self, client, number):
        at = 0
        while not self.stop.is_set():
            name = "made-%d-%d" % (number, at)
            at += 1
            answer, tries = client.definite("POST", "/groups", {"name": name, "orgId": self.org.home}, {"Idempotency-Key": "key-" + name})
            if answer.status != 201:
                self.suite.fail("%s: %r after %d tries" % (name, answer, tries))
                continue
            self.count("creates")
            self.count("creates repeated", 1 if tries else 0)
            self.count("creates replayed", 1 if answer.headers.get("idempotency-replayed") else 0)
            with self.lock:
                self.created[name] = answer.json()["id"]
            if at % 4 == 0:  # once more, long after it was acknowledged
                replay, _ = client.definite("POST", "/groups", {"name": name, "orgId": self.org.home}, {"Idempotency-Key": "key-" + name})
                if replay.status != 201 or replay.json()["id"] != self.created[name]:
                    self.suite.fail("%s: repeated, another answer: %r" % (name, replay))
                self.count("creates repeated later")

    # ---- A project of one's own: the last acknowledged value is there ----
    def patch_alone(self, client, project):
        value = 0
        while not self.stop.is_set():
            value += 1
            etag = client.definite("GET", "/groups/" + project)[0].headers["etag"]
            with self.lock:
                acknowledged, doubted = self.values[project]
                self.values[project] = (acknowledged, doubted | {value})
            answer = client.once("PATCH", "/groups/" + project, {"tags": [{"key": "value", "value": str(value)}]}, {"If-Match": etag})
            if answer is not None and answer.status == 200:
                with self.lock:
                    self.values[project] = (value, set())
                self.count("patches acknowledged")
            elif answer is not None and answer.status not in AGAIN | {412}:
                self.suite.fail("PATCH of %s: %r" % (project, answer))
            elif answer is None or answer.status != 412:
                self.count("patches in doubt")

    # ---- A counter that several clients raise: no increment is lost ----
    def raise_together(self, client, project, name):
        while not self.stop.is_set():
            before = client.definite("GET", "/groups/" + project)[0]
            tags = {tag["key"]: tag["value"] for tag in before.json()["tags"]}
            mine = int(tags.get(name, "0"))
            # Each client has a key of its own beside the common one, so that it knows what it did when it is in doubt.
            tags[name], tags["all"] = str(mine + 1), str(int(tags.get("all", "0")) + 1)
            body = {"tags": [{"key": key, "value": value} for key, value in sorted(tags.items())]}
            answer = client.once("PATCH", "/groups/" + project, body, {"If-Match": before.headers["etag"]})
            if answer is None or answer.status in AGAIN:
                # In doubt. A commit that is still under way ends within a moment; then the own key tells.
                self.count("increments in doubt")
                time.sleep(0.3)
                now = client.definite("GET", "/groups/" + project)[0].json()["tags"]
                happened = int({tag["key"]: tag["value"] for tag in now}.get(name, "0")) > mine
            elif answer.status == 412:
                self.count("conflicts found by If-Match")
                happened = False
            else:
                happened = answer.status == 200
                if not happened:
                    self.suite.fail("PATCH of the counter: %r" % answer)
            if happened:
                self.count("increments")
                with self.lock:
                    self.increments[project] = self.increments.get(project, 0) + 1

    def read(self, client, project):
        while not self.stop.is_set():
            answer, _ = client.definite("GET", client.random.choice(
                ["", "/groups?itemsPerPage=20", "/groups/" + project, "/orgs/" + self.org.home, "/groups/%s/privateIpMode" % project]))
            self.count("reads")
            if answer.status != 200:
                self.suite.fail("a read: %r" % answer)

    def run_client(self, work, number, *rest):
        client = Client(self, number)
        try:
            work(client, *rest)
        except Gone as why:
            self.suite.fail("no answer: %s" % why)
        except Exception as why:  # a client must not end in silence
            self.suite.fail("client %d: %r" % (number, why))
        finally:
            client.close()


def kill_whole(node):
    """SIGKILL to the master and every worker at once, by their ids."""
    pids = [node.pid] + node.workers()
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    node.process.wait()
    until = time.monotonic() + 10
    while any(os.path.exists("/proc/%d" % pid) and not is_zombie(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.01)


def is_zombie(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def kill_in_turn(suite, test, nodes):
    chance = random.Random(int(os.environ.get("REEVE_SEED", "1")))
    for number in range(KILLS):
        time.sleep(0.3 + 0.7 * chance.random())
        node = chance.choice(nodes)
        kill_whole(node)
        time.sleep(0.3 * chance.random())
        node.start()
    time.sleep(1)


def check_result(suite, test, nodes, projects, shared):
    rows = sql("SELECT name, count(*), min(encode(id, 'hex')) FROM project WHERE org_id = decode('%s', 'hex') AND name LIKE 'made-%%' "
               "GROUP BY name" % test.org.home)
    found = {line.split("|")[0]: line.split("|")[1:] for line in rows.split("\n") if line}
    lost = [name for name, project in test.created.items() if found.get(name, [None, None])[1] != project]
    twice = [name for name, (count, _) in found.items() if count != "1"]
    suite.check(not lost, "acknowledged creates that are not there: %s", lost[:10])
    suite.check(not twice, "created more than once: %s", twice[:10])
    suite.check(set(found) <= set(test.created), "there is what nobody was told of: %s", sorted(set(found) - set(test.created))[:10])
    with connect(nodes[0]) as connection:
        for project in projects:
            tags = connection.ask("GET", PREFIX + "/groups/" + project, Bearer(test.org.token)).json()["tags"]
            now = int(tags[0]["value"]) if tags else 0
            acknowledged, doubted = test.values[project]
            suite.check(now == acknowledged or now in doubted, "project %s has %d; %d was acknowledged, in doubt were %s", project, now,
                        acknowledged, sorted(doubted))
        tags = {tag["key"]: int(tag["value"]) for tag in
                connection.ask("GET", PREFIX + "/groups/" + shared, Bearer(test.org.token)).json()["tags"]}
        suite.equal(tags.get("all"), sum(value for key, value in tags.items() if key != "all"), "the common counter and the sum of the clients' own")
        suite.equal(tags.get("all"), test.increments.get(shared), "the counter and the increments that were acknowledged")
        total = connection.ask("GET", PREFIX + "/groups?itemsPerPage=1", Bearer(test.org.token)).json()["totalCount"]
        suite.equal(total, len(found) + len(projects) + 1, "totalCount of the projects")
    events = int(sql("SELECT count(*) FROM event WHERE org_id = decode('%s', 'hex') AND type = 'GROUP_CREATED'" % test.org.home))
    suite.equal(events, len(found) + len(projects) + 1, "events of created projects")
    audit = reeved("audit", "verify", "--config", nodes[0].conf, ok=False)
    suite.check(audit.returncode == 0, "reeved audit verify: %s%s", audit.stdout, audit.stderr)
    suite.say("reeved audit verify: " + audit.stdout.strip())
    stuck = sql("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND xact_start < now() - interval '5 seconds'")
    suite.equal(stuck, "0", "transactions that dead nodes left open")


def main():
    ends_on_signal()
    suite = Suite("kill")
    nodes = [start_node(workers=2)]
    nodes.append(start_node(workers=2, migrate=False))
    try:
        for node in nodes:
            node.start()
        org = bootstrap(nodes[0].conf, "killed")
        no_limits([org.home])
        with connect(nodes[0]) as connection:
            org.fetch(connection)
            projects = [connection.ask("POST", PREFIX + "/groups", org.bearer(), {"name": "p%d" % number, "orgId": org.home}).json()["id"]
                        for number in range(PATCHERS + 1)]
        shared = projects.pop()
        test = Test(suite, nodes, org)
        test.values = {project: (0, set()) for project in projects}
        plans = [(test.create, number, number) for number in range(WRITERS)]
        plans += [(test.patch_alone, 100 + number, project) for number, project in enumerate(projects)]
        plans += [(test.raise_together, 200 + number, shared, "client-%d" % number) for number in range(SHARERS)]
        plans += [(test.read, 300 + number, shared) for number in range(READERS)]
        threads = [threading.Thread(target=test.run_client, args=plan) for plan in plans]
        for thread in threads:
            thread.start()
        try:
            kill_in_turn(suite, test, nodes)
        finally:
            test.stop.set()
            for thread in threads:
                thread.join()
        check_result(suite, test, nodes, projects, shared)
        suite.say("%d kills; %s" % (KILLS, ", ".join("%s: %d" % pair for pair in sorted(test.counts.items()))))
        for what in ("creates", "creates repeated", "patches acknowledged", "increments", "conflicts found by If-Match", "reads"):
            suite.check(test.counts.get(what, 0) > 0, "nothing was tried of: %s", what)
    finally:
        for node in nodes:
            node.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
