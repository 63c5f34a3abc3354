# SPDX-License-Identifier: Apache-2.0
"""Every operation with every kind of caller. What must come of it is worked out here from the tables (`reeved catalog
--json`, `reeved roles --json`), and a hash of every table of the database proves that nothing was changed.

Callers that are let in get 501 from operations that have no behaviour yet; those that change something are asked with
dryRun=true.

A second part does not ask the tables (D1): the owner of one organization puts 24 zeros, a word, and the other organization's identifiers into
every parameter of every path, one by one and mixed, without dryRun. Nobody's and somebody else's things do not answer.
"""
import multiprocessing
import re
import sys
import time

from client import Bearer, Digest, Literal
from measurements import MonitorStore, seed_now
from suite import Contract, Suite, ends_on_signal
from world import PREFIX, World, catalog, changed_tables, connect, dry_status, forms_of, needed_query, new_id, row_hashes, sql, start_node, tell_nodes, values_for

PROCESSES = 4
ELSEWHERE = "127.0.0.2"  # where the callers of world A with an access list of 127.0.0.1 are not allowed to call from
CONTEXTS = ("groupId", "orgId", "federationSettingsId")

# What an operation that is complete answers to a caller who may, when that is not its success.
LET_IN = {
    "deleteOrganization": (409, "ORGANIZATION_NOT_EMPTY"),
    "deleteProject": (409, "PROJECT_NOT_EMPTY"),
    "removeGroupUserRole": (409, "LAST_ROLE"),
    # Nobody was invited at the address of the example; nobody owns the organization that the example moves to.
    "updateOrganizationInvitations": (404, "RESOURCE_NOT_FOUND"),
    "updateProjectInvitations": (404, "RESOURCE_NOT_FOUND"),
    "migrateProject": (401, "NOT_A_MEMBER"),
    # No outage is simulated.
    "getGroupClusterOutageSimulation": (404, "RESOURCE_NOT_FOUND"),
    "endGroupClusterOutageSimulation": (404, "RESOURCE_NOT_FOUND"),
    # Their examples name a cluster, a snapshot or another thing that there is not.
    "createGroupClusterBackupExport": (400, "INVALID_ATTRIBUTE_VALUE"),
    "createGroupPushBasedLogExport": (400, "INVALID_ATTRIBUTE_VALUE"),  # its body names a role of the project
    "updateGroupPushBasedLogExport": (404, "RESOURCE_NOT_FOUND"),
    "createGroupClusterBackupRestoreJob": (400, "INVALID_ATTRIBUTE_VALUE"),
    "createPeer": (400, "INVALID_ATTRIBUTE_VALUE"),  # a network container
    "createGroupClusterRestoreJob": (400, "INVALID_ATTRIBUTE_VALUE"),
    "createGroupFlexClusterBackupRestoreJob": (400, "INVALID_ATTRIBUTE_VALUE"),
    "downloadGroupFlexClusterBackup": (400, "INVALID_ATTRIBUTE_VALUE"),
    "removeFederationSettingConnectedOrgConfig": (409, "ONLY_CONNECTED_ORGANIZATION"),
    "deferGroupMaintenanceWindow": (409, "NO_MAINTENANCE_WAITS"),
    # No project has a policy for its backups.
    "getGroupBackupCompliancePolicy": (404, "RESOURCE_NOT_FOUND"),
    "disableGroupBackupCompliancePolicy": (404, "RESOURCE_NOT_FOUND"),
    # The host of its member answers nobody.
    "getGroupDbAccessHistoryCluster": (503, "LOGS_UNAVAILABLE"),
    # A period, or two dates, are missing.
    "getGroupProcessDatabaseMeasurements": (400, "INVALID_QUERY_PARAMETER"),
    "getGroupProcessDiskMeasurements": (400, "INVALID_QUERY_PARAMETER"),
    "getGroupProcessMeasurements": (400, "INVALID_QUERY_PARAMETER"),
    # The path of the example is that of an integration which is there.
    "createGroupIntegration": (409, "DUPLICATE_NAME"),
}

