#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Object Lock, with what really takes part in it and without hosts: pgBackRest of Debian 13 writes a backup into a bucket that locks (moto, behind nginx). Somebody with
the key removes all of it, tries every version, and overwrites what is left; `reeved fleet store recover` brings it back, and it is restored. Needs root.

    script/with-services test/cluster/vault_test.py
"""
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("fleet", "api")]
sys.dont_write_bytecode = True

import image  # noqa: E402
from client import wait_until  # noqa: E402
from node import free_port, make_certificate  # noqa: E402
from suite import Suite  # noqa: E402

REEVED = os.path.join(ROOT, os.environ.get("REEVE_BUILD", "build"), "reeved")
BUCKET = "vault"
# It does not look whether a signature is right, only whether there is one.
SIGNED = ["-H", "Authorization: AWS4-HMAC-SHA256 Credential=K/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0", "-H", "Content-Type: application/octet-stream"]
LOCK = ("<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>1</Days></DefaultRetention></Rule>"
        "</ObjectLockConfiguration>")
FRONT = """daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ }}
http {{ access_log off; client_max_body_size 0; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {certificate}; ssl_certificate_key {key};
        location / {{ proxy_pass http://127.0.0.1:{behind}; proxy_set_header Host $http_host; proxy_http_version 1.1; }} }} }}
"""
PGBACKREST = """[global]
repo1-type=s3
repo1-path=/a-1-0
repo1-s3-endpoint=localhost:{port}
repo1-s3-bucket=vault
repo1-s3-region=us-east-1
repo1-s3-uri-style=path
repo1-s3-key=K
repo1-s3-key-secret=S
repo1-storage-ca-file=/seat/ca.pem
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass=pass
repo1-bundle=y
repo1-retention-full=9999999
expire-auto=n
archive-check=n
lock-path=/seat/lock
log-level-console=error
log-level-file=off
[a-1]
pg1-path=/seat/data
pg1-port=5599
pg1-socket-path=/seat
"""


class Vault:
    """The store, and a machine of Debian 13 in a folder that writes to it."""

    def __init__(self, folder, stack):
        self.folder, self.port, behind = folder, free_port(), free_port()
        self.url, self.root = "https://localhost:%d" % self.port, folder + "/root"
        os.chmod(folder, 0o755)
        self.certificate, key = make_certificate(folder)
        with open(folder + "/nginx.conf", "w", encoding="utf-8") as file:
            file.write(FRONT.format(folder=folder, port=self.port, behind=behind, certificate=self.certificate, key=key))
        moto = ["chroot", "--userspec=65534:65534", image.ensure(recipe=image.OBJECTS), "python3", "-c", "import sys; from moto.server import main; main(sys.argv[1:])"]
        for command in ([*moto, "-H", "127.0.0.1", "-p", str(behind)], ["nginx", "-c", folder + "/nginx.conf"]):
            started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(lambda one=started: (one.terminate(), one.wait()))
        wait_until(lambda: "ListAllMyBuckets" in self.ask("GET", "/"), 60)
        self.mount(stack)

    def ask(self, method, path, body=None, *headers):
        words = ["curl", "-sk", "-X", method, self.url + path, *SIGNED, *headers, *(["--data-binary", body] if body else [])]
        return subprocess.run(words, check=False, capture_output=True, text=True).stdout

    def mount(self, stack):
        for name in ("root", "up", "work"):
            os.makedirs("%s/%s" % (self.folder, name))
        layers = "lowerdir=%s,upperdir=%s/up,workdir=%s/work" % (os.path.realpath(image.ensure()), self.folder, self.folder)
        for words in (["-t", "overlay", "overlay", "-o", layers, self.root], ["--bind", "/dev", self.root + "/dev"], ["-t", "proc", "proc", self.root + "/proc"]):
            subprocess.run(["mount", *words], check=True)
            stack.callback(lambda path=words[-1]: subprocess.run(["umount", path], check=True))
        os.makedirs(self.root + "/seat")
        subprocess.run(["cp", self.certificate, self.root + "/seat/ca.pem"], check=True)
        with open(self.root + "/seat/pgbackrest.conf", "w", encoding="utf-8") as file:
            file.write(PGBACKREST.format(port=self.port))
        self.run("chown -R postgres /seat", user="root")

    def run(self, command, user="postgres"):
        """In there: status and output."""
        words = ["chroot", self.root, "runuser", "-u", user, "--", "env", "PATH=/usr/lib/postgresql/17/bin:/usr/bin:/bin", "sh", "-c", command]
        said = subprocess.run(words, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return said.returncode, said.stdout + said.stderr

    def pgbackrest(self, command):
        return self.run("pgbackrest --config=/seat/pgbackrest.conf --stanza=a-1 " + command)

    def versions(self):
        return re.findall(r"<Version><Key>([^<]*)</Key><VersionId>([^<]*)", self.ask("GET", "/%s?versions&max-keys=1000" % BUCKET))


def store(conf, *words):
    said = subprocess.run([REEVED, "fleet", "store", *words, "--config", conf], check=False, capture_output=True, text=True)
    return said.returncode, said.stdout + said.stderr


def write_configuration(folder, certificate):
    key = os.open(folder + "/master.key", os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(key, os.urandom(32).hex().encode())
    os.close(key)
    rows = [("database", os.environ["REEVE_TEST_DSN"]), ("redis", os.environ["REEVE_TEST_REDIS"]), ("key_file", folder + "/master.key"), ("certificate", certificate),
            ("certificate_key", folder + "/tls.key")]
    with open(folder + "/reeve.conf", "w", encoding="utf-8") as file:
        file.writelines("%s = %s\n" % row for row in rows)
    with open(folder + "/keys", "w", encoding="utf-8") as file:
        file.write("K\nS\n")
    subprocess.run([REEVED, "migrate", "--config", folder + "/reeve.conf"], check=True, capture_output=True)
    return folder + "/reeve.conf"


def a_backup_is_kept(suite, vault, conf):
    vault.ask("PUT", "/" + BUCKET, None, "-H", "x-amz-bucket-object-lock-enabled: true")
    vault.ask("PUT", "/%s?object-lock" % BUCKET, LOCK)
    status, said = store(conf, "add", "west", "--endpoint", vault.url, "--bucket", BUCKET, "--uri-style", "path", "--keys", vault.folder + "/keys", "--authority", vault.certificate, "--object-lock")
    suite.check(status == 0, "a store that locks: %s", said)
    status, said = vault.run("initdb -D /seat/data -A trust && echo \"port=5599\nunix_socket_directories='/seat'\nlisten_addresses=''\" >> /seat/data/postgresql.conf && "
                             "pg_ctl -D /seat/data -w -l /seat/log start")
    suite.check(status == 0, "a server: %s", said[-300:])
    for command in ("stanza-create", "--start-fast backup --type=full"):
        status, said = vault.pgbackrest(command)
        suite.check(status == 0, "%s: %s", command, said)
    vault.run("pg_ctl -D /seat/data -m fast stop && rm -r /seat/data/*")


def somebody_has_the_key(suite, vault):
    for part in ("backup/a-1", "archive/a-1"):
        suite.equal(vault.pgbackrest("repo-rm --recurse " + part)[0], 0, "the attacker removes " + part)
    suite.check("missing stanza" in vault.pgbackrest("info")[1], "nothing is left that can be seen")
    versions = vault.versions()
    refused = ["AccessDenied" in vault.ask("DELETE", "/%s/%s?versionId=%s" % (BUCKET, key, version)) for key, version in versions]
    suite.check(len(refused) > 5 and all(refused), "versions: %d, deleted: %d", len(refused), refused.count(False))
    vault.ask("PUT", "/%s/a-1-0/backup/a-1/backup.info" % BUCKET, "garbage", "-H", "Content-MD5: dZdoVXP1nVvCVjGHnLy/Cw==")
    suite.check("ok" not in vault.pgbackrest("info")[1].split("cipher")[0], "and what is overwritten cannot be read")


def it_comes_back(suite, vault, conf, since):
    suite.check("overwritten  1" in store(conf, "recover", "west", "--since", since, "--dry-run")[1], "what would come back")
    status, said = store(conf, "recover", "west", "--since", since)
    suite.check(status == 0 and "overwritten  1" in said and "deleted      0" not in said, "what comes back: %s", said)
    again = store(conf, "recover", "west", "--since", since)[1]
    suite.check("deleted      0" in again and "overwritten  0" in again, "a second time: %s", again)
    status, said = vault.pgbackrest("--type=none --archive-mode=off restore")
    suite.check(status == 0, "the backup is restored: %s", said)
    suite.check("PG_VERSION" in vault.run("ls /seat/data")[1], "its data is there")


def main():
    suite = Suite("vault")
    with contextlib.ExitStack() as stack:
        vault = Vault(stack.enter_context(tempfile.TemporaryDirectory(prefix="reeve-vault.")), stack)
        conf = write_configuration(vault.folder, vault.certificate)
        a_backup_is_kept(suite, vault, conf)
        time.sleep(2)  # a store's dates have seconds
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        time.sleep(2)
        somebody_has_the_key(suite, vault)
        it_comes_back(suite, vault, conf, since)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
