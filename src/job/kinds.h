/* SPDX-License-Identifier: Apache-2.0 */
/* All kinds of jobs and all sweeps. main/ passes the lists to the engine; nobody else needs them. */
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
extern const struct sweep spent_backups_sweep, missing_copies_sweep;          /* stanza_sweep.c */
extern const struct sweep expired_backups_sweep, late_snapshots_sweep;        /* backup_sweep.c */
extern const struct sweep backup_downloads_sweep;                             /* download_sweep.c */
extern const struct sweep backup_drills_sweep;                                /* drill_sweep.c */
extern const struct sweep backup_exports_sweep;                               /* export_sweep.c */
extern const struct sweep backup_faults_sweep;                                /* fault_sweep.c */
extern const struct sweep metric_alerts_sweep;                                /* metric_alert_sweep.c */
extern const struct sweep measurements_sweep;                                 /* monitor_sweep.c */
extern const struct sweep ending_certificates_sweep;                          /* certificate_sweep.c */
extern const struct sweep missing_primaries_sweep;                            /* primary_sweep.c */
extern const struct sweep cluster_scaling_sweep;                              /* scaling_sweep.c */
extern const struct sweep fleet_figures_sweep;                                /* fleet_figures.c */

/* ---- Kinds: a row each, with the file that it is in ---- */
// clang-format off
#define JOB_KINDS(ROW)                                             \
    ROW(cluster_create_job)   /* cluster/cluster_create.c */       \
    ROW(cluster_update_job)   /* cluster/cluster_update.c */       \
    ROW(cluster_delete_job)   /* cluster/cluster_delete.c */       \
    ROW(cluster_pause_job)    /* cluster/cluster_pause.c */        \
    ROW(cluster_resume_job)   /* the same */                       \
    ROW(cluster_restart_job)  /* cluster/cluster_restart.c */      \
    ROW(cluster_move_job)     /* cluster/cluster_move.c */         \
    ROW(host_drain_job)       /* the same */                       \
    ROW(cluster_restore_job)  /* cluster/cluster_restore.c */      \
    ROW(cluster_version_job)  /* cluster/cluster_version.c */      \
    ROW(fleet_update_job)     /* fleet/fleet_update.c */           \
    ROW(outage_start_job)     /* cluster/cluster_outage.c */       \
    ROW(outage_end_job)       /* the same */                       \
    ROW(sample_load_job)      /* cluster/sample_load.c */          \
    ROW(extension_create_job) /* cluster/extension_jobs.c */       \
    ROW(extension_drop_job)   /* the same */                       \
    ROW(index_create_job)     /* cluster/index_create.c */         \
    ROW(ldap_verify_job)      /* access/ldap_verify.c */           \
    /* the end of the list */
// clang-format on
#define KIND_DECLARED(kind_name) extern const struct job_kind kind_name;
JOB_KINDS(KIND_DECLARED)
#undef KIND_DECLARED

#endif
