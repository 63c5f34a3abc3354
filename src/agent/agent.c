/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/advisor/advisor.h"
#include "agent/facts.h"
#include "agent/internal.h"
#include "agent/log/log_door.h"
#include "agent/log/shipper.h"
#include "agent/monitor/monitor.h"
#include "agent/peering/peerings.h"
#include "agent/restore/gate.h"
#include "agent/restore/gates.h"
#include "agent/seat/seats.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/steady_cond.h"

enum { LIFE_ARENA_BYTES = 16 * 1024 * 1024, GOAL_ARENA_BYTES = 512 * 1024 * 1024, PATH_BYTES = 4096 };
enum { BACKOFF_FIRST_MS = 500, BACKOFF_MOST_MS = 30000 };

bool
agent_wait(struct agent *agent, pthread_cond_t *cond, int64_t ms)
{
    return steady_cond_wait(cond, &agent->lock, clock_steady_ms() + ms);
}

void
agent_end(struct agent *agent, enum agent_end end)
{
    pthread_mutex_lock(&agent->lock);
    if (!agent->is_ending)
        agent->end = end;
    agent->is_ending = true;
    pthread_cond_broadcast(&agent->end_wanted);
    pthread_mutex_unlock(&agent->lock);
}

bool
agent_is_ending(struct agent *agent)
{
    pthread_mutex_lock(&agent->lock);
    bool ending = agent->is_ending;
    pthread_mutex_unlock(&agent->lock);
    return ending;
}

int64_t
agent_backoff_ms(int failures)
{
    return backoff_ms((struct backoff){ BACKOFF_FIRST_MS, BACKOFF_MOST_MS }, failures);
}

/* ---- The goal ---- */
struct held_goal *
agent_hold_goal(struct agent *agent)
{
    pthread_mutex_lock(&agent->lock);
    struct held_goal *held = agent->goal;
    if (held != NULL)
        held->uses++;
    pthread_mutex_unlock(&agent->lock);
    return held;
}

/* Under the lock. */
static void
drop_use(struct held_goal *held)
{
    if (held == NULL || --held->uses > 0)
        return;
    arena_free(held->arena);
    free(held);
}

void
agent_release_goal(struct agent *agent, struct held_goal *held)
{
    pthread_mutex_lock(&agent->lock);
    drop_use(held);
    pthread_mutex_unlock(&agent->lock);
}

/* A goal of another host, or of a later life of this one, is not ours to act on. */
static error
check_address(const struct agent *agent, struct arena *arena, const struct goal *goal)
{
    const struct state *state = agent->config.state;
    if (state->url.len == 0)
        return OK;
    if (!id_eq(goal->host, state->host))
        return problem(arena, "The goal is for host %s, and this is %s.", id_text(arena, goal->host).data,
                       id_text(arena, state->host).data);
    if (goal->epoch > state->epoch)
        return problem(arena, "The goal is for a later life of this host (%lld, this is %lld).", (long long)goal->epoch,
                       (long long)state->epoch);
    return OK;
}

static error
read_goal(struct agent *agent, struct arena *arena, str document, struct held_goal **ret_held)
{
    struct held_goal *held = calloc(1, sizeof(*held));
    if (held == NULL || (held->arena = arena_new(GOAL_ARENA_BYTES)) == NULL) {
        free(held);
        return fail(arena, OVERLOADED);
    }
    held->uses = 1;
    error why = goal_parse(held->arena, document, &held->goal);
    if (why == OK)
        why = check_address(agent, held->arena, &held->goal);
    if (why == OK)
        why = own_database_join(held->arena, &agent->own, &held->goal);
    if (why != OK) {
        why = problem(arena, "%.*s", STR_ARG(why->detail)); /* the sentence outlives the document */
        drop_use(held);
        return why;
    }
    *ret_held = held;
    return OK;
}

error
agent_adopt(struct agent *agent, struct arena *arena, str document)
{
    struct held_goal *held = NULL;
    struct goal_changes changes;
    TRY(read_goal(agent, arena, document, &held));
    pthread_mutex_lock(&agent->lock);
    struct held_goal *before = agent->goal;
    error why = goal_diff(arena, before == NULL ? NULL : &before->goal, &held->goal, &changes);
    if (why == OK) {
        agent->goal = held;
        workers_follow(agent, &changes);
        tasks_follow(agent, &changes);
        shippers_follow(agent);
        seats_follow(agent, &changes);
        monitor_follow(agent, &changes);
        gates_wake(agent);
        peerings_wake(agent);
        agent->report_is_wanted = true;
        pthread_cond_signal(&agent->report_wanted);
    }
    drop_use(why == OK ? before : held);
    pthread_mutex_unlock(&agent->lock);
    if (why == OK)
        log_line(LOG_INFO, "goal", "Goal %lld: %zu members, %zu seats, %zu tasks, %zu changes.",
                 (long long)held->goal.version, held->goal.members.count, held->goal.seats.count,
                 held->goal.tasks.count, changes.count);
    return why;
}

/* What was known before: databases are looked after from the first moment, with or without a control plane. */
static void
take_up_old_goal(struct agent *agent)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(GOAL_ARENA_BYTES);
    str document;
    if (arena == NULL || !disk_read(arena, agent->config.state->goal.data, GOAL_MAX_BYTES, &document))
        return;
    error why = agent_adopt(agent, arena, document);
    if (why != OK)
        log_line(LOG_ERROR, "goal_not_readable", "%s: %.*s", agent->config.state->goal.data, STR_ARG(why->detail));
}

