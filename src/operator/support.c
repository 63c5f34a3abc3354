/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of support staff on a cluster, while its owner consents. Its user exists for some hours, on one cluster, from one address, and every
 * statement of it is in the server's log, which the owner reads. Without a consent nobody gets one, whoever asks.
 */
#include "store/access/support.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/crypto/scram.h"
#include "base/date.h"
#include "base/json.h"
#include "base/net/net.h"
#include "operator/parts.h"
#include "store/access/access.h"
#include "store/cluster/cluster.h"
#include "store/resource.h"

enum {
    REASON_MAX = 250,
    HOURS_MAX = 24,
    NAME_MAX_CHARACTERS = 194,
    NAME_BYTES = 5,
    PASSWORD_BYTES = 24,
    HOUR_MS = 3600 * 1000
};

/* ---- Tables ---- */
static const char *const levels[] = { "STATISTICS", "DATA", NULL };

#define SESSION_FIELDS                                                                                          \
    ID("sessionId", "Identifier of the session.", READ_ONLY | ALWAYS),                                          \
        TEXT("clusterName", "Name of the cluster.", READ_ONLY | ALWAYS, .example = "\"orders\""),               \
        TEXT("level",                                                                                           \
             "STATISTICS: settings, statistics and what runs. DATA: also the rows of all tables, for reading.", \
             READ_ONLY | ALWAYS, .one_of = levels),                                                             \
        TEXT("operator", "Who opened it.", READ_ONLY | ALWAYS, .example = "\"ada\""),                           \
        TEXT("reason", "What for.", READ_ONLY | ALWAYS),                                                        \
        TEXT("from", "Where its user may connect from.", READ_ONLY | ALWAYS, .example = "\"198.51.100.7/32\""), \
        TEXT("username", "Name of its user on the cluster.", READ_ONLY | ALWAYS),                               \
        DATE("openedAt", "When it was opened.", READ_ONLY | ALWAYS),                                            \
        DATE("endsAt", "When its user is removed and its connections are ended.", READ_ONLY | ALWAYS),          \
        ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),                                      \
        ID("projectId", "Identifier of its project.", READ_ONLY | ALWAYS),                                      \
        ID("orgId", "Identifier of its organization.", READ_ONLY | ALWAYS)
static const struct field session_fields[] = { SESSION_FIELDS, END_OF_FIELDS };
static const struct schema session_schema = { "SupportSession", "A session of support staff on a cluster.",
                                              session_fields };
