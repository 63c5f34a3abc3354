#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The console in Debian's Chromium, against a node: test/console/console_test.py [--all] [PART…], within script/with-services.

Without --all: the walk through all screens, all forms, and the screens of operators. With it also what takes minutes: every role against the service, ten tabs and a killed node, figures
with 1,000 clusters and 10,000 events, and ten tasks with a picture of every step.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "api"))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import node_packages  # noqa: E402
import operator_fleet  # noqa: E402
from authenticator import Passkey  # noqa: E402
from relay import Relay  # noqa: E402
from session_test import Browser  # noqa: E402
from world import World, catalog, connect, forms_of, make_fleet, name_members, no_limits, reeved, sql, start_node, tell_nodes  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("REEVE_BUILD", "build"))
CLUSTER = {"name": "orders", "clusterType": "REPLICASET", "replicationSpecs": [{"regionConfigs": [{
    "providerName": "ONPREM", "regionName": "EU_NORTH", "priority": 7, "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]}


class Place:
    """A node that serves the console, a world in it, and people who are signed in."""

    def __init__(self, node, settings, report):
        self.node, self.settings, self.report = node, settings, report
        self.world = World(node, with_roles=False)
        make_fleet()
        no_limits([self.world.a.home])
        self.count = 0

    def cookie_of(self, name, at=None, origin=None):
        node = at or self.node
        browser = Browser(node)
        browser.origin = origin or node.base_url
        answer = browser.enrol(reeved("enrol", name, "--config", node.conf).strip(), Passkey(browser.origin))
        if answer.status != 200:
            raise AssertionError("%s cannot sign in: %r" % (name, answer))
        return browser.cookie

    def person(self, role="ORG_OWNER", **where):
        """The cookie of somebody new who has this role, and the least that one needs to be there at all."""
        self.count += 1
        name = "person%d@example.org" % self.count
        is_project = role.startswith("GROUP_")
        person = self.world.make_person(name, self.world.a.home, "ORG_MEMBER" if is_project else role)
        if is_project:
            sql("INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), '%s')"
                % (person, self.world.a.home, self.world.p, role))
        tell_nodes()
        return self.cookie_of(name, **where)

    def words(self, **more):
        return {"base": self.node.base_url, "project": self.world.p, "organization": self.world.a.home, "pictures": self.report, **more}

    def has_cluster(self):
        """A cluster called orders in the first project."""
        if sql("SELECT count(*) FROM cluster WHERE project_id = decode('%s', 'hex') AND name = 'orders'" % self.world.p) == "0":
            self.world.must(201, "POST", "/groups/%s/clusters" % self.world.p, self.world.a.bearer(), CLUSTER)

    def targets(self):
        """Every operation with an address that is in the world as far as its organization and project go."""
        known = {"groupId": self.world.p, "orgId": self.world.a.home, "federationSettingsId": self.world.federation[self.world.a.home]}
        for row in catalog():
            values = {**forms_of(row), **known}
            target = re.sub(r"\{(\w+)\}", lambda found: values.get(found.group(1), "6" * 24), row["path"])
            yield {"operation": row["operation"], "method": row["method"], "target": target, "isList": row["bodyIsList"], **({"example": row["example"]} if "example" in row else {})}


def run(part, words, acts=None, where=()):
    """(passed, failed) of one part; its lines are printed. A line "@name value" asks for an act of ours, whose result it gets. `where`: what begins its command line."""
    count = (0, 1)
    # Too long for the command line of some: a file.
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file, subprocess.Popen(
            [*where, "node", os.path.join(HERE, part + ".mjs"), file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        json.dump(words, file)
        file.flush()
        for line in program.stdout:
            if line.startswith("@"):
                name, _, value = line[1:].strip().partition(" ")
                program.stdin.write(json.dumps((acts or {})[name](value)) + "\n")
                program.stdin.flush()
            elif said := re.fullmatch(r"(\d+) passed, (\d+) failed\n", line):
                count = int(said.group(1)), int(said.group(2))
            else:
                print("%s: %s" % (part, line.rstrip("\n")), flush=True)
    print("%s: %d passed, %d failed" % (part, *count), flush=True)
    return count


# ---- The parts ----
def walk(place):
    place.world.make_person("ada@example.org", place.world.a.home, "ORG_OWNER")
    return run("walk", place.words(token=reeved("enrol", "ada@example.org", "--config", place.node.conf).strip()), {"commands": unknown_commands})


def unknown_commands(text):
    """Of the lines that screens show, those that the program does not know."""
    def is_known(line):
        return subprocess.run([os.path.join(BUILD, "reeve"), *shlex.split(line)[1:], "--help"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    return [line for line in json.loads(text) if not is_known(line)]


def forms(place):
    return run("forms", place.words(cookie=place.person(), operations=list(place.targets())))


def roles(place):
    place.has_cluster()
    people = [{"role": role, "cookie": place.person(role)} for role in place.only_roles or place.world.roles]
    return run("roles", place.words(people=people, operations=list(place.targets())))


def tabs(place):
    """Two nodes behind one address; the first is killed."""
    relay = Relay()
    settings = {**place.settings, "base_url": relay.base_url}
    with start_node(settings=settings) as first, start_node(settings=settings) as second:
        relay.nodes = [first, second]
        owner, path = place.world.a.bearer(), "/api/svc/v2/groups/%s/databaseUsers" % place.world.p

        def open_requests(_):
            text = [node.operator("/metrics")[1] for node in (first, second) if node.process.poll() is None]
            return sum(int(float(re.search(r"^reeve_requests_open ([0-9.]+)$", one if isinstance(one, str) else one.decode(), re.M).group(1))) for one in text)

        def make(name):
            body = {"username": name, "password": "correct horse battery", "roles": [{"roleName": "readAnyDatabase", "databaseName": "admin"}]}
            return connect(second).ask("POST", path, owner, body).status

        def kill(_):
            relay.nodes = []
            first.kill()
            return 0

        def again(_):
            relay.nodes = [second]
            return 0
        cookie = place.person(at=first, origin=relay.base_url)
        result = run("tabs", {**place.words(cookie=cookie), "base": relay.base_url}, {"open": open_requests, "make": make, "kill": kill, "again": again})
    relay.close()
    return result


# A project with as many clusters as a large tenant has, and as much that happened: copies of one of each that was made through the API.
MANY = """
INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version)
    SELECT decode('6d' || lpad(to_hex(n), 22, '0'), 'hex'), c.org_id, c.project_id, c.name || '-' || n, 'm' || lpad(to_hex(n), 5, '0'), c.major_version
    FROM cluster c, generate_series(1, 999) n WHERE c.project_id = decode('{project}', 'hex') AND c.name = 'orders';
INSERT INTO resource (scope, kind, id, name, org_id, document, state, generation, observed_generation)
    SELECT c.project_id, 'cluster', c.id, c.name, c.org_id, r.document, CASE WHEN get_byte(c.id, 11) % 50 = 0 THEN 'UPDATING' ELSE 'IDLE' END, 1, 1
    FROM cluster c JOIN resource r ON r.scope = c.project_id AND r.name = 'orders' AND r.kind = 'cluster' WHERE c.project_id = decode('{project}', 'hex') AND c.name LIKE 'orders-%';
INSERT INTO event (org_id, seq, id, project_id, project_seq, type, created_at, document, hash)
    SELECT e.org_id, h.seq + n, decode('6e' || lpad(to_hex(n), 22, '0'), 'hex'), e.project_id, p.seq + n, e.type, now() - (10000 - n) * interval '1 second',
           replace(e.document, encode(e.id, 'hex'), '6e' || lpad(to_hex(n), 22, '0')), e.hash
    FROM event e JOIN event_chain h ON h.org_id = e.org_id JOIN event_count_of_project p ON p.project_id = e.project_id, generate_series(1, 10000) n
    WHERE e.project_id = decode('{project}', 'hex') AND e.type = 'CLUSTER_CREATED';
UPDATE event_chain SET seq = seq + 10000 WHERE org_id = decode('{org}', 'hex');
UPDATE event_count_of_project SET seq = seq + 10000 WHERE project_id = decode('{project}', 'hex');
"""


def figures(place):
    many = place.world.make_project(place.world.a, "many")
    place.world.must(201, "POST", "/groups/%s/clusters" % many, place.world.a.bearer(), CLUSTER)
    sql(MANY.replace("{project}", many).replace("{org}", place.world.a.home))
    place.has_cluster()

    def report(text):
        load = os.getloadavg()
        with open(os.path.join(place.report, "figures.md"), "w", encoding="utf-8") as file:
            file.write("# How long people wait at the console\n\nMeasured with `script/with-services test/console/console_test.py figures` (part of `make console-test`): Debian's Chromium without a graphics card, "
                       "browser, node and PostgreSQL on one machine with %d processors. Load average meanwhile: %.1f; whatever else ran there is in the figures.\n\n"
                       "First load: %s.\n\n| | measured | wanted |\n|---|---|---|\n" % (os.cpu_count(), load[0], place.first_load))
            file.writelines("| %s | %s | %s |\n" % tuple(row) for row in json.loads(text))
        return 0
    return run("figures", place.words(cookie=place.person(), many=many), {"report": report})


def tasks(place):
    """A cluster that has members, an address and backups, as if hosts had reported them; one operation waits."""
    place.has_cluster()
    name_members(place.world.p, "orders")
    World.make_backups(place.world.a.home, place.world.p, "orders")
    sql("UPDATE resource SET state = 'IDLE', observed_generation = generation WHERE scope = decode('%s', 'hex') AND kind = 'cluster' AND name = 'orders'" % place.world.p)

    def report(text):
        lines = ["# Ten tasks of somebody who has never seen the console", "",
                 "Done by `script/with-services test/console/console_test.py tasks` (part of `make console-test`) in Debian's Chromium. Each begins at the list of projects, signed in. A choice from "
                 "a list counts as two clicks. The cluster's hosts are rows of the database here, so nothing is ever finished, and its logs answer that the host is silent.", ""]
        for task in json.loads(text):
            lines += ["## %d. %s" % (task["number"], task["sentence"]), "", "%d clicks, %d keys." % (task["clicks"], task["keys"]), ""]
            lines += ["%d. %s: [picture](tasks/%s)" % (number + 1, step["sentence"], step["file"]) for number, step in enumerate(task["steps"])] + [""]
        with open(os.path.join(place.report, "tasks.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        return 0
    return run("tasks", place.words(cookie=place.person()), {"report": report})


def operators(place):
    """A node with an operators' address that has TLS, and a fleet of 1,000 clusters on hosts that are rows of the database."""
    settings = {**place.settings, "operator_certificate": place.node.ca, "operator_certificate_key": place.node.certificate_key}
    os.chmod(place.node.certificate_key, 0o600)
    with operator_fleet.Fleet() as fleet, start_node(settings=settings) as node:
        node.run("operator", "add", "grace")
        name = "ada"
        node.run("operator", "add", name)
        tenant = place.person(at=node, origin=node.base_url)

        def report(text):
            with open(os.path.join(place.report, "operator-figures.md"), "w", encoding="utf-8") as file:
                file.write("# How long operators wait at their console\n\nMeasured by `test/console/console_test.py operators` with 1,000 clusters: Debian's Chromium, node and PostgreSQL on one machine with %d processors, "
                           "load average %.1f.\n\nFirst load: %s.\n\n| | measured | wanted |\n|---|---|---|\n" % (os.cpu_count(), os.getloadavg()[0], place.first_load))
                file.writelines("| %s | %s | %s |\n" % tuple(row) for row in json.loads(text))
            return 0
        words = {"base": "https://localhost:%d" % node.operator_port, "tenants": node.base_url, "tenantCookie": tenant, "pictures": os.path.join(place.report, "operators"),
                 "token": node.run("enrol", "--operator", name).stdout.strip(), "failed": operator_fleet.FAILED_JOB, "isMeasured": place.is_measured}
        return run("operators", words, {"commands": unknown_commands, "sql": lambda text: sql(json.loads(text)), "silence": fleet.silence, "empty": fleet.empty, "report": report})


PARTS = {"walk": walk, "forms": forms, "roles": roles, "tabs": tabs, "figures": figures, "tasks": tasks, "operators": operators}
SHORT = ("walk", "forms", "operators")


def build():
    """The static files, and what the parts need from npm; how much the first load is."""
    built = subprocess.run([os.path.join(ROOT, "script", "build-console"), "--reeved", os.path.join(BUILD, "reeved"), "--out", os.path.join(BUILD, "console")],
                           stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    node_packages.install(HERE)
    return built.split(": first load ")[-1].replace(" compressed", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--report", metavar="FOLDER", default=os.path.join(BUILD, "console-report"), help="where pictures and figures go")
    parser.add_argument("--role", action="append", help="of the part roles: only these")
    parser.add_argument("parts", nargs="*")
    chosen = parser.parse_args()
    first_load = build()
    os.makedirs(chosen.report, exist_ok=True)
    settings = {"console_dir": os.path.join(BUILD, "console")}
    parts = {name: part for name, part in PARTS.items() if name in (chosen.parts or (PARTS if chosen.all else SHORT))}
    passed = failed = 0
    with start_node(settings=settings) as node:
        place = Place(node, settings, os.path.abspath(chosen.report))
        place.only_roles = chosen.role
        place.is_measured = chosen.all
        place.first_load = first_load + " compressed"
        for part in parts.values():
            good, bad = part(place)
            passed, failed = passed + good, failed + bad
    print("console: %d checks, %d failed, first load %s" % (passed + failed, failed, first_load))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
