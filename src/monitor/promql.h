/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions that tenants wrote, read before a store gets to see them. Only PromQL passes: what stores understand beyond it is refused,
 * because some of it ends the store's process or takes as long as its author likes. Every selector gets the project as one more matcher.
 */
#ifndef MONITOR_PROMQL_H
#define MONITOR_PROMQL_H

#include "base/id.h"

enum {
    PROMQL_MOST_BYTES = 8 * 1024,
    PROMQL_MOST_POINTS = 11000, /* of a series; what Prometheus allows */
    /* Samples of one series that may be looked at, each as often as it is: some half a second. A store looks at its clock
     * between two series only. */
    PROMQL_MOST_VISITS = 20 * 1000 * 1000,
    PROMQL_DEFAULT_STEP_MS = 5 * 60 * 1000, /* of a question about one moment, in subqueries that say none */
};

/* What the expression is asked for: one moment has a span of 0. */
struct promql_span {
    int64_t span_ms, step_ms;
};

/* The expression, of series of the project only. False, with a sentence for its author, when it is none, or too much. */
MUST_USE bool promql_confine(struct arena *arena, str text, struct promql_span span, id project, str *ret_text,
                             str *ret_why);
/* The same for what only selects series: `name{label="value"}`. */
MUST_USE bool promql_confine_selector(struct arena *arena, str text, id project, str *ret_text, str *ret_why);
/* "1h30m", "15s". */
MUST_USE bool promql_duration(str text, int64_t *ret_ms);
/* A name that a label can have. */
bool promql_is_label(str text);

#endif
