# SPDX-License-Identifier: Apache-2.0
"""Inside a database. A superuser of one tenant's member (whoever got that far) looks for the other tenant, the host and the control plane; and a
tenant's own users, one for each role that is offered, look for more than they were given (S1, S9, S11)."""
import secrets
import subprocess
import threading

import hosts
import network
import rig
from ground import METADATA
from rows import Attack
from state import CONTROL, Problem
from tenant import psql, wait_psql

MARK = secrets.token_hex(2)
OTHER = "red_other_" + MARK
BEGINS, ENDS, READY = "red-team-begins", "red-team-ends", "red-team-ready"


# ---- Many statements in one session: a connection each would be most of the work ----
class Session:
    """What became of each statement, by name: what it printed, or None when it failed. All of them are tried when the first result is asked for."""

    def __init__(self, ground, command, statements, plain=()):
        self.ground, self.command, self.statements, self.plain, self.results = ground, command, statements, frozenset(plain), None
        self.lock = threading.Lock()

    def script(self):
        for name, statement in self.statements.items():
            if self.ground.without and name in HARMFUL:
                continue
            begin, end = ("", "") if name in self.plain else ("BEGIN;", "ROLLBACK;")
            yield "\\echo %s %s\n%s\n%s;\n\\echo %s :ERROR\n%s\n" % (BEGINS, name, begin, statement, ENDS, end)

    def run(self):
        done = subprocess.run(self.command, input="\\echo %s\n" % READY + "".join(self.script()), capture_output=True, text=True, check=False, timeout=300)
        if READY not in done.stdout:
            raise Problem("no session: " + done.stderr[:300])
        self.results, name, printed = {}, None, []
        for line in done.stdout.splitlines():
            if line.startswith(BEGINS):
                name, printed = line[len(BEGINS) + 1:], []
            elif line.startswith(ENDS):
                self.results[name] = "\n".join(printed) if line.endswith("false") else None
            else:
                printed.append(line)

    def result(self, name, needs_rows):
        with self.lock:
            if self.results is None:
                self.run()
        got = self.results.get(name)  # one that ended the session has ended itself
        if got is None or (needs_rows and not got.strip()):
            return None
        return "done: %s" % got.strip()[:100]


def psql_words(dsn):
    return ["psql", "-X", "-q", "-At", "-f", "-", dsn]


# ---- A superuser of the member ----
READ = {
    "pg_read_file": "SELECT left(pg_read_file('{path}'), 40)",
    "pg_read_binary_file": "SELECT left(encode(pg_read_binary_file('{path}'), 'hex'), 40)",
    "pg_stat_file": "SELECT size FROM pg_stat_file('{path}')",
    "lo_import": "SELECT lo_unlink(lo_import('{path}'))",
    "COPY": "CREATE TEMP TABLE o (line text); COPY o FROM '{path}' WITH (DELIMITER E'\\x01', FORMAT csv, QUOTE E'\\x02'); SELECT line FROM o LIMIT 1",
    "a program": "CREATE TEMP TABLE o (line text); COPY o FROM PROGRAM 'head -c 40 {path} | base64'; SELECT line FROM o LIMIT 1",
}
FILES = ("{folder}/data/PG_VERSION", "{folder}/data/global/pg_control", "{folder}/data/postmaster.pid", "{folder}/tls/member.key", "{folder}/tls/cluster.key",
         "{folder}/tls/etcd.key", "{folder}/patroni.yml", "{folder}/pg_hba.conf", "{folder}/ldap-secret.conf", "/proc/{pid}/environ",
         "/proc/{pid}/root{folder}/data/PG_VERSION", "/proc/{pid}/cwd/PG_VERSION", "/var/lib/reeve/agent/host.key", "/var/lib/reeve/agent/goal.json", "/etc/shadow",
         "/root/plant.py", "/proc/1/environ")
EVERYBODYS = ("/etc/shadow",)
FOLDERS = ("{folder}", "{folder}/data", "{folder}/tls", "/var/lib/reeve/agent", "/root")
DIAL = ("CREATE TEMP TABLE o (line text); COPY o FROM PROGRAM $x$/usr/bin/python3 -c 'import socket; socket.create_connection((\"%s\", %d), 2); print(\"connected\")'$x$; "
        "SELECT line FROM o")
