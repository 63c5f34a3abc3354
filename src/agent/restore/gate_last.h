/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a receiver has and its repository has not: the segment that is being written, whole ones that wait, histories. A gate serves copies of them, so
 * that a cluster can be restored up to the last thing that was received.
 */
#ifndef AGENT_RESTORE_GATE_LAST_H
#define AGENT_RESTORE_GATE_LAST_H

#include "agent/restore/gate.h"

/* Into last/ below the gate's folder. How far they reach, at the least, is noted for gate_last_served(). */
MUST_USE error gate_last_copy(struct gate_pass *pass);
/* Empty when nothing was copied. */
void gate_last_served(struct gate_pass *pass, str *ret_lsn, str *ret_at);

#endif
