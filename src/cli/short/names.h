/* SPDX-License-Identifier: Apache-2.0 */
/* Names where the API has ids: `--project web`. They are looked up in the list that the id belongs to. */
#ifndef CLI_SHORT_NAMES_H
#define CLI_SHORT_NAMES_H

#include "cli/client.h"

/*
 * Values of the first parameters of a path, in the order of the command's; those that are names become ids. Nothing is asked for when all
 * are ids. Otherwise the problem was printed.
 */
MUST_USE int names_resolve(struct cli *cli, const struct command *command, const char **values, uint32_t count);
enum names_scope { NAMES_PROJECT, NAMES_ORG };
/* The project or organization that is meant by an id or a name. An id is not looked up. */
MUST_USE int names_resolve_scope(struct cli *cli, enum names_scope scope, const char *given, const char **ret_id);
/* The same, and an id must be one that there is. */
MUST_USE int names_check_scope(struct cli *cli, enum names_scope scope, const char *given, const char **ret_id);
/* Makes the profile's project an id; says so when there is none. */
MUST_USE int names_need_project(struct cli *cli);

/*
 * After a 404: "there is no cluster `ordres`; did you mean orders?", of the last parameter of the path. Empty when nobody can say, or
 * when it is there and something else is not.
 */
str names_missing(struct cli *cli, struct client *client, const struct command *command, const char *const *values);
/* The names that a parameter of the path can have, the first few hundred; those in front of it have their values. Silent when there are none. */
void names_each(struct cli *cli, const struct command *command, uint32_t number, const char *const *values,
                void (*take)(void *context, str name), void *context);

#endif
