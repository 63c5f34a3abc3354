/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/tool_question.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/date.h"
#include "monitor/promql.h"
#include "monitor/samples.h"

enum { MOST_SELECTORS = 10, FORM_BYTES = 2 * 1024 * 1024, NUMBER_BYTES = 32 };
#define DAY_MS       86400000LL
#define MOST_SECONDS 1e11

struct asker {
    struct arena *arena;
    const struct tool_parameters *given;
    id project;
    int64_t now_ms;
    struct buf form;
    str why;
};
typedef bool form_function(struct asker *asker);

/* ---- What was sent ---- */
bool
tool_parameters_add(struct arena *arena, str text, struct tool_parameters *parameters)
{
    while (text.len > 0) {
        str value = str_cut(&text, '&'), name = str_cut(&value, '=');
        if (name.len == 0)
            continue;
        if (parameters->count == TOOL_MOST_PARAMETERS)
            return false;
        struct tool_parameter *next = &parameters->items[parameters->count++];
        if (!str_percent_decode(arena, name, true, &next->name) ||
            !str_percent_decode(arena, value, true, &next->value))
            return false;
    }
    return true;
}

static bool
refuse(struct asker *asker, const char *name, const char *why)
{
    asker->why = str_format(asker->arena, "Parameter %s: %s.", name, why);
    return false;
}

/* Empty when it was not sent. Two of a name: whoever reads next might take the other one. */
static bool
find(struct asker *asker, const char *name, str *ret_value)
{
    bool found = false;
    *ret_value = STR_EMPTY;
    for (size_t i = 0; i < asker->given->count; i++) {
        if (!str_is(asker->given->items[i].name, name))
            continue;
        if (found)
            return refuse(asker, name, "it was sent twice");
        *ret_value = asker->given->items[i].value;
        found = true;
    }
    return true;
}

/* Seconds with a fraction, as milliseconds. Clients write the beginning and the end of time as very long ones. */
static bool
read_seconds(str text, int64_t *ret_ms)
{
    char copy[NUMBER_BYTES];
    bool fine = text.len > 0 && text.len < sizeof(copy);
    for (size_t i = 0; fine && i < text.len; i++)
        fine = (text.data[i] >= '0' && text.data[i] <= '9') || (text.data[i] == '.' && i > 0) ||
               (text.data[i] == '-' && i == 0 && text.len > 1);
    if (!fine)
        return false;
    snprintf(copy, sizeof(copy), "%.*s", STR_ARG(text));
    char *end;
    double seconds = strtod(copy, &end);
    if (*end != '\0')
        return false;
    seconds = seconds > MOST_SECONDS ? MOST_SECONDS : seconds < -MOST_SECONDS ? -MOST_SECONDS : seconds;
    *ret_ms = (int64_t)(seconds * 1000 + 0.5);
    return true;
}

static bool
read_time(struct asker *asker, const char *name, int64_t otherwise_ms, int64_t *ret_ms)
{
    str text;
    if (!find(asker, name, &text))
        return false;
    *ret_ms = otherwise_ms;
    if (text.len == 0 && otherwise_ms < 0)
        return refuse(asker, name, "it is missing");
    if (text.len > 0 && !read_seconds(text, ret_ms) && !date_parse(text, ret_ms))
        return refuse(asker, name, "it is neither a number of seconds since 1970 nor a date of RFC 3339");
    return true;
}

static bool
find_time(struct asker *asker, const char *name, int64_t otherwise_ms, int64_t *ret_ms)
{
    if (!read_time(asker, name, otherwise_ms, ret_ms))
        return false;
    if (*ret_ms < 0 || *ret_ms > asker->now_ms + DAY_MS)
        return refuse(asker, name, "it is not between 1970 and tomorrow");
    return true;
}

/* ---- What is passed on ---- */
static void
add(struct asker *asker, const char *name, str value)
{
    buf_format(&asker->form, "%s%s=", asker->form.len > 0 ? "&" : "", name);
    buf_add_percent_encoded(&asker->form, value);
}

static void
add_time(struct asker *asker, const char *name, int64_t ms)
{
    add(asker, name, str_format(asker->arena, "%lld.%03d", (long long)(ms / 1000), (int)(ms % 1000)));
}

/* The store's own filter: a wall behind the matchers that expressions get. */
static void
add_walls(struct asker *asker)
{
    char project[ID_DIGITS + 1];
    id_write(asker->project, project);
    add(asker, "extra_filters%5B%5D", str_format(asker->arena, "{project=\"%s\"}", project));
    add(asker, "extra_label", str_format(asker->arena, "project=%s", project));
    add(asker, "nocache", STR("1")); /* what one tenant asked is no answer for another */
    add(asker, "timeout", str_format(asker->arena, "%ds", TOOL_TIME_LIMIT_S));
}

static bool
add_query(struct asker *asker, struct promql_span span)
{
    str sent, confined;
    if (!find(asker, "query", &sent))
        return false;
    if (sent.len == 0)
        return refuse(asker, "query", "it is missing");
    if (!promql_confine(asker->arena, sent, span, asker->project, &confined, &asker->why))
        return false;
    add(asker, "query", confined);
    return true;
}

