/* SPDX-License-Identifier: Apache-2.0 */
/* Projects: they contain clusters, database users and everything else of a team. `groupId` is the API's older word. */
#include "family/tenant/projects.h"
#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/date.h"
#include "base/json.h"
#include "family/alert/alerts.h"
#include "family/cluster/clusters.h"
#include "family/families.h"
#include "family/identity/invitations.h"
#include "family/identity/users.h"
#include "family/project_limits.h"
#include "family/takes_along.h"
#include "store/auth/principal.h"
#include "store/backup/policy.h"
#include "store/identity/member.h"
#include "store/takes_along.h"
#include "store/tenant/organization.h"
#include "store/tenant/project.h"

/* Letters and digits of any script, and spaces inside. */
#define PROJECT_NAME "^(?! )[\\p{L}\\p{N}\\-_.(),:&@+' ]{1,64}(?<! )$"

static const struct field tag_fields[] = {
    TEXT("key", "Name of the tag.", REQUIRED, .min = 1, .max = 255, .example = "\"environment\""),
    TEXT("value", "Value of the tag.", REQUIRED, .min = 1, .max = 255, .example = "\"production\""),
    END_OF_FIELDS,
};
const struct schema tag_schema = { "Tag", "Your own key and value, for searching and billing.", tag_fields };

static const struct field project_fields[] = {
    ID("id", "Identifier of the project.", READ_ONLY | ALWAYS),
    TEXT("name", "Label of the project, unique in its organization.", REQUIRED | ALWAYS, .min = 1, .max = 64,
         .pattern = PROJECT_NAME, .example = "\"storefront\""),
    ID("orgId", "Organization that the project belongs to.", REQUIRED | CREATE_ONLY | ALWAYS,
       .example = "\"650000000000000000000001\""),
    DATE("created", "When the project was created.", READ_ONLY | ALWAYS),
    INTEGER("clusterCount", "Number of clusters in the project.", READ_ONLY | ALWAYS),
    LIST("tags", "Tags of the project.", 0, .of = &tag_schema, .max = 50, .fallback = "[]", .short_form = TAG_FORM),
    BOOL("withDefaultAlertsSettings",
         "Whether the project starts with the default alert configurations. They mail its owners when a cluster is "
         "deleted, the project moves, its login settings change, support staff get access, or an index could not be "
         "built. A service that sends no mail has none; nor has a project of an organization that wants none "
         "(skipDefaultAlertsSettings).",
         0, .fallback = "true"),
    END_OF_FIELDS,
};
const struct schema project_schema = { "Project", "A project.", project_fields };

static const struct field settings_fields[] = {
    BOOL(
        "isCollectDatabaseSpecificsStatisticsEnabled",
        "Whether databases and tables are measured one by one. When false, hosts do not collect it, and asking for it is refused; the project's own Prometheus goes on seeing what was collected before.",
        ALWAYS),
    BOOL("isDataExplorerEnabled", "Whether the console shows what is in tables. It never does: true is refused.",
         ALWAYS),
    BOOL(
        "isPerformanceAdvisorEnabled",
        "Whether slow statements are examined and indexes proposed. When false, hosts do not look at statements, and reading about them is refused.",
        ALWAYS),
    BOOL(
        "isRealtimePerformancePanelEnabled",
        "Whether people see what servers do at this moment. Whoever may read the project may see its measurements: false is refused.",
        ALWAYS),
    BOOL(
        "isSchemaAdvisorEnabled",
        "Whether the layout of tables is examined and changes proposed. When false, hosts do not look at it, and reading advice is refused.",
        ALWAYS),
    END_OF_FIELDS,
};
static const struct schema settings_schema = { "ProjectSettings", "Features that can be switched off in a project.",
                                               settings_fields };
