/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters are what everything else is about. A change is accepted at once and carried out on the hosts by jobs;
 * the cluster's state says how far it is.
 */
#include "api/contract.h"

// clang-format off
static const struct endpoint clusters_endpoints[] = {
    { GET, "/groups/{groupId}/clusters", S17, ANY_OF(PROJECT_READ_ONLY), "listGroupClusters",
      "Return all clusters in one project",
      "Lists the clusters of the project with their state, version and members. Flex clusters have a list of "
      "their own.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .item = "/groups/{groupId}/clusters/{clusterName}",
      .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters", S17, ANY_OF(PROJECT_CLUSTER_CREATOR), "createGroupCluster",
      "Create one cluster in one project",
      "Accepts a new cluster and answers while it is still being built: hosts are chosen, the primary is "
      "initialized and the replicas are cloned. It can be used when its state is IDLE.",
      .since = "2024-10-23", .item = "/groups/{groupId}/clusters/{clusterName}", .waits_for = "clusters" },
    { GET, "/groups/{groupId}/clusters/provider/regions", S17, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterProviderRegions",
      "Return all regions that clusters can use",
      "Lists the providers, regions and instance sizes that hosts of this project offer. A cluster can only be "
      "placed where this list says so.",
      .shape = SHAPE_LIST, .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters/tenantUpgrade", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "upgradeGroupClusterTenantUpgrade",
      "Upgrade one shared cluster to a dedicated one",
      "Moves a cluster from hosts that it shares to members of its own. Asynchronous; clients reconnect once, at "
      "the end.",
      .success = 200, .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters/tenantUpgradeToServerless", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "upgradeGroupClusterTenantUpgradeToServerless",
      "Upgrade one shared cluster to a serverless instance",
      "Kept for old clients. New work should move shared clusters to flex or dedicated ones.",
      .success = 200, .flags = DEPRECATED, .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusterConfigurations:validate", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "validateGroupClusterConfigurations",
      "Check one cluster configuration without applying it",
      "Runs the checks that creating or changing a cluster would run, capacity of the hosts and policies "
      "included. Nothing is changed.",
      .success = 200, .since = "2025-03-12", .waits_for = "clusters" },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}", S17, ANY_OF(PROJECT_OWNER), "deleteGroupCluster",
      "Terminate one cluster",
      "Accepts the end of the cluster: its members are stopped and their data directories removed. Snapshots go "
      "with it unless the request keeps them; a cluster with termination protection is refused.",
      .shape = SHAPE_NOTHING, .success = 202, .since = "2023-02-01", .waits_for = "clusters" },
    { GET, "/groups/{groupId}/clusters/{clusterName}", S17, ANY_OF(PROJECT_READ_ONLY), "getGroupCluster",
      "Return one cluster",
      "Returns one cluster with its state, members, version and connection strings. Poll it to follow a change.",
      .since = "2024-08-05", .waits_for = "clusters" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}", S17,
      ANY_OF(PROJECT_CLUSTER_MANAGER | PROJECT_CLUSTER_RESILIENCE_TESTER | PROJECT_REPLICA_SET_MANAGER),
      "updateGroupCluster",
      "Update one cluster",
      "Changes only the fields that are sent: size, members, version, pause. Asynchronous; members are changed "
      "one after the other, replicas before the primary, so that the cluster stays writable.",
      .since = "2024-10-23", .waits_for = "clusters" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/autoScalingConfiguration", S17, ANY_OF(PROJECT_READ_ONLY),
      "autoGroupClusterScalingConfiguration",
      "Return the automatic scaling mode of one cluster",
      "Tells whether the shards of the cluster scale together or each by itself.",
      .flags = DEPRECATED, .since = "2024-08-05", .waits_for = "clusters" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/processArgs", S17, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterProcessArgs",
      "Return the server settings of one cluster",
      "Returns the database server settings that were changed from their defaults and can be set through this "
      "API.",
      .since = "2024-08-05", .waits_for = "clusters" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/processArgs", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "updateGroupClusterProcessArgs",
      "Update the server settings of one cluster",
      "Changes only the settings that are sent. Some need a restart, which then happens member by member.",
      .since = "2024-08-05", .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters/{clusterName}/restartPrimaries", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "restartGroupClusterPrimaries",
      "Restart the primaries of one cluster",
      "Hands each primary over to a replica, as a failure would. Writes stop for some seconds; use it to see how "
      "an application takes a failover.",
      .shape = SHAPE_NOTHING, .success = 200, .since = "2023-02-01", .waits_for = "clusters" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/status", S17, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterStatus",
      "Return the state of changes to one cluster",
      "Tells whether the last change has reached every member (APPLIED) or not yet (PENDING).",
      .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters/{clusterName}:grantVendorEmployeeAccess", S17,
      ANY_OF(PROJECT_SUPPORT_ACCESS_MANAGER), "grantGroupClusterVendorEmployeeAccess",
      "Grant support staff access to one cluster",
      "Lets the operator's support staff into the cluster's hosts at a stated level until a stated time. Every "
      "use is recorded as an event.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters/{clusterName}:revokeVendorEmployeeAccess", S17,
      ANY_OF(PROJECT_SUPPORT_ACCESS_MANAGER), "revokeGroupClusterVendorEmployeeAccess",
      "Revoke support staff access to one cluster",
      "Ends the access that was granted to the operator's support staff, before its time.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters/{clusterName}:pinFeatureCompatibilityVersion", S17, ANY_OF(PROJECT_OWNER),
      "pinGroupClusterFeatureCompatibilityVersion",
      "Pin the compatibility version of one cluster",
      "Keeps the cluster on the on-disk format that it has now, so that a newer major version can still be "
      "undone. A pin ends by itself on the date that is sent.",
      .shape = SHAPE_NOTHING, .since = "2024-05-30", .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters/{clusterName}:unpinFeatureCompatibilityVersion", S17, ANY_OF(PROJECT_OWNER),
      "unpinGroupClusterFeatureCompatibilityVersion",
      "Unpin the compatibility version of one cluster",
      "Lets the cluster take the on-disk format of its version. From then on the older major version can only be "
      "reached by a restore.",
      .shape = SHAPE_NOTHING, .since = "2024-05-30", .waits_for = "clusters" },
    { GET, "/groups/{groupId}/sampleDatasetLoad/{sampleDatasetId}", S17, ANY_OF(PROJECT_OWNER),
      "getGroupSampleDatasetLoad",
      "Return the state of one sample data load",
      "Tells whether loading has finished, and if it failed, why.",
      .waits_for = "clusters" },
    { POST, "/groups/{groupId}/sampleDatasetLoad/{name}", S17, ANY_OF(PROJECT_OWNER),
      "requestGroupSampleDatasetLoad",
      "Load sample data into one cluster",
      "Starts loading a small, well-known set of tables into the named cluster, for trying things out. "
      "Asynchronous.",
      .item = "/groups/{groupId}/sampleDatasetLoad/{sampleDatasetId}", .waits_for = "clusters" },

    { GET, "/clusters", S18, ANY_CALLER, "listClusterDetails",
      "Return all clusters of all projects",
      "Lists, for each project that the caller may see, its clusters in short form. Meant for overviews; details "
      "are read per cluster.",
      .shape = SHAPE_LIST, .waits_for = "clusters" },
};
// clang-format on

FAMILY(clusters_family, "clusters", "Clusters",
       "Replicated PostgreSQL clusters on the operator's hosts: creating, changing, pausing and ending them.",
       clusters_endpoints);
