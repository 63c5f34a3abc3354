/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users and roles on a real server, with tenants in the way of the agent. The server is this test's own: the agent looks at every
 * database that there is.
 */
#include "arena_fixture.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/postgres/audit.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles_apply.h"
#include "engine/postgres/sample.h"
#include "engine/postgres/session.h"

static char folder[] = "/tmp/reeve-access-XXXXXX";
static struct goal_cluster cluster;
static struct goal_member member = { .name = STR("test") };
static struct engine_member self;

static struct goal_role own_shop[] = { { STR("dbAdmin"), STR("shop"), STR_EMPTY } },
                        write_shop[] = { { STR("readWrite"), STR("shop"), STR_EMPTY } },
                        read_all[] = { { STR("readAnyDatabase"), STR("admin"), STR_EMPTY } },
                        administer[] = { { STR("atlasAdmin"), STR("admin"), STR_EMPTY } };
static struct goal_user mallory = { .name = STR("mallory"), .login = LOGIN_SCRAM, .roles = { 1, own_shop } },
                        app = { .name = STR("app"), .login = LOGIN_SCRAM, .roles = { 1, write_shop } },
                        reader = { .name = STR("reader"), .login = LOGIN_SCRAM, .roles = { 1, read_all } },
                        boss = { .name = STR("boss"), .login = LOGIN_SCRAM, .roles = { 1, administer } };

/* The server trusts everybody, so a login that is refused was refused because of the role itself. */
static PGconn *
connect_as(const char *user, const char *database)
{
    const char *const names[] = { "host", "port", "user", "dbname", NULL };
    const char *const values[] = { getenv("REEVE_TEST_DIR"), getenv("PGPORT_TEST"), user, database, NULL };
    return PQconnectdbParams(names, values, 0);
}

static int
open_member(void **state)
{
    const char *socket_folder = getenv("REEVE_TEST_DIR"), *port = getenv("PGPORT_TEST");
    char link_path[64];
    if (open_arena(state) != 0 || socket_folder == NULL || port == NULL || mkdtemp(folder) == NULL)
        return 1;
    snprintf(link_path, sizeof(link_path), "%s/run", folder);
    member.port = atoi(port);
    self = (struct engine_member){ .arena = arena, .cluster = &cluster, .member = &member, .folder = str_from(folder) };
    PGconn *connection = connect_as("postgres", "postgres");
    cluster.major_version = str_from_int(arena, PQserverVersion(connection) / 10000);
    PQfinish(connection);
    return symlink(socket_folder, link_path);
}

static int
close_member(void **state)
{
    char link_path[64];
    snprintf(link_path, sizeof(link_path), "%s/run", folder);
    unlink(link_path);
    rmdir(folder);
    return close_arena(state);
}

static bool
logs_in(const char *user, const char *database)
{
    PGconn *connection = connect_as(user, database);
    bool is_in = PQstatus(connection) == CONNECTION_OK;
    PQfinish(connection);
    return is_in;
}