LOGINS = ("postgres", "reeve_replicator", "reeve_rewinder", "reeve_monitor", "app")
CERTIFICATES = ("cluster", "member", "etcd", None)


# Which line of the unit holds it: the rows of walls_attacks.py take them out one by one.
UNIT = (("/proc/", "unit: data by proc"), ("/agent/goal.json", "unit: goal of host"), ("/agent", "unit: key of host"), ("/etc/shadow", "unit: key of host"), ("/root", "unit: key of host"),
        ("/data", "unit: data by path"), ("", "unit: key of victim"))


def unit_wall(path):
    return next(wall for part, wall in UNIT if part in path)


def of_files(ground):
    for path in FILES:
        for way, statement in READ.items():
            if way == "pg_stat_file" and path in EVERYBODYS:
                continue  # that it is there is no secret
            yield "%s of %s" % (way, path), unit_wall(path), statement.format(path=path.format(**ground.place.facts))
    for path in FOLDERS:
        yield "pg_ls_dir of %s" % path, unit_wall(path), "SELECT pg_ls_dir('%s')" % path.format(**ground.place.facts)
    yield "a file in the victim's folder", "unit: data by path", "COPY (SELECT 1) TO '%s/data/evil'; SELECT 'written'" % ground.place.folder
    yield "a library of the victim's", "unit: data by path", "LOAD '%s/data/PG_VERSION'; SELECT 'loaded'" % ground.place.folder
    yield "a signal to the victim", "unit: signals", "SELECT 'sent' WHERE pg_terminate_backend(%d)" % ground.place.facts["pid"]


def of_doors(ground):
    """TCP from inside the member: whatever answers there is none of its business."""
    facts = ground.place.facts
    inside = [("the victim's Patroni", facts["address"], 8008), ("another service of the host", facts["host"], 5556), ("loopback", "127.0.0.1", 5555)]
    for what, address, port in inside:
        yield what, "rules of the host's network", DIAL % (address, port)
    for what, port in (("metadata of the cloud", 80), ("metadata of the cloud, another port", 8080)):
        yield what, "metadata of the cloud is not for members", DIAL % (METADATA, port)
    for what, dsn in (("the control database as its superuser", "user=postgres"), ("the control database as reeve", "user=reeve"),
                      ("the control database as the name server", "user=reeve_dns")):
        words = "host=%s port=5432 dbname=reeve connect_timeout=3 %s" % (CONTROL["control1"], dsn)
        yield what, "the control database lets its own node in", "SELECT dblink_connect('red', '%s'); SELECT * FROM dblink('red', 'SELECT 1') AS t (n int)" % words


def of_links(ground):
    """dblink from member to member, with each certificate that the member has; as what members are to each other, and as a tenant's user."""
    own = "%s/tls/" % ground.place.own
    for member in rig.members(ground.fleet, ground.names["victim"]):
        for user in LOGINS:
            for certificate in CERTIFICATES:
                for more in ("", " replication=database"):
                    files = " sslcert=%s%s.crt sslkey=%s%s.key" % (own, certificate, own, certificate) if certificate else ""
                    dsn = "host=%s port=5432 dbname=postgres user=%s password=%s sslmode=require connect_timeout=3%s%s" % (
                        member.address, user, ground.tenants["thief"].secret, files, more)
                    yield ("dblink to %s as %s, %s certificate%s" % (member.name, user, certificate or "no", more), "members trust their own cluster only",
                           "SELECT dblink_connect('%s')" % dsn)
    for user in LOGINS:
        yield ("dblink to the victim's socket as %s" % user, "unit: socket of victim",
               "SELECT dblink_connect('host=%s/run port=5432 dbname=postgres user=%s')" % (ground.place.folder, user))


def of_superuser(ground):
    words = psql_words("user=postgres host=%s/run port=5432 dbname=postgres" % ground.place.own)
    rig.superuser(ground.fleet, ground.attacker, "CREATE EXTENSION IF NOT EXISTS dblink")
    rows = [one for part in (of_files, of_doors, of_links) for one in part(ground)]
    session = Session(ground, hosts.command(ground.fleet, ground.attacker.host, words), {name: statement for name, _, statement in rows})
    ground.sessions.append(session)
    for name, wall, _ in rows:
        yield Attack("superuser of a member: " + name, "database", wall, lambda n=name: session.result(n, needs_rows=True))


