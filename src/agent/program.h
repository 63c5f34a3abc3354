/* SPDX-License-Identifier: Apache-2.0 */
/* Runs small programs of the system and waits for them. */
#ifndef AGENT_PROGRAM_H
#define AGENT_PROGRAM_H

#include "engine/problem.h"

/* argv[0] is its path. `input` is its standard input. The error has what it said about why it failed. */
MUST_USE error program_run(struct arena *arena, const char *const *argv, str input);

#endif
