/* SPDX-License-Identifier: Apache-2.0 */
/* What a deletion that is only tried (dryRun) answers: how many of what would go with it. */
#ifndef FAMILY_TAKES_ALONG_H
#define FAMILY_TAKES_ALONG_H

#include "api/request.h"

/* Of an endpoint's `tried`, and what its description ends with. */
extern const struct schema takes_along_schema;
#define SAYS_WHAT_GOES " With `dryRun=true` nothing changes, and the answer says how many of what would go with it."

/* For the end of a deletion. `document` is that of store/takes_along.h, asked before anything was deleted. */
void answer_takes_along(struct request *req, str document);

#endif
