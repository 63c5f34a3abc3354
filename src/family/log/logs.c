/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs as the servers wrote them (docs/internals/logs.md). They stay in the journal of the host: a download is led there by the node's own nginx,
 * which joins the two ends and keeps nothing.
 */
#include "api/log_path.h"
#include "base/clock.h"
#include "base/net/log_door.h"
#include "family/families.h"
#include "family/moments.h"
#include "store/log/log_home.h"

enum { DAY_S = 24 * 60 * 60, US_PER_S = 1000 * 1000, MS_PER_S = 1000 };

static const struct field log_query[] = {
    INTEGER("startDate", "First moment, in seconds since 1970; by default a day before `endDate`.", 0,
            .min = FIRST_MOMENT_S, .max = LAST_MOMENT_S, .example = "1767225600"),
    INTEGER("endDate", "Last moment, in seconds since 1970; by default now.", 0, .min = FIRST_MOMENT_S,
            .max = LAST_MOMENT_S, .example = "1767229200"),
    TEXT(
        "after",
        "Begin behind the line at this position, instead of at `startDate`. Every answer ends with an empty gzip part whose "
        "comment is `position=` and the position of its last line. An extension of this service.",
        0, .min = 1, .max = 40, .pattern = "^[1-9][0-9]{0,17}-[0-9]{1,9}$", .example = "\"1767225600123456-1\""),
    END_OF_FIELDS,
};

// clang-format off
static const struct field log_path[] = {
    TEXT("hostName", "Name of the host, as in its process.", 0, .min = 1, .max = 253,
         .pattern = "^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$", .example = "\"db1.example.org\""),
    TEXT("logName",
         "Which log: of the database server, what was recorded of sessions (`auditLog`), of Patroni, which decides about the server's role, "
         "or of pgBackRest on this host.",
         0, .one_of = (const char *const[]){ "postgres", "audit", "patroni", "pgbackrest", NULL }),
    END_OF_FIELDS,
};

static handler log_download;

static const struct endpoint logs_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz", S15,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATA_ACCESS_ADMIN | PROJECT_DATA_ACCESS_READ_ONLY |
             PROJECT_DATA_ACCESS_READ_WRITE | PROJECT_STREAM_PROCESSING_OWNER),
      "downloadGroupClusterLog",
      "Download one log of one host",
      "Returns the lines of one log of one host between two moments, as gzip, oldest first. When both moments are given and over, the answer has an "
      "`ETag`, and a download that broke off goes on with `Range: bytes=N-`. An answer that breaks off has no proper end. With 503 the host "
      "does not answer, and nothing was sent.",
      .shape = SHAPE_FILE, .since = "2023-02-01", .flags = NO_ETAG, .run = log_download,
      .path_fields = log_path, .query = log_query },
};
// clang-format on

FAMILY(logs_family, "logs", "Cluster logs", "The log files of a project's database servers.", logs_endpoints);

/* ---- What is asked for ---- */
/* In seconds; what the form does not allow never comes here. */
static int64_t
moment(const struct request *req, const char *name, int64_t otherwise)
{
    int64_t value;
    return str_to_int(request_query(req, name), FIRST_MOMENT_S, LAST_MOMENT_S, &value) ? value : otherwise;
}

static error
read_query(struct request *req, str *ret_query)
{
    int64_t now_s = clock_now_ms() / MS_PER_S, to_s = moment(req, "endDate", now_s + 1),
            from_s = moment(req, "startDate", to_s - DAY_S);
    str after = request_query(req, "after");
    if (from_s > to_s)
        return fail(req->arena, INVALID_QUERY_PARAMETER, V("startDate"), V("it must not be after endDate"));
    *ret_query = str_format(req->arena, "from=%lld&to=%lld%s%.*s", (long long)from_s * US_PER_S,
                            (long long)to_s * US_PER_S, after.len > 0 ? "&after=" : "", STR_ARG(after));
    return OK;
}

/* ---- Where it is ---- */
static error
find_home(struct request *req, struct log_home *ret_home)
{
    struct log_home *homes;
    size_t count;
    TRY(store_log_homes(req->api->store, req->arena, req->project, STR_EMPTY, request_path_value(req, "hostName"),
                        &homes, &count));
    if (count == 0)
        return request_not_found(req);
    *ret_home = homes[0];
    return homes[0].address.len > 0 ? OK : fail(req->arena, LOGS_UNAVAILABLE);
}

static error
log_download(struct request *req)
{
    struct log_home home;
    str query;
    TRY(read_query(req, &query));
    TRY(find_home(req, &home));
    str target = str_format(req->arena, "%s/%.*s", id_text(req->arena, home.member).data,
                            STR_ARG(request_path_value(req, "logName")));
    req->out = (struct response){
        .status = 200,
        .body = STR_EMPTY,
        .content_type = STR_EMPTY,
        .inner = log_inner_path(req, home.address, home.host, target, query),
    };
    req->done = true;
    return arena_is_exhausted(req->arena) ? fail(req->arena, OVERLOADED) : OK;
}
