/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: who may change things on the operator's address, and what they changed. Transactions are the service's own. */
#ifndef STORE_OPERATOR_OPERATOR_H
#define STORE_OPERATOR_OPERATOR_H

#include "store/store.h"

enum { OPERATOR_NAME_MAX = 63 };

/* *ret_expires is empty when there is one of that name. */
MUST_USE error store_operator_add(struct tx *tx, id operator_id, str name, str token_hash, int64_t days,
                                  str *ret_expires);
MUST_USE error store_operator_remove(struct tx *tx, str name, bool *ret_is_there);
/* A JSON list. */
MUST_USE error store_operator_list(struct store *store, struct arena *arena, str *ret_list);

struct operator_row {
    bool is_found; /* and its token has not expired */
    id id;
    str name;
};
MUST_USE error store_operator_by_hash(struct store *store, struct arena *arena, str token_hash,
                                      struct operator_row *ret_row);

/* What somebody changes; in its transaction, while that is the service's. */
struct operator_action {
    str operator_name, operation, target;
    str request;             /* JSON; empty: nothing was sent */
    str address, request_id; /* empty: at the command line of a node */
};
MUST_USE error store_operator_action_add(struct tx *tx, const struct operator_action *action);

/* ---- What operators remove. False in *ret_is_there: there is none; true in *ret_is_used: something uses it. ---- */
MUST_USE error store_provider_remove(struct tx *tx, str name, bool *ret_is_there, bool *ret_is_used);
MUST_USE error store_region_remove(struct tx *tx, str provider, str name, bool *ret_is_there, bool *ret_is_used);
MUST_USE error store_instance_size_remove(struct tx *tx, str name, bool *ret_is_there, bool *ret_is_used);

/* `kind` is org, project or user. *ret_organization is zero for a person. */
MUST_USE error store_limit_owner(struct store *store, struct arena *arena, str kind, id owner, bool *ret_is_there,
                                 id *ret_organization);

#endif
