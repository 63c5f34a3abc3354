/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a change is made: the document is checked, hosts are reserved, and a job is added that carries it out, all in the
 * transaction of the request. After the commit the change is certain; without a free host nothing changes.
 */
#include "api/api.h"
#include "api/request_event.h"
#include "base/json.h"
#include "cluster/member.h"
#include "cluster/names.h"
#include "cluster/part.h"
#include "cluster/scaling.h"
#include "cluster/settings.h"
#include "cluster/state.h"
#include "family/cluster/clusters.h"
#include "family/policy/resource_policies.h"
#include "family/project_limits.h"
#include "family/takes_along.h"
#include "job/cluster/cluster_jobs.h"
#include "store/cluster/scaling/scaling_watch.h"
#include "store/etcd/etcd.h"
#include "store/takes_along.h"

/* ---- Parts of every change ---- */

error
cluster_take(struct request *req, str kind, str name, struct cluster *ret_cluster, json_t **ret_before)
{
    bool found;
    str shown;
    int64_t revision;
    TRY(store_cluster_lock(req->tx, req->organization, req->project, kind, name, &found, ret_cluster));
    if (!found)
        return request_not_found(req);
    TRY(store_cluster_document(req->tx, ret_cluster, &shown, &revision));
    TRY(request_check_match(req, revision));
    *ret_before = json_parse_own(req->arena, shown);
    return *ret_before == NULL ? fail(req->arena, OVERLOADED) : OK;
}

error
cluster_check_changeable(struct request *req, const struct cluster *cluster)
{
    struct cluster_part outage;
    bool found;
    enum cluster_state ignored;
    if (!cluster_state_next(cluster->state, CAUSE_CHANGE, &ignored))
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(cluster->name), V("it is being deleted"));
    TRY(store_part_lock(req->tx, req->project, STR(OUTAGE_KIND), cluster->name, &found, &outage));
    if (found && !outage_is_over(&outage))
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(cluster->name), V("an outage simulation is running"));
    return OK;
}

error
cluster_answer(struct request *req, const struct cluster *cluster, enum event_type type, const json_t *before,
               bool created)
{
    str shown;
    int64_t revision;
    TRY(store_cluster_document(req->tx, cluster, &shown, &revision));
    TRY(request_event_of_cluster(req, type, cluster->name, before, json_parse_own(req->arena, shown)));
    if (created)
        answer_created(req, shown, cluster->name, revision);
    else
        answer_entity(req, shown, revision);
    return OK;
}

error
cluster_answer_unchanged(struct request *req, const struct cluster *cluster)
{
    str shown;
    int64_t revision;
    TRY(store_cluster_document(req->tx, cluster, &shown, &revision));
    answer_entity(req, shown, revision);
    return OK;
}

static error
add_job(struct request *req, const struct cluster *cluster, const struct job_kind *kind, const json_t *payload)
{
    id job;
    struct job_draft draft = {
        .organization = req->organization,
        .project = req->project,
        .subject = cluster->id,
        .subject_name = cluster->name,
        .generation = cluster->generation,
        .payload = payload == NULL ? STR_EMPTY : json_text(req->arena, payload),
    };
    TRY(job_add(req->tx, kind, draft, &job));
    answer_operation(req, job);
    return OK;
}

/* Whether a worker looks at its size from now on. `before` is NULL for a new cluster. */
static error
follow_scaling(struct request *req, const struct cluster *cluster, const json_t *before, const json_t *after)
{
    struct scaling_rules was = scaling_rules_read(before), rules = scaling_rules_read(after);
    bool is_on = scaling_rules_are_on(&rules);
    return is_on == scaling_rules_are_on(&was) ? OK : store_scaling_follow(req->tx, cluster, is_on);
}

/* ---- Room ---- */

error
cluster_reserve(struct request *req, const struct fleet_offer *offer, const struct cluster *cluster)
{
    struct wanted wanted;
    const struct wanted_group *full;
    if (!wanted_from_document(cluster->document, &wanted))
        return fail(req->arena, INTERNAL_ERROR);
    TRY(members_make_room(req->tx, offer, cluster, &wanted, &full));
    if (full != NULL)
        return fail(req->arena, NO_CAPACITY, V(full->region), V(full->provider), V(full->size), V(wanted.disk_gb));
    return OK;
}

/* ---- New clusters ---- */

/* Where its members agree: near its primary, and for as long as the cluster lives. */
static error
bind_etcd(struct request *req, const struct cluster *cluster, const struct wanted *wanted)
{
    int preferred = plan_preferred_group(wanted);
    const struct wanted_group *group = &wanted->groups[preferred < 0 ? 0 : preferred];
    bool bound;
    TRY(store_cluster_etcd_bind(req->tx, cluster->id, group->provider, group->region, &bound));
    return bound ? OK : fail(req->arena, NO_ETCD_CAPACITY, V(group->region), V(group->provider));
}

