/* SPDX-License-Identifier: Apache-2.0 */
#include "job/access/directory_people.h"

#include <stdlib.h>

#include "base/json.h"
#include "cluster/database_name.h"

enum { SHOWN_BYTES = 100 };

static int
compare(const void *a, const void *b)
{
    return str_compare(*(const str *)a, *(const str *)b);
}

/* Anything may stand in a directory: what is not plain is shown as question marks. */
static json_t *
shown(struct arena *arena, str name)
{
    size_t length = name.len < SHOWN_BYTES ? name.len : SHOWN_BYTES;
    struct buf out = buf_in(arena, SHOWN_BYTES + 1);
    for (size_t i = 0; i < length; i++)
        buf_add_char(&out, name.data[i] >= ' ' && name.data[i] <= '~' ? name.data[i] : '?');
    str text = buf_str(&out);
    return json_stringn(text.data, text.len);
}

/* NULL: they can be a user. */
static const char *
reason_against(str name, const json_t *taken)
{
    if (!database_name_is_of_person(name))
        return "It is not a name that users can have: at most 63 letters, digits and _.,=@+:#$- in ASCII.";
    if (database_name_is_reserved(name))
        return "The name is reserved.";
    str kind = json_text_at(taken, name.data);
    if (str_is(kind, "customRole"))
        return "A custom role of the project has the name.";
    return kind.len > 0 ? "A database user of the project has the name, and keeps what it has." : NULL;
}

static void
skip(struct arena *arena, json_t *skipped, str name, const char *reason)
{
    if (json_array_size(skipped) < DIRECTORY_TOLD_MAX)
        json_array_append_new(skipped, json_pack("{s:o, s:s}", "name", shown(arena, name), "reason", reason));
}

/* What is in one of two lists in the same order and not in the other. */
static json_t *
without(struct arena *arena, const json_t *these, const json_t *those)
{
    json_t *left = json_in(arena, json_array());
    size_t place = 0;
    for (size_t i = 0; i < json_array_size(these); i++) {
        str name = json_str(json_array_get(these, i));
        while (place < json_array_size(those) && str_compare(json_str(json_array_get(those, place)), name) < 0)
            place++;
        if (place == json_array_size(those) || !str_eq(json_str(json_array_get(those, place)), name))
            json_array_append(left, json_array_get(these, i));
    }
    return left;
}

void
directory_people_judge(struct arena *arena, const struct directory_before *before, str *names, size_t count,
                       const json_t *taken, struct directory_after *ret_after)
{
    struct directory_after after = { .members = json_in(arena, json_array()), .skipped = json_in(arena, json_array()) };
    qsort(names, count, sizeof(names[0]), compare);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && str_eq(names[i], names[i - 1]))
            continue;
        const char *reason = reason_against(names[i], taken);
        if (reason == NULL)
            json_array_append_new(after.members, json_stringn(names[i].data, names[i].len));
        else
            skip(arena, after.skipped, names[i], reason);
    }
    bool is_hasty = before->empty_for_s < DIRECTORY_EMPTY_S;
    if (count == 0 && json_array_size(before->members) > 1 && is_hasty) { /* the last one may well have left */
        after.is_empty = true;
        after.is_newly_empty = before->empty_for_s < 0;
        after.members = json_in(arena, json_deep_copy(before->members));
    }
    after.added = without(arena, after.members, before->members);
    after.removed = without(arena, before->members, after.members);
    after.has_newly_skipped = json_array_size(after.skipped) > 0 && !json_equal(after.skipped, before->skipped);
    *ret_after = after;
}
