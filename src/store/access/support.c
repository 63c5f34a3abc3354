/* SPDX-License-Identifier: Apache-2.0 */
#include "store/access/support.h"

#include "base/json.h"
#include "store/access/access.h"

error
store_support_end(struct tx *tx, const struct support_ended *which, const struct event_draft *by, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    int64_t generation;
    id unused;
    params_id(&params, P_PROJECT, which->project);
    if (id_is_there(which->cluster))
        params_id(&params, P_CLUSTER, which->cluster);
    else
        params_null(&params, P_CLUSTER);
    if (id_is_there(which->session))
        params_id(&params, P_SESSION, which->session);
    else
        params_null(&params, P_SESSION);
    TRY(tx_query(tx, SQL_SUPPORT_SESSION_END, &params, &rows, NULL));
    *ret_count = (size_t)rows.count;
    if (rows.count == 0)
        return OK;
    TRY(store_access_touch(tx, which->project, &generation));
    for (int i = 0; i < rows.count; i++) {
        struct event_draft draft = *by;
        draft.type = EVENT_SUPPORT_SESSION_CLOSED;
        draft.organization = which->organization;
        draft.project = which->project;
        draft.cluster = rows_text(&rows, i, C_CLUSTER);
        draft.before = json_parse_own(tx_arena(tx), rows_text(&rows, i, C_DOCUMENT));
        TRY(store_event_add(tx, &draft, &unused));
    }
    return OK;
}
