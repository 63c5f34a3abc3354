/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources that are refused by design: their lists are empty, and none is ever found. Providers in paths are those
 * that the operator named.
 */
#ifndef FAMILY_ABSENT_H
#define FAMILY_ABSENT_H

#include "api/request.h"

handler absent_list;
handler absent_one; /* to read, to change or to remove */
/*
 * In addition to an entity: links to the list of each provider that the operator offers, "<above>/ONPREM/<list>" below
 * the project.
 */
MUST_USE error absent_relate_providers(struct request *req, const char *above, const char *list);

#define PROVIDER_NAME "^[A-Z][A-Z0-9_]*$"
#define PROVIDER_IN_PATH                                                                                        \
    TEXT("cloudProvider", "Provider of the hosts, by the name that the operator gave.", 0, .min = 1, .max = 32, \
         .pattern = PROVIDER_NAME, .example = "\"ONPREM\"")

#endif
