/* SPDX-License-Identifier: Apache-2.0 */
/* What clusters record about work in the databases. Events record what callers of this API do. */
#include "api/crud.h"
#include "base/json.h"
#include "cluster/audit.h"
#include "cluster/settings.h"
#include "cluster/state.h"
#include "family/cluster/clusters.h"
#include "family/families.h"
#include "job/cluster/cluster_jobs.h"
#include "store/tenant/project.h"

static const char *const configuration_types[] = { "NONE", "FILTER_JSON", NULL };

// clang-format off
static const struct field audit_log_fields[] = {
    BOOL("enabled", "Whether clusters of the project record what is done in their databases.", ALWAYS),
    TEXT("auditFilter",
         "What is recorded: a JSON object as text; empty for everything. `classes` is a list of READ, WRITE, FUNCTION, ROLE, DDL "
         "and MISC. `users` and `databases` are lists of names: only sessions of these users and databases are recorded. "
         "`catalog` also records statements that read only system tables, `parameters` the values of prepared statements.",
         ALWAYS, .max = AUDIT_FILTER_BYTES, .example = "\"{\\\"classes\\\": [\\\"ROLE\\\", \\\"DDL\\\"]}\""),
    BOOL("auditAuthorizationSuccess", "Whether successful logins and the ends of sessions of all users are recorded as well. Failed logins always are.", ALWAYS),
    TEXT("configurationType", "Whether a filter is set.", READ_ONLY | ALWAYS, .one_of = configuration_types),
    END_OF_FIELDS,
};
// clang-format on
static const struct schema audit_log_schema = { "AuditLog", "What the clusters of a project record.",
                                                audit_log_fields };

static error check_audit(struct request *req, struct change *change);

static const struct kind audit_log = {
    .name = "auditLog",
    .fallback = "{\"enabled\": false, \"auditFilter\": \"\", \"auditAuthorizationSuccess\": false, "
                "\"configurationType\": \"NONE\"}",
    .hidden = "rule",
    .decides_access = true,
    .changed = EVENT_AUDIT_SETTINGS_CHANGED,
    .check = check_audit,
};

// clang-format off
static const struct endpoint audit_log_endpoints[] = {
    { GET, "/groups/{groupId}/auditLog", S10, ANY_OF(PROJECT_OWNER), "getGroupAuditLog",
      "Return the audit settings of one project",
      "Tells whether database auditing is on for the project's clusters, and the filter that chooses what is "
      "recorded.",
      .read = &crud_get_single, .kind = &audit_log, .response = &audit_log_schema },
    { PATCH, "/groups/{groupId}/auditLog", S10, ANY_OF(PROJECT_OWNER), "updateGroupAuditLog",
      "Update the audit settings of one project",
      "Turns auditing on or off, or changes its filter, on every cluster of the project within seconds. The records are in the "
      "logs of the servers. Recording reads makes them slower. A cluster that was created before its servers could record is "
      "restarted once, member by member.",
      .run = crud_update_single, .kind = &audit_log, .request = &audit_log_schema, .response = &audit_log_schema,
      .example = "{\"enabled\": true, \"auditFilter\": \"{\\\"classes\\\": [\\\"ROLE\\\", \\\"DDL\\\"]}\"}" },
};
// clang-format on

FAMILY(audit_log_family, "audit-log", "Audit log",
       "Whether the clusters of a project record what is done in their databases, and which part of it.",
       audit_log_endpoints);

/* ---- Servers that were set up before they loaded what records ---- */
static error
have_library_loaded(struct request *req, struct cluster *cluster)
{
    enum cluster_state ignored;
    bool changed;
    if (!cluster_state_next(cluster->state, CAUSE_CHANGE, &ignored))
        return OK; /* it is being deleted */
    TRY(cluster_check_changeable(req, cluster));
    if (!json_is_true(json_object_get(cluster->document, "paused")))
        return cluster_submit(req, cluster, cluster->document, &cluster_update_job, NULL);
    /* None of its servers runs: they load it when they start again. */
    json_t *parameters = json_parse_own(req->arena, cluster->parameters);
    json_object_set_new(parameters, "shared_preload_libraries", json_string(SERVER_LIBRARIES));
    TRY(store_cluster_set_parameters(req->tx, cluster, json_text(req->arena, parameters), &changed));
    return store_cluster_touch(req->tx, cluster);
}

/* Their members restart, one by one, as for any setting that needs it. */
static error
prepare_clusters(struct request *req)
{
    size_t count;
    id *ids;
    TRY(store_cluster_without_library(req->tx, req->project, STR(AUDIT_LIBRARY), &count, &ids));
    for (size_t i = 0; i < count; i++) {
        struct cluster cluster;
        bool found;
        TRY(store_cluster_lock_id(req->tx, req->organization, req->project, ids[i], &found, &cluster));
        if (found)
            TRY(have_library_loaded(req, &cluster));
    }
    return OK;
}

/* ---- Settings ---- */
static error
check_audit(struct request *req, struct change *change)
{
    struct project project;
    json_t *rule;
    str filter = json_str(json_object_get(change->after, "auditFilter"));
    TRY(audit_filter_read(req->arena, filter, &rule));
    json_object_set(change->after, "rule", rule);
    json_object_set_new(change->after, "configurationType", json_string(filter.len > 0 ? "FILTER_JSON" : "NONE"));
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    return json_is_true(json_object_get(change->after, "enabled")) ? prepare_clusters(req) : OK;
}
