# SPDX-License-Identifier: Apache-2.0
"""A populated deployment for tests: organizations, projects, and credentials of every role by both methods.

What the API can make is made through it. Roles and access lists of the callers have no operation yet; those rows are
written with SQL, and the nodes are told as the service itself would tell them.
"""
import json
import os
import secrets
import subprocess
import sys

from client import Bearer, Connection, Digest, trust, wait_until
from node import Node

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "openapi"))
PREFIX = "/api/svc/v2"
NO_LIMIT = 1000000000
EXAMPLE_ID = "650000000000000000000001"  # in the examples of the documentation


BUILD = os.environ.get("REEVE_BUILD", "build")  # the folder of the build under test


def reeved(*words, ok=True):
    program = os.path.join(ROOT, BUILD, "reeved")
    if not os.access(program, os.X_OK):
        raise SystemExit("there is no %s: build it first, or name another build folder in REEVE_BUILD" % program)
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if ok and done.returncode != 0:
        raise AssertionError("reeved %s: %d\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
    return done.stdout if ok else done


def dry_status(operation):
    """What is only tried is neither created nor begun, and some deletions say what they would take along."""
    return 200 if operation["success"] in (201, 202) or operation["saysWhatGoesAlong"] else operation["success"]


def catalog():
    return json.loads(reeved("catalog", "--json"))


def roles():
    """Name of each role: what it is of ("org" or "project") and everything that it implies, itself included."""
    return {row["name"]: {"of": "project" if row["ofProject"] else "org", "closure": frozenset(row["implies"])}
            for row in json.loads(reeved("roles", "--json"))}


def new_id():
    return secrets.token_hex(12)


def make_validator(base_url="https://localhost:8443"):
    from validator import Validator  # test/openapi
    return Validator(readable_patterns(json.loads(reeved("openapi", "--base-url", base_url))))


def readable_patterns(part):
    """Python's expressions know no \\p{…}: letters and digits of any script are \\w there."""
    if isinstance(part, list):
        return [readable_patterns(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {key: value.replace("\\p{L}", "\\w").replace("\\p{N}", "\\w").replace("\\p{M}", "\\u0300-\\u036f") if key == "pattern" and isinstance(value, str)
            else readable_patterns(value) for key, value in part.items()}


# ---- The database, seen from outside ----
def sql(text, dsn=None):
    done = subprocess.run(["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", dsn or os.environ["REEVE_TEST_SUPER_DSN"]],
                          input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError("psql: %s\n%s" % (done.stderr, text[:2000]))
    return done.stdout.strip()


TELL = "SELECT pg_notify('reeve_authority', 'all')"
worlds = []  # those that are open


def tell_nodes(change=""):
    """What statements changed about callers, which no operation of the API told: it has been heard when this returns."""
    sql("BEGIN; %s; %s; COMMIT" % (change, TELL))
    for world in worlds:
        world.wait_heard()


# When credentials were last used is noted whatever becomes of the request.
NOTED = "'{last_used_at,last_used_address,request_count}'::text[]"


def row_hashes(mentioning=""):
    """A hash of all rows of every table, by name, or of those that mention what the expression describes; the order of rows does not count. What nodes say
    about themselves changes by itself."""
    tables = sql("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables "
                 "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename NOT IN ('instance', 'fleet_figures') ORDER BY 1").split("\n")
    parts = ["SELECT '%s', count(*), md5(coalesce(string_agg(h, '' ORDER BY h), '')) FROM "
             "(SELECT md5((to_jsonb(t) - %s)::text) AS h FROM ONLY %s t WHERE '%s' = '' OR to_jsonb(t)::text ~ '%s') rows" % (table, NOTED, table, mentioning, mentioning) for table in tables]
    return {line.split("|")[0]: line for line in sql(" UNION ALL ".join(parts)).split("\n")}


class Bystander:
    """An organization that nobody has anything to do with any more: whatever names it, its projects or its credentials stays as it is."""

    def __init__(self, name, organization):
        self.name = name
        self.ids = sql("SELECT string_agg(DISTINCT encode(i, 'hex'), '|') FROM (SELECT id FROM organization UNION ALL SELECT id FROM project UNION ALL SELECT id FROM principal) x (i) "
                       "WHERE i = decode('{0}', 'hex') OR i IN (SELECT id FROM project WHERE org_id = decode('{0}', 'hex')) OR i IN (SELECT id FROM principal WHERE org_id = decode('{0}', 'hex'))".format(organization))
        self.rows = row_hashes(self.ids) if self.ids else {}

    def changed(self):
        return changed_tables(self.rows, row_hashes(self.ids)) if self.ids else []


def changed_tables(before, after):
    return sorted(name for name in set(before) | set(after) if before.get(name) != after.get(name))


# ---- Callers ----
class Caller:
    """Credentials of one caller by both methods. They are two principals that hold the same role."""

    def __init__(self, name, made):
        self.name = name
        account, key = made["serviceAccount"], made["apiKey"]
        self.home = made["organization"]["id"]
        self.client_id, self.client_secret = account["clientId"], account["clientSecret"]
        self.public_key, self.private_key = key["publicKey"], key["privateKey"]
        self.account, self.key = self.client_id.rsplit("_", 1)[1], key["id"]
        self.role = self.token = None

    def fetch(self, connection):
        self.token = connection.fetch_token(self.client_id, self.client_secret)

    def bearer(self):
        return Bearer(self.token)

    def digest(self, algorithm="SHA-256"):
        return Digest(self.public_key, self.private_key, algorithm)


def bootstrap(config, name, allow="127.0.0.0/8"):
    """An organization with its owner's credentials, made as an operator makes the first one."""
    owner = "%s@example.org" % secrets.token_hex(6)
    made = json.loads(reeved("bootstrap", "--config", config, "--organization", name, "--owner", owner, "--allow", allow,
                             "--json"))
    caller = Caller(name, {
        "organization": {"id": made["orgId"]},
        "serviceAccount": {"clientId": made["clientId"], "clientSecret": made["clientSecret"]},
        "apiKey": {"publicKey": made["publicKey"], "privateKey": made["privateKey"], "id": ""},
    })
    caller.key = sql("SELECT encode(id, 'hex') FROM api_key WHERE public_key = '%s'" % caller.public_key)
    return caller


def no_limits(owners):
    """Limits that no test reaches, for organizations (and so for their projects and callers)."""
    sql("INSERT INTO limit_override (owner, set_name, capacity, refill) SELECT decode(o, 'hex'), format('S%%s', lpad(n::text, 2, '0')), "
        "%d, %d FROM unnest('{%s}'::text[]) o, generate_series(1, 67) n ON CONFLICT DO NOTHING;"
        % (NO_LIMIT, NO_LIMIT, ",".join(owners)))
    sql(TELL)


# What every suite but that of the limits themselves needs: nobody is held back for failing on purpose. Mail can be asked for.
UNGUARDED = {"guard_failures_per_minute": 1000000, "log_lines_per_minute": 0, "smtp": "smtp://127.0.0.1:9"}
# Nodes of one deployment share it.
MASTER_KEY = secrets.token_hex(32)


def start_node(workers=1, settings=None, **more):
    """A node of this deployment; the caller stops it, or uses it in a with statement."""
    return Node(build=BUILD, workers=workers, settings={**UNGUARDED, **(settings or {})}, key=MASTER_KEY, **more)


def invitation_token(config, invitation):
    """What the operator hands to the invited person where no mail server does it."""
    return reeved("invitation", "token", invitation, "--config", config).strip()


def connect(node, source=None, timeout=30):
    return Connection(("127.0.0.1", node.port), trust(node.ca), source=source, timeout=timeout)


def make_fleet():
    """Hosts without agents, in two regions: what requests ask for can be reserved on them, and nothing more ever happens."""
    sql("INSERT INTO provider (name) VALUES ('ONPREM') ON CONFLICT DO NOTHING;"
        "INSERT INTO region (provider, name) VALUES ('ONPREM', 'EU_NORTH'), ('ONPREM', 'EU_SOUTH') ON CONFLICT DO NOTHING;"
        "INSERT INTO instance_size (name, cpus, memory_mb, disk_gb, max_connections, ordinal) VALUES ('FLEX', 0.25, 256, 5, 50, 1), "
        "('M10', 0.5, 1024, 10, 100, 2), ('M20', 1, 2048, 20, 200, 3) ON CONFLICT DO NOTHING;"
        "INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, facts) "
        "SELECT decode('68' || lpad(to_hex(n), 22, '0'), 'hex'), 'h' || n, 'ONPREM', CASE WHEN n <= 16 THEN 'EU_NORTH' ELSE 'EU_SOUTH' END, "
        "'z' || n % 3, 1000, 2000000, 1000000, '{\"postgresVersions\": [\"17.6\", \"16.9\", \"15.14\"], \"extensions\": [\"17 cube 1.5\", \"17 hstore 1.8\", \"17 pg_cron 1.6\", \"17 vector 0.8.0\", \"17 earthdistance 1.2\", \"16 vector 0.7.4\"]}' FROM generate_series(1, 20) n ON CONFLICT DO NOTHING;"
        "INSERT INTO host_address (address, prefix, host_id) SELECT ('10.90.' || n || '.' || a)::inet, 16, "
        "decode('68' || lpad(to_hex(n), 22, '0'), 'hex') FROM generate_series(1, 20) n, generate_series(1, 200) a ON CONFLICT DO NOTHING;"
        # A block 10.91.a.0/24 has one on every host of EU_NORTH, 10.92.a.0/24 one on every host of EU_SOUTH: for network containers.
        "INSERT INTO host_address (address, prefix, host_id) SELECT (CASE WHEN n <= 16 THEN '10.91.' ELSE '10.92.' END || a || '.' || n)::inet, 16, "
        "decode('68' || lpad(to_hex(n), 22, '0'), 'hex') FROM generate_series(1, 20) n, generate_series(1, 8) a ON CONFLICT DO NOTHING;")


def make_relays():
    """A relay host without an agent, in each region, with a few addresses for services of private endpoints."""
    sql("INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, purpose) "
        "SELECT decode('69' || lpad(to_hex(n), 22, '0'), 'hex'), 'x' || n, 'ONPREM', CASE n WHEN 1 THEN 'EU_NORTH' ELSE 'EU_SOUTH' END, 'z', 2, 4000, 20, 'RELAY' "
        "FROM generate_series(1, 2) n ON CONFLICT DO NOTHING;"
        "INSERT INTO host_address (address, prefix, host_id) SELECT ('10.93.' || n || '.' || a)::inet, 16, "
        "decode('69' || lpad(to_hex(n), 22, '0'), 'hex') FROM generate_series(1, 2) n, generate_series(1, 3) a ON CONFLICT DO NOTHING;")


def name_members(project, cluster):
    """Names for the members of a cluster that no worker has made; the process of the first, and its member's id."""
    sql("INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT member_name(c.set_name, m.ordinal) || '.hash.example.test', 'A', '10.90.0.1', c.org_id, c.id "
        "FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = decode('%s', 'hex') AND c.name = '%s' ON CONFLICT DO NOTHING" % (project, cluster))
    sql("UPDATE cluster_member m SET desired = 'RUNNING', unit = 'active', role = 'PRIMARY', timeline = 1, version = '17.6', reported_at = now() FROM cluster c "
        "WHERE c.id = m.cluster_id AND c.project_id = decode('%s', 'hex') AND c.name = '%s'" % (project, cluster))
    return sql("SELECT member_name(c.set_name, m.ordinal) || '.hash.example.test:' || c.port || ' ' || encode(m.id, 'hex') || ' ' || encode(c.id, 'hex') FROM cluster_member m "
               "JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = decode('%s', 'hex') AND c.name = '%s' ORDER BY m.ordinal LIMIT 1" % (project, cluster)).split()


def values_for(path, values):
    """The fixtures for one path: not every database user has certificates, and two families call their parameter only a name."""
    if path.endswith("/certs") and "certificateUser" in values:
        return {**values, "username": values["certificateUser"]}
    if "/flexClusters/{name}/backup/snapshots/{snapshotId}" in path and "flexSnapshotId" in values:
        values = {**values, "snapshotId": values["flexSnapshotId"]}
    if "/flexClusters/{name}/backup/restoreJobs/{restoreJobId}" in path and "flexRestoreJobId" in values:
        values = {**values, "restoreJobId": values["flexRestoreJobId"]}
    for part, fixture in (("/flexClusters/{name}", "flexName"), ("/sampleDatasetLoad/{name}", "clusterName")):
        if part in path and fixture in values:
            return {**values, "name": values[fixture]}
    for part, parameter, fixture in (("/roleMappings/{id}", "id", "roleMappingId"), ("/metadata.xml", "identityProviderId", "samlProviderId")):
        if part in path and fixture in values:
            return {**values, parameter: values[fixture]}
    return values


def value_of_form(field):
    """A text that a parameter of the path or query takes: its example, else the simplest of its type."""
    if "example" in field:
        return str(field["example"][0] if field["type"] == "list" else field["example"])
    if "oneOf" in field:
        return field["oneOf"][0]
    simple = {"id": "650000000000000000000001", "cidr": "10.0.0.1", "boolean": "true", "date": "2025-03-12T10:15:30Z"}
    if field["type"] in ("integer", "number"):
        return str(field["min"] or 1)
    return simple.get(field["type"], "abc")


def forms_of(row):
    """Values for those parameters of the path that must have a form."""
    return {field["name"]: value_of_form(field) for field in row["pathFields"]}


def needed_query(row, but=()):
    """The query parameters without which an operation does not work."""
    return "&".join("%s=%s" % (field["name"], value_of_form(field)) for field in row["query"] if field["required"] and field["name"] not in but)


class World:
    """Two organizations. `a` has the projects p and p2, `b` has q; `callers` hold one role each in a or p."""

    def __init__(self, node, with_roles=True):
        self.node, self.config = node, node.conf
        make_fleet()
        make_relays()
        config = node.conf
        self.a, self.b = bootstrap(config, "World A"), bootstrap(config, "World B")
        no_limits([self.a.home, self.b.home])
        self.connection = connect(node)
        self.a.fetch(self.connection)
        self.b.fetch(self.connection)
        self.p = self.make_project(self.a, "p")
        self.p2 = self.make_project(self.a, "p2")
        self.q = self.make_project(self.b, "q")
        self.federation = {org: sql("SELECT encode(federation_id, 'hex') FROM organization WHERE id = decode('%s', 'hex')" % org)
                           for org in (self.a.home, self.b.home)}
        self.roles = roles()
        self.callers = self._make_role_callers() if with_roles else {}
        self.witness = None
        worlds.append(self)

    def wait_heard(self):
        """A node hears in the order in which it was told: when somebody is refused whose role was taken away last, it has heard of all that was before."""
        if self.witness is None:
            self.witness = bootstrap(self.config, "Witness")
            self.witness.fetch(self.connection)
        role = "role_grant", self.witness.account, self.a.home
        with connect(self.node) as connection:  # one process of the node
            status = lambda: connection.ask("GET", PREFIX + "/orgs/" + self.a.home, self.witness.bearer()).status
            sql("INSERT INTO %s (principal_id, org_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), 'ORG_MEMBER')" % role)
            if status() != 200:
                raise AssertionError("a role that was just granted counts for nothing")
            sql("BEGIN; DELETE FROM %s WHERE principal_id = decode('%s', 'hex') AND org_id = decode('%s', 'hex'); SELECT pg_notify('reeve_authority', 'principal:%s'); COMMIT"
                % (*role, self.witness.account))
            wait_until(lambda: status() != 200, 10, 0.01)

    # ---- Through the API ----
    def must(self, status, method, target, auth, body=None, headers=()):
        answer = self.connection.ask(method, PREFIX + target, auth, body, headers)
        if answer.status != status:
            raise AssertionError("%d expected: %r" % (status, answer))
        return answer

    def make_project(self, owner, name):
        return self.must(201, "POST", "/groups", owner.bearer(), {"name": name, "orgId": owner.home}).json()["id"]

    def make_caller(self, name):
        """New credentials in a new organization of their own, as its owner."""
        made = self.must(201, "POST", "/orgs", self.a.bearer(), {
            "name": name,
            "apiKey": {"desc": name, "roles": ["ORG_OWNER"]},
            "serviceAccount": {"name": name, "description": name, "roles": ["ORG_OWNER"], "secretExpiresAfterHours": 8},
        }).json()
        caller = Caller(name, made)
        caller.fetch(self.connection)
        return caller

    # ---- With SQL ----
    def grant_only(self, caller, organization, project, role):
        """Takes all roles of both principals away and gives them this one. A service account with a role in the organization
        moves into it, so that there are callers of the organization's own and some from elsewhere. (One with a role in a project
        only cannot be the organization's own: the API makes those members of it.)"""
        place = "decode('%s', 'hex')" % project if project else "NULL"
        text = ["DELETE FROM role_grant WHERE principal_id IN (decode('%s', 'hex'), decode('%s', 'hex'));"
                % (caller.account, caller.key)]
        for principal in (caller.account, caller.key):
            text.append("INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES "
                        "(decode('%s', 'hex'), decode('%s', 'hex'), %s, '%s');" % (principal, organization, place, role))
        if not project:
            text.append(self.moving(caller, organization))
            text.append(self.listing(caller.account, organization, "127.0.0.0/8"))
        caller.role = role
        return "\n".join(text)

    @staticmethod
    def make_person(username, organization, role="ORG_MEMBER"):
        """The id of the person of that name, who now has a role in the organization."""
        person = EXAMPLE_ID if username == "ada@example.org" else new_id()
        return sql("BEGIN; WITH made AS (INSERT INTO principal (id, kind) SELECT decode('%s', 'hex'), 'person' WHERE NOT EXISTS "
                   "(SELECT FROM person WHERE username = '%s') RETURNING id) INSERT INTO person (id, username, first_name, last_name) "
                   "SELECT id, '%s', 'First', 'Last' FROM made; INSERT INTO role_grant (principal_id, org_id, role) "
                   "SELECT id, decode('%s', 'hex'), '%s' FROM person WHERE username = '%s' ON CONFLICT DO NOTHING; "
                   "SELECT encode(id, 'hex') FROM person WHERE username = '%s'; COMMIT;"
                   % (person, username, username, organization, role, username, username))

    @staticmethod
    def make_operation(org, project, cluster="orders", state="RUNNING", step="wait-primary", done=(), waits_for=None):
        """The id of a job, of a kind that no worker here knows, so that it stays as it is."""
        job = new_id()
        sql("INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, generation, state, step, step_number, step_count, waits_for, "
            "started_at, step_started_at, finished_at) VALUES (decode('{0}', 'hex'), decode('{1}', 'hex'), decode('{2}', 'hex'), "
            "'of.another.version', decode('{0}', 'hex'), '{3}', 3, '{4}', '{5}', {6}, 4, {7}, CASE WHEN '{4}' <> 'QUEUED' THEN now() END, "
            "CASE WHEN '{4}' <> 'QUEUED' THEN now() END, CASE WHEN '{4}' IN ('DONE', 'FAILED', 'CANCELLED') THEN now() END)"
            .format(job, org, project, cluster, state, step, len(done), "'%s'" % waits_for if waits_for else "NULL"))
        for number, name in enumerate(done):
            sql("INSERT INTO job_history (job_id, number, org_id, step, try, outcome, worker) VALUES (decode('%s', 'hex'), %d, decode('%s', 'hex'), "
                "'%s', 1, 'DONE', 'test')" % (job, number + 1, org, name))
        return job

    @staticmethod
    def make_backups(org, project, cluster):
        """Gives a cluster backups, as if a repository host had reported them. The id of a snapshot that is completed."""
        snapshot = new_id()
        sql("""BEGIN;
            INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb, address) VALUES (decode('{repository}', 'hex'), 'repository', 'ONPREM',
                'EU_NORTH', 'z1', 'REPOSITORY', 8, 8192, 4000, '10.78.250.1') ON CONFLICT DO NOTHING;
            INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb, address, facts) VALUES (decode('{other}', 'hex'), 'repository-south', 'ONPREM',
                'EU_SOUTH', 'z1', 'REPOSITORY', 8, 8192, 4000, '10.78.250.2', '{{"pgbackrestVersion": "2.55.1"}}') ON CONFLICT DO NOTHING;
            INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher)
                SELECT decode('{stanza}', 'hex'), r.org_id, r.scope, r.id, r.name, 1, c.set_name || '-1', '17', '\\x00'
                FROM resource r JOIN cluster c ON c.id = r.id WHERE r.scope = decode('{project}', 'hex') AND r.name = '{cluster}';
            INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb, unit, received_lsn, timeline, lag_bytes, lag_ms, window_from, window_to,
                                     used_bytes, reported_at)
                VALUES (decode('{seat}', 'hex'), decode('{org}', 'hex'), decode('{stanza}', 'hex'), decode('{repository}', 'hex'), 0, 10, 'active', '0/5000148', 1, 0, 320,
                        now() - interval '1 hour', now() - interval '1 second', 1000, now());
            INSERT INTO wal_span VALUES (decode('{seat}', 'hex'), 0, decode('{org}', 'hex'), '0/3000000', '0/5000148', 1, 1, now() - interval '1 hour', now() - interval '1 second');
            SELECT backup_schedule_add(t.org_id, t.project_id, t.cluster_id, t.cluster_name, '2026-11-16 03:17:00+00') FROM backup_stanza t WHERE t.id = decode('{stanza}', 'hex');
            INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, frequency, policy_items, state, created_at, finished_at, expires_at, server_version,
                                  size_bytes, storage_bytes)
                SELECT decode('{snapshot}', 'hex'), t.org_id, t.project_id, t.cluster_id, t.id, 'SCHEDULED', 'daily',
                       ARRAY[decode(s.document #>> '{{policies,0,policyItems,1,id}}', 'hex')], 'COMPLETED', now() - interval '50 minutes', now() - interval '49 minutes',
                       now() + interval '7 days' - interval '50 minutes', '17.6', 4000, 1000
                FROM backup_stanza t JOIN resource s ON s.scope = t.project_id AND s.name = encode(t.cluster_id, 'hex') WHERE t.id = decode('{stanza}', 'hex');
            INSERT INTO snapshot_copy (snapshot_id, seat_id, org_id, label, type, timeline, start_lsn, stop_lsn, started_at, finished_at, size_bytes, delta_bytes, state)
                VALUES (decode('{snapshot}', 'hex'), decode('{seat}', 'hex'), decode('{org}', 'hex'), '20261116-031700F', 'FULL', 1, '0/3000028', '0/3000100',
                        now() - interval '50 minutes', now() - interval '49 minutes', 4000, 1000, 'COMPLETED');
            INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, seat_id, origin, state, requested_at, given_at, started_at, finished_at, told_at, label, recovery_point, rto_ms,
                               data_bytes, server_version, phases, checks)
                SELECT decode('{drill}', 'hex'), t.org_id, t.project_id, t.cluster_id, t.id, decode('{seat}', 'hex'), 'SCHEDULED', 'PASSED', now() - interval '40 minutes', now() - interval '40 minutes',
                       now() - interval '39 minutes', now() - interval '38 minutes', now(), '20261116-031700F', now() - interval '40 minutes', 5084, 4000, '17.6',
                       '[{{"name": "restore", "startedAt": "2026-11-16T03:17:00Z", "ms": 2799}}]', '[{{"name": "rows", "database": "shop", "result": "PASSED", "sentence": "Read.", "tables": 2, "rows": 7}}]'
                FROM backup_stanza t WHERE t.id = decode('{stanza}', 'hex');
            COMMIT""".format(org=org, project=project, cluster=cluster, stanza=new_id(), seat=new_id(), drill=new_id(), snapshot=snapshot, repository="6" * 24, other="7" * 24))
        return snapshot

    @staticmethod
    def make_silent_member(project, cluster):
        """Gives a cluster a member on a host that does not answer; its host name."""
        set_name, name = sql("SELECT set_name || ' ' || member_name(set_name, host_label, 0) || '.silent.example.test' FROM cluster "
                             "WHERE project_id = decode('%s', 'hex') AND name = '%s'" % (project, cluster)).split()
        sql("""BEGIN;
            INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, address, state) -- takes no others, so that nothing else depends on it
                VALUES (decode('{host}', 'hex'), 'silent', 'ONPREM', 'EU_NORTH', 'z1', 8, 8192, 4000, '127.0.0.1', 'DRAINING') ON CONFLICT DO NOTHING;
            UPDATE cluster_member m SET host_id = decode('{host}', 'hex'), desired = 'RUNNING' FROM cluster c WHERE c.id = m.cluster_id AND c.set_name = '{set}';
            INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT '{name}', 'A', '127.0.0.1', c.org_id, c.id FROM cluster c WHERE c.set_name = '{set}';
            COMMIT""".format(host="8" * 24, set=set_name, name=name))
        return name

    @staticmethod
    def make_restore(project, cluster):
        """A restore from the cluster's backups into itself that has just been asked for; its id."""
        restore = new_id()
        sql("INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, snapshot_id, snapshot_at, is_last, target_project_id, target_id, target_name) "
            "SELECT decode('%s', 'hex'), s.org_id, s.project_id, s.cluster_id, s.cluster_name, s.name, t.id, t.host_id, '20261116-031700F', 'SNAPSHOT', n.id, n.created_at, false, s.project_id, s.cluster_id, "
            "s.cluster_name FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id JOIN snapshot n ON n.stanza_id = s.id WHERE s.project_id = decode('%s', 'hex') AND s.cluster_name = '%s'" % (
                restore, project, cluster))
        return restore

    @staticmethod
    def make_export(project, snapshot, bucket):
        """An export of the snapshot that has ended well; its id."""
        export = new_id()
        sql("INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, snapshot_id, snapshot_at, bucket_id, prefix, state, tables_done, tables_total, finished_at, told_at) "
            "SELECT decode('%s', 'hex'), org_id, project_id, cluster_id, stanza_id, id, created_at, decode('%s', 'hex'), 'exported_snapshots/a', 'SUCCEEDED', 2, 2, now(), now() "
            "FROM snapshot WHERE project_id = decode('%s', 'hex') AND id = decode('%s', 'hex')" % (export, bucket, project, snapshot))
        return export

    def make_team(self, owner, project, mark=""):
        """A team with its person and a role in the project. World A has those of the examples, and a person whose name is the first
        text that the body matrix thinks of."""
        username, team, org = "ada%s@example.org" % mark, EXAMPLE_ID if not mark else new_id(), owner.home
        ada = self.make_person(username, org)
        if not mark:
            self.make_person("abcd", org)
        sql("INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), "
            "decode('%s', 'hex'), 'GROUP_READ_ONLY') ON CONFLICT DO NOTHING" % (ada, org, project))
        sql("BEGIN; INSERT INTO team (id, org_id, name) VALUES (decode('{0}', 'hex'), decode('{1}', 'hex'), 'fixture{4}'); "
            "INSERT INTO team_member (team_id, org_id, person_id) VALUES (decode('{0}', 'hex'), decode('{1}', 'hex'), decode('{2}', 'hex')); "
            "INSERT INTO team_grant (team_id, org_id, project_id, role) VALUES (decode('{0}', 'hex'), decode('{1}', 'hex'), decode('{3}', 'hex'), "
            "'GROUP_READ_ONLY'); COMMIT;".format(team, org, ada, project, mark))
        return {"teamId": team, "teamName": "fixture" + mark, "userId": ada, "userName": username}

    @staticmethod
    def moving(caller, organization):
        return "\n".join("UPDATE %s SET org_id = decode('%s', 'hex') WHERE %s = decode('%s', 'hex');"
                         % (table, organization, column, caller.account)
                         for table, column in (("principal", "id"), ("service_account", "id"), ("service_account_secret", "account_id")))

    @staticmethod
    def listing(principal, organization, block):
        return ("INSERT INTO access_list_entry (principal_id, org_id, block) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), '%s');"
                % (principal, organization, block))

    def _make_role_callers(self):
        callers, text = {}, []
        for role in self.roles:
            caller = self.make_caller("only " + role)
            in_project = self.roles[role]["of"] == "project"
            text.append(self.grant_only(caller, self.a.home, self.p if in_project else None, role))
            callers[role] = caller
        sql("BEGIN;\n" + "\n".join(text) + "\nCOMMIT;")
        no_limits([caller.home for caller in callers.values()])
        return callers

    # ---- Something of every kind that a path can name ----
    def make_fixtures(self, of_b=False):
        """Values for path parameters: entities in organization a and project p, or in b and q under other names. A parameter that is
        not here has none yet."""
        whose, place, mark = (self.b, self.q, "-b") if of_b else (self.a, self.p, "")
        owner, org, project = whose.bearer(), "/orgs/" + whose.home, "/groups/" + place
        key = self.must(200, "POST", org + "/apiKeys", owner, {"desc": "fixture", "roles": ["ORG_MEMBER"]}).json()
        account = self.must(201, "POST", org + "/serviceAccounts", owner,
                            {"name": "fixture", "description": "fixture", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8}).json()
        self.must(204, "POST", "%s/apiKeys/%s" % (project, key["id"]), owner, {"roles": ["GROUP_READ_ONLY"]})
        self.must(200, "POST", "%s/serviceAccounts/%s:invite" % (project, account["clientId"]), owner, {"roles": ["GROUP_READ_ONLY"]})
        address = "203.0.113.7" if of_b else "198.51.100.7"
        for kind in ("apiKeys/" + key["id"], "serviceAccounts/" + account["clientId"]):
            self.must(200, "POST", "%s/%s/accessList" % (org, kind), owner, [{"ipAddress": address}])
        for name, regions in (("c1", ("EU_NORTH", "EU_SOUTH")), ("c2", ("EU_NORTH",))):
            self.must(201, "POST", project + "/clusters", owner, {"name": name + mark, "replicationSpecs": [{"regionConfigs": [
                {"providerName": "ONPREM", "regionName": region, "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}} for region in regions]}]})
        self.must(201, "POST", project + "/flexClusters", owner,
                  {"name": "small" + mark, "providerSettings": {"backingProviderName": "ONPREM", "regionName": "EU_NORTH"}})
        container = self.must(201, "POST", project + "/containers", owner,
                              {"providerName": "ONPREM", "regionName": "EU_SOUTH", "serviceCidrBlock": "10.92.%d.0/24" % (7 if of_b else 1)}).json()["id"]
        load = self.must(201, "POST", project + "/sampleDatasetLoad/c1" + mark, owner).json()["_id"]
        self.must(202, "POST", project + "/customDBRoles/roles", owner, {"roleName": "fixture" + mark})
        for user in ({"username": "fixture_user" + mark, "password": "correct horse battery"},
                     {"username": "CN=fixture" + mark, "databaseName": "$external", "x509Type": "MANAGED"}):
            self.must(201, "POST", project + "/databaseUsers", owner, dict(user, roles=[{"roleName": "read", "databaseName": "shop"}]))
        self.must(200, "POST", project + "/accessList", owner, [{"ipAddress": address}])
        policy = self.must(201, "POST", org + "/resourcePolicies", owner,
                           {"name": "fixture", "policies": [{"body": "$resource == \"NOTHING\""}]}).json()["id"]
        check = self.must(200, "POST", project + "/userSecurity/ldap/verify", owner, {
            "hostname": "ldap.example.org", "bindUsername": "cn=reeve", "bindPassword": "correct horse battery"}).json()
        config = self.must(200, "POST", project + "/alertConfigs", owner, {
            "eventTypeName": "GROUP_UPDATED", "notifications": [{"typeName": "EMAIL", "emailAddress": "oncall@example.org"}]}).json()["id"]
        self.must(200, "POST", project + "/integrations/WEBHOOK", owner, {"type": "WEBHOOK", "url": "https://hooks.example.org/fixture"})
        target = self.must(201, "POST", project + "/logIntegrations", owner, {
            "type": "DATADOG_LOG_EXPORT", "logTypes": ["POSTGRES"], "apiKey": "0123456789abcdef", "region": "EU"}).json()["id"]
        alert = new_id()
        sql("INSERT INTO alert (id, org_id, project_id, config_id, event_id, event_type, severity, status, lasts, created_at, updated_at) VALUES "
            "(decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), decode('%s', 'hex'), 'GROUP_UPDATED', 'INFO', 'OPEN', "
            "false, now(), now())" % (alert, whose.home, place, config, new_id()))
        federation = "/federationSettings/%s" % self.federation[whose.home]
        sql("INSERT INTO federation_domain (domain, federation_id) VALUES ('%s', decode('%s', 'hex')) ON CONFLICT DO NOTHING" % (
            "b.example.org" if of_b else "example.org", self.federation[whose.home]))
        oidc, saml = (self.must(200, "POST", federation + "/identityProviders", owner, {"displayName": "fixture", "issuerUri": "https://login%s.example.org" % mark, **more}).json()["id"]
                      for more in ({"audience": "reeve"}, {"protocol": "SAML"}))
        mapping = self.must(200, "POST", "%s/connectedOrgConfigs/%s/roleMappings" % (federation, whose.home), owner,
                            {"externalGroupName": "fixture", "roleAssignments": [{"orgId": whose.home, "role": "ORG_MEMBER"}]}).json()["id"]
        snapshot, _, flex_snapshot = (self.make_backups(whose.home, place, cluster + mark) for cluster in ("c1", "c2", "small"))
        drill = sql("SELECT encode(d.id, 'hex') FROM drill d JOIN snapshot s ON s.stanza_id = d.stanza_id WHERE s.id = decode('%s', 'hex')" % snapshot)
        restore, flex_restore = (self.make_restore(place, cluster + mark) for cluster in ("c1", "small"))
        process = name_members(place, "c1" + mark)[0]
        # As if it had been made, in the database that fixtures have.
        extension = {"name": "hstore", "databaseName": "admin", "clusterName": "c1" + mark, "schemaName": "reeve_extensions", "version": "1.8", "createDate": "2026-01-01T00:00:00Z", "state": "ACTIVE"}
        sql("INSERT INTO resource (scope, kind, id, name, org_id, document, state) VALUES (decode('%s', 'hex'), 'databaseExtension', decode('%s', 'hex'), 'c1%s/admin/hstore', decode('%s', 'hex'), '%s', 'ACTIVE')" % (
            place, new_id(), mark, whose.home, json.dumps(extension)))
        bucket = self.must(200, "POST", project + "/backup/exportBuckets", owner, {
            "bucketName": "fixture", "cloudProvider": "AWS", "serviceUrl": "https://objects.example.org", "accessKeyId": "FIXTURE", "secretAccessKey": "0123456789abcdef"}).json()["_id"]
        return {"processId": process, "partitionName": "data", "exportBucketId": bucket, "exportId": self.make_export(place, snapshot, bucket), "drillId": drill, "restoreJobId": restore, "jobId": restore, "flexRestoreJobId": flex_restore, "snapshotId": snapshot, "flexSnapshotId": flex_snapshot, "identityProviderId": oidc, "samlProviderId": saml, "roleMappingId": mapping,
                "alertConfigId": config, "alertId": alert, "integrationType": "WEBHOOK", "id": target, "clusterName": "c1" + mark, "flexName": "small" + mark, "name": "small" + mark, "containerId": container, "sampleDatasetId": load, "roleName": "fixture" + mark, "databaseName": "admin", "extensionName": "hstore", "collectionName": "orders", "clusterView": "PRIMARY", "username": "fixture_user" + mark, "entryValue": address, "requestId": check["requestId"],
                "resourcePolicyId": policy,
                "certificateUser": "CN=fixture" + mark, "groupId": place, "orgId": whose.home, "federationSettingsId": self.federation[whose.home], "endpointSetId": "S17",
                "groupName": "q" if of_b else "p", "apiUserId": key["id"], "clientId": account["clientId"], "secretId": account["secrets"][0]["id"],
                "ipAddress": address,
                "operationId": self.make_operation(whose.home, place), **self.make_team(whose, place, mark)}

    def close(self):
        worlds.remove(self)
        self.connection.close()
