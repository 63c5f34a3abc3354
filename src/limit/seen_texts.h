/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that this process has seen, each for a time. Of fixed size: when a place is full, the text that would expire
 * first is dropped. Stores digests, never the texts.
 */
#ifndef LIMIT_SEEN_TEXTS_H
#define LIMIT_SEEN_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/crypto/crypto.h"

struct seen_texts;

MUST_USE struct seen_texts *seen_texts_new(void);
void seen_texts_free(struct seen_texts *once);

/* True, and remembered until `until_ms`, when the digest is not known at `now_ms`. */
bool seen_texts_is_first(struct seen_texts *once, const uint8_t digest[SHA256_BYTES], int64_t now_ms, int64_t until_ms);

#endif
