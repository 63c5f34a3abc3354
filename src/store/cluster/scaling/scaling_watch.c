/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/scaling/scaling_watch.h"

#include "base/json.h"

error
store_scaling_follow(struct tx *tx, const struct cluster *cluster, bool is_on)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, cluster->organization);
    params_id(&params, P_CLUSTER, cluster->id);
    params_bool(&params, P_IS_ON, is_on);
    return tx_query(tx, SQL_SCALING_FOLLOW, &params, &rows, NULL);
}

error
store_scaling_due(struct store *store, struct arena *arena, int64_t before_ms, int64_t limit,
                  struct scaled_cluster **ret_clusters, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_BEFORE_MS, before_ms);
    params_int(&params, P_LIMIT, limit);
    TRY(store_read(store, arena, SQL_SCALING_DUE, &params, &rows));
    struct scaled_cluster *clusters = ARENA_ARRAY(arena, struct scaled_cluster, (size_t)rows.count + 1);
    if (clusters == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++) {
        clusters[i] = (struct scaled_cluster){
            .id = rows_id(&rows, i, C_CLUSTER),
            .organization = rows_id(&rows, i, C_ORGANIZATION),
            .project = rows_id(&rows, i, C_PROJECT),
            .name = rows_text(&rows, i, C_CLUSTER_NAME),
            .state = cluster_state_from(rows_text(&rows, i, C_STATE)),
            .document = json_parse_own(arena, rows_text(&rows, i, C_DOCUMENT)),
            .hash = rows_text(&rows, i, C_HASH),
            .seen = rows_text(&rows, i, C_SEEN),
            .changed_ms = rows_int(&rows, i, C_CHANGED_MS),
            .found = json_parse_own(arena, rows_text(&rows, i, C_FOUND)),
            .told = json_parse_own(arena, rows_text(&rows, i, C_TOLD)),
            .is_locked = rows_bool(&rows, i, C_IS_LOCKED),
            .is_busy = rows_bool(&rows, i, C_IS_BUSY),
            .is_waiting = rows_bool(&rows, i, C_IS_WAITING),
        };
        if (clusters[i].document == NULL || clusters[i].found == NULL || clusters[i].told == NULL)
            return fail(arena, OVERLOADED);
    }
    *ret_clusters = clusters;
    *ret_count = (size_t)rows.count;
    return OK;
}

/* "{65…,66…}" */
static str
list_of(struct arena *arena, const struct scaled_cluster *clusters, size_t count)
{
    struct buf out = buf_in(arena, (ID_DIGITS + 1) * (count + 1) + 2);
    buf_add_char(&out, '{');
    for (size_t i = 0; i < count; i++) {
        char digits[ID_DIGITS + 1];
        id_write(clusters[i].id, digits);
        buf_format(&out, "%s%s", i > 0 ? "," : "", digits);
    }
    buf_add_char(&out, '}');
    return buf_str(&out);
}

error
store_scaling_claim(struct tx *tx, int64_t now_ms, int64_t before_ms, struct scaled_cluster *clusters, size_t *count)
{
    struct params params = { 0 };
    struct rows rows;
    size_t kept = 0;
    params_int(&params, P_NOW_MS, now_ms);
    params_int(&params, P_BEFORE_MS, before_ms);
    params_text(&params, P_CLUSTERS, list_of(tx_arena(tx), clusters, *count));
    TRY(tx_query(tx, SQL_SCALING_CLAIM, &params, &rows, NULL));
    for (size_t i = 0; i < *count; i++) {
        bool is_mine = false;
        for (int row = 0; row < rows.count && !is_mine; row++)
            is_mine = id_eq(rows_id(&rows, row, C_CLUSTER), clusters[i].id);
        if (is_mine)
            clusters[kept++] = clusters[i];
    }
    *count = kept;
    return OK;
}

error
store_scaling_members(struct store *store, struct arena *arena, const struct scaled_cluster *clusters, size_t count,
                      struct scaled_member **ret_members, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_CLUSTERS, list_of(arena, clusters, count));
    TRY(store_read(store, arena, SQL_SCALING_MEMBERS, &params, &rows));
    struct scaled_member *members = ARENA_ARRAY(arena, struct scaled_member, (size_t)rows.count + 1);
    if (members == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        members[i] = (struct scaled_member){ rows_id(&rows, i, C_CLUSTER), rows_id(&rows, i, C_ID),
                                             rows_bool(&rows, i, C_ANALYTICS) };
    *ret_members = members;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_scaling_note(struct tx *tx, const struct scaled_cluster *cluster)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, cluster->organization);
    params_id(&params, P_CLUSTER, cluster->id);
    params_int(&params, P_CHANGED_MS, cluster->changed_ms);
    params_text(&params, P_SEEN, cluster->seen);
    params_text(&params, P_FOUND, json_text(tx_arena(tx), cluster->found));
    params_text(&params, P_TOLD, json_text(tx_arena(tx), cluster->told));
    return tx_query(tx, SQL_SCALING_NOTE, &params, &rows, NULL);
}
