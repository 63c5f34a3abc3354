/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_drill.h"

#include "agent/own/own_drill.h"
#include "agent/seat/drill_view.h"
#include "agent/seat/seat_scratch.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/postgres/backup/wal_place.h"
#include "engine/postgres/drill/drill_files.h"
#include "wire/goal_check.h"

#define PROVE "prove"

enum {
    MOST_ATTEMPTS = 4,
    SAID_BYTES = 1024 * 1024,
    PROVE_MEMORY_MB = 1024,
    WAIT_AGAIN_MS = 60 * 1000,
    MEGABYTE = 1024 * 1024,
};

/* What a drill adds to the file: "label", "from", "backupMs", "promisedMs", "promisedLsn", "promisedTimeline", "fetched", "proved". */
static const char *const stages[] = { SCRATCH_FETCH, PROVE, NULL };
static const struct scratch_kind drill_kind = {
    .name = "drill", .noun = "drill", .place = DRILLS_FOLDER, .stages = stages
};

bool
seat_drill_has_unit(struct arena *arena, id seat, const char *unit)
{
    return scratch_has_unit(arena, &drill_kind, seat, unit);
}

static error
end_with(struct scratch *drill, enum report_drill_state state, error why)
{
    return scratch_end_with(drill, report_drill_words[state], why);
}

/* ---- Whether it can be run ---- */
/* The newest of which everything is there. */
static const json_t *
newest_backup(const struct seat_view *view)
{
    const json_t *all = seat_view_backups(view);
    for (size_t i = json_array_size(all); i > 0; i--) {
        const json_t *backup = json_array_get(all, i - 1);
        str ignored;
        if (seat_view_state(view, backup, &ignored) == COPY_COMPLETED && goal_is_label(json_text_at(backup, "label")))
            return backup;
    }
    return NULL;
}

/* Files of the database, and the WAL since. */
static int64_t
needed_mb(const struct seat_view *view, const json_t *backup)
{
    uint64_t from, to;
    int64_t bytes = json_int_at(json_object_get(backup, "info"), "size");
    if (lsn_parse(json_text_at(json_object_get(backup, "lsn"), "start"), &from) &&
        lsn_parse(json_text_at(view->wal, "receivedLsn"), &to) && to > from && to - from < INT64_MAX / 4)
        bytes += (int64_t)(to - from);
    return bytes / MEGABYTE * 6 / 5 + SCRATCH_SPARE_MB + 64;
}

static error
check_possible(struct scratch *drill, const struct seat_view *view, const json_t *backup)
{
    struct seat_pass *pass = drill->pass;
    static const char *const programs[] = { "postgres", "pg_amcheck", "pg_checksums", "pg_controldata", NULL };
    if (backup == NULL)
        return problem(pass->arena, "There is no backup yet that could be restored.");
    TRY(scratch_check_programs(pass, programs));
    if (seat_is_own(pass->seat) && own_drill_program(pass->arena, pass->host->agent).len == 0)
        return problem(
            pass->arena,
            "There is no reeved on this host that could be started from it: install reeve-server, and do not set it up.");
    return scratch_check_room(drill, needed_mb(view, backup));
}

/* ---- The beginning ---- */
static json_t *
memory_new(struct scratch *drill, const struct seat_view *view, const json_t *backup, const struct report_seat *report)
{
    int64_t promised, timeline;
    str end = seat_view_end(view, backup, &timeline);
    if (!date_parse(report->window_to, &promised))
        promised = -1;
    drill->memory = scratch_memory_new(drill);
    if (drill->memory == NULL)
        return NULL;
    scratch_set_text(drill, "label", json_text_at(backup, "label"));
    scratch_set_text(drill, "from", json_text_at(json_object_get(backup, "archive"), "start"));
    scratch_set_number(drill, "backupMs", json_int_at(json_object_get(backup, "timestamp"), "stop") * 1000);
    scratch_set_number(drill, "promisedMs", promised);
    scratch_set_text(drill, "promisedLsn", end);
    scratch_set_number(drill, "promisedTimeline", timeline);
    return drill->memory;
}

/* The memory before the folder: whoever finds the folder knows whose it is. */
static error
begin(struct scratch *drill, const struct seat_view *view, const struct report_seat *report)
{
    const json_t *backup = newest_backup(view);
    TRY(scratch_check_turn(drill));
    TRY(check_possible(drill, view, backup));
    if (memory_new(drill, view, backup, report) == NULL)
        return fail(drill->pass->arena, OVERLOADED);
    failpoint("agent:drill:begin:before");
    TRY(scratch_remember(drill));
    failpoint("agent:drill:begin:after");
    return OK;
}

