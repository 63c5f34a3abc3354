# SPDX-License-Identifier: Apache-2.0
"""Alerts with a real worker, a real mail server and an HTTPS receiver: one event reaches every kind of notification once, under one
id, also when the worker is killed at every fail point; what lasts is closed by the event that ends it; acknowledged is quiet."""
import email
import hashlib
import hmac
import http.server
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from aiosmtpd.controller import Controller

from client import PATIENCE, wait_until
from node import free_port, make_certificate
from suite import Suite, ends_on_signal
from world import BUILD, PREFIX, ROOT, World, connect, make_fleet, new_id, sql, start_node

FAILPOINTS = ("alert:raise:before-effect", "alert:raise:after-effect", "alert:raise:after-commit", "alert:send:before-effect",
              "alert:send:after-effect", "alert:send:before-commit", "alert:send:after-commit")
SECRET = "a secret for signatures"


# ---- Those who are told ----
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append({"path": self.path, "headers": dict(self.headers.items()), "raw": body, "body": json.loads(body)})
        status = 500 if self.path == "/broken" else 200
        answer = b'{"ok":true}'
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Receiver:
    def __init__(self, folder):
        self.port, self.received = free_port(), []
        self.certificate, key = make_certificate(folder, "receiver")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.received = self.received
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path):
        return "https://127.0.0.1:%d%s" % (self.port, path)


class Mailbox:
    """What a mail server took: (recipients, message)."""

    def __init__(self):
        self.mails = []

    async def handle_DATA(self, server, session, envelope):
        self.mails.append((list(envelope.rcpt_tos), email.message_from_bytes(envelope.content)))
        return "250 taken"


class Worker:
    def __init__(self, config):
        self.config, self.process = config, None
        self.log = tempfile.NamedTemporaryFile(prefix="worker.", delete=False)

    def start(self, failpoint=None):
        environment = {**os.environ, **({"REEVE_FAILPOINTS": failpoint + "=kill@1"} if failpoint else {})}
        self.process = subprocess.Popen([os.path.join(ROOT, BUILD, "reeved"), "worker", "--config", self.config],
                                        stdout=self.log, stderr=self.log, env=environment)

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)


# ---- The project ----
class Project:
    """Without the configurations that a project begins with, unless they are what is tried."""

    def __init__(self, world, connection, name, **more):
        self.world, self.connection = world, connection
        body = {"name": name, "orgId": world.a.home, "withDefaultAlertsSettings": False, **more}
        self.id = connection.ask("POST", PREFIX + "/groups", world.a.bearer(), body).json()["id"]

    def ask(self, status, method, target, body=None):
        answer = self.connection.ask(method, PREFIX + "/groups/%s%s" % (self.id, target), self.world.a.bearer(), body)
        if answer.status != status:
            raise AssertionError("%d expected: %r" % (status, answer))
        return answer.json() if answer.status != 204 else None

    def configure(self, event_type, notifications, **more):
        return self.ask(200, "POST", "/alertConfigs", {"eventTypeName": event_type, "enabled": True, "notifications": notifications, **more})

    def alerts(self, query=""):
        return self.ask(200, "GET", "/alerts" + query)["results"]

    def happens(self, event_type, cluster=None):
        """An event as the store writes it, but for the hash, which nobody here looks at."""
        org = self.world.a.home
        sql("""DO $$ DECLARE o bytea := decode('%s', 'hex'); p bytea := decode('%s', 'hex'); s bigint; q bigint; i bytea := decode('%s', 'hex'); BEGIN
               UPDATE event_chain SET seq = seq + 1 WHERE org_id = o RETURNING seq INTO s;
               UPDATE event_count_of_project SET seq = seq + 1 WHERE project_id = p RETURNING seq INTO q;
               INSERT INTO event (org_id, seq, id, project_id, project_seq, type, cluster, created_at, document, hash)
               VALUES (o, s, i, p, q, '%s', %s, now(), json_build_object('id', encode(i, 'hex'), 'created', api_date(now()))::text, '');
               PERFORM pg_notify('reeve_event', '%s'); END $$"""
            % (org, self.id, os.urandom(12).hex(), event_type, "'%s'" % cluster if cluster else "NULL", org))


