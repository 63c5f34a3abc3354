/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures per address in a minute that begins with the first of them. Local to the process and of fixed size: an
 * attacker with many addresses pushes out the addresses that failed least.
 */
#ifndef LIMIT_GUARD_H
#define LIMIT_GUARD_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/net.h"

struct guard;

/* `failures_per_minute` of 0 or less: the guard never holds anybody. NULL without memory. */
MUST_USE struct guard *guard_new(int failures_per_minute);
void guard_free(struct guard *guard);

void guard_count_failure(struct guard *guard, const struct net_address *address, int64_t now_ms);
int guard_wait_s(struct guard *guard, const struct net_address *address, int64_t now_ms);

#endif
