/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

/* jansson's own limit on nesting is 2048 and fixed, and it has none on the number of values; ours are counted before it parses.
 * Strings are skipped, so that a bracket in a text does not count. NULL: it is within the limits. */
static const char *
problem_of_size(str text, size_t max_values)
{
    int depth = 0;
    size_t values = 1;
    bool in_string = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            values++;
            if (++depth > JSON_MAX_DEPTH)
                return "nested deeper than 32 levels";
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == ',' && ++values > max_values) {
            return "more than 20000 values";
        }
    }
    return NULL;
}

static void
dispose_json(void *json)
{
    json_decref(json);
}

json_t *
json_in(struct arena *arena, json_t *json)
{
    if (json == NULL || !arena_on_free(arena, dispose_json, json))
        return NULL;
    return json;
}

static error
parse(struct arena *arena, str text, size_t max_bytes, size_t max_values, json_t **ret_json)
{
    if (text.len > max_bytes)
        return fail(arena, BODY_TOO_LARGE, V((int64_t)max_bytes));
    const char *problem = problem_of_size(text, max_values);
    if (problem != NULL)
        return fail(arena, INVALID_JSON, V(problem));
    json_error_t why;
    json_t *json = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    if (json == NULL) {
        /* jansson quotes what it stumbled over; that may be cut in the middle of a character. */
        str reason = str_is_text(str_from(why.text)) ? str_from(why.text) : STR("not UTF-8 text");
        return fail(arena, INVALID_JSON,
                    V(str_format(arena, "%.*s at line %d, column %d", STR_ARG(reason), why.line, why.column)));
    }
    *ret_json = json_in(arena, json);
    return *ret_json == NULL ? fail(arena, OVERLOADED) : OK;
}

error
json_parse(struct arena *arena, str text, json_t **ret_json)
{
    return parse(arena, text, JSON_MAX_BYTES, JSON_MAX_VALUES, ret_json);
}

error
json_parse_within(struct arena *arena, str text, size_t max_bytes, json_t **ret_json)
{
    return parse(arena, text, max_bytes, SIZE_MAX, ret_json);
}

json_t *
json_parse_own(struct arena *arena, str text)
{
    return json_in(arena, json_loadb(text.data, text.len, JSON_DECODE_ANY, NULL));
}

static int
dump_to_buf(const char *bytes, size_t count, void *buf)
{
    buf_add(buf, (str){ bytes, count });
    return 0;
}

/* Whether every number is the same again when it was written with 15 digits. */
static bool
fits_short_numbers(const json_t *json)
{
    char text[32];
    const char *key;
    json_t *value; /* jansson walks over objects that are not const only */
    size_t index;
    if (json_is_real(json)) {
        snprintf(text, sizeof(text), "%.*g", DBL_DIG, json_real_value(json));
        return strtod(text, NULL) == json_real_value(json);
    }
    if (json_is_array(json)) {
        json_array_foreach(json, index, value)
        {
            if (!fits_short_numbers(value))
                return false;
        }
    }
    if (json_is_object(json)) {
        json_object_foreach((json_t *)json, key, value)
        {
            if (!fits_short_numbers(value))
                return false;
        }
    }
    return true;
}

static str
dump(struct arena *arena, const json_t *json, size_t flags)
{
    /* Every decimal of up to 15 digits comes out as it came in: 0.1, where 17 digits would say 0.10000000000000001. What has more of them
     * needs 17, or it would come out as another number. */
    size_t digits = fits_short_numbers(json) ? DBL_DIG : DBL_DECIMAL_DIG;
    struct buf out = buf_in(arena, 16 * JSON_MAX_BYTES);
    if (json_dump_callback(json, dump_to_buf, &out, flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits)) != 0)
        return STR_EMPTY;
    return buf_str(&out);
}

str
json_text(struct arena *arena, const json_t *json)
{
    return dump(arena, json, JSON_COMPACT);
}

str
json_pretty(struct arena *arena, str text)
{
    json_t *json = json_parse_own(arena, text);
    return json == NULL ? text : dump(arena, json, JSON_INDENT(2));
}

str
json_str(const json_t *string)
{
    return json_is_string(string) ? (str){ json_string_value(string), json_string_length(string) } : STR_EMPTY;
}

str
json_text_at(const json_t *object, const char *name)
{
    return json_str(json_object_get(object, name));
}

int64_t
json_int_at(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

void
json_init(void)
{
    json_object_seed(0);
}
