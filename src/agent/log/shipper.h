/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends what members log to where the goal says: a thread a target, so that one that hangs holds no other. Lines stay in the journal
 * until they were taken, so memory is bounded whatever a receiver does.
 */
#ifndef AGENT_LOG_SHIPPER_H
#define AGENT_LOG_SHIPPER_H

#include "wire/report.h"

struct agent;

/* Under the agent's lock: threads for targets that have none. Those whose target is gone end by themselves. */
void shippers_follow(struct agent *agent);
/* Under the agent's lock: how each of them goes, copied. NULL without memory. */
const struct report_log *shippers_report(struct agent *agent, struct arena *arena, size_t *ret_count);

#endif
