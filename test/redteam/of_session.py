# SPDX-License-Identifier: Apache-2.0
"""Against the agent's own session in a tenant's database (S9). Who owns the database sets traps in it: settings that would keep the agent from its work, and functions
that it would run as superuser. Then users come and go through the API: whoever was removed must not log in, and no trap may have been run by the superuser."""
import secrets
import time

import hosts
import of_database
import rig
from rows import Attack
from state import Problem, wait_until
from tenant import psql, wait_psql

GONE, TRAPS = "users who go lose their login first", "the agent's session is its own"
PLANS = "statements are planned without any rights"
PATIENCE_S = 30
SPOILERS = {
    "read-only transactions": "default_transaction_read_only = on",
    "a millisecond of time": "statement_timeout = '1ms'",
    "a millisecond for locks": "lock_timeout = '1ms'",
    "another search path": "search_path = evil, public",
    "serializable transactions": "default_transaction_isolation = 'serializable'",
    "a library that is not there": "local_preload_libraries = 'nothing'",
}
# Functions of the catalog that a session without a search path of its own would take from the tenant: arguments and result.
FUNCTIONS = {
    "current_setting": ("text", "text"), "has_table_privilege": ("text, oid, text", "boolean"), "has_schema_privilege": ("text, oid, text", "boolean"),
    "has_database_privilege": ("text, oid, text", "boolean"), "has_sequence_privilege": ("text, oid, text", "boolean"), "string_to_table": ("text, text", "SETOF text"),
    "set_config": ("text, text, boolean", "text"), "quote_ident": ("text", "text"), "quote_literal": ("text", "text"), "pg_get_userbyid": ("oid", "name"),
    "pg_has_role": ("text, text, text", "boolean"), "to_regclass": ("text", "regclass"),
}


def owner(ground):
    return of_database.user_of("dbAdmin")


def as_owner(ground, statement):
    status, output, error = psql(ground.fleet, of_database.dsn(ground, owner(ground)), statement)
    if status != 0:
        raise Problem(error)
    return output


def let_in(ground, user):
    return psql(ground.fleet, of_database.dsn(ground, user), "SELECT 1")[0] == 0


def stays(ground, setting):
    """A removed user of a database that was spoiled."""
    tenant, user = ground.tenants["thief"], "red_gone_" + secrets.token_hex(4)
    ground.users[user] = tenant.create_user(user)
    wait_psql(ground.fleet, of_database.dsn(ground, user), "SELECT 1", 60)
    as_owner(ground, "ALTER DATABASE shop SET " + setting)
    try:
        tenant.ask("DELETE", tenant.of_project("/databaseUsers/admin/" + user))
        wait_until(lambda: not let_in(ground, user), user + " is shut out", PATIENCE_S, every=1)
        return None
    except Problem as still:
        return "the removed user still logs in" if "shut out" in str(still) else str(still)
    finally:
        rig.superuser(ground.fleet, ground.attacker, "ALTER DATABASE shop RESET ALL")


def trap(name, arguments, result):
    count = len(arguments.split(","))
    call = "pg_catalog.%s(%s)" % (name, ", ".join("$%d" % number for number in range(1, count + 1)))
    back = "RETURN QUERY SELECT " + call if result.startswith("SETOF") else "RETURN " + call
    return ("CREATE OR REPLACE FUNCTION evil.%s(%s) RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN "
            "INSERT INTO evil.caught VALUES ('%s'); END IF; %s; END $f$;" % (name, arguments, result, name, back))


