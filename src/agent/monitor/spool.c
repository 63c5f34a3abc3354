/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/monitor/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

#include "base/disk.h"

enum {
    SEGMENTS = 32, /* that the bound is divided into */
    MOST_SEGMENTS = 4 * SEGMENTS,
    NAME_DIGITS = 20,
    PATH_BYTES = 4096,
    MAGIC = 0x50565252,
};
#define SUFFIX ".points"

struct header {
    uint32_t magic, bytes, lines, checksum; /* of the lines */
};

struct segment {
    int64_t start, bytes, lines;
};

struct spool {
    pthread_mutex_t lock;
    char folder[PATH_BYTES];
    int64_t most_bytes;
    size_t count;
    struct segment segments[MOST_SEGMENTS]; /* oldest first; the last is written to */
    int file;                               /* of the last; -1: none */
    int64_t wanted_from;                    /* what is before it everybody has */
    int64_t dropped;
};

/* ---- Files ---- */
static void
path_of(const struct spool *spool, int64_t start, char path[PATH_BYTES + 64])
{
    snprintf(path, PATH_BYTES + 64, "%s/%0*lld" SUFFIX, spool->folder, NAME_DIGITS, (long long)start);
}

static int
open_segment(const struct spool *spool, int64_t start, int flags)
{
    char path[PATH_BYTES + 64];
    path_of(spool, start, path);
    return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static struct segment *
last(struct spool *spool)
{
    return spool->count == 0 ? NULL : &spool->segments[spool->count - 1];
}

static int64_t
end_of(const struct segment *segment)
{
    return segment->start + segment->bytes;
}

static int64_t
spool_size(const struct spool *spool)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < spool->count; i++)
        bytes += spool->segments[i].bytes;
    return bytes;
}

/* False when there is no whole record header at this place. */
static bool
read_header(int file, int64_t at, int64_t end, struct header *ret_header)
{
    int64_t whole = (int64_t)sizeof(*ret_header);
    return at + whole <= end && pread(file, ret_header, sizeof(*ret_header), at) == (ssize_t)whole &&
           ret_header->magic == MAGIC && ret_header->bytes > 0 && ret_header->bytes <= SPOOL_RECORD_BYTES &&
           at + whole + ret_header->bytes <= end;
}

/* Lines of the records from a place on; where the last whole one ends. */
static int64_t
count_records(int file, int64_t from, int64_t end, int64_t *ret_lines)
{
    struct header header;
    int64_t at = from;
    *ret_lines = 0;
    while (read_header(file, at, end, &header)) {
        *ret_lines += header.lines;
        at += (int64_t)sizeof(header) + header.bytes;
    }
    return at;
}

static bool
read_lines(int file, int64_t at, const struct header *header, char *into)
{
    return pread(file, into, header->bytes, at + (int64_t)sizeof(*header)) == (ssize_t)header->bytes &&
           crc32(0, (const Bytef *)into, header->bytes) == header->checksum;
}

/* ---- Opening ---- */
static int
by_start(const void *a, const void *b)
{
    const struct segment *one = a, *other = b;
    return (one->start > other->start) - (one->start < other->start);
}

static bool
start_in_name(const char *name, int64_t *ret_start)
{
    str text = str_from(name);
    return text.len == NAME_DIGITS + strlen(SUFFIX) && str_ends_with(text, STR(SUFFIX)) &&
           str_to_int(str_slice(text, 0, NAME_DIGITS), 0, INT64_MAX, ret_start);
}

static bool
find_segments(struct spool *spool)
{
    DIR *folder = opendir(spool->folder);
    if (folder == NULL)
        return false;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int64_t start;
        if (start_in_name(entry->d_name, &start) && spool->count < MOST_SEGMENTS)
            spool->segments[spool->count++] = (struct segment){ .start = start };
    }
    closedir(folder);
    qsort(spool->segments, spool->count, sizeof(*spool->segments), by_start);
    return true;
}

static bool
measure(struct spool *spool, struct segment *segment)
{
    struct stat status;
    int file = open_segment(spool, segment->start, O_RDONLY);
    bool is_there = file >= 0 && fstat(file, &status) == 0;
    if (is_there) {
        segment->bytes = status.st_size;
        (void)count_records(file, 0, segment->bytes, &segment->lines);
    }
    if (file >= 0)
        close(file);
    return is_there;
}

