/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/version.h"

/* The next number of a version: "1rc1" counts as 1, nothing as 0. False when there is something else. */
static bool
next_number(str *rest, int64_t *ret_number)
{
    str part = str_cut(rest, '.');
    size_t digits = 0;
    while (digits < part.len && part.data[digits] >= '0' && part.data[digits] <= '9')
        digits++;
    *ret_number = 0;
    return part.len == 0 || str_to_int(str_slice(part, 0, digits), 0, INT32_MAX, ret_number);
}

bool
version_is_at_least(str version, str least)
{
    int64_t number, least_number;
    if (version.len == 0)
        return false;
    while (least.len > 0) {
        if (!next_number(&version, &number) || !next_number(&least, &least_number) || number < least_number)
            return false;
        if (number > least_number)
            return true;
    }
    return true;
}
