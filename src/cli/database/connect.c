/* SPDX-License-Identifier: Apache-2.0 */
/* connect: becomes psql with the connection string that the API gives, or prints the one of another driver. */
#include "cli/database/connect.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/builtins.h"
#include "cli/fetch.h"
#include "cli/profile.h"
#include "cli/run.h"
#include "cli/short/names.h"

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

/* ---- Drivers ---- */
/* What --print takes, and where the API has its string. */
static const struct driver {
    const char *name, *field;
    bool is_url;        /* or words with semicolons between them */
    bool asks_password; /* it does so itself, so the place for it goes */
} drivers[] = {
    { "psql", "libpq", true, true },
    { "psycopg", "libpq", true, false },
    { "jdbc", "jdbc", true, false },
    { "node", "node", true, false },
    { "pgx", "pgx", true, false },
    { "npgsql", "npgsql", false, false },
    { "sqlalchemy", "sqlalchemy", true, false },
};

static const struct driver *
driver_find(const char *name)
{
    for (size_t i = 0; i < LENGTH(drivers); i++) {
        if (strcmp(drivers[i].name, name) == 0)
            return &drivers[i];
    }
    return NULL;
}

static int
driver_unknown(struct cli *cli, const char *name)
{
    struct buf names = buf_in(cli->arena, 256);
    for (size_t i = 0; i < LENGTH(drivers); i++)
        buf_format(&names, "%s%s", i == 0 ? "" : i + 1 < LENGTH(drivers) ? ", " : " or ", drivers[i].name);
    cli_say(cli, "--print takes %.*s, not `%s`", STR_ARG(buf_str(&names)), name);
    return EXIT_USAGE;
}

/* ---- Filling in ---- */
/* With what stands for `from` put in; it must be there once. */
static bool
put_in(struct cli *cli, str *text, const char *from, str value)
{
    const char *at = strstr(text->data, from);
    if (at == NULL)
        return false;
    size_t before = (size_t)(at - text->data);
    *text = str_format(cli->arena, "%.*s%.*s%s", (int)before, text->data, STR_ARG(value), at + strlen(from));
    return true;
}

/* A value of words with semicolons: in quotes, with those inside doubled. */
static str
quote_word(struct arena *arena, const char *text)
{
    struct buf out = buf_in(arena, strlen(text) * 2 + 3);
    buf_add_char(&out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            buf_add_char(&out, '"');
        buf_add_char(&out, *text);
    }
    buf_add_char(&out, '"');
    return buf_str(&out);
}

/* The API leaves places for what it does not know. */
static bool
fill_string(struct cli *cli, const struct driver *driver, const char *given, const char *database, str *ret_string)
{
    const char *user = call_option(&cli->call, "user");
    const char *root = call_option(&cli->call, "root-certificate");
    str text = str_from(given);
    bool good;
    database = database != NULL ? database : "postgres";
    if (driver->is_url) {
        str encoded = str_format(cli->arena, "/%s?", str_percent_encode(cli->arena, str_from(database)).data);
        good = put_in(cli, &text, "<DB_USER>", encode_user(cli->arena, user)) &&
               put_in(cli, &text, "/postgres?", encoded) &&
               (!driver->asks_password || put_in(cli, &text, ":<DB_PASSWORD>@", STR("@")));
        if (root != NULL)
            text = str_format(cli->arena, "%.*s&sslrootcert=%s", STR_ARG(text),
                              str_percent_encode(cli->arena, str_from(root)).data);
    } else {
        str word = str_format(cli->arena, "Database=%s;", quote_word(cli->arena, database).data);
        good = put_in(cli, &text, "<DB_USER>", quote_word(cli->arena, user)) &&
               put_in(cli, &text, "Database=postgres;", word);
        if (root != NULL)
            text = str_format(cli->arena, "%.*s;Root Certificate=%s", STR_ARG(text), quote_word(cli->arena, root).data);
    }
    if (!good)
        cli_say(cli, "the connection string is not one that this version knows: %s", given);
    *ret_string = text;
    return good;
}

/* Which of the cluster's strings: by what the option asks for, and by whether they go through private addresses. */
static const struct way {
    const char *option;
    struct {
        const char *word, *libpq, *drivers;
    } strings[2];
} ways[] = {
    { "pooled",
      { { "pooled", "pooled", "pooledDrivers" }, { "private pooled", "privatePooled", "privatePooledDrivers" } } },
    { "read-only",
      { { "read-only", "readOnly", "readOnlyDrivers" },
        { "private read-only", "privateReadOnly", "privateReadOnlyDrivers" } } },
    { "analytics",
      { { "analytics", "analytics", "analyticsDrivers" },
        { "private analytics", "privateAnalytics", "privateAnalyticsDrivers" } } },
    { NULL, { { "standard", "standard", "drivers" }, { "private", "private", "privateDrivers" } } },
};

static const struct way *
way_find(struct cli *cli)
{
    const struct way *way = ways;
    while (way->option != NULL && call_option(&cli->call, way->option) == NULL)
        way++;
    return way;
}

