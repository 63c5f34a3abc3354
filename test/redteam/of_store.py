# SPDX-License-Identifier: Apache-2.0
"""Row-level security as the only wall. A transaction as the API has it, of organization A, asks every table for everything: SELECT, UPDATE and DELETE
without a tenant clause, with triggers and foreign keys out of the way. Rows of organization B must be neither seen nor touched.

Whose a row is says `org_id`, or the table below. Of every table B has a row: where the world made none, one is made up."""
import re

from rows import Attack
from world import sql

ROW = "md5(t::text)"
VERBS = {"SELECT": "SELECT " + ROW + " FROM {table} t", "UPDATE": "UPDATE {table} t SET {column} = {column} RETURNING " + ROW,
         "DELETE": "DELETE FROM {table} t RETURNING " + ROW}
PROJECTS = "(SELECT id FROM project WHERE org_id = {b})"
# Tables whose rows carry no organization: how one of B is known. None: it has nothing of a tenant's, and why.
WHOSE = {
    "organization": "t.id = {b}",
    "limit_override": "t.owner = {b}",
    "list_block": "t.scope = {b} OR t.scope IN " + PROJECTS,
    "list_counter": "t.scope = {b} OR t.scope IN " + PROJECTS,
    "list_segment": "t.scope = {b} OR t.scope IN " + PROJECTS,
    "revoked_token": "t.principal_id IN (SELECT id FROM principal WHERE org_id = {b})",
    "federation_domain": "t.federation_id IN (SELECT federation_id FROM organization WHERE id = {b})",
    "identity_provider": "t.federation_id IN (SELECT federation_id FROM organization WHERE id = {b})",
    "certificate": "t.authority IN (SELECT id FROM authority WHERE org_id = {b})",
    "cluster_scaling": "t.cluster_id IN (SELECT id FROM cluster WHERE org_id = {b})",
    # The operator's: no tenant's transaction has to see anything of them.
    **{table: "true" for table in ("operator", "operator_action", "join_token", "signing_key", "etcd_group", "object_store", "cluster_walls", "host", "host_address", "host_goal_version", "fleet_figures", "instance",
                                     "cluster_watch", "fleet_update")},
}
# Beside a tenant's transaction: hosts, regions, sizes and schema are the operator's, people belong to no organization, and a record of an idempotent request is
# found by its principal and key only, and sealed.
NOBODYS = frozenset(("idempotency", "person"))
WALL = "row-level security"


def quoted(organization):
    return "decode('%s', 'hex')" % organization


def tables():
    """Name: columns (name, type, must be given)."""
    found = {}
    for line in sql("""SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AND a.attgenerated = ''
                       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_namespace n ON n.oid = c.relnamespace
                       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
                       AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1, a.attnum""").splitlines():
        table, column, kind, needed = line.split("|")
        found.setdefault(table, []).append((column, kind, needed == "t"))
    return found


def whose(table, columns):
    if table in NOBODYS:
        return None
    if any(name == "org_id" for name, _, _ in columns):
        return "t.org_id = {b}"
    return WHOSE.get(table)


# ---- A row of B in every table ----
MADE_UP = {"reeve_id": "decode('{id}', 'hex')", "bytea": "decode('{id}', 'hex')", "bytea[]": "'{{}}'", "text[]": "'{{}}'", "boolean": "false", "jsonb": "'{{}}'", "json": "'{{}}'", "inet": "'10.99.0.1'",
           "cidr": "'10.99.0.0/24'", "cidr[]": "'{{10.99.0.0/24}}'", "date": "'2020-01-01'", "timestamp with time zone": "now()", "pg_lsn": "'0/1'"}


POINTERS = {("operator", "name"): "'red'", ("operator", "token_hash"): "sha256('red')", ("revoked_token", "principal_id"): "(SELECT id FROM principal WHERE org_id = {b} LIMIT 1)",
            ("backup_stanza", "name"): "'redred-1'", ("object_store", "name"): "'red'", ("certificate", "authority"): "(SELECT id FROM authority WHERE org_id = {b} LIMIT 1)",
            ("network_peer", "port"): "51820", ("private_endpoint_port", "port"): "1024",
            ("cluster_scaling", "cluster_id"): "(SELECT id FROM cluster WHERE org_id = {b} LIMIT 1)"}


def make_up(ground, table, columns):
    """With foreign keys out of the way; what a check wants is found by trying."""
    allowed = sql("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '%s'::regclass AND contype = 'c'" % table)
    words = {}
    for name, kind, needed in columns:
        if name == "org_id":
            words[name] = quoted(ground.facts["b"])
        elif (table, name) in POINTERS:
            words[name] = POINTERS[table, name].format(b=quoted(ground.facts["b"]))
        elif needed:
            found = re.search(r"\(%s = ANY \(ARRAY\['([^']+)'" % name, allowed)
            value = "'%s'" % found[1] if found else MADE_UP.get(kind, "'%s'" % (ground.facts["b"] * 3)[:64] if kind == "text" else "1")
            words[name] = value.format(id=ground.facts["b"])
    sql("BEGIN; SET LOCAL session_replication_role = replica; INSERT INTO %s (%s) VALUES (%s); COMMIT;" % (table, ", ".join(words), ", ".join(words.values())))


def rows_of_b(ground, table, condition):
    return set(sql("SELECT %s FROM %s t WHERE %s" % (ROW, table, condition.format(b=quoted(ground.facts["b"])))).split())


# ---- Trying ----
def attempt(ground, table, columns, condition, verb):
    """As superuser only to see whose rows there are and to become the role of the API; nothing of it stays."""
    wall = "ALTER TABLE {0} DISABLE ROW LEVEL SECURITY; GRANT ALL ON {0} TO reeve_tenant;".format(table) if ground.without == WALL else ""
    text = ("BEGIN; SELECT '-' || {row} FROM {table} t WHERE {condition}; SET LOCAL session_replication_role = replica; {wall} SET LOCAL ROLE reeve_tenant; "
            "SET LOCAL reeve.organization = '{a}'; SET LOCAL reeve.service = 'off'; {verb}; ROLLBACK;").format(
                row=ROW, table=table, condition=condition.format(b=quoted(ground.facts["b"])), wall=wall, a=ground.facts["a"],
                verb=VERBS[verb].format(table=table, column=columns[-1][0]))
    try:
        lines = sql(text).split()
    except AssertionError as refused:
        if "permission denied" in str(refused):
            return None
        raise
    theirs = {line[1:] for line in lines if line.startswith("-")}
    if not theirs:
        raise AssertionError("%s has nothing of the other organization" % table)
    got = theirs & {line for line in lines if not line.startswith("-")}
    return "%d rows of the other organization" % len(got) if got else None


def attacks(ground):
    for table, columns in tables().items():
        condition = whose(table, columns)
        if condition is None:
            continue
        if not rows_of_b(ground, table, condition):
            make_up(ground, table, columns)
        for verb in VERBS:
            yield Attack("%s of all rows of %s" % (verb, table), "store", WALL, lambda t=table, c=columns, w=condition, v=verb: attempt(ground, t, c, w, v))
