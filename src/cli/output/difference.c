/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output/difference.h"

#include "base/json.h"
#include "cli/output/terminal.h"

struct view {
    FILE *out;
    struct arena *arena;
    bool color;
    size_t count;
};

static void
print_side(struct view *v, char mark, str path, const json_t *value)
{
    enum style style = mark == '-' ? STYLE_RED : STYLE_GREEN;
    str text = text_harmless(v->arena, json_text(v->arena, value));
    fprintf(v->out, "%s%c %.*s%s%.*s%s\n", style_on(v->color, style), mark, STR_ARG(path), path.len > 0 ? ": " : "",
            STR_ARG(text), style_off(v->color, style));
}

static void compare(struct view *v, str path, const json_t *before, const json_t *after);

static str
below(struct view *v, str path, const char *name)
{
    return path.len == 0 ? str_from(name) : str_format(v->arena, "%.*s.%s", STR_ARG(path), name);
}

static bool
is_shown(const char *name)
{
    return strcmp(name, "links") != 0;
}

static void
compare_objects(struct view *v, str path, const json_t *before, const json_t *after)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)before, key, value)
    {
        if (is_shown(key))
            compare(v, below(v, path, key), value, json_object_get(after, key));
    }
    json_object_foreach((json_t *)(uintptr_t)after, key, value)
    {
        if (is_shown(key) && json_object_get(before, key) == NULL)
            compare(v, below(v, path, key), NULL, value);
    }
}

static bool
is_inner(const json_t *value)
{
    return json_is_array(value) && json_is_object(json_array_get(value, 0));
}

static void
compare(struct view *v, str path, const json_t *before, const json_t *after)
{
    if (before == after || (before != NULL && after != NULL && json_equal(before, after)))
        return;
    bool objects = (before == NULL || json_is_object(before)) && (after == NULL || json_is_object(after));
    if (objects) {
        compare_objects(v, path, before, after);
        return;
    }
    bool lists = (before == NULL || is_inner(before)) && (after == NULL || is_inner(after));
    if (lists) {
        size_t count =
            json_array_size(before) > json_array_size(after) ? json_array_size(before) : json_array_size(after);
        for (size_t i = 0; i < count; i++)
            compare(v, str_format(v->arena, "%.*s[%zu]", STR_ARG(path), i), json_array_get(before, i),
                    json_array_get(after, i));
        return;
    }
    v->count++;
    if (before != NULL)
        print_side(v, '-', path, before);
    if (after != NULL)
        print_side(v, '+', path, after);
}

size_t
difference_print(FILE *out, struct arena *arena, const json_t *before, const json_t *after, bool color)
{
    struct view v = { out, arena, color, 0 };
    compare(&v, STR_EMPTY, before, after);
    return v.count;
}
