# SPDX-License-Identifier: Apache-2.0
"""The operator's API: every operation with every wrong caller, with wrong requests of every kind, and as it should be; what is written
down about who did it; tokens that are nowhere but in their owner's hands; and `reeved`, which runs the same operations."""
import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys

from client import wait_until
from exchange_billing import seed_usage
from node import make_certificate
from object_server import object_server
from suite import Suite, ends_on_signal
from world import PREFIX as TENANTS
from world import World, new_id, reeved, sql, start_node

PREFIX = "/operator/v1"
UNKNOWN = None  # a token that is well formed, and nobody's; made in main()


def rows():
    return json.loads(reeved("catalog", "--operator", "--json"))


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, {name.lower(): value for name, value in headers}, body

    def json(self):
        return json.loads(self.body) if self.body else None

    def code(self):
        document = self.json()
        return document.get("errorCode") if isinstance(document, dict) else None

    def __repr__(self):
        return "<%d %r>" % (self.status, self.body[:300])


class Desk:
    """The operator's address of a node. Everything that it ever answered is kept."""

    def __init__(self, port, host="127.0.0.1", tls=None, token=None):
        self.port, self.host, self.tls, self.token, self.kept = port, host, tls, token, []

    def ask(self, method, path, body=None, token="own", headers=(), raw=None):
        connection = (http.client.HTTPSConnection(self.host, self.port, timeout=20, context=self.tls) if self.tls
                      else http.client.HTTPConnection(self.host, self.port, timeout=20))
        sent = dict(headers)
        if token == "own":
            token = self.token
        if token is not None:
            sent["Authorization"] = token if " " in token else "Bearer " + token
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        connection.request(method, PREFIX + path if path.startswith(("/", "?")) or path == "" else path, data, sent)
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.getheaders(), answer.read())
        connection.close()
        self.kept.append((method, path, reply))
        return reply


def path_of(row, values):
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "650000000000000000000001"), row["path"])


def state():
    """Everything that operators change, to see that nothing did."""
    return sql("SELECT md5(string_agg(x, '|')) FROM (SELECT h::text x FROM host h UNION ALL SELECT a::text FROM host_address a UNION ALL SELECT p::text FROM provider p "
               "UNION ALL SELECT r::text FROM region r UNION ALL SELECT s::text FROM instance_size s UNION ALL SELECT t.hash::text FROM join_token t "
               "UNION ALL SELECT l::text FROM limit_override l UNION ALL SELECT o::text FROM organization o UNION ALL SELECT j.id::text || j.state FROM job j "
               "UNION ALL SELECT i::text FROM invoice_payment i UNION ALL SELECT e::text FROM object_store e UNION ALL SELECT s::text FROM store_role s UNION ALL SELECT c::text FROM operator_action c ORDER BY x) y")


# ---- Who ----
def test_callers(suite, node, desk, table, values):
    """401 for whoever has no good token, whatever is asked; the same for one that is unknown, has expired or was removed."""
    made = json.loads(node.run("operator", "add", "late", "--days", "1", "--json").stdout)["token"]
    sql("UPDATE operator SET expires_at = now() - interval '1 second' WHERE name = 'late'")
    gone = json.loads(node.run("operator", "add", "gone", "--json").stdout)["token"]
    suite.equal(desk.ask("GET", "", token=gone).status, 200, "a token before its operator is removed")
    node.run("operator", "remove", "gone")
    before = state()
    for row in table:
        path, answers = path_of(row, values), {}
        for what, token in (("none", None), ("of a tenant", "reeve_sas_" + "a" * 49), ("noise", "x"), ("another scheme", "Basic " + desk.token),
                            ("the beginning", desk.token[:-1]), ("unknown", UNKNOWN), ("expired", made), ("removed", gone)):
            reply = answers[what] = desk.ask(row["method"], path, row.get("example"), token=token)
            wanted = "OPERATOR_TOKEN_REQUIRED" if token is None else "OPERATOR_TOKEN_NOT_VALID"
            suite.check(reply.status == 401 and reply.code() == wanted and reply.headers.get("www-authenticate", "").startswith("Bearer")
                        and re.fullmatch(r"[0-9a-f]{32}", reply.headers.get("x-request-id", "")), "%s %s with a token that is %s: %r %r",
                        row["method"], path, what, reply, reply.headers)
        suite.check(answers["unknown"].body == answers["expired"].body == answers["removed"].body, "%s tells why a token is not good", path)
    suite.equal(desk.ask("GET", "/nothing", token=None).status, 401, "a stranger does not learn what there is")
    suite.equal(state(), before, "what strangers changed")
    suite.equal(node.operator("/livez")[0], 200, "supervision needs no token")


