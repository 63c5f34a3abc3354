/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every statement is known to the server, which has the same parameters and columns in it as script/generate-sql; and every
 * statement that touches a tenant's rows is held to one tenant by a parameter. This is proven on the text: the parameter that
 * the scope line names must be compared with, or inserted into, a column that carries a tenant.
 */
#include "store_fixture.h"

#include <ctype.h>
#include <string.h>

static const char *const tenant_tables[] = {
    "organization",
    "project",
    "principal",
    "service_account",
    "service_account_secret",
    "api_key",
    "role_grant",
    "access_list_entry",
    "resource",
    "event",
    "event_chain",
    "webhook",
    "alert_cursor",
    "alert",
    "alert_notification",
    "event_count_of_project",
    "list_counter",
    "list_block",
    "list_segment",
    "data_key",
    "revoked_token",
    "limit_override",
    "idempotency",
    "invitation",
    "invitation_role",
    "invitation_count",
    "member_name",
    "project_limit",
    "member",
    "member_role",
    "team",
    "team_member",
    "team_grant",
    "held_grant",
    "connected_organization",
    "role_mapping",
    "role_mapping_role",
    "federated_member",
    "identity_provider",
    "job",
    "job_history",
    "cluster",
    "cluster_member",
    "host_task",
    "project_access",
    "dns_record",
    "backup_stanza",
    "stanza_seat",
    "wal_span",
    "snapshot",
    "snapshot_copy",
};
/* Tables whose own id is the tenant. */
static const char *const tenants[] = { "organization", "project", "principal", "person", "service_account", "api_key" };
static const char *const tenant_columns[] = { "org_id", "project_id", "scope", "principal_id", "account_id", "owner" };

/* ---- The words of a statement: names (with dots), numbers, $n, strings, or single characters. ---- */
enum { WORDS_MAX = 2000, WORD_BYTES = 80 };
struct words {
    int count;
    char word[WORDS_MAX][WORD_BYTES];
};

static void
split(const char *text, struct words *words)
{
    words->count = 0;
    for (const char *at = text; *at != '\0';) {
        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        const char *from = at;
        if (*at == '\'') {
            for (at++; *at != '\0' && *at != '\''; at++)
                ;
            at += *at == '\'';
        } else if (*at == '$' || isalnum((unsigned char)*at) || *at == '_') {
            for (at++; isalnum((unsigned char)*at) || *at == '_' || *at == '.'; at++)
                ;
        } else {
            at++;
        }
        assert_true(words->count < WORDS_MAX);
        snprintf(words->word[words->count++], WORD_BYTES, "%.*s", (int)(at - from), from);
    }
}

static bool
is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, list[i]) == 0)
            return true;
    }
    return false;
}
#define IS_ONE_OF(word, list) is_one_of((word), (list), LENGTH(list))

static bool
is_word(const struct words *words, int at, const char *word)
{
    return at >= 0 && at < words->count && strcasecmp(words->word[at], word) == 0;
}

/* A table stands behind FROM, JOIN, INTO, UPDATE, USING or a comma. */
static bool
names_table(const struct words *words, int at)
{
    static const char *const before[] = { "FROM", "JOIN", "INTO", "UPDATE", "USING", "LATERAL", "," };
    for (size_t i = 0; at > 0 && i < LENGTH(before); i++) {
        if (is_word(words, at - 1, before[i]))
            return true;
    }
    return false;
}

static bool
touches_tenant_table(const struct words *words)
{
    for (int i = 1; i < words->count; i++) {
        if ((IS_ONE_OF(words->word[i], tenant_tables) && names_table(words, i)) || is_word(words, i, "list_start"))
            return true;
    }
    return false;
}

/* Whether `alias` (or, without one, the only table there is) is a table whose id is the tenant. */
static bool
is_tenant(const struct words *words, const char *alias)
{
    int found = 0;
    for (int i = 1; i < words->count; i++) {
        if (!names_table(words, i) || !IS_ONE_OF(words->word[i], tenants))
            continue;
        int next = is_word(words, i + 1, "AS") ? i + 2 : i + 1;
        if (alias[0] == '\0')
            found++;
        else if (strcmp(words->word[i], alias) == 0 || is_word(words, next, alias))
            return true;
    }
    return alias[0] == '\0' && found > 0;
}

static bool
is_tenant_column(const struct words *words, const char *word)
{
    const char *dot = strrchr(word, '.');
    const char *column = dot == NULL ? word : dot + 1;
    if (IS_ONE_OF(column, tenant_columns))
        return true;
    char alias[WORD_BYTES];
    snprintf(alias, sizeof(alias), "%.*s", dot == NULL ? 0 : (int)(dot - word), word);
    return strcmp(column, "id") == 0 && is_tenant(words, alias);
}

/* The place of the k-th (from 0) of the items in the brackets that open at `open`. */
static int
item(const struct words *words, int open, int k)
{
    int depth = 0;
    for (int i = open; i < words->count; i++) {
        const char *word = words->word[i];
        if (depth == 1 && k == 0)
            return i;
        depth += (word[0] == '(') - (word[0] == ')');
        if (depth == 0)
            break;
        if (depth == 1 && word[0] == ',')
            k--;
    }
    return -1;
}

