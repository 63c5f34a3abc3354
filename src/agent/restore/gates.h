/* SPDX-License-Identifier: Apache-2.0 */
/* One thread for all gates of a repository host: there are few of them, and each is open for as long as a restore takes. */
#ifndef AGENT_RESTORE_GATES_H
#define AGENT_RESTORE_GATES_H

#include "agent/internal.h"

struct gates {
    pthread_cond_t news;
    bool wake;
    int64_t tried_version; /* of the goal */
    struct arena *seen;    /* in which is what the last pass saw; NULL before the first */
    size_t count;
    const struct report_gate *reports;
};

void *gates_run(void *agent);
/* Under the lock. */
void gates_wake(struct agent *agent);
void gates_report(struct agent *agent, struct arena *arena, struct report *report);
bool gates_have_tried(const struct agent *agent);

#endif
