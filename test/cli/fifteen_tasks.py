#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What people do most, typed into a terminal: at most two commands each, no JSON, no identifier; and how much they had to type before there were names and short flags.

    script/with-services test/cli/fifteen_tasks.py [--report FILE]      a real node; what needs running members is left out
    test/cli/fifteen_tasks.py --fleet [--report FILE]                   all of them, on a fleet of four hosts; needs root
"""
import argparse
import json
import os
import re
import shlex
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE] + [os.path.join(os.path.dirname(HERE), name) for name in ("api", "cluster", "fleet")]
from terminal import Reeve, Terminal, plain  # noqa: E402

MOST_COMMANDS = 2
IDENTIFIER = re.compile(r"[0-9a-f]{24}|reeve_sa_")
PASSWORD = "correct-horse-battery-staple"
SPECS = """--replication-specs '[{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "%s", "nodeCount": 3}}]}]'"""
ID, OTHER = "650000000000000000000001", "650000000000000000000002"

# What, as it is typed now, as the reference had it before short flags and names, whether it needs running members. {…} is what differs from place to place.
TASKS = [
    ("create a project and a cluster",
     ["reeve projects create web", "reeve clusters create orders --project web --region {region} --size {size} --nodes 3{backups}{wait}"],
     ["reeve projects create --name web", "reeve clusters create --project " + OTHER + " --name orders " + SPECS % "M10"], False),
    ("create a database user",
     ["reeve database-users create app --roles readWrite@shop --password - --project web"],
     ["reeve database-users create --project " + OTHER + " --username app --password - --roles readWrite@shop"], False),
    ("let an address in",
     ["reeve access-list create {address} --project web"],
     ["reeve access-list create --project " + OTHER + " --cidr-block 203.0.113.0/24"], False),
    ("connect",
     ["reeve connect orders --project web --user app --database shop --root-certificate {authority} -- -c 'CREATE TABLE notes AS SELECT 42 AS answer'"],
     ["reeve clusters get --project " + OTHER + " orders --query connectionStrings.standard --output text",
      "psql 'postgresql://app@orders-0.example.org:27017,orders-1.example.org:27017,orders-2.example.org:27017/shop?target_session_attrs=primary&sslmode=verify-full&sslrootcert=authority.pem' -c 'CREATE TABLE notes AS SELECT 42 AS answer'"], True),
    ("resize",
     ["reeve clusters resize orders --size {larger} --project web{wait}"],
     ["reeve clusters get --project " + OTHER + " orders", "reeve clusters update --project " + OTHER + " orders " + SPECS % "M20"], False),
    ("read logs",
     ["reeve logs orders --since 15m --project web"],
     ["reeve metrics processes list --project " + OTHER, "reeve logs download --project " + OTHER + " orders-0.example.org postgres --save postgres.gz", "zcat postgres.gz"], True),
    ("find out why something waits",
     ["reeve operations list --project web"],
     ["reeve operations list --project " + OTHER, "reeve operations get --project " + OTHER + " " + ID], False),
    ("rotate a key",
     ["reeve service-accounts org secrets create robot --secret-expires-after-hours 720"],
     ["reeve service-accounts org list --org " + ID, "reeve service-accounts org secrets create --org " + ID + " reeve_sa_" + OTHER + " --secret-expires-after-hours 720"], False),
    ("add a teammate",
     ["reeve users project add jo@example.org --roles GROUP_READ_ONLY --project web"],
     ["reeve users project add --project " + OTHER + " --username jo@example.org --roles GROUP_READ_ONLY"], False),
    ("restore a table",
     ["reeve restore table orders shop.public.notes --at {moment} --user app --root-certificate {authority} --project web"],
     ["reeve backups window get --project " + OTHER + " orders", "reeve clusters create --project " + OTHER + " --name orders-copy --wait " + SPECS % "M10",
      "reeve backups restore-jobs create --project " + OTHER + " orders --delivery-type pointInTime --point-in-time-utc-seconds 1794822067 --target-cluster-name orders-copy --wait",
      "export PGPASSWORD", "read -rsp 'password of the user app: ' PGPASSWORD",
      "connect='reeve connect --project " + OTHER + " --user app --database shop --root-certificate authority.pem --print psql'",
      'pg_dump --no-owner --table public.notes "$($connect orders-copy)" | psql --set ON_ERROR_STOP=1 "$($connect orders)"',
      "reeve clusters delete --project " + OTHER + " orders-copy --wait --yes"], True),
    ("follow events",
     ["reeve events follow --since 0 --project web"],
     ["reeve events follow --since 0 --project " + OTHER], False),
    ("update a minor version",
     ["reeve fleet update web/orders --ignore-window"],
     [], True),
    ("see what a drain would do, and drain",
     ["reeve fleet hosts drain {host} --dry-run", "reeve fleet hosts drain {host}{wait}"],
     ["reeve fleet hosts show h1", "reeve fleet hosts list", "reeve fleet hosts drain h1"], False),
    ("find the fullest host",
     ["reeve fleet hosts list --sort full"],
     ["reeve fleet hosts list --all --output json | jq -r '.results | sort_by(-.usedMemoryMb / .memoryMb) | .[0].name'"], False),
    ("find a cluster among all tenants'",
     ["reeve fleet clusters list --search orders", "reeve fleet clusters show web/orders"],
     ["reeve fleet organizations list", "reeve fleet hosts list", "reeve fleet hosts show h1"], False),
    ("delete everything",
     ["reeve clusters delete orders --project web{wait}", "reeve projects delete web"],
     ["reeve clusters delete --project " + OTHER + " orders", "reeve projects delete " + OTHER], False),
]
# What is asked, and what is typed then.
ANSWERS = [(r"(?i)password[^\n]*: $", PASSWORD), (r"Type (\S+) to go on: $", None), (r"Start it\? \[y/N\] $", "y")]


class Place:
    """Where it is typed: `command` makes the words of a terminal's program of a command line."""

    def __init__(self, suite, reeve, values, has_members, command=None):
        self.before = {}  # what has to happen before a task can be tried: {name: function}
        self.suite, self.reeve, self.values, self.has_members = suite, reeve, values, has_members
        self.command = command or (lambda words: words[1:])
        self.skipped = {"reeve projects delete web"}  # without a worker its cluster stays, and with it the project

    def type(self, line, seconds=600):
        """The status and what was on the screen; questions are answered, and what would go on for ever is ended by Ctrl-C when it has said something."""
        with Terminal(self.reeve, *self.command(shlex.split(line)), columns=160, timeout=seconds) as terminal:
            answered, quiet, endless = 0, time.monotonic(), "follow" in line
            while terminal.read():
                text = plain(terminal.raw)
                for pattern, answer in ANSWERS:
                    found = re.search(pattern, text[answered:])
                    if found:
                        answered = len(text)
                        terminal.press((answer or found[1]) + "\r")
                if endless and "CREATED" in text and time.monotonic() - quiet > 1:
                    endless = False
                    terminal.press("\x03")
                if time.monotonic() > terminal.deadline:
                    break
            ended = terminal.wait()
        return ended.status, plain(ended.out)


