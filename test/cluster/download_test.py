#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A snapshot as one file, as its tenant fetches it with curl from the client's machine: broken off and resumed, PostgreSQL started from it as the guide says, withdrawn,
expired, made while the agent is killed all the time; and who does not get it. Needs root."""
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time

import rig
from restore_scene import CLUSTER, Scene
from tenant import wait_psql

import hosts  # noqa: E402  (found by rig)
import network  # noqa: E402
from state import ROOT, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

ROWS = 400000
# About 30 MB that no program makes smaller, so that there is a middle to break off in.
FILLING = ("CREATE TABLE filling AS SELECT g AS number, decode(md5(g::text) || md5((g * 7)::text) || md5((g * 13)::text) || md5((g * 31)::text), 'hex') AS bytes "
           "FROM generate_series(1, %d) g" % ROWS)
LEFT = ("ls /var/lib/reeve/downloads 2>/dev/null; ls /etc/systemd/system | grep reeve-download; ls /var/lib/reeve/stanzas/*/download.json 2>/dev/null; "
        "systemctl list-units --all --no-legend --plain 'reeve-download*'; true")
GUIDE = os.path.join(ROOT, "docs/how-to/download-snapshot.md")


class Downloads(Scene):
    """The cluster, its snapshot, and curl on the client's machine."""

    def __init__(self, fleet):
        super().__init__(fleet)
        self.repository, self.folder, self.snapshot = fleet.repositories[0], fleet.path("fetched"), None
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def begin(self, expect=(200,)):
        return self.ask("POST", "/backup/restoreJobs", {"deliveryType": "download", "snapshotId": self.snapshot}, expect=expect)

    def wait_made(self, job, seconds=180):
        made = wait_until(lambda: (lambda shown: shown["state"] != "RUNNING" and shown)(self.shown(job)), "the file is made", seconds)
        if made["state"] != "DONE":
            raise Problem("the file was not made: %s" % made)
        return made

    def curl(self, *words, **options):
        command = ["curl", "--silent", "--show-error", "--cacert", self.fleet.path("tls/authority.pem"), *words]
        return subprocess.run(network.client_command(self.fleet, command), cwd=self.folder, capture_output=True, text=True, check=False, **options)

    def status(self, url, *words):
        return self.curl("--output", "/dev/null", "--max-time", "20", "--write-out", "%{http_code}", *words, url).stdout

    def left(self):
        return hosts.run(self.fleet, self.repository, "sh", "-c", LEFT).split()

    def used_gb(self):
        return self.sql("SELECT used_disk_gb FROM host WHERE name = '%s'" % self.repository)[0][0]

    def wait_nothing_left(self, what):
        wait_until(lambda: self.left() == [], what + ": nothing is left on the repository host", 60)
        wait_until(lambda: self.used_gb() == self.before_gb, what + ": its room is given back", 30)

    def events(self, kind):
        return self.tenant.ask("GET", self.tenant.of_project("/events?eventType=BACKUP_DOWNLOAD_" + kind))["results"]


def sha256(path):
    return subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout.split()[0]


def it_is_made(suite, scene):
    scene.create(CLUSTER, 1, True)
    wait_psql(scene.fleet, scene.dsn(CLUSTER), FILLING, 120)
    made = scene.ask("POST", "/backup/snapshots", {"description": "to be fetched", "retentionInDays": 1})["id"]
    wait_until(lambda: scene.ask("GET", "/backup/snapshots/" + made)["status"] == "completed", "a snapshot", 300)
    scene.snapshot, scene.before_gb = made, scene.used_gb()
    job = scene.begin()
    suite.equal((job["state"], job["deliveryType"], "deliveryUrl" in job, "targetClusterName" in job), ("RUNNING", "download", False, False), "a download that is asked for")
    suite.equal(scene.begin(expect=(409,))["errorCode"], "DOWNLOAD_UNFINISHED", "a second one meanwhile")
    began = time.monotonic()
    scene.job = scene.wait_made(job["id"])
    suite.say("made in %.1f s: %.1f MB" % (time.monotonic() - began, scene.job["downloadBytes"] / 1e6))
    scene.url = scene.job["deliveryUrl"][0]
    suite.check(re.fullmatch(r"https://[0-9.:]+/api/downloads/[0-9a-f]{24}/reeve_dl_[A-Za-z0-9_-]{43}/[0-9a-f]{24}\.tar\.gz", scene.url), "its address: %s", scene.url)
    suite.check("T" in scene.job["expiresAt"] and not scene.job["expired"], "until when: %s", scene.job)


