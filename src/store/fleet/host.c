/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fleet/host.h"

const char *const host_state_names[] = {
    [HOST_ACTIVE] = "ACTIVE",
    [HOST_DRAINING] = "DRAINING",
    [HOST_DRAINED] = "DRAINED",
    [HOST_REMOVED] = "REMOVED",
    NULL,
};

error
store_host_join(struct tx *tx, id fresh_id, const struct join_place *place, const struct host_facts *facts,
                bool *ret_joined, id *ret_host, int64_t *ret_epoch)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ID, fresh_id);
    params_text(&params, P_HOST_NAME, place->host_name);
    params_text(&params, P_PROVIDER, place->provider);
    params_text(&params, P_REGION, place->region);
    params_text(&params, P_ZONE, place->zone);
    params_text(&params, P_CPUS, facts->cpus);
    params_int(&params, P_MEMORY_MB, facts->memory_mb);
    params_int(&params, P_DISK_GB, facts->disk_gb);
    params_text(&params, P_ADDRESS, facts->address);
    params_text(&params, P_FACTS, facts->json);
    params_text(&params, P_PURPOSE, str_from(host_purpose_names[place->purpose]));
    params_text(&params, P_OBJECT_STORE, place->object_store);
    TRY(tx_query(tx, SQL_HOST_JOIN, &params, &rows, NULL));
    *ret_joined = rows.count > 0;
    if (*ret_joined) {
        *ret_host = rows_id(&rows, 0, C_HOST);
        *ret_epoch = rows_int(&rows, 0, C_EPOCH);
    }
    return OK;
}

void
store_host_by_serial_bind(struct params *params, str serial)
{
    params_text(params, P_SERIAL, serial);
}

struct host_known
store_host_by_serial_row(const struct rows *rows)
{
    if (rows->count == 0)
        return (struct host_known){ 0 };
    return (struct host_known){
        .is_found = true,
        .host = rows_id(rows, 0, C_HOST),
        .epoch = rows_int(rows, 0, C_EPOCH),
        .goal_version = rows_int(rows, 0, C_VERSION),
        .is_removed = rows_bool(rows, 0, C_IS_REMOVED),
        .is_revoked = rows_bool(rows, 0, C_IS_REVOKED),
        .is_expired = rows_bool(rows, 0, C_IS_EXPIRED),
    };
}

error
store_host_by_serial(struct store *store, struct arena *arena, str serial, struct host_known *ret_known)
{
    struct params params = { 0 };
    struct rows rows;
    store_host_by_serial_bind(&params, serial);
    TRY(store_read(store, arena, SQL_HOST_BY_SERIAL, &params, &rows));
    *ret_known = store_host_by_serial_row(&rows);
    return OK;
}

error
store_host_goal(struct store *store, struct arena *arena, id host, str domain, str etcd_json, str *ret_goal)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_text(&params, P_DOMAIN, domain);
    params_text(&params, P_ETCD_JSON, etcd_json);
    TRY(store_read(store, arena, SQL_HOST_GOAL_GET, &params, &rows));
    *ret_goal = rows.count == 0 || rows_is_null(&rows, 0, C_GOAL) ? STR_EMPTY : rows_text(&rows, 0, C_GOAL);
    return OK;
}

error
store_host_log_targets(struct store *store, struct arena *arena, id host, str *ret_targets)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    TRY(store_read(store, arena, SQL_HOST_LOG_TARGETS, &params, &rows));
    *ret_targets = rows.count == 0 || rows_is_null(&rows, 0, C_TARGETS) ? STR_EMPTY : rows_text(&rows, 0, C_TARGETS);
    return OK;
}

error
store_host_report(struct tx *tx, id host, int64_t epoch, str report, enum report_outcome *ret_outcome)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_int(&params, P_EPOCH, epoch);
    params_text(&params, P_REPORT, report);
    TRY(tx_query(tx, SQL_HOST_REPORT_TAKE, &params, &rows, NULL));
    str word = rows_text(&rows, 0, C_OUTCOME);
    *ret_outcome = str_is(word, "STALE") ? REPORT_STALE : str_is(word, "FOREIGN") ? REPORT_FOREIGN : REPORT_TAKEN;
    return OK;
}

error
store_host_member_names(struct store *store, struct arena *arena, id host, id member, str domain,
                        struct member_names *ret_names)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_id(&params, P_MEMBER, member);
    params_text(&params, P_DOMAIN, domain);
    TRY(store_read(store, arena, SQL_HOST_MEMBER_NAMES, &params, &rows));
    if (rows.count == 0)
        *ret_names = (struct member_names){ .name = STR_EMPTY };
    else
        *ret_names = (struct member_names){ rows_text(&rows, 0, C_NAME), rows_text(&rows, 0, C_HOST_NAMES),
                                            rows_text(&rows, 0, C_ADDRESSES), rows_id(&rows, 0, C_CLUSTER),
                                            rows_text(&rows, 0, C_SET_NAME) };
    return OK;
}

static error
change(struct tx *tx, enum sql statement, const struct params *params, bool *ret_is_there, id *ret_host)
{
    struct rows rows;
    TRY(tx_query(tx, statement, params, &rows, NULL));
    *ret_is_there = rows.count > 0;
    if (rows.count > 0)
        *ret_host = rows_id(&rows, 0, C_HOST);
    return OK;
}

error
store_host_set_state(struct tx *tx, str name, enum host_state state, bool *ret_is_there, id *ret_host)
{
    struct params params = { 0 };
    params_text(&params, P_NAME, name);
    params_text(&params, P_STATE, str_from(host_state_names[state]));
    return change(tx, SQL_HOST_SET_STATE, &params, ret_is_there, ret_host);
}

error
store_host_remove(struct tx *tx, str name, bool is_lost, bool *ret_is_there, id *ret_host)
{
    struct params params = { 0 };
    params_text(&params, P_NAME, name);
    params_bool(&params, P_IS_LOST, is_lost);
    return change(tx, SQL_HOST_REMOVE, &params, ret_is_there, ret_host);
}

error
store_host_address_add(struct tx *tx, str host_name, const struct address_range *range, int64_t *ret_added)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_HOST_NAME, host_name);
    params_text(&params, P_FIRST, range->first);
    if (range->private_first.len == 0)
        params_null(&params, P_PRIVATE_FIRST);
    else
        params_text(&params, P_PRIVATE_FIRST, range->private_first);
    params_int(&params, P_PREFIX, range->prefix);
    params_int(&params, P_COUNT, range->count);
    TRY(tx_query(tx, SQL_HOST_ADDRESS_ADD, &params, &rows, NULL));
    *ret_added = rows.count;
    return OK;
}

error
store_fleet_restored(struct tx *tx, int64_t step, int64_t *ret_hosts, int64_t *ret_clusters)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_STEP, step);
    TRY(tx_query(tx, SQL_FLEET_RESTORED, &params, &rows, NULL));
    *ret_hosts = rows_int(&rows, 0, C_HOSTS);
    *ret_clusters = rows_int(&rows, 0, C_CLUSTERS);
    return OK;
}

error
store_host_address_remove(struct tx *tx, str host_name, const struct address_range *range, int64_t *ret_removed)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_HOST_NAME, host_name);
    params_text(&params, P_FIRST, range->first);
    params_int(&params, P_COUNT, range->count);
    TRY(tx_query(tx, SQL_HOST_ADDRESS_REMOVE, &params, &rows, NULL));
    *ret_removed = rows.count;
    return OK;
}
