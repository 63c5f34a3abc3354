/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far each store has what is in the spool. A store that took points may lose its last seconds when it is killed, so a position counts only after the
 * same process of the store has answered for another minute. When another process answers, what is behind the position is sent again; stores keep a
 * point that they get twice once.
 */
#ifndef AGENT_MONITOR_DELIVERY_H
#define AGENT_MONITOR_DELIVERY_H

#include "engine/problem.h"

enum { DELIVERY_MOST_STORES = 4, DELIVERY_SETTLES_MS = 60 * 1000, DELIVERY_STARTED_BYTES = 128 };

struct delivery {
    int64_t confirmed; /* on the disk: the store has everything before it for good */
    int64_t sent;      /* what is sent next */
    int64_t mark;      /* acknowledged at mark_ms, and confirmed when that is long enough ago; -1: none */
    int64_t mark_ms;   /* of the steady clock */
    char started[DELIVERY_STARTED_BYTES + 1]; /* which process answered last; empty: none yet */
};

/* Of all stores of a host. */
struct deliveries {
    int64_t stores; /* how many the control plane has; -1: it never said */
    struct delivery of[DELIVERY_MOST_STORES];
};

/* Everything before `next` was acknowledged. True when `confirmed` has changed. */
bool delivery_acknowledged(struct delivery *delivery, int64_t next, str started, int64_t now_ms);

/* A file that is missing or not readable is a host that never sent anything: positions are those of the oldest record. */
void deliveries_read(struct arena *arena, const char *path, int64_t oldest, int64_t end,
                     struct deliveries *ret_deliveries);
MUST_USE bool deliveries_write(struct arena *arena, const char *path, const struct deliveries *deliveries);
/* What every store has for good. */
int64_t deliveries_confirmed(const struct deliveries *deliveries, int64_t end);

#endif
