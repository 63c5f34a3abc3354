/* SPDX-License-Identifier: Apache-2.0 */
#include "main/node.h"

#include <stdlib.h>

#include "api/catalog.h"
#include "api/document/openapi.h"
#include "api/stage/stages.h"
#include "api/stage_list.h"
#include "base/json.h"
#include "base/log.h"
#include "family/families.h"
#include "family/monitor/tools.h"
#include "monitor/stores.h"

const struct catalog *
node_catalog(FILE *problems)
{
    static const struct catalog *catalog;
    if (catalog == NULL) {
        json_init();
        catalog = catalog_new(all_families, problems);
    }
    return catalog;
}

const struct catalog *
node_operator_catalog(FILE *problems)
{
    static const struct catalog *catalog;
    if (catalog == NULL) {
        json_init();
        catalog = catalog_new(operator_families, problems);
    }
    return catalog;
}

/* ---- Counters: the operations of the API, the addresses beside them, the operations of operators, what agents ask ---- */

size_t
node_first_operator_counter(void)
{
    return catalog_count(node_catalog(stderr)) + other_path_count();
}

size_t
node_first_agent_counter(void)
{
    return node_first_operator_counter() + catalog_count(node_operator_catalog(stderr));
}

size_t
node_counter_count(void)
{
    return node_first_agent_counter() + agents_count();
}

const char *
node_counter_name(const void *context, size_t index)
{
    (void)context;
    size_t operations = catalog_count(node_catalog(stderr)), operators = node_first_operator_counter(),
           agents = node_first_agent_counter();
    if (index < operations)
        return catalog_at(node_catalog(stderr), index)->operation;
    if (index < operators)
        return other_path_name(index - operations);
    if (index < agents)
        return catalog_at(node_operator_catalog(stderr), index - operators)->operation;
    return agents_name(index - agents);
}

/* ---- ---- */

struct operator_api *
node_operator_api_new(const struct config *config, struct store *store, struct auth *auth, struct metrics *metrics,
                      char url[CONFIG_URL_BYTES])
{
    if (config->operator_base_url[0] != '\0')
        snprintf(url, CONFIG_URL_BYTES, "%s", config->operator_base_url);
    else
        snprintf(url, CONFIG_URL_BYTES, "http%s://%s", config->operator_certificate[0] != '\0' ? "s" : "",
                 config->operator_listen);
    struct operator_api_config operators = {
        .store = store,
        .auth = auth,
        .master_key = config->key,
        .base_url = str_from(url),
        .agent_listen = config->agent_listen,
        .payment_due_days = config->payment_due_days,
        .metrics = metrics,
        .first_counter = node_first_operator_counter(),
    };
    const struct catalog *catalog = node_operator_catalog(stderr);
    struct operator_api *made = catalog == NULL ? NULL : operator_api_new(catalog, &operators);
    crypto_wipe(&operators, sizeof(operators));
    return made;
}

struct store_config
node_store_config(const struct config *config)
{
    return (struct store_config){
        .dsn = config->database,
        .max_transactions = (int)config->transactions,
        .readers = (int)config->readers,
        .pool_wait_ms = (int)config->pool_wait_ms,
        .statement_timeout_ms = (int)config->statement_timeout_ms,
        .large_timeout_ms = (int)config->large_timeout_ms,
        .cell = (uint16_t)config->cell,
    };
}

struct fleet *
node_fleet_new(const struct config *config, struct monitor_stores *monitor)
{
    struct fleet_config fleet = {
        .store = node_store_config(config),
        .master_key = config->key,
        .domain = config->domain,
        .etcd = config->etcd.values,
        .etcd_count = config->etcd.count,
        .logs = { .networks = config->egress_allow.values,
                  .network_count = config->egress_allow.count,
                  .authority_file = config->egress_ca,
                  .relay = config->alert_relay },
        .monitor = monitor,
    };
    fleet.store.max_transactions = AGENT_THREADS;
    struct fleet *made = fleet_new(&fleet);
    crypto_wipe(&fleet, sizeof(fleet));
    return made;
}

static bool
read_egress(const struct config *config, struct egress_allowed *ret_allowed)
{
    struct net_block *blocks = calloc(config->egress_allow.count + 1, sizeof(*blocks));
    for (size_t i = 0; blocks != NULL && i < config->egress_allow.count; i++) {
        if (!net_parse_block(str_from(config->egress_allow.values[i]), &blocks[i]))
            abort(); /* config_load() let only blocks through */
    }
    *ret_allowed = (struct egress_allowed){ blocks == NULL ? 0 : config->egress_allow.count, blocks };
    return blocks != NULL;
}

