# SPDX-License-Identifier: Apache-2.0
"""A tenant of a fleet: uses the public API from the client's machine and connects to what it made, as anybody would."""
import os
import secrets
import subprocess
import sys
import time
from urllib.parse import quote

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("fleet", "api")]
sys.dont_write_bytecode = True

import control  # noqa: E402
import network  # noqa: E402
from client import Bearer, Broken, Connection, trust  # noqa: E402
from patience import PATIENCE  # noqa: E402
from state import CLIENT, CONTROL, PROVIDER, Problem, wait_until  # noqa: E402

PREFIX = "/api/svc/v2"
DATABASE = "shop"
MEDIA_TYPE = "application/vnd.svc.2025-03-12+json"


class FleetConnection(Connection):
    """A connection whose socket is on the client's machine, wherever this program runs."""

    def __init__(self, fleet, node):
        super().__init__((CONTROL[node], control.API_PORT), trust(fleet.path("tls/authority.pem")), server_name=CONTROL[node])
        self.fleet = fleet

    def _open(self):
        with network.inside(self.fleet, "client"):
            super()._open()


class Tenant:
    """Uses one node of the API, and the other when that one does not answer. Not for several threads: each has its own."""

    def __init__(self, fleet, project=None):
        self.fleet, self.project = fleet, project
        self.connections = [FleetConnection(fleet, node) for node in CONTROL]
        credentials = fleet.record["credentials"]
        self.client = credentials["clientId"], credentials["clientSecret"]
        self.organization = credentials["orgId"]
        self.token, self.token_at = None, 0.0

    def ask(self, method, path, body=None, expect=(200, 201, 202, 204)):
        """The document that came back; anything but an expected status is a Problem that shows it."""
        answer = self.try_nodes(method, path, body)
        while answer.status == 429:  # a tenant that asks too often waits as long as it is told to
            time.sleep(float(answer.headers.get("retry-after", 1)))
            answer = self.try_nodes(method, path, body)
        if answer.status not in expect:
            raise Problem("%s %s: %d %s" % (method, path, answer.status, answer.body.decode(errors="replace")[:600]))
        return answer.json() if answer.body else None

    def try_nodes(self, method, path, body, accept=MEDIA_TYPE):
        for connection in list(self.connections):
            try:
                if self.token is None or time.monotonic() - self.token_at > 1800:
                    self.token, self.token_at = connection.fetch_token(*self.client), time.monotonic()
                return connection.ask(method, PREFIX + path, Bearer(self.token), body, accept=accept)
            except (OSError, Broken) as problem:
                last = problem
                self.connections.append(self.connections.pop(0))
        raise Problem("no node of the API answers: %s" % last)

    # ---- What a tenant makes ----
    def create_project(self, name=None):
        name = name or "project-" + secrets.token_hex(3)
        self.project = self.ask("POST", "/groups", {"name": name, "orgId": self.organization})["id"]
        return self.project

    def of_project(self, path):
        return "/groups/%s%s" % (self.project, path)

    def create_user(self, name="app", roles=None):
        """A database user that reads and writes in the database `shop`, which comes with it; its password."""
        password = secrets.token_urlsafe(16)
        self.ask("POST", self.of_project("/databaseUsers"), {
            "username": name, "password": password, "databaseName": "admin",
            "roles": roles or [{"roleName": "readWrite", "databaseName": DATABASE}]})
        return password

    def allow(self, network_block, **more):
        self.ask("POST", self.of_project("/accessList"), [{"cidrBlock": network_block, **more}])

    def disallow(self, network_block):
        self.ask("DELETE", self.of_project("/accessList/" + quote(network_block, safe="")))

    def access_status(self, network_block):
        return self.ask("GET", self.of_project("/accessList/%s/status" % quote(network_block, safe="")))["STATUS"]

    def create_cluster(self, name, size="S1", regions=None, disk_gb=None, analytics=0, **more):
        """`regions`: a dict from region to the number of members; without it three in the first region, with so many members for analytics beside them. `more` is part of
        the document."""
        regions = regions or {self.fleet.regions[0]: 3}
        configs = [{"providerName": PROVIDER, "regionName": region, "priority": 7 - number,
                    "electableSpecs": {"instanceSize": size, "nodeCount": count, **({"diskSizeGB": disk_gb} if disk_gb else {})}}
                   for number, (region, count) in enumerate(regions.items())]
        configs[0].update({"analyticsSpecs": {"nodeCount": analytics}} if analytics else {})
        return self.ask("POST", self.of_project("/clusters"), {
            "name": name, "clusterType": "REPLICASET", "replicationSpecs": [{"regionConfigs": configs}], **more})

    def cluster(self, name):
        return self.ask("GET", self.of_project("/clusters/" + name))

    def delete_cluster(self, name):
        return self.ask("DELETE", self.of_project("/clusters/" + name))

    def operations(self, name):
        return self.ask("GET", self.of_project("/operations?clusterName=" + name))["results"]

    def wait_idle(self, name, seconds=120, progress=None):
        """Until the last operation on the cluster is done; `progress` is called with every step that it begins."""
        path, told = self.of_project("/operations/" + self.operations(name)[0]["id"]), set()

        def done():
            operation = self.ask("GET", path)
            for step in operation["steps"]:
                if progress and step.get("startedAt") and step["name"] not in told:
                    told.add(step["name"])
                    progress(step)
            if operation["state"] in ("FAILED", "CANCELLED"):
                raise Problem("%s of %s: %s" % (operation["kind"], name, operation))
            return operation["state"] == "DONE"
        wait_until(done, "cluster %s is IDLE" % name, seconds, every=0.3)
        return self.cluster(name)

    def wait_gone(self, name, seconds=120):
        wait_until(lambda: self.try_nodes("GET", self.of_project("/clusters/" + name), None).status == 404,
                   "cluster %s is gone" % name, seconds, every=0.5)

    # ---- What it connects to ----
    def dsn(self, document, user, password, kind="standard", **more):
        """A connection string of the API with what the tenant knows put in, and nothing else; libpq takes it as it is."""
        text = document["connectionStrings"][kind].replace("/postgres?", "/%s?" % DATABASE)
        text = text.replace("<DB_USER>", quote(user, safe="")).replace("<DB_PASSWORD>", quote(password, safe=""))
        more.setdefault("sslrootcert", self.fleet.path("tls/authority.pem"))
        return text + "".join("&%s=%s" % (key, quote(str(value), safe="")) for key, value in more.items())


def psql_words(dsn, statement):
    return ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement, dsn]


def start_psql(fleet, dsn, statement):
    """psql on a client's machine that is not waited for."""
    return subprocess.Popen(network.client_command(fleet, psql_words(dsn, statement), "client"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def psql(fleet, dsn, statement, client="client", timeout=30):
    """psql on a client's machine: (exit status, output, errors)."""
    words = psql_words(dsn, statement)
    result = subprocess.run(network.client_command(fleet, words, client), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=timeout * PATIENCE, check=False)
    return result.returncode, result.stdout.strip(), result.stderr.strip()


def wait_psql(fleet, dsn, statement, seconds):
    """Until the statement succeeds; its output."""
    last = ["never tried"]

    def done():
        status, output, last[0] = psql(fleet, dsn, statement)
        return (output or " ") if status == 0 else None
    try:
        return wait_until(done, "psql", seconds, every=0.1).strip()
    except Problem:
        raise Problem("psql did not succeed within %g s: %s" % (seconds, last[0])) from None


def client_address():
    return CLIENT["client"] + "/32"