MALFORMED = [
    "Bearer", "Bearer ", "Bearer not-a-token", "Bearer a.b.c", "Digest", "Digest username=", 'Digest username="x", realm="reeve"',
    "Basic dXNlcjpwYXNz", "Negotiate abc", "bearer", "\"", "Bearer " + "x" * 4000, "Digest " + "a=b, " * 40, ":", "Token abc def",
]


ZERO = "0" * 24
NO_IDENTIFIER = "not-an-identifier"
# Parameters that name no thing of a tenant's, but one of a few words that the operation knows.
WORDS = frozenset(("cloudProvider", "clusterView", "collectionName", "databaseName", "endpointSetId", "integrationType", "limitName", "logName"))


# Of an operation whose path names something that the world has none of: anything but a refusal of the caller.
ANY_ANSWER = frozenset((200, 201, 202, 204, 400, 404, 409))


class Operation:
    def __init__(self, row, prefix=PREFIX, known=()):
        self.method, self.path, self.prefix = row["method"], row["path"], prefix
        self.id, self.rule = row["operation"], row["access"]["rule"]
        self.roles = frozenset(row["access"]["roles"])
        self.waits, self.refuses = row["status"] == "waiting", row.get("refuses")
        self.success = row["success"] if self.method == "GET" else dry_status(row)
        self.example = row.get("example")
        self.parameters = re.findall(r"\{(\w+)\}", row["path"])
        self.context = next((name for name in CONTEXTS if name in self.parameters), None)
        self.forms, self.needed = forms_of(row), needed_query(row)
        self.is_known = set(self.parameters) <= set(values_for(row["path"], known))

    def target(self, values, dry=True, instead=()):
        """`instead` are values of parameters that count more than the fixtures'."""
        path, values = self.path, {**self.forms, **values_for(self.path, values), **dict(instead)}
        for name in self.parameters:
            path = path.replace("{%s}" % name, values.get(name) or "x")
        query = [self.needed] if self.needed else []
        if dry and self.method not in ("GET", "HEAD"):
            query.append("dryRun=true")
        return self.prefix + path + ("?" + "&".join(query) if query else "")

    def body(self, organization):
        if self.method not in ("POST", "PUT", "PATCH"):
            return None
        if isinstance(self.example, list):
            return self.example
        body = dict(self.example or {})
        if "orgId" in body:
            body["orgId"] = organization
        if self.id == "createUser":
            body["roles"] = [{"orgId": organization, "roleName": "ORG_MEMBER"}]
        if "roleAssignments" in body:
            body["roleAssignments"] = [{"orgId": organization, "role": "ORG_MEMBER"}]
        return body

    def let_in(self):
        if self.waits:
            return 501, "NOT_IMPLEMENTED"
        if self.refuses:
            return 400, self.refuses
        if not self.is_known:
            return ANY_ANSWER, None
        return LET_IN.get(self.id, (self.success, None))


def operations(known):
    rows = catalog()
    older = next(row for row in rows if row["operation"] == "updatePrivateIpMode")
    return [Operation(row, known=known) for row in rows] + [Operation(older, "/api/svc/v1.0", known)]


