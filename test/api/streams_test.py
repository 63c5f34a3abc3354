# SPDX-License-Identifier: Apache-2.0
"""Events as a stream: nothing is lost or repeated across reconnects and nodes; rights that are taken away end it; so does a
node that stops; and nobody has too many."""
import json
import subprocess
import sys
import threading
import time

from client import wait_until
from suite import Suite, ends_on_signal
from world import PREFIX, World, connect, sql, start_node

EVENTS = 300


class Follower:
    """curl -N on one stream; what arrives is collected by a thread."""

    def __init__(self, node, path, token, after=None, more=()):
        command = ["curl", "-sSN", "--cacert", node.ca, "-H", "Accept: text/event-stream",
                   *(["-H", "Authorization: Bearer " + token] if token else []), "-w", "status %{http_code}", *more]
        if after is not None:
            command += ["-H", "Last-Event-ID: %d" % after]
        self.process = subprocess.Popen([*command, node.base_url + PREFIX + path], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.events, self.comments, self.other, self.raw = [], [], [], []
        self.open = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        message = {}
        for line in self.process.stdout:
            line = line.rstrip("\n")
            self.raw.append(line)
            if line.startswith("retry:"):
                self.open.set()
            elif line.startswith(":"):
                self.comments.append(line)
            elif ": " in line and line.split(": ", 1)[0] in ("id", "event", "data"):
                name, value = line.split(": ", 1)
                message[name] = value
            elif line == "" and message:
                self.events.append((int(message["id"]), message["event"], json.loads(message["data"])))
                message = {}
            elif line:
                self.other.append(line)

    def seqs(self):
        return [event[0] for event in self.events]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        self.thread.join(10)

    def ended(self, seconds):
        try:
            self.process.wait(seconds)
            self.thread.join(10)
            return True
        except subprocess.TimeoutExpired:
            return False


def rename(world, node, number, connection):
    answer = connection.ask("PATCH", PREFIX + "/groups/" + world.p, world.a.bearer(), {"name": "stream %d" % number})
    if answer.status != 200:
        raise AssertionError(answer)


def head(world):
    return int(sql("SELECT seq FROM event_chain WHERE org_id = decode('%s', 'hex')" % world.a.home))


def project_head(world):
    return int(sql("SELECT seq FROM event_count_of_project WHERE project_id = decode('%s', 'hex')" % world.p))


def test_both_nodes(suite, world, nodes):
    """What one node does is seen on both, in the organization and in the project."""
    project, org = "/groups/%s/events" % world.p, "/orgs/%s/events" % world.a.home
    followers = [Follower(node, path, world.a.token) for node in nodes for path in (project, org)]
    followers.append(Follower(nodes[0], project + "?eventType=GROUP_CREATED", world.a.token))
    for follower in followers:
        suite.check(follower.open.wait(10), "a stream opens: %r" % follower.raw)
    first, began = head(world), time.monotonic()
    with connect(nodes[0]) as connection:
        rename(world, nodes[0], 0, connection)
    wait_until(lambda: all(len(f.events) == 1 for f in followers[:4]), 10)
    suite.say("an event reaches 4 streams on 2 nodes within %.0f ms of its request" % (1000 * (time.monotonic() - began)))
    suite.equal(followers[1].seqs(), [first + 1], "id of the organization's stream")
    suite.equal(followers[0].seqs(), [project_head(world)], "id of the project's stream")
    event = followers[0].events[0]
    with connect(nodes[1]) as connection:
        listed = connection.ask("GET", PREFIX + project + "?itemsPerPage=1", world.a.bearer()).json()["results"][0]
    listed["links"][0]["href"] = event[2]["links"][0]["href"]  # nodes have addresses of their own
    suite.equal(event[2], listed, "an event in the stream and in the list")
    suite.equal(event[1], "GROUP_UPDATED", "event of the stream")
    suite.equal(followers[4].events, [], "events that the filter keeps away")
    for follower in followers:
        follower.stop()


def test_nothing_lost(suite, world, nodes):
    """A client that is cut again and again, and connects to the other node, sees every event once."""
    path, after = "/orgs/%s/events" % world.a.home, head(world)
    first, seen, cuts, done = after, [], 0, threading.Event()

    def change():
        with connect(nodes[0]) as connection:
            for number in range(EVENTS):
                rename(world, nodes[0], number + 1, connection)
        done.set()
    thread = threading.Thread(target=change)
    thread.start()
    deadline = time.monotonic() + 120
    while len(seen) < EVENTS and time.monotonic() < deadline:
        follower = Follower(nodes[cuts % 2], path, world.a.token, after)
        target = len(follower.events) + 17
        wait_until(lambda: len(follower.events) >= target or (done.is_set() and len(seen) + len(follower.events) >= EVENTS), 30)
        follower.stop()
        seen += follower.seqs()
        after, cuts = (seen or [after])[-1], cuts + 1
    thread.join()
    suite.equal(seen, list(range(first + 1, first + EVENTS + 1)), "events over %d connections" % cuts)
    suite.say("%d events over %d connections to 2 nodes, none lost or repeated" % (len(seen), cuts))


def test_old_events_come_in_pieces(suite, world, nodes):
    follower = Follower(nodes[0], "/orgs/%s/events" % world.a.home, world.a.token, 0)
    wanted = head(world)
    wait_until(lambda: len(follower.events) >= wanted, 30)
    follower.stop()
    suite.equal(follower.seqs(), list(range(1, wanted + 1)), "all events from the first")


def test_bounds(suite, world, nodes):
    path = "/groups/%s/events" % world.p
    followers = [Follower(nodes[0], path, world.a.token) for _ in range(5)]
    for follower in followers:
        suite.check(follower.open.wait(10), "a stream opens")
    with connect(nodes[0]) as connection:
        answer = connection.ask("GET", PREFIX + path, world.a.bearer(), accept="text/event-stream")
        suite.equal((answer.status, answer.code()), (429, "TOO_MANY_STREAMS"), "a sixth stream")
        suite.equal(connection.ask("GET", PREFIX + path, world.a.bearer()).status, 200, "a list beside streams")
    for follower in followers:
        follower.stop()
    again = None
    for _ in range(50):  # the node notices that clients went
        again = Follower(nodes[0], path, world.a.token)
        if again.open.wait(0.5):
            break
        again.stop()
    suite.check(again.open.is_set(), "places are free again")
    again.stop()


def test_revoked(suite, world, nodes):
    caller = world.make_caller("follower")
    sql("BEGIN; %s COMMIT;" % world.grant_only(caller, world.a.home, None, "ORG_READ_ONLY"))
    sql("SELECT pg_notify('reeve_authority', 'all')")
    follower = Follower(nodes[1], "/orgs/%s/events" % world.a.home, caller.token)
    suite.check(follower.open.wait(10), "a stream of a reader opens: %r" % follower.raw)
    began = time.monotonic()
    sql("BEGIN; DELETE FROM role_grant WHERE principal_id = decode('%s', 'hex'); "
        "SELECT pg_notify('reeve_authority', 'principal:%s'); COMMIT;" % (caller.account, caller.account))
    suite.check(follower.ended(5), "a stream ends within 5 s when its role is taken away")
    suite.say("a stream ended %.1f s after its role was taken away" % (time.monotonic() - began))
    suite.check(": the caller may not read this any more" in follower.comments, "it says why: %r" % follower.raw)
    follower.stop()


def test_member_sees_no_projects(suite, world, nodes):
    caller = world.make_caller("following member")
    sql("BEGIN; %s COMMIT;" % world.grant_only(caller, world.a.home, None, "ORG_MEMBER"))
    sql("SELECT pg_notify('reeve_authority', 'all')")
    follower = Follower(nodes[0], "/orgs/%s/events" % world.a.home, caller.token)
    suite.check(follower.open.wait(10), "a stream of a member opens")
    with connect(nodes[0]) as connection:
        rename(world, nodes[0], 9999, connection)
        answer = connection.ask("PATCH", PREFIX + "/orgs/" + world.a.home, world.a.bearer(), {"name": "World A streams"})
        suite.equal(answer.status, 200, "a change of the organization")
    wait_until(lambda: follower.events, 10)
    suite.equal([event[1] for event in follower.events], ["ORG_UPDATED"], "what a member is told")
    follower.stop()


def test_heartbeat_and_http1(suite, world, nodes):
    follower = Follower(nodes[0], "/groups/%s/events" % world.p, world.a.token, more=["--http1.1"])
    suite.check(follower.open.wait(10), "a stream by HTTP/1.1 opens")
    with connect(nodes[1]) as connection:
        rename(world, nodes[1], 5555, connection)
    wait_until(lambda: len(follower.events) == 1, 10)
    wait_until(lambda: ":" in follower.comments, 20)
    suite.check(":" in follower.comments, "a heartbeat within 20 s")
    follower.stop()


def test_drain(suite, world, node):
    follower = Follower(node, "/groups/%s/events" % world.p, world.a.token)
    suite.check(follower.open.wait(10), "a stream opens before the drain")
    began = time.monotonic()
    node.stop()
    suite.check(follower.ended(10), "a stream ends when its node stops")
    suite.equal(follower.process.returncode, 0, "it ends as HTTP has it: %r" % follower.process.stderr.read())
    suite.check(": the node is stopping" in follower.comments, "it says why: %r" % follower.raw)
    suite.say("a node with a stream stopped in %.1f s" % (time.monotonic() - began))


def main():
    ends_on_signal()
    suite = Suite("streams")
    with start_node(workers=1) as one, start_node(workers=1) as two:
        world = World(one, with_roles=False)
        nodes = [one, two]
        test_both_nodes(suite, world, nodes)
        test_nothing_lost(suite, world, nodes)
        test_old_events_come_in_pieces(suite, world, nodes)
        test_bounds(suite, world, nodes)
        test_revoked(suite, world, nodes)
        test_member_sees_no_projects(suite, world, nodes)
        test_heartbeat_and_http1(suite, world, nodes)
        test_drain(suite, world, two)
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
