/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/restore/gates.h"

#include "agent/restore/gate.h"
#include "agent/wall.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/log.h"

enum { CALM_MS = 10000, BUSY_MS = 1000, WALL_AGAIN_MS = 30 * 1000, SEEN_BYTES = 4 * 1024 * 1024 };

struct round {
    struct agent *agent;
    struct arena *arena;
    const struct goal *goal;
    bool is_calm;
};

/* ---- Gates that are gone from the goal ---- */
static bool
remove_one(void *context, const char *entry)
{
    struct round *round = context;
    id gate;
    if (!id_parse(str_from(entry), &gate) || goal_find_gate(round->goal, gate) != NULL)
        return true;
    error why = gate_remove(&round->agent->host, round->arena, gate);
    if (why != OK) {
        log_line(LOG_WARNING, "gate", "%s: %.*s", entry, STR_ARG(why->detail));
        round->is_calm = false;
    }
    return true;
}

/* ---- Who may come ---- */
static error
keep_wall(struct round *round)
{
    const struct goal_gates *gates = &round->goal->gates;
    struct wall_gate *open = ARENA_ARRAY(round->arena, struct wall_gate, gates->count + 1);
    size_t count = 0;
    for (size_t i = 0; open != NULL && i < gates->count; i++) {
        uid_t user;
        if (users_find(round->agent->host.users, gates->items[i].seat, &user))
            open[count++] = (struct wall_gate){ (unsigned)user, &gates->items[i] };
    }
    return open == NULL ? fail(round->arena, OVERLOADED) : wall_put_gates(round->arena, open, count);
}

/* ---- One round ---- */
static struct report_gate
copy_report(struct arena *arena, const struct report_gate *from)
{
    struct report_gate copy = *from;
    copy.problem = str_dup(arena, from->problem);
    copy.served_lsn = str_dup(arena, from->served_lsn);
    copy.served_at = str_dup(arena, from->served_at);
    return copy;
}

static bool
says_the_same(const struct report_gate *a, const struct report_gate *b)
{
    return id_eq(a->id, b->id) && a->state == b->state && str_eq(a->problem, b->problem) &&
           str_eq(a->served_lsn, b->served_lsn);
}

static void
keep_reports(struct round *round, const struct report_gate *reports)
{
    struct agent *agent = round->agent;
    struct gates *gates = agent->gates;
    struct arena *seen = arena_new(SEEN_BYTES);
    size_t count = round->goal->gates.count;
    struct report_gate *copies = seen == NULL ? NULL : ARENA_ARRAY(seen, struct report_gate, count + 1);
    bool is_news = gates->count != count;
    if (copies == NULL) {
        arena_free(seen);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        copies[i] = copy_report(seen, &reports[i]);
        bool is_other = gates->count != count || !says_the_same(&gates->reports[i], &copies[i]);
        if (is_other && copies[i].problem.len > 0)
            log_line(LOG_WARNING, "gate", "%s: %.*s", id_text(seen, copies[i].id).data, STR_ARG(copies[i].problem));
        is_news |= is_other;
    }
    pthread_mutex_lock(&agent->lock);
    arena_free(gates->seen);
    gates->seen = seen;
    gates->count = count;
    gates->reports = copies;
    is_news |= gates->tried_version < round->goal->version;
    gates->tried_version = round->goal->version;
    if (is_news) {
        agent->report_is_wanted = true;
        pthread_cond_signal(&agent->report_wanted);
    }
    pthread_mutex_unlock(&agent->lock);
}

/* A restore gives up when its gate fails, so that is said when it fails twice in a row. */
static void
forgive_once(const struct gates *gates, struct report_gate *report)
{
    bool failed_before = false;
    for (size_t i = 0; i < gates->count; i++)
        failed_before |= id_eq(gates->reports[i].id, report->id) && gates->reports[i].problem.len > 0;
    if (report->state == GATE_FAILED && !failed_before)
        report->state = GATE_CLOSED;
}

static void
go_round(struct round *round, struct caller *caller, int64_t *wall_put_ms)
{
    const struct goal_gates *gates = &round->goal->gates;
    struct report_gate *reports = ARENA_ARRAY(round->arena, struct report_gate, gates->count + 1);
    bool is_new = round->agent->gates->tried_version != round->goal->version;
    if (disk_exists(GATES_FOLDER) && !disk_below_each(GATES_FOLDER, "", remove_one, round))
        round->is_calm = false;
    if (reports == NULL)
        return;
    /* Hosts that never had one are left alone: not every host has nftables. */
    if ((gates->count > 0 || *wall_put_ms > 0) && (is_new || clock_steady_ms() - *wall_put_ms > WALL_AGAIN_MS)) {
        error why = keep_wall(round);
        if (why != OK)
            log_line(LOG_WARNING, "gate", "%.*s", STR_ARG(why->detail));
        *wall_put_ms = clock_steady_ms();
    }
    for (size_t i = 0; i < gates->count; i++) {
        gate_pass(&round->agent->host, round->arena, caller, round->goal, &gates->items[i], &reports[i]);
        forgive_once(round->agent->gates, &reports[i]);
        round->is_calm &= reports[i].state == GATE_OPEN;
    }
    keep_reports(round, reports);
}

void *
gates_run(void *context)
{
    struct agent *agent = context;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    int64_t wall_put_ms = 0;
    while (caller != NULL && !agent_is_ending(agent)) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(PASS_ARENA_BYTES);
        struct held_goal *held = agent_hold_goal(agent);
        struct round round = { agent, arena, held == NULL ? NULL : &held->goal, true };
        if (arena != NULL && held != NULL)
            go_round(&round, caller, &wall_put_ms);
        bool is_calm = held != NULL && round.is_calm;
        if (held != NULL)
            agent_release_goal(agent, held);
        pthread_mutex_lock(&agent->lock);
        while (!agent->gates->wake && !agent->is_ending &&
               agent_wait(agent, &agent->gates->news, is_calm ? CALM_MS : BUSY_MS))
            ;
        agent->gates->wake = false;
        pthread_mutex_unlock(&agent->lock);
    }
    return NULL;
}

/* ---- Under the lock ---- */
void
gates_wake(struct agent *agent)
{
    agent->gates->wake = true;
    pthread_cond_signal(&agent->gates->news);
}

void
gates_report(struct agent *agent, struct arena *arena, struct report *report)
{
    const struct gates *gates = agent->gates;
    struct report_gate *copies = ARENA_ARRAY(arena, struct report_gate, gates->count + 1);
    for (size_t i = 0; copies != NULL && i < gates->count; i++)
        copies[i] = copy_report(arena, &gates->reports[i]);
    report->gates = copies;
    report->gate_count = copies == NULL ? 0 : gates->count;
}

bool
gates_have_tried(const struct agent *agent)
{
    return agent->goal == NULL || agent->goal->goal.gates.count == 0 ||
           agent->gates->tried_version == agent->goal->goal.version;
}
