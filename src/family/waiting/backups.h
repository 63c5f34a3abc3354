/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of backups, which the families of clusters and flex clusters share. */
#ifndef FAMILY_WAITING_BACKUPS_H
#define FAMILY_WAITING_BACKUPS_H

#include "api/contract.h"

/* ---- backup_schema.c: what is kept, and by which rules ---- */
extern const struct schema export_bucket_schema, backup_endpoint_schema, compliance_schema, schedule_schema;
extern const struct field compliance_query[];

/* ---- snapshot_schema.c: snapshots and what is made of them ---- */
extern const struct schema snapshot_schema, sharded_snapshot_schema, snapshot_request_schema, retention_schema;
extern const struct schema export_schema, restore_job_schema, legacy_restore_job_schema;
extern const struct schema flex_snapshot_schema, flex_restore_job_schema, flex_download_schema;
extern const struct field snapshot_query[], legacy_restore_job_query[];
extern const struct field snapshot_path[];

#endif
