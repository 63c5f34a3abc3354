/* SPDX-License-Identifier: Apache-2.0 */
/* Log files as the servers wrote them. */
#include "api/contract.h"
#include "family/moments.h"

static const struct field log_query[] = {
    INTEGER("startDate", "First moment, in seconds since 1970; by default a day before `endDate`.", 0,
            .min = FIRST_MOMENT_S, .max = LAST_MOMENT_S, .example = "1767225600"),
    INTEGER("endDate", "Last moment, in seconds since 1970; by default now.", 0, .min = FIRST_MOMENT_S,
            .max = LAST_MOMENT_S, .example = "1767229200"),
    END_OF_FIELDS,
};

// clang-format off
static const struct field log_path[] = {
    TEXT("hostName", "Name of the host, as in its process.", 0, .min = 1, .max = 253,
         .pattern = "^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$", .example = "\"db1.example.org\""),
    TEXT("logName", "Which log: of the database server, of Patroni, which decides about its role, or of backups.", 0,
         .one_of = (const char *const[]){ "postgres", "patroni", "pgbackrest", NULL }),
    END_OF_FIELDS,
};

static const struct endpoint logs_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz", S15,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATA_ACCESS_ADMIN | PROJECT_DATA_ACCESS_READ_ONLY |
             PROJECT_DATA_ACCESS_READ_WRITE | PROJECT_STREAM_PROCESSING_OWNER),
      "downloadGroupClusterLog",
      "Download one log of one host",
      "Returns the lines of one log of one host between two moments, as gzip. Lines of the last minutes can be missing.",
      .shape = SHAPE_FILE, .since = "2023-02-01", .waits_for = "metrics",
      .path_fields = log_path, .query = log_query },
};
// clang-format on

FAMILY(logs_family, "logs", "Cluster logs", "The log files of a project's database servers.", logs_endpoints);