/* ---- The first stage ---- */
static str
order_text(struct scratch *drill)
{
    const struct goal_drill *wish = &drill->pass->seat->drill;
    json_t *assertions = json_array();
    for (size_t i = 0; i < wish->assertions.count; i++) {
        const struct goal_drill_assertion *one = &wish->assertions.items[i];
        json_array_append_new(assertions, json_pack("{s:s, s:s, s:s}", "name", one->name.data, "database",
                                                    one->database.data, "sql", one->sql.data));
    }
    json_t *order =
        json_in(drill->pass->arena,
                json_pack("{s:s, s:O, s:O, s:s, s:I, s:o}", "stanza", drill->pass->seat->stanza.data, "label",
                          json_object_get(drill->memory, "label"), "from", json_object_get(drill->memory, "from"),
                          "majorVersion", drill->pass->seat->major_version.data, "assertionSeconds",
                          (json_int_t)wish->assertion_seconds, "assertions", assertions));
    if (order != NULL && seat_is_own(drill->pass->seat))
        own_drill_order(drill->pass->arena, drill->pass->seat, drill->pass->host->agent, order);
    return order == NULL ? STR_EMPTY : json_text(drill->pass->arena, order);
}

/* ---- The second stage ---- */
static error
start_prove(struct scratch *drill)
{
    static const char *const own[] = { "out", "conf", "run", NULL };
    struct seat_pass *pass = drill->pass;
    struct arena *arena = pass->arena;
    struct disk_owner owner;
    TRY(scratch_give_away(drill, &owner));
    TRY(scratch_make_folders(drill, own, owner));
    const struct unit_beside wish = {
        .description = str_format(arena, "drill of %s: what is restored is run", pass->seat->stanza.data),
        .user = users_name(arena, owner.user),
        .folder = drill->folder,
        .command = str_format(arena, "%s prove --folder %s", pass->host->agent.data, drill->folder.data),
        .memory_mb = PROVE_MEMORY_MB,
        .more = unit_drill_walls(arena, pass->seat->drill.limit_seconds, true),
    };
    return scratch_start_unit(drill, PROVE, &wish);
}

/* ---- How far it is ---- */
static json_t *
read_said(struct scratch *drill, const char *file, uid_t user)
{
    str text;
    return disk_below_read(drill->pass->arena, drill->folder.data, file, SAID_BYTES, user, &text)
               ? drill_view_of(drill->pass->arena, text)
               : NULL;
}

static void
look(struct scratch *drill)
{
    uid_t user;
    json_t *fetched = NULL, *proved = NULL;
    bool is_proving = scratch_is_at(drill, PROVE);
    if (!is_proving)
        fetched = read_said(drill, DRILL_FETCHED_FILE, drill->pass->owner.user);
    else if (users_find(drill->pass->host->users, drill->id, &user))
        proved = read_said(drill, DRILL_PROVED_FILE, user);
    if (fetched != NULL)
        json_object_set(drill->memory, "fetched", fetched);
    if (proved != NULL)
        json_object_set(drill->memory, "proved", proved);
}

/* The unit ended, and nobody said what came of it: killed, or the host was. */
static error
ended_without_a_word(struct scratch *drill)
{
    int64_t limit = drill->pass->seat->drill.limit_seconds,
            took = clock_now_ms() - json_int_at(drill->memory, "stageMs");
    if (took >= limit * 1000)
        return end_with(drill, DRILL_FAILED,
                        problem(drill->pass->arena, "It did not end within %lld s.", (long long)limit));
    if (json_int_at(drill->memory, "attempts") >= MOST_ATTEMPTS)
        return end_with(drill, DRILL_FAILED,
                        problem(drill->pass->arena,
                                "It ended without a word %d times: it may need more memory than it has, or "
                                "what was restored has ended it.",
                                MOST_ATTEMPTS));
    json_object_del(drill->memory, "fetched");
    json_object_del(drill->memory, "proved");
    return scratch_go_to_stage(drill, SCRATCH_FETCH);
}

/* Clusters that are kept here need the disk more than a drill does. */
static error
give_way(struct scratch *drill, str unit)
{
    TRY(unit_keep_down(drill->pass->host->units, drill->pass->arena, unit.data));
    return end_with(drill, DRILL_WAITING,
                    problem(drill->pass->arena,
                            "It was given up: less than %d MB were left on the disk of the repository host.",
                            SCRATCH_SPARE_MB));
}

static error
go_on_with_stage(struct scratch *drill, bool is_proving)
{
    struct seat_pass *pass = drill->pass;
    str unit = scratch_unit(pass->arena, &drill_kind, pass->seat->id, is_proving ? PROVE : SCRATCH_FETCH), state;
    if (!json_is_true(json_object_get(drill->memory, "isOut")))
        return is_proving ? start_prove(drill)
                          : scratch_start_fetch(drill, order_text(drill), pass->seat->drill.limit_seconds);
    TRY(units_state(pass->host->units, pass->arena, unit.data, &state));
    look(drill);
    if (unit_is_up(state) || str_is(state, "deactivating"))
        return scratch_free_mb(&drill_kind) < SCRATCH_SPARE_MB ? give_way(drill, unit) : OK;
    const json_t *fetched = json_object_get(drill->memory, "fetched"),
                 *proved = json_object_get(drill->memory, "proved");
    if (!drill_view_is_done(is_proving ? proved : fetched))
        return ended_without_a_word(drill);
    if (!is_proving && json_text_at(fetched, "problem").len == 0)
        return scratch_go_to_stage(drill, PROVE);
    const struct drill_promise promise = { .until_ms = json_int_at(drill->memory, "promisedMs"),
                                           .lsn = json_text_at(drill->memory, "promisedLsn"),
                                           .timeline = json_int_at(drill->memory, "promisedTimeline"),
                                           .backup_ms = json_int_at(drill->memory, "backupMs") };
    error why = drill_view_judge(pass->arena, fetched, proved, &promise);
    return end_with(drill, why == OK ? DRILL_PASSED : DRILL_FAILED, why);
}

