/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts to log in to the databases. They are in the servers' logs and nowhere else: each host is asked, and finds them there while the caller
 * waits (docs/internals/logs.md).
 */
#include "api/api.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "base/net/log_door.h"
#include "family/families.h"
#include "family/moments.h"
#include "store/cluster/cluster.h"
#include "store/log/log_home.h"
#include "store/resource.h"

enum {
    DAY_MS = 24 * 60 * 60 * 1000,
    US_PER_MS = 1000,
    MOST = 20000,
    ONE_HOST_MS = 12 * 1000,
    ALL_HOSTS_MS = 25 * 1000,
    MOST_MEMBERS = 16,
    HISTORY_BYTES = 4 * 1024 * 1024, /* of all hosts together */
    SPARE_BYTES = 1024 * 1024,       /* what a host may add to its part when that is full */
    SPARE = 1024,                    /* the same, of attempts */
    LINE_ARENA_BYTES = 256 * 1024,
};

// clang-format off
static const struct field access_log_fields[] = {
    DATE("timestamp", "When it was tried.", READ_ONLY | ALWAYS),
    BOOL("authResult", "Whether it succeeded.", READ_ONLY | ALWAYS),
    TEXT("username", "User name of the attempt.", READ_ONLY | ALWAYS, .example = "\"app\""),
    CIDR("ipAddress", "Address that it came from.", READ_ONLY, .example = "\"203.0.113.7\""),
    TEXT("hostname", "The server that was asked.", READ_ONLY | ALWAYS),
    ID("groupId", "The project.", READ_ONLY | ALWAYS),
    TEXT("authSource", "The requested database.", READ_ONLY, .example = "\"shop\""),
    TEXT("failureReason", "Why it failed.", READ_ONLY, .example = "\"password authentication failed\""),
    TEXT("logLine", "The line of the server's log.", READ_ONLY),
    END_OF_FIELDS
};
static const struct schema access_log_schema = { "AccessLog", "One attempt to log in.", access_log_fields };

static const struct field access_logs_fields[] = {
    LIST("accessLogs", "The attempts, newest first.", READ_ONLY | ALWAYS, .of = &access_log_schema),
    DATE("lookedBackTo",
         "How far back the logs were read. When it is later than `start`, there may be more: ask again with it as `end`. An extension of this "
         "service.",
         READ_ONLY | ALWAYS),
    END_OF_FIELDS
};
static const struct schema access_logs_schema = { "AccessLogs", "Attempts to log in.", access_logs_fields };

static const struct field access_history_query[] = {
    BOOL("authResult", "Only attempts that succeeded, or only those that failed.", 0),
    INTEGER("start", "First moment, in milliseconds since 1970; by default a day before `end`.", 0, .min = FIRST_MOMENT_MS, .max = LAST_MOMENT_MS),
    INTEGER("end", "Last moment, in milliseconds since 1970; by default now.", 0, .min = FIRST_MOMENT_MS, .max = LAST_MOMENT_MS),
    CIDR("ipAddress", "Only attempts from this address.", 0, .example = "\"203.0.113.7\""),
    INTEGER("nLogs", "Largest number of attempts to return.", 0, .min = 0, .max = 20000, .fallback = "20000"),
    END_OF_FIELDS
};

static handler history_of_cluster, history_of_process;

static const struct endpoint access_history_endpoints[] = {
    { GET, "/groups/{groupId}/dbAccessHistory/clusters/{clusterName}", S02,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATABASE_ACCESS_ADMIN), "getGroupDbAccessHistoryCluster",
      "Return the access history of one cluster",
      "Lists attempts to log in to any member of the cluster, newest first, with address, user and the reason of a failure.",
      .flags = NO_ETAG | ASKS_HOSTS, .run = history_of_cluster, .response = &access_logs_schema, .query = access_history_query },
    { GET, "/groups/{groupId}/dbAccessHistory/processes/{hostname}", S02,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATABASE_ACCESS_ADMIN), "getGroupDbAccessHistoryProcess",
      "Return the access history of one process",
      "Lists attempts to log in to one server, newest first, with address, user and the reason of a failure.",
      .flags = NO_ETAG | ASKS_HOSTS, .run = history_of_process, .response = &access_logs_schema, .query = access_history_query },
};
// clang-format on

