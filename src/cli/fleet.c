/* SPDX-License-Identifier: Apache-2.0 */
/* Commands for operators that are not operations: logging in, and waiting for a job. */
#include <stdlib.h>

#include "base/json.h"
#include "cli/body.h"
#include "cli/builtins.h"
#include "cli/fetch.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/profile.h"
#include "cli/secret_service.h"

static const char *const kept_fields[] = { "operatorUrl", "operatorCaFile", "operatorToken",
                                           "operatorInSecretService" };
enum { URL, CA_FILE, TOKEN, IN_SERVICE };

/* ---- login ---- */
static bool
read_token(struct cli *cli, str *ret_token)
{
    const char *file = call_option(&cli->call, "token-file");
    str text;
    if (file == NULL)
        return body_read_secret(cli, "token", ret_token);
    if (!body_read_file(cli, file, &text))
        return false;
    *ret_token = str_dup(cli->arena, str_trim(str_cut(&text, '\n')));
    if (ret_token->len == 0)
        cli_say(cli, "%s is empty: it must contain the token that `reeved operator add NAME` printed", file);
    return ret_token->len > 0;
}

static int
try_out(struct cli *cli, const char **ret_name)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    json_t *answer;
    int status = client == NULL ? EXIT_USAGE : fetch_document(cli, client, STR(OPERATOR_PREFIX), &answer);
    if (status == EXIT_SUCCESS)
        *ret_name = json_string_value(json_object_get(answer, "operator"));
    return status;
}

static bool
keep(struct cli *cli, bool in_service)
{
    struct profile *p = cli->profile;
    profiles_lock(cli); /* until the process ends */
    json_t *all = profiles_read(cli);
    if (all == NULL || (in_service && !secret_service_store(cli, profile_operator_name(cli, p->name).data,
                                                            str_from(p->operator_token))))
        return false;
    json_t *entry = profiles_entry(all, p->name, true);
    for (size_t i = 0; i < LENGTH(kept_fields); i++)
        json_object_del(entry, kept_fields[i]);
    json_object_set_new(entry, kept_fields[URL], json_string(p->server));
    if (p->ca_file != NULL)
        json_object_set_new(entry, kept_fields[CA_FILE], json_string(profile_whole_path(cli, p->ca_file)));
    if (in_service)
        json_object_set_new(entry, kept_fields[IN_SERVICE], json_true());
    else
        json_object_set_new(entry, kept_fields[TOKEN], json_string(p->operator_token));
    return profiles_keep(cli, all);
}

int
builtin_fleet_login(struct cli *cli)
{
    struct profile *p = cli->profile;
    const char *url = call_option(&cli->call, "url"), *name = NULL;
    str token;
    if (url != NULL)
        p->server = url;
    p->in_secret_service = false;
    if (!profile_ask(cli, "the operator's address (https://HOST:PORT, or http://127.0.0.1:9443)", &p->server) ||
        !read_token(cli, &token))
        return EXIT_USAGE;
    p->operator_token = token.data;
    int status = try_out(cli, &name);
    if (status != EXIT_SUCCESS)
        return status;
    if (!keep(cli, call_option(&cli->call, "secret-service") != NULL))
        return EXIT_USAGE;
    cli_note(cli, "you are operator %s; profile %s is in %.*s", name != NULL ? name : "?", p->name,
             STR_ARG(profiles_path(cli)));
    cli_note(cli, "next: reeve fleet hosts list");
    return EXIT_SUCCESS;
}

int
builtin_fleet_logout(struct cli *cli)
{
    const char *name;
    json_t *all, *entry = profiles_take(cli, &all, &name);
    if (entry == NULL)
        return EXIT_USAGE;
    if (json_is_true(json_object_get(entry, kept_fields[IN_SERVICE])))
        secret_service_forget(cli, profile_operator_name(cli, name).data);
    json_object_del(entry, kept_fields[TOKEN]);
    json_object_del(entry, kept_fields[IN_SERVICE]);
    if (!profiles_write(cli, all))
        return EXIT_USAGE;
    cli_note(cli, "the operator's token was removed from profile %s", name);
    return EXIT_SUCCESS;
}

/* ---- jobs wait ---- */
int
builtin_fleet_wait(struct cli *cli)
{
    str target = str_format(cli->arena, "%s/jobs/%s", OPERATOR_PREFIX,
                            str_percent_encode(cli->arena, str_from(cli->call.arguments[0])).data);
    return progress_show(cli, target);
}
