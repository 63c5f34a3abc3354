/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors on a host. They answer no client, so the detail is not from a table: it is a sentence for the operator, and
 * goes into the report as the member's problem.
 */
#ifndef ENGINE_PROBLEM_H
#define ENGINE_PROBLEM_H

#include "base/error.h"

MUST_USE error problem(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
/* Of what somebody ended before it was done, or that lacked memory: nothing follows from that, and whoever asked for it may try again. */
MUST_USE error problem_of_moment(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
bool problem_is_of_moment(error why);

#endif
