/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/output/table.h"
#include "cli/output/wrong_fields.h"
#include "cli/profile.h"
#include "cli/query/query.h"

enum format { FORMAT_RAW, FORMAT_TABLE, FORMAT_JSON, FORMAT_TEXT };

static enum format
format_of(const struct cli *cli)
{
    const char *wanted = cli->call.values[OPTION_OUTPUT];
    bool to_file = cli->call.values[OPTION_SAVE] != NULL;
    if (wanted == NULL)
        return cli->terminal.out && !to_file ? FORMAT_TABLE : FORMAT_RAW;
    if (strcmp(wanted, "table") == 0)
        return FORMAT_TABLE;
    if (strcmp(wanted, "text") == 0)
        return FORMAT_TEXT;
    return cli->terminal.out && !to_file ? FORMAT_JSON : FORMAT_RAW;
}

bool
output_is_for_people(const struct cli *cli)
{
    return format_of(cli) == FORMAT_TABLE && cli->call.values[OPTION_QUERY] == NULL;
}

bool
output_check(struct cli *cli)
{
    const char *wanted = cli->call.values[OPTION_OUTPUT], *query = cli->call.values[OPTION_QUERY];
    str why = STR_EMPTY;
    if (wanted != NULL && strcmp(wanted, "table") != 0 && strcmp(wanted, "json") != 0 && strcmp(wanted, "text") != 0) {
        cli_say(cli, "--output takes table, json or text, not `%s`", wanted);
        return false;
    }
    if (query != NULL && query_parse(cli->arena, str_from(query), &why) == NULL) {
        cli_say(cli, "--query: %.*s; `reeve help query` shows what can be written", STR_ARG(why));
        return false;
    }
    return true;
}

/* ---- Answers ---- */
static void
print_text(FILE *out, struct cli *cli, const json_t *value)
{
    size_t i;
    json_t *item;
    const char *key;
    if (json_is_array(value)) {
        bool rows = json_is_array(json_array_get(value, 0)) || json_is_object(json_array_get(value, 0));
        json_array_foreach(value, i, item)
        {
            if (rows)
                print_text(out, cli, item);
            else
                fprintf(out, "%s%.*s", i > 0 ? "\t" : "", STR_ARG(table_cell(cli->arena, item)));
        }
        if (!rows)
            fputc('\n', out);
    } else if (json_is_object(value)) {
        bool first = true;
        json_object_foreach((json_t *)(uintptr_t)value, key, item)
        {
            if (strcmp(key, "links") == 0)
                continue;
            fprintf(out, "%s%.*s", first ? "" : "\t", STR_ARG(table_cell(cli->arena, item)));
            first = false;
        }
        fputc('\n', out);
    } else {
        fprintf(out, "%.*s\n", STR_ARG(table_cell(cli->arena, value)));
    }
}

static void
print_page_hint(struct cli *cli, const json_t *document, size_t shown, size_t hidden)
{
    json_int_t total = json_integer_value(json_object_get(document, "totalCount"));
    if (total > (json_int_t)shown)
        cli_note(cli, "%zu of %lld; --all shows every page, --page-num 2 the next", shown, (long long)total);
    if (hidden > 0)
        cli_note(cli, "%zu more column%s: --output json shows everything, --query picks fields", hidden,
                 hidden == 1 ? "" : "s");
}

/* An empty list says how to make the first one. */
static void
print_empty(struct cli *cli, const struct command *command)
{
    for (size_t i = 0; command != NULL && i < command_count; i++) {
        const struct command *making = &commands[i];
        if (making->method == METHOD_POST && making->path == command->path && making->shape == ANSWER_ENTITY &&
            making->waits_for == 0 && making->refuses == 0) {
            cli_note(cli, "there is nothing here yet; to make one: %s", TEXT_AT(making->example));
            return;
        }
    }
    cli_note(cli, "there is nothing here");
}

static void
print_table(FILE *out, struct cli *cli, const struct command *command, json_t *document)
{
    struct table_style style = { cli->terminal.width, cli->terminal.color_out };
    json_t *items = json_is_array(document) ? document : json_object_get(document, "results");
    bool is_list = command == NULL || command->shape == ANSWER_LIST;
    if (json_is_array(items) && (is_list || items == document)) {
        if (json_array_size(items) == 0) {
            print_empty(cli, command);
            return;
        }
        const char *columns =
            command != NULL && cli->call.values[OPTION_QUERY] == NULL ? TEXT_AT(command->columns) : "";
        size_t hidden = table_print(out, cli->arena, items, columns, style);
        fflush(out);
        print_page_hint(cli, document, json_array_size(items), hidden);
    } else {
        table_print_entity(out, cli->arena, document, style);
    }
}

