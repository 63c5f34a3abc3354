/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/database_name.h"

#include <string.h>

#include "cluster/database_role_table.h"

#define ROLE_NAMED(name, everywhere, takes_table, sentence) name,
static const char *const roles[] = { DATABASE_ROLE_TABLE(ROLE_NAMED) NULL };
#undef ROLE_NAMED

static const char *const taken[] = { "postgres",     "public",       "none", "current_user",
                                     "session_user", "current_role", "user" };
static const char *const prefixes[] = { "pg_", "reeve" };

bool
database_name_is_reserved(str name)
{
    bool found = str_word(name, roles) >= 0;
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        found |= str_eq_nocase(name, str_from(taken[i]));
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t length = strlen(prefixes[i]);
        found |= name.len >= length && str_eq_nocase(str_slice(name, 0, length), str_from(prefixes[i]));
    }
    return found;
}

static bool
is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool
database_name_is_of_person(str name)
{
    if (name.len == 0 || name.len > DATABASE_NAME_MAX_BYTES || name.data[name.len - 1] == ' ')
        return false;
    if (!is_letter_or_digit(name.data[0]) && name.data[0] != '_')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (!is_letter_or_digit(name.data[i]) && (name.data[i] == '\0' || strchr(" _.,=@+:#$-", name.data[i]) == NULL))
            return false;
    }
    return true;
}
