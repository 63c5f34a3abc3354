# SPDX-License-Identifier: Apache-2.0
"""Very many requests of every kind, and what it costs to have had them: memory of the node's processes and of the worker, of Redis, and the size of
PostgreSQL's tables, as a curve. R8: a worker grew by 9 KB a second for as long as projects were made, used and deleted.

Some clients make things, use them in several ways and delete them again. wrk asks for the bulk (soak.lua): every operation of the catalog, what
writes as a dry run, and every one with identifiers of nobody and of somebody else.

    script/with-services /usr/bin/python3 test/api/soak_test.py --requests 300000
    make soak                                             10^7 of them, with docs/reports/soak.md

The curve levels off when each process has grown by at most 2% or 1 MiB in the last half of the samples. The first tenth warms up.
"""
import argparse
import collections
import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import threading
import time

from access_matrix import Plan, make_facts, operations
from client import Bearer
from suite import Suite, ends_on_signal
from webhooks_test import Worker
from world import PREFIX, World, connect, no_limits, sql, start_node

SAMPLES, CLIENTS = 60, 2
PAUSE_S = 0.02  # of a client after each request: Python would take half of the machine from the bulk
SLICE_S, CONNECTIONS = 20, 8  # of wrk: requests are counted after each slice
# How often a request is in the list, beside once for each dry run and each refusal, which cost the most: a dry run does what it tries, and a
# refusal asks the database anew. What waits for an engine costs next to nothing.
READS, WAITING = 16, 128
KINDS_OF_REQUESTS = ("lives", "reads", "dry-runs", "refusals")
KIB = 1024


# ---- The clients ----
class Client:
    """One connection. What it makes it uses in several ways and deletes again, so that the number of things stays the same."""

    def __init__(self, node, owner, number, budget):
        self.connection, self.owner, self.budget = connect(node), owner, budget
        self.random = random.Random(number)
        self.digests = [owner.digest("SHA-256"), owner.digest("MD5")]
        self.wrong, self.projects = [], []

    def ask(self, expected, method, target, body=None, auth=None, headers=()):
        answer = self.connection.ask(method, target if target.startswith("/api") else PREFIX + target,
                                     auth if auth is not None else self.owner.bearer(), body, headers)
        self.budget.count()
        time.sleep(PAUSE_S)
        if answer.status not in expected and len(self.wrong) < 5:
            self.wrong.append(answer)
        return answer

    def made(self, *words, **more):
        answer = self.ask((200, 201, 202), *words, **more)
        return answer.json() if answer.status in (200, 201, 202) else {}

    def work(self):
        org = "/orgs/" + self.owner.home
        while self.budget.goes_on():
            for kind in self.random.sample(KINDS, len(KINDS)):
                kind(self, org)

    # ---- Kinds ----
    def life_of_a_project(self, org):
        project = self.made("POST", "/groups", {"name": "p" + secrets.token_hex(8), "orgId": self.owner.home},
                            headers={"Idempotency-Key": secrets.token_hex(8)} if self.random.random() < 0.5 else ())
        group = "/groups/" + project.get("id", "0" * 24)
        self.ask((200,), "PATCH", group, {"name": "q" + secrets.token_hex(8)})
        for part in self.random.sample(("", "/events", "/alertConfigs", "/databaseUsers", "/clusters", "/accessList", "/teams", "/users",
                                        "/settings", "/limits", "/maintenanceWindow", "/auditLog", "/customDBRoles/roles"), 5):
            self.ask((200, 501), "GET", group + part)
        self.ask((200, 201), "POST", group + "/accessList", [{"cidrBlock": "198.51.100.%d/32" % self.random.randrange(256)}])
        self.ask((200, 201, 202), "POST", group + "/databaseUsers", {
            "username": "u", "databaseName": "admin", "password": secrets.token_hex(16), "roles": [{"roleName": "read", "databaseName": "shop"}]})
        self.ask((204,), "DELETE", group)
        self.ask((401, 404), "GET", group)

    def lists(self, org):
        for part in ("", "/users", "/invites", "/teams", "/apiKeys", "/serviceAccounts", "/events?itemsPerPage=20", "/groups", "/webhooks", "/invoices"):
            self.ask((200,), "GET", org + part)
        self.ask((200,), "GET", "/groups?itemsPerPage=5&envelope=true")

    def keys(self, org):
        key = self.made("POST", org + "/apiKeys", {"desc": "soak", "roles": ["ORG_MEMBER"]})
        self.ask((200,), "PATCH", "%s/apiKeys/%s" % (org, key.get("id")), {"desc": "soak 2"})
        self.ask((204,), "DELETE", "%s/apiKeys/%s" % (org, key.get("id")))

    def accounts(self, org):
        made = self.made("POST", org + "/serviceAccounts", {"name": "soak", "description": "soak", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8})
        if "secrets" in made:
            token = self.connection.fetch_token(made["clientId"], made["secrets"][0]["secret"])
            self.budget.count()
            self.ask((200, 403), "GET", org, auth=Bearer(token))
        self.ask((204,), "DELETE", "%s/serviceAccounts/%s" % (org, made.get("clientId")))

    def people(self, org):
        made = self.made("POST", org + "/users", {"username": secrets.token_hex(8) + "@example.org", "roles": {"orgRoles": ["ORG_MEMBER"]}})
        if made:
            self.ask((204,), "DELETE", "%s/users/%s" % (org, made["id"]))
        if self.random.random() < 0.02:  # an organization may invite 500 a day
            sql("UPDATE invitation_count SET n = 0")

    def digest(self, org):
        self.ask((200,), "GET", org, auth=self.random.choice(self.digests))

    def wrong_ones(self, org):
        self.ask((401,), "GET", org, auth=Bearer("reeve_" + secrets.token_hex(20)))
        self.ask((400,), "POST", "/groups", {"name": 7})
        self.ask((401, 404), "GET", "/groups/" + secrets.token_hex(12))
        self.ask((404,), "GET", "/nowhere/" + secrets.token_hex(4))
        self.ask((404,), "POST", "/api/invitations/accept", {"token": "x", "username": "a@example.org", "firstName": "A", "lastName": "B"}, auth=NOBODY)


