/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include <stdlib.h>

#include "store/pool.h"
#include "store/reader.h"
#include "store/store_parts.h"

struct store {
    struct store_config config;
    char *dsn;
    struct pool *pool;
    struct readers *readers;
    struct readers *apart; /* NULL: there are none */
};

static _Thread_local bool reads_apart;

struct store *
store_new(const struct store_config *config)
{
    struct store *store = calloc(1, sizeof(*store));
    if (store == NULL)
        return NULL;
    store->config = *config;
    store->dsn = strdup(config->dsn);
    store->config.dsn = store->dsn;
    if (store->dsn != NULL)
        store->pool = pool_new(&store->config);
    if (store->pool != NULL)
        store->readers = readers_new(&store->config);
    bool has_all = store->readers != NULL;
    if (has_all && config->large_readers > 0) {
        struct store_config apart = store->config;
        apart.readers = config->large_readers;
        apart.statement_timeout_ms = config->large_timeout_ms;
        store->apart = readers_new(&apart);
        has_all = store->apart != NULL;
    }
    if (!has_all) {
        store_free(store);
        return NULL;
    }
    return store;
}

void
store_free(struct store *store)
{
    if (store == NULL)
        return;
    readers_free(store->readers);
    readers_free(store->apart);
    pool_free(store->pool);
    free(store->dsn);
    free(store);
}

uint16_t
store_cell(const struct store *store)
{
    return store->config.cell;
}

struct pool *
store_pool(struct store *store)
{
    return store->pool;
}

const struct store_config *
store_settings(const struct store *store)
{
    return &store->config;
}

struct store_status
store_status(struct store *store)
{
    struct store_status status = pool_status(store->pool);
    /* A pool that was not used yet, or that saw a failure long ago, knows less than the readers, which always try. */
    status.reachable = readers_are_ready(store->readers);
    return status;
}

error
store_read(struct store *store, struct arena *arena, enum sql statement, const struct params *params,
           struct rows *ret_rows)
{
    return readers_read(reads_apart && store->apart != NULL ? store->apart : store->readers, arena, statement, params,
                        ret_rows);
}

void
store_reads_apart(bool apart)
{
    reads_apart = apart;
}
