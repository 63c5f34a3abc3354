#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A fleet of the version before the walls is upgraded while its clusters work (S2, S3): members of two tenants run as one system user, show certificates of
the fleet for everything, and agree in an etcd without users. Control plane, agents and etcd are upgraded as docs/how-to/upgrade.md says, from
packages, and a client writes into each cluster all the time. At the end every member has a system user, certificates and a user of etcd of its
own, nothing acknowledged is lost, and what was stolen before opens nothing any more. An agent is killed in the middle.

    test/cluster/fleet_upgrade_test.py [--old FOLDER] [--new FOLDER] [--report FILE]       packages of a FOLDER are not built
    test/cluster/fleet_upgrade_test.py --etcd-first       etcd's users are asked for before agents are upgraded: one restart for everything
"""
import argparse
import contextlib
import datetime
import os
import shutil
import sys
import tempfile
import time

import rig
import walls_attacks
from etcd_attacks import Thief, attempt, b64, etcd_address, no_answer, rows
from ledger import TABLES, Writer, lost
from move_test import run_agent, runs_as, wait_killed
from tenant import Tenant, client_address, wait_psql
from walls_test import PROGRAM, Place

import agents  # noqa: E402  (found by rig)
import control  # noqa: E402
import control_node  # noqa: E402
import hosts  # noqa: E402
import packages  # noqa: E402
import process  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

# The last version before members had walls, with migrations up to 0026.
BEFORE = "f1e0887"
BEFORE_VERSION = "0.0.9"
CLUSTERS = {"thief": "upgrade-a", "victim": "upgrade-b"}
MEMBERS = 3
MOVED_S = 420  # both clusters, a restart of each member and two hand-overs, on a machine that is busy
SETTLED_S = 120
# Strings of that version leave to the client when it takes a silent server for gone.
PATIENCE = {"connect_timeout": "2", "tcp_user_timeout": "3000", "keepalives_idle": "2", "keepalives_interval": "1", "keepalives_count": "2"}


class Phases:
    """What happened between which moments."""

    def __init__(self, suite):
        self.suite, self.rows = suite, []

    @contextlib.contextmanager
    def phase(self, name):
        began = time.time()
        yield
        self.rows.append((name, began, time.time()))
        self.suite.say("%s: %.0f s" % (name, time.time() - began))


# ---- Tenants, and what is stolen from one ----
def make_tenant(fleet, name):
    tenant = Tenant(fleet)
    tenant.create_project()
    password = tenant.create_user("app")
    tenant.allow(client_address())
    tenant.create_cluster(CLUSTERS[name])
    tenant.secret = password
    return tenant


def start_writer(fleet, tenant, name):
    dsn = tenant.dsn(tenant.wait_idle(CLUSTERS[name], 240), "app", tenant.secret, **PATIENCE)
    wait_psql(fleet, dsn, TABLES, 60)
    rig.wait_full_strength(fleet, CLUSTERS[name], MEMBERS, 120)
    return Writer(fleet, dsn, name)


def both_on_one_host(fleet):
    """A member of the thief's that is a primary, who may start programs, and the victim's member beside it."""
    attacker = rig.primary_of(fleet, CLUSTERS["thief"])
    return attacker, next(one for one in rig.members(fleet, CLUSTERS["victim"]) if one.host == attacker.host)


def reaches_files(fleet):
    """What walls_attacks.py gets hold of from inside of the attacker's PostgreSQL: of the victim's data and memory."""
    attacker, victim = both_on_one_host(fleet)
    with open(os.path.abspath(walls_attacks.__file__), encoding="utf-8") as file:
        hosts.write_file(fleet, attacker.host, PROGRAM, file.read(), 0o755)
    names = ("data by path", "data by proc", "key of victim", "signals", "memory", "socket of victim")
    wanted = [row for row in walls_attacks.ROWS if row.name in names]
    return {name for name, got in Place(fleet, attacker, victim).from_postgres(wanted).items() if got}


def stolen_opens(old, victim, scope):
    """What a member's certificate from before is good for: the other cluster's Patroni, and its keys."""
    tries = {"Patroni": no_answer(old.ask, victim.address, 8008, "member", "GET", "/config"),
             "etcd": attempt(old.ask, *etcd_address(), "member", "POST", "/v3/kv/put",
                             '{"key":"%s","value":"eA=="}' % b64("/reeve/%s/stolen" % scope))}
    return {place for place, got in tries.items() if got}


# ---- The upgrade, as docs/how-to/upgrade.md tells it ----
def install(fleet, machine, package, path):
    shutil.copyfile(package, hosts.folder(fleet, machine, "root") + path)
    hosts.run(fleet, machine, "apt-get", "install", "--yes", "--option", "Dpkg::Options::=--force-confold", path, timeout=300)


def upgrade_control_plane(suite, fleet, new):
    """Both nodes are on one machine here: one package, and then one node after the other. The second is of the old version until its turn."""
    install(fleet, control_node.NAME, packages.find(new, "reeve-server"), control_node.PACKAGE)
    said = hosts.run(fleet, control_node.NAME, "reeved", "migrate", "--config", control.conf(fleet), timeout=120)
    suite.say(said.strip())
    fleet.record.update({"packages": new, "build": fleet.path("programs-new")})
    packages.take_programs(new, fleet.build)
    fleet.save()
    for number in ("1", "2"):
        for kind in ("api", "worker"):
            name = kind + number
            control.write_unit(fleet, name)
            hosts.run(fleet, control_node.NAME, "systemctl", "daemon-reload")
            process.stop(fleet, name, seconds=60)
            process.again(fleet, name)
        control.wait_reeve(fleet)


def upgrade_agents(fleet, new):
    for host in fleet.hosts:
        install(fleet, host, packages.find(new, "reeve-agent"), agents.PACKAGE)
        hosts.run(fleet, host, "reeve-agent", "status", check=False)


def all_members(fleet):
    return [member for name in CLUSTERS.values() for member in rig.members(fleet, name)]


def wait_all_well(fleet):
    for name in CLUSTERS.values():
        rig.wait_full_strength(fleet, name, MEMBERS, SETTLED_S)


def wait_certificates(fleet):
    def closed():
        rows = control.superuser(fleet, """
            SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id JOIN cluster_walls w ON w.cluster_id = m.cluster_id
            WHERE w.phase = 'CLOSED' AND h.facts -> 'walls' ? (encode(m.id, 'hex') || '=CLOSED')""")
        return int(rows[0][0]) == MEMBERS * len(CLUSTERS)
    wait_until(closed, "every member shows and believes its cluster's certificates only", MOVED_S, every=0.5)


def secure_etcd(suite, fleet):
    """One agent is killed when it is about to start a member with its user: nobody may take that for done, and lock the member out."""
    leader = rig.primary_of(fleet, CLUSTERS["victim"]).name
    first = min((member for member in rig.members(fleet, CLUSTERS["victim"]) if member.name != leader), key=lambda member: member.name)
    run_agent(fleet, first.host, "Environment=REEVE_FAILPOINTS=agent:member:move:restart=kill\n")
    control.reeved(fleet, "fleet", "etcd", "secure", "default")
    wait_killed(fleet, first)
    said = control.superuser(fleet, "SELECT facts -> 'walls' FROM host WHERE name = '%s'" % first.host)
    suite.check(first.id + "+ETCD" not in said[0][0], "a member that was not started with its user yet is said to be: %s", said)
    suite.check(not control.is_etcd_locked(fleet, "default"), "etcd is locked while a member has no user")
    run_agent(fleet, first.host)
    control.wait_etcd_locked(fleet, seconds=MOVED_S)


# ---- What is true at the end ----
def check_members(suite, fleet):
    found = {(member.host, runs_as(fleet, member)) for member in all_members(fleet)}
    suite.equal(len(found), MEMBERS * len(CLUSTERS), "system users of members: %s" % sorted(found))
    suite.check(all(user.startswith("reeve-") for _, user in found), "users are members' own: %s", found)
    authorities = set()
    for member in all_members(fleet):
        folder = "/var/lib/reeve/members/" + member.id
        authorities.add(hosts.run(fleet, member.host, "cat", folder + "/tls/cluster-authority.crt"))
        for purpose, authority, subject in (("cluster", "cluster-authority", "O = reeve-cluster"), ("etcd", "authority", "O = reeve-etcd"),
                                            ("member", "authority", "O = reeve-member")):
            got = hosts.run(fleet, member.host, "sh", "-c", "cd %s/tls && openssl verify -CAfile %s.crt %s.crt && openssl x509 -in %s.crt -noout -subject" % (
                folder, authority, purpose, purpose), check=False)
            suite.check("OK" in got and subject.replace(" ", "") in got.replace(" ", ""), "certificate %s of %s: %s", purpose, member.name, got)
    suite.equal(len(authorities), len(CLUSTERS), "authorities of clusters")


def check_walls(suite, fleet, old, folder):
    suite.equal(reaches_files(fleet), set(), "what a program in one tenant's member reaches of the other's")
    attacker, victim = both_on_one_host(fleet)
    thief, other = Thief(fleet, attacker, folder + "/thief"), Thief(fleet, victim, folder + "/victim")
    suite.equal(stolen_opens(old, victim, other.scope), set(), "what a certificate that was stolen before opens")
    suite.check(thief.log_in() is not None, "a member's own user of etcd works")
    thief.certificates["stolen before"] = old.certificates["member"]
    tried, through = 0, []
    for name, attack in rows(fleet, thief, other):
        if "stolen before" in name or "logged in" in name:
            tried += 1
            got = attack()
            if got is not None:
                through.append("%s: %s" % (name, got))
    suite.check(not through, "of %d attacks came through: %s", tried, through)
    suite.say("%d attacks with what was stolen before, and as another cluster's user of etcd: %d through" % (tried, len(through)))


def figures(suite, fleet, writers, phases):
    """Rows of the report: a phase, and for each cluster how much was written and the longest gap."""
    table = []
    for name, began, ended in phases.rows:
        table.append((name, ended - began, [(sum(began <= row[3] <= ended for row in writer.acknowledged()), writer.longest_pause(began, ended))
                                            for writer in writers.values()]))
    for name, took, cells in table:
        suite.say("%-40s %4.0f s  %s" % (name, took, "  ".join("%6d writes, longest gap %4.1f s" % cell for cell in cells)))
    acknowledged = 0
    for name, writer in writers.items():
        there = [int(row[0]) for row in rig.superuser(fleet, rig.primary_of(fleet, CLUSTERS[name]), "SELECT number FROM ledger", "shop")]
        suite.equal(lost(writer, there), [], "acknowledged writes of %s that are lost" % name)
        acknowledged += len(writer.acknowledged())
    suite.say("%d acknowledged writes, 0 lost" % acknowledged if not suite.failures else "%d acknowledged writes" % acknowledged)
    return table, acknowledged


def write_report(path, table, acknowledged, schema):
    lines = [
        "Written by `make fleet-upgrade` on %s; %s. Three hosts with one member of each of two tenants' clusters, two control nodes, three etcd" % (
            datetime.date.today().isoformat(), rig.machine()),
        "of the hosts' Debian. The version before is commit %s, from its packages: members share a system user and the fleet's certificates, etcd has no users." % BEFORE,
        "It is upgraded as [Upgrade](../how-to/upgrade.md) says; a client writes into each cluster every 10 ms, and waits for each answer.", "",
        "| step | took | %s |" % " | ".join("cluster %d: writes, longest gap" % (number + 1) for number in range(len(CLUSTERS))),
        "|---|---|%s" % ("---|" * len(CLUSTERS))]
    lines += ["| %s | %.0f s | %s |" % (name, took, " | ".join("%d, %.1f s" % cell for cell in cells)) for name, took, cells in table]
    lines += ["", "**%d acknowledged writes, 0 lost.** The schema went from %d to %d. Afterwards every member runs as a system user of its own, shows certificates" % (
        acknowledged, *schema),
        "of its cluster's own authority, and is a user of etcd that sees its cluster's keys only; a member's certificate that was copied before the upgrade opened the other",
        "cluster's Patroni and keys then, and opens neither now."]
    rig.write_report(path, "A fleet is upgraded under its clusters", lines)


def schema_of(fleet):
    return int(control.superuser(fleet, "SELECT max(version) FROM schema_migration")[0][0])


def starts_of(fleet, member):
    return int(hosts.run(fleet, member.host, "sh", "-c", "journalctl --no-pager -o cat -u reeve-member-%s | grep -c '^Started '" % member.id).strip())


def move_over(suite, fleet, new, phases, etcd_first):
    if etcd_first:
        control.reeved(fleet, "fleet", "etcd", "secure", "default")
    with phases.phase("agents; members move to their own users"):
        upgrade_agents(fleet, new)
        wait_until(lambda: all(runs_as(fleet, member).startswith("reeve-") for member in all_members(fleet)), "members have users", MOVED_S, every=1)
        wait_all_well(fleet)
    with phases.phase("certificates of each cluster's own, what is left of it"):
        wait_certificates(fleet)
        wait_all_well(fleet)
    with phases.phase("reeved fleet etcd secure default"):
        if etcd_first:
            control.wait_etcd_locked(fleet, seconds=MOVED_S)
        else:
            secure_etcd(suite, fleet)
        wait_all_well(fleet)
    if etcd_first:
        suite.equal({starts_of(fleet, member) for member in all_members(fleet)}, {2}, "how often members were started, the first time among them")


def run(suite, fleet, new, folder, options):
    tenants = {name: make_tenant(fleet, name) for name in CLUSTERS}
    writers = {name: start_writer(fleet, tenant, name) for name, tenant in tenants.items()}
    phases, schema = Phases(suite), schema_of(fleet)
    attacker, victim = both_on_one_host(fleet)
    old = Thief(fleet, attacker, folder + "/before", ("member",))
    scope = victim.name.split("-shard-")[0]
    suite.equal(stolen_opens(old, victim, scope), {"Patroni", "etcd"}, "what a stolen certificate opens in the version before")
    suite.check("data by proc" in reaches_files(fleet), "in the version before a program in one tenant's member reaches the other's data")
    control.etcdctl(fleet, "etcd1", "del", "/reeve/%s/stolen" % scope)
    with phases.phase("nothing, for comparison"):
        time.sleep(20)
    with phases.phase("control plane: package, schema, nodes in turn"):
        upgrade_control_plane(suite, fleet, new)
        time.sleep(10)
    suite.equal({runs_as(fleet, member) for member in all_members(fleet)}, {"postgres"}, "users while agents are of the version before")
    wait_all_well(fleet)
    move_over(suite, fleet, new, phases, options.etcd_first)
    with phases.phase("after it, with users"):
        time.sleep(45)  # longer than a lease lives: whoever was locked out has lost its cluster
        wait_all_well(fleet)
    for writer in writers.values():
        writer.stop()
    table, acknowledged = figures(suite, fleet, writers, phases)
    check_members(suite, fleet)
    check_walls(suite, fleet, old, folder)
    for name, tenant in tenants.items():
        tenant.delete_cluster(CLUSTERS[name])
        tenant.wait_gone(CLUSTERS[name])
    suite.equal(rig.left_behind(fleet), [], "what is left behind of clusters from before")
    if not suite.failures:
        write_report(options.report, table, acknowledged, (schema, schema_of(fleet)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--old", help="packages of the version before")
    parser.add_argument("--new", help="packages of this tree")
    parser.add_argument("--etcd-first", action="store_true")
    parser.add_argument("--report")
    arguments = parser.parse_args()
    suite = Suite("fleet upgrade")
    try:
        with tempfile.TemporaryDirectory() as folder:
            old = arguments.old or packages.build(folder + "/old", "--commit", BEFORE, "--version", BEFORE_VERSION)
            new = os.path.abspath(arguments.new or packages.build(folder + "/new"))
            os.environ["REEVE_PACKAGES"] = os.path.abspath(old)
            with rig.fleet_for(3) as fleet:
                run(suite, fleet, new, folder, arguments)
                if suite.failures:
                    rig.keep_logs(fleet)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
