/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/audit.h"

#include "base/json.h"

#define FIELD "auditFilter"

static const char *const classes[] = {
#define NAME(name, doc) name,
    AUDIT_CLASS_TABLE(NAME)
#undef NAME
};

static error
refuse(struct arena *arena, str place, const char *why)
{
    return fail(arena, INVALID_ATTRIBUTE_VALUE, V(place), V(why));
}

static str
place_in(struct arena *arena, const char *list, size_t index)
{
    return str_format(arena, FIELD ".%s[%zu]", list, index);
}

/* ---- What one value may be ---- */
static const char *
problem_of_class(str value)
{
    for (size_t i = 0; i < LENGTH(classes); i++) {
        if (str_is(value, classes[i]))
            return NULL;
    }
    return "it must be READ, WRITE, FUNCTION, ROLE, DDL or MISC";
}

static const char *
problem_of_name(str value)
{
    if (value.len == 0 || value.len > AUDIT_NAME_BYTES)
        return "a name must have 1 to 63 bytes";
    for (size_t i = 0; i < value.len; i++) {
        if ((unsigned char)value.data[i] < 0x20 || value.data[i] == 0x7f)
            return "a name must not have control characters";
    }
    return NULL;
}

/* ---- The fields ---- */
static error
read_list(struct arena *arena, const char *name, const json_t *list, const char *(*problem_of)(str), json_t *rule)
{
    size_t i, k;
    const json_t *value, *other;
    if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > AUDIT_MAX_NAMES)
        return refuse(arena, str_format(arena, FIELD ".%s", name), "it must be a list of 1 to 20 texts");
    json_array_foreach(list, i, value)
    {
        const char *why = json_is_string(value) ? problem_of(json_str(value)) : "it must be a text";
        json_array_foreach(list, k, other)
        {
            if (k < i && json_equal(value, other))
                why = "it is there twice";
        }
        if (why != NULL)
            return refuse(arena, place_in(arena, name, i), why);
    }
    json_object_set(rule, name, (json_t *)(uintptr_t)list);
    return OK;
}

static error
read_field(struct arena *arena, const char *name, const json_t *value, json_t *rule)
{
    if (strcmp(name, "classes") == 0)
        return read_list(arena, name, value, problem_of_class, rule);
    if (strcmp(name, "users") == 0 || strcmp(name, "databases") == 0)
        return read_list(arena, name, value, problem_of_name, rule);
    str place = str_format(arena, FIELD ".%s", name);
    if (strcmp(name, "catalog") != 0 && strcmp(name, "parameters") != 0)
        return refuse(arena, place, "there is no such field; use classes, users, databases, catalog or parameters");
    if (!json_is_boolean(value))
        return refuse(arena, place, "it must be true or false");
    json_object_set(rule, name, (json_t *)(uintptr_t)value);
    return OK;
}

error
audit_filter_read(struct arena *arena, str filter, json_t **ret_rule)
{
    json_t *parsed = NULL, *value;
    const char *name;
    json_t *rule = json_in(arena, json_pack("{s:[], s:[], s:[], s:b, s:b}", "classes", "users", "databases", //
                                            "catalog", 0, "parameters", 0));
    json_t *every = json_object_get(rule, "classes");
    for (size_t i = 0; i < LENGTH(classes); i++)
        json_array_append_new(every, json_string(classes[i]));
    if (rule == NULL || json_array_size(every) != LENGTH(classes))
        return fail(arena, OVERLOADED);
    if (filter.len > 0 && (json_parse(arena, filter, &parsed) != OK || !json_is_object(parsed)))
        return refuse(arena, STR(FIELD), "it must be a JSON object, as a text");
    json_object_foreach(parsed, name, value)
    {
        TRY(read_field(arena, name, value, rule));
    }
    *ret_rule = rule;
    return OK;
}
