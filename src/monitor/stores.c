/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/stores.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"

enum {
    IDLE_MAX = 8, /* connections that are kept for a store */
    WRITE_MS = 5000,
    READ_MS = 8000,
    TENANT_MS = 7000, /* stores are told to give up before that */
    STARTED_FOR_MS = 5000,
    STARTED_BYTES = 32,
    METRICS_BYTES = 512 * 1024,
};
static const struct backoff away_for = { .first_ms = 500, .most_ms = 15000 };

struct store_state {
    pthread_mutex_t mutex;
    size_t idle_count;
    void *idle[IDLE_MAX];
    int64_t failures, away_until_ms; /* steady */
    bool is_tried;                   /* somebody finds out whether it is back */
    char started[STARTED_BYTES];
    int64_t started_until_ms;
};

struct monitor_stores {
    const struct monitor_http *http;
    const char *const *urls;
    size_t count;
    struct store_state states[MONITOR_MAX_STORES];
};

struct monitor_stores *
monitor_stores_new(const char *const *urls, size_t count, const struct monitor_http *http)
{
    struct monitor_stores *stores = calloc(1, sizeof(*stores));
    if (stores == NULL)
        return NULL;
    stores->http = http;
    stores->urls = urls;
    stores->count = count < MONITOR_MAX_STORES ? count : MONITOR_MAX_STORES;
    for (size_t i = 0; i < stores->count; i++)
        pthread_mutex_init(&stores->states[i].mutex, NULL);
    return stores;
}

void
monitor_stores_free(struct monitor_stores *stores)
{
    if (stores == NULL)
        return;
    for (size_t i = 0; i < stores->count; i++) {
        for (size_t k = 0; k < stores->states[i].idle_count; k++)
            stores->http->close(stores->states[i].idle[k]);
        pthread_mutex_destroy(&stores->states[i].mutex);
    }
    free(stores);
}

size_t
monitor_stores_count(const struct monitor_stores *stores)
{
    return stores == NULL ? 0 : stores->count;
}

/* ---- Whether it is there ---- */
/* False: it is away, and somebody else tries it, or it is too early. */
static bool
enter(struct store_state *state, void **ret_connection)
{
    pthread_mutex_lock(&state->mutex);
    bool is_away = state->failures > 0;
    bool may = !is_away || (!state->is_tried && clock_steady_ms() >= state->away_until_ms);
    if (may && is_away)
        state->is_tried = true;
    *ret_connection = may && state->idle_count > 0 ? state->idle[--state->idle_count] : NULL;
    pthread_mutex_unlock(&state->mutex);
    return may;
}

static void
leave(struct monitor_stores *stores, size_t store, void *connection, bool answered, const char *problem)
{
    struct store_state *state = &stores->states[store];
    pthread_mutex_lock(&state->mutex);
    bool is_news = answered == (state->failures > 0);
    if (answered) {
        state->failures = 0;
    } else {
        state->started_until_ms = 0;
        state->away_until_ms = clock_steady_ms() + backoff_ms(away_for, state->failures);
        state->failures++;
    }
    state->is_tried = false;
    bool keep = answered && connection != NULL && state->idle_count < IDLE_MAX;
    if (keep)
        state->idle[state->idle_count++] = connection;
    pthread_mutex_unlock(&state->mutex);
    if (!keep && connection != NULL)
        stores->http->close(connection);
    if (is_news && answered)
        log_line(LOG_INFO, "monitor_store_back", "Store %zu of measurements answers again.", store);
    else if (is_news)
        log_line(LOG_WARNING, "monitor_store_away", "Store %zu of measurements: %s.", store, problem);
}

/* A store that answers anything but 5xx is there. */
static int
exchange(struct monitor_stores *stores, struct arena *arena, size_t store, const struct monitor_exchange *what,
         str *ret_why)
{
    char problem[MONITOR_PROBLEM_BYTES] = "";
    void *connection;
    if (!enter(&stores->states[store], &connection)) {
        *ret_why = STR("The store does not answer.");
        return 0;
    }
    int status = stores->http->run(&connection, what, problem);
    if (status >= 500)
        snprintf(problem, sizeof(problem), "it answered %d", status);
    leave(stores, store, connection, status != 0 && status < 500, problem);
    *ret_why = status == 0 ? STR("The store does not answer.")
                           : str_format(arena, "The store answered with status %d.", status);
    return status;
}

static const char *
url_of(const struct monitor_stores *stores, struct arena *arena, size_t store, const char *path)
{
    return str_format(arena, "%s%s", stores->urls[store], path).data;
}

