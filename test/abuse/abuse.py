# SPDX-License-Identifier: Apache-2.0
"""What a node's other tenants notice of an attack.

    make abuse                                       all attacks, and docs/reports/abuse.md
    script/with-services /usr/bin/python3 test/abuse/abuse.py [ATTACK …] [--seconds N] [--rounds N] [--report FILE] [--rows FILE]
    … --quick                                        each for five seconds, judged generously: for a busy machine

For each attack, in turns: the victim alone, the victim while the attack runs (attacks.py), and so on, ending with the victim alone. The
victim asks at a steady rate, by the clock and not when the last answer came, so waiting counts: reads, a page, and one change in ten.
A figure holds when the victim's p99 under attack is at most --factor times that of the same run without, it got no 5xx, and the node's memory
grew by at most 64 MiB and came back. Of the turns of a kind the median p99 counts: what an attack does it does in every turn, while a disk that
stops for half a second spoils the p99 of one.

In reality the victim and the attacker are other machines. Here they share processors with the node, so that the attacker's own work could be
what is measured. Therefore the attacker runs only when nobody else wants the processor (SCHED_IDLE, in a session of its own, because Linux shares
processors between sessions first), the victim before everybody
else (SCHED_RR, where that is allowed), and the first row is a control: a process for each processor that only computes, like an attacker that
is always busy, and that never talks to the node. What it costs is the share of the measurement in every other row.

What else the machine does hits both kinds of turns alike, but it can hit one of them harder. So with --quick a ratio only counts when
the p99 is also above a quarter of a second.
"""
import argparse
import json
import os
import statistics
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

RATE, CONNECTIONS, EVENTS = 100, 8, 520
MOST_GROWTH_MB, BACK_MB = 64, 16
QUICK_MS = 250
CONTROL = "control"
HELD = ("slow headers", "slow bodies", "slow readers")  # these mean nothing when the connections are not held
REPORT_HEAD = """# What other tenants notice of an attack

Written by `make abuse`. %(processors)d processors, load %(load)s before it began. %(rounds)d rounds of %(seconds)d s: the victim alone, under attack, \
alone again; %(rate)d requests a second of the victim, up to %(normal)d alone and %(under)d under attack for each row; the p99 is the median of the turns'. The attacker runs only when nobody else \
wants the processor, the victim's client %(first)s: both are other machines in reality. `control` is an attacker that only computes and never talks \
to the node: what it costs is the measurement's own share. %(note)s

| attack | finding | alone p50 / p99 | under attack p50 / p99 | ratio of p99 | 5xx | MiB: most, kept | connections | log lines | what it did in a round | |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def percentile(numbers, share):
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def typical_p99(turns):
    return statistics.median(percentile(turn, 0.99) for turn in turns)


def go_first():
    """The victim's own machine would not be busy with the attack."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        return True
    except OSError:
        return False


def go_last():
    os.setsid()
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    try:
        with open("/proc/self/autogroup", "w", encoding="ascii") as file:
            file.write("19")
    except OSError:
        pass  # a kernel without groups of sessions


class Wakers:
    """A loop for each processor that runs only when nothing else does, during all turns alike. A virtual processor that fell asleep needs
    tens of milliseconds to wake: without this the victim alone is slower than the victim beside an attack."""

    def __enter__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=go_last) for _ in range(os.cpu_count())]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


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


