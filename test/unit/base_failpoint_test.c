/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failpoint.h"

/* The wait status of a process that passes `first` twice and then `second`, with these fail points set. */
static int
pass_with(const char *text)
{
    pid_t child = fork();
    if (child == 0) {
        FILE *nowhere = fopen("/dev/null", "w");
        if (nowhere == NULL || !failpoint_init(text, nowhere))
            _exit(2);
        failpoint("first");
        failpoint("first");
        failpoint("%s:%d", "second", 7);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void
process_is_killed_where_it_was_asked_for(void **state)
{
    (void)state;
    assert_int_equal(WTERMSIG(pass_with("first=kill")), SIGKILL);
    assert_int_equal(WTERMSIG(pass_with("second:7=kill")), SIGKILL);
    assert_int_equal(WTERMSIG(pass_with("other=kill,first=kill@2")), SIGKILL);
    assert_int_equal(pass_with("first=kill@3"), 0);
    assert_int_equal(pass_with("second=kill"), 0);
    assert_int_equal(pass_with(NULL), 0);
    assert_int_equal(pass_with(""), 0);
}

static void
process_sleeps_as_long_as_it_was_asked_to(void **state)
{
    (void)state;
    int64_t began_ms = clock_steady_ms();
    assert_int_equal(pass_with("first=sleep:200@1"), 0);
    assert_in_range(clock_steady_ms() - began_ms, 200, patient(5000));
}

static void
what_cannot_be_understood_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "first",        "=kill",       "first=",        "first=die",    "first=kill@0",
        "first=kill@x", "first=sleep", "first=sleep:x", "first=kill,,", "first=kill,second"
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        int status = pass_with(wrong[i]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 2)
            fail_msg("\"%s\" was taken", wrong[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process_is_killed_where_it_was_asked_for),
        cmocka_unit_test(process_sleeps_as_long_as_it_was_asked_to),
        cmocka_unit_test(what_cannot_be_understood_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
