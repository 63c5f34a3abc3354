/* SPDX-License-Identifier: Apache-2.0 */
/* What security contacts of organizations are to be told. A trigger notes it with the event (security_notice_of_event.sql); a worker sends it, at least once. */
#ifndef STORE_IDENTITY_SECURITY_NOTICE_H
#define STORE_IDENTITY_SECURITY_NOTICE_H

#include "store/store.h"

struct security_notice {
    id organization;
    str recipient;
    int64_t told_seq, last_seq; /* of the organization's events: from the one behind the first up to the last */
};
/* Each in a transaction of its own. *ret_found is false when nothing is due. */
MUST_USE error store_security_notice_claim(struct store *store, struct arena *arena, bool *ret_found,
                                           struct security_notice *ret_notice);
struct security_events {
    str organization; /* its name */
    str lines;        /* one for each of the first events */
    int64_t count;    /* of all */
};
MUST_USE error store_security_notice_events(struct store *store, struct arena *arena,
                                            const struct security_notice *notice, int64_t limit,
                                            struct security_events *ret_events);
MUST_USE error store_security_notice_told(struct store *store, struct arena *arena,
                                          const struct security_notice *notice);

#endif
