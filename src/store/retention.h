/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Old records: a row for each kind that is deleted after a time. `test/data/tables.tsv` says for every table what
 * shrinks it, and script/check-tables checks that.
 */
#ifndef STORE_RETENTION_H
#define STORE_RETENTION_H

#include "store/store.h"

struct retention {
    const char *what; /* for the log */
    enum sql prune;   /* deletes at most $1 of them */
    bool takes_days;  /* $2: how long they are kept after they are over, else the statement says it */
};

enum { RETENTION_COUNT = 22 };
extern const struct retention retention_rows[RETENTION_COUNT];

MUST_USE error store_retention_prune(struct store *store, struct arena *arena, const struct retention *row,
                                     int64_t limit, int64_t days, int64_t *ret_deleted);

#endif
