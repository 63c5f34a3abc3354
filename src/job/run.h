/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one job as far as possible now: claims it, and runs its steps one after another, each in its own transaction. */
#ifndef JOB_RUN_H
#define JOB_RUN_H

#include <stdatomic.h>

#include "job/job.h"

struct job_runner {
    struct store *store;
    const struct job_kind *const *kinds;
    struct job_environment environment;
    struct job_pace pace;
    struct backoff wait; /* between two looks of a step that waits, when nothing is told meanwhile */
    char worker[96];     /* who this is, for people */
    atomic_bool stop;    /* the step that runs is finished, and no other begun */
};

enum job_verdict {
    JOB_NOT_TAKEN, /* somebody else has it, or it is not its turn */
    JOB_ENDED,     /* done or failed for good */
    JOB_WAITS,     /* for something to be told, or for a while */
    JOB_ERRED,     /* tried again later */
    JOB_LEFT,      /* the lease was lost, or the worker stops: others go on with it */
};
/* `has_news`: something was told about the subject, so that a job that waits need not be due. */
enum job_verdict job_run(struct job_runner *runner, const struct job_place *place, bool has_news);

#endif
