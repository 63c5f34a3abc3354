/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/snapshot.h"

error
store_stanza_lock(struct tx *tx, id project, id cluster, bool *ret_found, struct open_stanza *ret_stanza)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CLUSTER, cluster);
    TRY(tx_query(tx, SQL_BACKUP_STANZA_LOCK, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_stanza =
            (struct open_stanza){ .id = rows_id(&rows, 0, C_STANZA), .is_busy = rows_bool(&rows, 0, C_IS_BUSY) };
    return OK;
}

error
store_snapshot_add(struct tx *tx, const struct snapshot_draft *draft)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, draft->project);
    params_id(&params, P_STANZA, draft->stanza);
    params_id(&params, P_SNAPSHOT, draft->id);
    params_text_or_null(&params, P_DESCRIPTION, draft->description);
    params_int(&params, P_EXPIRES_MS, draft->expires_ms);
    TRY(tx_query(tx, SQL_SNAPSHOT_ADD, &params, &rows, NULL));
    return rows.count == 1 ? OK : fail(tx_arena(tx), CONCURRENT_CHANGE, V("backups"));
}

static void
bind_place(struct params *params, const struct snapshot_place *place)
{
    params_id(params, P_PROJECT, place->project);
    params_text(params, P_KIND, place->kind);
    params_text(params, P_NAME, place->cluster);
    params_id(params, P_SNAPSHOT, place->snapshot);
    params_text(params, P_FORM, place->form);
}

error
store_snapshot_get(struct tx *tx, const struct snapshot_place *place, struct snapshot *ret_snapshot)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, place);
    TRY(tx_query(tx, SQL_SNAPSHOT_GET, &params, &rows, NULL));
    if (rows.count != 1)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    *ret_snapshot =
        (struct snapshot){ .document = rows_text(&rows, 0, C_DOCUMENT), .revision = rows_int(&rows, 0, C_REVISION) };
    return OK;
}

error
store_snapshot_lock(struct tx *tx, const struct snapshot_place *place, bool *ret_found, struct snapshot *ret_snapshot)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, place);
    TRY(tx_query(tx, SQL_SNAPSHOT_LOCK, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_snapshot =
            (struct snapshot){ .document = rows_text(&rows, 0, C_DOCUMENT),
                               .revision = rows_int(&rows, 0, C_REVISION),
                               .protected_ms =
                                   rows_is_null(&rows, 0, C_PROTECTED_MS) ? 0 : rows_int(&rows, 0, C_PROTECTED_MS) };
    return OK;
}

error
store_snapshot_keep(struct tx *tx, id project, id snapshot, int64_t expires_ms, bool *ret_kept)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_SNAPSHOT, snapshot);
    if (expires_ms == 0)
        params_null(&params, P_EXPIRES_MS);
    else
        params_int(&params, P_EXPIRES_MS, expires_ms);
    TRY(tx_query(tx, SQL_SNAPSHOT_KEEP, &params, &rows, NULL));
    *ret_kept = rows.count > 0;
    return OK;
}

error
store_snapshot_hide(struct tx *tx, id project, id snapshot, bool *ret_hidden)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_SNAPSHOT, snapshot);
    TRY(tx_query(tx, SQL_SNAPSHOT_HIDE, &params, &rows, NULL));
    *ret_hidden = rows.count > 0;
    return OK;
}

static void
bind_schedule(struct params *params, id project, id cluster, str schedule)
{
    params_id(params, P_PROJECT, project);
    params_id(params, P_CLUSTER, cluster);
    params_text(params, P_SCHEDULE, schedule);
}

error
store_snapshots_keep_by_schedule(struct tx *tx, id project, id cluster, str schedule)
{
    struct params params = { 0 };
    struct rows rows;
    bind_schedule(&params, project, cluster, schedule);
    return tx_query(tx, SQL_SNAPSHOT_KEEP_BY_SCHEDULE, &params, &rows, NULL);
}

error
store_snapshots_hide_without_rule(struct tx *tx, id project, id cluster, str schedule)
{
    struct params params = { 0 };
    struct rows rows;
    bind_schedule(&params, project, cluster, schedule);
    return tx_query(tx, SQL_SNAPSHOT_HIDE_WITHOUT_RULE, &params, &rows, NULL);
}

error
store_snapshots_protect(struct tx *tx, id project)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    return tx_query(tx, SQL_SNAPSHOT_PROTECT, &params, &rows, NULL);
}
