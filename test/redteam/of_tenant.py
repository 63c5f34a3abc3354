# SPDX-License-Identifier: Apache-2.0
"""With a tenant's credentials, beyond identifiers: what a tenant writes and others would pay for, whom a tenant speaks for, and where a tenant sends
the service to (S4 to S8, S11). And what nobody without credentials may send at all (S5)."""
import csv
import http.client
import io
import json
import secrets
import socket
import time

from access_matrix import ZERO, Plan
from client import PATIENCE, Bearer
from exchange_provider import make_store_role
from of_node import ask as ask_cell
from rows import Attack
from world import PREFIX, connect, new_id, no_limits, reeved, sql, tell_nodes

SOON_S = 5
LARGE = 1024 * 1024


def judge(answer, refused=range(400, 500)):
    return None if answer.status in refused else "%d %s" % (answer.status, answer.body[:120].decode(errors="replace"))


def ask(ground, method, target, caller, body=None, refused=range(400, 500)):
    with connect(ground.node) as connection:
        return judge(connection.ask(method, target if target.startswith("/api") else PREFIX + target, caller and Bearer(caller), body), refused)


# ---- Roles: what a caller of each role may not do ----
def of_roles(ground):
    plan = Plan(ground.facts)
    for number, op in enumerate(ground.operations):
        for cell in plan.cells(op, number):
            if cell[4] == 403 and cell[5] == "MISSING_ROLE" and isinstance(cell[1], tuple) and cell[1][1] == "bearer":
                yield Attack("%s %s: %s" % (op.method, op.path, cell[1][0]), "tenant", "operations need their role", lambda o=op, n=number, c=cell: ask_cell(ground, o, n, c))


# ---- S4: rules that cost others time ----
RULES = ("(1e131000/7)%(1e65000/3)>1", "$members * 2 > 1", "$.a[*]*2 > 1", "$members - 1 > 2", "-$members > 1", "1e5 > 1", "12345678901234567890123 > 1", "$.**.** == 1",
         "$.x.string() == \"a\"", "\"1e99999\".number() > 1", "$ ? (exists($ ? (exists($ ? (exists($)))))) == 1", "$.a like_regex \"(a{200}){200}\"",
         "$.a like_regex \"(.)\\\\1\"", "$.\\u0073tring() == 1")
COSTLY = " || ".join(["(1e131000/7)%(1e65000/3)>1"] * 60)


def evaluate_old_rule(ground):
    """One that was stored before it was refused: looking for what breaks it takes no time."""
    policy, org = new_id(), ground.facts["b"]
    sql("INSERT INTO resource (id, org_id, scope, kind, name, document) VALUES (decode('{0}', 'hex'), decode('{1}', 'hex'), decode('{1}', 'hex'), 'resourcePolicy', '{0}', "
        "jsonb_build_object('name', 'old', 'policies', jsonb_build_array(jsonb_build_object('id', '{0}', 'body', '{2}'))))".format(policy, org, COSTLY))
    try:
        began = time.monotonic()
        with connect(ground.node, timeout=60) as connection:
            connection.ask("GET", PREFIX + "/orgs/%s/nonCompliantResources" % org, Bearer(ground.facts["callers"]["stranger"]["token"]))
        took = time.monotonic() - began
        return "it was evaluated for %.1f s" % took if took > SOON_S / 2 else None
    finally:
        sql("DELETE FROM resource WHERE id = decode('%s', 'hex')" % policy)


def of_rules(ground):
    owner, org = ground.facts["owner"]["token"], "/orgs/" + ground.facts["a"]
    for rule in RULES:
        for path in ("/resourcePolicies?dryRun=true", "/resourcePolicies:validate"):
            yield ("S4: the rule %s at %s" % (rule, path.partition("?")[0]), "rules that cost time are not offered",
                   lambda r=rule, p=path: ask(ground, "POST", org + p, owner, {"name": "x", "policies": [{"body": r}]}))
    yield "S4: an old rule is evaluated", "rules that cost time are not offered", lambda: evaluate_old_rule(ground)


