/* SPDX-License-Identifier: Apache-2.0 */
#include "family/identity/invitations.h"

#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "family/identity/people.h"

static const struct field group_assignment_fields[] = {
    ID("groupId", "Project in which roles are granted.", REQUIRED | ALWAYS),
    LIST("roles", "Roles to grant in the project.", REQUIRED | WRITE_ONLY, .min = 1, .max = 32, .item = TYPE_TEXT,
         .one_of = project_role_names, .example = "[\"GROUP_READ_ONLY\"]"),
    TEXT("groupRole", "One role in the project.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema group_assignment_schema = { "InvitationProjectRole", "Roles that are granted in a project.",
                                                       group_assignment_fields };

#define INVITATION_FIELDS                                                        \
    ID("id", "Identifier of the invitation.", READ_ONLY | ALWAYS),               \
        TEXT("inviterUsername", "Who sent the invitation.", READ_ONLY | ALWAYS), \
        DATE("createdAt", "When the invitation was made.", READ_ONLY | ALWAYS),  \
        DATE("expiresAt", "When the invitation stops working.", READ_ONLY | ALWAYS)

#define ORGANIZATION_FIELDS                                                                                   \
    ID("orgId", "Organization that the person is invited to.", READ_ONLY | ALWAYS),                           \
        TEXT("orgName", "Label of that organization.", READ_ONLY | ALWAYS),                                   \
        LIST("roles", "Roles in the organization.", REQUIRED | ALWAYS, .min = 1, .max = 7, .item = TYPE_TEXT, \
             .one_of = organization_role_names, .example = "[\"ORG_MEMBER\"]"),                               \
        LIST("groupRoleAssignments", "Roles in projects of the organization.", ALWAYS, .max = 500,            \
             .of = &group_assignment_schema),                                                                 \
        LIST("teamIds", "Teams that the person will belong to.", READ_ONLY | ALWAYS, .item = TYPE_ID)

#define PROJECT_FIELDS                                                                                    \
    ID("groupId", "Project that the person is invited to.", READ_ONLY | ALWAYS),                          \
        TEXT("groupName", "Label of that project.", READ_ONLY | ALWAYS),                                  \
        LIST("roles", "Roles in the project.", REQUIRED | ALWAYS, .min = 1, .max = 32, .item = TYPE_TEXT, \
             .one_of = project_role_names, .example = "[\"GROUP_READ_ONLY\"]")

/* The address is sent, in a change it says which invitation is meant. */
#define SENT_USERNAME                                                                                    \
    TEXT("username", "Address that the invitation is bound to.", REQUIRED | ALWAYS, .max = USERNAME_MAX, \
         .pattern = USERNAME_PATTERN, .example = "\"jo@example.org\"")
#define FIXED_USERNAME TEXT("username", "Address that the invitation is bound to.", READ_ONLY | ALWAYS)

static const struct field organization_invitation_fields[] = {
    INVITATION_FIELDS,
    ORGANIZATION_FIELDS,
    SENT_USERNAME,
    END_OF_FIELDS,
};
static const struct field organization_invitation_change_fields[] = {
    INVITATION_FIELDS,
    ORGANIZATION_FIELDS,
    FIXED_USERNAME,
    END_OF_FIELDS,
};
static const struct field project_invitation_fields[] = {
    INVITATION_FIELDS,
    PROJECT_FIELDS,
    SENT_USERNAME,
    END_OF_FIELDS,
};
static const struct field project_invitation_change_fields[] = {
    INVITATION_FIELDS,
    PROJECT_FIELDS,
    FIXED_USERNAME,
    END_OF_FIELDS,
};
const struct schema organization_invitation_schema = { "OrganizationInvitation", "An invitation to an organization.",
                                                       organization_invitation_fields };
const struct schema organization_invitation_change_schema = {
    "OrganizationInvitationRoles",
    "What an invitation to an organization grants.",
    organization_invitation_change_fields,
};
const struct schema project_invitation_schema = { "ProjectInvitation", "An invitation to a project.",
                                                  project_invitation_fields };
const struct schema project_invitation_change_schema = {
    "ProjectInvitationRoles",
    "What an invitation to a project grants.",
    project_invitation_change_fields,
};

const struct field invitations_query[] = {
    TEXT("username", "Address of one person; upper and lower case are the same.", 0, .max = USERNAME_MAX),
    END_OF_FIELDS,
};

/* ---- reading ---- */

const struct read invitation_get = { SQL_INVITATION_GET, people_bind_get, answer_row };

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    params_id_or_null(params, P_PROJECT, req->project);
    params_text(params, P_USERNAME, request_query(req, "username"));
    return OK;
}

