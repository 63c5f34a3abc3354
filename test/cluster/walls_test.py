#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two tenants on the same hosts (S2, S10). From a member of one, every row of walls_attacks.py is tried against the other's member and against the
host, from three places: a program that a superuser starts inside of PostgreSQL, a process in the namespaces of the member's unit, and a unit with the same
lines. Nothing may come through. Then each wall is taken down, and its attack must come through: it is a real one."""
import json
import os
import sys

import rig
import walls_attacks
from tenant import Tenant, client_address
from walls_attacks import HOST_PORT, IMPOSTER_PORT, KEY, LOOPBACK_PORT, NAME, ROWS

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

os.environ.setdefault("REEVE_VOLUMES", "thin")  # disks are walls, too; read when hosts join
PROGRAM = "/opt/walls_attacks.py"
CLUSTERS = {"mallory": "walls-a", "alice": "walls-b"}
MEMBERS = "/var/lib/reeve/members/"

# Stands for what the victim could have where both see it: files, memory, queues, services. Knocks where an imposter would listen.
PLANT = r"""
import ctypes, os, socket, subprocess, sys, threading, time
user, address, host, data = int(sys.argv[1]), *sys.argv[2:]
libc = ctypes.CDLL(None)
for path in ("/tmp/%(name)s", "/var/tmp/%(name)s", "/dev/shm/%(name)s"):
    with open(path, "w") as file:
        file.write("the victim's")
    os.chown(path, user, user)
    os.chmod(path, 0o600 if "shm" in path else 0o644)
os.makedirs("/var/lib/reeve/agent/peerings/planted", 0o700, exist_ok=True)
with open("/var/lib/reeve/agent/peerings/planted/key", "w") as file:
    os.chmod(file.fileno(), 0o600)
    file.write("of a tunnel")
with open("/dev/mqueue/%(name)s", "w"):
    os.chown("/dev/mqueue/%(name)s", user, user)
if os.fork() == 0:
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    libc.shmget(%(key)d, 4096, 0o1600)
    libc.semget(%(key)d, 1, 0o1600)
    os._exit(0)
os.wait()
doors = []
for place in (("127.0.0.1", %(loopback)d), ("127.9.9.9", %(loopback)d), (host, %(host)d), (address, %(host)d)):
    door = socket.create_server(place)
    doors.append(door)
def serve(door):
    while True:
        door.accept()[0].close()
for door in doors:
    threading.Thread(target=serve, args=(door,), daemon=True).start()
plain = subprocess.Popen(["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", "sleep", "3600"], cwd=data)
print("planted", plain.pid, flush=True)
while True:
    try:
        socket.create_connection((address, %(imposter)d), timeout=0.5).close()
    except OSError:
        time.sleep(0.05)
""" % {"name": NAME, "key": KEY, "loopback": LOOPBACK_PORT, "host": HOST_PORT, "imposter": IMPOSTER_PORT}


class Place:
    """The attacker's member and the victim's, on one host."""

    def __init__(self, fleet, attacker, victim):
        self.fleet, self.host, self.attacker, self.victim = fleet, attacker.host, attacker, victim
        self.own, self.folder = MEMBERS + attacker.id, MEMBERS + victim.id
        self.own_user, self.victim_user = self.user_of(attacker), self.user_of(victim)
        self.unit = "reeve-member-%s.service" % attacker.id
        pid = int(self.shell("head -1 %s/data/postmaster.pid" % self.folder))
        self.facts = {"folder": self.folder, "own": self.own, "pid": pid, "address": victim.address, "host": fleet.host(self.host)["address"],
                      "unit": "reeve-member-%s.service" % victim.id,
                      "start": self.start_of(pid)}

    def shell(self, command, check=True):
        return hosts.run(self.fleet, self.host, "sh", "-c", command, check=check, timeout=120).strip()

    def user_of(self, member):
        return self.shell("systemctl show --property User --value reeve-member-%s" % member.id)

    # ---- Where attacks come from ----
    def command(self, rows, facts=None):
        return [PROGRAM, json.dumps({**self.facts, **(facts or {})}), *[row.name for row in rows]]

    def plain_process(self):
        """Of the victim's user, in the host's namespaces."""
        pid = int(self.shell("cat /root/plant.out").split()[1])
        return {"pid": pid, "start": self.start_of(pid)}

    def start_of(self, pid):
        return int(self.shell("head -1 /proc/%d/maps" % pid).split("-")[0], 16)

    def from_postgres(self, rows):
        line = " ".join("'%s'" % word for word in ["/usr/bin/python3", *self.command(rows)])
        statement = "COPY o FROM PROGRAM $x$%s$x$ WITH (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')" % line
        output = hosts.run(self.fleet, self.host, "psql", "-X", "-q", "-At", "-U", "postgres", "-h", self.own + "/run", "-p", "5432", "-c",
                           "CREATE TEMP TABLE o (line text)", "-c", statement, "-c", "SELECT line FROM o", timeout=120)
        return json.loads(output)

    def from_namespaces(self, rows):
        pid = self.shell("systemctl show --property MainPID --value " + self.unit)
        words = ["nsenter", "-t", pid, "-m", "-u", "-i", "-n", "-C", "setpriv", "--reuid", self.own_user, "--regid", self.own_user, "--clear-groups",
                 "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "/usr/bin/python3", *self.command(rows)]
        return json.loads(hosts.run(self.fleet, self.host, *words, timeout=120))

    def from_unit(self, rows, without=(), also=(), facts=None):
        """A unit with the lines of the member's, but those that begin with `without`, and with others."""
        kept = []
        for line in self.shell("cat /etc/systemd/system/" + self.unit).split("[Service]")[1].split("[Install]")[0].splitlines():
            left_out = ("Type", "Exec", "Restart=", "RestartSec", "OOM", "Memory", "CPU", "Environment", *without)
            if line and not line.startswith(left_out):
                kept.append(line)
        kept += [one.format(victim_user=self.victim_user) for one in also]
        arguments = " ".join("'%s'" % word.replace("%", "%%") for word in self.command(rows, facts))
        text = "[Service]\nType=oneshot\nMemoryPressureWatch=off\nExecStart=/usr/bin/python3 %s\nStandardOutput=truncate:/root/walls.out\n%s\n" % (
            arguments, "\n".join(kept))
        self.shell("cat > /run/systemd/system/reeve-walls.service <<'END'\n%s\nEND\nsystemctl daemon-reload; systemctl start reeve-walls" % text)
        return json.loads(self.shell("cat /root/walls.out"))

    def walls_again(self):
        self.shell("chown root {0} {0}/*".format(self.own))
        line = next(one for one in self.shell("cat /etc/systemd/system/" + self.unit).splitlines() if one.startswith("ExecStartPre=+"))
        other = next(one for one in self.shell("cat /etc/systemd/system/" + self.facts["unit"]).splitlines() if one.startswith("ExecStartPre=+"))
        self.shell("chown {1}: {0}/data; {2}; {3}; systemctl start reeve-agent".format(
            self.own, self.own_user, line.split("=+")[1], other.split("=+")[1]))


