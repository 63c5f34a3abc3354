/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/member_backup.h"

#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "wire/pgbackrest.h"

enum { MEMORY_MB = 512 };

str
member_backup_unit(struct arena *arena, id member)
{
    return str_format(arena, "reeve-member-%s-backup.service", id_text(arena, member).data);
}

error
member_backup_drop(const struct member_host *host, struct engine_member *self)
{
    return unit_drop(host->units, self->arena, member_backup_unit(self->arena, self->member->id).data);
}

error
member_backup_keep(const struct member_host *host, struct engine_member *self, struct engine_progress *progress)
{
    struct arena *arena = self->arena;
    str unit = member_backup_unit(arena, self->member->id), command = host->engine->backup_command(self), state;
    bool changed = false;
    if (command.len == 0 || self->is_shared)
        return member_backup_drop(host, self);
    if (!pgbackrest_is_new_enough(host->pgbackrest_version))
        return problem(arena, "It cannot be backed up: this host has no pgBackRest " PGBACKREST_LEAST " or newer.");
    const struct unit_beside wish = {
        .description = str_format(arena, "member %s of %s, read by its repository hosts", self->member->name.data,
                                  self->cluster->scope.data),
        .user = self->user,
        .folder = self->folder,
        .command = command,
        .is_kept_up = true,
        .memory_mb = MEMORY_MB,
        .more = STR(UNIT_GIVES_WAY),
    };
    TRY(unit_keep(host->units, arena, unit.data, unit_text_beside(arena, &wish), true, &changed));
    TRY(unit_keep_up(host->units, arena, unit.data, &state));
    if (progress->backup_is_new && str_is(state, "active"))
        TRY(units_reload(host->units, arena, unit.data)); /* backups that are under way go on */
    progress->backup_is_new = false;
    return OK;
}