def measure(lines):
    """Commands, and characters without what differs from place to place and without waiting, which is a matter of taste."""
    examples = {"region": "EU_NORTH", "size": "M10", "larger": "M20", "address": "203.0.113.0/24", "host": "h1", "authority": "authority.pem", "wait": "",
                "backups": " --backup-enabled", "moment": "2026-11-16T09:41:07Z"}
    lines = [re.sub(r"\{(\w+)\}", lambda found: examples.get(found[1], found[0]), line) for line in lines]
    return len(lines), sum(len(line) for line in lines)


def run(place, checks):
    """Types every task that can be tried here; a row of the report for each."""
    rows, suite = [], place.suite
    for name, now, before, needs_members in TASKS:
        if name in place.before:
            place.before[name]()
        typed = [line.format(**place.values) for line in now]
        suite.check(len(typed) <= MOST_COMMANDS, "%s takes %d commands", name, len(typed))
        suite.check(not any(IDENTIFIER.search(line) or "{" in line or "[" in line for line in typed), "%s needs an identifier or JSON: %s", name, typed)
        seen = "–"
        if place.has_members or not needs_members:
            began, said = time.monotonic(), ""
            for line in typed if place.has_members else [line for line in typed if line not in place.skipped]:
                status, text = place.type(line)
                said += text
                suite.check(status in ((0, 130, -2) if "follow" in line else (0,)), "%s: `%s` ended with %d: %s", name, line, status, text[-800:])
            problem = checks[name](said) if name in checks else None
            suite.check(not problem, "%s: %s\n%s", name, problem, said[-1500:])
            seen = "%.1f s" % (time.monotonic() - began)
        rows.append((name, *measure(before), *measure(now), seen, "<br>".join("`%s`" % line for line in now)))
    return rows


def expect(*texts):
    return lambda said: next(("%r is not on the screen" % text for text in texts if text not in said), None)


