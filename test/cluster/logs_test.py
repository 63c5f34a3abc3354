#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Log integrations on real hosts: what a server logs reaches a receiver in each form within seconds and once, also when the agent is
stopped, killed or the receiver fails in between; addresses that are not allowed are not connected to. The same into a bucket. Needs root."""
import http.server
import json
import secrets
import ssl
import sys
import threading
import time

import rig

import control  # noqa: E402
import log_bucket  # noqa: E402
import hosts  # noqa: E402
import network  # noqa: E402
from tenant import Tenant, psql, wait_psql  # noqa: E402
from state import CLIENT, CONTROL, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "logs"
ARRIVES_S = 5


# ---- Who receives ----
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        receiver = self.server.receiver
        status = receiver.refuse.get(self.path, 200)
        with receiver.lock:
            receiver.headers[self.path] = dict(self.headers.items())
            if status == 200:
                receiver.lines.setdefault(self.path, []).extend(lines_of(body))
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def lines_of(body):
    """(log, host, text) of every line in a body, whichever form it has."""
    if body.startswith("["):
        return [(item["service"], item["hostname"], item["message"]) for item in json.loads(body)]
    if body.startswith('{"resourceLogs"'):
        found = []
        for resource in json.loads(body)["resourceLogs"]:
            attributes = {one["key"]: one["value"]["stringValue"] for one in resource["resource"]["attributes"]}
            for record in resource["scopeLogs"][0]["logRecords"]:
                assert abs(int(record["timeUnixNano"]) / 1e9 - time.time()) < 600, record
                found.append((attributes["reeve.log"], attributes["host.name"], record["body"]["stringValue"]))
        return found
    return [(event["source"], event["host"], event["event"]) for event in map(json.loads, body.splitlines())]


class Receiver:
    def __init__(self, fleet):
        self.lock, self.lines, self.headers, self.refuse = threading.Lock(), {}, {}, {}
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(fleet.path("tls/control/certificate.pem"), fleet.path("tls/control/key.pem"))
        with network.inside(fleet, "control"):
            self.server = http.server.ThreadingHTTPServer(control.RECEIVER, Handler)
        self.server.receiver, self.server.daemon_threads = self, True
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def with_word(self, path, word):
        """Lines of errors with the word in them; the statement is logged beside the error, and not counted."""
        with self.lock:
            return [line for line in self.lines.get(path, []) if word in line[2] and "ERROR:" in line[2]]


# ---- The project ----
OTEL, HEC, ITEMS = "/v1/logs", "/services/collector/event", "/http-intake.logs.datadoghq.eu/api/v2/logs"


def integrations():
    url = "https://%s:%d" % control.RECEIVER
    return [{"type": "OTEL_LOG_EXPORT", "logTypes": ["POSTGRES", "PATRONI"], "otelEndpoint": url,
             "otelSuppliedHeaders": [{"name": "X-Key", "value": "the key of otel"}]},
            {"type": "SPLUNK_LOG_EXPORT", "logTypes": ["POSTGRES"], "hecUrl": url, "hecToken": "0123456789abcdef"},
            {"type": "DATADOG_LOG_EXPORT", "logTypes": ["POSTGRES"], "apiKey": "fedcba9876543210", "region": "EU"}]


def provoke(fleet, dsn):
    """An error with a word of its own in the server's log."""
    word = "needle" + secrets.token_hex(6)
    status, _, error = psql(fleet, dsn, "SELECT '%s'::int" % word)
    if status == 0 or word not in error:
        raise Problem("the server did not complain: %s" % error)
    return word


def arrives(receiver, word, seconds=30, paths=(OTEL, HEC, ITEMS)):
    began = time.monotonic()
    wait_until(lambda: all(receiver.with_word(path, word) for path in paths), "%s arrives" % word, seconds, every=0.1)
    return time.monotonic() - began


def state_of(tenant, integration):
    shown = tenant.ask("GET", tenant.of_project("/logIntegrations/" + integration))
    return shown["state"], shown.get("lastError", "")


def agent(fleet, host, *words):
    hosts.run(fleet, host, "systemctl", *words, timeout=30)


def sending(suite, fleet, tenant, receiver, dsn):
    before = provoke(fleet, dsn)
    time.sleep(2.1)  # a target begins with the second in which it was made
    made = [tenant.ask("POST", tenant.of_project("/logIntegrations"), one) for one in integrations()]
    suite.equal([one["state"] for one in made], ["WAITING"] * 3, "states at first")
    words = [provoke(fleet, dsn)]
    arrives(receiver, words[0])  # with what it takes to learn of the targets
    words.append(provoke(fleet, dsn))
    rig.judge_time(suite, arrives(receiver, words[1]), ARRIVES_S, "a line arrives in every form")
    suite.equal([receiver.with_word(path, before) for path in (OTEL, HEC, ITEMS)], [[]] * 3, "what was written before is not sent")
    member = rig.members(fleet, CLUSTER)[0]
    suite.equal({line[:2] for line in receiver.with_word(HEC, words[0])}, {("postgres", member.name)}, "whose line it is")
    suite.equal((receiver.headers[OTEL]["X-Key"], receiver.headers[HEC]["Authorization"], receiver.headers[ITEMS]["DD-API-KEY"]),
                ("the key of otel", "Splunk 0123456789abcdef", "fedcba9876543210"), "the keys")
    return member, [one["id"] for one in made], words


