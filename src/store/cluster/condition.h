/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The condition of the control database and of what it knows about, for `reeved check`. Needs no store: each makes its
 * own connection.
 */
#ifndef STORE_CLUSTER_CONDITION_H
#define STORE_CLUSTER_CONDITION_H

#include "store/store.h"

/* Each is one JSON object; the statement of the same name says what is in it. Works with any schema, also an empty one. */
MUST_USE error store_condition_server(const char *dsn, struct arena *arena, str *ret_json);
/* Needs a schema that is current. */
MUST_USE error store_condition_service(const char *dsn, struct arena *arena, str *ret_json);

/* One of the hosts that a connection string names, and its port; false when there are no more. */
MUST_USE bool store_condition_place(const char *dsn, unsigned which, struct arena *arena, const char **ret_host,
                                    const char **ret_port);

#endif