class Nobody:
    """No credentials at all."""

    @staticmethod
    def header(*_):
        return None


NOBODY = Nobody()
KINDS = (Client.life_of_a_project, Client.lists, Client.keys, Client.accounts, Client.people, Client.digest, Client.wrong_ones)


class Budget:
    def __init__(self, requests, seconds):
        self.left, self.done, self.lock = requests, 0, threading.Lock()
        self.ends = time.monotonic() + seconds

    def count(self, requests=1):
        with self.lock:
            self.done += requests

    def goes_on(self):
        return self.done < self.left and time.monotonic() < self.ends


# ---- The bulk ----
def list_of_requests(facts, kinds):
    """Lines for soak.lua. What would change something is a dry run, or names what its caller cannot change."""
    plan = Plan(facts)
    for op in operations(facts["fixtures"]):
        body = op.body(facts["a"])
        text = "" if body is None else json.dumps(body)
        kind = "reads" if op.method == "GET" else "dry-runs"
        if kind in kinds:
            times = WAITING if op.waits else READS if kind == "reads" else 1
            yield from ["%s\t%s\t%s" % (op.method, op.target(plan.values), text)] * times
        for _, caller, method, target, _, _ in plan.attacks(op):
            if caller == "owner" and "refusals" in kinds:
                yield "%s\t%s\t%s" % (method, target, text)


class Bulk:
    def __init__(self, node, owner, requests, budget):
        self.node, self.owner, self.budget = node, owner, budget
        self.statuses, self.broken, self.trouble = collections.Counter(), 0, []
        self.file = tempfile.NamedTemporaryFile("w", suffix=".tsv")
        self.file.write("".join(line + "\n" for line in requests))
        self.file.flush()

    def work(self):
        url = "https://127.0.0.1:%d" % self.node.port
        while self.budget.goes_on():
            words = ["wrk", "-t1", "-c%d" % CONNECTIONS, "-d%ds" % SLICE_S, "--timeout", "30s", "-s", os.path.join(os.path.dirname(__file__), "soak.lua"),
                     url, "--", self.file.name, self.owner.token, str(time.monotonic_ns())]
            ran = subprocess.run(words, capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                self.trouble.append(ran.stderr or ran.stdout)
                self.broken += 1
                return
            self.trouble += ran.stderr.splitlines()[:3]
            told = json.loads(ran.stdout.splitlines()[-1])
            self.statuses.update({int(status): times for status, times in told["statuses"].items()})
            self.broken += told["broken"]
            self.budget.count(told["requests"])


# ---- What is measured ----
def resident_kib(pid, word="VmRSS"):
    try:
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(word))
    except (OSError, StopIteration):
        return 0


def own_kib(pid):
    """Without the zones that nginx's processes share. They have a fixed size, and count in each process that has touched them: the cache of TLS sessions
    (10 MiB) fills during some 30,000 connections, which looks like a leak of each worker."""
    return resident_kib(pid) - resident_kib(pid, "RssShmem")


def tables_kib():
    return dict((name, int(size) // KIB) for name, size in (line.split("|") for line in sql(
        "SELECT regexp_replace(c.relname, '_[0-9]+$', ''), sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') GROUP BY 1 ORDER BY 2 DESC LIMIT 12").splitlines()))


def redis_kib():
    words = ["redis-cli", "-s", os.environ["REEVE_TEST_REDIS"], "INFO", "memory"]
    text = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    found = [line for line in text.splitlines() if line.startswith("used_memory:")]
    return int(found[0].split(":")[1]) // KIB if found else 0


