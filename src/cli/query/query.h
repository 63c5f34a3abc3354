/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --query: picks fields out of an answer. The language is a part of JMESPath, with the same meaning:
 *
 *     name    a.b    a."a name"    [0]    [-1]    [1:3]    [*]    []    *    @    a | b
 *     [?state == 'IDLE']    [?size > `10`]    [?paused && !tags]    [a, b]    {label: a, other: b.c}    length(@)
 *
 * The functions are length, keys, values and join.
 */
#ifndef CLI_QUERY_QUERY_H
#define CLI_QUERY_QUERY_H

#include <jansson.h>

#include "base/str.h"

struct query;

/* NULL when it is not well-formed; then *ret_why says what is wrong and where. */
MUST_USE struct query *query_parse(struct arena *arena, str text, str *ret_why);
/* A new reference; JSON null for what is not there. NULL only without memory. */
MUST_USE json_t *query_run(const struct query *query, json_t *document);

#endif
