/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/shipper.h"

#include <stdlib.h>

#include "agent/internal.h"
#include "agent/log/journal.h"
#include "agent/log/log_message.h"
#include "agent/log/log_objects.h"
#include "agent/unit_file.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/net/post.h"

enum {
    STACK_BYTES = 1024 * 1024,
    SHIP_ARENA_BYTES = 64 * 1024 * 1024,
    MOST_LINES = 500, /* in one POST */
    MOST_TEXT_BYTES = 1024 * 1024,
    MOST_SKIPPED = 10000,      /* lines of other logs, before the place is written down without anything being sent */
    QUIET_MS = 1000,           /* how long a look at the journal waits for a line */
    SLICE_MS = 500,            /* how long a thread that waits after a failure does not look at the goal */
    NAME_LASTS_MS = 60 * 1000, /* how long a looked up name counts */
};

struct shipper {
    struct agent *agent;
    id target;
    pthread_t thread;
    /* Under the agent's lock. */
    bool ended, is_failing, has_sent;
    char problem[REPORT_SENTENCE_BYTES];
};

/* The thread's own. */
struct shipping {
    struct shipper *shipper;
    struct journal *journal;
    struct poster *poster;
    int64_t poster_made_ms;
    int64_t version; /* of the goal that units and address are from */
    bool is_placed;  /* the journal stands where the next line begins */
    bool was_taken;  /* the receiver has taken something with these settings */
    size_t most_lines;
    int failures;
    struct log_memory memory, memory_at_place; /* what was read last, and what is written down */
};

struct batch {
    struct log_line *lines;
    size_t count, text_bytes, most_lines, most_bytes;
    bool is_broken; /* a line whose place cannot be read */
    str cursor;     /* of the last line that was looked at */
    size_t skipped;
};

static size_t
most_lines_of(const struct goal_log_target *target)
{
    return target->form == LOG_FORM_OBJECTS ? LOG_OBJECTS_MOST_LINES : MOST_LINES;
}

/* ---- What is told ---- */
static void
note(struct shipper *shipper, str problem)
{
    struct agent *agent = shipper->agent;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(16 * 1024);
    pthread_mutex_lock(&agent->lock);
    bool fails = problem.len > 0, is_news = fails != shipper->is_failing || (!fails && !shipper->has_sent);
    if (is_news && arena != NULL)
        log_line(fails ? LOG_WARNING : LOG_INFO, "logs", "Logs to %s: %.*s", id_text(arena, shipper->target).data,
                 STR_ARG(fails ? problem : STR("they arrive.")));
    shipper->is_failing = fails;
    shipper->has_sent |= !fails;
    snprintf(shipper->problem, sizeof(shipper->problem), "%.*s", STR_ARG(problem));
    if (is_news) {
        agent->report_is_wanted = true;
        pthread_cond_signal(&agent->report_wanted);
    }
    pthread_mutex_unlock(&agent->lock);
}

static str
folder_of(struct arena *arena, const struct agent *agent)
{
    return str_format(arena, "%s/logs", agent->config.state->folder.data);
}

/* ---- The goal ---- */
static const struct goal_log_target *
find_target(const struct goal *goal, id target)
{
    for (size_t i = 0; i < goal->logs.targets.count; i++) {
        if (id_eq(goal->logs.targets.items[i].id, target))
            return &goal->logs.targets.items[i];
    }
    return NULL;
}

static bool
is_of_project(const struct goal *goal, const struct goal_member *member, id project)
{
    const struct goal_cluster *cluster = goal_find_cluster(goal, member->cluster);
    return cluster != NULL && id_eq(cluster->project, project);
}

static bool
choose_units(struct shipping *shipping, struct arena *arena, const struct goal *goal, id project)
{
    size_t count = 0;
    str *units = ARENA_ARRAY(arena, str, goal->members.count + 1);
    for (size_t i = 0; units != NULL && i < goal->members.count; i++) {
        if (is_of_project(goal, &goal->members.items[i], project))
            units[count++] = unit_name(arena, goal->members.items[i].id);
    }
    /* Without any match the journal would hand out the lines of everybody. */
    return count > 0 && !arena_is_exhausted(arena) && journal_choose(shipping->journal, units, count);
}

