/* SPDX-License-Identifier: Apache-2.0 */
/* One thread for all relays of a relay host: one set of rules of the network stands around all of them. */
#ifndef AGENT_RELAY_RELAYS_H
#define AGENT_RELAY_RELAYS_H

#include "agent/internal.h"

struct relays {
    pthread_cond_t news;
    bool wake;
    int64_t tried_version; /* of the goal */
    struct arena *seen;    /* in which is what the last pass saw; NULL before the first */
    size_t count;
    const struct report_relay *reports;
};

void *relays_run(void *agent);
/* Under the lock. */
void relays_wake(struct agent *agent);
void relays_report(struct agent *agent, struct arena *arena, struct report *report);
bool relays_have_tried(const struct agent *agent);

#endif