# ---- S5, S6: bodies ----
def unread_body(ground, path, head, sent):
    """A long body is announced and does not come: whoever is not let in is told so before it is there."""
    with ground.node.connect(timeout=SOON_S) as one:
        one.sendall(("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n" % (path, LARGE, head)).encode() + b" " * sent)
        try:
            line = one.recv(4096)
        except (TimeoutError, socket.timeout):
            return "the node waits for a body of a megabyte"
    return None if line[9:12] in (b"400", b"401", b"403", b"413") else repr(line[:60])


def of_bodies(ground):
    facts = ground.facts
    targets = ["/groups/%s/accessList" % facts["p"], "/orgs", "/groups", "/orgs/%s/serviceAccounts" % facts["a"], "/groups/%s/clusters" % facts["p"],
               "/groups/%s/databaseUsers" % facts["p"], "/orgs/%s/resourcePolicies" % facts["a"], "/orgs/%s/webhooks" % facts["a"]]
    for head, what in (("", "nobody"), ("Authorization: Bearer x\r\n", "a malformed token"), ("Authorization: Bearer %s\r\n" % facts["revoked"], "a revoked token")):
        for target in targets:
            for sent in (0, 65536):
                yield ("S5: %s sends a megabyte to %s, %d bytes at first" % (what, target.replace(facts["p"], "{groupId}").replace(facts["a"], "{orgId}"), sent),
                       "bodies are read from callers only", lambda t=target, h=head, s=sent: unread_body(ground, PREFIX + t, h, s))
    yield ("S5: a form of 100,000 bytes at the token endpoint", "forms are small",
           lambda: unread_form(ground))
    many = b"[" + b",".join([b"{}"] * 100000) + b"]"
    for target in targets[:1] + targets[4:]:
        yield ("S6: 100,000 values to " + target.split("/")[-1], "bodies have so many values",
               lambda t=target: many_values(ground, "POST", t, many, "20000 values"))
    for target in ("/orgs/" + facts["a"], "/groups/" + facts["p"], "/groups/%s/clusters" % facts["p"], "/orgs", "/groups"):
        yield ("S6: a large body where none is taken: " + target.replace(facts["p"], "{groupId}").replace(facts["a"], "{orgId}"), "where no body is taken none is read",
               lambda t=target: ask(ground, "GET", t, facts["owner"]["token"], b"{" + b" " * 20000 + b"}"))


