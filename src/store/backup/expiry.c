/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/expiry.h"

#define LATE "LATE"

error
store_snapshots_expire(struct store *store, struct arena *arena, int64_t limit, int *ret_count)
{
    return store_sweep(store, arena, SQL_SNAPSHOT_EXPIRE, limit, ret_count);
}

error
store_snapshot_copies_release(struct store *store, struct arena *arena, int64_t limit, int *ret_count)
{
    return store_sweep(store, arena, SQL_SNAPSHOT_COPY_RELEASE, limit, ret_count);
}

error
store_snapshots_prune(struct store *store, struct arena *arena, int64_t limit, int *ret_count)
{
    return store_sweep(store, arena, SQL_SNAPSHOT_PRUNE, limit, ret_count);
}

error
store_backup_unprotected(struct store *store, struct arena *arena,
                         struct backup_project ret_projects[BACKUP_PROJECTS_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_BACKUP_UNPROTECTED, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < BACKUP_PROJECTS_MAX; i++)
        ret_projects[(*ret_count)++] = (struct backup_project){ .organization = rows_id(&rows, i, C_ORGANIZATION),
                                                                .project = rows_id(&rows, i, C_PROJECT) };
    return OK;
}

error
store_backup_schedules_walk(struct store *store, struct arena *arena, id after,
                            struct walked_schedule ret_schedules[BACKUP_WALK_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id_after(&params, P_AFTER, after);
    params_int(&params, P_LIMIT, BACKUP_WALK_MAX);
    TRY(store_read(store, arena, SQL_BACKUP_SCHEDULE_WALK, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < BACKUP_WALK_MAX; i++)
        ret_schedules[(*ret_count)++] = (struct walked_schedule){ .stanza = rows_id(&rows, i, C_STANZA),
                                                                  .organization = rows_id(&rows, i, C_ORGANIZATION),
                                                                  .project = rows_id(&rows, i, C_PROJECT),
                                                                  .name = rows_text(&rows, i, C_NAME),
                                                                  .cluster = rows_text(&rows, i, C_CLUSTER_NAME),
                                                                  .document = rows_text(&rows, i, C_DOCUMENT),
                                                                  .is_late = str_is(rows_text(&rows, i, C_STATE), LATE),
                                                                  .newest_ms = rows_int(&rows, i, C_NEWEST_MS) };
    return OK;
}

error
store_backup_schedule_mark(struct tx *tx, id project, str name, bool is_late, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_NAME, name);
    params_text(&params, P_STATE, is_late ? STR(LATE) : STR_EMPTY);
    TRY(tx_query(tx, SQL_BACKUP_SCHEDULE_MARK, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return OK;
}
