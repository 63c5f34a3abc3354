/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output/grid.h"

#include <math.h>

enum { GAP = 2, WIDEST = 48, NARROWEST = 4, LINE_BYTES = 64 * 1024 };

/* ---- Figures ---- */
static const str no_value = { "–", sizeof("–") - 1 };

str
grid_number(struct arena *arena, double value)
{
    if (isnan(value))
        return no_value;
    if (value >= 1e6)
        return str_format(arena, "%.1f M", value / 1e6);
    if (value >= 1000)
        return str_format(arena, "%d,%03d", (int)(value + 0.5) / 1000, (int)(value + 0.5) % 1000);
    return str_format(arena, value >= 100 || floor(value) == value ? "%.0f" : "%.1f", value);
}

str
grid_percent(struct arena *arena, double value)
{
    return isnan(value) ? no_value : str_format(arena, "%.0f%%", value);
}

str
grid_seconds(struct arena *arena, double seconds)
{
    if (isnan(seconds))
        return no_value;
    if (seconds > 0 && seconds < 1)
        return str_format(arena, "%.0f ms", seconds * 1000);
    if (seconds < 120)
        return str_format(arena, seconds < 10 && floor(seconds) != seconds ? "%.1f s" : "%.0f s", seconds);
    if (seconds < 2 * 3600)
        return str_format(arena, "%.0f min", floor(seconds / 60));
    return str_format(arena, seconds < 48 * 3600 ? "%.0f h" : "%.0f d",
                      floor(seconds / (seconds < 48 * 3600 ? 3600 : 86400)));
}

static double
highest(const double *values, size_t count)
{
    double found = 0;
    for (size_t i = 0; i < count; i++)
        found = !isnan(values[i]) && values[i] > found ? values[i] : found;
    return found;
}

str
grid_curve(struct arena *arena, const double *values, size_t count, double top)
{
    static const char *const levels[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    struct buf out = buf_in(arena, count * 4 + 1);
    top = top > 0 ? top : highest(values, count);
    for (size_t i = 0; i < count; i++) {
        double part = isnan(values[i]) || top <= 0 ? 0 : values[i] / top;
        size_t level = part <= 0 ? 0 : part >= 1 ? LENGTH(levels) - 1 : (size_t)(part * (double)LENGTH(levels));
        buf_add_text(&out, isnan(values[i]) ? " " : levels[level]);
    }
    return buf_str(&out);
}

/* ---- Lines ---- */
struct plan {
    const struct grid_column *columns;
    size_t count;
    size_t widths[GRID_COLUMNS];
    bool is_shown[GRID_COLUMNS];
};

static size_t
width_of(const struct plan *plan)
{
    size_t width = 0;
    for (size_t i = 0; i < plan->count; i++)
        width += plan->is_shown[i] ? plan->widths[i] + (width > 0 ? GAP : 0) : 0;
    return width;
}

/* The least important column that is still shown; -1: none may go. */
static int
least_important(const struct plan *plan)
{
    int found = -1;
    for (size_t i = 0; i < plan->count; i++) {
        int than = found < 0 ? 0 : plan->columns[found].unimportant;
        if (plan->is_shown[i] && plan->columns[i].unimportant > than)
            found = (int)i;
    }
    return found;
}

/* Texts are cut first, then columns go, then the widest of those that may not go is cut. Room that is left goes to the texts. */
static void
fit(struct plan *plan, size_t width)
{
    size_t whole[GRID_COLUMNS];
    int gone;
    memcpy(whole, plan->widths, sizeof(whole));
    for (size_t i = 0; i < plan->count; i++) {
        size_t least = (size_t)plan->columns[i].least;
        plan->widths[i] = least > 0 && least < whole[i] ? least : whole[i];
    }
    while (width_of(plan) > width && (gone = least_important(plan)) >= 0)
        plan->is_shown[gone] = false;
    for (size_t i = 0; i < plan->count; i++) {
        while (plan->is_shown[i] && plan->widths[i] < whole[i] && width_of(plan) < width)
            plan->widths[i]++;
    }
    while (width_of(plan) > width) {
        size_t widest = 0;
        for (size_t i = 1; i < plan->count; i++)
            widest = plan->is_shown[i] && plan->widths[i] > plan->widths[widest] ? i : widest;
        if (plan->widths[widest] <= NARROWEST)
            return;
        plan->widths[widest]--;
    }
}

/* As much as fits beside the sign that something is missing. */
static str
cut_text(struct arena *arena, str text, size_t width, bool has_end)
{
    if (text_width(text) <= width)
        return text;
    if (!has_end)
        return str_format(arena, "%.*s…", STR_ARG(text_fit(text, width - 1)));
    while (text_width(text) > width - 1) {
        size_t letter = text_fit(text, 1).len;
        text = str_slice(text, letter > 0 ? letter : text_fit(text, 2).len, text.len);
    }
    return str_format(arena, "…%.*s", STR_ARG(text));
}

str
grid_line(struct arena *arena, str text, enum style style, int width, bool color)
{
    str shown = cut_text(arena, text_harmless(arena, text), (size_t)width, false);
    return str_format(arena, "%s%.*s%s", style_on(color, style), STR_ARG(shown), style_off(color, style));
}

static str
make_line(struct arena *arena, const struct plan *plan, const struct cell *row, bool color)
{
    struct buf out = buf_in(arena, LINE_BYTES);
    size_t pad = 0; /* spaces that are due before the next letter: none at the end of a line */
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->is_shown[i])
            continue;
        str text = cut_text(arena, row[i].text, plan->widths[i], plan->columns[i].has_end);
        size_t room = plan->widths[i] - text_width(text);
        pad += plan->columns[i].is_figure ? room : 0;
        if (text.len > 0) {
            buf_format(&out, "%*s%s%.*s%s", (int)pad, "", style_on(color, row[i].style), STR_ARG(text),
                       style_off(color, row[i].style));
            pad = 0;
        }
        pad += (plan->columns[i].is_figure ? 0 : room) + GAP;
    }
    return buf_str(&out);
}

void
grid_make(struct arena *arena, const struct grid_column *columns, size_t column_count, const struct cell *cells,
          size_t row_count, int width, bool color, str *ret_lines)
{
    struct plan plan = { .columns = columns, .count = column_count };
    struct cell *all = ARENA_ARRAY(arena, struct cell, (row_count + 1) * column_count);
    for (size_t i = 0; all != NULL && i < (row_count + 1) * column_count; i++) {
        size_t column = i % column_count;
        str text =
            i < column_count ? str_from(columns[column].title) : text_harmless(arena, cells[i - column_count].text);
        size_t wide = text_width(text);
        all[i] = (struct cell){ text, i < column_count ? STYLE_BOLD : cells[i - column_count].style };
        wide = wide < WIDEST ? wide : WIDEST;
        plan.widths[column] = plan.widths[column] > wide ? plan.widths[column] : wide;
        plan.is_shown[column] = true;
    }
    fit(&plan, (size_t)width);
    for (size_t row = 0; row <= row_count; row++)
        ret_lines[row] = all == NULL ? STR_EMPTY : make_line(arena, &plan, all + row * column_count, color);
}
