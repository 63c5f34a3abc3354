/* SPDX-License-Identifier: Apache-2.0 */
/* Removes temporary database users, temporary entries of access lists and sessions of support staff when their time is over. */
#include "job/kinds.h"
#include "store/access/access.h"

static error
remove_expired(struct sweep_context *context)
{
    struct access_expired expired[ACCESS_EXPIRED_MAX];
    size_t count;
    do {
        TRY(store_access_expired(context->store, context->arena, expired, &count));
        for (size_t i = 0; i < count; i++) {
            enum event_type type = str_is(expired[i].kind, "databaseUser")     ? EVENT_DATABASE_USER_EXPIRED
                                   : str_is(expired[i].kind, "supportSession") ? EVENT_SUPPORT_SESSION_CLOSED
                                                                               : EVENT_NETWORK_ENTRY_EXPIRED;
            bool removed;
            TRY(store_access_expire(context->store, context->arena, &expired[i], type, &removed));
        }
    } while (count == ACCESS_EXPIRED_MAX);
    return OK;
}

const struct sweep expired_access_sweep = {
    .name = "expired-access",
    .doc = "Removes temporary database users, access list entries and sessions of support staff whose time is over.",
    .every_s = 1,
    .run = remove_expired,
};
