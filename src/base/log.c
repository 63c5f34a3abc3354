/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/str.h"

enum { LONGEST_MESSAGE_BYTES = 4096 };

/* What a library said about outside bytes need not be UTF-8, and cutting may have split a character. */
static str
as_text(char *text)
{
    str message = str_from(text);
    if (!str_is_text(message)) {
        for (char *c = text; *c != '\0'; c++)
            *c = (unsigned char)*c >= 0x80 ? '?' : *c;
    }
    return message;
}

void
log_line(enum log_level level, const char *event, const char *format, ...)
{
    static const char *const names[] = { "info", "warning", "error" };
    /* Control characters take six bytes in JSON; a long message is cut rather than lost. */
    char text[LONGEST_MESSAGE_BYTES];
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(32 * LONGEST_MESSAGE_BYTES);
    if (arena == NULL)
        return;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    str message = length < 0 ? STR_EMPTY : as_text(text);
    struct buf out = buf_in(arena, 8 * LONGEST_MESSAGE_BYTES);
    buf_format(&out, "{\"time\":\"%s\",\"level\":\"%s\",\"pid\":%d,\"event\":", date_text(arena, clock_now_ms()).data,
               names[level], (int)getpid());
    buf_add_json(&out, str_from(event));
    buf_add_text(&out, ",\"message\":");
    buf_add_json(&out, message);
    buf_add_text(&out, "}\n");
    str line = buf_str(&out);
    /* One write a line: lines of several threads and processes do not mix. */
    if (write(STDERR_FILENO, line.data, line.len) < 0)
        return;
}
