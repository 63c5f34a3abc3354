/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libpq reports, in the words of base/error.h. The errors made here are constants: they need no memory and never
 * expire. Only for store/.
 */
#ifndef STORE_FAULT_H
#define STORE_FAULT_H

#include <libpq-fe.h>

#include "store/params.h"
#include "store/store.h"

extern const struct failure fault_unavailable, fault_overloaded, fault_internal, fault_concurrent,
    fault_outcome_unknown;

/*
 * The error of a result that failed. What is a bug is logged with the statement's name, without the values in it.
 * With ret_violation a broken constraint is described there and the result is OK.
 */
MUST_USE error fault_of_result(const PGresult *result, const char *statement, struct violation *ret_violation);
/* INTERNAL_ERROR, logged, when an identifier of the statement is missing, or it takes other parameters; else they are put in order. NULL: none were bound. */
MUST_USE error fault_of_params(const struct params *params, enum sql statement, struct params_in_order *ret_ordered);
/* Whether the server ended the use of this connection, although it may still be open: shutdown, failover. */
bool fault_ends_connection(const PGresult *result);
/* Logs why a connection could not be made or was lost, at most once a second in a process. */
void fault_log_connection(const PGconn *pg, const char *what);

#endif
