/* SPDX-License-Identifier: Apache-2.0 */
#include "store/event_read.h"

#include "base/json.h"
#include "store/fault.h"

enum { ARRAY_MAX_BYTES = 256 * 1024, VIEW_MAX_BYTES = 8 * 1024 * 1024 };

/* ---- Lists ---- */

static void
add_element(struct buf *out, str element)
{
    buf_add_text(out, out->len == 1 ? "\"" : ",\"");
    for (size_t i = 0; i < element.len; i++) {
        if (element.data[i] == '"' || element.data[i] == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, element.data[i]);
    }
    buf_add_char(out, '"');
}

/* A text[] as PostgreSQL reads it. */
static str
type_array(struct arena *arena, const bool *types)
{
    struct buf out = buf_in(arena, ARRAY_MAX_BYTES);
    buf_add_char(&out, '{');
    for (int i = 0; i < EVENT_TYPE_COUNT; i++) {
        if (types[i])
            add_element(&out, str_from(event_type_names[i]));
    }
    buf_add_char(&out, '}');
    return buf_str(&out);
}

static str
text_array(struct arena *arena, const str *texts, size_t count)
{
    struct buf out = buf_in(arena, ARRAY_MAX_BYTES);
    buf_add_char(&out, '{');
    for (size_t i = 0; i < count; i++)
        add_element(&out, texts[i]);
    buf_add_char(&out, '}');
    return buf_str(&out);
}

static void
params_bound(struct params *params, const int64_t *bound)
{
    if (bound == NULL)
        params_null(params);
    else
        params_int(params, *bound);
}

bool
event_filter_is_bounded(const struct event_filter *filter)
{
    return filter->types != NULL || filter->cluster_count > 0 || filter->outside_projects;
}

static enum sql
statement_for(const struct event_filter *filter)
{
    if (filter->cluster_count > 0)
        return SQL_EVENT_LIST_OF_CLUSTER;
    if (filter->outside_projects)
        return SQL_EVENT_LIST_OUTSIDE_PROJECTS;
    if (filter->types != NULL)
        return filter->of_project ? SQL_EVENT_LIST_OF_PROJECT_BY_TYPE : SQL_EVENT_LIST_OF_ORGANIZATION_BY_TYPE;
    return filter->of_project ? SQL_EVENT_LIST_OF_PROJECT : SQL_EVENT_LIST_OF_ORGANIZATION;
}

error
store_event_list(struct store *store, struct arena *arena, const struct event_filter *filter,
                 struct event_page *ret_page)
{
    struct params params = { 0 };
    params_id(&params, filter->scope);
    params_bound(&params, filter->min_ms);
    params_bound(&params, filter->max_ms);
    params_int(&params, filter->offset);
    params_int(&params, filter->limit);
    bool windowed = filter->cluster_count > 0 || filter->outside_projects;
    if (event_filter_is_bounded(filter)) {
        if (filter->types != NULL)
            params_text(&params, type_array(arena, filter->types));
        else
            params_null(&params);
        /* One more than is counted, to know that there are more. What looks through a window needs it in any case. */
        params_int(&params, filter->count || windowed ? EVENT_REACH + 1 : 0);
    }
    if (filter->cluster_count > 0)
        params_text(&params, text_array(arena, filter->clusters, filter->cluster_count));
    struct event_page page;
    TRY(store_read(store, arena, statement_for(filter), &params, &page.rows));
    page.total = rows_int(&page.rows, 0, 0);
    if (!filter->count || (event_filter_is_bounded(filter) && page.total > EVENT_REACH))
        page.total = -1;
    page.count = rows_is_null(&page.rows, 0, 1) ? 0 : page.rows.count;
    *ret_page = page;
    return OK;
}

str
event_page_document(const struct event_page *page, int row)
{
    return rows_text(&page->rows, row, 1);
}

str
event_page_id(const struct event_page *page, int row)
{
    return rows_text(&page->rows, row, 2);
}

