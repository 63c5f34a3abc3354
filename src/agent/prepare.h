/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be true before a member's processes start, done by a line of its unit as root, each time: after a reboot without the
 * agent, too. Everything may have been done already, or half.
 */
#ifndef AGENT_PREPARE_H
#define AGENT_PREPARE_H

#include "agent/wall.h"
#include "base/disk.h"

struct preparation {
    str folder;
    int prefix;
    struct wall_member wall;
};

MUST_USE error prepare_member(struct arena *arena, const struct preparation *wish);

/*
 * The folder is root's, and the member's group may put things into it: what is root's in there the member can neither change nor
 * move away. Data are its own. So root meets nothing on its way that the member could have swapped.
 *
 *   <folder>/          root:member  1770   of the member's own making: data/, and what Patroni makes beside it
 *   <folder>/run/      root:member  1770   sockets
 *   <folder>/tls/      root:member  0750
 *   <folder>/…, tls/…  root:member  0640   what the agent wrote
 */
MUST_USE error prepare_folders(struct arena *arena, str folder, gid_t group);
/* All of it, for a member that runs as somebody else until now. Nothing of it may run. */
MUST_USE error prepare_owner(struct arena *arena, str folder, struct disk_owner owner);

#endif
