#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The advisor on a fleet: on a database with ten planted problems it finds all ten and nothing else, each suggested index is built by its own command and taken
up by the planner, functions of tenants run with nobody's rights while it plans, and no value of a statement leaves the member."""
import json
import subprocess
import sys
import time

import rig
from tenant import Tenant, psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from patience import PATIENCE  # noqa: E402
from state import CLIENT, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "advised"
ADVISED_S = 420  # the agent looks every minute, and works out advice every five
SECRET = "hunter2"

# A table each, so that one problem is not another's cause. What is not planted is as it should be: primary keys, used indexes, small numbers.
PLANT = """
CREATE TABLE orders (id bigint PRIMARY KEY, customer int NOT NULL, status text NOT NULL, total int NOT NULL);
CREATE TABLE visits (id bigint PRIMARY KEY, visitor int NOT NULL, page int NOT NULL, pad text NOT NULL);
CREATE TABLE parcels (id bigint PRIMARY KEY, sender int NOT NULL, weight int NOT NULL, pad text NOT NULL);
CREATE TABLE depots (id int PRIMARY KEY, code int NOT NULL, pad text NOT NULL);
CREATE TABLE stock (id bigint PRIMARY KEY, place int NOT NULL, item int NOT NULL);
CREATE INDEX stock_by_item ON stock (item);
CREATE INDEX stock_by_place ON stock (place);
CREATE TABLE prices (id bigint PRIMARY KEY, item int NOT NULL, since int NOT NULL);
CREATE INDEX prices_by_item ON prices (item);
CREATE INDEX prices_by_item_since ON prices (item, since);
CREATE TABLE notes (body text NOT NULL);
CREATE TABLE tickets (id serial PRIMARY KEY, title text NOT NULL);
CREATE TABLE parents (id bigint PRIMARY KEY);
CREATE TABLE children (id bigint PRIMARY KEY, parent bigint NOT NULL REFERENCES parents (id));
CREATE TABLE wide (id bigint PRIMARY KEY, a int, b int, c int, d int, e int, f int, g int, h int, i int, j int);
CREATE INDEX ON wide (a); CREATE INDEX ON wide (b); CREATE INDEX ON wide (c); CREATE INDEX ON wide (d); CREATE INDEX ON wide (e);
CREATE INDEX ON wide (f); CREATE INDEX ON wide (g); CREATE INDEX ON wide (h); CREATE INDEX ON wide (i); CREATE INDEX ON wide (j);
CREATE TABLE people (id bigint PRIMARY KEY, name text NOT NULL);
INSERT INTO orders SELECT n, n % 1000, 'state' || n % 50, n FROM generate_series(1, 200000) n;
INSERT INTO visits SELECT n, n % 10000, n % 7, repeat('x', 40) FROM generate_series(1, 150000) n;
INSERT INTO parcels SELECT n, n % 20000, n % 100, repeat('x', 60) FROM generate_series(1, 100000) n;
INSERT INTO depots SELECT n, n % 1000, repeat('x', 60) FROM generate_series(1, 20000) n;
INSERT INTO stock SELECT n, n % 500, n % 700 FROM generate_series(1, 20000) n;
INSERT INTO prices SELECT n, n % 500, n FROM generate_series(1, 20000) n;
INSERT INTO notes SELECT 'note ' || n FROM generate_series(1, 2000) n;
INSERT INTO parents SELECT n FROM generate_series(1, 100) n;
INSERT INTO children SELECT n, n % 100 + 1 FROM generate_series(1, 5000) n;
INSERT INTO people SELECT n, 'person ' || n FROM generate_series(1, 5000) n;
SELECT setval('tickets_id_seq', 2000000000);
ANALYZE
"""

# Three kinds of queries that an index would help: one column; two, of which one alone is not enough; a join in which both tables are searched. The rest uses what is there.
LOAD = [
    ("SELECT count(*) FROM orders WHERE customer = %d AND status = 'state%d'", 40),
    ("SELECT * FROM visits WHERE visitor = %d AND id > %d", 40),
    ("SELECT p.id FROM depots d JOIN parcels p ON p.sender = d.id WHERE d.code = %d AND d.id > %d", 40),
    ("SELECT id FROM stock WHERE place = %d AND id > %d", 1200),
    ("SELECT id FROM prices WHERE item = %d AND since > %d", 1200),
    ("SELECT id FROM people WHERE name ILIKE 'person 1%d%%' AND id > %d", 40),
    ("SELECT id FROM people WHERE id = %d AND id > %d", 20),
]

