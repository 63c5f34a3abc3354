/* SPDX-License-Identifier: Apache-2.0 */
/* WAL without a gap: what the receiver has stored, without what was found to be missing in the repository since. */
#ifndef AGENT_SEAT_SEAT_SPANS_H
#define AGENT_SEAT_SEAT_SPANS_H

#include "base/json.h"

/*
 * Spans of `wal`, as the receiver tells them, each split where `holes` of `kept` are; numbered anew. The last goes on. What is there is never told too
 * large: a moment is in the piece before a hole only when it is known that all of it lies there.
 */
json_t *seat_spans(struct arena *arena, const json_t *wal, const json_t *kept);

#endif
