/* SPDX-License-Identifier: Apache-2.0 */
#include "job/access/directory_sync.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/crypto/directory_password.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/log.h"
#include "job/access/directory_groups.h"
#include "job/access/directory_people.h"
#include "job/delivery_threads.h"
#include "store/access/access.h"
#include "store/access/directory_sync.h"
#include "store/event/event.h"
#include "store/tenant/project.h"

enum {
    EVERY_MS = 30 * 1000,
    LEASE_S = 120,  /* longer than a lookup of the server's name and all questions may take */
    SLOW_TIMES = 5, /* who takes long rests for so many times as long */
    RETRY_MAX_MS = 60 * 1000,
    TOLD_AFTER = 1, /* failures that are not told: one alone is a blink */
    TURN_ARENA_BYTES = 64 * 1024 * 1024,
};

struct lane { /* those that answered quickly, or the others */
    struct directory_sync *sync;
    bool is_proven;
    struct delivery_threads *threads;
};
struct directory_sync {
    struct directory_sync_config config;
    struct lane lanes[2];
    atomic_bool stop;
};

struct turn {
    struct directory_sync *sync;
    struct arena *arena;
    const struct directory_claim *claim;
    struct directory_task task;
    const json_t *ldap;
    json_t *groups; /* of the task */
    json_t *stored; /* of the result */
    struct buf why;
    bool has_changed;
    size_t people, roles; /* that its groups have, as long as nothing else is stored; roles of all people */
    size_t event_count, event_room;
    struct event_draft *events;
};

#define TOO_MANY_ROLES \
    "with it the people of the project's groups have more than 5000 roles; give groups fewer roles, or a custom role"

/* ---- What is told ---- */
static void
add_event(struct turn *turn, enum event_type type, json_t *after)
{
    if (after != NULL && turn->event_count < turn->event_room)
        turn->events[turn->event_count++] = (struct event_draft){ .type = type,
                                                                  .organization = turn->task.organization,
                                                                  .project = turn->claim->project,
                                                                  .after = json_in(turn->arena, after) };
}

static json_t *
first_of(const json_t *names)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(names) && i < DIRECTORY_TOLD_MAX; i++)
        json_array_append(list, json_array_get(names, i));
    return list;
}

static void
tell_of_group(struct turn *turn, str group, const struct directory_after *after)
{
    if (json_array_size(after->added) > 0 || json_array_size(after->removed) > 0) {
        turn->has_changed = true;
        add_event(turn, EVENT_DIRECTORY_GROUP_CHANGED,
                  json_pack("{s:s%, s:I, s:o, s:I, s:o, s:I}", "username", group.data, group.len, "people",
                            (json_int_t)json_array_size(after->members), "added", first_of(after->added), "addedCount",
                            (json_int_t)json_array_size(after->added), "removed", first_of(after->removed),
                            "removedCount", (json_int_t)json_array_size(after->removed)));
    }
    if (after->is_newly_empty)
        add_event(turn, EVENT_DIRECTORY_GROUP_EMPTY,
                  json_pack("{s:s%, s:I}", "username", group.data, group.len, "people",
                            (json_int_t)json_array_size(after->members)));
    if (after->has_newly_skipped)
        add_event(turn, EVENT_DIRECTORY_NAMES_SKIPPED,
                  json_pack("{s:s%, s:O}", "username", group.data, group.len, "skipped", after->skipped));
}

static void
tell_how_it_went(struct turn *turn, str why)
{
    str host = json_text_at(turn->ldap, "hostname");
    if (why.len > 0 && turn->claim->failures == TOLD_AFTER)
        add_event(turn, EVENT_DIRECTORY_SYNC_FAILED,
                  json_pack("{s:s%, s:s%}", "hostname", host.data, host.len, "problem", why.data, why.len));
    if (why.len == 0 && turn->claim->failures > TOLD_AFTER)
        add_event(turn, EVENT_DIRECTORY_SYNC_RECOVERED, json_pack("{s:s%}", "hostname", host.data, host.len));
}

/* ---- One group ---- */
static void
note_problem(struct turn *turn, str group, str why)
{
    if (turn->why.len == 0)
        buf_format(&turn->why, "Group %.*s: %.*s.", STR_ARG(group), STR_ARG(why));
}

