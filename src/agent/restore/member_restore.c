/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/restore/member_restore.h"

#include <errno.h>
#include <sys/stat.h>

#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "agent/volume/volume_image.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"

enum { NOTE_BYTES = 128, AGAIN_MS = 5000, LEAST_MEMORY_MB = 256 };

static const struct disk_owner root = { 0, 0 };

/* ---- How far it is ---- */
enum step {
    STEP_NONE,     /* it has seen nothing of this restore */
    STEP_MOVING,   /* its data is being moved aside */
    STEP_MOVED,    /* it has none of its own any more */
    STEP_DATA,     /* `first`: the data is that of the point */
    STEP_OPEN,     /* `first`: users are those of the goal, and may come in */
    STEP_RESTORED, /* it takes part */
    STEP_UNDONE,   /* it has what it had before */
};
static const char *const step_words[] = { "NONE", "MOVING", "MOVED", "DATA", "OPEN", "RESTORED", "UNDONE", NULL };

struct note {
    enum step step;
    bool had_data;
};

static str
note_path(struct pass *pass)
{
    return str_format(pass->self.arena, "%s/restore-%s", pass->host->state->folder.data,
                      id_text(pass->self.arena, pass->self.member->id).data);
}

/* "<restore> <step> data" or "<restore> <step> none"; one of another restore says nothing about this one. */
static struct note
read_note(struct pass *pass)
{
    str text, none = STR("NONE");
    if (!disk_read(pass->self.arena, note_path(pass).data, NOTE_BYTES, &text))
        return (struct note){ STEP_NONE, false };
    str rest = str_cut(&text, '\n'), of = str_cut(&rest, ' '), word = str_cut(&rest, ' ');
    int step = str_word(str_dup(pass->self.arena, word), step_words);
    if (!str_eq(of, id_text(pass->self.arena, pass->self.cluster->restore.id)) || step < 0 || str_eq(word, none))
        return (struct note){ STEP_NONE, false };
    return (struct note){ (enum step)step, !str_is(rest, "none") };
}

static error
write_note(struct pass *pass, struct note *note, enum step step)
{
    struct arena *arena = pass->self.arena;
    note->step = step;
    str text = str_format(arena, "%s %s %s", id_text(arena, pass->self.cluster->restore.id).data, step_words[step],
                          note->had_data ? "data" : "none");
    if (!disk_replace(note_path(pass).data, text, 0600, root))
        return problem(arena, "%s cannot be written: %s.", note_path(pass).data, strerror(errno));
    log_line(LOG_INFO, "restore", "%s: %.*s", pass->self.member->name.data, STR_ARG(text));
    return OK;
}

/* ---- Folders ---- */
/* Where "data" and what was set aside stand beside each other: in the member's folder, or among its images, because a volume has no room for two. */
static str
place(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    id member = pass->self.member->id;
    return volume_image_is_known(arena, member) ? volume_images(arena, member) : pass->self.folder;
}

static bool
is_there(struct pass *pass, const char *name)
{
    struct stat status;
    return disk_below_look(place(pass).data, name, &status);
}

static str
before_name(struct pass *pass)
{
    return str_format(pass->self.arena, "data.before-%s",
                      id_text(pass->self.arena, pass->self.cluster->restore.id).data);
}

static str
undone_name(struct pass *pass)
{
    return str_format(pass->self.arena, "data.undone-%s",
                      id_text(pass->self.arena, pass->self.cluster->restore.id).data);
}

static error
rename_folder(struct pass *pass, const char *from, const char *to)
{
    TRY(volume_down(pass->host->units, pass->self.arena, pass->self.member->id));
    pass->memory->volume.bound_to_gb = 0; /* those that come in their place may have another size */
    if (disk_below_rename(place(pass).data, from, to))
        return OK;
    return problem(pass->self.arena, "%s/%s cannot be renamed: %s.", place(pass).data, from, strerror(errno));
}

