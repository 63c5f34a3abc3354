# SPDX-License-Identifier: Apache-2.0
"""What a node's other tenants notice of an attack.

    make abuse                                       all attacks, and docs/reports/abuse.md
    script/with-services /usr/bin/python3 test/abuse/abuse.py [ATTACK …] [--seconds N] [--rounds N] [--factor N] [--report FILE]
    … --quick                                        each for five seconds, judged generously: for a busy machine

For each attack, in turns: the victim alone, then the victim while the attack runs (attacks.py, in a process of its own at the lowest priority).
The victim asks at a steady rate, by the clock and not when the last answer came, so waiting counts: reads, a page, and one change in ten.
A figure holds when the victim's p99 under attack is at most --factor times that of the same run without, it got no 5xx, and the node's memory
grew by at most 64 MiB and came back.

What else the machine does hits both kinds of turns alike, but it can hit one of them harder. So with --quick a ratio only counts when
the p99 is also above a quarter of a second.
"""
import argparse
import json
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "api"))
from attacks import ATTACKS  # noqa: E402
from client import Bearer, Broken, Connection, trust  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402
from world import PREFIX, bootstrap, connect, new_id, no_limits, sql, start_node, tell_nodes  # noqa: E402

RATE, CONNECTIONS, EVENTS = 40, 6, 520
MOST_GROWTH_MB, BACK_MB = 64, 16
QUICK_MS = 250


