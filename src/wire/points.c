/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/points.h"

#include <math.h>
#include <stdio.h>

enum { MOST_TIME_DIGITS = 13, FRACTION_DIGITS = 6 };
static const double most_fraction = 1e15, most_number = 1e18;

/* ---- Writing ---- */
static void
add_name(struct buf *out, enum metric_scope scope, str name)
{
    if (scope == METRIC_PROCESS)
        buf_add_char(out, '-');
    else if (str_is(name, "-")) /* which alone means that there is none */
        buf_add_text(out, "%2D");
    else
        buf_add_percent_encoded(out, name);
}

struct points_writer
points_begin(struct buf *out, id member, int64_t time_ms, enum metric_scope scope, str name)
{
    char digits[ID_DIGITS + 1];
    bool has_name = scope == METRIC_PROCESS || (name.len > 0 && name.len <= POINTS_NAME_BYTES && str_is_text(name));
    struct points_writer writer = { out, out->len, 0, has_name };
    id_write(member, digits);
    buf_format(out, "%s %lld %c ", digits, (long long)time_ms, metric_scope_letter(scope));
    add_name(out, scope, name);
    return writer;
}

/* Without an exponent and without zeros at the end of a fraction. */
static size_t
write_number(double value, char text[POINTS_NUMBER_BYTES + 1])
{
    bool has_fraction = fabs(value) < most_fraction && value != (double)(int64_t)value;
    int length = snprintf(text, POINTS_NUMBER_BYTES + 1, "%.*f", has_fraction ? FRACTION_DIGITS : 0, value);
    if (!has_fraction)
        return (size_t)length;
    while (text[length - 1] == '0')
        length--;
    return (size_t)(text[length - 1] == '.' ? length - 1 : length);
}

void
points_add(struct points_writer *writer, enum metric_number metric, double value)
{
    char text[POINTS_NUMBER_BYTES + 1];
    if (!isfinite(value) || fabs(value) >= most_number)
        return;
    buf_add_char(writer->out, writer->values++ == 0 ? ' ' : ',');
    buf_add_text(writer->out, metric_table[metric].name);
    buf_add_char(writer->out, '=');
    buf_add(writer->out, (str){ text, write_number(value, text) });
}

void
points_end(struct points_writer *writer)
{
    struct buf *out = writer->out;
    buf_add_char(out, '\n');
    if (!out->failed && (!writer->has_name || writer->values == 0 || out->len - writer->began_at > POINTS_LINE_BYTES))
        out->len = writer->began_at;
}

/* ---- Reading ---- */
struct points_reader
points_read(str body)
{
    return (struct points_reader){ .rest = body };
}

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

static bool
is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~' || c == ':' || c == '@'; /* as buf_add_percent_encoded() leaves them */
}

/* One byte of a name off the beginning of `rest`; -1 when it is not written as a name is. */
static int
take_byte(str *rest)
{
    int high, low;
    bool is_escaped = rest->data[0] == '%';
    if (!is_escaped && !is_plain(rest->data[0]))
        return -1;
    if (!is_escaped) {
        int byte = (unsigned char)rest->data[0];
        *rest = str_slice(*rest, 1, rest->len);
        return byte;
    }
    if (rest->len < 3 || (high = hex_digit(rest->data[1])) < 0 || (low = hex_digit(rest->data[2])) < 0)
        return -1;
    *rest = str_slice(*rest, 3, rest->len);
    return high * 16 + low;
}

static bool
read_name(str text, struct points_line *line)
{
    size_t length = 0;
    while (text.len > 0) {
        int byte = take_byte(&text);
        if (byte < 0 || length == POINTS_NAME_BYTES)
            return false;
        line->name_bytes[length++] = (char)byte;
    }
    line->name_bytes[length] = '\0';
    line->name = (str){ line->name_bytes, length };
    return length > 0 && str_is_text(line->name);
}

static size_t
count_digits(str text)
{
    size_t count = 0;
    while (count < text.len && text.data[count] >= '0' && text.data[count] <= '9')
        count++;
    return count;
}