FAMILY(access_history_family, "access-history", "Database access history",
       "Who tried to log in to the databases, from where, and whether they got in.", access_history_endpoints);

/* ---- What is asked for ---- */
static int64_t
number(const struct request *req, const char *name, int64_t otherwise)
{
    int64_t value;
    return str_to_int(request_query(req, name), 0, LAST_MOMENT_MS, &value) ? value : otherwise;
}

struct history {
    struct request *req;
    int64_t most, from_us, until_ms;
    str query;
    struct attempt {
        int64_t us;
        str text; /* of its object, from behind the bracket on */
        str host_name;
    } * attempts;
    size_t count, room;
    int64_t reached_us;
};

static error
read_query(struct request *req, struct history *ret_history)
{
    int64_t to_ms = number(req, "end", clock_now_ms()), from_ms = number(req, "start", to_ms - DAY_MS);
    str in = request_query(req, "authResult"), address = request_query(req, "ipAddress");
    struct net_address from;
    if (from_ms > to_ms)
        return fail(req->arena, INVALID_QUERY_PARAMETER, V("start"), V("it must not be after end"));
    if (address.len > 0 && !net_parse_address(address, &from))
        return fail(req->arena, INVALID_QUERY_PARAMETER, V("ipAddress"), V("it must be one address"));
    if (address.len > 0) /* as servers write it */
        address = net_address_text(req->arena, &from);
    *ret_history = (struct history){
        .req = req,
        .most = number(req, "nLogs", MOST),
        .from_us = from_ms * US_PER_MS,
        .reached_us = from_ms * US_PER_MS,
        .until_ms = clock_steady_ms() + ALL_HOSTS_MS,
    };
    ret_history->query =
        str_format(req->arena, "from=%lld&to=%lld&most=%lld%s%.*s%s%.*s", (long long)ret_history->from_us,
                   (long long)to_ms * US_PER_MS, (long long)ret_history->most, in.len > 0 ? "&in=" : "", STR_ARG(in),
                   address.len > 0 ? "&address=" : "", STR_ARG(address));
    return OK;
}

/* ---- What hosts answer ---- */
/* A host is not believed blindly: a line must be an object that has what an attempt has, and nothing else. */
static bool
is_attempt(const json_t *line)
{
    static const char *const texts[] = { "username", "ipAddress", "authSource", "failureReason", "logLine" };
    size_t known = 2;
    if (!json_is_integer(json_object_get(line, "us")) || !json_is_boolean(json_object_get(line, "authResult")))
        return false;
    for (size_t i = 0; i < LENGTH(texts); i++) {
        const json_t *value = json_object_get(line, texts[i]);
        if (value != NULL && !json_is_string(value))
            return false;
        known += value != NULL;
    }
    return json_object_size(line) == known;
}

static error
take_line(struct history *history, str line, str host_name)
{
    struct request *req = history->req;
    struct arena *scratch CLEANUP(arena_cleanup) = arena_new(LINE_ARENA_BYTES);
    json_t *value = NULL;
    if (scratch == NULL || json_parse_within(scratch, line, LINE_ARENA_BYTES, &value) != OK)
        return fail(req->arena, LOGS_UNAVAILABLE);
    if (json_is_integer(json_object_get(value, "reached"))) {
        int64_t reached = json_int_at(value, "reached");
        history->reached_us = reached > history->reached_us ? reached : history->reached_us;
        return OK;
    }
    if (!is_attempt(value) || history->count == history->room)
        return fail(req->arena, LOGS_UNAVAILABLE);
    int64_t us = json_int_at(value, "us");
    json_object_del(value, "us");
    str text = str_dup(req->arena, json_text(scratch, value));
    if (text.len < 2)
        return fail(req->arena, OVERLOADED);
    history->attempts[history->count++] = (struct attempt){ us, str_slice(text, 1, text.len), host_name };
    return OK;
}

