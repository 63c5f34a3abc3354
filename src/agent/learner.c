/* SPDX-License-Identifier: Apache-2.0 */
/* Learns the goal: by a long poll of the control plane, or from a file that somebody writes. */
#include "agent/control.h"
#include "agent/internal.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"

enum { LEARN_ARENA_BYTES = 256 * 1024 * 1024, LOOK_AT_FILE_MS = 100 };

/* ---- From the control plane ---- */
static int64_t
known_version(struct agent *agent)
{
    struct held_goal *held = agent_hold_goal(agent);
    int64_t version = held == NULL ? 0 : held->goal.version;
    if (held != NULL)
        agent_release_goal(agent, held);
    return version;
}

/* On the disk before anything of it is done: an agent that starts again knows at least what this one knew. */
static error
take_over(struct agent *agent, struct arena *arena, str document)
{
    struct goal ignored;
    TRY(goal_parse(arena, document, &ignored));
    failpoint("agent:goal:write:before");
    TRY(state_write(arena, agent->config.state->goal, document));
    failpoint("agent:goal:write:after");
    return agent_adopt(agent, arena, document);
}

static error
poll_once(struct agent *agent, struct caller *caller)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(LEARN_ARENA_BYTES);
    enum control_verdict verdict;
    str document;
    if (arena == NULL)
        return WOULD_BLOCK;
    error why = control_goal(caller, arena, agent->config.state, known_version(agent), &verdict, &document);
    if (why == OK && verdict == CONTROL_STALE) {
        log_line(LOG_ERROR, "stale_epoch",
                 "Another machine has joined as this host: this agent stops and leaves everything as it is.");
        agent_end(agent, AGENT_STALE);
        return OK;
    }
    if (why == OK && verdict == CONTROL_OK)
        why = take_over(agent, arena, document);
    if (why != OK)
        log_line(LOG_WARNING, "no_goal", "%.*s", STR_ARG(why->detail));
    return why == OK ? OK : WOULD_BLOCK; /* the sentence goes with the arena */
}

/* ---- From a file ---- */
static void
look_at_file(struct agent *agent, uint8_t last[SHA256_BYTES])
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(LEARN_ARENA_BYTES);
    uint8_t digest[SHA256_BYTES];
    str document;
    if (arena == NULL || !disk_read(arena, agent->config.goal_file, GOAL_MAX_BYTES, &document))
        return;
    crypto_sha256(document, digest);
    if (memcmp(digest, last, SHA256_BYTES) == 0)
        return;
    memcpy(last, digest, SHA256_BYTES);
    error why = agent_adopt(agent, arena, document);
    if (why != OK)
        log_line(LOG_ERROR, "goal_not_readable", "%s: %.*s", agent->config.goal_file, STR_ARG(why->detail));
}

void *
learner_run(void *context)
{
    struct agent *agent = context;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    uint8_t last[SHA256_BYTES] = { 0 };
    int failures = 0;
    while (caller != NULL && !agent_is_ending(agent)) {
        if (agent->config.goal_file != NULL) {
            look_at_file(agent, last);
            clock_sleep_ms(LOOK_AT_FILE_MS);
        } else if (poll_once(agent, caller) == OK) {
            failures = 0;
        } else {
            clock_sleep_ms(agent_backoff_ms(failures++));
        }
    }
    return NULL;
}
