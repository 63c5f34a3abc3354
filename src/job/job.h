/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: what goes on after a request was answered. A kind of job is a table of steps. A step is small and can be run any
 * number of times; what it changes in the database commits together with the job's transition, its line of history and
 * whatever it says about its subject. Work outside of the database is not done by jobs but by agents, that are told what
 * should be true (docs/internals/fleet.md); a step then waits until it is.
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include "store/job.h"

struct job_context {
    struct store *store;
    struct tx *tx; /* of the job's organization; the engine commits it */
    struct arena *arena;
    const struct job *job;
    const struct job_environment *environment;
};

/* What the steps of every job may need of the configuration. */
struct job_environment {
    const char *domain; /* of host names */
    struct key key;     /* the node's own, for what is sealed */
};

enum job_outcome {
    STEP_DONE,  /* on to the next step, at once */
    STEP_WAITS, /* not true yet: again when something is told about the subject, or after a while; `why` is a sentence */
    STEP_FAILED, /* never: the job ends as FAILED; `why` is a sentence for the tenant */
};
struct job_result {
    enum job_outcome outcome;
    str why;
};

/* An error is a try that did not count: rolled back, and tried again after a delay that grows. */
typedef error job_step(struct job_context *context, struct job_result *ret_result);

struct job_step_row {
    const char *name; /* "wait-primary" */
    const char *doc;  /* what a tenant sees while it runs: "Waits until the primary accepts writes." */
    job_step *run;
    int deadline_s; /* after it an operator is told; the job goes on trying */
};
struct job_kind {
    const char *name; /* "cluster.create" */
    const char *doc;
    const struct job_step_row *steps;
    size_t count;
};

#endif
