/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/report_parts.h"

#include "wire/report.h"

/* Programs' messages may be long and need not be UTF-8; a report is both short and text. */
static str
presentable(struct arena *arena, str text)
{
    if (text.len <= REPORT_SENTENCE_BYTES && str_is_text(text))
        return text;
    size_t length = text.len < REPORT_SENTENCE_BYTES ? text.len : REPORT_SENTENCE_BYTES;
    char *copy = arena_alloc(arena, length + 1);
    if (copy == NULL)
        return STR_EMPTY;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        copy[i] = c >= 0x80 || c < 0x20 ? '?' : (char)c;
    }
    return (str){ copy, length };
}

void
report_add_text(struct buf *out, struct arena *arena, const char *name, str text)
{
    buf_add_text(out, name);
    buf_add_json(out, presentable(arena, text));
}

void
report_add_text_or_null(struct buf *out, struct arena *arena, const char *name, str text)
{
    if (text.len > 0) {
        report_add_text(out, arena, name, text);
    } else {
        buf_add_text(out, name);
        buf_add_text(out, "null");
    }
}

void
report_add_number(struct buf *out, const char *name, int64_t value)
{
    buf_add_text(out, name);
    if (value < 0)
        buf_add_text(out, "null");
    else
        buf_add_int(out, value);
}

void
report_add_texts(struct buf *out, struct arena *arena, const char *name, const struct wire_texts *texts)
{
    buf_add_text(out, name);
    buf_add_char(out, '[');
    for (size_t i = 0; i < texts->count; i++)
        report_add_text(out, arena, i == 0 ? "" : ",", texts->items[i]);
    buf_add_char(out, ']');
}
