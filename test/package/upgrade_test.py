#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two control nodes behind a balancer are upgraded one after the other, from an earlier package with an older schema to the one of this
tree, while clients read and write: some that keep their connections for a while, and some that connect anew for every request. None may fail.

  test/package/upgrade_test.py [--from COMMIT] [--old FOLDER] [--new FOLDER] [--restarts N] [--report FILE]     needs root; packages of a FOLDER are not built

Afterwards the schema is compared with that of a new installation, object by object.
Five machines in a network of their own: PostgreSQL and Redis, the nodes a and b with API and worker, HAProxy, and wrk.
"""
import argparse
import contextlib
import datetime
import glob
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
for place in ("api", "fleet"):
    sys.path.insert(0, os.path.join(ROOT, "test", place))
import image  # noqa: E402
import packages  # noqa: E402
from machine import Machine, Network, wait  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

# The last commit that packages itself, tells balancers before it stops, and has an older schema than this tree: migrations up to 0025.
BEFORE = "0720347"
BEFORE_VERSION = "0.0.9"
ADDRESSES = {"store": "10.99.0.4", "a": "10.99.0.2", "b": "10.99.0.3", "front": "10.99.0.10", "client": "10.99.0.20"}
NODES = ("a", "b")
UNITS = ("reeve-api", "reeve-worker")
# name: (connections at a time, requests that each is used for)
LOADS = {"keeps": (16, 10), "anew": (16, 1)}
PROJECTS = 20
CALM_S = 5  # of load before the first node, between the two, and after the second

NODE_CONF = """
listen = {address}:8443
proxy_listen = {address}:8444
balancers = {front}/32
operator_listen = {address}:9443
base_url = https://{front}
certificate = /etc/reeve/tls.crt
certificate_key = /etc/reeve/tls.key
database = host={store} dbname=reeve user=reeve password=reeve
redis = {store}:6379
key_file = /etc/reeve/key
"""

# As docs/how-to/upgrade.md says that it must be: health from /readyz, and a new connection that is refused goes to another node.
BALANCER_CONF = """
global
    stats socket {folder}/admin mode 600 level admin
defaults
    mode tcp
    retries 3
    option redispatch 1
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    timeout check 5s
listen api
    bind {front}:443
    balance leastconn
    option httpchk GET /readyz
    default-server check port 9443 inter 1s fall 2 rise 1 send-proxy-v2
    server a {a}:8444
    server b {b}:8444
