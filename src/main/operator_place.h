/* SPDX-License-Identifier: Apache-2.0 */
/* Where a command of the operator works that needs the database, and nothing else of a node: the configuration and a store. */
#ifndef MAIN_OPERATOR_PLACE_H
#define MAIN_OPERATOR_PLACE_H

#include "main/config.h"
#include "store/store.h"

struct operator_place {
    struct arena *arena;
    struct config *config;
    struct store *store;
};

/* False, with what is wrong on standard error, when it cannot be; closed in either case. */
MUST_USE bool operator_place_open(struct operator_place *place, const char *config_path);
void operator_place_close(struct operator_place *place);

#endif
