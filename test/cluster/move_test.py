#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Members of an older agent run as one system user. When agents are upgraded, each moves to a user of its own by itself (S2): one member of a cluster
after the other, the primary last and after it has handed over, while a client writes. Nothing acknowledged is lost.

    test/cluster/move_test.py --old AGENT       the program of the older agent (REEVE_OLD_AGENT)

All agents are upgraded at the same moment. One of them is killed with the new unit written and the member not yet restarted; another host loses its power
there, and comes back without an agent.
"""
import argparse
import os
import shutil
import sys
import time

import rig
from ledger import TABLES, Writer, lost
from tenant import Tenant, client_address, wait_psql

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "moving"
OLD = "/opt/reeve-agent.old"
DROP_IN = "/etc/systemd/system/reeve-agent.service.d/test.conf"
MOVED_S = 240


def run_agent(fleet, host, settings=""):
    """The agent of the build with these lines in its unit; without any, as it is."""
    command = "systemctl daemon-reload && systemctl restart reeve-agent"
    if settings:
        hosts.write_file(fleet, host, DROP_IN, "[Service]\n" + settings)
    else:
        command = "rm -f %s && %s" % (DROP_IN, command)
    hosts.run(fleet, host, "sh", "-c", command)


def unit(fleet, member, name):
    return hosts.run(fleet, member.host, "systemctl", "show", "--property", name, "--value", "reeve-member-" + member.id, timeout=20).strip()


def runs_as(fleet, member):
    """The user of the process itself: a unit may say something else until it is started again."""
    pid = unit(fleet, member, "MainPID")
    return hosts.run(fleet, member.host, "sh", "-c", "stat --format %%U /proc/%s 2>/dev/null || true" % pid, timeout=20).strip() if pid != "0" else ""


def moved(fleet):
    return [member.name for member in rig.members(fleet, CLUSTER) if runs_as(fleet, member).startswith("reeve-")]


def wait_killed(fleet, member):
    """By its failpoint: systemd has started the agent again, and it dies in the same place."""
    wait_until(lambda: int(hosts.run(fleet, member.host, "systemctl", "show", "-P", "NRestarts", "reeve-agent").strip() or 0) > 0,
               "the agent of %s is killed while it moves a member" % member.host, MOVED_S)


def crash_places(suite, fleet, first, second):
    """The first to move: its agent is killed between the unit and the restart. The second: its host loses its power there."""
    wait_killed(fleet, first)
    suite.equal(unit(fleet, first, "User")[:6], "reeve-", "the user that the unit says by then")
    run_agent(fleet, first.host)
    wait_until(lambda: runs_as(fleet, first).startswith("reeve-"), "the first moves", MOVED_S)
    wait_killed(fleet, second)
    hosts.run(fleet, second.host, "systemctl", "disable", "--now", "reeve-agent")
    hosts.kill(fleet, second.host)
    hosts.start(fleet, second.host)
    wait_until(lambda: hosts.state(fleet, second.host) in ("running", "degraded"), "the host boots", 60)
    wait_until(lambda: runs_as(fleet, second).startswith("reeve-"), "systemd starts it as its own user, without an agent", 60)
    hosts.run(fleet, second.host, "sh", "-c", "rm -f %s; systemctl daemon-reload; systemctl enable --now reeve-agent" % DROP_IN)


def check_files(suite, fleet):
    for member in rig.members(fleet, CLUSTER):
        folder, user = "/var/lib/reeve/members/" + member.id, runs_as(fleet, member)
        odd = hosts.run(fleet, member.host, "sh", "-c", "find %s/data ! -user %s; find %s -maxdepth 2 -path '*/data' -prune -o -path '*/run/*' -prune -o "
                        "-type f ! -user root -print; find %s -user postgres" % (folder, user, folder, folder)).split()
        suite.equal(odd, [], "files of %s with another owner" % member.name)
    users = {(member.host, runs_as(fleet, member)) for member in rig.members(fleet, CLUSTER)}
    suite.equal(len(users), 3, "users of members")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--old", default=os.environ.get("REEVE_OLD_AGENT"))
    arguments = parser.parse_args()
    suite = Suite("members move to users of their own")
    if not arguments.old:
        parser.error("--old is missing: the agent of an earlier version")
    try:
        with rig.fleet_for(3) as fleet:
            for host in fleet.hosts:
                os.makedirs(hosts.folder(fleet, host, "root", "opt"), exist_ok=True)
                shutil.copy(arguments.old, hosts.folder(fleet, host, "root") + OLD)
                run_agent(fleet, host, "ExecStart=\nExecStart=%s run\n" % OLD)
            tenant = Tenant(fleet)
            tenant.create_project()
            password = tenant.create_user("app")
            tenant.allow(client_address())
            tenant.create_cluster(CLUSTER)
            dsn = tenant.dsn(tenant.wait_idle(CLUSTER, 180), "app", password)
            wait_psql(fleet, dsn, TABLES, 30)
            rig.wait_full_strength(fleet, CLUSTER, 3, 90)
            members = rig.members(fleet, CLUSTER)
            suite.equal([runs_as(fleet, member) for member in members], ["postgres"] * 3, "users of members that the older agent made")
            writer, began = Writer(fleet, dsn), time.time()
            primary = rig.primary_of(fleet, CLUSTER)
            first, second = sorted((member for member in members if member.name != primary.name), key=lambda member: member.name)
            order = []
            for member in (first, second):
                run_agent(fleet, member.host, "Environment=REEVE_FAILPOINTS=agent:member:move:restart=kill\n")
            run_agent(fleet, primary.host)
            crash_places(suite, fleet, first, second)
            wait_until(lambda: len(moved(fleet)) == 3, "every member runs as its own user", MOVED_S, every=1)
            rig.wait_full_strength(fleet, CLUSTER, 3, 120)
            order = sorted(members, key=lambda member: hosts.run(
                fleet, member.host, "stat", "--format", "%Y", "/etc/systemd/system/reeve-member-%s.service" % member.id))
            suite.equal([member.name for member in order], [first.name, second.name, primary.name], "the order in which they moved")
            suite.check(rig.primary_of(fleet, CLUSTER).name != primary.name, "the primary handed over before it moved")
            time.sleep(2)
            writer.stop()
            rows = [int(row[0]) for row in rig.superuser(fleet, rig.primary_of(fleet, CLUSTER), "SELECT number FROM ledger", "shop")]
            suite.equal(lost(writer, rows), [], "acknowledged writes that are lost")
            suite.say("%d acknowledged writes, the longest pause %.1f s" % (len(writer.acknowledged()), writer.longest_pause(began, time.time() - 2)))
            check_files(suite, fleet)
            tenant.delete_cluster(CLUSTER)
            tenant.wait_gone(CLUSTER)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
