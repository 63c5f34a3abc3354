/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that belongs to one request or one job step. An arena grows in blocks up to a cap that is set when it is made.
 * It is freed as a whole; nothing in it is freed alone. A resource outside of it (a query result, a connection) is tied
 * to it with arena_on_free().
 *
 * A full arena returns NULL and remembers it: code that builds text may go on with empty strings. The stages ask
 * arena_is_exhausted() before they answer, so that an incomplete answer is never sent.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

struct arena;

/* NULL only when the system has no memory. */
MUST_USE struct arena *arena_new(size_t cap_bytes);
/* Runs what arena_on_free() registered, newest first, then frees everything. NULL is allowed. */
void arena_free(struct arena *arena);

/* Zeroed, aligned for any type; NULL when the cap is reached. */
MUST_USE void *arena_alloc(struct arena *arena, size_t bytes);
/* The same, not zeroed: for a buffer that is written before it is read. */
MUST_USE void *arena_alloc_unset(struct arena *arena, size_t bytes);
#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), arena_array_bytes(sizeof(type), (count))))

/* When the product does not fit: more than any arena has. */
static inline size_t
arena_array_bytes(size_t size, size_t count)
{
    size_t bytes;
    return __builtin_mul_overflow(size, count, &bytes) ? (size_t)-1 : bytes;
}

/* False when the arena is full; then `dispose(thing)` was already called. */
MUST_USE bool arena_on_free(struct arena *arena, void (*dispose)(void *), void *thing);

bool arena_is_exhausted(const struct arena *arena);
size_t arena_used_bytes(const struct arena *arena);

/* For CLEANUP(): frees the arena that a local variable points to. */
void arena_cleanup(struct arena **arena);

#endif
