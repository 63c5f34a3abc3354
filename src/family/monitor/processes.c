/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process is one database server on one host, written host:port. Measurements are series over time with a
 * chosen grain.
 */
#include "api/list.h"
#include "family/monitor/metrics.h"
#include "wire/metric_table.h"

/* The names of one scope, in the order of the table. */
// clang-format off
#define PROCESS_ONLY_PROCESS(name)   #name,
#define PROCESS_ONLY_DATABASE(name)
#define PROCESS_ONLY_DISK(name)
#define PROCESS_ONLY_TABLE(name)
#define DATABASE_ONLY_PROCESS(name)
#define DATABASE_ONLY_DATABASE(name) #name,
#define DATABASE_ONLY_DISK(name)
#define DATABASE_ONLY_TABLE(name)
#define DISK_ONLY_PROCESS(name)
#define DISK_ONLY_DATABASE(name)
#define DISK_ONLY_DISK(name)         #name,
#define DISK_ONLY_TABLE(name)
#define PROCESS_NAME(name, scope, kind, units, about)  PROCESS_ONLY_##scope(name)
#define DATABASE_NAME(name, scope, kind, units, about) DATABASE_ONLY_##scope(name)
#define DISK_NAME(name, scope, kind, units, about)     DISK_ONLY_##scope(name)
static const char *const process_metrics[] = { METRIC_LIST(PROCESS_NAME) NULL };
static const char *const database_metrics[] = { METRIC_LIST(DATABASE_NAME) NULL };
static const char *const disk_metrics[] = { METRIC_LIST(DISK_NAME) NULL };
// clang-format on
/* ---- Processes, databases, disks ---- */

