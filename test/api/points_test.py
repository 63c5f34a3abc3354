# SPDX-License-Identifier: Apache-2.0
"""Points that a host sends of tables, in a real store: a table has one name, however it is written; what is no name of a table is dropped, and so is what another host has."""
import json
import sys
import time
import urllib.request
from urllib.parse import quote, unquote

from agents import Fleet
from client import wait_until
from measurements import MonitorStore
from suite import Suite, ends_on_signal
from world import new_id, sql

GOOD = ("shop.orders", "shop.public.orders", '"shop"."orders"', 'shop.sales."a.b\n,member=x"')
BAD = ("orders", "a.b.c.d", 'shop."x', "shop.", "shop." + "x" * 64)
STORED = ["shop.orders", 'shop.sales."a.b\n,member=x"']


def make_member(fleet, host):
    organization, project = fleet.make_project()
    cluster = fleet.make_cluster(project, organization, "measured")
    fleet.command("address", "add", "--host", host.name, "127.9.1.1-127.9.1.20")
    member = fleet.place(cluster, 0)
    sql("UPDATE cluster_member SET desired = 'RUNNING' WHERE cluster_id = '\\x%s'" % cluster)
    return member


def send(host, member, name):
    line = "%s %d t %s TOTAL_OPS=7\n" % (member, int(time.time() * 1000), quote(name, safe=""))
    status, answer = host.ask("POST", "/agent/v1/points?store=0", raw=line.encode())
    return status, answer.get("unnamed"), answer.get("foreign")


def names_in(store):
    with urllib.request.urlopen(store.url + "/api/v1/label/name/values", timeout=10) as answer:
        return sorted(unquote(one) for one in json.load(answer)["data"])


def main():
    ends_on_signal()
    suite = Suite("points")
    with MonitorStore() as store, Fleet(settings={"monitor_stores": store.url}) as fleet:
        host = fleet.join("h1", zone="a")
        member = make_member(fleet, host)
        for name in GOOD:
            suite.equal(send(host, member, name), (200, 0, 0), "a table that is called %r" % name)
        for name in BAD:
            suite.equal(send(host, member, name), (200, 1, 0), "a table that is called %r" % name)
        suite.equal(send(host, new_id(), "shop.forged"), (200, 0, 1), "a table of a member of another host")
        wait_until(lambda: len(names_in(store)) >= len(STORED), 20)
        suite.equal(names_in(store), STORED, "names in the store")
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