def own_address():
    """An address of this machine that is not its loopback one; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))
            return s.getsockname()[0]
        except OSError:
            return None


def test_line(suite, node, token):
    """In clear text only from the machine itself; with a certificate from everywhere."""
    address = own_address()
    if address is None or address.startswith("127."):
        suite.say("not run: this machine has no address but its loopback one")
        return
    port, plain = node.operator_port, Desk(node.operator_port, address, token=token)
    pages = os.path.join(node.folder, "pages")
    os.makedirs(os.path.join(pages, "operator"))
    with open(os.path.join(pages, "operator", "index.html"), "w", encoding="ascii") as page:
        page.write("<title>Reeve operators</title>")
    node.write_conf(operator_listen="0.0.0.0:%d" % port, console_dir=pages)
    node.restart()
    for source, method, status in ((address, "GET", 400), ("127.0.0.1", "GET", 200), ("127.0.0.1", "POST", 405)):
        console = http.client.HTTPConnection(source, port, timeout=20)
        console.request(method, "/console/hosts")
        suite.equal(console.getresponse().status, status, "the console in plain HTTP, %s from %s" % (method, source))
    reply = plain.ask("GET", "")
    suite.check(reply.status == 403 and reply.code() == "OPERATOR_TLS_REQUIRED" and reply.json()["parameters"] == [address],
                "plain HTTP from another address: %r", reply)
    suite.equal(plain.ask("GET", "", token=None).code(), "OPERATOR_TLS_REQUIRED", "nor is the token looked at")
    suite.equal(plain.ask("GET", "/livez".replace("/", "//", 0), token=None).status, 403, "below the prefix only")
    suite.equal(Desk(port, token=token).ask("GET", "").status, 200, "plain HTTP from the machine itself")
    with_supervision = http.client.HTTPConnection(address, port, timeout=20)
    with_supervision.request("GET", "/livez")
    suite.equal(with_supervision.getresponse().status, 200, "supervision from elsewhere, as before")
    certificate, key = make_certificate(node.folder, "operator")
    os.chmod(key, 0o600)
    node.write_conf(operator_certificate=certificate, operator_certificate_key=key)
    node.stop()
    node.start(wait=False)
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    safe = Desk(port, address, context, token)
    wait_until(lambda: answers(safe), 20)
    suite.equal(safe.ask("GET", "").status, 200, "with TLS from another address")
    suite.equal(safe.ask("GET", "", token=UNKNOWN).status, 401, "with TLS and a wrong token")
    node.write_conf(operator_certificate=None, operator_certificate_key=None, operator_listen="127.0.0.1:%d" % port, console_dir=None)
    node.restart()


def answers(desk):
    try:
        return desk.ask("GET", "").status > 0
    except OSError:
        return False


def test_commands(suite, node, token):
    """`reeved operator`."""
    run = lambda *words: node.run("operator", *words, check=False)
    suite.equal([run(*words).returncode for words in ((), ("add",), ("add", "Ada"), ("add", "-x"), ("add", "a" * 64), ("add", "x", "--days", "0"), ("add", "x", "--days", "3651"),
                                                      ("remove",), ("nothing",), ("add", "x", "--days", "many"))], [2] * 10, "wrong command lines")
    again = run("add", "ada")
    suite.check(again.returncode == 1 and "in use" in again.stderr and "reeve_op_" not in again.stdout, "a name that is taken: %r", again)
    listed = run("list", "--json")
    suite.check([one["name"] for one in json.loads(listed.stdout)].count("ada") == 1 and token not in listed.stdout, "`reeved operator list`: %r", listed)
    suite.check("ada" in run("list").stdout, "the list for people")
    suite.equal(run("remove", "nobody").returncode, 1, "removing nobody")
    person = run("add", "eve", "--days", "2")
    suite.check(re.fullmatch(r"reeve_op_[A-Za-z0-9_-]{49}\n", person.stdout) and "reeve fleet login" in person.stderr, "what a person sees: %r", person)
    days = float(sql("SELECT extract(epoch FROM expires_at - created_at) / 86400 FROM operator WHERE name = 'eve'"))
    suite.check(1.99 < days < 2.01, "how long it is good: %s days", days)
    suite.equal(sql("SELECT count(*) FROM operator WHERE token_hash = sha256('%s')" % token), "0", "the hash has a key")
    run("remove", "eve")
    suite.equal(sql("SELECT string_agg(operation || ' ' || target, ', ' ORDER BY seq) FROM operator_action WHERE target = '/operators/eve' AND operator = 'reeved'"),
                "addOperator /operators/eve, removeOperator /operators/eve", "that is written down, too")


# ---- Wrong requests ----
def wrong_values(field):
    kind = field["type"]
    yield from {"text": [1, True, [], {}], "integer": ["1", 1.5, True, []], "number": ["1", True, []], "boolean": ["true", 1, {}], "date": [1, "soon", "2026-13-01"],
                "id": ["x", 1], "list": ["x", {}], "object": ["x", []]}.get(kind, [])
    if not field["nullable"]:
        yield None
    if kind == "text":
        yield "a\0b"
        if field["max"]:
            yield "x" * (field["max"] + 1)
        if field["min"]:
            yield ""
        if field.get("pattern"):
            yield "ä ö"
        if field.get("oneOf"):
            yield "SOMETHING"
    if kind in ("integer", "number"):
        if field["max"]:
            yield field["max"] + 1
        yield field["min"] - 1
        yield -2**63
        yield 10**30


def test_bodies(suite, desk, table, values):
    """Nothing that is sent wrongly is a failure of the service, and nothing changes."""
    before, count = state(), 0

    def refused(what, wanted, *arguments, **more):
        nonlocal count
        count += 1
        reply = desk.ask(*arguments, **more)
        document = reply.json()
        suite.check(reply.status in wanted and set(document) == {"detail", "error", "errorCode", "parameters", "reason"} and document["error"] == reply.status,
                    "%s: %s: %r", what, arguments[:2], reply)
        return reply
    for row in table:
        method, path = row["method"], path_of(row, values)
        refused("an unknown query parameter", (400,), method, path + "?unknown=1", row.get("example"))
        refused("a query that is no text", (400,), method, path + "?pretty=%ff", row.get("example"))
        refused("a parameter twice", (400,), method, path + "?pretty=true&pretty=true", row.get("example"))
        refused("a version that there is not", (406,), method, path, row.get("example"), headers={"Accept": "text/html"})
        refused("a condition", (400,), method, path, row.get("example"), headers={"If-Match": '"1"'})
        refused("a secret in the query", (400,), method, path + "?pretty=" + desk.token, row.get("example"))
        if method == "GET":
            refused("a dry run of a read", (400,), method, path + "?dryRun=true")
        other = "PUT" if path.startswith(("/etcdGroups/", "/objectStores/")) else "PATCH"  # which nothing there has
        reply = refused("another method", (405,), other, path, {})
        suite.check("allow" in reply.headers, "405 without Allow for %s", path)
        for field in row["query"]:
            if field["type"] != "text" or "oneOf" in field:
                refused("a wrong query parameter", (400,), method, "%s?%s=%%00" % (path, field["name"]), row.get("example"))
                refused("a wrong query parameter", (400,), method, "%s?%s=~" % (path, field["name"]), row.get("example"))
        if "request" not in row:
            if method != "GET":
                refused("a body that is not wanted", (400,), method, path, {"x": 1})
            continue
        example = row["example"]
        for what, raw in (("no JSON", b"{"), ("a list", b"[]"), ("nothing", b""), ("a text", b'"x"'), ("no UTF-8", b'{"\xff": 1}'), ("too deep", b"[" * 100),
                          ("a key twice", json.dumps(example).encode()[:-1] + b', "%s": 1}' % next(iter(example)).encode())):
            refused(what, (400,), method, path, raw=raw)
        refused("another type", (415,), method, path, raw=b"<x/>", headers={"Content-Type": "text/xml"})
        refused("far too much", (413,), method, path, raw=b'{"x": "' + b"x" * (1 << 20) + b'"}')
        refused("an unknown field", (400,), method, path, {**example, "unknown": 1})
        for field in row["request"]:
            if field["readOnly"]:
                refused("a field that is not the caller's", (400,), method, path, {**example, field["name"]: "x"})
                continue
            if field["required"]:
                reply = refused("a field that is missing", (400,), method, path, {name: value for name, value in example.items() if name != field["name"]})
                suite.equal(reply.code(), "MISSING_ATTRIBUTE", "%s without %s" % (path, field["name"]))
            if field["type"] == "text":
                refused("a secret in a field", (400,), method, path, {**example, field["name"]: desk.token})
            for value in wrong_values(field):
                refused("%s = %r" % (field["name"], value), (400,), method, path, {**example, field["name"]: value})
    for path in ("/hosts/nobody", "/jobs/x", "/jobs/" + new_id(), "/organizations/" + new_id(), "/organizations/x", "/nothing", "/hosts/", "//", "/hosts/a/b/c", "/hosts/%ff",
                 "/hosts/" + "x" * 64, "/hosts/" + desk.token):
        refused("nothing there", (400, 404), "GET", path)
    for method, path, body in (
            ("POST", "/hosts/nobody:drain", None), ("POST", "/hosts/nobody:activate", None), ("DELETE", "/hosts/nobody", None), ("DELETE", "/hosts/nobody?lost=true", None),
            ("DELETE", "/addresses/nobody/10.0.0.1", None), ("DELETE", "/providers/NOBODY", None), ("DELETE", "/providers/small", None), ("DELETE", "/regions/ONPREM/NOWHERE", None),
            ("DELETE", "/sizes/NOTHING", None), ("POST", "/jobs/%s:retry" % new_id(), None), ("POST", "/jobs/%s:cancel" % new_id(), None),
            ("POST", "/organizations/%s:lock" % new_id(), {"reason": "x"}), ("POST", "/organizations/%s:unlock" % new_id(), None),
            ("POST", "/organizations/%s:agree" % new_id(), {"until": None}), ("POST", "/invoices/%s:pay" % new_id(), {}),
            ("PUT", "/limits/org/%s/S17" % new_id(), {"capacity": 1, "refillRate": 1}), ("PUT", "/limits/org/%s/S99" % values["orgId"], {"capacity": 1, "refillRate": 1}),
            ("PUT", "/limits/team/%s/S17" % values["orgId"], {"capacity": 1, "refillRate": 1}), ("PUT", "/limits/project/%s/S17" % values["orgId"], {"capacity": 1, "refillRate": 1}),
            ("DELETE", "/limits/org/%s/S99" % values["orgId"], None), ("DELETE", "/limits/user/%s/S17" % new_id(), None)):
        reply = refused("nothing there", (404,), method, path, body)
        suite.equal(reply.code(), "RESOURCE_NOT_FOUND", path)
    for wrong in ("10.0.0.9-10.0.0.1", "10.0.0.1-10.9.0.1", "10.0.0.0/8", "10.0.0.1/33", "10.0.0.1-2001:db8::1", "here", "10.0.0.1-", "-", "0.0.0.0/0"):
        refused("a range", (400,), "POST", "/addresses", {"host": "h1", "range": wrong})
        refused("a range", (400, 404), "DELETE", "/addresses/h1/" + wrong.replace("/", "%2F"))
    for body in ({"host": "nobody", "range": "10.7.0.1"}, {"host": "h1", "range": "10.7.0.1-10.7.0.9", "privateFirst": "255.255.255.250"},
                 {"host": "h1", "range": "10.7.0.1", "privateFirst": "2001:db8::1"}, {"host": "h1", "range": "10.7.0.1", "privateFirst": "x y"},
                 {"host": "h1", "range": "10.7.0.1", "prefix": 33}):
        refused("addresses", (400,), "POST", "/addresses", body)
    for body in ({"provider": "ONPREM", "region": "NOWHERE", "host": "new"}, {"provider": "NOBODY", "region": "EU_NORTH", "host": "new"}, {"provider": "ONPREM", "region": "EU_NORTH", "host": "a b"}):
        refused("a token", (400,), "POST", "/tokens", body)
    refused("a region of nobody", (400,), "POST", "/regions", {"provider": "NOBODY", "name": "EU"})
    refused("a size of nothing", (400,), "POST", "/sizes", {"name": "M10", "cpus": 0, "memoryMb": 1, "diskGb": 1})
    refused("an agreement of old", (400,), "POST", "/organizations/%s:agree" % values["orgId"], {"until": "1969-01-01T00:00:00Z"})
    refused("only spaces", (400,), "POST", "/organizations/%s:lock" % values["orgId"], {"reason": "   "})
    suite.equal(state(), before, "what wrong requests changed")
    suite.say("%d wrong requests" % count)


# ---- As it should be ----
class Good:
    """Asks, holds what comes back against the tables, and remembers which operations succeeded."""

    def __init__(self, suite, desk, table):
        self.suite, self.desk, self.table, self.done = suite, desk, table, set()

    def __call__(self, operation, path, body=None, **more):
        row = next(row for row in self.table if row["operation"] == operation)
        reply = self.desk.ask(row["method"], path, body, **more)
        if not self.suite.check(reply.status == row["success"], "%s %s: %r", operation, path, reply):
            return reply.json() or {}
        self.done.add(operation)
        document = reply.json()
        self.suite.equal(reply.headers.get("content-type"), "application/json" if document else None, "media type of " + operation)
        known = {field["name"] for field in row.get("response") or []} | {"links"}
        if row["shape"] == "list":
            items = document["results"]
            self.suite.check(document.get("totalCount", 0) >= len(items) and document["links"], "a list: %r", reply)
        else:
            items = [document] if document and row["shape"] != "file" else []
        for item in items:
            self.suite.check(set(item) <= known, "%s answers with fields that its table does not have: %s", operation, set(item) - known)
        if row["shape"] == "nothing":
            self.suite.equal((reply.status, reply.body), (204, b""), operation)
        self.last = reply
        return document


def empty_hosts():
    """Hosts without members, that nothing was done to yet."""
    return sql("SELECT string_agg(name, ' ' ORDER BY id) FROM host h WHERE state = 'ACTIVE' AND name LIKE 'h%' AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.host_id = h.id)").split()


def test_support(suite, good):
    """Sessions on a tenant's cluster as their tables say; what they mean is in support_test.py."""
    cluster = sql("SELECT encode(r.id, 'hex') FROM resource r JOIN cluster c ON c.id = r.id WHERE r.kind = 'cluster' ORDER BY r.id LIMIT 1")
    sql("UPDATE resource SET document = document || '{\"vendorEmployeeAccessGrant\": {\"grantType\": \"CLUSTER_INFRASTRUCTURE\", \"expirationTime\": "
        "\"2099-01-01T00:00:00Z\"}}' WHERE id = decode('%s', 'hex')" % cluster)
    opened = good("openSupportSession", "/supportSessions", {"cluster": cluster, "reason": "Ticket 1", "from": "198.51.100.0/24", "hours": 2})
    listed = good("listSupportSessions", "/supportSessions")["results"]
    suite.equal([(one["sessionId"], one["reason"], one["from"]) for one in listed], [(opened["sessionId"], "Ticket 1", "198.51.100.0/24")], "open sessions")
    good("endSupportSession", "/supportSessions/" + opened["sessionId"])
    suite.equal(good("listSupportSessions", "/supportSessions")["results"], [], "sessions after it was ended")


