/* SPDX-License-Identifier: Apache-2.0 */
/* Providers in paths: those that the operator named. */
#ifndef FAMILY_PROVIDER_PATH_H
#define FAMILY_PROVIDER_PATH_H

#include "api/request.h"

#define PROVIDER_NAME "^[A-Z][A-Z0-9_]*$"
#define PROVIDER_IN_PATH                                                                                        \
    TEXT("cloudProvider", "Provider of the hosts, by the name that the operator gave.", 0, .min = 1, .max = 32, \
         .pattern = PROVIDER_NAME, .example = "\"ONPREM\"")

/*
 * In addition to an entity: links to the list of each provider that the operator offers, "<above>/ONPREM/<list>" below
 * the project.
 */
MUST_USE error relate_provider_lists(struct request *req, const char *above, const char *list);

#endif
