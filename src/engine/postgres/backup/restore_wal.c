/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/restore_wal.h"

#include <errno.h>

#include "base/clock.h"
#include "base/disk.h"
#include "base/json.h"
#include "base/log.h"
#include "engine/postgres/backup/restore_order.h"
#include "engine/program.h"
#include "wire/plain_name.h"

enum { FOUND = 0, THERE_IS_NONE = 1, NOT_NOW = 200, TRIES = 5, AGAIN_MS = 2000, SEGMENT_BYTES = 64 * 1024 * 1024 };

static const struct disk_owner whoever = { (uid_t)-1, (gid_t)-1 };

struct wish {
    struct arena *arena;
    const char *folder, *name, *into;
    str stanza;
};

static void
complain(struct wish *wish, str why)
{
    str path = str_format(wish->arena, "%s/" RESTORE_WAL_PROBLEM, wish->folder);
    log_line(LOG_WARNING, "restore_wal", "%s: %.*s", wish->name, STR_ARG(why));
    bool ignored = disk_replace(path.data, why, 0600, whoever);
    (void)ignored;
}

/* pgBackRest says with 1 that there is none, and with anything else that it could not look. PostgreSQL would take both for the end. */
static int
ask_repository(struct wish *wish)
{
    str config = str_format(wish->arena, "--config=%s/" RESTORE_CONFIG, wish->folder);
    str stanza = str_format(wish->arena, "--stanza=%s", wish->stanza.data), said = STR_EMPTY;
    const char *const argv[] = {
        "/usr/bin/pgbackrest", config.data, stanza.data, "archive-get", wish->name, wish->into, NULL
    };
    int status = NOT_NOW;
    error why = program_try(wish->arena, argv, SEGMENT_BYTES, &status, &said);
    if (why == OK && (status == FOUND || status == THERE_IS_NONE))
        return status;
    complain(wish, why != OK ? why->detail : program_complaint(wish->arena, said));
    return NOT_NOW;
}

/* What was received and not stored yet; a gate without has nothing there. */
static int
ask_last(struct wish *wish)
{
    str config = str_format(wish->arena, "--config=%s/" RESTORE_LAST_CONFIG, wish->folder);
    str stanza = str_format(wish->arena, "--stanza=%s", wish->stanza.data), said = STR_EMPTY;
    const char *const argv[] = { "/usr/bin/pgbackrest",
                                 config.data,
                                 stanza.data,
                                 "--log-level-console=off",
                                 "--ignore-missing",
                                 "--raw",
                                 "repo-get",
                                 wish->name,
                                 NULL };
    int status = NOT_NOW;
    error why = program_try(wish->arena, argv, SEGMENT_BYTES, &status, &said);
    if (why == OK && status == THERE_IS_NONE)
        return THERE_IS_NONE;
    if (why == OK && status == FOUND && disk_replace(wish->into, said, 0600, whoever))
        return FOUND;
    complain(wish, why != OK ? why->detail
                             : str_format(wish->arena, "What was received last could not be read (%d, %s).", status,
                                          strerror(errno)));
    return NOT_NOW;
}

int
restore_wal(struct arena *arena, str folder, const char *name, const char *into)
{
    struct wish wish = { .arena = arena, .folder = folder.data, .name = name, .into = into };
    str path = str_format(arena, "%s/" RESTORE_ORDER_FILE, folder.data), text;
    if (!plain_name(str_from(name)) || !disk_read(arena, path.data, SEGMENT_BYTES, &text))
        return NOT_NOW;
    wish.stanza = json_str(json_object_get(json_parse_own(arena, text), "stanza"));
    int status = NOT_NOW;
    for (int i = 0; i < TRIES && status == NOT_NOW; i++) {
        if (i > 0)
            clock_sleep_ms(AGAIN_MS);
        status = ask_repository(&wish);
        if (status == THERE_IS_NONE)
            status = ask_last(&wish);
    }
    return status;
}