class Traps:
    """Set once; who fell into which is looked at when the first attack asks."""

    def __init__(self, ground):
        self.ground, self.results = ground, None
        ground.sessions.append(self)

    def run(self):
        ground, tenant = self.ground, self.ground.tenants["thief"]
        as_owner(ground, "CREATE SCHEMA IF NOT EXISTS evil; CREATE TABLE IF NOT EXISTS evil.caught (name text); GRANT ALL ON SCHEMA evil TO PUBLIC; GRANT ALL ON evil.caught TO PUBLIC; "
                 "CREATE TABLE IF NOT EXISTS public.bait (n int); CREATE SEQUENCE IF NOT EXISTS public.hook;" + "".join(trap(name, *one) for name, one in FUNCTIONS.items()))
        as_owner(ground, "ALTER DATABASE shop SET search_path = evil, pg_catalog, public")
        user = "red_bait_%d" % (time.time() * 1000)
        try:
            ground.users[user] = tenant.create_user(user, [{"roleName": "readWrite", "databaseName": "shop"}])
            wait_psql(ground.fleet, of_database.dsn(ground, user), "SELECT 1", PATIENCE_S)
            tenant.ask("DELETE", tenant.of_project("/databaseUsers/admin/" + user))
            wait_until(lambda: not let_in(ground, user), user + " is shut out", PATIENCE_S, every=1)
        finally:
            rig.superuser(ground.fleet, ground.attacker, "ALTER DATABASE shop RESET ALL")
            self.results = {row[0] for row in rig.superuser(ground.fleet, ground.attacker, "SELECT DISTINCT name FROM evil.caught", "shop")}
            rig.superuser(ground.fleet, ground.attacker, "DROP SCHEMA evil CASCADE", "shop")

    def result(self, name):
        if self.results is None:
            self.run()
        return "run by the superuser" if name in self.results else None


# What an IMMUTABLE function would do while a statement with it is planned. Each says "through" when it got it.
PLANNED = {
    "reads a table that it was not given": "PERFORM count(*) FROM public.planned_vault; RAISE WARNING 'through'",
    "reads verifiers of passwords": "PERFORM count(*) FROM pg_catalog.pg_authid; RAISE WARNING 'through'",
    "writes": "INSERT INTO public.planned_vault VALUES ('x'); RAISE WARNING 'through'",
    "reads a file": "PERFORM pg_read_file('/etc/passwd'); RAISE WARNING 'through'",
    "runs a program": "COPY public.planned_vault FROM PROGRAM 'id'; RAISE WARNING 'through'",
    "becomes the superuser": "SET ROLE postgres; RAISE WARNING 'through'",
    "reads what others do": "PERFORM 1 FROM pg_catalog.pg_stat_activity WHERE query LIKE 'SELECT%' AND usename <> current_user; IF FOUND THEN RAISE WARNING 'through'; END IF",
}


def planned(ground, body):
    """What the advisor does, on the same host, as the same role: a statement of a tenant is planned."""
    member, name = ground.attacker, "planned_" + secrets.token_hex(4)
    # PostgreSQL lets one that calls itself IMMUTABLE change nothing by itself, but it may call others.
    as_owner(ground, "CREATE TABLE IF NOT EXISTS public.planned_vault (t text); CREATE FUNCTION public.%s_does() RETURNS void LANGUAGE plpgsql VOLATILE AS $f$ BEGIN %s; END $f$; "
             "CREATE FUNCTION public.%s() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $f$ BEGIN PERFORM public.%s_does(); RETURN 1; END $f$" % (name, body, name, name))
    rig.superuser(ground.fleet, member, "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_planner') THEN CREATE ROLE reeve_planner LOGIN NOINHERIT; END IF; END $$")
    rig.superuser(ground.fleet, member, "GRANT CONNECT ON DATABASE shop TO reeve_planner; GRANT USAGE ON SCHEMA public TO reeve_planner", "shop")
    try:
        said = hosts.run(ground.fleet, member.host, "sh", "-c", "psql -X -U reeve_planner -h /var/lib/reeve/members/%s/run -p 5432 -d shop -c "
                         "'EXPLAIN SELECT 1 FROM generate_series(1, 2) n WHERE n = public.%s()' 2>&1 || true" % (member.id, name), timeout=30)
        if "through" not in said and "permission denied" not in said and "not allowed" not in said and "QUERY PLAN" not in said:
            raise AssertionError(said)
        return said if "through" in said else None
    finally:
        as_owner(ground, "DROP FUNCTION public.%s(); DROP FUNCTION public.%s_does()" % (name, name))


def attacks(ground):
    """Behind of_database, whose users it has."""
    for what, setting in SPOILERS.items():
        yield Attack("S9: a removed user stays by %s" % what, "database", GONE, lambda s=setting: stays(ground, s), alone=True)
    traps = Traps(ground)
    for name in FUNCTIONS:
        yield Attack("S9: the agent runs a tenant's %s()" % name, "database", TRAPS, lambda n=name: traps.result(n), alone=True)
    for what, body in PLANNED.items():
        yield Attack("planning: a tenant's function %s" % what, "database", PLANS, lambda b=body: planned(ground, b), alone=True)
