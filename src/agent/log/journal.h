/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of this host, read line by line from a place on. Belongs to one thread. */
#ifndef AGENT_LOG_JOURNAL_H
#define AGENT_LOG_JOURNAL_H

#include "agent/log/log_place.h"

struct journal;

struct journal_entry {
    str unit, program, text; /* good until the next is read */
    int64_t pid, time_us;
};

MUST_USE struct journal *journal_open(void); /* NULL: it cannot be read */
void journal_close(struct journal *journal);

/* Lines of these units only, and of no other; then it has to be placed. */
MUST_USE bool journal_choose(struct journal *journal, const str *units, size_t count);
/* Behind the line that the cursor names, or where it would be when it is gone. */
MUST_USE bool journal_go_to(struct journal *journal, const struct log_place *place);
/* The next one is the first of this moment or later, the previous one the last before it. */
MUST_USE bool journal_go_to_moment(struct journal *journal, int64_t time_us);
/* 1: there is one; 0: none any more; -1: it cannot be read. */
int journal_next(struct journal *journal, struct journal_entry *ret_entry);
int journal_previous(struct journal *journal, struct journal_entry *ret_entry);
/* The place of the line that was read last; empty when there is none. */
str journal_cursor(struct journal *journal, struct arena *arena);
/* Until something was written, or the time is over. */
void journal_wait(struct journal *journal, int64_t ms);

#endif
