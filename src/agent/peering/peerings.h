/* SPDX-License-Identifier: Apache-2.0 */
/* One thread for all peerings of a host: their rules are written in one step. */
#ifndef AGENT_PEERING_PEERINGS_H
#define AGENT_PEERING_PEERINGS_H

#include "agent/internal.h"

struct peerings {
    pthread_cond_t news;
    bool wake;
    int64_t tried_version; /* of the goal */
    struct arena *seen;    /* in which is what the last pass saw; NULL before the first */
    size_t count;
    const struct report_peering *reports;
};

void *peerings_run(void *agent);
/* Under the lock. */
void peerings_wake(struct agent *agent);
void peerings_report(struct agent *agent, struct arena *arena, struct report *report);
bool peerings_have_tried(const struct agent *agent);

#endif
