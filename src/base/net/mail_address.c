/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/mail_address.h"

#include <string.h>

bool
mail_address_is_plain(str address)
{
    for (size_t i = 0; i < address.len; i++) {
        unsigned char c = (unsigned char)address.data[i];
        if (c <= ' ' || c >= 0x7F || strchr("<>,;:\"()[]\\", c) != NULL)
            return false;
    }
    return str_find(address, '@') > 0;
}