static bool
runs(PGconn *connection, const char *sql)
{
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        print_message("%s: %s", sql, PQerrorMessage(connection));
    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static bool
runs_as(const char *user, const char *database, const char *sql)
{
    PGconn *connection = connect_as(user, database);
    bool ran = runs(connection, sql);
    PQfinish(connection);
    return ran;
}

static bool
holds_in(const char *database, const char *condition)
{
    PGconn *connection = connect_as("postgres", database);
    PGresult *result = PQexec(connection, condition);
    bool is_so = PQresultStatus(result) == PGRES_TUPLES_OK && strcmp(PQgetvalue(result, 0, 0), "t") == 0;
    PQclear(result);
    PQfinish(connection);
    return is_so;
}

static bool
holds(const char *condition)
{
    return holds_in("postgres", condition);
}

/* The plan's problem, empty when there is none. */
static str
apply(size_t count, struct goal_user *users, error (*how)(struct engine_member *, struct role_plan *))
{
    const struct goal_access access = { .users = { count, users } };
    struct role_plan plan;
    error why = role_plan_make(arena, &access, &plan);
    if (why == OK)
        why = how(&self, &plan);
    if (why != OK)
        fail_msg("%s", why->detail.data);
    return plan.problem;
}
#define APPLY(...)                                                                                                     \
    apply(sizeof((struct goal_user[]){ __VA_ARGS__ }) / sizeof(struct goal_user), (struct goal_user[]){ __VA_ARGS__ }, \
          roles_apply)

/* S9: what an owner sets for their database held for the agent's sessions, too: no removed user left, and all went on logging in. */
static void
an_owner_who_spoils_their_database_keeps_nobody_in(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "ALTER DATABASE shop SET default_transaction_read_only = on",
        "ALTER DATABASE shop SET local_preload_libraries = 'no-such-library'",
        "ALTER DATABASE shop SET role = 'mallory'",
        "ALTER DATABASE shop SET search_path = evil, pg_catalog",
        "ALTER DATABASE shop SET default_transaction_isolation = 'serializable'",
        "ALTER DATABASE shop SET default_transaction_deferrable = on",
        "ALTER DATABASE shop SET statement_timeout = 1",
        "ALTER DATABASE shop SET lock_timeout = 1",
        "ALTER DATABASE shop SET idle_session_timeout = 1",
        "ALTER DATABASE shop SET default_table_access_method = 'none'",
        "ALTER DATABASE shop SET client_encoding = 'SQL_ASCII'",
        "ALTER DATABASE shop SET transform_null_equals = on",
    };
    assert_int_equal(APPLY(mallory, app).len, 0);
    assert_true(runs_as("app", "shop", "CREATE TABLE public.orders (id int)"));
    PGconn *owner = connect_as("mallory", "shop");
    for (size_t i = 0; i < LENGTH(settings); i++)
        assert_true(runs(owner, settings[i]));
    PQfinish(owner);
    assert_int_equal(APPLY(mallory).len, 0);
    assert_false(logs_in("app", "postgres"));
    assert_true(holds("SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'app')"));

    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    assert_null(session_open(&self, STR("shop"), &session));
    const struct member_sql_row who = {
        "who",
        "SELECT current_user, current_setting('search_path'), current_setting('transaction_read_only'),"
        " (SELECT count(*) FROM pg_settings WHERE source IN ('database', 'user', 'database user'))",
        0
    };
    assert_null(session_query_row(session, &who, 0, NULL, &rows));
    assert_string_equal(session_value(&rows, 0, 0).data, "postgres");
    assert_string_equal(session_value(&rows, 0, 1).data, "pg_catalog");
    assert_string_equal(session_value(&rows, 0, 2).data, "off");
    assert_string_equal(session_value(&rows, 0, 3).data, "0");
    assert_true(runs_as("postgres", "postgres", "ALTER DATABASE shop RESET ALL"));
}

/* S9: a user may change their own password, and with that transaction left open nobody else could change the role. */
static void
whoever_holds_on_to_their_own_role_is_shut_out_all_the_same(void **state)
{
    (void)state;
    assert_int_equal(APPLY(mallory, app).len, 0);
    PGconn *holders[3];
    for (size_t i = 0; i < LENGTH(holders); i++)
        holders[i] = connect_as("app", "shop");
    assert_true(runs(holders[0], "BEGIN; ALTER ROLE app PASSWORD 'mine'"));
    for (size_t i = 1; i < LENGTH(holders); i++)
        assert_int_equal(PQsendQuery(holders[i], "BEGIN; ALTER ROLE app PASSWORD 'mine, too'"), 1);
    /* A new password cannot be kept out, either. */
    app.valid_until = STR("2099-01-01T00:00:00Z");
    assert_int_equal(APPLY(mallory, app).len, 0);
    assert_true(holds("SELECT rolvaliduntil = '2099-01-01T00:00:00Z' FROM pg_roles WHERE rolname = 'app'"));
    for (size_t i = 0; i < LENGTH(holders); i++) {
        PQreset(holders[i]);
        assert_true(runs(holders[i], "BEGIN") && (i > 0 || runs(holders[i], "ALTER ROLE app PASSWORD 'mine'")));
    }
    assert_int_equal(APPLY(mallory).len, 0);
    assert_false(logs_in("app", "shop"));
    for (size_t i = 0; i < LENGTH(holders); i++) {
        PGresult *result = PQexec(holders[i], "SELECT 1");
        assert_int_not_equal(PQresultStatus(result), PGRES_TUPLES_OK);
        PQclear(result);
        PQfinish(holders[i]);
    }
    app.valid_until = STR_EMPTY;
}