static const struct field process_fields[] = {
    TEXT("id", "Host and port, separated by a colon.", READ_ONLY | ALWAYS, .example = "\"db1.example.org:5432\""),
    TEXT("hostname", "Name of the host.", READ_ONLY | ALWAYS),
    INTEGER("port", "Port that the server listens on.", READ_ONLY | ALWAYS),
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    TEXT("replicaSetName", "Name of the replica set.", READ_ONLY | ALWAYS),
    TEXT("typeName", "Current role of the server.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "REPLICA_PRIMARY", "REPLICA_SECONDARY", "RECOVERING", "NO_DATA", NULL }),
    TEXT("userAlias", "Name of the member in connection strings.", READ_ONLY),
    TEXT("version", "Version of the server.", READ_ONLY, .example = "\"17.2\""),
    DATE("created", "When the member was created.", READ_ONLY | ALWAYS),
    DATE("lastPing", "When the server was last heard from.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema process_schema = { "Process", "A database server.", process_fields };

static const struct field database_fields[] = {
    TEXT("databaseName", "Name of the database.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema database_schema = { "ProcessDatabase", "A database on a server.", database_fields };

static const struct field disk_fields[] = {
    TEXT("partitionName", "Name of the partition.", READ_ONLY | ALWAYS, .example = "\"data\""),
    END_OF_FIELDS,
};
static const struct schema disk_schema = { "ProcessDisk", "A partition that a server keeps its files on.",
                                           disk_fields };

/* ---- Measurements ---- */

static const struct field measurements_fields[] = {
    MEASURED_FIELDS,
    TEXT("hostId", "The same as processId.", READ_ONLY | DEPRECATED_FIELD),
    TEXT("databaseName", "Name of the database, in measurements of a database.", READ_ONLY),
    TEXT("partitionName", "Name of the partition, in measurements of a disk.", READ_ONLY),
    LIST("measurements", "One series for each metric.", READ_ONLY | ALWAYS, .of = &series_schema),
    END_OF_FIELDS,
};
static const struct schema measurements_schema = { "Measurements", "What was measured on a server.",
                                                   measurements_fields };

static const struct field process_query[] = {
    LIST("m", "Which metrics; by default all.", 0, .item = TYPE_TEXT, .one_of = process_metrics, .min = 1,
         .max = MOST_METRICS, .example = "[\"CONNECTIONS\"]"),
    GRANULARITY,
    SPAN_FIELDS,
    END_OF_FIELDS,
};
static const struct field database_query[] = {
    LIST("m", "Which metrics; by default all.", 0, .item = TYPE_TEXT, .one_of = database_metrics, .min = 1,
         .max = MOST_METRICS, .example = "[\"DATABASE_DATA_SIZE\"]"),
    GRANULARITY,
    SPAN_FIELDS,
    END_OF_FIELDS,
};
static const struct field disk_query[] = {
    LIST("m", "Which metrics; by default all.", 0, .item = TYPE_TEXT, .one_of = disk_metrics, .min = 1,
         .max = MOST_METRICS, .example = "[\"DISK_PARTITION_SPACE_USED\"]"),
    GRANULARITY,
    SPAN_FIELDS,
    END_OF_FIELDS,
};

/* ---- Reading ---- */

static error
bind_processes(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    list_bind(req, params);
    return OK;
}

static error
bind_process(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_PROCESS, request_path_value(req, "processId"));
    return OK;
}

static const struct read process_list = { SQL_PROCESS_LIST, bind_processes, list_answer },
                         process_get = { SQL_PROCESS_GET, bind_process, answer_row };

// clang-format off
static const struct field database_path[] = { PROCESS_FIELD, DATABASE_FIELD, END_OF_FIELDS };
static const struct field disk_path[] = {
    PROCESS_FIELD,
    TEXT("partitionName", "Name of the partition.", 0, .min = 1, .max = 64),
    END_OF_FIELDS,
};
static const struct endpoint metrics_endpoints[] = {
    { GET, "/groups/{groupId}/processes", S42, ANY_OF(PROJECT_READ_ONLY), "listGroupProcesses",
      "Return all processes in one project",
      "Lists the database servers of all clusters in the project, each with its host, port, version and whether "
      "it is primary or replica.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/processes/{processId}", .read = &process_list,
      .response = &process_schema },
    { GET, "/groups/{groupId}/processes/{processId}", S42, ANY_OF(PROJECT_READ_ONLY), "getGroupProcess",
      "Return one process",
      "Returns one database server with its role and when it was last heard from.",
      .flags = NO_ETAG, .read = &process_get,
      .path_fields = process_path, .response = &process_schema },
    { GET, "/groups/{groupId}/processes/{processId}/databases", S42, ANY_OF(PROJECT_READ_ONLY),
      "listGroupProcessDatabases",
      "Return all databases of one process",
      "Lists the databases on one server.",
      .needs = SWITCH_DATABASE_STATISTICS, .shape = SHAPE_LIST, .item = "/groups/{groupId}/processes/{processId}/databases/{databaseName}",
      .run = process_databases_list,
      .path_fields = process_path, .response = &database_schema },
    { GET, "/groups/{groupId}/processes/{processId}/databases/{databaseName}", S42, ANY_OF(PROJECT_READ_ONLY),
      "getGroupProcessDatabase",
      "Return one database of one process",
      "Returns one database on one server.",
      .needs = SWITCH_DATABASE_STATISTICS, .flags = NO_ETAG, .run = process_database_get,
      .path_fields = database_path, .response = &database_schema },
    { GET, "/groups/{groupId}/processes/{processId}/databases/{databaseName}/measurements", S42,
      ANY_OF(PROJECT_READ_ONLY), "getGroupProcessDatabaseMeasurements",
      "Return measurements of one database",
      "Returns series over time for one database on one server, such as its size. Choose the granularity, and either a period "
      "or two dates.",
      .needs = SWITCH_DATABASE_STATISTICS, .flags = NO_ETAG, .run = database_measurements,
      .path_fields = database_path, .query = database_query, .response = &measurements_schema },
    { GET, "/groups/{groupId}/processes/{processId}/disks", S42, ANY_OF(PROJECT_READ_ONLY), "listGroupProcessDisks",
      "Return all disks of one process",
      "Lists the partitions that one server keeps its files on.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/processes/{processId}/disks/{partitionName}",
      .run = process_disks_list,
      .path_fields = process_path, .response = &disk_schema },
    { GET, "/groups/{groupId}/processes/{processId}/disks/{partitionName}", S42, ANY_OF(PROJECT_READ_ONLY),
      "getGroupProcessDisk",
      "Return one disk of one process",
      "Returns one partition that one server keeps its files on.",
      .flags = NO_ETAG, .run = process_disk_get,
      .path_fields = disk_path, .response = &disk_schema },
    { GET, "/groups/{groupId}/processes/{processId}/disks/{partitionName}/measurements", S42,
      ANY_OF(PROJECT_READ_ONLY), "getGroupProcessDiskMeasurements",
      "Return measurements of one disk",
      "Returns series over time for one partition: space, operations and latency. Choose the granularity, and either a period "
      "or two dates.",
      .flags = NO_ETAG, .run = disk_measurements,
      .path_fields = disk_path, .query = disk_query, .response = &measurements_schema },
    { GET, "/groups/{groupId}/processes/{processId}/measurements", S42, ANY_OF(PROJECT_READ_ONLY),
      "getGroupProcessMeasurements",
      "Return measurements of one process",
      "Returns series over time for one server: connections, transactions, cache, replication lag and the host's "
      "load. Choose the granularity, and either a period or two dates.",
      .flags = NO_ETAG, .run = process_measurements,
      .path_fields = process_path, .query = process_query, .response = &measurements_schema },
};
// clang-format on

FAMILY(metrics_family, "metrics", "Processes and metrics",
       "The database servers of a project, and what was measured on them, their databases and disks.",
       metrics_endpoints);