EXPECTED_INDEXES = {("shop.orders", ("customer", "status")), ("shop.visits", ("visitor",)), ("shop.depots", ("code",)), ("shop.parcels", ("sender",))}
EXPECTED_TABLES = {
    ("ADD_PRIMARY_KEY", "shop.notes"), ("WIDEN_SEQUENCE", "shop.tickets"), ("INDEX_FOREIGN_KEYS", "shop.children"),
    ("REMOVE_UNNECESSARY_INDEXES", "shop.wide"), ("OPTIMIZE_CASE_INSENSITIVE_REGEX_QUERIES", "shop.people"),
}

# Somebody who may create functions, but not read `vault`, has them run while statements are planned: as whom, and what do they get?
TRAP = """
CREATE TABLE trapped (id bigint PRIMARY KEY, n int NOT NULL, pad text NOT NULL);
CREATE TABLE caught (id bigserial PRIMARY KEY, who text, what text);
INSERT INTO trapped SELECT n, n % 1000, repeat('x', 80) FROM generate_series(1, 60000) n;
CREATE INDEX ON trapped (n);
CREATE FUNCTION trap() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    BEGIN PERFORM set_config('trap.read', count(*)::text, false) FROM trapped; EXCEPTION WHEN OTHERS THEN NULL; END;
    BEGIN EXECUTE 'INSERT INTO caught (who, what) VALUES (current_user, session_user)'; EXCEPTION WHEN OTHERS THEN NULL; END;
    BEGIN PERFORM pg_read_file('/etc/passwd'); EXECUTE 'CREATE TABLE trap_read_a_file ()'; EXCEPTION WHEN OTHERS THEN NULL; END;
    BEGIN EXECUTE 'COPY caught (who) FROM PROGRAM ''id'''; EXCEPTION WHEN OTHERS THEN NULL; END;
    BEGIN PERFORM set_config('role', 'postgres', false); EXECUTE 'CREATE TABLE trap_became_superuser ()'; EXCEPTION WHEN OTHERS THEN NULL; END;
    PERFORM pg_notify('trap', format('%s sees %s', current_user, has_table_privilege('trapped', 'SELECT')));
    RETURN 7;
END $$;
CREATE FUNCTION stay() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    WHILE current_user = 'reeve_planner' LOOP
        BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END;
    END LOOP;
    RETURN 7;
END $$;
ANALYZE trapped
"""

SECRETS = [
    "SELECT count(*) FROM orders WHERE status = '%s-a' /* %s-b */ -- %s-c\n",
    "SELECT count(*) FROM orders WHERE status IN ('%s-d', '%s-e', E'%s-f')",
    "INSERT INTO notes VALUES ('%s-g'), ($$%s-h$$), ('%s-i')",
    "DO $$ BEGIN PERFORM '%s-j%s-k%s-l'; END $$",
    "WITH x AS (SELECT '%s-m' AS y) SELECT count(*) FROM x, notes WHERE body = '%s-n' OR body = '%s-o'",
    "ALTER ROLE changing PASSWORD '%s-password-%s-%s'",  # the last: then its own password is another one
]


def run(fleet, dsn, statements, timeout=120):
    """Many statements in one session; psql reads them as a file."""
    import network  # found by rig
    words = ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-f", "-", dsn]
    result = subprocess.run(network.client_command(fleet, words, "client"), input=statements, capture_output=True, text=True,
                            timeout=timeout * PATIENCE, check=False)
    if result.returncode != 0:
        raise Problem("psql: %s" % result.stderr.strip()[:600])
    return result.stdout


def make_load(fleet, dsn, rounds=1):
    lines = []
    for text, times in LOAD:
        lines += [text % (n % 97 + 1, n % 49) for n in range(times * rounds)]
    run(fleet, dsn, ";\n".join(lines) + ";\n", 300)


def timed(fleet, dsn, statement):
    """Milliseconds that the server takes, the best of three."""
    output = run(fleet, dsn, ("EXPLAIN (ANALYZE, FORMAT JSON) %s;\n" % statement) * 3)
    plans = json.loads("[" + output.replace("]\n[", "],[") + "]")
    return min(plan[0]["Execution Time"] for plan in plans)


def of_cluster(tenant, path):
    return tenant.ask("GET", tenant.of_project("/clusters/%s%s" % (CLUSTER, path)))


def keys_of(index):
    return tuple(name for key in index["index"] for name in key)


def suggestions(tenant):
    found = of_cluster(tenant, "/performanceAdvisor/suggestedIndexes")
    return {(one["namespace"], keys_of(one)): one for one in found["suggestedIndexes"]}, found["shapes"]


