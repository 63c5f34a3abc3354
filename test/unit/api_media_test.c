/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>

#include "api/media.h"

static const struct endpoint plain = { .method = GET, .path = "/a" };
static const struct endpoint versioned = { .method = GET, .path = "/b", .since = "2023-02-01 2024-08-05 2025-03-12" };
static const struct endpoint file = { .method = GET, .path = "/c.gz", .shape = SHAPE_FILE };

static void
expect_version(const struct endpoint *endpoint, const char *accept, const char *expected)
{
    struct arena *arena = arena_new(1 << 16);
    const char *version = NULL;
    error e = media_choose(arena, endpoint, str_from(accept), &version);
    if (e != OK)
        fail_msg("%s: %s", accept, e->detail.data);
    assert_string_equal(version, expected);
    arena_free(arena);
}

static void
expect_refusal(const struct endpoint *endpoint, const char *accept, enum error_code code, const char *detail)
{
    struct arena *arena = arena_new(1 << 16);
    const char *version = "untouched";
    error e = media_choose(arena, endpoint, str_from(accept), &version);
    if (e == OK)
        fail_msg("%s was served as %s", accept, version);
    assert_string_equal(error_rows[e->code].name, error_rows[code].name);
    assert_string_equal(e->detail.data, detail);
    assert_string_equal(version, "untouched");
    arena_free(arena);
}

static void
without_a_date_the_newest_version_is_served(void **state)
{
    (void)state;
    static const char *const accepts[] = { "",
                                           " ",
                                           "*/*",
                                           "application/json",
                                           "application/*",
                                           "APPLICATION/JSON",
                                           "application/json; charset=utf-8",
                                           "text/html, */*;q=0.1" };
    for (size_t i = 0; i < LENGTH(accepts); i++) {
        expect_version(&versioned, accepts[i], "2025-03-12");
        expect_version(&plain, accepts[i], "2023-01-01");
    }
}

static void
date_selects_the_newest_version_that_is_not_after_it(void **state)
{
    (void)state;
    expect_version(&versioned, "application/vnd.svc.2023-02-01+json", "2023-02-01");
    expect_version(&versioned, "application/vnd.svc.2024-08-04+json", "2023-02-01");
    expect_version(&versioned, "application/vnd.svc.2024-08-05+json", "2024-08-05");
    expect_version(&versioned, "application/vnd.svc.2025-03-11+json", "2024-08-05");
    expect_version(&versioned, "application/vnd.svc.2025-03-12+json", "2025-03-12");
    expect_version(&versioned, "application/vnd.svc.9999-12-31+json", "2025-03-12");
    expect_version(&plain, "application/vnd.svc.2025-03-12+json", "2023-01-01");
    expect_version(&plain, "Application/VND.SVC.2025-03-12+JSON", "2023-01-01");
}

static void
date_before_the_first_version_is_refused_with_the_first(void **state)
{
    (void)state;
    expect_refusal(&versioned, "application/vnd.svc.2023-01-31+json", VERSION_NOT_AVAILABLE,
                   "Version 2023-01-31 cannot be served: the first version is 2023-02-01.");
    expect_refusal(&plain, "application/vnd.svc.2022-12-31+json", VERSION_NOT_AVAILABLE,
                   "Version 2022-12-31 cannot be served: the first version is 2023-01-01.");
}

static void
impossible_date_is_refused_as_no_date(void **state)
{
    (void)state;
    static const char *const dates[] = {
        "2025-02-30", "2025-13-01", "2025-1-1", "0000-01-01", "latest", "2025-03-12x"
    };
    for (size_t i = 0; i < LENGTH(dates); i++) {
        char accept[64], detail[128];
        snprintf(accept, sizeof(accept), "application/vnd.svc.%s+json", dates[i]);
        snprintf(detail, sizeof(detail), "Version %s cannot be served: it must be a calendar date as YYYY-MM-DD.",
                 dates[i]);
        expect_refusal(&versioned, accept, VERSION_NOT_AVAILABLE, detail);
    }
}

static void
heavier_range_wins_and_then_the_more_exact_one(void **state)
{
    (void)state;
    expect_version(&versioned, "application/vnd.svc.2023-02-01+json;q=0.5, application/json;q=0.4", "2023-02-01");
    expect_version(&versioned, "application/vnd.svc.2023-02-01+json;q=0.5, application/json;q=0.6", "2025-03-12");
    expect_version(&versioned, "*/*, application/vnd.svc.2024-08-05+json", "2024-08-05");
    expect_version(&versioned, "application/vnd.svc.2023-02-01+json , application/vnd.svc.2024-08-05+json",
                   "2023-02-01");
    expect_version(&versioned,
                   "application/vnd.svc.2023-02-01+json;Q=0.001,,application/vnd.svc.2024-08-05+json; q=1.000",
                   "2024-08-05");
}

static void
version_that_cannot_be_served_falls_back_to_another_range(void **state)
{
    (void)state;
    expect_version(&versioned, "application/vnd.svc.2020-01-01+json, */*;q=0.1", "2025-03-12");
    expect_version(&versioned, "application/vnd.svc.never+json, application/vnd.svc.2024-08-05+json;q=0.1",
                   "2024-08-05");
}

static void
weight_of_zero_means_no(void **state)
{
    (void)state;
    expect_refusal(&plain, "application/json;q=0", NOT_ACCEPTABLE,
                   "None of the media types in Accept is available: application/json;q=0.");
    expect_refusal(&plain, "*/*;q=0.000", NOT_ACCEPTABLE,
                   "None of the media types in Accept is available: */*;q=0.000.");
    expect_refusal(&plain, "*/*, application/*;q=0", NOT_ACCEPTABLE,
                   "None of the media types in Accept is available: */*, application/*;q=0.");
}

