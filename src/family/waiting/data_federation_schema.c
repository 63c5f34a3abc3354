/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of federated databases. docs/internals/contract.md says what was left out, and why. */
#include "family/cluster/clusters.h"
#include "family/waiting/data_federation.h"

static const char *const formats[] = {
    ".csv",      ".csv.gz", ".csv.bz2", ".tsv",      ".tsv.gz", ".tsv.bz2", ".json", ".json.gz",
    ".json.bz2", ".avro",   ".avro.gz", ".avro.bz2", ".orc",    ".parquet", NULL,
};

/* ---- Where the data lies ---- */
static const struct field preference_fields[] = {
    TEXT("mode", "Which members answer queries.", 0,
         .one_of =
             (const char *const[]){ "primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest", NULL },
         .fallback = "\"secondaryPreferred\""),
    INTEGER("maxStalenessSeconds", "How many seconds a member may be behind the primary.", 0, .min = 1, .max = 86400),
    END_OF_FIELDS,
};
static const struct schema preference_schema = { "FederationReadPreference",
                                                 "Which members of a cluster answer queries.", preference_fields };

static const struct field cluster_store_fields[] = {
    TEXT("clusterName", "The cluster.", REQUIRED | ALWAYS, .min = 1, .max = 64, .pattern = CLUSTER_NAME,
         .example = "\"orders\""),
    ID("projectId", "Project of the cluster.", READ_ONLY),
    OBJECT("readPreference", "Which of its members answer queries.", 0, .of = &preference_schema),
    END_OF_FIELDS,
};
static const struct field web_store_fields[] = {
    LIST("urls", "The files.", REQUIRED | ALWAYS, .item = TYPE_TEXT, .min = 1, .max = 100,
         .pattern = "^https?://[^ ]+$", .example = "[\"https://data.example.org/rates.csv\"]"),
    BOOL("allowInsecure", "Whether http without encryption is allowed.", 0, .fallback = "false"),
    TEXT("defaultFormat", "Format of files whose names do not show it.", 0, .one_of = formats),
    END_OF_FIELDS,
};
static const struct field object_store_fields[] = {
    TEXT("bucket", "The bucket.", REQUIRED | ALWAYS, .min = 3, .max = 63, .pattern = "^[a-z0-9][a-z0-9.-]*$",
         .example = "\"reports\""),
    TEXT("region", "Region of the bucket, if its service has regions.", 0, .min = 1, .max = 63),
    TEXT("prefix", "What the names of all objects begin with.", 0, .max = 1024),
    TEXT("delimiter", "Separator between the parts of a name.", 0, .min = 1, .max = 8, .example = "\"/\""),
    BOOL("includeTags", "Whether tags of objects can be queried as columns.", 0, .fallback = "false"),
    BOOL("public", "Whether the bucket is read without credentials.", 0, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema cluster_store = { "Cluster", "A cluster of the project.", cluster_store_fields };
static const struct schema web_store = { "Web", "Files at web addresses.", web_store_fields };
static const struct schema object_store = { "Object", "Object storage that speaks this protocol.",
                                            object_store_fields };
static const struct field_variant store_variants[] = {
    { "service", &cluster_store },
    { "http", &web_store },
    { "s3", &object_store },
    END_OF_VARIANTS,
};
static const struct field store_fields[] = {
    TEXT("name", "Name of the store. Tables use it.", REQUIRED | ALWAYS, .min = 1, .max = 128,
         .example = "\"warehouse\""),
    TEXT("provider", "What it is: a cluster of this service, files at web addresses, or object storage.",
         REQUIRED | ALWAYS, .one_of = (const char *const[]){ "service", "http", "s3", NULL },
         .variants = store_variants),
    END_OF_FIELDS,
};
static const struct schema store_schema = { "FederationStore", "Where data is stored.", store_fields };

/* ---- What is seen of it ---- */
static const struct field source_fields[] = {
    TEXT("storeName", "Name of the store.", REQUIRED | ALWAYS, .min = 1, .max = 128, .example = "\"warehouse\""),
    TEXT("database", "Database in a cluster.", 0, .min = 1, .max = 63),
    TEXT("databaseRegex", "Databases in a cluster whose names match.", 0, .min = 1, .max = 256),
    TEXT("collection", "Table in a cluster.", 0, .min = 1, .max = 127),
    TEXT("collectionRegex", "Tables in a cluster whose names match.", 0, .min = 1, .max = 256),
    TEXT("path", "Names of the objects, with parts in braces that become columns.", 0, .min = 1, .max = 1024,
         .example = "\"/orders/{year int}/*\""),
    LIST("urls", "Files at web addresses, from those of the store.", 0, .item = TYPE_TEXT, .max = 100),
    BOOL("allowInsecure", "Whether http without encryption is allowed.", 0, .fallback = "false"),
    TEXT("defaultFormat", "Format of files whose names do not show it.", 0, .one_of = formats),
    TEXT("provenanceFieldName", "Column that says where a row came from.", 0, .min = 1, .max = 63),
    END_OF_FIELDS,
};
static const struct schema source_schema = { "FederationSource", "Where rows of a table come from.", source_fields };

static const struct field table_fields[] = {
    TEXT("name", "Name of the table; * for all that the sources have.", REQUIRED | ALWAYS, .min = 1, .max = 63,
         .example = "\"orders\""),
    LIST("dataSources", "Where its rows come from.", REQUIRED | ALWAYS, .of = &source_schema, .min = 1, .max = 100),
    END_OF_FIELDS,
};
static const struct schema table_schema = { "FederationTable", "A table of a federated database.", table_fields };

static const struct field view_fields[] = {
    TEXT("name", "Name of the view.", REQUIRED | ALWAYS, .min = 1, .max = 63, .example = "\"late\""),
    TEXT("source", "Table of the view.", REQUIRED | ALWAYS, .min = 1, .max = 63, .example = "\"orders\""),
    TEXT("pipeline", "Steps that change its rows, as JSON text.", 0, .max = 32768),
    END_OF_FIELDS,
};
static const struct schema view_schema = { "FederationView", "A view of a federated database.", view_fields };

static const struct field database_fields[] = {
    TEXT("name", "Name of the database; * for all that the sources have.", REQUIRED | ALWAYS, .min = 1, .max = 63,
         .example = "\"shop\""),
    LIST("collections", "Its tables.", ALWAYS, .of = &table_schema, .max = 1000, .fallback = "[]"),
    LIST("views", "Its views.", 0, .of = &view_schema, .max = 1000),
    INTEGER("maxWildcardCollections", "How many tables a * may match.", 0, .min = 1, .max = 1000, .fallback = "100"),
    END_OF_FIELDS,
};
static const struct schema database_schema = { "FederationDatabase", "A database in a federated database.",
                                               database_fields };

static const struct field storage_fields[] = {
    LIST("stores", "Where data is stored.", ALWAYS, .of = &store_schema, .max = 100, .fallback = "[]"),
    LIST("databases", "The databases that queries see.", ALWAYS, .of = &database_schema, .max = 100, .fallback = "[]"),
    END_OF_FIELDS,
};
static const struct schema storage_schema = { "FederationStorage", "What a federated database is made of.",
                                              storage_fields };

/* ---- The whole ---- */
static const struct field region_fields[] = {
    TEXT("cloudProvider", "Provider of the hosts, by the name that the operator gave.", REQUIRED | ALWAYS, .min = 1,
         .max = 32, .example = "\"ONPREM\""),
    TEXT("region", "Region of the hosts, by the name that the operator gave.", REQUIRED | ALWAYS, .min = 1, .max = 63,
         .example = "\"EU_NORTH\""),
    END_OF_FIELDS,
};
static const struct schema region_schema = { "FederationRegion", "Where queries run.", region_fields };

static const struct field private_name_fields[] = {
    TEXT("hostname", "Name under which it is reached.", READ_ONLY | ALWAYS),
    TEXT("privateEndpoint", "Private endpoint that the name is for.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema private_name_schema = { "FederationPrivateName", "A name inside a private network.",
                                                   private_name_fields };

static const struct field federation_fields[] = {
    TEXT("name", "Name of the federated database, unique in the project.", REQUIRED | CREATE_ONLY | ALWAYS, .min = 1,
         .max = 64, .pattern = CLUSTER_NAME, .example = "\"reports\""),
    ID("groupId", "Project that it belongs to.", READ_ONLY | ALWAYS),
    OBJECT("dataProcessRegion", "Where queries run; by default near the client.", 0, .of = &region_schema),
    OBJECT("storage", "What it consists of.", 0, .of = &storage_schema),
    TEXT("state", "Whether it can be used.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "UNVERIFIED", "ACTIVE", "DELETED", NULL }),
    LIST("hostnames", "Names under which it is reached.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    LIST("privateEndpointHostnames", "Names under which it is reached from private networks.", READ_ONLY,
         .of = &private_name_schema),
    END_OF_FIELDS,
};
const struct schema data_federation_schema = { "FederatedDatabase",
                                               "A database whose tables are stored in clusters and files.",
                                               federation_fields };

const struct field data_federation_list_query[] = {
    TEXT("type", "USER: databases that people made; ONLINE_ARCHIVE: databases of online archives.", 0,
         .one_of = (const char *const[]){ "USER", "ONLINE_ARCHIVE", NULL }, .fallback = "\"USER\""),
    END_OF_FIELDS,
};
const struct field data_federation_change_query[] = {
    BOOL("skipRoleValidation", "Accepted for clients that send it; there are no roles to check.", 0,
         .fallback = "false"),
    END_OF_FIELDS,
};
/* Nothing is older than 2008. */
const struct field data_federation_log_query[] = {
    INTEGER("startDate", "First moment, in seconds since 1970.", 0, .min = 1199145600, .example = "1741773600"),
    INTEGER("endDate", "Last moment, in seconds since 1970.", 0, .min = 1199145600, .example = "1741777200"),
    END_OF_FIELDS,
};

/* ---- Limits ---- */
static const struct field limit_fields[] = {
    TEXT("name", "What is limited: bytesProcessed.query, .daily, .weekly or .monthly.", READ_ONLY | ALWAYS),
    TEXT("tenantName", "Federated database of the limit.", READ_ONLY | ALWAYS),
    INTEGER("value", "How many bytes may be read.", REQUIRED | ALWAYS, .min = 1, .max = (int64_t)1 << 60,
            .example = "1099511627776"),
    TEXT("overrunPolicy", "Whether new queries are refused at the limit, or running ones are ended as well.", 0,
         .one_of = (const char *const[]){ "BLOCK", "BLOCK_AND_KILL", NULL }),
    INTEGER("currentUsage", "How many bytes were read in the current period.", READ_ONLY),
    INTEGER("defaultLimit", "The limit when none is set.", READ_ONLY),
    INTEGER("maximumLimit", "The highest limit that can be set.", READ_ONLY),
    DATE("lastModifiedDate", "When it was changed last.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema data_federation_limit_schema = { "FederationQueryLimit", "How much queries may read.",
                                                     limit_fields };

/* ---- Private ways in ---- */
static const struct field endpoint_fields[] = {
    TEXT("endpointId", "Identifier of the endpoint in the private network.", REQUIRED | CREATE_ONLY | ALWAYS, .min = 1,
         .max = 256, .pattern = "^[A-Za-z0-9][A-Za-z0-9_.-]*$", .example = "\"office\""),
    TEXT("type", "Kind of target.", CREATE_ONLY | ALWAYS, .one_of = (const char *const[]){ "DATA_LAKE", NULL },
         .fallback = "\"DATA_LAKE\""),
    TEXT("provider", "Provider of the network, by the name that the operator gave.", CREATE_ONLY, .min = 1, .max = 32,
         .example = "\"ONPREM\""),
    TEXT("region", "Where the endpoint is.", 0, .min = 1, .max = 63, .example = "\"EU_NORTH\""),
    TEXT("comment", "Your own label.", 0, .max = 250, .example = "\"Offices\""),
    TEXT("customerEndpointDNSName", "Name of the endpoint in its network.", 0, .min = 1, .max = 253,
         .example = "\"reports.internal\""),
    CIDR("customerEndpointIPAddress", "Its address there.", 0, .example = "\"10.0.0.7\""),
    TEXT("status", "Whether it can be used.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "PENDING", "OK", "FAILED", "DELETING", NULL }),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema data_federation_endpoint_schema = { "FederationEndpoint",
                                                        "An endpoint in a private network for federated databases.",
                                                        endpoint_fields };
