/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a member's unit. */
#ifndef AGENT_UNIT_FILE_H
#define AGENT_UNIT_FILE_H

#include "wire/goal.h"

struct unit_wish {
    const struct goal_member *member;
    str scope;   /* of its cluster, for people */
    str folder;  /* everything of it */
    str command; /* the engine's */
    str agent;   /* path of this program, which adds the address */
};

/* "reeve-member-<id>.service" */
str unit_name(struct arena *arena, id member);
str unit_text(struct arena *arena, const struct unit_wish *wish);

#endif
