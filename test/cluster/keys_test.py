#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A cluster under a key that its customer keeps, on real hosts and with a real key service (PyKMIP): while the key may be used, nothing of its rows is on the disks of
hosts in a form that can be read; when it is taken back, nothing can be read within half a minute; when it is given again, the cluster is there again by itself. Needs root.

Usage: keys_test.py [PART…]
"""
import argparse
import os
import re
import subprocess
import sys
import time

os.environ.setdefault("REEVE_VOLUMES", "thin")  # read when hosts join

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "keys"))
sys.dont_write_bytecode = True

import key_service  # noqa: E402
import rig  # noqa: E402
from ledger import TABLES, Writer, lost  # noqa: E402
from tenant import Tenant, client_address, psql, wait_psql  # noqa: E402

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from state import PROVIDER, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER, SIZE, DISK_GB = "sealed", "S1", 1
MEMBERS, VOLUMES, KEPT = "/var/lib/reeve/members", "/var/lib/reeve/volumes", "/var/lib/reeve/agent/key-"
DISK_MB, PIECE_BYTES = 12 * 1024, 16 << 20
CANARY, PLAIN = "canary-of-the-customer-7d1f", "beside-it-in-plain-text-55c0"
SHUT_WITHIN_S = 30  # what is promised
ADDRESS, PORT = control.RECEIVER[0], 5696
SERVICE, SERVER = os.path.join(os.path.dirname(HERE), "keys/key_service.py"), "key-service"


class Customer:
    """The customer's key service, on a machine where tenants may have addresses of theirs."""

    def __init__(self, fleet):
        self.fleet, self.folder = fleet, fleet.path("customer")
        key_service.make(self.folder, ADDRESS)
        process.start(fleet, SERVER, "control", [SERVICE, "serve", self.folder, ADDRESS, str(PORT)])
        process.wait_ready(fleet, SERVER, self.answers, 30)
        self.keys = [self.make_key(), self.make_key()]

    def make_key(self):
        return subprocess.run(["ip", "netns", "exec", network.namespace(self.fleet, "control"), SERVICE, "key", self.folder, ADDRESS, str(PORT)],
                              check=True, capture_output=True, text=True).stdout.strip()

    def answers(self):
        return subprocess.run(["ip", "netns", "exec", network.namespace(self.fleet, "control"), "sh", "-c", "ss -Hltn | grep -q ':%d '" % PORT],
                              check=False).returncode == 0

    def settings(self, key, **more):
        return {"enabled": True, "hostname": ADDRESS, "port": PORT, "keyIdentifier": key, "caCertificate": key_service.pem(self.folder, "ca.crt"),
                "clientCertificate": key_service.pem(self.folder, "client.crt"), "clientKey": key_service.pem(self.folder, "client.key"), **more}


class Scene:
    def __init__(self, suite, fleet):
        self.suite, self.fleet = suite, fleet
        self.customer, self.tenant = Customer(fleet), Tenant(fleet)
        self.tenant.create_project()
        self.password = self.tenant.create_user("app")
        self.tenant.allow(client_address())
        self.dsn = None

    def encryption(self, **kmip):
        path = self.tenant.of_project("/encryptionAtRest")
        return self.tenant.ask("PATCH", path, {"kmip": kmip}) if kmip else self.tenant.ask("GET", path)["kmip"]

    def wait_key(self, what, condition, seconds=60):
        return wait_until(lambda: (lambda found: found if condition(found) else None)(self.encryption()), what, seconds)

    def on(self, host, *words):
        return hosts.run(self.fleet, host, *words).strip()

    def members(self):
        return rig.members(self.fleet, CLUSTER)

    def refused(self, what, code, method, path, body):
        """Which error it is; tests of the API have the words."""
        answer = self.tenant.try_nodes(method, self.tenant.of_project(path), body)
        self.suite.equal((answer.status, answer.json().get("errorCode")), (400 if code != "KEYS_IN_USE" else 409, code), what)

    def document(self, **more):
        return {"name": CLUSTER, "clusterType": "REPLICASET", "encryptionAtRestProvider": "KMIP", "replicationSpecs": [{"regionConfigs": [
            {"providerName": PROVIDER, "regionName": self.fleet.regions[0], "priority": 7, "electableSpecs": {"instanceSize": SIZE, "nodeCount": 3, "diskSizeGB": DISK_GB}}]}],
            **more}

    def found_on_disks(self, text):
        """Hosts on whose disks it is: with the whole of what they have of a disk, raw, read by somebody who has it in his hands."""
        subprocess.run(["sync"], check=True)
        found = []
        for name in self.fleet.hosts:
            files = [os.path.join(folder, one) for folder, _, names in os.walk(hosts.folder(self.fleet, name, "upper")) for one in names]
            if any(file_has(path, text.encode()) for path in [disk_of(self.fleet, name), *files]):
                found.append(name)
        return found

    def answers(self):
        try:
            return psql(self.fleet, self.dsn, "SELECT 1", timeout=20)[0] == 0
        except subprocess.TimeoutExpired:
            return False

    def wrapping(self):
        """Which key of the customer each member's own is wrapped with."""
        return [self.on(one.host, "head", "-n1", KEPT + one.id) for one in self.members()]

    def is_shut(self):
        for one in self.members():
            mounts = self.on(one.host, "sh", "-c", "grep -c %s /proc/mounts || true" % one.id)
            images = self.on(one.host, "sh", "-c", "ls %s/%s/data" % (VOLUMES, one.id))
            if mounts != "0" or ".img" in images or self.on(one.host, "sh", "-c", "systemctl is-active reeve-member-%s || true" % one.id) == "active":
                return False
        return True


