/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/promql.h"

enum { MOST_DEPTH = 32, SAMPLE_EVERY_MS = 10 * 1000, OUT_BYTES = 512 * 1024 };
#define MOST_DURATION_MS (10LL * 366 * 24 * 3600 * 1000)

struct reader {
    struct arena *arena;
    str text;
    size_t at; /* of the next byte */
    int depth;
    struct promql_span span;
    double subquery_points, visits; /* all of them; the most of one window */
    char project[ID_DIGITS + 1];
    struct buf out; /* the text until `copied`, with matchers */
    size_t copied;
    str why; /* empty: nothing is wrong so far */
};

// clang-format off
static const char *const aggregations[] = { "avg", "bottomk", "count", "count_values", "group", "max", "min", "quantile", "stddev", "stdvar", "sum", "topk", NULL };
static const char *const functions[] = {
    "abs", "absent", "absent_over_time", "acos", "acosh", "asin", "asinh", "atan", "atanh", "avg_over_time", "ceil", "changes", "clamp",
    "clamp_max", "clamp_min", "cos", "cosh", "count_over_time", "day_of_month", "day_of_week", "days_in_month", "deg", "delta", "deriv",
    "exp", "floor", "histogram_quantile", "holt_winters", "hour", "idelta", "increase", "irate", "label_join", "label_replace",
    "last_over_time", "ln", "log10", "log2", "max_over_time", "min_over_time", "minute", "month", "pi", "predict_linear",
    "present_over_time", "quantile_over_time", "rad", "rate", "resets", "round", "scalar", "sgn", "sin", "sinh", "sort", "sort_desc",
    "sqrt", "stddev_over_time", "stdvar_over_time", "sum_over_time", "tan", "tanh", "time", "timestamp", "vector", "year", NULL };
