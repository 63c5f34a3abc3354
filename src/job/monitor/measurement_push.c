/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One turn of an integration looks at every server of its project: it sends what was seen at the look before, and notes what is newest now. Stores show
 * points some seconds after they took them, and not in order; half a minute later everything up to the newest one is there.
 */
#include "job/monitor/measurement_push.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/log.h"
#include "base/net/post.h"
#include "job/alert/integration.h"
#include "job/delivery_threads.h"
#include "job/monitor/push_series.h"
#include "monitor/steps.h"
#include "store/event/event.h"
#include "store/monitor/measurement_push.h"
#include "store/resource.h"

enum {
    EVERY_MS = 30 * 1000,
    LEASE_S = 60,        /* longer than one request, and reading a member's points, may take */
    TURN_MS = 20 * 1000, /* then others have their turn; what is left comes first in the next one */
    SOON_MS = 1000,
    SLOW_TIMES = 3,                   /* who takes long rests for so many times as long */
    LATE_MS = 50 * 60 * 1000,         /* the service takes points of the last hour */
    STORE_AWAY_MS = 5 * 60 * 1000,    /* for so long a store is waited for that may have what another lacks */
    CATCH_UP_MS = 10 * 60 * 1000,     /* of a member with very many databases, at a time */
    BODY_BYTES = 256 * 1024,          /* from so many on a request is sent */
    BODY_MAX_BYTES = 8 * 1024 * 1024, /* with one series more */
    PLACES_BYTES = 1024 * 1024,
    TURN_ARENA_BYTES = 16 * 1024 * 1024,
    BATCH_ARENA_BYTES = 32 * 1024 * 1024,
    READ_ARENA_BYTES = 64 * 1024 * 1024,
};

struct push_worker {
    struct push_config config;
    struct delivery_threads *turns;
    atomic_bool stop;
};

/* What is sent with one request, and what is known when it was taken. */
struct batch {
    struct arena *arena;
    struct buf series, places;
    int64_t sent; /* points */
};

struct turn {
    struct push_worker *worker;
    struct arena *arena;
    const struct push_claim *claim;
    struct poster *poster;
    str key;
    bool has_tags;
    int64_t now_ms;
    struct batch batch;
    /* How it ended. */
    int status;
    str why;      /* a sentence, when it failed */
    bool is_lost; /* somebody else has it */
};

/* ---- One request ---- */
static bool
batch_begin(struct turn *turn)
{
    arena_free(turn->batch.arena);
    struct arena *arena = arena_new(BATCH_ARENA_BYTES);
    turn->batch = (struct batch){ .arena = arena };
    if (arena == NULL)
        return false;
    turn->batch.series = buf_in(arena, BODY_MAX_BYTES);
    turn->batch.places = buf_in(arena, PLACES_BYTES);
    return true;
}

static bool
has_failed(const struct turn *turn)
{
    return turn->is_lost || turn->why.len > 0;
}

static void
post(struct turn *turn)
{
    struct batch *batch = &turn->batch;
    const struct post_header headers[] = {
        { STR("Content-Type"), STR("application/json") },
        { STR("DD-API-KEY"), turn->key },
    };
    str body = str_format(batch->arena, "{\"series\":[%.*s]}", STR_ARG(buf_str(&batch->series)));
    if (batch->series.failed || body.len == 0) {
        turn->why = STR("It cannot be written.");
        return;
    }
    turn->status = poster_send(turn->poster, batch->arena, headers, LENGTH(headers), body, &turn->why);
    if (turn->status == 0)
        turn->why = str_dup(turn->arena, turn->why);
    else if (turn->status < 200 || turn->status > 299)
        turn->why = str_format(turn->arena, "It answered %d.", turn->status);
    failpoint("measurements:send:after-effect");
}

