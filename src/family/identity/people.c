/* SPDX-License-Identifier: Apache-2.0 */
#include "family/identity/people.h"

#include "api/api.h"
#include "base/crypto/invitation_token.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "family/project_limits.h"
#include "store/federation/federation.h"

/* ---- Which one ---- */

static bool
member_from_path(const struct request *req, id *ret_member)
{
    str text = request_path_value(req, "userId");
    if (text.len == 0)
        text = request_path_value(req, "invitationId");
    return id_parse(text, ret_member);
}

const char *const membership_statuses[] = { "ACTIVE", "PENDING", "INVITATION_EXPIRED", NULL };

bool
people_status_is_wanted(const struct request *req, str status)
{
    bool asked = false;
    for (size_t i = 0; i < req->query_count; i++) {
        str name = req->query[i].name;
        if (!str_is(name, "orgMembershipStatus") && !str_is(name, "orgMembershipStatuses"))
            continue;
        if (str_eq(req->query[i].value, status))
            return true;
        asked = true;
    }
    return !asked;
}

error
people_bind_get(struct request *req, struct params *params)
{
    id member;
    if (!member_from_path(req, &member))
        return request_not_found(req);
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_MEMBER, member);
    params_id_or_null(params, P_PROJECT, req->project);
    return OK;
}

error
people_reload(struct request *req, struct member *member, json_t **ret_after)
{
    bool found;
    TRY(store_member_find(req->tx, req->organization, member->id, req->project, &found, member));
    if (!found)
        return request_not_found(req);
    *ret_after = json_parse_own(req->arena, member->document);
    return *ret_after == NULL ? fail(req->arena, OVERLOADED) : OK;
}

error
people_lock(struct request *req, struct member *ret_member, json_t **ret_before)
{
    *ret_member = (struct member){ 0 };
    if (!member_from_path(req, &ret_member->id))
        return request_not_found(req);
    TRY(store_member_lock(req->tx, req->organization, ret_member->id));
    return people_reload(req, ret_member, ret_before);
}

/* ---- Roles ---- */

static error
keep(json_t *kept, str project, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        json_t *one = project.len == 0
                          ? json_pack("{s:O}", "role", json_array_get(names, i))
                          : json_pack("{s:s, s:O}", "project", project.data, "role", json_array_get(names, i));
        json_array_append_new(kept, one);
    }
    return OK;
}

static error
add_all(struct request *req, const struct member *member, id project, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++)
        TRY(store_member_add_role(req->tx, req->organization, member, project, json_str(json_array_get(names, i))));
    return OK;
}

static error
replace(struct request *req, const struct member *member, enum role_part part, id project, const json_t *names)
{
    if (names == NULL)
        return OK;
    json_t *kept = json_in(req->arena, json_array());
    TRY(keep(kept, id_text(req->arena, project), names));
    TRY(store_member_keep_roles(req->tx, req->organization, member, part, project, kept));
    return add_all(req, member, project, names);
}

static error
replace_in_projects(struct request *req, const struct member *member, const struct wanted_roles *wanted)
{
    json_t *kept = json_in(req->arena, json_array());
    size_t count = json_array_size(wanted->in_projects);
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(wanted->in_projects, i);
        TRY(keep(kept, json_str(json_object_get(one, "groupId")), json_object_get(one, wanted->roles_key)));
    }
    TRY(store_member_keep_roles(req->tx, req->organization, member, ROLES_IN_PROJECTS, ID_NONE, kept));
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(wanted->in_projects, i);
        id project;
        error problem = id_parse(json_str(json_object_get(one, "groupId")), &project)
                            ? add_all(req, member, project, json_object_get(one, wanted->roles_key))
                            : fail(req->arena, RESOURCE_NOT_FOUND, V("groupId"));
        if (problem != OK && problem->code == RESOURCE_NOT_FOUND)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE,
                        V(str_format(req->arena, "%s[%zu].groupId", wanted->path, i)),
                        V("the organization has no such project"));
        TRY(problem);
    }
    return OK;
}

static error
check_all_grantable(struct request *req, const struct wanted_roles *wanted)
{
    TRY(check_grantable(req, wanted->in_organization));
    TRY(check_grantable(req, wanted->in_project));
    for (size_t i = 0; i < json_array_size(wanted->in_projects); i++)
        TRY(check_grantable(req, json_object_get(json_array_get(wanted->in_projects, i), wanted->roles_key)));
    return OK;
}

