/* SPDX-License-Identifier: Apache-2.0 */
/* login, logout and profiles: what is written to the file of profiles. */
#include <limits.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/body.h"
#include "cli/builtins.h"
#include "cli/fetch.h"
#include "cli/output/output.h"
#include "cli/person/device.h"
#include "cli/profile.h"
#include "cli/run.h"
#include "cli/secret_service.h"
#include "cli/short/names.h"

bool
profile_ask(struct cli *cli, const char *what, const char **value)
{
    char line[4096];
    if (*value != NULL)
        return true;
    if (!cli->terminal.in) {
        cli_say(cli, "%s is missing", what);
        return false;
    }
    fprintf(stderr, "%s: ", what);
    if (fgets(line, sizeof(line), stdin) == NULL)
        return false;
    str text = str_from(line);
    *value = str_dup(cli->arena, str_trim(str_cut(&text, '\n'))).data;
    return (*value)[0] != '\0';
}

const char *
profile_whole_path(struct cli *cli, const char *path)
{
    char *whole = path != NULL ? realpath(path, NULL) : NULL;
    const char *kept = whole != NULL ? str_dup(cli->arena, str_from(whole)).data : path;
    free(whole);
    return kept;
}

/* The id of the only item of a list; NULL when there are none or several. */
static const char *
only_one(struct cli *cli, struct client *client, const char *list)
{
    json_t *document;
    str target = str_format(cli->arena, "%s/%s?itemsPerPage=2&includeCount=false", API_PREFIX, list);
    if (fetch_document(cli, client, target, &document) != EXIT_SUCCESS)
        return NULL;
    const json_t *items = json_object_get(document, "results");
    return json_array_size(items) == 1 ? json_string_value(json_object_get(json_array_get(items, 0), "id")) : NULL;
}

/* What is meant from now on; NULL: what was. */
struct scopes {
    const char *org, *project;
};

/* Whether the credentials work, and what they are for when that is just one. */
static int
try_out(struct cli *cli, struct scopes *ret_scopes)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    json_t *root;
    int status = client == NULL ? EXIT_USAGE : fetch_document(cli, client, STR(API_PREFIX), &root);
    if (status != EXIT_SUCCESS)
        return status;
    cli->profile->username = json_string_value(json_object_get(json_object_get(root, "caller"), "name"));
    *ret_scopes = (struct scopes){ cli->call.values[OPTION_ORG], cli->call.values[OPTION_PROJECT] };
    if (ret_scopes->org != NULL)
        status = names_check_scope(cli, NAMES_ORG, ret_scopes->org, &ret_scopes->org);
    if (ret_scopes->project != NULL && status == EXIT_SUCCESS)
        status = names_check_scope(cli, NAMES_PROJECT, ret_scopes->project, &ret_scopes->project);
    if (status != EXIT_SUCCESS)
        return status;
    if (cli->profile->org == NULL && ret_scopes->org == NULL)
        ret_scopes->org = only_one(cli, client, "orgs");
    if (cli->profile->project == NULL && ret_scopes->project == NULL)
        ret_scopes->project = only_one(cli, client, "groups");
    return EXIT_SUCCESS;
}

