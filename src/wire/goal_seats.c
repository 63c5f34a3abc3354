/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/goal_seats.h"

#include <stddef.h>

#include "base/date.h"
#include "base/net/net.h"
#include "wire/goal_check.h"
#include "wire/plain_name.h"

enum { NAME_BYTES = 1024, SECRET_BYTES = 4096, PEM_BYTES = 1024 * 1024, LABEL_BYTES = 64, SOME = 10000 };

// clang-format off
#define AT(type, member) offsetof(struct type, member)
#define R WIRE_REQUIRED

static const struct wire_field member_fields[] = {
    { "id",         WIRE_ID,   R, AT(goal_seat_member, id) },
    { "name",       WIRE_TEXT, R, AT(goal_seat_member, name),        .max = 128 },
    { "address",    WIRE_TEXT, R, AT(goal_seat_member, address),     .max = 64 },
    { "port",       WIRE_INT,  R, AT(goal_seat_member, port),        .min = 1, .max = 65535 },
    { "backupPort", WIRE_INT,  R, AT(goal_seat_member, backup_port), .min = 1, .max = 65535 },
};
static const struct wire_shape member_shape = WIRE_SHAPE(struct goal_seat_member, member_fields);

static const struct wire_field store_fields[] = {
    { "endpoint",   WIRE_TEXT, R, AT(goal_seat_store, endpoint),   .max = NAME_BYTES },
    { "bucket",     WIRE_TEXT, R, AT(goal_seat_store, bucket),     .max = NAME_BYTES },
    { "region",     WIRE_TEXT, R, AT(goal_seat_store, region),     .max = NAME_BYTES },
    { "path",       WIRE_TEXT, 0, AT(goal_seat_store, path),       .max = NAME_BYTES },
    { "folder",     WIRE_TEXT, 0, AT(goal_seat_store, folder),     .max = NAME_BYTES },
    { "uriStyle",   WIRE_TEXT, 0, AT(goal_seat_store, uri_style),  .max = 16 },
    { "authority",  WIRE_TEXT, 0, AT(goal_seat_store, authority),  .max = PEM_BYTES },
    { "key",        WIRE_TEXT, R, AT(goal_seat_store, key),        .max = SECRET_BYTES },
    { "secretKey",  WIRE_TEXT, R, AT(goal_seat_store, secret_key), .max = SECRET_BYTES },
    { "objectLock", WIRE_BOOL, 0, AT(goal_seat_store, object_lock) },
};
static const struct wire_shape store_shape = WIRE_SHAPE(struct goal_seat_store, store_fields);

static const struct wire_field item_fields[] = {
    { "id",             WIRE_ID,   R, AT(goal_seat_item, id) },
    { "frequency",      WIRE_TEXT, R, AT(goal_seat_item, frequency),       .max = 16 },
    { "interval",       WIRE_INT,  R, AT(goal_seat_item, interval),        .max = 1000 },
    { "retentionUnit",  WIRE_TEXT, R, AT(goal_seat_item, retention_unit),  .max = 16 },
    { "retentionValue", WIRE_INT,  R, AT(goal_seat_item, retention_value), .min = 1, .max = 100000 },
    { "isLeftOut",      WIRE_BOOL, 0, AT(goal_seat_item, is_left_out) },
};
static const struct wire_shape item_shape = WIRE_SHAPE(struct goal_seat_item, item_fields);

static const struct wire_field extra_fields[] = {
    { "hourly",  WIRE_INT, 0, AT(goal_seat_extra, hourly),  .max = 100000 },
    { "daily",   WIRE_INT, 0, AT(goal_seat_extra, daily),   .max = 100000 },
    { "weekly",  WIRE_INT, 0, AT(goal_seat_extra, weekly),  .max = 100000 },
    { "monthly", WIRE_INT, 0, AT(goal_seat_extra, monthly), .max = 100000 },
    { "yearly",  WIRE_INT, 0, AT(goal_seat_extra, yearly),  .max = 100000 },
};
static const struct wire_shape extra_shape = WIRE_SHAPE(struct goal_seat_extra, extra_fields);

