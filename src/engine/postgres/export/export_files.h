/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of an export (docs/internals/exports.md): that of a drill (drill_files.h), with more in it.
 *
 *   dump/              the export's own user   0700   roles.sql, and a folder of pg_dump's for each database
 *   out/               the same                0700   dumped.json, uploaded.json
 *   keys/              root                    0750   only while it is uploaded: upload.json, authority.pem
 *
 * dumped.json:   {"phases", "problem", "isDone", "serverVersion", "compression", "databases": [{"name", "folder"}]}
 * uploaded.json: {"phases", "problem", "isDone", "code", "tablesDone", "tablesTotal"}
 * upload.json:   {"serviceUrl", "bucket", "region", "key", "secretKey", "prefix", "addresses": [], "hasAuthority",
 *                 "about": {"exportId", "snapshotId", "snapshotCreatedAt", "clusterName", "customData"}}
 */
#ifndef ENGINE_POSTGRES_EXPORT_EXPORT_FILES_H
#define ENGINE_POSTGRES_EXPORT_EXPORT_FILES_H

#define EXPORT_DUMP           "dump"
#define EXPORT_ROLES          "roles.sql"
#define EXPORT_DUMPED_FILE    "out/dumped.json"
#define EXPORT_UPLOADED_FILE  "out/uploaded.json"
#define EXPORT_KEYS           "keys"
#define EXPORT_UPLOAD_FILE    "keys/upload.json"
#define EXPORT_AUTHORITY_FILE "keys/authority.pem"

/* Why an export failed, in a word. */
#define EXPORT_FAILED_CODE      "EXPORT_FAILED"
#define EXPORT_REFUSED_CODE     "EXPORT_BUCKET_REFUSED"
#define EXPORT_UNREACHABLE_CODE "EXPORT_BUCKET_UNREACHABLE"

#endif
