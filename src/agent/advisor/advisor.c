/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/advisor/advisor.h"

#include <stdlib.h>

#include "agent/control.h"
#include "agent/internal.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"

enum {
    LOOK_MS = 60 * 1000,
    FIRST_LOOK_MS = 5 * 1000,
    LOOKS_PER_ADVICE = 5,
    TICK_MS = 1000,
    LOOK_ARENA_BYTES = 64 * 1024 * 1024,
};

/* What is kept about a member from one look to the next. */
struct watched {
    id member;
    struct engine_load load;
    int64_t next_ms;
    unsigned looks;
    char *unsent; /* NULL: everything was */
    bool is_failing;
};

struct watch {
    struct agent *agent;
    struct caller *caller;
    struct watched *members[GOAL_MAX_MEMBERS];
    size_t count;
};

/* ---- Who is looked at ---- */
static void
drop(struct watched *watched)
{
    free(watched->load.counters);
    free(watched->unsent);
    free(watched);
}

static void
drop_gone(struct watch *watch, const struct goal *goal)
{
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++) {
        const struct goal_member *member = goal_find_member(goal, watch->members[i]->member);
        if (member != NULL && member->desired == DESIRED_RUNNING)
            watch->members[kept++] = watch->members[i];
        else
            drop(watch->members[i]);
    }
    watch->count = kept;
}

static struct watched *
find(struct watch *watch, id member)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (id_eq(watch->members[i]->member, member))
            return watch->members[i];
    }
    struct watched *added = watch->count == GOAL_MAX_MEMBERS ? NULL : calloc(1, sizeof(*added));
    if (added == NULL)
        return NULL;
    added->member = member;
    added->next_ms = clock_steady_ms() + FIRST_LOOK_MS;
    watch->members[watch->count++] = added;
    return added;
}

/* ---- A look ---- */
static void
note(struct arena *arena, struct watched *watched, error why)
{
    bool fails = why != OK;
    if (fails && !watched->is_failing)
        log_line(LOG_WARNING, "advisor", "%s: %.*s", id_text(arena, watched->member).data, STR_ARG(why->detail));
    watched->is_failing = fails;
}

/* What is wrong with a document does not get better: it goes. */
static error
send(struct watch *watch, struct arena *arena, struct watched *watched)
{
    bool is_taken;
    if (watched->unsent == NULL)
        return OK;
    error why = control_advice(watch->caller, arena, watch->agent->config.state, watched->member,
                               str_from(watched->unsent), &is_taken);
    if (why != OK && !is_taken)
        return why;
    free(watched->unsent);
    watched->unsent = NULL;
    return why;
}

static error
look(struct watch *watch, struct arena *arena, const struct goal *goal, const struct goal_member *member,
     struct watched *watched)
{
    struct engine_member self = member_engine(&watch->agent->host, arena, watch->caller, goal, member);
    str document;
    TRY(send(watch, arena, watched));
    bool with_advice = watched->looks % LOOKS_PER_ADVICE == 0;
    TRY(watch->agent->host.engine->look_at_load(&self, &watched->load, with_advice, &document));
    watched->looks++; /* one that failed is none: a server that was not up yet is advised with its first look */
    watched->unsent = strdup(document.data);
    failpoint("agent:advisor:looked");
    return send(watch, arena, watched);
}

static void
go_round(struct watch *watch, const struct goal *goal)
{
    drop_gone(watch, goal);
    for (size_t i = 0; i < goal->members.count && !agent_is_ending(watch->agent); i++) {
        const struct goal_member *member = &goal->members.items[i];
        struct watched *watched = member->desired == DESIRED_RUNNING ? find(watch, member->id) : NULL;
        if (watched == NULL || clock_steady_ms() < watched->next_ms)
            continue;
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(LOOK_ARENA_BYTES);
        watched->next_ms = clock_steady_ms() + LOOK_MS;
        if (arena != NULL)
            note(arena, watched, look(watch, arena, goal, member, watched));
    }
}

void *
advisor_run(void *context)
{
    struct watch *watch = calloc(1, sizeof(*watch));
    if (watch == NULL)
        return NULL;
    watch->agent = context;
    watch->caller = caller_new();
    /* Without a control plane there is nobody to tell. */
    while (watch->caller != NULL && watch->agent->config.state->url.len > 0 && !agent_is_ending(watch->agent)) {
        struct held_goal *held = agent_hold_goal(watch->agent);
        if (held != NULL) {
            go_round(watch, &held->goal);
            agent_release_goal(watch->agent, held);
        }
        clock_sleep_ms(TICK_MS);
    }
    return NULL;
}
