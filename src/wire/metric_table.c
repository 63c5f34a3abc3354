/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/metric_table.h"

#define METRIC_ROW(name, scope, kind, units, about) { #name, units, about, METRIC_##scope, METRIC_##kind, M_##name },
const struct metric metric_table[METRIC_COUNT] = { METRIC_LIST(METRIC_ROW) };
#undef METRIC_ROW

static const char scope_letters[METRIC_SCOPES] = {
    [METRIC_PROCESS] = 'p',
    [METRIC_DATABASE] = 'd',
    [METRIC_DISK] = 'k',
    [METRIC_TABLE] = 't',
};

const struct metric *
metric_find(str name)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (str_is(name, metric_table[i].name))
            return &metric_table[i];
    return NULL;
}

char
metric_scope_letter(enum metric_scope scope)
{
    return scope_letters[scope];
}

bool
metric_scope_of_letter(char letter, enum metric_scope *ret_scope)
{
    for (size_t i = 0; i < METRIC_SCOPES; i++)
        if (scope_letters[i] == letter) {
            *ret_scope = (enum metric_scope)i;
            return true;
        }
    return false;
}
