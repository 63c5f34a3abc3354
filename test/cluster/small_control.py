# SPDX-License-Identifier: Apache-2.0
"""What an agent sees of a control plane, and no more: the requests of docs/internals/fleet.md, answered from memory.

Lets agents be tested without the rest of Reeve: a test sets the goal of a host and looks at what comes back. TLS, client
certificates and signing are real; the fleet's authority is made here with openssl.
"""
import hashlib
import http.server
import json
import os
import re
import secrets
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse

import network

ADDRESS, PORT = "10.78.0.2", 8444


def openssl(*arguments, stdin=None):
    return subprocess.run(["openssl", *arguments], input=stdin, capture_output=True, text=True, check=True).stdout


class Authority:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder)
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "10",
                "-subj", "/O=reeve/CN=test authority", "-keyout", folder + "/key.pem", "-out", folder + "/authority.pem",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        with open(folder + "/authority.pem") as file:
            self.pem = file.read()
        self.fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.pem)).hexdigest()

    def sign(self, request, subject, names, days="10", use="serverAuth,clientAuth"):
        """A certificate for the key of a request; the subject is ours, never the request's."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            with open(folder + "/request", "w") as file:
                file.write(request)
            with open(folder + "/extensions", "w") as file:
                file.write("subjectAltName=%s\nextendedKeyUsage=%s\n" % (",".join(names), use) if names else "extendedKeyUsage=clientAuth\n")
            return openssl("x509", "-req", "-in", folder + "/request", "-CA", self.folder + "/authority.pem",
                           "-CAkey", self.folder + "/key.pem", "-set_serial", "0x" + secrets.token_hex(8), "-days", days,
                           "-subj", subject, "-extfile", folder + "/extensions")

    def sign_old(self, request, subject, names):
        """The same as a host would have it that has kept one for long: nine tenths of its time are over."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            for name, text in (("request", request), ("index", ""), ("settings", "[ca]\ndefault_ca=it\n[it]\ndatabase=%s/index\nnew_certs_dir=%s\n"
                                "rand_serial=yes\ndefault_md=sha256\npolicy=any\nx509_extensions=more\n[any]\norganizationName=optional\n"
                                "commonName=supplied\n[more]\nextendedKeyUsage=serverAuth,clientAuth\n%s\n" % (
                                    folder, folder, "subjectAltName=" + ",".join(names) if names else ""))):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            moment = lambda days: time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + days * 86400))  # noqa: E731
            openssl("ca", "-batch", "-notext", "-config", folder + "/settings", "-in", folder + "/request", "-subj", subject, "-out", folder + "/made",
                    "-cert", self.folder + "/authority.pem", "-keyfile", self.folder + "/key.pem", "-startdate", moment(-9), "-enddate", moment(1))
            with open(folder + "/made") as file:
                return file.read()

    def issue(self, folder, subject, names):
        """Key and certificate, for what is no agent."""
        os.makedirs(folder, exist_ok=True)
        request = openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", subject,
                          "-keyout", folder + "/key.pem")
        with open(folder + "/certificate.pem", "w") as file:
            file.write(self.sign(request, subject, names))
        return folder


class Host:
    def __init__(self, name):
        self.name, self.id, self.epoch = name, secrets.token_hex(12), 0
        self.version, self.goal, self.report, self.reported_at = 0, None, None, 0.0
        self.reports = 0


class Store:
    """One that keeps measurements: a point that comes twice is there once."""

    def __init__(self):
        self.points, self.taken_at, self.started, self.answers, self.requests = {}, {}, secrets.token_hex(8), True, 0

    def take(self, lines):
        if not self.answers:
            return False
        self.requests += 1
        for line in lines.splitlines():
            member, moment, scope, name, values = line.split(" ")
            for value in values.split(","):
                metric, number = value.split("=")
                key = (member, scope, urllib.parse.unquote(name), metric, int(moment))
                if self.points.setdefault(key, float(number)) != float(number):
                    raise ValueError("another value for " + repr(key))
                self.taken_at[key] = time.monotonic()
        return True

    def crash(self, seconds):
        """Killed and started again: what it took last is lost."""
        lost = [key for key, at in self.taken_at.items() if time.monotonic() - at < seconds]
        for key in lost:
            del self.points[key], self.taken_at[key]
        self.started = secrets.token_hex(8)
        return len(lost)

    def series(self, member, metric, name="-"):
        """(time in ms, value), oldest first."""
        return sorted((key[4], value) for key, value in self.points.copy().items() if key[0] == member and key[2] == name and key[3] == metric)

    def rise(self, member, metric, since_ms=0):
        """What a counter rose by; when it fell, it began again at 0."""
        values = [value for at, value in self.series(member, metric) if at >= since_ms]
        return sum(after - before if after >= before else after for before, after in zip(values, values[1:]))


