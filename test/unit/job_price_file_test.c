/* SPDX-License-Identifier: Apache-2.0 */
/* The operator's price file: what it says, and each mistake by its line. And the sweep that reads it. */
#include "open_store_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "job/billing/price_file.h"
#include "job/kinds.h"

static struct arena *arena;
static char path[] = "/tmp/reeve-prices-XXXXXX";

static void
write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The items; NULL, with every mistake in `ret_problems`, when something is wrong. */
static const char *
read_prices(const char *text, char ret_problems[4096])
{
    str items = STR_EMPTY;
    write_file(text);
    memset(ret_problems, 0, 4096);
    FILE *problems = fmemopen(ret_problems, 4095, "w");
    bool is_good = price_file_read(arena, path, problems, &items);
    (void)fclose(problems);
    return is_good ? items.data : NULL;
}

static void
prices_are_whole_micro_cents(void **state)
{
    (void)state;
    char problems[4096];
    assert_string_equal(
        read_prices("# what we charge\n\n"
                    "member M10 0.08 One member of size M10\n"
                    "  member\tX_2\t1000000\tThe most that there is  \n"
                    "member FREE 0 For nothing\n"
                    "disk 0.00000001 One GB, at the smallest price that there is\n",
                    problems),
        "[{\"id\":\"MEMBER_M10\",\"description\":\"One member of size M10\",\"microcents\":8000000},"
        "{\"id\":\"MEMBER_X_2\",\"description\":\"The most that there is\",\"microcents\":100000000000000},"
        "{\"id\":\"MEMBER_FREE\",\"description\":\"For nothing\",\"microcents\":0},"
        "{\"id\":\"DISK_GB\",\"description\":\"One GB, at the smallest price that there is\",\"microcents\":1}]");
    assert_string_equal(problems, "");
    assert_string_equal(read_prices("# nothing costs anything\n", problems), "[]");
    assert_string_equal(read_prices("", problems), "[]");
}

static void
every_mistake_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *line, *words;
    } cases[] = {
        { "members M10 0.08 d", "begins with \"member\" or \"disk\"" },
        { "member m10 0.08 d", "\"m10\" is not a size" },
        { "member 10M 0.08 d", "\"10M\" is not a size" },
        { "member ABCDEFGHIJABCDEFGHIJABCDEFGHIJABC 1 d", "is not a size" },
        { "member M10 -0.08 d", "\"-0.08\" is not a price" },
        { "member M10 +1 d", "\"+1\" is not a price" },
        { "member M10 0,08 d", "\"0,08\" is not a price" },
        { "member M10 .08 d", "\".08\" is not a price" },
        { "member M10 1. d", "\"1.\" is not a price" },
        { "member M10 1.-5 d", "is not a price" },
        { "member M10 1e3 d", "is not a price" },
        { "member M10 0.000000001 d", "is not a price" }, /* nine decimals */
        { "member M10 1000001 d", "is not a price" },
        { "member M10 99999999999999999999 d", "is not a price" },
        { "member M10", "is not a price" },
        { "member M10 0.08", "there must be a description" },
        { "disk 0.1", "there must be a description" },
        { "disk dear One GB", "\"dear\" is not a price" },
        { "member M20 0.2 again", "MEMBER_M20 is there twice" },
        { "member M10 0.08 \xff", "there must be a description" },
    };
    char text[4096] = "member M20 0.1 One member\n# a comment\n", problems[4096], number[64];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char one[512];
        snprintf(one, sizeof(one), "%s%s\n", "member M20 0.1 One member\n# a comment\n", cases[i].line);
        assert_null(read_prices(one, problems));
        snprintf(number, sizeof(number), "%s:3: ", path);
        if (strstr(problems, number) != problems || strstr(problems, cases[i].words) == NULL)
            fail_msg("%s: %s", cases[i].line, problems);
        strncat(text, cases[i].line, sizeof(text) - strlen(text) - 1);
        strncat(text, "\n", sizeof(text) - strlen(text) - 1);
    }
    /* In one file they are all named, each with its own line. */
    assert_null(read_prices(text, problems));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        snprintf(number, sizeof(number), "%s:%zu: ", path, i + 3);
        if (strstr(problems, number) == NULL)
            fail_msg("line %zu is not named: %s", i + 3, problems);
    }
}