def test_clusters(suite, good, desk):
    """The clusters of all tenants: every filter against what the database says, every order, and what a name can mean."""
    total = int(sql("SELECT count(*) FROM cluster"))
    listed = good("listOperatedClusters", "/clusters?itemsPerPage=500")["results"]
    suite.equal((len(listed), [one["name"] for one in listed]), (total, sorted(one["name"] for one in listed)), "all clusters, by name")
    suite.check(total > 1 and listed[0]["links"][0]["href"].endswith(PREFIX + "/clusters/" + listed[0]["id"]), "links of items: %r", listed[0])
    pages = [good("listOperatedClusters", "/clusters?itemsPerPage=1&pageNum=%d" % number)["results"][0]["id"] for number in range(1, total + 1)]
    suite.equal(pages, [one["id"] for one in listed], "page by page")
    one = next(row for row in listed if row["hosts"])
    for query, wanted in (("host=" + one["hosts"][0], lambda row: one["hosts"][0] in row["hosts"]), ("region=" + one["region"].split(",")[0], lambda row: one["region"].split(",")[0] in row["region"].split(",")),
                          ("size=" + one["size"].split(",")[0], lambda row: one["size"].split(",")[0] in row["size"].split(",")), ("state=" + one["state"], lambda row: row["state"] == one["state"]),
                          ("version=" + one["version"].split(".")[0], lambda row: row["version"].split(".")[0] == one["version"].split(".")[0]), ("version=1", lambda row: False),
                          ("change=IDLE", lambda row: row["change"] == "IDLE"), ("project=" + one["projectId"], lambda row: row["projectId"] == one["projectId"]),
                          ("organization=" + one["orgId"], lambda row: row["orgId"] == one["orgId"]), ("search=" + one["id"], lambda row: row["id"] == one["id"]),
                          ("search=" + one["name"][:3].upper(), lambda row: one["name"][:3] in (row["name"] + " " + row["project"] + " " + row["organization"]).lower()),
                          ("primaryHost=nobody", lambda row: False), ("unprovenDays=0", lambda row: True), ("minLagBytes=1", lambda row: (row["lagBytes"] or 0) >= 1)):
        found = good("listOperatedClusters", "/clusters?itemsPerPage=500&" + query)["results"]
        suite.equal([row["id"] for row in found], [row["id"] for row in listed if wanted(row)], "clusters with " + query)
    sql("UPDATE cluster_member SET role = 'REPLICA' WHERE cluster_id = '\\x%s'" % one["id"])
    sql("UPDATE cluster_member SET role = 'PRIMARY', unit = 'active', reported_at = now(), lag_bytes = 0, timeline = 2, version = '17.6', desired = 'RUNNING', problem = NULL "
        "WHERE id = (SELECT id FROM cluster_member WHERE cluster_id = '\\x%s' ORDER BY ordinal LIMIT 1)" % one["id"])
    primary = sql("SELECT h.name FROM host h JOIN cluster_member m ON m.host_id = h.id WHERE m.cluster_id = '\\x%s' AND m.role = 'PRIMARY'" % one["id"])
    found = good("listOperatedClusters", "/clusters?primaryHost=" + primary)["results"]
    suite.check(one["id"] in [row["id"] for row in found] and all(row["state"] in ("HEALTHY", "DEGRADED") for row in found), "a cluster with a primary: %r", found)
    for sort in ("state", "project", "organization", "primary", "region", "size", "version", "lag", "proven", "members", "created", "name"):
        forth = [row["id"] for row in good("listOperatedClusters", "/clusters?itemsPerPage=500&sort=" + sort)["results"]]
        back = [row["id"] for row in good("listOperatedClusters", "/clusters?itemsPerPage=500&reverse=true&sort=" + sort)["results"]]
        suite.equal((back[::-1], sorted(forth)), (forth, sorted(row["id"] for row in listed)), "sorted by " + sort)
    shown = good("showOperatedCluster", "/clusters/" + one["id"])
    suite.equal((shown["name"], shown["members"], [member["host"] for member in shown["memberList"] if member["role"] == "PRIMARY"]), (one["name"], len(shown["memberList"]), [primary]), "one cluster")
    same = [row for row in listed if row["name"] == one["name"]]
    reply = desk.ask("GET", "/clusters/" + one["name"])
    suite.equal(reply.status, 200 if len(same) == 1 else 400, "a name that %d clusters have" % len(same))
    suite.equal(good("showOperatedCluster", "/clusters/%s%%2F%s%%2F%s" % (one["organization"].replace(" ", "%20"), one["project"].replace(" ", "%20"), one["name"]))["id"], one["id"], "ORGANIZATION/PROJECT/NAME")
    sql("INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) SELECT '\\x%s', org_id, project_id, 'twin', 'twin01', '17' FROM cluster WHERE id = '\\x%s'; "
        "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) SELECT '\\x%s', org_id, id, 'twin', 'twin02', '17' FROM project WHERE id <> '\\x%s' ORDER BY id LIMIT 1"
        % (new_id(), one["id"], new_id(), one["projectId"]))
    reply = desk.ask("GET", "/clusters/twin")
    suite.check(reply.status == 400 and reply.code() == "INVALID_PATH_PARAMETER" and "/twin (" in reply.body.decode(), "a name that several have: %r", reply)
    suite.equal(desk.ask("GET", "/clusters/nobody").status, 404, "a name that none has")
    sql("DELETE FROM cluster WHERE name = 'twin'")


