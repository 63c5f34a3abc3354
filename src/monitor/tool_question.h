/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions of people's own tools, in the form of Prometheus' API, made into questions for a store. What is passed on is written here: paths
 * come from a table, times are read and written again, expressions are confined to the project. Nothing else of what a client sent gets through.
 */
#ifndef MONITOR_TOOL_QUESTION_H
#define MONITOR_TOOL_QUESTION_H

#include "base/id.h"

enum { TOOL_MOST_PARAMETERS = 32, TOOL_TIME_LIMIT_S = 5 };

/* Decoded, in the order in which they came. */
struct tool_parameter {
    str name, value;
};
struct tool_parameters {
    size_t count;
    struct tool_parameter items[TOOL_MOST_PARAMETERS];
};

struct tool_question {
    const char *path; /* of the store */
    str form;
};

enum tool_verdict { TOOL_FINE, TOOL_NO_SUCH_PATH, TOOL_REFUSED };

/* `path` is the part that Prometheus has, "/api/v1/query". TOOL_REFUSED: with a sentence. */
MUST_USE enum tool_verdict tool_question_make(struct arena *arena, str path, const struct tool_parameters *given,
                                              id project, int64_t now_ms, struct tool_question *ret_question,
                                              str *ret_why);
/* Adds what stands in a query or a form. False when it is broken, or more than there is room for. */
MUST_USE bool tool_parameters_add(struct arena *arena, str text, struct tool_parameters *parameters);

#endif
