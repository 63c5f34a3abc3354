/* SPDX-License-Identifier: Apache-2.0 */
#include "job/kinds.h"

const struct job_kind *const all_job_kinds[] = {
    &index_create_job,
    &ldap_verify_job,
    NULL,
};

const struct sweep *const all_sweeps[] = {
    &finished_jobs_sweep,
    &expired_access_sweep,
    NULL,
};
