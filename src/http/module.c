/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start and stop. The master reads reeve.conf while nginx reads its own configuration, so that a mistake leaves the old
 * configuration in force; workers inherit what was read and start their threads after the fork.
 */
#include "http/module.h"

#include <ngx_event.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "api/metrics.h"
#include "base/log.h"
#include "http/wiring.h"
#include "http/worker.h"

enum { PROBLEM_BYTES = 4096 };

struct reeve_conf {
    struct wiring *wiring;
};

/* Made once by the master and kept over reloads: counters never go back. */
static struct metrics *metrics;

static void *
create_conf(ngx_cycle_t *cycle)
{
    return ngx_pcalloc(cycle->pool, sizeof(struct reeve_conf));
}

static void
free_wiring(void *wiring)
{
    wiring_free(wiring);
}

/* nginx cuts a line of its log at 2 KiB; so each problem gets a line. */
static char *
complain(ngx_conf_t *cf, char *problem)
{
    for (char *line = problem, *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        if (*end == '\n')
            *end++ = '\0';
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "%s", line);
    }
    return NGX_CONF_ERROR;
}

static char *
read_reeve_conf(ngx_conf_t *cf, ngx_command_t *cmd, void *data)
{
    (void)cmd;
    struct reeve_conf *conf = data;
    char problem[PROBLEM_BYTES] = "";
    if (conf->wiring != NULL)
        return (char *)"is duplicate";
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(cf->cycle->pool, 0);
    if (cleanup == NULL)
        return NGX_CONF_ERROR;
    ngx_str_t *words = cf->args->elts;
    conf->wiring = wiring_load((const char *)words[1].data, problem, sizeof(problem));
    if (conf->wiring == NULL)
        return complain(cf, problem);
    cleanup->handler = free_wiring;
    cleanup->data = conf->wiring;
    return NGX_CONF_OK;
}

/* Writes what follows from reeve.conf into a file, then reads that file as `include` does. */
static char *
include_generated(ngx_conf_t *cf, ngx_command_t *cmd, void *data)
{
    (void)cmd;
    struct reeve_conf *conf = data;
    char problem[PROBLEM_BYTES] = "";
    ngx_str_t *words = cf->args->elts;
    if (conf->wiring == NULL)
        return (char *)"must stand behind reeve_conf";
    if (!wiring_write_nginx_config(conf->wiring, (const char *)words[1].data, problem, sizeof(problem)))
        return complain(cf, problem);
    ngx_str_t file = words[1]; /* cf->args is used again while it is read */
    return ngx_conf_parse(cf, &file);
}

static ngx_command_t commands[] = {
    { ngx_string("reeve_conf"), NGX_MAIN_CONF | NGX_DIRECT_CONF | NGX_CONF_TAKE1, read_reeve_conf, 0, 0, NULL },
    { ngx_string("reeve_include"), NGX_MAIN_CONF | NGX_DIRECT_CONF | NGX_CONF_TAKE1, include_generated, 0, 0, NULL },
    ngx_null_command,
};

static struct reeve_conf *
conf_of(ngx_cycle_t *cycle)
{
    return (struct reeve_conf *)ngx_get_conf(cycle->conf_ctx, ngx_reeve_module);
}

static ngx_int_t
init_module(ngx_cycle_t *cycle)
{
    if (conf_of(cycle)->wiring == NULL || metrics != NULL)
        return NGX_OK;
    metrics = metrics_new(wiring_operation_count());
    return metrics == NULL ? NGX_ERROR : NGX_OK;
}

static ngx_int_t
init_process(ngx_cycle_t *cycle)
{
    struct wiring *wiring = conf_of(cycle)->wiring;
    if (wiring == NULL || (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE))
        return NGX_OK;
    if (ngx_process == NGX_PROCESS_WORKER) {
        /* A master that was killed cannot tell its workers to end; they would keep its ports. */
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != ngx_parent)
            return NGX_ERROR;
    }
    return worker_start(cycle, wiring, metrics) ? NGX_OK : NGX_ERROR;
}

static void
exit_process(ngx_cycle_t *cycle)
{
    if (conf_of(cycle)->wiring != NULL)
        worker_stop();
}

static ngx_core_module_t context = { ngx_string("reeve"), create_conf, NULL };

ngx_module_t ngx_reeve_module = {
    NGX_MODULE_V1, &context, commands, NGX_CORE_MODULE, NULL, init_module,
    init_process,  NULL,     NULL,     exit_process,    NULL, NGX_MODULE_V1_PADDING,
};

/* What nginx looks up in the file. */
__attribute__((visibility("default")))
ngx_module_t *ngx_modules[] = { &ngx_reeve_module, &ngx_http_reeve_module, NULL };
__attribute__((visibility("default"))) char *ngx_module_names[] = { (char *)"ngx_reeve_module",
                                                                    (char *)"ngx_http_reeve_module", NULL };
__attribute__((visibility("default"))) char *ngx_module_order[] = { NULL };
