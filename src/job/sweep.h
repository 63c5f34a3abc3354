/* SPDX-License-Identifier: Apache-2.0 */
/* Runs sweeps when they are due, each by one worker at a time: the row of a sweep says who runs it and when it is due. */
#ifndef JOB_SWEEP_H
#define JOB_SWEEP_H

#include "job/job.h"

/* Runs it if it is due and no other worker runs it. */
void sweep_run_if_due(struct store *store, const struct sweep *sweep, const struct job_environment *environment,
                      const char *worker);

#endif
