/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One seat of a repository host (docs/internals/backups.md): what is kept of one cluster. A pass brings it nearer to the goal and reports its
 * state, as a member's does; each seat has its own thread.
 */
#ifndef AGENT_SEAT_SEAT_H
#define AGENT_SEAT_SEAT_H

#include "agent/member.h"

/* What is kept about a seat between passes. */
struct seat_memory {
    int64_t wall_put_ms;      /* when the rules of the network were put up last; 0: not since the agent started */
    int64_t drill_again_ms;   /* before then no drill is begun */
    char drill_problem[1024]; /* why */
    int64_t reach_ms; /* when it was said last what a seat in an object store reaches; 0: not since the agent started */
    int64_t reach_version; /* and for which goal */
    int64_t store_wall_ms; /* when the wall around an export was put up last */
};

/* During one pass. */
struct seat_pass {
    struct arena *arena;
    struct caller *caller;
    const struct member_host *host;
    const struct goal *goal;
    const struct goal_seat *seat;
    str folder;
    str user;                /* name of the system user that it has */
    struct disk_owner owner; /* what it runs as */
    struct disk_owner files; /* of what the agent writes for it to read */
    str wal_unit, backup_unit;
    bool has_room; /* for backups; WAL is received as long as there is any */
    struct seat_memory *memory;
};

/* Whether it is that of the control plane's own database, which no goal knows (agent/own/own_database.h). */
bool seat_is_own(const struct goal_seat *seat);
#define OWN_SLOT "reeve_own"

/* "reeve-wal-<id>.service", "reeve-backup-<id>.service" */
str seat_wal_unit(struct arena *arena, id seat);
str seat_backup_unit(struct arena *arena, id seat);

/* `ret_report` is valid as long as the arena. True when nothing is left to do except to check again later. */
bool seat_pass(const struct member_host *host, struct arena *arena, struct caller *caller, const struct goal *goal,
               const struct goal_seat *seat, struct seat_memory *memory, struct report_seat *ret_report);

#endif
