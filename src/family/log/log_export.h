/* SPDX-License-Identifier: Apache-2.0 */
/* The log export of a project: all its logs, into one bucket. Its endpoints stand beside those of log integrations. */
#ifndef FAMILY_LOG_LOG_EXPORT_H
#define FAMILY_LOG_LOG_EXPORT_H

#include "api/crud.h"
#include "base/net/bucket.h"

#define PREFIX_PATH_FIELD(flags)                                                                                     \
    TEXT("prefixPath",                                                                                               \
         "What names begin with, below the prefix of the role: folders, each with a slash behind it. May be empty.", \
         flags, .max = 255, .pattern = BUCKET_FOLDERS_PATTERN, .example = "\"reeve/\"")
#define LOG_BUCKET_FIELDS(flags)                                                                         \
    TEXT("bucketName", "Bucket that logs are written to: that of the role.", flags, .min = 3, .max = 63, \
         .pattern = BUCKET_NAME_PATTERN, .example = "\"tenants\""),                                      \
        ID("iamRoleId", "Role of the project (`cloudProviderAccess`) that writes them.", flags),         \
        PREFIX_PATH_FIELD(flags)

extern const struct schema log_export_schema, log_export_request_schema;
extern const struct kind log_export_kind;
extern const struct read log_export_get;
handler log_export_create, log_export_update, log_export_delete;

#endif
