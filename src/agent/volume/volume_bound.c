/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/volume/volume_bound.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/volume/volume_backing.h"
#include "agent/volume/volume_image.h"
#include "agent/volume/volume_room.h"
#include "base/disk.h"
#include "base/disk_below.h"
#include "base/failpoint.h"

#define MAKING \
    ".making" /* what becomes VOLUME_LATER when it has its length, so that half of it is never taken for a bound */

enum { MB = 1 << 20, BLOCK_BYTES = 512 };

/* One at a time: what the host is found to have is not promised twice. */
static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

struct bound {
    str image, place;
    bool is_thin;
};

static error
set(struct arena *arena, const struct bound *bound, const char *name, int64_t bytes)
{
    return volume_room_keep(bound->place, name, bytes)
               ? OK
               : problem(arena, "%s/%s cannot be made %lld MB large: %s.", bound->place.data, name,
                         (long long)(bytes / MB), strerror(errno));
}

/* Of the host's disk, all but what the file takes; what the image has already is not asked for again. */
static error
take_open(struct arena *arena, int image, int later, int64_t later_bytes)
{
    struct stat status;
    if (fstat(image, &status) != 0)
        return problem(arena, "An image cannot be looked at: %s.", strerror(errno));
    int64_t more = (int64_t)status.st_size - later_bytes - (int64_t)status.st_blocks * BLOCK_BYTES;
    if (more <= 0)
        return OK;
    TRY(volume_image_check_bytes(arena, more));
    return volume_backing_take(arena, image, later, later_bytes);
}

static error
take(struct arena *arena, const struct bound *bound, const char *name, int64_t later_bytes)
{
    if (bound->is_thin)
        return OK;
    int image = open(bound->image.data, O_WRONLY | O_CLOEXEC | O_NOFOLLOW),
        later = volume_room_open(bound->place, name);
    error why = OK;
    if (image < 0 || later < 0) {
        why = problem(arena, "%s, or %s of it, cannot be opened: %s.", bound->image.data, name, strerror(errno));
    } else {
        pthread_mutex_lock(&taking);
        why = take_open(arena, image, later, later_bytes);
        pthread_mutex_unlock(&taking);
    }
    if (image >= 0)
        close(image);
    if (later >= 0)
        close(later);
    return why;
}

/* Nobody has written to it yet. */
static error
begin(struct arena *arena, const struct bound *bound, int64_t later_bytes)
{
    str later = str_format(arena, "%s/" VOLUME_LATER, bound->place.data);
    TRY(set(arena, bound, MAKING, later_bytes));
    TRY(take(arena, bound, MAKING, later_bytes));
    failpoint("agent:volume:bound:taken");
    if (!disk_remove_tree(later.data) || !disk_below_rename(bound->place.data, MAKING, VOLUME_LATER))
        return problem(arena, "%s cannot be made: %s.", later.data, strerror(errno));
    rmdir(str_format(arena, "%s/lost+found", bound->place.data).data); /* nobody looks there */
    return OK;
}

error
volume_bound_keep(struct arena *arena, id member, enum volume_part part, int64_t disk_gb, bool *ret_is_bound,
                  bool *ret_grew)
{
    const struct bound bound = { volume_image(arena, member, part), volume_place(arena, member, part),
                                 volume_image_is_thin(arena, member) };
    struct statvfs space;
    *ret_is_bound = volume_room_is_kept(bound.place, VOLUME_LATER);
    if (statvfs(bound.place.data, &space) != 0)
        return problem(arena, "%s cannot be asked for its size: %s.", bound.place.data, strerror(errno));
    int64_t whole = (int64_t)space.f_blocks * (int64_t)space.f_frsize, wanted = volume_mb(disk_gb, part) * MB;
    int64_t becomes = whole > wanted ? whole - wanted : 0;
    failpoint("agent:volume:bound:before");
    if (!*ret_is_bound)
        TRY(begin(arena, &bound, becomes));
    *ret_is_bound = true;
    int64_t later = volume_room_kept(bound.place, VOLUME_LATER);
    TRY(take(arena, &bound, VOLUME_LATER, becomes < later ? becomes : later));
    failpoint("agent:volume:bound:grows");
    if (becomes < later) {
        TRY(set(arena, &bound, VOLUME_LATER, becomes));
        *ret_grew = true;
    }
    failpoint("agent:volume:bound:after");
    if (whole < wanted)
        return problem(
            arena,
            "The disk of this member was made for at most %lld GB. Move it to another host, and it gets a larger one.",
            (long long)volume_most_gb(whole, part));
    return OK;
}
