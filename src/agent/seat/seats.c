/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seats.h"

#include <stdlib.h>

#include "agent/seat/seat.h"
#include "base/clock.h"
#include "base/crypto/crypto.h"
#include "base/log.h"
#include "base/steady_cond.h"

enum {
    STACK_BYTES = 1024 * 1024,
    CALM_MS = 2000,
    BUSY_MS = 500,
    TEXT_ARENA_BYTES = 32 * 1024 * 1024,
    TELL_AGAIN_MS = 10 * 60 * 1000,
    COPIES_MOST_BYTES = REPORT_MAX_BYTES / 2, /* in one report */
};

struct seat_worker {
    struct agent *agent;
    id seat;
    pthread_t thread;
    pthread_cond_t news;
    bool wake, stop, ended;
    int64_t wanted_version, tried_version; /* of the goal */
    struct seat_memory memory;             /* the thread's own */
    struct arena *texts;                   /* what the last pass saw; NULL before the first */
    str report, settled;                   /* with, and without what is never the same twice */
    str bare;                              /* without snapshots */
    str problem;
    uint8_t copies[SHA256_BYTES], offered[SHA256_BYTES],
        told[SHA256_BYTES]; /* of its snapshots: now, reported, and known */
    bool is_offered;
    int64_t told_ms; /* 0: never */
};

/* ---- What a pass saw ---- */
static str
without_lag(struct arena *arena, const struct report_seat *report)
{
    struct report_seat calm = *report;
    calm.received_lsn = calm.window_to = STR_EMPTY;
    calm.lag_bytes = calm.lag_ms = calm.used_bytes = -1;
    struct report_span *spans = ARENA_ARRAY(arena, struct report_span, report->span_count + 1);
    for (size_t i = 0; spans != NULL && i < report->span_count; i++) {
        spans[i] = report->spans[i];
        spans[i].to_lsn = spans[i].to_at = STR_EMPTY;
    }
    calm.spans = spans;
    return spans == NULL ? STR_EMPTY : report_seat_text(arena, &calm);
}

/* A thousand clusters have a hundred thousand snapshots, more than a report has room for; and they rarely change. */
static str
without_copies(struct arena *arena, const struct report_seat *report)
{
    struct report_seat bare = *report;
    bare.copies = NULL;
    bare.copy_count = 0;
    return report_seat_text(arena, &bare);
}

static str
only_copies(struct arena *arena, const struct report_seat *report)
{
    struct report_seat only = { .id = report->id, .copies = report->copies, .copy_count = report->copy_count };
    return report_seat_text(arena, &only);
}

static void
keep_report(struct seat_worker *worker, const struct report_seat *report, int64_t version)
{
    struct agent *agent = worker->agent;
    struct arena *texts = arena_new(TEXT_ARENA_BYTES);
    if (texts == NULL)
        return;
    str whole = report_seat_text(texts, report), settled = without_lag(texts, report);
    str bare = without_copies(texts, report), said = str_dup(texts, report->problem);
    uint8_t copies[SHA256_BYTES];
    crypto_sha256(only_copies(texts, report), copies);
    pthread_mutex_lock(&agent->lock);
    bool is_news = worker->texts == NULL || !str_eq(worker->settled, settled);
    if (said.len > 0 && !str_eq(said, worker->problem))
        log_line(LOG_WARNING, "seat", "%s: %.*s", id_text(texts, worker->seat).data, STR_ARG(said));
    arena_free(worker->texts);
    worker->texts = texts;
    worker->report = whole;
    worker->bare = bare;
    memcpy(worker->copies, copies, sizeof(copies));
    worker->settled = settled;
    worker->problem = said;
    if (worker->tried_version < version) {
        worker->tried_version = version;
        is_news = true;
    }
    if (is_news) {
        agent->report_is_wanted = true;
        pthread_cond_signal(&agent->report_wanted);
    }
    pthread_mutex_unlock(&agent->lock);
}

/* ---- The thread ---- */
static bool
take_pass(struct seat_worker *worker, struct caller *caller)
{
    struct agent *agent = worker->agent;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(PASS_ARENA_BYTES);
    struct held_goal *held = agent_hold_goal(agent);
    const struct goal_seat *seat = held == NULL ? NULL : goal_find_seat(&held->goal, worker->seat);
    struct report_seat report;
    bool calm = true;
    if (arena != NULL && seat != NULL) {
        calm = seat_pass(&agent->host, arena, caller, &held->goal, seat, &worker->memory, &report);
        keep_report(worker, &report, held->goal.version);
    }
    if (held != NULL)
        agent_release_goal(agent, held);
    return calm;
}

static void *
run(void *context)
{
    struct seat_worker *worker = context;
    struct agent *agent = worker->agent;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    pthread_mutex_lock(&agent->lock);
    while (caller != NULL && !worker->stop && !agent->is_ending) {
        worker->wake = false;
        pthread_mutex_unlock(&agent->lock);
        bool calm = take_pass(worker, caller);
        pthread_mutex_lock(&agent->lock);
        while (!worker->wake && !worker->stop && !agent->is_ending &&
               agent_wait(agent, &worker->news, calm ? CALM_MS : BUSY_MS))
            ;
    }
    worker->ended = true;
    pthread_mutex_unlock(&agent->lock);
    return NULL;
}

