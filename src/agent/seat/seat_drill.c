/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_drill.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/seat/drill_view.h"
#include "agent/seat/seat_files.h"
#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/backup/wal_place.h"
#include "engine/postgres/drill/drill_files.h"
#include "wire/goal_check.h"

#define DRILL_FILE "drill.json"
#define FETCH      "fetch"
#define PROVE      "prove"

enum {
    MOST_ATTEMPTS = 4,
    SAID_BYTES = 1024 * 1024,
    FETCH_MEMORY_MB = 1024,
    PROVE_MEMORY_MB = 1024,
    WAIT_AGAIN_MS = 60 * 1000,
    MEGABYTE = 1024 * 1024,
    SPARE_MB = 512, /* what stays free on the disk, for the WAL of all clusters that are kept here */
};

/*
 * drill.json: {"id", "stage": fetch, prove, clear or done, "attempts", "isOut": the unit of the stage was started, "startedMs", "stageMs": when the stage began,
 *   "label", "from", "backupMs", "promisedMs", "fetched", "proved", "state": of what it came to, "problem", "finishedMs"}
 */
struct drill {
    struct seat_pass *pass;
    json_t *memory;
    id id;
    str name, folder;
    str fetch_unit, prove_unit;
};

/* ---- Names ---- */
str
seat_drill_unit(struct arena *arena, id seat, const char *stage)
{
    return str_format(arena, "reeve-drill-%s-%s.service", id_text(arena, seat).data, stage);
}

bool
seat_drill_has_unit(struct arena *arena, id seat, const char *unit)
{
    return str_is(seat_drill_unit(arena, seat, FETCH), unit) || str_is(seat_drill_unit(arena, seat, PROVE), unit);
}

static struct drill
drill_of(struct seat_pass *pass, id drill, json_t *memory)
{
    struct arena *arena = pass->arena;
    str name = id_text(arena, drill);
    return (struct drill){ .pass = pass,
                           .memory = memory,
                           .id = drill,
                           .name = name,
                           .folder = str_format(arena, DRILLS_FOLDER "/%s", name.data),
                           .fetch_unit = seat_drill_unit(arena, pass->seat->id, FETCH),
                           .prove_unit = seat_drill_unit(arena, pass->seat->id, PROVE) };
}

/* ---- Memory ---- */
static void
set_text(struct drill *drill, const char *name, str value)
{
    json_object_set_new(drill->memory, name, json_stringn(value.data, value.len));
}

static void
set_number(struct drill *drill, const char *name, int64_t value)
{
    json_object_set_new(drill->memory, name, json_integer(value));
}

static error
remember(struct drill *drill)
{
    return seat_own_write(drill->pass, DRILL_FILE, drill->memory);
}

static error
go_to_stage(struct drill *drill, const char *stage)
{
    set_text(drill, "stage", str_from(stage));
    set_number(drill, "stageMs", clock_now_ms());
    json_object_set_new(drill->memory, "isOut", json_false());
    failpoint("agent:drill:stage-%s:before", stage);
    TRY(remember(drill));
    failpoint("agent:drill:stage-%s:after", stage);
    return OK;
}

/* What it came to. Told only when nothing is left of it. */
static error
end_with(struct drill *drill, enum report_drill_state state, error why)
{
    set_text(drill, "state", str_from(report_drill_words[state]));
    set_text(drill, "problem", why == OK ? STR_EMPTY : why->detail);
    set_number(drill, "finishedMs", clock_now_ms());
    return go_to_stage(drill, "clear");
}

/* ---- Whether it can be run ---- */
static int64_t
free_mb(void)
{
    struct statvfs status;
    return statvfs(DRILLS_FOLDER, &status) != 0 ? 0 : (int64_t)(status.f_bavail * (status.f_frsize / 1024) / 1024);
}

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
    return bytes / MEGABYTE * 6 / 5 + SPARE_MB + 64;
}

