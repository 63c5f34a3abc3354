/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/attributes.h"
#include "base/backoff.h"

static const struct backoff pace = { .first_ms = 100, .most_ms = 1000 };

static void
it_doubles_up_to_the_bound(void **state)
{
    (void)state;
    static const int64_t whole[] = { 100, 200, 400, 800, 1000, 1000 };
    for (size_t failures = 0; failures < LENGTH(whole); failures++) {
        for (int i = 0; i < 200; i++)
            assert_in_range(backoff_ms(pace, (int64_t)failures), whole[failures] / 2, whole[failures]);
    }
    assert_in_range(backoff_ms(pace, INT64_MAX), 500, 1000);
}

/* Those that failed together must not come back together. */
static void
it_differs_from_one_to_the_next(void **state)
{
    (void)state;
    int64_t first = backoff_ms(pace, 4);
    int others = 0;
    for (int i = 0; i < 50; i++)
        others += backoff_ms(pace, 4) != first;
    assert_true(others > 25);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_doubles_up_to_the_bound),
        cmocka_unit_test(it_differs_from_one_to_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