/* Sends what was gathered and records how far that came. The places in it are those of members of which everything is sent now. */
static error
flush(struct turn *turn)
{
    struct batch *batch = &turn->batch;
    bool kept = true;
    bool has_points = batch->series.len > 0;
    if (has_points)
        post(turn);
    if (has_failed(turn))
        return OK;
    if (has_points || batch->places.len > 0) {
        struct push_progress progress = {
            .places = str_format(batch->arena, "[%.*s]", STR_ARG(buf_str(&batch->places))),
            .sent = batch->sent,
            .status = has_points ? turn->status : 0,
        };
        TRY(store_push_sent(turn->worker->config.store, batch->arena, turn->claim, &progress, LEASE_S, &kept));
        failpoint("measurements:send:after-commit");
    }
    turn->is_lost = !kept;
    return batch_begin(turn) ? OK : fail(turn->arena, OVERLOADED);
}

/* ---- One member ---- */
static error
read_points(struct turn *turn, struct arena *arena, id member, int64_t from_ms, int64_t to_ms, bool with_databases,
            struct series_list *ret_list)
{
    const struct metric *metrics[METRIC_COUNT];
    struct sample_query query = { .project = turn->claim->target.project,
                                  .member = member,
                                  .all_names = true,
                                  .metrics = metrics,
                                  .from_ms = from_ms,
                                  .to_ms = to_ms };
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        enum metric_scope scope = metric_table[i].scope;
        if (scope == METRIC_PROCESS || scope == METRIC_DISK || (with_databases && scope == METRIC_DATABASE))
            metrics[query.metric_count++] = &metric_table[i];
    }
    return samples_read(turn->worker->config.monitor, arena, &query, ret_list);
}

/* Everything since `after_ms`, and what a counter needs before it; of what would be too much the beginning, and then without databases. */
static error
read_since(struct turn *turn, struct arena *arena, id member, int64_t after_ms, int64_t to_ms,
           struct series_list *ret_list)
{
    int64_t from_ms = after_ms - STEPS_LONGEST_GAP_MS, soon_ms = after_ms + CATCH_UP_MS;
    error problem = read_points(turn, arena, member, from_ms, to_ms, true, ret_list);
    if (problem == OK || problem->code != MEASUREMENTS_TOO_MANY)
        return problem;
    problem = read_points(turn, arena, member, from_ms, soon_ms < to_ms ? soon_ms : to_ms, true, ret_list);
    if (problem == OK || problem->code != MEASUREMENTS_TOO_MANY)
        return problem;
    log_line(LOG_WARNING, "measurements_cut", "A member has too many databases to send measurements of them.");
    return read_points(turn, arena, member, from_ms, to_ms, false, ret_list);
}

static int64_t
newest_of(const struct series_list *list)
{
    int64_t newest = 0;
    for (size_t i = 0; i < list->count; i++) {
        int64_t last = list->items[i].samples[list->items[i].count - 1].at_ms;
        newest = last > newest ? last : newest;
    }
    return newest;
}

/* What is too old by now is counted and left out, an hour at a time. That is recorded whether anything can be sent or not. */
static error
record_late(struct turn *turn, struct arena *arena, const struct push_member *member, int64_t sent_ms, int64_t late)
{
    bool kept;
    struct push_progress progress = {
        .places = str_format(arena, "[{\"member\":\"%s\",\"sent_ms\":%lld,\"seen_ms\":%lld}]",
                             id_text(arena, member->member).data, (long long)sent_ms, (long long)member->seen_ms),
        .late = late,
    };
    TRY(store_push_sent(turn->worker->config.store, turn->arena, turn->claim, &progress, LEASE_S, &kept));
    turn->is_lost = !kept;
    return OK;
}

static error
leave_out(struct turn *turn, const struct push_member *member, int64_t *after_ms, int64_t horizon_ms)
{
    int64_t oldest = turn->now_ms - (int64_t)SAMPLES_RAW_DAYS * 24 * STEPS_HOUR_MS;
    if (*after_ms < oldest)
        *after_ms = oldest;
    while (*after_ms < horizon_ms && !turn->is_lost && !atomic_load(&turn->worker->stop)) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(READ_ARENA_BYTES);
        int64_t to_ms = horizon_ms - *after_ms > STEPS_HOUR_MS ? *after_ms + STEPS_HOUR_MS : horizon_ms;
        struct series_list list;
        if (arena == NULL)
            return fail(turn->arena, OVERLOADED);
        int64_t late = 0;
        error problem = read_since(turn, arena, member->member, *after_ms, to_ms, &list);
        if (problem != OK)
            return failure_new(turn->arena, problem->code, problem->parameter_count, problem->parameters);
        for (size_t i = 0; i < list.count; i++)
            late += (int64_t)push_series_count(&list.items[i], *after_ms, to_ms);
        TRY(record_late(turn, arena, member, to_ms, late));
        *after_ms = to_ms;
    }
    return OK;
}