static error
check_programs(struct seat_pass *pass)
{
    static const char *const names[] = { "postgres", "pg_amcheck", "pg_checksums", "pg_controldata" };
    for (size_t i = 0; i < LENGTH(names); i++) {
        if (access(drill_program(pass->arena, pass->seat->major_version, names[i]).data, X_OK) != 0)
            return problem(
                pass->arena,
                "This repository host has no server of PostgreSQL %s: install the package postgresql-%s here.",
                pass->seat->major_version.data, pass->seat->major_version.data);
    }
    return OK;
}

static error
check_possible(struct seat_pass *pass, const struct seat_view *view, const json_t *backup)
{
    if (backup == NULL)
        return problem(pass->arena, "There is no backup yet that could be restored.");
    TRY(check_programs(pass));
    int64_t needed = needed_mb(view, backup), left = free_mb();
    if (left < needed)
        return problem(pass->arena,
                       "There is too little room on the repository host: %lld MB are needed, and %lld MB are free.",
                       (long long)needed, (long long)left);
    return OK;
}

/* ---- One at a time ---- */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* while somebody looks whether it is theirs */

static bool
somebody_else_has_one(str name)
{
    DIR *all = opendir(DRILLS_FOLDER);
    bool found = false;
    for (const struct dirent *one = all == NULL ? NULL : readdir(all); one != NULL && !found; one = readdir(all))
        found = one->d_name[0] != '.' && !str_is(name, one->d_name);
    if (all != NULL)
        closedir(all);
    return found;
}

/* Its folder is what shows that it is under way. */
static error
take_turn(struct drill *drill)
{
    static const struct disk_owner root = { 0, 0 };
    error why = OK;
    pthread_mutex_lock(&turn);
    if (!disk_make_folder(DRILLS_FOLDER, 0711, root))
        why = problem(drill->pass->arena, DRILLS_FOLDER " cannot be made: %s.", strerror(errno));
    else if (somebody_else_has_one(drill->name))
        why = problem(drill->pass->arena, "Another drill is under way on this repository host.");
    else if (!disk_make_folder(drill->folder.data, 0711, root))
        why = problem(drill->pass->arena, "%s cannot be made: %s.", drill->folder.data, strerror(errno));
    pthread_mutex_unlock(&turn);
    return why;
}

/* ---- The beginning ---- */
static json_t *
memory_new(struct drill *drill, const json_t *backup, const struct report_seat *report)
{
    int64_t now = clock_now_ms(), promised;
    if (!date_parse(report->window_to, &promised))
        promised = -1;
    return json_in(
        drill->pass->arena,
        json_pack("{s:s, s:s, s:i, s:b, s:I, s:I, s:s, s:s, s:I, s:I}", "id", drill->name.data, "stage", FETCH,
                  "attempts", 0, "isOut", 0, "startedMs", (json_int_t)now, "stageMs", (json_int_t)now, "label",
                  str_dup(drill->pass->arena, json_text_at(backup, "label")).data, "from",
                  str_dup(drill->pass->arena, json_text_at(json_object_get(backup, "archive"), "start")).data,
                  "backupMs", (json_int_t)json_int_at(json_object_get(backup, "timestamp"), "stop") * 1000,
                  "promisedMs", (json_int_t)promised));
}

/* The memory before the folder: whoever finds the folder knows whose it is. */
static error
begin(struct drill *drill, const struct seat_view *view, const struct report_seat *report)
{
    const json_t *backup = newest_backup(view);
    static const struct disk_owner root = { 0, 0 };
    if (!disk_make_folder(DRILLS_FOLDER, 0711, root))
        return problem(drill->pass->arena, DRILLS_FOLDER " cannot be made: %s.", strerror(errno));
    TRY(check_possible(drill->pass, view, backup));
    if (somebody_else_has_one(drill->name))
        return problem(drill->pass->arena, "Another drill is under way on this repository host.");
    drill->memory = memory_new(drill, backup, report);
    if (drill->memory == NULL)
        return fail(drill->pass->arena, OVERLOADED);
    failpoint("agent:drill:begin:before");
    TRY(remember(drill));
    failpoint("agent:drill:begin:after");
    return OK;
}

