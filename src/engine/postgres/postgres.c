/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/postgres.h"

static error
write_files(struct engine_member *self, struct engine_progress *progress, bool *ret_changed)
{
    TRY(hba_write(self, &progress->access_is_new));
    return config_write(self, ret_changed);
}

static str
command(struct engine_member *self)
{
    return str_format(self->arena, "/usr/bin/patroni %s", member_path(self, "patroni.yml").data);
}

const struct engine engine_postgres = {
    .name = "postgres",
    .look_at_host = postgres_look_at_host,
    .write_files = write_files,
    .command = command,
    .observe = patroni_observe,
    .settle = postgres_settle,
    .make_way = postgres_make_way,
    .run_task = postgres_run_task,
};
