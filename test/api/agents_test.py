# SPDX-License-Identifier: Apache-2.0
"""What hosts may say and hear: joining once, certificates that end, goals that arrive at once, reports that change only what is
their own. Whatever is refused changes nothing."""
import asyncio
import http.client
import json
import re
import secrets
import subprocess
import sys
import threading
import time

from agents import FACTS, SERVICE, Agent, AsyncAgent, Fleet, bulk_agents
from client import PATIENCE, wait_until
from suite import Suite, ends_on_signal
from world import PREFIX, bootstrap, changed_tables, connect, new_id, row_hashes, sql

PARKED = 1000
RACES = 3
MB = 1024 * 1024


def refused(suite, ask, status, code, what):
    """The request is refused with this error, and no row of any table changes."""
    before = row_hashes()
    answer = ask()
    suite.equal((answer[0], (answer[1] or {}).get("errorCode")), (status, code), what)
    suite.equal(changed_tables(before, row_hashes()), [], "tables that changed: " + what)


def openssl(*words, text=None):
    return subprocess.run(["openssl", *words], input=text, capture_output=True, text=True, check=True).stdout


# ---- Joining ----
def test_join(suite, fleet):
    token = fleet.token("h1", zone="a")
    secret, _, fingerprint = token.partition(":")
    der = openssl("x509", "-in", fleet.path("authority.pem"), "-noout", "-fingerprint", "-sha256")
    suite.equal(fingerprint, der.strip().split("=")[1].replace(":", "").lower(), "fingerprint in the token")

    def join(**changes):
        body = {"token": token, "csr": fleet.csr, "facts": FACTS, **changes}
        return lambda: fleet.ask("POST", "/agent/v1/join", {key: value for key, value in body.items() if value is not None})
    other = "reeve_join_" + "A" * 49
    refused(suite, join(token=other), 403, "JOIN_TOKEN_NOT_VALID", "a token that nobody made")
    swapped = secret[:-1] + ("a" if secret[-1] != "a" else "b")
    refused(suite, join(token=swapped), 403, "JOIN_TOKEN_NOT_VALID", "a token with a wrong character")
    refused(suite, join(token=None), 400, "MISSING_ATTRIBUTE", "no token")
    refused(suite, join(csr=None), 400, "MISSING_ATTRIBUTE", "no request")
    refused(suite, join(csr="-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"), 400,
            "INVALID_ATTRIBUTE_VALUE", "a request that is none")
    lines = fleet.csr.split("\n")
    lines[-4] = lines[-4][:20] + ("A" if lines[-4][20] != "A" else "B") + lines[-4][21:]
    refused(suite, join(csr="\n".join(lines)), 400, "INVALID_ATTRIBUTE_VALUE", "a request with a broken signature")
    weak = openssl("req", "-new", "-newkey", "rsa:1024", "-nodes", "-subj", "/CN=x", "-keyout", "/dev/null")
    refused(suite, join(csr=weak), 400, "INVALID_ATTRIBUTE_VALUE", "a weak key")
    refused(suite, join(facts={**FACTS, "cpus": "many"}), 400, "INVALID_ATTRIBUTE_VALUE", "facts of a wrong type")
    refused(suite, join(facts={}), 400, "MISSING_ATTRIBUTE", "no facts")
    refused(suite, join(facts={**FACTS, "patroniVersion": "3.0.2"}), 400, "INVALID_ATTRIBUTE_VALUE", "an old Patroni")
    refused(suite, join(facts={**FACTS, "patroniVersion": ""}), 400, "INVALID_ATTRIBUTE_VALUE", "a host of members without Patroni")
    refused(suite, lambda: fleet.ask("GET", "/agent/v1/join"), 405, "METHOD_NOT_ALLOWED", "GET of join")
    refused(suite, lambda: fleet.ask("POST", "/agent/v1/nothing"), 404, "RESOURCE_NOT_FOUND", "a path that does not exist")

    status, joined = join()()
    suite.equal(status, 201, "the first join")
    suite.equal(sorted(joined), ["authority", "certificate", "epoch", "hostId", "hostName"], "fields of a join")
    agent = Agent(fleet, joined)
    subject = openssl("x509", "-noout", "-subject", "-nameopt", "RFC2253", text=agent.pem).strip()
    suite.equal(subject, "subject=CN=%s,O=reeve-host" % agent.id, "subject of a host")
    openssl("verify", "-CAfile", fleet.path("authority.pem"), agent.certificate)
    suite.equal(sql("SELECT used_at IS NOT NULL FROM join_token"), "t", "the token is used")
    suite.equal(secret in sql("SELECT string_agg(t::text, '') FROM join_token t"), False, "the token stands in the database")
    refused(suite, join(), 403, "JOIN_TOKEN_NOT_VALID", "the same token again")
    late = fleet.token("h9")
    sql("UPDATE join_token SET expires_at = now() - interval '1 second' WHERE used_at IS NULL")
    refused(suite, join(token=late), 403, "JOIN_TOKEN_NOT_VALID", "a token that has expired")

    # Ten at once with one token: one host.
    once, results = fleet.token("h2", zone="b"), []
    threads = [threading.Thread(target=lambda: results.append(join(token=once)())) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    suite.equal(sorted(status for status, _ in results), [201] + [403] * 9, "ten joins with one token")
    return agent, Agent(fleet, next(body for status, body in results if status == 201))


# ---- Who it is ----
def test_identity(suite, fleet, h1, h2):
    goal = "/agent/v1/goal?after=0&epoch=1"
    refused(suite, lambda: fleet.ask("GET", goal), 401, "CERTIFICATE_REQUIRED", "a goal without a certificate")
    refused(suite, lambda: fleet.ask("POST", "/agent/v1/report", h1.report_document()), 401, "CERTIFICATE_REQUIRED",
            "a report without a certificate")
    refused(suite, lambda: fleet.ask("POST", "/agent/v1/certificate", {"csr": fleet.csr}), 401, "CERTIFICATE_REQUIRED",
            "a certificate without a certificate")
    # A certificate of the fleet that is not a host's.
    fleet.command("certificate", "--name", "etcd1", "--out", fleet.path("etcd1"))
    service = fleet.context(fleet.path("etcd1/certificate.pem"), fleet.path("etcd1/key.pem"))
    refused(suite, lambda: fleet.ask("GET", goal, context=service), 403, "CERTIFICATE_NOT_ACCEPTED", "a service's certificate")
    # One that somebody else signed, with the right name.
    key, certificate = fleet.path("forged.key"), fleet.path("forged.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                    "/O=reeve-host/CN=" + h1.id, "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    refused(suite, lambda: fleet.ask("GET", goal, context=fleet.context(certificate, key)), 400, "INVALID_REQUEST", "a forged certificate")
    suite.equal(h1.goal()[1]["hostId"], h1.id, "host of the goal")
    suite.equal(h2.goal()[1]["hostId"], h2.id, "host of another's goal")
    for query in ("", "?after=1", "?epoch=1", "?after=x&epoch=1", "?after=-1&epoch=1", "?after=1&epoch=99999999999999999999"):
        refused(suite, lambda query=query: h1.ask("GET", "/agent/v1/goal" + query), 400, "INVALID_QUERY_PARAMETER", "the query " + query)
    refused(suite, lambda: h1.goal(epoch=7), 400, "INVALID_ATTRIBUTE_VALUE", "an epoch that is not yet")

    # The same name joins again: the old certificate ends, and its owner is told to stop.
    old = fleet.join("h3")
    parked = []
    thread = threading.Thread(target=lambda: parked.append(old.goal(after=1)))
    thread.start()
    time.sleep(0.5)
    new = fleet.join("h3")
    began = time.monotonic()
    thread.join(10)
    suite.check(parked and time.monotonic() - began < 3 * PATIENCE, "the old agent's poll ends when another one joins")
    suite.equal(parked and (parked[0][0], parked[0][1].get("errorCode")), (409, "STALE_EPOCH"), "answer to the old agent's poll")
    suite.equal((new.id, new.epoch), (old.id, 2), "the host that joined again")
    refused(suite, lambda: old.goal(), 409, "STALE_EPOCH", "a goal for an older epoch")
    refused(suite, lambda: old.report(), 409, "STALE_EPOCH", "a report of an older epoch")
    old.epoch = 2
    refused(suite, lambda: old.goal(), 403, "CERTIFICATE_NOT_ACCEPTED", "an old certificate with the new epoch")
    refused(suite, lambda: old.report(), 403, "CERTIFICATE_NOT_ACCEPTED", "a report with an old certificate")
    refused(suite, lambda: old.ask("POST", "/agent/v1/certificate", {"csr": fleet.csr}), 403, "CERTIFICATE_NOT_ACCEPTED",
            "renewing an old certificate")
    suite.equal(new.report()[0], 200, "a report of the new one")

    # Renewed: both are good until the first expires.
    status, renewed = new.ask("POST", "/agent/v1/certificate", {"csr": fleet.csr})
    suite.equal((status, sorted(renewed)), (200, ["authority", "certificate"]), "a renewal")
    again = Agent(fleet, {"hostId": new.id, "hostName": "h3", "epoch": 2, **renewed})
    suite.equal((again.report()[0], new.report()[0]), (200, 200), "reports with both certificates")
    refused(suite, lambda: new.ask("POST", "/agent/v1/certificate", {"csr": "x"}), 400, "INVALID_ATTRIBUTE_VALUE", "a renewal with no request")

    # Removed by the operator: a parked poll ends, and everything is refused.
    parked.clear()
    version = again.goal()[1]["version"]
    thread = threading.Thread(target=lambda: parked.append(again.goal(after=version)))
    thread.start()
    time.sleep(0.5)
    began = time.monotonic()
    fleet.command("host", "remove", "h3")
    thread.join(10)
    suite.check(parked and parked[0][0] == 403, "the poll of a removed host: %r" % (parked,))
    suite.say("a removed host's poll ended after %.0f ms" % (1000 * (time.monotonic() - began)))
    refused(suite, lambda: again.report(), 403, "CERTIFICATE_NOT_ACCEPTED", "a report of a removed host")


def member_report(member, **changes):
    return {"id": member, "unit": "active", "role": "PRIMARY", "running": "running", "timeline": 1, "lagBytes": 0, "version": "17.6",
            "goalGeneration": 1, "accessGeneration": 1, "restartNonce": 0, "pendingRestart": False, "problem": None, **changes}


# ---- Advice ----
def advice_document(**changes):
    shape = {"database": "shop", "text": "SELECT ?", "command": "SELECT", "table": "orders", "calls": 3, "ms": 4.5, "rows": 3, "bytes": 0}
    index = {"database": "shop", "schema": "public", "table": "orders", "keys": ["+customer"], "bytes": 8192, "rowBytes": 60,
             "gains": [{"shape": 0, "before": 900.5, "after": 9, "calls": 3, "ms": 4.5}]}
    advice = {"isPrimary": True, "problem": "", "indexes": [index], "unused": [], "redundant": [],
              "tables": [{"database": "shop", "table": "notes", "trigger": "NO_PRIMARY_KEY", "description": "It has none."}]}
    return {"at": int(time.time() * 1000), "missing": "", "shapes": [shape], "slow": [{"at": int(time.time() * 1000), "ms": 700.5, "shape": 0}], "advice": advice, **changes}


def test_advice(suite, fleet, h1, own, foreign):
    """What a member's advisor saw is taken over once, from its own host, and only as the tables say."""
    path, counts = "/agent/v1/members/%s/advice", "SELECT (SELECT sum(calls) FROM query_cost) || ' ' || (SELECT count(*) FROM slow_query) || ' ' || (SELECT count(*) FROM member_advice WHERE advice IS NOT NULL)"
    document = advice_document()
    for turn in ("once", "twice"):
        suite.equal(h1.ask("POST", path % own, document), (200, {}), "advice, sent " + turn)
        suite.equal(sql(counts), "3 1 1", "what was taken over of advice that was sent " + turn)
    before = row_hashes()
    for member in (foreign, secrets.token_hex(12), "x"):
        refused(suite, lambda member=member: h1.ask("POST", path % member, advice_document()), 404, "RESOURCE_NOT_FOUND", "advice about the member %s of somebody else" % member)
    wrong = [advice_document(**{field: value}) for field, values in {
        "at": [-1, "now", None], "missing": [1], "shapes": [{}, [1], [{}]], "slow": ["x", [{"at": 1, "ms": 1, "shape": 1}], [{"at": 1, "ms": -1, "shape": 0}]], "advice": [1, {}, []]}.items() for value in values]
    shape, advice = document["shapes"][0], document["advice"]
    wrong += [advice_document(shapes=[{**shape, field: value}]) for field, values in {
        "database": ["x" * 64, 1], "text": ["x" * 5000], "command": ["ALTER", ""], "table": ["x" * 128], "calls": [-1, 1.5, 1 << 60], "ms": ["1", -1], "rows": [None], "bytes": [-1]}.items() for value in values]
    wrong += [advice_document(advice={**advice, field: value}) for field, values in {
        "isPrimary": [1], "problem": ["x" * 5000], "indexes": [{}, [{**advice["indexes"][0], "keys": ["customer"]}], [{**advice["indexes"][0], "gains": [{"shape": 7, "before": 1, "after": 1, "calls": 1, "ms": 1}]}],
        [{**advice["indexes"][0], "gains": [{"shape": 0, "before": 0, "after": 1, "calls": 1, "ms": 1}]}]], "unused": [[{}]], "redundant": [[1]], "tables": [[{**advice["tables"][0], "trigger": "BORED"}]]}.items() for value in values]
    wrong += [advice_document(shapes=[shape] * 101), advice_document(slow=[document["slow"][0]] * 101)]
    for one in wrong:
        status, answer = h1.ask("POST", path % own, one)
        suite.check(status == 400 and answer["errorCode"] in ("INVALID_ATTRIBUTE_VALUE", "MISSING_ATTRIBUTE", "INVALID_JSON"), "wrong advice: %r %r" % (status, answer))
    suite.equal(changed_tables(before, row_hashes()), [], "tables that changed with wrong advice, and with advice about others")
    suite.equal(h1.ask("POST", path % own, raw=b"{")[0], 400, "advice that is no JSON")
    wait_until(lambda: "agent_foreign_advice" in fleet.node.error_text(), 5)
    sql("DELETE FROM member_advice; DELETE FROM query_shape")


# ---- Reports ----
def test_reports(suite, fleet, h1, h2):
    organization, project = fleet.make_project()
    cluster = fleet.make_cluster(project, organization, "orders")
    for name in ("h1", "h2"):
        fleet.command("address", "add", "--host", name, "127.%s.1.1-127.%s.1.20" % (name[1], name[1]))
    members = [fleet.place(cluster, ordinal) for ordinal in range(2)]
    suite.check(all(members), "two members are placed: %r" % members)
    sql("UPDATE cluster_member SET desired = 'RUNNING'")
    at = {sql("SELECT encode(host_id, 'hex') FROM cluster_member WHERE id = '\\x%s'" % member): member for member in members}
    suite.equal(sorted(at), sorted([h1.id, h2.id]), "hosts of the members")
    own, foreign = at[h1.id], at[h2.id]

    status, goal = h1.goal()
    suite.equal([member["id"] for member in goal["members"]], [own], "members of the goal")
    suite.equal(len(goal["clusters"][0]["peers"]), 2, "peers of the goal")
    suite.equal(goal["etcd"], ["https://127.0.0.1:2379"], "etcd of the goal")
    suite.check(goal["members"][0]["names"][0].endswith(".db.example.test"), "names of a member: %r" % goal["members"][0]["names"])

    def state(member):
        return json.loads(sql("SELECT to_jsonb(m) FROM cluster_member m WHERE id = '\\x%s'" % member))
    suite.equal(h1.report([member_report(own)], version=goal["version"]), (200, {}), "a report")
    row = state(own)
    suite.equal((row["unit"], row["role"], row["version"], row["applied_goal"]), ("active", "PRIMARY", "17.6", 1), "what was taken over")
    suite.equal(sql("SELECT seen_version FROM host WHERE name = 'h1'"), str(goal["version"]), "the goal that was reached")
    suite.equal(h1.report([member_report(own, goalGeneration=99, accessGeneration=99)])[0], 200, "a report that claims too much")
    suite.equal(state(own)["applied_goal"], 1, "generation that is not asked for yet")

    # Members of others, members that are not there: nothing of them changes.
    before = state(foreign)
    suite.equal(h1.report([member_report(own), member_report(foreign)])[0], 200, "a report about another host's member")
    suite.equal(h1.report([member_report(own), member_report(secrets.token_hex(12))])[0], 200, "a report about a member that is not")
    suite.equal(state(foreign), before, "the member of another host")
    wait_until(lambda: "agent_foreign_member" in fleet.node.error_text(), 5)
    h1.report([member_report(foreign)])
    suite.equal(fleet.node.error_text().count("agent_foreign_member"), 1, "lines about it in the log")
    suite.check(h1.id in fleet.node.error_text(), "the log names the host")

    test_advice(suite, fleet, h1, own, foreign)

    # Whatever cannot be read changes nothing and is no failure of the service.
    def report(document):
        return lambda: h1.ask("POST", "/agent/v1/report", document)

    def raw(data):
        return lambda: h1.ask("POST", "/agent/v1/report", raw=data)
    full = h1.report_document([member_report(own)])
    cases = [(raw(b""), "INVALID_JSON"), (raw(b"{"), "INVALID_JSON"), (raw(b"[]"), "INVALID_JSON"), (raw(b"null"), "INVALID_JSON"),
             (raw(b"\xff\xfe"), "INVALID_JSON"), (raw(b'{"epoch":1,"epoch":1}'), "INVALID_JSON"), (raw(b"[" * 40), "INVALID_JSON"),
             (raw(b'{"epoch":1,"version":1,"bootId":"\\u0000"}'), "INVALID_JSON"),
             (report({**full, "epoch": "1"}), "INVALID_ATTRIBUTE_VALUE"), (report({**full, "epoch": -1}), "INVALID_ATTRIBUTE_VALUE"),
             (report({**full, "epoch": 1.5}), "INVALID_ATTRIBUTE_VALUE"), (report({**full, "version": None}), "MISSING_ATTRIBUTE"),
             (report({**full, "members": {}}), "INVALID_ATTRIBUTE_VALUE"), (report({**full, "members": [1]}), "INVALID_ATTRIBUTE_VALUE"),
             (report({**full, "members": [{}]}), "MISSING_ATTRIBUTE"), (report({**full, "tasks": "x"}), "INVALID_ATTRIBUTE_VALUE"),
             (report({**full, "tasks": [{"id": own, "outcome": "PERHAPS"}]}), "INVALID_ATTRIBUTE_VALUE"),
             (report({**full, "strays": [1]}), "INVALID_ATTRIBUTE_VALUE"), (report({**full, "facts": []}), "INVALID_ATTRIBUTE_VALUE"),
             (report({**full, "facts": {**FACTS, "memoryMb": 1 << 40}}), "INVALID_ATTRIBUTE_VALUE"),
             (report({**full, "facts": {**FACTS, "address": "here"}}), "INVALID_ATTRIBUTE_VALUE")]
    wrong = {"id": ["", "x" * 24, own.upper() + "0", 1], "unit": [1, "x" * 33], "role": ["KING", "", " ", "PRIMARY REPLICA", 1],
             "running": [[], "x" * 65], "timeline": ["1", -1, 1.5, 1 << 60], "lagBytes": ["0", -1], "version": [17, "x" * 65],
             "goalGeneration": [-1, "1", 1 << 60], "accessGeneration": [True], "restartNonce": [{}], "pendingRestart": [0, "false"],
             "problem": [1, []]}
    cases += [(report({**full, "members": [member_report(own, **{field: value})]}), "INVALID_ATTRIBUTE_VALUE")
              for field, values in wrong.items() for value in values]
    before = row_hashes()
    for ask, code in cases:
        answer = ask()
        suite.equal((answer[0], answer[1]["errorCode"]), (400, code), "a wrong report: %r" % (answer[1]["detail"],))
    suite.equal(changed_tables(before, row_hashes()), [], "tables that changed with wrong reports")

    suite.equal(h1.report([member_report(own, problem="é" * 5000)])[0], 200, "a long sentence")
    suite.check(len(state(own)["problem"]) <= 1024, "a long sentence is cut")
    suite.equal(h1.report([member_report(own, problem=None)], extra={"of": "later versions"})[0], 200, "unknown fields")
    # Sizes: 4 MiB fit, one byte more does not.
    body = json.dumps({**full, "padding": ""}).encode()
    fill = lambda size: body[:-2] + b"x" * (size - len(body)) + b'"}'  # noqa: E731
    suite.equal(h1.ask("POST", "/agent/v1/report", raw=fill(4 * MB))[0], 200, "a report of 4 MiB")
    refused(suite, raw(fill(4 * MB + 1)), 413, "BODY_TOO_LARGE", "a report of 4 MiB and a byte")
    suite.equal(h1.report(members=[member_report(secrets.token_hex(12)) for _ in range(10000)])[0], 200, "10,000 members that are not")

    # Members' certificates: only for the host that the member is on.
    status, issued = h1.ask("POST", "/agent/v1/members/%s/certificate" % own, {"csr": fleet.csr})
    suite.equal(status, 200, "a member's certificate")
    text = openssl("x509", "-noout", "-text", "-nameopt", "RFC2253", text=issued["certificate"])
    suite.check("O=reeve-member" in text and ".db.example.test" in text and "IP Address:127.1.1.1" in text, "what a member's certificate says")
    for member in (foreign, secrets.token_hex(12), "x", own + "/x"):
        refused(suite, lambda member=member: h1.ask("POST", "/agent/v1/members/%s/certificate" % member, {"csr": fleet.csr}), 404,
                "RESOURCE_NOT_FOUND", "the certificate of member %r" % member)

    # Tasks: told until their outcome is reported, and only their host can do so.
    task = secrets.token_hex(12)
    sql("INSERT INTO host_task (id, org_id, host_id, member_id, kind) VALUES ('\\x%s', '\\x%s', '\\x%s', '\\x%s', 'SWITCHOVER')"
        % (task, organization, h1.id, own))
    suite.equal([one["id"] for one in h1.goal()[1]["tasks"]], [task], "tasks of the goal")
    suite.equal(h2.report(tasks=[{"id": task, "outcome": "DONE"}])[0], 200, "the outcome of another host's task")
    suite.equal(sql("SELECT outcome IS NULL FROM host_task"), "t", "another host's task")
    suite.equal(h1.report(tasks=[{"id": task, "outcome": "DONE", "detail": "in 2 s"}])[0], 200, "the outcome of a task")
    suite.equal(sql("SELECT outcome || ' ' || detail FROM host_task"), "DONE in 2 s", "a task that is done")
    suite.equal(h1.goal()[1]["tasks"], [], "tasks of the goal when it is done")

    fleet_view = json.loads(fleet.node.operator("/fleet")[1])["hosts"]
    suite.equal([(host["name"], host["members"]) for host in fleet_view], [("h1", 1), ("h2", 1)], "/fleet")
    listed = json.loads(fleet.command("host", "list", "--json"))
    suite.equal([host["id"] for host in listed], [host["id"] for host in fleet_view], "`fleet host list`")
    shown = json.loads(fleet.command("host", "show", "h1", "--json"))
    suite.equal([member["id"] for member in shown["memberList"]], [own], "`fleet host show`")
    return cluster


# ---- Seats: backups on repository hosts ----
def seat_report(seat, **changes):
    return {"id": seat, "unit": "active", "problem": None, "receivedLsn": "0/5000148", "timeline": 1, "lagBytes": 0, "lagMs": 3, "windowFrom": "2026-01-01T00:00:00Z",
            "windowTo": "2026-01-01T01:00:00.250Z", "usedBytes": 5, "spans": [], "snapshots": [], **changes}


def span_report(**changes):
    return {"ordinal": 0, "fromLsn": "0/1000000", "toLsn": "A/5000148", "fromTimeline": 1, "toTimeline": 2, "fromAt": "2026-01-01T00:00:00Z", "toAt": "2026-01-01T01:00:00Z",
            "endedBy": None, **changes}


def copy_report(snapshot, **changes):
    return {"id": snapshot, "label": "20260101-000000F", "type": "FULL", "needs": [], "state": "COMPLETED", "frequency": "hourly", "policyItems": [secrets.token_hex(12)],
            "createdAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:01:00Z", "expiresAt": "2099-01-03T00:00:00Z", "timeline": 1, "startLsn": "0/1", "stopLsn": "0/2",
            "sizeBytes": 4000, "deltaBytes": 1000, "serverVersion": "17.6", "problem": None, **changes}


def test_gates(suite, fleet, h1, r1, r2, cluster, seat):
    """A restore from the seat of r1 into the cluster: who is told what, whose certificate is whose, and what others may say about it."""
    restore, path = secrets.token_hex(12), "/agent/v1/gates/%s/certificate"
    sql("INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, is_last, target_project_id, target_id, target_name) "
        "SELECT '\\x%s', s.org_id, s.project_id, s.cluster_id, s.cluster_name, s.name, t.id, t.host_id, '20260101-000000F', 'LATEST', true, s.project_id, s.cluster_id, s.cluster_name "
        "FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id WHERE t.id = '\\x%s'" % (restore, seat))
    refused(suite, lambda: r1.ask("POST", path % restore, {"csr": fleet.csr}), 404, "RESOURCE_NOT_FOUND", "a certificate for a gate that is not open yet")
    suite.equal((r1.goal()[1]["gates"], h1.goal()[1]["clusters"][0]["restore"]), ([], None), "goals before the gate is open")
    port = int(sql(SERVICE + "SELECT restore_gate_open('\\x%s')" % restore))
    sql("UPDATE restore_job SET phase = 'STOP', first_member = (SELECT id FROM cluster_member WHERE cluster_id = '\\x%s' ORDER BY ordinal LIMIT 1) WHERE id = '\\x%s'" % (cluster, restore))
    gate = r1.goal()[1]["gates"][0]
    suite.equal((gate["id"], gate["seatId"], gate["port"], gate["clusterId"], gate["last"], "BEGIN CERTIFICATE" in gate["authority"]), (restore, seat, port, cluster, True, True), "a gate in the goal")
    suite.equal(r2.goal()[1]["gates"], [], "gates of another repository host")
    told = [item for item in h1.goal()[1]["clusters"] if item["id"] == cluster][0]["restore"]
    suite.equal((told["id"], told["phase"], told["gate"]["port"], told["gate"]["name"], told["point"]["kind"]), (restore, "STOP", port, "reeve-gate-" + restore, "LATEST"), "what members' hosts are told of a restore")

    status, issued = r1.ask("POST", path % restore, {"csr": fleet.csr})
    suite.equal((status, sorted(issued)), (200, ["authority", "certificate"]), "a gate's certificate")
    text = openssl("x509", "-noout", "-text", "-nameopt", "RFC2253", text=issued["certificate"])
    suite.check("Subject: CN=reeve-gate-%s,O=reeve-repository" % restore in text and "TLS Web Server Authentication" in text, "what a gate's certificate says: %s" % text)
    suite.equal(issued["authority"].strip(), gate["authority"].strip(), "who signs a gate's certificate")
    for who, argument in ((r2, restore), (h1, restore), (r1, seat), (r1, secrets.token_hex(12)), (r1, "x"), (r1, restore + "/x")):
        refused(suite, lambda who=who, argument=argument: who.ask("POST", path % argument, {"csr": fleet.csr}), 404, "RESOURCE_NOT_FOUND", "%s asks for the certificate of gate %r" % (who.name, argument))

    before, lines = row_hashes(), fleet.node.error_text().count("agent_foreign_member")
    suite.equal(r2.report(gates=[{"id": restore, "state": "OPEN"}])[0], 200, "a report about another host's gate")
    member = sql("SELECT encode(id, 'hex') FROM cluster_member WHERE cluster_id = '\\x%s' ORDER BY ordinal LIMIT 1" % cluster)
    suite.equal(r2.report(members=[{"id": member, "unit": "active", "restore": {"id": restore, "state": "RESTORED"}}])[0], 200, "a report about another host's member")
    suite.equal([table for table in changed_tables(before, row_hashes()) if table != "public.host"], [], "tables that changed with another's gate")
    wait_until(lambda: fleet.node.error_text().count("agent_foreign_member") > lines, 5)
    suite.equal(r1.report(gates=[{"id": restore, "state": "OPEN", "servedLsn": "0/5000148", "servedAt": "2026-01-01T00:00:00Z"}])[0], 200, "a report of a gate")
    suite.equal(sql("SELECT gate_state || ' ' || served_lsn FROM restore_job WHERE id = '\\x%s'" % restore), "OPEN 0/5000148", "what was taken over of a gate")
    for wrong in ({"id": restore, "state": "AJAR"}, {"id": restore}, {"id": "x", "state": "OPEN"}, {"id": restore, "state": "OPEN", "servedLsn": "here"}):
        status, answer = r1.report(gates=[wrong])
        suite.check(status == 400 and "gates[0]" in answer["detail"], "a wrong report of a gate: %r %r" % (status, answer))
    sql("UPDATE restore_job SET gate_port = NULL, phase = NULL, state = 'DONE', finished_at = now() WHERE id = '\\x%s'" % restore)
    refused(suite, lambda: r1.ask("POST", path % restore, {"csr": fleet.csr}), 404, "RESOURCE_NOT_FOUND", "a certificate for a gate that is closed")
    suite.equal((r1.goal()[1]["gates"], sql("SELECT count(*) FROM certificate WHERE kind = 'GATE' AND revoked_at IS NULL")), ([], "0"), "what is left of a gate that is closed")
    sql("DELETE FROM restore_job")


def test_downloads(suite, fleet, h1, r1, r2, seat):
    """A file of a snapshot that r1 hands out: whose certificate is whose, and what others may say about it."""
    download, path = secrets.token_hex(12), "/agent/v1/downloads/%s/certificate"
    sql("INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, snapshot_id, is_last, delivery) "
        "SELECT '\\x%s', s.org_id, s.project_id, s.cluster_id, s.cluster_name, s.name, t.id, t.host_id, '20260101-000000F', 'SNAPSHOT', t.id, false, 'DOWNLOAD' "
        "FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id WHERE t.id = '\\x%s'" % (download, seat))
    refused(suite, lambda: r1.ask("POST", path % download, {"csr": fleet.csr}), 404, "RESOURCE_NOT_FOUND", "a certificate for what is not handed out")
    sql("INSERT INTO download (restore_id, org_id, seat_id, host_id, port, reserved_gb) SELECT id, org_id, seat_id, host_id, 27207, 0 FROM restore_job WHERE id = '\\x%s'" % download)
    told = [item for item in r1.goal()[1]["seats"] if item["id"] == seat][0]["download"]
    suite.equal(told, {"id": download, "desired": "SERVED", "label": "20260101-000000F", "port": 27207, "limitSeconds": 21600}, "a download in the goal")
    suite.equal([item for item in r2.goal()[1]["seats"] if item.get("download")], [], "downloads of another repository host")
    status, issued = r1.ask("POST", path % download, {"csr": fleet.csr})
    suite.equal((status, sorted(issued)), (200, ["authority", "certificate"]), "a download's certificate")
    text = openssl("x509", "-noout", "-text", "-nameopt", "RFC2253", text=issued["certificate"])
    suite.check("Subject: CN=reeve-download-%s,O=reeve-repository" % download in text and "DNS:reeve-download-%s" % download in text, "what a download's certificate says: %s" % text)
    suite.check("TLS Web Server Authentication" in text and "TLS Web Client Authentication" not in text, "nobody is let in with it: %s" % text)
    for who, argument in ((r2, download), (h1, download), (r1, seat), (r1, secrets.token_hex(12)), (r1, "x"), (r1, download + "/x")):
        refused(suite, lambda who=who, argument=argument: who.ask("POST", path % argument, {"csr": fleet.csr}), 404, "RESOURCE_NOT_FOUND", "%s asks for the certificate of download %r" % (who.name, argument))
    said = {"id": download, "state": "READY", "bytes": 77, "sha256": "ab"}
    suite.equal(r2.report(seats=[seat_report(seat, download=said)])[0], 200, "a report about another host's download")
    suite.equal(sql("SELECT state FROM restore_job WHERE id = '\\x%s'" % download), "RUNNING", "what was taken over of it")
    for wrong in ({"id": download, "state": "HALF"}, {"id": download}, {"id": "x", "state": "READY"}, {**said, "bytes": -1}, "x", []):
        status, answer = r1.report(seats=[seat_report(seat, download=wrong)])
        suite.check(status == 400 and "seats[0].download" in answer["detail"], "a wrong report of a download: %r %r" % (status, answer))
    suite.equal(r1.report(seats=[seat_report(seat, download=said)])[0], 200, "a report of a download")
    suite.equal(sql("SELECT r.state || ' ' || d.file_bytes || ' ' || d.sha256 FROM restore_job r JOIN download d ON d.restore_id = r.id"), "DONE 77 ab", "what was taken over of a download")
    sql("UPDATE download SET ended_at = now()")
    refused(suite, lambda: r1.ask("POST", path % download, {"csr": fleet.csr}), 404, "RESOURCE_NOT_FOUND", "a certificate for a download that has ended")
    suite.equal(r1.report(seats=[seat_report(seat, download={"id": download, "state": "ABSENT"})])[0], 200, "a report that nothing is left")
    suite.equal((sql("SELECT released_at IS NOT NULL FROM download"), sql("SELECT count(*) FROM certificate WHERE kind = 'DOWNLOAD' AND revoked_at IS NULL")), ("t", "0"), "what is left of a download")
    sql("DELETE FROM restore_job")


def drill_report(drill, **changes):
    return {"id": drill, "state": "PASSED", "problem": None, "label": "20260101-000000F", "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:01:00Z",
            "recoveryPoint": "2026-01-01T00:00:00Z", "rtoMs": 5000, "dataBytes": 4000, "serverVersion": "17.6", "phases": [{"name": "restore", "startedAt": "2026-01-01T00:00:00Z", "ms": 7}],
            "checks": [{"name": "rows", "database": "shop", "result": "PASSED", "sentence": "Read.", "tables": 1, "rows": 2}], **changes}


def test_drills(suite, r1, own, stanza):
    """A drill is told to its host, and what the host says of it is taken over once."""
    drill = secrets.token_hex(12)
    sql("INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, seat_id, origin, state, given_at, assertions) SELECT '\\x%s', org_id, project_id, cluster_id, id, '\\x%s', 'ON_DEMAND', "
        "'WAITING', now(), '[{\"name\": \"n\", \"databaseName\": \"d\", \"sql\": \"SELECT true\"}]' FROM backup_stanza WHERE id = '\\x%s'" % (drill, own, stanza))
    suite.equal(r1.goal()[1]["seats"][0]["drill"], {"id": drill, "limitSeconds": 21600, "assertionSeconds": 60, "assertions": [{"name": "n", "database": "d", "sql": "SELECT true"}]}, "a drill in a goal")

    def said(**changes):
        return r1.report(seats=[seat_report(own, snapshots=None, drill=drill_report(drill, **changes))])

    def state():
        return sql("SELECT state || ' ' || coalesce(problem, '') || ' ' || (finished_at IS NOT NULL) || ' ' || jsonb_array_length(checks) FROM drill WHERE id = '\\x%s'" % drill)
    wrong = {"id": ["x", None], "state": ["DONE", "NOT_RUN", None], "problem": [1], "label": ["x" * 65], "startedAt": ["now"], "rtoMs": [-1, "1"], "dataBytes": [1.5], "serverVersion": [1],
             "phases": [{}, [1], [{}], [{"name": "party"}]], "checks": [{}, [1], [{}], [{"name": "rows"}], [{"name": "rows", "result": "MAYBE"}], [{"name": "rows", "result": "PASSED", "rows": -1}]]}
    before = row_hashes()
    for field, values in wrong.items():
        for value in values:
            status, answer = said(**{field: value})
            suite.check(status == 400 and "seats[0].drill" in answer["detail"], "a wrong report of a drill: %r %r %r %r" % (field, value, status, answer))
    suite.equal(r1.report(seats=[seat_report(own, snapshots=None, drill=7)])[0], 400, "a drill that is none")
    suite.equal(changed_tables(before, row_hashes()), [], "tables that changed with wrong reports of drills")
    suite.equal((said(state="WAITING", problem="No server.")[0], state()), (200, "WAITING No server. false 1"), "one that waits")
    suite.equal((said(state="FAILED", problem="It is false.")[0], state()), (200, "FAILED It is false. true 1"), "one that failed")
    suite.equal((said()[0], state()), (200, "FAILED It is false. true 1"), "what has ended stays")
    suite.check("drill" not in r1.goal()[1]["seats"][0], "it leaves the goal")
    sql("DELETE FROM drill")


def export_report(export, **changes):
    return {"id": export, "state": "SUCCEEDED", "code": None, "problem": None, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:01:00Z", "tablesDone": 2, "tablesTotal": 2, **changes}


def test_exports(suite, r1, own, stanza):
    """An export is told to the host that has its snapshot, with the bucket's key; what the host says of it is taken over once."""
    export, bucket, snapshot = (secrets.token_hex(12) for _ in range(3))
    sql("INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, state, created_at) SELECT '\\x%s', org_id, project_id, cluster_id, id, 'ON_DEMAND', 'COMPLETED', '2026-01-01 00:00+00' "
        "FROM backup_stanza WHERE id = '\\x%s'" % (snapshot, stanza))
    sql("INSERT INTO snapshot_copy (snapshot_id, seat_id, org_id, label, state) SELECT '\\x%s', id, org_id, '20260101-000000F', 'COMPLETED' FROM stanza_seat WHERE id = '\\x%s'" % (snapshot, own))
    sql("INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT project_id, 'backupExportBucket', '\\x%s', '%s', org_id, '{\"serviceUrl\": \"https://objects.example.org\", "
        "\"bucketName\": \"exports\", \"region\": \"us-east-1\", \"internal\": {\"secrets\": \"AAAA\"}}' FROM backup_stanza WHERE id = '\\x%s'" % (bucket, bucket, stanza))
    sql("INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, seat_id, snapshot_id, snapshot_at, bucket_id, prefix, custom_data, state, given_at) SELECT '\\x%s', org_id, project_id, "
        "cluster_id, id, '\\x%s', '\\x%s', '2026-01-01 00:00+00', '\\x%s', 'exported_snapshots/a', '[{\"key\": \"k\", \"value\": \"v\"}]', 'WAITING', now() FROM backup_stanza WHERE id = '\\x%s'" % (
            export, own, snapshot, bucket, stanza))
    told = r1.goal()[1]["seats"][0]["export"]
    suite.equal({name: told[name] for name in ("id", "snapshotId", "label", "prefix", "format", "customData", "serviceUrl", "bucket", "region", "key", "secretKey")},
                {"id": export, "snapshotId": snapshot, "label": "20260101-000000F", "prefix": "exported_snapshots/a", "format": "DUMP", "customData": [{"key": "k", "value": "v"}],
                 "serviceUrl": "https://objects.example.org", "bucket": "exports", "region": "us-east-1", "key": "", "secretKey": ""}, "an export in a goal; a key that does not open is empty")

    def said(**changes):
        return r1.report(seats=[seat_report(own, snapshots=None, export=export_report(export, **changes))])

    def state():
        return sql("SELECT concat_ws(' ', state, code, problem, tables_done, finished_at IS NOT NULL) FROM export_job WHERE id = '\\x%s'" % export)
    wrong = {"id": ["x", None], "state": ["DONE", "QUEUED", None], "code": [1, "x" * 65], "problem": [1], "startedAt": ["now"], "tablesDone": [-1, "1"], "tablesTotal": [1.5]}
    before = row_hashes()
    for field, values in wrong.items():
        for value in values:
            status, answer = said(**{field: value})
            suite.check(status == 400 and "seats[0].export" in answer["detail"], "a wrong report of an export: %r %r %r %r" % (field, value, status, answer))
    suite.equal(r1.report(seats=[seat_report(own, snapshots=None, export=7)])[0], 400, "an export that is none")
    suite.equal(changed_tables(before, row_hashes()), [], "tables that changed with wrong reports of exports")
    suite.equal((said(state="RUNNING", tablesDone=1)[0], state()), (200, "RUNNING 1 f"), "one that is under way")
    suite.equal((said(state="FAILED", code="EXPORT_BUCKET_REFUSED", problem="403.")[0], state()), (200, "FAILED EXPORT_BUCKET_REFUSED 403. 2 t"), "one that failed")
    suite.equal((said()[0], state()), (200, "FAILED EXPORT_BUCKET_REFUSED 403. 2 t"), "what has ended stays")
    suite.check("export" not in r1.goal()[1]["seats"][0], "it leaves the goal")
    sql("DELETE FROM export_job; DELETE FROM resource WHERE kind = 'backupExportBucket'; DELETE FROM snapshot WHERE id = '\\x%s'" % snapshot)


def test_own_database(suite, fleet, h1, r1):
    """The control plane's own database on a repository host: nobody gave it to it, so its word is all that there is."""
    def shown():
        return json.loads(fleet.command("own-backup", "--json"))
    now, long_ago = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "2026-01-01T00:00:00Z"
    own = seat_report(new_id(), windowFrom=long_ago, windowTo=now, lagMs=12, drill=drill_report(new_id(), state="PASSED", finishedAt=now, rtoMs=4000, recoveryPoint=now),
                      snapshots=[copy_report(new_id(), state="COMPLETED", finishedAt=now), copy_report(new_id(), state="IN_PROGRESS")])
    suite.equal(shown(), [], "nobody keeps it")
    suite.equal(h1.report(ownDatabase=own)[0], 200, "a host of databases says that it does")
    suite.equal(shown(), [], "and is not believed")
    suite.equal(r1.report(ownDatabase=own)[0], 200, "a repository host says that it does")
    suite.equal([(one["host"], one["state"], one["lagMs"], one["backups"], one["drillState"], one["recoveryTimeMillis"], one["problem"]) for one in shown()],
                [("r1", "WORKING", 12, 1, "PASSED", 4000, None)], "what operators see")
    for wrong in ([], "x", {"id": "x"}, {**own, "lagMs": "12"}, {**own, "drill": {"id": 5}}, {**own, "snapshots": {}}, {**own, "windowTo": "now"}):
        suite.equal(r1.report(ownDatabase=wrong)[0], 400, "a report with %.60r" % (wrong,))
    metrics = fleet.node.operator("/metrics")[1]
    metrics = metrics if isinstance(metrics, str) else metrics.decode()
    suite.check('reeve_own_backup{state="WORKING"} 1' in metrics, "the metric that counts it")
    r1.report(ownDatabase={**own, "problem": "The primary does not answer."})
    suite.equal([(one["state"], one["problem"]) for one in shown()], [("FAILING", "The primary does not answer.")], "a problem")
    r1.report(ownDatabase={**own, "windowTo": long_ago})
    suite.equal([one["state"] for one in shown()], ["FAILING"], "it stands still")
    r1.report(ownDatabase={**own, "drill": drill_report(new_id(), state="FAILED", finishedAt=now, problem="No.")})
    suite.equal([(one["state"], one["drillProblem"]) for one in shown()], [("UNPROVEN", "No.")], "a drill that failed")
    r1.report(ownDatabase={**own, "drill": drill_report(new_id(), state="RUNNING")})
    suite.equal([one["state"] for one in shown()], ["UNPROVEN"], "until another has passed")
    r1.report()
    suite.equal([one["state"] for one in shown()], ["UNPROVEN"], "an agent that has just started, and says nothing of it")
    r1.report(ownDatabase={**own, "unit": "absent"})
    suite.equal(shown(), [], "it keeps it no more")


def test_seats(suite, fleet, h1, cluster):
    facts = {**FACTS, "pgbackrestVersion": "2.55.1", "patroniVersion": ""}
    r1, r2 = (fleet.join(name, zone=zone, purpose="REPOSITORY", facts=facts) for name, zone in (("r1", "a"), ("r2", "b")))
    suite.equal(sql("SELECT string_agg(name || ' ' || purpose, ', ' ORDER BY name) FROM host WHERE state = 'ACTIVE'"), "h1 DATABASE, h2 DATABASE, r1 REPOSITORY, r2 REPOSITORY", "what hosts are for")
    done = fleet.command("token", "--host", "r9", "--provider", "OWN", "--region", "EU_WEST", "--purpose", "CUPBOARD", ok=False)
    suite.check(done.returncode != 0 and "purpose" in done.stderr, "a purpose that there is not: %s" % done.stderr)
    token = fleet.token("h1", purpose="REPOSITORY")
    refused(suite, lambda: fleet.ask("POST", "/agent/v1/join", {"token": token, "csr": fleet.csr, "facts": facts}), 403, "JOIN_TOKEN_NOT_VALID", "a host of members joins as one of backups")

    stanza, seats = secrets.token_hex(12), []
    sql("INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher) SELECT '\\x%s', org_id, project_id, id, name, 1, "
        "set_name || '-1', '17', '' FROM cluster WHERE id = '\\x%s'" % (stanza, cluster))
    for ordinal in range(2):
        seats.append(sql(SERVICE + "SELECT encode(seat_place('\\x%s', %d, false, 'OWN', 'EU_WEST', 20), 'hex')" % (stanza, ordinal)))
    at = {sql("SELECT encode(host_id, 'hex') FROM stanza_seat WHERE id = '\\x%s'" % seat): seat for seat in seats}
    suite.equal(sorted(at), sorted([r1.id, r2.id]), "hosts of the seats: two zones")
    own, foreign = at[r1.id], at[r2.id]
    goal = r1.goal()[1]
    suite.equal(([seat["id"] for seat in goal["seats"]], goal["members"], goal["seats"][0]["desired"]), ([own], [], "RUNNING"), "seats of the goal")
    suite.equal(sorted(goal["seats"][0]["members"][0]), ["address", "backupPort", "id", "name", "port"], "what is told of a member")
    suite.equal(goal["seats"][0]["cipherPass"], "", "a passphrase that was sealed by nobody")
    told = h1.goal()[1]
    suite.equal((told["seats"], sorted(seat["name"] for seat in told["clusters"][0]["backup"]["seats"])), ([], sorted("reeve-seat-" + seat for seat in seats)), "what members' hosts are told of it")

    def state(seat):
        return json.loads(sql("SELECT to_jsonb(t) FROM stanza_seat t WHERE id = '\\x%s'" % seat))

    def said(*reports):
        return r1.report(seats=list(reports))
    snapshot = secrets.token_hex(12)
    suite.equal(said(seat_report(own, spans=[span_report()], snapshots=[copy_report(snapshot)])), (200, {}), "a report of a seat")
    row = state(own)
    suite.equal((row["unit"], row["received_lsn"], row["lag_ms"], row["window_to"]), ("active", "0/5000148", 3, "2026-01-01T01:00:00.25+00:00"), "what was taken over of a seat")
    suite.equal(sql("SELECT to_lsn || ' ' || (ended_by IS NULL) FROM wal_span"), "A/5000148 true", "what was taken over of WAL")
    suite.equal(sql("SELECT n.origin || ' ' || n.state || ' ' || c.label || ' ' || cardinality(n.policy_items) FROM snapshot n JOIN snapshot_copy c ON c.snapshot_id = n.id"),
                "SCHEDULED COMPLETED 20260101-000000F 1", "a snapshot that the host took by itself")
    suite.equal(r2.report(seats=[seat_report(foreign, snapshots=[copy_report(snapshot)])])[0], 200, "a report of the other seat")
    suite.equal(sql("SELECT (SELECT count(*) FROM snapshot) || ' ' || count(DISTINCT seat_id) FROM snapshot_copy"), "1 2", "a snapshot of two seats")

    # What is another's stays as it is: a seat of another host, a snapshot of another cluster, an earlier end of what is kept.
    before, lines = row_hashes(), fleet.node.error_text().count("agent_foreign_member")
    suite.equal(said(seat_report(foreign, unit="failed", spans=[span_report()], snapshots=[copy_report(secrets.token_hex(12))]))[0], 200, "a report about another host's seat")
    suite.equal(h1.report(seats=[seat_report(own, unit="failed")])[0], 200, "a seat in a report of a host of members")
    suite.equal([table for table in changed_tables(before, row_hashes()) if table != "public.host"], [], "tables that changed with another's seat")
    other = fleet.make_cluster(sql("SELECT encode(project_id, 'hex') FROM cluster WHERE id = '\\x%s'" % cluster), sql("SELECT encode(org_id, 'hex') FROM cluster WHERE id = '\\x%s'" % cluster), "other")
    theirs, kept = secrets.token_hex(12), secrets.token_hex(12)
    sql("INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher) SELECT '\\x%s', org_id, project_id, id, name, 1, set_name || '-1', '17', '' "
        "FROM cluster WHERE id = '\\x%s'; INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, state, expires_at) SELECT '\\x%s', org_id, project_id, cluster_id, id, 'ON_DEMAND', "
        "'COMPLETED', '2098-01-01' FROM backup_stanza WHERE id = '\\x%s'" % (theirs, other, kept, theirs))
    suite.equal(said(seat_report(own, snapshots=[copy_report(kept, state="FAILED"), copy_report(snapshot, expiresAt="2026-01-01T00:00:00Z")]))[0], 200, "a report about another cluster's snapshot")
    suite.equal(sql("SELECT state || ' ' || (SELECT count(*) FROM snapshot_copy c WHERE c.snapshot_id = n.id) FROM snapshot n WHERE n.id = '\\x%s'" % kept), "COMPLETED 0", "another cluster's snapshot")
    suite.equal(sql("SELECT extract(year FROM expires_at) FROM snapshot WHERE id = '\\x%s'" % snapshot), "2099", "how long a snapshot is kept")
    wait_until(lambda: fleet.node.error_text().count("agent_foreign_member") > lines, 5)

    # Without a list nothing is known of what a host has; only a list that has not got it says that a copy is gone.
    def copies_left(document):
        return said(document)[0], sql("SELECT count(*) FROM snapshot_copy WHERE snapshot_id = '\\x%s' AND seat_id = '\\x%s'" % (snapshot, own))
    sql("UPDATE snapshot_copy SET state = 'REMOVING' WHERE snapshot_id = '\\x%s'" % snapshot)
    suite.equal(copies_left(seat_report(own, snapshots=None)), (200, "1"), "a copy that is to go, and its host does not know what it has")
    silent = seat_report(own)
    del silent["snapshots"]
    suite.equal(copies_left(silent), (200, "1"), "a copy that is to go, and its host says nothing of copies")
    suite.equal(copies_left(seat_report(own)), (200, "0"), "a copy that is to go, and its host has it no more")

    # Whatever cannot be read changes nothing.
    wrong = [seat_report(own, **{field: value}) for field, values in {
        "id": ["x", 1, None], "unit": [1, "x" * 33], "problem": [1], "receivedLsn": ["0", "0/G", "0/123456789", "/", 5], "timeline": [-1, "1"], "lagMs": [-1, 1.5], "lagBytes": ["0"],
        "windowFrom": ["now", "2026-13-01T00:00:00Z", 1], "windowTo": [""], "usedBytes": [-1], "spans": [{}, [1], [{}]], "snapshots": [{}, [1], [{}]]}.items() for value in values]
    wrong += [seat_report(own, spans=[span_report(**{field: value})]) for field, values in {
        "ordinal": [-1, 1 << 31, "0"], "fromLsn": ["x"], "toLsn": [1], "fromTimeline": [-1], "toAt": ["yesterday"], "endedBy": [1]}.items() for value in values]
    wrong += [seat_report(own, snapshots=[copy_report(snapshot, **{field: value})]) for field, values in {
        "id": ["x"], "label": ["x" * 65, 1], "type": ["HALF"], "needs": ["x", [""], [1]], "state": ["REMOVING", None, "DONE"], "frequency": ["secondly"], "policyItems": [["x"], "x"],
        "createdAt": [1], "expiresAt": ["never"], "startLsn": ["0:1"], "sizeBytes": [-1], "serverVersion": ["x" * 65], "problem": [[]]}.items() for value in values]
    before = row_hashes()
    for document in wrong:
        status, answer = said(document)
        suite.check(status == 400 and answer["errorCode"] in ("INVALID_ATTRIBUTE_VALUE", "MISSING_ATTRIBUTE") and "seats[0]" in answer["detail"], "a wrong report of a seat: %r %r" % (status, answer))
    gate = {"id": own, "state": "OPEN", "problem": None, "servedLsn": "0/5000148", "servedAt": "2026-11-16T04:00:00Z"}
    for field, values in {"id": ["x", None], "state": ["AJAR", None], "problem": [1], "servedLsn": ["0"], "servedAt": ["now"]}.items():
        for value in values:
            status, answer = r1.report(gates=[dict(gate, **{field: value})])
            suite.check(status == 400 and "gates[0].%s" % field in answer["detail"], "a wrong report of a gate: %r %r" % (status, answer))
    restore = {"id": own, "state": "RESTORING", "problem": None, "doneBytes": 1, "totalBytes": 2, "reachedLsn": None, "reachedAt": None}
    for field, values in {"id": ["x", None], "state": ["HALF", None], "phase": ["LUNCH"], "problem": [1], "doneBytes": [-1], "totalBytes": ["2"], "reachedLsn": ["x"], "reachedAt": [1]}.items():
        for value in values:
            status, answer = r1.report(members=[{"id": own, "restore": dict(restore, **{field: value})}])
            suite.check(status == 400 and "members[0].restore.%s" % field in answer["detail"], "a wrong report of a restore: %r %r" % (status, answer))
    status, answer = r1.report(members=[{"id": own, "restore": []}])
    suite.check(status == 400 and "members[0].restore" in answer["detail"], "a restore that is no object: %r %r" % (status, answer))
    suite.equal(changed_tables(before, row_hashes()), [], "tables that changed with wrong reports of seats")

    test_drills(suite, r1, own, stanza)
    test_exports(suite, r1, own, stanza)

    # Certificates of seats: for the host that the seat is on, by the cluster's authority.
    path = "/agent/v1/seats/%s/certificate"
    status, issued = r1.ask("POST", path % own, {"csr": fleet.csr})
    suite.equal((status, sorted(issued)), (200, ["authority", "certificate"]), "a seat's certificate")
    text = openssl("x509", "-noout", "-text", "-nameopt", "RFC2253", text=issued["certificate"])
    suite.check("Subject: CN=reeve-seat-%s,O=reeve-repository" % own in text and "TLS Web Client Authentication" in text, "what a seat's certificate says: %s" % text)
    suite.equal(issued["authority"], sql("SELECT certificate FROM authority WHERE purpose = 'CLUSTER' AND cluster_id = '\\x%s'" % cluster) + "\n", "who signs it")
    suite.equal(r1.goal()[1]["seats"][0]["clusterAuthority"].strip(), issued["authority"].strip(), "the authority in the goal")
    for who, seat in ((r1, foreign), (h1, own), (r2, own), (r1, secrets.token_hex(12)), (r1, "x"), (r1, own + "/x")):
        refused(suite, lambda who=who, seat=seat: who.ask("POST", path % seat, {"csr": fleet.csr}), 404, "RESOURCE_NOT_FOUND", "%s asks for the certificate of seat %r" % (who.name, seat))
    refused(suite, lambda: r1.ask("POST", path % own, {}), 400, "MISSING_ATTRIBUTE", "a seat's certificate without a request")
    test_own_database(suite, fleet, h1, r1)
    test_gates(suite, fleet, h1, r1, r2, cluster, own)
    test_downloads(suite, fleet, h1, r1, r2, own)

    # Removed: told until the host has nothing of it any more, then its place is free.
    suite.equal(fleet.command("host", "remove", "r1", ok=False).returncode != 0, True, "a host with backups is not removed")
    shown = json.loads(fleet.command("host", "show", "r1", "--json"))
    suite.equal((shown["purpose"], shown["seats"], shown["usedDiskGb"], [seat["id"] for seat in shown["seatList"]]), ("REPOSITORY", 1, 20, [own]), "`fleet host show` of a repository host")
    sql(SERVICE + "UPDATE backup_stanza SET state = 'REMOVING' WHERE id = '\\x%s'; UPDATE stanza_seat SET desired = 'REMOVED'" % stanza)
    refused(suite, lambda: r1.ask("POST", path % own, {"csr": fleet.csr}), 404, "RESOURCE_NOT_FOUND", "a certificate for a seat that goes")
    for agent, seat in ((r1, own), (r2, foreign)):
        suite.equal(agent.goal()[1]["seats"][0]["desired"], "REMOVED", "a seat that goes, in the goal")
        suite.equal(agent.report(seats=[seat_report(seat, unit="absent")])[0], 200, "a seat that is gone")
        suite.equal(agent.goal()[1]["seats"], [], "seats of the goal when it is gone")
    suite.equal(sql("SELECT count(*) || ' ' || (SELECT sum(used_disk_gb) FROM host WHERE purpose = 'REPOSITORY') || ' ' || (SELECT count(*) FROM certificate WHERE kind = 'SEAT' AND revoked_at IS NULL) "
                    "FROM backup_stanza WHERE id = '\\x%s'" % stanza), "0 0 0", "what is left of backups, of their room and their certificates")
    sql(SERVICE + "DELETE FROM backup_stanza; DELETE FROM cluster WHERE id = '\\x%s'" % other)
    for name in ("r1", "r2"):
        fleet.command("host", "remove", name)


# ---- Goals arrive ----
def test_latency(suite, fleet, h1, cluster):
    times = []
    for _ in range(20):
        version, arrived = h1.goal()[1]["version"], []
        thread = threading.Thread(target=lambda version=version, arrived=arrived: arrived.append((h1.goal(after=version), time.monotonic())))
        thread.start()
        time.sleep(0.15)
        sql(SERVICE + "SELECT cluster_touch('\\x%s')" % cluster)
        committed = time.monotonic()
        thread.join(10)
        suite.check(arrived and arrived[0][0][0] == 200 and arrived[0][0][1]["version"] > version, "a goal arrives: %r" % (arrived[:1],))
        times.append(max(0.0, arrived[0][1] - committed))
    times.sort()
    # Whoever is not woken looks again after seconds only: half of them tell that from a machine that is busy with other tests.
    suite.check(times[10] <= 0.2, "a goal arrives within 200 ms of its commit: %r" % times)
    suite.say("a goal arrived %.0f ms (median) and %.0f ms (most) after psql had committed" % (1000 * times[10], 1000 * times[-1]))


async def no_wake_is_lost(suite, h1, cluster):
    """A change that commits, and is told, while a poll looks for the first time: the poll has seen the old goal, and nobody knew yet whom
    to wake. The database is made to take its time between the snapshot and the answer."""
    client, late = AsyncAgent(h1), 0
    await client.connect()
    sql("ALTER POLICY reader ON certificate USING (pg_sleep(2)::text IS NOT NULL)")
    try:
        for _ in range(RACES):
            version = int(sql("SELECT version FROM host_goal_version WHERE host_id = '\\x%s'" % h1.id))
            client.send_poll(version)
            await asyncio.sleep(0.05)
            await asyncio.to_thread(sql, SERVICE + "SELECT cluster_touch('\\x%s')" % cluster)
            try:
                await asyncio.wait_for(client.answer(), 12)
            except asyncio.TimeoutError:
                late += 1
                await asyncio.to_thread(sql, SERVICE + "SELECT cluster_touch('\\x%s')" % cluster)
                await asyncio.wait_for(client.answer(), 60)
    finally:
        sql("ALTER POLICY reader ON certificate USING (true)")
        client.close()
    suite.equal(late, 0, "of %d polls, those that were not woken" % RACES)


async def park_many(suite, fleet, agents):
    """Many polls at once, woken by one commit; then the listener loses its connection, and a change in between is found."""
    clients = [AsyncAgent(agent) for agent in agents]
    gate = asyncio.Semaphore(50)

    async def begin(client):
        async with gate:
            await client.connect()
            status, body = await client.ask("GET", "/agent/v1/goal?after=0&epoch=%d" % client.agent.epoch)
            client.version = json.loads(body)["version"]
            client.send_poll(client.version)
    began = time.monotonic()
    await asyncio.gather(*(begin(client) for client in clients))
    suite.say("%d hosts connected and have their goal after %.1f s" % (len(clients), time.monotonic() - began))
    await asyncio.sleep(1)

    async def next_goal(client):
        while True:
            status, body = await client.answer()
            if status != 204:  # it has waited for its 50 seconds, and asks again
                return status, body
            client.send_poll(client.version)

    async def woken(change, seconds, what):
        answers = [asyncio.ensure_future(next_goal(client)) for client in clients]
        await asyncio.sleep(0.3)
        suite.equal(sum(answer.done() for answer in answers), 0, "polls that ended before " + what)
        await asyncio.to_thread(change)
        began = time.monotonic()
        done, pending = await asyncio.wait(answers, timeout=seconds)
        took = time.monotonic() - began
        good = sum(answer.exception() is None and answer.result()[0] == 200 for answer in done)
        suite.equal((good, len(pending)), (len(clients), 0), "polls that got their goal, and that did not, after " + what)
        suite.say("%d parked polls had their goal %.2f s after %s" % (good, took, what))
        for client, answer in zip(clients, answers):
            client.version = json.loads(answer.result()[1])["version"]
            client.send_poll(client.version)
        await asyncio.sleep(1)
    hosts = ",".join("'\\x%s'::bytea" % agent.id for agent in agents)
    touch = "SELECT goal_touch_hosts(ARRAY[%s])" % hosts
    await woken(lambda: sql(touch), 20, "one commit")
    # Nobody hears this: the connections that listen are cut in the same transaction, before it commits.
    await woken(lambda: sql("BEGIN; %s; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %%' OR "
                            "query = 'SELECT 1'; COMMIT;" % touch), 30, "a commit that was not heard")
    for client in clients:
        client.close()


# ---- Counters ----
def counters(node):
    """How many requests of each operation had which status, and how many were timed: {(operation, status): requests, (operation, "timed"): requests}."""
    text = node.operator("/metrics")[1]
    found = {(operation, status): int(n) for operation, status, n in re.findall(r'^reeve_http_requests_total\{operation="(\w*)",status="(\w+)"\} (\d+)$', text, re.M)}
    found.update({(operation, "timed"): int(n) for operation, n in re.findall(r'^reeve_http_request_duration_seconds_count\{operation="(\w*)"\} (\d+)$', text, re.M)})
    return found


def counted_since(node, before):
    return {key: n - before.get(key, 0) for key, n in counters(node).items() if n != before.get(key, 0)}


def test_counters(suite, fleet, h1):
    """What tenants, operators and hosts ask is counted alike: each request once, under its name and its status. What belongs to no operation has no name."""
    node, tenants = fleet.node, connect(fleet.node)
    owner = bootstrap(node.conf, "counted")
    owner.fetch(tenants)
    operator = json.loads(node.run("operator", "add", "counter", "--json").stdout)["token"]

    def tenant(method, target, auth=None, body=None):
        return lambda: tenants.ask(method, target, auth, body).status

    def oauth(path, secret, form):
        return lambda: tenants._client_form("/api/oauth/" + path, owner.client_id, secret, form).status

    def operators(method, path, token=operator):
        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", node.operator_port, timeout=20)
            connection.request(method, "/operator/v1" + path, headers={"Authorization": "Bearer " + token} if token else {})
            status = connection.getresponse().status
            connection.close()
            return status
        return ask

    def host(asks, method, path, body=None):
        return lambda: asks(method, "/agent/v1/" + path, body)[0]
    bearer, organization, member = owner.bearer(), PREFIX + "/orgs/" + owner.home, "members/%s/certificate" % new_id()
    for name, status, ask in (
            ("getRoot", 200, tenant("GET", PREFIX, bearer)), ("getRoot", 200, tenant("HEAD", PREFIX, bearer)), ("getRoot", 401, tenant("GET", PREFIX)),
            ("getOrganization", 200, tenant("GET", organization, bearer)), ("getOrganization", 404, tenant("GET", PREFIX + "/orgs/" + new_id(), bearer)),
            ("getOrganization", 400, tenant("GET", organization + "?unknown=1", bearer)),
            ("updateOrganization", 200, tenant("PATCH", organization, bearer, {"name": "counted once"})), ("updateOrganization", 400, tenant("PATCH", organization, bearer, {"name": 1})),
            ("", 404, tenant("GET", PREFIX + "/nothing", bearer)), ("", 404, tenant("GET", "/nothing")), ("", 405, tenant("PUT", PREFIX, bearer, {})),
            ("oauthToken", 200, oauth("token", owner.client_secret, "grant_type=client_credentials")),
            ("oauthToken", 401, oauth("token", owner.client_secret[:-1] + "_", "grant_type=client_credentials")), ("oauthToken", 405, tenant("GET", "/api/oauth/token")),
            ("oauthRevoke", 200, oauth("revoke", owner.client_secret, "token=x")), ("oauthRevoke", 405, tenant("DELETE", "/api/oauth/revoke")),
            ("acceptInvitation", 400, tenant("POST", "/api/invitations/accept", None, {"token": 1})), ("acceptInvitation", 405, tenant("GET", "/api/invitations/accept")),
            ("oauthMetadata", 200, tenant("GET", "/.well-known/oauth-authorization-server")), ("oauthMetadata", 405, tenant("POST", "/.well-known/oauth-authorization-server")),
            ("openApiDocument", 200, tenant("GET", "/api/openapi.json")), ("openApiDocument", 405, tenant("POST", "/api/openapi.json")),
            ("fetchDownload", 404, tenant("GET", "/api/downloads/x")), ("fetchDownload", 405, tenant("POST", "/api/downloads/x")),
            ("measurementsForTools", 401, tenant("GET", "/api/prometheus/x/targets")), ("measurementsForTools", 405, tenant("PUT", "/api/prometheus/x")),
            ("showOperator", 200, operators("GET", "")), ("listHosts", 200, operators("GET", "/hosts")), ("listHosts", 400, operators("GET", "/hosts?unknown=1")),
            ("drainHost", 404, operators("POST", "/hosts/nobody:drain")), ("", 404, operators("GET", "/nothing")), ("", 405, operators("PUT", "/hosts")),
            ("", 401, operators("GET", "/hosts", None)), ("", 401, operators("GET", "/hosts", operator[:-1])),
            ("agentJoin", 403, host(fleet.ask, "POST", "join", {"token": "reeve_join_" + "A" * 49, "csr": fleet.csr, "facts": FACTS})), ("agentJoin", 405, host(fleet.ask, "GET", "join")),
            ("agentGoal", 200, host(h1.ask, "GET", "goal?after=0&epoch=%d" % h1.epoch)), ("agentGoal", 400, host(h1.ask, "GET", "goal")),
            ("agentGoal", 401, host(fleet.ask, "GET", "goal?after=0&epoch=1")), ("agentGoal", 409, host(h1.ask, "GET", "goal?after=0&epoch=0")),
            ("agentReport", 200, host(h1.ask, "POST", "report", h1.report_document())), ("agentReport", 400, host(h1.ask, "POST", "report", {})),
            ("agentHostCertificate", 200, host(h1.ask, "POST", "certificate", {"csr": fleet.csr})), ("agentMemberCertificate", 404, host(h1.ask, "POST", member, {"csr": fleet.csr})),
            ("agentMemberCertificate", 405, host(h1.ask, "GET", member)), ("agentSeatCertificate", 404, host(h1.ask, "POST", "seats/%s/certificate" % new_id(), {"csr": fleet.csr})), ("agentGateCertificate", 404, host(h1.ask, "POST", "gates/%s/certificate" % new_id(), {"csr": fleet.csr})),
            ("agentDownloadCertificate", 404, host(h1.ask, "POST", "downloads/%s/certificate" % new_id(), {"csr": fleet.csr})), ("", 404, host(h1.ask, "POST", "nothing"))):
        before = counters(node)
        suite.equal((ask(), counted_since(node, before)), (status, {(name, str(status)): 1, (name, "timed"): 1}), "%s that is answered with %d, and how it is counted" % (name or "no operation", status))
    before = counters(node)
    node.operator("/readyz")
    suite.equal(counted_since(node, before), {}, "whoever supervises the node is not counted")
    tenants.close()


def test_drain(suite, fleet, h1):
    """A node that stops answers parked polls at once, and a reload does, too."""
    answers, before = [], counters(fleet.node)
    version = h1.goal()[1]["version"]
    thread = threading.Thread(target=lambda: answers.append(h1.goal(after=version)))
    thread.start()
    time.sleep(0.5)
    began = time.monotonic()
    fleet.node.reload()
    thread.join(20)
    suite.equal([status for status, _ in answers], [204], "answer of a node that reloads")
    suite.check(time.monotonic() - began < 5 * PATIENCE, "a parked poll ends soon when the node reloads: %.1f s" % (time.monotonic() - began))
    suite.equal(h1.goal(after=0)[0], 200, "a goal after the reload")
    suite.equal(counted_since(fleet.node, before), {("agentGoal", "200"): 2, ("agentGoal", "204"): 1, ("agentGoal", "timed"): 3}, "counters before and after the reload")


def test_rest(suite, fleet):
    """Operators are told what is wrong, and nothing happens twice."""
    before = sql("SELECT id, certificate FROM authority")
    suite.check("there already" in fleet.command("init"), "a second init")
    suite.equal(sql("SELECT id, certificate FROM authority"), before, "the authority after a second init")
    for words in (["region", "add", "NOBODY", "X"], ["provider", "add", "small"], ["token", "--host", "h", "--provider", "OWN", "--region", "NO"],
                  ["size", "add", "X", "--cpus", "x", "--memory-mb", "1", "--disk-gb", "1"], ["host", "drain", "nobody"],
                  ["host", "remove", "h1"], ["address", "add", "--host", "h1", "10.0.0.9-10.0.0.1"], ["nonsense"], ["host", "show", "nobody"],
                  ["certificate", "--name", "x", "--address", "here", "--out", fleet.path("x")]):
        done = fleet.command(*words, ok=False)
        suite.check(done.returncode != 0 and done.stderr.strip(), "`fleet %s` is refused with a sentence" % " ".join(words))
    suite.check("DRAINING" in fleet.command("host", "drain", "h1", "--json"), "`fleet host drain`")
    suite.equal(sql("SELECT state FROM host WHERE name = 'h1'"), "DRAINING", "a host that drains")
    fleet.command("host", "activate", "h1")
    suite.equal(sql("SELECT state FROM host WHERE name = 'h1'"), "ACTIVE", "a host that is used again")
    suite.check("5" not in {str(line["status"])[0] for line in fleet.node.log_lines()}, "answers that are failures of the service")


def main():
    ends_on_signal()
    suite = Suite("agents")
    with Fleet(settings={"max_connections": 4096}) as fleet:
        h1, h2 = test_join(suite, fleet)
        test_identity(suite, fleet, h1, h2)
        cluster = test_reports(suite, fleet, h1, h2)
        test_seats(suite, fleet, h1, cluster)
        test_latency(suite, fleet, h1, cluster)
        asyncio.run(no_wake_is_lost(suite, h1, cluster))
        test_counters(suite, fleet, h1)
        test_drain(suite, fleet, h1)
        asyncio.run(park_many(suite, fleet, bulk_agents(fleet, PARKED)))
        test_rest(suite, fleet)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
