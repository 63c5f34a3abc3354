#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes each wall down once and tries its attacks: `make redteam-walls`. Needs root.

    test/redteam/show_walls.py --part node           walls of the API and of the control database; --part fleet: those of hosts
    test/redteam/show_walls.py --only "provider"     walls whose name contains this
    test/redteam/show_walls.py --check               only whether the code that each wall consists of is in the tree; needs nothing

Ends with "redteam walls: N walls, N shown to hold something". Every wall that an attack names must have a row; redteam.py looks at that.
"""
import argparse
import json
import os
import subprocess
import sys

import rows
import ground as grounds
import redteam
import rig
import walls
import walls_of_fleet
import walls_of_node


class Showing:
    """`kept` is a file with what earlier runs have shown: whoever takes down only some walls gets a report of all."""

    def __init__(self, wanted, kept):
        self.wanted, self.kept = wanted, kept
        self.results, self.scratch = {}, None
        if kept and os.path.exists(kept):
            with open(kept) as file:
                self.results = {(one["name"], one["how"]): walls.Result.of_record(one) for one in json.load(file)}

    def chosen(self, list_of_walls):
        return [wall for wall in list_of_walls if not self.wanted or any(word in wall.name for word in self.wanted)]

    def add(self, result):
        self.results[result.name, result.how] = result
        print(result.line(), flush=True)
        if self.kept:
            with open(self.kept, "w") as file:
                json.dump([one.__dict__ for one in self.results.values()], file, indent=1)

    @property
    def shown(self):
        return sum(one.is_shown for one in self.results.values())

    def copy(self):
        if self.scratch is None:
            self.scratch = walls.Scratch()
        return self.scratch


# ---- A node ----
def at_wall(number):
    """In a process of its own, against a node of another build: prints what came through."""
    wall = walls_of_node.CODE[number]
    with grounds.node_ground() as ground:
        mine = walls.chosen(wall, [one for module in (redteam.of_node, redteam.of_tenant, redteam.of_browser, redteam.of_device, redteam.of_download, redteam.of_tools, redteam.of_provider, redteam.of_program, redteam.of_saml, redteam.of_scaling, redteam.of_directory) for one in module.attacks(ground)])
        print(json.dumps({"tried": len(mine), "through": walls.run(mine)}))


def show_code(showing, wall):
    try:
        with showing.copy().without(wall) as build:
            done = subprocess.run([os.path.join(rows.ROOT, "script/with-services"), sys.executable, os.path.abspath(__file__), "--at-wall", str(walls_of_node.CODE.index(wall))], capture_output=True,
                                  text=True, check=False, timeout=400, env={**os.environ, "REEVE_BUILD": build}, stdin=subprocess.DEVNULL)
        found = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {"tried": 0, "through": {"trying": "it could not be tried: " + (done.stdout + done.stderr)[-600:]}}
    except Exception as broken:
        found = {"tried": 0, "through": {"building": "it could not be tried: %s" % str(broken)[-1500:]}}
    showing.add(walls.Result(wall, found["tried"], found["through"]))


def show_node(showing):
    live = showing.chosen(walls_of_node.LIVE)
    if live:
        with grounds.node_ground() as ground:
            attacks = [one for module in redteam.NODE for one in module.attacks(ground)]
            for wall in live:
                showing.add(walls.show(wall, ground, attacks))
    for wall in showing.chosen(walls_of_node.CODE):
        show_code(showing, wall)


# ---- A fleet ----
class Standing:
    """Every attack, from where the attacker stands: a primary that moves takes the place to stand along."""

    def __init__(self, ground):
        self.ground, self.known = ground, None

    def attacks(self):
        if self.ground.has_moved():
            self.ground.stand()
            self.known = None
        if self.known is None:
            self.known = [one for module in redteam.FLEET for one in module.attacks(self.ground)]
        return self.known


def show_fleet(showing):
    with grounds.fleet_ground() as ground:
        standing = Standing(ground)
        for wall in showing.chosen(walls_of_fleet.UNITS):
            standing.attacks()
            showing.add(walls_of_fleet.show_unit(ground, wall))
        for wall in showing.chosen(walls_of_fleet.LIVE):
            showing.add(walls.show(wall, ground, standing.attacks()))
        for list_of_walls, other in ((walls_of_fleet.CODE, walls_of_fleet.other_api), (walls_of_fleet.AGENT, walls_of_fleet.other_agent)):
            for wall in showing.chosen(list_of_walls):
                attacks = standing.attacks()
                with other(ground, showing.copy(), wall) as without:
                    showing.add(walls.show(without, ground, attacks))
        ground.is_unharmed()


def check():
    """Code that was changed takes its wall along: then nobody would see any more that it holds something."""
    missing, looked_at = [], 0
    for wall in (*walls_of_node.CODE, *walls_of_fleet.CODE, *walls_of_fleet.AGENT):
        for path, as_it_is, _ in wall.patches:
            looked_at += 1
            with open(os.path.join(rows.ROOT, path), encoding="utf-8") as file:
                if as_it_is not in file.read():
                    missing.append("%s: %s does not have %r" % (wall.name, path, as_it_is))
    print("\n".join([*missing, "%d passed, %d failed" % (looked_at - len(missing), len(missing))]))
    return 1 if missing else 0


def write_report(path, showing):
    lines = ["`make redteam-walls`: each wall is taken down once, and an attack that it holds has to come through; put up again, it holds. Walls that are compiled in are taken "
             "out of a scratch copy of the tree, which is built without them. [Rows](../internals/red-team.md).", "",
             "`redteam walls: %d walls, %d shown to hold something`, on %s." % (len(showing.results), showing.shown, rig.machine()), "",
             "| wall | taken down how | attacks tried | through | one of them |", "|---|---|---|---|---|"]
    for one in showing.results.values():
        lines.append("| %s | %s | %d | %d | %s |" % (one.name, one.how.replace("|", "\\|"), one.tried, one.through, "`%s`" % one.example[:140].replace("`", "'").replace("|", "\\|").replace("\n", " ")))
    rig.write_report(path, "Red team: the walls", lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--part", choices=("node", "fleet"))
    parser.add_argument("--report", metavar="FILE")
    parser.add_argument("--kept", metavar="FILE", help="results of other runs, which this one adds to")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--at-wall", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.at_wall is not None:
        return at_wall(arguments.at_wall)
    if arguments.check:
        return check()
    showing = Showing(arguments.only, arguments.kept)
    try:
        for part, show in (("node", show_node), ("fleet", show_fleet)):
            if arguments.part in (None, part):
                show(showing)
    finally:
        if showing.scratch:
            showing.scratch.close()
    write_report(arguments.report, showing)
    print("redteam walls: %d walls, %d shown to hold something" % (len(showing.results), showing.shown))
    return 0 if showing.shown == len(showing.results) else 1


if __name__ == "__main__":
    sys.exit(main())
