/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every statement does what it did before, and nothing to a neighbour. Each is run with the arguments in test/data/statements/calls.txt in a
 * world that has two of everything, by the owner of the tables, for whom row security does not hold: what keeps a statement to its tenant
 * here is its own text. What it returns and every row that it changes is compared with expected.txt. After a change that is meant, look at
 * the difference and copy build/statements.actual there.
 */
#include "world_fixture.h"

/* Those that concern two tenants by intention. */
static const char *const across_tenants[] = { "project_move" };

/* Ids, dates and milliseconds are at least this long; test.value() would leave shorter ones as they are. */
enum { SHORTEST_RENDERED = 13 };

static char *calls;
static const char *faults_file;
static bool has_call[SQL_COUNT], has_effect[SQL_COUNT];

static int
set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    calls = world_read("calls.txt");
    world_prepare(fixture_owner);
    fixture_ask("BEGIN"); /* until the end: now() stands still, and after each statement everything is as before */
    fixture_ask("SET LOCAL client_min_messages = warning");
    fixture_ask("SET LOCAL timezone = 'UTC'");
    /* Rows without an order come as they were written, the same way every time: whoever forgets ORDER BY sees it. */
    fixture_ask("SET LOCAL plan_cache_mode = force_custom_plan");
    fixture_ask("SET LOCAL enable_indexscan = off");
    fixture_ask("SET LOCAL enable_indexonlyscan = off");
    fixture_ask("SET LOCAL enable_bitmapscan = off");
    world_run_file(fixture_owner, "world.sql");
    fixture_ask("SET CONSTRAINTS ALL IMMEDIATE");
    world_run_file(fixture_owner, "look.sql");
    return 0;
}

static int
tear_down(void **state)
{
    free(calls);
    return fixture_tear_down(state);
}

/* Those that repeat what they are asked about. */
static const char *const echoes[] = { "federated_member_put", "federation_domains_missing" };

/* A line of calls.txt: name(arguments), or name(arguments) after SQL. */
struct call {
    const struct sql_row *row;
    const char *arguments, *before /* NULL: none */;
    const char *tenant; /* runs it for this one, in place of the one in the arguments; NULL: does not */
};

static struct call
read_call(char *line)
{
    struct call call = { .before = NULL };
    char *arguments = strchr(line, '('), *after = strstr(line, ") after "),
         *end = after == NULL ? strrchr(line, ')') : after;
    if (arguments == NULL || end == NULL)
        fail_msg("this is no call: %s", line);
    *arguments = *end = '\0';
    if (after != NULL)
        call.before = after + strlen(") after ");
    call.row = world_statement(line);
    call.arguments = arguments + 1;
    return call;
}

static void
write_value(FILE *out, const char *column, const char *value)
{
    if (value != NULL && strlen(value) < SHORTEST_RENDERED && strstr(column, "revision") == NULL) {
        fprintf(out, "%s", value);
        return;
    }
    const char *values[] = { column, value };
    PGresult *shown = PQexecParams(fixture_owner, "SELECT test.value($1, $2)", 2, NULL, values, NULL, NULL, 0);
    if (PQresultStatus(shown) != PGRES_TUPLES_OK)
        fail_msg("%s: %s", value, PQerrorMessage(fixture_owner));
    fprintf(out, "%s", PQgetvalue(shown, 0, 0));
    PQclear(shown);
}

static void
write_rows(FILE *out, const PGresult *result)
{
    for (int row = 0; row < PQntuples(result); row++) {
        fprintf(out, "    = ");
        for (int column = 0; column < PQnfields(result); column++) {
            fprintf(out, "%s", column > 0 ? " | " : "");
            write_value(out, PQfname(result, column),
                        PQgetisnull(result, row, column) ? NULL : PQgetvalue(result, row, column));
        }
        fprintf(out, "\n");
    }
}

static int
write_changes(FILE *out)
{
    PGresult *changes = PQexec(fixture_owner, "SELECT what FROM test.change ORDER BY what COLLATE \"C\"");
    int count = PQntuples(changes);
    for (int i = 0; i < count; i++)
        fprintf(out, "    %s\n", PQgetvalue(changes, i, 0));
    PQclear(changes);
    return count;
}