def test_capacity(suite, good, desk):
    """What fits, and for how long: unknown, steady, growing and full."""
    hosts = "purpose = 'DATABASE' AND state = 'ACTIVE'"
    sql("UPDATE host SET last_seen_at = now() WHERE " + hosts)
    region = sql("SELECT region FROM host WHERE " + hosts + " ORDER BY id LIMIT 1")

    def ask():
        return {row["size"]: row for row in good("listCapacity", "/capacity?itemsPerPage=500&region=" + region)["results"]}

    first = ask()["M10"]
    suite.check(first["forecast"] == "UNKNOWN" and first["daysUntilFull"] is None and first["room"] > 0, "without history nobody knows: %r", first)
    day = "INSERT INTO capacity_day SELECT provider, region, current_date - i, now(), 1, 1, 100, 50 - %s * i, 100000, 1000, 1000, 10 FROM generate_series(0, %d) i, " \
          "(SELECT DISTINCT provider, region FROM host WHERE region = '%s') h"
    sql(day % ("1", 5, region))
    suite.equal(ask()["M10"]["forecast"], "UNKNOWN", "six days are too few")
    sql("TRUNCATE capacity_day; " + day % ("0", 13, region))
    suite.equal((ask()["M10"]["forecast"], ask()["M10"]["daysUntilFull"]), ("STEADY", None), "nothing grows")
    sql("TRUNCATE capacity_day; " + day % ("1", 13, region))
    cpus = float(sql("SELECT cpus FROM instance_size WHERE name = 'M10'"))
    grown = ask()["M10"]
    suite.equal((grown["forecast"], grown["historyDays"], grown["growthPerDay"], grown["daysUntilFull"]),
                ("GROWING", 14, round(1 / cpus, 2), int(grown["room"] / (1 / cpus))), "a processor more every day")
    suite.check([row for row in ask().values() if row["room"] == 0 and row["forecast"] == "FULL" and row["daysUntilFull"] == 0] or all(row["room"] for row in ask().values()), "what does not fit is full: %r", ask())
    sql("TRUNCATE capacity_day; SET reeve.service = 'on'; SELECT capacity_note(); SELECT capacity_note()")
    suite.equal(sql("SELECT count(*) = (SELECT count(DISTINCT (provider, region)) FROM host WHERE %s) FROM capacity_day" % hosts), "t", "a row a day and region")


def test_drain_plan(suite, good, desk):
    """What a drain would do is what it then does, and asking changes nothing."""
    used = sql("SELECT h.name FROM host h JOIN cluster_member m ON m.host_id = h.id AND m.desired IN ('PLANNED', 'RUNNING') GROUP BY h.name ORDER BY count(*) DESC LIMIT 1")
    before = state()
    plan = good("drainHost", "/hosts/%s:drain?dryRun=true" % used)
    suite.equal(state(), before, "what a dry run changed")
    suite.check(len(plan["moves"]) == plan["moving"] + plan["waiting"] > 0 and "jobId" not in plan and "operation-location" not in good.last.headers, "a plan: %r", plan)
    suite.check(all(move["to"] != used for move in plan["moves"]), "nobody stays: %r", plan)
    for move in plan["moves"]:
        others = sql("SELECT string_agg(h.name, ' ') FROM cluster_member m JOIN host h ON h.id = m.host_id JOIN cluster c ON c.id = m.cluster_id WHERE c.name = '%s'" % move["cluster"]).split()
        suite.check(move["to"] is None or move["to"] not in others, "members of a cluster never share a host: %r, %s", move, others)
        suite.check(move["to"] is not None or move["waitsFor"], "why it would wait: %r", move)
    sql("UPDATE host SET state = 'DRAINED' WHERE state = 'ACTIVE' AND purpose = 'DATABASE' AND name <> '%s'" % used)
    full = good("drainHost", "/hosts/%s:drain?dryRun=true" % used)
    sql("UPDATE host SET state = 'ACTIVE' WHERE state = 'DRAINED' AND purpose = 'DATABASE'")
    suite.check(full["moving"] == 0 and full["switchovers"] == 0 and any("has room" in (move["waitsFor"] or "") for move in full["moves"]), "nowhere to go: %r", full)
    suite.equal(desk.ask("POST", "/hosts/nobody:drain?dryRun=true").status, 404, "a host that is not there")


def test_host_order(suite, good):
    listed = good("listHosts", "/hosts?itemsPerPage=500&sort=full")["results"]
    full = [one["fullPercent"] or 0 for one in listed]
    suite.equal(full, sorted(full, reverse=True), "the fullest host first")
    suite.equal({one["purpose"] for one in good("listHosts", "/hosts?purpose=REPOSITORY&sort=members")["results"]}, {"REPOSITORY"}, "hosts for backups")
    suite.equal(good("listHosts", "/hosts?region=NOWHERE")["results"], [], "a region without hosts")
    suite.equal({one["state"] for one in good("listHosts", "/hosts?state=ACTIVE&sort=silent")["results"]}, {"ACTIVE"}, "hosts by state")


def test_hosts(suite, good, desk):
    hosts = good("listHosts", "/hosts?itemsPerPage=7&pageNum=2")
    suite.equal((len(hosts["results"]), hosts["totalCount"], [link["rel"] for link in hosts["links"]]), (7, 24, ["self", "previous", "next"]), "a page of hosts: twenty for members, two for backups, two relays")
    suite.check(hosts["results"][0]["links"][0]["href"].endswith(PREFIX + "/hosts/" + hosts["results"][0]["name"]), "links of items: %r", hosts["results"][0])
    suite.equal(len(good("listHosts", "/hosts?itemsPerPage=500")["results"]), 24, "all hosts")
    used = sql("SELECT h.name FROM host h JOIN cluster_member m ON m.host_id = h.id LIMIT 1")
    shown = good("showHost", "/hosts/" + used)
    suite.check(shown["members"] == len(shown["memberList"]) > 0, "a host with its members: %r", shown)
    reply = desk.ask("DELETE", "/hosts/" + used)
    suite.equal((reply.status, reply.code(), reply.json()["parameters"]), (409, "HOST_HAS_MEMBERS", [used, shown["members"]]), "a host with members is not removed")
    drained = good("drainHost", "/hosts/%s:drain" % used)
    location = good.last.headers["operation-location"]
    suite.equal((drained["state"], sql("SELECT state FROM host WHERE name = '%s'" % used)), ("DRAINING", "DRAINING"), "draining")
    suite.check(location.endswith("%s/jobs/%s" % (PREFIX, drained["jobId"])), "where to look how far it is: %s", location)
    job = good("showJob", "/jobs/" + drained["jobId"])
    suite.equal((job["kind"], job["subjectName"], [step["name"] for step in job["steps"]]), ("host.drain", used, ["move-members", "finish"]), "the job that drains it")
    good("cancelJob", "/jobs/%s:cancel" % drained["jobId"])
    suite.equal(good("activateHost", "/hosts/%s:activate" % used)["state"], "ACTIVE", "activating")
    empty = empty_hosts()[-1]
    good("removeHost", "/hosts/" + empty)
    suite.equal((sql("SELECT state FROM host WHERE name = '%s'" % empty), desk.ask("DELETE", "/hosts/" + empty).status), ("REMOVED", 404), "a host that was removed")
    good("removeHost", "/hosts/%s?lost=true" % used)
    suite.check("operation-location" in good.last.headers, "giving a host up goes on")
    sql("UPDATE job SET state = 'CANCELLED', finished_at = now() WHERE kind = 'host.drain' AND finished_at IS NULL")
    # A name needs encoding, and a verb may be part of it.
    sql("INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb) VALUES (decode('%s', 'hex'), 'a b/c:drain', 'ONPREM', 'EU_NORTH', 'z', 1, 1, 1)" % new_id())
    suite.equal(good("showHost", "/hosts/a%20b%2Fc%3Adrain")["name"], "a b/c:drain", "a name with everything in it")