/* ---- The first stage ---- */
static str
order_text(struct drill *drill)
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
    return order == NULL ? STR_EMPTY : json_text(drill->pass->arena, order);
}

static error
remove_folders(struct drill *drill, const char *const *names)
{
    for (; *names != NULL; names++) {
        str path = str_format(drill->pass->arena, "%s/%s", drill->folder.data, *names);
        if (!disk_remove_tree(path.data))
            return problem(drill->pass->arena, "%s cannot be removed: %s.", path.data, strerror(errno));
    }
    return OK;
}

static error
make_folders(struct drill *drill, const char *const *names, struct disk_owner owner)
{
    for (; *names != NULL; names++) {
        if (!disk_below_make_folder(drill->folder.data, *names, 0700, owner))
            return problem(drill->pass->arena, "%s/%s cannot be made: %s.", drill->folder.data, *names,
                           strerror(errno));
    }
    return OK;
}

static error
start_unit(struct drill *drill, str unit, const struct unit_beside *wish)
{
    struct seat_pass *pass = drill->pass;
    bool ignored = false;
    str state;
    TRY(unit_keep(pass->host->units, pass->arena, unit.data, unit_text_beside(pass->arena, wish), false, &ignored));
    json_object_set_new(drill->memory, "isOut", json_true());
    set_number(drill, "stageMs", clock_now_ms());
    TRY(remember(drill));
    failpoint("agent:drill:start:before");
    TRY(unit_keep_up(pass->host->units, pass->arena, unit.data, &state));
    failpoint("agent:drill:start:after");
    return OK;
}

/* From nothing, however far an earlier attempt came. */
static error
start_fetch(struct drill *drill)
{
    static const char *const all[] = { DRILL_DATA, DRILL_WAL, "said", "spool", "out", "conf", "run", NULL };
    static const char *const seats[] = { DRILL_DATA, DRILL_WAL, "said", "spool", NULL };
    static const struct disk_owner root = { 0, 0 };
    struct seat_pass *pass = drill->pass;
    struct arena *arena = pass->arena;
    str order = order_text(drill);
    TRY(take_turn(drill));
    set_number(drill, "attempts", json_int_at(drill->memory, "attempts") + 1);
    TRY(remove_folders(drill, all));
    TRY(make_folders(drill, seats, pass->owner));
    if (order.len == 0 || !disk_below_replace(drill->folder.data, DRILL_ORDER_FILE, order, 0644, root))
        return problem(arena, "%s/" DRILL_ORDER_FILE " cannot be written: %s.", drill->folder.data, strerror(errno));
    const struct unit_beside wish = {
        .description = str_format(arena, "drill of %s: what is restored", pass->seat->stanza.data),
        .user = pass->user,
        .folder = drill->folder,
        .command = str_format(arena, "%s fetch --seat %s --folder %s", pass->host->agent.data, pass->folder.data,
                              drill->folder.data),
        .memory_mb = FETCH_MEMORY_MB,
        .places = str_format(arena, "BindReadOnlyPaths=%s\nBindPaths=%s\n", pass->folder.data, drill->folder.data),
        .more = unit_drill_walls(arena, pass->seat->drill.limit_seconds, false),
    };
    return start_unit(drill, drill->fetch_unit, &wish);
}

