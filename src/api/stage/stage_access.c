/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who calls, from where, into what context, with which role. A refusal is never given from memory alone: before one of
 * these stages says no, caller and context are read from the database once for this request.
 */
#include "api/catalog.h"
#include "api/sign_in/step_up.h"
#include "api/stage/stages.h"

/* A template with `{federationSettingsId}` but without `{orgId}` names a federation as its context. */
enum context_kind { CONTEXT_NONE, CONTEXT_PROJECT, CONTEXT_ORGANIZATION, CONTEXT_FEDERATION };

static enum context_kind
context_of(const struct request *req, str *ret_value)
{
    static const struct {
        const char *parameter;
        enum context_kind kind;
    } contexts[] = {
        { "groupId", CONTEXT_PROJECT },
        { "orgId", CONTEXT_ORGANIZATION },
        { "federationSettingsId", CONTEXT_FEDERATION },
    };
    for (size_t i = 0; i < LENGTH(contexts); i++) {
        *ret_value = request_path_value(req, contexts[i].parameter);
        if (ret_value->len > 0)
            return contexts[i].kind;
    }
    return CONTEXT_NONE;
}

static error
load_facts(struct request *req, bool fresh)
{
    struct auth *auth = req->api->auth;
    if (id_is_there(req->project))
        return auth_project_facts(auth, req->arena, req->project, req->may_block, fresh, &req->facts);
    if (id_is_there(req->organization))
        return auth_organization_facts(auth, req->arena, req->organization, req->may_block, fresh, &req->facts);
    if (req->caller != NULL)
        return auth_user_facts(auth, req->arena, req->caller->id, req->may_block, fresh, &req->facts);
    return OK;
}

struct credentials
request_credentials(const struct request *req)
{
    return (struct credentials){
        .authorization = req->in.authorization,
        .method = req->in.method,
        .target = req->in.target,
        .client = req->in.client,
        .cookie = req->in.cookie,
        .origin = req->in.origin,
        .fetch_site = req->in.fetch_site,
    };
}

/* Reads the caller and the context again, from the database. */
static error
confirm(struct request *req)
{
    if (!req->may_block)
        return WOULD_BLOCK;
    struct credentials credentials = request_credentials(req);
    TRY(auth_reload_principal(req->api->auth, req->arena, &credentials, req->caller, &req->caller));
    TRY(load_facts(req, true));
    req->confirmed = true;
    return OK;
}

/* ---- authenticate ---- */

error
stage_authenticate(struct request *req)
{
    if (req->endpoint->access.rule == ACCESS_PUBLIC)
        return OK;
    struct credentials credentials = request_credentials(req);
    return auth_authenticate(req->api->auth, req->arena, &credentials, req->may_block, false, &req->caller);
}

/* Somebody with good credentials looks where they have no business. Only that is refused when it goes on. */
static error
count_stray(struct request *req, error refusal)
{
    return auth_count_failure(req->api->auth, req->arena, &req->in.client, req->caller->name, refusal);
}

/* ---- origin ---- */

static error
judge_origin(struct request *req)
{
    switch (principal_check_origin(req->caller, &req->in.client)) {
    case ORIGIN_NOT_LISTED:
        return fail(req->arena, ADDRESS_NOT_ALLOWED, V(net_address_text(req->arena, &req->in.client)));
    case ORIGIN_LIST_MISSING: return fail(req->arena, ACCESS_LIST_REQUIRED);
    case ORIGIN_ALLOWED: auth_note_origin(req->api->auth, req->caller, &req->in.client); break;
    }
    return OK;
}

/* ---- context ---- */

static error
judge_membership(struct request *req)
{
    bool inside = true;
    if (id_is_there(req->project))
        inside = principal_is_in_project(req->caller, req->facts->organization, req->project);
    else if (id_is_there(req->organization))
        inside = principal_is_in_organization(req->caller, req->organization);
    if (inside)
        return OK;
    return fail(req->arena, NOT_A_MEMBER, V(id_is_there(req->project) ? "this project" : "this organization"));
}

/* Of the organizations that share the federation, the one in which the caller may do it, or at least belongs to. */
static error
find_federation(struct request *req, id federation)
{
    if (!req->may_block)
        return WOULD_BLOCK;
    size_t count;
    const id *organizations;
    TRY(auth_federation_organizations(req->api->auth, req->arena, federation, &count, &organizations));
    if (count == 0)
        return request_not_found(req);
    req->organization = organizations[0];
    for (size_t i = 0; i < count; i++) {
        if (principal_is_in_organization(req->caller, organizations[i]))
            req->organization = organizations[i];
        if ((principal_roles_in_organization(req->caller, organizations[i]) & req->endpoint->access.roles) != 0)
            break;
    }
    return OK;
}

/* Where the path names a federation around an organization, the two must belong together. */
static error
check_federation(struct request *req)
{
    id federation;
    str value = request_path_value(req, "federationSettingsId");
    if (value.len == 0)
        return OK;
    if (!id_parse(value, &federation))
        return request_not_found(req);
    if (!req->may_block)
        return WOULD_BLOCK;
    size_t count;
    const id *organizations;
    TRY(auth_federation_organizations(req->api->auth, req->arena, federation, &count, &organizations));
    for (size_t i = 0; i < count; i++) {
        if (id_eq(organizations[i], req->organization))
            return OK;
    }
    return request_not_found(req);
}

static error
find_context(struct request *req, enum context_kind kind, str value)
{
    id named;
    if (!id_parse(value, &named))
        return request_not_found(req);
    if (kind == CONTEXT_FEDERATION)
        TRY(find_federation(req, named));
    else if (kind == CONTEXT_ORGANIZATION)
        req->organization = named;
    else
        req->project = named;
    return OK;
}

