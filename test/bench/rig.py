# SPDX-License-Identifier: Apache-2.0
"""What the benchmark and the profiler share: a node of Reeve with one project in it, load, and the time it cost.

Needs what script/with-services sets up. Everything listens on loopback and is ended by its process id.
"""
import base64
import hashlib
import hmac
import json
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "api"))
import node_packages  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STATEMENT_FILE = os.path.join(ROOT, "src/store/tenant/sql/project_get.sql")
CLIENTS = 32
THREADS = 2
PROCESSES = 2
# Of one project. A refill of one a minute: what is missing from the bucket is what was taken.
BUCKET = {"capacity": 1_000_000_000, "refill": 1}
DOCUMENT_BYTES = 600
QUIET_SHARE = 0.1


class Failure(Exception):
    """Something that makes the figures worthless."""


def say(text):
    print(text, flush=True)


def free_port():
    """Five digits, so that addresses have the same length in every run."""
    while True:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        if port >= 10000:
            return port


# ---- Processor time ----

def children_of(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def cpu_seconds(pid):
    """Of a process, its living descendants, and those that ended and were waited for."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    ticks = sum(int(value) for value in fields[11:15])  # utime, stime, cutime, cstime
    return ticks / os.sysconf("SC_CLK_TCK") + sum(cpu_seconds(child) for child in children_of(pid))


def busy_seconds():
    """Of all processors together, whoever used them."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


class Watch:
    """How much of the machine was used by others since it was made, as a share of all processors."""

    def __init__(self):
        self.began, self.busy, self.own = time.monotonic(), busy_seconds(), cpu_seconds(os.getppid())

    def others(self):
        elapsed = (time.monotonic() - self.began) * os.cpu_count()
        used = busy_seconds() - self.busy - (cpu_seconds(os.getppid()) - self.own)
        return min(max(used / elapsed, 0.0), 1.0)


def wait_for_quiet(seconds):
    """Until others use little of the machine, or until it took too long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        watch = Watch()
        time.sleep(1)
        if watch.others() < QUIET_SHARE:
            return


# ---- Load ----

class Result:
    """One measurement: requests a second, and microseconds of processor time a request by part."""

    def __init__(self, rate, count, cost_us, latency, others):
        self.rate, self.count, self.cost_us, self.latency, self.others = rate, count, cost_us, latency, others

    def __str__(self):
        costs = " + ".join(f"{name} {us:.1f}" for name, us in self.cost_us.items())
        return f"{self.rate:8,.0f}/s  CPU µs a request: {costs}{self.latency}  others used {self.others:.0%}"


def children_seconds():
    """Of those that were waited for: the load generators."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(parts, command, read, env=None):
    """Runs a load generator; `parts` are the processes whose time counts, `read` makes (rate, count, latency) of its output."""
    watch, before = Watch(), {name: cpu_seconds(pid) for name, pid in parts.items()}
    waited = children_seconds()
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    time.sleep(0.1)  # a backend whose client left is waited for by its parent
    others = watch.others()
    spent = {name: cpu_seconds(pid) - before[name] for name, pid in parts.items()}
    spent["client"] = children_seconds() - waited
    if done.returncode != 0:
        raise Failure(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    rate, count, latency = read(done.stdout)
    return Result(rate, count, {name: seconds * 1e6 / count for name, seconds in spent.items()}, latency, others)


def read_pgbench(output):
    rate = re.search(r"^tps = ([\d.]+)", output, re.M)
    count = re.search(r"^number of transactions actually processed: (\d+)", output, re.M)
    failed = re.search(r"^number of failed transactions: (\d+)", output, re.M)
    if not rate or not count or (failed and int(failed[1]) > 0):
        raise Failure(f"pgbench said:\n{output}")
    return float(rate[1]), int(count[1]), ""


def read_wrk(output):
    rate = re.search(r"^Requests/sec:\s+([\d.]+)", output, re.M)
    count = re.search(r"^\s+(\d+) requests in ", output, re.M)
    percentile = {p: value for p, value in re.findall(r"^\s+(50|99)%\s+(\S+)", output, re.M)}
    # wrk prints these lines only when there were any.
    if not rate or not count or "Non-2xx" in output or "Socket errors" in output:
        raise Failure(f"not every answer was 200; wrk said:\n{output}")
    return float(rate[1]), int(count[1]), f"  p50 {percentile['50']} p99 {percentile['99']}"


def wrk(url, token, seconds, parts):
    return measure(parts, ["wrk", f"-t{THREADS}", f"-c{CLIENTS}", f"-d{seconds}s", "--timeout", "10s", "--latency",
                           "-H", f"Authorization: Bearer {token}", url], read_wrk)


# ---- A node with one project ----

class Rig:
    """Use with `with`: everything that was started is ended, whatever happens."""

    def __init__(self, build):
        if "REEVE_TEST_DSN" not in os.environ:
            raise Failure("run it through script/with-services, or use `make bench`")
        self.reeved = os.path.join(os.path.abspath(build), "reeved")
        self.dsn = dict(word.split("=", 1) for word in os.environ["REEVE_TEST_DSN"].split())
        self.services = os.environ["REEVE_TEST_DIR"]
        self.processes = []
        self.folder = None
        with open(STATEMENT_FILE, encoding="utf-8") as file:
            self.statement = "".join(line for line in file if not line.startswith("--")).strip()

    def __enter__(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: sys.exit(143))
        self.folder = tempfile.mkdtemp(prefix="bench.", dir=self.services)
        os.chmod(self.folder, 0o755)
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            family = [process.pid] + children_of(process.pid)
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                for pid in family:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, name, command):
        log = open(self.path(name + ".log"), "wb")
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        self.processes.append(process)
        return process

    def wait_for(self, name, process, is_ready):
        for _ in range(300):
            if process.poll() is not None:
                break
            try:
                if is_ready():
                    return
            except OSError:
                pass
            time.sleep(0.1)
        with open(self.path(name + ".log"), errors="replace") as log:
            raise Failure(f"{name} did not start:\n{log.read()[-3000:]}")

    def call(self, method, url, body=None, headers=None, expect=200):
        """Status and body must be as expected; returns the answer's headers and body."""
        context = ssl.create_default_context(cafile=self.path("ca.pem")) if url.startswith("https") else None
        request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
        try:
            with urllib.request.urlopen(request, context=context, timeout=10) as answer:
                status, fields, text = answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as answer:
            status, fields, text = answer.code, answer.headers, answer.read()
        if status != expect:
            raise Failure(f"{method} {url}: {status} {text.decode(errors='replace')}")
        return fields, text

    # ---- Reeve ----

    def reeve(self, *words):
        done = subprocess.run([self.reeved, *words, "--config", self.path("reeve.conf")], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"reeved {words[0]} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def write_configuration(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", self.path("key.pem"), "-out", self.path("ca.pem")], check=True, capture_output=True)
        with open(self.path("master.key"), "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(os.urandom(32).hex() + "\n")
        self.origin, self.operator_port = self.write_node("reeve")

    def write_node(self, name):
        """The configuration of one node, name.conf. Returns its address and the operators' port."""
        port, operator_port = free_port(), free_port()
        lines = {
            "listen": f"127.0.0.1:{port}",
            "operator_listen": f"127.0.0.1:{operator_port}",
            "base_url": f"https://127.0.0.1:{port}",
            "certificate": self.path("ca.pem"),
            "certificate_key": self.path("key.pem"),
            "key_file": self.path("master.key"),
            "database": os.environ["REEVE_TEST_DSN"],
            "redis": os.environ["REEVE_TEST_REDIS"],
            "run_dir": self.path(name + "-nginx"),
            "workers": PROCESSES,
            "log": self.path(name + "-requests.log"),
        }
        if os.geteuid() == 0:
            known = {entry.pw_name for entry in pwd.getpwall()}
            lines["user"] = next(name for name in ("reeve", "nobody") if name in known)
        with open(self.path(name + ".conf"), "w") as file:
            file.writelines(f"{key} = {value}\n" for key, value in lines.items())
        return lines["base_url"], operator_port

    def start_reeve(self, wrapper=()):
        """`wrapper` is a command that runs another one, such as a profiler."""
        self.write_configuration()
        self.reeve("migrate")
        made = json.loads(self.reeve("bootstrap", "--organization", "Bench", "--owner", "bench@example.org", "--json"))
        self.organization = made["orgId"]
        self.node = self.start("reeved", [*wrapper, self.reeved, "api", "--config", self.path("reeve.conf")])
        self.wait_for("reeved", self.node, lambda: is_ready(self.operator_port))
        basic = base64.b64encode(f"{made['clientId']}:{made['clientSecret']}".encode()).decode()
        _, answer = self.call("POST", self.origin + "/api/oauth/token", b"grant_type=client_credentials",
                              {"Authorization": "Basic " + basic, "Content-Type": "application/x-www-form-urlencoded"})
        self.token = json.loads(answer)["access_token"]
        self.make_project()

    def start_older(self, build):
        """A node of an older build, of the same cell: nodes of the version before serve on while others are newer."""
        origin, operator_port = self.write_node("older")
        self.older = self.start("older", [os.path.join(os.path.abspath(build), "reeved"), "api", "--config", self.path("older.conf")])
        self.wait_for("older", self.older, lambda: is_ready(operator_port))
        self.older_url = self.url.replace(self.origin, origin)

    def make_project(self):
        """One whose JSON document, without links, has DOCUMENT_BYTES bytes."""
        tags = [{"key": f"label-{n}", "value": "x" * 20} for n in range(6)]
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"}
        project = {"name": "storefront", "orgId": self.organization, "tags": tags}
        _, answer = self.call("POST", self.origin + "/api/svc/v2/groups", json.dumps(project).encode(), headers, 201)
        created = json.loads(answer)
        self.project = created["id"]
        self.url = f"{self.origin}/api/svc/v2/groups/{self.project}"
        # Before anybody touches the project: a bucket that is there already would not become full.
        self.reeve("limit", "set", "--project", self.project, "--set", "S53", "--capacity", str(BUCKET["capacity"]),
                   "--refill", str(BUCKET["refill"]))
        del created["links"]
        tags[0]["value"] += "x" * (DOCUMENT_BYTES - len(json.dumps(created, separators=(",", ":"))))
        self.call("PATCH", self.url, json.dumps({"tags": tags}).encode(), headers)
        answer, _ = self.get_project()
        if answer.get("RateLimit-Limit") != str(BUCKET["capacity"]):
            raise Failure(f"the limit is {answer.get('RateLimit-Limit')}")

    def get_project(self, url=None, token=None):
        return self.call("GET", url or self.url, headers={"Authorization": "Bearer " + (token or self.token)})

    def load_reeve(self, seconds):
        os.truncate(self.path("reeve-requests.log"), 0)
        return wrk(self.url, self.token, seconds, {"nginx": self.node.pid, **self.service_pids()})

    def load_older(self, seconds):
        os.truncate(self.path("older-requests.log"), 0)
        return wrk(self.older_url, self.token, seconds, {"nginx": self.older.pid, **self.service_pids()})

    def service_pids(self):
        with open(os.path.join(self.services, "data/postmaster.pid")) as file:
            postgres = int(file.readline())
        # Redis was started by with-services, as we were.
        redis = [pid for pid in children_of(os.getppid()) if name_of(pid) == "redis-server"]
        return {"postgres": postgres, **({"redis": redis[0]} if redis else {})}

    # ---- The engine bare ----

    def load_bare(self, seconds):
        with open(self.path("bare.sql"), "w") as file:
            file.write(self.statement + ";\n")
        command = [find_pgbench(), "-n", "-M", "prepared", "-c", str(CLIENTS), "-j", str(THREADS), "-T", str(seconds),
                   "-f", self.path("bare.sql"), "-D", f"organization=\\x{self.organization}", "-D", f"project=\\x{self.project}",
                   "-h", self.dsn["host"], "-p", self.dsn["port"], "-U", self.dsn["user"], self.dsn["dbname"]]
        # As Reeve's own reading connections.
        env = {**os.environ, "PGOPTIONS": "-c role=reeve_reader -c default_transaction_read_only=on"}
        return measure({"postgres": self.service_pids()["postgres"]}, command, read_pgbench, env)

    # ---- Fastify ----

    def start_fastify(self):
        folder = os.path.join(ROOT, "test/bench/fastify")
        node_packages.install(folder)
        headers, body = self.get_project()
        links = json.loads(body)["links"]
        key, port, principal = os.urandom(32), free_port(), os.urandom(12)
        signed = bytes([1, 1]) + principal + (int(time.time()) + 3600).to_bytes(4, "big") + (1).to_bytes(4, "big") + os.urandom(6)
        token = signed + hmac.digest(key, signed, hashlib.sha256)
        self.fastify_token = "reeve_at_" + base64.urlsafe_b64encode(token).decode()
        self.fastify_url = f"https://127.0.0.1:{port}/api/svc/v2/groups/{self.project}"
        config = {
            "port": port,
            "processes": PROCESSES,
            "certificate": self.path("ca.pem"),
            "certificateKey": self.path("key.pem"),
            "database": {"host": self.dsn["host"], "port": int(self.dsn["port"]), "user": self.dsn["user"],
                         "database": self.dsn["dbname"], "options": "-c role=reeve_reader -c default_transaction_read_only=on"},
            "poolSize": CLIENTS // PROCESSES,
            "redis": os.environ["REEVE_TEST_REDIS"],
            "tokenKey": key.hex(),
            "principals": [{"id": principal.hex(), "generation": 1, "roles": {self.organization: "ORG_OWNER"},
                            "accessList": [["127.0.0.1", 32]]}],
            "projects": [{"id": self.project, "orgId": self.organization, "bucket": BUCKET}],
            "allowedRoles": ["GROUP_READ_ONLY", "GROUP_OWNER", "ORG_READ_ONLY", "ORG_OWNER"],
            "statement": self.statement.replace(":organization", "$1").replace(":project", "$2"),  # pg knows no names
            "baseUrl": self.origin + "/api/svc/v2",
            "contentType": headers["Content-Type"],
            "links": [{"rel": link["rel"], "suffix": link["href"][len(self.url):]} for link in links[1:]],
        }
        with open(self.path("fastify.json"), "w") as file:
            json.dump(config, file)
        self.fastify = self.start("fastify", ["node", os.path.join(folder, "server.js"), self.path("fastify.json")])
        self.wait_for("fastify", self.fastify, lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None)

    def load_fastify(self, seconds):
        return wrk(self.fastify_url, self.fastify_token, seconds, {"node": self.fastify.pid, **self.service_pids()})


def is_ready(operator_port):
    with urllib.request.urlopen(f"http://127.0.0.1:{operator_port}/readyz", timeout=5) as answer:
        return answer.status == 200


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


def find_pgbench():
    """Of the server's own version where there is one: the newest, as with-services takes it."""
    folder = "/usr/lib/postgresql"
    versions = sorted(os.listdir(folder), key=float) if os.path.isdir(folder) else []
    for version in reversed(versions):
        path = os.path.join(folder, version, "bin/pgbench")
        if os.path.exists(path):
            return path
    return "pgbench"
