/* SPDX-License-Identifier: Apache-2.0 */
/* What temporary database users and temporary entries of the access list have in common. */
#ifndef FAMILY_ACCESS_ACCESS_H
#define FAMILY_ACCESS_ACCESS_H

#include "api/request.h"

/*
 * Writes `deleteAfterDate` as it is stored: UTC, in whole seconds, so that texts sort like moments. A date that was
 * sent must be in the future.
 */
MUST_USE error access_check_end(struct request *req, json_t *document, bool was_sent);

#endif
