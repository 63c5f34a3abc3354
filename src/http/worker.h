/* SPDX-License-Identifier: Apache-2.0 */
/* What one worker process has: the API, its threads, and the read connection that its event loop drives. */
#ifndef HTTP_WORKER_H
#define HTTP_WORKER_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_thread_pool.h>

#include "api/api.h"
#include "http/wiring.h"
#include "store/pipeline.h"

struct worker {
    struct api *api;                /* NULL in the master and before the start */
    struct operator_api *operators; /* where operators are served */
    struct metrics *metrics;
    ngx_thread_pool_t *threads;
    struct api *agents; /* the agents' API; NULL: no hosts talk to this node */
    ngx_thread_pool_t *agent_threads;
    unsigned requests_held, threads_busy;
};
extern struct worker worker;

/* Starts and stops everything; false when the process cannot work. */
MUST_USE bool worker_start(ngx_cycle_t *cycle, struct wiring *wiring, struct metrics *metrics);
void worker_stop(void);
bool worker_is_stopping(void);

/* A held request keeps a draining process alive. */
void worker_request_begins(void);
void worker_request_ends(void);

/* False when it cannot run here: take another way. `done` is called from the event loop. */
MUST_USE bool worker_send_read(struct request *req, pipeline_done *done, void *context);

MUST_USE bool worker_send_statement(struct arena *arena, enum sql statement, const struct params *params,
                                    pipeline_done *done, void *context);

/* ---- linger.c ---- */
/* Idle connections are not cut the moment a process begins to drain: see there. */
void idle_connections_note(ngx_connection_t *c);
void idle_connections_tick(void);

#endif
