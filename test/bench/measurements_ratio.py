#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measurements through the API against the same points asked for at the store, one after the other in one run: how many times as long a call takes.

    script/with-services /usr/bin/python3 test/bench/measurements_ratio.py [--calls 300]

A call through the API is one request over a kept TLS connection with a token. The store is asked for the same steps as PromQL, over a kept connection without TLS, and
that is all: nobody is authenticated, and nothing is left out that others may not see. Raw points are what the API itself asks the store for: it makes steps of them itself
(docs/internals/monitor.md).
"""
import argparse
import http.client
import json
import os
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "api")]
sys.dont_write_bytecode = True

from client import wait_until  # noqa: E402
from measurements import MonitorStore  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402
from world import PREFIX, World, name_members, start_node  # noqa: E402

HOUR_S, EVERY_S = 3600, 10
GAUGES = ["CONNECTIONS", "SESSIONS_ACTIVE", "MEMORY_RESIDENT", "CACHE_HIT_RATIO", "REPLICATION_LAG"]
COUNTERS = ["TRANSACTIONS_COMMITTED", "OPCOUNTER_INSERT", "OPCOUNTER_QUERY", "LOG_BYTES_WRITTEN", "PROCESS_CPU_USER"]
# (what, metrics, seconds, granularity, its seconds)
CASES = [("1 metric, 1 h, PT1M", COUNTERS[:1], HOUR_S, "PT1M", 60), ("10 metrics, 1 h, PT1M", GAUGES + COUNTERS, HOUR_S, "PT1M", 60),
         ("1 metric, 24 h, PT5M", COUNTERS[:1], 24 * HOUR_S, "PT5M", 300), ("10 metrics, 24 h, PT5M", GAUGES + COUNTERS, 24 * HOUR_S, "PT5M", 300)]
WANTED = 2.0


def fill(store, project, cluster):
    """A day of points up to now, as an agent sends them."""
    process, member, cluster_id = name_members(project, cluster)
    labels, end = "reeve,project=%s,cluster=%s,member=%s" % (project, cluster_id, member), int(time.time()) // 300 * 300
    count = 25 * HOUR_S // EVERY_S
    for begin in range(0, count, 1000):
        lines = []
        for number in range(begin, min(begin + 1000, count)):
            values = ["%s=%d" % (name, (number * (place + 7)) % 97) for place, name in enumerate(GAUGES)]
            values += ["%s=%d" % (name, number * (place + 11) * 10 + number % 7) for place, name in enumerate(COUNTERS)]
            lines.append("%s %s %d" % (labels, ",".join(values), (end - (count - 1 - number) * EVERY_S) * 1000))
        store.write(lines)
    wait_until(lambda: store.count(member) == count * len(GAUGES + COUNTERS), 60)
    return process, member, end


def date(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Asker:
    def __init__(self, world, store, process, member, end):
        self.world, self.process_id, self.member, self.end = world, process, member, end
        self.auth, self.bare = world.a.bearer(), http.client.HTTPConnection("127.0.0.1", store.port)

    def api(self, metrics, seconds, granularity, _):
        query = [("granularity", granularity), ("start", date(self.end - seconds)), ("end", date(self.end))] + [("m", one) for one in metrics]
        return self.get("/measurements?" + urllib.parse.urlencode(query))

    def get(self, rest):
        answer = self.world.connection.ask("GET", "%s/groups/%s/processes/%s%s" % (PREFIX, self.world.p, self.process_id, rest), self.auth)
        if answer.status != 200:
            raise SystemExit("%r" % answer)
        return answer.body

    def process(self, *_):
        """The same way without points: what every call through the API takes."""
        return self.get("")

    def post(self, path, **form):
        self.bare.request("POST", path, urllib.parse.urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})
        answer = self.bare.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit("the store: %d %s" % (answer.status, body[:300]))
        return body

    def store(self, metrics, seconds, _, step):
        selector = lambda names: '{__name__=~"%s",project="%s",member="%s"}' % ("|".join("reeve_" + one for one in names), self.world.p, self.member)
        parts = [function % (selector(names), step) for function, names in (("avg_over_time(%s[%ds]) keep_metric_names", [one for one in metrics if one in GAUGES]),
                                                                         ("rate(%s[%ds]) keep_metric_names", [one for one in metrics if one in COUNTERS])) if names]
        return self.post("/api/v1/query_range", query="union(%s)" % ", ".join(parts), start=self.end - seconds + step, end=self.end, step="%ds" % step, nocache=1)

    def raw(self, metrics, seconds, _, step):
        return self.post("/api/v1/export", **{"match[]": '{__name__=~"%s",project="%s",member="%s"}' % ("|".join("reeve_" + one for one in metrics), self.world.p, self.member),
                                              "start": self.end - seconds - step, "end": self.end, "max_rows_per_line": 4096})


def check_same(suite, asker, what, *case):
    """That both are asked for the same: so many series, so many steps, and the same last value of a gauge."""
    ours = {one["name"]: [point["value"] for point in one["dataPoints"]] for one in json.loads(asker.api(*case))["measurements"]}
    theirs = {one["metric"]["__name__"][len("reeve_"):]: one["values"] for one in json.loads(asker.store(*case))["data"]["result"]}
    steps = case[1] // case[3]
    suite.equal({name: len(values) for name, values in ours.items()}, {name: steps for name in case[0]}, what + ": steps of the API")
    suite.equal({name: len(values) for name, values in theirs.items()}, {name: steps for name in case[0]}, what + ": steps of the store")
    suite.check(all(value is not None for values in ours.values() for value in values), "%s: every step has a value", what)


def median(times):
    return sorted(times)[len(times) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=300)
    calls = parser.parse_args().calls
    suite = Suite("measurements-ratio")
    ends_on_signal()
    with MonitorStore() as store, start_node(workers=2, settings={"monitor_stores": store.url}) as node:
        world = World(node, with_roles=False)
        world.must(201, "POST", "/groups/%s/clusters" % world.p, world.a.bearer(), {"name": "c1", "replicationSpecs": [{"regionConfigs": [
            {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]})
        process, member, end = fill(store, world.p, "c1")
        asker = Asker(world, store, process, member, end)
        for what, *case in CASES:
            check_same(suite, asker, what, *case)
            times = {"api": [], "store": [], "raw": [], "process": []}
            for _ in range(calls):
                for way, taken in times.items():
                    began = time.perf_counter()
                    getattr(asker, way)(*case)
                    taken.append((time.perf_counter() - began) * 1000)
            ratio = median(times["api"]) / median(times["store"])
            suite.say("%-24s API %6.2f ms, store %6.2f ms, raw points %6.2f ms, a call without points %5.2f ms (medians of %d): %.2f times the store's query%s" % (
                what, *(median(times[way]) for way in times), calls, ratio, "" if ratio <= WANTED else "; at most %.0f is wanted" % WANTED))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
