# SPDX-License-Identifier: Apache-2.0
"""Backups, attacked by root of a member's host with that member's key and stock pgBackRest (gate_attacks.py): the gate of a restore that is open for it, the repository
host, the servers of other tenants' members, and a gate whose restore is over.

The gate is that of a restore in place of a cluster of the thief's. Its job is held as soon as the gate is open, so that it stays open for as long as attacks take."""
import socket

import control
import hosts
import network
import rig
from gate_attacks import CONNECTIONS, FILL, MEMBERS, READS, SEATS, WRITES, Attacker
from ground import MARK
from rows import Attack
from state import CLIENT, Problem, wait_until
from tenant import wait_psql

ROOT, READ_ONLY, SILENT, OWN = "a gate has a root of its own", "a gate cannot be written", "a gate connects to nobody", "a gate lets the members of its cluster in"
NEAR, OVER, NOBODY, SEAT = ("a gate answers hosts of its clients", "a gate goes with its restore", "repository hosts serve nobody", "members' backup servers let their seats in")
STOCK_PORT, BACKUP_PORT, RED = 8432, 27018, "/root/red"
HOLD = "UPDATE job SET next_run_at = now() + interval '1 hour', failures = 1, lease_until = NULL WHERE kind = 'cluster.restore' AND payload ->> 'restoreId' = '%s' AND finished_at IS NULL"
LET_GO = "UPDATE job SET next_run_at = now(), failures = 0 WHERE kind = 'cluster.restore' AND payload ->> 'restoreId' = '%s' AND finished_at IS NULL"


