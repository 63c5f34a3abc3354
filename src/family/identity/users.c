/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People in projects, in organizations, and by themselves. A person's roles are always granted in a project or an
 * organization, never globally. A person with an open invitation is shown as a user as well, under the invitation's id.
 */
#include "family/identity/users.h"
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "family/families.h"
#include "family/identity/people.h"
#include "family/project_limits.h"
#include "store/auth/principal.h"
#include "store/federation/federation.h"

#define PERSON_NAME "^(?! )[\\p{L}\\p{M}\\p{N}\\-_.,' ]{1,80}$"

static const struct field group_roles_fields[] = {
    ID("groupId", "Project in which the roles are held.", REQUIRED | ALWAYS),
    LIST("groupRoles", "Roles in the project.", REQUIRED | ALWAYS, .min = 1, .max = 32, .item = TYPE_TEXT,
         .one_of = project_role_names, .example = "[\"GROUP_READ_ONLY\"]"),
    END_OF_FIELDS,
};
static const struct schema group_roles_schema = { "UserProjectRoles", "Roles of a person in one project.",
                                                  group_roles_fields };

/* What is held may be nothing: somebody may have roles in projects only. What is sent may not. */
#define USER_ROLES_FIELDS(least, group_roles)                                                                        \
    {                                                                                                                \
        LIST("orgRoles", "Roles in the organization.", REQUIRED | ALWAYS, .min = least, .max = 7, .item = TYPE_TEXT, \
             .one_of = organization_role_names, .example = "[\"ORG_MEMBER\"]"),                                      \
            LIST("groupRoleAssignments", "Roles in projects of the organization.", ALWAYS, .max = 500,               \
                 .of = group_roles),                                                                                 \
            END_OF_FIELDS,                                                                                           \
    }
static const struct field user_roles_fields[] = USER_ROLES_FIELDS(0, &group_roles_schema);
static const struct schema user_roles_schema = { "UserRoles", "Roles of a person in an organization.",
                                                 user_roles_fields };
static const struct field sent_roles_fields[] = USER_ROLES_FIELDS(1, &group_roles_schema);
static const struct schema sent_roles_schema = { "UserRolesRequest", "Roles for a person in an organization.",
                                                 sent_roles_fields };

/* What is the same about a member in an organization and in a project. */
#define MEMBER_FIELDS                                                                                                \
    ID("id", "Identifier of the person, or of the invitation while it waits.", READ_ONLY | ALWAYS),                  \
        TEXT("orgMembershipStatus", "Whether the person belongs to the organization or was invited to it.",          \
             READ_ONLY | ALWAYS, .one_of = membership_statuses),                                                     \
        TEXT("username", "E-mail address that identifies the person.", READ_ONLY | ALWAYS),                          \
        TEXT("firstName", "First name of an active person.", READ_ONLY),                                             \
        TEXT("lastName", "Last name of an active person.", READ_ONLY),                                               \
        TEXT("country", "Two letters of the country where the person lives.", READ_ONLY),                            \
        DATE("createdAt", "When the account of an active person was made.", READ_ONLY),                              \
        DATE("lastAuth", "When the person last signed in through the organization's identity provider.", READ_ONLY), \
        DATE("invitationCreatedAt", "When the person was invited.", READ_ONLY),                                      \
        DATE("invitationExpiresAt", "When the invitation stops working.", READ_ONLY),                                \
        TEXT("inviterUsername", "Who sent the invitation.", READ_ONLY)

static const struct field organization_user_fields[] = {
    MEMBER_FIELDS,
    OBJECT("roles", "Roles in the organization and its projects.", READ_ONLY | ALWAYS, .of = &user_roles_schema),
    LIST("teamIds", "Teams that the person belongs to.", READ_ONLY | ALWAYS, .item = TYPE_ID),
    END_OF_FIELDS,
};
static const struct schema organization_user_schema = { "OrganizationUser", "A person in an organization.",
                                                        organization_user_fields };