static error check_settings(struct request *req, struct change *change);
static const struct kind settings_kind = {
    .name = "projectSettings",
    .fallback = "{\"isCollectDatabaseSpecificsStatisticsEnabled\": true, \"isDataExplorerEnabled\": false, "
                "\"isPerformanceAdvisorEnabled\": true, \"isRealtimePerformancePanelEnabled\": true, "
                "\"isSchemaAdvisorEnabled\": true}",
    .changed = EVENT_PROJECT_SETTINGS_CHANGED,
    .check = check_settings,
};

static const struct field move_fields[] = {
    ID("destinationOrgId", "Organization that the project moves to.", REQUIRED,
       .example = "\"650000000000000000000001\""),
    END_OF_FIELDS,
};
static const struct schema move_schema = { "ProjectMove", "Where a project moves to.", move_fields };

const struct field projects_of_organization_query[] = {
    TEXT("name", "Text that the name must contain; upper and lower case are the same.", 0, .max = 64),
    END_OF_FIELDS,
};

static const struct field create_query[] = {
    ID("projectOwnerId", "Person who becomes owner of the project.", 0),
    END_OF_FIELDS,
};

static const struct read project_get;
static handler project_list, project_by_name, project_create, project_update, project_delete, project_migrate;

// clang-format off
static const struct endpoint project_endpoints[] = {
    { DELETE, "/groups/{groupId}", S53, ANY_OF(PROJECT_OWNER), "deleteProject",
      "Remove one project",
      "Removes the project with its settings, database users, access lists and the roles granted in it. While the project has "
      "clusters, the answer is 409 and says how many." SAYS_WHAT_GOES,
      .shape = SHAPE_NOTHING, .flags = LOSES_DATA, .run = project_delete, .tried = &takes_along_schema },
    { GET, "/groups/{groupId}", S53, ANY_OF(PROJECT_READ_ONLY), "getProject",
      "Return one project",
      "Shows the project and links to everything in it.",
      .read = &project_get, .response = &project_schema },
    { PATCH, "/groups/{groupId}", S53, ANY_OF(PROJECT_OWNER), "updateProject",
      "Change one project",
      "Changes the name, the tags or the default alert setting. Fields that are not sent stay as they are; tags are replaced as a "
      "whole.",
      .run = project_update, .request = &project_schema, .response = &project_schema,
      .example = "{\"name\": \"storefront-eu\", \"tags\": [{\"key\": \"environment\", \"value\": \"production\"}]}" },
    { POST, "/groups/{groupId}/access", S53, ANY_OF(PROJECT_OWNER), "addProjectAccess",
      "Add one person to one project",
      "Gives a person roles in the project. A person who does not belong to the organization yet is invited: the token is "
      "mailed to them and shown to nobody else.",
      .success = 200, .run = user_add, .request = &new_project_user_schema, .response = &project_user_schema,
      .example = "{\"username\": \"jo@example.org\", \"roles\": [\"GROUP_READ_ONLY\"]}" },
    { GET, "/groups/{groupId}/invites", S53, ANY_OF(PROJECT_OWNER), "listProjectInvitations",
      "Return all open invitations to one project",
      "Lists the people who were invited to the project and have not answered.",
      .flags = DEPRECATED, .shape = SHAPE_LIST,
      .item = "/groups/{groupId}/invites/{invitationId}", .read = &invitation_list, .response = &project_invitation_schema,
      .query = invitations_query },
    { PATCH, "/groups/{groupId}/invites", S53, ANY_OF(PROJECT_OWNER), "updateProjectInvitations",
      "Change one invitation to a project, found by its address",
      "Changes the roles that an invited person gets. The invitation is found by the e-mail address in the body.",
      .flags = DEPRECATED, .run = invitation_update_by_name,
      .request = &project_invitation_schema, .response = &project_invitation_schema,
      .example = "{\"username\": \"jo@example.org\", \"roles\": [\"GROUP_READ_ONLY\"]}" },
    { POST, "/groups/{groupId}/invites", S53, ANY_OF(PROJECT_OWNER), "createProjectInvitation",
      "Invite one person to one project",
      "Makes an invitation for the person at that address. It works once, for 30 days. Its token is mailed to the address and "
      "shown to nobody else. A person who already belongs to the organization needs none: add them to the project.",
      .success = 200, .flags = DEPRECATED, .item = "/groups/{groupId}/invites/{invitationId}", 
      .run = invitation_create, .request = &project_invitation_schema, .response = &project_invitation_schema,
      .example = "{\"username\": \"jo@example.org\", \"roles\": [\"GROUP_READ_ONLY\"]}" },
    { DELETE, "/groups/{groupId}/invites/{invitationId}", S53, ANY_OF(PROJECT_OWNER), "deleteProjectInvitation",
      "Take back one invitation to a project",
      "Removes the roles in this project from the invitation. If no other role is left, its token stops working at once.",
      .shape = SHAPE_NOTHING, .flags = DEPRECATED, .run = invitation_delete },
    { GET, "/groups/{groupId}/invites/{invitationId}", S53, ANY_OF(PROJECT_OWNER), "getProjectInvitation",
      "Return one invitation to a project",
      "Shows who was invited, by whom, with which roles, and until when.",
      .flags = DEPRECATED, .read = &invitation_get, .response = &project_invitation_schema },
    { PATCH, "/groups/{groupId}/invites/{invitationId}", S53, ANY_OF(PROJECT_OWNER), "updateProjectInvitation",
      "Change one invitation to a project",
      "Changes the roles that the invited person gets.",
      .flags = DEPRECATED, .run = invitation_update,
      .request = &project_invitation_change_schema, .response = &project_invitation_schema,
      .example = "{\"roles\": [\"GROUP_READ_ONLY\"]}" },
    { GET, "/groups/{groupId}/limits", S53, ANY_OF(PROJECT_READ_ONLY), "listProjectLimits",
      "Return all limits of one project",
      "Lists how much the project may hold and how much of it is in use.",
      .since = "2023-01-01", .shape = SHAPE_LIST, .item = "/groups/{groupId}/limits/{limitName}",
      .run = project_limit_list, .response = &project_limit_schema },
    { DELETE, "/groups/{groupId}/limits/{limitName}", S53, ANY_OF(PROJECT_OWNER), "deleteProjectLimit",
      "Return one limit of a project to its default",
      "Removes the project's own value; the default applies again.",
      .shape = SHAPE_NOTHING, .run = project_limit_reset },
    { GET, "/groups/{groupId}/limits/{limitName}", S53, ANY_OF(PROJECT_READ_ONLY), "getProjectLimit",
      "Return one limit of a project",
      "Shows the limit, its default and highest value, and how much is in use.",
      .run = project_limit_get, .response = &project_limit_schema },
    { PATCH, "/groups/{groupId}/limits/{limitName}", S53, ANY_OF(PROJECT_OWNER), "setProjectLimit",
      "Set one limit of a project",
      "Gives the project its own value, up to what the operator allows.",
      .run = project_limit_set, .request = &project_limit_schema, .response = &project_limit_schema,
      .example = "{\"value\": 20}" },
    { GET, "/groups/{groupId}/dbVersions", S53, ANY_OF(PROJECT_READ_ONLY), "listProjectDbVersions",
      "Return all database versions that a project can use",
      "Lists the versions that new clusters of the project can run, with the instance sizes that support them.",
      .shape = SHAPE_LIST, .run = db_versions_list, .response = &db_version_schema, .query = db_versions_query },
    { GET, "/groups/{groupId}/settings", S53, ANY_OF(PROJECT_READ_ONLY), "getProjectSettings",
      "Return the settings of one project",
      "Shows which features are switched on for the people who work in the project.",
      .read = &crud_get_single, .kind = &settings_kind, .response = &settings_schema },
    { PATCH, "/groups/{groupId}/settings", S53, ANY_OF(PROJECT_OWNER), "updateProjectSettings",
      "Change the settings of one project",
      "Switches features on or off, for requests at once and on hosts within a minute. Fields that are not sent stay as they are. What was collected before stays.",
      .run = crud_update_single, .kind = &settings_kind, .request = &settings_schema,
      .response = &settings_schema, .example = "{\"isPerformanceAdvisorEnabled\": false}" },
    { POST, "/groups/{groupId}:migrate", S53, ANY_OF(ORG_OWNER), "migrateProject",
      "Move one project to another organization",
      "Moves the project with everything in it. The caller must be an owner of both organizations. People keep their roles in "
      "the project. Service accounts and API keys of the old organization lose theirs, and open invitations to the project end.",
      .success = 200, .since = "2024-11-13", 
      .run = project_migrate, .request = &move_schema, .response = &project_schema,
      .example = "{\"destinationOrgId\": \"650000000000000000000001\"}" },

    { GET, "/groups", S54, ANY_CALLER, "listProjects",
      "Return all projects that the caller can see",
      "Lists all projects of the caller's organization if a role there allows it, else those in which the caller holds a role. "
      "Oldest first.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}", .run = project_list, .response = &project_schema },
    { POST, "/groups", S54, ANYWHERE(ORG_OWNER | ORG_GROUP_CREATOR), "createProject",
      "Create one project",
      "Creates an empty project in the organization that the body names. A caller who can create projects but cannot see all "
      "of them becomes its owner.",
      .item = "/groups/{groupId}", .run = project_create, .request = &project_schema, .response = &project_schema,
      .query = create_query,
      .example = "{\"name\": \"storefront\", \"orgId\": \"650000000000000000000001\"}" },
    { GET, "/groups/byName/{groupName}", S54, ANY_CALLER, "getProjectByName",
      "Return one project by its name",
      "Searches only the projects that the caller can see.",
      .item = "/groups/{groupId}", .run = project_by_name, .response = &project_schema },
};
// clang-format on

