/* SPDX-License-Identifier: Apache-2.0 */
/* One thread for each seat of a repository host. Under the agent's lock, except where it is said otherwise. */
#ifndef AGENT_SEAT_SEATS_H
#define AGENT_SEAT_SEATS_H

#include "agent/internal.h"

extern const struct crew_kind seats_kind;
void seats_follow(struct agent *agent, const struct goal_changes *changes);
void seats_wake_unit(struct agent *agent, struct arena *arena, const char *unit);
/* Each as report_seat_text() wrote it; without snapshots where there is no room for them. NULL when the arena is full. */
const str *seats_report(struct agent *agent, struct arena *arena, size_t *ret_count);
/* The same about the control plane's own database; empty: this host does not keep it, or has not looked yet. */
str seats_report_own(struct agent *agent, struct arena *arena);
/* The control plane has taken what seats_report() gave last. */
void seats_were_told(struct agent *agent);

#endif
