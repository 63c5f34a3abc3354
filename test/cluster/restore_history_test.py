#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds around everything that breaks a history, restored exactly: a failover, one while nobody receives WAL, a member that was built anew and became
the primary, a receiver that had more than the new primary, and a restore in place; and a segment that is gone, which is said. Needs root.

The client's rows are what is judged by, as in restore_test.py: all that were acknowledged before the second, and none that was begun after it."""
import argparse
import contextlib
import sys
import time

import rig
from ledger import TABLES
from restore_scene import CLUSTER, COPY, Scene, copy_at, writing
from tenant import wait_psql

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

UNITS = "systemctl list-units --plain --no-legend 'reeve-wal-*' | cut -d' ' -f1"


@contextlib.contextmanager
def nobody_receives(fleet):
    """The repository host's agent and its receivers are off meanwhile."""
    hosts.run(fleet, fleet.repositories[0], "sh", "-c", "systemctl stop reeve-agent $(%s)" % UNITS, timeout=60)
    yield
    hosts.run(fleet, fleet.repositories[0], "systemctl", "start", "reeve-agent")


def a_second(writer):
    """One in the middle of acknowledged rows."""
    began = time.time()
    writer.wait_write_after(began, 60)
    time.sleep(2)
    moment = int(time.time())
    writer.wait_write_after(moment + 1.5, 60)
    return moment


def lose_primary(scene, writer):
    """Power-off of its host, until the client can write again. Returns the host, which is still off."""
    host, died = rig.primary_of(scene.fleet, CLUSTER).host, time.time()
    hosts.kill(scene.fleet, host)
    writer.wait_write_after(died + 0.5, 120)
    return host


def leader(fleet):
    """Its identifier; None while nobody leads."""
    with contextlib.suppress(Problem):
        return rig.primary_of(fleet, CLUSTER).id
    return None


def power_on(scene, host):
    hosts.start(scene.fleet, host)
    hosts.wait_booted(scene.fleet, host)
    rig.wait_full_strength(scene.fleet, CLUSTER, 3, 180)


def judge(suite, scene, writer, moments):
    for what, moment in moments.items():
        scene.wait_window(moment)
        copy_at(suite, scene, writer, moment, what)
    spans = scene.ask("GET", "/backup/window")["seats"][0]["spans"]
    suite.equal(len(spans), 1, "no gap: %s" % spans)


def a_failover(suite, scene):
    with writing(scene) as writer:
        moments = {"before a failover": a_second(writer)}
        host = lose_primary(scene, writer)
        moments["after a failover"] = a_second(writer)
    power_on(scene, host)
    judge(suite, scene, writer, moments)


def a_failover_while_nobody_receives(suite, scene):
    with writing(scene) as writer:
        with nobody_receives(scene.fleet):
            moments = {"nobody receives, before the failover": a_second(writer)}
            host = lose_primary(scene, writer)
            moments["nobody receives, after the failover"] = a_second(writer)
    power_on(scene, host)
    judge(suite, scene, writer, moments)


def a_member_that_was_built_anew_leads(suite, scene):
    """It has no WAL from before, and nobody received that: another member has it."""
    fleet = scene.fleet
    with writing(scene) as writer:
        with nobody_receives(fleet):
            moments = {"nobody receives, before a member is built anew": a_second(writer)}
            primary = rig.primary_of(fleet, CLUSTER)
            rebuilt, other = [member for member in rig.members(fleet, CLUSTER) if member.id != primary.id]
            unit = "reeve-member-%s.service"
            hosts.run(fleet, rebuilt.host, "sh", "-c", "systemctl stop reeve-agent %s && rm -rf /var/lib/reeve/members/%s/data && systemctl start reeve-agent" % (
                unit % rebuilt.id, rebuilt.id), timeout=120)
            rig.wait_full_strength(fleet, CLUSTER, 3, 120)
            rig.superuser(fleet, primary, "SELECT pg_switch_wal()")
            hosts.run(fleet, other.host, "systemctl", "stop", "reeve-agent", unit % other.id, timeout=120)
            wait_until(lambda: any(member.id == rebuilt.id and member.role == "SYNC_STANDBY" for member in rig.members(fleet, CLUSTER)),
                       "the one that was built anew is the synchronous one", 90)
            host = lose_primary(scene, writer)
            suite.equal(rig.primary_of(fleet, CLUSTER).id, rebuilt.id, "who leads")
            moments["the one that was built anew leads"] = a_second(writer)
            hosts.run(fleet, other.host, "systemctl", "start", "reeve-agent")
    power_on(scene, host)
    judge(suite, scene, writer, moments)


