/* SPDX-License-Identifier: Apache-2.0 */
#include "job/kinds.h"

#define KIND_LISTED(kind_name) &kind_name,
const struct job_kind *const all_job_kinds[] = { JOB_KINDS(KIND_LISTED) NULL };
#undef KIND_LISTED

const struct sweep *const all_sweeps[] = {
    &finished_jobs_sweep,
    &expired_access_sweep,
    &expired_outages_sweep,
    &past_alerts_sweep,
    &prices_sweep,
    &billing_sweep,
    &payments_sweep,
    &expired_reports_sweep,
    &provider_keys_sweep,
    &old_records_sweep,
    &etcd_groups_sweep,
    &spent_backups_sweep,
    &missing_copies_sweep,
    &expired_backups_sweep,
    &late_snapshots_sweep,
    &backup_drills_sweep,
    &backup_exports_sweep,
    &backup_downloads_sweep,
    &backup_faults_sweep,
    &missing_primaries_sweep,
    &ending_certificates_sweep,
    &fleet_figures_sweep,
    &measurements_sweep,
    &metric_alerts_sweep,
    &cluster_scaling_sweep,
    NULL,
};
