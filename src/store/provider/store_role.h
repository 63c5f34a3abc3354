/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roles in the operator's object stores: where one project may write, with which keys (docs/internals/provider-roles.md). Operators make
 * them; a project assumes one by its name and the external id that it was made for. Keys come and go sealed.
 */
#ifndef STORE_PROVIDER_STORE_ROLE_H
#define STORE_PROVIDER_STORE_ROLE_H

#include "store/store.h"

#define PROVIDER_ROLE_KIND "providerRole" /* of resources: the half that a project has */

struct store_role {
    id id;
    str store, name;
    str bucket, prefix; /* the prefix is empty, or ends with a slash */
    str external_id;
    str sealed_keys;
    str endpoint, region, authority; /* of its store */
};

/* To what its keys are bound, as the owner of object_store_keys_seal(). No store has a slash in its name. */
str store_role_place(struct arena *arena, id role);
/* The name by which a project assumes it, as routines/store_role_arn.sql makes it. */
str store_role_arn(struct arena *arena, const struct store_role *role);

/* ---- What operators do ---- */
/* False when there is one of that name, or backups or another project's role are where it would write. */
MUST_USE error store_role_add(struct tx *tx, const struct store_role *draft, bool *ret_added);
/* A JSON list; of one role when `name` is not empty. */
MUST_USE error store_role_list(struct store *store, struct arena *arena, str of_store, str name, str *ret_json);
MUST_USE error store_role_get(struct tx *tx, str of_store, str name, bool *ret_is_there, struct store_role *ret_role);
MUST_USE error store_role_change(struct tx *tx, const struct store_role *changed);
MUST_USE error store_role_remove(struct tx *tx, str of_store, str name, bool *ret_is_there);
/* Whether a project has a role with this external id. */
MUST_USE error store_role_has_owner(struct store *store, struct arena *arena, str external_id, bool *ret_has);

/* ---- What projects do ---- */
/* Its id, and where it writes; false in *ret_found when there is none of that name, or it is for another external id. */
MUST_USE error store_role_assume(struct tx *tx, str arn, str external_id, bool *ret_found, struct store_role *ret_role);
/* A JSON list of what uses a project's role. */
MUST_USE error store_provider_role_used(struct tx *tx, id project, str role, str *ret_json);

#endif