# ---- Users of a tenant ----
ROLES = ("read", "readWrite", "dbAdmin", "readAnyDatabase", "readWriteAnyDatabase", "dbAdminAnyDatabase", "clusterMonitor", "backup",
         "serviceAdmin")
PREDEFINED = ("pg_execute_server_program", "pg_read_server_files", "pg_write_server_files", "pg_read_all_data", "pg_write_all_data", "pg_checkpoint",
              "pg_create_subscription", "postgres", "reeve_replicator", "reeve_rewinder", "reeve_monitor", "reeve_managed")
# name: statement; {me} is the user, {other} another user of the same tenant.
STATEMENTS = {
    "a program": "COPY (SELECT 1) TO PROGRAM 'id'",
    "a program's output": "CREATE TEMP TABLE o (l text); COPY o FROM PROGRAM 'id'",
    "a file of the server": "SELECT pg_read_file('/etc/passwd')",
    "a file of the member": "SELECT pg_read_file('PG_VERSION')",
    "a folder of the server": "SELECT pg_ls_dir('/')",
    "a file written": "COPY (SELECT 1) TO '/tmp/evil'",
    "a file loaded": "SELECT lo_import('/etc/passwd')",
    "a file exported": "SELECT lo_export(lo_creat(-1), '/tmp/evil')",
    "verifiers": "SELECT rolpassword FROM pg_authid",
    "verifiers by the view": "SELECT passwd FROM pg_shadow",
    "mappings of users": "SELECT umoptions FROM pg_catalog.pg_user_mapping",
    "superuser": "ALTER ROLE {me} SUPERUSER",
    "replication": "ALTER ROLE {me} REPLICATION",
    "past row-level security": "ALTER ROLE {me} BYPASSRLS",
    "a new superuser": "CREATE ROLE evil SUPERUSER",
    "a new replicator": "CREATE ROLE evil REPLICATION LOGIN",
    "the superuser's session": "SET SESSION AUTHORIZATION postgres",
    "the superuser's role": "SET ROLE postgres",
    "the superuser's password": "ALTER ROLE postgres PASSWORD 'evil'",
    "the replicator's password": "ALTER ROLE reeve_replicator PASSWORD 'evil'",
    "the password of who measures": "ALTER ROLE reeve_monitor PASSWORD 'evil'",
    "settings of who measures": "ALTER ROLE reeve_monitor SET search_path = evil",
    "another user's password": "ALTER ROLE {other} PASSWORD 'evil'",
    "another user's settings": "ALTER ROLE {other} SET search_path = evil",
    "the superuser's settings": "ALTER ROLE postgres SET search_path = evil",
    "everybody's settings": "ALTER ROLE ALL SET search_path = evil",
    "settings of the system": "ALTER SYSTEM RESET archive_timeout",
    "settings of another database": "ALTER DATABASE postgres SET default_transaction_read_only = on",
    "an event trigger": "CREATE FUNCTION evil() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER evil ON ddl_command_start EXECUTE FUNCTION evil()",
    "a function in C": "CREATE FUNCTION evil(cstring) RETURNS int AS 'libc.so.6', 'system' LANGUAGE c STRICT",
    "an internal function": "CREATE FUNCTION evil() RETURNS void AS 'pg_reload_conf' LANGUAGE internal",
    "a library": "LOAD '/usr/lib/x86_64-linux-gnu/libc.so.6'",
    "an untrusted language": "CREATE LANGUAGE plpython3u",
    "dblink": "CREATE EXTENSION dblink SCHEMA pg_catalog",
    "foreign files": "CREATE EXTENSION file_fdw",
    "foreign tables": "CREATE EXTENSION postgres_fdw; CREATE SERVER evil FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1')",
    "a subscription": "CREATE SUBSCRIPTION evil CONNECTION 'host=127.0.0.1' PUBLICATION p WITH (connect = false)",
    "a slot": "SELECT pg_create_physical_replication_slot('evil')",
    "a promotion": "SELECT pg_promote()",
    "another log": "SELECT pg_rotate_logfile()",
    "a backup": "SELECT pg_backup_start('evil', true)",
    "the configuration read again": "SELECT pg_reload_conf()",
    "rules of access": "SELECT * FROM pg_hba_file_rules",
    "a lock on the catalog": "LOCK TABLE pg_catalog.pg_authid",
    "a change of the catalog": "UPDATE pg_catalog.pg_authid SET rolsuper = true",
    "a table in the catalog": "CREATE TABLE pg_catalog.evil (n int)",
    "the end of the agent's session": "SELECT 1 / (pg_terminate_backend(pid)::int) FROM pg_stat_activity WHERE usename = 'postgres' AND backend_type = 'client backend'",
    "the end of replication": "SELECT 1 / (pg_terminate_backend(pid)::int) FROM pg_stat_replication",
    "a template": "ALTER DATABASE template1 IS_TEMPLATE false",
    "the superuser's database": "ALTER DATABASE postgres OWNER TO {me}",
    "another user gone": "DROP ROLE {other}",
    "what is the superuser's": "REASSIGN OWNED BY postgres TO {me}",
    "what somebody else has": "REASSIGN OWNED BY {other} TO {me}",
    **{"a role of the server: " + role: "GRANT %s TO {me}" % role for role in PREDEFINED},
}
NO_TRANSACTION = ("settings of the system",)  # so it must do no harm when it succeeds
# Not while their wall is down.
HARMFUL = ("the end of replication", "the end of the agent's session", "a backup", "settings of the system", "the configuration read again", "another log", "a promotion")
# Who administers a cluster may end its sessions; replication comes back by itself.
ALLOWED = {("the end of replication", "serviceAdmin")}
# What counts is what comes back.
NEEDS_ROWS = ("mappings of users", "the end of the agent's session", "the end of replication")


