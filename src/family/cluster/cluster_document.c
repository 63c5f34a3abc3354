/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of a cluster's document that field tables cannot express: what the operator offers, what must agree, what
 * is filled in. Every refusal names the field as it was sent.
 */
#include "base/json.h"
#include "cluster/scaling.h"
#include "cluster/wanted.h"
#include "family/cluster/clusters.h"

/* Where in the document the check is, for errors. */
struct place {
    size_t region;
    const char *part; /* "electableSpecs"; NULL: the region itself */
};

static error
wrong(struct request *req, struct place place, const char *field, str why)
{
    str path =
        place.part == NULL
            ? str_format(req->arena, "replicationSpecs[0].regionConfigs[%zu].%s", place.region, field)
            : str_format(req->arena, "replicationSpecs[0].regionConfigs[%zu].%s.%s", place.region, place.part, field);
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(path), V(why));
}

/* ---- What the operator offers ---- */

static str
list_regions(struct request *req, const struct fleet_offer *offer)
{
    struct buf out = buf_in(req->arena, 16 * 1024);
    for (size_t i = 0; i < offer->region_count && i < 20; i++)
        buf_format(&out, "%s%.*s %.*s", i == 0 ? "" : ", ", STR_ARG(offer->regions[i].provider),
                   STR_ARG(offer->regions[i].region));
    return offer->region_count == 0 ? STR("none") : buf_str(&out);
}

/* Those of flex clusters are not among them: such clusters are made elsewhere, and a size that was just refused must not be offered. */
static str
list_sizes(struct request *req, const struct fleet_offer *offer)
{
    struct buf out = buf_in(req->arena, 16 * 1024);
    size_t count = 0;
    for (size_t i = 0; i < offer->size_count && count < 40; i++) {
        if (str_is(offer->sizes[i].name, FLEX_SIZE))
            continue;
        buf_format(&out, "%s%.*s", count == 0 ? "" : ", ", STR_ARG(offer->sizes[i].name));
        count++;
    }
    return count == 0 ? STR("none") : buf_str(&out);
}

static error
check_region(struct request *req, const struct fleet_offer *offer, const json_t *region, size_t index)
{
    str provider = json_str(json_object_get(region, "providerName")),
        name = json_str(json_object_get(region, "regionName"));
    if (offer_region(offer, provider, name) != NULL)
        return OK;
    bool known = false;
    for (size_t i = 0; i < offer->region_count; i++)
        known = known || str_eq(offer->regions[i].provider, provider);
    return wrong(
        req, (struct place){ index, NULL }, known ? "regionName" : "providerName",
        str_format(req->arena, "no host there accepts clusters; offered are %.*s", STR_ARG(list_regions(req, offer))));
}

error
cluster_default_version(struct request *req, const struct offered_region *region, str *ret_version)
{
    *ret_version = json_str(json_array_get(region->versions, 0));
    if (ret_version->len == 0)
        return fail(req->arena, NOT_OFFERED, V("A cluster in this region"),
                    V("no version of PostgreSQL is installed on all of its hosts"));
    return OK;
}

/* The newest that all regions of the document have in common, or the one that was asked for, if they do. */
static error
check_version(struct request *req, const struct fleet_offer *offer, const json_t *before, json_t *document)
{
    str asked = json_str(json_object_get(document, "dbMajorVersion"));
    const json_t *regions =
        json_object_get(json_array_get(json_object_get(document, "replicationSpecs"), 0), "regionConfigs");
    if (before != NULL) {
        str current = json_str(json_object_get(before, "dbMajorVersion"));
        if (!str_eq(asked, current))
            return fail(
                req->arena, NOT_OFFERED,
                V(str_format(req->arena, "A change from version %.*s to %.*s", STR_ARG(current), STR_ARG(asked))),
                V("a cluster keeps its major version; create a new cluster and copy the data"));
    }
    if (asked.len == 0) {
        const json_t *first = json_array_get(regions, 0);
        TRY(cluster_default_version(req,
                                    offer_region(offer, json_str(json_object_get(first, "providerName")),
                                                 json_str(json_object_get(first, "regionName"))),
                                    &asked));
        json_object_set_new(document, "dbMajorVersion", json_stringn(asked.data, asked.len));
    }
    size_t index;
    const json_t *region;
    json_array_foreach(regions, index, region)
    {
        str name = json_str(json_object_get(region, "regionName"));
        const struct offered_region *offered =
            offer_region(offer, json_str(json_object_get(region, "providerName")), name);
        if (!offer_has_version(offered, asked))
            return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "PostgreSQL %.*s", STR_ARG(asked))),
                        V(str_format(req->arena, "not all hosts in %.*s have it installed", STR_ARG(name))));
    }
    return OK;
}

