/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system user for every member, from a range of the agent's own. One file says which member has which user. It is on
 * the disk before anything runs as the user: even if the agent is killed anywhere, two members never share a user, and
 * none ever gets another.
 */
#ifndef AGENT_USERS_H
#define AGENT_USERS_H

#include "base/disk.h"
#include "base/id.h"
#include "engine/problem.h"

/*
 * Neither people nor packages (below 60000), nor systemd's dynamic users (61184 to 65519), nor what containers of other users get
 * (from 100000 on, /etc/login.defs). Names are made of the number: an account that was used before is used again.
 */
enum { USERS_FIRST = 70000, USERS_LAST = 89999 };
#define USERS_NAME "reeve-%u"

struct users;

/*
 * Reads the file in the agent's folder; none is an empty one. `members` is the folder in which every member has one, `seats` and `drills`
 * those of a repository host, which have users of the same range.
 */
MUST_USE error users_open(struct arena *arena, str folder, str members, str seats, str drills,
                          struct users **ret_users);
void users_close(struct users *users);

/* The member's user; chosen, and written down, when it has none. May be called by several threads. */
MUST_USE error users_take(struct users *users, struct arena *arena, id member, uid_t *ret_user);
/* False when it has none. */
bool users_find(struct users *users, id member, uid_t *ret_user);
/* Call it when nothing of the member is left. Its number is reused only after all other numbers were. */
MUST_USE error users_release(struct users *users, struct arena *arena, id member);

str users_name(struct arena *arena, uid_t user);
/* An account and a group of that name for the system, if there are none yet. */
MUST_USE error users_make_account(struct arena *arena, uid_t user);
/* Whether any process runs as the user. */
bool users_has_process(uid_t user);

#endif
