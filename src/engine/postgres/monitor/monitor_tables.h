/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tables of a member are measured, and their points: those that did most since the last look, in all databases together, and those that are pinned.
 *
 * Tenants make as many tables as they like, and call them as they like. So there are bounds on all that costs: how many tables are told at a time, how
 * many names in an hour (each is a series in a store for days), how many are compared in a database, and how much of the server's time it takes.
 */
#ifndef ENGINE_POSTGRES_MONITOR_MONITOR_TABLES_H
#define ENGINE_POSTGRES_MONITOR_MONITOR_TABLES_H

#include "engine/postgres/monitor/monitor_session.h"

enum {
    MONITOR_MOST_WATCHED = 10, /* databases whose tables are looked at, the busiest; and those that have pinned ones */
    MONITOR_MOST_TABLES = 20,  /* that did most, of all databases */
    MONITOR_MOST_COUNTED = 10000,  /* of a database; beyond that, those that ever did least have no part in it */
    MONITOR_MOST_NAMES = 80,       /* in an hour */
    MONITOR_MOST_BUSY_NAMES = 40,  /* of these, those that are not pinned */
    MONITOR_NAME_MS = 3600 * 1000, /* how long a name keeps its place when its table is not told any more */
};

struct monitor_tables;

struct monitor_tables *monitor_tables_new(void);
void monitor_tables_free(struct monitor_tables *tables); /* NULL is allowed */

/* ---- One round: begin, look into databases one by one, tell ---- */
void monitor_tables_begin(struct monitor_tables *tables, struct engine_member *self, const struct engine_round *round);
/* Whether it is looked into; `place` is its place among the busiest databases, from 0 on. */
bool monitor_tables_wants(const struct monitor_tables *tables, str database, int place);
/* In a session in this database. What does not answer in time is left for the next round. */
void monitor_tables_look(struct monitor_tables *tables, str database, struct monitor_session *session,
                         int64_t deadline_ms);
void monitor_tables_tell(struct monitor_tables *tables, struct buf *out);

#endif
