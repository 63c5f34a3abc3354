/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of an export (docs/internals/exports.md): that of a drill (drill_files.h), with more in it.
 *
 *   dump/              the export's own user   0700   roles.sql, and a folder for each database: pg_dump's, or export_csv.h
 *   out/               the same                0700   dumped.json, tables.json of CSV, uploaded.json
 *   keys/              root                    0750   only while it is uploaded: upload.json, authority.pem
 *
 * order.json:    that of a drill, with "format": "DUMP" or "CSV"
 * dumped.json:   {"phases", "problem", "isDone", "serverVersion", "format", "compression", "databases": [{"name", "folder"}]}
 * tables.json:   {"shop/public/orders.csv.gz": {"schema", "table", "rows"}}
 * uploaded.json: {"phases", "problem", "isDone", "code", "tablesDone", "tablesTotal"}
 * upload.json:   {"serviceUrl", "bucket", "region", "key", "secretKey", "prefix", "addresses": [], "hasAuthority",
 *                 "about": {"exportId", "snapshotId", "snapshotCreatedAt", "clusterName", "customData"}}
 */
#ifndef ENGINE_POSTGRES_EXPORT_EXPORT_FILES_H
#define ENGINE_POSTGRES_EXPORT_EXPORT_FILES_H

#define EXPORT_DUMP           "dump"
#define EXPORT_ROLES          "roles.sql"
#define EXPORT_SCHEMA         "schema.sql"
#define EXPORT_CONSTRAINTS    "constraints.sql"
#define EXPORT_SEQUENCES      "sequences.sql"
#define EXPORT_CSV_END        ".csv.gz"
#define EXPORT_CSV_WORD       "CSV"
#define EXPORT_DUMPED_FILE    "out/dumped.json"
#define EXPORT_TABLES_FILE    "out/tables.json"
#define EXPORT_UPLOADED_FILE  "out/uploaded.json"
#define EXPORT_KEYS           "keys"
#define EXPORT_UPLOAD_FILE    "keys/upload.json"
#define EXPORT_AUTHORITY_FILE "keys/authority.pem"

/* Why an export failed, in a word. */
#define EXPORT_FAILED_CODE      "EXPORT_FAILED"
#define EXPORT_REFUSED_CODE     "EXPORT_BUCKET_REFUSED"
#define EXPORT_UNREACHABLE_CODE "EXPORT_BUCKET_UNREACHABLE"

#endif
