/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gate of a repository host (docs/internals/backups.md#restores): `pgbackrest server`, through which members of one cluster read one stanza while
 * they are restored. pgBackRest lets everybody whom it lets in read and write whatever its process can, so the process has a root of its own: programs,
 * the repository of that stanza to be read, and what was received last.
 */
#ifndef AGENT_RESTORE_GATE_H
#define AGENT_RESTORE_GATE_H

#include "agent/member.h"

#define GATES_FOLDER "/var/lib/reeve/gates"

/* During one pass. */
struct gate_pass {
    struct arena *arena;
    struct caller *caller;
    const struct member_host *host;
    const struct goal_gate *gate;
    const struct goal_seat *seat;
    str folder, seat_folder, unit;
    uid_t user; /* the seat's, which it runs as */
    struct disk_owner files;
};

/* "reeve-gate-<id>.service" */
str gate_unit(struct arena *arena, id gate);
/* Brings it nearer to the goal. `ret_report` is valid as long as the arena. */
void gate_pass(const struct member_host *host, struct arena *arena, struct caller *caller, const struct goal *goal,
               const struct goal_gate *gate, struct report_gate *ret_report);
/* Nothing of it is left: its unit, its folder. May be begun again at any place. */
MUST_USE error gate_remove(const struct member_host *host, struct arena *arena, id gate);

#endif
