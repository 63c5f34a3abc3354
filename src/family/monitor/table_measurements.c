/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements of a table: how often it is read and written. How long that takes is not measured, because PostgreSQL does not count it: it
 * knows how long statements take, and a statement may be about many tables.
 */
#include "api/api.h"
#include "base/date.h"
#include "family/monitor/process.h"
#include "family/monitor/reading.h"
#include "family/monitor/span.h"
#include "family/monitor/table_statistics.h"
#include "family/monitor/table_view.h"

enum { HEAD_BYTES = 16 * 1024 };

struct asked {
    struct reading reading;
    struct viewed viewed;
    const char *granularity;
    struct buf series;
    bool is_empty;
};

/* ---- Which metrics ---- */
static bool
is_measured(const struct metric *metric)
{
    for (size_t i = 0; measured_of_tables[i] != NULL; i++) {
        if (measured_of_tables[i] == metric)
            return true;
    }
    return false;
}

/* In the order in which they were named; without any, all. Names were checked by the table of fields. */
static error
choose_metrics(struct reading *reading)
{
    struct request *req = reading->req;
    for (size_t i = 0; i < req->query_count; i++) {
        const struct metric *metric = str_is(req->query[i].name, "metrics") ? metric_find(req->query[i].value) : NULL;
        if (metric == NULL)
            continue;
        if (!is_measured(metric))
            return fail(
                req->arena, INVALID_QUERY_PARAMETER, V("metrics"),
                V(str_format(req->arena,
                             "%s is not measured, because PostgreSQL does not count how long a single table takes; "
                             "collStats/metrics lists what is",
                             metric->name)));
        reading_add_metric(reading, metric);
    }
    bool is_chosen = reading->count > 0;
    for (size_t i = 0; !is_chosen && measured_of_tables[i] != NULL; i++)
        reading->metrics[reading->count++] = measured_of_tables[i];
    return OK;
}

/* ---- From all servers ---- */
static void
clear(struct reading *reading)
{
    memset(reading->values, 0, reading->count * reading->steps.count * sizeof(*reading->values));
}

/* Added up, or one after the other. */
static error
read_all(struct asked *asked)
{
    const struct viewed *viewed = &asked->viewed;
    asked->is_empty = true;
    for (size_t i = 0; i < viewed->count; i++) {
        asked->reading.member = viewed->members[i].id;
        TRY(reading_fill(&asked->reading));
        if (!viewed->is_apart)
            continue;
        if (i > 0)
            buf_add_char(&asked->series, ',');
        reading_add_series(&asked->series, &asked->reading, viewed->members[i].process);
        asked->is_empty &= reading_is_empty(&asked->reading);
        clear(&asked->reading);
    }
    if (viewed->is_apart)
        return OK;
    reading_add_series(&asked->series, &asked->reading, STR_EMPTY);
    asked->is_empty = reading_is_empty(&asked->reading);
    return OK;
}

/* A table that is not pinned, and of which nothing was ever heard, is not there. */
static error
check_name(const struct asked *asked)
{
    const struct viewed *viewed = &asked->viewed;
    if (!asked->is_empty || table_view_has_pinned(viewed, asked->reading.name))
        return OK;
    for (size_t i = 0; i < viewed->count; i++) {
        struct name_list names;
        TRY(samples_names(asked->reading.req->api->monitor, asked->reading.req->arena, asked->reading.req->project,
                          viewed->members[i].id, METRIC_TABLE, SAMPLES_RAW_DAYS * 24 * 3600, &names));
        if (name_list_has(&names, asked->reading.name))
            return OK;
    }
    return request_not_found(asked->reading.req);
}

/* ---- The answer ---- */
static void
add_text(struct buf *out, const char *name, str value)
{
    buf_format(out, "\"%s\":", name);
    buf_add_json(out, value);
    buf_add_char(out, ',');
}

static str
document_of(struct asked *asked)
{
    struct request *req = asked->reading.req;
    const struct viewed *viewed = &asked->viewed;
    str view = request_path_value(req, "clusterView"), series = buf_str(&asked->series);
    struct buf out = buf_in(req->arena, HEAD_BYTES + series.len);
    buf_add_char(&out, '{');
    add_text(&out, "groupId", id_text(req->arena, req->project));
    if (view.len > 0) {
        add_text(&out, "clusterId", id_text(req->arena, viewed->cluster));
        add_text(&out, "clusterView", view);
    }
    if (viewed->count == 1)
        add_text(&out, "processId", viewed->members[0].process);
    add_text(&out, "databaseName", request_path_value(req, "databaseName"));
    add_text(&out, "collectionName", request_path_value(req, "collectionName"));
    add_text(&out, "granularity", str_from(asked->granularity));
    add_text(&out, "start", date_text(req->arena, asked->reading.steps.start_ms));
    add_text(&out, "end", date_text(req->arena, asked->reading.steps.end_ms));
    buf_add(&out, STR("\"measurements\":["));
    buf_add(&out, series);
    buf_add(&out, STR("]}"));
    return asked->series.failed ? STR_EMPTY : buf_str(&out);
}

static error
measure(struct request *req)
{
    struct asked *asked = ARENA_NEW(req->arena, struct asked);
    struct table_name name;
    if (asked == NULL)
        return fail(req->arena, OVERLOADED);
    struct reading *reading = &asked->reading;
    *reading = (struct reading){ .req = req, .scope = METRIC_TABLE };
    TRY(choose_metrics(reading));
    TRY(table_view_find(req, &asked->viewed));
    if (table_name_read_in(req->arena, request_path_value(req, "databaseName"),
                           request_path_value(req, "collectionName"), &name))
        reading->name = table_name_write(req->arena, name);
    if (reading->name.len == 0)
        return request_not_found(req);
    size_t times = asked->viewed.is_apart && asked->viewed.count > 0 ? asked->viewed.count : 1;
    TRY(span_choose(req, reading->count * times, &asked->granularity, &reading->steps));
    TRY(reading_begin(reading));
    asked->series = buf_in(req->arena, times * (reading_bytes(reading) + 1) + 1);
    TRY(read_all(asked));
    TRY(check_name(asked));
    str document = document_of(asked);
    if (document.len == 0)
        return fail(req->arena, OVERLOADED);
    answer_entity(req, document, 0);
    return OK;
}

error
process_table_measurements(struct request *req)
{
    return measure(req);
}

error
cluster_table_measurements(struct request *req)
{
    return measure(req);
}
