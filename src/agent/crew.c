/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/crew.h"

#include <stdlib.h>

#include "agent/internal.h"
#include "base/log.h"
#include "base/steady_cond.h"

enum { STACK_BYTES = 1024 * 1024, CALM_MS = 2000 };

_Static_assert((int)CREW_MOST >= (int)GOAL_MAX_MEMBERS && (int)CREW_MOST >= (int)GOAL_MAX_SEATS,
               "everybody has a place");

static int64_t
pause_of(struct crew_hand *hand, bool calm)
{
    return hand->kind->pause_ms != NULL ? hand->kind->pause_ms(hand) : calm ? CALM_MS : hand->kind->busy_ms;
}

static void *
run(void *context)
{
    struct crew_hand *hand = context;
    struct agent *agent = hand->agent;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    pthread_mutex_lock(&agent->lock);
    while (caller != NULL && !hand->stop && !agent->is_ending) {
        hand->wake = false;
        if (hand->kind->begin != NULL)
            hand->kind->begin(hand);
        pthread_mutex_unlock(&agent->lock);
        bool calm = hand->kind->pass(hand, caller);
        pthread_mutex_lock(&agent->lock);
        while (!hand->wake && !hand->stop && !agent->is_ending && agent_wait(agent, &hand->news, pause_of(hand, calm)))
            ;
    }
    if (hand->kind->end != NULL) {
        pthread_mutex_unlock(&agent->lock);
        hand->kind->end(hand);
        pthread_mutex_lock(&agent->lock);
    }
    hand->ended = true;
    pthread_mutex_unlock(&agent->lock);
    return NULL;
}

static struct crew_hand *
find(struct crew *crew, id about)
{
    for (size_t i = 0; i < crew->count; i++) {
        if (id_eq(crew->hands[i]->id, about))
            return crew->hands[i];
    }
    return NULL;
}

/* Those of whom the goal says nothing any more, and whose thread has ended. */
static void
bury(struct crew *crew)
{
    size_t kept = 0;
    for (size_t i = 0; i < crew->count; i++) {
        struct crew_hand *hand = crew->hands[i];
        if (!hand->ended) {
            crew->hands[kept++] = hand;
            continue;
        }
        pthread_join(hand->thread, NULL);
        pthread_cond_destroy(&hand->news);
        arena_free(hand->seen);
        free(hand);
    }
    crew->count = kept;
}

static void
hire(struct agent *agent, struct crew *crew, id about)
{
    pthread_attr_t attributes;
    struct crew_hand *hand = crew->count == CREW_MOST ? NULL : calloc(1, crew->kind->hand_bytes);
    if (hand == NULL)
        return;
    hand->agent = agent;
    hand->kind = crew->kind;
    hand->id = about;
    hand->wanted_version = agent->goal->goal.version;
    steady_cond_init(&hand->news);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&hand->thread, &attributes, run, hand) == 0) {
        crew->hands[crew->count++] = hand;
    } else {
        log_line(LOG_ERROR, "no_thread", "A %s has no thread; it is tried again with the next goal.", crew->kind->name);
        pthread_cond_destroy(&hand->news);
        free(hand);
    }
    pthread_attr_destroy(&attributes);
}

void
crew_wake(struct crew_hand *hand)
{
    hand->wake = true;
    pthread_cond_signal(&hand->news);
}

void
crew_call(struct agent *agent, struct crew *crew, id about)
{
    struct crew_hand *hand = find(crew, about);
    if (hand == NULL) {
        hire(agent, crew, about);
        return;
    }
    hand->stop = false; /* it may have been on its way out, and is back in the goal */
    hand->wanted_version = agent->goal->goal.version;
    crew_wake(hand);
}

void
crew_keep(struct agent *agent, struct crew *crew, id about)
{
    if (find(crew, about) == NULL)
        hire(agent, crew, about);
}

void
crew_follow(struct agent *agent, struct crew *crew, const struct goal_changes *changes)
{
    bury(crew);
    for (size_t i = 0; i < changes->count; i++) {
        const struct goal_change *change = &changes->items[i];
        struct crew_hand *hand = change->part == crew->kind->part ? find(crew, change->id) : NULL;
        if (change->part == crew->kind->part && change->kind != CHANGE_GONE) {
            crew_call(agent, crew, change->id);
        } else if (hand != NULL) {
            hand->stop = true;
            pthread_cond_signal(&hand->news);
        }
    }
}

void
crew_saw(struct crew_hand *hand, struct arena *seen, int64_t version, bool is_news)
{
    struct agent *agent = hand->agent;
    arena_free(hand->seen);
    hand->seen = seen;
    if (hand->tried_version < version) {
        hand->tried_version = version;
        is_news = true;
    }
    if (is_news) {
        agent->report_is_wanted = true;
        pthread_cond_signal(&agent->report_wanted);
    }
}

bool
crew_has_tried(const struct crew *crew)
{
    for (size_t i = 0; i < crew->count; i++) {
        const struct crew_hand *hand = crew->hands[i];
        if (!hand->stop && hand->tried_version < hand->wanted_version)
            return false;
    }
    return true;
}
