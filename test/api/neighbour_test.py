# SPDX-License-Identifier: Apache-2.0
"""What one organization at a hundred times its limits costs another one that keeps to its own.

    script/with-services python3 test/api/neighbour_test.py [--rounds N] [--seconds N] [--times N] [--report FILE]

Three kinds of short rounds in turn, so that what else the machine does hits all of them alike, and figures are compared within
one turn: a ratio is the median of the ratios of all turns.
  alone      only the quiet organization asks, at a steady rate;
  noise      the noisy one asks the same node at a hundred times the refill of its buckets, over several connections;
  elsewhere  the noisy one asks a second node instead, just as hard.
The quiet client starts requests by the clock and not when the last answer came, so waiting counts.

The load generators run on the machine of the nodes. When it has few processors, noise costs the quiet client time that no
node spends: "elsewhere" shows how much (processors, PostgreSQL and Redis are shared there, the node is not), and the nodes'
own log line shows what the node itself took (durationMs, from the first byte of the request to its answer).
"""
import argparse
import json
import os
import subprocess
import sys
import threading
import time

from client import Bearer, Connection, trust
from suite import Suite, ends_on_signal
from world import PREFIX, bootstrap, catalog, connect, sql, start_node, tell_nodes

KINDS = ("alone", "noise", "elsewhere")
RATE = 60            # requests a second of the quiet client
NAMES = ("reads", "writes", "server reads", "server writes", "refused")
CONNECTIONS = 8      # of the noisy one, each of its two targets


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Quiet:
    """Reads, and one write in ten, each started by the clock; several connections, so that a slow one holds up nobody else."""

    def __init__(self, node, token, project, org):
        self.node, self.token, self.project, self.org = node, token, project, org
        self.lock = threading.Lock()
        self.statuses = {}

    def one(self, connection, number):
        if number % 10 == 9:
            return connection.ask("PATCH", PREFIX + "/groups/" + self.project, Bearer(self.token), {"tags": [{"key": "n", "value": str(number)}]})
        return connection.ask("GET", PREFIX + ("/groups/" + self.project if number % 2 else "/orgs/" + self.org), Bearer(self.token))

    def run(self, seconds):
        """(reads, writes): milliseconds from when a request was due to its answer"""
        reads, writes, count = [], [], [0]
        total, began = int(RATE * seconds), time.monotonic() + 0.05

        def serve():
            with Connection(("127.0.0.1", self.node.port), trust(self.node.ca)) as connection:
                connection.ask("GET", PREFIX + "/unauth/controlPlaneIPAddresses")  # the handshake is not counted
                while True:
                    with self.lock:
                        number = count[0]
                        count[0] += 1
                    if number >= total:
                        return
                    due = began + number / RATE
                    time.sleep(max(0, due - time.monotonic()))
                    answer = self.one(connection, number)
                    took = 1000 * (time.monotonic() - due)
                    with self.lock:
                        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
                        (writes if number % 10 == 9 else reads).append(took)

        threads = [threading.Thread(target=serve) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return reads, writes


class Noise:
    """h2load at a rate, as HTTP/1.1; one for each target."""

    def __init__(self, token, targets, folder):
        self.token, self.targets, self.folder = token, targets, folder
        self.statuses = {}

    def run(self, node, seconds, work):
        processes, logs = [], []
        for number, (path, rate) in enumerate(self.targets):
            log = os.path.join(self.folder, "noise-%d.log" % number)
            if os.path.exists(log):
                os.unlink(log)
            logs.append(log)
            processes.append(subprocess.Popen(
                ["h2load", "--h1", "-c", str(CONNECTIONS), "-t", "1", "-D", "%d" % (seconds + 1), "--rps", str(max(1, round(rate / CONNECTIONS))),
                 "--log-file", log, "-H", "Authorization: Bearer " + self.token, "-H", "Accept: application/json",
                 "https://127.0.0.1:%d%s" % (node.port, path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        time.sleep(0.5)
        try:
            result = work()
        finally:
            for process in processes:
                process.wait()
        for log in logs:
            with open(log, encoding="ascii") as file:
                for line in file:
                    status = int(line.split("\t")[1])
                    self.statuses[status] = self.statuses.get(status, 0) + 1
        return result


def server_side(path, offset, caller):
    """(reads, writes of the quiet caller; of the refused) in ms, from the lines since the offset; and the new offset"""
    reads, writes, refused = [], [], []
    with open(path, encoding="utf-8") as file:
        file.seek(offset)
        for line in file:
            row = json.loads(line)
            if caller in row["caller"]:
                (writes if row["method"] == "PATCH" else reads).append(row["durationMs"])
            elif row["status"] == 429:
                refused.append(row["durationMs"])
        return reads, writes, refused, file.tell()


def processor_seconds(node):
    """What the workers of a node have used so far."""
    ticks = 0
    for pid in node.workers():
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="of each kind")
    parser.add_argument("--seconds", type=int, default=4, help="of each round")
    parser.add_argument("--times", type=float, default=100, help="of its refill, that the noisy one asks for")
    parser.add_argument("--report", help="write the figures into this file")
    options = parser.parse_args()
    options.load = os.getloadavg()[0]
    ends_on_signal()
    suite = Suite("neighbour")
    nodes = [start_node()]
    nodes.append(start_node(migrate=False))
    try:
        for node in nodes:
            node.start()
        lines = measure(suite, options, nodes)
    finally:
        for node in nodes:
            node.close()
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            file.write("\n".join(["# One organization at %g times its limits" % options.times, ""] + ["- " + line for line in lines] + [""]))
    return suite.finish()


def measure(suite, options, nodes):
    quiet_org, noisy_org = bootstrap(nodes[0].conf, "quiet"), bootstrap(nodes[0].conf, "noisy")
    projects = []
    with connect(nodes[0]) as connection:
        for org in (quiet_org, noisy_org):
            org.fetch(connection)
            projects.append(connection.ask("POST", PREFIX + "/groups", org.bearer(), {"name": "p", "orgId": org.home}).json()["id"])
        sets = {row["set"] for row in catalog() if row["operation"] in ("getOrganization", "getProject", "updateProject")}
        refills = {}
        for row in sets:
            facts = connection.ask("GET", PREFIX + "/rateLimits/" + row, noisy_org.bearer()).json()
            refills[facts["scope"]] = facts["refillRate"]["value"]
    # Limits a little above what the quiet one asks for; the noisy one has the usual ones.
    sql("INSERT INTO limit_override (owner, set_name, capacity, refill) SELECT decode('%s', 'hex'), s, %d, %d FROM unnest('{%s}'::text[]) s"
        % (quiet_org.home, RATE * 60, RATE * 60, ",".join(sets)))
    tell_nodes()
    targets = [(PREFIX + "/orgs/" + noisy_org.home, refills["ORGANIZATION"] * options.times / 60),
               (PREFIX + "/groups/" + projects[1], refills["GROUP"] * options.times / 60)]
    quiet = Quiet(nodes[0], quiet_org.token, projects[0], quiet_org.home)
    noise = Noise(noisy_org.token, targets, nodes[0].folder)
    quiet.run(2)
    noise.run(nodes[0], 2, lambda: None)
    seen = {kind: {name: [] for name in NAMES} for kind in KINDS}  # a list of values for each round
    costs = dict.fromkeys(KINDS, 0.0)
    noise.statuses, quiet.statuses, offset = {}, {}, os.path.getsize(nodes[0].log)
    for number in range(options.rounds):
        # Each kind is first, second and last equally often.
        for kind in KINDS[number % 3:] + KINDS[:number % 3]:
            work, used = (lambda: quiet.run(options.seconds)), processor_seconds(nodes[0])
            reads, writes = work() if kind == "alone" else noise.run(nodes[kind == "elsewhere"], options.seconds, work)
            time.sleep(0.2)
            at_node = server_side(nodes[0].log, offset, quiet_org.account)
            offset = at_node[3]
            costs[kind] += processor_seconds(nodes[0]) - used
            for name, values in zip(NAMES, (reads, writes) + at_node[:3]):
                seen[kind][name].append(values)
    return report(suite, options, seen, quiet, noise, targets, costs)


def report(suite, options, seen, quiet, noise, targets, costs):
    lines = ["%d processors, load %s; %d rounds of %d s of each kind; the quiet one asks %d times a second, the noisy one %s" % (
        os.cpu_count(), " ".join("%.1f" % one for one in os.getloadavg()), options.rounds, options.seconds, RATE,
        " and ".join("%d" % rate for _, rate in targets))]
    for name in NAMES:
        for kind in KINDS:
            values = [value for one in seen[kind][name] for value in one]
            if values:
                lines.append("%s, %s: %d, median %.2f ms, p95 %.2f, p99 %.2f" % (name, kind, len(values), percentile(values, 0.5),
                                                                              percentile(values, 0.95), percentile(values, 0.99)))
    for name in ("reads", "server reads", "server writes"):
        for share in (0.5, 0.99):
            lines.append("%s of %s with noise: %.2f times alone, %.2f times that with the same noise elsewhere on this machine" % (
                "median" if share == 0.5 else "p99", name, ratio(seen, name, share, "alone"), ratio(seen, name, share, "elsewhere")))
    refusals = sum(len(one) for one in seen["noise"]["refused"])
    spent, seconds = costs["noise"] - costs["alone"], options.rounds * options.seconds
    lines.append("the noise cost the node %.1f%% of a processor: %d refusals a second, %.0f µs each, all in all" % (
        100 * spent / seconds, refusals / seconds, 1e6 * spent / max(refusals, 1)))
    lines.append("answers to the quiet one: %s; to the noisy one: %s" % (sorted(quiet.statuses.items()), sorted(noise.statuses.items())))
    for line in lines:
        suite.say(line)
    suite.check(set(quiet.statuses) == {200}, "the quiet one got %s", quiet.statuses)
    suite.check(noise.statuses.get(429, 0) > 10 * sum(amount for status, amount in noise.statuses.items() if status != 429),
                "the noisy one was not held back: %s", noise.statuses)
    suite.check(not any(status >= 500 for status in noise.statuses), "the noisy one got %s", noise.statuses)
    figure = ratio(seen, "server reads", 0.99, "alone")
    lines.append("the figure to reach is 1.10; p99 of the reads at the node is %.2f times that without noise" % figure)
    suite.say(lines[-1])
    if options.load > os.cpu_count() / 4:
        lines.append("not judged: other programs used the processors (load %.1f before it began)" % options.load)
        suite.say(lines[-1])
    else:
        suite.check(figure < 1.10, "noise costs the neighbours %.2f times", figure)
    return lines


def ratio(seen, name, share, kind):
    """The median over all turns of what a percentile is with noise, as a multiple of what it is in another kind of round."""
    pairs = zip(seen["noise"][name], seen[kind][name])
    return percentile([percentile(loud, share) / percentile(other, share) for loud, other in pairs if loud and other], 0.5)


if __name__ == "__main__":
    sys.exit(main())
