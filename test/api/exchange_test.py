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
absent (an identifier of nothing), and everything that was saved. Authorization is one of the callers: owner, owner-key (the same
by Digest), owner-md5, reader (ORG_READ_ONLY), member (ORG_MEMBER), stranger (owner of the other organization); anything else goes
out as it is.

In an expected answer <any>, <id>, <date>, <integer>, <text> stand for values of that kind, <save name> for any value, which is kept
under that name, and <none> for a header that must not be there. A key <more> allows further fields, an item <more> further items.
An exchange that begins with "@ soon:" is repeated for up to five seconds: what ends a caller's rights takes effect on every
node within that time. <nothing> is an empty body. A body that begins with | is compared byte for byte, line by line.
"""
import glob
import json
import os
import re
import subprocess
import sys
import threading
import time

from client import Bearer, wait_until
from suite import Contract, Suite, ends_on_signal
from world import PREFIX, World, catalog, connect, new_id, no_limits, row_hashes, changed_tables, sql, start_node

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {
    "<any>": lambda value: True,
    "<id>": lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{24}", value),
    "<date>": lambda value: isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value),
    "<integer>": lambda value: (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, str) and value.isdigit()),
    "<text>": lambda value: isinstance(value, str) and value,
}


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
    def fill(self, text):
        def value(match):
            if match.group(1) not in self:
                raise KeyError("nothing was saved as %s" % match.group(1))
            return str(self[match.group(1)])
        return re.sub(r"\{\{(\w+)\}\}", value, text)

    def matches(self, wanted, got, where, problems):
        if isinstance(wanted, str):
            saved = re.fullmatch(r"<save (\w+)>", wanted)
            if saved:
                self[saved.group(1)] = got
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


class Runner:
    def __init__(self, suite, world, node):
        self.suite, self.world, self.node = suite, world, node
        self.contract = Contract()
        self.connection = connect(node)
        self.count = 0

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
        return sql("SELECT encode(id, 'hex') FROM person LIMIT 1")

    def run_file(self, path, number):
        values, callers = self.actors(number)
        name = os.path.basename(path)
        for exchange in read_exchanges(path):
            where = "%s:%d (%s)" % (name, exchange.line, exchange.title)
            until = time.monotonic() + (5 if exchange.title.startswith("soon:") else 0)
            try:
                problems = self.run_exchange(exchange, values, callers)
                while problems and time.monotonic() < until:
                    time.sleep(0.05)
                    problems = self.run_exchange(exchange, values, callers)
            except Exception as why:
                problems = ["%r" % why]
            self.count += 1
            self.suite.check(not problems, "%s: %s" % (where, "; ".join(problems)))

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
        answer = self.connection.ask(method, target, auth, None if body is None else body.encode(), headers, accept=None)
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


def test_crawl(suite, runner, world):
    """From the root, following links only, every resource of the complete families is reached; no link leads to nothing."""
    world.make_fixtures()
    runner.connection.ask("POST", "%s/orgs/%s/webhooks" % (PREFIX, world.a.home), world.a.bearer(), {"url": "https://hooks.example.org/"})
    base, seen, queue, reached, waiting = runner.node.base_url, set(), [runner.node.base_url + PREFIX], set(), 0
    while queue:
        address = queue.pop()
        if address in seen:
            continue
        seen.add(address)
        suite.check(address.startswith(base + PREFIX), "a link leads elsewhere: %s", address)
        answer = runner.connection.ask("GET", address[len(base):], world.a.bearer())
        problems = runner.contract.problems(answer)
        suite.check(answer.status in (200, 501) and not problems, "following %s: %d %s", address, answer.status, problems)
        operation, _ = runner.contract.validator.find("GET", address[len(base):].partition("?")[0])
        if answer.status == 501:
            waiting += 1
            continue
        reached.add(operation["operationId"])
        document = answer.json()
        for entity in [document] + document.get("results", []):
            queue += [link["href"] for link in entity["links"]]
    wanted = {row["operation"] for row in catalog() if row["status"] == "complete" and row["method"] == "GET"} - {"getProjectByName"}
    suite.check(wanted <= reached, "not reached by links: %s", sorted(wanted - reached))
    suite.say("crawl: %d addresses, %d complete operations reached, %d links to operations that wait" % (len(seen), len(reached), waiting))


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
    before = row_hashes()
    owner, org, project = world.a.bearer(), world.a.home, world.p2
    for method, target, body in (
        ("POST", "/groups", {"name": "dry", "orgId": org}),
        ("POST", "/orgs", {"name": "dry", "orgOwnerId": runner.person(), "apiKey": {"desc": "dry", "roles": ["ORG_OWNER"]}}),
        ("PATCH", "/groups/" + project, {"name": "dry"}),
        ("PATCH", "/orgs/" + org, {"name": "dry"}),
        ("PATCH", "/groups/%s/privateIpMode" % project, {"enabled": True}),
        ("DELETE", "/groups/" + project, None),
    ):
        answer = runner.connection.ask(method, PREFIX + target + "?dryRun=true", owner, body,
                                       {"Idempotency-Key": "dry"} if method == "POST" else {})
        suite.check(answer.status in (200, 201, 204), "dry run: %r", answer)
        suite.equal(answer.headers.get("dry-run"), "true", "header Dry-Run of %s %s" % (method, target))
        suite.check(not runner.contract.problems(answer), "dry run of %s %s is not as documented", method, target)
    suite.equal(changed_tables(before, row_hashes()), [], "tables that dry runs changed")


def test_created_owner(suite, runner, world):
    """Who becomes owner must be a person: not nobody, and not a service account of another organization."""
    for what, who in (("nobody", new_id()), ("a service account of another organization", world.b.account)):
        answer = runner.connection.ask("POST", PREFIX + "/orgs?dryRun=true", world.a.bearer(), {"name": "owned", "orgOwnerId": who})
        suite.equal((answer.status, answer.code()), (400, "INVALID_ATTRIBUTE_VALUE"), "an organization that %s is to own" % what)
        answer = runner.connection.ask("POST", PREFIX + "/groups?dryRun=true&projectOwnerId=" + who, world.a.bearer(),
                                       {"name": "owned", "orgId": world.a.home})
        suite.equal((answer.status, answer.code()), (400, "INVALID_QUERY_PARAMETER"), "a project that %s is to own" % what)


def test_no_escalation(suite, runner, world):
    """Whoever rules a project gets no hold on credentials that rule more, and hands out no more than he has."""
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
        ("a key with a greater role than his own", manager, "POST", project + "/apiKeys", {"desc": "x", "roles": ["GROUP_OWNER"]}),
        ("a greater role for a key", manager, "PATCH", "%s/apiKeys/%s" % (project, key["id"]), {"roles": ["GROUP_OWNER"]}),
        ("an account of the organization", chief, "POST", org + "/serviceAccounts", {
            "name": "x", "description": "x", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8}),
        ("a key of the organization", chief, "POST", org + "/apiKeys", {"desc": "x", "roles": ["ORG_MEMBER"]}),
    ):
        answer = runner.connection.ask(method, PREFIX + target, caller.bearer(), body)
        suite.equal(answer.status, 403, "%s of the project wants %s" % (caller.name, what))
        suite.check(not runner.contract.problems(answer), "%s: not as documented", what)


def main():
    ends_on_signal()
    suite = Suite("exchanges")
    with start_node(workers=1, settings={"control_plane_addresses": ["192.0.2.1/32", "2001:db8::/64"]}) as node:
        world = World(node, with_roles=False)
        runner = Runner(suite, world, node)
        only = sys.argv[1:]
        paths = [path for path in sorted(glob.glob(os.path.join(HERE, "exchanges", "*.txt")))
                 if not only or os.path.basename(path)[:-4] in only]
        for number, path in enumerate(paths):
            runner.run_file(path, number)
        suite.say("%d exchanges in %d files" % (runner.count, len(paths)))
        if not only:
            test_key_in_flight(suite, runner, world, node)
            test_same_key_at_once(suite, runner, world, node)
            test_same_name_at_once(suite, runner, world, node)
            test_if_match_at_once(suite, runner, world, node)
            test_crawl(suite, runner, world)
            test_pages(suite, runner, world)
            test_dry_run(suite, runner, world)
            test_created_owner(suite, runner, world)
            test_no_escalation(suite, runner, world)
        suite.say("%d answers held against the OpenAPI document" % runner.contract.count)
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
