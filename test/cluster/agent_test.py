#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""reeve-agent on real hosts: Debian 13 with its own systemd, three etcd, PostgreSQL under Patroni. Needs root.

The control plane is test/cluster/small_control.py, so that what is tested is the agent alone: a goal goes in, and what counts is
what the databases do.
"""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "fleet"), os.path.join(TESTS, "api")]
sys.dont_write_bytecode = True

import agents  # noqa: E402
import hosts  # noqa: E402
import image  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from small_control import ADDRESS, PORT, Authority, SmallControl  # noqa: E402
from state import CLIENT, ETCD, Fleet, Problem, wait_until  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

BUILD = os.environ.get("REEVE_BUILD", os.path.join(os.path.dirname(TESTS), "build"))
PASSWORD = "correct horse battery"


def verifier(password):
    """SCRAM-SHA-256 as PostgreSQL keeps it."""
    import base64
    import hashlib
    import hmac
    salt = os.urandom(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 4096)
    client = hmac.digest(salted, b"Client Key", "sha256")
    encode = lambda data: base64.b64encode(data).decode()  # noqa: E731
    return "SCRAM-SHA-256$4096:%s$%s:%s" % (encode(salt), encode(hashlib.sha256(client).digest()),
                                            encode(hmac.digest(salted, b"Server Key", "sha256")))


VERIFIER = verifier(PASSWORD)


class Cluster:
    """The goal of one cluster, spread over the hosts that its members are on."""
    number = 0

    def __init__(self, rig, host_names):
        Cluster.number += 1
        self.rig, self.hosts = rig, host_names
        self.scope = "c%05d" % Cluster.number
        self.goal_generation = self.access_generation = 1
        self.parameters = {"max_connections": "30", "shared_buffers": "16MB"}
        self.access = {"networks": [CLIENT["client"] + "/32"], "authorities": "", "users": [], "roles": [], "ldap": None}
        self.tasks = []
        identity = "%024x" % (0x5000 + Cluster.number)
        self.id = identity
        self.members = []
        for ordinal, host in enumerate(host_names):
            name = "%s-shard-00-%02d" % (self.scope, ordinal)
            self.members.append({
                "id": "%024x" % (0x9000 + Cluster.number * 16 + ordinal), "clusterId": identity, "name": name, "ordinal": ordinal,
                "address": "10.78.%d.%d" % (int(host[1:]), Cluster.number), "prefix": 16, "port": 27017, "desired": "RUNNING", "cpus": 0.5,
                "memoryMb": 256, "diskGb": 1, "electable": True, "priority": 7, "restartNonce": 0, "host": host,
                "names": [name + ".p4ss1.db.test", name + "-pri.p4ss1.db.test"]})

    def document(self):
        return {"id": self.id, "projectId": "%024x" % 7, "name": "orders", "scope": self.scope, "majorVersion": "17",
                "goalGeneration": self.goal_generation, "accessGeneration": self.access_generation, "synchronous": len(self.members) > 1,
                "parameters": self.parameters, "access": self.access,
                "peers": [{"memberId": m["id"], "name": m["name"], "address": m["address"],
                           "hostAddress": self.rig.fleet.host(m["host"])["address"]} for m in self.members]}

    def on_host(self, host):
        return [{key: value for key, value in m.items() if key != "host"} for m in self.members if m["host"] == host]

    def member(self, role):
        """Waits for one: an agent that just started says nothing about members that it has not looked at yet."""
        return wait_until(lambda: next((m for m in self.members if self.seen(m).get("role") == role), None), "a " + role, 30)

    def seen(self, member):
        """What its agent said last."""
        report = self.rig.control.hosts[member["host"]].report or {"members": []}
        return next((m for m in report["members"] if m["id"] == member["id"]), {})

    def all_seen(self):
        return [self.seen(member) for member in self.members]

    def roles(self):
        return sorted(seen.get("role", "?") for seen in self.all_seen())

    def is_in_force(self):
        return all(seen.get("goalGeneration") == self.goal_generation and seen.get("accessGeneration") == self.access_generation
                   for seen in self.all_seen())


class Rig:
    def __init__(self, folder, host_count):
        self.fleet = Fleet.create(folder, BUILD, host_count, 1, 3)
        self.clusters = []
        self.control = None

    def up(self):
        fleet = self.fleet
        root = image.ensure(fleet.say)
        network.up(fleet)
        self.authority = Authority(fleet.path("authority"))
        self.control = SmallControl(fleet, self.authority)
        self.control.start()
        self.start_etcd()
        for name in fleet.hosts:
            hosts.create(fleet, name, root)
            agents.install(fleet, name)
            hosts.start(fleet, name)
        for name in fleet.hosts:
            hosts.wait_booted(fleet, name)
        fleet.say("%d hosts have booted" % len(fleet.hosts))

    def start_etcd(self):
        fleet = self.fleet
        everyone = ",".join("%s=https://%s:2380" % pair for pair in ETCD.items())
        for name, address in ETCD.items():
            tls = self.authority.issue(fleet.path("tls", name), "/CN=" + name, ["IP:" + address])
            files = ["--%s%s-file=%s" % (prefix, option, path) for prefix in ("", "peer-") for option, path in (
                ("cert", tls + "/certificate.pem"), ("key", tls + "/key.pem"), ("trusted-ca", self.authority.folder + "/authority.pem"))]
            process.start(fleet, name, name, [
                os.path.join(image.path(), "usr/bin/etcd"), "--name", name, "--data-dir", fleet.path("etcd", name),
                "--initial-cluster", everyone, "--initial-advertise-peer-urls", "https://%s:2380" % address,
                "--listen-peer-urls", "https://%s:2380" % address, "--advertise-client-urls", "https://%s:2379" % address,
                "--listen-client-urls", "https://%s:2379" % address, "--client-cert-auth", "--peer-client-cert-auth",
                "--log-level", "warn", *files])

    def etcdctl(self, *arguments):
        tls = self.fleet.path("tls/etcd1")
        return subprocess.run(network.command(self.fleet, "control", [
            os.path.join(image.path(), "usr/bin/etcdctl"), "--endpoints=https://%s:2379" % ETCD["etcd1"],
            "--cacert=" + self.authority.folder + "/authority.pem", "--cert=" + tls + "/certificate.pem", "--key=" + tls + "/key.pem",
            *arguments]), capture_output=True, text=True, check=True, env={**os.environ, "ETCDCTL_API": "3"}, timeout=20).stdout

    def join(self, host):
        hosts.run(self.fleet, host, agents.AGENT, "join", "--url", "https://%s:%d" % (ADDRESS, PORT), "--token", self.control.token(host),
                  timeout=30)

    def start_agent(self, host):
        hosts.run(self.fleet, host, "systemctl", "start", "reeve-agent.service", timeout=30)

    def goal_of(self, host):
        clusters = [c for c in self.clusters if host in c.hosts]
        return {"etcd": ["https://%s:2379" % address for address in ETCD.values()], "clusters": [c.document() for c in clusters],
                "members": [m for c in clusters for m in c.on_host(host)],
                "tasks": [t for c in clusters for t in c.tasks if any(m["id"] == t["memberId"] for m in c.on_host(host))]}

    def publish(self):
        for host in self.fleet.hosts:
            if host in self.control.hosts:
                self.control.set_goal(host, self.goal_of(host))

    def psql(self, address, statement, user="app", password=PASSWORD, database="shop", machine="client", options="", timeout=20):
        conninfo = ("host=%s port=27017 dbname=%s user='%s' sslmode=verify-full sslrootcert=%s connect_timeout=5 %s" %
                    (address, database, user, self.authority.folder + "/authority.pem", options))
        return subprocess.run(network.command(self.fleet, machine, ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", conninfo, "-c", statement]),
                              capture_output=True, text=True, timeout=timeout, check=False,
                              env={**os.environ, "PGPASSWORD": password, "HOME": "/nonexistent"})

    def inside(self, member, statement, database="postgres"):
        """As the superuser on the member's own socket."""
        return hosts.run(self.fleet, member["host"], "psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h",
                         "/var/lib/reeve/members/%s/run" % member["id"], "-p", "27017", "-d", database, "-c", statement, timeout=30).strip()

    def show_problems(self):
        for host in self.fleet.hosts:
            report = self.control.hosts[host].report if self.control and host in self.control.hosts else None
            print("--- %s: %s" % (host, json.dumps(report)))
            with contextlib.suppress(Problem, subprocess.TimeoutExpired):
                print(hosts.run(self.fleet, host, "journalctl", "-b", "--no-pager", "-n", "60", check=False, timeout=20))

    def down(self):
        if self.control:
            self.control.stop()
        network.down(self.fleet.prefix)
        hosts.down(self.fleet.prefix)


