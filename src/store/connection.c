/* SPDX-License-Identifier: Apache-2.0 */
#include "store/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "store/fault.h"
#include "store/rows.h"

/* How much longer than the server we wait, and how long a transaction may sit idle with its locks. */
enum { GRACE_MS = 1000, IDLE_IN_TRANSACTION_MS = 30 * 1000 };

/* ---- Several hosts ---- */

/* Where connections begin, whatever the DSN: a process has one control database. */
static _Atomic unsigned first_place;

static unsigned
count_places(const char *list)
{
    unsigned count = 1;
    if (list == NULL || list[0] == '\0')
        return 0;
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

static str
place_at(const char *list, unsigned which)
{
    str rest = str_from(list == NULL ? "" : list);
    for (; which > 0; which--)
        (void)str_cut(&rest, ',');
    return str_cut(&rest, ',');
}

static void
write_places(const char *list, unsigned begin, char ret_text[PLACES_BYTES])
{
    unsigned count = count_places(list);
    size_t used = 0;
    for (unsigned i = 0; i < count; i++) {
        str place = place_at(list, (begin + i) % count);
        used += (size_t)snprintf(ret_text + used, PLACES_BYTES - used, "%s%.*s", i > 0 ? "," : "", STR_ARG(place));
    }
}

/* host, hostaddr and port of a DSN, as they stand there. */
struct place_lists {
    PQconninfoOption *options;
    const char *host, *hostaddr, *port;
    unsigned count;
};

static void
read_place_lists(const char *dsn, struct place_lists *ret_lists)
{
    *ret_lists = (struct place_lists){ .options = PQconninfoParse(dsn, NULL) };
    for (PQconninfoOption *option = ret_lists->options; option != NULL && option->keyword != NULL; option++) {
        if (strcmp(option->keyword, "host") == 0)
            ret_lists->host = option->val;
        else if (strcmp(option->keyword, "hostaddr") == 0)
            ret_lists->hostaddr = option->val;
        else if (strcmp(option->keyword, "port") == 0)
            ret_lists->port = option->val;
    }
    ret_lists->count = count_places(ret_lists->hostaddr != NULL ? ret_lists->hostaddr : ret_lists->host);
}

/* Whether they can be put into another order: libpq complains about lists of different lengths better than we could. */
static bool
may_turn(const struct place_lists *lists)
{
    const char *all[] = { lists->host, lists->hostaddr, lists->port };
    for (size_t i = 0; i < LENGTH(all); i++) {
        unsigned count = count_places(all[i]);
        if (all[i] != NULL && strlen(all[i]) >= PLACES_BYTES)
            return false;
        if (count != lists->count && count > (i == 2 ? 1 : 0))
            return false;
    }
    return lists->count > 1;
}

void
connection_words(const char *dsn, struct connection_words *ret_words)
{
    /* What comes later wins, so an operator's DSN can change everything above it. */
    *ret_words = (struct connection_words){
        .keywords = { "connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
                      "tcp_user_timeout", "fallback_application_name", "dbname", "client_encoding", "host", "hostaddr",
                      "port", NULL },
        .values = { "3", "10", "5", "3", "10000", "reeve", dsn, "UTF8", ret_words->places[0], ret_words->places[1],
                    ret_words->places[2], NULL },
        .dsn = dsn,
    };
    struct place_lists lists;
    read_place_lists(dsn, &lists);
    if (may_turn(&lists)) {
        ret_words->begin = atomic_load(&first_place) % lists.count;
        write_places(lists.host, ret_words->begin, ret_words->places[0]);
        write_places(lists.hostaddr, ret_words->begin, ret_words->places[1]);
        if (count_places(lists.port) > 1)
            write_places(lists.port, ret_words->begin, ret_words->places[2]);
    }
    PQconninfoFree(lists.options);
}

bool
connection_place(const char *dsn, unsigned which, struct arena *arena, const char **ret_host, const char **ret_port)
{
    struct place_lists lists;
    read_place_lists(dsn, &lists);
    bool is_there = which < lists.count;
    if (is_there) {
        str port = place_at(lists.port, count_places(lists.port) > 1 ? which : 0);
        *ret_host = str_dup(arena, place_at(lists.hostaddr != NULL ? lists.hostaddr : lists.host, which)).data;
        *ret_port = port.len == 0 ? "5432" : str_dup(arena, port).data;
    }
    PQconninfoFree(lists.options);
    return is_there;
}

/* The number in the DSN of the host that libpq is at. */
static unsigned
current_place(const struct connection_words *words, const PGconn *pg)
{
    struct place_lists lists;
    const char *host = PQhost(pg), *port = PQport(pg);
    unsigned found = words->begin;
    read_place_lists(words->dsn, &lists);
    for (unsigned i = 0; i < lists.count && host != NULL && port != NULL; i++) {
        bool is_host = str_is(place_at(lists.host != NULL ? lists.host : lists.hostaddr, i), host);
        if (is_host && (count_places(lists.port) < 2 || str_is(place_at(lists.port, i), port))) {
            found = i;
            break;
        }
    }
    PQconninfoFree(lists.options);
    return found;
}

void
connection_reached(const struct connection_words *words, const PGconn *pg)
{
    if (words->places[0][0] != '\0' || words->places[1][0] != '\0')
        atomic_store(&first_place, current_place(words, pg));
}

void
connection_missed(const struct connection_words *words, const PGconn *pg, bool is_stuck)
{
    if (words->places[0][0] != '\0' || words->places[1][0] != '\0')
        atomic_store(&first_place, (is_stuck ? current_place(words, pg) : words->begin) + 1);
}

/* ---- One connection ---- */

bool
connection_succeeded(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* False when nothing arrived until the deadline or the connection broke. */
static bool
wait_for_result(struct connection *connection, int64_t deadline_ms)
{
    while (PQisBusy(connection->pg) == 1) {
        int64_t left = deadline_ms - clock_steady_ms();
        struct pollfd socket = { .fd = PQsocket(connection->pg), .events = POLLIN };
        if (left <= 0 || socket.fd < 0)
            return false;
        int ready = poll(&socket, 1, (int)left);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready > 0 && PQconsumeInput(connection->pg) == 0)
            return false;
    }
    return true;
}

static PGresult *
collect(struct connection *connection)
{
    int64_t deadline = clock_steady_ms() + connection->timeout_ms + GRACE_MS;
    PGresult *kept = NULL;
    for (;;) {
        if (!wait_for_result(connection, deadline)) {
            connection->broken = true;
            PQclear(kept);
            return NULL;
        }
        PGresult *result = PQgetResult(connection->pg);
        if (result == NULL)
            break;
        if (kept != NULL && !connection_succeeded(kept)) {
            PQclear(result);
            continue;
        }
        PQclear(kept);
        kept = result;
    }
    if (PQstatus(connection->pg) != CONNECTION_OK ||
        (kept != NULL && !connection_succeeded(kept) && fault_ends_connection(kept)))
        connection->broken = true;
    return kept;
}

PGresult *
connection_exec(struct connection *connection, const char *text)
{
    if (connection->broken || PQsendQuery(connection->pg, text) == 0) {
        connection->broken = true;
        return NULL;
    }
    return collect(connection);
}

PGresult *
connection_run(struct connection *connection, enum sql statement, const struct params_in_order *params)
{
    const struct sql_row *row = &sql_rows[statement];
    uint64_t bit = UINT64_C(1) << (statement % 64), *word = &connection->prepared[statement / 64];
    if (connection->broken)
        return NULL;
    if ((*word & bit) == 0) {
        if (PQsendPrepare(connection->pg, row->name, row->text, 0, NULL) == 0) {
            connection->broken = true;
            return NULL;
        }
        PGresult *result = collect(connection);
        if (result == NULL || !connection_succeeded(result))
            return result;
        PQclear(result);
        *word |= bit;
    }
    if (PQsendQueryPrepared(connection->pg, row->name, params->count, params->values, params->lengths, params->formats,
                            0) == 0) {
        connection->broken = true;
        return NULL;
    }
    return collect(connection);
}

static void
ignore_notice(void *context, const PGresult *notice)
{
    (void)context;
    (void)notice;
}

struct connection *
connection_open(const char *dsn, const char *role, int statement_timeout_ms)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL)
        return NULL;
    struct connection_words words;
    connection_words(dsn, &words);
    connection->timeout_ms = statement_timeout_ms;
    connection->pg = PQconnectdbParams(words.keywords, words.values, 1);
    if (PQstatus(connection->pg) != CONNECTION_OK) {
        connection_missed(&words, connection->pg, false);
        fault_log_connection(connection->pg, "no connection");
        connection_close(connection);
        return NULL;
    }
    connection_reached(&words, connection->pg);
    PQsetNoticeReceiver(connection->pg, ignore_notice, NULL);
    char setup[256];
    snprintf(
        setup, sizeof(setup),
        "SET ROLE %s; SET statement_timeout = %d; SET lock_timeout = %d; SET idle_in_transaction_session_timeout = %d",
        role == NULL ? "NONE" : role, statement_timeout_ms, statement_timeout_ms / 2, IDLE_IN_TRANSACTION_MS);
    PGresult *result = connection_exec(connection, setup);
    bool is_set_up = result != NULL && connection_succeeded(result);
    PQclear(result);
    if (!is_set_up) {
        fault_log_connection(connection->pg, "a connection could not be set up");
        connection_close(connection);
        return NULL;
    }
    return connection;
}

void
connection_close(struct connection *connection)
{
    if (connection == NULL)
        return;
    PQfinish(connection->pg);
    free(connection);
}

void
connection_cleanup(struct connection **connection)
{
    connection_close(*connection);
}

error
connection_query(struct connection *connection, struct arena *arena, enum sql statement, const struct params *params,
                 struct rows *ret_rows)
{
    struct params_in_order ordered;
    TRY(fault_of_params(params, statement, &ordered));
    PGresult *result = connection_run(connection, statement, &ordered);
    if (result == NULL || !connection_succeeded(result)) {
        error problem = fault_of_result(result, sql_rows[statement].name, NULL);
        PQclear(result);
        return problem;
    }
    return rows_adopt(arena, statement, result, ret_rows) ? OK : &fault_overloaded;
}