class Plan:
    """What is asked, and what must come back: cells for one operation."""

    def __init__(self, facts):
        self.facts = facts
        self.values = {"id": facts["some"], "userId": facts["some"], "clusterName": "c1", **facts["fixtures"]}

    def cells(self, op, number):
        """(column, caller, method, target, expected status or statuses, expected code)."""
        facts, public = self.facts, op.rule == "PUBLIC"
        own = op.target(self.values)

        def cell(column, caller, status, code=None, target=own, method=op.method):
            if public:
                status, code = op.let_in()
            return column, caller, method, target, status, code

        for column in ("none", "malformed", "expired", "revoked", "wrong digest", "unknown key", "stolen nonce"):
            yield cell(column, column, 401)
        if op.method == "GET":
            yield cell("HEAD, none", "none", 401, method="HEAD")
            yield cell("HEAD, owner", "owner", *self.of_owner(op), method="HEAD")
        yield cell("wrong address, bearer", "wrong address, bearer", 403, "ADDRESS_NOT_ALLOWED")
        yield cell("wrong address, digest", "wrong address, digest", 403, "ADDRESS_NOT_ALLOWED")
        yield cell("no access list", "no access list", 403, "ACCESS_LIST_REQUIRED")
        for role in facts["roles"]:
            for method in ("bearer", "digest"):
                yield cell("%s by %s" % (role, method), (role, method), *self.of_role(op, role))
        for method in ("bearer", "digest"):
            yield cell("another organization by %s" % method, ("stranger", method), *self.of_stranger(op))
        yield from self.cells_of_context(op, cell)

    def cells_of_context(self, op, cell):
        facts = self.facts
        foreign = {"groupId": facts["q"], "orgId": facts["b"], "federationSettingsId": facts["fb"]}
        gone = {"groupId": facts["gone project"], "orgId": facts["gone organization"], "federationSettingsId": facts["gone federation"]}
        for name in op.parameters:
            if name not in CONTEXTS:
                continue
            outer = name != op.context  # a federation around an organization: that the two belong together is checked
            for column, value, status, code in (
                ("foreign " + name, foreign[name], 404 if outer else 401, "RESOURCE_NOT_FOUND" if outer else "NOT_A_MEMBER"),
                ("absent " + name, new_id(), 404, "RESOURCE_NOT_FOUND"),
                ("malformed " + name, "not-an-id", 404, "RESOURCE_NOT_FOUND"),
                ("upper case " + name, "ABCDEF0123456789ABCDEF01", 404, "RESOURCE_NOT_FOUND"),
                ("deleted " + name, gone[name], 404, "RESOURCE_NOT_FOUND"),
            ):
                target = op.target({**self.values, name: value})
                yield cell(column, "owner", status, code, target)
                if not outer:
                    yield cell(column + " by digest", "owner by digest", status, code, target)
                # Whoever does not say who they are learns nothing about what exists.
                yield cell(column + ", nobody", "none", 401, "NOT_AUTHENTICATED", target)
            yield cell("deleted %s, its own caller" % name, "gone caller", 401, "INVALID_CREDENTIALS", op.target({**self.values, name: gone[name]}))

    # ---- Attacks: what does not exist, and what is somebody else's ----
    def attacks(self, op):
        """(column, caller, method, target, expected statuses, None): whatever the tables say about the operation."""
        own, foreign = values_for(op.path, self.values), values_for(op.path, self.facts["foreign"])
        children = [name for name in op.parameters if name not in CONTEXTS]
        theirs = {name: foreign[name] for name in children if name not in WORDS and foreign.get(name) not in (None, own.get(name))}

        def attack(column, instead, caller="owner"):
            return column, caller, op.method, op.target(self.values, dry=False, instead=instead), self.of_attack(op, instead), None

        for name in op.parameters:
            yield attack("zero " + name, {name: ZERO})
            yield attack("no identifier as " + name, {name: NO_IDENTIFIER})
        if len(op.parameters) > 1:
            yield attack("zeros", {name: ZERO for name in op.parameters if name not in WORDS})
        for name, value in theirs.items():
            yield attack("%s of somebody else" % name, {name: value})
        if len(theirs) > 1:
            yield attack("everything of somebody else below one's own", theirs)
        if op.context:
            contexts = {name: foreign[name] for name in op.parameters if name in CONTEXTS}
            yield attack("one's own below somebody else's", contexts)
            yield attack("everything of somebody else", {**contexts, **theirs})
            yield attack("zero %s by somebody else" % op.context, {op.context: ZERO}, ("stranger", "bearer"))
            for name, value in theirs.items():
                yield attack("zero %s, %s of somebody else" % (op.context, name), {op.context: ZERO, name: value})

    @staticmethod
    def of_attack(op, instead):
        """404 for what is not there; 401 where somebody else is at home, which the caller may know."""
        if any(name in instead for name in CONTEXTS) or op.rule == "ANY_CALLER":
            return frozenset((401, 404))
        if op.refuses:
            return frozenset((400, 404))
        if op.waits and "clusterName" not in instead:
            return frozenset((404, 501))
        # A word that the operation does not know is no name of a thing, but a mistake.
        return frozenset((400, 404)) if set(instead) & (WORDS | set(op.forms)) else frozenset((404,))

    # ---- The rules ----
    def of_role(self, op, role):
        facts, closure = self.facts["roles"][role], self.facts["roles"][role]["closure"]
        if op.rule in ("PUBLIC", "ANY_CALLER"):
            return self.of_visible(op, role)
        # Roles in a project do not count in its organization; those in the organization count in its projects.
        counts = op.context in (None, "groupId") or facts["of"] == "org"
        if counts and closure & op.roles:
            return op.let_in()
        return 403, "MISSING_ROLE"

    def of_visible(self, op, role):
        """A project by its name is found among those that the caller can see, wherever the caller itself belongs to."""
        if op.id != "getProjectByName":
            return op.let_in()
        facts = self.facts["roles"][role]
        sees = facts["of"] == "project" or "GROUP_READ_ONLY" in facts["closure"]
        return op.let_in() if sees else (404, "RESOURCE_NOT_FOUND")

    def of_owner(self, op):
        return op.let_in()

    def of_stranger(self, op):
        """The owner of another organization: inside nothing that the path names, and not in the organization of the body."""
        if op.rule == "PUBLIC":
            return op.let_in()
        if op.context:
            return 401, "NOT_A_MEMBER"
        if op.id in ("createProject", "createUser"):
            return 401, "NOT_A_MEMBER"
        if op.id in ("getProjectByName", "getUser", "getUserByName"):
            return 404, "RESOURCE_NOT_FOUND"
        return op.let_in()


