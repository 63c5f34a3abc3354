/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenAPI 3.1 document of the whole API, made from the tables; the same tables always give the same bytes. */
#ifndef API_DOCUMENT_OPENAPI_H
#define API_DOCUMENT_OPENAPI_H

#include "api/catalog.h"

/* `base_url` without a slash at the end. Compact JSON; empty when there is no memory. */
str openapi_document(struct arena *arena, const struct catalog *catalog, str base_url);

/* "userId" as "user id", "clusterName" as "cluster name". */
str words_of_name(struct arena *arena, str name);
/* What a path parameter is, in a sentence. */
str path_parameter_doc(struct arena *arena, const struct endpoint *endpoint, str name);
/* Cuts the next {parameter} off the template; false when there is none left. */
bool path_next_parameter(str *rest, str *ret_name);
/* "One of the roles A, B" and the like: who may call it. */
str access_text(struct arena *arena, const struct access *access);

#endif