/* ---- The second stage ---- */
/* What was restored gets an owner that has nothing else, before anything of it is run. */
static error
start_prove(struct drill *drill)
{
    static const char *const trees[] = { DRILL_DATA, DRILL_WAL };
    static const char *const own[] = { "out", "conf", "run", NULL };
    static const char *const seats[] = { "said", "spool", NULL };
    struct seat_pass *pass = drill->pass;
    struct arena *arena = pass->arena;
    uid_t user;
    TRY(users_take(pass->host->users, arena, drill->id, &user));
    TRY(users_make_account(arena, user));
    struct disk_owner owner = { user, (gid_t)user };
    for (size_t i = 0; i < LENGTH(trees); i++) {
        if (!disk_below_own_tree(drill->folder.data, trees[i], owner))
            return problem(arena, "%s/%s cannot be given to its user: %s.", drill->folder.data, trees[i],
                           strerror(errno));
    }
    TRY(remove_folders(drill, seats));
    TRY(make_folders(drill, own, owner));
    const struct unit_beside wish = {
        .description = str_format(arena, "drill of %s: what is restored is run", pass->seat->stanza.data),
        .user = users_name(arena, user),
        .folder = drill->folder,
        .command = str_format(arena, "%s prove --folder %s", pass->host->agent.data, drill->folder.data),
        .memory_mb = PROVE_MEMORY_MB,
        .more = unit_drill_walls(arena, pass->seat->drill.limit_seconds, true),
    };
    return start_unit(drill, drill->prove_unit, &wish);
}

/* ---- How far it is ---- */
static json_t *
read_said(struct drill *drill, const char *file, uid_t user)
{
    str text;
    return disk_below_read(drill->pass->arena, drill->folder.data, file, SAID_BYTES, user, &text)
               ? drill_view_of(drill->pass->arena, text)
               : NULL;
}

static void
look(struct drill *drill)
{
    uid_t user;
    json_t *fetched = NULL, *proved = NULL;
    bool is_proving = str_is(json_text_at(drill->memory, "stage"), PROVE);
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
ended_without_a_word(struct drill *drill)
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
    return go_to_stage(drill, FETCH);
}

/* Clusters that are kept here need the disk more than a drill does. */
static error
give_way(struct drill *drill, str unit)
{
    TRY(unit_keep_down(drill->pass->host->units, drill->pass->arena, unit.data));
    return end_with(drill, DRILL_WAITING,
                    problem(drill->pass->arena,
                            "It was given up: less than %d MB were left on the disk of the repository host.",
                            SPARE_MB));
}

static error
go_on_with_stage(struct drill *drill, bool is_proving)
{
    struct seat_pass *pass = drill->pass;
    str unit = is_proving ? drill->prove_unit : drill->fetch_unit, state;
    if (!json_is_true(json_object_get(drill->memory, "isOut")))
        return is_proving ? start_prove(drill) : start_fetch(drill);
    TRY(units_state(pass->host->units, pass->arena, unit.data, &state));
    look(drill);
    if (unit_is_up(state) || str_is(state, "deactivating"))
        return free_mb() < SPARE_MB ? give_way(drill, unit) : OK;
    const json_t *fetched = json_object_get(drill->memory, "fetched"),
                 *proved = json_object_get(drill->memory, "proved");
    if (!drill_view_is_done(is_proving ? proved : fetched))
        return ended_without_a_word(drill);
    if (!is_proving && json_text_at(fetched, "problem").len == 0)
        return go_to_stage(drill, PROVE);
    error why = drill_view_judge(pass->arena, fetched, proved, json_int_at(drill->memory, "promisedMs"),
                                 json_int_at(drill->memory, "backupMs"));
    return end_with(drill, why == OK ? DRILL_PASSED : DRILL_FAILED, why);
}

/* ---- The end ---- */
/* In an order that can be begun again at any place; the user last, because a number is not given back while it owns something. */
static error
clear(struct drill *drill)
{
    struct seat_pass *pass = drill->pass;
    failpoint("agent:drill:clear:before");
    TRY(unit_drop(pass->host->units, pass->arena, drill->fetch_unit.data));
    TRY(unit_drop(pass->host->units, pass->arena, drill->prove_unit.data));
    failpoint("agent:drill:clear-folder:before");
    if (!disk_remove_tree(drill->folder.data))
        return problem(pass->arena, "%s cannot be removed: %s.", drill->folder.data, strerror(errno));
    failpoint("agent:drill:clear-user:before");
    return users_release(pass->host->users, pass->arena, drill->id);
}