static const struct wire_field schedule_fields[] = {
    { "referenceHour",   WIRE_INT,  0, AT(goal_seat_schedule, reference_hour),   .max = 23 },
    { "referenceMinute", WIRE_INT,  0, AT(goal_seat_schedule, reference_minute), .max = 59 },
    { "windowDays",      WIRE_INT,  0, AT(goal_seat_schedule, window_days),      .max = 3660 },
    { "isWalLeftOut",    WIRE_BOOL, 0, AT(goal_seat_schedule, is_wal_left_out) },
    { "items",           WIRE_LIST, 0, AT(goal_seat_schedule, items),            .max = 64, .of = &item_shape },
    { "extraDays",       WIRE_OBJECT, 0, AT(goal_seat_schedule, extra_days),     .of = &extra_shape },
};
static const struct wire_shape schedule_shape = WIRE_SHAPE(struct goal_seat_schedule, schedule_fields);

static const struct wire_field wish_fields[] = {
    { "snapshotId", WIRE_ID,   R, AT(goal_seat_wish, snapshot) },
    { "type",       WIRE_TEXT, R, AT(goal_seat_wish, type),       .max = 8 },
    { "expiresAt",  WIRE_TEXT, 0, AT(goal_seat_wish, expires_at), .max = 64 },
};
static const struct wire_shape wish_shape = WIRE_SHAPE(struct goal_seat_wish, wish_fields);

static const struct wire_field protection_fields[] = {
    { "snapshotId", WIRE_ID,   R, AT(goal_seat_protection, snapshot) },
    { "until",      WIRE_TEXT, R, AT(goal_seat_protection, until), .max = 64 },
};
static const struct wire_shape protection_shape = WIRE_SHAPE(struct goal_seat_protection, protection_fields);

static const struct wire_field removal_fields[] = {
    { "snapshotId", WIRE_ID,   R, AT(goal_seat_removal, snapshot) },
    { "label",      WIRE_TEXT, R, AT(goal_seat_removal, label), .max = LABEL_BYTES },
};
static const struct wire_shape removal_shape = WIRE_SHAPE(struct goal_seat_removal, removal_fields);

static const struct wire_field assertion_fields[] = {
    { "name",     WIRE_TEXT, R, AT(goal_drill_assertion, name),     .max = 128 },
    { "database", WIRE_TEXT, R, AT(goal_drill_assertion, database), .max = 63 },
    { "sql",      WIRE_TEXT, R, AT(goal_drill_assertion, sql),      .max = GOAL_MAX_ASSERTION_BYTES },
};
static const struct wire_shape assertion_shape = WIRE_SHAPE(struct goal_drill_assertion, assertion_fields);

static const struct wire_field drill_fields[] = {
    { "id",               WIRE_ID,   R, AT(goal_drill, id) },
    { "limitSeconds",     WIRE_INT,  R, AT(goal_drill, limit_seconds),     .min = 10, .max = 7 * 24 * 3600 },
    { "assertionSeconds", WIRE_INT,  R, AT(goal_drill, assertion_seconds), .min = 1, .max = 3600 },
    { "assertions",       WIRE_LIST, 0, AT(goal_drill, assertions),        .max = GOAL_MAX_ASSERTIONS, .of = &assertion_shape },
};
static const struct wire_shape drill_shape = WIRE_SHAPE(struct goal_drill, drill_fields);

static const struct wire_field label_fields[] = {
    { "key",   WIRE_TEXT, R, AT(goal_export_label, key),   .max = NAME_BYTES },
    { "value", WIRE_TEXT, R, AT(goal_export_label, value), .max = NAME_BYTES },
};
static const struct wire_shape label_shape = WIRE_SHAPE(struct goal_export_label, label_fields);

