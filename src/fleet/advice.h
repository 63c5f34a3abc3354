/* SPDX-License-Identifier: Apache-2.0 */
/* What the advisor of a member says, checked: what passes has the fields that advice_store() reads, with their types and bounds, and nothing else. */
#ifndef FLEET_ADVICE_H
#define FLEET_ADVICE_H

#include "fleet/agent_parts.h"

enum { ADVICE_MAX_BYTES = 1024 * 1024 };

/* INVALID_JSON, MISSING_ATTRIBUTE or INVALID_ATTRIBUTE_VALUE, which names the place. */
MUST_USE error advice_read(struct arena *arena, str body, str *ret_document);

/* POST /agent/v1/members/{memberId}/advice */
MUST_USE error agent_advice(struct request *req);

#endif
