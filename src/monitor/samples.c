/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/samples.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_walk.h"
#include "monitor/line.h"

enum {
    ROWS_PER_LINE = 4096,
    LINE_BYTES = ROWS_PER_LINE * 40 + 4096, /* a value, a time, two commas; labels */
    FORM_BYTES = 16 * 1024,
    NAMES_BYTES = 1024 * 1024,
    MOST_PIECES = 16 * 1024,
};

/* Samples of one line of the answer: a part of a series. */
struct piece {
    struct series of;
    size_t order;
};

struct reading {
    struct arena *arena;
    const struct sample_query *query;
    char project[ID_DIGITS + 1], member[ID_DIGITS + 1];
    char *line;
    size_t line_bytes;
    size_t count, room, sample_count;
    struct piece *pieces;
    bool is_strange, is_too_much; /* what came is not what was asked for; or is more than is kept */
};

/* ---- One line of an export ---- */
/* `{"metric":{…},"values":[…],"timestamps":[…]}` */
static const struct metric *
metric_of(const struct sample_query *query, str series_name)
{
    const str prefix = STR("reeve_");
    for (size_t i = 0; str_starts_with(series_name, prefix) && i < query->metric_count; i++) {
        if (str_is(str_slice(series_name, prefix.len, series_name.len), query->metrics[i]->name))
            return query->metrics[i];
    }
    return NULL;
}

/* As it is written, without its quotes: no label that Reeve writes has anything to escape. */
static str
label_at(str labels, const char *name)
{
    str value = json_walk_find(labels, name);
    return value.len < 2 ? STR_EMPTY : str_slice(value, 1, value.len - 1);
}

/* False when they are not of what was asked for: a wall behind the question's own filter. */
static bool
read_labels(struct reading *reading, str labels, struct series *ret_series)
{
    const struct sample_query *query = reading->query;
    ret_series->metric = metric_of(query, label_at(labels, "__name__"));
    str label = label_at(labels, "name");
    ret_series->name = label.len == 0 ? STR_EMPTY : monitor_label_name(reading->arena, label);
    bool is_process = ret_series->metric != NULL && ret_series->metric->scope == METRIC_PROCESS;
    return ret_series->metric != NULL && str_is(label_at(labels, "project"), reading->project) &&
           str_is(label_at(labels, "member"), reading->member) &&
           (is_process ? label.len == 0 : query->all_names || str_eq(ret_series->name, query->name));
}

/* Whole numbers, which most are, are read by hand: it is ten times as fast. */
static bool
read_number(const char **at, double *ret_value)
{
    enum { SURE_DIGITS = 15 };
    const char *from = *at, *c = from;
    int64_t whole = 0;
    while (*c >= '0' && *c <= '9' && c - from < SURE_DIGITS)
        whole = whole * 10 + (*c++ - '0');
    if (c > from && (*c == ',' || *c == ']')) {
        *at = c;
        *ret_value = (double)whole;
        return true;
    }
    char *end;
    *ret_value = strtod(from, &end);
    *at = end;
    return end > from && (*end == ',' || *end == ']');
}

static size_t
count_numbers(str list)
{
    size_t count = list.len > 2 ? 1 : 0;
    for (size_t i = 0; i < list.len; i++)
        count += list.data[i] == ',';
    return count;
}

/* Both lists end with a bracket, so that reading stops there. */
static bool
read_samples(str values, str times, struct sample *samples, size_t count)
{
    const char *value = values.data + 1, *time = times.data + 1;
    for (size_t i = 0; i < count; i++) {
        double at;
        if (!read_number(&value, &samples[i].value) || !read_number(&time, &at))
            return false;
        samples[i].at_ms = (int64_t)at;
        value++;
        time++;
    }
    return true;
}

static bool
make_room(struct reading *reading)
{
    if (reading->count < reading->room)
        return true;
    size_t room = reading->room == 0 ? 64 : reading->room * 2;
    struct piece *more = room > MOST_PIECES ? NULL : ARENA_ARRAY(reading->arena, struct piece, room);
    if (more == NULL)
        return false;
    if (reading->count > 0)
        memcpy(more, reading->pieces, reading->count * sizeof(*more));
    reading->pieces = more;
    reading->room = room;
    return true;
}

