/* SPDX-License-Identifier: Apache-2.0 */
/* From points to steps: means, rises, restarts and gaps. */
#include "arena_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "monitor/steps.h"

enum { S = 1000, HOUR = 3600 * S, MOST = 4000 };
static const int64_t noon = 1794938400000; /* a full hour */

static struct sample points[MOST];
static struct step values[MOST];

static struct series
series_of(enum metric_number metric, size_t count)
{
    return (struct series){ .metric = &metric_table[metric], .count = count, .samples = points };
}

static struct steps
add_all(enum metric_number metric, size_t count, int64_t from, int64_t to, int64_t length)
{
    struct steps steps = steps_over(from, to, length);
    struct series series = series_of(metric, count);
    memset(values, 0, sizeof(values));
    assert_true(steps.count <= MOST);
    steps_add(&steps, &series, values);
    return steps;
}

static double
total(const struct steps *steps, enum metric_number metric)
{
    double sum = 0;
    for (size_t i = 0; i < steps->count; i++) {
        double value;
        int64_t begin = steps->start_ms + (int64_t)i * steps->length_ms, end = begin + steps->length_ms;
        if (steps_value(steps, &metric_table[metric], values, i, &value))
            sum += value * (double)((end < steps->end_ms ? end : steps->end_ms) - begin) / 1000;
    }
    return sum;
}

static void
steps_begin_at_multiples_and_the_last_may_be_cut(void **state)
{
    (void)state;
    struct steps steps = steps_over(noon + 61 * S, noon + 185 * S, 60 * S);
    assert_int_equal(steps.start_ms, noon + 60 * S);
    assert_int_equal(steps.count, 3);
    assert_int_equal(steps_over(noon, noon, 60 * S).count, 0);
    assert_int_equal(steps_over(noon, noon + 1, 60 * S).count, 1);
}

static void
gauge_is_the_mean_and_nothing_where_nothing_was(void **state)
{
    (void)state;
    double value;
    points[0] = (struct sample){ noon + 1 * S, 10 };
    points[1] = (struct sample){ noon + 31 * S, 20 };
    points[2] = (struct sample){ noon + 120 * S, 7 };
    struct steps steps = add_all(M_CONNECTIONS, 3, noon, noon + 180 * S, 60 * S);
    assert_true(steps_value(&steps, &metric_table[M_CONNECTIONS], values, 0, &value) && value == 15);
    assert_false(steps_value(&steps, &metric_table[M_CONNECTIONS], values, 1, &value));
    assert_true(steps_value(&steps, &metric_table[M_CONNECTIONS], values, 2, &value) && value == 7);
}

/* A counter with restarts and gaps at random: whatever the steps are, their sum is what was counted. */
static void
sum_over_steps_is_what_was_counted_at_every_length(void **state)
{
    (void)state;
    static const int64_t lengths[] = { 10 * S, 60 * S, 300 * S, HOUR, 24LL * HOUR };
    srandom(14);
    for (int round = 0; round < 200; round++) {
        size_t count = 0;
        double counted = 0, counter = 1000;
        int64_t at = noon - 5 * S;
        points[count++] = (struct sample){ at, counter };
        while (at < noon + 3 * HOUR) {
            at += random() % 20 == 0 ? (30 + random() % 500) * S : 10 * S;
            double more = (double)(random() % 1000);
            bool restarts = random() % 50 == 0 && more < counter; /* a fall is how a restart is known */
            counter = restarts ? more : counter + more;
            counted += more;
            points[count++] = (struct sample){ at, counter };
        }
        for (size_t i = 0; i < LENGTH(lengths); i++) {
            int64_t end = (at / lengths[i] + 1) * lengths[i]; /* one that is under way is only an estimate */
            struct steps steps = add_all(M_TRANSACTIONS_COMMITTED, count, noon, end, lengths[i]);
            assert_true(fabs(total(&steps, M_TRANSACTIONS_COMMITTED) - counted) < 1e-3);
        }
    }
}