static error
ask_host(struct history *history, const struct log_home *home, size_t bytes)
{
    struct request *req = history->req;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(3 * (bytes + SPARE_BYTES));
    const struct log_door door = { home->address, home->host };
    int64_t left_ms = history->until_ms - clock_steady_ms();
    str body = STR_EMPTY;
    if (arena == NULL || home->address.len == 0 || left_ms <= 0 || req->api->log_side == NULL)
        return fail(req->arena, LOGS_UNAVAILABLE);
    str target = str_format(arena, LOG_DOOR_LOGINS "%s?%s&bytes=%zu", id_text(arena, home->member).data,
                            history->query.data, bytes);
    switch (log_door_ask(req->api->log_side, arena, &door, target, bytes + SPARE_BYTES,
                         left_ms < ONE_HOST_MS ? left_ms : ONE_HOST_MS, &body)) {
    case LOG_DOOR_ANSWERED: break;
    case LOG_DOOR_BUSY: return error_retry_after(req->arena, fail(req->arena, OVERLOADED), 1);
    case LOG_DOOR_SILENT: return error_retry_after(req->arena, fail(req->arena, LOGS_UNAVAILABLE), 5);
    }
    while (body.len > 0)
        TRY(take_line(history, str_cut(&body, '\n'), home->name));
    return OK;
}

/* ---- The answer ---- */
static int
newest_first(const void *a, const void *b)
{
    const struct attempt *one = a, *other = b;
    return one->us < other->us ? 1 : one->us > other->us ? -1 : 0;
}

static void
add_attempt(struct history *history, struct buf *out, const struct attempt *attempt)
{
    struct arena *arena = history->req->arena;
    buf_format(out, "{\"timestamp\":\"%s\",\"hostname\":", date_text(arena, attempt->us / US_PER_MS).data);
    buf_add_json(out, attempt->host_name);
    buf_format(out, ",\"groupId\":\"%s\",", id_text(arena, history->req->project).data);
    buf_add(out, attempt->text);
}

/* What was asked for as a whole is known only as far back as every host has looked. */
static error
answer_history(struct history *history)
{
    struct request *req = history->req;
    struct buf out = buf_in(req->arena, REQUEST_ARENA_BYTES);
    int64_t shown = 0;
    qsort(history->attempts, history->count, sizeof(*history->attempts), newest_first);
    buf_add_text(&out, "{\"accessLogs\":[");
    for (size_t i = 0; i < history->count && shown < history->most; i++) {
        if (history->attempts[i].us < history->reached_us)
            continue;
        buf_add_text(&out, shown++ > 0 ? "," : "");
        add_attempt(history, &out, &history->attempts[i]);
        if (shown == history->most)
            history->reached_us = history->attempts[i].us;
    }
    buf_format(&out, "],\"lookedBackTo\":\"%s\"}", date_text(req->arena, history->reached_us / US_PER_MS).data);
    if (out.failed || arena_is_exhausted(req->arena))
        return fail(req->arena, OVERLOADED);
    answer_entity(req, buf_str(&out), 0);
    return OK;
}

static error
answer_of(struct request *req, const struct log_home *homes, size_t count)
{
    struct history history;
    TRY(read_query(req, &history));
    history.room = ((size_t)history.most + SPARE) * count + 1;
    history.attempts = ARENA_ARRAY(req->arena, struct attempt, history.room);
    if (history.attempts == NULL)
        return fail(req->arena, OVERLOADED);
    for (size_t i = 0; i < count; i++)
        TRY(ask_host(&history, &homes[i], HISTORY_BYTES / count));
    return answer_history(&history);
}

static error
history_of_process(struct request *req)
{
    struct log_home *homes;
    size_t count;
    TRY(store_log_homes(req->api->store, req->arena, req->project, STR_EMPTY, request_path_value(req, "hostname"),
                        &homes, &count));
    return count == 0 ? request_not_found(req) : answer_of(req, homes, 1);
}

static error
check_cluster(struct request *req, str name)
{
    static const char *const kinds[] = { CLUSTER_KIND, FLEX_CLUSTER_KIND };
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        str document;
        TRY(store_resource_read(req->api->store, req->arena, req->project, str_from(kinds[i]), name, &document));
        if (document.len > 0)
            return OK;
    }
    return request_not_found(req);
}

static error
history_of_cluster(struct request *req)
{
    struct log_home *homes;
    size_t count;
    str name = request_path_value(req, "clusterName");
    TRY(check_cluster(req, name));
    TRY(store_log_homes(req->api->store, req->arena, req->project, name, STR_EMPTY, &homes, &count));
    return answer_of(req, homes, count < MOST_MEMBERS ? count : MOST_MEMBERS);
}
