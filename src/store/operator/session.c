/* SPDX-License-Identifier: Apache-2.0 */
#include "store/operator/session.h"

/* ---- Sessions ---- */
error
store_operator_session_add(struct tx *tx, const struct operator_session_draft *draft, str *ret_expires)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SESSION, draft->session);
    params_id(&params, P_OPERATOR_ID, draft->operator_id);
    params_bytes(&params, P_MAC, draft->mac);
    params_text(&params, P_ADDRESS, draft->address);
    params_text(&params, P_BROWSER, draft->browser);
    TRY(tx_query(tx, SQL_OPERATOR_SESSION_ADD, &params, &rows, NULL));
    *ret_expires = rows_text(&rows, 0, C_EXPIRES);
    return OK;
}

error
store_operator_session_load(struct store *store, struct arena *arena, id session, struct operator_session_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SESSION, session);
    TRY(store_read(store, arena, SQL_OPERATOR_SESSION_LOAD, &params, &rows));
    *ret_row = (struct operator_session_row){ .is_found = rows.count > 0 };
    if (rows.count > 0) {
        *ret_row = (struct operator_session_row){
            .is_found = true,
            .operator_id = rows_id(&rows, 0, C_OPERATOR),
            .name = rows_text(&rows, 0, C_NAME),
            .mac = rows_bytes(arena, &rows, 0, C_MAC),
            .verified_ms = rows_int(&rows, 0, C_VERIFIED_MS),
            .is_due = rows_bool(&rows, 0, C_IS_DUE),
        };
    }
    return OK;
}

error
store_operator_session_touch(struct store *store, struct arena *arena, id session)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    params_id(&params, P_SESSION, session);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_OPERATOR_SESSION_TOUCH, &params, NULL, NULL));
    return tx_commit(tx);
}

static error
change(struct tx *tx, enum sql statement, id operator_id, id session, bool *ret_is_there)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SESSION, session);
    params_id(&params, P_OPERATOR_ID, operator_id);
    TRY(tx_query(tx, statement, &params, &rows, NULL));
    *ret_is_there = rows.count > 0;
    return OK;
}

error
store_operator_session_verified(struct tx *tx, id operator_id, id session, bool *ret_is_there)
{
    return change(tx, SQL_OPERATOR_SESSION_VERIFIED, operator_id, session, ret_is_there);
}

error
store_operator_session_end(struct tx *tx, id operator_id, id session, bool *ret_is_there)
{
    return change(tx, SQL_OPERATOR_SESSION_END, operator_id, session, ret_is_there);
}

error
store_operator_session_list(struct store *store, struct arena *arena, id operator_id, str *ret_list)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_OPERATOR_ID, operator_id);
    TRY(store_read(store, arena, SQL_OPERATOR_SESSION_LIST, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    return OK;
}

/* ---- Passkeys ---- */
error
store_operator_passkey_find(struct store *store, struct arena *arena, str credential, struct passkey_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_bytes(&params, P_CREDENTIAL, credential);
    TRY(store_read(store, arena, SQL_OPERATOR_PASSKEY_FIND, &params, &rows));
    *ret_row = (struct passkey_row){ .is_found = rows.count > 0 };
    if (rows.count > 0) {
        *ret_row = (struct passkey_row){
            .is_found = true,
            .passkey = rows_id(&rows, 0, C_PASSKEY),
            .person = rows_id(&rows, 0, C_OPERATOR),
            .username = rows_text(&rows, 0, C_NAME),
            .public_key = rows_bytes(arena, &rows, 0, C_PUBLIC_KEY),
            .counter = rows_int(&rows, 0, C_COUNTER),
        };
    }
    return OK;
}

error
store_operator_passkey_add(struct tx *tx, id operator_id, str credential, str public_key, int64_t counter, str name)
{
    struct params params = { 0 };
    struct violation violation;
    params_id(&params, P_PASSKEY, id_new(store_cell(tx_store(tx))));
    params_id(&params, P_OPERATOR_ID, operator_id);
    params_bytes(&params, P_CREDENTIAL, credential);
    params_bytes(&params, P_PUBLIC_KEY, public_key);
    params_int(&params, P_COUNTER, counter);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_OPERATOR_PASSKEY_ADD, &params, NULL, &violation));
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), SIGN_IN_REFUSED, V("the key is enrolled already"));
    return violation.kind == VIOLATION_NONE ? OK : fail(tx_arena(tx), INTERNAL_ERROR);
}

error
store_operator_passkey_used(struct tx *tx, const struct passkey_row *row, int64_t counter, bool *ret_counts)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PASSKEY, row->passkey);
    params_id(&params, P_OPERATOR_ID, row->person);
    params_int(&params, P_COUNTER, counter);
    TRY(tx_query(tx, SQL_OPERATOR_PASSKEY_USED, &params, &rows, NULL));
    *ret_counts = rows.count > 0;
    return OK;
}

/* ---- The first passkey ---- */
error
store_operator_enrolment_add(struct tx *tx, str name, str mac, int64_t hours, enum enrolment_outcome *ret_outcome,
                             str *ret_expires)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_NAME, name);
    params_bytes(&params, P_MAC, mac);
    params_int(&params, P_HOURS, hours);
    TRY(tx_query(tx, SQL_OPERATOR_ENROLMENT_ADD, &params, &rows, NULL));
    *ret_outcome = rows.count == 0                      ? ENROLMENT_NOBODY
                   : rows_bool(&rows, 0, C_IS_ENROLLED) ? ENROLMENT_HAS_ONE
                                                        : ENROLMENT_MADE;
    *ret_expires = *ret_outcome == ENROLMENT_MADE ? rows_text(&rows, 0, C_EXPIRES) : STR_EMPTY;
    return OK;
}

error
store_operator_enrolment_find(struct store *store, struct arena *arena, str mac, id *ret_operator, str *ret_name)
{
    struct params params = { 0 };
    struct rows rows;
    params_bytes(&params, P_MAC, mac);
    TRY(store_read(store, arena, SQL_OPERATOR_ENROLMENT_BY_TOKEN, &params, &rows));
    *ret_operator = rows.count == 0 ? ID_NONE : rows_id(&rows, 0, C_OPERATOR);
    *ret_name = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_NAME);
    return OK;
}

error
store_operator_enrolment_use(struct tx *tx, id operator_id, str mac, bool *ret_used)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_OPERATOR_ID, operator_id);
    params_bytes(&params, P_MAC, mac);
    TRY(tx_query(tx, SQL_OPERATOR_ENROLMENT_USE, &params, &rows, NULL));
    *ret_used = rows.count > 0;
    return OK;
}
