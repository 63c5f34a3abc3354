/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole terminal as a picture that is drawn again and again. Only lines that changed are written, in one write, so nothing
 * flickers. The terminal is as before on every way out but kill -9: what was on it comes back, and so does the cursor.
 */
#ifndef CLI_OUTPUT_SCREEN_H
#define CLI_OUTPUT_SCREEN_H

#include "base/str.h"

struct screen;

enum key { KEY_NONE, KEY_QUIT, KEY_SORT, KEY_UP, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_FIRST, KEY_LAST };
enum { SCREEN_FDS = 2 };

/* NULL: standard input and output are no terminal that can do it. */
MUST_USE struct screen *screen_open(void);
void screen_close(struct screen *screen);

int screen_width(const struct screen *screen);
int screen_height(const struct screen *screen);
/* What to wait for: keys, and signals. */
const int *screen_fds(const struct screen *screen);

/* Lines of at most the screen's width; they may have colours. */
void screen_draw(struct screen *screen, const str *lines, size_t count);

/* The next key that was pressed; never waits. */
enum key screen_key(struct screen *screen);
/* Deals with signals that came; never waits. The signal that ends the program, or 0. A new size means a whole new drawing. */
int screen_signal(struct screen *screen);

#endif
