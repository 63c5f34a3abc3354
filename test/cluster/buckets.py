# SPDX-License-Identifier: Apache-2.0
"""An object store of the operator for tests: a real server that speaks S3 (object_store/), with an nginx before it that can be told to refuse, at a name that
only hosts which are told of it know."""
import contextlib
import json
import os
import re
import subprocess

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import image  # noqa: E402
import network  # noqa: E402
import node_packages  # noqa: E402
import process  # noqa: E402
from state import wait_until  # noqa: E402

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "object_store")
NAME, PORT, BEHIND = "objects.internal", 9543, 9000
VAULT, VAULT_PORT, VAULT_BEHIND = "vault", 9544, 9001
KEY, SECRET, BUCKET = "KEEPER", "staple/battery+horse=correct", "backups"
TENANTS = "tenants"  # for roles of projects
# It does not look whether a signature is right, only whether there is one.
SIGNED = ("Authorization: AWS4-HMAC-SHA256 Credential=%s/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0" % KEY, "Content-Type: application/octet-stream")
OBJECT = "._S3rver_object"
FRONT = """daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ }}
http {{
    access_log {folder}/access.log; client_max_body_size 0; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    server {{
        listen {address}:{port} ssl;
        ssl_certificate {certificate}; ssl_certificate_key {key};
        include {folder}/fault.conf;
        location / {{ proxy_pass {behind}; proxy_set_header Host $http_host; proxy_http_version 1.1; proxy_request_buffering off; }}
    }}
    server {{  # moto would take the first word of another name for a bucket
        listen {address}:{vault_port} ssl;
        ssl_certificate {certificate}; ssl_certificate_key {key};
        location / {{ proxy_pass {vault}; proxy_set_header Host localhost; proxy_http_version 1.1; proxy_request_buffering off; }}
    }}
}}
"""


