/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a seat to its object store. Whatever runs as the seat's user has the keys of the store, or could have them, so it reaches that store and the members of
 * its cluster, and nothing else. The agent looks the store's name up; the seat's units find it in a file that they see as /etc/hosts.
 */
#ifndef AGENT_SEAT_SEAT_STORE_H
#define AGENT_SEAT_SEAT_STORE_H

#include "agent/seat/seat.h"

/* Nothing is done for a seat on a disk. May be done any number of times. */
MUST_USE error seat_store_keep(struct seat_pass *pass);
/* The wall goes with the seat. */
MUST_USE error seat_store_end(struct seat_pass *pass);

/* Lines of a unit that runs as the seat's user; empty for a seat on a disk. */
str seat_store_lines(struct arena *arena, const struct goal_seat *seat, str seat_folder);

#endif
