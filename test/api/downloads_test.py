# SPDX-License-Identifier: Apache-2.0
"""Files of snapshots through a node: a real nginx with a certificate of the fleet hands one out, as a repository host would. Ranges, broken connections, slow readers, hosts that
are not what they should be, and what is left in the log. What really comes from a repository host is test/cluster/download_test.py."""
import hashlib
import http.client
import os
import secrets
import socket
import ssl
import subprocess
import sys
import time

from agents import Fleet
from client import PATIENCE, wait_until
from suite import Suite, ends_on_signal
from world import World, new_id, sql

MEGABYTE = 1024 * 1024
MOST = 8  # connections of a project

CONFIG = """daemon off;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 256; }}
http {{
    access_log {folder}/access.log;
    max_ranges 1;
    default_type application/gzip;
    client_body_temp_path {folder}/temp; proxy_temp_path {folder}/temp; fastcgi_temp_path {folder}/temp; uwsgi_temp_path {folder}/temp; scgi_temp_path {folder}/temp;
    log_format who '$ssl_client_s_dn';
    access_log {folder}/who.log who;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/{name}/certificate.pem;
        ssl_certificate_key {folder}/{name}/key.pem;
        ssl_client_certificate {authority};
        ssl_verify_client on;
        root {folder}/files;
    }}
}}
"""