/* What came of it, as in expected.txt; whether it returned or changed any row. */
static bool
write_effect(FILE *out, const struct call *call)
{
    bool has_any = false;
    fixture_ask("SAVEPOINT before");
    world_act_for(fixture_owner, call->row);
    if (call->before != NULL) {
        fixture_ask("%s", call->before);
        fixture_ask("DELETE FROM test.change");
    }
    fixture_ask(
        "SELECT setval(s.oid::regclass, 1000000) FROM pg_class s WHERE s.relkind = 'S' AND s.relnamespace = 'public'::regnamespace");
    fixture_ask("SET CONSTRAINTS ALL DEFERRED");
    const char *scope = strchr(call->row->scope, '$');
    int place = call->tenant == NULL ? 0 : atoi(scope + 1);
    PGresult *result = PQexec(fixture_owner, world_call_for(call->row->name, call->arguments, place, call->tenant));
    PGresult *checked = PQexec(fixture_owner, "SET CONSTRAINTS ALL IMMEDIATE");
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        fprintf(out, "    ! %s\n", PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    } else if (PQresultStatus(checked) != PGRES_COMMAND_OK) {
        fprintf(out, "    ! at the commit: %s\n", PQresultErrorField(checked, PG_DIAG_MESSAGE_PRIMARY));
    } else {
        write_rows(out, result);
        has_any = write_changes(out) > 0 || PQntuples(result) > 0;
    }
    PQclear(result);
    PQclear(checked);
    fixture_ask("ROLLBACK TO before");
    fixture_ask("RELEASE before");
    return has_any;
}

static bool
is_in(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* Whoever copies a wrong expected.txt finds it here: a statement of one tenant neither shows nor changes what the other has, and one of a
 * project nothing of the tenant's other projects. "both" is a person who belongs to both tenants. */
static bool
reaches_a_neighbour(const struct call *call, const char *effect)
{
    bool is_of_project = strncmp(call->row->scope, "project", 7) == 0;
    bool is_of_person = strncmp(call->row->scope, "principal", 9) == 0 && strstr(call->arguments, "id('both')") != NULL;
    if (strncmp(call->row->scope, "none", 4) == 0 || is_of_person ||
        is_in(across_tenants, LENGTH(across_tenants), call->row->name))
        return false;
    return strstr(effect, "bravo") != NULL ||
           (is_of_project && (strstr(effect, "alfa2") != NULL || strstr(effect, "alfa3") != NULL));
}

static char *
effect_of(const struct call *call, bool *ret_has_any)
{
    char *effect = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&effect, &size);
    assert_non_null(stream);
    *ret_has_any = write_effect(stream, call);
    fclose(stream);
    return effect;
}

static int
count_lines(const char *effect, bool returned)
{
    int count = 0;
    for (const char *line = effect; *line != '\0'; line = strchr(line, '\n') + 1)
        count += (line[4] == '=') == returned;
    return count;
}

/* The same call for the other tenant, which names by their ids things that it does not have: nothing of them may be shown or changed. What
 * is added is of whom the arguments say, and does not count. Says how much it has found of its own; true when it found something else. */
static bool
is_open_to_a_neighbour(FILE *out, const struct call *call)
{
    bool is_of_project = strncmp(call->row->scope, "project", 7) == 0, has_any;
    if ((!is_of_project && strncmp(call->row->scope, "organization", 12) != 0) || call->before != NULL)
        return false;
    struct call other = *call;
    other.tenant = is_of_project ? "id('bravo1 project')" : "id('bravo org')";
    char *effect = effect_of(&other, &has_any);
    bool is_open = strstr(effect, "alfa") != NULL && strstr(effect, "    + ") == NULL &&
                   !is_in(echoes, LENGTH(echoes), call->row->name);
    if (is_open && faults_file == NULL)
        print_error("%s(%s) lets a neighbour in:\n%s", call->row->name, call->arguments, effect);
    if (effect[0] != '\0')
        fprintf(out, "    bravo: %d, %d\n", count_lines(effect, true), count_lines(effect, false));
    free(effect);
    return is_open;
}

static int
write_call(FILE *out, char *line)
{
    bool has_any;
    struct call call = read_call(line);
    char *effect = effect_of(&call, &has_any);
    has_call[call.row - sql_rows] = true;
    has_effect[call.row - sql_rows] = has_effect[call.row - sql_rows] || has_any;
    fprintf(out, "\n%s(%s)%s%s\n%s", call.row->name, call.arguments, call.before == NULL ? "" : " after ",
            call.before == NULL ? "" : call.before, effect);
    int wrong = is_open_to_a_neighbour(out, &call);
    if (reaches_a_neighbour(&call, effect)) {
        print_error("%s(%s) reaches a neighbour:\n%s", call.row->name, call.arguments, effect);
        wrong++;
    }
    free(effect);
    return wrong;
}

