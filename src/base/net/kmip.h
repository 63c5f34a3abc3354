/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tenant's key service, asked over TLS with a certificate of the tenant's: it wraps and unwraps keys with a key that never leaves it. Where it is was said by
 * a tenant, so it is reached under the rules of base/net/egress.h, and one sentence says everything about a service that is not reached.
 */
#ifndef BASE_NET_KMIP_H
#define BASE_NET_KMIP_H

#include "base/net/egress.h"
#include "base/net/kmip_message.h"

enum { KMIP_PORT = 5696, KMIP_WRAPPED_MOST_BYTES = 1024 };

struct kmip_service {
    str host;
    int port;
    str authority, certificate, key; /* PEM; the last is never logged */
};

/*
 * Bytes, no more than a key is; all within `limit_ms` after the name was looked up. What is wrapped contains what is needed beside the key, and was unwrapped
 * again before it is given: it leads back to what was there.
 */
MUST_USE enum kmip_outcome kmip_wrap(struct arena *arena, const struct egress_allowed *allowed,
                                     const struct kmip_service *service, str key, str plain, int64_t limit_ms,
                                     str *ret_wrapped, str *ret_why);
/* Who asked wipes what is unwrapped. */
MUST_USE enum kmip_outcome kmip_unwrap(struct arena *arena, const struct egress_allowed *allowed,
                                       const struct kmip_service *service, str key, str wrapped, int64_t limit_ms,
                                       str *ret_plain, str *ret_why);
/* Whether both can be done with a key. */
MUST_USE enum kmip_outcome kmip_try(struct arena *arena, const struct egress_allowed *allowed,
                                    const struct kmip_service *service, str key, int64_t limit_ms, str *ret_why);

#endif
