/* SPDX-License-Identifier: Apache-2.0 */
/* api, operations wait, explain: one request or none, without a row of the table. */
#include <ctype.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/body.h"
#include "cli/builtins.h"
#include "cli/client.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/profile.h"
#include "cli/run.h"
#include "cli/short/names.h"

enum { MAX_HEADERS = 32 };

static str
target_by_hand(struct cli *cli, const char *path)
{
    bool whole = strncmp(path, "/api/", 5) == 0;
    if (strcmp(path, "/") == 0)
        path = ""; /* the root of the API has no slash */
    return str_format(cli->arena, "%s%s%s", whole ? "" : API_PREFIX,
                      path[0] == '/' || path[0] == '\0' || path[0] == '?' ? "" : "/", path);
}

int
builtin_api(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    const char *headers[MAX_HEADERS + 1] = { NULL }, *file = call_option(&cli->call, "file"),
                                      *data = call_option(&cli->call, "data");
    size_t count = 0;
    struct answer answer;
    for (size_t i = 0; i < cli->call.assignment_count && count < MAX_HEADERS; i++) {
        if (strcmp(cli->call.assignments[i].name, "header") == 0)
            headers[count++] = cli->call.assignments[i].value;
    }
    char *method = (char *)(uintptr_t)str_dup(cli->arena, str_from(cli->call.arguments[0])).data;
    for (char *c = method; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    struct request_out request = {
        .method = method,
        .target = target_by_hand(cli, cli->call.arguments[1]),
        .body = str_from(data),
        .has_body = data != NULL || file != NULL,
        .accept = "application/json",
        .headers = headers,
    };
    if ((file != NULL && !body_read_file(cli, file, &request.body)) || !output_check(cli) ||
        (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    if (strcmp(method, "POST") == 0)
        request.idempotency_key = client_new_key(cli->arena).data;
    int status = client_send(client, &request, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    if (call_option(&cli->call, "include") != NULL)
        fprintf(stderr, "%ld %.*s\n", answer.status, STR_ARG(answer.request_id));
    return output_answer(cli, NULL, &answer);
}

int
builtin_wait(struct cli *cli)
{
    int status = names_need_project(cli);
    if (status != EXIT_SUCCESS)
        return status;
    str target = str_format(cli->arena, "%s/groups/%s/operations/%s", API_PREFIX,
                            str_percent_encode(cli->arena, str_from(cli->profile->project)).data,
                            str_percent_encode(cli->arena, str_from(cli->call.arguments[0])).data);
    return progress_show(cli, target);
}

int
builtin_explain(struct cli *cli)
{
    return output_explain(cli, cli->call.arguments[0]);
}
