/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports (docs/internals/exports.md): a snapshot is restored beside its seat, dumped and written to a bucket of its tenant. Three units do it one after the other:
 * the first as the seat, the others as a user that has nothing else; only the last has the keys of the bucket, and a network that leads to the store alone.
 */
#ifndef AGENT_SEAT_SEAT_EXPORT_H
#define AGENT_SEAT_SEAT_EXPORT_H

#include "agent/seat/seat_view.h"

bool seat_export_has_unit(struct arena *arena, id seat, const char *unit);

MUST_USE error seat_export_go_on(struct seat_pass *pass, const struct seat_view *view, struct report_seat *report,
                                 bool *ret_is_busy);
/* Before the seat goes. */
MUST_USE error seat_export_end(struct seat_pass *pass);

#endif
