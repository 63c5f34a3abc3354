#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Operations on backups, killed at every step that can be seen from outside: workers of the control plane, agents of the repository host and of members, pgBackRest
and the units it runs in. Each cell of the table begins one operation, waits for the step, kills (SIGKILL), and wants the operation to end right and to leave
nothing behind. Needs root.

    test/cluster/backup_kill_test.py                         all cells, in lanes side by side
    test/cluster/backup_kill_test.py --only snapshot         one operation; also "drill, its unit" or "restore, a worker, build"
    test/cluster/backup_kill_test.py --list                  what there is

Ends with "backup-kills: N cells, N passed, N failed". --kept FILE keeps what earlier runs found: whoever tries some cells again gets a report of all.
"""
import argparse
import contextlib
import json
import os
import sys
import threading
import time

import rig
from export_test import BUCKET, KEY, SECRET, Store
from kill_operations import Drill, Export, Kept, Removal, Restore, Snapshot
from kill_watch import Watch, end

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from patience import PATIENCE  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

WORKER, KEEPER, MEMBER, TOOL, UNIT, GATE, SERVER = ("a worker", "the repository host's agent", "the member's agent", "pgBackRest", "its unit", "the gate", "the member's server")
SCRATCH = {WORKER: "asked fetch {0} clear", KEEPER: "asked fetch {0} clear", MEMBER: "{0}", TOOL: "fetch", UNIT: "fetch {0}"}
FORWARD = "open-gate wait-gate stop wait-stopped forget-scope build wait-restored apply publish-names wait-members"
RESTORE = {KEEPER: "wait-gate copying recovering finish", MEMBER: "wait-stopped moving copying recovering opening wait-clean", TOOL: "copying", UNIT: "copying recovering",
           GATE: "copying recovering"}
# Operation, who is killed, and at which steps.
CELLS = {
    "snapshot": {WORKER: "asked ordered copying copied", KEEPER: "asked ordered copying copied", MEMBER: "asked copying", TOOL: "copying", UNIT: "ordered copying copied", SERVER: "copying"},
    "removal": {WORKER: "asked released removing removed", KEEPER: "asked released ordered removing removed", TOOL: "removing", UNIT: "ordered removing removed"},
    "drill": {who: steps.format("prove") for who, steps in SCRATCH.items()},
    "export": {who: steps.format("dump upload") for who, steps in SCRATCH.items()},
    "restore": {WORKER: FORWARD + " clean wait-clean finish", **RESTORE},
    "restore in place": {WORKER: FORWARD + " new-history wait-backups clean wait-clean wait-access finish", **RESTORE},
}
ENDS_S = {"snapshot": 150, "removal": 120, "drill": 240, "export": 240, "restore": 300, "restore in place": 360}
TRIES = 3  # a step that was over before it was seen
LEFT_S = 30


class Cell:
    def __init__(self, operation, victim, step):
        self.operation, self.victim, self.step, self.verdict, self.took_s = operation, victim, step, None, 0.0

    @property
    def name(self):
        return "%s, %s, %s" % (self.operation, self.victim, self.step)


def chosen(words):
    cells = [Cell(operation, victim, step) for operation, rows in CELLS.items() for victim, steps in rows.items() for step in steps.split()]
    return [one for one in cells if not words or any((one.name + ",").startswith(word + ",") for word in words)]


# ---- One cell ----
class Missed(Exception):
    """The operation was over before its step was seen."""


def wait_for_step(operation, step, seconds):
    until, look = time.monotonic() + seconds * PATIENCE, 0.0
    while not operation.at(step):
        if time.monotonic() > look:
            if operation.is_over() or time.monotonic() > until:
                raise Missed
            look = time.monotonic() + 1
        time.sleep(0.008)


def kill(watch, operation, victim):
    if victim == WORKER:
        watch.kill_worker(operation.worker())
    elif victim in (KEEPER, MEMBER):
        watch.kill_agent(operation.host if victim == KEEPER else operation.members_host())
    else:
        found = operation.victims(victim)
        for pid in found:
            end(pid)
        if not found:
            raise Missed


def wait_nothing_left(operation):
    try:
        wait_until(lambda: not operation.left(), "nothing is left", LEFT_S, every=0.5)
    except Problem:
        return ["left behind: %s" % operation.left()]
    return []


def play_once(cell, watch, operation):
    """Complaints."""
    try:
        operation.begin()
        wait_for_step(operation, cell.step, ENDS_S[cell.operation])
        kill(watch, operation, cell.victim)
        wait_until(operation.is_over, "the end of it", ENDS_S[cell.operation], every=0.4)
        return operation.judge() + wait_nothing_left(operation)
    finally:
        operation.close()


def play(cell, watch, make):
    began = time.monotonic()
    for number in range(TRIES):
        try:
            complaints = play_once(cell, watch, make(cell.operation))
            cell.verdict = "; ".join(complaints) if complaints else "passed"
            break
        except Missed:
            cell.verdict = "its step was not seen %d times" % (number + 1)
        except Exception as problem:  # one cell that cannot be tried keeps no other from being tried
            cell.verdict = "%s: %s" % (type(problem).__name__, str(problem)[:600])
            break
    cell.took_s = time.monotonic() - began


# ---- Lanes: clusters on which cells are played one after another ----
class Lane(threading.Thread):
    """`names` are the operations that it plays; the cells of the first two kinds take turns, because what the one makes the other removes."""
    names, member_count = (), 1

    def __init__(self, watch, cells, tally):
        super().__init__(daemon=True)
        self.watch, self.tally = watch, tally
        self.cells = [one for one in cells if one.operation in self.names]

    def prepare(self):
        self.kept = Kept(self.watch, self.cluster, self.member_count)

    def run(self):
        try:
            self.prepare()
        except Exception as problem:
            for cell in self.cells:
                cell.verdict = "its cluster could not be made: %s" % problem
                self.tally.add(cell)
            return
        for cell in self.cells:
            if time.monotonic() > self.tally.until:
                return
            play(cell, self.watch, self.make)
            self.tally.add(cell)

    def clusters(self):
        return [(self.kept.tenant, self.cluster)] if hasattr(self, "kept") else []


class Snapshots(Lane):
    names, cluster = ("snapshot", "removal"), "kept"

    def make(self, name):
        return (Snapshot if name == "snapshot" else Removal)(self.kept)


class Proofs(Lane):
    names, cluster = ("drill", "export"), "proven"

    def prepare(self):
        super().prepare()
        if any(cell.operation == "export" for cell in self.cells):
            Export.store = Store(self.watch.fleet)
            Export.bucket = self.kept.tenant.ask("POST", self.kept.tenant.of_project("/backup/exportBuckets"), {
                "bucketName": BUCKET, "cloudProvider": "AWS", "serviceUrl": Export.store.url, "accessKeyId": KEY, "secretAccessKey": SECRET})["_id"]

    def make(self, name):
        return (Drill if name == "drill" else Export)(self.kept)


class Copies(Lane):
    names, cluster, target = ("restore",), "source", "copy"

    def prepare(self):
        super().prepare()
        self.kept.create(self.target, 1, False, "S3")

    def make(self, _):
        return Restore(self.kept, self.target)

    def clusters(self):
        return [(self.kept.tenant, name) for name in (self.cluster, self.target)] if hasattr(self, "kept") else []


class Places(Lane):
    names, cluster, member_count = ("restore in place",), "place", 3

    def make(self, _):
        return Restore(self.kept, self.cluster)


# ---- All of them ----
class Tally:
    """`kept` is a file with what earlier runs found."""

    def __init__(self, suite, kept, minutes):
        self.suite, self.kept, self.lock, self.began = suite, kept, threading.Lock(), time.monotonic()
        self.until = self.began + minutes * 60
        self.found = {}
        if kept and os.path.exists(kept):
            with open(kept, encoding="utf-8") as file:
                self.found = json.load(file)

    def add(self, cell):
        with self.lock:
            self.suite.check(cell.verdict == "passed", "%s: %s", cell.name, cell.verdict)
            self.suite.say("%4.0f s  %-55s %s (%.0f s)" % (time.monotonic() - self.began, cell.name, cell.verdict[:300], cell.took_s))
            self.found[cell.name] = cell.verdict
            if self.kept:
                with open(self.kept, "w", encoding="utf-8") as file:
                    json.dump(self.found, file, indent=1)

    def line(self):
        passed = sum(one == "passed" for one in self.found.values())
        return "backup-kills: %d cells, %d passed, %d failed" % (len(self.found), passed, len(self.found) - passed)


def leave(suite, watch, lanes):
    """Everything is deleted, and then nothing is anywhere."""
    clusters = [pair for lane in lanes for pair in lane.clusters()]
    for tenant, name in clusters:
        tenant.delete_cluster(name)
    for tenant, name in clusters:
        tenant.wait_gone(name, 180)
    try:
        wait_until(lambda: not left_anywhere(watch), "nothing is left anywhere", 90, every=1)
    except Problem:
        suite.fail("left behind in the end: %s" % left_anywhere(watch))


def left_anywhere(watch):
    fleet, found = watch.fleet, rig.left_behind(watch.fleet)
    found += ["certificate of a %s" % row[0].lower() for row in watch.sql("SELECT kind FROM certificate WHERE kind IN ('SEAT', 'GATE') AND revoked_at IS NULL")]
    for host in fleet.repositories:
        units = hosts.run(fleet, host, "sh", "-c", "systemctl list-units --all --plain --no-legend 'reeve-*' | grep -v reeve-agent.service || true")
        found += ["unit on %s: %s" % (host, one) for one in units.splitlines()]
        found += ["%s on %s" % (one, host) for folder in ("stanzas", "drills", "gates") for one in watch.entries(host, "/var/lib/reeve/" + folder)]
    return found


def write_report(path, tally):
    lines = ["`make backup-kill-test`: operations on backups, killed with SIGKILL at every step that can be seen from outside. Each cell is one operation that was begun, killed at that",
             "step, and had to end right: the snapshot is there and was restored by its label; what was removed is gone, and nothing else; the drill has passed; the export is what its",
             "manifest says; the restored cluster has exactly the rows of the snapshot, and no write was accepted that is not there. Nothing may be left: units, folders, slots,",
             "users, certificates in force. Four lanes run side by side, so every operation also lives through the kills of the others.", "",
             "| operation | killed | step | |", "|---|---|---|---|"]
    lines += ["| %s | %s |" % (one.name.replace(", ", " | "), tally.found[one.name]) for one in chosen([]) if one.name in tally.found]
    missing = [one.name for one in chosen([]) if one.name not in tally.found]
    lines += ["", "On %s." % rig.machine()] + ["Not played in these runs: %d cells." % len(missing)] * bool(missing) + ["", "`%s`" % tally.line()]
    rig.write_report(path, "Backups, killed", lines)


def run(suite, options, cells):
    with rig.fleet_for(3, repositories=1) as fleet:
        watch, tally = Watch(fleet), Tally(suite, options.kept, options.minutes)
        control.wait_etcd_locked(fleet)
        watch.slow_down()
        cells = [one for one in cells if not options.missing or tally.found.get(one.name) != "passed"]
        lanes = [lane for lane in (kind(watch, cells, tally) for kind in (Snapshots, Proofs, Copies, Places)) if lane.cells]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        with contextlib.suppress(KeyboardInterrupt):
            leave(suite, watch, lanes)
        suite.say("writes that were tried while clusters were restored: %d" % Restore.tried)
        write_report(options.report, tally)
        return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="CELLS")
    parser.add_argument("--minutes", type=float, default=120, help="no cell is begun after so many")
    parser.add_argument("--kept", metavar="FILE")
    parser.add_argument("--missing", action="store_true", help="only cells that have not passed in what was kept")
    parser.add_argument("--report", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    cells, suite, tally = chosen(options.only), Suite("killed backups"), None
    if options.list or not cells:
        print("\n".join(one.name for one in chosen([])))
        return 0 if options.list else 2
    try:
        tally = run(suite, options, cells)
    except Problem as problem:
        suite.fail(str(problem))
    status = suite.finish()
    if tally:
        print(tally.line())
    return status


if __name__ == "__main__":
    sys.exit(main())