const struct read invitation_list = { SQL_INVITATION_LIST, bind_list, list_answer };

/* ---- changing ---- */

static struct wanted_roles
wanted_of(const struct request *req)
{
    const json_t *roles = json_object_get(req->body, "roles");
    if (id_is_there(req->project))
        return (struct wanted_roles){ .in_project = roles };
    return (struct wanted_roles){
        .in_organization = roles,
        .in_projects = json_object_get(req->body, "groupRoleAssignments"),
        .roles_key = "roles",
        .path = "groupRoleAssignments",
    };
}

/* The invitation as the API shows it here; 404 when it is none, or none of this project. */
static error
read_document(struct request *req, id invitation, int64_t *ret_revision, json_t **ret_json)
{
    bool found;
    str text;
    TRY(store_invitation_document(req->tx, req->organization, invitation, req->project, &found, &text, ret_revision));
    if (!found)
        return request_not_found(req);
    *ret_json = json_parse_own(req->arena, text);
    return *ret_json == NULL ? fail(req->arena, OVERLOADED) : OK;
}

error
invitation_create(struct request *req)
{
    struct wanted_roles wanted = wanted_of(req);
    struct invited invited;
    int64_t revision;
    json_t *after;
    TRY(people_invite(req, json_str(json_object_get(req->body, "username")), &wanted, false, &invited));
    TRY(read_document(req, invited.member.id, &revision, &after));
    TRY(request_event(req, invited.event, NULL, after));
    answer_created(req, json_text(req->arena, after), id_text(req->arena, invited.member.id), revision);
    return OK;
}

static error
change(struct request *req, id invitation, json_t *before, int64_t revision)
{
    struct member member = { .id = invitation, .status = MEMBER_INVITED };
    struct wanted_roles wanted = wanted_of(req);
    json_t *after;
    TRY(request_check_match(req, revision));
    TRY(people_set_roles(req, &member, &wanted));
    TRY(read_document(req, invitation, &revision, &after));
    /* The names are not the invitation's own: somebody may have changed them meanwhile, and has an event for it. */
    static const char *const names[] = { "orgName", "groupName" };
    for (size_t i = 0; i < LENGTH(names); i++) {
        if (json_object_get(after, names[i]) != NULL)
            json_object_set(before, names[i], json_object_get(after, names[i]));
    }
    if (!json_equal(before, after))
        TRY(request_event(req, EVENT_INVITATION_CHANGED, before, after));
    answer_entity(req, json_text(req->arena, after), revision);
    return OK;
}

static error
lock_from_path(struct request *req, id *ret_invitation, int64_t *ret_revision, json_t **ret_before)
{
    TRY(request_path_id(req, "invitationId", ret_invitation));
    TRY(store_member_lock(req->tx, req->organization, *ret_invitation));
    return read_document(req, *ret_invitation, ret_revision, ret_before);
}

error
invitation_update(struct request *req)
{
    id invitation;
    int64_t revision;
    json_t *before;
    TRY(lock_from_path(req, &invitation, &revision, &before));
    return change(req, invitation, before, revision);
}

error
invitation_update_by_name(struct request *req)
{
    struct member member;
    bool found;
    int64_t revision;
    json_t *before;
    const json_t *username = json_object_get(req->body, "username");
    if (username == NULL)
        return fail(req->arena, MISSING_ATTRIBUTE, V("username"));
    TRY(store_member_by_name(req->tx, req->organization, json_str(username), &found, &member));
    if (!found || member.status == MEMBER_ACTIVE)
        return request_not_found(req);
    TRY(store_member_lock(req->tx, req->organization, member.id));
    TRY(read_document(req, member.id, &revision, &before));
    return change(req, member.id, before, revision);
}

error
invitation_delete(struct request *req)
{
    struct member member = { .status = MEMBER_INVITED };
    int64_t revision;
    json_t *before;
    TRY(lock_from_path(req, &member.id, &revision, &before));
    TRY(request_check_match(req, revision));
    TRY(store_member_remove(req->tx, req->organization, &member, req->project));
    TRY(request_event(req, EVENT_INVITATION_DELETED, before, NULL));
    answer_nothing(req);
    return OK;
}
