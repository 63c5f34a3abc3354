# SPDX-License-Identifier: Apache-2.0
"""Attacks on what members agree in and on Patroni (S3), as rows: who has stolen a certificate of one tenant's member, or a host's, tries it
on the other tenant's cluster. `rows(fleet, thief, victim)` yields (name, attempt); an attempt returns None when it was refused, else what
it got. Walls: etcd's users (take it down: `etcdctl auth disable` as root), the cluster's own authority in Patroni's `restapi.cafile`
and PostgreSQL's `ssl_ca_file` (take it down: the fleet's authority in these files), the kind of a certificate at the agents' listener.
"""
import base64
import http.client
import json
import os
import ssl
import subprocess

import control
import hosts
import network
from state import CONTROL, ETCD

MEMBERS = "/var/lib/reeve/members/"
PURPOSES = ("cluster", "member", "etcd")  # of a member's certificates
FOREIGN_KEYS = ("config", "leader", "members/{member}", "initialize", "status", "sync", "history", "failover", "failsafe", "x")
EVIL = '{"postgresql":{"parameters":{"archive_command":"touch /tmp/evil"}}}'


def b64(text):
    return base64.b64encode(text.encode()).decode()


# name, path, body; {key} is one of the victim's keys, {lease} its leader's lease, {user} its user
ON_KEYS = (
    ("put", "/v3/kv/put", '{{"key":"{key}","value":"eA=="}}'),
    ("get", "/v3/kv/range", '{{"key":"{key}"}}'),
    ("get from here on", "/v3/kv/range", '{{"key":"{key}","range_end":"AA=="}}'),
    ("delete", "/v3/kv/deleterange", '{{"key":"{key}"}}'),
    ("put in a transaction", "/v3/kv/txn", '{{"success":[{{"request_put":{{"key":"{key}","value":"eA=="}}}}]}}'),
    ("watch", "/v3/watch", '{{"create_request":{{"key":"{key}"}}}}'),
)
ON_ALL = (
    ("lease revoke", "/v3/lease/revoke", '{{"ID":"{lease}"}}'),
    ("lease keys", "/v3/lease/timetolive", '{{"ID":"{lease}","keys":true}}'),
    ("add a user", "/v3/auth/user/add", '{{"name":"evil","password":"evil"}}'),
    ("become root", "/v3/auth/user/grant", '{{"user":"{own}","role":"root"}}'),
    ("take the victim's role", "/v3/auth/user/grant", '{{"user":"{own}","role":"{user}"}}'),
    ("change the victim's password", "/v3/auth/user/changepw", '{{"name":"{user}","password":"evil"}}'),
    ("remove the victim", "/v3/auth/user/delete", '{{"name":"{user}"}}'),
    ("widen the own role", "/v3/auth/role/grant", '{{"name":"{own}","perm":{{"permType":"READWRITE","key":"AA==","range_end":"AA=="}}}}'),
    ("add a role", "/v3/auth/role/add", '{{"name":"evil"}}'),
    ("list users", "/v3/auth/user/list", "{{}}"),
    ("turn authentication off", "/v3/auth/disable", "{{}}"),
    ("guess the password", "/v3/auth/authenticate", '{{"name":"{user}","password":"{user}"}}'),
    ("guess root's", "/v3/auth/authenticate", '{{"name":"root","password":"root"}}'),
    ("snapshot", "/v3/maintenance/snapshot", "{{}}"),
    ("defragment", "/v3/maintenance/defragment", "{{}}"),
    ("add a server", "/v3/cluster/member/add", '{{"peerURLs":["https://10.78.9.9:2380"]}}'),
)
REST = [(method, path) for path in ("/config", "/switchover", "/failover", "/restart", "/reinitialize", "/reload", "/sigterm", "/failsafe", "/patroni",
                                    "/cluster", "/history", "/metrics", "/", "/primary") for method in ("GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS")]
AGENT = (("GET", "/agent/v1/goal?after=0&epoch=1"), ("POST", "/agent/v1/report"), ("POST", "/agent/v1/certificate"),
         ("POST", "/agent/v1/members/{member}/certificate"))
