/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/restore_order.h"

#include <errno.h>

#include "base/date.h"
#include "base/disk_below.h"
#include "base/json.h"
#include "engine/postgres/postgres.h"
#include "wire/lsn.h"

enum { CONFIG_BYTES = 64 * 1024, SAID_BYTES = 256 * 1024 };

#define HEADER "# Written by reeve-agent, which overwrites whatever is changed here.\n"

/* ---- The order ---- */
/* PostgreSQL wants a space where the wire has a T. */
static json_t *
moment(struct arena *arena, str time)
{
    str text = str_dup(arena, time);
    bool is_utc = text.len > 0 && (text.data[text.len - 1] == 'Z' || text.data[text.len - 1] == 'z');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == 'T' || text.data[i] == 't')
            ((char *)(uintptr_t)text.data)[i] = ' ';
    }
    return json_string(str_format(arena, "%.*s%s", (int)(text.len - is_utc), text.data, is_utc ? "+00" : "").data);
}

/* A snapshot needs nothing that came after it: whatever happened to the cluster later is another matter. */
static json_t *
recovery_settings(struct engine_member *self)
{
    const struct goal_point *point = &self->cluster->restore.point;
    json_t *settings = json_pack("{s:s}", "recovery_target_timeline",
                                 point->timeline > 0             ? str_from_int(self->arena, point->timeline).data
                                 : point->kind == POINT_SNAPSHOT ? "current"
                                                                 : "latest");
    switch (point->kind) {
    case POINT_SNAPSHOT: json_object_set_new(settings, "recovery_target", json_string("immediate")); break;
    case POINT_TIME: json_object_set_new(settings, "recovery_target_time", moment(self->arena, point->time)); break;
    case POINT_LSN: json_object_set_new(settings, "recovery_target_lsn", json_string(point->lsn.data)); break;
    case POINT_LATEST: return settings;
    }
    json_object_set_new(settings, "recovery_target_action", json_string("promote"));
    return settings;
}

static str
order_text(struct engine_member *self, str agent)
{
    const struct goal_restore *restore = &self->cluster->restore;
    json_t *order =
        json_in(self->arena,
                json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "id", id_text(self->arena, restore->id).data, "stanza",
                          restore->stanza.data, "label", restore->point.label.data, "agent", agent.data, "bin",
                          str_format(self->arena, "/usr/lib/postgresql/%s/bin", restore->major_version.data).data,
                          "endLsn", restore->point.end_lsn.data == NULL ? "" : restore->point.end_lsn.data, "recovery",
                          recovery_settings(self)));
    return order == NULL ? STR_EMPTY : json_text(self->arena, order);
}

/* Its own certificate is all that it has: there is no key of a repository here. `path` is what is read inside of the gate; empty: as the gate says. */
static str
config_text(struct engine_member *self, const char *path)
{
    const struct goal_restore *restore = &self->cluster->restore;
    const char *folder = self->folder.data;
    struct buf out = buf_in(self->arena, CONFIG_BYTES);
    buf_format(&out,
               HEADER "[global]\n"
                      "repo1-host=%s\n"
                      "repo1-host-type=tls\n"
                      "repo1-host-port=%d\n"
                      "repo1-host-config=/gate/pgbackrest.conf\n"
                      "repo1-host-ca-file=%s/" CLUSTER_AUTHORITY "\n"
                      "repo1-host-cert-file=%s/tls/cluster.crt\n"
                      "repo1-host-key-file=%s/tls/cluster.key\n",
               restore->gate.address.data, (int)restore->gate.port, folder, folder, folder);
    if (path[0] != '\0')
        buf_format(&out, "repo1-path=%s\n", path);
    buf_format(&out,
               "process-max=2\n"
               "io-timeout=60\n"
               "protocol-timeout=120\n"
               "db-timeout=60\n"
               "lock-path=%s/" RESTORE_FOLDER "/lock\n"
               "spool-path=%s/" RESTORE_FOLDER "/spool\n"
               "log-level-console=warn\n"
               "log-level-file=off\n"
               "log-level-stderr=off\n"
               "\n"
               "[%s]\n"
               "pg1-path=%s/data\n",
               folder, folder, restore->stanza.data, folder);
    return buf_str(&out);
}

error
restore_write_order(struct engine_member *self, str agent)
{
    const struct {
        const char *name;
        str content;
    } files[] = {
        { RESTORE_CONFIG, config_text(self, "") },
        { RESTORE_LAST_CONFIG, config_text(self, "/last") },
        { RESTORE_ORDER_FILE, order_text(self, agent) },
    };
    if (!disk_below_make_folder(self->folder.data, RESTORE_FOLDER, 0700, self->owner))
        return problem(self->arena, "%s cannot be made: %s.", member_path(self, RESTORE_FOLDER).data, strerror(errno));
    for (size_t i = 0; i < LENGTH(files); i++) {
        bool ignored;
        if (arena_is_exhausted(self->arena) || files[i].content.len == 0)
            return fail(self->arena, OVERLOADED);
        if (!disk_below_keep(self->arena, self->folder.data, files[i].name, files[i].content, 0640, self->files,
                             &ignored))
            return problem(self->arena, "%s cannot be written: %s.", member_path(self, files[i].name).data,
                           strerror(errno));
    }
    return OK;
}

/* ---- What came of it ---- */
static json_t *
said(struct engine_member *self, const char *name)
{
    str text;
    json_t *object = NULL;
    str restore = id_text(self->arena, self->cluster->restore.id);
    if (!disk_below_read(self->arena, self->folder.data, name, SAID_BYTES, self->owner.user, &text) ||
        json_parse_within(self->arena, text, SAID_BYTES, &object) != OK || !json_is_object(object) ||
        !str_eq(json_str(json_object_get(object, "id")), restore))
        return NULL;
    return object;
}

static int64_t
bytes(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value) : -1;
}

void
restore_read_result(struct engine_member *self, struct engine_restored *ret_restored)
{
    json_t *progress = said(self, RESTORE_PROGRESS), *result = said(self, RESTORE_RESULT);
    int64_t at_ms;
    bool has_time = date_parse(json_str(json_object_get(result, "reachedAt")), &at_ms);
    str state = json_str(json_object_get(result, "state")), lsn = json_str(json_object_get(result, "reachedLsn"));
    *ret_restored = (struct engine_restored){
        .is_done = str_is(state, "RESTORED"),
        .has_failed = str_is(state, "FAILED"),
        .problem = json_str(json_object_get(result == NULL ? progress : result, "problem")),
        .done_bytes = bytes(progress, "doneBytes"),
        .total_bytes = bytes(progress, "totalBytes"),
        .reached_lsn = lsn_is_valid(lsn) ? lsn : STR_EMPTY,
        .reached_at = has_time ? date_text(self->arena, at_ms) : STR_EMPTY,
    };
}

error
restore_drop_files(struct engine_member *self)
{
    static const char *const names[] = { RESTORE_CONFIG, RESTORE_LAST_CONFIG, RESTORE_ORDER_FILE };
    for (size_t i = 0; i < LENGTH(names); i++) {
        if (!disk_below_remove(self->folder.data, names[i]) && errno != ENOENT)
            return problem(self->arena, "%s cannot be removed: %s.", member_path(self, names[i]).data, strerror(errno));
    }
    return disk_remove_tree(member_path(self, RESTORE_FOLDER).data)
               ? OK
               : problem(self->arena, "%s cannot be removed: %s.", member_path(self, RESTORE_FOLDER).data,
                         strerror(errno));
}
