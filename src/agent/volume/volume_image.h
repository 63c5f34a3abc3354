/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The back end that works on every host: files with file systems of their own, which systemd mounts through loop devices.
 *
 * ext4 with inline_data: small files need no block, so a server whose disk is full can still write what it needs for a checkpoint. ext4 grows while it is in
 * use only for those who have CAP_SYS_RESOURCE, which containers lack. So each file system is made larger than its volume: the rest is in a file of root's
 * (volume_room.h), which becomes shorter when the volume grows. It takes nothing of the host's disk.
 */
#ifndef AGENT_VOLUME_VOLUME_IMAGE_H
#define AGENT_VOLUME_VOLUME_IMAGE_H

#include "agent/state.h"
#include "agent/volume/volume_plan.h"
#include "engine/problem.h"

#define VOLUME_FILE_SYSTEM "ext4"
#define VOLUME_IN_USE      "data" /* a folder of images; others beside it were set aside */
#define VOLUME_MAKER       "/usr/sbin/mkfs.ext4"

/* Whether any were made for the member, and whether there are some in use. */
bool volume_image_is_known(struct arena *arena, id member);
bool volume_image_is_there(struct arena *arena, id member);
/* All of them with their file systems, or none; under the key of its project if it has one. What they take of the host's disk is said by their bound (volume_bound.h). */
MUST_USE error volume_image_make(struct arena *arena, const struct state *state, id member, int64_t disk_gb,
                                 bool is_thin);
/* Whether the host can give away so much, and keep a part for itself. */
MUST_USE error volume_image_check_bytes(struct arena *arena, int64_t more_bytes);
/* The same of what full ones of that size take. */
MUST_USE error volume_image_check_room(struct arena *arena, int64_t disk_gb);
/* As they were made, whatever the host gives to others by now. */
bool volume_image_is_thin(struct arena *arena, id member);
#endif
