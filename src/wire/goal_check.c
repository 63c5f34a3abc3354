/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/goal_check.h"

#include "base/net/net.h"

error
goal_wrong(struct arena *arena, const char *list, size_t index, const char *field, const char *what)
{
    return fail(arena, INVALID_ATTRIBUTE_VALUE, V(str_format(arena, "%s[%zu].%s", list, index, field)), V(what));
}

bool
goal_is_address(str text)
{
    struct net_address ignored;
    return net_parse_address(text, &ignored);
}

bool
goal_is_label(str label)
{
    for (size_t i = 0; i < label.len; i++) {
        char c = label.data[i];
        if (!((c >= '0' && c <= '9') || c == 'F' || c == 'D' || c == 'I' || ((c == '-' || c == '_') && i > 0)))
            return false;
    }
    return label.len > 0;
}
