/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's part of expiry_test.py: one seat, looked after as an agent would at this moment, by the agent's own code. What is due, what is ordered and what may go
 * is decided by agent/seat/seat_jobs.c from the goal and from what the last order came to. There is no systemd: "starting" the seat's unit runs a command, and waits
 * for it. Prints the seat of a report.
 *
 *     seat_step GOAL.json SEAT_FOLDER COMMAND
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "agent/seat/seat_jobs.h"
#include "base/disk.h"
#include "no_systemd.h"

enum { ARENA_BYTES = 512 * 1024 * 1024, GOAL_BYTES = 16 * 1024 * 1024, MOST_ORDERS = 20 };

static const char *command;

/* What "starting" the seat's unit does. It was started; what came of it is seen later. */
error
no_systemd_start(void)
{
    int status = system(command); // NOLINT(cert-env33-c): of whoever runs the test
    return status == -1 ? WOULD_BLOCK : OK;
}

/* ---- A pass ---- */
static error
step(struct seat_pass *pass, struct report_seat *report, bool *ret_is_busy)
{
    struct seat_jobs *jobs;
    struct report_copy *copies;
    TRY(seat_jobs_read(pass, &jobs));
    struct seat_view view = seat_view_read(pass);
    TRY(seat_jobs_go_on(pass, jobs, &view, ret_is_busy));
    seat_view_report(pass, &view, seat_jobs_count(jobs), report, &copies);
    if (copies == NULL)
        return fail(pass->arena, OVERLOADED);
    seat_jobs_report(pass, jobs, copies, &report->copy_count);
    return OK;
}

/* Until nothing is left to do at this moment. */
static error
steps(struct seat_pass *pass, struct report_seat *report)
{
    bool is_busy = true;
    for (int i = 0; i < MOST_ORDERS && is_busy; i++) {
        is_busy = false;
        *report = seat_view_unseen(pass->seat->id, STR("active"));
        TRY(step(pass, report, &is_busy));
    }
    return is_busy ? problem(pass->arena, "It is busy for ever: %.*s", STR_ARG(report->problem)) : OK;
}

static error
run(struct arena *arena, const char *goal_path, const char *folder)
{
    struct goal goal;
    struct report_seat report;
    struct seat_memory memory = { 0 };
    struct member_host host = { .pgbackrest_version = STR("2.55") };
    struct stat owner;
    str text;
    if (!disk_read(arena, goal_path, GOAL_BYTES, &text) ||
        stat(str_format(arena, "%s/state", folder).data, &owner) != 0)
        return problem(arena, "%s or %s/state cannot be read.", goal_path, folder);
    TRY(goal_parse(arena, text, &goal));
    if (goal.seats.count != 1)
        return problem(arena, "The goal has %zu seats.", goal.seats.count);
    struct seat_pass pass = { .arena = arena,
                              .host = &host,
                              .goal = &goal,
                              .seat = &goal.seats.items[0],
                              .folder = str_from(folder),
                              .user = STR_EMPTY,
                              .owner = { owner.st_uid, owner.st_gid },
                              .files = { 0, owner.st_gid },
                              .wal_unit = seat_wal_unit(arena, goal.seats.items[0].id),
                              .backup_unit = seat_backup_unit(arena, goal.seats.items[0].id),
                              .has_room = true,
                              .memory = &memory };
    TRY(steps(&pass, &report));
    printf("%s\n", report_seat_text(arena, &report).data);
    return OK;
}

int
main(int argc, char **argv)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    if (argc != 4 || arena == NULL)
        return 2;
    command = argv[3];
    error why = run(arena, argv[1], argv[2]);
    if (why != OK)
        fprintf(stderr, "seat_step: %.*s\n", STR_ARG(why->detail));
    arena_free(arena);
    return why == OK ? 0 : 1;
}