/* False without memory. */
static bool
make_openapi(struct node *node)
{
    enum { MOST_BYTES = 64 * 1024 * 1024 };
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(MOST_BYTES);
    if (arena == NULL || node->api.catalog == NULL)
        return false;
    str made = openapi_document(arena, node->api.catalog, node->api.base_url);
    node->openapi = malloc(made.len + 1);
    if (node->openapi == NULL || made.len == 0)
        return false;
    memcpy(node->openapi, made.data, made.len);
    node->openapi[made.len] = '\0';
    node->api.openapi = (str){ node->openapi, made.len };
    return true;
}

struct node *
node_new(const struct config *config, struct metrics *metrics)
{
    struct node *node = calloc(1, sizeof(*node));
    if (node == NULL)
        return NULL;
    node->store_config = node_store_config(config);
    node->store_config.large_readers = (int)config->large_readers;
    struct limit_config limit = {
        .redis_socket = config->redis_places[0].socket,
        .redis_host = config->redis_places[0].host,
        .redis_port = config->redis_places[0].port,
        .others = config->redis_places + 1,
        .other_count = config->redis.count - 1,
        .redis_timeout_ms = (int)config->redis_timeout_ms,
        .guard_failures_per_minute = (int)config->guard_failures_per_minute,
        .guard_tries_per_minute = (int)config->guard_tries_per_minute,
    };
    struct auth_config auth = {
        .base_url = str_from(config->base_url),
        .dsn = config->database,
        .master_key = config->key,
        .token_lifetime_s = (int)config->token_lifetime_s,
    };
    struct api *api = &node->api;
    api->stages = &tenant_stages;
    api->metrics = metrics;
    api->base_url = str_from(config->base_url);
    api->control_plane_addresses = config->control_plane_addresses.values;
    if (!name_scheme_from(str_from(config->cluster_names), &node->naming.scheme))
        abort(); /* config_load() let only schemes through */
    node->naming.port = config->cluster_port;
    node->naming.pooler_port = config->pooler_port;
    api->naming = &node->naming;
    api->takes_passwords = strcmp(config->people_passwords, "on") == 0;
    api->has_console = config_has_console(config);
    api->sends_mail = config->smtp[0] != '\0';
    api->catalog = node_catalog(stderr);
    api->store = store_new(&node->store_config);
    api->limiter = limiter_new(&limit);
    if (read_egress(config, &api->egress) && api->store != NULL && api->limiter != NULL)
        api->auth = auth_new(api->store, api->limiter, &auth);
    crypto_wipe(&auth, sizeof(auth));
    node->monitor = monitor_stores_new(config->monitor_stores.values, config->monitor_stores.count, &monitor_http);
    api->monitor = node->monitor;
    api->answer_tool = tools_answer;
    api->egress_ca = config->egress_ca[0] == '\0' ? NULL : config->egress_ca;
    api->send_form = post_init() ? poster_send_form : NULL;
    if (config->agent_identity.key.len > 0)
        api->log_side = tls_side_new(TLS_CLIENT, config->agent_identity.certificate, config->agent_identity.key,
                                     config->agent_identity.authority);
    bool has_agents = config->agent_listen[0] != '\0' && metrics != NULL;
    if (has_agents)
        node->fleet = node_fleet_new(config, node->monitor);
    if (node->fleet != NULL)
        node->agents = agents_new(node->fleet, metrics, node_first_agent_counter());
    if (api->auth != NULL)
        node->operators = node_operator_api_new(config, api->store, api->auth, metrics, node->operator_url);
    bool has_document = metrics == NULL || make_openapi(node); /* commands answer nobody */
    if (api->catalog != NULL && node->operators != NULL && node->monitor != NULL && has_document &&
        (!has_agents || node->agents != NULL)) {
        if (metrics != NULL)
            node->presence =
                presence_new(api->store, "API", config->operator_listen, config->operator_certificate[0] != '\0');
        return node;
    }
    log_line(LOG_ERROR, "node_start", "The process has no memory or no threads to start with.");
    node_free(node);
    return NULL;
}

void
node_free(struct node *node)
{
    if (node == NULL)
        return;
    /* In the order of who uses whom. */
    presence_free(node->presence);
    operator_api_free(node->operators);
    agents_free(node->agents);
    fleet_free(node->fleet);
    if (node->api.auth != NULL)
        auth_free(node->api.auth);
    if (node->api.limiter != NULL)
        limiter_free(node->api.limiter);
    if (node->api.store != NULL)
        store_free(node->api.store);
    monitor_stores_free(node->monitor);
    tls_side_free(node->api.log_side);
    free((void *)node->api.egress.blocks);
    free(node->openapi);
    free(node);
}