static const struct wire_field export_fields[] = {
    { "id",           WIRE_ID,    R, AT(goal_export, id) },
    { "limitSeconds", WIRE_INT,   R, AT(goal_export, limit_seconds), .min = 10, .max = 7 * 24 * 3600 },
    { "snapshotId",   WIRE_ID,    R, AT(goal_export, snapshot) },
    { "snapshotAt",   WIRE_TEXT,  R, AT(goal_export, snapshot_at),   .max = 64 },
    { "label",        WIRE_TEXT,  R, AT(goal_export, label),         .max = LABEL_BYTES },
    { "clusterName",  WIRE_TEXT,  R, AT(goal_export, cluster_name),  .max = NAME_BYTES },
    { "customData",   WIRE_LIST,  0, AT(goal_export, custom_data),   .max = GOAL_MAX_EXPORT_LABELS, .of = &label_shape },
    { "serviceUrl",   WIRE_TEXT,  R, AT(goal_export, service_url),   .max = NAME_BYTES },
    { "bucket",       WIRE_TEXT,  R, AT(goal_export, bucket),        .max = 128 },
    { "region",       WIRE_TEXT,  R, AT(goal_export, region),        .max = 128 },
    { "prefix",       WIRE_TEXT,  R, AT(goal_export, prefix),        .max = NAME_BYTES },
    { "format",       WIRE_TEXT,  0, AT(goal_export, format_text),   .max = 32 },
    { "key",          WIRE_TEXT,  R, AT(goal_export, key),           .max = SECRET_BYTES },
    { "secretKey",    WIRE_TEXT,  R, AT(goal_export, secret_key),    .max = SECRET_BYTES },
    { "networks",     WIRE_TEXTS, 0, AT(goal_export, networks),      .max = 1000 },
    { "authority",    WIRE_TEXT,  0, AT(goal_export, authority),     .max = PEM_BYTES },
};
static const struct wire_shape export_shape = WIRE_SHAPE(struct goal_export, export_fields);

static const struct wire_field download_fields[] = {
    { "id",           WIRE_ID,   R, AT(goal_download, id) },
    { "desired",      WIRE_TEXT, R, AT(goal_download, desired_text),  .max = 32 },
    { "label",        WIRE_TEXT, R, AT(goal_download, label),         .max = LABEL_BYTES },
    { "port",         WIRE_INT,  R, AT(goal_download, port),          .min = 1, .max = 65535 },
    { "limitSeconds", WIRE_INT,  R, AT(goal_download, limit_seconds), .min = 10, .max = 7 * 24 * 3600 },
};
static const struct wire_shape download_shape = WIRE_SHAPE(struct goal_download, download_fields);

static const struct wire_field seat_fields[] = {
    { "id",               WIRE_ID,     R, AT(goal_seat, id) },
    { "clusterId",        WIRE_ID,     R, AT(goal_seat, cluster) },
    { "stanza",           WIRE_TEXT,   R, AT(goal_seat, stanza),            .max = 128 },
    { "scope",            WIRE_TEXT,   R, AT(goal_seat, scope),             .max = 64 },
    { "majorVersion",     WIRE_TEXT,   R, AT(goal_seat, major_version),     .max = 8 },
    { "ordinal",          WIRE_INT,    R, AT(goal_seat, ordinal),           .max = 7 },
    { "desired",          WIRE_TEXT,   R, AT(goal_seat, desired_text),      .max = 32 },
    { "cipherPass",       WIRE_TEXT,   R, AT(goal_seat, cipher_pass),       .max = SECRET_BYTES },
    { "clusterAuthority", WIRE_TEXT,   R, AT(goal_seat, cluster_authority), .max = PEM_BYTES },
    { "store",            WIRE_OBJECT, 0, AT(goal_seat, store),             .of = &store_shape },
    { "members",          WIRE_LIST,   R, AT(goal_seat, members),           .max = GOAL_MAX_SEAT_MEMBERS, .of = &member_shape },
    { "schedule",         WIRE_OBJECT, 0, AT(goal_seat, schedule),          .of = &schedule_shape },
    { "wanted",           WIRE_LIST,   0, AT(goal_seat, wanted),            .max = SOME, .of = &wish_shape },
    { "protect",          WIRE_LIST,   0, AT(goal_seat, protect),           .max = SOME, .of = &protection_shape },
    { "remove",           WIRE_LIST,   0, AT(goal_seat, remove),            .max = SOME, .of = &removal_shape },
    { "drill",            WIRE_OBJECT, 0, AT(goal_seat, drill),             .of = &drill_shape },
    { "export",           WIRE_OBJECT, 0, AT(goal_seat, export_job),        .of = &export_shape },
    { "download",         WIRE_OBJECT, 0, AT(goal_seat, download),          .of = &download_shape },
};
const struct wire_shape goal_seat_shape = WIRE_SHAPE(struct goal_seat, seat_fields);