/* S9: one whose leavings cannot be cleared away is out, and keeps neither others in nor a change from being in force. */
static void
what_cannot_be_cleared_away_keeps_nobody_in(void **state)
{
    (void)state;
    assert_int_equal(APPLY(mallory, app, reader).len, 0);
    assert_true(runs_as("app", "shop", "CREATE TABLE public.held (id int); GRANT ALL ON public.held TO mallory"));
    PGconn *holder = connect_as("mallory", "shop");
    assert_true(runs(holder, "BEGIN; LOCK TABLE public.held IN ACCESS EXCLUSIVE MODE"));
    assert_true(APPLY(mallory).len > 0);
    assert_false(logs_in("app", "shop"));
    assert_true(holds("SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader')"));
    PQfinish(holder);
    assert_int_equal(apply(1, &mallory, roles_look_again).len, 0);
    assert_true(holds("SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'app')"));
}

/* S9: an owner who keeps the row of their database locked does not keep other users' logins from being changed. */
static void
a_database_that_somebody_holds_keeps_no_user_back(void **state)
{
    (void)state;
    assert_int_equal(APPLY(mallory).len, 0);
    PGconn *holder = connect_as("mallory", "postgres");
    assert_true(runs(holder, "BEGIN; ALTER DATABASE shop CONNECTION LIMIT 90"));
    const struct goal_access access = { .users = { 2, (struct goal_user[]){ mallory, app } } };
    struct role_plan plan;
    assert_null(role_plan_make(arena, &access, &plan));
    assert_non_null(roles_apply(&self, &plan));
    assert_true(logs_in("app", "postgres"));
    PQfinish(holder);
    assert_int_equal(APPLY(mallory, app).len, 0);
    assert_true(logs_in("app", "shop"));
}

/* S1: before 16 a role that creates roles gives itself pg_execute_server_program, and with that a shell. */
static void
administrators_do_not_become_more_than_they_are(void **state)
{
    (void)state;
    assert_int_equal(APPLY(boss).len, 0);
    assert_true(holds(
        "SELECT rolcreaterole = (current_setting('server_version_num')::int >= 160000) FROM pg_roles WHERE rolname = 'boss'"));
    static const char *const roles[] = { "pg_execute_server_program",
                                         "pg_read_server_files",
                                         "pg_write_server_files",
                                         "pg_checkpoint",
                                         "pg_read_all_data",
                                         "reeve_managed",
                                         "postgres" };
    for (size_t i = 0; i < LENGTH(roles); i++) {
        char sql[128];
        snprintf(sql, sizeof(sql), "GRANT %s TO boss", roles[i]);
        assert_false(runs_as("boss", "postgres", sql));
    }
    assert_false(runs_as("boss", "postgres", "COPY (SELECT 1) TO PROGRAM 'id'"));
    assert_false(runs_as("boss", "postgres", "ALTER ROLE boss SUPERUSER"));
    assert_false(runs_as("boss", "postgres", "BEGIN; LOCK TABLE pg_catalog.pg_authid"));
}

/* S11: pg_read_all_data reads verifiers; a session in the template keeps everybody from creating databases. */
static void
who_reads_everything_reads_no_verifier(void **state)
{
    (void)state;
    assert_int_equal(APPLY(app, reader).len, 0);
    assert_true(runs_as("app", "shop", "CREATE TABLE public.read_me (id int);"));
    assert_true(runs_as("reader", "shop", "SELECT * FROM public.read_me"));
    assert_false(runs_as("reader", "shop", "SELECT rolpassword FROM pg_authid"));
    assert_false(runs_as("reader", "shop", "SELECT * FROM pg_user_mapping"));
    assert_false(runs_as("reader", "shop", "INSERT INTO public.read_me VALUES (1)"));
    assert_false(logs_in("reader", "template1"));
    assert_true(logs_in("reader", "postgres")); /* the connection string names it */
    assert_false(runs_as("reader", "postgres", "CREATE TEMPORARY TABLE t (id int)"));
    assert_false(runs_as("reader", "postgres", "CREATE TABLE t (id int)"));
}

