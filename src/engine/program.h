/* SPDX-License-Identifier: Apache-2.0 */
/* Runs small programs of the system and waits for them. */
#ifndef ENGINE_PROGRAM_H
#define ENGINE_PROGRAM_H

#include <sys/types.h>

#include "engine/problem.h"

/* argv[0] is its path. `input` is its standard input. The error has what it said about why it failed; it is of the moment when it was killed. */
MUST_USE error program_run(struct arena *arena, const char *const *argv, str input);
/* The same with what it said on both of its outputs, up to so many bytes; also when it failed, if it ran at all. */
MUST_USE error program_ask(struct arena *arena, const char *const *argv, str input, size_t cap_bytes, str *ret_said);

/* The same for who wants to know how it ended; an error only when it could not be run. Negative: it was killed. */
MUST_USE error program_try(struct arena *arena, const char *const *argv, size_t cap_bytes, int *ret_status,
                           str *ret_said);
/* Begins it and does not wait. What it says goes into one file, what it says about why it failed into another. */
MUST_USE error program_begin(struct arena *arena, const char *const *argv, int output, int complaints,
                             pid_t *ret_child);
/* The line that says what is wrong, as pgBackRest marks it; else the first. */
str program_complaint(struct arena *arena, str said);

#endif
