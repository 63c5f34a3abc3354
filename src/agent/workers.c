/* SPDX-License-Identifier: Apache-2.0 */
/* One thread for each member. */
#include "agent/internal.h"
#include "agent/peering/peerings.h"
#include "agent/relay/relays.h"
#include "agent/restore/gates.h"
#include "agent/seat/seats.h"
#include "agent/unit_file.h"
#include "base/clock.h"
#include "base/log.h"

/* What changed just now goes on changing: a replica that streams becomes the synchronous one. */
enum { BUSY_MS = 300, LIVELY_MS = 10000, CAUSE_BYTES = 4096 };

/* ---- What a pass saw ---- */
static struct report_member
copy_report(struct arena *arena, const struct report_member *from)
{
    struct report_member copy = *from;
    copy.unit = str_dup(arena, from->unit);
    copy.running = str_dup(arena, from->running);
    copy.version = str_dup(arena, from->version);
    copy.problem = str_dup(arena, from->problem);
    copy.restore.problem = str_dup(arena, from->restore.problem);
    copy.restore.reached_lsn = str_dup(arena, from->restore.reached_lsn);
    copy.restore.reached_at = str_dup(arena, from->restore.reached_at);
    return copy;
}

static bool
restores_the_same(const struct report_restore *a, const struct report_restore *b)
{
    return id_same(a->id, b->id) && a->state == b->state && str_eq(a->problem, b->problem) &&
           str_eq(a->reached_lsn, b->reached_lsn);
}

/* Except how far behind it is, which is never the same twice. */
static bool
says_the_same(const struct report_member *a, const struct report_member *b)
{
    return str_eq(a->unit, b->unit) && a->role == b->role && str_eq(a->running, b->running) &&
           a->timeline == b->timeline && str_eq(a->version, b->version) && a->goal_generation == b->goal_generation &&
           a->access_generation == b->access_generation && a->restart_nonce == b->restart_nonce &&
           a->pending_restart == b->pending_restart && str_eq(a->problem, b->problem) && a->pooler == b->pooler &&
           restores_the_same(&a->restore, &b->restore);
}

static void
keep_report(struct worker *worker, const struct report_member *report, int64_t version)
{
    struct agent *agent = worker->hand.agent;
    struct arena *arena = arena_new(64 * CAUSE_BYTES);
    if (arena == NULL)
        return;
    struct report_member copy = copy_report(arena, report);
    pthread_mutex_lock(&agent->lock);
    bool is_news = worker->hand.seen == NULL || !says_the_same(&worker->report, &copy);
    if (is_news && copy.problem.len > 0)
        log_line(LOG_WARNING, "member", "%s: %.*s", id_text(arena, worker->hand.id).data, STR_ARG(copy.problem));
    else if (is_news)
        log_line(LOG_INFO, "member", "%s: %s, %s, %s, goal %lld, access %lld.", id_text(arena, worker->hand.id).data,
                 copy.unit.data, report_role_words[copy.role], copy.running.data, (long long)copy.goal_generation,
                 (long long)copy.access_generation);
    if (is_news)
        worker->changed_ms = clock_steady_ms();
    worker->report = copy;
    crew_saw(&worker->hand, arena, version, is_news);
    pthread_mutex_unlock(&agent->lock);
}

/* ---- The thread ---- */
static bool
take_pass(struct crew_hand *hand, struct caller *caller)
{
    struct worker *worker = (struct worker *)hand;
    struct agent *agent = hand->agent;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(PASS_ARENA_BYTES);
    struct held_goal *held = agent_hold_goal(agent);
    const struct goal_member *member = held == NULL ? NULL : goal_find_member(&held->goal, hand->id);
    struct report_member report;
    bool calm = true;
    if (arena != NULL && member != NULL) {
        calm = member_pass(&agent->host, arena, caller, &held->goal, member, &worker->memory, &report);
        keep_report(worker, &report, held->goal.version);
        calm = calm && clock_steady_ms() - worker->changed_ms > LIVELY_MS;
    }
    if (held != NULL)
        agent_release_goal(agent, held);
    return calm;
}

static void
begin(struct crew_hand *hand)
{
    struct worker *worker = (struct worker *)hand;
    if (worker->redo_users)
        worker->memory.progress.users_generation = 0;
    worker->redo_users = false;
}

const struct crew_kind workers_kind = { .name = "member",
                                        .hand_bytes = sizeof(struct worker),
                                        .part = PART_MEMBER,
                                        .busy_ms = BUSY_MS,
                                        .begin = begin,
                                        .pass = take_pass };

/* ---- Under the lock ---- */
void
workers_follow(struct agent *agent, const struct goal_changes *changes)
{
    const struct goal *goal = &agent->goal->goal;
    crew_follow(agent, &agent->workers, changes);
    for (size_t i = 0; i < changes->count; i++) {
        const struct goal_change *change = &changes->items[i];
        for (size_t k = 0; change->part == PART_CLUSTER && k < goal->members.count; k++) {
            if (id_eq(goal->members.items[k].cluster, change->id))
                crew_call(agent, &agent->workers, goal->members.items[k].id);
        }
    }
    for (size_t i = 0; i < goal->members.count; i++)
        (changes->everything ? crew_call : crew_keep)(agent, &agent->workers, goal->members.items[i].id);
}

void
workers_wake_unit(void *context, const char *unit)
{
    struct agent *agent = context;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(CAUSE_BYTES * CREW_MOST);
    pthread_mutex_lock(&agent->lock);
    for (size_t i = 0; arena != NULL && i < agent->workers.count; i++) {
        if (str_is(unit_name(arena, agent->workers.hands[i]->id), unit))
            crew_wake(agent->workers.hands[i]);
    }
    if (arena != NULL)
        seats_wake_unit(agent, arena, unit);
    if (strncmp(unit, "reeve-gate-", strlen("reeve-gate-")) == 0)
        gates_wake(agent);
    if (strncmp(unit, "reeve-relay-", strlen("reeve-relay-")) == 0)
        relays_wake(agent);
    if (strncmp(unit, "reeve-peering-", strlen("reeve-peering-")) == 0)
        peerings_wake(agent);
    pthread_mutex_unlock(&agent->lock);
}

int64_t
workers_tried_version(struct agent *agent)
{
    bool have_tried = agent->goal != NULL && crew_has_tried(&agent->workers) && crew_has_tried(&agent->seats) &&
                      gates_have_tried(agent) && relays_have_tried(agent) && peerings_have_tried(agent);
    return have_tried ? agent->goal->goal.version : 0;
}
