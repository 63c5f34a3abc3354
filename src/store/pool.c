/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/steady_cond.h"
#include "store/fault.h"

struct pool {
    struct store_config config;
    pthread_mutex_t lock;
    pthread_cond_t given_back;
    int open, idle_count, waiting; /* open: idle, taken, and being connected */
    bool reachable;
    struct connection *idle[];
};

struct pool *
pool_new(const struct store_config *config)
{
    struct pool *pool = calloc(1, sizeof(*pool) + sizeof(struct connection *) * (size_t)config->max_transactions);
    if (pool == NULL)
        return NULL;
    pool->config = *config;
    pthread_mutex_init(&pool->lock, NULL);
    steady_cond_init(&pool->given_back);
    return pool;
}

void
pool_free(struct pool *pool)
{
    if (pool == NULL)
        return;
    pool_drop_idle(pool);
    pthread_cond_destroy(&pool->given_back);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

error
pool_take(struct pool *pool, struct connection **ret_connection, bool *ret_is_new)
{
    int64_t deadline_ms = clock_steady_ms() + pool->config.pool_wait_ms;
    pthread_mutex_lock(&pool->lock);
    while (pool->idle_count == 0 && pool->open == pool->config.max_transactions) {
        pool->waiting++;
        bool in_time = steady_cond_wait(&pool->given_back, &pool->lock, deadline_ms);
        pool->waiting--;
        if (!in_time && pool->idle_count == 0 && pool->open == pool->config.max_transactions) {
            pthread_mutex_unlock(&pool->lock);
            return &fault_overloaded;
        }
    }
    if (pool->idle_count > 0) {
        *ret_connection = pool->idle[--pool->idle_count];
        *ret_is_new = false;
        pthread_mutex_unlock(&pool->lock);
        return OK;
    }
    pool->open++;
    pthread_mutex_unlock(&pool->lock);

    /* Connecting takes long; the place in the pool is ours already, so nobody has to wait for us. */
    struct connection *made = connection_open(pool->config.dsn, ROLE_TENANT, pool->config.statement_timeout_ms);
    pthread_mutex_lock(&pool->lock);
    pool->reachable = made != NULL;
    if (made == NULL) {
        pool->open--;
        pthread_cond_signal(&pool->given_back);
    }
    pthread_mutex_unlock(&pool->lock);
    if (made == NULL)
        return &fault_unavailable;
    *ret_connection = made;
    *ret_is_new = true;
    return OK;
}

void
pool_give(struct pool *pool, struct connection *connection)
{
    bool keep = !connection->broken && PQtransactionStatus(connection->pg) == PQTRANS_IDLE;
    pthread_mutex_lock(&pool->lock);
    pool->reachable = keep;
    if (keep)
        pool->idle[pool->idle_count++] = connection;
    else
        pool->open--;
    pthread_cond_signal(&pool->given_back);
    pthread_mutex_unlock(&pool->lock);
    if (!keep)
        connection_close(connection);
}

void
pool_drop_idle(struct pool *pool)
{
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        struct connection *stale = pool->idle_count == 0 ? NULL : pool->idle[--pool->idle_count];
        if (stale != NULL) {
            pool->open--;
            pthread_cond_signal(&pool->given_back);
        }
        pthread_mutex_unlock(&pool->lock);
        if (stale == NULL)
            return;
        connection_close(stale);
    }
}

struct store_status
pool_status(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct store_status status = {
        .transactions_open = pool->open - pool->idle_count,
        .transactions_max = pool->config.max_transactions,
        .waiting = pool->waiting,
        .reachable = pool->reachable,
    };
    pthread_mutex_unlock(&pool->lock);
    return status;
}
