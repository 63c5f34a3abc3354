/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdio.h>
#include <strings.h>

enum { INT_DIGITS = 24 };

str
str_from(const char *text)
{
    return text == NULL ? STR_EMPTY : (str){ text, strlen(text) };
}

bool
str_eq(str a, str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool
str_eq_nocase(str a, str b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp(a.data, b.data, a.len) == 0);
}

bool
str_is(str a, const char *text)
{
    return str_eq(a, str_from(text));
}

int
str_word(str s, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (str_is(s, words[i]))
            return i;
    }
    return -1;
}

bool
str_starts_with(str s, str prefix)
{
    return s.len >= prefix.len && str_eq(str_slice(s, 0, prefix.len), prefix);
}

bool
str_ends_with(str s, str suffix)
{
    return s.len >= suffix.len && str_eq(str_slice(s, s.len - suffix.len, s.len), suffix);
}

int
str_compare(str a, str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

str
str_slice(str s, size_t from, size_t to)
{
    if (to > s.len)
        to = s.len;
    return from >= to ? STR_EMPTY : (str){ s.data + from, to - from };
}

str
str_trim(str s)
{
    while (s.len > 0 && (s.data[0] == ' ' || s.data[0] == '\t'))
        s = (str){ s.data + 1, s.len - 1 };
    while (s.len > 0 && (s.data[s.len - 1] == ' ' || s.data[s.len - 1] == '\t'))
        s.len--;
    return s;
}

ptrdiff_t
str_find(str s, char c)
{
    const char *at = s.len == 0 ? NULL : memchr(s.data, c, s.len);
    return at == NULL ? -1 : at - s.data;
}

str
str_cut(str *rest, char separator)
{
    ptrdiff_t at = str_find(*rest, separator);
    str before = at < 0 ? *rest : str_slice(*rest, 0, (size_t)at);
    *rest = at < 0 ? STR_EMPTY : str_slice(*rest, (size_t)at + 1, rest->len);
    return before;
}

str
str_dup(struct arena *arena, str s)
{
    char *copy = arena_alloc(arena, s.len + 1);
    if (copy == NULL)
        return STR_EMPTY;
    if (s.len > 0)
        memcpy(copy, s.data, s.len);
    return (str){ copy, s.len };
}

str
str_vformat(struct arena *arena, const char *format, va_list args)
{
    char most[256]; /* what nearly every text fits into, so that it is formatted once */
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(most, sizeof(most), format, again);
    va_end(again);
    char *text = length < 0 ? NULL : arena_alloc_unset(arena, (size_t)length + 1);
    if (text == NULL)
        return STR_EMPTY;
    if ((size_t)length < sizeof(most))
        memcpy(text, most, (size_t)length + 1);
    else
        vsnprintf(text, (size_t)length + 1, format, args);
    return (str){ text, (size_t)length };
}

str
str_format(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str text = str_vformat(arena, format, args);
    va_end(args);
    return text;
}

/* At the end of `digits`; printf takes ten times as long. */
static str
write_int(int64_t value, char digits[INT_DIGITS])
{
    size_t at = INT_DIGITS;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value < 0)
        digits[--at] = '-';
    return (str){ digits + at, INT_DIGITS - at };
}

str
str_from_int(struct arena *arena, int64_t value)
{
    char digits[INT_DIGITS];
    return str_dup(arena, write_int(value, digits));
}

str
str_hex(struct arena *arena, const void *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *in = bytes;
    char *text = arena_alloc(arena, count * 2 + 1);
    if (text == NULL)
        return STR_EMPTY;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[in[i] >> 4];
        text[2 * i + 1] = digits[in[i] & 15];
    }
    return (str){ text, count * 2 };
}

bool
str_to_int(str s, int64_t min, int64_t max, int64_t *ret_value)
{
    size_t at = 0;
    bool negative = s.len > 0 && s.data[0] == '-';
    if (negative)
        at = 1;
    if (at == s.len)
        return false;
    int64_t value = 0;
    for (; at < s.len; at++) {
        if (s.data[at] < '0' || s.data[at] > '9')
            return false;
        int digit = s.data[at] - '0';
        /* Counted downwards, because the negative range is the larger one. */
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value))
        return false;
    if (value < min || value > max)
        return false;
    *ret_value = value;
    return true;
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool
str_from_hex(str hex, void *ret_bytes, size_t count)
{
    unsigned char *out = ret_bytes;
    if (hex.len != count * 2)
        return false;
    for (size_t i = 0; i < hex.len; i++) {
        if (hex_digit(hex.data[i]) < 0)
            return false;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = (unsigned char)(hex_digit(hex.data[2 * i]) << 4 | hex_digit(hex.data[2 * i + 1]));
    return true;
}

bool
str_bytes_from_hex(struct arena *arena, str hex, str *ret_bytes)
{
    char *bytes = arena_alloc(arena, hex.len / 2 + 1);
    *ret_bytes = (str){ bytes, hex.len / 2 };
    return bytes != NULL && str_from_hex(hex, bytes, hex.len / 2);
}

/* Length of the well-formed UTF-8 sequence at the start, 0 when there is none (RFC 3629). */
static size_t
utf8_sequence(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80)
        return 1;
    size_t need = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || left < need)
        return 0;
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < need; i++) {
        if (s[i] < 0x80 || s[i] > 0xBF)
            return 0;
    }
    return need;
}

