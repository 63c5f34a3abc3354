/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a member's volumes are called, how large they are, and when one counts as full. Nothing here touches the disk.
 *
 *   /var/lib/reeve/volumes/<member>/data/data.img   mounted as the member's folder: its data, and all else of it
 *   /var/lib/reeve/volumes/<member>/data/wal.img    mounted below it as wal/: a server whose data are full still starts
 */
#ifndef AGENT_VOLUME_VOLUME_PLAN_H
#define AGENT_VOLUME_VOLUME_PLAN_H

#include "base/id.h"
#include "base/str.h"

enum volume_part { VOLUME_DATA, VOLUME_WAL, VOLUME_PARTS };

/* Of an image, in a folder of images or in the one in use; and of the folder that it is mounted on. */
str volume_image_in(struct arena *arena, str folder, enum volume_part part);
str volume_image(struct arena *arena, id member, enum volume_part part);
str volume_place(struct arena *arena, id member, enum volume_part part);
/* The folder of all images of a member; "data" in it are those in use. */
str volume_images(struct arena *arena, id member);

/* Data have what the cluster says beside the reserve and what the file system takes; WAL has room for what slots may keep back, what lies between two checkpoints, and half a gigabyte. */
int64_t volume_mb(int64_t disk_gb, enum volume_part part);
/* Of the file system that is made for it: what is more than the volume now is kept from it (volume_room.h) until it grows. */
int64_t volume_image_mb(int64_t disk_gb, enum volume_part part);
/* The largest `disk_gb` that a file system of so many bytes has room for. */
int64_t volume_most_gb(int64_t bytes, enum volume_part part);
/* What of a host's disk can be given to data, when WAL lies beside it. */
int64_t volume_share_gb(int64_t disk_gb);

/* "var-lib-reeve-members-<member>.mount", as systemd wants it for that folder. */
str volume_unit(struct arena *arena, id member, enum volume_part part);
str volume_unit_text(struct arena *arena, id member, enum volume_part part, bool is_thin);

struct volume_space {
    int64_t size_bytes, used_bytes, free_bytes; /* free: for the member; size 0: it is not mounted */
};
int64_t volume_percent(const struct volume_space *space);
/* Whether its owners should be told. It begins while there is time to do something, and ends well below that, so that it does not swing. */
bool volume_is_full(const struct volume_space spaces[VOLUME_PARTS], bool was_full);
/* Whether its server can write nothing any more; and whether there is room again. */
bool volume_is_used_up(const struct volume_space *space);
bool volume_has_room(const struct volume_space *space);

/*
 * What is kept from a server, in a file. A primary has less than its replicas, because a replica that cannot write what it is sent ends, and one that is
 * waited for stops all writes: so the primary is told first that there is no space, and nothing comes that replicas have no room for. A part of the primary's is
 * given away once it is used up: TRUNCATE and VACUUM need room before they make some.
 */
enum volume_role { VOLUME_ROLE_UNKNOWN, VOLUME_OF_PRIMARY, VOLUME_OF_REPLICA };
struct volume_reserve {
    int64_t has_bytes;
    enum volume_role role; /* not known: nothing of it is given away */
    bool was_used_up;
};
int64_t volume_reserve_bytes(enum volume_part part, const struct volume_space *space,
                             const struct volume_reserve *reserve);

#endif
