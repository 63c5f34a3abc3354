/* SPDX-License-Identifier: Apache-2.0 */
/* How parameters that were bound by name come into the order of a statement. Only for store/. */
#ifndef STORE_PARAMS_H
#define STORE_PARAMS_H

#include "store/store.h"

/* As libpq takes them, $1 first. */
struct params_in_order {
    int count;
    const char *values[PARAMS_MAX];
    int lengths[PARAMS_MAX];
    int formats[PARAMS_MAX];
};
/* False when the statement takes others than were bound. NULL: none were. */
MUST_USE bool params_order(const struct params *params, enum sql statement, struct params_in_order *ret_ordered);
/* The first that the statement takes and that was not bound; PARAM_NONE when all were, and more. */
enum param params_not_bound(const struct params *params, enum sql statement);

#endif
