# SPDX-License-Identifier: Apache-2.0
"""With a shell as a member's system user (walls_attacks.py), and with stolen certificates (etcd_attacks.py)."""
import etcd_attacks
from rows import Attack
from walls_attacks import ROWS


# ---- A shell ----
class Shell:
    """Attacks of one place run together, once; each is a row all the same."""

    def __init__(self, ground):
        self.place, self.results = ground.place, {}
        ground.sessions.append(self)

    def result(self, way, run, rows, name):
        if self.results is None:
            self.results = {}
        if way not in self.results:
            self.results[way] = run(rows)
        return self.results[way][name]


def of_shell(ground):
    shell, place = Shell(ground), ground.place
    ways = {"a program of PostgreSQL": (place.from_postgres, ROWS), "a unit with the same lines": (place.from_unit, ROWS),
            "a process in its namespaces": (place.from_namespaces, [row for row in ROWS if not row.seccomp])}
    for way, (run, chosen) in ways.items():
        for row in chosen:
            yield Attack("from %s: %s" % (way, row.name), "shell", "unit: " + row.name,
                         lambda w=way, r=run, c=chosen, n=row.name: shell.result(w, r, c, n), alone=True)


# ---- Certificates ----
WALLS = {"etcd": "users of etcd", "Patroni": "Patroni trusts its own cluster only", "agents' listener": "hosts are known by certificates of hosts",
         "PostgreSQL": "members trust their own cluster only"}


def of_certificates(ground):
    for name, attempt in etcd_attacks.rows(ground.fleet, ground.thief, ground.victim):
        yield Attack(name, "certificate", WALLS[name.split(",")[0]], attempt)


def attacks(ground):
    yield from of_shell(ground)
    yield from of_certificates(ground)
