# SPDX-License-Identifier: Apache-2.0
"""Attacks on the pooler of a cluster: one row each, with the wall that stops it. pooler_test.py tries them, and so does `make redteam`."""
import hosts
from tenant import DATABASE, psql

LIST = "a pooler has a list of its own of who may come in"
LOGIN = "a pooler is told of a tenant's users only"
FILES = "what a pooler reads is its own member's"
ROLES = "a tenant's users are what their roles say"
OURS = ("postgres", "reeve_replicator", "reeve_rewinder", "reeve_wal", "reeve_monitor", "reeve_planner", "reeve_pooler", "reeve_agent", "pgbouncer", "reeve_managed")
# What a client may send when it connects, to become somebody else or to have its own names looked up.
TRICKS = {
    "options: another role": "options=-c%20role%3Dpostgres",
    "options: another session": "options=-c%20session_authorization%3Dpostgres",
    "options: another search path": "options=-c%20search_path%3Dpublic,pg_catalog",
    "physical replication": "replication=true",
    "logical replication": "replication=database",
}


def dsn(tenant, document, user, password, database):
    """Through the pooler of the cluster that the document is of."""
    strings = {"connectionStrings": {"standard": document["connectionStrings"]["pooled"]}}
    return tenant.dsn(strings, user, password).replace("/%s?" % DATABASE, "/%s?" % database)


class Target:
    """A pooler and whoever attacks it. `dsn(user, password, database)` goes through it; `admin` may create roles in SQL."""

    def __init__(self, fleet, member, dsn, user, password, admin, admin_password):
        self.fleet, self.member, self.dsn = fleet, member, dsn
        self.user, self.password, self.admin, self.admin_password = user, password, admin, admin_password

    def says(self, user, password, statement, database="shop", client="client", more=""):
        """What came back; None when it was refused."""
        status, output, _ = psql(self.fleet, self.dsn(user, password, database) + more, statement, client)
        return output or "an empty answer" if status == 0 else None

    def check_works(self):
        """An attack is refused for the right reason only where others are let in."""
        return self.says(self.user, self.password, "SELECT 1") == "1"


def console(target, user, password, command="SHOW CLIENTS"):
    return target.says(user, password, command, "pgbouncer")


def made_in_sql(target, name):
    """A tenant's administrator makes a role with a name that the pooler trusts."""
    target.says(target.admin, target.admin_password, "CREATE ROLE %s LOGIN PASSWORD 'made-in-sql'" % name)
    try:
        return console(target, name, "made-in-sql") or target.says(name, "made-in-sql", "SHOW is_superuser")
    finally:
        target.says(target.admin, target.admin_password, "DROP ROLE IF EXISTS " + name)


def verifier(target, user, password):
    """That it was told is enough: what stands in a report is read by others."""
    got = target.says(user, password, "SELECT * FROM reeve_pooler.login('%s')" % target.admin, "postgres")
    return "a verifier of %d characters" % len(got) if got else None


def with_trick(target, words):
    """Being let in as oneself, with nothing more, is no harm."""
    got = target.says(target.user, target.password, "SELECT session_user || ' ' || current_user || ' ' || current_setting('is_superuser')", more="&" + words)
    return None if got in (None, "%s %s off" % (target.user, target.user)) else got


def read_as_another(target, name):
    path = "/var/lib/reeve/members/%s/pooler/%s" % (target.member.id, name)
    got = hosts.run(target.fleet, target.member.host, "setpriv", "--reuid", "89998", "--regid", "89998", "--clear-groups", "cat", path, check=False)
    return "%d bytes of %s" % (len(got), name) if got.strip() else None


def rows(target):
    """(name, wall, attempt): what it obtained, or None."""
    t = target
    yield "console: a tenant's user", LIST, lambda: console(t, t.user, t.password)
    yield "console: a tenant's administrator", LIST, lambda: console(t, t.admin, t.admin_password, "SHOW CONFIG")
    for name in ("reeve_agent", "pgbouncer"):
        yield "console: %s without a password" % name, LIST, lambda n=name: console(t, n, "")
        yield "console: a role %s that was made in SQL" % name, LIST, lambda n=name: made_in_sql(t, n)
    for name in OURS:
        for password in ("", t.password):
            yield "login as %s %s" % (name, "with a tenant's password" if password else "without a password"), LIST, lambda n=name, p=password: t.says(n, p, "SELECT 1", "postgres")
    yield "a client that is not on the access list", LIST, lambda: t.says(t.user, t.password, "SELECT 1", client="stranger")
    yield "a client without TLS", LIST, lambda: t.says(t.user, t.password, "SELECT 1", more="&sslmode=disable")
    for what, words in TRICKS.items():
        yield "startup: " + what, LIST, lambda w=words: with_trick(t, w)
    yield "becoming the superuser", ROLES, lambda: t.says(t.user, t.password, "SET ROLE postgres; SHOW is_superuser")
    for user, password in ((t.user, t.password), (t.admin, t.admin_password)):
        yield "login(): %s asks for a verifier" % user, LOGIN, lambda u=user, p=password: verifier(t, u, p)
        yield "login(): %s replaces it" % user, LOGIN, lambda u=user, p=password: t.says(
            u, p, "CREATE OR REPLACE FUNCTION reeve_pooler.login(text) RETURNS TABLE (name text, verifier text) LANGUAGE sql AS 'SELECT 1, 2'", "postgres")
        yield "login(): %s becomes who may ask" % user, LOGIN, lambda u=user, p=password: t.says(u, p, "SET ROLE reeve_pooler; SELECT 1", "postgres")
    for name in ("pgbouncer.ini", "server.key", "users.txt", "hba.conf"):
        yield "another member's user reads %s" % name, FILES, lambda n=name: read_as_another(t, n)
