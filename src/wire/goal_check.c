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