bool
str_is_one_line(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.data[i] < 0x20 || s.data[i] == 0x7f)
            return false;
    }
    return true;
}

bool
str_is_text(str s)
{
    for (size_t at = 0; at < s.len;) {
        size_t step = utf8_sequence((const unsigned char *)s.data + at, s.len - at);
        if (step == 0 || s.data[at] == '\0')
            return false;
        at += step;
    }
    return true;
}

#define BASE64_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* Room for `length` characters and a NUL; behind the digits it is filled up with '='. */
static str
base64_encode(struct arena *arena, const char digits[static 64], const void *bytes, size_t count, size_t length)
{
    const unsigned char *in = bytes;
    char *text = arena_alloc(arena, length + 1);
    if (text == NULL)
        return STR_EMPTY;
    unsigned bits = 0, held = 0;
    size_t out = 0;
    for (size_t i = 0; i < count; i++) {
        bits = bits << 8 | in[i];
        for (held += 8; held >= 6; held -= 6)
            text[out++] = digits[bits >> (held - 6) & 63];
    }
    if (held > 0)
        text[out++] = digits[bits << (6 - held) & 63];
    while (out < length)
        text[out++] = '=';
    return (str){ text, out };
}

str
str_base64url(struct arena *arena, const void *bytes, size_t count)
{
    return base64_encode(arena, BASE64_LETTERS "-_", bytes, count, (count * 8 + 5) / 6);
}

str
str_base64(struct arena *arena, const void *bytes, size_t count)
{
    return base64_encode(arena, BASE64_LETTERS "+/", bytes, count, (count + 2) / 3 * 4);
}

/* Accepts both alphabets; the callers that care have only one of them in their input. */
static int
base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '-' || c == '+')
        return 62;
    if (c == '_' || c == '/')
        return 63;
    return -1;
}

/* Decodes exactly `count` bytes; the spare bits of the last character must be zero, so that each value has one
 * spelling only. */
static bool
base64_decode(str text, unsigned char *out, size_t count)
{
    unsigned bits = 0, held = 0;
    size_t written = 0;
    for (size_t i = 0; i < text.len; i++) {
        int value = base64_value(text.data[i]);
        if (value < 0)
            return false;
        bits = (bits << 6 | (unsigned)value) & 0xFFFFFF;
        held += 6;
        if (held >= 8) {
            held -= 8;
            if (written == count)
                return false;
            out[written++] = (unsigned char)(bits >> held);
        }
    }
    return written == count && (bits & ((1u << held) - 1)) == 0 && held < 6;
}

bool
str_from_base64url(str text, void *ret_bytes, size_t count)
{
    if (text.len != (count * 8 + 5) / 6 || str_find(text, '+') >= 0 || str_find(text, '/') >= 0)
        return false;
    return base64_decode(text, ret_bytes, count);
}

bool
str_from_base64(struct arena *arena, str text, str *ret)
{
    if (text.len % 4 != 0 || str_find(text, '-') >= 0 || str_find(text, '_') >= 0)
        return false;
    for (int padding = 0; padding < 2 && text.len > 0 && text.data[text.len - 1] == '='; padding++)
        text.len--;
    size_t count = text.len * 6 / 8;
    char *out = arena_alloc(arena, count + 1);
    if (out == NULL || !base64_decode(text, (unsigned char *)out, count))
        return false;
    *ret = (str){ out, count };
    return true;
}

