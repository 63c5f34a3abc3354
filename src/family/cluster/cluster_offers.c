/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is offered: regions, sizes and versions; whether a configuration would be accepted; and the clusters of all
 * projects.
 */
#include "api/api.h"
#include "api/list.h"
#include "base/json.h"
#include "cluster/wanted.h"
#include "family/cluster/clusters.h"

static const struct field available_region_fields[] = {
    TEXT("name", "Name of the region.", READ_ONLY | ALWAYS),
    BOOL("default", "Whether it has the most hosts.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema available_region_schema = { "AvailableRegion", "A region.", available_region_fields };
static const struct field available_size_fields[] = {
    TEXT("name", "Name of the size.", READ_ONLY | ALWAYS),
    LIST("availableRegions", "Regions whose hosts accept members of this size.", READ_ONLY | ALWAYS,
         .of = &available_region_schema),
    END_OF_FIELDS,
};
static const struct schema available_size_schema = { "AvailableInstanceSize", "A size of members.",
                                                     available_size_fields };
static const struct field provider_fields[] = {
    TEXT("provider", "Name of the provider.", READ_ONLY | ALWAYS),
    LIST("instanceSizes", "Sizes of members.", READ_ONLY | ALWAYS, .of = &available_size_schema),
    END_OF_FIELDS,
};
const struct schema provider_regions_schema = { "ProviderRegions", "What one provider offers.", provider_fields };
const struct field provider_regions_query[] = {
    LIST("providers", "Only these providers.", 0, .item = TYPE_TEXT, .max = 20),
    TEXT("tier", "Only this size.", 0, .max = 32),
    END_OF_FIELDS,
};

static const struct field version_fields[] = {
    TEXT("cloudProvider", "Name of the provider.", READ_ONLY | ALWAYS),
    TEXT("instanceSize", "Size of members.", READ_ONLY | ALWAYS),
    TEXT("version", "Major version of PostgreSQL.", READ_ONLY | ALWAYS),
    TEXT("defaultStatus", "Whether new clusters get it by default.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "DEFAULT", "NOT_DEFAULT", NULL }),
    END_OF_FIELDS,
};
const struct schema db_version_schema = { "DatabaseVersion", "A version that clusters can run.", version_fields };
const struct field db_versions_query[] = {
    TEXT("cloudProvider", "Only this provider.", 0, .max = 32),
    TEXT("instanceSize", "Only this size.", 0, .max = 32),
    TEXT("defaultStatus", "Only versions that new clusters get by default.", 0,
         .one_of = (const char *const[]){ "DEFAULT", NULL }),
    END_OF_FIELDS,
};

static const struct field validation_request_fields[] = {
    OBJECT("clusterDescription", "The cluster as it would be created or changed.", REQUIRED, .of = &cluster_schema),
    BOOL("editing",
         "True for a change of an existing cluster, false for a new one. By default it is a change if a cluster has "
         "that name.",
         0, .example = "false"),
    TEXT("clusterName", "Name of the cluster to change; by default the name in the description.", 0, .min = 1,
         .max = 64, .pattern = CLUSTER_NAME, .example = "\"orders\""),
    END_OF_FIELDS,
};
const struct schema validation_request_schema = { "ClusterConfiguration", "A configuration to check.",
                                                  validation_request_fields };
static const struct field issue_fields[] = {
    TEXT("errorCode", "Error code that a request with it would get.", READ_ONLY | ALWAYS),
    TEXT("validationIssue", "What is wrong, in a sentence.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema issue_schema = { "ValidationIssue", "Something that is wrong with a configuration.",
                                            issue_fields };
static const struct field validation_fields[] = {
    BOOL("valid", "Whether a request with it would be accepted at this moment.", READ_ONLY | ALWAYS),
    LIST("errors", "What is wrong.", READ_ONLY | ALWAYS, .of = &issue_schema),
    END_OF_FIELDS,
};
const struct schema validation_schema = { "ClusterValidation", "Result of a check.", validation_fields };

static const struct field overview_tag_fields[] = {
    TEXT("key", "Name of the tag.", READ_ONLY | ALWAYS),
    TEXT("value", "Value of the tag.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema overview_tag_schema = { "OverviewTag", "A tag of a project.", overview_tag_fields };
static const struct field overview_cluster_fields[] = {
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    TEXT("name", "Label of the cluster.", READ_ONLY | ALWAYS),
    TEXT("type", "Kind of deployment.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "REPLICA_SET", NULL }),
    INTEGER("nodeCount", "Number of members.", READ_ONLY | ALWAYS),
    LIST("versions", "Full versions that members run.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    TEXT("availability",
         "available: all members answer; warning: there is a primary, but not all members answer; unavailable: there "
         "is no primary; dead: no member answers.",
         READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "available", "warning", "unavailable", "dead", NULL }),
    INTEGER("alertCount", "Number of alerts about the cluster that are open.", READ_ONLY | ALWAYS),
    BOOL("backupEnabled", "Whether the cluster is backed up.", READ_ONLY | ALWAYS),
    BOOL("authEnabled", "Whether clients must log in: always.", READ_ONLY | ALWAYS),
    BOOL("sslEnabled", "Whether connections are encrypted: always.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema overview_cluster_schema = { "ClusterSummary", "A cluster in short form.",
                                                       overview_cluster_fields };
static const struct field overview_fields[] = {
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    TEXT("groupName", "Name of the project.", READ_ONLY | ALWAYS),
    ID("orgId", "Organization that the project belongs to.", READ_ONLY | ALWAYS),
    TEXT("orgName", "Name of the organization.", READ_ONLY | ALWAYS),
    LIST("tags", "Tags of the project.", READ_ONLY | ALWAYS, .of = &overview_tag_schema),
    LIST("clusters", "Clusters and flex clusters of the project.", READ_ONLY | ALWAYS, .of = &overview_cluster_schema),
    END_OF_FIELDS,
};
const struct schema overview_schema = { "ProjectClusters", "The clusters of one project.", overview_fields };

/* ---- Lists that are computed: they are short, so a page is cut out of the whole ---- */

struct short_list {
    struct request *req;
    json_t *items;
};

static void
add_item(struct short_list *list, json_t *item)
{
    json_array_append_new(list->items, item);
}

static error
answer_short_list(struct short_list *list)
{
    struct request *req = list->req;
    int64_t total = (int64_t)json_array_size(list->items), from = (req->page.number - 1) * req->page.size;
    answer_list(req, total, from + req->page.size < total);
    for (int64_t i = from; i < total && i < from + req->page.size; i++)
        answer_item(req, json_text(req->arena, json_array_get(list->items, (size_t)i)), STR_EMPTY);
    return OK;
}

static json_t *
text(str value)
{
    return json_stringn(value.data, value.len);
}

/* Whether a parameter that may come several times has the value, or was not sent. */
static bool
is_chosen(const struct request *req, const char *parameter, str value)
{
    bool sent = false;
    for (size_t i = 0; i < req->query_count; i++) {
        if (!str_is(req->query[i].name, parameter))
            continue;
        sent = true;
        if (str_eq(req->query[i].value, value))
            return true;
    }
    return !sent;
}

static json_t *
regions_of(const struct fleet_offer *offer, str provider)
{
    const struct offered_region *largest = NULL;
    json_t *regions = json_array();
    for (size_t i = 0; i < offer->region_count; i++) {
        const struct offered_region *region = &offer->regions[i];
        if (str_eq(region->provider, provider) && (largest == NULL || region->hosts > largest->hosts))
            largest = region;
    }
    for (size_t i = 0; i < offer->region_count; i++) {
        if (str_eq(offer->regions[i].provider, provider))
            json_array_append_new(regions, json_pack("{s:o, s:b}", "name", text(offer->regions[i].region), "default",
                                                     &offer->regions[i] == largest));
    }
    return regions;
}

error
provider_regions_list(struct request *req)
{
    struct fleet_offer *offer;
    struct short_list list = { req, json_in(req->arena, json_array()) };
    TRY(store_fleet_offer(req->api->store, req->arena, &offer));
    for (size_t i = 0; i < offer->region_count; i++) {
        str provider = offer->regions[i].provider;
        bool again = i > 0 && str_eq(provider, offer->regions[i - 1].provider); /* they are in order */
        if (again || !is_chosen(req, "providers", provider))
            continue;
        json_t *sizes = json_array();
        for (size_t s = 0; s < offer->size_count; s++) {
            if (is_chosen(req, "tier", offer->sizes[s].name))
                json_array_append_new(sizes, json_pack("{s:o, s:o}", "name", text(offer->sizes[s].name),
                                                       "availableRegions", regions_of(offer, provider)));
        }
        add_item(&list, json_pack("{s:o, s:o}", "provider", text(provider), "instanceSizes", sizes));
    }
    return answer_short_list(&list);
}

/* The newest major version of a provider's regions; what its clusters get unless they say otherwise. */
static str
newest_version(const struct fleet_offer *offer, str provider)
{
    str newest = STR_EMPTY;
    int64_t newest_number = 0, number;
    for (size_t i = 0; i < offer->region_count; i++) {
        str version = json_str(json_array_get(offer->regions[i].versions, 0));
        if (str_eq(offer->regions[i].provider, provider) && str_to_int(version, 1, 1000, &number) &&
            number > newest_number) {
            newest = version;
            newest_number = number;
        }
    }
    return newest;
}

static void
add_versions(struct short_list *list, const struct fleet_offer *offer, str provider, str version)
{
    bool is_default = str_eq(version, newest_version(offer, provider));
    if (!is_default && request_query(list->req, "defaultStatus").len > 0)
        return;
    for (size_t s = 0; s < offer->size_count; s++) {
        if (is_chosen(list->req, "instanceSize", offer->sizes[s].name))
            add_item(list, json_pack("{s:o, s:o, s:o, s:s}", "cloudProvider", text(provider), "instanceSize",
                                     text(offer->sizes[s].name), "version", text(version), "defaultStatus",
                                     is_default ? "DEFAULT" : "NOT_DEFAULT"));
    }
}

/* Whether an earlier region of the same provider has the version: then it is in the list already. */
static bool
was_seen(const struct fleet_offer *offer, size_t region, str version)
{
    for (size_t i = 0; i < region; i++) {
        if (str_eq(offer->regions[i].provider, offer->regions[region].provider) &&
            offer_has_version(&offer->regions[i], version))
            return true;
    }
    return false;
}

error
db_versions_list(struct request *req)
{
    struct fleet_offer *offer;
    struct short_list list = { req, json_in(req->arena, json_array()) };
    TRY(store_fleet_offer(req->api->store, req->arena, &offer));
    for (size_t i = 0; i < offer->region_count; i++) {
        size_t index;
        const json_t *version;
        if (!is_chosen(req, "cloudProvider", offer->regions[i].provider))
            continue;
        json_array_foreach(offer->regions[i].versions, index, version)
        {
            if (!was_seen(offer, i, json_str(version)))
                add_versions(&list, offer, offer->regions[i].provider, json_str(version));
        }
    }
    return answer_short_list(&list);
}

/* ---- Would it be taken? ---- */

/* The whole way of the change, in a transaction that is never committed. */
static error
try_description(struct request *req, const json_t *description)
{
    struct cluster cluster;
    json_t *before;
    bool found, changed;
    id ignored;
    const json_t *editing = json_object_get(req->body, "editing"), *named = json_object_get(req->body, "clusterName");
    str name = json_str(json_object_get(description, "name"));
    TRY(store_cluster_find(req->tx, req->project, STR(CLUSTER_KIND), name, &found, &ignored));
    if (named != NULL && !str_eq(json_str(named), name))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("clusterDescription.name"),
                    V("a cluster keeps its name; it must be the same as clusterName"));
    if (json_is_true(editing) && !found)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("editing"),
                    V("there is no cluster with that name to change"));
    if (editing == NULL ? found : json_is_true(editing))
        return cluster_try_update(req, description, &cluster, &before, &changed);
    return cluster_try_create(req, description, &cluster);
}

error
cluster_validate(struct request *req)
{
    error problem = try_description(req, json_object_get(req->body, "clusterDescription"));
    if (problem != OK && error_rows[problem->code].status >= 500)
        return problem;
    json_t *errors = json_array();
    if (problem != OK)
        json_array_append_new(errors, json_pack("{s:s, s:o}", "errorCode", error_rows[problem->code].name,
                                                "validationIssue", text(problem->detail)));
    json_t *answer = json_in(req->arena, json_pack("{s:b, s:o}", "valid", problem == OK, "errors", errors));
    req->dry_run = true;
    answer_entity(req, json_text(req->arena, answer), 0);
    return OK;
}

/* ---- All projects ---- */

error
cluster_overview(struct request *req)
{
    struct params params = { 0 };
    struct rows rows;
    role_set roles = principal_roles_in_organization(req->caller, req->caller->organization);
    bool whole = (roles & PROJECT_READ_ONLY) != 0;
    if (whole)
        params_id(&params, P_ORGANIZATION, req->caller->organization);
    else
        params_id(&params, P_CALLER, req->caller->id);
    list_bind(req, &params);
    if (!whole)
        request_bind_reach(req, &params);
    TRY(store_read(req->api->store, req->arena, whole ? SQL_CLUSTER_OVERVIEW : SQL_CLUSTER_OVERVIEW_GRANTED, &params,
                   &rows));
    return list_answer(req, &rows);
}
