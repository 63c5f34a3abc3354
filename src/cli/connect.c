/* SPDX-License-Identifier: Apache-2.0 */
/* connect: becomes psql with the connection string that the API gives. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/builtins.h"
#include "cli/fetch.h"
#include "cli/profile.h"
#include "cli/run.h"

/* In front of the host of a URL also these two have a meaning of their own. */
static str
encode_user(struct arena *arena, const char *user)
{
    str text = str_percent_encode(arena, str_from(user));
    struct buf out = buf_in(arena, text.len * 3 + 1);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '@' || text.data[i] == ':')
            buf_format(&out, "%%%02X", (unsigned char)text.data[i]);
        else
            buf_add_char(&out, text.data[i]);
    }
    return buf_str(&out);
}

/* The API leaves places for what it does not know; the password is left to psql. */
static bool
fill_string(struct cli *cli, const char *given, str *ret_string)
{
    static const char who[] = "<DB_USER>:<DB_PASSWORD>@";
    const char *user = call_option(&cli->call, "user"), *database = call_option(&cli->call, "database");
    const char *root = call_option(&cli->call, "root-certificate");
    const char *at = strstr(given, who), *behind = at == NULL ? NULL : at + sizeof(who) - 1;
    const char *path = behind == NULL ? NULL : strchr(behind, '/');
    const char *more = path == NULL ? NULL : strchr(path, '?');
    if (more == NULL) {
        cli_say(cli, "the connection string is not one that this version knows: %s", given);
        return false;
    }
    struct buf text = buf_in(cli->arena, 65536);
    buf_add(&text, (str){ given, (size_t)(at - given) });
    buf_add(&text, encode_user(cli->arena, user));
    buf_add_char(&text, '@');
    buf_add(&text, (str){ behind, (size_t)(path - behind) });
    buf_add_char(&text, '/');
    buf_add(&text, str_percent_encode(cli->arena, str_from(database != NULL ? database : "postgres")));
    buf_add_text(&text, more);
    if (root != NULL) {
        buf_add_text(&text, "&sslrootcert=");
        buf_add(&text, str_percent_encode(cli->arena, str_from(root)));
    }
    *ret_string = buf_str(&text);
    return true;
}

static int
fetch(struct cli *cli, const char **ret_string)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    json_t *cluster;
    if (client == NULL)
        return EXIT_USAGE;
    str target = str_format(cli->arena, "%s/groups/%s/clusters/%s", API_PREFIX,
                            str_percent_encode(cli->arena, str_from(cli->profile->project)).data,
                            str_percent_encode(cli->arena, str_from(cli->call.arguments[0])).data);
    int status = fetch_document(cli, client, target, &cluster);
    if (status != EXIT_SUCCESS)
        return status;
    const char *kind = call_option(&cli->call, "private") != NULL ? "private" : "standard";
    *ret_string = json_string_value(json_object_get(json_object_get(cluster, "connectionStrings"), kind));
    if (*ret_string != NULL)
        return EXIT_SUCCESS;
    const char *state = json_string_value(json_object_get(cluster, "stateName"));
    cli_say(cli, "the cluster has no %s connection string%s%s", kind, state != NULL ? "; its state is " : "",
            state != NULL ? state : "");
    cli_note(cli, "a new cluster has one when its members have addresses: reeve operations list --cluster-name %s",
             cli->call.arguments[0]);
    return EXIT_NOT_DONE;
}

int
builtin_connect(struct cli *cli)
{
    const char *given = NULL, *arguments[MAX_ARGUMENTS + 2];
    str string;
    if (call_option(&cli->call, "user") == NULL) {
        cli_say(cli, "which database user? Give --user; `reeve database-users list` shows them");
        return EXIT_USAGE;
    }
    if (cli->profile->project == NULL) {
        cli_say(cli, "which project? Give --project, or `reeve profiles set project ID`");
        return EXIT_USAGE;
    }
    int status = fetch(cli, &given);
    if (status != EXIT_SUCCESS)
        return status;
    if (!fill_string(cli, given, &string))
        return EXIT_USAGE;
    if (call_option(&cli->call, "print") != NULL) {
        printf("%.*s\n", STR_ARG(string));
        return EXIT_SUCCESS;
    }
    size_t count = 0;
    arguments[count++] = "psql";
    arguments[count++] = string.data;
    for (size_t i = 1; i < cli->call.argument_count; i++)
        arguments[count++] = cli->call.arguments[i];
    arguments[count] = NULL;
    execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    cli_say(cli, "psql cannot be started: %s (Debian: postgresql-client). The string is: %.*s", strerror(errno),
            STR_ARG(string));
    return EXIT_USAGE;
}
