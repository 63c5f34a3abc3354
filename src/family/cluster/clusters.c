/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters. A change is accepted at once, and jobs carry it out on the hosts; the cluster's state shows the progress.
 */
#include "family/cluster/clusters.h"
#include "api/api.h"
#include "api/list.h"
#include "cluster/scaling.h"
#include "family/takes_along.h"

/* ---- Reading ---- */

static const struct kind dedicated = { .name = CLUSTER_KIND, .parameter = "clusterName" };

static error bind_get(struct request *req, struct params *params);
static error bind_list(struct request *req, struct params *params);
static error bind_named(struct request *req, struct params *params);
static error answer_status(struct request *req, const struct rows *rows);
static error answer_scaling(struct request *req, const struct rows *rows);
static error answer_cluster(struct request *req, const struct rows *rows);

const struct read cluster_get = { SQL_CLUSTER_GET, bind_get, answer_cluster };
const struct read cluster_list = { SQL_CLUSTER_LIST, bind_list, list_answer };
static const struct read cluster_status = { SQL_CLUSTER_STATUS, bind_named, answer_status };
static const struct read cluster_scaling = { SQL_CLUSTER_SCALING_GET, bind_get, answer_scaling };

static const struct field status_fields[] = {
    TEXT("changeStatus", "APPLIED when everything that was accepted is in force on every member.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "PENDING", "APPLIED", NULL }),
    END_OF_FIELDS,
};
static const struct schema status_schema = { "ClusterStatus", "Whether changes are in force.", status_fields };
static const struct field scaling_finding_fields[] = {
    TEXT("finding", "What was found at the last look.", READ_ONLY | ALWAYS, .one_of = scaling_finding_names),
    TEXT("reason", "The same as a sentence, with what was measured when it was first so.", READ_ONLY | ALWAYS),
    DATE("since", "Since when it is so.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema scaling_finding_schema = { "AutoScalingFinding", "Why a size stays or changes.",
                                                      scaling_finding_fields };
static const struct field scaling_fields[] = {
    TEXT("autoScalingMode", "How shards scale.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "CLUSTER_WIDE_SCALING", "INDEPENDENT_SHARD_SCALING", NULL }),
    OBJECT("compute", "What is found about the size of members, once a cluster that scales was looked at.", READ_ONLY,
           .of = &scaling_finding_schema),
    OBJECT("disk", "What is found about the size of disks.", READ_ONLY, .of = &scaling_finding_schema),
    DATE(
        "settledDate",
        "Since when the cluster is as it is: what was measured earlier does not count, and the next change comes ten minutes later at the earliest, a smaller size an hour later.",
        READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema scaling_schema = { "AutoScalingConfiguration", "How shards scale.", scaling_fields };
static const struct field serverless_fields[] = {
    TEXT("name", "Name of a shared cluster.", REQUIRED, .min = 1, .max = 64, .pattern = CLUSTER_NAME,
         .example = "\"orders\""),
    OBJECT("providerSettings", "What it would become.", 0),
    END_OF_FIELDS,
};
static const struct schema serverless_schema = { "ServerlessUpgrade", "An upgrade that is not offered.",
                                                 serverless_fields };

static const struct field list_query[] = {
    BOOL("includeDeletedWithRetainedBackups",
         "Whether to include deleted clusters whose backups are kept. They are not listed yet; their snapshots are "
         "found under the name of the cluster.",
         0, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct field delete_query[] = {
    BOOL("retainBackups", "Whether to keep the cluster's snapshots until they expire. Refused when it has no backups.",
         0, .fallback = "false"),
    END_OF_FIELDS,
};

#define EXAMPLE_SPECS                                                                                           \
    "\"replicationSpecs\": [{\"regionConfigs\": [{\"providerName\": \"ONPREM\", \"regionName\": \"EU_NORTH\", " \
    "\"electableSpecs\": {\"instanceSize\": \"M10\", \"nodeCount\": 3}}]}]"

// clang-format off
static const struct endpoint clusters_endpoints[] = {
    { GET, "/groups/{groupId}/clusters", S17, ANY_OF(PROJECT_READ_ONLY), "listGroupClusters",
      "Return all clusters in one project",
      "Lists the clusters of the project with their state, version and members. Flex clusters have their own list.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .item = "/groups/{groupId}/clusters/{clusterName}",
      .read = &cluster_list, .kind = &dedicated, .query = list_query, .response = &cluster_schema, .flags = MAIN_LINK },
    { POST, "/groups/{groupId}/clusters", S17, ANY_OF(PROJECT_CLUSTER_CREATOR), "createGroupCluster",
      "Create one cluster in one project",
      "Creates a cluster. Asynchronous: after the answer hosts are chosen, the primary is initialized and the replicas are "
      "cloned. The cluster can be used when its state is IDLE.",
      .since = "2024-10-23", .item = "/groups/{groupId}/clusters/{clusterName}", .run = cluster_create, .request = &cluster_schema, .response = &cluster_schema,
      .example = "{\"name\": \"orders\", " EXAMPLE_SPECS "}" },
    { GET, "/groups/{groupId}/clusters/provider/regions", S17, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterProviderRegions",
      "Return all regions that clusters can use",
      "Lists the providers, regions and instance sizes that hosts of this project offer. A cluster can use only places in this "
      "list.",
      .shape = SHAPE_LIST, .run = provider_regions_list, .response = &provider_regions_schema, .query = provider_regions_query },
    { POST, "/groups/{groupId}/clusters/tenantUpgrade", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "upgradeGroupClusterTenantUpgrade",
      "Upgrade one shared cluster to a dedicated one",
      "The older path for upgrading a flex cluster, with the same body and answer.",
      .success = 200, .run = cluster_upgrade, .request = &cluster_upgrade_schema, .response = &cluster_schema,
      .example = "{\"name\": \"small\", " EXAMPLE_SPECS "}" },
    { POST, "/groups/{groupId}/clusters/tenantUpgradeToServerless", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "upgradeGroupClusterTenantUpgradeToServerless",
      "Upgrade one shared cluster to a serverless instance",
      "Would turn a flex cluster into an instance without a size. The operation exists so that old clients get the reason.",
      .success = 200, .flags = DEPRECATED, .refuses = SERVERLESS_NOT_OFFERED, .request = &serverless_schema, .response = &cluster_schema,
      .example = "{\"name\": \"small\"}" },
    { POST, "/groups/{groupId}/clusterConfigurations:validate", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "validateGroupClusterConfigurations",
      "Check one cluster configuration without applying it",
      "Runs the checks for creating a cluster or for changing one (`editing`), including the capacity of the hosts. Nothing is "
      "changed.",
      .success = 200, .since = "2025-03-12", .flags = NO_ETAG, .run = cluster_validate, .request = &validation_request_schema,
      .response = &validation_schema, .example = "{\"clusterDescription\": {\"name\": \"orders\", " EXAMPLE_SPECS "}}" },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}", S17, ANY_OF(PROJECT_OWNER), "deleteGroupCluster",
      "Terminate one cluster",
      "Terminates the cluster: its names are removed, its members are stopped and their data is deleted. Running operations of "
      "the cluster are cancelled. Refused while the cluster has termination protection." SAYS_WHAT_GOES,
      .tried = &takes_along_schema, .shape = SHAPE_NOTHING, .flags = LOSES_DATA, .success = 202, .since = "2023-02-01", .run = cluster_delete,
      .query = delete_query },
    { GET, "/groups/{groupId}/clusters/{clusterName}", S17, ANY_OF(PROJECT_READ_ONLY), "getGroupCluster",
      "Return one cluster",
      "Returns one cluster with its state, members, version and connection strings. Poll it to follow a change.",
      .since = "2024-08-05", .read = &cluster_get, .kind = &dedicated, .response = &cluster_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}", S17,
      ANY_OF(PROJECT_CLUSTER_MANAGER | PROJECT_CLUSTER_RESILIENCE_TESTER | PROJECT_REPLICA_SET_MANAGER),
      "updateGroupCluster",
      "Update one cluster",
      "Changes only the fields that are sent; replicationSpecs are replaced as a whole. Asynchronous: new members are in place "
      "before old ones are removed. Members are restarted one after another, replicas before the primary, so that the cluster "
      "stays writable.",
      .since = "2024-10-23", .run = cluster_update, .request = &cluster_schema, .response = &cluster_schema,
      .example = "{\"terminationProtectionEnabled\": true}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/autoScalingConfiguration", S17, ANY_OF(PROJECT_READ_ONLY),
      "autoGroupClusterScalingConfiguration",
      "Return the automatic scaling mode of one cluster",
      "Tells whether the shards of the cluster scale together or each by itself: a cluster here has one shard. For a cluster that follows its load "
      "by itself, also what was found about it at the last look, which is once a minute.",
      .flags = DEPRECATED | NO_ETAG, .since = "2024-08-05", .read = &cluster_scaling, .kind = &dedicated, .response = &scaling_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/processArgs", S17, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterProcessArgs",
      "Return the server settings of one cluster",
      "Returns the settings of the database servers that were changed from their defaults.",
      .since = "2024-08-05", .read = &cluster_settings_get, .response = &cluster_settings_schema, .flags = MAIN_LINK },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/processArgs", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "updateGroupClusterProcessArgs",
      "Update the server settings of one cluster",
      "Changes only the settings that are sent; null resets one to its default. Some need a restart, as their description says. "
      "Members restart one by one, replicas first; the primary hands over before its restart.",
      .since = "2024-08-05", .run = cluster_settings_update, .request = &cluster_settings_schema,
      .response = &cluster_settings_schema, .example = "{\"work_mem\": 8192, \"defaultMaxTimeMS\": 60000}" },
    { POST, "/groups/{groupId}/clusters/{clusterName}/restartPrimaries", S17, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "restartGroupClusterPrimaries",
      "Restart the primaries of one cluster",
      "Switches each primary to a replica, as after a failure. Writes stop for some seconds. Use it to test how an application "
      "handles a failover.",
      .shape = SHAPE_NOTHING, .success = 200, .since = "2023-02-01", .run = cluster_restart },
    { GET, "/groups/{groupId}/clusters/{clusterName}/status", S17, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterStatus",
      "Return the state of changes to one cluster",
      "Tells whether the last change has reached every member (APPLIED) or not yet (PENDING).",
      .flags = NO_ETAG, .read = &cluster_status, .response = &status_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}:grantVendorEmployeeAccess", S17,
      ANY_OF(PROJECT_SUPPORT_ACCESS_MANAGER), "grantGroupClusterVendorEmployeeAccess",
      "Grant support staff access to one cluster",
      "Consents that the operator's support staff opens sessions on the cluster, at the given level and until the given time. "
      "Each session is an event when it is opened and when it ends, and every statement of it is in the servers' logs. It replaces an "
      "earlier consent, and ends the sessions that were opened under that.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .run = cluster_grant_access, .request = &access_grant_schema,
      .example = "{\"grantType\": \"CLUSTER_DATABASE_LOGS\", \"expirationTime\": \"2099-01-01T00:00:00Z\"}" },
    { POST, "/groups/{groupId}/clusters/{clusterName}:revokeVendorEmployeeAccess", S17,
      ANY_OF(PROJECT_SUPPORT_ACCESS_MANAGER), "revokeGroupClusterVendorEmployeeAccess",
      "Revoke support staff access to one cluster",
      "Ends the consent to access by the operator's support staff before its time, and the sessions that were opened under it.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .run = cluster_revoke_access },
    { POST, "/groups/{groupId}/clusters/{clusterName}:pinFeatureCompatibilityVersion", S17, ANY_OF(PROJECT_OWNER),
      "pinGroupClusterFeatureCompatibilityVersion",
      "Pin the compatibility version of one cluster",
      "Keeps the cluster on its current version: rollouts of minor versions leave it out, unless the operator passes over pins. The pin ends on the date that is sent. Servers "
      "that restart for another reason start with the version that their hosts have.",
      .shape = SHAPE_NOTHING, .since = "2024-05-30", .run = cluster_pin, .request = &version_pin_schema,
      .example = "{\"expirationDate\": \"2099-01-01T00:00:00Z\"}" },
    { POST, "/groups/{groupId}/clusters/{clusterName}:unpinFeatureCompatibilityVersion", S17, ANY_OF(PROJECT_OWNER),
      "unpinGroupClusterFeatureCompatibilityVersion",
      "Unpin the compatibility version of one cluster",
      "Removes the pin. Without a pin nothing happens.",
      .shape = SHAPE_NOTHING, .since = "2024-05-30", .run = cluster_unpin },
    { GET, "/groups/{groupId}/sampleDatasetLoad/{sampleDatasetId}", S17, ANY_OF(PROJECT_OWNER),
      "getGroupSampleDatasetLoad",
      "Return the state of one sample data load",
      "Tells whether loading has finished, and if it failed, why.",
      .read = &sample_load_get, .response = &sample_load_schema },
    { POST, "/groups/{groupId}/sampleDatasetLoad/{name}", S17, ANY_OF(PROJECT_OWNER),
      "requestGroupSampleDatasetLoad",
      "Load sample data into one cluster",
      "Starts loading a small set of sample tables into the cluster. Asynchronous.",
      .item = "/groups/{groupId}/sampleDatasetLoad/{sampleDatasetId}", .run = sample_load_start, .response = &sample_load_schema },

    { GET, "/clusters", S18, ANY_CALLER, "listClusterDetails",
      "Return all clusters of all projects",
      "Lists the clusters of each project that the caller can see, in short form. Read a single cluster for details.",
      .shape = SHAPE_LIST, .run = cluster_overview, .response = &overview_schema },
};
// clang-format on

FAMILY(clusters_family, "clusters", "Clusters",
       "Replicated PostgreSQL clusters on the operator's hosts: creating, changing, pausing and terminating them.",
       clusters_endpoints);

static error
bind_get(struct request *req, struct params *params)
{
    const struct kind *kind = req->endpoint->kind;
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, str_from(kind->name));
    params_text(params, P_NAME, request_path_value(req, kind->parameter));
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, str_from(req->endpoint->kind->name));
    list_bind(req, params);
    return OK;
}

static error
bind_named(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_CLUSTER_NAME, request_path_value(req, "clusterName"));
    return OK;
}

