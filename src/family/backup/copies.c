/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies in other regions: what follows from `copySettings` of a schedule, in the transaction that changes it. Each setting has a seat on a repository host of its
 * region, which takes everything from the members by itself. When a setting goes, its seat is kept until the last copy has expired, or removed if that is asked for.
 */
#include "api/api.h"
#include "base/json.h"
#include "cluster/backup.h"
#include "cluster/wanted.h"
#include "family/backup/backups.h"
#include "family/policy/resource_policies.h"
#include "store/backup/copy.h"
#include "store/backup/snapshot.h"

enum { REGIONS_BYTES = 16 * 1024, REGIONS_SHOWN = 20 };

static struct seat_place
place_of(const json_t *setting)
{
    return (struct seat_place){ .provider = json_str(json_object_get(setting, "cloudProvider")),
                                .region = json_str(json_object_get(setting, "regionName")) };
}

static bool
is_same_place(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "cloudProvider"), json_object_get(b, "cloudProvider")) &&
           json_equal(json_object_get(a, "regionName"), json_object_get(b, "regionName"));
}

/* Among the first `count` of them. */
static bool
has_place(const json_t *settings, size_t count, const json_t *setting)
{
    for (size_t i = 0; i < count; i++) {
        if (is_same_place(json_array_get(settings, i), setting))
            return true;
    }
    return false;
}

static bool
is_in(const json_t *settings, const json_t *setting)
{
    return has_place(settings, json_array_size(settings), setting);
}

static error
wrong(struct request *req, const char *list, size_t index, const char *field, str why)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "%s[%zu].%s", list, index, field)),
                V(why));
}

/* ---- What can be asked for ---- */

/* Where there are repository hosts. */
static str
list_regions(struct request *req, const struct rows *regions)
{
    struct buf out = buf_in(req->arena, REGIONS_BYTES);
    int shown = 0;
    for (int i = 0; i < regions->count && shown < REGIONS_SHOWN; i++) {
        if (rows_bool(regions, i, C_HAS_ANY))
            buf_format(&out, "%s%.*s %.*s", shown++ == 0 ? "" : ", ", STR_ARG(rows_text(regions, i, C_PROVIDER)),
                       STR_ARG(rows_text(regions, i, C_REGION)));
    }
    return shown == 0 ? STR("none") : buf_str(&out);
}

static error
check_region(struct request *req, const struct rows *regions, const json_t *settings, size_t index)
{
    struct seat_place place = place_of(json_array_get(settings, index));
    bool is_provider_known = false;
    for (int i = 0; i < regions->count; i++) {
        bool is_of_provider = str_eq(rows_text(regions, i, C_PROVIDER), place.provider);
        if (is_of_provider && str_eq(rows_text(regions, i, C_REGION), place.region))
            return OK;
        is_provider_known |= is_of_provider;
    }
    return wrong(req, "copySettings", index, is_provider_known ? "regionName" : "cloudProvider",
                 str_format(req->arena, "there is no such region; backups are kept in %.*s",
                            STR_ARG(list_regions(req, regions))));
}

static error
check_settings(struct request *req, const json_t *before, const json_t *after)
{
    struct rows regions;
    size_t index;
    const json_t *setting;
    TRY(store_repository_regions(req->api->store, req->arena, &regions));
    json_array_foreach(after, index, setting)
    {
        if (has_place(after, index, setting))
            return wrong(req, "copySettings", index, "regionName", STR("the region is listed twice"));
        if (!is_in(before, setting))
            TRY(check_region(req, &regions, after, index));
    }
    return OK;
}

/* Whoever forbids a region forbids copies in it: to resource policies it is one more region of the cluster. */
static error
check_policies(struct request *req, const struct schedule_change *change, const json_t *settings)
{
    size_t index;
    const json_t *setting;
    json_t *document = json_in(req->arena, json_deep_copy(change->cluster.document));
    json_t *regions =
        json_object_get(json_array_get(json_object_get(document, "replicationSpecs"), 0), "regionConfigs");
    json_array_foreach(settings, index, setting)
    {
        json_array_append_new(regions,
                              json_pack("{s:O, s:O}", "providerName", json_object_get(setting, "cloudProvider"),
                                        "regionName", json_object_get(setting, "regionName")));
    }
    return document == NULL ? fail(req->arena, OVERLOADED) : policy_check(req, change->cluster.kind, document);
}

