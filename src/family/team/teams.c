/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams belong to an organization; projects give them roles. Everybody in a team holds the team's roles in those
 * projects.
 *
 * A request that changes nothing (a person who is a member already, the same name) writes no event and keeps the ETag.
 */
#include "family/team/teams.h"
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/families.h"
#include "family/identity/people.h"
#include "store/team/team.h"
#include "store/tenant/organization.h"

/* Letters and digits of any script, and spaces inside. */
#define TEAM_NAME "^(?! )[\\p{L}\\p{N}\\-_.(),:&@+' ]{1,64}(?<! )$"
#define USERNAME  "^[\\p{L}\\p{N}!#$%&'*+/=?^_`{|}~.@\\-]{1,254}$"

/* So few that lists of them are read without counters, and that a change of roles can be told about each member. */
enum { MAX_TEAMS = 250, MAX_MEMBERS = 250 };

static const struct field team_fields[] = {
    ID("id", "Identifier of the team.", READ_ONLY | ALWAYS),
    TEXT("name", "Name of the team, unique in its organization.", REQUIRED | ALWAYS, .min = 1, .max = 64,
         .pattern = TEAM_NAME, .example = "\"platform\""),
    END_OF_FIELDS,
};
static const struct schema team_schema = { "Team", "A team.", team_fields };

static const struct field new_team_fields[] = {
    ID("id", "Identifier of the team.", READ_ONLY | ALWAYS),
    TEXT("name", "Name of the team, unique in its organization.", REQUIRED | ALWAYS, .min = 1, .max = 64,
         .pattern = TEAM_NAME, .example = "\"platform\""),
    LIST("usernames", "User names of its first members, who must belong to the organization.", REQUIRED | ALWAYS,
         .max = MAX_MEMBERS, .item = TYPE_TEXT, .pattern = USERNAME, .example = "[\"ada@example.org\"]"),
    END_OF_FIELDS,
};
static const struct schema new_team_schema = { "NewTeam", "A team with its first members.", new_team_fields };

static const struct field member_fields[] = {
    ID("id", "Identifier of the person.", REQUIRED, .example = "\"650000000000000000000001\""),
    END_OF_FIELDS,
};
static const struct schema member_schema = { "TeamMember", "A person to add to a team, or to take out of it.",
                                             member_fields };