/* ---- What must agree ---- */

struct totals {
    int electable, members;
    unsigned priorities; /* a bit for each that was used */
    str size, analytics_size;
    int64_t disk_gb, disk_gb_before; /* 0: a new cluster */
};

/*
 * Whoever may become the primary has the size of the primary, and who answers the same reads has it, too. Members for analytics are led to by strings of their
 * own, so they may have another.
 */
static error
check_specs(struct request *req, const struct fleet_offer *offer, const json_t *region,
            const struct member_class *class, size_t index, struct totals *totals)
{
    struct place place = { index, class->part };
    json_t *specs = json_object_get(region, place.part);
    if (specs == NULL)
        return OK;
    str name = json_str(json_object_get(specs, "instanceSize"));
    str *alike = class->analytics ? &totals->analytics_size : &totals->size;
    if (name.len == 0 && totals->size.len > 0) { /* of members for analytics */
        name = alike->len > 0 ? *alike : totals->size;
        json_object_set_new(specs, "instanceSize", json_stringn(name.data, name.len));
    }
    const struct offered_size *size = offer_size(offer, name);
    if (size == NULL || str_is(name, FLEX_SIZE))
        return wrong(
            req, place, "instanceSize",
            str_format(req->arena, "there is no such size; offered are %.*s", STR_ARG(list_sizes(req, offer))));
    if (alike->len > 0 && !str_eq(*alike, name))
        return wrong(req, place, "instanceSize",
                     class->analytics ? STR("all members for analytics must have the same size")
                                      : STR("all members but those for analytics must have the same size"));
    if (json_object_get(specs, "diskSizeGB") == NULL) {
        /* A disk that has grown, perhaps by itself, does not stand in the way of a change that says nothing of it. */
        int64_t usual = size->disk_gb > totals->disk_gb_before ? size->disk_gb : totals->disk_gb_before;
        json_object_set_new(specs, "diskSizeGB", json_integer(totals->disk_gb > 0 ? totals->disk_gb : usual));
    }
    int64_t disk_gb = json_integer_value(json_object_get(specs, "diskSizeGB"));
    if (totals->disk_gb > 0 && totals->disk_gb != disk_gb)
        return wrong(req, place, "diskSizeGB", STR("all members of a cluster must have the same disk size"));
    *alike = name;
    totals->disk_gb = disk_gb;
    totals->members += (int)json_integer_value(json_object_get(specs, "nodeCount"));
    return OK;
}

/* Regions that say nothing about it come in the order in which they were sent. */
static error
check_priority(struct request *req, json_t *region, size_t index, struct totals *totals)
{
    if (json_object_get(region, "priority") == NULL) {
        int unused = HIGHEST_PRIORITY;
        while (unused > 1 && (totals->priorities & (1U << unused)) != 0)
            unused--;
        json_object_set_new(region, "priority", json_integer(unused));
    }
    if (json_object_get(region, "electableSpecs") == NULL)
        return OK;
    unsigned bit = 1U << json_integer_value(json_object_get(region, "priority"));
    if ((totals->priorities & bit) != 0)
        return wrong(req, (struct place){ index, NULL }, "priority", STR("another region has the same priority"));
    totals->priorities |= bit;
    return OK;
}

static error
check_distinct(struct request *req, const json_t *regions, size_t index)
{
    const json_t *region = json_array_get(regions, index);
    for (size_t i = 0; i < index; i++) {
        const json_t *other = json_array_get(regions, i);
        if (json_equal(json_object_get(region, "providerName"), json_object_get(other, "providerName")) &&
            json_equal(json_object_get(region, "regionName"), json_object_get(other, "regionName")))
            return wrong(req, (struct place){ index, NULL }, "regionName", STR("the region is listed twice"));
    }
    return OK;
}

