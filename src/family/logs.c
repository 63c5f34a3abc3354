/* SPDX-License-Identifier: Apache-2.0 */
/* Log files as the servers wrote them. */
#include "api/contract.h"

// clang-format off
static const struct endpoint logs_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz", S15,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATA_ACCESS_ADMIN | PROJECT_DATA_ACCESS_READ_ONLY |
             PROJECT_DATA_ACCESS_READ_WRITE | PROJECT_STREAM_PROCESSING_OWNER),
      "downloadGroupClusterLog",
      "Download one log of one host",
      "Returns the lines of one log of one host between two moments, as gzip. The newest lines can be some "
      "minutes behind.",
      .shape = SHAPE_FILE, .since = "2023-02-01", .waits_for = "metrics" },
};
// clang-format on

FAMILY(logs_family, "logs", "Cluster logs", "The log files of a project's database servers, to be downloaded.",
       logs_endpoints);