static const struct field project_roles_fields[] = {
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    LIST("groupRoles", "Roles in it.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema project_roles_schema = { "TeamUserProjectRoles", "A project and the roles held in it.",
                                                    project_roles_fields };

static const struct field user_roles_fields[] = {
    LIST("orgRoles", "Roles in the organization.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    LIST("groupRoleAssignments", "Roles in projects that the person holds without a team.", READ_ONLY | ALWAYS,
         .of = &project_roles_schema),
    END_OF_FIELDS,
};
static const struct schema user_roles_schema = { "TeamUserRoles", "What a person was granted without a team.",
                                                 user_roles_fields };

static const struct field user_fields[] = {
    ID("id", "Identifier of the person.", READ_ONLY | ALWAYS),
    TEXT("username", "User name.", READ_ONLY | ALWAYS),
    TEXT("firstName", "First name.", READ_ONLY | ALWAYS),
    TEXT("lastName", "Last name.", READ_ONLY | ALWAYS),
    DATE("createdAt", "When the person's account was made.", READ_ONLY | ALWAYS),
    TEXT("orgMembershipStatus", "Whether the person is active in the organization yet.", READ_ONLY | ALWAYS),
    OBJECT("roles", "Roles granted to the person.", READ_ONLY | ALWAYS, .of = &user_roles_schema),
    LIST("teamIds", "Teams of the organization that the person is in.", READ_ONLY | ALWAYS, .item = TYPE_ID),
    END_OF_FIELDS,
};
static const struct schema user_schema = { "TeamUser", "A person in a team.", user_fields };

static const struct field users_query[] = {
    TEXT("username", "Only the person with this user name.", 0, .min = 1, .max = 254),
    ID("userId", "Only the person with this identifier.", 0),
    MEMBERSHIP_STATUS_QUERY,
    END_OF_FIELDS,
};

static const struct read team_list, team_get, team_by_name, member_list;
static handler team_create, team_rename, team_delete, members_add, member_add, member_remove, member_delete;

// clang-format off
static const struct endpoint teams_endpoints[] = {
    { GET, "/groups/{groupId}/teams", S64, ANY_OF(PROJECT_READ_ONLY), "listGroupTeams",
      "Return all teams in one project",
      "Lists the teams that hold roles in the project, each with its roles.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/teams/{teamId}",
      .read = &project_team_list, .response = &team_role_schema },
    { POST, "/groups/{groupId}/teams", S64, ANY_OF(PROJECT_ACCESS_MANAGER), "addGroupTeams",
      "Add teams to one project",
      "Grants each team the roles sent with it and keeps those that it holds already; they count for every member at once. "
      "Nobody can grant a role that they do not hold. Answers with all teams of the project.",
      .shape = SHAPE_LIST, .success = 200, .item = "/groups/{groupId}/teams/{teamId}",
      .run = project_teams_add, .flags = BODY_IS_LIST, .request = &team_role_schema, .response = &team_role_schema,
      .example = "[{\"teamId\": \"650000000000000000000001\", \"roleNames\": [\"GROUP_READ_ONLY\"]}]" },
    { DELETE, "/groups/{groupId}/teams/{teamId}", S64, ANY_OF(PROJECT_ACCESS_MANAGER), "removeGroupTeam",
      "Remove one team from one project",
      "Takes away the team's roles in the project. The team stays, and so do the roles that its members hold themselves.",
      .shape = SHAPE_NOTHING, .run = project_team_remove },
    { GET, "/groups/{groupId}/teams/{teamId}", S64, ANY_OF(PROJECT_READ_ONLY), "getGroupTeam",
      "Return one team in one project",
      "Returns the roles that one team holds in the project.",
      .read = &project_team_get, .response = &team_role_schema },
    { PATCH, "/groups/{groupId}/teams/{teamId}", S64, ANY_OF(PROJECT_ACCESS_MANAGER), "updateGroupTeam",
      "Update the roles of one team in one project",
      "Replaces the team's roles in this project; other projects are not touched. Answers with the teams of the "
      "project.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/teams/{teamId}", .run = project_team_update,
      .request = &team_role_schema, .response = &team_role_schema,
      .example = "{\"roleNames\": [\"GROUP_READ_ONLY\"]}" },

    { GET, "/orgs/{orgId}/teams", S65, ANY_OF(ORG_MEMBER), "listOrgTeams",
      "Return all teams in one organization",
      "Lists the teams of the organization, without their members.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/teams/{teamId}", .read = &team_list,
      .response = &team_schema },
    { POST, "/orgs/{orgId}/teams", S65, ANY_OF(ORG_OWNER), "createOrgTeam",
      "Create one team in one organization",
      "Creates a team with its first members, who must belong to the organization. A new team holds no roles "
      "until a project adds it. An organization can have 250 teams, and a team 250 members.",
      .success = 200, .item = "/orgs/{orgId}/teams/{teamId}", .run = team_create, .request = &new_team_schema,
      .response = &new_team_schema, .example = "{\"name\": \"platform\", \"usernames\": [\"ada@example.org\"]}" },
    { GET, "/orgs/{orgId}/teams/byName/{teamName}", S65, ANY_OF(ORG_MEMBER), "getOrgTeamByName",
      "Return one team by name",
      "Finds a team by its name, which is unique in the organization.",
      .item = "/orgs/{orgId}/teams/{teamId}", .read = &team_by_name, .response = &team_schema },
    { DELETE, "/orgs/{orgId}/teams/{teamId}", S65, ANY_OF(ORG_OWNER), "deleteOrgTeam",
      "Delete one team",
      "Deletes the team and with it the roles that its members held through it. The people stay in the "
      "organization.",
      .shape = SHAPE_NOTHING, .run = team_delete },
    { GET, "/orgs/{orgId}/teams/{teamId}", S65, ANY_OF(ORG_MEMBER), "getOrgTeam",
      "Return one team",
      "Returns the name and the id of one team.",
      .read = &team_get, .response = &team_schema },
    { PATCH, "/orgs/{orgId}/teams/{teamId}", S65, ANY_OF(ORG_OWNER), "renameOrgTeam",
      "Rename one team",
      "Changes the name only. Projects know the team by its id, so its roles are not affected.",
      .run = team_rename, .request = &team_schema, .response = &team_schema, .example = "{\"name\": \"platform-eu\"}" },
    { GET, "/orgs/{orgId}/teams/{teamId}/users", S65, ANY_OF(ORG_MEMBER), "listOrgTeamUsers",
      "Return all users in one team",
      "Lists the people in the team, or the one with a certain user name or identifier.",
      .shape = SHAPE_LIST, .since = "2025-02-19", .item = "/orgs/{orgId}/users/{userId}",
      .read = &member_list, .response = &user_schema, .query = users_query },
    { POST, "/orgs/{orgId}/teams/{teamId}/users", S65, ANY_OF(ORG_OWNER), "addOrgTeamUsers",
      "Add users to one team",
      "Adds members of the organization to the team by their ids; if one cannot be added, none is. People who are in the team "
      "already stay. Prefer to add one user at a time.",
      .shape = SHAPE_LIST, .success = 200, .flags = DEPRECATED | BODY_IS_LIST, .item = "/orgs/{orgId}/users/{userId}",
      .run = members_add, .request = &member_schema, .response = &user_schema,
      .example = "[{\"id\": \"650000000000000000000001\"}]" },
    { DELETE, "/orgs/{orgId}/teams/{teamId}/users/{userId}", S65, ANY_OF(ORG_OWNER), "removeOrgTeamUserFromTeam",
      "Remove one user from one team by id",
      "Takes one person out of the team; 404 when they are not in it. Prefer the operation that can be repeated safely.",
      .shape = SHAPE_NOTHING, .flags = DEPRECATED, .run = member_delete },
    { POST, "/orgs/{orgId}/teams/{teamId}:addUser", S65, ANY_OF(ORG_OWNER), "addOrgTeamUser",
      "Add one user to one team",
      "Adds a member of the organization to the team. The team's project roles count for the person at once. Adding somebody "
      "who is in the team already changes nothing.",
      .success = 200, .since = "2025-02-19", .flags = NO_ETAG, .run = member_add,
      .request = &member_schema, .response = &user_schema, .example = "{\"id\": \"650000000000000000000001\"}" },
    { POST, "/orgs/{orgId}/teams/{teamId}:removeUser", S65, ANY_OF(ORG_OWNER), "removeOrgTeamUser",
      "Remove one user from one team",
      "Takes a member of the organization out of the team. They lose the roles that they held only through it. Removing "
      "somebody who is not in the team changes nothing.",
      .success = 200, .since = "2025-02-19", .flags = NO_ETAG, .run = member_remove,
      .request = &member_schema, .response = &user_schema, .example = "{\"id\": \"650000000000000000000001\"}" },
};
// clang-format on

FAMILY(teams_family, "teams", "Teams", "People in an organization who get project roles together.", teams_endpoints);

/* ---- Which one ---- */

bool
team_from_path(const struct request *req, id *ret_team)
{
    return id_parse(request_path_value(req, "teamId"), ret_team);
}

error
team_lock(struct request *req, id *ret_id, struct team *ret_team)
{
    bool found = false;
    if (team_from_path(req, ret_id))
        TRY(store_team_lock(req->tx, req->organization, *ret_id, &found, ret_team));
    if (!found)
        return request_not_found(req);
    return request_check_match(req, ret_team->revision);
}

json_t *
team_entries(struct request *req, id team, const json_t *roles)
{
    json_t *entry = json_pack("{s:s}", "teamId", id_text(req->arena, team).data);
    if (roles != NULL)
        json_object_set(entry, "roleNames", (json_t *)roles);
    return json_in(req->arena, json_pack("[o]", entry));
}

error
team_parse(struct request *req, str text, json_t **ret_json)
{
    *ret_json = json_parse_own(req->arena, text);
    return *ret_json == NULL ? fail(req->arena, OVERLOADED) : OK;
}

/* ---- Reading teams ---- */

static const struct read team_list = { SQL_TEAM_LIST, list_bind_organization, list_answer };

static error
bind_get(struct request *req, struct params *params)
{
    id team;
    if (!team_from_path(req, &team))
        return request_not_found(req);
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_TEAM, team);
    return OK;
}

