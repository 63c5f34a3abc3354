/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of servers, their databases and disks. */
#include "api/api.h"
#include "base/date.h"
#include "family/monitor/metrics.h"
#include "family/monitor/process.h"
#include "family/monitor/reading.h"
#include "family/monitor/span.h"

enum { HEAD_BYTES = 16 * 1024 };

struct asked {
    struct reading reading;
    const char *field; /* of the answer, for the name; NULL: of the server itself */
};

/* ---- Which metrics ---- */
/* In the order in which they were named; without any, all of the scope. Names were checked by the table of fields. */
static void
choose_metrics(struct reading *reading)
{
    const struct request *req = reading->req;
    for (size_t i = 0; i < req->query_count; i++) {
        const struct metric *metric = str_is(req->query[i].name, "m") ? metric_find(req->query[i].value) : NULL;
        if (metric != NULL && metric->scope == reading->scope)
            reading_add_metric(reading, metric);
    }
    bool is_chosen = reading->count > 0;
    for (size_t i = 0; !is_chosen && i < METRIC_COUNT; i++) {
        if (metric_table[i].scope == reading->scope)
            reading->metrics[reading->count++] = &metric_table[i];
    }
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
document_of(const struct asked *asked)
{
    struct request *req = asked->reading.req;
    struct buf out = buf_in(req->arena, HEAD_BYTES + reading_bytes(&asked->reading));
    buf_add_char(&out, '{');
    add_text(&out, "groupId", id_text(req->arena, req->project));
    add_text(&out, "processId", request_path_value(req, "processId"));
    add_text(&out, "hostId", request_path_value(req, "processId"));
    if (asked->field != NULL)
        add_text(&out, asked->field, asked->reading.name);
    add_text(&out, "granularity", request_query(req, "granularity"));
    add_text(&out, "start", date_text(req->arena, asked->reading.steps.start_ms));
    add_text(&out, "end", date_text(req->arena, asked->reading.steps.end_ms));
    buf_add(&out, STR("\"measurements\":["));
    reading_add_series(&out, &asked->reading, STR_EMPTY);
    buf_add(&out, STR("]}"));
    return buf_str(&out);
}

/* ---- ---- */
/* A database or disk of which nothing is known at all is not there. */
static error
check_name(const struct asked *asked)
{
    struct name_list names;
    if (asked->field == NULL || !reading_is_empty(&asked->reading))
        return OK;
    TRY(process_names(asked->reading.req, asked->reading.member, asked->reading.scope, &names));
    return name_list_has(&names, asked->reading.name) ? OK : request_not_found(asked->reading.req);
}

static error
measure(struct request *req, enum metric_scope scope, const char *field)
{
    struct asked *asked = ARENA_NEW(req->arena, struct asked);
    if (asked == NULL)
        return fail(req->arena, OVERLOADED);
    struct reading *reading = &asked->reading;
    asked->field = field;
    *reading = (struct reading){ .req = req,
                                 .scope = scope,
                                 .name = field == NULL ? STR_EMPTY : request_path_value(req, field) };
    choose_metrics(reading);
    TRY(span_read(req, reading->count, &reading->steps));
    TRY(process_find(req, &reading->member));
    TRY(reading_begin(reading));
    TRY(reading_fill(reading));
    TRY(check_name(asked));
    answer_entity(req, document_of(asked), 0);
    return OK;
}

error
process_measurements(struct request *req)
{
    return measure(req, METRIC_PROCESS, NULL);
}

error
database_measurements(struct request *req)
{
    return measure(req, METRIC_DATABASE, "databaseName");
}

error
disk_measurements(struct request *req)
{
    return measure(req, METRIC_DISK, "partitionName");
}
