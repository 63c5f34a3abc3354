# SPDX-License-Identifier: Apache-2.0
"""People's own Prometheus and Grafana: the credentials of an integration, a real store behind a real node, and promtool, Prometheus and the dashboards as clients.
What must not be possible there is in test/redteam/of_tools.py."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from urllib.parse import urlencode

from client import PATIENCE, Literal, wait_until
from measurements import MonitorStore
from node import free_port
from suite import Suite, ends_on_signal
from world import BUILD, PREFIX, ROOT, World, connect, name_members, sql, start_node

PASSWORD, OTHER_PASSWORD = "first-password-of-p", "first-password-of-q"
FORM = ("Content-Type", "application/x-www-form-urlencoded")
NAMES_OF = re.compile(r"^    M\((\w+), +(\w+), +(\w+),", re.M)


def basic(username, password):
    return Literal("Basic " + base64.b64encode(("%s:%s" % (username, password)).encode()).decode())


class Tool:
    """Somebody's own program, with the credentials of a project."""

    def __init__(self, node, project, username="grafana", password=PASSWORD, source=None):
        self.connection, self.project, self.auth = connect(node, source), project, basic(username, password)

    def ask(self, path, method="GET", body=None, headers=(), **parameters):
        target = "/api/prometheus/%s%s" % (self.project, path)
        if parameters:
            target += "?" + urlencode({name.rstrip("_"): value for name, value in parameters.items()}, doseq=True)
        return self.connection.ask(method, target, self.auth, body, headers)

    def values(self, query, **more):
        """{labels: value} of one moment."""
        answer = self.ask("/api/v1/query", query=query, **more)
        if answer.status != 200:
            raise AssertionError(answer)
        return [(row["metric"], row["value"][1]) for row in answer.json()["data"]["result"]]


def metric_rows():
    with open(os.path.join(ROOT, "src/wire/metric_table.h"), encoding="utf-8") as file:
        return NAMES_OF.findall(file.read())


def fill(store, project, cluster):
    """Ten minutes of every metric, up to now: counters rise by 100 in ten seconds, gauges are 5."""
    _, member, cluster_id = name_members(project, cluster)
    now, lines = int(time.time()) // 10 * 10, []
    names = {"PROCESS": "", "DATABASE": ",name=caf%C3%A9%20bar", "DISK": ",name=data"}
    for number in range(61):
        at = (now - 600 + number * 10) * 1000
        for scope, label in names.items():
            fields = ",".join("%s=%d" % (name, number * 100 if kind == "COUNTER" else 5) for name, of, kind in metric_rows() if of == scope)
            lines.append("reeve,project=%s,cluster=%s,member=%s%s %s %d" % (project, cluster_id, member, label, fields, at))
    store.write(lines)
    wait_until(lambda: store.count(member) >= 61 * 3, 20)
    return member, cluster_id


def integrate(world, project, owner, status=200, method="POST", **fields):
    document = {"type": "PROMETHEUS", "enabled": True, "username": "grafana", "serviceDiscovery": "http", **fields}
    return world.must(status, method, "/groups/%s/integrations/PROMETHEUS" % project, owner.bearer(), document)


# ---- The integration ----
def test_integration(suite, world):
    owner, path = world.a, "/groups/%s/integrations/PROMETHEUS" % world.p
    suite.equal(integrate(world, world.p, owner, 400).code(), "MISSING_ATTRIBUTE", "a new one without a password")
    suite.equal(integrate(world, world.p, owner, 400, password="short").code(), "INVALID_ATTRIBUTE_VALUE", "a short password")
    suite.equal(integrate(world, world.p, owner, 400, password=PASSWORD, sendUserProvidedResourceTagsEnabled=True).code(), "NOT_OFFERED", "tags")
    answer = integrate(world, world.p, owner, password=PASSWORD)
    suite.check(PASSWORD.encode() not in answer.body and b"hash" not in answer.body, "the answer has neither the password nor its hash: %s", answer.body)
    shown = world.must(200, "GET", path, owner.bearer()).json()
    suite.equal({name: shown.get(name) for name in ("type", "enabled", "username", "serviceDiscovery", "password")},
                {"type": "PROMETHEUS", "enabled": True, "username": "grafana", "serviceDiscovery": "http", "password": None}, "what is shown")
    stored = sql("SELECT document::text FROM resource WHERE kind = 'integration' AND name = 'PROMETHEUS'")
    suite.check(PASSWORD not in stored and re.search(r'"hash": ?"[0-9a-f]{64}"', stored), "what is stored: %s", stored)
    suite.equal(sql("SELECT count(*) FROM event WHERE strpos(event::text, '%s') > 0 OR event::text ~ '[0-9a-f]{64}.*hash|hash.*[0-9a-f]{64}.*PROMETHEUS'" % PASSWORD), "0", "what events show")
    body = {"type": "NEW_RELIC", "accountId": "1", "licenseKey": "2", "readToken": "3", "writeToken": "4"}
    refused = world.must(400, "POST", "/groups/%s/integrations/NEW_RELIC" % world.p, owner.bearer(), body)
    suite.check(refused.code() == "NOT_OFFERED" and "are not sent to this service" in refused.json()["detail"], "NEW_RELIC: %s", refused.body)
    integrate(world, world.q, world.b, password=OTHER_PASSWORD)


