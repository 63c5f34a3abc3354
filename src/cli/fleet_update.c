/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve fleet update`: the plan of a rollout, a question, and then how far it is, a line for each change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/builtins.h"
#include "cli/client.h"
#include "cli/fetch.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/short/confirm.h"

enum { LOOK_MS = 1000 };

#define PLAN_COLUMNS "name state isCanary fromVersion toVersion members problem"

/* ---- What is asked for ---- */
/* "a,b" as a list. */
static json_t *
words(const char *text)
{
    json_t *list = json_array();
    for (str rest = str_from(text); rest.len > 0;) {
        str word = str_trim(str_cut(&rest, ','));
        if (word.len > 0)
            json_array_append_new(list, json_stringn(word.data, word.len));
    }
    return list;
}

static bool
set_number(struct cli *cli, json_t *body, const char *option, const char *field)
{
    const char *text = call_option(&cli->call, option);
    int64_t number;
    if (text == NULL)
        return true;
    if (!str_to_int(str_from(text), 0, INT32_MAX, &number)) {
        cli_say(cli, "--%s takes a number, not `%s`", option, text);
        return false;
    }
    json_object_set_new(body, field, json_integer(number));
    return true;
}

static json_t *
wish_of(struct cli *cli)
{
    json_t *body = json_in(cli->arena, json_object()), *clusters = json_array();
    const char *text;
    for (size_t i = 0; i < cli->call.argument_count; i++)
        json_array_append_new(clusters, json_string(cli->call.arguments[i]));
    json_object_set_new(body, "clusters", clusters);
    if ((text = call_option(&cli->call, "canary")) != NULL)
        json_object_set_new(body, "canaries", words(text));
    if ((text = call_option(&cli->call, "to")) != NULL)
        json_object_set_new(body, "version", json_string(text));
    if (call_option(&cli->call, "ignore-window") != NULL)
        json_object_set_new(body, "ignoreWindow", json_true());
    if (call_option(&cli->call, "include-pinned") != NULL)
        json_object_set_new(body, "includePinned", json_true());
    return set_number(cli, body, "canaries", "canaryCount") && set_number(cli, body, "at-a-time", "atATime") &&
                   set_number(cli, body, "patience", "patienceSeconds")
               ? body
               : NULL;
}

/* ---- Requests ---- */
static int
post(struct cli *cli, struct client *client, const char *rest, str body, json_t **ret_document)
{
    struct answer answer;
    struct request_out request = {
        .method = "POST",
        .target = str_format(cli->arena, "%s/updates%s", OPERATOR_PREFIX, rest),
        .body = body,
        .has_body = body.len > 0,
        .accept = "application/json",
        .idempotency_key = strstr(rest, "dryRun") != NULL ? NULL : client_new_key(cli->arena).data,
    };
    int status = client_send(client, &request, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    if (answer.status >= 300)
        return output_answer(cli, NULL, &answer);
    *ret_document = json_parse_own(cli->arena, answer.body);
    return *ret_document == NULL ? EXIT_USAGE : EXIT_SUCCESS;
}

/* ---- The plan ---- */
static int64_t
number_at(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static void
show_plan(struct cli *cli, const json_t *plan)
{
    table_print(stdout, cli->arena, json_object_get(plan, "clusters"), PLAN_COLUMNS,
                (struct table_style){ cli->terminal.width, cli->terminal.color_out });
    printf("%lld clusters would be updated, %lld at a time; %lld are left out.\n",
           (long long)number_at(plan, "waiting"), (long long)number_at(plan, "atATime"),
           (long long)number_at(plan, "skipped"));
}

static bool
may_go_on(struct cli *cli)
{
    if (call_option(&cli->call, "yes") != NULL)
        return true;
    if (!cli->terminal.in || !cli->terminal.err) {
        cli_say(cli, "nobody can be asked here: say --yes to start it");
        return false;
    }
    fprintf(stderr, "Start it? [y/N] ");
    str typed = confirm_typed(cli->arena);
    return str_is(typed, "y") || str_is(typed, "yes");
}

/* ---- Watching ---- */
static void
tell_changes(const json_t *before, const json_t *now)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(now, "clusters"), i, one)
    {
        const json_t *old = json_array_get(json_object_get(before, "clusters"), i);
        str state = json_text_at(one, "state"), problem = json_text_at(one, "problem");
        if (str_eq(state, json_text_at(old, "state")) && number_at(one, "membersDone") == number_at(old, "membersDone"))
            continue;
        printf("%-8s %s: %lld of %lld members%s%s\n", state.data, json_text_at(one, "name").data,
               (long long)number_at(one, "membersDone"), (long long)number_at(one, "members"),
               problem.len > 0 ? ": " : "", problem.len > 0 ? problem.data : "");
    }
    fflush(stdout);
}

/* Until it has ended; what runs when it is stopped is waited for, too. */
static int
watch(struct cli *cli, struct client *client, json_t *document)
{
    str target = str_format(cli->arena, "%s/updates/%s", OPERATOR_PREFIX, json_text_at(document, "id").data);
    json_t *before = document;
    for (;;) {
        str state = json_text_at(document, "state");
        bool is_over = !str_is(state, "RUNNING") && number_at(document, "running") == 0;
        tell_changes(before, document);
        if (is_over && str_is(state, "DONE")) {
            printf("Done: %lld clusters updated, %lld left out.\n", (long long)number_at(document, "done"),
                   (long long)number_at(document, "skipped"));
            return EXIT_SUCCESS;
        }
        if (is_over) {
            str why = json_text_at(document, "problem");
            cli_say(cli, "the rollout is stopped%s%s", why.len > 0 ? ": " : "", why.len > 0 ? why.data : "");
            cli_note(cli, "next: reeve fleet update continue");
            return EXIT_NOT_DONE;
        }
        before = document;
        if (!client_pause(LOOK_MS)) {
            cli_note(cli, "it goes on without you; `reeve fleet update stop` stops it");
            return EXIT_SUCCESS;
        }
        int status = fetch_document(cli, client, target, &document);
        if (status != EXIT_SUCCESS)
            return status;
    }
}

int
builtin_fleet_update(struct cli *cli)
{
    json_t *wish = wish_of(cli), *document;
    struct client *client CLEANUP(client_cleanup) = wish == NULL ? NULL : client_new(cli);
    if (client == NULL)
        return EXIT_USAGE;
    str body = json_text(cli->arena, wish);
    int status = post(cli, client, "?dryRun=true", body, &document);
    if (status != EXIT_SUCCESS)
        return status;
    show_plan(cli, document);
    if (call_option(&cli->call, "dry-run") != NULL)
        return EXIT_SUCCESS;
    if (!may_go_on(cli))
        return EXIT_NOT_DONE;
    status = post(cli, client, "", body, &document);
    return status != EXIT_SUCCESS ? status : watch(cli, client, document);
}

/* ---- The one that is there ---- */
static int
decide(struct cli *cli, const char *action, str body)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    json_t *list, *document;
    if (client == NULL)
        return EXIT_USAGE;
    int status =
        fetch_document(cli, client, str_format(cli->arena, "%s/updates?itemsPerPage=1", OPERATOR_PREFIX), &list);
    if (status != EXIT_SUCCESS)
        return status;
    str newest = json_text_at(json_array_get(json_object_get(list, "results"), 0), "id");
    if (newest.len == 0) {
        cli_say(cli, "there was no rollout yet; `reeve fleet update` starts one");
        return EXIT_FAILURE;
    }
    status = post(cli, client, str_format(cli->arena, "/%s:%s", newest.data, action).data, body, &document);
    return status != EXIT_SUCCESS ? status : watch(cli, client, document);
}

int
builtin_fleet_update_stop(struct cli *cli)
{
    int status = decide(cli, "stop", STR_EMPTY);
    return status == EXIT_NOT_DONE ? EXIT_SUCCESS : status; /* stopped is what was asked for */
}

int
builtin_fleet_update_continue(struct cli *cli)
{
    return decide(cli, "continue",
                  call_option(&cli->call, "skip-failed") != NULL ? STR("{\"skipFailed\": true}") : STR("{}"));
}
