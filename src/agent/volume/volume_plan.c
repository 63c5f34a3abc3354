/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/volume/volume_plan.h"

#include "agent/state.h"
#include "agent/volume/volume_image.h"
#include "base/attributes.h"
#include "engine/engine.h"

enum {
    MB_IN_GB = 1024,
    WAL_MORE_MB = 512,
    WAL_SHARE =
        4, /* a quarter of the data's size: a fifth may be kept back for others, a twentieth lies between checkpoints */
    DATA_MORE_MB = 256, /* what the file system takes, and the reserve */
    DATA_MORE_SHARE = 16,
    GROWS_TO = 8, /* times its size, but by no more than two terabytes: each costs a second to put aside */
    GROWS_BY_MB = 2 * MB_IN_GB * MB_IN_GB,
    MB_BYTES = 1 << 20,
    USED_UP_BYTES = 4 * MB_BYTES,
    LEFT_BYTES = 8 * MB_BYTES,      /* what a reserve that comes late leaves */
    LEAST_BYTES = 32 * MB_BYTES,    /* of replicas, and on the volume for WAL */
    PRIMARY_BYTES = 128 * MB_BYTES, /* at least, and a 32nd of the volume up to a gigabyte */
    PRIMARY_SHARE = 32,
    GIVEN_SHARE = 4,
};
#define PRIMARY_MOST_BYTES ((int64_t)1024 * MB_BYTES)

/* In percent. What may fill the WAL is bounded to 85 by its size already. */
static const struct {
    const char *image, *below, *unit; /* in the name of a unit "-" stands for "/" */
    int64_t is_full_at, is_free_at;
} parts[VOLUME_PARTS] = {
    [VOLUME_DATA] = { "data.img", "", "", 95, 90 },
    [VOLUME_WAL] = { "wal.img", "/" WAL_VOLUME, "-" WAL_VOLUME, 92, 85 },
};

str
volume_images(struct arena *arena, id member)
{
    return str_format(arena, VOLUMES_FOLDER "/%s", id_text(arena, member).data);
}

str
volume_image_in(struct arena *arena, str folder, enum volume_part part)
{
    return str_format(arena, "%s/%s", folder.data, parts[part].image);
}

str
volume_image(struct arena *arena, id member, enum volume_part part)
{
    return volume_image_in(arena, str_format(arena, "%s/" VOLUME_IN_USE, volume_images(arena, member).data), part);
}

str
volume_place(struct arena *arena, id member, enum volume_part part)
{
    return str_format(arena, MEMBERS_FOLDER "/%s%s", id_text(arena, member).data, parts[part].below);
}

int64_t
volume_mb(int64_t disk_gb, enum volume_part part)
{
    int64_t data_mb = disk_gb * MB_IN_GB;
    return part == VOLUME_DATA ? data_mb + data_mb / DATA_MORE_SHARE + DATA_MORE_MB : data_mb / WAL_SHARE + WAL_MORE_MB;
}

int64_t
volume_image_mb(int64_t disk_gb, enum volume_part part)
{
    int64_t mb = volume_mb(disk_gb, part), more_mb = mb * (GROWS_TO - 1);
    return mb + (more_mb < GROWS_BY_MB ? more_mb : GROWS_BY_MB);
}

int64_t
volume_most_gb(int64_t bytes, enum volume_part part)
{
    int64_t less = 0, more = bytes / MB_BYTES * WAL_SHARE / MB_IN_GB; /* less fits, and what is beyond more does not */
    while (less < more) {
        int64_t middle = (less + more + 1) / 2;
        if (volume_mb(middle, part) * MB_BYTES <= bytes)
            less = middle;
        else
            more = middle - 1;
    }
    return less;
}

int64_t
volume_share_gb(int64_t disk_gb)
{
    enum { USUAL_GB = 10 };
    int64_t whole = MB_IN_GB * USUAL_GB, both = volume_mb(USUAL_GB, VOLUME_DATA) + volume_mb(USUAL_GB, VOLUME_WAL);
    return disk_gb * whole / both;
}

/* Ids have letters and digits only, and so have the folders above them. */
str
volume_unit(struct arena *arena, id member, enum volume_part part)
{
    return str_format(arena, "var-lib-reeve-members-%s%s.mount", id_text(arena, member).data, parts[part].unit);
}

/*
 * The loop device goes with the mount, also when the host loses its power. Nothing on it is a device, a program or changes who somebody is.
 * What is deleted on a thin one is given back to the host.
 */
str
volume_unit_text(struct arena *arena, id member, enum volume_part part, bool is_thin)
{
    return str_format(arena,
                      "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                      "[Unit]\n"
                      "Description=Reeve volume for %s of member %s\n"
                      "\n"
                      "[Mount]\n"
                      "What=%s\n"
                      "Where=%s\n"
                      "Type=" VOLUME_FILE_SYSTEM "\n"
                      "Options=loop,nodev,nosuid,noexec,noatime,errors=remount-ro%s\n",
                      part == VOLUME_DATA ? "data" : "WAL", id_text(arena, member).data,
                      volume_image(arena, member, part).data, volume_place(arena, member, part).data,
                      is_thin ? ",discard" : "");
}

int64_t
volume_percent(const struct volume_space *space)
{
    int64_t both = space->used_bytes + space->free_bytes;
    return both <= 0 ? 0 : (space->used_bytes * 100 + both - 1) / both;
}

bool
volume_is_full(const struct volume_space spaces[VOLUME_PARTS], bool was_full)
{
    for (size_t i = 0; i < VOLUME_PARTS; i++) {
        if (spaces[i].size_bytes > 0 &&
            volume_percent(&spaces[i]) >= (was_full ? parts[i].is_free_at : parts[i].is_full_at))
            return true;
    }
    return false;
}

bool
volume_is_used_up(const struct volume_space *space)
{
    return space->size_bytes > 0 && space->free_bytes < USED_UP_BYTES;
}

bool
volume_has_room(const struct volume_space *space)
{
    return space->size_bytes > 0 && volume_percent(space) < parts[VOLUME_DATA].is_free_at;
}

int64_t
volume_reserve_bytes(enum volume_part part, const struct volume_space *space, const struct volume_reserve *reserve)
{
    int64_t wanted = LEAST_BYTES, possible = reserve->has_bytes + space->free_bytes - LEFT_BYTES;
    if (part == VOLUME_DATA && reserve->role == VOLUME_ROLE_UNKNOWN && reserve->has_bytes > wanted)
        return reserve->has_bytes;
    if (part == VOLUME_DATA && reserve->role == VOLUME_OF_PRIMARY) {
        wanted = space->size_bytes / PRIMARY_SHARE;
        wanted = wanted < PRIMARY_BYTES ? PRIMARY_BYTES : wanted > PRIMARY_MOST_BYTES ? PRIMARY_MOST_BYTES : wanted;
        /* An agent that was started again sees by its size that a part was given away. */
        int64_t rest = wanted - wanted / GIVEN_SHARE;
        bool was_used_up = reserve->was_used_up || (reserve->has_bytes == rest && !volume_has_room(space));
        wanted = was_used_up ? rest : wanted;
    }
    if (wanted <= reserve->has_bytes)
        return wanted;
    return possible > reserve->has_bytes ? (wanted < possible ? wanted : possible) : reserve->has_bytes;
}
