/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control database. Every statement is a file in the folder sql/ of its subject, named like a function;
 * SQL_PROJECT_GET is project_get.sql. Nothing outside store/ sees libpq or writes SQL.
 *
 * Reads outside a transaction share a few connections in pipeline mode; the caller simply blocks. Transactions have a
 * connection of their own from a bounded pool, run with row-level security for one organization, and roll back unless
 * they were committed.
 *
 * Errors: DATABASE_UNAVAILABLE (503, Retry-After) when the database cannot be reached or a statement timed out,
 * OVERLOADED when the pool has no connection in time, CONCURRENT_CHANGE on a serialization failure or deadlock,
 * OUTCOME_UNKNOWN when the connection broke during COMMIT, INTERNAL_ERROR (logged) on anything that is a bug. A unique
 * or foreign-key violation is not turned into a message here: tx_query() reports it in `struct violation`, and the
 * function that knows the constraint makes the error.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/id.h"
#include "store/sql.gen.h" /* SQL_<FILE NAME>, P_<PARAMETER>, C_<COLUMN>, in capitals */

struct store;
struct tx;

struct store_config {
    const char *dsn;      /* libpq connection string */
    int max_transactions; /* connections for transactions, per process */
    int readers;          /* pipelined connections for reads, per process */
    int pool_wait_ms;     /* how long a request waits for a connection */
    int statement_timeout_ms;
    int large_readers; /* connections for reads that may be slow (store_reads_apart()), per process; 0: they go with the others */
    int large_timeout_ms;
    uint16_t cell; /* for new identifiers */
};

/* Does not wait for the database: connections are made when they are needed, and again after they broke. */
MUST_USE struct store *store_new(const struct store_config *config);
void store_free(struct store *store);
uint16_t store_cell(const struct store *store);

struct store_status {
    int transactions_open, transactions_max, waiting;
    bool reachable; /* the last attempt to reach the database worked */
};
struct store_status store_status(struct store *store);

/*
 * ---- Parameters ----
 * :host in a statement is P_HOST here. They are bound in any order; a statement that takes others than were bound is not sent, and
 * fails with INTERNAL_ERROR and a line in the log. Texts are not copied and must outlive the query.
 */
enum { PARAMS_MAX = 24 };
struct params {
    int count;
    enum param missing; /* the first identifier that was not there: such a statement is not sent */
    uint16_t names[PARAMS_MAX];
    const char *values[PARAMS_MAX];
    int lengths[PARAMS_MAX];
    int formats[PARAMS_MAX];
    char scratch[PARAMS_MAX][24]; /* numbers and ids live here */
};
/*
 * Binary bytea of 12 bytes. A missing one is a bug: the statement is not sent and fails with INTERNAL_ERROR and a line
 * in the log.
 */
void params_id(struct params *params, enum param name, id value);
void params_id_or_null(struct params *params, enum param name, id value); /* NULL when there is none */
/* Of a walk in the order of ids; none: from the first. */
void params_id_after(struct params *params, enum param name, id value);
void params_text(struct params *params, enum param name, str value); /* must be NUL-terminated (every arena str is) */
void params_text_or_null(struct params *params, enum param name, str value); /* NULL when it is empty */
void params_int(struct params *params, enum param name, int64_t value);
void params_bool(struct params *params, enum param name, bool value);
void params_bytes(struct params *params, enum param name, str value); /* bytea, binary */
void params_null(struct params *params, enum param name);

/*
 * ---- Results ----
 * A column that is called epoch in the statement (by itself or AS epoch) is C_EPOCH here. To read one that the statement does not
 * give is a bug that ends the program.
 */
struct rows {
    void *result;           /* PGresult; freed with the arena that was given to the query */
    const uint8_t *columns; /* the place of each enum column, from 1; 0: the statement does not give it */
    int count;              /* rows returned, or rows affected by a statement that returns none */
};
str rows_text(const struct rows *rows, int row, enum column column);
bool rows_is_null(const struct rows *rows, int row, enum column column);
int64_t rows_int(const struct rows *rows, int row, enum column column);
bool rows_bool(const struct rows *rows, int row, enum column column);
/* The column holds 24 hexadecimal digits (encode(id, 'hex')); none when it is NULL. */
id rows_id(const struct rows *rows, int row, enum column column);
/* What all of it takes in memory. */
size_t rows_size(const struct rows *rows);
/* The column holds encode(bytes, 'hex'). */
str rows_bytes(struct arena *arena, const struct rows *rows, int row, enum column column);

/* ---- One read, outside any transaction ---- */
MUST_USE error store_read(struct store *store, struct arena *arena, enum sql statement, const struct params *params,
                          struct rows *ret_rows);
/*
 * Whether the reads of this thread may be slow, from now on: a large page, or something that a tenant wrote is
 * evaluated. Such reads have their own connections, so that others do not wait for them, and their own time-out.
 */
void store_reads_apart(bool apart);

/* ---- Transactions ---- */
/*
 * `organization` is the one whose rows this transaction may see and change (row-level security); it must be there. The
 * service itself has transactions that see no organization's rows, but may change what belongs to none (people, signing keys,
 * what is swept by age).
 */
MUST_USE error tx_begin(struct store *store, struct arena *arena, id organization, struct tx **ret_tx);
MUST_USE error tx_begin_service(struct store *store, struct arena *arena, struct tx **ret_tx);
/* A statement of the service in a transaction of its own, and how many rows it gave. It takes a limit, or with 0 none. */
MUST_USE error store_sweep(struct store *store, struct arena *arena, enum sql statement, int64_t limit, int *ret_count);
/* Changes the organization that row-level security lets through, when a transaction creates one or moves a project. */
MUST_USE error tx_set_organization(struct tx *tx, id organization);
MUST_USE error tx_set_service(struct tx *tx);

struct violation {
    enum { VIOLATION_NONE, VIOLATION_UNIQUE, VIOLATION_FOREIGN_KEY, VIOLATION_CHECK, VIOLATION_EXCLUSION } kind;
    char constraint[64];
};
/* With ret_violation == NULL a violation is an INTERNAL_ERROR. After a violation the transaction can only roll back. */
MUST_USE error tx_query(struct tx *tx, enum sql statement, const struct params *params, struct rows *ret_rows,
                        struct violation *ret_violation);
/* Told to every listener of the channel when, and only when, the transaction commits (store/listener.h). */
MUST_USE error tx_notify(struct tx *tx, const char *channel, str payload);
MUST_USE error tx_commit(struct tx *tx);
void tx_rollback(struct tx *tx); /* also after a commit, then it does nothing but give the connection back */
void tx_cleanup(struct tx **tx); /* for CLEANUP() */
struct arena *tx_arena(struct tx *tx);
struct store *tx_store(struct tx *tx);

#endif
