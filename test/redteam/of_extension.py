# SPDX-License-Identifier: Apache-2.0
"""Against extensions that the agent makes as the superuser in a tenant's database. Who owns the database is there before it: with the schema that they are made in, with what they
need in a schema of their own, with functions and operators of the names that their scripts call. Afterwards its users try to drop and to change them, and to put something
beside them. Jobs of pg_cron are tried in test/cluster/extensions_test.py: servers restart for it."""
import of_database
import rig
from of_session import as_owner, trap
from rows import Attack
from state import Problem, wait_until
from tenant import psql

AMONG, GRANTS = "extensions are made among the superuser's objects only", "what extensions consist of is not granted"
PATIENCE_S = 90
# What scripts of extensions and the agent's own statement about them call: arguments and result.
CALLED = {
    "format": ("text, text, text", "text"), "quote_ident": ("text", "text"), "set_config": ("text, text, boolean", "text"), "current_setting": ("text", "text"), "pg_get_userbyid": ("oid", "name"),
    "has_schema_privilege": ("oid, oid, text", "boolean"), "has_database_privilege": ("oid, text, text", "boolean"), "lower": ("text", "text"), "replace": ("text, text, text", "text"),
}
OPERATOR = ("CREATE OR REPLACE FUNCTION evil.same(a text, b text) RETURNS boolean LANGUAGE plpgsql AS $f$ BEGIN IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) current_user) "
            "THEN INSERT INTO evil.caught VALUES ('='); END IF; RETURN a OPERATOR(pg_catalog.=) b; END $f$; CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.same);")


def path(ground, name=""):
    tenant = ground.tenants["thief"]
    return tenant.of_project("/clusters/%s/extensions" % ground.names["thief"]) + ("/shop/" + name if name else "")


def settled(ground, name):
    """Its state when nothing is under way with it; None: it is not there."""
    tenant, last = ground.tenants["thief"], []

    def done():
        answer = tenant.try_nodes("GET", path(ground, name), None)
        last[:] = [None if answer.status == 404 else answer.json()["state"]]
        return last[0] in (None, "ACTIVE", "FAILED")
    wait_until(done, name + " is settled", PATIENCE_S, every=0.5)
    return last[0]


def make(ground, name):
    answer = ground.tenants["thief"].try_nodes("POST", path(ground), {"name": name, "databaseName": "shop"})
    if answer.status not in (201, 400, 409):
        raise Problem("%s: %r" % (name, answer))
    return settled(ground, name) if answer.status == 201 else None


def remove(ground, *names):
    for name in names:
        ground.tenants["thief"].try_nodes("DELETE", path(ground, name), None)
        settled(ground, name)


def clean(ground):
    rig.superuser(ground.fleet, ground.attacker, "ALTER DATABASE shop RESET ALL; DROP SCHEMA IF EXISTS evil CASCADE; DROP EXTENSION IF EXISTS cube CASCADE", "shop")


def caught(ground):
    return [row[0] for row in rig.superuser(ground.fleet, ground.attacker, "SELECT DISTINCT name FROM evil.caught", "shop")]


def owned_schema(ground):
    """The schema is there before, with the owner's right to put anything into it."""
    rig.superuser(ground.fleet, ground.attacker, "DROP SCHEMA IF EXISTS reeve_extensions CASCADE", "shop")
    as_owner(ground, "CREATE SCHEMA reeve_extensions; GRANT ALL ON SCHEMA reeve_extensions TO PUBLIC")
    try:
        return "it was made in the owner's schema" if make(ground, "dict_int") == "ACTIVE" else None
    finally:
        rig.superuser(ground.fleet, ground.attacker, "DROP SCHEMA reeve_extensions CASCADE", "shop")
        remove(ground, "dict_int")


def needed_in_own_schema(ground):
    """What an extension needs is there, made by the owner, in a schema of theirs with traps in it."""
    as_owner(ground, "CREATE SCHEMA evil; CREATE EXTENSION cube SCHEMA evil")
    try:
        first, second = make(ground, "cube"), make(ground, "earthdistance")
        return "made upon the owner's own cube" if "ACTIVE" in (first, second) else None
    finally:
        clean(ground)
        remove(ground, "earthdistance", "cube")


