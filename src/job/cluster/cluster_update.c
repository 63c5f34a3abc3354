/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a cluster what its document asks for: more or fewer members, other regions, another size, other settings. A
 * step does nothing when its part is done already, so one table serves every change, also several at once.
 *
 * New members come before old ones go, the primary never goes before there is another one, and members restart one by
 * one, replicas first: the cluster is always writable, except for the moment of a switchover.
 */
#include "base/json.h"
#include "cluster/part.h"
#include "cluster/settings.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"
#include "store/offer/fleet_offer.h"

/* Members for analytics have memory of their own size. */
static error
configure_analytics(struct job_context *context, struct cluster_work *work, const struct offered_size *size,
                    str *ret_missing, bool *ret_changed)
{
    struct offered_size own;
    str name = wanted_analytics_size(&work->wanted);
    bool found = true;
    json_t *parameters = json_in(context->arena, json_object());
    if (name.len > 0)
        TRY(store_offered_size(context->tx, name, &found, &own));
    *ret_missing = found ? STR_EMPTY : name;
    if (!found)
        return OK;
    if (name.len > 0)
        parameters =
            settings_of_own_size(context->arena, size, &own, work->wanted.disk_gb,
                                 json_object_get(work->cluster.document, "processArgs"), work->cluster.major_version);
    return store_cluster_set_analytics_parameters(context->tx, &work->cluster, json_text(context->arena, parameters),
                                                  ret_changed);
}

error
cluster_step_configure(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    struct offered_size size;
    bool found, changed, own_changed;
    str missing;
    TRY(cluster_work(context, &work));
    if (!work->found)
        return step_done(ret_result);
    TRY(store_offered_size(context->tx, work->wanted.size, &found, &size));
    missing = found ? STR_EMPTY : work->wanted.size;
    if (found)
        TRY(configure_analytics(context, work, &size, &missing, &own_changed));
    if (missing.len > 0)
        return step_waits(context, ret_result, "The operator has no size %.*s any more.", STR_ARG(missing));
    json_t *parameters =
        settings_to_parameters(context->arena, &size, work->wanted.disk_gb,
                               json_object_get(work->cluster.document, "processArgs"), work->cluster.major_version);
    json_t *before = json_parse_own(context->arena, work->cluster.parameters);
    const json_t *libraries = json_object_get(work->cluster.document, EXTENSION_LIBRARIES);
    settings_add_libraries(context->arena, parameters, libraries);
    settings_keep_libraries(before, parameters, libraries);
    TRY(store_cluster_set_parameters(context->tx, &work->cluster, json_text(context->arena, parameters), &changed));
    if (!changed && !own_changed)
        return step_done(ret_result);
    TRY(store_cluster_touch(context->tx, &work->cluster));
    /*
     * Not left to what servers say about themselves: that comes later than that they have the new settings. Of settings of its own a member has applied a
     * change only when it says, too, that it must restart for it; so nobody else restarts.
     */
    if (settings_need_restart(before, parameters))
        TRY(store_cluster_require_restart(context->tx, &work->cluster, true));
    return step_done(ret_result);
}

/*
 * A restart is asked for once for each goal and round, so that a step which runs again knows whether it did already. The second round is for servers that cannot take a smaller value before their primary has: Patroni says so by letting them wait for a
 * restart still.
 */
static int64_t
goal_of(int64_t generation, int round)
{
    return generation * 2 + round;
}

static bool
needs_restart(const struct cluster_work *work, size_t index, int64_t goal)
{
    const struct cluster_member *member = &work->members.items[index];
    bool is_required = member->restart_goal < goal_of(work->cluster.restart_generation, 0);
    return member_stays(work, index) && (is_required || member->pending_restart) && member->restart_goal < goal;
}

/* The first replica that needs one, or -1. */
static int
next_replica(const struct cluster_work *work, int64_t goal)
{
    for (size_t i = 0; i < work->members.count; i++) {
        if (!member_is_primary(&work->members.items[i]) && needs_restart(work, i, goal))
            return (int)i;
    }
    return -1;
}

