/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of lines that people write: settings, prices. Empty lines and comments that begin with # are left out. Mistakes
 * are reported with the name of the file and the number of the line.
 */
#ifndef BASE_LINE_FILE_H
#define BASE_LINE_FILE_H

#include <stdio.h>

#include "base/str.h"

enum { LINE_FILE_LONGEST = 4096 };

struct line_file {
    const char *path;
    FILE *problems;
    unsigned line, mistakes;
};

/* A mistake in the line that is being read. */
void line_file_complain(struct line_file *file, const char *format, ...) PRINTF_LIKE(2, 3);

/* `each` gets every line without the space around it; reading ends at one of `line_bytes` or more, which is a mistake. False, a mistake as
 * well, when there is no such file or it is too large. `line_bytes` is at most LINE_FILE_LONGEST. */
bool line_file_read(struct line_file *file, size_t line_bytes, void (*each)(void *context, str line), void *context);

#endif
