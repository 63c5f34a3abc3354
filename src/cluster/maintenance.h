/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When work that the operator starts may begin in a project: one hour of the week, which the project chooses. The
 * caller passes the current time.
 */
#ifndef CLUSTER_MAINTENANCE_H
#define CLUSTER_MAINTENANCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The one resource of a project that holds the window; without it there is none. */
#define MAINTENANCE_KIND  "maintenanceWindow"
#define MAINTENANCE_ROUND "round" /* its hidden field: the maintenance that waits, or was the last to begin */

/* A job in this step waits, and newer jobs of its subject may run before it. store/queue/sql/ uses the name as well. */
#define MAINTENANCE_STEP "wait-window"

enum { MAINTENANCE_MOST_DEFERRALS = 2, MAINTENANCE_HOUR_MS = 3600 * 1000, MAINTENANCE_WEEK_MS = 7 * 24 * 3600 * 1000 };

struct maintenance {
    int day, hour; /* day 1 is Sunday; 0: there is no window */
    bool starts_asap, defers_once;
    bool has_protected;
    int protected_from, protected_to; /* hours of the day; the first is protected, the last is not */
    /* The round. */
    int64_t starts_ms; /* 0: there was none yet */
    bool has_begun;
    int deferrals;
};

struct maintenance maintenance_read(const json_t *document);
/* Writes the round, and the number of deferrals that is shown. */
void maintenance_write_round(json_t *document, const struct maintenance *window);

/* Whether nothing may begin in that hour of the day. */
bool maintenance_is_protected(const struct maintenance *window, int hour);
/* Begin of the hour in which `now_ms` lies, or of the next one that the window allows. */
int64_t maintenance_next(const struct maintenance *window, int64_t now_ms);

/*
 * Whether maintenance that is ready may begin. If not, *ret_when is when it may, and a round is planned unless one
 * waits. After a missed window comes the next one.
 */
bool maintenance_may_begin(struct maintenance *window, int64_t now_ms, int64_t *ret_when);
/* A week later. False when it was put off as often as it can be. */
bool maintenance_defer(struct maintenance *window);
/* After day or hour was changed: what waits begins at the new hour, and stays put off. */
void maintenance_plan_again(struct maintenance *window, int64_t now_ms);

#endif
