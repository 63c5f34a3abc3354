/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and the addresses that members can have on them. */
#include <stdio.h>

#include "base/json.h"
#include "main/fleet_command.h"
#include "operator/range.h"
#include "store/fleet/host.h"

static const struct fleet_column host_columns[] = {
    { "name", "NAME" },        { "state", "STATE" },         { "purpose", "PURPOSE" }, { "region", "REGION" },
    { "zone", "ZONE" },        { "members", "MEMBERS" },     { "seats", "SEATS" },     { "usedCpus", "CPUS" },
    { "cpus", "OF" },          { "usedMemoryMb", "MEMORY" }, { "memoryMb", "OF" },     { "freeAddresses", "FREE" },
    { "silentS", "SILENT S" }, { "strays", "STRAYS" },
};
static const struct fleet_column member_columns[] = {
    { "name", "MEMBER" }, { "clusterName", "CLUSTER" }, { "address", "ADDRESS" }, { "desired", "DESIRED" },
    { "unit", "UNIT" },   { "role", "ROLE" },           { "running", "RUNNING" }, { "problem", "PROBLEM" },
};

static const struct fleet_column seat_columns[] = {
    { "stanza", "STANZA" }, { "clusterName", "CLUSTER" }, { "ordinal", "SITE" },   { "desired", "DESIRED" },
    { "unit", "UNIT" },     { "lagMs", "LAG MS" },        { "windowTo", "UNTIL" }, { "problem", "PROBLEM" },
};

static const struct fleet_column own_columns[] = {
    { "host", "HOST" },        { "state", "STATE" },        { "lagMs", "LAG MS" },
    { "windowFrom", "FROM" },  { "windowTo", "UNTIL" },     { "backups", "BACKUPS" },
    { "drillState", "DRILL" }, { "drillFinishedAt", "AT" }, { "problem", "PROBLEM" },
};

/* ---- own-backup ---- */
static int
run_own_backup(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print the list as JSON.", .is_flag = true } };
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = store_fleet_list(place->fleet->store, place->arena, SQL_OWN_BACKUP_LIST, STR_EMPTY, &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[0].value != NULL, own_columns, LENGTH(own_columns));
    return 0;
}

/* ---- host list, show ---- */
static int
run_host_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print the list as JSON.", .is_flag = true } };
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = store_fleet_list(place->fleet->store, place->arena, SQL_HOST_LIST, STR_EMPTY, &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[0].value != NULL, host_columns, LENGTH(host_columns));
    return 0;
}

static void
print_host(struct arena *arena, json_t *host, str members, str seats, bool as_json)
{
    if (as_json) {
        if (json_object_set(host, "memberList", json_parse_own(arena, members)) == 0 &&
            json_object_set(host, "seatList", json_parse_own(arena, seats)) == 0)
            printf("%.*s\n", STR_ARG(json_text(arena, host)));
        return;
    }
    const char *name;
    json_t *value;
    json_object_foreach(host, name, value)
    {
        str text = json_is_string(value) ? json_str(value) : json_text(arena, value);
        printf("%-17s %.*s\n", name, STR_ARG(text));
    }
    putchar('\n');
    if (str_is(json_str(json_object_get(host, "purpose")), host_purpose_names[HOST_FOR_BACKUPS]))
        fleet_print_list(arena, seats, false, seat_columns, LENGTH(seat_columns));
    else
        fleet_print_list(arena, members, false, member_columns, LENGTH(member_columns));
}

static int
run_host_show(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print it as JSON, with its members and seats.", .is_flag = true } };
    const char *name = NULL;
    int status;
    str hosts, members = STR_EMPTY, seats = STR_EMPTY;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs the name of a host");
    error problem = store_fleet_list(place->fleet->store, place->arena, SQL_HOST_LIST, str_from(name), &hosts);
    if (problem == OK)
        problem = store_fleet_list(place->fleet->store, place->arena, SQL_HOST_MEMBER_LIST, str_from(name), &members);
    if (problem == OK)
        problem = store_fleet_list(place->fleet->store, place->arena, SQL_HOST_SEAT_LIST, str_from(name), &seats);
    if (problem != OK)
        return fleet_fail(command, problem);
    json_t *host = json_array_get(json_parse_own(place->arena, hosts), 0);
    if (host == NULL)
        return fleet_complain(command, "there is no such host; `reeved fleet hosts list` shows all hosts");
    print_host(place->arena, host, members, seats, options[0].value != NULL);
    return 0;
}

