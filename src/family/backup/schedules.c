/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schedule of a cluster: a resource that the cluster gets together with its backups. Repository hosts have it in their goals and take
 * snapshots by it, whether the control plane is there or not.
 */
#include "api/api.h"
#include "api/request_event.h"
#include "backup/schedule_document.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "family/backup/backups.h"
#include "store/backup/snapshot.h"
#include "store/resource.h"

/* ---- Reading ---- */

error
schedule_bind(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, STR(CLUSTER_KIND));
    params_text(params, P_NAME, request_path_value(req, "clusterName"));
    return OK;
}

/* With when the next snapshot is taken, which is counted and not stored. */
static str
shown_text(struct request *req, json_t *document)
{
    struct schedule schedule;
    int64_t at_ms;
    schedule_items items;
    if (schedule_document_read(document, &schedule) && schedule_next(&schedule, clock_now_ms(), &at_ms, &items))
        json_object_set_new(document, "nextSnapshot", json_string(date_text(req->arena, at_ms).data));
    json_object_del(document, SCHEDULE_CHANGED_AT);
    json_object_del(document, SCHEDULE_EXPORT_SINCE);
    return json_text(req->arena, document);
}

error
schedule_found(struct request *req, const struct rows *rows, json_t **ret_document)
{
    if (rows->count == 0)
        return request_not_found(req);
    if (rows_is_null(rows, 0, C_DOCUMENT))
        return fail(req->arena, NO_BACKUPS, V(request_path_value(req, "clusterName")));
    *ret_document = json_parse_own(req->arena, rows_text(rows, 0, C_DOCUMENT));
    return *ret_document == NULL ? fail(req->arena, OVERLOADED) : OK;
}

static error
answer_get(struct request *req, const struct rows *rows)
{
    json_t *document;
    TRY(schedule_found(req, rows, &document));
    answer_entity(req, shown_text(req, document), rows_int(rows, 0, C_REVISION));
    return OK;
}

const struct read schedule_get = { SQL_BACKUP_SCHEDULE_GET, schedule_bind, answer_get };

/* ---- What can be restored ---- */

static error
bind_window(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_NAME, request_path_value(req, "clusterName"));
    return OK;
}

static error
answer_window(struct request *req, const struct rows *rows)
{
    if (rows->count > 0 && rows_is_null(rows, 0, C_DOCUMENT))
        return fail(req->arena, NO_BACKUPS, V(request_path_value(req, "clusterName")));
    return answer_row(req, rows);
}

const struct read window_get = { SQL_BACKUP_WINDOW_GET, bind_window, answer_window };

/* ---- Changing ---- */

error
schedule_take(struct request *req, struct schedule_change *ret_change)
{
    struct schedule_change change = { 0 };
    struct resource current;
    bool found;
    str name = request_path_value(req, "clusterName");
    TRY(store_cluster_lock(req->tx, req->organization, req->project, STR(CLUSTER_KIND), name, &found, &change.cluster));
    if (!found)
        return request_not_found(req);
    TRY(compliance_find(
        req, &change.policy)); /* before the schedule, because whoever sets a policy looks at schedules next */
    TRY(store_resource_lock(req->tx, req->project, STR(SCHEDULE_KIND), id_text(req->arena, change.cluster.id), &found,
                            &current));
    if (!found)
        return fail(req->arena, BACKUPS_NOT_ENABLED, V(name));
    TRY(request_check_match(req, current.revision));
    change.id = current.id;
    change.revision = current.revision;
    change.before = json_parse_own(req->arena, current.document);
    change.after = json_in(req->arena, json_deep_copy(change.before));
    if (change.after == NULL)
        return fail(req->arena, OVERLOADED);
    *ret_change = change;
    return OK;
}

static bool
is_same_rule(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "frequencyType"), json_object_get(b, "frequencyType")) &&
           json_equal(json_object_get(a, "frequencyInterval"), json_object_get(b, "frequencyInterval"));
}

/* A rule that stays what it was keeps its id, so that snapshots are still known to be its own. */
static void
set_id(struct request *req, const json_t *before, json_t *item)
{
    size_t index;
    const json_t *old;
    json_array_foreach(before, index, old)
    {
        if (is_same_rule(old, item)) {
            json_object_set(item, "id", json_object_get(old, "id"));
            return;
        }
    }
    json_object_set_new(item, "id", json_string(id_text(req->arena, id_new(store_cell(req->api->store))).data));
}

static const char *
allowed_intervals(enum schedule_frequency frequency)
{
    static const char *const sentences[SCHEDULE_FREQUENCIES] = {
        [SCHEDULE_HOURLY] = "hours between snapshots are 1, 2, 4, 6, 8 or 12",
        [SCHEDULE_DAILY] = "a daily rule has 1",
        [SCHEDULE_WEEKLY] = "days of the week are 1 (Monday) to 7",
        [SCHEDULE_MONTHLY] = "days of the month are 1 to 28, and 40 for the last one",
        [SCHEDULE_YEARLY] = "months are 1 to 12",
    };
    return sentences[frequency];
}