static const struct wire_field backup_seat_fields[] = {
    { "id",          WIRE_ID,   R, AT(goal_backup_seat, id) },
    { "ordinal",     WIRE_INT,  R, AT(goal_backup_seat, ordinal),      .max = 7 },
    { "name",        WIRE_TEXT, R, AT(goal_backup_seat, name),         .max = 128 },
    { "hostAddress", WIRE_TEXT, R, AT(goal_backup_seat, host_address), .max = 64 },
};
static const struct wire_shape backup_seat_shape = WIRE_SHAPE(struct goal_backup_seat, backup_seat_fields);

static const struct wire_field backup_fields[] = {
    { "stanza", WIRE_TEXT, R, AT(goal_backup, stanza), .max = 128 },
    { "seats",  WIRE_LIST, R, AT(goal_backup, seats),  .max = 8, .of = &backup_seat_shape },
};
const struct wire_shape goal_backup_shape = WIRE_SHAPE(struct goal_backup, backup_fields);
// clang-format on

const char *const goal_download_desired_words[] = { "SERVED", "REMOVED", NULL };
const char *const goal_export_format_words[] = { "DUMP", "CSV", NULL };
const char *const goal_seat_desired_words[] = { "RUNNING", "FROZEN", "REMOVED", NULL };

static bool
is_line(str text)
{
    return text.len > 0 && str_is_one_line(text);
}

/* All but the certificates become lines of configuration. */
static bool
is_store(const struct goal_seat_store *store)
{
    return is_line(store->endpoint) && is_line(store->bucket) && is_line(store->region) &&
           str_is_one_line(store->path) && str_is_one_line(store->folder) && is_line(store->key) &&
           is_line(store->secret_key) &&
           (store->uri_style.len == 0 || str_is(store->uri_style, "path") || str_is(store->uri_style, "host"));
}

/* What becomes a path of a request, and lines of one: nothing in it can mean something else there. A name with two dots in it is a name. */
static bool
is_plain_path(str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c != '\0' && strchr("._-/", c) != NULL)))
            return false;
    }
    for (str rest = text; rest.len > 0;) {
        str part = str_cut(&rest, '/');
        if (part.len == 0 || str_is(part, ".") || str_is(part, ".."))
            return false;
    }
    return text.len > 0;
}

static error
check_export(struct arena *arena, struct goal_export *wish, size_t index)
{
    struct net_block ignored;
    int format = wish->format_text.len == 0 ? EXPORT_AS_DUMP : str_word(wish->format_text, goal_export_format_words);
    if (!goal_is_label(wish->label))
        return goal_wrong(arena, "seats", index, "export.label", "a label of a backup is wanted");
    if (!is_plain_path(wish->prefix) || !is_plain_path(wish->bucket) || !is_plain_path(wish->region))
        return goal_wrong(arena, "seats", index, "export", "a path, a bucket or a region that is none");
    if (!is_line(wish->service_url) || !str_is_one_line(wish->key) || !str_is_one_line(wish->secret_key))
        return goal_wrong(arena, "seats", index, "export", "one of its texts is not what it should be");
    if (format < 0)
        return goal_wrong(arena, "seats", index, "export.format", "a form that this host does not know");
    wish->format = (enum goal_export_format)format;
    for (size_t i = 0; i < wish->networks.count; i++) {
        if (!net_parse_block(wish->networks.items[i], &ignored))
            return goal_wrong(arena, "seats", index, "export.networks", "one of them is no network");
    }
    return OK;
}

