/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings the servers of one cluster to the minor version that their hosts have, as part of a rollout (job/fleet/fleet_update.c): the
 * replicas one after another, then a switchover, then the old primary. A server that does not come back ends the job
 * before the next one is touched: the primary goes on with the old version.
 */
#include "base/json.h"
#include "cluster/maintenance.h"
#include "cluster/state.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"
#include "store/update/update.h"

enum { TURN_LOOK_MS = 30 * 1000 };

struct version_work {
    struct cluster_work *cluster; /* with the row not under way when there is nothing to do */
    id update;
    struct update_row row;
};

static id
update_of(const json_t *payload)
{
    id update = ID_NONE;
    return id_parse(json_str(json_object_get(payload, "update")), &update) ? update : ID_NONE;
}

/* The minor version of "17.6"; -1: it is not known. */
static int64_t
minor_of(str version)
{
    int64_t minor;
    (void)str_cut(&version, '.');
    return str_to_int(version, 0, INT32_MAX, &minor) ? minor : -1;
}

static bool
is_new(const struct version_work *work, size_t index)
{
    return minor_of(work->cluster->members.items[index].version) >= minor_of(work->row.version);
}

static error
look(struct job_context *context, struct version_work *ret_work)
{
    struct update_note note = UPDATE_NOTE_NOTHING;
    *ret_work = (struct version_work){ .update = update_of(json_parse_own(context->arena, context->job->payload)) };
    TRY(cluster_work(context, &ret_work->cluster));
    struct cluster_work *work = ret_work->cluster;
    if (!work->found)
        return OK;
    TRY(store_update_note(context->tx, ret_work->update, work->cluster.id, note, &ret_work->row));
    if (!ret_work->row.is_running)
        return OK;
    note.members_done = 0;
    for (size_t i = 0; i < work->members.count; i++)
        note.members_done += member_is_up(&work->members.items[i]) && is_new(ret_work, i);
    return store_update_note(context->tx, ret_work->update, work->cluster.id, note, &ret_work->row);
}

/* What waits for too long has failed: nothing more of the cluster is touched, and the rollout stops. */
static error
or_fail(struct job_context *context, struct version_work *work, struct job_result *ret_result)
{
    if (ret_result->outcome != STEP_WAITS || work->row.idle_s < work->row.patience_s)
        return OK;
    struct update_note note = UPDATE_NOTE_NOTHING;
    note.state = "FAILED";
    note.problem = ret_result->why;
    ret_result->outcome = STEP_FAILED;
    TRY(store_update_note(context->tx, work->update, work->cluster->cluster.id, note, &work->row));
    return work_finish(context, work->cluster, EVENT_CLUSTER_VERSION_UPDATE_FAILED);
}

/* ---- Steps ---- */

/* While a job is in this step, others of the cluster pass it. It leaves the step only when none is under way, with the cluster locked. */
static error
wait_turn(struct job_context *context, struct job_result *ret_result)
{
    const json_t *payload = json_parse_own(context->arena, context->job->payload);
    struct cluster_work *work;
    enum update_gate gate;
    int64_t others;
    TRY(cluster_work(context, &work));
    if (!work->found)
        return step_done(ret_result);
    TRY(store_cluster_unfinished_jobs(context->tx, &work->cluster, context->job->id, &others));
    if (others > 0)
        return step_waits(context, ret_result, "Another change of the cluster is under way.");
    TRY(step_done(ret_result));
    if (!json_is_true(json_object_get(payload, "ignoresWindow")))
        TRY(work_wait_for_window(context, work, ret_result));
    bool is_open = ret_result->outcome == STEP_DONE;
    TRY(store_update_gate(context->tx, update_of(payload), work->cluster.id, is_open, &gate));
    if (gate == GATE_GO || gate == GATE_OVER)
        return step_done(ret_result);
    if (!is_open)
        return OK;
    TRY(step_waits(context, ret_result,
                   gate == GATE_FULL ? "It waits until other clusters are done."
                                     : "It waits until the cluster is settled."));
    ret_result->wait_ms = TURN_LOOK_MS;
    return OK;
}

static error
begin(struct job_context *context, struct job_result *ret_result)
{
    struct version_work work;
    enum cluster_state state;
    struct update_note note = UPDATE_NOTE_NOTHING;
    TRY(look(context, &work));
    if (!work.row.is_running)
        return step_done(ret_result);
    struct cluster *cluster = &work.cluster->cluster;
    /* A goal that nobody was restarted for. */
    TRY(store_cluster_touch(context->tx, cluster));
    note.goal = cluster->goal_generation * 2;
    TRY(store_update_note(context->tx, work.update, cluster->id, note, &work.row));
    if (cluster_state_next(cluster->state, CAUSE_CHANGE, &state))
        TRY(store_cluster_set_state(context->tx, cluster, state, cluster->observed_generation));
    return step_done(ret_result);
}