static error
forget(struct drill *drill)
{
    TRY(clear(drill));
    failpoint("agent:drill:forget:before");
    return disk_below_remove(drill->pass->folder.data, DRILL_FILE)
               ? OK
               : problem(drill->pass->arena, "%s/" DRILL_FILE " cannot be removed: %s.", drill->pass->folder.data,
                         strerror(errno));
}

/* One that came to nothing is begun anew later. */
static error
end(struct drill *drill)
{
    if (!str_is(json_text_at(drill->memory, "state"), report_drill_words[DRILL_WAITING])) {
        TRY(clear(drill));
        log_line(LOG_INFO, "drill", "%s: %s %s", drill->name.data, json_text_at(drill->memory, "state").data,
                 json_text_at(drill->memory, "problem").data);
        return go_to_stage(drill, "done");
    }
    struct seat_memory *memory = drill->pass->memory;
    str why = json_text_at(drill->memory, "problem");
    snprintf(memory->drill_problem, sizeof(memory->drill_problem), "%.*s", STR_ARG(why));
    memory->drill_again_ms = clock_steady_ms() + WAIT_AGAIN_MS;
    TRY(forget(drill));
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
report_memory(const struct drill *drill, str problem_text, struct report_drill *report)
{
    struct arena *arena = drill->pass->arena;
    bool is_done = str_is(json_text_at(drill->memory, "stage"), "done");
    int state = str_word(json_text_at(drill->memory, "state"), report_drill_words);
    *report = (struct report_drill){ .id = drill->id,
                                     .state = is_done && state >= 0 ? (enum report_drill_state)state : DRILL_RUNNING,
                                     .problem = is_done ? json_text_at(drill->memory, "problem") : problem_text,
                                     .label = json_text_at(drill->memory, "label"),
                                     .started_at = moment(arena, json_int_at(drill->memory, "startedMs")),
                                     .finished_at = is_done ? moment(arena, json_int_at(drill->memory, "finishedMs"))
                                                            : STR_EMPTY };
    drill_view_report(arena, json_object_get(drill->memory, "fetched"), json_object_get(drill->memory, "proved"),
                      report);
}

/* ---- ---- */
static error
go_on(struct drill *drill)
{
    str stage = json_text_at(drill->memory, "stage");
    if (str_is(stage, "done"))
        return OK;
    if (str_is(stage, "clear"))
        return end(drill);
    return go_on_with_stage(drill, str_is(stage, PROVE));
}

static bool
read_memory(struct seat_pass *pass, json_t **ret_memory, id *ret_id)
{
    *ret_memory = seat_own_read(pass, DRILL_FILE, NULL);
    return *ret_memory != NULL && id_parse(json_text_at(*ret_memory, "id"), ret_id);
}

error
seat_drill_go_on(struct seat_pass *pass, const struct seat_view *view, struct report_seat *report, bool *ret_is_busy)
{
    id wanted = pass->seat->drill.id, known;
    json_t *memory;
    bool is_known = read_memory(pass, &memory, &known);
    if (is_known && (!id_is_there(wanted) || !id_eq(known, wanted))) {
        struct drill old = drill_of(pass, known, memory);
        *ret_is_busy = true;
        return forget(&old);
    }
    if (!id_is_there(wanted))
        return OK;
    struct drill drill = drill_of(pass, wanted, is_known ? memory : NULL);
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
    json_t *memory;
    id known;
    if (!read_memory(pass, &memory, &known))
        return OK;
    struct drill old = drill_of(pass, known, memory);
    return forget(&old);
}
