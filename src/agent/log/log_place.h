/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far logs were sent to one target, on the disk: lines after the place were not sent yet. Without a readable file
 * everything since the target was made counts as not sent: lines may be sent twice, but none is left out.
 */
#ifndef AGENT_LOG_LOG_PLACE_H
#define AGENT_LOG_LOG_PLACE_H

#include "base/id.h"

struct log_place {
    str cursor;       /* of the journal; the line that it names was taken. Empty: there is none */
    int64_t since_us; /* then from here on */
};

struct log_place log_place_read(struct arena *arena, str folder, id target);
/* On the disk when it returns true. */
MUST_USE bool log_place_write(struct arena *arena, str folder, id target, str cursor);
/* Of a target that is not in the goal any more. */
MUST_USE bool log_place_forget(struct arena *arena, str folder, id target);

#endif
