/* SPDX-License-Identifier: Apache-2.0 */
/* An alert configuration is a condition and who to tell; an alert is one time that the condition held. */
#include "api/contract.h"

// clang-format off
static const struct endpoint alerts_endpoints[] = {
    { GET, "/groups/{groupId}/alertConfigs", S05, ANY_OF(PROJECT_READ_ONLY), "listGroupAlertConfigs",
      "Return all alert configurations in one project",
      "Lists what the project is alerted about and who is told. Ordered by creation.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/alertConfigs/{alertConfigId}", .waits_for = "alerts" },
    { POST, "/groups/{groupId}/alertConfigs", S05, ANY_OF(PROJECT_ALERTS_MANAGER), "createGroupAlertConfig",
      "Create one alert configuration in one project",
      "Creates a condition with those to be told when it holds. It is checked from now on; what happened before "
      "raises nothing.",
      .success = 200, .item = "/groups/{groupId}/alertConfigs/{alertConfigId}", .waits_for = "alerts" },
    { DELETE, "/groups/{groupId}/alertConfigs/{alertConfigId}", S05, ANY_OF(PROJECT_ALERTS_MANAGER),
      "deleteGroupAlertConfig",
      "Delete one alert configuration",
      "Deletes the condition. Its open alerts are closed, and stay in the history.",
      .shape = SHAPE_NOTHING, .waits_for = "alerts" },
    { GET, "/groups/{groupId}/alertConfigs/{alertConfigId}", S05, ANY_OF(PROJECT_READ_ONLY), "getGroupAlertConfig",
      "Return one alert configuration",
      "Returns one condition with its threshold, the things it matches and who is told. Secrets of notifications "
      "are shown by their last characters only.",
      .waits_for = "alerts" },
    { PATCH, "/groups/{groupId}/alertConfigs/{alertConfigId}", S05, ANY_OF(PROJECT_ALERTS_MANAGER),
      "toggleGroupAlertConfig",
      "Switch one alert configuration on or off",
      "Only turns the condition on or off. While it is off it raises nothing; open alerts are closed.",
      .waits_for = "alerts" },
    { PUT, "/groups/{groupId}/alertConfigs/{alertConfigId}", S05, ANY_OF(PROJECT_ALERTS_MANAGER),
      "updateGroupAlertConfig",
      "Replace one alert configuration",
      "Replaces the whole configuration: what is not sent falls back to its default. Read it first and send it "
      "back changed.",
      .waits_for = "alerts" },

    { GET, "/alertConfigs/matchers/fieldNames", S06, ANY_CALLER, "listAlertConfigMatcherFieldNames",
      "Return all fields that alert matchers can use",
      "Lists the names by which a configuration can be narrowed to certain things, such as clusters by name or "
      "hosts by role.",
      .shape = SHAPE_LIST, .waits_for = "alerts" },

    { GET, "/groups/{groupId}/alertConfigs/{alertConfigId}/alerts", S07, ANY_OF(PROJECT_READ_ONLY),
      "getGroupAlertConfigAlerts",
      "Return all open alerts of one alert configuration",
      "Lists the open alerts that one condition has raised.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/alerts/{alertId}", .waits_for = "alerts" },
    { GET, "/groups/{groupId}/alerts", S07, ANY_OF(PROJECT_READ_ONLY), "listGroupAlerts",
      "Return all alerts in one project",
      "Lists the alerts that were raised in the project, newest first. Filter by status to see only those that "
      "are open.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/alerts/{alertId}", .waits_for = "alerts" },
    { GET, "/groups/{groupId}/alerts/{alertId}", S07, ANY_OF(PROJECT_READ_ONLY), "getGroupAlert",
      "Return one alert",
      "Returns one alert with the value that raised it, its status and when those concerned were last told.",
      .waits_for = "alerts" },
    { PATCH, "/groups/{groupId}/alerts/{alertId}", S07, ANY_OF(PROJECT_ALERTS_MANAGER), "acknowledgeGroupAlert",
      "Acknowledge one alert",
      "Keeps the alert quiet until a date, with a comment, or makes it speak again. The alert stays open while "
      "its condition holds.",
      .since = "2024-05-30", .waits_for = "alerts" },
    { GET, "/groups/{groupId}/alerts/{alertId}/alertConfigs", S07, ANY_OF(PROJECT_READ_ONLY),
      "getGroupAlertAlertConfigs",
      "Return all alert configurations that raised one alert",
      "Lists the conditions that led to one alert.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/alertConfigs/{alertConfigId}", .waits_for = "alerts" },
};
// clang-format on

FAMILY(alerts_family, "alerts", "Alerts",
       "What a project is alerted about, who is told, and the alerts that were raised.", alerts_endpoints);