def file_has(path, text):
    """Looked for in all that is written of it; what was never written has nothing."""
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        at, size = 0, os.fstat(file.fileno()).st_size
        while at < size:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:  # only a hole is left
                return False
            end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
            while at < end:
                piece = os.pread(file.fileno(), min(PIECE_BYTES, end - at), at)
                if not piece or text in piece:
                    return bool(piece)
                at += len(piece) if at + len(piece) >= end else len(piece) - len(text)
    return False


# ---- Hosts ----
def disk_of(fleet, name):
    return fleet.path("hosts", name + ".disk")


def give_disks(fleet):
    """A file system that can encrypt for the volumes of each host, as an operator makes one."""
    for name in fleet.hosts:
        image = disk_of(fleet, name)
        subprocess.run(["truncate", "-s", "%dM" % DISK_MB, image], check=True)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", "-O", "encrypt", image], check=True)
        device = subprocess.run(["losetup", "--find", "--show", image], check=True, capture_output=True, text=True).stdout.strip()
        hosts.run(fleet, name, "systemctl", "stop", "reeve-agent")
        try:
            hosts.run(fleet, name, "sh", "-ec", "mknod /dev/volumes b 7 %s; mkdir -p -m 700 %s; mount -t ext4 /dev/volumes %s; chmod 700 %s"
                      % (device[len("/dev/loop"):], *[VOLUMES] * 3))
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)  # it goes when nobody has it mounted any more
        hosts.run(fleet, name, "systemctl", "start", "reeve-agent")


# ---- Parts ----
def only_with_a_key_and_hosts_that_encrypt(scene):
    tenant, customer, fleet = scene.tenant, scene.customer, scene.fleet
    scene.refused("without a key service", "KEY_SERVICE_NOT_READY", "POST", "/clusters", scene.document())
    scene.encryption(**customer.settings("no-such-key"))
    said = scene.wait_key("it was asked", lambda kmip: kmip.get("checkedAt"))
    scene.suite.check(said["valid"] is False and "refused" in said["problem"], "a key that is not there: %s", said)
    scene.suite.check("clientKey" not in said and "sealed" not in str(said), "its private key is not shown")
    scene.refused("with a key that is not there", "KEY_SERVICE_NOT_READY", "POST", "/clusters", scene.document())
    scene.encryption(keyIdentifier=customer.keys[0])
    scene.wait_key("the key is valid", lambda kmip: kmip["valid"])
    scene.refused("on hosts that cannot encrypt", "HOSTS_CANNOT_ENCRYPT", "POST", "/clusters", scene.document())
    give_disks(fleet)
    wait_until(lambda: not control.superuser(fleet, "SELECT name FROM host WHERE NOT coalesce((facts ->> 'encrypts')::boolean, false)"), "hosts say that they can encrypt", 60)
    scene.refused("with backups", "BACKUPS_NOT_UNDER_KEY", "POST", "/clusters", scene.document(backupEnabled=True))
    tenant.ask("POST", tenant.of_project("/clusters"), scene.document())
    document = tenant.wait_idle(CLUSTER, 240)
    scene.suite.equal(document.get("encryptionAtRestProvider"), "KMIP", "what the cluster says")
    scene.dsn = tenant.dsn(document, "app", scene.password)
    wait_psql(fleet, scene.dsn, TABLES, 60)
    rig.wait_full_strength(fleet, CLUSTER, 3, 90)
    scene.refused("backups afterwards", "BACKUPS_NOT_UNDER_KEY", "PATCH", "/clusters/" + CLUSTER, {"backupEnabled": True})
    scene.refused("without the key afterwards", "INVALID_ATTRIBUTE_VALUE", "PATCH", "/clusters/" + CLUSTER, {"encryptionAtRestProvider": "NONE"})
    scene.refused("without the service while it is used", "KEYS_IN_USE", "PATCH", "/encryptionAtRest", {"kmip": {"enabled": False}})
    scene.refused("another place with another key", "KEYS_IN_USE", "PATCH", "/encryptionAtRest", {"kmip": {"port": PORT + 1, "keyIdentifier": customer.keys[1]}})


