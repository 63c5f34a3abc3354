/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/exposition.h"

#include <stdlib.h>

#include "base/json.h"
#include "wire/metric_table.h"

#define SERIES "reeve_" /* how names begin in stores (line.h) */

struct line {
    const struct metric *metric;
    const json_t *labels;
    str value;
};

static const struct metric *
metric_of(const json_t *labels)
{
    const str prefix = STR(SERIES);
    str name = json_text_at(labels, "__name__");
    return str_starts_with(name, prefix) ? metric_find(str_slice(name, prefix.len, name.len)) : NULL;
}

static int
compare_lines(const void *first, const void *second)
{
    const struct line *a = first, *b = second;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    int members = str_compare(json_text_at(a->labels, "member"), json_text_at(b->labels, "member"));
    return members != 0 ? members : str_compare(json_text_at(a->labels, "name"), json_text_at(b->labels, "name"));
}

/* No label that Reeve writes has anything to escape (line.h). */
static void
add_line(struct buf *out, const struct line *line)
{
    static const char *const names[] = { "project", "cluster", "member", "name" };
    bool is_first = true;
    buf_format(out, SERIES "%s{", line->metric->name);
    for (size_t i = 0; i < LENGTH(names); i++) {
        str value = json_text_at(line->labels, names[i]);
        if (value.len == 0)
            continue;
        buf_format(out, "%s%s=\"%.*s\"", is_first ? "" : ",", names[i], STR_ARG(value));
        is_first = false;
    }
    buf_format(out, "} %.*s\n", STR_ARG(line->value));
}

static void
add_head(struct buf *out, const struct metric *metric)
{
    buf_format(out, "# HELP " SERIES "%s %s (%s%s)\n# TYPE " SERIES "%s %s\n", metric->name, metric->about,
               metric->kind == METRIC_COUNTER ? "its rate is in " : "", metric->units, metric->name,
               metric->kind == METRIC_COUNTER ? "counter" : "gauge");
}

bool
exposition_make(struct arena *arena, str answer, size_t most_bytes, str *ret_text)
{
    struct buf out = buf_in(arena, most_bytes);
    json_t *said = NULL;
    if (json_parse_within(arena, answer, answer.len, &said) != OK)
        return false;
    json_t *result = json_object_get(json_object_get(said, "data"), "result");
    size_t count = 0, all = json_array_size(result);
    struct line *lines = ARENA_ARRAY(arena, struct line, all + 1);
    if (!json_is_array(result) || lines == NULL)
        return false;
    for (size_t i = 0; i < all; i++) {
        const json_t *row = json_array_get(result, i), *labels = json_object_get(row, "metric");
        struct line line = { metric_of(labels), labels, json_str(json_array_get(json_object_get(row, "value"), 1)) };
        if (line.metric != NULL && line.value.len > 0)
            lines[count++] = line;
    }
    qsort(lines, count, sizeof(*lines), compare_lines);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || lines[i - 1].metric != lines[i].metric)
            add_head(&out, lines[i].metric);
        add_line(&out, &lines[i]);
    }
    *ret_text = buf_str(&out);
    return !out.failed;
}
