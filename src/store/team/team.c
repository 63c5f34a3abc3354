/* SPDX-License-Identifier: Apache-2.0 */
#include "store/team/team.h"

#include "base/json.h"
#include "store/auth/principal.h"

static error
not_found(struct tx *tx, id team)
{
    return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), team)));
}

static void
bind_team(struct params *params, id organization, id team)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_TEAM, team);
}

static void
bind_project(struct params *params, id organization, id project)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_PROJECT, project);
}

static error
count_rows(struct tx *tx, enum sql statement, const struct params *params, int64_t *ret_count)
{
    struct rows rows;
    TRY(tx_query(tx, statement, params, &rows, NULL));
    *ret_count = rows_int(&rows, 0, C_COUNT);
    return OK;
}

/* ---- Teams ---- */

error
store_team_lock(struct tx *tx, id organization, id team, bool *ret_found, struct team *ret_team)
{
    struct params params = { 0 };
    struct rows rows;
    bind_team(&params, organization, team);
    TRY(tx_query(tx, SQL_TEAM_LOCK, &params, &rows, NULL));
    *ret_found = rows.count == 1;
    if (*ret_found)
        *ret_team = (struct team){ .name = rows_text(&rows, 0, C_NAME), .revision = rows_int(&rows, 0, C_REVISION) };
    return OK;
}

error
store_team_count(struct tx *tx, id organization, int64_t *ret_count)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    return count_rows(tx, SQL_TEAM_COUNT, &params, ret_count);
}

/* Insert and update have the same parameters and the same constraint in their way. */
static error
write_team(struct tx *tx, enum sql statement, id organization, id team, str name)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    bind_team(&params, organization, team);
    params_text(&params, P_NAME, name);
    error problem = tx_query(tx, statement, &params, &rows, &violation);
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("name"), V(name));
    TRY(problem);
    return rows.count == 1 ? OK : not_found(tx, team);
}

error
store_team_add(struct tx *tx, id organization, id team, str name)
{
    return write_team(tx, SQL_TEAM_ADD, organization, team, name);
}

error
store_team_rename(struct tx *tx, id organization, id team, str name)
{
    return write_team(tx, SQL_TEAM_RENAME, organization, team, name);
}

error
store_team_delete(struct tx *tx, id organization, id team)
{
    struct params params = { 0 };
    struct rows rows;
    bind_team(&params, organization, team);
    TRY(tx_query(tx, SQL_TEAM_DELETE, &params, &rows, NULL));
    return rows.count == 1 ? OK : not_found(tx, team);
}

error
store_team_document(struct tx *tx, id organization, id team, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    bind_team(&params, organization, team);
    TRY(tx_query(tx, SQL_TEAM_GET, &params, &rows, NULL));
    if (rows.count == 0)
        return not_found(tx, team);
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_team_record(struct tx *tx, id organization, id team, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    bind_team(&params, organization, team);
    TRY(tx_query(tx, SQL_TEAM_RECORD, &params, &rows, NULL));
    if (rows.count == 0)
        return not_found(tx, team);
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

/* ---- Members ---- */

error
store_team_person_find(struct tx *tx, id organization, id person, str username, bool *ret_found,
                       struct team_person *ret_person)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id_or_null(&params, P_PERSON, person);
    params_text(&params, P_USERNAME, username);
    TRY(tx_query(tx, SQL_TEAM_PERSON_FIND, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (*ret_found)
        *ret_person =
            (struct team_person){ .id = rows_id(&rows, 0, C_PERSON), .username = rows_text(&rows, 0, C_USERNAME) };
    return OK;
}

static error
write_member(struct tx *tx, enum sql statement, id organization, id team, id person, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    bind_team(&params, organization, team);
    params_id(&params, P_PERSON, person);
    TRY(tx_query(tx, statement, &params, &rows, NULL));
    *ret_changed = rows.count == 1;
    return *ret_changed ? authority_changed(tx, "principal", person) : OK;
}

error
store_team_member_add(struct tx *tx, id organization, id team, id person, bool *ret_added)
{
    return write_member(tx, SQL_TEAM_MEMBER_ADD, organization, team, person, ret_added);
}

error
store_team_member_remove(struct tx *tx, id organization, id team, id person, bool *ret_removed)
{
    return write_member(tx, SQL_TEAM_MEMBER_REMOVE, organization, team, person, ret_removed);
}

error
store_team_member_count(struct tx *tx, id organization, id team, int64_t *ret_count)
{
    struct params params = { 0 };
    bind_team(&params, organization, team);
    return count_rows(tx, SQL_TEAM_MEMBER_COUNT, &params, ret_count);
}

error
store_team_user(struct tx *tx, id organization, id person, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PERSON, person);
    TRY(tx_query(tx, SQL_TEAM_USER_GET, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

/* ---- Roles in a project ---- */

static bool
has_team(const struct rows *rows, str team)
{
    for (int row = 0; row < rows->count; row++) {
        if (str_eq(rows_text(rows, row, C_TEAM), team))
            return true;
    }
    return false;
}

error
store_team_lock_all(struct tx *tx, id organization, const json_t *entries, int64_t *ret_missing)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_ENTRIES, json_text(tx_arena(tx), entries));
    TRY(tx_query(tx, SQL_TEAM_LOCK_ALL, &params, &rows, NULL));
    for (size_t i = 0; i < json_array_size(entries); i++) {
        if (!has_team(&rows, json_str(json_object_get(json_array_get(entries, i), "teamId")))) {
            *ret_missing = (int64_t)i;
            return OK;
        }
    }
    *ret_missing = -1;
    return OK;
}

error
store_team_roles(struct tx *tx, id organization, id project, const json_t *entries, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    bind_project(&params, organization, project);
    params_text(&params, P_ENTRIES, json_text(tx_arena(tx), entries));
    TRY(tx_query(tx, SQL_TEAM_GRANT_OF_ALL, &params, &rows, NULL));
    *ret_document = rows_text(&rows, 0, C_DOCUMENTS);
    return OK;
}

error
store_team_roles_add(struct tx *tx, id organization, id project, const json_t *entries, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    bind_project(&params, organization, project);
    params_text(&params, P_ENTRIES, json_text(tx_arena(tx), entries));
    error problem = tx_query(tx, SQL_TEAM_GRANT_ADD, &params, &rows, &violation);
    if (violation.kind == VIOLATION_FOREIGN_KEY)
        return fail(tx_arena(tx), CONCURRENT_CHANGE, V("the project"));
    TRY(problem);
    *ret_changed = rows.count > 0;
    return OK;
}

error
store_team_roles_keep(struct tx *tx, id organization, id project, id team, const json_t *roles, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    bind_project(&params, organization, project);
    params_id(&params, P_TEAM, team);
    params_text(&params, P_ROLES, json_text(tx_arena(tx), roles));
    TRY(tx_query(tx, SQL_TEAM_GRANT_KEEP, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return OK;
}

/* ---- After a change ---- */

error
store_team_changed(struct tx *tx, id organization, const json_t *entries)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_ENTRIES, json_text(tx_arena(tx), entries));
    return tx_query(tx, SQL_TEAM_TOUCH, &params, &rows, NULL);
}

error
store_team_members_changed(struct tx *tx, id organization, const json_t *entries)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_ENTRIES, json_text(tx_arena(tx), entries));
    params_text(&params, P_CHANNEL, STR(AUTHORITY_CHANNEL));
    return tx_query(tx, SQL_TEAM_NOTIFY, &params, &rows, NULL);
}
