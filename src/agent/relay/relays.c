/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/relay/relays.h"

#include <errno.h>

#include "agent/relay/relay.h"
#include "agent/relay/relay_text.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/log.h"
#include "engine/program.h"

enum { CALM_MS = 10000, BUSY_MS = 1000, SEEN_BYTES = 4 * 1024 * 1024 };

#define NFT "/usr/sbin/nft"

struct round {
    struct agent *agent;
    struct arena *arena;
    const struct goal *goal;
    bool is_calm;
    bool has_removed;
    bool is_done; /* the goal's rules stand, and nothing is left of what it does not have */
};

/* ---- Relays that are gone from the goal ---- */
static bool
remove_one(void *context, const char *entry)
{
    struct round *round = context;
    id relay;
    if (!id_parse(str_from(entry), &relay) || goal_find_relay(round->goal, relay) != NULL)
        return true;
    error why = relay_remove(&round->agent->host, round->arena, relay);
    if (why != OK) {
        log_line(LOG_WARNING, "relay", "%s: %.*s", entry, STR_ARG(why->detail));
        round->is_calm = round->is_done = false;
    } else
        round->has_removed = true;
    return true;
}

/* ---- The rules of the network ---- */
static error
put_wall(struct round *round, const struct relay_user *users, size_t count)
{
    const char *const argv[] = { NFT, "-f", "-", NULL };
    str script = relay_wall_text(round->arena, users, count);
    return script.len == 0 ? fail(round->arena, OVERLOADED) : program_run(round->arena, argv, script);
}

static bool
count_one(void *context, const char *entry)
{
    (void)entry;
    (*(size_t *)context)++;
    return true;
}

struct crowd {
    struct round *round;
    struct relay_user *all;
    size_t count;
};

/* What is not stopped yet stays behind the rules: without them it could speak from any address. */
static bool
add_leaving(void *context, const char *entry)
{
    struct crowd *crowd = context;
    struct round *round = crowd->round;
    struct goal_relay *relay = ARENA_NEW(round->arena, struct goal_relay);
    struct relay_user *one = &crowd->all[crowd->count];
    if (relay == NULL)
        return false;
    if (!id_parse(str_from(entry), &relay->id) || goal_find_relay(round->goal, relay->id) != NULL)
        return true;
    *one = (struct relay_user){ .relay = relay, .is_leaving = true };
    relay_look(&round->agent->host, round->arena, relay->id, &relay->address, &one->user);
    crowd->count++;
    return true;
}

/* Before anything listens, and before anything is told: who is off the list is cut off by this. */
static error
keep_wall(struct round *round, uid_t *users)
{
    const struct goal_relays *relays = &round->goal->relays;
    bool has_folder = disk_exists(RELAYS_FOLDER);
    size_t folders = 0;
    if (has_folder && !disk_below_each(RELAYS_FOLDER, "", count_one, &folders))
        return problem(round->arena, RELAYS_FOLDER " cannot be read: %s.", strerror(errno));
    struct relay_user *all = ARENA_ARRAY(round->arena, struct relay_user, relays->count + folders + 1);
    if (all == NULL)
        return fail(round->arena, OVERLOADED);
    for (size_t i = 0; i < relays->count; i++) {
        TRY(relay_take_user(&round->agent->host, round->arena, &relays->items[i], &users[i]));
        all[i] = (struct relay_user){ .relay = &relays->items[i], .user = users[i] };
    }
    struct crowd crowd = { round, all, relays->count };
    if (has_folder && !disk_below_each(RELAYS_FOLDER, "", add_leaving, &crowd))
        return problem(round->arena, RELAYS_FOLDER " cannot be read: %s.", strerror(errno));
    return put_wall(round, all, crowd.count);
}

/* ---- One round ---- */
static struct report_relay
copy_report(struct arena *arena, const struct report_relay *from)
{
    struct report_relay copy = *from;
    copy.problem = str_dup(arena, from->problem);
    copy.clients.items = ARENA_ARRAY(arena, str, from->clients.count + 1);
    copy.clients.count = copy.clients.items == NULL ? 0 : from->clients.count;
    for (size_t i = 0; i < copy.clients.count; i++)
        copy.clients.items[i] = str_dup(arena, from->clients.items[i]);
    return copy;
}

static bool
says_the_same(const struct report_relay *a, const struct report_relay *b)
{
    if (!id_eq(a->id, b->id) || a->state != b->state || !str_eq(a->problem, b->problem) ||
        a->clients.count != b->clients.count)
        return false;
    for (size_t i = 0; i < a->clients.count; i++) {
        if (!str_eq(a->clients.items[i], b->clients.items[i]))
            return false;
    }
    return true;
}

