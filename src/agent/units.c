/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/units.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/steady_cond.h"

#define SERVICE "org.freedesktop.systemd1"
#define PATH    "/org/freedesktop/systemd1"
#define MANAGER SERVICE ".Manager"
#define UNIT    SERVICE ".Unit"

enum {
    JOBS_KEPT = 256, /* that ended lately: a job may end before its caller learnt its name */
    JOB_PATH_BYTES = 128,
    JOB_WAIT_MS = 150000, /* longer than TimeoutStopSec */
    CALL_US = 90 * 1000 * 1000,
    LOOK_US = 500 * 1000,
    RETRY_MS = 1000,
};

/*
 * A connection of sd-bus belongs to one thread at a time. There are two: one for calls, passed around under a lock and never
 * held while a job runs, and one for signals, that the watching thread has for itself.
 */
struct units {
    pthread_mutex_t call_lock;
    sd_bus *calls;

    pthread_mutex_t job_lock;
    pthread_cond_t job_ended;
    struct {
        char path[JOB_PATH_BYTES], result[32];
    } ended[JOBS_KEPT];
    size_t ended_count; /* ever; the ring is indexed by it */

    atomic_bool stop;
    bool is_watching;
    pthread_t watcher;
    void (*on_change)(void *owner, const char *unit);
    void *owner;
};

/* ---- Signals ---- */
static bool
is_ours(const char *unit)
{
    static const char *const ours[] = { "reeve-member-", "reeve-wal-",    "reeve-backup-", "reeve-gate-",
                                        "reeve-drill-",  "reeve-export-", "reeve-peering-" };
    for (size_t i = 0; i < LENGTH(ours); i++) {
        if (strncmp(unit, ours[i], strlen(ours[i])) == 0)
            return true;
    }
    return false;
}

static int
on_job_removed(sd_bus_message *message, void *context, sd_bus_error *ret_error)
{
    (void)ret_error;
    struct units *units = context;
    uint32_t number;
    const char *path, *unit, *result;
    if (sd_bus_message_read(message, "uoss", &number, &path, &unit, &result) < 0)
        return 0;
    pthread_mutex_lock(&units->job_lock);
    size_t place = units->ended_count++ % JOBS_KEPT;
    snprintf(units->ended[place].path, sizeof(units->ended[place].path), "%s", path);
    snprintf(units->ended[place].result, sizeof(units->ended[place].result), "%s", result);
    pthread_cond_broadcast(&units->job_ended);
    pthread_mutex_unlock(&units->job_lock);
    if (is_ours(unit))
        units->on_change(units->owner, unit);
    return 0;
}

static int
on_properties_changed(sd_bus_message *message, void *context, sd_bus_error *ret_error)
{
    (void)ret_error;
    struct units *units = context;
    char *unit = NULL;
    if (sd_bus_path_decode(sd_bus_message_get_path(message), PATH "/unit", &unit) > 0 && is_ours(unit))
        units->on_change(units->owner, unit);
    free(unit);
    return 0;
}

static sd_bus *
open_signals(struct units *units)
{
    sd_bus *bus = NULL;
    if (sd_bus_open_system(&bus) < 0 ||
        sd_bus_match_signal(bus, NULL, SERVICE, PATH, MANAGER, "JobRemoved", on_job_removed, units) < 0 ||
        sd_bus_add_match(bus, NULL,
                         "type='signal',sender='" SERVICE "',interface='org.freedesktop.DBus.Properties',"
                         "member='PropertiesChanged',path_namespace='" PATH "/unit',arg0='" UNIT "'",
                         on_properties_changed, units) < 0 ||
        sd_bus_call_method(bus, SERVICE, PATH, MANAGER, "Subscribe", NULL, NULL, "") < 0)
        return sd_bus_flush_close_unref(bus);
    return bus;
}

static void *
watch(void *context)
{
    struct units *units = context;
    sd_bus *bus = NULL;
    while (!atomic_load(&units->stop)) {
        if (bus == NULL && (bus = open_signals(units)) == NULL) {
            clock_sleep_ms(RETRY_MS);
            continue;
        }
        int got = sd_bus_process(bus, NULL);
        if (got == 0)
            got = sd_bus_wait(bus, LOOK_US);
        if (got < 0 && got != -EINTR) {
            log_line(LOG_WARNING, "dbus_lost", "The connection to D-Bus broke (%s); it is opened again.",
                     strerror(-got));
            bus = sd_bus_flush_close_unref(bus);
        }
    }
    sd_bus_flush_close_unref(bus);
    return NULL;
}

/* ---- ---- */
struct units *
units_new(void (*on_change)(void *owner, const char *unit), void *owner)
{
    struct units *units = calloc(1, sizeof(*units));
    if (units == NULL)
        return NULL;
    units->on_change = on_change;
    units->owner = owner;
    pthread_mutex_init(&units->call_lock, NULL);
    pthread_mutex_init(&units->job_lock, NULL);
    steady_cond_init(&units->job_ended);
    units->is_watching = pthread_create(&units->watcher, NULL, watch, units) == 0;
    if (!units->is_watching) {
        units_free(units);
        return NULL;
    }
    return units;
}