static void
add_place(struct turn *turn, id member, int64_t sent_ms, int64_t seen_ms)
{
    struct batch *batch = &turn->batch;
    buf_format(&batch->places, "%s{\"member\":\"%s\",\"sent_ms\":%lld,\"seen_ms\":%lld}",
               batch->places.len > 0 ? "," : "", id_text(batch->arena, member).data, (long long)sent_ms,
               (long long)seen_ms);
}

static error
add_member(struct turn *turn, struct arena *arena, const struct push_member *member, int64_t after_ms)
{
    struct series_list list;
    int64_t newest, to_ms;
    struct push_origin origin = {
        .hostname = member->hostname,
        .tags =
            push_tags(arena, turn->claim->target.project, member->cluster, turn->has_tags ? member->tags : STR_EMPTY),
    };
    error problem = read_since(turn, arena, member->member, after_ms, turn->now_ms, &list);
    if (problem != OK)
        return failure_new(turn->arena, problem->code, problem->parameter_count, problem->parameters);
    newest = newest_of(&list);
    to_ms = member->seen_ms < newest ? member->seen_ms : newest;
    bool waits = list.is_partial && turn->now_ms - after_ms < STORE_AWAY_MS;
    if (newest <= after_ms || waits)
        return OK;
    for (size_t i = 0; i < list.count && !has_failed(turn); i++) {
        turn->batch.sent += (int64_t)push_series_add(&turn->batch.series, &origin, &list.items[i], after_ms, to_ms);
        if (turn->batch.series.len >= BODY_BYTES)
            TRY(flush(turn));
    }
    if (!has_failed(turn))
        add_place(turn, member->member, to_ms > after_ms ? to_ms : after_ms, newest);
    return OK;
}

static error
take_member(struct turn *turn, const struct push_member *member)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(READ_ARENA_BYTES);
    int64_t after_ms = member->sent_ms > 0 ? member->sent_ms : turn->claim->since_ms;
    if (arena == NULL)
        return fail(turn->arena, OVERLOADED);
    TRY(leave_out(turn, member, &after_ms, turn->now_ms - LATE_MS));
    return has_failed(turn) ? OK : add_member(turn, arena, member, after_ms);
}

/* ---- One integration ---- */
/* Where it is sent, and with which key; false with a sentence. */
static bool
prepare(struct turn *turn, str document, str *ret_url)
{
    struct push_config *config = &turn->worker->config;
    id own;
    const json_t *secrets = NULL, *integration = document.len == 0 ? NULL : json_parse_own(turn->arena, document);
    if (integration != NULL && id_parse(json_text_at(integration, "id"), &own))
        secrets = integration_secrets_open(turn->arena, &config->integration_key, own, integration);
    if (secrets == NULL) {
        turn->why = STR("The secrets of the integration cannot be opened with this key.");
        return false;
    }
    turn->key = json_text_at(secrets, "apiKey");
    turn->has_tags = json_is_true(json_object_get(integration, INTEGRATION_TAG_SWITCH));
    const char *host = integration_datadog_host(json_text_at(integration, "region"));
    *ret_url = integration_relayed(turn->arena, str_from(config->relay),
                                   str_format(turn->arena, "https://%s/api/v1/series", host));
    return true;
}

