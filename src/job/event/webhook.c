/* SPDX-License-Identifier: Apache-2.0 */
#include "job/event/webhook.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/crypto/webhook_signature.h"
#include "base/log.h"
#include "base/net/post.h"
#include "job/delivery_threads.h"
#include "store/event/event_read.h"
#include "store/event/webhook.h"

enum {
    LEASE_S = 30,          /* twice as long as one delivery may take */
    BATCHES_AT_ONCE = 200, /* then others have their turn */
    BODY_MAX_BYTES = 32 * 1024 * 1024,
    BATCH_TEXT_BYTES = 256 * 1024, /* from so many on a delivery is not made longer */
    BATCH_ARENA_BYTES = 256 * 1024 * 1024,
    TURN_ARENA_BYTES = 4 * 1024 * 1024,
};

struct webhook_worker {
    struct webhook_config config;
    struct delivery_threads *turns;
    atomic_bool stop;
};

/* ---- One delivery ---- */
struct batch {
    str body;
    int count;        /* of events in it */
    int64_t last_seq; /* everything up to here is in it or not wanted */
    bool more;
};

static bool
is_wanted(str types, str type)
{
    if (types.len == 0)
        return true;
    while (types.len > 0) {
        if (str_eq(str_cut(&types, ','), type))
            return true;
    }
    return false;
}

static error
read_batch(struct store *store, struct arena *arena, const struct webhook_claim *claim, struct batch *ret_batch)
{
    struct params params = { 0 };
    struct rows rows;
    struct batch batch = { .last_seq = claim->delivered_seq };
    struct buf body = buf_in(arena, BODY_MAX_BYTES);
    event_follow_bind(&params, claim->place.organization, claim->delivered_seq);
    TRY(store_read(store, arena, SQL_EVENT_AFTER_IN_ORGANIZATION, &params, &rows));
    buf_format(&body, "{\"webhookId\":\"%s\",\"orgId\":\"%s\",\"events\":[", id_text(arena, claim->place.webhook).data,
               id_text(arena, claim->place.organization).data);
    int count = event_follow_count(&rows), row;
    for (row = 0; row < count && body.len < BATCH_TEXT_BYTES; row++) {
        struct event_followed event = event_follow_row(&rows, row);
        batch.last_seq = event.seq;
        if (!is_wanted(claim->event_types, event.type))
            continue;
        buf_add_text(&body, batch.count++ == 0 ? "" : ",");
        buf_add(&body, event_view(arena, event.document, event.seq));
    }
    buf_add_text(&body, "]}");
    batch.body = buf_str(&body);
    batch.more = row < count || count == EVENT_FOLLOW_ROWS;
    if (arena_is_exhausted(arena) || batch.body.len == 0)
        return fail(arena, OVERLOADED);
    *ret_batch = batch;
    return OK;
}

static int
send_batch(struct poster *poster, struct arena *arena, const struct webhook_claim *claim, str secret,
           const struct batch *batch, str *ret_why)
{
    int64_t now_s = clock_now_ms() / 1000;
    const struct post_header headers[] = {
        { STR("Content-Type"), STR("application/json") },
        { STR("Reeve-Webhook-Id"), id_text(arena, claim->place.webhook) },
        { STR("Reeve-Webhook-Timestamp"), str_from_int(arena, now_s) },
        { STR("Reeve-Webhook-Signature"), webhook_signature(arena, secret, now_s, batch->body) },
    };
    int status = poster_send(poster, arena, headers, LENGTH(headers), batch->body, ret_why);
    if (status != 0 && (status < 200 || status > 299))
        *ret_why = str_format(arena, "It answered %d.", status);
    return status;
}