/* Who is in no group any more is always taken out of it: only a group that grows may have no room. */
static bool
has_room(struct turn *turn, const json_t *group, size_t before, size_t after)
{
    str name = json_text_at(group, "name");
    size_t of_each = (size_t)json_int_at(group, "roles"), people = turn->people - before + after,
           roles = turn->roles - of_each * before + of_each * after;
    if (after > before && people > DIRECTORY_PROJECT_PEOPLE_MAX) {
        note_problem(turn, name, STR("with it the project's groups have more people than they may have"));
        return false;
    }
    if (after > before && roles > DIRECTORY_PROJECT_ROLES_MAX) {
        note_problem(turn, name, STR(TOO_MANY_ROLES));
        return false;
    }
    turn->people = people;
    turn->roles = roles;
    return true;
}

static void
keep_group(struct turn *turn, const json_t *group, const struct directory_group_answer *answer, const json_t *taken)
{
    struct directory_before before = { .name = json_text_at(group, "name"),
                                       .members = json_object_get(group, "members"),
                                       .skipped = json_object_get(group, "skipped"),
                                       .empty_for_s = json_int_at(group, "emptyFor") };
    struct directory_after after;
    if (!answer->is_known) {
        note_problem(turn, before.name, answer->why);
        return;
    }
    directory_people_judge(turn->arena, &before, answer->names, answer->count, taken, &after);
    if (!has_room(turn, group, json_array_size(before.members), json_array_size(after.members)))
        return;
    json_array_append_new(turn->stored,
                          json_pack("{s:O, s:O, s:O, s:b}", "id", json_object_get(group, "id"), "members",
                                    after.members, "skipped", after.skipped, "isEmpty", (int)after.is_empty));
    tell_of_group(turn, before.name, &after);
}

/* ---- One project ---- */
static bool
read_settings(struct turn *turn, struct directory_question *ret_question, struct directory_groups *ret_how,
              str *ret_why)
{
    const json_t *document = json_parse_own(turn->arena, turn->task.document),
                 *port = json_object_get(json_object_get(document, "ldap"), "port");
    str password;
    turn->ldap = json_object_get(document, "ldap");
    if (!directory_password_open(turn->arena, &turn->sync->config.key, turn->task.resource,
                                 json_text_at(document, "sealed"), &password)) {
        *ret_why = STR("The password cannot be opened with this worker's key.");
        return false;
    }
    *ret_question = (struct directory_question){
        .host = json_text_at(turn->ldap, "hostname"),
        .port = port == NULL ? 636 : (int)json_integer_value(port),
        .bind_name = json_text_at(turn->ldap, "bindUsername"),
        .password = password,
        .authority = json_text_at(turn->ldap, "caCertificate"),
    };
    error problem = directory_groups_read(turn->arena, turn->ldap, true, ret_how);
    if (problem != OK)
        *ret_why = problem->detail;
    return problem == OK;
}

static void
ask(struct turn *turn, const json_t *taken)
{
    struct directory_question question;
    struct directory_groups how;
    str why = STR_EMPTY;
    size_t count = json_array_size(turn->groups), i;
    str *names = ARENA_ARRAY(turn->arena, str, count + 1);
    struct directory_group_answer *answers = ARENA_ARRAY(turn->arena, struct directory_group_answer, count + 1);
    if (names == NULL || answers == NULL) {
        buf_add_text(&turn->why, "The worker has no room.");
        return;
    }
    for (i = 0; i < count; i++) {
        const json_t *group = json_array_get(turn->groups, i);
        size_t people = json_array_size(json_object_get(group, "members"));
        names[i] = json_text_at(group, "name");
        turn->people += people;
        turn->roles += people * (size_t)json_int_at(group, "roles");
    }
    if (!read_settings(turn, &question, &how, &why) ||
        (count > 0 && !directory_groups_ask(turn->arena, &turn->sync->config.allowed, &question, &how, names, count,
                                            answers, &why))) {
        buf_add(&turn->why, why.len > 0 ? why : STR("It cannot be asked."));
        return;
    }
    for (i = 0; i < count; i++)
        keep_group(turn, json_array_get(turn->groups, i), &answers[i], taken);
    if (turn->roles >
        DIRECTORY_PROJECT_ROLES_MAX) /* their roles became more, and members are told of some groups only */
        note_problem(turn, names[count - 1], STR(TOO_MANY_ROLES));
}