class SmallControl:
    def __init__(self, fleet, authority):
        self.fleet, self.authority = fleet, authority
        self.hosts, self.tokens, self.members, self.seats, self.gates = {}, {}, {}, {}, {}
        self.snapshots = {}            # by seat, as last told
        self.cluster_authorities = {}  # of clusters that have one of their own
        self.stores = []               # of measurements
        self.changed = threading.Condition()
        self.is_open = True
        authority.issue(fleet.path("tls/control"), "/CN=control", ["IP:" + ADDRESS])
        with open(fleet.path("tls/control/chain.pem"), "w") as file:
            with open(fleet.path("tls/control/certificate.pem")) as own:
                file.write(own.read() + authority.pem)
        self.server = None

    def start(self):
        self.is_open = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.fleet.path("tls/control/chain.pem"), self.fleet.path("tls/control/key.pem"))
        context.load_verify_locations(self.authority.folder + "/authority.pem")
        context.verify_mode = ssl.CERT_OPTIONAL
        control = self

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def __init__(self):
                super().__init__((ADDRESS, PORT), Handler, bind_and_activate=False)
                with network.inside(control.fleet, "control"):
                    self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
                self.allow_reuse_address = True
                self.server_bind()
                self.server_activate()

            def get_request(self):
                raw, address = self.socket.accept()
                return context.wrap_socket(raw, server_side=True, do_handshake_on_connect=False), address

            def handle_error(self, request, client_address):
                pass  # connections that are given up are part of the tests

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, document=None):
                body = b"" if document is None else json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def caller(self):
                certificate = self.connection.getpeercert() or {}
                names = {key: value for part in certificate.get("subject", ()) for key, value in part}
                return control.by_id(names.get("commonName")) if names.get("organizationName") == "reeve-host" else None

            def handle_any(self):
                length = int(self.headers.get("Content-Length") or 0)
                raw = self.rfile.read(length)
                url = urllib.parse.urlsplit(self.path)
                body = raw.decode() if url.path == "/agent/v1/points" else json.loads(raw or "{}")
                query = dict(urllib.parse.parse_qsl(url.query))
                if not control.is_open:  # a connection from before
                    self.close_connection = True
                    return
                self.answer(*control.handle(self.command, url.path, query, body, self.caller()))

            do_GET = do_POST = do_HEAD = handle_any

        self.server = Server()
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    def stop(self):
        """As a control plane that is gone: nothing listens, and what was parked is cut."""
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
        with self.changed:
            self.is_open = False
            self.changed.notify_all()

    # ---- What tests do ----
    def token(self, host_name):
        secret = "reeve_join_" + secrets.token_urlsafe(32)
        self.tokens[secret] = host_name
        return secret + ":" + self.authority.fingerprint

    def set_goal(self, host_name, goal):
        with self.changed:
            host = self.hosts[host_name]
            host.version += 1
            host.goal = dict(goal, version=host.version, epoch=host.epoch, hostId=host.id, hostName=host.name,
                             authority=self.authority.pem)
            for member in goal["members"]:
                self.members[member["id"]] = (host.id, member)
            for seat in goal.get("seats", ()):
                self.seats[seat["id"]] = (host.id, seat)
            for gate in goal.get("gates", ()):
                self.gates[gate["id"]] = (host, gate)
            self.changed.notify_all()
            return host.version

    # ---- What agents ask ----
    def by_id(self, identity):
        return next((host for host in self.hosts.values() if host.id == identity), None)

    def handle(self, method, path, query, body, host):
        if path == "/agent/v1/join":
            return self.join(body)
        if host is None:
            return 401, {"errorCode": "NOT_AUTHENTICATED", "detail": "No certificate of a host."}
        if path == "/agent/v1/goal":
            return self.wait_for_goal(host, int(query["after"]), int(query["epoch"]))
        if path == "/agent/v1/report":
            return self.take_report(host, body)
        if path == "/agent/v1/certificate":
            return 200, {"certificate": self.authority.sign(body["csr"], "/O=reeve-host/CN=" + host.id, []),
                         "authority": self.authority.pem}
        if path == "/agent/v1/points":
            return self.take_points(int(query["store"]), body)
        match = re.fullmatch(r"/agent/v1/seats/([0-9a-f]{24})/certificate", path)
        if match:
            return self.sign_seat(host, match[1], body)
        match = re.fullmatch(r"/agent/v1/gates/([0-9a-f]{24})/certificate", path)
        if match:
            return self.sign_gate(host, match[1], body)
        match = re.fullmatch(r"/agent/v1/members/([0-9a-f]{24})/certificate", path)
        owner, member = self.members.get(match[1], (None, None)) if match else (None, None)
        if owner != host.id:
            return 404, {"errorCode": "RESOURCE_NOT_FOUND", "detail": "No such member here."}
        names = ["DNS:" + name for name in member["names"]] + ["IP:" + member["address"]]
        own = self.cluster_authorities.get(member["clusterId"])
        signer = own if own and body.get("purpose") == "CLUSTER" else self.authority
        use = "serverAuth" if body.get("purpose") == "SERVER" else "serverAuth,clientAuth"
        return 200, {"certificate": signer.sign(body["csr"], "/O=reeve-member/CN=" + member["name"], names, use=use),
                     "authority": signer.pem}

    def take_points(self, number, lines):
        with self.changed:
            if number >= len(self.stores):
                return 404, {"stores": len(self.stores)}
            if not self.stores[number].take(lines):
                return 503, {"errorCode": "SERVICE_UNAVAILABLE", "detail": "The store does not answer."}
            return 200, {"stores": len(self.stores), "started": self.stores[number].started, "foreign": 0}

    def sign_seat(self, host, identity, body):
        owner, seat = self.seats.get(identity, (None, None))
        if owner != host.id:
            return 404, {"errorCode": "RESOURCE_NOT_FOUND", "detail": "No such seat here."}
        signer = self.cluster_authorities[seat["clusterId"]]
        return 200, {"certificate": signer.sign(body["csr"], "/O=reeve-repository/CN=reeve-seat-" + identity, []), "authority": signer.pem}

    def sign_gate(self, host, identity, body):
        owner, gate = self.gates.get(identity, (None, None))
        if owner is not host:
            return 404, {"errorCode": "RESOURCE_NOT_FOUND", "detail": "No such gate here."}
        signer = self.cluster_authorities[gate["clusterId"]]
        return 200, {"certificate": signer.sign(body["csr"], "/O=reeve-repository/CN=reeve-gate-" + identity, ["IP:" + self.fleet.host(host.name)["address"]]),
                     "authority": signer.pem}

    def join(self, body):
        name = self.tokens.pop(body["token"], None)
        if name is None:
            return 401, {"errorCode": "INVALID_CREDENTIALS", "detail": "The token was used, or is none."}
        with self.changed:
            host = self.hosts.setdefault(name, Host(name))
            host.epoch += 1
            self.changed.notify_all()
        return 201, {"hostId": host.id, "hostName": name, "epoch": host.epoch, "authority": self.authority.pem,
                     "certificate": self.authority.sign(body["csr"], "/O=reeve-host/CN=" + host.id, [])}

    def wait_for_goal(self, host, after, epoch):
        end = time.monotonic() + 50
        with self.changed:
            while self.is_open and host.epoch == epoch and (host.goal is None or host.version == after):
                if not self.changed.wait(end - time.monotonic()):
                    break
            if host.epoch != epoch:
                return 409, {"errorCode": "STALE_EPOCH", "detail": "Another machine has joined as this host."}
            if host.goal is None or host.version == after:
                return 204, None
            return 200, host.goal

    def take_report(self, host, body):
        with self.changed:
            if body["epoch"] != host.epoch:
                return 409, {"errorCode": "STALE_EPOCH", "detail": "Another machine has joined as this host."}
            for seat in body.get("seats", ()):  # null: nothing new is known
                if seat["snapshots"] is None:
                    seat["snapshots"] = self.snapshots.get(seat["id"], [])
                self.snapshots[seat["id"]] = seat["snapshots"]
            host.report, host.reported_at = body, time.monotonic()
            host.reports += 1
            self.changed.notify_all()
        return 200, {}