static error
check_totals(struct request *req, const json_t *before, const struct totals *totals)
{
    struct wanted was;
    str where = STR("replicationSpecs[0].regionConfigs");
    if (totals->electable < 1 || totals->electable > CLUSTER_MAX_ELECTABLE)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(where),
                    V("a cluster must have 1 to 7 members that can become the primary"));
    if (totals->members > CLUSTER_MAX_MEMBERS)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(where), V("a cluster can have at most 50 members"));
    if (before != NULL && wanted_from_document(before, &was) && totals->disk_gb < was.disk_gb)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE,
                    V("replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB"),
                    V("the disk size of a cluster cannot shrink"));
    return OK;
}

/* ---- What changes by itself ---- */

/* One of the bounds: a size that is offered. NULL when none was named. */
static error
check_bound(struct request *req, const struct fleet_offer *offer, const json_t *compute, struct place place,
            const char *field, const struct offered_size **ret_size)
{
    str name = json_str(json_object_get(compute, field));
    *ret_size = name.len == 0 || str_is(name, FLEX_SIZE) ? NULL : offer_size(offer, name);
    if (name.len == 0 || *ret_size != NULL)
        return OK;
    return wrong(req, place, field,
                 str_format(req->arena, "there is no such size; offered are %.*s", STR_ARG(list_sizes(req, offer))));
}

static error
check_compute_scaling(struct request *req, const struct fleet_offer *offer, json_t *compute, struct place place,
                      const struct offered_size *size)
{
    const struct offered_size *low, *high;
    bool is_on = json_is_true(json_object_get(compute, "enabled")),
         goes_down = json_is_true(json_object_get(compute, "scaleDownEnabled"));
    TRY(check_bound(req, offer, compute, place, "minInstanceSize", &low));
    TRY(check_bound(req, offer, compute, place, "maxInstanceSize", &high));
    if (json_is_true(json_object_get(compute, "predictiveEnabled")))
        return fail(req->arena, NOT_OFFERED, V("Scaling ahead of the load (predictiveEnabled)"),
                    V("sizes follow what was measured, and nothing is foretold"));
    json_object_del(compute, "predictiveEnabled");
    if (goes_down && !is_on)
        return wrong(req, place, "scaleDownEnabled", STR("it needs enabled to be true as well"));
    if (is_on && high == NULL)
        return wrong(req, place, "maxInstanceSize", STR("name the largest size that the cluster may get"));
    if (goes_down && low == NULL)
        return wrong(req, place, "minInstanceSize", STR("name the smallest size that the cluster may get"));
    if (low != NULL && high != NULL && !scaling_is_within(low, NULL, high))
        return wrong(
            req, place, "minInstanceSize",
            str_format(req->arena, "it must not be larger than maxInstanceSize, which is %.*s", STR_ARG(high->name)));
    if (is_on && !scaling_is_within(size, NULL, high))
        return wrong(
            req, place, "maxInstanceSize",
            str_format(req->arena, "it must not be smaller than instanceSize, which is %.*s", STR_ARG(size->name)));
    if (is_on && !scaling_is_within(size, low, NULL))
        return wrong(
            req, place, "minInstanceSize",
            str_format(req->arena, "it must not be larger than instanceSize, which is %.*s", STR_ARG(size->name)));
    return OK;
}

/* What switches nothing on is accepted, and not kept. */
static error
take_out_analytics(struct request *req, json_t *region)
{
    const json_t *asked = json_object_get(region, "analyticsAutoScaling"), *part;
    const char *name;
    json_object_foreach((json_t *)asked, name, part)
    {
        if (json_is_true(json_object_get(part, "enabled")) || json_is_true(json_object_get(part, "scaleDownEnabled")) ||
            json_is_true(json_object_get(part, "predictiveEnabled")))
            return fail(
                req->arena, NOT_OFFERED, V("Scaling of members for analytics"),
                V("a report takes whatever it gets, so its load says nothing about the size that it needs; with the size of the others they follow "
                  "autoScaling, and with one of their own they keep it"));
    }
    json_object_del(region, "analyticsAutoScaling");
    return OK;
}