class Gate:
    """Open when somebody needs it."""

    def __init__(self, ground):
        self.ground, self.fleet, self.tenant, self.name = ground, ground.fleet, ground.tenants["thief"], "lured-" + MARK
        self.id = self.member = None
        ground.gate = self

    # ---- Two tenants whose backups are on one repository host ----
    def prepare(self):
        if self.member is not None:
            return
        victim, self.repository = self.ground.tenants["victim"], self.fleet.repositories[0]
        self.tenant.create_cluster(self.name, "S2", regions={self.fleet.regions[0]: 1}, backupEnabled=True)
        victim.ask("PATCH", victim.of_project("/clusters/" + self.ground.apart), {"backupEnabled": True})
        self.tenant.wait_idle(self.name)
        victim.wait_idle(self.ground.apart)
        wait_psql(self.fleet, self.tenant.dsn(self.tenant.cluster(self.name), "app", self.tenant.secret), "SELECT 1", 60)
        for name in (self.name, self.ground.apart):
            wait_until(lambda: self.seat_of(name), "the first snapshot of " + name, 180)
        (self.seat, self.stanza, self.label, self.snapshot), (other, self.other_stanza, _, _) = self.seat_of(self.name), self.seat_of(self.ground.apart)
        self.seat, self.other = SEATS + self.seat, SEATS + other
        self.address = self.fleet.host(self.repository)["address"]
        self.member, self.apart = rig.members(self.fleet, self.name)[0], rig.members(self.fleet, self.ground.apart)[0]
        self.near = next(one for one in rig.members(self.fleet, self.ground.names["victim"]) if one.host == self.member.host)

    def seat_of(self, cluster):
        found = control.superuser(self.fleet, "SELECT encode(t.id, 'hex'), s.name, y.label, encode(n.id, 'hex') FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id JOIN snapshot n ON n.stanza_id = s.id "
                                              "JOIN snapshot_copy y ON y.snapshot_id = n.id JOIN cluster c ON c.id = s.cluster_id WHERE c.name = '%s' AND s.state = 'OPEN' AND n.state = 'COMPLETED'" % cluster)
        return found[0] if found else None

    # ---- The restore ----
    def open(self):
        self.prepare()
        if self.id is None:
            body = {"deliveryType": "automated", "snapshotId": self.snapshot, "targetClusterName": self.name}
            self.id = self.tenant.ask("POST", self.path, body)["id"]
            wait_until(self.is_held, "the gate is open, and stays", 90, every=0.3)
            self.port = int(self.row("gate_port"))
        return self

    @property
    def path(self):
        return self.tenant.of_project("/clusters/%s/backup/restoreJobs" % self.name)

    def row(self, column):
        return control.superuser(self.fleet, "SELECT %s FROM restore_job WHERE id = decode('%s', 'hex')" % (column, self.id))[0][0]

    def is_held(self):
        if self.row("gate_state") != "OPEN":
            return False
        control.superuser(self.fleet, HOLD % self.id)
        return control.superuser(self.fleet, "SELECT 1 FROM job WHERE payload ->> 'restoreId' = '%s' AND failures = 1 AND next_run_at > now() + interval '1 minute'" % self.id)

    def close(self):
        """The restore is over: nobody needs the gate any more. Its port is what is left of it."""
        if self.id is None:
            return
        self.tenant.ask("DELETE", self.path + "/" + self.id)
        control.superuser(self.fleet, LET_GO % self.id)
        wait_until(lambda: self.tenant.ask("GET", self.path + "/" + self.id)["state"] not in ("RUNNING", "UNDOING"), "the restore is over", 120)
        self.id = None

    def on_repository(self, command, check=True):
        return hosts.run(self.fleet, self.repository, "sh", "-c", command, check=check, timeout=60)

    def is_listening(self):
        return ":%d " % self.port in self.on_repository("ss -Hltn")

    # ---- Attackers ----
    def attacker(self, host=None, stanza=None, **more):
        self.open()
        return Attacker(self.fleet, host or self.member.host, more.pop("member", MEMBERS + self.member.id), self.address, self.port, stanza or self.stanza, **more)

    def words(self, words):
        return words.format(seat=self.seat, other=self.other, label=self.label, stanza=self.stanza)

    def copy(self, member, to):
        """The files of a member's certificate, where somebody else is root."""
        for name in ("cluster.crt", "cluster.key", "cluster-authority.crt"):
            content = hosts.run(self.fleet, member.host, "cat", MEMBERS + member.id + "/tls/" + name)
            hosts.write_file(self.fleet, to, "%s/%s/tls/%s" % (RED, member.id, name), content, 0o600)
        return "%s/%s" % (RED, member.id)

    def forge(self, host):
        """The member's own name, signed by nobody."""
        hosts.run(self.fleet, host, "sh", "-c", "mkdir -p {0}; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj '/O=reeve-cluster/CN={1}' "
                  "-out {0}/forged.crt -keyout {0}/forged.key 2>/dev/null".format(RED, self.member.name), check=False)
        return RED + "/forged.crt", RED + "/forged.key"

    # ---- What they try ----
    def connects(self, words):
        """Whether somebody who listens elsewhere hears of it."""
        with network.inside(self.fleet, "client"):
            server = socket.create_server((CLIENT["client"], 0))
        with server:
            server.settimeout(0.5)
            self.attacker().asks(words.format(address=CLIENT["client"], port=server.getsockname()[1]))
            try:
                server.accept()[0].close()
                return "it connected"
            except OSError:
                return None

    def changes(self, words):
        return self.attacker().writes(self.words(words))

    def as_neighbour(self):
        """The victim's member on the same host, which the gate would answer."""
        self.open()
        return self.attacker(member=MEMBERS + self.near.id, authority=MEMBERS + self.member.id + "/tls/cluster-authority.crt").reads("repo-ls")

    def from_elsewhere(self):
        host = next(name for name in self.fleet.hosts if name not in (self.member.host, self.repository))
        self.open()
        return self.attacker(host, member=self.copy(self.member, host)).reads("repo-ls")

    def forged(self):
        self.open()
        return self.attacker(certificate=self.forge(self.member.host)).reads("repo-ls")

    def when_it_is_over(self):
        self.open()
        attacker, port = self.attacker(), self.port
        self.close()
        try:
            wait_until(lambda: not self.is_listening(), "the gate is closed", 10)
        except Problem:
            pass
        got = attacker.reads("repo-ls")
        folders = self.on_repository("ls /var/lib/reeve/gates").split()
        return got or (("port %d is open" % port) if self.is_listening() else "what it had: %s" % folders if folders else None)

    def at_host(self, words, port=STOCK_PORT):
        """As pgBackRest's manual has it: a server on the repository host."""
        self.prepare()
        attacker = Attacker(self.fleet, self.member.host, MEMBERS + self.member.id, self.address, port, self.stanza, self.seat + "/push.conf", authority=self.ca())
        return attacker.reads(self.words(words)) if "repo-put" not in words else attacker.writes(self.words(words))

    def ca(self):
        """Whom the attacker would believe to be the repository host: anybody. Made once, on the repository host."""
        self.on_repository("mkdir -p {0}; cd {0}; test -e ca.crt || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN={1} -addext subjectAltName=IP:{1} "
                           "-out ca.crt -keyout ca.key 2>/dev/null".format(RED, self.address))
        hosts.write_file(self.fleet, self.member.host, RED + "/ca.crt", self.on_repository("cat %s/ca.crt" % RED))
        return RED + "/ca.crt"

    def at_member(self, words, thief=None):
        """The server of the victim's member that its own seat reads from."""
        self.prepare()
        folder = MEMBERS + self.apart.id
        authority = self.copy(self.apart, self.member.host) + "/tls/cluster-authority.crt"
        attacker = Attacker(self.fleet, self.member.host, thief or MEMBERS + self.member.id, self.apart.address, BACKUP_PORT, self.other_stanza, folder + "/pgbackrest.conf", authority=authority)
        return attacker.reads(words.format(folder=folder)) if "repo-put" not in words else attacker.writes(words.format(folder=folder))

    def at_member_as_itself(self):
        self.prepare()
        return self.at_member("--repo1-path={folder}/data repo-get --raw PG_VERSION", self.copy(self.apart, self.member.host))


