/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 1000 };

struct terminal
terminal_look(bool no_color, const char *term, const char *columns)
{
    struct terminal t = { .out = isatty(STDOUT_FILENO), .err = isatty(STDERR_FILENO), .in = isatty(STDIN_FILENO) };
    bool color = !no_color && term != NULL && strcmp(term, "dumb") != 0;
    struct winsize size;
    int64_t width = 0;
    t.color_out = t.out && color;
    t.color_err = t.err && color;
    if (columns == NULL || !str_to_int(str_from(columns), LEAST_WIDTH, MOST_WIDTH, &width)) {
        int fd = t.out ? STDOUT_FILENO : STDERR_FILENO;
        width = ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    }
    t.width = width >= LEAST_WIDTH && width <= MOST_WIDTH ? (int)width : USUAL_WIDTH;
    return t;
}

const char *
style_on(bool color, enum style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",         [STYLE_BOLD] = "\033[1m",    [STYLE_FAINT] = "\033[2m", [STYLE_RED] = "\033[31m",
        [STYLE_GREEN] = "\033[32m", [STYLE_YELLOW] = "\033[33m", [STYLE_CYAN] = "\033[36m",
    };
    return color ? codes[style] : "";
}

const char *
style_off(bool color, enum style style)
{
    return color && style != STYLE_PLAIN ? "\033[0m" : "";
}

/* ---- Letters ---- */
/* The code point at *at, which moves behind it; a byte that is no UTF-8 counts as a letter. */
static uint32_t
next_letter(str text, size_t *at)
{
    unsigned char c = (unsigned char)text.data[*at];
    size_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    uint32_t letter = more == 3 ? c & 7 : more == 2 ? c & 15 : more == 1 ? c & 31 : c;
    (*at)++;
    for (; more > 0 && *at < text.len && ((unsigned char)text.data[*at] & 0xc0) == 0x80; more--, (*at)++)
        letter = letter << 6 | ((unsigned char)text.data[*at] & 0x3f);
    return letter;
}

static bool
is_between(uint32_t c, uint32_t first, uint32_t last)
{
    return c >= first && c <= last;
}

/* Not wcwidth(): that depends on the locale, and in C it knows ASCII only. */
static size_t
letter_width(uint32_t c)
{
    if (is_between(c, 0x300, 0x36f) || is_between(c, 0x200b, 0x200f) || is_between(c, 0xfe00, 0xfe0f))
        return 0;
    if (is_between(c, 0x1100, 0x115f) || is_between(c, 0x2e80, 0xa4cf) || is_between(c, 0xac00, 0xd7a3) ||
        is_between(c, 0xf900, 0xfaff) || is_between(c, 0xfe30, 0xfe6f) || is_between(c, 0xff00, 0xff60) ||
        is_between(c, 0x1f300, 0x1faff) || is_between(c, 0x20000, 0x3fffd))
        return 2;
    return 1;
}

size_t
text_width(str text)
{
    size_t width = 0;
    for (size_t at = 0; at < text.len;)
        width += letter_width(next_letter(text, &at));
    return width;
}

str
text_fit(str text, size_t width)
{
    size_t used = 0;
    for (size_t at = 0; at < text.len;) {
        size_t before = at;
        used += letter_width(next_letter(text, &at));
        if (used > width)
            return str_slice(text, 0, before);
    }
    return text;
}

str
text_harmless(struct arena *arena, str text)
{
    struct buf out = buf_in(arena, text.len * 3 + 16);
    for (size_t at = 0; at < text.len;) {
        size_t before = at;
        uint32_t c = next_letter(text, &at);
        if (c < 0x20 || is_between(c, 0x7f, 0x9f) || is_between(c, 0x202a, 0x202e) || is_between(c, 0x2066, 0x2069))
            buf_add_text(&out, c == '\n' || c == '\t' ? " " : "\xef\xbf\xbd");
        else
            buf_add(&out, str_slice(text, before, at));
    }
    return buf_str(&out);
}

void
text_wrap(FILE *out, const char *text, int indent, int used, int width)
{
    str rest = str_from(text);
    int at = used;
    bool first = true;
    while (rest.len > 0) {
        str word = str_cut(&rest, ' ');
        int wide = (int)text_width(word);
        if (!first && at + 1 + wide > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", STR_ARG(word));
        at += wide + (first ? 0 : 1);
        first = false;
    }
    fputc('\n', out);
}
