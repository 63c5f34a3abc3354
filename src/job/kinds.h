/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of job and every sweep that there is. main/ hands the lists to the engine; nobody else need know them all. */
#ifndef JOB_KINDS_H
#define JOB_KINDS_H

#include "job/job.h"

/* Both end with NULL. */
extern const struct job_kind *const all_job_kinds[];
extern const struct sweep *const all_sweeps[];

/* ---- Sweeps ---- */
extern const struct sweep finished_jobs_sweep; /* sweep.c */

#endif
