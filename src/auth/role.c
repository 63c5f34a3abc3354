/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/role.h"

#define ROLE_ROW(role, api_name, implied, what) \
    [role##_INDEX] = { .bit = role, .implies = implied, .name = api_name, .text = what },
const struct role_row role_rows[ROLE_COUNT] = { ROLE_TABLE(ROLE_ROW) };
#undef ROLE_ROW

role_set
role_closure(role_set roles)
{
    role_set before;
    do {
        before = roles;
        for (int i = 0; i < ROLE_COUNT; i++) {
            if (roles & role_rows[i].bit)
                roles |= role_rows[i].implies;
        }
    } while (roles != before);
    return roles;
}

role_set
role_from_name(str api_name)
{
    for (int i = 0; i < ROLE_COUNT; i++) {
        if (str_is(api_name, role_rows[i].name))
            return role_rows[i].bit;
    }
    return 0;
}

bool
role_is_of_project(role_set one_role)
{
    return one_role == PROJECT_OWNER || (one_role & PROJECT_ALL_ROLES) != 0;
}

str
role_set_text(struct arena *arena, role_set roles)
{
    struct buf out = buf_in(arena, 4096);
    for (int i = 0; i < ROLE_COUNT; i++) {
        if ((roles & role_rows[i].bit) == 0)
            continue;
        if (out.len > 0)
            buf_add_text(&out, ", ");
        buf_add_text(&out, role_rows[i].name);
    }
    return buf_str(&out);
}