static const struct read team_get = { SQL_TEAM_GET, bind_get, answer_row };

static error
bind_by_name(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    params_text(params, P_NAME, request_path_value(req, "teamName"));
    return OK;
}

static error
answer_by_name(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    answer_created(req, rows_text(rows, 0, C_DOCUMENT), rows_text(rows, 0, C_ID), rows_int(rows, 0, C_REVISION));
    return OK;
}

static const struct read team_by_name = { SQL_TEAM_BY_NAME, bind_by_name, answer_by_name };

/* ---- Changing teams ---- */

static error
not_in_organization(struct request *req, str attribute)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(attribute), V("there is no such person in the organization"));
}

/* Nothing about a new team changes what anybody may do: it holds no roles. */
static error
add_first_members(struct request *req, id team, const json_t *usernames)
{
    for (size_t i = 0; i < json_array_size(usernames); i++) {
        struct team_person person;
        bool found, added;
        TRY(store_team_person_find(req->tx, req->organization, ID_NONE, json_str(json_array_get(usernames, i)), &found,
                                   &person));
        if (!found)
            return not_in_organization(req, str_format(req->arena, "usernames[%zu]", i));
        TRY(store_team_member_add(req->tx, req->organization, team, person.id, &added));
    }
    return OK;
}

static error
team_create(struct request *req)
{
    struct organization organization;
    id team = id_new(store_cell(req->api->store));
    int64_t count, revision;
    str document;
    json_t *after;
    TRY(store_organization_lock(req->tx, req->organization, &organization));
    TRY(store_team_count(req->tx, req->organization, &count));
    if (count >= MAX_TEAMS)
        return fail(req->arena, TOO_MANY_TEAMS, V(MAX_TEAMS));
    TRY(store_team_add(req->tx, req->organization, team, json_str(json_object_get(req->body, "name"))));
    TRY(add_first_members(req, team, json_object_get(req->body, "usernames")));
    TRY(store_team_document(req->tx, req->organization, team, &document, &revision));
    TRY(store_team_record(req->tx, req->organization, team, &document));
    TRY(team_parse(req, document, &after));
    TRY(request_event(req, EVENT_TEAM_CREATED, NULL, after));
    json_object_del(after, "groupRoleAssignments");
    answer_created(req, json_text(req->arena, after), id_text(req->arena, team), revision);
    return OK;
}

