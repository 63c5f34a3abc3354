/* SPDX-License-Identifier: Apache-2.0 */
#include "http/wiring.h"

#include <errno.h>
#include <stdlib.h>

#include "api/catalog.h"
#include "base/failpoint.h"
#include "main/files.h"
#include "main/nginx_config.h"
#include "main/node.h"

struct wiring {
    struct config *config;
    struct node *node;
};

static bool
load(struct wiring *wiring, const char *conf_path, FILE *problems)
{
    if (!failpoint_init(getenv(FAILPOINT_VARIABLE), problems))
        return false;
    wiring->config = config_load(conf_path, problems);
    if (wiring->config != NULL)
        config_read_agent_identity(wiring->config);
    return wiring->config != NULL && config_read_key(wiring->config, problems) && node_catalog(problems) != NULL &&
           node_operator_catalog(problems) != NULL;
}

struct wiring *
wiring_load(const char *conf_path, char *ret_problem, size_t problem_bytes)
{
    struct wiring *wiring = calloc(1, sizeof(*wiring));
    FILE *problems = fmemopen(ret_problem, problem_bytes, "w");
    bool loaded = wiring != NULL && problems != NULL && load(wiring, conf_path, problems);
    if (problems != NULL)
        (void)fclose(problems);
    ret_problem[problem_bytes - 1] = '\0';
    if (loaded)
        return wiring;
    wiring_free(wiring);
    return NULL;
}

void
wiring_free(struct wiring *wiring)
{
    if (wiring == NULL)
        return;
    config_free(wiring->config);
    free(wiring);
}

bool
wiring_write_nginx_config(const struct wiring *wiring, const char *path, char *ret_problem, size_t problem_bytes)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    FILE *problems = fmemopen(ret_problem, problem_bytes, "w");
    struct nginx_facts facts;
    bool written = false;
    if (arena != NULL && problems != NULL && nginx_facts_find(arena, wiring->config, problems, &facts)) {
        str text = nginx_config_rest(arena, wiring->config, facts);
        written = text.len > 0 && files_replace(path, text);
        if (!written)
            fprintf(problems, "%s: %s\n", path, strerror(errno));
    }
    if (problems != NULL)
        (void)fclose(problems);
    ret_problem[problem_bytes - 1] = '\0';
    return written;
}

size_t
wiring_operation_count(void)
{
    return node_counter_count();
}

const char *
wiring_operation_name(const void *context, size_t index)
{
    return node_counter_name(context, index);
}

struct api *
wiring_start(struct wiring *wiring, struct metrics *metrics)
{
    wiring->node = node_new(wiring->config, metrics);
    return wiring->node == NULL ? NULL : &wiring->node->api;
}

struct api *
wiring_agents(const struct wiring *wiring)
{
    return wiring->node->agents == NULL ? NULL : agents_api(wiring->node->agents);
}

struct operator_api *
wiring_operator_api(const struct wiring *wiring)
{
    return wiring->node->operators;
}

const char *
wiring_agent_address(const struct wiring *wiring)
{
    return wiring->config->agent_listen;
}

void
wiring_stop(struct wiring *wiring)
{
    node_free(wiring->node);
    wiring->node = NULL;
}

struct process_bounds
wiring_bounds(const struct wiring *wiring)
{
    enum { MIB = 1024 * 1024, MS_PER_S = 1000 };
    const struct config *config = wiring->config;
    return (struct process_bounds){
        .caller_bytes = (size_t)config->caller_memory_mb * MIB,
        .request_bytes = (size_t)config->request_memory_mb * MIB,
        .send_span_ms = config->send_timeout_s * MS_PER_S,
        .send_min_bytes_s = config->send_min_bytes_s,
        .log_lines_per_minute = config->log_lines_per_minute,
    };
}

struct store_config
wiring_store_config(const struct wiring *wiring)
{
    return node_store_config(wiring->config);
}

struct fair_limits
wiring_fair_limits(const struct wiring *wiring)
{
    const struct config *config = wiring->config;
    return (struct fair_limits){
        .threads = (int)config->threads,
        .large = (int)config->large_readers,
        .tools = (int)config->tool_readers,
        .waiting = (int)config->thread_queue,
        .share = (int)config->caller_share,
    };
}