FAMILY(projects_family, "projects", "Projects", "Projects, their limits, settings and invitations.", project_endpoints);

/* The settings column holds what has no column of its own. */
static str
settings_text(struct request *req, json_t *current)
{
    static const char *const kept[] = { "tags", "withDefaultAlertsSettings" };
    for (size_t i = 0; i < LENGTH(kept); i++) {
        json_t *sent = json_object_get(req->body, kept[i]);
        if (sent != NULL)
            json_object_set(current, kept[i], sent);
    }
    return json_text(req->arena, current);
}

/* ---- reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_PROJECT, req->project);
    return OK;
}

static const struct read project_get = { SQL_PROJECT_GET, bind_get, answer_row };

/*
 * A role in an organization that implies reading its projects shows all of them; elsewhere only those in which the caller
 * holds a role of its own are there for it. Most callers see one organization or single projects, which has shorter ways.
 */
struct view {
    enum { SEES_SINGLE_PROJECTS, SEES_ONE_ORGANIZATION, SEES_SEVERAL } kind;
    id organization;       /* the one */
    json_t *organizations; /* all that are seen as a whole */
};

static struct view
view_of(const struct request *req)
{
    struct view view = { .organizations = json_in(req->arena, json_array()) };
    const struct principal *caller = req->caller;
    bool elsewhere = false;
    for (size_t i = 0; i < caller->grant_count; i++) {
        const struct grant *grant = &caller->grants[i];
        bool whole = (principal_roles_in_organization(caller, grant->organization) & PROJECT_READ_ONLY) != 0;
        if (whole && !id_is_there(grant->project)) { /* there is one such grant in each organization */
            view.organization = grant->organization;
            json_array_append_new(view.organizations, json_string(id_text(req->arena, grant->organization).data));
        }
        elsewhere |= !whole && id_is_there(grant->project);
    }
    if (json_array_size(view.organizations) > 0)
        view.kind = elsewhere || json_array_size(view.organizations) > 1 ? SEES_SEVERAL : SEES_ONE_ORGANIZATION;
    return view;
}