def timed(rig, suite, condition, what, seconds, every=0.05):
    began = time.monotonic()
    try:
        wait_until(condition, what, seconds, every)
    except Problem:
        rig.show_problems()
        raise
    took = time.monotonic() - began
    suite.check(True, "%s", what)
    rig.fleet.say("%s: %.2f s" % (what, took))
    return took


# ---- The tests, in the order of a host's life ----
def a_host_joins_with_its_token_only(suite, rig):
    fleet = rig.fleet
    url = "https://%s:%d" % (ADDRESS, PORT)
    other = "reeve_join_x:" + "00" * 32
    result = subprocess.run(hosts.command(fleet, "h1", [agents.AGENT, "join", "--url", url, "--token", other]), capture_output=True,
                            text=True, check=False)
    suite.check(result.returncode == 1 and "authority" in result.stderr, "a token of another authority is refused: %s", result.stderr)
    suite.check("reeve_join_x" not in rig.control.tokens and not rig.control.hosts, "and was sent to nobody")
    for host in fleet.hosts:
        rig.join(host)
    mode = hosts.run(fleet, "h1", "stat", "-c", "%a %U", "/var/lib/reeve/agent/host.key").strip()
    suite.check(mode == "600 root", "the key is root's own: %s", mode)
    for host in fleet.hosts:
        rig.start_agent(host)
    rig.publish()
    timed(rig, suite, lambda: all(h.report and h.report["version"] == h.version for h in rig.control.hosts.values()),
          "agents report an empty goal", 20)
    suite.check("h1" in hosts.run(fleet, "h1", agents.AGENT, "status"), "status knows the host")