static void
every_statement_does_what_is_expected(void **state)
{
    (void)state;
    int wrong = 0;
    FILE *out = fopen("statements.actual", "w");
    assert_non_null(out);
    fprintf(
        out,
        "# Made by store_statement_test. \"=\" is a row that a statement returns; \"+\", \"-\" and \"~\" are rows that it adds, removes and changes.\n"
        "# \"bravo\" says how many rows it returns and changes when the same is asked for the other tenant.\n");
    for (char *rest = calls, *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (line[0] == '-') {
            char *name = line + 2, *reason = strchr(name, ':');
            assert_non_null(reason);
            *reason = '\0';
            int place = (int)(world_statement(name) - sql_rows);
            has_call[place] = has_effect[place] = true;
        } else if (line[0] != '#' && line[0] != '\0') {
            wrong += write_call(out, line);
        }
    }
    fclose(out);
    for (int i = 0; i < SQL_COUNT; i++) {
        if (!has_call[i])
            print_error("%s has no call in test/data/statements/calls.txt\n", sql_rows[i].name);
        else if (!has_effect[i])
            print_error("%s finds and changes nothing in any of its calls\n", sql_rows[i].name);
        wrong += !has_call[i] || !has_effect[i];
    }
    if (system("diff -U1 " STATEMENTS_FOLDER "/expected.txt statements.actual >&2") != 0) {
        print_error("If that is meant: cp build/statements.actual test/data/statements/expected.txt\n");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* ---- store_statement_test --faults FILE: what test/mutate/statements.py measures ---- */

enum { CALLS_MAX = 2000 };
static struct {
    struct call call;
    char *effect; /* as it is without any fault */
} known[CALLS_MAX];
static int known_count;

static char *
effects_of(const struct call *call)
{
    char *effects = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&effects, &size);
    assert_non_null(stream);
    (void)write_effect(stream, call);
    if (is_open_to_a_neighbour(stream, call))
        fprintf(stream, "open to a neighbour\n");
    fclose(stream);
    return effects;
}

static void
learn_effects(void)
{
    for (char *rest = calls, *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (line[0] == '#' || line[0] == '-' || line[0] == '\0')
            continue;
        assert_true(known_count < CALLS_MAX);
        known[known_count].call = read_call(line);
        known[known_count].effect = effects_of(&known[known_count].call);
        known_count++;
    }
}

/* With the types of the text that it has now, also of parameters that the other text has not. */
static bool
prepare_again(const char *name, const char *text)
{
    Oid types[PARAMS_MAX];
    PGresult *known_as = PQdescribePrepared(fixture_owner, name);
    int count = PQnparams(known_as);
    for (int i = 0; i < count; i++)
        types[i] = PQparamtype(known_as, i);
    PQclear(known_as);
    fixture_ask("DEALLOCATE \"%s\"", name);
    PGresult *result = PQprepare(fixture_owner, name, text, count, types);
    bool is_done = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    return is_done;
}

static bool
is_noticed(const char *name)
{
    bool noticed = false;
    for (int i = 0; i < known_count && !noticed; i++) {
        if (strcmp(known[i].call.row->name, name) != 0)
            continue;
        char *effect = effects_of(&known[i].call);
        noticed = strcmp(effect, known[i].effect) != 0;
        free(effect);
    }
    return noticed;
}

/* A fault is the name of the statement, a unit separator, its text with the fault, and a record separator. Says "killed", "survived" or
 * "broken" for each, a line each. */
static void
faults_are_tried(void **state)
{
    (void)state;
    char *record = NULL;
    size_t size = 0;
    FILE *file = fopen(faults_file, "r");
    assert_non_null(file);
    learn_effects();
    while (getdelim(&record, &size, '\x1e', file) > 0) {
        char *text = record, *name = strsep(&text, "\x1f");
        assert_non_null(text);
        text[strcspn(text, "\x1e")] = '\0';
        fixture_ask("SAVEPOINT fault");
        fixture_ask("SET LOCAL statement_timeout = '5s'");
        bool is_whole = prepare_again(name, text);
        printf("%s\n", !is_whole ? "broken" : is_noticed(name) ? "killed" : "survived");
        fixture_ask("ROLLBACK TO fault");
        fixture_ask("RELEASE fault");
        if (!is_whole) { /* it was taken away all the same: prepared statements know no transactions */
            PGresult *again = PQprepare(fixture_owner, name, world_statement(name)->text, 0, NULL);
            PQclear(again);
        } else {
            assert_true(prepare_again(name, world_statement(name)->text));
        }
    }
    free(record);
    fclose(file);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_statement_does_what_is_expected),
    };
    const struct CMUnitTest trials[] = {
        cmocka_unit_test(faults_are_tried),
    };
    if (argc == 3 && strcmp(argv[1], "--faults") == 0) {
        faults_file = argv[2];
        return cmocka_run_group_tests(trials, set_up, tear_down);
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
