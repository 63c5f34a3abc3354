/* SPDX-License-Identifier: Apache-2.0 */
/* What an error says about the fields of a body, one by one, each named as people wrote it: by its flag. */
#ifndef CLI_OUTPUT_WRONG_FIELDS_H
#define CLI_OUTPUT_WRONG_FIELDS_H

#include <jansson.h>

#include "base/error.h"
#include "cli/command.h"

/*
 * The flag that sets the place `path` of the body ("tags[1].key"): "--name". When the flag sets what is around the place, "--tag, at [1].key";
 * when none does, the place itself. `command` may be NULL.
 */
str wrong_field_name(struct arena *arena, const struct command *command, str path);

/* Reads the fields from an error document with the code of `row`. 0 when that code says nothing about a body's fields. */
size_t wrong_fields_read(struct arena *arena, const struct error_row *row, const json_t *document,
                         struct wrong_field ret_fields[ERROR_MAX_WRONG_FIELDS]);

#endif
