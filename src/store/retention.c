/* SPDX-License-Identifier: Apache-2.0 */
#include "store/retention.h"

// clang-format off
const struct retention retention_rows[RETENTION_COUNT] = {
    { "answers to requests with an Idempotency-Key", SQL_IDEMPOTENCY_PRUNE,   false },
    { "invitations that were used or have expired",  SQL_INVITATION_PRUNE,    true },
    { "alerts that were closed",                     SQL_ALERT_PRUNE,         true },
    { "tasks of hosts that are finished",            SQL_HOST_TASK_PRUNE,     true },
    { "certificates that have expired",              SQL_CERTIFICATE_PRUNE,   false },
    { "revoked tokens that have expired",            SQL_REVOKED_TOKEN_PRUNE, false },
    { "restores that are over",                      SQL_RESTORE_PRUNE,       true },
    { "hours of measurements",                       SQL_MONITOR_HOUR_PRUNE,  false },
    { "numbers of events of projects that are gone", SQL_EVENT_COUNT_PRUNE,   false },
    { "processes of the control plane that are gone", SQL_INSTANCE_PRUNE,     false },
    { "what statements cost",                        SQL_QUERY_COST_PRUNE,    false },
    { "shapes of statements",                        SQL_QUERY_SHAPE_PRUNE,   false },
    { "rollouts of minor versions that are over",    SQL_FLEET_UPDATE_PRUNE,  true },
    { "slow queries",                                SQL_SLOW_QUERY_PRUNE,    false },
    { "sessions of people that have ended",          SQL_SESSION_PRUNE,       false },
    { "tokens for first passkeys that have expired", SQL_ENROLMENT_PRUNE,     false },
    { "mails to people that could not be sent",      SQL_PERSON_MAIL_PRUNE,   false },
    { "notices to security contacts that were sent", SQL_SECURITY_NOTICE_PRUNE, false },
    { "challenges that were used",                   SQL_CHALLENGE_PRUNE,     false },
    { "sessions of operators that have ended",       SQL_OPERATOR_SESSION_PRUNE, false },
    { "tokens for operators' first passkeys that have expired", SQL_OPERATOR_ENROLMENT_PRUNE, false },
    { "tags of usage that was billed long ago",      SQL_USAGE_TAGS_PRUNE,    false },
};
// clang-format on

error
store_retention_prune(struct store *store, struct arena *arena, const struct retention *row, int64_t limit,
                      int64_t days, int64_t *ret_deleted)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, limit);
    if (row->takes_days)
        params_int(&params, P_DAYS, days);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, row->prune, &params, &rows, NULL));
    *ret_deleted = rows.count;
    return tx_commit(tx);
}
