/* SPDX-License-Identifier: Apache-2.0 */
/* The public keys of OpenID Connect providers: a worker fetches them, so that no request ever waits for somebody else's server. */
#ifndef JOB_FEDERATION_PROVIDER_KEYS_H
#define JOB_FEDERATION_PROVIDER_KEYS_H

#include "base/net/post.h"

/* The list of keys of an issuer, as JSON: its discovery document says where they are. False with a sentence. */
MUST_USE bool provider_keys_fetch(struct arena *arena, document_fetcher *fetch, const struct egress_allowed *allowed,
                                  const char *ca_file, str issuer, str *ret_keys, str *ret_why);

#endif
