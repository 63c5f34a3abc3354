/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_scratch.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/seat/seat_files.h"
#include "agent/seat/seat_store.h"
#include "agent/state.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "engine/postgres/drill/drill_files.h"

enum { FETCH_MEMORY_MB = 1024 };

static const struct disk_owner root = { 0, 0 };

/* ---- Names ---- */
str
scratch_unit(struct arena *arena, const struct scratch_kind *kind, id seat, const char *stage)
{
    return str_format(arena, "reeve-%s-%s-%s.service", kind->name, id_text(arena, seat).data, stage);
}

bool
scratch_has_unit(struct arena *arena, const struct scratch_kind *kind, id seat, const char *unit)
{
    for (const char *const *stage = kind->stages; *stage != NULL; stage++) {
        if (str_is(scratch_unit(arena, kind, seat, *stage), unit))
            return true;
    }
    return false;
}

struct scratch
scratch_of(const struct scratch_kind *kind, struct seat_pass *pass, id own, json_t *memory)
{
    str name = id_text(pass->arena, own);
    return (struct scratch){ .kind = kind,
                             .pass = pass,
                             .memory = memory,
                             .id = own,
                             .name = name,
                             .folder = str_format(pass->arena, "%s/%s", kind->place, name.data) };
}

/* ---- Memory ---- */
static str
file_of(struct arena *arena, const struct scratch_kind *kind)
{
    return str_format(arena, "%s.json", kind->name);
}

bool
scratch_read(const struct scratch_kind *kind, struct seat_pass *pass, json_t **ret_memory, id *ret_id)
{
    *ret_memory = seat_own_read(pass, file_of(pass->arena, kind).data, NULL);
    return *ret_memory != NULL && id_parse(json_text_at(*ret_memory, "id"), ret_id);
}

json_t *
scratch_memory_new(struct scratch *scratch)
{
    int64_t now = clock_now_ms();
    return json_in(scratch->pass->arena, json_pack("{s:s, s:s, s:i, s:b, s:I, s:I}", "id", scratch->name.data, "stage",
                                                   scratch->kind->stages[0], "attempts", 0, "isOut", 0, "startedMs",
                                                   (json_int_t)now, "stageMs", (json_int_t)now));
}

void
scratch_set_text(struct scratch *scratch, const char *name, str value)
{
    json_object_set_new(scratch->memory, name, json_stringn(value.data, value.len));
}

void
scratch_set_number(struct scratch *scratch, const char *name, int64_t value)
{
    json_object_set_new(scratch->memory, name, json_integer(value));
}

error
scratch_remember(struct scratch *scratch)
{
    return seat_own_write(scratch->pass, file_of(scratch->pass->arena, scratch->kind).data, scratch->memory);
}

error
scratch_go_to_stage(struct scratch *scratch, const char *stage)
{
    scratch_set_text(scratch, "stage", str_from(stage));
    scratch_set_number(scratch, "stageMs", clock_now_ms());
    json_object_set_new(scratch->memory, "isOut", json_false());
    failpoint("agent:%s:stage-%s:before", scratch->kind->name, stage);
    TRY(scratch_remember(scratch));
    failpoint("agent:%s:stage-%s:after", scratch->kind->name, stage);
    return OK;
}

error
scratch_end_with(struct scratch *scratch, const char *state, error why)
{
    scratch_set_text(scratch, "state", str_from(state));
    scratch_set_text(scratch, "problem", why == OK ? STR_EMPTY : why->detail);
    scratch_set_number(scratch, "finishedMs", clock_now_ms());
    return scratch_go_to_stage(scratch, SCRATCH_CLEAR);
}

bool
scratch_is_at(const struct scratch *scratch, const char *stage)
{
    return str_is(json_text_at(scratch->memory, "stage"), stage);
}

/* ---- Whether it can be run ---- */
int64_t
scratch_free_mb(const struct scratch_kind *kind)
{
    struct statvfs status;
    return statvfs(kind->place, &status) != 0 ? 0 : (int64_t)(status.f_bavail * (status.f_frsize / 1024) / 1024);
}

