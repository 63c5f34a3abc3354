/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is refused by design cannot exist, and is honest about it: its list is empty, and nothing of it is ever found. Providers
 * in paths are whoever the operator named.
 */
#ifndef FAMILY_ABSENT_H
#define FAMILY_ABSENT_H

#include "api/request.h"

handler absent_list;
handler absent_one; /* to read, to change or to remove */
/* Beside an entity: links to the list of each provider that the operator offers, "<above>/ONPREM/<list>" below the project. */
MUST_USE error absent_relate_providers(struct request *req, const char *above, const char *list);

#define PROVIDER_NAME "^[A-Z][A-Z0-9_]*$"
#define PROVIDER_IN_PATH                                                                                        \
    TEXT("cloudProvider", "Who runs the hosts, under the name that the operator gave.", 0, .min = 1, .max = 32, \
         .pattern = PROVIDER_NAME, .example = "\"ONPREM\"")

#endif
