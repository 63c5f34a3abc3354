/* SPDX-License-Identifier: Apache-2.0 */
/* Parses an expression of --query by recursive descent, one function for each level of precedence. */
#include <ctype.h>

#include "cli/query/query_tree.h"

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
    return node->literal != NULL ? node : wrong(r, "what stands between ` and ` must be JSON");
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
                          r.why != NULL ? r.why : "something unexpected follows", r.at + 1, str_dup(arena, text).data);
    return NULL;
}
