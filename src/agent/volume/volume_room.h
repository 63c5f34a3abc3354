/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that keep room from a member, at the top of its volumes. That folder is one in which the member may make files, too: whatever else has such a name is
 * not followed, not waited for, and put out of the way.
 */
#ifndef AGENT_VOLUME_VOLUME_ROOM_H
#define AGENT_VOLUME_VOLUME_ROOM_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/str.h"

#define VOLUME_RESERVE ".reserve" /* given away when the member has used up the rest */
#define VOLUME_LATER   ".later"   /* given away when the member gets a larger disk */

bool volume_room_is_kept(str place, const char *name);
/* In bytes; 0 when there is none. */
int64_t volume_room_kept(str place, const char *name);
/* Longer or shorter. It is never removed, so that its name is never free. errno says why. */
MUST_USE bool volume_room_keep(str place, const char *name, int64_t bytes);
/* To be asked where it lies. -1: there is none, and errno says why. */
int volume_room_open(str place, const char *name);

#endif
