/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads for blocking callers: a few threads, each with one pipelined connection, send queued statements together.
 * Thread safe. Only for store/.
 */
#ifndef STORE_READER_H
#define STORE_READER_H

#include "store/store.h"

struct readers;

MUST_USE struct readers *readers_new(const struct store_config *config);
/* Nobody may be waiting any more. */
void readers_free(struct readers *readers);
MUST_USE error readers_read(struct readers *readers, struct arena *arena, enum sql statement,
                            const struct params *params, struct rows *ret_rows);
/* Any of the connections is up. */
bool readers_are_ready(struct readers *readers);

#endif