static const struct field project_user_fields[] = {
    MEMBER_FIELDS,
    LIST("roles", "Roles in the project; none when access comes from the organization or from a team.",
         READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
const struct schema project_user_schema = { "ProjectUser", "A person in a project.", project_user_fields };

#define SENT_USERNAME                                                                                           \
    TEXT("username", "E-mail address that identifies the person.", REQUIRED | CREATE_ONLY, .max = USERNAME_MAX, \
         .pattern = USERNAME_PATTERN, .example = "\"jo@example.org\"")
static const struct field new_organization_user_fields[] = {
    SENT_USERNAME,
    OBJECT("roles", "Roles in the organization and its projects.", REQUIRED, .of = &sent_roles_schema),
    END_OF_FIELDS,
};
static const struct schema new_organization_user_schema = { "OrganizationUserRequest", "A person for an organization.",
                                                            new_organization_user_fields };
static const struct field new_project_user_fields[] = {
    SENT_USERNAME,
    LIST("roles", "Roles in the project.", REQUIRED, .min = 1, .max = 32, .item = TYPE_TEXT,
         .one_of = project_role_names, .example = "[\"GROUP_READ_ONLY\"]"),
    END_OF_FIELDS,
};
const struct schema new_project_user_schema = { "ProjectUserRequest", "A person for a project.",
                                                new_project_user_fields };

static const struct field org_role_fields[] = {
    TEXT("orgRole", "The role.", REQUIRED, .one_of = organization_role_names, .example = "\"ORG_READ_ONLY\""),
    END_OF_FIELDS,
};
static const struct schema org_role_schema = { "OneOrganizationRole", "A role in an organization.", org_role_fields };
static const struct field group_role_fields[] = {
    TEXT("groupRole", "The role.", REQUIRED, .one_of = project_role_names, .example = "\"GROUP_READ_ONLY\""),
    END_OF_FIELDS,
};
static const struct schema group_role_schema = { "OneProjectRole", "A role in a project.", group_role_fields };

static const struct field org_role_list_fields[] = {
    LIST("orgRoles", "All roles in the organization.", REQUIRED | ALWAYS, .min = 1, .max = 7, .item = TYPE_TEXT,
         .one_of = organization_role_names, .example = "[\"ORG_READ_ONLY\"]"),
    END_OF_FIELDS,
};
static const struct schema org_role_list_schema = { "OrganizationRoleList", "The roles of a person in an organization.",
                                                    org_role_list_fields };
static const struct field group_role_list_fields[] = {
    LIST("groupRoles", "All roles in the project.", REQUIRED | ALWAYS, .min = 1, .max = 32, .item = TYPE_TEXT,
         .one_of = project_role_names, .example = "[\"GROUP_READ_ONLY\"]"),
    END_OF_FIELDS,
};
static const struct schema group_role_list_schema = { "ProjectRoleList", "The roles of a person in a project.",
                                                      group_role_list_fields };

#define MEMBER_QUERY                                                                                       \
    TEXT("username", "Address of one person; upper and lower case are the same.", 0, .max = USERNAME_MAX), \
        MEMBERSHIP_STATUS_QUERY
static const struct field one_user_query[] = { MEMBERSHIP_STATUS_QUERY, END_OF_FIELDS };
static const struct field organization_users_query[] = { MEMBER_QUERY, END_OF_FIELDS };
static const struct field project_users_query[] = {
    MEMBER_QUERY,
    BOOL("flattenTeams", "Whether to list people who come through a team as well.", 0, .fallback = "false"),
    BOOL("includeOrgUsers", "Whether to list people whose role in the organization counts in the project as well.", 0,
         .fallback = "false"),
    END_OF_FIELDS,
};

static const struct field person_role_fields[] = {
    ID("orgId", "Organization in which the role is granted; send it or groupId.", 0),
    ID("groupId", "Project in which the role is granted.", 0),
    TEXT("roleName", "Name of the role.", REQUIRED | ALWAYS, .one_of = any_role_names, .example = "\"ORG_MEMBER\""),
    END_OF_FIELDS,
};
static const struct schema person_role_schema = { "UserRoleAssignment", "A role of a person, and where it is granted.",
                                                  person_role_fields };
static const struct field person_fields[] = {
    ID("id", "Identifier of the person.", READ_ONLY | ALWAYS),
    TEXT("username", "E-mail address that identifies the person.", REQUIRED | ALWAYS, .max = USERNAME_MAX,
         .pattern = USERNAME_PATTERN, .example = "\"jo@example.org\""),
    TEXT("firstName", "First name; absent when the person gave none.", REQUIRED, .min = 1, .max = 80,
         .pattern = PERSON_NAME, .example = "\"Jo\""),
    TEXT("lastName", "Last name; absent when the person gave none.", REQUIRED, .min = 1, .max = 80,
         .pattern = PERSON_NAME, .example = "\"Doe\""),
    TEXT("country", "Two letters of the country where the person lives.", 0, .pattern = "^[A-Z]{2}$",
         .example = "\"CH\""),
    DATE("createdAt", "When the account was made.", READ_ONLY | ALWAYS),
    DATE("lastAuth", "When the person last signed in through an identity provider that the caller's organizations use.",
         READ_ONLY),
    LIST("roles", "Roles in organizations and projects that the caller can see.", REQUIRED | ALWAYS, .min = 1,
         .max = 100, .of = &person_role_schema),
    LIST("teamIds", "Teams that the person belongs to.", READ_ONLY | ALWAYS, .item = TYPE_ID),
    END_OF_FIELDS,
};
static const struct schema person_schema = { "User", "A person.", person_fields };

static const struct read user_get, user_list, person_get;
static handler user_update, user_delete, role_add, role_remove, roles_replace, person_create;

// clang-format off
static const struct endpoint users_endpoints[] = {
    { GET, "/groups/{groupId}/users", S39, ANY_OF(PROJECT_READ_ONLY), "listGroupUsers",
      "Return all users in one project",
      "Lists the people who were added to the project itself, including those who have not accepted their invitation yet. "
      "People who come through a team or a role in the organization are listed on request.",
      .shape = SHAPE_LIST, .since = "2025-02-19", .item = "/groups/{groupId}/users/{userId}",
      .read = &user_list, .response = &project_user_schema,
      .query = project_users_query },
    { POST, "/groups/{groupId}/users", S39, ANY_OF(PROJECT_ACCESS_MANAGER), "addGroupUsers",
      "Add one user to one project",
      "Grants a person roles in the project. A person who is not active in the organization yet is invited. They are pending "
      "until they accept with the token that is mailed to them and shown to nobody else.",
      .since = "2025-02-19", .item = "/groups/{groupId}/users/{userId}", .run = user_add,
      .request = &new_project_user_schema, .response = &project_user_schema,
      .example = "{\"username\": \"jo@example.org\", \"roles\": [\"GROUP_READ_ONLY\"]}" },
    { DELETE, "/groups/{groupId}/users/{userId}", S39, ANY_OF(PROJECT_ACCESS_MANAGER), "removeGroupUser",
      "Remove one user from one project",
      "Takes away every role that the person holds in the project, or takes a pending invitation back. Membership "
      "in the organization and access through teams stay.",
      .shape = SHAPE_NOTHING, .since = "2025-02-19", .run = user_delete },
    { GET, "/groups/{groupId}/users/{userId}", S39, ANY_OF(PROJECT_READ_ONLY), "getGroupUser",
      "Return one user in one project",
      "Returns one person with their roles in this project. For a pending person it shows when the invitation ends.",
      .since = "2025-02-19", .read = &user_get, .response = &project_user_schema, .query = one_user_query },
    { POST, "/groups/{groupId}/users/{userId}:addRole", S39, ANY_OF(PROJECT_ACCESS_MANAGER), "addGroupUserRole",
      "Add one project role to one user",
      "Grants one more role in the project and leaves the others alone. Adding a role that the person already "
      "holds changes nothing.",
      .success = 200, .since = "2025-02-19", .run = role_add, .request = &group_role_schema, .response = &project_user_schema,
      .example = "{\"groupRole\": \"GROUP_READ_ONLY\"}" },
    { POST, "/groups/{groupId}/users/{userId}:removeRole", S39, ANY_OF(PROJECT_ACCESS_MANAGER),
      "removeGroupUserRole",
      "Remove one project role from one user",
      "Takes away one role in the project and leaves the others alone. To take away the last one, remove the person from the "
      "project.",
      .success = 200, .since = "2025-02-19", .run = role_remove, .request = &group_role_schema, .response = &project_user_schema,
      .example = "{\"groupRole\": \"GROUP_READ_ONLY\"}" },
    { PUT, "/groups/{groupId}/users/{userId}/roles", S39, ANY_OF(PROJECT_OWNER), "updateGroupUserRoles",
      "Replace the project roles of one user",
      "Sets exactly the roles that are sent and takes away all others in the project. Prefer to add and remove single roles: "
      "that cannot undo somebody else's change.",
      .flags = DEPRECATED, .run = roles_replace, .request = &group_role_list_schema,
      .response = &group_role_list_schema, .example = "{\"groupRoles\": [\"GROUP_READ_ONLY\"]}" },

    { GET, "/orgs/{orgId}/users", S40, ANY_OF(ORG_MEMBER), "listOrgUsers",
      "Return all users in one organization",
      "Lists the members of the organization, active and pending, with their roles in the organization and its "
      "projects.",
      .shape = SHAPE_LIST, .since = "2025-02-19", .item = "/orgs/{orgId}/users/{userId}", 
      .read = &user_list, .response = &organization_user_schema, .query = organization_users_query, .flags = MAIN_LINK },
    { POST, "/orgs/{orgId}/users", S40, ANY_OF(ORG_OWNER), "createOrgUser",
      "Add one user to one organization",
      "Invites a person, with roles in the organization and optionally in its projects. They are pending until they accept with "
      "the token that is mailed to them and shown to nobody else.",
      .since = "2025-02-19", .item = "/orgs/{orgId}/users/{userId}", .run = user_add,
      .request = &new_organization_user_schema, .response = &organization_user_schema,
      .example = "{\"username\": \"jo@example.org\", \"roles\": {\"orgRoles\": [\"ORG_MEMBER\"]}}" },
    { DELETE, "/orgs/{orgId}/users/{userId}", S40, ANY_OF(ORG_OWNER), "removeOrgUser",
      "Remove one user from one organization",
      "Ends the membership: the person loses all roles in the organization and its projects, and leaves its teams. The last "
      "owner cannot be removed.",
      .shape = SHAPE_NOTHING, .since = "2025-02-19", .run = user_delete },
    { GET, "/orgs/{orgId}/users/{userId}", S40, ANY_OF(ORG_MEMBER), "getOrgUser",
      "Return one user in one organization",
      "Returns one member, active or pending, with their teams and their roles in the organization and its projects.",
      .since = "2025-02-19", .read = &user_get, .response = &organization_user_schema, .query = one_user_query },
    { PATCH, "/orgs/{orgId}/users/{userId}", S40, ANY_OF(ORG_OWNER), "updateOrgUser",
      "Update one user in one organization",
      "Replaces the roles in the organization, those in its projects or both, as sent. What is not sent stays.",
      .since = "2025-02-19", .run = user_update, .request = &new_organization_user_schema, .response = &organization_user_schema,
      .example = "{\"roles\": {\"orgRoles\": [\"ORG_READ_ONLY\"]}}" },
    { POST, "/orgs/{orgId}/users/{userId}:addRole", S40, ANY_OF(ORG_OWNER), "addOrgUserRole",
      "Add one organization role to one user",
      "Grants one more role in the organization and leaves the others alone. Organization roles also count in "
      "every project of the organization.",
      .success = 200, .since = "2025-02-19", .run = role_add, .request = &org_role_schema, .response = &organization_user_schema,
      .example = "{\"orgRole\": \"ORG_READ_ONLY\"}" },
    { POST, "/orgs/{orgId}/users/{userId}:removeRole", S40, ANY_OF(ORG_OWNER), "removeOrgUserRole",
      "Remove one organization role from one user",
      "Takes away one role in the organization and leaves the others alone. The last owner keeps the owner's role.",
      .success = 200, .since = "2025-02-19", .run = role_remove, .request = &org_role_schema, .response = &organization_user_schema,
      .example = "{\"orgRole\": \"ORG_READ_ONLY\"}" },
    { PUT, "/orgs/{orgId}/users/{userId}/roles", S40, ANY_OF(ORG_OWNER), "updateOrgUserRoles",
      "Replace the organization roles of one user",
      "Sets exactly the roles that are sent and takes away all others in the organization. Prefer to add and remove single "
      "roles.",
      .flags = DEPRECATED, .run = roles_replace, .request = &org_role_list_schema,
      .response = &org_role_list_schema, .example = "{\"orgRoles\": [\"ORG_READ_ONLY\"]}" },

    { POST, "/users", S41, ANYWHERE(ORG_OWNER), "createUser",
      "Create one user",
      "Creates a person's account with roles in organizations and projects; the caller must hold each of these roles there. "
      "Prefer to add a user to an organization: then the person accepts an invitation.",
      .success = 200, .flags = DEPRECATED, .item = "/users/{userId}", .run = person_create,
      .request = &person_schema, .response = &person_schema,
      .example = "{\"username\": \"jo@example.org\", \"firstName\": \"Jo\", \"lastName\": \"Doe\", \"roles\": "
                 "[{\"orgId\": \"650000000000000000000001\", \"roleName\": \"ORG_MEMBER\"}]}" },
    { GET, "/users/byName/{userName}", S41, ANY_CALLER, "getUserByName",
      "Return one user by name",
      "Finds a person by the name used at sign-in, usually an e-mail address. Callers see themselves and people "
      "with whom they share an organization.",
      .flags = DEPRECATED, .item = "/users/{userId}", .read = &person_get, .response = &person_schema },
    { GET, "/users/{userId}", S41, ANY_CALLER, "getUser",
      "Return one user",
      "Returns one person's account. Callers see themselves and people with whom they share an organization.",
      .flags = DEPRECATED, .read = &person_get, .response = &person_schema },
};
// clang-format on

FAMILY(users_family, "users", "Users",
       "People: who they are, which organizations and projects they belong to, and what they may do there.",
       users_endpoints);

/* ---- reading ---- */

/* Who was only invited is nobody by themselves yet. */
static error
answer_user(struct request *req, const struct rows *rows)
{
    TRY(answer_row(req, rows));
    if (!people_status_is_wanted(req, rows_text(rows, 0, C_STATUS)))
        return request_not_found(req);
    if (str_is(rows_text(rows, 0, C_STATUS), "ACTIVE"))
        answer_relate(req, "/user", str_format(req->arena, "/users/%.*s", STR_ARG(request_path_value(req, "userId"))));
    return OK;
}

static const struct read user_get = { SQL_MEMBER_GET, people_bind_get, answer_user };

/* The statuses that the query asks for, in either of the two ways; NULL when it does not. */
static json_t *
statuses_of(struct request *req)
{
    json_t *statuses = NULL;
    for (size_t i = 0; i < req->query_count; i++) {
        if (!str_is(req->query[i].name, "orgMembershipStatus") && !str_is(req->query[i].name, "orgMembershipStatuses"))
            continue;
        if (statuses == NULL)
            statuses = json_in(req->arena, json_array());
        json_array_append_new(statuses, json_stringn(req->query[i].value.data, req->query[i].value.len));
    }
    return statuses;
}

/* Roles in the organization that let read its projects. */
static json_t *
roles_that_count_in_projects(struct request *req)
{
    json_t *names = json_in(req->arena, json_array());
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        if (!role_is_of_project(role_rows[i].bit) && (role_closure(role_rows[i].bit) & PROJECT_READ_ONLY) != 0)
            json_array_append_new(names, json_string(role_rows[i].name));
    }
    return names;
}

static error
bind_list(struct request *req, struct params *params)
{
    json_t *statuses = statuses_of(req);
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    params_id_or_null(params, P_PROJECT, req->project);
    params_text(params, P_USERNAME, request_query(req, "username"));
    if (statuses == NULL)
        params_null(params, P_STATUSES);
    else
        params_text(params, P_STATUSES, json_text(req->arena, statuses));
    if (str_is(request_query(req, "includeOrgUsers"), "true"))
        params_text(params, P_PROJECT_ROLES, json_text(req->arena, roles_that_count_in_projects(req)));
    else
        params_null(params, P_PROJECT_ROLES);
    params_bool(params, P_FLATTEN_TEAMS, str_is(request_query(req, "flattenTeams"), "true"));
    return OK;
}

static const struct read user_list = { SQL_MEMBER_LIST, bind_list, list_answer };

static error
bind_person(struct request *req, struct params *params)
{
    id person;
    str name = request_path_value(req, "userName");
    params_id(params, P_CALLER, req->caller->id);
    if (name.len > 0) {
        params_null(params, P_PERSON);
    } else {
        TRY(request_path_id(req, "userId", &person));
        params_id(params, P_PERSON, person);
    }
    params_text(params, P_NAME, name);
    request_bind_reach(req, params);
    return OK;
}

static error
answer_person(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    answer_created(req, rows_text(rows, 0, C_DOCUMENT), rows_text(rows, 0, C_ID), rows_int(rows, 0, C_REVISION));
    return OK;
}

static const struct read person_get = { SQL_PERSON_VISIBLE, bind_person, answer_person };

/* ---- changing ---- */

static bool
in_project(const struct request *req)
{
    return id_is_there(req->project);
}

/* What the body asks for, in the organization or in the project. */
static struct wanted_roles
wanted_of(const struct request *req)
{
    const json_t *roles = json_object_get(req->body, "roles");
    if (in_project(req))
        return (struct wanted_roles){ .in_project = roles };
    return (struct wanted_roles){
        .in_organization = json_object_get(roles, "orgRoles"),
        .in_projects = json_object_get(roles, "groupRoleAssignments"),
        .roles_key = "groupRoles",
        .path = "roles.groupRoleAssignments",
    };
}

error
user_add(struct request *req)
{
    struct wanted_roles wanted = wanted_of(req);
    struct invited invited;
    json_t *after;
    TRY(people_invite(req, json_str(json_object_get(req->body, "username")), &wanted, true, &invited));
    TRY(people_reload(req, &invited.member, &after));
    TRY(request_event(req, invited.event, NULL, after));
    answer_created(req, json_text(req->arena, after), id_text(req->arena, invited.member.id), invited.member.revision);
    return OK;
}

static error
lock(struct request *req, struct member *ret_member, json_t **ret_before)
{
    TRY(people_lock(req, ret_member, ret_before));
    return request_check_match(req, ret_member->revision);
}

/* After a change: the event, unless the roles are as they were. The rest of the document is not this request's: others may have
 * changed it meanwhile, and have an event for it. */
static error
finish(struct request *req, struct member *member, enum event_type event, const json_t *before, json_t **ret_after)
{
    TRY(people_reload(req, member, ret_after));
    if (member->status != MEMBER_ACTIVE)
        event = EVENT_INVITATION_CHANGED;
    if (!json_equal(json_object_get(before, "roles"), json_object_get(*ret_after, "roles")))
        TRY(request_event(req, event, before, *ret_after));
    answer_entity(req, member->document, member->revision);
    return OK;
}

static error
user_update(struct request *req)
{
    struct wanted_roles wanted = wanted_of(req);
    struct member member;
    json_t *before, *after;
    TRY(lock(req, &member, &before));
    TRY(people_set_roles(req, &member, &wanted));
    return finish(req, &member, EVENT_USER_ROLES_CHANGED, before, &after);
}

static const json_t *
role_of_body(const struct request *req)
{
    return json_object_get(req->body, in_project(req) ? "groupRole" : "orgRole");
}

static const json_t *
roles_here(const struct request *req, const json_t *document)
{
    const json_t *roles = json_object_get(document, "roles");
    return in_project(req) ? roles : json_object_get(roles, "orgRoles");
}

static error
user_delete(struct request *req)
{
    struct member member;
    struct owner_guard guard;
    json_t *before;
    TRY(lock(req, &member, &before));
    TRY(check_grantable(req, roles_here(req, before))); /* nobody takes away more than they could give */
    bool is_active = member.status == MEMBER_ACTIVE, leaves_organization = is_active && !in_project(req);
    if (leaves_organization)
        TRY(owner_guard_begin(req, &guard));
    TRY(store_member_remove(req->tx, req->organization, &member, req->project));
    if (leaves_organization)
        TRY(owner_guard_end(req, &guard));
    TRY(request_event(req, is_active ? EVENT_USER_REMOVED : EVENT_INVITATION_DELETED, before, NULL));
    answer_nothing(req);
    return OK;
}

static error
role_add(struct request *req)
{
    struct member member;
    json_t *before, *after;
    json_t *one = json_in(req->arena, json_pack("[O]", role_of_body(req)));
    TRY(check_grantable(req, one));
    TRY(lock(req, &member, &before));
    TRY(store_member_add_role(req->tx, req->organization, &member, req->project, json_str(role_of_body(req))));
    return finish(req, &member, EVENT_ROLE_GRANTED, before, &after);
}

static error
role_remove(struct request *req)
{
    struct member member;
    struct owner_guard guard;
    bool found;
    json_t *before, *after;
    str role = json_str(role_of_body(req));
    TRY(check_grantable(req, json_in(req->arena, json_pack("[O]", role_of_body(req)))));
    TRY(lock(req, &member, &before));
    bool may_lose_owner = member.status == MEMBER_ACTIVE && !in_project(req);
    if (may_lose_owner)
        TRY(owner_guard_begin(req, &guard));
    TRY(store_member_remove_role(req->tx, req->organization, &member, req->project, role));
    if (may_lose_owner)
        TRY(owner_guard_end(req, &guard));
    /* Without a role left the member is not there any more. */
    TRY(store_member_find(req->tx, req->organization, member.id, req->project, &found, &member));
    after = found ? json_parse_own(req->arena, member.document) : NULL;
    if (json_array_size(roles_here(req, after)) == 0 && json_array_size(roles_here(req, before)) > 0)
        return fail(req->arena, LAST_ROLE, V(role));
    return finish(req, &member, EVENT_ROLE_REVOKED, before, &after);
}

static error
roles_replace(struct request *req)
{
    const char *key = in_project(req) ? "groupRoles" : "orgRoles";
    const json_t *roles = json_object_get(req->body, key);
    struct wanted_roles wanted = { .in_organization = in_project(req) ? NULL : roles,
                                   .in_project = in_project(req) ? roles : NULL };
    struct member member;
    json_t *before, *after;
    TRY(lock(req, &member, &before));
    TRY(people_set_roles(req, &member, &wanted));
    TRY(finish(req, &member, EVENT_USER_ROLES_CHANGED, before, &after));
    json_t *answer = json_in(req->arena, json_pack("{s:O}", key, roles_here(req, after)));
    answer_entity(req, json_text(req->arena, answer), 0);
    return OK;
}

/* ---- people by themselves ---- */

/* Where one role of the body is to be granted; the caller must hold it there, too. */
static error
place_of(struct request *req, size_t index, const json_t *wanted, id *ret_organization, id *ret_project)
{
    str org_text = json_str(json_object_get(wanted, "orgId")),
        group_text = json_str(json_object_get(wanted, "groupId"));
    str name = json_str(json_object_get(wanted, "roleName"));
    role_set role = role_from_name(name);
    bool is_of_project = group_text.len > 0;
    *ret_project = ID_NONE;
    if (role == 0 || role_is_of_project(role) != is_of_project || (org_text.len > 0) == is_of_project)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "roles[%zu].roleName", index)),
                    V("send an organization role with orgId, or a project role with groupId"));
    if (is_of_project) {
        const struct context_facts *facts;
        if (!id_parse(group_text, ret_project))
            return fail(req->arena, NOT_A_MEMBER, V("this project"));
        TRY(auth_project_facts(req->api->auth, req->arena, *ret_project, true, true, &facts));
        *ret_organization = facts->organization;
        if (!facts->exists || !principal_is_in_project(req->caller, facts->organization, *ret_project))
            return fail(req->arena, NOT_A_MEMBER, V("this project"));
    } else if (!id_parse(org_text, ret_organization) || !principal_is_in_organization(req->caller, *ret_organization)) {
        return fail(req->arena, NOT_A_MEMBER, V("this organization"));
    }
    role_set held = is_of_project ? principal_roles_in_project(req->caller, *ret_organization, *ret_project)
                                  : principal_roles_in_organization(req->caller, *ret_organization);
    if ((held & role) == 0)
        return fail(req->arena, ROLE_NOT_GRANTABLE, V(name));
    return request_check_unlocked(req, *ret_organization);
}

