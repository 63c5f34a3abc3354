/* SPDX-License-Identifier: Apache-2.0 */
/* JSON for people: a list as a table, an entity as lines. Knows nothing of requests. */
#ifndef CLI_OUTPUT_TABLE_H
#define CLI_OUTPUT_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "cli/output/terminal.h"

struct table_style {
    int width; /* of the terminal */
    bool color;
};

/*
 * Items as rows. `columns` are the fields to show, or paths such as sizes.name, separated by spaces, the most important
 * first; as many as fit are shown, and those that no item has are not. Empty: what the first item has. Returns how many
 * columns did not fit.
 */
size_t table_print(FILE *out, struct arena *arena, const json_t *items, const char *columns, struct table_style style);
/* "field: value" in lines, what is inside further to the right. */
void table_print_entity(FILE *out, struct arena *arena, const json_t *entity, struct table_style style);
/* A value on one line. */
str table_cell(struct arena *arena, const json_t *value);

#endif