/* What scripts of extensions find in their schemas is the superuser's; also where an earlier agent let others create there. */
static void
nobody_creates_where_extensions_are(void **state)
{
    (void)state;
    static const char *const may_create =
        "SELECT bool_or(has_schema_privilege('app', n.oid, 'CREATE')) FROM pg_namespace n WHERE nspname = 'reeve_extensions'";
    assert_int_equal(APPLY(app).len, 0);
    assert_true(runs_as("postgres", "shop", "CREATE SCHEMA reeve_extensions"));
    assert_int_equal(APPLY(app).len, 0);
    assert_false(runs_as("app", "shop", "CREATE TABLE reeve_extensions.mine (id int)"));
    assert_true(holds_in(
        "shop",
        "SELECT has_schema_privilege('app', 'reeve_extensions', 'USAGE') AND has_schema_privilege('app', 'public', 'CREATE')"));
    assert_true(runs_as(
        "postgres", "shop",
        "DO $$ DECLARE one text; BEGIN FOR one IN SELECT rolname FROM pg_roles r JOIN pg_auth_members m ON m.roleid = r.oid "
        "WHERE m.member = 'app'::regrole AND rolname <> 'reeve_managed' LOOP EXECUTE format('GRANT CREATE ON SCHEMA reeve_extensions TO %I', one); END LOOP; END $$"));
    assert_true(holds_in("shop", may_create));
    assert_int_equal(APPLY(app).len, 0);
    assert_false(holds_in("shop", may_create));
    assert_true(runs_as("postgres", "shop", "DROP SCHEMA reeve_extensions"));
}

/* S10: a member may put a link to another member's socket where the agent connects: it would work on the other's database. */
static void
a_socket_that_leads_to_somebody_else_is_refused(void **state)
{
    (void)state;
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct engine_member attacker = self;
    attacker.user = STR("reeve-70001");
    error why = session_open(&attacker, STR("postgres"), &session);
    assert_ptr_not_equal(why, OK);
    assert_non_null(strstr(why->detail.data, "requirepeer"));
    assert_ptr_equal(session_open(&self, STR("postgres"), &session), OK);
}

/* ---- Statements ---- */
/* Views have other columns in other versions; the names of statements say of which they are. */
static bool
is_for_server(const struct session *session, const char *name)
{
    bool is_17 = session_server_version(session) >= 170000;
    return !str_ends_with(str_from(name), is_17 ? STR("_until_16") : STR("_from_17"));
}

/* Those that are no question are run by the other tests; a server prepares only questions. */
static void
every_question_is_known_to_the_server(void **state)
{
    (void)state;
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    size_t prepared = 0;
    assert_null(session_open(&self, STR("postgres"), &session));
    assert_null(session_run(session, SQL_ADVISOR_STATISTICS_MAKE, NULL));
    assert_null(session_run(session, SQL_POOLER_ROLE_MAKE, NULL));
    for (size_t i = 0; i < MEMBER_SQL_COUNT; i++) {
        const struct member_sql_row *row = &member_sql_rows[i];
        /* hypopg is on hosts only: test/cluster/advisor_test.py asks it. */
        if (strncmp(row->text, "SELECT", strlen("SELECT")) != 0 || strstr(row->text, "reeve_advisor.hypopg") != NULL ||
            !is_for_server(session, row->name))
            continue;
        str text = str_format(arena, "PREPARE question_%zu AS %s", i, row->text);
        const struct member_sql_row prepare = { row->name, text.data, 0 };
        error why = session_query_row(session, &prepare, 0, NULL, &rows);
        if (why != OK)
            fail_msg("%s: %s", row->name, why->detail.data);
        prepared++;
    }
    assert_true(prepared >= 20);
}

/* Whatever is in a value, it is a name where the statement says name, and a text where it says text. */
static void
values_are_quoted_as_the_statement_says(void **state)
{
    (void)state;
    struct session *session CLEANUP(session_cleanup) = NULL;
    const str role = STR("o\"dd; DROP TABLE x; -- :\"role\" ::"), meaning = STR("it's \\ :'meaning' $$ \"");
    assert_null(session_open(&self, STR("postgres"), &session));
    assert_null(session_run(session, SQL_ROLE_CREATE, SQL_VALUES({ "role", role })));
    assert_null(session_run(session, SQL_GROUP_COMMENT, SQL_VALUES({ "meaning", meaning }, { "role", role })));
    assert_true(holds("SELECT shobj_description(oid, 'pg_authid') = 'it''s \\ :''meaning'' $$ \"' FROM pg_roles"
                      " WHERE rolname = 'o\"dd; DROP TABLE x; -- :\"role\" ::'"));
    assert_null(session_run(session, SQL_ROLE_DROP, SQL_VALUES({ "role", role })));
    /* What cannot be quoted, and what was forgotten, is sent to nobody. */
    assert_non_null(session_run(session, SQL_ROLE_CREATE, SQL_VALUES({ "role", STR("half of a letter: \xc3") })));
    assert_non_null(session_run(session, SQL_ROLE_CREATE, SQL_VALUES({ "name", role })));
    assert_non_null(session_run(session, SQL_ROLE_CREATE, NULL));
    assert_true(holds("SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname ~ '(half|odd|o\"dd)')"));
}