class Store:
    def __init__(self, fleet):
        self.fleet, self.address, self.folder = fleet, control.CONTROL["control1"], fleet.path("store")
        self.url, self.data, self.front = "https://%s:%d" % (NAME, PORT), fleet.path("store/objects"), fleet.path("store/front")
        for folder in (self.data, self.front):
            os.makedirs(folder, exist_ok=True)
        os.chmod(self.folder, 0o755)
        if not os.path.exists(fleet.path("tls/store")):
            control.certificate(fleet, "store", names=[NAME])
        self.tls = {"certificate": fleet.path("tls/store/certificate.pem"), "key": fleet.path("tls/store/key.pem")}
        self.names = fleet.path("store/hosts")
        with open(self.names, "w", encoding="utf-8") as file:
            file.write("127.0.0.1 localhost\n%s %s\n" % (self.address, NAME))
        self.write_keys("keys", KEY, SECRET)
        self.start_server()
        self.start_front()

    # ---- The processes ----
    def start_server(self):
        node_packages.install(HERE)
        with open(self.fleet.path("store/server.json"), "w", encoding="utf-8") as file:
            json.dump({"address": self.address, "port": BEHIND, "folder": self.data, "buckets": [BUCKET, TENANTS], "keys": {KEY: SECRET}, **self.tls}, file)
        self.again("store-server", ["node", os.path.join(HERE, "server.js"), self.fleet.path("store/server.json")], BEHIND)

    def start_front(self):
        self.write_fault("")
        with open(self.front + "/nginx.conf", "w", encoding="utf-8") as file:
            file.write(FRONT.format(folder=self.front, address=self.address, port=PORT, behind="https://%s:%d" % (self.address, BEHIND),
                                    vault_port=VAULT_PORT, vault="http://%s:%d" % (self.address, VAULT_BEHIND), **self.tls))
        self.again("store-front", ["nginx", "-c", self.front + "/nginx.conf"], PORT)

    def again(self, name, command, port):
        if process.pid_of(self.fleet, name):
            process.stop(self.fleet, name)
        process.start(self.fleet, name, "control", command)
        process.wait_ready(self.fleet, name, lambda: subprocess.run(
            network.command(self.fleet, "control", ["curl", "-sk", "https://%s:%d" % (self.address, port)]), check=False, capture_output=True).returncode == 0, 30)

    # ---- Faults ----
    def write_fault(self, line):
        with open(self.front + "/fault.conf", "w", encoding="utf-8") as file:
            file.write(line)

    def requests(self):
        """How many it was asked."""
        with open(self.front + "/access.log", encoding="utf-8") as file:
            return sum(1 for _ in file)

    @contextlib.contextmanager
    def answers(self, status):
        """Every request is answered so, for as long as the block takes."""
        self.write_fault("return %d;\n" % status)
        subprocess.run(["kill", "-HUP", str(process.pid_of(self.fleet, "store-front"))], check=True)
        wait_until(lambda: self.status() == str(status), "the store answers %d" % status, 15)
        try:
            yield
        finally:
            self.write_fault("")
            subprocess.run(["kill", "-HUP", str(process.pid_of(self.fleet, "store-front"))], check=True)

    def status(self):
        said = subprocess.run(network.command(self.fleet, "control", ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", "https://%s:%d/" % (self.address, PORT)]),
                              check=False, capture_output=True, text=True)
        return said.stdout

    # ---- What operators do ----
    def write_keys(self, name, key, secret):
        with open(self.fleet.path("store", name), "w", encoding="utf-8") as file:
            file.write("%s\n%s\n" % (key, secret))
        return self.fleet.path("store", name)

    def reeved(self, *words):
        """On a node that knows the store's name: status, output, complaints."""
        command = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', self.names, self.fleet.build + "/reeved", *words, "--config", control.conf(self.fleet)]
        said = subprocess.run(network.command(self.fleet, "control", command), check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return said.returncode, said.stdout, said.stderr

    def add(self, name, **changes):
        wish = {"endpoint": self.url, "bucket": BUCKET, "keys": self.fleet.path("store/keys"), "uri-style": "path", "authority": self.fleet.path("tls/authority.pem"), **changes}
        return self.reeved("fleet", "store", "add", name, *[word for option, value in wish.items() if value for word in ("--" + option, value)])

    def tell_host(self, host):
        hosts.write_file(self.fleet, host, "/etc/hosts", "127.0.0.1 localhost\n%s %s\n" % (self.address, NAME))

    # ---- What is in it ----
    def objects(self, bucket=BUCKET):
        """Key: file."""
        top = os.path.join(self.data, bucket)
        found = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names if name.endswith(OBJECT)]
        return {os.path.relpath(path, top)[:-len(OBJECT)]: path for path in found}


class Vault:
    """A second store behind the same nginx, with Object Lock: moto, of Debian 13. It takes any key, so whoever reaches it is an attacker who has it."""

    def __init__(self, store):
        self.store, self.fleet, self.url = store, store.fleet, "https://%s:%d" % (NAME, VAULT_PORT)
        root = image.ensure(recipe=image.OBJECTS)
        command = ["chroot", "--userspec=65534:65534", root, "python3", "-c", "import sys; from moto.server import main; main(sys.argv[1:])", "-H", store.address, "-p", str(VAULT_BEHIND)]
        if process.pid_of(self.fleet, "store-vault"):
            process.stop(self.fleet, "store-vault")
        process.start(self.fleet, "store-vault", "control", command)
        process.wait_ready(self.fleet, "store-vault", lambda: self.ask("GET", "/")[0] == 200, 60)

    def ask(self, method, path, body="", headers=()):
        """Status and answer."""
        words = ["curl", "-sk", "-X", method, "-w", "\n%{http_code}", "--resolve", "%s:%d:%s" % (NAME, VAULT_PORT, self.store.address), self.url + path]
        words += [word for header in (*SIGNED, *headers) for word in ("-H", header)] + (["--data-binary", body] if body else [])
        said = subprocess.run(network.command(self.fleet, "control", words), check=False, capture_output=True, text=True).stdout.rsplit("\n", 1)
        return int(said[-1] or 0), said[0]

    def make_bucket(self, name, days):
        """With Object Lock; with days, everything is locked for so long."""
        status, said = self.ask("PUT", "/" + name, headers=["x-amz-bucket-object-lock-enabled: true"])
        rule = "<Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>%d</Days></DefaultRetention></Rule>" % days if days else ""
        lock = "<ObjectLockConfiguration xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><ObjectLockEnabled>Enabled</ObjectLockEnabled>%s</ObjectLockConfiguration>" % rule
        return (status, said), self.ask("PUT", "/%s?object-lock" % name, lock)

    def versions(self, name):
        """(key, id, is it a marker, is it the latest) of everything."""
        found, path = [], "/%s?versions&max-keys=500" % name
        status, said = self.ask("GET", path)
        for kind, text in re.findall(r"<(Version|DeleteMarker)>(.*?)</(?:Version|DeleteMarker)>", said, re.S):
            value = lambda tag, text=text: re.search("<%s>(.*?)</%s>" % (tag, tag), text).group(1)
            found.append((value("Key"), value("VersionId"), kind == "DeleteMarker", value("IsLatest") == "true"))
        return found

    def keys(self, name):
        """What can be seen."""
        return sorted(key for key, _, is_marker, is_latest in self.versions(name) if is_latest and not is_marker)
