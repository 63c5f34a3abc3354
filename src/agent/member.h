/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One member: a pass brings it nearer to the goal and reports its state. Each member has its own thread, so that one
 * that hangs delays no other.
 */
#ifndef AGENT_MEMBER_H
#define AGENT_MEMBER_H

#include "agent/key/member_key.h"
#include "agent/state.h"
#include "agent/units.h"
#include "agent/users.h"
#include "agent/volume/volume.h"
#include "engine/engine.h"

/* What all members of a host share. */
struct member_host {
    const struct state *state;
    const struct engine *engine;
    struct units *units;
    struct users *users;
    struct disk_owner shared; /* the user that all members ran as before each had its own */
    str agent;                /* path of this program */
    str pgbackrest_version;   /* empty: it is not installed */
};

/* What is kept about a member between passes. */
struct member_memory {
    struct engine_progress progress;
    bool was_told;            /* a running one was told to read its files since the agent started */
    int64_t wall_put_ms;      /* when the rules of the network were put up last; 0: not since the agent started */
    int64_t restore_begun_ms; /* when its restore was begun last; 0: not since the agent started */
    struct volume_memory volume;
    struct member_key_memory key;
    int64_t waits_since_ms; /* since when it waits to move to its own user; 0: it does not wait */
};

/* Everything that a pass needs of a member, for tasks too. */
struct engine_member member_engine(const struct member_host *host, struct arena *arena, struct caller *caller,
                                   const struct goal *goal, const struct goal_member *member);

/* "<member id>=<phase>": which certificates are in force on the members of the goal; "<member id>+ETCD": it was started as a user of etcd. */
struct wire_texts member_walls(const struct member_host *host, struct arena *arena, const struct goal *goal);

/* Whether new members of this host can be under keys of their projects. */
bool member_host_encrypts(const struct member_host *host, struct arena *arena);

/*
 * `ret_report` is always filled as far as it is known; a failure is in its `problem`. True when nothing is left to do
 * except to check again later.
 */
bool member_pass(const struct member_host *host, struct arena *arena, struct caller *caller, const struct goal *goal,
                 const struct goal_member *member, struct member_memory *memory, struct report_member *ret_report);

#endif
