/* SPDX-License-Identifier: Apache-2.0 */
/* The check of resource policies before a cluster or an access list is changed. */
#ifndef FAMILY_POLICY_RESOURCE_POLICIES_H
#define FAMILY_POLICY_RESOURCE_POLICIES_H

#include "api/request.h"

/* POLICY_FORBIDS when a policy of the request's organization forbids the document. In the transaction that stores it. */
MUST_USE error policy_check(struct request *req, str kind, const json_t *document);
MUST_USE error policy_check_all(struct request *req, str kind, const json_t *documents);

#endif
