/* SPDX-License-Identifier: Apache-2.0 */
/* For clusters whose shards stand in several places: which rows live where. */
#include "family/access/database_roles.h"

static const struct field mapping_fields[] = {
    TEXT("location", "Country by its two letters in ISO 3166, with a subdivision behind a hyphen or not.", REQUIRED,
         .min = 2, .max = 6, .pattern = "^[A-Z]{2}(-[A-Z0-9]{1,3})?$", .example = "\"DE\""),
    TEXT("zone", "Name of the zone, one that the cluster has.", REQUIRED, .min = 1, .max = 64, .example = "\"Zone 1\""),
    END_OF_FIELDS,
};
static const struct schema mapping_schema = { "ZoneMapping", "Where rows of one location live.", mapping_fields };
static const struct field mappings_fields[] = {
    LIST("customZoneMappings", "Locations and their zones.", REQUIRED, .of = &mapping_schema, .min = 1, .max = 1000),
    END_OF_FIELDS,
};
static const struct schema mappings_schema = { "ZoneMappings", "Where rows of locations live.", mappings_fields };

#define TABLE_FIELDS(flags)                                                                                            \
    TEXT("db", "Database of the table.", flags, .min = 1, .max = 63, .pattern = DATABASE_NAME, .example = "\"shop\""), \
        TEXT("collection", "The table, with its schema in front or not.", flags, .min = 1, .max = 127,                 \
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
    OBJECT("customZoneMapping", "Zone of each location that was mapped by hand, by the location.", READ_ONLY | ALWAYS),
    LIST("managedNamespaces", "Tables that are spread.", READ_ONLY | ALWAYS, .of = &namespace_schema),
    BOOL("selfManagedSharding", "Whether people decide which rows live where.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema global_writes_schema = { "GlobalWrites", "Which rows of a cluster live where.",
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
      "Goes back to the mapping that is computed from distance. Rows that lie elsewhere are moved in the "
      "background.",
      .since = "2024-08-05", .waits_for = "global writes",
      .response = &global_writes_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}/globalWrites/customZoneMapping", S32, ANY_OF(PROJECT_OWNER),
      "createGroupClusterGlobalWriteCustomZoneMapping",
      "Add custom zone mappings to one global cluster",
      "Maps locations to zones by hand, over the computed mapping. Answers with the whole configuration.",
      .success = 200, .since = "2024-08-05", .waits_for = "global writes",
      .request = &mappings_schema, .response = &global_writes_schema,
      .example = "{\"customZoneMappings\": [{\"location\": \"DE\", \"zone\": \"Zone 1\"}]}" },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/globalWrites/managedNamespaces", S32,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "deleteGroupClusterGlobalWriteManagedNamespaces",
      "Stop spreading one table of a global cluster",
      "Takes one table out of the spread tables. Its rows stay where they are.",
      .since = "2024-08-05", .waits_for = "global writes",
      .query = namespace_query, .response = &global_writes_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}/globalWrites/managedNamespaces", S32,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "createGroupClusterGlobalWriteManagedNamespace",
      "Spread one table of a global cluster by location",
      "Has the rows of one table placed by their location and a second key. An existing table is redistributed in "
      "the background, which takes room and time.",
      .success = 200, .since = "2024-08-05", .waits_for = "global writes",
      .request = &namespace_schema, .response = &global_writes_schema,
      .example = "{\"db\": \"shop\", \"collection\": \"orders\", \"customShardKey\": \"customer\"}" },
};
// clang-format on

FAMILY(global_writes_family, "global-writes", "Global writes",
       "Where the rows of a geographically spread cluster live: zones, locations and the tables they hold for.",
       global_writes_endpoints);
