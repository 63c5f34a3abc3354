/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people's own Prometheus and Grafana ask for: /api/prometheus/{project} and behind it
 *   /api/v1/query, query_range, labels, label/…/values, series   as Prometheus answers them
 *   /targets                                                     where to scrape, for http_sd_configs
 *   /federate                                                    what is measured now, as text
 * These are not operations of the API. The credentials are those of the project's integration PROMETHEUS.
 */
#ifndef FAMILY_MONITOR_TOOLS_H
#define FAMILY_MONITOR_TOOLS_H

#include "api/api.h"
#include "monitor/stores.h"
#include "monitor/tool_question.h"

error tools_answer(struct request *req);

/* ---- Between tools.c and tool_scrape.c ---- */
enum { TOOLS_ANSWER_BYTES = 4 * 1024 * 1024 };
struct tools_reply {
    int status; /* of the store; 0: none answered */
    bool is_too_long;
    str body;
};
/* Asks the stores in turn until one answers. */
struct tools_reply tools_ask(struct request *req, const struct tool_question *question);
/* An error in Prometheus' own form, which its clients show. */
void tools_refuse(struct request *req, unsigned status, const char *type, str why);
void tools_reply(struct request *req, str body, str content_type);
/* What the store said when it said no, or nothing. */
void tools_refuse_reply(struct request *req, const struct tools_reply *reply);

MUST_USE error tools_targets(struct request *req);
MUST_USE error tools_federate(struct request *req, const struct tool_parameters *given);

#endif