/* All that scale have one size, so all regions have one rule. */
static error
check_scaling(struct request *req, const struct fleet_offer *offer, json_t *regions, const struct totals *totals)
{
    json_t *region, *first = NULL;
    size_t index, first_index = 0;
    json_array_foreach(regions, index, region)
    {
        json_t *scaling = json_object_get(region, "autoScaling");
        TRY(take_out_analytics(req, region));
        if (scaling == NULL)
            continue;
        TRY(check_compute_scaling(req, offer, json_object_get(scaling, "compute"),
                                  (struct place){ index, "autoScaling.compute" }, offer_size(offer, totals->size)));
        if (first == NULL) {
            first = scaling;
            first_index = index;
        } else if (!json_equal(first, scaling)) {
            return wrong(req, (struct place){ index, NULL }, "autoScaling",
                         str_format(req->arena, "it must be the same in all regions; regionConfigs[%zu] has another",
                                    first_index));
        }
    }
    json_array_foreach(regions, index, region)
    {
        if (first != NULL && json_object_get(region, "autoScaling") == NULL)
            json_object_set_new(region, "autoScaling", json_deep_copy(first));
    }
    return OK;
}

#define NO_SHARDS "it needs an engine that spreads data over several replica sets, and no host reports one"

/* What asks for nothing is accepted and not kept; what asks for more than there is is refused. */
static error
take_out_nothing(struct request *req, json_t *document)
{
    static const struct {
        const char *name, *what, *why;
    } fields[] = {
        { "globalClusterSelfManagedSharding", "A cluster in shards", NO_SHARDS },
        { "versionReleaseSystem", NULL, NULL }, /* what is said of it stands in the answer */
    };
    if (str_is(json_str(json_object_get(document, "versionReleaseSystem")), "CONTINUOUS"))
        return fail(
            req->arena, NOT_OFFERED, V("The release system CONTINUOUS"),
            V("PostgreSQL has no releases between its yearly major versions, and a cluster keeps its major version; minor versions come to every cluster"));
    for (size_t i = 0; i < LENGTH(fields); i++) {
        if (json_is_true(json_object_get(document, fields[i].name)))
            return fail(req->arena, NOT_OFFERED, V(fields[i].what), V(fields[i].why));
        json_object_del(document, fields[i].name);
    }
    return OK;
}

error
cluster_document_check(struct request *req, const struct fleet_offer *offer, const json_t *before, json_t *document)
{
    TRY(take_out_nothing(req, document));
    TRY(cluster_backups_check(req, document));
    TRY(cluster_keys_check(req, before, document));
    str type = json_str(json_object_get(document, "clusterType"));
    if (!str_is(type, "REPLICASET"))
        return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "Cluster type %.*s", STR_ARG(type))),
                    V(NO_SHARDS));
    struct totals totals = { 0 };
    struct wanted was;
    if (before != NULL && wanted_from_document(before, &was))
        totals.disk_gb_before = was.disk_gb;
    size_t index;
    json_t *region,
        *regions = json_object_get(json_array_get(json_object_get(document, "replicationSpecs"), 0), "regionConfigs");
    json_array_foreach(regions, index, region)
    {
        TRY(check_region(req, offer, region, index));
        TRY(check_distinct(req, regions, index));
        TRY(check_specs(req, offer, region, &member_classes[CLASS_ELECTABLE], index, &totals));
        totals.electable = totals.members;
        TRY(check_priority(req, region, index, &totals));
    }
    json_array_foreach(regions, index, region)
    {
        TRY(check_specs(req, offer, region, &member_classes[CLASS_READ_ONLY], index, &totals));
        TRY(check_specs(req, offer, region, &member_classes[CLASS_ANALYTICS], index, &totals));
    }
    TRY(check_totals(req, before, &totals));
    /* Sizes are the operator's: when they change, a change of something else is not refused for it. */
    if (before == NULL ||
        !json_equal(json_object_get(before, "replicationSpecs"), json_object_get(document, "replicationSpecs")))
        TRY(check_scaling(req, offer, regions, &totals));
    return check_version(req, offer, before, document);
}
