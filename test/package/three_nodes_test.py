#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Types the commands of docs/install-three-nodes.md on three machines with systemd in a network of their own. Then switches each off in
turn, the way a power failure does it, while clients write through the shared address: they go on, nothing that was acknowledged is
lost, workers go on, and `reeved check` says what is missing.

  test/package/three_nodes_test.py [--packages FOLDER] [--short] [--report FILE]

Needs root. Packages of a FOLDER, which are for Debian 13, are not built. --short ends with the page.
"""
import argparse
import concurrent.futures
import contextlib
import datetime
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
for place in ("api", "fleet"):
    sys.path.insert(0, os.path.join(ROOT, "test", place))
import image  # noqa: E402
from machine import Machine, Network, wait  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

PAGE = os.path.join(ROOT, "docs/install-three-nodes.md")
NODES = ("reeve1", "reeve2", "reeve3")
# Those of the page, and a fourth machine.
ADDRESSES = {"reeve1": "10.0.0.11", "reeve2": "10.0.0.12", "reeve3": "10.0.0.13", "desk": "10.0.0.20"}
SHARED, NAME = "10.0.0.10", "reeve.example.org"
WRITERS = 6
CALM_S = 5
RECEIVER_PORT = 8765
MOST_IDLE_GAP_S = 10


def blocks():
    """What is typed on which machines, in the order of the page."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    where, found = None, []
    for match in re.finditer(r"^\*\*On (\w+)\.\*\*|^```sh\n(.*?)^```", text, re.M | re.S):
        if match.group(1):
            where = NODES if match.group(1) == "each" else (match.group(1),)
        else:
            found.append((where, match.group(2)))
    return found


def make_machine(stack, base, network, name):
    options = ["--capability=CAP_NET_ADMIN"] if name in NODES else []
    return stack.enter_context(Machine(base, name, network.path(name), hostname=name, options=options))


def let_in(machines):
    """Root on the first machine can log in to the others."""
    first = machines["reeve1"]
    first.shell("mkdir -p -m 700 /root/.ssh; ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519; echo 'StrictHostKeyChecking accept-new' > /root/.ssh/config")
    for name in NODES[1:]:
        machines[name].shell("mkdir -p -m 700 /root/.ssh")
        machines[name].put(first.root + "/root/.ssh/id_ed25519.pub", "/root/.ssh/authorized_keys")


def follow_page(suite, machines):
    """Every command. What the last one answers, and how long each block took."""
    answer, took = None, []
    with concurrent.futures.ThreadPoolExecutor(len(NODES)) as pool:
        for where, block in blocks():
            began = time.monotonic()
            done = list(pool.map(lambda name, text=block: machines[name].shell("cd /root\n" + text, check=False, timeout=600), where))
            for name, one in zip(where, done):
                suite.check(one.returncode == 0, "on %s: %s%s%s", name, block, one.stdout, one.stderr)
            took.append(time.monotonic() - began)
            title = next(line for line in block.splitlines() if not line.startswith(". /root/"))
            suite.say("%5.1f s  %-7s %s" % (took[-1], "each" if len(where) > 1 else where[0], title[:110]))
            if suite.failures:
                return None, took
            answer = done[0].stdout
    return json.loads(answer), took


# ---- Looking at it ----
def sql(machines, text):
    """On the primary, from any machine that is on."""
    node = next(machine for machine in machines.values() if machine.holder.poll() is None)
    return node.shell(""". /root/plan; . /root/keys/passwords; PGPASSWORD=$superuser psql -XqAt "host=$reeve1,$reeve2,$reeve3 user=postgres dbname=reeve \
        sslmode=verify-full sslrootcert=/root/keys/nodes.crt target_session_attrs=read-write connect_timeout=3" -c "$(cat <<'END'
%s
END
)" """ % text).stdout.strip()


