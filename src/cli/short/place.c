/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/short/place.h"

enum { MAX_INDEX = 10000 };

/* What stands under the next step, made when it is not there; the kind is what the step after it needs. */
static json_t *
step_into(json_t *at, str name, int64_t index, bool list_follows)
{
    json_t *next = index >= 0 ? json_array_get(at, (size_t)index) : json_object_getn(at, name.data, name.len);
    if (list_follows ? json_is_array(next) : json_is_object(next))
        return next;
    if (next != NULL && !json_is_null(next))
        return NULL;
    next = list_follows ? json_array() : json_object();
    if (index < 0)
        return json_object_setn_new_nocheck(at, name.data, name.len, next) == 0 ? next : NULL;
    while ((int64_t)json_array_size(at) < index)
        json_array_append_new(at, json_null());
    bool there = (int64_t)json_array_size(at) > index;
    return (there ? json_array_set_new(at, (size_t)index, next) : json_array_append_new(at, next)) == 0 ? next : NULL;
}

struct place_step {
    str name;
    int64_t index; /* -1: a name */
};

static bool
next_step(str *rest, struct place_step *ret)
{
    if (rest->len > 0 && rest->data[0] == '[') {
        *rest = str_slice(*rest, 1, rest->len);
        if (str_find(*rest, ']') < 0 || !str_to_int(str_cut(rest, ']'), 0, MAX_INDEX, &ret->index))
            return false;
    } else {
        size_t end = 0;
        while (end < rest->len && rest->data[end] != '.' && rest->data[end] != '[')
            end++;
        *ret = (struct place_step){ str_slice(*rest, 0, end), -1 };
        *rest = str_slice(*rest, end, rest->len);
        if (end == 0)
            return false;
    }
    if (rest->len > 0 && rest->data[0] == '.') {
        *rest = str_slice(*rest, 1, rest->len);
        return rest->len > 0 && rest->data[0] != '[';
    }
    return rest->len == 0 || rest->data[0] == '[';
}

bool
place_put(json_t *body, str path, json_t *value)
{
    json_t *at = body;
    struct place_step step = { .index = -1 };
    bool good = value != NULL && path.len > 0;
    while (good) {
        good = next_step(&path, &step) && (step.index >= 0 ? json_is_array(at) : json_is_object(at));
        if (!good || path.len == 0)
            break;
        at = step_into(at, step.name, step.index, path.data[0] == '[');
        good = at != NULL;
    }
    if (!good) {
        json_decref(value);
        return false;
    }
    if (step.index < 0)
        return json_object_setn_new_nocheck(at, step.name.data, step.name.len, value) == 0;
    while ((int64_t)json_array_size(at) <= step.index)
        json_array_append_new(at, json_null());
    return json_array_set_new(at, (size_t)step.index, value) == 0;
}

json_t *
place_find(json_t *at, str path)
{
    while (path.len > 0 && at != NULL) {
        str name = str_cut(&path, '.');
        at = json_object_getn(at, name.data, name.len);
    }
    return at;
}

/* ---- Every item ---- */
/* The path in front of its first "[*]" and behind it; false when it has none. */
static bool
split_at_star(str path, str *ret_list, str *ret_rest)
{
    const str star = STR("[*].");
    for (size_t i = 0; i + star.len <= path.len; i++) {
        if (!str_starts_with(str_slice(path, i, path.len), star))
            continue;
        *ret_list = str_slice(path, 0, i);
        *ret_rest = str_slice(path, i + star.len, path.len);
        return true;
    }
    return false;
}

/* The object that a field of the path is in. */
static bool
has_parent(json_t *body, str path)
{
    size_t end = path.len;
    while (end > 0 && path.data[end - 1] != '.')
        end--;
    return end == 0 || place_find(body, str_slice(path, 0, end - 1)) != NULL;
}

bool
place_put_everywhere(json_t *body, str path, const json_t *value, bool make)
{
    str list_path, rest;
    size_t i;
    json_t *item;
    if (!split_at_star(path, &list_path, &rest))
        return (!make && !has_parent(body, path)) || place_put(body, path, json_deep_copy(value));
    json_t *list = place_find(body, list_path);
    if (list == NULL && !make)
        return true;
    if (list == NULL && !place_put(body, list_path, json_array()))
        return false;
    list = place_find(body, list_path);
    bool is_new = make && json_array_size(list) == 0;
    if (is_new)
        json_array_append_new(list, json_object());
    bool good = json_is_array(list);
    json_array_foreach(list, i, item)
    {
        good = good && json_is_object(item) && place_put_everywhere(item, rest, value, make);
    }
    return good;
}
