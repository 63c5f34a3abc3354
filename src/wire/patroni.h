/* SPDX-License-Identifier: Apache-2.0 */
/* The oldest Patroni that a host may have: an agent with an older one does not join, and would be refused. */
#ifndef WIRE_PATRONI_H
#define WIRE_PATRONI_H

#include <stdbool.h>

#include "base/str.h"

/*
 * The oldest version that failovers were tested with. Versions before 3.0.3 lose acknowledged writes when a partition
 * heals, because they write the leader key without a condition.
 */
#define PATRONI_LEAST "4.0.7"

bool patroni_is_new_enough(str version);

#endif