/* One turn of a round: the next replica, then the primary as `in_place` says. */
static error
restart_turn(struct job_context *context, int round, bool with_primary, bool in_place, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    if (!work->found || work->wanted.paused)
        return step_done(ret_result);
    TRY(work_wait_for_restarts(context, work, ret_result));
    if (ret_result->outcome != STEP_DONE)
        return OK;
    int64_t goal = goal_of(work->cluster.goal_generation, round);
    int replica = next_replica(work, goal), primary = work_primary(work);
    if (replica >= 0)
        return work_restart(context, work, (size_t)replica, goal, ret_result);
    if (!with_primary || primary < 0 || !needs_restart(work, (size_t)primary, goal))
        return step_done(ret_result);
    if (in_place || work_best_priority(work) < 0)
        return work_restart(context, work, (size_t)primary, goal, ret_result);
    /* It restarts when it is a replica. */
    return work_hand_over(context, work, ANY_PRIORITY, ret_result);
}

error
cluster_step_restart_replicas(struct job_context *context, struct job_result *ret_result)
{
    return restart_turn(context, 0, false, false, ret_result);
}

error
cluster_step_restart_primary(struct job_context *context, struct job_result *ret_result)
{
    return restart_turn(context, 0, true, false, ret_result);
}

error
cluster_step_restart_rest(struct job_context *context, struct job_result *ret_result)
{
    return restart_turn(context, 1, true, true, ret_result);
}

/* What grows was given its room when the change was accepted; what shrinks gives it back when the servers use less. */
static error
resize(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    bool resized;
    TRY(cluster_work(context, &work));
    for (size_t i = 0; work->found && i < work->members.count; i++) {
        const struct cluster_member *member = &work->members.items[i];
        if (!member_stays(work, i))
            continue;
        str size = work->wanted.groups[work->plan.group[i]].size;
        if (str_eq(member->size, size) && member->disk_gb == work->wanted.disk_gb)
            continue;
        TRY(store_cluster_member_resize(context->tx, member->id, size, work->wanted.disk_gb, &resized));
        if (!resized)
            return step_waits(context, ret_result, "The host of member %.*s has no room for its size.",
                              STR_ARG(member_name(context, work, member)));
    }
    return step_done(ret_result);
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    if (work->found) {
        TRY(store_cluster_require_restart(context->tx, &work->cluster, false));
        TRY(work_finish(context, work, EVENT_CLUSTER_UPDATE_COMPLETED));
    }
    return step_done(ret_result);
}

// clang-format off
static const struct job_step_row steps[] = {
    { "start",            "Starts new members.",                                         cluster_step_start,          60 },
    { "wait-members",     "Waits until every member follows the primary.",               cluster_step_wait_members,   1800 },
    { "publish-names",    "Makes the names of new members known.",                       cluster_step_publish_names,  60 },
    { "hand-over",        "Makes another member the primary if it should be elsewhere.", cluster_step_hand_over,      300 },
    { "remove-members",   "Removes members that are no longer wanted.",                  cluster_step_remove_members, 300 },
    { "wait-removed",     "Waits until they are removed from their hosts.",              cluster_step_wait_removed,   300 },
    { "configure",        "Changes the settings of the servers.",                        cluster_step_configure,      60 },
    { "wait-configured",  "Waits until every member uses them.",                         cluster_step_wait_members,   300 },
    { "restart-replicas", "Restarts replicas that need it, one by one.",                 cluster_step_restart_replicas, 1800 },
    { "restart-primary",  "Makes a replica the primary, and restarts the old primary.",  cluster_step_restart_primary, 600 },
    { "restart-rest",     "Restarts members that could not follow before the primary.",  cluster_step_restart_rest,   600 },
    { "hand-back",        "Makes a member in the right place the primary.",              cluster_step_hand_over,      300 },
    { "wait-settled",     "Waits until every member follows it.",                        cluster_step_wait_members,   600 },
    { "resize",           "Releases room that is no longer needed.",                     resize,                      60 },
    { "wait-backups",     "Waits until its backups receive what is written.", cluster_step_wait_backups, 600 },
    { "finish",           "Records that the change is in force.",                        finish,                      60 },
};
// clang-format on

const struct job_kind cluster_update_job = { "cluster.update", "Changes a cluster to match its document.", steps,
                                             LENGTH(steps) };