def unread_form(ground):
    with connect(ground.node) as connection:
        answer = connection.send_once("POST", "/api/oauth/token", [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
                                      b"grant_type=client_credentials&x=" + b"y" * 100000)
        return None if answer.status in (400, 413) and b"invalid_client" not in answer.body else "%d %r" % (answer.status, answer.body[:100])


def many_values(ground, method, target, body, sentence):
    with connect(ground.node) as connection:
        answer = connection.ask(method, PREFIX + target, Bearer(ground.facts["owner"]["token"]), body)
        return None if answer.status == 400 and sentence in answer.body.decode() else judge(answer, ()) or "it was taken"


# ---- S7: an identity provider that another organization uses ----
def share_provider(ground):
    """Two organizations in one federation, and a provider that both use."""
    world = ground.world
    owner, other = world.make_caller("Shares"), world.make_caller("Shares, too")
    no_limits([owner.home, other.home])
    federation = world.must(200, "GET", "/orgs/%s/federationSettings" % owner.home, owner.bearer()).json()["id"]
    provider = world.must(200, "POST", "/federationSettings/%s/identityProviders" % federation, owner.bearer(),
                          {"displayName": "Login", "issuerUri": "https://login.example.org", "audience": "reeve"}).json()["id"]
    reeved("federation", "connect", other.home, owner.home, "--config", ground.node.conf)
    for one in (owner, other):
        world.must(200, "PATCH", "/federationSettings/%s/connectedOrgConfigs/%s" % (federation, one.home), one.bearer(), {"identityProviderId": provider})
    return owner, other, "/federationSettings/%s/identityProviders/%s" % (federation, provider)


CHANGES = ({"issuerUri": "https://evil.example.org"}, {"audience": "other"}, {"clientId": "other"}, {"userClaim": "sub"}, {"groupsClaim": "roles"},
           {"authorizationType": "USER"}, {"status": "INACTIVE"}, {"issuerUri": "https://evil.example.org", "displayName": "as before"})


def of_providers(ground):
    owner, other, path = share_provider(ground)
    for who, caller in (("who made it", owner), ("who uses it", other)):
        for change in CHANGES:
            yield ("S7: %s is changed by %s" % (json.dumps(change), who), "nobody decides for others who share a provider",
                   lambda c=caller, b=change: ask(ground, "PATCH", path, c.token, {"protocol": "OIDC", **b}))
        yield ("S7: it is removed by " + who, "nobody decides for others who share a provider", lambda c=caller: ask(ground, "DELETE", path, c.token))


# ---- S8: speaking for others ----
def token_in_answer(ground, method, target, body):
    with connect(ground.node) as connection:
        answer = connection.ask(method, PREFIX + target, Bearer(ground.facts["owner"]["token"]), body)
    if answer.status >= 300:
        raise AssertionError(repr(answer))
    return "a token" if b"reeve_inv_" in answer.body or b'"token"' in answer.body else None


def of_people(ground):
    facts, world = ground.facts, ground.world
    org, project, owner = "/orgs/" + facts["a"], "/groups/" + facts["p"], facts["owner"]["token"]
    stranger = world.make_person("stranger-%s@elsewhere.example" % secrets.token_hex(3), facts["b"])
    person = {"roles": {"orgRoles": ["ORG_MEMBER"]}}
    for number, (target, more) in enumerate(((org + "/users", person), (org + "/invites", {"roles": ["ORG_MEMBER"]}), (project + "/users", {"roles": ["GROUP_READ_ONLY"]}),
                                             (project + "/access", {"roles": ["GROUP_READ_ONLY"]}), (project + "/invites", {"roles": ["GROUP_READ_ONLY"]}))):
        for form in ("", "?envelope=true", "?pretty=true"):
            address = "red%d%s@example.org" % (number, secrets.token_hex(3))
            yield ("S8: the answer of POST %s%s has the token" % (target.split("/", 3)[3], form), "tokens of invitations go to the invited only",
                   lambda t=target + form, b={"username": address, **more}: token_in_answer(ground, "POST", t, b))
    for target in (org + "/users", org + "/invites", project + "/invites", org + "/events?itemsPerPage=500", project + "/users"):
        yield ("S8: the list GET %s has a token" % target.split("/", 3)[3], "tokens of invitations go to the invited only", lambda t=target: token_in_answer(ground, "GET", t, None))
    invitation = world.must(200, "POST", org + "/invites", world.a.bearer(), {"username": "red-%s@example.org" % secrets.token_hex(3), "roles": ["ORG_MEMBER"]}).json()["id"]
    for what, caller, body in (("the inviter", owner, {"invitationId": invitation}), ("nobody", None, {"invitationId": invitation}),
                               ("somebody else", facts["callers"]["stranger"]["token"], {"invitationId": invitation}),
                               ("a guess", None, {"token": "reeve_inv_" + "A" * 49, "firstName": "E", "lastName": "E"}),
                               ("the identifier as token", None, {"token": invitation, "firstName": "E", "lastName": "E"}),
                               ("zeros", owner, {"invitationId": ZERO})):
        yield "S8: %s accepts for the invited" % what, "who accepts has the address", lambda c=caller, b=body: ask(ground, "POST", "/api/invitations/accept", c, b)
    for what, who in (("a stranger", stranger), ("nobody", new_id()), ("zeros", ZERO), ("another organization's account", world.b.account)):
        yield ("S8: %s becomes owner of a project" % what, "people are seen by their organizations",
               lambda w=who: ask(ground, "POST", "/groups?dryRun=true&projectOwnerId=" + w, owner, {"name": "owned", "orgId": facts["a"]}))
        yield ("S8: %s becomes owner of an organization" % what, "people are seen by their organizations",
               lambda w=who: ask(ground, "POST", "/orgs?dryRun=true", owner, {"name": "owned", "orgOwnerId": w}))
        yield "S8: the names of %s" % what, "people are seen by their organizations", lambda w=who: ask(ground, "GET", "/users/" + w, owner)


# ---- S11: where a tenant sends the service to ----
INSIDE = ("10.1.2.3", "127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:10.1.2.3]", "169.254.169.254", "localhost", "LOCALHOST.", "a.localhost", "localhost.localdomain",
          "ip6-localhost", "db", "db.internal", "printer.local", "nas.lan", "[fe80::1]", "[fd00:ec2::254]", "100.64.0.1", "0.0.0.0", "192.168.1.1", "[64:ff9b::7f00:1]", "[2002:7f00:1::]")


def of_places(ground):
    facts = ground.facts
    owner, org, project = facts["owner"]["token"], "/orgs/" + facts["a"], "/groups/" + facts["p"]
    federation = "/federationSettings/" + ground.world.federation[facts["a"]]
    wall = "names and addresses of the inside are refused when they are set"
    for host in INSIDE:
        bare = host.strip("[]")
        for what, method, target, body in (
                ("a webhook", "POST", org + "/webhooks", {"url": "https://%s/x" % host}),
                ("an alert's webhook", "POST", project + "/alertConfigs", {"eventTypeName": "GROUP_UPDATED", "notifications": [{"typeName": "WEBHOOK", "webhookUrl": "https://%s/x" % host}]}),
                ("an integration", "PUT", project + "/integrations/WEBHOOK", {"type": "WEBHOOK", "url": "https://%s/x" % host}),
                ("an export bucket", "POST", project + "/backup/exportBuckets", {
                    "bucketName": "exports", "cloudProvider": "AWS", "serviceUrl": "https://%s" % host, "accessKeyId": "a", "secretAccessKey": "b"}),
                ("an identity provider", "POST", federation + "/identityProviders", {"displayName": "x", "issuerUri": "https://%s" % host, "audience": "a"}),
                ("a key service", "PATCH", project + "/encryptionAtRest", {"kmip": {"hostname": bare}}),
                ("a directory", "PATCH", project + "/userSecurity", {"ldap": {
                    "hostname": bare, "port": 636, "bindUsername": "cn=a", "bindPassword": "correct horse", "authenticationEnabled": True}})):
            yield "S11: %s at %s" % (what, host), wall, lambda m=method, t=target, b=body: ask(ground, m, t + ("&" if "?" in t else "?") + "dryRun=true", owner, b)


def of_buckets(ground):
    """What a tenant writes to with the key of another."""
    facts = ground.facts
    bucket = sql("SELECT encode(id, 'hex') FROM resource WHERE kind = 'backupExportBucket' AND scope = decode('%s', 'hex') LIMIT 1" % facts["q"])
    snapshot = sql("SELECT encode(id, 'hex') FROM snapshot WHERE project_id = decode('%s', 'hex') AND state = 'COMPLETED' AND hidden_at IS NULL LIMIT 1" % facts["p"])
    wall, backup = "exports go to buckets of their own project", "/groups/%s/clusters/c1/backup" % facts["p"]
    for what, method, target, body in (
            ("an export", "POST", "/exports", {"exportBucketId": bucket, "snapshotId": snapshot}),
            ("a schedule that exports", "PATCH", "/schedule", {"autoExportEnabled": True, "export": {"exportBucketId": bucket, "frequencyType": "monthly"}}),
            ("a schedule that may export later", "PATCH", "/schedule", {"export": {"exportBucketId": bucket, "frequencyType": "yearly"}})):
        yield "%s to another's bucket" % what, wall, lambda m=method, t=backup + target, b=body: ask(ground, m, t + "?dryRun=true", facts["owner"]["token"], b)


def of_store_roles(ground):
    """What a tenant writes with the role of another, and where."""
    caller = ground.world.make_caller("Assumes")
    own, other = (ground.world.make_project(caller, name) for name in ("assumes", "assumed"))
    roles = {}
    for project, name in ((own, "own"), (other, "other")):
        made = ground.world.must(200, "POST", "/groups/%s/cloudProviderAccess" % project, caller.bearer(), {"providerName": "AWS"}).json()
        make_store_role(name, made["serviceAssumedRoleExternalId"], name + "/", "redteam")
        roles[name] = made
    arn, prefix = "arn:reeve:s3::redteam:role/%s", "/groups/" + own
    for project, name in ((own, "own"), (other, "other")):
        ground.world.must(200, "PATCH", "/groups/%s/cloudProviderAccess/%s" % (project, roles[name]["roleId"]), caller.bearer(), {"providerName": "AWS", "iamAssumedRoleArn": arn % name})
    spare = ground.world.must(200, "POST", prefix + "/cloudProviderAccess", caller.bearer(), {"providerName": "AWS"}).json()["roleId"]
    place = lambda role, path="": {"bucketName": "tenants", "iamRoleId": roles[role]["roleId"], "prefixPath": path}
    assumed, written, below = ("roles are assumed by the project that they were made for", "what is written with a role is written by its project", "what is written stays below the role's prefix")
    external = {"providerName": "AWS", "serviceAssumedRoleExternalId": roles["other"]["serviceAssumedRoleExternalId"]}
    for what, wall, method, target, body in (
            ("a role that was made for another project", assumed, "PATCH", "/cloudProviderAccess/" + spare, {"providerName": "AWS", "iamAssumedRoleArn": arn % "other"}),
            ("a role that was made for another role", assumed, "PATCH", "/cloudProviderAccess/" + spare, {"providerName": "AWS", "iamAssumedRoleArn": arn % "own"}),
            ("another project's external id", "external ids are the service's", "POST", "/cloudProviderAccess", external),
            ("another project's role is authorized", written, "PATCH", "/cloudProviderAccess/" + roles["other"]["roleId"], {"providerName": "AWS", "iamAssumedRoleArn": arn % "other"}),
            ("an export bucket with another project's role", written, "POST", "/backup/exportBuckets", {"cloudProvider": "AWS", "bucketName": "tenants", "iamRoleId": roles["other"]["roleId"]}),
            ("logs with another project's role", written, "POST", "/pushBasedLogExport", place("other")),
            ("chosen logs with another project's role", written, "POST", "/logIntegrations", {"type": "S3_LOG_EXPORT", "logTypes": ["POSTGRES"], **place("other")}),
            ("logs where backups are", below, "POST", "/pushBasedLogExport", {**place("own"), "bucketName": "backups"}),
            *(("logs at %r" % path, below, "POST", "/pushBasedLogExport", place("own", path)) for path in ("../other/", "a/../../other/", "/other/", "./", "..", "a//b/", "%2e%2e/", "a\\..\\"))):
        yield what, wall, lambda m=method, t=prefix + target, b=body: ask(ground, m, t + "?dryRun=true", caller.token, b)


def of_older_version(ground):
    """S11: the one operation of v1.0 had no limit."""
    caller = ground.world.make_caller("Hurries")
    project = ground.world.make_project(caller, "hurried")
    sql("INSERT INTO limit_override (owner, set_name, capacity, refill) SELECT decode('%s', 'hex'), format('S%%s', lpad(n::text, 2, '0')), 5, 1 FROM generate_series(1, 67) n "
        "ON CONFLICT (owner, set_name) DO UPDATE SET capacity = 5, refill = 1" % project)
    tell_nodes()
    time.sleep(PATIENCE)  # one process of the node has heard: this is for the others

    def hurry():
        with connect(ground.node) as connection:
            seen = [connection.ask("PATCH", "/api/svc/v1.0/groups/%s/privateIpMode" % project, caller.bearer(), {"enabled": True}).status for _ in range(60)]
        return None if 429 in seen else "60 changes in a row"
    yield "S11: private IP mode is changed by v1.0 without a limit", "every operation has a limit", hurry


# ---- What a deletion would take along: counts of somebody else's things ----
def of_dry_runs(ground):
    for path in ("/groups/%s" % ground.world.q, "/orgs/%s" % ground.world.b.home, "/groups/%s/clusters/orders" % ground.world.q):
        yield "what would go with another's, DELETE %s?dryRun=true" % path.split("/")[1], "whoever has no role somewhere is a stranger there", (
            lambda p=path: ask(ground, "DELETE", p + "?dryRun=true", ground.facts["owner"]["token"]))


# ---- Names: what a project says of private addresses is about its own clusters ----
def names_of_another(ground, setting, look):
    """An owner switches it in an own project. `look` is at the cluster of another, which has a member with two addresses meanwhile."""
    facts = ground.facts
    cluster, label, path = sql("SELECT encode(c.id, 'hex') || ' ' || coalesce(c.host_label, c.set_name || '-shard-00') || ' /groups/' || encode(r.scope, 'hex') || '/clusters/' || r.name "
                               "FROM cluster c JOIN resource r ON r.id = c.id AND r.kind = 'cluster' WHERE r.org_id = decode('%s', 'hex') LIMIT 1" % facts["b"]).split()

    def switch(on):
        with connect(ground.node) as connection:
            status = connection.ask("PATCH", PREFIX + "/groups/%s/%s" % (facts["p"], setting), Bearer(facts["owner"]["token"]), {"enabled": on}).status
        if status != 200:
            raise RuntimeError("nothing was tried: %d" % status)
    try:
        sql("INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT '{0}-77' || end_of || '.red.example.test', 'A', content, org_id, id FROM cluster, "
            "(VALUES ('', '198.51.100.77'), ('-pri', '10.77.77.77')) r (end_of, content) WHERE id = decode('{1}', 'hex')".format(label, cluster))
        before = look(ground, label, path)
        switch(True)
        after = look(ground, label, path)
        return None if before == after else "%s, and then %s" % (before, after)
    finally:
        switch(False)
        sql("DELETE FROM dns_record WHERE name LIKE '%.red.example.test'")


def answer_of(ground, label, path):
    return sql("SELECT content FROM reeve_dns.records WHERE name = '%s-77.red.example.test' AND type = 'A'" % label)


def strings_of(ground, label, path):
    with connect(ground.node) as connection:
        answer = connection.ask("GET", PREFIX + path, Bearer(ground.facts["callers"]["stranger"]["token"]))
    if answer.status != 200:
        raise RuntimeError("nothing was tried: %d" % answer.status)
    return sorted(answer.json()["connectionStrings"])


def of_names(ground):
    wall = "names of clusters follow their own project"
    yield "private IP mode changes where another's names lead", wall, lambda: names_of_another(ground, "privateIpMode", answer_of)
    yield "custom DNS changes another's connection strings", wall, lambda: names_of_another(ground, "providerCustomDNS", strings_of)


# ---- Names and tags in files that others open ----
FORMULAS = ("=cmd|' /C calc'!A0", "@SUM(A1)", "+1+1", "-2+3", "x;=1+1", "x\t=1+1", "x|=1+1", 'x",=1+1,"', "x\r\n=1+1")


def run_in_spreadsheet(ground, text, where):
    """A line of an invoice whose project, cluster or tag somebody of the project chose; who pays opens it, told one separator or another."""
    org = ground.facts["b"]
    quoted = "'%s'" % text.replace("'", "''")
    names = {"project": "''", "cluster": "''", "value": "'x'", "key": "'x'", where: quoted}
    sql("INSERT INTO invoice (org_id, id, began_at, ends_at, created_at, updated_at) SELECT o.id, decode('%s', 'hex'), '2021-01-01', '2021-02-01', now(), now() FROM "
        "organization o WHERE o.id = decode('%s', 'hex') ON CONFLICT DO NOTHING" % (new_id(), org))
    invoice = sql("SELECT encode(id, 'hex') FROM invoice WHERE org_id = decode('%s', 'hex') AND status = 'PENDING'" % org)
    sql("INSERT INTO invoice_line (invoice_id, org_id, project_id, project_name, cluster_id, cluster_name, sku, day, microcents, tags, tags_key, seconds, created_at) "
        "VALUES (decode('{0}', 'hex'), decode('{1}', 'hex'), decode('{2}', 'hex'), {project}, decode('{2}', 'hex'), {cluster}, 'RED', '2020-01-01', 0, "
        "jsonb_build_object({key}, jsonb_build_array({value})), '{2}', 1, now())".format(invoice, org, new_id(), **names))
    with connect(ground.node) as connection:
        answer = connection.ask("GET", PREFIX + "/orgs/%s/invoices/%s/csv" % (org, invoice), Bearer(ground.facts["callers"]["stranger"]["token"]), headers={"Accept": "text/csv"}, accept=None)
    sql("DELETE FROM invoice_line WHERE invoice_id = decode('%s', 'hex') AND sku = 'RED'" % invoice)
    if answer.status != 200 or b"RED" not in answer.body:
        raise RuntimeError("nothing was tried: %d" % answer.status)
    cells = [cell for separator in ",;\t|" for line in csv.reader(io.StringIO(answer.body.decode(), newline=""), delimiter=separator) for cell in line]
    run = [cell for cell in cells if cell[:1] in ("=", "+", "-", "@")]
    return "a formula: %r" % run[0] if run else None


def of_files(ground):
    for text in FORMULAS:
        for where in ("project", "cluster", "key", "value"):
            yield "invoice as CSV: %r as %s" % (text, where), "files for spreadsheets have no formulas", lambda t=text, w=where: run_in_spreadsheet(ground, t, w)


# ---- Support staff, and what tenants can do about them ----
PAST, FUTURE = "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"
CONSENTS = {"none": None, "that is over": ("CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA", PAST), "for logs": ("CLUSTER_DATABASE_LOGS", FUTURE)}


def open_session(ground, consent, level):
    """An operator who asks for more than the owner of the cluster consents to. Its row is one that the API would have made."""
    cluster, name = new_id(), "red" + secrets.token_hex(4)
    project, org = sql("SELECT encode(id, 'hex') || ' ' || encode(org_id, 'hex') FROM project LIMIT 1").split()
    document = {} if consent is None else {"vendorEmployeeAccessGrant": {"grantType": consent[0], "expirationTime": consent[1]}}
    sql("INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES (decode('{0}', 'hex'), decode('{2}', 'hex'), decode('{1}', 'hex'), '{3}', '{4}', '17');"
        "INSERT INTO resource (scope, kind, id, name, org_id, document, state) VALUES (decode('{1}', 'hex'), 'cluster', decode('{0}', 'hex'), '{3}', decode('{2}', 'hex'), '{5}', 'IDLE')"
        .format(cluster, project, org, name, name[3:9], json.dumps(document)))
    try:
        answer = ground.node.run("operator", "add", name, "--json")
        connection = http.client.HTTPConnection("127.0.0.1", ground.node.operator_port, timeout=10)
        connection.request("POST", "/operator/v1/supportSessions", json.dumps({"cluster": name, "reason": "red", "from": "198.51.100.7", "level": level}).encode(),
                           {"Content-Type": "application/json", "Authorization": "Bearer " + json.loads(answer.stdout)["token"]})
        reply = connection.getresponse()
        body = reply.read()
        if reply.status == 409 and b"ACCESS_NOT_GRANTED" in body:
            return None
        return "%d %r" % (reply.status, body[:80])
    finally:
        sql("DELETE FROM resource WHERE scope = decode('{0}', 'hex') AND (name = '{1}' OR kind = 'supportSession'); DELETE FROM cluster WHERE id = decode('{2}', 'hex')".format(project, name, cluster))


def of_support(ground):
    for what, consent in CONSENTS.items():
        for level in ("STATISTICS", "DATA"):
            yield "an operator opens a session for %s with a consent %s" % (level, what), "only the owner lets support staff in", lambda c=consent, l=level: open_session(ground, c, l)
    yield ("an operator opens a session for DATA with a consent for statistics", "only the owner lets support staff in",
           lambda: open_session(ground, ("CLUSTER_INFRASTRUCTURE", FUTURE), "DATA"))


# ---- The operator's API ----
def of_operators(ground):
    tokens = {"nobody": None, "a tenant's token": "Bearer " + ground.facts["owner"]["token"], "a malformed token": "Bearer x", "a tenant's key": "Basic eDp5"}

    def desk(method, path, token):
        connection = http.client.HTTPConnection("127.0.0.1", ground.node.operator_port, timeout=10)
        try:
            connection.request(method, "/operator/v1" + path, b"{}" if method in ("POST", "PUT", "PATCH") else None,
                               {"Content-Type": "application/json", **({"Authorization": token} if token else {})})
            answer = connection.getresponse()
            return None if answer.status in (401, 403) else "%d %r" % (answer.status, answer.read(80))
        finally:
            connection.close()
    for row in json.loads(reeved("catalog", "--operator", "--json")):
        path = row["path"]
        for part in path.split("{")[1:]:
            path = path.replace("{%s}" % part.split("}")[0], "x")
        for who, token in tokens.items():
            yield "operator's %s %s: %s" % (row["method"], row["path"], who), "operators have tokens of their own", lambda m=row["method"], p=path, t=token: desk(m, p, t)


PARTS = (of_dry_runs, of_rules, of_bodies, of_providers, of_people, of_places, of_buckets, of_store_roles, of_names, of_files, of_support, of_older_version)


def attacks(ground):
    yield from of_roles(ground)
    for part in PARTS:
        for name, wall, attempt in part(ground):
            vantage = "network" if name.startswith("S5") else "tenant"
            yield Attack(name, vantage, wall, attempt, alone=part in (of_names, of_files, of_older_version))
    for name, wall, attempt in of_operators(ground):
        yield Attack(name, "network", wall, attempt)