static error
remove_folder(struct pass *pass, const char *name)
{
    str path = str_format(pass->self.arena, "%s/%s", place(pass).data, name);
    if (str_is(str_from(name), "data"))
        TRY(volume_down(pass->host->units, pass->self.arena, pass->self.member->id));
    return disk_remove_tree(path.data)
               ? OK
               : problem(pass->self.arena, "%s cannot be removed: %s.", path.data, strerror(errno));
}

/* ---- The unit ---- */
str
member_restore_unit(struct arena *arena, id member)
{
    return str_format(arena, "reeve-member-%s-restore.service", id_text(arena, member).data);
}

static error
drop_unit(struct pass *pass)
{
    return unit_drop(pass->host->units, pass->self.arena,
                     member_restore_unit(pass->self.arena, pass->self.member->id).data);
}

error
member_restore_drop(struct pass *pass)
{
    TRY(drop_unit(pass));
    return disk_remove(note_path(pass).data)
               ? OK
               : problem(pass->self.arena, "%s cannot be removed: %s.", note_path(pass).data, strerror(errno));
}

/* Behind the member's walls, as its user and with its memory: it is the member's data, and it takes the member's place. */
static error
keep_unit(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    struct engine_member *self = &pass->self;
    bool ignored = false;
    str unit = member_restore_unit(arena, self->member->id), state;
    const struct unit_beside wish = {
        .description =
            str_format(arena, "restore of member %s of %s", self->member->name.data, self->cluster->scope.data),
        .user = self->user,
        .folder = self->folder,
        .command = str_format(arena, "%s restore --folder %s", pass->host->agent.data, self->folder.data),
        .memory_mb = (int)(self->member->memory_mb < LEAST_MEMORY_MB ? LEAST_MEMORY_MB : self->member->memory_mb),
    };
    TRY(unit_keep(pass->host->units, arena, unit.data, unit_text_beside(arena, &wish), false, &ignored));
    TRY(units_state(pass->host->units, arena, unit.data, &state));
    int64_t now = clock_steady_ms();
    if (unit_is_up(state) || (pass->memory->restore_begun_ms > 0 && now - pass->memory->restore_begun_ms < AGAIN_MS))
        return OK;
    pass->memory->restore_begun_ms = now;
    return unit_keep_up(pass->host->units, arena, unit.data, &state);
}

/* ---- STOP ---- */
static error
stop(struct pass *pass)
{
    TRY(drop_unit(pass));
    TRY(member_bring_down(pass));
    pass->report->restore.state = RESTORE_STOPPED;
    return OK;
}

/* ---- BUILD ---- */
static bool
is_first(const struct pass *pass)
{
    return id_eq(pass->self.cluster->restore.first, pass->self.member->id);
}

/* Nothing has been started since the first note: what is there under its old name is what the member had. */
static error
move_aside(struct pass *pass, struct note *note)
{
    str before = before_name(pass);
    TRY(member_bring_down(pass));
    if (note->step == STEP_NONE) {
        note->had_data = is_there(pass, "data");
        TRY(write_note(pass, note, STEP_MOVING));
    }
    failpoint("agent:restore:move:before");
    if (note->had_data && !is_there(pass, before.data))
        TRY(rename_folder(pass, "data", before.data));
    failpoint("agent:restore:move:after");
    return write_note(pass, note, STEP_MOVED);
}

static error
bring_data_back(struct pass *pass, struct note *note)
{
    struct engine_restored restored;
    bool ignored = false;
    TRY(member_make_ready(pass, &ignored));
    TRY(pass->host->engine->write_restore(&pass->self, pass->host->agent));
    pass->host->engine->read_restore(&pass->self, &restored);
    pass->report->restore.problem = restored.problem;
    pass->report->running = STR("restoring");
    if (restored.has_failed) {
        pass->report->restore.state = RESTORE_FAILED;
        return drop_unit(pass);
    }
    if (!restored.is_done)
        return keep_unit(pass);
    TRY(drop_unit(pass));
    failpoint("agent:restore:data:before");
    pass->memory->progress = (struct engine_progress){ 0 };
    return write_note(pass, note, STEP_DATA);
}