class Watch(threading.Thread):
    """Looks at what the workers of a node hold: memory, and connections."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.node, self.most, self.connections, self.stop = node, 0, 0, threading.Event()

    def open_connections(self):
        """Sockets of the workers, without the few that are always there."""
        total = 0
        for pid in self.node.workers():
            try:
                total += len(os.listdir("/proc/%d/fd" % pid))
            except OSError:
                pass
        return total

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
            self.connections = max(self.connections, self.open_connections())


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
        """What `work` gives while the attack runs, and the share of a processor that the attacker used meanwhile."""
        process = subprocess.Popen([sys.executable, os.path.join(HERE, "attacks.py"), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=go_last)
        try:
            process.stdin.write(json.dumps({**self.facts, "seconds": seconds + 1}))
            process.stdin.close()
            if process.stdout.readline().strip() != "ready":
                raise RuntimeError("%s did not begin: %s" % (name, process.stderr.read()[-2000:]))
            time.sleep(0.3)
            result = work()
            last, problem = process.stdout.read(), process.stderr.read()
            process.wait(60)
            if process.returncode != 0:
                raise RuntimeError("%s: %s" % (name, problem[-2000:]))
            return result, json.loads(last)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def log_lines(self):
        with open(self.node.log, "rb") as file:
            return sum(1 for _ in file)


def judge(options, name, row):
    """What does not hold of a row; the control has no bounds, it says what the measurement itself costs."""
    problems = []
    if row["ratio"] > options.factor and not (options.quick and row["attack_p99"] <= QUICK_MS):
        problems.append("p99 %.1f times" % row["ratio"])
    if row["bad"]:
        problems.append("%d answers of 5xx" % row["bad"])
    if row["growth"] > MOST_GROWTH_MB:
        problems.append("memory grew")
    if row["kept"] > BACK_MB and row["kept"] > row["growth"] / 2:
        problems.append("memory is kept")
    if name in HELD and row["connections"] < options.slow:
        problems.append("only %d connections were held" % row["connections"])
    return problems


def measure(options, scene, name):
    """One attack: its row."""
    normal, under, cpu, did = [], [], [], []
    scene.victim.statuses = {}
    watch = Watch(scene.node)
    before, lines, sockets = watch.now(), scene.log_lines(), watch.open_connections()
    watch.start()
    for _ in range(options.rounds):
        normal.append(scene.victim.run(options.seconds))
        took, report = scene.attack(name, options.seconds, lambda: scene.victim.run(options.seconds))
        under.append(took)
        cpu.append(report["cpu"])
        did.append(report["did"])
        time.sleep(options.settle)
    normal.append(scene.victim.run(options.seconds))
    watch.stop.set()
    watch.join()
    until = time.monotonic() + options.patience
    while watch.now() > before + BACK_MB and time.monotonic() < until:
        time.sleep(0.5)
    after = watch.now()  # may be less: what the preparations took has come back meanwhile
    all_normal, all_under = sum(normal, []), sum(under, [])
    row = {"finding": ATTACKS[name][0], "samples": [len(all_normal), len(all_under)], "p50": percentile(all_normal, 0.5), "p99": typical_p99(normal),
           "attack_p50": percentile(all_under, 0.5), "attack_p99": typical_p99(under), "worst": max(all_under),
           "bad": sum(count for status, count in scene.victim.statuses.items() if status >= 500),
           "growth": watch.most - min(before, after), "kept": after - before, "lines": scene.log_lines() - lines,
           "connections": watch.connections - sockets, "cpu": sum(cpu) / len(cpu), "did": did[-1]}
    row["ratio"] = row["attack_p99"] / row["p99"]
    problems = judge(options, name, row)
    row["holds"] = not problems
    row["verdict"] = "-" if name == CONTROL else "held" if not problems else "NOT HELD: " + ", ".join(problems)
    return row


def say(suite, name, row):
    suite.check(row["holds"] or name == CONTROL, "%s: %s", name, row["verdict"])
    suite.say("%-24s %-2s normal %5.1f/%6.1f ms  under attack %5.1f/%6.1f ms  %5.2f times  5xx %d  +%.0f MiB, kept %.0f  %d connections  "
              "%d log lines  attacker's processor %d %%, %s  %s" % (
                  name, row["finding"], row["p50"], row["p99"], row["attack_p50"], row["attack_p99"], row["ratio"], row["bad"], row["growth"],
                  row["kept"], row["connections"], row["lines"], 100 * row["cpu"], row["did"], row["verdict"]))


def write_report(options, rows, first):
    with open(options.report, "w", encoding="utf-8") as file:
        file.write(REPORT_HEAD % {"processors": os.cpu_count(), "load": options.load, "rounds": options.rounds, "seconds": options.seconds, "rate": RATE,
                                  "normal": max(row["samples"][0] for row in rows.values()), "under": max(row["samples"][1] for row in rows.values()),
                                  "note": options.note, "first": "before everybody else" if first else "like everybody else"})
        for name, row in rows.items():
            file.write("| %s | %s | %.1f / %.1f ms | %.1f / %.1f ms | %.2f | %d | +%.0f, %.0f | %d | %d | %s | %s |\n" % (
                name, row["finding"], row["p50"], row["p99"], row["attack_p50"], row["attack_p99"], row["ratio"], row["bad"], row["growth"], row["kept"],
                row["connections"], row["lines"], row["did"], row["verdict"]))
        file.write("\n%s\n\n## The attacks\n\n" % summary(rows))
        for name, (finding, run) in ATTACKS.items():
            file.write("- **%s**: %s.\n" % (name, run.__doc__.split(": ", 1)[-1]))


def summary(rows):
    attacks = [row for name, row in rows.items() if name != CONTROL]
    return "abuse: %d attacks, %d within bounds" % (len(attacks), sum(row["holds"] for row in attacks))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", help="these only")
    parser.add_argument("--seconds", type=int, default=5, help="of each turn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm", type=float, default=8, help="seconds between the preparations and the first attack")
    parser.add_argument("--settle", type=float, default=2, help="seconds between two rounds")
    parser.add_argument("--patience", type=float, default=60, help="seconds in which memory has to come back")
    parser.add_argument("--slow", type=int, default=2000, help="connections of the slow attacks")
    parser.add_argument("--factor", type=float, default=2.0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--report")
    parser.add_argument("--note", default="", help="a sentence about the circumstances, for the report")
    parser.add_argument("--rows", help="a file that keeps rows, so that one report can be made of several runs")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.rounds, options.factor, options.slow = 5, 1, max(options.factor, 5), min(options.slow, 500)
    options.load = " ".join("%.1f" % one for one in os.getloadavg())
    unknown = [name for name in options.attacks if name not in ATTACKS]
    if unknown:
        parser.error("no such attack: %s; there are: %s" % (", ".join(unknown), ", ".join(ATTACKS)))
    ends_on_signal()
    suite, rows = Suite("abuse"), {}
    if options.rows and os.path.exists(options.rows):
        with open(options.rows, encoding="utf-8") as file:
            rows = json.load(file)
    settings = {"max_connections": 8192, "guard_failures_per_minute": 120, "log_lines_per_minute": 600}
    with Wakers(), start_node(workers=2, settings=settings) as node:
        scene = Scene(node, options)
        first = go_first()
        scene.victim.run(2)
        time.sleep(options.warm)  # what the preparations took comes back first
        for name in options.attacks or ATTACKS:
            rows[name] = measure(options, scene, name)
            say(suite, name, rows[name])
        suite.check(node.process.poll() is None and len(node.workers()) == 2, "the node has its processes")
    rows = {name: rows[name] for name in ATTACKS if name in rows}
    if options.rows:
        with open(options.rows, "w", encoding="utf-8") as file:
            json.dump(rows, file)
    if options.report:
        write_report(options, rows, first)
    result = suite.finish()
    print(summary(rows))
    return result


if __name__ == "__main__":
    sys.exit(main())