def test_addresses(suite, good, desk):
    host = empty_hosts()[0]
    added = good("addAddresses", "/addresses", {"host": host, "range": "10.77.0.0/29", "privateFirst": "192.168.7.1"})
    suite.equal((added["asked"], added["added"]), (6, 6), "a block without its ends")
    again = good("addAddresses", "/addresses", {"host": host, "range": "10.77.0.5-10.77.0.8", "prefix": 24})
    suite.equal((again["asked"], again["added"]), (4, 2), "what is there already")
    good("addAddresses", "/addresses", {"host": host, "range": "2001:db8::10-2001:db8::11"})
    listed = good("listAddresses", "/addresses?host=%s&itemsPerPage=500" % host)["results"]
    suite.equal([(one["address"], one["privateAddress"], one["host"], one["memberId"]) for one in listed if one["address"] == "10.77.0.3"],
                [("10.77.0.3", "192.168.7.3", host, None)], "the list of addresses")
    suite.equal(good("removeAddresses", "/addresses/%s/10.77.0.1-10.77.0.3" % host)["removed"], 3, "taking away some")
    suite.equal(good("removeAddresses", "/addresses/" + host + "/10.77.0.0%2F28")["removed"], 5, "taking away a block")
    taken = sql("SELECT host(a.address) || ' ' || h.name FROM host_address a JOIN host h ON h.id = a.host_id WHERE member_id IS NOT NULL AND h.state = 'ACTIVE' LIMIT 1").split(" ", 1)
    if len(taken) == 2:
        suite.equal(good("removeAddresses", "/addresses/%s/%s" % (taken[1], taken[0]))["removed"], 0, "what a member has stays")


def test_etcd_groups(suite, good, desk):
    """Where members of clusters agree. Nobody here has an etcd, so what workers would do is taken back at the end."""
    suite.equal(good("listOwnBackups", "/ownBackups")["results"], [], "who keeps the control plane's database")
    suite.equal([(one["name"], one["auth"], one["endpoints"]) for one in good("listEtcdGroups", "/etcdGroups")["results"]], [("default", "OFF", [])], "the one of reeve.conf")
    group = {"name": "west1", "endpoints": ["https://10.0.0.31:2379"], "regions": ["OWN/EU_WEST"], "capacity": 2}
    good("addEtcdGroup", "/etcdGroups", group)
    suite.equal(desk.ask("POST", "/etcdGroups", group).code(), "DUPLICATE_NAME", "a group twice")
    for endpoint in ("http://10.0.0.31:2379", "https://10.0.0.31:2379/", "https://10.0.0.31\n"):
        reply = desk.ask("POST", "/etcdGroups", {**group, "name": "west2", "endpoints": [endpoint]})
        suite.equal((reply.status, reply.code()), (400, "INVALID_ATTRIBUTE_VALUE"), "endpoint %r" % endpoint)
    good("changeEtcdGroup", "/etcdGroups/west1", {"state": "DRAINING", "capacity": 5})
    west = next(one for one in good("listEtcdGroups", "/etcdGroups")["results"] if one["name"] == "west1")
    suite.equal((west["state"], west["capacity"], west["auth"], west["clusters"]), ("DRAINING", 5, "PREPARED", 0), "the changed group")
    suite.check("root" not in west and sql("SELECT count(*) FROM etcd_group WHERE length(root) > 64 AND name = 'west1'") == "1", "its root's password is kept, and not shown: %r", west)
    good("secureEtcdGroup", "/etcdGroups/default:secure")
    suite.equal(sql("SELECT auth || (root IS NOT NULL) FROM etcd_group WHERE name = 'default'"), "PREPAREDtrue", "the group of reeve.conf, with users")
    good("removeEtcdGroup", "/etcdGroups/west1")
    for method in ("PATCH", "DELETE"):
        suite.equal(desk.ask(method, "/etcdGroups/west1", {} if method == "PATCH" else None).status, 404, method + " of a group that is gone")
    sql("UPDATE etcd_group SET auth = 'OFF', root = NULL")


def test_store_roles(suite, good, desk, keys):
    """Where a project may write in a store: tried out before it is added, for an external id that a project has, and where nobody else writes."""
    (name, secret), path = keys, "/objectStores/west/roles"
    ids = [sql("SELECT gen_random_uuid()") for _ in range(2)]
    for external in ids:
        sql("INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT p.id, 'providerRole', '\\x%s', '%s', p.org_id, '{\"serviceAssumedRoleExternalId\": \"%s\"}' FROM project p ORDER BY p.id LIMIT 1"
            % (*(2 * (new_id(),)), external))
    role = {"name": "checkout", "externalId": ids[0], "bucket": "tenants", "prefix": "checkout/", "accessKeyId": name, "secretAccessKey": secret}
    for change, status, code in (({"secretAccessKey": "wrong"}, 409, "OBJECT_STORE_UNUSABLE"), ({"bucket": "elsewhere"}, 409, "OBJECT_STORE_UNUSABLE"),
                                 ({"externalId": "00000000-0000-4000-8000-000000000000"}, 400, "INVALID_ATTRIBUTE_VALUE"), ({"bucket": "backups"}, 400, "INVALID_ATTRIBUTE_VALUE"),
                                 ({"prefix": "../"}, 400, "INVALID_ATTRIBUTE_VALUE"), ({"prefix": "a/../b/"}, 400, "INVALID_ATTRIBUTE_VALUE"), ({"prefix": "/"}, 400, "INVALID_ATTRIBUTE_VALUE"),
                                 ({"prefix": "open"}, 400, "INVALID_ATTRIBUTE_VALUE"), ({"secretAccessKey": " a"}, 400, "INVALID_ATTRIBUTE_VALUE")):
        reply = desk.ask("POST", path, {**role, **change})
        suite.equal((reply.status, reply.code()), (status, code), "a role with %s" % change)
    made = good("addStoreRole", path, role)
    suite.equal((made["arn"], made["isAuthorized"], "secretAccessKey" in made), ("arn:reeve:s3::west:role/checkout", False, False), "what is answered")
    suite.equal(desk.ask("POST", path, role).code(), "DUPLICATE_NAME", "a role twice")
    for prefix in ("checkout/", "checkout/below/", ""):
        reply = desk.ask("POST", path, {**role, "name": "other", "externalId": ids[1], "prefix": prefix})
        suite.equal((reply.status, reply.code()), (400, "INVALID_ATTRIBUTE_VALUE"), "another project's role at %r" % prefix)
    suite.equal([one["name"] for one in good("listStoreRoles", path)["results"]], ["checkout"], "the list")
    shown = good("showStoreRole", path + "/checkout")
    suite.check(shown["externalId"] == ids[0] and shown["projectId"] and not shown["isAuthorized"] and "accessKeyId" not in shown, "what is shown: %s", shown)
    suite.equal(desk.ask("PATCH", path + "/checkout", {"accessKeyId": name, "secretAccessKey": "wrong"}).code(), "OBJECT_STORE_UNUSABLE", "a key that does not work")
    good("changeStoreRole", path + "/checkout", {"accessKeyId": name, "secretAccessKey": secret})
    suite.equal(desk.ask("DELETE", "/objectStores/west").code(), "STILL_IN_USE", "a store that a role is in")
    written = sql("SELECT string_agg(request::text, ' ') FROM operator_action WHERE operation LIKE '%StoreRole'")
    suite.check("***" in written and secret not in written and name not in written, "what is written down: %s", written)
    good("removeStoreRole", path + "/checkout")
    for method, way in (("GET", "/checkout"), ("PATCH", "/checkout"), ("DELETE", "/checkout")):
        suite.equal(desk.ask(method, path + way, {"accessKeyId": name, "secretAccessKey": secret} if method == "PATCH" else None).status, 404, method + " of a role that is gone")
    suite.equal([desk.ask("GET", "/objectStores/east/roles").status, desk.ask("POST", "/objectStores/east/roles", role).status], [404, 404], "roles in a store that there is not")
    sql("DELETE FROM resource WHERE kind = 'providerRole'")


