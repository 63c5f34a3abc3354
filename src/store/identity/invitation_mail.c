/* SPDX-License-Identifier: Apache-2.0 */
#include "store/identity/invitation_mail.h"

error
store_invitation_mails_due(struct store *store, struct arena *arena,
                           struct invitation_place ret_due[INVITATION_MAILS_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_INVITATION_MAIL_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < INVITATION_MAILS_MAX; row++)
        ret_due[(*ret_count)++] =
            (struct invitation_place){ rows_id(&rows, row, C_ORGANIZATION), rows_id(&rows, row, C_INVITATION) };
    return OK;
}

error
store_invitation_mail_claim(struct store *store, struct arena *arena, struct invitation_place at, int64_t lease_ms,
                            bool *ret_claimed, struct invitation_mail *ret_mail)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, at.organization);
    params_id(&params, P_INVITATION, at.invitation);
    params_int(&params, P_LEASE_MS, lease_ms);
    *ret_claimed = false;
    TRY(tx_begin(store, arena, at.organization, &tx));
    TRY(tx_query(tx, SQL_INVITATION_MAIL_CLAIM, &params, &rows, NULL));
    if (rows.count == 0)
        return OK;
    struct invitation_mail mail = {
        .at = at,
        .tries = rows_int(&rows, 0, C_MAIL_TRIES),
        .username = str_dup(arena, rows_text(&rows, 0, C_USERNAME)),
        .inviter = str_dup(arena, rows_text(&rows, 0, C_INVITER_NAME)),
        .organization_name = str_dup(arena, rows_text(&rows, 0, C_NAME)),
        .expires_at = str_dup(arena, rows_text(&rows, 0, C_EXPIRES_AT)),
        .sealed_token = rows_bytes(arena, &rows, 0, C_SEALED_TOKEN),
    };
    TRY(tx_commit(tx));
    *ret_mail = mail;
    *ret_claimed = true;
    return OK;
}

static error
note(struct store *store, struct arena *arena, enum sql statement, const struct invitation_mail *mail,
     struct params *params)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct rows rows;
    TRY(tx_begin(store, arena, mail->at.organization, &tx));
    TRY(tx_query(tx, statement, params, &rows, NULL));
    return tx_commit(tx);
}

static void
bind(struct params *params, const struct invitation_mail *mail)
{
    params_id(params, P_ORGANIZATION, mail->at.organization);
    params_id(params, P_INVITATION, mail->at.invitation);
    params_int(params, P_TRIES, mail->tries);
}

error
store_invitation_mailed(struct store *store, struct arena *arena, const struct invitation_mail *mail)
{
    struct params params = { 0 };
    bind(&params, mail);
    return note(store, arena, SQL_INVITATION_MAILED, mail, &params);
}

error
store_invitation_not_mailed(struct store *store, struct arena *arena, const struct invitation_mail *mail, str why,
                            int64_t retry_ms)
{
    struct params params = { 0 };
    bind(&params, mail);
    params_text(&params, P_WHY, why);
    if (retry_ms < 0)
        params_null(&params, P_RETRY_MS);
    else
        params_int(&params, P_RETRY_MS, retry_ms);
    return note(store, arena, SQL_INVITATION_NOT_MAILED, mail, &params);
}

error
store_invitation_list_all(struct store *store, struct arena *arena, str *ret_list)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_INVITATION_LIST_ALL, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    return OK;
}

error
store_invitation_sealed_token(struct store *store, struct arena *arena, id invitation, bool *ret_found, str *ret_sealed,
                              str *ret_username)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_INVITATION, invitation);
    TRY(store_read(store, arena, SQL_INVITATION_SEALED_TOKEN, &params, &rows));
    *ret_found = rows.count == 1;
    if (*ret_found) {
        *ret_sealed = rows_bytes(arena, &rows, 0, C_SEALED_TOKEN);
        *ret_username = rows_text(&rows, 0, C_USERNAME);
    }
    return OK;
}
