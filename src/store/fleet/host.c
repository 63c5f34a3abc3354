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
                id *ret_host, int64_t *ret_epoch)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, fresh_id);
    params_text(&params, place->host_name);
    params_text(&params, place->provider);
    params_text(&params, place->region);
    params_text(&params, place->zone);
    params_text(&params, facts->cpus);
    params_int(&params, facts->memory_mb);
    params_int(&params, facts->disk_gb);
    params_text(&params, facts->address);
    params_text(&params, facts->json);
    TRY(tx_query(tx, SQL_HOST_JOIN, &params, &rows, NULL));
    *ret_host = rows_id(&rows, 0, 0);
    *ret_epoch = rows_int(&rows, 0, 1);
    return OK;
}

void
store_host_by_serial_bind(struct params *params, str serial)
{
    params_text(params, serial);
}

struct host_known
store_host_by_serial_row(const struct rows *rows)
{
    if (rows->count == 0)
        return (struct host_known){ 0 };
    return (struct host_known){
        .is_found = true,
        .host = rows_id(rows, 0, 0),
        .epoch = rows_int(rows, 0, 1),
        .goal_version = rows_int(rows, 0, 2),
        .is_removed = rows_bool(rows, 0, 3),
        .is_revoked = rows_bool(rows, 0, 4),
        .is_expired = rows_bool(rows, 0, 5),
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
    params_id(&params, host);
    params_text(&params, domain);
    params_text(&params, etcd_json);
    TRY(store_read(store, arena, SQL_HOST_GOAL_GET, &params, &rows));
    *ret_goal = rows.count == 0 || rows_is_null(&rows, 0, 0) ? STR_EMPTY : rows_text(&rows, 0, 0);
    return OK;
}

error
store_host_log_targets(struct store *store, struct arena *arena, id host, str *ret_targets)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, host);
    TRY(store_read(store, arena, SQL_HOST_LOG_TARGETS, &params, &rows));
    *ret_targets = rows.count == 0 || rows_is_null(&rows, 0, 0) ? STR_EMPTY : rows_text(&rows, 0, 0);
    return OK;
}

error
store_host_report(struct tx *tx, id host, int64_t epoch, str report, enum report_outcome *ret_outcome)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, host);
    params_int(&params, epoch);
    params_text(&params, report);
    TRY(tx_query(tx, SQL_HOST_REPORT_TAKE, &params, &rows, NULL));
    str word = rows_text(&rows, 0, 0);
    *ret_outcome = str_is(word, "STALE") ? REPORT_STALE : str_is(word, "FOREIGN") ? REPORT_FOREIGN : REPORT_TAKEN;
    return OK;
}

error
store_host_member_names(struct store *store, struct arena *arena, id host, id member, str domain,
                        struct member_names *ret_names)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, host);
    params_id(&params, member);
    params_text(&params, domain);
    TRY(store_read(store, arena, SQL_HOST_MEMBER_NAMES, &params, &rows));
    if (rows.count == 0)
        *ret_names = (struct member_names){ .name = STR_EMPTY };
    else
        *ret_names = (struct member_names){ rows_text(&rows, 0, 0), rows_text(&rows, 0, 1), rows_text(&rows, 0, 2),
                                            rows_id(&rows, 0, 3), rows_text(&rows, 0, 4) };
    return OK;
}

static error
change(struct tx *tx, enum sql statement, const struct params *params, bool *ret_is_there, id *ret_host)
{
    struct rows rows;
    TRY(tx_query(tx, statement, params, &rows, NULL));
    *ret_is_there = rows.count > 0;
    if (rows.count > 0)
        *ret_host = rows_id(&rows, 0, 0);
    return OK;
}

error
store_host_set_state(struct tx *tx, str name, enum host_state state, bool *ret_is_there, id *ret_host)
{
    struct params params = { 0 };
    params_text(&params, name);
    params_text(&params, str_from(host_state_names[state]));
    return change(tx, SQL_HOST_SET_STATE, &params, ret_is_there, ret_host);
}

error
store_host_remove(struct tx *tx, str name, bool is_lost, bool *ret_is_there, id *ret_host)
{
    struct params params = { 0 };
    params_text(&params, name);
    params_bool(&params, is_lost);
    return change(tx, SQL_HOST_REMOVE, &params, ret_is_there, ret_host);
}

error
store_host_address_add(struct tx *tx, str host_name, const struct address_range *range, int64_t *ret_added)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, host_name);
    params_text(&params, range->first);
    if (range->private_first.len == 0)
        params_null(&params);
    else
        params_text(&params, range->private_first);
    params_int(&params, range->prefix);
    params_int(&params, range->count);
    TRY(tx_query(tx, SQL_HOST_ADDRESS_ADD, &params, &rows, NULL));
    *ret_added = rows.count;
    return OK;
}

error
store_fleet_restored(struct tx *tx, int64_t step, int64_t *ret_hosts, int64_t *ret_clusters)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, step);
    TRY(tx_query(tx, SQL_FLEET_RESTORED, &params, &rows, NULL));
    *ret_hosts = rows_int(&rows, 0, 0);
    *ret_clusters = rows_int(&rows, 0, 1);
    return OK;
}

error
store_host_address_remove(struct tx *tx, str host_name, const struct address_range *range, int64_t *ret_removed)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, host_name);
    params_text(&params, range->first);
    params_int(&params, range->count);
    TRY(tx_query(tx, SQL_HOST_ADDRESS_REMOVE, &params, &rows, NULL));
    *ret_removed = rows.count;
    return OK;
}
