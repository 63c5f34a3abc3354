/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/short/names.h"

#include <stdlib.h>

#include "base/json.h"
#include "cli/client.h"
#include "cli/fetch.h"
#include "cli/output/terminal.h"
#include "cli/profile.h"

enum { ID_LENGTH = 24, MOST_NAMES = 100 * 1000, PAGE = 500, MOST_NEAR = 3 };

/* What people call something, and what the API calls it by: the first that an item has. */
static const char *const label_fields[] = { "name", "username", "desc", "description", "displayName" };
static const char *const id_fields[] = { "id", "clientId" };
static const char *const account_prefix = "reeve_sa_";

static bool
is_id(const char *text)
{
    return (strlen(text) == ID_LENGTH && strspn(text, "0123456789abcdef") == ID_LENGTH) ||
           strncmp(text, account_prefix, strlen(account_prefix)) == 0;
}

/* Some ids are no such numbers, as S17, and what operators name has names in their paths. */
static bool
takes_id(const struct command *command, const struct command_field *parameter)
{
    return !command_is_operators(command) && is_id(TEXT_AT(parameter->example));
}

/* ---- The list that it is in ---- */
/* The command that lists what stands in front of "/{groupId}" in the path; NULL: nobody lists it. */
static const struct command *
list_of(const struct command *command, const char *parameter, str *ret_path)
{
    str path = str_from(TEXT_AT(command->path));
    const char *at = strstr(path.data, parameter);
    while (at != NULL && !(at[-1] == '{' && at[strlen(parameter)] == '}'))
        at = strstr(at + 1, parameter);
    if (at == NULL || at - path.data < 2)
        return NULL;
    *ret_path = str_slice(path, 0, (size_t)(at - path.data) - 2);
    for (size_t i = 0; i < command_count; i++) {
        if (commands[i].method == METHOD_GET && commands[i].shape == ANSWER_LIST && commands[i].waits_for == 0 &&
            str_is(*ret_path, TEXT_AT(commands[i].path)))
            return &commands[i];
    }
    return NULL;
}

/* The path with the values of its parameters, which are ids by now. */
static str
fill_path(struct cli *cli, const struct command *command, str path, const char *const *values)
{
    struct buf out = buf_in(cli->arena, 65536);
    buf_add(&out, str_from(command_prefix(command)));
    for (uint32_t i = 0; path.len > 0; i++) {
        buf_add(&out, str_cut(&path, '{'));
        if (path.len == 0)
            break;
        str_cut(&path, '}');
        buf_add(&out, str_percent_encode(cli->arena, str_from(values[i])));
    }
    return buf_str(&out);
}

/* ---- Searching ---- */
struct search {
    const char *name, *id;
    size_t same;                       /* how many have that name */
    str near[MOST_NEAR];               /* the names that come nearest, best first */
    size_t far[MOST_NEAR];             /* and how far they are */
    size_t near_count, seen, labelled; /* of all items, and of those that people call something */
};

static const char *
first_text(const json_t *item, const char *const *fields, size_t count)
{
    const char *text = NULL;
    for (size_t i = 0; text == NULL && i < count; i++)
        text = json_string_value(json_object_get(item, fields[i]));
    return text;
}

static void
keep_near(struct cli *cli, struct search *search, const char *label)
{
    size_t far = command_distance(search->name, label), at = 0;
    if (strncmp(label, search->name, strlen(search->name)) == 0)
        far = 1;
    if (far > strlen(search->name) / 3 + 1)
        return;
    while (at < search->near_count && search->far[at] <= far)
        at++;
    if (at == MOST_NEAR)
        return;
    if (search->near_count < MOST_NEAR)
        search->near_count++;
    for (size_t i = search->near_count - 1; i > at; i--) {
        search->near[i] = search->near[i - 1];
        search->far[i] = search->far[i - 1];
    }
    search->near[at] = text_harmless(cli->arena, str_from(label));
    search->far[at] = far;
}

static void
look_at(struct cli *cli, struct search *search, const json_t *items)
{
    size_t i;
    const json_t *item;
    json_array_foreach(items, i, item)
    {
        const char *label = first_text(item, label_fields, LENGTH(label_fields));
        const char *id = first_text(item, id_fields, LENGTH(id_fields));
        search->seen++;
        search->labelled += label != NULL;
        if (label == NULL || id == NULL)
            continue;
        if (strcmp(label, search->name) == 0) {
            search->id = id;
            search->same++;
        } else {
            keep_near(cli, search, label);
        }
    }
}

static int
search_list(struct cli *cli, struct client *client, str path, struct search *search)
{
    for (int page = 1; search->seen < MOST_NAMES; page++) {
        json_t *document = NULL;
        size_t before = search->seen;
        int status = fetch_document(
            cli, client, str_format(cli->arena, "%.*s?itemsPerPage=%d&pageNum=%d", STR_ARG(path), PAGE, page),
            &document);
        if (status != EXIT_SUCCESS)
            return status;
        look_at(cli, search, json_object_get(document, "results"));
        if (search->seen - before < PAGE)
            break;
    }
    return EXIT_SUCCESS;
}

