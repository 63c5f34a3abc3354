/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text with a length. A `str` never owns its bytes: they are in an arena, in a literal or in the caller's
 * buffer. Every str made here is also followed by a NUL, so that `.data` can be handed to C libraries; a str
 * that is a slice of another one is not.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

typedef struct str {
    const char *data;
    size_t len;
} str;

#define STR(literal) ((str){ "" literal "", sizeof(literal) - 1 })
#define STR_EMPTY    ((str){ "", 0 })
/* For printf: "%.*s", STR_ARG(s) */
#define STR_ARG(s) (int)(s).len, (s).data

str str_from(const char *text); /* NULL becomes empty */
bool str_eq(str a, str b);
bool str_eq_nocase(str a, str b);
bool str_is(str a, const char *text);
/* The place of `s` among `words`, which end with NULL; -1 when it is none of them. */
int str_word(str s, const char *const *words);
bool str_starts_with(str s, str prefix);
bool str_ends_with(str s, str suffix);
int str_compare(str a, str b);
str str_slice(str s, size_t from, size_t to);
str str_trim(str s); /* spaces and tabs at both ends */
/* Position of the first `c`, or -1. */
ptrdiff_t str_find(str s, char c);
/* Removes the text before the first `separator` from *rest and returns it; at the end *rest becomes empty. */
str str_cut(str *rest, char separator);

/* These return an empty str when the arena is full. */
str str_dup(struct arena *arena, str s);
str str_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
str str_vformat(struct arena *arena, const char *format, va_list args);
str str_from_int(struct arena *arena, int64_t value);
str str_hex(struct arena *arena, const void *bytes, size_t count);

/* Whole text as a decimal integer within [min, max]; no sign but '-', no spaces. */
MUST_USE bool str_to_int(str s, int64_t min, int64_t max, int64_t *ret_value);
/* Lower- or upper-case hexadecimal digits, exactly 2 * count of them. */
MUST_USE bool str_from_hex(str hex, void *ret_bytes, size_t count);
/* All of it, however long. */
MUST_USE bool str_bytes_from_hex(struct arena *arena, str hex, str *ret_bytes);
/* Well-formed UTF-8 without NUL. */
bool str_is_text(str s);
/* No control characters: the text can be part of a line of configuration. */
bool str_is_one_line(str s);

/* URL-safe base64 without padding (RFC 4648 section 5). */
str str_base64url(struct arena *arena, const void *bytes, size_t count);
/* False when a character, or the length for `count` bytes, is wrong. */
MUST_USE bool str_from_base64url(str text, void *ret_bytes, size_t count);
/* Standard base64 with padding, as in HTTP Basic. */
str str_base64(struct arena *arena, const void *bytes, size_t count);
/* False when it is malformed. */
MUST_USE bool str_from_base64(struct arena *arena, str text, str *ret);

/* Percent-decoding; false on a broken escape or a NUL. With `plus_is_space` as in form bodies and queries. */
MUST_USE bool str_percent_decode(struct arena *arena, str s, bool plus_is_space, str *ret_decoded);
str str_percent_encode(struct arena *arena, str s);

/* ---- A text that grows: lives in an arena, has a cap, and remembers that it failed. ---- */
struct buf {
    struct arena *arena;
    char *data;
    size_t len, size, cap;
    bool failed;
};

struct buf buf_in(struct arena *arena, size_t cap_bytes);
void buf_add(struct buf *buf, str s);
/* Makes room for `more` bytes at once, so that adding them does not grow the text step by step. False when it failed. */
bool buf_reserve(struct buf *buf, size_t more);
void buf_add_char(struct buf *buf, char c);
void buf_add_text(struct buf *buf, const char *text);
void buf_format(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
void buf_add_int(struct buf *buf, int64_t value);
void buf_add_number(struct buf *buf, double value); /* fifteen digits, as %.15g; the last may be one off */
/* Adds `s` as a JSON string with its quotes, or what stands between them. `s` must be UTF-8. */
void buf_add_json(struct buf *buf, str s);
void buf_add_json_inside(struct buf *buf, str s);
void buf_add_percent_encoded(struct buf *buf, str s); /* as str_percent_encode() */
str buf_str(struct buf *buf);                         /* empty when failed */

#endif
