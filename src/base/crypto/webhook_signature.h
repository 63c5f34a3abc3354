/* SPDX-License-Identifier: Apache-2.0 */
/* How a webhook's secret is kept, and how its deliveries are signed: what the API and the worker have in common. */
#ifndef BASE_CRYPTO_WEBHOOK_SIGNATURE_H
#define BASE_CRYPTO_WEBHOOK_SIGNATURE_H

#include "base/crypto/crypto.h"
#include "base/id.h"

#define WEBHOOK_KEY_PURPOSE "webhook secret v1"

MUST_USE bool webhook_seal_secret(struct arena *arena, const struct key *key, id webhook, str secret, str *ret_sealed);
MUST_USE bool webhook_open_secret(struct arena *arena, const struct key *key, id webhook, str sealed, str *ret_secret);

/* "v1=" and the digits of HMAC-SHA-256 over "<timestamp>.<body>", keyed with the text of the secret. Empty without memory. */
str webhook_signature(struct arena *arena, str secret, int64_t timestamp_s, str body);

#endif
