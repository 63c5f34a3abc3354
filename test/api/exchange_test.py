# SPDX-License-Identifier: Apache-2.0
"""Runs the exchanges in exchanges/*.txt against a node, each file in a new organization of its own, and a few tests that
one exchange after the other cannot express. Every answer is also held against the OpenAPI document.

An exchange is written as curl -v shows it:

    @ what is shown
    > PATCH /api/svc/v2/groups/{{project}}          the request: line, headers, an empty line, the body
    > Authorization: owner
    >
    > {"name": "storefront-eu"}
    < 200                                           the answer: status, the headers that matter
    < ETag: <save etag>
    <
    < {"id": "{{project}}", "name": "storefront-eu", "<more>": "<any>"}

{{name}} is replaced by a value: base, org, orgName, federation, ownerId, other (an organization of somebody else), otherProject,
absent (an identifier of nothing), ada and grace (people of the organization: ada@example.org, grace@example.org), and everything
that was saved. Authorization is one of the callers: owner, owner-key (the same
by Digest), owner-md5, reader (ORG_READ_ONLY), member (ORG_MEMBER), stranger (owner of the other organization); anything else goes
out as it is.

In an expected answer <any>, <id>, <date>, <integer>, <text> stand for values of that kind, <save name> for any value, which is kept
under that name, <invitation name> for the id of an invitation (its token, which the operator hands over, is kept as nameToken), and <none> for a header that must not be there. A key <more> allows further fields, an item <more> further items.
An exchange that begins with "@ soon:" is repeated for up to five seconds: what ends a caller's rights takes effect on every
node within that time. One that begins with "@ later:" is repeated while a worker runs, for up to thirty seconds: until what jobs do is done.
<nothing> is an empty body. A body that begins with | is compared byte for byte, line by line.
"""
import contextlib
import glob
import json
import os
import re
import subprocess
import sys
import threading
import time

from client import Bearer, wait_until
from exchange_billing import BILLING, seed_usage
from exchange_federation import prepare_federation
from exchange_policies import POLICY_WAYS
from exchange_people import SEEN_BY_OTHERS
from exchange_provider import prepare_roles
from measurements import MonitorStore, seed, seed_now
from suite import Contract, Suite, ends_on_signal
from world import PREFIX, Bystander, World, catalog, connect, invitation_token, new_id, no_limits, row_hashes, changed_tables, sql, start_node, tell_nodes

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {
    "<any>": lambda value: True,
    "<id>": lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{24}", value),
    "<date>": lambda value: isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value),
    "<integer>": lambda value: (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, str) and value.isdigit()),
    "<text>": lambda value: isinstance(value, str) and value,
}

PATIENCE = {"soon": 5, "later": 30}  # seconds, by the first word of an exchange's title


# ---- Reading a file ----
class Exchange:
    def __init__(self, title, line):
        self.title, self.line = title, line
        self.request, self.answer = [], []

    def parts(self, lines):
        """First line, headers, body (None without an empty line)."""
        if "" in lines:
            end = lines.index("")
            return lines[0], lines[1:end], "\n".join(lines[end + 1:])
        return lines[0], lines[1:], None


def read_exchanges(path):
    exchanges = []
    with open(path, encoding="utf-8") as file:
        for number, raw in enumerate(file, 1):
            line = raw.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("@ "):
                exchanges.append(Exchange(line[2:], number))
            elif line.startswith(">"):
                exchanges[-1].request.append(line[2:])
            elif line.startswith("<"):
                exchanges[-1].answer.append(line[2:])
            else:
                raise SystemExit("%s:%d: a line begins with #, @, > or <" % (path, number))
    for exchange in exchanges:
        if not exchange.request or not exchange.answer:
            raise SystemExit("%s:%d: an exchange has a request and an answer" % (path, exchange.line))
    return exchanges


# ---- Comparing ----
class Values(dict):
    config = None  # of the node, for the operator's commands

    def fill(self, text):
        def value(match):
            if match.group(1) not in self:
                raise KeyError("nothing was saved as %s" % match.group(1))
            return str(self[match.group(1)])
        return re.sub(r"\{\{(\w+)\}\}", value, text)

    def matches(self, wanted, got, where, problems):
        if isinstance(wanted, str):
            saved = re.fullmatch(r"<(save|invitation) (\w+)>", wanted)
            if saved:
                self[saved.group(2)] = got
                if saved.group(1) == "invitation":
                    self[saved.group(2) + "Token"] = invitation_token(self.config, got)
            elif wanted in KINDS:
                if not KINDS[wanted](got):
                    problems.append("%s is %r, not %s" % (where, got, wanted))
            elif self.fill(wanted) != got:
                problems.append("%s is %r, not %r" % (where, got, self.fill(wanted)))
        elif isinstance(wanted, dict) and isinstance(got, dict):
            for key in set(got) - set(wanted):
                if "<more>" not in wanted:
                    problems.append("%s has %s, which was not expected" % (where, key))
            for key in wanted:
                if key != "<more>" and key not in got:
                    problems.append("%s has no %s" % (where, key))
                elif key != "<more>":
                    self.matches(wanted[key], got[key], where + "." + key, problems)
        elif isinstance(wanted, list) and isinstance(got, list):
            more = bool(wanted) and wanted[-1] == "<more>"
            wanted = wanted[:-1] if more else wanted
            if len(got) < len(wanted) or (len(got) > len(wanted) and not more):
                problems.append("%s has %d items, not %d" % (where, len(got), len(wanted)))
            for number, (one, other) in enumerate(zip(wanted, got)):
                self.matches(one, other, "%s[%d]" % (where, number), problems)
        elif wanted != got or isinstance(wanted, bool) != isinstance(got, bool):
            problems.append("%s is %r, not %r" % (where, got, wanted))


