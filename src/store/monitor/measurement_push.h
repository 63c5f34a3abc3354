/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements that are sent to a service of the tenant: whose turn it is, and how far sending came with each member. */
#ifndef STORE_MONITOR_MEASUREMENT_PUSH_H
#define STORE_MONITOR_MEASUREMENT_PUSH_H

#include "store/store.h"

struct push_target {
    id integration, project;
};
enum { PUSH_DUE_MAX = 16 };
MUST_USE error store_push_due(struct store *store, struct arena *arena, struct push_target ret_due[PUSH_DUE_MAX],
                              size_t *ret_count);

struct push_claim {
    struct push_target target;
    int64_t epoch; /* of the lease: a holder of an older one cannot write any more */
    int64_t failures;
    int64_t since_ms; /* what was measured before is not sent */
};
/* False when somebody else has it. This and the following ones are transactions of their own. */
MUST_USE error store_push_claim(struct store *store, struct arena *arena, struct push_target target, int64_t lease_s,
                                int64_t retry_ms, bool *ret_claimed, struct push_claim *ret_claim);

struct push_member {
    id member;
    str cluster, hostname;
    str tags;                 /* JSON: [{"key", "value"}, …]; may be empty */
    int64_t sent_ms, seen_ms; /* 0: it was never looked at */
};
/* Those that wait longest first. */
MUST_USE error store_push_members(struct store *store, struct arena *arena, struct push_target target,
                                  struct push_member **ret_members, size_t *ret_count);

struct push_progress {
    str places;         /* JSON: [{"member", "sent_ms", "seen_ms"}, …] */
    int64_t sent, late; /* points since the last time */
    int status;         /* 0: nothing had to be sent */
};
/* False when the lease is lost. */
MUST_USE error store_push_sent(struct store *store, struct arena *arena, const struct push_claim *claim,
                               const struct push_progress *progress, int64_t lease_s, bool *ret_kept);
/* Both give it back until `retry_ms` from now. */
MUST_USE error store_push_failed(struct store *store, struct arena *arena, const struct push_claim *claim, int status,
                                 str why, int64_t retry_ms);
MUST_USE error store_push_release(struct store *store, struct arena *arena, const struct push_claim *claim,
                                  int64_t retry_ms);

#endif
