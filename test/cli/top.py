# SPDX-License-Identifier: Apache-2.0
"""`reeve top` and `reeve fleet top`: what is on the screen is what the API says, and the terminal is afterwards as it was before."""
import contextlib
import fcntl
import json
import re
import signal
import struct
import termios
import time

from client import wait_until
from terminal import Terminal
from world import name_members, sql

PIECES = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)|\x1b")
THREE = '[{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]'
HOSTILE = "h\x1b[2J\x1b]0;owned\x07\u009b31m\u202e"


class Picture:
    """What a terminal shows after all that was written to it: lines by their number."""

    def __init__(self, raw):
        self.lines, self.row, self.column, self.modes = {}, 1, 1, {}
        for numbers, letter, control, text in PIECES.findall(raw):
            if text:
                line = self.lines.get(self.row, "").ljust(self.column - 1)
                self.lines[self.row] = line[:self.column - 1] + text + line[self.column - 1 + len(text):]
                self.column += len(text)
            elif control:
                self.column, self.row = (1, self.row) if control == "\r" else (self.column, self.row + 1)
            elif letter == "H":
                self.row, self.column = [int(one) for one in numbers.split(";")]
            elif letter == "K":
                self.lines[self.row] = self.lines.get(self.row, "")[:self.column - 1]
            elif letter == "J":
                self.lines = {}
            elif letter in "hl" and numbers.startswith("?"):
                self.modes[numbers[1:]] = letter

    def text(self):
        return "\n".join(self.lines.get(number, "").rstrip() for number in range(1, max(self.lines or [0]) + 1))


