/* SPDX-License-Identifier: Apache-2.0 */
/* Logs that leave by themselves: to object storage or a log service of the customer. */
#include "api/request.h"
#include "base/json.h"
#include "family/families.h"

/* ---- The older form: one export for a project, through a role at a provider, which the hosts do not have ---- */

static const char *const export_states[] = { "UNCONFIGURED", NULL };

#define EXPORT_FIELDS(flags)                                                                                  \
    TEXT("bucketName", "Where logs would be written to.", flags, .min = 1, .max = 63, .example = "\"logs\""), \
        ID("iamRoleId", "Role at a provider that would write them.", flags),                                  \
        TEXT("prefixPath", "How the names of files would begin.", flags, .max = 1024, .example = "\"reeve/\"")

static const struct field export_fields[] = {
    TEXT("state", "Always UNCONFIGURED: there is no such export.", READ_ONLY | ALWAYS, .one_of = export_states),
    EXPORT_FIELDS(WRITE_ONLY),
    END_OF_FIELDS,
};
static const struct schema export_schema = { "PushBasedLogExport", "The single log export of a project.",
                                             export_fields };
static const struct field export_request_fields[] = { EXPORT_FIELDS(REQUIRED | WRITE_ONLY), END_OF_FIELDS };
static const struct schema export_request_schema = { "PushBasedLogExportRequest", "A log export that is asked for.",
                                                     export_request_fields };

static error
export_get(struct request *req)
{
    answer_entity(req, STR("{\"state\":\"UNCONFIGURED\"}"), 0);
    return OK;
}

/* To end what is not there changes nothing. */
static error
export_end(struct request *req)
{
    answer_nothing(req);
    return OK;
}

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
      "There is never one to end, so it always succeeds and changes nothing. Log integrations are what sends logs.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .run = export_end },
    { GET, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "getGroupPushBasedLogExport",
      "Return the log export of one project",
      "Its state is always UNCONFIGURED. Log integrations are what sends logs.",
      .flags = DEPRECATED | NO_ETAG, .run = export_get, .response = &export_schema },
    { PATCH, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "updateGroupPushBasedLogExport",
      "Update the log export of one project",
      "Refused: it needs a role at a provider, which the operator's own hosts do not have. Use log integrations instead.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .refuses = LOG_EXPORT_NOT_OFFERED, .request = &export_schema,
      .example = "{\"prefixPath\": \"reeve/\"}" },
    { POST, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "createGroupPushBasedLogExport",
      "Enable log export of one project",
      "Refused: it needs a role at a provider, which the operator's own hosts do not have. Use log integrations instead.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .refuses = LOG_EXPORT_NOT_OFFERED,
      .request = &export_request_schema,
      .example = "{\"bucketName\": \"logs\", \"iamRoleId\": \"650000000000000000000001\", \"prefixPath\": \"reeve/\"}" },
};
// clang-format on

FAMILY(log_integrations_family, "log-integrations", "Log integrations",
       "Sending the logs of a project's servers to a place of your own, as they are written.",
       log_integrations_endpoints);
