/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread for each task: an index may take an hour, and nothing else waits for it. A task is tried until it is done,
 * has failed, or its time is over; its outcome is reported until the goal no longer has it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "agent/internal.h"
#include "base/clock.h"
#include "base/log.h"

enum { STACK_BYTES = 1024 * 1024, RETRY_MS = 500, GIVE_UP_MS = 180000 };

/* ---- The thread ---- */
static enum engine_outcome
try_once(struct task_run *run, struct caller *caller, char ret_detail[REPORT_SENTENCE_BYTES])
{
    struct agent *agent = run->agent;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(PASS_ARENA_BYTES);
    struct held_goal *held = agent_hold_goal(agent);
    enum engine_outcome outcome = OUTCOME_LATER;
    str detail = STR_EMPTY;
    const struct goal_task *task = NULL;
    for (size_t i = 0; held != NULL && i < held->goal.tasks.count; i++) {
        if (id_eq(held->goal.tasks.items[i].id, run->task))
            task = &held->goal.tasks.items[i];
    }
    const struct goal_member *member = task == NULL ? NULL : goal_find_member(&held->goal, task->member);
    if (arena != NULL && task != NULL && member == NULL) {
        outcome = OUTCOME_FAILED;
        detail = STR("The member is not on this host.");
    } else if (arena != NULL && member != NULL) {
        struct engine_member self = member_engine(&agent->host, arena, caller, &held->goal, member);
        outcome = agent->host.engine->run_task(&self, task, &detail);
    }
    snprintf(ret_detail, REPORT_SENTENCE_BYTES, "%.*s", STR_ARG(detail));
    if (held != NULL)
        agent_release_goal(agent, held);
    return outcome;
}

/* Under the lock. What a task created may lack grants: the member's thread looks at all of them again. */
static void
end(struct task_run *run, enum engine_outcome outcome, const char *detail)
{
    struct agent *agent = run->agent;
    run->ended = true;
    run->done = outcome == OUTCOME_DONE;
    snprintf(run->detail, sizeof(run->detail), "%s", run->done ? "" : detail);
    for (size_t i = 0; i < agent->workers.count; i++)
        ((struct worker *)agent->workers.hands[i])->redo_users |= run->done;
    agent->report_is_wanted = true;
    pthread_cond_signal(&agent->report_wanted);
}

static void *
work(void *context)
{
    struct task_run *run = context;
    struct agent *agent = run->agent;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    char detail[REPORT_SENTENCE_BYTES] = "";
    int64_t until = clock_steady_ms() + GIVE_UP_MS;
    enum engine_outcome outcome = OUTCOME_LATER;
    bool gone = false;
    while (caller != NULL && outcome == OUTCOME_LATER && !gone && clock_steady_ms() < until) {
        outcome = try_once(run, caller, detail);
        if (outcome == OUTCOME_LATER)
            clock_sleep_ms(RETRY_MS);
        pthread_mutex_lock(&agent->lock);
        gone = run->gone || agent->is_ending;
        pthread_mutex_unlock(&agent->lock);
    }
    pthread_mutex_lock(&agent->lock);
    end(run, outcome, detail[0] == '\0' ? "It did not happen in time." : detail);
    pthread_mutex_unlock(&agent->lock);
    return NULL;
}

/* ---- Under the lock ---- */
static void
begin(struct agent *agent, id task)
{
    pthread_attr_t attributes;
    struct task_run *run = agent->task_count == AGENT_MOST_TASKS ? NULL : calloc(1, sizeof(*run));
    if (run == NULL)
        return;
    run->agent = agent;
    run->task = task;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&run->thread, &attributes, work, run) == 0)
        agent->tasks[agent->task_count++] = run;
    else
        free(run);
    pthread_attr_destroy(&attributes);
}

static struct task_run *
find(struct agent *agent, id task)
{
    for (size_t i = 0; i < agent->task_count; i++) {
        if (id_eq(agent->tasks[i]->task, task))
            return agent->tasks[i];
    }
    return NULL;
}

static void
bury(struct agent *agent)
{
    size_t kept = 0;
    for (size_t i = 0; i < agent->task_count; i++) {
        struct task_run *run = agent->tasks[i];
        if (run->gone && run->ended) {
            pthread_join(run->thread, NULL);
            free(run);
        } else {
            agent->tasks[kept++] = run;
        }
    }
    agent->task_count = kept;
}

void
tasks_follow(struct agent *agent, const struct goal_changes *changes)
{
    const struct goal_tasks *tasks = &agent->goal->goal.tasks;
    for (size_t i = 0; i < changes->count; i++) {
        struct task_run *gone = changes->items[i].part == PART_TASK && changes->items[i].kind == CHANGE_GONE
                                    ? find(agent, changes->items[i].id)
                                    : NULL;
        if (gone != NULL)
            gone->gone = true;
    }
    bury(agent);
    for (size_t i = 0; i < tasks->count; i++) {
        if (find(agent, tasks->items[i].id) == NULL)
            begin(agent, tasks->items[i].id);
    }
}