def agent_goes(suite, fleet, receiver, dsn, host, words):
    agent(fleet, host, "stop", "reeve-agent")
    words.append(provoke(fleet, dsn))
    agent(fleet, host, "start", "reeve-agent")
    words.append(provoke(fleet, dsn))
    arrives(receiver, words[-1])
    time.sleep(2)  # killed between the receiver's answer and the disk, an agent sends once more; that is said, and not tried here
    agent(fleet, host, "kill", "-s", "KILL", "reeve-agent")
    words.append(provoke(fleet, dsn))
    agent(fleet, host, "start", "reeve-agent")
    arrives(receiver, words[-1])
    suite.check(arrives(receiver, words[-3], 1) < 1, "what was written without an agent arrives")


def receiver_fails(suite, fleet, tenant, receiver, dsn, made, words):
    wait_until(lambda: [state_of(tenant, one) for one in made] == [("WORKING", "")] * 3, "all of them work", 30)
    receiver.refuse[HEC] = 503
    words.append(provoke(fleet, dsn))
    wait_until(lambda: state_of(tenant, made[1]) == ("FAILING", "It answered 503."), "the failure is told", 30)
    suite.equal(state_of(tenant, made[0])[0], "WORKING", "the state of another target")
    arrives(receiver, words[-1], 10, (OTEL, ITEMS))
    del receiver.refuse[HEC]
    arrives(receiver, words[-1], 60)
    wait_until(lambda: state_of(tenant, made[1]) == ("WORKING", ""), "it works again", 30)
    # A line that is never taken does not hold those behind it.
    receiver.refuse[ITEMS] = 400
    words.append(provoke(fleet, dsn))
    arrives(receiver, words[-1], 10, (OTEL, HEC))
    wait_until(lambda: state_of(tenant, made[2])[0] == "FAILING", "the refusal is told", 30)
    lost = words.pop()
    del receiver.refuse[ITEMS]
    words.append(provoke(fleet, dsn))
    arrives(receiver, words[-1], 60)
    suite.check(len(receiver.with_word(ITEMS, lost)) <= 1, "a line that was refused comes once or not at all")


def not_allowed(suite, fleet, tenant, receiver, dsn, host):
    """A name that leads to an address of the fleet that the operator did not allow: the API cannot know, the host must."""
    hosts.run(fleet, host, "sh", "-c", "echo '%s sneaky.example.org' >> /etc/hosts" % CONTROL["control2"])
    one = tenant.ask("POST", tenant.of_project("/logIntegrations"), dict(integrations()[1], hecUrl="https://sneaky.example.org:%d/" % control.RECEIVER[1]))
    time.sleep(1.1)
    provoke(fleet, dsn)
    wait_until(lambda: state_of(tenant, one["id"]) == (
        "FAILING", "sneaky.example.org was not found, or is not public."), "the address is refused", 30)
    tenant.ask("DELETE", tenant.of_project("/logIntegrations/" + one["id"]))


def ending(suite, fleet, tenant, receiver, dsn, host, made):
    for one in made[:2]:
        tenant.ask("DELETE", tenant.of_project("/logIntegrations/" + one))
    places = lambda: hosts.run(fleet, host, "sh", "-c", "ls /var/lib/reeve/agent/logs").split()
    wait_until(lambda: [name for name in places() if name.endswith(".json")] == [made[2] + ".json"], "places of deleted targets go", 30)
    word = provoke(fleet, dsn)
    arrives(receiver, word, 30, (ITEMS,))
    suite.equal((receiver.with_word(OTEL, word), receiver.with_word(HEC, word)), ([], []), "nothing more goes to deleted targets")


def run(suite, fleet, receiver):
    tenant = Tenant(fleet)
    tenant.create_project()
    password = tenant.create_user("app")
    tenant.allow(CLIENT["client"] + "/32")
    tenant.create_cluster(CLUSTER, regions={fleet.regions[0]: 1})
    dsn = tenant.dsn(tenant.wait_idle(CLUSTER), "app", password)
    wait_psql(fleet, dsn, "SELECT 1", 30)
    member, made, words = sending(suite, fleet, tenant, receiver, dsn)
    agent_goes(suite, fleet, receiver, dsn, member.host, words)
    receiver_fails(suite, fleet, tenant, receiver, dsn, made, words)
    for path in (OTEL, HEC, ITEMS):
        suite.equal([len(receiver.with_word(path, word)) for word in words], [1] * len(words), "how often each line came to " + path)
    not_allowed(suite, fleet, tenant, receiver, dsn, member.host)
    ending(suite, fleet, tenant, receiver, dsn, member.host, made)
    logs = {path: {line[0] for line in receiver.lines[path]} for path in (OTEL, HEC, ITEMS)}
    suite.equal(logs, {OTEL: {"postgres", "patroni"}, HEC: {"postgres"}, ITEMS: {"postgres"}}, "logs that were asked for")
    goal = hosts.run(fleet, member.host, "stat", "-c", "%a %U", "/var/lib/reeve/agent/goal.json").strip()
    suite.equal(goal, "600 root", "who can read the goal, which has keys")
    log_bucket.run(suite, fleet, tenant, member.host, lambda: provoke(fleet, dsn))
    tenant.delete_cluster(CLUSTER)
    tenant.wait_gone(CLUSTER, 90)


def main():
    suite = Suite("logs on hosts")
    try:
        with rig.fleet_for(1) as fleet:
            receiver = Receiver(fleet)
            try:
                run(suite, fleet, receiver)
            finally:
                receiver.close()
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