@contextlib.contextmanager
def worker(node):
    """`reeved worker` beside the node, for as long as it is needed."""
    process = subprocess.Popen([node.reeved, "worker", "--config", node.conf], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


class Runner:
    def __init__(self, suite, world, node, store):
        self.suite, self.world, self.node, self.store = suite, world, node, store
        self.contract = Contract()
        self.connection = connect(node)
        self.count, self.left = 0, []
        self.answered = None  # what was answered last

    def actors(self, number):
        """A new organization with an owner, a reader and a member; all without limits."""
        name = "Exchange %d %s" % (number, os.urandom(3).hex())
        owner = self.world.make_caller(name)
        reader, member = self.world.make_caller(name + " r"), self.world.make_caller(name + " m")
        sql("BEGIN; %s %s COMMIT;" % (self.world.grant_only(reader, owner.home, None, "ORG_READ_ONLY"),
                                      self.world.grant_only(member, owner.home, None, "ORG_MEMBER")))
        no_limits([owner.home, reader.home, member.home])
        values = Values(
            base=self.node.base_url + PREFIX, root=self.node.base_url, org=owner.home, orgName=name, other=self.world.b.home,
            otherProject=self.world.q, absent=new_id(), account=owner.account, key=owner.key, publicKey=owner.public_key,
            clientId=owner.client_id, clientSecret=owner.client_secret, token=owner.token, ownerId=self.person(),
            federation=sql("SELECT encode(federation_id, 'hex') FROM organization WHERE id = decode('%s', 'hex')" % owner.home))
        callers = {"owner": Bearer(owner.token), "owner-key": owner.digest(), "owner-md5": owner.digest("MD5"),
                   "reader": Bearer(reader.token), "member": Bearer(member.token), "stranger": Bearer(self.world.b.token)}
        return values, callers

    @staticmethod
    def person():
        return sql("SELECT encode(n.id, 'hex') FROM person n JOIN role_grant g ON g.principal_id = n.id AND g.role = 'ORG_OWNER' LIMIT 1")

    def run_file(self, path, number):
        values, callers = self.actors(number)
        name = os.path.basename(path)
        if name == "teams.txt":  # two people of the organization, to be put into teams
            values.update({who: self.world.make_person(who + "@example.org", values["org"]) for who in ("ada", "grace")})
        if name == "organizations.txt":
            values["colleague"] = self.world.make_person("colleague@example.org", values["org"])
        if name in ("provider-roles.txt", "log-export.txt"):
            prepare_roles(self.world, values, callers["owner"])
        if name == "billing.txt":
            values.update(seed_usage(values["org"]))
        if name == "federation.txt":
            values.update(prepare_federation(self.world, values))
        if name in ("backups.txt", "drills.txt", "exports.txt"):  # what a repository host would have reported
            for project in ("project", "vault"):
                values[project] = self.world.must(201, "POST", "/groups", callers["owner"], {"name": project, "orgId": values["org"]}).json()["id"]
            for project, cluster in (("project", "orders"), ("project", "plain"), ("vault", "ledger")):
                self.world.must(201, "POST", "/groups/%s/clusters" % values[project], callers["owner"], {"name": cluster, "replicationSpecs": [{"regionConfigs": [
                    {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]})
            # One of them has been made, so that something can be restored into it.
            sql("UPDATE job SET state = 'DONE', finished_at = now() WHERE subject IN (SELECT id FROM cluster WHERE name = 'plain' AND project_id = decode('%s', 'hex'))" % values["project"])
            sql("UPDATE resource SET state = 'IDLE', observed_generation = generation WHERE kind = 'cluster' AND name = 'plain' AND scope = decode('%s', 'hex')" % values["project"])
            values["taken"] = self.world.make_backups(values["org"], values["project"], "orders")
            values["kept"] = self.world.make_backups(values["org"], values["vault"], "ledger")
        if name in ("monitor.txt", "table-statistics.txt"):
            values["project"] = self.world.must(201, "POST", "/groups", callers["owner"], {"name": "project", "orgId": values["org"]}).json()["id"]
            self.world.must(201, "POST", "/groups/%s/clusters" % values["project"], callers["owner"], {"name": "orders", "replicationSpecs": [{"regionConfigs": [
                {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]})
            values.update(seed(self.store, values["project"], "orders"))
        if name == "extensions.txt":
            values["project"] = self.world.must(201, "POST", "/groups", callers["owner"], {"name": "extended", "orgId": values["org"]}).json()["id"]
            self.world.must(201, "POST", "/groups/%s/clusters" % values["project"], callers["owner"], {"name": "orders", "replicationSpecs": [{"regionConfigs": [
                {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]})
        if name == "advisor.txt":  # what a member would have reported
            values["project"] = self.world.must(201, "POST", "/groups", callers["owner"], {"name": "advised", "orgId": values["org"]}).json()["id"]
            self.world.must(201, "POST", "/groups/%s/clusters" % values["project"], callers["owner"], {"name": "orders", "replicationSpecs": [{"regionConfigs": [
                {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]})
            sql("INSERT INTO query_shape (cluster_id, project_id, hash, database, text, command, namespace, first_seen, last_seen) SELECT id, project_id, 'A1B2C3D4E5F60718', 'shop', "
                "'SELECT * FROM orders WHERE customer = ?', 'SELECT', 'shop.orders', now(), now() FROM cluster WHERE name = 'orders' AND project_id = decode('%s', 'hex')" % values["project"])
        if name == "logs.txt":  # a cluster with a member, whose host answers nobody
            values["project"] = self.world.must(201, "POST", "/groups", callers["owner"], {"name": "logs", "orgId": values["org"]}).json()["id"]
            for cluster in ("orders", "empty"):
                self.world.must(201, "POST", "/groups/%s/clusters" % values["project"], callers["owner"], {"name": cluster, "replicationSpecs": [{"regionConfigs": [
                    {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]})
            values["host"] = self.world.make_silent_member(values["project"], "orders")
        if name == "operations.txt":  # workers do what these stand for; here is only how it is shown
            project = values["project"] = new_id()
            sql("INSERT INTO project (id, org_id, name) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), '%s')" % (project, values["org"], project))
            add = lambda **columns: self.world.make_operation(values["org"], project, **columns)
            values.update(queued=add(state="QUEUED", step="place"), failed=add(cluster="billing", state="FAILED", done=("place",), waits_for="No host has room."),
                          done=add(state="DONE", done=("place", "start", "wait-primary", "publish"), step="publish"),
                          waiting=add(done=("place", "start"), waits_for="The primary does not answer yet."))
        for exchange in read_exchanges(path):
            where = "%s:%d (%s)" % (name, exchange.line, exchange.title)
            try:
                with worker(self.node) if exchange.title.startswith("later:") else contextlib.nullcontext():
                    problems = self.repeat_exchange(exchange, values, callers)
            except Exception as why:
                problems = ["%r" % why]
            self.count += 1
            self.suite.check(not problems, "%s: %s" % (where, "; ".join(problems)))
        self.left.append(Bystander(name, values["org"]))

    def check_bystanders(self):
        """What the files left behind is the same after all the others: the same names in organizations of their own."""
        for one in self.left:
            self.suite.equal(one.changed(), [], "tables in which others changed what %s had made" % one.name)

    def repeat_exchange(self, exchange, values, callers):
        until = time.monotonic() + PATIENCE.get(exchange.title.partition(":")[0], 0)
        problems = self.run_exchange(exchange, values, callers)
        while problems and time.monotonic() < until:
            time.sleep(0.05)
            problems = self.run_exchange(exchange, values, callers)
        return problems

    def run_exchange(self, exchange, values, callers):
        line, header_lines, body = exchange.parts([values.fill(one) for one in exchange.request])
        method, target = line.split(" ", 1)
        auth, headers = None, []
        for header in header_lines:
            name, _, value = header.partition(":")
            if name.lower() == "authorization" and value.strip() in callers:
                auth = callers[value.strip()]
            else:
                headers.append((name, value.strip()))
        answer = self.answered = self.connection.ask(method, target, auth, None if body is None else body.encode(), headers, accept=None)
        status, wanted_headers, wanted = exchange.parts(exchange.answer)
        problems = []
        if answer.status != int(status.split()[0]):
            problems.append("the status is %d: %r" % (answer.status, answer.body[:500]))
        for header in wanted_headers:
            name, _, value = header.partition(":")
            self.check_header(answer, name.strip().lower(), values.fill(value.strip()), values, problems)
        if wanted is not None and not problems:
            self.check_body(answer, wanted, values, problems)
        return problems + self.contract.problems(answer)

    @staticmethod
    def check_header(answer, name, wanted, values, problems):
        got = answer.headers.get(name)
        if wanted == "<none>":
            if got is not None:
                problems.append("%s is %r, and should not be there" % (name, got))
        elif got is None:
            problems.append("there is no %s" % name)
        else:
            values.matches(wanted, got, name, problems)

    @staticmethod
    def check_body(answer, wanted, values, problems):
        if wanted.strip() == "<nothing>":
            if answer.body:
                problems.append("there is a body: %r" % answer.body[:200])
            return
        if wanted.startswith("|"):
            lines = "\n".join(line[1:] for line in values.fill(wanted).split("\n"))
            if answer.body.decode() != lines:
                problems.append("the body is %r, not %r" % (answer.body.decode(), lines))
            return
        try:
            got = json.loads(answer.body)
        except ValueError:
            problems.append("the body is no JSON: %r" % answer.body[:200])
            return
        values.matches(json.loads(wanted), got, "body", problems)


# ---- What exchanges cannot show ----
class Lock:
    """Holds rows back from everybody else by a lock of the database, until it is released."""

    def __init__(self, text):
        self.process = subprocess.Popen(["psql", "-X", "-q", "-At", "-d", os.environ["REEVE_TEST_SUPER_DSN"]], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdin.write("BEGIN;\n%s;\nSELECT 'locked';\n" % text)
        self.process.stdin.flush()
        while self.process.stdout.readline().strip() != "locked":
            pass

    def release(self):
        if self.process.poll() is None:
            self.process.stdin.write("ROLLBACK;\n")
            self.process.stdin.close()
            self.process.wait()


def test_key_in_flight(suite, runner, world, node):
    """While the first request with a key is under way, the second is told to wait; afterwards it gets the first one's answer."""
    body, headers = {"name": "in flight", "orgId": world.a.home}, {"Idempotency-Key": "in-flight"}
    lock = Lock("LOCK TABLE project IN SHARE ROW EXCLUSIVE MODE")
    answers = []

    def first():
        with connect(node) as connection:
            answers.append(connection.ask("POST", PREFIX + "/groups", world.a.bearer(), body, headers))
    thread = threading.Thread(target=first)
    thread.start()
    try:
        wait_until(lambda: sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%project%'") != "0", 10)
        second = runner.connection.ask("POST", PREFIX + "/groups", world.a.bearer(), body, headers)
        suite.equal((second.status, second.code()), (409, "IDEMPOTENCY_KEY_IN_FLIGHT"), "a second request with a key in flight")
        suite.check(second.headers.get("retry-after", "").isdigit(), "409 in flight without Retry-After")
        suite.check(not runner.contract.problems(second), "409 in flight is not as documented")
        other = runner.connection.ask("POST", PREFIX + "/groups", world.b.bearer(), {"name": "in flight", "orgId": world.b.home, "tags": 1}, headers)
        suite.equal(other.status, 400, "the same key of another caller")
    finally:
        lock.release()
        thread.join()
    suite.equal(answers[0].status, 201, "the first request with the key")
    third = runner.connection.ask("POST", PREFIX + "/groups", world.a.bearer(), body, headers)
    suite.equal((third.status, third.json()["id"], third.headers.get("idempotency-replayed")), (201, answers[0].json()["id"], "true"),
                "the third request with the key")
    suite.equal(sql("SELECT count(*) FROM project WHERE name = 'in flight'"), "1", "projects of that name")


def test_same_key_at_once(suite, runner, world, node):
    """Many equal requests with one key at the same moment have one effect and one answer."""
    results = []

    def send():
        with connect(node) as connection:
            for _ in range(200):
                answer = connection.ask("POST", PREFIX + "/groups", world.a.bearer(), {"name": "at once", "orgId": world.a.home},
                                        {"Idempotency-Key": "at-once"})
                if answer.status != 409:
                    results.append((answer.status, answer.json().get("id")))
                    return
                time.sleep(0.02)
    threads = [threading.Thread(target=send) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    suite.equal(len(results), 12, "requests that got an answer")
    suite.equal(len(set(results)), 1, "different answers to equal requests with one key: %s" % set(results))
    suite.equal(sql("SELECT count(*) FROM project WHERE name = 'at once'"), "1", "projects of that name")


def test_same_name_at_once(suite, runner, world, node):
    """Many creates of one name without a key: one is created, the others are told that the name is taken."""
    statuses = []

    def send():
        with connect(node) as connection:
            statuses.append(connection.ask("POST", PREFIX + "/groups", world.a.bearer(), {"name": "only one", "orgId": world.a.home}).status)
    threads = [threading.Thread(target=send) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    suite.equal(sorted(statuses), [201] + [409] * 11, "creates of one name at once")


def test_if_match_at_once(suite, runner, world, node):
    """Many changes with the same ETag: exactly one is made."""
    etag = runner.connection.ask("GET", PREFIX + "/groups/" + world.p2, world.a.bearer()).headers["etag"]
    statuses = []

    def send(number):
        with connect(node) as connection:
            statuses.append(connection.ask("PATCH", PREFIX + "/groups/" + world.p2, world.a.bearer(),
                                           {"tags": [{"key": "n", "value": str(number)}]}, {"If-Match": etag}).status)
    threads = [threading.Thread(target=send, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    suite.equal(sorted(statuses), [200] + [412] * 11, "changes with one ETag at once")


def at_once(send, items):
    threads = [threading.Thread(target=send, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def make_team(runner, world, name, usernames=()):
    answer = runner.connection.ask("POST", "%s/orgs/%s/teams" % (PREFIX, world.a.home), world.a.bearer(),
                                   {"name": name, "usernames": list(usernames)})
    assert answer.status == 200, answer
    return answer.json()["id"]


def test_team_at_once(suite, runner, world, node):
    """Many callers add different members and different roles to one team at the same moment: all stay, with one event each; and
    many who do the same thing do it once."""
    team = make_team(runner, world, "at once")
    people = [world.make_person("at-once-%d@example.org" % number, world.a.home) for number in range(12)]
    granted = ["GROUP_READ_ONLY", "GROUP_INDEX_MANAGER", "GROUP_BACKUP_MANAGER", "GROUP_ACCESS_MANAGER", "GROUP_ALERTS_MANAGER", "GROUP_OWNER"]
    statuses, members, roles = [], events_of(world.a.home, "TEAM_MEMBER_ADDED"), events_of(world.a.home, "TEAM_ADDED_TO_GROUP")

    def add_member(person):
        with connect(node) as connection:
            statuses.append(connection.ask("POST", "%s/orgs/%s/teams/%s:addUser" % (PREFIX, world.a.home, team), world.a.bearer(),
                                           {"id": person}).status)

    def add_role(role):
        with connect(node) as connection:
            statuses.append(connection.ask("POST", "%s/groups/%s/teams" % (PREFIX, world.p), world.a.bearer(),
                                           [{"teamId": team, "roleNames": [role]}]).status)
    at_once(add_member, people + people[:3])
    at_once(add_role, granted + granted[:3])
    suite.equal(statuses, [200] * 24, "additions to one team at once")
    listed = runner.connection.ask("GET", "%s/orgs/%s/teams/%s/users" % (PREFIX, world.a.home, team), world.a.bearer()).json()
    suite.equal(sorted(one["id"] for one in listed["results"]), sorted(people), "members added at once")
    held = runner.connection.ask("GET", "%s/groups/%s/teams/%s" % (PREFIX, world.p, team), world.a.bearer()).json()
    suite.equal(sorted(held["roleNames"]), sorted(granted), "roles added at once")
    suite.equal(events_of(world.a.home, "TEAM_MEMBER_ADDED") - members, len(people), "events of members added at once")
    suite.equal(events_of(world.a.home, "TEAM_ADDED_TO_GROUP") - roles, len(granted), "events of roles added at once")


def test_teams_crossed(suite, runner, world, node):
    """Requests that name the same teams in different orders do not stand in each other's way."""
    teams, statuses = [make_team(runner, world, "crossed %d" % number) for number in range(6)], []

    def add(number):
        order = teams if number % 2 else teams[::-1]
        with connect(node) as connection:
            for role in ("GROUP_READ_ONLY", "GROUP_INDEX_MANAGER", "GROUP_ALERTS_MANAGER"):
                statuses.append(connection.ask("POST", "%s/groups/%s/teams" % (PREFIX, world.p2), world.a.bearer(),
                                               [{"teamId": team, "roleNames": [role]} for team in order]).status)
    at_once(add, range(8))
    suite.equal(statuses, [200] * 24, "additions of the same teams in different orders")


def test_team_bounds(suite, runner, world, node):
    """No organization has more than 250 teams, no team more than 250 members, also when the last places are taken at once."""
    owner, statuses = world.make_caller("many teams"), []
    no_limits([owner.home])
    place = "%s/orgs/%s/teams" % (PREFIX, owner.home)
    team = runner.connection.ask("POST", place, owner.bearer(), {"name": "full", "usernames": []}).json()["id"]
    sql("INSERT INTO team (id, org_id, name) SELECT decode(lpad(to_hex(n), 8, '0') || right('%s', 16), 'hex'), decode('%s', 'hex'), 't' || n "
        "FROM generate_series(1, 247) n" % (owner.home, owner.home))
    people = [world.make_person("many-%d@example.org" % number, owner.home) for number in range(4)]
    sql("WITH made AS (INSERT INTO principal (id, kind) SELECT decode(lpad(to_hex(n), 8, '0') || right('%s', 16), 'hex'), 'person' "
        "FROM generate_series(1, 248) n RETURNING id), named AS (INSERT INTO person (id, username, first_name, last_name) "
        "SELECT id, encode(id, 'hex'), 'f', 'l' FROM made RETURNING id) INSERT INTO role_grant (principal_id, org_id, role) "
        "SELECT id, decode('%s', 'hex'), 'ORG_MEMBER' FROM named" % (new_id(), owner.home))
    sql("INSERT INTO team_member (team_id, org_id, person_id) SELECT decode('%s', 'hex'), org_id, principal_id FROM role_grant g JOIN person n "
        "ON n.id = g.principal_id WHERE org_id = decode('%s', 'hex') AND n.username !~ '^many'" % (team, owner.home))

    def create(number):
        with connect(node) as connection:
            answer = connection.ask("POST", place, owner.bearer(), {"name": "one more %d" % number, "usernames": []})
            statuses.append((answer.status, answer.code()))

    def add(person):
        with connect(node) as connection:
            answer = connection.ask("POST", "%s/%s:addUser" % (place, team), owner.bearer(), {"id": person})
            statuses.append((answer.status, answer.code()))
    at_once(create, range(4))
    suite.equal(sorted(statuses, key=str), [(200, None)] * 2 + [(409, "TOO_MANY_TEAMS")] * 2, "teams beyond the bound")
    statuses.clear()
    at_once(add, people)
    suite.equal(sorted(statuses, key=str), [(200, None)] * 2 + [(409, "TOO_MANY_TEAM_MEMBERS")] * 2, "members beyond the bound")


# GET operations that links do not lead to, and why.
NOT_LINKED = {
    "a shape is known by its hash, which insights name": {
        "getGroupClusterQueryShape", "getGroupClusterQueryShapeInsightDetails"},
    "read at the host of a member, which is slow, and answers nobody when it is lost": {"downloadGroupClusterLog", "getGroupDbAccessHistoryCluster", "getGroupDbAccessHistoryProcess"},
    "by name, what is also found by its id": {"getProjectByName", "getOrgTeamByName", "getUserByName"},
    "refused by design, so there is none": {"getPeer", "getGroupPrivateEndpointEndpointService",
                                            "getGroupPrivateEndpointEndpointServiceEndpoint"},
    "in a list of each provider inside of one answer": {"getGroupCloudProviderAccess"},
    "not every project has a policy for its backups": {"getGroupBackupCompliancePolicy"},
    "measurements, which need a granularity and a period": {"getGroupProcessMeasurements", "getGroupProcessDatabaseMeasurements", "getGroupProcessDiskMeasurements"},
    "of a table, or of a view of a cluster, which the path has to name": {
        "getGroupClusterCollStatNamespaces", "listGroupClusterCollStatMeasurements", "listGroupProcessCollStatMeasurements"},
    "what one request asked for, and only its answer names": {"getGroupUserSecurityLdapVerify", "getOrgBillingCostExplorerUsage"},
}


def test_crawl(suite, runner, world):
    """D5: from the root, following links only, every resource is reached, and no link leads to what does not answer: neither to what
    waits, nor to what needs more than its address says, nor to what this entity does not have."""
    fixtures = world.make_fixtures()
    seed_now(runner.store, world.p, fixtures["clusterName"])
    sql("DELETE FROM role_grant WHERE principal_id = (SELECT id FROM person WHERE username = 'abcd')")  # has no address, as a person must
    world.must(201, "POST", "/groups/%s/users" % world.p, world.a.bearer(), {"username": "crawl@example.org", "roles": ["GROUP_READ_ONLY"]})
    world.must(200, "POST", "/groups/%s/clusters/%s/outageSimulation" % (world.p, fixtures["clusterName"]), world.a.bearer(),
               {"outageFilters": [{"cloudProvider": "ONPREM", "regionName": "EU_SOUTH"}]})
    runner.connection.ask("POST", "%s/orgs/%s/webhooks" % (PREFIX, world.a.home), world.a.bearer(), {"url": "https://hooks.example.org/"})
    seed_usage(world.a.home)
    base, seen, queue, reached = runner.node.base_url, set(), [runner.node.base_url + PREFIX], set()
    while queue:
        address = queue.pop()
        if address in seen:
            continue
        seen.add(address)
        suite.check(address.startswith(base + PREFIX), "a link leads elsewhere: %s", address)
        answer = runner.connection.ask("GET", address[len(base):], world.a.bearer())
        problems = runner.contract.problems(answer)
        operation, _ = runner.contract.validator.find("GET", address[len(base):].partition("?")[0])
        suite.check(answer.status == 200 and not problems, "following %s: %d %s", address, answer.status, problems)
        reached.add(operation["operationId"])
        if answer.status != 200 or not answer.headers["content-type"].endswith("json"):
            continue  # a file has no links
        document = answer.json()
        for entity in [document] + document.get("results", []):
            suite.check("links" in entity, "no links in %s", address)
            queue += [link["href"] for link in entity.get("links", [])]
    wanted = {row["operation"] for row in catalog() if row["status"] == "complete" and row["method"] == "GET"}
    excepted = set().union(*NOT_LINKED.values())
    suite.equal(sorted(wanted - excepted - reached), [], "operations that links do not lead to")
    suite.equal(sorted(excepted & reached), [], "operations that are excepted, and links lead to them")
    suite.say("crawl: %d addresses, %d of %d operations reached" % (len(seen), len(reached), len(wanted)))
    for what, path in (("organization", "/orgs/" + world.a.home), ("project", "/groups/" + world.p),
                       ("cluster", "/groups/%s/clusters/%s" % (world.p, fixtures["clusterName"]))):
        some, every = (runner.connection.ask("GET", PREFIX + path + query, world.a.bearer()) for query in ("", "?links=all"))
        links = [link["href"] for link in every.json()["links"]]
        suite.check(set(link["href"] for link in some.json()["links"]) - set(links) == {base + PREFIX + path + "?links=all"},
                    "the main links of %s are among all, but for the one that leads there: %r", what, some)
        suite.say("bytes of the %s: %d, and %d with all its %d links" % (what, len(some.body), len(every.body), len(links)))


def test_pages(suite, runner, world):
    """Walking through pages of every size gives every item once, in one order, with the right count all the way."""
    names = ["page %03d" % number for number in range(57)]
    owner = world.make_caller("pages")
    no_limits([owner.home])
    for name in names:
        answer = runner.connection.ask("POST", PREFIX + "/groups", owner.bearer(), {"name": name, "orgId": owner.home})
        assert answer.status == 201, answer
    for size in (1, 7, 19, 57, 58, 500):
        address, found, pages = "%s/groups?itemsPerPage=%d" % (PREFIX, size), [], 0
        while address:
            answer = runner.connection.ask("GET", address, owner.bearer())
            problems = runner.contract.problems(answer)
            suite.check(answer.status == 200 and not problems, "page %s: %r %s", address, answer, problems)
            document = answer.json()
            suite.equal(document["totalCount"], 57, "totalCount of " + address)
            found += [item["name"] for item in document["results"]]
            pages += 1
            links = {link["rel"]: link["href"] for link in document["links"]}
            address = links.get("next", "")[len(runner.node.base_url):]
        suite.equal(sorted(found), names, "items with itemsPerPage=%d" % size)
        suite.equal(pages, -(-57 // size), "pages with itemsPerPage=%d" % size)


def test_dry_run(suite, runner, world):
    """Every change that is complete, tried with dryRun: nothing in the database differs afterwards."""
    owner, org, project = world.a.bearer(), world.a.home, world.p2
    ada, team = world.make_person("ada@example.org", org), make_team(runner, world, "dry run")
    teams = "/orgs/%s/teams/%s" % (org, team)
    before = row_hashes()
    for method, target, body in (
        ("POST", "/groups", {"name": "dry", "orgId": org}),
        ("POST", "/orgs", {"name": "dry", "orgOwnerId": ada, "apiKey": {"desc": "dry", "roles": ["ORG_OWNER"]}}),
        ("PATCH", "/groups/" + project, {"name": "dry"}),
        ("PATCH", "/orgs/" + org, {"name": "dry"}),
        ("PATCH", "/groups/%s/privateIpMode" % project, {"enabled": True}),
        ("POST", "/orgs/%s/users" % org, {"username": "dry@example.org", "roles": {"orgRoles": ["ORG_MEMBER"]}}),
        ("POST", "/groups/%s/users" % project, {"username": "dry@example.org", "roles": ["GROUP_READ_ONLY"]}),
        ("POST", "/users", {"username": "dry@example.org", "firstName": "D", "lastName": "R", "roles": [{"orgId": org, "roleName": "ORG_MEMBER"}]}),
        ("PATCH", "/orgs/%s/settings" % org, {"securityContact": "dry@example.org"}),
        ("PATCH", "/groups/%s/settings" % project, {"isSchemaAdvisorEnabled": False}),
        ("PATCH", "/groups/%s/limits/project.users" % project, {"value": 1}),
        ("DELETE", "/groups/" + project, None),
        ("POST", "/orgs/%s/teams" % org, {"name": "dry", "usernames": ["ada@example.org"]}),
        ("PATCH", teams, {"name": "dry"}),
        ("DELETE", teams, None),
        ("POST", teams + "/users", [{"id": ada}]),
        ("POST", teams + ":addUser", {"id": ada}),
        ("POST", "/groups/%s/teams" % project, [{"teamId": team, "roleNames": ["GROUP_OWNER"]}]),
    ):
        answer = runner.connection.ask(method, PREFIX + target + "?dryRun=true", owner, body,
                                       {"Idempotency-Key": "dry"} if method == "POST" else {})
        # C9: 201 with a Location that never comes to be.
        suite.check(answer.status in (200, 204) and "location" not in answer.headers, "dry run: %r", answer)
        suite.equal(answer.headers.get("dry-run"), "true", "header Dry-Run of %s %s" % (method, target))
        suite.check(not runner.contract.problems(answer), "dry run of %s %s is not as documented", method, target)
    suite.equal(changed_tables(before, row_hashes()), [], "tables that dry runs changed")


def test_created_owner(suite, runner, world):
    """Who becomes owner must be a person whom the caller can see: not nobody, not a service account of another organization, and (S8) not
    a stranger, whose names would be shown with the membership."""
    stranger = person_in(world, world.b.home, "ORG_MEMBER")
    for what, who in (("nobody", new_id()), ("a service account of another organization", world.b.account), ("a stranger", stranger)):
        answer = runner.connection.ask("POST", PREFIX + "/orgs?dryRun=true", world.a.bearer(), {"name": "owned", "orgOwnerId": who})
        suite.equal((answer.status, answer.code()), (400, "INVALID_ATTRIBUTE_VALUE"), "an organization that %s is to own" % what)
        answer = runner.connection.ask("POST", PREFIX + "/groups?dryRun=true&projectOwnerId=" + who, world.a.bearer(),
                                       {"name": "owned", "orgId": world.a.home})
        suite.equal((answer.status, answer.code()), (400, "INVALID_QUERY_PARAMETER"), "a project that %s is to own" % what)


def test_no_escalation(suite, runner, world):
    """Whoever rules a project gets no hold on credentials that rule more, and hands out no more than they have."""
    owner, org, project = world.a.bearer(), "/orgs/" + world.a.home, "/groups/" + world.p
    manager, chief = world.make_caller("access manager"), world.make_caller("project owner")
    sql("BEGIN; %s %s COMMIT;" % (world.grant_only(manager, world.a.home, world.p, "GROUP_ACCESS_MANAGER"),
                                  world.grant_only(chief, world.a.home, world.p, "GROUP_OWNER")))
    no_limits([manager.home, chief.home])
    account = world.must(201, "POST", org + "/serviceAccounts", owner, {
        "name": "ruler", "description": "ruler", "roles": ["ORG_OWNER"], "secretExpiresAfterHours": 8}).json()
    key = world.must(200, "POST", org + "/apiKeys", owner, {"desc": "ruler", "roles": ["ORG_OWNER"]}).json()
    here = "%s/serviceAccounts/%s" % (project, account["clientId"])
    world.must(200, "POST", here + ":invite", owner, {"roles": ["GROUP_READ_ONLY"]})
    world.must(204, "POST", "%s/apiKeys/%s" % (project, key["id"]), owner, {"roles": ["GROUP_READ_ONLY"]})
    for what, caller, method, target, body in (
        ("a secret of an account that owns the organization", chief, "POST", here + "/secrets", {"secretExpiresAfterHours": 8}),
        ("the end of such an account's secret", chief, "DELETE", "%s/secrets/%s" % (here, account["secrets"][0]["id"]), None),
        ("an address for such an account", manager, "POST", here + "/accessList", [{"cidrBlock": "127.0.0.0/8"}]),
        ("a key with a greater role than their own", manager, "POST", project + "/apiKeys", {"desc": "x", "roles": ["GROUP_OWNER"]}),
        ("a greater role for a key", manager, "PATCH", "%s/apiKeys/%s" % (project, key["id"]), {"roles": ["GROUP_OWNER"]}),
        ("an account of the organization", chief, "POST", org + "/serviceAccounts", {
            "name": "x", "description": "x", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8}),
        ("a key of the organization", chief, "POST", org + "/apiKeys", {"desc": "x", "roles": ["ORG_MEMBER"]}),
    ):
        answer = runner.connection.ask(method, PREFIX + target, caller.bearer(), body)
        suite.equal(answer.status, 403, "%s of the project wants %s" % (caller.name, what))
        suite.check(not runner.contract.problems(answer), "%s: not as documented", what)


def person_in(world, organization, *roles):
    """A person with these roles in an organization, made without an invitation."""
    person = new_id()
    sql("BEGIN; INSERT INTO principal (id, kind) VALUES (decode('%s', 'hex'), 'person'); "
        "INSERT INTO person (id, username, first_name, last_name) VALUES (decode('%s', 'hex'), '%s@example.org', 'P', 'Q'); COMMIT;"
        % (person, person, person))
    for role in roles:
        sql("INSERT INTO role_grant (principal_id, org_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), '%s')"
            % (person, organization, role))
    return person


def requests_at_once(node, requests):
    """Sends each request (method, target, auth, body) from a connection of its own at the same moment; the answers."""
    answers, barrier = [None] * len(requests), threading.Barrier(len(requests))

    def send(number, method, target, auth, body):
        with connect(node) as connection:
            connection.ask("GET", PREFIX, auth)
            barrier.wait()
            answers[number] = connection.ask(method, PREFIX + target, auth, body)
    threads = [threading.Thread(target=send, args=(number, *request)) for number, request in enumerate(requests)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def events_of(organization, kind):
    return int(sql("SELECT count(*) FROM event WHERE org_id = decode('%s', 'hex') AND type = '%s'" % (organization, kind)))


def test_roles_added_at_once(suite, runner, world, node):
    """Different roles that are added at the same moment all stay; each has one event, the one that was there already none."""
    owner = world.make_caller("roles at once")
    no_limits([owner.home])
    person = person_in(world, owner.home, "ORG_MEMBER")
    roles = ["ORG_GROUP_CREATOR", "ORG_BILLING_ADMIN", "ORG_BILLING_READ_ONLY", "ORG_READ_ONLY", "ORG_STREAM_PROCESSING_ADMIN", "ORG_MEMBER"]
    target = "/orgs/%s/users/%s" % (owner.home, person)
    answers = requests_at_once(node, [("POST", target + ":addRole", owner.bearer(), {"orgRole": role}) for role in roles])
    suite.equal([answer.status for answer in answers], [200] * len(roles), "roles added at once")
    shown = runner.connection.ask("GET", PREFIX + target, owner.bearer()).json()
    suite.equal(shown["roles"]["orgRoles"], sorted(roles), "roles after all were added at once")
    suite.equal(events_of(owner.home, "ROLE_GRANTED"), len(roles) - 1, "events of roles added at once")


def test_owners_remove_each_other(suite, runner, world, node):
    """Of two people who own an organization one stays, whatever both do at the same moment."""
    for way in ("remove", "demote", "replace"):
        owner = world.make_caller("two owners, " + way)
        no_limits([owner.home])
        people = [person_in(world, owner.home, "ORG_OWNER", "ORG_MEMBER") for _ in range(2)]
        targets = ["/orgs/%s/users/%s" % (owner.home, person) for person in people]
        answers = requests_at_once(node, [
            ("DELETE", target, owner.bearer(), None) if way == "remove" else
            ("POST", target + ":removeRole", owner.bearer(), {"orgRole": "ORG_OWNER"}) if way == "demote" else
            ("PUT", target + "/roles", owner.bearer(), {"orgRoles": ["ORG_MEMBER"]}) for target in targets])
        success = 204 if way == "remove" else 200
        suite.equal(sorted(answer.status for answer in answers), [success, 409], "two owners: " + way)
        suite.equal([answer.code() for answer in answers if answer.status == 409], ["LAST_OWNER"], "two owners: " + way)
        left = sql("SELECT count(*) FROM role_grant WHERE org_id = decode('%s', 'hex') AND role = 'ORG_OWNER' AND principal_id IN "
                   "(SELECT id FROM person)" % owner.home)
        suite.equal(left, "1", "people who own the organization after two: " + way)


def accept(runner, token, username):
    return runner.connection.ask("POST", "/api/invitations/accept", None,
                                 {"token": token, "username": username, "firstName": "A", "lastName": "B"})


def test_invitations(suite, runner, world, node):
    """What needs another day or many requests: expiry, renewal, the cap, and one token used by many at once."""
    owner = world.make_caller("invitations")
    no_limits([owner.home])
    target, name = "/orgs/%s/users" % owner.home, "late%s@example.org" % owner.home
    body = {"username": name, "roles": {"orgRoles": ["ORG_READ_ONLY"]}}
    first = runner.connection.ask("POST", PREFIX + target, owner.bearer(), body).json()
    kept = sql("SELECT encode(mac, 'hex') FROM invitation WHERE id = decode('%s', 'hex')" % first["id"])
    before = invitation_token(node.conf, first["id"])
    suite.check("token" not in first and before.startswith("reeve_inv_") and kept and before not in sql("SELECT string_agg(document, '') FROM event"),
                "the token of an invitation: %s", first)
    sql("UPDATE invitation SET expires_at = now() WHERE id = decode('%s', 'hex')" % first["id"])
    listed = runner.connection.ask("GET", PREFIX + target + "?orgMembershipStatus=INVITATION_EXPIRED", owner.bearer())
    suite.equal([item["id"] for item in listed.json()["results"]], [first["id"]], "expired invitations")
    suite.equal(accept(runner, before, name).code(), "INVITATION_NOT_VALID", "an expired token")
    second = runner.connection.ask("POST", PREFIX + target, owner.bearer(), body)
    suite.equal((second.status, second.json()["id"]), (201, first["id"]), "inviting again after it expired")
    suite.equal(accept(runner, before, name).code(), "INVITATION_NOT_VALID", "the token before the last")
    token, statuses = invitation_token(node.conf, first["id"]), []

    def take():
        with connect(node) as connection:
            statuses.append(connection.ask("POST", "/api/invitations/accept", None,
                                           {"token": token, "username": name, "firstName": "A", "lastName": "B"}).status)
    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    suite.equal(statuses.count(200), 1, "one token used by many at once: %s" % statuses)
    suite.check(set(statuses) <= {200, 404, 409}, "one token used by many at once: %s" % statuses)
    suite.equal(sql("SELECT count(*) FROM person WHERE username = '%s'" % name), "1", "people of one invitation")
    suite.equal(events_of(owner.home, "INVITATION_ACCEPTED"), 1, "events of one acceptance")
    project = world.make_project(owner, "short lived")
    for username, roles in (("only@example.org", None), ("both@example.org", {"orgRoles": ["ORG_READ_ONLY"]})):
        if roles:
            world.must(201, "POST", target, owner.bearer(), {"username": username, "roles": roles})
        world.must(201, "POST", "/groups/%s/users" % project, owner.bearer(), {"username": username, "roles": ["GROUP_READ_ONLY"]})
    world.must(204, "DELETE", "/groups/" + project, owner.bearer())
    listed = runner.connection.ask("GET", PREFIX + target + "?orgMembershipStatus=PENDING", owner.bearer())
    suite.equal([item["username"] for item in listed.json()["results"]], ["both@example.org"], "invitations after their project is deleted")
    sql("UPDATE invitation_count SET n = 500 WHERE org_id = decode('%s', 'hex')" % owner.home)
    refused = runner.connection.ask("POST", PREFIX + target, owner.bearer(), {**body, "username": "more@example.org"})
    suite.equal((refused.status, refused.code()), (409, "TOO_MANY_INVITATIONS"), "more invitations than a day has")
    suite.check(not runner.contract.problems(refused), "the refusal of an invitation is not as documented")
    sql("UPDATE invitation_count SET day = day - 1 WHERE org_id = decode('%s', 'hex')" % owner.home)
    again = runner.connection.ask("POST", PREFIX + target, owner.bearer(), {**body, "username": "more@example.org"})
    suite.equal(again.status, 201, "an invitation on the next day")


def test_grants_no_more_than_held(suite, runner, world, node):
    """Who may add people to a project gives them no more than they have."""
    owner, manager = world.make_caller("granting"), world.make_caller("access manager")
    project = world.make_project(owner, "granting")
    sql("BEGIN; %s COMMIT;" % world.grant_only(manager, owner.home, project, "GROUP_ACCESS_MANAGER"))
    no_limits([owner.home, manager.home])
    target = "/groups/%s/users" % project
    for role, status in (("GROUP_OWNER", 403), ("GROUP_DATA_ACCESS_ADMIN", 403), ("GROUP_READ_ONLY", 201)):
        answer = runner.connection.ask("POST", PREFIX + target, manager.bearer(), {"username": role.lower() + "@example.org", "roles": [role]})
        suite.equal((answer.status, answer.code()), (status, None if status == 201 else "ROLE_NOT_GRANTABLE"), "granting " + role)
    user = target + "/" + answer.json()["id"]
    answer = runner.connection.ask("POST", PREFIX + user + ":addRole", manager.bearer(), {"groupRole": "GROUP_OWNER"})
    suite.equal((answer.status, answer.code()), (403, "ROLE_NOT_GRANTABLE"), "adding a role that the caller has not")


def test_project_moves(suite, runner, world, node):
    """A caller who owns both organizations moves a project; each chain has its event, and invitations to it end."""
    here, there = world.make_caller("moving from"), world.make_caller("moving to")
    no_limits([here.home, there.home])
    project = world.make_project(here, "moving")
    target = "/groups/%s" % project
    runner.connection.ask("POST", PREFIX + target + "/users", here.bearer(), {"username": "m@example.org", "roles": ["GROUP_READ_ONLY"]})
    runner.connection.ask("PATCH", PREFIX + target + "/limits/project.users", here.bearer(), {"value": 7})
    both = "INSERT INTO role_grant (principal_id, org_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), '%s')"
    sql(both % (here.account, there.home, "ORG_MEMBER"))
    tell_nodes()
    body = {"destinationOrgId": there.home}
    wait_until(lambda: runner.connection.ask("POST", PREFIX + target + ":migrate", here.bearer(), body).status == 403, 10)
    sql(both % (here.account, there.home, "ORG_OWNER"))
    tell_nodes()
    wait_until(lambda: runner.connection.ask("POST", PREFIX + target + ":migrate?dryRun=true", here.bearer(), body).status == 200, 10)
    taken = world.make_project(there, "moving")
    answer = runner.connection.ask("POST", PREFIX + target + ":migrate", here.bearer(), body)
    suite.equal((answer.status, answer.code()), (409, "DUPLICATE_NAME"), "moving to where the name is taken")
    world.must(204, "DELETE", "/groups/" + taken, there.bearer())
    answer = runner.connection.ask("POST", PREFIX + target + ":migrate", here.bearer(), body)
    suite.equal((answer.status, answer.json().get("orgId")), (200, there.home), "a project that moved")
    suite.check(not runner.contract.problems(answer), "the move of a project is not as documented")
    suite.equal((events_of(here.home, "GROUP_MOVED"), events_of(there.home, "GROUP_MOVED")), (1, 1), "events of the move")
    suite.equal(runner.connection.ask("GET", PREFIX + target + "/limits/project.users", there.bearer()).json()["value"], 7, "a limit that moved")
    listed = runner.connection.ask("GET", PREFIX + "/orgs/%s/users" % here.home, here.bearer())
    suite.equal(listed.json()["totalCount"], 0, "invitations to a project that left")


def test_access_list_demanded(suite, runner, world, node):
    """When an organization demands access lists, credentials without one are out."""
    owner = world.make_caller("demanding")
    no_limits([owner.home])
    target = "/orgs/%s/settings" % owner.home
    sql("BEGIN; %s COMMIT;" % world.listing(owner.account, owner.home, "127.0.0.0/8"))
    tell_nodes()
    suite.equal(runner.connection.ask("PATCH", PREFIX + target, owner.bearer(), {"apiAccessListRequired": True}).status, 200, "demanding access lists")
    wait_until(lambda: runner.connection.ask("GET", PREFIX + target, owner.digest()).code() == "ACCESS_LIST_REQUIRED", 10)
    suite.equal(runner.connection.ask("GET", PREFIX + target, owner.bearer()).status, 200, "a caller with an access list")


def test_one_event_each(suite, runner, world, node):
    """Every change writes exactly one event of its type, and none of them holds a token; what changes nothing writes none."""
    owner = world.make_caller("events of people")
    no_limits([owner.home])
    project, user = world.make_project(owner, "events"), None
    org, group = "/orgs/" + owner.home, "/groups/" + project
    sole = person_in(world, owner.home, "ORG_OWNER")
    sql("BEGIN; %s COMMIT;" % world.listing(owner.account, owner.home, "127.0.0.0/8"))
    tell_nodes()
    invite = {"username": "e@example.org", "roles": ["GROUP_READ_ONLY"]}
    for method, target, body, status, event in (
        ("POST", org + "/users", {"username": "e@example.org", "roles": {"orgRoles": ["ORG_MEMBER"]}}, 201, "INVITATION_CREATED"),
        ("POST", group + "/users", invite, 201, "INVITATION_CHANGED"),
        ("POST", group + "/users", invite, 409, None),
        ("POST", group + "/users/{user}:addRole", {"groupRole": "GROUP_OWNER"}, 200, "INVITATION_CHANGED"),
        ("POST", group + "/users/{user}:addRole", {"groupRole": "GROUP_OWNER"}, 200, None),
        ("PATCH", group + "/invites/{user}", {"roles": ["GROUP_READ_ONLY"]}, 200, "INVITATION_CHANGED"),
        ("PATCH", org + "/invites", {"username": "e@example.org", "roles": ["ORG_READ_ONLY"]}, 200, "INVITATION_CHANGED"),
        ("DELETE", group + "/invites/{user}", None, 204, "INVITATION_DELETED"),
        ("DELETE", org + "/users/{user}", None, 204, "INVITATION_DELETED"),
        ("POST", org + "/invites", {"username": "f@example.org", "roles": ["ORG_MEMBER"]}, 200, "INVITATION_CREATED"),
        ("DELETE", org + "/invites/{user}", None, 204, "INVITATION_DELETED"),
        ("POST", group + "/invites", invite, 200, "INVITATION_CREATED"),
        ("POST", "/users", {"username": new_id() + "@example.org", "firstName": "E", "lastName": "F",
                            "roles": [{"orgId": owner.home, "roleName": "ORG_MEMBER"}]}, 200, "USER_CREATED"),
        ("PATCH", org + "/users/{user}", {"roles": {"orgRoles": ["ORG_READ_ONLY"], "groupRoleAssignments": [
            {"groupId": project, "groupRoles": ["GROUP_READ_ONLY"]}]}}, 200, "USER_ROLES_CHANGED"),
        ("PUT", org + "/users/{user}/roles", {"orgRoles": ["ORG_MEMBER", "ORG_READ_ONLY"]}, 200, "USER_ROLES_CHANGED"),
        ("PUT", org + "/users/{user}/roles", {"orgRoles": ["ORG_READ_ONLY", "ORG_MEMBER"]}, 200, None),
        ("POST", org + "/users/{user}:removeRole", {"orgRole": "ORG_MEMBER"}, 200, "ROLE_REVOKED"),
        ("POST", group + "/users/{user}:addRole", {"groupRole": "GROUP_OWNER"}, 200, "ROLE_GRANTED"),
        ("DELETE", group + "/users/{user}", None, 204, "USER_REMOVED"),
        ("POST", org + "/users/{user}:addRole?dryRun=true", {"orgRole": "ORG_OWNER"}, 200, None),
        ("DELETE", org + "/users/{user}", None, 204, "USER_REMOVED"),
        ("DELETE", org + "/users/" + sole, None, 409, None),
        ("PATCH", org + "/settings", {"securityContact": "s@example.org"}, 200, "ORG_SETTINGS_CHANGED"),
        ("PATCH", group + "/settings", {"isSchemaAdvisorEnabled": False}, 200, "GROUP_SETTINGS_CHANGED"),
        ("PATCH", group + "/limits/project.users", {"value": 9}, 200, "GROUP_LIMIT_CHANGED"),
        ("DELETE", group + "/limits/project.users", None, 204, "GROUP_LIMIT_CHANGED"),
        ("DELETE", group + "/limits/project.users", None, 204, None),
    ):
        where = "org_id = decode('%s', 'hex')" % owner.home
        before = int(sql("SELECT coalesce(max(seq), 0) FROM event WHERE " + where))
        answer = runner.connection.ask(method, PREFIX + target.replace("{user}", user or ""), owner.bearer(), body)
        suite.equal(answer.status, status, "%s %s: %r" % (method, target, answer))
        suite.check(not runner.contract.problems(answer), "%s %s is not as documented: %s", method, target, runner.contract.problems(answer))
        types = sql("SELECT string_agg(type, ',') FROM event WHERE %s AND seq > %d" % (where, before))
        suite.equal(types, event or "", "events of %s %s" % (method, target))
        if answer.status in (200, 201) and method == "POST" and ":" not in target:
            user = answer.json()["id"]
    suite.equal(sql("SELECT count(*) FROM event WHERE document LIKE '%reeve_inv_%'"), "0", "events with a token")


def test_event_of_somebody_elses_change(suite, runner, world, node):
    """A request that changes nothing has no event, also when somebody renames the organization or fills a team meanwhile. (Two of
    450,000 events of the stateful test were such.)"""
    owner = world.make_caller("meanwhile")
    no_limits([owner.home])
    org, person = "/orgs/" + owner.home, person_in(world, owner.home, "ORG_MEMBER")
    team = world.must(200, "POST", org + "/teams", owner.bearer(), {"name": "t", "usernames": []}).json()["id"]
    invitation = world.must(200, "POST", org + "/invites", owner.bearer(), {"username": "m@example.org", "roles": ["ORG_MEMBER"]}).json()["id"]
    for what, method, target, body, held, meanwhile, event, shown in (
            ("an invitation", "PATCH", "/invites/" + invitation, {"roles": ["ORG_MEMBER"]},
             "invitation_role WHERE invitation_id = decode('%s', 'hex')" % invitation,
             "UPDATE organization SET name = 'renamed' WHERE id = decode('%s', 'hex')" % owner.home, "INVITATION_CHANGED", ("orgName", "renamed")),
            ("a person", "POST", "/users/%s:addRole" % person, {"orgRole": "ORG_MEMBER"},
             "role_grant WHERE principal_id = decode('%s', 'hex')" % person,
             "INSERT INTO team_member (team_id, org_id, person_id) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'))"
             % (team, owner.home, person), "ROLE_GRANTED", ("teamIds", [team]))):
        lock, answers = Lock("SELECT FROM %s FOR UPDATE" % held), []

        def change():
            with connect(node) as connection:
                answers.append(connection.ask(method, PREFIX + org + target, owner.bearer(), body))
        thread = threading.Thread(target=change)
        thread.start()
        try:
            wait_until(lambda: sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%%%s%%'"
                                   % held.split()[0]) != "0", 10, 0.01)
            sql(meanwhile)
        finally:
            lock.release()
            thread.join()
        suite.equal((answers[0].status, answers[0].json().get(shown[0])), (200, shown[1]), "%s as it is now" % what)
        suite.equal(events_of(owner.home, event), 0, "events of a request that changed nothing about %s" % what)


PEOPLE = (test_event_of_somebody_elses_change, test_one_event_each, test_roles_added_at_once, test_owners_remove_each_other, test_invitations, test_grants_no_more_than_held,
          test_project_moves, test_access_list_demanded)


def main():
    ends_on_signal()
    suite = Suite("exchanges")
    with MonitorStore() as store, start_node(workers=1, settings={"control_plane_addresses": ["192.0.2.1/32", "2001:db8::/64"], "monitor_stores": store.url}) as node:
        world = World(node, with_roles=False)
        Values.config = node.conf
        runner = Runner(suite, world, node, store)
        only = sys.argv[1:]
        paths = [path for path in sorted(glob.glob(os.path.join(HERE, "exchanges", "*.txt")))
                 if not only or os.path.basename(path)[:-4] in only]
        for number, path in enumerate(paths):
            runner.run_file(path, number)
        suite.say("%d exchanges in %d files" % (runner.count, len(paths)))
        if not only or "people" in only:
            for test in PEOPLE + SEEN_BY_OTHERS:
                test(suite, runner, world, node)
        if not only or "billing" in only:
            for test in BILLING:
                test(suite, runner, world, node)
        if not only or "policies" in only:
            for test in POLICY_WAYS:
                test(suite, runner, world, node)
        if not only or "crawl" in only:
            test_crawl(suite, runner, world)
        if not only:
            test_key_in_flight(suite, runner, world, node)
            test_same_key_at_once(suite, runner, world, node)
            test_same_name_at_once(suite, runner, world, node)
            test_if_match_at_once(suite, runner, world, node)
            test_team_at_once(suite, runner, world, node)
            test_teams_crossed(suite, runner, world, node)
            test_team_bounds(suite, runner, world, node)
            test_pages(suite, runner, world)
            test_dry_run(suite, runner, world)
            test_created_owner(suite, runner, world)
            test_no_escalation(suite, runner, world)
        runner.check_bystanders()
        suite.say("%d answers held against the OpenAPI document" % runner.contract.count)
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
