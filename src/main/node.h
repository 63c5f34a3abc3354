/* SPDX-License-Identifier: Apache-2.0 */
/* One process of a node: store, limiter, authentication and catalog, put together from the configuration. */
#ifndef MAIN_NODE_H
#define MAIN_NODE_H

#include "api/api.h"
#include "cluster/names.h"
#include "fleet/agent.h"
#include "job/operator/presence.h"
#include "main/config.h"
#include "operator/operator.h"

enum { CONFIG_URL_BYTES = 320 };

struct node {
    struct api api;
    struct monitor_stores *monitor; /* of measurements */
    struct store_config store_config;
    struct cluster_naming naming;   /* of new clusters */
    struct fleet *fleet;            /* NULL unless hosts talk to this node */
    struct agents *agents;          /* the same */
    struct operator_api *operators; /* where operators are served */
    struct presence *presence;      /* of processes that answer requests */
    char operator_url[CONFIG_URL_BYTES];
    char *openapi; /* the API's document */
};

/* The catalog of all families, checked the first time; NULL with every mistake in `problems`. Never freed. */
MUST_USE const struct catalog *node_catalog(FILE *problems);

/* The same of the operator's API. */
MUST_USE const struct catalog *node_operator_catalog(FILE *problems);

/* The operations by which a node counts requests: those of its APIs, and the other paths. */
size_t node_counter_count(void);
const char *node_counter_name(const void *context, size_t index); /* for metrics_text() */
size_t node_first_operator_counter(void);
size_t node_first_agent_counter(void);

/* The operators' API of this configuration, its key read, on this store; `auth` may be NULL. `url` is filled in, and must live as long. */
MUST_USE struct operator_api *node_operator_api_new(const struct config *config, struct store *store, struct auth *auth,
                                                    struct metrics *metrics, char url[CONFIG_URL_BYTES]);

struct store_config node_store_config(const struct config *config);
/* The fleet of this configuration, its key read, with database connections of its own. */
MUST_USE struct fleet *node_fleet_new(const struct config *config, struct monitor_stores *monitor);
enum { AGENT_THREADS = 4 }; /* of each process */

/*
 * Starts the threads, so never before a fork. The configuration, its key read, must outlive the node; `metrics` may be
 * NULL. NULL when there is no memory or no thread. Does not wait for the database or Redis.
 */
MUST_USE struct node *node_new(const struct config *config, struct metrics *metrics);
void node_free(struct node *node);

#endif
