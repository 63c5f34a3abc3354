/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/query.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- The tree ---- */
enum node_kind {
    NODE_CURRENT,
    NODE_FIELD,   /* .name */
    NODE_INDEX,   /* .number */
    NODE_SLICE,   /* .from, .to */
    NODE_LITERAL, /* .literal */
    NODE_CHAIN,   /* right of what left gives */
    NODE_EACH,    /* right of each item that left gives; what gives null is left out */
    NODE_FLATTEN, /* lists inside a list opened */
    NODE_VALUES,  /* of an object */
    NODE_FILTER,  /* items of left for which test holds, then right of each */
    NODE_LIST,    /* [a, b] */
    NODE_OBJECT,  /* {x: a} */
    NODE_COMPARE,
    NODE_AND,
    NODE_OR,
    NODE_NOT,
    NODE_CALL,
};
enum comparison { EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL, MORE, MORE_OR_EQUAL };

struct node {
    enum node_kind kind;
    str name;
    int64_t number, from, to;
    bool has_from, has_to;
    json_t *literal;
    enum comparison comparison;
    struct node *left, *right, *test;
    struct part {
        str name;
        struct node *node;
        struct part *next;
    } * parts;
};

struct query {
    struct node *root;
};

/* ---- Reading ---- */
enum { DEEPEST = 64, LONGEST = 4096 }; /* what is read and run calls itself: the stack has an end */

struct reader {
    struct arena *arena;
    str text;
    size_t at;
    int depth;
    const char *why; /* set once */
};

static struct node *
wrong(struct reader *r, const char *why)
{
    if (r->why == NULL)
        r->why = why;
    return NULL;
}

static struct node *
node_new(struct reader *r, enum node_kind kind, struct node *left)
{
    struct node *node = ARENA_NEW(r->arena, struct node);
    if (node == NULL)
        return wrong(r, "it is too long");
    node->kind = kind;
    node->left = left;
    return node;
}

static void
skip_spaces(struct reader *r)
{
    while (r->at < r->text.len && isspace((unsigned char)r->text.data[r->at]))
        r->at++;
}

static char
peek(struct reader *r)
{
    skip_spaces(r);
    return r->at < r->text.len ? r->text.data[r->at] : '\0';
}

static bool
take(struct reader *r, const char *token)
{
    skip_spaces(r);
    if (!str_starts_with(str_slice(r->text, r->at, r->text.len), str_from(token)))
        return false;
    r->at += strlen(token);
    return true;
}

static bool
is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool
is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Up to the closing mark; a backslash keeps it from closing. The marks are not part of it. */
static bool
take_quoted(struct reader *r, char mark, str *ret_raw)
{
    size_t from = ++r->at;
    while (r->at < r->text.len && r->text.data[r->at] != mark)
        r->at += r->text.data[r->at] == '\\' && r->at + 1 < r->text.len ? 2 : 1;
    if (r->at >= r->text.len)
        return false;
    *ret_raw = str_slice(r->text, from, r->at++);
    return true;
}

static json_t *
json_of(struct reader *r, str text)
{
    json_t *json = json_loadb(text.data, text.len, JSON_DECODE_ANY, NULL);
    if (json != NULL && !arena_on_free(r->arena, (void (*)(void *))(void *)json_decref, json))
        return NULL;
    return json;
}

static bool
take_name(struct reader *r, str *ret_name)
{
    char c = peek(r);
    if (c == '"') {
        str raw;
        size_t from = r->at;
        if (!take_quoted(r, '"', &raw))
            return wrong(r, "a name is not closed") != NULL;
        json_t *text = json_of(r, str_slice(r->text, from, r->at));
        if (!json_is_string(text))
            return wrong(r, "the name in quotes is not valid") != NULL;
        *ret_name = (str){ json_string_value(text), json_string_length(text) };
        return true;
    }
    if (!is_name_start(c))
        return wrong(r, "a name is missing") != NULL;
    size_t from = r->at;
    while (r->at < r->text.len && is_name_part(r->text.data[r->at]))
        r->at++;
    *ret_name = str_slice(r->text, from, r->at);
    return true;
}

static bool
take_number(struct reader *r, int64_t *ret_number)
{
    peek(r);
    size_t from = r->at;
    if (r->at < r->text.len && r->text.data[r->at] == '-')
        r->at++;
    while (r->at < r->text.len && isdigit((unsigned char)r->text.data[r->at]))
        r->at++;
    return str_to_int(str_slice(r->text, from, r->at), -1000000000, 1000000000, ret_number);
}

static struct node *read_pipe(struct reader *r);
static struct node *read_unary(struct reader *r);

