/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/lsn.h"

bool
lsn_is_valid(str text)
{
    str low = text, high = str_cut(&low, '/');
    const str parts[] = { high, low };
    for (size_t i = 0; i < LENGTH(parts); i++) {
        if (parts[i].len < 1 || parts[i].len > 8 || strspn(parts[i].data, "0123456789ABCDEFabcdef") < parts[i].len)
            return false;
    }
    return true;
}