/* ---- The end ---- */
/* One that came to nothing is begun anew later. */
static error
end(struct scratch *drill)
{
    if (!str_is(json_text_at(drill->memory, "state"), report_drill_words[DRILL_WAITING])) {
        TRY(scratch_clear(drill));
        log_line(LOG_INFO, "drill", "%s: %s %s", drill->name.data, json_text_at(drill->memory, "state").data,
                 json_text_at(drill->memory, "problem").data);
        return scratch_go_to_stage(drill, SCRATCH_DONE);
    }
    struct seat_memory *memory = drill->pass->memory;
    str why = json_text_at(drill->memory, "problem");
    snprintf(memory->drill_problem, sizeof(memory->drill_problem), "%.*s", STR_ARG(why));
    memory->drill_again_ms = clock_steady_ms() + WAIT_AGAIN_MS;
    TRY(scratch_forget(drill));
    drill->memory = NULL;
    return OK;
}

/* ---- The report ---- */
static str
moment(struct arena *arena, int64_t ms)
{
    return ms <= 0 ? STR_EMPTY : date_text(arena, ms);
}

static void
report_waiting(struct seat_pass *pass, str why, struct report_drill *report)
{
    *report = (struct report_drill){ .id = pass->seat->drill.id,
                                     .state = DRILL_WAITING,
                                     .problem = str_dup(pass->arena, why) };
    report->label = report->started_at = report->finished_at = report->recovery_point = report->server_version =
        STR_EMPTY;
    report->rto_ms = report->data_bytes = -1;
}

static void
report_memory(const struct scratch *drill, str problem_text, struct report_drill *report)
{
    struct arena *arena = drill->pass->arena;
    bool is_done = scratch_is_at(drill, SCRATCH_DONE);
    int state = str_word(json_text_at(drill->memory, "state"), report_drill_words);
    *report = (struct report_drill){ .id = drill->id,
                                     .state = is_done && state >= 0 ? (enum report_drill_state)state : DRILL_RUNNING,
                                     .problem = is_done ? json_text_at(drill->memory, "problem") : problem_text,
                                     .label = json_text_at(drill->memory, "label"),
                                     .started_at = moment(arena, json_int_at(drill->memory, "startedMs")),
                                     .finished_at = is_done ? moment(arena, json_int_at(drill->memory, "finishedMs"))
                                                            : STR_EMPTY };
    drill_view_report(arena, json_object_get(drill->memory, "fetched"), json_object_get(drill->memory, "proved"),
                      json_int_at(drill->memory, "backupMs"), report);
}

/* ---- ---- */
static error
go_on(struct scratch *drill)
{
    if (scratch_is_at(drill, SCRATCH_DONE))
        return OK;
    if (scratch_is_at(drill, SCRATCH_CLEAR))
        return end(drill);
    return go_on_with_stage(drill, scratch_is_at(drill, PROVE));
}

error
seat_drill_go_on(struct seat_pass *pass, const struct seat_view *view, struct report_seat *report, bool *ret_is_busy)
{
    id wanted = pass->seat->drill.id, known;
    json_t *memory;
    bool went;
    TRY(scratch_forget_other(&drill_kind, pass, wanted, &went));
    *ret_is_busy |= went;
    if (went || !id_is_there(wanted))
        return OK;
    bool is_known = scratch_read(&drill_kind, pass, &memory, &known);
    struct scratch drill = scratch_of(&drill_kind, pass, wanted, is_known ? memory : NULL);
    if (!is_known && clock_steady_ms() < pass->memory->drill_again_ms) {
        report_waiting(pass, str_from(pass->memory->drill_problem), &report->drill);
        return OK;
    }
    error why = is_known ? go_on(&drill) : begin(&drill, view, report);
    str sentence = why == OK ? STR_EMPTY : why->detail;
    if (drill.memory == NULL) {
        report_waiting(pass, sentence.len > 0 ? sentence : str_from(pass->memory->drill_problem), &report->drill);
        return OK;
    }
    report_memory(&drill, sentence, &report->drill);
    *ret_is_busy |= report->drill.state == DRILL_RUNNING;
    return OK;
}

error
seat_drill_end(struct seat_pass *pass)
{
    static const id none;
    bool ignored;
    return scratch_forget_other(&drill_kind, pass, none, &ignored);
}
