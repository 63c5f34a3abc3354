/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/advisor/load.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/session.h"

enum { IDS_BYTES = 64 * 1024 };

/* ---- Whether it can be looked at ---- */
/* The primary makes what is missing; a replica has it as soon as it was replayed. */
static error
is_counted(struct session *session, bool *ret_counted, str *ret_missing)
{
    struct session_rows rows;
    TRY(session_query(session, SQL_ADVISOR_STATISTICS_STATE, 0, NULL, &rows));
    bool is_loaded = str_is(session_value(&rows, 0, 0), "t"), is_made = str_is(session_value(&rows, 0, 1), "t");
    bool is_replica = str_is(session_value(&rows, 0, 2), "t");
    *ret_counted = is_loaded && (is_made || !is_replica);
    if (!is_loaded)
        *ret_missing = STR("Statements are not counted: the cluster was created before servers loaded " LOAD_LIBRARY
                           ". They load it with the next change that restarts them, such as another size.");
    else if (!*ret_counted)
        *ret_missing = STR(LOAD_LIBRARY " has not arrived from the primary yet.");
    return is_loaded && !is_made && !is_replica ? session_run(session, SQL_ADVISOR_STATISTICS_MAKE, NULL) : OK;
}

/* ---- Counters ---- */
static int
compare_keys(const void *a, const void *b)
{
    const struct engine_counter *x = a, *y = b;
    if (x->database != y->database)
        return x->database < y->database ? -1 : 1;
    return x->query < y->query ? -1 : x->query > y->query;
}

static int64_t
number(const struct session_rows *rows, int row, int column)
{
    return strtoll(session_value(rows, row, column).data, NULL, 10);
}