static void
print_document(FILE *out, struct cli *cli, const struct command *command, json_t *document, enum format format)
{
    if (format == FORMAT_TABLE) {
        print_table(out, cli, command, document);
    } else if (format == FORMAT_TEXT) {
        print_text(out, cli,
                   json_is_array(json_object_get(document, "results")) ? json_object_get(document, "results")
                                                                       : document);
    } else {
        json_dumpf(document, out, JSON_ENCODE_ANY | (cli->terminal.out ? JSON_INDENT(2) : JSON_COMPACT));
        fputc('\n', out);
    }
}

static int
print_answer(FILE *out, struct cli *cli, const struct command *command, const struct answer *answer)
{
    enum format format = format_of(cli);
    const char *query = cli->call.values[OPTION_QUERY];
    str why;
    if (answer->body.len == 0) {
        if (output_is_for_people(cli))
            cli_note(cli, "done (%ld)", answer->status);
        return EXIT_SUCCESS;
    }
    json_t *document = NULL;
    if (query != NULL || format != FORMAT_RAW)
        document = json_in(cli->arena, json_loadb(answer->body.data, answer->body.len, JSON_DECODE_ANY, NULL));
    if (document == NULL) {
        bool wrote = fwrite(answer->body.data, 1, answer->body.len, out) == answer->body.len;
        return wrote ? EXIT_SUCCESS : EXIT_REFUSED;
    }
    if (query != NULL) {
        const struct query *parsed = query_parse(cli->arena, str_from(query), &why);
        if (parsed == NULL)
            return EXIT_USAGE;
        document = json_in(cli->arena, query_run(parsed, document));
    }
    print_document(out, cli, command, document, format == FORMAT_RAW ? FORMAT_JSON : format);
    return EXIT_SUCCESS;
}

int
output_answer(struct cli *cli, const struct command *command, const struct answer *answer)
{
    const char *file = cli->call.values[OPTION_SAVE];
    if (answer->status >= 300)
        return output_error(cli, answer);
    if (answer->sunk_bytes > 0)
        return EXIT_SUCCESS;
    FILE *out = file != NULL ? fopen(file, "w") : stdout;
    if (out == NULL) {
        cli_say(cli, "%s cannot be written: %s", file, strerror(errno));
        return EXIT_USAGE;
    }
    int status = print_answer(out, cli, command, answer);
    if ((file != NULL ? fclose(out) : fflush(out)) != 0) {
        if (errno != EPIPE)
            cli_say(cli, "the answer could not be written: %s", strerror(errno));
        return EXIT_REFUSED;
    }
    return status;
}

/* ---- Errors ---- */
static const struct error_row *
error_row_of(const char *code)
{
    for (int i = 0; code != NULL && i < ERROR_CODE_COUNT; i++) {
        if (strcmp(error_rows[i].name, code) == 0)
            return &error_rows[i];
    }
    return NULL;
}

static void
print_line(const struct cli *cli, const char *label, const char *text)
{
    bool color = cli->terminal.color_err;
    fprintf(stderr, "  %s%-12s%s", style_on(color, STYLE_FAINT), label, style_off(color, STYLE_FAINT));
    text_wrap(stderr, text, 14, 14, cli->terminal.width);
}

static str
page_of(const struct cli *cli, const char *code)
{
    const char *docs = cli->profile != NULL ? cli->profile->docs : NULL;
    return str_format(cli->arena, "%s/reference/errors.html#%s", docs != NULL ? docs : "docs", code);
}

/* "reeve: 2 fields are wrong:", and a line for each. */
static void
print_wrong_fields(const struct cli *cli, size_t count, const struct wrong_field *fields)
{
    if (count > 1)
        fprintf(stderr, "%zu fields are wrong%s:\n", count,
                count == ERROR_MAX_WRONG_FIELDS ? ", and there may be more" : "");
    for (size_t i = 0; i < count; i++) {
        str name = text_harmless(cli->arena, wrong_field_name(cli->arena, cli->call.command, fields[i].field));
        str what = text_harmless(cli->arena, fields[i].what);
        fputs(count > 1 ? "  - " : "", stderr);
        text_wrap(stderr, str_format(cli->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(what)).data, count > 1 ? 4 : 0,
                  count > 1 ? 4 : 7, cli->terminal.width);
    }
}