# ---- Asking ----
class Worker:
    """One process: its own connections, its own Digest nonces, its own share of the operations."""

    def __init__(self, node, facts):
        self.facts = facts
        self.here, self.there = connect(node), connect(node, source=ELSEWHERE)
        self.contract = Contract()
        self.passed, self.failures, self.malformed = 0, [], 0
        pairs = facts["callers"]
        self.auth = {
            "none": None,
            "expired": Bearer(facts["expired"]),
            "revoked": Bearer(facts["revoked"]),
            "wrong digest": Digest(pairs["stranger"]["public"], pairs["stranger"]["private"] + "x"),
            "unknown key": Digest("zzzzzzzz", "reeve_pk_unknown"),
            "wrong address, bearer": Bearer(facts["listed"]["token"]),
            "wrong address, digest": Digest(facts["listed"]["public"], facts["listed"]["private"]),
            "no access list": Bearer(facts["unlisted"]),
            "owner": Bearer(facts["owner"]["token"]),
            "owner by digest": Digest(facts["owner"]["public"], facts["owner"]["private"]),
            "gone caller": Bearer(facts["gone token"]),
        }
        for name, pair in pairs.items():
            self.auth[name, "bearer"] = Bearer(pair["token"])
            self.auth[name, "digest"] = [Digest(pair["public"], pair["private"], algorithm) for algorithm in ("SHA-256", "MD5")]

    def credentials(self, caller, number, method, target):
        if caller == "malformed":
            self.malformed += 1
            return Literal(MALFORMED[self.malformed % len(MALFORMED)])
        if caller == "stolen nonce":  # a genuine answer to another request's challenge
            signer = self.auth["owner by digest"]
            elsewhere = PREFIX + "/elsewhere"
            return Literal(signer.header("GET", elsewhere) or signer.header("GET", elsewhere) or "Digest")
        auth = self.auth[caller]
        return auth[number % 2] if isinstance(auth, list) else auth

    def ask(self, op, number, cell):
        column, caller, method, target, status, code = cell
        connection = self.there if str(caller).startswith("wrong address") else self.here
        answer = connection.ask(method, target, self.credentials(caller, number, method, target), op.body(self.facts["a"]))
        wrong = []
        if answer.status != status and not (isinstance(status, frozenset) and answer.status in status):
            wrong.append("%s was expected" % (status if isinstance(status, int) else sorted(status)))
        if code and method != "HEAD" and answer.code() != code:
            wrong.append("%s was expected" % code)
        if status == 404 and answer.status == 404 and method != "HEAD":
            path = target.partition("?")[0]
            if answer.json()["parameters"] != [path] or answer.json()["detail"] != "Cannot find resource %s." % path:
                wrong.append("the document does not name the path")
        wrong += self.contract.problems(answer)
        if wrong:
            self.failures.append("%s %s, %s: %d %s: %s" % (method, op.path, column, answer.status, answer.code(), "; ".join(wrong)))
        else:
            self.passed += 1


