/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of search nodes and search indexes. docs/internals/contract.md says what was left out, and why. */
#include "family/access/database_roles.h"
#include "family/waiting/search.h"

/* ---- Nodes ---- */
static const struct field node_fields[] = {
    TEXT("instanceSize", "Size of each node, one that the operator offers.", REQUIRED | ALWAYS, .min = 1, .max = 32,
         .example = "\"M10\""),
    INTEGER("nodeCount", "Number of nodes in each region.", NULLABLE, .min = 2, .max = 32, .example = "2"),
    TEXT("cloudProvider", "Provider of the hosts; by default all of the cluster's.", NULLABLE, .min = 1, .max = 32,
         .example = "\"ONPREM\""),
    TEXT("regionName", "Region of the cluster; by default all of them.", NULLABLE, .min = 1, .max = 63,
         .example = "\"EU_NORTH\""),
    END_OF_FIELDS,
};
static const struct schema node_schema = { "SearchNodes", "Nodes that are only for search.", node_fields };

static const struct field effective_fields[] = {
    TEXT("cloudProvider", "Provider of the hosts.", READ_ONLY | ALWAYS),
    TEXT("regionName", "Region of the hosts.", READ_ONLY | ALWAYS),
    TEXT("instanceSize", "Size of each node.", READ_ONLY | ALWAYS),
    INTEGER("nodeCount", "Number of nodes.", READ_ONLY | ALWAYS, .min = 2, .max = 32),
    END_OF_FIELDS,
};
static const struct schema effective_schema = { "EffectiveSearchNodes", "Search nodes in one region.",
                                                effective_fields };

