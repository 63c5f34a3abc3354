/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that look after one thing of the goal each, a member or a seat. One is hired when the thing appears in the goal, called when the goal or
 * a unit has changed, and ends when the thing is gone. Under the agent's lock, except where it is said otherwise.
 */
#ifndef AGENT_CREW_H
#define AGENT_CREW_H

#include <pthread.h>

#include "base/id.h"
#include "wire/goal_diff.h"

enum { CREW_MOST = 4096 };

struct agent;
struct caller;
struct crew_hand;

struct crew_kind {
    const char *name;  /* of what it looks after, in a sentence */
    size_t hand_bytes; /* of a structure that begins with a struct crew_hand */
    enum goal_part part;
    int64_t busy_ms;                                             /* until the next look, when something is left to do */
    void (*begin)(struct crew_hand *hand);                       /* before each pass; NULL: nothing */
    bool (*pass)(struct crew_hand *hand, struct caller *caller); /* without the lock; true when nothing is left to do */
    int64_t (*pause_ms)(struct crew_hand *hand); /* until the next pass, whatever came of the last; NULL: see busy_ms */
    void (*end)(struct crew_hand *hand);         /* in its thread, without the lock, when it is over; NULL: nothing */
};

struct crew {
    const struct crew_kind *kind;
    struct crew_hand *hands[CREW_MOST];
    size_t count;
};

struct crew_hand {
    struct agent *agent;
    const struct crew_kind *kind;
    id id; /* of what it looks after */
    pthread_t thread;
    pthread_cond_t news;
    bool wake, stop, ended;
    int64_t wanted_version, tried_version; /* of the goal */
    struct arena *seen;                    /* in which is what the last pass saw; NULL before the first */
};

/* Calls those about whom something changed, hires for what is new, and lets go who is no longer needed. */
void crew_follow(struct agent *agent, struct crew *crew, const struct goal_changes *changes);
/* Calls one, or hires it; the other hires it only when it is missing. */
void crew_call(struct agent *agent, struct crew *crew, id about);
void crew_keep(struct agent *agent, struct crew *crew, id about);
void crew_wake(struct crew_hand *hand);
/* What a pass of that version of the goal saw takes the place of what the one before saw. News are reported soon. */
void crew_saw(struct crew_hand *hand, struct arena *seen, int64_t version, bool is_news);
/* False while a part of the goal was not tried yet. */
bool crew_has_tried(const struct crew *crew);

#endif
