# SPDX-License-Identifier: Apache-2.0
"""Every operation of the API without credentials, with credentials that are none, and with identifiers of nobody and of another tenant: the plan
of the access matrix, row by row. Whatever is answered but the refusal that was expected has come through."""
import threading

from access_matrix import Plan, Worker
from rows import Attack

WITHOUT = ("none", "malformed", "revoked", "wrong digest", "unknown key", "stolen nonce", "wrong address, bearer", "wrong address, digest")
local = threading.local()


def worker(ground):
    """Connections and nonces are a thread's own."""
    if getattr(local, "ground", None) is not ground:
        local.ground, local.worker = ground, Worker(ground.node, ground.facts)
        local.worker.here.ask("GET", "/api/svc/v2", local.worker.auth["owner by digest"])  # for "stolen nonce"
    return local.worker


def ask(ground, op, number, cell):
    column, caller, method, target, expected, _ = cell
    one = worker(ground)
    connection = one.there if str(caller).startswith("wrong address") else one.here
    answer = connection.ask(method, target, one.credentials(caller, number, method, target), op.body(ground.facts["a"]))
    expected = expected if isinstance(expected, frozenset) else {expected}
    return None if answer.status in expected else "%d %s" % (answer.status, answer.body[:120].decode(errors="replace"))


def wall_of(column):
    """Which wall stands there, by what is wrong with the identifiers."""
    if column.startswith("zero"):
        return "identifiers have no value that means none"
    if "of somebody else" in column and "everything of somebody else" != column:
        return "children are looked up below their parent"
    return "whoever has no role somewhere is a stranger there"


def attacks(ground):
    plan = Plan(ground.facts)
    for number, op in enumerate(ground.operations):
        if op.rule != "PUBLIC":
            for cell in plan.cells(op, number):
                if cell[0] in WITHOUT:
                    vantage = "network" if not cell[0].startswith("wrong address") else "tenant"
                    wall = "nobody is let in without credentials" if vantage == "network" else "credentials are good from listed addresses only"
                    yield Attack("%s %s: %s" % (op.method, op.path, cell[0]), vantage, wall, lambda o=op, n=number, c=cell: ask(ground, o, n, c))
        for cell in plan.attacks(op):
            yield Attack("%s %s: %s" % (op.method, op.path, cell[0]), "tenant", wall_of(cell[0]), lambda o=op, n=number, c=cell: ask(ground, o, n, c))