error
scratch_check_programs(struct seat_pass *pass, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (access(drill_program(pass->arena, pass->seat->major_version, *names).data, X_OK) != 0)
            return problem(
                pass->arena,
                "This repository host has no server of PostgreSQL %s: install the package postgresql-%s here.",
                pass->seat->major_version.data, pass->seat->major_version.data);
    }
    return OK;
}

error
scratch_check_room(const struct scratch *scratch, int64_t needed_mb)
{
    int64_t left = scratch_free_mb(scratch->kind);
    return left >= needed_mb
               ? OK
               : problem(scratch->pass->arena,
                         "There is too little room on the repository host: %lld MB are needed, and %lld MB are free.",
                         (long long)needed_mb, (long long)left);
}

/* ---- One at a time ---- */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* while somebody looks whether it is theirs */

static bool
somebody_else_has_one(const char *place, str name)
{
    DIR *all = opendir(place);
    bool found = false;
    for (const struct dirent *one = all == NULL ? NULL : readdir(all); one != NULL && !found; one = readdir(all))
        found = one->d_name[0] != '.' && !str_is(name, one->d_name);
    if (all != NULL)
        closedir(all);
    return found;
}

error
scratch_check_turn(struct scratch *scratch)
{
    struct arena *arena = scratch->pass->arena;
    if (!disk_make_folder(scratch->kind->place, 0711, root))
        return problem(arena, "%s cannot be made: %s.", scratch->kind->place, strerror(errno));
    return somebody_else_has_one(scratch->kind->place, scratch->name)
               ? problem(arena, "Another drill or export is under way on this repository host.")
               : OK;
}

/* Its folder is what shows that it is under way. */
static error
take_turn(struct scratch *scratch)
{
    pthread_mutex_lock(&turn);
    error why = scratch_check_turn(scratch);
    if (why == OK && !disk_make_folder(scratch->folder.data, 0711, root))
        why = problem(scratch->pass->arena, "%s cannot be made: %s.", scratch->folder.data, strerror(errno));
    pthread_mutex_unlock(&turn);
    return why;
}

/* ---- Stages ---- */
error
scratch_remove_folders(struct scratch *scratch, const char *const *names)
{
    for (; *names != NULL; names++) {
        str path = str_format(scratch->pass->arena, "%s/%s", scratch->folder.data, *names);
        if (!disk_remove_tree(path.data))
            return problem(scratch->pass->arena, "%s cannot be removed: %s.", path.data, strerror(errno));
    }
    return OK;
}

error
scratch_make_folders(struct scratch *scratch, const char *const *names, struct disk_owner owner)
{
    for (; *names != NULL; names++) {
        if (!disk_below_make_folder(scratch->folder.data, *names, 0700, owner))
            return problem(scratch->pass->arena, "%s/%s cannot be made: %s.", scratch->folder.data, *names,
                           strerror(errno));
    }
    return OK;
}

error
scratch_start_unit(struct scratch *scratch, const char *stage, const struct unit_beside *wish)
{
    struct seat_pass *pass = scratch->pass;
    str unit = scratch_unit(pass->arena, scratch->kind, pass->seat->id, stage), state;
    bool ignored = false;
    TRY(unit_keep(pass->host->units, pass->arena, unit.data, unit_text_beside(pass->arena, wish), false, &ignored));
    json_object_set_new(scratch->memory, "isOut", json_true());
    scratch_set_number(scratch, "stageMs", clock_now_ms());
    TRY(scratch_remember(scratch));
    failpoint("agent:%s:start:before", scratch->kind->name);
    TRY(unit_keep_up(pass->host->units, pass->arena, unit.data, &state));
    failpoint("agent:%s:start:after", scratch->kind->name);
    return OK;
}

