/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and the addresses that members can have on them. */
#include <arpa/inet.h>
#include <stdio.h>

#include "base/json.h"
#include "base/net.h"
#include "job/cluster_jobs.h"
#include "main/fleet_command.h"
#include "store/host.h"

enum { MOST_ADDRESSES = 65536 };

static const struct fleet_column host_columns[] = {
    { "name", "NAME" },       { "state", "STATE" },        { "region", "REGION" },    { "zone", "ZONE" },
    { "members", "MEMBERS" }, { "usedCpus", "CPUS" },      { "cpus", "OF" },          { "usedMemoryMb", "MEMORY" },
    { "memoryMb", "OF" },     { "freeAddresses", "FREE" }, { "silentS", "SILENT S" }, { "strays", "STRAYS" },
};
static const struct fleet_column member_columns[] = {
    { "name", "MEMBER" }, { "clusterName", "CLUSTER" }, { "address", "ADDRESS" }, { "desired", "DESIRED" },
    { "unit", "UNIT" },   { "role", "ROLE" },           { "running", "RUNNING" }, { "problem", "PROBLEM" },
};

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
print_host(struct arena *arena, json_t *host, str members, bool as_json)
{
    if (as_json) {
        if (json_object_set(host, "memberList", json_parse_own(arena, members)) == 0)
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
    fleet_print_list(arena, members, false, member_columns, LENGTH(member_columns));
}

static int
run_host_show(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print it as JSON, with its members.", .is_flag = true } };
    const char *name = NULL;
    int status;
    str hosts, members = STR_EMPTY;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs the name of a host");
    error problem = store_fleet_list(place->fleet->store, place->arena, SQL_HOST_LIST, str_from(name), &hosts);
    if (problem == OK)
        problem = store_fleet_list(place->fleet->store, place->arena, SQL_HOST_MEMBER_LIST, str_from(name), &members);
    if (problem != OK)
        return fleet_fail(command, problem);
    json_t *host = json_array_get(json_parse_own(place->arena, hosts), 0);
    if (host == NULL)
        return fleet_complain(command, "there is no such host; `reeved fleet host list` shows those that are");
    print_host(place->arena, host, members, options[0].value != NULL);
    return 0;
}

/* ---- host drain, activate, remove ---- */
enum host_change { HOST_DRAIN, HOST_ACTIVATE, HOST_REMOVE, HOST_GIVE_UP };
static const struct {
    const char *state;
    const char *why_not, *done; /* sentences: when there is no such host, and when it is so */
} host_changes[] = {
    [HOST_DRAIN] = { "DRAINING", "there is no such host",
                     "gets no new members; `reeved worker` moves those that it has. "
                     "`reeved fleet host list` shows when none is left." },
    [HOST_ACTIVATE] = { "ACTIVE", "there is no such host", "gets new members again." },
    [HOST_REMOVE] = { "REMOVED",
                      "there is no such host, or it still has members: drain it first and wait until none is left. "
                      "One that will never come back goes with --lost",
                      "was removed; its certificate is refused from now on." },
    [HOST_GIVE_UP] = { "REMOVED", "there is no such host",
                       "was given up; its certificate is refused from now on. `reeved worker` replaces the members that "
                       "it had. Should the machine come back after all: erase it before it reaches the network." },
};

/* Whoever waits for hosts hears of it. */
static error
change_host(struct fleet_place *place, str name, enum host_change change, bool *ret_is_there)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id host, job;
    int64_t revoked;
    bool is_removed = change == HOST_REMOVE || change == HOST_GIVE_UP;
    TRY(tx_begin(place->fleet->store, place->arena, fleet_service, &tx));
    if (is_removed)
        TRY(store_host_remove(tx, name, change == HOST_GIVE_UP, ret_is_there, &host));
    else
        TRY(store_host_set_state(tx, name, str_from(host_changes[change].state), ret_is_there, &host));
    if (!*ret_is_there)
        return OK;
    str owner = id_text(place->arena, host);
    if (is_removed) {
        TRY(store_certificate_revoke(tx, STR("HOST"), owner, &revoked));
        TRY(tx_notify(tx, GOAL_CHANNEL, owner)); /* its poll ends */
    }
    if (change == HOST_DRAIN || change == HOST_GIVE_UP)
        TRY(job_add(tx, &host_drain_job, (struct job_draft){ .subject = host, .subject_name = name }, &job));
    TRY(tx_notify(tx, JOB_CHANNEL, owner));
    return tx_commit(tx);
}

