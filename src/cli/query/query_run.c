/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an expression of --query: every node returns its own value, null for what is missing. */
#include <stdlib.h>

#include "base/json.h"
#include "cli/query/query_tree.h"

static json_t *run(const struct node *node, json_t *value);

/* As JMESPath says: null, false, and what is empty do not hold. */
static bool
holds(const json_t *value)
{
    return !(value == NULL || json_is_null(value) || json_is_false(value) ||
             (json_is_string(value) && json_string_length(value) == 0) ||
             (json_is_array(value) && json_array_size(value) == 0) ||
             (json_is_object(value) && json_object_size(value) == 0));
}

static json_t *
compare(const struct node *node, json_t *value)
{
    json_t *left = run(node->left, value), *right = run(node->right, value), *result;
    bool equal = json_equal(left, right);
    if (json_is_number(left) && json_is_number(right))
        equal = json_number_value(left) == json_number_value(right);
    if (node->comparison == EQUAL || node->comparison == UNEQUAL) {
        result = json_boolean(equal == (node->comparison == EQUAL));
    } else if ((json_is_number(left) && json_is_number(right)) || (json_is_string(left) && json_is_string(right))) {
        /* Texts, too, other than in JMESPath: dates are texts here, and their order is that of time. */
        double order = json_is_number(left) ? json_number_value(left) - json_number_value(right)
                                            : str_compare(json_str(left), json_str(right));
        enum comparison c = node->comparison;
        result = json_boolean(c == LESS            ? order < 0
                              : c == MORE          ? order > 0
                              : c == LESS_OR_EQUAL ? order <= 0
                                                   : order >= 0);
    } else {
        result = json_null();
    }
    json_decref(left);
    json_decref(right);
    return result;
}

static json_t *
each(const struct node *node, json_t *value)
{
    json_t *list = run(node->left, value), *result = json_array(), *item;
    size_t i;
    if (!json_is_array(list)) {
        json_decref(list);
        json_decref(result);
        return json_null();
    }
    json_array_foreach(list, i, item)
    {
        if (node->test != NULL) {
            json_t *test = run(node->test, item);
            bool good = holds(test);
            json_decref(test);
            if (!good)
                continue;
        }
        json_t *one = run(node->right, item);
        if (json_is_null(one))
            json_decref(one);
        else
            json_array_append_new(result, one);
    }
    json_decref(list);
    return result;
}

static json_t *
flatten(const struct node *node, json_t *value)
{
    json_t *list = run(node->left, value), *flat = json_array(), *item;
    size_t i;
    if (!json_is_array(list)) {
        json_decref(list);
        json_decref(flat);
        return json_null();
    }
    json_array_foreach(list, i, item)
    {
        if (json_is_array(item))
            json_array_extend(flat, item);
        else
            json_array_append(flat, item);
    }
    json_decref(list);
    struct node current = { .kind = NODE_CURRENT };
    json_t *result = each(&(struct node){ .kind = NODE_EACH, .left = &current, .right = node->right }, flat);
    json_decref(flat);
    return result;
}

static json_t *
slice(const struct node *node, json_t *value)
{
    json_t *list = run(node->left, value), *result;
    if (!json_is_array(list)) {
        json_decref(list);
        return json_null();
    }
    int64_t size = (int64_t)json_array_size(list);
    int64_t from = !node->has_from ? 0 : node->from < 0 ? node->from + size : node->from;
    int64_t to = !node->has_to ? size : node->to < 0 ? node->to + size : node->to;
    result = json_array();
    for (int64_t i = from < 0 ? 0 : from; i < to && i < size; i++)
        json_array_append(result, json_array_get(list, (size_t)i));
    json_decref(list);
    return result;
}

static json_t *
parts(const struct node *node, json_t *value)
{
    if (json_is_null(value))
        return json_null();
    json_t *result = node->kind == NODE_LIST ? json_array() : json_object();
    for (const struct part *part = node->parts; part != NULL; part = part->next) {
        json_t *one = run(part->node, value);
        if (node->kind == NODE_LIST)
            json_array_append_new(result, one);
        else
            json_object_setn_new_nocheck(result, part->name.data, part->name.len, one);
    }
    return result;
}

