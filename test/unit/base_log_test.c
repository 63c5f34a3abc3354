/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"

/* What log_line() wrote to standard error while `message` was logged. */
static str
logged(struct arena *arena, const char *message)
{
    int ends[2], kept = dup(STDERR_FILENO);
    char *text = arena_alloc(arena, 65536);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    log_line(LOG_WARNING, "redis_lost", "%s", message);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[1]);
    ssize_t length = read(ends[0], text, 65536);
    close(ends[0]);
    assert_true(length > 0);
    return (str){ text, (size_t)length };
}

static void
expect_message(const char *message, const char *expected)
{
    struct arena *arena = arena_new(1 << 20);
    json_t *json;
    str line = logged(arena, message);
    assert_int_equal(line.data[line.len - 1], '\n');
    assert_int_equal(str_find(line, '\n'), line.len - 1);
    assert_ptr_equal(json_parse(arena, line, &json), OK);
    assert_string_equal(json_string_value(json_object_get(json, "level")), "warning");
    assert_string_equal(json_string_value(json_object_get(json, "event")), "redis_lost");
    if (expected != NULL)
        assert_string_equal(json_string_value(json_object_get(json, "message")), expected);
    else
        assert_true(strlen(json_string_value(json_object_get(json, "message"))) > 1000);
    arena_free(arena);
}

static void
line_is_one_json_object(void **state)
{
    (void)state;
    expect_message("It is gone.", "It is gone.");
    expect_message("two\nlines \"quoted\"", "two\nlines \"quoted\"");
}

static void
bytes_that_are_no_text_are_replaced(void **state)
{
    (void)state;
    expect_message("a\xff"
                   "b",
                   "a?b");
}

/* Eight kilobytes once made an empty line. */
static void
long_message_is_cut_and_not_lost(void **state)
{
    (void)state;
    char *message = malloc(20000);
    memset(message, 'x', 19999);
    message[19999] = '\0';
    expect_message(message, NULL);
    memset(message, '\x01', 19999);
    expect_message(message, NULL);
    free(message);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_is_one_json_object),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(long_message_is_cut_and_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