/* 'text' and `json` */
static struct node *
read_literal(struct reader *r)
{
    str raw;
    char mark = r->text.data[r->at];
    if (!take_quoted(r, mark, &raw))
        return wrong(r, "a text is not closed");
    struct buf plain = buf_in(r->arena, raw.len + 1);
    for (size_t i = 0; i < raw.len; i++) {
        if (raw.data[i] == '\\' && i + 1 < raw.len &&
            (raw.data[i + 1] == mark || (mark == '\'' && raw.data[i + 1] == '\\')))
            i++;
        buf_add_char(&plain, raw.data[i]);
    }
    str text = buf_str(&plain);
    struct node *node = node_new(r, NODE_LITERAL, NULL);
    if (node == NULL)
        return NULL;
    if (mark == '\'') {
        node->literal = json_stringn(text.data, text.len);
        if (node->literal != NULL && !arena_on_free(r->arena, (void (*)(void *))(void *)json_decref, node->literal))
            node->literal = NULL;
    } else {
        node->literal = json_of(r, text);
    }
    return node->literal != NULL ? node : wrong(r, "between ` must be JSON");
}

/* [a, b] and {x: a}, behind the opening bracket */
static struct node *
read_parts(struct reader *r, enum node_kind kind)
{
    struct node *node = node_new(r, kind, NULL);
    struct part **end = node == NULL ? NULL : &node->parts;
    const char *close = kind == NODE_LIST ? "]" : "}";
    while (node != NULL) {
        struct part *part = ARENA_NEW(r->arena, struct part);
        if (part == NULL)
            return wrong(r, "it is too long");
        if (kind == NODE_OBJECT && (!take_name(r, &part->name) || !take(r, ":")))
            return wrong(r, "write {label: field}");
        if ((part->node = read_pipe(r)) == NULL)
            return NULL;
        *end = part;
        end = &part->next;
        if (take(r, close))
            return node;
        if (!take(r, ","))
            return wrong(r, kind == NODE_LIST ? "a ] is missing" : "a } is missing");
    }
    return NULL;
}

static struct node *
read_call(struct reader *r, str name)
{
    static const char *const known[] = { "length", "keys", "values", "join" };
    struct node *node = NULL;
    for (size_t i = 0; i < LENGTH(known); i++) {
        if (str_is(name, known[i]))
            node = node_new(r, NODE_CALL, NULL);
    }
    if (node == NULL)
        return wrong(r, "the functions are length, keys, values and join");
    node->name = name;
    if (str_is(name, "join")) {
        if ((node->right = read_pipe(r)) == NULL || !take(r, ","))
            return wrong(r, "write join(', ', list)");
    }
    if ((node->left = read_pipe(r)) == NULL)
        return NULL;
    return take(r, ")") ? node : wrong(r, "a ) is missing");
}

static struct node *
read_primary(struct reader *r)
{
    char c = peek(r);
    if (c == '(') {
        r->at++;
        struct node *node = read_pipe(r);
        return node == NULL || take(r, ")") ? node : wrong(r, "a ) is missing");
    }
    if (c == '!') {
        r->at++;
        struct node *inside = read_unary(r);
        return inside == NULL ? NULL : node_new(r, NODE_NOT, inside);
    }
    if (c == '\'' || c == '`')
        return read_literal(r);
    if (c == '@') {
        r->at++;
        return node_new(r, NODE_CURRENT, NULL);
    }
    if (c == '{') {
        r->at++;
        return read_parts(r, NODE_OBJECT);
    }
    if (c == '*' || c == '[')
        return node_new(r, NODE_CURRENT, NULL); /* what follows works on it */
    struct node *node = node_new(r, NODE_FIELD, NULL);
    if (node == NULL || !take_name(r, &node->name))
        return NULL;
    return r->at < r->text.len && r->text.data[r->at] == '(' && take(r, "(") ? read_call(r, node->name) : node;
}

static struct node *read_behind(struct reader *r, struct node *node, bool of_each);

/* What comes behind [*], [] and [?…] is done with each item, up to the next []: that opens the list that came of it. */
static struct node *
read_each(struct reader *r, enum node_kind kind, struct node *left, struct node *test)
{
    struct node *each = node_new(r, kind, left), *rest = node_new(r, NODE_CURRENT, NULL);
    if (++r->depth > DEEPEST)
        return wrong(r, "it is nested too deeply");
    if (each == NULL || rest == NULL || (rest = read_behind(r, rest, true)) == NULL)
        return NULL;
    r->depth--;
    each->test = test;
    each->right = rest;
    return each;
}

static struct node *
read_bracket(struct reader *r, struct node *node)
{
    if (take(r, "?")) {
        struct node *test = read_pipe(r);
        if (test == NULL)
            return NULL;
        return take(r, "]") ? read_each(r, NODE_FILTER, node, test) : wrong(r, "a ] is missing");
    }
    if (take(r, "*"))
        return take(r, "]") ? read_each(r, NODE_EACH, node, NULL) : wrong(r, "a ] is missing");
    if (take(r, "]"))
        return read_each(r, NODE_FLATTEN, node, NULL);
    char c = peek(r);
    if (c == '-' || c == ':' || isdigit((unsigned char)c)) {
        struct node *index = node_new(r, NODE_INDEX, node);
        if (index == NULL)
            return NULL;
        if (c != ':' && !take_number(r, &index->number))
            return wrong(r, "the number is not valid");
        if (!take(r, ":"))
            return take(r, "]") ? index : wrong(r, "a ] is missing");
        index->from = index->number;
        index->has_from = c != ':';
        index->has_to = peek(r) != ']';
        if (index->has_to && !take_number(r, &index->to))
            return wrong(r, "the number is not valid");
        if (!take(r, "]"))
            return wrong(r, "a ] is missing");
        index->kind = NODE_SLICE;
        return read_each(r, NODE_EACH, index, NULL);
    }
    struct node *parts = read_parts(r, NODE_LIST), *chain = node_new(r, NODE_CHAIN, node);
    if (parts == NULL || chain == NULL)
        return NULL;
    chain->right = parts;
    return chain;
}

