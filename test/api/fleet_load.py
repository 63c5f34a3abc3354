# SPDX-License-Identifier: Apache-2.0
"""Every host comes back at once: how long until all have their goal, and what tenants notice of it.

    script/with-services /usr/bin/python3 test/api/fleet_load.py --hosts 10000 --report docs/reports/fleet-load.md

One process is all agents (asyncio; real certificates, real protocol), another one a tenant that reads its project all the time. Both
share the machine with the node and PostgreSQL, so the figures are upper bounds; the agents only get the processors that the others leave.
"""
import argparse
import asyncio
import json
import multiprocessing
import os
import random
import resource
import sys
import time

from agents import AsyncAgent, Fleet, bulk_agents
from suite import Suite, ends_on_signal
from world import PREFIX, bootstrap, connect, no_limits, sql

MEMBERS_OF_A_CLUSTER = 3
QUIET_S = 20
REQUESTS_A_SECOND = 100
MOST_MINUTES = 5
HANDSHAKES_AT_ONCE = 300
AGENTS_NICE = 15  # ten thousand other machines would not take this one's processors


def make_members(count):
    """A member on every host, three to a cluster, a project for each ten clusters: what goals are made of."""
    sql("""
    INSERT INTO organization (id, name, federation_id, access_list_required) VALUES ('\\x640000000000000000000001', 'load', '\\x640000000000000000000001', false);
    CREATE TEMP TABLE numbered AS SELECT id AS host, row_number() OVER (ORDER BY id) - 1 AS n FROM host;
    INSERT INTO project (id, org_id, name) SELECT decode('67' || lpad(to_hex(n), 22, '0'), 'hex'), '\\x640000000000000000000001', 'p' || n
        FROM generate_series(0, (SELECT max(n) FROM numbered) / %(of)d / 10) n;
    INSERT INTO project_access (project_id, org_id, hash) SELECT id, org_id, 'h' || lpad(to_hex(row_number() OVER ()), 5, '0') FROM project WHERE name LIKE 'p%%';
    INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version)
        SELECT decode('68' || lpad(to_hex(n), 22, '0'), 'hex'), '\\x640000000000000000000001', decode('67' || lpad(to_hex(n / 10), 22, '0'), 'hex'),
               'c' || n, lpad(to_hex(n), 6, '0'), '17' FROM generate_series(0, (SELECT max(n) FROM numbered) / %(of)d) n;
    INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb)
        SELECT decode('69' || lpad(to_hex(n), 22, '0'), 'hex'), '\\x640000000000000000000001', decode('68' || lpad(to_hex(n / %(of)d), 22, '0'), 'hex'),
               host, n %% %(of)d, 'RUNNING', 'M10', 0.25, 256, 10 FROM numbered;
    INSERT INTO host_address (address, prefix, host_id, member_id)
        SELECT '10.0.0.1'::inet + n, 8, host, decode('69' || lpad(to_hex(n), 22, '0'), 'hex') FROM numbered;
    ANALYZE;""" % {"of": MEMBERS_OF_A_CLUSTER})
    return int(sql("SELECT count(*) FROM cluster_member"))


# ---- A tenant ----
def be_a_tenant(node, caller, project, stop, results):
    """Reads a project at a steady pace; (when, how long) of each answer."""
    times, failures = [], 0
    with connect(node) as connection:
        due = time.monotonic()
        while not stop.is_set():
            due = max(due + 1 / REQUESTS_A_SECOND, time.monotonic() - 1)
            time.sleep(max(0.0, due - time.monotonic()))
            began = time.monotonic()
            answer = connection.ask("GET", PREFIX + "/groups/" + project, caller.bearer())
            failures += answer.status != 200
            times.append((began, time.monotonic() - began))
    results.put((times, failures))


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


# ---- The hosts ----
async def come_back(client, gate, began, done, retries):
    """Connects, fetches its goal, reports, and waits for the next one, as an agent does; what is refused is tried again."""
    while True:
        try:
            async with gate:
                await client.connect()
                status, body = await client.ask("GET", "/agent/v1/goal?after=0&epoch=1")
            if status == 200:
                break
            why = "%d %s" % (status, body[:200])
        except (OSError, asyncio.IncompleteReadError, EOFError) as problem:
            why = type(problem).__name__ + " " + str(problem)[:80]
        retries[why] = retries.get(why, 0) + 1
        client.close()
        await asyncio.sleep(random.uniform(1, 3))
    goal = json.loads(body)
    done.append(time.monotonic() - began)
    members = [{"id": member["id"], "unit": "active", "role": "REPLICA", "running": "streaming", "goalGeneration": 1} for member in goal["members"]]
    for _ in range(5):
        status, _ = await client.ask("POST", "/agent/v1/report", client.agent.report_document(members, goal["version"]))
        if status == 200:
            break
        await asyncio.sleep(random.uniform(1, 3))
    client.version = goal["version"]
    client.send_poll(client.version)
    client.next = asyncio.ensure_future(next_goal(client))  # from here on it waits, however long the others take
    return status