/* Once for each organization: its own roles, membership, and an event in its chain. The document grows by these roles. */
static error
grant_in_organization(struct request *req, id person, id organization, const id *organizations, const id *projects,
                      json_t *document)
{
    const json_t *roles = json_object_get(req->body, "roles");
    bool is_member = false;
    str text;
    json_t *named = json_in(req->arena, json_array());
    TRY(tx_set_organization(req->tx, organization));
    for (size_t i = 0; i < json_array_size(roles); i++) {
        if (id_eq(organizations[i], organization) && id_is_there(projects[i]))
            json_array_append(named, json_object_get(json_array_get(roles, i), "groupId"));
    }
    TRY(store_federation_check_address(req->tx, organization, STR_EMPTY, person));
    TRY(project_limit_check_person(req, organization, person, named));
    for (size_t i = 0; i < json_array_size(roles); i++) {
        if (!id_eq(organizations[i], organization))
            continue;
        is_member |= !id_is_there(projects[i]);
        TRY(add_role_grant(req->tx, person, organization, projects[i],
                           json_str(json_object_get(json_array_get(roles, i), "roleName"))));
    }
    TRY(store_member_set_name(req->tx, organization, person,
                              &(struct member_name){
                                  .first = json_str(json_object_get(req->body, "firstName")),
                                  .last = json_str(json_object_get(req->body, "lastName")),
                                  .country = json_str(json_object_get(req->body, "country")),
                              }));
    if (!is_member) /* whoever works in a project belongs to its organization */
        TRY(add_role_grant(req->tx, person, organization, ID_NONE, STR("ORG_MEMBER")));
    TRY(store_person_document(req->tx, organization, person, &text));
    json_t *here = json_parse_own(req->arena, text);
    if (here == NULL)
        return fail(req->arena, OVERLOADED);
    json_t *collected = json_object_get(document, "roles");
    if (collected == NULL)
        json_object_update(document, json_in(req->arena, json_deep_copy(here)));
    else
        json_array_extend(collected, json_object_get(here, "roles"));
    return request_event_in(req, EVENT_USER_CREATED, organization, ID_NONE, NULL, here);
}

