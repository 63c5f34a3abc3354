/* SPDX-License-Identifier: Apache-2.0 */
/* How answers look on a terminal, and the small parts that make requests. */
#include "cli/output/table.h"
#include "cli/short/place.h"

#include <stdlib.h>

#include "arena_fixture.h"
#include "base/json.h"
#include "cli/body.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/output/difference.h"
#include "cli/output/progress.h"

/* ---- Tables ---- */
static void
expect_table(const char *json, const char *columns, int width, size_t hidden, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    json_t *items = json_loads(json, 0, NULL);
    FILE *out = open_memstream(&text, &length);
    assert_non_null(items);
    assert_int_equal(table_print(out, arena, items, columns, (struct table_style){ width, false }), hidden);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    json_decref(items);
}

static void
columns_are_as_wide_as_they_need(void **state)
{
    (void)state;
    expect_table("[{\"name\":\"orders\",\"stateName\":\"IDLE\"},{\"name\":\"x\",\"stateName\":\"CREATING\"}]",
                 "name stateName", 80, 0, "NAME    STATE NAME\norders  IDLE\nx       CREATING\n");
}

static void
what_no_item_has_is_not_a_column(void **state)
{
    (void)state;
    expect_table("[{\"a\":1,\"b\":null}]", "a b c", 80, 0, "A\n1\n");
}

static void
what_is_inside_of_lists_is_one_cell(void **state)
{
    (void)state;
    expect_table("[{\"p\":\"OWN\",\"sizes\":[{\"name\":\"M10\",\"in\":[{\"name\":\"EU\"},{\"name\":\"US\"}]},"
                 "{\"name\":\"M20\",\"in\":[{\"name\":\"EU\"}]}]},{\"p\":\"NONE\",\"sizes\":[]}]",
                 "p sizes.in.name sizes.name name.name", 80, 0,
                 "P     IN      SIZES\nOWN   EU, US  M10, M20\nNONE          \n");
}

static void
what_does_not_fit_is_counted(void **state)
{
    (void)state;
    expect_table("[{\"a\":\"1234567890\",\"b\":\"1234567890\",\"c\":\"12\"}]", "a b c", 16, 1,
                 "A           C\n1234567890  12\n");
    expect_table("[{\"a\":\"123456789012345678901234567890\"}]", "a", 20, 0, "A\n1234567890123456789…\n");
}

static void
letters_are_counted_by_their_width(void **state)
{
    (void)state;
    expect_table("[{\"n\":\"日本\",\"x\":1},{\"n\":\"über\",\"x\":2}]", "n x", 80, 0, "N     X\n日本  1\nüber  2\n");
    assert_int_equal(text_width(STR("e\xcc\x81")), 1);
    assert_int_equal(text_fit(STR("日本"), 3).len, 3);
}

/* What somebody named their cluster must not drive another's terminal. */
static void
control_characters_do_nothing(void **state)
{
    (void)state;
    expect_table("[{\"n\":\"a\\u001b[31mb\\nc\"}]", "n", 80, 0, "N\na�[31mb c\n");
}

static void
lists_of_texts_and_without_columns(void **state)
{
    (void)state;
    expect_table("[\"a\",\"b\"]", "", 80, 0, "a\nb\n");
    expect_table("[{\"x\":1,\"links\":[],\"y\":[\"p\",\"q\"]}]", "", 80, 0, "X  Y\n1  p, q\n");
}

static void
an_entity_is_lines(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    json_t *entity = json_loads("{\"name\":\"o\",\"in\":{\"a\":1},\"list\":[{\"b\":true}],\"links\":[]}", 0, NULL);
    FILE *out = open_memstream(&text, &length);
    table_print_entity(out, arena, entity, (struct table_style){ 80, false });
    fclose(out);
    assert_string_equal(text, "name   o\nin\n  a  1\nlist\n  - b  true\n");
    free(text);
    json_decref(entity);
}

/* ---- Differences ---- */
static void
differences_are_shown_by_field(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    json_t *before = json_loads("{\"a\":1,\"b\":{\"c\":true,\"d\":[{\"e\":1}]},\"gone\":\"x\",\"links\":[1]}", 0, NULL);
    json_t *after = json_loads("{\"a\":1,\"b\":{\"c\":false,\"d\":[{\"e\":2},{\"e\":3}]},\"new\":[]}", 0, NULL);
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(difference_print(out, arena, before, after, false), 5);
    fclose(out);
    assert_string_equal(
        text, "- b.c: true\n+ b.c: false\n- b.d[0].e: 1\n+ b.d[0].e: 2\n+ b.d[1].e: 3\n- gone: \"x\"\n+ new: []\n");
    free(text);
    out = open_memstream(&text, &length);
    assert_int_equal(difference_print(out, arena, before, before, true), 0);
    assert_int_equal(difference_print(out, arena, NULL, json_object_get(after, "b"), true), 3);
    fclose(out);
    assert_non_null(strstr(text, "\033[32m+ c: false\033[0m\n"));
    free(text);
    json_decref(before);
    json_decref(after);
}

