/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/log.h"
#include "store/connection.h"
#include "store/fault.h"
#include "store/rows.h"
#include "store/store_parts.h"

struct tx {
    struct store *store;
    struct arena *arena;
    struct connection *connection; /* NULL once it was given back */
    error failed;                  /* the first failure: after it the server refuses everything but ROLLBACK */
    bool is_violated;
    bool ended;
};

static void
dispose_tx(void *tx)
{
    tx_rollback(tx);
}

/* In one round trip. Whether it is the service's is a setting of its own, because no identifier says so. Without an
 * organization there are no digits, which are the name of nobody. The digits come from id_write(), so nothing can break out
 * of the quotes. */
static PGresult *
send_whose(struct connection *connection, const char *first, id organization)
{
    char digits[ID_DIGITS + 1], text[128];
    id_write(organization, digits);
    snprintf(text, sizeof(text), "%sSET LOCAL reeve.organization = '%s'; SET LOCAL reeve.service = '%s'", first, digits,
             id_is_there(organization) ? "off" : "on");
    return connection_exec(connection, text);
}

/* An organization that is missing by mistake must not make a transaction the service's. */
static error
check_whose(id organization)
{
    if (id_is_there(organization))
        return OK;
    log_line(LOG_ERROR, "identifier_missing", "a transaction was to be begun for an organization that is none");
    return &fault_internal;
}

static error
begin(struct store *store, struct arena *arena, id organization, struct tx **ret_tx)
{
    struct tx *tx = ARENA_NEW(arena, struct tx);
    if (tx == NULL)
        return &fault_overloaded;
    struct pool *pool = store_pool(store);
    /* A connection from the pool may have died while it was idle. Nothing was asked of it yet, so another one may. */
    for (;;) {
        struct connection *connection;
        bool is_new;
        TRY(pool_take(pool, &connection, &is_new));
        PGresult *result = send_whose(connection, "BEGIN; ", organization);
        if (result != NULL && connection_succeeded(result)) {
            PQclear(result);
            tx->connection = connection;
            break;
        }
        bool again = !is_new && connection->broken;
        error problem = fault_of_result(result, "begin", NULL);
        PQclear(result);
        connection->broken = true;
        pool_give(pool, connection);
        if (!again)
            return problem;
        pool_drop_idle(pool);
    }
    tx->store = store;
    tx->arena = arena;
    /* A caller that forgets the transaction must not keep a connection for ever. */
    if (!arena_on_free(arena, dispose_tx, tx))
        return &fault_overloaded;
    *ret_tx = tx;
    return OK;
}

error
tx_begin(struct store *store, struct arena *arena, id organization, struct tx **ret_tx)
{
    TRY(check_whose(organization));
    return begin(store, arena, organization, ret_tx);
}

error
tx_begin_service(struct store *store, struct arena *arena, struct tx **ret_tx)
{
    return begin(store, arena, ID_NONE, ret_tx);
}

static error
note_failure(struct tx *tx, error problem)
{
    if (tx->failed == OK)
        tx->failed = problem;
    return problem;
}

static error
set_whose(struct tx *tx, id organization)
{
    if (tx->ended)
        return &fault_internal;
    PGresult *result = send_whose(tx->connection, "", organization);
    error problem = OK;
    if (result == NULL || !connection_succeeded(result))
        problem = note_failure(tx, fault_of_result(result, "set organization", NULL));
    PQclear(result);
    return problem;
}

error
tx_set_organization(struct tx *tx, id organization)
{
    TRY(check_whose(organization));
    return set_whose(tx, organization);
}

error
tx_set_service(struct tx *tx)
{
    return set_whose(tx, ID_NONE);
}

error
tx_query(struct tx *tx, enum sql statement, const struct params *params, struct rows *ret_rows,
         struct violation *ret_violation)
{
    if (ret_violation != NULL)
        *ret_violation = (struct violation){ 0 };
    if (tx->ended || tx->is_violated || tx->failed != OK) {
        log_line(LOG_ERROR, "transaction_misused", "%s was run in a transaction that had %s", sql_rows[statement].name,
                 tx->failed != OK ? "failed" : "ended");
        return tx->failed != OK ? tx->failed : &fault_internal;
    }
    struct params_in_order ordered;
    error missing = fault_of_params(params, statement, &ordered);
    if (missing != OK)
        return note_failure(tx, missing);
    PGresult *result = connection_run(tx->connection, statement, &ordered);
    if (result == NULL || !connection_succeeded(result)) {
        error problem = fault_of_result(result, sql_rows[statement].name, ret_violation);
        PQclear(result);
        if (problem == OK) {
            tx->is_violated = true;
            if (ret_rows != NULL)
                *ret_rows = (struct rows){ 0 };
            return OK;
        }
        return note_failure(tx, problem);
    }
    struct rows rows;
    if (!rows_adopt(tx->arena, statement, result, &rows))
        return note_failure(tx, &fault_overloaded);
    if (ret_rows != NULL)
        *ret_rows = rows;
    return OK;
}

error
tx_commit(struct tx *tx)
{
    if (tx->ended || tx->is_violated)
        return &fault_internal;
    if (tx->failed != OK) {
        log_line(LOG_ERROR, "transaction_misused", "A transaction that had failed was to be committed");
        return tx->failed;
    }
    PGresult *result = connection_exec(tx->connection, "COMMIT");
    tx->ended = true;
    error problem = OK;
    if (result == NULL || (!connection_succeeded(result) && tx->connection->broken))
        problem = &fault_outcome_unknown;
    else if (!connection_succeeded(result))
        problem = fault_of_result(result, "commit", NULL);
    else if (strcmp(PQcmdStatus(result), "COMMIT") != 0) {
        /* The server answers COMMIT of a failed transaction with ROLLBACK and calls it a success. */
        log_line(LOG_ERROR, "commit_refused", "a transaction was rolled back instead of committed");
        problem = &fault_internal;
    }
    PQclear(result);
    pool_give(store_pool(tx->store), tx->connection);
    tx->connection = NULL;
    return problem;
}

void
tx_rollback(struct tx *tx)
{
    if (tx->connection == NULL)
        return;
    if (!tx->ended)
        PQclear(connection_exec(tx->connection, "ROLLBACK"));
    tx->ended = true;
    pool_give(store_pool(tx->store), tx->connection);
    tx->connection = NULL;
}

void
tx_cleanup(struct tx **tx)
{
    if (*tx != NULL)
        tx_rollback(*tx);
}

struct arena *
tx_arena(struct tx *tx)
{
    return tx->arena;
}

struct store *
tx_store(struct tx *tx)
{
    return tx->store;
}

error
tx_notify(struct tx *tx, const char *channel, str payload)
{
    struct params params = { 0 };
    params_text(&params, P_CHANNEL, str_from(channel));
    params_text(&params, P_PAYLOAD, payload);
    return tx_query(tx, SQL_NOTIFY, &params, NULL, NULL);
}

error
store_sweep(struct store *store, struct arena *arena, enum sql statement, int64_t limit, int *ret_count)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    if (limit > 0)
        params_int(&params, P_LIMIT, limit);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, statement, &params, &rows, NULL));
    *ret_count = rows.count;
    return tx_commit(tx);
}