DATABASE_USERS = ("reeve_replicator", "reeve_rewinder", "postgres")


class Thief:
    """What was stolen: files of a member and its host, on this machine."""

    def __init__(self, fleet, member, folder, purposes=PURPOSES):
        self.fleet, self.member, self.folder = fleet, member, folder
        os.makedirs(folder, exist_ok=True)
        self.certificates = {"none": None}
        for purpose in purposes:
            self.take(purpose, MEMBERS + "%s/tls/%s" % (member.id, purpose))
        self.take("host", "/var/lib/reeve/agent/host")
        service = fleet.path("tls", next(iter(ETCD)))
        self.certificates["a service's"] = service + "/certificate.pem", service + "/key.pem"
        self.certificates["forged"] = self.forge()
        self.certificates["another authority's"] = self.forge_authority()
        settings = json.loads(hosts.run(fleet, member.host, "cat", MEMBERS + member.id + "/patroni.yml"))
        self.scope, self.etcd = settings["scope"], settings["etcd3"]

    def take(self, name, path):
        files = []
        for ending in ("crt", "key"):
            files.append(os.path.join(self.folder, "%s.%s" % (name, ending)))
            with open(files[-1], "w") as file:
                file.write(hosts.run(self.fleet, self.member.host, "cat", "%s.%s" % (path, ending)))
        self.certificates[name] = tuple(files)

    def forge(self):
        """The same name, signed by itself."""
        files = tuple(os.path.join(self.folder, "forged." + ending) for ending in ("crt", "key"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj",
                        "/O=reeve-cluster/CN=" + self.member.name, "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
        return files

    def forge_authority(self):
        """Signed by an authority that has the fleet's name and another key; both are shown."""
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        there = {name: os.path.join(self.folder, "foreign-" + name) for name in ("ca.crt", "ca.key", "csr", "crt", "key")}
        known = subprocess.run(["openssl", "x509", "-in", self.fleet.path("tls/authority.pem"), "-noout", "-subject", "-nameopt", "compat"],
                               check=True, capture_output=True, text=True).stdout
        for command in (
                ["openssl", "req", "-x509", *key, "-days", "1", "-subj", known.split("=", 1)[1].strip(), "-out", there["ca.crt"], "-keyout", there["ca.key"]],
                ["openssl", "req", "-new", *key, "-subj", "/O=reeve-cluster/CN=" + self.member.name, "-out", there["csr"], "-keyout", there["key"]],
                ["openssl", "x509", "-req", "-in", there["csr"], "-CA", there["ca.crt"], "-CAkey", there["ca.key"], "-CAcreateserial", "-days", "1", "-out", there["crt"]]):
            subprocess.run(command, check=True, capture_output=True)
        with open(there["crt"], "a") as chain, open(there["ca.crt"]) as authority:
            chain.write(authority.read())
        return there["crt"], there["key"]

    def ask(self, address, port, certificate, method, path, body=None, token=None, seconds=10, most=4096):
        """(status, beginning of the body), or a sentence when there was no answer. From the thief's host."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # a thief does not mind
        if self.certificates[certificate]:
            context.load_cert_chain(*self.certificates[certificate])
        try:
            with network.inside(self.fleet, self.member.host):
                connection = http.client.HTTPSConnection(address, port, timeout=seconds, context=context)
                connection.connect()
            connection.request(method, path, body, {"Content-Type": "application/json", **({"Authorization": token} if token else {})})
            answer = connection.getresponse()
            return answer.status, answer.readline(4096).decode(errors="replace") if path == "/v3/watch" else answer.read(most).decode(errors="replace")
        except (OSError, http.client.HTTPException) as refused:
            return 0, str(refused)

    def log_in(self, user=None, password=None):
        status, answer = self.ask(*etcd_address(), "etcd", "POST", "/v3/auth/authenticate",
                                  json.dumps({"name": user or self.etcd["username"], "password": password or self.etcd["password"]}))
        return json.loads(answer).get("token") if status == 200 else None


def etcd_address():
    return next(iter(ETCD.values())), 2379


def is_refused(status, body):
    # A watch that is refused is an answer whose only line says so.
    return status != 200 or '"canceled":true' in body.replace(" ", "") or '"error"' in body


def attempt(ask, *arguments):
    status, body = ask(*arguments)
    return None if is_refused(status, body) else "%d %s" % (status, body[:120])


def on_etcd(thief, victim, victims_lease):
    places = {"user": victim.etcd["username"], "own": thief.etcd["username"], "lease": victims_lease}
    keys = ["/reeve/%s/%s" % (victim.scope, key.format(member=victim.member.name)) for key in FOREIGN_KEYS] + ["/reeve/", "/", "\0"]
    operations = [("%s %s" % (name, key), path, body.format(key=b64(key))) for key in keys for name, path, body in ON_KEYS]
    operations += [(name, path, body.format(**places)) for name, path, body in ON_ALL]
    logins = [(certificate, None) for certificate in thief.certificates] + [("etcd", thief.log_in())]
    for certificate, token in logins:
        for name, path, body in operations:
            yield ("etcd, %s certificate%s: %s" % (certificate, ", logged in" if token else "", name),
                   lambda c=certificate, t=token, p=path, b=body: attempt(thief.ask, *etcd_address(), c, "POST", p, b, t))


def on_patroni(thief, victim):
    for certificate in thief.certificates:
        for method, path in REST:
            yield ("Patroni, %s certificate: %s %s" % (certificate, method, path),
                   lambda c=certificate, m=method, p=path: no_answer(thief.ask, victim.member.address, 8008, c, m, p,
                                                                     EVIL if m != "GET" else None))


def no_answer(ask, *arguments):
    status, body = ask(*arguments)
    return None if status == 0 else "%d %s" % (status, body[:120])


def on_agents_listener(thief, victim):
    """What only hosts may ask; the host's own certificate asks for what is another's. The reports are empty and refused as such, if at all."""
    for certificate in (*PURPOSES, "a service's", "forged", "another authority's", "none"):
        for method, path in AGENT:
            yield ("agents' listener, %s certificate: %s %s" % (certificate, method, path),
                   lambda c=certificate, m=method, p=path.format(member=victim.member.id): attempt(
                       thief.ask, CONTROL["control1"], control.AGENT_PORT, c, m, p, '{"epoch":1,"version":1,"csr":"x"}' if m == "POST" else None))


def on_postgres(thief, victim, database="postgres"):
    for certificate in thief.certificates:
        for user in DATABASE_USERS:
            for replication in ("database", "true", "off"):
                yield ("PostgreSQL, %s certificate: %s, replication %s" % (certificate, user, replication),
                       lambda c=certificate, u=user, r=replication: log_in_to_postgres(thief, victim, c, u, r, database))


def log_in_to_postgres(thief, victim, certificate, user, replication, database):
    files = thief.certificates[certificate]
    dsn = "host=%s port=5432 user=%s dbname=%s sslmode=require connect_timeout=5 sslcert=%s sslkey=%s" % (
        victim.member.address, user, database, *(files or ("/nothing", "/nothing")))
    if replication != "off":
        dsn += " replication=" + replication
    command = network.command(thief.fleet, thief.member.host, [control.postgres_bin() + "/psql", "-X", "-At", "-w", "-d", dsn, "-c",
                                                               "IDENTIFY_SYSTEM" if replication != "off" else "SELECT 1"])
    result = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=30)
    return result.stdout.strip() or "let in" if result.returncode == 0 else None


def leader_lease(fleet, scope):
    found = json.loads(control.etcdctl(fleet, next(iter(ETCD)), "get", "/reeve/%s/leader" % scope, "-w", "json"))
    return str(found["kvs"][0]["lease"])


def rows(fleet, thief, victim):
    yield from on_etcd(thief, victim, leader_lease(fleet, victim.scope))
    yield from on_patroni(thief, victim)
    yield from on_agents_listener(thief, victim)
    yield from on_postgres(thief, victim)
