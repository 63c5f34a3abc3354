/* SPDX-License-Identifier: Apache-2.0 */
/* What a relay host reports about its relays (docs/internals/network.md). */
#ifndef WIRE_RELAY_REPORT_RELAYS_H
#define WIRE_RELAY_REPORT_RELAYS_H

#include "base/id.h"
#include "wire/report_words.h"
#include "wire/shape.h"

struct report_relay {
    id id; /* the service's */
    enum report_relay_state state;
    str problem;
    struct wire_texts clients; /* addresses that are let in */
};

struct buf;
void report_add_relay(struct buf *out, struct arena *arena, const struct report_relay *relay);

#endif
