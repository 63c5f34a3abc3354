/* SPDX-License-Identifier: Apache-2.0 */
/* The public keys of OpenID Connect providers: a worker fetches them, so that no request ever waits for somebody else's server. */
#ifndef JOB_PROVIDER_KEYS_H
#define JOB_PROVIDER_KEYS_H

#include "base/egress.h"

enum { PROVIDER_ANSWER_MAX_BYTES = 256 * 1024 };

/* One GET over HTTPS behind the guard of base/egress.h: a body of at most PROVIDER_ANSWER_MAX_BYTES with status 200. False with a
 * sentence otherwise. */
typedef bool document_fetcher(struct arena *arena, const struct egress_allowed *allowed, const char *ca_file, str url,
                              str *ret_body, str *ret_why);

/* The list of keys of an issuer, as JSON: its discovery document says where they are. False with a sentence. */
MUST_USE bool provider_keys_fetch(struct arena *arena, document_fetcher *fetch, const struct egress_allowed *allowed,
                                  const char *ca_file, str issuer, str *ret_keys, str *ret_why);

#endif