static bool
form_of_moment(struct asker *asker)
{
    int64_t at_ms;
    if (!find_time(asker, "time", asker->now_ms, &at_ms))
        return false;
    add_time(asker, "time", at_ms);
    return add_query(asker, (struct promql_span){ 0, PROMQL_DEFAULT_STEP_MS });
}

static bool
find_step(struct asker *asker, int64_t *ret_ms)
{
    str text;
    if (!find(asker, "step", &text))
        return false;
    if (!read_seconds(text, ret_ms) && !promql_duration(text, ret_ms))
        return refuse(asker, "step", "it is neither a number of seconds nor a duration such as 15s");
    return *ret_ms > 0 || refuse(asker, "step", "it must be more than 0");
}

static bool
form_of_span(struct asker *asker)
{
    int64_t from_ms, to_ms, step_ms;
    if (!find_time(asker, "start", -1, &from_ms) || !find_time(asker, "end", -1, &to_ms) || !find_step(asker, &step_ms))
        return false;
    if (to_ms < from_ms)
        return refuse(asker, "end", "it is before start");
    if ((to_ms - from_ms) / step_ms >= PROMQL_MOST_POINTS)
        return refuse(asker, "step", "a series would have more than 11000 points");
    add_time(asker, "start", from_ms);
    add_time(asker, "end", to_ms);
    add_time(asker, "step", step_ms);
    return add_query(asker, (struct promql_span){ to_ms - from_ms, step_ms });
}

/* What is looked for in all of time is looked for where something can be. */
static int64_t
within_reason(const struct asker *asker, int64_t ms)
{
    return ms < 0 ? 0 : ms > asker->now_ms + DAY_MS ? asker->now_ms + DAY_MS : ms;
}

/* Without a selector everything of the project is meant. */
static bool
form_of_selectors(struct asker *asker)
{
    int64_t from_ms, to_ms;
    size_t count = 0;
    str confined;
    if (!read_time(asker, "start", asker->now_ms - SAMPLES_RAW_DAYS * DAY_MS, &from_ms) ||
        !read_time(asker, "end", asker->now_ms, &to_ms))
        return false;
    from_ms = within_reason(asker, from_ms);
    to_ms = within_reason(asker, to_ms);
    if (to_ms < from_ms)
        return refuse(asker, "end", "it is before start");
    add_time(asker, "start", from_ms);
    add_time(asker, "end", to_ms);
    for (size_t i = 0; i < asker->given->count; i++) {
        if (!str_is(asker->given->items[i].name, "match[]"))
            continue;
        if (++count > MOST_SELECTORS)
            return refuse(asker, "match[]", "it was sent more than 10 times");
        if (!promql_confine_selector(asker->arena, asker->given->items[i].value, asker->project, &confined,
                                     &asker->why))
            return false;
        add(asker, "match%5B%5D", confined);
    }
    if (count > 0)
        return true;
    if (!promql_confine_selector(asker->arena, STR("{}"), asker->project, &confined, &asker->why))
        return false;
    add(asker, "match%5B%5D", confined);
    return true;
}

static bool
form_of_series(struct asker *asker)
{
    for (size_t i = 0; i < asker->given->count; i++) {
        if (str_is(asker->given->items[i].name, "match[]"))
            return form_of_selectors(asker);
    }
    return refuse(asker, "match[]", "it is missing");
}

/* ---- Which question it is ---- */
static const struct {
    const char *path;
    form_function *form;
} paths[] = {
    { "/api/v1/query", form_of_moment },
    { "/api/v1/query_range", form_of_span },
    { "/api/v1/labels", form_of_selectors },
    { "/api/v1/series", form_of_series },
};

/* As it is written: nothing in a path is decoded, so there is one way to write it. */
static const char *
path_of_label(struct arena *arena, str path)
{
    const str before = STR("/api/v1/label/"), behind = STR("/values");
    if (!str_starts_with(path, before) || !str_ends_with(path, behind) || path.len <= before.len + behind.len)
        return NULL;
    str label = str_slice(path, before.len, path.len - behind.len);
    return promql_is_label(label) ? str_format(arena, "/api/v1/label/%.*s/values", STR_ARG(label)).data : NULL;
}

static form_function *
find_path(struct arena *arena, str path, const char **ret_path)
{
    for (size_t i = 0; i < LENGTH(paths); i++) {
        *ret_path = paths[i].path;
        if (str_is(path, paths[i].path))
            return paths[i].form;
    }
    *ret_path = path_of_label(arena, path);
    return *ret_path == NULL ? NULL : form_of_selectors;
}

enum tool_verdict
tool_question_make(struct arena *arena, str path, const struct tool_parameters *given, id project, int64_t now_ms,
                   struct tool_question *ret_question, str *ret_why)
{
    struct asker asker = {
        .arena = arena, .given = given, .project = project, .now_ms = now_ms, .form = buf_in(arena, FORM_BYTES)
    };
    const char *own_path;
    form_function *form = find_path(arena, path, &own_path);
    if (form == NULL)
        return TOOL_NO_SUCH_PATH;
    bool fine = form(&asker);
    add_walls(&asker);
    if (fine && asker.form.failed) {
        asker.why = STR("The question is too long.");
        fine = false;
    }
    *ret_why = asker.why;
    *ret_question = (struct tool_question){ own_path, buf_str(&asker.form) };
    return fine ? TOOL_FINE : TOOL_REFUSED;
}
