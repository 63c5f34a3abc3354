/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that a person lets in: what people typed, what became of it, and the session that comes of it. */
#include "store/session/session.h"

error
store_device_claim(struct store *store, struct arena *arena, id person, id session, struct device_claim *ret_claim)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SESSION, session);
    params_id(&params, P_PERSON, person);
    TRY(store_read(store, arena, SQL_DEVICE_CLAIM_OF_SESSION, &params, &rows));
    *ret_claim = (struct device_claim){ .is_there = rows.count > 0 };
    if (rows.count > 0) {
        *ret_claim = (struct device_claim){
            .is_there = true,
            .user_code = rows_text(&rows, 0, C_USER_CODE),
            .state = rows_text(&rows, 0, C_STATE),
            .device = rows_text(&rows, 0, C_DEVICE),
            .host = rows_text(&rows, 0, C_HOST),
            .address = rows_text(&rows, 0, C_ADDRESS),
            .asked = rows_text(&rows, 0, C_ASKED),
        };
    }
    return OK;
}

error
store_device_claim_put(struct tx *tx, id person, id session, str user_code, bool *ret_put)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_SESSION, session);
    params_id(&params, P_PERSON, person);
    params_text(&params, P_USER_CODE, user_code);
    params_int(&params, P_MOST, DEVICE_CODES_IN_A_SESSION);
    TRY(tx_query(tx, SQL_DEVICE_CLAIM_PUT, &params, &rows, &violation));
    if (violation.kind != VIOLATION_NONE) /* the session ended at this moment */
        return fail(tx_arena(tx), SESSION_ENDED);
    *ret_put = rows.count > 0;
    return OK;
}

error
store_device_decide(struct tx *tx, id person, id session, str device, bool approved, bool *ret_decided)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SESSION, session);
    params_id(&params, P_PERSON, person);
    params_bytes(&params, P_DEVICE, device);
    params_text(&params, P_STATE, approved ? STR("APPROVED") : STR("DENIED"));
    TRY(tx_query(tx, SQL_DEVICE_CLAIM_DECIDE, &params, &rows, NULL));
    *ret_decided = rows.count > 0;
    return OK;
}

error
store_device_fate(struct store *store, struct arena *arena, str user_code, str device, enum device_fate *ret_fate)
{
    static const struct {
        const char *state;
        enum device_fate fate;
    } fates[] = { { "LOOKING", DEVICE_LOOKED_FOR },
                  { "FOUND", DEVICE_SEEN },
                  { "APPROVED", DEVICE_APPROVED },
                  { "DENIED", DEVICE_DENIED } };
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_USER_CODE, user_code);
    params_bytes(&params, P_DEVICE, device);
    TRY(store_read(store, arena, SQL_DEVICE_STATE, &params, &rows));
    *ret_fate = rows_bool(&rows, 0, C_IS_USED) ? DEVICE_USED : DEVICE_UNKNOWN;
    str state = rows_text(&rows, 0, C_STATE);
    for (size_t i = 0; i < LENGTH(fates); i++) {
        /* Whoever refused it wants it to know; everything else does not count for a code that was used. */
        if (str_is(state, fates[i].state) && (*ret_fate != DEVICE_USED || fates[i].fate == DEVICE_DENIED))
            *ret_fate = fates[i].fate;
    }
    return OK;
}

error
store_device_met(struct tx *tx, str user_code, str device, str host, str address, int64_t asked_at_s)
{
    struct params params = { 0 };
    params_text(&params, P_USER_CODE, user_code);
    params_bytes(&params, P_DEVICE, device);
    params_text(&params, P_HOST, host);
    params_text(&params, P_ADDRESS, address);
    params_int(&params, P_ASKED_AT_S, asked_at_s);
    return tx_query(tx, SQL_DEVICE_MET, &params, NULL, NULL);
}

error
store_device_session_add(struct tx *tx, const struct session_draft *draft, str device, int64_t *ret_lasts_s)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SESSION, draft->session);
    params_bytes(&params, P_DEVICE, device);
    params_bytes(&params, P_MAC, draft->mac);
    params_int(&params, P_PEPPER_VERSION, draft->pepper_version);
    params_text(&params, P_ADDRESS, draft->address);
    params_text(&params, P_BROWSER, draft->browser);
    TRY(tx_query(tx, SQL_DEVICE_SESSION_ADD, &params, &rows, NULL));
    *ret_lasts_s = rows.count == 0 ? 0 : rows_int(&rows, 0, C_LASTS_S);
    return OK;
}
