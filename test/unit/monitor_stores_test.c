/* SPDX-License-Identifier: Apache-2.0 */
/* Writing to real stores and reading from them: points come back as they were, once, from whichever store has them. */
#include "arena_fixture.h"
#include "monitor_fixture.h"

#include "base/json.h"
#include "monitor/line.h"
#include "monitor/samples.h"

enum { EVERY = SAMPLES_EVERY_MS };
static const struct metric *const process_metrics[] = { &metric_table[M_CONNECTIONS],
                                                        &metric_table[M_TRANSACTIONS_COMMITTED] };
static int64_t begin_ms;

static id
id_of(int number)
{
    return (id){ { 0x65, 0, 0, 0, 0, 1, [11] = (uint8_t)number }, true };
}

/* Points of a member, ten seconds apart, with values that say which they are. */
static str
lines_of(int project, int member, int first, int count, const char *name)
{
    struct buf wire = buf_in(arena, 1 << 20), out = buf_in(arena, 1 << 20);
    struct monitor_owner owner = { id_of(project), id_of(50), id_of(member) };
    for (int i = first; i < first + count; i++) {
        enum metric_scope scope = name == NULL ? METRIC_PROCESS : METRIC_DATABASE;
        struct points_writer writer =
            points_begin(&wire, id_of(member), begin_ms + (int64_t)i * EVERY, scope, str_from(name));
        if (name == NULL) {
            points_add(&writer, M_CONNECTIONS, i);
            points_add(&writer, M_TRANSACTIONS_COMMITTED, 1000.5 + i * 7);
        } else {
            points_add(&writer, M_DATABASE_DATA_SIZE, 1e12 + i);
        }
        points_end(&writer);
    }
    struct points_reader reader = points_read(buf_str(&wire));
    struct points_line line;
    while (points_next(&reader, &line) == POINTS_LINE)
        monitor_line_add(&out, &owner, &line);
    return buf_str(&out);
}

static struct sample_query
query_of(int project, int member, int first, int last)
{
    return (struct sample_query){ .project = id_of(project),
                                  .member = id_of(member),
                                  .metrics = process_metrics,
                                  .metric_count = LENGTH(process_metrics),
                                  .from_ms = begin_ms + (int64_t)first * EVERY,
                                  .to_ms = begin_ms + (int64_t)last * EVERY };
}

/* A store shows what it took after about a second. */
static void
expect_points(const struct sample_query *query, const struct metric *metric, str name, int count)
{
    const struct series *series = NULL;
    for (int i = 0; i < patient(300); i++) {
        struct series_list list;
        error problem = samples_read(monitor.stores, arena, query, &list);
        series = problem != OK ? NULL : series_find(&list, metric, name);
        if (series != NULL && (int)series->count == count)
            return;
        usleep(50000);
    }
    fail_msg("%zu points instead of %d", series == NULL ? 0 : series->count, count);
}

static void
points_come_back_once_however_often_they_are_sent(void **state)
{
    (void)state;
    struct sample_query query = query_of(1, 10, 0, 99);
    struct series_list list;
    for (int i = 0; i < 3; i++)
        monitor_put(arena, 0, lines_of(1, 10, 0, 100, NULL));
    expect_points(&query, process_metrics[0], STR_EMPTY, 100);
    assert_true(samples_read(monitor.stores, arena, &query, &list) == OK);
    const struct series *series = series_find(&list, process_metrics[1], STR_EMPTY);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(series->samples[i].at_ms, begin_ms + (int64_t)i * EVERY);
        assert_true(series->samples[i].value == 1000.5 + i * 7);
    }
}

static void
what_one_store_does_not_have_comes_from_the_other(void **state)
{
    (void)state;
    struct sample_query query = query_of(2, 20, 0, 99);
    monitor_put(arena, 0, lines_of(2, 20, 0, 40, NULL));
    monitor_put(arena, 1, lines_of(2, 20, 30, 70, NULL));
    expect_points(&query, process_metrics[0], STR_EMPTY, 100);
}

static void
other_projects_and_members_are_not_seen(void **state)
{
    (void)state;
    struct series_list list;
    monitor_put(arena, 0, lines_of(3, 30, 0, 10, NULL));
    struct sample_query own = query_of(3, 30, 0, 99), other = query_of(4, 30, 0, 99),
                        neighbour = query_of(3, 31, 0, 99);
    expect_points(&own, process_metrics[0], STR_EMPTY, 10);
    assert_true(samples_read(monitor.stores, arena, &other, &list) == OK && list.count == 0);
    assert_true(samples_read(monitor.stores, arena, &neighbour, &list) == OK && list.count == 0);
}

