/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets of other services that tenants gave: kept sealed beside a document that shows masks in their place, and bound to the
 * place where they are kept.
 */
#ifndef JOB_KEPT_H
#define JOB_KEPT_H

#include <jansson.h>

#include "base/crypto.h"

/* "****" and the last four characters; of a short one none. */
str kept_mask(struct arena *arena, str secret);
bool kept_is_mask(str text);

/* An object with secrets as a text that can be stored; empty without memory. */
str kept_seal(struct arena *arena, const struct key *key, str place, const json_t *secrets);
/* NULL without memory, or when it is not to be opened. */
json_t *kept_open(struct arena *arena, const struct key *key, str place, str sealed);

#endif
