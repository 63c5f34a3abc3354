/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc keeps what was freed. With the first large block that is freed it raises its thresholds to 32 MiB and more, it
 * gives each thread an arena of its own, and a page between two blocks in use stays: after a burst a process kept
 * gigabytes that nobody used. So the thresholds are fixed, there are few arenas, and after a burst free pages are given
 * back.
 */
#include "http/memory.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/str.h"

enum {
    LARGE_BYTES = 128 * 1024,      /* such blocks are mapped, and unmapped when they are freed */
    KEPT_BYTES = 1024 * 1024,      /* at the end of the heap */
    ARENAS = 2,                    /* the loop's, and one for all threads */
    BURST_BYTES = 4 * 1024 * 1024, /* so much more than it ever had at least */
    GAIN_BYTES = 1024 * 1024, /* what makes it worth another look soon: one takes a millisecond for each 10 MiB or so */
    FIRST_PAUSE_TICKS = 3,
    LONGEST_PAUSE_TICKS = 60,
};

static size_t least_bytes; /* that the process had */
static unsigned ticks, pause_ticks = FIRST_PAUSE_TICKS;

static size_t
resident_bytes(void)
{
    char line[128];
    int64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    if (fgets(line, sizeof(line), file) != NULL) {
        str rest = str_from(line);
        (void)str_cut(&rest, ' '); /* what is mapped */
        if (!str_to_int(str_cut(&rest, ' '), 0, INT64_MAX, &pages))
            pages = 0;
    }
    (void)fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

void
memory_start(void)
{
    (void)mallopt(M_ARENA_MAX, ARENAS);
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

void
memory_tick(void)
{
    if (++ticks < pause_ticks)
        return;
    ticks = 0;
    if (least_bytes == 0) /* what the start took, 12 MiB, would be kept for as long as no burst comes */
        (void)malloc_trim(KEPT_BYTES);
    size_t before = resident_bytes();
    if (before < least_bytes || least_bytes == 0)
        least_bytes = before;
    if (before < least_bytes + BURST_BYTES) {
        pause_ticks = FIRST_PAUSE_TICKS;
        return;
    }
    (void)malloc_trim(KEPT_BYTES);
    size_t after = resident_bytes();
    /* A process that simply needs more is asked less and less often. */
    if (after + GAIN_BYTES <= before)
        pause_ticks = FIRST_PAUSE_TICKS;
    else if (pause_ticks < LONGEST_PAUSE_TICKS)
        pause_ticks *= 2;
}
