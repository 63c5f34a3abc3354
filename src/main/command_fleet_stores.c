/* SPDX-License-Identifier: Apache-2.0 */
/* Object stores. Keys come from a file or from standard input: arguments are seen by everybody on the machine. */
#include <errno.h>
#include <stdio.h>

#include "base/date.h"
#include "base/json.h"
#include "main/fleet_command.h"
#include "operator/store_recover.h"
#include "store/backup/object_store.h"

enum { FILE_BYTES = 64 * 1024 };

/* ---- Files ---- */
/* "-" is standard input. */
static bool
read_text(struct arena *arena, const char *path, str *ret_text)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *bytes = ARENA_ARRAY(arena, char, FILE_BYTES);
    if (file == NULL || bytes == NULL)
        return false;
    size_t count = fread(bytes, 1, FILE_BYTES - 1, file);
    bool is_read = ferror(file) == 0;
    if (file != stdin)
        fclose(file);
    bytes[count] = '\0';
    *ret_text = (str){ bytes, count };
    return is_read;
}

static void
set_text(json_t *body, const char *name, str value)
{
    json_object_set_new(body, name, json_stringn(value.data, value.len));
}

const char *
fleet_add_keys(struct arena *arena, json_t *body, const char *path)
{
    str text;
    if (path == NULL)
        return NULL;
    if (!read_text(arena, path, &text))
        return "the file of --keys cannot be read";
    str key = str_trim(str_cut(&text, '\n')), secret_key = str_trim(str_cut(&text, '\n'));
    if (key.len == 0 || secret_key.len == 0)
        return "--keys takes a file of two lines: the name of the key, and the key";
    set_text(body, "accessKeyId", key);
    set_text(body, "secretAccessKey", secret_key);
    return NULL;
}

static const char *
add_authority(struct arena *arena, json_t *body, const char *path)
{
    str text;
    if (path == NULL)
        return NULL;
    if (!read_text(arena, path, &text))
        return "the file of --authority cannot be read";
    set_text(body, "authority", text);
    return NULL;
}

static int
send(const struct fleet_command *command, struct fleet_place *place, const char *method, const char *path, json_t *body,
     const char *name, bool as_json, const char *done)
{
    json_t *answer;
    error problem = fleet_call(place, method, str_from(path), body, &answer);
    if (problem != OK && problem->code == RESOURCE_NOT_FOUND)
        return fleet_complain(command,
                              "there is no such object store; `reeved fleet object-stores list` shows all of them");
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = { { "name", str_from(name) } };
    if (as_json)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else
        printf("%s %s\n", name, done);
    return 0;
}

/* ---- Commands ---- */
#define AUTHORITY_SENTENCE "File with the certificate of whoever signs the store's. (default: what hosts trust)"

static int
run_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { ENDPOINT, BUCKET, REGION, FOLDER, URI_STYLE, KEYS, AUTHORITY, OBJECT_LOCK, JSON };
    struct option_value options[] = {
        [ENDPOINT] = { "--endpoint", "https://HOST or https://HOST:PORT of the store.", .required = true },
        [BUCKET] = { "--bucket", "Name of the bucket.", .required = true },
        [REGION] = { "--region", "Region of the store.", .value = "us-east-1" },
        [FOLDER] = { "--path", "Folder in the bucket.", .value = "/" },
        [URI_STYLE] = { "--uri-style", "host: https://BUCKET.HOST/; path: https://HOST/BUCKET/.", .value = "host" },
        [KEYS] = { "--keys", FLEET_KEYS_SENTENCE, .required = true },
        [AUTHORITY] = { "--authority", AUTHORITY_SENTENCE },
        [OBJECT_LOCK] = { "--object-lock", "The bucket locks what is written.", .is_flag = true },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *name = NULL;
    int status;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs a name");
    json_t *body =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "name", name, "endpoint", options[ENDPOINT].value, "bucket",
                  options[BUCKET].value, "region", options[REGION].value, "path", options[FOLDER].value, "uriStyle",
                  options[URI_STYLE].value, "objectLock", options[OBJECT_LOCK].value != NULL);
    const char *why = fleet_add_keys(place->arena, body, options[KEYS].value);
    why = why == NULL ? add_authority(place->arena, body, options[AUTHORITY].value) : why;
    if (why != NULL) {
        json_decref(body);
        return fleet_complain(command, why);
    }
    return send(
        command, place, "POST", "/objectStores", body, name, options[JSON].value != NULL,
        "was tried out and added; hosts use it that join with `reeved fleet tokens create --purpose REPOSITORY --store`");
}