def a_receiver_that_was_ahead(suite, scene):
    """Replicas hear nothing from the primary any more, the receiver does; then the primary's host loses its power."""
    fleet = scene.fleet
    with writing(scene) as writer:
        moments = {"before the receiver is ahead": a_second(writer)}
        primary = rig.primary_of(fleet, CLUSTER)
        others = [member for member in rig.members(fleet, CLUSTER) if member.id != primary.id]
        trap = "nft add table inet trap && nft add chain inet trap in '{ type filter hook input priority -10; }' && nft add rule inet trap in ip saddr %s tcp sport 5432 drop"
        address = rig.control.superuser(fleet, "SELECT host(address) FROM host_address WHERE member_id = decode('%s', 'hex')" % primary.id)[0][0]
        for member in others:
            hosts.run(fleet, member.host, "sh", "-c", trap % address)
        rig.superuser(fleet, primary, "SET synchronous_commit = local; CREATE TABLE nobody_has_this AS SELECT generate_series(1, 100000)", "postgres")
        time.sleep(1)  # the receiver gets it
        died = time.time()
        hosts.kill(fleet, primary.host)
        wait_until(lambda: leader(fleet) not in (None, primary.id), "a replica leads", 90)
        for member in others:
            hosts.run(fleet, member.host, "nft", "delete", "table", "inet", "trap")
        writer.wait_write_after(died, 60)
        moments["after the receiver was ahead"] = a_second(writer)
    power_on(scene, primary.host)
    judge(suite, scene, writer, moments)


def a_restore_in_place(suite, scene):
    """What was done after the second is not lost: the history from before stays."""
    with writing(scene) as writer:
        first = a_second(writer)
        second = a_second(writer)
    scene.wait_window(second)
    done = scene.restore(CLUSTER, pointInTimeUTCSeconds=first)
    suite.equal(done["state"], "DONE", "a restore in place: %s" % done)
    rig.wait_full_strength(scene.fleet, CLUSTER, 3, 180)
    copy_at(suite, scene, writer, second, "of the history before a restore in place")


def wal_that_is_gone(suite, scene):
    """PostgreSQL would take the place where a segment is missing for the end, and be content."""
    scene.wait_first_snapshot()
    with writing(scene) as writer:
        primary = rig.primary_of(scene.fleet, CLUSTER)
        for _ in range(4):
            a_second(writer)
            rig.superuser(scene.fleet, primary, "SELECT pg_switch_wal()")
        scene.wait_window(a_second(writer))
    hosts.run(scene.fleet, scene.fleet.repositories[0], "sh", "-c",
              "rm -v $(find /var/lib/reeve -path '*/archive/*' -type f -name '0*-*' -printf '%f %p\\n' | sort | tail -2 | head -1 | cut -d' ' -f2)")
    scene.create(COPY, 1, False)
    done = scene.restore(COPY, latest=True)
    suite.equal((done["state"], done["failed"]), ("FAILED", True), "the latest, behind a segment that is gone: %s" % done)
    said = scene.sql("SELECT problem FROM restore_job ORDER BY created_at DESC LIMIT 1")[0][0]
    suite.check("write-ahead log is damaged" in said, "what is said of it: %s", said)
    scene.tenant.delete_cluster(COPY)
    scene.tenant.wait_gone(COPY)


PARTS = {part.__name__: part for part in (a_failover, a_failover_while_nobody_receives, a_member_that_was_built_anew_leads, a_receiver_that_was_ahead,
                                          a_restore_in_place, wal_that_is_gone)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="default: all of " + ", ".join(PARTS))
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error("there is no part " + ", ".join(sorted(unknown)))
    suite = Suite("restores of any history")
    try:
        with rig.fleet_for(4, repositories=1) as fleet:
            scene = Scene(fleet)
            scene.create(CLUSTER, 3, True)
            wait_psql(fleet, scene.dsn(CLUSTER), TABLES, 60)
            scene.wait_first_snapshot()
            for name in options.parts or PARTS:
                began = time.monotonic()
                PARTS[name](suite, scene)
                suite.say("%s: %.0f s" % (name.replace("_", " "), time.monotonic() - began))
            suite.say("histories: point-in-time exact %d of %d" % (sum(scene.exact), len(scene.exact)))
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