def test_object_stores(suite, good, desk):
    """Where repository hosts can keep backups. Each is tried out before it is added, and no key is ever shown."""
    key, secret = "KEEPER", "staple/battery+horse=correct"
    with object_server({key: secret}, ["backups", "tenants"]) as (endpoint, authority):
        store = {"name": "west", "endpoint": endpoint, "bucket": "backups", "uriStyle": "path", "authority": authority, "accessKeyId": key, "secretAccessKey": secret}
        for change, word in (({"secretAccessKey": "wrong"}, "SignatureDoesNotMatch"), ({"accessKeyId": "OTHER"}, "InvalidAccessKeyId"), ({"bucket": "elsewhere"}, "NoSuchBucket"),
                             ({"authority": ""}, "does not answer"), ({"endpoint": "https://localhost:9"}, "does not answer"), ({"endpoint": "https://no.such.name.invalid"}, "Correct the endpoint"),
                             ({"objectLock": True}, "Object Lock")):
            reply = desk.ask("POST", "/objectStores", {**store, **change})
            suite.check((reply.status, reply.code()) == (409, "OBJECT_STORE_UNUSABLE") and word in reply.json()["detail"], "%s: %r", change, reply)
        for change in ({"endpoint": "http://localhost"}, {"endpoint": endpoint + "/x"}, {"endpoint": "https://a@b"}, {"secretAccessKey": "a\nb"}, {"secretAccessKey": " a"}, {"path": "a"},
                       {"path": "/../a b"}, {"bucket": "A_B"}, {"uriStyle": "other"}):
            suite.equal(desk.ask("POST", "/objectStores", {**store, **change}).status, 400, "%s" % change)
        made = good("addObjectStore", "/objectStores", store)
        suite.equal((made["name"], made["path"], made["objectLock"], "secretAccessKey" in made), ("west", "/", False, False), "what is answered")
        suite.equal(desk.ask("POST", "/objectStores", store).code(), "DUPLICATE_NAME", "a store twice")
        suite.equal([one["name"] for one in good("listObjectStores", "/objectStores")["results"]], ["west"], "the list")
        shown = good("showObjectStore", "/objectStores/west")
        suite.equal((shown["endpoint"], shown["seats"], shown["hosts"], shown["usedBytes"]), (endpoint, 0, [], 0), "what is shown")
        good("tryObjectStore", "/objectStores/west:try")
        test_store_roles(suite, good, desk, (key, secret))
        suite.equal(desk.ask("PATCH", "/objectStores/west", {"secretAccessKey": "wrong"}).code(), "OBJECT_STORE_UNUSABLE", "a key that does not work")
        good("changeObjectStore", "/objectStores/west", {"accessKeyId": key, "secretAccessKey": secret})
    suite.equal(desk.ask("POST", "/objectStores/west:try").code(), "OBJECT_STORE_UNUSABLE", "a store that is away")
    place = {"provider": "ONPREM", "region": "EU_NORTH", "host": "r9", "purpose": "REPOSITORY"}
    for change in ({"objectStore": "east"}, {"objectStore": "west", "purpose": "DATABASE"}):
        suite.equal(desk.ask("POST", "/tokens", {**place, **change}).code(), "INVALID_ATTRIBUTE_VALUE", "%s" % change)
    good("createToken", "/tokens", {**place, "objectStore": "west"})
    suite.equal(sql("SELECT object_store FROM join_token WHERE host_name = 'r9'"), "west", "the token of a host that writes to it")
    written = sql("SELECT string_agg(request::text, ' ') FROM operator_action WHERE operation LIKE '%ObjectStore'")
    suite.check("***" in written and secret not in written and key not in written, "what is written down: %s", written)
    sql("UPDATE host SET object_store = 'west' WHERE name = (SELECT max(name) FROM host)")
    reply = desk.ask("DELETE", "/objectStores/west")
    suite.equal((reply.status, reply.code()), (409, "STILL_IN_USE"), "a store that a host writes to")
    sql("UPDATE host SET object_store = NULL")
    good("removeObjectStore", "/objectStores/west")
    for method, path in (("GET", ""), ("PATCH", ""), ("POST", ":try"), ("DELETE", "")):
        suite.equal(desk.ask(method, "/objectStores/west" + path, {} if method == "PATCH" else None).status, 404, method + " of a store that is gone")
    sql("DELETE FROM join_token WHERE host_name = 'r9'")


def refused(suite, reply, wanted, what):
    suite.equal((reply.status, reply.code()), wanted, what)


def test_updates(suite, good, desk):
    """Servers of a cluster run 17.6, and its hosts have 17.7: as agents would say it. No worker is asked to do anything."""
    cluster, name = sql("SELECT encode(c.id, 'hex') || ' ' || c.name FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id GROUP BY c.id ORDER BY count(*) DESC, c.id LIMIT 1").split(" ", 1)
    sql("UPDATE host SET last_seen_at = now(), facts = facts || '{\"postgresVersions\": [\"17.6\"]}'; UPDATE cluster SET major_version = '17'; UPDATE cluster_member SET version = '17.6'")
    refused(suite, desk.ask("POST", "/updates", {}), (409, "UPDATE_NOT_POSSIBLE"), "nothing to update")
    sql("UPDATE host SET facts = facts || '{\"postgresVersions\": [\"17.7\"]}' WHERE id IN (SELECT host_id FROM cluster_member WHERE cluster_id = decode('%s', 'hex'))" % cluster)
    sql("UPDATE resource SET state = 'IDLE' WHERE id = decode('%s', 'hex')" % cluster)
    shown = {row["clusterId"]: row for row in good("listVersions", "/versions?itemsPerPage=500")["results"]}
    suite.equal((shown[cluster]["verdict"], shown[cluster]["running"], shown[cluster]["installed"]), ("BEHIND", "17.6", "17.7"), "a cluster whose hosts have something newer")
    suite.check(all(row["verdict"] == "BEHIND" for row in good("listVersions", "/versions?verdict=BEHIND")["results"]), "clusters of one verdict")
    refused(suite, desk.ask("POST", "/updates", {"canaries": ["nobody"]}), (400, "INVALID_ATTRIBUTE_VALUE"), "a canary that is not there")
    refused(suite, desk.ask("POST", "/updates", {"clusters": [cluster], "version": "17.8"}), (409, "UPDATE_NOT_POSSIBLE"), "a version that no host has")
    plan = desk.ask("POST", "/updates?dryRun=true", {"clusters": [cluster]}).json()
    suite.equal(([one["clusterId"] for one in plan["clusters"] if one["state"] == "WAITING"], sql("SELECT count(*) FROM fleet_update")), ([cluster], "0"), "a plan")
    update = good("startUpdate", "/updates", {"clusters": [cluster], "canaries": [cluster]})
    suite.check(good.last.headers["operation-location"].endswith("/jobs/" + update["jobId"]), "where to look how far it is")
    suite.equal((update["state"], update["clusters"][0]["isCanary"], update["createdBy"]), ("RUNNING", True, "ada"), "a rollout")
    refused(suite, desk.ask("POST", "/updates", {}), (409, "UPDATE_NOT_POSSIBLE"), "a second one")
    path = "/updates/" + update["id"]
    suite.equal(good("showUpdate", path)["total"], 1, "its clusters")
    suite.equal(good("listUpdates", "/updates")["results"][0]["id"], update["id"], "all rollouts")
    suite.equal(good("stopUpdate", path + ":stop")["state"], "STOPPED", "stopped")
    refused(suite, desk.ask("POST", path + ":stop"), (409, "UPDATE_NOT_POSSIBLE"), "stopped again")
    suite.equal(good("continueUpdate", path + ":continue", {"skipFailed": False})["state"], "RUNNING", "continued")
    refused(suite, desk.ask("GET", "/updates/" + new_id()), (404, "RESOURCE_NOT_FOUND"), "one that is not there")
    sql("UPDATE job SET state = 'CANCELLED', finished_at = now() WHERE kind IN ('fleet.update', 'cluster.version') AND finished_at IS NULL; DELETE FROM fleet_update")