class Host:
    """The server of a repository host."""

    def __init__(self, fleet, download, port):
        self.fleet, self.download, self.port, self.process = fleet, download, port, None
        self.folder = fleet.path("host")
        os.makedirs(self.folder + "/files")
        os.makedirs(self.folder + "/temp")
        os.chmod(fleet.folder, 0o755)
        self.content = os.urandom(16 * MEGABYTE)
        with open("%s/files/%s.tar.gz" % (self.folder, download), "wb") as file:
            file.write(self.content)
        for name in (download, new_id()):
            fleet.command("certificate", "--name", name, "--dns", "reeve-download-" + name, "--out", "%s/%s" % (self.folder, name))
            self.other = name

    def start(self, name=None):
        with open(self.folder + "/nginx.conf", "w", encoding="ascii") as file:
            file.write("user root;\n" * (os.geteuid() == 0) + CONFIG.format(folder=self.folder, port=self.port, name=name or self.download, authority=self.fleet.path("authority.pem")))
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-e", "stderr", "-p", self.folder, "-c", self.folder + "/nginx.conf"])
        wait_until(lambda: is_open(self.port), 10)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        wait_until(lambda: not is_open(self.port), 10)


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Client:
    """Whoever has the address, and nothing else."""

    def __init__(self, node, path):
        self.node, self.path = node, path
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def ask(self, method="GET", path=None, **headers):
        connection = http.client.HTTPSConnection("127.0.0.1", self.node.port, timeout=30, context=self.context)
        try:
            connection.request(method, path or self.path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def begin(self, at=0, is_slow=False):
        """A connection that has sent its request: nobody has read anything."""
        plain = socket.create_connection(("127.0.0.1", self.node.port), 30)
        if is_slow:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s = self.context.wrap_socket(plain)
        s.sendall(("GET %s HTTP/1.1\r\nHost: localhost\r\nRange: bytes=%d-\r\nConnection: close\r\n\r\n" % (self.path, at)).encode())
        return s


def make_download(world, cluster, port):
    """A file that a host has made; (its id, the path of its address)."""
    download, owner = new_id(), world.a.bearer()
    world.must(201, "POST", "/groups/%s/clusters" % world.p, owner, {"name": cluster, "replicationSpecs": [{"regionConfigs": [
        {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]})
    world.make_backups(world.a.home, world.p, cluster)
    sql("INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, snapshot_id, snapshot_at, is_last, delivery, state, finished_at) "
        "SELECT decode('%s', 'hex'), s.org_id, s.project_id, s.cluster_id, s.cluster_name, s.name, t.id, t.host_id, 'l', 'SNAPSHOT', n.id, now(), false, 'DOWNLOAD', 'DONE', now() "
        "FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id JOIN snapshot n ON n.stanza_id = s.id WHERE s.cluster_name = '%s'" % (download, cluster))
    sql("INSERT INTO download (restore_id, org_id, seat_id, host_id, port, reserved_gb, expires_at) SELECT id, org_id, seat_id, host_id, %d, 0, now() + interval '1 day' "
        "FROM restore_job WHERE id = decode('%s', 'hex')" % (port, download))
    sql("UPDATE host SET address = '127.0.0.1' WHERE purpose = 'REPOSITORY'")
    shown = world.must(200, "GET", "/groups/%s/clusters/%s/backup/restoreJobs/%s" % (world.p, cluster, download), owner).json()
    return download, "/api/" + shown["deliveryUrl"][0].partition("/api/")[2]


def test_ranges(suite, host, client):
    whole = client.ask()
    suite.equal((whole[0], hashlib.sha256(whole[2]).hexdigest()), (200, hashlib.sha256(host.content).hexdigest()), "the whole file")
    headers = whole[1]
    suite.check(headers.get("accept-ranges") == "bytes" and headers.get("etag") and headers.get("content-length") == str(len(host.content)), "its headers: %r", headers)
    suite.equal((headers.get("cache-control"), headers.get("x-content-type-options"), len(headers.get("x-request-id", ""))), ("no-store", "nosniff", 32), "headers of every answer")
    status, looked, body = client.ask("HEAD")
    suite.equal((status, looked["content-length"], body), (200, str(len(host.content)), b""), "HEAD")
    part = client.ask(Range="bytes=1000000-1000009")
    suite.equal((part[0], part[2], part[1]["content-range"]), (206, host.content[1000000:1000010], "bytes 1000000-1000009/%d" % len(host.content)), "a part")
    suite.equal(client.ask(Range="bytes=-5")[2], host.content[-5:], "the end")
    suite.equal(client.ask(Range="bytes=5-9", If_Range=headers["etag"])[0], 206, "a part of the same file")
    suite.equal(client.ask(Range="bytes=5-9", If_Range='"other"')[0], 200, "a part of a file that has changed is all of it")
    behind = client.ask(Range="bytes=%d-" % len(host.content))
    suite.equal((behind[0], behind[1].get("content-range")), (416, "bytes */%d" % len(host.content)), "a part behind the end")
    for absurd, expected in (("bytes=99999999999999999999999999-", 416), ("bytes=5-1", 416), ("bytes=abc", 416), ("lines=1-2", 200), ("bytes=" + ",".join("%d-%d" % (i, i) for i in range(500)), 200)):
        suite.equal(client.ask(Range=absurd)[0], expected, "a Range of %s" % absurd[:40])


def test_resumption(suite, host, client):
    got = b""
    with client.begin() as s:
        while len(got) < 5 * MEGABYTE:
            got += s.recv(65536)
    got = got.partition(b"\r\n\r\n")[2]
    suite.check(0 < len(got) < len(host.content), "it is broken off in the middle: %d bytes", len(got))
    rest = client.ask(Range="bytes=%d-" % len(got))
    suite.equal((rest[0], got + rest[2] == host.content), (206, True), "and resumed")


def test_slow_readers(suite, world, host, client):
    """So many of a project as there may be, and whoever else comes is told to wait; others' requests go on."""
    slow = []
    try:
        for number in range(100):
            slow.append(client.begin(number, is_slow=True))
        answers = []
        for s in slow:
            s.settimeout(10 * PATIENCE)
            try:
                answers.append(int(s.recv(64).split(b" ")[1]))
            except TimeoutError:
                answers.append(None)
        suite.equal((answers.count(206), answers.count(503)), (MOST, 100 - MOST), "slow readers that are served, and that are not")
        began = time.monotonic()
        for _ in range(20):
            world.must(200, "GET", "/groups/%s/clusters" % world.p, world.a.bearer())
        suite.check(time.monotonic() - began < 5 * PATIENCE, "20 requests of the same project take %.1f s meanwhile", time.monotonic() - began)
        status, headers, body = client.ask()
        suite.check(status == 503 and "retry-after" in headers and b"OVERLOADED" in body, "another one is told to wait: %r %r", status, body[:200])
    finally:
        for s in slow:
            s.close()
    wait_until(lambda: client.ask(Range="bytes=0-0")[0] == 206, 30)


def test_wrong_hosts(suite, host, client):
    host.stop()
    status, headers, body = client.ask()
    suite.check(status == 503 and "retry-after" in headers and b"OVERLOADED" in body, "a host that is not there: %r %r", status, body[:200])
    host.start(host.other)
    suite.equal(client.ask()[0], 503, "a host with the certificate of another download")
    host.stop()
    host.start()
    os.rename("%s/files/%s.tar.gz" % (host.folder, host.download), host.folder + "/kept")
    status, _, body = client.ask()
    suite.check(status == 404 and b"RESOURCE_NOT_FOUND" in body and b"nginx" not in body, "a host without the file: %r %r", status, body[:200])
    os.rename(host.folder + "/kept", "%s/files/%s.tar.gz" % (host.folder, host.download))
    suite.equal(client.ask(Range="bytes=0-0")[0], 206, "the host as it was")


def test_addresses(suite, fleet, world, host, client):
    parts = client.path.split("/")
    token = parts[4]
    for what, path in (("another token", client.path.replace(token, "reeve_dl_" + "A" * 43)), ("the node's own path", "/reeve-download/127.0.0.1:%d/%s/%s" % (host.port, world.p, host.download)),
                       ("the node's own path, encoded", "/%%72eeve-download/127.0.0.1:%d/%s/%s" % (host.port, world.p, host.download)), ("another name", client.path.replace(".tar.gz", ".tar")),
                       ("a query", client.path.replace("/" + token, "/x?" + token))):
        suite.equal(client.ask(path=path)[0], 404, what)
    suite.equal(client.ask("POST")[0], 405, "POST")
    suite.equal(client.ask(path=client.path + "?x=y", Range="bytes=0-0")[0], 206, "whatever a program adds behind it")
    with open(host.folder + "/who.log", encoding="utf-8") as file:
        suite.equal(set(file.read().split("\n")) - {""}, {"CN=agents,O=reeve-service"}, "as whom nodes come")
    with open(fleet.node.log, encoding="utf-8") as file:
        log = file.read()
    suite.check("fetchDownload" in log and token not in log and token not in fleet.node.error_text(), "the log has no address that works")
    suite.equal(sql("SELECT count(*) FROM event WHERE type = 'BACKUP_DOWNLOAD_FETCHED'"), "1", "that it was fetched is told once")
    sql("UPDATE download SET expires_at = now()")
    status, _, body = client.ask()
    suite.check(status == 410 and b"DOWNLOAD_EXPIRED" in body, "an address that has expired: %r %r", status, body[:200])


def main():
    ends_on_signal()
    suite = Suite("downloads")
    with Fleet() as fleet:
        world = World(fleet.node)
        port = next(number for number in range(27299, 27199, -1) if not is_open(number))
        download, path = make_download(world, "fetched" + secrets.token_hex(2), port)
        host, client = Host(fleet, download, port), Client(fleet.node, path)
        host.start()
        try:
            test_ranges(suite, host, client)
            test_resumption(suite, host, client)
            test_slow_readers(suite, world, host, client)
            test_wrong_hosts(suite, host, client)
            test_addresses(suite, fleet, world, host, client)
        finally:
            host.stop()
            world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