error
cluster_begin(struct request *req, const struct fleet_offer *offer, str kind, str name, json_t *document,
              struct cluster *ret_cluster)
{
    struct wanted wanted;
    if (!wanted_from_document(document, &wanted))
        return fail(req->arena, INTERNAL_ERROR);
    TRY(policy_check(req, kind, document));
    str version = json_str(json_object_get(document, "dbMajorVersion"));
    json_t *parameters =
        settings_to_parameters(req->arena, offer_size(offer, wanted.size), wanted.disk_gb, NULL, version);
    str analytics_size = wanted_analytics_size(&wanted);
    json_t *own = analytics_size.len == 0
                      ? NULL
                      : settings_of_own_size(req->arena, offer_size(offer, wanted.size),
                                             offer_size(offer, analytics_size), wanted.disk_gb, NULL, version);
    const struct cluster_naming *naming = req->api->naming != NULL ? req->api->naming : &cluster_naming_usual;
    str set_name = name_new_set(req->arena);
    struct cluster cluster = {
        .id = id_new(store_cell(req->api->store)),
        .organization = req->organization,
        .project = req->project,
        .name = name,
        .kind = kind,
        .state = CLUSTER_CREATING,
        .document = document,
        .generation = 1,
        .set_name = set_name,
        .host_label = name_new_label(req->arena, naming->scheme, name, set_name),
        .port = naming->port,
        .pooler_port = naming->pooler_port,
        .major_version = version,
        .parameters = json_text(req->arena, parameters),
        .analytics_parameters = own == NULL ? STR("{}") : json_text(req->arena, own),
    };
    TRY(store_cluster_add(req->tx, &cluster));
    TRY(follow_scaling(req, &cluster, NULL, document));
    TRY(bind_etcd(req, &cluster, &wanted));
    TRY(cluster_reserve(req, offer, &cluster));
    TRY(cluster_backups_follow(req, &cluster));
    TRY(add_job(req, &cluster, &cluster_create_job, NULL));
    /* A cluster that begins paused is made first, so that it only has to be started. Whoever waits for the operation waits for the end of both. */
    if (wanted.paused)
        TRY(add_job(req, &cluster, &cluster_pause_job, NULL));
    *ret_cluster = cluster;
    return OK;
}

error
cluster_try_create(struct request *req, const json_t *sent, struct cluster *ret_cluster)
{
    struct fleet_offer *offer;
    json_t *document = json_in(req->arena, json_deep_copy(sent));
    TRY(project_limit_check(req, LIMIT_CLUSTERS));
    TRY(store_fleet_offer(req->api->store, req->arena, &offer));
    json_object_del(document, "name");
    TRY(cluster_document_check(req, offer, NULL, document));
    TRY(cluster_backups_check_policy(req, document));
    return cluster_begin(req, offer, STR(CLUSTER_KIND), json_str(json_object_get(sent, "name")), document, ret_cluster);
}

error
cluster_create(struct request *req)
{
    struct cluster cluster;
    TRY(cluster_try_create(req, req->body, &cluster));
    return cluster_answer(req, &cluster, EVENT_CLUSTER_CREATED, NULL, true);
}

/* ---- Changes ---- */

error
cluster_submit(struct request *req, struct cluster *cluster, const json_t *document, const struct job_kind *job,
               const json_t *payload)
{
    enum cluster_state state = cluster->state;
    if (job != NULL && !cluster_state_next(cluster->state, CAUSE_CHANGE, &state))
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(cluster->name), V("it is being deleted"));
    /* What leaves the document as it is, as a switchover does, is no change that a policy could forbid. */
    if (!json_equal(cluster->document, document))
        TRY(policy_check(req, cluster->kind, document));
    TRY(follow_scaling(req, cluster, cluster->document, document));
    TRY(store_cluster_set(req->tx, cluster, document, state, job == NULL));
    return job == NULL ? OK : add_job(req, cluster, job, payload);
}

/* Which job a change needs, if any. Only one of the two can change at a time: a paused cluster has nobody to clone from. */
static error
choose_job(struct request *req, const struct cluster *cluster, const json_t *before, const json_t *after,
           const struct job_kind **ret_job)
{
    bool was_paused = json_is_true(json_object_get(before, "paused")),
         paused = json_is_true(json_object_get(after, "paused"));
    /* When its size may change is nothing that a host would have to know. */
    bool moves =
        !json_equal(scaling_without_rules(req->arena, json_object_get(before, "replicationSpecs")),
                    scaling_without_rules(req->arena, json_object_get(after, "replicationSpecs"))) ||
        json_is_true(json_object_get(before, "backupEnabled")) != json_is_true(json_object_get(after, "backupEnabled"));
    if (moves && (was_paused || paused))
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(cluster->name), V("it is paused or about to be paused"));
    *ret_job = moves                  ? &cluster_update_job
               : paused == was_paused ? NULL
               : paused               ? &cluster_pause_job
                                      : &cluster_resume_job;
    return OK;
}

