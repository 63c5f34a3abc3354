/* SPDX-License-Identifier: Apache-2.0 */
/* Rate limits of single organizations, projects and callers, where they are not the default ones. */
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "limit/set_table.h"
#include "operator/parts.h"
#include "store/auth/principal.h"
#include "store/operator/operator.h"

#define EVERY_SET   "all"
#define MOST_TOKENS 1000000000

/* ---- Tables ---- */
static const char *const owner_kinds[] = { "org", "project", "user", NULL };
static const struct field limit_fields[] = {
    TEXT("ownerKind", "Kind of the owner.", READ_ONLY | ALWAYS, .one_of = owner_kinds),
    ID("owner", "Owner of the limit.", READ_ONLY | ALWAYS),
    TEXT("name", "Name of the organization or project.", READ_ONLY),
    TEXT("endpointSetId", "The endpoint set.", READ_ONLY | ALWAYS, .example = "\"S17\""),
    INTEGER("capacity", "Largest number of tokens in the bucket.", REQUIRED | ALWAYS, .min = 1, .max = MOST_TOKENS,
            .example = "200"),
    INTEGER("refillRate", "Tokens that are added every 60 seconds.", REQUIRED | ALWAYS, .min = 1, .max = MOST_TOKENS,
            .example = "100"),
    END_OF_FIELDS,
};
static const struct schema limit_schema = { "LimitOverride", "A limit that replaces the default.", limit_fields };
static const struct field list_query[] = {
    ID("owner", "Only limits of this organization, project or caller.", 0),
    END_OF_FIELDS,
};
static const struct field limit_path[] = {
    TEXT("ownerKind", "Kind of the owner; `user` is a service account, an API key or a person.", 0,
         .one_of = owner_kinds, .example = "\"org\""),
    ID("ownerId", "The organization, project or caller.", 0, .example = "\"650000000000000000000001\""),
    TEXT("endpointSetId", "The endpoint set, such as S17, or `all`.", 0, .max = 8, .pattern = "^(S[0-9]{2,3}|all)$",
         .example = "\"S17\""),
    END_OF_FIELDS,
};

/* ---- Behaviour ---- */
static error
bind_limits(struct request *req, struct params *params)
{
    list_bind(req, params);
    params_id_or_null(params, P_OWNER, request_query_id(req, "owner"));
    return OK;
}
static const struct read limits = { SQL_LIMIT_OVERRIDE_LIST, bind_limits, list_answer };

struct limit_target {
    str kind, set;
    id owner, organization;
};

static error
find_target(struct request *req, struct limit_target *ret)
{
    bool is_there;
    *ret = (struct limit_target){ .kind = request_path_value(req, "ownerKind"),
                                  .set = request_path_value(req, "endpointSetId") };
    TRY(request_path_id(req, "ownerId", &ret->owner));
    TRY(store_limit_owner(req->api->store, req->arena, ret->kind, ret->owner, &is_there, &ret->organization));
    return is_there ? OK : request_not_found(req);
}

/* For every set that is meant; RESOURCE_NOT_FOUND when there is none. */
static error
each_set(struct request *req, const struct limit_target *target, int64_t capacity, int64_t refill, bool *ret_changed)
{
    bool any = false;
    for (int i = 0; i < SET_COUNT; i++) {
        str label = str_from(set_rows[i].label);
        bool removed = true;
        if (!str_is(target->set, EVERY_SET) && !str_eq(target->set, label))
            continue;
        any = true;
        if (capacity > 0)
            TRY(set_limit_override(req->tx, target->kind.data, target->owner, label, capacity, refill));
        else
            TRY(remove_limit_override(req->tx, target->kind.data, target->owner, label, &removed));
        *ret_changed |= removed;
    }
    return any ? OK : request_not_found(req);
}

static error
add_event(struct request *req, const struct limit_target *target, json_t *after)
{
    json_in(req->arena, after);
    if (!id_is_there(target->organization)) /* a person's */
        return OK;
    TRY(tx_set_organization(req->tx, target->organization));
    return request_event_in(req, EVENT_RATE_LIMIT_OVERRIDE_CHANGED, target->organization, ID_NONE, NULL, after);
}

static error
set_limit(struct request *req)
{
    struct limit_target target;
    bool changed = false;
    int64_t capacity = json_integer_value(json_object_get(req->body, "capacity"));
    int64_t refill = json_integer_value(json_object_get(req->body, "refillRate"));
    TRY(find_target(req, &target));
    TRY(each_set(req, &target, capacity, refill, &changed));
    const char *owner = id_text(req->arena, target.owner).data;
    TRY(add_event(req, &target,
                  json_pack("{s:s, s:s, s:s, s:I, s:I}", "owner", owner, "kind", target.kind.data, "endpointSetId",
                            target.set.data, "capacity", (json_int_t)capacity, "refillRate", (json_int_t)refill)));
    answer_object(req,
                  json_pack("{s:s, s:s, s:s, s:I, s:I}", "ownerKind", target.kind.data, "owner", owner, "endpointSetId",
                            target.set.data, "capacity", (json_int_t)capacity, "refillRate", (json_int_t)refill));
    return OK;
}

static error
reset_limit(struct request *req)
{
    struct limit_target target;
    bool changed = false;
    TRY(find_target(req, &target));
    TRY(each_set(req, &target, 0, 0, &changed));
    if (!changed)
        return request_not_found(req);
    TRY(add_event(req, &target,
                  json_pack("{s:s, s:s, s:s, s:n, s:n}", "owner", id_text(req->arena, target.owner).data, "kind",
                            target.kind.data, "endpointSetId", target.set.data, "capacity", "refillRate")));
    answer_nothing(req);
    return OK;
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/limits", 0, FOR_OPERATORS, "listLimits", "Return all rate limits that replace a default",
      "Lists the limits that were set for single organizations, projects and callers. `GET /rateLimits` of the tenants' API "
      "shows the defaults.",
      SHAPE_LIST, .read = &limits, .response = &limit_schema, .query = list_query },
    { PUT, "/limits/{ownerKind}/{ownerId}/{endpointSetId}", 0, FOR_OPERATORS, "setLimit", "Set one rate limit",
      "Changes the size of the bucket of an organization, a project or a caller. A project's own limit overrides its "
      "organization's. It takes effect on every node within a second.",
      SHAPE_ENTITY, .run = set_limit, .request = &limit_schema, .response = &limit_schema, .path_fields = limit_path,
      .example = "{\"capacity\": 200, \"refillRate\": 100}" },
    { DELETE, "/limits/{ownerKind}/{ownerId}/{endpointSetId}", 0, FOR_OPERATORS, "resetLimit", "Reset one rate limit to its default",
      "Removes the limit that was set; 404 when none was set.", SHAPE_NOTHING, .run = reset_limit, .path_fields = limit_path },
};
// clang-format on
FAMILY(operator_limit_family, "limits", "Rate limits", "Rate limits of single organizations, projects and callers.",
       endpoints);