def every_notification(receiver):
    return [
        {"typeName": "EMAIL", "emailAddress": "oncall@example.org"},
        {"typeName": "USER", "username": "ada@example.org"},
        {"typeName": "TEAM", "teamId": "650000000000000000000001"},
        {"typeName": "GROUP", "roles": ["GROUP_OWNER"]},
        {"typeName": "ORG", "roles": ["ORG_MEMBER"]},
        {"typeName": "WEBHOOK", "webhookUrl": receiver.url("/hook"), "webhookSecret": SECRET},
        {"typeName": "MICROSOFT_TEAMS", "microsoftTeamsWebhookUrl": receiver.url("/card")},
        {"typeName": "SLACK", "apiToken": "xoxb-0123456789", "channelName": "#alerts"},
        {"typeName": "PAGER_DUTY", "serviceKey": "0123456789abcdef"},
        {"typeName": "OPS_GENIE", "opsGenieApiKey": "0123456789abcdef", "opsGenieRegion": "EU"},
        {"typeName": "VICTOR_OPS", "victorOpsApiKey": "0123456789abcdef", "victorOpsRoutingKey": "night"},
        {"typeName": "DATADOG", "datadogApiKey": "0123456789abcdef", "datadogRegion": "EU"},
    ]


PATHS = {"/hook", "/card", "/slack.com/api/chat.postMessage", "/events.pagerduty.com/v2/enqueue", "/api.eu.opsgenie.com/v2/alerts",
         "/alert.victorops.com/integrations/generic/20131114/alert/0123456789abcdef/night", "/api.datadoghq.eu/api/v1/events"}
MAILED = [["oncall@example.org"], ["ada@example.org"], ["ada@example.org"], ["ada@example.org"]]  # and nobody owns the project by name


def free_leases():
    """What a dead worker held, notifications and sweeps, is free when its lease ends; here at once."""
    sql("UPDATE alert_notification SET lease_until = NULL, next_try_at = now() WHERE state = 'PENDING' AND lease_until IS NOT NULL;"
        "UPDATE sweep SET lease_until = NULL, next_run_at = now() WHERE lease_until IS NOT NULL")


def states():
    return sql("SELECT string_agg(state || ' ' || n, ',' ORDER BY state) FROM (SELECT state, count(*) n FROM alert_notification GROUP BY state) s")


def is_settled():
    return sql("SELECT count(*) FROM alert_notification WHERE state = 'PENDING' AND due_at <= now()") == "0"


def told_since(receiver, mailbox, posts, mails):
    """Those who were told, each id once however often it came; and how often anything came again."""
    by_id = {}
    for record in receiver.received[posts:]:
        by_id.setdefault(record["headers"]["Reeve-Notification-Id"], []).append(record["path"])
    for recipients, message in mailbox.mails[mails:]:
        by_id.setdefault(message["Message-ID"], []).append(tuple(recipients))
    repeated = sum(len(times) - 1 for times in by_id.values())
    firsts = [times[0] for times in by_id.values()]
    return {one for one in firsts if isinstance(one, str)}, sorted(list(one) for one in firsts if not isinstance(one, str)), len(firsts), repeated


def check_round(suite, project, receiver, mailbox, worker, failpoint):
    posts, mails, began = len(receiver.received), len(mailbox.mails), time.monotonic()
    before = len(project.alerts())
    if failpoint:
        worker.start(failpoint)
    project.happens("DATABASE_USER_CREATED")
    if failpoint:
        worker.process.wait(30)
        suite.equal(worker.process.returncode, -9, "the worker dies at %s" % failpoint)
        free_leases()
        worker.start()
    what = "with a worker killed at %s" % failpoint if failpoint else "undisturbed"
    wait_until(lambda: len(project.alerts()) == before + 1 and is_settled(), 30)
    took = time.monotonic() - began
    paths, mailed, count, repeated = told_since(receiver, mailbox, posts, mails)
    suite.equal((paths, mailed, count), (PATHS, sorted(MAILED), len(PATHS) + len(MAILED)), "who is told, once each, " + what)
    # Only between the wire and the record can something be told again, under the same id.
    allowed = 4 if failpoint in ("alert:send:before-effect", "alert:send:after-effect", "alert:send:before-commit", "alert:send:after-commit") else 0
    suite.check(repeated <= allowed, "%d repeated %s" % (repeated, what))
    suite.check(took < 30 * PATIENCE, "told after %.1f s %s" % (took, what))
    if failpoint:
        suite.equal(worker.stop(), 0, "status of a worker that was told to stop")


