/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/wal_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/disk.h"

enum { PAGE_BYTES = 8192, MOST_FILES = 65536, HISTORY_BYTES = 256 * 1024, ASIDE_S = 7 * 24 * 3600 };

#define PARTIAL ".partial"
#define HISTORY ".history"

/* ---- What is there ---- */
static int
compare_files(const void *a, const void *b)
{
    const struct wal_place one = ((const struct wal_file *)a)->place, other = ((const struct wal_file *)b)->place;
    if (one.timeline != other.timeline)
        return one.timeline < other.timeline ? -1 : 1;
    return wal_place_compare(one, other);
}

static int
compare_timelines(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one == other ? 0 : one < other ? -1 : 1;
}

static void
note(struct wal_files *files, str name, uint64_t segment_bytes)
{
    struct wal_file file = { .is_complete = true };
    if (str_ends_with(name, STR(HISTORY)) && name.len == 8 + strlen(HISTORY)) {
        uint32_t timeline;
        if (files->history_count < MOST_FILES && wal_timeline_parse(str_slice(name, 0, 8), &timeline))
            files->histories[files->history_count++] = timeline;
        return;
    }
    if (str_ends_with(name, STR(PARTIAL))) {
        name.len -= strlen(PARTIAL);
        file.is_complete = false;
    }
    if (files->count < MOST_FILES && wal_place_parse(name, segment_bytes, &file.place))
        files->items[files->count++] = file;
}

static size_t
count_entries(DIR *folder)
{
    size_t count = 0;
    while (readdir(folder) != NULL)
        count++;
    rewinddir(folder);
    return count;
}

error
wal_folder_list(struct arena *arena, str folder, uint64_t segment_bytes, struct wal_files *ret_files)
{
    str path = str_format(arena, "%s/" SEAT_WAL, folder.data);
    DIR *all = opendir(path.data);
    if (all == NULL)
        return problem(arena, "%s cannot be read: %s.", path.data, strerror(errno));
    size_t most = count_entries(all) + 16;
    struct wal_files files = { .items = ARENA_ARRAY(arena, struct wal_file, most),
                               .histories = ARENA_ARRAY(arena, uint32_t, most) };
    const struct dirent *one;
    while (files.items != NULL && files.histories != NULL && (one = readdir(all)) != NULL && files.count < most &&
           files.history_count < most)
        note(&files, str_from(one->d_name), segment_bytes);
    closedir(all);
    if (files.items == NULL || files.histories == NULL)
        return fail(arena, OVERLOADED);
    qsort(files.items, files.count, sizeof(*files.items), compare_files);
    qsort(files.histories, files.history_count, sizeof(*files.histories), compare_timelines);
    *ret_files = files;
    return OK;
}

str
wal_folder_path(struct arena *arena, str folder, const struct wal_file *file, uint64_t segment_bytes)
{
    return str_format(arena, "%s/" SEAT_WAL "/%s%s", folder.data,
                      wal_place_text(arena, file->place, segment_bytes).data, file->is_complete ? "" : PARTIAL);
}

bool
wal_folder_history(struct arena *arena, str folder, uint32_t timeline, struct wal_history *ret_history)
{
    str path = str_format(arena, "%s/" SEAT_WAL "/%08X" HISTORY, folder.data, timeline), text;
    if (timeline == 1) {
        ret_history->timeline = 1;
        ret_history->count = 0;
        return true;
    }
    return disk_read(arena, path.data, HISTORY_BYTES, &text) && wal_history_parse(timeline, text, ret_history);
}

const struct wal_file *
wal_folder_find(const struct wal_files *files, struct wal_place place)
{
    for (size_t i = 0; i < files->count; i++) {
        if (wal_place_compare(files->items[i].place, place) == 0)
            return &files->items[i];
    }
    return NULL;
}

/* A page of WAL begins with a number that is never zero. */
bool
wal_folder_has_written(struct arena *arena, str folder, const struct wal_file *file, uint64_t segment_bytes,
                       uint64_t lsn)
{
    uint16_t magic = 0;
    uint64_t page = (lsn - 1) / PAGE_BYTES * PAGE_BYTES;
    int opened = open(wal_folder_path(arena, folder, file, segment_bytes).data, O_RDONLY | O_CLOEXEC);
    if (opened < 0)
        return false;
    bool is_read = pread(opened, &magic, sizeof(magic), (off_t)(page % segment_bytes)) == (ssize_t)sizeof(magic);
    close(opened);
    return is_read && magic != 0;
}

/* ---- What goes ---- */
error
wal_folder_put_aside(struct arena *arena, str folder, const struct wal_file *file, uint64_t segment_bytes)
{
    str from = wal_folder_path(arena, folder, file, segment_bytes);
    str to = str_format(arena, "%s/" SEAT_ASIDE "/%s%s", folder.data,
                        wal_place_text(arena, file->place, segment_bytes).data, file->is_complete ? "" : PARTIAL);
    return rename(from.data, to.data) == 0 ? OK
                                           : problem(arena, "%s cannot be put aside: %s.", from.data, strerror(errno));
}

error
wal_folder_put_stubs_aside(struct arena *arena, str folder, uint64_t segment_bytes)
{
    struct wal_files files;
    TRY(wal_folder_list(arena, folder, segment_bytes, &files));
    for (size_t i = 0; i < files.count; i++) {
        struct stat status;
        const struct wal_file *file = &files.items[i];
        if (file->is_complete || stat(wal_folder_path(arena, folder, file, segment_bytes).data, &status) != 0 ||
            status.st_size == 0 || (uint64_t)status.st_size == segment_bytes)
            continue;
        TRY(wal_folder_put_aside(arena, folder, file, segment_bytes));
    }
    return OK;
}

error
wal_folder_remove(struct arena *arena, str folder, const struct wal_file *file, uint64_t segment_bytes)
{
    str path = wal_folder_path(arena, folder, file, segment_bytes);
    return disk_remove(path.data) ? OK : problem(arena, "%s cannot be removed: %s.", path.data, strerror(errno));
}

void
wal_folder_clear_aside(struct arena *arena, str folder)
{
    str path = str_format(arena, "%s/" SEAT_ASIDE, folder.data);
    DIR *all = opendir(path.data);
    const struct dirent *one;
    while (all != NULL && (one = readdir(all)) != NULL) {
        struct stat status;
        if (one->d_name[0] != '.' && fstatat(dirfd(all), one->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            time(NULL) - status.st_ctime > ASIDE_S)
            unlinkat(dirfd(all), one->d_name, 0);
    }
    if (all != NULL)
        closedir(all);
}

error
wal_folder_begin_at(struct arena *arena, str folder, struct wal_place place, uint64_t segment_bytes)
{
    struct wal_file before = { { place.timeline, place.segment - 1 }, true };
    str path = wal_folder_path(arena, folder, &before, segment_bytes);
    int fd = open(path.data, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool done = fd >= 0 && ftruncate(fd, (off_t)segment_bytes) == 0;
    error why = done ? OK : problem(arena, "%s cannot be made: %s.", path.data, strerror(errno));
    if (fd >= 0)
        close(fd);
    return why;
}