def it_is_fetched_and_resumed(suite, scene):
    head = scene.curl("--head", scene.url).stdout.lower()
    suite.check("accept-ranges: bytes" in head and "etag:" in head and "content-length: %d" % scene.job["downloadBytes"] in head, "its headers: %s", head)
    suite.equal(scene.events("FETCHED"), [], "whoever only looks has not fetched it")
    suite.equal(scene.curl("--output", "whole", scene.url).returncode, 0, "all of it at once")
    file = scene.url.rpartition("/")[2]
    suite.check(scene.curl("--limit-rate", "5M", "--max-time", "3", "-O", scene.url).returncode == 28, "it is broken off")
    had = os.path.getsize(os.path.join(scene.folder, file))
    suite.check(0 < had < scene.job["downloadBytes"], "in the middle: %d of %d bytes", had, scene.job["downloadBytes"])
    # The host's server ends in the middle, too: nobody is told anything, and curl goes on where it was.
    thread = threading.Thread(target=scene.curl, args=("-C", "-", "--limit-rate", "8M", "-O", scene.url))
    thread.start()
    wait_until(lambda: os.path.getsize(os.path.join(scene.folder, file)) > had, "it goes on", 20)
    hosts.run(scene.fleet, scene.repository, "sh", "-c", "systemctl kill --signal=KILL 'reeve-download-*-serve.service'")
    thread.join(60)
    wait_until(lambda: scene.status(scene.url, "--head") == "200", "it is handed out again", 30)
    suite.equal(scene.curl("-C", "-", "-O", scene.url).returncode, 0, "resumed")
    sums = {sha256(os.path.join(scene.folder, name)) for name in ("whole", file)} | {scene.job["downloadSha256"]}
    suite.equal(len(sums), 1, "the whole, the resumed and what the job says: %s" % sums)
    found = scene.events("FETCHED")
    suite.equal(len(found), 1, "that it was fetched is told once")
    log = open(scene.fleet.path("log", "control1-requests.log")).read()
    suite.check("/api/downloads/" in log and scene.url.split("/")[6] not in log, "the log has no address that works")


def guide_commands():
    """The block of the guide that is typed on the machine where it is to run."""
    with open(GUIDE) as file:
        return re.search(r"<!-- test: start -->\n```\n(.*?)```", file.read(), re.S)[1]


def postgresql_starts_from_it(suite, scene):
    host = scene.fleet.repositories[0]
    target = hosts.folder(scene.fleet, host, "root") + "/var/tmp/%s.tar.gz" % scene.job["id"]
    shutil.copy(os.path.join(scene.folder, "whole"), target)
    os.chmod(target, 0o644)
    script = 'set -e; cd /var/tmp; install -d -o postgres /var/run/postgresql; sudo() { user=$2; shift 2; runuser -u "$user" -- "$@"; }\n'
    script += guide_commands().replace("FILE.tar.gz", scene.job["id"] + ".tar.gz")
    said = hosts.run(scene.fleet, host, "sh", "-c", script, timeout=120)
    suite.check("shop" in said, "the databases that it has: %s", said)
    count = hosts.run(scene.fleet, host, "runuser", "-u", "postgres", "--", "psql", "-X", "-A", "-t", "-d", "shop", "-c", "SELECT count(*), sum(length(bytes)) FROM filling").strip()
    suite.equal(count, "%d|%d" % (ROWS, ROWS * 64), "rows and bytes of it")
    hosts.run(scene.fleet, host, "sh", "-c", "runuser -u postgres -- /usr/lib/postgresql/17/bin/pg_ctl -D /var/lib/postgresql/17/restored -m immediate stop; rm -rf /var/lib/postgresql/17/restored /var/tmp/*.tar.gz")


def nobody_else_gets_it(suite, scene):
    parts = scene.url.split("/")
    base, download, token, file = "/".join(parts[:5]), parts[5], parts[6], parts[7]
    other = "0" * 24
    wrong = {"a guess": "%s/%s/reeve_dl_%s/%s" % (base, download, "A" * 43, file), "another's id with this token": "%s/%s/%s/%s.tar.gz" % (base, other, token, other),
             "another file": "%s/%s/%s/%s.tar.gz" % (base, download, token, other), "the folder": "%s/%s/%s/" % (base, download, token),
             "a way up": "%s/%s/%s/../../../../etc/passwd" % (base, download, token), "an encoded way up": "%s/%s/%s/..%%2f%s" % (base, download, token, file),
             "the node's own path": "/".join(parts[:3]) + "/reeve-download/10.78.0.11:27200/%s/%s" % (other, download)}
    for what, url in wrong.items():
        suite.check(scene.status(url, "--path-as-is") in ("404", "429"), "%s: %s", what, scene.status(url, "--path-as-is"))
    suite.equal(scene.status(scene.url, "--request", "POST"), "405", "POST")
    for what, ranges, expected in (("behind the end", "999999999999-", "416"), ("no numbers", "abc", "416"), ("beyond 64 bits", "99999999999999999999999-", "416"),
                                   ("many ranges", ",".join("%d-%d" % (i, i) for i in range(0, 400, 2)), "200"), ("the first byte", "0-0", "206")):
        suite.equal(scene.status(scene.url, "--header", "Range: bytes=" + ranges), expected, "a Range %s" % what)
    # At the host itself, which only services of the fleet are let in to.
    address, port = scene.fleet.host(scene.repository)["address"], scene.sql("SELECT port FROM download WHERE released_at IS NULL")[0][0]
    direct = "https://%s:%s/%s.tar.gz" % (address, port, download)
    suite.equal(scene.status(direct, "--insecure"), "400", "the host, without a certificate")
    own = hosts.folder(scene.fleet, "h1", "root") + "/var/lib/reeve/agent/host."
    suite.equal(scene.status(direct, "--insecure", "--cert", own + "crt", "--key", own + "key"), "403", "the host, with the certificate of another host")


