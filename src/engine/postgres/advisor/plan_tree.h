/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of a plan in PostgreSQL's own words: what it costs as a whole, and which indexes it uses. */
#ifndef ENGINE_POSTGRES_ADVISOR_PLAN_TREE_H
#define ENGINE_POSTGRES_ADVISOR_PLAN_TREE_H

#include "base/str.h"

/* False when it is no plan. */
bool plan_tree_cost(str tree, double *ret_cost);
bool plan_tree_uses(str tree, int64_t index);

#endif
