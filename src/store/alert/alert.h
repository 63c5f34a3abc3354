/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alerts, and how far a project's events have been processed for them. Events are processed exactly once: the alerts
 * that they raise or close, their notifications and the new place are committed together. Configurations are resources
 * of kind "alertConfig".
 */
#ifndef STORE_ALERT_ALERT_H
#define STORE_ALERT_ALERT_H

#include "store/event/event.h"
#include "store/store.h"

#define ALERT_CONFIG_KIND "alertConfig"

/* ---- For requests ---- */
/* The document is empty when there is none; else it is held until the transaction ends. */
MUST_USE error store_alert_lock(struct tx *tx, id project, id alert, str *ret_document, int64_t *ret_revision,
                                bool *ret_is_closed);
/* NULL: not acknowledged any more. */
MUST_USE error store_alert_acknowledge(struct tx *tx, id project, id alert, const int64_t *until_ms, str comment,
                                       str by);
/*
 * Locks the project's cursor, and makes it when there is none: no alert is raised until the transaction ends. Call it
 * before a configuration is changed. RESOURCE_NOT_FOUND when the organization has no such project.
 */
MUST_USE error store_alert_cursor_take(struct tx *tx, id organization, id project, int64_t *ret_newest_seq);

/* A configuration with a notification of this type that lacks the field, and so uses the project's integration. */
MUST_USE error store_alert_config_borrows(struct tx *tx, id project, str type, str field, bool *ret_found,
                                          id *ret_config);

/* ---- Raising and closing ---- */
struct alert_place {
    id organization, project;
};
enum { ALERT_DUE_MAX = 16 };
MUST_USE error store_alert_due(struct store *store, struct arena *arena, struct alert_place ret_due[ALERT_DUE_MAX],
                               size_t *ret_count);
/* False when somebody else holds it. */
MUST_USE error store_alert_cursor_lock(struct tx *tx, struct alert_place place, bool *ret_held, int64_t *ret_seq);
MUST_USE error store_alert_cursor_move(struct tx *tx, struct alert_place place, int64_t seq);

struct alert_config_row {
    id id;
    str document;
};
MUST_USE error store_alert_configs(struct tx *tx, struct arena *arena, id project,
                                   const struct alert_config_row **ret_configs, size_t *ret_count);
/* Of a type within an hour up to a place and moment, of one cluster; empty: of none. */
MUST_USE error store_alert_event_count(struct tx *tx, id project, str type, int64_t seq, str cluster,
                                       int64_t created_ms, int64_t *ret_count);

struct alert_draft {
    struct alert_place place;
    id alert, config, event;
    str event_type, severity, cluster; /* cluster may be empty */
    bool is_tracked;                   /* nobody is told at once */
    bool lasts;
    int64_t open_s; /* of one that does not last */
    int64_t event_count, created_ms;
};
/* The document is empty when there was one already. */
MUST_USE error store_alert_add(struct tx *tx, const struct alert_draft *draft, str *ret_document);

enum { ALERT_ENDING_MAX = 500 };
/* Those that last of one cluster (empty: of none), locked. */
MUST_USE error store_alert_ending(struct tx *tx, id project, id config, str cluster, id ret_alerts[ALERT_ENDING_MAX],
                                  size_t *ret_count);
/* Those that last of any cluster, locked. */
MUST_USE error store_alert_ending_of_config(struct tx *tx, id project, id config, id ret_alerts[ALERT_ENDING_MAX],
                                            size_t *ret_count);
/* Those of one moment, all at once: nothing ended with them, so there are no events. */
MUST_USE error store_alert_close_moments(struct tx *tx, id project, id config);
/* The document is empty when it was closed before. What was not sent is taken back. */
MUST_USE error store_alert_close(struct tx *tx, id organization, id alert, str *ret_document, str *ret_cluster);

struct alert_closing {
    struct alert_place place;
    id alert;
};
enum { ALERT_CLOSING_MAX = 100 };
MUST_USE error store_alert_closing(struct store *store, struct arena *arena,
                                   struct alert_closing ret_closing[ALERT_CLOSING_MAX], size_t *ret_count);

/* The event of something that the worker did with an alert. */
MUST_USE error store_alert_event(struct tx *tx, struct arena *arena, enum event_type type, struct alert_place place,
                                 str document, str cluster);

#endif
