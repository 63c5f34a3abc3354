/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the logs of members to the targets in the goal: one thread for each target, so that one that hangs delays no
 * other. Lines stay in the journal until they were accepted, so memory is bounded whatever a receiver does.
 */
#ifndef AGENT_LOG_SHIPPER_H
#define AGENT_LOG_SHIPPER_H

#include "wire/report.h"

struct agent;

/* Under the agent's lock: starts threads for targets that have none. A thread whose target is gone ends by itself. */
void shippers_follow(struct agent *agent);
/* Under the agent's lock: a copy of the state of each target. NULL without memory. */
const struct report_log *shippers_report(struct agent *agent, struct arena *arena, size_t *ret_count);

#endif
