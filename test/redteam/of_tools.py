# SPDX-License-Identifier: Apache-2.0
"""With the credentials of one project's own tools, at /api/prometheus: everything to see another project's points, to have the store do more than answer, or to keep others waiting.
The victim's points have values that nobody else has."""
import contextlib
import random
import time
import urllib.request
from urllib.parse import quote, urlencode

from rows import Attack
from tools_test import FORM, Tool
from world import PREFIX, connect

CONFINED, LANGUAGE, PATHS = "questions of tools are of one project", "stores see PromQL only", "tools have five questions"
PASSWORDS, OFF, BOUND = "measurements are read with the project's password", "an integration that is off lets nobody in", "what tools ask has a bound"
SECRET, MEMBER = "424242.5", "feedfeedfeedfeedfeedfeed"
HELD = (400, 401, 404, 405, 422)
OWN, THEIRS, DELETED, DISABLED = ("%s-password-for-tools" % name for name in ("thieves", "victims", "deleted", "disabled"))


def integrate(ground, project, owner, password, enabled=True, methods=("DELETE", "POST")):
    target = "%s/groups/%s/integrations/PROMETHEUS" % (PREFIX, project)
    with connect(ground.node) as connection:
        for method in methods:
            body = None if method == "DELETE" else {"type": "PROMETHEUS", "enabled": enabled, "username": "grafana", "password": password, "serviceDiscovery": "http"}
            answer = connection.ask(method, target, owner.bearer(), body)
            if answer.status not in (200, 204, 404):
                raise AssertionError(answer)


class Thief:
    def __init__(self, ground):
        world = ground.world
        self.ground, self.project, self.victim = ground, world.p, world.q
        integrate(ground, world.p, world.a, OWN)
        integrate(ground, world.q, world.b, THEIRS)
        integrate(ground, world.p2, world.a, DELETED)
        integrate(ground, world.p2, world.a, DISABLED, enabled=False)
        ground.store.write(["reeve,project=%s,cluster=%s,member=%s,name=%s CONNECTIONS=%s,TRANSACTIONS_COMMITTED=%s %d"
                            % (self.victim, "c" * 24, MEMBER, "hidden", SECRET, SECRET, (int(time.time()) - ago) * 1000) for ago in range(0, 600, 10)])
        self.started = self.store_started()
        victim = Tool(ground.node, self.victim, password=THEIRS)
        for _ in range(100):  # a store shows what it took after a moment
            if self.has_secret(victim.ask("/api/v1/query", query="reeve_CONNECTIONS")):
                return
            time.sleep(0.1)
        raise AssertionError("the victim's points are not there")

    def tool(self, project=None, password=OWN, username="grafana"):
        return Tool(self.ground.node, project or self.project, username, password)

    def store_started(self):
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(self.ground.store.url + "/metrics", timeout=5) as answer:
                return next(line for line in answer.read().decode().splitlines() if line.startswith("process_start_time_seconds"))
        return None

    @staticmethod
    def has_secret(answer):
        return any(text.encode() in answer.body for text in (SECRET, MEMBER, "hidden"))

    def ask(self, path, **more):
        answer = self.tool().ask(path, **more)
        return answer.body[:200].decode(errors="replace") if self.has_secret(answer) else None

    def survives(self, query):
        """The store must be the same process afterwards."""
        status = self.tool().ask("/api/v1/query", query=query).status
        return None if self.store_started() == self.started else "the store ended (%d)" % status

    def refused(self, path, method="GET", body=None, headers=()):
        answer = self.tool().ask(path, method, body, headers)
        return None if answer.status in HELD and not self.has_secret(answer) else "%d %s" % (answer.status, answer.body[:120].decode(errors="replace"))

    def opens(self, project, password, username="grafana", path="/api/v1/query?query=1"):
        answer = self.tool(project, password, username).ask(path)
        return None if answer.status == 401 else "%d %s" % (answer.status, answer.body[:120].decode(errors="replace"))


