/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "agent/certificates.h"
#include "agent/download/seat_download.h"
#include "agent/own/own_drill.h"
#include "agent/seat/seat_drill.h"
#include "agent/seat/seat_export.h"
#include "agent/seat/seat_files.h"
#include "agent/seat/seat_jobs.h"
#include "agent/seat/seat_store.h"
#include "agent/seat/seat_verify.h"
#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "agent/wall.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "wire/pgbackrest.h"

enum { WALL_AGAIN_MS = 30 * 1000, SPARE_MB = 512, RECEIVER_MEMORY_MB = 256, BACKUP_MEMORY_MB = 1024 };

bool
seat_is_own(const struct goal_seat *seat)
{
    return seat->own.connection.len > 0;
}

str
seat_wal_unit(struct arena *arena, id seat)
{
    return str_format(arena, "reeve-wal-%s.service", id_text(arena, seat).data);
}

str
seat_backup_unit(struct arena *arena, id seat)
{
    return str_format(arena, "reeve-backup-%s.service", id_text(arena, seat).data);
}

/* ---- RUNNING and FROZEN ---- */
static error
take_user(struct seat_pass *pass)
{
    uid_t user;
    TRY(users_take(pass->host->users, pass->arena, pass->seat->id, &user));
    TRY(users_make_account(pass->arena, user));
    pass->user = users_name(pass->arena, user);
    pass->owner = (struct disk_owner){ user, (gid_t)user };
    pass->files = (struct disk_owner){ 0, (gid_t)user };
    return OK;
}

static error
keep_units(struct seat_pass *pass, bool is_received, bool *ret_changed)
{
    struct arena *arena = pass->arena;
    const char *agent = pass->host->agent.data, *folder = pass->folder.data, *stanza = pass->seat->stanza.data;
    str store_lines = seat_store_lines(arena, pass->seat, pass->folder);
    bool ignored = false;
    const struct unit_beside receiver = { .description = str_format(arena, "receiver of WAL for %s", stanza),
                                          .user = pass->user,
                                          .folder = pass->folder,
                                          .command = str_format(arena, "%s receive --folder %s", agent, folder),
                                          .is_kept_up = true,
                                          .memory_mb = RECEIVER_MEMORY_MB,
                                          .more = store_lines };
    const struct unit_beside keeper = { .description = str_format(arena, "backups of %s", stanza),
                                        .user = pass->user,
                                        .folder = pass->folder,
                                        .command = str_format(arena, "%s keep --folder %s", agent, folder),
                                        .memory_mb = BACKUP_MEMORY_MB,
                                        .more = str_format(arena, UNIT_GIVES_WAY "%s", store_lines.data) };
    /* One with keys of a store does not start with the host, but when the wall around it stands. */
    bool starts_with_host = is_received && pass->seat->store.endpoint.len == 0;
    TRY(unit_keep(pass->host->units, arena, pass->wal_unit.data, unit_text_beside(arena, &receiver), starts_with_host,
                  ret_changed));
    return unit_keep(pass->host->units, arena, pass->backup_unit.data, unit_text_beside(arena, &keeper), false,
                     &ignored);
}

/* Now and then again: somebody may have loaded other rules. */
static error
keep_wall(struct seat_pass *pass)
{
    int64_t now = clock_steady_ms();
    if (pass->memory->wall_put_ms > 0 && now - pass->memory->wall_put_ms < WALL_AGAIN_MS)
        return OK;
    TRY(wall_put_rules(pass->arena));
    pass->memory->wall_put_ms = now;
    return OK;
}

/* Said before everything stops: what fills the last of the disk cannot say anything any more. */
static error
check_room(struct seat_pass *pass)
{
    struct statvfs status;
    if (statvfs(pass->folder.data, &status) != 0)
        return OK;
    int64_t left_mb = (int64_t)(status.f_bavail * (status.f_frsize / 1024) / 1024);
    pass->has_room = left_mb >= SPARE_MB;
    if (pass->has_room)
        return OK;
    return problem(
        pass->arena,
        "The disk of the repository host is full: %lld MB are left. No backup is begun below %d MB; members keep the WAL "
        "that cannot be received.",
        (long long)left_mb, SPARE_MB);
}

static error
keep_receiver(struct seat_pass *pass, bool changed, str *ret_state)
{
    if (pass->seat->desired != SEAT_RUNNING) {
        TRY(unit_keep_down(pass->host->units, pass->arena, pass->wal_unit.data));
        return units_state(pass->host->units, pass->arena, pass->wal_unit.data, ret_state);
    }
    TRY(units_state(pass->host->units, pass->arena, pass->wal_unit.data, ret_state));
    if (changed && unit_is_up(*ret_state))
        TRY(units_restart(pass->host->units, pass->arena, pass->wal_unit.data));
    return unit_keep_up(pass->host->units, pass->arena, pass->wal_unit.data, ret_state);
}

