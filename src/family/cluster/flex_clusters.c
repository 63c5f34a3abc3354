/* SPDX-License-Identifier: Apache-2.0 */
/* Small clusters of one size and in one region: the same machinery with fewer choices. */
#include "api/api.h"
#include "base/json.h"
#include "cluster/state.h"
#include "cluster/wanted.h"
#include "family/backup/backups.h"
#include "family/cluster/clusters.h"
#include "family/families.h"
#include "family/project_limits.h"
#include "family/takes_along.h"
#include "family/tenant/projects.h"

static const struct field provider_fields[] = {
    TEXT("backingProviderName", "Provider of the hosts, by the name that the operator gave.", REQUIRED | ALWAYS,
         .min = 1, .max = 32, .example = "\"ONPREM\""),
    TEXT("regionName", "Region of the hosts, by the name that the operator gave.", REQUIRED | ALWAYS, .min = 1,
         .max = 63, .example = "\"EU_NORTH\""),
    TEXT("providerName", "Always FLEX.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ FLEX_SIZE, NULL }),
    INTEGER("diskSizeGB", "Disk space for data of each member in gigabytes.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema provider_schema = { "FlexProviderSettings", "Where a flex cluster is.", provider_fields };

static const struct field flex_fields[] = {
    ID("id", "Identifier of the flex cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Project that it belongs to.", READ_ONLY | ALWAYS),
    TEXT("name", "Label, unique in the project among clusters and flex clusters.", REQUIRED | CREATE_ONLY | ALWAYS,
         .min = 1, .max = 64, .pattern = CLUSTER_NAME, .example = "\"small\""),
    OBJECT("providerSettings", "Where it is.", REQUIRED | CREATE_ONLY | ALWAYS, .of = &provider_schema),
    LIST("tags", "Tags of the flex cluster.", ALWAYS, .of = &tag_schema, .max = 50, .fallback = "[]",
         .short_form = TAG_FORM),
    BOOL("terminationProtectionEnabled", "Whether it is protected against termination.", ALWAYS, .fallback = "false"),
    TEXT("clusterType", "Always REPLICASET.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "REPLICASET", NULL }),
    TEXT("dbMajorVersion", "Major version of PostgreSQL.", READ_ONLY | ALWAYS),
    TEXT("versionReleaseSystem", "Always LTS: the minor versions of its major version.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "LTS", NULL }),
    TEXT("dbVersion", "Full version of the primary, once it runs.", READ_ONLY),
    TEXT("stateName", "State of the cluster: it is usable when it is IDLE.", READ_ONLY | ALWAYS,
         .one_of = cluster_state_names),
    DATE("createDate", "When it was created.", READ_ONLY | ALWAYS),
    OBJECT("connectionStrings", "How to connect.", READ_ONLY | ALWAYS, .of = &connection_strings_schema),
    INTEGER("generation", "Grows with every change that is accepted.", READ_ONLY | ALWAYS),
    INTEGER("observedGeneration", "The generation that is in force on every member.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema flex_schema = { "FlexCluster", "A small cluster.", flex_fields };

static const struct kind flex = { .name = FLEX_CLUSTER_KIND, .parameter = "name" };

static handler flex_create, flex_update, flex_delete;

// clang-format off
static const struct field flex_restore_job_path[] = { ID("restoreJobId", "Identifier of the restore job.", 0), END_OF_FIELDS };

static const struct endpoint flex_clusters_endpoints[] = {
    { GET, "/groups/{groupId}/flexClusters", S29, ANY_OF(PROJECT_READ_ONLY), "listGroupFlexClusters",
      "Return all flex clusters in one project",
      "Lists the flex clusters of the project.",
      .shape = SHAPE_LIST, .since = "2024-11-13", .item = "/groups/{groupId}/flexClusters/{name}",
      .read = &cluster_list, .kind = &flex, .response = &flex_schema },
    { POST, "/groups/{groupId}/flexClusters", S29, ANY_OF(PROJECT_OWNER), "createGroupFlexCluster",
      "Create one flex cluster in one project",
      "Creates a flex cluster. Asynchronous: it can be used when its state is IDLE.",
      .since = "2024-11-13", .item = "/groups/{groupId}/flexClusters/{name}", .run = flex_create, .request = &flex_schema, .response = &flex_schema,
      .example = "{\"name\": \"scratch\", \"providerSettings\": {\"backingProviderName\": \"ONPREM\", \"regionName\": \"EU_NORTH\"}}" },
    { DELETE, "/groups/{groupId}/flexClusters/{name}", S29, ANY_OF(PROJECT_OWNER), "deleteGroupFlexCluster",
      "Delete one flex cluster",
      "Deletes the flex cluster: its names are removed, its members are stopped and their data is deleted. Refused while it "
      "has termination protection." SAYS_WHAT_GOES,
      .shape = SHAPE_NOTHING, .flags = LOSES_DATA, .since = "2024-11-13", .run = flex_delete, .tried = &takes_along_schema },
    { GET, "/groups/{groupId}/flexClusters/{name}", S29, ANY_OF(PROJECT_READ_ONLY), "getGroupFlexCluster",
      "Return one flex cluster",
      "Returns one flex cluster with its state and connection strings.",
      .since = "2024-11-13", .read = &cluster_get, .kind = &flex, .response = &flex_schema },
    { PATCH, "/groups/{groupId}/flexClusters/{name}", S29, ANY_OF(PROJECT_OWNER), "updateGroupFlexCluster",
      "Update one flex cluster",
      "Changes tags or termination protection. Size and region cannot be changed: upgrade to a dedicated cluster instead.",
      .since = "2024-11-13", .run = flex_update, .request = &flex_schema, .response = &flex_schema,
      .example = "{\"terminationProtectionEnabled\": true}" },
    { POST, "/groups/{groupId}/flexClusters:tenantUpgrade", S29, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "tenantGroupFlexClusterUpgrade",
      "Upgrade one flex cluster to a dedicated one",
      "Turns the flex cluster into a dedicated one with the size and regions that are sent. It keeps its name, its data and its "
      "host names. Asynchronous: members grow in place or are replaced.",
      .success = 200, .since = "2024-11-13", .run = cluster_upgrade, .request = &cluster_upgrade_schema, .response = &cluster_schema,
      .example = "{\"name\": \"small\", \"replicationSpecs\": [{\"regionConfigs\": [{\"providerName\": \"ONPREM\", \"regionName\": \"EU_NORTH\", "
      "\"electableSpecs\": {\"instanceSize\": \"M10\"}}]}]}" },

    { GET, "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs", S30, ANY_OF(PROJECT_READ_ONLY),
      "listGroupFlexClusterBackupRestoreJobs",
      "Return all restore jobs of one flex cluster",
      "Lists the restores of the flex cluster, newest first.",
      .shape = SHAPE_LIST, .since = "2024-11-13",
      .item = "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs/{restoreJobId}", .read = &flex_restore_list,
      .response = &flex_restore_job_schema },
    { POST, "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs", S30,
      ANY_OF(PROJECT_BACKUP_RECOVERY_OPERATOR), "createGroupFlexClusterBackupRestoreJob",
      "Restore one flex cluster from a snapshot",
      "Starts restoring a snapshot into a flex cluster of the same or another project. Asynchronous; the target's data is "
      "replaced.",
      .success = 200, .since = "2024-11-13",
      .item = "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs/{restoreJobId}", .run = flex_restore_create,
      .request = &flex_restore_job_schema, .response = &flex_restore_job_schema,
      .example = "{\"snapshotId\": \"65a1b2c3d4e5f60718293a4b\", \"targetDeploymentItemName\": \"small-copy\"}" },
    { GET, "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs/{restoreJobId}", S30,
      ANY_OF(PROJECT_READ_ONLY), "getGroupFlexClusterBackupRestoreJob",
      "Return one restore job of one flex cluster",
      "Returns one restore with its state and, when it is over, its end.",
      .since = "2024-11-13", .read = &flex_restore_get,
      .path_fields = flex_restore_job_path, .response = &flex_restore_job_schema },

    { GET, "/groups/{groupId}/flexClusters/{name}/backup/snapshots", S31, ANY_OF(PROJECT_READ_ONLY),
      "listGroupFlexClusterBackupSnapshots",
      "Return all snapshots of one flex cluster",
      "Lists the daily snapshots that still exist.",
      .shape = SHAPE_LIST, .since = "2024-11-13",
      .item = "/groups/{groupId}/flexClusters/{name}/backup/snapshots/{snapshotId}", .read = &flex_snapshot_list,
      .response = &flex_snapshot_schema },
    { GET, "/groups/{groupId}/flexClusters/{name}/backup/snapshots/{snapshotId}", S31, ANY_OF(PROJECT_READ_ONLY),
      "getGroupFlexClusterBackupSnapshot",
      "Return one snapshot of one flex cluster",
      "Returns when one snapshot was taken and when it ends.",
      .since = "2024-11-13", .read = &flex_snapshot_get,
      .path_fields = snapshot_path, .response = &flex_snapshot_schema },
    { POST, "/groups/{groupId}/flexClusters/{name}/backup/download", S31, ANY_OF(PROJECT_BACKUP_EXPORT_OPERATOR),
      "downloadGroupFlexClusterBackup",
      "Request a download of one flex cluster snapshot",
      "Prepares a snapshot for download and answers with the job. The finished job has the address, which works for 24 hours, "
      "without credentials, and can be resumed.",
      .success = 200, .since = "2024-11-13",
      .item = "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs/{restoreJobId}", .run = flex_download_create,
      .request = &flex_download_schema, .response = &flex_restore_job_schema,
      .example = "{\"snapshotId\": \"65a1b2c3d4e5f60718293a4b\"}" },
};
// clang-format on

FAMILY(flex_clusters_family, "flex-clusters", "Flex clusters",
       "Small clusters that share hosts with others and need no sizing, with their snapshots and restores.",
       flex_clusters_endpoints);

/* ---- Changing ---- */

static error
flex_create(struct request *req)
{
    struct fleet_offer *offer;
    struct cluster cluster;
    str version;
    json_t *document = json_in(req->arena, json_deep_copy(req->body)),
           *settings = json_object_get(document, "providerSettings");
    TRY(project_limit_check(req, LIMIT_CLUSTERS));
    TRY(store_fleet_offer(req->api->store, req->arena, &offer));
    const struct offered_size *size = offer_size(offer, STR(FLEX_SIZE));
    if (size == NULL)
        return fail(req->arena, NOT_OFFERED, V("A flex cluster"), V("the operator has no size FLEX"));
    const struct offered_region *region =
        offer_region(offer, json_str(json_object_get(settings, "backingProviderName")),
                     json_str(json_object_get(settings, "regionName")));
    if (region == NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("providerSettings.regionName"),
                    V("no host of this provider accepts clusters there"));
    TRY(cluster_default_version(req, region, &version));
    json_object_del(document, "name");
    json_object_set_new(settings, "providerName", json_string(FLEX_SIZE));
    json_object_set_new(settings, "diskSizeGB", json_integer(size->disk_gb));
    json_object_set_new(document, "clusterType", json_string("REPLICASET"));
    json_object_set_new(document, "dbMajorVersion", json_stringn(version.data, version.len));
    TRY(cluster_begin(req, offer, STR(FLEX_CLUSTER_KIND), json_str(json_object_get(req->body, "name")), document,
                      &cluster));
    return cluster_answer(req, &cluster, EVENT_CLUSTER_CREATED, NULL, true);
}

/* Nothing that can be sent needs anything done on the hosts. */
static error
flex_update(struct request *req)
{
    struct cluster cluster;
    json_t *before;
    TRY(cluster_take(req, STR(FLEX_CLUSTER_KIND), request_path_value(req, "name"), &cluster, &before));
    TRY(cluster_check_changeable(req, &cluster));
    json_t *document = json_in(req->arena, json_deep_copy(cluster.document));
    json_object_update(document, req->body);
    if (json_equal(cluster.document, document))
        return cluster_answer_unchanged(req, &cluster);
    TRY(cluster_submit(req, &cluster, document, NULL, NULL));
    return cluster_answer(req, &cluster, EVENT_CLUSTER_UPDATE_SUBMITTED, before, false);
}

static error
flex_delete(struct request *req)
{
    return cluster_terminate(req, STR(FLEX_CLUSTER_KIND), request_path_value(req, "name"), false);
}
