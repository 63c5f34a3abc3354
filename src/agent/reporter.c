/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: at once when anything changed, otherwise every ten seconds. Also renews the host's certificate, because it is the one
 * thread that talks to the control plane regularly and never for long. */
#include "agent/certificates.h"
#include "agent/control.h"
#include "agent/facts.h"
#include "agent/internal.h"
#include "agent/log/shipper.h"
#include "agent/peering/peerings.h"
#include "agent/relay/relays.h"
#include "agent/restore/gates.h"
#include "agent/seat/seats.h"
#include "base/clock.h"
#include "base/log.h"

enum { REGULAR_MS = 10000, TOGETHER_MS = 50, RENEWAL_LOOK_MS = 3600 * 1000, REPORT_ARENA_BYTES = 64 * 1024 * 1024 };

static const struct disk_owner root = { 0, 0 };

/* ---- One report ---- */
/* Under the lock; everything is copied. A member that no pass has seen yet is not in it: nothing is said about it. */
static bool
collect(struct agent *agent, struct arena *arena, struct report *report)
{
    struct report_member *members = ARENA_ARRAY(arena, struct report_member, agent->workers.count + 1);
    struct report_task *tasks = ARENA_ARRAY(arena, struct report_task, agent->task_count + 1);
    if (members == NULL || tasks == NULL)
        return false;
    for (size_t i = 0; i < agent->workers.count; i++) {
        const struct worker *worker = (const struct worker *)agent->workers.hands[i];
        if (worker->hand.seen == NULL || worker->hand.stop)
            continue;
        struct report_member *member = &members[report->member_count++];
        *member = worker->report;
        member->unit = str_dup(arena, member->unit);
        member->running = str_dup(arena, member->running);
        member->version = str_dup(arena, member->version);
        member->problem = str_dup(arena, member->problem);
        member->restore.problem = str_dup(arena, member->restore.problem);
        member->restore.reached_lsn = str_dup(arena, member->restore.reached_lsn);
        member->restore.reached_at = str_dup(arena, member->restore.reached_at);
    }
    for (size_t i = 0; i < agent->task_count; i++) {
        const struct task_run *run = agent->tasks[i];
        if (run->ended && !run->gone)
            tasks[report->task_count++] =
                (struct report_task){ run->task, run->done, str_dup(arena, str_from(run->detail)) };
    }
    report->logs = shippers_report(agent, arena, &report->log_count);
    report->seats = seats_report(agent, arena, &report->seat_count);
    report->own_database = seats_report_own(agent, arena);
    gates_report(agent, arena, report);
    relays_report(agent, arena, report);
    peerings_report(agent, arena, report);
    if (report->logs == NULL || report->seats == NULL || report->gates == NULL || report->relays == NULL ||
        report->peerings == NULL)
        return false;
    report->members = members;
    report->tasks = tasks;
    return true;
}

static str
write_report(struct agent *agent, struct arena *arena, int64_t *tried)
{
    struct report report = { .epoch = agent->config.state->epoch, .boot_id = agent->boot_id, .facts = agent->facts };
    struct held_goal *held = agent_hold_goal(agent);
    if (held == NULL)
        return STR_EMPTY;
    report.strays = facts_strays(arena, &held->goal);
    report.facts.postgres_versions = facts_versions(&agent->watch, arena, agent->host.engine);
    report.facts.walls = member_walls(&agent->host, arena, &held->goal);
    report.facts.encrypts = member_host_encrypts(&agent->host, arena);
    report.facts.keys = member_key_names(arena, agent->host.state, &held->goal);
    if (agent->config.state->url.len == 0)
        report.epoch = held->goal.epoch;
    pthread_mutex_lock(&agent->lock);
    int64_t version = workers_tried_version(agent);
    bool collected = collect(agent, arena, &report);
    pthread_mutex_unlock(&agent->lock);
    agent_release_goal(agent, held);
    *tried = version > 0 ? version : *tried;
    report.version = *tried;
    return collected ? report_write(arena, &report) : STR_EMPTY;
}

static error
send_report(struct agent *agent, struct caller *caller, struct arena *arena, str report)
{
    const struct state *state = agent->config.state;
    const char *file = agent->config.report_file != NULL ? agent->config.report_file : state->report.data;
    enum control_verdict verdict = CONTROL_OK;
    if (!disk_replace(file, report, 0600, root))
        log_line(LOG_WARNING, "report_not_written", "%s cannot be written.", file);
    if (agent->config.goal_file != NULL || state->url.len == 0)
        return OK;
    TRY(control_report(caller, arena, state, report, &verdict));
    if (verdict == CONTROL_STALE) {
        log_line(LOG_ERROR, "stale_epoch",
                 "Another machine has joined as this host: this agent stops and leaves everything as it is.");
        agent_end(agent, AGENT_STALE);
    }
    return OK;
}

static bool
report_once(struct agent *agent, struct caller *caller, int64_t *tried)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(REPORT_ARENA_BYTES);
    if (arena == NULL)
        return false;
    str report = write_report(agent, arena, tried);
    if (report.len == 0)
        return true; /* nothing is known yet */
    error why = send_report(agent, caller, arena, report);
    if (why != OK) {
        log_line(LOG_WARNING, "no_report", "%.*s", STR_ARG(why->detail));
        return false;
    }
    pthread_mutex_lock(&agent->lock);
    seats_were_told(agent);
    pthread_mutex_unlock(&agent->lock);
    return true;
}

/* ---- Renewal ---- */
static void
look_at_certificate(struct agent *agent, struct caller *caller)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(REPORT_ARENA_BYTES);
    bool changed = false;
    if (arena == NULL || agent->config.goal_file != NULL || agent->config.state->url.len == 0)
        return;
    error why = certificates_of_host(caller, arena, agent->config.state, &changed);
    if (why != OK)
        log_line(LOG_WARNING, "certificate_not_renewed", "%.*s", STR_ARG(why->detail));
    if (changed)
        caller_forget(caller);
}

/* ---- The thread ---- */
/* Until something changed or the time is over; then a moment more, so that what changes together is reported together. */
static void
wait_for_news(struct agent *agent, int64_t ms)
{
    pthread_mutex_lock(&agent->lock);
    while (!agent->report_is_wanted && !agent->is_ending && agent_wait(agent, &agent->report_wanted, ms))
        ;
    pthread_mutex_unlock(&agent->lock);
    clock_sleep_ms(TOGETHER_MS);
    pthread_mutex_lock(&agent->lock);
    agent->report_is_wanted = false;
    pthread_mutex_unlock(&agent->lock);
}

void *
reporter_run(void *context)
{
    struct agent *agent = context;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    int64_t looked_at_ms = 0, tried = 0;
    int failures = 0;
    while (caller != NULL && !agent_is_ending(agent)) {
        if (looked_at_ms == 0 || clock_steady_ms() - looked_at_ms > RENEWAL_LOOK_MS) {
            look_at_certificate(agent, caller);
            looked_at_ms = clock_steady_ms();
        }
        wait_for_news(agent, REGULAR_MS);
        if (agent_is_ending(agent))
            break;
        if (report_once(agent, caller, &tried))
            failures = 0;
        else
            clock_sleep_ms(agent_backoff_ms(failures++));
    }
    return NULL;
}