void
units_free(struct units *units)
{
    if (units == NULL)
        return;
    atomic_store(&units->stop, true);
    if (units->is_watching)
        pthread_join(units->watcher, NULL);
    sd_bus_flush_close_unref(units->calls);
    pthread_cond_destroy(&units->job_ended);
    pthread_mutex_destroy(&units->job_lock);
    pthread_mutex_destroy(&units->call_lock);
    free(units);
}

/* ---- Calls ---- */
static bool
is_lost(int result)
{
    return result == -ENOTCONN || result == -ECONNRESET || result == -EPIPE || result == -ECONNREFUSED;
}

/* Under call_lock. */
static int
connect_calls(struct units *units)
{
    if (units->calls != NULL)
        return 0;
    int result = sd_bus_open_system(&units->calls);
    if (result >= 0)
        sd_bus_set_method_call_timeout(units->calls, CALL_US);
    return result;
}

typedef int append_arguments(sd_bus_message *message, const void *context);

/* One call of the manager. `ret_name` is systemd's name of an error ("org.freedesktop.systemd1.NoSuchUnit"). The answer is the
 * caller's to unref. A connection that turns out to be dead is opened again, once. */
static int
call_manager(struct units *units, const char *method, append_arguments *append, const void *context,
             sd_bus_error *ret_error, sd_bus_message **ret_answer)
{
    int result = -ENOTCONN;
    pthread_mutex_lock(&units->call_lock);
    for (int try = 0; try < 2 && is_lost(result); try++) {
        sd_bus_message *message = NULL;
        result = connect_calls(units);
        if (result >= 0)
            result = sd_bus_message_new_method_call(units->calls, &message, SERVICE, PATH, MANAGER, method);
        if (result >= 0)
            result = append(message, context);
        sd_bus_error_free(ret_error);
        if (result >= 0)
            result = sd_bus_call(units->calls, message, 0, ret_error, ret_answer);
        sd_bus_message_unref(message);
        if (is_lost(result))
            units->calls = sd_bus_flush_close_unref(units->calls);
    }
    pthread_mutex_unlock(&units->call_lock);
    return result;
}

static error
refused(struct arena *arena, const char *method, const char *unit, int result, const sd_bus_error *why)
{
    return problem(arena, "systemd refused %s of %s: %s.", method, unit,
                   why->message != NULL ? why->message : strerror(-result));
}

static int
append_nothing(sd_bus_message *message, const void *context)
{
    (void)message;
    (void)context;
    return 0;
}

static int
append_name(sd_bus_message *message, const void *context)
{
    return sd_bus_message_append(message, "s", (const char *)context);
}

static int
append_name_and_mode(sd_bus_message *message, const void *context)
{
    return sd_bus_message_append(message, "ss", (const char *)context, "replace");
}

static int
append_enable(sd_bus_message *message, const void *context)
{
    return sd_bus_message_append(message, "asbb", 1, (const char *)context, 0, 1);
}

static int
append_disable(sd_bus_message *message, const void *context)
{
    return sd_bus_message_append(message, "asb", 1, (const char *)context, 0);
}

static error
call_simply(struct units *units, struct arena *arena, const char *method, append_arguments *append, const char *unit)
{
    sd_bus_error why = SD_BUS_ERROR_NULL;
    sd_bus_message *answer = NULL;
    int result = call_manager(units, method, append, unit, &why, &answer);
    error e = result < 0 ? refused(arena, method, unit, result, &why) : OK;
    sd_bus_message_unref(answer);
    sd_bus_error_free(&why);
    return e;
}

error
units_reread(struct units *units, struct arena *arena)
{
    return call_simply(units, arena, "Reload", append_nothing, "unit files");
}

error
units_enable(struct units *units, struct arena *arena, const char *unit)
{
    return call_simply(units, arena, "EnableUnitFiles", append_enable, unit);
}

error
units_disable(struct units *units, struct arena *arena, const char *unit)
{
    return call_simply(units, arena, "DisableUnitFiles", append_disable, unit);
}

void
units_forget(struct units *units, struct arena *arena, const char *unit)
{
    error ignored = call_simply(units, arena, "ResetFailedUnit", append_name, unit);
    (void)ignored; /* it had not failed, or is not known any more */
}

/* ---- Jobs ---- */
/* Under job_lock. */
static const char *
find_ended(struct units *units, const char *path)
{
    size_t kept = units->ended_count < JOBS_KEPT ? units->ended_count : JOBS_KEPT;
    for (size_t i = 0; i < kept; i++) {
        if (strcmp(units->ended[i].path, path) == 0)
            return units->ended[i].result;
    }
    return NULL;
}

static str
wait_for_job(struct units *units, struct arena *arena, const char *path)
{
    const char *result;
    int64_t deadline_ms = clock_steady_ms() + JOB_WAIT_MS;
    pthread_mutex_lock(&units->job_lock);
    while ((result = find_ended(units, path)) == NULL) {
        if (!steady_cond_wait(&units->job_ended, &units->job_lock, deadline_ms))
            break;
    }
    str copy = str_dup(arena, str_from(result == NULL ? "not ended" : result));
    pthread_mutex_unlock(&units->job_lock);
    return copy;
}

