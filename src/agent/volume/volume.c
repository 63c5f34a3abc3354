/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/volume/volume.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "agent/unit_keep.h"
#include "agent/volume/volume_bound.h"
#include "agent/volume/volume_image.h"
#include "agent/volume/volume_room.h"
#include "agent/volume/volume_traffic.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"

enum {
    WORD_BYTES = 16,
    SPARED_BYTES = 1 << 20,
    BOUND_AGAIN_MS = 60 * 60 * 1000, /* somebody may have trimmed what a full one had taken */
};

const char *const volume_kind_words[VOLUMES_KINDS + 1] = { "none", "full", "thin", NULL };

/* ---- What a host gives ---- */
static str
kind_path(struct arena *arena, const struct state *state)
{
    return str_format(arena, "%s/volumes", state->folder.data);
}

enum volume_kind
volume_kind_of_host(struct arena *arena, const struct state *state)
{
    str text;
    if (!disk_read(arena, kind_path(arena, state).data, WORD_BYTES, &text))
        return VOLUMES_NONE;
    int kind = str_word(str_cut(&text, '\n'), volume_kind_words);
    return kind < 0 ? VOLUMES_NONE : (enum volume_kind)kind;
}

error
volume_kind_set(struct arena *arena, const struct state *state, enum volume_kind kind)
{
    if (kind != VOLUMES_NONE && !disk_exists(VOLUME_MAKER))
        return problem(arena, "There is no " VOLUME_MAKER " on this host: apt-get install e2fsprogs");
    if (kind != VOLUMES_NONE && !disk_exists("/dev/loop-control"))
        return problem(arena, "There is no /dev/loop-control on this host: modprobe loop");
    if (!disk_make_folder(state->folder.data, 0700,
                          (struct disk_owner){ 0, 0 })) /* it may be said before the host has joined */
        return problem(arena, "%s cannot be made: %s.", state->folder.data, strerror(errno));
    return state_write(arena, kind_path(arena, state), str_format(arena, "%s\n", volume_kind_words[kind]));
}

/* ---- Mounts ---- */
bool
volume_is_mounted(struct arena *arena, str place)
{
    struct stat here, above;
    return lstat(place.data, &here) == 0 && S_ISDIR(here.st_mode) && here.st_uid == 0 &&
           stat(str_format(arena, "%s/..", place.data).data, &above) == 0 && here.st_dev != above.st_dev;
}

/* The folder of a member that was never here, or that waits for its volume. One that cannot be read is not taken for that. */
static bool
is_empty(const char *path)
{
    DIR *folder = opendir(path);
    bool is_empty = folder != NULL || errno == ENOENT;
    for (const struct dirent *one = folder == NULL ? NULL : readdir(folder); one != NULL && is_empty;
         one = readdir(folder))
        is_empty = strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0;
    if (folder != NULL)
        closedir(folder);
    return is_empty;
}

static bool
is_mounted(struct arena *arena, id member, enum volume_part part)
{
    return volume_is_mounted(arena, volume_place(arena, member, part));
}

static error
mount_one(struct units *units, struct arena *arena, const struct volume_wish *wish, enum volume_part part)
{
    str unit = volume_unit(arena, wish->member, part), place = volume_place(arena, wish->member, part), state;
    bool ignored = false;
    TRY(unit_keep(units, arena, unit.data,
                  volume_unit_text(arena, wish->member, part, volume_image_is_thin(arena, wish->member)), false,
                  &ignored));
    TRY(unit_keep_up(units, arena, unit.data, &state));
    if (!is_mounted(arena, wish->member, part))
        return problem(arena, "%s is not mounted: systemctl status %s says why.", place.data, unit.data);
    volume_traffic_keep(arena, place);
    /* As a member's folder: it may make files there, and remove nobody else's. */
    if (!disk_make_folder(place.data, 01770, (struct disk_owner){ 0, wish->group }))
        return problem(arena, "%s cannot be given to its member: %s.", place.data, strerror(errno));
    return OK;
}

/* One without a bound is nobody's yet; that one could not be made larger is said. */
static error
bound(struct arena *arena, const struct volume_wish *wish, struct volume_memory *memory, error *ret_growth)
{
    bool grew = false;
    for (int i = 0; i < VOLUME_PARTS; i++) {
        bool is_bound = false;
        error why = volume_bound_keep(arena, wish->member, (enum volume_part)i, wish->disk_gb, &is_bound, &grew);
        if (!is_bound)
            return why;
        *ret_growth = *ret_growth == OK ? why : *ret_growth;
    }
    if (*ret_growth == OK)
        memory->bound_to_gb = wish->disk_gb, memory->bound_at_ms = clock_steady_ms();
    if (grew)
        log_line(LOG_INFO, "volume_grew", "The volumes of member %s have %lld GB for data now.",
                 id_text(arena, wish->member).data, (long long)wish->disk_gb);
    return OK;
}

