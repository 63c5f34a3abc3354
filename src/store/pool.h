/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connections for transactions: at most `max`, made when they are needed. The last one given back is used first, so
 * that few are used in quiet times. Thread safe. Only for store/.
 */
#ifndef STORE_POOL_H
#define STORE_POOL_H

#include "store/connection.h"

struct pool;

MUST_USE struct pool *pool_new(const struct store_config *config);
/* Every connection must have been given back. */
void pool_free(struct pool *pool);

/* OVERLOADED when none became free in time, DATABASE_UNAVAILABLE when a new one could not be made. `ret_is_new` says
 * that the connection was made just now and cannot be stale. */
MUST_USE error pool_take(struct pool *pool, struct connection **ret_connection, bool *ret_is_new);
/* A broken connection is closed. */
void pool_give(struct pool *pool, struct connection *connection);
/* Closes idle connections: when one turned out stale, the others probably are, too. */
void pool_drop_idle(struct pool *pool);
struct store_status pool_status(struct pool *pool);

#endif