static error
check_snapshots(struct arena *arena, const struct goal_seat *seat, size_t index)
{
    int64_t ignored;
    for (size_t i = 0; i < seat->wanted.count; i++) {
        const struct goal_seat_wish *wish = &seat->wanted.items[i];
        if (!str_is(wish->type, "FULL") && !str_is(wish->type, "INCR"))
            return goal_wrong(arena, "seats", index, "wanted", "FULL or INCR is wanted");
        if (wish->expires_at.len > 0 && !date_parse(wish->expires_at, &ignored))
            return goal_wrong(arena, "seats", index, "wanted", "a time is wanted");
    }
    for (size_t i = 0; i < seat->protect.count; i++) {
        if (!date_parse(seat->protect.items[i].until, &ignored))
            return goal_wrong(arena, "seats", index, "protect", "a time is wanted");
    }
    for (size_t i = 0; i < seat->remove.count; i++) {
        if (!goal_is_label(seat->remove.items[i].label))
            return goal_wrong(arena, "seats", index, "remove", "a label of a backup is wanted");
    }
    return OK;
}

static error
check_download(struct arena *arena, struct goal_download *download, size_t index)
{
    if (!id_is_there(download->id))
        return OK;
    int desired = str_word(download->desired_text, goal_download_desired_words);
    if (desired < 0)
        return goal_wrong(arena, "seats", index, "download.desired", "SERVED or REMOVED is wanted");
    download->desired = (enum goal_download_desired)desired;
    return goal_is_label(download->label)
               ? OK
               : goal_wrong(arena, "seats", index, "download.label", "a label of a backup is wanted");
}

error
goal_seat_check(struct arena *arena, struct goal_seat *seat, size_t index)
{
    int desired = str_word(seat->desired_text, goal_seat_desired_words);
    if (desired < 0)
        return goal_wrong(arena, "seats", index, "desired", "RUNNING, FROZEN or REMOVED is wanted");
    seat->desired = (enum goal_seat_desired)desired;
    if (!plain_name(seat->stanza) || !plain_name(seat->scope))
        return goal_wrong(arena, "seats", index, "stanza", "letters, digits and dashes are wanted");
    if (!plain_name(seat->major_version))
        return goal_wrong(arena, "seats", index, "majorVersion", "a number is wanted");
    if (!is_line(seat->cipher_pass))
        return goal_wrong(arena, "seats", index, "cipherPass", "one line is wanted");
    if (seat->store.endpoint.len > 0 && !is_store(&seat->store))
        return goal_wrong(arena, "seats", index, "store", "one of its texts is not what it should be");
    for (size_t i = 0; i < seat->members.count; i++) {
        const struct goal_seat_member *member = &seat->members.items[i];
        if (!plain_name(member->name) || !goal_is_address(member->address))
            return goal_wrong(arena, "seats", index, "members", "a name or address that is none");
    }
    if (id_is_there(seat->export_job.id))
        TRY(check_export(arena, &seat->export_job, index));
    TRY(check_download(arena, &seat->download, index));
    return check_snapshots(arena, seat, index);
}

error
goal_backup_check(struct arena *arena, const struct goal_backup *backup, size_t index)
{
    if (backup->stanza.len > 0 && !plain_name(backup->stanza))
        return goal_wrong(arena, "clusters", index, "backup.stanza", "letters, digits and dashes are wanted");
    for (size_t i = 0; i < backup->seats.count; i++) {
        const struct goal_backup_seat *seat = &backup->seats.items[i];
        if (!plain_name(seat->name) || !goal_is_address(seat->host_address))
            return goal_wrong(arena, "clusters", index, "backup.seats", "a name or address that is none");
    }
    return OK;
}
