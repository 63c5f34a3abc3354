/* SPDX-License-Identifier: Apache-2.0 */
#include "store/federation/identity_provider.h"

#include "store/federation/federation.h"

static void
bind_place(struct params *params, id organization, id provider)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_PROVIDER, provider);
}

error
store_identity_provider_count(struct tx *tx, id organization, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_IDENTITY_PROVIDER_COUNT, &params, &rows, NULL));
    *ret_count = rows_int(&rows, 0, C_COUNT);
    return OK;
}

error
store_identity_provider_add(struct tx *tx, id organization, id provider, const struct identity_provider_draft *draft)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, organization, provider);
    params_text(&params, P_PROTOCOL, draft->protocol);
    params_text(&params, P_STATUS, draft->status);
    params_text(&params, P_ISSUER, draft->issuer);
    params_text(&params, P_DOMAINS, draft->domains);
    params_text(&params, P_SETTINGS, draft->settings);
    return tx_query(tx, SQL_IDENTITY_PROVIDER_ADD, &params, &rows, NULL);
}

error
store_identity_provider_lock(struct tx *tx, id organization, id provider, str *ret_document, int64_t *ret_revision,
                             str *ret_hidden)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, organization, provider);
    TRY(tx_query(tx, SQL_IDENTITY_PROVIDER_LOCK, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows.count == 0 ? 0 : rows_int(&rows, 0, C_REVISION);
    if (ret_hidden != NULL)
        *ret_hidden = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_HIDDEN);
    return OK;
}

error
store_identity_provider_update(struct tx *tx, id organization, id provider, const struct identity_provider_draft *draft)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, organization, provider);
    params_text(&params, P_STATUS, draft->status);
    params_text(&params, P_ISSUER, draft->issuer);
    params_text(&params, P_DOMAINS, draft->domains);
    params_text(&params, P_SETTINGS, draft->settings);
    return tx_query(tx, SQL_IDENTITY_PROVIDER_UPDATE, &params, &rows, NULL);
}

error
store_identity_provider_delete(struct tx *tx, id organization, id provider, bool *ret_in_use)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    bind_place(&params, organization, provider);
    TRY(tx_query(tx, SQL_IDENTITY_PROVIDER_DELETE, &params, &rows, &violation));
    *ret_in_use = violation.kind == VIOLATION_FOREIGN_KEY;
    if (violation.kind != VIOLATION_NONE && !*ret_in_use)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    return OK;
}

error
store_identity_provider_forget_keys(struct tx *tx, id organization, id provider)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, organization, provider);
    return tx_query(tx, SQL_IDENTITY_PROVIDER_FORGET_KEYS, &params, &rows, NULL);
}

/* ---- For the worker ---- */

error
store_identity_provider_due(struct store *store, struct arena *arena,
                            struct identity_provider_place ret_due[IDENTITY_PROVIDER_DUE_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_IDENTITY_PROVIDER_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < IDENTITY_PROVIDER_DUE_MAX; row++)
        ret_due[(*ret_count)++] =
            (struct identity_provider_place){ rows_id(&rows, row, C_ORGANIZATION), rows_id(&rows, row, C_PROVIDER) };
    return OK;
}

error
store_identity_provider_claim(struct store *store, struct arena *arena, struct identity_provider_place place,
                              bool *ret_claimed, struct identity_provider_claim *ret_claim)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, place.organization, place.provider);
    TRY(tx_begin(store, arena, place.organization, &tx));
    TRY(tx_query(tx, SQL_IDENTITY_PROVIDER_CLAIM, &params, &rows, NULL));
    TRY(tx_commit(tx));
    *ret_claimed = rows.count > 0;
    if (rows.count > 0)
        *ret_claim = (struct identity_provider_claim){
            .place = place,
            .issuer = str_dup(arena, rows_text(&rows, 0, C_ISSUER_URI)),
            .epoch = rows_int(&rows, 0, C_KEYS_EPOCH),
            .federation = rows_id(&rows, 0, C_FEDERATION),
        };
    return OK;
}

static void
bind_claim(struct params *params, const struct identity_provider_claim *claim)
{
    bind_place(params, claim->place.organization, claim->place.provider);
    params_int(params, P_EPOCH, claim->epoch);
}

error
store_identity_provider_fetched(struct store *store, struct arena *arena, const struct identity_provider_claim *claim,
                                str keys, str pages, int64_t again_after_s)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bind_claim(&params, claim);
    params_text(&params, P_KEYS, keys);
    if (pages.len > 0)
        params_text(&params, P_PAGES, pages);
    else
        params_null(&params, P_PAGES);
    params_int(&params, P_AGAIN_AFTER_S, again_after_s);
    TRY(tx_begin(store, arena, claim->place.organization, &tx));
    TRY(tx_query(tx, SQL_IDENTITY_PROVIDER_FETCHED, &params, &rows, NULL));
    if (rows.count > 0 && rows_bool(&rows, 0, C_IS_NEWS))
        TRY(store_federation_changed(tx, claim->federation));
    return tx_commit(tx);
}

error
store_identity_provider_not_fetched(struct store *store, struct arena *arena,
                                    const struct identity_provider_claim *claim, str why)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bind_claim(&params, claim);
    params_text(&params, P_WHY, why);
    TRY(tx_begin(store, arena, claim->place.organization, &tx));
    TRY(tx_query(tx, SQL_IDENTITY_PROVIDER_NOT_FETCHED, &params, &rows, NULL));
    return tx_commit(tx);
}
