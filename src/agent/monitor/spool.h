/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points that wait on this host's disk until every store has them. Records follow each other without an end; a position is how many bytes were ever
 * written before it. The records are in files of a few megabytes, each named after the position of its first byte, so that the oldest can be removed.
 *
 * Who is killed anywhere loses nothing that was appended before: a record is written with one call, and one that is not whole is cut off when the
 * spool is opened again. Power that fails may cost the last seconds. There is a bound: when it is reached, the oldest records go, and are counted.
 *
 * Every function takes the spool's own lock.
 */
#ifndef AGENT_MONITOR_SPOOL_H
#define AGENT_MONITOR_SPOOL_H

#include "engine/problem.h"

enum {
    SPOOL_MOST_BYTES = 256 * 1024 * 1024,
    SPOOL_RECORD_BYTES = 512 * 1024, /* of lines in a record */
};

struct spool;

/* `folder` is made when it is not there. */
MUST_USE error spool_open(struct arena *arena, str folder, int64_t most_bytes, struct spool **ret_spool);
void spool_close(struct spool *spool); /* NULL is allowed */

/* False when they cannot be written; then they are counted as dropped, too. */
bool spool_append(struct spool *spool, str lines, size_t line_count);

struct spool_batch {
    str body;
    int64_t next; /* the position behind it */
    size_t lines, records;
};
/*
 * Whole records from a position on, as many as fit into `cap_bytes` and `most_records`, but at least one. A position that is no longer there, or never
 * was, is the oldest that is. No record: there is nothing behind that position.
 */
MUST_USE error spool_read(struct spool *spool, struct arena *arena, int64_t from, size_t cap_bytes, size_t most_records,
                          struct spool_batch *ret_batch);

/* Everybody has what is before this position. */
void spool_trim(struct spool *spool, int64_t before);
/* Nobody wants any of it. */
void spool_clear(struct spool *spool);

int64_t spool_oldest(struct spool *spool);
int64_t spool_end(struct spool *spool);
int64_t spool_bytes(struct spool *spool);
/* Lines that no store got, since the spool was opened. */
int64_t spool_dropped(struct spool *spool);

#endif