/* ---- Bodies ---- */
static void
expect_put(const char *before, const char *path, const char *value, const char *expected)
{
    json_t *body = json_loads(before, 0, NULL);
    bool put = place_put(body, str_from(path), json_loads(value, JSON_DECODE_ANY, NULL));
    assert_int_equal(put, expected != NULL);
    if (expected != NULL)
        assert_string_equal(json_text(arena, body).data, expected);
    json_decref(body);
}

static void
places_are_made_on_the_way(void **state)
{
    (void)state;
    expect_put("{}", "a", "1", "{\"a\":1}");
    expect_put("{\"a\":{\"b\":1}}", "a.c", "2", "{\"a\":{\"b\":1,\"c\":2}}");
    expect_put("{}", "a[0].b[1]", "true", "{\"a\":[{\"b\":[null,true]}]}");
    expect_put("{\"a\":[1,2]}", "a[1]", "3", "{\"a\":[1,3]}");
    expect_put("{\"a\":1}", "a.b", "2", NULL);
    expect_put("{}", "a[", "2", NULL);
    expect_put("{}", "a[-1]", "2", NULL);
    expect_put("{}", "a[99999]", "2", NULL);
    expect_put("{}", "", "2", NULL);
    expect_put("{}", ".a", "2", NULL);
    expect_put("{}", "a.", "2", NULL);
    expect_put("[]", "a", "2", NULL);
}

/* ---- Retries ---- */
static void
delays_grow_and_have_a_random_part(void **state)
{
    (void)state;
    int first = client_delay_ms(1, 0), others = 0;
    for (int i = 0; i < 200; i++) {
        assert_in_range(client_delay_ms(1, 0), 250, 500);
        assert_in_range(client_delay_ms(3, 0), 1000, 2000);
        assert_in_range(client_delay_ms(40, 0), 15000, 30000);
        assert_in_range(client_delay_ms(1, 7), 7125, 7250);
        others += client_delay_ms(1, 0) != first;
    }
    assert_true(others > 100);
}

static void
the_bar_is_as_long_as_the_work(void **state)
{
    (void)state;
    assert_string_equal(progress_bar(arena, 0, 4).data, "░░░░   0%");
    assert_string_equal(progress_bar(arena, 50, 4).data, "██░░  50%");
    assert_string_equal(progress_bar(arena, 250, 4).data, "████ 100%");
}

/* ---- Streams ---- */
static bool
note(void *context, const struct follow_message *message)
{
    struct buf *all = context;
    buf_format(all, "%.*s|%.*s|%.*s;", STR_ARG(message->id), STR_ARG(message->event), STR_ARG(message->data));
    return true;
}

static void
streams_are_read_in_pieces_of_any_size(void **state)
{
    (void)state;
    static const char text[] =
        ": hello\n\nid: 1\nevent: A\ndata: {\"x\":1}\n\nid: 2\r\nevent: B\r\ndata:y\r\n\r\nid: 3\ndata: cut";
    for (size_t size = 1; size < sizeof(text); size++) {
        struct buf all = buf_in(arena, 65536);
        struct follow_reader reader = { .message = note, .context = &all };
        for (size_t at = 0; at < sizeof(text) - 1; at += size)
            assert_true(follow_read(
                &reader, str_slice(str_from(text), at, at + size < sizeof(text) - 1 ? at + size : sizeof(text) - 1)));
        follow_done(&reader);
        assert_string_equal(buf_str(&all).data, "1|A|{\"x\":1};2|B|y;");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_they_need),       cmocka_unit_test(what_no_item_has_is_not_a_column),
        cmocka_unit_test(what_is_inside_of_lists_is_one_cell),    cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(letters_are_counted_by_their_width),     cmocka_unit_test(control_characters_do_nothing),
        cmocka_unit_test(lists_of_texts_and_without_columns),     cmocka_unit_test(an_entity_is_lines),
        cmocka_unit_test(differences_are_shown_by_field),         cmocka_unit_test(places_are_made_on_the_way),
        cmocka_unit_test(delays_grow_and_have_a_random_part),     cmocka_unit_test(the_bar_is_as_long_as_the_work),
        cmocka_unit_test(streams_are_read_in_pieces_of_any_size),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
