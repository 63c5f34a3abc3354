/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of cells that somebody has made, as lines: figures on the right, colours, curves. Leaves out what matters least when the line is short. */
#ifndef CLI_OUTPUT_GRID_H
#define CLI_OUTPUT_GRID_H

#include "cli/output/terminal.h"

struct grid_column {
    const char *title;
    bool is_figure;  /* on the right of its column */
    int unimportant; /* the highest is left out first; 0: never */
    int least;       /* a text that is cut to this before others are left out; 0: not cut */
    bool has_end;    /* what matters in it is at its end: it is cut in front */
};

struct cell {
    str text; /* anything: it is made harmless here */
    enum style style;
};

enum { GRID_COLUMNS = 16 };

/* The heading and a line a row: row_count + 1. `cells` has column_count for each row. */
void grid_make(struct arena *arena, const struct grid_column *columns, size_t column_count, const struct cell *cells,
               size_t row_count, int width, bool color, str *ret_lines);

/* One line of a text, cut to the width; harmless. */
str grid_line(struct arena *arena, str text, enum style style, int width, bool color);

/* A curve, one letter a value, between 0 and `top`; the highest value when `top` is 0. NAN is a gap. */
str grid_curve(struct arena *arena, const double *values, size_t count, double top);

/* Short figures: "7", "12.5", "1,234", "3.4 M"; "12%"; "850 ms", "12 s", "5 min", "3 h", "4 d". NAN is "–". */
str grid_number(struct arena *arena, double value);
str grid_percent(struct arena *arena, double value);
str grid_seconds(struct arena *arena, double seconds);

#endif
