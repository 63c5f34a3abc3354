/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces the data of a cluster by what a backup has (docs/internals/backups-control-plane.md#restores). One table serves both ways: forward until the
 * first member accepts writes, and back to the data from before when it cannot, or when somebody cancels it. A step of the other way does nothing.
 *
 * Before members start with other data, or with their old data again, nobody runs and etcd knows nothing of the cluster: no member can take what
 * another one has for a later state of its own.
 */
#include "base/crypto/backup_secret.h"
#include "base/json.h"
#include "base/log.h"
#include "cluster/backup.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"
#include "store/access/access.h"
#include "store/restore/restore.h"

struct restore_work {
    bool found; /* both are there */
    struct cluster_work *cluster;
    struct restore restore;
    struct restore_member said[RESTORE_MAX_MEMBERS];
    size_t said_count;
};

static error
restore_work(struct job_context *context, struct restore_work **ret_work)
{
    const struct job *job = context->job;
    struct restore_work *work = ARENA_NEW(context->arena, struct restore_work);
    const json_t *payload = json_parse_own(context->arena, job->payload);
    id restore;
    if (work == NULL)
        return fail(context->arena, OVERLOADED);
    if (!id_parse(json_str(json_object_get(payload, "restoreId")), &restore))
        return fail(context->arena, INTERNAL_ERROR);
    *ret_work = work;
    TRY(cluster_work(context, &work->cluster));
    TRY(store_restore_lock(context->tx, job->organization, restore, &work->found, &work->restore));
    if (!work->cluster->found)
        work->found = false;
    return work->found ? store_restore_members(context->tx, restore, &work->said_count, work->said) : OK;
}

/* ---- Which way ---- */

static bool
goes_forward(const struct restore_work *work)
{
    return work->found && work->restore.state == RESTORE_IS_RUNNING;
}

/* Whether members have to be brought back to their data from before. */
static bool
goes_back(const struct restore_work *work)
{
    return work->found && work->restore.state == RESTORE_IS_UNDOING && work->restore.phase != PHASE_NONE;
}

/* Whether the cluster has data, and its members may run with it. */
static bool
has_data(const struct restore_work *work)
{
    return work->found && (work->restore.is_restored || work->restore.keeps_before);
}

/* Whether its members were told something and have to come up again. Of one that ended before that, nothing is waited for. */
static bool
comes_up_again(const struct restore_work *work)
{
    return has_data(work) && work->restore.phase != PHASE_NONE;
}

static error
turn_back(struct job_context *context, struct restore_work *work, str problem, struct job_result *ret_result)
{
    bool turned;
    TRY(store_restore_turn_back(context->tx, work->restore.organization, work->restore.id, problem, false, &turned));
    return step_done(ret_result);
}

/* ---- What members said ---- */

static const struct restore_member *
said_by(const struct restore_work *work, id member)
{
    for (size_t i = 0; i < work->said_count; i++) {
        if (id_eq(work->said[i].member, member))
            return &work->said[i];
    }
    return NULL;
}

/* What was said about an earlier phase does not count. */
static bool
has_said(const struct restore_work *work, id member, const char *state)
{
    const struct restore_member *said = said_by(work, member);
    return said != NULL && str_is(said->state, state) &&
           (said->phase.len == 0 || str_is(said->phase, restore_phase_words[work->restore.phase]));
}

/* Those that are told what to do: neither lost nor on their way out. */
static bool
takes_part(const struct restore_work *work, size_t index)
{
    const struct cluster_member *member = &work->cluster->members.items[index];
    return !member->host_gone && (member->desired == MEMBER_RUNNING || member->desired == MEMBER_STOPPED);
}

static error
tell(struct job_context *context, struct restore_work *work, enum restore_phase phase)
{
    work->restore.phase = phase;
    TRY(store_restore_tell(context->tx, &work->restore));
    return store_cluster_touch(context->tx, &work->cluster->cluster);
}

static error
wait_until_all(struct job_context *context, struct restore_work *work, const char *state, const char *what,
               struct job_result *ret_result)
{
    struct cluster_work *cluster = work->cluster;
    for (size_t i = 0; i < cluster->members.count; i++) {
        const struct cluster_member *member = &cluster->members.items[i];
        if (!takes_part(work, i) || has_said(work, member->id, state))
            continue;
        const struct restore_member *said = said_by(work, member->id);
        str name = member_name(context, cluster, member), problem = said == NULL ? STR_EMPTY : said->problem;
        return problem.len > 0
                   ? step_waits(context, ret_result, "Member %.*s %s: %.*s", STR_ARG(name), what, STR_ARG(problem))
                   : step_waits(context, ret_result, "Member %.*s %s.", STR_ARG(name), what);
    }
    return step_done(ret_result);
}

/* ---- The gate ---- */

static error
open_gate(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    bool opened;
    TRY(restore_work(context, &work));
    if (!goes_forward(work))
        return step_done(ret_result);
    if (!work->restore.has_seat)
        return turn_back(context, work, STR("The repository host no longer has the backup."), ret_result);
    TRY(store_restore_open_gate(context->tx, work->restore.id, &opened));
    return opened ? step_done(ret_result)
                  : step_waits(context, ret_result, "Too many restores read from the repository host now.");
}

/* A sentence when nothing can be read through the gate any more. */
static str
gate_problem(struct job_context *context, const struct restore_work *work)
{
    if (!work->restore.has_seat)
        return STR("The repository host no longer has the backup.");
    if (!str_is(work->restore.gate_state, "FAILED"))
        return STR_EMPTY;
    return str_format(context->arena, "The repository host could not let the cluster in: %.*s",
                      STR_ARG(work->restore.gate_problem));
}

/* Nothing was changed yet: whatever is wrong on the repository host costs nobody anything. Another one may have the same point. */
static error
wait_gate(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    bool moved, opened;
    TRY(restore_work(context, &work));
    if (!goes_forward(work) || str_is(work->restore.gate_state, "OPEN"))
        return step_done(ret_result);
    TRY(store_restore_move(context->tx, work->restore.organization, work->restore.id, &moved));
    if (moved || !work->restore.has_gate) {
        TRY(store_restore_open_gate(context->tx, work->restore.id, &opened));
        return step_waits(context, ret_result, "The repository host says nothing. Another one gets ready.");
    }
    str problem = gate_problem(context, work);
    return problem.len > 0 ? turn_back(context, work, problem, ret_result)
                           : step_waits(context, ret_result, "The repository host gets ready to be read from.");
}

/* ---- Stopping ---- */

/* For members that were lost with their hosts there are others. */
static error
replace_lost(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    const struct wanted_group *full;
    TRY(restore_work(context, &work));
    if (!goes_forward(work))
        return step_done(ret_result);
    struct cluster_work *cluster = work->cluster;
    TRY(members_place_missing(context->tx, &cluster->cluster, &cluster->wanted, &cluster->plan, &full));
    if (full != NULL)
        return step_waits(context, ret_result, "No host in %.*s %.*s has room for a member.", STR_ARG(full->provider),
                          STR_ARG(full->region));
    return step_done(ret_result);
}

/*
 * The primary, which has every write: to that it goes back if need be. Without one, whom the document would make the
 * primary; of equals the first.
 */
static const struct cluster_member *
choose_first(const struct restore_work *work)
{
    const struct cluster_work *cluster = work->cluster;
    const struct cluster_member *best = NULL;
    int primary = work_primary(cluster);
    if (primary >= 0 && takes_part(work, (size_t)primary))
        return &cluster->members.items[primary];
    for (size_t i = 0; i < cluster->members.count; i++) {
        const struct cluster_member *member = &cluster->members.items[i];
        if (takes_part(work, i) && member_stays(cluster, i) && member->electable &&
            (best == NULL || member->priority > best->priority))
            best = member;
    }
    return best;
}

/*
 * New members are told of the restore in the transaction that starts them. Without a primary nobody can say whose data is the latest:
 * then there is no way back.
 */
static error
stop(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    bool changed;
    TRY(restore_work(context, &work));
    if (!goes_forward(work))
        return step_done(ret_result);
    TRY(work_start_members(context, work->cluster, MEMBER_PLANNED, &changed));
    const struct cluster_member *first = choose_first(work);
    if (first == NULL)
        return turn_back(context, work, STR("No member of the cluster can become its primary."), ret_result);
    work->restore.first = first->id;
    work->restore.keeps_before = work->restore.keeps_before && member_is_primary(first);
    TRY(tell(context, work, PHASE_STOP));
    return step_done(ret_result);
}

static error
wait_stopped(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return goes_forward(work) ? wait_until_all(context, work, "STOPPED", "is being stopped", ret_result)
                              : step_done(ret_result);
}

/* What the members agreed on, in etcd. The cluster's user there stays. */
static error
forget(struct job_context *context, struct restore_work *work, struct job_result *ret_result)
{
    bool is_mine, is_done;
    str why = STR_EMPTY;
    TRY(etcd_remove_keys(context, work->cluster->cluster.id, &is_mine, &is_done, &why));
    if (!is_mine) {
        str job = id_text(context->arena, context->job->id);
        str purpose = str_format(context->arena, "%.*s/%.*s", STR_ARG(job), STR_ARG(context->job->step));
        return work_forget_scope(context, work->cluster, purpose, ret_result);
    }
    if (is_done)
        return step_done(ret_result);
    log_line(LOG_WARNING, "etcd", "Keys of cluster %.*s are still there: %.*s",
             STR_ARG(work->cluster->cluster.set_name), STR_ARG(why));
    return step_waits(context, ret_result, "The cluster's entry in the fleet's directory is being removed.");
}

static error
forget_scope(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return goes_forward(work) ? forget(context, work, ret_result) : step_done(ret_result);
}

/* ---- Building ---- */

static error
build(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    if (!goes_forward(work))
        return step_done(ret_result);
    TRY(tell(context, work, PHASE_BUILD));
    return step_done(ret_result);
}

static bool
first_is_there(const struct restore_work *work)
{
    for (size_t i = 0; i < work->cluster->members.count; i++) {
        if (takes_part(work, i) && id_eq(work->cluster->members.items[i].id, work->restore.first))
            return true;
    }
    return false;
}

/* A sentence when the first member will never get there. */
static str
first_problem(struct job_context *context, const struct restore_work *work)
{
    const struct restore_member *said = said_by(work, work->restore.first);
    if (!first_is_there(work))
        return STR("The host of the member that was being restored was lost.");
    if (!has_said(work, work->restore.first, "FAILED"))
        return gate_problem(context, work);
    return said->problem.len > 0 ? said->problem : STR("The backup could not be restored.");
}

/* From here on there is no way back: the cluster has other data, and may have writes of its own. */
static error
wait_restored(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    if (!goes_forward(work))
        return step_done(ret_result);
    if (has_said(work, work->restore.first, "RESTORED")) {
        TRY(store_restore_reached(context->tx, &work->restore));
        return step_done(ret_result);
    }
    str problem = first_problem(context, work);
    return problem.len > 0 ? turn_back(context, work, problem, ret_result)
                           : step_waits(context, ret_result, "The first member is being restored.");
}

/* ---- The way back ---- */

/* Without the primary from before nobody can say who has every write, so nobody starts. */
static error
stop_again(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    if (!goes_back(work))
        return step_done(ret_result);
    work->restore.keeps_before = work->restore.keeps_before && first_is_there(work);
    TRY(tell(context, work, PHASE_STOP));
    return step_done(ret_result);
}

static error
wait_stopped_again(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return goes_back(work) ? wait_until_all(context, work, "STOPPED", "is being stopped", ret_result)
                           : step_done(ret_result);
}

static error
forget_again(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return goes_back(work) && work->restore.keeps_before ? forget(context, work, ret_result) : step_done(ret_result);
}

static error
undo(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    if (goes_back(work) && work->restore.keeps_before)
        TRY(tell(context, work, PHASE_UNDO));
    return step_done(ret_result);
}

static error
wait_undone(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return goes_back(work) && work->restore.keeps_before
               ? wait_until_all(context, work, "UNDONE", "gets its data from before", ret_result)
               : step_done(ret_result);
}

/* ---- The cluster as it should be ---- */

/* What was restored has the users, passwords and settings of its own time. */
static error
apply(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    int64_t generation;
    TRY(restore_work(context, &work));
    if (!comes_up_again(work))
        return step_done(ret_result);
    TRY(store_cluster_touch(context->tx, &work->cluster->cluster));
    TRY(store_access_touch(context->tx, context->job->project, &generation));
    return step_done(ret_result);
}

static error
wait_for_access(struct job_context *context, struct restore_work *work, bool only_primary,
                struct job_result *ret_result)
{
    for (size_t i = 0; i < work->cluster->members.count; i++) {
        const struct cluster_member *member = &work->cluster->members.items[i];
        const struct restore_member *said = said_by(work, member->id);
        if (!takes_part(work, i) || (only_primary && !member_is_primary(member)) || said == NULL || said->has_access)
            continue;
        return step_waits(context, ret_result, "Member %.*s does not have the project's users yet.",
                          STR_ARG(member_name(context, work->cluster, member)));
    }
    return step_done(ret_result);
}

/* Users are made by the primary; replicas let them in once the restore is over for them. */
static error
wait_members(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    if (!comes_up_again(work))
        return step_done(ret_result);
    TRY(work_wait_for_members(context, work->cluster, ret_result));
    return ret_result->outcome == STEP_DONE ? wait_for_access(context, work, true, ret_result) : OK;
}

static error
publish_names(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return comes_up_again(work) ? cluster_step_publish_names(context, ret_result) : step_done(ret_result);
}

static error
remove_lost(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return comes_up_again(work) ? cluster_step_remove_members(context, ret_result) : step_done(ret_result);
}

/* ---- Backups from now on ---- */

/* One history ends and the next begins: a moment and a history name one state of the data. */
static error
begin_history(struct job_context *context, struct restore_work *work)
{
    const struct cluster *cluster = &work->cluster->cluster;
    id before, next = id_new(store_cell(context->store));
    bool is_open;
    str cipher;
    TRY(store_stanza_open(context->tx, cluster->organization, cluster->id, &is_open, &before));
    if (!is_open)
        return OK;
    struct key key = crypto_derive(&context->environment->key, BACKUP_KEY_PURPOSE);
    bool sealed = backup_cipher_new(context->arena, &key, next, &cipher);
    crypto_wipe(&key, sizeof(key));
    if (!sealed)
        return fail(context->arena, INTERNAL_ERROR);
    TRY(store_stanza_end(context->tx, cluster->organization, cluster->id));
    TRY(store_seat_shrink(context->tx, before));
    TRY(store_stanza_add(context->tx, cluster->organization, cluster->id, next, cipher));
    work->restore.next_stanza = next;
    return store_restore_set_next(context->tx, &work->restore, next);
}

static error
new_history(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    bool placed;
    TRY(restore_work(context, &work));
    if (!work->found || !work->restore.is_restored)
        return step_done(ret_result);
    if (!id_is_there(work->restore.next_stanza))
        TRY(begin_history(context, work));
    if (!id_is_there(work->restore.next_stanza))
        return step_done(ret_result);
    struct seat_place place = backup_place(&work->cluster->wanted);
    TRY(store_seat_place(context->tx, work->restore.next_stanza, &place, &placed));
    if (!placed)
        return step_waits(context, ret_result, "No repository host has room for the cluster's backups.");
    TRY(store_cluster_touch(context->tx, &work->cluster->cluster));
    return step_done(ret_result);
}

static error
wait_backups(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return work->found && work->restore.is_restored ? cluster_step_wait_backups(context, ret_result)
                                                    : step_done(ret_result);
}

/* ---- The end ---- */

static error
clean(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    if (comes_up_again(work))
        TRY(tell(context, work, PHASE_CLEAN));
    return step_done(ret_result);
}

static error
wait_clean(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return comes_up_again(work) ? wait_until_all(context, work, "CLEAN", "removes what is no longer needed", ret_result)
                                : step_done(ret_result);
}

static error
wait_access(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    return comes_up_again(work) ? wait_for_access(context, work, false, ret_result) : step_done(ret_result);
}

static error
end(struct job_context *context, struct restore_work *work, enum restore_state state, enum event_type type)
{
    TRY(store_restore_end(context->tx, &work->restore, state, !has_data(work)));
    /* Without data nothing is in force: the cluster stays UPDATING until there is a restore that works. */
    return has_data(work) ? work_finish(context, work->cluster, type) : work_event(context, work->cluster, type);
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    struct restore_work *work;
    TRY(restore_work(context, &work));
    if (!work->found)
        return step_done(ret_result);
    if (work->restore.state == RESTORE_IS_RUNNING) {
        TRY(end(context, work, RESTORE_IS_DONE, EVENT_RESTORE_COMPLETED));
        return step_done(ret_result);
    }
    if (work->restore.state == RESTORE_IS_UNDOING && work->restore.is_cancelled) {
        TRY(end(context, work, RESTORE_IS_CANCELLED, EVENT_RESTORE_CANCELLED));
        return step_done(ret_result);
    }
    if (work->restore.state == RESTORE_IS_UNDOING)
        TRY(end(context, work, RESTORE_IS_FAILED, EVENT_RESTORE_FAILED));
    *ret_result = (struct job_result){ .outcome = STEP_FAILED, .why = work->restore.problem };
    return OK;
}

// clang-format off
static const struct job_step_row steps[] = {
    { "open-gate",          "Has the repository host open a way to the backup.",      open_gate,                 300 },
    { "wait-gate",          "Waits until the backup can be read.",                    wait_gate,                 3600 }, /* out of a store it is copied first */
    { "replace-lost",       "Reserves places for members that were lost.",            replace_lost,              300 },
    { "stop",               "Tells the members to stop.",                             stop,                      60 },
    { "wait-stopped",       "Waits until every member is stopped.",                   wait_stopped,              300 },
    { "forget-scope",       "Removes what the members agreed on.",                    forget_scope,              300 },
    { "build",              "Tells the members to begin with the backup.",            build,                     60 },
    { "wait-restored",      "Waits until the first member accepts writes.",           wait_restored,             86400 },
    { "stop-again",         "If it failed: tells the members to stop.",               stop_again,                60 },
    { "wait-stopped-again", "If it failed: waits until every member is stopped.",     wait_stopped_again,        300 },
    { "forget-again",       "If it failed: removes what the members agreed on.",      forget_again,              300 },
    { "undo",               "If it failed: tells the members to take their old data.", undo,                     60 },
    { "wait-undone",        "If it failed: waits until they have it.",                wait_undone,               600 },
    { "apply",              "Has users, networks and settings applied again.",        apply,                     60 },
    { "publish-names",      "Makes the names of new members known.",                  publish_names,             60 },
    { "wait-members",       "Waits until every member follows the primary.",          wait_members,              86400 },
    { "remove-lost",        "Forgets members that were lost.",                        remove_lost,               300 },
    { "wait-removed",       "Waits until they are gone.",                             cluster_step_wait_removed, 300 },
    { "new-history",        "Begins the next history of the cluster's backups.",      new_history,               300 },
    { "wait-backups",       "Waits until its backups receive what is written.",       wait_backups,              600 },
    { "clean",              "Tells the members to remove what was before.",           clean,                     60 },
    { "wait-clean",         "Waits until they have.",                                 wait_clean,                600 },
    { "wait-access",        "Waits until every member lets the project's users in.",  wait_access,               300 },
    { "finish",             "Records how it went, and closes the way to the backup.", finish,                    60 },
};
// clang-format on

const struct job_kind cluster_restore_job = { "cluster.restore", "Replaces the data of a cluster by that of a backup.",
                                              steps, LENGTH(steps) };
