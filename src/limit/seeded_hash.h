/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash for tables whose keys strangers choose (addresses). The seed is random in every process, so nobody can choose
 * many keys that fall into one place.
 */
#ifndef LIMIT_SEEDED_HASH_H
#define LIMIT_SEEDED_HASH_H

#include <stdint.h>
#include <string.h>

struct hash_seed {
    uint64_t a, b;
};

static inline uint64_t
seeded_hash_mix(uint64_t x, uint64_t y)
{
    unsigned __int128 product = (unsigned __int128)x * y;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Of 16 bytes and a small number. */
static inline uint64_t
seeded_hash(const struct hash_seed *seed, const uint8_t bytes[16], uint64_t number)
{
    uint64_t first, second;
    memcpy(&first, bytes, sizeof(first));
    memcpy(&second, bytes + sizeof(first), sizeof(second));
    uint64_t hash = seeded_hash_mix(first ^ seed->a, second ^ seed->b);
    return seeded_hash_mix(hash ^ seed->a, (number + 0x9E3779B97F4A7C15u) ^ seed->b);
}

#endif