def checks_for(sql, host):
    """What has to be seen, on the screen or from outside."""
    def then(query, wanted, *texts):
        def look(said):
            found = sql(query)
            return expect(*texts)(said) or (None if found == wanted else "%s gave %s and not %s" % (query, found, wanted))
        return look

    return {
        "create a project and a cluster": then("SELECT count(*) FROM cluster c JOIN project p ON p.id = c.project_id WHERE c.name = 'orders' AND p.name = 'web'", "1", "orders"),
        "create a database user": then("SELECT count(*) FROM resource r JOIN project p ON p.id = r.scope WHERE r.kind = 'databaseUser' AND p.name = 'web' AND r.document ->> 'username' = 'app'", "1"),
        "let an address in": then("SELECT count(*) FROM resource r JOIN project p ON p.id = r.scope WHERE p.name = 'web' AND r.kind LIKE '%ccess%ist%'", "1"),
        "connect": expect("SELECT 1"),
        "find out why something waits": expect("cluster.", "orders"),
        "rotate a key": expect("secret"),
        "add a teammate": expect("jo@example.org"),
        "follow events": expect("CLUSTER_CREATED"),
        "see what a drain would do, and drain": then("SELECT state FROM host WHERE name = '%s'" % host, "DRAINING", "nothing was done"),
        "find the fullest host": expect("FULL"),
        "find a cluster among all tenants'": expect("orders", "web"),
        "delete everything": then("SELECT count(*) FROM project WHERE name = 'web'", "0"),
    }


def on_a_node(suite, build, home):
    from world import World, sql, start_node  # noqa: PLC0415  (needs the services that only this way has)
    with start_node(workers=1) as node:
        world = World(node, with_roles=False)
        reeve = Reeve(build, home)
        world.must(201, "POST", "/orgs/%s/serviceAccounts" % world.a.home, world.a.bearer(), {"name": "robot", "description": "r", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8})
        suite.equal(reeve.pipe("login", "--server", node.base_url, "--ca-file", node.ca, "--client-id", world.a.client_id, stdin=world.a.client_secret.encode() + b"\n").status, 0, "logging in")
        token = json.loads(node.run("operator", "add", "ada", "--json").stdout)["token"]
        suite.equal(reeve.pipe("fleet", "login", "--url", "http://127.0.0.1:%d" % node.operator_port, "--token-file", "-", stdin=token.encode()).status, 0, "logging in as an operator")
        host = sql("SELECT name FROM host WHERE state = 'ACTIVE' AND purpose = 'DATABASE' ORDER BY name LIMIT 1")
        place = Place(suite, reeve, {"region": "EU_NORTH", "size": "M10", "larger": "M20", "address": "203.0.113.0/24", "host": host, "authority": "", "wait": "", "backups": "", "moment": "10m"}, False)
        try:
            checks = checks_for(sql, host)
            checks.pop("delete everything")  # that both are gone is seen on a fleet
            return run(place, checks)
        finally:
            world.close()


