/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One blocking connection. Every wait has an end: the server's statement_timeout first, and a little later our own,
 * after which the connection counts as broken. Only for store/.
 */
#ifndef STORE_CONNECTION_H
#define STORE_CONNECTION_H

#include <libpq-fe.h>

#include "store/params.h"
#include "store/store.h"

#define ROLE_TENANT "reeve_tenant"
#define ROLE_READER "reeve_reader"

struct connection {
    PGconn *pg;
    int timeout_ms;
    bool broken; /* cannot be used again */
    uint64_t prepared[SQL_COUNT / 64 + 1];
};

enum { PLACES_BYTES = 1024 };

/*
 * Keywords and values for PQconnectdbParams()/PQconnectStartParams(): the DSN with our defaults beneath it. If it names
 * several hosts, the one that was reached last comes first, because each host before it that is down would cost
 * seconds. Contains pointers to itself; do not copy it.
 */
struct connection_words {
    const char *keywords[16], *values[16];
    const char *dsn;
    unsigned begin;               /* the number of the host in the DSN that is tried first */
    char places[3][PLACES_BYTES]; /* host, hostaddr and port in the order in which they are tried */
};
void connection_words(const char *dsn, struct connection_words *ret_words);
/* One of the hosts of a DSN and its port; false when it has no more. */
MUST_USE bool connection_place(const char *dsn, unsigned which, struct arena *arena, const char **ret_host,
                               const char **ret_port);
/* The connection was made: the next ones begin with the same host. */
void connection_reached(const struct connection_words *words, const PGconn *pg);
/* It was not: the next ones begin with another host; `is_stuck`: with the one after that which did not answer. */
void connection_missed(const struct connection_words *words, const PGconn *pg, bool is_stuck);

/* With role == NULL the connection stays what the DSN logs in as. NULL when it failed (logged). */
MUST_USE struct connection *connection_open(const char *dsn, const char *role, int statement_timeout_ms);
void connection_close(struct connection *connection);
void connection_cleanup(struct connection **connection);

/* Runs the text, which may be several statements. The result of the first that failed, else of the last; NULL when the
 * connection broke. The caller clears it. */
MUST_USE PGresult *connection_exec(struct connection *connection, const char *text);
/* Runs a statement of a folder sql/, preparing it the first time. */
MUST_USE PGresult *connection_run(struct connection *connection, enum sql statement,
                                  const struct params_in_order *params);
bool connection_succeeded(const PGresult *result);
/* The rows of one, in the arena, or the fault that it ended with. */
MUST_USE error connection_query(struct connection *connection, struct arena *arena, enum sql statement,
                                const struct params *params, struct rows *ret_rows);

#endif
