/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are rarely read leave the cluster by a rule, and stay readable from object storage. */
#include "family/access/database_roles.h"
#include "family/cluster/clusters.h"

/* ---- Which rows leave ---- */
static const struct field date_fields[] = {
    TEXT("dateField", "Column with the date of a row.", REQUIRED | ALWAYS, .min = 1, .max = 63,
         .example = "\"placed_at\""),
    TEXT("dateFormat", "How the column holds a date: as a timestamp, or as a number since 1970.", ALWAYS,
         .one_of = (const char *const[]){ "ISODATE", "EPOCH_SECONDS", "EPOCH_MILLIS", "EPOCH_NANOSECONDS", NULL },
         .fallback = "\"ISODATE\""),
    INTEGER("expireAfterDays", "Age in days at which a row is archived.", REQUIRED | ALWAYS, .max = 9215,
            .example = "365"),
    END_OF_FIELDS,
};
static const struct field custom_fields[] = {
    TEXT("query", "Which rows are archived: an SQL condition, as after WHERE.", REQUIRED | ALWAYS, .min = 1,
         .max = 8192, .example = "\"state = 'closed'\""),
    END_OF_FIELDS,
};
static const struct schema date_criteria = { "Date", "Rows by their age.", date_fields };
static const struct schema custom_criteria = { "Custom", "Rows by a condition.", custom_fields };
static const struct field_variant criteria_variants[] = {
    { "DATE", &date_criteria },
    { "CUSTOM", &custom_criteria },
    END_OF_VARIANTS,
};
static const struct field criteria_fields[] = {
    TEXT("type", "Whether age or a condition decides.", REQUIRED | ALWAYS,
         .one_of = (const char *const[]){ "DATE", "CUSTOM", NULL }, .variants = criteria_variants),
    END_OF_FIELDS,
};
static const struct schema criteria_schema = { "ArchiveCriteria", "Which rows are archived.", criteria_fields };

/* ---- When ---- */
#define WINDOW_FIELDS                                                                           \
    INTEGER("startHour", "Hour at which archiving may begin, in UTC.", 0, .max = 23),           \
        INTEGER("startMinute", "Minute of that hour.", 0, .max = 59),                           \
        INTEGER("endHour", "Hour at which archiving must have stopped, in UTC.", 0, .max = 23), \
        INTEGER("endMinute", "Minute of that hour.", 0, .max = 59), END_OF_FIELDS
static const struct field no_fields[] = { END_OF_FIELDS };
static const struct field daily_fields[] = { WINDOW_FIELDS };
static const struct field weekly_fields[] = {
    INTEGER("dayOfWeek", "Day of the week; 1 is Sunday.", 0, .min = 1, .max = 7),
    WINDOW_FIELDS,
};
static const struct field monthly_fields[] = {
    INTEGER("dayOfMonth", "Day of the month; in shorter months the last one.", 0, .min = 1, .max = 31),
    WINDOW_FIELDS,
};
static const struct schema default_schedule = { "Default", "At any time.", no_fields };
static const struct schema daily_schedule = { "Daily", "Every day in a window of time.", daily_fields };
static const struct schema weekly_schedule = { "Weekly", "On one day of the week.", weekly_fields };
static const struct schema monthly_schedule = { "Monthly", "On one day of the month.", monthly_fields };
static const struct field_variant schedule_variants[] = {
    { "DEFAULT", &default_schedule },
    { "DAILY", &daily_schedule },
    { "WEEKLY", &weekly_schedule },
    { "MONTHLY", &monthly_schedule },
    END_OF_VARIANTS,
};
static const struct field schedule_fields[] = {
    TEXT("type", "How often rows are archived.", REQUIRED | ALWAYS,
         .one_of = (const char *const[]){ "DEFAULT", "DAILY", "WEEKLY", "MONTHLY", NULL },
         .variants = schedule_variants),
    END_OF_FIELDS,
};
static const struct schema schedule_schema = { "ArchiveSchedule", "When rows are archived.", schedule_fields };

/* ---- The whole ---- */
static const struct field expiration_fields[] = {
    INTEGER("expireAfterDays", "Days after which an archived row is deleted.", REQUIRED | ALWAYS, .min = 7, .max = 9215,
            .example = "730"),
    END_OF_FIELDS,
};
static const struct schema expiration_schema = { "ArchiveExpiration", "When archived rows are deleted.",
                                                 expiration_fields };

static const struct field region_fields[] = {
    TEXT("cloudProvider", "Provider of the store, by the name that the operator gave.", ALWAYS, .min = 1, .max = 32,
         .example = "\"ONPREM\""),
    TEXT("region", "Region of the store, by the name that the operator gave.", ALWAYS, .min = 1, .max = 63,
         .example = "\"EU_NORTH\""),
    END_OF_FIELDS,
};
static const struct schema region_schema = { "ArchiveRegion", "Where archived rows are stored.", region_fields };

