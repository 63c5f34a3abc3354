/* SPDX-License-Identifier: Apache-2.0 */
#include "store/identity/security_notice.h"

error
store_security_notice_claim(struct store *store, struct arena *arena, bool *ret_found,
                            struct security_notice *ret_notice)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_SECURITY_NOTICE_CLAIM, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_notice = (struct security_notice){
            .organization = rows_id(&rows, 0, C_ORGANIZATION),
            .recipient = rows_text(&rows, 0, C_RECIPIENT),
            .told_seq = rows_int(&rows, 0, C_TOLD_SEQ),
            .last_seq = rows_int(&rows, 0, C_LAST_SEQ),
        };
    return tx_commit(tx);
}

error
store_security_notice_events(struct store *store, struct arena *arena, const struct security_notice *notice,
                             int64_t limit, struct security_events *ret_events)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, notice->organization);
    params_int(&params, P_FROM_SEQ, notice->told_seq);
    params_int(&params, P_LAST_SEQ, notice->last_seq);
    params_int(&params, P_LIMIT, limit);
    TRY(store_read(store, arena, SQL_SECURITY_NOTICE_EVENTS, &params, &rows));
    *ret_events = (struct security_events){ 0 };
    if (rows.count > 0)
        *ret_events = (struct security_events){
            .organization = rows_text(&rows, 0, C_NAME),
            .lines = rows_text(&rows, 0, C_LINES),
            .count = rows_int(&rows, 0, C_COUNT),
        };
    return OK;
}

error
store_security_notice_told(struct store *store, struct arena *arena, const struct security_notice *notice)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, notice->organization);
    params_text(&params, P_RECIPIENT, notice->recipient);
    params_int(&params, P_LAST_SEQ, notice->last_seq);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_SECURITY_NOTICE_TOLD, &params, NULL, NULL));
    return tx_commit(tx);
}
