/* SPDX-License-Identifier: Apache-2.0 */
/* Outside services that receive alerts and metrics. A project has at most one integration of each type. */
#include "api/contract.h"

// clang-format off
static const struct endpoint integrations_endpoints[] = {
    { GET, "/groups/{groupId}/integrations", S66, ANY_OF(PROJECT_READ_ONLY), "listGroupIntegrations",
      "Return all integrations of one project",
      "Lists the outside services that the project is connected to. Secrets are shown by their last characters "
      "only.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/integrations/{integrationType}",
      .waits_for = "integrations" },
    { DELETE, "/groups/{groupId}/integrations/{integrationType}", S66, ANY_OF(PROJECT_OWNER),
      "deleteGroupIntegration",
      "Delete one integration",
      "Ends the connection. Alert configurations that tell this service no longer reach it.",
      .shape = SHAPE_NOTHING, .waits_for = "integrations" },
    { GET, "/groups/{groupId}/integrations/{integrationType}", S66, ANY_OF(PROJECT_READ_ONLY),
      "getGroupIntegration",
      "Return one integration",
      "Returns the settings for one type of service. Secrets are shown by their last characters only.",
      .waits_for = "integrations" },
    { POST, "/groups/{groupId}/integrations/{integrationType}", S66, ANY_OF(PROJECT_OWNER),
      "createGroupIntegration",
      "Create one integration",
      "Connects the project to a service of this type. Answers with all integrations of the project.",
      .shape = SHAPE_LIST, .success = 200, .item = "/groups/{groupId}/integrations/{integrationType}",
      .waits_for = "integrations" },
    { PUT, "/groups/{groupId}/integrations/{integrationType}", S66, ANY_OF(PROJECT_OWNER), "updateGroupIntegration",
      "Replace one integration",
      "Replaces the settings for this type of service, secrets included. Answers with all integrations of the "
      "project.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/integrations/{integrationType}",
      .waits_for = "integrations" },
};
// clang-format on

FAMILY(integrations_family, "integrations", "Third-party integrations",
       "Outside services that receive a project's alerts and metrics.", integrations_endpoints);
