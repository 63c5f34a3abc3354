/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People in projects, in organizations, and by themselves. A person's roles are always granted in a project or
 * an organization, never globally.
 */
#include "api/contract.h"

// clang-format off
static const struct endpoint users_endpoints[] = {
    { GET, "/groups/{groupId}/users", S39, ANY_OF(PROJECT_READ_ONLY), "listGroupUsers",
      "Return all users in one project",
      "Lists the people who were added to the project themselves, those who wait for their invitation included. "
      "Members who come through a team or through a role in the organization are listed on request.",
      .shape = SHAPE_LIST, .since = "2025-02-19", .item = "/groups/{groupId}/users/{userId}",
      .waits_for = "identity" },
    { POST, "/groups/{groupId}/users", S39, ANY_OF(PROJECT_ACCESS_MANAGER), "addGroupUsers",
      "Add one user to one project",
      "Grants a person roles in the project. Somebody who is not yet active in the organization is invited, and "
      "appears as pending until the invitation is accepted.",
      .since = "2025-02-19", .item = "/groups/{groupId}/users/{userId}", .waits_for = "identity" },
    { DELETE, "/groups/{groupId}/users/{userId}", S39, ANY_OF(PROJECT_ACCESS_MANAGER), "removeGroupUser",
      "Remove one user from one project",
      "Takes away every role that the person holds in the project, or takes a pending invitation back. Membership "
      "in the organization and access through teams stay.",
      .shape = SHAPE_NOTHING, .since = "2025-02-19", .waits_for = "identity" },
    { GET, "/groups/{groupId}/users/{userId}", S39, ANY_OF(PROJECT_READ_ONLY), "getGroupUser",
      "Return one user in one project",
      "Returns one person with the roles held in this project. A pending person is shown with the date when the "
      "invitation ends.",
      .since = "2025-02-19", .waits_for = "identity" },
    { POST, "/groups/{groupId}/users/{userId}:addRole", S39, ANY_OF(PROJECT_ACCESS_MANAGER), "addGroupUserRole",
      "Add one project role to one user",
      "Grants one more role in the project and leaves the others alone. Adding a role that the person already "
      "holds changes nothing.",
      .success = 200, .since = "2025-02-19", .waits_for = "identity" },
    { POST, "/groups/{groupId}/users/{userId}:removeRole", S39, ANY_OF(PROJECT_ACCESS_MANAGER),
      "removeGroupUserRole",
      "Remove one project role from one user",
      "Takes one role in the project away and leaves the others alone. To take the last one, remove the person "
      "from the project.",
      .success = 200, .since = "2025-02-19", .waits_for = "identity" },
    { PUT, "/groups/{groupId}/users/{userId}/roles", S39, ANY_OF(PROJECT_OWNER), "updateGroupUserRoles",
      "Replace the project roles of one user",
      "Sets exactly the roles that are sent; all others in the project are taken away. Prefer adding and removing "
      "single roles, which cannot undo somebody else's change.",
      .flags = DEPRECATED, .waits_for = "identity" },

    { GET, "/orgs/{orgId}/users", S40, ANY_OF(ORG_MEMBER), "listOrgUsers",
      "Return all users in one organization",
      "Lists the members of the organization, active and pending, with their roles in the organization and its "
      "projects.",
      .shape = SHAPE_LIST, .since = "2025-02-19", .item = "/orgs/{orgId}/users/{userId}", .waits_for = "identity" },
    { POST, "/orgs/{orgId}/users", S40, ANY_OF(ORG_OWNER), "createOrgUser",
      "Add one user to one organization",
      "Invites a person with roles in the organization, and if wanted in projects and teams. The person is "
      "pending until the invitation is accepted.",
      .since = "2025-02-19", .item = "/orgs/{orgId}/users/{userId}", .waits_for = "identity" },
    { DELETE, "/orgs/{orgId}/users/{userId}", S40, ANY_OF(ORG_OWNER), "removeOrgUser",
      "Remove one user from one organization",
      "Ends the membership: roles in the organization, in its projects and in its teams all go. The last owner "
      "cannot be removed.",
      .shape = SHAPE_NOTHING, .since = "2025-02-19", .waits_for = "identity" },
    { GET, "/orgs/{orgId}/users/{userId}", S40, ANY_OF(ORG_MEMBER), "getOrgUser",
      "Return one user in one organization",
      "Returns one member, active or pending, with roles in the organization and its projects and the teams "
      "joined.",
      .since = "2025-02-19", .waits_for = "identity" },
    { PATCH, "/orgs/{orgId}/users/{userId}", S40, ANY_OF(ORG_OWNER), "updateOrgUser",
      "Update one user in one organization",
      "Replaces the roles or the teams of one member, whichever is sent. What is not sent stays.",
      .since = "2025-02-19", .waits_for = "identity" },
    { POST, "/orgs/{orgId}/users/{userId}:addRole", S40, ANY_OF(ORG_OWNER), "addOrgUserRole",
      "Add one organization role to one user",
      "Grants one more role in the organization and leaves the others alone. Organization roles also count in "
      "every project of the organization.",
      .success = 200, .since = "2025-02-19", .waits_for = "identity" },
    { POST, "/orgs/{orgId}/users/{userId}:removeRole", S40, ANY_OF(ORG_OWNER), "removeOrgUserRole",
      "Remove one organization role from one user",
      "Takes one role in the organization away and leaves the others alone. The last owner keeps the owner's "
      "role.",
      .success = 200, .since = "2025-02-19", .waits_for = "identity" },
    { PUT, "/orgs/{orgId}/users/{userId}/roles", S40, ANY_OF(ORG_OWNER), "updateOrgUserRoles",
      "Replace the organization roles of one user",
      "Sets exactly the roles that are sent; all others in the organization are taken away. Prefer adding and "
      "removing single roles.",
      .flags = DEPRECATED, .waits_for = "identity" },

    { POST, "/users", S41, ANYWHERE(ORG_OWNER), "createUser",
      "Create one user",
      "Creates a person's account together with roles in organizations and projects that the caller owns. Prefer "
      "adding a user to an organization, which sends an invitation instead of setting a password.",
      .success = 200, .flags = DEPRECATED, .item = "/users/{userId}", .waits_for = "identity" },
    { GET, "/users/byName/{userName}", S41, ANY_CALLER, "getUserByName",
      "Return one user by name",
      "Finds a person by the name used at sign-in, usually an e-mail address. Callers see themselves and people "
      "with whom they share an organization.",
      .flags = DEPRECATED, .waits_for = "identity" },
    { GET, "/users/{userId}", S41, ANY_CALLER, "getUser",
      "Return one user",
      "Returns one person's account. Callers see themselves and people with whom they share an organization.",
      .flags = DEPRECATED, .waits_for = "identity" },
};
// clang-format on

FAMILY(users_family, "users", "Users",
       "People: who they are, which organizations and projects they belong to, and what they may do there.",
       users_endpoints);
