# SPDX-License-Identifier: Apache-2.0
"""Nobody waits behind another tenant: large pages, large bodies, rules that tenants wrote.

    script/with-services /usr/bin/python3 test/api/fair_test.py

What is looked at is who is answered before whom, which does not depend on how busy the machine is. How much slower others get is
measured by test/abuse.
"""
import os
import re
import sys
import time
from collections import Counter

from client import PATIENCE, wait_until
from http2 import RST_STREAM, Http2, frame
from suite import Suite, ends_on_signal
from world import PREFIX, bootstrap, connect, new_id, no_limits, sql, start_node

CONNECTIONS, STREAMS, GROUP = 3, 100, 10
TAKEN_BACK = 499
HOSTILE = " || ".join(["(1e131000/7)%(1e65000/3)>1"] * 60)  # half a second each
WIDE = 2 ** 31 - 1


class World:
    def __init__(self, node):
        self.node = node
        self.noisy, self.quiet = bootstrap(node.conf, "noisy"), bootstrap(node.conf, "quiet")
        no_limits([self.noisy.home, self.quiet.home])
        self.projects = {}
        with connect(node) as connection:
            for caller in (self.noisy, self.quiet):
                caller.fetch(connection)
                project = connection.ask("POST", PREFIX + "/groups", caller.bearer(), {"name": "p", "orgId": caller.home}).json()["id"]
                self.projects[caller.name] = project
            for number in range(520):
                connection.ask("PATCH", PREFIX + "/groups/" + self.projects["noisy"], self.noisy.bearer(), {"tags": [{"key": "n", "value": str(number)}]})

    def events(self, caller, items):
        return PREFIX + "/orgs/%s/events?itemsPerPage=%d" % (caller.home, items)


def gauge(node, name):
    text = node.operator("/metrics")[1]
    found = re.search(r"^%s(?:\{[^}]*\})? (\d+)" % name, text, re.M)
    return int(found.group(1)) if found else None


def flood(world, work, is_enough, takes_back=False):
    """Sends CONNECTIONS × STREAMS large pages at once, and does `work`. Returns what that says, and the lines of the log since: those of all pages, or is_enough(lines)."""
    connections = [Http2(world.node, window=WIDE, source="127.0.0.2") for _ in range(CONNECTIONS)]
    known = len(world.node.log_lines())

    def is_over():
        for one in connections:
            one.read(0.01)
        lines = world.node.log_lines()[known:]
        return len(of_path(lines, world.events(world.noisy, 500))) >= CONNECTIONS * STREAMS or is_enough(lines)

    try:
        for one in connections:
            one.widen(0, WIDE - 65535)
            one.read(0.2)
            asked = [one.request("GET", world.events(world.noisy, 500), world.noisy.token) for _ in range(STREAMS)]
            parts = [asked[at:at + GROUP] for at in range(0, STREAMS, GROUP)]  # taken back a few at a time, or a pause in between would serve many
            one.send(b"".join(b"".join(data for _, data in part) + (b"".join(frame(RST_STREAM, 0, stream, b"\0\0\0\x08") for stream, _ in part) if takes_back else b"")
                              for part in parts))
        result = work()
        wait_until(is_over, 60)
        return result, world.node.log_lines()[known:]
    finally:
        for one in connections:
            one.close()


def of_path(lines, path):
    """Lines of the log have no query."""
    return [line for line in lines if line.get("path") == path.split("?")[0]]


def large_pages(suite, world):
    """
    R1: who sends three hundred large pages at once waits behind themselves. What others wait is compared with the longest that one of the pages
    waited, both by the node's own clock: how long the client that asks is held up does not count.
    """
    asked = [world.events(world.quiet, 100), PREFIX + "/orgs/" + world.quiet.home, world.events(world.quiet, 500), PREFIX + "/groups/" + world.projects["quiet"]]

    def ask():
        with connect(world.node) as connection:
            answers = [connection.ask("GET", path, world.quiet.bearer()) for path in asked]
            answers.append(connection.ask("PATCH", PREFIX + "/groups/" + world.projects["quiet"], world.quiet.bearer(), {"tags": []}))
            return [answer.status for answer in answers]

    def waits(lines):
        """(of each request of others, the longest of the pages)"""
        others = [line["durationMs"] for path in {path.split("?")[0] for path in asked} for line in of_path(lines, path)]
        return others, max((line["durationMs"] for line in of_path(lines, world.events(world.noisy, 500))), default=0)

    def is_enough(lines):
        others, longest = waits(lines)
        return len(others) == 5 and sum(others) < longest / 2

    statuses, lines = flood(world, ask, is_enough)
    suite.equal(statuses, [200] * 5, "requests of others while large pages wait")
    suite.check(is_enough(lines), "requests of others took %s ms, the longest of the large pages %s ms", *waits(lines))


def cancelled_pages(suite, world):
    """R1: what a client takes back leaves the line at once. Every request has a line in the log that says how it ended."""
    def look():
        with connect(world.node) as connection:
            return connection.ask("GET", world.events(world.noisy, 500), world.noisy.bearer()).status

    status, lines = flood(world, look, lambda lines: False, takes_back=True)
    suite.equal(status, 200, "the caller's next page")
    ends = Counter(line["status"] for line in of_path(lines, world.events(world.noisy, 500)))
    suite.check(ends[TAKEN_BACK] > CONNECTIONS * STREAMS / 2, "pages that were taken back were made all the same: %s", dict(ends))


