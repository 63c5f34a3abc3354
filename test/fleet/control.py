# SPDX-License-Identifier: Apache-2.0
"""The control side of a fleet: PostgreSQL, Redis, two stores of measurements, three etcd, PowerDNS, and two of each of Reeve's own processes.

All of them are the real programs with the configuration that the documentation tells operators to write. Certificates
come from the fleet's own authority through `reeved fleet certificate`, as an operator would get them.
"""
import glob
import json
import os
import pwd
import re
import secrets
import socket
import subprocess

import control_node
import image
import network
import process
from state import CONTROL, DOMAIN, ETCD, NETWORK, ROOT, Problem, wait_until

API_PORT, OPERATOR_PORT, AGENT_PORT = 8443, 9443, 8444
RECEIVER = CONTROL["control1"], 8600  # where tests listen for what tenants have sent somewhere
WORKERS = ["worker1", "worker2"]
APIS = {"api1": "control1", "api2": "control2"}
REEVE = [*APIS, *WORKERS]
STORES = {"store1": 8428, "store2": 8429}  # of measurements, on the control side's loopback: no host reaches them

# What the clusters are made of: small enough that forty clusters of three fit on one machine.
SIZES = [("S1", "0.05", 128, 1, 50), ("S2", "0.25", 256, 5, 100), ("S3", "0.5", 512, 10, 200)]


def postgres_bin():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
    if not found:
        raise Problem("no PostgreSQL server under /usr/lib/postgresql; run script/bootstrap")
    return found[-1]


def run(arguments, **options):
    result = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd="/", **options)
    if result.returncode != 0:
        raise Problem("%s: %s" % (" ".join(arguments[:4]), (result.stderr or result.stdout).strip()))
    return result.stdout


def listens(fleet, machine, address, port):
    try:
        with network.inside(fleet, machine):
            socket.create_connection((address, port), timeout=1).close()
        return True
    except OSError:
        return False


# ---- PostgreSQL and Redis ----
def database(fleet):
    return "host=%s port=5432 dbname=reeve user=reeve" % fleet.path("postgres")


def start_postgres(fleet):
    folder, user, binaries = fleet.path("postgres"), pwd.getpwnam("postgres"), postgres_bin()
    os.makedirs(folder)
    os.chown(folder, user.pw_uid, user.pw_gid)
    as_postgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]
    run([*as_postgres, binaries + "/initdb", "-D", folder + "/data", "-U", "postgres", "--auth=trust", "--encoding=UTF8",
         "--locale=C", "--no-sync"])
    process.start(fleet, "postgres", "control",
                  [binaries + "/postgres", "-D", folder + "/data", "-k", folder, "-h", CONTROL["control1"], "-p", "5432",
                   "-c", "max_connections=400", "-c", "shared_buffers=128MB"], user="postgres")
    wait_postgres(fleet)
    superuser(fleet, "CREATE ROLE reeve LOGIN CREATEROLE", database_name="postgres")
    superuser(fleet, "CREATE DATABASE reeve OWNER reeve", database_name="postgres")


def wait_postgres(fleet):
    ready = [postgres_bin() + "/pg_isready", "-q", "-h", fleet.path("postgres")]
    process.wait_ready(fleet, "postgres", lambda: subprocess.run(ready, check=False).returncode == 0, 60)


def superuser(fleet, statement, database_name="reeve"):
    """Rows of a statement in the control database, for tests that look behind the API; a row is a list of texts."""
    output = run(["psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-h", fleet.path("postgres"),
                  "-U", "postgres", "-d", database_name, "-c", statement])
    return [line.split("\x1f") for line in output.splitlines()]


def start_redis(fleet):
    folder = fleet.path("redis")
    os.makedirs(folder)
    process.start(fleet, "redis", "control", ["redis-server", "--port", "0", "--unixsocket", folder + "/redis.sock",
                                              "--unixsocketperm", "777", "--dir", folder, "--save", "", "--appendonly", "no"])
    process.wait_ready(fleet, "redis", lambda: os.path.exists(folder + "/redis.sock"), 10)