def three_members_become_a_cluster(suite, rig):
    cluster = Cluster(rig, ["h1", "h2", "h3"])
    cluster.access["users"] = [{"name": "app", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "readWrite", "database": "shop"}]}]
    rig.clusters.append(cluster)
    rig.publish()
    timed(rig, suite, lambda: "PRIMARY" in cluster.roles(), "a primary", 60)
    timed(rig, suite, lambda: cluster.roles() == ["PRIMARY", "REPLICA", "SYNC_STANDBY"], "two replicas, one synchronous", 60)
    timed(rig, suite, cluster.is_in_force, "goal and access in force on all members", 60)
    suite.check(all(not s["problem"] for s in cluster.all_seen()), "no problems: %s", cluster.all_seen())
    states = sorted(s["running"] for s in cluster.all_seen())
    suite.check(states == ["running", "streaming", "streaming"], "replicas stream: %s", states)
    primary = cluster.member("PRIMARY")
    suite.check(rig.inside(primary, "SHOW wal_segment_size") == "4MB", "small WAL segments")
    suite.check(rig.inside(primary, "SHOW data_checksums") == "on", "checksums")
    suite.check(rig.inside(primary, "SHOW shared_buffers") == "16MB", "parameters of the goal")
    suite.check(rig.inside(primary, "SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_replication USING (pid) WHERE ssl") == "2",
                "replication is encrypted")
    config = hosts.run(rig.fleet, primary["host"], "cat", "/var/lib/reeve/members/%s/patroni.yml" % primary["id"])
    suite.check("password" not in config.replace("password_encryption", ""), "no password in the configuration")


def patroni_is_corrected_as_it_should_be(suite, rig):
    """With the Patroni of the hosts: this machine has none."""
    member = rig.clusters[0].member("PRIMARY")
    with open(os.path.join(HERE, "patroni_start.py")) as file:
        hosts.write_file(rig.fleet, member["host"], "/var/tmp/patroni_start.py", file.read())
    output = hosts.run(rig.fleet, member["host"], "python3", "-I", "/var/tmp/patroni_start.py", "/var/lib/reeve/members/%s/start.py" % member["id"])
    suite.equal(output.strip(), "done", "what start.py changes of Patroni")
    suite.equal(rig.inside(member, "SHOW recovery_init_sync_method"), "syncfs", "how a server that starts has everything on its disk")


def users_work_as_their_roles_say(suite, rig):
    cluster = rig.clusters[0]
    address = cluster.member("PRIMARY")["address"]
    result = rig.psql(address, "CREATE TABLE orders (id int PRIMARY KEY); INSERT INTO orders VALUES (1); SELECT count(*) FROM orders")
    suite.check(result.stdout.strip() == "1", "readWrite creates and writes: %s", result.stderr)
    suite.check(rig.psql(address, "SELECT 1", machine="stranger").returncode != 0, "a stranger does not connect")
    suite.check(rig.psql(address, "SELECT 1", password="wrong").returncode != 0, "a wrong password does not connect")
    suite.check(rig.psql(address, "SELECT 1", options="sslmode=disable").returncode != 0, "nobody connects without TLS")
    suite.check(rig.psql(address, "SELECT 1", user="postgres", database="postgres").returncode != 0, "the superuser is on the socket only")
    rig.inside(cluster.member("PRIMARY"), "CREATE ROLE tenants_own LOGIN")
    cluster.access["users"] += [
        {"name": "reader", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "read", "database": "shop"}]},
        {"name": "narrow", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "read", "database": "shop", "collection": "orders"}]},
        {"name": "auditor", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "audit", "database": "admin"}]},
        {"name": "boss", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "serviceAdmin", "database": "admin"}]},
        {"name": "past", "login": "SCRAM", "verifier": VERIFIER, "validUntil": "2020-01-01T00:00:00Z", "roles": [{"role": "read", "database": "shop"}]},
        {"name": "o'dd \"na$$me; --", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "read", "database": "shop"}]}]
    cluster.access["roles"] = [{"name": "audit", "privileges": [{"action": "FIND", "database": "shop", "collection": "orders"}],
                                "inherits": [{"role": "read", "database": "books"}]}]
    cluster.access_generation += 1
    rig.publish()
    timed(rig, suite, cluster.is_in_force, "seven users in force", 30)
    suite.check(all(not s["problem"] for s in cluster.all_seen()), "no problems: %s", [s["problem"] for s in cluster.all_seen()])
    rows = [
        ("reader", "SELECT count(*) FROM orders", "shop", True), ("reader", "INSERT INTO orders VALUES (2)", "shop", False),
        ("reader", "CREATE TABLE mine (id int)", "shop", False), ("reader", "SELECT 1", "books", False),
        ("narrow", "SELECT count(*) FROM orders", "shop", True), ("auditor", "SELECT count(*) FROM orders", "shop", True),
        ("auditor", "SELECT 1", "books", True), ("auditor", "DELETE FROM orders", "shop", False),
        ("boss", "CREATE TABLE of_boss (id int); SELECT count(*) FROM orders", "shop", True), ("boss", "CREATE ROLE of_tenant LOGIN", "shop", True),
        ("boss", "ALTER ROLE boss SUPERUSER", "shop", False), ("past", "SELECT 1", "shop", False), ("app", "INSERT INTO orders VALUES (3)", "shop", True),
        ("app", "CREATE TABLE later (id int)", "shop", True), ("reader", "SELECT count(*) FROM later", "shop", True),
        ("reader", "SELECT count(*) FROM of_boss", "shop", True), ("narrow", "SELECT count(*) FROM later", "shop", False),
        ("app", "COPY orders TO PROGRAM 'true'", "shop", False), ("boss", "SELECT pg_read_file('/etc/passwd')", "shop", False),
        ("o\\'dd \"na$$me; --", "SELECT count(*) FROM orders", "shop", True)]
    for user, statement, database, works in rows:
        result = rig.psql(address, statement, user=user, database=database)
        suite.check((result.returncode == 0) == works, "%s: %s in %s %s: %s", user, statement, database, "works" if works else "does not work",
                    result.stderr)
    log = hosts.run(rig.fleet, cluster.member("PRIMARY")["host"], "journalctl", "-b", "--no-pager")
    suite.check("SCRAM-SHA-256$" not in log, "no verifier in any log")


