/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/monitor/monitor.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/control.h"
#include "agent/internal.h"
#include "agent/monitor/delivery.h"
#include "agent/monitor/spool.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/steady_cond.h"
#include "wire/points.h"

enum {
    SEND_EVERY_MS = 5000, /* so that members of a host go together */
    PROBE_EVERY_MS = 60 * 1000,
    SLICE_MS = 500,
    STACK_BYTES = 1024 * 1024,
    SEND_ARENA_BYTES = 8 * 1024 * 1024,
    ALL_RECORDS = 100 * 1000,
    PATH_BYTES = 4096,
};

struct sender {
    struct agent *agent;
    int store;
    int failures;
    size_t most_records; /* 1 while a batch that was refused is taken apart */
    int64_t apart_until; /* the position behind that batch */
    bool is_failing;
};

struct monitor {
    struct spool *spool;
    char path[PATH_BYTES]; /* of the positions */
    struct sender senders[DELIVERY_MOST_STORES];
    int64_t dropped_said;

    pthread_mutex_t lock; /* of what follows; held during no request */
    struct deliveries deliveries;
};

bool
monitor_is_on(struct monitor *monitor)
{
    if (monitor == NULL)
        return false;
    pthread_mutex_lock(&monitor->lock);
    bool is_on = monitor->deliveries.stores > 0;
    pthread_mutex_unlock(&monitor->lock);
    return is_on;
}

struct spool *
monitor_spool(struct monitor *monitor)
{
    return monitor->spool;
}

error
monitor_open(struct agent *agent, struct arena *arena)
{
    str folder = str_format(arena, "%s/points", agent->config.state->folder.data);
    struct monitor *monitor = calloc(1, sizeof(*monitor));
    if (monitor == NULL || folder.len + 16 > PATH_BYTES) {
        free(monitor);
        return fail(arena, OVERLOADED);
    }
    error why = spool_open(arena, folder, SPOOL_MOST_BYTES, &monitor->spool);
    if (why != OK) {
        free(monitor);
        return why;
    }
    pthread_mutex_init(&monitor->lock, NULL);
    snprintf(monitor->path, sizeof(monitor->path), "%s/stores", folder.data);
    deliveries_read(arena, monitor->path, spool_oldest(monitor->spool), spool_end(monitor->spool),
                    &monitor->deliveries);
    agent->monitor = monitor;
    return OK;
}

void
monitor_follow(struct agent *agent, const struct goal_changes *changes)
{
    const struct goal *goal = &agent->goal->goal;
    if (agent->monitor == NULL)
        return;
    crew_follow(agent, &agent->watchers, changes);
    for (size_t i = 0; i < goal->members.count; i++)
        crew_keep(agent, &agent->watchers, goal->members.items[i].id);
}

/* ---- What is on the disk ---- */
/* Under the lock. A position that could not be written is older than it need be: something is sent twice. */
static void
keep(struct monitor *monitor, struct arena *arena)
{
    if (!deliveries_write(arena, monitor->path, &monitor->deliveries))
        log_line(LOG_WARNING, "points", "How far measurements were sent cannot be written to the disk.");
    if (monitor->deliveries.stores > 0)
        spool_trim(monitor->spool, deliveries_confirmed(&monitor->deliveries, spool_end(monitor->spool)));
}

/* How many stores there are, as the control plane said. Without any nothing is kept. */
static void
learn_stores(struct monitor *monitor, struct arena *arena, int64_t stores)
{
    stores = stores > DELIVERY_MOST_STORES ? DELIVERY_MOST_STORES : stores;
    if (stores < 0 || stores == monitor->deliveries.stores)
        return;
    log_line(LOG_INFO, "points", "Measurements go to %lld stores%s.", (long long)stores,
             stores == 0 ? ": nothing is measured" : "");
    for (int64_t i = stores; i < DELIVERY_MOST_STORES;
         i++) /* one that comes back later begins with what there is then */
        monitor->deliveries.of[i] = (struct delivery){ .mark = -1 };
    monitor->deliveries.stores = stores;
    if (stores == 0)
        spool_clear(monitor->spool);
    keep(monitor, arena);
}

/* ---- A batch ---- */
static void
say_dropped(struct monitor *monitor)
{
    int64_t dropped = spool_dropped(monitor->spool);
    if (dropped != monitor->dropped_said)
        log_line(LOG_WARNING, "points_dropped", "%lld lines of measurements were dropped since the agent started.",
                 (long long)dropped);
    monitor->dropped_said = dropped;
}

