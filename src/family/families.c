/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every family, in the order in which the reference and the command line show them. Endpoints of one set keep this
 * order in the catalog, so `indexes` stands behind `integrations`, whose set it shares.
 */
#include "family/families.h"

// clang-format off
#define FAMILIES(ROW)                           \
    /* The service itself. */                   \
    ROW(root)                                   \
    ROW(control_plane)                          \
    ROW(rate_limits)                            \
    /* Who may do what. */                      \
    ROW(organizations)                          \
    ROW(organization_settings)                  \
    ROW(projects)                               \
    ROW(users)                                  \
    ROW(teams)                                  \
    ROW(api_keys)                               \
    ROW(service_accounts)                       \
    ROW(federation)                             \
    ROW(resource_policies)                      \
    /* What happened. */                        \
    ROW(events)                                 \
    ROW(activity_feed)                          \
    ROW(webhooks)                               \
    ROW(operations)                             \
    /* Clusters and who reaches into them. */   \
    ROW(clusters)                               \
    ROW(pooling)                                \
    ROW(flex_clusters)                          \
    ROW(global_writes)                          \
    ROW(extensions)                             \
    ROW(outage_simulation)                      \
    ROW(maintenance)                            \
    ROW(database_users)                         \
    ROW(custom_roles)                           \
    ROW(user_security)                          \
    /* Networks and keys. */                    \
    ROW(access_list)                            \
    ROW(network)                                \
    ROW(private_endpoints)                      \
    ROW(ip_addresses)                           \
    ROW(dns)                                    \
    ROW(cloud_provider_access)                  \
    ROW(encryption_at_rest)                     \
    /* Data: kept, moved, searched. */          \
    ROW(backups)                                \
    ROW(drills)                                 \
    ROW(legacy_backups)                         \
    ROW(online_archives)                        \
    ROW(live_migrations)                        \
    ROW(data_federation)                        \
    ROW(streams)                                \
    ROW(search)                                 \
    /* Watching. */                             \
    ROW(search_metrics)                         \
    ROW(metrics)                                \
    ROW(table_statistics)                       \
    ROW(logs)                                   \
    ROW(access_history)                         \
    ROW(audit_log)                              \
    ROW(alerts)                                 \
    ROW(log_integrations)                       \
    ROW(integrations)                           \
    ROW(performance_advisor)                    \
    ROW(query_shapes)                           \
    ROW(indexes)                                \
    /* Money. */                                \
    ROW(billing)
// clang-format on

#define FAMILY_DECLARED(family_name) extern const struct family family_name##_family;
FAMILIES(FAMILY_DECLARED)
#undef FAMILY_DECLARED

#define FAMILY_LISTED(family_name) &family_name##_family,
const struct family *const all_families[] = { FAMILIES(FAMILY_LISTED) NULL };
#undef FAMILY_LISTED