def wait_members(fleet, moment, what):
    """Until that moment of every member is later than now."""
    since = control.superuser(fleet, "SELECT now()")[0][0]
    wait_until(lambda: control.superuser(fleet, """
        SELECT count(*) FROM member_advice a JOIN cluster c ON c.id = a.cluster_id WHERE c.name = '%s' AND a.%s > '%s'""" % (CLUSTER, moment, since)) == [["3"]],
        what, ADVISED_S, every=2)


def wait_advice(fleet, tenant):
    wait_members(fleet, "advised_at", "every member has advised")


def ask_agents_to_hurry(fleet):
    """An agent that begins advises with its first look."""
    for name in fleet.hosts:
        hosts.run(fleet, name, "systemctl", "restart", "reeve-agent", timeout=60)


def finds_what_is_planted(suite, fleet, tenant):
    indexes, shapes = suggestions(tenant)
    suite.equal({(table, tuple(sorted(keys))) for table, keys in indexes}, EXPECTED_INDEXES, "suggested indexes")
    drops = of_cluster(tenant, "/performanceAdvisor/dropIndexSuggestions")
    suite.equal([one["name"] for one in drops["unusedIndexes"]], ["stock_by_item"], "unused indexes")
    suite.equal([one["name"] for one in drops["redundantIndexes"]], ["prices_by_item"], "redundant indexes")
    advice = of_cluster(tenant, "/performanceAdvisor/schemaAdvice")["recommendations"]
    found = {(one["recommendation"], table["namespace"]) for one in advice for table in one["affectedNamespaces"]}
    suite.equal(found, EXPECTED_TABLES, "advice on tables")
    suite.check(all(one["impact"] and one["sizeBytes"] > 0 for one in indexes.values()), "each index says whom it helps and how large it is")
    suite.check(all(proof["costAfter"] * 2 <= proof["costBefore"] for one in indexes.values() for proof in one["proof"]), "and proves it")
    suite.check({one["id"] for one in shapes} >= {shape for one in indexes.values() for shape in one["impact"]}, "shapes are listed")


def builds_what_it_suggests(suite, fleet, tenant, dsn):
    statements = {
        "shop.orders": "SELECT count(*) FROM orders WHERE customer = 7 AND status = 'state7'",
        "shop.visits": "SELECT * FROM visits WHERE visitor = 7 AND id > 1",
        "shop.depots": "SELECT p.id FROM depots d JOIN parcels p ON p.sender = d.id WHERE d.code = 7 AND d.id > 1",
        "shop.parcels": "SELECT p.id FROM depots d JOIN parcels p ON p.sender = d.id WHERE d.code = 7 AND d.id > 1",
    }
    indexes, _ = suggestions(tenant)
    before = {table: timed(fleet, dsn, statement) for table, statement in statements.items()}
    for (namespace, keys) in sorted(indexes):
        database, table = namespace.split(".", 1)
        tenant.ask("POST", tenant.of_project("/clusters/%s/index" % CLUSTER), {"db": database, "collection": table, "keys": [{key: 1} for key in keys]})
        name = "_".join([table, *keys])
        wait_psql(fleet, dsn, "SELECT 1 / count(*)::int FROM pg_index WHERE indisvalid AND indexrelid = to_regclass('%s')" % name, 90)
    run(fleet, dsn, "ANALYZE;\n")
    for (namespace, keys), one in sorted(indexes.items()):
        name = "_".join([namespace.split(".", 1)[1], *keys])
        _, plan, _ = psql(fleet, dsn, "EXPLAIN " + statements[namespace])
        suite.check(name in plan, "the planner uses %s: %s", name, plan)
        after = timed(fleet, dsn, statements[namespace])
        proof = one["proof"][0]
        suite.check(after < before[namespace], "%s makes it faster", name)
        print("  %-24s estimated %8.0f -> %6.0f (%4.0f times)   measured %7.2f -> %5.2f ms (%4.0f times)" % (
            name, proof["costBefore"], proof["costAfter"], proof["costBefore"] / max(proof["costAfter"], 0.01),
            before[namespace], after, before[namespace] / max(after, 0.001)), flush=True)


