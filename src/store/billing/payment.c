/* SPDX-License-Identifier: Apache-2.0 */
#include "store/billing/payment.h"

#include "base/json.h"
#include "store/auth/principal.h"
#include "store/event/event.h"
#include "store/tenant/organization.h"

error
store_payment_due(struct store *store, struct arena *arena, id after, int64_t days, id ret_due[PAYMENT_DUE_MAX],
                  size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id_after(&params, P_AFTER, after);
    params_int(&params, P_DAYS, days);
    TRY(store_read(store, arena, SQL_PAYMENT_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < PAYMENT_DUE_MAX; row++)
        ret_due[(*ret_count)++] = rows_id(&rows, row, C_ORGANIZATION);
    return OK;
}

/* The organization's row is locked by a statement of its own: the one that judges then sees all that was paid before. */
static error
judge(struct tx *tx, id organization, const struct event_actor *by, int64_t days, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_int(&params, P_DAYS, days);
    TRY(tx_query(tx, SQL_PAYMENT_JUDGE, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    if (!*ret_changed)
        return OK;
    TRY(authority_changed(tx, "org", organization));
    bool locks = !rows_is_null(&rows, 0, C_LOCK_REASON);
    str reason = rows_text(&rows, 0, C_LOCK_REASON);
    struct event_draft draft = {
        .type = locks ? EVENT_ORGANIZATION_LOCKED : EVENT_ORGANIZATION_UNLOCKED,
        .organization = organization,
        .actor_name = by->name,
        .actor_kind = by->kind,
        .address = by->address,
        .request_id = by->request_id,
        .after = locks ? json_in(tx_arena(tx), json_pack("{s:s%}", "reason", reason.data, reason.len)) : NULL,
    };
    id event;
    return store_event_add(tx, &draft, &event);
}

error
store_payment_judge(struct tx *tx, id organization, int64_t days, bool *ret_changed)
{
    struct organization unused;
    TRY(store_organization_lock(tx, organization, &unused));
    static const struct event_actor worker = { .name = { "worker", 6 }, .kind = { "SERVICE", 7 } };
    return judge(tx, organization, &worker, days, ret_changed);
}

/* ---- For the operator ---- */

error
store_payment_owner(struct store *store, struct arena *arena, id invoice, id *ret_organization)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_INVOICE, invoice);
    TRY(store_read(store, arena, SQL_PAYMENT_OWNER, &params, &rows));
    if (rows.count == 0)
        return fail(arena, RESOURCE_NOT_FOUND, V(str_format(arena, "invoice %s", id_text(arena, invoice).data)));
    *ret_organization = rows_id(&rows, 0, C_ORGANIZATION);
    return OK;
}

/* What the operator did, then what comes of it. */
static error
note(struct tx *tx, id organization, const struct event_actor *by, enum event_type type, json_t *facts, int64_t days)
{
    id event;
    bool changed;
    struct event_draft draft = {
        .type = type,
        .organization = organization,
        .actor_name = by->name,
        .actor_kind = by->kind,
        .address = by->address,
        .request_id = by->request_id,
        .after = json_in(tx_arena(tx), facts),
    };
    TRY(store_event_add(tx, &draft, &event));
    return judge(tx, organization, by, days, &changed);
}

error
store_payment_add(struct tx *tx, id organization, const struct event_actor *by, id invoice, str text, int64_t days,
                  bool *ret_changed)
{
    struct organization unused;
    struct params params = { 0 };
    struct rows rows;
    TRY(store_organization_lock(tx, organization, &unused));
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_INVOICE, invoice);
    params_text(&params, P_TEXT, text);
    TRY(tx_query(tx, SQL_PAYMENT_ADD, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    if (!*ret_changed)
        return OK;
    json_t *facts =
        json_pack("{s:s,s:s%}", "invoiceId", id_text(tx_arena(tx), invoice).data, "note", text.data, text.len);
    return note(tx, organization, by, EVENT_INVOICE_PAID, facts, days);
}

error
store_payment_agree(struct tx *tx, id organization, const struct event_actor *by, int64_t until_ms, int64_t days,
                    bool *ret_changed)
{
    struct organization unused;
    struct params params = { 0 };
    struct rows rows;
    TRY(store_organization_lock(tx, organization, &unused));
    params_id(&params, P_ORGANIZATION, organization);
    if (until_ms > 0)
        params_int(&params, P_UNTIL_MS, until_ms);
    else
        params_null(&params, P_UNTIL_MS);
    TRY(tx_query(tx, SQL_PAYMENT_AGREE, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    if (!*ret_changed)
        return OK;
    str until = rows_text(&rows, 0, C_UNTIL);
    json_t *facts = until_ms > 0 ? json_pack("{s:s%}", "until", until.data, until.len) : json_pack("{s:n}", "until");
    return note(tx, organization, by, EVENT_PAYMENT_AGREED, facts, days);
}

error
store_payment_unpaid(struct store *store, struct arena *arena, int64_t days, str *ret_list)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_DAYS, days);
    TRY(store_read(store, arena, SQL_PAYMENT_UNPAID_LIST, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    return OK;
}
