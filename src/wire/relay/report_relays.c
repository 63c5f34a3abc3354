/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/relay/report_relays.h"

#include "wire/report_parts.h"

void
report_add_relay(struct buf *out, struct arena *arena, const struct report_relay *relay)
{
    report_add_text(out, arena, "{\"id\":", id_text(arena, relay->id));
    report_add_text(out, arena, ",\"state\":", str_from(report_relay_words[relay->state]));
    report_add_text_or_null(out, arena, ",\"problem\":", relay->problem);
    report_add_texts(out, arena, ",\"clients\":", &relay->clients);
    buf_add_char(out, '}');
}