def keeps_values(suite, fleet, tenant, dsn):
    """Everything that the control plane has, and what agents sent."""
    dump = control.superuser(fleet, """
        SELECT coalesce(string_agg(t, ' '), '') FROM (SELECT text AS t FROM query_shape UNION ALL SELECT advice::text FROM member_advice
        UNION ALL SELECT q::text FROM query_cost q UNION ALL SELECT s::text FROM slow_query s) x""")
    text = json.dumps(dump) + json.dumps(of_cluster(tenant, "/queryShapeInsights/summaries"))
    suite.check("orders" in text, "something was stored")
    suite.check(SECRET not in text, "no value of a statement has left its member")
    for name in fleet.hosts:
        log = hosts.run(fleet, name, "journalctl", "-u", "reeve-agent", "-o", "cat", "--no-pager", timeout=30)
        suite.check(SECRET not in log, "nor is one in the agent's log on %s", name)


def shapes_are_counted(suite, fleet, tenant):
    found = of_cluster(tenant, "/queryShapeInsights/summaries?namespaces=shop.orders&commands=SELECT")["summaries"]
    mine = [one for one in found if one["queryShape"] == "SELECT count(*) FROM orders WHERE customer = ? AND status = ?"]
    suite.equal(len(mine), 1, "shapes of the statement")
    if not mine:
        return
    suite.check(mine[0]["execCount"] >= 40, "runs of it: %s", mine[0]["execCount"])
    detail = of_cluster(tenant, "/queryShapeInsights/%s/details" % mine[0]["queryShapeHash"])
    suite.equal(detail["queryStats"]["execCount"], mine[0]["execCount"], "the same in detail")
    shape = of_cluster(tenant, "/queryShapes/" + mine[0]["queryShapeHash"])
    suite.equal(shape["status"], "UNREJECTED", "its setting")
    tenant.ask("PATCH", tenant.of_project("/clusters/%s/queryShapes/%s" % (CLUSTER, mine[0]["queryShapeHash"])), {"status": "REJECTED"}, expect=(501,))


def slow_queries_are_told(suite, fleet, tenant, dsn):
    primary = rig.primary_of(fleet, CLUSTER)
    process = "%s:5432" % primary.address
    run(fleet, dsn, "SELECT count(*), pg_sleep(1.5) FROM parents WHERE id = 1;\n")
    path = tenant.of_project("/processes/%s/performanceAdvisor" % process)
    found = wait_until(lambda: [one for one in tenant.ask("GET", path + "/slowQueryLogs?includeOpType=true&includeReplicaState=true")["slowQueries"]
                                if one["namespace"] == "shop.parents"], "a slow query is told", 150, every=3)
    suite.check("pg_sleep(?)" in found[0]["line"] and found[0]["opType"] == "SELECT" and found[0]["replicaState"] == "PRIMARY", "as it was: %s", found)
    tables = tenant.ask("GET", path + "/namespaces")["namespaces"]
    suite.check({"namespace": "shop.parents", "type": "collection"} in tables, "its table is told")


def switch(fleet, tenant, setting, is_on):
    """A setting of the project, until the agents know it."""
    tenant.ask("PATCH", tenant.of_project("/settings"), {setting: is_on})
    wait_until(lambda: control.superuser(fleet, "SELECT count(*) FROM host h JOIN host_goal_version v ON v.host_id = h.id WHERE h.seen_version < v.version") == [["0"]],
               "agents know the setting", 60, every=1)


def what_is_switched_off_is_not_looked_at(suite, fleet, tenant, dsn):
    """What statements cost meanwhile is told neither then nor later. One that runs afterwards is told: so the other would have been."""
    path, texts = "/clusters/%s/performanceAdvisor/suggestedIndexes" % CLUSTER, ("SELECT max(id) FROM parents", "SELECT min(id) FROM parents")
    switch(fleet, tenant, "isPerformanceAdvisorEnabled", False)
    suite.equal(tenant.ask("GET", tenant.of_project(path), expect=(409,))["errorCode"], "SWITCHED_OFF", "advice while it is off")
    run(fleet, dsn, (texts[0] + ";\n") * 40)
    switch(fleet, tenant, "isSchemaAdvisorEnabled", False)
    ask_agents_to_hurry(fleet)
    wait_advice(fleet, tenant)
    advised = control.superuser(fleet, "SELECT DISTINCT a.advice -> 'indexes', a.advice -> 'unused', a.advice -> 'redundant', a.advice -> 'tables' FROM member_advice a")
    suite.equal(advised, [["[]", "[]", "[]", "[]"]], "advice while both are off")
    switch(fleet, tenant, "isSchemaAdvisorEnabled", True)
    switch(fleet, tenant, "isPerformanceAdvisorEnabled", True)
    wait_members(fleet, "looked_at", "every member was looked at once: what comes now is a difference")
    run(fleet, dsn, (texts[1] + ";\n") * 40)

    def told():
        return [one["queryShape"] for one in of_cluster(tenant, "/queryShapeInsights/summaries?namespaces=shop.parents")["summaries"]]
    wait_until(lambda: any("min(id)" in text for text in told()), "a statement after it was switched on again is told", 150, every=3)
    suite.equal([text for text in told() if "max(id)" in text], [], "statements from while it was off")


