/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares the start of a member's processes. A line of its unit runs it as root each time, also after a reboot without
 * the agent. Everything may have been done already, or half of it.
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
 * Root owns the folder, and the member's group may create files in it. The member can neither change nor move root's
 * files there; it owns only its data. So root never follows a path that the member could have swapped.
 *
 *   <folder>/          root:member  1770   of the member's own making: data/, and what Patroni makes beside it
 *   <folder>/run/      root:member  1770   sockets
 *   <folder>/tls/      root:member  0750
 *   <folder>/…, tls/…  root:member  0640   what the agent wrote
 */
MUST_USE error prepare_folders(struct arena *arena, str folder, gid_t group);
/* The same for a member that ran as another user until now. None of its processes may run. */
MUST_USE error prepare_owner(struct arena *arena, str folder, struct disk_owner owner);
/*
 * Of a member that has volumes: removes WAL of a copy that came to nothing, because who copies again asks for an empty folder; and the reserve
 * when nothing could be written otherwise.
 */
MUST_USE error prepare_volumes(struct arena *arena, str folder);

#endif
