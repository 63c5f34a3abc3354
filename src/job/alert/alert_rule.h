/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events can raise an alert. Some begin a state that a later event ends: their alerts stay open until then. The
 * others are about one moment: their alerts close by themselves.
 */
#ifndef JOB_ALERT_ALERT_RULE_H
#define JOB_ALERT_ALERT_RULE_H

#include <jansson.h>

#include "base/str.h"

enum alert_severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_CRITICAL };
extern const char *const alert_severity_names[]; /* NULL at the end */

struct alert_rule {
    const char *type;             /* of the event */
    enum alert_severity severity; /* unless the configuration says another */
    const char *ended_by;         /* types, separated by commas; NULL: it is of one moment */
};
extern const struct alert_rule alert_rules[]; /* without a type at the end */
extern const char *const alert_type_names[];  /* these types, and ALERT_METRIC_TYPE; NULL at the end */

/* Raised by what is measured, not by an event (metric_alert_sweep.c). */
#define ALERT_METRIC_TYPE "OUTSIDE_METRIC_THRESHOLD"

/* NULL when it cannot raise one. */
const struct alert_rule *alert_rule_find(str type);
/* Whether an event of that type about the same cluster ends what the rule's event began. */
bool alert_rule_is_ended_by(const struct alert_rule *rule, str type);

/* ---- Matchers: all must hold ---- */
extern const char *const alert_matcher_fields[], *const alert_matcher_operators[]; /* NULL at the end */
/* What they compare, by the place of its name in alert_matcher_fields. An event is about a cluster at most. What has no name matches nothing. */
enum alert_matcher_field {
    MATCH_CLUSTER,
    MATCH_HOSTNAME,
    MATCH_PROCESS,
    MATCH_PORT,
    MATCH_SET,
    MATCH_TYPE,
    MATCH_FIELDS
};
struct alert_matched {
    str fields[MATCH_FIELDS];
};
bool alert_matchers_hold(const json_t *matchers, const struct alert_matched *what);
/* Whether it is a regular expression. */
bool alert_expression_is_fine(str expression);

#endif
