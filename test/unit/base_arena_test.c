/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdalign.h>
#include <string.h>

#include "base/arena.h"

static int order[8], disposed;

static void
note(void *thing)
{
    order[disposed++] = *(int *)thing;
}

static void
memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    for (size_t bytes = 0; bytes < 300; bytes++) {
        unsigned char *memory = arena_alloc(arena, bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % alignof(max_align_t), 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, bytes);
    }
    arena_free(arena);
}

static void
cap_is_held_and_remembered(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1024);
    assert_null(arena_alloc(arena, 1025));
    assert_true(arena_is_exhausted(arena));
    arena_free(arena);
    arena = arena_new(1024);
    assert_non_null(arena_alloc(arena, 1024));
    assert_false(arena_is_exhausted(arena));
    assert_int_equal(arena_used_bytes(arena), 1024);
    assert_null(arena_alloc(arena, 1));
    assert_true(arena_is_exhausted(arena));
    arena_free(arena);
}

static void
absurd_size_is_refused_and_does_not_wrap_around(void **state)
{
    (void)state;
    struct arena *arena = arena_new((size_t)1 << 40);
    assert_null(arena_alloc(arena, SIZE_MAX));
    assert_null(arena_alloc(arena, SIZE_MAX - 64));
    size_t count = SIZE_MAX / 4 + 2; /* times sizeof(long) it wraps around to a small number */
    assert_null(ARENA_ARRAY(arena, long, count));
    arena_free(arena);
}

static void
large_pieces_get_blocks_of_their_own(void **state)
{
    (void)state;
    struct arena *arena = arena_new(64 << 20);
    unsigned char *first = arena_alloc(arena, 10), *large = arena_alloc(arena, 4 << 20), *last = arena_alloc(arena, 10);
    assert_true(first != NULL && large != NULL && last != NULL);
    memset(large, 1, 4 << 20);
    assert_int_equal(first[0], 0);
    assert_int_equal(last[0], 0);
    arena_free(arena);
}

static void
disposers_run_newest_first(void **state)
{
    (void)state;
    static int things[] = { 1, 2, 3 };
    struct arena *arena = arena_new(1 << 16);
    disposed = 0;
    for (int i = 0; i < 3; i++)
        assert_true(arena_on_free(arena, note, &things[i]));
    assert_int_equal(disposed, 0);
    arena_free(arena);
    assert_int_equal(disposed, 3);
    assert_int_equal(order[0], 3);
    assert_int_equal(order[2], 1);
}

static void
full_arena_disposes_at_once(void **state)
{
    (void)state;
    static int thing = 9;
    struct arena *arena = arena_new(8);
    disposed = 0;
    assert_false(arena_on_free(arena, note, &thing));
    assert_int_equal(disposed, 1);
    arena_free(arena);
    assert_int_equal(disposed, 1);
    arena_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(cap_is_held_and_remembered),
        cmocka_unit_test(absurd_size_is_refused_and_does_not_wrap_around),
        cmocka_unit_test(large_pieces_get_blocks_of_their_own),
        cmocka_unit_test(disposers_run_newest_first),
        cmocka_unit_test(full_arena_disposes_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
