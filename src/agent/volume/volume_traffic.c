/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/volume/volume_traffic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <linux/major.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/log.h"

enum { WORD_BYTES = 64 };
#define UNWRITTEN_BYTES "16777216" /* a quarter of a second of a slow disk */

/* What the kernel keeps of a device, by its number: "loop/dio" of 7:3. */
static str
word_of(struct arena *arena, str path)
{
    str text;
    return disk_read(arena, path.data, WORD_BYTES, &text) ? str_cut(&text, '\n') : STR_EMPTY;
}

/* Files of the kernel are not replaced but written to. */
static bool
tell(str path, const char *word, size_t bytes)
{
    int file = open(path.data, O_WRONLY | O_CLOEXEC);
    bool is_told = file >= 0 && write(file, word, bytes) == (ssize_t)bytes;
    if (file >= 0)
        close(file);
    return is_told;
}

/* "loop3": its node may be called so where nobody keeps /dev/block. */
static str
name_of(struct arena *arena, str device)
{
    char target[PATH_MAX];
    ssize_t bytes = readlink(device.data, target, sizeof(target));
    const char *slash = bytes > 0 ? memrchr(target, '/', (size_t)bytes) : NULL;
    return slash == NULL ? STR_EMPTY : str_format(arena, "%.*s", (int)(target + bytes - slash - 1), slash + 1);
}

static bool
go_past_cache(struct arena *arena, str device)
{
    str name = name_of(arena, device);
    int file = name.len == 0 ? -1 : open(str_format(arena, "/dev/%s", name.data).data, O_RDWR | O_CLOEXEC);
    bool is_done = file >= 0 && ioctl(file, LOOP_SET_DIRECT_IO, 1UL) == 0;
    if (file >= 0)
        close(file);
    return is_done;
}

/* It stays with the device until the host's next start, whoever has it then. */
static bool
bound_unwritten(struct arena *arena, str bounds)
{
    return tell(str_format(arena, "%s/max_bytes", bounds.data), UNWRITTEN_BYTES, sizeof(UNWRITTEN_BYTES) - 1) &&
           tell(str_format(arena, "%s/strict_limit", bounds.data), "1", 1);
}

void
volume_traffic_keep(struct arena *arena, str place)
{
    static atomic_bool was_said;
    struct stat status;
    if (stat(place.data, &status) != 0)
        return;
    unsigned int kind = major(status.st_dev), number = minor(status.st_dev);
    if (kind != LOOP_MAJOR) /* not mounted just now: what it is on belongs to others, too */
        return;
    str device = str_format(arena, "/sys/dev/block/%u:%u", kind, number),
        bounds = str_format(arena, "/sys/class/bdi/%u:%u", kind, number);
    bool is_past =
        str_eq(word_of(arena, str_format(arena, "%s/loop/dio", device.data)), STR("1")) || go_past_cache(arena, device);
    bool is_bound = str_eq(word_of(arena, str_format(arena, "%s/strict_limit", bounds.data)), STR("1")) ||
                    bound_unwritten(arena, bounds);
    if (!(is_past && is_bound) && !atomic_exchange(&was_said, true))
        log_line(
            LOG_INFO, "volume_traffic",
            "The kernel of this host bounds less than it could of what a volume writes (past the cache: %s, unwritten: %s): "
            "one member that writes much may slow others down.",
            is_past ? "yes" : "no", is_bound ? "bounded" : "not bounded");
}