/* Whose units are read and where it goes may be another; where the reading stands is not. */
static bool
follow_goal(struct shipping *shipping, struct arena *arena, const struct goal *goal,
            const struct goal_log_target *target)
{
    if (shipping->journal == NULL)
        shipping->journal = journal_open();
    if (shipping->journal == NULL)
        return false;
    if (shipping->version == goal->version && shipping->is_placed)
        return true;
    if (shipping->version != goal->version) {
        poster_free(shipping->poster);
        shipping->poster = NULL;
        shipping->was_taken = false;
        shipping->most_lines = most_lines_of(target);
    }
    struct log_place place =
        log_place_read(arena, folder_of(arena, shipping->shipper->agent), shipping->shipper->target);
    if (!choose_units(shipping, arena, goal, target->project) || !journal_go_to(shipping->journal, &place))
        return false;
    shipping->version = goal->version;
    shipping->memory = shipping->memory_at_place;
    shipping->is_placed = true;
    return true;
}

/* ---- Reading ---- */
static bool
is_wanted(const struct goal_log_target *target, enum log_type type)
{
    for (size_t i = 0; i < target->logs.count; i++) {
        if (str_is(target->logs.items[i], log_type_names[type]))
            return true;
    }
    return false;
}

static const struct goal_member *
member_of_unit(const struct goal *goal, str unit)
{
    id member;
    str prefix = STR("reeve-member-");
    if (!str_starts_with(unit, prefix) || unit.len < prefix.len + ID_DIGITS ||
        !id_parse(str_slice(unit, prefix.len, prefix.len + ID_DIGITS), &member))
        return NULL;
    return goal_find_member(goal, member);
}

/* Whether the batch has a line of this member and log already. */
static bool
has_beside(const struct batch *batch, const struct goal_member *member, enum log_type type)
{
    for (size_t i = batch->count; i > 0; i--) {
        if (batch->lines[i - 1].member == member && batch->lines[i - 1].type == type)
            return true;
    }
    return false;
}

static void
take_entry(struct shipping *shipping, struct arena *arena, const struct goal *goal,
           const struct goal_log_target *target, const struct journal_entry *entry, struct batch *batch)
{
    enum log_type type;
    const struct goal_member *member = member_of_unit(goal, entry->unit);
    if (member == NULL || !log_line_classify(&shipping->memory, entry->program, entry->pid, entry->text, &type) ||
        !is_wanted(target, type)) {
        batch->skipped++;
        return;
    }
    bool is_first = target->form == LOG_FORM_OBJECTS && !has_beside(batch, member, type);
    struct log_line *line = &batch->lines[batch->count++];
    *line = (struct log_line){
        .cluster = goal_find_cluster(goal, member->cluster),
        .member = member,
        .type = type,
        .time_us = entry->time_us,
        .text = log_line_text(arena, entry->text),
        .place = is_first ? journal_cursor(shipping->journal, arena) : STR_EMPTY,
    };
    batch->is_broken |= is_first && line->place.len == 0;
    batch->text_bytes += line->text.len;
}

static bool
read_batch(struct shipping *shipping, struct arena *arena, const struct goal *goal,
           const struct goal_log_target *target, struct batch *batch)
{
    struct journal_entry entry;
    int found = 0;
    *batch = (struct batch){ .lines = ARENA_ARRAY(arena, struct log_line, most_lines_of(target)),
                             .most_lines = shipping->most_lines,
                             .most_bytes = target->form == LOG_FORM_OBJECTS ? LOG_OBJECTS_MOST_BYTES : MOST_TEXT_BYTES,
                             .cursor = STR_EMPTY };
    while (batch->lines != NULL && batch->count < batch->most_lines && batch->text_bytes < batch->most_bytes &&
           batch->skipped < MOST_SKIPPED && (found = journal_next(shipping->journal, &entry)) > 0)
        take_entry(shipping, arena, goal, target, &entry, batch);
    if (batch->count + batch->skipped > 0)
        batch->cursor = journal_cursor(shipping->journal, arena);
    return batch->lines != NULL && found >= 0 && !batch->is_broken && !arena_is_exhausted(arena);
}

