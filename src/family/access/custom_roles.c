/* SPDX-License-Identifier: Apache-2.0 */
/* Custom roles: named sets of rights in the databases, created as roles on every cluster of the project. */
#include "api/crud.h"
#include "base/json.h"
#include "family/access/database_roles.h"
#include "family/families.h"
#include "family/project_limits.h"
#include "store/access/access.h"
#include "store/tenant/project.h"

static const struct field resource_fields[] = {
    TEXT("db", "Database in which the action is allowed.", 0, .max = 63, .pattern = DATABASE_NAME,
         .example = "\"shop\""),
    TEXT("collection",
         "Table on which it is allowed, with or without its schema; empty for all tables of the database.", 0,
         .max = 127, .pattern = TABLE_NAME_OR, .fallback = "\"\"", .example = "\"orders\""),
    BOOL("cluster", "Whether it is allowed on the whole cluster. Some actions require true, others refuse it.", 0,
         .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema resource_schema = { "DatabasePrivilegeResource", "Where an action is allowed.",
                                               resource_fields };

static const struct field action_fields[] = {
    TEXT("action", "What is allowed.", REQUIRED, .one_of = database_action_names, .example = "\"FIND\""),
    LIST("resources", "Where it is allowed.", REQUIRED, .of = &resource_schema, .min = 1, .max = 50),
    END_OF_FIELDS,
};
static const struct schema action_schema = { "DatabasePrivilegeAction", "Something that a custom role allows.",
                                             action_fields };

static const struct field inherited_fields[] = {
    TEXT("role", "Role whose rights this one inherits: a built-in role or a custom one.", REQUIRED,
         .max = ROLE_NAME_BYTES, .pattern = ROLE_NAME, .example = "\"read\""),
    TEXT("db", "Database in which it is granted; admin for a role that applies everywhere, and for a custom one.",
         REQUIRED, .max = 63, .pattern = DATABASE_NAME, .example = "\"shop\""),
    END_OF_FIELDS,
};
static const struct schema inherited_schema = { "InheritedRole", "A role that a custom role inherits from.",
                                                inherited_fields };

static const struct field role_fields[] = {
    TEXT("roleName", "Name of the role, unique in the project among roles and database users.",
         REQUIRED | CREATE_ONLY | ALWAYS, .min = 1, .max = ROLE_NAME_BYTES, .pattern = ROLE_NAME,
         .example = "\"auditor\""),
    LIST("actions", "What the role allows.", ALWAYS, .of = &action_schema, .max = 50, .fallback = "[]"),
    LIST("inheritedRoles", "Roles that it inherits from.", ALWAYS, .of = &inherited_schema, .max = 50,
         .fallback = "[]"),
    END_OF_FIELDS,
};
static const struct schema role_schema = { "CustomDatabaseRole", "A set of rights inside the databases.", role_fields };

static error check_role(struct request *req, struct change *change);

static const struct kind custom_role = {
    .name = "customRole",
    .parameter = "roleName",
    .field = "roleName",
    .decides_access = true,
    .created = EVENT_CUSTOM_ROLE_CREATED,
    .changed = EVENT_CUSTOM_ROLE_UPDATED,
    .deleted = EVENT_CUSTOM_ROLE_DELETED,
    .check = check_role,
};

// clang-format off
static const struct endpoint custom_roles_endpoints[] = {
    { GET, "/groups/{groupId}/customDBRoles/roles", S20, ANY_OF(PROJECT_READ_ONLY), "listGroupCustomDbRoleRoles",
      "Return all custom database roles in one project",
      "Lists the roles with the rights that they give and the roles that they inherit from.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/customDBRoles/roles/{roleName}", .read = &crud_list, .kind = &custom_role,
      .response = &role_schema },
    { POST, "/groups/{groupId}/customDBRoles/roles", S20,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "createGroupCustomDbRoleRole",
      "Create one custom database role",
      "Creates a role on every cluster of the project. Asynchronous; a database user can get the role at once.",
      .success = 202, .item = "/groups/{groupId}/customDBRoles/roles/{roleName}", .run = crud_create, .kind = &custom_role,
      .request = &role_schema, .response = &role_schema,
      .example = "{\"roleName\": \"auditor\", \"actions\": [{\"action\": \"FIND\", \"resources\": [{\"db\": \"shop\", "
                 "\"collection\": \"orders\"}]}], \"inheritedRoles\": [{\"role\": \"read\", \"db\": \"ledger\"}]}" },
    { DELETE, "/groups/{groupId}/customDBRoles/roles/{roleName}", S20,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "deleteGroupCustomDbRoleRole",
      "Delete one custom database role",
      "Deletes the role on every cluster. Refused while database users hold the role or other roles inherit from it.",
      .shape = SHAPE_NOTHING, .run = crud_delete, .kind = &custom_role },
    { GET, "/groups/{groupId}/customDBRoles/roles/{roleName}", S20, ANY_OF(PROJECT_READ_ONLY),
      "getGroupCustomDbRoleRole",
      "Return one custom database role",
      "Returns one role with its rights and the roles that it inherits from.",
      .read = &crud_get, .kind = &custom_role, .response = &role_schema },
    { PATCH, "/groups/{groupId}/customDBRoles/roles/{roleName}", S20,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "updateGroupCustomDbRoleRole",
      "Update one custom database role",
      "Replaces the rights, the inherited roles or both, as sent. All users who hold the role are affected.",
      .run = crud_update, .kind = &custom_role, .request = &role_schema, .response = &role_schema,
      .example = "{\"actions\": [{\"action\": \"FIND\", \"resources\": [{\"db\": \"shop\"}]}]}" },
};
// clang-format on

FAMILY(custom_roles_family, "custom-roles", "Custom database roles",
       "Named sets of rights in the databases, for database users.", custom_roles_endpoints);

static error
check_actions(struct request *req, const json_t *actions)
{
    size_t i, j;
    const json_t *action, *resource;
    json_array_foreach(actions, i, action)
    {
        json_array_foreach(json_object_get(action, "resources"), j, resource)
            TRY(database_action_check(req, str_format(req->arena, "actions[%zu].resources[%zu]", i, j),
                                      json_str(json_object_get(action, "action")), resource));
    }
    return OK;
}

/* Whether `from` inherits from `name`, over however many others. `all` has every role's name and what it inherits. */
static bool
reaches(const json_t *all, const json_t *inherited, str name, json_t *seen)
{
    size_t i;
    const json_t *one;
    json_array_foreach(inherited, i, one)
    {
        str role = json_str(json_object_get(one, "role"));
        if (str_eq(role, name))
            return true;
        const json_t *next = json_object_getn(all, role.data, role.len);
        if (next == NULL || json_object_getn(seen, role.data, role.len) != NULL)
            continue;
        json_object_setn_new(seen, role.data, role.len, json_true());
        if (reaches(all, next, name, seen))
            return true;
    }
    return false;
}

static error
check_inherited(struct request *req, const struct change *change)
{
    size_t i;
    const json_t *inherited = json_object_get(change->after, "inheritedRoles"), *one;
    json_t *all;
    TRY(store_access_inherited(req->tx, req->arena, req->project, &all));
    json_t *seen = json_in(req->arena, json_object());
    if (reaches(all, inherited, change->name, seen))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("inheritedRoles"), V("the role would inherit from itself"));
    json_array_foreach(inherited, i, one)
    {
        struct role_use use = {
            .place = str_format(req->arena, "inheritedRoles[%zu]", i),
            .role_field = "role",
            .database_field = "db",
            .collection_field = "collection",
            .role = json_str(json_object_get(one, "role")),
            .database = json_str(json_object_get(one, "db")),
        };
        TRY(database_role_check(req, &use));
    }
    return OK;
}

static error
check_role(struct request *req, struct change *change)
{
    struct project project;
    str holder;
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    if (change->after == NULL) {
        TRY(store_access_role_holder(req->tx, req->project, change->name, &holder));
        return holder.len == 0 ? OK : fail(req->arena, ROLE_IN_USE, V(change->name), V(holder));
    }
    if (change->before == NULL) {
        TRY(project_limit_check(req, LIMIT_CUSTOM_ROLES));
        TRY(database_name_is_free(req, "roleName", change->name, STR("databaseUser")));
    }
    TRY(check_actions(req, json_object_get(change->after, "actions")));
    return check_inherited(req, change);
}