static json_t *
join(json_t *list, json_t *between)
{
    size_t i, length = 0;
    json_t *item;
    json_array_foreach(list, i, item) length += json_string_length(item) + json_string_length(between);
    char *text = calloc(1, length + 1), *end = text;
    if (text == NULL)
        return json_null();
    json_array_foreach(list, i, item)
    {
        if (i > 0 && json_is_string(between))
            end = mempcpy(end, json_string_value(between), json_string_length(between));
        if (json_is_string(item))
            end = mempcpy(end, json_string_value(item), json_string_length(item));
    }
    json_t *result = json_stringn(text, (size_t)(end - text));
    free(text);
    return result;
}

static json_t *
call(const struct node *node, json_t *value)
{
    json_t *on = run(node->left, value), *result = NULL, *one;
    const char *key;
    if (str_is(node->name, "length")) {
        if (json_is_array(on) || json_is_object(on))
            result = json_integer((json_int_t)(json_is_array(on) ? json_array_size(on) : json_object_size(on)));
        else if (json_is_string(on))
            result = json_integer((json_int_t)json_string_length(on));
    } else if (str_is(node->name, "join")) {
        json_t *between = run(node->right, value);
        result = json_is_array(on) ? join(on, between) : NULL;
        json_decref(between);
    } else if (json_is_object(on)) {
        result = json_array();
        json_object_foreach(on, key, one)
        {
            if (str_is(node->name, "keys"))
                json_array_append_new(result, json_string(key));
            else
                json_array_append(result, one);
        }
    }
    json_decref(on);
    return result != NULL ? result : json_null();
}

static json_t *
run_left_then(const struct node *node, json_t *value)
{
    json_t *left = run(node->left, value), *result = run(node->right, left);
    json_decref(left);
    return result;
}

static json_t *
pick(const struct node *node, json_t *value)
{
    json_t *found = NULL, *on = value;
    if (node->kind == NODE_FIELD)
        return json_incref(json_is_object(on) && (found = json_object_getn(on, node->name.data, node->name.len)) != NULL
                               ? found
                               : json_null());
    on = run(node->left, value);
    int64_t size = (int64_t)json_array_size(on), at = node->number < 0 ? node->number + size : node->number;
    found = json_is_array(on) && at >= 0 && at < size ? json_array_get(on, (size_t)at) : NULL;
    json_t *result = json_incref(found != NULL ? found : json_null());
    json_decref(on);
    return result;
}

static json_t *
decide(const struct node *node, json_t *value)
{
    json_t *left = run(node->left, value);
    bool good = holds(left);
    if (node->kind == NODE_NOT) {
        json_decref(left);
        return json_boolean(!good);
    }
    if (good == (node->kind == NODE_OR))
        return left;
    json_decref(left);
    return run(node->right, value);
}

static json_t *
values_of(const struct node *node, json_t *value)
{
    json_t *on = run(node->left, value), *result = json_is_object(on) ? json_array() : json_null(), *one;
    const char *key;
    json_object_foreach(on, key, one) json_array_append(result, one);
    json_decref(on);
    return result;
}

static json_t *
run(const struct node *node, json_t *value)
{
    switch (node->kind) {
    case NODE_CURRENT: return json_incref(value);
    case NODE_LITERAL: return json_incref(node->literal);
    case NODE_FIELD:
    case NODE_INDEX: return pick(node, value);
    case NODE_SLICE: return slice(node, value);
    case NODE_CHAIN: return run_left_then(node, value);
    case NODE_EACH:
    case NODE_FILTER: return each(node, value);
    case NODE_FLATTEN: return flatten(node, value);
    case NODE_VALUES: return values_of(node, value);
    case NODE_LIST:
    case NODE_OBJECT: return parts(node, value);
    case NODE_COMPARE: return compare(node, value);
    case NODE_AND:
    case NODE_OR:
    case NODE_NOT: return decide(node, value);
    case NODE_CALL: return call(node, value);
    }
    return json_null();
}

json_t *
query_run(const struct query *query, json_t *document)
{
    return run(query->root, document);
}