static void
what_is_recorded_follows_the_rule(void **state)
{
    (void)state;
    static str classes[] = { STR("DDL"), STR("WRITE") }, users[] = { STR("mallory") };
    const struct goal_audit nothing = cluster.access.audit;
    assert_int_equal(APPLY(mallory, app).len, 0);
    cluster.access.audit = (struct goal_audit){ .classes = { 2, classes }, .users = { 1, users } };
    assert_null(audit_apply(&self));
    assert_true(holds("SELECT string_agg(concat_ws(' ', r.rolname, d.datname, s.setconfig), ', ' ORDER BY r.rolname)"
                      " = 'mallory {\"pgaudit.log=ddl,write\"}, postgres postgres {pgaudit.log=none}'"
                      " FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole"
                      " LEFT JOIN pg_database d ON d.oid = s.setdatabase WHERE s.setconfig::text LIKE '%pgaudit%'"));
    cluster.access.audit = nothing;
    assert_null(audit_apply(&self));
    assert_true(holds("SELECT NOT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole"
                      " WHERE r.rolname = 'mallory')"));
}

/* ---- Support staff ---- */
static str
apply_support(size_t count, struct goal_support_user *users)
{
    const struct goal_access access = { .users = { 2, (struct goal_user[]){ mallory, app } },
                                        .support = { count, users } };
    struct role_plan plan;
    error why = role_plan_make(arena, &access, &plan);
    if (why == OK)
        why = roles_apply(&self, &plan);
    if (why != OK)
        fail_msg("%s", why->detail.data);
    return plan.problem;
}

/* Every statement is recorded, whatever they do about it, and they are out when the session is over, also in the middle of one. */
static void
support_staff_is_recorded_and_gone_with_their_session(void **state)
{
    (void)state;
    static struct goal_role watch[] = { { STR("clusterMonitor"), STR("admin"), STR_EMPTY },
                                        { STR("readAnyDatabase"), STR("admin"), STR_EMPTY } };
    static const char *const attempts[] = {
        "SET log_statement = 'none'",
        "ALTER ROLE \"reeve-support-1\" SET log_statement = 'none'",
        "ALTER ROLE \"reeve-support-1\" VALID UNTIL 'infinity'",
        "ALTER ROLE \"reeve-support-1\" CREATEROLE",
        "CREATE ROLE stays LOGIN",
        "INSERT INTO seen VALUES (1)",
        "COPY seen TO PROGRAM 'true'",
        "SELECT pg_reload_conf()",
    };
    struct goal_support_user one = {
        STR("reeve-support-1"), STR_EMPTY, STR("2099-01-01T00:00:00Z"), STR("192.0.2.1/32"), { 1, watch }
    };
    assert_int_equal(apply_support(0, NULL).len, 0);
    assert_true(runs_as("mallory", "shop", "CREATE TABLE seen (n int)"));
    assert_int_equal(apply_support(1, &one).len, 0);
    assert_true(
        holds("SELECT rolvaliduntil = '2099-01-01 00:00:00+00' FROM pg_roles WHERE rolname = 'reeve-support-1'"));
    assert_false(runs_as("reeve-support-1", "shop", "SELECT * FROM seen"));
    one.roles.count = 2;
    assert_int_equal(apply_support(1, &one).len, 0);

    PGconn *session = connect_as("reeve-support-1", "shop");
    assert_true(runs(session, "SELECT * FROM seen"));
    for (size_t i = 0; i < LENGTH(attempts); i++)
        assert_false(runs(session, attempts[i]));
    assert_true(runs(
        session,
        "ALTER ROLE \"reeve-support-1\" RESET ALL")); /* takes back what they may set themselves: nothing of this */
    assert_true(runs(session, "SELECT 1 / (current_setting('log_statement') = 'all')::int"));
    assert_true(runs_as("reeve-support-1", "shop", "SELECT 1 / (current_setting('log_statement') = 'all')::int"));

    assert_int_equal(apply_support(0, NULL).len, 0);
    assert_false(runs(session, "SELECT 1"));
    assert_false(logs_in("reeve-support-1", "shop"));
    assert_true(holds("SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve-support-1')"));
    PQfinish(session);
    assert_true(runs_as("mallory", "shop", "DROP TABLE seen"));
}

