/* SPDX-License-Identifier: Apache-2.0 */
#include "store/alert/alert_notification.h"

#include "base/failpoint.h"
#include "base/json.h"

const char *const notification_about_words[] = {
    [ABOUT_OPENED] = "OPENED",
    [ABOUT_REMINDER] = "REMINDER",
    [ABOUT_CLOSED] = "CLOSED",
    NULL,
};

static enum notification_about
about_from(str word)
{
    int at = str_word(word, notification_about_words);
    return at < 0 ? ABOUT_OPENED : (enum notification_about)at;
}

error
store_notification_add(struct tx *tx, const struct notification_draft *draft)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, draft->place.organization);
    params_id(&params, P_PROJECT, draft->place.project);
    params_id(&params, P_ID, id_new(store_cell(tx_store(tx))));
    params_id(&params, P_ALERT, draft->alert);
    params_id(&params, P_NOTIFIER, draft->notifier);
    params_text(&params, P_ABOUT, str_from(notification_about_words[draft->about]));
    params_int(&params, P_DELAY_MIN, draft->delay_min);
    params_int(&params, P_NUMBER, draft->number);
    return tx_query(tx, SQL_ALERT_NOTIFICATION_ADD, &params, NULL, NULL);
}

error
store_notification_told(struct tx *tx, id organization, id alert, id ret_notifiers[NOTIFIERS_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_ALERT, alert);
    TRY(tx_query(tx, SQL_ALERT_TOLD, &params, &rows, NULL));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < NOTIFIERS_MAX; row++)
        ret_notifiers[(*ret_count)++] = rows_id(&rows, row, C_NOTIFIER);
    return OK;
}

/* ---- Sending ---- */

error
store_notification_due(struct store *store, struct arena *arena,
                       struct notification_place ret_due[NOTIFICATION_DUE_MAX], size_t *ret_count)
{
    struct rows rows;
    struct params params = { 0 };
    TRY(store_read(store, arena, SQL_ALERT_NOTIFICATION_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < NOTIFICATION_DUE_MAX; row++)
        ret_due[(*ret_count)++] = (struct notification_place){
            .place = { rows_id(&rows, row, C_ORGANIZATION), rows_id(&rows, row, C_PROJECT) },
            .alert = rows_id(&rows, row, C_ALERT),
            .notification = rows_id(&rows, row, C_NOTIFICATION),
        };
    return OK;
}

/* Everybody who changes both locks the alert first, then its notifications. */
static error
lock_alert(struct tx *tx, const struct notification_place *at)
{
    str document;
    int64_t revision;
    bool is_closed;
    return store_alert_lock(tx, at->place.project, at->alert, &document, &revision, &is_closed);
}

static error
on_alert(struct tx *tx, enum sql statement, const struct notification_place *at, struct rows *ret_rows)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, at->place.project);
    params_id(&params, P_ALERT, at->alert);
    return tx_query(tx, statement, &params, ret_rows, NULL);
}

static error
read_facts(struct tx *tx, struct arena *arena, struct notification_claim *claim)
{
    struct rows rows;
    TRY(on_alert(tx, SQL_ALERT_FACTS, &claim->at, &rows));
    if (rows.count == 0)
        return fail(arena, OVERLOADED);
    claim->alert = str_dup(arena, rows_text(&rows, 0, C_ALERT));
    claim->config = rows_is_null(&rows, 0, C_CONFIG) ? STR_EMPTY : str_dup(arena, rows_text(&rows, 0, C_CONFIG));
    claim->project_name = str_dup(arena, rows_text(&rows, 0, C_NAME));
    claim->lasts = rows_bool(&rows, 0, C_LASTS);
    return OK;
}

error
store_notification_claim(struct store *store, struct arena *arena, struct notification_place at, int64_t lease_s,
                         int64_t retry_ms, bool *ret_claimed, struct notification_claim *ret_claim)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, at.place.organization);
    params_id(&params, P_NOTIFICATION, at.notification);
    params_int(&params, P_LEASE_S, lease_s);
    params_int(&params, P_RETRY_MS, retry_ms);
    *ret_claimed = false;
    TRY(tx_begin(store, arena, at.place.organization, &tx));
    TRY(lock_alert(tx, &at));
    TRY(tx_query(tx, SQL_ALERT_NOTIFICATION_CLAIM, &params, &rows, NULL));
    if (rows.count == 0)
        return OK;
    struct notification_claim claim = {
        .at = at,
        .epoch = rows_int(&rows, 0, C_LEASE_EPOCH),
        .tries = rows_int(&rows, 0, C_TRIES),
        .notifier = rows_id(&rows, 0, C_NOTIFIER),
        .about = about_from(rows_text(&rows, 0, C_ABOUT)),
        .number = rows_int(&rows, 0, C_NUMBER),
        .age_s = rows_int(&rows, 0, C_AGE_S),
    };
    TRY(on_alert(tx, SQL_ALERT_OPENS, &at, NULL));
    TRY(read_facts(tx, arena, &claim));
    TRY(tx_commit(tx));
    *ret_claim = claim;
    *ret_claimed = true;
    return OK;
}

