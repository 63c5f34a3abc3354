/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_walk.h"

#include <string.h>

static bool
is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

size_t
json_walk_skip_string(str text, size_t at)
{
    while (at < text.len) {
        const char *quote = memchr(text.data + at, '"', text.len - at);
        if (quote == NULL)
            break;
        const char *escape = memchr(text.data + at, '\\', (size_t)(quote - text.data) - at);
        if (escape == NULL)
            return (size_t)(quote - text.data) + 1;
        at = (size_t)(escape - text.data) + 2;
    }
    return text.len;
}

/* Behind the value that begins at `at`. */
static size_t
skip_value(str text, size_t at)
{
    int depth = 0;
    while (at < text.len) {
        char c = text.data[at];
        if (depth == 0 && (c == ',' || c == '}' || c == ']' || is_space(c)))
            return at;
        at++;
        if (c == '"')
            at = json_walk_skip_string(text, at);
        else if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
        if (depth == 0 && (c == '"' || c == '}' || c == ']'))
            return at;
    }
    return text.len;
}

static void
skip_until(struct json_walk *walk, const char *separators)
{
    while (walk->at < walk->text.len) {
        char c = walk->text.data[walk->at];
        if (!is_space(c) && (c == '\0' || strchr(separators, c) == NULL))
            return;
        walk->at++;
    }
}

struct json_walk
json_walk_in(str object)
{
    struct json_walk walk = { .text = object };
    skip_until(&walk, "{");
    return walk;
}

bool
json_walk_next(struct json_walk *walk, str *ret_name, str *ret_value)
{
    skip_until(walk, ",");
    if (walk->at >= walk->text.len || walk->text.data[walk->at] != '"')
        return false;
    size_t name = walk->at + 1;
    walk->at = json_walk_skip_string(walk->text, name);
    *ret_name = str_slice(walk->text, name, walk->at - 1);
    skip_until(walk, ":");
    size_t value = walk->at;
    walk->at = skip_value(walk->text, value);
    *ret_value = str_slice(walk->text, value, walk->at);
    return true;
}

str
json_walk_find(str object, const char *name)
{
    str found, value;
    for (struct json_walk walk = json_walk_in(object); json_walk_next(&walk, &found, &value);) {
        if (str_is(found, name))
            return value;
    }
    return STR_EMPTY;
}

bool
json_walk_has_real(str value)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.data[i];
        if (c == '"')
            i = json_walk_skip_string(value, i + 1) - 1;
        else if (i > 0 && (c == '.' || c == 'e' || c == 'E') && value.data[i - 1] >= '0' && value.data[i - 1] <= '9')
            return true;
    }
    return false;
}
