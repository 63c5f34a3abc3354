/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of an organization for all its projects: a change that breaks one is refused. A rule is a condition in the
 * SQL/JSON path language; the database reads and evaluates it (store/policy/policy.h).
 */
#include "family/policy/resource_policies.h"

#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "base/date.h"
#include "base/json.h"
#include "family/families.h"
#include "store/policy/policy.h"
#include "store/tenant/organization.h"

enum { MOST_POLICIES = 50, MOST_RULES = 10, LONGEST_RULE = 2000 };

/* ---- Fields ---- */
#define POLICY_EXAMPLE                                                                                      \
    "{\"name\": \"no public entries\", \"policies\": [{\"body\": \"$resource == \\\"ACCESS_LIST_ENTRY\\\" " \
    "&& $.cidrBlock == \\\"0.0.0.0/0\\\"\"}]}"

static const struct field rule_fields[] = {
    ID("id", "Identifier of the rule.", READ_ONLY),
    TEXT("body",
         "Condition in the SQL/JSON path language, in lax mode. A change for which it is true is forbidden. `$` is "
         "the document that would be stored. $resource is CLUSTER, FLEX_CLUSTER or ACCESS_LIST_ENTRY. $members and "
         "$regions are how many a cluster has.",
         REQUIRED | ALWAYS, .min = 1, .max = LONGEST_RULE, .example = "\"$members < 2\""),
    END_OF_FIELDS,
};
static const struct schema rule_schema = { "ResourcePolicyRule", "One rule of a policy.", rule_fields };

