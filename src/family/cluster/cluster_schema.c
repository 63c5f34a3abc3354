/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of clusters. docs/internals/contract.md says which fields of the specification were left out, and why. */
#include "cluster/names.h"
#include "cluster/settings.h"
#include "cluster/state.h"
#include "cluster/wanted.h"
#include "family/cluster/clusters.h"
#include "family/tenant/projects.h"

static const char *const key_keepers[] = { "NONE", "KMIP", NULL };
static const char *const release_systems[] = { "LTS", "CONTINUOUS", NULL };
static const char *const cluster_types[] = { "REPLICASET", "SHARDED", "GEOSHARDED", NULL };

static const struct field electable_fields[] = {
    TEXT(
        "instanceSize",
        "Size of each member, one that the operator offers. All members of a cluster but those for analytics have the same size.",
        REQUIRED | ALWAYS, .min = 1, .max = 32, .example = "\"M10\"", .short_flag = "size"),
    INTEGER("nodeCount", "Number of members here that can become the primary; at most 7 in the whole cluster.", ALWAYS,
            .min = 1, .max = CLUSTER_MAX_ELECTABLE, .fallback = "3", .short_flag = "nodes"),
    INTEGER("diskSizeGB",
            "Disk space for data of each member in gigabytes; by default that of the size. It never shrinks.", ALWAYS,
            .min = 1, .max = 65536, .short_flag = "disk"),
    END_OF_FIELDS,
};
static const struct schema electable_schema = { "ElectableSpecs", "Members that can become the primary.",
                                                electable_fields };

static const struct field read_only_fields[] = {
    TEXT("instanceSize", "Size of each member; the same as for electable members.", REQUIRED | ALWAYS, .min = 1,
         .max = 32, .example = "\"M10\"", .short_flag = "size"),
    INTEGER("nodeCount", "Number of members here that only answer reads.", ALWAYS, .min = 1,
            .max = CLUSTER_MAX_ELECTABLE, .fallback = "1"),
    INTEGER("diskSizeGB", "Disk space for data of each member in gigabytes; the same as for electable members.", ALWAYS,
            .min = 1, .max = 65536, .short_flag = "disk"),
    END_OF_FIELDS,
};
static const struct field analytics_fields[] = {
    TEXT(
        "instanceSize",
        "Size of each member, one that the operator offers; by default that of electable members. All members for analytics have the same size.",
        ALWAYS, .min = 1, .max = 32, .example = "\"M10\"", .short_flag = "size analytics-size"),
    INTEGER("nodeCount", "Number of members here that are for analytics; 0 takes them away.", ALWAYS,
            .max = CLUSTER_MAX_ELECTABLE, .fallback = "1", .short_flag = "analytics-nodes"),
    INTEGER("diskSizeGB", "Disk space for data of each member in gigabytes; the same as for electable members.", ALWAYS,
            .min = 1, .max = 65536, .short_flag = "disk"),
    END_OF_FIELDS,
};
static const struct schema analytics_schema = {
    "AnalyticsSpecs",
    "Members for reports and exports: no string of applications leads to them, what comes from the primary waits for their "
    "queries for up to an hour, and they never become the primary. One never becomes a member of another kind: it is made anew.",
    analytics_fields
};
static const struct schema read_only_schema = { "ReadOnlySpecs", "Members that never become the primary.",
                                                read_only_fields };

/* The flags of the command line are those of the members that there are. */
#define COMPUTE_SCALING(on_flag, down_flag, min_flag, max_flag)                                                   \
    BOOL("enabled",                                                                                               \
         "Whether members get a larger size when they were busy for some minutes. Needs `maxInstanceSize`. Each " \
         "step takes the next size that is offered, and restarts members one after another.",                     \
         ALWAYS, .fallback = "false", .short_flag = on_flag),                                                     \
        BOOL("scaleDownEnabled",                                                                                  \
             "Whether they get a smaller size when that would have been enough for an hour. Needs `enabled` and " \
             "`minInstanceSize`.",                                                                                \
             ALWAYS, .fallback = "false", .short_flag = down_flag),                                               \
        TEXT("minInstanceSize", "The smallest size that is taken, one that the operator offers.", 0, .min = 1,    \
             .max = 32, .example = "\"M10\"", .short_flag = min_flag),                                            \
        TEXT("maxInstanceSize", "The largest size that is taken, one that the operator offers.", 0, .min = 1,     \
             .max = 32, .example = "\"M30\"", .short_flag = max_flag),                                            \
        BOOL("predictiveEnabled",                                                                                 \
             "Not offered: only false is accepted. Sizes follow what was measured, and nothing is foretold.",     \
             WRITE_ONLY)
