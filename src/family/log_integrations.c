/* SPDX-License-Identifier: Apache-2.0 */
/* Logs that leave by themselves: to object storage or a log service of the customer. */
#include "api/contract.h"

// clang-format off
static const struct endpoint log_integrations_endpoints[] = {
    { GET, "/groups/{groupId}/logIntegrations", S55, ANY_OF(PROJECT_OWNER), "listGroupLogIntegrations",
      "Return all log integrations in one project",
      "Lists where logs are sent, which kinds of logs, and whether sending works.",
      .shape = SHAPE_LIST, .since = "2025-03-12", .item = "/groups/{groupId}/logIntegrations/{id}",
      .waits_for = "integrations" },
    { POST, "/groups/{groupId}/logIntegrations", S55, ANY_OF(PROJECT_OWNER), "createGroupLogIntegration",
      "Create one log integration",
      "Starts sending the chosen kinds of logs to a target. What was written before is not sent.",
      .since = "2025-03-12", .item = "/groups/{groupId}/logIntegrations/{id}", .waits_for = "integrations" },
    { DELETE, "/groups/{groupId}/logIntegrations/{id}", S55, ANY_OF(PROJECT_OWNER), "deleteGroupLogIntegration",
      "Delete one log integration",
      "Ends sending. What has arrived at the target stays there.",
      .shape = SHAPE_NOTHING, .since = "2025-03-12", .waits_for = "integrations" },
    { GET, "/groups/{groupId}/logIntegrations/{id}", S55, ANY_OF(PROJECT_OWNER), "getGroupLogIntegration",
      "Return one log integration",
      "Returns one target with its kinds of logs. Secrets are not returned.",
      .since = "2025-03-12", .waits_for = "integrations" },
    { PUT, "/groups/{groupId}/logIntegrations/{id}", S55, ANY_OF(PROJECT_OWNER), "updateGroupLogIntegration",
      "Replace one log integration",
      "Replaces the whole configuration; lines that wait to be sent go to the new target.",
      .since = "2025-03-12", .waits_for = "integrations" },
    { DELETE, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "deleteGroupPushBasedLogExport",
      "Disable log export of one project",
      "Ends the project's single log export. Use log integrations instead.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .waits_for = "integrations" },
    { GET, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "getGroupPushBasedLogExport",
      "Return the log export of one project",
      "Returns the bucket and prefix that logs are written to, with the state. Use log integrations instead.",
      .flags = DEPRECATED, .waits_for = "integrations" },
    { PATCH, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "updateGroupPushBasedLogExport",
      "Update the log export of one project",
      "Changes the bucket, the prefix or the role of the project's single log export. Use log integrations "
      "instead.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .waits_for = "integrations" },
    { POST, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "createGroupPushBasedLogExport",
      "Enable log export of one project",
      "Starts writing the project's logs to a bucket, and writes a small file at once to prove that it can. Use "
      "log integrations instead.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .waits_for = "integrations" },
};
// clang-format on

FAMILY(log_integrations_family, "log-integrations", "Log integrations",
       "Sending the logs of a project's servers to a place of your own, as they are written.",
       log_integrations_endpoints);