/* As the task does it. */
static void
an_index_is_built_by_the_owner_of_its_table(void **state)
{
    (void)state;
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    const str table[] = { STR("public"), STR("odd table") }, index[] = { STR("public"), STR("of \"a\"") };
    assert_int_equal(APPLY(mallory, app).len, 0);
    assert_true(runs_as("app", "shop", "CREATE TABLE public.\"odd table\" (\"a, b\" int, c int)"));
    assert_null(session_open(&self, STR("shop"), &session));
    str columns = str_format(arena, "%s DESC, c", session_name(session, STR("a, b")).data);
    assert_null(session_run(session, SQL_TIMEOUTS_OFF, NULL));
    assert_null(session_query(session, SQL_TABLE_OWNER, LENGTH(table), table, &rows));
    assert_int_equal(rows.count, 1);
    assert_null(session_run(session, SQL_ROLE_BECOME, SQL_VALUES({ "role", session_value(&rows, 0, 0) })));
    assert_null(session_run(session, SQL_INDEX_CREATE,
                            SQL_VALUES({ "unique", STR("UNIQUE") }, { "index", index[1] }, { "schema", table[0] },
                                       { "table", table[1] }, { "columns", columns })));
    assert_true(holds_in("shop",
                         "SELECT indexdef = 'CREATE UNIQUE INDEX \"of \"\"a\"\"\" ON public.\"odd table\" USING btree"
                         " (\"a, b\" DESC, c)' FROM pg_indexes WHERE tablename = 'odd table'"));
    assert_null(session_query(session, SQL_INDEX_INVALID, LENGTH(index), index, &rows));
    assert_int_equal(rows.count, 0);
    assert_null(session_run(session, SQL_INDEX_DROP, SQL_VALUES({ "schema", index[0] }, { "index", index[1] })));
    assert_true(holds_in("shop", "SELECT count(*) = 0 FROM pg_indexes WHERE tablename = 'odd table'"));
}

static void
sample_data_belongs_to_the_owner_of_its_database(void **state)
{
    (void)state;
    assert_null(sample_load(&self));
    assert_null(sample_load(&self)); /* again, after an agent was killed */
    assert_true(
        holds_in(SAMPLE_DATABASE,
                 "SELECT count(*) = 4 AND bool_and(tableowner = (SELECT pg_get_userbyid(datdba) FROM pg_database"
                 " WHERE datname = current_database())) FROM pg_tables WHERE schemaname = 'public'"));
    assert_true(runs_as("postgres", "postgres", "DROP DATABASE " SAMPLE_DATABASE));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_creates_where_extensions_are),
        cmocka_unit_test(a_socket_that_leads_to_somebody_else_is_refused),
        cmocka_unit_test(an_owner_who_spoils_their_database_keeps_nobody_in),
        cmocka_unit_test(whoever_holds_on_to_their_own_role_is_shut_out_all_the_same),
        cmocka_unit_test(what_cannot_be_cleared_away_keeps_nobody_in),
        cmocka_unit_test(a_database_that_somebody_holds_keeps_no_user_back),
        cmocka_unit_test(administrators_do_not_become_more_than_they_are),
        cmocka_unit_test(who_reads_everything_reads_no_verifier),
        cmocka_unit_test(every_question_is_known_to_the_server),
        cmocka_unit_test(values_are_quoted_as_the_statement_says),
        cmocka_unit_test(what_is_recorded_follows_the_rule),
        cmocka_unit_test(support_staff_is_recorded_and_gone_with_their_session),
        cmocka_unit_test(an_index_is_built_by_the_owner_of_its_table),
        cmocka_unit_test(sample_data_belongs_to_the_owner_of_its_database),
    };
    return cmocka_run_group_tests(tests, open_member, close_member);
}
