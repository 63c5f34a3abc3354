/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of search; the operations are in search.c. */
#ifndef FAMILY_WAITING_SEARCH_H
#define FAMILY_WAITING_SEARCH_H

#include "api/contract.h"

extern const struct schema search_deployment_schema;
/* What is sent is not what is returned: an index in use may still have an earlier definition. */
extern const struct schema search_index_request_schema, search_index_schema;
/* The older form, under /fts. */
extern const struct schema search_older_index_schema;

#endif