def user_of(role):
    return "red_%s_%s" % (MARK, role.lower())


def dsn(ground, user, database="shop", **more):
    words = "host=%s port=5432 dbname=%s user=%s password=%s sslmode=require connect_timeout=10" % (ground.attacker.address, database, user, ground.users[user])
    return words + "".join(" %s=%s" % pair for pair in more.items())


def session_of(ground, user, statements, plain=(), **place):
    session = Session(ground, network.client_command(ground.fleet, psql_words(dsn(ground, user, **place))), statements, plain)
    ground.sessions.append(session)
    return session


def try_alone(ground, user, statement, **place):
    status, output, error = psql(ground.fleet, dsn(ground, user, **place), statement)
    return "done: " + output[:80] if status == 0 else None


IN_MAINTENANCE = {"a temporary table": "CREATE TEMP TABLE t (n int)", "a table": "CREATE TABLE public.evil (n int)", "a schema": "CREATE SCHEMA evil"}


def of_users(ground):
    for role in ROLES:
        user = user_of(role)
        session = session_of(ground, user, {name: text.format(me=user, other=OTHER) for name, text in STATEMENTS.items()}, NO_TRANSACTION)
        for name in STATEMENTS:
            if (name, role) in ALLOWED:
                continue
            yield Attack("%s: %s" % (role, name), "database", "a tenant's users are what their roles say", lambda s=session, n=name: s.result(n, n in NEEDS_ROWS))
        for database in ("template1", "template0"):
            yield Attack("%s: a session in %s" % (role, database), "database", "nobody is let into templates",
                         lambda u=user, d=database: try_alone(ground, u, "SELECT 1", database=d))
        maintenance = session_of(ground, user, IN_MAINTENANCE, database="postgres")
        for name in IN_MAINTENANCE:
            yield Attack("%s: %s in the superuser's database" % (role, name), "database", "nothing is made in the superuser's database",
                         lambda s=maintenance, n=name: s.result(n, False))
        for way in ("true", "database"):
            yield Attack("%s: replication %s" % (role, way), "database", "members let only members replicate",
                         lambda u=user, w=way: try_alone(ground, u, "IDENTIFY_SYSTEM", replication=w))


def prepare(ground):
    """A user for each role, through the API; until the last of them can log in. Once, wherever the attacker stands."""
    if ground.users:
        return
    tenant = ground.tenants["thief"]
    ground.users = {user_of(role): tenant.create_user(user_of(role), [{"roleName": role, "databaseName": "shop" if role in ROLES[:3] else "admin"},
                                                                      {"roleName": "read", "databaseName": "shop"}]) for role in ROLES}
    ground.users[OTHER] = tenant.create_user(OTHER)
    for user in ground.users:
        wait_psql(ground.fleet, dsn(ground, user), "SELECT 1", 60)


def attacks(ground):
    prepare(ground)
    yield from of_superuser(ground)
    yield from of_users(ground)