error
schedule_check_items(struct request *req, const char *path, const json_t *before, json_t *items)
{
    size_t index;
    json_t *item;
    json_array_foreach(items, index, item)
    {
        struct schedule_item rule;
        str place = str_format(req->arena, "%s[%zu]", path, index);
        if (!schedule_document_item(item, &rule))
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(place),
                        V("it must be a rule with frequencyType, frequencyInterval, retentionUnit and retentionValue"));
        if (!schedule_interval_is_allowed(rule.frequency, rule.interval))
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE,
                        V(str_format(req->arena, "%.*s.frequencyInterval", STR_ARG(place))),
                        V(allowed_intervals(rule.frequency)));
        for (size_t i = 0; i < index; i++) {
            if (is_same_rule(json_array_get(items, i), item))
                return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(place),
                            V("another rule has the same frequency and interval"));
        }
        set_id(req, before, item);
    }
    return OK;
}

static error
replace(struct request *req, struct schedule_change *change)
{
    struct resource stored;
    if (change->policy != NULL)
        TRY(compliance_check_schedule(req, change->policy, change->after));
    schedule_document_touch(req->arena, change->after, clock_now_ms());
    struct resource_draft draft = { .organization = req->organization,
                                    .scope = req->project,
                                    .id = change->id,
                                    .kind = STR(SCHEDULE_KIND),
                                    .document = json_text(req->arena, change->after) };
    TRY(store_resource_replace(req->tx, &draft, &stored));
    change->revision = stored.revision;
    return OK;
}

/* The event comes last, as everywhere: who waits for a snapshot must not keep others from writing theirs. */
error
schedule_store(struct request *req, struct schedule_change *change)
{
    TRY(schedule_check_items(req, "policies[0].policyItems", schedule_document_items(change->before),
                             schedule_document_items(change->after)));
    bool is_changed = !json_equal(change->before, change->after);
    if (is_changed)
        TRY(replace(req, change));
    str stored = json_text(req->arena, change->after);
    TRY(copies_follow(req, change));
    if (change->updates_snapshots)
        TRY(store_snapshots_keep_by_schedule(req->tx, req->project, change->cluster.id, stored));
    if (change->deletes_snapshots)
        TRY(store_snapshots_hide_without_rule(req->tx, req->project, change->cluster.id, stored));
    return is_changed ? request_event(req, EVENT_BACKUP_SCHEDULE_CHANGED, change->before, change->after) : OK;
}

/* What it has no behaviour for is refused, and not stored as if it had. */
static error
check_offered(struct request *req)
{
    if (json_is_true(json_object_get(req->body, "updateCopySnapshots")) &&
        !json_is_true(json_object_get(req->body, "updateSnapshots")))
        return fail(req->arena, NOT_OFFERED, V("Another retention of copies than of their snapshots"),
                    V("updateSnapshots changes both"));
    return OK;
}

/* The one policy keeps its identifier; a client may send it, and must not send another. */
static error
merge_policies(struct request *req, struct schedule_change *change)
{
    json_t *sent = json_object_get(req->body, "policies"), *own = json_object_get(change->after, "policies");
    const json_t *known = json_object_get(json_array_get(json_object_get(change->before, "policies"), 0), "id");
    const json_t *given = json_object_get(json_array_get(sent, 0), "id");
    if (sent == NULL)
        return OK;
    if (given != NULL && !json_equal(known, given))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("policies[0].id"),
                    V("it is not the identifier of this schedule's policy"));
    json_t *items = json_object_get(json_array_get(sent, 0), "policyItems");
    json_object_set_new(json_array_get(own, 0), "policyItems", items == NULL ? json_array() : json_deep_copy(items));
    return OK;
}

static error
merge(struct request *req, struct schedule_change *change)
{
    static const char *const plain[] = { "referenceHourOfDay",
                                         "referenceMinuteOfHour",
                                         "restoreWindowDays",
                                         "useOrgAndGroupNamesInExportPrefix",
                                         "extraRetentionSettings",
                                         "copySettings",
                                         NULL };
    for (size_t i = 0; plain[i] != NULL; i++) {
        json_t *value = json_object_get(req->body, plain[i]);
        if (value != NULL)
            json_object_set(change->after, plain[i], value);
    }
    TRY(schedule_merge_export(req, change));
    return merge_policies(req, change);
}

error
schedule_update(struct request *req)
{
    struct schedule_change change;
    TRY(check_offered(req));
    TRY(schedule_take(req, &change));
    TRY(merge(req, &change));
    change.deleted_copies = json_object_get(req->body, "deleteCopiedBackups");
    change.deletes_copies = json_is_true(json_object_get(req->body, "deleteCopySnapshots"));
    TRY(copies_check(req, &change));
    change.updates_snapshots = json_is_true(json_object_get(req->body, "updateSnapshots"));
    change.deletes_snapshots = json_is_true(json_object_get(req->body, "deleteSnapshots"));
    TRY(schedule_store(req, &change));
    answer_entity(req, shown_text(req, change.after), change.revision);
    return OK;
}

error
schedule_delete(struct request *req)
{
    struct schedule_change change;
    TRY(schedule_take(req, &change));
    json_object_set_new(json_array_get(json_object_get(change.after, "policies"), 0), "policyItems", json_array());
    TRY(schedule_store(req, &change));
    answer_entity(req, shown_text(req, change.after), change.revision);
    return OK;
}
