/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/secret.h"

#include <string.h>

/* "reeve_", two letters for the kind (or four: join), "_", and then far more than this. Fewer are a mask or a word in a sentence. */
#define PREFIX      "reeve_"
#define CLIENT_KIND "sa"
#define JOIN_KIND   "join"
enum { PREFIX_LENGTH = sizeof(PREFIX) - 1, KIND_LENGTH = 2, JOIN_LENGTH = sizeof(JOIN_KIND) - 1, SHORTEST_SECRET = 16 };

static int
digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The character at a place, decoded, and how many bytes it takes there. */
static char
char_at(const char *text, size_t len, size_t at, size_t *ret_size)
{
    if (text[at] == '%' && len - at >= 3 && digit_of(text[at + 1]) >= 0 && digit_of(text[at + 2]) >= 0) {
        *ret_size = 3;
        return (char)(digit_of(text[at + 1]) * 16 + digit_of(text[at + 2]));
    }
    *ret_size = 1;
    return text[at];
}

static bool
is_secret_char(char c)
{
    char lower = (char)(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* The next character, decoded; 0 at the end. */
static char
next_char(const char *text, size_t len, size_t *at)
{
    size_t size;
    if (*at >= len)
        return '\0';
    char c = char_at(text, len, *at, &size);
    *at += size;
    return c;
}

/* Behind the prefix that begins here; 0 when none does. */
static size_t
skip_prefix(const char *text, size_t len, size_t at)
{
    char kind[JOIN_LENGTH + 1];
    size_t kind_length = 0;
    for (size_t i = 0; i < PREFIX_LENGTH; i++) {
        if (next_char(text, len, &at) != PREFIX[i])
            return 0;
    }
    while ((kind[kind_length] = next_char(text, len, &at)) != '_') {
        if (kind[kind_length] == '\0' || ++kind_length == sizeof(kind))
            return 0;
    }
    bool is_join = kind_length == JOIN_LENGTH && memcmp(kind, JOIN_KIND, JOIN_LENGTH) == 0;
    bool is_other = kind_length == KIND_LENGTH && memcmp(kind, CLIENT_KIND, KIND_LENGTH) != 0;
    return is_join || is_other ? at : 0;
}

/* The bounds of the secret, without its prefix, of the credential that begins here. */
static bool
find_secret(const char *text, size_t len, size_t at, size_t *ret_from, size_t *ret_to)
{
    if (text[at] != PREFIX[0] && text[at] != '%')
        return false;
    size_t from = skip_prefix(text, len, at), to = from, count = 0;
    for (size_t size; from > 0 && to < len && is_secret_char(char_at(text, len, to, &size)); to += size)
        count++;
    *ret_from = from;
    *ret_to = to;
    return count >= SHORTEST_SECRET;
}

bool
secret_is_in(const char *text, size_t len)
{
    size_t from, to;
    for (size_t at = 0; at < len; at++) {
        if (find_secret(text, len, at, &from, &to))
            return true;
    }
    return false;
}

size_t
secret_hide(char *text, size_t len)
{
    size_t out = 0, from, to;
    for (size_t at = 0; at < len;) {
        if (!find_secret(text, len, at, &from, &to)) {
            text[out++] = text[at++];
            continue;
        }
        memmove(text + out, text + at, from - at);
        out += from - at;
        memcpy(text + out, "***", 3);
        out += 3;
        at = to;
    }
    return out;
}
