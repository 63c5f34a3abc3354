/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named places at which a test can make the process die, stop or sleep: the only way to test what is left behind when
 * it ends exactly there. They are always compiled in, so that tests run the same program as operators. Without
 * REEVE_FAILPOINTS in the environment each costs one load.
 *
 *     REEVE_FAILPOINTS="job:cluster.create:wait-primary:before-effect=kill,report:after-commit=sleep:500,goal=kill@2"
 *
 * kill: SIGKILL; stop: SIGSTOP; sleep:N: N milliseconds. @N: only when the place is reached for the Nth time, else each
 * time.
 */
#ifndef BASE_FAILPOINT_H
#define BASE_FAILPOINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/attributes.h"

enum { FAILPOINT_MAX = 64, FAILPOINT_NAME_MAX = 127 };

#define FAILPOINT_VARIABLE "REEVE_FAILPOINTS"

/*
 * Once, before threads and processes start, with the variable's value or NULL. False, with a line in `problems`, when
 * the value is not valid: a test without its fail point must not look like one that passed.
 */
MUST_USE bool failpoint_init(const char *text, FILE *problems);

/* The name is formatted only when there is a place to look for. */
#define failpoint(...)                                                       \
    do {                                                                     \
        if (atomic_load_explicit(&failpoint_is_armed, memory_order_relaxed)) \
            failpoint_reach(__VA_ARGS__);                                    \
    } while (0)

extern atomic_bool failpoint_is_armed;
void failpoint_reach(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
