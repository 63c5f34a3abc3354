/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts how often something happened in a span of time that begins with the first: wrong tries of an address, or on a
 * credential. Local to the process and of fixed size: when it is full, keys with the lowest counts are dropped.
 */
#ifndef LIMIT_GUARD_H
#define LIMIT_GUARD_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/str.h"

struct guard;

enum { GUARD_KEY_BYTES = 16 };
struct guard_key {
    uint8_t bytes[GUARD_KEY_BYTES];
};
/* Of two texts; any bytes. */
struct guard_key guard_key_of(str first, str second);

/* `most` of 0 or less: the guard never refuses. NULL without memory. */
MUST_USE struct guard *guard_new(int most, int64_t window_ms);
void guard_free(struct guard *guard);

void guard_count(struct guard *guard, struct guard_key key, int64_t now_ms);
/* In the span that goes on; at most `most`. */
int guard_counted(struct guard *guard, struct guard_key key, int64_t now_ms);
/* 0, or the seconds until the end of the span of a key that was counted `most` times. */
int guard_wait_s(struct guard *guard, struct guard_key key, int64_t now_ms);

#endif
