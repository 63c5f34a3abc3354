# SPDX-License-Identifier: Apache-2.0
"""What an attack is: a row. Adding an attack is adding one; docs/internals/red-team.md says how."""
import concurrent.futures
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
for folder in ("fleet", "cluster", "api"):
    sys.path.insert(0, os.path.join(ROOT, "test", folder))
sys.dont_write_bytecode = True

# Where an attacker stands, in the order of the report.
VANTAGES = {
    "network": "from the network, without credentials",
    "tenant": "with a tenant's credentials, through the API",
    "shell": "with a shell as a member's system user",
    "certificate": "with certificates of a member and of a host",
    "database": "inside a database: a superuser, and a tenant's users",
    "store": "in the control database, by a statement that forgets its tenant",
}
AT_ONCE = 4  # attacks that wait for the network, at the same time


class Attack:
    """`attempt()` returns what the attacker got hold of, as a sentence; None is a wall that held. `wall` is a name of walls.py."""

    __slots__ = ("name", "vantage", "wall", "attempt", "alone")

    def __init__(self, name, vantage, wall, attempt, alone=False):
        assert vantage in VANTAGES, vantage
        self.name, self.vantage, self.wall, self.attempt = name, vantage, wall, attempt
        self.alone = alone  # not while another one runs

    def run(self):
        try:
            return self.attempt()
        except Exception as broken:  # an attack that cannot be tried proves nothing
            return "it could not be tried: %r" % broken


def run_all(attacks):
    """{attack: what came through} of those that did."""
    through = {}
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        together = [one for one in attacks if not one.alone]
        for one, got in zip(together, pool.map(Attack.run, together)):
            if got:
                through[one] = got
    for one in attacks:
        if one.alone and (got := one.run()):
            through[one] = got
    return through
