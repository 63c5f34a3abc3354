/* SPDX-License-Identifier: Apache-2.0 */
#include "store/monitor/monitor.h"

/* ---- Whose points they are ---- */
error
store_monitor_owners(struct store *store, struct arena *arena, id host, struct monitored_member **ret_members,
                     size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    TRY(store_read(store, arena, SQL_MONITOR_OWNER_LIST, &params, &rows));
    struct monitored_member *members = ARENA_ARRAY(arena, struct monitored_member, (size_t)rows.count + 1);
    if (members == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        members[i] = (struct monitored_member){ .member = rows_id(&rows, i, C_MEMBER),
                                                .cluster = rows_id(&rows, i, C_CLUSTER),
                                                .project = rows_id(&rows, i, C_PROJECT) };
    *ret_members = members;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_process_find(struct store *store, struct arena *arena, id project, str process, id *ret_member)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_PROCESS, process);
    TRY(store_read(store, arena, SQL_PROCESS_GET, &params, &rows));
    *ret_member = rows.count == 0 ? ID_NONE : rows_id(&rows, 0, C_MEMBER);
    return OK;
}

error
store_monitor_clusters(struct store *store, struct arena *arena, id project, struct monitored_cluster **ret_clusters,
                       size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(store_read(store, arena, SQL_MONITOR_CLUSTER_LIST, &params, &rows));
    struct monitored_cluster *clusters = ARENA_ARRAY(arena, struct monitored_cluster, (size_t)rows.count + 1);
    if (clusters == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        clusters[i] = (struct monitored_cluster){ rows_id(&rows, i, C_CLUSTER), rows_text(&rows, i, C_NAME) };
    *ret_clusters = clusters;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_monitor_late(struct store *store, struct arena *arena, id host, str hours)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_text(&params, P_HOURS, hours);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_MONITOR_LATE_MARK, &params, &rows, NULL));
    return tx_commit(tx);
}

/* ---- Hours and days ---- */
static const enum sql lists[] = { [MONITOR_HOURS] = SQL_MONITOR_HOUR_LIST, [MONITOR_DAYS] = SQL_MONITOR_DAY_LIST };

error
store_monitor_list(struct store *store, struct arena *arena, enum monitor_span span, id project,
                   const struct monitor_row_of *of, str numbers, int64_t from_ms, int64_t to_ms, struct rows *ret_rows)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_MEMBER, of->member);
    params_text(&params, P_SCOPE, of->scope);
    params_text(&params, P_NAME, of->name);
    params_text(&params, P_NUMBERS, numbers);
    params_int(&params, P_FROM_MS, from_ms);
    params_int(&params, P_TO_MS, to_ms);
    return store_read(store, arena, lists[span], &params, ret_rows);
}

static const enum sql ranks[] = { [MONITOR_HOURS] = SQL_MONITOR_HOUR_RANK, [MONITOR_DAYS] = SQL_MONITOR_DAY_RANK };

error
store_monitor_rank(struct store *store, struct arena *arena, enum monitor_span span, id project, id member,
                   int64_t number, int64_t from_ms, int64_t to_ms, int64_t limit, struct rows *ret_rows)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_MEMBER, member);
    params_int(&params, P_NUMBER, number);
    params_int(&params, P_FROM_MS, from_ms);
    params_int(&params, P_TO_MS, to_ms);
    params_int(&params, P_LIMIT, limit);
    return store_read(store, arena, ranks[span], &params, ret_rows);
}

error
store_monitor_cursor(struct store *store, struct arena *arena, int64_t *ret_at_ms, id *ret_member)
{
    struct rows rows;
    struct params params = { 0 };
    TRY(store_read(store, arena, SQL_MONITOR_CURSOR_GET, &params, &rows));
    *ret_at_ms = rows.count == 0 ? 0 : rows_int(&rows, 0, C_AT_MS);
    *ret_member = rows.count == 0 ? ID_NONE : rows_id(&rows, 0, C_MEMBER);
    return OK;
}