static error
project_list(struct request *req)
{
    static const enum sql statements[] = {
        [SEES_SINGLE_PROJECTS] = SQL_PROJECT_LIST_GRANTED,
        [SEES_ONE_ORGANIZATION] = SQL_PROJECT_LIST,
        [SEES_SEVERAL] = SQL_PROJECT_LIST_SEEN,
    };
    struct params params = { 0 };
    struct rows rows;
    struct view view = view_of(req);
    if (view.kind == SEES_ONE_ORGANIZATION)
        params_id(&params, P_ORGANIZATION, view.organization);
    else
        params_id(&params, P_CALLER, req->caller->id);
    list_bind(req, &params);
    if (view.kind == SEES_SEVERAL)
        params_text(&params, P_ORGANIZATIONS, json_text(req->arena, view.organizations));
    if (view.kind != SEES_ONE_ORGANIZATION)
        request_bind_reach(req, &params);
    TRY(store_read(req->api->store, req->arena, statements[view.kind], &params, &rows));
    return list_answer(req, &rows);
}

error
project_list_of_organization(struct request *req)
{
    struct params params = { 0 };
    struct rows rows;
    bool whole = (req->roles & PROJECT_READ_ONLY) != 0;
    str name = request_query(req, "name");
    params_id(&params, P_ORGANIZATION, req->organization);
    list_bind(req, &params);
    if (whole && name.len == 0) {
        TRY(store_read(req->api->store, req->arena, SQL_PROJECT_LIST, &params, &rows));
        return list_answer(req, &rows);
    }
    if (whole)
        params_null(&params, P_CALLER);
    else
        params_id(&params, P_CALLER, req->caller->id);
    params_text(&params, P_NAME, name);
    TRY(store_read(req->api->store, req->arena, SQL_PROJECT_LIST_OF_ORGANIZATION, &params, &rows));
    return list_answer(req, &rows);
}