/* In the projects that the member comes to: there may be only so many people in each. */
static error
check_room(struct request *req, const struct member *member, const struct wanted_roles *wanted)
{
    json_t *projects = json_in(req->arena, json_array());
    if (wanted->in_project != NULL)
        json_array_append_new(projects, json_string(id_text(req->arena, req->project).data));
    for (size_t i = 0; i < json_array_size(wanted->in_projects); i++)
        json_array_append(projects, json_object_get(json_array_get(wanted->in_projects, i), "groupId"));
    return project_limit_check_person(req, req->organization, member->id, projects);
}

error
people_set_roles(struct request *req, const struct member *member, const struct wanted_roles *wanted)
{
    struct owner_guard guard;
    bool may_lose_owner = wanted->in_organization != NULL && member->status == MEMBER_ACTIVE;
    TRY(check_all_grantable(req, wanted));
    if (may_lose_owner)
        TRY(owner_guard_begin(req, &guard));
    TRY(check_room(req, member, wanted));
    TRY(replace(req, member, ROLES_IN_ORGANIZATION, ID_NONE, wanted->in_organization));
    TRY(replace(req, member, ROLES_IN_ONE_PROJECT, req->project, wanted->in_project));
    if (wanted->in_projects != NULL)
        TRY(replace_in_projects(req, member, wanted));
    return may_lose_owner ? owner_guard_end(req, &guard) : OK;
}

/* ---- Inviting ---- */

static const char *
context_name(const struct request *req)
{
    return id_is_there(req->project) ? "this project" : "this organization";
}

/* A new invitation, or an expired one that is made new. */
static error
issue(struct request *req, str username, bool renews, struct invited *invited)
{
    uint8_t mac[SHA256_BYTES];
    bool allowed, added = true;
    str sealed;
    struct key key = auth_key_for(req->api->auth, INVITATION_KEY_PURPOSE);
    if (!renews)
        invited->member.id = id_new(store_cell(req->api->store));
    str token = auth_new_invitation_token(req->api->auth, req->arena, mac);
    bool is_sealed = token.len > 0 && invitation_token_seal(req->arena, &key, invited->member.id, token, &sealed);
    crypto_wipe(&key, sizeof(key));
    if (!is_sealed)
        return fail(req->arena, OVERLOADED);
    struct invitation_draft draft = {
        .id = invited->member.id,
        .username = username,
        .inviter_name = req->caller->name,
        .mac = mac,
        .pepper_version = INVITATION_PEPPER_VERSION,
        .days = INVITATION_DAYS,
        .sealed_token = sealed,
    };
    if (renews)
        TRY(store_invitation_renew(req->tx, req->organization, &draft));
    else
        TRY(store_invitation_add(req->tx, req->organization, &draft, &added));
    if (!added)
        return fail(req->arena, ALREADY_INVITED, V(username), V(context_name(req)));
    /* After the invitation, which holds the organization: one that is being deleted is not met half-way. */
    TRY(store_invitation_count(req->tx, req->organization, INVITATIONS_PER_DAY, &allowed));
    if (!allowed)
        return fail(req->arena, TOO_MANY_INVITATIONS, V(INVITATIONS_PER_DAY));
    invited->member.status = MEMBER_INVITED;
    invited->event = EVENT_INVITATION_CREATED;
    return OK;
}

/* Somebody whom the organization knows: only a project has something to add. */
static error
widen(struct request *req, str username, bool members_too, struct invited *invited)
{
    bool is_active = invited->member.status == MEMBER_ACTIVE, is_here = true;
    enum error_code already = is_active ? ALREADY_A_MEMBER : ALREADY_INVITED;
    struct member here;
    if (id_is_there(req->project))
        TRY(store_member_find(req->tx, req->organization, invited->member.id, req->project, &is_here, &here));
    if (is_here)
        return fail(req->arena, already, V(username), V(context_name(req)));
    if (is_active && !members_too)
        return fail(req->arena, already, V(username), V("this organization"));
    invited->event = is_active ? EVENT_USER_ADDED : EVENT_INVITATION_CHANGED;
    return OK;
}

error
people_invite(struct request *req, str username, const struct wanted_roles *wanted, bool members_too,
              struct invited *ret_invited)
{
    bool known;
    *ret_invited = (struct invited){ 0 };
    TRY(check_all_grantable(req, wanted));
    TRY(store_member_by_name(req->tx, req->organization, username, &known, &ret_invited->member));
    if (!known || ret_invited->member.status != MEMBER_ACTIVE)
        TRY(store_federation_check_address(req->tx, req->organization, username, ID_NONE));
    if (known)
        TRY(store_member_lock(req->tx, req->organization, ret_invited->member.id));
    if (known && ret_invited->member.status != MEMBER_INVITATION_EXPIRED)
        TRY(widen(req, username, members_too, ret_invited));
    else
        TRY(issue(req, username, known, ret_invited));
    return people_set_roles(req, &ret_invited->member, wanted);
}
