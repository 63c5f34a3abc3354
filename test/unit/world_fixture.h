/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_fixture.h, and test/data/statements/world.sql in its database: two of everything. Statements are run by their file's name and
 * with arguments that are SQL, as in test/data/statements/calls.txt.
 */
#ifndef TEST_UNIT_WORLD_FIXTURE_H
#define TEST_UNIT_WORLD_FIXTURE_H

#include "store_fixture.h"

#include <string.h>

enum { CALL_BYTES = 16384 };

static __attribute__((unused)) char *
world_read(const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), STATEMENTS_FOLDER "/%s", name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s cannot be read", path);
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', file) < 0)
        fail_msg("%s is empty", path);
    fclose(file);
    return text;
}

static __attribute__((unused)) void
world_run_file(PGconn *pg, const char *name)
{
    char *text = world_read(name);
    PGresult *result = PQexec(pg, text);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", name, PQresultErrorMessage(result));
    PQclear(result);
    free(text);
}

static __attribute__((unused)) void
world_prepare(PGconn *pg)
{
    for (int i = 0; i < SQL_COUNT; i++) {
        PGresult *result = PQprepare(pg, sql_rows[i].name, sql_rows[i].text, 0, NULL);
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            fail_msg("%s: %s", sql_rows[i].name, PQerrorMessage(pg));
        PQclear(result);
    }
}

static __attribute__((unused)) const struct sql_row *
world_statement(const char *name)
{
    for (int i = 0; i < SQL_COUNT; i++) {
        if (strcmp(sql_rows[i].name, name) == 0)
            return &sql_rows[i];
    }
    fail_msg("there is no statement %s", name);
    return NULL;
}

/* Cuts off the first argument, "name => SQL". */
static char *
world_next_argument(char **rest)
{
    int depth = 0;
    bool is_quoted = false;
    char *begin = *rest + strspn(*rest, " "), *at = begin;
    for (; *at != '\0' && (is_quoted || depth > 0 || *at != ','); at++) {
        is_quoted ^= *at == '\'';
        if (!is_quoted)
            depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    }
    *rest = at + (*at != '\0');
    *at = '\0';
    return begin;
}

static const char *
world_default(const char *parameter)
{
    return strcmp(parameter, "organization") == 0 ? "o()" : strcmp(parameter, "project") == 0 ? "p()" : NULL;
}

/* In a static buffer: what runs a statement with these arguments, "name => SQL, ...", in whatever order. The parameter with the number
 * `other`, if that is not 0, is `other_value` whatever the arguments say. */
static __attribute__((unused)) const char *
world_call_for(const char *name, const char *arguments, int other, const char *other_value)
{
    static char text[CALL_BYTES], copy[CALL_BYTES];
    const struct sql_row *row = world_statement(name);
    const char *values[PARAMS_MAX] = { NULL };
    assert_true(snprintf(copy, sizeof(copy), "%s", arguments) < CALL_BYTES);
    for (char *rest = copy; *rest != '\0';) {
        char *argument = world_next_argument(&rest), *value = strstr(argument, " => ");
        int place = 0;
        if (value == NULL)
            fail_msg("%s(%s): %s has no name", name, arguments, argument);
        *value = '\0';
        while (place < row->param_count && strcmp(param_names[row->params[place]], argument) != 0)
            place++;
        if (place == row->param_count || values[place] != NULL)
            fail_msg("%s(%s): takes no %s%s", name, arguments, place == row->param_count ? "" : "second ", argument);
        values[place] = value + strlen(" => ");
    }
    if (other > 0)
        values[other - 1] = other_value;
    int length = snprintf(text, sizeof(text), "EXECUTE \"%s\"", name);
    for (int i = 0; i < row->param_count; i++) {
        const char *parameter = param_names[row->params[i]],
                   *value = values[i] == NULL ? world_default(parameter) : values[i];
        if (value == NULL)
            fail_msg("%s(%s): %s is missing", name, arguments, parameter);
        length += snprintf(text + length, sizeof(text) - (size_t)length, "%s%s%s", i == 0 ? " (" : ", ", value,
                           i == row->param_count - 1 ? ")" : "");
        assert_true(length < CALL_BYTES);
    }
    return text;
}

static __attribute__((unused)) const char *
world_call(const char *name, const char *arguments)
{
    return world_call_for(name, arguments, 0, NULL);
}

/* The service sees to what belongs to no tenant; everything else is done for alfa. */
static __attribute__((unused)) void
world_act_for(PGconn *pg, const struct sql_row *row)
{
    fixture_ask_on(pg, "SELECT set_config('reeve.organization', encode(test.o(), 'hex'), true)");
    fixture_ask_on(pg, strncmp(row->scope, "none", 4) == 0 ? "SET LOCAL reeve.service = 'on'"
                                                           : "SET LOCAL reeve.service = 'off'");
    fixture_ask_on(pg, "SET LOCAL search_path = \"$user\", public, test");
}

#endif
