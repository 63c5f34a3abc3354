/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/log_place.h"

#include <stddef.h>

#include "base/disk.h"
#include "wire/shape.h"

enum { PLACE_BYTES = 4096, CURSOR_BYTES = 1024, US_PER_S = 1000000 };

static const struct disk_owner owner_of_all = { (uid_t)-1, (gid_t)-1 };

static const struct wire_field place_fields[] = {
    { "cursor", WIRE_TEXT, WIRE_REQUIRED, offsetof(struct log_place, cursor), .max = CURSOR_BYTES },
};
static const struct wire_shape place_shape = WIRE_SHAPE(struct log_place, place_fields);

static str
file_of(struct arena *arena, str folder, id target)
{
    return str_format(arena, "%s/%s.json", folder.data, id_text(arena, target).data);
}

/* An id begins with the second in which it was made. */
static int64_t
made_at_us(id target)
{
    const uint8_t *bytes = target.bytes;
    int64_t seconds = (int64_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    return seconds * US_PER_S;
}

struct log_place
log_place_read(struct arena *arena, str folder, id target)
{
    struct log_place place = { .cursor = STR_EMPTY }, none = { .cursor = STR_EMPTY, .since_us = made_at_us(target) };
    str text;
    if (!disk_read(arena, file_of(arena, folder, target).data, PLACE_BYTES, &text) ||
        wire_read(arena, text, &place_shape, &place) != OK || place.cursor.len == 0)
        return none;
    place.since_us = none.since_us;
    return place;
}

bool
log_place_write(struct arena *arena, str folder, id target, str cursor)
{
    struct buf out = buf_in(arena, PLACE_BYTES);
    buf_add_text(&out, "{\"cursor\":");
    buf_add_json(&out, cursor);
    buf_add_char(&out, '}');
    str text = buf_str(&out);
    return text.len > 0 && disk_replace(file_of(arena, folder, target).data, text, 0600, owner_of_all);
}

bool
log_place_forget(struct arena *arena, str folder, id target)
{
    return disk_remove(file_of(arena, folder, target).data);
}
