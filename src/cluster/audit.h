/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads `auditFilter` of a project: a JSON document (docs/internals/audit.md). Every field is optional; unknown fields
 * are refused.
 */
#ifndef CLUSTER_AUDIT_H
#define CLUSTER_AUDIT_H

#include <jansson.h>

#include "base/error.h"

/* What servers load to record anything: PostgreSQL's pgaudit. */
#define AUDIT_LIBRARY "pgaudit"

enum { AUDIT_FILTER_BYTES = 8192, AUDIT_MAX_NAMES = 20, AUDIT_NAME_BYTES = 63 };

// clang-format off
/* ROW(name in the filter; of pgaudit in small letters, sentence) */
#define AUDIT_CLASS_TABLE(ROW) \
    ROW("READ",     "SELECT and COPY from tables") \
    ROW("WRITE",    "INSERT, UPDATE, DELETE, TRUNCATE, and COPY into tables") \
    ROW("FUNCTION", "calls of functions and DO") \
    ROW("ROLE",     "GRANT, REVOKE, and what is done to roles") \
    ROW("DDL",      "all other CREATE, ALTER and DROP") \
    ROW("MISC",     "VACUUM, CHECKPOINT, SET, FETCH and the like")
// clang-format on

/*
 * The rule that members are told, with every field there: {"classes": [], "users": [], "databases": [], "catalog",
 * "parameters"}. An empty text is the filter that records everything. INVALID_ATTRIBUTE_VALUE names the field:
 * `auditFilter.classes[1]`.
 */
MUST_USE error audit_filter_read(struct arena *arena, str filter, json_t **ret_rule);

#endif
