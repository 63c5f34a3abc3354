/* SPDX-License-Identifier: Apache-2.0 */
#include "store/session/person_mail.h"

error
store_person_mail_add(struct tx *tx, id person, const char *kind, str address)
{
    struct params params = { 0 };
    params_id(&params, P_MAIL, id_new(store_cell(tx_store(tx))));
    params_id(&params, P_PERSON, person);
    params_text(&params, P_KIND, str_from(kind));
    params_text(&params, P_ADDRESS, address);
    return tx_query(tx, SQL_PERSON_MAIL_ADD, &params, NULL, NULL);
}

error
store_person_mail_claim(struct store *store, struct arena *arena, bool *ret_found, struct person_mail *ret_mail)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_PERSON_MAIL_CLAIM, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_mail = (struct person_mail){
            .mail = rows_id(&rows, 0, C_MAIL),
            .kind = rows_text(&rows, 0, C_KIND),
            .address = rows_text(&rows, 0, C_ADDRESS),
            .created = rows_text(&rows, 0, C_CREATED),
            .username = rows_text(&rows, 0, C_USERNAME),
        };
    return tx_commit(tx);
}

error
store_person_mail_done(struct store *store, struct arena *arena, id mail)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    params_id(&params, P_MAIL, mail);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_PERSON_MAIL_DONE, &params, NULL, NULL));
    return tx_commit(tx);
}