/* Whether the API is there, before anybody is asked for a secret: without credentials it says that they are missing. */
static int
look_at_server(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    struct answer answer;
    struct request_out request = { .method = "GET", .target = STR(API_PREFIX), .accept = "application/json" };
    int status = client == NULL ? EXIT_USAGE : client_send(client, &request, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    json_t *document = json_in(cli->arena, json_loadb(answer.body.data, answer.body.len, 0, NULL));
    if (json_is_string(json_object_get(document, "errorCode")))
        return EXIT_SUCCESS;
    cli_say(cli, "%s answers %ld, and is not the API: check --server", cli->profile->server, answer.status);
    return EXIT_NO_ANSWER;
}

static const char *const credentials[] = {
    "clientId",       "clientSecret",    "publicKey",  "privateKey",   "token",
    "tokenExpiresAt", "inSecretService", "hasSession", "sessionToken", "username"
};

static bool
keep(struct cli *cli, struct scopes scopes, bool in_service)
{
    profiles_lock(cli); /* until the process ends */
    struct profile *p = cli->profile;
    bool account = p->client_id != NULL;
    const char *secret = p->has_session ? p->session_token : account ? p->client_secret : p->private_key;
    json_t *all = profiles_read(cli);
    if (all == NULL || (in_service && !secret_service_store(cli, p->name, str_from(secret))))
        return false;
    json_t *entry = profiles_entry(all, p->name, true);
    for (size_t i = 0; i < LENGTH(credentials); i++)
        json_object_del(entry, credentials[i]);
    json_object_set_new(entry, "server", json_string(p->server));
    if (p->ca_file != NULL)
        json_object_set_new(entry, "caFile", json_string(profile_whole_path(cli, p->ca_file)));
    if (scopes.project != NULL)
        json_object_set_new(entry, "project", json_string(scopes.project));
    if (scopes.org != NULL)
        json_object_set_new(entry, "org", json_string(scopes.org));
    if (p->has_session) {
        json_object_set_new(entry, "hasSession", json_true());
        json_object_set_new(entry, "username", json_string(p->username));
    } else {
        json_object_set_new(entry, account ? "clientId" : "publicKey",
                            json_string(account ? p->client_id : p->public_key));
    }
    if (in_service)
        json_object_set_new(entry, "inSecretService", json_true());
    else
        json_object_set_new(entry,
                            p->has_session ? "sessionToken"
                            : account      ? "clientSecret"
                                           : "privateKey",
                            json_string(secret));
    return profiles_keep(cli, all);
}

/* With what the options say, or what is typed. */
static int
take_keys(struct cli *cli, const char *account, const char *key)
{
    struct profile *p = cli->profile;
    str secret;
    if (key == NULL && !profile_ask(cli, "client id of the service account", &account))
        return EXIT_USAGE;
    p->client_id = account;
    p->public_key = key;
    if (!body_read_secret(cli, key != NULL ? "private key" : "client secret", &secret))
        return EXIT_USAGE;
    p->client_secret = p->private_key = secret.data;
    return EXIT_SUCCESS;
}

/* Somebody at a terminal who names no key is a person, where the server has pages for people. */
static int
take_credentials(struct cli *cli)
{
    const char *account = call_option(&cli->call, "client-id"), *key = call_option(&cli->call, "public-key");
    bool wants_browser = call_option(&cli->call, "browser") != NULL, is_offered = false;
    if ((account != NULL) + (key != NULL) + wants_browser > 1) {
        cli_say(cli, "give a service account, an API key or --browser, only one of them");
        return EXIT_USAGE;
    }
    if (account != NULL || key != NULL || (!wants_browser && !cli->terminal.in))
        return take_keys(cli, account, key);
    int status = device_is_offered(cli, &is_offered);
    if (status != EXIT_SUCCESS)
        return status;
    if (!is_offered && wants_browser) {
        cli_say(cli, "the server has no pages with which a browser could let you in: use a service account");
        return EXIT_USAGE;
    }
    return is_offered ? device_log_in(cli) : take_keys(cli, NULL, NULL);
}

/* The session that another one takes the place of. It would end by itself, too. */
static void
end_former(struct cli *cli, const char *former)
{
    const char *kept = cli->profile->session_token;
    if (former == NULL || !cli->profile->has_session)
        return;
    cli->profile->session_token = former;
    if (!device_log_out(cli))
        cli_note(cli, "the session of before could not be ended; it ends by itself");
    cli->profile->session_token = kept;
}

int
builtin_login(struct cli *cli)
{
    struct profile *p = cli->profile;
    const char *former = p->has_session ? p->session_token : NULL;
    p->from_environment = true; /* nothing is kept before it was tried out */
    p->token = NULL;
    p->in_secret_service = false;
    p->client_id = p->public_key = NULL;
    p->has_session = false;
    if (!profile_ask(cli, "server (https://HOST:PORT)", &p->server))
        return EXIT_USAGE;
    int status = look_at_server(cli);
    if (status == EXIT_SUCCESS)
        status = take_credentials(cli);
    struct scopes scopes;
    if (status == EXIT_SUCCESS)
        status = try_out(cli, &scopes);
    if (status != EXIT_SUCCESS)
        return status;
    if (!keep(cli, scopes, call_option(&cli->call, "secret-service") != NULL))
        return EXIT_USAGE;
    end_former(cli, former);
    if (p->has_session)
        cli_note(cli, "you are %s", p->username);
    cli_note(cli, "profile %s is in %.*s", p->name, STR_ARG(profiles_path(cli)));
    if (scopes.org != NULL)
        cli_note(cli, "the default organization is %s", scopes.org);
    if (scopes.project != NULL)
        cli_note(cli, "the default project is %s", scopes.project);
    else if (p->project == NULL)
        cli_note(cli, "next: reeve projects list, or reeve projects create NAME; then reeve profiles set project NAME");
    return EXIT_SUCCESS;
}

int
builtin_logout(struct cli *cli)
{
    const char *name;
    int status = profile_load(cli);
    if (status != EXIT_SUCCESS)
        return status;
    bool has_ended = !cli->profile->has_session || device_log_out(cli);
    json_t *all, *entry = profiles_take(cli, &all, &name);
    if (entry == NULL)
        return EXIT_USAGE;
    if (json_is_true(json_object_get(entry, "inSecretService")))
        secret_service_forget(cli, name);
    for (size_t i = 0; i < LENGTH(credentials); i++)
        json_object_del(entry, credentials[i]);
    if (!profiles_write(cli, all))
        return EXIT_USAGE;
    cli_note(cli, "the credentials were removed from profile %s", name);
    if (has_ended)
        return EXIT_SUCCESS;
    cli_say(
        cli,
        "the session could not be ended on the server: end it in the console, under your account, or wait for it to end by itself");
    return EXIT_NO_ANSWER;
}

/* ---- profiles ---- */
int
builtin_profiles_list(struct cli *cli)
{
    json_t *all = profiles_read(cli), *entry, *list = json_in(cli->arena, json_array());
    const char *name;
    if (all == NULL)
        return EXIT_USAGE;
    json_object_foreach(json_object_get(all, "profiles"), name, entry)
    {
        json_t *shown = json_pack("{s:s, s:b}", "name", name, "current", strcmp(name, profile_name(cli, all)) == 0);
        static const char *const fields[] = { "server", "clientId", "publicKey", "username",   "project",
                                              "org",    "caFile",   "docs",      "operatorUrl" };
        for (size_t i = 0; i < LENGTH(fields); i++) {
            if (json_object_get(entry, fields[i]) != NULL)
                json_object_set(shown, fields[i], json_object_get(entry, fields[i]));
        }
        json_array_append_new(list, shown);
    }
    struct answer answer = { .status = 200, .body = str_format(cli->arena, "%s\n", json_text(cli->arena, list).data) };
    return output_check(cli) ? output_answer(cli, NULL, &answer) : EXIT_USAGE;
}

/* A name becomes the id, and an id must be one that there is. Without credentials nobody can say, and it is kept as it is. */
static int
check_scope(struct cli *cli, const char *field, const char **value)
{
    int status = profile_load(cli);
    if (status != EXIT_SUCCESS || !profile_is_logged_in(cli->profile))
        return status;
    return names_check_scope(cli, strcmp(field, "project") == 0 ? NAMES_PROJECT : NAMES_ORG, *value, value);
}

int
builtin_profiles_set(struct cli *cli)
{
    static const char *const settings[][2] = {
        { "server", "server" }, { "ca-file", "caFile" }, { "project", "project" }, { "org", "org" }, { "docs", "docs" }
    };
    const char *setting = cli->call.arguments[0], *value = cli->call.arguments[1], *field = NULL;
    for (size_t i = 0; i < LENGTH(settings); i++) {
        if (strcmp(setting, settings[i][0]) == 0)
            field = settings[i][1];
    }
    if (field == NULL) {
        cli_say(cli, "a profile has the settings server, ca-file, project, org and docs, not `%s`", setting);
        return EXIT_USAGE;
    }
    bool is_scope = strcmp(field, "project") == 0 || strcmp(field, "org") == 0;
    int status = is_scope && value[0] != '\0' ? check_scope(cli, field, &value) : EXIT_SUCCESS;
    if (status != EXIT_SUCCESS)
        return status;
    profiles_lock(cli);
    json_t *all = profiles_read(cli);
    if (all == NULL)
        return EXIT_USAGE;
    json_t *entry = profiles_entry(all, profile_name(cli, all), true);
    if (value[0] == '\0')
        json_object_del(entry, field);
    else
        json_object_set_new(entry, field,
                            json_string(strcmp(field, "caFile") == 0 ? profile_whole_path(cli, value) : value));
    if (strcmp(field, "server") == 0)
        json_object_del(entry, "token"); /* of the old one */
    return profiles_write(cli, all) ? EXIT_SUCCESS : EXIT_USAGE;
}

static json_t *
existing(struct cli *cli, json_t *all)
{
    json_t *entry = all == NULL ? NULL : profiles_entry(all, cli->call.arguments[0], false);
    if (all != NULL && entry == NULL)
        cli_say(cli, "there is no profile %s; `reeve profiles list` shows them", cli->call.arguments[0]);
    return entry;
}

int
builtin_profiles_use(struct cli *cli)
{
    profiles_lock(cli);
    json_t *all = profiles_read(cli);
    if (existing(cli, all) == NULL)
        return EXIT_USAGE;
    json_object_set_new(all, "current", json_string(cli->call.arguments[0]));
    return profiles_write(cli, all) ? EXIT_SUCCESS : EXIT_USAGE;
}

int
builtin_profiles_delete(struct cli *cli)
{
    profiles_lock(cli);
    json_t *all = profiles_read(cli), *entry = existing(cli, all);
    if (entry == NULL)
        return EXIT_USAGE;
    if (json_is_true(json_object_get(entry, "inSecretService")))
        secret_service_forget(cli, cli->call.arguments[0]);
    if (json_is_true(json_object_get(entry, "operatorInSecretService")))
        secret_service_forget(cli, profile_operator_name(cli, cli->call.arguments[0]).data);
    json_object_del(json_object_get(all, "profiles"), cli->call.arguments[0]);
    return profiles_write(cli, all) ? EXIT_SUCCESS : EXIT_USAGE;
}