static const struct field person_fields[] = {
    ID("id", "Identifier of the caller.", READ_ONLY | ALWAYS),
    TEXT("name", "Name of the caller.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema person_schema = { "ResourcePolicyAuthor", "Who changed a policy.", person_fields };

static const struct field policy_fields[] = {
    ID("id", "Identifier of the policy.", READ_ONLY),
    ID("orgId", "Organization of the policy.", READ_ONLY | ALWAYS),
    TEXT("name", "Label.", REQUIRED | ALWAYS, .min = 1, .max = 100, .example = "\"no public entries\""),
    TEXT("description", "What it is for.", NULLABLE, .max = 1000),
    LIST("policies", "The rules. A change is refused when one of them forbids it.", REQUIRED | ALWAYS,
         .of = &rule_schema, .min = 1, .max = MOST_RULES),
    TEXT("version", "Version of the rules' language.", READ_ONLY | ALWAYS),
    OBJECT("createdByUser", "Who created it.", READ_ONLY, .of = &person_schema),
    DATE("createdDate", "When it was created.", READ_ONLY),
    OBJECT("lastUpdatedByUser", "Who changed it last.", READ_ONLY, .of = &person_schema),
    DATE("lastUpdatedDate", "When it was changed last.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema policy_schema = { "ResourcePolicy", "Rules above the projects of an organization.",
                                             policy_fields };

static const struct field cause_rule_fields[] = {
    ID("policyId", "Identifier of the rule.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema cause_rule_schema = { "BrokenRule", "A rule that is broken.", cause_rule_fields };
static const struct field cause_fields[] = {
    ID("resourcePolicyId", "Identifier of the policy.", READ_ONLY | ALWAYS),
    TEXT("resourcePolicyName", "Label of the policy.", READ_ONLY | ALWAYS),
    LIST("policiesCausingNonCompliance", "The rules of it that the resource breaks.", READ_ONLY | ALWAYS,
         .of = &cause_rule_schema),
    END_OF_FIELDS,
};
static const struct schema cause_schema = { "BrokenPolicy", "A policy that is broken.", cause_fields };
static const struct field broken_fields[] = {
    ID("orgId", "Organization of the resource.", READ_ONLY | ALWAYS),
    ID("resourceId", "Identifier of the cluster or project.", READ_ONLY | ALWAYS),
    TEXT("resourceName", "Label of the cluster or project.", READ_ONLY | ALWAYS),
    TEXT("resourceType", "What it is. A project is here when an entry of its access list breaks a policy.",
         READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "PROJECT", "CLUSTER", NULL }),
    LIST("resourcePoliciesCausingNonCompliance", "The policies that it breaks.", READ_ONLY | ALWAYS,
         .of = &cause_schema),
    END_OF_FIELDS,
};
static const struct schema broken_schema = { "NonCompliantResource", "What breaks a policy.", broken_fields };

static error check_policy(struct request *req, struct change *change);
static handler policy_validate;

static const struct kind policy = {
    .name = POLICY_KIND,
    .parameter = "resourcePolicyId",
    .created = EVENT_RESOURCE_POLICY_CREATED,
    .changed = EVENT_RESOURCE_POLICY_MODIFIED,
    .deleted = EVENT_RESOURCE_POLICY_DELETED,
    .check = check_policy,
};

/* ---- What breaks them ---- */

static const struct read broken_list = { SQL_POLICY_BROKEN_LIST, list_bind_organization, list_answer };
static const struct field policy_path[] = { ID("resourcePolicyId", "Identifier of the policy.", 0), END_OF_FIELDS };

// clang-format off
static const struct endpoint resource_policies_endpoints[] = {
    { GET, "/orgs/{orgId}/nonCompliantResources", S58, ANY_OF(ORG_MEMBER), "getOrgNonCompliantResources",
      "Return all resources that break a policy",
      "Lists clusters and projects that break a policy because they were configured before it. Policies refuse changes; they "
      "do not touch what exists.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .flags = EVALUATES, .read = &broken_list, .response = &broken_schema },
    { GET, "/orgs/{orgId}/resourcePolicies", S58, ANY_OF(ORG_MEMBER), "listOrgResourcePolicies",
      "Return all resource policies of one organization",
      "Lists the policies, each with its rules.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .item = "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}",
      .read = &crud_list, .kind = &policy, .response = &policy_schema },
    { POST, "/orgs/{orgId}/resourcePolicies", S58, ANY_OF(ORG_OWNER), "createOrgResourcePolicy",
      "Create one resource policy",
      "Creates a policy for all changes from now on. What exists and breaks it is only reported.",
      .since = "2024-08-05", .flags = EVALUATES, .item = "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}",
      .run = crud_create, .kind = &policy, .request = &policy_schema, .response = &policy_schema, .example = POLICY_EXAMPLE },
    { DELETE, "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}", S58, ANY_OF(ORG_OWNER),
      "deleteOrgResourcePolicy",
      "Delete one resource policy",
      "Deletes the policy. Changes that it refused are allowed again.",
      .shape = SHAPE_NOTHING, .success = 200, .since = "2024-08-05", 
      .run = crud_delete, .kind = &policy, .path_fields = policy_path },
    { GET, "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}", S58, ANY_OF(ORG_MEMBER), "getOrgResourcePolicy",
      "Return one resource policy",
      "Returns one policy with its rules and who changed it last.",
      .since = "2024-08-05", .read = &crud_get, .kind = &policy, .path_fields = policy_path, .response = &policy_schema },
    { PATCH, "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}", S58, ANY_OF(ORG_OWNER), "updateOrgResourcePolicy",
      "Update one resource policy",
      "Changes the name, the description or the rules of one policy. Rules that are sent replace all that were "
      "there.",
      .since = "2024-08-05", .flags = EVALUATES,
      .run = crud_update, .kind = &policy, .path_fields = policy_path, .request = &policy_schema, .response = &policy_schema,
      .example = "{\"description\": \"Ask the network team.\"}" },
    { POST, "/orgs/{orgId}/resourcePolicies:validate", S58, ANY_OF(ORG_OWNER), "validateOrgResourcePolicies",
      "Check one resource policy without creating it",
      "Checks the rules as creating the policy would, and reports mistakes. Nothing is stored.",
      .success = 200, .since = "2024-08-05", .flags = NO_ETAG | EVALUATES,
      .run = policy_validate, .request = &policy_schema, .response = &policy_schema, .example = POLICY_EXAMPLE },
};
// clang-format on

FAMILY(resource_policies_family, "resource-policies", "Resource policies",
       "Rules of an organization. Changes to clusters and networks that break them are refused.",
       resource_policies_endpoints);

/* ---- Rules ---- */

error
policy_check(struct request *req, str kind, const json_t *document)
{
    return policy_check_all(req, kind, json_in(req->arena, json_pack("[O]", document)));
}

error
policy_check_all(struct request *req, str kind, const json_t *documents)
{
    struct policy_verdict verdict;
    TRY(store_policy_judge(req->tx, req->organization, kind, json_text(req->arena, documents), &verdict));
    return verdict.forbidden ? fail(req->arena, POLICY_FORBIDS, V(verdict.name), V(verdict.id), V(verdict.field)) : OK;
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/*
 * The database finds an unknown variable only where it is evaluated, and a rule that cannot be evaluated forbids nothing. So names
 * are looked at here: `$` begins the document, or a variable when a name follows. Texts may hold anything.
 */
static const char *
problem_of_words(str body)
{
    static const char *const known[] = { "$resource", "$members", "$regions" };
    bool in_text = false;
    size_t start = 0;
    while (start < body.len && (body.data[start] == ' ' || body.data[start] == '\t' || body.data[start] == '\n'))
        start++;
    if (body.len - start >= 6 && memcmp(body.data + start, "strict", 6) == 0)
        return "strict mode is not offered";
    for (size_t i = start; i < body.len; i++) {
        if (in_text && body.data[i] == '\\')
            i++;
        else if (body.data[i] == '"')
            in_text = !in_text;
        else if (!in_text && body.data[i] == '/' && i + 1 < body.len && body.data[i + 1] == '*')
            return "comments are not offered";
        else if (!in_text && body.data[i] == '$' && i + 1 < body.len &&
                 (is_letter(body.data[i + 1]) || body.data[i + 1] == '"' || body.data[i + 1] == '\\')) {
            size_t end = i + 1;
            bool is_known = false;
            while (end < body.len && is_letter(body.data[end]))
                end++;
            for (size_t k = 0; k < LENGTH(known); k++)
                is_known |= str_is((str){ body.data + i, end - i }, known[k]);
            if (!is_known)
                return "it uses an unknown variable; known are $resource, $members and $regions";
        }
    }
    return NULL;
}

static error
check_rules(struct request *req, const json_t *rules)
{
    const json_t *rule;
    size_t index;
    json_array_foreach(rules, index, rule)
    {
        str body = json_str(json_object_get(rule, "body")), problem;
        str field = str_format(req->arena, "policies[%zu].body", index);
        const char *why = problem_of_words(body);
        if (why != NULL)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V(why));
        TRY(store_policy_problem(req->tx, body, &problem));
        if (problem.len > 0)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V(problem));
    }
    return OK;
}

static void
set_text(json_t *object, const char *name, str text)
{
    json_object_set_new(object, name, json_stringn(text.data, text.len));
}

/* Rules that were sent are new ones: they have other ids than those that they replace. */
static void
name_rules(struct request *req, json_t *rules)
{
    json_t *rule;
    size_t index;
    json_array_foreach(rules, index, rule)
        set_text(rule, "id", id_text(req->arena, id_new(store_cell(req->api->store))));
}

static error
check_policy(struct request *req, struct change *change)
{
    int64_t count;
    struct organization organization;
    if (change->after == NULL)
        return OK;
    json_t *rules = json_object_get(change->after, "policies");
    if (change->before == NULL || json_object_get(req->body, "policies") != NULL) {
        TRY(check_rules(req, rules));
        rules = json_in(req->arena, json_deep_copy(rules));
        name_rules(req, rules);
        json_object_set(change->after, "policies", rules);
    }
    json_t *who = json_in(req->arena, json_object());
    set_text(who, "id", id_text(req->arena, req->caller->id));
    set_text(who, "name", req->caller->name);
    str now = date_now(req->arena);
    set_text(change->after, "orgId", id_text(req->arena, req->organization));
    set_text(change->after, "version", STR("v1"));
    set_text(change->after, "lastUpdatedDate", now);
    json_object_set(change->after, "lastUpdatedByUser", who);
    if (change->before != NULL)
        return OK;
    set_text(change->after, "createdDate", now);
    json_object_set(change->after, "createdByUser", who);
    /* Two that are added at once count each other. */
    TRY(store_organization_lock(req->tx, req->organization, &organization));
    TRY(store_policy_count(req->tx, req->organization, &count));
    return count >= MOST_POLICIES ? fail(req->arena, TOO_MANY_POLICIES, V(count)) : OK;
}

static error
policy_validate(struct request *req)
{
    json_t *shown = json_in(req->arena, json_deep_copy(req->body));
    TRY(check_rules(req, json_object_get(req->body, "policies")));
    if (json_is_null(json_object_get(shown, "description")))
        json_object_del(shown, "description");
    set_text(shown, "orgId", id_text(req->arena, req->organization));
    set_text(shown, "version", STR("v1"));
    answer_entity(req, json_text(req->arena, shown), 0);
    return OK;
}