static void
note(struct sender *sender, str problem)
{
    if (problem.len > 0 && !sender->is_failing)
        log_line(LOG_WARNING, "points_not_sent", "Store %d: %.*s", sender->store, STR_ARG(problem));
    if (problem.len == 0 && sender->is_failing)
        log_line(LOG_INFO, "points_sent", "Store %d takes measurements again.", sender->store);
    sender->is_failing = problem.len > 0;
}

/* A batch that is refused is sent record by record, so that only what is wrong is lost. */
static void
take_apart(struct sender *sender, const struct spool_batch *batch, struct delivery *delivery, str detail)
{
    if (batch->records > 1) {
        sender->most_records = 1;
        sender->apart_until = batch->next;
        return;
    }
    log_line(LOG_ERROR, "points_refused", "Store %d: %zu lines are passed over: %.*s", sender->store, batch->lines,
             STR_ARG(detail));
    delivery->sent = batch->next;
}

static void
settle(struct sender *sender, struct arena *arena, const struct spool_batch *batch, const struct control_points *points)
{
    struct monitor *monitor = sender->agent->monitor;
    struct delivery *delivery = &monitor->deliveries.of[sender->store];
    bool is_moved = false;
    pthread_mutex_lock(&monitor->lock);
    learn_stores(monitor, arena, points->stores < 0 && monitor->deliveries.stores < 1 ? 1 : points->stores);
    if (points->verdict == CONTROL_POINTS_TAKEN && batch->records > 0)
        is_moved = delivery_acknowledged(delivery, batch->next, points->started, clock_steady_ms());
    else if (points->verdict == CONTROL_POINTS_REFUSED && batch->records > 0)
        take_apart(sender, batch, delivery, points->detail);
    if (is_moved)
        keep(monitor, arena);
    if (delivery->sent >= sender->apart_until)
        sender->most_records = ALL_RECORDS;
    pthread_mutex_unlock(&monitor->lock);
}

/* How long to wait before the next. */
static int64_t
send_once(struct sender *sender, struct caller *caller)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(SEND_ARENA_BYTES);
    struct monitor *monitor = sender->agent->monitor;
    struct spool_batch batch;
    struct control_points points;
    pthread_mutex_lock(&monitor->lock);
    int64_t stores = monitor->deliveries.stores, from = monitor->deliveries.of[sender->store].sent;
    pthread_mutex_unlock(&monitor->lock);
    if (arena == NULL || (sender->store > 0 && sender->store >= stores))
        return SEND_EVERY_MS;
    if (spool_read(monitor->spool, arena, from, POINTS_MOST_BYTES, sender->most_records, &batch) != OK ||
        (batch.records == 0 && stores > 0))
        return SEND_EVERY_MS;
    error why = control_points(caller, arena, sender->agent->config.state, sender->store, batch.body, &points);
    note(sender, why == OK ? STR_EMPTY : why->detail);
    if (why != OK)
        return agent_backoff_ms(sender->failures++);
    sender->failures = 0;
    settle(sender, arena, &batch, &points);
    if (sender->store == 0)
        say_dropped(monitor);
    if (!monitor_is_on(monitor))
        return PROBE_EVERY_MS;
    /* A batch that is nearly full is not the last. */
    return batch.body.len > POINTS_MOST_BYTES / 2 || sender->most_records == 1 ? 0 : SEND_EVERY_MS;
}

/* ---- The threads ---- */
static void *
run(void *context)
{
    struct sender *sender = context;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    while (caller != NULL && !agent_is_ending(sender->agent)) {
        int64_t pause_ms = send_once(sender, caller);
        for (; pause_ms > 0 && !agent_is_ending(sender->agent); pause_ms -= SLICE_MS)
            clock_sleep_ms(pause_ms < SLICE_MS ? pause_ms : SLICE_MS);
    }
    return NULL;
}

bool
monitor_start(struct agent *agent)
{
    if (agent->monitor == NULL || agent->config.state->url.len == 0)
        return true; /* nobody to send to */
    for (int i = 0; i < DELIVERY_MOST_STORES; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        struct sender *sender = &agent->monitor->senders[i];
        *sender = (struct sender){ .agent = agent, .store = i, .most_records = ALL_RECORDS };
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        bool is_there = pthread_create(&thread, &attributes, run, sender) == 0;
        pthread_attr_destroy(&attributes);
        if (!is_there)
            return false;
        pthread_detach(thread);
    }
    return true;
}
