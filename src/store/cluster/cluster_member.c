/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a cluster, and what their hosts are asked to do once. Declared in store/cluster/cluster.h. */
#include "store/cluster/cluster.h"

/* NULL and the empty text mean the same to whoever reads these. */
static str
text_or_empty(const struct rows *rows, int row, int column)
{
    return rows_is_null(rows, row, column) ? STR_EMPTY : rows_text(rows, row, column);
}

error
store_cluster_members(struct tx *tx, id cluster, struct cluster_members *ret_members)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, cluster);
    TRY(tx_query(tx, SQL_CLUSTER_MEMBERS, &params, &rows, NULL));
    if (rows.count > STORE_MAX_MEMBERS)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    ret_members->count = (size_t)rows.count;
    for (int row = 0; row < rows.count; row++)
        ret_members->items[row] = (struct cluster_member){
            .id = rows_id(&rows, row, 0),
            .ordinal = (int)rows_int(&rows, row, 1),
            .desired = member_desired_from(rows_text(&rows, row, 2)),
            .size = rows_text(&rows, row, 3),
            .disk_gb = rows_int(&rows, row, 4),
            .electable = rows_bool(&rows, row, 5),
            .priority = (int)rows_int(&rows, row, 6),
            .provider = rows_text(&rows, row, 7),
            .region = rows_text(&rows, row, 8),
            .host_drains = rows_bool(&rows, row, 9),
            .host_gone = rows_bool(&rows, row, 10),
            .address = text_or_empty(&rows, row, 11),
            .private_address = text_or_empty(&rows, row, 12),
            .unit = member_unit_from(rows_text(&rows, row, 13)),
            .role = member_role_from(rows_text(&rows, row, 14)),
            .server = member_server_from(rows_text(&rows, row, 15)),
            .server_word = rows_text(&rows, row, 15),
            .version = text_or_empty(&rows, row, 16),
            .applied_goal = rows_int(&rows, row, 17),
            .restart_nonce = rows_int(&rows, row, 18),
            .restart_goal = rows_int(&rows, row, 19),
            .applied_restart = rows_int(&rows, row, 20),
            .pending_restart = rows_bool(&rows, row, 21),
            .problem = text_or_empty(&rows, row, 22),
            .host_leaves = rows_bool(&rows, row, 23),
        };
    return OK;
}

error
store_cluster_member_place(struct tx *tx, const struct cluster *cluster, const struct member_place *place,
                           bool *ret_placed)
{
    struct params number = { 0 }, params = { 0 };
    struct rows rows;
    params_id(&number, cluster->organization);
    params_id(&number, cluster->id);
    TRY(tx_query(tx, SQL_CLUSTER_NEXT_ORDINAL, &number, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(cluster->name));
    params_id(&params, cluster->id);
    params_int(&params, rows_int(&rows, 0, 0));
    params_text(&params, place->provider);
    params_text(&params, place->region);
    params_text(&params, place->size);
    params_int(&params, place->disk_gb);
    params_bool(&params, place->electable);
    params_int(&params, place->priority);
    TRY(tx_query(tx, SQL_CLUSTER_MEMBER_PLACE, &params, &rows, NULL));
    *ret_placed = rows.count > 0 && !rows_is_null(&rows, 0, 0);
    return OK;
}

error
store_cluster_member_release(struct tx *tx, id member)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, member);
    return tx_query(tx, SQL_CLUSTER_MEMBER_RELEASE, &params, &rows, NULL);
}

error
store_cluster_member_resize(struct tx *tx, id member, str size, int64_t disk_gb, bool *ret_resized)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, member);
    params_text(&params, size);
    params_int(&params, disk_gb);
    TRY(tx_query(tx, SQL_CLUSTER_MEMBER_RESIZE, &params, &rows, NULL));
    *ret_resized = rows.count > 0 && rows_bool(&rows, 0, 0);
    return OK;
}

error
store_cluster_member_want(struct tx *tx, id organization, const struct cluster_member *member)
{
    struct params params = { 0 };
    params_id(&params, organization);
    params_id(&params, member->id);
    params_text(&params, str_from(member_desired_word(member->desired)));
    params_bool(&params, member->electable);
    params_int(&params, member->priority);
    return tx_query(tx, SQL_CLUSTER_MEMBER_WANT, &params, NULL, NULL);
}

static error
restart(struct tx *tx, id organization, id member, int64_t goal, int64_t nonce)
{
    struct params params = { 0 };
    params_id(&params, organization);
    params_id(&params, member);
    params_int(&params, goal);
    params_int(&params, nonce);
    return tx_query(tx, SQL_CLUSTER_MEMBER_RESTART, &params, NULL, NULL);
}

error
store_cluster_member_restart_for(struct tx *tx, id organization, id member, int64_t goal)
{
    return restart(tx, organization, member, goal, -1);
}

error
store_cluster_member_restart_after(struct tx *tx, id organization, id member, int64_t nonce)
{
    return restart(tx, organization, member, 0, nonce);
}

/* ---- Tasks ---- */

error
store_task_add(struct tx *tx, id organization, id member, str kind, str parameters)
{
    struct params params = { 0 };
    params_id(&params, organization);
    params_id(&params, id_new(store_cell(tx_store(tx))));
    params_id(&params, member);
    params_text(&params, kind);
    params_text(&params, parameters);
    return tx_query(tx, SQL_HOST_TASK_ADD, &params, NULL, NULL);
}

enum task_outcome
task_outcome_from(str word)
{
    return word.len == 0 ? TASK_OPEN : str_is(word, "DONE") ? TASK_DONE : TASK_FAILED;
}

error
store_task_find(struct tx *tx, const struct cluster *cluster, str kind, str purpose, struct task_state *ret_state)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, cluster->organization);
    params_id(&params, cluster->id);
    params_text(&params, kind);
    params_text(&params, purpose);
    TRY(tx_query(tx, SQL_HOST_TASK_OF_CLUSTER, &params, &rows, NULL));
    *ret_state = (struct task_state){ .outcome = TASK_NONE, .may_be_repeated = true };
    if (rows.count == 0)
        return OK;
    ret_state->outcome = task_outcome_from(rows_is_null(&rows, 0, 0) ? STR_EMPTY : rows_text(&rows, 0, 0));
    ret_state->detail = text_or_empty(&rows, 0, 1);
    ret_state->member = rows_id(&rows, 0, 2);
    ret_state->may_be_repeated = rows_bool(&rows, 0, 3);
    return OK;
}
