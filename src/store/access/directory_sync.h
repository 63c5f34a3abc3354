/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of projects' directories: whose turn it is to be asked, and who is in them (docs/internals/access.md). */
#ifndef STORE_ACCESS_DIRECTORY_SYNC_H
#define STORE_ACCESS_DIRECTORY_SYNC_H

#include "store/store.h"

enum { DIRECTORY_SYNC_DUE_MAX = 16 };
/* Proven are those that answered quickly the last time. At most one of each organization. */
MUST_USE error store_directory_sync_due(struct store *store, struct arena *arena, bool proven,
                                        id ret_projects[DIRECTORY_SYNC_DUE_MAX], size_t *ret_count);

struct directory_claim {
    id project;
    int64_t epoch;    /* of the lease: a holder of an older one cannot write any more */
    int64_t failures; /* since all of it worked */
    int64_t changes;  /* of what is asked */
};
/* False when somebody else has it, or another one of its organization. A transaction of its own. */
MUST_USE error store_directory_sync_claim(struct store *store, struct arena *arena, id project, int64_t lease_s,
                                          int64_t retry_ms, bool *ret_claimed, struct directory_claim *ret_claim);

struct directory_task {
    id organization;
    id resource;  /* that the bind password is bound to */
    str document; /* of userSecurity, whole */
    str groups; /* [{"id", "name", "members", "skipped", "roles", "emptyFor"}, …], how many roles, and in seconds, or -1 */
    str names; /* {name: kind}: those of users and roles of the project */
};
MUST_USE error store_directory_sync_task(struct store *store, struct arena *arena, id project, bool *ret_found,
                                         struct directory_task *ret_task);

struct directory_result {
    str groups;  /* [{"id", "members", "skipped", "isEmpty"}, …]: those that are known now; the others stay */
    bool worked; /* all of it */
    int64_t took_ms, retry_ms;
    int64_t rest_ms; /* of one that is slow: it is not asked before that, whatever changes */
};
/* In the caller's transaction, which is the service's. Whether the groups were kept: not when the lease is lost, or
 * what was asked is not what would be asked now. */
MUST_USE error store_directory_sync_store(struct tx *tx, const struct directory_claim *claim,
                                          const struct directory_result *result, bool *ret_kept);

#endif
