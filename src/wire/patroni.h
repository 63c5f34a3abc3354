/* SPDX-License-Identifier: Apache-2.0 */
/* Which Patroni a host may have: agents do not ask to join with an older one, and would not be let in. */
#ifndef WIRE_PATRONI_H
#define WIRE_PATRONI_H

#include <stdbool.h>

#include "base/str.h"

/*
 * The oldest that failovers were proven with. Those before 3.0.3 lose acknowledged writes when a partition heals, because
 * they put the leader key without a condition.
 */
#define PATRONI_LEAST "4.0.7"

bool patroni_is_new_enough(str version);

#endif