def users_and_networks_go_at_once(suite, rig):
    cluster = rig.clusters[0]
    primary = cluster.member("PRIMARY")
    with session(rig, primary["address"], "reader") as reader:
        suite.check(reader("SELECT 1") == "1", "reader has a session")
        cluster.access["users"] = [u for u in cluster.access["users"] if u["name"] != "reader"]
        cluster.access_generation += 1
        rig.publish()
        timed(rig, suite, cluster.is_in_force, "a user is gone", 15)
        suite.check(reader("SELECT 1") is None, "and its session with it")
    suite.check(rig.psql(primary["address"], "SELECT 1", user="reader").returncode != 0, "reader cannot log in any more")
    rig.psql(primary["address"], "CREATE TABLE keepsake (id int)")
    kept = cluster.access["users"]
    cluster.access["users"] = [u for u in kept if u["name"] != "app"]
    cluster.access_generation += 1
    rig.publish()
    timed(rig, suite, cluster.is_in_force, "a user that owns tables is gone", 15)
    owner = rig.inside(primary, "SELECT tableowner = (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'shop') FROM pg_tables WHERE tablename = 'keepsake'",
                       "shop")
    suite.check(owner == "t", "its tables belong to the database's owner: %s", owner)
    suite.check(rig.inside(primary, "SELECT count(*) FROM pg_roles WHERE rolname IN ('tenants_own', 'of_tenant')") == "2",
                "roles that tenants made stay")
    cluster.access["users"] = kept
    cluster.access["networks"] = [CLIENT["client"] + "/32", CLIENT["stranger"] + "/32"]
    cluster.access_generation += 1
    began = time.monotonic()
    rig.publish()
    wait_until(lambda: rig.psql(primary["address"], "SELECT 1", machine="stranger").returncode == 0, "the stranger is let in", 10, 0.02)
    let_in = time.monotonic() - began
    suite.check(let_in < 1.5, "an address that was added connects within a second: %.2f s", let_in)
    timed(rig, suite, cluster.is_in_force, "in force everywhere", 10)
    with session(rig, primary["address"], "app", "stranger") as stranger:
        suite.check(stranger("SELECT 1") == "1", "the stranger has a session")
        cluster.access["networks"] = [CLIENT["client"] + "/32"]
        cluster.access_generation += 1
        began = time.monotonic()
        rig.publish()
        wait_until(lambda: rig.psql(primary["address"], "SELECT 1", machine="stranger").returncode != 0, "the stranger is out", 10, 0.02)
        out = time.monotonic() - began
        suite.check(out < 1.5, "an address that was taken away is out within a second: %.2f s", out)
        rig.fleet.say("access list: in after %.2f s, out after %.2f s" % (let_in, out))
        timed(rig, suite, cluster.is_in_force, "in force everywhere", 10)
        suite.check(stranger("SELECT 1") is None, "its session was ended")


