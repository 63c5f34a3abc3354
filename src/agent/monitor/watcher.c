/* SPDX-License-Identifier: Apache-2.0 */
/* Measures one member, for ever. */
#include "agent/internal.h"
#include "agent/monitor/host.h"
#include "agent/monitor/monitor.h"
#include "agent/monitor/spool.h"
#include "agent/unit_file.h"
#include "base/clock.h"
#include "base/log.h"

/* In memory: a host that starts anew has servers that count anew. */
#define MEMORY_FOLDER "/run/reeve-monitor"

enum {
    EVERY_MS = 10 * 1000,
    DATABASES_MS = 60 * 1000,
    SIZES_MS = 5 * 60 * 1000,
    OFF_MS = 5000, /* until the next look whether anybody wants points */
    WATCH_ARENA_BYTES = 16 * 1024 * 1024,
};

struct watcher {
    struct crew_hand hand;
    struct engine_monitor *engine;
    struct host_memory *host;
    int64_t due_ms, last_ms; /* by the wall clock, as times of points are; 0: never */
    bool is_failing;
};

int64_t
watcher_next_ms(id member, int64_t now_ms)
{
    int64_t offset = (int64_t)(id_hash(member) % EVERY_MS);
    return ((now_ms - offset) / EVERY_MS + 1) * EVERY_MS + offset;
}

/* ---- One round ---- */
/* Whether a multiple of the span lies between both. So a round that came too late is made up for. */
static bool
has_passed(int64_t from_ms, int64_t to_ms, int64_t span_ms)
{
    return from_ms / span_ms != to_ms / span_ms;
}

static void
note(struct watcher *watcher, struct arena *arena, error why)
{
    const char *member = id_text(arena, watcher->hand.id).data;
    if (why != OK && !watcher->is_failing)
        log_line(LOG_WARNING, "not_measured", "%s: %.*s", member, STR_ARG(why->detail));
    if (why == OK && watcher->is_failing)
        log_line(LOG_INFO, "measured", "%s is measured again.", member);
    watcher->is_failing = why != OK;
}

static size_t
count_lines(str text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.data[i] == '\n';
    return lines;
}

/* What the kernel knows comes first: it is there, too, when the server is not. */
static void
measure(struct watcher *watcher, struct arena *arena, struct engine_member *self, int64_t now_ms)
{
    struct agent *agent = watcher->hand.agent;
    const struct engine *engine = agent->host.engine;
    struct buf out = buf_in(arena, SPOOL_RECORD_BYTES);
    const struct engine_round round = {
        .time_ms = now_ms,
        .with_databases = has_passed(watcher->last_ms, now_ms, DATABASES_MS),
        .with_sizes = has_passed(watcher->last_ms, now_ms, SIZES_MS),
    };
    const struct host_member member = {
        .id = watcher->hand.id,
        .unit = unit_name(arena, watcher->hand.id),
        .folder = self->folder,
        .user = self->owner.user,
        .cpus = self->member->cpus,
        .first_process = engine->first_process(self),
    };
    host_measure(watcher->host, arena, &member, now_ms, &out);
    note(watcher, arena, engine->measure(self, watcher->engine, &round, &out));
    str lines = buf_str(&out);
    if (out.failed || !spool_append(monitor_spool(agent->monitor), lines, count_lines(lines)))
        log_line(LOG_WARNING, "points_not_kept", "%s: measurements cannot be written to the disk.",
                 id_text(arena, watcher->hand.id).data);
}

static bool
get_ready(struct watcher *watcher, struct arena *arena)
{
    static const struct disk_owner root = { 0, 0 };
    str memory = str_format(arena, MEMORY_FOLDER "/%s", id_text(arena, watcher->hand.id).data);
    bool has_folder = disk_make_folder(MEMORY_FOLDER, 0700, root);
    if (watcher->engine == NULL)
        watcher->engine = watcher->hand.agent->host.engine->monitor_new(has_folder ? memory.data : NULL);
    if (watcher->host == NULL)
        watcher->host = host_memory_new();
    return watcher->engine != NULL && watcher->host != NULL;
}

static void
let_go(struct crew_hand *hand)
{
    struct watcher *watcher = (struct watcher *)hand;
    hand->agent->host.engine->monitor_free(watcher->engine);
    host_memory_free(watcher->host);
    watcher->engine = NULL;
    watcher->host = NULL;
}

/* ---- The thread ---- */
static void
measure_now(struct watcher *watcher, struct caller *caller, int64_t now_ms)
{
    struct agent *agent = watcher->hand.agent;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(WATCH_ARENA_BYTES);
    struct held_goal *held = agent_hold_goal(agent);
    const struct goal_member *member = held == NULL ? NULL : goal_find_member(&held->goal, watcher->hand.id);
    if (arena != NULL && member != NULL && member->desired == DESIRED_RUNNING && get_ready(watcher, arena)) {
        struct engine_member self = member_engine(&agent->host, arena, caller, &held->goal, member);
        if (disk_exists(self.folder.data))
            measure(watcher, arena, &self, now_ms);
        watcher->last_ms = now_ms;
    } else {
        let_go(&watcher->hand);
    }
    if (held != NULL)
        agent_release_goal(agent, held);
}

/* It is called for other reasons, too: a new goal does not make a round. */
static bool
pass(struct crew_hand *hand, struct caller *caller)
{
    struct watcher *watcher = (struct watcher *)hand;
    int64_t now_ms = clock_now_ms();
    if (!monitor_is_on(hand->agent->monitor)) {
        let_go(hand);
        watcher->due_ms = 0;
        return true;
    }
    bool is_due = watcher->due_ms == 0 || now_ms >= watcher->due_ms || watcher->due_ms - now_ms > EVERY_MS;
    if (is_due && watcher->due_ms > 0)
        measure_now(watcher, caller, now_ms);
    if (is_due)
        watcher->due_ms = watcher_next_ms(hand->id, clock_now_ms());
    return true;
}

static int64_t
pause_ms(struct crew_hand *hand)
{
    const struct watcher *watcher = (const struct watcher *)hand;
    int64_t left = watcher->due_ms == 0 ? OFF_MS : watcher->due_ms - clock_now_ms();
    return left < 1 ? 1 : left > EVERY_MS ? EVERY_MS : left;
}

const struct crew_kind watchers_kind = { .name = "member's measurement",
                                         .hand_bytes = sizeof(struct watcher),
                                         .part = PART_MEMBER,
                                         .pass = pass,
                                         .pause_ms = pause_ms,
                                         .end = let_go };