def slow_readers_wait_alone(suite, scene):
    """A thousand connections with the right address that read nothing: the others' requests go on, and few of them reach the repository host."""
    command = ["curl", "--silent", "--cacert", scene.fleet.path("tls/authority.pem"), "--http1.1", "--limit-rate", "1", "--max-time", "25", "--output", "/dev/null", "--parallel",
               "--parallel-immediate", "--parallel-max", "300", "--write-out", "%{http_code}\n"]
    config = os.path.join(scene.folder, "slow")
    with open(config, "w") as file:
        file.writelines('url = "%s"\noutput = "/dev/null"\n' % scene.url for _ in range(1000))
    process = subprocess.Popen(network.client_command(scene.fleet, [*command, "--config", config]), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        slowest, connections = 0.0, 0
        for _ in range(10):
            began = time.monotonic()
            scene.ask("GET", "/backup/snapshots")
            slowest = max(slowest, time.monotonic() - began)
            said = hosts.run(scene.fleet, scene.repository, "ss", "-Htn", "state", "established", "sport >= :27200 and sport <= :27299")
            connections = max(connections, len(said.splitlines()))
            time.sleep(0.5)
        suite.check(slowest < 5, "the slowest of others' requests meanwhile: %.2f s", slowest)
        suite.check(0 < connections <= 8, "connections that reach the host: %d", connections)
        suite.say("1,000 slow readers: others wait %.2f s at most, %d connections reach the host" % (slowest, connections))
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: scene.status(scene.url, "--range", "0-0") == "206", "it is handed out again", 60)


def withdrawn(suite, scene):
    scene.ask("DELETE", "/backup/restoreJobs/" + scene.job["id"])
    suite.equal(scene.status(scene.url), "410", "an address that was withdrawn")
    shown = scene.shown(scene.job["id"])
    suite.equal((shown["state"], shown["cancelled"], "deliveryUrl" in shown), ("CANCELLED", True, False), "what was withdrawn")
    scene.wait_nothing_left("withdrawn")


def expired_and_killed_all_the_time(suite, scene):
    # systemd gives a unit up that ends too often; what is tried here is the agent.
    agent = ["sh", "-c", "systemctl kill --signal=KILL reeve-agent; systemctl reset-failed reeve-agent; systemctl start reeve-agent"]
    job = scene.begin()["id"]
    end = time.monotonic() + 15
    while time.monotonic() < end and scene.shown(job)["state"] == "RUNNING":
        hosts.run(scene.fleet, scene.repository, *agent, check=False)
        time.sleep(random.uniform(0.2, 1.5))
    made = scene.wait_made(job)
    url = made["deliveryUrl"][0]
    suite.equal(scene.status(url, "--range", "0-0"), "206", "made while the agent was killed")
    scene.sql("UPDATE download SET expires_at = now() WHERE released_at IS NULL")
    suite.equal(scene.status(url), "410", "an address that has expired")
    for _ in range(5):
        hosts.run(scene.fleet, scene.repository, *agent, check=False)
        time.sleep(1)
    scene.wait_nothing_left("expired")
    shown = scene.shown(job)
    suite.equal((shown["state"], shown["expired"], "deliveryUrl" in shown), ("DONE", True, False), "what has expired")


def gone_with_its_snapshot(suite, scene):
    job = scene.begin()["id"]
    url = scene.wait_made(job)["deliveryUrl"][0]
    scene.ask("DELETE", "/backup/snapshots/" + scene.snapshot)
    suite.equal(scene.status(url), "410", "the address when the snapshot was deleted")
    scene.wait_nothing_left("gone with its snapshot")


PARTS = (it_is_made, it_is_fetched_and_resumed, postgresql_starts_from_it, nobody_else_gets_it, slow_readers_wait_alone, withdrawn, expired_and_killed_all_the_time, gone_with_its_snapshot)


def main():
    suite = Suite("download")
    try:
        with rig.fleet_for(3, repositories=1) as fleet:
            scene = Downloads(fleet)
            for part in PARTS:
                part(suite, scene)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