def traps_catch_nobody(suite, fleet, tenant, dsn):
    """What the trap would do as somebody with rights is seen nowhere, although it ran."""
    primary = rig.primary_of(fleet, CLUSTER)
    made = rig.superuser(fleet, primary, "SELECT relname FROM pg_class WHERE relname LIKE 'trap\\_%'", "shop")
    suite.equal(made, [], "tables that a function made")
    suite.equal(rig.superuser(fleet, primary, "SELECT * FROM caught", "shop"), [], "rows that it wrote")
    left = rig.superuser(fleet, primary, "SELECT nspname FROM pg_namespace WHERE nspname = 'reeve_advisor' UNION ALL SELECT extname FROM pg_extension WHERE extname = 'hypopg'", "shop")
    suite.equal(left, [], "what planning left behind")
    rights = rig.superuser(fleet, primary, """
        SELECT count(*) FROM pg_class c WHERE c.relkind IN ('r', 'S', 'v') AND c.oid >= 16384
          AND (has_table_privilege('reeve_planner', c.oid, 'SELECT') OR has_table_privilege('reeve_planner', c.oid, 'INSERT'))""", "shop")
    suite.equal(rights, [["0"]], "tables that the planner's role may read or write")
    staying = rig.superuser(fleet, primary, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reeve_planner' AND query_start < now() - interval '20 seconds'")
    suite.equal(staying, [["0"]], "sessions that a function keeps from ending")
    groups = rig.superuser(fleet, primary, "SELECT count(*) FROM pg_auth_members WHERE 'reeve_planner'::regrole IN (roleid, member)")
    suite.equal(groups, [["0"]], "groups that it is in")


def main():
    suite = Suite("the advisor")
    try:
        with rig.fleet_for(3) as fleet:
            tenant = Tenant(fleet)
            tenant.create_project()
            roles = [{"roleName": "dbAdmin", "databaseName": "shop"}, {"roleName": "readWrite", "databaseName": "shop"}]
            passwords = {name: tenant.create_user(name, roles) for name in ("app", "changing")}
            tenant.allow(CLIENT["client"] + "/32")
            tenant.create_cluster(CLUSTER)
            document = tenant.wait_idle(CLUSTER, 240)
            dsn = tenant.dsn(document, "app", passwords["app"])
            wait_psql(fleet, dsn, "SELECT 1", 60)
            rig.wait_full_strength(fleet, CLUSTER, 3, 60)
            run(fleet, dsn, PLANT, 300)
            run(fleet, dsn, TRAP, 300)
            began = time.monotonic()
            time.sleep(70)  # every member was looked at once: what comes now is a difference
            make_load(fleet, dsn)
            run(fleet, dsn, "SELECT count(*) FROM trapped WHERE n = trap() AND id > 1;\n" * 30)
            run(fleet, dsn, "SELECT count(*) FROM trapped WHERE id > stay();\n" * 30)
            for text in SECRETS:
                run(fleet, tenant.dsn(document, "changing", passwords["changing"]), text % (SECRET, SECRET, SECRET))
            wait_advice(fleet, tenant)
            print("  advised after %.0f s" % (time.monotonic() - began), flush=True)
            finds_what_is_planted(suite, fleet, tenant)
            shapes_are_counted(suite, fleet, tenant)
            keeps_values(suite, fleet, tenant, dsn)
            traps_catch_nobody(suite, fleet, tenant, dsn)
            slow_queries_are_told(suite, fleet, tenant, dsn)
            builds_what_it_suggests(suite, fleet, tenant, dsn)
            what_is_switched_off_is_not_looked_at(suite, fleet, tenant, dsn)
            ask_agents_to_hurry(fleet)
            wait_advice(fleet, tenant)
            suite.equal(set(suggestions(tenant)[0]), set(), "suggested indexes when all are built")
            tenant.delete_cluster(CLUSTER)
            tenant.wait_gone(CLUSTER)
            suite.equal(control.superuser(fleet, "SELECT count(*) FROM query_shape"), [["0"]], "shapes of a cluster that is gone")
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