def test_places(suite, good, desk, node):
    good("addProvider", "/providers", {"name": "OWN"})
    good("addProvider", "/providers", {"name": "OWN"})
    good("addRegion", "/regions", {"provider": "OWN", "name": "EU_WEST-1"})
    suite.check({"name": "OWN", "regions": 1}.items() <= next(one for one in good("listProviders", "/providers")["results"] if one["name"] == "OWN").items(), "the new provider")
    suite.check(any(one["name"] == "EU_WEST-1" and one["hosts"] == 0 for one in good("listRegions", "/regions")["results"]), "the new region")
    for path in ("/providers/OWN", "/regions/ONPREM/EU_NORTH", "/sizes/M10"):
        reply = desk.ask("DELETE", path)
        suite.equal((reply.status, reply.code()), (409, "STILL_IN_USE"), path)
    key = {"Idempotency-Key": "one-token"}
    made = good("createToken", "/tokens", {"provider": "OWN", "region": "EU_WEST-1", "host": "n1"}, headers=key)
    again = good("createToken", "/tokens", {"provider": "OWN", "region": "EU_WEST-1", "host": "n1"}, headers=key)
    suite.check(made["token"] == again["token"] and good.last.headers.get("idempotency-replayed") == "true", "the same token for the same key: %r", again)
    suite.check(made["command"].endswith(" --token %s --start" % made["token"]) and made["token"].startswith("reeve_join_") and made["hours"] == 1, "a token to join with: %r", made)
    suite.equal(desk.ask("POST", "/tokens", {"provider": "OWN", "region": "EU_WEST-1", "host": "n2"}, headers=key).code(), "IDEMPOTENCY_KEY_REUSED", "another request with the key")
    suite.equal(sql("SELECT count(*) FROM join_token"), "1", "tokens that were made")
    suite.equal(sql("SELECT count(*) FROM operator_action WHERE operation = 'createToken'"), "1", "and what is written down of it")
    good("removeRegion", "/regions/OWN/EU_WEST-1")
    good("removeProvider", "/providers/OWN")
    size = good("addSize", "/sizes", {"name": "TINY", "cpus": 0.1, "memoryMb": 64, "diskGb": 1})
    suite.check(b'"cpus":0.1,' in good.last.body, "numbers as people write them: %r", good.last)
    suite.equal((size["cpus"], size["maxConnections"], size["ordinal"]), (0.1, 100, 64), "a size")
    good("addSize", "/sizes", {"name": "TINY", "cpus": 0.125, "memoryMb": 64, "diskGb": 2, "ordinal": 0})
    listed = good("listSizes", "/sizes")["results"]
    suite.equal([(one["name"], one["cpus"], one["diskGb"]) for one in listed][0], ("TINY", 0.125, 2), "the changed size comes first")
    suite.equal([one["name"] for one in good("addDefaultSizes", "/sizes:defaults")["results"]][:3], ["FLEX", "M0", "M10"], "the usual sizes")
    suite.check(b'"cpus":0.1,' in desk.ask("GET", "/sizes").body, "also in lists")
    good("removeSize", "/sizes/TINY")


def test_jobs(suite, good, desk, world):
    org, project = world.a.home, world.p2
    failed = world.make_operation(org, project, state="FAILED", waits_for="No host has room.")
    running = world.make_operation(org, project, done=("place",))
    queued = world.make_operation(org, project, state="QUEUED", step="place")
    done = world.make_operation(org, project, state="DONE")
    ids = lambda query: [one["id"] for one in good("listJobs", "/jobs?groupId=%s%s" % (project, query))["results"]]
    suite.equal(ids(""), [queued, running, failed], "what is open, newest first")
    suite.equal((ids("&state=ALL"), ids("&state=DONE"), ids("&state=OPEN&itemsPerPage=1&pageNum=2")), ([done, queued, running, failed], [done], [running]), "other states, and pages")
    shown = good("showJob", "/jobs/" + running)
    suite.equal((shown["state"], [one["outcome"] for one in shown["history"]]), ("RUNNING", ["DONE"]), "a job with its history")
    reply = desk.ask("POST", "/jobs/%s:cancel" % running)
    suite.equal((reply.status, reply.code()), (409, "JOB_NOT_CHANGEABLE"), "giving up what was begun")
    good("retryJob", "/jobs/%s:retry" % failed)
    suite.check(good.last.headers["operation-location"].endswith("/jobs/" + failed), "a retry goes on")
    good("cancelJob", "/jobs/%s:cancel" % queued)
    suite.equal(sql("SELECT string_agg(state, ' ' ORDER BY seq) FROM job WHERE project_id = decode('%s', 'hex')" % project), "QUEUED RUNNING CANCELLED DONE", "what became of them")
    events = world.must(200, "GET", "/groups/%s/events?eventType=OPERATION_RETRIED&eventType=OPERATION_CANCELLED" % project, world.a.bearer()).json()["results"]
    suite.equal([(one["eventTypeName"], one["username"], one["remoteAddress"], one["after"]["operationId"]) for one in events],
                [("OPERATION_CANCELLED", "ada", "127.0.0.1", queued), ("OPERATION_RETRIED", "ada", "127.0.0.1", failed)], "the tenant reads who did it")
    suite.equal(sql("SELECT worker FROM job_history WHERE job_id = decode('%s', 'hex') AND outcome = 'CANCELLED'" % queued), "ada", "so does the job's history")


def test_limits(suite, good, desk, world):
    org, path = world.b.home, "/limits/org/%s/" % world.b.home
    sql("DELETE FROM limit_override WHERE owner = decode('%s', 'hex')" % org)
    good("setLimit", path + "S17", {"capacity": 5, "refillRate": 2})
    good("setLimit", "/limits/project/%s/S03" % world.q, {"capacity": 7, "refillRate": 3})
    good("setLimit", "/limits/user/%s/S26" % world.b.key, {"capacity": 9, "refillRate": 4})
    listed = good("listLimits", "/limits?owner=" + org)["results"]
    suite.equal([(one["ownerKind"], one["endpointSetId"], one["capacity"], one["refillRate"]) for one in listed], [("org", "S17", 5, 2)], "the limits of an organization")
    suite.check(len(good("listLimits", "/limits?itemsPerPage=500")["results"]) >= 3, "all limits")
    good("setLimit", path + "all", {"capacity": 1000000000, "refillRate": 1000000000})
    suite.check(int(sql("SELECT count(*) FROM limit_override WHERE owner = decode('%s', 'hex')" % org)) > 60, "all sets at once")
    good("resetLimit", path + "S17")
    suite.equal(desk.ask("DELETE", path + "S17").status, 404, "what was taken away")
    good("resetLimit", "/limits/project/%s/S03" % world.q)
    good("resetLimit", "/limits/user/%s/S26" % world.b.key)
    events = world.must(200, "GET", "/orgs/%s/events?eventType=RATE_LIMIT_OVERRIDE_CHANGED" % org, world.b.bearer()).json()["results"]
    suite.equal({one["username"] for one in events}, {"ada"}, "events of the limits")


def test_accounts(suite, good, desk, world):
    org, path = world.b.home, "/organizations/" + world.b.home
    rename = lambda: world.connection.ask("PATCH", "%s/orgs/%s" % (TENANTS, org), world.b.bearer(), {"name": "World B"}).status
    suite.check(org in [one["id"] for one in good("listOperatedOrganizations", "/organizations?name=world%20b")["results"]], "an organization by its name")
    suite.equal((good("showOrganization", path)["locked"], good("listOperatedOrganizations", "/organizations?locked=true")["totalCount"]), (False, 0), "nobody is locked")
    suite.equal(good("lockOrganization", path + ":lock?dryRun=true", {"reason": "Just trying"})["changed"], True, "a dry run")
    suite.equal((good.last.headers.get("dry-run"), good("showOrganization", path)["locked"]), ("true", False), "changes nothing")
    suite.equal(good("lockOrganization", path + ":lock", {"reason": "Abuse"})["changed"], True, "locking")
    wait_until(lambda: rename() == 403, 10)
    suite.equal((rename(), good("lockOrganization", path + ":lock", {"reason": "Abuse"})["changed"]), (403, False), "a second time")
    shown = good("showOrganization", path)
    suite.equal((shown["locked"], shown["lockReason"], good("listOperatedOrganizations", "/organizations?locked=true")["totalCount"]), (True, "Abuse", 1), "what operators see")
    good("unlockOrganization", path + ":unlock")
    wait_until(lambda: rename() == 200, 10)
    events = world.must(200, "GET", "/orgs/%s/events?eventType=ORG_LOCKED&eventType=ORG_UNLOCKED" % org, world.b.bearer()).json()["results"]
    suite.equal([(one["eventTypeName"], one["username"]) for one in events], [("ORG_UNLOCKED", "ada"), ("ORG_LOCKED", "ada")], "events of the lock")
    suite.check(all(re.fullmatch(r"[0-9a-f]{32}", one["requestId"]) for one in events), "with the request: %r", events)
    # What is owed.
    seed_usage(org)
    invoice = good("listInvoices", "/invoices")["results"][0]
    suite.equal((invoice["orgId"], invoice["amountCents"]), (org, 16), "what nobody paid")
    sql("UPDATE organization SET locked_at = now(), lock_reason = 'overdue', lock_invoice = decode('%s', 'hex') WHERE id = decode('%s', 'hex')" % (invoice["invoiceId"], org))
    reply = desk.ask("POST", path + ":unlock")
    suite.equal((reply.status, reply.code()), (409, "LOCKED_FOR_INVOICE"), "a lock for an invoice is not ended by hand")
    good("agreeOrganization", path + ":agree", {"until": "2030-01-31T00:00:00Z"})
    suite.equal(good("showOrganization", path)["paymentAgreedUntil"], "2030-01-31T00:00:00Z", "what was agreed")
    suite.equal(good("agreeOrganization", path + ":agree", {"until": None})["until"], None, "the end of it")
    good("payInvoice", "/invoices/%s:pay" % invoice["invoiceId"], {"note": "Transfer"})
    reply = desk.ask("POST", "/invoices/%s:pay" % invoice["invoiceId"], {})
    suite.equal((reply.status, reply.code()), (409, "INVOICE_NOT_PAYABLE"), "what was paid before")
    events = world.must(200, "GET", "/orgs/%s/events?eventType=INVOICE_PAID&eventType=PAYMENT_AGREED" % org, world.b.bearer()).json()["results"]
    suite.equal([one["username"] for one in events], ["ada"] * 3, "events of payments")


