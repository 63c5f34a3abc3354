/* SPDX-License-Identifier: Apache-2.0 */
/* The short way: what people write for objects and for fields inside of lists, so that nobody has to write JSON. */
#ifndef CLI_SHORT_SHORT_H
#define CLI_SHORT_SHORT_H

#include <jansson.h>

#include "cli/cli.h"

/* Whether the field is inside of a list, or in several places. */
bool short_is_deep(const struct command_field *field);
/* Puts the value at all of its places. Takes ownership of `value`. */
MUST_USE bool short_put(const struct command_field *field, json_t *body, json_t *value);
/* An object as the form says, from "readWrite@shop". */
json_t *short_object(struct arena *arena, const char *form, const char *text);
/*
 * A change of something inside of a list sends the whole list: what there is now is read into the body, before flags change it. Does
 * nothing for other commands. Otherwise the problem was printed.
 */
MUST_USE int short_read_lists(struct cli *cli, str path, json_t *body);
/* Puts in the provider where only a region was given. */
MUST_USE int short_fill_provider(struct cli *cli, str path, json_t *body);

#endif