def nothing_comes_through(suite, place):
    ways = {"a program of PostgreSQL": (place.from_postgres, ROWS), "a unit with the same lines": (place.from_unit, ROWS),
            "a process in its namespaces": (place.from_namespaces, [row for row in ROWS if not row.seccomp])}
    for way, (run, rows) in ways.items():
        through = {name: got for name, got in run(rows).items() if got}
        suite.check(not through, "from %s, of %d attacks came through: %s", way, len(rows), through)


def every_attack_is_real(suite, place):
    """Those that need the same walls down at once."""
    ways = {}
    for row in ROWS:
        ways.setdefault((tuple(row.without), tuple(row.also), row.before, row.plain), []).append(row)
    for (without, also, before, plain), rows in ways.items():
        try:
            if before:
                place.shell(before.format(own=place.own, own_user=place.own_user))
            got = place.from_unit(rows, without, also, place.plain_process() if plain else None)
        finally:
            if before:
                place.walls_again()
        for row in rows:
            suite.check(got[row.name], "%s comes through without %s", row.name, before or ", ".join((*without, *also)))


def make(fleet, name):
    tenant = Tenant(fleet)
    tenant.create_project()
    tenant.create_user("app")
    tenant.allow(client_address())
    tenant.create_cluster(CLUSTERS[name])
    return tenant


def main():
    suite = Suite("walls between members")
    try:
        with rig.fleet_for(3) as fleet:
            tenants = {name: make(fleet, name) for name in CLUSTERS}
            for name, tenant in tenants.items():
                tenant.wait_idle(CLUSTERS[name])
            attacker = rig.primary_of(fleet, CLUSTERS["mallory"])  # who may write may start programs
            place = Place(fleet, attacker, next(one for one in rig.members(fleet, CLUSTERS["alice"]) if one.host == attacker.host))
            suite.check(place.own_user != place.victim_user, "they run as %s and %s", place.own_user, place.victim_user)
            with open(os.path.abspath(walls_attacks.__file__)) as file:
                hosts.write_file(fleet, place.host, PROGRAM, file.read(), 0o755)
            hosts.write_file(fleet, place.host, "/root/plant.py", PLANT)
            place.shell("systemd-run --quiet --collect --unit=reeve-plant --property=StandardOutput=truncate:/root/plant.out /usr/bin/python3 "
                        "/root/plant.py %s %s %s %s/data" % (place.shell("id -u " + place.victim_user), place.facts["address"], place.facts["host"], place.folder))
            wait_until(lambda: "planted" in place.shell("cat /root/plant.out", check=False), "what attacks look for is there", 20)
            nothing_comes_through(suite, place)
            every_attack_is_real(suite, place)
            nothing_comes_through(suite, place)
            place.shell("systemctl stop reeve-plant; rm -f /tmp/{0} /var/tmp/{0} /dev/shm/{0} /dev/mqueue/{0} /run/systemd/system/reeve-walls.service; "
                        "ipcrm -M {1} -S {1}; systemctl daemon-reload".format(NAME, KEY), check=False)
            suite.say("%d attacks" % len(ROWS))
            for name, tenant in tenants.items():
                tenant.delete_cluster(CLUSTERS[name])
                tenant.wait_gone(CLUSTERS[name])
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