def work(share, node, facts, ops, columns, results):
    try:
        worker, plan = Worker(node, facts), Plan(facts)
        # So that "stolen nonce" has a nonce to use.
        worker.here.ask("GET", PREFIX, worker.auth["owner by digest"])
        for number, op in enumerate(ops):
            if number % PROCESSES != share:
                continue
            for cell in plan.attacks(op) if columns is None else plan.cells(op, number):
                if columns is None or columns(cell[0]):
                    worker.ask(op, number, cell)
        results.put((worker.passed, worker.failures, worker.contract.count, len(worker.contract.seen)))
    except BaseException as why:
        results.put((0, ["process %d: %r" % (share, why)], 0, 0))
        raise


def run_cells(suite, node, facts, ops, columns):
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    processes = [context.Process(target=work, args=(share, node, facts, ops, columns, results)) for share in range(PROCESSES)]
    distinct = 0
    try:
        for process in processes:
            process.start()
        for _ in processes:
            passed, failures, _, seen = results.get()
            suite.take(passed, failures)
            distinct += seen
    finally:
        for process in processes:
            if process.pid:
                process.join(5)
                if process.is_alive():
                    process.terminate()
                    process.join()
    return distinct


# ---- The world of this matrix ----
def pair(caller):
    return {"token": caller.token, "public": caller.public_key, "private": caller.private_key}


def short_lived_token(client):
    """A token of a node that issues them for a minute only, and when it ends."""
    with start_node(settings={"token_lifetime_s": 60}, migrate=False) as node:
        with connect(node) as connection:
            return connection.fetch_token(client.client_id, client.client_secret), time.monotonic() + 61


def make_more(world):
    """Of world B, what no other suite needs as a fixture."""
    owner, org, project = world.b.bearer(), "/orgs/" + world.b.home, "/groups/" + world.q
    invited = world.must(200, "POST", org + "/invites", owner, {"username": "invited@b.example.org", "roles": ["ORG_MEMBER"]}).json()["id"]
    webhook = world.must(201, "POST", org + "/webhooks", owner, {"url": "https://hooks.example.org/b"}).json()["id"]
    event = world.must(200, "GET", project + "/events?itemsPerPage=1", owner).json()["results"][0]["id"]
    invoice = new_id()
    sql("INSERT INTO invoice (org_id, id, began_at, ends_at, status, subtotal_cents, created_at, updated_at, closed_at) VALUES "
        "(decode('%s', 'hex'), decode('%s', 'hex'), '2020-01-01Z', '2020-02-01Z', 'FREE', 0, '2020-01-01Z', '2020-02-01Z', '2020-02-01Z')"
        % (world.b.home, invoice))
    return {"invitationId": invited, "webhookId": webhook, "eventId": event, "invoiceId": invoice}