/* The project's row comes first, as in every change of who may connect. */
static error
keep(struct turn *turn, int64_t took_ms, bool *ret_kept)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct project project;
    int64_t generation;
    str why = buf_str(&turn->why);
    struct directory_result result = {
        .groups = json_text(turn->arena, turn->stored),
        .worked = why.len == 0,
        .took_ms = took_ms,
        .rest_ms = SLOW_TIMES * took_ms,
        .retry_ms = why.len > 0 ? delivery_threads_backoff_ms(turn->claim->failures) : EVERY_MS,
    };
    if (result.retry_ms > RETRY_MAX_MS)
        result.retry_ms = RETRY_MAX_MS;
    TRY(tx_begin(turn->sync->config.store, turn->arena, turn->task.organization, &tx));
    TRY(store_project_lock(tx, turn->task.organization, turn->claim->project, &project));
    TRY(tx_set_service(tx));
    TRY(store_directory_sync_store(tx, turn->claim, &result, ret_kept));
    if (!*ret_kept)
        return tx_commit(tx);
    TRY(tx_set_organization(tx, turn->task.organization));
    if (turn->has_changed)
        TRY(store_access_touch(tx, turn->claim->project, &generation));
    for (size_t i = 0; i < turn->event_count; i++)
        TRY(store_event_add_by_worker(tx, &turn->events[i]));
    return tx_commit(tx);
}

static error
work(struct turn *turn)
{
    bool found, kept = false;
    int64_t began_ms = clock_steady_ms();
    TRY(store_directory_sync_task(turn->sync->config.store, turn->arena, turn->claim->project, &found, &turn->task));
    if (!found)
        return OK;
    turn->groups = json_parse_own(turn->arena, turn->task.groups);
    turn->stored = json_in(turn->arena, json_array());
    turn->why = buf_in(turn->arena, 4096);
    turn->event_room = 3 * json_array_size(turn->groups) + 1;
    turn->events = ARENA_ARRAY(turn->arena, struct event_draft, turn->event_room);
    if (turn->groups == NULL || turn->stored == NULL || turn->events == NULL)
        return fail(turn->arena, OVERLOADED);
    ask(turn, json_parse_own(turn->arena, turn->task.names));
    failpoint("directory:sync:after-effect");
    tell_how_it_went(turn, buf_str(&turn->why));
    TRY(keep(turn, clock_steady_ms() - began_ms, &kept));
    failpoint("directory:sync:after-commit");
    if (turn->why.len > 0 && kept)
        log_line(LOG_WARNING, "directory_not_synchronized", "The directory of project %s: %.*s",
                 id_text(turn->arena, turn->claim->project).data, STR_ARG(buf_str(&turn->why)));
    return OK;
}

/* True when anything was done. */
static bool
take_turn(void *context)
{
    struct lane *lane = context;
    struct directory_sync *sync = lane->sync;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
    id due[DIRECTORY_SYNC_DUE_MAX];
    size_t count = 0;
    bool did = false;
    if (arena == NULL || store_directory_sync_due(sync->config.store, arena, lane->is_proven, due, &count) != OK)
        return false;
    /* Only one of them: what is true of the others by then is asked again. */
    for (size_t i = 0; i < count && !did && !atomic_load(&sync->stop); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
        struct directory_claim claim;
        bool claimed = false;
        if (own == NULL ||
            store_directory_sync_claim(sync->config.store, own, due[i], LEASE_S, RETRY_MAX_MS, &claimed, &claim) != OK)
            return did;
        if (!claimed)
            continue;
        failpoint("directory:sync:before-effect");
        struct turn turn = { .sync = sync, .arena = own, .claim = &claim };
        error problem = work(&turn);
        if (problem != OK)
            log_line(LOG_WARNING, "directory_not_synchronized", "The directory of project %s: %.*s",
                     id_text(own, claim.project).data, STR_ARG(problem->detail));
        did = true; /* another one may be due */
    }
    return did;
}

struct directory_sync *
directory_sync_new(const struct directory_sync_config *config)
{
    struct directory_sync *sync = calloc(1, sizeof(*sync));
    if (sync == NULL)
        return NULL;
    sync->config = *config;
    for (size_t i = 0; i < LENGTH(sync->lanes); i++) {
        struct lane *lane = &sync->lanes[i];
        *lane = (struct lane){ .sync = sync, .is_proven = i == 1 };
        lane->threads = delivery_threads_new(config->dsn, EVENT_CHANNEL, config->threads, take_turn, lane);
        if (lane->threads == NULL) {
            directory_sync_free(sync);
            return NULL;
        }
    }
    return sync;
}

void
directory_sync_free(struct directory_sync *sync)
{
    if (sync == NULL)
        return;
    atomic_store(&sync->stop, true);
    for (size_t i = 0; i < LENGTH(sync->lanes); i++)
        delivery_threads_free(sync->lanes[i].threads);
    free(sync);
}
