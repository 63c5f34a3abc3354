/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/volume/volume_image.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/key/member_key.h"
#include "agent/state.h"
#include "base/disk.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/program.h"

#define MAKING "making"
#define FULL   "full" /* beside images that have all that they are promised */

enum { MB = 1 << 20, LEFT_SHARE = 20 };

static const struct disk_owner root = { 0, 0 };

bool
volume_image_is_known(struct arena *arena, id member)
{
    return disk_exists(volume_images(arena, member).data);
}

bool
volume_image_is_there(struct arena *arena, id member)
{
    return disk_exists(str_format(arena, "%s/" VOLUME_IN_USE, volume_images(arena, member).data).data);
}

/* ---- Making ---- */
/* A host that gives away its last byte stops everybody on it: a twentieth of its disk stays. */
error
volume_image_check_bytes(struct arena *arena, int64_t more_bytes)
{
    struct statvfs space;
    if (statvfs(VOLUMES_FOLDER, &space) != 0)
        return problem(arena, "The disk below " VOLUMES_FOLDER " cannot be asked: %s.", strerror(errno));
    int64_t block = (int64_t)space.f_frsize, left = (int64_t)space.f_bavail * block - more_bytes;
    if (left >= (int64_t)space.f_blocks * block / LEFT_SHARE)
        return OK;
    return problem(
        arena,
        "The host's disk has no room for %lld MB more of volumes. Give it a larger one, or move members to another host.",
        (long long)(more_bytes / MB));
}

/* Of the host's disk it takes what is written to it. */
static error
make_one(struct arena *arena, str folder, enum volume_part part, int64_t disk_gb)
{
    str path = volume_image_in(arena, folder, part);
    int64_t mb = volume_image_mb(disk_gb, part);
    int file = open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    int why = file < 0 || ftruncate(file, mb * MB) != 0 || fsync(file) != 0 ? errno : 0;
    if (file >= 0)
        close(file);
    if (why != 0)
        return problem(arena, "%s cannot be made %lld MB large: %s.", path.data, (long long)mb, strerror(why));
    /* No room that only root may use: the reserve is that. A journal of fixed size, because most of the file system may never be used. */
    const char *const words[] = { VOLUME_MAKER, "-q",  "-F",      "-b",     "4096",
                                  "-I",         "512", "-i",      "131072", "-m",
                                  "0",          "-J",  "size=64", "-O",     "inline_data,^resize_inode",
                                  path.data,    NULL };
    return program_run(arena, words, STR_EMPTY);
}

error
volume_image_check_room(struct arena *arena, int64_t disk_gb)
{
    int64_t bytes = 0;
    for (int i = 0; i < VOLUME_PARTS; i++)
        bytes += volume_mb(disk_gb, (enum volume_part)i) * MB;
    return disk_make_folder(VOLUMES_FOLDER, 0700, root)
               ? volume_image_check_bytes(arena, bytes)
               : problem(arena, VOLUMES_FOLDER " cannot be made: %s.", strerror(errno));
}

static error
make_all(struct arena *arena, const struct state *state, id member, str making, int64_t disk_gb, bool is_thin)
{
    if (!disk_remove_tree(making.data) || !disk_make_folder(making.data, 0700, root))
        return problem(arena, "%s cannot be made: %s.", making.data, strerror(errno));
    TRY(member_key_set(arena, state, member, making));
    failpoint("agent:volume:make:before");
    for (int i = 0; i < VOLUME_PARTS; i++)
        TRY(make_one(arena, making, (enum volume_part)i, disk_gb));
    str full = str_format(arena, "%s/" FULL, making.data);
    if (!is_thin && !disk_replace(full.data, STR_EMPTY, 0600, root))
        return problem(arena, "%s cannot be written: %s.", full.data, strerror(errno));
    failpoint("agent:volume:make:after");
    return OK;
}

error
volume_image_make(struct arena *arena, const struct state *state, id member, int64_t disk_gb, bool is_thin)
{
    str all = volume_images(arena, member), making = str_format(arena, "%s/" MAKING, all.data);
    if (!is_thin)
        TRY(volume_image_check_room(arena, disk_gb));
    error why = make_all(arena, state, member, making, disk_gb, is_thin);
    if (why != OK && !disk_remove_tree(making.data)) /* half of it would keep the host's room */
        log_line(LOG_WARNING, "volume", "%s cannot be removed: %s.", making.data, strerror(errno));
    TRY(why);
    if (!disk_below_rename(all.data, MAKING, VOLUME_IN_USE))
        return problem(arena, "%s cannot be renamed: %s.", making.data, strerror(errno));
    return OK;
}

bool
volume_image_is_thin(struct arena *arena, id member)
{
    return !disk_exists(str_format(arena, "%s/" VOLUME_IN_USE "/" FULL, volume_images(arena, member).data).data);
}