static const struct field opened_fields[] = {
    SESSION_FIELDS,
    TEXT("password", "Password of its user. It is shown once.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema opened_schema = { "OpenedSupportSession", "A session and its password.", opened_fields };
static const struct field open_fields[] = {
    TEXT(
        "cluster",
        "Name of the cluster; PROJECT/NAME or ORGANIZATION/PROJECT/NAME where several have that name; or its identifier.",
        REQUIRED, .min = 1, .max = NAME_MAX_CHARACTERS, .example = "\"orders\""),
    TEXT("reason", "What for, for the events of the cluster's owner.", REQUIRED, .min = 1, .max = REASON_MAX,
         .example = "\"Ticket 4711: replication is slow\""),
    CIDR("from", "Where its user may connect from.", REQUIRED, .example = "\"198.51.100.7/32\""),
    TEXT("level", "DATA only when rows must be read; the consent must allow it.", 0, .one_of = levels,
         .fallback = "\"STATISTICS\""),
    INTEGER("hours", "How long, at most until the consent ends.", 0, .min = 1, .max = HOURS_MAX, .fallback = "1"),
    END_OF_FIELDS,
};
static const struct schema open_schema = { "SupportSessionRequest", "A session to open.", open_fields };
static const struct field session_path[] = { ID("sessionId", "Identifier of the session.", 0), END_OF_FIELDS };

/* ---- Reading ---- */
static error
bind_sessions(struct request *req, struct params *params)
{
    list_bind(req, params);
    params_null(params, P_SESSION);
    return OK;
}
static const struct read sessions = { SQL_SUPPORT_SESSION_LIST, bind_sessions, list_answer };

static error
read_session(struct request *req, id session, struct rows *ret_rows)
{
    struct params params = { 0 };
    params_int(&params, P_OFFSET, 0);
    params_int(&params, P_LIMIT, 1);
    params_id(&params, P_SESSION, session);
    TRY(store_read(req->api->store, req->arena, SQL_SUPPORT_SESSION_LIST, &params, ret_rows));
    return rows_is_null(ret_rows, 0, C_DOCUMENT) ? request_not_found(req) : OK;
}

/* ---- Opening ---- */
/* The cluster that is meant, locked, in its organization's transaction. */
static error
take_cluster(struct request *req, str named, struct cluster *ret_cluster)
{
    str text;
    bool is_there;
    id organization, project;
    TRY(operator_find_cluster(req, named, INVALID_ATTRIBUTE_VALUE, &text));
    if (text.len == 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("cluster"), V("there is no such cluster"));
    const json_t *document = json_parse_own(req->arena, text);
    str name = json_str(json_object_get(document, "name"));
    if (!id_parse(json_str(json_object_get(document, "orgId")), &organization) ||
        !id_parse(json_str(json_object_get(document, "projectId")), &project))
        return fail(req->arena, OVERLOADED);
    TRY(tx_set_organization(req->tx, organization));
    TRY(store_cluster_lock(req->tx, organization, project, STR("cluster"), name, &is_there, ret_cluster));
    if (!is_there)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("cluster"), V("there is no such cluster"));
    return OK;
}

static error
check_consent(struct request *req, const struct cluster *cluster, bool reads_rows, int64_t *ret_ends_ms)
{
    const json_t *grant = json_object_get(cluster->document, "vendorEmployeeAccessGrant");
    str type = json_str(json_object_get(grant, "grantType"));
    int64_t ends_ms = 0;
    if (!date_parse(json_str(json_object_get(grant, "expirationTime")), &ends_ms) || ends_ms <= clock_now_ms())
        return fail(req->arena, ACCESS_NOT_GRANTED, V(cluster->name), V("no consent is in force"));
    bool allows_rows = str_is(type, "CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA");
    if (reads_rows && !allows_rows)
        return fail(req->arena, ACCESS_NOT_GRANTED, V(cluster->name),
                    V("reading rows needs CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA"));
    if (!allows_rows && !str_is(type, "CLUSTER_INFRASTRUCTURE"))
        return fail(req->arena, ACCESS_NOT_GRANTED, V(cluster->name), V("a session needs CLUSTER_INFRASTRUCTURE"));
    *ret_ends_ms = ends_ms;
    return OK;
}

static str
random_text(struct request *req, size_t bytes)
{
    uint8_t random[PASSWORD_BYTES];
    crypto_random(random, bytes);
    return str_hex(req->arena, random, bytes);
}

static error
open_session(struct request *req)
{
    struct cluster cluster;
    struct resource added;
    struct net_block block;
    int64_t consent_ends_ms, generation;
    bool is_free;
    bool reads_rows = str_is(json_str(json_object_get(req->body, "level")), "DATA");
    str reason = str_trim(json_str(json_object_get(req->body, "reason")));
    if (reason.len == 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("reason"), V("it must not be empty"));
    if (!net_parse_block(json_str(json_object_get(req->body, "from")), &block))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("from"), V("it must be an address or a block"));
    TRY(take_cluster(req, json_str(json_object_get(req->body, "cluster")), &cluster));
    TRY(check_consent(req, &cluster, reads_rows, &consent_ends_ms));

    int64_t ends_ms = clock_now_ms() + json_integer_value(json_object_get(req->body, "hours")) * HOUR_MS;
    if (ends_ms > consent_ends_ms)
        ends_ms = consent_ends_ms;
    str ends = date_text(req->arena, ends_ms / 1000 * 1000), password = random_text(req, PASSWORD_BYTES);
    str username = str_format(req->arena, SUPPORT_USER_PREFIX "%s", random_text(req, NAME_BYTES).data);
    str verifier = scram_verifier(req->arena, password), from = net_block_text(req->arena, &block);
    json_t *document = json_in(
        req->arena,
        json_pack("{s:s, s:s, s:s, s:s%, s:s%, s:s, s:s, s:[ss*], s:s}", "clusterId",
                  id_text(req->arena, cluster.id).data, "clusterName", str_dup(req->arena, cluster.name).data, "level",
                  reads_rows ? "DATA" : "STATISTICS", "operator", req->caller->name.data, req->caller->name.len,
                  "reason", reason.data, reason.len, "from", from.data, "deleteAfterDate", ends.data, "roles",
                  "clusterMonitor", reads_rows ? "readAnyDatabase" : NULL, "verifier", verifier.data));
    if (document == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(store_access_touch(req->tx, cluster.project, &generation));
    struct resource_draft draft = {
        .organization = cluster.organization,
        .scope = cluster.project,
        .id = id_new(store_cell(req->api->store)),
        .kind = STR("supportSession"),
        .name = username,
        .document = json_text(req->arena, document),
        .access_generation = generation,
    };
    TRY(store_resource_add(req->tx, &draft, &is_free, &added));
    if (!is_free)
        return fail(req->arena, OVERLOADED); /* one in a million millions */

    json_t *shown = json_in(req->arena, json_copy(document));
    json_object_del(shown, "verifier");
    json_object_set_new(shown, "username", json_string(username.data));
    struct event_draft event;
    id unused;
    request_event_actor(req, &event);
    event.type = EVENT_SUPPORT_SESSION_OPENED;
    event.organization = cluster.organization;
    event.project = cluster.project;
    event.cluster = cluster.name;
    event.after = shown;
    TRY(store_event_add(req->tx, &event, &unused));

    json_t *answer = json_copy(shown);
    json_object_del(answer, "deleteAfterDate");
    json_object_del(answer, "roles");
    json_object_set_new(answer, "sessionId", json_string(id_text(req->arena, draft.id).data));
    json_object_set_new(answer, "openedAt", json_string(date_now(req->arena).data));
    json_object_set_new(answer, "endsAt", json_string(ends.data));
    json_object_set_new(answer, "projectId", json_string(id_text(req->arena, cluster.project).data));
    json_object_set_new(answer, "orgId", json_string(id_text(req->arena, cluster.organization).data));
    json_object_set_new(answer, "password", json_string(password.data));
    answer_object(req, answer);
    return OK;
}

/* ---- Ending ---- */
static error
end_session(struct request *req)
{
    struct rows rows;
    struct event_draft by;
    struct support_ended which = { 0 };
    size_t count;
    TRY(request_path_id(req, "sessionId", &which.session));
    TRY(read_session(req, which.session, &rows));
    which.project = rows_id(&rows, 0, C_PROJECT);
    which.organization = rows_id(&rows, 0, C_ORGANIZATION);
    TRY(tx_set_organization(req->tx, which.organization));
    request_event_actor(req, &by);
    TRY(store_support_end(req->tx, &which, &by, &count));
    answer_nothing(req);
    return count == 0 ? request_not_found(req) : OK;
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/supportSessions", 0, FOR_OPERATORS, "listSupportSessions", "Return the open sessions of support staff",
      "Lists the sessions that are open on clusters of tenants: who opened them, what for, and until when.",
      SHAPE_LIST, .read = &sessions, .response = &session_schema },
    { POST, "/supportSessions", 0, FOR_OPERATORS, "openSupportSession", "Open a session on one cluster",
      "Makes a user on the cluster, while its owner consents (grantVendorEmployeeAccess), for some hours and from one address. The owner's events say who "
      "opened it and why, and every statement is in the servers' log. The user is there within some seconds; it is removed, and its connections are ended, when the time is over, or "
      "the owner ends the consent.",
      SHAPE_ENTITY, 200, .run = open_session, .request = &open_schema, .response = &opened_schema,
      .example = "{\"cluster\": \"orders\", \"reason\": \"Ticket 4711: replication is slow\", \"from\": \"198.51.100.7/32\"}" },
    { DELETE, "/supportSessions/{sessionId}", 0, FOR_OPERATORS, "endSupportSession", "End one session of support staff",
      "Removes its user and ends its connections, within some seconds.",
      SHAPE_NOTHING, .run = end_session, .path_fields = session_path },
};
// clang-format on
FAMILY(operator_support_family, "support-sessions", "Sessions of support staff",
       "Sessions on clusters of tenants, while their owners consent.", endpoints);
