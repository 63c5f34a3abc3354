/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that this process has seen, each for a time. Of fixed size: when a place is full, the text that would be
 * forgotten first makes way. Holds digests, never the texts.
 */
#ifndef LIMIT_ONCE_H
#define LIMIT_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/crypto/crypto.h"

struct once;

MUST_USE struct once *once_new(void);
void once_free(struct once *once);

/* True, and remembered until `until_ms`, when the digest is not known at `now_ms`. */
bool once_is_first(struct once *once, const uint8_t digest[SHA256_BYTES], int64_t now_ms, int64_t until_ms);

#endif
