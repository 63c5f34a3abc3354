#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time goes from the POST of a cluster to its first acknowledged write, beside the bare steps of PostgreSQL on the same host in
the same run. A line for every step of worker, agents, Patroni, PostgreSQL and a client; then how long each milestone took.

    make creation-profile                               three rounds on a fleet of its own, takes two minutes
    test/cluster/creation_profile.py --changes          more members, another size, a restart
    test/cluster/creation_profile.py --rounds 1 --all   every line of every log; with REEVE_FLEET on that fleet
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from datetime import datetime

import rig
from tenant import DATABASE, Tenant, client_address

import hosts  # noqa: E402  (found by rig)
import network  # noqa: E402
from state import PROVIDER, Problem  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PROBE_PAUSE_S = 0.05
WRITE = "CREATE TABLE IF NOT EXISTS greeting (words text); INSERT INTO greeting VALUES ('hello')"

# A milestone is the first or the last line that says so; lines of all logs are looked at in the order of their time.
MILESTONES = [
    ("the worker has told the hosts", "last", r"^worker .*\): start done"),
    ("the last agent knows", "last", r"^h\d+ agent .*Goal \d+: "),
    ("the last unit is started", "last", r"^h\d+ systemd .*Started reeve-member"),
    ("initdb begins", "first", r"The files belonging to this database system|trying to bootstrap a new cluster"),
    ("the new server listens", "first", r"listening on Unix socket"),
    ("Patroni leads", "first", r"initialized a new cluster"),
    ("first write, at an address of a member", "first", r"^client .*wrote at an address"),
    ("the last replica is copied", "last", r"replica has been created"),
    ("the last replica streams", "last", r"started streaming WAL"),
    ("Patroni names who is synchronous", "first", r"Synchronous standby status assigned"),
    ("the worker has seen every replica", "first", r"^worker .*\): wait-replicas done"),
    ("IDLE", "first", r"^worker .*\): finish done"),
    ("first write, with the connection string", "first", r"^client .*wrote with the connection string"),
]

BARE = r"""
set -e
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1) folder=$(mktemp -d /var/tmp/bare.XXXXXX)
stamp() { echo "$(date +%s.%N) $1"; }
control() { $bin/pg_ctl -s -w -D "$folder/$1" -o "-c listen_addresses= -c unix_socket_directories=$folder/$1.run -p 27999" -l "$folder/$1.log" -m fast $2; }
start() { mkdir -p "$1.run"; control "${1##*/}" start; }
trap 'for each in a b c; do $bin/pg_ctl -s -m immediate -D $folder/$each stop || true; done 2>/dev/null; rm -rf $folder' EXIT
stamp begin
$bin/initdb -D $folder/a -A trust -U postgres --encoding UTF8 --locale C.UTF-8 --data-checksums --wal-segsize 4 >/dev/null; stamp initdb
start $folder/a; stamp "start of the primary"
for each in b c; do $bin/pg_basebackup -h $folder/a.run -p 27999 -U postgres -D $folder/$each -R -X stream -c fast; done; stamp "pg_basebackup, twice"
for each in b c; do start $folder/$each; done; stamp "start of two replicas"
$bin/psql -X -q -h $folder/a.run -p 27999 -U postgres -c "CREATE TABLE greeting (words text); INSERT INTO greeting VALUES ('hello')"; stamp "first write"
for each in b c a; do control $each restart; done; stamp "restart of all three"
control a stop; control b promote; touch $folder/a/standby.signal
for each in a c; do echo "primary_conninfo = 'host=$folder/b.run port=27999 user=postgres'" >> $folder/$each/postgresql.auto.conf; done
control a start; control c reload; stamp "handing over to a replica"
"""

# What PostgreSQL itself needs for the same.
BARE_OF = {
    "IDLE": ["initdb", "start of the primary", "pg_basebackup, twice", "start of two replicas"],
    "first write, at an address of a member": ["initdb", "start of the primary", "first write"],
    "a cluster of one member": ["initdb", "start of the primary"],
    "from one member to three": ["pg_basebackup, twice", "start of two replicas"],
    "another size: every member restarted": ["restart of all three", "handing over to a replica"],
    "restart: the primary hands over": ["handing over to a replica"],
}