/* Each leads elsewhere, so only one of them is asked for. */
static bool
is_one_way(struct cli *cli)
{
    int asked = 0;
    for (size_t i = 0; ways[i].option != NULL; i++)
        asked += call_option(&cli->call, ways[i].option) != NULL;
    if (asked > 1)
        cli_say(cli, "give one of --pooled, --read-only and --analytics: poolers serve the primary only");
    return asked <= 1;
}

/* What to do about a string that is not there although the cluster has others. */
static const char *
missing_hint(struct cli *cli, const json_t *strings, const char *name)
{
    bool is_private = call_option(&cli->call, "private") != NULL;
    if (json_object_get(strings, "standard") == NULL)
        return NULL;
    if (is_private && json_object_get(strings, "private") == NULL)
        return "switch on custom DNS of the project first: reeve dns toggle --enabled";
    if (call_option(&cli->call, "analytics") != NULL)
        return str_format(cli->arena,
                          "give the cluster such a member first: reeve clusters update %s --analytics-nodes 1", name)
            .data;
    return call_option(&cli->call, "pooled") == NULL
               ? NULL
               : str_format(cli->arena, "switch its poolers on first: reeve pooling update %s --enabled", name).data;
}

/* The cluster's string for the driver: a text, or a list of texts. */
static int
fetch(struct cli *cli, struct client *client, const struct driver *driver, const char *name, const json_t **ret_strings)
{
    json_t *cluster;
    str target = str_format(cli->arena, "%s/groups/%s/clusters/%s", API_PREFIX,
                            str_percent_encode(cli->arena, str_from(cli->profile->project)).data,
                            str_percent_encode(cli->arena, str_from(name)).data);
    int status = fetch_document(cli, client, target, &cluster);
    if (status != EXIT_SUCCESS)
        return status;
    bool is_private = call_option(&cli->call, "private") != NULL;
    const struct way *way = way_find(cli);
    const json_t *strings = json_object_get(cluster, "connectionStrings");
    *ret_strings = json_object_get(json_object_get(strings, way->strings[is_private].drivers), driver->field);
    /* A server that has no strings for drivers yet has libpq's. */
    if (*ret_strings == NULL && strcmp(driver->field, "libpq") == 0)
        *ret_strings = json_object_get(strings, way->strings[is_private].libpq);
    if (*ret_strings != NULL)
        return EXIT_SUCCESS;
    const char *state = json_string_value(json_object_get(cluster, "stateName"));
    cli_say(cli, "the cluster has no %s connection string%s%s", way->strings[is_private].word,
            state != NULL ? "; its state is " : "", state != NULL ? state : "");
    const char *hint = missing_hint(cli, strings, name);
    if (hint != NULL)
        cli_note(cli, "%s", hint);
    else
        cli_note(cli, "a new cluster gets one when its members have addresses: reeve operations list --cluster-name %s",
                 name);
    return EXIT_NOT_DONE;
}

static int
print_strings(struct cli *cli, const struct driver *driver, const json_t *strings)
{
    size_t count = json_is_array(strings) ? json_array_size(strings) : 1;
    str string;
    for (size_t i = 0; i < count; i++) {
        const char *given = json_string_value(json_is_array(strings) ? json_array_get(strings, i) : strings);
        if (given == NULL || !fill_string(cli, driver, given, call_option(&cli->call, "database"), &string))
            return EXIT_USAGE;
        printf("%.*s\n", STR_ARG(string));
    }
    if (!driver->asks_password && cli->terminal.out)
        cli_note(cli, "replace <DB_PASSWORD> with the password%s", driver->is_url ? ", percent-encoded" : "");
    if (count > 1)
        cli_note(cli, "a line for each member: try them in turn");
    return EXIT_SUCCESS;
}

bool
connect_names_user(struct cli *cli)
{
    if (call_option(&cli->call, "user") != NULL)
        return true;
    cli_say(cli, "which database user? Give --user; `reeve database-users list` shows them");
    return false;
}

int
connect_string(struct cli *cli, struct client *client, const char *cluster, const char *database, str *ret_string)
{
    const struct driver *driver = driver_find("psql");
    const json_t *string;
    int status = fetch(cli, client, driver, cluster, &string);
    if (status != EXIT_SUCCESS)
        return status;
    return json_string_value(string) != NULL &&
                   fill_string(cli, driver, json_string_value(string), database, ret_string)
               ? EXIT_SUCCESS
               : EXIT_USAGE;
}

int
builtin_connect(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    const char *arguments[MAX_ARGUMENTS + 2], *print = call_option(&cli->call, "print"),
                                              *cluster = cli->call.arguments[0];
    const struct driver *driver = driver_find(print != NULL ? print : "psql");
    const json_t *strings;
    str string;
    if (driver == NULL)
        return driver_unknown(cli, print);
    if (!is_one_way(cli) || !connect_names_user(cli))
        return EXIT_USAGE;
    int status = names_need_project(cli);
    if (status == EXIT_SUCCESS && (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    if (status == EXIT_SUCCESS && print != NULL)
        status = fetch(cli, client, driver, cluster, &strings);
    else if (status == EXIT_SUCCESS)
        status = connect_string(cli, client, cluster, call_option(&cli->call, "database"), &string);
    if (status != EXIT_SUCCESS)
        return status;
    if (print != NULL)
        return print_strings(cli, driver, strings);
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