error
scratch_start_fetch(struct scratch *scratch, str order, int64_t limit_seconds)
{
    static const char *const seats[] = { DRILL_DATA, DRILL_WAL, "said", "spool", NULL };
    static const char *const others[] = { "out", "conf", "run", "dump", "keys", NULL };
    struct seat_pass *pass = scratch->pass;
    struct arena *arena = pass->arena;
    TRY(take_turn(scratch));
    scratch_set_number(scratch, "attempts", json_int_at(scratch->memory, "attempts") + 1);
    TRY(scratch_remove_folders(scratch, seats));
    TRY(scratch_remove_folders(scratch, others));
    TRY(scratch_make_folders(scratch, seats, pass->owner));
    if (order.len == 0 || !disk_below_replace(scratch->folder.data, DRILL_ORDER_FILE, order, 0644, root))
        return problem(arena, "%s/" DRILL_ORDER_FILE " cannot be written: %s.", scratch->folder.data, strerror(errno));
    const struct unit_beside wish = {
        .description = str_format(arena, "%s of %s: what is restored", scratch->kind->noun, pass->seat->stanza.data),
        .user = pass->user,
        .folder = scratch->folder,
        .command = str_format(arena, "%s fetch --seat %s --folder %s", pass->host->agent.data, pass->folder.data,
                              scratch->folder.data),
        .memory_mb = FETCH_MEMORY_MB,
        .places = str_format(arena, "BindReadOnlyPaths=%s\nBindPaths=%s\n", pass->folder.data, scratch->folder.data),
        .more = str_format(arena, "%s%s", unit_drill_walls(arena, limit_seconds, false).data,
                           seat_store_lines(arena, pass->seat, pass->folder).data),
    };
    return scratch_start_unit(scratch, SCRATCH_FETCH, &wish);
}

error
scratch_give_away(struct scratch *scratch, struct disk_owner *ret_owner)
{
    static const char *const trees[] = { DRILL_DATA, DRILL_WAL };
    static const char *const seats[] = { "said", "spool", NULL };
    struct seat_pass *pass = scratch->pass;
    uid_t user;
    TRY(users_take(pass->host->users, pass->arena, scratch->id, &user));
    TRY(users_make_account(pass->arena, user));
    *ret_owner = (struct disk_owner){ user, (gid_t)user };
    for (size_t i = 0; i < LENGTH(trees); i++) {
        if (!disk_below_own_tree(scratch->folder.data, trees[i], *ret_owner))
            return problem(pass->arena, "%s/%s cannot be given to its user: %s.", scratch->folder.data, trees[i],
                           strerror(errno));
    }
    return scratch_remove_folders(scratch, seats);
}

/* ---- The end ---- */
/* The user last, because a number is not given back while it owns something. */
error
scratch_clear(struct scratch *scratch)
{
    struct seat_pass *pass = scratch->pass;
    failpoint("agent:%s:clear:before", scratch->kind->name);
    for (const char *const *stage = scratch->kind->stages; *stage != NULL; stage++)
        TRY(unit_drop(pass->host->units, pass->arena,
                      scratch_unit(pass->arena, scratch->kind, pass->seat->id, *stage).data));
    if (scratch->kind->let_go != NULL)
        TRY(scratch->kind->let_go(scratch));
    failpoint("agent:%s:clear-folder:before", scratch->kind->name);
    if (!disk_remove_tree(scratch->folder.data))
        return problem(pass->arena, "%s cannot be removed: %s.", scratch->folder.data, strerror(errno));
    failpoint("agent:%s:clear-user:before", scratch->kind->name);
    return users_release(pass->host->users, pass->arena, scratch->id);
}

error
scratch_forget(struct scratch *scratch)
{
    str file = file_of(scratch->pass->arena, scratch->kind);
    TRY(scratch_clear(scratch));
    failpoint("agent:%s:forget:before", scratch->kind->name);
    return disk_below_remove(scratch->pass->folder.data, file.data)
               ? OK
               : problem(scratch->pass->arena, "%s/%s cannot be removed: %s.", scratch->pass->folder.data, file.data,
                         strerror(errno));
}

error
scratch_forget_other(const struct scratch_kind *kind, struct seat_pass *pass, id wanted, bool *ret_went)
{
    json_t *memory;
    id known;
    *ret_went = scratch_read(kind, pass, &memory, &known) && !id_eq(known, wanted);
    if (!*ret_went)
        return OK;
    struct scratch old = scratch_of(kind, pass, known, memory);
    return scratch_forget(&old);
}
