/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of logs as objects in a bucket: one for each member and log of a batch, gzip. The name of an object is the place of its first line, so the same lines that are
 * written once more are the same object.
 */
#ifndef AGENT_LOG_LOG_OBJECTS_H
#define AGENT_LOG_LOG_OBJECTS_H

#include "agent/log/log_line.h"

enum {
    LOG_OBJECTS_MOST_LINES = 20000,
    LOG_OBJECTS_MOST_BYTES = 8 * 1024 * 1024, /* of text in a batch */
    LOG_OBJECTS_AGE_MS = 60 * 1000,           /* a line is written at the latest when it is so old */
};

/* `<prefix><cluster>/<member>/<log>/<year>/<month>/<day>/<moment>-<eight digits of the place>.log.gz` */
str log_object_name(struct arena *arena, const struct goal_log_target *target, const struct log_line *first);

/* All of them, or a sentence about what is in the way; then some may be there. Blocks. */
MUST_USE bool log_objects_write(struct arena *arena, const struct goal_log_target *target, const struct log_line *lines,
                                size_t count, str *ret_why);

#endif
