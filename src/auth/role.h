/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roles of organizations and projects and what each implies. A caller's rights in a context are the closure of
 * the roles granted there: roles granted in an organization also count in each of its projects.
 */
#ifndef AUTH_ROLE_H
#define AUTH_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef uint64_t role_set; /* one bit a role */

// clang-format off
/* ROW(name in code, name in the API, roles that it implies directly, what it is for) */
#define ROLE_TABLE(ROW) \
    ROW(ORG_OWNER,                   "ORG_OWNER",                   ORG_GROUP_CREATOR | ORG_BILLING_ADMIN | ORG_READ_ONLY | ORG_STREAM_PROCESSING_ADMIN | PROJECT_OWNER, "Everything in the organization and in each of its projects.") \
    ROW(ORG_GROUP_CREATOR,           "ORG_GROUP_CREATOR",           ORG_MEMBER, "Creates projects in the organization.") \
    ROW(ORG_BILLING_ADMIN,           "ORG_BILLING_ADMIN",           ORG_BILLING_READ_ONLY, "Manages payment and reads invoices.") \
    ROW(ORG_BILLING_READ_ONLY,       "ORG_BILLING_READ_ONLY",       ORG_MEMBER, "Reads invoices.") \
    ROW(ORG_STREAM_PROCESSING_ADMIN, "ORG_STREAM_PROCESSING_ADMIN", ORG_MEMBER | PROJECT_STREAM_PROCESSING_OWNER, "Manages stream processing in each project of the organization.") \
    ROW(ORG_READ_ONLY,               "ORG_READ_ONLY",               ORG_MEMBER | PROJECT_READ_ONLY, "Reads everything in the organization and its projects.") \
    ROW(ORG_MEMBER,                  "ORG_MEMBER",                  0, "Belongs to the organization; sees it and its members.") \
    ROW(PROJECT_OWNER,               "GROUP_OWNER",                 PROJECT_ALL_ROLES, "Everything in the project.") \
    ROW(PROJECT_CLUSTER_MANAGER,     "GROUP_CLUSTER_MANAGER",       PROJECT_CLUSTER_CREATOR | PROJECT_REPLICA_SET_MANAGER | PROJECT_CLUSTER_LOG_VIEWER, "Creates, changes and pauses clusters.") \
    ROW(PROJECT_CLUSTER_CREATOR,     "GROUP_CLUSTER_CREATOR",       PROJECT_READ_ONLY, "Creates clusters.") \
    ROW(PROJECT_REPLICA_SET_MANAGER, "GROUP_REPLICA_SET_MANAGER",   PROJECT_READ_ONLY, "Changes the members of clusters.") \
    ROW(PROJECT_CLUSTER_LOG_VIEWER,  "GROUP_CLUSTER_LOG_VIEWER",    PROJECT_READ_ONLY, "Downloads the logs of clusters.") \
    ROW(PROJECT_CLUSTER_RESILIENCE_TESTER, "GROUP_CLUSTER_RESILIENCE_TESTER", PROJECT_READ_ONLY, "Starts and ends simulated outages.") \
    ROW(PROJECT_DATA_ACCESS_ADMIN,   "GROUP_DATA_ACCESS_ADMIN",     PROJECT_DATA_ACCESS_READ_WRITE | PROJECT_SEARCH_INDEX_EDITOR | PROJECT_INDEX_MANAGER, "Reads and changes data, indexes and collections.") \
    ROW(PROJECT_DATA_ACCESS_READ_WRITE, "GROUP_DATA_ACCESS_READ_WRITE", PROJECT_DATA_ACCESS_READ_ONLY, "Reads and changes data.") \
    ROW(PROJECT_DATA_ACCESS_READ_ONLY, "GROUP_DATA_ACCESS_READ_ONLY", PROJECT_READ_ONLY, "Reads data.") \
    ROW(PROJECT_SEARCH_INDEX_EDITOR, "GROUP_SEARCH_INDEX_EDITOR",   PROJECT_READ_ONLY, "Creates and changes search indexes.") \
    ROW(PROJECT_INDEX_MANAGER,       "GROUP_INDEX_MANAGER",         PROJECT_READ_ONLY, "Creates indexes.") \
    ROW(PROJECT_BACKUP_MANAGER,      "GROUP_BACKUP_MANAGER",        PROJECT_BACKUP_CREATOR | PROJECT_BACKUP_EXPORT_OPERATOR | PROJECT_BACKUP_RECOVERY_OPERATOR, "Everything about backups.") \
    ROW(PROJECT_BACKUP_CREATOR,      "GROUP_BACKUP_CREATOR",        PROJECT_READ_ONLY, "Takes backups on demand.") \
    ROW(PROJECT_BACKUP_EXPORT_OPERATOR, "GROUP_BACKUP_EXPORT_OPERATOR", PROJECT_READ_ONLY, "Exports backups.") \
    ROW(PROJECT_BACKUP_RECOVERY_OPERATOR, "GROUP_BACKUP_RECOVERY_OPERATOR", PROJECT_READ_ONLY, "Restores backups.") \
    ROW(PROJECT_ACCESS_MANAGER,      "GROUP_ACCESS_MANAGER",        PROJECT_READ_ONLY, "Adds people, teams and keys to the project.") \
    ROW(PROJECT_DATABASE_ACCESS_ADMIN, "GROUP_DATABASE_ACCESS_ADMIN", PROJECT_READ_ONLY, "Manages database users and their roles.") \
    ROW(PROJECT_NETWORK_ACCESS_MANAGER, "GROUP_NETWORK_ACCESS_MANAGER", PROJECT_READ_ONLY, "Manages the access list and the networks of the project.") \
    ROW(PROJECT_ALERTS_MANAGER,      "GROUP_ALERTS_MANAGER",        PROJECT_READ_ONLY, "Manages alerts.") \
    ROW(PROJECT_OBSERVABILITY_VIEWER, "GROUP_OBSERVABILITY_VIEWER", PROJECT_READ_ONLY, "Reads metrics and query statistics.") \
    ROW(PROJECT_SUPPORT_ACCESS_MANAGER, "GROUP_SUPPORT_ACCESS_MANAGER", PROJECT_READ_ONLY, "Grants the operator's staff access to a cluster.") \
    ROW(PROJECT_STREAM_PROCESSING_OWNER, "GROUP_STREAM_PROCESSING_OWNER", PROJECT_STREAM_PROCESSING_MANAGER, "Everything about stream processing in the project.") \
    ROW(PROJECT_STREAM_PROCESSING_MANAGER, "GROUP_STREAM_PROCESSING_MANAGER", PROJECT_READ_ONLY, "Runs stream processors.") \
    ROW(PROJECT_READ_ONLY,           "GROUP_READ_ONLY",             0, "Reads everything in the project except secrets and data.")
// clang-format on

#define ROLE_INDEX(name, api_name, implies, text) name##_INDEX,
enum role_index { ROLE_TABLE(ROLE_INDEX) ROLE_COUNT };
#undef ROLE_INDEX

#define ROLE_BIT(name, api_name, implies, text) name = (int64_t)1 << name##_INDEX,
enum role { ROLE_TABLE(ROLE_BIT) };
#undef ROLE_BIT

/* Every project role except PROJECT_OWNER: the rows after it. */
#define PROJECT_ALL_ROLES ((((int64_t)1 << ROLE_COUNT) - 1) & ~(((int64_t)PROJECT_OWNER << 1) - 1))

struct role_row {
    role_set bit, implies;
    const char *name; /* in the API */
    const char *text;
};
extern const struct role_row role_rows[ROLE_COUNT];

/* All roles that these imply, themselves included. */
role_set role_closure(role_set roles);
/* 0 when there is no such role. */
role_set role_from_name(str api_name);
bool role_is_of_project(role_set one_role);
/* "ORG_OWNER, GROUP_OWNER" */
str role_set_text(struct arena *arena, role_set roles);

#endif
