/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured database by database, in short sessions in each of them. Sizes take the server a look at every file, so they are asked for every few
 * minutes, and said again in between.
 */
#ifndef ENGINE_POSTGRES_MONITOR_MONITOR_DATABASES_H
#define ENGINE_POSTGRES_MONITOR_MONITOR_DATABASES_H

#include "engine/postgres/monitor/monitor_session.h"

enum { MONITOR_MOST_DATABASES = 100 }; /* that are measured at all: the busiest */

struct monitor_databases;

struct monitor_databases *monitor_databases_new(void);
void monitor_databases_free(struct monitor_databases *memory);

/* `rows` are those of monitor_databases.sql. */
void monitor_databases_measure(struct engine_member *self, struct monitor_databases *memory,
                               const struct engine_round *round, const PGresult *rows, struct buf *out);

#endif
