/* SPDX-License-Identifier: Apache-2.0 */
/* Roles in object stores, by STORE/NAME. Keys come from a file or from standard input, as those of stores do. */
#include <stdio.h>

#include "base/json.h"
#include "main/fleet_command.h"
#include "store/provider/store_role.h"

static const char no_such_role[] =
    "there is no such role; `reeved fleet store-roles list STORE` shows those of a store";

/* "west/checkout" is the role checkout in the store west. */
struct role_named {
    const char *words;
    str name, roles, path; /* the path of all in its store, and its own */
};

static bool
read_role(const struct fleet_command *command, struct arena *arena, int argc, char **argv, struct option_value *options,
          size_t count, struct role_named *ret_role, int *ret_status)
{
    ret_role->words = NULL;
    if (!read_options(argc, argv, command->usage, options, count, &ret_role->words, ret_status))
        return false;
    str rest = ret_role->words == NULL ? STR_EMPTY : str_from(ret_role->words), store = str_cut(&rest, '/');
    ret_role->name = rest;
    ret_role->roles = str_format(arena, "/objectStores/%.*s/roles", STR_ARG(store));
    ret_role->path = str_format(arena, "%.*s/%.*s", STR_ARG(ret_role->roles), STR_ARG(rest));
    if (store.len > 0 && rest.len > 0 && str_find(rest, '/') < 0)
        return true;
    *ret_status = fleet_complain(command, "it needs a store and a name: STORE/NAME");
    return false;
}

static int
send(const struct fleet_command *command, struct fleet_place *place, const char *method, str path, json_t *body,
     const char *named, const char *done)
{
    json_t *answer = NULL;
    error problem = fleet_call(place, method, path, body, &answer);
    if (problem != OK && problem->code == RESOURCE_NOT_FOUND)
        return fleet_complain(command, no_such_role);
    if (problem != OK)
        return fleet_fail(command, problem);
    str arn = json_str(json_object_get(answer, "arn"));
    printf("%s %s%.*s\n", named, done, STR_ARG(arn));
    return 0;
}

static int
send_with_keys(const struct fleet_command *command, struct fleet_place *place, const char *method, str path,
               json_t *body, const char *keys, const char *named, const char *done)
{
    const char *why = fleet_add_keys(place->arena, body, keys);
    if (why == NULL)
        return send(command, place, method, path, body, named, done);
    json_decref(body);
    return fleet_complain(command, why);
}

static int
run_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { EXTERNAL_ID, BUCKET, PREFIX, KEYS };
    struct option_value options[] = {
        [EXTERNAL_ID] = { "--external-id", "External id of the project's role.", .required = true },
        [BUCKET] = { "--bucket", "Name of the bucket.", .required = true },
        [PREFIX] = { "--prefix", "What the names of all objects begin with, such as checkout/.", .value = "" },
        [KEYS] = { "--keys", FLEET_KEYS_SENTENCE, .required = true },
    };
    struct role_named role;
    int status;
    if (!read_role(command, place->arena, argc, argv, options, LENGTH(options), &role, &status))
        return status;
    json_t *body =
        json_pack("{s:s%, s:s, s:s, s:s}", "name", role.name.data, role.name.len, "externalId",
                  options[EXTERNAL_ID].value, "bucket", options[BUCKET].value, "prefix", options[PREFIX].value);
    return send_with_keys(command, place, "POST", role.roles, body, options[KEYS].value, role.words,
                          "was tried out and added; tell the project to assume ");
}

static int
run_change(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--keys", FLEET_KEYS_SENTENCE, .required = true } };
    struct role_named role;
    int status;
    if (!read_role(command, place->arena, argc, argv, options, LENGTH(options), &role, &status))
        return status;
    return send_with_keys(command, place, "PATCH", role.path, json_object(), options[0].value, role.words,
                          "was tried out and changed; hosts are told");
}

static int
run_remove(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct role_named role;
    int status;
    if (!read_role(command, place->arena, argc, argv, NULL, 0, &role, &status))
        return status;
    return send(command, place, "DELETE", role.path, NULL, role.words,
                "is gone; nothing is written with it any more, and what is in the bucket stays");
}

static int
run_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = {
        { "name", "NAME" },         { "bucket", "BUCKET" },           { "prefix", "PREFIX" },
        { "projectId", "PROJECT" }, { "isAuthorized", "AUTHORIZED" }, { "arn", "ARN" }
    };
    struct option_value options[] = { { "--json", "Print the list as JSON.", .is_flag = true } };
    const char *store = NULL;
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &store, &status))
        return status;
    if (store == NULL)
        return fleet_complain(command, "it needs the name of an object store");
    error problem = store_role_list(place->fleet->store, place->arena, str_from(store), STR_EMPTY, &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[0].value != NULL, columns, LENGTH(columns));
    return 0;
}

const struct fleet_command fleet_store_role_commands[] = {
    { "store-roles add", "fleet store-roles add STORE/NAME --external-id ID --bucket B --keys FILE [--prefix P]",
      "Let a project write below a prefix of a bucket, without keys of its own.", run_add },
    { "store-roles list", "fleet store-roles list STORE", "List the roles in an object store.", run_list },
    { "store-roles change", "fleet store-roles change STORE/NAME --keys FILE",
      "Give a role in an object store another key.", run_change },
    { "store-roles remove", "fleet store-roles remove STORE/NAME",
      "Remove a role: nothing is written with it any more.", run_remove },
    { NULL, NULL, NULL, NULL },
};
