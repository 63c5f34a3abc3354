# SPDX-License-Identifier: Apache-2.0
"""A Reeve node for tests: writes its reeve.conf, makes its certificate, runs `reeved api`, and ends it by its own pid.

    with Node(build="build") as node:                  # inside script/with-services
        node.port, node.operator_port, node.ca, node.base_url

Everything it writes is in node.folder. Nothing here talks to the API; that is client.py's job.
"""
import atexit
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PATIENCE = float(os.environ.get("REEVE_PATIENCE", "1"))  # so many times as long may everything take: see test/api/run_all.py
OF_HOSTS = range(27000, 27400)  # where members and what hosts offer listen, whatever is free

given_ports = set()


def free_port(host="127.0.0.1"):
    """Free for TCP and UDP, given once, and none that the kernel gives to connections of its own accord: a node that is started again finds it free."""
    for port in random.sample(range(20000, 32000), 200):
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp, contextlib.suppress(OSError):
            if port not in given_ports and port not in OF_HOSTS:
                tcp.bind((host, port))
                udp.bind((host, port))
                given_ports.add(port)
                return port
    raise RuntimeError("no port is free")


def make_certificate(folder, name="tls", common_name="localhost"):
    """A self-signed certificate that is its own authority: (certificate, key)."""
    certificate, key = os.path.join(folder, name + ".crt"), os.path.join(folder, name + ".key")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
         "-subj", "/CN=" + common_name, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1",
         "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", key, "-out", certificate],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return certificate, key


def sanitizer_libraries(module):
    """What nginx, itself built without sanitizers, must load first for a module that is."""
    listing = subprocess.run(["ldd", module], capture_output=True, text=True, check=False).stdout
    return [line.split("=>")[1].split()[0] for line in listing.splitlines()
            if any(name in line for name in ("libasan", "libubsan", "libtsan", "libclang_rt")) and "=>" in line]


SIGNS_OF_MISTAKES = ("runtime error:", "ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "ERROR: LeakSanitizer",
                     '"transaction_misused"', '"identifier_missing"', '"parameters_wrong"', '"commit_refused"')
running = set()


@atexit.register
def end_what_runs():
    """A test that broke off leaves no node behind."""
    for process in running:
        if process.poll() is None:
            process.terminate()


def is_leaving(pid):
    """Whether a worker of nginx is gone, or says in its title that it only finishes what it has."""
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return b"shutting down" in file.read()
    except OSError:
        return True


