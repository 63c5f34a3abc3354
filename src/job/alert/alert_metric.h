/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which measurements an alert configuration can compare. Their names are those of the specification as far as it has a name for something that
 * PostgreSQL or its host has too; the last ones are PostgreSQL's own.
 */
#ifndef JOB_ALERT_ALERT_METRIC_H
#define JOB_ALERT_ALERT_METRIC_H

#include <jansson.h>

#include "base/str.h"

/* What a threshold is written in. Values of stores are in bytes, milliseconds, or plain numbers. */
enum alert_dimension { ALERT_RAW, ALERT_DATA, ALERT_TIME, ALERT_DIMENSIONS };

struct alert_metric {
    const char *name;
    enum alert_dimension dimension;
    const char
        *query; /* for a store: one value for each member, whoever's it is. Nothing that a tenant wrote is in it. */
};
extern const struct alert_metric alert_metrics[]; /* without a name at the end */
extern const char *const alert_metric_names[];    /* NULL at the end */

/* NULL when there is none. */
const struct alert_metric *alert_metric_find(str name);

/* Members for analytics fall behind on purpose while a report runs: nobody is told of that. */
bool alert_metric_is_meant(const struct alert_metric *metric, bool is_for_analytics);

/* ---- Units ---- */
extern const char *const alert_unit_names[]; /* of all dimensions; NULL at the end */
/* False when the dimension has no such unit. What one of it is in the store's unit. */
MUST_USE bool alert_unit_find(enum alert_dimension dimension, str name, double *ret_factor);
/* What a threshold without a unit is in. */
const char *alert_unit_fallback(enum alert_dimension dimension);

/* ---- Thresholds ---- */
/* `{"metricName", "operator", "threshold", "units"}`, as it is stored. */
struct alert_threshold {
    const struct alert_metric *metric;
    bool is_less;
    double threshold, factor;
    str units;
};
/* False when it makes no sense. */
MUST_USE bool alert_threshold_read(const json_t *document, struct alert_threshold *ret_threshold);
/* Whether a value as a store has it is outside. */
bool alert_threshold_is_passed(const struct alert_threshold *threshold, double value);

#endif