def test_reeved(suite, node, world):
    """The commands of a node run the same operations, and are written down as well."""
    host, gone = empty_hosts()[:2]
    for words in (["fleet", "provider", "add", "BYHAND"], ["fleet", "region", "add", "BYHAND", "EU"], ["fleet", "size", "add", "BY_HAND", "--cpus", "0.5", "--memory-mb", "10", "--disk-gb", "1"],
                  ["fleet", "size", "defaults"], ["fleet", "address", "add", "--host", host, "10.78.0.1-10.78.0.4"], ["fleet", "host", "drain", host],
                  ["fleet", "host", "activate", host], ["fleet", "host", "remove", gone], ["fleet", "token", "--host", "n", "--provider", "BYHAND", "--region", "EU"],
                  ["limit", "set", "--org", world.a.home, "--set", "S17", "--capacity", "1000000", "--refill", "1000000"],
                  ["billing", "lock", world.b.home, "--reason", "By hand"], ["billing", "unlock", world.b.home]):
        done = node.run(*words, check=False)
        suite.check(done.returncode == 0 and "reeve_op_" not in done.stdout, "reeved %s: %r", " ".join(words), done)
    seen = sql("SELECT string_agg(operation, ' ' ORDER BY seq) FROM operator_action WHERE operator = 'reeved' AND address IS NULL AND operation NOT LIKE '%Operator'")
    suite.equal(seen, "addProvider addRegion addSize addDefaultSizes addAddresses drainHost activateHost removeHost createToken setLimit lockOrganization unlockOrganization",
                "what is written down of it")
    suite.equal(sql("SELECT host(a.address) FROM host_address a JOIN host h ON h.id = a.host_id WHERE h.name = '%s' AND a.address >= '10.78.0.1' ORDER BY 1 LIMIT 1" % host), "10.78.0.1", "addresses by hand")
    refused = node.run("fleet", "host", "remove", "nobody", check=False)
    suite.check(refused.returncode == 2 and "no such host" in refused.stderr, "a host that is not there: %r", refused)


def test_history(suite, good, desk):
    changes = [row["operation"] for row in good.table if row["method"] != "GET"]
    page = good("listHistory", "/history?operator=ada&itemsPerPage=500")["results"]
    suite.equal(sorted({one["operation"] for one in page}), sorted(changes), "every change is written down")
    suite.check(all(one["operator"] == "ada" and one["address"] == "127.0.0.1" and re.fullmatch(r"[0-9a-f]{32}", one["requestId"]) for one in page), "with who, where and which: %r", page[:2])
    suite.equal(next(one for one in page if one["operation"] == "lockOrganization")["request"], {"reason": "Abuse"}, "with what was sent")
    suite.check([one["sequence"] for one in page] == sorted((one["sequence"] for one in page), reverse=True), "newest first")
    good("listHistory", "/history?operator=nobody")
    suite.equal([one["name"] for one in good("listOperators", "/operators")["results"]], ["ada", "late"], "operators")
    suite.equal(good("showOperator", "")["operator"], "ada", "who is calling")
    suite.equal(desk.ask("HEAD", "/hosts").status, 200, "HEAD")
    suite.check(b"\n" in desk.ask("GET", "?pretty=true").body and desk.ask("GET", "?envelope=true").json()["status"] == 200, "pretty and envelope")
    for text in ("DELETE FROM operator_action", "UPDATE operator_action SET operator = 'x'"):
        done = subprocess.run(["psql", "-X", "-q", "-d", os.environ["REEVE_TEST_DSN"], "-c", "SET ROLE reeve_tenant", "-c", "SET reeve.service = 'on'", "-c", text],
                              capture_output=True, text=True, check=False)
        suite.check("permission denied" in done.stderr, "the history is only added to: %r", done)
    suite.equal(sorted(row["operation"] for row in good.table if row["operation"] not in good.done), [], "operations that never succeeded")


def test_instances(suite, good, node):
    wait_until(lambda: sql("SELECT count(*) FROM instance") != "0", 40)
    found = good("listInstances", "/instances")["results"]
    listen = "127.0.0.1:%d" % node.operator_port
    suite.equal([(one["kind"], one["address"], one["isThere"], one["isEncrypted"]) for one in found], [("API", listen, True, False)], "the node itself")
    suite.equal([one["targets"] for one in good("showTargets", "/targets")], [[listen]], "what Prometheus can ask")
    suite.equal(node.operator("/targets"), (200, good.last.body.decode()), "the same without a token, beside /metrics")


def test_secrets(suite, node, desks, tokens):
    """A token is in its owner's hands, and nowhere else."""
    with open(node.log, "rb") as log, open(node.stderr, "rb") as err:
        places = {"the log": log.read(), "standard error": err.read()}
    places["the database"] = subprocess.run(["pg_dump", "--data-only", "-d", os.environ["REEVE_TEST_SUPER_DSN"]], stdout=subprocess.PIPE, check=True).stdout
    places["an answer"] = b"\n".join(reply.body + repr(reply.headers).encode() for desk in desks for _, _, reply in desk.kept)
    for token in tokens:
        for place, text in places.items():
            suite.check(token.encode() not in text and token[9:40].encode() not in text, "a token of an operator is in %s", place)
    suite.check(b'"listHosts"' in places["the log"] and b'"ada"' in places["the log"] and b"drainHost" in places["the database"], "the search finds what is there")
    statuses = {line["status"] for line in node.log_lines()}
    suite.check(not [status for status in statuses if int(status) >= 500], "answers that are failures of the service: %s", statuses)


def main():
    global UNKNOWN
    ends_on_signal()
    suite = Suite("operator")
    table = rows()
    with start_node(workers=1, settings={"payment_due_days": 14}) as node:
        world = World(node, with_roles=False)
        world.make_fixtures()
        token = json.loads(node.run("operator", "add", "ada", "--json").stdout)["token"]
        UNKNOWN = json.loads(node.run("operator", "add", "nobody", "--json").stdout)["token"]
        sql("DELETE FROM operator WHERE name = 'nobody'")
        desk = Desk(node.operator_port, token=token)
        values = {"hostName": "h1", "orgId": world.a.home, "jobId": new_id(), "range": "10.0.0.1", "ownerKind": "org", "ownerId": world.a.home, "endpointSetId": "S17",
                  "providerName": "ONPREM", "regionName": "EU_NORTH", "sizeName": "M10", "updateId": new_id()}
        early = desk.ask("POST", "/tokens", {"provider": "ONPREM", "region": "EU_NORTH", "host": "new"})
        suite.equal((early.status, early.code()), (409, "FLEET_NOT_FOUNDED"), "a token before the fleet has an authority")
        node.run("fleet", "init")
        test_commands(suite, node, token)
        test_callers(suite, node, desk, table, values)
        test_bodies(suite, desk, table, values)
        good = Good(suite, desk, table)
        test_clusters(suite, good, desk)
        test_capacity(suite, good, desk)
        test_drain_plan(suite, good, desk)
        test_host_order(suite, good)
        test_hosts(suite, good, desk)
        test_addresses(suite, good, desk)
        test_updates(suite, good, desk)
        test_places(suite, good, desk, node)
        test_etcd_groups(suite, good, desk)
        test_object_stores(suite, good, desk)
        test_jobs(suite, good, desk, world)
        test_limits(suite, good, desk, world)
        test_accounts(suite, good, desk, world)
        test_support(suite, good)
        test_reeved(suite, node, world)
        test_instances(suite, good, node)
        test_history(suite, good, desk)
        test_secrets(suite, node, [desk], [token, UNKNOWN])
        test_line(suite, node, token)
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