def test_everybody_is_told(suite, project, receiver, mailbox, worker):
    project.configure("DATABASE_USER_CREATED", every_notification(receiver))
    worker.start()
    check_round(suite, project, receiver, mailbox, worker, None)
    hook = [one for one in receiver.received if one["path"] == "/hook"][0]
    signed = hook["headers"]["Reeve-Webhook-Timestamp"].encode() + b"." + hook["raw"]
    suite.equal(hook["headers"]["Reeve-Webhook-Signature"], "v1=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest(), "the signature")
    alert = project.alerts()[0]
    suite.equal((hook["body"]["about"], hook["body"]["alert"]["id"], alert["status"]), ("OPENED", alert["id"], "OPEN"), "what the webhook says")
    by_path = {one["path"]: one for one in receiver.received}
    suite.equal(by_path["/slack.com/api/chat.postMessage"]["headers"]["Authorization"], "Bearer xoxb-0123456789", "the token")
    page = by_path["/events.pagerduty.com/v2/enqueue"]["body"]
    suite.equal((page["routing_key"], page["event_action"], page["dedup_key"]), ("0123456789abcdef", "trigger", alert["id"]), "the page")
    suite.equal(by_path["/api.eu.opsgenie.com/v2/alerts"]["body"]["alias"], alert["id"], "the alias")
    suite.equal(by_path["/api.datadoghq.eu/api/v1/events"]["headers"]["DD-API-KEY"], "0123456789abcdef", "the key")
    text = mailbox.mails[0][1].get_payload(decode=True).decode()
    suite.check("A database user was created." in text and alert["id"] in text, "the mail says what happened")
    worker.stop()
    for failpoint in FAILPOINTS:
        check_round(suite, project, receiver, mailbox, worker, failpoint)
    stored = sql("SELECT document::text FROM resource WHERE kind = 'alertConfig'") + sql("SELECT document FROM event")
    suite.check("0123456789abcdef" not in stored and SECRET not in stored, "secrets are nowhere in plain text")


def test_what_lasts(suite, world, connection, receiver, mailbox):
    project = Project(world, connection, "lasting")
    config = project.configure("CLUSTER_PAUSED", [{"typeName": "PAGER_DUTY", "serviceKey": "fedcba9876543210", "intervalMin": 5},
                                                  {"typeName": "EMAIL", "emailAddress": "late@example.org", "delayMin": 60}],
                               matchers=[{"fieldName": "CLUSTER_NAME", "operator": "EQUALS", "value": "orders"}])
    # D, fields that matter: the list of all clusters says how many alerts are open about each.
    project.ask(201, "POST", "/clusters", {"name": "orders", "replicationSpecs": [{"regionConfigs": [
        {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]})

    def summary():
        listed = connection.ask("GET", PREFIX + "/clusters?itemsPerPage=500", world.a.bearer()).json()["results"]
        cluster = [one for one in listed if one["groupId"] == project.id][0]["clusters"][0]
        return cluster["name"], cluster["alertCount"], cluster["backupEnabled"]
    suite.equal(summary(), ("orders", 0, False), "a cluster without alerts")
    pages = lambda: [one["body"]["event_action"] for one in receiver.received if one["body"].get("routing_key") == "fedcba9876543210"]
    for cluster in ("other", "orders", "orders"):
        project.happens("CLUSTER_PAUSED", cluster)
    wait_until(lambda: pages() == ["trigger"], 20)
    wait_until(lambda: "lastNotified" in project.alerts()[0], 10)
    alerts = project.alerts("?status=OPEN")
    suite.equal([(one["clusterName"], one["alertConfigId"]) for one in alerts], [("orders", config["id"])], "one alert, of the cluster that matches")
    suite.equal(summary(), ("orders", 1, False), "a cluster with an alert")
    alert = alerts[0]
    suite.equal([one["id"] for one in project.ask(200, "GET", "/alertConfigs/%s/alerts" % config["id"])["results"]], [alert["id"]], "alerts of the configuration")
    suite.equal([one["id"] for one in project.ask(200, "GET", "/alerts/%s/alertConfigs" % alert["id"])["results"]], [config["id"]], "configurations of the alert")
    # Acknowledged it is quiet; when that is over the reminder comes.
    shown = project.ask(200, "PATCH", "/alerts/" + alert["id"], {"acknowledgedUntil": "2099-01-01T00:00:00Z", "acknowledgementComment": "We know."})
    suite.equal((shown["acknowledgementComment"], shown["acknowledgedUntil"], shown["acknowledgingUsername"]),
                ("We know.", "2099-01-01T00:00:00Z", world.a.client_id), "the acknowledgement")
    sql("UPDATE alert_notification SET due_at = now(), next_try_at = now() WHERE about = 'REMINDER' AND state = 'PENDING'")
    time.sleep(2.5)
    suite.equal(pages(), ["trigger"], "quiet while it is acknowledged")
    project.ask(200, "PATCH", "/alerts/" + alert["id"], {"unacknowledgeAlert": True})
    wait_until(lambda: pages() == ["trigger", "trigger"], 20)
    project.happens("CLUSTER_RESUMED", "other")
    project.happens("CLUSTER_RESUMED", "orders")
    wait_until(lambda: pages() == ["trigger", "trigger", "resolve"], 20)
    shown = project.ask(200, "GET", "/alerts/" + alert["id"])
    suite.equal((shown["status"], "resolved" in shown), ("CLOSED", True), "closed by the event that ends it")
    suite.equal(summary(), ("orders", 0, False), "a cluster whose alert is closed")
    suite.equal([mail for mail in mailbox.mails if mail[0] == ["late@example.org"]], [], "who would have been told later is not told")
    suite.equal(project.ask(409, "PATCH", "/alerts/" + alert["id"], {"acknowledgedUntil": "2099-01-01T00:00:00Z"})["errorCode"], "ALERT_CLOSED", "too late")
    for name, count in (("ALERT_OPENED", 1), ("ALERT_ACKNOWLEDGED", 2), ("ALERT_CLOSED", 1)):
        events = project.ask(200, "GET", "/events?eventType=" + name)
        suite.equal(events["totalCount"], count, "events " + name)
        one = project.ask(200, "GET", "/alerts/" + events["results"][0]["alertId"])  # D, fields that matter: the event says which alert
        suite.equal(events["results"][0]["alertConfigId"], one["alertConfigId"], "the configuration of an event " + name)
    # Switched off, its alerts are closed and nothing is raised.
    project.happens("CLUSTER_PAUSED", "orders")
    wait_until(lambda: len(project.alerts("?status=OPEN")) == 1, 20)
    project.ask(200, "PATCH", "/alertConfigs/" + config["id"], {"enabled": False})
    suite.equal(project.alerts("?status=OPEN"), [], "open alerts of what is switched off")
    project.happens("CLUSTER_PAUSED", "orders")
    time.sleep(1.5)
    suite.equal(len(project.alerts()), 2, "alerts of what is switched off")


def test_thresholds_and_delays(suite, world, connection, receiver):
    project = Project(world, connection, "counted")
    project.configure("INDEX_FAILED", [{"typeName": "WEBHOOK", "webhookUrl": receiver.url("/counted"), "delayMin": 30}], threshold={"threshold": 1})
    project.happens("INDEX_FAILED", "orders")
    project.happens("INDEX_FAILED", "other")
    project.happens("INDEX_FAILED", "orders")
    wait_until(lambda: project.alerts() != [], 20)
    alert = project.alerts()[0]
    suite.equal([(one["clusterName"], one["status"], one["currentValue"]["number"]) for one in project.alerts()], [("orders", "TRACKING", 2)], "the second of one cluster")
    sql("UPDATE alert_notification SET due_at = now(), next_try_at = now() WHERE alert_id = decode('%s', 'hex')" % alert["id"])
    wait_until(lambda: project.alerts()[0]["status"] == "OPEN", 20)
    wait_until(lambda: [one["path"] for one in receiver.received if one["path"] == "/counted"] == ["/counted"], 20)
    sql("UPDATE alert SET close_at = now() WHERE id = decode('%s', 'hex')" % alert["id"])
    wait_until(lambda: project.alerts()[0]["status"] == "CLOSED", 20)
    suite.check(True, "what is of one moment closes by itself")


def test_integrations(suite, world, connection, receiver):
    """Notifications without keys of their own use those of the project, with the region or channel that belongs to them."""
    project = Project(world, connection, "connected")
    for integration in ({"type": "WEBHOOK", "url": receiver.url("/lent"), "secret": SECRET},
                        {"type": "MICROSOFT_TEAMS", "microsoftTeamsWebhookUrl": receiver.url("/lent-card")},
                        {"type": "SLACK", "apiToken": "xoxb-lent-0123456789", "channelName": "#lent"},
                        {"type": "PAGER_DUTY", "serviceKey": "lent-pager-key-1", "region": "EU"},
                        {"type": "OPS_GENIE", "apiKey": "lent-genie-key-1"},
                        {"type": "VICTOR_OPS", "apiKey": "lent-victor-key-1", "routingKey": "day"},
                        {"type": "DATADOG", "apiKey": "lent-dog-key-0001", "region": "US5"}):
        project.ask(200, "POST", "/integrations/" + integration["type"], integration)
    before = len(receiver.received)
    project.configure("CUSTOM_ROLE_DELETED", [{"typeName": "WEBHOOK"}, {"typeName": "MICROSOFT_TEAMS"}, {"typeName": "SLACK"}, {"typeName": "PAGER_DUTY"},
                                              {"typeName": "OPS_GENIE"}, {"typeName": "VICTOR_OPS"}, {"typeName": "DATADOG"},
                                              {"typeName": "SLACK", "channelName": "#own"}])
    project.happens("CUSTOM_ROLE_DELETED")
    wait_until(lambda: len(receiver.received) == before + 8 and is_settled(), 30)
    by_path = {}
    for one in receiver.received[before:]:
        by_path.setdefault(one["path"], []).append(one)
    suite.equal(set(by_path), {"/lent", "/lent-card", "/slack.com/api/chat.postMessage", "/events.eu.pagerduty.com/v2/enqueue",
                               "/api.opsgenie.com/v2/alerts", "/alert.victorops.com/integrations/generic/20131114/alert/lent-victor-key-1/day",
                               "/api.us5.datadoghq.com/api/v1/events"}, "who is told through integrations")
    hook = by_path["/lent"][0]
    signed = hook["headers"]["Reeve-Webhook-Timestamp"].encode() + b"." + hook["raw"]
    suite.equal(hook["headers"]["Reeve-Webhook-Signature"], "v1=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest(), "the lent signature")
    chat = by_path["/slack.com/api/chat.postMessage"]
    suite.equal({(one["headers"]["Authorization"], one["body"]["channel"]) for one in chat},
                {("Bearer xoxb-lent-0123456789", "#lent"), ("Bearer xoxb-lent-0123456789", "#own")}, "the lent token, and whose channel")
    suite.equal(by_path["/events.eu.pagerduty.com/v2/enqueue"][0]["body"]["routing_key"], "lent-pager-key-1", "the lent key")
    suite.equal(by_path["/api.us5.datadoghq.com/api/v1/events"][0]["headers"]["DD-API-KEY"], "lent-dog-key-0001", "the lent key of a region")
    # A body of the project's own, of the integration and of a notification, signed as any other.
    own = {"title": "{{severity}} {{eventType}}", "where": "{{projectName}} \\ {{projectId}}", "ours": "a \"quote\""}
    project.ask(200, "PUT", "/integrations/WEBHOOK", {"type": "WEBHOOK", "url": receiver.url("/formed"), "secret": SECRET, "bodyTemplate": json.dumps(own)})
    project.configure("NETWORK_PERMISSION_ENTRY_REMOVED", [{"typeName": "WEBHOOK"}, {"typeName": "WEBHOOK", "webhookUrl": receiver.url("/formed-here"),
                                                            "webhookBodyTemplate": "{\"id\": \"{{alertId}}\", \"n\": {{value}}, \"text\": \"{{text}}\"}"}])
    project.happens("NETWORK_PERMISSION_ENTRY_REMOVED")
    wait_until(lambda: {"/formed", "/formed-here"} <= {one["path"] for one in receiver.received}, 30)
    formed, here = ([one for one in receiver.received if one["path"] == path][0] for path in ("/formed", "/formed-here"))
    suite.check(formed["body"]["title"].endswith(" NETWORK_PERMISSION_ENTRY_REMOVED") and formed["body"]["where"] == "connected \\ " + project.id and formed["body"]["ours"] == own["ours"],
                "a body in the project's own form: %r", formed["body"])
    signed = formed["headers"]["Reeve-Webhook-Timestamp"].encode() + b"." + formed["raw"]
    suite.equal(formed["headers"]["Reeve-Webhook-Signature"], "v1=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest(), "its signature")
    suite.check(len(here["body"]["id"]) == 24 and isinstance(here["body"]["n"], int) and "Project: connected (" in here["body"]["text"], "a body in a notification's form: %r", here["body"])
    # What is replaced is used with the next alert.
    project.ask(200, "PUT", "/integrations/WEBHOOK", {"type": "WEBHOOK", "url": receiver.url("/replaced")})
    project.happens("CUSTOM_ROLE_DELETED")
    wait_until(lambda: any(one["path"] == "/replaced" for one in receiver.received), 30)
    replaced = [one for one in receiver.received if one["path"] == "/replaced"][0]
    suite.check("Reeve-Webhook-Signature" not in replaced["headers"], "the replacement has no key to sign with")
    stored = sql("SELECT string_agg(document::text, ' ') FROM resource WHERE kind = 'integration'") + sql("SELECT string_agg(document, ' ') FROM event")
    suite.check("lent-" not in stored.replace("/lent-card", "") and SECRET not in stored, "secrets of integrations are nowhere in plain text")


def test_changed_and_deleted(suite, world, connection, receiver):
    """A configuration that was replaced tells whom it names now, and one that was deleted tells nobody."""
    project = Project(world, connection, "changed")
    hook = lambda path: [{"typeName": "WEBHOOK", "webhookUrl": receiver.url(path)}]
    told = lambda: [len([one for one in receiver.received if one["path"] == path]) for path in ("/first-place", "/other-place")]
    config = project.configure("CUSTOM_ROLE_UPDATED", hook("/first-place"))
    project.happens("CUSTOM_ROLE_UPDATED")
    wait_until(lambda: told() == [1, 0], 20)
    project.ask(200, "PUT", "/alertConfigs/" + config["id"], {"eventTypeName": "CUSTOM_ROLE_UPDATED", "enabled": True, "notifications": hook("/other-place")})
    project.happens("CUSTOM_ROLE_UPDATED")
    wait_until(lambda: told()[1] == 1, 20)
    suite.equal(told(), [1, 1], "who is told after a replacement")
    project.ask(204, "DELETE", "/alertConfigs/" + config["id"])
    project.happens("CUSTOM_ROLE_UPDATED")
    time.sleep(2.5)
    suite.equal(told(), [1, 1], "who is told when the configuration is gone")


def test_failures(suite, world, connection, receiver):
    project = Project(world, connection, "failing")
    project.configure("CUSTOM_ROLE_CREATED", [{"typeName": "WEBHOOK", "webhookUrl": receiver.url("/broken")}])
    project.happens("CUSTOM_ROLE_CREATED")
    failing = "SELECT tries, last_status FROM alert_notification WHERE state = 'PENDING' AND last_error = 'It answered 500.'"
    wait_until(lambda: sql(failing) not in ("",) and int(sql(failing).split("|")[0]) >= 2, 20)
    sql("UPDATE alert_notification SET due_at = now() - interval '2 days', next_try_at = now() WHERE state = 'PENDING' AND last_status = 500")
    wait_until(lambda: project.ask(200, "GET", "/events?eventType=ALERT_NOTIFICATION_FAILED")["totalCount"] == 1, 20)
    suite.check("FAILED 1" in states(), "given up after a day: " + states())


def test_defaults(suite, world, connection, mailbox):
    """C6: a project that was to start with the default configurations had none."""
    suite.equal(Project(world, connection, "without").ask(200, "GET", "/alertConfigs")["totalCount"], 0, "who wants none has none")
    project, owner = Project(world, connection, "with", withDefaultAlertsSettings=True), world.make_person("owner@example.org", world.a.home)
    sql("INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), 'GROUP_OWNER')"
        % (owner, world.a.home, project.id))
    configs = project.ask(200, "GET", "/alertConfigs")["results"]
    suite.equal(sorted(one["eventTypeName"] for one in configs),
                ["BACKUP_DAMAGED", "BACKUP_DRILL_FAILED", "BACKUP_DRILL_OVERDUE", "BACKUP_FAILING", "BACKUP_SNAPSHOT_LATE", "CLUSTER_DELETE_SUBMITTED",
                 "DATABASE_USER_CERTIFICATE_ENDS_SOON", "EMPLOYEE_ACCESS_GRANTED", "GROUP_MOVED", "INDEX_FAILED", "NO_PRIMARY", "USER_SECURITY_CHANGED"], "what a project begins with")
    suite.check(all(one["enabled"] and one["notifications"][0]["typeName"] == "GROUP" for one in configs), "they are switched on: %s", configs[:1])
    project.happens("CLUSTER_DELETE_SUBMITTED", "orders")
    wait_until(lambda: [mail for mail in mailbox.mails if mail[0] == ["owner@example.org"]], 20)
    suite.equal([(one["eventTypeName"], one["clusterName"]) for one in project.alerts()], [("CLUSTER_DELETE_SUBMITTED", "orders")], "the alert that it raised")
    # They are like any other: one can be changed, and goes.
    project.ask(200, "PATCH", "/alertConfigs/" + configs[0]["id"], {"enabled": False})
    project.ask(204, "DELETE", "/alertConfigs/" + configs[1]["id"])
    made = subprocess.run([os.path.join(ROOT, BUILD, "reeve"), "projects", "create", "--name", "by-hand", "--org-id", world.a.home, "-o", "json"],
                          env={**os.environ, "HOME": tempfile.mkdtemp(dir=os.environ.get("REEVE_TEST_DIR")), "REEVE_SERVER": world.node.base_url, "REEVE_CA_FILE": world.node.ca,
                               "REEVE_PUBLIC_KEY": world.a.public_key, "REEVE_PRIVATE_KEY": world.a.private_key}, capture_output=True, text=True, check=False)
    suite.equal(made.returncode, 0, "a project by the command line: %s" % made.stderr)
    by_hand = connection.ask("GET", PREFIX + "/groups/%s/alertConfigs" % json.loads(made.stdout)["id"], world.a.bearer()).json()
    suite.equal(by_hand["totalCount"], len(configs), "what it begins with")
    tried = connection.ask("POST", PREFIX + "/groups?dryRun=true", world.a.bearer(), {"name": "tried", "orgId": world.a.home})
    suite.equal(tried.status, 200, "only tried")
    # An organization can do without them, whatever its projects say.
    for skip, said, count in ((True, {}, 0), (True, {"withDefaultAlertsSettings": True}, 0), (False, {}, len(configs))):
        changed = connection.ask("PATCH", PREFIX + "/orgs/" + world.a.home, world.a.bearer(), {"skipDefaultAlertsSettings": skip})
        suite.equal(changed.status, 200, "what the organization wants")
        made = connection.ask("POST", PREFIX + "/groups", world.a.bearer(), {"name": "wished %s %d" % (skip, len(said)), "orgId": world.a.home, **said}).json()
        begins_with = connection.ask("GET", PREFIX + "/groups/%s/alertConfigs" % made["id"], world.a.bearer()).json()["totalCount"]
        suite.equal((made["withDefaultAlertsSettings"], begins_with), (count > 0, count), "a project of an organization that wants %s, and says %s" % (skip, said))


def die_while_looking(suite, worker):
    """Kills the worker in the sweep that looks for missing primaries, and starts another: it must not wait five minutes for the dead one's turn to end."""
    suite.equal(worker.stop(), 0, "status of a worker that was told to stop")
    sql("UPDATE sweep SET next_run_at = now() WHERE name = 'missing-primaries'")
    worker.start("sweep:missing-primaries:before-effect")
    suite.equal(worker.process.wait(60), -9, "the worker dies in its sweep")
    worker.start()


def test_no_primary(suite, world, connection, mailbox, worker):
    """A cluster that has lost its primary: told once, also when the worker looks again and again, closed once; what nobody knows changes nothing.
    A worker that died while it looked delays that by seconds, not by minutes."""
    project, owner = Project(world, connection, "leaderless", withDefaultAlertsSettings=True), world.make_person("leader@example.org", world.a.home)
    sql("INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), 'GROUP_OWNER')"
        % (owner, world.a.home, project.id))
    cluster, member = new_id(), new_id()
    make_fleet()
    sql("INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), 'orders', 'nopri1', '17');"
        "INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb, unit, role, running, reported_at) "
        "SELECT decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), id, 0, 'RUNNING', 'M10', 0.5, 1024, 10, 'active', 'REPLICA', 'running', now() + interval '1 hour' FROM host WHERE name = 'h1'"
        % (cluster, world.a.home, project.id, member, world.a.home, cluster))
    of = "cluster_id = decode('%s', 'hex')" % cluster
    told = lambda: [one["eventTypeName"] for one in project.ask(200, "GET", "/events?eventType=NO_PRIMARY&eventType=ONE_PRIMARY")["results"]]
    die_while_looking(suite, worker)
    wait_until(lambda: sql("SELECT count(*) FROM cluster_watch WHERE " + of) == "1", 40)
    suite.equal((told(), sql("SELECT is_told FROM cluster_watch WHERE " + of)), ([], "f"), "a failover may take its time")
    sql("UPDATE cluster_watch SET no_primary_since = now() - interval '1 minute' WHERE " + of)
    wait_until(lambda: told() == ["NO_PRIMARY"], 40)
    wait_until(lambda: [mail for mail in mailbox.mails if mail[0] == ["leader@example.org"]], 20)
    suite.equal([(one["eventTypeName"], one["clusterName"], one["severity"], one["status"]) for one in project.alerts()], [("NO_PRIMARY", "orders", "CRITICAL", "OPEN")], "the alert")
    sql("UPDATE cluster_member SET reported_at = now() - interval '5 minutes' WHERE " + of)
    ran = "SELECT count(*) FROM sweep WHERE name = 'missing-primaries' AND succeeded_at > '%s'" % sql("SELECT clock_timestamp() + interval '1 second'")
    wait_until(lambda: sql(ran) == "1", 40)
    suite.equal((told(), [one["status"] for one in project.alerts()]), (["NO_PRIMARY"], ["OPEN"]), "nothing is heard of its members: it is neither closed nor told again")
    sql("UPDATE cluster_member SET reported_at = now() + interval '1 hour', role = 'PRIMARY' WHERE " + of)
    wait_until(lambda: told() == ["ONE_PRIMARY", "NO_PRIMARY"] and [one["status"] for one in project.alerts()] == ["CLOSED"], 40)
    suite.equal((sql("SELECT count(*) FROM cluster_watch WHERE " + of), len(project.alerts())), ("0", 1), "closed, once")
    sql("DELETE FROM cluster_member WHERE %s; DELETE FROM cluster WHERE id = decode('%s', 'hex')" % (of, cluster))


def test_ending_certificates(suite, world, connection):
    """The last certificate of a user ends soon: one event and one alert; one that was replaced or revoked is nobody's business."""
    project, authority = Project(world, connection, "certified"), new_id()
    project.configure("DATABASE_USER_CERTIFICATE_ENDS_SOON", [{"typeName": "EMAIL", "emailAddress": "certified@example.org"}])
    sql("INSERT INTO authority (id, purpose, project_id, org_id, certificate, key, not_after) VALUES (decode('%s', 'hex'), 'PROJECT', decode('%s', 'hex'), decode('%s', 'hex'), '', '', now() + interval '9 years')"
        % (authority, project.id, world.a.home))
    for serial, user, days, revoked in (("e1", "ada", 13, False), ("e2", "ben", 13, False), ("e3", "ben", 90, False), ("e4", "eve", 13, True), ("e5", "kim", 15, False)):
        sql("INSERT INTO certificate (serial, authority, kind, owner, not_after, revoked_at) VALUES ('%s', decode('%s', 'hex'), 'USER', '%s/%s', now() + interval '%d days', %s)"
            % (serial, authority, project.id, user, days, "now()" if revoked else "NULL"))
    run = lambda: sql("UPDATE sweep SET next_run_at = now() WHERE name = 'ending-certificates'")
    told = lambda: [one["after"]["subject"] for one in project.ask(200, "GET", "/events?eventType=DATABASE_USER_CERTIFICATE_ENDS_SOON")["results"]]
    run()
    wait_until(lambda: told() == ["ada"], 40)
    since = sql("SELECT clock_timestamp()")
    run()
    wait_until(lambda: sql("SELECT count(*) FROM sweep WHERE name = 'ending-certificates' AND succeeded_at > '%s'" % since) == "1", 40)
    suite.equal(told(), ["ada"], "told once, and of the others not")
    wait_until(lambda: len(project.alerts()) == 1, 20)
    suite.equal([(one["eventTypeName"], one["severity"]) for one in project.alerts()], [("DATABASE_USER_CERTIFICATE_ENDS_SOON", "WARNING")], "the alert")


def main():
    ends_on_signal()
    suite = Suite("alerts")
    folder = tempfile.mkdtemp(prefix="alerts.", dir=os.environ.get("REEVE_TEST_DIR"))
    receiver, mailbox, mail_port = Receiver(folder), Mailbox(), free_port()
    mail = Controller(mailbox, hostname="127.0.0.1", port=mail_port)
    mail.start()
    settings = {"egress_allow": "127.0.0.1/32", "egress_ca": receiver.certificate, "smtp": "smtp://127.0.0.1:%d" % mail_port,
                "smtp_from": "reeve@example.org", "alert_relay": "https://127.0.0.1:%d" % receiver.port}
    with start_node(workers=1, settings=settings) as node:
        world = World(node, with_roles=False)
        world.make_team(world.a, world.p)
        worker = Worker(node.conf)
        try:
            with connect(node) as connection:
                test_everybody_is_told(suite, Project(world, connection, "told"), receiver, mailbox, worker)
                worker.start()
                test_what_lasts(suite, world, connection, receiver, mailbox)
                test_thresholds_and_delays(suite, world, connection, receiver)
                test_integrations(suite, world, connection, receiver)
                test_changed_and_deleted(suite, world, connection, receiver)
                test_failures(suite, world, connection, receiver)
                test_defaults(suite, world, connection, mailbox)
                test_no_primary(suite, world, connection, mailbox, worker)
                test_ending_certificates(suite, world, connection)
        finally:
            if worker.process is not None and worker.process.poll() is None:
                worker.process.kill()
                worker.process.wait()
            mail.stop()
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
