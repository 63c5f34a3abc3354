# SPDX-License-Identifier: Apache-2.0
"""Measurements: a host that sends points of members that it does not have, names that are to end a label, and a tenant who asks for another's servers."""
import itertools
import json
import subprocess
import time
from urllib.parse import quote

import control
import network
from of_agent import Hostile
from rows import Attack
from state import CONTROL

POINTS, LABELS = "hosts send points of their own members only", "a name is one label"
NAMES = "a table has one name"
PROCESSES, TABLES = "servers are found in their own project", "tables are found in their own project"
FALSE = itertools.count(666000000000 + int(time.time()) % 1000000 * 100)  # values that nobody measures, a new one for each attempt: stores forget nothing
SEEN_S = 3         # after so long a store shows what it took


class Liar(Hostile):
    def send(self, value, member, name="-", scope="p", metric="CONNECTIONS"):
        line = "%s %d %s %s %s=%d\n" % (member, int(time.time() * 1000), scope, name, metric, value)
        return self.thief.ask(CONTROL["control1"], control.AGENT_PORT, "host", "POST", "/agent/v1/points?store=0", line, seconds=20)

    def is_in_store(self, value, member):
        query = 'query=count_eq_over_time({member="%s"}[5m], %d) > 0' % (member, value)
        command = ["curl", "-sf", control.store_url("store1") + "/api/v1/query", "--data-urlencode", query, "-d", "nocache=1"]
        text = subprocess.run(network.command(self.fleet, "control", command), capture_output=True, text=True, check=True).stdout
        return bool(json.loads(text)["data"]["result"])

    def lie(self, **words):
        """The answer must have come: an attempt that did not reach the node proves nothing."""
        value = next(FALSE)
        status, text = self.send(value, **words)
        if status not in (200, 400):
            raise RuntimeError("%s %s" % (status, text))
        time.sleep(SEEN_S)
        return "it is in the store" if self.is_in_store(value, self.apart.id) else None


    def misname(self, name):
        """A table of its own member, by what is no name: nobody could ask for it, and it would be a series for every way to write it."""
        value = next(FALSE)
        status, text = self.send(value, self.own.id, quote(name, safe=""), "t", "TOTAL_OPS")
        if status != 200:
            raise RuntimeError("%s %s" % (status, text))
        time.sleep(SEEN_S)
        return "it is in the store" if self.is_in_store(value, self.own.id) else None


def of_hosts(ground):
    liar = Liar(ground)
    own, other = liar.own.id, liar.apart.id
    yield "points of a member of another host", POINTS, lambda: liar.lie(member=other)
    yield "points of a database of a member of another host", POINTS, lambda: liar.lie(member=other, scope="d", name="postgres", metric="DATABASE_DATA_SIZE")
    yield "points of a table of a member of another host", POINTS, lambda: liar.lie(member=other, scope="t", name="shop.orders", metric="TOTAL_OPS")
    for trick in (",member=%s" % other, "shop.x\n%s 1 p - CONNECTIONS=1" % other, 'shop."x,member=%s"' % other, 'shop."a.b"" ,member=""%s"' % other):
        yield ("a table that is called %r" % trick, LABELS,
               lambda t=trick: liar.lie(member=own, scope="t", name=quote(t, safe=""), metric="TOTAL_OPS"))
    for trick in ("orders", "a.b.c.d", 'shop."x', "shop.", "shop.x\ty.z.w"):
        yield "points of a table that is called %r, which is no name" % trick, NAMES, lambda t=trick: liar.misname(t)
    for trick in (",member=%s" % other, "x,member=%s" % other, "x\\,member=%s" % other, "x 1\nreeve,member=%s" % other, "x\" ,member=\"%s" % other):
        yield ("a database that is called %r" % trick, LABELS,
               lambda t=trick: liar.lie(member=own, scope="d", name=quote(t, safe=""), metric="DATABASE_DATA_SIZE"))


