/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams belong to an organization; projects give them roles. Everybody in a team holds the team's roles in those
 * projects.
 */
#include "api/contract.h"

// clang-format off
static const struct endpoint teams_endpoints[] = {
    { GET, "/groups/{groupId}/teams", S64, ANY_OF(PROJECT_READ_ONLY), "listGroupTeams",
      "Return all teams in one project",
      "Lists the teams that hold roles in the project, each with its roles.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/teams/{teamId}", .waits_for = "identity" },
    { POST, "/groups/{groupId}/teams", S64, ANY_OF(PROJECT_ACCESS_MANAGER), "addGroupTeams",
      "Add teams to one project",
      "Grants each team the roles sent with it; every member holds them at once. Answers with all teams of the "
      "project.",
      .shape = SHAPE_LIST, .success = 200, .item = "/groups/{groupId}/teams/{teamId}", .waits_for = "identity" },
    { DELETE, "/groups/{groupId}/teams/{teamId}", S64, ANY_OF(PROJECT_ACCESS_MANAGER), "removeGroupTeam",
      "Remove one team from one project",
      "Takes the team's roles in the project away. The team itself and what its members hold by themselves stay.",
      .shape = SHAPE_NOTHING, .waits_for = "identity" },
    { GET, "/groups/{groupId}/teams/{teamId}", S64, ANY_OF(PROJECT_READ_ONLY), "getGroupTeam",
      "Return one team in one project",
      "Returns the roles that one team holds in the project.",
      .waits_for = "identity" },
    { PATCH, "/groups/{groupId}/teams/{teamId}", S64, ANY_OF(PROJECT_ACCESS_MANAGER), "updateGroupTeam",
      "Update the roles of one team in one project",
      "Replaces the team's roles in this project; other projects are not touched. Answers with the teams of the "
      "project.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/teams/{teamId}", .waits_for = "identity" },

    { GET, "/orgs/{orgId}/teams", S65, ANY_OF(ORG_MEMBER), "listOrgTeams",
      "Return all teams in one organization",
      "Lists the teams of the organization. Members are read team by team.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/teams/{teamId}", .waits_for = "identity" },
    { POST, "/orgs/{orgId}/teams", S65, ANY_OF(ORG_OWNER), "createOrgTeam",
      "Create one team in one organization",
      "Creates a team with its first members, who must belong to the organization. A new team holds no roles "
      "until a project adds it.",
      .success = 200, .item = "/orgs/{orgId}/teams/{teamId}", .waits_for = "identity" },
    { GET, "/orgs/{orgId}/teams/byName/{teamName}", S65, ANY_OF(ORG_MEMBER), "getOrgTeamByName",
      "Return one team by name",
      "Finds a team by its name, which is unique in the organization.",
      .waits_for = "identity" },
    { DELETE, "/orgs/{orgId}/teams/{teamId}", S65, ANY_OF(ORG_OWNER), "deleteOrgTeam",
      "Delete one team",
      "Deletes the team and with it the roles that its members held through it. The people stay in the "
      "organization.",
      .shape = SHAPE_NOTHING, .waits_for = "identity" },
    { GET, "/orgs/{orgId}/teams/{teamId}", S65, ANY_OF(ORG_MEMBER), "getOrgTeam",
      "Return one team",
      "Returns the name and the id of one team.",
      .waits_for = "identity" },
    { PATCH, "/orgs/{orgId}/teams/{teamId}", S65, ANY_OF(ORG_OWNER), "renameOrgTeam",
      "Rename one team",
      "Changes the name only. Projects know the team by its id, so its roles are not affected.",
      .waits_for = "identity" },
    { GET, "/orgs/{orgId}/teams/{teamId}/users", S65, ANY_OF(ORG_MEMBER), "listOrgTeamUsers",
      "Return all users in one team",
      "Lists the people in the team, pending ones included.",
      .shape = SHAPE_LIST, .since = "2025-02-19", .item = "/orgs/{orgId}/users/{userId}", .waits_for = "identity" },
    { POST, "/orgs/{orgId}/teams/{teamId}/users", S65, ANY_OF(ORG_OWNER), "addOrgTeamUsers",
      "Add users to one team",
      "Adds active members of the organization to the team by their ids. Prefer adding one user at a time, which "
      "also takes people who are still pending.",
      .shape = SHAPE_LIST, .success = 200, .flags = DEPRECATED, .item = "/orgs/{orgId}/users/{userId}",
      .waits_for = "identity" },
    { DELETE, "/orgs/{orgId}/teams/{teamId}/users/{userId}", S65, ANY_OF(ORG_OWNER), "removeOrgTeamUserFromTeam",
      "Remove one user from one team by id",
      "Takes one person out of the team. Prefer the operation that also takes people who are still pending.",
      .shape = SHAPE_NOTHING, .flags = DEPRECATED, .waits_for = "identity" },
    { POST, "/orgs/{orgId}/teams/{teamId}:addUser", S65, ANY_OF(ORG_OWNER), "addOrgTeamUser",
      "Add one user to one team",
      "Adds a member of the organization, active or pending, to the team. The team's project roles count for the "
      "person at once.",
      .success = 200, .since = "2025-02-19", .waits_for = "identity" },
    { POST, "/orgs/{orgId}/teams/{teamId}:removeUser", S65, ANY_OF(ORG_OWNER), "removeOrgTeamUser",
      "Remove one user from one team",
      "Takes a person, active or pending, out of the team, and with that the roles held only through it.",
      .success = 200, .since = "2025-02-19", .waits_for = "identity" },
};
// clang-format on

FAMILY(teams_family, "teams", "Teams", "Groups of people in an organization that receive project roles together.",
       teams_endpoints);