class Node:
    """`settings` are lines of reeve.conf beyond the usual ones; a list gives a key several times, None leaves it out."""

    def __init__(self, build="build", folder=None, workers=1, settings=None, dsn=None, redis=None, migrate=True,
                 key=None, environment=None, user_id=None):
        self.build = os.path.join(ROOT, build)
        self.reeved = os.path.join(self.build, "reeved")
        self.own_folder = folder is None
        base = os.environ.get("REEVE_TEST_DIR")
        self.folder = folder or tempfile.mkdtemp(prefix="node.", dir=base)
        os.chmod(self.folder, 0o755)  # workers are another user when the tests run as root
        self.port, self.operator_port = free_port(), free_port()
        self.dsn = dsn or os.environ.get("REEVE_TEST_DSN", "host=/nonexistent")
        self.redis = redis or os.environ.get("REEVE_TEST_REDIS", "/nonexistent/redis.sock")
        self.ca, self.certificate_key = make_certificate(self.folder)
        self.log = os.path.join(self.folder, "requests.log")
        self.stderr = os.path.join(self.folder, "stderr.log")
        self.conf = os.path.join(self.folder, "reeve.conf")
        self.key_file = os.path.join(self.folder, "master.key")
        self.migrate = migrate
        self.environment = environment or {}
        self.user_id = user_id  # start as this user; its folder must be that user's
        self.process = None
        with open(os.open(self.key_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
            # Nodes on one database are one deployment, and that has one key.
            f.write((key or hashlib.sha256(self.dsn.encode()).hexdigest()) + "\n")
        self.settings = {
            "listen": f"127.0.0.1:{self.port}", "operator_listen": f"127.0.0.1:{self.operator_port}",
            "base_url": f"https://localhost:{self.port}", "operator_base_url": f"https://localhost:{self.operator_port}", "certificate": self.ca, "certificate_key": self.certificate_key,
            "key_file": self.key_file, "database": self.dsn, "redis": self.redis, "workers": workers,
            "run_dir": os.path.join(self.folder, "run"), "log": self.log, "max_connections": 1024,
        }
        self.settings.update(settings or {})
        self.write_conf()

    @property
    def base_url(self):
        return f"https://localhost:{self.port}"

    # ---- Configuration ----
    def write_conf(self, **changes):
        self.settings.update(changes)
        with open(self.conf, "w", encoding="utf-8") as f:
            for key, value in self.settings.items():
                if value is None:
                    continue
                for one in value if isinstance(value, (list, tuple)) else [value]:
                    f.write(f"{key} = {one}\n")

    def run(self, *arguments, check=True):
        """`reeved WORD…` with this node's configuration."""
        return subprocess.run([self.reeved, arguments[0], "--config", self.conf, *arguments[1:]], capture_output=True,
                              text=True, check=check)

    def module(self):
        return self.settings.get("module") or os.path.join(self.build, "src/http/ngx_http_reeve_module.so")

    # ---- Life ----
    def start(self, wait=True):
        if self.migrate and "REEVE_TEST_DSN" in os.environ:
            self.run("migrate")
            self.migrate = False
        environment = dict(os.environ, **self.environment)
        libraries = sanitizer_libraries(self.module())
        # Appended to: nginx opens the same file again by the name /dev/stderr.
        with open(self.stderr, "ab") as err:
            command = [self.reeved, "api", "--config", self.conf]
            if libraries:
                # Only nginx needs them first; reeved itself has them already.
                environment["LD_PRELOAD"] = " ".join(libraries)
                # nginx leaves its memory to the system when it ends.
                environment["ASAN_OPTIONS"] = ":".join(filter(None, [environment.get("ASAN_OPTIONS"), "detect_leaks=0"]))
            who = {} if self.user_id is None else {"user": self.user_id, "group": self.user_id, "extra_groups": []}
            self.process = subprocess.Popen(command, stderr=err, stdout=err, stdin=subprocess.DEVNULL, env=environment,
                                            start_new_session=True, **who)
        running.add(self.process)
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self, seconds=20):
        deadline = time.monotonic() + seconds * PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError("the node ended: " + self.error_text())
            try:
                if self.operator("/readyz")[0] == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.03)
        raise RuntimeError("the node did not become ready: " + str(self.try_operator("/readyz")) + self.error_text())

    def wait_listening(self, seconds=20):
        deadline = time.monotonic() + seconds * PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError("the node ended: " + self.error_text())
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.03)
        raise RuntimeError("the node does not listen: " + self.error_text())

    @property
    def pid(self):
        return self.process.pid

    def workers(self):
        """Process ids of the workers, oldest first."""
        try:
            with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as f:
                return [int(word) for word in f.read().split()]
        except FileNotFoundError:
            return []

    def send(self, number):
        os.kill(self.pid, number)

    def reload(self, seconds=10):
        """HUP, and wait until new workers are there and the old ones take no new connections any more."""
        before = set(self.workers())
        self.send(signal.SIGHUP)
        deadline = time.monotonic() + seconds * PATIENCE
        while time.monotonic() < deadline:
            if set(self.workers()) - before and all(map(is_leaving, before)):
                time.sleep(0.05)  # between its title and its sockets
                return self
            time.sleep(0.02)
        raise RuntimeError("no new workers after HUP: " + self.error_text())

    def stop(self, number=signal.SIGQUIT, seconds=40):
        """Ends the node (QUIT: open requests are answered first) and returns its exit status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.send(number)
        try:
            status = self.process.wait(seconds * PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("the node did not end: " + self.error_text()) from None
        return status

    def kill(self):
        """kill -9 of the master; the workers end with it."""
        workers = self.workers()
        self.process.kill()
        self.process.wait()
        deadline = time.monotonic() + 10 * PATIENCE
        while time.monotonic() < deadline and any(os.path.exists(f"/proc/{pid}") for pid in workers):
            time.sleep(0.02)
        return workers

    def restart(self):
        self.stop(signal.SIGTERM)
        return self.start()

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.stop(signal.SIGTERM)
        self.check_log()
        if self.own_folder and not os.environ.get("REEVE_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_):
        self.close()

    # ---- Looking ----
    def operator(self, path, timeout=5):
        """(status, text) of the operator's listener."""
        certificate = self.settings.get("operator_certificate")
        scheme, context = ("https", ssl.create_default_context(cafile=certificate)) if certificate else ("http", None)
        try:
            with urllib.request.urlopen(f"{scheme}://127.0.0.1:{self.operator_port}{path}", timeout=timeout * PATIENCE, context=context) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def try_operator(self, path):
        try:
            return self.operator(path)
        except OSError as problem:
            return problem

    def log_lines(self):
        with open(self.log, encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def error_text(self):
        with open(self.stderr, encoding="utf-8", errors="replace") as f:
            return f.read()[-8000:]

    def check_log(self):
        """A report of a sanitizer is a failure of whatever test has the node, and so is a line that only a mistake in our code can bring."""
        if not os.path.exists(self.stderr):
            return
        with open(self.stderr, encoding="utf-8", errors="replace") as f:
            text = f.read()
        for sign in SIGNS_OF_MISTAKES:
            if sign in text:
                raise AssertionError(text[max(0, text.index(sign) - 200):][:6000])

    # ---- Connecting ----
    def tls_context(self, alpn=None):
        context = ssl.create_default_context(cafile=self.ca)
        if alpn:
            context.set_alpn_protocols(alpn)
        return context

    def connect(self, port=None, timeout=10, context=None):
        """A TLS socket to the API."""
        raw = socket.create_connection(("127.0.0.1", port or self.port), timeout * PATIENCE)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            return (context or self.tls_context()).wrap_socket(raw, server_hostname="localhost")
        except BaseException:
            raw.close()
            raise