static error
team_rename(struct request *req)
{
    struct team current;
    id team;
    str document;
    int64_t revision;
    json_t *before, *after;
    TRY(team_lock(req, &team, &current));
    TRY(store_team_document(req->tx, req->organization, team, &document, &revision));
    const json_t *name = json_object_get(req->body, "name");
    if (name != NULL && !str_eq(json_str(name), current.name)) {
        TRY(team_parse(req, document, &before));
        TRY(store_team_rename(req->tx, req->organization, team, json_str(name)));
        TRY(store_team_document(req->tx, req->organization, team, &document, &revision));
        TRY(team_parse(req, document, &after));
        TRY(request_event(req, EVENT_TEAM_RENAMED, before, after));
    }
    answer_entity(req, document, revision);
    return OK;
}

static error
team_delete(struct request *req)
{
    struct team current;
    id team;
    str document;
    json_t *before;
    TRY(team_lock(req, &team, &current));
    TRY(store_team_record(req->tx, req->organization, team, &document));
    TRY(team_parse(req, document, &before));
    TRY(store_team_members_changed(req->tx, req->organization, team_entries(req, team, NULL)));
    TRY(store_team_delete(req->tx, req->organization, team));
    TRY(request_event(req, EVENT_TEAM_DELETED, before, NULL));
    answer_nothing(req);
    return OK;
}

/* ---- Members ---- */

static void
bind_members(struct request *req, id team, struct params *params)
{
    str username = request_query(req, "username");
    id person;
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    params_id(params, P_TEAM, team);
    if (username.len > 0)
        params_text(params, P_USERNAME, username);
    else
        params_null(params, P_USERNAME);
    if (id_parse(request_query(req, "userId"), &person))
        params_id(params, P_PERSON, person);
    else
        params_null(params, P_PERSON);
    params_bool(params, P_WITH_ACTIVE, people_status_is_wanted(req, STR("ACTIVE"))); /* who is invited is in no team */
}

static error
bind_member_list(struct request *req, struct params *params)
{
    id team;
    if (!team_from_path(req, &team))
        return request_not_found(req);
    bind_members(req, team, params);
    return OK;
}

