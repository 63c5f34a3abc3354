/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/advisor/plan_tree.h"

#include <stdlib.h>

/* Behind the next `name`, and the spaces and line ends behind that; NULL when there is none. */
static const char *
behind(const char *text, const char *name)
{
    const char *place = strstr(text, name);
    return place == NULL ? NULL : place + strlen(name) + strspn(place + strlen(name), " \n");
}

bool
plan_tree_cost(str tree, double *ret_cost)
{
    const char *top = behind(tree.data, ":planTree"), *value = top == NULL ? NULL : behind(top, "plan.total_cost");
    char *end;
    if (value == NULL)
        return false;
    *ret_cost = strtod(value, &end);
    return end != value && *ret_cost >= 0;
}

bool
plan_tree_uses(str tree, int64_t index)
{
    for (const char *value = behind(tree.data, ":indexid"); value != NULL; value = behind(value, ":indexid")) {
        if (strtoll(value, NULL, 10) == index)
            return true;
    }
    return false;
}
