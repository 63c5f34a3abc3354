/* SPDX-License-Identifier: Apache-2.0 */
/* What would change: two documents, line by line of their fields. */
#ifndef CLI_OUTPUT_DIFFERENCE_H
#define CLI_OUTPUT_DIFFERENCE_H

#include <jansson.h>
#include <stdio.h>

#include "base/str.h"

/* Prints "- field: before" and "+ field: after" for each difference; either may be NULL. Returns how many fields differ. */
size_t difference_print(FILE *out, struct arena *arena, const json_t *before, const json_t *after, bool color);

#endif