static error
run_job(struct units *units, struct arena *arena, const char *method, const char *unit)
{
    sd_bus_error why = SD_BUS_ERROR_NULL;
    sd_bus_message *answer = NULL;
    const char *path = NULL;
    int result = call_manager(units, method, append_name_and_mode, unit, &why, &answer);
    if (result >= 0)
        result = sd_bus_message_read(answer, "o", &path);
    error e = result < 0 ? refused(arena, method, unit, result, &why) : OK;
    if (e == OK) {
        str outcome = wait_for_job(units, arena, path);
        if (!str_is(outcome, "done") && !str_is(outcome, "skipped"))
            e = problem(arena, "%s of %s ended as %s.", method, unit, outcome.data);
    }
    sd_bus_message_unref(answer);
    sd_bus_error_free(&why);
    return e;
}

error
units_start(struct units *units, struct arena *arena, const char *unit)
{
    return run_job(units, arena, "StartUnit", unit);
}

error
units_stop(struct units *units, struct arena *arena, const char *unit)
{
    return run_job(units, arena, "StopUnit", unit);
}

error
units_restart(struct units *units, struct arena *arena, const char *unit)
{
    return run_job(units, arena, "RestartUnit", unit);
}

error
units_reload(struct units *units, struct arena *arena, const char *unit)
{
    return run_job(units, arena, "ReloadUnit", unit);
}

/* ---- State and limits ---- */
/* LoadUnit gives the path of any name; a unit without a file says so in LoadState. */
static int
get_property(struct units *units, const char *path, const char *name, sd_bus_error *ret_error, char **ret_value)
{
    pthread_mutex_lock(&units->call_lock);
    int result = connect_calls(units);
    if (result >= 0)
        result = sd_bus_get_property_string(units->calls, SERVICE, path, UNIT, name, ret_error, ret_value);
    if (is_lost(result))
        units->calls = sd_bus_flush_close_unref(units->calls);
    pthread_mutex_unlock(&units->call_lock);
    return result;
}

error
units_state(struct units *units, struct arena *arena, const char *unit, str *ret_state)
{
    sd_bus_error why = SD_BUS_ERROR_NULL;
    char *path = NULL, *loaded = NULL, *active = NULL;
    int result = sd_bus_path_encode(PATH "/unit", unit, &path);
    if (result >= 0)
        result = get_property(units, path, "LoadState", &why, &loaded);
    if (result >= 0)
        result = get_property(units, path, "ActiveState", &why, &active);
    error e = result < 0 ? refused(arena, "the state", unit, result, &why) : OK;
    if (e == OK) {
        bool absent = strcmp(loaded, "not-found") == 0 && strcmp(active, "inactive") == 0;
        *ret_state = absent ? STR("absent") : str_dup(arena, str_from(active));
    }
    free(path);
    free(loaded);
    free(active);
    sd_bus_error_free(&why);
    return e;
}

error
units_main_process(struct units *units, struct arena *arena, const char *unit, uint32_t *ret_process)
{
    sd_bus_error why = SD_BUS_ERROR_NULL;
    char *path = NULL;
    int result = sd_bus_path_encode(PATH "/unit", unit, &path);
    pthread_mutex_lock(&units->call_lock);
    if (result >= 0)
        result = connect_calls(units);
    if (result >= 0)
        result = sd_bus_get_property_trivial(units->calls, SERVICE, path, SERVICE ".Service", "MainPID", &why, 'u',
                                             ret_process);
    if (is_lost(result))
        units->calls = sd_bus_flush_close_unref(units->calls);
    pthread_mutex_unlock(&units->call_lock);
    error e = result < 0 ? refused(arena, "the process", unit, result, &why) : OK;
    free(path);
    sd_bus_error_free(&why);
    return e;
}

struct limits {
    const char *unit;
    uint64_t memory_bytes, cpu_us_per_second;
};

static int
append_limits(sd_bus_message *message, const void *context)
{
    const struct limits *limits = context;
    return sd_bus_message_append(message, "sba(sv)", limits->unit, 1, 2, "MemoryMax", "t", limits->memory_bytes,
                                 "CPUQuotaPerSecUSec", "t", limits->cpu_us_per_second);
}

error
units_limit(struct units *units, struct arena *arena, const char *unit, uint64_t memory_bytes, double cpus)
{
    struct limits limits = { unit, memory_bytes, (uint64_t)(cpus * 1e6) };
    sd_bus_error why = SD_BUS_ERROR_NULL;
    sd_bus_message *answer = NULL;
    int result = call_manager(units, "SetUnitProperties", append_limits, &limits, &why, &answer);
    error e = result < 0 ? refused(arena, "new limits", unit, result, &why) : OK;
    sd_bus_message_unref(answer);
    sd_bus_error_free(&why);
    return e;
}
