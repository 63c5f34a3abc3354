/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of a seat have said, and what follows from it: what can be restored. They run as another user, so all of it is
 * looked at as the word of somebody else.
 */
#ifndef AGENT_SEAT_SEAT_VIEW_H
#define AGENT_SEAT_SEAT_VIEW_H

#include "agent/seat/seat.h"
#include "base/json.h"

struct seat_view {
    const json_t *wal;   /* of the receiver; NULL: it has said nothing yet */
    const json_t *kept;  /* of the last order; NULL: there was none yet */
    const json_t *spans; /* that follow from both (seat_spans.h) */
    bool is_stale;       /* something was found out since the last order that belongs into `kept` */
};

struct seat_view seat_view_read(struct seat_pass *pass);
struct seat_view seat_view_of(struct arena *arena, const json_t *wal, const json_t *kept);

/* Backups as pgBackRest describes them. */
const json_t *seat_view_backups(const struct seat_view *view);
str seat_annotation(const json_t *backup, const char *name);
/* Whether the receiver is at work, so that what a backup needs is going to be there. */
bool seat_view_receives(const struct seat_view *view);
/* When the newest full backup was made, if WAL without a gap follows and the next can build on it; negative: there is none. */
int64_t seat_view_newest_full_ms(const struct seat_view *view);
/* COMPLETED only when all WAL from its beginning to its end is in the repository. `ret_problem` says why it has failed. */
enum report_copy_state seat_view_state(const struct seat_view *view, const json_t *backup, str *ret_problem);

/* The primary's clock, less this host's, as the receiver saw it last. */
int64_t seat_view_skew_ms(const struct seat_view *view);
/* So much that one of them must be wrong. Nothing is removed because of its age then. */
bool seat_view_clocks_differ(const struct seat_view *view);

/* How far WAL brings whoever begins with that backup, and on which timeline; empty: nobody knows. */
str seat_view_end(const struct seat_view *view, const json_t *backup, int64_t *ret_timeline);

/* What is said of a seat before anything was seen of it. */
struct report_seat seat_view_unseen(id seat, str unit);
/* Everything but the unit, and copies that are not in the repository. `ret_copies` has room for `more` of these. */
void seat_view_report(struct seat_pass *pass, const struct seat_view *view, size_t more, struct report_seat *report,
                      struct report_copy **ret_copies);

#endif
