/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/postgres.h"

#include "engine/postgres/advisor/advice.h"
#include "engine/postgres/advisor/load.h"
#include "engine/postgres/backup/member_side.h"
#include "engine/postgres/backup/restore_order.h"
#include "engine/postgres/monitor/monitor.h"
#include "engine/postgres/pooler/pooler.h"

static error
write_files(struct engine_member *self, struct engine_progress *progress, bool *ret_changed)
{
    TRY(hba_write(self, &progress->access_is_new));
    TRY(start_write(self));
    TRY(backup_write_files(self, &progress->backup_is_new));
    TRY(pooler_write_files(self, &progress->pooler_is_new));
    return config_write(self, ret_changed);
}

static error
look_at_load(struct engine_member *self, struct engine_load *load, bool with_advice, str *ret_document)
{
    json_t *document;
    TRY(load_look(self, load, &document));
    if (with_advice)
        TRY(advice_add(self, document));
    *ret_document = json_text(self->arena, document);
    return ret_document->len == 0 ? fail(self->arena, OVERLOADED) : OK;
}

const struct engine engine_postgres = {
    .name = "postgres",
    .look_at_host = postgres_look_at_host,
    .programs_mark = postgres_programs_mark,
    .installed_versions = postgres_installed_versions,
    .write_files = write_files,
    .command = start_command,
    .backup_command = backup_command,
    .pooler_command = pooler_command,
    .pooler_prepare = pooler_make_role,
    .pooler_follow = pooler_follow,
    .observe = patroni_observe,
    .leads = patroni_leads,
    .write_restore = restore_write_order,
    .read_restore = restore_read_result,
    .drop_restore = restore_drop_files,
    .settle = postgres_settle,
    .make_way = postgres_make_way,
    .monitor_new = postgres_monitor_new,
    .monitor_free = postgres_monitor_free,
    .measure = postgres_measure,
    .first_process = postgres_first_process,
    .look_at_load = look_at_load,
    .run_task = postgres_run_task,
};