static const struct field partition_fields[] = {
    TEXT("fieldName", "Name of the column.", REQUIRED | ALWAYS, .min = 1, .max = 700, .example = "\"customer\""),
    INTEGER("order", "Position of the column; the first is 0.", REQUIRED | ALWAYS, .max = 15, .example = "0"),
    TEXT("fieldType", "Type of the column.", READ_ONLY,
         .one_of = (const char *const[]){ "date", "int", "long", "objectId", "string", "uuid", NULL }),
    END_OF_FIELDS,
};
static const struct schema partition_schema = { "ArchivePartition", "A column by which archived rows are divided.",
                                                partition_fields };

static const struct field archive_fields[] = {
    ID("_id", "Identifier of the archive.", READ_ONLY | ALWAYS),
    ID("groupId", "Project that it belongs to.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Cluster that the rows come from.", READ_ONLY | ALWAYS, .pattern = CLUSTER_NAME),
    TEXT("dbName", "Database of the table.", REQUIRED | CREATE_ONLY | ALWAYS, .min = 1, .max = 63,
         .pattern = DATABASE_NAME, .example = "\"shop\""),
    TEXT("collName", "The table, with or without its schema.", REQUIRED | CREATE_ONLY | ALWAYS, .min = 1, .max = 127,
         .pattern = TABLE_NAME, .example = "\"orders\""),
    OBJECT("criteria", "Which rows are archived.", REQUIRED | ALWAYS, .of = &criteria_schema),
    OBJECT("schedule", "When rows are archived; by default at any time.", 0, .of = &schedule_schema),
    OBJECT("dataExpirationRule", "When archived rows are deleted; by default never.", 0, .of = &expiration_schema),
    LIST("partitionFields", "Columns that queries of the archive often use, so that they read less.", CREATE_ONLY,
         .of = &partition_schema, .min = 1, .max = 16),
    OBJECT("dataProcessRegion", "Where archived rows are stored; by default near the cluster.", CREATE_ONLY,
           .of = &region_schema),
    BOOL("paused", "Whether no further rows are archived.", ALWAYS, .fallback = "false"),
    TEXT("dataSetName", "Name under which the archive is queried.", READ_ONLY),
    TEXT("state", "Current state.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "PENDING", "ACTIVE", "PAUSING", "PAUSED", "DELETED", "ORPHANED", NULL }),
    END_OF_FIELDS,
};
static const struct schema archive_schema = { "OnlineArchive",
                                              "Rows of one table that a rule moves out of the cluster.",
                                              archive_fields };

/* Nothing is older than 2008. */
static const struct field log_query[] = {
    INTEGER("startDate", "First moment, in seconds since 1970.", 0, .min = 1199145600, .example = "1741773600"),
    INTEGER("endDate", "Last moment, in seconds since 1970.", 0, .min = 1199145600, .example = "1741777200"),
    BOOL("archiveOnly", "Only queries of the archive, not those of archive and cluster together.", 0,
         .fallback = "false"),
    END_OF_FIELDS,
};

// clang-format off
static const struct endpoint online_archives_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/onlineArchives", S44, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterOnlineArchives",
      "Return all online archives of one cluster",
      "Lists the archives of the cluster, each for one table, with state and rule.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}",
      .waits_for = "archives",
      .response = &archive_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}/onlineArchives", S44, ANY_OF(PROJECT_DATA_ACCESS_ADMIN),
      "createGroupClusterOnlineArchive",
      "Create one online archive",
      "Starts archiving one table by a rule, usually the age of a row. Rows are removed from the cluster once they are stored "
      "in the archive.",
      .success = 200, .item = "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}",
      .waits_for = "archives",
      .request = &archive_schema, .response = &archive_schema,
      .example = "{\"dbName\": \"shop\", \"collName\": \"orders\", \"criteria\": {\"type\": \"DATE\", "
                 "\"dateField\": \"placed_at\", \"expireAfterDays\": 365}}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/queryLogs.gz", S44,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN | PROJECT_DATA_ACCESS_READ_ONLY | PROJECT_DATA_ACCESS_READ_WRITE |
             PROJECT_STREAM_PROCESSING_OWNER),
      "downloadGroupClusterOnlineArchiveQueryLogs",
      "Download the query logs of one cluster's archives",
      "Returns the log of queries against the cluster's archives as gzip. Give the first and the last moment in "
      "seconds since 1970.",
      .shape = SHAPE_FILE, .waits_for = "archives",
      .query = log_query },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}", S44,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "deleteGroupClusterOnlineArchive",
      "Delete one online archive",
      "Ends archiving and deletes the archived rows. They are not moved back into the cluster.",
      .shape = SHAPE_NOTHING, .waits_for = "archives" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}", S44, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterOnlineArchive",
      "Return one online archive",
      "Returns one archive with its rule, schedule and state.",
      .waits_for = "archives",
      .response = &archive_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}", S44,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "updateGroupClusterOnlineArchive",
      "Update one online archive",
      "Changes the rule or the schedule, or pauses archiving. Rows that are already archived stay archived.",
      .waits_for = "archives",
      .request = &archive_schema, .response = &archive_schema,
      .example = "{\"paused\": true}" },
};
// clang-format on

FAMILY(online_archives_family, "online-archives", "Online archives",
       "Old rows moved from a cluster to cheaper object storage, where they can still be queried.",
       online_archives_endpoints);
