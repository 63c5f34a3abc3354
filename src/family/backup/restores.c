/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores: a snapshot, a moment or a place in the WAL of one cluster becomes the data of another one, or of the same. A request checks that it can be done,
 * writes the row and adds the job; the rest is job/cluster/cluster_restore.c. Into a file instead of a cluster: downloads.c. The older form and that of flex clusters become the same rows.
 */
#include "store/restore/restore.h"

#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cluster/part.h"
#include "cluster/state.h"
#include "cluster/wanted.h"
#include "family/backup/backups.h"
#include "job/cluster/cluster_jobs.h"
#include "store/backup/stanza.h"

enum { BYTES_IN_GB = 1000 * 1000 * 1000 };

/* ---- Reading ---- */

static bool
is_flex(const char *form)
{
    return strcmp(form, RESTORE_FORM_FLEX) == 0;
}

static str
source_name(struct request *req, const char *form)
{
    return request_path_value(req, is_flex(form) ? "name" : "clusterName");
}

static void
bind_source(struct request *req, struct params *params, const char *form)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, is_flex(form) ? STR(FLEX_CLUSTER_KIND) : STR(CLUSTER_KIND));
    params_text(params, P_NAME, source_name(req, form));
    params_text(params, P_FORM, str_from(form));
}

static error
bind_list(struct request *req, struct params *params, const char *form)
{
    id batch = strcmp(form, RESTORE_FORM_LEGACY) == 0 ? request_query_id(req, "batchId") : (id){ 0 };
    bind_source(req, params, form);
    list_bind(req, params);
    if (id_is_there(batch))
        params_id(params, P_BATCH, batch);
    else
        params_null(params, P_BATCH);
    return OK;
}

static error
bind_get(struct request *req, struct params *params, const char *form)
{
    id restore;
    TRY(request_path_id(req, strcmp(form, RESTORE_FORM_LEGACY) == 0 ? "jobId" : "restoreJobId", &restore));
    bind_source(req, params, form);
    params_id(params, P_RESTORE, restore);
    return OK;
}

static error
answer_one(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    answer_entity(req, download_show(req, rows_text(rows, 0, C_DOCUMENT)), rows_int(rows, 0, C_REVISION));
    return OK;
}

#define FORM(name, form)                                                                     \
    static error list_of_##name(struct request *req, struct params *params)                  \
    {                                                                                        \
        return bind_list(req, params, form);                                                 \
    }                                                                                        \
    static error one_of_##name(struct request *req, struct params *params)                   \
    {                                                                                        \
        return bind_get(req, params, form);                                                  \
    }                                                                                        \
    const struct read name##_list = { SQL_RESTORE_LIST, list_of_##name, list_answer_below }, \
                      name##_get = { SQL_RESTORE_GET, one_of_##name, answer_one }
FORM(restore, RESTORE_FORM);
FORM(flex_restore, RESTORE_FORM_FLEX);
FORM(legacy_restore, RESTORE_FORM_LEGACY);
#undef FORM

/* ---- What is asked for ---- */

/* A request of any form. */
struct asked {
    const char *form;
    struct restore_wish wish;
    const char *point_field; /* of the body: what says to which point */
    id target_project;       /* none: that of the path */
    id target;               /* none: by name */
    const char *target_field;
    str target_name;
    bool is_download; /* into a file, and not into a cluster */
};

/* An identifier of the body; none when it was not sent. Its form was checked by the field table. */
static id
body_id(const json_t *body, const char *field)
{
    id value = { 0 };
    return id_parse(json_str(json_object_get(body, field)), &value) ? value : (id){ 0 };
}

/* Exactly one of three fields says it. */
static error
read_moment(struct request *req, struct asked *asked)
{
    static const char *const fields[] = { "pointInTimeUTCSeconds", "pointInTimeLsn", "latest" };
    size_t count = 0;
    for (size_t i = 0; i < LENGTH(fields); i++) {
        const json_t *sent = json_object_get(req->body, fields[i]);
        if (sent == NULL || json_is_false(sent))
            continue;
        asked->point_field = fields[i];
        count++;
    }
    if (count == 0)
        return fail(req->arena, MISSING_ATTRIBUTE, V(fields[0]));
    if (count > 1)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(asked->point_field),
                    V("only one of pointInTimeUTCSeconds, pointInTimeLsn and latest can be sent"));
    const json_t *sent = json_object_get(req->body, asked->point_field);
    asked->wish = json_is_integer(sent)
                      ? (struct restore_wish){ .point = RESTORE_TIME, .moment_ms = json_integer_value(sent) * 1000 }
                  : json_is_string(sent) ? (struct restore_wish){ .point = RESTORE_LSN, .lsn = json_str(sent) }
                                         : (struct restore_wish){ .point = RESTORE_LATEST };
    return OK;
}