/* ---- host drain, activate, remove ---- */
enum host_change { HOST_DRAIN, HOST_DRAIN_ALL, HOST_ACTIVATE, HOST_REMOVE, HOST_GIVE_UP };
static const struct {
    const char *method, *path; /* of the operation; the host's name is put in */
    enum host_state state;     /* that it then has */
    const char *done;          /* a sentence */
} host_changes[] = {
    [HOST_DRAIN] = { "POST", "/hosts/%s:drain", HOST_DRAINING,
                     "gets no new members; `reeved worker` moves its members away. `reeved fleet hosts list` shows "
                     "when none is left." },
    [HOST_DRAIN_ALL] = { "POST", "/hosts/%s:drain?dropBackups=true", HOST_DRAINING,
                         "gets no new backups, and what it only keeps is removed. What it still receives moves to other hosts." },
    [HOST_ACTIVATE] = { "POST", "/hosts/%s:activate", HOST_ACTIVE, "gets new members again." },
    [HOST_REMOVE] = { "DELETE", "/hosts/%s", HOST_REMOVED, "was removed; its certificate is refused from now on." },
    [HOST_GIVE_UP] = { "DELETE", "/hosts/%s?lost=true", HOST_REMOVED,
                       "was removed as lost; its certificate is refused from now on. `reeved worker` replaces its "
                       "members. If the machine does come back, erase it before it reaches the network." },
};

static str
change_path(struct arena *arena, enum host_change change, const char *name)
{
    str rest = str_from(host_changes[change].path), before = str_cut(&rest, '%');
    str encoded = str_percent_encode(arena, str_from(name));
    return str_format(arena, "%.*s%.*s%.*s", STR_ARG(before), STR_ARG(encoded), (int)rest.len - 1, rest.data + 1);
}

static int
print_plan(struct arena *arena, const json_t *answer, bool as_json)
{
    static const struct fleet_column columns[] = {
        { "cluster", "CLUSTER" }, { "project", "PROJECT" },       { "role", "ROLE" },          { "size", "SIZE" },
        { "to", "TO" },           { "switchover", "SWITCHOVER" }, { "waitsFor", "WAITS FOR" },
    };
    fleet_print_list(arena, json_text(arena, json_object_get(answer, "moves")), as_json, columns, LENGTH(columns));
    return 0;
}