"""


def build(suite, folder, *words):
    began = time.monotonic()
    packages.build(folder, *words)
    suite.say("built in %.0f s: %s" % (time.monotonic() - began, ", ".join(sorted(os.listdir(folder)))))
    return folder


def server_package(folder):
    return glob.glob(folder + "/reeve-server_*.deb")[0]


class Balancer:
    """HAProxy from Debian on a machine of its own."""

    def __init__(self, network, folder):
        conf = os.path.join(folder, "haproxy.cfg")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(BALANCER_CONF.format(folder=folder, **ADDRESSES))
        self.network, self.folder = network, folder
        with open(os.path.join(folder, "haproxy.log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(network.command("front", ["haproxy", "-db", "-f", conf]), stdout=log, stderr=log)

    def state(self, node):
        """UP, DOWN, or on the way between them."""
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError), socket.socket(socket.AF_UNIX) as admin:
            admin.connect(self.folder + "/admin")
            admin.sendall(b"show stat\n")
            for line in admin.makefile(encoding="utf-8"):
                if line.startswith("api,%s," % node):
                    return line.split(",")[17]
        return "unknown"

    def log(self):
        with open(os.path.join(self.folder, "haproxy.log"), encoding="utf-8") as file:
            return file.read()

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


class Load:
    """wrk, from its start until somebody asks for its figures."""

    def __init__(self, network, tenant, name):
        connections, uses = LOADS[name]
        words = ["wrk", "-t2", "-c%d" % connections, "-d3600s", "--timeout", "30s", "-s", os.path.join(HERE, "upgrade.lua"),
                 "https://%s" % ADDRESSES["front"], "--", str(uses), name, *tenant]
        self.process = subprocess.Popen(network.command("client", words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def figures(self):
        self.process.send_signal(signal.SIGINT)
        output, complaints = self.process.communicate(timeout=60)
        figures = json.loads(re.search(r"^\{.*\}$", output, re.M).group(0))
        figures["refused"] = sum(times for status, times in figures["statuses"].items() if not status.startswith("2"))
        figures["broken"] = sum(figures[kind] for kind in ("connect", "read", "write", "timeout"))
        return figures, complaints

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def set_up_store(store):
    store.shell("""
        conf=$(ls -d /etc/postgresql/*/main)
        echo "listen_addresses = '*'" >> $conf/postgresql.conf
        echo 'host all reeve 10.99.0.0/24 scram-sha-256' >> $conf/pg_hba.conf
        sed -i 's/^bind .*/bind 0.0.0.0/; s/^protected-mode .*/protected-mode no/' /etc/redis/redis.conf
        systemctl restart postgresql redis-server
        runuser -u postgres -- psql -qc "CREATE ROLE reeve LOGIN CREATEROLE PASSWORD 'reeve'"
        runuser -u postgres -- createdb --owner reeve reeve""")


def set_up_node(machine, name, package, secrets):
    machine.put(package, "/root/")
    machine.shell("apt-get install --yes /root/%s" % os.path.basename(package), timeout=300)
    with open(machine.root + "/etc/reeve/reeve.conf", "w", encoding="utf-8") as file:
        file.write(NODE_CONF.format(address=ADDRESSES[name], **ADDRESSES))
    for path in glob.glob(secrets + "/*"):
        machine.put(path, "/etc/reeve/")
    machine.shell("chgrp reeve /etc/reeve/*; chmod 640 /etc/reeve/*")


def make_secrets(folder):
    """The same key on both nodes, and one certificate: the balancer's name."""
    with open(folder + "/key", "w", encoding="ascii") as file:
        file.write(os.urandom(32).hex() + "\n")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90", "-subj", "/CN=reeve",
                    "-addext", "subjectAltName=IP:" + ADDRESSES["front"], "-keyout", folder + "/tls.key", "-out", folder + "/tls.crt"],
                   check=True, stderr=subprocess.DEVNULL)


def as_reeve(machine, *words, **options):
    return machine.run("runuser", "-u", "reeve", "--", "reeved", *words, **options).stdout


def sql(store, text):
    return store.run("runuser", "-u", "postgres", "--", "psql", "-XqAtd", "reeve", "-c", text).stdout.strip()


DOLLARS = re.compile(r"\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'", re.S)


def objects(store, database):
    """What a database consists of: the statements that would make it, each once."""
    dump = store.run("runuser", "-u", "postgres", "--", "pg_dump", "--schema-only", database).stdout
    bare = "\n".join(line for line in dump.splitlines() if not line.startswith(("--", "\\")))
    whole = DOLLARS.sub(lambda text: text.group(0).replace(";", "\0"), bare)
    return {re.sub(r"\s+", " ", one.replace("\0", ";")).strip() for one in whole.split(";\n")} - {""}


def compare_with_new(suite, store, node):
    """A database that was upgraded, and one that this version made: nothing may be in one of them only."""
    store.run("runuser", "-u", "postgres", "--", "createdb", "--owner", "reeve", "fresh")
    node.shell("sed 's/dbname=reeve /dbname=fresh /' /etc/reeve/reeve.conf > /etc/reeve/fresh.conf; chgrp reeve /etc/reeve/fresh.conf; chmod 640 /etc/reeve/fresh.conf")
    as_reeve(node, "migrate", "--config", "/etc/reeve/fresh.conf")
    upgraded, fresh = objects(store, "reeve"), objects(store, "fresh")
    suite.check(len(fresh) > 500, "only %d objects", len(fresh))
    suite.check(upgraded == fresh, "only in the database that was upgraded: %s; only in a new one: %s", sorted(upgraded - fresh)[:5], sorted(fresh - upgraded)[:5])
    return len(fresh)