static error
read_snapshot(struct request *req, struct asked *asked)
{
    asked->point_field = "snapshotId";
    asked->wish = (struct restore_wish){ .point = RESTORE_SNAPSHOT, .snapshot = body_id(req->body, "snapshotId") };
    return id_is_there(asked->wish.snapshot) ? OK : fail(req->arena, MISSING_ATTRIBUTE, V("snapshotId"));
}

/* A download has no target, and is of a snapshot as it was taken. */
static error
check_only_snapshot(struct request *req)
{
    static const char *const others[] = { "targetClusterName", "targetGroupId", "pointInTimeUTCSeconds",
                                          "pointInTimeLsn", "latest" };
    for (size_t i = 0; i < LENGTH(others); i++) {
        if (json_object_get(req->body, others[i]) != NULL)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(others[i]),
                        V("leave it out: a download needs only snapshotId"));
    }
    return OK;
}

static error
read_asked(struct request *req, struct asked *ret_asked)
{
    str delivery = json_str(json_object_get(req->body, "deliveryType"));
    *ret_asked = (struct asked){ .form = RESTORE_FORM,
                                 .target_project = body_id(req->body, "targetGroupId"),
                                 .target_field = "targetClusterName",
                                 .target_name = json_str(json_object_get(req->body, "targetClusterName")) };
    ret_asked->is_download = str_is(delivery, "download");
    if (ret_asked->is_download)
        TRY(check_only_snapshot(req));
    if (str_is(delivery, "pointInTime") && json_object_get(req->body, "snapshotId") != NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("snapshotId"),
                    V("leave it out: a restore to a moment finds its snapshot by itself"));
    return str_is(delivery, "pointInTime") ? read_moment(req, ret_asked) : read_snapshot(req, ret_asked);
}

static error
read_legacy(struct request *req, struct asked *ret_asked)
{
    const json_t *delivery = json_object_get(req->body, "delivery"),
                 *moment = json_object_get(req->body, "pointInTimeUTCMillis");
    *ret_asked = (struct asked){ .form = RESTORE_FORM_LEGACY,
                                 .target_project = body_id(delivery, "targetGroupId"),
                                 .target = body_id(delivery, "targetClusterId"),
                                 .target_field = "delivery.targetClusterName",
                                 .target_name = json_str(json_object_get(delivery, "targetClusterName")) };
    if (!str_is(json_str(json_object_get(delivery, "methodName")), "AUTOMATED_RESTORE"))
        return fail(req->arena, NOT_OFFERED, V("Delivery by HTTP here"),
                    V("POST …/clusters/{clusterName}/backup/restoreJobs with deliveryType download makes a file"));
    if (json_object_get(req->body, "checkpointId") != NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("checkpointId"),
                    V("there are no checkpoints: send pointInTimeUTCMillis"));
    if (moment == NULL)
        return read_snapshot(req, ret_asked);
    if (json_object_get(req->body, "snapshotId") != NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("snapshotId"),
                    V("leave it out: a restore to a moment finds its snapshot by itself"));
    ret_asked->point_field = "pointInTimeUTCMillis";
    ret_asked->wish = (struct restore_wish){ .point = RESTORE_TIME, .moment_ms = json_integer_value(moment) };
    return OK;
}

static error
read_flex(struct request *req, struct asked *ret_asked)
{
    *ret_asked = (struct asked){ .form = RESTORE_FORM_FLEX,
                                 .target_project = body_id(req->body, "targetProjectId"),
                                 .target_field = "targetDeploymentItemName",
                                 .target_name = json_str(json_object_get(req->body, "targetDeploymentItemName")) };
    return read_snapshot(req, ret_asked);
}

/* ---- Where it goes ---- */

