# SPDX-License-Identifier: Apache-2.0
"""A fleet as the control plane sees it: a node that hosts talk to, and agents that speak the real protocol with real certificates
but run nothing. docs/internals/fleet.md is what they say."""
import asyncio
import base64
import json
import os
import secrets
import socket
import ssl
import subprocess

from node import free_port
from world import sql, start_node

PROVIDER, REGION = "OWN", "EU_WEST"
FACTS = {"agentVersion": "0.1.0", "patroniVersion": "4.0.7", "postgresVersions": ["17.6"], "cpus": 64, "memoryMb": 262144,
         "diskGb": 20000}
SERVICE = "SET reeve.service = 'on';"


class Fleet:
    """A node with an agents' listener. `start` it, or use it in a with statement."""

    def __init__(self, workers=1, settings=None, **more):
        self.node = start_node(workers=workers, settings=settings, **more)
        self.port = free_port()
        self.folder = os.path.join(self.node.folder, "fleet")
        os.makedirs(self.folder)
        self.key, self.csr = self.make_request("agent")

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, *words, ok=True):
        done = self.node.run("fleet", *words, check=False)
        if ok and done.returncode != 0:
            raise AssertionError("reeved fleet %s: %s%s" % (" ".join(words), done.stdout, done.stderr))
        return done.stdout if ok else done

    def make_request(self, name):
        """A key and a request for a certificate: (path of the key, request in PEM)."""
        key, csr = self.path(name + ".key"), self.path(name + ".csr")
        subprocess.run(["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                        "/CN=whatever", "-keyout", key, "-out", csr], check=True, stderr=subprocess.DEVNULL)
        with open(csr, encoding="ascii") as file:
            return key, file.read()

    def start(self):
        self.node.run("migrate")
        self.command("init")
        with open(self.path("authority.pem"), "w", encoding="ascii") as file:
            file.write(self.command("authority"))
        self.command("certificate", "--name", "agents", "--dns", "localhost", "--address", "127.0.0.1", "--out", self.path("tls"))
        # Workers are another user when the tests run as root; the master reads the key.
        self.node.write_conf(agent_listen="127.0.0.1:%d" % self.port, agent_certificate=self.path("tls/certificate.pem"),
                             agent_certificate_key=self.path("tls/key.pem"), agent_authority=self.path("authority.pem"),
                             etcd=["https://127.0.0.1:2379"], domain="db.example.test")
        self.command("init")
        self.command("provider", "add", PROVIDER)
        self.command("region", "add", PROVIDER, REGION)
        self.command("size", "defaults")
        self.node.start()
        return self

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.node.close()
            raise

    def __exit__(self, kind, *_):
        if kind is not None:
            print(self.node.error_text())
        self.node.close()

    def token(self, host, **more):
        words = [word for name, value in more.items() for word in ("--" + name, str(value))]
        return json.loads(self.command("token", "--host", host, "--provider", PROVIDER, "--region", REGION, "--json", *words))["token"]

    def context(self, certificate=None, key=None):
        context = ssl.create_default_context(cafile=self.path("authority.pem"))
        if certificate:
            context.load_cert_chain(certificate, key or self.key)
        return context

    def ask(self, method, target, body=None, context=None, raw=None, timeout=70):
        """(status, document) of one request on a connection of its own."""
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        with socket.create_connection(("127.0.0.1", self.port), timeout) as plain, \
                (context or self.context()).wrap_socket(plain, server_hostname="localhost") as s:
            s.sendall(("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % (method, target, len(data)))
                      .encode() + data)
            return read_answer(s)

    def join(self, host, token=None, csr=None, facts=None, **more):
        answer = self.ask("POST", "/agent/v1/join", {"token": token or self.token(host, **more), "csr": csr or self.csr,
                                                     "facts": FACTS if facts is None else facts})
        if answer[0] != 201:
            raise AssertionError("join: %r" % (answer,))
        return Agent(self, answer[1])

    # ---- What other parts of the control plane do ----
    @staticmethod
    def make_cluster(project, organization, name):
        cluster = secrets.token_hex(12)
        sql("INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES "
            "('\\x%s', '\\x%s', '\\x%s', '%s', '%s', '17')" % (cluster, organization, project, name, secrets.token_hex(3)))
        return cluster

    @staticmethod
    def place(cluster, ordinal, size="M10"):
        return sql(SERVICE + "SELECT encode(member_place('\\x%s', %d, '%s', '%s', '%s', 0, true, 7), 'hex')"
                   % (cluster, ordinal, PROVIDER, REGION, size))

    @staticmethod
    def make_project():
        organization, project = secrets.token_hex(12), secrets.token_hex(12)
        sql("INSERT INTO organization (id, name, federation_id, access_list_required) VALUES ('\\x%s', 'o', '\\x%s', false);"
            "INSERT INTO project (id, org_id, name) VALUES ('\\x%s', '\\x%s', 'p')" % (organization, organization, project, organization))
        return organization, project


def read_answer(s):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = s.recv(65536)
        if not piece:
            raise AssertionError("the connection ended: %r" % data[:300])
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    length = next((int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    while len(rest) < length:
        rest += s.recv(1 << 20)
    return status, json.loads(rest) if rest else None


class Agent:
    """One host that joined."""

    def __init__(self, fleet, joined):
        self.fleet, self.id, self.name, self.epoch = fleet, joined["hostId"], joined["hostName"], joined["epoch"]
        self.pem = joined["certificate"]
        self.certificate = fleet.path("%s-%d-%s.pem" % (self.name, self.epoch, secrets.token_hex(2)))
        with open(self.certificate, "w", encoding="ascii") as file:
            file.write(self.pem)
        self.context = fleet.context(self.certificate)

    def ask(self, method, target, body=None, **more):
        return self.fleet.ask(method, target, body, context=self.context, **more)

    def goal(self, after=0, epoch=None, timeout=70):
        return self.ask("GET", "/agent/v1/goal?after=%d&epoch=%d" % (after, self.epoch if epoch is None else epoch), timeout=timeout)

    def report_document(self, members=(), version=1, **more):
        return {"epoch": self.epoch, "version": version, "bootId": "b", "facts": FACTS, "members": list(members), "tasks": [],
                "strays": [], **more}

    def report(self, members=(), version=1, **more):
        return self.ask("POST", "/agent/v1/report", self.report_document(members, version, **more))


class AsyncAgent:
    """One connection of an agent in asyncio, kept open: thousands of them fit into a process."""

    def __init__(self, agent):
        self.agent = agent
        self.reader = self.writer = None

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.agent.fleet.port, ssl=self.agent.context,
                                                                 server_hostname="localhost", limit=1 << 22)

    def send(self, method, target, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.writer.write(("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (method, target, len(data))).encode() + data)

    async def answer(self):
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next((int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
        body = await self.reader.readexactly(length) if length else b""
        return int(head.split(b" ", 2)[1]), body

    async def ask(self, method, target, body=None):
        self.send(method, target, body)
        return await self.answer()

    def send_poll(self, after):
        self.send("GET", "/agent/v1/goal?after=%d&epoch=%d" % (after, self.agent.epoch))

    def close(self):
        if self.writer is not None:
            self.writer.transport.abort()


# ---- Many ----
def serial_of(pem):
    """The serial number of a certificate, read from its DER: version, then INTEGER."""
    der = base64.b64decode("".join(pem.strip().split("\n")[1:-1]))
    at = der.index(b"\xa0\x03\x02\x01\x02") + 5
    return der[at + 2:at + 2 + der[at + 1]].hex().upper()


async def renew(first, count):
    """So many certificates of one host, over a few connections."""
    left, issued = iter(range(count)), []

    async def work():
        client = AsyncAgent(first)
        await client.connect()
        for _ in left:
            status, body = await client.ask("POST", "/agent/v1/certificate", {"csr": first.fleet.csr})
            if status != 200:
                raise AssertionError((status, body))
            issued.append(json.loads(body)["certificate"])
        client.close()
    await asyncio.gather(*(work() for _ in range(8)))
    return issued


def bulk_agents(fleet, count, prefix="bulk"):
    """Thousands of hosts, each with a certificate of its own that the authority signed. To join with a token takes a command each, so
    one host joins and renews its certificate as often as is needed; the records of all but the first are then given to others."""
    first = fleet.join(prefix + "0")
    issued = asyncio.run(renew(first, count - 1))
    ids = ["65%022x" % number for number in range(1, count)]
    sql("INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, facts) "
        "SELECT decode('65' || lpad(to_hex(n), 22, '0'), 'hex'), '%s' || n, provider, region, zone, cpus, memory_mb, disk_gb, facts "
        "FROM host, generate_series(1, %d) n WHERE name = '%s0'" % (prefix, count - 1, prefix))
    sql("UPDATE certificate c SET owner = v.owner FROM (VALUES %s) v(serial, owner) WHERE c.serial = v.serial"
        % ",".join("('%s', '%s')" % pair for pair in zip(map(serial_of, issued), ids)))
    return [first] + [Agent(fleet, {"hostId": host, "hostName": prefix + str(number), "epoch": 1, "certificate": pem})
                      for number, (host, pem) in enumerate(zip(ids, issued), 1)]
