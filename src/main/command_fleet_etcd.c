/* SPDX-License-Identifier: Apache-2.0 */
/* Etcd groups. */
#include <stdio.h>

#include "base/crypto/etcd_password.h"
#include "base/json.h"
#include "main/fleet_command.h"
#include "store/etcd/etcd.h"
#include "store/fleet/fleet.h"

static json_t *
list_of(const struct config_list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, json_string(list->values[i]));
    return array;
}

static int
run_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { ENDPOINT, REGION, CAPACITY, JSON };
    struct config_list endpoints = { 0 }, regions = { 0 };
    struct option_value options[] = {
        [ENDPOINT] = { "--endpoint", "https://HOST:PORT of a server; can be repeated.", .list = &endpoints },
        [REGION] = { "--region", "PROVIDER/REGION whose clusters use it; can be repeated. (default: all)",
                     .list = &regions },
        [CAPACITY] = { "--capacity", "How many clusters it can have; 0 for no limit.", .value = "0" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *words[1] = { NULL };
    int status;
    int64_t capacity;
    json_t *made;
    if (!read_words(argc, argv, command->usage, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    if (words[0] == NULL || endpoints.count == 0)
        return fleet_complain(command, "it needs a name, and --endpoint https://HOST:PORT for each server");
    if (!str_to_int(str_from(options[CAPACITY].value), 0, 1000000, &capacity))
        return fleet_complain(command, "--capacity takes a number");
    error problem = fleet_call(place, "POST", STR("/etcdGroups"),
                               json_pack("{s:s, s:o, s:o, s:I}", "name", words[0], "endpoints", list_of(&endpoints),
                                         "regions", list_of(&regions), "capacity", (json_int_t)capacity),
                               &made);
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = { { "name", str_from(words[0]) } };
    if (options[JSON].value != NULL)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else
        printf("%s was added; workers turn its authentication on: `reeved fleet etcd-groups list` shows when\n",
               words[0]);
    return 0;
}

/* Something that is done with one group by its name, and answers nothing. */
static int
act(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv, const char *method,
    const char *behind, json_t *body, const char *done)
{
    struct option_value options[] = { { "--json", "Print the result as JSON.", .is_flag = true } };
    const char *words[1] = { NULL };
    int status;
    json_t *nothing;
    if (!read_words(argc, argv, command->usage, options, LENGTH(options), words, LENGTH(words), &status)) {
        json_decref(body);
        return status;
    }
    if (words[0] == NULL) {
        json_decref(body);
        return fleet_complain(command, "it needs the name of a group");
    }
    error problem =
        fleet_call(place, method, str_format(place->arena, "/etcdGroups/%s%s", words[0], behind), body, &nothing);
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = { { "name", str_from(words[0]) } };
    if (options[0].value != NULL)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else
        printf("%s %s\n", words[0], done);
    return 0;
}

static int
run_secure(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return act(command, place, argc, argv, "POST", ":secure", NULL,
               "gets users; authentication is turned on when every member has one: reeved fleet etcd-groups list");
}

static int
run_drain(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return act(command, place, argc, argv, "PATCH", "", json_pack("{s:s}", "state", "DRAINING"),
               "gets no new clusters");
}

static int
run_activate(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return act(command, place, argc, argv, "PATCH", "", json_pack("{s:s}", "state", "ACTIVE"), "gets new clusters");
}

static int
run_remove(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return act(command, place, argc, argv, "DELETE", "", NULL, "is gone");
}

static int
run_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = { { "name", "NAME" },         { "state", "STATE" },
                                                   { "auth", "AUTH" },         { "clusters", "CLUSTERS" },
                                                   { "capacity", "CAPACITY" }, { "waitsFor", "WAITS FOR" } };
    struct option_value options[] = { { "--json", "Print the list as JSON.", .is_flag = true } };
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = store_fleet_list(place->fleet->store, place->arena, SQL_ETCD_GROUP_LIST, STR_EMPTY, &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[0].value != NULL, columns, LENGTH(columns));
    return 0;
}

/* For what only root may do: snapshots, defragmenting, members of the group. Not an operation: it never crosses a network. */
static int
run_root(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    const char *words[1] = { NULL };
    struct etcd_place *groups;
    size_t count;
    str password;
    int status;
    if (!read_words(argc, argv, command->usage, NULL, 0, words, LENGTH(words), &status))
        return status;
    if (words[0] == NULL)
        return fleet_complain(command, "it needs the name of a group");
    error problem = store_etcd_groups(place->fleet->store, place->arena, &count, &groups);
    if (problem != OK)
        return fleet_fail(command, problem);
    for (size_t i = 0; i < count; i++) {
        if (!str_is(groups[i].group, words[0]))
            continue;
        if (!etcd_password_of_root_open(place->arena, &place->fleet->etcd_key, groups[i].group, groups[i].sealed_root,
                                        &password))
            return fleet_complain(command, "its password was sealed with another key_file");
        printf("%.*s\n", STR_ARG(password));
        return 0;
    }
    return fleet_complain(command, "there is no such group, or it has no users");
}

const struct fleet_command fleet_etcd_commands[] = {
    { "etcd-groups add", "fleet etcd-groups add NAME --endpoint URL… [--region PROVIDER/REGION]… [--capacity N]",
      "Add an etcd group for clusters.", run_add },
    { "etcd-groups secure", "fleet etcd-groups secure NAME",
      "Give the clusters of a group users, and turn its authentication on.", run_secure },
    { "etcd-groups drain", "fleet etcd-groups drain NAME", "Bind no new clusters to a group.", run_drain },
    { "etcd-groups activate", "fleet etcd-groups activate NAME", "Bind new clusters to a group again.", run_activate },
    { "etcd-groups remove", "fleet etcd-groups remove NAME", "Remove a group without clusters.", run_remove },
    { "etcd-groups root", "fleet etcd-groups root NAME", "Print the password of a group's root user, for etcdctl.",
      run_root },
    { "etcd-groups list", "fleet etcd-groups list", "List the etcd groups.", run_list },
    { NULL, NULL, NULL, NULL },
};
