/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the threads of an agent share. One lock protects all of it: it is held only briefly, never during a pass, a
 * request or a write to the disk.
 */
#ifndef AGENT_INTERNAL_H
#define AGENT_INTERNAL_H

#include <pthread.h>

#include "agent/agent.h"
#include "agent/crew.h"
#include "agent/facts.h"
#include "agent/member.h"
#include "agent/own/own_database.h"
#include "wire/goal_diff.h"

enum { AGENT_MOST_TASKS = 1024, AGENT_MOST_SHIPPERS = GOAL_MAX_LOG_TARGETS, PASS_ARENA_BYTES = 128 * 1024 * 1024 };

/* A goal that a thread may still use. */
struct held_goal {
    int uses;
    struct arena *arena;
    struct goal goal;
};

struct worker {
    struct crew_hand hand;
    bool redo_users;             /* tenants created something for which grants are missing */
    struct member_memory memory; /* the thread's own */
    struct report_member report;
    int64_t changed_ms; /* when the report last said something new */
};

struct task_run {
    struct agent *agent;
    id task;
    pthread_t thread;
    bool ended, done, gone;
    char detail[REPORT_SENTENCE_BYTES];
};

struct shipper;
struct gates;
struct relays;
struct peerings;
struct monitor;

struct agent {
    struct agent_config config;
    struct member_host host;
    struct report_facts facts;
    struct facts_watch watch; /* the reporter's own */
    struct own_database own;  /* whose id is zero when this host does not keep it */
    str boot_id;

    pthread_mutex_t lock;
    struct held_goal *goal;     /* NULL: not known yet */
    struct crew workers, seats; /* of members, and of what a repository host keeps */
    struct crew watchers;       /* who measure members */
    struct task_run *tasks[AGENT_MOST_TASKS];
    size_t task_count;
    struct shipper *shippers[AGENT_MOST_SHIPPERS];
    size_t shipper_count;
    struct gates *gates;
    struct relays *relays;
    struct peerings *peerings;
    struct monitor *monitor; /* has a lock of its own; NULL: nothing is measured */

    pthread_cond_t report_wanted;
    bool report_is_wanted;

    pthread_cond_t end_wanted;
    bool is_ending;
    enum agent_end end;
};

/* ---- agent.c ---- */
/* Under the lock, on a condition of steady_cond_init(). False when the time is over. */
bool agent_wait(struct agent *agent, pthread_cond_t *cond, int64_t ms);
void agent_end(struct agent *agent, enum agent_end end);
bool agent_is_ending(struct agent *agent);
/* The newest goal, or NULL; given back with the other. */
struct held_goal *agent_hold_goal(struct agent *agent);
void agent_release_goal(struct agent *agent, struct held_goal *held);
/* Makes a document the goal; if it is not valid the old goal stays. */
MUST_USE error agent_adopt(struct agent *agent, struct arena *arena, str document);
/* Grows with each failure up to half a minute, with a random part, so that a fleet does not come back all at once. */
int64_t agent_backoff_ms(int failures);

/* ---- learner.c, reporter.c: threads ---- */
void *learner_run(void *agent);
void *reporter_run(void *agent);

/* ---- workers.c, under the lock ---- */
extern const struct crew_kind workers_kind;
void workers_follow(struct agent *agent, const struct goal_changes *changes);
void workers_wake_unit(void *agent, const char *unit); /* takes the lock itself */
/* The goal of which every part was tried; 0: none yet. */
int64_t workers_tried_version(struct agent *agent);

/* ---- tasks.c, under the lock ---- */
void tasks_follow(struct agent *agent, const struct goal_changes *changes);

#endif
