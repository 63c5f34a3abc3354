/* SPDX-License-Identifier: Apache-2.0 */
/* How much a project may have: the table of limits, and the check before something is added. */
#ifndef FAMILY_PROJECT_LIMITS_H
#define FAMILY_PROJECT_LIMITS_H

#include <jansson.h>

#include "api/request.h"

// clang-format off
/* ROW(name in code, name in the API, what is counted (store/tenant/sql/project_usage.sql), default, highest) */
#define PROJECT_LIMIT_TABLE(ROW) \
    ROW(LIMIT_CLUSTERS,         "project.deployment.clusters",                 "cluster",         25,  90) \
    ROW(LIMIT_EXPORT_BUCKETS,   "project.backup.exportBuckets",                "backupExportBucket", 20, 100) \
    ROW(LIMIT_ALERT_CONFIGS,    "project.monitoring.alertConfigs",             "alertConfig",    100, 500) \
    ROW(LIMIT_LOG_INTEGRATIONS, "project.monitoring.logIntegrations",          "logIntegration",  10, 100) \
    ROW(LIMIT_CUSTOM_ROLES,     "project.security.databaseAccess.customRoles", "customRole",     100, 1400) \
    ROW(LIMIT_DATABASE_USERS,   "project.security.databaseAccess.users",       "databaseUser",   100, 900) \
    ROW(LIMIT_NETWORK_ENTRIES,  "project.security.networkAccess.entries",      "accessListEntry", 200, 1000) \
    ROW(LIMIT_PEERS,            "project.network.peers",                       "network_peer",    10,  100) \
    ROW(LIMIT_PROVIDER_ROLES,   "project.security.providerRoles",              "providerRole",    20,  100) \
    ROW(LIMIT_SERVICE_ACCOUNTS, "project.serviceAccounts",                     "service_account", 200, 1000) \
    ROW(LIMIT_USERS,            "project.users",                               "person",         500, 5000)
// clang-format on

#define PROJECT_LIMIT_ENUM(name, api_name, counted, fallback, highest) name,
enum project_limit { PROJECT_LIMIT_TABLE(PROJECT_LIMIT_ENUM) PROJECT_LIMIT_COUNT };
#undef PROJECT_LIMIT_ENUM

/*
 * Call it before one more is added to the request's project: locks the project, so that two requests cannot both take
 * the last place. PROJECT_LIMIT_REACHED when none is left.
 */
MUST_USE error project_limit_check(struct request *req, enum project_limit limit);
/* For adding many at once: call it afterwards, in the same transaction. */
MUST_USE error project_limit_check_after(struct request *req, enum project_limit limit);

/*
 * The same before a person or an invitation gets roles in projects, a list of ids. A project in which `member` has
 * roles already needs no room. Projects that the organization does not have are ignored.
 */
MUST_USE error project_limit_check_person(struct request *req, id organization, id member, const json_t *projects);

extern const struct schema project_limit_schema;
handler project_limit_list, project_limit_get, project_limit_set, project_limit_reset;

#endif