def sample(node, worker, budget, started):
    return {"requests": budget.done, "seconds": time.monotonic() - started, "master": own_kib(node.pid),
            **{"worker process %d" % number: own_kib(pid) for number, pid in enumerate(node.workers())},
            "shared zones": max(resident_kib(pid, "RssShmem") for pid in node.workers()),
            "reeved worker": own_kib(worker.process.pid), "redis": redis_kib(), "tables": tables_kib()}


def levels_off(curve, what):
    """(whether, KiB at the middle, KiB at the end): growth in the second half, each end as the mean of some samples."""
    values = [one[what] for one in curve]
    few = max(1, len(values) // 10)
    middle, end = sum(values[len(values) // 2:][:few]) / few, sum(values[-few:]) / few
    return end - middle <= max(0.02 * middle, KIB), middle, end


def write_report(path, curve, verdicts, bulk):
    last, processes = curve[-1], [name for name in curve[0] if name not in ("requests", "seconds", "tables")]
    lines = ["# Soak", "", "%d requests of every kind in %d s (%.0f a second), by `test/api/soak_test.py`: %d clients that make things, use and delete them, and wrk with every "
             "operation of the catalog (%s). Memory in MiB." % (last["requests"], last["seconds"], last["requests"] / last["seconds"], CLIENTS,
                                                                ", ".join("%d × %d" % (times, status) for status, times in sorted(bulk.statuses.items()))), "",
        "| requests | " + " | ".join(processes) + " |", "|---|" + "---|" * len(processes)]
    for one in curve[::max(1, len(curve) // 20)] + [last]:
        lines.append("| %d | " % one["requests"] + " | ".join("%.1f" % (one.get(name, 0) / KIB) for name in processes) + " |")
    lines += ["", "| process | at half | at the end | levels off |", "|---|---|---|---|"]
    lines += ["| %s | %.1f | %.1f | %s |" % (name, middle / KIB, end / KIB, "yes" if good else "**no**") for name, (good, middle, end) in verdicts.items()]
    lines += ["", "The largest tables, in MiB, at the beginning and at the end; `test/data/tables.tsv` says what shrinks each.", "",
              "| table | beginning | end |", "|---|---|---|"]
    lines += ["| `%s` | %.1f | %.1f |" % (name, curve[0]["tables"].get(name, 0) / KIB, size / KIB) for name, size in last["tables"].items()]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--seconds", type=int, default=100000, help="end after so long, with as many as there were")
    parser.add_argument("--only", choices=KINDS_OF_REQUESTS, action="append", help="to find what grows: only these kinds; more than once for several")
    parser.add_argument("--report", help="write the curve into this file")
    options = parser.parse_args()
    ends_on_signal()
    suite, budget = Suite("soak"), Budget(options.requests, options.seconds)
    kinds = options.only or KINDS_OF_REQUESTS
    with start_node(workers=2) as node:
        world, worker = World(node, with_roles=False), Worker(node.conf)
        worker.start()
        owners = [world.make_caller("soak %d" % number) for number in range(CLIENTS)]
        no_limits([owner.home for owner in owners])
        clients = [Client(node, owner, number, budget) for number, owner in enumerate(owners)]
        bulk = Bulk(node, world.a, list_of_requests(make_facts(world), kinds), budget)
        working = (clients if "lives" in kinds else []) + ([bulk] if set(kinds) != {"lives"} else [])
        threads = [threading.Thread(target=one.work, daemon=True) for one in working]
        started, curve, due = time.monotonic(), [], options.requests // 10
        for thread in threads:
            thread.start()
        renewed = time.monotonic()
        while any(thread.is_alive() for thread in threads):
            if budget.done >= due:
                curve.append(sample(node, worker, budget, started))
                due += max(1, options.requests * 9 // 10 // SAMPLES)
                suite.say("%9d requests, %s" % (budget.done, ", ".join("%s %.1f" % (name, value / KIB) for name, value in curve[-1].items()
                                                                      if name not in ("requests", "seconds", "tables"))))
            if time.monotonic() - renewed > 1800:  # tokens last an hour
                for owner in (world.a, *owners):
                    owner.fetch(world.connection)
                renewed = time.monotonic()
            time.sleep(0.2)
        curve.append(sample(node, worker, budget, started))
        for client in clients:
            suite.check(not client.wrong, "answers that nobody expected: %r", client.wrong)
        faults = {status: times for status, times in bulk.statuses.items() if status >= 500 and status != 501}
        suite.check(not faults and not bulk.broken, "faults %s, %d connections broke: %s", faults, bulk.broken, bulk.trouble[:5])
        processes = [name for name in curve[0] if name not in ("requests", "seconds", "tables")]
        verdicts = {name: levels_off(curve, name) for name in processes}
        for name, (good, middle, end) in verdicts.items():
            suite.check(good, "R8: %s grew from %.1f to %.1f MiB in the second half", name, middle / KIB, end / KIB)
        suite.say("soak: %d requests in %d s" % (budget.done, time.monotonic() - started))
        if options.report:
            write_report(options.report, curve, verdicts, bulk)
        if worker.process.poll() is None:
            worker.stop()
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
