/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of path segments. Built once from the catalog's templates, read by everyone. */
#ifndef API_ROUTER_H
#define API_ROUTER_H

#include "api/catalog.h"

struct router;

MUST_USE struct router *router_new(struct arena *arena);
/* False when another endpoint has this method and path already, the template is malformed, or there is no memory. */
MUST_USE bool router_add(struct router *router, const struct endpoint *endpoint);
void router_find(const struct router *router, enum method method, const str *segments, size_t count, struct route *ret);

#endif
