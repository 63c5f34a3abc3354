/* SPDX-License-Identifier: Apache-2.0 */
#include "store/event/event_read.h"

#include "base/json.h"
#include "base/json_walk.h"
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
params_bound(struct params *params, enum param parameter, const int64_t *bound)
{
    if (bound == NULL)
        params_null(params, parameter);
    else
        params_int(params, parameter, *bound);
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
    params_id(&params, P_SCOPE, filter->scope);
    params_bound(&params, P_MIN_MS, filter->min_ms);
    params_bound(&params, P_MAX_MS, filter->max_ms);
    params_int(&params, P_OFFSET, filter->offset);
    params_int(&params, P_LIMIT, filter->limit);
    bool windowed = filter->cluster_count > 0 || filter->outside_projects;
    if (event_filter_is_bounded(filter)) {
        if (filter->types != NULL)
            params_text(&params, P_TYPES, type_array(arena, filter->types));
        else
            params_null(&params, P_TYPES);
        /* One more than is counted, to know that there are more. What looks through a window needs it in any case. */
        params_int(&params, P_MOST, filter->count || windowed ? EVENT_REACH + 1 : 0);
    }
    if (filter->cluster_count > 0)
        params_text(&params, P_CLUSTERS, text_array(arena, filter->clusters, filter->cluster_count));
    struct event_page page;
    TRY(store_read(store, arena, statement_for(filter), &params, &page.rows));
    page.total = rows_int(&page.rows, 0, C_TOTAL);
    if (!filter->count || (event_filter_is_bounded(filter) && page.total > EVENT_REACH))
        page.total = -1;
    page.count = rows_is_null(&page.rows, 0, C_DOCUMENT) ? 0 : page.rows.count;
    *ret_page = page;
    return OK;
}

str
event_page_document(const struct event_page *page, int row)
{
    return rows_text(&page->rows, row, C_DOCUMENT);
}

str
event_page_id(const struct event_page *page, int row)
{
    return rows_text(&page->rows, row, C_ID);
}

int64_t
event_page_seq(const struct event_page *page, int row)
{
    return rows_int(&page->rows, row, C_SEQ);
}

/* ---- Following ---- */

void
event_follow_bind(struct params *params, id scope, int64_t after)
{
    params_id(params, P_SCOPE, scope);
    params_int(params, P_AFTER, after);
    params_int(params, P_LIMIT, EVENT_FOLLOW_ROWS);
}

int
event_follow_count(const struct rows *rows)
{
    return rows->count > 0 && rows_is_null(rows, 0, C_SEQ) ? 0 : rows->count;
}

int64_t
event_follow_end(const struct rows *rows)
{
    return rows_int(rows, 0, C_LAST_SEQ);
}

struct event_followed
event_follow_row(const struct rows *rows, int row)
{
    return (struct event_followed){
        .seq = rows_int(rows, row, C_SEQ),
        .type = rows_text(rows, row, C_TYPE),
        .of_project = rows_bool(rows, row, C_OF_PROJECT),
        .cluster = rows_is_null(rows, row, C_CLUSTER) ? STR_EMPTY : rows_text(rows, row, C_CLUSTER),
        .document = rows_text(rows, row, C_DOCUMENT),
        .id = rows_text(rows, row, C_ID),
    };
}

/* ---- How an event is shown ---- */

/* The members of a stored event or actor as they are written there. */
struct members {
    size_t count;
    struct {
        str name, value;
    } at[24];
};

static struct members
members_of(str object)
{
    struct members members = { 0 };
    struct json_walk walk = json_walk_in(object);
    while (members.count < LENGTH(members.at) &&
           json_walk_next(&walk, &members.at[members.count].name, &members.at[members.count].value))
        members.count++;
    return members;
}

static str
member(const struct members *members, const char *name)
{
    for (size_t i = 0; i < members->count; i++) {
        if (str_is(members->at[i].name, name))
            return members->at[i].value;
    }
    return STR_EMPTY;
}

static void
add_name(struct buf *out, const char *name)
{
    buf_add_text(out, out->len == 1 ? "\"" : ",\"");
    buf_add_text(out, name);
    buf_add_text(out, "\":");
}

/* `value` as it is written: with its quotes. */
static void
add_text_field(struct buf *out, const char *name, str value)
{
    if (value.len == 0 || value.data[0] != '"')
        return;
    add_name(out, name);
    buf_add(out, value);
}

static void
add_object_field(struct arena *arena, struct buf *out, const char *name, str value)
{
    if (value.len == 0 || str_is(value, "null"))
        return;
    /* A change of a whole list is shown as an object like any other. */
    bool is_object = value.data[0] == '{';
    add_name(out, name);
    buf_add_text(out, is_object ? "" : "{\"items\":");
    /* Events are kept with all digits of a number, and shown with those that it came with. */
    buf_add(out, json_walk_has_real(value) ? json_text(arena, json_parse_own(arena, value)) : value);
    buf_add_text(out, is_object ? "" : "}");
}

