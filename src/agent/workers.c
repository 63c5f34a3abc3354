/* SPDX-License-Identifier: Apache-2.0 */
/* One thread for each member. */
#include <stdlib.h>

#include "agent/internal.h"
#include "agent/seat/seats.h"
#include "agent/unit_file.h"
#include "base/log.h"
#include "base/steady_cond.h"

enum { STACK_BYTES = 1024 * 1024, CALM_MS = 2000, BUSY_MS = 300, CAUSE_BYTES = 4096 };

/* ---- What a pass saw ---- */
static struct report_member
copy_report(struct arena *arena, const struct report_member *from)
{
    struct report_member copy = *from;
    copy.unit = str_dup(arena, from->unit);
    copy.running = str_dup(arena, from->running);
    copy.version = str_dup(arena, from->version);
    copy.problem = str_dup(arena, from->problem);
    return copy;
}

/* Except how far behind it is, which is never the same twice. */
static bool
says_the_same(const struct report_member *a, const struct report_member *b)
{
    return str_eq(a->unit, b->unit) && a->role == b->role && str_eq(a->running, b->running) &&
           a->timeline == b->timeline && str_eq(a->version, b->version) && a->goal_generation == b->goal_generation &&
           a->access_generation == b->access_generation && a->restart_nonce == b->restart_nonce &&
           a->pending_restart == b->pending_restart && str_eq(a->problem, b->problem);
}

static void
keep_report(struct worker *worker, const struct report_member *report, int64_t version)
{
    struct agent *agent = worker->agent;
    struct arena *arena = arena_new(64 * CAUSE_BYTES);
    if (arena == NULL)
        return;
    struct report_member copy = copy_report(arena, report);
    pthread_mutex_lock(&agent->lock);
    bool is_news = worker->report_arena == NULL || !says_the_same(&worker->report, &copy);
    if (is_news && copy.problem.len > 0)
        log_line(LOG_WARNING, "member", "%s: %.*s", id_text(arena, worker->member).data, STR_ARG(copy.problem));
    else if (is_news)
        log_line(LOG_INFO, "member", "%s: %s, %s, %s, goal %lld, access %lld.", id_text(arena, worker->member).data,
                 copy.unit.data, report_role_words[copy.role], copy.running.data, (long long)copy.goal_generation,
                 (long long)copy.access_generation);
    arena_free(worker->report_arena);
    worker->report_arena = arena;
    worker->report = copy;
    if (worker->tried_version < version) {
        worker->tried_version = version;
        is_news = true;
    }
    if (is_news) {
        agent->report_is_wanted = true;
        pthread_cond_signal(&agent->report_wanted);
    }
    pthread_mutex_unlock(&agent->lock);
}

/* ---- The thread ---- */
/* True when the next look may wait. */
static bool
take_pass(struct worker *worker, struct caller *caller)
{
    struct agent *agent = worker->agent;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(PASS_ARENA_BYTES);
    struct held_goal *held = agent_hold_goal(agent);
    const struct goal_member *member = held == NULL ? NULL : goal_find_member(&held->goal, worker->member);
    struct report_member report;
    bool calm = true;
    if (arena != NULL && member != NULL) {
        calm = member_pass(&agent->host, arena, caller, &held->goal, member, &worker->memory, &report);
        keep_report(worker, &report, held->goal.version);
    }
    if (held != NULL)
        agent_release_goal(agent, held);
    return calm;
}

static void *
run(void *context)
{
    struct worker *worker = context;
    struct agent *agent = worker->agent;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    pthread_mutex_lock(&agent->lock);
    while (caller != NULL && !worker->stop && !agent->is_ending) {
        worker->wake = false;
        if (worker->redo_users)
            worker->memory.progress.users_generation = 0;
        worker->redo_users = false;
        pthread_mutex_unlock(&agent->lock);
        bool calm = take_pass(worker, caller);
        pthread_mutex_lock(&agent->lock);
        while (!worker->wake && !worker->stop && !agent->is_ending &&
               agent_wait(agent, &worker->news, calm ? CALM_MS : BUSY_MS))
            ;
    }
    worker->ended = true;
    pthread_mutex_unlock(&agent->lock);
    return NULL;
}