/* A record whose writing was interrupted is the last one, or the power failed: then what follows it is of no use either. */
static bool
cut_off_torn(struct spool *spool)
{
    struct segment *segment = last(spool);
    struct header header;
    int64_t at = 0, lines = 0;
    char *into = malloc(SPOOL_RECORD_BYTES);
    spool->file = into == NULL ? -1 : open_segment(spool, segment->start, O_RDWR);
    while (spool->file >= 0 && read_header(spool->file, at, segment->bytes, &header) &&
           read_lines(spool->file, at, &header, into)) {
        at += (int64_t)sizeof(header) + header.bytes;
        lines += header.lines;
    }
    free(into);
    if (spool->file < 0 || (at < segment->bytes && ftruncate(spool->file, at) != 0))
        return false;
    segment->bytes = at;
    segment->lines = lines;
    return true;
}

error
spool_open(struct arena *arena, str folder, int64_t most_bytes, struct spool **ret_spool)
{
    static const struct disk_owner self = { (uid_t)-1, (gid_t)-1 };
    struct spool *spool = calloc(1, sizeof(*spool));
    if (spool == NULL || folder.len >= PATH_BYTES) {
        free(spool);
        return fail(arena, OVERLOADED);
    }
    pthread_mutex_init(&spool->lock, NULL);
    memcpy(spool->folder, folder.data, folder.len);
    spool->most_bytes = most_bytes;
    spool->file = -1;
    bool is_open = disk_make_folder(spool->folder, 0700, self) && find_segments(spool);
    for (size_t i = 0; is_open && i < spool->count; i++)
        is_open = measure(spool, &spool->segments[i]);
    if (is_open && spool->count > 0)
        is_open = cut_off_torn(spool);
    if (!is_open) {
        error why = problem(arena, "%s cannot be used: %s.", spool->folder, strerror(errno));
        spool_close(spool);
        return why;
    }
    *ret_spool = spool;
    return OK;
}

void
spool_close(struct spool *spool)
{
    if (spool == NULL)
        return;
    if (spool->file >= 0)
        close(spool->file);
    pthread_mutex_destroy(&spool->lock);
    free(spool);
}

/* ---- Making room ---- */
static void
remove_oldest(struct spool *spool)
{
    char path[PATH_BYTES + 64];
    path_of(spool, spool->segments[0].start, path);
    (void)unlink(path);
    if (spool->count == 1 && spool->file >= 0) {
        close(spool->file);
        spool->file = -1;
    }
    spool->count--;
    memmove(spool->segments, spool->segments + 1, spool->count * sizeof(*spool->segments));
}

/* Lines of the oldest segment that somebody still wanted. */
static int64_t
wanted_lines(const struct spool *spool)
{
    const struct segment *oldest = &spool->segments[0];
    int64_t from = spool->wanted_from - oldest->start, lines = 0;
    if (from <= 0)
        return oldest->lines;
    if (from >= oldest->bytes)
        return 0;
    int file = open_segment(spool, oldest->start, O_RDONLY);
    if (file < 0)
        return oldest->lines;
    (void)count_records(file, from, oldest->bytes, &lines);
    close(file);
    return lines;
}

static void
make_room(struct spool *spool, int64_t more)
{
    while (spool->count > 1 && (spool_size(spool) + more > spool->most_bytes || spool->count == MOST_SEGMENTS)) {
        spool->dropped += wanted_lines(spool);
        remove_oldest(spool);
    }
}

/* It begins where the last one ends: a position is never used twice. */
static bool
begin_segment(struct spool *spool)
{
    struct segment *before = last(spool);
    int64_t start = before == NULL ? 0 : end_of(before);
    int file = open_segment(spool, start, O_RDWR | O_CREAT | O_TRUNC);
    if (file < 0)
        return false;
    if (spool->file >= 0)
        close(spool->file);
    spool->file = file;
    if (before == NULL || before->bytes > 0)
        spool->count++;
    *last(spool) = (struct segment){ .start = start };
    return true;
}

/* An empty file takes any record, also one that is larger than a file should be. */
static bool
has_place(struct spool *spool, int64_t more)
{
    const struct segment *segment = last(spool);
    return segment != NULL && spool->file >= 0 &&
           (segment->bytes == 0 || segment->bytes + more <= spool->most_bytes / SEGMENTS);
}

/* ---- Writing ---- */
static bool
write_record(struct spool *spool, str lines, size_t line_count)
{
    struct segment *segment = last(spool);
    struct header header = { MAGIC, (uint32_t)lines.len, (uint32_t)line_count,
                             (uint32_t)crc32(0, (const Bytef *)lines.data, (uInt)lines.len) };
    const struct iovec parts[] = { { &header, sizeof(header) }, { (void *)(uintptr_t)lines.data, lines.len } };
    int64_t bytes = (int64_t)(sizeof(header) + lines.len);
    if (pwritev(spool->file, parts, LENGTH(parts), segment->bytes) != (ssize_t)bytes) {
        (void)!ftruncate(spool->file, segment->bytes); /* a full disk took a part of it */
        return false;
    }
    segment->bytes += bytes;
    segment->lines += (int64_t)line_count;
    return true;
}

