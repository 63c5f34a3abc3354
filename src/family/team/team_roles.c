/* SPDX-License-Identifier: Apache-2.0 */
/* The roles that teams hold in projects. */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "family/team/teams.h"

static const struct field team_role_fields[] = {
    ID("teamId", "Identifier of the team.", REQUIRED | ALWAYS, .example = "\"650000000000000000000001\""),
    LIST("roleNames", "Roles of the team in the project.", REQUIRED | ALWAYS, .min = 1, .max = 32, .item = TYPE_TEXT,
         .one_of = project_role_names, .example = "[\"GROUP_READ_ONLY\"]"),
    END_OF_FIELDS,
};
const struct schema team_role_schema = { "TeamRole", "A team and its roles in a project.", team_role_fields };

static error
bind_project_list(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    params_id(params, P_PROJECT, req->project);
    return OK;
}

const struct read project_team_list = { SQL_TEAM_GRANT_LIST, bind_project_list, list_answer };

static error
bind_project_team(struct request *req, struct params *params)
{
    id team;
    if (!team_from_path(req, &team))
        return request_not_found(req);
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_PROJECT, req->project);
    params_id(params, P_TEAM, team);
    return OK;
}

const struct read project_team_get = { SQL_TEAM_GRANT_GET, bind_project_team, answer_row };

static error
answer_project_teams(struct request *req)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(bind_project_list(req, &params));
    TRY(tx_query(req->tx, SQL_TEAM_GRANT_LIST, &params, &rows, NULL));
    return list_answer(req, &rows);
}

/* What these teams hold in the project; for events. */
static error
read_roles(struct request *req, const json_t *entries, json_t **ret_json)
{
    str document;
    TRY(store_team_roles(req->tx, req->organization, req->project, entries, &document));
    return team_parse(req, document, ret_json);
}

/* Locks the team of the path; 404 when it holds no role in the project. */
static error
lock_project_team(struct request *req, id *ret_team, json_t **ret_before)
{
    struct team current;
    TRY(team_lock(req, ret_team, &current));
    TRY(read_roles(req, team_entries(req, *ret_team, NULL), ret_before));
    *ret_before = json_array_get(*ret_before, 0);
    return json_array_size(json_object_get(*ret_before, "roleNames")) > 0 ? OK : request_not_found(req);
}

error
project_teams_add(struct request *req)
{
    int64_t missing;
    bool changed;
    json_t *before, *after;
    for (size_t i = 0; i < json_array_size(req->body); i++)
        TRY(check_grantable(req, json_object_get(json_array_get(req->body, i), "roleNames")));
    TRY(store_team_lock_all(req->tx, req->organization, req->body, &missing));
    if (missing >= 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "[%d].teamId", (int)missing)),
                    V("there is no such team in the organization"));
    TRY(read_roles(req, req->body, &before));
    TRY(store_team_roles_add(req->tx, req->organization, req->project, req->body, &changed));
    if (changed) {
        TRY(store_team_changed(req->tx, req->organization, req->body));
        TRY(store_team_members_changed(req->tx, req->organization, req->body));
        TRY(read_roles(req, req->body, &after));
        TRY(request_event(req, EVENT_TEAM_ADDED_TO_PROJECT, before, after));
    }
    return answer_project_teams(req);
}

error
project_team_update(struct request *req)
{
    id team;
    bool removed, added;
    json_t *before, *after;
    const json_t *roles = json_object_get(req->body, "roleNames"), *named = json_object_get(req->body, "teamId");
    if (named != NULL && !str_eq(json_str(named), request_path_value(req, "teamId")))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("teamId"), V("it must be the team that the path names"));
    TRY(lock_project_team(req, &team, &before));
    if (roles == NULL)
        return answer_project_teams(req);
    TRY(check_replaceable(req, json_object_get(before, "roleNames"), roles));
    json_t *entries = team_entries(req, team, roles);
    TRY(store_team_roles_keep(req->tx, req->organization, req->project, team, roles, &removed));
    TRY(store_team_roles_add(req->tx, req->organization, req->project, entries, &added));
    if (removed || added) {
        TRY(store_team_changed(req->tx, req->organization, entries));
        TRY(store_team_members_changed(req->tx, req->organization, entries));
        TRY(read_roles(req, entries, &after));
        TRY(request_event(req, EVENT_TEAM_ROLES_CHANGED, before, json_array_get(after, 0)));
    }
    return answer_project_teams(req);
}

error
project_team_remove(struct request *req)
{
    id team;
    bool removed;
    json_t *before, *none = json_in(req->arena, json_array());
    TRY(lock_project_team(req, &team, &before));
    TRY(check_grantable(req, json_object_get(before, "roleNames"))); /* nobody takes away more than they could give */
    json_t *entries = team_entries(req, team, NULL);
    TRY(store_team_roles_keep(req->tx, req->organization, req->project, team, none, &removed));
    TRY(store_team_changed(req->tx, req->organization, entries));
    TRY(store_team_members_changed(req->tx, req->organization, entries));
    TRY(request_event(req, EVENT_TEAM_REMOVED_FROM_PROJECT, before, NULL));
    answer_nothing(req);
    return OK;
}
