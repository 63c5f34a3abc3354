/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of one log of one member between two moments, as gzip. The same lines give the same bytes whenever they are asked for,
 * so a reader who was cut off can have the rest.
 */
#ifndef AGENT_LOG_LOG_RANGE_H
#define AGENT_LOG_LOG_RANGE_H

#include "agent/log/journal.h"
#include "base/id.h"

/* What a log consists of. */
struct log_kind {
    const char *name;            /* as in the API */
    const char *const *suffixes; /* of the units: "reeve-member-<id><suffix>.service" */
    int type;                    /* an enum log_type; -1: everything that is not the agent's own */
};
/* NULL: there is none of that name. */
const struct log_kind *log_kind_find(str name);

/* A place between two lines: so many lines of the member's units that have exactly this moment are behind. */
struct log_position {
    int64_t time_us;
    int64_t taken;
};
#define LOG_POSITION_NAME "position=" /* in the comment of the empty part at the end: "position=<time_us>-<taken>" */
/* "<time_us>-<taken>" */
MUST_USE bool log_position_read(str text, struct log_position *ret_position);

struct log_range {
    id member;
    const struct log_kind *kind;
    int64_t from_us, to_us;    /* lines of both moments are in it */
    struct log_position after; /* time_us 0: from the first one on */
};

/* Where the bytes go. False: no more of them. */
struct log_sink {
    bool (*take)(void *context, const void *bytes, size_t count);
    void *context;
};

/* 1: all lines were sent; 0: the sink wants no more; -1: the journal cannot be read. */
int log_range_send(struct journal *journal, struct arena *arena, const struct log_range *range,
                   const struct log_sink *sink);
/* The moment of the first line of the member's units in it, of whichever log; 0 when there is none. False: the journal cannot be read. */
MUST_USE bool log_range_first(struct journal *journal, struct arena *arena, const struct log_range *range,
                              int64_t *ret_time_us);

#endif
