/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two stages of a drill have said, looked at as the word of somebody else; of the second stage it is the tenant's, if they want it to be.
 * Whoever deceives here deceives themselves about their own backups, and nobody else.
 */
#ifndef AGENT_SEAT_DRILL_VIEW_H
#define AGENT_SEAT_DRILL_VIEW_H

#include "base/json.h"
#include "wire/report_seats.h"

/* Only what has a meaning, in bounds: what is kept of it, and reported. NULL when it makes no sense. */
json_t *drill_view_of(struct arena *arena, str text);
bool drill_view_is_done(const json_t *said);

/* What was said before the drill began could be restored. */
struct drill_promise {
    int64_t until_ms; /* the end of the window as it was reported; negative: none was */
    str lsn;          /* of WAL that was received, on that timeline; empty: none */
    int64_t timeline;
    int64_t backup_ms; /* when the backup was made */
};
/* The phases and checks of both, into a report. Either may be NULL. */
void drill_view_report(struct arena *arena, const json_t *fetched, const json_t *proved, int64_t backup_ms,
                       struct report_drill *drill);

/* What follows from it. An error says why it has failed. */
MUST_USE error drill_view_judge(struct arena *arena, const json_t *fetched, const json_t *proved,
                                const struct drill_promise *promise);

#endif
