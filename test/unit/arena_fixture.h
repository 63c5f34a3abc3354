/* SPDX-License-Identifier: Apache-2.0 */
/* check.h, and an arena: for a whole program (cmocka_run_group_tests) or for each of its tests. */
#ifndef TEST_UNIT_ARENA_FIXTURE_H
#define TEST_UNIT_ARENA_FIXTURE_H

#include "check.h"

#include "base/arena.h"

enum { FIXTURE_ARENA_MB = 256 }; /* address space: only what is used becomes memory */

static struct arena *arena;

static int
open_arena(void **state)
{
    (void)state;
    arena = arena_new((size_t)FIXTURE_ARENA_MB << 20);
    return arena == NULL;
}

static int
close_arena(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

#endif
