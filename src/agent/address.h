/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of members, on the interface whose own address is in the same network. */
#ifndef AGENT_ADDRESS_H
#define AGENT_ADDRESS_H

#include "engine/problem.h"

/* One that is there already is fine. */
MUST_USE error address_add(struct arena *arena, str address, int prefix);
/* From whatever interface has it; one that is not there is fine. */
MUST_USE error address_remove(struct arena *arena, str address);

#endif