static error
answer_status(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    answer_entity(req,
                  rows_bool(rows, 0, C_IS_APPLIED) ? STR("{\"changeStatus\":\"APPLIED\"}")
                                                   : STR("{\"changeStatus\":\"PENDING\"}"),
                  0);
    return OK;
}

static error
answer_scaling(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    answer_entity(req, rows_text(rows, 0, C_DOCUMENT), 0);
    return OK;
}

static error
answer_cluster(struct request *req, const struct rows *rows)
{
    TRY(answer_row(req, rows));
    const char *project = id_text(req->arena, req->project).data;
    str name = request_path_value(req, req->endpoint->kind->parameter);
    if (rows_bool(rows, 0, C_HAS_OUTAGE))
        answer_relate(req, "/outageSimulation",
                      str_format(req->arena, "/groups/%s/clusters/%.*s/outageSimulation", project, STR_ARG(name)));
    static const char *const of_backups[] = { "/backup/schedule", "/backup/window" };
    for (size_t i = 0; rows_bool(rows, 0, C_HAS_BACKUPS) && i < LENGTH(of_backups); i++)
        answer_relate(req, of_backups[i],
                      str_format(req->arena, "/groups/%s/clusters/%.*s%s", project, STR_ARG(name), of_backups[i]));
    if (!rows_is_null(rows, 0, C_SAMPLE_LOAD))
        answer_relate(req, "/sampleDatasetLoad",
                      str_format(req->arena, "/groups/%s/sampleDatasetLoad/%.*s", project,
                                 STR_ARG(rows_text(rows, 0, C_SAMPLE_LOAD))));
    return OK;
}