PREFIX = r"^\d{4}-\S+ \S+ (INFO: |UTC )?(\[\d+\] \S+ \d+ \(\) 00000 client= user=\"\" database=\"\" application=\"\" )?"
# Every connection of agents, probes and Patroni itself, and what a client is told that comes too early.
NOISE = re.compile(r"connection (received|auth|lost)|Connection matched|password authentication failed|Role .* does not exist"
                   r"|disconnection: |the database system is starting up|is measured again")


# ---- What a client sees ----
def probe(dsn, words):
    """On a client's machine: until a write is acknowledged. psql would need a process for every try."""
    import psycopg2
    while True:
        try:
            connection = psycopg2.connect(dsn, connect_timeout=2)
            connection.autocommit = True
            connection.cursor().execute(WRITE)
            print("%.3f wrote %s" % (time.time(), words), flush=True)
            return
        except psycopg2.Error:
            time.sleep(PROBE_PAUSE_S)


def start_probe(fleet, dsn, words):
    command = ["/usr/bin/python3", os.path.join(HERE, "creation_profile.py"), "--probe", dsn, words]
    return subprocess.Popen(network.client_command(fleet, command), stdout=subprocess.PIPE, text=True)


# ---- What was logged ----
def lines_of_workers(fleet, since):
    for name in ("worker1", "worker2"):
        with open(fleet.path("log", name + ".log"), errors="replace") as file:
            for line in file:
                if not line.startswith("{"):
                    continue
                said = json.loads(line)
                at = datetime.fromisoformat(said["time"].replace("Z", "+00:00")).timestamp()
                if at >= since and said["event"] in ("job_step", "etcd"):
                    yield at, "worker " + said["message"]


def lines_of_host(fleet, host, since):
    output = hosts.run(fleet, host, "journalctl", "--no-pager", "-q", "-o", "short-unix", "--since", "@%d" % since, timeout=60)
    for line in output.splitlines():
        found = re.match(r"(\d+\.\d+) \S+ ([^\[:]+)(?:\[\d+\])?: (.*)", line)
        if found and float(found[1]) >= since:
            who = {"reeve-agent": "agent", "env": "patroni", "python3": "patroni"}.get(found[2], found[2])
            what = found[3]
            if what.startswith("{"):
                what = json.loads(what).get("message", what)
            yield float(found[1]), "%s %s %s" % (host, who, re.sub(PREFIX, "", what))


def timeline(fleet, since, until):
    lines = list(lines_of_workers(fleet, since))
    for host in fleet.hosts:
        lines += lines_of_host(fleet, host, since)
    return [line for line in lines if line[0] <= until + 0.5]


def milestones(lines, posted):
    found = {}
    for name, which, pattern in MILESTONES:
        times = [at for at, what in lines if re.search(pattern, what)]
        if times:
            found[name] = (times[0] if which == "first" else times[-1]) - posted
    return found


# ---- A round ----
def bare(fleet):
    """Seconds of each step of PostgreSQL alone, one after the other as the same machine does them now."""
    output = hosts.run(fleet, next(iter(fleet.hosts)), "runuser", "-u", "postgres", "--", "sh", "-c", BARE, timeout=400)
    stamps = [(float(line.split()[0]), line.split(" ", 1)[1]) for line in output.splitlines()]
    return {name: at - before[0] for before, (at, name) in zip(stamps, stamps[1:])}


def one_round(fleet, tenant, password, name, show_all):
    posted = time.time()
    tenant.create_cluster(name)
    answered = time.time()
    addresses = ",".join(member.address for member in rig.members(fleet, name))
    early = start_probe(fleet, "host=%s port=5432 user=app password=%s dbname=%s sslmode=require target_session_attrs=primary"
                        % (addresses, password, DATABASE), "at an address of a member")
    document = tenant.wait_idle(name, 180)
    late = start_probe(fleet, tenant.dsn(document, "app", password), "with the connection string")
    lines = [(answered, "client the POST is answered")]
    for process in (early, late):
        said = process.communicate(timeout=60)[0].split(" ", 1)
        lines.append((float(said[0]), "client " + said[1].strip()))
    lines = sorted(lines + timeline(fleet, posted, max(at for at, _ in lines)))
    if show_all:
        for at, what in lines:
            if not NOISE.search(what):
                print("%7.2f  %s" % (at - posted, what[:200]))
    tenant.delete_cluster(name)
    tenant.wait_gone(name)
    return milestones(lines, posted)