def access_list(suite, world):
    """R9: adding to an access list cost 9 ms for each entry. Now the statements are as many for a hundred entries as for one."""
    path = PREFIX + "/groups/%s/accessList" % world.projects["quiet"]
    with connect(world.node) as connection:
        def put(entries):
            answer = connection.ask("POST", path + "?itemsPerPage=500", world.quiet.bearer(), entries)
            return answer.status, {one["cidrBlock"]: one.get("comment") for one in answer.json().get("results", [])}

        def statements(entries):
            before = count_statements(world.noted)
            suite.equal(put(entries)[0], 200, "%d entries" % len(entries))
            return count_statements(world.noted) - before

        one, hundred = statements([{"cidrBlock": "10.9.9.0/24"}]), statements([{"cidrBlock": "10.8.%d.0/24" % n} for n in range(100)])
        suite.check(0 < hundred <= one + 3, "R9: %d statements for an entry, %d for a hundred", one, hundred)
        status, entries = put([{"cidrBlock": "10.7.0.0/24", "comment": "first"}, {"cidrBlock": "10.9.9.0/24", "comment": "new"}, {"cidrBlock": "10.7.0.0/24", "comment": "last"}])
        suite.equal((status, len(entries), entries["10.7.0.0/24"], entries["10.9.9.0/24"]), (200, 102, "last", "new"), "an entry that stands twice, and one that is there")
        status, _ = put([{"cidrBlock": "10.6.%d.0/24" % n} for n in range(99)])
        suite.equal(status, 409, "entries of which one is too many")
        answer = connection.ask("GET", path + "?itemsPerPage=500", world.quiet.bearer()).json()
        suite.equal((answer["totalCount"], len(answer["results"])), (102, 102), "entries after that")


def count_statements(noted):
    """Of the database that this node uses: what PostgreSQL noted of them."""
    with open(noted, encoding="utf-8", errors="replace") as log:
        return sum("duration: " in line and " execute " in line for line in log)


def bodies(suite, world):
    """S6: many values are refused, and where no body is taken a large one is not looked at."""
    many = b"[" + b",".join([b"{}"] * 349000) + b"]"
    with connect(world.node) as connection:
        answer = connection.ask("POST", PREFIX + "/groups/%s/accessList" % world.projects["noisy"], world.noisy.bearer(), many)
        suite.equal((answer.status, answer.code()), (400, "INVALID_JSON"), "a body of 349,000 values")
        suite.check("20000 values" in answer.body.decode(), "the refusal does not say why: %r", answer.body[:200])
        answer = connection.ask("GET", PREFIX + "/orgs/" + world.noisy.home, world.noisy.bearer(), b"{" + b" " * 2000 + b"}")
        suite.equal((answer.status, answer.code()), (400, "INVALID_JSON"), "a large body where none is taken")
        answer = connection.ask("GET", PREFIX + "/orgs/" + world.noisy.home, world.noisy.bearer(), b"{}")
        suite.equal(answer.status, 200, "a body that says nothing where none is taken")


def rules(suite, world):
    """S4: what takes long to evaluate is not offered, and what was written before is not evaluated."""
    org = PREFIX + "/orgs/" + world.noisy.home
    with connect(world.node) as connection:
        for body in (HOSTILE[:1900].rpartition(" || ")[0], "$members * 2 > 4", "$.** ? (exists($.** ? (@ == 1))) == 1", '$.name like_regex "(a{200}){200}"'):
            for path in ("/resourcePolicies", "/resourcePolicies:validate"):
                began = time.monotonic()
                answer = connection.ask("POST", org + path, world.noisy.bearer(), {"name": "x", "policies": [{"body": body}]})
                suite.equal((answer.status, answer.code()), (400, "INVALID_ATTRIBUTE_VALUE"), "%s of %s" % (path, body[:40]))
                suite.check(time.monotonic() - began < 5 * PATIENCE, "%s of %s took %.1f s", path, body[:40], time.monotonic() - began)
        policy = new_id()
        sql("INSERT INTO resource (id, org_id, scope, kind, name, document) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), 'resourcePolicy', '%s', "
            "jsonb_build_object('name', 'old', 'policies', jsonb_build_array(jsonb_build_object('id', '%s', 'body', '%s'))))"
            % (policy, world.noisy.home, world.noisy.home, policy, new_id(), HOSTILE))
        entry = [{"cidrBlock": "10.1.2.0/24"}]
        answer = connection.ask("POST", PREFIX + "/groups/%s/accessList" % world.projects["noisy"], world.noisy.bearer(), entry)
        suite.equal((answer.status, answer.code()), (403, "POLICY_FORBIDS"), "a change below an old rule that is not offered any more")
        suite.check("arithmetic" in answer.body.decode(), "the refusal does not say why: %r", answer.body[:300])
        began = time.monotonic()
        answer = connection.ask("GET", org + "/nonCompliantResources", world.noisy.bearer())
        suite.equal(answer.status, 200, "what breaks an old rule")
        suite.check(time.monotonic() - began < 5 * PATIENCE, "an old rule was evaluated for %.1f s", time.monotonic() - began)
        suite.equal(connection.ask("DELETE", org + "/resourcePolicies/" + policy, world.noisy.bearer()).status, 200, "the old rule goes")
        suite.equal(connection.ask("POST", PREFIX + "/groups/%s/accessList" % world.projects["noisy"], world.noisy.bearer(), entry).status, 200,
                    "the change without it")


def main():
    ends_on_signal()
    suite = Suite("fair")
    sql("ALTER SYSTEM SET log_min_duration_statement = 0; SELECT pg_reload_conf()")  # the database is of this suite alone
    with start_node(workers=1) as node:
        world = World(node)
        world.noted = os.path.join(os.environ["REEVE_TEST_DIR"], "postgres.log")
        for test in (large_pages, cancelled_pages, access_list, bodies, rules):
            test(suite, world)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
