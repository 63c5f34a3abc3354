/* SPDX-License-Identifier: Apache-2.0 */
/* How the Redis of this configuration is, for `reeved check`. */
#ifndef LIMIT_REDIS_LOOK_H
#define LIMIT_REDIS_LOOK_H

#include "limit/limit.h"

enum { REDIS_LOOK_BYTES = 160 };

struct redis_condition {
    bool answers;
    char why[REDIS_LOOK_BYTES];    /* when it does not */
    char policy[REDIS_LOOK_BYTES]; /* maxmemory-policy; empty when it may not be asked */
};
void redis_look(const struct limit_config *config, struct redis_condition *ret_condition);

#endif
