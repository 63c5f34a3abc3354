/* SPDX-License-Identifier: Apache-2.0 */
#include "job/kinds.h"

const struct job_kind *const all_job_kinds[] = {
    NULL,
};

const struct sweep *const all_sweeps[] = {
    &finished_jobs_sweep,
    NULL,
};