def curl(network, secrets, *words):
    done = subprocess.run(network.command("client", ["curl", "--silent", "--show-error", "--fail-with-body", "--cacert", secrets + "/tls.crt", *words]),
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError("%s: %s%s" % (" ".join(words), done.stdout, done.stderr))
    return done.stdout


def ready(network, node):
    done = subprocess.run(network.command("front", ["curl", "--silent", "--fail", "--max-time", "5", "http://%s:9443/readyz" % ADDRESSES[node]]),
                          capture_output=True, check=False)
    return done.returncode == 0


def wait_until_back(suite, network, balancer, node):
    suite.check(wait(lambda: ready(network, node), 60), "node %s is ready", node)
    suite.check(wait(lambda: balancer.state(node) == "UP", 60), "the balancer sees node %s again", node)


def make_tenant(network, secrets, node, store):
    """An organization with projects: the words that upgrade.lua wants."""
    made = json.loads(as_reeve(node, "bootstrap", "--organization", "Example", "--owner", "owner@example.org", "--allow", "10.99.0.0/24", "--json"))
    # Limits are not what is tried here.
    sql(store, "INSERT INTO limit_override (owner, set_name, capacity, refill) SELECT decode('%s', 'hex'), format('S%%s', lpad(n::text, 2, '0')), "
        "1000000000, 1000000000 FROM generate_series(1, 67) n ON CONFLICT DO NOTHING" % made["orgId"])
    url = "https://" + ADDRESSES["front"]
    token = json.loads(curl(network, secrets, "--user", "%s:%s" % (made["clientId"], made["clientSecret"]), "--data", "grant_type=client_credentials",
                            url + "/api/oauth/token"))["access_token"]
    projects = [json.loads(curl(network, secrets, "--header", "Authorization: Bearer " + token, "--header", "Content-Type: application/json",
                                "--data", json.dumps({"name": "load-%d" % number, "orgId": made["orgId"]}), url + "/api/svc/v2/groups"))["id"]
                for number in range(PROJECTS)]
    return [made["orgId"], token, *projects]


def pids(machine):
    return [machine.run("systemctl", "show", "--property", "MainPID", "--value", unit).stdout.strip() for unit in UNITS]


def upgrade(suite, machine, package):
    """The command of docs/how-to/upgrade.md. How long it takes, and what it printed."""
    machine.put(package, "/root/")
    before = pids(machine)
    began = time.monotonic()
    done = machine.shell("apt-get install --yes --option Dpkg::Options::=--force-confold /root/%s" % os.path.basename(package), check=False, timeout=300)
    took = time.monotonic() - began
    suite.check(done.returncode == 0, "the upgrade: %s%s", done.stdout, done.stderr)
    after = pids(machine)
    suite.check(not set(before) & set(after) and "0" not in after, "both services were started again: %s, before: %s", after, before)
    return took, done.stdout + done.stderr


def run(suite, options, folder):
    old = options.old or build(suite, folder + "/old", "--commit", options.commit, "--version", BEFORE_VERSION)
    new = options.new or build(suite, folder + "/new")
    secrets = folder + "/secrets"
    os.makedirs(secrets)
    make_secrets(secrets)
    base = image.ensure(suite.say, image.SERVER)
    with contextlib.ExitStack() as stack:
        network = stack.enter_context(Network(ADDRESSES))
        store, *nodes = [stack.enter_context(Machine(base, name, network.path(name))) for name in ("store", *NODES)]
        set_up_store(store)
        for name, machine in zip(NODES, nodes):
            set_up_node(machine, name, server_package(old), secrets)
        suite.say(as_reeve(nodes[0], "migrate").strip())
        for machine in nodes:
            machine.run("systemctl", "start", *UNITS)
        balancer = Balancer(network, folder)
        stack.callback(balancer.stop)
        for name in NODES:
            suite.check(wait(lambda name=name: balancer.state(name) == "UP", 60), "the balancer sees node %s", name)
        tenant = make_tenant(network, secrets, nodes[0], store)
        schema = int(sql(store, "SELECT max(version) FROM schema_migration"))

        loads = {name: Load(network, tenant, name) for name in LOADS}
        for load in loads.values():
            stack.callback(load.stop)
        time.sleep(CALM_S)
        rows = []
        for name, machine in zip(NODES, nodes):
            took, said = upgrade(suite, machine, server_package(new))
            began = time.monotonic()
            wait_until_back(suite, network, balancer, name)
            applied = re.search(r"(\d+) migrations? applied", said)
            rows.append((name, took, time.monotonic() - began, int(applied.group(1)) if applied else -1))
            suite.say("node %s: package %.1f s, ready again %.1f s later, %d migrations" % rows[-1])
            time.sleep(CALM_S)
        for _ in range(options.restarts):
            for name, machine in zip(NODES, nodes):
                machine.run("systemctl", "restart", "reeve-api")
                wait_until_back(suite, network, balancer, name)
        results = {name: load.figures() for name, load in loads.items()}
        now = int(sql(store, "SELECT max(version) FROM schema_migration"))

        for name, (figures, complaints) in results.items():
            suite.say("%s: %s" % (name, json.dumps(figures)))
            suite.check(figures["refused"] == 0, "%d answers were not 2xx: %s %s", figures["refused"], figures["statuses"], complaints)
            suite.check(figures["broken"] == 0, "%s: %d requests failed without an answer: %s", name, figures["broken"], figures)
            suite.check(figures["requests"] > 1000, "%s: only %d requests", name, figures["requests"])
        suite.equal([row[3] for row in rows], [now - schema, 0], "migrations that the first and the second node applied")
        suite.check(now > schema or options.commit != BEFORE, "the schema was older before: %d", schema)
        count = compare_with_new(suite, store, nodes[0])
        suite.say("%d objects, the same as in a new database" % count)
        for name, machine in zip(NODES, nodes):
            for unit in UNITS:
                suite.equal(machine.run("systemctl", "show", "--property", "NRestarts", "--value", unit).stdout.strip(), "0", "%s on %s fell over" % (unit, name))
            done = machine.run("runuser", "-u", "reeve", "--", "reeved", "check", check=False)
            suite.check(done.returncode == 0, "reeved check on %s: %s", name, done.stdout)
        if options.report and not suite.failures:
            write_report(options.report, {name: figures for name, (figures, _) in results.items()}, rows, options.commit, schema, now, count)
        if suite.failures:
            suite.say(balancer.log())
            for machine in nodes:
                lines = machine.run("journalctl", "--no-pager", *["--unit=" + unit for unit in UNITS]).stdout.splitlines()
                suite.say("\n".join([line for line in lines if '"event":"request"' not in line or '"status":5' in line][-60:]))


def write_report(path, results, rows, commit, schema, now, count):
    with open("/proc/loadavg", encoding="ascii") as file:
        average = " ".join(file.read().split()[:3])
    head = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%cs", commit], capture_output=True, text=True, check=True).stdout.strip()
    columns = [results["keeps"], results["anew"]]

    def line(title, form, *names):
        return "| %s | %s |\n" % (title, " | ".join(form % tuple(one[name] for name in names) for one in columns))
    with open(path, "w", encoding="utf-8") as file:
        file.write("""# Upgrade under load

Written by `make upgrade-test` on %s. Five machines of one network, all on one with %d processors (load %s): PostgreSQL and Redis, two nodes with
`reeve-api` and `reeve-worker` each, HAProxy with the settings of [upgrade.md](../how-to/upgrade.md), and `wrk`. The package
before is built from commit %s of %s. The load runs from before the first node's upgrade until after the second's: reads of an
organization and of twenty projects, and one write in twenty (half of them with `Idempotency-Key`). The schema goes from %d to %d; then it consists of %d objects (statements of `pg_dump`), the very same as in a database that this version made.

| %d + %d connections | used for ten requests each | new for every request |
|---|---|---|
""" % (datetime.date.today().isoformat(), os.cpu_count(), average, commit, head, schema, now, count, *[LOADS[name][0] for name in ("keeps", "anew")])
                   + line("requests", "%d in %.0f s", "requests", "seconds") + line("answers other than 2xx", "%d", "refused")
                   + line("connections refused, cut or too slow", "%d", "broken")
                   + line("answers", "p50 %.1f ms, p99 %.1f ms, longest %.0f ms", "p50", "p99", "longest")
                   + """
| node | package installed in | ready again after | migrations |
|---|---|---|---|
""" + "".join("| %s | %.1f s | %.1f s | %d |\n" % row for row in rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--from", dest="commit", default=BEFORE, help="the version before")
    parser.add_argument("--old", help="packages of the version before")
    parser.add_argument("--new", help="packages of this tree")
    parser.add_argument("--restarts", type=int, default=0, help="of each node's API afterwards, as often as this, under the same load")
    parser.add_argument("--report")
    options = parser.parse_args()
    ends_on_signal()
    suite = Suite("upgrade")
    with tempfile.TemporaryDirectory() as folder:
        run(suite, options, folder)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