/* Whoever may restore here need not be allowed to replace data there. */
static error
check_target_project(struct request *req, struct asked *asked)
{
    role_set needed = req->endpoint->access.roles;
    if (!id_is_there(asked->target_project))
        asked->target_project = req->project;
    if (id_eq(asked->target_project, req->project) ||
        (principal_roles_in_project(req->caller, req->organization, asked->target_project) & needed) != 0)
        return OK;
    return fail(req->arena, MISSING_ROLE, V(role_set_text(req->arena, needed)));
}

static error
target_missing(struct request *req, const struct asked *asked)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(asked->target_field),
                V("there is no such cluster: create it first"));
}

/* Its primary is gone, and so is a host. What is under way waits for it in vain, and the restore takes its place. */
static bool
is_lost(const struct cluster_members *members)
{
    bool has_primary = false, lost_one = false;
    for (size_t i = 0; i < members->count; i++) {
        lost_one |= members->items[i].host_gone;
        has_primary |= members->items[i].role == MEMBER_IS_PRIMARY && !members->items[i].host_gone;
    }
    return lost_one && !has_primary;
}

static error
refuse_target(struct request *req, const struct cluster *target, const char *why)
{
    return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(target->name), V(why));
}

static error
check_target(struct request *req, const struct asked *asked, const struct cluster *target)
{
    struct cluster_part outage;
    enum cluster_state ignored;
    int64_t jobs;
    bool found;
    if (!cluster_state_next(target->state, CAUSE_CHANGE, &ignored))
        return refuse_target(req, target, "it is being deleted");
    if (target->state == CLUSTER_CREATING)
        return refuse_target(req, target, "it is still being made");
    if (json_is_true(json_object_get(target->document, "paused")))
        return refuse_target(req, target, "it is paused");
    if (json_object_get(target->document, "encryptionAtRestProvider") != NULL)
        return refuse_target(req, target,
                             "it is under the project's own key, and nothing is restored into such clusters");
    TRY(store_part_lock(req->tx, asked->target_project, STR(OUTAGE_KIND), target->name, &found, &outage));
    if (found && !outage_is_over(&outage))
        return refuse_target(req, target, "an outage simulation is running");
    TRY(store_cluster_unfinished_jobs(req->tx, target, target->id, &jobs)); /* no job has that id: all of them */
    return jobs == 0 ? OK : refuse_target(req, target, "another change of it is under way");
}

/* Rows of jobs are locked before that of the cluster, as the steps of jobs do. */
static error
take_target(struct request *req, struct asked *asked, struct cluster *ret_target, bool *ret_was_lost)
{
    struct cluster_members members;
    str kind = is_flex(asked->form) ? STR(FLEX_CLUSTER_KIND) : STR(CLUSTER_KIND);
    bool found = id_is_there(asked->target), restores;
    TRY(check_target_project(req, asked));
    if (!found && asked->target_name.len == 0)
        return fail(req->arena, MISSING_ATTRIBUTE, V(asked->target_field));
    if (!found)
        TRY(store_cluster_find(req->tx, asked->target_project, kind, asked->target_name, &found, &asked->target));
    if (!found)
        return target_missing(req, asked);
    TRY(store_cluster_members(req->tx, asked->target, &members));
    TRY(store_restore_is_under_way(req->tx, req->organization, asked->target, &restores));
    *ret_was_lost = is_lost(&members) && !restores;
    if (*ret_was_lost)
        TRY(store_cluster_cancel_jobs(req->tx, req->organization, asked->target, str_from(cluster_delete_job.name)));
    TRY(store_cluster_lock_id(req->tx, req->organization, asked->target_project, asked->target, &found, ret_target));
    if (!found || !str_eq(ret_target->kind, kind))
        return target_missing(req, asked);
    return check_target(req, asked, ret_target);
}

/* ---- Where it comes from ---- */

static error
refuse_point(struct request *req, const struct asked *asked, str source, id cluster)
{
    str nearest;
    const struct restore_wish *wish = &asked->wish;
    struct restore_wish near = *wish;
    if (wish->point == RESTORE_SNAPSHOT)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(asked->point_field),
                    V("it must be a completed snapshot of this cluster"));
    if (wish->point == RESTORE_LATEST) {
        near.point = RESTORE_TIME;
        near.moment_ms = clock_now_ms();
    }
    TRY(store_restore_nearest(req->tx, req->project, cluster, &near, &nearest));
    str wanted = wish->point == RESTORE_TIME  ? date_text(req->arena, wish->moment_ms)
                 : wish->point == RESTORE_LSN ? wish->lsn
                                              : STR("its latest moment");
    str why = nearest.len == 0 ? STR("its first snapshot is not completed")
                               : str_format(req->arena, "the nearest that its backups reach is %.*s", STR_ARG(nearest));
    return fail(req->arena, POINT_NOT_RESTORABLE, V(source), V(wanted), V(why));
}