static error
check_deleted(struct request *req, const struct schedule_change *change, const json_t *settings)
{
    size_t index;
    const json_t *deleted;
    json_array_foreach(change->deleted_copies, index, deleted)
    {
        if (is_in(settings, deleted))
            return wrong(req, "deleteCopiedBackups", index, "regionName",
                         STR("copySettings still has the region: send copySettings without it as well"));
    }
    return OK;
}

error
copies_check(struct request *req, const struct schedule_change *change)
{
    const json_t *before = json_object_get(change->before, "copySettings"),
                 *after = json_object_get(change->after, "copySettings");
    TRY(check_deleted(req, change, after));
    if (json_equal(before, after))
        return OK;
    TRY(check_settings(req, before, after));
    return check_policies(req, change, after);
}

/* ---- What follows ---- */

static error
place_new(struct request *req, const struct schedule_change *change, id stanza, const json_t *before,
          const json_t *after, bool *ret_changed)
{
    struct wanted wanted;
    size_t index;
    const json_t *setting;
    if (!wanted_from_document(change->cluster.document, &wanted))
        return fail(req->arena, INTERNAL_ERROR);
    json_array_foreach(after, index, setting)
    {
        struct seat_place place = place_of(setting);
        bool placed;
        if (is_in(before, setting))
            continue;
        place.reserved_gb = backup_place(&wanted).reserved_gb;
        TRY(store_copy_place(req->tx, stanza, &place, &placed));
        if (!placed)
            return fail(req->arena, NO_BACKUP_CAPACITY, V(place.region), V(place.provider), V(place.reserved_gb));
        *ret_changed = true;
    }
    return OK;
}

static error
check_not_held(struct request *req, const struct schedule_change *change, id stanza, const struct seat_place *place)
{
    struct copy_hold hold;
    TRY(store_copy_hold(req->tx, stanza, place, &hold));
    if (hold.protected_ms > 0)
        return compliance_refusal(req, hold.protected_ms);
    return hold.is_read ? fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(change->cluster.name),
                               V("a restore reads from the copies that are to be deleted"))
                        : OK;
}

static error
end_one(struct request *req, const struct schedule_change *change, id stanza, const json_t *setting, bool is_removed,
        bool *ret_found)
{
    struct seat_place place = place_of(setting);
    if (is_removed)
        TRY(check_not_held(req, change, stanza, &place));
    return store_copy_end(req->tx, stanza, &place, is_removed, ret_found);
}

static error
end_gone(struct request *req, const struct schedule_change *change, id stanza, const json_t *before,
         const json_t *after, bool *ret_changed)
{
    size_t index;
    const json_t *setting;
    bool ignored;
    json_array_foreach(before, index, setting)
    {
        if (is_in(after, setting) || is_in(change->deleted_copies, setting))
            continue;
        TRY(end_one(req, change, stanza, setting, change->deletes_copies, &ignored));
        *ret_changed = true;
    }
    return OK;
}

/* Also those of settings that went before. Where there are none, somebody may have asked twice. */
static error
delete_named(struct request *req, const struct schedule_change *change, id stanza, bool *ret_changed)
{
    size_t index;
    const json_t *deleted;
    json_array_foreach(change->deleted_copies, index, deleted)
    {
        bool found;
        TRY(end_one(req, change, stanza, deleted, true, &found));
        *ret_changed |= found;
    }
    return OK;
}

/* Members let seats in, so they are told as well. Without an open history there is nothing to copy: the settings are for the next one. */
error
copies_follow(struct request *req, struct schedule_change *change)
{
    const json_t *before = json_object_get(change->before, "copySettings"),
                 *after = json_object_get(change->after, "copySettings");
    struct open_stanza stanza = { 0 };
    bool found, changed = false;
    if (json_equal(before, after) && json_array_size(change->deleted_copies) == 0)
        return OK;
    TRY(store_stanza_lock(req->tx, req->project, change->cluster.id, &found, &stanza));
    if (!found)
        return OK;
    TRY(end_gone(req, change, stanza.id, before, after, &changed));
    TRY(delete_named(req, change, stanza.id, &changed));
    TRY(place_new(req, change, stanza.id, before, after, &changed));
    return changed ? store_cluster_touch(req->tx, &change->cluster) : OK;
}