static int
run_change(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { KEYS, AUTHORITY, JSON };
    struct option_value options[] = {
        [KEYS] = { "--keys", FLEET_KEYS_SENTENCE },
        [AUTHORITY] = { "--authority", AUTHORITY_SENTENCE },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *name = NULL;
    int status;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs the name of an object store");
    json_t *body = json_object();
    const char *why = fleet_add_keys(place->arena, body, options[KEYS].value);
    why = why == NULL ? add_authority(place->arena, body, options[AUTHORITY].value) : why;
    if (why != NULL) {
        json_decref(body);
        return fleet_complain(command, why);
    }
    return send(command, place, "PATCH", str_format(place->arena, "/objectStores/%s", name).data, body, name,
                options[JSON].value != NULL, "was tried out and changed; hosts are told");
}

/* Something that is done with one store by its name. */
static int
act(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv, const char *method,
    const char *behind, const char *done)
{
    struct option_value options[] = { { "--json", "Print the result as JSON.", .is_flag = true } };
    const char *name = NULL;
    int status;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs the name of an object store");
    return send(command, place, method, str_format(place->arena, "/objectStores/%s%s", name, behind).data, NULL, name,
                options[0].value != NULL, done);
}

static int
run_try(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return act(command, place, argc, argv, "POST", ":try", "can be used");
}

static int
run_remove(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return act(command, place, argc, argv, "DELETE", "", "is gone; the bucket stays");
}

static int
run_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = { { "name", "NAME" },      { "endpoint", "ENDPOINT" },
                                                   { "bucket", "BUCKET" },  { "objectLock", "LOCK" },
                                                   { "hosts", "HOSTS" },    { "seats", "SEATS" },
                                                   { "usedBytes", "BYTES" } };
    struct option_value options[] = { { "--json", "Print the list as JSON.", .is_flag = true } };
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = store_object_store_list(place->fleet->store, place->arena, STR_EMPTY, &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[0].value != NULL, columns, LENGTH(columns));
    return 0;
}

static void
print_store(struct arena *arena, json_t *store)
{
    const char *name;
    json_t *value;
    json_object_foreach(store, name, value)
    {
        str text = json_is_string(value) ? json_str(value) : json_text(arena, value);
        printf("%-11s %.*s\n", name, STR_ARG(text));
    }
}

static int
run_show(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print it as JSON.", .is_flag = true } };
    const char *name = NULL;
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs the name of an object store");
    error problem = store_object_store_list(place->fleet->store, place->arena, str_from(name), &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    json_t *store = json_array_get(json_parse_own(place->arena, json), 0);
    if (store == NULL)
        return fleet_complain(command,
                              "there is no such object store; `reeved fleet object-stores list` shows all of them");
    if (options[0].value != NULL)
        printf("%.*s\n", STR_ARG(json_text(place->arena, store)));
    else
        print_store(place->arena, store);
    return 0;
}

/* ---- recover ---- */
static error
recover(struct fleet_place *place, const char *name, struct store_recovery *recovery)
{
    struct object_store store;
    bool is_there;
    str key, secret_key;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(place->fleet->store, place->arena, &tx));
    TRY(store_object_store_get(tx, str_from(name), &is_there, &store));
    TRY(tx_commit(tx));
    if (!is_there)
        return fail(place->arena, RESOURCE_NOT_FOUND, V(name));
    TRY(store_keys_open(place->arena, &place->fleet->backup_key, &store, &key, &secret_key));
    return store_recover(place->arena, &store, key, secret_key, recovery);
}

/* Not an operation: it takes as long as there are objects, and who has to do it is at a node. */
static int
run_recover(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { SINCE, DRY_RUN, JSON };
    struct option_value options[] = {
        [SINCE] = { "--since", "The first moment that is not trusted, such as 2026-11-17T08:00:00Z.",
                    .required = true },
        [DRY_RUN] = { "--dry-run", "Only count what would be brought back.", .is_flag = true },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    struct store_recovery recovery = { 0 };
    const char *name = NULL;
    int status;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs the name of an object store");
    if (!date_parse(str_from(options[SINCE].value), &recovery.since_ms))
        return fleet_complain(command, "--since takes a moment such as 2026-11-17T08:00:00Z");
    recovery.is_dry = options[DRY_RUN].value != NULL;
    error problem = recover(place, name, &recovery);
    if (problem != OK && problem->code == RESOURCE_NOT_FOUND)
        return fleet_complain(command,
                              "there is no such object store; `reeved fleet object-stores list` shows all of them");
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = { { "objects", str_from_int(place->arena, recovery.objects) },
                                        { "deleted", str_from_int(place->arena, recovery.deleted) },
                                        { "overwritten", str_from_int(place->arena, recovery.overwritten) } };
    fleet_print_lines(place->arena, options[JSON].value != NULL, lines, LENGTH(lines));
    return 0;
}

const struct fleet_command fleet_store_commands[] = {
    { "object-stores add",
      "fleet object-stores add NAME --endpoint URL --bucket B --keys FILE [--uri-style host|path] [--object-lock]",
      "Add an object store that backups can be kept in, after trying it out.", run_add },
    { "object-stores list", "fleet object-stores list", "List the object stores.", run_list },
    { "object-stores show", "fleet object-stores show NAME",
      "Show one object store: where it is, and what is kept in it.", run_show },
    { "object-stores try", "fleet object-stores try NAME", "Write, read, list and delete an object in a store.",
      run_try },
    { "object-stores change", "fleet object-stores change NAME [--keys FILE] [--authority FILE]",
      "Give an object store another key.", run_change },
    { "object-stores remove", "fleet object-stores remove NAME", "Remove an object store that nothing is kept in.",
      run_remove },
    { "object-stores recover", "fleet object-stores recover NAME --since TIME [--dry-run]",
      "Bring back what somebody deleted or overwrote in a bucket with Object Lock since a moment.", run_recover },
    { NULL, NULL, NULL, NULL },
};
