/* SPDX-License-Identifier: Apache-2.0 */
/* For families that write into an object store with a role of the project. */
#ifndef FAMILY_PROVIDER_PROVIDER_ROLE_H
#define FAMILY_PROVIDER_PROVIDER_ROLE_H

#include "api/request.h"
#include "store/provider/store_role.h"

/*
 * Where the role of the request's project writes. Locks the role, so that it cannot be removed before what uses it is stored. `field` is where
 * it was named. Refused when the project has no such role, when it is not authorized, or when the operator has taken its half away.
 */
MUST_USE error provider_role_use(struct request *req, const char *field, str role, struct store_role *ret_place);
/* The same for a bucket that was named with it: it must be the role's. */
MUST_USE error provider_role_use_bucket(struct request *req, str role, str bucket, struct store_role *ret_place);

#endif