/* ---- Sending ---- */
static bool
read_allowed(struct arena *arena, const struct goal_logs *logs, struct egress_allowed *ret_allowed)
{
    struct net_block *blocks = ARENA_ARRAY(arena, struct net_block, logs->networks.count + 1);
    for (size_t i = 0; blocks != NULL && i < logs->networks.count; i++) {
        if (!net_parse_block(logs->networks.items[i], &blocks[i]))
            return false;
    }
    *ret_allowed = (struct egress_allowed){ logs->networks.count, blocks };
    return blocks != NULL;
}

/* Every name is looked up and judged on this host: what is public elsewhere need not be public here. */
static bool
make_poster(struct shipping *shipping, struct arena *arena, const struct goal_logs *logs,
            const struct goal_log_target *target, str *ret_why)
{
    struct egress_allowed allowed;
    str authority = STR_EMPTY;
    if (shipping->poster != NULL && clock_steady_ms() - shipping->poster_made_ms < NAME_LASTS_MS)
        return true;
    poster_free(shipping->poster);
    shipping->poster = NULL;
    *ret_why = STR("There is no memory.");
    if (!read_allowed(arena, logs, &allowed))
        return false;
    if (logs->authority.len > 0) {
        authority = str_format(arena, "%s/authority.crt", folder_of(arena, shipping->shipper->agent).data);
        if (!disk_keep(arena, authority.data, logs->authority, 0600, (struct disk_owner){ 0, 0 }, NULL)) {
            *ret_why = STR("The authorities cannot be written.");
            return false;
        }
    }
    shipping->poster = poster_new(arena, &allowed, target->url, authority.len == 0 ? NULL : authority.data, ret_why);
    shipping->poster_made_ms = clock_steady_ms();
    return shipping->poster != NULL;
}

/* The status, or 0 with a sentence. */
static int
post(struct shipping *shipping, struct arena *arena, const struct goal_logs *logs, const struct goal_log_target *target,
     const struct batch *batch, str *ret_why)
{
    struct post_header *headers = ARENA_ARRAY(arena, struct post_header, target->headers.count + 1);
    str body = log_message(arena, target->form, batch->lines, batch->count);
    if (headers == NULL || body.len == 0) {
        *ret_why = STR("The lines cannot be written in the form that is wanted.");
        return 0;
    }
    headers[0] = (struct post_header){ STR("Content-Type"), STR("application/json") };
    for (size_t i = 0; i < target->headers.count; i++)
        headers[i + 1] = (struct post_header){ target->headers.items[i].name, target->headers.items[i].value };
    if (!make_poster(shipping, arena, logs, target, ret_why))
        return 0;
    int status = poster_send(shipping->poster, arena, headers, target->headers.count + 1, body, ret_why);
    if (status != 0 && (status < 200 || status > 299))
        *ret_why = str_format(arena, "It answered %d.", status);
    return status;
}

static bool
keep_place(struct shipping *shipping, struct arena *arena, str cursor)
{
    const struct agent *agent = shipping->shipper->agent;
    if (log_place_write(arena, folder_of(arena, agent), shipping->shipper->target, cursor)) {
        shipping->memory_at_place = shipping->memory;
        return true;
    }
    note(shipping->shipper, STR("How far they were sent cannot be written to the disk."));
    return false;
}

/* Something is wrong with the lines themselves, not with who sends them or where to. */
static bool
is_about_lines(int status)
{
    return status == 400 || status == 413 || status == 422;
}

/*
 * True when the next batch may follow at once. Lines that a receiver will never take would hold all others for ever: they are
 * looked for by halving, and a single one is passed over, but only of a receiver that has taken others with these settings.
 */
