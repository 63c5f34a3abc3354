/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal: whether there is one, its width, and whether to use colours. */
#ifndef CLI_OUTPUT_TERMINAL_H
#define CLI_OUTPUT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"

struct terminal {
    bool out, err; /* whether standard output and standard error are terminals */
    bool in;
    bool color_out, color_err;
    int width;
};

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_FAINT, STYLE_RED, STYLE_GREEN, STYLE_YELLOW, STYLE_CYAN };

/* `columns`: the width that the environment says, or NULL. */
struct terminal terminal_look(bool no_color, const char *term, const char *columns);

/* The codes that switch a style on and off again; empty without colours. */
const char *style_on(bool color, enum style style);
const char *style_off(bool color, enum style style);

/* How many columns a text takes: letters of two columns, and marks of none, are counted as such. */
size_t text_width(str text);
/* As many whole letters from the front as fit into `width` columns. */
str text_fit(str text, size_t width);
/* One line of the text without control characters, which a terminal would execute. */
str text_harmless(struct arena *arena, str text);
/* Prints lines of at most `width` columns, each indented by `indent` spaces; the first continues after `used` columns. */
void text_wrap(FILE *out, const char *text, int indent, int used, int width);

#endif