static void
types_that_are_not_ours_are_not_acceptable(void **state)
{
    (void)state;
    static const char *const accepts[] = {
        "text/html",
        "application/xml",
        "json",
        "*",
        "*/json",
        "application/vnd.svc.2025-03-12+xml",
        "application/vnd.svc.2025-03-12",
        "application/vnd.svc+json",
        "application/vnd.other.2025-03-12+json",
        "application/vnd.svc.2025-03-12+gzip",
        "application/json;q=2",
        "application/json;q=",
        "application/json;q=0.1234",
        "text/event-stream",
        "\"application/json\"",
        "application/json;q=1.001",
    };
    for (size_t i = 0; i < LENGTH(accepts); i++) {
        char detail[256];
        snprintf(detail, sizeof(detail), "None of the media types in Accept is available: %s.", accepts[i]);
        expect_refusal(&plain, accepts[i], NOT_ACCEPTABLE, detail);
    }
}

static void
separators_inside_quotes_do_not_separate(void **state)
{
    (void)state;
    expect_version(&plain, "text/html;x=\"a,application/json\", application/json;y=\"\\\",;q=0\"", "2023-01-01");
    expect_refusal(&plain, "text/html;x=\",application/json\"", NOT_ACCEPTABLE,
                   "None of the media types in Accept is available: text/html;x=\",application/json\".");
}

static void
files_are_also_given_as_gzip_csv_and_streams(void **state)
{
    (void)state;
    expect_version(&file, "application/vnd.svc.2025-03-12+gzip", "2023-01-01");
    expect_version(&file, "application/vnd.svc.2025-03-12+csv", "2023-01-01");
    expect_version(&file, "text/event-stream", "2023-01-01");
    expect_version(&file, "application/json", "2023-01-01");
    expect_refusal(&file, "application/vnd.svc.2025-02-30+gzip", VERSION_NOT_AVAILABLE,
                   "Version 2025-02-30 cannot be served: it must be a calendar date as YYYY-MM-DD.");
}

static void
media_type_names_the_version(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 16);
    assert_string_equal(media_type(arena, "2025-03-12", "json").data, "application/vnd.svc.2025-03-12+json");
    arena_free(arena);
}

static void
body_must_be_json_in_utf8(void **state)
{
    (void)state;
    static const char *const good[] = { "application/json",
                                        "Application/JSON",
                                        "application/json;",
                                        "application/json; charset=utf-8",
                                        "application/json;charset=\"UTF-8\"",
                                        "application/vnd.svc.2025-03-12+json",
                                        "application/vnd.svc.2025-03-12+json ; charset=utf-8" };
    static const char *const bad[] = { "",
                                       "text/plain",
                                       "application/x-www-form-urlencoded",
                                       "application/json; charset=latin1",
                                       "application/json; version=2",
                                       "application/vnd.svc.2025-02-30+json",
                                       "application/vnd.svc.2025-03-12+csv",
                                       "application/json, text/plain",
                                       "application/*" };
    struct arena *arena = arena_new(1 << 16);
    for (size_t i = 0; i < LENGTH(good); i++)
        assert_ptr_equal(media_check_body(arena, str_from(good[i])), OK);
    for (size_t i = 0; i < LENGTH(bad); i++) {
        error e = media_check_body(arena, str_from(bad[i]));
        if (e == OK)
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(e->code, UNSUPPORTED_MEDIA_TYPE);
    }
    assert_string_equal(media_check_body(arena, STR_EMPTY)->detail.data, "Content type (none) is not supported.");
    arena_free(arena);
}

static void
streams_are_for_lists_that_can_be_followed(void **state)
{
    (void)state;
    static const struct feed feed;
    static const struct endpoint followed = { .feed = &feed };
    static const char *const yes[] = { "text/event-stream", "Text/Event-Stream;q=0.1",
                                       "application/json;q=0.5, text/event-stream", "*/*, text/event-stream" };
    static const char *const no[] = { "",
                                      "*/*",
                                      "application/json",
                                      "application/json, text/event-stream;q=0.9",
                                      "text/event-stream;q=0, */*",
                                      "text/plain" };
    for (size_t i = 0; i < LENGTH(yes); i++) {
        assert_true(media_wants_stream(&followed, str_from(yes[i])));
        assert_false(media_wants_stream(&plain, str_from(yes[i])));
        expect_version(&followed, yes[i], "2023-01-01");
    }
    for (size_t i = 0; i < LENGTH(no); i++)
        assert_false(media_wants_stream(&followed, str_from(no[i])));
    expect_refusal(&plain, "text/event-stream", NOT_ACCEPTABLE,
                   "None of the media types in Accept is available: text/event-stream.");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_date_the_newest_version_is_served),
        cmocka_unit_test(date_selects_the_newest_version_that_is_not_after_it),
        cmocka_unit_test(date_before_the_first_version_is_refused_with_the_first),
        cmocka_unit_test(impossible_date_is_refused_as_no_date),
        cmocka_unit_test(heavier_range_wins_and_then_the_more_exact_one),
        cmocka_unit_test(version_that_cannot_be_served_falls_back_to_another_range),
        cmocka_unit_test(weight_of_zero_means_no),
        cmocka_unit_test(types_that_are_not_ours_are_not_acceptable),
        cmocka_unit_test(separators_inside_quotes_do_not_separate),
        cmocka_unit_test(files_are_also_given_as_gzip_csv_and_streams),
        cmocka_unit_test(media_type_names_the_version),
        cmocka_unit_test(streams_are_for_lists_that_can_be_followed),
        cmocka_unit_test(body_must_be_json_in_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
