/* SPDX-License-Identifier: Apache-2.0 */
/* How values of a report are written. `name` is what stands before the value, as JSON: ",\"unit\":". */
#ifndef WIRE_REPORT_PARTS_H
#define WIRE_REPORT_PARTS_H

#include "wire/shape.h"

/* Cut to REPORT_SENTENCE_BYTES, and made UTF-8. */
void report_add_text(struct buf *out, struct arena *arena, const char *name, str text);
void report_add_text_or_null(struct buf *out, struct arena *arena, const char *name, str text); /* empty: null */
void report_add_number(struct buf *out, const char *name, int64_t value);                       /* negative: null */
void report_add_texts(struct buf *out, struct arena *arena, const char *name, const struct wire_texts *texts);

#endif
