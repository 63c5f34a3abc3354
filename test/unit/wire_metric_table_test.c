/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "wire/metric_table.h"

/* Changes only together with metrics that were added at the end: what is stored is stored by these numbers. */
enum { PINNED_ROWS = 87 };
static const uint64_t pinned_hash = UINT64_C(0x21d26e69ad31ae75);

static uint64_t
hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return (hash ^ '|') * UINT64_C(1099511628211);
}

static void
rows_are_never_moved_nor_given_another_meaning(void **state)
{
    (void)state;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < PINNED_ROWS; i++) {
        const struct metric *metric = &metric_table[i];
        hash = hash_text(hash_text(hash, metric->name), metric->units);
        hash = hash_text(hash, metric->kind == METRIC_COUNTER ? "counter" : "gauge");
        hash = hash_text(hash, (char[]){ metric_scope_letter(metric->scope), '\0' });
    }
    assert_int_equal(METRIC_COUNT, PINNED_ROWS);
    assert_int_equal(hash, pinned_hash);
}

static void
every_name_is_there_once_and_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        assert_ptr_equal(metric_find(str_from(metric_table[i].name)), &metric_table[i]);
        assert_int_equal(metric_table[i].number, i);
    }
    assert_null(metric_find(STR("FTS_DISK_USAGE")));
    assert_null(metric_find(STR("CONNECTION")));
    assert_null(metric_find(STR_EMPTY));
}

static void
units_are_those_of_the_api(void **state)
{
    (void)state;
    static const char *const units[] = { "BYTES",   "BYTES_PER_SECOND",  "MILLISECONDS", "PERCENT",
                                         "SECONDS", "SCALAR_PER_SECOND", "SCALAR",       NULL };
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        str of_metric = str_from(metric_table[i].units);
        assert_true(str_word(of_metric, units) >= 0);
        if (str_ends_with(of_metric, STR("_PER_SECOND")))
            assert_int_equal(metric_table[i].kind, METRIC_COUNTER);
    }
}

static void
every_scope_has_its_letter(void **state)
{
    (void)state;
    for (int scope = 0; scope < METRIC_SCOPES; scope++) {
        enum metric_scope found = METRIC_SCOPES;
        assert_true(metric_scope_of_letter(metric_scope_letter((enum metric_scope)scope), &found));
        assert_int_equal(found, scope);
    }
    enum metric_scope untouched = METRIC_SCOPES;
    assert_false(metric_scope_of_letter('x', &untouched));
    assert_int_equal(untouched, METRIC_SCOPES);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_never_moved_nor_given_another_meaning),
        cmocka_unit_test(every_name_is_there_once_and_is_found),
        cmocka_unit_test(units_are_those_of_the_api),
        cmocka_unit_test(every_scope_has_its_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
