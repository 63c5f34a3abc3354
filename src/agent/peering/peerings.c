/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/peering/peerings.h"

#include "agent/peering/peering.h"
#include "agent/peering/peering_text.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/log.h"
#include "engine/program.h"

enum { CALM_MS = 10000, BUSY_MS = 2000, WALL_AGAIN_MS = 30 * 1000, SEEN_BYTES = 16 * 1024 * 1024 };
enum { LEFT_MOST = 1024 };

#define NFT "/usr/sbin/nft"

struct round {
    struct agent *agent;
    struct arena *arena;
    const struct goal *goal;
    struct report_peering *reports; /* of those of the goal, then of those that are left */
    size_t left;
    bool is_calm;
};

/* ---- Those that are gone from the goal ---- */
/* As long as something of it is here it is reported, so that nobody else gets its port meanwhile. */
static void
add_left(struct round *round, id peering, str why)
{
    round->is_calm = false;
    if (round->left >= LEFT_MOST)
        return;
    round->reports[round->goal->peerings.count + round->left++] = (struct report_peering){
        .id = peering, .state = PEERING_FAILED, .problem = why, .public_key = STR_EMPTY, .handshake_at = STR_EMPTY
    };
}

static bool
remove_one(void *context, const char *entry)
{
    struct round *round = context;
    id peering;
    if (!id_parse(str_from(entry), &peering) || goal_find_peering(round->goal, peering) != NULL)
        return true;
    error why = peering_remove(&round->agent->host, round->arena, &round->goal->peerings, peering);
    if (why != OK)
        add_left(round, peering, why->detail);
    return true;
}

/* ---- What was seen ---- */
static struct report_peering
copy_report(struct arena *arena, const struct report_peering *from)
{
    struct report_peering copy = *from;
    copy.problem = str_dup(arena, from->problem);
    copy.public_key = str_dup(arena, from->public_key);
    copy.handshake_at = str_dup(arena, from->handshake_at);
    return copy;
}

/* When its gateway was heard last is new every two minutes, and waits for the next report. */
static bool
says_the_same(const struct report_peering *a, const struct report_peering *b)
{
    return id_eq(a->id, b->id) && a->state == b->state && str_eq(a->problem, b->problem) &&
           str_eq(a->public_key, b->public_key);
}

static void
keep_reports(struct round *round)
{
    struct agent *agent = round->agent;
    struct peerings *peerings = agent->peerings;
    struct arena *seen = arena_new(SEEN_BYTES);
    size_t count = round->goal->peerings.count + round->left;
    struct report_peering *copies = seen == NULL ? NULL : ARENA_ARRAY(seen, struct report_peering, count + 1);
    bool is_news = peerings->count != count;
    if (copies == NULL) {
        arena_free(seen);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        copies[i] = copy_report(seen, &round->reports[i]);
        bool is_other = peerings->count != count || !says_the_same(&peerings->reports[i], &copies[i]);
        if (is_other)
            log_line(copies[i].problem.len > 0 ? LOG_WARNING : LOG_INFO, "peering", "%s: %s. %.*s",
                     id_text(seen, copies[i].id).data, report_peering_words[copies[i].state],
                     STR_ARG(copies[i].problem));
        is_news |= is_other;
    }
    pthread_mutex_lock(&agent->lock);
    arena_free(peerings->seen);
    peerings->seen = seen;
    peerings->count = count;
    peerings->reports = copies;
    is_news |= peerings->tried_version < round->goal->version;
    peerings->tried_version = round->goal->version;
    if (is_news) {
        agent->report_is_wanted = true;
        pthread_cond_signal(&agent->report_wanted);
    }
    pthread_mutex_unlock(&agent->lock);
}

/* ---- One round ---- */
static error
put_wall(struct round *round)
{
    const char *const argv[] = { NFT, "-f", "-", NULL };
    str script = peering_wall_text(round->arena, &round->goal->peerings);
    return script.len == 0 ? fail(round->arena, OVERLOADED) : program_run(round->arena, argv, script);
}

/*
 * The wall before any tunnel: none is open without it. What is gone from the goal before the wall: it may let somebody else's network in where that tunnel
 * still ends.
 */
static void
go_round(struct round *round, int64_t *wall_put_ms)
{
    const struct goal_peerings *peerings = &round->goal->peerings;
    struct report_peering *reports = ARENA_ARRAY(round->arena, struct report_peering, peerings->count + LEFT_MOST);
    bool is_new = round->agent->peerings->tried_version != round->goal->version;
    error why = OK;
    if (reports == NULL)
        return;
    round->reports = reports;
    if (disk_exists(PEERINGS_FOLDER) && !disk_below_each(PEERINGS_FOLDER, "", remove_one, round))
        round->is_calm = false;
    /* Hosts that never had one are left alone: not every host has nftables. */
    if ((peerings->count > 0 || *wall_put_ms > 0) &&
        (is_new || *wall_put_ms == 0 || clock_steady_ms() - *wall_put_ms > WALL_AGAIN_MS)) {
        why = put_wall(round);
        *wall_put_ms = why == OK ? clock_steady_ms() : 0;
    }
    for (size_t i = 0; i < peerings->count; i++) {
        const struct goal_peering *peering = &peerings->items[i];
        if (why == OK || peering->desired == PEERING_UNWANTED)
            peering_pass(&round->agent->host, round->arena, peerings, peering, &reports[i]);
        else
            reports[i] = (struct report_peering){ .id = peering->id,
                                                  .state = PEERING_FAILED,
                                                  .problem = why->detail,
                                                  .public_key = STR_EMPTY,
                                                  .handshake_at = STR_EMPTY };
        round->is_calm &= reports[i].state == PEERING_OPEN || reports[i].state == PEERING_REMOVED;
    }
    keep_reports(round);
}

void *
peerings_run(void *context)
{
    struct agent *agent = context;
    int64_t wall_put_ms = 0;
    while (!agent_is_ending(agent)) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(PASS_ARENA_BYTES);
        struct held_goal *held = agent_hold_goal(agent);
        struct round round = {
            .agent = agent, .arena = arena, .goal = held == NULL ? NULL : &held->goal, .is_calm = true
        };
        if (arena != NULL && held != NULL)
            go_round(&round, &wall_put_ms);
        bool is_calm = held != NULL && round.is_calm;
        if (held != NULL)
            agent_release_goal(agent, held);
        pthread_mutex_lock(&agent->lock);
        while (!agent->peerings->wake && !agent->is_ending &&
               agent_wait(agent, &agent->peerings->news, is_calm ? CALM_MS : BUSY_MS))
            ;
        agent->peerings->wake = false;
        pthread_mutex_unlock(&agent->lock);
    }
    return NULL;
}

/* ---- Under the lock ---- */
void
peerings_wake(struct agent *agent)
{
    agent->peerings->wake = true;
    pthread_cond_signal(&agent->peerings->news);
}

void
peerings_report(struct agent *agent, struct arena *arena, struct report *report)
{
    const struct peerings *peerings = agent->peerings;
    struct report_peering *copies = ARENA_ARRAY(arena, struct report_peering, peerings->count + 1);
    for (size_t i = 0; copies != NULL && i < peerings->count; i++)
        copies[i] = copy_report(arena, &peerings->reports[i]);
    report->peerings = copies;
    report->peering_count = copies == NULL ? 0 : peerings->count;
}

bool
peerings_have_tried(const struct agent *agent)
{
    /* Also when the goal has none: something may be left of those that it had. */
    return agent->goal == NULL || agent->peerings->tried_version == agent->goal->goal.version;
}
