/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets of other services that tenants gave us: stored sealed beside a document that shows masks instead, and bound
 * to their place.
 */
#ifndef BASE_GIVEN_SECRET_H
#define BASE_GIVEN_SECRET_H

#include <jansson.h>

#include "base/crypto/crypto.h"
#include "base/id.h"

/* Keys are derived for these, and the secrets of one resource are bound to its place. */
#define LOG_TARGET_KEY_PURPOSE    "log integration v1"
#define EXPORT_BUCKET_KEY_PURPOSE "export bucket v1"
#define KEY_SERVICE_KEY_PURPOSE   "key service v1"
str given_secret_place(struct arena *arena, const char *kind, id resource);

/* "****" and the last four characters; of a short one none. */
str given_secret_mask(struct arena *arena, str secret);
bool given_secret_is_mask(str text);

/* An object with secrets as a text that can be stored; empty without memory. */
str given_secret_seal(struct arena *arena, const struct key *key, str place, const json_t *secrets);
/* NULL without memory, or when it is not to be opened. */
json_t *given_secret_open(struct arena *arena, const struct key *key, str place, str sealed);

#endif
