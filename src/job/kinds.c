/* SPDX-License-Identifier: Apache-2.0 */
#include "job/kinds.h"

#include "job/cluster/cluster_jobs.h"

const struct job_kind *const all_job_kinds[] = {
    &cluster_create_job, &cluster_update_job,
    &cluster_delete_job, &cluster_pause_job,
    &cluster_resume_job, &cluster_restart_job,
    &cluster_move_job,   &host_drain_job,
    &outage_start_job,   &outage_end_job,
    &sample_load_job,    &index_create_job,
    &ldap_verify_job,    NULL,
};

const struct sweep *const all_sweeps[] = {
    &finished_jobs_sweep, &expired_access_sweep, &expired_outages_sweep, &past_alerts_sweep,
    &prices_sweep,        &billing_sweep,        &payments_sweep,        &expired_reports_sweep,
    &provider_keys_sweep, &old_records_sweep,    &etcd_groups_sweep,     NULL,
};