static int
run_change(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv,
           enum host_change change)
{
    enum { JSON, LOST };
    struct option_value options[] = {
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
        [LOST] = { "--lost", "It will not come back: replace the members that it had.", .is_flag = true },
    };
    size_t option_count = change == HOST_REMOVE ? LENGTH(options) : LENGTH(options) - 1;
    const char *name = NULL;
    int status;
    bool is_there = false;
    if (!read_options(argc, argv, command->usage, options, option_count, &name, &status))
        return status;
    if (name == NULL)
        return fleet_complain(command, "it needs the name of a host");
    if (options[LOST].value != NULL)
        change = HOST_GIVE_UP;
    error problem = change_host(place, str_from(name), change, &is_there);
    if (problem != OK)
        return fleet_fail(command, problem);
    if (!is_there)
        return fleet_complain(command, host_changes[change].why_not);
    const struct fleet_line lines[] = { { "name", str_from(name) }, { "state", str_from(host_changes[change].state) } };
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
/* How many addresses lie from one to the other, both counted; 0 when they are not of one kind or too many. */
static int64_t
count_range(const struct net_address *first, const struct net_address *last)
{
    enum { COUNTED_BYTES = 4 };
    if (memcmp(first->bytes, last->bytes, sizeof(first->bytes) - COUNTED_BYTES) != 0)
        return 0;
    uint32_t from, to;
    memcpy(&from, first->bytes + sizeof(first->bytes) - COUNTED_BYTES, COUNTED_BYTES);
    memcpy(&to, last->bytes + sizeof(last->bytes) - COUNTED_BYTES, COUNTED_BYTES);
    int64_t count = (int64_t)ntohl(to) - (int64_t)ntohl(from) + 1;
    return count < 1 || count > MOST_ADDRESSES ? 0 : count;
}

/* "10.0.1.10-10.0.1.99", "10.0.1.0/26" without its first and last address, or one address. */
static bool
read_range(struct arena *arena, str text, struct address_range *ret_range)
{
    struct net_address first, last;
    struct net_block block;
    if (str_find(text, '/') >= 0) {
        if (!net_parse_block(text, &block))
            return false;
        int bits = 128 - block.prefix;
        if (bits > 16)
            return false;
        bool is_v4 = net_is_v4(&block.base);
        int64_t skipped = is_v4 && bits > 1 ? 1 : 0; /* the network's own and the broadcast address */
        first = block.base;
        first.bytes[15] = (uint8_t)(first.bytes[15] + skipped);
        ret_range->count = ((int64_t)1 << bits) - 2 * skipped;
    } else {
        str rest = text, from = str_trim(str_cut(&rest, '-'));
        rest = rest.len == 0 ? from : str_trim(rest);
        if (!net_parse_address(from, &first) || !net_parse_address(rest, &last))
            return false;
        ret_range->count = count_range(&first, &last);
    }
    ret_range->first = net_address_text(arena, &first);
    return ret_range->count > 0;
}

static error
add_addresses(struct fleet_place *place, str host, const struct address_range *range, int64_t *ret_added)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin(place->fleet->store, place->arena, fleet_service, &tx));
    TRY(store_host_address_add(tx, host, range, ret_added));
    TRY(tx_notify(tx, JOB_CHANNEL, STR_EMPTY)); /* somebody may have waited for room */
    return tx_commit(tx);
}

static int
run_address_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { HOST, PRIVATE, PREFIX, JSON };
    struct option_value options[] = {
        [HOST] = { "--host", "The host that the addresses lead to.", .required = true },
        [PRIVATE] = { "--private", "First address of the same members in private networks; the others follow." },
        [PREFIX] = { "--prefix",
                     "Length of their network's prefix. (default: the smallest of 8, 16, 24 … that the host's own "
                     "address is in, too)",
                     .value = "0" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *text = NULL;
    int status;
    int64_t added;
    struct net_address address;
    struct address_range range = { STR_EMPTY, STR_EMPTY, 0, 0 };
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), &text, &status))
        return status;
    if (text == NULL || !read_range(place->arena, str_from(text), &range))
        return fleet_complain(command,
                              "it needs at most 65536 addresses: 10.0.1.10-10.0.1.99, 10.0.1.0/26 or one address");
    if (!str_to_int(str_from(options[PREFIX].value), 0, 128, &range.prefix))
        return fleet_complain(command, "--prefix takes a number up to 32, or 128 with IPv6");
    range.private_first = str_from(options[PRIVATE].value);
    if (range.private_first.len > 0 && !net_parse_address(range.private_first, &address))
        return fleet_complain(command, "--private takes an address");
    error problem = add_addresses(place, str_from(options[HOST].value), &range, &added);
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = { { "added", str_from_int(place->arena, added) },
                                        { "asked", str_from_int(place->arena, range.count) } };
    if (options[JSON].value != NULL)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else if (added > 0)
        printf("%lld of %lld addresses added; the others are taken already\n", (long long)added,
               (long long)range.count);
    else
        fprintf(stderr, "reeved fleet address add: no address was added: there is no such host, or all are taken\n");
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
        [HOST] = { "--host", "Only those of one host." },
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
    { "host list", "fleet host list", "List the hosts: what they have, what is used, when they last spoke.",
      run_host_list },
    { "host show", "fleet host show NAME", "Show one host with its members.", run_host_show },
    { "host drain", "fleet host drain NAME", "Put no new members on a host, and have the others moved away.",
      run_host_drain },
    { "host activate", "fleet host activate NAME", "Put members on a drained host again.", run_host_activate },
    { "host remove", "fleet host remove NAME [--lost]", "Forget a host that has no members left, or that is lost.",
      run_host_remove },
    { "address add", "fleet address add --host NAME FIRST-LAST [--private FIRST] [--prefix N]",
      "Give a host addresses for members.", run_address_add },
    { "address list", "fleet address list [--host NAME]", "List the addresses and who has them.", run_address_list },
    { NULL, NULL, NULL, NULL },
};
