/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drills (docs/internals/drills.md): the newest backup of a seat is restored beside it, started, looked at and removed. Two units do it one
 * after the other, as two users. What is under way is on the disk before it begins, so the agent may be killed anywhere; nothing is left of a
 * drill that has ended, or that the goal does not name any more.
 */
#ifndef AGENT_SEAT_SEAT_DRILL_H
#define AGENT_SEAT_SEAT_DRILL_H

#include "agent/seat/seat_view.h"

bool seat_drill_has_unit(struct arena *arena, id seat, const char *unit);

/* After the rest of the report is known: the window that it promises is what the drill has to reach. */
MUST_USE error seat_drill_go_on(struct seat_pass *pass, const struct seat_view *view, struct report_seat *report,
                                bool *ret_is_busy);
/* Before the seat goes. */
MUST_USE error seat_drill_end(struct seat_pass *pass);

#endif
