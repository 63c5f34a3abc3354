/* SPDX-License-Identifier: Apache-2.0 */
/* What the families about measurements and advice share: how processes, tables and spans of time are written. */
#ifndef FAMILY_MONITOR_METRICS_H
#define FAMILY_MONITOR_METRICS_H

#include "api/contract.h"

/* "db1.example.org:5432" */
#define PROCESS_ID "^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?:[0-9]{1,5}$"
/* "shop.orders": a database and a table */
#define NAMESPACE "^[^.\\s]{1,63}\\.\\S{1,127}$"
/* "PT1H", "P7D": a span in ISO 8601, of days, hours and minutes */
#define SPAN "^P(?=[0-9T])([0-9]{1,4}D)?(T(?=[0-9])([0-9]{1,5}H)?([0-9]{1,6}M)?)?$"

#define PROCESS_FIELD                                                                                 \
    TEXT("processId", "Host and port of the process, separated by a colon.", 0, .min = 3, .max = 259, \
         .pattern = PROCESS_ID, .example = "\"db1.example.org:5432\"")
#define DATABASE_FIELD TEXT("databaseName", "Name of the database.", 0, .min = 1, .max = 63)
#define TABLE_FIELD    TEXT("collectionName", "Name of the table, with its schema.", 0, .min = 1, .max = 127)

/* Of every query for a series. */
#define SPAN_FIELDS                                                                                           \
    TEXT("period", "How far back from now, as an ISO 8601 duration. Use it instead of `start` and `end`.", 0, \
         .min = 3, .max = 24, .pattern = SPAN, .example = "\"PT8H\""),                                        \
        DATE("start", "First moment; requires `end`.", 0), DATE("end", "Last moment; requires `start`.", 0)

/* ---- metric_schema.c ---- */
extern const char *const granularities[]; /* of the specification; a table's are not chosen */
extern const char *const asked_granularities[];
extern const struct schema series_schema;
extern const struct field process_path[], process_table_path[];

/* ---- names.c ---- */
handler process_databases_list, process_database_get, process_disks_list, process_disk_get;

/* ---- measurements.c ---- */
handler process_measurements, database_measurements, disk_measurements;

/* ---- Of measurements ---- */
enum { MOST_METRICS = 10 };

#define MEASURED_FIELDS                                                                                         \
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),                                            \
        TEXT("processId", "Host and port of the process.", READ_ONLY | ALWAYS),                                 \
        TEXT("granularity", "Distance between two values.", READ_ONLY | ALWAYS, .one_of = asked_granularities), \
        DATE("start", "First moment.", READ_ONLY | ALWAYS), DATE("end", "Last moment.", READ_ONLY | ALWAYS)

#define GRANULARITY                                                                        \
    TEXT("granularity", "Distance between two values, as an ISO 8601 duration.", REQUIRED, \
         .one_of = asked_granularities, .example = "\"PT1H\"")

#endif