static error
project_by_name(struct request *req)
{
    static const enum sql statements[] = {
        [SEES_SINGLE_PROJECTS] = SQL_PROJECT_BY_NAME_GRANTED,
        [SEES_ONE_ORGANIZATION] = SQL_PROJECT_BY_NAME,
        [SEES_SEVERAL] = SQL_PROJECT_BY_NAME_SEEN,
    };
    struct params params = { 0 };
    struct rows rows;
    struct view view = view_of(req);
    if (view.kind == SEES_ONE_ORGANIZATION)
        params_id(&params, P_ORGANIZATION, view.organization);
    else
        params_id(&params, P_CALLER, req->caller->id);
    params_text(&params, P_NAME, request_path_value(req, "groupName"));
    if (view.kind == SEES_SEVERAL) {
        params_text(&params, P_ORGANIZATIONS, json_text(req->arena, view.organizations));
        params_id(&params, P_OWN_ORGANIZATION, req->caller->organization);
    }
    if (view.kind != SEES_ONE_ORGANIZATION)
        request_bind_reach(req, &params);
    TRY(store_read(req->api->store, req->arena, statements[view.kind], &params, &rows));
    if (rows.count == 0)
        return request_not_found(req);
    answer_created(req, rows_text(&rows, 0, C_DOCUMENT), rows_text(&rows, 0, C_ID), rows_int(&rows, 0, C_REVISION));
    return OK;
}

/* ---- changing ---- */

/* Events and answers show the project as the API does. */
static error
read_document(struct request *req, id project, str *ret_text, int64_t *ret_revision, json_t **ret_json)
{
    TRY(store_project_document(req->tx, req->organization, project, ret_text, ret_revision));
    *ret_json = json_parse_own(req->arena, *ret_text);
    return *ret_json == NULL ? fail(req->arena, OVERLOADED) : OK;
}

