/* SPDX-License-Identifier: Apache-2.0 */
/* The rate limits: every endpoint set with its bucket, by default and for one owner. */
#include "api/api.h"
#include "api/catalog.h"
#include "family/families.h"

static const struct field number_fields[] = {
    INTEGER("value", "Current value.", READ_ONLY | ALWAYS),
    INTEGER("defaultValue", "Value unless another one was agreed.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema number_schema = { "RateLimitValue", "A value of a bucket, and its default.", number_fields };

static const struct field endpoint_fields[] = {
    TEXT("method", "Method of the operation.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "GET", "POST", "PUT", "PATCH", "DELETE", NULL }),
    TEXT("path", "Path of the operation.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema endpoint_schema = { "RateLimitEndpoint", "An operation of a set.", endpoint_fields };

static const struct field set_fields[] = {
    TEXT("endpointSetId", "Identifier of the set.", READ_ONLY | ALWAYS, .example = "\"S17\""),
    TEXT("endpointSetName", "Name of the set.", READ_ONLY | ALWAYS, .example = "\"Clusters\""),
    TEXT("scope", "What has its own bucket: each address, project, organization or user.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "IP", "GROUP", "ORGANIZATION", "USER", NULL }),
    OBJECT("capacity", "Largest number of tokens in the bucket.", READ_ONLY | ALWAYS, .of = &number_schema),
    OBJECT("refillRate", "Tokens added at each refill.", READ_ONLY | ALWAYS, .of = &number_schema),
    OBJECT("refillDurationSeconds", "Seconds between refills.", READ_ONLY | ALWAYS, .of = &number_schema),
    LIST("endpoints", "Operations that share the bucket.", READ_ONLY | ALWAYS, .of = &endpoint_schema),
    END_OF_FIELDS,
};
static const struct schema set_schema = { "RateLimitEndpointSet", "An endpoint set and its bucket.", set_fields };

/* The owners that a query can name, and the scope whose sets each narrows to. */
#define OWNER_QUERY                                                 \
    ID("groupId", "Project whose limits are asked for.", 0),        \
        ID("orgId", "Organization whose limits are asked for.", 0), \
        ID("userId", "Caller whose limits are asked for.", 0),      \
        CIDR("ipAddress", "Address whose limits are asked for.", 0)

static const struct field one_query[] = { OWNER_QUERY, END_OF_FIELDS };
static const struct field list_query[] = {
    OWNER_QUERY,
    TEXT("name", "Text that the name of the set must contain.", 0, .max = 64),
    TEXT("endpointPath", "Path that an operation of the set must have, as in this document.", 0, .max = 256),
    END_OF_FIELDS,
};

/* What the query narrows to: the facts of the owner named for each scope. */
struct owners {
    bool any;
    bool named[SCOPE_COUNT];
    const struct context_facts *facts[SCOPE_COUNT];
};

static handler list_sets, get_set;

// clang-format off
static const struct endpoint rate_limit_endpoints[] = {
    { GET, "/rateLimits", S57, ANY_CALLER, "listRateLimits",
      "Return the rate limits of all endpoint sets",
      "Lists every endpoint set with its bucket. With a project, organization, user or address, it lists only the sets that have "
      "a bucket for it, with its values; the caller must belong to it.",
      .shape = SHAPE_LIST, .since = "2025-03-12", .item = "/rateLimits/{endpointSetId}", .run = list_sets, .response = &set_schema,
      .query = list_query },
    { GET, "/rateLimits/{endpointSetId}", S57, ANY_CALLER, "getRateLimit",
      "Return the rate limit of one endpoint set",
      "Shows the default bucket of the set, or the bucket of the project, organization or user in the query.",
      .since = "2025-03-12", .flags = NO_ETAG, .run = get_set, .response = &set_schema, .query = one_query },
};
// clang-format on

FAMILY(rate_limits_family, "rate-limits", "Rate limits", "How often each operation may be called.",
       rate_limit_endpoints);

static error
find_project(struct request *req, id project, const struct context_facts **ret_facts)
{
    TRY(auth_project_facts(req->api->auth, req->arena, project, true, true, ret_facts));
    if (!(*ret_facts)->exists)
        return request_not_found(req);
    if (!principal_is_in_project(req->caller, (*ret_facts)->organization, project))
        return fail(req->arena, NOT_A_MEMBER, V("this project"));
    return OK;
}

static error
find_organization(struct request *req, id organization, const struct context_facts **ret_facts)
{
    TRY(auth_organization_facts(req->api->auth, req->arena, organization, true, true, ret_facts));
    if (!(*ret_facts)->exists)
        return request_not_found(req);
    if (!principal_is_in_organization(req->caller, organization))
        return fail(req->arena, NOT_A_MEMBER, V("this organization"));
    return OK;
}

/* A caller sees its own limits, and an organization's owner those of its service accounts and keys. */
static error
find_user(struct request *req, id user, const struct context_facts **ret_facts)
{
    TRY(auth_user_facts(req->api->auth, req->arena, user, true, true, ret_facts));
    if (id_eq(user, req->caller->id))
        return OK;
    if (!(*ret_facts)->exists)
        return request_not_found(req);
    role_set roles = principal_roles_in_organization(req->caller, (*ret_facts)->organization);
    return roles & ORG_OWNER ? OK : fail(req->arena, NOT_A_MEMBER, V("the organization of this user"));
}

static error
read_owners(struct request *req, struct owners *ret)
{
    static const struct {
        const char *parameter;
        enum bucket_scope scope;
        error (*find)(struct request *req, id owner, const struct context_facts **ret_facts);
    } parameters[] = {
        { "groupId", SCOPE_PROJECT, find_project },
        { "orgId", SCOPE_ORGANIZATION, find_organization },
        { "userId", SCOPE_USER, find_user },
        { "ipAddress", SCOPE_IP, NULL },
    };
    *ret = (struct owners){ 0 };
    for (size_t i = 0; i < LENGTH(parameters); i++) {
        str value = request_query(req, parameters[i].parameter);
        id owner;
        if (value.len == 0)
            continue;
        ret->any = ret->named[parameters[i].scope] = true;
        if (parameters[i].find != NULL && id_parse(value, &owner))
            TRY(parameters[i].find(req, owner, &ret->facts[parameters[i].scope]));
    }
    return OK;
}

static void
add_number(struct buf *out, const char *name, int64_t value, int64_t fallback)
{
    buf_format(out, ",\"%s\":{\"value\":%lld,\"defaultValue\":%lld}", name, (long long)value, (long long)fallback);
}

static str
set_document(struct request *req, enum set_label set, const struct owners *owners)
{
    const struct set_row *row = &set_rows[set];
    const struct context_facts *facts = owners->facts[row->scope];
    int64_t capacity = row->capacity, refill = row->refill;
    for (size_t i = 0; facts != NULL && i < facts->override_count; i++) {
        if (facts->overrides[i].set == set) {
            capacity = facts->overrides[i].capacity;
            refill = facts->overrides[i].refill;
            break;
        }
    }
    struct buf out = buf_in(req->arena, 64 * 1024);
    buf_format(&out, "{\"endpointSetId\":\"%s\",\"endpointSetName\":\"%s\",\"scope\":\"%s\"", row->label, row->title,
               scope_names[row->scope]);
    add_number(&out, "capacity", capacity, row->capacity);
    add_number(&out, "refillRate", refill, row->refill);
    add_number(&out, "refillDurationSeconds", REFILL_PERIOD_S, REFILL_PERIOD_S);
    buf_add_text(&out, ",\"endpoints\":[");
    const char *separator = "";
    for (size_t i = 0; i < catalog_count(req->api->catalog); i++) {
        const struct endpoint *e = catalog_at(req->api->catalog, i);
        if (e->set != set)
            continue;
        buf_format(&out, "%s{\"method\":\"%s\",\"path\":\"%s\"}", separator, method_names[e->method], e->path);
        separator = ",";
    }
    buf_add_text(&out, "]}");
    return buf_str(&out);
}

static bool
has_path(const struct catalog *catalog, enum set_label set, str path)
{
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        const struct endpoint *e = catalog_at(catalog, i);
        if (e->set == set && str_is(path, e->path))
            return true;
    }
    return false;
}

static bool
is_wanted(struct request *req, enum set_label set, const struct owners *owners)
{
    str name = request_query(req, "name"), path = request_query(req, "endpointPath");
    if (owners->any && !owners->named[set_rows[set].scope])
        return false;
    if (name.len > 0 && strcasestr(set_rows[set].title, name.data) == NULL)
        return false;
    return path.len == 0 || has_path(req->api->catalog, set, path);
}

static error
list_sets(struct request *req)
{
    struct owners owners;
    enum set_label wanted[SET_COUNT];
    int64_t count = 0;
    TRY(read_owners(req, &owners));
    for (int set = 0; set < SET_COUNT; set++) {
        if (is_wanted(req, (enum set_label)set, &owners))
            wanted[count++] = (enum set_label)set;
    }
    int64_t from = (req->page.number - 1) * req->page.size, to = from + req->page.size;
    answer_list(req, count, to < count);
    for (int64_t i = from; i < to && i < count; i++)
        answer_item(req, set_document(req, wanted[i], &owners), str_from(set_rows[wanted[i]].label));
    return OK;
}

static error
get_set(struct request *req)
{
    struct owners owners;
    TRY(read_owners(req, &owners));
    for (int set = 0; set < SET_COUNT; set++) {
        if (str_is(request_path_value(req, "endpointSetId"), set_rows[set].label)) {
            answer_entity(req, set_document(req, (enum set_label)set, &owners), 0);
            return OK;
        }
    }
    return request_not_found(req);
}