/* Not before the users are those of the goal: with the data came those of the time that was restored. */
static error
open_doors(struct pass *pass, struct note *note)
{
    const struct engine_progress *progress = &pass->memory->progress;
    if (note->step == STEP_DATA && pass->report->role == REPORT_PRIMARY && progress->users_generation > 0 &&
        progress->users_generation == pass->self.cluster->access_generation)
        TRY(write_note(pass, note, STEP_OPEN));
    else if (note->step == STEP_OPEN && pass->report->role == REPORT_PRIMARY && !progress->access_is_new &&
             progress->access_generation == pass->self.cluster->access_generation)
        TRY(write_note(pass, note, STEP_RESTORED));
    return OK;
}

/* A replica asks with its own certificate, which one on a host that is new to the cluster does not have yet. */
static error
wait_for_leader(struct pass *pass, bool *ret_waits)
{
    const struct goal_peers *peers = &pass->self.cluster->peers;
    bool is_led = false, ignored = false;
    TRY(member_make_ready(pass, &ignored));
    for (size_t i = 0; i < peers->count && !is_led; i++)
        is_led = pass->host->engine->leads(&pass->self, peers->items[i].member);
    *ret_waits = !is_led;
    if (is_led)
        return OK;
    TRY(member_bring_down(pass));
    pass->report->running = STR("waiting for a primary");
    return OK;
}

/* Before anything of its own is put aside: where there is no room for two sets of disks, what it has is not touched. */
static bool
has_room(struct pass *pass)
{
    const struct volume_wish wish = member_volume_wish(pass);
    error why = volume_image_is_known(pass->self.arena, wish.member) ? volume_check_room(pass->self.arena, &wish) : OK;
    if (why == OK)
        return true;
    pass->report->restore.state = RESTORE_FAILED;
    pass->report->restore.problem = why->detail;
    return false;
}

static error
build(struct pass *pass)
{
    struct note note = read_note(pass);
    bool is_replica = !is_first(pass), waits = false;
    pass->report->restore.state = RESTORE_RESTORING;
    if (note.step == STEP_NONE && !has_room(pass))
        return OK;
    if (note.step < STEP_MOVED || note.step == STEP_UNDONE)
        TRY(move_aside(pass, &note));
    if (!is_replica && note.step == STEP_MOVED)
        TRY(bring_data_back(pass, &note));
    if (!is_replica && note.step == STEP_MOVED)
        return OK;
    TRY(units_state(pass->host->units, pass->self.arena, pass->unit.data, &pass->report->unit));
    if (is_replica && note.step == STEP_MOVED && !unit_is_up(pass->report->unit))
        TRY(wait_for_leader(pass, &waits));
    if (waits)
        return OK;
    /* A replica follows whatever the first one is, and lets people in with the others when the restore is done. */
    pass->self.is_closed = is_replica || note.step < STEP_OPEN;
    error why = member_bring_up(pass);
    if (is_replica && note.step == STEP_MOVED &&
        (pass->report->role == REPORT_REPLICA || pass->report->role == REPORT_SYNC_STANDBY))
        TRY(write_note(pass, &note, STEP_RESTORED));
    if (!is_replica)
        TRY(open_doors(pass, &note));
    if (note.step == STEP_RESTORED)
        pass->report->restore.state = RESTORE_RESTORED;
    return why;
}

/* ---- UNDO ---- */
static error
put_back(struct pass *pass, struct note *note)
{
    str before = before_name(pass), undone = undone_name(pass);
    TRY(drop_unit(pass));
    TRY(member_bring_down(pass));
    failpoint("agent:restore:undo:before");
    if (is_there(pass, before.data)) {
        if (is_there(pass, "data") && !is_there(pass, undone.data))
            TRY(rename_folder(pass, "data", undone.data));
        TRY(remove_folder(pass, "data"));
        failpoint("agent:restore:undo:half");
        TRY(rename_folder(pass, before.data, "data"));
    } else if (!note->had_data && note->step >= STEP_MOVED) {
        TRY(remove_folder(pass, "data"));
    }
    failpoint("agent:restore:undo:after");
    TRY(remove_folder(pass, undone.data));
    TRY(pass->host->engine->drop_restore(&pass->self));
    return write_note(pass, note, STEP_UNDONE);
}

