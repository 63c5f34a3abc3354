/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of jobs about clusters: what requests add, and the list in job/kinds.c. */
#ifndef JOB_CLUSTER_CLUSTER_JOBS_H
#define JOB_CLUSTER_CLUSTER_JOBS_H

#include "job/job.h"

extern const struct job_kind cluster_create_job; /* cluster_create.c */
extern const struct job_kind cluster_update_job; /* cluster_update.c: what the document asks for */
extern const struct job_kind cluster_delete_job; /* cluster_delete.c */
extern const struct job_kind cluster_pause_job;  /* cluster_pause.c */
extern const struct job_kind cluster_resume_job;
extern const struct job_kind cluster_restart_job; /* cluster_restart.c: another member becomes the primary */
extern const struct job_kind cluster_move_job;    /* cluster_move.c: members leave a host that is being emptied */
extern const struct job_kind host_drain_job;
extern const struct job_kind
    cluster_restore_job; /* cluster_restore.c: data of a cluster is replaced by what a backup has */
extern const struct job_kind outage_start_job; /* cluster_outage.c */
extern const struct job_kind outage_end_job;
extern const struct job_kind sample_load_job;                          /* sample_load.c */
extern const struct job_kind extension_create_job, extension_drop_job; /* extension_jobs.c */
extern const struct job_kind cluster_version_job; /* cluster_version.c: a newer minor version, in a rollout */

#endif
