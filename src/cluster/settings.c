/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/settings.h"

#include "base/json.h"
#include "cluster/audit.h"
#include "store/offer/fleet_offer.h"

#define LIBRARIES "shared_preload_libraries"

const char *const tls_protocols[] = { "TLS1_2", "TLS1_3", NULL };
const char *const commit_levels[] = { "on", "remote_apply", "local", "off", NULL };
const char *const isolation_levels[] = { "read committed", "repeatable read", "serializable", NULL };

enum setting_type { SETTING_INT, SETTING_NUM, SETTING_SWITCH, SETTING_WORD };
static const struct {
    const char *name, *parameter, *unit;
    enum setting_type type;
    bool needs_restart;
} rows[] = {
#define ROW_INT(name, parameter, unit, least, most, restart, doc) { name, parameter, unit, SETTING_INT, restart },
#define ROW_NUM(name, parameter, least, most, restart, doc)       { name, parameter, "", SETTING_NUM, restart },
#define ROW_SWITCH(name, parameter, restart, doc)                 { name, parameter, "", SETTING_SWITCH, restart },
#define ROW_WORD(name, parameter, words, restart, doc)            { name, parameter, "", SETTING_WORD, restart },
    CLUSTER_SETTING_TABLE(ROW_INT, ROW_NUM, ROW_SWITCH, ROW_WORD)
};

/* Parameters that came with a version: an older server would not start with them. */
static const struct {
    const char *parameter;
    int64_t since;
} newer[] = {
    { "transaction_timeout", 17 },
};

static bool
is_known_to(const char *parameter, str major_version)
{
    int64_t version;
    if (!str_to_int(major_version, 1, 1000, &version))
        return true;
    for (size_t i = 0; i < LENGTH(newer); i++) {
        if (strcmp(newer[i].parameter, parameter) == 0 && version < newer[i].since)
            return false;
    }
    return true;
}

static void
put(json_t *parameters, const char *name, str value)
{
    json_object_set_new(parameters, name, json_stringn(value.data, value.len));
}

static int64_t
at_least(int64_t value, int64_t least)
{
    return value < least ? least : value;
}

/*
 * Patroni, the server's processes and the page cache live in the same memory. A small member has little to spare beside
 * them, so it gives an eighth to shared buffers, a larger one the usual quarter.
 */
int64_t
settings_shared_buffers_mb(int64_t memory_mb)
{
    return at_least(memory_mb < 1024 ? memory_mb / 8 : memory_mb / 4, 8);
}

static void
put_what_size_gives(struct arena *arena, json_t *parameters, const struct offered_size *size, int64_t disk_gb)
{
    int64_t memory = size->memory_mb, buffers = settings_shared_buffers_mb(memory);
    int64_t work_kb = at_least((memory * 1024 - buffers * 1024) / at_least(size->max_connections, 1) / 4, 1024);
    int64_t wal_mb = disk_gb * 1024 / 20;
    put(parameters, "max_connections", str_from_int(arena, size->max_connections));
    put(parameters, "shared_buffers", str_format(arena, "%lldMB", (long long)buffers));
    put(parameters, "effective_cache_size", str_format(arena, "%lldMB", (long long)at_least(memory / 2, 16)));
    put(parameters, "work_mem", str_format(arena, "%lldkB", (long long)work_kb));
    put(parameters, "maintenance_work_mem", str_format(arena, "%lldMB", (long long)at_least(memory / 16, 16)));
    put(parameters, "max_wal_size",
        str_format(arena, "%lldMB",
                   (long long)(wal_mb < 64     ? 64
                               : wal_mb > 4096 ? 4096
                                               : wal_mb)));
}

/*
 * A client that is gone holds its locks until the server notices: TCP alone takes hours. Half a minute for one that is idle, ten
 * seconds for one that has a statement under way. What a tenant sets goes before it. None of them needs a restart.
 */
static void
put_what_notices_lost_clients(json_t *parameters)
{
    static const char *const values[][2] = {
        { "tcp_keepalives_idle", "15s" },
        { "tcp_keepalives_interval", "5s" },
        { "tcp_keepalives_count", "3" },
        { "tcp_user_timeout", "20s" },
        { "client_connection_check_interval", "10s" },
    };
    for (size_t i = 0; i < LENGTH(values); i++)
        put(parameters, values[i][0], str_from(values[i][1]));
}

static str
setting_text(struct arena *arena, size_t row, const json_t *value)
{
    switch (rows[row].type) {
    case SETTING_INT: {
        long long number = (long long)json_integer_value(value);
        /* 0 means something of its own, so it goes without a unit. */
        return str_format(arena, "%lld%s", number, number > 0 ? rows[row].unit : "");
    }
    case SETTING_NUM: return str_format(arena, "%g", json_number_value(value));
    case SETTING_SWITCH: return json_is_true(value) ? STR("on") : STR("off");
    case SETTING_WORD: break;
    }
    str word = json_str(value);
    if (str_is(word, "TLS1_2"))
        return STR("TLSv1.2");
    return str_is(word, "TLS1_3") ? STR("TLSv1.3") : word;
}