bool
str_percent_decode(struct arena *arena, str s, bool plus_is_space, str *ret_decoded)
{
    char *out = arena_alloc(arena, s.len + 1);
    if (out == NULL)
        return false;
    size_t length = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        if (c == '%') {
            if (s.len - i < 3)
                return false;
            int high = hex_digit(s.data[i + 1]), low = hex_digit(s.data[i + 2]);
            if (high < 0 || low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        if (c == '\0')
            return false;
        out[length++] = c;
    }
    *ret_decoded = (str){ out, length };
    return true;
}

str
str_percent_encode(struct arena *arena, str s)
{
    struct buf out = buf_in(arena, s.len * 3 + 1);
    buf_add_percent_encoded(&out, s);
    return buf_str(&out);
}

struct buf
buf_in(struct arena *arena, size_t cap_bytes)
{
    return (struct buf){ .arena = arena, .cap = cap_bytes };
}

bool
buf_reserve(struct buf *buf, size_t more)
{
    if (buf->failed)
        return false;
    if (more > buf->cap - buf->len) {
        buf->failed = true;
        return false;
    }
    if (buf->len + more + 1 <= buf->size)
        return true;
    size_t size = buf->size == 0 ? 256 : buf->size * 2;
    if (size < buf->len + more + 1)
        size = buf->len + more + 1;
    char *data = arena_alloc_unset(buf->arena, size);
    if (data == NULL) {
        buf->failed = true;
        return false;
    }
    if (buf->len > 0)
        memcpy(data, buf->data, buf->len);
    buf->data = data;
    buf->size = size;
    return true;
}

void
buf_add(struct buf *buf, str s)
{
    if (s.len == 0 || !buf_reserve(buf, s.len))
        return;
    memcpy(buf->data + buf->len, s.data, s.len);
    buf->len += s.len;
    buf->data[buf->len] = '\0';
}

void
buf_add_char(struct buf *buf, char c)
{
    buf_add(buf, (str){ &c, 1 });
}

void
buf_add_text(struct buf *buf, const char *text)
{
    buf_add(buf, str_from(text));
}

void
buf_format(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        buf->failed = true;
    else if (buf_reserve(buf, (size_t)length)) {
        vsnprintf(buf->data + buf->len, (size_t)length + 1, format, args);
        buf->len += (size_t)length;
    }
    va_end(args);
}

void
buf_add_int(struct buf *buf, int64_t value)
{
    char digits[INT_DIGITS];
    buf_add(buf, write_int(value, digits));
}

/* printf needs ten times as long, and answers with measurements are made of numbers. */
void
buf_add_number(struct buf *buf, double value)
{
    enum { DIGITS = 15 };
    double size = value < 0 ? -value : value;
    if (!(size < 1e15) || (size < 0.1 && size > 0)) {
        buf_format(buf, "%.15g", value);
        return;
    }
    int64_t whole = (int64_t)size, scale = 1;
    int places = DIGITS;
    for (int64_t rest = whole; rest > 0; rest /= 10)
        places--;
    for (int i = 0; i < places; i++)
        scale *= 10;
    int64_t part = (int64_t)((size - (double)whole) * (double)scale + 0.5);
    if (part >= scale) {
        whole++;
        part -= scale;
    }
    if (value < 0 && (whole > 0 || part > 0))
        buf_add_char(buf, '-');
    buf_add_int(buf, whole);
    if (part == 0)
        return;
    char digits[DIGITS + 1];
    int end = 0;
    for (int i = places; i > 0; part /= 10) {
        digits[--i] = (char)('0' + part % 10);
        if (end == 0 && digits[i] != '0')
            end = i + 1;
    }
    buf_add_char(buf, '.');
    buf_add(buf, (str){ digits, (size_t)end });
}

void
buf_add_json(struct buf *buf, str s)
{
    buf_add_char(buf, '"');
    buf_add_json_inside(buf, s);
    buf_add_char(buf, '"');
}

void
buf_add_json_inside(struct buf *buf, str s)
{
    size_t plain_from = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        buf_add(buf, str_slice(s, plain_from, i));
        plain_from = i + 1;
        if (c == '"' || c == '\\') {
            buf_add_char(buf, '\\');
            buf_add_char(buf, (char)c);
        } else if (c == '\n') {
            buf_add_text(buf, "\\n");
        } else {
            buf_format(buf, "\\u%04x", c);
        }
    }
    buf_add(buf, str_slice(s, plain_from, s.len));
}

void
buf_add_percent_encoded(struct buf *buf, str s)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t plain_from = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
            c == '_' || c == '~' || c == ':' || c == '@')
            continue;
        char escape[] = { '%', digits[c >> 4], digits[c & 15] };
        buf_add(buf, str_slice(s, plain_from, i));
        buf_add(buf, (str){ escape, sizeof(escape) });
        plain_from = i + 1;
    }
    buf_add(buf, str_slice(s, plain_from, s.len));
}

str
buf_str(struct buf *buf)
{
    if (buf->failed || buf->len == 0)
        return STR_EMPTY;
    return (str){ buf->data, buf->len };
}
