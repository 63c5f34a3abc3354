/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of a cluster's document that field tables cannot express: what the operator offers, what must agree, what
 * is filled in. Every refusal names the field as it was sent.
 */
#include "base/json.h"
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

static str
list_sizes(struct request *req, const struct fleet_offer *offer)
{
    struct buf out = buf_in(req->arena, 16 * 1024);
    for (size_t i = 0; i < offer->size_count && i < 40; i++)
        buf_format(&out, "%s%.*s", i == 0 ? "" : ", ", STR_ARG(offer->sizes[i].name));
    return offer->size_count == 0 ? STR("none") : buf_str(&out);
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
    str size;
    int64_t disk_gb;
};

static error
check_specs(struct request *req, const struct fleet_offer *offer, const json_t *region, struct place place,
            struct totals *totals)
{
    json_t *specs = json_object_get(region, place.part);
    if (specs == NULL)
        return OK;
    str name = json_str(json_object_get(specs, "instanceSize"));
    const struct offered_size *size = offer_size(offer, name);
    if (size == NULL || str_is(name, FLEX_SIZE))
        return wrong(
            req, place, "instanceSize",
            str_format(req->arena, "there is no such size; offered are %.*s", STR_ARG(list_sizes(req, offer))));
    if (totals->size.len > 0 && !str_eq(totals->size, name))
        return wrong(req, place, "instanceSize", STR("all members of a cluster must have the same size"));
    if (json_object_get(specs, "diskSizeGB") == NULL)
        json_object_set_new(specs, "diskSizeGB", json_integer(totals->disk_gb > 0 ? totals->disk_gb : size->disk_gb));
    int64_t disk_gb = json_integer_value(json_object_get(specs, "diskSizeGB"));
    if (totals->disk_gb > 0 && totals->disk_gb != disk_gb)
        return wrong(req, place, "diskSizeGB", STR("all members of a cluster must have the same disk size"));
    totals->size = name;
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

/* What asks for nothing is accepted and not kept; what asks for more than there is is refused. */
static error
take_out_nothing(struct request *req, json_t *document)
{
    static const struct {
        const char *name, *what, *why;
    } fields[] = {
        { "globalClusterSelfManagedSharding", "A cluster in shards",
          "the engine cannot spread data over several replica sets" },
        { "encryptionAtRestProvider", NULL, NULL }, /* NONE is the only one that its table allows */
    };
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
    str type = json_str(json_object_get(document, "clusterType"));
    if (!str_is(type, "REPLICASET"))
        return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "Cluster type %.*s", STR_ARG(type))),
                    V("the engine cannot spread data over several replica sets"));
    struct totals totals = { 0 };
    size_t index;
    json_t *region,
        *regions = json_object_get(json_array_get(json_object_get(document, "replicationSpecs"), 0), "regionConfigs");
    json_array_foreach(regions, index, region)
    {
        TRY(check_region(req, offer, region, index));
        TRY(check_distinct(req, regions, index));
        TRY(check_specs(req, offer, region, (struct place){ index, "electableSpecs" }, &totals));
        totals.electable = totals.members;
        TRY(check_priority(req, region, index, &totals));
    }
    json_array_foreach(regions, index, region)
        TRY(check_specs(req, offer, region, (struct place){ index, "readOnlySpecs" }, &totals));
    TRY(check_totals(req, before, &totals));
    return check_version(req, offer, before, document);
}
