/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/drill.h"

error
store_drills_queue(struct store *store, struct arena *arena, int64_t limit, int *ret_count)
{
    return store_sweep(store, arena, SQL_DRILL_QUEUE, limit, ret_count);
}

error
store_drills_give(struct store *store, struct arena *arena, int *ret_count)
{
    return store_sweep(store, arena, SQL_DRILL_GIVE, 0, ret_count);
}

error
store_drills_give_up(struct store *store, struct arena *arena, int *ret_count)
{
    return store_sweep(store, arena, SQL_DRILL_GIVE_UP, 0, ret_count);
}

error
store_drills_prune(struct store *store, struct arena *arena, int64_t limit, int *ret_count)
{
    return store_sweep(store, arena, SQL_DRILL_PRUNE, limit, ret_count);
}

error
store_drills_untold(struct store *store, struct arena *arena, struct ended_drill ret_drills[DRILLS_MAX],
                    size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, DRILLS_MAX);
    TRY(store_read(store, arena, SQL_DRILL_UNTOLD, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < DRILLS_MAX; i++)
        ret_drills[(*ret_count)++] = (struct ended_drill){ .drill = rows_id(&rows, i, C_DRILL),
                                                           .organization = rows_id(&rows, i, C_ORGANIZATION),
                                                           .project = rows_id(&rows, i, C_PROJECT),
                                                           .cluster = rows_text(&rows, i, C_CLUSTER_NAME),
                                                           .state = rows_text(&rows, i, C_STATE),
                                                           .document = rows_text(&rows, i, C_DOCUMENT) };
    return OK;
}

error
store_drill_tell(struct tx *tx, id project, id drill, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_DRILL, drill);
    TRY(tx_query(tx, SQL_DRILL_TELL, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return OK;
}

error
store_drills_overdue(struct store *store, struct arena *arena, struct overdue_stanza ret_stanzas[DRILLS_MAX],
                     size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, DRILLS_MAX);
    TRY(store_read(store, arena, SQL_DRILL_OVERDUE_LIST, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < DRILLS_MAX; i++)
        ret_stanzas[(*ret_count)++] =
            (struct overdue_stanza){ .stanza = rows_id(&rows, i, C_STANZA),
                                     .organization = rows_id(&rows, i, C_ORGANIZATION),
                                     .project = rows_id(&rows, i, C_PROJECT),
                                     .cluster = rows_text(&rows, i, C_CLUSTER_NAME),
                                     .proven =
                                         rows_is_null(&rows, i, C_PROVEN) ? STR_EMPTY : rows_text(&rows, i, C_PROVEN),
                                     .is_overdue = rows_bool(&rows, i, C_IS_OVERDUE) };
    return OK;
}

error
store_drill_overdue_mark(struct tx *tx, id project, id stanza, bool is_overdue, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_STANZA, stanza);
    params_bool(&params, P_IS_OVERDUE, is_overdue);
    TRY(tx_query(tx, SQL_DRILL_OVERDUE_MARK, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return OK;
}

error
store_drill_add(struct tx *tx, id project, id stanza, id drill, bool *ret_added, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_STANZA, stanza);
    params_id(&params, P_DRILL, drill);
    TRY(tx_query(tx, SQL_DRILL_ADD, &params, &rows, NULL));
    *ret_added = rows.count > 0;
    if (*ret_added)
        *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

error
store_drill_settings(struct tx *tx, id project, str cluster, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_NAME, cluster);
    TRY(tx_query(tx, SQL_DRILL_SETTINGS_GET, &params, &rows, NULL));
    if (rows.count != 1)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_drill_counts(struct store *store, struct arena *arena, struct rows *ret_rows)
{
    struct params params = { 0 };
    return store_read(store, arena, SQL_DRILL_COUNTS, &params, ret_rows);
}
