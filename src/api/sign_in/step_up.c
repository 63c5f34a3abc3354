/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sign_in/step_up.h"

#include <string.h>

#include "base/clock.h"

/* By the parts of their paths, so that an operation that is added to one of these subjects is never forgotten. */
static const char *const grave[] = { "/apiKeys", "/serviceAccounts", "/certs", "/federationSettings", "/restoreJobs" };

bool
step_up_is_for(const struct endpoint *endpoint)
{
    if (endpoint->method == GET)
        return false;
    if (endpoint->method == DELETE || (endpoint->flags & LOSES_DATA) != 0)
        return true;
    for (size_t i = 0; i < LENGTH(grave); i++) {
        if (strstr(endpoint->path, grave[i]) != NULL)
            return true;
    }
    return false;
}

error
step_up_demand(struct request *req)
{
    return clock_steady_ms() - req->caller->verified_at_ms <= STEP_UP_LASTS_MS ? OK
                                                                               : fail(req->arena, STEP_UP_REQUIRED);
}

error
step_up_check(struct request *req)
{
    const struct principal *caller = req->caller;
    if (caller == NULL || !id_is_there(caller->session) || !step_up_is_for(req->endpoint))
        return OK;
    return step_up_demand(req);
}
