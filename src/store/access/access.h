/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may connect to a project's clusters. Database users, roles, networks and authorities are resources; each change
 * increases one number of the project, and a change is in force when every member has reached that number.
 */
#ifndef STORE_ACCESS_ACCESS_H
#define STORE_ACCESS_ACCESS_H

#include <jansson.h>

#include "store/event/event.h"
#include "store/store.h"

/*
 * Increases the project's number and wakes the agents of its members. Locks rows that other projects on the same hosts
 * need, too: call it late in the transaction.
 */
MUST_USE error store_access_touch(struct tx *tx, id project, int64_t *ret_generation);

/* The inherited roles of every custom role of a project, by its name. */
MUST_USE error store_access_inherited(struct tx *tx, struct arena *arena, id project, json_t **ret_inherited);
/* The name of a user or role that has this custom role; empty when there is none. */
MUST_USE error store_access_role_holder(struct tx *tx, id project, str role, str *ret_holder);

/* ---- For the worker: temporary users and entries ---- */
enum { ACCESS_EXPIRED_MAX = 100 };
struct access_expired {
    id organization, project, resource;
    str kind, name;
};
MUST_USE error store_access_expired(struct store *store, struct arena *arena,
                                    struct access_expired ret_expired[ACCESS_EXPIRED_MAX], size_t *ret_count);
/* Removes it with an event of that type, in its own transaction; does nothing when it is gone or was extended. */
MUST_USE error store_access_expire(struct store *store, struct arena *arena, const struct access_expired *expired,
                                   enum event_type type, bool *ret_removed);

#endif
