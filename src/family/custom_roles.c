/* SPDX-License-Identifier: Apache-2.0 */
/* Rights inside the databases under a name of your own, created as roles on every cluster of the project. */
#include "api/contract.h"

// clang-format off
static const struct endpoint custom_roles_endpoints[] = {
    { GET, "/groups/{groupId}/customDBRoles/roles", S20, ANY_OF(PROJECT_READ_ONLY), "listGroupCustomDbRoleRoles",
      "Return all custom database roles in one project",
      "Lists the roles with the rights that they give and the roles that they inherit from.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/customDBRoles/roles/{roleName}", .waits_for = "clusters" },
    { POST, "/groups/{groupId}/customDBRoles/roles", S20,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "createGroupCustomDbRoleRole",
      "Create one custom database role",
      "Accepts a role and creates it on every cluster of the project. Asynchronous; a database user can be given "
      "the role at once.",
      .success = 202, .item = "/groups/{groupId}/customDBRoles/roles/{roleName}", .waits_for = "clusters" },
    { DELETE, "/groups/{groupId}/customDBRoles/roles/{roleName}", S20,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "deleteGroupCustomDbRoleRole",
      "Delete one custom database role",
      "Deletes the role on every cluster. A role that database users hold, or that others inherit from, is "
      "refused.",
      .shape = SHAPE_NOTHING, .waits_for = "clusters" },
    { GET, "/groups/{groupId}/customDBRoles/roles/{roleName}", S20, ANY_OF(PROJECT_READ_ONLY),
      "getGroupCustomDbRoleRole",
      "Return one custom database role",
      "Returns one role with its rights and the roles that it inherits from.",
      .waits_for = "clusters" },
    { PATCH, "/groups/{groupId}/customDBRoles/roles/{roleName}", S20,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "updateGroupCustomDbRoleRole",
      "Update one custom database role",
      "Replaces the rights or the inherited roles, whichever is sent. Everybody who holds the role is affected.",
      .waits_for = "clusters" },
};
// clang-format on

FAMILY(custom_roles_family, "custom-roles", "Custom database roles",
       "Named sets of rights inside the databases, to be granted to database users.", custom_roles_endpoints);
