/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/member_pooler.h"

#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "base/disk.h"
#include "base/failpoint.h"
#include "engine/postgres/pooler/pooler.h"

enum { MEMORY_MB = 512 };

/*
 * It sees its own files and the folder of sockets: neither the data nor the member's other keys. It ends at once, and not when its
 * last client has left: beside a replica nobody is to be served. It is not begun by systemd: whether there is a primary the agent says.
 */
#define PLACES "BindReadOnlyPaths=%s/" POOLER_FOLDER "\nBindPaths=%s/run\n"
#define MORE               \
    "KillSignal=SIGQUIT\n" \
    "MemorySwapMax=0\n"    \
    "LimitCORE=0\n"        \
    "LimitNOFILE=32768\n"  \
    "CPUWeight=100\n"      \
    "IOWeight=100\n"

str
member_pooler_unit(struct arena *arena, id member)
{
    return str_format(arena, "reeve-member-%s-pooler.service", id_text(arena, member).data);
}

error
member_pooler_drop(const struct member_host *host, struct engine_member *self)
{
    return unit_drop(host->units, self->arena, member_pooler_unit(self->arena, self->member->id).data);
}

static error
keep_file(const struct member_host *host, struct engine_member *self, str unit, str command, bool *ret_changed)
{
    struct arena *arena = self->arena;
    const struct unit_beside wish = {
        .description =
            str_format(arena, "pooler of member %s of %s", self->member->name.data, self->cluster->scope.data),
        .user = self->user,
        .folder = self->folder,
        .command = command,
        .is_kept_up = true,
        .memory_mb = MEMORY_MB,
        .places = str_format(arena, PLACES, self->folder.data, self->folder.data),
        .more = STR(MORE),
    };
    return unit_keep(host->units, arena, unit.data, unit_text_beside(arena, &wish), false, ret_changed);
}

/* Clients are looked at whenever the server has other users or networks: never before, or they could come in again. */
static error
serve(const struct member_host *host, struct engine_member *self, struct engine_progress *progress, str unit)
{
    str state;
    if (progress->pooler_is_new)
        TRY(host->engine->pooler_prepare(self));
    TRY(unit_keep_up(host->units, self->arena, unit.data, &state));
    if (!str_is(state, "active") ||
        (!progress->pooler_is_new && progress->pooler_access == progress->access_generation))
        return OK;
    int64_t access = progress->access_generation;
    failpoint("agent:pooler:follow:before");
    error why = host->engine->pooler_follow(self);
    if (why != OK) { /* one that has files of another agent may not know this one: a signal it always hears */
        TRY(units_reload(host->units, self->arena, unit.data));
        return why;
    }
    failpoint("agent:pooler:follow:after");
    progress->pooler_is_new = false;
    progress->pooler_access = access;
    return OK;
}

static error
keep(const struct member_host *host, struct engine_member *self, struct engine_progress *progress,
     struct report_member *report, str command)
{
    str unit = member_pooler_unit(self->arena, self->member->id);
    bool changed = false, is_replica = report->role == REPORT_REPLICA || report->role == REPORT_SYNC_STANDBY;
    if (!disk_exists(POOLER_PROGRAM))
        return problem(self->arena, "It has no pooler: PgBouncer is not installed on this host.");
    TRY(keep_file(host, self, unit, command, &changed));
    if (is_replica || changed) {
        TRY(unit_keep_down(host->units, self->arena, unit.data));
        report->pooler = POOLER_WAITING;
    }
    if (is_replica)
        return OK;
    if (report->role == REPORT_PRIMARY) {
        TRY(serve(host, self, progress, unit));
        report->pooler = POOLER_SERVING;
        return OK;
    }
    /* Whoever does not say what it is stays as it was until it does: its clients have nobody else to go to. */
    str state;
    TRY(units_state(host->units, self->arena, unit.data, &state));
    report->pooler = unit_is_up(state) ? POOLER_SERVING : POOLER_WAITING;
    return OK;
}

error
member_pooler_keep(const struct member_host *host, struct engine_member *self, struct engine_progress *progress,
                   struct report_member *report)
{
    str command = host->engine->pooler_command(self);
    report->pooler = POOLER_OFF;
    if (command.len == 0)
        return member_pooler_drop(host, self);
    error why = keep(host, self, progress, report, command);
    if (why != OK)
        report->pooler = POOLER_FAILED;
    return why;
}