/* Longer ones first. */
static const char *const operators[] = { "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "^", NULL };
static const char *const word_operators[] = { "and", "or", "unless", "atan2", NULL };
/* Words that stores read as something else than the name of a series. */
static const char *const reserved[] = { "with", "if", "ifnot", "default", "limit", "keep_metric_names", "keep_common", "by", "without", "on",
                                        "ignoring", "group_left", "group_right", "bool", "offset", "prefix", "start", "end", NULL };
// clang-format on

/* ---- Bytes and words ---- */
static bool
refuse(struct reader *in, const char *why)
{
    if (in->why.len == 0)
        in->why = str_format(in->arena, "%s at byte %zu of %.*s", why, in->at + 1, STR_ARG(in->text));
    return false;
}

static char
byte_at(const struct reader *in, size_t at)
{
    return at < in->text.len ? in->text.data[at] : '\0';
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void
skip_space(struct reader *in)
{
    for (char c = byte_at(in, in->at); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = byte_at(in, in->at))
        in->at++;
}

static bool
next_is(struct reader *in, const char *text)
{
    skip_space(in);
    return str_starts_with(str_slice(in->text, in->at, in->text.len), str_from(text));
}

static bool
take(struct reader *in, const char *text)
{
    if (!next_is(in, text))
        return false;
    in->at += strlen(text);
    return true;
}

static bool
need(struct reader *in, const char *text)
{
    return take(in, text) || refuse(in, str_format(in->arena, "\"%s\" is missing", text).data);
}

/* Colons are for names of series only. */
static str
peek_word(struct reader *in, bool with_colons)
{
    skip_space(in);
    size_t end = in->at;
    for (char c = byte_at(in, end); is_letter(c) || (with_colons && c == ':') || (end > in->at && is_digit(c));
         c = byte_at(in, ++end))
        ;
    return str_slice(in->text, in->at, end);
}

static bool
word_is_one_of(str word, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (str_eq_nocase(word, str_from(*words)))
            return true;
    }
    return false;
}

static bool
take_word(struct reader *in, const char *word)
{
    str next = peek_word(in, false);
    if (!str_eq_nocase(next, str_from(word)))
        return false;
    in->at += next.len;
    return true;
}

/* ---- Strings, numbers, durations ---- */
static bool
read_string(struct reader *in)
{
    skip_space(in);
    char quote = byte_at(in, in->at);
    if (quote != '"' && quote != '\'')
        return refuse(in, "a text in quotes is missing");
    for (in->at++; in->at < in->text.len; in->at++) {
        char c = byte_at(in, in->at);
        if (c == quote) {
            in->at++;
            return true;
        }
        if (c == '\\' && strchr("\\\"'ntr", byte_at(in, ++in->at)) == NULL)
            return refuse(in, "only \\\\, \\\", \\', \\n, \\t and \\r are known in a text, not this");
    }
    return refuse(in, "a text has no end");
}

static size_t
skip_digits(struct reader *in)
{
    size_t from = in->at;
    while (is_digit(byte_at(in, in->at)))
        in->at++;
    return in->at - from;
}

static bool
read_number(struct reader *in)
{
    skip_space(in);
    size_t digits = skip_digits(in);
    if (byte_at(in, in->at) == '.') {
        in->at++;
        digits += skip_digits(in);
    }
    char e = byte_at(in, in->at);
    if (digits > 0 && (e == 'e' || e == 'E')) {
        in->at++;
        if (byte_at(in, in->at) == '+' || byte_at(in, in->at) == '-')
            in->at++;
        digits = skip_digits(in);
    }
    if (digits == 0 || is_letter(byte_at(in, in->at)) || byte_at(in, in->at) == '.')
        return refuse(in, "this is not a number");
    return true;
}

static int64_t
unit_ms(str text, size_t *ret_length)
{
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = { { "ms", 1 },
                  { "s", 1000 },
                  { "m", 60 * 1000 },
                  { "h", 3600 * 1000 },
                  { "d", 24 * 3600000 },
                  { "w", 7 * 24 * 3600000 },
                  { "y", 365LL * 24 * 3600000 } };
    for (size_t i = 0; i < LENGTH(units); i++) {
        *ret_length = strlen(units[i].name);
        if (str_starts_with(text, str_from(units[i].name)))
            return units[i].ms;
    }
    return 0;
}

/* How many bytes of `text` are a duration; 0: none. */
static size_t
duration_at(str text, int64_t *ret_ms)
{
    size_t at = 0;
    int64_t total = 0;
    while (at < text.len && is_digit(text.data[at])) {
        int64_t number = 0;
        size_t length, digits = at;
        for (; at < text.len && is_digit(text.data[at]); at++) {
            if (at - digits > 12)
                return 0;
            number = number * 10 + (text.data[at] - '0');
        }
        int64_t ms = unit_ms(str_slice(text, at, text.len), &length);
        if (ms == 0 || number > MOST_DURATION_MS / ms || total + number * ms > MOST_DURATION_MS)
            return 0;
        total += number * ms;
        at += length;
    }
    if (at < text.len && (is_letter(text.data[at]) || text.data[at] == '.'))
        return 0;
    *ret_ms = total;
    return at;
}

bool
promql_duration(str text, int64_t *ret_ms)
{
    int64_t ms;
    if (text.len == 0 || duration_at(text, &ms) != text.len)
        return false;
    *ret_ms = ms;
    return true;
}

static bool
read_duration(struct reader *in, int64_t *ret_ms)
{
    skip_space(in);
    size_t length = duration_at(str_slice(in->text, in->at, in->text.len), ret_ms);
    if (length == 0)
        return refuse(in, "a duration such as 5m or 1h30m is missing");
    in->at += length;
    return true;
}

/* ---- Selectors ---- */
bool
promql_is_label(str text)
{
    bool fine = text.len > 0 && text.len <= 128 && is_letter(text.data[0]);
    for (size_t i = 1; fine && i < text.len; i++)
        fine = is_letter(text.data[i]) || is_digit(text.data[i]);
    return fine && !str_is(text, "__graphite__"); /* which stores take for a selector of another kind */
}

static bool
read_label(struct reader *in)
{
    str label = peek_word(in, false);
    if (!promql_is_label(label))
        return refuse(in, "the name of a label is missing");
    in->at += label.len;
    return true;
}

static bool
read_matchers(struct reader *in)
{
    while (!take(in, "}")) {
        if (!read_label(in))
            return false;
        if (!take(in, "=~") && !take(in, "!~") && !take(in, "!=") && !take(in, "="))
            return refuse(in, "=, !=, =~ or !~ is missing");
        if (!read_string(in))
            return false;
        if (!take(in, ",") && !next_is(in, "}"))
            return refuse(in, "\"}\" is missing");
    }
    return true;
}

static void
copy(struct reader *in)
{
    buf_add(&in->out, str_slice(in->text, in->copied, in->at));
    in->copied = in->at;
}

static bool
read_selector(struct reader *in)
{
    str name = peek_word(in, true);
    if (word_is_one_of(name, reserved) || word_is_one_of(name, word_operators))
        return refuse(in, "this word has a meaning of its own");
    in->at += name.len;
    bool has_matchers = take(in, "{");
    if (name.len == 0 && !has_matchers)
        return refuse(in, "an expression is missing");
    copy(in);
    buf_format(&in->out, "%sproject=\"%s\"%s", has_matchers ? "" : "{", in->project, has_matchers ? "," : "}");
    return !has_matchers || read_matchers(in);
}

/* ---- Expressions ---- */
static bool read_expression(struct reader *in);

static bool
read_labels(struct reader *in)
{
    if (!need(in, "("))
        return false;
    while (!take(in, ")")) {
        if (!read_label(in))
            return false;
        if (!take(in, ",") && !next_is(in, ")"))
            return refuse(in, "\")\" is missing");
    }
    return true;
}

static bool
read_arguments(struct reader *in)
{
    if (!need(in, "("))
        return false;
    if (take(in, ")"))
        return true;
    do {
        if (!(next_is(in, "\"") || next_is(in, "'") ? read_string(in) : read_expression(in)))
            return false;
    } while (take(in, ","));
    return need(in, ")");
}

static bool
read_grouping(struct reader *in, bool *ret_found)
{
    *ret_found = take_word(in, "by") || take_word(in, "without");
    return !*ret_found || read_labels(in);
}

static bool
read_aggregation(struct reader *in)
{
    bool is_grouped;
    if (!read_grouping(in, &is_grouped) || !read_arguments(in))
        return false;
    return is_grouped || read_grouping(in, &is_grouped);
}

/* What begins with a word: an aggregation, a function, a number without digits, or a series. */
static bool
read_named(struct reader *in)
{
    size_t before = in->at;
    str word = peek_word(in, true);
    in->at += word.len;
    bool is_called = next_is(in, "(");
    if (str_word(word, aggregations) >= 0 && (is_called || str_eq_nocase(peek_word(in, false), STR("by")) ||
                                              str_eq_nocase(peek_word(in, false), STR("without"))))
        return read_aggregation(in);
    if (is_called && str_word(word, functions) >= 0)
        return read_arguments(in);
    if (is_called) {
        in->at = before;
        return refuse(in, "PromQL has no such function, or it is not offered,");
    }
    if (str_eq_nocase(word, STR("inf")) || str_eq_nocase(word, STR("nan")))
        return true;
    in->at = before;
    return read_selector(in);
}

/* `[5m]` or `[1h:1m]`, behind what it is about. */
static bool
read_window(struct reader *in)
{
    int64_t window_ms = 0, step_ms = in->span.step_ms;
    if (!read_duration(in, &window_ms))
        return false;
    if (window_ms == 0)
        return refuse(in, "a window has no length");
    double every_ms = SAMPLE_EVERY_MS;
    if (take(in, ":")) {
        if (!next_is(in, "]") && !read_duration(in, &step_ms))
            return false;
        if (step_ms == 0)
            return refuse(in, "a subquery has no steps");
        double points = (double)(in->span.span_ms + window_ms) / (double)step_ms + 1;
        if (points > PROMQL_MOST_POINTS)
            return refuse(in, "a subquery has more than 11000 points");
        in->subquery_points += points;
        every_ms = step_ms < SAMPLE_EVERY_MS ? (double)step_ms : SAMPLE_EVERY_MS;
    }
    if ((double)window_ms / every_ms > in->visits)
        in->visits = (double)window_ms / every_ms;
    return need(in, "]");
}

static bool
read_moment(struct reader *in)
{
    if (take_word(in, "start") || take_word(in, "end"))
        return need(in, "(") && need(in, ")");
    return read_number(in);
}

static bool
read_behind(struct reader *in)
{
    int64_t ms;
    for (;;) {
        if (take(in, "[")) {
            if (!read_window(in))
                return false;
        } else if (take_word(in, "offset")) {
            (void)take(in, "-");
            if (!read_duration(in, &ms))
                return false;
        } else if (take(in, "@")) {
            if (!read_moment(in))
                return false;
        } else {
            return true;
        }
    }
}

static bool
read_operand(struct reader *in)
{
    while (take(in, "+") || take(in, "-"))
        ;
    skip_space(in);
    char c = byte_at(in, in->at);
    bool fine;
    if (c == '(') {
        in->at++;
        fine = read_expression(in) && need(in, ")");
    } else if (is_digit(c) || c == '.') {
        fine = read_number(in);
    } else if (is_letter(c) || c == ':') {
        fine = read_named(in);
    } else {
        fine = read_selector(in);
    }
    return fine && read_behind(in);
}

static bool
take_operator(struct reader *in)
{
    str word = peek_word(in, false);
    if (word.len > 0 && word_is_one_of(word, word_operators)) {
        in->at += word.len;
        return true;
    }
    for (size_t i = 0; operators[i] != NULL; i++) {
        if (take(in, operators[i]))
            return true;
    }
    return false;
}

/* Which series of both sides belong together. */
static bool
read_matching(struct reader *in)
{
    (void)take_word(in, "bool");
    if (!take_word(in, "on") && !take_word(in, "ignoring"))
        return true;
    if (!read_labels(in))
        return false;
    if (take_word(in, "group_left") || take_word(in, "group_right"))
        return !next_is(in, "(") || read_labels(in);
    return true;
}

/* Which operator binds tighter does not matter for what is looked for here. */
static bool
read_expression(struct reader *in)
{
    if (++in->depth > MOST_DEPTH)
        return refuse(in, "too many parentheses in each other");
    if (!read_operand(in))
        return false;
    while (take_operator(in)) {
        if (!read_matching(in) || !read_operand(in))
            return false;
    }
    in->depth--;
    return true;
}

/* ---- The whole text ---- */
static bool
begin(struct reader *in, struct arena *arena, str text)
{
    in->arena = arena;
    in->text = text;
    if (text.len > PROMQL_MOST_BYTES) {
        in->why = STR("An expression may have 8192 bytes");
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == 0x7f || (c < ' ' && c != '\n' && c != '\t' && c != '\r')) {
            in->why = STR("An expression may have no control characters");
            return false;
        }
    }
    if (!str_is_text(text))
        in->why = STR("An expression must be UTF-8");
    return in->why.len == 0;
}