static error
undo(struct pass *pass)
{
    struct note note = read_note(pass);
    TRY(units_state(pass->host->units, pass->self.arena, pass->unit.data, &pass->report->unit));
    pass->report->restore.state = RESTORE_RESTORING;
    if (note.step != STEP_NONE && note.step != STEP_UNDONE)
        TRY(put_back(pass, &note));
    pass->report->restore.state = RESTORE_UNDONE;
    /* One that had nothing has nothing to be started with, and must not begin an empty cluster. */
    if (note.step == STEP_UNDONE && !note.had_data)
        return member_bring_down(pass);
    /* Nobody remembers who led: one that is behind must not be the first to begin. */
    if (!is_first(pass) && !unit_is_up(pass->report->unit) &&
        !pass->host->engine->leads(&pass->self, pass->self.cluster->restore.first)) {
        pass->report->restore.state = RESTORE_RESTORING;
        return member_bring_down(pass);
    }
    return member_bring_up(pass);
}

/* ---- CLEAN ---- */
/* Of earlier restores, too, that came to nothing. */
static bool
remove_one_before(void *context, const char *entry)
{
    struct pass *pass = context;
    bool is_ours =
        str_starts_with(str_from(entry), STR("data.before-")) || str_starts_with(str_from(entry), STR("data.undone-"));
    return !is_ours || remove_folder(pass, entry) == OK;
}

static error
remove_all_before(struct pass *pass)
{
    const char *folder = place(pass).data;
    if (disk_below_each(folder, "", remove_one_before, pass) || !disk_exists(folder))
        return OK;
    return problem(pass->self.arena, "What was in %s before cannot be removed: %s.", folder, strerror(errno));
}

static error
clean(struct pass *pass)
{
    struct note note = read_note(pass);
    if (is_first(pass) && note.step >= STEP_MOVING && note.step < STEP_DATA)
        return problem(pass->self.arena, "What it had before stays, because nothing was restored in its place.");
    if (note.step == STEP_UNDONE && !note.had_data) {
        pass->report->restore.state = RESTORE_CLEANED;
        return member_bring_down(pass);
    }
    if (note.step != STEP_NONE) {
        failpoint("agent:restore:clean:before");
        TRY(remove_all_before(pass));
        TRY(pass->host->engine->drop_restore(&pass->self));
        failpoint("agent:restore:clean:after");
        TRY(member_restore_drop(pass));
    }
    pass->report->restore.state = RESTORE_CLEANED;
    return member_bring_up(pass);
}

/* ---- ---- */
/* The goal says nothing of a restore any more. What it had before stays if nobody said that it may go. */
static error
leave_behind(struct pass *pass)
{
    if (disk_exists(note_path(pass).data)) {
        TRY(pass->host->engine->drop_restore(&pass->self));
        TRY(member_restore_drop(pass));
    }
    return member_bring_up(pass);
}

static error (*const phases[])(struct pass *) = {
    [RESTORE_STOP] = stop,
    [RESTORE_BUILD] = build,
    [RESTORE_UNDO] = undo,
    [RESTORE_CLEAN] = clean,
};

error
member_restore_way(struct pass *pass)
{
    const struct goal_restore *restore = &pass->self.cluster->restore;
    struct engine_restored restored;
    if (!id_is_there(restore->id))
        return leave_behind(pass);
    pass->host->engine->read_restore(&pass->self, &restored);
    pass->report->restore = (struct report_restore){ .id = restore->id,
                                                     .state = RESTORE_RESTORING,
                                                     .phase = restore->phase,
                                                     .problem = STR_EMPTY,
                                                     .done_bytes = restored.done_bytes,
                                                     .total_bytes = restored.total_bytes,
                                                     .reached_lsn = restored.reached_lsn,
                                                     .reached_at = restored.reached_at };
    return phases[restore->phase](pass);
}
