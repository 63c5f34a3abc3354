#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Extensions of PostgreSQL on a cluster of three members: all that are offered are made and used by a tenant's user, unsafe ones are refused with the reason, one survives
the loss of the primary's host right after it was made, a new member has it, one that servers must load comes with restarts one by one, and nothing is removed that something
depends on.

    test/cluster/extensions_test.py [--only PARTS]

With REEVE_HOST_PACKAGES=postgresql-17-postgis-3 hosts have PostGIS, too. Needs root.
"""
import argparse
import os
import sys
import time

import rig
from ledger import TABLES, Writer, lost
from tenant import Tenant, client_address, psql, wait_psql

import hosts  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "extended"
LONGEST_PAUSE_S = 15  # of a writer while members restart one by one

# What a tenant's user does with each, by names without a schema, and what comes of it.
USES = {
    "bloom": ("CREATE TABLE bl (a int, b int); CREATE INDEX ON bl USING bloom (a, b); SELECT 1", "1"),
    "btree_gin": ("CREATE TABLE bg (a int); CREATE INDEX ON bg USING gin (a); SELECT 1", "1"),
    "btree_gist": ("CREATE TABLE bt (a int, EXCLUDE USING gist (a WITH =)); SELECT 1", "1"),
    "citext": ("SELECT 'A'::citext = 'a'", "t"),
    "cube": ("SELECT cube_distance('(0,0)'::cube, '(3,4)'::cube)", "5"),
    "dict_int": ("SELECT ts_lexize('reeve_extensions.intdict', '12345678')", "{123456}"),
    "dict_xsyn": ("SELECT ts_lexize('reeve_extensions.xsyn', 'word') IS NULL", "t"),
    "earthdistance": ("SELECT round(earth_distance(ll_to_earth(0, 0), ll_to_earth(0, 1)))", "111320"),
    "fuzzystrmatch": ("SELECT levenshtein('reeve', 'sleeve')", "2"),
    "hstore": ("SELECT ('a=>1'::hstore) -> 'a'", "1"),
    "intarray": ("SELECT '{1,2}'::int[] && '{2,3}'::int[], uniq(sort('{2,1,2}'::int[]))", "t|{1,2}"),
    "isn": ("SELECT is_valid('978-0-393-04002-9'::isbn13)", "t"),
    "ltree": ("SELECT 'a.b.c'::ltree <@ 'a.b'::ltree", "t"),
    "moddatetime": ("CREATE TABLE md (n int, at timestamp); CREATE TRIGGER t BEFORE UPDATE ON md FOR EACH ROW EXECUTE FUNCTION moddatetime(at); "
                    "INSERT INTO md VALUES (1); UPDATE md SET n = 2; SELECT at IS NOT NULL FROM md", "t"),
    "pg_partman": ("CREATE TABLE pp (at timestamptz NOT NULL) PARTITION BY RANGE (at); CREATE TABLE pp_template (LIKE pp); "
                   "SELECT create_parent(p_parent_table := 'public.pp', p_control := 'at', p_interval := '1 day', p_template_table := 'public.pp_template')", "t"),
    "pg_stat_statements": ("SELECT count(*) > 0 FROM pg_stat_statements", "t"),
    "pg_trgm": ("SELECT similarity('reeve', 'reeves') > 0.5", "t"),
    "pgaudit": ("SELECT extname FROM pg_extension WHERE extname = 'pgaudit'", "pgaudit"),
    "pgcrypto": ("SELECT encode(digest('reeve', 'sha1'), 'hex')", "d6c819ff1a52b8829cb49313a7cffc440b00f139"),
    "seg": ("SELECT '1..2'::seg && '2..3'::seg", "t"),
    "sslinfo": ("SELECT ssl_is_used()", "t"),
    "tablefunc": ("SELECT count(*) FROM normal_rand(5, 0, 1)", "5"),
    "tcn": ("CREATE TABLE tn (n int PRIMARY KEY); CREATE TRIGGER t AFTER INSERT ON tn FOR EACH ROW EXECUTE FUNCTION triggered_change_notification(); INSERT INTO tn VALUES (1); SELECT 1", "1"),
    "tsm_system_rows": ("CREATE TABLE ts AS SELECT generate_series(1, 100); SELECT count(*) FROM ts TABLESAMPLE system_rows(10)", "10"),
    "tsm_system_time": ("SELECT count(*) > 0 FROM ts TABLESAMPLE system_time(1000)", "t"),
    "unaccent": ("SELECT unaccent('Crème')", "Creme"),
    "uuid-ossp": ("SELECT uuid_generate_v4() IS NOT NULL", "t"),
    "vector": ("CREATE TABLE ve (v vector(3)); INSERT INTO ve VALUES ('[1,2,3]'), ('[4,5,6]'); CREATE INDEX ON ve USING hnsw (v vector_l2_ops); "
               "SELECT v FROM ve ORDER BY v <-> '[4,5,5]' LIMIT 1", "[4,5,6]"),
    "postgis": ("CREATE TABLE places (at geometry(Point, 4326)); INSERT INTO places VALUES ('SRID=4326;POINT(13.4 52.5)'), ('SRID=4326;POINT(2.35 48.86)'); CREATE INDEX ON places USING gist (at); "
                "SELECT ST_Distance('POINT(0 0)'::geometry, 'POINT(3 4)'::geometry), (SELECT round(ST_Distance(min(at::text)::geography, max(at::text)::geography) / 1000) FROM places)", "5|878"),
    "postgis_raster": ("SELECT ST_Width(ST_MakeEmptyRaster(4, 4, 0, 0, 1))", "4"),
}
MONITORED = {  # for who may monitor
    "pg_buffercache": ("SELECT count(*) > 0 FROM pg_buffercache", "t"),
    "pgrowlocks": ("SELECT count(*) FROM pgrowlocks('public.own')", "0"),
    "pgstattuple": ("SELECT table_len >= 0 FROM pgstattuple('public.own')", "t"),
}
UNSAFE = ("adminpack", "dblink", "file_fdw", "lo", "pageinspect", "pg_surgery", "pg_walinspect", "plperlu", "plpython3u", "postgres_fdw", "xml2", "nobody_knows_it")
NEEDED_FIRST = ("cube", "postgis")
# What PostGIS would do with files of the server, by users who have it. A setting of a library that is not loaded yet is a word like any other, so it is loaded first.
PLACES = {
    "drivers for rasters": "SELECT postgis_raster_lib_version(); SET postgis.gdal_enabled_drivers = 'ENABLE_ALL'",
    "drivers that were set before": "SET postgis.gdal_enabled_drivers = 'ENABLE_ALL'; SELECT 1 / count(*) FROM ST_GDALDrivers()",
    "drivers for the next session": "ALTER DATABASE shop SET postgis.gdal_enabled_drivers = 'ENABLE_ALL'",
    "rasters outside of the database": "SELECT postgis_raster_lib_version(); SET postgis.enable_outdb_rasters = on",
    "a file of the server as a raster": "SELECT ST_Value(ST_AddBand(ST_MakeEmptyRaster(4, 4, 0, 0, 1), 1, '/etc/passwd', ARRAY[1]), 1, 1, 1)",
    "a raster from text": "SELECT ST_Width(ST_FromGDALRaster('<VRTDataset/>'::bytea))",
    "systems of coordinates": "INSERT INTO spatial_ref_sys (srid, auth_name) VALUES (990001, 'red')",
    "an update": "SELECT postgis_extensions_upgrade()",
}


class Extended:
    def __init__(self, suite, fleet):
        self.suite, self.fleet, self.tenant = suite, fleet, Tenant(fleet)
        self.tenant.create_project()
        self.tenant.allow(client_address())
        shop = [{"roleName": role, "databaseName": "shop"} for role in ("readWrite", "dbAdmin")]
        self.passwords = {"app": self.tenant.create_user("app", shop), "plain": self.tenant.create_user("plain"),
                          "admin": self.tenant.create_user("admin", [{"roleName": "serviceAdmin", "databaseName": "admin"}])}
        self.path = self.tenant.of_project("/clusters/%s/extensions" % CLUSTER)

    def run(self, statement, user="app", seconds=30):
        return wait_psql(self.fleet, self.tenant.dsn(self.tenant.cluster(CLUSTER), user, self.passwords[user]), statement, seconds)

    def refused(self, statement, user="app"):
        status, _, error = psql(self.fleet, self.tenant.dsn(self.tenant.cluster(CLUSTER), user, self.passwords[user]), statement)
        return error if status != 0 else None

    def of(self, name, database="shop"):
        return "%s/%s/%s" % (self.path, database, name)

    def wait(self, name, seconds=120, database="shop"):
        """The extension, when nothing is under way with it any more; None: it is gone."""
        def settled():
            answer = self.tenant.try_nodes("GET", self.of(name, database), None)
            return answer.status == 404 or answer.json()["state"] in ("ACTIVE", "FAILED")
        wait_until(settled, "%s is settled" % name, seconds, every=0.3)
        answer = self.tenant.try_nodes("GET", self.of(name, database), None)
        return None if answer.status == 404 else answer.json()

    def create(self, name, seconds=120, database="shop"):
        began = time.monotonic()
        self.tenant.ask("POST", self.path, {"name": name, "databaseName": database})
        made = self.wait(name, seconds, database)
        return made, time.monotonic() - began

    def remove(self, name, seconds=120):
        self.tenant.ask("DELETE", self.of(name))
        return self.wait(name, seconds)


def offers(it):
    """Until every agent has told what its host has."""
    path = it.tenant.of_project("/clusters/%s/extensionOffers?itemsPerPage=500" % CLUSTER)
    found = {one["name"]: one for one in it.tenant.ask("GET", path)["results"]}
    it.suite.check(found["vector"]["offered"] and found["vector"]["version"], "vector is offered with its version: %s", found["vector"])
    it.suite.check(not found["file_fdw"]["offered"] and "files" in found["file_fdw"]["reason"], "file_fdw is not, with the reason: %s", found["file_fdw"])
    return [name for name, one in found.items() if one["offered"]]


def make_and_use(it, offered):
    order = sorted((name for name in offered if name != "pg_cron"), key=lambda name: (name not in NEEDED_FIRST, name))
    took, used = [], 0
    it.run("CREATE TABLE own AS SELECT 1 AS n")
    for name in order:
        made, seconds = it.create(name)
        took.append(seconds)
        it.suite.equal((made["state"], made.get("problem")), ("ACTIVE", None), "state of " + name)
        if made["state"] != "ACTIVE":
            continue
        statement, expected = {**USES, **MONITORED}[name]
        try:
            got = it.run(statement, "admin" if name in MONITORED else "app", 10)
        except Problem as problem:
            got = str(problem)
        it.suite.equal(got.splitlines()[-1] if got else got, expected, "use of " + name)
        used += 1
    it.suite.say("%d extensions made and used by a tenant's user, %.1f s each at the median, %.1f s at most" % (used, sorted(took)[len(took) // 2], max(took)))
    it.suite.check(used >= 10, "at least ten: %d", used)
    it.suite.equal(it.run("SELECT similarity('a', 'a')", "plain"), "1", "use by somebody who only reads and writes")
    for statement in ("DROP EXTENSION hstore CASCADE", "ALTER EXTENSION hstore SET SCHEMA public", "CREATE FUNCTION reeve_extensions.x() RETURNS int LANGUAGE sql AS 'SELECT 1'",
                      "DROP SCHEMA reeve_extensions CASCADE"):
        for user in it.passwords:
            it.suite.check(it.refused(statement, user), "%s by %s is refused", statement, user)
    for what, statement in PLACES.items() if "postgis_raster" in offered else ():
        for user in it.passwords:
            it.suite.check(it.refused(statement, user), "PostGIS: %s is refused to %s", what, user)
    it.suite.equal(sorted(one["name"] for one in it.tenant.ask("GET", it.path + "?itemsPerPage=500")["results"]), sorted(order), "the list")
    again = it.tenant.try_nodes("POST", it.path, {"name": "hstore", "databaseName": "shop"})
    it.suite.equal(again.status, 409, "one that is there")


def refuse(it):
    for name in UNSAFE:
        answer = it.tenant.try_nodes("POST", it.path, {"name": name, "databaseName": "shop"})
        it.suite.equal((answer.status, answer.json()["errorCode"]), (400, "NOT_OFFERED"), name)
        it.suite.say("%s: %s" % (name, answer.json()["detail"]))
    it.suite.equal(it.run("SELECT count(*) FROM pg_extension WHERE extname IN ('%s')" % "','".join(UNSAFE)), "0", "none of them is there")
    missing, _ = it.create("hstore", database="nowhere")
    it.suite.check(missing["state"] == "FAILED" and "no database" in missing["problem"], "a database that is not there: %s", missing)


def depends(it):
    it.run("CREATE TABLE labels (tags hstore)")
    kept = it.remove("hstore")
    it.suite.check(kept and kept["state"] == "ACTIVE" and "column tags of table public.labels" in kept.get("problem", ""), "it stays, with the name of what needs it: %s", kept)
    it.suite.say(kept["problem"])
    it.run("DROP TABLE labels")
    it.suite.equal(it.remove("hstore"), None, "then it goes")
    it.suite.equal(it.run("SELECT count(*) FROM pg_extension WHERE extname = 'hstore'"), "0", "and is gone")


def fail_over(it):
    """The host of the primary loses its power as soon as the extension is said to be there."""
    made, _ = it.create("hstore")
    primary = rig.primary_of(it.fleet, CLUSTER)
    hosts.kill(it.fleet, primary.host)
    it.suite.equal(made["state"], "ACTIVE", "state")
    it.suite.equal(it.run("SELECT 'a=>1'::hstore -> 'a'", seconds=90), "1", "use of it on the new primary")
    hosts.start(it.fleet, primary.host)
    hosts.wait_booted(it.fleet, primary.host)
    rig.wait_full_strength(it.fleet, CLUSTER, 3, 180)


def another_member(it):
    config = it.tenant.cluster(CLUSTER)["replicationSpecs"]
    for count in (2, 3):
        config[0]["regionConfigs"][0]["electableSpecs"]["nodeCount"] = count
        it.tenant.ask("PATCH", it.tenant.of_project("/clusters/" + CLUSTER), {"replicationSpecs": config})
        it.tenant.wait_idle(CLUSTER, 300)
    rig.wait_full_strength(it.fleet, CLUSTER, 3, 120)
    for member in rig.members(it.fleet, CLUSTER):
        rows = rig.superuser(it.fleet, member, "SELECT reeve_extensions.similarity('a', 'a'), current_setting('shared_preload_libraries'), current_setting('cron.database_name')", "shop")
        it.suite.equal(rows, [["1", "pgaudit,pg_stat_statements,pg_cron", "shop"]], "what %s has" % member.name)


def loaded(it):
    """pg_cron: members restart one by one under a client that writes, jobs run as who made them, and other databases are not reached."""
    it.run(TABLES)
    writer, wall = Writer(it.fleet, it.tenant.dsn(it.tenant.cluster(CLUSTER), "app", it.passwords["app"])), time.time()
    try:
        writer.wait_write_after(wall, 60)
        made, took = it.create("pg_cron", 300)
        writer.wait_write_after(time.time(), 60)
        pause = writer.longest_pause(wall, time.time())
    finally:
        writer.stop()
    it.suite.say("pg_cron with the restarts: %.1f s, longest pause of writes %.1f s" % (took, pause))
    it.suite.equal((made["state"], made.get("problem")), ("ACTIVE", None), "state of pg_cron")
    it.suite.check(pause <= LONGEST_PAUSE_S, "no write for %.1f s", pause)
    missing = lost(writer, map(int, it.run("SELECT number FROM ledger").split()))
    it.suite.check(not missing, "%d acknowledged writes are lost", len(missing))
    it.run("CREATE TABLE ticks (who text, at timestamptz DEFAULT now()); GRANT ALL ON ticks TO PUBLIC")
    it.run("SELECT cron.schedule('tick', '1 second', 'INSERT INTO public.ticks VALUES (current_user)')")
    wait_until(lambda: it.run("SELECT string_agg(DISTINCT who, ',') FROM ticks") == "app", "a job runs as who made it", 60, every=1)
    for what, statement in {"another's name": "UPDATE cron.job SET username = 'postgres'", "another database": "SELECT cron.schedule_in_database('x', '1 second', 'SELECT 1', 'postgres')",
                            "a row of their own": "INSERT INTO cron.job (schedule, command, database, username) VALUES ('1 second', 'SELECT 1', 'postgres', 'postgres')"}.items():
        it.suite.check(it.refused(statement), "%s is refused to app", what)
        it.suite.check(it.refused(statement, "admin"), "%s is refused to admin", what)
    other = it.tenant.try_nodes("POST", it.path, {"name": "pg_cron", "databaseName": "other"})
    it.suite.equal((other.status, "one database" in other.json()["detail"]), (409, True), "pg_cron in a second database")


def unload(it):
    it.run("SELECT cron.unschedule('tick')")
    gone = it.remove("pg_cron", 300)
    it.suite.equal(gone, None, "pg_cron after its removal")
    for member in rig.members(it.fleet, CLUSTER):
        it.suite.equal(rig.superuser(it.fleet, member, "SHOW shared_preload_libraries"), [["pgaudit,pg_stat_statements"]], "what %s loads then" % member.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PARTS", help="names of parts, with commas between them: make, refuse, depends, failover, loaded, member, unload")
    chosen = [word for word in parser.parse_args().only.split(",") if word]
    suite = Suite("extensions on hosts")
    try:
        with rig.fleet_for(3) as fleet:
            it = Extended(suite, fleet)
            it.tenant.create_cluster(CLUSTER)
            it.tenant.wait_idle(CLUSTER, 240)
            it.run("SELECT 1", seconds=60)
            rig.wait_full_strength(fleet, CLUSTER, 3, 60)
            offered = offers(it)
            parts = {"make": lambda it: make_and_use(it, offered), "refuse": refuse, "depends": depends, "failover": fail_over, "loaded": loaded, "member": another_member, "unload": unload}
            for name, part in parts.items():
                if not chosen or name in chosen:
                    part(it)
            it.tenant.delete_cluster(CLUSTER)
            it.tenant.wait_gone(CLUSTER, 300)
            if not os.environ.get("REEVE_FLEET"):  # where others may have clusters
                suite.equal(rig.left_behind(fleet), [], "what is left behind")
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
