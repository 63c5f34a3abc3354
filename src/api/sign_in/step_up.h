/* SPDX-License-Identifier: Apache-2.0 */
/* What a person in a session may do only when they proved a moment ago, with their passkey, that they are still there. */
#ifndef API_SIGN_IN_STEP_UP_H
#define API_SIGN_IN_STEP_UP_H

#include "api/request.h"

enum { STEP_UP_LASTS_MS = 5 * 60 * 1000 };

/* Whether the operation cannot be undone, makes credentials, or decides who can sign in. */
bool step_up_is_for(const struct endpoint *endpoint);
/* STEP_UP_REQUIRED unless the person of the caller's session has confirmed lately. */
MUST_USE error step_up_demand(struct request *req);
/* STEP_UP_REQUIRED, or OK: also for everybody who is not in a session. */
MUST_USE error step_up_check(struct request *req);

#endif