static const struct field deployment_fields[] = {
    ID("id", "Identifier of the deployment.", READ_ONLY | ALWAYS),
    ID("groupId", "Project that it belongs to.", READ_ONLY | ALWAYS),
    LIST("specs", "The nodes: one entry for all regions, or one for each.", REQUIRED | ALWAYS, .of = &node_schema,
         .min = 1, .max = 50),
    INTEGER("defaultNodeCount", "Number of nodes in regions whose entry has none.", NULLABLE, .min = 2, .max = 32,
            .example = "2"),
    LIST("effectiveSpecs", "The existing nodes of each region.", READ_ONLY, .of = &effective_schema),
    TEXT("stateName", "Current state.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "IDLE", "PAUSED", "UPDATING", NULL }),
    END_OF_FIELDS,
};
const struct schema search_deployment_schema = { "SearchDeployment", "The search nodes of a cluster.",
                                                 deployment_fields };

/* ---- What an index is made of ---- */
/* The text search configurations that every PostgreSQL has. */
static const char *const analyzers[] = {
    "simple",  "arabic",     "armenian", "basque",    "catalan",    "danish",    "dutch",      "english",
    "finnish", "french",     "german",   "greek",     "hindi",      "hungarian", "indonesian", "irish",
    "italian", "lithuanian", "nepali",   "norwegian", "portuguese", "romanian",  "russian",    "serbian",
    "spanish", "swedish",    "tamil",    "turkish",   "yiddish",    NULL,
};

static const struct field mapping_fields[] = {
    BOOL("dynamic", "Whether every column with text is indexed.", ALWAYS, .fallback = "false"),
    OBJECT("fields", "Columns that are indexed, by their names, each with its settings.", 0,
           .example = "{\"title\": {\"type\": \"string\"}}"),
    END_OF_FIELDS,
};
static const struct schema mapping_schema = { "SearchMappings", "Which columns are indexed, and how.", mapping_fields };

static const struct field text_definition_fields[] = {
    TEXT("analyzer", "How text is cut into words when it is indexed.", 0, .one_of = analyzers,
         .fallback = "\"simple\""),
    TEXT("searchAnalyzer", "How the text of a query is cut into words; by default as when it is indexed.", 0,
         .one_of = analyzers),
    OBJECT("mappings", "Which columns are indexed.", REQUIRED | ALWAYS, .of = &mapping_schema),
    END_OF_FIELDS,
};
static const struct schema text_definition_schema = { "TextSearchDefinition", "Definition of an index on words.",
                                                      text_definition_fields };

static const struct field vector_fields[] = {
    INTEGER("numDimensions", "Number of dimensions of the column.", REQUIRED | ALWAYS, .min = 1, .max = 16000,
            .example = "768"),
    TEXT("similarity", "How the distance of two vectors is measured.", REQUIRED | ALWAYS,
         .one_of = (const char *const[]){ "cosine", "dotProduct", "euclidean", NULL }),
    END_OF_FIELDS,
};
static const struct field no_fields[] = { END_OF_FIELDS };
static const struct schema vector_variant = { "Vector", "A column with vectors.", vector_fields };
static const struct schema filter_variant = { "Filter", "A column that narrows a search.", no_fields };
static const struct field_variant column_variants[] = {
    { "vector", &vector_variant },
    { "filter", &filter_variant },
    END_OF_VARIANTS,
};
static const struct field column_fields[] = {
    TEXT("type", "What the column is for.", REQUIRED | ALWAYS,
         .one_of = (const char *const[]){ "vector", "filter", NULL }, .variants = column_variants),
    TEXT("path", "Name of the column.", REQUIRED | ALWAYS, .min = 1, .max = 63, .example = "\"embedding\""),
    END_OF_FIELDS,
};
static const struct schema column_schema = { "SearchColumn", "A column of an index on vectors.", column_fields };

static const struct field vector_definition_fields[] = {
    LIST("fields", "Columns with vectors, and those that narrow a search.", REQUIRED | ALWAYS, .of = &column_schema,
         .min = 1, .max = 32),
    END_OF_FIELDS,
};
static const struct schema vector_definition_schema = { "VectorSearchDefinition", "Definition of an index on vectors.",
                                                        vector_definition_fields };

/* ---- Indexes ---- */
static const char *const index_types[] = { "search", "vectorSearch", NULL };
static const char *const index_states[] = { "DELETING", "FAILED", "STALE",          "PENDING",
                                            "BUILDING", "READY",  "DOES_NOT_EXIST", NULL };

#define TYPE_FIELD(flags, kinds)                                                                           \
    TEXT("type", "What searches look for: words, or near vectors.", flags | ALWAYS, .one_of = index_types, \
         .fallback = "\"search\"", .variants = kinds)
#define NAME_FIELDS(flags)                                                                                        \
    TEXT("name", "Name of the index, unique on its table.", flags, .min = 1, .max = 63, .example = "\"titles\""), \
        TEXT("database", "Database of the table.", flags, .min = 1, .max = 63, .pattern = DATABASE_NAME,          \
             .example = "\"shop\""),                                                                              \
        TEXT("collectionName", "The table, with or without its schema.", flags, .min = 1, .max = 127,             \
             .pattern = TABLE_NAME, .example = "\"articles\"")

static const struct field text_request_fields[] = {
    OBJECT("definition", "What it consists of.", REQUIRED, .of = &text_definition_schema),
    END_OF_FIELDS,
};
static const struct field vector_request_fields[] = {
    OBJECT("definition", "What it consists of.", REQUIRED, .of = &vector_definition_schema),
    END_OF_FIELDS,
};
static const struct schema text_request_variant = { "Text", "An index on words.", text_request_fields };
static const struct schema vector_request_variant = { "Vector", "An index on vectors.", vector_request_fields };
static const struct field_variant request_variants[] = {
    { "search", &text_request_variant },
    { "vectorSearch", &vector_request_variant },
    END_OF_VARIANTS,
};
static const struct field request_fields[] = {
    NAME_FIELDS(REQUIRED | CREATE_ONLY),
    TYPE_FIELD(CREATE_ONLY, request_variants),
    END_OF_FIELDS,
};
const struct schema search_index_request_schema = { "SearchIndexRequest", "A search index to create.", request_fields };

static const struct field version_fields[] = {
    INTEGER("version", "Number of the definition; the first is 0.", READ_ONLY | ALWAYS),
    DATE("createdAt", "When it was sent.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema version_schema = { "SearchDefinitionVersion", "Version of a definition.", version_fields };

#define BUILD_FIELDS                                                              \
    TEXT("status", "Current state.", READ_ONLY | ALWAYS, .one_of = index_states), \
        BOOL("queryable", "Whether searches can use it.", READ_ONLY | ALWAYS)
static const struct field build_fields[] = {
    BUILD_FIELDS,
    OBJECT("definition", "What it consists of.", READ_ONLY),
    OBJECT("definitionVersion", "Version of that definition.", READ_ONLY, .of = &version_schema),
    TEXT("message", "Reason of the state.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema build_schema = { "SearchIndexBuild", "An index with one definition on one member.",
                                            build_fields };
static const struct field member_fields[] = {
    TEXT("hostname", "The member.", READ_ONLY | ALWAYS),
    BUILD_FIELDS,
    OBJECT("mainIndex", "The index that answers searches.", READ_ONLY, .of = &build_schema),
    OBJECT("stagedIndex", "The index that is being built and will take its place.", READ_ONLY, .of = &build_schema),
    END_OF_FIELDS,
};
static const struct schema member_schema = { "SearchIndexOnMember", "A search index on one member.", member_fields };

static const struct field text_index_fields[] = {
    OBJECT("latestDefinition", "The latest definition.", READ_ONLY | ALWAYS, .of = &text_definition_schema),
    END_OF_FIELDS,
};
static const struct field vector_index_fields[] = {
    OBJECT("latestDefinition", "The latest definition.", READ_ONLY | ALWAYS, .of = &vector_definition_schema),
    END_OF_FIELDS,
};
static const struct schema text_index_variant = { "Text", "An index on words.", text_index_fields };
static const struct schema vector_index_variant = { "Vector", "An index on vectors.", vector_index_fields };
static const struct field_variant index_variants[] = {
    { "search", &text_index_variant },
    { "vectorSearch", &vector_index_variant },
    END_OF_VARIANTS,
};
static const struct field index_fields[] = {
    ID("indexID", "Identifier of the index.", READ_ONLY | ALWAYS),
    NAME_FIELDS(READ_ONLY | ALWAYS),
    TYPE_FIELD(READ_ONLY, index_variants),
    BUILD_FIELDS,
    OBJECT("latestDefinitionVersion", "Version of the latest definition.", READ_ONLY, .of = &version_schema),
    LIST("statusDetail", "Current state on each member.", READ_ONLY, .of = &member_schema),
    END_OF_FIELDS,
};
const struct schema search_index_schema = { "SearchIndex", "A search index.", index_fields };

/* ---- The older form: the definition stands beside the names ---- */
static const struct schema text_older_variant = { "Text", "An index on words.", text_definition_fields };
static const struct schema vector_older_variant = { "Vector", "An index on vectors.", vector_definition_fields };
static const struct field_variant older_variants[] = {
    { "search", &text_older_variant },
    { "vectorSearch", &vector_older_variant },
    END_OF_VARIANTS,
};
static const struct field older_fields[] = {
    ID("indexID", "Identifier of the index.", READ_ONLY | ALWAYS),
    NAME_FIELDS(REQUIRED | CREATE_ONLY | ALWAYS),
    TYPE_FIELD(CREATE_ONLY, older_variants),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "IN_PROGRESS", "STEADY", "FAILED", "MIGRATING", "STALE", "PAUSED", NULL }),
    END_OF_FIELDS,
};
const struct schema search_older_index_schema = { "SearchIndexOlderForm", "A search index in the older form.",
                                                  older_fields };