const char *
settings_unknown_to(const json_t *settings, str major_version)
{
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const json_t *value = json_object_get(settings, rows[i].name);
        bool asks =
            value != NULL && !json_is_null(value) && !(json_is_integer(value) && json_integer_value(value) == 0);
        if (asks && !is_known_to(rows[i].parameter, major_version))
            return rows[i].name;
    }
    return NULL;
}

json_t *
settings_to_parameters(struct arena *arena, const struct offered_size *size, int64_t disk_gb, const json_t *settings,
                       str major_version)
{
    json_t *parameters = json_in(arena, json_object());
    if (parameters == NULL)
        return NULL;
    put_what_size_gives(arena, parameters, size, disk_gb);
    put_what_notices_lost_clients(parameters);
    /* Always, so that recording can be switched on without a restart. It does nothing until then. */
    put(parameters, LIBRARIES, STR(SERVER_LIBRARIES));
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const json_t *value = json_object_get(settings, rows[i].name);
        if (value != NULL && !json_is_null(value) && is_known_to(rows[i].parameter, major_version))
            put(parameters, rows[i].parameter, setting_text(arena, i, value));
    }
    return parameters;
}

/* What a size's memory gives, and a replica may have less of than its primary. */
static const char *const of_memory[] = { "shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem" };

json_t *
settings_of_own_size(struct arena *arena, const struct offered_size *of_cluster, const struct offered_size *size,
                     int64_t disk_gb, const json_t *settings, str major_version)
{
    struct offered_size own = *size;
    own.max_connections = of_cluster->max_connections; /* they share its memory */
    const json_t *all = settings_to_parameters(arena, &own, disk_gb, settings, major_version);
    json_t *parameters = json_in(arena, json_object());
    for (size_t i = 0; i < LENGTH(of_memory) && all != NULL && parameters != NULL; i++)
        json_object_set(parameters, of_memory[i], json_object_get(all, of_memory[i]));
    return all == NULL ? NULL : parameters;
}

static bool
has_library(const json_t *libraries, const char *library)
{
    str rest = json_str(libraries);
    while (rest.len > 0) {
        if (str_is(str_cut(&rest, ','), library))
            return true;
    }
    return false;
}

/* Of every server. */
static bool
is_own_library(str library)
{
    str rest = STR(SERVER_LIBRARIES);
    while (rest.len > 0) {
        if (str_eq(str_cut(&rest, ','), library))
            return true;
    }
    return false;
}

void
settings_add_libraries(struct arena *arena, json_t *parameters, const json_t *libraries)
{
    const char *library, *name;
    json_t *needs, *value;
    json_object_foreach((json_t *)libraries, library, needs)
    {
        json_t *loaded = json_object_get(parameters, LIBRARIES);
        if (!has_library(loaded, library))
            put(parameters, LIBRARIES, str_format(arena, "%s,%s", json_string_value(loaded), library));
        json_object_foreach(needs, name, value) json_object_set(parameters, name, value);
    }
}

static bool
differ(const json_t *before, const json_t *after, const char *parameter)
{
    const json_t *was = json_object_get(before, parameter), *is = json_object_get(after, parameter);
    return (was == NULL) != (is == NULL) || (was != NULL && !json_equal(was, is));
}

static bool
needs_restart_beside_libraries(const json_t *before, const json_t *after)
{
    if (differ(before, after, "shared_buffers"))
        return true;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (rows[i].needs_restart && differ(before, after, rows[i].parameter))
            return true;
    }
    return false;
}

bool
settings_need_restart(const json_t *before, const json_t *after)
{
    return differ(before, after, LIBRARIES) || needs_restart_beside_libraries(before, after);
}

/* Nothing is missing that extensions need, and nothing is left of those that are gone. */
static bool
is_enough(const json_t *loaded, const json_t *libraries)
{
    const char *library;
    json_t *ignored;
    json_object_foreach((json_t *)libraries, library, ignored)
    {
        if (!has_library(loaded, library))
            return false;
    }
    str rest = json_str(loaded);
    while (rest.len > 0) {
        str one = str_cut(&rest, ',');
        if (!is_own_library(one) && json_object_getn(libraries, one.data, one.len) == NULL)
            return false;
    }
    return true;
}

void
settings_keep_libraries(const json_t *before, json_t *after, const json_t *libraries)
{
    json_t *loaded = json_object_get(before, LIBRARIES);
    if (has_library(loaded, AUDIT_LIBRARY) && is_enough(loaded, libraries) &&
        !needs_restart_beside_libraries(before, after))
        json_object_set(after, LIBRARIES, loaded);
}
