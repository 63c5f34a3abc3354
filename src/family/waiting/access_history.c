/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts to log in to the databases, read from the servers' logs. */
#include "api/contract.h"
#include "family/moments.h"

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
    END_OF_FIELDS
};
static const struct schema access_logs_schema = { "AccessLogs", "Attempts to log in.", access_logs_fields };

static const struct field access_history_query[] = {
    BOOL("authResult", "Only attempts that succeeded, or only those that failed.", 0),
    INTEGER("start", "First moment, in milliseconds since 1970.", 0, .min = FIRST_MOMENT_MS, .max = LAST_MOMENT_MS),
    INTEGER("end", "Last moment, in milliseconds since 1970.", 0, .min = FIRST_MOMENT_MS, .max = LAST_MOMENT_MS),
    CIDR("ipAddress", "Only attempts from this address.", 0, .example = "\"203.0.113.7\""),
    INTEGER("nLogs", "Largest number of attempts to return.", 0, .min = 0, .max = 20000, .fallback = "20000"),
    END_OF_FIELDS
};

static const struct endpoint access_history_endpoints[] = {
    { GET, "/groups/{groupId}/dbAccessHistory/clusters/{clusterName}", S02,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATABASE_ACCESS_ADMIN), "getGroupDbAccessHistoryCluster",
      "Return the access history of one cluster",
      "Lists attempts to log in to any member of the cluster, newest first, with address, user and the reason of a failure.",
      .waits_for = "metrics", .response = &access_logs_schema, .query = access_history_query },
    { GET, "/groups/{groupId}/dbAccessHistory/processes/{hostname}", S02,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATABASE_ACCESS_ADMIN), "getGroupDbAccessHistoryProcess",
      "Return the access history of one process",
      "Lists attempts to log in to one server, newest first, with address, user and the reason of a failure.",
      .waits_for = "metrics", .response = &access_logs_schema, .query = access_history_query },
};
// clang-format on

FAMILY(access_history_family, "access-history", "Database access history",
       "Who tried to log in to the databases, from where, and whether they got in.", access_history_endpoints);
