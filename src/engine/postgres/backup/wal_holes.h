/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is missing, or cannot be read, of the WAL that a receiver has stored. pgBackRest does not notice it, and PostgreSQL takes the place for the end of
 * everything. keep.c lists what is there; this compares it with what must be there.
 */
#ifndef ENGINE_POSTGRES_BACKUP_WAL_HOLES_H
#define ENGINE_POSTGRES_BACKUP_WAL_HOLES_H

#include "base/json.h"
#include "engine/problem.h"

struct wal_look {
    str folder;            /* of the seat: histories of timelines are in it */
    const json_t *memory;  /* SEAT_MEMORY_FILE, as it was before the repository was listed */
    const json_t *info;    /* as pgBackRest says, after WAL was removed that nobody needs */
    int64_t shortened_ms;  /* the end of the full backup before which WAL was removed; 0: none was */
    str listed;            /* files of the repository, one a line: "17-1/…/000000010000000000000003-<sum>.zst" */
    const json_t *damaged; /* names of segments that are there and cannot be used */
};

/*
 * [{"ordinal": of the span, "fromLsn", "toLsn", "beforeTimeline", "afterTimeline": of what is left on both sides, "beforeMs", "afterMs": up to when and from
 * when on everything is there, -1 when nobody knows, "why"} …] by ordinal and position.
 */
MUST_USE error wal_holes(struct arena *arena, const struct wal_look *look, json_t **ret_holes);

#endif
