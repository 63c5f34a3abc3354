/* SPDX-License-Identifier: Apache-2.0 */
/* What the worker needs to compare measurements with configurations: all configurations page by page, the members of their projects, and what is open. */
#ifndef STORE_ALERT_ALERT_METRIC_H
#define STORE_ALERT_ALERT_METRIC_H

#include "store/alert/alert.h"

struct metric_config {
    struct alert_place place;
    id config;
    str threshold, matchers; /* JSON */
};
/* By project, behind a place; ID_NONE for both: from the first. */
MUST_USE error store_metric_configs(struct store *store, struct arena *arena, id project, id config, int64_t limit,
                                    struct metric_config **ret_configs, size_t *ret_count);

struct metric_member {
    id project, member;
    str cluster, process, set_name, type;
    bool analytics;
};
/* Of projects, as identifiers with commas between them; by project. */
MUST_USE error store_metric_members(struct store *store, struct arena *arena, str projects,
                                    struct metric_member **ret_members, size_t *ret_count);

struct metric_alert {
    id config, member, alert;
};
MUST_USE error store_metric_alerts(struct store *store, struct arena *arena, str projects,
                                   struct metric_alert **ret_alerts, size_t *ret_count);

struct metric_alert_draft {
    struct alert_place place;
    id alert, config, member;
    str severity, cluster, process, metric, units;
    double value;
    bool is_tracked; /* nobody is told at once */
};
/* The document is empty when there was one already. */
MUST_USE error store_metric_alert_add(struct tx *tx, const struct metric_alert_draft *draft, str *ret_document);

#endif
