/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape of a statement: its text without anything that somebody put into it. pg_stat_statements takes constants out, but not always (an entry that
 * was thrown out while its statement ran comes back as it was typed), and it keeps comments. So what leaves a member is made here, from words that are
 * known to be no values: every text, number and parameter becomes "?", comments go, and what cannot be read to its end has no shape at all.
 */
#ifndef ENGINE_POSTGRES_ADVISOR_SHAPE_TEXT_H
#define ENGINE_POSTGRES_ADVISOR_SHAPE_TEXT_H

#include "base/str.h"

enum {
    SHAPE_QUERY_BYTES = 64 * 1024, /* of a statement that is looked at */
    SHAPE_TEXT_BYTES = 4096,       /* of a shape; the rest is cut off */
    SHAPE_MOST_WORDS = 48,
};

struct shape {
    str text;
    const char *command; /* SELECT, INSERT, UPDATE, DELETE or MERGE */
    str table;           /* "orders" or "sales.orders": what it is mostly about; empty: none was found */
    bool ignores_case;   /* it searches without regard to case */
    /* Names in it, folded as PostgreSQL folds them, each once: all of them, and those behind the first WHERE, ON or BY. */
    str words[SHAPE_MOST_WORDS], searched[SHAPE_MOST_WORDS];
    size_t word_count, searched_count;
};

/* False for what has none: utility statements, and what is too long or not to be read to its end. */
bool shape_of(struct arena *arena, str query, struct shape *ret_shape);

#endif
