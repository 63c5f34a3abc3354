/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a gate to an object store serves: a copy on this host's disk. Whoever comes in at a gate can have everything that its process has, so that has no key of the
 * store, and reaches nobody. The copy is made once, before the gate is opened, by a unit of its own with the walls of the seat.
 */
#ifndef AGENT_RESTORE_GATE_MIRROR_H
#define AGENT_RESTORE_GATE_MIRROR_H

#include "agent/restore/gate.h"

/* "reeve-gate-<id>-mirror.service" */
str gate_mirror_unit(struct arena *arena, id gate);
/* The folder that the gate serves. */
str gate_mirror_copy(struct gate_pass *pass);
/* Has it made. Not ready, and no error: it goes on. */
MUST_USE error gate_mirror_keep(struct gate_pass *pass, bool *ret_is_ready);

#endif
