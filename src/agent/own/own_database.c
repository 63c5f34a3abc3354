/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/own/own_database.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/disk.h"
#include "base/json.h"

enum { FILE_BYTES = 4 * 1024 * 1024, PEM_BYTES = 1024 * 1024, TEXT_BYTES = 16 * 1024, KEPT_LONGER_DAYS = 8 };

/* ---- The file ---- */
// clang-format off
#define AT(member) offsetof(struct own_database, member)
#define R WIRE_REQUIRED
static const struct wire_field fields[] = {
    { "id",           WIRE_ID,   R, AT(id) },
    { "desired",      WIRE_TEXT, R, AT(desired_text),       .max = 32 },
    { "stanza",       WIRE_TEXT, R, AT(stanza),             .max = 128 },
    { "majorVersion", WIRE_TEXT, R, AT(major_version),      .max = 8 },
    { "superuser",    WIRE_TEXT, R, AT(access.superuser),   .max = 64 },
    { "database",     WIRE_TEXT, R, AT(access.database),    .max = 64 },
    { "drills",       WIRE_INT,  0, AT(access.drills),      .max = INT32_MAX },
    { "passphrase",   WIRE_TEXT, R, AT(cipher_pass),        .max = 1024 },
    { "windowDays",   WIRE_INT,  R, AT(window_days),        .min = 1, .max = OWN_MOST_WINDOW_DAYS },
    { "connection",   WIRE_TEXT, R, AT(access.connection),  .max = TEXT_BYTES },
    { "password",     WIRE_TEXT, 0, AT(access.password),    .max = TEXT_BYTES },
    { "authority",    WIRE_TEXT, 0, AT(access.authority),   .max = PEM_BYTES },
    { "certificate",  WIRE_TEXT, 0, AT(access.certificate), .max = PEM_BYTES },
    { "key",          WIRE_TEXT, 0, AT(access.key),         .max = PEM_BYTES },
};
// clang-format on
static const struct wire_shape shape = WIRE_SHAPE(struct own_database, fields);

error
own_database_read(struct arena *arena, const char *path, struct own_database *ret_own)
{
    struct own_database own = { .window_days = 0 };
    str text;
    *ret_own = own;
    if (!disk_read(arena, path, FILE_BYTES, &text))
        return errno == ENOENT ? OK : problem(arena, "%s cannot be read: %s.", path, strerror(errno));
    error why = wire_read(arena, text, &shape, &own);
    if (why != OK)
        return problem(arena, "%s: %.*s", path, STR_ARG(why->detail));
    *ret_own = own;
    return OK;
}

error
own_database_write(struct arena *arena, const char *path, const struct own_database *own)
{
    static const struct disk_owner root = { 0, 0 };
    json_t *all = json_in(arena, json_object());
    for (size_t i = 0; i < LENGTH(fields); i++) {
        const char *at = (const char *)own + fields[i].offset;
        json_t *value = fields[i].kind == WIRE_ID    ? json_string(id_text(arena, *(const id *)at).data)
                        : fields[i].kind == WIRE_INT ? json_integer(*(const int64_t *)at)
                                                     : json_stringn(((const str *)at)->data, ((const str *)at)->len);
        json_object_set_new(all, fields[i].name, value);
    }
    str text = json_pretty(arena, json_text(arena, all));
    if (text.len == 0 || !disk_replace(path, text, 0600, root))
        return problem(arena, "%s cannot be written: %s.", path, strerror(errno));
    return OK;
}

/* ---- The seat ---- */
/* Every night. A full one may be eight days old when the next is made, and the window needs the one before its first moment. */
static error
set_schedule(struct arena *arena, const struct own_database *own, struct goal_seat_schedule *schedule)
{
    struct goal_seat_item *item = ARENA_ARRAY(arena, struct goal_seat_item, 1);
    if (item == NULL)
        return fail(arena, OVERLOADED);
    *item = (struct goal_seat_item){ .id = own->id,
                                     .frequency = STR("daily"),
                                     .interval = 1,
                                     .retention_unit = STR("days"),
                                     .retention_value = own->window_days + KEPT_LONGER_DAYS + 1 };
    *schedule = (struct goal_seat_schedule){ .reference_hour = 2,
                                             .window_days = own->window_days,
                                             .items = { .count = 1, .items = item } };
    return OK;
}

error
own_database_seat(struct arena *arena, const struct own_database *own, struct goal_seat *ret_seat)
{
    struct goal_seat seat = { .id = own->id,
                              .cluster = own->id,
                              .stanza = own->stanza,
                              .scope = own->stanza,
                              .major_version = own->major_version,
                              .desired_text = own->desired_text,
                              .cipher_pass = own->cipher_pass,
                              .own = own->access };
    TRY(set_schedule(arena, own, &seat.schedule));
    TRY(goal_seat_check(arena, &seat, 0));
    *ret_seat = seat;
    return OK;
}

static int
by_id(const void *a, const void *b)
{
    return memcmp(&((const struct goal_seat *)a)->id, &((const struct goal_seat *)b)->id, sizeof(id));
}

/* What a goal says about it does not count: whoever has the control plane could have its past removed otherwise. */
error
own_database_join(struct arena *arena, const struct own_database *own, struct goal *goal)
{
    const struct goal_seats *seats = &goal->seats;
    size_t count = 0;
    if (!id_is_there(own->id))
        return OK;
    struct goal_seat *items = ARENA_ARRAY(arena, struct goal_seat, seats->count + 1);
    if (items == NULL)
        return fail(arena, OVERLOADED);
    for (size_t i = 0; i < seats->count; i++) {
        if (!id_eq(seats->items[i].id, own->id))
            items[count++] = seats->items[i];
    }
    TRY(own_database_seat(arena, own, &items[count++]));
    qsort(items, count, sizeof(*items), by_id);
    goal->seats = (struct goal_seats){ .count = count, .items = items };
    return OK;
}

/* ---- The connection ---- */
str
own_database_connection(struct arena *arena, const struct goal_seat_own *access, str folder)
{
    struct buf out = buf_in(arena, TEXT_BYTES + 1024);
    buf_add(&out, access->connection);
    if (access->authority.len > 0)
        buf_format(&out, " sslrootcert=%s/" OWN_AUTHORITY, folder.data);
    if (access->certificate.len > 0)
        buf_format(&out, " sslcert=%s/" OWN_CERTIFICATE " sslkey=%s/" OWN_KEY, folder.data, folder.data);
    if (access->password.len > 0)
        buf_format(&out, " passfile=%s/" OWN_PASSWORD, folder.data);
    return buf_str(&out);
}

/* "*:*:*:*:password": for every server that the connection names. */
str
own_database_passfile(struct arena *arena, const struct goal_seat_own *access)
{
    struct buf out = buf_in(arena, 2 * TEXT_BYTES + 16);
    buf_add_text(&out, "*:*:*:*:");
    for (size_t i = 0; i < access->password.len; i++) {
        if (access->password.data[i] == ':' || access->password.data[i] == '\\')
            buf_add_char(&out, '\\');
        buf_add_char(&out, access->password.data[i]);
    }
    buf_add_char(&out, '\n');
    return buf_str(&out);
}
