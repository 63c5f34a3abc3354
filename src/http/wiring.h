/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the nginx module needs from the rest of the program, so that http/ knows neither reeve.conf nor any family.
 * main/wiring.c implements it.
 */
#ifndef HTTP_WIRING_H
#define HTTP_WIRING_H

#include <stdbool.h>
#include <stddef.h>

#include "api/api.h"
#include "operator/operator.h"

/* For fair.h. */
struct fair_limits {
    int threads; /* of a process, for requests that are not large */
    int large;   /* threads beside them, for those that are */
    int tools;   /* and for what tenants want to know of the stores of measurements */
    int waiting; /* requests that may wait for either, all callers together */
    int share;   /* percent of them that one caller may have at a time */
};

/* One reading of reeve.conf. */
struct wiring;

/* In the master, each time nginx reads its configuration: reads reeve.conf and its key, checks the catalog. NULL with a
 * text in `ret_problem` when anything is wrong. */
MUST_USE struct wiring *wiring_load(const char *conf_path, char *ret_problem, size_t problem_bytes);
void wiring_free(struct wiring *wiring);

/* Writes the part of nginx's configuration that comes from reeve.conf. */
MUST_USE bool wiring_write_nginx_config(const struct wiring *wiring, const char *path, char *ret_problem,
                                        size_t problem_bytes);

size_t wiring_operation_count(void);
const char *wiring_operation_name(const void *context, size_t index); /* for metrics_text() */

/* In a worker: starts everything that answers requests, with its threads. */
MUST_USE struct api *wiring_start(struct wiring *wiring, struct metrics *metrics);
struct api *wiring_agents(const struct wiring *wiring); /* once started; NULL when hosts do not talk to this node */
struct operator_api *wiring_operator_api(const struct wiring *wiring); /* once started */
const char *wiring_agent_address(const struct wiring *wiring);
void wiring_stop(struct wiring *wiring);
/* Bounds of a process, from reeve.conf. */
struct process_bounds {
    size_t caller_bytes, request_bytes;     /* ledger.c */
    int64_t send_span_ms, send_min_bytes_s; /* unsent.c */
    int64_t log_lines_per_minute;           /* log_share.c */
};
struct process_bounds wiring_bounds(const struct wiring *wiring);
struct store_config wiring_store_config(const struct wiring *wiring);
/* How many requests may be under way at a time, and of one caller. */
struct fair_limits wiring_fair_limits(const struct wiring *wiring);

#endif