static const struct read member_list = { SQL_TEAM_MEMBER_LIST, bind_member_list, list_answer_below };

/* Members as events show them: the team, and who came or went. */
static json_t *
members_record(struct request *req, id team, str name)
{
    return json_in(req->arena, json_pack("{s:s, s:s%, s:[]}", "teamId", id_text(req->arena, team).data, "teamName",
                                         name.data, name.len, "users"));
}

static void
record_member(struct request *req, json_t *record, const struct team_person *person)
{
    json_array_append_new(json_object_get(record, "users"),
                          json_pack("{s:s, s:s%}", "id", id_text(req->arena, person->id).data, "username",
                                    person->username.data, person->username.len));
}

static error
find_member(struct request *req, const json_t *entry, str attribute, struct team_person *ret_person)
{
    id person;
    bool found = false;
    if (id_parse(json_str(json_object_get(entry, "id")), &person))
        TRY(store_team_person_find(req->tx, req->organization, person, STR_EMPTY, &found, ret_person));
    return found ? OK : not_in_organization(req, attribute);
}

/* One event for all who were added, none when all were there already. */
static error
note_members(struct request *req, id team, enum event_type type, const json_t *record)
{
    if (json_array_size(json_object_get(record, "users")) == 0)
        return OK;
    TRY(store_team_changed(req->tx, req->organization, team_entries(req, team, NULL)));
    if (type == EVENT_TEAM_MEMBER_REMOVED)
        return request_event(req, type, record, NULL);
    int64_t count;
    TRY(store_team_member_count(req->tx, req->organization, team, &count));
    if (count > MAX_MEMBERS)
        return fail(req->arena, TOO_MANY_TEAM_MEMBERS, V(MAX_MEMBERS));
    return request_event(req, type, NULL, record);
}

static error
members_add(struct request *req)
{
    struct team current;
    struct params params = { 0 };
    struct rows rows;
    id team;
    TRY(team_lock(req, &team, &current));
    json_t *record = members_record(req, team, current.name);
    for (size_t i = 0; i < json_array_size(req->body); i++) {
        struct team_person person;
        bool added;
        TRY(find_member(req, json_array_get(req->body, i), str_format(req->arena, "[%zu].id", i), &person));
        TRY(store_team_member_add(req->tx, req->organization, team, person.id, &added));
        if (added)
            record_member(req, record, &person);
    }
    TRY(note_members(req, team, EVENT_TEAM_MEMBER_ADDED, record));
    bind_members(req, team, &params);
    TRY(tx_query(req->tx, SQL_TEAM_MEMBER_LIST, &params, &rows, NULL));
    return list_answer(req, &rows);
}

typedef error change_member(struct tx *tx, id organization, id team, id person, bool *ret_changed);

static error
move_member(struct request *req, change_member *change, enum event_type type)
{
    struct team current;
    struct team_person person;
    id team;
    bool changed;
    str document;
    TRY(team_lock(req, &team, &current));
    TRY(find_member(req, req->body, STR("id"), &person));
    TRY(change(req->tx, req->organization, team, person.id, &changed));
    json_t *record = members_record(req, team, current.name);
    if (changed)
        record_member(req, record, &person);
    TRY(note_members(req, team, type, record));
    TRY(store_team_user(req->tx, req->organization, person.id, &document));
    answer_entity(req, document, 0);
    return OK;
}

static error
member_add(struct request *req)
{
    return move_member(req, store_team_member_add, EVENT_TEAM_MEMBER_ADDED);
}

static error
member_remove(struct request *req)
{
    return move_member(req, store_team_member_remove, EVENT_TEAM_MEMBER_REMOVED);
}

static error
member_delete(struct request *req)
{
    struct team current;
    struct team_person person;
    id team, wanted;
    bool found = false;
    TRY(team_lock(req, &team, &current));
    if (id_parse(request_path_value(req, "userId"), &wanted))
        TRY(store_team_person_find(req->tx, req->organization, wanted, STR_EMPTY, &found, &person));
    if (found)
        TRY(store_team_member_remove(req->tx, req->organization, team, person.id, &found));
    if (!found)
        return request_not_found(req);
    json_t *record = members_record(req, team, current.name);
    record_member(req, record, &person);
    TRY(note_members(req, team, EVENT_TEAM_MEMBER_REMOVED, record));
    answer_nothing(req);
    return OK;
}
