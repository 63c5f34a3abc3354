/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything in the repository of a seat is read now and then, to see whether it is damaged (engine/postgres/backup/verify.h). One seat of a host at a time, and
 * behind everything else that runs here.
 */
#ifndef AGENT_SEAT_SEAT_VERIFY_H
#define AGENT_SEAT_SEAT_VERIFY_H

#include "agent/seat/seat_view.h"

/* "reeve-verify-<id>.service" */
str seat_verify_unit(struct arena *arena, id seat);
/* Starts it when it is time. `view->is_stale` when it has ended since the last order: what it found is to be taken over. */
MUST_USE error seat_verify_go_on(struct seat_pass *pass, struct seat_view *view);
/* Before the seat goes. */
MUST_USE error seat_verify_end(struct seat_pass *pass);

#endif
