/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/export/export_name.h"

enum { MOST_CHARS = 63 };

static bool
is_plain(str name)
{
    if (name.len == 0 || name.len > MOST_CHARS || name.data[0] == '.' || name.data[0] == '-')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c != '\0' && strchr("_-.", c) != NULL)))
            return false;
    }
    return true;
}

/* Files of the export itself are called so. */
static bool
is_taken(str name)
{
    return str_ends_with(name, STR(".sql")) || str_ends_with(name, STR(".json"));
}

str
export_name(struct arena *arena, str name, const char *kind, size_t number)
{
    str stand_in = str_format(arena, "%s-", kind);
    return is_plain(name) && !is_taken(name) && !str_starts_with(name, stand_in)
               ? name
               : str_format(arena, "%s%zu", stand_in.data, number);
}
