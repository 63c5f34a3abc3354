/* SPDX-License-Identifier: Apache-2.0 */
/* A rollout of a new minor version over the fleet. Its subject is the rollout. */
#ifndef JOB_FLEET_FLEET_UPDATE_H
#define JOB_FLEET_FLEET_UPDATE_H

#include "job/job.h"

extern const struct job_kind fleet_update_job;

#endif
