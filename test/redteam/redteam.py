#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The standing red team: every attack that we know, against one fleet with two tenants on the same hosts. Needs root.

    make redteam                                  all of it
    test/redteam/redteam.py --only "of somebody"  attacks whose name, vantage point or wall contains this
    test/redteam/redteam.py --part node           only those against a node of the API; --part fleet: only those against the fleet

Ends with "redteam: N attacks, 0 through". An attack is a row of one of the files of_*.py; docs/internals/red-team.md says how to add one.
"""
import argparse
import os
import sys
import time

import rows
import ground as grounds
import of_agent
import of_browser
import of_database
import of_device
import of_directory
import of_download
import of_extension
import of_gate
import of_hosts
import of_logs
import of_node
import of_outside
import of_points
import of_pooler
import of_program
import of_provider
import of_relay
import of_saml
import of_scaling
import of_session
import of_store
import of_tenant
import of_tools
import rig
import walls_of_fleet
import walls_of_node
from state import Problem
from world import changed_tables, row_hashes

NODE = [of_node, of_tenant, of_browser, of_device, of_download, of_tools, of_store, of_provider, of_program, of_saml, of_scaling, of_directory]
FLEET = [of_outside, of_hosts, of_agent, of_points, of_database, of_session, of_extension, of_pooler, of_gate, of_logs, of_relay]


def known_walls():
    return {wall.name for wall in (*walls_of_node.LIVE, *walls_of_node.CODE, *walls_of_fleet.LIVE, *walls_of_fleet.CODE, *walls_of_fleet.AGENT, *walls_of_fleet.UNITS)}


def moved_walls():
    """Walls that are compiled in, and whose text in the source has changed since their row was written."""
    def times(file, text):
        with open(os.path.join(rows.ROOT, file), encoding="utf-8") as source:
            return source.read().count(text)
    compiled = (*walls_of_node.CODE, *walls_of_fleet.CODE, *walls_of_fleet.AGENT)
    return sorted({wall.name for wall in compiled for file, text, _ in wall.patches if times(file, text) != 1})


class Tally:
    """What was tried, by vantage point and by wall."""

    def __init__(self, wanted):
        self.wanted, self.tried, self.through, self.began = wanted, {}, {}, time.monotonic()
        self.walls = {}

    def chosen(self, modules, ground):
        found = [one for module in modules for one in module.attacks(ground)]
        return [one for one in found if not self.wanted or any(word in "\n".join((one.name, one.vantage, one.wall)) for word in self.wanted)]

    def run(self, attacks):
        began = time.monotonic()
        got = rows.run_all(attacks)
        for one in attacks:
            self.tried[one.vantage] = self.tried.get(one.vantage, 0) + 1
            self.walls[one.wall] = self.walls.get(one.wall, 0) + 1
        self.through.update(got)
        for one, what in got.items():
            print("  THROUGH %s: %s" % (one.name, what), flush=True)
        print("  %d attacks in %.0f s" % (len(attacks), time.monotonic() - began), flush=True)

    @property
    def count(self):
        return sum(self.tried.values())

    def table(self):
        lines = ["| vantage point | attacks | through |", "|---|---|---|"]
        for vantage, sentence in rows.VANTAGES.items():
            if vantage in self.tried:
                lines.append("| %s | %s | %d |" % (sentence, format(self.tried[vantage], ","), sum(one.vantage == vantage for one in self.through)))
        return lines


def attack_node(tally):
    with grounds.node_ground() as ground:
        for module in NODE:
            attacks = tally.chosen([module], ground)
            before = row_hashes() if module is of_node else None
            tally.run(attacks)
            if before and (changed := changed_tables(before, row_hashes())):
                tally.through[rows.Attack("all of these together", "tenant", "", None)] = "tables changed: %s" % changed


def attack_fleet(tally):
    with grounds.fleet_ground() as ground:
        tally.run(tally.chosen(FLEET, ground))
        ground.is_unharmed()


def write_report(path, tally):
    lines = ["`make redteam`: every attack that we know, against one fleet of three hosts with two tenants' clusters on the same hosts, and against a "
             "node of the API with two organizations that have one of everything. [How to add an attack](../internals/red-team.md).", ""]
    lines += tally.table()
    lines += ["", "`redteam: %d attacks, %d through` in %.0f s, on %s." % (tally.count, len(tally.through), time.monotonic() - tally.began, rig.machine())]
    lines += ["", "## By wall", "", "| wall | attacks |", "|---|---|"]
    lines += ["| %s | %d |" % pair for pair in sorted(tally.walls.items())]
    rig.write_report(path, "Red team", lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--part", choices=("node", "fleet"), help="only what is attacked there")
    parser.add_argument("--report", metavar="FILE")
    arguments = parser.parse_args()
    tally = Tally(arguments.only)
    try:
        for part, attack in (("node", attack_node), ("fleet", attack_fleet)):
            if arguments.part in (None, part):
                attack(tally)
    except Problem as problem:
        print("  FAILED %s" % problem)
        return 1
    print("\n".join(tally.table()))
    write_report(arguments.report, tally)
    unknown = sorted(set(tally.walls) - known_walls())
    if unknown:
        print("  FAILED nobody can take these walls down: %s" % ", ".join(unknown))
    moved = moved_walls()
    if moved:
        print("  FAILED what is taken out for these walls is not there any more, or more than once: %s" % ", ".join(moved))
    print("redteam: %d attacks, %d through" % (tally.count, len(tally.through)))
    return 1 if tally.through or unknown or moved else 0


if __name__ == "__main__":
    sys.exit(main())