def members(machine):
    """Patroni's list, by name."""
    done = machine.run("patronictl", "-c", "/etc/patroni/config.yml", "list", "--format", "json", check=False, timeout=60)
    with contextlib.suppress(ValueError):
        return {one["Member"]: one for one in json.loads(done.stdout)}
    return {}


def primary(machine):
    return next((name for name, one in members(machine).items() if one["Role"] == "Leader" and one["State"] == "running"), None)


def holder_of_address(machines):
    return [name for name, machine in machines.items() if machine.holder.poll() is None and SHARED in machine.run("ip", "-o", "address", check=False).stdout]


def is_ready(network, name):
    words = ["curl", "--silent", "--fail", "--max-time", "3", "http://%s:9443/readyz" % ADDRESSES[name]]
    other = next(node for node in NODES if node != name)
    return subprocess.run(network.command(other, words), capture_output=True, check=False).returncode == 0


def examine(machine):
    return machine.run("runuser", "-u", "reeve", "--", "reeved", "check", check=False, timeout=120)


# ---- The fourth machine ----
class Client:
    """test/package/three_nodes_client.py in the network of the fourth machine, and `reeve` on it."""

    def __init__(self, network, folder, settings):
        self.folder, self.settings = folder, settings
        path = os.path.join(folder, "settings.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file)
        with open(os.path.join(folder, "client.log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(network.command("desk", [sys.executable, os.path.join(HERE, "three_nodes_client.py"), path]), stdout=log, stderr=log)

    def lines(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def made_since(self, moment):
        return sum(1 for line in self.lines("journal") if "id" in line and line["began"] > moment)

    def delivered_since(self, moment):
        return sum(len(line["sequences"]) for line in self.lines("events") if line["at"] > moment)

    def end_writing(self):
        self.process.send_signal(10)
        return wait(lambda: os.path.exists(os.path.join(self.folder, "written")), 120)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)


class CommandLine:
    """`reeve projects create` on the fourth machine, one after the other."""

    SCRIPT = """
        number=0
        while [ ! -e /root/stop ]; do
            number=$((number + 1))
            began=$(date +%s.%N)
            if reeve projects create --name "c-$number" --org-id "$REEVE_ORG_ID" --output json > /root/answer 2> /root/said; then
                echo "{\\"name\\": \\"c-$number\\", \\"id\\": $(jq .id /root/answer), \\"began\\": $began, \\"ended\\": $(date +%s.%N)}" >> /root/journal
            else
                echo "{\\"name\\": \\"c-$number\\", \\"failed\\": $?, \\"began\\": $began, \\"ended\\": $(date +%s.%N), \\"said\\": $(jq -Rs . /root/said)}" >> /root/journal
            fi
            sleep 0.3
        done
        touch /root/stopped"""

    def __init__(self, machine, made):
        self.machine = machine
        environment = {"REEVE_SERVER": "https://" + NAME, "REEVE_CA_FILE": "/root/tls.crt", "REEVE_CLIENT_ID": made["clientId"],
                       "REEVE_CLIENT_SECRET": made["clientSecret"], "REEVE_ORG_ID": made["orgId"]}
        with open(machine.root + "/root/loop", "w", encoding="utf-8") as file:
            file.write("".join("export %s='%s'\n" % pair for pair in environment.items()) + self.SCRIPT)
        machine.run("systemd-run", "--quiet", "--unit=loop", "bash", "/root/loop")

    def lines(self):
        if not os.path.exists(self.machine.root + "/root/journal"):
            return []
        with open(self.machine.root + "/root/journal", encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def end(self):
        self.machine.shell("touch /root/stop")
        return wait(lambda: os.path.exists(self.machine.root + "/root/stopped"), 180)


def set_up_desk(desk, machines, packages):
    for path in glob.glob(packages + "/reeve-cli_*.deb"):
        desk.put(path, "/root/")
    desk.put(machines["reeve1"].root + "/root/keys/tls.crt", "/root/tls.crt")
    desk.shell("cd /root && apt-get install --yes curl jq ./reeve-cli_*.deb && echo '%s %s' >> /etc/hosts" % (SHARED, NAME), timeout=300)


def ask(desk, token, *words):
    return json.loads(desk.run("curl", "--silent", "--show-error", "--fail-with-body", "--retry", "5", "--cacert", "/root/tls.crt", "--header",
                               "Authorization: Bearer " + token, "--header", "Content-Type: application/json", *words, timeout=120).stdout)


def begin_load(suite, network, machines, desk, folder):
    """Writers, `reeve`, and a webhook whose events workers deliver."""
    credentials = machines["reeve1"].root + "/root/credentials.json"
    with open(credentials, encoding="utf-8") as file:
        made = json.load(file)
    certificate, key = folder + "/receiver.crt", folder + "/receiver.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=desk", "-addext",
                    "subjectAltName=IP:" + ADDRESSES["desk"], "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    # Where webhooks go is not on the page: the receiver has a private address and a certificate of nobody's.
    for name in NODES:
        machines[name].put(certificate, "/etc/reeve/receiver.crt")
        machines[name].shell("chmod 644 /etc/reeve/receiver.crt; printf 'egress_allow = %s/32\\negress_ca = /etc/reeve/receiver.crt\\n' >> /etc/reeve/reeve.conf; "
                             "systemctl reload reeve-api; systemctl restart reeve-worker" % ADDRESSES["desk"])
    # Limits are not what is tried here.
    sql(machines, "INSERT INTO limit_override (owner, set_name, capacity, refill) SELECT decode('%s', 'hex'), format('S%%s', lpad(n::text, 2, '0')), "
        "1000000000, 1000000000 FROM generate_series(1, 67) n ON CONFLICT DO NOTHING" % made["orgId"])
    time.sleep(2)
    answer = desk.run("curl", "--silent", "--show-error", "--fail-with-body", "--cacert", "/root/tls.crt", "--user", "%s:%s" % (made["clientId"], made["clientSecret"]),
                      "--data", "grant_type=client_credentials", "https://%s/api/oauth/token" % NAME)
    token = json.loads(answer.stdout)["access_token"]
    client = Client(network, folder, {"url": "https://" + NAME, "address": SHARED, "ca": machines["reeve1"].root + "/root/keys/tls.crt", "token": token,
                                      "org": made["orgId"], "folder": folder, "writers": WRITERS,
                                      "receiver": {"port": RECEIVER_PORT, "certificate": certificate, "key": key}})
    ask(desk, token, "--data", json.dumps({"url": "https://%s:%d/" % (ADDRESSES["desk"], RECEIVER_PORT)}),
        "https://%s/api/svc/v2/orgs/%s/webhooks" % (NAME, made["orgId"]))
    line = CommandLine(desk, made)
    suite.check(wait(lambda: client.made_since(0) > 20 and client.delivered_since(0) > 20 and len(line.lines()) > 2, 60), "the load has begun")
    return client, line, token, made["orgId"]


# ---- Switching off ----
def longest_gap(lines, begin, end):
    """The longest time in which nothing was acknowledged."""
    moments = sorted([begin, *(line["ended"] for line in lines if "id" in line and begin < line["ended"] < end), end])
    return max(after - before for before, after in zip(moments, moments[1:]))


def switch_off_and_on(suite, network, machines, name, client, line):
    others = [node for node in NODES if node != name]
    witness = machines[others[0]]
    was_primary, had_address = primary(witness) == name, name in holder_of_address(machines)
    time.sleep(CALM_S)
    off = time.time()
    network.unplug(name)
    machines[name].power_off()
    suite.say("%s is off: it was%s the primary and had%s the shared address" % (name, "" if was_primary else " not", "" if had_address else " not"))
    back = wait(lambda: client.made_since(off + 1) >= 2 * WRITERS, 120)
    suite.check(back, "writing goes on without %s", name)
    # Requests that had begun before have come to their end by now, too: what is left is the calm after it.
    time.sleep(CALM_S)
    suite.check(wait(lambda: primary(witness) in others, 60), "one of %s is the primary: %s", others, members(witness))
    alone = time.time()
    suite.check(wait(lambda: client.delivered_since(alone) > 20, 60), "workers deliver without %s", name)
    done = examine(witness)
    suite.check(done.returncode == 1, "reeved check finds something wrong: %s", done.stdout)
    for sentence in ("PostgreSQL on %s (port 5432)", "Redis (%s:6379) does not answer", "https://%s:2379: "):
        suite.check(sentence % ADDRESSES[name] in done.stdout, "reeved check says %r: %s", sentence % ADDRESSES[name], done.stdout)

    on = time.time()
    network.plug(name)
    machines[name].power_on()
    suite.check(wait(machines[name].is_booted, 120), "%s boots", name)
    suite.check(wait(lambda: is_ready(network, name), 120), "%s is ready", name)
    suite.check(wait(lambda: members(witness).get(name, {}).get("State") == "streaming", 120), "the database of %s keeps up again: %s", name, members(witness))
    whole = time.time() - on
    # At once, but for what is looked at while it changes: a worker's first minute, for instance.
    clean = [wait(lambda node=node: examine(machines[node]).returncode == 0, 60) for node in NODES]
    suite.check(all(clean), "reeved check finds nothing any more: %s", "".join(examine(machines[node]).stdout for node in NODES))
    time.sleep(CALM_S)
    end = time.time()
    mine = [one for one in client.lines("journal") if off - 60 < one["began"] < end and one["ended"] > off]
    commands = [one for one in line.lines() if one["ended"] > off]
    row = {"name": name, "primary": was_primary, "address": had_address, "gap": longest_gap(client.lines("journal"), off, on),
           "gap_back": longest_gap(client.lines("journal"), on, end), "requests": len(mine), "again": sum(1 for one in mine if one["tries"] > 1),
           "failed": [one for one in mine if "failed" in one], "longest": max(one["ended"] - one["began"] for one in mine), "back": whole,
           "commands": len(commands), "commands_failed": [one for one in commands if "failed" in one],
           "command_longest": max(one["ended"] - one["began"] for one in commands)}
    suite.say("%s: gap %.1f s, %d requests, %d tried again, %d failed, longest %.1f s; whole again %.1f s after power; reeve: %d, %d failed, longest %.1f s; "
              "gap when it came back %.1f s" % (name, row["gap"], row["requests"], row["again"], len(row["failed"]), row["longest"], whole, row["commands"],
                                                len(row["commands_failed"]), row["command_longest"], row["gap_back"]))
    for one in [*row["failed"][:4], *row["commands_failed"][:2]]:
        suite.say(json.dumps(one))
    return row


def hand_over(suite, machines, client):
    """The primary, on purpose: how long nothing is acknowledged, and what failed."""
    witness = machines[NODES[0]]
    before = primary(witness)
    after = next(name for name in NODES if name != before)
    began = time.time()
    witness.run("patronictl", "-c", "/etc/patroni/config.yml", "switchover", "--leader", before, "--candidate", after, "--force", timeout=60)
    suite.check(wait(lambda: primary(witness) == after, 60), "%s is the primary: %s", after, members(witness))
    done = time.time()
    suite.check(wait(lambda: client.made_since(done) >= 2 * WRITERS, 60), "writing goes on after the hand-over")
    time.sleep(CALM_S)
    suite.check(wait(lambda: all(one["State"] in ("running", "streaming") for one in members(witness).values()), 60), "all keep up: %s", members(witness))
    lines = client.lines("journal")
    failed = [one for one in lines if "failed" in one and one["ended"] > began]
    suite.check(not failed, "requests failed in the hand-over: %s", failed[:3])
    gap = longest_gap(lines, began, time.time())
    suite.say("the primary was handed over from %s to %s: nothing acknowledged for %.1f s" % (before, after, gap))
    return gap


def all_projects(desk, token, org):
    names, page = set(), 1
    while True:
        results = ask(desk, token, "https://%s/api/svc/v2/orgs/%s/groups?itemsPerPage=500&pageNum=%d" % (NAME, org, page))["results"]
        names.update((one["name"], one["id"]) for one in results)
        if len(results) < 500:
            return names
        page += 1


def prove_nothing_lost(suite, machines, desk, client, line, token, org):
    """What was acknowledged is there, under the id that was told; events are all delivered; the chain of events is whole."""
    suite.check(client.end_writing() and line.end(), "the writers come to their end")
    acknowledged = {(one["name"], one["id"]) for one in [*client.lines("journal"), *line.lines()] if "id" in one}
    found = all_projects(desk, token, org)
    suite.check(not acknowledged - found, "%d of %d acknowledged projects are lost: %s", len(acknowledged - found), len(acknowledged), sorted(acknowledged - found)[:10])
    last = int(sql(machines, "SELECT seq FROM event_chain WHERE org_id = decode('%s', 'hex')" % org))
    wanted = None

    def missing():
        nonlocal wanted
        got = {number for one in client.lines("events") for number in one["sequences"]}
        wanted = set(range(min(got), last + 1)) - got
        return wanted
    suite.check(wait(lambda: not missing(), 60), "%d events were never delivered: %s", len(wanted or ()), sorted(wanted or ())[:10])
    for name in NODES:
        done = machines[name].run("runuser", "-u", "reeve", "--", "reeved", "audit", "verify", check=False, timeout=120)
        suite.check(done.returncode == 0, "the chain of events, seen from %s: %s%s", name, done.stdout, done.stderr)
    suite.say("%d acknowledged projects, all there; %d events up to %d, all delivered" % (len(acknowledged), last, last))
    return {"acknowledged": len(acknowledged), "events": last, "unsure": len(found - acknowledged)}


def run(suite, options, folder):
    began = time.monotonic()
    packages = options.packages
    if not packages:
        packages = folder + "/packages"
        subprocess.run([os.path.join(ROOT, "script/build-packages"), "--suite", "trixie", packages], check=True, stdout=subprocess.DEVNULL)
        suite.say("built in %.0f s" % (time.monotonic() - began))
    base = image.ensure(suite.say, image.BARE_NODE)
    with contextlib.ExitStack() as stack:
        network = stack.enter_context(Network(ADDRESSES))
        names = NODES if options.short else (*NODES, "desk")
        machines = {name: make_machine(stack, base, network, name) for name in names}
        desk = machines.pop("desk", None)
        for machine in machines.values():
            for path in glob.glob(packages + "/reeve-server_*.deb") + glob.glob(packages + "/reeve-console_*.deb"):
                machine.put(path, "/root/")
        let_in(machines)
        began = time.monotonic()
        answer, _ = follow_page(suite, machines)
        page_s = time.monotonic() - began
        suite.say("the page: %.0f s" % page_s)
        if answer is not None:
            suite.equal([one["name"] for one in answer["results"]], ["Example"], "the first call")
        if suite.failures or options.short:
            return
        rows = []
        try:
            set_up_desk(desk, machines, packages)
            client, line, token, org = begin_load(suite, network, machines, desk, folder)
            stack.callback(client.stop)
            left = list(NODES)
            while left:
                # Whoever is the primary goes first: so at least two of the three are lost as such.
                name = primary(machines[left[0]])
                name = name if name in left else left[0]
                left.remove(name)
                rows.append(switch_off_and_on(suite, network, machines, name, client, line))
            # One that nobody depends on: no primary to be found, no address to be moved.
            idle = next(name for name in NODES if name != primary(machines[NODES[0]]) and name not in holder_of_address(machines))
            rows.append(switch_off_and_on(suite, network, machines, idle, client, line))
            suite.check(rows[-1]["gap"] < MOST_IDLE_GAP_S, "a machine that nobody depends on is missed for %.1f s", rows[-1]["gap"])
            handed_over_s = hand_over(suite, machines, client)
            figures = prove_nothing_lost(suite, machines, desk, client, line, token, org)
        finally:
            if suite.failures or len(rows) <= len(NODES):
                tell(suite, machines)
        if options.report and not suite.failures:
            write_report(options.report, rows, figures, page_s, handed_over_s)


def tell(suite, machines):
    """What the machines have to say when something went wrong."""
    for name, machine in machines.items():
        if machine.holder.poll() is not None:
            continue
        lines = machine.run("journalctl", "--no-pager", "--lines=4000", check=False).stdout.splitlines()
        path = "/tmp/three-nodes-%s.log" % name
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        suite.say("the journal of %s is in %s" % (name, path))


def write_report(path, rows, figures, page_s, handed_over_s):
    with open("/proc/loadavg", encoding="ascii") as file:
        average = " ".join(file.read().split()[:3])
    with open(path, "w", encoding="utf-8") as file:
        file.write("""# Three nodes, each switched off in turn

Written by `make three-nodes` on %s. Four machines with systemd in one network, all on one with %d processors (load %s): three that
[install-three-nodes.md](../install-three-nodes.md) was typed on, word for word, in %.0f s, and one for clients. Debian 13 with its own
PostgreSQL 17, Patroni 4, etcd 3.5, Redis 8, HAProxy 3 and keepalived, and packages of Reeve that were built for it.

%d clients create projects all the time through the shared address, each with an `Idempotency-Key`, on a new connection each, and try again as `reeve` does: five times
after 429, 503 and lost connections. Beside them `reeve projects create` runs in a loop. A machine is switched off by cutting its cable and killing
all of it at once; its disk keeps what the kernel had, so a disk that loses what it promised is not tried. It is switched on again when everything works without it.

| | |
|---|---|
| projects that were acknowledged | %d |
| of these lost | 0 |
| projects whose request failed in the end but that were made | %d |
| events delivered by workers to a webhook, without a gap | %d |
| `reeved audit verify`, from each machine | the chain is whole |

| switched off | was | nothing acknowledged for | requests | tried again | failed | longest | runs of `reeve`, failed, longest | switched on: whole after | nothing acknowledged for, then |
|---|---|---|---|---|---|---|---|---|---|
%s
A primary that is handed over on purpose (`patronictl switchover`) is missed for %.1f s; no request failed.

Meanwhile `reeved check` on another machine says that PostgreSQL, Redis and etcd on the lost one do not answer, and says nothing any more once it is back.
A request is failed when it had no 2xx after six tries; who repeats it with the same `Idempotency-Key` makes it once.
""" % (datetime.date.today().isoformat(), os.cpu_count(), average, page_s, WRITERS, figures["acknowledged"], figures["unsure"], figures["events"],
       "".join("| %s | %s | %.1f s | %d | %d | %d | %.1f s | %d, %d, %.1f s | %.1f s | %.1f s |\n" % (
           row["name"], ", ".join([word for word, is_so in (("primary", row["primary"]), ("shared address", row["address"])) if is_so]) or "neither primary nor shared address",
           row["gap"], row["requests"], row["again"], len(row["failed"]), row["longest"], row["commands"], len(row["commands_failed"]), row["command_longest"],
           row["back"], row["gap_back"]) for row in rows), handed_over_s))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", help="for Debian 13")
    parser.add_argument("--short", action="store_true", help="only the page")
    parser.add_argument("--report")
    options = parser.parse_args()
    ends_on_signal()
    suite = Suite("three nodes")
    with tempfile.TemporaryDirectory() as folder:
        run(suite, options, folder)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