static int
items(const struct words *words, int open)
{
    int depth = 0, count = 1;
    for (int i = open; i < words->count; i++) {
        const char *word = words->word[i];
        depth += (word[0] == '(') - (word[0] == ')');
        if (depth == 0)
            break;
        count += depth == 1 && word[0] == ',';
    }
    return count;
}

/* INSERT INTO t (..., org_id, ...) VALUES (..., $n, ...) or SELECT ..., $n, ... */
static bool
is_inserted(const struct words *words, int insert, const char *parameter)
{
    int open = insert + 3;
    if (is_word(words, open, "AS"))
        open += 2;
    if (!is_word(words, open, "("))
        return false;
    int count = items(words, open), close = open, depth = 0;
    do {
        depth += (words->word[close][0] == '(') - (words->word[close][0] == ')');
        close++;
    } while (depth > 0);
    bool is_select = is_word(words, close, "SELECT");
    if (!is_select && !is_word(words, close, "VALUES"))
        return false;
    for (int k = 0; k < count; k++) {
        int column = item(words, open, k), value = close + 1;
        if (!is_select) {
            value = item(words, close + 1, k);
        } else {
            depth = 0;
            for (int skip = k; skip > 0 && value < words->count; value++) {
                depth += (words->word[value][0] == '(') - (words->word[value][0] == ')');
                skip -= depth == 0 && words->word[value][0] == ',';
            }
        }
        const char *table = words->word[insert + 2], *name = words->word[column];
        bool carries = IS_ONE_OF(name, tenant_columns) || (strcmp(name, "id") == 0 && IS_ONE_OF(table, tenants));
        if (carries && value >= 0 && strcmp(words->word[value], parameter) == 0)
            return true;
    }
    return false;
}

/* Whether the parameter at `at` stands beside "=" and a tenant's column, in either order, or in "= ANY (...)". */
static bool
is_compared(const struct words *words, int at)
{
    if (is_word(words, at - 1, "=") && at >= 2 && is_tenant_column(words, words->word[at - 2]))
        return true;
    if (is_word(words, at - 1, "(") && is_word(words, at - 2, "ANY") && is_word(words, at - 3, "=") && at >= 4 &&
        is_tenant_column(words, words->word[at - 4]))
        return true;
    /* The tenant, or what a unique name stands for when the tenant is not known yet. */
    if (is_word(words, at - 1, "(") && is_word(words, at - 2, "coalesce") && is_word(words, at - 3, "=") && at >= 4 &&
        is_tenant_column(words, words->word[at - 4]))
        return true;
    /* The same for what may belong to nobody: NULL finds that, and nothing of a tenant's. */
    if (is_word(words, at - 1, "FROM") && is_word(words, at - 2, "DISTINCT") && is_word(words, at - 3, "NOT") &&
        is_word(words, at - 4, "IS") && at >= 5 && is_tenant_column(words, words->word[at - 5]))
        return true;
    int after = at + 1;
    if (is_word(words, after, ":") && is_word(words, after + 1, ":"))
        after += 3;
    return is_word(words, after, "=") && after + 1 < words->count && is_tenant_column(words, words->word[after + 1]);
}

static bool
holds_to_tenant(const struct words *words, const char *parameter)
{
    for (int i = 0; i < words->count; i++) {
        if (strcmp(words->word[i], parameter) == 0 && is_compared(words, i))
            return true;
        if (is_word(words, i, "INSERT") && is_word(words, i + 1, "INTO") && is_inserted(words, i, parameter))
            return true;
        /* Functions of the schema whose argument is the tenant: the list's scope, and what a move takes from whom. */
        if ((is_word(words, i, "list_start") || is_word(words, i, "project_move")) && is_word(words, i + 1, "(")) {
            for (int k = 0; k < items(words, i + 1); k++) {
                if (strcmp(words->word[item(words, i + 1, k)], parameter) == 0)
                    return true;
            }
        }
    }
    return false;
}

/* NULL when the statement keeps to its scope, else what is wrong. */
static const char *
judge(const char *scope, const char *text)
{
    static struct words words;
    split(text, &words);
    if (!touches_tenant_table(&words))
        return NULL;
    if (strncmp(scope, "none, because ", 14) == 0)
        return strlen(scope) > 24 ? NULL : "gives no reason";
    const char *parameter = strchr(scope, '$');
    if (parameter == NULL)
        return "names no parameter";
    return holds_to_tenant(&words, parameter) ? NULL : "does not hold its rows to the tenant";
}

static void
every_statement_can_be_prepared(void **state)
{
    (void)state;
    for (int i = 0; i < SQL_COUNT; i++) {
        PGresult *result = PQprepare(fixture_owner, sql_rows[i].name, sql_rows[i].text, 0, NULL);
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            fail_msg("%s: %s", sql_rows[i].name, PQerrorMessage(fixture_owner));
        PQclear(result);
    }
}