error
stage_context(struct request *req)
{
    str value;
    enum context_kind kind = context_of(req, &value);
    if (kind != CONTEXT_NONE)
        TRY(find_context(req, kind, value));
    TRY(load_facts(req, false));
    if (kind == CONTEXT_NONE)
        return OK;
    /* Of an organization that is gone its own credentials are gone, too: then that is the answer. */
    if (!req->facts->exists && !req->confirmed)
        TRY(confirm(req));
    if (!req->facts->exists)
        return request_not_found(req);
    req->organization = req->facts->organization;
    if (judge_membership(req) != OK && !req->confirmed) {
        TRY(confirm(req));
        if (!req->facts->exists)
            return request_not_found(req);
    }
    error refusal = judge_membership(req);
    if (refusal == OK)
        return check_federation(req);
    return count_stray(req, refusal);
}

error
stage_origin(struct request *req)
{
    if (req->caller == NULL)
        return OK;
    error refusal = judge_origin(req);
    if (refusal == OK || req->confirmed)
        return refusal;
    TRY(confirm(req));
    refusal = judge_origin(req);
    return refusal == OK ? OK : count_stray(req, refusal);
}

/* ---- limit ---- */

static struct bucket_size
bucket_size_for(const struct request *req, enum set_label set)
{
    for (size_t i = 0; req->facts != NULL && i < req->facts->override_count; i++) {
        const struct limit_override *override = &req->facts->overrides[i];
        if (override->set == set)
            return (struct bucket_size){ override->capacity, override->refill };
    }
    return (struct bucket_size){ set_rows[set].capacity, set_rows[set].refill };
}

static struct bucket_name
bucket_name_for(const struct request *req, enum set_label set)
{
    switch (set_rows[set].scope) {
    case SCOPE_PROJECT: return bucket_of_id(set, req->project);
    case SCOPE_ORGANIZATION: return bucket_of_id(set, req->organization);
    case SCOPE_USER: return bucket_of_id(set, req->caller->id);
    default: return bucket_of_address(set, &req->in.client);
    }
}

error
request_spend(struct request *req, enum set_label set)
{
    struct bucket_name name = bucket_name_for(req, set);
    struct bucket_size size = bucket_size_for(req, set);
    struct take take = limit_take(req->api->limiter, &name, size, req->may_block);
    if (take.outcome == TAKE_MUST_ASK)
        return WOULD_BLOCK;
    req->has_bucket = true;
    req->bucket_capacity = size.capacity;
    req->bucket_remaining = take.remaining;
    if (take.outcome == TAKE_ALLOWED)
        return OK;
    req->denied_by = set;
    error denied = fail(req->arena, RATE_LIMITED_TOKEN_BUCKET, V(req->path), V(take.retry_after_s), V(size.capacity),
                        V(size.refill), V(REFILL_PERIOD_S));
    return error_retry_after(req->arena, denied, take.retry_after_s);
}

error
stage_limit(struct request *req)
{
    return request_spend(req, req->endpoint->set);
}

/* ---- authorize ---- */

static error
judge_role(struct request *req)
{
    const struct access *access = &req->endpoint->access;
    switch (access->rule) {
    case ACCESS_PUBLIC:
    case ACCESS_ANY_CALLER: return OK;
    case ACCESS_ANYWHERE: req->roles = principal_roles_anywhere(req->caller); break;
    case ACCESS_ROLES:
        req->roles = id_is_there(req->project)
                         ? principal_roles_in_project(req->caller, req->organization, req->project)
                         : principal_roles_in_organization(req->caller, req->organization);
        break;
    case ACCESS_OPERATOR:
    case ACCESS_UNDECLARED:
        req->roles = 0; /* the catalog refuses such a row; deny if it ever came here */
        break;
    }
    if ((req->roles & access->roles) != 0)
        return OK;
    return fail(req->arena, MISSING_ROLE, V(role_set_text(req->arena, access->roles)));
}

static error
refuse_locked(struct request *req, const struct context_facts *facts)
{
    return fail(req->arena, ORGANIZATION_LOCKED, V(id_text(req->arena, facts->organization)), V(facts->lock_reason));
}

/* What an organization owes does not keep anybody from looking, and not from making it less. */
static error
judge_lock(struct request *req)
{
    const struct endpoint *e = req->endpoint;
    if (req->facts == NULL || !req->facts->locked)
        return OK;
    if (e->method == GET || e->method == DELETE || (e->flags & WHILE_LOCKED) != 0)
        return OK;
    return refuse_locked(req, req->facts);
}

error
request_check_unlocked(struct request *req, id organization)
{
    const struct context_facts *facts;
    TRY(auth_organization_facts(req->api->auth, req->arena, organization, true, true, &facts));
    return facts->locked ? refuse_locked(req, facts) : OK;
}

static error
judge_switch(struct request *req)
{
    enum project_switch needed = req->endpoint->needs;
    if (req->facts == NULL || (req->facts->switched_off & project_switch_bit(needed)) == 0)
        return OK;
    return fail(req->arena, SWITCHED_OFF, V(project_switch_names[needed]));
}

static error
judge_access(struct request *req)
{
    TRY(judge_role(req));
    TRY(judge_lock(req));
    TRY(judge_switch(req));
    return step_up_check(req);
}

error
stage_authorize(struct request *req)
{
    error refusal = judge_access(req);
    if (refusal == OK || req->confirmed)
        return refusal;
    TRY(confirm(req));
    return judge_access(req);
}