static error
take_members(struct turn *turn, bool *ret_is_done)
{
    struct push_member *members;
    size_t count, i;
    int64_t until_ms = clock_steady_ms() + TURN_MS;
    TRY(store_push_members(turn->worker->config.store, turn->arena, turn->claim->target, &members, &count));
    for (i = 0; i < count && !has_failed(turn) && clock_steady_ms() < until_ms && !atomic_load(&turn->worker->stop);
         i++)
        TRY(take_member(turn, &members[i]));
    if (!has_failed(turn))
        TRY(flush(turn));
    *ret_is_done = i == count;
    return OK;
}

static error
note_failure(struct turn *turn)
{
    struct push_config *config = &turn->worker->config;
    const struct push_claim *claim = turn->claim;
    log_line(LOG_WARNING, "measurements_not_sent", "Measurements of project %s: %.*s",
             id_text(turn->arena, claim->target.project).data, STR_ARG(turn->why));
    return store_push_failed(config->store, turn->arena, claim, turn->status, turn->why,
                             delivery_threads_backoff_ms(claim->failures));
}

static error
deliver(struct turn *turn)
{
    struct push_config *config = &turn->worker->config;
    str document, url;
    int64_t began_ms = clock_steady_ms();
    bool is_done = false;
    TRY(store_resource_read(config->store, turn->arena, turn->claim->target.project, STR(INTEGRATION_KIND),
                            STR(INTEGRATION_FOR_PUSH), &document));
    if (!prepare(turn, document, &url))
        return note_failure(turn);
    struct poster *poster CLEANUP(poster_cleanup) =
        poster_new(turn->arena, &config->allowed, url, config->ca_file, &turn->why);
    if (poster == NULL)
        return note_failure(turn);
    turn->why = STR_EMPTY;
    turn->poster = poster;
    error problem = take_members(turn, &is_done);
    if (turn->is_lost)
        return problem;
    if (problem == OK && turn->why.len > 0)
        return note_failure(turn);
    /* What the stores or the database do not do is no fault of the receiver. */
    int64_t rest_ms = SLOW_TIMES * (clock_steady_ms() - began_ms);
    if (problem == OK && !is_done)
        rest_ms = rest_ms > EVERY_MS ? rest_ms : SOON_MS;
    else
        rest_ms = rest_ms > EVERY_MS ? rest_ms : EVERY_MS;
    TRY(store_push_release(config->store, turn->arena, turn->claim, rest_ms));
    return problem;
}

/* True when anything was done. */
static bool
take_turn(void *context)
{
    struct push_worker *worker = context;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
    struct push_target due[PUSH_DUE_MAX];
    size_t count = 0;
    bool did = false;
    if (arena == NULL || store_push_due(worker->config.store, arena, due, &count) != OK)
        return false;
    for (size_t i = 0; i < count && !atomic_load(&worker->stop); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
        struct push_claim claim;
        bool claimed = false;
        if (own == NULL || store_push_claim(worker->config.store, own, due[i], LEASE_S, DELIVERY_BACKOFF_FIRST_MS,
                                            &claimed, &claim) != OK)
            return did;
        if (!claimed)
            continue;
        failpoint("measurements:send:before-effect");
        struct turn turn = { .worker = worker, .arena = own, .claim = &claim, .now_ms = clock_now_ms() };
        error problem = batch_begin(&turn) ? deliver(&turn) : WOULD_BLOCK;
        if (problem != OK && problem != WOULD_BLOCK)
            log_line(LOG_WARNING, "measurements_not_sent", "Measurements of project %s: %.*s",
                     id_text(own, claim.target.project).data, STR_ARG(problem->detail));
        arena_free(turn.batch.arena);
        did |= problem == OK;
    }
    return did;
}

struct push_worker *
push_worker_new(const struct push_config *config)
{
    struct push_worker *worker = calloc(1, sizeof(*worker));
    if (worker == NULL)
        return NULL;
    worker->config = *config;
    worker->turns = delivery_threads_new(config->dsn, EVENT_CHANNEL, config->threads, take_turn, worker);
    if (worker->turns == NULL) {
        push_worker_free(worker);
        return NULL;
    }
    return worker;
}

void
push_worker_free(struct push_worker *worker)
{
    if (worker == NULL)
        return;
    atomic_store(&worker->stop, true);
    delivery_threads_free(worker->turns);
    free(worker);
}