static bool
settle(struct shipping *shipping, struct arena *arena, const struct goal_log_target *target, const struct batch *batch,
       int status, str why)
{
    if (status >= 200 && status <= 299) {
        failpoint("agent:logs:sent");
        note(shipping->shipper, STR_EMPTY);
        shipping->was_taken = true;
        shipping->failures = 0;
        shipping->most_lines = most_lines_of(target);
        return keep_place(shipping, arena, batch->cursor);
    }
    note(shipping->shipper, why);
    poster_free(shipping->poster);
    shipping->poster = NULL;
    shipping->is_placed = false;
    if (is_about_lines(status) && batch->count > 1) {
        shipping->most_lines = batch->count / 2;
        return true;
    }
    if (is_about_lines(status) && shipping->was_taken) {
        log_line(LOG_WARNING, "log_line_refused", "A line is passed over: the receiver answered %d to it.", status);
        shipping->most_lines = most_lines_of(target);
        return keep_place(shipping, arena, batch->cursor);
    }
    return false;
}

/* Objects are not written for each line: how long it is until the lines that were read are. */
static int64_t
until_due_ms(const struct batch *batch)
{
    int64_t age_ms = clock_now_ms() - batch->lines[0].time_us / 1000;
    bool is_full =
        batch->count >= batch->most_lines || batch->text_bytes >= batch->most_bytes || batch->skipped >= MOST_SKIPPED;
    if (is_full || age_ms >= LOG_OBJECTS_AGE_MS || age_ms < 0)
        return 0;
    return LOG_OBJECTS_AGE_MS - age_ms;
}

/* The status of a receiver; a store's is 200 when all of it is written. */
static int
deliver(struct shipping *shipping, struct arena *arena, const struct goal_logs *logs,
        const struct goal_log_target *target, const struct batch *batch, str *ret_why)
{
    if (target->form != LOG_FORM_OBJECTS)
        return post(shipping, arena, logs, target, batch, ret_why);
    if (!log_objects_write(arena, target, batch->lines, batch->count, ret_why))
        return 0;
    failpoint("agent:logs:written");
    return 200;
}

/* How long to wait before the next round. */
static int64_t
ship(struct shipping *shipping, const struct goal *goal, const struct goal_log_target *target)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(SHIP_ARENA_BYTES);
    struct batch batch;
    str why = STR_EMPTY;
    if (arena == NULL)
        return agent_backoff_ms(shipping->failures++);
    if (!follow_goal(shipping, arena, goal, target) || !read_batch(shipping, arena, goal, target, &batch)) {
        note(shipping->shipper, STR("The journal of the host cannot be read."));
        journal_close(shipping->journal);
        shipping->journal = NULL;
        shipping->is_placed = false;
        return agent_backoff_ms(shipping->failures++);
    }
    if (batch.count == 0) {
        bool is_kept = batch.skipped < MOST_SKIPPED || keep_place(shipping, arena, batch.cursor);
        if (batch.skipped == 0)
            journal_wait(shipping->journal, QUIET_MS);
        return is_kept ? 0 : agent_backoff_ms(shipping->failures++);
    }
    int64_t wait_ms = target->form == LOG_FORM_OBJECTS ? until_due_ms(&batch) : 0;
    if (wait_ms > 0) {
        shipping->is_placed = false; /* these lines are read again, with those that come until then */
        return wait_ms;
    }
    int status = deliver(shipping, arena, &goal->logs, target, &batch, &why);
    if (settle(shipping, arena, target, &batch, status, why))
        return 0;
    shipping->is_placed = false;
    return agent_backoff_ms(shipping->failures++);
}

/* ---- The thread ---- */
/* A new goal may say where it is to go instead. */
static void
wait_for_goal(struct agent *agent, int64_t version, int64_t ms)
{
    while (ms > 0) {
        int64_t slice = ms < SLICE_MS ? ms : SLICE_MS;
        clock_sleep_ms(slice);
        ms -= slice;
        struct held_goal *held = agent_hold_goal(agent);
        bool is_new = held != NULL && held->goal.version != version;
        if (held != NULL)
            agent_release_goal(agent, held);
        if (is_new || agent_is_ending(agent))
            return;
    }
}