/* ---- Tables ---- */
error
store_table_view(struct store *store, struct arena *arena, id project, str cluster_name, str process, bool *ret_found,
                 struct table_view *ret_view)
{
    bool is_of_process = process.len > 0;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    if (is_of_process)
        params_text(&params, P_PROCESS, process);
    else
        params_text(&params, P_CLUSTER_NAME, cluster_name);
    TRY(store_read(store, arena, is_of_process ? SQL_TABLE_VIEW_OF_PROCESS : SQL_TABLE_VIEW_OF_CLUSTER, &params,
                   &rows));
    *ret_found = rows.count > 0;
    if (!*ret_found)
        return OK;
    struct table_view view = { .cluster = rows_id(&rows, 0, C_CLUSTER), .pinned = rows_text(&rows, 0, C_TABLES) };
    view.members = ARENA_ARRAY(arena, struct table_member, (size_t)rows.count);
    if (view.members == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++) {
        if (rows_text(&rows, i, C_PROCESS).len == 0)
            continue; /* the cluster has no server yet */
        view.members[view.count++] = (struct table_member){ .id = rows_id(&rows, i, C_MEMBER),
                                                            .process = rows_text(&rows, i, C_PROCESS),
                                                            .is_primary = rows_bool(&rows, i, C_IS_PRIMARY) };
    }
    *ret_view = view;
    return OK;
}

error
store_pinned_tables_lock(struct tx *tx, id project, str cluster_name, bool *ret_found, struct pinned_tables *ret_pinned)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_CLUSTER_NAME, cluster_name);
    TRY(tx_query(tx, SQL_PINNED_TABLES_LOCK, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (*ret_found)
        *ret_pinned = (struct pinned_tables){ .cluster = rows_id(&rows, 0, C_CLUSTER),
                                              .tables = rows_text(&rows, 0, C_TABLES),
                                              .revision = rows_int(&rows, 0, C_REVISION) };
    return OK;
}

error
store_pinned_tables_set(struct tx *tx, id project, const struct pinned_tables *pinned, str *ret_document,
                        int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CLUSTER, pinned->cluster);
    params_text(&params, P_TABLES, pinned->tables);
    TRY(tx_query(tx, SQL_PINNED_TABLES_SET, &params, &rows, NULL));
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

/* ---- Making them ---- */
error
store_monitor_cursor_set(struct tx *tx, int64_t at_ms, id member)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_AT_MS, at_ms);
    params_id_or_null(&params, P_MEMBER, member);
    return tx_query(tx, SQL_MONITOR_CURSOR_SET, &params, &rows, NULL);
}

error
store_monitor_members(struct store *store, struct arena *arena, id after, int64_t limit,
                      struct monitored_member **ret_members, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id_after(&params, P_AFTER, after);
    params_int(&params, P_LIMIT, limit);
    TRY(store_read(store, arena, SQL_MONITOR_MEMBER_WALK, &params, &rows));
    struct monitored_member *members = ARENA_ARRAY(arena, struct monitored_member, (size_t)rows.count + 1);
    if (members == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        members[i] =
            (struct monitored_member){ .member = rows_id(&rows, i, C_MEMBER), .project = rows_id(&rows, i, C_PROJECT) };
    *ret_members = members;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_monitor_late_take(struct tx *tx, int64_t limit, struct late_hour **ret_hours, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, limit);
    TRY(tx_query(tx, SQL_MONITOR_LATE_TAKE, &params, &rows, NULL));
    struct late_hour *hours = ARENA_ARRAY(tx_arena(tx), struct late_hour, (size_t)rows.count + 1);
    if (hours == NULL)
        return fail(tx_arena(tx), OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        hours[i] = (struct late_hour){ .member = rows_id(&rows, i, C_MEMBER),
                                       .project = rows_id(&rows, i, C_PROJECT),
                                       .at_ms = rows_int(&rows, i, C_AT_MS) };
    *ret_hours = hours;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_monitor_late_again(struct tx *tx, id member, int64_t at_ms)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_MEMBER, member);
    params_int(&params, P_AT_MS, at_ms);
    return tx_query(tx, SQL_MONITOR_LATE_AGAIN, &params, &rows, NULL);
}

error
store_monitor_hour_put(struct tx *tx, const struct monitor_row_of *of, int64_t at_ms, str sums, str counts)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_MEMBER, of->member);
    params_text(&params, P_SCOPE, of->scope);
    params_text(&params, P_NAME, of->name);
    params_int(&params, P_AT_MS, at_ms);
    params_text(&params, P_SUMS, sums);
    params_text(&params, P_COUNTS, counts);
    return tx_query(tx, SQL_MONITOR_HOUR_PUT, &params, &rows, NULL);
}

error
store_monitor_day_make(struct tx *tx, id member, int64_t at_ms)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_MEMBER, member);
    params_int(&params, P_AT_MS, at_ms);
    return tx_query(tx, SQL_MONITOR_DAY_MAKE, &params, &rows, NULL);
}