def certificates_log_in(suite, rig):
    cluster = rig.clusters[0]
    users = Authority(rig.fleet.path("users"))
    tls = users.issue(rig.fleet.path("users/ci"), "/O=Example/OU=build/CN=ci", [])
    other = users.issue(rig.fleet.path("users/other"), "/O=Example/OU=build/CN=other", [])
    forged = users.issue(rig.fleet.path("users/forged"), "/O=reeve-member/CN=" + cluster.members[0]["name"], [])
    cluster.access["authorities"] = users.pem
    cluster.access["users"].append({"name": "CN=ci,OU=build,O=Example", "login": "X509", "roles": [{"role": "read", "database": "shop"}]})
    cluster.access_generation += 1
    rig.publish()
    timed(rig, suite, cluster.is_in_force, "a user with a certificate", 15)
    address = cluster.member("PRIMARY")["address"]
    connect = lambda folder, user, database="shop", more="": rig.psql(  # noqa: E731
        address, "SELECT current_user", user=user, database=database, password="",
        options="sslcert=%s/certificate.pem sslkey=%s/key.pem %s" % (folder, folder, more))
    result = connect(tls, "CN=ci,OU=build,O=Example")
    suite.check(result.stdout.strip() == "CN=ci,OU=build,O=Example", "the certificate's name logs in: %s", result.stderr)
    suite.check(connect(other, "CN=ci,OU=build,O=Example").returncode != 0, "another certificate does not")
    suite.check(connect(forged, "reeve_replicator", "postgres", "replication=true").returncode != 0, "a tenant's authority makes no members")


def certificates_are_renewed(suite, rig):
    """Of the host and of a member, when most of their time is over; clients see the new one, and nobody restarts."""
    fleet, cluster = rig.fleet, rig.clusters[0]
    member = cluster.member("REPLICA")
    host = member["host"]
    start = rig.inside(member, "SELECT pg_postmaster_start_time()")
    files = {"host": "/var/lib/reeve/agent/host", "member": "/var/lib/reeve/members/%s/tls/member" % member["id"]}
    serial = lambda path: hosts.run(fleet, host, "openssl", "x509", "-noout", "-serial", "-in", path + ".crt").strip()  # noqa: E731
    old = {}
    for what, path in files.items():
        request = hosts.run(fleet, host, "openssl", "req", "-new", "-key", path + ".key", "-subj", "/CN=x")
        subject = hosts.run(fleet, host, "openssl", "x509", "-noout", "-subject", "-nameopt", "compat", "-in", path + ".crt").strip()
        subject = "/" + subject.split("=", 1)[1].lstrip("/ ")
        names = ["DNS:" + name for name in member["names"]] + ["IP:" + member["address"]] if what == "member" else []
        hosts.write_file(fleet, host, path + ".crt", rig.authority.sign_old(request, subject, names))
        if what == "member":
            hosts.run(fleet, host, "chown", "--reference=%s.key" % path, path + ".crt")
        old[what] = serial(path)
    hosts.run(fleet, host, "systemctl", "restart", "reeve-agent.service")
    for what, path in files.items():
        timed(rig, suite, lambda what=what, path=path: serial(path) != old[what], "a new certificate of the " + what, 30)
    shown = lambda: subprocess.run(network.command(fleet, "client", [  # noqa: E731
        "openssl", "s_client", "-starttls", "postgres", "-connect", member["address"] + ":27017"]), input="", capture_output=True, text=True,
        check=False, timeout=20).stdout
    fresh = serial(files["member"]).split("=")[1].lower()
    seen = lambda: subprocess.run(["openssl", "x509", "-noout", "-serial"], input=shown(), capture_output=True, text=True,  # noqa: E731
                                  check=False).stdout.strip().split("=")[-1].lower()
    timed(rig, suite, lambda: seen() == fresh, "clients see it", 15)
    timed(rig, suite, cluster.is_in_force, "the host reports with its new certificate", 30)
    suite.equal(rig.inside(member, "SELECT pg_postmaster_start_time()"), start, "when the server started")


def parameters_are_taken_over(suite, rig):
    cluster = rig.clusters[0]
    cluster.parameters = {"max_connections": "40", "shared_buffers": "16MB", "work_mem": "2MB"}
    cluster.goal_generation += 1
    rig.publish()
    timed(rig, suite, cluster.is_in_force, "new parameters", 30)
    timed(rig, suite, lambda: all(s["pendingRestart"] for s in cluster.all_seen()), "a restart is pending everywhere", 30)
    suite.check(all(rig.inside(m, "SHOW work_mem") == "2MB" for m in cluster.members), "what needs no restart is in force")
    for member in sorted(cluster.members, key=lambda m: cluster.seen(m)["role"] == "PRIMARY"):
        member["restartNonce"] += 1
        rig.publish()
        timed(rig, suite, lambda: cluster.seen(member).get("restartNonce") == 1, "%s was restarted" % member["name"], 60)
    timed(rig, suite, lambda: not any(s["pendingRestart"] for s in cluster.all_seen()) and "NONE" not in cluster.roles(), "none is pending", 30)
    suite.check(all(rig.inside(m, "SHOW max_connections") == "40" for m in cluster.members), "and in force")
    cluster.parameters = {"max_connections": "40", "shared_buffers": "16MB"}
    cluster.goal_generation += 1
    rig.publish()
    timed(rig, suite, cluster.is_in_force, "a parameter goes", 30)
    timed(rig, suite, lambda: all(rig.inside(m, "SHOW work_mem") == "4MB" for m in cluster.members), "and is as it was", 15)