error
cluster_try_update(struct request *req, const json_t *sent, struct cluster *ret_cluster, json_t **ret_before,
                   bool *ret_changed)
{
    struct cluster cluster;
    struct fleet_offer *offer;
    const struct job_kind *job = NULL;
    str path_name = request_path_value(req, "clusterName");
    str name = path_name.len > 0 ? path_name : json_str(json_object_get(sent, "name"));
    TRY(cluster_take(req, STR(CLUSTER_KIND), name, &cluster, ret_before));
    TRY(cluster_check_changeable(req, &cluster));
    const json_t *before = cluster.document;
    json_t *after = json_in(req->arena, json_deep_copy(before));
    json_object_update(after, (json_t *)sent);
    json_object_del(after, "name");
    TRY(store_fleet_offer(req->api->store, req->arena, &offer));
    if (!json_equal(before, after))
        TRY(cluster_document_check(req, offer, before, after));
    *ret_changed = !json_equal(before, after);
    *ret_cluster = cluster;
    if (!*ret_changed)
        return OK;
    if (json_is_true(json_object_get(before, "backupEnabled")))
        TRY(cluster_backups_check_policy(req, after));
    TRY(choose_job(req, &cluster, before, after, &job));
    TRY(cluster_submit(req, &cluster, after, job, NULL));
    if (job == &cluster_update_job) {
        TRY(cluster_reserve(req, offer, &cluster));
        TRY(cluster_backups_follow(req, &cluster));
    }
    *ret_cluster = cluster;
    return OK;
}

error
cluster_update(struct request *req)
{
    struct cluster cluster;
    json_t *before;
    bool changed;
    TRY(cluster_try_update(req, req->body, &cluster, &before, &changed));
    return changed ? cluster_answer(req, &cluster, EVENT_CLUSTER_UPDATE_SUBMITTED, before, false)
                   : cluster_answer_unchanged(req, &cluster);
}

error
cluster_upgrade(struct request *req)
{
    struct cluster cluster;
    struct fleet_offer *offer;
    json_t *before, *document = json_in(req->arena, json_deep_copy(req->body));
    TRY(cluster_take(req, STR(FLEX_CLUSTER_KIND), json_str(json_object_get(req->body, "name")), &cluster, &before));
    TRY(cluster_check_changeable(req, &cluster));
    json_object_del(document, "name");
    if (json_object_get(document, "dbMajorVersion") == NULL)
        json_object_set_new(document, "dbMajorVersion",
                            json_stringn(cluster.major_version.data, cluster.major_version.len));
    if (json_is_true(json_object_get(document, "paused")))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("paused"),
                    V("an upgrade cannot pause the cluster; leave it out"));
    TRY(store_fleet_offer(req->api->store, req->arena, &offer));
    json_t *was = json_in(req->arena, json_pack("{s:s}", "dbMajorVersion", cluster.major_version.data));
    TRY(cluster_document_check(req, offer, was, document));
    TRY(cluster_backups_check_policy(req, document));
    TRY(store_cluster_change_kind(req->tx, &cluster, STR(CLUSTER_KIND)));
    TRY(cluster_submit(req, &cluster, document, &cluster_update_job, NULL));
    TRY(cluster_reserve(req, offer, &cluster));
    TRY(cluster_backups_follow(req, &cluster));
    return cluster_answer(req, &cluster, EVENT_CLUSTER_UPDATE_SUBMITTED, before, false);
}

/* ---- The end ---- */

error
cluster_terminate(struct request *req, str kind, str name, bool keeps_backups)
{
    struct cluster cluster;
    json_t *before;
    enum cluster_state state;
    bool found;
    id subject;
    str goes;
    /* Rows of jobs are taken before that of the cluster, as the steps of jobs do. */
    TRY(store_cluster_find(req->tx, req->project, kind, name, &found, &subject));
    if (!found)
        return request_not_found(req);
    TRY(store_cluster_takes_along(req->tx, req->organization, subject, keeps_backups, &goes));
    TRY(store_cluster_cancel_jobs(req->tx, req->organization, subject, str_from(cluster_delete_job.name)));
    TRY(cluster_take(req, kind, name, &cluster, &before));
    answer_nothing(req);
    answer_takes_along(req, goes);
    if (!cluster_state_next(cluster.state, CAUSE_TERMINATE, &state))
        return OK; /* it is on its way already */
    if (keeps_backups)
        TRY(cluster_backups_check_kept(req, &cluster));
    if (json_is_true(json_object_get(cluster.document, "terminationProtectionEnabled")))
        return fail(req->arena, TERMINATION_PROTECTED, V(name));
    TRY(store_cluster_set(req->tx, &cluster, cluster.document, state, false));
    json_t *payload = keeps_backups ? json_in(req->arena, json_pack("{s:b}", "retainBackups", true)) : NULL;
    TRY(add_job(req, &cluster, &cluster_delete_job, payload));
    return request_event_of_cluster(req, EVENT_CLUSTER_DELETE_SUBMITTED, name, before, NULL);
}

error
cluster_delete(struct request *req)
{
    return cluster_terminate(req, STR(CLUSTER_KIND), request_path_value(req, "clusterName"),
                             str_is(request_query(req, "retainBackups"), "true"));
}
