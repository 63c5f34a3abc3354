/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of members, on the interface whose own address is in the same network. */
#ifndef AGENT_ADDRESS_H
#define AGENT_ADDRESS_H

#include "engine/problem.h"

/* An existing one is no error. */
MUST_USE error address_add(struct arena *arena, str address, int prefix);
/* Removes it from any interface that has it; a missing one is no error. */
MUST_USE error address_remove(struct arena *arena, str address);

#endif