def expressions(other):
    """Ways to say "of somebody else", in PromQL and in what stores make of it."""
    yield from ("reeve_CONNECTIONS", "{__name__!=''}", "{__name__=~'.+'}", "{}", "{project!=''}", "{project=~'.*'}", "{project='%s'}" % other, "reeve_CONNECTIONS{project='%s'}" % other,
                "{member='%s'}" % MEMBER, "{name='hidden'}", "{project='%s' or project=''}" % other, "{project='%s'} or {project='%s'}" % (other, other),
                "reeve_CONNECTIONS{project='%s'} or reeve_CONNECTIONS" % other, "label_replace({project='%s'}, 'project', 'x', '', '')" % other, "count_values('x', reeve_CONNECTIONS)",
                "topk(1000, {__name__=~'reeve_.*'})", "max(reeve_CONNECTIONS)", "max without(project) ({__name__=~'reeve_.*'})", "sum by (project, member) (reeve_CONNECTIONS)",
                "max_over_time({project='%s'}[1h])" % other, "last_over_time({__name__=~'reeve_.*'}[1h:10s])", "reeve_CONNECTIONS @ start()", "reeve_CONNECTIONS offset -1m",
                "vector(1) * on() group_left {project='%s'}" % other, "reeve_CONNECTIONS unless {project='x'}", "absent({project='%s'})" % other, "{__graphite__='*'}",
                "WITH (x = {project='%s'}) x" % other, "union({project='%s'})" % other, "({project='%s'}, 1)" % other, "label_set({project='%s'}, 'a', 'b')" % other,
                "reeve_CONNECTIONS{project='%s'} # {" % other, "reeve_CONNECTIONS{a='\"}', project='%s'}" % other, "reeve_CONNECTIONS{a=\"'}\", project='%s'}" % other,
                "reeve_CONNECTIONS{a='\\'} or {project=\\'%s'}" % other, "reeve_CONNECTIONS{a=\"\\\\\"} or {project='%s'}" % other, "reeve_CONNECTIONS{a=`}`,project='%s'}" % other,
                "{'project'='%s'}" % other, "{project='%s',}" % other, "{\nproject\n=\n'%s'\n}" % other, "{'reeve_CONNECTIONS'}", "reeve_CONNECTIONS{project='%s'}[5m]" % other)


def tricks(other):
    """Parameters beside the expression."""
    query = "query=" + quote("{__name__=~'reeve_.*'}")
    mine = quote('{project="%s"}' % other)
    for extra in ("extra_label=project=" + other, "extra_label=project%3D" + other, "extra_filters=" + mine, "extra_filters[]=" + mine, "extra_filters%5B%5D=" + mine, "extra%5Ffilters[]=" + mine,
                  "nocache=0", "nocache=1&extra_filters[]={}", "match[]=" + mine, "extra_filters[]=", "extra_label=", "db=x", "authKey=x", "trace=1", "round_digits=1", "max_lookback=8d",
                  "extra_filters[]=%7Bproject%3D%22" + other + "%22%7D%26", "x=%26extra_label=project=" + other, "x=1%26extra_label%3Dproject%3D" + other, "timeout=1h", "%0d%0aextra_label=project=" + other):
        yield "/api/v1/query?%s&%s" % (query, extra)
        yield "/api/v1/query?%s&%s" % (extra, query)
        yield "/api/v1/labels?" + extra
        yield "/api/v1/label/member/values?" + extra
        yield "/api/v1/label/name/values?" + extra
        yield "/api/v1/series?match[]=%7B__name__!=''%7D&" + extra
        yield "/federate?" + extra
        yield "/targets?" + extra
    yield "/api/v1/query?query=1&" + query
    yield "/federate?cluster=" + "c" * 24
    yield "/federate?cluster=" + quote('x"} or {project="%s' % other)
    yield "/federate?match[]=" + mine


WAYS = ("/api/v1/admin/tsdb/delete_series", "/api/v1/export", "/api/v1/export/csv", "/api/v1/export/native", "/api/v1/import", "/api/v1/import/prometheus", "/api/v1/status/tsdb", "/api/v1/status/active_queries",
        "/api/v1/status/top_queries", "/api/v1/series/count", "/api/v1/targets", "/api/v1/rules", "/write", "/api/v1/write", "/internal/resetRollupResultCache", "/snapshot/create", "/snapshot/delete_all",
        "/metrics", "/flags", "/debug/pprof/heap", "/vmui/", "/-/reload", "/graphite/render", "/api/v1/query/../export", "/api/v1/label/..%2f..%2fexport/values", "/api/v1/label/%2e%2e/values",
        "/../api/v1/export", "//api/v1/export", "/api/v1/label/a%3fb/values", "/api/v1/label/a%23/values", "/api/v1/query%3fquery=1", "/api/v1/query;x", "/api/v1/query/", "/API/V1/QUERY", "/prometheus/api/v1/query")

