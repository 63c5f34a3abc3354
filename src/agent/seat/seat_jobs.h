/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be done with the repository of a seat: backups by the schedule and on demand, and what goes. One order at a time is given to the
 * seat's backup unit. The agent's memory of it is on the disk before the unit starts, so both may be killed anywhere; and it needs no
 * control plane.
 */
#ifndef AGENT_SEAT_SEAT_JOBS_H
#define AGENT_SEAT_SEAT_JOBS_H

#include "agent/seat/seat_view.h"

struct seat_jobs;

MUST_USE error seat_jobs_read(struct seat_pass *pass, struct seat_jobs **ret_jobs);
/* Looks at what the last order came to, and gives the next. `ret_is_busy`: something is under way. */
MUST_USE error seat_jobs_go_on(struct seat_pass *pass, struct seat_jobs *jobs, const struct seat_view *view,
                               bool *ret_is_busy);
/* It is nobody's turn to back up any more. */
void seat_jobs_end(const struct seat_pass *pass);
/* Before the seat goes: the repository is emptied. False, without an error, until it is. */
MUST_USE error seat_jobs_empty(struct seat_pass *pass, struct seat_jobs *jobs, const struct seat_view *view,
                               bool *ret_is_empty);

/* How many copies it knows beside those of the repository, and what they are. */
size_t seat_jobs_count(const struct seat_jobs *jobs);
void seat_jobs_report(struct seat_pass *pass, const struct seat_jobs *jobs, struct report_copy *copies, size_t *count);

/* Protection that the goal asks for is kept, and never shortened. An error: one that is protected would be lost with the seat. */
MUST_USE error seat_jobs_check_unprotected(struct seat_pass *pass, struct seat_jobs *jobs);

#endif
