/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fault.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"

#define DETAIL(code, status, detail, remedy) __attribute__((unused)) static const char detail_of_##code[] = detail;
ERROR_TABLE(DETAIL)
#undef DETAIL
#define CONSTANT(error_code, seconds)                                                                 \
    {                                                                                                 \
        .code = error_code, .detail = { detail_of_##error_code, sizeof(detail_of_##error_code) - 1 }, \
        .retry_after_s = seconds                                                                      \
    }

const struct failure fault_unavailable = CONSTANT(DATABASE_UNAVAILABLE, 1);
const struct failure fault_overloaded = CONSTANT(OVERLOADED, 1);
const struct failure fault_internal = CONSTANT(INTERNAL_ERROR, 0);
const struct failure fault_outcome_unknown = CONSTANT(OUTCOME_UNKNOWN, 1);
/* The one with a parameter. The store does not know what the statement was about, so it says so plainly. */
const struct failure fault_concurrent = {
    .code = CONCURRENT_CHANGE,
    .parameter_count = 1,
    .parameters = { { .kind = VALUE_TEXT, .text = { "the same data", sizeof("the same data") - 1 } } },
    .detail = { "Another request changed the same data at the same moment.",
                sizeof("Another request changed the same data at the same moment.") - 1 },
};

// clang-format off
/* One row a SQLSTATE, or a class of them when it has two characters; the first that fits counts. */
static const struct {
    const char *state;
    const struct failure *failure;
    bool ends_connection;
} states[] = {
    { "40001", &fault_concurrent,  false }, /* serialization failure */
    { "40P01", &fault_concurrent,  false }, /* deadlock */
    { "40",    &fault_concurrent,  false },
    { "23503", &fault_concurrent,  false }, /* what a new row belongs to was deleted at this moment */
    { "55P03", &fault_overloaded,  false }, /* lock_timeout: somebody holds a row for too long */
    { "57014", &fault_unavailable, false }, /* statement_timeout */
    { "57",    &fault_unavailable, true  }, /* shutdown, crash, starting up */
    { "25P03", &fault_unavailable, true  }, /* idle in transaction for too long */
    { "25006", &fault_unavailable, true  }, /* read only: this server is no longer the primary */
    { "08",    &fault_unavailable, true  },
    { "53300", &fault_unavailable, true  }, /* too many connections */
    { "53",    &fault_overloaded,  false }, /* out of disk, memory */
    { "58",    &fault_unavailable, true  }, /* input/output error */
    { "0A000", &fault_internal,    true  }, /* a plan whose columns a migration changed: a new connection plans anew */
    { "26000", &fault_internal,    true  }, /* a prepared statement that the server forgot */
};
// clang-format on

static const char *
state_of(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state == NULL ? "" : state;
}

/* The table is a part of a partitioned one (resource_7), and the constraint has the same number behind its name
 * (resource_name_in_scope_7): callers know it without. */
static void
forget_part(char *constraint, const char *table)
{
    const char *part = table == NULL ? NULL : strrchr(table, '_');
    char *number = strrchr(constraint, '_');
    if (part != NULL && number != NULL && part[1] >= '0' && part[1] <= '9' && strcmp(part, number) == 0)
        *number = '\0';
}

static bool
describe_violation(const PGresult *result, const char *state, struct violation *ret_violation)
{
    if (strncmp(state, "23", 2) != 0 || ret_violation == NULL)
        return false;
    if (strcmp(state, "23505") == 0)
        ret_violation->kind = VIOLATION_UNIQUE;
    else if (strcmp(state, "23503") == 0)
        ret_violation->kind = VIOLATION_FOREIGN_KEY;
    else if (strcmp(state, "23514") == 0)
        ret_violation->kind = VIOLATION_CHECK;
    else if (strcmp(state, "23P01") == 0)
        ret_violation->kind = VIOLATION_EXCLUSION;
    else
        return false; /* NOT NULL and the like are bugs */
    const char *constraint = PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
    snprintf(ret_violation->constraint, sizeof(ret_violation->constraint), "%s", constraint == NULL ? "" : constraint);
    forget_part(ret_violation->constraint, PQresultErrorField(result, PG_DIAG_TABLE_NAME));
    return true;
}

error
fault_of_result(const PGresult *result, const char *statement, struct violation *ret_violation)
{
    if (result == NULL)
        return &fault_unavailable;
    const char *state = state_of(result);
    if (describe_violation(result, state, ret_violation))
        return OK;
    for (size_t i = 0; i < LENGTH(states); i++) {
        if (strncmp(state, states[i].state, strlen(states[i].state)) == 0 && states[i].failure != &fault_internal)
            return states[i].failure;
    }
    /* libpq's own errors (the connection broke) have no state. */
    if (state[0] == '\0')
        return &fault_unavailable;
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    log_line(LOG_ERROR, "statement_failed", "%s failed with %s: %s", statement, state, message == NULL ? "" : message);
    return &fault_internal;
}

error
fault_of_params(const struct params *params, enum sql statement, struct params_in_order *ret_ordered)
{
    const char *name = sql_rows[statement].name;
    if (params != NULL && params->missing != PARAM_NONE)
        log_line(LOG_ERROR, "identifier_missing", "%s was to be run without the identifier :%s", name,
                 param_names[params->missing]);
    else if (!params_order(params, statement, ret_ordered))
        log_line(LOG_ERROR, "parameters_wrong", "%s was to be run with other parameters than it takes; not bound: %s",
                 name, param_names[params_not_bound(params, statement)]);
    else
        return OK;
    return &fault_internal;
}

bool
fault_ends_connection(const PGresult *result)
{
    const char *state = result == NULL ? "" : state_of(result);
    if (state[0] == '\0')
        return true;
    for (size_t i = 0; i < LENGTH(states); i++) {
        if (strncmp(state, states[i].state, strlen(states[i].state)) == 0)
            return states[i].ends_connection;
    }
    return false;
}

void
fault_log_connection(const PGconn *pg, const char *what)
{
    static _Atomic int64_t last_ms;
    int64_t now = clock_steady_ms(), before = atomic_load(&last_ms);
    if (now - before < 1000 && before != 0)
        return;
    if (!atomic_compare_exchange_strong(&last_ms, &before, now))
        return;
    /* The first line says it; the others guess. */
    const char *message = pg == NULL ? "no memory" : PQerrorMessage(pg);
    log_line(LOG_WARNING, "database_lost", "%s: %.*s", what, (int)strcspn(message, "\n"), message);
}
