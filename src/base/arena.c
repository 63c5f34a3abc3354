/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A request that waits with its headers takes 3.6 KiB and fits into the first block; an ordinary one, answer included, into three. */
enum { FIRST_BLOCK_BYTES = 4 * 1024, LARGEST_BLOCK_BYTES = 256 * 1024 };

struct block {
    struct block *older;
    size_t size, used;
    alignas(max_align_t) unsigned char bytes[];
};

struct disposer {
    struct disposer *older;
    void (*dispose)(void *);
    void *thing;
};

struct arena {
    struct block *newest;
    struct disposer *disposers;
    size_t cap, taken, next_block;
    bool exhausted;
};

struct arena *
arena_new(size_t cap_bytes)
{
    struct arena *arena = calloc(1, sizeof(*arena));
    if (arena == NULL)
        return NULL;
    arena->cap = cap_bytes;
    arena->next_block = FIRST_BLOCK_BYTES;
    return arena;
}

void
arena_free(struct arena *arena)
{
    if (arena == NULL)
        return;
    for (struct disposer *d = arena->disposers; d != NULL; d = d->older)
        d->dispose(d->thing);
    for (struct block *b = arena->newest, *older; b != NULL; b = older) {
        older = b->older;
        free(b);
    }
    free(arena);
}

static struct block *
add_block(struct arena *arena, size_t at_least)
{
    size_t size = arena->next_block > at_least ? arena->next_block : at_least;
    if (size > SIZE_MAX - sizeof(struct block))
        return NULL;
    struct block *block = malloc(sizeof(*block) + size);
    if (block == NULL)
        return NULL;
    block->size = size;
    block->used = 0;
    block->older = arena->newest;
    arena->newest = block;
    if (arena->next_block < LARGEST_BLOCK_BYTES)
        arena->next_block *= 2;
    return block;
}

void *
arena_alloc_unset(struct arena *arena, size_t bytes)
{
    if (bytes == 0)
        bytes = 1;
    size_t rounded = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (rounded < bytes || rounded > arena->cap - arena->taken) {
        arena->exhausted = true;
        return NULL;
    }
    struct block *block = arena->newest;
    if (block == NULL || block->size - block->used < rounded) {
        block = add_block(arena, rounded);
        if (block == NULL) {
            arena->exhausted = true;
            return NULL;
        }
    }
    void *memory = block->bytes + block->used;
    block->used += rounded;
    arena->taken += rounded;
    return memory;
}

void *
arena_alloc(struct arena *arena, size_t bytes)
{
    void *memory = arena_alloc_unset(arena, bytes);
    /* Here and not for a whole block: most of a block is never used. */
    return memory == NULL ? NULL : memset(memory, 0, bytes == 0 ? 1 : bytes);
}

bool
arena_on_free(struct arena *arena, void (*dispose)(void *), void *thing)
{
    struct disposer *d = ARENA_NEW(arena, struct disposer);
    if (d == NULL) {
        dispose(thing);
        return false;
    }
    *d = (struct disposer){ .older = arena->disposers, .dispose = dispose, .thing = thing };
    arena->disposers = d;
    return true;
}

bool
arena_is_exhausted(const struct arena *arena)
{
    return arena->exhausted;
}

size_t
arena_used_bytes(const struct arena *arena)
{
    return arena->taken;
}

void
arena_cleanup(struct arena **arena)
{
    arena_free(*arena);
}
