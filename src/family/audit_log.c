/* SPDX-License-Identifier: Apache-2.0 */
/* What clusters record about work inside the databases. What callers of this API do is recorded as events. */
#include "api/contract.h"

// clang-format off
static const struct endpoint audit_log_endpoints[] = {
    { GET, "/groups/{groupId}/auditLog", S10, ANY_OF(PROJECT_OWNER), "getGroupAuditLog",
      "Return the audit settings of one project",
      "Tells whether database auditing is on for the project's clusters, and the filter that chooses what is "
      "recorded.",
      .waits_for = "audit" },
    { PATCH, "/groups/{groupId}/auditLog", S10, ANY_OF(PROJECT_OWNER), "updateGroupAuditLog",
      "Update the audit settings of one project",
      "Turns auditing on or off or changes its filter, on every cluster of the project. Recording successful "
      "reads costs speed.",
      .waits_for = "audit" },
};
// clang-format on

FAMILY(audit_log_family, "audit-log", "Audit log",
       "Whether clusters of a project record what is done inside their databases, and what of it.",
       audit_log_endpoints);
