/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel of the host knows about a member: processors, memory, network, the disk that its data is on. */
#ifndef AGENT_MONITOR_HOST_H
#define AGENT_MONITOR_HOST_H

#include "engine/engine.h"

struct host_memory; /* what was counted before */

struct host_memory *host_memory_new(void);
void host_memory_free(struct host_memory *memory);

struct host_member {
    id id;
    str unit;              /* "reeve-member-….service" */
    str folder;            /* on the disk that is measured */
    uid_t user;            /* that its processes run as */
    double cpus;           /* that it may use; 0: all */
    int64_t first_process; /* 0: none */
};

/* Adds lines of wire/points.h. What cannot be read is left out. */
void host_measure(struct host_memory *memory, struct arena *arena, const struct host_member *member, int64_t time_ms,
                  struct buf *out);

#endif