async def next_goal(client):
    while True:
        status, body = await client.answer()
        if status != 204:  # it has waited for its 50 seconds, and asks again
            return status, body
        client.send_poll(client.version)


async def storm(agents):
    began, done, retries = time.monotonic(), [], {}
    clients = [AsyncAgent(agent) for agent in agents]
    # One process is ten thousand machines: more at a time would only wait for its own processor, with handshakes half done.
    gate = asyncio.Semaphore(HANDSHAKES_AT_ONCE)
    statuses = await asyncio.wait_for(asyncio.gather(*(come_back(client, gate, began, done, retries) for client in clients)), MOST_MINUTES * 60 * 4)
    reported = time.monotonic() - began
    # All of them parked; now every goal moves in one transaction.
    await asyncio.sleep(3)
    answers = [client.next for client in clients]
    early = sum(answer.done() for answer in answers)
    moved = time.monotonic()
    await asyncio.to_thread(sql, "SELECT goal_touch_hosts(ARRAY(SELECT id::bytea FROM host))")
    got, _ = await asyncio.wait(answers, timeout=300)
    woken = time.monotonic() - moved
    good = sum(answer.exception() is None and answer.result()[0] == 200 for answer in got) - early
    for client in clients:
        client.close()
    return done, reported, retries, sum(status != 200 for status in statuses), woken, good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", type=int, default=10000)
    parser.add_argument("--report")
    arguments = parser.parse_args()
    ends_on_signal()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    suite = Suite("fleet load")
    with Fleet(workers=2, settings={"max_connections": arguments.hosts + 2000, "address_concurrency": 0}) as fleet:
        caller = bootstrap(fleet.node.conf, "tenant")
        no_limits([caller.home])
        with connect(fleet.node) as connection:
            caller.fetch(connection)
            project = connection.ask("POST", PREFIX + "/groups", caller.bearer(), {"name": "p", "orgId": caller.home}).json()["id"]
        agents = bulk_agents(fleet, arguments.hosts)
        members = make_members(arguments.hosts)
        suite.say("%d hosts with %d members are there" % (len(agents), members))
        stop, results = multiprocessing.Event(), multiprocessing.Queue()
        tenant = multiprocessing.Process(target=be_a_tenant, args=(fleet.node, caller, project, stop, results))
        tenant.start()
        os.nice(AGENTS_NICE)
        time.sleep(QUIET_S)
        began = time.monotonic()
        done, reported, retries, unreported, woken, good = asyncio.run(storm(agents))
        stop.set()
        times, failures = results.get(timeout=60)
        tenant.join(60)
    before = [took for when, took in times if when < began]
    # The storm itself: until the last one had its goal and had reported.
    during = [took for when, took in times if began <= when < began + reported]
    ratio = percentile(during, 0.99) / percentile(before, 0.99)
    suite.equal(len(done), arguments.hosts, "hosts that have their goal")
    suite.check(max(done) < MOST_MINUTES * 60, "all have it within %d minutes: %.0f s" % (MOST_MINUTES, max(done)))
    suite.equal((failures, unreported), (0, 0), "requests of the tenant and reports of hosts that failed")
    suite.equal(good, arguments.hosts, "hosts that got the next goal")
    suite.check(ratio < 2, "p99 of a tenant meanwhile is below twice the usual: %.2f" % ratio)
    rows = [("hosts, with one member each", "%d" % arguments.hosts),
            ("half of them had their goal after", "%.1f s" % percentile(done, 0.5)),
            ("all of them had their goal after", "%.1f s (wanted: below %d s)" % (max(done), MOST_MINUTES * 60)),
            ("all had reported after", "%.1f s" % reported),
            ("tries that failed and were repeated", ", ".join("%d: %s" % (count, why) for why, count in retries.items()) or "none"),
            ("one transaction moves all goals; all have the next one after", "%.1f s" % woken),
            ("a tenant's `GET` of a project before: p50, p99", "%.1f ms, %.1f ms (%d requests)" % (
                1000 * percentile(before, 0.5), 1000 * percentile(before, 0.99), len(before))),
            ("the same while hosts come back: p50, p99", "%.1f ms, %.1f ms (%d requests)" % (
                1000 * percentile(during, 0.5), 1000 * percentile(during, 0.99), len(during))),
            ("p99 against before", "%.2f (wanted: below 2)" % ratio),
            ("requests of the tenant that failed", "%d" % failures)]
    for row in rows:
        suite.say("%s: %s" % row)
    if arguments.report:
        with open(arguments.report, "w", encoding="utf-8") as file:
            file.write("# All hosts come back at once\n\nWritten by `make fleet-load`. Node (2 processes), PostgreSQL, all agents and the tenant "
                       "share one machine with %d processors; load of the machine in the minutes before: %s. Every agent has a certificate and a "
                       "TLS connection of its own; their process has the lowest claim on the processors, because hosts are other machines.\n\n| what | |\n|---|---|\n" % (os.cpu_count(), " ".join("%.1f" % one for one in os.getloadavg())))
            file.writelines("| %s | %s |\n" % row for row in rows)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
