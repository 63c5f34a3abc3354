/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of WAL files, histories of timelines, and what must come after what. pgBackRest stores whatever it is given and does
 * not notice that something is missing; this does. Arithmetic only.
 */
#ifndef ENGINE_POSTGRES_BACKUP_WAL_PLACE_H
#define ENGINE_POSTGRES_BACKUP_WAL_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { WAL_NAME_DIGITS = 24, WAL_MOST_FORKS = 1024 };

/* One file of WAL. Segments are numbered through; how many bytes each has is the server's choice. */
struct wal_place {
    uint32_t timeline;
    uint64_t segment;
};

/* Where each ancestor of a timeline was left: "<ancestor>\t<position>\t<reason>" a line. */
struct wal_fork {
    uint32_t timeline;
    uint64_t lsn;
};
struct wal_history {
    uint32_t timeline; /* whose history it is */
    size_t count;
    struct wal_fork forks[WAL_MOST_FORKS]; /* oldest first */
};

/* "0000000A", as file names begin. */
MUST_USE bool wal_timeline_parse(str digits, uint32_t *ret_timeline);
/* "000000020000000000000005"; false for anything else, also with a suffix. */
MUST_USE bool wal_place_parse(str name, uint64_t segment_bytes, struct wal_place *ret_place);
str wal_place_text(struct arena *arena, struct wal_place place, uint64_t segment_bytes);
/* By segment, then by timeline: pg_receivewal goes on after the last in this order. */
int wal_place_compare(struct wal_place a, struct wal_place b);

/* "0/5000148" */
MUST_USE bool lsn_parse(str text, uint64_t *ret_lsn);
str lsn_text(struct arena *arena, uint64_t lsn);

/* False when it is none. Lines with # are remarks. */
MUST_USE bool wal_history_parse(uint32_t timeline, str text, struct wal_history *ret_history);
/* Where the ancestor was left; false when it is none of its ancestors. */
MUST_USE bool wal_history_fork(const struct wal_history *history, uint32_t ancestor, uint64_t *ret_lsn);

/*
 * Which segment must come after `last` on the way to the timeline of `to`. `own` is the history of the timeline of `last`, for when that one
 * was left for good: the way then goes back to an ancestor that both have. False when there is no way.
 */
MUST_USE bool wal_next_segment(struct wal_place last, const struct wal_history *own, const struct wal_history *to,
                               uint64_t segment_bytes, uint64_t *ret_segment);
/* Whether `next` is what must come after `last`. */
bool wal_follows(struct wal_place last, struct wal_place next, const struct wal_history *own,
                 const struct wal_history *to, uint64_t segment_bytes);
/* Whether a file belongs to the past of a timeline; one that is not complete need only begin
 * before the fork. */
bool wal_is_of(struct wal_place place, bool is_complete, const struct wal_history *history, uint64_t segment_bytes);
/* Which timeline has what comes after a position: the oldest that was left later. */
uint32_t wal_timeline_at(const struct wal_history *history, uint64_t lsn);
/* Whether a timeline begins after that file of it: no server has it, it only says where to begin (wal_folder_begin_at). */
bool wal_is_mark(struct wal_place place, const struct wal_history *own, uint64_t segment_bytes);

/* Whether the primary's clock and this host's are so far apart that one of them must be wrong: moments of the window are by the primary's. */
bool wal_clocks_differ(int64_t skew_ms);

/*
 * Whether who has replayed up to `reached` has all of what was received up to `end`. That may end in the middle of a record, or with a segment that a
 * switch has filled with nothing.
 */
bool wal_reaches(uint64_t reached, uint64_t end, uint64_t segment_bytes);

#endif
