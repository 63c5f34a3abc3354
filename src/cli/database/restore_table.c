/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve restore table`: a table as it was at a moment. The moment is restored into a cluster of one member that is made for it, and the
 * table is copied from there by pg_dump and psql. The cluster itself goes on meanwhile, and keeps what was written since.
 */
#include <stdlib.h>
#include <time.h>

#include "base/date.h"
#include "base/json.h"
#include "cli/body.h"
#include "cli/builtins.h"
#include "cli/database/connect.h"
#include "cli/database/programs.h"
#include "cli/fetch.h"
#include "cli/options.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/profile.h"
#include "cli/short/names.h"

enum { LONGEST_NAME = 48, SUFFIX_LENGTH = 6, LOOK_MS = 1000, REACH_S = 300 };

struct restore {
    struct cli *cli;
    struct client *client;
    const char *cluster, *copy; /* by name */
    str database, schema, table;
    str quoted;       /* "schema"."table", as SQL has it */
    int64_t moment_s; /* since 1970 */
    str moment;       /* as a date */
    json_t *document; /* of the cluster */
    str into;         /* its connection string */
    bool is_made;     /* the copy: the API has accepted it */
};

/* ---- What is asked for ---- */
/* The next name of "shop.public.notes"; one in quotes may have dots in it. Empty: there is none. */
static str
next_name(struct arena *arena, str *rest)
{
    struct buf name = buf_in(arena, 4096);
    bool in_quotes = false;
    size_t i = 0;
    for (; i < rest->len && (in_quotes || rest->data[i] != '.'); i++) {
        if (rest->data[i] != '"') {
            buf_add_char(&name, rest->data[i]);
        } else if (in_quotes && i + 1 < rest->len && rest->data[i + 1] == '"') {
            buf_add_char(&name, '"');
            i++;
        } else {
            in_quotes = !in_quotes;
        }
    }
    *rest = str_slice(*rest, i < rest->len ? i + 1 : i, rest->len);
    return in_quotes ? STR_EMPTY : buf_str(&name);
}

static str
quoted_with(struct arena *arena, str text, char quote)
{
    struct buf out = buf_in(arena, text.len * 2 + 3);
    buf_add_char(&out, quote);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == quote)
            buf_add_char(&out, quote);
        buf_add_char(&out, text.data[i]);
    }
    buf_add_char(&out, quote);
    return buf_str(&out);
}

static bool
read_table(struct restore *r)
{
    struct arena *arena = r->cli->arena;
    const char *given = r->cli->call.arguments[1];
    str rest = str_from(given), names[3];
    size_t count = 0;
    bool ends_with_dot = str_ends_with(rest, STR("."));
    while (rest.len > 0 && count < LENGTH(names))
        names[count++] = next_name(arena, &rest);
    bool good = count >= 2 && rest.len == 0 && !ends_with_dot;
    for (size_t i = 0; i < count; i++)
        good = good && names[i].len > 0;
    if (!good) {
        cli_say(r->cli, "which table? Write DATABASE.SCHEMA.TABLE, such as shop.public.invoices, not `%.*s`",
                STR_ARG(text_harmless(arena, str_from(given))));
        return false;
    }
    r->database = names[0];
    r->schema = count == 3 ? names[1] : STR("public");
    r->table = names[count - 1];
    r->quoted =
        str_format(arena, "%s.%s", quoted_with(arena, r->schema, '"').data, quoted_with(arena, r->table, '"').data);
    return true;
}

/* "10m" ago, or a date; the blank in "2026-11-16 09:41:07" is what people type. */
static bool
read_moment(struct restore *r)
{
    struct cli *cli = r->cli;
    const char *given = call_option(&cli->call, "at");
    int64_t now_s = (int64_t)time(NULL), ms;
    if (given == NULL) {
        cli_say(cli, "to which moment? Give --at, such as --at 10m or --at 2026-11-16T09:41:07Z");
        return false;
    }
    str text = str_dup(cli->arena, str_from(given));
    int64_t back_s = options_span_s(text);
    if (back_s > 0)
        r->moment_s = now_s - back_s;
    char *blank = strchr((char *)(uintptr_t)text.data, ' ');
    if (blank != NULL)
        *blank = 'T';
    if (r->moment_s == 0 && date_parse(text, &ms))
        r->moment_s = ms / 1000;
    r->moment = date_text(cli->arena, r->moment_s * 1000);
    if (r->moment_s == 0)
        cli_say(cli, "--at takes a time ago such as 10m, or a date in UTC such as 2026-11-16T09:41:07Z, not `%s`",
                text_harmless(cli->arena, str_from(given)).data);
    else if (r->moment_s > now_s)
        cli_say(cli, "--at: %s has not come yet", r->moment.data);
    return r->moment_s != 0 && r->moment_s <= now_s;
}

/* ---- Before anything is made ---- */
static str
of_project(const struct restore *r, const char *name, const char *rest)
{
    struct cli *cli = r->cli;
    return str_format(cli->arena, "%s/groups/%s/clusters%s%s%s", API_PREFIX,
                      str_percent_encode(cli->arena, str_from(cli->profile->project)).data, name != NULL ? "/" : "",
                      name != NULL ? str_percent_encode(cli->arena, str_from(name)).data : "", rest);
}

/* pg_dump refuses servers that are newer than itself, and would say so only when all else is done. */
static bool
has_programs(struct restore *r)
{
    static const char *const programs[] = { "psql", "pg_dump" };
    struct cli *cli = r->cli;
    str needed = json_text_at(r->document, "dbMajorVersion"), said = STR_EMPTY;
    int64_t major = 0, wanted = 0;
    for (size_t i = 0; i < LENGTH(programs); i++) {
        const char *const asked[] = { programs[i], "--version", NULL };
        if (!program_ask(cli->arena, asked, &said)) {
            cli_say(cli, "%s cannot be started: install it (Debian: postgresql-client-%s)", programs[i],
                    needed.len > 0 ? needed.data : "17");
            return false;
        }
    }
    while (said.len > 0 && major == 0) {
        str word = str_cut(&said, ' ');
        if (!str_to_int(str_cut(&word, '.'), 1, 1000, &major))
            major = 0;
    }
    if (!str_to_int(needed, 1, 1000, &wanted) || major == 0 || major >= wanted)
        return true;
    cli_say(cli, "pg_dump is of version %lld here, and the cluster of %lld: install postgresql-client-%lld",
            (long long)major, (long long)wanted, (long long)wanted);
    return false;
}

/* Once, for all that connects; psql itself would ask each time. */
static bool
read_password(struct restore *r)
{
    str password;
    if (r->cli->environment.pg_password != NULL || !r->cli->terminal.in)
        return true;
    str prompt = str_format(r->cli->arena, "password of %s", call_option(&r->cli->call, "user"));
    if (!body_read_secret(r->cli, prompt.data, &password))
        return false;
    return password.len == 0 || setenv("PGPASSWORD", password.data, 1) == 0;
}

static bool
ask_sql(struct restore *r, str string, const char *sql, str *ret_line)
{
    const char *const asked[] = { "psql", "--no-psqlrc", "--no-password", "--tuples-only", "--no-align",
                                  "-c",   sql,           "--dbname",      string.data,     NULL };
    return program_ask(r->cli->arena, asked, ret_line);
}

static int
check_table_is_gone(struct restore *r)
{
    struct cli *cli = r->cli;
    str there, name = quoted_with(cli->arena, r->quoted, '\'');
    str sql = str_format(cli->arena, "SELECT pg_catalog.to_regclass(%s) IS NOT NULL", name.data);
    int status = connect_string(cli, r->client, r->cluster, r->database.data, &r->into);
    if (status != EXIT_SUCCESS)
        return status;
    if (!ask_sql(r, r->into, sql.data, &there)) {
        cli_say(cli, "nothing was done: database %s of %s cannot be reached as %s", r->database.data, r->cluster,
                call_option(&cli->call, "user"));
        return EXIT_USAGE;
    }
    if (!str_is(there, "t"))
        return EXIT_SUCCESS;
    cli_say(cli, "table %s is still there, and is not overwritten: rename or drop it first", r->quoted.data);
    cli_note(cli, "to rename it: ALTER TABLE %s RENAME TO %s", r->quoted.data,
             quoted_with(cli->arena, str_format(cli->arena, "%s_now", r->table.data), '"').data);
    return EXIT_USAGE;
}

/* What was written just now reaches the backups a little later, so that is waited for. */
static int
wait_for_window(struct restore *r)
{
    struct cli *cli = r->cli;
    json_t *window;
    for (int waited_s = 0;; waited_s++) {
        int64_t from_ms = 0, to_ms = 0;
        int status = fetch_document(cli, r->client, of_project(r, r->cluster, "/backup/window"), &window);
        if (status != EXIT_SUCCESS)
            return status;
        str from = json_text_at(window, "from"), to = json_text_at(window, "to");
        bool has_any = date_parse(from, &from_ms) && date_parse(to, &to_ms);
        if (has_any && r->moment_s * 1000 < from_ms) {
            cli_say(cli, "%s cannot be restored: the backups of %s begin at %s", r->moment.data, r->cluster, from.data);
            return EXIT_USAGE;
        }
        if (has_any && r->moment_s * 1000 <= to_ms)
            return EXIT_SUCCESS;
        if (waited_s == 0)
            cli_note(cli, "the backups of %s do not reach %s yet: waiting", r->cluster, r->moment.data);
        if (waited_s == REACH_S) {
            cli_say(cli, "the backups of %s still end at %s: try again later", r->cluster,
                    has_any ? to.data : "their first snapshot");
            return EXIT_NOT_DONE;
        }
        if (!client_pause(LOOK_MS))
            return EXIT_INTERRUPTED;
    }
}

/* ---- The copy ---- */
/* Sends a change, and shows its operation until it has ended. */
static int
change(struct restore *r, const char *method, str target, const json_t *body)
{
    struct cli *cli = r->cli;
    struct answer answer, last;
    str text = body != NULL ? json_text(cli->arena, body) : STR_EMPTY;
    struct request_out request = {
        .method = method,
        .target = target,
        .body = text,
        .has_body = body != NULL,
        .accept = "application/json",
        .idempotency_key = body != NULL ? client_new_key(cli->arena).data : NULL,
    };
    int status = client_send(r->client, &request, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    if (answer.status >= 300)
        return output_error(cli, &answer);
    r->is_made = true; /* the first change makes it */
    str operation = answer.operation_location.len > 0 ? progress_target(cli, answer.operation_location) : STR_EMPTY;
    return operation.len == 0 ? EXIT_SUCCESS : progress_wait(cli, r->client, operation, &last);
}

/* One member where the cluster's first region is, of the same version, size and disk. */
static json_t *
copy_body(struct restore *r)
{
    const json_t *spec = json_array_get(json_object_get(r->document, "replicationSpecs"), 0);
    const json_t *region = json_array_get(json_object_get(spec, "regionConfigs"), 0);
    const json_t *electable = json_object_get(region, "electableSpecs"),
                 *disk = json_object_get(electable, "diskSizeGB");
    json_t *member = json_pack("{s:O,s:i}", "instanceSize", json_object_get(electable, "instanceSize"), "nodeCount", 1);
    if (member == NULL)
        return NULL;
    if (json_is_number(disk))
        json_object_set(member, "diskSizeGB", (json_t *)(uintptr_t)disk);
    return json_in(r->cli->arena,
                   json_pack("{s:s,s:O,s:[{s:[{s:O,s:O,s:o}]}]}", "name", r->copy, "dbMajorVersion",
                             json_object_get(r->document, "dbMajorVersion"), "replicationSpecs", "regionConfigs",
                             "providerName", json_object_get(region, "providerName"), "regionName",
                             json_object_get(region, "regionName"), "electableSpecs", member));
}

static int
make_copy(struct restore *r)
{
    struct cli *cli = r->cli;
    json_t *body = copy_body(r);
    if (body == NULL) {
        cli_say(cli, "cluster %s has no members that could be copied", r->cluster);
        return EXIT_NOT_DONE;
    }
    int status = change(r, "POST", of_project(r, NULL, ""), body);
    if (status != EXIT_SUCCESS)
        return status;
    json_t *wish =
        json_in(cli->arena, json_pack("{s:s,s:I,s:s}", "deliveryType", "pointInTime", "pointInTimeUTCSeconds",
                                      (json_int_t)r->moment_s, "targetClusterName", r->copy));
    return change(r, "POST", of_project(r, r->cluster, "/backup/restoreJobs"), wish);
}

static int
copy_table(struct restore *r)
{
    struct cli *cli = r->cli;
    int64_t bytes = 0;
    str from;
    int status = connect_string(cli, r->client, r->copy, r->database.data, &from);
    if (status != EXIT_SUCCESS)
        return status;
    const char *const reader[] = { "pg_dump",      "--no-owner", "--no-password", "--table",
                                   r->quoted.data, "--dbname",   from.data,       NULL };
    const char *const writer[] = { "psql",     "--no-psqlrc", "--no-password",
                                   "--quiet",  "--set",       "ON_ERROR_STOP=1",
                                   "--dbname", r->into.data,  NULL };
    cli_note(cli, "copying %s", r->quoted.data);
    switch (program_copy(reader, writer, &bytes)) {
    case NOT_READ:
        cli_say(cli, "nothing was copied: table %s cannot be read as it was at %s", r->quoted.data, r->moment.data);
        return EXIT_NOT_DONE;
    case NOT_WRITTEN:
        cli_say(cli, "nothing was copied: table %s cannot be made in %s", r->quoted.data, r->cluster);
        return EXIT_NOT_DONE;
    case COPIED: break;
    }
    str rows = STR_EMPTY;
    str sql = str_format(cli->arena, "SELECT count(*) FROM %s", r->quoted.data);
    if (!ask_sql(r, r->into, sql.data, &rows))
        return EXIT_NOT_DONE;
    printf("%s of %s is back as it was at %s: %s row%s\n", r->quoted.data, r->database.data, r->moment.data, rows.data,
           str_is(rows, "1") ? "" : "s");
    fflush(stdout);
    return EXIT_SUCCESS;
}

/* The exit status of all of it; a copy that is left behind costs money, so that is said. */
static int
remove_copy(struct restore *r, int so_far)
{
    struct cli *cli = r->cli;
    bool keeps = call_option(&cli->call, "keep") != NULL;
    int status =
        keeps || so_far == EXIT_INTERRUPTED ? EXIT_INTERRUPTED : change(r, "DELETE", of_project(r, r->copy, ""), NULL);
    if (status != EXIT_SUCCESS)
        cli_note(cli, "cluster %s is left; when you do not need it: reeve clusters delete %s", r->copy, r->copy);
    return so_far != EXIT_SUCCESS || keeps ? so_far : status;
}

int
builtin_restore_table(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    struct restore r = { .cli = cli, .cluster = cli->call.arguments[0] };
    if (!read_table(&r) || !read_moment(&r) || !connect_names_user(cli))
        return EXIT_USAGE;
    int status = names_need_project(cli);
    if (status != EXIT_SUCCESS)
        return status;
    if ((r.client = client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    status = fetch_document(cli, client, of_project(&r, r.cluster, ""), &r.document);
    if (status != EXIT_SUCCESS)
        return status;
    if (!has_programs(&r) || !read_password(&r))
        return EXIT_USAGE;
    status = check_table_is_gone(&r);
    if (status == EXIT_SUCCESS)
        status = wait_for_window(&r);
    if (status != EXIT_SUCCESS)
        return status;
    r.copy = str_format(cli->arena, "%.*s-restore-%.*s", LONGEST_NAME, r.cluster, SUFFIX_LENGTH,
                        client_new_key(cli->arena).data)
                 .data;
    cli_note(cli, "%s is restored into a cluster of its own for it, %s; %s goes on meanwhile", r.moment.data, r.copy,
             r.cluster);
    status = make_copy(&r);
    if (status == EXIT_SUCCESS)
        status = copy_table(&r);
    return r.is_made ? remove_copy(&r, status) : status;
}
