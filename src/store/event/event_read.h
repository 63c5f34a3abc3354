/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading events. Places have no gaps, so that a page and the count cost the same at any depth, also with dates. A list
 * with a filter by type or cluster cannot use places: it ends after EVENT_REACH events and counts no further.
 */
#ifndef STORE_EVENT_EVENT_READ_H
#define STORE_EVENT_EVENT_READ_H

#include "store/event/event.h"

enum { EVENT_REACH = 10000, EVENT_FOLLOW_ROWS = 50 };

struct event_filter {
    bool of_project; /* `scope` is a project, else an organization */
    id scope;
    bool outside_projects; /* of an organization: only what belongs to none of its projects */
    const bool *types;     /* which of EVENT_TYPE_COUNT; NULL: all */
    size_t cluster_count;  /* of a project; 0: whatever the cluster */
    const str *clusters;
    const int64_t *min_ms, *max_ms; /* both included; NULL: no bound */
    int64_t offset, limit;
    bool count;
};

/* Whether offset + limit may not go beyond EVENT_REACH. */
bool event_filter_is_bounded(const struct event_filter *filter);

/* Newest first. `ret_total` is -1 when it was not counted, or when a filter matches more than EVENT_REACH. */
struct event_page {
    int64_t total;
    int count; /* at most filter->limit */
    struct rows rows;
};
MUST_USE error store_event_list(struct store *store, struct arena *arena, const struct event_filter *filter,
                                struct event_page *ret_page);
str event_page_document(const struct event_page *page, int row); /* as it is stored */
str event_page_id(const struct event_page *page, int row);
int64_t event_page_seq(const struct event_page *page, int row);

/* ---- Following: the rows of SQL_EVENT_AFTER_IN_ORGANIZATION and SQL_EVENT_AFTER_IN_PROJECT ---- */
void event_follow_bind(struct params *params, id scope, int64_t after);
int event_follow_count(const struct rows *rows);
int64_t event_follow_end(const struct rows *rows); /* place of the newest event there is */
struct event_followed {
    int64_t seq;
    str type, cluster, document, id;
    bool of_project;
};
struct event_followed event_follow_row(const struct rows *rows, int row);

/*
 * How an event is shown, in the API, in streams and to webhooks: an object without links. Empty when the arena is full.
 * `seq` is its place in the list that was asked for: the organization's or the project's.
 */
str event_view(struct arena *arena, str stored, int64_t seq);

#endif
