# SPDX-License-Identifier: Apache-2.0
"""Walls around backups. They are taken down on the running fleet: lines of a gate's unit, its files, rules and servers of the repository host."""
import contextlib
import time

import hosts
import of_gate
import rig
from gate_attacks import MEMBERS
from state import wait_until
from walls import Wall

GATES = "/var/lib/reeve/gates/"


# ---- Lines of its unit ----
def restart(gate):
    """The agent opens it again, and shows it its key while it starts."""
    gate.on_repository("systemctl daemon-reload; systemctl stop reeve-gate-%s" % gate.id)
    wait_until(lambda: gate.is_listening() and not gate.on_repository("ls %s%s/gate | grep key || true" % (GATES, gate.id)).strip(), "the gate is open again", 60)


def with_lines(text):
    def take_down(ground):
        gate = ground.gate.open()
        folder = "/etc/systemd/system/reeve-gate-%s.service.d" % gate.id  # not /run, which the host has for itself
        lines = "[Service]\n" + text.format(folder=GATES + gate.id, seat=gate.seat)
        hosts.write_file(ground.fleet, gate.repository, folder + "/red.conf", lines)
        gate.on_repository("mkdir -p /gate /last /repo")  # where its files are when it has no root of its own
        restart(gate)
        try:
            yield
        finally:
            gate.on_repository("rm -r %s; rmdir /gate /last /repo" % folder)
            restart(gate)
            gate.on_repository("rm -f %s/repo/archive/x" % gate.seat)
    return take_down


NO_ROOT = "RootDirectory=\nInaccessiblePaths=\nProtectSystem=no\n"
WRITABLE = ("BindReadOnlyPaths=\nBindReadOnlyPaths=/usr /lib -/lib64 {folder}/gate:/gate {folder}/last:/last\nBindPaths={seat}/repo:/repo\nReadWritePaths=-+/repo\n")
CONNECTING = "SystemCallFilter=\nSystemCallFilter=@system-service\n"


# ---- Files, while the agent that would put them right sleeps ----
@contextlib.contextmanager
def asleep(ground, host):
    hosts.run(ground.fleet, host, "systemctl", "stop", "reeve-agent")
    try:
        yield
    finally:
        hosts.run(ground.fleet, host, "systemctl", "start", "reeve-agent")


def let_neighbour_in(ground):
    gate = ground.gate.open()
    folder = GATES + gate.id
    authority = hosts.run(ground.fleet, gate.near.host, "cat", MEMBERS + gate.near.id + "/tls/cluster-authority.crt")
    hosts.write_file(ground.fleet, gate.repository, "/root/red/neighbour.crt", authority)
    with asleep(ground, gate.repository):
        gate.on_repository("cat /root/red/neighbour.crt >> {0}/gate/authority.crt; sed -i '/^tls-server-auth=/{{p;s/=[^=]*=/={1}=/}}' {0}/gate/pgbackrest.conf; install -m 640 -g $(stat -c %g {0}/gate) {0}/key/gate.key "
                           "{0}/gate/gate.key; systemctl restart reeve-gate-{2}; sleep 2; rm {0}/gate/gate.key".format(folder, gate.near.name, gate.id))
        yield
    restart(gate)


def no_rules_of_gates(ground):
    gate = ground.gate.open()
    with asleep(ground, gate.repository):
        gate.on_repository("nft delete table inet reeve")
        yield
    wait_until(lambda: "gates4" in gate.on_repository("nft list table inet reeve", check=False), "rules are there again", 60)
    time.sleep(3)


def nobody_closes(ground):
    gate = ground.gate.open()
    with asleep(ground, gate.repository):
        yield
    wait_until(lambda: not gate.on_repository("ls /var/lib/reeve/gates").strip(), "the gate is gone", 60)


# ---- Servers ----
STOCK = """[global]
tls-server-address=*
tls-server-port={port}
tls-server-ca-file=/root/red/authority.crt
tls-server-cert-file=/root/red/ca.crt
tls-server-key-file=/root/red/ca.key
tls-server-auth={name}=*
log-level-file=off
"""


def as_the_manual_has_it(ground):
    gate = ground.gate
    gate.prepare()
    gate.ca()
    hosts.write_file(ground.fleet, gate.repository, "/root/red/authority.crt", hosts.run(ground.fleet, gate.member.host, "cat", MEMBERS + gate.member.id + "/tls/cluster-authority.crt"))
    hosts.write_file(ground.fleet, gate.repository, "/root/red/stock.conf", STOCK.format(port=of_gate.STOCK_PORT, name=gate.member.name))
    gate.on_repository("chmod 600 /root/red/ca.key; systemd-run --quiet --collect --unit=reeve-stock pgbackrest --config=/root/red/stock.conf server; sleep 2")
    try:
        yield
    finally:
        gate.on_repository("systemctl stop reeve-stock; rm -f %s/repo/archive/x" % gate.seat)


def let_thief_read(ground):
    gate = ground.gate
    gate.prepare()
    member, host = gate.apart, gate.apart.host
    folder, unit = MEMBERS + member.id, "reeve-member-%s-backup" % member.id
    hosts.write_file(ground.fleet, host, "/root/red/thief.crt", hosts.run(ground.fleet, gate.member.host, "cat", MEMBERS + gate.member.id + "/tls/cluster-authority.crt"))
    shell = lambda command: hosts.run(ground.fleet, host, "sh", "-c", command, timeout=60)  # noqa: E731
    with asleep(ground, host):
        shell("cd {0}; cp -p pgbackrest.conf /root/red/conf; cp -p tls/cluster-authority.crt /root/red/ca; cat /root/red/thief.crt >> tls/cluster-authority.crt; "
              "sed -i '0,/^tls-server-auth=/s//tls-server-auth={1}=*\\n&/' pgbackrest.conf; systemctl restart {2}; sleep 2".format(folder, gate.member.name, unit))
        try:
            yield
        finally:
            shell("cd {0}; cp -p /root/red/conf pgbackrest.conf; cp -p /root/red/ca tls/cluster-authority.crt; systemctl restart {1}; rm -f x; sleep 1".format(folder, unit))
    rig.wait_full_strength(ground.fleet, ground.apart, 1, 60)


WALLS = [
    Wall(of_gate.ROOT, "the gate's unit without RootDirectory, InaccessiblePaths and ProtectSystem", with_lines(NO_ROOT), ("gate, read the passwd of the host", "gate, read settings of the host")),
    Wall(of_gate.READ_ONLY, "the gate's unit with BindPaths for the repository", with_lines(WRITABLE), ("gate, make a file among the WAL",)),
    Wall(of_gate.SILENT, "the gate's unit without `SystemCallFilter=~connect`", with_lines(CONNECTING)),
    Wall(of_gate.OWN, "the neighbour's authority and name among those that the gate lets in", let_neighbour_in, ("gate, a neighbour's certificate",)),
    Wall(of_gate.NEAR, "nft delete table inet reeve on the repository host", no_rules_of_gates),
    Wall(of_gate.OVER, "the agent that closes gates sleeps", nobody_closes),
    Wall(of_gate.NOBODY, "a server of stock pgBackRest on the repository host that lets the member in", as_the_manual_has_it),
    Wall(of_gate.SEAT, "the thief's authority and name among those that a member's server lets in", let_thief_read, ("read a file of the data", "list its folder")),
]
