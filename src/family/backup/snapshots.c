/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots: reading them in each of their forms, taking one, keeping it longer or shorter, deleting it. Requests write rows; repository
 * hosts do the work, and say in their reports what came of it.
 */
#include "store/backup/snapshot.h"

#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "backup/schedule.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "family/backup/backups.h"

enum { USUAL_DAYS = 7, DAY_MS = 24 * 3600 * 1000 };

/* ---- Reading ---- */

/* Clusters of the path: flex clusters have another parameter. */
static void
bind_cluster(struct request *req, struct params *params, const char *form)
{
    bool is_flex = strcmp(form, SNAPSHOT_FORM_FLEX) == 0;
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, is_flex ? STR(FLEX_CLUSTER_KIND) : STR(CLUSTER_KIND));
    params_text(params, P_NAME, request_path_value(req, is_flex ? "name" : "clusterName"));
    params_text(params, P_FORM, str_from(form));
}

static error
bind_list(struct request *req, struct params *params, const char *form)
{
    str moment = request_query(req, "pointInTimeUtcSeconds"), completed = request_query(req, "completed");
    bind_cluster(req, params, form);
    list_bind(req, params);
    params_text_or_null(params, P_MOMENT_S, moment);
    /* The older form lists what is complete, unless it is asked for something else. */
    if (strcmp(form, SNAPSHOT_FORM_LEGACY) != 0 || str_is(completed, "all"))
        params_null(params, P_IS_COMPLETE);
    else
        params_bool(params, P_IS_COMPLETE, !str_is(completed, "false"));
    return OK;
}

static error
bind_get(struct request *req, struct params *params, const char *form)
{
    id snapshot;
    TRY(request_path_id(req, "snapshotId", &snapshot));
    bind_cluster(req, params, form);
    params_id(params, P_SNAPSHOT, snapshot);
    return OK;
}

#define FORM(name, form)                                                                      \
    static error list_of_##name(struct request *req, struct params *params)                   \
    {                                                                                         \
        return bind_list(req, params, form);                                                  \
    }                                                                                         \
    static error one_of_##name(struct request *req, struct params *params)                    \
    {                                                                                         \
        return bind_get(req, params, form);                                                   \
    }                                                                                         \
    const struct read name##_list = { SQL_SNAPSHOT_LIST, list_of_##name, list_answer_below }, \
                      name##_get = { SQL_SNAPSHOT_GET, one_of_##name, answer_row }
FORM(snapshot, SNAPSHOT_FORM);
FORM(flex_snapshot, SNAPSHOT_FORM_FLEX);
FORM(legacy_snapshot, SNAPSHOT_FORM_LEGACY);
#undef FORM

/* ---- Taking one ---- */

/* Days that the request asks for, else what the policy says. */
static error
decide_end(struct request *req, int64_t now_ms, int64_t *ret_expires_ms)
{
    json_t *policy, *days = json_object_get(req->body, "retentionInDays");
    TRY(compliance_find(req, &policy));
    *ret_expires_ms = days == NULL ? compliance_on_demand_expires(policy, now_ms, now_ms + (int64_t)USUAL_DAYS * DAY_MS)
                                   : schedule_add(now_ms, SCHEDULE_DAYS, (int)json_integer_value(days));
    return compliance_check_on_demand(req, policy, now_ms, *ret_expires_ms);
}

error
snapshot_take(struct request *req)
{
    struct cluster cluster;
    struct open_stanza stanza;
    struct snapshot taken;
    bool found;
    str name = request_path_value(req, "clusterName");
    TRY(store_cluster_lock(req->tx, req->organization, req->project, STR(CLUSTER_KIND), name, &found, &cluster));
    if (!found)
        return request_not_found(req);
    TRY(store_stanza_lock(req->tx, req->project, cluster.id, &found, &stanza));
    if (!found)
        return fail(req->arena, BACKUPS_NOT_ENABLED, V(name));
    if (json_is_true(json_object_get(cluster.document, "paused")))
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(name), V("it is paused"));
    if (stanza.is_busy)
        return fail(req->arena, SNAPSHOT_UNFINISHED, V(name));
    struct snapshot_draft draft = { .project = req->project,
                                    .stanza = stanza.id,
                                    .id = id_new(store_cell(req->api->store)),
                                    .description = json_str(json_object_get(req->body, "description")) };
    TRY(decide_end(req, clock_now_ms() / 1000 * 1000, &draft.expires_ms));
    TRY(store_snapshot_add(req->tx, &draft));
    struct snapshot_place place = { .project = req->project,
                                    .snapshot = draft.id,
                                    .kind = STR(CLUSTER_KIND),
                                    .cluster = name,
                                    .form = STR(SNAPSHOT_FORM) };
    TRY(store_snapshot_get(req->tx, &place, &taken));
    TRY(request_event(req, EVENT_SNAPSHOT_REQUESTED, NULL, json_parse_own(req->arena, taken.document)));
    answer_created(req, taken.document, id_text(req->arena, draft.id), taken.revision);
    return OK;
}

