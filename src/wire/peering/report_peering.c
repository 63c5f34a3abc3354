/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/peering/report_peering.h"

#include "wire/report_parts.h"

const char *const report_peering_words[] = { "WAITING", "OPEN", "FAILED", "REMOVED", NULL };

void
report_add_peering(struct buf *out, struct arena *arena, const struct report_peering *peering)
{
    report_add_text(out, arena, "{\"id\":", id_text(arena, peering->id));
    report_add_text(out, arena, ",\"state\":", str_from(report_peering_words[peering->state]));
    report_add_text_or_null(out, arena, ",\"problem\":", peering->problem);
    report_add_text_or_null(out, arena, ",\"publicKey\":", peering->public_key);
    report_add_text_or_null(out, arena, ",\"handshakeAt\":", peering->handshake_at);
    buf_add_char(out, '}');
}
