/* SPDX-License-Identifier: Apache-2.0 */
/* What an expression of --query becomes: query.c reads it, query_run.c runs it. */
#ifndef CLI_QUERY_QUERY_TREE_H
#define CLI_QUERY_QUERY_TREE_H

#include "cli/query/query.h"

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

#endif
