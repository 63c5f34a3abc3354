/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeved rehearse`: a control plane that is started from a restored database, for as long as it takes to ask it everything. It serves nobody: no job is run,
 * no host is told a goal, no mail is sent. Operations of the operators' API are answered in this process, by the same stages as for operators.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "main/fleet_command.h"
#include "store/event/event.h"
#include "store/migrate.h"

#define USAGE "rehearse [--config FILE]"

/* What operators would look at first. Everything in them is read from the database. */
static const char *const questions[] = { "/organizations", "/hosts",  "/jobs",      "/providers",  "/regions",
                                         "/sizes",         "/limits", "/operators", "/etcdGroups", "/ownBackups" };

struct rehearsal {
    struct fleet_place place;
    struct buf said;
    bool is_told; /* what is wrong was printed */
};

/* In a sentence of its own, and once. */
static PRINTF_LIKE(2, 3) error wrong(struct rehearsal *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!at->is_told)
        vprintf(format, args);
    va_end(args);
    at->is_told = true;
    return fail(at->place.arena, INTERNAL_ERROR);
}

static error
check_schema(struct rehearsal *at)
{
    struct migration_status status;
    TRY(store_migration_status(at->place.config->database, at->place.arena, &status));
    if (status.applied == status.known && status.unchanged)
        return OK;
    return wrong(
        at,
        "The schema is at version %d, and reeved on this host knows %d: install the version of the control plane "
        "here.\n",
        status.applied, status.known);
}

static error
ask(struct rehearsal *at, const char *path)
{
    json_t *answer = NULL;
    TRY(fleet_call(&at->place, "GET", str_from(path), NULL, &answer));
    const json_t *count = json_object_get(answer, "totalCount");
    if (!json_is_integer(count) || !json_is_array(json_object_get(answer, "results")))
        return wrong(at, "GET %s: there is no list in the answer.\n", path);
    buf_format(&at->said, "%s%" JSON_INTEGER_FORMAT " %s", at->said.len == 0 ? "" : ", ", json_integer_value(count),
               path + 1);
    return OK;
}

/* ---- The chain of events ---- */
static void
note_problem(void *context, str sentence)
{
    error ignored = wrong(context, "%.*s\n", STR_ARG(sentence));
    (void)ignored;
}

static void
say_nothing(void *context, int64_t events)
{
    (void)context;
    (void)events;
}

static error
verify_events(struct rehearsal *at)
{
    int64_t events = 0, organizations = 0;
    struct audit_listener listener = { note_problem, say_nothing, at };
    TRY(store_audit_verify(at->place.config->database, at->place.arena, &listener, &events, &organizations));
    buf_format(&at->said, ", %" PRId64 " events whose chain is whole", events);
    return at->is_told ? fail(at->place.arena, INTERNAL_ERROR) : OK;
}

static error
rehearse(struct rehearsal *at)
{
    TRY(check_schema(at));
    for (size_t i = 0; i < LENGTH(questions); i++)
        TRY(ask(at, questions[i]));
    return verify_events(at);
}

static void
rehearsal_close(struct rehearsal *at)
{
    fleet_place_close(&at->place);
}

int
command_rehearse(int argc, char **argv)
{
    enum { SAID_BYTES = 4096 };
    struct option_value options[] = {
        { "--config", "The configuration file; its database is one that nobody else uses.", .value = DEFAULT_CONFIG }
    };
    struct rehearsal at CLEANUP(rehearsal_close) = { .is_told = false };
    int status;
    if (!read_options(argc, argv, USAGE, options, LENGTH(options), NULL, &status))
        return status;
    if (!fleet_place_open(&at.place, options[0].value))
        return 1;
    at.said = buf_in(at.place.arena, SAID_BYTES);
    error problem = rehearse(&at);
    if (at.is_told)
        return 1;
    if (problem != OK)
        return report_failure("rehearse", problem);
    printf("It answers: %s.\n", buf_str(&at.said).data);
    return 0;
}