int
output_error(struct cli *cli, const struct answer *answer)
{
    return output_error_as(cli, answer, STR_EMPTY);
}

int
output_error_as(struct cli *cli, const struct answer *answer, str sentence)
{
    json_t *document = json_in(cli->arena, json_loadb(answer->body.data, answer->body.len, 0, NULL));
    const char *detail = json_string_value(json_object_get(document, "detail"));
    const char *code = json_string_value(json_object_get(document, "errorCode"));
    const char *wanted = cli->call.values[OPTION_OUTPUT];
    const struct error_row *row = error_row_of(code);
    bool color = cli->terminal.color_err;
    if (wanted != NULL && strcmp(wanted, "json") == 0 && document != NULL) {
        fprintf(stderr, "%.*s\n", STR_ARG(answer->body));
        return EXIT_REFUSED;
    }
    str shown = sentence.len > 0 ? sentence : detail != NULL ? text_harmless(cli->arena, str_from(detail)) : STR_EMPTY;
    fprintf(stderr, "%sreeve:%s ", style_on(color, STYLE_RED), style_off(color, STYLE_RED));
    struct wrong_field wrong[ERROR_MAX_WRONG_FIELDS];
    size_t wrong_count = sentence.len > 0 ? 0 : wrong_fields_read(cli->arena, row, document, wrong);
    if (wrong_count > 0)
        print_wrong_fields(cli, wrong_count, wrong);
    else if (shown.len > 0)
        text_wrap(stderr, shown.data, 0, 7, cli->terminal.width);
    else
        fprintf(stderr, "the server answered %ld\n", answer->status);
    if (row != NULL)
        print_line(cli, "what to do", row->remedy);
    print_line(cli, "code", str_format(cli->arena, "%s (%ld)", code != NULL ? code : "none", answer->status).data);
    if (answer->request_id.len > 0)
        print_line(cli, "request", text_harmless(cli->arena, answer->request_id).data);
    if (row != NULL)
        print_line(cli, "explained",
                   str_format(cli->arena, "%s, or: reeve explain %s", page_of(cli, code).data, code).data);
    const struct profile *p = cli->profile;
    if (answer->status == 401 && !p->for_operators && !profile_is_logged_in(p))
        cli_note(cli, "you are not logged in: `reeve login`");
    if (p->has_session && code != NULL && strcmp(code, "SESSION_ENDED") == 0)
        cli_note(cli, "you are not logged in any more: `reeve login`");
    return EXIT_REFUSED;
}

/* "{}" stands for a parameter: ‹1›, ‹2› … as in the reference. */
static str
numbered(struct arena *arena, const char *detail)
{
    struct buf text = buf_in(arena, 65536);
    int number = 0;
    for (; *detail != '\0'; detail++) {
        if (detail[0] == '{' && detail[1] == '}') {
            buf_format(&text, "‹%d›", ++number);
            detail++;
        } else {
            buf_add_char(&text, *detail);
        }
    }
    return buf_str(&text);
}

/* A part of a code that exists, or one that is misspelt: those that are meant, at most three. */
static void
suggest_codes(const char *code)
{
    size_t count = 0;
    for (int i = 0; i < ERROR_CODE_COUNT && count < 3; i++) {
        const char *name = error_rows[i].name;
        if ((strlen(code) > 2 && strstr(name, code) != NULL) || command_distance(code, name) <= strlen(code) / 4)
            fprintf(stderr, "%s  reeve explain %s\n", count++ == 0 ? "did you mean:\n" : "", name);
    }
    if (count == 0)
        fprintf(stderr, "an error shows its code in the line `code`, such as RESOURCE_NOT_FOUND\n");
}

int
output_explain(struct cli *cli, const char *given)
{
    char *code = (char *)(uintptr_t)str_dup(cli->arena, str_from(given)).data;
    for (char *c = code; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    const struct error_row *row = error_row_of(code);
    if (row == NULL) {
        cli_say(cli, "there is no error code %s", given);
        suggest_codes(code);
        return EXIT_USAGE;
    }
    printf("%s (%u %s)\n\n  ", row->name, row->status, error_reason(row->status));
    text_wrap(stdout, numbered(cli->arena, row->detail).data, 2, 2, cli->terminal.width);
    printf("\nWhat to do:\n\n  ");
    text_wrap(stdout, row->remedy, 2, 2, cli->terminal.width);
    printf("\nMore: %s\n", page_of(cli, row->name).data);
    return EXIT_SUCCESS;
}
