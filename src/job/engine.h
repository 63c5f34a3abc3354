/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a worker that do jobs and sweeps. Any number of workers may run: rows in the database decide who works
 * on what. A notification on the channel wakes a waiting thread; it also checks by itself after a while.
 */
#ifndef JOB_ENGINE_H
#define JOB_ENGINE_H

#include "job/job.h"

struct job_engine;

struct job_engine_config {
    struct store *store;
    const char *dsn;
    const struct job_kind *const *kinds; /* these and no others are done */
    const struct sweep *const *sweeps;
    struct job_environment environment;
    int threads;
    /* 0 is the default of each; tests have less time. */
    struct job_pace pace;
    struct backoff wait;
    int64_t idle_ms;
};

/* What it is given must outlive it. NULL without memory or threads. */
MUST_USE struct job_engine *job_engine_new(const struct job_engine_config *config);
/* Ends after the running steps; other workers can continue their jobs at once. */
void job_engine_free(struct job_engine *engine);

#endif