static bool
is_first(const id *organizations, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (id_eq(organizations[i], organizations[index]))
            return false;
    }
    return true;
}

enum { MAX_PERSON_ROLES = 100 };

static error
person_create(struct request *req)
{
    const json_t *roles = json_object_get(req->body, "roles");
    id organizations[MAX_PERSON_ROLES], projects[MAX_PERSON_ROLES], person;
    size_t count = json_array_size(roles);
    json_t *document = json_in(req->arena, json_object());
    for (size_t i = 0; i < count; i++)
        TRY(place_of(req, i, json_array_get(roles, i), &organizations[i], &projects[i]));
    TRY(tx_set_service(req->tx)); /* people belong to no organization */
    TRY(create_person(req->tx, json_str(json_object_get(req->body, "username")),
                      json_str(json_object_get(req->body, "firstName")),
                      json_str(json_object_get(req->body, "lastName")), &person));
    str country = json_str(json_object_get(req->body, "country"));
    if (country.len > 0)
        TRY(store_person_set_country(req->tx, person, country));
    for (size_t i = 0; i < count; i++) {
        if (is_first(organizations, i))
            TRY(grant_in_organization(req, person, organizations[i], organizations, projects, document));
    }
    answer_created(req, json_text(req->arena, document), id_text(req->arena, person), 0);
    return OK;
}
