/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/postgres.h"

#include "engine/postgres/backup/member_side.h"
#include "engine/postgres/backup/restore_order.h"

static error
write_files(struct engine_member *self, struct engine_progress *progress, bool *ret_changed)
{
    TRY(hba_write(self, &progress->access_is_new));
    TRY(start_write(self));
    TRY(backup_write_files(self, &progress->backup_is_new));
    return config_write(self, ret_changed);
}

const struct engine engine_postgres = {
    .name = "postgres",
    .look_at_host = postgres_look_at_host,
    .write_files = write_files,
    .command = start_command,
    .backup_command = backup_command,
    .observe = patroni_observe,
    .leads = patroni_leads,
    .write_restore = restore_write_order,
    .read_restore = restore_read_result,
    .drop_restore = restore_drop_files,
    .settle = postgres_settle,
    .make_way = postgres_make_way,
    .run_task = postgres_run_task,
};
