/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of webhooks in a form of the project's own: JSON in which {{name}} stands for a fact of the alert. Facts are put in as text and
 * nothing is evaluated, so a template costs as much as it is long.
 */
#ifndef JOB_ALERT_ALERT_TEMPLATE_H
#define JOB_ALERT_ALERT_TEMPLATE_H

#include "base/str.h"

enum { ALERT_TEMPLATE_MAX = 4096 };

// clang-format off
#define ALERT_TEMPLATE_FACTS(ROW) \
    ROW(about) ROW(alertId) ROW(clusterName) ROW(created) ROW(eventType) ROW(metric) ROW(notificationId) ROW(process) ROW(projectId) \
    ROW(projectName) ROW(resolved) ROW(severity) ROW(status) ROW(subject) ROW(text) ROW(unit) ROW(value)
// clang-format on
#define ALERT_TEMPLATE_FACT(name) TEMPLATE_##name,
enum alert_template_fact { ALERT_TEMPLATE_FACTS(ALERT_TEMPLATE_FACT) ALERT_TEMPLATE_FACT_COUNT };

/* Why it can be no body, as half a sentence; empty: it can. */
str alert_template_problem(struct arena *arena, str text);
/* Empty when it would be too long, or the arena is full. */
str alert_template_fill(struct arena *arena, str text, const str facts[ALERT_TEMPLATE_FACT_COUNT]);

#endif