def of_gate(gate):
    for what, words in READS.items():
        yield "read " + what, ROOT, lambda words=words: gate.attacker().reads(gate.words(words))
    yield "ask for another stanza", ROOT, lambda: gate.attacker(stanza=gate.open().other_stanza).reads("repo-ls --recurse")
    for what, words in WRITES.items():
        yield "make " + what, READ_ONLY, lambda words=words: gate.changes(words)
    yield "fill its memory", READ_ONLY, lambda: "done" if gate.attacker().shell(FILL.format(own=gate.attacker().own)).returncode == 0 else None
    for what, words in CONNECTIONS.items():
        yield "have it connect to " + what, SILENT, lambda words=words: gate.connects(words)
    yield "a neighbour's certificate", OWN, gate.as_neighbour
    yield "a forged certificate", OWN, gate.forged
    yield "the right certificate from another host", NEAR, gate.from_elsewhere


HOST_WORDS = {"list the own stanza": "repo-ls backup/{stanza}", "read the passphrase": "--repo1-path={seat} repo-get --raw push.conf", "read any file": "--repo1-path=/ repo-get --raw etc/passwd",
              "write into the own stanza": "repo-put archive/x"}
MEMBER_WORDS = {"read a file of the data": "--repo1-path={folder}/data repo-get --raw PG_VERSION", "read its key": "--repo1-path={folder}/tls repo-get --raw cluster.key",
                "list its folder": "--repo1-path={folder} repo-ls", "write into its folder": "--repo1-path={folder} repo-put x"}


def attacks(ground):
    gate = ground.gate or Gate(ground)
    for name, wall, attempt in of_gate(gate):
        yield Attack("gate, " + name, "certificate", wall, attempt, alone=True)
    for what, words in HOST_WORDS.items():
        yield Attack("repository host, " + what, "certificate", NOBODY, lambda words=words: gate.at_host(words), alone=True)
    for what, words in MEMBER_WORDS.items():
        yield Attack("another's backup server, " + what, "certificate", SEAT, lambda words=words: gate.at_member(words), alone=True)
    yield Attack("another's backup server, with that member's own certificate", "certificate", SEAT, gate.at_member_as_itself, alone=True)
    yield Attack("gate, when its restore is over", "certificate", OVER, gate.when_it_is_over, alone=True)