static void
take_line(struct reading *reading, str line)
{
    struct series of;
    str name, value, labels = STR_EMPTY, values = STR_EMPTY, times = STR_EMPTY;
    for (struct json_walk walk = json_walk_in(line); json_walk_next(&walk, &name, &value);) {
        if (str_is(name, "metric"))
            labels = value;
        else if (str_is(name, "values"))
            values = value;
        else if (str_is(name, "timestamps"))
            times = value;
    }
    size_t count = count_numbers(values);
    if (line.len == 0)
        return;
    if (line.data[0] != '{' || count == 0 || count != count_numbers(times) || !read_labels(reading, labels, &of)) {
        reading->is_strange = true;
        return;
    }
    struct sample *samples = reading->sample_count + count > SAMPLES_MOST || !make_room(reading)
                                 ? NULL
                                 : ARENA_ARRAY(reading->arena, struct sample, count);
    if (samples == NULL) {
        reading->is_too_much = true;
        return;
    }
    if (!read_samples(values, times, samples, count)) {
        reading->is_strange = true;
        return;
    }
    of.count = count;
    of.samples = samples;
    reading->sample_count += count;
    reading->pieces[reading->count] = (struct piece){ of, reading->count };
    reading->count++;
}

/* What is of no use is taken all the same: the store is not to seem away. */
static bool
take_bytes(void *context, str bytes)
{
    struct reading *reading = context;
    while (bytes.len > 0 && !reading->is_strange && !reading->is_too_much) {
        const char *end = memchr(bytes.data, '\n', bytes.len);
        size_t some = end == NULL ? bytes.len : (size_t)(end - bytes.data);
        if (reading->line_bytes + some >= LINE_BYTES) {
            reading->is_strange = true;
            break;
        }
        memcpy(reading->line + reading->line_bytes, bytes.data, some);
        reading->line_bytes += some;
        if (end == NULL)
            break;
        reading->line[reading->line_bytes] = '\0';
        take_line(reading, (str){ reading->line, reading->line_bytes });
        reading->line_bytes = 0;
        bytes = str_slice(bytes, some + 1, bytes.len);
    }
    return true;
}

/* ---- The question ---- */
static void
add_selector(struct buf *out, const struct sample_query *query, const char *project, const char *member)
{
    buf_add(out, STR("{__name__=~\"reeve_("));
    for (size_t i = 0; i < query->metric_count; i++)
        buf_format(out, "%s%s", i > 0 ? "|" : "", query->metrics[i]->name);
    buf_format(out, ")\",project=\"%s\",member=\"%s\"", project, member);
    if (query->metric_count > 0 && query->metrics[0]->scope != METRIC_PROCESS && !query->all_names) {
        buf_add(out, STR(",name=\""));
        buf_add_percent_encoded(out, query->name);
        buf_add_char(out, '"');
    }
    buf_add_char(out, '}');
}

static str
export_form(struct arena *arena, const struct sample_query *query, const char *project, const char *member)
{
    struct buf selector = buf_in(arena, FORM_BYTES), form = buf_in(arena, 3 * FORM_BYTES);
    add_selector(&selector, query, project, member);
    buf_add(&form, STR("match%5B%5D="));
    buf_add_percent_encoded(&form, buf_str(&selector));
    buf_format(&form, "&start=%lld.%03d&end=%lld.%03d&max_rows_per_line=%d", (long long)(query->from_ms / 1000),
               (int)(query->from_ms % 1000), (long long)(query->to_ms / 1000), (int)(query->to_ms % 1000),
               ROWS_PER_LINE);
    return buf_str(&form);
}

/* ---- Pieces become series ---- */
static int
compare_things(const struct series *a, const struct series *b)
{
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    return str_compare(a->name, b->name);
}

static int
compare_pieces(const void *first, const void *second)
{
    const struct piece *a = first, *b = second;
    int things = compare_things(&a->of, &b->of);
    if (things != 0)
        return things;
    return a->order < b->order ? -1 : 1;
}

static int
compare_samples(const void *first, const void *second)
{
    const struct sample *a = first, *b = second;
    return a->at_ms < b->at_ms ? -1 : a->at_ms > b->at_ms ? 1 : 0;
}