int64_t
event_page_seq(const struct event_page *page, int row)
{
    return rows_int(&page->rows, row, 3);
}

/* ---- Following ---- */

void
event_follow_bind(struct params *params, id scope, int64_t after)
{
    params_id(params, scope);
    params_int(params, after);
    params_int(params, EVENT_FOLLOW_ROWS);
}

int
event_follow_count(const struct rows *rows)
{
    return rows->count > 0 && rows_is_null(rows, 0, 1) ? 0 : rows->count;
}

int64_t
event_follow_end(const struct rows *rows)
{
    return rows_int(rows, 0, 0);
}

struct event_followed
event_follow_row(const struct rows *rows, int row)
{
    return (struct event_followed){
        .seq = rows_int(rows, row, 1),
        .type = rows_text(rows, row, 2),
        .of_project = rows_bool(rows, row, 3),
        .cluster = rows_is_null(rows, row, 4) ? STR_EMPTY : rows_text(rows, row, 4),
        .document = rows_text(rows, row, 5),
        .id = rows_text(rows, row, 6),
    };
}

/* ---- How an event is shown ---- */

static void
add_text_field(struct buf *out, const char *name, const json_t *value)
{
    if (!json_is_string(value))
        return;
    buf_format(out, "%s\"%s\":", out->len == 1 ? "" : ",", name);
    buf_add_json(out, json_str(value));
}

static void
add_object_field(struct arena *arena, struct buf *out, const char *name, const json_t *value)
{
    if (value == NULL || json_is_null(value))
        return;
    /* A change of a whole list is shown as an object like any other. */
    bool is_object = json_is_object(value);
    buf_format(out, ",\"%s\":%s", name, is_object ? "" : "{\"items\":");
    buf_add(out, json_text(arena, value));
    buf_add_text(out, is_object ? "" : "}");
}

static void
add_actor(struct buf *out, const json_t *actor)
{
    static const struct {
        const char *kind, *id_field, *name_field;
    } fields[] = {
        { "USER", "userId", "username" },
        { "API_KEY", "apiKeyId", "publicKey" },
        { "SERVICE_ACCOUNT", "serviceAccountId", "clientId" },
        { "OPERATOR", NULL, "username" },
    };
    str kind = json_str(json_object_get(actor, "kind"));
    for (size_t i = 0; i < LENGTH(fields); i++) {
        if (!str_is(kind, fields[i].kind))
            continue;
        if (fields[i].id_field != NULL)
            add_text_field(out, fields[i].id_field, json_object_get(actor, "id"));
        add_text_field(out, fields[i].name_field, json_object_get(actor, "name"));
    }
}

str
event_view(struct arena *arena, str stored, int64_t seq)
{
    const json_t *event = json_parse_own(arena, stored);
    struct buf out = buf_in(arena, VIEW_MAX_BYTES);
    if (event == NULL)
        return STR_EMPTY;
    buf_add_char(&out, '{');
    add_text_field(&out, "id", json_object_get(event, "id"));
    add_text_field(&out, "created", json_object_get(event, "created"));
    add_text_field(&out, "eventTypeName", json_object_get(event, "type"));
    buf_format(&out, ",\"sequence\":%lld", (long long)seq);
    add_text_field(&out, "orgId", json_object_get(event, "org"));
    add_text_field(&out, "groupId", json_object_get(event, "project"));
    add_text_field(&out, "clusterName", json_object_get(event, "cluster"));
    add_actor(&out, json_object_get(event, "actor"));
    add_text_field(&out, "remoteAddress", json_object_get(event, "address"));
    add_text_field(&out, "requestId", json_object_get(event, "request"));
    add_object_field(arena, &out, "before", json_object_get(event, "before"));
    add_object_field(arena, &out, "after", json_object_get(event, "after"));
    buf_add_char(&out, '}');
    return buf_str(&out);
}