static struct node *
read_dotted(struct reader *r, struct node *node)
{
    struct node *chain = node_new(r, NODE_CHAIN, node);
    if (chain == NULL)
        return NULL;
    char c = peek(r);
    if (c == '*') {
        r->at++;
        struct node *values = node_new(r, NODE_VALUES, node);
        return values == NULL ? NULL : read_each(r, NODE_EACH, values, NULL);
    }
    if (c == '{' || c == '[') {
        r->at++;
        chain->right = read_parts(r, c == '{' ? NODE_OBJECT : NODE_LIST);
        return chain->right == NULL ? NULL : chain;
    }
    struct node *field = node_new(r, NODE_FIELD, NULL);
    if (field == NULL || !take_name(r, &field->name))
        return NULL;
    chain->right =
        r->at < r->text.len && r->text.data[r->at] == '(' && take(r, "(") ? read_call(r, field->name) : field;
    return chain->right == NULL ? NULL : chain;
}

static bool
flatten_follows(struct reader *r)
{
    struct reader ahead = *r;
    return take(&ahead, "[") && take(&ahead, "]");
}

static struct node *
read_behind(struct reader *r, struct node *node, bool of_each)
{
    while (node != NULL && !(of_each && flatten_follows(r))) {
        if (take(r, "."))
            node = read_dotted(r, node);
        else if (take(r, "["))
            node = read_bracket(r, node);
        else
            break;
    }
    return node;
}

static struct node *
read_unary(struct reader *r)
{
    if (++r->depth > DEEPEST)
        return wrong(r, "it is nested too deeply");
    bool values = peek(r) == '*';
    struct node *node = read_primary(r);
    if (values && node != NULL) {
        r->at++;
        struct node *all = node_new(r, NODE_VALUES, node);
        node = all == NULL ? NULL : read_each(r, NODE_EACH, all, NULL);
    }
    if (node != NULL) {
        node = read_behind(r, node, false);
    }
    r->depth--;
    return node;
}

static struct node *
read_comparison(struct reader *r)
{
    static const struct {
        const char *token;
        enum comparison comparison;
    } tokens[] = { { "==", EQUAL },         { "!=", UNEQUAL }, { "<=", LESS_OR_EQUAL },
                   { ">=", MORE_OR_EQUAL }, { "<", LESS },     { ">", MORE } };
    struct node *left = read_unary(r);
    for (size_t i = 0; left != NULL && i < LENGTH(tokens); i++) {
        if (!take(r, tokens[i].token))
            continue;
        struct node *node = node_new(r, NODE_COMPARE, left);
        if (node == NULL || (node->right = read_unary(r)) == NULL)
            return NULL;
        node->comparison = tokens[i].comparison;
        return node;
    }
    return left;
}

static struct node *
read_and(struct reader *r)
{
    struct node *left = read_comparison(r);
    while (left != NULL && take(r, "&&")) {
        struct node *node = node_new(r, NODE_AND, left);
        if (node == NULL || (node->right = read_comparison(r)) == NULL)
            return NULL;
        left = node;
    }
    return left;
}

static struct node *
read_or(struct reader *r)
{
    struct node *left = read_and(r);
    while (left != NULL && take(r, "||")) {
        struct node *node = node_new(r, NODE_OR, left);
        if (node == NULL || (node->right = read_and(r)) == NULL)
            return NULL;
        left = node;
    }
    return left;
}

static struct node *
read_pipe(struct reader *r)
{
    if (++r->depth > DEEPEST)
        return wrong(r, "it is nested too deeply");
    struct node *left = read_or(r);
    while (left != NULL && take(r, "|")) {
        struct node *node = node_new(r, NODE_CHAIN, left);
        if (node == NULL || (node->right = read_or(r)) == NULL)
            return NULL;
        left = node;
    }
    r->depth--;
    return left;
}

struct query *
query_parse(struct arena *arena, str text, str *ret_why)
{
    struct reader r = { .arena = arena, .text = text };
    struct query *query = ARENA_NEW(arena, struct query);
    if (query == NULL)
        return NULL;
    query->root = text.len > LONGEST ? wrong(&r, "it is too long") : read_pipe(&r);
    if (query->root != NULL && peek(&r) == '\0')
        return query;
    *ret_why = str_format(arena, "%s, at character %zu of `%.200s`",
                          r.why != NULL ? r.why : "it goes on with something that was not expected", r.at + 1,
                          str_dup(arena, text).data);
    return NULL;
}

/* ---- Running ---- */
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
                                            : strcmp(json_string_value(left), json_string_value(right));
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