/* The cluster of the path comes first: whoever names none learns nothing about others. */
static error
find_source(struct request *req, const struct asked *asked, id *ret_cluster)
{
    bool found;
    str kind = is_flex(asked->form) ? STR(FLEX_CLUSTER_KIND) : STR(CLUSTER_KIND), name = source_name(req, asked->form);
    TRY(store_backup_cluster(req->tx, req->project, kind, name, &found, ret_cluster));
    if (!found)
        return request_not_found(req);
    TRY(store_stanza_any(req->tx, req->organization, *ret_cluster, &found));
    return found ? OK : fail(req->arena, BACKUPS_NOT_ENABLED, V(name));
}

static error
choose_backup(struct request *req, const struct asked *asked, id cluster, struct restore_source *ret_source)
{
    bool found;
    TRY(store_restore_find(req->tx, req->project, cluster, &asked->wish, &found, ret_source));
    return found ? OK : refuse_point(req, asked, source_name(req, asked->form), cluster);
}

static error
check_fits(struct request *req, const struct asked *asked, const struct restore_source *source,
           const struct cluster *target)
{
    struct wanted wanted;
    str name = source_name(req, asked->form), why;
    if (!wanted_from_document(target->document, &wanted))
        return fail(req->arena, INTERNAL_ERROR);
    if (!str_eq(source->major_version, target->major_version))
        why = str_format(req->arena, "it is of version %.*s, and the cluster of %.*s", STR_ARG(source->major_version),
                         STR_ARG(target->major_version));
    else if (source->size_bytes > wanted.disk_gb * BYTES_IN_GB)
        why = str_format(req->arena, "it has %lld bytes, and the cluster's disk %lld GB", (long long)source->size_bytes,
                         (long long)wanted.disk_gb);
    else
        return OK;
    return fail(req->arena, RESTORE_TARGET_UNFIT, V(name), V(target->name), V(why));
}

/* ---- Beginning ---- */

static error
add_job(struct request *req, const struct cluster *target, const struct job_kind *kind, str payload, id *ret_job)
{
    return job_add(req->tx, kind,
                   (struct job_draft){ .organization = req->organization,
                                       .project = target->project,
                                       .subject = target->id,
                                       .subject_name = target->name,
                                       .generation = target->generation,
                                       .payload = payload },
                   ret_job);
}

/* What was cancelled may have been the tenant's change: a job that changes the cluster to match its document follows. */
static error
add_jobs(struct request *req, struct cluster *target, id restore, bool was_lost)
{
    enum cluster_state state;
    id job, after;
    if (!cluster_state_next(target->state, CAUSE_CHANGE, &state))
        return fail(req->arena, INTERNAL_ERROR);
    TRY(store_cluster_set(req->tx, target, target->document, state, false));
    str payload = str_format(req->arena, "{\"restoreId\": \"%s\"}", id_text(req->arena, restore).data);
    TRY(add_job(req, target, &cluster_restore_job, payload, &job));
    if (was_lost)
        TRY(add_job(req, target, &cluster_update_job, STR_EMPTY, &after));
    answer_operation(req, job);
    return OK;
}

static error
tell(struct request *req, const struct restore_draft *draft, const json_t *shown)
{
    return id_eq(draft->target_project, req->project)
               ? request_event_of_cluster(req, EVENT_RESTORE_REQUESTED, draft->target_name, NULL, shown)
               : request_event_in(req, EVENT_RESTORE_REQUESTED, req->organization, draft->target_project, NULL, shown);
}

/* Of the path's cluster; which restore it is, is not known yet. */
static struct restore_place
place_of(struct request *req, const char *form)
{
    return (struct restore_place){ .project = req->project,
                                   .kind = is_flex(form) ? STR(FLEX_CLUSTER_KIND) : STR(CLUSTER_KIND),
                                   .cluster = source_name(req, form),
                                   .form = str_from(form) };
}