/* "there is no project `wbe`; did you mean web?" */
static str
sentence_of(struct cli *cli, const char *what, const struct search *search)
{
    str said = text_harmless(cli->arena, str_from(search->name));
    struct buf near = buf_in(cli->arena, 4096);
    for (size_t i = 0; i < search->near_count; i++)
        buf_format(&near, "%s%.*s", i == 0 ? "" : i + 1 < search->near_count ? ", " : " or ", STR_ARG(search->near[i]));
    if (search->same > 1)
        return str_format(cli->arena, "there are %zu of the name `%.*s`: give the id of the one that you mean",
                          search->same, STR_ARG(said));
    return str_format(cli->arena, "there is no %s `%.*s`%s%.*s%s", what, STR_ARG(said),
                      near.len > 0 ? "; did you mean " : "", STR_ARG(buf_str(&near)), near.len > 0 ? "?" : "");
}

static int
say_unknown(struct cli *cli, const struct command *list, const char *what, const struct search *search)
{
    cli_say(cli, "%.*s", STR_ARG(sentence_of(cli, what, search)));
    cli_note(cli, "to see them: reeve %.*s", STR_ARG(command_name(cli->arena, list)));
    return EXIT_USAGE;
}

static int
resolve(struct cli *cli, struct client *client, const struct command *command, uint32_t number, const char **values)
{
    const struct command_field *parameter = &command_fields[command->parameters.at + number];
    str path;
    const struct command *list = list_of(command, TEXT_AT(parameter->path), &path);
    struct search search = { .name = values[number] };
    if (list == NULL)
        return EXIT_SUCCESS; /* the server says what is wrong with it */
    int status = search_list(cli, client, fill_path(cli, command, path, values), &search);
    if (status != EXIT_SUCCESS)
        return status;
    if (search.same != 1)
        return say_unknown(cli, list, TEXT_AT(parameter->flag), &search);
    values[number] = search.id;
    return EXIT_SUCCESS;
}

int
names_resolve(struct cli *cli, const struct command *command, const char **values, uint32_t count)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    int status = EXIT_SUCCESS;
    for (uint32_t i = 0; status == EXIT_SUCCESS && i < count; i++) {
        str path;
        const struct command_field *parameter = &command_fields[command->parameters.at + i];
        if (!takes_id(command, parameter) || is_id(values[i]) ||
            list_of(command, TEXT_AT(parameter->path), &path) == NULL)
            continue;
        if (client == NULL && (client = client_new(cli)) == NULL)
            return EXIT_USAGE;
        status = resolve(cli, client, command, i, values);
    }
    return status;
}

static const struct command *
reading_of(enum names_scope scope)
{
    return command_of_operation(scope == NAMES_PROJECT ? "getProject" : "getOrganization");
}

int
names_resolve_scope(struct cli *cli, enum names_scope scope, const char *given, const char **ret_id)
{
    *ret_id = given;
    return names_resolve(cli, reading_of(scope), ret_id, 1);
}

int
names_check_scope(struct cli *cli, enum names_scope scope, const char *given, const char **ret_id)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    const struct command *reading = reading_of(scope);
    json_t *ignored;
    *ret_id = given;
    if (!is_id(given))
        return names_resolve(cli, reading, ret_id, 1);
    client = client_new(cli);
    return client == NULL ? EXIT_USAGE
                          : fetch_document(cli, client,
                                           fill_path(cli, reading, str_from(TEXT_AT(reading->path)), ret_id), &ignored);
}

int
names_need_project(struct cli *cli)
{
    if (cli->profile->project != NULL)
        return names_resolve_scope(cli, NAMES_PROJECT, cli->profile->project, &cli->profile->project);
    cli_say(cli, "which project? Give --project, or `reeve profiles set project NAME`");
    return EXIT_USAGE;
}

/* ---- What is not there ---- */
str
names_missing(struct cli *cli, struct client *client, const struct command *command, const char *const *values)
{
    uint32_t last = command->parameters.count - 1;
    str path;
    if (command->parameters.count == 0)
        return STR_EMPTY;
    const struct command_field *parameter = &command_fields[command->parameters.at + last];
    const struct command *list = list_of(command, TEXT_AT(parameter->path), &path);
    struct search search = { .name = values[last] };
    if (list == NULL || is_id(values[last]) ||
        search_list(cli, client, fill_path(cli, command, path, values), &search) != EXIT_SUCCESS || search.same > 0 ||
        search.labelled < search.seen)
        return STR_EMPTY;
    return sentence_of(cli, TEXT_AT(parameter->flag), &search);
}

/* ---- Completion ---- */
void
names_each(struct cli *cli, const struct command *command, uint32_t number, const char *const *values,
           void (*take)(void *context, str name), void *context)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    str path;
    json_t *document = NULL, *item;
    size_t i;
    const struct command_field *parameter = &command_fields[command->parameters.at + number];
    const struct command *list = client == NULL ? NULL : list_of(command, TEXT_AT(parameter->path), &path);
    if (list == NULL || fetch_document(cli, client,
                                       str_format(cli->arena, "%.*s?itemsPerPage=%d&includeCount=false",
                                                  STR_ARG(fill_path(cli, command, path, values)), PAGE),
                                       &document) != EXIT_SUCCESS)
        return;
    json_array_foreach(json_object_get(document, "results"), i, item)
    {
        const char *label = first_text(item, label_fields, LENGTH(label_fields));
        if (label != NULL && str_is_one_line(str_from(label)))
            take(context, str_from(label));
    }
}
