/* SPDX-License-Identifier: Apache-2.0 */
/* The fields that series over time have, whatever was measured. */
#include "family/monitor/metrics.h"

const char *const granularities[] = { "PT1M", "PT5M", "PT1H", "P1D", NULL };
/* PT10S, how often hosts are looked at, is an extension. */
const char *const asked_granularities[] = { "PT10S", "PT1M", "PT5M", "PT1H", "P1D", NULL };

static const struct field point_fields[] = {
    DATE("timestamp", "When it was measured.", READ_ONLY | ALWAYS),
    NUMBER("value", "What was measured; null when there is nothing for this moment.", READ_ONLY | NULLABLE | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema point_schema = { "MeasurementPoint", "One value of a series.", point_fields };

static const struct field series_fields[] = {
    TEXT("name", "Name of the metric.", READ_ONLY | ALWAYS),
    TEXT("units", "Unit of the values.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "BYTES", "BYTES_PER_SECOND", "GIGABYTES", "GIGABYTES_PER_HOUR",
                                          "MEGABYTES_PER_SECOND", "MICROSECONDS", "MILLISECONDS", "PERCENT", "SCALAR",
                                          "SCALAR_PER_SECOND", "SECONDS", NULL }),
    TEXT("processId", "Host and port of the process, where series of several are in one answer.", READ_ONLY),
    LIST("dataPoints", "The values, oldest first.", READ_ONLY | ALWAYS, .of = &point_schema),
    END_OF_FIELDS,
};
const struct schema series_schema = { "MeasurementSeries", "One metric over time.", series_fields };

const struct field process_path[] = { PROCESS_FIELD, END_OF_FIELDS };
const struct field process_table_path[] = { PROCESS_FIELD, DATABASE_FIELD, TABLE_FIELD, END_OF_FIELDS };
