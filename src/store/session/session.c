/* SPDX-License-Identifier: Apache-2.0 */
#include "store/session/session.h"

#include "store/auth/principal.h"

/* ---- Sessions ---- */
error
store_session_add(struct tx *tx, const struct session_draft *draft, str *ret_expires)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SESSION, draft->session);
    params_id(&params, P_PERSON, draft->person);
    params_bytes(&params, P_MAC, draft->mac);
    params_int(&params, P_PEPPER_VERSION, draft->pepper_version);
    params_text(&params, P_ADDRESS, draft->address);
    params_text(&params, P_BROWSER, draft->browser);
    params_bool(&params, P_IS_VERIFIED, draft->is_verified);
    params_id_or_null(&params, P_PROVIDER, draft->provider);
    params_int(&params, P_EPOCH, draft->provider_epoch);
    TRY(tx_query(tx, SQL_SESSION_ADD, &params, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), SIGN_IN_REFUSED, V("the identity provider was changed meanwhile"));
    *ret_expires = rows_text(&rows, 0, C_EXPIRES);
    return OK;
}

error
store_session_touch(struct store *store, struct arena *arena, id session)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    params_id(&params, P_SESSION, session);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_SESSION_TOUCH, &params, NULL, NULL));
    return tx_commit(tx);
}

/* What nodes know about a session is not true any more, if there was one. */
static error
change_session(struct tx *tx, enum sql statement, struct params *params, id person, id session, bool *ret_changed)
{
    struct rows rows;
    params_id(params, P_SESSION, session);
    params_id(params, P_PERSON, person);
    TRY(tx_query(tx, statement, params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return rows.count > 0 ? authority_changed(tx, "session", session) : OK;
}

error
store_session_verified(struct tx *tx, id person, id session)
{
    bool changed;
    struct params params = { 0 };
    TRY(change_session(tx, SQL_SESSION_VERIFIED, &params, person, session, &changed));
    return changed ? OK : fail(tx_arena(tx), SESSION_ENDED);
}

error
store_session_end(struct tx *tx, id person, id session, id provider, bool *ret_ended)
{
    struct params params = { 0 };
    params_id_or_null(&params, P_PROVIDER, provider);
    return change_session(tx, SQL_SESSION_END, &params, person, session, ret_ended);
}

error
store_session_list(struct store *store, struct arena *arena, id person, id provider, str *ret_list)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    params_id_or_null(&params, P_PROVIDER, provider);
    TRY(store_read(store, arena, SQL_SESSION_LIST, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    return OK;
}

/* ---- Passkeys ---- */
error
store_passkey_find(struct store *store, struct arena *arena, str credential, struct passkey_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_bytes(&params, P_CREDENTIAL, credential);
    TRY(store_read(store, arena, SQL_PASSKEY_BY_CREDENTIAL, &params, &rows));
    *ret_row = (struct passkey_row){ .is_found = rows.count > 0 };
    if (rows.count > 0) {
        *ret_row = (struct passkey_row){
            .is_found = true,
            .passkey = rows_id(&rows, 0, C_PASSKEY),
            .person = rows_id(&rows, 0, C_PERSON),
            .username = rows_text(&rows, 0, C_USERNAME),
            .public_key = rows_bytes(arena, &rows, 0, C_PUBLIC_KEY),
            .counter = rows_int(&rows, 0, C_COUNTER),
        };
    }
    return OK;
}

error
store_passkey_add(struct tx *tx, id person, str credential, str public_key, int64_t counter, str name)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_PASSKEY, id_new(store_cell(tx_store(tx))));
    params_id(&params, P_PERSON, person);
    params_bytes(&params, P_CREDENTIAL, credential);
    params_bytes(&params, P_PUBLIC_KEY, public_key);
    params_int(&params, P_COUNTER, counter);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_PASSKEY_ADD, &params, &rows, &violation));
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), SIGN_IN_REFUSED, V("the key is enrolled already"));
    if (violation.kind != VIOLATION_NONE)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    return rows.count > 0 ? OK : fail(tx_arena(tx), SIGN_IN_REFUSED, V("this person has too many passkeys"));
}

error
store_passkey_used(struct tx *tx, const struct passkey_row *row, int64_t counter, bool *ret_counts)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PASSKEY, row->passkey);
    params_id(&params, P_PERSON, row->person);
    params_int(&params, P_COUNTER, counter);
    TRY(tx_query(tx, SQL_PASSKEY_USED, &params, &rows, NULL));
    *ret_counts = rows.count > 0;
    return OK;
}

/* ---- The first passkey or password ---- */
error
store_enrolment_add(struct tx *tx, const struct enrolment_draft *draft, enum enrolment_outcome *ret_outcome,
                    str *ret_expires)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_USERNAME, draft->username);
    params_bytes(&params, P_MAC, draft->mac);
    params_int(&params, P_PEPPER_VERSION, draft->pepper_version);
    params_int(&params, P_HOURS, draft->hours);
    params_bool(&params, P_RECOVERS, draft->recovers);
    TRY(tx_query(tx, SQL_ENROLMENT_ADD, &params, &rows, NULL));
    *ret_outcome = rows.count == 0                     ? ENROLMENT_NOBODY
                   : rows_is_null(&rows, 0, C_EXPIRES) ? ENROLMENT_HAS_ONE
                                                       : ENROLMENT_MADE;
    *ret_expires = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_EXPIRES);
    return OK;
}

error
store_enrolment_find(struct store *store, struct arena *arena, str mac, struct enrolment *ret_enrolment)
{
    struct params params = { 0 };
    struct rows rows;
    params_bytes(&params, P_MAC, mac);
    TRY(store_read(store, arena, SQL_ENROLMENT_BY_TOKEN, &params, &rows));
    *ret_enrolment = (struct enrolment){ .person = ID_NONE, .mac = mac };
    if (rows.count > 0) {
        ret_enrolment->person = rows_id(&rows, 0, C_PERSON);
        ret_enrolment->username = rows_text(&rows, 0, C_USERNAME);
        ret_enrolment->recovers = rows_bool(&rows, 0, C_IS_RECOVERY);
    }
    return OK;
}

error
store_enrolment_use(struct tx *tx, const struct enrolment *enrolment, bool *ret_used, bool *ret_recovers)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, enrolment->person);
    params_bytes(&params, P_MAC, enrolment->mac);
    TRY(tx_query(tx, SQL_ENROLMENT_USE, &params, &rows, NULL));
    *ret_used = rows.count > 0;
    *ret_recovers = rows.count > 0 && rows_bool(&rows, 0, C_IS_RECOVERY);
    return OK;
}

/* ---- Challenges ---- */
error
store_challenge_use(struct tx *tx, str challenge, int64_t expires_at_s, bool *ret_is_first)
{
    struct params params = { 0 };
    struct rows rows;
    params_bytes(&params, P_CHALLENGE, challenge);
    params_int(&params, P_EXPIRES_AT_S, expires_at_s);
    TRY(tx_query(tx, SQL_CHALLENGE_USE, &params, &rows, NULL));
    *ret_is_first = rows.count > 0;
    return OK;
}