def changes(fleet, tenant, name):
    """Seconds until each is done, of a cluster that begins with one member."""
    region, took = fleet.regions[0], {}

    def timed(what, method, path, body):
        began = time.time()
        tenant.ask(method, tenant.of_project(path), body)
        tenant.wait_idle(name, 300)
        took[what] = time.time() - began
        print("  %-43s %6.2f s" % (what, took[what]), flush=True)

    def specs(size, count):
        return {"replicationSpecs": [{"regionConfigs": [{"providerName": PROVIDER, "regionName": region, "priority": 7,
                                                         "electableSpecs": {"instanceSize": size, "nodeCount": count}}]}]}
    timed("a cluster of one member", "POST", "/clusters", {"name": name, "clusterType": "REPLICASET", **specs("S1", 1)})
    timed("from one member to three", "PATCH", "/clusters/" + name, specs("S1", 3))
    timed("another size: every member restarted", "PATCH", "/clusters/" + name, specs("S2", 3))
    timed("restart: the primary hands over", "POST", "/clusters/%s/restartPrimaries" % name, None)
    tenant.delete_cluster(name)
    tenant.wait_gone(name)
    return took


class Load:
    """How many of the processors the whole machine kept busy, over a while."""
    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        with open("/proc/stat") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        return sum(ticks) - ticks[3] - ticks[4], sum(ticks)

    def text(self):
        busy, total = (now - before for now, before in zip(self.read(), self.before))
        return "%.1f of %d processors busy, %.1f programs ready to run" % (busy * os.cpu_count() / max(total, 1), os.cpu_count(), os.getloadavg()[0])


def compare(ours, bares):
    """Each against what PostgreSQL alone needed in the same round: others' load makes both slower."""
    print("\n%-45s %8s  %s" % ("as a multiple of bare PostgreSQL", "median", "ours / bare, each"))
    for name, steps in BARE_OF.items():
        pairs = [(one[name], sum(other[step] for step in steps)) for one, other in zip(ours, bares) if name in one]
        if pairs:
            print("%-45s %6.1f    %s" % (name, statistics.median(one / other for one, other in pairs), " ".join("%.2f/%.2f" % pair for pair in pairs)))


def table(title, rounds):
    print("\n%-45s %8s  %s" % (title, "median", "each"))
    for name in rounds[0]:
        values = [one[name] for one in rounds if name in one]
        print("%-45s %6.2f s  %s" % (name, statistics.median(values), " ".join("%.2f" % value for value in values)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="every line of every log")
    parser.add_argument("--changes", action="store_true", help="more members, another size and a restart, instead of creations")
    parser.add_argument("--probe", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        return probe(*options.probe)
    with rig.fleet_for(3) as fleet:
        tenant = Tenant(fleet)
        tenant.create_project()
        password = tenant.create_user("app")
        tenant.allow(client_address())
        ours, bares = [], []
        for number in range(options.rounds):
            load, name = Load(), "profile%d" % number
            try:
                alone = bare(fleet)
                ours.append(changes(fleet, tenant, name) if options.changes else one_round(fleet, tenant, password, name, options.all))
            except (Problem, KeyboardInterrupt, subprocess.TimeoutExpired) as problem:
                print("round %d is left out: %s" % (number + 1, type(problem).__name__), flush=True)
                break
            bares.append(alone)
            print("round %d: %s" % (number + 1, load.text()), flush=True)
        if not ours:
            return 1
        table("until it is done" if options.changes else "from the POST until", ours)
        table("bare PostgreSQL, one after the other", [{**one, "all of it": sum(one.values())} for one in bares])
        compare(ours, bares)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit("creation_profile: %s" % problem)