# ---- Stores of measurements ----
def store_url(name):
    return "http://127.0.0.1:%d" % STORES[name]


def start_store(fleet, name):
    """With the words that deploy/victoria-metrics has."""
    with open(os.path.join(ROOT, "deploy/victoria-metrics.default"), encoding="utf-8") as file:
        limits = re.findall(r"(-search\.max\w+=\w+)", file.read().rpartition("ARGS=")[2])
    process.start(fleet, name, "control", [
        "victoria-metrics", "-storageDataPath=" + fleet.path(name), "-httpListenAddr=127.0.0.1:%d" % STORES[name], "-retentionPeriod=8d",
        "-search.latencyOffset=0s", "-dedup.minScrapeInterval=1ms", "-memory.allowedBytes=64MiB", *limits])
    process.wait_ready(fleet, name, lambda: listens(fleet, "control", "127.0.0.1", STORES[name]), 30)


def knows_stores(fleet):
    """A program of an older version does not measure."""
    return "monitor_stores" in run([fleet.build + "/reeved", "config", "--reference"])


# ---- Reeve ----
def conf(fleet, node="control1"):
    return fleet.path("conf", node + ".conf")


def reeved(fleet, *arguments, node="control1"):
    """`reeved WORD…` with a node's configuration; its output."""
    return run([fleet.build + "/reeved", *arguments, "--config", conf(fleet, node)])


def run_dir(fleet, node):
    """Of the package's unit, or in the fleet's folder."""
    return "/run/reeve-" + node if fleet.packages else fleet.path("nginx", node)