static error
grant_ownership(struct request *req, id project)
{
    str owner_text = request_query(req, "projectOwnerId");
    id owner;
    if (owner_text.len > 0 && id_parse(owner_text, &owner)) {
        /* Whoever is not in the organization has to be invited: nobody is made a member who did not agree. */
        bool found;
        struct member member;
        TRY(store_member_find(req->tx, req->organization, owner, ID_NONE, &found, &member));
        if (!found || member.status != MEMBER_ACTIVE)
            return fail(req->arena, INVALID_QUERY_PARAMETER, V("projectOwnerId"),
                        V("the organization has no such member"));
        TRY(add_role_grant(req->tx, owner, req->organization, project, STR("GROUP_OWNER")));
    }
    /* Whoever may create projects but not see them all would otherwise lose sight of its own. */
    role_set roles = principal_roles_in_organization(req->caller, req->organization);
    if ((roles & PROJECT_OWNER) == 0)
        TRY(add_role_grant(req->tx, req->caller->id, req->organization, project, STR("GROUP_OWNER")));
    return OK;
}

/* An organization that wants no default alerts has none in any project, whatever the project says. */
static error
obey_organization(struct request *req)
{
    str text;
    int64_t revision;
    TRY(store_organization_document(req->tx, req->organization, &text, &revision));
    json_t *organization = json_parse_own(req->arena, text);
    if (json_is_true(json_object_get(organization, "skipDefaultAlertsSettings")))
        json_object_set_new(req->body, "withDefaultAlertsSettings", json_false());
    return OK;
}

static error
project_create(struct request *req)
{
    id organization;
    if (!id_parse(json_str(json_object_get(req->body, "orgId")), &organization))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("orgId"), V("it must be 24 hexadecimal digits"));
    if (!principal_is_in_organization(req->caller, organization))
        return fail(req->arena, NOT_A_MEMBER, V("this organization"));
    role_set roles = principal_roles_in_organization(req->caller, organization);
    if ((roles & req->endpoint->access.roles) == 0)
        return fail(req->arena, MISSING_ROLE, V(role_set_text(req->arena, req->endpoint->access.roles)));
    TRY(request_check_unlocked(req, organization));
    req->organization = organization;
    TRY(tx_set_organization(req->tx, organization));

    id project = id_new(store_cell(req->api->store));
    json_t *settings = json_in(req->arena, json_object()), *after;
    str document;
    int64_t revision;
    TRY(obey_organization(req));
    TRY(store_project_add(req->tx, organization, project, json_str(json_object_get(req->body, "name")),
                          settings_text(req, settings)));
    TRY(grant_ownership(req, project));
    TRY(authority_changed(req->tx, "project", project));
    TRY(read_document(req, project, &document, &revision, &after));
    TRY(request_event_in(req, EVENT_PROJECT_CREATED, organization, project, NULL, after));
    if (json_is_true(json_object_get(after, "withDefaultAlertsSettings")))
        TRY(alert_config_add_defaults(req, organization, project));
    answer_created(req, document, id_text(req->arena, project), revision);
    return OK;
}

static error
project_update(struct request *req)
{
    struct project current;
    str document, ignored;
    int64_t revision;
    json_t *before, *after;
    TRY(store_project_lock(req->tx, req->organization, req->project, &current));
    TRY(request_check_match(req, current.revision));
    TRY(read_document(req, req->project, &ignored, &revision, &before));
    const json_t *name = json_object_get(req->body, "name");
    json_t *settings = json_parse_own(req->arena, current.settings);
    TRY(store_project_update(req->tx, req->organization, req->project, name != NULL ? json_str(name) : current.name,
                             settings_text(req, settings)));
    TRY(read_document(req, req->project, &document, &revision, &after));
    TRY(request_event(req, EVENT_PROJECT_UPDATED, before, after));
    answer_entity(req, document, revision);
    return OK;
}