static bool
is_bearable(struct reader *in)
{
    double points = in->subquery_points + 1;
    if (in->span.span_ms > 0)
        points += (double)in->span.span_ms / (double)in->span.step_ms;
    if (points * in->visits <= PROMQL_MOST_VISITS)
        return true;
    in->why = STR("The windows are too long for so many points: use a longer step, or shorter windows");
    return false;
}

static bool
end(struct reader *in, str *ret_text)
{
    skip_space(in);
    if (in->at < in->text.len)
        return refuse(in, "the expression should end here; there is more");
    copy(in);
    *ret_text = buf_str(&in->out);
    if (ret_text->len == 0)
        in->why = STR("An expression with so many selectors is not read");
    return ret_text->len > 0;
}

bool
promql_confine(struct arena *arena, str text, struct promql_span span, id project, str *ret_text, str *ret_why)
{
    struct reader in = { .span = span, .out = buf_in(arena, OUT_BYTES) };
    id_write(project, in.project);
    bool fine = begin(&in, arena, text) && read_expression(&in) && is_bearable(&in) && end(&in, ret_text);
    if (!fine)
        *ret_why = in.why;
    return fine;
}

bool
promql_confine_selector(struct arena *arena, str text, id project, str *ret_text, str *ret_why)
{
    struct reader in = { .out = buf_in(arena, OUT_BYTES) };
    id_write(project, in.project);
    bool fine = begin(&in, arena, text) && read_selector(&in) && end(&in, ret_text);
    if (!fine)
        *ret_why = in.why;
    return fine;
}
