/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts report about peerings (docs/internals/peering.md). */
#ifndef WIRE_REPORT_PEERING_H
#define WIRE_REPORT_PEERING_H

#include "base/id.h"
#include "wire/shape.h"

/* WAITING until the tenant's gateway was heard; REMOVED when nothing of it is left. */
enum report_peering_state { PEERING_WAITING, PEERING_OPEN, PEERING_FAILED, PEERING_REMOVED };
extern const char *const report_peering_words[]; /* by the enum; NULL at the end */

struct report_peering {
    id id;
    enum report_peering_state state;
    str problem;      /* a sentence, or empty */
    str public_key;   /* of this host, for this peering alone; empty: not known */
    str handshake_at; /* empty: none yet */
};

struct buf;
void report_add_peering(struct buf *out, struct arena *arena, const struct report_peering *peering);

#endif
