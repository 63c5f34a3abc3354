/* SPDX-License-Identifier: Apache-2.0 */
#include "store/billing/billing.h"

#include "base/json.h"
#include "store/auth/principal.h"
#include "store/event/event.h"

/* ---- For the worker ---- */

error
store_billing_due(struct store *store, struct arena *arena, id after, id ret_due[BILLING_DUE_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id_after(&params, P_AFTER, after);
    TRY(store_read(store, arena, SQL_BILLING_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < BILLING_DUE_MAX; row++)
        ret_due[(*ret_count)++] = rows_id(&rows, row, C_ORGANIZATION);
    return OK;
}

error
store_billing_step(struct tx *tx, id organization, bool *ret_did_something)
{
    enum { SPANS_AT_ONCE = 200 };
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_ID, id_new(store_cell(tx_store(tx))));
    params_int(&params, P_SPANS, SPANS_AT_ONCE);
    TRY(tx_query(tx, SQL_BILLING_STEP, &params, &rows, NULL));
    *ret_did_something = !str_is(rows_text(&rows, 0, C_OUTCOME), "NOTHING");
    if (!str_is(rows_text(&rows, 0, C_OUTCOME), "CLOSED"))
        return OK;
    struct event_draft draft = {
        .type = EVENT_INVOICE_CLOSED,
        .organization = organization,
        .after = json_parse_own(tx_arena(tx), rows_text(&rows, 0, C_INVOICE)),
    };
    return store_event_add_by_worker(tx, &draft);
}

error
store_price_list_set(struct store *store, struct arena *arena, str items, int64_t *ret_changes)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_ITEMS, items);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_PRICE_LIST_SET, &params, &rows, NULL));
    *ret_changes = rows_int(&rows, 0, C_CHANGES);
    return tx_commit(tx);
}

error
store_cost_report_prune(struct store *store, struct arena *arena, int *ret_deleted)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_COST_REPORT_PRUNE, &params, &rows, NULL));
    *ret_deleted = rows.count;
    return tx_commit(tx);
}

/* ---- Reports ---- */

error
store_cost_report_add(struct tx *tx, id organization, const struct cost_report_draft *draft)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_TOKEN, draft->token);
    params_int(&params, P_FROM_MS, draft->from_ms);
    params_int(&params, P_TO_MS, draft->to_ms);
    params_text(&params, P_GROUP_BY, draft->group_by);
    params_text_or_null(&params, P_ORGANIZATIONS, draft->organizations);
    params_text_or_null(&params, P_PROJECTS, draft->projects);
    params_text_or_null(&params, P_CLUSTERS, draft->clusters);
    params_text_or_null(&params, P_SERVICES, draft->services);
    params_bool(&params, P_ONE_IS_ENOUGH, draft->one_is_enough);
    return tx_query(tx, SQL_COST_REPORT_ADD, &params, NULL, NULL);
}

/* ---- For the operator ---- */

error
store_organization_set_lock(struct tx *tx, id organization, const struct event_actor *by, str reason, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text_or_null(&params, P_REASON, reason);
    TRY(tx_query(tx, SQL_ORGANIZATION_SET_LOCK, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    if (!*ret_changed)
        return OK;
    TRY(authority_changed(tx, "org", organization));
    struct event_draft draft = {
        .type = reason.len > 0 ? EVENT_ORGANIZATION_LOCKED : EVENT_ORGANIZATION_UNLOCKED,
        .organization = organization,
        .actor_name = by->name,
        .actor_kind = by->kind,
        .address = by->address,
        .request_id = by->request_id,
        .after = reason.len > 0 ? json_in(tx_arena(tx), json_pack("{s:s%}", "reason", reason.data, reason.len)) : NULL,
    };
    id event;
    return store_event_add(tx, &draft, &event);
}

error
store_organization_locked(struct store *store, struct arena *arena, str *ret_list)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_ORGANIZATION_LOCKED_LIST, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    return OK;
}