static void
restart_is_never_negative_and_a_late_look_is_no_spike(void **state)
{
    (void)state;
    double value, most = 0;
    points[0] = (struct sample){ noon, 1000000 };
    points[1] = (struct sample){ noon + 10 * S, 1000100 };
    points[2] = (struct sample){ noon + 20 * S, 50 };    /* restarted */
    points[3] = (struct sample){ noon + 320 * S, 3050 }; /* nobody looked for five minutes */
    struct steps steps = add_all(M_TRANSACTIONS_COMMITTED, 4, noon, noon + 330 * S, 10 * S);
    for (size_t i = 0; i < steps.count; i++) {
        if (!steps_value(&steps, &metric_table[M_TRANSACTIONS_COMMITTED], values, i, &value))
            continue;
        assert_true(value >= 0);
        most = value > most ? value : most;
    }
    assert_true(most <= 20.0001);
    assert_true(fabs(total(&steps, M_TRANSACTIONS_COMMITTED) - 3150) < 1e-6);
}

/* Three seconds after its beginning a step has a point that says what happened in ten. */
static void
step_under_way_is_no_spike(void **state)
{
    (void)state;
    double value;
    points[0] = (struct sample){ noon - 8 * S, 1000 };
    points[1] = (struct sample){ noon + 2 * S, 1100 };
    static const int64_t lengths[] = { 10 * S, 60 * S, 300 * S, HOUR };
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        struct steps steps = add_all(M_TRANSACTIONS_COMMITTED, 2, noon, noon + 3 * S, lengths[i]);
        assert_true(steps_value(&steps, &metric_table[M_TRANSACTIONS_COMMITTED], values, 0, &value) && value == 10);
    }
}

/* A cluster that was paused for hours: what it counted before is not counted again, and nothing is said of the time between. */
static void
long_gap_is_nothing(void **state)
{
    (void)state;
    double value;
    points[0] = (struct sample){ noon, 1000 };
    points[1] = (struct sample){ noon + 2 * HOUR, 900000 };
    points[2] = (struct sample){ noon + 2 * HOUR + 10 * S, 900007 };
    struct steps steps = add_all(M_TRANSACTIONS_COMMITTED, 3, noon, noon + 3 * HOUR, 60 * S);
    assert_false(steps_value(&steps, &metric_table[M_TRANSACTIONS_COMMITTED], values, 60, &value));
    assert_true(total(&steps, M_TRANSACTIONS_COMMITTED) == 7);
}

/* What an hour is does not depend on the steps that it is part of, nor on the hours around it. */
static void
gap_over_a_full_hour_belongs_to_the_later_one(void **state)
{
    (void)state;
    points[0] = (struct sample){ noon - 100 * S, 0 };
    points[1] = (struct sample){ noon + 100 * S, 600 };
    struct steps before = add_all(M_TRANSACTIONS_COMMITTED, 2, noon - HOUR, noon, HOUR);
    assert_true(total(&before, M_TRANSACTIONS_COMMITTED) == 0);
    struct steps after = add_all(M_TRANSACTIONS_COMMITTED, 2, noon, noon + HOUR, 10 * S);
    assert_true(fabs(total(&after, M_TRANSACTIONS_COMMITTED) - 600) < 1e-9);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_begin_at_multiples_and_the_last_may_be_cut),
        cmocka_unit_test(gauge_is_the_mean_and_nothing_where_nothing_was),
        cmocka_unit_test(sum_over_steps_is_what_was_counted_at_every_length),
        cmocka_unit_test(restart_is_never_negative_and_a_late_look_is_no_spike),
        cmocka_unit_test(step_under_way_is_no_spike),
        cmocka_unit_test(long_gap_is_nothing),
        cmocka_unit_test(gap_over_a_full_hour_belongs_to_the_later_one),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
