/* SPDX-License-Identifier: Apache-2.0 */
/* What is in memory of callers and contexts levels off. R8: a worker grew for as long as new projects were made, used and deleted. */
#include "check.h"

#include <stdlib.h>

#include "auth/cache.h"

enum { CAP = 100000, VALUES = 50000, STEP_MS = 50 };

static void
dispose(struct cached *value)
{
    free(value);
}

static bool
always(void *context)
{
    (void)context;
    return true;
}

static void
put(struct cache *cache, id key, int64_t loaded_at_ms)
{
    struct cached *value = calloc(1, sizeof(*value));
    assert_non_null(value);
    atomic_init(&value->references, 1);
    value->loaded_at_ms = loaded_at_ms;
    value->dispose = dispose;
    cache_put(cache, key, value, always, NULL);
    cached_release(value);
}

static void
values_that_nobody_would_believe_go_as_others_come(void **state)
{
    (void)state;
    struct cache *cache = cache_new(CAP);
    size_t most = 0;
    for (int i = 0; i < VALUES; i++) {
        put(cache, id_new(1), (int64_t)i * STEP_MS);
        most = cache_count(cache) > most ? cache_count(cache) : most;
    }
    /* Twice those of two minutes, and what shards differ by. */
    size_t expected = 2 * CACHE_OLD_MS / STEP_MS;
    if (most > expected * 5 / 4)
        fail_msg("there were up to %zu values, not %zu", most, expected);
    cache_free(cache);
}

static void
value_that_is_used_and_young_stays(void **state)
{
    (void)state;
    struct cache *cache = cache_new(CAP);
    id kept = id_new(1);
    for (int i = 0; i < VALUES; i++) {
        if (i % 1000 == 0) /* every 50 s it is loaded again, as one is that is asked for */
            put(cache, kept, (int64_t)i * STEP_MS);
        put(cache, id_new(1), (int64_t)i * STEP_MS);
        struct cached *value = cache_get(cache, kept);
        assert_non_null(value);
        cached_release(value);
    }
    cache_free(cache);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_nobody_would_believe_go_as_others_come),
        cmocka_unit_test(value_that_is_used_and_young_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