# ---- Credentials ----
def refusals(tool):
    """Same status, same words, whatever is wrong. The answer of each, without what differs by design."""
    other = "0123456789abcdef01234567"
    wrong = {"password": basic("grafana", "wrong-password"), "name": basic("grafanb", PASSWORD), "nothing behind it": Literal("Basic"), "no base64": Literal("Basic !!!"),
             "no colon": Literal("Basic " + base64.b64encode(b"grafana").decode()), "empty": basic("", ""), "a token": Literal("Bearer x")}
    for name, auth in wrong.items():
        yield name, tool.connection.ask("GET", "/api/prometheus/%s/api/v1/query?query=1" % tool.project, auth)
    yield "unknown project", tool.connection.ask("GET", "/api/prometheus/%s/api/v1/query?query=1" % other, tool.auth)
    yield "no project", tool.connection.ask("GET", "/api/prometheus/x/api/v1/query?query=1", tool.auth)
    yield "unknown path", tool.connection.ask("GET", "/api/prometheus/%s/nothing" % other, tool.auth)


def test_credentials(suite, world, node):
    tool, other = Tool(node, world.p), Tool(node, world.q, password=OTHER_PASSWORD)
    nobody = tool.connection.ask("GET", "/api/prometheus/%s/api/v1/query?query=1" % world.p)
    suite.equal((nobody.status, nobody.all_headers.get("www-authenticate"), nobody.code()), (401, ['Basic realm="measurements", charset="UTF-8"'], "NOT_AUTHENTICATED"), "without credentials")
    suite.equal((tool.ask("/api/v1/query", query="1").status, other.ask("/api/v1/query", query="1").status), (200, 200), "with the right ones")
    seen = {(answer.status, answer.body, tuple(answer.all_headers.get("www-authenticate", ()))) for _, answer in refusals(tool)}
    suite.check(len(seen) == 1 and next(iter(seen))[0] == 401, "wrong credentials: %s", seen)
    suite.equal(Tool(node, world.q).ask("/api/v1/query", query="1").status, 401, "credentials of another project")
    for method in ("PUT", "DELETE", "PATCH"):
        suite.equal(tool.ask("/api/v1/query", method).status, 405, method)
    suite.equal(tool.ask("/api/v1/query", "HEAD", query="1").status, 200, "HEAD")
    suite.equal(tool.connection.ask("GET", "%s/groups/%s" % (PREFIX, world.p), tool.auth).status, 401, "they open nothing else")


def test_changes(suite, world, node):
    """Every request looks in the database: what is changed counts from the next request on."""
    tool, renamed = Tool(node, world.p), Tool(node, world.p, "other")
    status = lambda who: who.ask("/api/v1/query", query="1").status
    integrate(world, world.p, world.a, method="PUT", enabled=False)
    suite.equal(status(tool), 401, "switched off, the password stays")
    integrate(world, world.p, world.a, method="PUT")
    suite.equal(status(tool), 200, "switched on again")
    suite.equal(integrate(world, world.p, world.a, 400, "PUT", username="other").code(), "MISSING_ATTRIBUTE", "another name without its password")
    integrate(world, world.p, world.a, method="PUT", username="other", password=PASSWORD)
    suite.equal((status(tool), status(renamed)), (401, 200), "another name")
    integrate(world, world.p, world.a, method="PUT", password="second-password-of-p")
    suite.equal((status(tool), status(Tool(node, world.p, password="second-password-of-p"))), (401, 200), "another password")
    world.must(204, "DELETE", "/groups/%s/integrations/PROMETHEUS" % world.p, world.a.bearer())
    suite.equal(status(Tool(node, world.p, password="second-password-of-p")), 401, "deleted")
    integrate(world, world.p, world.a, password=PASSWORD)
    suite.equal(status(tool), 200, "made again")