def percentile(numbers, share):
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Victim:
    """Another tenant, from an address of its own."""

    def __init__(self, node, caller, project):
        self.node, self.caller, self.project = node, caller, project
        self.lock = threading.Lock()
        self.statuses = {}

    def one(self, connection, number):
        bearer = Bearer(self.caller.token)
        if number % 10 == 9:
            return connection.ask("PATCH", PREFIX + "/groups/" + self.project, bearer, {"tags": [{"key": "n", "value": str(number)}]})
        paths = ("/groups/" + self.project, "/orgs/" + self.caller.home, "/orgs/%s/events?itemsPerPage=20" % self.caller.home)
        return connection.ask("GET", PREFIX + paths[number % 3], bearer)

    def run(self, seconds):
        """Milliseconds from when a request was due to its answer."""
        took, count = [], [0]
        total, began = int(RATE * seconds), time.monotonic() + 0.05

        def serve():
            with Connection(("127.0.0.1", self.node.port), trust(self.node.ca), timeout=60) as connection:
                while True:
                    with self.lock:
                        number = count[0]
                        count[0] += 1
                    if number >= total:
                        return
                    due = began + number / RATE
                    time.sleep(max(0, due - time.monotonic()))
                    try:
                        status = self.one(connection, number).status
                    except (OSError, Broken):
                        status = 599
                        connection.close()
                    with self.lock:
                        self.statuses[status] = self.statuses.get(status, 0) + 1
                        took.append(1000 * (time.monotonic() - due))

        threads = [threading.Thread(target=serve) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return took


class Memory(threading.Thread):
    """Watches what the workers of a node hold."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.node, self.most, self.stop = node, 0, threading.Event()

    def now(self):
        total = 0
        for pid in self.node.workers():
            try:
                with open("/proc/%d/statm" % pid, encoding="ascii") as file:
                    fields = file.read().split()
                total += int(fields[1]) - int(fields[2])  # without what is shared
            except OSError:
                pass
        return total * os.sysconf("SC_PAGE_SIZE") / 2 ** 20

    def run(self):
        while not self.stop.wait(0.25):
            self.most = max(self.most, self.now())


class Scene:
    """A node with a victim and a tenant that attacks, whose limits are out of the way."""

    def __init__(self, node, options):
        self.node, self.options = node, options
        self.quiet, self.noisy = bootstrap(node.conf, "quiet"), bootstrap(node.conf, "noisy")
        no_limits([self.quiet.home, self.noisy.home])
        projects, tokens = [], []
        with connect(node) as connection:
            for caller in (self.quiet, self.noisy):
                caller.fetch(connection)
                projects.append(connection.ask("POST", PREFIX + "/groups", caller.bearer(), {"name": "p", "orgId": caller.home}).json()["id"])
            for number in range(EVENTS):
                connection.ask("PATCH", PREFIX + "/groups/" + projects[1], self.noisy.bearer(), {"tags": [{"key": "n", "value": str(number)}]})
            connection.ask("POST", PREFIX + "/groups/%s/accessList" % projects[1], self.noisy.bearer(), [{"cidrBlock": "10.1.%d.0/24" % n} for n in range(100)])
            for _ in range(20):
                made = connection.ask("POST", PREFIX + "/orgs/%s/serviceAccounts" % self.noisy.home, self.noisy.bearer(),
                                      {"name": "s", "description": "d", "roles": ["ORG_OWNER"], "secretExpiresAfterHours": 8}).json()
                account = made.get("clientId"), (made.get("secrets") or [{}])[0].get("secret")
                if all(account):
                    connection.ask("POST", PREFIX + "/orgs/%s/serviceAccounts/%s/accessList" % (self.noisy.home, account[0]), self.noisy.bearer(),
                                   [{"cidrBlock": "127.0.0.0/8"}])
                    tokens.append(connection.fetch_token(*account))
        policy = new_id()
        sql("INSERT INTO resource (id, org_id, scope, kind, name, document) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), 'resourcePolicy', '%s', "
            "jsonb_build_object('name', 'old', 'policies', jsonb_build_array(jsonb_build_object('id', '%s', 'body', '%s'))))"
            % (policy, self.noisy.home, self.noisy.home, policy, new_id(), " || ".join(["(1e131000/7)%(1e65000/3)>1"] * 60)))
        tell_nodes()
        self.victim = Victim(node, self.quiet, projects[0])
        self.facts = {"port": node.port, "ca": node.ca, "org": self.noisy.home, "project": projects[1], "token": self.noisy.token,
                      "tokens": tokens or [self.noisy.token], "slow": options.slow}

    def attack(self, name, seconds, work):
        process = subprocess.Popen([sys.executable, os.path.join(HERE, "attacks.py"), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        try:
            process.stdin.write(json.dumps({**self.facts, "seconds": seconds + 1}))
            process.stdin.close()
            if process.stdout.readline().strip() != "ready":
                raise RuntimeError("%s did not begin: %s" % (name, process.stderr.read()[-2000:]))
            time.sleep(0.3)
            result = work()
            process.wait(60)
            problem = process.stderr.read()
            if process.returncode != 0:
                raise RuntimeError("%s: %s" % (name, problem[-2000:]))
            return result
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def log_lines(self):
        with open(self.node.log, "rb") as file:
            return sum(1 for _ in file)


def judge(suite, options, name, row):
    strict = row["ratio"] <= options.factor or (options.quick and row["attack_p99"] <= QUICK_MS)
    problems = []
    if not strict:
        problems.append("p99 %.1f times" % row["ratio"])
    if row["bad"]:
        problems.append("%d answers of 5xx" % row["bad"])
    if row["growth"] > MOST_GROWTH_MB:
        problems.append("memory grew")
    if row["kept"] > BACK_MB and row["kept"] > row["growth"] / 2:
        problems.append("memory is kept")
    row["verdict"] = "held" if not problems else "NOT HELD: " + ", ".join(problems)
    suite.check(not problems, "%s: %s", name, ", ".join(problems))


def measure(suite, options, scene, name):
    """One attack: its row."""
    normal, under = [], []
    scene.victim.statuses = {}
    memory = Memory(scene.node)
    before, lines = memory.now(), scene.log_lines()
    memory.start()
    for _ in range(options.rounds):
        normal += scene.victim.run(options.seconds)
        under += scene.attack(name, options.seconds, lambda: scene.victim.run(options.seconds))
        time.sleep(options.settle)
    memory.stop.set()
    memory.join()
    until = time.monotonic() + options.patience
    while memory.now() > before + BACK_MB and time.monotonic() < until:
        time.sleep(0.5)
    row = {"finding": ATTACKS[name][0], "count": len(under), "p50": percentile(normal, 0.5), "p99": percentile(normal, 0.99),
           "attack_p50": percentile(under, 0.5), "attack_p99": percentile(under, 0.99), "worst": max(under),
           "bad": sum(count for status, count in scene.victim.statuses.items() if status >= 500),
           "growth": memory.most - before, "kept": memory.now() - before, "lines": scene.log_lines() - lines}
    row["ratio"] = row["attack_p99"] / row["p99"]
    judge(suite, options, name, row)
    suite.say("%-24s %-2s normal %6.1f/%7.1f ms  under attack %6.1f/%7.1f ms  %5.2f times  5xx %d  +%.0f MiB, kept %.0f  %d log lines  %s" % (
        name, row["finding"], row["p50"], row["p99"], row["attack_p50"], row["attack_p99"], row["ratio"], row["bad"], row["growth"],
        row["kept"], row["lines"], row["verdict"]))
    return row


def write_report(options, rows):
    with open(options.report, "w", encoding="utf-8") as file:
        file.write("# What other tenants notice of an attack\n\nWritten by `make abuse`. %d processors, load %s before it began; %d rounds of %d s of each kind, "
                   "%d requests a second of the victim; attackers at the lowest priority on the same machine.\n\n"
                   "| attack | finding | normal p50 / p99 | under attack p50 / p99 | ratio of p99 | 5xx | memory: most, kept | log lines | |\n|---|---|---|---|---|---|---|---|---|\n"
                   % (os.cpu_count(), options.load, options.rounds, options.seconds, RATE))
        for name, row in rows.items():
            file.write("| %s | %s | %.1f / %.1f ms | %.1f / %.1f ms | %.2f | %d | +%.0f MiB, %.0f | %d | %s |\n" % (
                name, row["finding"], row["p50"], row["p99"], row["attack_p50"], row["attack_p99"], row["ratio"], row["bad"], row["growth"], row["kept"],
                row["lines"], row["verdict"]))
        file.write("\n## The attacks\n\n")
        for name, (finding, run) in ATTACKS.items():
            file.write("- **%s**: %s.\n" % (name, run.__doc__.split(": ", 1)[-1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", help="these only")
    parser.add_argument("--seconds", type=int, default=10, help="of each turn")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--settle", type=float, default=2, help="seconds between two rounds")
    parser.add_argument("--patience", type=float, default=60, help="seconds in which memory has to come back")
    parser.add_argument("--slow", type=int, default=2000, help="connections of the slow attacks")
    parser.add_argument("--factor", type=float, default=2.0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--report")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.rounds, options.factor, options.slow = 5, 1, max(options.factor, 5), min(options.slow, 500)
    options.load = " ".join("%.1f" % one for one in os.getloadavg())
    unknown = [name for name in options.attacks if name not in ATTACKS]
    if unknown:
        parser.error("no such attack: %s; there are: %s" % (", ".join(unknown), ", ".join(ATTACKS)))
    ends_on_signal()
    suite, rows = Suite("abuse"), {}
    settings = {"max_connections": 8192, "guard_failures_per_minute": 120}
    with start_node(workers=2, settings=settings) as node:
        scene = Scene(node, options)
        scene.victim.run(2)
        for name in options.attacks or ATTACKS:
            rows[name] = measure(suite, options, scene, name)
        suite.check(node.process.poll() is None and len(node.workers()) == 2, "the node has its processes")
    if options.report:
        write_report(options, rows)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