def needed_past_the_api(ground):
    """The same, asked of the agent: whoever is past the checks of the API meets those of the host."""
    as_owner(ground, "CREATE SCHEMA evil")
    state = make(ground, "cube")
    try:
        if state != "ACTIVE":
            raise Problem("cube is " + str(state))
        rig.superuser(ground.fleet, ground.attacker, "DROP EXTENSION cube", "shop")
        as_owner(ground, "CREATE EXTENSION cube SCHEMA evil")
        return "made upon the owner's own cube" if make(ground, "earthdistance") == "ACTIVE" else None
    finally:
        clean(ground)
        remove(ground, "earthdistance", "cube")


class Traps:
    """Set once; who fell into which is looked at when the first attack asks."""

    def __init__(self, ground):
        self.ground, self.results = ground, None
        ground.sessions.append(self)

    def run(self):
        ground = self.ground
        as_owner(ground, "CREATE SCHEMA evil; CREATE TABLE evil.caught (name text); GRANT ALL ON SCHEMA evil TO PUBLIC; GRANT ALL ON evil.caught TO PUBLIC;" +
                 "".join(trap(name, *one) for name, one in CALLED.items()) + OPERATOR)
        as_owner(ground, "ALTER DATABASE shop SET search_path = evil, pg_catalog, public")
        try:
            if (state := make(ground, "citext")) != "ACTIVE":
                raise Problem("citext is " + str(state))
            self.results = set(caught(ground))
        finally:
            clean(ground)
            remove(ground, "citext")

    def result(self, name):
        if self.results is None:
            self.run()
        return "run by the superuser" if name in self.results else None


# By each of its users, of an extension that is there.
STATEMENTS = {
    "drops it with everything": "DROP EXTENSION seg CASCADE",
    "moves it": "ALTER EXTENSION seg SET SCHEMA public",
    "updates it": "ALTER EXTENSION seg UPDATE",
    "adds to it": "CREATE FUNCTION public.red_added() RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER EXTENSION seg ADD FUNCTION public.red_added()",
    "takes a function out of it": "ALTER EXTENSION seg DROP FUNCTION reeve_extensions.seg_size(reeve_extensions.seg)",
    "replaces a function of it": "CREATE OR REPLACE FUNCTION reeve_extensions.seg_size(reeve_extensions.seg) RETURNS real LANGUAGE sql AS 'SELECT 1::real'",
    "makes a function beside it": "CREATE FUNCTION reeve_extensions.red() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "makes a table beside it": "CREATE TABLE reeve_extensions.red (n int)",
    "drops its schema": "DROP SCHEMA reeve_extensions CASCADE",
    "renames its schema": "ALTER SCHEMA reeve_extensions RENAME TO mine",
    "owns its schema": "ALTER SCHEMA reeve_extensions OWNER TO {me}",
    "makes an event trigger": "CREATE FUNCTION public.red_event() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER red ON ddl_command_end EXECUTE FUNCTION public.red_event()",
    "makes a cast between its types and others": "CREATE CAST (reeve_extensions.seg AS text) WITH INOUT AS IMPLICIT",
    "makes an unsafe one": "CREATE EXTENSION file_fdw",
}
USERS = ("readWrite", "dbAdmin", "readWriteAnyDatabase", "dbAdminAnyDatabase", "serviceAdmin")


def by_user(ground, role, statement):
    if "seg" not in ground.made:
        if (state := make(ground, "seg")) != "ACTIVE":
            raise Problem("seg is " + str(state))
        ground.made.add("seg")
    user = of_database.user_of(role)
    status, _, _ = psql(ground.fleet, of_database.dsn(ground, user), "BEGIN; %s; ROLLBACK" % statement.format(me=user))
    return "done" if status == 0 else None


def attacks(ground):
    """Behind of_database, whose users it has."""
    ground.made = set()
    yield Attack("extensions: the schema is the owner's", "database", AMONG, lambda: owned_schema(ground), alone=True)
    yield Attack("extensions: what one needs is the owner's", "database", AMONG, lambda: needed_in_own_schema(ground), alone=True)
    yield Attack("extensions: what one needs is the owner's by now", "database", AMONG, lambda: needed_past_the_api(ground), alone=True)
    traps = Traps(ground)
    for name in (*CALLED, "="):
        yield Attack("extensions: a script runs a tenant's %s" % name, "database", "the agent's session is its own", lambda n=name: traps.result(n), alone=True)
    for role in USERS:
        for what, statement in STATEMENTS.items():
            yield Attack("extensions: %s %s" % (role, what), "database", GRANTS, lambda r=role, s=statement: by_user(ground, r, s), alone=True)