def tasks_are_done_once(suite, rig):
    cluster = rig.clusters[0]
    primary = cluster.member("PRIMARY")
    wishes = [("LOAD_SAMPLE", {}), ("CREATE_INDEX", {"database": "shop", "collection": "orders", "name": "by_id", "keys": [{"id": -1}]}),
              ("CREATE_INDEX", {"database": "shop", "collection": "nothing", "keys": [{"id": 1}]}), ("FLY", {}), ("SWITCHOVER", {})]
    for number, (kind, parameters) in enumerate(wishes):
        task = {"id": "%024x" % (0x7000 + number), "memberId": primary["id"], "kind": kind, "parameters": parameters}
        cluster.tasks = [task]
        rig.publish()
        outcome = lambda: next((t for t in rig.control.hosts[primary["host"]].report["tasks"] if t["id"] == task["id"]), None)  # noqa: E731
        timed(rig, suite, outcome, "%s has an outcome" % kind, 60)
        wanted = "FAILED" if kind == "FLY" or parameters.get("collection") == "nothing" else "DONE"
        suite.check(outcome()["outcome"] == wanted, "%s: %s", kind, outcome())
    suite.check(rig.inside(primary, "SELECT count(*) > 25000 FROM purchase_line", "sample_shop") == "t", "sample data is there")
    suite.check(rig.inside(primary, "SELECT indexdef LIKE '%id DESC%' FROM pg_indexes WHERE indexname = 'by_id'", "shop") == "t", "the index is there")
    cluster.tasks = []
    rig.publish()
    timed(rig, suite, lambda: "PRIMARY" in cluster.roles() and cluster.member("PRIMARY") != primary, "another one is primary", 40)
    timed(rig, suite, lambda: cluster.roles() == ["PRIMARY", "REPLICA", "SYNC_STANDBY"] and cluster.is_in_force(), "all is well after the switchover", 40)


def databases_need_no_agent(suite, rig):
    cluster = rig.clusters[0]
    member = cluster.member("PRIMARY")
    unit = "reeve-member-%s.service" % member["id"]
    main_pid = lambda: hosts.run(rig.fleet, member["host"], "systemctl", "show", "-P", "MainPID", unit).strip()  # noqa: E731
    before = main_pid()
    for _ in range(3):
        hosts.run(rig.fleet, member["host"], "systemctl", "kill", "-s", "KILL", "reeve-agent.service")
        suite.check(rig.psql(member["address"], "SELECT 1").returncode == 0, "the database answers while its agent is dead")
        time.sleep(1.5)
    timed(rig, suite, lambda: hosts.run(rig.fleet, member["host"], "systemctl", "is-active", "reeve-agent", check=False).strip() == "active", "the agent is back", 20)
    suite.check(main_pid() == before, "the same process as before")
    rig.control.stop()
    time.sleep(3)
    suite.check(rig.psql(member["address"], "INSERT INTO orders SELECT max(id) + 1 FROM orders").returncode == 0, "the database writes without a control plane")
    rig.control.is_open = True
    rig.control.start()
    heard = {name: host.reports for name, host in rig.control.hosts.items()}
    timed(rig, suite, lambda: all(host.reports > heard[name] for name, host in rig.control.hosts.items()), "all agents are back", 45)


def a_reboot_brings_members_back_without_the_agent(suite, rig):
    cluster = rig.clusters[0]
    member = cluster.member("PRIMARY")
    host = member["host"]
    hosts.run(rig.fleet, host, "systemctl", "disable", "reeve-agent.service")
    hosts.kill(rig.fleet, host)
    others = [m for m in cluster.members if m is not member]
    timed(rig, suite, lambda: any(cluster.seen(m).get("role") == "PRIMARY" for m in others), "another one became primary", 60)
    hosts.start(rig.fleet, host)
    hosts.wait_booted(rig.fleet, host)
    timed(rig, suite, lambda: rig.psql(member["address"], "SELECT pg_is_in_recovery()").stdout.strip() == "t", "the member is back as a replica", 60)
    active = hosts.run(rig.fleet, host, "systemctl", "is-active", "reeve-agent.service", check=False).strip()
    suite.check(active == "inactive", "without its agent: %s", active)
    hosts.run(rig.fleet, host, "systemctl", "enable", "--now", "reeve-agent.service")
    timed(rig, suite, lambda: cluster.roles() == ["PRIMARY", "REPLICA", "SYNC_STANDBY"], "all three again", 60)