# Some of these ended the process of a store, or would keep it busy for as long as their author likes.
HARMFUL = ("rate(reeve_CONNECTIONS[1M])", "reeve_CONNECTIONS[1M:1M]", "reeve_CONNECTIONS offset 1M", "1M", "rate(reeve_CONNECTIONS[1i])", "rate(reeve_CONNECTIONS[0s])", "rate(reeve_CONNECTIONS[1h:0s])",
           "WITH (a = x + x, b = a + a, c = b + b, d = c + c, e = d + d, f = e + e, g = f + f, h = g + g) h", "rollup_candlestick(reeve_CONNECTIONS[5m])", "range_quantile(0.5, reeve_CONNECTIONS)",
           "{__name__=~'(((((((a*)*)*)*)*)*)*)b'}", "{__name__=~'(a{1000}){1000}'}", "{__name__=~'['}", "(" * 5000, "-" * 8000 + "1", "+".join(["1"] * 4000), "reeve_CONNECTIONS[9999999999999999y]", "1e999999", "1e-999999",
           "reeve_CONNECTIONS @ 99999999999999999999", "quantile_over_time(NaN, reeve_CONNECTIONS[5m])", "topk(-Inf, reeve_CONNECTIONS)", "topk(1e300, reeve_CONNECTIONS)", "label_replace(reeve_CONNECTIONS, '', '', '', '')",
           "label_join(reeve_CONNECTIONS, '__name__', '', '__name__')", "count_values('', reeve_CONNECTIONS)", "histogram_quantile(-1, reeve_CONNECTIONS)", "holt_winters(reeve_CONNECTIONS[5m], 2, 2)",
           "clamp(reeve_CONNECTIONS, 1)", "rate()", "sum()", "time(1, 2, 3)", "predict_linear(reeve_CONNECTIONS[5m], 1e300)", "scalar({__name__=~'.*'})", "day_of_month(vector(1e300))", "vector('x')", "abs('x')", "sum('x', 'y')", "topk(reeve_CONNECTIONS, 1)")


def heavy(thief):
    now = int(time.time())
    for query, step in (("quantile_over_time(0.5, reeve_CONNECTIONS[8d])", 63), ("max_over_time(quantile_over_time(0.5, reeve_CONNECTIONS[8d])[1d:10s])", 3600), ("rate(reeve_CONNECTIONS[1m])", 1),
                        ("sum_over_time(reeve_CONNECTIONS[8d:1ms])", 3600)):
        path = "/api/v1/query_range?" + urlencode({"query": query, "start": now - 8 * 86400, "end": now, "step": step})
        yield "%s every %d s" % (query, step), lambda p=path: None if thief.tool().ask(p).status == 400 else "it was asked"


def attacks(ground):
    thief = Thief(ground)
    other = thief.victim
    for query in expressions(other):
        for path in ("/api/v1/query", "/api/v1/query_range"):
            span = {"start": int(time.time()) - 300, "end": int(time.time()), "step": 30} if path.endswith("range") else {}
            yield Attack("tools, %s: %s" % (path, query), "tenant", CONFINED, lambda p=path, q=query, s=span: thief.ask(p, query=q, **s))
        yield Attack("tools, a selector: %s" % query, "tenant", CONFINED, lambda q=query: thief.ask("/api/v1/series?" + urlencode({"match[]": q})))
    for path in tricks(other):
        yield Attack("tools, %s" % path, "tenant", CONFINED, lambda p=path: thief.ask(p))
        target, _, sent = path.partition("?")
        yield Attack("tools, as a form: %s" % path, "tenant", CONFINED, lambda t=target, s=sent: thief.ask(t, method="POST", body=s.encode(), headers=(FORM,)))
    for way in WAYS:
        for method, body in (("GET", None), ("POST", urlencode({"match[]": "{__name__!=''}", "query": "1"}).encode())):
            yield Attack("tools, %s %s" % (method, way), "tenant", PATHS, lambda w=way, m=method, b=body: thief.refused(w, m, b, (FORM,) if b else ()))
    for query in HARMFUL:
        yield Attack("tools, harm: %s" % query[:100], "tenant", LANGUAGE, lambda q=query: thief.survives(q), alone=True)
    dice = random.Random(4711)
    pieces = ["reeve_CONNECTIONS", "{", "}", "(", ")", "[", "]", "5m", "1M", ":", "sum", "rate", "by", "or", "'", '"', "\\", "=~", "offset", "@", ",", "-", "1", "WITH", "x"]
    noise = ["".join(dice.choice(pieces) + dice.choice(("", " ")) for _ in range(dice.randrange(2, 12))) for _ in range(300)]
    yield Attack("tools, harm: 300 texts at random", "tenant", LANGUAGE, lambda: next((got for got in map(thief.survives, noise) if got), None), alone=True)
    for project, password, name in ((other, OWN, "those of another project"), (thief.project, THEIRS, "another project's password"), (other, "", "no password"), (other, "x" * 64, "another password"),
                                    (ground.world.p2, DELETED, "those of an integration that was deleted"), ("0" * 24, OWN, "a project of zeros"), ("f" * 24, OWN, "no such project")):
        for path in ("/api/v1/query?query=1", "/federate", "/targets"):
            yield Attack("tools, %s with %s" % (path, name), "network", PASSWORDS, lambda i=project, w=password, t=path: thief.opens(i, w, path=t))
    yield Attack("tools, an integration that is switched off", "network", OFF, lambda: thief.opens(ground.world.p2, DISABLED))
    for name, attempt in heavy(thief):
        yield Attack("tools, %s" % name, "tenant", BOUND, attempt)
