/* SPDX-License-Identifier: Apache-2.0 */
/* For clusters with shards in several places: where rows are stored. */
#include "family/access/database_roles.h"

static const struct field mapping_fields[] = {
    TEXT("location", "Two-letter ISO 3166 country code, optionally with a hyphen and a subdivision.", REQUIRED,
         .min = 2, .max = 6, .pattern = "^[A-Z]{2}(-[A-Z0-9]{1,3})?$", .example = "\"DE\""),
    TEXT("zone", "Name of one of the cluster's zones.", REQUIRED, .min = 1, .max = 64, .example = "\"Zone 1\""),
    END_OF_FIELDS,
};
static const struct schema mapping_schema = { "ZoneMapping", "Zone of the rows of one location.", mapping_fields };
static const struct field mappings_fields[] = {
    LIST("customZoneMappings", "Locations and their zones.", REQUIRED, .of = &mapping_schema, .min = 1, .max = 1000),
    END_OF_FIELDS,
};
static const struct schema mappings_schema = { "ZoneMappings", "Zones of the rows of locations.", mappings_fields };

#define TABLE_FIELDS(flags)                                                                                            \
    TEXT("db", "Database of the table.", flags, .min = 1, .max = 63, .pattern = DATABASE_NAME, .example = "\"shop\""), \
        TEXT("collection", "The table, with or without its schema.", flags, .min = 1, .max = 127,                      \
             .pattern = TABLE_NAME, .example = "\"orders\"")
static const struct field namespace_fields[] = {
    TABLE_FIELDS(REQUIRED | ALWAYS),
    TEXT("customShardKey", "Column that divides rows within a location.", REQUIRED | ALWAYS, .min = 1, .max = 63,
         .example = "\"customer\""),
    BOOL("isCustomShardKeyHashed", "Whether a hash of that column divides them.", ALWAYS, .fallback = "false"),
    BOOL("isShardKeyUnique", "Whether location and column together are unique.", ALWAYS, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema namespace_schema = { "ManagedNamespace", "A table that is spread by location.",
                                                namespace_fields };
static const struct field namespace_query[] = { TABLE_FIELDS(0), END_OF_FIELDS };

static const struct field global_writes_fields[] = {
    OBJECT("customZoneMapping", "Zone of each location that was mapped by hand.", READ_ONLY | ALWAYS),
    LIST("managedNamespaces", "Tables that are spread.", READ_ONLY | ALWAYS, .of = &namespace_schema),
    BOOL("selfManagedSharding", "Whether people decide where rows are stored.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema global_writes_schema = { "GlobalWrites", "Where the rows of a cluster are stored.",
                                                    global_writes_fields };

// clang-format off
static const struct endpoint global_writes_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/globalWrites", S32, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterGlobalWrites",
      "Return the zones and tables of one global cluster",
      "Returns which locations are mapped to which zone, and which tables are spread by location.",
      .since = "2024-08-05", .waits_for = "global writes",
      .response = &global_writes_schema },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/globalWrites/customZoneMapping", S32, ANY_OF(PROJECT_OWNER),
      "deleteGroupClusterGlobalWriteCustomZoneMapping",
      "Remove all custom zone mappings of one global cluster",
      "Restores the mapping that is computed from distance. Rows in other zones are moved in the background.",
      .since = "2024-08-05", .waits_for = "global writes",
      .response = &global_writes_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}/globalWrites/customZoneMapping", S32, ANY_OF(PROJECT_OWNER),
      "createGroupClusterGlobalWriteCustomZoneMapping",
      "Add custom zone mappings to one global cluster",
      "Maps locations to zones by hand, instead of the computed mapping. Answers with the whole configuration.",
      .success = 200, .since = "2024-08-05", .waits_for = "global writes",
      .request = &mappings_schema, .response = &global_writes_schema,
      .example = "{\"customZoneMappings\": [{\"location\": \"DE\", \"zone\": \"Zone 1\"}]}" },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/globalWrites/managedNamespaces", S32,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "deleteGroupClusterGlobalWriteManagedNamespaces",
      "Stop spreading one table of a global cluster",
      "The table is no longer spread by location. Its rows stay where they are.",
      .since = "2024-08-05", .waits_for = "global writes",
      .query = namespace_query, .response = &global_writes_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}/globalWrites/managedNamespaces", S32,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "createGroupClusterGlobalWriteManagedNamespace",
      "Spread one table of a global cluster by location",
      "Places the rows of one table by their location and a second key. An existing table is redistributed in the background, "
      "which takes space and time.",
      .success = 200, .since = "2024-08-05", .waits_for = "global writes",
      .request = &namespace_schema, .response = &global_writes_schema,
      .example = "{\"db\": \"shop\", \"collection\": \"orders\", \"customShardKey\": \"customer\"}" },
};
// clang-format on

FAMILY(global_writes_family, "global-writes", "Global writes",
       "Where the rows of a geographically spread cluster are stored: zones, locations and tables.",
       global_writes_endpoints);
