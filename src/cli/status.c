/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve status`: who you are here, what your commands work on, and what is wrong there now. */
#include <stdlib.h>

#include "base/json.h"
#include "cli/builtins.h"
#include "cli/client.h"
#include "cli/fetch.h"
#include "cli/output/output.h"
#include "cli/profile.h"
#include "cli/short/names.h"

/* ---- Asking ---- */
static str
of_project(struct cli *cli, const char *rest)
{
    return str_format(cli->arena, API_PREFIX "/groups/%s%s",
                      str_percent_encode(cli->arena, str_from(cli->profile->project)).data, rest);
}

struct parts {
    json_t *organization, *project, *clusters, *alerts, *operations;
};

/* What the credentials do not reach stays NULL: a person who sees only the project still gets an answer. */
static json_t *
ask(struct cli *cli, struct client *client, str target)
{
    struct answer answer;
    struct request_out request = { .method = "GET", .target = target, .accept = "application/json" };
    if (client_send(client, &request, &answer) != EXIT_SUCCESS || answer.status != 200)
        return NULL;
    return json_in(cli->arena, json_loadb(answer.body.data, answer.body.len, 0, NULL));
}

static int
ask_all(struct cli *cli, struct parts *parts)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    if (client == NULL)
        return EXIT_USAGE;
    *parts = (struct parts){ 0 };
    if (cli->profile->project == NULL)
        return EXIT_SUCCESS;
    int status = fetch_document(cli, client, of_project(cli, ""), &parts->project);
    if (status != EXIT_SUCCESS)
        return status;
    const char *org = json_string_value(json_object_get(parts->project, "orgId"));
    if (org != NULL)
        parts->organization = ask(cli, client, str_format(cli->arena, API_PREFIX "/orgs/%s", org));
    parts->clusters = ask(cli, client, of_project(cli, "/clusters?itemsPerPage=500"));
    parts->alerts = ask(cli, client, of_project(cli, "/alerts?status=OPEN&itemsPerPage=100"));
    parts->operations = ask(cli, client, of_project(cli, "/operations?itemsPerPage=100"));
    return EXIT_SUCCESS;
}

/* ---- Showing ---- */
static void show_line(const char *label, const char *format, ...) PRINTF_LIKE(2, 3);

static void
show_line(const char *label, const char *format, ...)
{
    va_list args;
    printf("%-14s", label);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

static const char *
name_of(struct cli *cli, const json_t *thing)
{
    str name = json_text_at(thing, "name");
    return name.len == 0 ? "(not for you to see)" : text_harmless(cli->arena, name).data;
}

static bool
is_running(const json_t *operation)
{
    const char *state = json_string_value(json_object_get(operation, "state"));
    return state != NULL && (strcmp(state, "RUNNING") == 0 || strcmp(state, "QUEUED") == 0);
}

/* What somebody should look at, worst first; how many lines that were. */
static size_t
show_wrong(struct cli *cli, const struct parts *parts)
{
    size_t i, count = 0;
    const json_t *one;
    bool color = cli->terminal.color_out;
    json_array_foreach(json_object_get(parts->alerts, "results"), i, one)
    {
        str cluster = json_text_at(one, "clusterName");
        printf("  %salert%s      %.*s%s%.*s, since %.*s\n", style_on(color, STYLE_RED), style_off(color, STYLE_RED),
               STR_ARG(json_text_at(one, "eventTypeName")), cluster.len > 0 ? ", cluster " : "",
               STR_ARG(text_harmless(cli->arena, cluster)), STR_ARG(json_text_at(one, "created")));
        count++;
    }
    json_array_foreach(json_object_get(parts->operations, "results"), i, one)
    {
        if (!is_running(one))
            continue;
        str waits = json_text_at(one, "waitsFor");
        printf("  %sworking%s    %.*s %.*s%s%.*s: reeve operations wait %.*s\n", style_on(color, STYLE_YELLOW),
               style_off(color, STYLE_YELLOW), STR_ARG(json_text_at(one, "kind")),
               STR_ARG(text_harmless(cli->arena, json_text_at(one, "clusterName"))),
               waits.len > 0 ? ", waits for " : "", STR_ARG(waits), STR_ARG(json_text_at(one, "id")));
        count++;
    }
    return count;
}

static void
show_clusters(struct cli *cli, const json_t *clusters)
{
    size_t i;
    const json_t *one;
    if (json_array_size(clusters) == 0)
        show_line("clusters", "none yet: reeve clusters create NAME --region REGION --size SIZE");
    json_array_foreach(clusters, i, one)
        show_line(i == 0 ? "clusters" : "", "%-20s %.*s", name_of(cli, one), STR_ARG(json_text_at(one, "stateName")));
}

static int
show_all(struct cli *cli, const struct parts *parts)
{
    const struct profile *p = cli->profile;
    show_line("profile", "%s", p->name);
    show_line("server", "%s", p->server);
    show_line("you are", "%s%s",
              p->has_session         ? ""
              : p->client_id != NULL ? "service account "
                                     : "API key ",
              p->has_session         ? (p->username != NULL ? p->username : "signed in with a browser")
              : p->client_id != NULL ? p->client_id
                                     : p->public_key);
    if (p->project == NULL) {
        show_line("project", "none chosen: reeve projects list, then reeve profiles set project NAME");
        return EXIT_SUCCESS;
    }
    show_line("organization", "%s", name_of(cli, parts->organization));
    show_line("project", "%s", name_of(cli, parts->project));
    show_clusters(cli, json_object_get(parts->clusters, "results"));
    printf("\nNow\n");
    if (show_wrong(cli, parts) == 0)
        printf("  nothing is wrong, and nothing is being worked on\n");
    return EXIT_SUCCESS;
}

/* For scripts: the documents that were asked for. */
static int
print_all(struct cli *cli, const struct parts *parts)
{
    json_t *all =
        json_in(cli->arena, json_pack("{s:s, s:s, s:O?, s:O?, s:O?, s:O?, s:O?}", "profile", cli->profile->name,
                                      "server", cli->profile->server, "organization", parts->organization, "project",
                                      parts->project, "clusters", json_object_get(parts->clusters, "results"), "alerts",
                                      json_object_get(parts->alerts, "results"), "operations",
                                      json_object_get(parts->operations, "results")));
    struct answer answer = { .status = 200, .body = str_format(cli->arena, "%s\n", json_text(cli->arena, all).data) };
    return output_answer(cli, NULL, &answer);
}

int
builtin_status(struct cli *cli)
{
    struct parts parts;
    const struct profile *p = cli->profile;
    if (!profile_is_logged_in(p)) {
        cli_say(cli, "you are not logged in: `reeve login`");
        return EXIT_USAGE;
    }
    if (!output_check(cli))
        return EXIT_USAGE;
    int status = p->project == NULL ? EXIT_SUCCESS : names_need_project(cli);
    if (status == EXIT_SUCCESS)
        status = ask_all(cli, &parts);
    if (status != EXIT_SUCCESS)
        return status;
    return output_is_for_people(cli) ? show_all(cli, &parts) : print_all(cli, &parts);
}