/* ---- Under the lock ---- */
static struct worker *
find(struct agent *agent, id member)
{
    for (size_t i = 0; i < agent->worker_count; i++) {
        if (id_eq(agent->workers[i]->member, member))
            return agent->workers[i];
    }
    return NULL;
}

static void
wake(struct worker *worker)
{
    worker->wake = true;
    pthread_cond_signal(&worker->news);
}

/* Those whose member is no longer in the goal, and whose thread has ended. */
static void
bury(struct agent *agent)
{
    size_t kept = 0;
    for (size_t i = 0; i < agent->worker_count; i++) {
        struct worker *worker = agent->workers[i];
        if (!worker->ended) {
            agent->workers[kept++] = worker;
            continue;
        }
        pthread_join(worker->thread, NULL);
        pthread_cond_destroy(&worker->news);
        arena_free(worker->report_arena);
        free(worker);
    }
    agent->worker_count = kept;
}

static void
hire(struct agent *agent, id member)
{
    pthread_attr_t attributes;
    struct worker *worker = agent->worker_count == AGENT_MOST_WORKERS ? NULL : calloc(1, sizeof(*worker));
    if (worker == NULL)
        return;
    worker->agent = agent;
    worker->member = member;
    worker->wanted_version = agent->goal->goal.version;
    steady_cond_init(&worker->news);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&worker->thread, &attributes, run, worker) == 0) {
        agent->workers[agent->worker_count++] = worker;
    } else {
        log_line(LOG_ERROR, "no_thread", "A member has no thread; it is tried again with the next goal.");
        pthread_cond_destroy(&worker->news);
        free(worker);
    }
    pthread_attr_destroy(&attributes);
}

static void
call_on(struct agent *agent, id member)
{
    struct worker *worker = find(agent, member);
    if (worker == NULL) {
        hire(agent, member);
        return;
    }
    worker->stop = false; /* it may have been on its way out, and is back in the goal */
    worker->wanted_version = agent->goal->goal.version;
    wake(worker);
}

void
workers_follow(struct agent *agent, const struct goal_changes *changes)
{
    const struct goal *goal = &agent->goal->goal;
    bury(agent);
    for (size_t i = 0; i < changes->count; i++) {
        const struct goal_change *change = &changes->items[i];
        struct worker *gone =
            change->part == PART_MEMBER && change->kind == CHANGE_GONE ? find(agent, change->id) : NULL;
        if (gone != NULL) {
            gone->stop = true;
            pthread_cond_signal(&gone->news);
        } else if (change->part == PART_MEMBER && change->kind != CHANGE_GONE) {
            call_on(agent, change->id);
        }
        for (size_t k = 0; change->part == PART_CLUSTER && k < goal->members.count; k++) {
            if (id_eq(goal->members.items[k].cluster, change->id))
                call_on(agent, goal->members.items[k].id);
        }
    }
    for (size_t i = 0; i < goal->members.count; i++) {
        if (changes->everything || find(agent, goal->members.items[i].id) == NULL)
            call_on(agent, goal->members.items[i].id);
    }
}

void
workers_wake_unit(void *context, const char *unit)
{
    struct agent *agent = context;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(CAUSE_BYTES * AGENT_MOST_WORKERS);
    pthread_mutex_lock(&agent->lock);
    for (size_t i = 0; arena != NULL && i < agent->worker_count; i++) {
        if (str_is(unit_name(arena, agent->workers[i]->member), unit))
            wake(agent->workers[i]);
    }
    if (arena != NULL)
        seats_wake_unit(agent, arena, unit);
    pthread_mutex_unlock(&agent->lock);
}

int64_t
workers_tried_version(struct agent *agent)
{
    int64_t version = agent->goal == NULL ? 0 : agent->goal->goal.version;
    for (size_t i = 0; i < agent->worker_count; i++) {
        const struct worker *worker = agent->workers[i];
        if (!worker->stop && worker->tried_version < worker->wanted_version)
            return 0;
    }
    return seats_have_tried(agent) ? version : 0;
}