/* One that was restarted and still runs the old version is not restarted again: its report, or its host, is behind. */
static error
bring_one(struct job_context *context, struct version_work *work, size_t index, struct job_result *ret_result)
{
    const struct cluster_member *member = &work->cluster->members.items[index];
    if (member->restart_goal < work->row.goal)
        return work_restart(context, work->cluster, index, work->row.goal, ret_result);
    return step_waits(context, ret_result, "Member %.*s was restarted, and runs %.*s.",
                      STR_ARG(member_name(context, work->cluster, member)), STR_ARG(member->version));
}

static error
bring_next(struct job_context *context, struct version_work *work, bool with_primary, struct job_result *ret_result)
{
    TRY(work_wait_for_restarts(context, work->cluster, ret_result));
    if (ret_result->outcome != STEP_DONE)
        return OK;
    int primary = work_primary(work->cluster);
    for (size_t i = 0; i < work->cluster->members.count; i++) {
        if ((int)i != primary && member_stays(work->cluster, i) && !is_new(work, i))
            return bring_one(context, work, i, ret_result);
    }
    if (with_primary && primary < 0)
        return step_waits(context, ret_result, "No member is the primary at the moment.");
    if (!with_primary || is_new(work, (size_t)primary))
        return step_done(ret_result);
    if (work_best_priority(work->cluster) < 0)
        return bring_one(context, work, (size_t)primary, ret_result);
    /* Patroni starts it with the new version when it is a replica. */
    return work_hand_over(context, work->cluster, ANY_PRIORITY, ret_result);
}

static error
turn(struct job_context *context, bool with_primary, struct job_result *ret_result)
{
    struct version_work work;
    TRY(look(context, &work));
    if (!work.row.is_running || work.cluster->wanted.paused)
        return step_done(ret_result);
    TRY(bring_next(context, &work, with_primary, ret_result));
    return or_fail(context, &work, ret_result);
}

static error
update_replicas(struct job_context *context, struct job_result *ret_result)
{
    return turn(context, false, ret_result);
}

static error
update_primary(struct job_context *context, struct job_result *ret_result)
{
    return turn(context, true, ret_result);
}

/* The steps after the last restart; the primary goes where the document prefers it. */
static error
settle(struct job_context *context, struct job_result *ret_result, job_step *step)
{
    struct version_work work;
    TRY(look(context, &work));
    if (!work.row.is_running)
        return step_done(ret_result);
    TRY(step(context, ret_result));
    return or_fail(context, &work, ret_result);
}

static error
hand_back(struct job_context *context, struct job_result *ret_result)
{
    return settle(context, ret_result, cluster_step_hand_over);
}

static error
wait_settled(struct job_context *context, struct job_result *ret_result)
{
    return settle(context, ret_result, cluster_step_wait_members);
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    struct version_work work;
    struct update_note note = UPDATE_NOTE_NOTHING;
    TRY(look(context, &work));
    note.state = "DONE";
    if (work.row.is_running) {
        TRY(store_update_note(context->tx, work.update, work.cluster->cluster.id, note, &work.row));
        TRY(work_finish(context, work.cluster, EVENT_CLUSTER_VERSION_UPDATED));
    }
    return step_done(ret_result);
}

// clang-format off
static const struct job_step_row steps[] = {
    { MAINTENANCE_STEP,  "Waits for its turn and for the project's maintenance window.",  wait_turn,       WINDOW_LONGEST_S },
    { "begin",           "Says what is to be done.",                                      begin,           60 },
    { "update-replicas", "Restarts the replicas with the new version, one by one.",       update_replicas, 1800 },
    { "update-primary",  "Makes a replica the primary; the old primary starts again.",    update_primary,  600 },
    { "hand-back",       "Makes a member in the right place the primary.",                hand_back,       300 },
    { "wait-settled",    "Waits until every member follows it.",                          wait_settled,    600 },
    { "finish",          "Records that every member runs the new version.",               finish,          60 },
};
// clang-format on

const struct job_kind cluster_version_job = { "cluster.version", "Brings a cluster to a newer minor version.", steps,
                                              LENGTH(steps) };
