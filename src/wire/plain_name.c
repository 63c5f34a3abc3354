/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/plain_name.h"

bool
plain_name(str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
              (c == '.' && i > 0)))
            return false;
    }
    return name.len > 0;
}
