/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output/wrong_fields.h"

#include <ctype.h>

/* How much of `path` the place of a flag covers: 0, or up to where the rest begins. In `place`, [*] is any item. */
static size_t
covered(str place, str path)
{
    size_t at = 0;
    for (size_t i = 0; i < place.len; i++) {
        if (place.data[i] == '*') {
            size_t digits = at;
            while (at < path.len && isdigit((unsigned char)path.data[at]))
                at++;
            if (at == digits)
                return 0;
        } else if (at == path.len || path.data[at++] != place.data[i]) {
            return 0;
        }
    }
    return at == path.len || path.data[at] == '.' || path.data[at] == '[' ? at : 0;
}

str
wrong_field_name(struct arena *arena, const struct command *command, str path)
{
    const struct command_field *best = NULL;
    size_t most = 0;
    for (uint32_t i = 0; command != NULL && i < command->body.count; i++) {
        const struct command_field *field = &command_fields[command->body.at + i];
        str places = str_from(TEXT_AT(field->path));
        while (places.len > 0) {
            size_t length = covered(str_cut(&places, '|'), path);
            if (length > most) {
                most = length;
                best = field;
            }
        }
    }
    if (best == NULL)
        return path;
    str rest = str_slice(path, most, path.len);
    if (rest.len == 0)
        return str_format(arena, "--%s", TEXT_AT(best->flag));
    return str_format(arena, "--%s, at %.*s", TEXT_AT(best->flag),
                      STR_ARG(rest.data[0] == '.' ? str_slice(rest, 1, rest.len) : rest));
}

static size_t
own_parameters(const struct error_row *row)
{
    size_t count = 0;
    for (const char *hole = row->detail; (hole = strstr(hole, "{}")) != NULL; hole += 2)
        count++;
    return count;
}

size_t
wrong_fields_read(struct arena *arena, const struct error_row *row, const json_t *document,
                  struct wrong_field ret_fields[ERROR_MAX_WRONG_FIELDS])
{
    const json_t *parameters = json_object_get(document, "parameters");
    enum error_code code = row == NULL ? ERROR_CODE_COUNT : (enum error_code)(row - error_rows);
    const char *first = json_string_value(json_array_get(parameters, 0));
    if (first == NULL)
        return 0;
    const char *what = error_field_words(code);
    if (code == INVALID_ATTRIBUTE_VALUE)
        what = json_string_value(json_array_get(parameters, 1));
    if (what == NULL)
        return 0;
    ret_fields[0] = (struct wrong_field){ str_dup(arena, str_from(first)), str_dup(arena, str_from(what)) };
    size_t count = 1;
    for (size_t at = own_parameters(row); count < ERROR_MAX_WRONG_FIELDS; at += 2, count++) {
        const char *field = json_string_value(json_array_get(parameters, at));
        what = json_string_value(json_array_get(parameters, at + 1));
        if (field == NULL || what == NULL)
            break;
        ret_fields[count] = (struct wrong_field){ str_dup(arena, str_from(field)), str_dup(arena, str_from(what)) };
    }
    return count;
}
