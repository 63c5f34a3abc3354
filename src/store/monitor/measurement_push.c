/* SPDX-License-Identifier: Apache-2.0 */
#include "store/monitor/measurement_push.h"

error
store_push_due(struct store *store, struct arena *arena, struct push_target ret_due[PUSH_DUE_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_MEASUREMENT_PUSH_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < PUSH_DUE_MAX; row++)
        ret_due[(*ret_count)++] =
            (struct push_target){ rows_id(&rows, row, C_INTEGRATION), rows_id(&rows, row, C_PROJECT) };
    return OK;
}

/* One statement of the service, and what it returned. */
static error
run(struct store *store, struct arena *arena, enum sql statement, const struct params *params, struct rows *ret_rows)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, statement, params, ret_rows, NULL));
    return tx_commit(tx);
}

error
store_push_claim(struct store *store, struct arena *arena, struct push_target target, int64_t lease_s, int64_t retry_ms,
                 bool *ret_claimed, struct push_claim *ret_claim)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_INTEGRATION, target.integration);
    params_int(&params, P_LEASE_S, lease_s);
    params_int(&params, P_RETRY_MS, retry_ms);
    TRY(run(store, arena, SQL_MEASUREMENT_PUSH_CLAIM, &params, &rows));
    *ret_claimed = rows.count > 0;
    if (rows.count > 0)
        *ret_claim = (struct push_claim){ .target = target,
                                          .epoch = rows_int(&rows, 0, C_LEASE_EPOCH),
                                          .failures = rows_int(&rows, 0, C_FAILURES),
                                          .since_ms = rows_int(&rows, 0, C_SINCE_MS) };
    return OK;
}

error
store_push_members(struct store *store, struct arena *arena, struct push_target target,
                   struct push_member **ret_members, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_INTEGRATION, target.integration);
    params_id(&params, P_PROJECT, target.project);
    TRY(store_read(store, arena, SQL_MEASUREMENT_PUSH_MEMBER_LIST, &params, &rows));
    struct push_member *members = ARENA_ARRAY(arena, struct push_member, (size_t)rows.count + 1);
    if (members == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        members[i] = (struct push_member){
            .member = rows_id(&rows, i, C_MEMBER),
            .cluster = rows_text(&rows, i, C_CLUSTER),
            .hostname = rows_text(&rows, i, C_HOSTNAME),
            .tags = rows_is_null(&rows, i, C_TAGS) ? STR_EMPTY : rows_text(&rows, i, C_TAGS),
            .sent_ms = rows_is_null(&rows, i, C_SENT_MS) ? 0 : rows_int(&rows, i, C_SENT_MS),
            .seen_ms = rows_is_null(&rows, i, C_SEEN_MS) ? 0 : rows_int(&rows, i, C_SEEN_MS),
        };
    *ret_members = members;
    *ret_count = (size_t)rows.count;
    return OK;
}

static void
bind_claim(struct params *params, const struct push_claim *claim)
{
    params_id(params, P_INTEGRATION, claim->target.integration);
    params_int(params, P_EPOCH, claim->epoch);
}

static void
bind_status(struct params *params, int status)
{
    if (status == 0)
        params_null(params, P_STATUS);
    else
        params_int(params, P_STATUS, status);
}

error
store_push_sent(struct store *store, struct arena *arena, const struct push_claim *claim,
                const struct push_progress *progress, int64_t lease_s, bool *ret_kept)
{
    struct params params = { 0 };
    struct rows rows;
    bind_claim(&params, claim);
    bind_status(&params, progress->status);
    params_int(&params, P_LEASE_S, lease_s);
    params_int(&params, P_SENT, progress->sent);
    params_int(&params, P_LATE, progress->late);
    params_text(&params, P_PLACES, progress->places);
    TRY(run(store, arena, SQL_MEASUREMENT_PUSH_SENT, &params, &rows));
    *ret_kept = rows.count > 0;
    return OK;
}

error
store_push_failed(struct store *store, struct arena *arena, const struct push_claim *claim, int status, str why,
                  int64_t retry_ms)
{
    struct params params = { 0 };
    struct rows rows;
    bind_claim(&params, claim);
    bind_status(&params, status);
    params_text(&params, P_WHY, why);
    params_int(&params, P_RETRY_MS, retry_ms);
    return run(store, arena, SQL_MEASUREMENT_PUSH_FAILED, &params, &rows);
}

error
store_push_release(struct store *store, struct arena *arena, const struct push_claim *claim, int64_t retry_ms)
{
    struct params params = { 0 };
    struct rows rows;
    bind_claim(&params, claim);
    params_int(&params, P_RETRY_MS, retry_ms);
    return run(store, arena, SQL_MEASUREMENT_PUSH_RELEASE, &params, &rows);
}
