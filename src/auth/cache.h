/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded map from identifiers to immutable, reference-counted values, for many readers and few writers. Finding
 * allocates nothing. A full shard drops the value that was unused for longest (second chance), and values that are too
 * old as new ones come.
 */
#ifndef AUTH_CACHE_H
#define AUTH_CACHE_H

#include <stdatomic.h>

#include "base/id.h"

/* The first member of every value. Made with one reference, its maker's. */
struct cached {
    atomic_uint references;
    int64_t loaded_at_ms; /* steady clock, when loading began */
    void (*dispose)(struct cached *value);
};

struct cache;

/* Twice the age at which a value is loaded again: an older one is never used. */
enum { CACHE_OLD_MS = 2 * 60 * 1000 };

MUST_USE struct cache *cache_new(size_t cap);
void cache_free(struct cache *cache);

/* NULL, or the value with a reference for the caller. */
MUST_USE struct cached *cache_get(struct cache *cache, id key);
/*
 * Keeps `value` (with its own reference) when `may_keep(context)` returns true. It is called while the shard is locked,
 * so that a later invalidation finds the value. A value whose loading began later stays.
 */
void cache_put(struct cache *cache, id key, struct cached *value, bool (*may_keep)(void *context), void *context);
void cache_remove(struct cache *cache, id key);
/* Walks through everything, a shard at a time. */
void cache_remove_if(struct cache *cache, bool (*is_gone)(const struct cached *value, const void *context),
                     const void *context);
size_t cache_count(struct cache *cache);

/* Takes `struct cached *`; its type fits arena_on_free(). */
void cached_release(void *value);

#endif