static int
run_change(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv,
           enum host_change change)
{
    /* What some of the changes have beside --json, and what they then are. */
    static const struct {
        struct option_value option;
        enum host_change instead;
    } more[] = {
        [HOST_DRAIN] = { { "--drop-backups", "Remove backups that it only keeps, and that it receives no more.",
                           .is_flag = true },
                         HOST_DRAIN_ALL },
        [HOST_REMOVE] = { { "--lost", "The host will never come back: replace its members.", .is_flag = true },
                          HOST_GIVE_UP },
    };
    enum { JSON, MORE, DRY_RUN };
    struct option_value options[] = {
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
        [MORE] = change == HOST_DRAIN || change == HOST_REMOVE ? more[change].option : (struct option_value){ 0 },
        [DRY_RUN] = { "--dry-run", "Say where its members would go, and do nothing.", .is_flag = true },
    };
    size_t option_count = change == HOST_DRAIN ? DRY_RUN + 1 : change == HOST_REMOVE ? MORE + 1 : JSON + 1;
    const char *name = NULL;
    int status;
    json_t *answer;
    if (!read_options(argc, argv, command->usage, options, option_count, &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs the name of a host");
    if (options[MORE].value != NULL)
        change = more[change].instead;
    str path = change_path(place->arena, change, name);
    if (options[DRY_RUN].value != NULL)
        path = str_format(place->arena, "%.*s%cdryRun=true", STR_ARG(path), str_find(path, '?') >= 0 ? '&' : '?');
    error problem = fleet_call(place, host_changes[change].method, path, NULL, &answer);
    if (problem != OK && problem->code == RESOURCE_NOT_FOUND)
        return fleet_complain(command, "there is no such host; `reeved fleet hosts list` shows all hosts");
    if (problem != OK)
        return fleet_fail(command, problem);
    if (options[DRY_RUN].value != NULL)
        return print_plan(place->arena, answer, options[JSON].value != NULL);
    const struct fleet_line lines[] = { { "name", str_from(name) },
                                        { "state", str_from(host_state_names[host_changes[change].state]) } };
    if (options[JSON].value != NULL)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else
        printf("%s %s\n", name, host_changes[change].done);
    return 0;
}

static int
run_host_drain(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return run_change(command, place, argc, argv, HOST_DRAIN);
}

static int
run_host_activate(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return run_change(command, place, argc, argv, HOST_ACTIVATE);
}

static int
run_host_remove(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    return run_change(command, place, argc, argv, HOST_REMOVE);
}

/* ---- Addresses ---- */
static int
run_address_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { HOST, PRIVATE, PREFIX, JSON };
    struct option_value options[] = {
        [HOST] = { "--host", "The host of the addresses.", .required = true },
        [PRIVATE] = { "--private", "First private address of the same members; the others follow in order." },
        [PREFIX] = { "--prefix",
                     "Prefix length of their network. (default: the smallest of 8, 16, 24 … whose network also has "
                     "the host's own address)",
                     .value = "0" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *text = NULL;
    int status;
    int64_t prefix;
    json_t *answer;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &text, &status))
        return status;
    if (text == NULL)
        return fleet_complain(command, "it needs " RANGE_FORMS);
    if (!str_to_int(str_from(options[PREFIX].value), 0, 128, &prefix))
        return fleet_complain(command, "--prefix takes a number up to 32, or 128 with IPv6");
    json_t *body = json_pack("{s:s, s:s}", "host", options[HOST].value, "range", text);
    if (prefix > 0)
        json_object_set_new(body, "prefix", json_integer(prefix));
    if (options[PRIVATE].value != NULL)
        json_object_set_new(body, "privateFirst", json_string(options[PRIVATE].value));
    error problem = fleet_call(place, "POST", STR("/addresses"), body, &answer);
    if (problem != OK)
        return fleet_fail(command, problem);
    int64_t added = json_integer_value(json_object_get(answer, "added"));
    int64_t asked = json_integer_value(json_object_get(answer, "asked"));
    const struct fleet_line lines[] = { { "added", str_from_int(place->arena, added) },
                                        { "asked", str_from_int(place->arena, asked) } };
    if (options[JSON].value != NULL)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else if (added > 0)
        printf("%lld of %lld addresses added; the others are already in use\n", (long long)added, (long long)asked);
    else
        fprintf(stderr, "reeved fleet addresses add: no address was added: all are already in use\n");
    return added > 0 ? 0 : 1;
}

static int
run_address_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = {
        { "address", "ADDRESS" }, { "privateAddress", "PRIVATE" }, { "prefix", "PREFIX" },
        { "host", "HOST" },       { "memberId", "MEMBER" },
    };
    enum { HOST, JSON };
    struct option_value options[] = {
        [HOST] = { "--host", "Only addresses of one host." },
        [JSON] = { "--json", "Print the list as JSON.", .is_flag = true },
    };
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = store_fleet_list(place->fleet->store, place->arena, SQL_HOST_ADDRESS_LIST,
                                     str_from(options[HOST].value), &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[JSON].value != NULL, columns, LENGTH(columns));
    return 0;
}

const struct fleet_command fleet_host_commands[] = {
    { "hosts list", "fleet hosts list", "List the hosts: what they have, what is used, and when they last reported.",
      run_host_list },
    { "hosts show", "fleet hosts show NAME", "Show one host with its members, or with the backups that it keeps.",
      run_host_show },
    { "hosts drain", "fleet hosts drain NAME [--drop-backups] [--dry-run]",
      "Put no new members on a host, and move its members away.", run_host_drain },
    { "hosts activate", "fleet hosts activate NAME", "Put members on a drained host again.", run_host_activate },
    { "hosts remove", "fleet hosts remove NAME [--lost]", "Remove a host that has no members or is lost.",
      run_host_remove },
    { "addresses add", "fleet addresses add --host NAME FIRST-LAST [--private FIRST] [--prefix N]",
      "Give a host addresses for members.", run_address_add },
    { "addresses list", "fleet addresses list [--host NAME]", "List the addresses and the members that use them.",
      run_address_list },
    { "own-backups list", "fleet own-backups list [--json]",
      "Show where this control plane's own database is backed up, up to when, and whether that was proven.",
      run_own_backup },
    { NULL, NULL, NULL, NULL },
};
