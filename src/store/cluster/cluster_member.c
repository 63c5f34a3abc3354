/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a cluster, and what their hosts are asked to do once. Declared in store/cluster/cluster.h. */
#include "store/cluster/cluster.h"

/* NULL and the empty text mean the same to whoever reads these. */
static str
text_or_empty(const struct rows *rows, int row, enum column column)
{
    return rows_is_null(rows, row, column) ? STR_EMPTY : rows_text(rows, row, column);
}

error
store_cluster_members(struct tx *tx, id cluster, struct cluster_members *ret_members)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CLUSTER, cluster);
    TRY(tx_query(tx, SQL_CLUSTER_MEMBERS, &params, &rows, NULL));
    if (rows.count > STORE_MAX_MEMBERS)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    ret_members->count = (size_t)rows.count;
    for (int row = 0; row < rows.count; row++)
        ret_members->items[row] = (struct cluster_member){
            .id = rows_id(&rows, row, C_ID),
            .ordinal = (int)rows_int(&rows, row, C_ORDINAL),
            .desired = member_desired_from(rows_text(&rows, row, C_DESIRED)),
            .size = rows_text(&rows, row, C_SIZE),
            .disk_gb = rows_int(&rows, row, C_DISK_GB),
            .electable = rows_bool(&rows, row, C_ELECTABLE),
            .analytics = rows_bool(&rows, row, C_ANALYTICS),
            .priority = (int)rows_int(&rows, row, C_PRIORITY),
            .provider = rows_text(&rows, row, C_PROVIDER),
            .region = rows_text(&rows, row, C_REGION),
            .host_drains = rows_bool(&rows, row, C_HOST_DRAINS),
            .host_gone = rows_bool(&rows, row, C_HOST_GONE),
            .address = text_or_empty(&rows, row, C_ADDRESS),
            .private_address = text_or_empty(&rows, row, C_PRIVATE_ADDRESS),
            .unit = member_unit_from(rows_text(&rows, row, C_UNIT)),
            .role = member_role_from(rows_text(&rows, row, C_ROLE)),
            .server = member_server_from(rows_text(&rows, row, C_RUNNING)),
            .server_word = rows_text(&rows, row, C_RUNNING),
            .version = text_or_empty(&rows, row, C_VERSION),
            .applied_goal = rows_int(&rows, row, C_APPLIED_GOAL),
            .restart_nonce = rows_int(&rows, row, C_RESTART_NONCE),
            .restart_goal = rows_int(&rows, row, C_RESTART_GOAL),
            .applied_restart = rows_int(&rows, row, C_APPLIED_RESTART),
            .pending_restart = rows_bool(&rows, row, C_PENDING_RESTART),
            .problem = text_or_empty(&rows, row, C_PROBLEM),
            .host_leaves = rows_bool(&rows, row, C_HOST_LEAVES),
        };
    return OK;
}

error
store_cluster_member_place(struct tx *tx, const struct cluster *cluster, const struct member_place *place,
                           bool *ret_placed)
{
    struct params number = { 0 }, params = { 0 };
    struct rows rows;
    params_id(&number, P_ORGANIZATION, cluster->organization);
    params_id(&number, P_CLUSTER, cluster->id);
    TRY(tx_query(tx, SQL_CLUSTER_NEXT_ORDINAL, &number, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(cluster->name));
    params_id(&params, P_CLUSTER, cluster->id);
    params_int(&params, P_ORDINAL, rows_int(&rows, 0, C_ORDINAL));
    params_text(&params, P_PROVIDER, place->provider);
    params_text(&params, P_REGION, place->region);
    params_text(&params, P_SIZE, place->size);
    params_int(&params, P_DISK_GB, place->disk_gb);
    params_bool(&params, P_ELECTABLE, place->electable);
    params_int(&params, P_PRIORITY, place->priority);
    params_bool(&params, P_ANALYTICS, place->analytics);
    TRY(tx_query(tx, SQL_CLUSTER_MEMBER_PLACE, &params, &rows, NULL));
    *ret_placed = rows.count > 0 && !rows_is_null(&rows, 0, C_MEMBER);
    return OK;
}

error
store_cluster_member_release(struct tx *tx, id member)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_MEMBER, member);
    return tx_query(tx, SQL_CLUSTER_MEMBER_RELEASE, &params, &rows, NULL);
}

error
store_cluster_member_resize(struct tx *tx, id member, str size, int64_t disk_gb, bool *ret_resized)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_MEMBER, member);
    params_text(&params, P_SIZE, size);
    params_int(&params, P_DISK_GB, disk_gb);
    TRY(tx_query(tx, SQL_CLUSTER_MEMBER_RESIZE, &params, &rows, NULL));
    *ret_resized = rows.count > 0 && rows_bool(&rows, 0, C_RESIZED);
    return OK;
}

error
store_cluster_member_want(struct tx *tx, id organization, const struct cluster_member *member)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MEMBER, member->id);
    params_text(&params, P_DESIRED, str_from(member_desired_word(member->desired)));
    params_bool(&params, P_ELECTABLE, member->electable);
    params_int(&params, P_PRIORITY, member->priority);
    return tx_query(tx, SQL_CLUSTER_MEMBER_WANT, &params, NULL, NULL);
}

static error
restart(struct tx *tx, id organization, id member, int64_t goal, int64_t nonce)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MEMBER, member);
    params_int(&params, P_GOAL, goal);
    params_int(&params, P_NONCE, nonce);
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
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_TASK, id_new(store_cell(tx_store(tx))));
    params_id(&params, P_MEMBER, member);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_PARAMETERS, parameters);
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
    params_id(&params, P_ORGANIZATION, cluster->organization);
    params_id(&params, P_CLUSTER, cluster->id);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_PURPOSE, purpose);
    TRY(tx_query(tx, SQL_HOST_TASK_OF_CLUSTER, &params, &rows, NULL));
    *ret_state = (struct task_state){ .outcome = TASK_NONE, .may_be_repeated = true };
    if (rows.count == 0)
        return OK;
    ret_state->outcome =
        task_outcome_from(rows_is_null(&rows, 0, C_OUTCOME) ? STR_EMPTY : rows_text(&rows, 0, C_OUTCOME));
    ret_state->detail = text_or_empty(&rows, 0, C_DETAIL);
    ret_state->member = rows_id(&rows, 0, C_MEMBER);
    ret_state->may_be_repeated = rows_bool(&rows, 0, C_MAY_BE_REPEATED);
    return OK;
}