/* What the server says of a prepared statement against what the generator read out of its text. */
static int
compare_names(const struct sql_row *row, const PGresult *said)
{
    int wrong_count = 0;
    if (PQnparams(said) != row->param_count || PQnparams(said) > PARAMS_MAX) {
        print_error("%s.sql has %d parameters, not %d; PARAMS_MAX is %d\n", row->name, PQnparams(said),
                    row->param_count, PARAMS_MAX);
        wrong_count++;
    }
    if (PQnfields(said) != row->column_count) {
        print_error("%s.sql gives %d columns, not %d\n", row->name, PQnfields(said), row->column_count);
        return wrong_count + 1;
    }
    for (int i = 0; i < row->column_count; i++) {
        if (row->column_names[i] != NULL && strcmp(row->column_names[i], PQfname(said, i)) != 0) {
            print_error("column %d of %s.sql is %s, not %s\n", i + 1, row->name, PQfname(said, i),
                        row->column_names[i]);
            wrong_count++;
        }
    }
    return wrong_count;
}

static void
every_statement_has_the_names_that_c_knows(void **state)
{
    (void)state;
    int wrong_count = 0;
    for (int i = 0; i < SQL_COUNT; i++) {
        PGresult *said = PQdescribePrepared(fixture_owner, sql_rows[i].name);
        assert_int_equal(PQresultStatus(said), PGRES_COMMAND_OK);
        wrong_count += compare_names(&sql_rows[i], said);
        PQclear(said);
    }
    assert_int_equal(wrong_count, 0);
}

static void
every_statement_is_held_to_its_tenant(void **state)
{
    (void)state;
    int wrong_count = 0;
    for (int i = 0; i < SQL_COUNT; i++) {
        const char *wrong = judge(sql_rows[i].scope, sql_rows[i].text);
        if (wrong != NULL)
            print_error("%s.sql with scope \"%s\" %s\n", sql_rows[i].name, sql_rows[i].scope, wrong);
        wrong_count += wrong != NULL;
    }
    assert_int_equal(wrong_count, 0);
}

static void
judge_finds_what_it_is_there_for(void **state)
{
    (void)state;
    // clang-format off
    static const struct { const char *scope, *text; bool is_right; } cases[] = {
        { "organization $1", "SELECT name FROM project WHERE org_id = $1", true },
        { "organization $1", "SELECT name FROM project WHERE org_id = $2", false },
        { "organization $1", "SELECT name FROM project", false },
        { "organization $1", "SELECT name FROM project WHERE name = $1", false },
        { "organization $1", "SELECT name FROM project WHERE org_id IS NOT DISTINCT FROM $1::bytea", true },
        { "organization $1", "SELECT name FROM project WHERE org_id IS DISTINCT FROM $1", false },
        { "organization $1", "SELECT name FROM project WHERE name IS NOT DISTINCT FROM $1", false },
        { "organization $2", "SELECT p.name FROM project p WHERE p.id = $1 AND $2::bytea = p.org_id", true },
        { "project $1", "SELECT p.name FROM project p WHERE p.id = $1", true },
        { "project $1", "SELECT r.name FROM resource r WHERE r.id = $1", false },
        { "project $1", "SELECT r.name FROM resource r JOIN project p ON p.id = r.scope WHERE r.id = $1", false },
        { "project $1", "SELECT r.name FROM resource AS r WHERE r.scope = $1 AND r.kind = $2", true },
        { "project $1", "UPDATE resource SET name = $1 WHERE scope = $2", false },
        { "principal $1", "DELETE FROM access_list_entry WHERE principal_id = ANY ($1)", true },
        { "organization $2", "INSERT INTO project (id, org_id, name) VALUES ($1, $2, $3)", true },
        { "organization $3", "INSERT INTO project (id, org_id, name) VALUES ($1, $2, $3)", false },
        { "organization $2", "INSERT INTO project (id, org_id) SELECT coalesce($1, $3), $2 FROM project", true },
        { "organization $1", "INSERT INTO project (id, org_id) SELECT coalesce($1, $3), $2 FROM project", false },
        { "project $1", "SELECT anchor FROM list_start($1, $2, $3)", true },
        { "project $1", "SELECT anchor FROM list_start($2, $3, $4)", false },
        { "none, because the audit walks all chains", "SELECT seq FROM event", true },
        { "none, because so", "SELECT seq FROM event", false },
        { "none, because so", "SELECT 1", true },
        { "none, because so", "SELECT 'x FROM event'", true },
    };
    // clang-format on
    for (size_t i = 0; i < LENGTH(cases); i++) {
        if ((judge(cases[i].scope, cases[i].text) == NULL) != cases[i].is_right)
            fail_msg("\"%s\" with scope \"%s\" should be %s", cases[i].text, cases[i].scope,
                     cases[i].is_right ? "right" : "wrong");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judge_finds_what_it_is_there_for),
        cmocka_unit_test(every_statement_can_be_prepared),
        cmocka_unit_test(every_statement_has_the_names_that_c_knows),
        cmocka_unit_test(every_statement_is_held_to_its_tenant),
    };
    return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