static error
read_counters(struct session *session, struct arena *arena, struct engine_counter **ret_counters, size_t *ret_count)
{
    struct session_rows rows;
    TRY(session_query(session, SQL_ADVISOR_COUNTERS, 0, NULL, &rows));
    struct engine_counter *counters = malloc(sizeof(*counters) * (size_t)(rows.count + 1));
    if (counters == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        counters[i] = (struct engine_counter){ .database = number(&rows, i, 0),
                                               .query = number(&rows, i, 1),
                                               .calls = number(&rows, i, 2),
                                               .ms = strtod(session_value(&rows, i, 3).data, NULL),
                                               .rows = number(&rows, i, 4),
                                               .bytes = number(&rows, i, 5),
                                               .worst_ms = strtod(session_value(&rows, i, 6).data, NULL) };
    qsort(counters, (size_t)rows.count, sizeof(*counters), compare_keys);
    *ret_counters = counters;
    *ret_count = (size_t)rows.count;
    return OK;
}

/* One whose count went down was thrown out and has begun again. */
static struct engine_counter
difference(const struct engine_load *before, const struct engine_counter *now)
{
    struct engine_counter d = *now;
    const struct engine_counter *was =
        before->count == 0 ? NULL
                           : bsearch(now, before->counters, before->count, sizeof(*before->counters), compare_keys);
    if (was == NULL || was->calls > now->calls)
        return d;
    d.calls -= was->calls;
    d.ms -= was->ms;
    d.rows -= was->rows;
    d.bytes -= was->bytes;
    return d;
}

static int
compare_cost(const void *a, const void *b)
{
    const struct engine_counter *x = a, *y = b;
    return x->ms < y->ms ? 1 : x->ms > y->ms ? -1 : 0;
}

/* Those that ran since the last look, the most expensive first. */
static size_t
find_top(struct arena *arena, const struct engine_load *before, const struct engine_counter *now, size_t count,
         struct engine_counter **ret_top)
{
    struct engine_counter *all = ARENA_ARRAY(arena, struct engine_counter, count + 1);
    size_t kept = 0;
    for (size_t i = 0; all != NULL && before->has_looked && i < count; i++) {
        struct engine_counter d = difference(before, &now[i]);
        if (d.calls > 0 && d.ms >= 0)
            all[kept++] = d;
    }
    if (kept > 0)
        qsort(all, kept, sizeof(*all), compare_cost);
    *ret_top = all;
    return kept < LOAD_TOP ? kept : LOAD_TOP;
}

/* ---- The document ---- */
ptrdiff_t
load_shape_place(struct arena *arena, json_t *document, str database, const struct shape *shape)
{
    json_t *shapes = json_object_get(document, "shapes"), *one;
    size_t i;
    json_array_foreach(shapes, i, one)
    {
        if (str_eq(json_text_at(one, "text"), shape->text) && str_eq(json_text_at(one, "database"), database))
            return (ptrdiff_t)i;
    }
    if (json_array_size(shapes) >= LOAD_MOST_SHAPES)
        return -1;
    str table = shape->table.len > 127 ? STR_EMPTY : str_dup(arena, shape->table);
    json_t *added = json_pack("{s:s, s:s, s:s, s:s, s:I, s:f, s:I, s:I}", "database", str_dup(arena, database).data,
                              "text", shape->text.data, "command", shape->command, "table", table.data, "calls",
                              (json_int_t)0, "ms", 0.0, "rows", (json_int_t)0, "bytes", (json_int_t)0);
    return added != NULL && json_array_append_new(shapes, added) == 0 ? (ptrdiff_t)i : -1;
}

static void
add_int(json_t *object, const char *name, int64_t more)
{
    json_object_set_new(object, name, json_integer(json_int_at(object, name) + more));
}

static void
add_cost(json_t *document, ptrdiff_t place, const struct engine_counter *cost)
{
    json_t *shape = json_array_get(json_object_get(document, "shapes"), (size_t)place);
    add_int(shape, "calls", cost->calls);
    add_int(shape, "rows", cost->rows < 0 ? 0 : cost->rows);
    add_int(shape, "bytes", cost->bytes < 0 ? 0 : cost->bytes);
    json_object_set_new(shape, "ms",
                        json_real(json_number_value(json_object_get(shape, "ms")) + (cost->ms < 0 ? 0 : cost->ms)));
}

/* One line for a statement and look: its slowest run. */
static void
add_slow(json_t *document, ptrdiff_t place, const struct engine_counter *cost)
{
    if (cost->worst_ms >= LOAD_SLOW_MS)
        json_array_append_new(json_object_get(document, "slow"),
                              json_pack("{s:I, s:f, s:i}", "at", (json_int_t)json_int_at(document, "at"), "ms",
                                        cost->worst_ms, "shape", (int)place));
}

static str
wanted_ids(struct arena *arena, const struct engine_counter *top, size_t count)
{
    struct buf out = buf_in(arena, IDS_BYTES);
    buf_add_char(&out, '[');
    for (size_t i = 0; i < count; i++)
        buf_format(&out, "%s\"%lld\"", i > 0 ? "," : "", (long long)top[i].query);
    buf_add_char(&out, ']');
    return buf_str(&out);
}

/* Texts are read for what is told only, and become shapes here: nothing else of them goes on. */
static error
tell(struct session *session, struct arena *arena, json_t *document, const struct engine_counter *top, size_t count)
{
    struct session_rows rows;
    str ids = wanted_ids(arena, top, count);
    if (count == 0)
        return OK;
    TRY(session_query(session, SQL_ADVISOR_TEXTS, 1, &ids, &rows));
    for (int i = 0; i < rows.count; i++) {
        struct shape shape;
        int64_t database = number(&rows, i, 0), query = number(&rows, i, 1);
        if (!shape_of(arena, session_value(&rows, i, 3), &shape))
            continue;
        ptrdiff_t place = load_shape_place(arena, document, session_value(&rows, i, 2), &shape);
        for (size_t k = 0; place >= 0 && k < count; k++) {
            if (top[k].query != query || top[k].database != database)
                continue;
            add_cost(document, place, &top[k]);
            add_slow(document, place, &top[k]);
        }
    }
    return OK;
}

/* From 17 on the slowest run can be counted anew without losing the rest. */
static error
forget_worst(struct session *session, struct engine_counter *counters, size_t count)
{
    static const int first_version = 170000;
    if (session_server_version(session) >= first_version)
        return session_run(session, SQL_ADVISOR_WORST_FORGET, NULL);
    for (size_t i = 0; i < count; i++)
        counters[i].worst_ms = 0;
    return OK;
}

static void
remember(struct engine_load *load, struct engine_counter *counters, size_t count)
{
    free(load->counters);
    load->counters = counters;
    load->count = count;
    load->has_looked = true;
}

/* What is counted while nobody wants to know must not be told later as if it had just happened. */
static void
forget(struct engine_load *load)
{
    free(load->counters);
    *load = (struct engine_load){ 0 };
}

error
load_look(struct engine_member *self, struct engine_load *load, json_t **ret_document)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct engine_counter *counters, *top;
    size_t count;
    bool is_there;
    str missing = STR_EMPTY;
    int64_t now = clock_now_ms();
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(is_counted(session, &is_there, &missing));
    json_t *document = json_in(self->arena, json_pack("{s:I, s:[], s:[], s:s}", "at", (json_int_t)now, "shapes", "slow",
                                                      "missing", missing.data));
    if (document == NULL)
        return fail(self->arena, OVERLOADED);
    *ret_document = document;
    if (goal_is_off(self->cluster, GOAL_PERFORMANCE_ADVISOR)) {
        forget(load);
        return OK;
    }
    if (!is_there)
        return OK;
    TRY(read_counters(session, self->arena, &counters, &count));
    error why = forget_worst(session, counters, count);
    size_t top_count = find_top(self->arena, load, counters, count, &top);
    if (why == OK)
        why = tell(session, self->arena, document, top, top_count);
    if (why == OK)
        remember(load, counters, count);
    else
        free(counters);
    return why;
}
