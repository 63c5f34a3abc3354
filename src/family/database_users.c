/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts inside the databases. They never call this API, and callers of this API never log in to a database. */
#include "api/contract.h"

// clang-format off
static const struct endpoint database_users_endpoints[] = {
    { GET, "/groups/{groupId}/databaseUsers", S22, ANY_OF(PROJECT_READ_ONLY), "listGroupDatabaseUsers",
      "Return all database users in one project",
      "Lists the accounts with their roles and where they hold. Passwords are never returned.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/databaseUsers/{databaseName}/{username}",
      .waits_for = "clusters" },
    { POST, "/groups/{groupId}/databaseUsers", S22,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "createGroupDatabaseUser",
      "Create one database user in one project",
      "Creates an account, with a password, a certificate or a directory behind it, and has it created on the "
      "clusters in scope. It may take some seconds until all of them know it.",
      .item = "/groups/{groupId}/databaseUsers/{databaseName}/{username}", .waits_for = "clusters" },
    { DELETE, "/groups/{groupId}/databaseUsers/{databaseName}/{username}", S22,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "deleteGroupDatabaseUser",
      "Delete one database user",
      "Deletes the account on every cluster in scope. Sessions that are open are ended; what the account owned "
      "passes to the cluster's administrator.",
      .shape = SHAPE_NOTHING, .waits_for = "clusters" },
    { GET, "/groups/{groupId}/databaseUsers/{databaseName}/{username}", S22, ANY_OF(PROJECT_READ_ONLY),
      "getGroupDatabaseUser",
      "Return one database user",
      "Returns one account with its roles, scopes and how it proves who it is.",
      .waits_for = "clusters" },
    { PATCH, "/groups/{groupId}/databaseUsers/{databaseName}/{username}", S22,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "updateGroupDatabaseUser",
      "Update one database user",
      "Changes only what is sent: password, roles, scopes, end date. Roles that are sent replace all that were "
      "there.",
      .waits_for = "clusters" },
};
// clang-format on

FAMILY(database_users_family, "database-users", "Database users",
       "Accounts that log in to the databases themselves, on every cluster of a project or on chosen ones.",
       database_users_endpoints);