/* Pieces of one store mostly are; those of two are not. */
static bool
is_in_order(const struct sample *samples, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (samples[i - 1].at_ms > samples[i].at_ms)
            return false;
    }
    return true;
}

/* All of `count` pieces, in the order of time. */
static bool
join(struct arena *arena, const struct piece *pieces, size_t count, struct series *ret_series)
{
    size_t total = 0, kept = 0;
    *ret_series = pieces[0].of;
    if (count == 1)
        return true;
    for (size_t i = 0; i < count; i++)
        total += pieces[i].of.count;
    struct sample *all = ARENA_ARRAY(arena, struct sample, total);
    if (all == NULL)
        return false;
    for (size_t i = 0, at = 0; i < count; at += pieces[i++].of.count)
        memcpy(all + at, pieces[i].of.samples, pieces[i].of.count * sizeof(*all));
    if (!is_in_order(all, total))
        qsort(all, total, sizeof(*all), compare_samples);
    /* Those of one moment are the same point. */
    for (size_t i = 0; i < total; i++) {
        if (kept == 0 || all[kept - 1].at_ms != all[i].at_ms)
            all[kept++] = all[i];
    }
    ret_series->samples = all;
    ret_series->count = kept;
    return true;
}

static bool
join_all(struct arena *arena, struct piece *pieces, size_t count, struct series_list *ret_list)
{
    *ret_list = (struct series_list){ .items = ARENA_ARRAY(arena, struct series, count + 1) };
    if (ret_list->items == NULL)
        return false;
    if (count > 0)
        qsort(pieces, count, sizeof(*pieces), compare_pieces);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && compare_things(&pieces[from].of, &pieces[to].of) == 0; to++)
            ;
        if (!join(arena, pieces + from, to - from, &ret_list->items[ret_list->count++]))
            return false;
    }
    return true;
}

const struct series *
series_find(const struct series_list *list, const struct metric *metric, str name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].metric == metric && str_eq(list->items[i].name, name))
            return &list->items[i];
    }
    return NULL;
}

/* ---- Gaps ---- */
/* Some metrics are taken every 10 s, some every few minutes: a gap is longer than twice what is usual for the series. */
static bool
series_has_gap(const struct series *series, int64_t from_ms, int64_t to_ms)
{
    enum { LATE_MS = 3 * SAMPLES_EVERY_MS }; /* the newest may be on their way */
    int64_t usual = INT64_MAX, longest = 0;
    for (size_t i = 1; i < series->count; i++) {
        int64_t between = series->samples[i].at_ms - series->samples[i - 1].at_ms;
        usual = between < usual ? between : usual;
        longest = between > longest ? between : longest;
    }
    if (series->count < 2)
        return true;
    int64_t most = 2 * usual + usual / 2;
    return longest > most || series->samples[0].at_ms - from_ms > most ||
           to_ms - series->samples[series->count - 1].at_ms > most + LATE_MS;
}

static bool
has_gap(const struct sample_query *query, const struct series_list *list)
{
    int64_t now_ms = clock_now_ms(), to_ms = query->to_ms < now_ms ? query->to_ms : now_ms;
    if (list->count == 0 || (!query->all_names && list->count < query->metric_count))
        return true;
    for (size_t i = 0; i < list->count; i++) {
        if (series_has_gap(&list->items[i], query->from_ms, to_ms))
            return true;
    }
    return false;
}

/* ---- Reading ---- */
static bool
read_store(struct reading *reading, struct monitor_stores *stores, size_t store, str form, str *ret_why)
{
    struct monitor_question question = {
        .path = "/api/v1/export", .form = form, .take = take_bytes, .context = reading
    };
    size_t before = reading->count, samples_before = reading->sample_count;
    reading->line_bytes = 0;
    reading->is_strange = false;
    bool answered = monitor_ask(stores, reading->arena, store, &question, ret_why);
    if (answered && !reading->is_strange)
        return true;
    if (answered)
        *ret_why = STR("The store answered with something else than was asked for.");
    reading->count = before; /* half an answer is none */
    reading->sample_count = samples_before;
    return false;
}

static error
away(struct arena *arena, str why)
{
    return error_retry_after(arena, fail(arena, MEASUREMENTS_UNAVAILABLE, V(why)), 10);
}