static void
a_long_line_is_a_mistake_and_so_is_no_file(void **state)
{
    (void)state;
    char text[3000] = "disk 0.1 One GB\ndisk 0.1 ", problems[4096];
    str unused;
    memset(text + strlen(text), 'x', 2000);
    assert_null(read_prices(text, problems));
    assert_non_null(strstr(problems, ":2: "));
    FILE *out = fmemopen(problems, sizeof(problems), "w");
    assert_false(price_file_read(arena, "/nonexistent/prices", out, &unused));
    (void)fclose(out);
    assert_non_null(strstr(problems, "/nonexistent/prices"));
}

/* ---- The sweep ---- */

static void
take(const char *price_file)
{
    struct arena *own CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct job_environment environment = { .price_file = price_file };
    struct sweep_context context = { store, own, &environment };
    assert_ok(prices_sweep.run(&context));
}

static const char *
offered(void)
{
    return fixture_ask("SELECT coalesce(string_agg(s.id || ' ' || (SELECT p.microcents FROM price p WHERE p.sku = s.id "
                       "ORDER BY p.valid_from DESC LIMIT 1), ',' ORDER BY s.id), '') FROM sku s WHERE s.offered");
}

static void
the_sweep_takes_a_good_file_and_leaves_prices_at_a_bad_one(void **state)
{
    (void)state;
    take(NULL);
    take("");
    assert_string_equal(offered(), "");
    write_file("member M10 0.08 One member\ndisk 0.000137 One GB\n");
    take(path);
    take(path);
    assert_string_equal(offered(), "DISK_GB 13700,MEMBER_M10 8000000");
    assert_string_equal(fixture_ask("SELECT count(*) FROM price"), "2");
    write_file("member M10 0.09 One member\ndisk free One GB\n");
    take(path);
    take("/nonexistent/prices");
    assert_string_equal(offered(), "DISK_GB 13700,MEMBER_M10 8000000");
    write_file("member M10 0.09 One member\n");
    take(path);
    assert_string_equal(offered(), "MEMBER_M10 9000000");
    /* No price is in force in the hour that already runs. */
    assert_string_equal(fixture_ask("SELECT bool_and(valid_from > billing_hour(now())) FROM price"), "t");
}

static void
the_sweep_removes_reports_whose_time_is_over(void **state)
{
    (void)state;
    struct arena *own CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct job_environment environment = { 0 };
    struct sweep_context context = { store, own, &environment };
    fixture_add_organization(fixture_id(7));
    fixture_ask(
        "INSERT INTO cost_report (token, org_id, content, expires_at) SELECT lpad(n::text, 64, '0'), %s, '', "
        "now() + (CASE WHEN n <= 1200 THEN -1 ELSE 1 END) * interval '1 minute' FROM generate_series(1, 1203) n",
        fixture_quote(fixture_id(7)));
    assert_ok(expired_reports_sweep.run(&context));
    assert_string_equal(fixture_ask("SELECT count(*) FROM cost_report"), "3");
}

static int
set_up(void **state)
{
    arena = arena_new(4 << 20);
    int file = mkstemp(path);
    if (arena == NULL || file < 0 || close(file) != 0)
        return -1;
    return open_store(state);
}

static int
tear_down(void **state)
{
    unlink(path);
    arena_free(arena);
    return close_store(state);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_whole_micro_cents),
        cmocka_unit_test(every_mistake_is_named_with_its_line),
        cmocka_unit_test(a_long_line_is_a_mistake_and_so_is_no_file),
        cmocka_unit_test(the_sweep_takes_a_good_file_and_leaves_prices_at_a_bad_one),
        cmocka_unit_test(the_sweep_removes_reports_whose_time_is_over),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
