/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/output/difference.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/profile.h"
#include "cli/short/confirm.h"
#include "cli/short/names.h"

static str
accept_of(const struct cli *cli, const struct command *command)
{
    if (command_is_operators(command))
        return STR("application/json");
    return str_format(cli->arena, "application/vnd.svc.%s+json", TEXT_AT(command->version));
}

static str
target_of(const struct cli *cli, const struct outgoing *out)
{
    return str_format(cli->arena, "%s%.*s%s%.*s", command_prefix(cli->call.command), STR_ARG(out->path),
                      out->query.len > 0 ? "?" : "", STR_ARG(out->query));
}

/* ---- --curl ---- */
/* In quotes that a shell leaves alone. */
static void
print_quoted(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    }
    putchar('\'');
}

static int
show_curl(struct cli *cli, const struct request_out *request)
{
    const struct profile *p = cli->profile;
    printf("curl --fail-with-body --request %s", request->method);
    bool for_operators = command_is_operators(cli->call.command);
    if (p->ca_file != NULL) {
        printf(" --cacert ");
        print_quoted(p->ca_file);
    }
    if (for_operators)
        printf(" --header \"Authorization: Bearer $REEVE_OPERATOR_TOKEN\"");
    else if (p->public_key != NULL)
        printf(" --digest --user \"$REEVE_PUBLIC_KEY:$REEVE_PRIVATE_KEY\"");
    else
        printf(" --header \"Authorization: Bearer $TOKEN\"");
    printf(" \\\n    --header 'Accept: %s'", request->accept);
    if (request->idempotency_key != NULL)
        printf(" --header 'Idempotency-Key: %s'", request->idempotency_key);
    if (request->if_match != NULL)
        printf(" --header 'If-Match: %s'", request->if_match);
    if (request->has_body) {
        printf(" \\\n    --header 'Content-Type: application/json' --data ");
        print_quoted(request->body.data);
    }
    printf(" \\\n    ");
    str base = p->server != NULL ? client_base(cli->arena, cli)
               : for_operators   ? STR("http://127.0.0.1:9443")
                                 : STR("https://localhost:8443");
    print_quoted(str_format(cli->arena, "%.*s%.*s", STR_ARG(base), STR_ARG(request->target)).data);
    putchar('\n');
    return EXIT_SUCCESS;
}

/* ---- --all ---- */
static bool
has_next(const json_t *document)
{
    size_t i;
    const json_t *link;
    json_array_foreach(json_object_get(document, "links"), i, link)
    {
        const char *rel = json_string_value(json_object_get(link, "rel"));
        if (rel != NULL && strcmp(rel, "next") == 0)
            return true;
    }
    return false;
}

/* Every page, put together: `results` grows, the rest is that of the first page. */
static int
send_all_pages(struct cli *cli, struct client *client, struct request_out *request, struct answer *answer)
{
    str first = request->target;
    json_t *all = NULL;
    for (int page = 1;; page++) {
        request->target =
            str_format(cli->arena, "%.*s%spageNum=%d", STR_ARG(first), str_find(first, '?') >= 0 ? "&" : "?", page);
        int status = client_send(client, request, answer);
        if (status != EXIT_SUCCESS || answer->status != 200)
            return status;
        json_t *document = json_in(cli->arena, json_loadb(answer->body.data, answer->body.len, 0, NULL));
        if (!json_is_array(json_object_get(document, "results")))
            return EXIT_SUCCESS;
        bool more = has_next(document);
        if (all == NULL)
            all = document;
        else
            json_array_extend(json_object_get(all, "results"), json_object_get(document, "results"));
        if (!more)
            break;
    }
    json_object_del(all, "links"); /* they are those of one page */
    answer->body = str_format(cli->arena, "%s\n", json_text(cli->arena, all).data);
    return EXIT_SUCCESS;
}

/* ---- --dry-run ---- */
static int
show_dry_run(struct cli *cli, struct client *client, const struct request_out *request, const struct answer *answer)
{
    const struct command *command = cli->call.command, *reading = command_reading(command);
    json_t *before = NULL, *after = json_in(cli->arena, json_loadb(answer->body.data, answer->body.len, 0, NULL));
    str target = request->target, path = str_cut(&target, '?');
    struct answer now = { 0 };
    /* A POST makes something that is not there yet, but for one that adds to a list. */
    if (reading != NULL && (command->method != METHOD_POST || command->shape == ANSWER_LIST)) {
        str accept = accept_of(cli, reading);
        struct request_out look = { .method = "GET", .target = path, .accept = accept.data };
        int status = client_send(client, &look, &now);
        if (status != EXIT_SUCCESS)
            return status;
        before = now.status == 200 ? json_in(cli->arena, json_loadb(now.body.data, now.body.len, 0, NULL)) : NULL;
    }
    /* An action that says what it would do says it as a table. */
    if (json_is_array(json_object_get(after, "moves"))) {
        int status = output_answer(cli, command, answer);
        cli_note(cli, "this is what would happen now; nothing was done");
        return status;
    }
    size_t count = 0;
    if (command->method == METHOD_DELETE)
        count = difference_print(stdout, cli->arena, before, NULL, cli->terminal.color_out);
    else if (after != NULL)
        count = difference_print(stdout, cli->arena, before, after, cli->terminal.color_out);
    fflush(stdout);
    if (count == 0)
        cli_note(cli, after == NULL && before == NULL ? "it would succeed; there is nothing to compare"
                                                      : "nothing would change");
    else if (command->method == METHOD_DELETE)
        cli_note(cli, "it would be deleted; nothing was done");
    else
        cli_note(cli, "%zu field%s would change; nothing was done", count, count == 1 ? "" : "s");
    return EXIT_SUCCESS;
}