#define DISK_SCALING(flag)                                                                                       \
    BOOL("enabled",                                                                                              \
         "Whether disks become larger when 90% of their size is used, so that 70% of it is. They never shrink.", \
         ALWAYS, .fallback = "false", .short_flag = flag)

static const struct field compute_scaling_fields[] = {
    COMPUTE_SCALING("scale-compute", "scale-down", "scale-min", "scale-max"), END_OF_FIELDS
};
static const struct field disk_scaling_fields[] = { DISK_SCALING("scale-disk"), END_OF_FIELDS };
static const struct field analytics_compute_fields[] = { COMPUTE_SCALING(NULL, NULL, NULL, NULL), END_OF_FIELDS };
static const struct field analytics_disk_fields[] = { DISK_SCALING(NULL), END_OF_FIELDS };
static const struct schema compute_scaling_schema = { "ComputeAutoScaling", "When members get another size.",
                                                      compute_scaling_fields };
static const struct schema disk_scaling_schema = { "DiskAutoScaling", "When disks become larger.",
                                                   disk_scaling_fields };
static const struct schema analytics_compute_schema = { "AnalyticsComputeAutoScaling",
                                                        "The same of members for analytics.",
                                                        analytics_compute_fields };
static const struct schema analytics_disk_schema = { "AnalyticsDiskAutoScaling", "The same of members for analytics.",
                                                     analytics_disk_fields };
static const struct field auto_scaling_fields[] = {
    OBJECT("compute", "When members get another size.", 0, .of = &compute_scaling_schema),
    OBJECT("diskGB", "When disks become larger.", 0, .of = &disk_scaling_schema),
    END_OF_FIELDS,
};
static const struct schema auto_scaling_schema = { "AutoScaling",
                                                   "How a cluster follows its load by itself, within bounds.",
                                                   auto_scaling_fields };
static const struct field analytics_scaling_fields[] = {
    OBJECT("compute", "When members get another size.", 0, .of = &analytics_compute_schema),
    OBJECT("diskGB", "When disks become larger.", 0, .of = &analytics_disk_schema),
    END_OF_FIELDS,
};
static const struct schema analytics_scaling_schema = {
    "AnalyticsAutoScaling", "The same of members for analytics alone, which is not offered.", analytics_scaling_fields
};

static const struct field region_fields[] = {
    TEXT("providerName", "Provider of the hosts, by the name that the operator gave.", REQUIRED | ALWAYS, .min = 1,
         .max = 32, .example = "\"ONPREM\"", .short_flag = "provider"),
    TEXT("regionName", "Region of the hosts, by the name that the operator gave.", REQUIRED | ALWAYS, .min = 1,
         .max = 63, .example = "\"EU_NORTH\"", .short_flag = "region"),
    INTEGER("priority",
            "Where the primary should be: in the region with the highest priority that has electable members. No two "
            "regions with electable members have the same priority.",
            ALWAYS, .min = 1, .max = HIGHEST_PRIORITY),
    OBJECT("electableSpecs", "Members that can become the primary.", 0, .of = &electable_schema),
    OBJECT("readOnlySpecs", "Members that only answer reads.", 0, .of = &read_only_schema),
    OBJECT("analyticsSpecs", "Members for reports, which applications are not led to.", 0, .of = &analytics_schema),
    OBJECT(
        "autoScaling",
        "How the cluster follows its load by itself. The same in all regions; regions without it take that of the others.",
        0, .of = &auto_scaling_schema),
    OBJECT(
        "analyticsAutoScaling",
        "The same for members for analytics alone, which is not offered: with the size of the others they follow `autoScaling`, and with one of their own they "
        "keep it. Only what switches nothing on is accepted.",
        WRITE_ONLY, .of = &analytics_scaling_schema),
    END_OF_FIELDS,
};
static const struct schema region_schema = { "RegionConfig", "The members of a cluster in one region.", region_fields };

