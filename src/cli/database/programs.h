/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL's own programs as children: psql asked for one value, and what pg_dump writes read by psql. */
#ifndef CLI_DATABASE_PROGRAMS_H
#define CLI_DATABASE_PROGRAMS_H

#include "cli/cli.h"

/*
 * The first line that the program prints, without its end. False when it cannot be started or fails; what it says about that is on
 * standard error.
 */
MUST_USE bool program_ask(struct arena *arena, const char *const *arguments, str *ret_line);

enum copied { COPIED, NOT_READ, NOT_WRITTEN };
/*
 * One transaction of what `reader` prints, carried out by `writer`: it is committed only when the reader ended well. Ctrl-C reaches
 * both, and not us.
 */
MUST_USE enum copied program_copy(const char *const *reader, const char *const *writer, int64_t *ret_bytes);

#endif