static void
add_actor(struct buf *out, str text)
{
    static const struct {
        const char *kind, *id_field, *name_field;
    } fields[] = {
        { "\"USER\"", "userId", "username" },
        { "\"API_KEY\"", "apiKeyId", "publicKey" },
        { "\"SERVICE_ACCOUNT\"", "serviceAccountId", "clientId" },
        { "\"OPERATOR\"", NULL, "username" },
    };
    struct members actor = members_of(text);
    str kind = member(&actor, "kind");
    for (size_t i = 0; i < LENGTH(fields); i++) {
        if (!str_is(kind, fields[i].kind))
            continue;
        if (fields[i].id_field != NULL)
            add_text_field(out, fields[i].id_field, member(&actor, "id"));
        add_text_field(out, fields[i].name_field, member(&actor, "name"));
    }
}

/* What an event is about, from what was changed: the first row of each shown name whose types begin the event's and whose field is there.
 * A name that begins another's comes after it. */
static const struct {
    const char *types, *field, *shown;
} targets[] = {
    { "ALERT_CONFIG_", "id", "alertConfigId" },
    { "ALERT_", "alertConfigId", "alertConfigId" },
    { "ALERT_ACKNOWLEDGED", "id", "alertId" },
    { "ALERT_CLOSED", "id", "alertId" },
    { "ALERT_OPENED", "id", "alertId" },
    { "ALERT_NOTIFICATION_FAILED", "alertId", "alertId" },
    { "API_KEY_", "publicKey", "targetPublicKey" },
    { "DATABASE_USER_CERTIFICATE_CREATED", "subject", "dbUserUsername" },
    { "DATABASE_USER_CERTIFICATE_ENDS_SOON", "subject", "dbUserUsername" },
    { "DATABASE_USER_", "username", "dbUserUsername" },
    { "FEDERATED_USER_SIGNED_IN", "username", "targetUsername" },
    { "INVITATION_", "username", "targetUsername" },
    { "LDAP_GROUP_", "username", "dbUserUsername" },
    { "ROLE_GRANTED", "username", "targetUsername" },
    { "ROLE_REVOKED", "username", "targetUsername" },
    { "USER_", "username", "targetUsername" },
    { "TEAM_", "teamId", "teamId" },
    { "TEAM_", "id", "teamId" },
};

/* A value as it is written, from what is there after the change, or was before. Several of them (`entries`, `users`) have none in common. */
static str
field_of_change(const struct members *event, const char *name)
{
    str after = member(event, "after"), before = member(event, "before");
    str value = after.len > 0 && after.data[0] == '{' ? json_walk_find(after, name) : STR_EMPTY;
    if (value.len == 0 && before.len > 0 && before.data[0] == '{')
        value = json_walk_find(before, name);
    return value;
}

static void
add_targets(struct buf *out, const struct members *event)
{
    str type = member(event, "type"), resource = field_of_change(event, "id");
    const char *last = "";
    for (size_t i = 0; i < LENGTH(targets) && type.len > 2; i++) {
        str begin = str_from(targets[i].types);
        bool is_of = type.len >= begin.len + 2 && memcmp(type.data + 1, begin.data, begin.len) == 0;
        str value = is_of && strcmp(last, targets[i].shown) != 0 ? field_of_change(event, targets[i].field) : STR_EMPTY;
        if (value.len == 0)
            continue;
        add_text_field(out, targets[i].shown, value);
        last = targets[i].shown;
    }
    if (resource.len == ID_DIGITS + 2) /* with its quotes; other things are called by names */
        add_text_field(out, "resourceId", resource);
}

str
event_view(struct arena *arena, str stored, int64_t seq)
{
    struct members event = members_of(stored);
    struct buf out = buf_in(arena, VIEW_MAX_BYTES);
    enum { ROOM = 512 }; /* our names are longer than the stored ones, and what it is about is said twice */
    if (event.count == 0 || !buf_reserve(&out, stored.len + ROOM))
        return STR_EMPTY;
    buf_add_char(&out, '{');
    add_text_field(&out, "id", member(&event, "id"));
    add_text_field(&out, "created", member(&event, "created"));
    add_text_field(&out, "eventTypeName", member(&event, "type"));
    buf_add_text(&out, ",\"sequence\":");
    buf_add_int(&out, seq);
    add_text_field(&out, "orgId", member(&event, "org"));
    add_text_field(&out, "groupId", member(&event, "project"));
    add_text_field(&out, "clusterName", member(&event, "cluster"));
    add_actor(&out, member(&event, "actor"));
    add_targets(&out, &event);
    add_text_field(&out, "remoteAddress", member(&event, "address"));
    add_text_field(&out, "requestId", member(&event, "request"));
    add_object_field(arena, &out, "before", member(&event, "before"));
    add_object_field(arena, &out, "after", member(&event, "after"));
    buf_add_char(&out, '}');
    return buf_str(&out);
}
