# SPDX-License-Identifier: Apache-2.0
"""Clusters that follow their load: bounds that are none, and a tenant who switches it on and off to keep the control plane busy."""
from client import Bearer
from rows import Attack
from world import PREFIX, connect, new_id, sql

OFFERED, HELD, NO_WORK = "bounds are sizes that are offered", "bounds hold the size that there is", "when to scale is nothing that hosts have to know"


class Scaling:
    """A cluster of its own, in the first tenant's project."""

    def __init__(self, ground):
        self.ground, self.name = ground, "scaling-" + new_id()[:8]
        self.target = "%s/groups/%s/clusters" % (PREFIX, ground.facts["p"])
        self.ask("POST", "", {"name": self.name, "replicationSpecs": self.specs()}, 201)

    @staticmethod
    def specs(scaling=None):
        region = {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}
        return [{"regionConfigs": [{**region, **({} if scaling is None else {"autoScaling": scaling})}]}]

    def ask(self, method, place, body, expected=None):
        with connect(self.ground.node) as connection:
            answer = connection.ask(method, self.target + place, Bearer(self.ground.facts["owner"]["token"]), body)
        if expected not in (None, answer.status):
            raise RuntimeError("%s: %r" % (method, answer))
        return answer

    def bound(self, compute):
        """What the document has of it afterwards, when it was accepted."""
        answer = self.ask("PATCH", "/" + self.name, {"replicationSpecs": self.specs({"compute": {"enabled": True, **compute}})})
        if answer.status not in (200, 400):
            raise RuntimeError("%r" % answer)
        return "a cluster with the bounds %s" % compute if answer.status == 200 else None

    def toggle(self):
        """So many jobs for changes that change nothing on any host."""
        jobs = lambda: int(sql("SELECT count(*) FROM job WHERE subject_name = '%s'" % self.name))
        before = jobs()
        for number in range(10):
            on = {"compute": {"enabled": True, "maxInstanceSize": "M20"}}
            self.ask("PATCH", "/" + self.name, {"replicationSpecs": self.specs(on if number % 2 == 0 else None)}, 200)
        return "%d jobs" % (jobs() - before) if jobs() != before else None


def attacks(ground):
    scaling = Scaling(ground)
    for name in ("FLEX", "M9000", "m20", "M20'", "M10,M20"):
        yield Attack("a cluster that may become %r" % name, "tenant", OFFERED, lambda n=name: scaling.bound({"maxInstanceSize": n}), alone=True)
        yield Attack("a cluster that may shrink to %r" % name, "tenant", OFFERED,
                     lambda n=name: scaling.bound({"maxInstanceSize": "M20", "minInstanceSize": n}), alone=True)
    yield Attack("a cluster that may only be larger than it is", "tenant", HELD, lambda: scaling.bound({"minInstanceSize": "M20", "maxInstanceSize": "M20"}), alone=True)
    yield Attack("scaling switched on and off, ten times", "tenant", NO_WORK, scaling.toggle, alone=True)
