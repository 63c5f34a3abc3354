/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands of `reeved fleet` share. */
#ifndef MAIN_FLEET_COMMAND_H
#define MAIN_FLEET_COMMAND_H

#include <jansson.h>

#include "fleet/fleet.h"
#include "main/commands.h"
#include "main/node.h"

/* A configuration and its fleet; closed when the command ends. */
struct fleet_place {
    struct arena *arena;
    struct config *config;
    struct fleet *fleet;
    struct operator_api *operators;
    char url[CONFIG_URL_BYTES];
};
/* Waits until the database answers, at most a few seconds; false, with a message, when anything is missing. */
MUST_USE bool fleet_place_open(struct fleet_place *place, const char *config_path);
void fleet_place_close(struct fleet_place *place);

/* An operation of the operator's API in this process (operator/operator.h). *ret_answer is its document, NULL without one; the
 * reference to `body` is taken. */
MUST_USE error fleet_call(struct fleet_place *place, const char *method, str path, json_t *body, json_t **ret_answer);

/* One row for each subcommand. `argv[0]` of run() is its name; "--config" was removed already. */
struct fleet_command {
    const char *name; /* "host drain" */
    const char *usage, *sentence;
    int (*run)(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv);
};
extern const struct fleet_command fleet_place_commands[], fleet_host_commands[], fleet_etcd_commands[],
    fleet_store_commands[], fleet_store_role_commands[]; /* all end with a NULL name */

/* Adds keys from a file of two lines, the key's name and the key. What is wrong with it, or NULL; without a path there are none to add. */
#define FLEET_KEYS_SENTENCE "File with two lines: the name of the key, and the key; - is standard input."
const char *fleet_add_keys(struct arena *arena, json_t *body, const char *path);

/* A list as JSON, or as a table of the named columns: "name:NAME" is the field and its title. */
struct fleet_column {
    const char *field, *title;
};
void fleet_print_list(struct arena *arena, str json, bool as_json, const struct fleet_column *columns, size_t count);
/* A JSON object with texts only, or "name value" lines. */
struct fleet_line {
    const char *name;
    str value;
};
void fleet_print_lines(struct arena *arena, bool as_json, const struct fleet_line *lines, size_t count);

/* Reads options that every subcommand may have (--json) beside its own; `as_json` is set by it. */
MUST_USE int fleet_fail(const struct fleet_command *command, error problem);
MUST_USE int fleet_complain(const struct fleet_command *command, const char *sentence);

#endif