def of_tenants(ground):
    thief, victim = ground.tenants["thief"], ground.tenants["victim"]
    process = victim.ask("GET", victim.of_project("/processes"))["results"][0]["id"]
    own = thief.ask("GET", thief.of_project("/processes"))["results"][0]["id"]
    span = "?granularity=PT1M&period=PT1H"

    def ask(path):
        answer = thief.ask("GET", thief.of_project("/processes/" + path), expect=(200, 400, 401, 404))
        shown = json.dumps(answer)
        values = [point for series in answer.get("measurements", []) for point in series["dataPoints"] if point["value"] is not None]
        return shown[:120] if "errorCode" not in answer and (values or victim.project in shown or "results" in answer) else None
    for what in ("", "/measurements" + span, "/databases", "/disks", "/databases/postgres/measurements" + span):
        yield "a server of another project: GET " + what.partition("?")[0], PROCESSES, lambda w=what: ask(quote(process, safe=":") + w)
    for trick in ('x"} or {project="%s' % victim.project, 'postgres",project="%s' % victim.project, '.*"} or {__name__!="', "*", ".+"):
        yield "a database that is called %r" % trick, LABELS, lambda t=trick: ask(quote(own, safe=":") + "/databases/%s/measurements%s" % (quote(t, safe=""), span))


def of_tables(ground):
    """Through the thief's own project, what is the victim's: its servers, its clusters, and what it has pinned."""
    thief, victim = ground.tenants["thief"], ground.tenants["victim"]
    process = quote(victim.ask("GET", victim.of_project("/processes"))["results"][0]["id"], safe=":")
    own = quote(thief.ask("GET", thief.of_project("/processes"))["results"][0]["id"], safe=":")
    clusters = {who: {one["name"] for one in ground.tenants[who].ask("GET", ground.tenants[who].of_project("/clusters"))["results"]} for who in ("thief", "victim")}
    name = quote(sorted(clusters["victim"] - clusters["thief"])[0], safe="")
    pinned = "/clusters/%s/collStats/pinned" % name
    victim.ask("PUT", victim.of_project(pinned), {"namespaces": ["postgres.secret_table"]})

    def ask(path, method="GET", body=None):
        answer = thief.ask(method, thief.of_project(path), body, expect=(200, 400, 401, 404))
        shown = json.dumps(answer)
        return shown[:120] if "errorCode" not in answer or "secret_table" in shown.replace(path, "") else None

    def still_pinned(attempt):
        """Nothing of what the victim pinned is changed, whatever was answered."""
        got = attempt()
        kept = victim.ask("GET", victim.of_project(pinned))["pinnedNamespaces"]
        return got or ("it pins %s" % kept if kept != ["postgres.secret_table"] else None)
    for what in ("/collStats/namespaces", "/postgres/secret_table/collStats/measurements"):
        yield "tables of a server of another project: GET " + what, TABLES, lambda w=what: ask("/processes/" + process + w)
    for view in ("PRIMARY", "SECONDARY", "INDIVIDUAL_PROCESS"):
        for what in ("/collStats/namespaces", "/postgres/secret_table/collStats/measurements"):
            yield "tables of a cluster of another project: GET %s%s" % (view, what), TABLES, lambda v=view, w=what: ask("/clusters/%s/%s%s" % (name, v, w))
    yield "what another project has pinned", TABLES, lambda: ask(pinned)
    for method, path in (("PUT", pinned), ("PATCH", pinned), ("PATCH", "/clusters/%s/collStats/unpin" % name)):
        yield ("%s of what another project has pinned" % (method + " " + path.rpartition("/")[2]), TABLES,
               lambda m=method, p=path: still_pinned(lambda: ask(p, m, {"namespaces": ["postgres.secret_table", "postgres.x"]})))
    for trick in ('x"} or {project="%s' % victim.project, 'secret_table",project="%s' % victim.project, '".*"} or {__name__!="', "*", ".+", 'x" or name=~".*'):
        yield ("a table that is called %r" % trick, LABELS,
               lambda t=trick: ask("/processes/%s/postgres/%s/collStats/measurements" % (own, quote(t, safe=""))))


def attacks(ground):
    for name, wall, attempt in of_hosts(ground):
        yield Attack("hostile agent, " + name, "certificate", wall, attempt, alone=True)
    for name, wall, attempt in of_tenants(ground):
        yield Attack("measurements, " + name, "tenant", wall, attempt, alone=True)
    for name, wall, attempt in of_tables(ground):
        yield Attack("measurements, " + name, "tenant", wall, attempt, alone=True)
