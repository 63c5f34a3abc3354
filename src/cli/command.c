/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

const char *const command_methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

bool
command_is_operators(const struct command *command)
{
    return command != NULL && (command->flags & COMMAND_OPERATORS) != 0;
}

const char *
command_prefix(const struct command *command)
{
    return command_is_operators(command) ? OPERATOR_PREFIX : API_PREFIX;
}

const struct command_family *
command_family_find(const char *name)
{
    for (size_t i = 0; i < command_family_count; i++) {
        if (strcmp(TEXT_AT(command_families[i].name), name) == 0)
            return &command_families[i];
    }
    return NULL;
}

str
command_name(struct arena *arena, const struct command *command)
{
    return str_format(arena, "%s %s", TEXT_AT(command_families[command->family].name), TEXT_AT(command->words));
}

bool
command_begins_with(const struct command *command, const char *const *words, size_t count)
{
    str rest = str_from(TEXT_AT(command->words));
    for (size_t i = 0; i < count; i++) {
        if (rest.len == 0 || !str_is(str_cut(&rest, ' '), words[i]))
            return false;
    }
    return true;
}

static size_t
word_count(const struct command *command)
{
    size_t count = 0;
    str rest = str_from(TEXT_AT(command->words));
    for (; rest.len > 0; count++)
        str_cut(&rest, ' ');
    return count;
}

struct command_match
command_match(const char *const *words, size_t count)
{
    struct command_match match = { 0 };
    if (count == 0 || (match.family = command_family_find(words[0])) == NULL)
        return match;
    match.used = 1;
    for (size_t n = 1; n < count; n++) {
        bool known = false;
        for (uint32_t i = 0; i < match.family->count; i++) {
            const struct command *command = &commands[match.family->at + i];
            if (!command_begins_with(command, words + 1, n))
                continue;
            known = true;
            if (word_count(command) == n)
                match.command = command;
        }
        if (!known)
            break;
        match.used = n + 1;
        if (match.command != NULL)
            break;
    }
    return match;
}

const struct command *
command_reading(const struct command *command)
{
    for (size_t i = 0; i < command_count; i++) {
        if (commands[i].method == METHOD_GET && commands[i].path == command->path)
            return &commands[i];
    }
    return NULL;
}

const struct command *
command_of_operation(const char *operation)
{
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(TEXT_AT(commands[i].operation), operation) == 0)
            return &commands[i];
    }
    return NULL;
}

/* ---- Did you mean ---- */
enum { LONGEST_WORD = 64 };

size_t
command_distance(const char *a, const char *b)
{
    size_t la = strnlen(a, LONGEST_WORD), lb = strnlen(b, LONGEST_WORD);
    size_t before[LONGEST_WORD + 1], row[LONGEST_WORD + 1];
    for (size_t j = 0; j <= lb; j++)
        before[j] = j;
    for (size_t i = 1; i <= la; i++) {
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t change = before[j - 1] + (a[i - 1] != b[j - 1]);
            size_t leave_out = before[j] + 1, put_in = row[j - 1] + 1;
            row[j] = change < leave_out ? change : leave_out;
            if (put_in < row[j])
                row[j] = put_in;
        }
        memcpy(before, row, sizeof(row));
    }
    return before[lb];
}

struct suggestions {
    const char *word;
    str *names;
    size_t count, max;
    size_t distances[16];
};

static void
consider(struct arena *arena, struct suggestions *found, str name)
{
    str text = str_dup(arena, name);
    size_t distance = command_distance(found->word, text.data), at = 0;
    size_t enough = name.len / 3 + 1;
    if (str_starts_with(name, str_from(found->word)))
        distance = 0;
    if (distance > enough)
        return;
    for (size_t i = 0; i < found->count; i++) {
        if (str_eq(found->names[i], text))
            return;
    }
    while (at < found->count && found->distances[at] <= distance)
        at++;
    if (at == found->max)
        return;
    if (found->count < found->max)
        found->count++;
    for (size_t i = found->count - 1; i > at; i--) {
        found->names[i] = found->names[i - 1];
        found->distances[i] = found->distances[i - 1];
    }
    found->names[at] = text;
    found->distances[at] = distance;
}

size_t
command_suggest(struct arena *arena, const char *const *before, size_t count, const char *word, str *ret_names,
                size_t max)
{
    struct suggestions found = { word, ret_names, 0, max < 16 ? max : 16, { 0 } };
    if (count == 0) {
        for (size_t i = 0; i < command_family_count; i++)
            consider(arena, &found, str_from(TEXT_AT(command_families[i].name)));
        return found.count;
    }
    const struct command_family *family = command_family_find(before[0]);
    for (uint32_t i = 0; family != NULL && i < family->count; i++) {
        const struct command *command = &commands[family->at + i];
        if (!command_begins_with(command, before + 1, count - 1))
            continue;
        str rest = str_from(TEXT_AT(command->words)), next = STR_EMPTY;
        for (size_t n = 0; n < count; n++)
            next = str_cut(&rest, ' ');
        consider(arena, &found, next);
    }
    return found.count;
}

/* ---- Fields ---- */
const struct command_field *
command_field_find(const struct command_list *list, str name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct command_field *field = &command_fields[list->at + i];
        if (str_is(name, TEXT_AT(field->flag)) || str_is(name, TEXT_AT(field->path)))
            return field;
    }
    return NULL;
}

bool
command_ends_with(const struct command *command, const struct command_field *parameter)
{
    str path = str_from(TEXT_AT(command->path)), name = str_from(TEXT_AT(parameter->path));
    size_t from = path.len - name.len - 2;
    return path.len >= name.len + 2 && path.data[from] == '{' && str_ends_with(path, STR("}")) &&
           str_eq(str_slice(path, from + 1, path.len - 1), name);
}

bool
command_takes_argument(const struct command *command, const struct command_field *parameter)
{
    return !(parameter->flags & FIELD_SCOPE) || command_ends_with(command, parameter);
}

const struct command_field *
command_naming_field(const struct command *command)
{
    for (uint32_t i = 0; i < command->body.count; i++) {
        const struct command_field *field = &command_fields[command->body.at + i];
        if (field->flags & FIELD_ARGUMENT)
            return field;
    }
    return NULL;
}

bool
command_has_scope(const struct command *command, const char *name)
{
    const struct command_list *lists[] = { &command->parameters, &command->body };
    for (size_t l = 0; l < LENGTH(lists); l++) {
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            const struct command_field *field = &command_fields[lists[l]->at + i];
            if ((field->flags & FIELD_SCOPE) && strcmp(TEXT_AT(field->path), name) == 0)
                return true;
        }
    }
    return false;
}
