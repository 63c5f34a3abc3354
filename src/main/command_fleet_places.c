/* SPDX-License-Identifier: Apache-2.0 */
/* Where clusters can be and how large their members are. */
#include <stdio.h>

#include "main/fleet_command.h"
#include "store/fleet.h"

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

/* Ends what began with tx_begin(): `problem` and `is_valid` are what became of the change. */
static int
end_change(const struct fleet_command *command, struct tx *tx, error problem, bool is_valid, const char *rule)
{
    if (problem == OK && is_valid)
        problem = tx_commit(tx);
    if (problem != OK)
        return fleet_fail(command, problem);
    return is_valid ? 0 : fleet_complain(command, rule);
}

static void
print_done(struct fleet_place *place, bool as_json, const char *name)
{
    const struct fleet_line lines[] = { { "name", str_from(name) } };
    if (as_json)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else
        printf("%s is there now\n", name);
}

/* ---- provider, region ---- */
static int
run_provider_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print the result as JSON.", .is_flag = true } };
    const char *words[1] = { NULL };
    int status;
    bool is_valid = false;
    if (!read_words(argc, argv, command->usage, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    if (words[0] == NULL)
        return fleet_complain(command, "it needs a name, such as OWN");
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    error problem = tx_begin(place->fleet->store, place->arena, fleet_service, &tx);
    if (problem == OK)
        problem = store_provider_add(tx, str_from(words[0]), &is_valid);
    status = end_change(command, tx, problem, is_valid, "a provider's name has capitals, digits and underscores");
    if (status == 0)
        print_done(place, options[0].value != NULL, words[0]);
    return status;
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
        [PROVIDER] = { "--provider", "Whose region it is; may stand as the first word instead." },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *words[2] = { NULL, NULL };
    int status;
    bool is_valid = false;
    if (!read_words(argc, argv, command->usage, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    const char *provider = options[PROVIDER].value != NULL ? options[PROVIDER].value : words[0];
    const char *name = options[PROVIDER].value != NULL ? words[0] : words[1];
    if (provider == NULL || name == NULL)
        return fleet_complain(command, "it needs a provider and a name, such as OWN EU_WEST");
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    error problem = tx_begin(place->fleet->store, place->arena, fleet_service, &tx);
    if (problem == OK)
        problem = store_region_add(tx, str_from(provider), str_from(name), &is_valid);
    status = end_change(command, tx, problem, is_valid,
                        "there is no such provider, or the name has more than capitals, digits, '_' and '-'");
    if (status == 0)
        print_done(place, options[JSON].value != NULL, name);
    return status;
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
/* What a member of this size gets. The smaller ones share a processor. */
static const struct {
    const char *name, *cpus;
    int memory_mb, disk_gb, max_connections;
} default_sizes[] = {
    { "FLEX", "0.1", 128, 5, 50 },       { "M0", "0.1", 128, 1, 25 },          { "M10", "0.25", 256, 10, 100 },
    { "M20", "0.5", 512, 20, 200 },      { "M30", "1", 2048, 40, 500 },        { "M40", "2", 4096, 80, 1000 },
    { "M50", "4", 16384, 160, 2000 },    { "M60", "8", 32768, 320, 3000 },     { "M80", "16", 65536, 750, 4000 },
    { "M140", "24", 98304, 1000, 5000 }, { "M200", "32", 131072, 1500, 5000 },
};

static error
set_default_sizes(struct fleet_place *place)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin(place->fleet->store, place->arena, fleet_service, &tx));
    for (size_t i = 0; i < LENGTH(default_sizes); i++) {
        struct instance_size size = { str_from(default_sizes[i].name),  str_from(default_sizes[i].cpus),
                                      default_sizes[i].memory_mb,       default_sizes[i].disk_gb,
                                      default_sizes[i].max_connections, (int64_t)i * 10 };
        bool is_valid;
        TRY(store_instance_size_set(tx, &size, &is_valid));
        if (!is_valid)
            return fail(place->arena, INTERNAL_ERROR);
    }
    return tx_commit(tx);
}

static int
run_size_defaults(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    static const struct fleet_column columns[] = { { "name", "NAME" } };
    struct option_value options[] = { { "--json", "Print the sizes as JSON.", .is_flag = true } };
    int status;
    str json;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = set_default_sizes(place);
    if (problem == OK)
        problem = store_fleet_list(place->fleet->store, place->arena, SQL_INSTANCE_SIZE_LIST, STR_EMPTY, &json);
    if (problem != OK)
        return fleet_fail(command, problem);
    fleet_print_list(place->arena, json, options[0].value != NULL, columns, LENGTH(columns));
    return 0;
}

/* "0.25": digits with at most one point. */
static bool
is_decimal(str text)
{
    size_t points = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '.')
            points++;
        else if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    return text.len > points && text.len < 16 && points < 2;
}

static int
run_size_add(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { CPUS, MEMORY, DISK, CONNECTIONS, ORDINAL, JSON };
    struct option_value options[] = {
        [CPUS] = { "--cpus", "Processors of a member, such as 0.25.", .required = true },
        [MEMORY] = { "--memory-mb", "Memory of a member in MiB.", .required = true },
        [DISK] = { "--disk-gb", "Disk of a member in GiB, unless a cluster says otherwise.", .required = true },
        [CONNECTIONS] = { "--max-connections", "Connections that a member accepts.", .value = "100" },
        [ORDINAL] = { "--ordinal", "Place in the list; small sizes first. (default: its memory)" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *words[1] = { NULL };
    int status;
    bool is_valid = false;
    if (!read_words(argc, argv, command->usage, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    struct instance_size size = { str_from(words[0]), str_from(options[CPUS].value), 0, 0, 0, 0 };
    if (options[ORDINAL].value == NULL)
        options[ORDINAL].value = options[MEMORY].value;
    if (words[0] == NULL || !is_decimal(size.cpus) ||
        !str_to_int(str_from(options[MEMORY].value), 1, INT32_MAX, &size.memory_mb) ||
        !str_to_int(str_from(options[DISK].value), 1, INT32_MAX, &size.disk_gb) ||
        !str_to_int(str_from(options[CONNECTIONS].value), 1, INT32_MAX, &size.max_connections) ||
        !str_to_int(str_from(options[ORDINAL].value), 0, INT32_MAX, &size.ordinal))
        return fleet_complain(command, "it needs a name, and options that are positive numbers");
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    error problem = tx_begin(place->fleet->store, place->arena, fleet_service, &tx);
    if (problem == OK)
        problem = store_instance_size_set(tx, &size, &is_valid);
    status = end_change(command, tx, problem, is_valid, "a size's name has capitals, digits and underscores");
    if (status == 0)
        print_done(place, options[JSON].value != NULL, words[0]);
    return status;
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
    { "provider add", "fleet provider add NAME", "Add a provider: whose machines they are.", run_provider_add },
    { "provider list", "fleet provider list", "List the providers.", run_provider_list },
    { "region add", "fleet region add PROVIDER NAME", "Add a region of a provider.", run_region_add },
    { "region list", "fleet region list", "List the regions.", run_region_list },
    { "size add", "fleet size add NAME --cpus N --memory-mb N --disk-gb N [--max-connections N]",
      "Add a size of members, or change what new members of it get.", run_size_add },
    { "size defaults", "fleet size defaults", "Add the usual sizes: FLEX, M0, M10, M20, M30 and so on.",
      run_size_defaults },
    { "size list", "fleet size list", "List the sizes.", run_size_list },
    { NULL, NULL, NULL, NULL },
};