static const struct field replication_fields[] = {
    TEXT("zoneName", "Your own label.", ALWAYS, .min = 1, .max = 64, .fallback = "\"Zone 1\""),
    LIST("regionConfigs", "The regions, each once.", REQUIRED | ALWAYS, .of = &region_schema, .min = 1,
         .max = CLUSTER_MAX_REGIONS),
    END_OF_FIELDS,
};
static const struct schema replication_schema = { "ReplicationSpec", "Regions of the members of a replica set.",
                                                  replication_fields };

static const struct field driver_fields[] = {
    TEXT("libpq", "For psql, psycopg and others that use libpq. The same as `standard` or `private`.",
         READ_ONLY | ALWAYS),
    TEXT("pgx", "For pgx in Go.", READ_ONLY | ALWAYS),
    TEXT("jdbc", "For the JDBC driver.", READ_ONLY | ALWAYS),
    TEXT("npgsql", "For Npgsql in .NET.", READ_ONLY | ALWAYS),
    TEXT("sqlalchemy", "For SQLAlchemy with psycopg2.", READ_ONLY | ALWAYS),
    LIST("node", "For node-postgres, which takes one host in a string: one string for each member, to try in turn.",
         READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema driver_strings_schema = {
    "DriverStrings", "The same members in the form that each driver takes, so that it notices when a host is lost.",
    driver_fields
};

static const struct field endpoint_fields[] = {
    TEXT("endpointId", "Name of the endpoint.", READ_ONLY | ALWAYS, .example = "\"endpoint-checkout\""),
    TEXT("providerName", "Provider of the private network.", READ_ONLY | ALWAYS, .example = "\"ONPREM\""),
    TEXT("region", "Region of the endpoint.", READ_ONLY | ALWAYS, .example = "\"EU_NORTH\""),
    END_OF_FIELDS,
};
static const struct schema endpoint_of_string_schema = { "ConnectionEndpoint", "An endpoint of a connection string.",
                                                         endpoint_fields };
static const struct field endpoint_string_fields[] = {
    TEXT("type", "What is reached.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "DB_SERVER", NULL }),
    LIST("endpoints", "The endpoints of the connection string.", READ_ONLY | ALWAYS, .of = &endpoint_of_string_schema),
    TEXT("connectionString", "Every member by name, with its port.", READ_ONLY),
    TEXT("srvConnectionString", "One name that resolves to the members.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema endpoint_string_schema = { "PrivateEndpointStrings",
                                                      "How to connect through private endpoints.",
                                                      endpoint_string_fields };

static const struct field connection_fields[] = {
    TEXT("standard", "Every member that is not for analytics, by name, with its port, in the form that libpq takes.",
         READ_ONLY),
    TEXT("standardSrv", "The cluster's name, which resolves to its members.", READ_ONLY),
    TEXT("private", "Every member by the name of its private address, while the project uses custom DNS.", READ_ONLY),
    TEXT("privateSrv",
         "The cluster's name, which resolves to the private addresses, while the project uses custom DNS.", READ_ONLY),
    LIST("privateEndpoint",
         "One for each private endpoint service of the project that has endpoints and leads to members of the cluster.",
         READ_ONLY | ALWAYS, .of = &endpoint_string_schema),
    OBJECT("drivers", "`standard` in the form of each driver.", READ_ONLY, .of = &driver_strings_schema),
    OBJECT("privateDrivers", "`private` in the form of each driver.", READ_ONLY, .of = &driver_strings_schema),
    TEXT(
        "readOnly",
        "`standard` for sessions that only read: a replica if one can be reached, otherwise the primary. A replica can "
        "be some moments behind.",
        READ_ONLY),
    OBJECT("readOnlyDrivers",
           "`readOnly` in the form of each driver. Those of node-postgres lead to whichever member is tried.",
           READ_ONLY, .of = &driver_strings_schema),
    TEXT("privateReadOnly", "`private` for sessions that only read.", READ_ONLY),
    OBJECT("privateReadOnlyDrivers", "`privateReadOnly` in the form of each driver.", READ_ONLY,
           .of = &driver_strings_schema),
    TEXT("analytics", "Every member for analytics, while there are any. A session on one only reads.", READ_ONLY),
    OBJECT("analyticsDrivers", "`analytics` in the form of each driver.", READ_ONLY, .of = &driver_strings_schema),
    TEXT("privateAnalytics", "The same by the names of private addresses, while the project uses custom DNS.",
         READ_ONLY),
    OBJECT("privateAnalyticsDrivers", "`privateAnalytics` in the form of each driver.", READ_ONLY,
           .of = &driver_strings_schema),
    TEXT("pooled", "`standard` through the poolers, while the cluster has them.", READ_ONLY),
    OBJECT("pooledDrivers", "`pooled` in the form of each driver.", READ_ONLY, .of = &driver_strings_schema),
    TEXT("privatePooled", "`private` through the poolers, while the cluster has them.", READ_ONLY),
    OBJECT("privatePooledDrivers", "`privatePooled` in the form of each driver.", READ_ONLY,
           .of = &driver_strings_schema),
    END_OF_FIELDS,
};
const struct schema connection_strings_schema = {
    "ConnectionStrings",
    "How to connect, with placeholders for user and password. Each string appears as soon as its names exist.",
    connection_fields
};

const struct field access_grant_fields[] = {
    TEXT(
        "grantType",
        "What the operator's support staff may see. CLUSTER_DATABASE_LOGS: the servers' logs. CLUSTER_INFRASTRUCTURE: also "
        "a session on the cluster that sees settings, statistics and what runs. "
        "CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA: also a session that reads tables.",
        REQUIRED | ALWAYS,
        .one_of = (const char *const[]){ "CLUSTER_DATABASE_LOGS", "CLUSTER_INFRASTRUCTURE",
                                         "CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA", NULL }),
    DATE("expirationTime", "When the consent ends, in the future.", REQUIRED | ALWAYS,
         .example = "\"2099-01-01T00:00:00Z\""),
    END_OF_FIELDS,
};
const struct schema access_grant_schema = { "EmployeeAccessGrant", "A consent to access by support staff.",
                                            access_grant_fields };

#define NAME_FIELD(flags)                                                                                          \
    TEXT("name", "Label of the cluster, unique in the project among clusters and flex clusters.", flags, .min = 1, \
         .max = 64, .pattern = CLUSTER_NAME, .example = "\"orders\"")
#define WRITABLE_FIELDS                                                                                                 \
    TEXT("clusterType",                                                                                                 \
         "REPLICASET: one primary and its replicas. The others are refused: the engine does not support them.",         \
         ALWAYS, .one_of = cluster_types, .fallback = "\"REPLICASET\""),                                                \
        TEXT("dbMajorVersion", "Major version of PostgreSQL; by default the newest that is offered.", ALWAYS,           \
             .min = 1, .max = 3, .pattern = "^[1-9][0-9]*$", .example = "\"17\""),                                      \
        TEXT(                                                                                                           \
            "versionReleaseSystem",                                                                                     \
            "Which versions the cluster follows. LTS: the minor versions of its major version. CONTINUOUS is refused: " \
            "there are no releases between major versions.",                                                            \
            ALWAYS, .one_of = release_systems),                                                                         \
        BOOL("paused",                                                                                                  \
             "Whether the servers are stopped. Data and addresses are kept. A new cluster is made "                     \
             "before it is stopped.",                                                                                   \
             ALWAYS, .fallback = "false"),                                                                              \
        LIST("tags", "Tags of the cluster.", ALWAYS, .of = &tag_schema, .max = 50, .fallback = "[]",                    \
             .short_form = TAG_FORM),                                                                                   \
        LIST("labels", "Older name for tags.", DEPRECATED_FIELD, .of = &tag_schema, .max = 50),                         \
        BOOL("terminationProtectionEnabled", "Whether the cluster is protected against termination.", ALWAYS,           \
             .fallback = "false"),                                                                                      \
        BOOL("backupEnabled",                                                                                           \
             "Whether the cluster is backed up: snapshots by its schedule, and every change as it is written.",         \
             ALWAYS, .fallback = "false"),                                                                              \
        BOOL("pitEnabled", "Whether any moment can be restored. Needs backupEnabled.", ALWAYS, .fallback = "false"),    \
        BOOL("globalClusterSelfManagedSharding", "For clusters with shards. Not offered: only false is accepted.",      \
             WRITE_ONLY),                                                                                               \
        TEXT("encryptionAtRestProvider",                                                                                \
             "KMIP: what the cluster stores is encrypted with keys that the project's key service wraps. Chosen when "  \
             "the cluster is created, and not together with backups.",                                                  \
             0, .one_of = key_keepers)

static const struct field cluster_fields[] = {
    ID("id", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Project that the cluster belongs to.", READ_ONLY | ALWAYS),
    NAME_FIELD(REQUIRED | CREATE_ONLY | ALWAYS),
    WRITABLE_FIELDS,
    LIST("replicationSpecs", "Regions and sizes of the members: exactly one entry.", REQUIRED | ALWAYS,
         .of = &replication_schema, .min = 1, .max = 1),
    TEXT("stateName", "State of the cluster: it is usable and up to date when it is IDLE.", READ_ONLY | ALWAYS,
         .one_of = cluster_state_names),
    DATE("createDate", "When the cluster was created.", READ_ONLY | ALWAYS),
    TEXT("dbVersion", "Full version of the primary, once it runs.", READ_ONLY),
    TEXT("featureCompatibilityVersion", "Major version of the data.", READ_ONLY | ALWAYS),
    DATE("featureCompatibilityVersionExpirationDate", "When the pin of that version ends.", READ_ONLY),
    OBJECT("vendorEmployeeAccessGrant", "The consent that is in force.", READ_ONLY, .of = &access_grant_schema),
    OBJECT("connectionStrings", "How to connect.", READ_ONLY | ALWAYS, .of = &connection_strings_schema),
    INTEGER("generation", "Grows with every change that is accepted.", READ_ONLY | ALWAYS),
    INTEGER("observedGeneration",
            "The generation that is in force on every member. Wait until it is the one in the answer to your change.",
            READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema cluster_schema = { "Cluster", "A replicated PostgreSQL cluster.", cluster_fields };

/* Found by its name, so the name is not a new one. */
static const struct field upgrade_fields[] = {
    NAME_FIELD(REQUIRED),
    WRITABLE_FIELDS,
    LIST("replicationSpecs", "Regions and sizes of the members: exactly one entry.", REQUIRED,
         .of = &replication_schema, .min = 1, .max = 1),
    END_OF_FIELDS,
};
const struct schema cluster_upgrade_schema = { "ClusterUpgrade", "What a flex cluster becomes.", upgrade_fields };

/* ---- Server settings, from the table in cluster/settings.h ---- */
#define RESTART_true  " Needs a restart, which happens member by member."
#define RESTART_false ""
#define FIELD_INT(name, parameter, measure, least, most, restart, sentence) \
    INTEGER(name, sentence RESTART_##restart, NULLABLE, .min = least, .max = most, .unit = measure),
#define FIELD_NUM(name, parameter, least, most, restart, sentence) \
    NUMBER(name, sentence RESTART_##restart, NULLABLE, .min = least, .max = most),
#define FIELD_SWITCH(name, parameter, restart, sentence) BOOL(name, sentence RESTART_##restart, NULLABLE),
#define FIELD_WORD(name, parameter, words, restart, sentence) \
    TEXT(name, sentence RESTART_##restart, NULLABLE, .one_of = words),
static const struct field settings_fields[] = {
    CLUSTER_SETTING_TABLE(FIELD_INT, FIELD_NUM, FIELD_SWITCH, FIELD_WORD) END_OF_FIELDS,
};
const struct schema cluster_settings_schema = {
    "ProcessArgs", "Settings of the database servers that were changed; null resets one to its default.",
    settings_fields
};
