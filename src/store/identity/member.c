/* SPDX-License-Identifier: Apache-2.0 */
#include "store/identity/member.h"

#include "base/json.h"
#include "store/auth/principal.h"

static enum member_status
status_of(str text)
{
    if (str_is(text, "ACTIVE"))
        return MEMBER_ACTIVE;
    return str_is(text, "PENDING") ? MEMBER_INVITED : MEMBER_INVITATION_EXPIRED;
}

error
store_member_lock(struct tx *tx, id organization, id member)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MEMBER, member);
    return tx_query(tx, SQL_MEMBER_LOCK, &params, &rows, NULL);
}

error
store_member_find(struct tx *tx, id organization, id member, id project, bool *ret_found, struct member *ret_member)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MEMBER, member);
    params_id_or_null(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_MEMBER_GET, &params, &rows, NULL));
    *ret_found = rows.count == 1;
    if (*ret_found)
        *ret_member = (struct member){
            .id = member,
            .status = status_of(rows_text(&rows, 0, C_STATUS)),
            .document = rows_text(&rows, 0, C_DOCUMENT),
            .revision = rows_int(&rows, 0, C_REVISION),
        };
    return OK;
}

error
store_member_by_name(struct tx *tx, id organization, str username, bool *ret_found, struct member *ret_member)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_USERNAME, username);
    TRY(tx_query(tx, SQL_MEMBER_BY_NAME, &params, &rows, NULL));
    *ret_found = rows.count == 1;
    if (*ret_found)
        *ret_member =
            (struct member){ .id = rows_id(&rows, 0, C_MEMBER), .status = status_of(rows_text(&rows, 0, C_STATUS)) };
    return OK;
}

/* ---- Roles ---- */

static void
bind_role(struct params *params, id organization, id member, id project, str role)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_MEMBER, member);
    params_id_or_null(params, P_PROJECT, project);
    params_text(params, P_ROLE, role);
}

error
store_member_add_role(struct tx *tx, id organization, const struct member *member, id project, str role)
{
    struct params params = { 0 };
    struct rows rows;
    if (member->status == MEMBER_ACTIVE)
        return add_role_grant(tx, member->id, organization, project, role);
    bind_role(&params, organization, member->id, project, role);
    TRY(tx_query(tx, SQL_INVITATION_ROLE_ADD, &params, &rows, NULL));
    return rows.count == 1 ? OK : fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), project)));
}

error
store_member_remove_role(struct tx *tx, id organization, const struct member *member, id project, str role)
{
    struct params params = { 0 };
    struct rows rows;
    if (member->status == MEMBER_ACTIVE)
        return remove_role_grant(tx, member->id, organization, project, role, NULL);
    bind_role(&params, organization, member->id, project, role);
    return tx_query(tx, SQL_INVITATION_ROLE_REMOVE, &params, &rows, NULL);
}

error
store_member_keep_roles(struct tx *tx, id organization, const struct member *member, enum role_part part, id project,
                        const json_t *kept)
{
    static const char *const parts[] = { [ROLES_IN_ORGANIZATION] = "organization", [ROLES_IN_PROJECTS] = "projects" };
    struct params params = { 0 };
    struct rows rows;
    bool is_active = member->status == MEMBER_ACTIVE;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MEMBER, member->id);
    params_text(&params, P_PART, part == ROLES_IN_ONE_PROJECT ? id_text(tx_arena(tx), project) : str_from(parts[part]));
    params_text(&params, P_KEPT, json_text(tx_arena(tx), kept));
    TRY(tx_query(tx, is_active ? SQL_MEMBER_GRANTS_KEEP : SQL_INVITATION_ROLES_KEEP, &params, &rows, NULL));
    return is_active ? authority_changed(tx, "principal", member->id) : OK;
}

static error
delete_invitation(struct tx *tx, id organization, id invitation, bool only_when_empty)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_INVITATION, invitation);
    params_bool(&params, P_ONLY_WHEN_EMPTY, only_when_empty);
    return tx_query(tx, SQL_INVITATION_DELETE, &params, &rows, NULL);
}

error
store_member_remove(struct tx *tx, id organization, const struct member *member, id project)
{
    bool is_active = member->status == MEMBER_ACTIVE;
    if (id_is_there(project)) {
        json_t *none = json_in(tx_arena(tx), json_array());
        TRY(store_member_keep_roles(tx, organization, member, ROLES_IN_ONE_PROJECT, project, none));
        return is_active ? OK : delete_invitation(tx, organization, member->id, true);
    }
    if (!is_active)
        return delete_invitation(tx, organization, member->id, false);
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MEMBER, member->id);
    TRY(tx_query(tx, SQL_MEMBER_GRANTS_REMOVE, &params, &rows, NULL));
    return authority_changed(tx, "principal", member->id);
}

/* ---- Invitations ---- */

static void
bind_draft(struct params *params, const struct invitation_draft *draft)
{
    params_bytes(params, P_MAC, (str){ (const char *)draft->mac, 32 });
    params_int(params, P_PEPPER_VERSION, draft->pepper_version);
    params_text(params, P_INVITER_NAME, draft->inviter_name);
    params_int(params, P_DAYS, draft->days);
    params_bytes(params, P_SEALED_TOKEN, draft->sealed_token);
}

