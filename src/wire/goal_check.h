/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of all parts of a goal use. */
#ifndef WIRE_GOAL_CHECK_H
#define WIRE_GOAL_CHECK_H

#include "base/error.h"

/* That a field of the item at `index` of a list of the goal cannot be used, and why. */
MUST_USE error goal_wrong(struct arena *arena, const char *list, size_t index, const char *field, const char *what);
bool goal_is_address(str text);
/* As pgBackRest writes them: 20261116-031700F, 20261116-031700F_20261116-091700I. They become arguments. */
bool goal_is_label(str label);

#endif
