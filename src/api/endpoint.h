/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from one row of a table by itself. */
#ifndef API_ENDPOINT_H
#define API_ENDPOINT_H

#include "api/contract.h"

/* Whether there is behaviour; being refused by design counts. */
bool endpoint_is_complete(const struct endpoint *endpoint);
/* "complete", "refused", "waiting" */
const char *endpoint_status(const struct endpoint *endpoint);
/* Whether it has tables, so that requests can be checked. A waiting endpoint may have none. */
bool endpoint_is_described(const struct endpoint *endpoint);
unsigned endpoint_success_status(const struct endpoint *endpoint);

#endif
