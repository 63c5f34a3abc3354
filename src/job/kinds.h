/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of job and every sweep that there is. main/ hands the lists to the engine; nobody else need know them all. */
#ifndef JOB_KINDS_H
#define JOB_KINDS_H

#include "job/job.h"

/* Both end with NULL. */
extern const struct job_kind *const all_job_kinds[];
extern const struct sweep *const all_sweeps[];

/* ---- Sweeps ---- */
extern const struct sweep finished_jobs_sweep;                                /* sweep.c */
extern const struct sweep old_records_sweep;                                  /* retention_sweep.c */
extern const struct sweep expired_access_sweep;                               /* access_sweep.c */
extern const struct sweep expired_outages_sweep;                              /* outage_sweep.c */
extern const struct sweep prices_sweep, billing_sweep, expired_reports_sweep; /* billing_sweep.c */
extern const struct sweep past_alerts_sweep;                                  /* alert_sweep.c */
extern const struct sweep provider_keys_sweep;                                /* provider_keys.c */
extern const struct sweep payments_sweep;                                     /* payment_sweep.c */
extern const struct sweep etcd_groups_sweep;                                  /* etcd.c */

/* ---- Kinds ---- */
extern const struct job_kind index_create_job; /* index_create.c */
extern const struct job_kind ldap_verify_job;  /* ldap_verify.c */

#endif
