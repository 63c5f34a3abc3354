/* SPDX-License-Identifier: Apache-2.0 */
/* What PostgreSQL's own files say about extensions. */
#include "base/disk.h"
#include "engine/postgres/extension/extension.h"
#include "wire/extension/extension.h"

enum { CONTROL_BYTES = 64 * 1024, MOST_EXTENSIONS = 1024 };

/* default_version = '0.8.0' */
static str
default_version(str control)
{
    while (control.len > 0) {
        str line = str_trim(str_cut(&control, '\n')), name = str_trim(str_cut(&line, '='));
        if (!str_is(name, "default_version"))
            continue;
        str value = str_trim(line);
        if (value.len > 2 && value.data[0] == '\'') {
            value = str_slice(value, 1, value.len);
            return str_cut(&value, '\'');
        }
    }
    return STR_EMPTY;
}

static void
add_those_of(struct arena *arena, str major, struct wire_texts *out)
{
    for (const struct extension_row *row = extension_rows; row->name != NULL; row++) {
        str control,
            file = str_format(arena, "/usr/share/postgresql/%.*s/extension/%s.control", STR_ARG(major), row->name);
        if (!extension_is_offered(row) || out->count == MOST_EXTENSIONS ||
            !disk_read(arena, file.data, CONTROL_BYTES, &control))
            continue;
        str version = default_version(control);
        if (version.len > 0)
            out->items[out->count++] = str_format(arena, "%.*s %s %.*s", STR_ARG(major), row->name, STR_ARG(version));
    }
}

struct wire_texts
extensions_of_host(struct arena *arena, const struct wire_texts *postgres_versions)
{
    struct wire_texts out = { .items = ARENA_ARRAY(arena, str, MOST_EXTENSIONS) };
    for (size_t i = 0; out.items != NULL && i < postgres_versions->count; i++) {
        str rest = postgres_versions->items[i];
        add_those_of(arena, str_cut(&rest, '.'), &out);
    }
    return out;
}
