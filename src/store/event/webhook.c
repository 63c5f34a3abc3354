/* SPDX-License-Identifier: Apache-2.0 */
#include "store/event/webhook.h"

#include "base/json.h"
#include "store/event/event.h"

static void
bind_place(struct params *params, id organization, id webhook)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_WEBHOOK, webhook);
}

error
store_webhook_count(struct tx *tx, id organization, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_WEBHOOK_COUNT, &params, &rows, NULL));
    *ret_count = rows.count == 0 ? 0 : rows_int(&rows, 0, C_COUNT);
    return OK;
}

error
store_webhook_add(struct tx *tx, id organization, id webhook, const struct webhook_draft *draft, str sealed_secret)
{
    struct params params = { 0 };
    bind_place(&params, organization, webhook);
    params_text(&params, P_URL, draft->url);
    params_text(&params, P_DESCRIPTION, draft->description);
    params_text_or_null(&params, P_EVENT_TYPES, draft->event_types);
    params_bool(&params, P_ENABLED, draft->enabled);
    params_bytes(&params, P_SEALED_SECRET, sealed_secret);
    return tx_query(tx, SQL_WEBHOOK_ADD, &params, NULL, NULL);
}

error
store_webhook_lock(struct tx *tx, id organization, id webhook, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, organization, webhook);
    TRY(tx_query(tx, SQL_WEBHOOK_LOCK, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows.count == 0 ? 0 : rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_webhook_update(struct tx *tx, id organization, id webhook, const struct webhook_draft *draft)
{
    struct params params = { 0 };
    bind_place(&params, organization, webhook);
    params_text(&params, P_URL, draft->url);
    params_text(&params, P_DESCRIPTION, draft->description);
    params_text_or_null(&params, P_EVENT_TYPES, draft->event_types);
    params_bool(&params, P_ENABLED, draft->enabled);
    return tx_query(tx, SQL_WEBHOOK_UPDATE, &params, NULL, NULL);
}

error
store_webhook_delete(struct tx *tx, id organization, id webhook)
{
    struct params params = { 0 };
    bind_place(&params, organization, webhook);
    return tx_query(tx, SQL_WEBHOOK_DELETE, &params, NULL, NULL);
}

/* ---- For the worker ---- */

error
store_webhook_due(struct store *store, struct arena *arena, struct webhook_place ret_due[WEBHOOK_DUE_MAX],
                  size_t *ret_count)
{
    struct rows rows;
    struct params params = { 0 };
    TRY(store_read(store, arena, SQL_WEBHOOK_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < WEBHOOK_DUE_MAX; row++)
        ret_due[(*ret_count)++] =
            (struct webhook_place){ rows_id(&rows, row, C_ORGANIZATION), rows_id(&rows, row, C_WEBHOOK) };
    return OK;
}

error
store_webhook_claim(struct store *store, struct arena *arena, struct webhook_place place, int64_t lease_s,
                    int64_t retry_ms, bool *ret_claimed, struct webhook_claim *ret_claim)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, place.organization, place.webhook);
    params_int(&params, P_LEASE_S, lease_s);
    params_int(&params, P_RETRY_MS, retry_ms);
    TRY(tx_begin(store, arena, place.organization, &tx));
    TRY(tx_query(tx, SQL_WEBHOOK_CLAIM, &params, &rows, NULL));
    TRY(tx_commit(tx));
    *ret_claimed = rows.count > 0;
    if (rows.count > 0)
        *ret_claim = (struct webhook_claim){
            .place = place,
            .epoch = rows_int(&rows, 0, C_LEASE_EPOCH),
            .url = str_dup(arena, rows_text(&rows, 0, C_URL)),
            .sealed_secret = rows_bytes(arena, &rows, 0, C_SECRET),
            .event_types =
                rows_is_null(&rows, 0, C_EVENT_TYPES) ? STR_EMPTY : str_dup(arena, rows_text(&rows, 0, C_EVENT_TYPES)),
            .delivered_seq = rows_int(&rows, 0, C_DELIVERED_SEQ),
            .failures = rows_int(&rows, 0, C_FAILURES),
        };
    return OK;
}

error
store_webhook_delivered(struct store *store, struct arena *arena, struct webhook_claim *claim, int64_t seq, int status,
                        int64_t lease_s, bool *ret_kept)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, claim->place.organization, claim->place.webhook);
    params_int(&params, P_EPOCH, claim->epoch);
    params_int(&params, P_SEQ, seq);
    if (status == 0)
        params_null(&params, P_STATUS);
    else
        params_int(&params, P_STATUS, status);
    params_int(&params, P_LEASE_S, lease_s);
    TRY(tx_begin(store, arena, claim->place.organization, &tx));
    TRY(tx_query(tx, SQL_WEBHOOK_DELIVERED, &params, &rows, NULL));
    TRY(tx_commit(tx));
    *ret_kept = rows.count > 0;
    if (*ret_kept)
        claim->delivered_seq = seq;
    return OK;
}

static error
add_pause_event(struct tx *tx, struct arena *arena, id organization, str document)
{
    struct event_draft draft = {
        .type = EVENT_WEBHOOK_PAUSED,
        .organization = organization,
        .after = json_parse_own(arena, document),
    };
    return store_event_add_by_worker(tx, &draft);
}

error
store_webhook_failed(struct store *store, struct arena *arena, const struct webhook_claim *claim, int status, str why,
                     int64_t retry_ms, int64_t pause_after_s)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, claim->place.organization, claim->place.webhook);
    params_int(&params, P_EPOCH, claim->epoch);
    if (status == 0)
        params_null(&params, P_STATUS);
    else
        params_int(&params, P_STATUS, status);
    params_text(&params, P_WHY, why);
    params_int(&params, P_RETRY_MS, retry_ms);
    params_int(&params, P_PAUSE_AFTER_S, pause_after_s);
    TRY(tx_begin(store, arena, claim->place.organization, &tx));
    TRY(tx_query(tx, SQL_WEBHOOK_FAILED, &params, &rows, NULL));
    if (rows.count > 0 && rows_bool(&rows, 0, C_IS_PAUSED))
        TRY(add_pause_event(tx, arena, claim->place.organization, rows_text(&rows, 0, C_DOCUMENT)));
    return tx_commit(tx);
}

error
store_webhook_release(struct store *store, struct arena *arena, const struct webhook_claim *claim)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    bind_place(&params, claim->place.organization, claim->place.webhook);
    params_int(&params, P_EPOCH, claim->epoch);
    TRY(tx_begin(store, arena, claim->place.organization, &tx));
    TRY(tx_query(tx, SQL_WEBHOOK_RELEASE, &params, NULL, NULL));
    return tx_commit(tx);
}