/* ---- Under the lock ---- */
static struct seat_worker *
find(struct agent *agent, id seat)
{
    for (size_t i = 0; i < agent->seat_count; i++) {
        if (id_eq(agent->seats[i]->seat, seat))
            return agent->seats[i];
    }
    return NULL;
}

/* Those whose seat is no longer in the goal, and whose thread has ended. */
static void
bury(struct agent *agent)
{
    size_t kept = 0;
    for (size_t i = 0; i < agent->seat_count; i++) {
        struct seat_worker *worker = agent->seats[i];
        if (!worker->ended) {
            agent->seats[kept++] = worker;
            continue;
        }
        pthread_join(worker->thread, NULL);
        pthread_cond_destroy(&worker->news);
        arena_free(worker->texts);
        free(worker);
    }
    agent->seat_count = kept;
}

static void
hire(struct agent *agent, id seat)
{
    pthread_attr_t attributes;
    struct seat_worker *worker = agent->seat_count == AGENT_MOST_SEATS ? NULL : calloc(1, sizeof(*worker));
    if (worker == NULL)
        return;
    worker->agent = agent;
    worker->seat = seat;
    worker->wanted_version = agent->goal->goal.version;
    steady_cond_init(&worker->news);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&worker->thread, &attributes, run, worker) == 0) {
        agent->seats[agent->seat_count++] = worker;
    } else {
        log_line(LOG_ERROR, "no_thread", "A seat has no thread; it is tried again with the next goal.");
        pthread_cond_destroy(&worker->news);
        free(worker);
    }
    pthread_attr_destroy(&attributes);
}

static void
call_on(struct agent *agent, id seat)
{
    struct seat_worker *worker = find(agent, seat);
    if (worker == NULL) {
        hire(agent, seat);
        return;
    }
    worker->stop = false; /* it may have been on its way out, and is back in the goal */
    worker->wanted_version = agent->goal->goal.version;
    worker->wake = true;
    pthread_cond_signal(&worker->news);
}

void
seats_follow(struct agent *agent, const struct goal_changes *changes)
{
    const struct goal *goal = &agent->goal->goal;
    bury(agent);
    for (size_t i = 0; i < changes->count; i++) {
        const struct goal_change *change = &changes->items[i];
        struct seat_worker *gone =
            change->part == PART_SEAT && change->kind == CHANGE_GONE ? find(agent, change->id) : NULL;
        if (gone != NULL) {
            gone->stop = true;
            pthread_cond_signal(&gone->news);
        } else if (change->part == PART_SEAT && change->kind != CHANGE_GONE) {
            call_on(agent, change->id);
        }
    }
    for (size_t i = 0; i < goal->seats.count; i++) {
        if (changes->everything || find(agent, goal->seats.items[i].id) == NULL)
            call_on(agent, goal->seats.items[i].id);
    }
}

void
seats_wake_unit(struct agent *agent, struct arena *arena, const char *unit)
{
    for (size_t i = 0; i < agent->seat_count; i++) {
        struct seat_worker *worker = agent->seats[i];
        if (str_is(seat_wal_unit(arena, worker->seat), unit) || str_is(seat_backup_unit(arena, worker->seat), unit)) {
            worker->wake = true;
            pthread_cond_signal(&worker->news);
        }
    }
}

bool
seats_have_tried(struct agent *agent)
{
    for (size_t i = 0; i < agent->seat_count; i++) {
        const struct seat_worker *worker = agent->seats[i];
        if (!worker->stop && worker->tried_version < worker->wanted_version)
            return false;
    }
    return true;
}

/* Whether the control plane knows its snapshots as they are. */
static bool
is_known(const struct seat_worker *worker)
{
    return worker->told_ms > 0 && clock_steady_ms() - worker->told_ms < TELL_AGAIN_MS &&
           memcmp(worker->copies, worker->told, sizeof(worker->told)) == 0;
}

/* Snapshots that are not known come first, and what does not fit comes with the next report. */
static void
offer(struct agent *agent, bool is_known_already, size_t *bytes)
{
    for (size_t i = 0; i < agent->seat_count; i++) {
        struct seat_worker *worker = agent->seats[i];
        if (worker->is_offered || is_known(worker) != is_known_already ||
            *bytes + worker->report.len > COPIES_MOST_BYTES)
            continue;
        worker->is_offered = true;
        memcpy(worker->offered, worker->copies, sizeof(worker->offered));
        *bytes += worker->report.len;
    }
}

const str *
seats_report(struct agent *agent, struct arena *arena, size_t *ret_count)
{
    str *texts = ARENA_ARRAY(arena, str, agent->seat_count + 1);
    size_t bytes = 0;
    for (size_t i = 0; i < agent->seat_count; i++)
        agent->seats[i]->is_offered = false;
    offer(agent, false, &bytes);
    offer(agent, true, &bytes);
    *ret_count = 0;
    for (size_t i = 0; texts != NULL && i < agent->seat_count; i++) {
        const struct seat_worker *worker = agent->seats[i];
        if (worker->texts != NULL && !worker->stop && worker->report.len > 0)
            texts[(*ret_count)++] = str_dup(arena, worker->is_offered ? worker->report : worker->bare);
    }
    return texts;
}

void
seats_were_told(struct agent *agent)
{
    for (size_t i = 0; i < agent->seat_count; i++) {
        struct seat_worker *worker = agent->seats[i];
        if (!worker->is_offered)
            continue;
        memcpy(worker->told, worker->offered, sizeof(worker->told));
        worker->told_ms = clock_steady_ms();
    }
}
