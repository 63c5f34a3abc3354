/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the snapshot, and how one is made from a row. Each is one block of memory. */
#ifndef AUTH_ENTRY_H
#define AUTH_ENTRY_H

#include "auth/cache.h"
#include "auth/snapshot.h"

struct principal_entry {
    struct cached cached;
    struct principal principal;
    bool has_secret;
    struct digest_secret secret;
};

struct facts_entry {
    struct cached cached;
    struct context_facts facts;
};

/*
 * A public key never changes its owner, so this needs no invalidation. Whether the owner still exists is a separate
 * entry.
 */
struct key_entry {
    struct cached cached;
    id principal;
};

struct session_entry {
    struct cached cached;
    struct session_facts facts;
};

/* From one row of auth_principal_load. */
MUST_USE error entry_of_principal(struct arena *arena, const struct rows *rows, const struct key *data_key_sealing,
                                  int64_t began_at_ms, struct principal_entry **ret_entry);
/* From one row of auth_organization_facts, auth_project_facts or auth_user_facts. */
MUST_USE error entry_of_facts(struct arena *arena, const struct rows *rows, int64_t began_at_ms,
                              struct facts_entry **ret_entry);
/* From one row of session_load. */
MUST_USE error entry_of_session(struct arena *arena, const struct rows *rows, int64_t began_at_ms,
                                struct session_entry **ret_entry);
/* NULL without memory. */
MUST_USE struct key_entry *entry_of_key(id principal, int64_t began_at_ms);

#endif