static bool
is_number(str text)
{
    if (text.len == 0 || text.len > POINTS_NUMBER_BYTES)
        return false;
    if (text.data[0] == '-')
        text = str_slice(text, 1, text.len);
    size_t whole = count_digits(text);
    if (whole == 0 || whole == text.len)
        return whole > 0;
    str fraction = str_slice(text, whole + 1, text.len);
    return text.data[whole] == '.' && fraction.len > 0 && count_digits(fraction) == fraction.len;
}

static bool
is_metric_name(str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return name.len > 0 && name.len <= POINTS_METRIC_BYTES;
}

/* Agents write in the order of the table: the search begins behind the metric before, and mostly ends there. */
static const struct metric *
find_near(size_t from, str name)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const struct metric *metric = &metric_table[(from + i) % METRIC_COUNT];
        if (str_is(name, metric->name))
            return metric;
    }
    return NULL;
}

static bool
is_there(const struct points_line *line, const struct metric *metric)
{
    for (size_t i = 0; i < line->value_count; i++) {
        if (line->values[i].metric == metric)
            return true;
    }
    return false;
}

/* NULL, or what is wrong with "METRIC=number". */
static const char *
read_value(struct points_reader *reader, struct points_line *line, str text)
{
    str number = text, name = str_cut(&number, '=');
    if (!is_metric_name(name))
        return "The name of a metric is malformed.";
    if (!is_number(number))
        return "A value is no decimal number of at most 24 characters.";
    size_t near = line->value_count == 0 ? 0 : line->values[line->value_count - 1].metric->number + 1;
    const struct metric *metric = find_near(near, name);
    if (metric == NULL) {
        reader->unknown++;
        return NULL;
    }
    if (metric->scope != line->scope)
        return "A metric is of another scope.";
    if (is_there(line, metric))
        return "A metric is there twice.";
    line->values[line->value_count++] = (struct point_value){ metric, number };
    return NULL;
}

static const char *
read_values(struct points_reader *reader, struct points_line *line, str text)
{
    if (text.len == 0 || text.data[text.len - 1] == ',')
        return "There is no value where one must be.";
    while (text.len > 0) {
        const char *problem = read_value(reader, line, str_cut(&text, ','));
        if (problem != NULL)
            return problem;
    }
    return NULL;
}

static const char *
read_line(struct points_reader *reader, struct points_line *line, str text)
{
    str member = str_cut(&text, ' '), time = str_cut(&text, ' '), scope = str_cut(&text, ' '),
        name = str_cut(&text, ' ');
    line->value_count = 0;
    line->name = STR_EMPTY;
    if (!id_parse(member, &line->member))
        return "The member's identifier is malformed.";
    if (time.len > MOST_TIME_DIGITS || !str_to_int(time, 1, INT64_MAX, &line->time_ms))
        return "The time is malformed.";
    if (scope.len != 1 || !metric_scope_of_letter(scope.data[0], &line->scope))
        return "There is no such scope.";
    bool has_name = !str_is(name, "-");
    if (has_name != (line->scope != METRIC_PROCESS) || (has_name && !read_name(name, line)))
        return "The name is malformed.";
    return read_values(reader, line, text);
}

static enum points_found
bad(struct points_reader *reader, const char *problem)
{
    reader->problem = problem;
    return POINTS_BAD;
}

enum points_found
points_next(struct points_reader *reader, struct points_line *ret_line)
{
    if (reader->rest.len == 0)
        return POINTS_END;
    reader->line_number++;
    const char *end = memchr(reader->rest.data, '\n', reader->rest.len);
    size_t length = end == NULL ? reader->rest.len : (size_t)(end - reader->rest.data);
    if (length + 1 > POINTS_LINE_BYTES)
        return bad(reader, "The line is too long.");
    if (end == NULL)
        return bad(reader, "The line has no end.");
    str text = str_slice(reader->rest, 0, length);
    reader->rest = str_slice(reader->rest, length + 1, reader->rest.len);
    const char *problem = read_line(reader, ret_line, text);
    return problem == NULL ? POINTS_LINE : bad(reader, problem);
}