# ---- The API of Prometheus ----
def test_api(suite, world, node, own, other):
    tool = Tool(node, world.p)
    suite.equal(tool.values("1+1"), [({}, "2")], "what Grafana tries first")
    suite.equal(tool.values("reeve_CONNECTIONS"), [({"__name__": "reeve_CONNECTIONS", "project": world.p, "cluster": own[1], "member": own[0]}, "5")], "one moment")
    rows = tool.values("count by (project, member) ({__name__=~'reeve_.*'})")
    suite.equal([(row[0]["project"], row[0]["member"]) for row in rows], [(world.p, own[0])], "everything there is")
    now = int(time.time())
    span = {"query": "sum(rate(reeve_TRANSACTIONS_COMMITTED[1m]))", "start": now - 300, "end": now - 60, "step": "30s"}
    values = tool.ask("/api/v1/query_range", **span).json()["data"]["result"][0]["values"]
    suite.check(len(values) == 9 and all(abs(float(value) - 10) < 0.5 for _, value in values), "a span of time: %s", values)
    sent = tool.ask("/api/v1/query_range", "POST", urlencode(span).encode(), (FORM,))
    suite.equal((sent.status, sent.json()["data"]["result"][0]["values"]), (200, values), "the same as a form")
    suite.equal(tool.ask("/api/v1/label/project/values").json()["data"], [world.p], "values of a label")
    suite.equal(sorted(tool.ask("/api/v1/labels").json()["data"]), ["__name__", "cluster", "member", "name", "project"], "labels")
    answer = tool.ask("/api/v1/label/name/values?" + urlencode({"match[]": "reeve_DATABASE_DATA_SIZE"}))
    suite.equal(answer.json()["data"], ["caf%C3%A9%20bar"], "values of a label of some series")
    answer = tool.ask("/api/v1/series?" + urlencode({"match[]": "{project=~'.*',__name__='reeve_CONNECTIONS'}"}))
    suite.equal([one["member"] for one in answer.json()["data"]], [own[0]], "series")
    wrong = [("/api/v1/query", {"query": "rate(reeve_X[1M])"}, 400), ("/api/v1/query", {}, 400), ("/api/v1/query_range", {**span, "step": "0.01"}, 400), ("/api/v1/series", {}, 400),
             ("/api/v1/query", {"query": "{__name__=~'reeve_.*'} * on(member) {__name__=~'reeve_.*'}"}, 422)]
    for path, parameters, status in wrong:
        answer = tool.ask(path, **parameters)
        suite.check(answer.status == status and answer.json().get("status") == "error" and len(answer.json()["error"]) > 10, "%s %s: %r", path, parameters, answer)
    suite.equal(tool.ask("/api/v1/admin/tsdb/delete_series", "POST", b"match[]=x", (FORM,)).status, 404, "what is not offered")
    suite.equal(tool.ask("/api/v1/query", "POST", b'{"query": "1"}', (("Content-Type", "application/json"),)).status, 400, "a body that is no form")
    suite.equal(tool.ask("/api/v1/query", "POST", b"query=" + b"1" * 40000, (FORM,)).status, 413, "a body that is too long")


