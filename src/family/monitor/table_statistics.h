/* SPDX-License-Identifier: Apache-2.0 */
/* The operations about tables: which file has which. */
#ifndef FAMILY_MONITOR_TABLE_STATISTICS_H
#define FAMILY_MONITOR_TABLE_STATISTICS_H

#include "api/contract.h"
#include "wire/metric_table.h"

/* Which members of a cluster. */
#define VIEW_PRIMARY "PRIMARY"
#define VIEW_OTHERS  "SECONDARY"
#define VIEW_EACH    "INDIVIDUAL_PROCESS"

/* What is measured of a table; NULL at the end. */
extern const struct metric *const measured_of_tables[];

/* ---- table_measurements.c ---- */
handler process_table_measurements, cluster_table_measurements;

/* ---- table_ranking.c ---- */
handler process_tables_rank, cluster_tables_rank;

#endif
