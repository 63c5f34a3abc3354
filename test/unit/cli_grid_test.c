/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a live view: what fits, figures, curves, and names that would steer a terminal. */
#include "cli/output/grid.h"

#include <math.h>

#include "arena_fixture.h"

static const struct grid_column columns[] = {
    { "NAME", false, 0, .has_end = true }, { "LOAD", true, 0 }, { "NOTE", false, 2 }, { "WHY", false, 0, .least = 6 }
};

static void
expect_lines(const char *name, int width, const char *heading, const char *row)
{
    const struct cell cells[] = { { str_from(name), STYLE_BOLD },
                                  { STR("7%"), STYLE_RED },
                                  { STR("note"), STYLE_PLAIN },
                                  { STR("disk is full"), STYLE_PLAIN } };
    str lines[2];
    grid_make(arena, columns, LENGTH(columns), cells, 1, width, false, lines);
    assert_string_equal(lines[0].data, heading);
    assert_string_equal(lines[1].data, row);
}

/* ---- Room ---- */
static void
texts_are_cut_first_then_columns_go(void **state)
{
    (void)state;
    expect_lines("db-1", 80, "NAME  LOAD  NOTE  WHY", "db-1    7%  note  disk is full");
    expect_lines("db-1", 28, "NAME  LOAD  NOTE  WHY", "db-1    7%  note  disk is f…");
    expect_lines("db-1", 22, "NAME  LOAD  WHY", "db-1    7%  disk is f…");
    expect_lines("db-1", 18, "NAME  LOAD  WHY", "db-1    7%  disk …");
}

static void
the_end_of_a_name_stays(void **state)
{
    (void)state;
    expect_lines("abcdefgh-00-01", 24, "NAME        LOAD  WHY", "…fgh-00-01    7%  disk …");
}

static void
no_line_is_wider_than_the_screen(void **state)
{
    (void)state;
    static const char *const names[] = { "db-1", "名前名前名前名前名前名前",
                                         "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81xyz-abcdefghijklmnop", "" };
    for (size_t n = 0; n < LENGTH(names); n++) {
        for (int width = 22; width < 60; width++) {
            const struct cell cells[] = { { str_from(names[n]), STYLE_PLAIN },
                                          { STR("7%"), STYLE_PLAIN },
                                          { STR_EMPTY, STYLE_PLAIN },
                                          { str_from(names[n]), STYLE_PLAIN } };
            str lines[2];
            grid_make(arena, columns, LENGTH(columns), cells, 1, width, false, lines);
            assert_true(text_width(lines[0]) <= (size_t)width && text_width(lines[1]) <= (size_t)width);
            assert_true(text_width(grid_line(arena, str_from(names[n]), STYLE_PLAIN, width, false)) <= (size_t)width);
        }
    }
}

/* ---- Names that others gave ---- */
static void
names_do_not_steer_the_terminal(void **state)
{
    (void)state;
    static const struct {
        const char *what, *name;
    } rows[] = {
        { "clears the screen", "a\033[2Jb" },
        { "sets the title", "a\033]0;owned\007b" },
        { "a single byte that begins a sequence", "a\x9b"
                                                  "31mb" },
        { "the same in UTF-8", "a\xc2\x9b"
                               "31mb" },
        { "an escape that is written too long", "a\xc0\x9b[2Jb" },
        { "longer still", "a\xe0\x80\x9b[2Jb" },
        { "moves to another line", "a\r\n\v\fb" },
        { "rings, goes back, deletes", "a\a\b\x7f"
                                       "b" },
        { "writes backwards", "a\xe2\x80\xae"
                              "b\xe2\x81\xa6"
                              "b" },
        { "device control", "a\033P+q544e\033\\b" },
        { "answers for the user", "a\033[6n\033[cb" },
        { "ends in the middle of a letter", "ab\xf0\x9f" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct cell cells[] = { { str_from(rows[i].name), STYLE_PLAIN },
                                      { str_from(rows[i].name), STYLE_PLAIN },
                                      { str_from(rows[i].name), STYLE_PLAIN },
                                      { str_from(rows[i].name), STYLE_PLAIN } };
        str lines[3];
        grid_make(arena, columns, LENGTH(columns), cells, 1, 200, false, lines);
        lines[2] = grid_line(arena, str_from(rows[i].name), STYLE_PLAIN, 200, false);
        for (size_t line = 0; line < LENGTH(lines); line++) {
            str clean = text_harmless(arena, lines[line]); /* nothing is left to be cleaned */
            if (!str_eq(clean, lines[line]) || memchr(lines[line].data, '\033', lines[line].len) != NULL)
                fail_msg("%s: %s", rows[i].what, lines[line].data);
        }
    }
}

/* ---- Figures ---- */
static void
figures_are_short(void **state)
{
    (void)state;
    assert_string_equal(grid_number(arena, NAN).data, "–");
    assert_string_equal(grid_number(arena, 0).data, "0");
    assert_string_equal(grid_number(arena, 12.34).data, "12.3");
    assert_string_equal(grid_number(arena, 999.7).data, "1000");
    assert_string_equal(grid_number(arena, 1234.4).data, "1,234");
    assert_string_equal(grid_number(arena, 20006).data, "20,006");
    assert_string_equal(grid_number(arena, 3.41e6).data, "3.4 M");
    assert_string_equal(grid_percent(arena, 45.4).data, "45%");
    assert_string_equal(grid_seconds(arena, 0).data, "0 s");
    assert_string_equal(grid_seconds(arena, 0.25).data, "250 ms");
    assert_string_equal(grid_seconds(arena, 7.25).data, "7.2 s");
    assert_string_equal(grid_seconds(arena, 70).data, "70 s");
    assert_string_equal(grid_seconds(arena, 310).data, "5 min");
    assert_string_equal(grid_seconds(arena, 8000).data, "2 h");
    assert_string_equal(grid_seconds(arena, 400000).data, "4 d");
}

static void
curves_have_a_letter_a_value(void **state)
{
    (void)state;
    const double values[] = { 0, 50, 100, NAN, 25 };
    assert_string_equal(grid_curve(arena, values, LENGTH(values), 100).data, "▁▅█ ▃");
    assert_string_equal(grid_curve(arena, values, LENGTH(values), 0).data, "▁▅█ ▃");
    assert_string_equal(grid_curve(arena, values, LENGTH(values), 200).data, "▁▃▅ ▂");
    const double none[] = { NAN, 0, 0 };
    assert_string_equal(grid_curve(arena, none, LENGTH(none), 0).data, " ▁▁");
    assert_string_equal(grid_curve(arena, none, 0, 0).data, "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_first_then_columns_go),
        cmocka_unit_test(the_end_of_a_name_stays),
        cmocka_unit_test(no_line_is_wider_than_the_screen),
        cmocka_unit_test(names_do_not_steer_the_terminal),
        cmocka_unit_test(figures_are_short),
        cmocka_unit_test(curves_have_a_letter_a_value),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