/* Shows it in its form: the older one has lists. */
static error
answer(struct request *req, const char *form, const struct restore_draft *draft)
{
    struct restore_place place = place_of(req, form);
    str shown, key = id_text(req->arena, draft->id);
    int64_t revision;
    place.restore = draft->id;
    TRY(store_restore_document(req->tx, &place, &shown, &revision));
    TRY(tell(req, draft, json_parse_own(req->arena, shown)));
    if (strcmp(form, RESTORE_FORM_LEGACY) == 0) {
        answer_list(req, 1, false);
        answer_item(req, shown, key);
    } else {
        answer_created(req, shown, key, revision);
    }
    return OK;
}

static struct restore_draft
draft_of(struct request *req, const struct asked *asked)
{
    return (struct restore_draft){ .id = id_new(store_cell(req->api->store)),
                                   .organization = req->organization,
                                   .project = req->project,
                                   .wish = asked->wish };
}

static error
begin_download(struct request *req, const struct asked *asked)
{
    struct restore_draft draft = draft_of(req, asked);
    struct restore_place place = place_of(req, asked->form);
    TRY(find_source(req, asked, &draft.cluster));
    TRY(choose_backup(req, asked, draft.cluster, &draft.source));
    return download_create(req, &place, &draft);
}

static error
begin(struct request *req, struct asked *asked)
{
    struct restore_draft draft = draft_of(req, asked);
    struct cluster target;
    bool was_lost;
    TRY(find_source(req, asked, &draft.cluster));
    TRY(take_target(req, asked, &target, &was_lost));
    TRY(choose_backup(req, asked, draft.cluster, &draft.source));
    TRY(check_fits(req, asked, &draft.source, &target));
    draft.target_project = asked->target_project;
    draft.target = target.id;
    draft.target_name = target.name;
    TRY(store_restore_add(req->tx, &draft));
    TRY(add_jobs(req, &target, draft.id, was_lost));
    return answer(req, asked->form, &draft);
}

error
restore_create(struct request *req)
{
    struct asked asked;
    TRY(read_asked(req, &asked));
    return asked.is_download ? begin_download(req, &asked) : begin(req, &asked);
}

error
legacy_restore_create(struct request *req)
{
    struct asked asked;
    TRY(read_legacy(req, &asked));
    return begin(req, &asked);
}

error
flex_restore_create(struct request *req)
{
    struct asked asked;
    TRY(read_flex(req, &asked));
    return begin(req, &asked);
}

error
flex_download_create(struct request *req)
{
    struct asked asked;
    TRY(read_flex(req, &asked));
    return begin_download(req, &asked);
}

/* ---- Cancelling ---- */

static const char *
why_not_cancellable(const struct restore *restore)
{
    if (restore->is_restored)
        return "the cluster already has the data of the backup";
    if (restore->state == RESTORE_IS_UNDOING)
        return "it has failed, and the cluster gets its data from before";
    return restore->state == RESTORE_IS_RUNNING ? NULL : "it is over";
}

error
restore_cancel(struct request *req)
{
    struct restore_place place = place_of(req, RESTORE_FORM);
    struct cluster target;
    struct restore restore;
    id project, cluster;
    bool found;
    str shown;
    int64_t revision;
    TRY(request_path_id(req, "restoreJobId", &place.restore));
    TRY(store_restore_target(req->tx, &place, &found, &project, &cluster));
    if (!found)
        return request_not_found(req);
    if (!id_is_there(cluster))
        return download_cancel(req, &place);
    TRY(store_cluster_lock_id(req->tx, req->organization, project, cluster, &found, &target));
    TRY(store_restore_lock(req->tx, req->organization, place.restore, &found, &restore));
    TRY(store_restore_document(req->tx, &place, &shown, &revision));
    if (!found)
        return request_not_found(req);
    TRY(request_check_match(req, revision));
    answer_nothing(req);
    if (restore.is_cancelled)
        return OK; /* it is on its way already */
    const char *why = why_not_cancellable(&restore);
    if (why != NULL)
        return fail(req->arena, RESTORE_NOT_CANCELLABLE, V(why));
    TRY(store_restore_turn_back(req->tx, req->organization, restore.id, STR("It was cancelled."), true, &found));
    return request_event(req, EVENT_RESTORE_CANCEL_REQUESTED, json_parse_own(req->arena, shown), NULL);
}