/* ---- One webhook ---- */
static error
note_failure(struct webhook_worker *worker, struct arena *arena, const struct webhook_claim *claim, int status, str why)
{
    log_line(LOG_WARNING, "webhook_failed", "Webhook %s of organization %s: %.*s",
             id_text(arena, claim->place.webhook).data, id_text(arena, claim->place.organization).data, STR_ARG(why));
    return store_webhook_failed(worker->config.store, arena, claim, status, why,
                                delivery_threads_backoff_ms(claim->failures), worker->config.pause_after_s);
}

/* One batch in an arena of its own. `ret_more` is false when the webhook is done, given back or lost. */
static error
deliver_batch(struct webhook_worker *worker, struct poster *poster, str secret, struct webhook_claim *claim,
              bool *ret_more)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(BATCH_ARENA_BYTES);
    struct batch batch = { 0 };
    str why = STR_EMPTY;
    int status = 0;
    *ret_more = false;
    if (arena == NULL)
        return WOULD_BLOCK; /* the lease runs out, and somebody tries again */
    TRY(read_batch(worker->config.store, arena, claim, &batch));
    if (batch.last_seq == claim->delivered_seq)
        return store_webhook_release(worker->config.store, arena, claim);
    if (batch.count > 0) {
        status = send_batch(poster, arena, claim, secret, &batch, &why);
        if (status < 200 || status > 299)
            return note_failure(worker, arena, claim, status, why);
    }
    bool kept;
    TRY(store_webhook_delivered(worker->config.store, arena, claim, batch.last_seq, status, LEASE_S, &kept));
    if (kept && !batch.more)
        return store_webhook_release(worker->config.store, arena, claim);
    *ret_more = kept;
    return OK;
}

static error
deliver(struct webhook_worker *worker, struct arena *arena, struct webhook_claim *claim)
{
    str secret, why;
    if (!webhook_open_secret(arena, &worker->config.key, claim->place.webhook, claim->sealed_secret, &secret))
        return note_failure(worker, arena, claim, 0, STR("Its secret cannot be opened with this key."));
    struct poster *poster CLEANUP(poster_cleanup) =
        poster_new(arena, &worker->config.allowed, claim->url, worker->config.ca_file, &why);
    if (poster == NULL)
        return note_failure(worker, arena, claim, 0, why);
    bool more = true;
    for (int i = 0; more && i < BATCHES_AT_ONCE; i++) {
        if (atomic_load(&worker->stop))
            break;
        TRY(deliver_batch(worker, poster, secret, claim, &more));
    }
    return more ? store_webhook_release(worker->config.store, arena, claim) : OK;
}

/* True when anything was done. */
static bool
take_turn(void *context)
{
    struct webhook_worker *worker = context;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
    struct webhook_place due[WEBHOOK_DUE_MAX];
    size_t count = 0;
    bool did = false;
    if (arena == NULL || store_webhook_due(worker->config.store, arena, due, &count) != OK)
        return false;
    for (size_t i = 0; i < count && !atomic_load(&worker->stop); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
        struct webhook_claim claim;
        bool claimed = false;
        if (own == NULL)
            return false;
        error problem = store_webhook_claim(worker->config.store, own, due[i], LEASE_S, DELIVERY_BACKOFF_FIRST_MS,
                                            &claimed, &claim);
        if (problem == OK && claimed)
            problem = deliver(worker, own, &claim);
        did |= problem == OK && claimed;
    }
    return did;
}

struct webhook_worker *
webhook_worker_new(const struct webhook_config *config)
{
    struct webhook_worker *worker = calloc(1, sizeof(*worker));
    if (worker == NULL)
        return NULL;
    worker->config = *config;
    worker->turns = delivery_threads_new(config->dsn, EVENT_CHANNEL, config->threads, take_turn, worker);
    if (worker->turns == NULL) {
        webhook_worker_free(worker);
        return NULL;
    }
    return worker;
}

void
webhook_worker_free(struct webhook_worker *worker)
{
    if (worker == NULL)
        return;
    atomic_store(&worker->stop, true);
    delivery_threads_free(worker->turns);
    free(worker);
}
