/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which indexes would help the statements of one database. For each statement, the most expensive first, all indexes that its searches could use exist for the
 * planner at once; those that it takes up, and that make the statement at least twice as cheap, are chosen and stay while the next statement is judged. So two
 * indexes that help only together are found, and one that is of no use beside a chosen one is not.
 */
#ifndef ENGINE_POSTGRES_ADVISOR_TRIAL_H
#define ENGINE_POSTGRES_ADVISOR_TRIAL_H

#include "engine/postgres/advisor/shape_text.h"
#include "engine/postgres/session.h"

enum { TRIAL_MOST_STATEMENTS = 100, TRIAL_MOST_CHOSEN = 20, TRIAL_COLUMNS = 2 };

struct trial_statement {
    str query;
    struct shape shape;
    int64_t calls;
    double ms;
    double before, after; /* what the planner thinks that it costs; 0: it could not be planned */
    bool is_stuck;        /* planning it does not end: it is not tried again */
};

struct trial_index {
    str schema, table, columns[TRIAL_COLUMNS];
    size_t column_count;
    int64_t bytes, row_bytes;
    int64_t number; /* for the planner, in the last trial; 0: it cannot exist */
    bool is_used;   /* by the statement of the last trial */
};

struct trial {
    struct arena *arena;
    struct session *catalog, *planner;
    struct trial_statement *statements;
    size_t statement_count;
    struct trial_index *chosen[TRIAL_MOST_CHOSEN];
    size_t chosen_count;
    bool uses[TRIAL_MOST_STATEMENTS][TRIAL_MOST_CHOSEN]; /* which statement is helped by which */
    int64_t end_ms;                                      /* of the steady clock: how long it may take */
};

/* Ends early, with nothing chosen, when the planner's session got stuck: run it again with another one. */
MUST_USE error trial_run(struct trial *trial);

#endif