/* Until the goal does not have the target any more, or the agent ends. */
static void
ship_on(struct shipper *shipper)
{
    struct agent *agent = shipper->agent;
    struct shipping shipping = { .shipper = shipper, .most_lines = MOST_LINES };
    bool is_gone = false;
    while (!is_gone && !agent_is_ending(agent)) {
        struct held_goal *held = agent_hold_goal(agent);
        const struct goal_log_target *target = find_target(&held->goal, shipper->target);
        int64_t version = held->goal.version, pause_ms = 0;
        is_gone = target == NULL;
        if (!is_gone)
            pause_ms = ship(&shipping, &held->goal, target);
        agent_release_goal(agent, held);
        wait_for_goal(agent, version, pause_ms);
    }
    journal_close(shipping.journal);
    poster_free(shipping.poster);
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(64 * 1024);
    if (is_gone && arena != NULL && !log_place_forget(arena, folder_of(arena, agent), shipper->target))
        log_line(LOG_WARNING, "logs", "What is known about logs to %s cannot be removed.",
                 id_text(arena, shipper->target).data);
}

static void *
run(void *context)
{
    struct shipper *shipper = context;
    struct agent *agent = shipper->agent;
    bool is_over = false;
    while (!is_over) {
        ship_on(shipper);
        pthread_mutex_lock(&agent->lock);
        /* It may be back in the goal, with nobody but this thread for it. */
        is_over = agent->is_ending || find_target(&agent->goal->goal, shipper->target) == NULL;
        shipper->ended = is_over;
        pthread_mutex_unlock(&agent->lock);
    }
    return NULL;
}

/* ---- Under the lock ---- */
static void
bury(struct agent *agent)
{
    size_t kept = 0;
    for (size_t i = 0; i < agent->shipper_count; i++) {
        struct shipper *shipper = agent->shippers[i];
        if (!shipper->ended) {
            agent->shippers[kept++] = shipper;
            continue;
        }
        pthread_join(shipper->thread, NULL);
        free(shipper);
    }
    agent->shipper_count = kept;
}

static bool
has_shipper(const struct agent *agent, id target)
{
    for (size_t i = 0; i < agent->shipper_count; i++) {
        if (id_eq(agent->shippers[i]->target, target))
            return true;
    }
    return false;
}

void
shippers_follow(struct agent *agent)
{
    const struct goal_log_targets *targets = &agent->goal->goal.logs.targets;
    bury(agent);
    for (size_t i = 0; i < targets->count && agent->shipper_count < AGENT_MOST_SHIPPERS; i++) {
        pthread_attr_t attributes;
        if (has_shipper(agent, targets->items[i].id))
            continue;
        struct shipper *shipper = calloc(1, sizeof(*shipper));
        if (shipper == NULL)
            return;
        shipper->agent = agent;
        shipper->target = targets->items[i].id;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        if (pthread_create(&shipper->thread, &attributes, run, shipper) == 0) {
            agent->shippers[agent->shipper_count++] = shipper;
        } else {
            log_line(LOG_ERROR, "no_thread", "A target of logs has no thread; it is tried again with the next goal.");
            free(shipper);
        }
        pthread_attr_destroy(&attributes);
    }
}

const struct report_log *
shippers_report(struct agent *agent, struct arena *arena, size_t *ret_count)
{
    struct report_log *logs = ARENA_ARRAY(arena, struct report_log, agent->shipper_count + 1);
    *ret_count = 0;
    for (size_t i = 0; logs != NULL && i < agent->shipper_count; i++) {
        const struct shipper *shipper = agent->shippers[i];
        if (shipper->ended || (!shipper->is_failing && !shipper->has_sent))
            continue; /* nothing is known yet */
        logs[(*ret_count)++] =
            (struct report_log){ shipper->target, !shipper->is_failing, str_dup(arena, str_from(shipper->problem)) };
    }
    return logs;
}