static error
keep_going(struct seat_pass *pass, struct report_seat *report, bool *ret_is_busy)
{
    bool changed = false, certificate_changed = false;
    struct seat_jobs *jobs;
    struct report_copy *copies;
    if (!pgbackrest_is_new_enough(pass->host->pgbackrest_version))
        return problem(pass->arena, "This host has no pgBackRest " PGBACKREST_LEAST " or newer.");
    TRY(take_user(pass));
    TRY(seat_folders(pass));
    if (pass->seat->desired == SEAT_RUNNING &&
        !seat_is_own(pass->seat)) /* the cluster may be gone, and who would sign with it */
        TRY(certificates_of_seat(pass->caller, pass->arena, pass->host->state, pass->seat->id, pass->folder,
                                 pass->files, &certificate_changed));
    TRY(seat_files(pass, &changed));
    TRY(seat_store_keep(pass));
    TRY(keep_units(pass, pass->seat->desired == SEAT_RUNNING, &changed));
    error wall = keep_wall(pass);
    TRY(keep_receiver(pass, changed, &report->unit));
    error room = check_room(pass);
    TRY(seat_jobs_read(pass, &jobs));
    struct seat_view view = seat_view_read(pass);
    error verify = seat_verify_go_on(pass, &view);
    error work = seat_jobs_go_on(pass, jobs, &view, ret_is_busy);
    seat_view_report(pass, &view, seat_jobs_count(jobs), report, &copies);
    if (copies != NULL)
        seat_jobs_report(pass, jobs, copies, &report->copy_count);
    error drill = seat_drill_go_on(pass, &view, report, ret_is_busy);
    error export_job = seat_export_go_on(pass, &view, report, ret_is_busy);
    error download = seat_download_go_on(pass, &view, report, ret_is_busy);
    const error all[] = { room, work, drill, export_job, download, verify, wall };
    for (size_t i = 0; i < LENGTH(all); i++)
        TRY(all[i]); /* the first is told */
    return OK;
}

/* ---- REMOVED ---- */
/* In an order that can be begun again at any place: what is in a bucket first, the user last. */
static error
remove_all(struct seat_pass *pass, struct report_seat *report, bool *ret_is_busy)
{
    struct arena *arena = pass->arena;
    struct seat_jobs *jobs;
    bool is_empty = true;
    uid_t user;
    if (users_find(pass->host->users, pass->seat->id, &user) && disk_exists(pass->folder.data)) {
        TRY(take_user(pass));
        TRY(seat_drill_end(pass));
        TRY(seat_export_end(pass));
        TRY(seat_download_end(pass));
        TRY(seat_verify_end(pass));
        seat_jobs_end(pass);
        TRY(seat_jobs_read(pass, &jobs));
        TRY(seat_jobs_check_unprotected(pass, jobs));
        TRY(unit_keep_down(pass->host->units, arena, pass->wal_unit.data));
        if (pass->seat->store.endpoint.len > 0) {
            bool ignored = false;
            TRY(seat_store_keep(pass));
            TRY(seat_files(pass, &ignored)); /* the store's keys may have changed since */
            TRY(keep_units(pass, false, &ignored));
            struct seat_view view = seat_view_read(pass);
            TRY(seat_jobs_empty(pass, jobs, &view, &is_empty));
        }
    }
    *ret_is_busy = !is_empty;
    report->unit = STR("inactive");
    if (!is_empty)
        return OK;
    if (pass->user.len > 0)
        TRY(seat_store_end(pass));
    failpoint("agent:seat:remove:before");
    TRY(unit_drop(pass->host->units, arena, pass->wal_unit.data));
    TRY(unit_drop(pass->host->units, arena, pass->backup_unit.data));
    failpoint("agent:seat:remove-folder:before");
    if (!disk_remove_tree(pass->folder.data))
        return problem(arena, "%s cannot be removed: %s.", pass->folder.data, strerror(errno));
    TRY(users_release(pass->host->users, arena, pass->seat->id));
    report->unit = STR("absent");
    return OK;
}

bool
seat_pass(const struct member_host *host, struct arena *arena, struct caller *caller, const struct goal *goal,
          const struct goal_seat *seat, struct seat_memory *memory, struct report_seat *ret_report)
{
    struct seat_pass pass = {
        .arena = arena,
        .caller = caller,
        .host = host,
        .goal = goal,
        .seat = seat,
        .folder = str_format(arena, SEATS_FOLDER "/%s", id_text(arena, seat->id).data),
        .user = STR_EMPTY,
        .wal_unit = seat_wal_unit(arena, seat->id),
        .backup_unit = seat_backup_unit(arena, seat->id),
        .has_room = true,
        .memory = memory,
    };
    struct goal_seat own = *seat;
    if (seat_is_own(seat)) {
        own.drill = own_drill(arena, seat, clock_now_ms());
        pass.seat = &own;
    }
    bool is_busy = false;
    *ret_report = seat_view_unseen(seat->id, STR("unknown"));
    error why = seat->desired == SEAT_REMOVED ? remove_all(&pass, ret_report, &is_busy)
                                              : keep_going(&pass, ret_report, &is_busy);
    if (why == OK && arena_is_exhausted(arena))
        why = fail(arena, OVERLOADED);
    if (why != OK)
        ret_report->problem = why->detail;
    return why == OK && !is_busy;
}