def make_facts(world):
    listed, unlisted, revoked, gone = (world.make_caller(name) for name in ("listed", "unlisted", "revoked", "gone"))
    revoked_token = revoked.token
    world.connection.revoke_token(revoked.client_id, revoked.client_secret, revoked_token)
    # The owner of world A, too, owns the organization that is about to go; else it were merely a stranger there.
    sql("""BEGIN;
        %s %s %s %s
        INSERT INTO role_grant (principal_id, org_id, role) VALUES
            (decode('%s', 'hex'), decode('%s', 'hex'), 'ORG_OWNER'), (decode('%s', 'hex'), decode('%s', 'hex'), 'ORG_OWNER');
        COMMIT;""" % (
        world.listing(listed.account, listed.home, "127.0.0.1/32"), world.listing(listed.key, listed.home, "127.0.0.1/32"),
        world.grant_only(unlisted, world.a.home, None, "ORG_OWNER"),
        "DELETE FROM access_list_entry WHERE principal_id = decode('%s', 'hex');" % unlisted.account,
        world.a.account, gone.home, world.a.key, gone.home))
    tell_nodes()
    gone_project = world.make_project(world.a, "gone")
    gone_federation = sql("SELECT encode(federation_id, 'hex') FROM organization WHERE id = decode('%s', 'hex')" % gone.home)
    world.must(200, "GET", "/groups/" + gone_project, world.a.bearer())
    world.must(200, "GET", "/orgs/" + gone.home, world.a.bearer())
    world.must(204, "DELETE", "/groups/" + gone_project, world.a.bearer())
    world.must(204, "DELETE", "/orgs/" + gone.home, world.a.bearer())
    return {
        "fixtures": world.make_fixtures(), "foreign": {**world.make_fixtures(of_b=True), **make_more(world)}, "a": world.a.home, "b": world.b.home, "p": world.p, "q": world.q,
        "fb": world.federation[world.b.home],
        "some": new_id(), "roles": world.roles, "owner": pair(world.a),
        "callers": {"stranger": pair(world.b), **{role: pair(caller) for role, caller in world.callers.items()}},
        "listed": pair(listed), "unlisted": unlisted.token, "revoked": revoked_token,
        "gone project": gone_project, "gone organization": gone.home, "gone federation": gone_federation, "gone token": gone.token,
    }


def check_hashes_notice(suite, world):
    """The proof is worth something only if it sees what does change."""
    before = row_hashes()
    world.must(200, "PATCH", "/groups/%s/privateIpMode" % world.p2, world.a.bearer(), {"enabled": True})
    seen = changed_tables(before, row_hashes())
    suite.check(any("resource" in name for name in seen) and any("event" in name for name in seen),
                "a change is not seen in the hashes: %s", seen)


def main():
    ends_on_signal()
    suite = Suite("access matrix")
    with MonitorStore() as store, start_node(workers=2, settings={"monitor_stores": store.url}) as node:
        world = World(node)
        facts = make_facts(world)
        seed_now(store, world.p, "c1")
        ops = operations(facts["fixtures"])
        facts["expired"], expires_at = short_lived_token(world.a)
        check_hashes_notice(suite, world)
        suite.say("%d operations, %d roles; world made in %.1f s" % (len(ops), len(world.roles), time.monotonic() - suite.began))
        before, already = row_hashes(), suite.passed
        began = time.monotonic()
        distinct = run_cells(suite, node, facts, ops, lambda column: column != "expired")
        time.sleep(max(0, expires_at - time.monotonic()))
        distinct += run_cells(suite, node, facts, ops, lambda column: column == "expired")
        cells = suite.passed - already + len(suite.failures)
        attacked = len(suite.failures)
        began_attacks, tried = time.monotonic(), suite.passed
        distinct += run_cells(suite, node, facts, ops, None)
        tried, through = suite.passed - tried + len(suite.failures) - attacked, sum(bool(re.search(": 2[0-9][0-9] ", line)) for line in suite.failures[attacked:])
        suite.say("%d attacks with zeros and with somebody else's identifiers in %.0f s: %d answers of 2xx"
                  % (tried, time.monotonic() - began_attacks, through))
        changed = changed_tables(before, row_hashes())
        suite.check(not changed, "the database changed: %s", changed)
        suite.say("%.0f s for all cells; %d distinct answers held against the OpenAPI document" % (time.monotonic() - began, distinct))
        world.close()
    print("access matrix: %d cells, %d failures" % (cells, len(suite.failures)))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
