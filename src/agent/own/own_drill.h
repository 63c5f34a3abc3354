/* SPDX-License-Identifier: Apache-2.0 */
/* Drills of the control plane's own database: no goal asks for them, so this host does, once a day. */
#ifndef AGENT_OWN_OWN_DRILL_H
#define AGENT_OWN_OWN_DRILL_H

#include "base/json.h"
#include "wire/goal_seats.h"

/* The drill of the day that `now_ms` is in, which begins two hours after the backup of the night; it has a new identifier when the operator asks for one. */
struct goal_drill own_drill(struct arena *arena, const struct goal_seat *seat, int64_t now_ms);

/* The program that is started from what was restored: beside this one. Empty: it is not there. */
str own_drill_program(struct arena *arena, str agent);
/* What its order has beside that of clusters. */
void own_drill_order(struct arena *arena, const struct goal_seat *seat, str agent, json_t *order);

#endif