def write_configuration(fleet):
    os.makedirs(fleet.path("conf"))
    os.makedirs(fleet.path("tls"))
    with open(os.open(fleet.path("master.key"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_hex(32) + "\n")
    for node, address in CONTROL.items():
        rows = [("listen", "%s:%d" % (address, API_PORT)), ("operator_listen", "%s:%d" % (address, OPERATOR_PORT)),
                ("agent_listen", "%s:%d" % (address, AGENT_PORT)), ("base_url", "https://%s:%d" % (address, API_PORT)),
                ("certificate", fleet.path("tls/control/certificate.pem")), ("certificate_key", fleet.path("tls/control/key.pem")),
                ("agent_certificate", fleet.path("tls/control/certificate.pem")),
                ("agent_certificate_key", fleet.path("tls/control/key.pem")), ("agent_authority", fleet.path("tls/authority.pem")),
                ("database", database(fleet)), ("redis", fleet.path("redis/redis.sock")), ("key_file", fleet.path("master.key")),
                ("run_dir", run_dir(fleet, node)), ("log", fleet.path("log", node + "-requests.log")),
                ("egress_allow", RECEIVER[0] + "/32"), ("egress_ca", fleet.path("tls/authority.pem")),
                ("alert_relay", "https://%s:%d" % RECEIVER), ("domain", DOMAIN), ("workers", 1)]
        rows += [("etcd", "https://%s:2379" % etcd) for etcd in ETCD.values()]
        rows += [("monitor_stores", store_url(name)) for name in STORES if knows_stores(fleet)]
        rows += [("control_plane_addresses", "%s/32" % one) for one in CONTROL.values()]
        with open(conf(fleet, node), "w") as file:
            file.writelines("%s = %s\n" % row for row in rows)
    os.makedirs(fleet.path("nginx"))
    os.makedirs(fleet.path("log"), exist_ok=True)


def certificate(fleet, name, addresses=(), names=()):
    """A certificate of the fleet's authority in STATE/tls/NAME."""
    words = ["fleet", "certificate", "--name", name, "--out", fleet.path("tls", name)]
    words += [word for address in addresses for word in ("--address", address)]
    words += [word for one in names for word in ("--dns", one)]
    reeved(fleet, *words)


def found_fleet(fleet):
    """Schema, authority, certificates, where clusters can be: what an operator types once."""
    reeved(fleet, "migrate")
    reeved(fleet, "fleet", "init")
    with open(fleet.path("tls/authority.pem"), "w") as file:
        file.write(reeved(fleet, "fleet", "authority"))
    certificate(fleet, "control", addresses=CONTROL.values(), names=["localhost"])
    for name, address in ETCD.items():
        certificate(fleet, name, addresses=[address])


def describe_fleet(fleet):
    providers = {host["provider"] for host in fleet.hosts.values()}
    for provider in sorted(providers):
        reeved(fleet, "fleet", "provider", "add", provider)
    for provider, region in sorted({(host["provider"], host["region"]) for host in fleet.hosts.values()}):
        reeved(fleet, "fleet", "region", "add", provider, region)
    if has_groups(fleet):
        reeved(fleet, "fleet", "etcd", "secure", "default")
    for name, cpus, memory, disk, connections in SIZES:
        reeved(fleet, "fleet", "size", "add", name, "--cpus", cpus, "--memory-mb", str(memory), "--disk-gb", str(disk),
               "--max-connections", str(connections))


def bootstrap_organization(fleet):
    answer = reeved(fleet, "bootstrap", "--organization", "Example Ltd", "--owner", "you@example.org", "--allow", str(NETWORK), "--json")
    fleet.record["credentials"] = json.loads(answer)
    fleet.save()


NODES = {**{name: ("api", node) for name, node in APIS.items()},
         **{name: ("worker", list(CONTROL)[number % len(CONTROL)]) for number, name in enumerate(WORKERS)}}


def write_unit(fleet, name):
    """The package's unit for one of these; its name."""
    kind, node = NODES[name]
    folder = run_dir(fleet, node) + ("" if kind == "api" else "-worker")
    return control_node.write_unit(fleet, name, kind, conf(fleet, node), folder)


def start_reeve(fleet):
    if fleet.packages:
        control_node.own(fleet, fleet.path("master.key"), fleet.path("tls/control/key.pem"), fleet.path("log"))
    for name, (kind, node) in NODES.items():
        if fleet.packages:
            process.start_unit(fleet, name, control_node.NAME, write_unit(fleet, name))
        else:
            process.start(fleet, name, "control", [fleet.build + "/reeved", kind, "--config", conf(fleet, node)])
    wait_reeve(fleet)


def wait_reeve(fleet):
    for name, node in APIS.items():
        process.wait_ready(fleet, name, lambda: listens(fleet, "control", CONTROL[node], API_PORT)
                           and listens(fleet, "control", CONTROL[node], AGENT_PORT), 30)


# ---- etcd ----
def start_etcd(fleet):
    """Of the image: the same release that hosts have the client of. On machines of its own, as it should be."""
    binary = os.path.join(image.path(), "usr/bin/etcd")
    everyone = ",".join("%s=https://%s:2380" % pair for pair in ETCD.items())
    for name, address in ETCD.items():
        tls = fleet.path("tls", name)
        files = ["%s-file=%s" % (option, path) for prefix in ("", "peer-") for option, path in
                 ((prefix + "cert", tls + "/certificate.pem"), (prefix + "key", tls + "/key.pem"),
                  (prefix + "trusted-ca", fleet.path("tls/authority.pem")))]
        process.start(fleet, name, name, [
            binary, "--name", name, "--data-dir", fleet.path("etcd", name), "--initial-cluster", everyone,
            "--initial-cluster-token", fleet.id, "--initial-advertise-peer-urls", "https://%s:2380" % address,
            "--listen-peer-urls", "https://%s:2380" % address, "--advertise-client-urls", "https://%s:2379" % address,
            "--listen-client-urls", "https://%s:2379" % address, "--client-cert-auth", "--peer-client-cert-auth",
            "--auto-compaction-mode", "periodic", "--auto-compaction-retention", "1h", "--log-level", "warn",
            *["--" + file for file in files]])


def start_etcd_group(fleet, name, address, port):
    """A group of one server beside the others, with a certificate and data of its own."""
    certificate(fleet, name, addresses=[address])
    tls, machine = fleet.path("tls", name), next(one for one, where in ETCD.items() if where == address)
    client, peer = "https://%s:%d" % (address, port), "https://%s:%d" % (address, port + 1)
    process.start(fleet, name, machine, [
        os.path.join(image.path(), "usr/bin/etcd"), "--name", name, "--data-dir", fleet.path("etcd", name), "--initial-cluster", "%s=%s" % (name, peer),
        "--initial-advertise-peer-urls", peer, "--listen-peer-urls", peer, "--advertise-client-urls", client, "--listen-client-urls", client,
        "--client-cert-auth", "--trusted-ca-file", fleet.path("tls/authority.pem"), "--cert-file", tls + "/certificate.pem", "--key-file", tls + "/key.pem",
        "--peer-client-cert-auth", "--peer-trusted-ca-file", fleet.path("tls/authority.pem"), "--peer-cert-file", tls + "/certificate.pem",
        "--peer-key-file", tls + "/key.pem", "--log-level", "warn"])
    process.wait_ready(fleet, name, lambda: listens(fleet, "control", address, port), 30)


def wait_etcd(fleet):
    for name, address in ETCD.items():
        process.wait_ready(fleet, name, lambda: etcdctl(fleet, name, "endpoint", "health", check=False) is not None, 30)


def has_groups(fleet):
    """A fleet of an older version has one etcd without users."""
    return superuser(fleet, "SELECT to_regclass('etcd_group') IS NOT NULL") == [["t"]]


def is_etcd_locked(fleet, group):
    return has_groups(fleet) and superuser(fleet, "SELECT 1 FROM etcd_group WHERE name = '%s' AND auth = 'ON'" % group) == [["1"]]


def wait_etcd_locked(fleet, group="default", seconds=60):
    """Until nothing goes without a user."""
    wait_until(lambda: is_etcd_locked(fleet, group), "authentication of etcd group %s is on" % group, seconds, every=0.5)


def etcdctl(fleet, name, *arguments, check=True, group="default", user=True):
    """etcdctl as root, with the certificate of one of the servers; its output, None when it failed and that is no problem."""
    tls = fleet.path("tls", name)
    if user and is_etcd_locked(fleet, group):
        arguments = ["--user=root:" + reeved(fleet, "fleet", "etcd", "root", group).strip(), *arguments]
    command = network.command(fleet, "control", [
        os.path.join(image.path(), "usr/bin/etcdctl"), "--endpoints=https://%s:2379" % ETCD[name],
        "--cacert=" + fleet.path("tls/authority.pem"), "--cert=" + tls + "/certificate.pem", "--key=" + tls + "/key.pem", "--command-timeout=10s", *arguments])
    result = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "ETCDCTL_API": "3"})
    if result.returncode != 0 and check:
        raise Problem("etcdctl %s: %s" % (" ".join(arguments), result.stderr.strip()))
    return result.stdout if result.returncode == 0 else None


# ---- PowerDNS ----
def start_dns(fleet):
    """deploy/pdns.conf with this fleet's addresses in it."""
    folder, user = fleet.path("pdns"), pwd.getpwnam("pdns")
    os.makedirs(folder)
    os.chown(folder, user.pw_uid, user.pw_gid)
    superuser(fleet, "ALTER ROLE reeve_dns LOGIN")
    with open(os.path.join(ROOT, "deploy/pdns.conf")) as file:
        settings = dict(line.strip().split("=", 1) for line in file if "=" in line and not line.startswith("#"))
    settings.update({"local-address": CONTROL["control1"], "socket-dir": folder, "gpgsql-host": fleet.path("postgres")})
    with open(folder + "/pdns.conf", "w") as file:
        file.writelines("%s=%s\n" % pair for pair in settings.items())
    process.start(fleet, "pdns", "control", ["pdns_server", "--config-dir=" + folder, "--daemon=no", "--guardian=no",
                                             "--disable-syslog=yes", "--write-pid=no"])
    process.wait_ready(fleet, "pdns", lambda: listens(fleet, "control", CONTROL["control1"], 53), 20)