class Live(Terminal):
    """A terminal whose picture is looked at."""

    def __init__(self, reeve, *words, columns=140, **more):
        super().__init__(reeve, *words, columns=columns, timeout=120, **more)
        self.before = termios.tcgetattr(self.master)

    def picture(self):
        return Picture(self.raw)

    def shows(self, *texts, seconds=40):
        """Whether all of them are on it at the same time, at last."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.read():
            shown = self.picture().text()
            if all(text in shown for text in texts):
                return True
        return False

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def is_restored(self):
        """Settings, cursor, lines that go on, and the screen that was there before."""
        modes = self.picture().modes
        return termios.tcgetattr(self.master) == self.before and (modes.get("1049"), modes.get("25"), modes.get("7")) == ("l", "h", "h")


def make_cluster(store, world, reeve, name):
    """Three members without points. The id of the member, that of the cluster, and the name of each, and where they are in the database."""
    made = reeve.pipe("clusters", "create", "--name", name, "--replication-specs", THREE, "--project", world.p)
    assert made.status == 0, made
    name_members(world.p, name)
    where = "c.project_id = decode('%s', 'hex') AND c.name = '%s'" % (world.p, name)
    sql("UPDATE cluster_member m SET role = 'REPLICA' FROM cluster c WHERE c.id = m.cluster_id AND %s AND m.ordinal > 0" % where)
    rows = [line.split() for line in sql("SELECT encode(m.id, 'hex') || ' ' || encode(c.id, 'hex') || ' ' || member_name(c.set_name, m.ordinal) FROM cluster_member m JOIN cluster c "
                                         "ON c.id = m.cluster_id WHERE %s ORDER BY m.ordinal" % where).splitlines()]
    return rows, where


def refresh(store, world, rows, where):
    """As just measured and heard from: what is older than a minute is shown as missing."""
    put_points(store, world.p, rows)
    sql("UPDATE cluster_member m SET reported_at = now() FROM cluster c WHERE c.id = m.cluster_id AND %s" % where)


def put_points(store, project, rows):
    """Of the last five minutes: the second is 70 s behind, the third has a full disk."""
    now, lines = int(time.time()) // 10 * 10, []
    for place, (member, cluster, _) in enumerate(rows):
        labels = "reeve,project=%s,cluster=%s,member=%s" % (project, cluster, member)
        for number in range(34):
            at = (now - 330 + number * 10) * 1000
            values = {"PROCESS_NORMALIZED_CPU_USER": number * 10 * 20 * (place + 1), "PROCESS_NORMALIZED_CPU_KERNEL": number * 10 * 5, "CONNECTIONS": 10 + place,
                      "CONNECTIONS_MAX": 100, "TRANSACTIONS_COMMITTED": number * 10 * 1234, "TRANSACTIONS_ROLLED_BACK": 0, "REPLICATION_LAG": 70 if place == 1 else 0,
                      "LONGEST_QUERY": 12 * place, "LOCKS_WAITING": 0, "SESSIONS_WAITING_IO": place}
            lines.append("%s %s %d" % (labels, ",".join("%s=%s" % one for one in values.items()), at))
            lines.append("%s,name=data DISK_PARTITION_SPACE_PERCENT_USED=%d %d" % (labels, 95 if place == 2 else 40, at))
    store.write(lines)
    wait_until(lambda: store.count(rows[-1][0]) >= 34 * 11, 20)


def line_of(text, name):
    return next((line for line in text.splitlines() if line.startswith(name)), "")


def measured(reeve, world, process, metric):
    """The newest value that the API has, of a step that is over."""
    path = "/groups/%s/processes/%s/measurements?granularity=PT10S&period=PT5M&m=%s" % (world.p, process, metric)
    series = json.loads(reeve.pipe("api", "GET", path).out)["measurements"][0]["dataPoints"]
    return [point["value"] for point in series[:-1] if point["value"] is not None][-1]


def test_top(suite, node, store, world, reeve):
    rows, where = make_cluster(store, world, reeve, "top-db")
    names, project = [row[2] for row in rows], ("--project", world.p)
    first = names[0]
    refresh(store, world, rows, where)
    once(suite, world, reeve, project, names)
    refresh(store, world, rows, where)
    live(suite, reeve, project, names)
    asks_little(suite, node, reeve, project)
    for what, end, status in (("q", lambda terminal: terminal.press("q"), 0), ("Ctrl-C", lambda terminal: terminal.press("\x03"), 130),
                              ("SIGTERM", lambda terminal: terminal.process.send_signal(signal.SIGTERM), -signal.SIGTERM),
                              ("SIGHUP", lambda terminal: terminal.process.send_signal(signal.SIGHUP), -signal.SIGHUP),
                              ("a crash", lambda terminal: terminal.process.send_signal(signal.SIGSEGV), -signal.SIGSEGV)):
        with Live(reeve, "top", "top-db", *project) as terminal:
            suite.check(terminal.shows(first), "it is there: %s", terminal.raw)
            changed = termios.tcgetattr(terminal.master) != terminal.before
            end(terminal)
            ended = terminal.wait()
            suite.check(changed and ended.status == status and terminal.is_restored(), "%s ends it, and the terminal is as before: %s %s", what, ended.status, terminal.picture().modes)
    stopped(suite, reeve, project, first)
    lost(suite, node, reeve, project, first)
    # A server that nothing is heard from is the worst of all.
    sql("UPDATE cluster_member m SET reported_at = now() - interval '10 minutes' FROM cluster c WHERE c.id = m.cluster_id AND %s AND m.ordinal = 0" % where)
    text = reeve.pipe("top", "top-db", *project, COLUMNS="160").out.decode()
    suite.check("not heard from for 10 min" in line_of(text, first) and text.splitlines()[3].startswith(first), "a silent server comes first: %s", text)
    wrong = reeve.terminal("top", "nothing-like-it", *project)
    suite.check(wrong.status == 1 and "1049" not in wrong.out and "NOT_FOUND" in wrong.out, "a cluster that is not there: %r", wrong)
    gone = reeve.pipe("top", "top-db", *project, "--server", "https://127.0.0.1:1", "--retries", "0")
    suite.check(gone.status == 3 and "no answer" in gone.err, "a node that is not there: %r", gone)


def once(suite, world, reeve, project, names):
    first, second, third = names
    ended = reeve.pipe("top", "top-db", *project, COLUMNS="160")
    text = ended.out.decode()
    suite.check(ended.status == 0 and "\x1b" not in text and text.startswith("top-db  "), "one frame in a pipe: %r", ended)
    suite.check([line.split()[0] for line in text.splitlines()[3:6]] == [third, second, first], "the worst first: %s", text)
    suite.check("disk is 95% full" in line_of(text, third) and "is behind by 70 s" in line_of(text, second), "what is wrong: %s", text)
    document = json.loads(reeve.pipe("top", "top-db", *project, "-o", "json").out)
    for member in document["members"]:
        expected = {"cpuPercent": measured(reeve, world, member["id"], "PROCESS_NORMALIZED_CPU_USER") + measured(reeve, world, member["id"], "PROCESS_NORMALIZED_CPU_KERNEL"),
                    "connections": measured(reeve, world, member["id"], "CONNECTIONS"), "lagSeconds": measured(reeve, world, member["id"], "REPLICATION_LAG"),
                    "transactionsPerSecond": measured(reeve, world, member["id"], "TRANSACTIONS_COMMITTED")}
        suite.equal({name: member[name] for name in expected}, expected, "figures are those of the API")
        shown = line_of(text, member["id"].split(".")[0])
        suite.check(" %.0f%%" % expected["cpuPercent"] in shown and " %d/100" % expected["connections"] in shown and " 1,234 " in shown, "and so is what is shown: %s", shown)
    picked = reeve.pipe("top", "top-db", *project, "--query", "members[?lagSeconds > `60`].id", "-o", "text").out.decode()
    suite.check(picked.startswith(second), "--query picks from the document: %s", picked)
    suite.check(reeve.terminal("top", "top-db", *project, "--once").out.count("\x1b[?1049h") == 0, "--once on a terminal opens no screen")
    suite.check("▁" not in reeve.pipe("top", "top-db", *project, COLUMNS="70").out.decode() and "▅" not in reeve.pipe("top", "top-db", *project, COLUMNS="70").out.decode(),
                "a short line has no curves")


def live(suite, reeve, project, names):
    first, second, third = names
    with Live(reeve, "top", "top-db", *project) as terminal:
        suite.check(terminal.shows(first, "is behind by 70 s", "live, every 10 s", "sorted by problem"), "live: %s", terminal.picture().text())
        text = terminal.picture().text()
        suite.check([line.split()[0] for line in text.splitlines()[4:7]] == [third, second, first], "the worst first: %s", text)
        for key, sort in (("s", "cpu"), ("s", "connections"), ("sssss", "problem"), ("ssssss", "name")):
            terminal.press(key)
            suite.check(terminal.shows("sorted by " + sort), "sorted by %s: %s", sort, terminal.picture().text())
        text = terminal.picture().text()
        suite.check([line.split()[0] for line in text.splitlines()[4:7]] == [first, second, third], "by name: %s", text)
        before = len(terminal.raw)
        terminal.resize(60, 12)
        suite.check(wait_for_clear(terminal, before), "a new size is a new picture: %r", terminal.raw[before:])
        text = terminal.picture().text()
        suite.check(first[-8:] in text and all(len(line) <= 60 for line in text.splitlines()), "it fits into 60 columns: %s", text)
        terminal.resize(60, 5)
        suite.check(terminal.shows(first[-8:]), "in five lines the first row: %s", terminal.picture().text())
        terminal.press("\x1b[B\x1b[B")
        suite.check(terminal.shows(third[-8:]) and first[-8:] not in terminal.picture().text(), "arrows move: %s", terminal.picture().text())
        # Nothing flickers: what did not change is not written.
        terminal.resize(140, 50)
        terminal.shows(first, second, third)
        before, end = len(terminal.raw), time.monotonic() + 3
        while time.monotonic() < end:
            terminal.read()
        drawn = terminal.raw[before:]
        suite.check(drawn.count("live, every") >= 2 and drawn.count("MEMBER") == 0 and "\x1b[2J" not in drawn, "only what changed is drawn again: %r", drawn)


def wait_for_clear(terminal, before):
    end = time.monotonic() + 10
    while time.monotonic() < end and terminal.read():
        if "\x1b[2J" in terminal.raw[before:] and "sorted by" in terminal.raw[before:].rpartition("\x1b[2J")[2]:
            return True
    return False


def asks_little(suite, node, reeve, project):
    before = len(node.log_lines())
    with Live(reeve, "top", "top-db", *project) as terminal:
        terminal.shows("sorted by problem")
        end = time.monotonic() + 12
        while time.monotonic() < end:
            terminal.read()
    paths = [line["path"] for line in node.log_lines()[before:]]
    kinds = {"processes": [path for path in paths if path.split("?")[0].endswith("/processes")],
             "measurements": [path for path in paths if "/measurements" in path and "/disks/" not in path], "disks": [path for path in paths if "/disks/" in path]}
    suite.equal({name: len(found) for name, found in kinds.items()}, {"processes": 2, "measurements": 6, "disks": 3},
                "two rounds: one question a server, and one about its disk in a minute")


def stopped(suite, reeve, project, first):
    """Ctrl-Z gives the terminal back, and fg draws all of it again."""
    with Live(reeve, "top", "top-db", *project) as terminal:
        terminal.shows(first)
        terminal.press("\x1a")
        is_stopped = wait_until(lambda: terminal.read() and open("/proc/%d/stat" % terminal.process.pid).read().rpartition(")")[2].split()[0] == "T", 10)
        suite.check(is_stopped and terminal.is_restored(), "Ctrl-Z stops it: %s", terminal.picture().modes)
        terminal.raw = ""
        terminal.process.send_signal(signal.SIGCONT)
        suite.check(terminal.shows(first, "sorted by problem"), "and it goes on: %s", terminal.raw)


def lost(suite, node, reeve, project, first):
    with Live(reeve, "top", "top-db", *project) as terminal:
        terminal.shows(first, "live, every")
        node.stop()
        suite.check(terminal.shows("not live since 20", "no answer from", first), "a node that is gone is said, and the last state stays: %s", terminal.picture().text())
        node.start()
        suite.check(terminal.shows("live, every 10 s", first), "it recovers by itself: %s", terminal.picture().text())


def test_fleet_top(suite, node, reeve):
    """After test_fleet, which logs in."""
    sql("UPDATE host SET last_seen_at = now() WHERE name <> 'h3'; UPDATE host SET last_seen_at = now() - interval '5 minutes' WHERE name = 'h3'")
    ended = reeve.pipe("fleet", "top", COLUMNS="180")
    text = ended.out.decode()
    hosts = json.loads(reeve.pipe("fleet", "hosts", "list", "--all").out)["results"]
    suite.check(ended.status == 0 and text.startswith("%d hosts, " % len(hosts)) and "\x1b" not in text, "one frame in a pipe: %r", ended)
    suite.check("silent for 5 min" in line_of(text, "h3 "), "a silent host: %s", text)
    rows = [line.split()[0] for line in text.splitlines()[5:5 + len(hosts)]]
    suite.equal(sorted(rows), sorted(host["name"] for host in hosts), "every host has a line")
    document = json.loads(reeve.pipe("fleet", "top", "-o", "json").out)
    shown = {one["name"]: (one["freeCpus"], one["freeMemoryMb"], one["freeDiskGb"]) for one in document["hosts"]}
    suite.equal(shown, {one["name"]: (one["cpus"] - one["usedCpus"], one["memoryMb"] - one["usedMemoryMb"], one["diskGb"] - one["usedDiskGb"]) for one in hosts}, "free is what is not used")
    suite.check(document["jobs"]["open"] == json.loads(reeve.pipe("fleet", "jobs", "list").out)["totalCount"], "open jobs: %s", document["jobs"])
    with hostile_host():  # a name that nobody can give, in case that the wall in front of it has a hole
        frame = reeve.pipe("fleet", "top", COLUMNS="180").out.decode()
        suite.check("owned" in frame and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", frame), "a name does not steer a terminal: %r", frame)
        with Live(reeve, "fleet", "top") as terminal:
            suite.check(terminal.shows("owned", "live, every 5 s"), "a hostile name, live: %r", terminal.raw)
            suite.check("\x1b]" not in terminal.raw and "\x07" not in terminal.raw and "\u009b" not in terminal.raw, "nothing of it reaches the terminal: %r", terminal.raw)
            terminal.press("q")
            suite.check(terminal.wait().status == 0 and terminal.is_restored(), "q ends it")


@contextlib.contextmanager
def hostile_host():
    sql("UPDATE host SET name = convert_from(decode('%s', 'hex'), 'UTF8') WHERE name = 'h7'" % HOSTILE.encode().hex())
    yield
    sql("UPDATE host SET name = 'h7' WHERE name = convert_from(decode('%s', 'hex'), 'UTF8')" % HOSTILE.encode().hex())
