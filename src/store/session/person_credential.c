/* SPDX-License-Identifier: Apache-2.0 */
#include "store/session/person_credential.h"

#include "store/auth/principal.h"

/* ---- Passwords ---- */
error
store_password_find(struct store *store, struct arena *arena, str username, struct password_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_USERNAME, username);
    TRY(store_read(store, arena, SQL_PASSWORD_BY_USERNAME, &params, &rows));
    *ret_row = (struct password_row){ .person = ID_NONE };
    if (rows.count > 0)
        *ret_row = (struct password_row){
            .person = rows_id(&rows, 0, C_PERSON),
            .username = rows_text(&rows, 0, C_USERNAME),
            .hash = rows_text(&rows, 0, C_HASH),
            .has_passkey = rows_bool(&rows, 0, C_HAS_PASSKEY),
        };
    return OK;
}

error
store_password_put(struct tx *tx, id person, str hash)
{
    struct params params = { 0 };
    params_id(&params, P_PERSON, person);
    params_text(&params, P_HASH, hash);
    return tx_query(tx, SQL_PASSWORD_PUT, &params, NULL, NULL);
}

static error
lock_person(struct tx *tx, id person)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    TRY(tx_query(tx, SQL_PERSON_LOCK, &params, &rows, NULL));
    return rows.count > 0 ? OK : fail(tx_arena(tx), SESSION_ENDED);
}

error
store_password_remove(struct tx *tx, id person, bool *ret_removed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    TRY(lock_person(tx, person));
    TRY(tx_query(tx, SQL_PASSWORD_REMOVE, &params, &rows, NULL));
    *ret_removed = rows.count > 0;
    return OK;
}

/* ---- Passkeys ---- */
error
store_passkey_list(struct store *store, struct arena *arena, id person, str *ret_list, str *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    TRY(store_read(store, arena, SQL_PASSKEY_LIST, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    *ret_changed = rows_text(&rows, 0, C_CHANGED);
    return OK;
}

error
store_passkey_rename(struct tx *tx, id person, id passkey, str name, bool *ret_found)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    params_id(&params, P_PASSKEY, passkey);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_PASSKEY_RENAME, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    return OK;
}

error
store_passkey_remove(struct tx *tx, id person, id passkey, bool counts_password, enum passkey_removal *ret_outcome,
                     str *ret_name)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    params_id(&params, P_PASSKEY, passkey);
    params_bool(&params, P_COUNTS_PASSWORD, counts_password);
    TRY(lock_person(tx, person));
    TRY(tx_query(tx, SQL_PASSKEY_REMOVE, &params, &rows, NULL));
    *ret_outcome = rows.count == 0                  ? PASSKEY_IS_UNKNOWN
                   : rows_bool(&rows, 0, C_IS_LAST) ? PASSKEY_IS_LAST
                                                    : PASSKEY_REMOVED;
    *ret_name = rows.count > 0 ? rows_text(&rows, 0, C_NAME) : STR_EMPTY;
    return OK;
}

/* ---- Everything ---- */
error
store_person_organizations(struct store *store, struct arena *arena, id person, id provider, size_t *ret_count,
                           const id **ret_organizations)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    params_id_or_null(&params, P_PROVIDER, provider);
    TRY(store_read(store, arena, SQL_PERSON_ORGANIZATIONS, &params, &rows));
    id *list = ARENA_ARRAY(arena, id, (size_t)rows.count + 1);
    if (list == NULL)
        return fail(arena, OVERLOADED);
    for (int row = 0; row < rows.count; row++)
        list[row] = rows_id(&rows, row, C_ORGANIZATION);
    *ret_count = (size_t)rows.count;
    *ret_organizations = list;
    return OK;
}

error
store_session_end_others(struct tx *tx, id person, id kept)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    params_id_or_null(&params, P_SESSION, kept);
    TRY(tx_query(tx, SQL_SESSION_END_OTHERS, &params, &rows, NULL));
    for (int row = 0; row < rows.count; row++)
        TRY(authority_changed(tx, "session", rows_id(&rows, row, C_SESSION)));
    return OK;
}

error
store_credentials_forget(struct tx *tx, id person)
{
    struct params params = { 0 };
    params_id(&params, P_PERSON, person);
    TRY(lock_person(tx, person));
    TRY(tx_query(tx, SQL_CREDENTIAL_FORGET, &params, NULL, NULL));
    return store_session_end_others(tx, person, ID_NONE);
}
