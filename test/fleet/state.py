# SPDX-License-Identifier: Apache-2.0
"""What a fleet is: an id that is part of every name it makes, a folder, and a plan of its machines.

The record is written before anything else is made, so that `down` can clean up after an `up` that was killed at any place.
"""
import ipaddress
import json
import os
import secrets
import sys
import time

from patience import PATIENCE

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEFAULT_FOLDER = "/tmp/reeve-fleet"  # short: the path of a unix socket may have 107 bytes only
DOMAIN = "db.test"
PROVIDER = "LAB"
ADDRESSES_PER_HOST = 100

# One flat network of its own for every fleet; two fleets have the same addresses and never meet.
NETWORK = ipaddress.ip_network("10.78.0.0/16")
CONTROL = {"control1": "10.78.0.2", "control2": "10.78.0.3"}
ETCD = {"etcd1": "10.78.0.5", "etcd2": "10.78.0.6", "etcd3": "10.78.0.7"}
CLIENT = {"client": "10.78.200.2", "stranger": "10.78.201.2"}  # a stranger is on nobody's access list


class Problem(Exception):
    """Something that whoever runs the fleet can act on; shown as a sentence, without a traceback."""


class Fleet:
    def __init__(self, folder, record):
        self.folder, self.record = folder, record
        self.began = time.monotonic()

    @classmethod
    def create(cls, folder, build, host_count, regions, zones, packages=None, repositories=0, relays=0):
        folder = os.path.abspath(folder)
        if os.path.exists(os.path.join(folder, "fleet.json")):
            raise Problem("there is a fleet in %s already; take it down first" % folder)
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o755)
        hosts = {}
        for number in range(1, host_count + 1):
            # Zones first, so that three hosts of one region are in three zones; regions of later hosts in turn.
            region = (number - 1) // zones % regions + 1
            hosts["h%d" % number] = {
                "address": "10.78.0.%d" % (10 + number), "provider": PROVIDER, "region": "REGION_%d" % region,
                "zone": "zone-%d" % ((number - 1) % zones + 1),
                "pool": "10.78.%d.1-10.78.%d.%d" % (number, number, ADDRESSES_PER_HOST)}
        for number in range(1, repositories + 1):
            # Regions in turn, as every region with clusters needs one; a second one of a region is in another zone.
            hosts["r%d" % number] = {
                "address": "10.78.0.%d" % (100 + number), "provider": PROVIDER, "region": "REGION_%d" % ((number - 1) % regions + 1),
                "zone": "zone-%d" % ((number - 1) // regions % zones + 1), "purpose": "REPOSITORY"}
        for number in range(1, relays + 1):
            hosts["x%d" % number] = {
                "address": "10.78.0.%d" % (120 + number), "provider": PROVIDER, "region": "REGION_%d" % ((number - 1) % regions + 1),
                "zone": "zone-%d" % ((number - 1) // regions % zones + 1), "purpose": "RELAY",
                "pool": "10.78.%d.1-10.78.%d.%d" % (120 + number, 120 + number, ADDRESSES_PER_HOST)}
        fleet = cls(folder, {"id": secrets.token_hex(3), "build": os.path.abspath(build), "hosts": hosts,
                             "packages": packages and os.path.abspath(packages)})
        fleet.save()
        return fleet

    @classmethod
    def load(cls, folder):
        folder = os.path.abspath(folder)
        try:
            with open(os.path.join(folder, "fleet.json")) as file:
                return cls(folder, json.load(file))
        except FileNotFoundError:
            raise Problem("there is no fleet in %s" % folder) from None

    def save(self):
        temporary = self.path("fleet.json.new")
        with open(temporary, "w") as file:
            json.dump(self.record, file, indent=1)
        os.rename(temporary, self.path("fleet.json"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    @property
    def id(self):
        return self.record["id"]

    @property
    def prefix(self):
        return "reeve-%s-" % self.id

    @property
    def hosts(self):
        return self.record["hosts"]

    @property
    def repositories(self):
        """Names of the hosts that keep backups; they have no members."""
        return [name for name, host in self.hosts.items() if host.get("purpose") == "REPOSITORY"]

    @property
    def regions(self):
        return sorted({host["region"] for host in self.hosts.values()})

    @property
    def build(self):
        return self.record["build"]

    @property
    def packages(self):
        """The folder of packages that programs are taken from; None when they are those of the build folder."""
        return self.record.get("packages")

    def host(self, name):
        if name not in self.hosts:
            raise Problem("there is no host %s; there are %s" % (name, ", ".join(self.hosts)))
        return self.hosts[name]

    def say(self, sentence):
        print("%6.1f s  %s" % (time.monotonic() - self.began, sentence), file=sys.stderr, flush=True)


def wait_until(condition, what, seconds, every=0.1):
    """Returns what `condition` returned once it is true. Every wait of a fleet has an end."""
    seconds *= PATIENCE
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Problem("%s: not within %g s" % (what, seconds))
        time.sleep(every)
