/* SPDX-License-Identifier: Apache-2.0 */
/* The record of what happened. Events are written by every change and can be neither changed nor deleted. */
#include "api/api.h"
#include "base/date.h"
#include "family/families.h"
#include "job/alert/alert_rule.h"
#include "store/event/event_read.h"

enum { MAX_CLUSTER_NAME = 64, STREAM_MAX_BYTES = 32 * 1024 * 1024, STREAM_TEXT_BYTES = 256 * 1024 };

static const struct field event_fields[] = {
    ID("id", "Identifier of the event.", READ_ONLY | ALWAYS),
    DATE("created", "When it happened.", READ_ONLY | ALWAYS),
    TEXT("eventTypeName", "What happened: one of the types of events.", READ_ONLY | ALWAYS, .one_of = event_type_names),
    INTEGER("sequence",
            "Place of the event in this list, counted from 1 without gaps. A stream can be resumed after it.",
            READ_ONLY | ALWAYS),
    ID("orgId", "Organization in which it happened.", READ_ONLY | ALWAYS),
    ID("groupId", "Project in which it happened, when it was in one.", READ_ONLY),
    TEXT("clusterName", "Cluster that it is about, when it is about one.", READ_ONLY),
    ID("userId", "Person who did it.", READ_ONLY),
    TEXT("username", "Name of that person, or of the operator's tool.", READ_ONLY),
    ID("apiKeyId", "API key that did it.", READ_ONLY),
    TEXT("publicKey", "Public part of that key.", READ_ONLY),
    ID("serviceAccountId", "Service account that did it.", READ_ONLY),
    TEXT("clientId", "Client id of that service account.", READ_ONLY),
    ID("alertId", "Alert that it is about.", READ_ONLY),
    ID("alertConfigId", "Alert configuration that it is about, or that raised the alert.", READ_ONLY),
    TEXT("targetUsername", "Name of the person whose membership, roles or invitation were changed.", READ_ONLY),
    TEXT("dbUserUsername", "Name of the database user that it is about.", READ_ONLY),
    ID("teamId", "Team that it is about.", READ_ONLY),
    TEXT("targetPublicKey", "Public part of the API key that was changed.", READ_ONLY),
    ID("resourceId", "Identifier of what was changed, when that has one.", READ_ONLY),
    TEXT("remoteAddress", "Address that the request came from.", READ_ONLY),
    TEXT("requestId", "X-Request-Id of the request.", READ_ONLY),
    OBJECT("before", "What was changed, before the change. Secrets are left out.", READ_ONLY),
    OBJECT("after", "What was changed, after the change. Secrets are left out.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema event_schema = { "Event", "Who changed what, when and from where.", event_fields };

static const struct field event_type_fields[] = {
    TEXT("eventType", "Name of the type.", READ_ONLY | ALWAYS),
    TEXT("description", "What happened when an event has this type.", READ_ONLY | ALWAYS),
    BOOL("alertable", "Whether an alert configuration may name it.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema event_type_schema = { "EventType", "A type of events.", event_type_fields };

#define TYPE_AND_DATE_PARAMETERS                                                                                       \
    LIST("eventType", "Only events of this type. Can be repeated.", 0, .item = TYPE_TEXT, .one_of = event_type_names), \
        LIST("excludedEventType", "No events of this type. Can be repeated.", 0, .item = TYPE_TEXT,                    \
             .one_of = event_type_names),                                                                              \
        DATE("minDate", "Only events at this moment or later.", 0),                                                    \
        DATE("maxDate", "Only events at this moment or earlier.", 0)
static const struct field project_query[] = {
    TYPE_AND_DATE_PARAMETERS,
    LIST("clusterNames", "Only events about this cluster. Can be repeated.", 0, .item = TYPE_TEXT, .min = 1,
         .max = MAX_CLUSTER_NAME),
    END_OF_FIELDS,
};
static const struct field organization_query[] = { TYPE_AND_DATE_PARAMETERS, END_OF_FIELDS };

static const struct read project_event_get, organization_event_get;
static void bind_feed(struct request *req, struct params *params);
static str feed_text(struct request *req, struct arena *arena, const struct rows *rows, bool *ret_more);
static handler event_list, event_type_list, open_feed;

static const struct feed project_feed = { SQL_EVENT_AFTER_IN_PROJECT, open_feed, bind_feed, feed_text };
static const struct feed organization_feed = { SQL_EVENT_AFTER_IN_ORGANIZATION, open_feed, bind_feed, feed_text };

// clang-format off
static const struct endpoint events_endpoints[] = {
    { GET, "/groups/{groupId}/events", S24, ANY_OF(PROJECT_READ_ONLY), "listGroupEvents",
      "Return all events of one project",
      "Lists what happened in the project, newest first. A list that is filtered by type or cluster contains and counts at "
      "most 10,000 events; a filter by date has no such limit. With `Accept: text/event-stream` new events are sent as they "
      "happen, starting after `Last-Event-ID`.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/events/{eventId}", .run = event_list, .feed = &project_feed,
      .query = project_query, .response = &event_schema },
    { GET, "/groups/{groupId}/events/{eventId}", S24, ANY_OF(PROJECT_READ_ONLY), "getGroupEvent",
      "Return one event of one project",
      "Returns one event with who caused it and what it was about.",
      .read = &project_event_get, .response = &event_schema },

    { GET, "/orgs/{orgId}/events", S25, ANY_OF(ORG_MEMBER), "listOrgEvents",
      "Return all events of one organization",
      "Lists what happened in the organization, newest first. It includes events of projects for callers who can read every "
      "project of the organization, as with ORG_READ_ONLY; others read them project by project. A list that is filtered by "
      "type, or without events of projects, contains at most 10,000 events. With `Accept: text/event-stream` new events are "
      "sent as they happen, starting after `Last-Event-ID`.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/events/{eventId}", .run = event_list, .feed = &organization_feed,
      .query = organization_query, .response = &event_schema },
    { GET, "/orgs/{orgId}/events/{eventId}", S25, ANY_OF(ORG_MEMBER), "getOrgEvent",
      "Return one event of one organization",
      "Returns one event with who caused it and what it was about. An event of a project is shown to callers who can read "
      "every project of the organization.",
      .read = &organization_event_get, .response = &event_schema },

    { GET, "/eventTypes", S26, ANY_CALLER, "listEventTypes",
      "Return all types of events",
      "Lists the types of events with a sentence on each. Use it to build filters.",
      .shape = SHAPE_LIST, .item = "/eventTypes", .run = event_type_list, .response = &event_type_schema },
};
// clang-format on

FAMILY(events_family, "events", "Events", "The record of what happened: who changed what, when and from where.",
       events_endpoints);

/* ---- What is asked for ---- */

/* Projects have their own members: who may not read all of them sees what happened outside of them. */
static bool
sees_projects(const struct request *req)
{
    return id_is_there(req->project) || (req->roles & PROJECT_READ_ONLY) != 0;
}

/* The stages have refused what is no type. */
static void
choose_type(bool types[EVENT_TYPE_COUNT], str name, bool is_chosen)
{
    int type = str_word(name, event_type_names);
    if (type >= 0)
        types[type] = is_chosen;
}

/* NULL when the request names no type. Exclusion is the choice of all others: so each is found in an index. */
static const bool *
read_types(struct request *req)
{
    bool *types = ARENA_ARRAY(req->arena, bool, EVENT_TYPE_COUNT);
    bool any = false, chosen = false;
    if (types == NULL)
        return NULL; /* the stages find that the arena is full */
    for (size_t i = 0; i < req->query_count; i++) {
        if (str_is(req->query[i].name, "eventType")) {
            choose_type(types, req->query[i].value, true);
            chosen = any = true;
        }
    }
    for (int i = 0; !chosen && i < EVENT_TYPE_COUNT; i++)
        types[i] = true;
    for (size_t i = 0; i < req->query_count; i++) {
        if (str_is(req->query[i].name, "excludedEventType")) {
            choose_type(types, req->query[i].value, false);
            any = true;
        }
    }
    return any ? types : NULL;
}

static size_t
read_clusters(struct request *req, const str **ret_clusters)
{
    size_t count = 0;
    str *clusters = ARENA_ARRAY(req->arena, str, req->query_count + 1);
    for (size_t i = 0; clusters != NULL && i < req->query_count; i++) {
        if (str_is(req->query[i].name, "clusterNames"))
            clusters[count++] = req->query[i].value;
    }
    *ret_clusters = clusters;
    return count;
}

static const int64_t *
read_date(struct request *req, const char *name)
{
    int64_t *ms = ARENA_NEW(req->arena, int64_t);
    return ms != NULL && date_parse(request_query(req, name), ms) ? ms : NULL;
}

static struct event_filter
read_filter(struct request *req)
{
    struct event_filter filter = {
        .of_project = id_is_there(req->project),
        .scope = id_or(req->project, req->organization),
        .outside_projects = !sees_projects(req),
        .types = read_types(req),
        .min_ms = read_date(req, "minDate"),
        .max_ms = read_date(req, "maxDate"),
        .offset = (req->page.number - 1) * req->page.size,
        .limit = req->page.size + 1,
        .count = req->page.include_count,
    };
    filter.cluster_count = read_clusters(req, &filter.clusters);
    return filter;
}

/* ---- Lists ---- */

static error
event_list(struct request *req)
{
    struct event_filter filter = read_filter(req);
    struct event_page page;
    if (event_filter_is_bounded(&filter) && filter.offset + req->page.size > EVENT_REACH)
        return fail(req->arena, INVALID_QUERY_PARAMETER, V("pageNum"),
                    V("a filtered list ends after 10000 events; use maxDate to go further back"));
    TRY(store_event_list(req->api->store, req->arena, &filter, &page));
    answer_list(req, page.total, page.count > req->page.size);
    for (int row = 0; row < page.count && row < req->page.size; row++)
        answer_item(req, event_view(req->arena, event_page_document(&page, row), event_page_seq(&page, row)),
                    event_page_id(&page, row));
    return OK;
}

static error
event_type_list(struct request *req)
{
    int64_t first = (req->page.number - 1) * req->page.size;
    answer_list(req, EVENT_TYPE_COUNT, first + req->page.size < EVENT_TYPE_COUNT);
    for (int64_t i = first; i < first + req->page.size && i < EVENT_TYPE_COUNT; i++) {
        struct buf document = buf_in(req->arena, 4096);
        buf_add_text(&document, "{\"eventType\":");
        buf_add_json(&document, str_from(event_rows[i].name));
        buf_add_text(&document, ",\"description\":");
        buf_add_json(&document, str_from(event_rows[i].sentence));
        buf_add_text(&document, ",\"alertable\":");
        buf_add_text(&document, alert_rule_find(str_from(event_rows[i].name)) != NULL ? "true}" : "false}");
        answer_item(req, buf_str(&document), STR_EMPTY);
    }
    return OK;
}

/* ---- One event ---- */

static error
bind_get(struct request *req, struct params *params)
{
    id event;
    TRY(request_path_id(req, "eventId", &event));
    params_id(params, P_SCOPE, id_or(req->project, req->organization));
    params_id(params, P_EVENT, event);
    if (!id_is_there(req->project))
        params_bool(params, P_OUTSIDE_PROJECTS, !sees_projects(req));
    return OK;
}

static error
answer_get(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    int64_t seq = rows_int(rows, 0, C_SEQ);
    answer_entity(req, event_view(req->arena, rows_text(rows, 0, C_DOCUMENT), seq), seq);
    return OK;
}

static const struct read project_event_get = { SQL_EVENT_GET_IN_PROJECT, bind_get, answer_get };
static const struct read organization_event_get = { SQL_EVENT_GET_IN_ORGANIZATION, bind_get, answer_get };

/* ---- Following ---- */

static void
bind_feed(struct request *req, struct params *params)
{
    event_follow_bind(params, id_or(req->project, req->organization), req->stream.after);
}

/* Behind the event that the client names, else behind the newest there is. */
static error
open_feed(struct request *req)
{
    static const char *const not_of_streams[] = { "minDate", "maxDate" };
    for (size_t i = 0; i < LENGTH(not_of_streams); i++) {
        if (request_query(req, not_of_streams[i]).len > 0)
            return fail(req->arena, INVALID_QUERY_PARAMETER, V(not_of_streams[i]),
                        V("leave it out: a stream has no dates, it begins now or behind Last-Event-ID"));
    }
    struct params params = { 0 };
    struct rows rows;
    int64_t after = 0;
    bool resumes = req->in.last_event_id.len > 0;
    if (resumes && !str_to_int(req->in.last_event_id, 0, INT64_MAX - 1, &after))
        return fail(req->arena, INVALID_HEADER, V("Last-Event-ID"), V("it must be the id of an event of this stream"));
    bind_feed(req, &params);
    TRY(store_read(req->api->store, req->arena, req->endpoint->feed->statement, &params, &rows));
    int64_t end = event_follow_end(&rows);
    if (resumes && after > end)
        return fail(req->arena, INVALID_HEADER, V("Last-Event-ID"), V("this stream has no event with this id yet"));
    answer_stream(req, resumes ? after : end);
    return OK;
}

static bool
is_wanted(struct request *req, const struct event_followed *event)
{
    bool named = false, fits = false, cluster_named = false, cluster_fits = false;
    if (event->of_project && !sees_projects(req))
        return false;
    for (size_t i = 0; i < req->query_count; i++) {
        str name = req->query[i].name, value = req->query[i].value;
        if (str_is(name, "excludedEventType") && str_eq(value, event->type))
            return false;
        if (str_is(name, "eventType")) {
            named = true;
            fits |= str_eq(value, event->type);
        } else if (str_is(name, "clusterNames")) {
            cluster_named = true;
            cluster_fits |= str_eq(value, event->cluster);
        }
    }
    return (!named || fits) && (!cluster_named || cluster_fits);
}

static str
feed_text(struct request *req, struct arena *arena, const struct rows *rows, bool *ret_more)
{
    struct buf out = buf_in(arena, STREAM_MAX_BYTES);
    int count = event_follow_count(rows), row;
    for (row = 0; row < count && out.len < STREAM_TEXT_BYTES; row++) {
        struct event_followed event = event_follow_row(rows, row);
        req->stream.after = event.seq;
        if (!is_wanted(req, &event))
            continue;
        str document = answer_item_text(req, arena, event_view(arena, event.document, event.seq), event.id);
        buf_format(&out, "id: %lld\nevent: %.*s\ndata: ", (long long)event.seq, STR_ARG(event.type));
        buf_add(&out, document); /* JSON of one line */
        buf_add_text(&out, "\n\n");
    }
    *ret_more = row < count || count == EVENT_FOLLOW_ROWS;
    return buf_str(&out);
}