/* ---- Which process it is ---- */
static bool
keep(void *context, str bytes)
{
    struct buf *out = context;
    buf_add(out, bytes);
    return !out->failed;
}

static bool
ignore(void *context, str bytes)
{
    (void)context;
    (void)bytes;
    return true;
}

static str
find_started(str metrics)
{
    const str name = STR("process_start_time_seconds ");
    while (metrics.len > 0) {
        str line = str_cut(&metrics, '\n');
        if (str_starts_with(line, name))
            return str_slice(line, name.len, line.len);
    }
    return STR_EMPTY;
}

static str
known_started(struct store_state *state, struct arena *arena)
{
    pthread_mutex_lock(&state->mutex);
    str started = clock_steady_ms() < state->started_until_ms ? str_dup(arena, str_from(state->started)) : STR_EMPTY;
    pthread_mutex_unlock(&state->mutex);
    return started;
}

static void
remember_started(struct store_state *state, str started, int64_t asked_at_ms)
{
    pthread_mutex_lock(&state->mutex);
    snprintf(state->started, sizeof(state->started), "%.*s", STR_ARG(started));
    state->started_until_ms = asked_at_ms + STARTED_FOR_MS;
    pthread_mutex_unlock(&state->mutex);
}

bool
monitor_started(struct monitor_stores *stores, struct arena *arena, size_t store, str *ret_started, str *ret_why)
{
    struct buf metrics = buf_in(arena, METRICS_BYTES);
    struct monitor_exchange what = {
        .url = url_of(stores, arena, store, "/metrics"), .limit_ms = WRITE_MS, .take = keep, .context = &metrics
    };
    *ret_started = known_started(&stores->states[store], arena);
    if (ret_started->len > 0)
        return true;
    int64_t asked_at_ms = clock_steady_ms();
    if (exchange(stores, arena, store, &what, ret_why) != 200)
        return false;
    *ret_started = find_started(buf_str(&metrics));
    if (ret_started->len == 0 || ret_started->len >= STARTED_BYTES) {
        *ret_why = STR("The store does not say when it was started.");
        return false;
    }
    remember_started(&stores->states[store], *ret_started, asked_at_ms);
    return true;
}

/* ---- Writing and asking ---- */
bool
monitor_write(struct monitor_stores *stores, struct arena *arena, size_t store, str lines, str *ret_started,
              str *ret_why)
{
    struct monitor_exchange what = { .url = url_of(stores, arena, store, "/write?precision=ms"),
                                     .type = "text/plain",
                                     .body = lines,
                                     .limit_ms = WRITE_MS,
                                     .take = ignore };
    if (!monitor_started(stores, arena, store, ret_started, ret_why))
        return false;
    int status = lines.len == 0 ? 204 : exchange(stores, arena, store, &what, ret_why);
    return status == 204 || status == 200;
}

bool
monitor_ask(struct monitor_stores *stores, struct arena *arena, size_t store, const struct monitor_question *question,
            str *ret_why)
{
    struct monitor_exchange what = { .url = url_of(stores, arena, store, question->path),
                                     .type = "application/x-www-form-urlencoded",
                                     .body = question->form,
                                     .limit_ms = READ_MS,
                                     .take = question->take,
                                     .context = question->context };
    return exchange(stores, arena, store, &what, ret_why) == 200;
}

int
monitor_ask_for_tenant(struct monitor_stores *stores, struct arena *arena, size_t store,
                       const struct monitor_question *question)
{
    struct store_state *state = &stores->states[store];
    char problem[MONITOR_PROBLEM_BYTES] = "";
    struct monitor_exchange what = { .url = url_of(stores, arena, store, question->path),
                                     .type = "application/x-www-form-urlencoded",
                                     .body = question->form,
                                     .limit_ms = TENANT_MS,
                                     .take = question->take,
                                     .context = question->context };
    pthread_mutex_lock(&state->mutex);
    bool is_away = state->failures > 0;
    void *connection = !is_away && state->idle_count > 0 ? state->idle[--state->idle_count] : NULL;
    pthread_mutex_unlock(&state->mutex);
    if (is_away)
        return 0;
    int status = stores->http->run(&connection, &what, problem);
    pthread_mutex_lock(&state->mutex);
    bool is_kept = status != 0 && connection != NULL && state->idle_count < IDLE_MAX;
    if (is_kept)
        state->idle[state->idle_count++] = connection;
    pthread_mutex_unlock(&state->mutex);
    if (!is_kept && connection != NULL)
        stores->http->close(connection);
    return status;
}