/* ---- Starting ---- */
static error
find_owner(struct arena *arena, struct disk_owner *ret_owner)
{
    const struct passwd *user = getpwnam("postgres");
    if (user == NULL)
        return problem(arena, "There is no user postgres on this host.");
    *ret_owner = (struct disk_owner){ user->pw_uid, user->pw_gid };
    return OK;
}

static error
prepare(struct agent *agent, struct arena *arena)
{
    char program[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    static const struct disk_owner root = { 0, 0 };
    if (length <= 0)
        return problem(arena, "This program does not find itself.");
    agent->host = (struct member_host){
        .state = agent->config.state,
        .engine = &engine_postgres,
        .agent = str_dup(arena, (str){ program, (size_t)length }),
    };
    agent->boot_id = facts_boot_id(arena);
    TRY(facts_read(arena, agent->host.engine, &agent->facts));
    if (volume_kind_of_host(arena, agent->config.state) != VOLUMES_NONE)
        agent->facts.disk_gb = volume_share_gb(agent->facts.disk_gb);
    agent->host.pgbackrest_version = agent->facts.pgbackrest_version;
    error own = own_database_read(arena, OWN_DATABASE_FILE, &agent->own);
    if (own != OK) /* members and other seats need the agent, too */
        log_line(LOG_ERROR, "own_database_not_readable", "%.*s", STR_ARG(own->detail));
    TRY(find_owner(arena, &agent->host.shared));
    /* Members see their own folder only, but must be able to walk to it. */
    if (!disk_make_folder(MEMBERS_FOLDER, 0755, root) || !disk_make_folder(SEATS_FOLDER, 0755, root) ||
        !disk_make_folder(agent->config.state->folder.data, 0700, root))
        return problem(arena, "/var/lib/reeve cannot be made: %s.", strerror(errno));
    str logs = str_format(arena, "%s/logs", agent->config.state->folder.data);
    if (!disk_make_folder(logs.data, 0700, root))
        return problem(arena, "%s cannot be made: %s.", logs.data, strerror(errno));
    TRY(users_open(arena, agent->config.state->folder, STR(MEMBERS_FOLDER), STR(SEATS_FOLDER), STR(DRILLS_FOLDER),
                   &agent->host.users));
    error unmeasured = monitor_open(agent, arena);
    if (unmeasured != OK) /* databases need the agent without it, too */
        log_line(LOG_ERROR, "points", "%.*s", STR_ARG(unmeasured->detail));
    agent->host.units = units_new(workers_wake_unit, agent);
    return agent->host.units == NULL ? problem(arena, "There is no memory.") : OK;
}

static void *
wait_for_signal(void *context)
{
    struct agent *agent = context;
    sigset_t signals;
    int number;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigwait(&signals, &number);
    agent_end(agent, AGENT_STOPPED);
    return NULL;
}

static bool
start_threads(struct agent *agent)
{
    void *(*const all[])(void *) = { wait_for_signal, learner_run,  reporter_run, gates_run,
                                     peerings_run,    log_door_run, advisor_run };
    for (size_t i = 0; i < LENGTH(all); i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, all[i], agent) != 0)
            return false;
        pthread_detach(thread);
    }
    return monitor_start(agent);
}

enum agent_end
agent_run(const struct agent_config *config)
{
    struct arena *arena = arena_new(LIFE_ARENA_BYTES);
    struct agent *agent = calloc(1, sizeof(*agent));
    sigset_t signals;
    if (arena == NULL || agent == NULL)
        return AGENT_FAILED;
    agent->config = *config;
    pthread_mutex_init(&agent->lock, NULL);
    agent->workers.kind = &workers_kind;
    agent->seats.kind = &seats_kind;
    agent->watchers.kind = &watchers_kind;
    agent->gates = calloc(1, sizeof(*agent->gates));
    agent->peerings = calloc(1, sizeof(*agent->peerings));
    if (agent->gates == NULL || agent->peerings == NULL)
        return AGENT_FAILED;
    steady_cond_init(&agent->gates->news);
    steady_cond_init(&agent->peerings->news);
    steady_cond_init(&agent->report_wanted);
    steady_cond_init(&agent->end_wanted);
    /* Every thread inherits that these are blocked; one waits for them. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    error why = prepare(agent, arena);
    if (why != OK) {
        log_line(LOG_ERROR, "agent_cannot_run", "%.*s", STR_ARG(why->detail));
        return AGENT_FAILED;
    }
    bool has_patroni = agent->facts.patroni_version.len > 0;
    log_line(LOG_INFO, "agent_started", "reeve-agent %s, %s%s.", REEVE_VERSION,
             has_patroni ? "Patroni " : "no Patroni: this host can keep backups, and has no members",
             has_patroni ? agent->facts.patroni_version.data : "");
    if (config->goal_file == NULL)
        take_up_old_goal(agent);
    if (!start_threads(agent))
        return AGENT_FAILED;
    pthread_mutex_lock(&agent->lock);
    while (!agent->is_ending)
        pthread_cond_wait(&agent->end_wanted, &agent->lock);
    enum agent_end end = agent->end;
    pthread_mutex_unlock(&agent->lock);
    /* Nobody is waited for: whatever a thread is at can be interrupted anywhere, and what it looks after runs on. */
    log_line(LOG_INFO, "agent_ends", "Databases run on without the agent.");
    return end;
}
