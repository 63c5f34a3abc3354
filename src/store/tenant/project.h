/* SPDX-License-Identifier: Apache-2.0 */
/* Projects. Every function takes the organization that the project must belong to. */
#ifndef STORE_TENANT_PROJECT_H
#define STORE_TENANT_PROJECT_H

#include <jansson.h>

#include "store/store.h"

struct project {
    str name;
    str settings; /* JSON */
    int64_t revision;
    int64_t cluster_count;
};

/* Locked until the transaction ends. RESOURCE_NOT_FOUND when it was deleted meanwhile. */
MUST_USE error store_project_lock(struct tx *tx, id organization, id project, struct project *ret_project);
/* DUPLICATE_NAME when another project of the organization has the name. */
MUST_USE error store_project_add(struct tx *tx, id organization, id project, str name, str settings);
MUST_USE error store_project_update(struct tx *tx, id organization, id project, str name, str settings);
/* With its resources and the roles granted in it. */
MUST_USE error store_project_delete(struct tx *tx, id organization, id project);
/* As the API shows it, inside the transaction that changed it. */
MUST_USE error store_project_document(struct tx *tx, id organization, id project, str *ret_document,
                                      int64_t *ret_revision);
/* To another organization, from the transaction's own; DUPLICATE_NAME when the name is taken there. */
MUST_USE error store_project_move(struct tx *tx, id project, id from, id to, str name);

/*
 * Call it before a project is deleted or moved: nothing can be added to it any more, and the credentials that lose
 * their roles in it get a new ETag.
 */
MUST_USE error store_project_lock_to_go(struct tx *tx, id organization, id project, struct project *ret_project);

/* Locks the projects of a JSON list of ids. *ret_has_room is false when one of them, in which the member has no role yet, has as
 * many people as its limit `name` (`fallback` by default) allows: *ret_most. */
MUST_USE error store_project_check_room(struct tx *tx, id organization, id member, const json_t *projects, str name,
                                        int64_t fallback, bool *ret_has_room, int64_t *ret_most);

/* The project's own value for a limit; without it the default applies. RESOURCE_NOT_FOUND when the organization has no such project. */
MUST_USE error store_project_limit_set(struct tx *tx, id organization, id project, str name, int64_t value);
MUST_USE error store_project_limit_remove(struct tx *tx, id organization, id project, str name);

/* How many jobs of the project wait for its maintenance window. */
MUST_USE error store_project_maintenance_waits(struct tx *tx, id project, int64_t *ret_count);

#endif
