/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 67 endpoint sets with their token buckets: ROW(label, title, scope, capacity, tokens per refill). Every bucket
 * refills every 60 seconds.
 */
#ifndef LIMIT_SET_TABLE_H
#define LIMIT_SET_TABLE_H

#include <stdint.h>

// clang-format off
#define SET_TABLE(ROW) \
    ROW(S01, "Custom DNS", SCOPE_PROJECT, 1200, 500) \
    ROW(S02, "Database access history", SCOPE_PROJECT, 1200, 500) \
    ROW(S03, "Project activity feed", SCOPE_PROJECT, 1200, 500) \
    ROW(S04, "Organization activity feed", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S05, "Alert configurations", SCOPE_PROJECT, 1200, 500) \
    ROW(S06, "Alert matcher field names", SCOPE_USER, 300, 100) \
    ROW(S07, "Alerts", SCOPE_PROJECT, 1200, 500) \
    ROW(S08, "Search deployment", SCOPE_PROJECT, 1200, 500) \
    ROW(S09, "Search indexes", SCOPE_PROJECT, 500, 500) \
    ROW(S10, "Audit log", SCOPE_PROJECT, 1200, 500) \
    ROW(S11, "Backup", SCOPE_PROJECT, 1200, 500) \
    ROW(S12, "Live migrations, project level", SCOPE_PROJECT, 1200, 500) \
    ROW(S13, "Live migrations, organization level", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S14, "Cloud provider access", SCOPE_PROJECT, 2000, 1000) \
    ROW(S15, "Cluster log download", SCOPE_PROJECT, 10000, 5000) \
    ROW(S16, "Outage simulation", SCOPE_PROJECT, 1200, 500) \
    ROW(S17, "Clusters", SCOPE_PROJECT, 10000, 5000) \
    ROW(S18, "Clusters across projects", SCOPE_USER, 300, 100) \
    ROW(S19, "Collection statistics", SCOPE_PROJECT, 300, 100) \
    ROW(S20, "Custom database roles", SCOPE_PROJECT, 2000, 1000) \
    ROW(S21, "Data federation and private network settings", SCOPE_PROJECT, 1200, 500) \
    ROW(S22, "Database users", SCOPE_PROJECT, 10000, 5000) \
    ROW(S23, "Encryption at rest", SCOPE_PROJECT, 2000, 1000) \
    ROW(S24, "Project events", SCOPE_PROJECT, 300, 100) \
    ROW(S25, "Organization events", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S26, "Event types", SCOPE_USER, 300, 100) \
    ROW(S27, "Federation, connected organization configuration", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S28, "Federation, settings and identity providers", SCOPE_USER, 300, 100) \
    ROW(S29, "Flex clusters", SCOPE_PROJECT, 1200, 500) \
    ROW(S30, "Flex cluster restore jobs", SCOPE_PROJECT, 1200, 500) \
    ROW(S31, "Flex cluster snapshots", SCOPE_PROJECT, 1200, 500) \
    ROW(S32, "Global writes", SCOPE_PROJECT, 1200, 500) \
    ROW(S33, "Project IP addresses", SCOPE_PROJECT, 1200, 500) \
    ROW(S34, "Billing and invoices", SCOPE_ORGANIZATION, 500, 100) \
    ROW(S35, "Billing SKUs", SCOPE_USER, 300, 100) \
    ROW(S36, "User security and directory-service verification", SCOPE_PROJECT, 1200, 500) \
    ROW(S37, "Legacy snapshots and checkpoints", SCOPE_PROJECT, 1200, 500) \
    ROW(S38, "Maintenance window", SCOPE_PROJECT, 1200, 500) \
    ROW(S39, "Project users", SCOPE_PROJECT, 1200, 500) \
    ROW(S40, "Organization users", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S41, "Users", SCOPE_USER, 2500, 2000) \
    ROW(S42, "Processes and metrics", SCOPE_PROJECT, 300, 100) \
    ROW(S43, "Network containers, peering and private IP mode", SCOPE_PROJECT, 2000, 1000) \
    ROW(S44, "Online archives", SCOPE_PROJECT, 1200, 500) \
    ROW(S45, "Organization settings", SCOPE_ORGANIZATION, 10, 5) \
    ROW(S46, "Organizations and organization invitations", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S47, "Organization list and creation", SCOPE_USER, 300, 100) \
    ROW(S48, "Performance advisor and slow-query threshold", SCOPE_PROJECT, 1200, 500) \
    ROW(S49, "Private endpoints", SCOPE_PROJECT, 4000, 2000) \
    ROW(S50, "Project API keys", SCOPE_PROJECT, 1200, 500) \
    ROW(S51, "Organization API keys", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S52, "Project IP access list", SCOPE_PROJECT, 1200, 500) \
    ROW(S53, "Projects, project invitations, project limits and settings", SCOPE_PROJECT, 1200, 500) \
    ROW(S54, "Project list and creation", SCOPE_USER, 1200, 500) \
    ROW(S55, "Log integrations and push-based log export", SCOPE_PROJECT, 1200, 500) \
    ROW(S56, "Query shapes", SCOPE_PROJECT, 1200, 500) \
    ROW(S57, "Rate limits", SCOPE_USER, 300, 100) \
    ROW(S58, "Resource policies", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S59, "Control-plane IP addresses", SCOPE_IP, 400, 100) \
    ROW(S60, "Root resource", SCOPE_USER, 300, 100) \
    ROW(S61, "Project service accounts", SCOPE_PROJECT, 1200, 500) \
    ROW(S62, "Organization service accounts", SCOPE_ORGANIZATION, 500, 250) \
    ROW(S63, "Stream processing", SCOPE_PROJECT, 1200, 500) \
    ROW(S64, "Project teams", SCOPE_PROJECT, 1200, 500) \
    ROW(S65, "Organization teams", SCOPE_ORGANIZATION, 1200, 500) \
    ROW(S66, "Third-party integrations and index creation", SCOPE_PROJECT, 1200, 500) \
    ROW(S67, "Customer-managed X.509", SCOPE_PROJECT, 1200, 500)
// clang-format on

enum bucket_scope { SCOPE_ORGANIZATION, SCOPE_PROJECT, SCOPE_USER, SCOPE_IP, SCOPE_COUNT };

#define SET_ENUM(label, title, scope, capacity, refill) label,
enum set_label { SET_TABLE(SET_ENUM) SET_COUNT };
#undef SET_ENUM

enum { REFILL_PERIOD_S = 60 };

struct set_row {
    const char *label, *title;
    enum bucket_scope scope;
    int64_t capacity, refill;
};
extern const struct set_row set_rows[SET_COUNT];

/* "GROUP" for SCOPE_PROJECT: the API's older word for a project. */
extern const char *const scope_names[SCOPE_COUNT];

#endif
