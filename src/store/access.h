/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may connect to a project's clusters. Database users, roles, networks and authorities are resources; one number of the
 * project moves with each change of them, and a change is in force when every member has reached its number.
 */
#ifndef STORE_ACCESS_H
#define STORE_ACCESS_H

#include "store/store.h"

/* Moves the project's number and wakes the agents of its members. Locks rows that other projects on the same hosts need as
 * well: call it late in the transaction. */
MUST_USE error store_access_touch(struct tx *tx, id project, int64_t *ret_generation);

#endif
