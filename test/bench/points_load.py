#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How many points a second one node takes from hosts, and one store from anybody; what a million of them costs. One after the other in one run, several rounds.

    script/with-services /usr/bin/python3 test/bench/points_load.py [--seconds 10] [--rounds 3]

Hosts are connections with real certificates that send what agents send: a round of three members with sixty series each, or what has piled up while nobody took
it. They share the machine with everything else: points a second are what is left, processor seconds are what counts.
"""
import argparse
import asyncio
import http.client
import multiprocessing
import os
import random
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "api")]
sys.dont_write_bytecode = True

from agents import AsyncAgent, Fleet, bulk_agents  # noqa: E402
from measurements import MonitorStore  # noqa: E402
from rig import ROOT, cpu_seconds  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402
from world import sql  # noqa: E402

HOSTS, MEMBERS, SERIES = 200, 3, 60
PROCESSES, AT_ONCE = 2, 2  # of the node, and what each passes on at a time
PILED_UP = 60  # rounds in a request: ten minutes
WANTED = {"hosts": 10000, "members": 30000, "points": 180000}
ORGANIZATION = "64" + "0" * 21 + "1"


def member_id(host, number):
    return "69%022x" % (host * MEMBERS + number)


def make_members():
    """Three on every host, each of a cluster of its own."""
    sql("""INSERT INTO organization (id, name, federation_id, access_list_required) VALUES ('\\x%(org)s', 'load', '\\x%(org)s', false);
    INSERT INTO project (id, org_id, name) VALUES ('\\x%(org)s', '\\x%(org)s', 'load');
    INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version)
        SELECT decode('68' || lpad(to_hex(n), 22, '0'), 'hex'), '\\x%(org)s', '\\x%(org)s', 'c' || n, lpad(to_hex(n), 6, '0'), '17' FROM generate_series(0, %(count)d - 1) n;
    INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb)
        SELECT decode('69' || lpad(to_hex(n), 22, '0'), 'hex'), '\\x%(org)s', decode('68' || lpad(to_hex(n), 22, '0'), 'hex'), h.id, 0, 'RUNNING', 'M10', 0.25, 256, 10
        FROM generate_series(0, %(count)d - 1) n JOIN host h ON h.name = 'bulk' || n / %(of)d;
    ANALYZE;""" % {"org": ORGANIZATION, "count": HOSTS * MEMBERS, "of": MEMBERS})


# ---- What hosts send ----
def names(scope):
    with open(os.path.join(ROOT, "src/wire/metric_table.h"), encoding="utf-8") as file:
        return re.findall(r"M\((\w+), +%s," % scope, file.read())


OF_PROCESS, OF_DISK = names("PROCESS"), names("DISK")


def values(metrics):
    return ",".join("%s=%s" % (name, random.choice(("%d" % random.randrange(1000), "%d" % random.randrange(10 ** 9), "%.3f" % random.uniform(0, 100)))) for name in metrics)


def lines(host, is_bare):
    """A round of a host: sixty values of each member, as an agent writes them or as a store is told. The time comes in where @ is."""
    process, disk = OF_PROCESS, OF_DISK[:SERIES - len(OF_PROCESS)]
    assert len(process) + len(disk) == SERIES
    found = []
    for number in range(MEMBERS):
        member = member_id(host, number)
        if is_bare:
            labels = "reeve,project=%s,cluster=68%s,member=%s" % (ORGANIZATION, member[2:], member)
            found += ["%s %s @" % (labels, values(process)), "%s,name=data %s @" % (labels, values(disk))]
        else:
            found += ["%s @ p - %s" % (member, values(process)), "%s @ k data %s" % (member, values(disk))]
    return "\n".join(found) + "\n"


class Sender:
    """A host. Its rounds are in the order of time, and no two have the same."""

    def __init__(self, host, is_bare=False, rounds=1):
        self.parts, self.rounds, self.last_ms = [lines(host, is_bare).encode() for _ in range(4)], rounds, 0

    def body(self):
        began = max(int(time.time() * 1000) - self.rounds + 1, self.last_ms + 1)
        self.last_ms = began + self.rounds - 1
        return b"".join(random.choice(self.parts).replace(b"@", b"%d" % at) for at in range(began, began + self.rounds))


async def send_as_host(client, sender, counts):
    body = sender.body()
    client.writer.write(b"POST /agent/v1/points?store=0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    status, answer = await client.answer()
    if status == 200 and b'"foreign":0,"outOfTime":0' not in answer:
        raise AssertionError(answer)
    counts[status] = counts.get(status, 0) + 1
    counts["bytes"] = counts.get("bytes", 0) + (len(body) if status == 200 else 0)
    if status != 200:
        counts["why"] = answer.decode()
        await asyncio.sleep(0.05)


async def be_hosts(agents, rounds, seconds, counts):
    """As many at a time as a node passes on, each host in its turn. A host has a connection to a process of the node, so now and then one process has too many."""
    clients = [AsyncAgent(agent) for agent in agents]
    for client in clients:
        await client.connect()
    senders = [Sender(number, rounds=rounds) for number in range(len(agents))]
    until, turn = time.monotonic() + seconds, iter(range(10 ** 9))

    async def work():
        while time.monotonic() < until:
            place = next(turn) % len(clients)
            await send_as_host(clients[place], senders[place], counts)
    await asyncio.gather(*(work() for _ in range(AT_ONCE * PROCESSES)))
    for client in clients:
        client.close()


def load_node(agents, rounds, seconds):
    counts = {}
    asyncio.run(be_hosts(agents, rounds, seconds, counts))
    return counts


def load_store(store, rounds, seconds):
    """The same lines straight to the store, over a connection that is kept."""
    counts, senders = {}, [Sender(number, True, rounds) for number in range(HOSTS)]
    connection, until, turn = http.client.HTTPConnection("127.0.0.1", store.port), time.monotonic() + seconds, 0
    while time.monotonic() < until:
        body = senders[turn % HOSTS].body()
        turn += 1
        connection.request("POST", "/write?precision=ms", body)
        answer = connection.getresponse()
        answer.read()
        status = 200 if answer.status == 204 else answer.status
        counts[status] = counts.get(status, 0) + 1
        counts["bytes"] = counts.get("bytes", 0) + len(body)
    return counts


# ---- What it costs ----
def in_a_process(function, *words):
    """So that the hosts' processor time is not the node's."""
    queue = multiprocessing.get_context("fork").Queue()
    child = multiprocessing.get_context("fork").Process(target=lambda: queue.put(function(*words)))
    child.start()
    found = queue.get(timeout=600)
    child.join()
    return found


def postgres_pid():
    with open(os.path.join(os.environ["REEVE_TEST_DIR"], "data/postmaster.pid"), encoding="ascii") as file:
        return int(file.readline())


def measure(suite, name, parts, rounds, seconds, function, *words):
    before, began = {part: cpu_seconds(pid) for part, pid in parts.items()}, time.monotonic()
    counts = in_a_process(function, *words, rounds, seconds)
    took = time.monotonic() - began
    time.sleep(0.2)
    points = counts.get(200, 0) * rounds * MEMBERS * SERIES
    if points == 0:
        raise SystemExit("%s: nothing was taken: %s" % (name, counts))
    cost = {part: (cpu_seconds(pid) - before[part]) / points * 1e6 for part, pid in parts.items()}
    refused = sum(count for status, count in counts.items() if status not in (200, "bytes", "why"))
    suite.say("%-28s %9.0f points/s, %7d requests, %d refused, %.1f bytes a point; processor seconds a million points: %s" % (
        name, points / seconds, counts.get(200, 0), refused, counts["bytes"] / points, ", ".join("%s %.2f" % pair for pair in cost.items())))
    suite.check(took < 3 * seconds + 60, "%s: %s in %.0f s", name, counts, took)
    return points / seconds, cost


def median(found):
    return sorted(found)[len(found) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    suite = Suite("points-load")
    ends_on_signal()
    results = {}
    with MonitorStore() as store, Fleet(workers=PROCESSES, settings={"monitor_stores": [store.url]}) as fleet:
        agents = bulk_agents(fleet, HOSTS)
        make_members()
        node = {"node": fleet.node.pid, "PostgreSQL": postgres_pid(), "store": store.process.pid}
        in_a_process(load_node, agents, 1, 3)  # every series begins once
        for _ in range(arguments.rounds):
            for name, parts, rounds, function, words in (
                    ("node, a round of a host", node, 1, load_node, (agents,)), ("node, what has piled up", node, PILED_UP, load_node, (agents,)),
                    ("store, a round of a host", {"store": store.process.pid}, 1, load_store, (store,)),
                    ("store, what has piled up", {"store": store.process.pid}, PILED_UP, load_store, (store,))):
                results.setdefault(name, []).append(measure(suite, name, parts, rounds, arguments.seconds, function, *words))
    for name, found in results.items():
        cost = {part: median([one[1][part] for one in found]) for part in found[0][1]}
        suite.say("%-28s median %.0f points/s; %s" % (name, median([one[0] for one in found]), ", ".join("%s %.2f s a million" % pair for pair in cost.items())))
        suite.say("%-28s %d points/s would take %s" % ("", WANTED["points"], ", ".join(
            "%.2f cores of %s" % (cost[part] * WANTED["points"] / 1e6, part) for part in cost)))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
