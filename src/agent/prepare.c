/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/prepare.h"

#include <errno.h>
#include <sys/stat.h>

#include "agent/address.h"
#include "agent/volume/volume.h"
#include "agent/volume/volume_room.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/engine.h"

enum { ENTRY_BYTES = 512 };

static error
cannot(struct arena *arena, str folder, const char *name)
{
    return problem(arena, "%s/%s cannot be given to its owner: %s.", folder.data, name, strerror(errno));
}

error
prepare_folders(struct arena *arena, str folder, gid_t group)
{
    static const struct {
        const char *name;
        mode_t mode;
    } folders[] = { { "", 01770 }, { "run", 01770 }, { "tls", 0750 }, { "pooler", 0750 } };
    struct disk_owner owner = { 0, group };
    if (!disk_make_folder(folder.data, 01770, owner))
        return problem(arena, "%s cannot be made: %s.", folder.data, strerror(errno));
    for (size_t i = 0; i < LENGTH(folders); i++) {
        if (!disk_below_make_folder(folder.data, folders[i].name, folders[i].mode, owner))
            return problem(arena, "%s/%s cannot be made: %s.", folder.data, folders[i].name, strerror(errno));
    }
    return OK;
}

/* ---- Changing the owner ---- */
struct handing {
    struct arena *arena;
    str folder;
    struct disk_owner owner;
    const char *below; /* "tls/" or "" */
    error why;
};

/* Files are what the agent wrote. Folders are the member's: data, and what Patroni moved aside. */
static bool
hand_over(void *context, const char *entry)
{
    struct handing *handing = context;
    struct disk_owner ours = { 0, handing->owner.group };
    struct stat status;
    str name = str_format(handing->arena, "%s%s", handing->below, entry);
    if (str_is(name, "run") || str_is(name, "tls") || !disk_below_look(handing->folder.data, name.data, &status))
        return true;
    bool is_right = status.st_gid == ours.group && (status.st_uid == 0 || status.st_uid == handing->owner.user);
    bool done = is_right                  ? true /* of a tree, too: its top is given last */
                : S_ISDIR(status.st_mode) ? disk_below_own_tree(handing->folder.data, name.data, handing->owner)
                : S_ISREG(status.st_mode) ? disk_below_set(handing->folder.data, name.data, 0640, ours)
                                          : disk_below_remove(handing->folder.data, name.data);
    if (!done)
        handing->why = cannot(handing->arena, handing->folder, name.data);
    return done;
}

/* A socket of a server that is gone, and its lock. */
static bool
clear_old(void *context, const char *entry)
{
    struct handing *handing = context;
    struct stat status;
    str name = str_format(handing->arena, "run/%s", entry);
    if (!disk_below_look(handing->folder.data, name.data, &status) || status.st_uid == handing->owner.user)
        return true;
    if (disk_below_remove(handing->folder.data, name.data))
        return true;
    handing->why = cannot(handing->arena, handing->folder, name.data);
    return false;
}

error
prepare_owner(struct arena *arena, str folder, struct disk_owner owner)
{
    struct handing handing = { .arena = arena, .folder = folder, .owner = owner, .below = "", .why = OK };
    TRY(prepare_folders(arena, folder, owner.group));
    failpoint("agent:prepare:owner:before");
    const struct {
        const char *name, *below;
        bool (*see)(void *, const char *);
    } parts[] = { { "run", "run/", clear_old }, { "tls", "tls/", hand_over }, { "", "", hand_over } };
    for (size_t i = 0; i < LENGTH(parts); i++) {
        handing.below = parts[i].below;
        if (!disk_below_each(folder.data, parts[i].name, parts[i].see, &handing))
            return handing.why != OK ? handing.why : cannot(arena, folder, parts[i].name);
    }
    failpoint("agent:prepare:owner:after");
    return OK;
}

error
prepare_volumes(struct arena *arena, str folder)
{
    struct stat status;
    str stale = str_format(arena, "%s/" WAL_FOLDER, folder.data);
    struct volume_space space = volume_space_at(folder);
    if (!volume_is_mounted(arena, str_format(arena, "%s/" WAL_VOLUME, folder.data)))
        return OK;
    if (volume_is_used_up(&space) && volume_room_kept(folder, VOLUME_RESERVE) > 0 &&
        !volume_room_keep(folder, VOLUME_RESERVE, 0))
        return problem(arena, "%s/" VOLUME_RESERVE " cannot be given away: %s.", folder.data, strerror(errno));
    if (disk_below_look(folder.data, "data/pg_wal", &status) || errno != ENOENT || disk_remove_tree(stale.data))
        return OK;
    return problem(arena, "%s cannot be removed: %s.", stale.data, strerror(errno));
}

error
prepare_member(struct arena *arena, const struct preparation *wish)
{
    struct disk_owner owner = { wish->wall.user, wish->wall.user };
    TRY(address_add(arena, wish->wall.address, wish->prefix));
    TRY(prepare_owner(arena, wish->folder, owner));
    TRY(prepare_volumes(arena, wish->folder));
    /* Databases run on without: the agent says so in its report for as long as it cannot be put up. */
    error why = wall_put(arena, &wish->wall);
    if (why != OK)
        log_line(LOG_ERROR, "no_wall", "%.*s", STR_ARG(why->detail));
    return OK;
}
