/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/member_side.h"

#include <errno.h>

#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/net/net.h"
#include "engine/postgres/session.h"

#define SLOT_PREFIX "reeve_wal_"

enum { CONFIG_BYTES = 64 * 1024, LEAST_KEPT_MB = 256, KEPT_SHARE = 5 };

bool
backup_is_on(const struct engine_member *self)
{
    return self->cluster->backup.stanza.len > 0 && self->cluster->walls != WALLS_NONE;
}

/* ---- The server that data is read through ---- */
/*
 * It runs as the member, so it can do nothing that the member cannot. Whoever it lets in can read and write what the member
 * can: the seats of this cluster, by name and by the cluster's own authority.
 */
static str
config_text(struct engine_member *self)
{
    const struct goal_backup *backup = &self->cluster->backup;
    const char *folder = self->folder.data;
    struct buf out = buf_in(self->arena, CONFIG_BYTES);
    buf_format(&out,
               "# Written by reeve-agent, which overwrites whatever is changed here.\n"
               "[global]\n"
               "lock-path=%s/run/backup\n"
               "log-level-console=warn\n"
               "log-level-file=off\n"
               "log-level-stderr=off\n"
               "tls-server-address=%s\n"
               "tls-server-port=%d\n"
               "tls-server-ca-file=%s/" CLUSTER_AUTHORITY "\n"
               "tls-server-cert-file=%s/tls/cluster.crt\n"
               "tls-server-key-file=%s/tls/cluster.key\n",
               folder, self->member->address.data, BACKUP_PORT, folder, folder, folder);
    for (size_t i = 0; i < backup->seats.count; i++)
        buf_format(&out, "tls-server-auth=%s=%s\n", backup->seats.items[i].name.data, backup->stanza.data);
    buf_format(&out,
               "\n"
               "[%s]\n"
               "pg1-path=%s/data\n"
               "pg1-port=%d\n"
               "pg1-socket-path=%s/run\n"
               "pg1-user=" SUPERUSER "\n",
               backup->stanza.data, folder, (int)self->member->port, folder);
    return buf_str(&out);
}

error
backup_write_files(struct engine_member *self, bool *ret_changed)
{
    str text = backup_is_on(self) ? config_text(self) : STR_EMPTY;
    if (!backup_is_on(self))
        return disk_below_remove(self->folder.data, BACKUP_CONFIG) || errno == ENOENT
                   ? OK
                   : problem(self->arena, "%s cannot be removed: %s.", member_path(self, BACKUP_CONFIG).data,
                             strerror(errno));
    if (text.len == 0)
        return fail(self->arena, OVERLOADED);
    if (!disk_below_keep(self->arena, self->folder.data, BACKUP_CONFIG, text, 0640, self->files, ret_changed))
        return problem(self->arena, "%s cannot be written: %s.", member_path(self, BACKUP_CONFIG).data,
                       strerror(errno));
    return OK;
}

str
backup_command(struct engine_member *self)
{
    if (!backup_is_on(self))
        return STR_EMPTY;
    return str_format(self->arena, "/usr/bin/pgbackrest --config=%s server", member_path(self, BACKUP_CONFIG).data);
}

/* ---- Who may receive WAL ---- */
/* From the seats' hosts only, and only as themselves; the last line is for everybody else, a tenant's password included. */
void
backup_add_hba(struct engine_member *self, struct buf *out)
{
    const struct goal_backup_seats *seats = &self->cluster->backup.seats;
    if (!backup_is_on(self))
        return;
    for (size_t i = 0; i < seats->count; i++) {
        struct net_block block;
        if (!net_parse_block(seats->items[i].host_address, &block))
            continue;
        str from = net_block_text(self->arena, &block);
        buf_format(out, "hostssl replication " WAL_ROLE " %s cert map=reeve_seat\n", from.data);
        buf_format(out, "hostssl " SUPERUSER " " WAL_ROLE " %s cert map=reeve_seat\n", from.data);
    }
    buf_add_text(out, "host all " WAL_ROLE " all reject\n");
}

void
backup_add_ident(struct engine_member *self, struct buf *out)
{
    const struct goal_backup_seats *seats = &self->cluster->backup.seats;
    for (size_t i = 0; backup_is_on(self) && i < seats->count; i++)
        buf_format(out, "reeve_seat %s " WAL_ROLE "\n", seats->items[i].name.data);
}

/* ---- What is kept for them ---- */
str
backup_slot(struct arena *arena, int64_t ordinal)
{
    return str_format(arena, SLOT_PREFIX "%d", (int)ordinal);
}

/* Patroni keeps these on every member, so that the next primary has what the receiver has not got yet. */
json_t *
backup_slots(struct engine_member *self)
{
    json_t *slots = json_in(self->arena, json_object());
    for (size_t i = 0; i < self->cluster->backup.seats.count; i++) {
        str name = backup_slot(self->arena, self->cluster->backup.seats.items[i].ordinal);
        json_object_set_new(slots, name.data, json_pack("{s:s}", "type", "physical"));
    }
    return slots;
}

void
backup_drop_slots(json_t *have, json_t *want, json_t *patch)
{
    json_t *wanted = json_object_get(want, "slots"), *value;
    const char *name;
    json_object_foreach(json_object_get(have, "slots"), name, value)
    {
        if (strncmp(name, SLOT_PREFIX, strlen(SLOT_PREFIX)) != 0 || json_object_get(wanted, name) != NULL)
            continue;
        if (json_object_get(patch, "slots") == NULL)
            json_object_set_new(patch, "slots", json_object());
        json_object_set_new(json_object_get(patch, "slots"), name, json_null());
    }
}

/* A repository host that is gone must not fill the disk of a database that is in use. What is lost then is seen, and a new full backup taken. */
void
backup_put_kept_wal(struct engine_member *self, json_t *parameters)
{
    int64_t kept = self->member->disk_gb * 1024 / KEPT_SHARE;
    str text = str_format(self->arena, "%lldMB", (long long)(kept < LEAST_KEPT_MB ? LEAST_KEPT_MB : kept));
    json_object_set_new(parameters, "max_slot_wal_keep_size", json_string(text.data));
}

json_t *
backup_parameters(struct engine_member *self)
{
    json_t *parameters = json_in(self->arena, json_object());
    if (backup_is_on(self))
        backup_put_kept_wal(self, parameters);
    return parameters;
}

/* ---- The role ---- */
error
backup_settle(struct engine_member *self, const struct engine_observation *seen, struct engine_progress *progress)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    if (seen->role != REPORT_PRIMARY) {
        progress->backup_generation = 0; /* when it becomes the primary it looks again */
        return OK;
    }
    int64_t wanted = self->cluster->goal_generation + 1; /* never 0 */
    if (progress->backup_generation == (backup_is_on(self) ? wanted : -wanted))
        return OK;
    TRY(session_open(self, STR(SUPERUSER), &session));
    failpoint("agent:backup:role:before");
    TRY(session_run(session, backup_is_on(self) ? SQL_WAL_ROLE_MAKE : SQL_WAL_ROLE_DROP, NULL));
    failpoint("agent:backup:role:after");
    progress->backup_generation = backup_is_on(self) ? wanted : -wanted;
    return OK;
}