def rows_are_not_on_the_disk(scene):
    suite, fleet = scene.suite, scene.fleet
    psql(fleet, scene.dsn, "CREATE TABLE secret AS SELECT n, '%s' AS text FROM generate_series(1, 2000) n" % CANARY)
    for one in scene.members():
        rig.superuser(fleet, one, "CHECKPOINT")
        place = "%s/%s" % (MEMBERS, one.id)
        in_mount = scene.on(one.host, "sh", "-c", "sync; grep -raqF %s %s/data %s/wal/pg_wal && echo yes || echo no" % (CANARY, place, place))
        suite.equal(in_mount, "yes", "%s: it is where the server reads it" % one.name)
        scene.on(one.host, "sh", "-c", "echo %s > %s/plain; sync" % (PLAIN, VOLUMES))
        suite.equal(scene.on(one.host, "findmnt", "-n", "-o", "FSTYPE", place), "ext4", "%s has a volume" % one.name)
        limit = scene.on(one.host, "sh", "-c", "systemctl show -p MemorySwapMax --value reeve-member-%s; cat /sys/fs/cgroup/system.slice/reeve-member-%s.service/memory.swap.max "
                                               "2>/dev/null || true" % (one.id, one.id)).split()
        suite.check(limit and set(limit) == {"0"}, "nothing of %s goes to swap: %s", one.name, limit)
    suite.equal(sorted(scene.found_on_disks(PLAIN)), sorted(fleet.hosts), "the search finds what is not encrypted")
    suite.equal(scene.found_on_disks(CANARY), [], "hosts on whose raw disk the canary is")


def another_key_while_rows_are_written(scene):
    suite, fleet = scene.suite, scene.fleet
    suite.equal(scene.wrapping(), [scene.customer.keys[0]] * 3, "what the members' keys are wrapped with")
    started = [rig.superuser(fleet, one, "SELECT pg_postmaster_start_time()") for one in scene.members()]
    writer = Writer(fleet, scene.dsn)
    began = time.time()
    scene.encryption(keyIdentifier=scene.customer.keys[1])
    wait_until(lambda: scene.wrapping() == [scene.customer.keys[1]] * 3, "all keys are wrapped anew", 40)
    suite.say("the keys of 3 members are wrapped with another one after %.0f s" % (time.time() - began))
    said = scene.wait_key("the API says so", lambda kmip: kmip["valid"] and kmip.get("membersOnOtherKeys") == 0, 120)
    suite.equal(said["keyIdentifier"], scene.customer.keys[1], "the key now")
    pause = writer.longest_pause(began, time.time())
    suite.check(pause < 2, "the longest time without a write meanwhile: %.2f s", pause)
    writer.stop()
    missing = lost(writer, map(int, wait_psql(fleet, scene.dsn, "SELECT number FROM ledger", 30).split()))
    suite.equal(missing, [], "acknowledged rows that are gone")
    suite.equal([rig.superuser(fleet, one, "SELECT pg_postmaster_start_time()") for one in scene.members()], started, "no server was started again")


def a_service_that_is_silent_takes_nothing_away(scene):
    process.stop(scene.fleet, SERVER)
    time.sleep(25)
    wait_psql(scene.fleet, scene.dsn, "INSERT INTO secret VALUES (0, 'while it was silent')", 10)
    said = wait_until(lambda: [row[0] for row in control.superuser(scene.fleet, "SELECT problem FROM cluster_member WHERE problem LIKE '%stays open%'")], "hosts say so", 30)
    scene.suite.check("not reached" in said[0], "what they say: %s", said[0])
    process.again(scene.fleet, SERVER)
    process.wait_ready(scene.fleet, SERVER, scene.customer.answers, 30)
    wait_until(lambda: not control.superuser(scene.fleet, "SELECT id FROM cluster_member WHERE problem IS NOT NULL"), "nothing is wrong any more", 60)