def on_a_fleet(suite, home):
    import rig  # noqa: PLC0415  (needs root)
    import new_minor  # noqa: PLC0415
    from first_cluster_test import Person  # noqa: PLC0415
    from guides_test import borrow  # noqa: PLC0415
    from tenant import Tenant, client_address  # noqa: PLC0415
    from top_test import encrypt_the_operators_line  # noqa: PLC0415

    import control  # noqa: PLC0415
    import network  # noqa: PLC0415
    from state import CONTROL, wait_until  # noqa: PLC0415
    with rig.fleet_for(4, repositories=1) as fleet:
        encrypt_the_operators_line(fleet)
        tenant, person = Tenant(fleet), Person(fleet, home)
        tenant.ask("POST", "/orgs/%s/serviceAccounts" % tenant.organization, {"name": "robot", "description": "r", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8})
        authority = os.path.join(home, "clusters.pem")
        with open(authority, "w", encoding="utf-8") as file:
            file.write(control.reeved(fleet, "fleet", "authority"))
        node, ca_file = CONTROL["control1"], fleet.path("tls/authority.pem")
        token = json.loads(control.reeved(fleet, "operator", "add", "ada", "--json"))["token"]

        def command(words):
            return network.client_command(fleet, words)[1:]

        for words, secret in ((["reeve", "login", "--server", "https://%s:%d" % (node, control.API_PORT), "--ca-file", ca_file, "--client-id", tenant.client[0]], tenant.client[1]),
                              (["reeve", "fleet", "login", "--url", "https://%s:%d" % (node, control.OPERATOR_PORT), "--ca-file", ca_file, "--token-file", "-"], token)):
            ended = person.pipe(*command(words), stdin=secret.encode() + b"\n")
            suite.equal(ended.status, 0, "%s: %r" % (" ".join(words[:3]), ended))
        values = {"region": fleet.regions[0], "size": control.SIZES[1][0], "larger": control.SIZES[2][0], "address": client_address(), "host": "", "authority": authority, "wait": " --wait",
                  "backups": " --backup-enabled", "moment": ""}
        place = Place(suite, person, values, True, command)
        borrow(fleet, fleet.repositories[0], person.home, "pg_dump")

        def ask(query):
            return control.superuser(fleet, query)[0][0]

        def notes(query):
            primary = wait_until(lambda: rig.primary_of(fleet, "orders"), "a primary", 60)
            return rig.superuser(fleet, primary, query, "shop")

        def reach_the_hosts():
            """Users and addresses are with the hosts a few seconds after the answer, sooner than most people have typed the next command."""
            tenant.project = ask("SELECT encode(id, 'hex') FROM project WHERE name = 'web'")
            wait_until(lambda: tenant.access_status(client_address()) == "ACTIVE", "the address is let in by every host", 60)

        def lose_the_table():
            wait_until(lambda: control.superuser(fleet, "SELECT 1 FROM snapshot n JOIN backup_stanza s ON s.id = n.stanza_id WHERE s.state = 'OPEN' AND n.state = 'COMPLETED'"),
                       "the first snapshot", 240)
            time.sleep(2)
            values["moment"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            time.sleep(2)
            notes("DROP TABLE notes")
            suite.equal(notes("SELECT to_regclass('public.notes') IS NULL"), [["t"]], "the table is lost")

        def newer_programs():
            newer["version"] = new_minor.next_minor(new_minor.installed(fleet, "h1"))
            for host in fleet.hosts:
                new_minor.install(fleet, host, newer["version"])
            wait_until(lambda: "BEHIND" in person.pipe(*command(["reeve", "fleet", "versions", "list"])).out.decode(), "the hosts have a newer version", 90, every=3)

        def choose_a_host():
            """One with a member of the cluster, so that something has to move."""
            values["host"] = rig.members(fleet, "orders")[0].host

        def host_is_empty(said):
            left = [member.name for member in rig.members(fleet, "orders") if member.host == values["host"]]
            state = ask("SELECT state FROM host WHERE name = '%s'" % values["host"])
            return expect("nothing was done", "orders")(said) or (None if (state, left) == ("DRAINED", []) else "the host is %s and has %s" % (state, left))

        def versions_run(said):
            running = {rig.superuser(fleet, member, "SHOW server_version")[0][0].split()[0] for member in rig.members(fleet, "orders")}
            return None if running == {newer["version"]} else "members run %s and not %s" % (running, newer["version"])

        newer = {}
        place.before = {"connect": reach_the_hosts, "restore a table": lose_the_table, "update a minor version": newer_programs, "see what a drain would do, and drain": choose_a_host}
        checks = checks_for(ask, "")
        checks["see what a drain would do, and drain"] = host_is_empty
        checks["restore a table"] = lambda said: expect("is back", "1 row")(said) or (None if notes("SELECT answer FROM notes") == [["42"]] else "the row is not back")
        checks["update a minor version"] = versions_run
        return run(place, checks)


def write_report(path, rows, where):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# What people do most\n\nWritten by %s. Every command of the last column was typed into a terminal; `{…}` is what differs from place to place. *Before* is the same with "
                   "identifiers and JSON, as the reference had it before there were names and short flags; looking identifiers up is counted where it was needed.\n\n"
                   "| task | commands before | characters before | commands now | characters now | took | typed |\n|---|---|---|---|---|---|---|\n" % where)
        file.writelines("| %s | %d | %d | %d | %d | %s | %s |\n" % row for row in rows)
        file.write("| **all** | **%d** | **%d** | **%d** | **%d** | | |\n" % tuple(sum(row[i] for row in rows) for i in range(1, 5)))
        file.write("\nA task with no commands before could not be done then.\n")
        file.write("\n–: it needs running members, and was not typed in this run.\n" if any(row[5] == "–" for row in rows) else "")


def main():
    from suite import Suite, ends_on_signal  # noqa: PLC0415
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fleet", action="store_true", help="on a fleet of four hosts, with running members")
    parser.add_argument("--report")
    given = parser.parse_args()
    ends_on_signal()
    suite = Suite("fifteen tasks")
    with tempfile.TemporaryDirectory() as home:
        rows = on_a_fleet(suite, os.path.join(home, "you")) if given.fleet else on_a_node(suite, os.environ.get("REEVE_BUILD", "build"), home)
    for row in rows:
        suite.say("%-40s %d commands, %4d characters -> %d commands, %3d characters  %s" % row[:6])
    if given.report:
        write_report(given.report, rows, "`make fifteen-test`, on a fleet of four hosts" if given.fleet else "`script/with-services test/cli/fifteen_tasks.py`, on a real node without hosts")
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
