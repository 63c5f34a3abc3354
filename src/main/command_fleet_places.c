/* SPDX-License-Identifier: Apache-2.0 */
/* Where clusters can be and how large their members are. */
#include <stdio.h>

#include "base/json.h"
#include "main/fleet_command.h"
#include "store/fleet/fleet.h"

/* ---- What they have in common ---- */
static int
print_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv, enum sql statement,
           const struct fleet_column *columns, size_t count)
{
    struct option_value options[] = { { "--json", "Print the list as JSON.", .is_flag = true } };
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = store_fleet_list(place->fleet->store, place->arena, statement, STR_EMPTY, &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[0].value != NULL, columns, count);
    return 0;
}

/* Adds something with a name by the operation at this path, and says so. */
static int
add(const struct fleet_command *command, struct fleet_place *place, bool as_json, const char *path, json_t *body)
{
    json_t *made;
    error problem = fleet_call(place, "POST", str_from(path), body, &made);
    if (problem != OK)
        return fleet_fail(command, problem);
    str name = json_str(json_object_get(made, "name"));
    const struct fleet_line lines[] = { { "name", name } };
    if (as_json)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else
        printf("%.*s was added\n", STR_ARG(name));
    return 0;
}

/* ---- provider, region ---- */
static int
run_provider_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print the result as JSON.", .is_flag = true } };
    const char *words[1] = { NULL };
    int status;
    if (!read_words(argc, argv, command->usage, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    if (words[0] == NULL)
        return fleet_complain(command, "it needs a name, such as OWN");
    return add(command, place, options[0].value != NULL, "/providers", json_pack("{s:s}", "name", words[0]));
}

static int
run_provider_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = { { "name", "NAME" }, { "regions", "REGIONS" } };
    return print_list(command, place, argc, argv, SQL_PROVIDER_LIST, columns, LENGTH(columns));
}

static int
run_region_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { PROVIDER, JSON };
    struct option_value options[] = {
        [PROVIDER] = { "--provider", "Provider of the region; can also be the first word." },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *words[2] = { NULL, NULL };
    int status;
    if (!read_words(argc, argv, command->usage, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    const char *provider = options[PROVIDER].value != NULL ? options[PROVIDER].value : words[0];
    const char *name = options[PROVIDER].value != NULL ? words[0] : words[1];
    if (provider == NULL || name == NULL)
        return fleet_complain(command, "it needs a provider and a name, such as OWN EU_WEST");
    return add(command, place, options[JSON].value != NULL, "/regions",
               json_pack("{s:s, s:s}", "provider", provider, "name", name));
}

static int
run_region_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = { { "provider", "PROVIDER" },
                                                   { "name", "NAME" },
                                                   { "hosts", "HOSTS" } };
    return print_list(command, place, argc, argv, SQL_REGION_LIST, columns, LENGTH(columns));
}

/* ---- size ---- */
static int
run_size_defaults(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = { { "name", "NAME" } };
    struct option_value options[] = { { "--json", "Print the sizes as JSON.", .is_flag = true } };
    int status;
    str json;
    json_t *made;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = fleet_call(place, "POST", STR("/sizes:defaults"), NULL, &made);
    if (problem == OK)
        problem = store_fleet_list(place->fleet->store, place->arena, SQL_INSTANCE_SIZE_LIST, STR_EMPTY, &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[0].value != NULL, columns, LENGTH(columns));
    return 0;
}

static int
run_size_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { CPUS, MEMORY, DISK, CONNECTIONS, ORDINAL, JSON };
    struct option_value options[] = {
        [CPUS] = { "--cpus", "Processors of a member, such as 0.25.", .required = true },
        [MEMORY] = { "--memory-mb", "Memory of a member in MiB.", .required = true },
        [DISK] = { "--disk-gb", "Disk space of a member in GiB, unless its cluster sets another.", .required = true },
        [CONNECTIONS] = { "--max-connections", "Connections that a member accepts.", .value = "100" },
        [ORDINAL] = { "--ordinal", "Position in the list; small sizes first. (default: by memory)" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *words[1] = { NULL };
    int status;
    int64_t memory, disk, connections, ordinal;
    if (!read_words(argc, argv, command->usage, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    if (options[ORDINAL].value == NULL)
        options[ORDINAL].value = options[MEMORY].value;
    json_t *cpus = json_in(place->arena, json_loads(options[CPUS].value, JSON_DECODE_ANY, NULL));
    if (words[0] == NULL || !json_is_number(cpus) ||
        !str_to_int(str_from(options[MEMORY].value), 1, INT32_MAX, &memory) ||
        !str_to_int(str_from(options[DISK].value), 1, INT32_MAX, &disk) ||
        !str_to_int(str_from(options[CONNECTIONS].value), 1, INT32_MAX, &connections) ||
        !str_to_int(str_from(options[ORDINAL].value), 0, INT32_MAX, &ordinal))
        return fleet_complain(command, "it needs a name, and options that are positive numbers");
    return add(command, place, options[JSON].value != NULL, "/sizes",
               json_pack("{s:s, s:O, s:I, s:I, s:I, s:I}", "name", words[0], "cpus", cpus, "memoryMb",
                         (json_int_t)memory, "diskGb", (json_int_t)disk, "maxConnections", (json_int_t)connections,
                         "ordinal", (json_int_t)ordinal));
}

static int
run_size_list(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = {
        { "name", "NAME" },
        { "cpus", "CPUS" },
        { "memoryMb", "MEMORY" },
        { "diskGb", "DISK" },
        { "maxConnections", "CONNECTIONS" },
    };
    return print_list(command, place, argc, argv, SQL_INSTANCE_SIZE_LIST, columns, LENGTH(columns));
}

const struct fleet_command fleet_place_commands[] = {
    { "providers add", "fleet providers add NAME", "Add a provider, the owner of some machines.", run_provider_add },
    { "providers list", "fleet providers list", "List the providers.", run_provider_list },
    { "regions add", "fleet regions add PROVIDER NAME", "Add a region of a provider.", run_region_add },
    { "regions list", "fleet regions list", "List the regions.", run_region_list },
    { "sizes add", "fleet sizes add NAME --cpus N --memory-mb N --disk-gb N [--max-connections N]",
      "Add a size of members, or change what new members of it get.", run_size_add },
    { "sizes defaults", "fleet sizes defaults", "Add the usual sizes: FLEX, M0, M10, M20, M30 and so on.",
      run_size_defaults },
    { "sizes list", "fleet sizes list", "List the sizes.", run_size_list },
    { NULL, NULL, NULL, NULL },
};