static error
project_delete(struct request *req)
{
    struct project current;
    str document, goes;
    int64_t revision, protected_ms;
    json_t *before;
    TRY(store_project_lock_to_go(req->tx, req->organization, req->project, &current));
    TRY(request_check_match(req, current.revision));
    if (current.cluster_count > 0)
        return fail(req->arena, PROJECT_NOT_EMPTY, V(current.name), V(current.cluster_count));
    /* What a compliance policy protects outlives its cluster, and would go with the project. */
    TRY(store_backup_protected_until(req->tx, req->project, &protected_ms));
    if (protected_ms > 0)
        return fail(req->arena, BACKUP_PROTECTED, V(date_text(req->arena, protected_ms / 1000 * 1000)));
    TRY(read_document(req, req->project, &document, &revision, &before));
    TRY(store_project_takes_along(req->tx, req->organization, req->project, &goes));
    TRY(store_project_delete(req->tx, req->organization, req->project));
    TRY(authority_changed(req->tx, "project", req->project));
    TRY(request_event(req, EVENT_PROJECT_DELETED, before, NULL));
    answer_nothing(req);
    answer_takes_along(req, goes);
    return OK;
}

/* The one change with two organizations in it. Each chain of events gets its own: it left here, it came there. */
static error
project_migrate(struct request *req)
{
    struct project current;
    str document;
    int64_t revision;
    json_t *before, *after;
    id from = req->organization, to;
    str to_text = json_str(json_object_get(req->body, "destinationOrgId"));
    if (!id_parse(to_text, &to) || !principal_is_in_organization(req->caller, to))
        return fail(req->arena, NOT_A_MEMBER, V("the organization in destinationOrgId"));
    if ((principal_roles_in_organization(req->caller, to) & ORG_OWNER) == 0)
        return fail(req->arena, MISSING_ROLE, V("ORG_OWNER in the organization in destinationOrgId"));
    TRY(request_check_unlocked(req, to));
    if (id_eq(from, to))
        return fail(req->arena, SAME_ORGANIZATION, V(to_text));
    TRY(store_project_lock_to_go(req->tx, req->organization, req->project, &current));
    TRY(request_check_match(req, current.revision));
    TRY(read_document(req, req->project, &document, &revision, &before));
    json_t *gone = json_in(req->arena, json_pack("{s:s}", "orgId", to_text.data));
    TRY(request_event_in(req, EVENT_PROJECT_MOVED, from, req->project, before, gone));
    TRY(store_project_move(req->tx, req->project, from, to, current.name));
    TRY(authority_changed(req->tx, "project", req->project));
    TRY(authority_changed(req->tx, "org", from));
    TRY(authority_changed(req->tx, "org", to));
    TRY(tx_set_organization(req->tx, to));
    req->organization = to;
    TRY(read_document(req, req->project, &document, &revision, &after));
    TRY(request_event_in(req, EVENT_PROJECT_MOVED, to, req->project, before, after));
    answer_entity(req, document, revision);
    return OK;
}

/* ---- settings ---- */
/* Nodes must refuse at once what is switched off; hosts are told by a trigger (project_settings_change_goals.sql). */
static error
check_settings(struct request *req, struct change *change)
{
    if (json_is_true(json_object_get(change->after, "isDataExplorerEnabled")))
        return fail(
            req->arena, INVALID_ATTRIBUTE_VALUE, V("isDataExplorerEnabled"),
            V("the console does not show what is in tables; use `reeve connect`, with a database user of your own"));
    if (json_is_false(json_object_get(change->after, "isRealtimePerformancePanelEnabled")))
        return fail(
            req->arena, INVALID_ATTRIBUTE_VALUE, V("isRealtimePerformancePanelEnabled"),
            V("whoever may read the project may see its measurements; take the role away from those who must not"));
    return authority_changed(req->tx, "project", req->project);
}