/* Whatever a database is called, its label is one label. */
static void
names_are_only_names(void **state)
{
    (void)state;
    static const char *const names[] = { "shop",         "a b",      "x,member=00",       "\"} or {project=\"",
                                         "100% \\ sure", "zahl=1,y", "caf\xc3\xa9.t-1~_", "a:b@c" };
    const struct metric *metric = &metric_table[M_DATABASE_DATA_SIZE];
    struct name_list found = { 0 };
    for (size_t i = 0; i < LENGTH(names); i++)
        monitor_put(arena, 0, lines_of(5, 51, 90, 5, names[i]));
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct sample_query query = query_of(5, 51, 0, 99);
        query.metrics = &metric;
        query.metric_count = 1;
        query.name = str_from(names[i]);
        expect_points(&query, metric, query.name, 5);
    }
    assert_true(samples_names(monitor.stores, arena, id_of(5), id_of(51), METRIC_DATABASE, 7200, &found) == OK);
    assert_int_equal(found.count, LENGTH(names));
    assert_true(samples_names(monitor.stores, arena, id_of(6), id_of(51), METRIC_DATABASE, 7200, &found) == OK);
    assert_int_equal(found.count, 0);
}

static void
store_that_is_killed_is_another_process_and_the_other_one_answers(void **state)
{
    (void)state;
    struct sample_query query = query_of(7, 70, 0, 99);
    str before, after = STR_EMPTY, why;
    monitor_put(arena, 0, lines_of(7, 70, 0, 100, NULL));
    monitor_put(arena, 1, lines_of(7, 70, 0, 100, NULL));
    expect_points(&query, process_metrics[0], STR_EMPTY, 100);
    assert_true(monitor_started(monitor.stores, arena, 0, &before, &why));
    monitor_kill(0);
    expect_points(&query, process_metrics[0], STR_EMPTY, 100);
    assert_false(monitor_write(monitor.stores, arena, 0, lines_of(7, 70, 0, 1, NULL), &after, &why));
    sleep(1); /* a process says in whole seconds when it began */
    monitor_start(0);
    monitor_put(arena, 0, lines_of(7, 70, 0, 100, NULL));
    assert_true(monitor_started(monitor.stores, arena, 0, &after, &why));
    assert_false(str_eq(before, after));
}

static void
store_that_is_away_is_not_waited_for_again_and_again(void **state)
{
    (void)state;
    struct sample_query query = query_of(7, 70, 0, 99);
    struct series_list list;
    monitor_kill(0);
    monitor_kill(1);
    int64_t from = clock_steady_ms();
    for (int i = 0; i < 200; i++)
        assert_true(samples_read(monitor.stores, arena, &query, &list)->code == MEASUREMENTS_UNAVAILABLE);
    assert_true(clock_steady_ms() - from < patient(3000));
    monitor_start(0);
    monitor_start(1);
    monitor_put(arena, 0, lines_of(7, 71, 0, 3, NULL));
}

static int
set_up(void **state)
{
    json_init();
    begin_ms = (clock_now_ms() - 3600 * 1000) / 1000 * 1000;
    monitor_open();
    return open_arena(state);
}

static int
tear_down(void **state)
{
    monitor_close();
    return close_arena(state);
}

/* ---- What tenants ask ---- */
static bool
take_answer(void *context, str bytes)
{
    buf_add(context, bytes);
    return true;
}

static int
ask_for_tenant(size_t store, const char *form)
{
    struct buf answer = buf_in(arena, 1 << 20);
    struct monitor_question question = { "/api/v1/query", str_from(form), take_answer, &answer };
    return monitor_ask_for_tenant(monitor.stores, arena, store, &question);
}

/* Both stores run at the beginning, and neither was asked for a while. */
static void
questions_of_tenants_never_make_a_store_seem_away(void **state)
{
    (void)state;
    str started, why;
    monitor_put(arena, 0, lines_of(1, 2, 0, 1, NULL));
    assert_int_equal(ask_for_tenant(0, "query=1"), 200);
    assert_int_equal(ask_for_tenant(0, "query=rate("), 422);
    assert_true(monitor_started(monitor.stores, arena, 0, &started, &why));
    monitor_put(arena, 1, lines_of(1, 2, 0, 1, NULL));
    monitor_kill(1);
    assert_int_equal(ask_for_tenant(1, "query=1"), 0);
    monitor_start(1);
    /* Had the question counted, this would be refused without being tried. */
    assert_int_equal(ask_for_tenant(1, "query=1"), 200);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_come_back_once_however_often_they_are_sent),
        cmocka_unit_test(what_one_store_does_not_have_comes_from_the_other),
        cmocka_unit_test(other_projects_and_members_are_not_seen),
        cmocka_unit_test(names_are_only_names),
        cmocka_unit_test(questions_of_tenants_never_make_a_store_seem_away),
        cmocka_unit_test(store_that_is_killed_is_another_process_and_the_other_one_answers),
        cmocka_unit_test(store_that_is_away_is_not_waited_for_again_and_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