error
store_invitation_add(struct tx *tx, id organization, const struct invitation_draft *draft, bool *ret_invited)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_INVITATION, draft->id);
    params_text(&params, P_USERNAME, draft->username);
    bind_draft(&params, draft);
    TRY(tx_query(tx, SQL_INVITATION_ADD, &params, &rows, &violation));
    if (violation.kind == VIOLATION_FOREIGN_KEY) /* deleted at this moment */
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), organization)));
    *ret_invited = violation.kind == VIOLATION_NONE;
    return OK;
}

error
store_invitation_renew(struct tx *tx, id organization, const struct invitation_draft *draft)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_INVITATION, draft->id);
    bind_draft(&params, draft);
    TRY(tx_query(tx, SQL_INVITATION_RENEW, &params, &rows, NULL));
    return rows.count == 1 ? OK : fail(tx_arena(tx), CONCURRENT_CHANGE, V("the invitation"));
}

error
store_invitation_count(struct tx *tx, id organization, int most, bool *ret_allowed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_int(&params, P_MOST, most);
    TRY(tx_query(tx, SQL_INVITATION_COUNT_TAKE, &params, &rows, NULL));
    *ret_allowed = rows.count == 1;
    return OK;
}

error
store_invitation_document(struct tx *tx, id organization, id invitation, id project, bool *ret_found, str *ret_document,
                          int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MEMBER, invitation);
    params_id_or_null(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_INVITATION_GET, &params, &rows, NULL));
    *ret_found = rows.count == 1;
    if (*ret_found) {
        *ret_document = rows_text(&rows, 0, C_DOCUMENT);
        *ret_revision = rows_int(&rows, 0, C_REVISION);
    }
    return OK;
}

error
store_invitation_by_token(struct store *store, struct arena *arena, const uint8_t mac[32], str username,
                          bool *ret_found, id *ret_organization, id *ret_invitation)
{
    struct params params = { 0 };
    struct rows rows;
    params_bytes(&params, P_MAC, (str){ (const char *)mac, 32 });
    params_text(&params, P_USERNAME, username);
    TRY(store_read(store, arena, SQL_INVITATION_BY_TOKEN, &params, &rows));
    *ret_found = rows.count == 1;
    if (*ret_found) {
        *ret_organization = rows_id(&rows, 0, C_ORGANIZATION);
        *ret_invitation = rows_id(&rows, 0, C_INVITATION);
    }
    return OK;
}

error
store_invitation_for_person(struct store *store, struct arena *arena, id invitation, str username, bool *ret_found,
                            id *ret_organization)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_INVITATION, invitation);
    params_text(&params, P_USERNAME, username);
    TRY(store_read(store, arena, SQL_INVITATION_FOR_PERSON, &params, &rows));
    *ret_found = rows.count == 1;
    if (*ret_found)
        *ret_organization = rows_id(&rows, 0, C_ORGANIZATION);
    return OK;
}

error
store_invitation_accept(struct tx *tx, id organization, id invitation, id person, bool *ret_accepted)
{
    struct params params = { 0 };
    struct rows rows, roles;
    bool belongs = false;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_INVITATION, invitation);
    TRY(store_member_lock(tx, organization, invitation));
    TRY(tx_query(tx, SQL_INVITATION_ACCEPT, &params, &rows, NULL));
    *ret_accepted = rows.count == 1;
    if (!*ret_accepted)
        return OK;
    TRY(tx_query(tx, SQL_INVITATION_ROLES, &params, &roles, NULL));
    for (int i = 0; i < roles.count; i++) {
        bool in_project = !rows_is_null(&roles, i, C_PROJECT);
        belongs |= !in_project;
        TRY(add_role_grant(tx, person, organization, in_project ? rows_id(&roles, i, C_PROJECT) : ID_NONE,
                           rows_text(&roles, i, C_ROLE)));
    }
    /* Whoever works in a project belongs to its organization. */
    return belongs ? OK : add_role_grant(tx, person, organization, ID_NONE, STR("ORG_MEMBER"));
}

/* ---- People ---- */

error
store_member_set_name(struct tx *tx, id organization, id person, const struct member_name *name)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PERSON, person);
    params_text(&params, P_FIRST, name->first);
    params_text(&params, P_LAST, name->last);
    params_text(&params, P_COUNTRY, name->country);
    return tx_query(tx, SQL_MEMBER_NAME_PUT, &params, &rows, NULL);
}

error
store_person_by_username(struct tx *tx, str username, bool *ret_found, id *ret_person)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_USERNAME, username);
    TRY(tx_query(tx, SQL_PERSON_BY_USERNAME, &params, &rows, NULL));
    *ret_found = rows.count == 1;
    if (*ret_found)
        *ret_person = rows_id(&rows, 0, C_PERSON);
    return OK;
}

error
store_person_set_country(struct tx *tx, id person, str country)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PERSON, person);
    params_text(&params, P_COUNTRY, country);
    return tx_query(tx, SQL_PERSON_SET_COUNTRY, &params, &rows, NULL);
}

error
store_person_document(struct tx *tx, id organization, id person, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PERSON, person);
    TRY(tx_query(tx, SQL_PERSON_IN_ORGANIZATION, &params, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), person)));
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}
