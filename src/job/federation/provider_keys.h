/* SPDX-License-Identifier: Apache-2.0 */
/* The public keys of OpenID Connect providers, and where their pages are: a worker fetches both, so that nobody who signs in waits for somebody else's server to say it. */
#ifndef JOB_FEDERATION_PROVIDER_KEYS_H
#define JOB_FEDERATION_PROVIDER_KEYS_H

#include "base/net/post.h"

/* The list of keys of an issuer, as JSON: its discovery document says where they are. *ret_pages is where people are sent and where their codes are taken; empty
 * when it has no pages that can be used here. False with a sentence. */
MUST_USE bool provider_keys_fetch(struct arena *arena, document_fetcher *fetch, const struct egress_allowed *allowed,
                                  const char *ca_file, str issuer, str *ret_keys, str *ret_pages, str *ret_why);

#endif