def members_stop_and_go(suite, rig):
    single = Cluster(rig, ["h1"])
    rig.clusters.append(single)
    rig.publish()
    member = single.members[0]
    timed(rig, suite, lambda: single.roles() == ["PRIMARY"] and single.is_in_force(), "a cluster of one, beside another member on its host", 60)
    member["desired"] = "STOPPED"
    rig.publish()
    timed(rig, suite, lambda: single.seen(member).get("unit") == "inactive", "it is stopped", 40)
    folder = "/var/lib/reeve/members/" + member["id"]
    hosts.run(rig.fleet, "h1", "test", "-d", folder + "/data/base")
    suite.check(member["address"] in hosts.run(rig.fleet, "h1", "ip", "-br", "address"), "data and address stay")
    member["desired"] = "RUNNING"
    rig.publish()
    timed(rig, suite, lambda: single.roles() == ["PRIMARY"], "it runs again", 60)
    rig.clusters.remove(single)
    rig.publish()
    timed(rig, suite, lambda: any(member["id"] in stray for stray in rig.control.hosts["h1"].report["strays"]), "what is not in the goal is a stray", 20)
    suite.check(hosts.run(rig.fleet, "h1", "systemctl", "is-active", "reeve-member-%s" % member["id"]).strip() == "active", "and runs on")
    rig.clusters.append(single)
    member["desired"] = "REMOVED"
    rig.publish()
    timed(rig, suite, lambda: single.seen(member).get("unit") == "absent", "it is removed", 40)
    left = hosts.run(rig.fleet, "h1", "sh", "-c", "ls -d %s /etc/systemd/system/reeve-member-%s* /etc/systemd/system/*/reeve-member-%s* 2>/dev/null; "
                     "ip -br address | grep -w %s; systemctl list-units --all --plain --no-legend 'reeve-member-%s*'" %
                     (folder, member["id"], member["id"], member["address"], member["id"]), check=False).strip()
    suite.check(left == "", "nothing of it is left: %s", left)
    suite.check("/reeve/%s/" % single.scope in rig.etcdctl("get", "--prefix", "--keys-only", "/reeve/"), "etcd still knows it")
    single.tasks = [{"id": "%024x" % 0x7100, "memberId": member["id"], "kind": "FORGET_SCOPE", "parameters": {}}]
    rig.publish()
    timed(rig, suite, lambda: [t for t in rig.control.hosts["h1"].report["tasks"] if t["outcome"] == "DONE"], "its scope is forgotten", 20)
    keys = rig.etcdctl("get", "--prefix", "--keys-only", "/reeve/")
    suite.check("/reeve/%s/" % single.scope not in keys, "etcd does not know it any more")
    suite.check("/reeve/%s/" % rig.clusters[0].scope in keys, "and still knows the other one")
    rig.clusters.remove(single)
    rig.publish()


def killed_anywhere_it_goes_on(suite, rig):
    """Each place in turn ends the agent once while a member is made, changed and removed."""
    places = ["goal:write:before", "goal:write:after", "member:write-certificate:before", "member:write-certificate:after", "member:write-unit:before",
              "member:write-unit:after", "member:enable-unit:before", "member:enable-unit:after", "member:start-unit:before",
              "member:start-unit:after", "patroni:configure:before", "access:reload:before", "access:reload:after", "roles:create-database:before", "roles:user:before",
              "roles:user:after", "member:stop-unit:before", "member:stop-unit:after", "member:remove-address:before", "member:remove-folder:before",
              "member:remove-unit:before", "member:remove-unit:after"]
    override = "/etc/systemd/system/reeve-agent.service.d/failpoint.conf"
    for place in places if os.environ.get("REEVE_ALL_FAILPOINTS") else places[::3]:
        single = Cluster(rig, ["h2"])
        single.access["users"] = [{"name": "app", "login": "SCRAM", "verifier": VERIFIER, "roles": [{"role": "read", "database": "shop"}]}]
        # The first start after the file was written dies at the place; the one after it does not know the place any more.
        hosts.write_file(rig.fleet, "h2", override, "[Service]\nEnvironment=REEVE_FAILPOINTS=agent:%s=kill\n" % place)
        hosts.run(rig.fleet, "h2", "systemctl", "daemon-reload")
        hosts.run(rig.fleet, "h2", "systemctl", "restart", "reeve-agent.service")
        hosts.run(rig.fleet, "h2", "rm", override)
        hosts.run(rig.fleet, "h2", "systemctl", "daemon-reload")
        restarts = lambda: int(hosts.run(rig.fleet, "h2", "systemctl", "show", "-P", "NRestarts", "reeve-agent.service").strip() or 0)  # noqa: E731
        before = restarts()
        rig.clusters.append(single)
        rig.publish()
        timed(rig, suite, lambda: single.roles() == ["PRIMARY"] and single.is_in_force(), "made although killed at " + place, 60)
        single.parameters["work_mem"] = "5MB"
        single.goal_generation += 1
        rig.publish()
        timed(rig, suite, single.is_in_force, "changed although killed at " + place, 60)
        single.members[0]["desired"] = "REMOVED"
        rig.publish()
        timed(rig, suite, lambda: single.all_seen()[0].get("unit") == "absent", "removed although killed at " + place, 60)
        suite.check(restarts() > before, "it was killed at %s", place)
        rig.clusters.remove(single)
        rig.publish()


