/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Downloads (docs/internals/downloads.md): a backup of a seat is made into one file by a unit, and another one hands it out until the goal says that it goes. What is under
 * way is on the disk before it begins, so the agent may be killed anywhere; nothing is left of a download that the goal does not name any more.
 */
#ifndef AGENT_DOWNLOAD_SEAT_DOWNLOAD_H
#define AGENT_DOWNLOAD_SEAT_DOWNLOAD_H

#include "agent/seat/seat_view.h"

bool seat_download_has_unit(struct arena *arena, id seat, const char *unit);
MUST_USE error seat_download_go_on(struct seat_pass *pass, const struct seat_view *view, struct report_seat *report,
                                   bool *ret_is_busy);
/* Before the seat goes. */
MUST_USE error seat_download_end(struct seat_pass *pass);

#endif
