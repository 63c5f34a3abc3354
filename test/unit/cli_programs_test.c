/* SPDX-License-Identifier: Apache-2.0 */
/* What one program prints, carried out by another: as a whole or not at all. */
#include <stdlib.h>
#include <unistd.h>

#include "arena_fixture.h"
#include "cli/database/programs.h"

static char path[] = "/tmp/reeve-programs.XXXXXX";

static int
set_up(void **state)
{
    close(mkstemp(path));
    return open_arena(state);
}

static int
tear_down(void **state)
{
    unlink(path);
    return close_arena(state);
}

static enum copied
copy(const char *reader, const char *writer)
{
    int64_t bytes;
    setenv("TAKEN", path, 1);
    const char *const reading[] = { "sh", "-c", reader, NULL }, *const writing[] = { "sh", "-c", writer, NULL };
    return program_copy(reading, writing, &bytes);
}

static str
taken(void)
{
    str line;
    const char *const shown[] = { "sh", "-c", "tr '\\n' '|' < \"$TAKEN\"", NULL };
    assert_true(program_ask(arena, shown, &line));
    return line;
}

static void
what_was_read_to_its_end_is_committed(void **state)
{
    (void)state;
    assert_int_equal(copy("echo one; echo two", "cat > \"$TAKEN\""), COPIED);
    assert_string_equal(taken().data, "BEGIN;|one|two||COMMIT;|");
}

static void
a_reader_that_fails_leaves_nothing_to_commit(void **state)
{
    (void)state;
    assert_int_equal(copy("echo one; exit 1", "cat > \"$TAKEN\""), NOT_READ);
    assert_string_equal(taken().data, "BEGIN;|one|");
    assert_int_equal(copy("echo one; kill -9 $$", "cat > \"$TAKEN\""), NOT_READ);
    assert_string_equal(taken().data, "BEGIN;|one|");
}

static void
a_writer_that_fails_ends_it(void **state)
{
    (void)state;
    assert_int_equal(copy("echo one", "cat > /dev/null; exit 3"), NOT_WRITTEN);
    /* It does not listen any more, and the reader would go on for ever. */
    assert_int_equal(copy("yes", "exit 3"), NOT_WRITTEN);
}

static void
programs_that_are_not_there_are_failures(void **state)
{
    (void)state;
    str line;
    const char *const none[] = { "there-is-no-such-program", NULL }, *const fails[] = { "false", NULL };
    assert_false(program_ask(arena, none, &line));
    assert_false(program_ask(arena, fails, &line));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_read_to_its_end_is_committed),
        cmocka_unit_test(a_reader_that_fails_leaves_nothing_to_commit),
        cmocka_unit_test(a_writer_that_fails_ends_it),
        cmocka_unit_test(programs_that_are_not_there_are_failures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