error
volume_keep(struct units *units, struct arena *arena, const struct volume_wish *wish, struct volume_memory *memory,
            bool *ret_has, error *ret_growth)
{
    *ret_has = volume_image_is_known(arena, wish->member) ||
               (wish->kind != VOLUMES_NONE && is_empty(volume_place(arena, wish->member, VOLUME_DATA).data));
    *ret_growth = OK;
    if (!*ret_has)
        return OK;
    if (!volume_image_is_there(arena, wish->member)) {
        memory->bound_to_gb = 0; /* of those that were there before */
        TRY(volume_image_make(arena, wish->state, wish->member, wish->disk_gb, wish->kind != VOLUMES_FULL));
    }
    for (int i = 0; i < VOLUME_PARTS; i++)
        TRY(mount_one(units, arena, wish, (enum volume_part)i));
    bool is_bound = memory->bound_to_gb == wish->disk_gb && clock_steady_ms() - memory->bound_at_ms < BOUND_AGAIN_MS;
    return is_bound ? OK : bound(arena, wish, memory, ret_growth);
}

error
volume_check_room(struct arena *arena, const struct volume_wish *wish)
{
    return wish->kind == VOLUMES_FULL ? volume_image_check_room(arena, wish->disk_gb) : OK;
}

/* What lies below goes first. */
error
volume_down(struct units *units, struct arena *arena, id member)
{
    for (int i = VOLUME_PARTS - 1; i >= 0; i--) {
        if (!volume_image_is_known(arena, member))
            return OK;
        failpoint("agent:volume:unmount:before");
        TRY(unit_keep_down(units, arena, volume_unit(arena, member, (enum volume_part)i).data));
        if (is_mounted(arena, member, (enum volume_part)i))
            return problem(arena, "%s is still in use.", volume_place(arena, member, (enum volume_part)i).data);
    }
    return OK;
}

error
volume_drop(struct units *units, struct arena *arena, id member)
{
    str images = volume_images(arena, member);
    TRY(volume_down(units, arena, member));
    for (int i = VOLUME_PARTS - 1; i >= 0; i--)
        TRY(unit_drop(units, arena, volume_unit(arena, member, (enum volume_part)i).data));
    failpoint("agent:volume:remove:before");
    return disk_remove_tree(images.data) ? OK
                                         : problem(arena, "%s cannot be removed: %s.", images.data, strerror(errno));
}

/* ---- How full ---- */
struct volume_space
volume_space_at(str place)
{
    struct statvfs status;
    if (statvfs(place.data, &status) != 0)
        return (struct volume_space){ 0, 0, 0 };
    int64_t block = (int64_t)status.f_frsize, later_bytes = volume_room_kept(place, VOLUME_LATER);
    return (struct volume_space){ .size_bytes = (int64_t)status.f_blocks * block - later_bytes,
                                  .used_bytes = (int64_t)(status.f_blocks - status.f_bfree) * block - later_bytes,
                                  .free_bytes = (int64_t)status.f_bavail * block };
}

static void
keep_reserve(struct arena *arena, id member, enum volume_part part, const struct volume_space *space,
             struct volume_memory *memory)
{
    str place = volume_place(arena, member, part);
    struct volume_reserve reserve = { .has_bytes = volume_room_kept(place, VOLUME_RESERVE), .role = memory->role };
    if (volume_is_used_up(space) && !memory->was_used_up[part])
        log_line(LOG_WARNING, "volume_used_up", "%s has no space left.", place.data);
    memory->was_used_up[part] = volume_is_used_up(space) || (memory->was_used_up[part] && !volume_has_room(space));
    reserve.was_used_up = memory->was_used_up[part];
    int64_t wanted = volume_reserve_bytes(part, space, &reserve);
    if (wanted != reserve.has_bytes && !volume_room_keep(place, VOLUME_RESERVE, wanted))
        log_line(LOG_WARNING, "volume_reserve", "The reserve of %s cannot be %lld MB: %s.", place.data,
                 (long long)(wanted >> 20), strerror(errno));
}

void
volume_spaces(struct arena *arena, id member, struct volume_space ret_spaces[VOLUME_PARTS])
{
    for (int i = 0; i < VOLUME_PARTS; i++) {
        bool is_there = is_mounted(arena, member, (enum volume_part)i);
        ret_spaces[i] = is_there ? volume_space_at(volume_place(arena, member, (enum volume_part)i))
                                 : (struct volume_space){ 0, 0, 0 };
    }
}

void
volume_spare(struct arena *arena, id member)
{
    str place = volume_place(arena, member, VOLUME_DATA);
    int64_t has = volume_room_kept(place, VOLUME_RESERVE);
    bool ignored = has > SPARED_BYTES && volume_room_keep(place, VOLUME_RESERVE, has - SPARED_BYTES);
    (void)ignored; /* what needs it fails again, and says so */
}

void
volume_look(struct arena *arena, id member, struct volume_memory *memory)
{
    struct volume_space spaces[VOLUME_PARTS];
    volume_spaces(arena, member, spaces);
    for (int i = 0; i < VOLUME_PARTS; i++) {
        if (spaces[i].size_bytes > 0)
            keep_reserve(arena, member, (enum volume_part)i, &spaces[i], memory);
    }
    memory->is_full = volume_is_full(spaces, memory->is_full);
}