static void
keep_reports(struct round *round, const struct report_relay *reports)
{
    struct agent *agent = round->agent;
    struct relays *relays = agent->relays;
    struct arena *seen = arena_new(SEEN_BYTES);
    size_t count = round->goal->relays.count;
    struct report_relay *copies = seen == NULL ? NULL : ARENA_ARRAY(seen, struct report_relay, count + 1);
    bool is_news = relays->count != count;
    if (copies == NULL) {
        arena_free(seen);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        copies[i] = copy_report(seen, &reports[i]);
        bool is_other = relays->count != count || !says_the_same(&relays->reports[i], &copies[i]);
        if (is_other && copies[i].problem.len > 0)
            log_line(LOG_WARNING, "relay", "%s: %.*s", id_text(seen, copies[i].id).data, STR_ARG(copies[i].problem));
        is_news |= is_other;
    }
    pthread_mutex_lock(&agent->lock);
    arena_free(relays->seen);
    relays->seen = seen;
    relays->count = count;
    relays->reports = copies;
    if (round->is_done) {
        is_news |= relays->tried_version < round->goal->version;
        relays->tried_version = round->goal->version;
    }
    if (is_news) {
        agent->report_is_wanted = true;
        pthread_cond_signal(&agent->report_wanted);
    }
    pthread_mutex_unlock(&agent->lock);
}

/* Without the rules nothing is begun or changed: what runs has those from before. */
static void
fail_all(struct round *round, struct report_relay *reports, str why)
{
    for (size_t i = 0; i < round->goal->relays.count; i++)
        reports[i] = (struct report_relay){ .id = round->goal->relays.items[i].id,
                                            .state = RELAY_FAILED,
                                            .problem = why,
                                            .clients = round->goal->relays.items[i].clients };
    round->is_calm = round->is_done = false;
}

static void
go_round(struct round *round, int64_t *wall_put_ms)
{
    const struct goal_relays *relays = &round->goal->relays;
    struct report_relay *reports = ARENA_ARRAY(round->arena, struct report_relay, relays->count + 1);
    uid_t *users = ARENA_ARRAY(round->arena, uid_t, relays->count + 1);
    error why = OK;
    if (reports == NULL || users == NULL)
        return;
    /* Hosts that never had one are left alone: not every host has nftables. */
    if (relays->count > 0 || *wall_put_ms > 0 || disk_exists(RELAYS_FOLDER)) {
        why = keep_wall(round, users);
        *wall_put_ms = clock_steady_ms();
    }
    if (why == OK && disk_exists(RELAYS_FOLDER) && !disk_below_each(RELAYS_FOLDER, "", remove_one, round))
        round->is_calm = round->is_done = false;
    if (why == OK && round->has_removed)
        why = keep_wall(round, users); /* without what is gone now */
    for (size_t i = 0; why == OK && i < relays->count; i++) {
        relay_pass(&round->agent->host, round->arena, &relays->items[i], users[i], &reports[i]);
        round->is_calm &= reports[i].state == RELAY_SERVING;
    }
    if (why != OK)
        fail_all(round, reports, why->detail);
    keep_reports(round, reports);
}

void *
relays_run(void *context)
{
    struct agent *agent = context;
    int64_t wall_put_ms = 0;
    while (!agent_is_ending(agent)) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(PASS_ARENA_BYTES);
        struct held_goal *held = agent_hold_goal(agent);
        struct round round = { agent, arena, held == NULL ? NULL : &held->goal, .is_calm = true, .is_done = true };
        if (arena != NULL && held != NULL)
            go_round(&round, &wall_put_ms);
        bool is_calm = held != NULL && round.is_calm;
        if (held != NULL)
            agent_release_goal(agent, held);
        pthread_mutex_lock(&agent->lock);
        while (!agent->relays->wake && !agent->is_ending &&
               agent_wait(agent, &agent->relays->news, is_calm ? CALM_MS : BUSY_MS))
            ;
        agent->relays->wake = false;
        pthread_mutex_unlock(&agent->lock);
    }
    return NULL;
}

/* ---- Under the lock ---- */
void
relays_wake(struct agent *agent)
{
    agent->relays->wake = true;
    pthread_cond_signal(&agent->relays->news);
}

void
relays_report(struct agent *agent, struct arena *arena, struct report *report)
{
    const struct relays *relays = agent->relays;
    struct report_relay *copies = ARENA_ARRAY(arena, struct report_relay, relays->count + 1);
    for (size_t i = 0; copies != NULL && i < relays->count; i++)
        copies[i] = copy_report(arena, &relays->reports[i]);
    report->relays = copies;
    report->relay_count = copies == NULL ? 0 : relays->count;
}

bool
relays_have_tried(const struct agent *agent)
{
    return agent->goal == NULL || agent->relays->tried_version == agent->goal->goal.version;
}
