/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements in the control database: whose points are whose, and hours and days that were made from them. */
#ifndef STORE_MONITOR_MONITOR_H
#define STORE_MONITOR_MONITOR_H

#include "store/store.h"

enum { MONITOR_HOUR_DAYS = 63 }; /* how long hours are kept, as monitor_hour_prune.sql says; days are kept for ever */

/* ---- Whose points they are ---- */
struct monitored_member {
    id member, cluster, project;
};
/* Those on a host, in the order of their ids. */
MUST_USE error store_monitor_owners(struct store *store, struct arena *arena, id host,
                                    struct monitored_member **ret_members, size_t *ret_count);
/* The server of a project with this name and port; *ret_member is none when there is none. */
MUST_USE error store_process_find(struct store *store, struct arena *arena, id project, str process, id *ret_member);
struct monitored_cluster {
    id id;
    str name;
};
MUST_USE error store_monitor_clusters(struct store *store, struct arena *arena, id project,
                                      struct monitored_cluster **ret_clusters, size_t *ret_count);

/* Hours of a host's members that have to be made again: "<member>:<ms>,…". */
MUST_USE error store_monitor_late(struct store *store, struct arena *arena, id host, str hours);

/* ---- Hours and days ---- */
struct monitor_row_of { /* something that a member has */
    id member;
    str scope, name; /* "p" and empty for the server itself */
};
enum monitor_span { MONITOR_HOURS, MONITOR_DAYS };
/* Rows with C_AT_MS and C_METRICS ("sum:count,…" for the numbers that were asked for). */
MUST_USE error store_monitor_list(struct store *store, struct arena *arena, enum monitor_span span, id project,
                                  const struct monitor_row_of *of, str numbers, int64_t from_ms, int64_t to_ms,
                                  struct rows *ret_rows);
/* All hours before *ret_at_ms are made, and of that hour those of members up to *ret_member. 0: none ever was. */
MUST_USE error store_monitor_cursor(struct store *store, struct arena *arena, int64_t *ret_at_ms, id *ret_member);

/* Rows with C_NAME and C_TOTAL: tables by the sum of the metric with this number, `limit` at most. */
MUST_USE error store_monitor_rank(struct store *store, struct arena *arena, enum monitor_span span, id project,
                                  id member, int64_t number, int64_t from_ms, int64_t to_ms, int64_t limit,
                                  struct rows *ret_rows);

/* ---- Tables ---- */
struct table_member {
    id id;
    str process; /* name and port */
    bool is_primary;
};
struct table_view { /* whose tables are asked for */
    id cluster;
    str pinned; /* JSON, a list of names */
    size_t count;
    struct table_member *members;
};
/* *ret_found is false when the project has no such cluster; or no such process, when it is a process that is named. */
MUST_USE error store_table_view(struct store *store, struct arena *arena, id project, str cluster_name, str process,
                                bool *ret_found, struct table_view *ret_view);

struct pinned_tables {
    id cluster;
    str tables; /* JSON, a list of names */
    int64_t revision;
};
MUST_USE error store_pinned_tables_lock(struct tx *tx, id project, str cluster_name, bool *ret_found,
                                        struct pinned_tables *ret_pinned);
/* The document is as the API shows it. */
MUST_USE error store_pinned_tables_set(struct tx *tx, id project, const struct pinned_tables *pinned, str *ret_document,
                                       int64_t *ret_revision);

/* ---- Making them, in transactions of the service ---- */
MUST_USE error store_monitor_cursor_set(struct tx *tx, int64_t at_ms, id member);
/* The members after this one, `limit` at most. */
MUST_USE error store_monitor_members(struct store *store, struct arena *arena, id after, int64_t limit,
                                     struct monitored_member **ret_members, size_t *ret_count);
struct late_hour {
    id member, project;
    int64_t at_ms;
};
MUST_USE error store_monitor_late_take(struct tx *tx, int64_t limit, struct late_hour **ret_hours, size_t *ret_count);
/* Made again in ten minutes: a store did not answer. */
MUST_USE error store_monitor_late_again(struct tx *tx, id member, int64_t at_ms);
/* Arrays as PostgreSQL writes them. */
MUST_USE error store_monitor_hour_put(struct tx *tx, const struct monitor_row_of *of, int64_t at_ms, str sums,
                                      str counts);
MUST_USE error store_monitor_day_make(struct tx *tx, id member, int64_t at_ms);

#endif