/* ---- --wait ---- */
static const char *
operation_shown(const struct command *command)
{
    return command_is_operators(command) ? "showJob" : "getGroupOperation";
}

/* What there is now, where the answer said that it is; else the operation. */
static int
show_when_done(struct cli *cli, struct client *client, const struct request_out *request, const struct answer *first,
               struct answer *last)
{
    const struct command *command = cli->call.command, *reading = command_reading(command);
    str target = STR_EMPTY, whole = request->target;
    if (command->method == METHOD_DELETE) /* nothing is there any more, and people have seen every step */
        return output_is_for_people(cli) ? EXIT_SUCCESS
                                         : output_answer(cli, command_of_operation(operation_shown(command)), last);
    if (first->location.len > 0)
        target = progress_target(cli, first->location);
    else if (reading != NULL && command->method != METHOD_POST)
        target = str_cut(&whole, '?');
    if (target.len == 0)
        return output_answer(cli, command, first);
    struct request_out look = { .method = "GET", .target = target, .accept = request->accept };
    int status = client_send(client, &look, last);
    return status == EXIT_SUCCESS ? output_answer(cli, command, last) : status;
}

static int
wait_and_show(struct cli *cli, struct client *client, const struct request_out *request, const struct answer *first)
{
    struct answer last;
    str target = first->operation_location.len > 0 ? progress_target(cli, first->operation_location) : STR_EMPTY;
    if (target.len == 0) {
        cli_note(cli, "there is nothing to wait for: it is done");
        return output_answer(cli, cli->call.command, first);
    }
    int status = progress_wait(cli, client, target, &last);
    return status == EXIT_SUCCESS ? show_when_done(cli, client, request, first, &last) : status;
}

/* ---- ---- */
/* Files go straight to where they shall be. NULL with *ret_good false: said why. */
static FILE *
open_sink(struct cli *cli, bool *ret_good)
{
    const char *file = cli->call.values[OPTION_SAVE];
    *ret_good = true;
    if (cli->call.command->shape != ANSWER_FILE)
        return NULL;
    if (file == NULL && cli->terminal.out && !str_ends_with(str_from(TEXT_AT(cli->call.command->path)), STR("csv"))) {
        cli_say(cli, "the answer is a file that a terminal cannot show: give --save FILE");
        *ret_good = false;
        return NULL;
    }
    FILE *sink = file != NULL ? fopen(file, "w") : stdout;
    if (sink == NULL) {
        cli_say(cli, "%s cannot be written: %s", file, strerror(errno));
        *ret_good = false;
    }
    return sink;
}

static int
show(struct cli *cli, struct client *client, const struct request_out *request, const struct outgoing *out,
     const struct answer *answer)
{
    const char *const *values = cli->call.values;
    if (answer->status >= 300)
        return output_error_as(cli, answer,
                               answer->status == 404 && output_is_for_people(cli)
                                   ? names_missing(cli, client, cli->call.command, out->values)
                                   : STR_EMPTY);
    if (values[OPTION_DRY_RUN] != NULL && output_is_for_people(cli))
        return show_dry_run(cli, client, request, answer);
    if (values[OPTION_WAIT] != NULL && values[OPTION_DRY_RUN] == NULL)
        return wait_and_show(cli, client, request, answer);
    int status = output_answer(cli, cli->call.command, answer);
    if (answer->operation_location.len > 0 && output_is_for_people(cli) && values[OPTION_DRY_RUN] == NULL) {
        str id = answer->operation_location;
        const char *last = strrchr(id.data, '/');
        cli_note(cli, "it is still running: reeve %s wait %s%s%s", progress_commands(cli->call.command),
                 last != NULL ? last + 1 : id.data, values[OPTION_PROJECT] != NULL ? " --project " : "",
                 values[OPTION_PROJECT] != NULL ? values[OPTION_PROJECT] : "");
    }
    return status;
}

static int
send_and_show(struct cli *cli, struct request_out *request, const struct outgoing *out)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    struct answer answer = { 0 };
    bool good = false;
    if (client == NULL)
        return EXIT_USAGE;
    request->sink = open_sink(cli, &good);
    if (!good)
        return EXIT_USAGE;
    bool all = cli->call.values[OPTION_ALL] != NULL && cli->call.command->shape == ANSWER_LIST;
    int status = all ? send_all_pages(cli, client, request, &answer) : client_send(client, request, &answer);
    if (request->sink != NULL && request->sink != stdout && fclose(request->sink) != 0)
        status = EXIT_REFUSED;
    return status == EXIT_SUCCESS ? show(cli, client, request, out, &answer) : status;
}

int
run_command(struct cli *cli)
{
    const struct command *command = cli->call.command;
    struct outgoing out;
    int status = body_make(cli, &out);
    if (status != EXIT_SUCCESS || !output_check(cli))
        return status != EXIT_SUCCESS ? status : EXIT_USAGE;
    str accept = accept_of(cli, command), key = STR_EMPTY;
    struct request_out request = {
        .method = command_methods[command->method],
        .target = target_of(cli, &out),
        .body = out.text,
        .has_body = out.text.len > 0,
        .accept = accept.data,
        .if_match = cli->call.values[OPTION_IF_MATCH],
        .idempotency_key = cli->call.values[OPTION_IDEMPOTENCY_KEY],
    };
    if (command->method == METHOD_POST && request.idempotency_key == NULL && cli->call.values[OPTION_DRY_RUN] == NULL) {
        key = client_new_key(cli->arena);
        request.idempotency_key = key.len > 0 ? key.data : NULL;
    }
    if (cli->call.values[OPTION_CURL] != NULL)
        return show_curl(cli, &request);
    if (!confirm_loss(cli, out.named))
        return EXIT_USAGE;
    return send_and_show(cli, &request, &out);
}