bool
spool_append(struct spool *spool, str lines, size_t line_count)
{
    int64_t more = (int64_t)(sizeof(struct header) + lines.len);
    if (lines.len == 0)
        return true;
    pthread_mutex_lock(&spool->lock);
    make_room(spool, more);
    bool is_kept = lines.len <= SPOOL_RECORD_BYTES && (has_place(spool, more) || begin_segment(spool)) &&
                   write_record(spool, lines, line_count);
    if (!is_kept)
        spool->dropped += (int64_t)line_count;
    pthread_mutex_unlock(&spool->lock);
    return is_kept;
}

/* ---- Reading ---- */
/* The segment that has the position, or the first one behind it; none: its count. */
static size_t
segment_at(const struct spool *spool, int64_t position)
{
    size_t i = 0;
    while (i < spool->count && end_of(&spool->segments[i]) <= position)
        i++;
    return i;
}

static void
add_records(const struct spool *spool, const struct segment *segment, char *body, size_t cap_bytes, size_t most_records,
            struct spool_batch *batch)
{
    int file = open_segment(spool, segment->start, O_RDONLY);
    int64_t at = batch->next - segment->start;
    struct header header;
    while (file >= 0 && batch->records < most_records && read_header(file, at, segment->bytes, &header) &&
           batch->body.len + header.bytes <= cap_bytes && read_lines(file, at, &header, body + batch->body.len)) {
        batch->body.len += header.bytes;
        batch->lines += header.lines;
        batch->records++;
        at += (int64_t)sizeof(header) + header.bytes;
    }
    if (file >= 0)
        close(file);
    batch->next = segment->start + at;
}

error
spool_read(struct spool *spool, struct arena *arena, int64_t from, size_t cap_bytes, size_t most_records,
           struct spool_batch *ret_batch)
{
    size_t room = cap_bytes < SPOOL_RECORD_BYTES ? SPOOL_RECORD_BYTES : cap_bytes;
    char *body = arena_alloc_unset(arena, room + 1);
    if (body == NULL)
        return fail(arena, OVERLOADED);
    pthread_mutex_lock(&spool->lock);
    int64_t end = spool->count == 0 ? 0 : end_of(last(spool));
    int64_t oldest = spool->count == 0 ? 0 : spool->segments[0].start;
    struct spool_batch batch = { .body = { body, 0 }, .next = from < oldest || from > end ? oldest : from };
    for (size_t i = segment_at(spool, batch.next); i < spool->count; i++) {
        const struct segment *segment = &spool->segments[i];
        if (batch.next < segment->start)
            batch.next = segment->start;
        add_records(spool, segment, body, batch.records == 0 ? room : cap_bytes, most_records, &batch);
        /* What cannot be read in the middle of the file is passed over, when nothing before it waits to be sent. */
        if (batch.records == 0)
            batch.next = end_of(segment);
        if (batch.next < end_of(segment))
            break;
    }
    pthread_mutex_unlock(&spool->lock);
    body[batch.body.len] = '\0';
    *ret_batch = batch;
    return OK;
}

/* ---- Removing ---- */
void
spool_trim(struct spool *spool, int64_t before)
{
    pthread_mutex_lock(&spool->lock);
    spool->wanted_from = before;
    while (spool->count > 1 && end_of(&spool->segments[0]) <= before)
        remove_oldest(spool);
    pthread_mutex_unlock(&spool->lock);
}

void
spool_clear(struct spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    bool is_empty = last(spool) == NULL || last(spool)->bytes == 0;
    while ((is_empty || begin_segment(spool)) && spool->count > 1) {
        remove_oldest(spool);
        is_empty = true;
    }
    pthread_mutex_unlock(&spool->lock);
}

/* ---- What there is ---- */
int64_t
spool_oldest(struct spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    int64_t oldest = spool->count == 0 ? 0 : spool->segments[0].start;
    pthread_mutex_unlock(&spool->lock);
    return oldest;
}

int64_t
spool_end(struct spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    int64_t end = spool->count == 0 ? 0 : end_of(last(spool));
    pthread_mutex_unlock(&spool->lock);
    return end;
}

int64_t
spool_bytes(struct spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    int64_t bytes = spool_size(spool);
    pthread_mutex_unlock(&spool->lock);
    return bytes;
}

int64_t
spool_dropped(struct spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    int64_t dropped = spool->dropped;
    pthread_mutex_unlock(&spool->lock);
    return dropped;
}