def a_key_that_is_taken_back_closes_it(scene):
    suite, fleet = scene.suite, scene.fleet
    members = scene.members()
    began = time.monotonic()
    key_service.permit(scene.customer.folder, False)
    wait_until(scene.is_shut, "nothing of it runs or is mounted", 120, every=0.5)
    took = time.monotonic() - began
    suite.say("the key is taken back: closed everywhere after %.1f s (promised: %d s)" % (took, SHUT_WITHIN_S))
    suite.check(took <= SHUT_WITHIN_S, "closed after %.1f s", took)
    suite.check(not scene.answers(), "its string leads nowhere")
    for one in members:
        names = scene.on(one.host, "sh", "-c", "ls %s/%s/data" % (VOLUMES, one.id)).split()
        suite.check(names and not any(name.endswith(".img") for name in names), "names on %s are not readable: %s", one.host, names)
        read = scene.on(one.host, "sh", "-c", "cat %s/%s/data/* 2>&1 | head -c 200" % (VOLUMES, one.id))
        suite.check("key not available" in read or "Required key" in read, "root of %s reads nothing: %s", one.host, read)
        suite.equal(scene.on(one.host, "sh", "-c", "grep -raqF %s /var/lib/reeve /etc /run/reeve* /tmp 2>/dev/null && echo yes || echo no" % CANARY), "no",
                    "the canary below %s" % one.host)
    suite.equal(scene.found_on_disks(CANARY), [], "hosts on whose raw disk the canary is")
    said = wait_until(lambda: [row[0] for row in control.superuser(fleet, "SELECT problem FROM cluster_member WHERE problem LIKE '%taken back%'")], "hosts say why", 30)
    suite.equal(len(said), 3, "members that say why: %s" % said[0])
    scene.wait_key("the API says so", lambda kmip: kmip["valid"] is False and "refused" in kmip.get("problem", ""), 60)


def an_agent_that_is_started_again_opens_nothing(scene):
    """Nor does a service that is silent by then."""
    process.stop(scene.fleet, SERVER)
    for name in scene.fleet.hosts:
        hosts.run(scene.fleet, name, "systemctl", "restart", "reeve-agent")
    time.sleep(20)
    scene.suite.check(scene.is_shut(), "it stays closed")
    process.again(scene.fleet, SERVER)
    process.wait_ready(scene.fleet, SERVER, scene.customer.answers, 30)


def a_key_that_is_given_again_opens_it(scene):
    suite, fleet = scene.suite, scene.fleet
    began = time.monotonic()
    key_service.permit(scene.customer.folder, True)
    wait_until(scene.answers, "its string works again", 180)
    suite.say("the key is given again: the string works after %.1f s" % (time.monotonic() - began))
    rig.wait_full_strength(fleet, CLUSTER, 3, 180)
    suite.say("... and all three members are there after %.1f s" % (time.monotonic() - began))
    suite.equal(scene.tenant.cluster(CLUSTER)["stateName"], "IDLE", "its state")
    suite.equal(psql(fleet, scene.dsn, "SELECT count(*) FROM secret")[1], "2001", "its rows")
    suite.equal(scene.found_on_disks(CANARY), [], "hosts on whose raw disk the canary is")


def nothing_is_left(scene):
    members = scene.members()
    scene.tenant.delete_cluster(CLUSTER)
    scene.tenant.wait_gone(CLUSTER, 120)
    wait_until(lambda: not any(re.search("key-", scene.on(one.host, "ls", "/var/lib/reeve/agent")) for one in members), "keys are gone", 30)
    for one in members:
        scene.suite.equal(scene.on(one.host, "sh", "-c", "ls %s | grep -v lost+found | grep -v plain || true" % VOLUMES), "", "what is left on " + one.host)
    scene.encryption(enabled=False)
    scene.suite.equal(scene.encryption()["enabled"], False, "the service is switched off")


PARTS = [only_with_a_key_and_hosts_that_encrypt, rows_are_not_on_the_disk, another_key_while_rows_are_written, a_service_that_is_silent_takes_nothing_away,
         a_key_that_is_taken_back_closes_it, an_agent_that_is_started_again_opens_nothing, a_key_that_is_given_again_opens_it, nothing_is_left]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(part.__name__ for part in PARTS))
    chosen = parser.parse_args().parts
    suite = Suite("keys")
    try:
        with rig.fleet_for(3) as fleet:
            scene = Scene(suite, fleet)
            for part in PARTS:
                if not chosen or part.__name__ in chosen:
                    part(scene)
            process.stop(fleet, SERVER)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
