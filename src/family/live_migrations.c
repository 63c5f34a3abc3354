/* SPDX-License-Identifier: Apache-2.0 */
/* A migration copies, then follows the source by replication until the cutover. */
#include "api/contract.h"

// clang-format off
static const struct endpoint live_migrations_endpoints[] = {
    { POST, "/groups/{groupId}/liveMigrations", S12, ANY_OF(ORG_OWNER), "createGroupLiveMigration",
      "Start one live migration",
      "Starts copying a source into a cluster of this project, then follows the source. Asynchronous; "
      "applications keep using the source until the cutover.",
      .since = "2024-05-30", .item = "/groups/{groupId}/liveMigrations/{liveMigrationId}",
      .waits_for = "migrations" },
    { POST, "/groups/{groupId}/liveMigrations/validate", S12, ANY_OF(ORG_OWNER), "validateGroupLiveMigrations",
      "Check one live migration without starting it",
      "Starts checking that the source can be reached, that versions fit and that rights suffice. Read the result "
      "by the id in the answer.",
      .success = 200, .since = "2024-05-30", .item = "/groups/{groupId}/liveMigrations/validate/{validationId}",
      .waits_for = "migrations" },
    { GET, "/groups/{groupId}/liveMigrations/validate/{validationId}", S12, ANY_OF(ORG_OWNER),
      "getGroupLiveMigrationValidateStatus",
      "Return the result of one migration check",
      "Returns how far the check is and what it found.",
      .waits_for = "migrations" },
    { GET, "/groups/{groupId}/liveMigrations/{liveMigrationId}", S12, ANY_OF(ORG_MEMBER), "getGroupLiveMigration",
      "Return one live migration",
      "Returns one migration with its state, how far it is behind the source and whether it is ready for the "
      "cutover.",
      .waits_for = "migrations" },
    { PUT, "/groups/{groupId}/liveMigrations/{liveMigrationId}/cutover", S12, ANY_OF(ORG_OWNER),
      "cutoverGroupLiveMigration",
      "Cut over one live migration",
      "Accepts the change-over: the rest is applied and replication ends. Stop writes to the source before, and "
      "point applications to the cluster after.",
      .shape = SHAPE_NOTHING, .success = 202, .waits_for = "migrations" },

    { GET, "/orgs/{orgId}/liveMigrations/availableProjects", S13, ANY_OF(ORG_OWNER),
      "listOrgLiveMigrationAvailableProjects",
      "Return all projects that can be migrated",
      "Lists the projects of the source that was linked with a token, with their deployments.",
      .shape = SHAPE_LIST, .waits_for = "migrations" },
    { DELETE, "/orgs/{orgId}/liveMigrations/linkTokens", S13, ANY_OF(ORG_OWNER), "deleteOrgLiveMigrationLinkTokens",
      "Delete the link token of one organization",
      "Ends the link to a source. Migrations that run are not affected.",
      .shape = SHAPE_NOTHING, .waits_for = "migrations" },
    { POST, "/orgs/{orgId}/liveMigrations/linkTokens", S13, ANY_OF(ORG_OWNER), "createOrgLiveMigrationLinkToken",
      "Create one link token for one organization",
      "Creates a token with which a source is linked to this organization. It is shown once and works from the "
      "addresses that are sent.",
      .success = 200, .waits_for = "migrations" },
};
// clang-format on

FAMILY(live_migrations_family, "live-migrations", "Live migrations",
       "Moving a running database into a cluster with replication, and changing over at a moment you choose.",
       live_migrations_endpoints);
