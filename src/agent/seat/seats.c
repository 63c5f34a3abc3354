/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seats.h"

#include "agent/download/seat_download.h"
#include "agent/seat/seat.h"
#include "agent/seat/seat_drill.h"
#include "agent/seat/seat_export.h"
#include "agent/seat/seat_verify.h"
#include "base/clock.h"
#include "base/crypto/crypto.h"
#include "base/log.h"

enum {
    BUSY_MS = 500,
    TEXT_ARENA_BYTES = 32 * 1024 * 1024,
    TELL_AGAIN_MS = 10 * 60 * 1000,
    COPIES_MOST_BYTES = REPORT_MAX_BYTES / 2, /* in one report */
};

struct seat_worker {
    struct crew_hand hand;
    struct seat_memory memory; /* the thread's own */
    str report, settled;       /* with, and without what is never the same twice */
    str bare;                  /* without snapshots */
    str problem;
    uint8_t copies[SHA256_BYTES], offered[SHA256_BYTES],
        told[SHA256_BYTES]; /* of its snapshots: now, reported, and known */
    bool is_offered;
    int64_t told_ms; /* 0: never */
};

static struct seat_worker *
worker_at(struct agent *agent, size_t place)
{
    return (struct seat_worker *)agent->seats.hands[place];
}

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
    struct agent *agent = worker->hand.agent;
    struct arena *texts = arena_new(TEXT_ARENA_BYTES);
    if (texts == NULL)
        return;
    str whole = report_seat_text(texts, report), settled = without_lag(texts, report);
    str bare = without_copies(texts, report), said = str_dup(texts, report->problem);
    uint8_t copies[SHA256_BYTES];
    crypto_sha256(only_copies(texts, report), copies);
    pthread_mutex_lock(&agent->lock);
    bool is_news = worker->hand.seen == NULL || !str_eq(worker->settled, settled);
    if (said.len > 0 && !str_eq(said, worker->problem))
        log_line(LOG_WARNING, "seat", "%s: %.*s", id_text(texts, worker->hand.id).data, STR_ARG(said));
    worker->report = whole;
    worker->bare = bare;
    memcpy(worker->copies, copies, sizeof(copies));
    worker->settled = settled;
    worker->problem = said;
    crew_saw(&worker->hand, texts, version, is_news);
    pthread_mutex_unlock(&agent->lock);
}

/* ---- The thread ---- */
static bool
take_pass(struct crew_hand *hand, struct caller *caller)
{
    struct seat_worker *worker = (struct seat_worker *)hand;
    struct agent *agent = hand->agent;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(PASS_ARENA_BYTES);
    struct held_goal *held = agent_hold_goal(agent);
    const struct goal_seat *seat = held == NULL ? NULL : goal_find_seat(&held->goal, hand->id);
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

const struct crew_kind seats_kind = {
    .name = "seat", .hand_bytes = sizeof(struct seat_worker), .part = PART_SEAT, .busy_ms = BUSY_MS, .pass = take_pass
};

/* ---- Under the lock ---- */
void
seats_follow(struct agent *agent, const struct goal_changes *changes)
{
    const struct goal *goal = &agent->goal->goal;
    crew_follow(agent, &agent->seats, changes);
    for (size_t i = 0; i < goal->seats.count; i++)
        (changes->everything ? crew_call : crew_keep)(agent, &agent->seats, goal->seats.items[i].id);
}

void
seats_wake_unit(struct agent *agent, struct arena *arena, const char *unit)
{
    for (size_t i = 0; i < agent->seats.count; i++) {
        struct crew_hand *hand = agent->seats.hands[i];
        if (str_is(seat_wal_unit(arena, hand->id), unit) || str_is(seat_backup_unit(arena, hand->id), unit) ||
            str_is(seat_verify_unit(arena, hand->id), unit) || seat_drill_has_unit(arena, hand->id, unit) ||
            seat_export_has_unit(arena, hand->id, unit) || seat_download_has_unit(arena, hand->id, unit))
            crew_wake(hand);
    }
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
    for (size_t i = 0; i < agent->seats.count; i++) {
        struct seat_worker *worker = worker_at(agent, i);
        if (worker->is_offered || is_known(worker) != is_known_already ||
            *bytes + worker->report.len > COPIES_MOST_BYTES)
            continue;
        worker->is_offered = true;
        memcpy(worker->offered, worker->copies, sizeof(worker->offered));
        *bytes += worker->report.len;
    }
}

static bool
can_be_told(const struct seat_worker *worker)
{
    return worker->hand.seen != NULL && !worker->hand.stop && worker->report.len > 0;
}

static bool
is_own(const struct seat_worker *worker)
{
    return id_eq(worker->hand.id, worker->hand.agent->own.id);
}

str
seats_report_own(struct agent *agent, struct arena *arena)
{
    for (size_t i = 0; i < agent->seats.count; i++) {
        const struct seat_worker *worker = worker_at(agent, i);
        if (is_own(worker) && can_be_told(worker))
            return str_dup(arena, worker->report);
    }
    return STR_EMPTY;
}

const str *
seats_report(struct agent *agent, struct arena *arena, size_t *ret_count)
{
    str *texts = ARENA_ARRAY(arena, str, agent->seats.count + 1);
    size_t bytes = 0;
    for (size_t i = 0; i < agent->seats.count; i++)
        worker_at(agent, i)->is_offered = false;
    offer(agent, false, &bytes);
    offer(agent, true, &bytes);
    *ret_count = 0;
    for (size_t i = 0; texts != NULL && i < agent->seats.count; i++) {
        const struct seat_worker *worker = worker_at(agent, i);
        if (can_be_told(worker) && !is_own(worker))
            texts[(*ret_count)++] = str_dup(arena, worker->is_offered ? worker->report : worker->bare);
    }
    return texts;
}

void
seats_were_told(struct agent *agent)
{
    for (size_t i = 0; i < agent->seats.count; i++) {
        struct seat_worker *worker = worker_at(agent, i);
        if (!worker->is_offered)
            continue;
        memcpy(worker->told, worker->offered, sizeof(worker->told));
        worker->told_ms = clock_steady_ms();
    }
}