static void
bind_claim(struct params *params, const struct notification_claim *claim, int status)
{
    params_id(params, P_ORGANIZATION, claim->at.place.organization);
    params_id(params, P_NOTIFICATION, claim->at.notification);
    params_int(params, P_EPOCH, claim->epoch);
    if (status == 0)
        params_null(params, P_STATUS);
    else
        params_int(params, P_STATUS, status);
}

error
store_notification_sent(struct store *store, struct arena *arena, const struct notification_claim *claim, int status,
                        int64_t reminder_min)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    str document;
    int64_t revision;
    bool is_closed;
    bind_claim(&params, claim, status);
    TRY(tx_begin(store, arena, claim->at.place.organization, &tx));
    TRY(store_alert_lock(tx, claim->at.place.project, claim->at.alert, &document, &revision, &is_closed));
    TRY(tx_query(tx, SQL_ALERT_NOTIFICATION_SENT, &params, &rows, NULL));
    if (rows.count == 0)
        return OK; /* somebody else has it by now */
    TRY(on_alert(tx, SQL_ALERT_NOTIFIED, &claim->at, NULL));
    struct notification_draft reminder = {
        .place = claim->at.place,
        .alert = claim->at.alert,
        .notifier = claim->notifier,
        .about = ABOUT_REMINDER,
        .delay_min = reminder_min,
        .number = claim->number + 1,
    };
    if (reminder_min > 0 && !is_closed)
        TRY(store_notification_add(tx, &reminder));
    failpoint("alert:send:before-commit");
    return tx_commit(tx);
}

error
store_notification_failed(struct store *store, struct arena *arena, const struct notification_claim *claim, int status,
                          str why, int64_t retry_ms, enum notification_end end)
{
    static const char *const states[] = {
        [NOTIFICATION_AGAIN] = "PENDING",
        [NOTIFICATION_GIVEN_UP] = "FAILED",
        [NOTIFICATION_TAKEN_BACK] = "CANCELLED",
    };
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bind_claim(&params, claim, status);
    params_text(&params, P_WHY, why);
    params_int(&params, P_RETRY_MS, retry_ms);
    params_text(&params, P_STATE, str_from(states[end]));
    TRY(tx_begin(store, arena, claim->at.place.organization, &tx));
    TRY(lock_alert(tx, &claim->at));
    TRY(tx_query(tx, SQL_ALERT_NOTIFICATION_FAILED, &params, &rows, NULL));
    if (rows.count > 0 && end == NOTIFICATION_GIVEN_UP) {
        json_t *told =
            json_in(arena, json_pack("{s:s, s:s, s:s, s:s}", "alertId", id_text(arena, claim->at.alert).data,
                                     "notifierId", id_text(arena, claim->notifier).data, "notificationId",
                                     id_text(arena, claim->at.notification).data, "error", str_dup(arena, why).data));
        TRY(store_alert_event(tx, arena, EVENT_ALERT_NOTIFICATION_FAILED, claim->at.place, json_text(arena, told),
                              STR_EMPTY));
    }
    return tx_commit(tx);
}

/* ---- Who is told ---- */

error
store_alert_recipients(struct store *store, struct arena *arena, id organization,
                       const struct recipients_wanted *wanted, str ret_recipients[RECIPIENTS_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    if (wanted->roles.len == 0)
        params_null(&params, P_ROLES);
    else
        params_text(&params, P_ROLES, wanted->roles);
    params_id_or_null(&params, P_PROJECT, wanted->project);
    params_id_or_null(&params, P_TEAM, wanted->team);
    if (wanted->username.len == 0)
        params_null(&params, P_USERNAME);
    else
        params_text(&params, P_USERNAME, wanted->username);
    TRY(store_read(store, arena, SQL_ALERT_RECIPIENTS, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < RECIPIENTS_MAX; row++)
        ret_recipients[(*ret_count)++] = rows_text(&rows, row, C_USERNAME);
    return OK;
}