error
samples_read(struct monitor_stores *stores, struct arena *arena, const struct sample_query *query,
             struct series_list *ret_list)
{
    struct reading reading = { .arena = arena, .query = query, .line = arena_alloc_unset(arena, LINE_BYTES) };
    bool has_answer = false, is_one_away = false, is_whole = false;
    str why = STR("There is no store.");
    id_write(query->project, reading.project);
    id_write(query->member, reading.member);
    str form = export_form(arena, query, reading.project, reading.member);
    if (reading.line == NULL || form.len == 0)
        return fail(arena, OVERLOADED);
    for (size_t store = 0; !is_whole && store < monitor_stores_count(stores); store++) {
        if (!read_store(&reading, stores, store, form, &why)) {
            is_one_away = true;
            continue;
        }
        has_answer = true;
        if (reading.is_too_much)
            return fail(arena, MEASUREMENTS_TOO_MANY, V((int64_t)SAMPLES_MOST));
        if (!join_all(arena, reading.pieces, reading.count, ret_list))
            return fail(arena, OVERLOADED);
        is_whole = !has_gap(query, ret_list);
    }
    if (!has_answer)
        return away(arena, why);
    ret_list->is_partial = is_one_away && !is_whole;
    return OK;
}

/* ---- Names ---- */
static bool
keep_answer(void *context, str bytes)
{
    struct buf *out = context;
    buf_add(out, bytes);
    return true;
}

static str
names_form(struct arena *arena, const struct sample_query *query, int64_t span_s)
{
    char project[ID_DIGITS + 1], member[ID_DIGITS + 1];
    struct buf text = buf_in(arena, FORM_BYTES), form = buf_in(arena, 3 * FORM_BYTES);
    id_write(query->project, project);
    id_write(query->member, member);
    buf_add(&text, STR("count(last_over_time("));
    add_selector(&text, query, project, member);
    buf_format(&text, "[%llds])) by (name)", (long long)span_s);
    buf_add(&form, STR("nocache=1&query="));
    buf_add_percent_encoded(&form, buf_str(&text));
    return buf_str(&form);
}

static int
compare_names(const void *a, const void *b)
{
    return str_compare(*(const str *)a, *(const str *)b);
}

static bool
read_names(struct arena *arena, str answer, struct name_list *ret_names)
{
    json_t *result = json_object_get(json_object_get(json_parse_own(arena, answer), "data"), "result");
    size_t count = json_array_size(result) < SAMPLES_MOST_NAMES ? json_array_size(result) : SAMPLES_MOST_NAMES;
    *ret_names = (struct name_list){ 0, ARENA_ARRAY(arena, str, count + 1) };
    if (!json_is_array(result) || ret_names->items == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        str label = json_text_at(json_object_get(json_array_get(result, i), "metric"), "name");
        str name = monitor_label_name(arena, label);
        if (name.len > 0)
            ret_names->items[ret_names->count++] = name;
    }
    qsort(ret_names->items, ret_names->count, sizeof(str), compare_names);
    return true;
}

/* Of all stores that answer the first that has any: they differ for minutes at most. */
error
samples_names(struct monitor_stores *stores, struct arena *arena, id project, id member, enum metric_scope scope,
              int64_t span_s, struct name_list *ret_names)
{
    const struct metric *metrics[METRIC_COUNT];
    struct sample_query query = { .project = project, .member = member, .all_names = true, .metrics = metrics };
    bool has_answer = false;
    str why = STR("There is no store.");
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        if (metric_table[i].scope == scope)
            metrics[query.metric_count++] = &metric_table[i];
    }
    str form = names_form(arena, &query, span_s);
    for (size_t store = 0; store < monitor_stores_count(stores); store++) {
        struct buf answer = buf_in(arena, NAMES_BYTES);
        struct monitor_question question = {
            .path = "/api/v1/query", .form = form, .take = keep_answer, .context = &answer
        };
        if (!monitor_ask(stores, arena, store, &question, &why) || !read_names(arena, buf_str(&answer), ret_names))
            continue;
        has_answer = true;
        if (ret_names->count > 0)
            break;
    }
    return has_answer ? OK : away(arena, why);
}
