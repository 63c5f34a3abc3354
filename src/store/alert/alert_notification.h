/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifications of alerts: one row for each notification to send. A worker claims a row for a while, sends it, and
 * records that if it still has the claim. After a crash in between it is sent again, with the same id.
 */
#ifndef STORE_ALERT_ALERT_NOTIFICATION_H
#define STORE_ALERT_ALERT_NOTIFICATION_H

#include "store/alert/alert.h"

enum notification_about { ABOUT_OPENED, ABOUT_REMINDER, ABOUT_CLOSED };
extern const char *const notification_about_words[]; /* NULL at the end */

struct notification_draft {
    struct alert_place place;
    id alert, notifier;
    enum notification_about about;
    int64_t delay_min;
    int64_t number; /* of the reminder */
};
/* Nothing happens when there is one like it. */
MUST_USE error store_notification_add(struct tx *tx, const struct notification_draft *draft);
/* Notifiers that sent the opening, or may have sent it. */
enum { NOTIFIERS_MAX = 100 };
MUST_USE error store_notification_told(struct tx *tx, id organization, id alert, id ret_notifiers[NOTIFIERS_MAX],
                                       size_t *ret_count);

/* ---- Sending ---- */
struct notification_place {
    struct alert_place place;
    id alert, notification;
};
enum { NOTIFICATION_DUE_MAX = 32 };
MUST_USE error store_notification_due(struct store *store, struct arena *arena,
                                      struct notification_place ret_due[NOTIFICATION_DUE_MAX], size_t *ret_count);

struct notification_claim {
    struct notification_place at;
    int64_t epoch; /* of the lease: a holder of an older one cannot write any more */
    int64_t tries, number, age_s;
    id notifier;
    enum notification_about about;
    str alert;  /* as the API shows it */
    str config; /* as it is stored; empty: it is gone */
    str project_name;
    bool lasts;
};
/* False when somebody else has it. Each of these is a transaction of its own. */
MUST_USE error store_notification_claim(struct store *store, struct arena *arena, struct notification_place at,
                                        int64_t lease_s, int64_t retry_ms, bool *ret_claimed,
                                        struct notification_claim *ret_claim);
/* With the reminder that follows it after so many minutes; 0: none. */
MUST_USE error store_notification_sent(struct store *store, struct arena *arena, const struct notification_claim *claim,
                                       int status, int64_t reminder_min);
enum notification_end { NOTIFICATION_AGAIN, NOTIFICATION_GIVEN_UP, NOTIFICATION_TAKEN_BACK };
MUST_USE error store_notification_failed(struct store *store, struct arena *arena,
                                         const struct notification_claim *claim, int status, str why, int64_t retry_ms,
                                         enum notification_end end);

/* ---- Who is told: user names, which are addresses ---- */
struct recipients_wanted {
    str roles; /* as PostgreSQL writes a text[]; empty: any */
    id project;
    id team; /* zero: whoever */
    str username;
};
enum { RECIPIENTS_MAX = 100 };
MUST_USE error store_alert_recipients(struct store *store, struct arena *arena, id organization,
                                      const struct recipients_wanted *wanted, str ret_recipients[RECIPIENTS_MAX],
                                      size_t *ret_count);

#endif