/* ---- Changing one ---- */

static error
take(struct request *req, const char *form, struct snapshot_place *ret_place, struct snapshot *ret_snapshot)
{
    bool found;
    id snapshot;
    TRY(request_path_id(req, "snapshotId", &snapshot));
    *ret_place = (struct snapshot_place){ .project = req->project,
                                          .snapshot = snapshot,
                                          .kind = STR(CLUSTER_KIND),
                                          .cluster = request_path_value(req, "clusterName"),
                                          .form = str_from(form) };
    TRY(store_snapshot_lock(req->tx, ret_place, &found, ret_snapshot));
    return found ? request_check_match(req, ret_snapshot->revision) : request_not_found(req);
}

/* `expires_ms` 0: for good. */
static error
keep(struct request *req, const struct snapshot_place *place, const struct snapshot *before, int64_t expires_ms)
{
    struct snapshot after;
    bool kept;
    TRY(store_snapshot_keep(req->tx, req->project, place->snapshot, expires_ms, &kept));
    if (!kept)
        return compliance_refusal(req, before->protected_ms);
    TRY(store_snapshot_get(req->tx, place, &after));
    if (after.revision != before->revision)
        TRY(request_event(req, EVENT_SNAPSHOT_RETENTION_CHANGED, json_parse_own(req->arena, before->document),
                          json_parse_own(req->arena, after.document)));
    answer_entity(req, after.document, after.revision);
    return OK;
}

static error
hide(struct request *req, const char *form)
{
    struct snapshot_place place;
    struct snapshot before;
    bool hidden;
    TRY(take(req, form, &place, &before));
    TRY(store_snapshot_hide(req->tx, req->project, place.snapshot, &hidden));
    if (!hidden)
        return compliance_refusal(req, before.protected_ms);
    TRY(request_event(req, EVENT_SNAPSHOT_DELETED, json_parse_own(req->arena, before.document), NULL));
    answer_nothing(req);
    return OK;
}

/* Counted from now on, in whole seconds, as dates are shown. */
error
snapshot_update(struct request *req)
{
    static const char *const units[] = { "DAYS", "WEEKS", "MONTHS", "YEARS", NULL }; /* as enum schedule_unit */
    struct snapshot_place place;
    struct snapshot before;
    TRY(take(req, SNAPSHOT_FORM, &place, &before));
    int unit = str_word(json_str(json_object_get(req->body, "retentionUnit")), units);
    json_t *value = json_object_get(req->body, "retentionValue");
    if (json_object_size(req->body) == 0) {
        answer_entity(req, before.document, before.revision);
        return OK;
    }
    if (unit < 0)
        return fail(req->arena, MISSING_ATTRIBUTE, V("retentionUnit"));
    if (value == NULL)
        return fail(req->arena, MISSING_ATTRIBUTE, V("retentionValue"));
    return keep(req, &place, &before,
                schedule_add(clock_now_ms() / 1000 * 1000, (enum schedule_unit)unit, (int)json_integer_value(value)));
}

error
snapshot_delete(struct request *req)
{
    return hide(req, SNAPSHOT_FORM);
}

/* The older form names the date itself. */
error
legacy_snapshot_update(struct request *req)
{
    struct snapshot_place place;
    struct snapshot before;
    const json_t *forever = json_object_get(req->body, "doNotDelete"), *date = json_object_get(req->body, "expires");
    int64_t expires_ms = 0;
    TRY(take(req, SNAPSHOT_FORM_LEGACY, &place, &before));
    if (json_is_true(forever) && date != NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("expires"),
                    V("leave it out: what is kept for good does not expire"));
    if (date != NULL && (!date_parse(json_str(date), &expires_ms) || expires_ms <= clock_now_ms()))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("expires"), V("it must be in the future"));
    if (date == NULL && !json_is_true(forever)) {
        const json_t *shown = json_parse_own(req->arena, before.document);
        if (json_is_false(forever) && json_is_true(json_object_get(shown, "doNotDelete")))
            return fail(req->arena, MISSING_ATTRIBUTE, V("expires"));
        answer_entity(req, before.document, before.revision);
        return OK;
    }
    return keep(req, &place, &before, expires_ms);
}

error
legacy_snapshot_delete(struct request *req)
{
    return hide(req, SNAPSHOT_FORM_LEGACY);
}