def a_stale_agent_stops(suite, rig):
    host = "h3"
    member = next(m for m in rig.clusters[0].members if m["host"] == host)
    state = "/tmp/second-life"
    hosts.run(rig.fleet, host, agents.AGENT, "join", "--url", "https://%s:%d" % (ADDRESS, PORT), "--token", rig.control.token(host),
              "--state-dir", state)
    exited = lambda: hosts.run(rig.fleet, host, "systemctl", "show", "-P", "ExecMainStatus", "reeve-agent.service").strip()  # noqa: E731
    timed(rig, suite, lambda: exited() == "3", "the agent of the earlier life ends", 30)
    suite.check(rig.psql(member["address"], "SELECT 1").returncode == 0, "its databases run on")


def a_goal_can_come_from_a_file(suite, rig):
    cluster, host = rig.clusters[0], "h1"
    member = next(m for m in cluster.members if m["host"] == host)
    hosts.run(rig.fleet, host, "systemctl", "stop", "reeve-agent.service")
    goal = json.loads(json.dumps(rig.control.hosts[host].goal))
    goal["clusters"][0]["accessGeneration"] = 77
    goal["clusters"][0]["access"]["networks"] = [CLIENT["stranger"] + "/32"]
    hosts.write_file(rig.fleet, host, "/root/goal.json", json.dumps(goal))
    hosts.run(rig.fleet, host, "systemd-run", "--unit=by-hand", agents.AGENT, "run", "--goal-file", "/root/goal.json", "--report-file", "/root/report.json")

    def reported():
        with contextlib.suppress(Problem, ValueError):
            report = json.loads(hosts.run(rig.fleet, host, "cat", "/root/report.json"))
            return any(m["id"] == member["id"] and m["accessGeneration"] == 77 for m in report["members"])
    timed(rig, suite, reported, "a goal from a file is in force", 30)
    suite.check(rig.psql(member["address"], "SELECT 1", machine="stranger").returncode == 0, "as it says")
    suite.check(rig.psql(member["address"], "SELECT 1").returncode != 0, "and no more than it says")
    hosts.run(rig.fleet, host, "systemctl", "stop", "by-hand.service")
    rig.start_agent(host)
    timed(rig, suite, lambda: rig.psql(member["address"], "SELECT 1").returncode == 0, "the control plane's goal holds again", 20)


@contextlib.contextmanager
def session(rig, address, user, machine="client"):
    """A psql that stays; a statement gives its result, or None when the session is over."""
    conninfo = "host=%s port=27017 dbname=shop user=%s sslmode=require" % (address, user)
    client = subprocess.Popen(network.command(rig.fleet, machine, ["psql", "-X", "-A", "-t", "-q", conninfo]), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1,
                              env={**os.environ, "PGPASSWORD": PASSWORD, "HOME": "/nonexistent"})

    def ask(statement):
        try:
            client.stdin.write(statement + ";\n")
            client.stdin.flush()
            return client.stdout.readline().strip() or None
        except BrokenPipeError:
            return None
    try:
        yield ask
    finally:
        client.kill()
        client.wait()


TESTS_IN_ORDER = [
    a_host_joins_with_its_token_only, three_members_become_a_cluster, patroni_is_corrected_as_it_should_be, users_work_as_their_roles_say,
    users_and_networks_go_at_once,
    certificates_log_in, certificates_are_renewed, parameters_are_taken_over, tasks_are_done_once, databases_need_no_agent, members_stop_and_go, a_goal_can_come_from_a_file,
    killed_anywhere_it_goes_on, a_reboot_brings_members_back_without_the_agent, a_stale_agent_stops]


def main():
    suite = Suite("agent")
    ends_on_signal()
    folder = tempfile.mkdtemp(prefix="reeve-agent-", dir="/tmp")
    os.chmod(folder, 0o755)
    rig = Rig(folder, 3)
    chosen = sys.argv[1:]
    try:
        rig.up()
        for test in TESTS_IN_ORDER:
            if not chosen or test.__name__ in chosen or test in TESTS_IN_ORDER[:2]:
                print("# " + test.__name__, file=sys.stderr, flush=True)
                test(suite, rig)
    except Problem as problem:
        suite.check(False, "%s", problem)
    finally:
        if os.environ.get("REEVE_KEEP"):
            print("kept: %s" % folder, file=sys.stderr)
            rig.control and rig.control.stop()
        else:
            rig.down()
            shutil.rmtree(folder, ignore_errors=True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
