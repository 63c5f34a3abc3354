/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/set_table.h"

#define SET_ROW(label, title, scope, capacity, refill) [label] = { #label, title, scope, capacity, refill },
const struct set_row set_rows[SET_COUNT] = { SET_TABLE(SET_ROW) };
#undef SET_ROW

const char *const scope_names[SCOPE_COUNT] = {
    [SCOPE_ORGANIZATION] = "ORGANIZATION",
    [SCOPE_PROJECT] = "GROUP",
    [SCOPE_USER] = "USER",
    [SCOPE_IP] = "IP",
};
