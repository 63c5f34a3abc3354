/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of statements: nothing that somebody put into one is left, and what is the same has one shape. */
#include "arena_fixture.h"
#include "engine/postgres/advisor/plan_tree.h"
#include "engine/postgres/advisor/shape_text.h"

static void
check_text(const char *query, const char *text)
{
    struct shape shape;
    assert_true(shape_of(arena, str_from(query), &shape));
    assert_string_equal(shape.text.data, text);
}

static void
values_become_question_marks(void **state)
{
    (void)state;
    check_text("SELECT * FROM orders WHERE id = 4711", "SELECT * FROM orders WHERE id = ?");
    check_text("SELECT * FROM orders WHERE id = $1", "SELECT * FROM orders WHERE id = ?");
    check_text("SELECT 'it''s secret', E'a\\'b', $tag$ 'x' $tag$, 1.5e-3, .5, 0xFF, B'01'", "SELECT ?, ?, ...");
    check_text("SELECT n % 7, 'x' || n FROM t", "SELECT n % ?, ? || n FROM t");
    check_text("UPDATE t SET a = 'hunter2' WHERE b=3 -- and hunter3\n", "UPDATE t SET a = ? WHERE b = ?");
    check_text("SELECT /* secret /* nested */ more */ a FROM t", "SELECT a FROM t");
    check_text("SELECT a::numeric(10,2), \"Odd Name\" FROM t;", "SELECT a::numeric(?, ...), \"Odd Name\" FROM t");
}

static void
lists_are_the_same_whatever_their_length(void **state)
{
    (void)state;
    check_text("SELECT * FROM t WHERE a IN ($1, $2)", "SELECT * FROM t WHERE a IN (?, ...)");
    check_text("SELECT * FROM t WHERE a IN (1,2,3,4,5,6)", "SELECT * FROM t WHERE a IN (?, ...)");
    check_text("INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4), ($5, $6)", "INSERT INTO t (a, b) VALUES (?, ...), ...");
    check_text("INSERT INTO t VALUES (1), (2), (3), (4)", "INSERT INTO t VALUES (?), ...");
}

static void
what_cannot_be_read_has_no_shape(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "ALTER ROLE ada PASSWORD 'hunter2'",
        "DO $$ BEGIN PERFORM 'hunter2'; END $$",
        "SELECT 'hunter2",
        "SELECT $a$ hunter2 $b$",
        "SELECT 'a\\' OR 'hunter2'",
        "SELECT /* hunter2",
        "COPY t FROM PROGRAM 'hunter2'",
        "EXPLAIN SELECT 'hunter2'",
        "SELECT 1; DROP TABLE orders", /* it is planned as one */
        "",
        "hunter2",
    };
    struct shape shape;
    for (size_t i = 0; i < LENGTH(queries); i++)
        assert_false(shape_of(arena, str_from(queries[i]), &shape));
}

static void
it_is_known_what_a_statement_is_about(void **state)
{
    (void)state;
    static const struct {
        const char *query, *command, *table;
    } rows[] = {
        { "SELECT * FROM public.orders o JOIN lines l ON l.o = o.id", "SELECT", "orders" },
        { "SELECT extract(year FROM day) FROM sales.days", "SELECT", "sales.days" },
        { "WITH x AS (SELECT 1) DELETE FROM \"Orders\" WHERE id = 1", "DELETE", "Orders" },
        { "insert into T values (1)", "INSERT", "t" },
        { "UPDATE ONLY t SET a = 1", "UPDATE", "t" },
        { "(SELECT now())", "SELECT", "" },
        { "SELECT * FROM generate_series(1, 2)", "SELECT", "" },
        { "TABLE orders", "SELECT", "" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct shape shape;
        assert_true(shape_of(arena, str_from(rows[i].query), &shape));
        assert_string_equal(shape.command, rows[i].command);
        assert_string_equal(shape.table.data, rows[i].table);
    }
}

static void
names_that_are_searched_for_are_known(void **state)
{
    (void)state;
    struct shape shape;
    assert_true(shape_of(arena, STR("SELECT a, b FROM t WHERE C = 1 AND \"D\" ILIKE 'x' ORDER BY e"), &shape));
    assert_true(shape.ignores_case);
    assert_true(str_is(shape.searched[0], "c"));
    assert_true(str_is(shape.searched[2], "D"));
}

static void
long_statements_are_cut(void **state)
{
    (void)state;
    struct buf query = buf_in(arena, SHAPE_QUERY_BYTES);
    struct shape shape;
    buf_add_text(&query, "SELECT ");
    for (int i = 0; i < 3000; i++)
        buf_format(&query, "c%d, ", i);
    buf_add_text(&query, "1 FROM t");
    assert_true(shape_of(arena, buf_str(&query), &shape));
    assert_true(shape.text.len <= SHAPE_TEXT_BYTES);
    assert_true(str_ends_with(shape.text, STR("...")));
}

static void
cost_and_indexes_of_a_plan_are_read(void **state)
{
    double cost;
    str tree =
        STR("{PLANNEDSTMT :jitFlags 0 :planTree {LIMIT\n:plan.startup_cost 0 :plan.total_cost\n12.5 :plan.lefttree "
            "{INDEXSCAN :scan.plan.total_cost 99 :indexid\n13628 :x 1}}}");
    (void)state;
    assert_true(plan_tree_cost(tree, &cost));
    assert_true(cost > 12.4 && cost < 12.6);
    assert_true(plan_tree_uses(tree, 13628));
    assert_false(plan_tree_uses(tree, 1362));
    assert_false(plan_tree_cost(STR("permission denied"), &cost));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_question_marks),
        cmocka_unit_test(lists_are_the_same_whatever_their_length),
        cmocka_unit_test(what_cannot_be_read_has_no_shape),
        cmocka_unit_test(it_is_known_what_a_statement_is_about),
        cmocka_unit_test(names_that_are_searched_for_are_known),
        cmocka_unit_test(long_statements_are_cut),
        cmocka_unit_test(cost_and_indexes_of_a_plan_are_read),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
