/* SPDX-License-Identifier: Apache-2.0 */
#include "family/auth/roles.h"

#include "base/json.h"
#include "store/credential/credential.h"
#include "store/tenant/organization.h"

// clang-format off
#define ORGANIZATION_ROLES \
    "ORG_OWNER", "ORG_GROUP_CREATOR", "ORG_BILLING_ADMIN", "ORG_BILLING_READ_ONLY", \
    "ORG_STREAM_PROCESSING_ADMIN", "ORG_READ_ONLY", "ORG_MEMBER"
#define PROJECT_ROLES \
    "GROUP_OWNER", "GROUP_CLUSTER_MANAGER", "GROUP_CLUSTER_CREATOR", "GROUP_REPLICA_SET_MANAGER", \
    "GROUP_CLUSTER_LOG_VIEWER", "GROUP_CLUSTER_RESILIENCE_TESTER", "GROUP_DATA_ACCESS_ADMIN", "GROUP_DATA_ACCESS_READ_WRITE", \
    "GROUP_DATA_ACCESS_READ_ONLY", "GROUP_SEARCH_INDEX_EDITOR", "GROUP_INDEX_MANAGER", "GROUP_BACKUP_MANAGER", \
    "GROUP_BACKUP_CREATOR", "GROUP_BACKUP_EXPORT_OPERATOR", "GROUP_BACKUP_RECOVERY_OPERATOR", "GROUP_ACCESS_MANAGER", \
    "GROUP_DATABASE_ACCESS_ADMIN", "GROUP_NETWORK_ACCESS_MANAGER", "GROUP_ALERTS_MANAGER", "GROUP_OBSERVABILITY_VIEWER", \
    "GROUP_SUPPORT_ACCESS_MANAGER", "GROUP_STREAM_PROCESSING_OWNER", "GROUP_STREAM_PROCESSING_MANAGER", "GROUP_READ_ONLY"
// clang-format on

const char *const organization_role_names[] = { ORGANIZATION_ROLES, NULL };
const char *const project_role_names[] = { PROJECT_ROLES, NULL };
const char *const any_role_names[] = { ORGANIZATION_ROLES, PROJECT_ROLES, NULL };

static const struct field role_assignment_fields[] = {
    ID("orgId", "Organization in which the role is granted.", READ_ONLY),
    ID("groupId", "Project in which the role is granted.", READ_ONLY),
    TEXT("roleName", "Name of the role.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema role_assignment_schema = {
    "RoleAssignment",
    "A role, and where it is granted.",
    role_assignment_fields,
};

error
check_grantable(struct request *req, const json_t *roles)
{
    for (size_t i = 0; i < json_array_size(roles); i++) {
        str name = json_str(json_array_get(roles, i));
        if ((role_from_name(name) & req->roles) == 0)
            return fail(req->arena, ROLE_NOT_GRANTABLE, V(name));
    }
    return OK;
}

static bool
is_listed(const json_t *roles, str name)
{
    for (size_t i = 0; i < json_array_size(roles); i++) {
        if (str_eq(json_str(json_array_get(roles, i)), name))
            return true;
    }
    return false;
}

/* Those of `some` that are not among `others`. */
static json_t *
difference(struct arena *arena, const json_t *some, const json_t *others)
{
    json_t *rest = json_in(arena, json_array());
    for (size_t i = 0; i < json_array_size(some); i++) {
        if (!is_listed(others, json_str(json_array_get(some, i))))
            json_array_append(rest, json_array_get(some, i));
    }
    return rest;
}

error
check_replaceable(struct request *req, const json_t *before, const json_t *after)
{
    TRY(check_grantable(req, difference(req->arena, after, before)));
    return check_grantable(req, difference(req->arena, before, after));
}

error
owner_guard_begin(struct request *req, struct owner_guard *ret_guard)
{
    struct organization organization;
    int64_t all;
    TRY(store_organization_lock(req->tx, req->organization, &organization));
    return store_owner_count(req->tx, req->organization, &all, &ret_guard->people_before);
}

error
owner_guard_end(struct request *req, const struct owner_guard *guard)
{
    int64_t all, people;
    TRY(store_owner_count(req->tx, req->organization, &all, &people));
    if (all == 0 || (people == 0 && guard->people_before > 0))
        return fail(req->arena, LAST_OWNER);
    return OK;
}