def promtool_config(node, folder):
    path = os.path.join(folder, "http.yml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("basic_auth:\n  username: grafana\n  password: %s\ntls_config:\n  ca_file: %s\n" % (PASSWORD, node.ca))
    return path


def test_promtool(suite, world, node, own):
    config = promtool_config(node, os.environ["REEVE_TEST_DIR"])
    url = "%s/api/prometheus/%s" % (node.base_url, world.p)
    run = lambda *words: subprocess.run(["promtool", "query", *words], capture_output=True, text=True, check=False, timeout=60)
    with_config = ("--http.config.file=" + config,) if "--http.config.file" in run("instant", "--help").stderr + run("instant", "--help").stdout else ()
    if not with_config:  # before 2.46 it takes no file, but an address with the credentials in it
        url = url.replace("https://", "https://grafana:%s@" % PASSWORD)
        os.environ["SSL_CERT_FILE"] = node.ca
    done = run("instant", *with_config, url, "reeve_CONNECTIONS")
    suite.check(done.returncode == 0 and own[0] in done.stdout and "=> 5 @" in done.stdout, "promtool query instant: %s%s", done.stdout, done.stderr)
    done = run("range", *with_config, "--start=%d" % (time.time() - 300), "--end=%d" % time.time(), "--step=60s", url, "rate(reeve_TRANSACTIONS_COMMITTED[1m])")
    suite.check(done.returncode == 0 and "10 @" in done.stdout, "promtool query range: %s%s", done.stdout, done.stderr)
    done = run("labels", *with_config, url, "__name__")
    suite.check(done.returncode == 0 and "reeve_CONNECTIONS" in done.stdout, "promtool query labels: %s%s", done.stdout[:300], done.stderr)
    done = run("series", *with_config, "--match=reeve_CONNECTIONS", url)
    suite.check(done.returncode == 0 and own[0] in done.stdout, "promtool query series: %s%s", done.stdout, done.stderr)


# ---- Scraping ----
def test_text(suite, world, node, own, other):
    tool = Tool(node, world.p)
    answer = tool.ask("/federate", cluster=own[1])
    text = answer.body.decode()
    suite.equal((answer.status, answer.headers["content-type"]), (200, "text/plain; version=0.0.4; charset=utf-8"), "what is measured now")
    suite.check('reeve_CONNECTIONS{project="%s",cluster="%s",member="%s"} 5\n' % (world.p, own[1], own[0]) in text and other[0] not in text, "its own members: %s", text[:500])
    suite.equal(len(re.findall(r"^reeve_", text, re.M)), len([1 for _, of, _ in metric_rows() if of != "TABLE"]), "each metric of the member")
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    problems = [line for line in (done.stdout + done.stderr).splitlines() if 'counter metrics should have "_total" suffix' not in line]
    suite.equal((done.returncode in (0, 3), problems), (True, []), "promtool finds nothing to say about it, but for the names of counters")
    suite.equal(tool.ask("/federate", cluster=other[1]).body, b"", "a cluster of somebody else")
    suite.equal([tool.ask("/federate?" + sent).status for sent in ("cluster=x", "cluster=%22%7D%20or%20%7B", "cluster=%s&cluster=%s" % (own[1], own[1]))], [400] * 3, "no cluster")
    suite.check(len(tool.ask("/federate").body) >= len(text), "without one: the whole project")


PROMETHEUS = """global:
  scrape_interval: 2s
  scrape_timeout: 2s
scrape_configs:
  - job_name: reeve
    honor_labels: true
    basic_auth: {username: grafana, password: %(password)s}
    tls_config: {ca_file: %(ca)s}
    http_sd_configs:
      - url: https://localhost:%(port)d/api/prometheus/%(project)s/targets
        refresh_interval: 5s
        basic_auth: {username: grafana, password: %(password)s}
        tls_config: {ca_file: %(ca)s}
"""


def test_prometheus(suite, world, node, own, other):
    """A real Prometheus finds its targets and scrapes them."""
    targets = Tool(node, world.p).ask("/targets").json()
    named = {one["labels"]["cluster_name"]: one["labels"]["__param_cluster"] for one in targets}
    suite.check(named.get("c1") == own[1] and other[1] not in named.values() and all(one["targets"] == ["localhost:%d" % node.port] for one in targets), "targets: %s", targets)
    folder, port = os.path.join(os.environ["REEVE_TEST_DIR"], "prometheus"), free_port()
    os.makedirs(folder)
    with open(folder + "/prometheus.yml", "w", encoding="utf-8") as file:
        file.write(PROMETHEUS % {"password": PASSWORD, "ca": node.ca, "port": node.port, "project": world.p})
    done = subprocess.run(["promtool", "check", "config", folder + "/prometheus.yml"], capture_output=True, text=True, check=False)
    suite.equal(done.returncode, 0, "promtool check config: %s%s" % (done.stdout, done.stderr))
    process = subprocess.Popen(["prometheus", "--config.file=%s/prometheus.yml" % folder, "--storage.tsdb.path=%s/data" % folder, "--web.listen-address=127.0.0.1:%d" % port],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        def found():
            done = subprocess.run(["promtool", "query", "instant", "http://127.0.0.1:%d" % port, 'reeve_CONNECTIONS{cluster_name="c1"}'], capture_output=True, text=True, check=False)
            return own[0] in done.stdout
        wait_until(found, 60)
        done = subprocess.run(["promtool", "query", "instant", "http://127.0.0.1:%d" % port, "min(up)"], capture_output=True, text=True, check=False)
        suite.check("=> 1 @" in done.stdout, "every target is up: %s%s", done.stdout, done.stderr)
    finally:
        process.terminate()
        process.wait()


# ---- Dashboards ----
def expressions_of(part):
    if isinstance(part, dict):
        for name, value in part.items():
            if name in ("expr", "query", "definition") and isinstance(value, str) and value != "prometheus":
                yield value
            else:
                yield from expressions_of(value)
    elif isinstance(part, list):
        for one in part:
            yield from expressions_of(one)


def test_dashboards(suite, world, node, own):
    """Each expression of the dashboards for tenants, as Grafana would send it: it is read, and has a result."""
    tool, count = Tool(node, world.p), 0
    fills = {"$__rate_interval": "1m", "$__range": "10m", "$__interval": "15s", "$project": world.p, "$cluster": own[1], "$member": ".*"}
    now = int(time.time())
    for board in ("project.json", "cluster.json"):
        with open(os.path.join(ROOT, "deploy/monitoring", board), encoding="utf-8") as file:
            found = set(expressions_of(json.load(file)))
        for one in sorted(found):
            asked = one
            for name, value in fills.items():
                asked = asked.replace(name, value)
            label = re.fullmatch(r"label_values\((.*), (\w+)\)", asked)
            if label:
                answer = tool.ask("/api/v1/label/%s/values?%s" % (label[2], urlencode({"match[]": label[1]})))
                result = answer.json().get("data")
            else:
                answer = tool.ask("/api/v1/query_range", query=asked, start=now - 300, end=now, step=15)
                result = answer.status == 200 and answer.json()["data"]["result"]
            suite.check(answer.status == 200 and result, "%s: %s: %r", board, asked, answer)
            count += 1
    suite.check(count > 40, "%d expressions", count)


# ---- The guide ----
def test_guide(suite, world, node, own):
    """The commands of the guide, as they stand there; and Prometheus reads its configuration."""
    with open(os.path.join(ROOT, "docs/how-to/use-your-own-grafana.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```", file.read(), re.M | re.S)
    world.must(204, "DELETE", "/groups/%s/integrations/PROMETHEUS" % world.p, world.a.bearer())
    environment = {**os.environ, "PATH": os.path.join(ROOT, BUILD) + ":" + os.environ["PATH"], "REEVE_SERVER": node.base_url, "REEVE_CA_FILE": node.ca, "REEVE_CLIENT_ID": world.a.client_id,
                   "REEVE_CLIENT_SECRET": world.a.client_secret, "REEVE_PROJECT_ID": world.p, "PASSWORD": PASSWORD, "HOME": os.environ["REEVE_TEST_DIR"]}
    for number, wanted in enumerate(('"PROMETHEUS"', own[1], 'reeve_CONNECTIONS{project="%s"' % world.p, '"enabled":false')):
        block = [text for language, text in blocks if language == "sh"][number]
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], env=environment, capture_output=True, text=True, check=False, timeout=60)
        suite.check(done.returncode == 0 and wanted in done.stdout, "%s: %s%s", block, done.stdout[:500], done.stderr)
    suite.equal(Tool(node, world.p).ask("/targets").status, 401, "switched off with the last command")
    integrate(world, world.p, world.a, method="PUT")
    configuration = [text for language, text in blocks if language == "yaml" and "scrape_configs" in text][0]
    path = os.path.join(os.environ["REEVE_TEST_DIR"], "guide.yml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(configuration)
    done = subprocess.run(["promtool", "check", "config", path], capture_output=True, text=True, check=False)
    suite.equal(done.returncode, 0, "promtool check config of the guide: %s%s" % (done.stdout, done.stderr))


# ---- Guessing ----
def test_guard(suite, world, store):
    """Whoever has no credentials is answered from the headers alone; whoever guesses is slowed down, and whoever has the right ones is not."""
    with start_node(settings={"monitor_stores": store.url, "guard_failures_per_minute": 10}, migrate=False) as node:
        with node.connect() as raw:
            raw.sendall(("POST /api/prometheus/%s/api/v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 30000\r\n\r\n" % world.p).encode())
            suite.check(raw.recv(4096).startswith(b"HTTP/1.1 401 "), "no body is waited for")
        right, wrong = Tool(node, world.p), Tool(node, world.p, password="guessed-password")
        suite.equal(right.ask("/api/v1/query", query="1").status, 200, "the right password")
        seen = [wrong.ask("/api/v1/query", query="1").status for _ in range(20)]
        suite.check(seen[0] == 401 and seen[-1] == 429, "guesses: %s", seen)
        suite.equal(right.ask("/api/v1/query", query="1").status, 200, "the right password, meanwhile")


# ---- Bounds ----
def test_bounds(suite, world, node, store):
    """One tenant asks for as much as it can, all the time. Another one's questions, and the rest of the API, go on."""
    now = int(time.time())
    for member in range(20):  # eight days of twenty servers
        store.write(["reeve,project=%s,cluster=%s,member=%024x DEADLOCKS=%d %d" % (world.p, "c" * 24, member, (number * 7919) % 1000, (now - 8 * 86400 + 60 + number * 10) * 1000) for number in range(8 * 8640)])
    heavy = {"query": "sum(quantile_over_time(0.5, reeve_DEADLOCKS[5h]))", "start": now - 8 * 86400, "end": now, "step": 63}
    tool, other, stop, took, statuses = Tool(node, world.p), Tool(node, world.q, password=OTHER_PASSWORD), threading.Event(), [], []

    def hammer():
        own = Tool(node, world.p)
        while not stop.is_set():
            begin = time.monotonic()
            statuses.append(own.ask("/api/v1/query_range", **heavy).status)
            took.append(time.monotonic() - begin)
    suite.equal(tool.ask("/api/v1/query_range", **{**heavy, "query": "quantile_over_time(0.5, reeve_CONNECTIONS[8d])"}).status, 400, "windows that are too long for so many points")
    threads = [threading.Thread(target=hammer) for _ in range(8)]
    for thread in threads:
        thread.start()
    waits = []
    try:
        for _ in range(20):
            begin = time.monotonic()
            suite.equal(other.ask("/api/v1/query", query="reeve_CONNECTIONS").status, 200, "another tenant's question")
            suite.equal(world.connection.ask("GET", PREFIX + "/groups/" + world.q, world.b.bearer()).status, 200, "the API")
            waits.append(time.monotonic() - begin)
            time.sleep(0.1)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    suite.say("8 threads of one tenant asked %d times for much (%s; at most %.1f s each); another one waited %.2f s at most, %.3f s in the middle"
              % (len(took), {status: statuses.count(status) for status in set(statuses)}, max(took), max(waits), sorted(waits)[10]))
    suite.check(max(waits) < 5 * PATIENCE and sorted(waits)[10] < 1 * PATIENCE, "waits of the other tenant: %s", waits)
    suite.check(store.answers() and set(statuses) <= {200, 422, 503}, "the store still answers: %s", set(statuses))
    suite.check("monitor_store_away" not in node.error_text(), "and was not taken for away")


def test_limit(suite, world, node):
    """Reading spends the same tokens as what else reads measurements."""
    sql("INSERT INTO limit_override (owner, set_name, capacity, refill) VALUES (decode('%s', 'hex'), 'S42', 5, 1) ON CONFLICT (owner, set_name) DO UPDATE SET capacity = 5, refill = 1; "
        "SELECT pg_notify('reeve_authority', 'all')" % world.p2)
    integrate(world, world.p2, world.a, password=PASSWORD)
    tool, seen = Tool(node, world.p2), []
    for _ in range(12):
        answer = tool.ask("/api/v1/query", query="1")
        seen.append(answer.status)
    suite.check(seen[0] == 200 and seen[-1] == 429 and "retry-after" in answer.headers, "a bucket of five: %s", seen)


def main():
    ends_on_signal()
    suite = Suite("tools")
    for program in ("promtool", "prometheus", "victoria-metrics"):
        if not shutil.which(program):
            raise SystemExit("%s is missing: script/bootstrap" % program)
    with MonitorStore() as store, start_node(workers=1, settings={"monitor_stores": store.url}) as node:
        world = World(node, with_roles=False)
        world.make_fixtures()
        world.make_fixtures(of_b=True)
        own, other = fill(store, world.p, "c1"), fill(store, world.q, "c1-b")
        test_integration(suite, world)
        test_credentials(suite, world, node)
        test_changes(suite, world, node)
        test_api(suite, world, node, own, other)
        test_promtool(suite, world, node, own)
        test_text(suite, world, node, own, other)
        test_prometheus(suite, world, node, own, other)
        test_dashboards(suite, world, node, own)
        test_guide(suite, world, node, own)
        test_guard(suite, world, store)
        test_bounds(suite, world, node, store)
        test_limit(suite, world, node)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
